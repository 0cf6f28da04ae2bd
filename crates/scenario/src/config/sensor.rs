//! `[[vehicle.sensor]]`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A sensor on its vehicle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sensor {
    /// Its name, unique on the vehicle, without a slash: topics are called `/VEHICLE/NAME`. Not `pose`,
    /// `ground`, `ruts`, `goal`, `route`, `path`, `believed`, `map` or `hit`, which the vehicle tells
    /// itself, nor `NAME_right` of a stereo camera.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// What it is.
    pub model: SensorModel,
    /// Where it is mounted: x forward, y left, z up from the chassis reference point, m.
    #[serde(default)]
    #[schemars(inner(range(min = -100.0, max = 100.0)))]
    pub position: [f64; 3],
    /// How it is turned about x (right side down positive), degrees; after yaw and pitch.
    #[serde(default)]
    #[schemars(range(min = -180.0, max = 180.0), extend("unit" = "deg"))]
    pub roll_deg: f64,
    /// How it is turned about y (nose down positive), degrees; after yaw.
    #[serde(default)]
    #[schemars(range(min = -180.0, max = 180.0), extend("unit" = "deg"))]
    pub pitch_deg: f64,
    /// How it is turned about z (left positive), degrees.
    #[serde(default)]
    #[schemars(range(min = -360.0, max = 360.0), extend("unit" = "deg"))]
    pub yaw_deg: f64,
    /// Frames a second of simulated time, Hz; each kind has its usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 100_000.0), extend("unit" = "Hz"))]
    pub rate: Option<f64>,
    /// Time from the end of a measurement to its delivery, s.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0), extend("unit" = "s"))]
    pub lag: f64,
    /// Time over which an IMU, GPS or magnetometer takes the mean (an instant if not
    /// given), or in which a lidar turns from its first column to its last (the time
    /// between scans if not given), s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1000.0), extend("unit" = "s"))]
    pub window: Option<f64>,
    /// What happens to a reading before it is delivered, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub filters: Vec<Filter>,
    /// Whether its readings are recorded; what drives the vehicle has them all the same.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub record: bool,
    /// Files of its own beside the run's MCAP: png and png16 of a camera's colours, exr of all its
    /// channels, pcd and las of a lidar.
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

/// A format that single frames are written in.
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

/// What kind of sensor, with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum SensorModel {
    /// Specific force and angular rate.
    Imu {
        /// Whose errors it has.
        #[serde(default)]
        preset: ImuGrade,
        /// Changes to its accelerometers, m/s².
        #[serde(default)]
        accelerometer: InertialErrors,
        /// Changes to its gyroscopes, rad/s.
        #[serde(default)]
        gyroscope: InertialErrors,
    },
    /// Latitude, longitude and altitude on WGS 84; needs `[site]`.
    Gps {
        /// Whose errors it has.
        #[serde(default)]
        preset: GpsService,
        /// Times without a fix; none if not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outages: Option<Outages>,
    },
    /// The field of `[site.magnetic_field]` along its axes.
    Magnetometer {
        /// Bias by the vehicle's iron, T.
        #[serde(default)]
        #[schemars(inner(range(min = -1.0, max = 1.0)))]
        bias: [f64; 3],
        /// Scale error of each axis by it.
        #[serde(default)]
        #[schemars(inner(range(min = -1.0, max = 1.0)))]
        scale: [f64; 3],
        /// Standard deviation of its noise, T.
        #[serde(default = "magnetic_noise")]
        #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "T"))]
        noise: f64,
        /// What it rounds to, T.
        #[serde(default = "magnetic_resolution")]
        #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "T"))]
        resolution: f64,
    },
    /// Ticks of every wheel since the start.
    Encoder {
        /// Marks in a turn.
        #[serde(default = "ticks_per_turn")]
        #[schemars(range(min = 1, max = 10_000_000))]
        ticks_per_turn: u32,
    },
    /// The true pose and velocity of its own frame.
    Odometry {},
    /// Sinkage, slip, force and pressure under every wheel.
    Terramechanics {},
    /// Pictures, with depth and labels.
    Camera(Camera),
    /// Point clouds.
    Lidar(Lidar),
}

/// Grades of IMUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImuGrade {
    /// No errors at all.
    Ideal,
    /// A part of a telephone.
    Consumer,
    /// Calibrated MEMS.
    #[default]
    Industrial,
    /// Better than that.
    Tactical,
}

/// Changes to the errors of three axes; each overrides the preset's. The unit u is
/// m/s² or rad/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InertialErrors {
    /// White noise, u/√Hz.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub noise_density: Option<f64>,
    /// Standard deviation of the drift, u; needs a `drift_time`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub drift: Option<f64>,
    /// Its correlation time, s; 0 for no drift.
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
    /// Standard deviation of the scale error of each axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub scale: Option<f64>,
    /// Standard deviation of the angles between the axes and the case, degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 45.0), extend("unit" = "deg"))]
    pub misalignment_deg: Option<f64>,
    /// Largest size it gives, u; 0 for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub range: Option<f64>,
    /// What it rounds to, u; 0 for nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub resolution: Option<f64>,
}

