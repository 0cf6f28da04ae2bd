//! `[[vehicle.sensor]]`: the sensors of a vehicle.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A sensor mounted on a vehicle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Sensor")]
pub struct SensorConfig {
    /// Name of the sensor, unique on the vehicle, without a slash. Its topic is `/VEHICLE/NAME`.
    /// Not allowed are `pose`, `ground`, `ruts`, `goal`, `route`, `path`, `believed`, `map` and
    /// `hit`, which the vehicle itself publishes, and `NAME_right` of a stereo camera.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Kind of sensor, with its parameters.
    pub model: SensorModel,
    /// Mounting position, m: x forward, y left, z up from the chassis reference point.
    #[serde(default)]
    #[schemars(inner(range(min = -100.0, max = 100.0)))]
    pub position: [f64; 3],
    /// Mounting rotation about x, degrees, positive with the right side down. Applied after yaw and
    /// pitch.
    #[serde(default)]
    #[schemars(range(min = -180.0, max = 180.0), extend("unit" = "deg"))]
    pub roll_deg: f64,
    /// Mounting rotation about y, degrees, positive with the nose down. Applied after yaw.
    #[serde(default)]
    #[schemars(range(min = -180.0, max = 180.0), extend("unit" = "deg"))]
    pub pitch_deg: f64,
    /// Mounting rotation about z, degrees, positive to the left.
    #[serde(default)]
    #[schemars(range(min = -360.0, max = 360.0), extend("unit" = "deg"))]
    pub yaw_deg: f64,
    /// Frames per second of simulated time, Hz. Where absent, it is the usual rate of the kind of
    /// sensor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 100_000.0), extend("unit" = "Hz"))]
    pub rate: Option<f64>,
    /// Time from the end of a measurement to its delivery, s.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0), extend("unit" = "s"))]
    pub lag: f64,
    /// Duration of one measurement, s. An IMU, GPS or magnetometer delivers the mean over it; where
    /// absent, the value at an instant. A lidar turns from its first column to its last in it;
    /// where absent, in the time between scans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1000.0), extend("unit" = "s"))]
    pub window: Option<f64>,
    /// Filters that are applied to each reading before delivery, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub filters: Vec<FilterConfig>,
    /// Whether the readings are recorded. The driver of the vehicle receives them in either case.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub record: bool,
    /// Formats of separate files, in addition to the run's MCAP. `png` and `png16` hold the colors
    /// of a camera, `exr` all its channels, and `pcd` and `las` the points of a lidar.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 5))]
    pub save: Vec<FrameFormat>,
}

fn yes() -> bool {
    true
}

fn is_yes(record: &bool) -> bool {
    *record
}

/// File format of single frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrameFormat {
    /// PNG, 8 bits.
    Png,
    /// PNG, 16 bits.
    Png16,
    /// OpenEXR with all channels.
    Exr,
    /// Point Cloud Library, binary.
    Pcd,
    /// LAS 1.4.
    Las,
}

/// Kind of sensor, with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum SensorModel {
    /// Inertial measurement unit: specific force and angular rate.
    Imu {
        /// Grade whose errors the sensor has.
        #[serde(default)]
        preset: ImuGrade,
        /// Changes to the errors of the accelerometers, m/s².
        #[serde(default)]
        accelerometer: InertialErrors,
        /// Changes to the errors of the gyroscopes, rad/s.
        #[serde(default)]
        gyroscope: InertialErrors,
    },
    /// Satellite navigation: latitude, longitude and altitude on WGS 84. It needs `[site]`.
    Gps {
        /// Service whose errors the sensor has.
        #[serde(default)]
        preset: GpsService,
        /// Times without a fix. Where absent, there are none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outages: Option<OutagesConfig>,
    },
    /// Magnetometer: the field of `[site.magnetic_field]` along the sensor's axes.
    Magnetometer {
        /// Bias from the iron of the vehicle on each axis, T.
        #[serde(default)]
        #[schemars(inner(range(min = -1.0, max = 1.0)))]
        bias: [f64; 3],
        /// Relative scale error from the iron of the vehicle on each axis.
        #[serde(default)]
        #[schemars(inner(range(min = -1.0, max = 1.0)))]
        scale: [f64; 3],
        /// Standard deviation of the noise, T.
        #[serde(default = "magnetic_noise")]
        #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "T"))]
        noise: f64,
        /// Resolution to which readings are rounded, T.
        #[serde(default = "magnetic_resolution")]
        #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "T"))]
        resolution: f64,
    },
    /// Encoders: ticks of each wheel since the start.
    Encoder {
        /// Ticks per turn of a wheel.
        #[serde(default = "ticks_per_turn")]
        #[schemars(range(min = 1, max = 10_000_000))]
        ticks_per_turn: u32,
    },
    /// True pose and velocity of the sensor's frame.
    Odometry {},
    /// Sinkage, slip, force and pressure at each wheel.
    Terramechanics {},
    /// Camera: images, with depth and labels.
    Camera(CameraConfig),
    /// Lidar: point clouds.
    Lidar(Lidar),
}

