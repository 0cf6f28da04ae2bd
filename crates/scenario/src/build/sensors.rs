//! The sensors of a vehicle, from presets and the scenario's changes to them.

use crate::ScenarioFile;
use crate::config::{
    self, CameraChannel, CameraPreset, GpsService, ImuGrade, InertialErrors, LensConfig,
    LidarPreset, LidarRays, LidarReturns, MagneticFieldConfig, SensorModel,
};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::diagnostic_sink::WHERE_ON_EARTH;
use bekker_math::geodesy::Site;
use bekker_math::spatial::{Pose, Quat, Vec3};
use bekker_sensor::camera::{CameraSpec, ChipNoise, ImageChannel, Lens};
use bekker_sensor::encoder::WheelEncoder;
use bekker_sensor::gps::{CorrelatedError, Gps, Outages};
use bekker_sensor::imu::{Imu, Triad};
use bekker_sensor::lidar::{LidarNoise, LidarSpec, RayModel, ReturnMode};
use bekker_sensor::magnetometer::{GeomagneticField, Magnetometer};
use bekker_sensor::noise::Noise;
use bekker_sensor::{Filter, Model, Sensor, SensorSchedule, right_camera};

/// The sensors of the vehicle with index `vehicle`, each with its noise stream.
///
/// A stereo pair gives two sensors.
///
/// # Errors
/// A GPS in a scenario without geographic location.
pub fn sensors(
    file: &ScenarioFile,
    vehicle: usize,
    site: Option<&Site>,
) -> Result<Vec<Sensor>, Diagnostic> {
    let mut sensors: Vec<Sensor> = Vec::new();
    for (index, entry) in file.scenario.vehicle[vehicle].sensor.iter().enumerate() {
        let model = model(file, entry, site).map_err(|problem| {
            let key = format!("vehicle[{vehicle}].sensor[{index}].model");
            let location = file.document.diagnostic(&key, problem.clone()).location;
            Diagnostic::new(location, "site", None, problem)
        })?;
        let mount = mount(entry);
        let mut add = |name: String, mount: Pose, model: Model| {
            let noise = Noise::new(file.scenario.seed, vehicle as u32, sensors.len() as u32);
            let (schedule, filters) = (schedule(entry, &model), filters(entry));
            let record = entry.record;
            sensors.push(Sensor { name, mount, schedule, model, filters, noise, record });
        };
        add(entry.name.clone(), mount, model.clone());
        if let (
            SensorModel::Camera(config::CameraConfig { stereo: Some(baseline), .. }),
            Model::Camera(left),
        ) = (&entry.model, model)
        {
            let right = mount.point(&Vec3::new(0.0, -baseline, 0.0));
            let camera = Model::Camera(CameraSpec { baseline: *baseline, ..left });
            add(right_camera(&entry.name), Pose { position: right, ..mount }, camera);
        }
    }
    Ok(sensors)
}

fn mount(entry: &config::SensorConfig) -> Pose {
    let [roll, pitch, yaw] = [entry.roll_deg, entry.pitch_deg, entry.yaw_deg].map(f64::to_radians);
    let about = |axis, angle| Quat::from_axis_angle(&axis, angle);
    let orientation =
        about(Vec3::z_axis(), yaw) * about(Vec3::y_axis(), pitch) * about(Vec3::x_axis(), roll);
    Pose { position: Vec3::from(entry.position), orientation }
}

fn schedule(entry: &config::SensorConfig, model: &Model) -> SensorSchedule {
    let window = match model {
        // from the start of the first row's exposure to the end of the last row's
        Model::Camera(camera) => camera.exposure + camera.rolling,
        Model::Lidar(_) => entry.window.unwrap_or(1.0 / entry.rate()),
        _ => entry.window.unwrap_or(0.0),
    };
    SensorSchedule::new(entry.rate(), entry.lag, window)
}

fn filters(entry: &config::SensorConfig) -> Vec<Filter> {
    let filter = |filter: &config::FilterConfig| match *filter {
        config::FilterConfig::Lose { probability } => Filter::Lose(probability),
        config::FilterConfig::Every { frames } => Filter::Every(frames),
        config::FilterConfig::Noise { sigma } => Filter::Noise(sigma),
        config::FilterConfig::Dropout { probability } => Filter::Dropout(probability),
        config::FilterConfig::Range { min, max } => Filter::Range([min, max]),
        config::FilterConfig::Voxels { side } => Filter::Voxels(side),
        config::FilterConfig::Gray {} => Filter::Gray,
    };
    entry.filters.iter().map(filter).collect()
}

