//! Checks of sensors and their files.

use crate::config::{
    CameraChannel, CameraConfig, FilterConfig, FrameFormat, InertialErrors, Lidar as LidarConfig,
    LidarRays, Scenario, SensorConfig, SensorModel, SurfaceConfig,
};
use crate::diagnostic::DiagnosticKind;
use crate::diagnostic_sink::{DiagnosticSink, WHERE_ON_EARTH, decimal};
use bekker_sensor::camera::Camera;
use bekker_sensor::imu::{Imu, Triad};
use bekker_sensor::lidar::LidarSpec;

pub(super) fn check_sensors(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let sensors = || scenario.vehicle.iter().flat_map(|vehicle| &vehicle.sensor);
    let any_gps = sensors().any(|sensor| matches!(sensor.model, SensorModel::Gps { .. }));
    // a DEM may be georeferenced, which is known only when it is opened
    let dem = matches!(scenario.terrain.surface, SurfaceConfig::Dem { .. });
    if any_gps && scenario.site.is_none() && !dem {
        refuse("site".into(), DiagnosticKind::Missing { expected: WHERE_ON_EARTH.into() });
    }
    for (index, vehicle) in scenario.vehicle.iter().enumerate() {
        for (which, sensor) in vehicle.sensor.iter().enumerate() {
            let key = format!("vehicle[{index}].sensor[{which}]");
            check_schedule(scenario, sensor, &key, refuse);
            check_frames(sensor, &key, refuse);
            match &sensor.model {
                SensorModel::Camera(camera) => check_channels(sensor, camera, &key, refuse),
                SensorModel::Imu { preset, accelerometer, gyroscope } => {
                    let Imu { accelerometer: ours, gyroscope: turns } =
                        crate::build::imu(*preset, accelerometer, gyroscope);
                    check_drift(
                        accelerometer,
                        &ours,
                        &format!("{key}.model.accelerometer"),
                        refuse,
                    );
                    check_drift(gyroscope, &turns, &format!("{key}.model.gyroscope"), refuse);
                }
                _ => {}
            }
        }
    }
}

/// Checks the schedule of a sensor.
///
/// A motion sensor samples at most once per step, a camera or lidar at most once per heartbeat. A
/// sampling window must end before the next one begins.
fn check_schedule(
    scenario: &Scenario,
    sensor: &SensorConfig,
    key: &str,
    refuse: &mut DiagnosticSink,
) {
    let is_imaging = matches!(sensor.model, SensorModel::Camera(_) | SensorModel::Lidar(_));
    let (between, of) = match is_imaging {
        true => (scenario.time.heartbeat, "heartbeat"),
        false => (scenario.time.step, "step"),
    };
    let rate = sensor.rate();
    if rate * between > 1.0 + 1e-9 {
        let most = 1.0 / between;
        let bounds = format!("> 0 and <= {} Hz, one per {of}", decimal(most));
        refuse(format!("{key}.rate"), DiagnosticKind::OutOfRange { bounds });
    }
    if let SensorModel::Camera(camera) = &sensor.model {
        let shutter = crate::build::camera(camera);
        if (shutter.exposure + shutter.rolling) * rate > 1.0 + 1e-9 {
            let cause = format!(
                "exposure and rolling take {} s together; at {} Hz, a frame must be read within {} \
                 s",
                decimal(shutter.exposure + shutter.rolling),
                decimal(rate),
                decimal(1.0 / rate)
            );
            refuse(format!("{key}.model"), DiagnosticKind::Refused { cause });
        }
    }
    let Some(window) = sensor.window else { return };
    let window_key = format!("{key}.window");
    match sensor.model {
        SensorModel::Encoder { .. }
        | SensorModel::Odometry {}
        | SensorModel::Terramechanics {}
        | SensorModel::Camera(_) => {
            let cause = format!(
                "a sensor of kind {} has no window{}",
                sensor.model.kind(),
                if is_imaging { "; set model.exposure instead" } else { "" }
            );
            refuse(window_key, DiagnosticKind::Refused { cause });
        }
        _ if window * rate > 1.0 + 1e-9 => {
            let bounds = format!("from 0 to {} s, the time between frames", decimal(1.0 / rate));
            refuse(window_key, DiagnosticKind::OutOfRange { bounds });
        }
        _ => {}
    }
}