/// Grade of an IMU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImuGrade {
    /// No errors.
    Ideal,
    /// Consumer part, as in a telephone.
    Consumer,
    /// Calibrated MEMS.
    #[default]
    Industrial,
    /// Better than `industrial`.
    Tactical,
}

/// Changes to the errors of three axes. Each value replaces that of the preset. The unit u is m/s²
/// or rad/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InertialErrors {
    /// Density of the white noise, u/√Hz.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub noise_density: Option<f64>,
    /// Standard deviation of the drift, u. It needs a `drift_time`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub drift: Option<f64>,
    /// Correlation time of the drift, s. 0 means no drift.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e9), extend("unit" = "s"))]
    pub drift_time: Option<f64>,
    /// Random walk, u/√s.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub random_walk: Option<f64>,
    /// Standard deviation of the turn-on bias, u.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub turn_on_bias: Option<f64>,
    /// Standard deviation of the relative scale error of each axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub scale: Option<f64>,
    /// Standard deviation of the angles between the axes and the case, degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 45.0), extend("unit" = "deg"))]
    pub misalignment_deg: Option<f64>,
    /// Largest magnitude of a reading, u. 0 means no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub range: Option<f64>,
    /// Resolution to which readings are rounded, u. 0 means no rounding.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub resolution: Option<f64>,
}

/// Service of satellite navigation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GpsService {
    /// No errors.
    Ideal,
    /// Standard positioning service.
    #[default]
    Sps,
    /// With corrections from satellites.
    Sbas,
    /// Carrier phase, ambiguities not fixed.
    RtkFloat,
    /// Carrier phase, ambiguities fixed.
    RtkFixed,
}

/// Times without a fix. Their durations and the times between them are exponentially distributed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Outages")]
pub struct OutagesConfig {
    /// Mean time between outages, s.
    #[schemars(range(min = 0.001, max = 1e6), extend("unit" = "s"))]
    pub interval: f64,
    /// Mean duration of an outage, s.
    #[schemars(range(min = 0.001, max = 1e6), extend("unit" = "s"))]
    pub duration: f64,
}

/// A camera. Its x axis points forward along the optical axis, y left, z up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Camera")]
pub struct CameraConfig {
    /// Camera whose size, lens, shutter and noise apply where the other keys are absent.
    pub preset: CameraPreset,
    /// Width of the image, pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 16_384))]
    pub width: Option<u32>,
    /// Height of the image, pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 16_384))]
    pub height: Option<u32>,
    /// Horizontal field of view from the left edge to the right edge, degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 360.0), extend("exclusiveMinimum" = 0.0, "unit" = "deg"))]
    pub fov_deg: Option<f64>,
    /// Projection of the lens.
    pub lens: LensConfig,
    /// Samples per pixel along each axis.
    #[schemars(range(min = 1, max = 16))]
    pub supersample: u32,
    /// Exposure time, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10.0), extend("unit" = "s"))]
    pub exposure: Option<f64>,
    /// Time from the exposure of the first row to that of the last row, s. 0 means a global
    /// shutter.
    #[schemars(range(min = 0.0, max = 10.0), extend("unit" = "s"))]
    pub rolling: f64,
    /// Gain of the brightness. At 1, snow in the sun nearly saturates.
    #[schemars(range(max = 1e6), extend("exclusiveMinimum" = 0.0))]
    pub gain: f64,
    /// Share of light lost towards the corners, from 0 (none) to 1 (the fourth power of the
    /// cosine).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub vignetting: f64,
    /// Whether the image has the noise of the image sensor.
    pub noise: bool,
    /// Distance to a second camera of the same kind on the right, `NAME_right`, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub stereo: Option<f64>,
    /// Channels that the camera delivers, each at most once.
    #[schemars(length(min = 1, max = 16))]
    pub channels: Vec<CameraChannel>,
}

impl Default for CameraConfig {
    fn default() -> CameraConfig {
        CameraConfig {
            preset: CameraPreset::default(),
            width: None,
            height: None,
            fov_deg: None,
            lens: LensConfig::default(),
            supersample: 1,
            exposure: None,
            rolling: 0.0,
            gain: 1.0,
            vignetting: 0.0,
            noise: true,
            stereo: None,
            channels: vec![CameraChannel::Color],
        }
    }
}

/// Camera known by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CameraPreset {
    /// 640 x 360 pixels, 80 degrees.
    #[default]
    Small,
    /// Machine-vision camera of 3 megapixels (2048 x 1536), 60 degrees.
    #[serde(rename = "machine_vision_3mp")]
    #[schemars(rename = "machine_vision_3mp")]
    MachineVision3mp,
}

