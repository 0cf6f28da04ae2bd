//! Limits of a run's memory and output, estimated from its scenario.
//!
//! A scenario that needs too much is refused before anything is built.

use super::config::{
    CameraChannel, CameraConfig, DriverConfig, Lidar, RandomSurface, Scenario, SensorConfig,
    SensorModel, SurfaceConfig,
};
use super::diagnostic::DiagnosticKind;
use super::diagnostic_sink::DiagnosticSink;
use bekker_math::numeric::hypot;

/// Maximum number of heartbeats of a run: twelve days at 10 ms.
const MAX_HEARTBEATS: f64 = 1e8;
/// Maximum number of samples of all vehicles together.
const MAX_SAMPLES: f64 = 1e8;
/// Maximum distance from the local origin along an axis, m.
const MAX_DISTANCE: f64 = 1e6;
/// Maximum number of points of a path, also of one from a file.
const MAX_WAYPOINTS: usize = 100_000;
/// Maximum length of a vehicle's path, m: the curve is stored as points half a meter apart.
const MAX_PATH_LENGTH: f64 = 200_000.0;
/// Maximum length of the paths of all vehicles together, m.
///
/// Followers count too, as they may store the speeds along their leader's path.
const MAX_TOTAL_PATH_LENGTH: f64 = 4_000_000.0;
/// Memory of a follower's speeds relative to that of a path.
const FOLLOWER_MEMORY: f64 = 1.0 / 3.0;
/// Maximum number of pixels of an image, 4096 x 4096.
const MAX_PIXELS: u64 = 1 << 24;
/// Maximum number of rays of an image: all samples of all pixels.
const MAX_RAYS: u64 = 1 << 28;
/// Maximum number of firings of a scan: all beams of all columns.
const MAX_FIRINGS: u64 = 1 << 22;
/// Maximum number of rays of a scan: all samples of all firings.
const MAX_LIDAR_RAYS: u64 = 1 << 26;
/// Maximum memory of the data of all sensors at one time, bytes.
const MAX_HELD: f64 = (2_u64 << 30) as f64;
/// Memory of one lidar return, bytes.
const RETURN_SIZE: u64 = 40;
/// Memory of a time-stamped sensor pose, bytes.
const POSE_SIZE: f64 = 64.0;
/// Maximum number of pixels of a run's rendered image, 7680 x 4320.
const MAX_DRAWN: u64 = 7680 * 4320;
/// Maximum number of props in a scenario.
const MAX_PROPS: u64 = 200_000;

/// Refuses a scenario that exceeds a limit.
pub(super) fn check(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let mut excess = |key: String, cause: String| refuse(key, DiagnosticKind::Refused { cause });
    check_records(scenario, &mut excess);
    check_paths(scenario, &mut excess);
    check_sensors(scenario, &mut excess);
    if let SurfaceConfig::Procedural { amplitude, wavelength, .. } = scenario.terrain.surface
        && amplitude > wavelength
    {
        let cause = format!("must be at most terrain.surface.wavelength = {wavelength} m");
        excess("terrain.surface.amplitude".into(), cause);
    }
    if let SurfaceConfig::Random(RandomSurface { amplitude, wavelength, .. }) =
        scenario.terrain.surface
        && amplitude > wavelength
    {
        let cause = format!("must be at most terrain.surface.wavelength = {wavelength} m");
        excess("terrain.surface.amplitude".into(), cause);
    }
    let props = |s: &super::config::Scenery| u64::from(s.count) + s.places.len() as u64;
    let props: u64 = scenario.scenery.iter().map(props).sum();
    if props > MAX_PROPS {
        let cause = format!("has {props} objects; must have at most {MAX_PROPS} in total");
        excess("scenery".into(), cause);
    }
    let [width, height] = scenario.output.picture.size;
    if u64::from(width) * u64::from(height) > MAX_DRAWN {
        let cause = format!("must be at most {MAX_DRAWN} pixels in total, such as [7680, 4320]");
        excess("output.picture.size".into(), cause);
    }
}

/// Receives the key and the reason why it is refused.
type ExcessSink<'a> = dyn FnMut(String, String) + 'a;

fn check_records(scenario: &Scenario, excess: &mut ExcessSink) {
    let time = &scenario.time;
    let heartbeats = time.duration / time.heartbeat;
    if heartbeats > MAX_HEARTBEATS {
        let cause = format!(
            "requires {heartbeats:.1e} heartbeats of {} s; must be at most {MAX_HEARTBEATS:.0e}: \
             shorten it, or lengthen time.heartbeat",
            time.heartbeat
        );
        excess("time.duration".into(), cause);
    }
    let rows = scenario.vehicle.len() as f64 * time.duration / scenario.output.interval;
    if rows > MAX_SAMPLES {
        let cause = format!(
            "gives {rows:.1e} rows of samples; must be at most {MAX_SAMPLES:.0e}: lengthen it, or \
             shorten time.duration"
        );
        excess("output.interval".into(), cause);
    }
}