/// Services of satellite navigation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GpsService {
    /// No errors at all.
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

/// Times without a fix: exponentially long, exponentially far apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outages {
    /// Mean time between them, s.
    #[schemars(range(min = 0.001, max = 1e6), extend("unit" = "s"))]
    pub interval: f64,
    /// Mean duration, s.
    #[schemars(range(min = 0.001, max = 1e6), extend("unit" = "s"))]
    pub duration: f64,
}

/// A camera: x forward along the optical axis, y left, z up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Camera {
    /// Whose size, lens, shutter and noise it has where they are not given.
    pub preset: CameraPreset,
    /// Pixels a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 16_384))]
    pub width: Option<u32>,
    /// Rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 16_384))]
    pub height: Option<u32>,
    /// Angle seen from the left edge to the right, degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 360.0), extend("exclusiveMinimum" = 0.0, "unit" = "deg"))]
    pub fov_deg: Option<f64>,
    /// How directions become pixels.
    pub lens: LensConfig,
    /// Samples a pixel, along each axis.
    #[schemars(range(min = 1, max = 16))]
    pub supersample: u32,
    /// Time that the shutter is open, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10.0), extend("unit" = "s"))]
    pub exposure: Option<f64>,
    /// Time from the first row's shutter to the last's, s; 0 for a global shutter.
    #[schemars(range(min = 0.0, max = 10.0), extend("unit" = "s"))]
    pub rolling: f64,
    /// Brightness: snow in the sun nearly saturates at 1.
    #[schemars(range(max = 1e6), extend("exclusiveMinimum" = 0.0))]
    pub gain: f64,
    /// Share of light lost towards the corners: 0 none, 1 by the cosine's fourth power.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub vignetting: f64,
    /// Whether it has the noise of its chip.
    pub noise: bool,
    /// Distance to a second camera of the same kind on the right, `NAME_right`, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub stereo: Option<f64>,
    /// What it delivers, each once.
    #[schemars(length(min = 1, max = 16))]
    pub channels: Vec<CameraChannel>,
}

impl Default for Camera {
    fn default() -> Camera {
        Camera {
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
            channels: vec![CameraChannel::Colour],
        }
    }
}

/// Cameras known by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CameraPreset {
    /// 640 x 360 pixels, 80 degrees.
    #[default]
    Small,
    /// A machine-vision camera of 3 megapixels (2048 x 1536), 60 degrees.
    #[serde(rename = "machine_vision_3mp")]
    #[schemars(rename = "machine_vision_3mp")]
    MachineVision3mp,
}

/// How directions become pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum LensConfig {
    /// A pinhole.
    Pinhole {},
    /// A fisheye after Kannala and Brandt, as OpenCV's.
    KannalaBrandt {
        /// k₁ to k₄; all zero for an equidistant one.
        #[serde(default)]
        #[schemars(inner(range(min = -1000.0, max = 1000.0)))]
        k: [f64; 4],
    },
    /// A fisheye by one distortion (Devernay and Faugeras).
    FieldOfView {
        /// The distortion w, degrees.
        #[schemars(range(max = 180.0), extend("exclusiveMinimum" = 0.0, "unit" = "deg"))]
        distortion_deg: f64,
    },
    /// A pinhole with radial and tangential distortion.
    BrownConrady {
        /// k₁, k₂, p₁, p₂, k₃ in OpenCV's order.
        #[schemars(inner(range(min = -1000.0, max = 1000.0)))]
        k: [f64; 5],
    },
}

impl Default for LensConfig {
    fn default() -> LensConfig {
        LensConfig::Pinhole {}
    }
}

/// What a camera delivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CameraChannel {
    /// Colour.
    Colour,
    /// Distance along the optical axis, m.
    Depth,
    /// Normals in the world.
    Normal,
    /// What kind of thing.
    Class,
    /// Which thing.
    Instance,
    /// Soil, sinkage, slip, passes and agent (0 nobody, else 1 + index of the vehicle)
    /// of the ground.
    Ground,
}

/// A lidar that turns about its z axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Lidar {
    /// Whose beams, range and noise it has where they are not given.
    pub preset: LidarPreset,
    /// Elevation of each beam, lowest first, degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024), inner(range(min = -90.0, max = 90.0)))]
    pub elevations_deg: Option<Vec<f64>>,
    /// Firings in a scan.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65_535))]
    pub columns: Option<u32>,
    /// From where to where it looks, degrees from x towards y: each column is the middle of its
    /// share of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -360.0, max = 360.0)))]
    pub azimuths_deg: Option<[f64; 2]>,
    /// Nearest range, m: what is nearer does not return. The ground blocks the beam there, what stands or
    /// moves lets it through, as the own vehicle is to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100_000.0), extend("unit" = "m"))]
    pub min_range: Option<f64>,
    /// Farthest range, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100_000.0), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
    pub max_range: Option<f64>,
    /// Full angle of a beam, degrees; not with rays = "one".
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10.0), extend("unit" = "deg"))]
    pub divergence_deg: Option<f64>,
    /// What of a beam is followed: `one` is several times as fast.
    #[serde(skip_serializing_if = "LidarRays::is_footprint")]
    pub rays: LidarRays,
    /// Samples of a beam's footprint, along each axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 15))]
    pub samples: Option<u32>,
    /// Which returns of a beam are delivered; not with rays = "one", which have one.
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
    /// Standard deviation of the reflectance that intensities tell: over the range squared it adds to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub intensity_noise: Option<f64>,
    /// Probability that a return is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub dropout: Option<f64>,
}