/// Checks that filters and files fit the kind of sensor, and that ranges are increasing.
fn check_frames(sensor: &SensorConfig, key: &str, refuse: &mut DiagnosticSink) {
    let kind = sensor.model.kind();
    for (which, filter) in sensor.filters.iter().enumerate() {
        let (word, fits): (&str, &[&str]) = match filter {
            FilterConfig::Range { .. } => ("range", &["lidar"]),
            FilterConfig::Voxels { .. } => ("voxels", &["lidar"]),
            FilterConfig::Gray {} => ("gray", &["camera"]),
            FilterConfig::Dropout { .. } => ("dropout", &["lidar", "camera"]),
            FilterConfig::Noise { .. } => {
                ("noise", &["imu", "gps", "magnetometer", "odometry", "camera", "lidar"])
            }
            FilterConfig::Lose { .. } | FilterConfig::Every { .. } => continue,
        };
        if !fits.contains(&kind) {
            let cause = format!("{word} is for sensors of kind {}, not {kind}", fits.join(", "));
            refuse(format!("{key}.filters[{which}].kind"), DiagnosticKind::Refused { cause });
        }
        if let FilterConfig::Range { min, max } = filter
            && min >= max
        {
            refuse(format!("{key}.filters[{which}].max"), DiagnosticKind::EmptyRange);
        }
    }
    for (which, format) in sensor.save.iter().enumerate() {
        if sensor.save[..which].contains(format) {
            let cause = "is given twice; each format may be given once".into();
            refuse(format!("{key}.save[{which}]"), DiagnosticKind::Refused { cause });
        }
        let fits = match format {
            FrameFormat::Png | FrameFormat::Png16 | FrameFormat::Exr => "camera",
            FrameFormat::Pcd | FrameFormat::Las => "lidar",
        };
        if fits != kind {
            let cause = format!("is a format for sensors of kind {fits}, not {kind}");
            refuse(format!("{key}.save[{which}]"), DiagnosticKind::Refused { cause });
        }
    }
    if !sensor.record && !sensor.save.is_empty() {
        refuse(format!("{key}.save"), DiagnosticKind::Excludes { other: "record = false" });
    }
    if let SensorModel::Camera(camera) = &sensor.model
        // at 180 degrees the focal length of a pinhole is 0
        && !Camera::from_spec(&crate::build::camera(camera)).is_some_and(|made| made.focal[0] > 1e-3)
    {
        let bounds =
            format!("below {} deg, the limit of its lens", decimal(horizontal_fov(camera)));
        refuse(format!("{key}.model.fov_deg"), DiagnosticKind::OutOfRange { bounds });
    }
    if let SensorModel::Lidar(lidar) = &sensor.model {
        check_lidar(lidar, key, refuse);
    }
}

/// Widest field of view of a camera's lens, degrees, found by bisection to 0.01.
fn horizontal_fov(camera: &CameraConfig) -> f64 {
    let sees = |fov_deg: f64| {
        let wider = CameraConfig { fov_deg: Some(fov_deg), ..camera.clone() };
        Camera::from_spec(&crate::build::camera(&wider)).is_some_and(|made| made.focal[0] > 1e-3)
    };
    let (mut low, mut high) = (1.0, 360.0);
    while high - low > 0.01 {
        let middle = 0.5 * (low + high);
        *if sees(middle) { &mut low } else { &mut high } = middle;
    }
    (10.0 * low).round() / 10.0
}