fn model(
    file: &ScenarioFile,
    entry: &config::SensorConfig,
    site: Option<&Site>,
) -> Result<Model, DiagnosticKind> {
    Ok(match &entry.model {
        SensorModel::Imu { preset, accelerometer, gyroscope } => {
            Model::Imu(imu(*preset, accelerometer, gyroscope))
        }
        SensorModel::Gps { preset, outages } => {
            let site =
                *site.ok_or_else(|| DiagnosticKind::Missing { expected: WHERE_ON_EARTH.into() })?;
            let gps = match preset {
                GpsService::Ideal => {
                    let fast = CorrelatedError { horizontal: 0.0, vertical: 0.0, time: 1.0 };
                    Gps { fast, white: 0.0, velocity: 0.0, ..Gps::rtk_fixed(site) }
                }
                GpsService::Sps => Gps::sps(site),
                GpsService::Sbas => Gps::sbas(site),
                GpsService::RtkFloat => Gps::rtk_float(site),
                GpsService::RtkFixed => Gps::rtk_fixed(site),
            };
            let outages = outages
                .map(|config::OutagesConfig { interval, duration }| Outages { interval, duration });
            Model::Gps(Box::new(Gps { outages, ..gps }))
        }
        SensorModel::Magnetometer { bias, scale, noise, resolution } => {
            let field = file.scenario.site.map(|site| site.magnetic_field).unwrap_or_default();
            let MagneticFieldConfig { strength, declination_deg, inclination_deg } = field;
            // declination refers to true north, the world's y axis to grid north
            let convergence = site.map_or(0.0, |site| site.convergence(&Vec3::zeros()));
            Model::Magnetometer(Magnetometer {
                field: GeomagneticField {
                    strength,
                    declination: declination_deg.to_radians() - convergence,
                    inclination: inclination_deg.to_radians(),
                },
                bias: Vec3::from(*bias),
                scale: Vec3::from(*scale),
                noise: *noise,
                range: 0.0,
                resolution: *resolution,
            })
        }
        SensorModel::Encoder { ticks_per_turn } => {
            Model::Encoder(WheelEncoder { ticks_per_turn: *ticks_per_turn })
        }
        SensorModel::Odometry {} => Model::Odometry,
        SensorModel::Terramechanics {} => Model::Terramechanics,
        SensorModel::Camera(config) => Model::Camera(camera(config)),
        SensorModel::Lidar(config) => Model::Lidar(lidar(config)),
    })
}

/// An IMU from its preset and the scenario's changes to its accelerometers and gyroscopes.
pub fn imu(preset: ImuGrade, forces: &InertialErrors, rates: &InertialErrors) -> Imu {
    let Imu { accelerometer, gyroscope } = match preset {
        ImuGrade::Ideal => Imu::default(),
        ImuGrade::Consumer => Imu::consumer(),
        ImuGrade::Industrial => Imu::industrial(),
        ImuGrade::Tactical => Imu::tactical(),
    };
    Imu { accelerometer: triad(accelerometer, forces), gyroscope: triad(gyroscope, rates) }
}

fn triad(preset: Triad, changes: &InertialErrors) -> Triad {
    let misalignment = changes.misalignment_deg.map(f64::to_radians);
    Triad {
        noise_density: changes.noise_density.unwrap_or(preset.noise_density),
        drift: changes.drift.unwrap_or(preset.drift),
        drift_time: changes.drift_time.unwrap_or(preset.drift_time),
        random_walk: changes.random_walk.unwrap_or(preset.random_walk),
        turn_on_bias: changes.turn_on_bias.unwrap_or(preset.turn_on_bias),
        scale: changes.scale.unwrap_or(preset.scale),
        misalignment: misalignment.unwrap_or(preset.misalignment),
        range: changes.range.unwrap_or(preset.range),
        resolution: changes.resolution.unwrap_or(preset.resolution),
    }
}

/// A camera from its preset and the scenario's changes to it.
pub fn camera(config: &config::CameraConfig) -> CameraSpec {
    let (size, field, exposure) = match config.preset {
        CameraPreset::Small => ([640, 360], 80.0, 0.005),
        CameraPreset::MachineVision3mp => ([2048, 1536], 60.0, 0.002),
    };
    // a 1/1.8" global-shutter sensor with 3.45 µm pixels: EMVA 1288 values of its class
    let chip = ChipNoise { full_well: 10_500.0, read: 2.3, dark: 3.0, bits: 12 };
    let lens = match config.lens {
        LensConfig::Pinhole {} => Lens::Pinhole,
        LensConfig::KannalaBrandt { k } => Lens::KannalaBrandt(k),
        LensConfig::FieldOfView { distortion_deg } => {
            Lens::FieldOfView(distortion_deg.to_radians())
        }
        LensConfig::BrownConrady { k } => Lens::BrownConrady(k),
    };
    let channel = |channel: &CameraChannel| match channel {
        CameraChannel::Color => ImageChannel::Color,
        CameraChannel::Depth => ImageChannel::Depth,
        CameraChannel::Normal => ImageChannel::Normal,
        CameraChannel::Class => ImageChannel::Class,
        CameraChannel::Instance => ImageChannel::Instance,
        CameraChannel::Ground => ImageChannel::Ground,
    };
    CameraSpec {
        width: config.width.unwrap_or(size[0]),
        height: config.height.unwrap_or(size[1]),
        field_of_view: config.fov_deg.unwrap_or(field).to_radians(),
        lens,
        supersample: config.supersample,
        exposure: config.exposure.unwrap_or(exposure),
        rolling: config.rolling,
        gain: config.gain,
        vignetting: config.vignetting,
        noise: config.noise.then_some(chip),
        baseline: 0.0,
        channels: config.channels.iter().map(channel).collect(),
    }
}