/// Lidars known by name.
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
    /// Ouster OS2-64: 64 beams over 22.5 degrees, far.
    Os2_64,
}

/// What of a beam is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LidarRays {
    /// Rays over its footprint, echoes of what is in the air, and the preset's noise.
    #[default]
    Footprint,
    /// One ray along its middle through clear air, and no noise but what is given here.
    One,
}

impl LidarRays {
    fn is_footprint(&self) -> bool {
        *self == LidarRays::Footprint
    }
}

/// Which returns of a beam are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LidarReturns {
    /// The brightest.
    Strongest,
    /// The nearest.
    First,
    /// The farthest.
    Last,
    /// All as one, at their mean range.
    Mean,
    /// The brightest and the farthest.
    Dual,
}

/// What happens to a reading before it is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Filter {
    /// Loses whole frames.
    Lose {
        /// With this probability.
        #[schemars(range(min = 0.0, max = 1.0))]
        probability: f64,
    },
    /// Delivers only some frames.
    Every {
        /// One in so many.
        #[schemars(range(min = 1, max = 1_000_000_000))]
        frames: u64,
    },
    /// Adds normal noise to every number measured: specific force and angular rate of an imu; place
    /// and velocity of a gps; the field of a magnetometer; pose and both velocities of an odometry;
    /// ranges of a lidar; colours of a camera.
    Noise {
        /// Standard deviation of each number in its own SI unit: m/s² and rad/s, m and m/s, T, rad
        /// about each axis of an odometry. A gps' latitude and longitude have it in m, too. m along
        /// the beam of a lidar; 1 for the brightest colour.
        #[schemars(range(min = 0.0, max = 1e6))]
        sigma: f64,
    },
    /// Loses single returns, or blackens single pixels.
    Dropout {
        /// With this probability.
        #[schemars(range(min = 0.0, max = 1.0))]
        probability: f64,
    },
    /// Keeps the returns of a lidar within a range.
    Range {
        /// From, m.
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 1e6), extend("unit" = "m"))]
        min: f64,
        /// To, m.
        #[schemars(range(max = 1e6), extend("exclusiveMinimum" = 0.0, "unit" = "m"))]
        max: f64,
    },
    /// Keeps one return of a lidar in each cube.
    Voxels {
        /// Side of the cubes, m.
        #[schemars(range(min = 0.001, max = 1000.0), extend("unit" = "m"))]
        side: f64,
    },
    /// Makes a camera's colours grey.
    Grey {},
}

/// Where the scenario lies on the earth: for GPS and magnetometers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Site {
    /// Latitude of the local origin on WGS 84, degrees, north positive.
    #[schemars(range(min = -90.0, max = 90.0), extend("unit" = "deg"))]
    pub latitude_deg: f64,
    /// Longitude of the local origin, degrees, east positive.
    #[schemars(range(min = -180.0, max = 180.0), extend("unit" = "deg"))]
    pub longitude_deg: f64,
    /// Height of z = 0 above the ellipsoid, m.
    #[serde(default)]
    #[schemars(range(min = -12_000.0, max = 100_000.0), extend("unit" = "m"))]
    pub altitude: f64,
    /// The earth's field there.
    #[serde(default)]
    pub magnetic_field: MagneticField,
}

/// The earth's magnetic field, as the World Magnetic Model of the year has it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MagneticField {
    /// Strength, T.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0, "unit" = "T"))]
    pub strength: f64,
    /// Angle of its horizontal part from north, degrees, east positive.
    #[schemars(range(min = -180.0, max = 180.0), extend("unit" = "deg"))]
    pub declination_deg: f64,
    /// Angle below the horizontal, degrees.
    #[schemars(range(min = -90.0, max = 90.0), extend("unit" = "deg"))]
    pub inclination_deg: f64,
}

impl Default for MagneticField {
    fn default() -> MagneticField {
        MagneticField { strength: 50e-6, declination_deg: 0.0, inclination_deg: 60.0 }
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
    /// The word of the format for it.
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

    /// Its usual rate, Hz.
    pub fn usual_rate(&self) -> f64 {
        match self {
            SensorModel::Imu { .. } => 100.0,
            SensorModel::Gps { .. } | SensorModel::Camera(_) | SensorModel::Lidar(_) => 10.0,
            _ => 50.0,
        }
    }
}

impl Sensor {
    /// Frames a second, Hz.
    pub fn rate(&self) -> f64 {
        self.rate.unwrap_or_else(|| self.model.usual_rate())
    }
}