/// Projection of a lens, from directions to pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum LensConfig {
    /// Pinhole.
    Pinhole {},
    /// Fisheye after Kannala and Brandt, as in OpenCV.
    KannalaBrandt {
        /// Coefficients k₁ to k₄. All zero means an equidistant fisheye.
        #[serde(default)]
        #[schemars(inner(range(min = -1000.0, max = 1000.0)))]
        k: [f64; 4],
    },
    /// Fisheye with one distortion parameter (Devernay and Faugeras).
    FieldOfView {
        /// Distortion parameter w, degrees.
        #[schemars(range(max = 180.0), extend("exclusiveMinimum" = 0.0, "unit" = "deg"))]
        distortion_deg: f64,
    },
    /// Pinhole with radial and tangential distortion.
    BrownConrady {
        /// Coefficients k₁, k₂, p₁, p₂, k₃, in the order of OpenCV.
        #[schemars(inner(range(min = -1000.0, max = 1000.0)))]
        k: [f64; 5],
    },
}

impl Default for LensConfig {
    fn default() -> LensConfig {
        LensConfig::Pinhole {}
    }
}

/// Channel of a camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CameraChannel {
    /// Color.
    #[serde(alias = "colour")]
    Color,
    /// Distance along the optical axis, m.
    Depth,
    /// Surface normals in the world frame.
    Normal,
    /// Class of the object.
    Class,
    /// Instance of the object.
    Instance,
    /// State of the ground: soil, sinkage, slip, passes and agent. The agent is 0 for none,
    /// otherwise 1 + index of the vehicle.
    Ground,
}

/// A lidar that turns about its z axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Lidar {
    /// Lidar whose beams, range and noise apply where the other keys are absent.
    pub preset: LidarPreset,
    /// Elevation of each beam, degrees, lowest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024), inner(range(min = -90.0, max = 90.0)))]
    pub elevations_deg: Option<Vec<f64>>,
    /// Number of columns (firings) in a scan.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65_535))]
    pub columns: Option<u32>,
    /// First and last azimuth of the scan, degrees from x towards y. Each column is the middle of
    /// its share of this interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -360.0, max = 360.0)))]
    pub azimuths_deg: Option<[f64; 2]>,
    /// Minimum range, m. Nearer surfaces give no return. The ground blocks the beam there. Objects
    /// and vehicles let it pass, as the sensor's own vehicle must.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100_000.0), extend("unit" = "m"))]
    pub min_range: Option<f64>,
    /// Maximum range, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub max_range: Option<f64>,
    /// Full angle of beam divergence, degrees. Not allowed with `rays = "one"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10.0), extend("unit" = "deg"))]
    pub divergence_deg: Option<f64>,
    /// Model of a beam. `one` is several times as fast.
    #[serde(skip_serializing_if = "LidarRays::is_footprint")]
    pub rays: LidarRays,
    /// Samples of a beam's footprint along each axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 15))]
    pub samples: Option<u32>,
    /// Returns of a beam that are delivered. Not allowed with `rays = "one"`, where each beam has
    /// one return.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returns: Option<LidarReturns>,
    /// Standard deviation of ranges, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1000.0), extend("unit" = "m"))]
    pub range_noise: Option<f64>,
    /// Standard deviation of both angles of a beam, degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10.0), extend("unit" = "deg"))]
    pub angle_noise_deg: Option<f64>,
    /// Standard deviation of the reflectance from which intensities are computed. Divided by the
    /// squared range, it adds to the intensities.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub intensity_noise: Option<f64>,
    /// Probability that a return is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub dropout: Option<f64>,
}

/// Lidar known by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LidarPreset {
    /// Velodyne VLP-16: 16 beams.
    #[default]
    Vlp16,
    /// Velodyne HDL-32E: 32 beams.
    Hdl32e,
    /// Ouster OS1-64: 64 beams over 45 degrees.
    Os1_64,
    /// Ouster OS2-64: 64 beams over 22.5 degrees, long range.
    Os2_64,
}

/// Model of a lidar beam.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LidarRays {
    /// Several rays over the footprint, echoes from particles in the air, and the noise of the
    /// preset.
    #[default]
    Footprint,
    /// One ray along the middle of the beam through clear air. The only noise is what these keys
    /// set.
    One,
}

impl LidarRays {
    fn is_footprint(&self) -> bool {
        *self == LidarRays::Footprint
    }
}

/// Returns of a beam that are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LidarReturns {
    /// Strongest return.
    Strongest,
    /// Nearest return.
    First,
    /// Farthest return.
    Last,
    /// One return at the mean range of all.
    Mean,
    /// Strongest and farthest return.
    Dual,
}