fn check_paths(scenario: &Scenario, excess: &mut ExcessSink) {
    let mut lengths = vec![0.0; scenario.vehicle.len()];
    for (index, vehicle) in scenario.vehicle.iter().enumerate() {
        let far = |[x, y]: [f64; 2]| x.abs() > MAX_DISTANCE || y.abs() > MAX_DISTANCE;
        let beyond = format!("must be within {:.0} km of the local origin", 1e-3 * MAX_DISTANCE);
        if far(vehicle.position) {
            excess(format!("vehicle[{index}].position"), beyond.clone());
        }
        let DriverConfig::Path { waypoints, .. } = &vehicle.driver else { continue };
        if let Some(point) = waypoints.iter().position(|point| far(*point)) {
            excess(format!("vehicle[{index}].driver.waypoints[{point}]"), beyond);
        }
        if waypoints.len() > MAX_WAYPOINTS {
            let (key, found) = (format!("vehicle[{index}].driver.waypoints"), waypoints.len());
            excess(key, format!("has {found} points; must have at most {MAX_WAYPOINTS}"));
        }
        let chord = |pair: &[[f64; 2]]| hypot(pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]);
        lengths[index] = waypoints.windows(2).map(chord).sum();
        if lengths[index] > MAX_PATH_LENGTH {
            let cause = format!(
                "form a path of {:.0} km; must be at most {:.0} km",
                1e-3 * lengths[index],
                1e-3 * MAX_PATH_LENGTH
            );
            excess(format!("vehicle[{index}].driver.waypoints"), cause);
        }
    }
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let followers =
        |v: &&super::config::VehicleConfig| matches!(v.driver, DriverConfig::Follow { .. });
    let followers = scenario.vehicle.iter().filter(followers).count();
    let total_length = lengths.iter().sum::<f64>() + FOLLOWER_MEMORY * followers as f64 * longest;
    if total_length > MAX_TOTAL_PATH_LENGTH {
        let cause = format!(
            "paths have a total length of up to {:.0} km; must be at most {:.0} km",
            1e-3 * total_length,
            1e-3 * MAX_TOTAL_PATH_LENGTH
        );
        excess("vehicle".into(), cause);
    }
}

fn check_sensors(scenario: &Scenario, excess: &mut ExcessSink) {
    let mut memory = 0.0;
    for (index, vehicle) in scenario.vehicle.iter().enumerate() {
        for (which, sensor) in vehicle.sensor.iter().enumerate() {
            let mut refused =
                |cause| excess(format!("vehicle[{index}].sensor[{which}].model"), cause);
            let (frame, window) = match &sensor.model {
                SensorModel::Camera(camera) => check_camera(camera, &mut refused),
                SensorModel::Lidar(lidar) => check_lidar(lidar, sensor, &mut refused),
                _ => continue,
            };
            // delayed data are queued, in addition to the frame in progress
            let frames = 2.0 + (sensor.lag * sensor.rate()).ceil();
            memory += frame as f64 * frames + POSE_SIZE * window / scenario.time.step;
        }
    }
    if memory > MAX_HELD {
        let cause = format!(
            "sensors hold {:.0} MiB of images and scans at one time; must be at most {:.0} MiB: \
             reduce pixels, channels, columns or lag",
            memory / f64::from(1 << 20),
            MAX_HELD / f64::from(1 << 20)
        );
        excess("vehicle".into(), cause);
    }
}

/// Memory of an image, bytes, and the period that its poses cover, s.
fn check_camera(config: &CameraConfig, refused: &mut dyn FnMut(String)) -> (u64, f64) {
    let camera = super::build::camera(config);
    let pixels = u64::from(camera.width) * u64::from(camera.height);
    let rays = pixels * u64::from(camera.supersample) * u64::from(camera.supersample);
    if pixels > MAX_PIXELS {
        refused(format!(
            "an image of {} x {} has {pixels} pixels; must be at most {MAX_PIXELS}, such as 4096 \
             x 4096",
            camera.width, camera.height
        ));
    } else if rays > MAX_RAYS {
        refused(format!(
            "an image of {} x {} with supersample = {} takes {rays} rays; must be at most \
             {MAX_RAYS}",
            camera.width, camera.height, camera.supersample
        ));
    }
    let bytes = |channel: &CameraChannel| match channel {
        CameraChannel::Color | CameraChannel::Normal => 12,
        CameraChannel::Depth => 4,
        CameraChannel::Class => 1,
        CameraChannel::Instance => 2,
        CameraChannel::Ground => 16,
    };
    let frame = pixels * config.channels.iter().map(bytes).sum::<u64>();
    (frame, camera.exposure + camera.rolling)
}

/// Memory of a scan, bytes, and the period that its poses cover, s.
fn check_lidar(
    config: &Lidar,
    sensor: &SensorConfig,
    refused: &mut dyn FnMut(String),
) -> (u64, f64) {
    let lidar = super::build::lidar(config);
    let firings = lidar.elevations.len() as u64 * u64::from(lidar.columns);
    let rays = firings * u64::from(lidar.samples) * u64::from(lidar.samples);
    if firings > MAX_FIRINGS {
        refused(format!(
            "a scan of {} beams and {} columns has {firings} firings; must be at most \
             {MAX_FIRINGS}",
            lidar.elevations.len(),
            lidar.columns
        ));
    } else if rays > MAX_LIDAR_RAYS {
        refused(format!(
            "a scan with samples = {} takes {rays} rays; must be at most {MAX_LIDAR_RAYS}",
            lidar.samples
        ));
    }
    (2 * RETURN_SIZE * firings, sensor.window.unwrap_or(1.0 / sensor.rate()))
}