/// Checks a lidar: increasing elevations and ranges, and options that fit its number of rays.
fn check_lidar(lidar: &LidarConfig, key: &str, refuse: &mut DiagnosticSink) {
    let elevations = lidar.elevations_deg.as_deref().unwrap_or(&[0.0]);
    if let Some(at) = elevations.windows(2).position(|pair| pair[0] >= pair[1]) {
        let problem = DiagnosticKind::NotIncreasing { before: elevations[at] };
        refuse(format!("{key}.model.elevations_deg[{}]", at + 1), problem);
    }
    if elevations.is_empty() {
        let expected = "at least 1 item".into();
        let problem = DiagnosticKind::WrongLength { expected, found: 0 };
        refuse(format!("{key}.model.elevations_deg"), problem);
    }
    let LidarSpec { min_range, max_range, .. } = crate::build::lidar(lidar);
    if min_range >= max_range {
        let whose = if lidar.max_range.is_some() { "" } else { " (from its preset)" };
        let (name, bounds) = match lidar.min_range {
            Some(_) => ("min_range", format!("below max_range = {}{whose}", decimal(max_range))),
            None => {
                ("max_range", format!("above min_range = {} (from its preset)", decimal(min_range)))
            }
        };
        refuse(format!("{key}.model.{name}"), DiagnosticKind::OutOfRange { bounds });
    }
    // a single ray has one echo and no divergence
    let vain = [
        ("samples", lidar.samples.is_some_and(|samples| samples > 1)),
        ("returns", lidar.returns.is_some()),
        ("divergence_deg", lidar.divergence_deg.is_some_and(|angle| angle > 0.0)),
    ];
    for (name, is_vain) in vain {
        if lidar.rays == LidarRays::One && is_vain {
            let other = "rays = \"one\"";
            refuse(format!("{key}.model.{name}"), DiagnosticKind::Excludes { other });
        }
    }
}

/// Checks that drift and drift time are both positive or both zero.
fn check_drift(given: &InertialErrors, whole: &Triad, key: &str, refuse: &mut DiagnosticSink) {
    let is_given = |value: Option<f64>| value.is_some_and(|value| value > 0.0);
    for (name, is_vain, other) in [
        ("drift", is_given(given.drift) && whole.drift_time == 0.0, "drift_time"),
        ("drift_time", is_given(given.drift_time) && whole.drift == 0.0, "drift"),
    ] {
        if is_vain {
            let cause = format!(
                "has no effect while {other} is 0, as in this preset; set {other} > 0 as well"
            );
            refuse(format!("{key}.{name}"), DiagnosticKind::Refused { cause });
        }
    }
}

/// Checks that channels are unique, and that filters and files of colors have a color channel.
fn check_channels(
    sensor: &SensorConfig,
    camera: &CameraConfig,
    key: &str,
    refuse: &mut DiagnosticSink,
) {
    for (which, channel) in camera.channels.iter().enumerate() {
        if camera.channels[..which].contains(channel) {
            let cause = "is given twice; each channel may be given once".into();
            refuse(format!("{key}.model.channels[{which}]"), DiagnosticKind::Refused { cause });
        }
    }
    if camera.channels.contains(&CameraChannel::Color) {
        return;
    }
    let cause = "needs color images; add color to model.channels";
    let mut colorless = |key: String| refuse(key, DiagnosticKind::Refused { cause: cause.into() });
    for (which, format) in sensor.save.iter().enumerate() {
        if matches!(format, FrameFormat::Png | FrameFormat::Png16) {
            colorless(format!("{key}.save[{which}]"));
        }
    }
    for (which, filter) in sensor.filters.iter().enumerate() {
        if matches!(
            filter,
            FilterConfig::Noise { .. } | FilterConfig::Dropout { .. } | FilterConfig::Gray {}
        ) {
            colorless(format!("{key}.filters[{which}].kind"));
        }
    }
}