/// Filter that is applied to a reading before delivery.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Filter")]
pub enum FilterConfig {
    /// Loses whole frames at random.
    Lose {
        /// Probability that a frame is lost.
        #[schemars(range(min = 0.0, max = 1.0))]
        probability: f64,
    },
    /// Delivers only every N-th frame.
    Every {
        /// The number N.
        #[schemars(range(min = 1, max = 1_000_000_000))]
        frames: u64,
    },
    /// Adds normally distributed noise to each measured number: specific force and angular rate of
    /// an IMU, position and velocity of a GPS, or the field of a magnetometer. For an odometry
    /// sensor the numbers are pose and both velocities, for a lidar the ranges, and for a camera
    /// the colors.
    Noise {
        /// Standard deviation of each number, in its SI unit: m/s² and rad/s, m and m/s, T, or rad
        /// about each axis of an odometry sensor. It is also in m for latitude and longitude of a
        /// GPS, and in m along the beam of a lidar. For a camera, 1 is the brightest color.
        #[schemars(range(min = 0.0, max = 1e6))]
        sigma: f64,
    },
    /// Loses single returns of a lidar, or blackens single pixels of a camera.
    Dropout {
        /// Probability that a return or pixel is lost.
        #[schemars(range(min = 0.0, max = 1.0))]
        probability: f64,
    },
    /// Keeps only the returns of a lidar within an interval of ranges.
    Range {
        /// Minimum range, m.
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 1e6), extend("unit" = "m"))]
        min: f64,
        /// Maximum range, m.
        #[schemars(range(max = 1e6), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        max: f64,
    },
    /// Keeps one return of a lidar in each cube.
    Voxels {
        /// Side of the cubes, m.
        #[schemars(range(min = 0.001, max = 1000.0), extend("unit" = "m"))]
        side: f64,
    },
    /// Converts the colors of a camera to gray.
    #[serde(alias = "grey")]
    Gray {},
}

/// Position of the scenario on the earth, for GPS and magnetometers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Site")]
pub struct SiteConfig {
    /// Latitude of the local origin on WGS 84, degrees, north positive.
    #[schemars(range(min = -90.0, max = 90.0), extend("unit" = "deg"))]
    pub latitude_deg: f64,
    /// Longitude of the local origin on WGS 84, degrees, east positive.
    #[schemars(range(min = -180.0, max = 180.0), extend("unit" = "deg"))]
    pub longitude_deg: f64,
    /// Height of z = 0 above the ellipsoid, m.
    #[serde(default)]
    #[schemars(range(min = -12_000.0, max = 100_000.0), extend("unit" = "m"))]
    pub altitude: f64,
    /// Magnetic field of the earth at the site.
    #[serde(default)]
    pub magnetic_field: MagneticFieldConfig,
}

/// Magnetic field of the earth, as in the World Magnetic Model of the year.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "MagneticField")]
pub struct MagneticFieldConfig {
    /// Strength of the field, T.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0, "unit" = "T"))]
    pub strength: f64,
    /// Angle of the horizontal component from north, degrees, east positive.
    #[schemars(range(min = -180.0, max = 180.0), extend("unit" = "deg"))]
    pub declination_deg: f64,
    /// Angle of the field below the horizontal, degrees.
    #[schemars(range(min = -90.0, max = 90.0), extend("unit" = "deg"))]
    pub inclination_deg: f64,
}

impl Default for MagneticFieldConfig {
    fn default() -> MagneticFieldConfig {
        MagneticFieldConfig { strength: 50e-6, declination_deg: 0.0, inclination_deg: 60.0 }
    }
}

fn magnetic_noise() -> f64 {
    5e-8
}

fn magnetic_resolution() -> f64 {
    1e-8
}

fn ticks_per_turn() -> u32 {
    1024
}

impl SensorModel {
    /// Returns the name of the kind in the file format.
    pub fn kind(&self) -> &'static str {
        match self {
            SensorModel::Imu { .. } => "imu",
            SensorModel::Gps { .. } => "gps",
            SensorModel::Magnetometer { .. } => "magnetometer",
            SensorModel::Encoder { .. } => "encoder",
            SensorModel::Odometry {} => "odometry",
            SensorModel::Terramechanics {} => "terramechanics",
            SensorModel::Camera(_) => "camera",
            SensorModel::Lidar(_) => "lidar",
        }
    }

    /// Returns the usual rate of the kind, Hz.
    pub fn default_rate(&self) -> f64 {
        match self {
            SensorModel::Imu { .. } => 100.0,
            SensorModel::Gps { .. } | SensorModel::Camera(_) | SensorModel::Lidar(_) => 10.0,
            _ => 50.0,
        }
    }
}

impl SensorConfig {
    /// Returns the frames per second of simulated time, Hz.
    pub fn rate(&self) -> f64 {
        self.rate.unwrap_or_else(|| self.model.default_rate())
    }
}