/// A lidar from its preset and the scenario's changes to it.
pub fn lidar(config: &config::Lidar) -> LidarSpec {
    let preset = match config.preset {
        LidarPreset::Vlp16 => LidarSpec::vlp16(),
        LidarPreset::Hdl32e => LidarSpec::hdl32e(),
        LidarPreset::Os1_64 => LidarSpec::os1_64(),
        LidarPreset::Os2_64 => LidarSpec::os2_64(),
    };
    let returns = config.returns.map(|returns| match returns {
        LidarReturns::Strongest => ReturnMode::Strongest,
        LidarReturns::First => ReturnMode::First,
        LidarReturns::Last => ReturnMode::Last,
        LidarReturns::Mean => ReturnMode::Mean,
        LidarReturns::Dual => ReturnMode::Dual,
    });
    let radians = |degrees: &Vec<f64>| degrees.iter().map(|x| x.to_radians()).collect();
    let azimuths = config.azimuths_deg.map(|ends| ends.map(f64::to_radians));
    let angle_noise = config.angle_noise_deg.map(f64::to_radians);
    let (rays, samples, noise) = match config.rays {
        LidarRays::Footprint => (RayModel::Footprint, preset.samples, preset.noise),
        LidarRays::One => (RayModel::One, 1, LidarNoise::default()),
    };
    LidarSpec {
        elevations: config.elevations_deg.as_ref().map(radians).unwrap_or(preset.elevations),
        columns: config.columns.unwrap_or(preset.columns),
        azimuths: azimuths.unwrap_or(preset.azimuths),
        min_range: config.min_range.unwrap_or(preset.min_range),
        max_range: config.max_range.unwrap_or(preset.max_range),
        divergence: config.divergence_deg.map_or(preset.divergence, f64::to_radians),
        rays,
        samples: config.samples.unwrap_or(samples),
        returns: returns.unwrap_or(preset.returns),
        noise: LidarNoise {
            range: config.range_noise.unwrap_or(noise.range),
            angle: angle_noise.unwrap_or(noise.angle),
            intensity: config.intensity_noise.unwrap_or(noise.intensity),
            dropout: config.dropout.unwrap_or(noise.dropout),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const ALL: &str = r#"
format = 1
name = "all sensors"
time = { duration = 1 }
soil = { default = "mud" }
site = { latitude_deg = 47, longitude_deg = 11, altitude = 600 }
[[vehicle]]
name = "a"
model = "hmmwv"
position = [0, 0]
[[vehicle.sensor]]
name = "imu"
model = { kind = "imu", preset = "tactical", gyroscope = { drift = 0 } }
rate = 200
window = 0.004
[[vehicle.sensor]]
name = "gps"
model = { kind = "gps", preset = "rtk_fixed", outages = { interval = 60, duration = 5 } }
lag = 0.1
[[vehicle.sensor]]
name = "eyes"
model = { kind = "camera", preset = "machine_vision_3mp", stereo = 0.2, channels = ["color", "depth"] }
position = [1, 0.1, 1.2]
pitch_deg = 10
yaw_deg = 90
filters = [{ kind = "gray" }]
save = ["png", "exr"]
[[vehicle.sensor]]
name = "roof"
model = { kind = "lidar", preset = "os2_64", columns = 512 }
filters = [{ kind = "range", min = 2, max = 50 }, { kind = "voxels", side = 0.1 }]
save = ["pcd", "las"]
[[vehicle.sensor]]
name = "compass"
model = { kind = "magnetometer" }
[[vehicle.sensor]]
name = "wheels"
model = { kind = "encoder", ticks_per_turn = 4096 }
[[vehicle.sensor]]
name = "truth"
model = { kind = "odometry" }
[[vehicle.sensor]]
name = "soil"
model = { kind = "terramechanics" }
"#;

    #[test]
    fn every_kind_is_built_as_written_and_reads_back() {
        let file = ScenarioFile::parse("x.toml", ALL, Path::new(""), &[]).unwrap();
        let text = toml::to_string(&file.scenario).unwrap();
        let again = ScenarioFile::parse("y.toml", &text, Path::new(""), &[]).unwrap();
        assert_eq!(again.scenario, file.scenario);

        let site = Site::new(bekker_math::geodesy::Geodetic::degrees(47.0, 11.0, 600.0));
        let sensors = sensors(&file, 0, Some(&site)).unwrap();
        let names: Vec<&str> = sensors.iter().map(|sensor| sensor.name.as_str()).collect();
        let expected = ["imu", "gps", "eyes", "eyes_right", "roof", "compass", "wheels", "truth"];
        assert_eq!(names, [&expected[..], &["soil"]].concat());
        let Model::Imu(imu) = &sensors[0].model else { panic!() };
        assert_eq!(imu.gyroscope.drift, 0.0);
        assert_eq!(imu.accelerometer, Imu::tactical().accelerometer);
        assert_eq!(sensors[0].schedule, SensorSchedule::new(200.0, 0.0, 0.004));
        let Model::Gps(gps) = &sensors[1].model else { panic!() };
        assert_eq!(gps.site, Site::new(bekker_math::geodesy::Geodetic::degrees(47.0, 11.0, 600.0)));
        // after a turn to the left and then nose down, the optical axis points along y and down,
        // and the camera's right is forward
        let [left, right] = [&sensors[2].mount, &sensors[3].mount];
        let axis = left.direction(&Vec3::x());
        let [sin, cos] = [10f64.to_radians().sin(), 10f64.to_radians().cos()];
        assert!((axis - Vec3::new(0.0, cos, -sin)).norm() < 1e-12, "{axis}");
        assert!((right.position - left.position - Vec3::new(0.2, 0.0, 0.0)).norm() < 1e-12);
        // the disparity of a point ahead corresponds to the baseline
        let of = |at: usize| match &sensors[at].model {
            Model::Camera(spec) => bekker_sensor::camera::Camera::from_spec(spec).unwrap(),
            _ => panic!(),
        };
        let [left, right] = [of(2), of(3)];
        assert_eq!(left.projection()[3], 0.0);
        assert_eq!(right.projection()[3], -0.2 * right.focal[0]);
        assert_eq!([2, 3].map(|at| sensors[at].picture_frame()), ["eyes"; 2]);
        projects_as_it_sees([&sensors[2], &sensors[3]]);
        let Model::Lidar(lidar) = &sensors[4].model else { panic!() };
        assert_eq!((lidar.columns, lidar.elevations.len()), (512, 64));
        assert_eq!(sensors[4].schedule.window_us, 100_000, "one turn");
        let keys: std::collections::BTreeSet<[u32; 2]> =
            sensors.iter().map(|sensor| sensor.noise.key).collect();
        assert_eq!(keys.len(), sensors.len(), "each has independent noise");
    }

    /// Checks both projection matrices and the camera matrix K against direct projection.
    ///
    /// Points in the left camera's optical frame must be projected to the pixels where each camera
    /// sees them from its own mount. Pixel centers are at half-integers.
    fn projects_as_it_sees(pair: [&Sensor; 2]) {
        let dice = bekker_math::random::RandomStream::new(3, "points before a pair of cameras");
        let into = |mount: &Pose, point: &Vec3| {
            mount.orientation.inverse_transform_vector(&(point - mount.position))
        };
        for (sensor, k) in pair.iter().flat_map(|sensor| (0..50).map(move |k| (sensor, 3 * k))) {
            let Model::Camera(spec) = &sensor.model else { panic!() };
            let camera = bekker_sensor::camera::Camera::from_spec(spec).unwrap();
            let depth = 1.0 + 30.0 * dice.uniform(k);
            let aside = [1, 2].map(|n| depth * (dice.uniform(k + n) - 0.5));
            let point = pair[0].mount.point(&Vec3::new(depth, aside[0], aside[1]));
            let [left, own] = [pair[0], sensor].map(|own| into(&own.mount, &point));
            let seen = camera.project(&own).unwrap();
            let rows = camera.projection();
            let optical = |p: &Vec3| [-p.y, -p.z, p.x, 1.0];
            let by =
                |rows: &[f64], p: [f64; 4]| -> f64 { rows.iter().zip(p).map(|(a, b)| a * b).sum() };
            let image = [0, 4, 8].map(|at| by(&rows[at..at + 4], optical(&left)));
            let [fx, fy, cx, cy] = [rows[0], rows[5], rows[2], rows[6]];
            let [x, y, z, _] = optical(&own);
            for (which, pixel) in [fx * x / z + cx, fy * y / z + cy].into_iter().enumerate() {
                let projected = image[which] / image[2];
                assert!((projected - pixel).abs() < 1e-9 * pixel.abs().max(1.0), "{}", sensor.name);
                assert!((pixel + 0.5 - seen[which]).abs() < 1e-9, "{pixel} {seen:?}");
            }
        }
    }
}
