//! Cameras whose images are part of the observation.

use super::LearningError;
use super::observation_field::ObservationField;
use bekker_math::spatial::{Pose, Quat, Vec3};
use bekker_scenario::build::camera;
use bekker_scenario::config::{CameraChannel, SensorConfig, SensorModel};
use bekker_sensor::camera::{Camera, Image, Lens};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// Option for a camera: the name of a camera of the scenario's vehicle, or a camera with its mount.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CameraOption {
    /// Name of a camera among the sensors of the vehicle.
    Sensor(String),
    /// Camera that the option describes.
    Mounted(CameraMount),
}

/// Camera on the chassis. Its x axis points forward along the optical axis, y left, z up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CameraMount {
    /// Name: the first part of the names of its fields in the observation.
    pub name: String,
    /// Position in the chassis frame, m (default: the driver's eyes).
    pub position: Option<[f64; 3]>,
    /// Rotation about x, degrees, positive with the right side down. Applied after yaw and pitch.
    pub roll_deg: f64,
    /// Rotation about y, degrees, positive with the nose down. Applied after yaw.
    pub pitch_deg: f64,
    /// Rotation about z, degrees, positive to the left.
    pub yaw_deg: f64,
    /// Width of the image, pixels.
    pub width: u32,
    /// Height of the image, pixels.
    pub height: u32,
    /// Horizontal field of view, degrees.
    pub fov_deg: f64,
    /// Channels; each is one image.
    pub channels: Vec<ObservedChannel>,
}

impl Default for CameraMount {
    fn default() -> CameraMount {
        CameraMount {
            name: String::new(),
            position: None,
            roll_deg: 0.0,
            pitch_deg: 0.0,
            yaw_deg: 0.0,
            width: 64,
            height: 64,
            fov_deg: 80.0,
            channels: vec![ObservedChannel::Color],
        }
    }
}

/// Channel of a camera in an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObservedChannel {
    /// Linear red, green and blue.
    Color,
    /// Distance along the optical axis.
    Depth,
    /// Normals of surfaces in the world frame.
    Normal,
    /// Semantic class.
    Class,
    /// Instance label: 0, or 1 + index of the vehicle.
    Instance,
}

impl<'de> Deserialize<'de> for CameraOption {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CameraOption, D::Error> {
        deserializer.deserialize_any(CameraVisitor)
    }
}

struct CameraVisitor;

impl<'de> Visitor<'de> for CameraVisitor {
    type Value = CameraOption;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a camera, or a table that describes one")
    }

    fn visit_str<E>(self, name: &str) -> Result<CameraOption, E> {
        Ok(CameraOption::Sensor(name.into()))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<CameraOption, M::Error> {
        CameraMount::deserialize(MapAccessDeserializer::new(map)).map(CameraOption::Mounted)
    }
}

/// Lowest and highest width and height of an image, pixels.
const SIDES: [u32; 2] = [8, 512];
/// Depth that 1 represents, m.
pub(super) const MAX_RANGE: f64 = 50.0;
/// Label that 1 represents.
const MAX_LABEL: f32 = 255.0;

/// A camera of the observation; immutable.
#[derive(Clone, Debug)]
pub(super) struct ObservedCamera {
    name: String,
    /// Position in the chassis frame, m; `None` for the driver's eyes.
    position: Option<Vec3>,
    /// Rotation from the camera's frame to the chassis frame.
    orientation: Quat,
    camera: Camera,
    channels: Vec<ObservedChannel>,
}

fn refused(option: &'static str, value: impl ToString, allowed: String) -> LearningError {
    LearningError::Option { option, value: value.to_string(), allowed }
}

/// Returns the cameras of an option. `sensors` are those of the scenario's vehicle.
///
/// # Errors
/// [`LearningError::Option`] when a value is not allowed, or a name is unknown or not unique.
pub(super) fn observed_cameras(
    options: &[CameraOption],
    sensors: &[SensorConfig],
) -> Result<Vec<ObservedCamera>, LearningError> {
    let cameras: Vec<ObservedCamera> =
        options.iter().map(|option| observed_camera(option, sensors)).collect::<Result<_, _>>()?;
    for (index, camera) in cameras.iter().enumerate() {
        if cameras[..index].iter().any(|other| other.name == camera.name) {
            let allowed = "unique among the cameras".into();
            return Err(refused("cameras.name", &camera.name, allowed));
        }
    }
    Ok(cameras)
}

fn observed_camera(
    option: &CameraOption,
    sensors: &[SensorConfig],
) -> Result<ObservedCamera, LearningError> {
    let observed = match option {
        CameraOption::Sensor(name) => of_sensor(name, sensors)?,
        CameraOption::Mounted(mounted) => mounted_camera(mounted)?,
    };
    let ObservedCamera { name, camera, channels, .. } = &observed;
    let mut letters = name.chars();
    if !letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        || !letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    {
        let allowed = "letters, digits and _, beginning with a letter".into();
        return Err(refused("cameras.name", format!("{name:?}"), allowed));
    }
    let [least, most] = SIDES;
    for (option, side) in [("cameras.width", camera.width), ("cameras.height", camera.height)] {
        if !(least..=most).contains(&side) {
            let allowed = format!("from {least} to {most} (camera {name:?})");
            return Err(refused(option, side, allowed));
        }
    }
    let is_repeated = |(index, own): (usize, &ObservedChannel)| channels[..index].contains(own);
    if channels.is_empty() || channels.iter().enumerate().any(is_repeated) {
        let allowed = format!("at least one, each at most once (camera {name:?})");
        return Err(refused("cameras.channels", format!("{channels:?}"), allowed));
    }
    Ok(observed)
}

/// Returns the rotation by yaw, then pitch, then roll. The angles are roll, pitch and yaw, degrees.
fn orientation(angles_deg: [f64; 3]) -> Quat {
    let [roll, pitch, yaw] = angles_deg.map(f64::to_radians);
    Quat::from_euler_angles(roll, pitch, yaw)
}

/// Returns the camera of a mount.
fn mounted_camera(mounted: &CameraMount) -> Result<ObservedCamera, LearningError> {
    let CameraMount { name, position, width, height, fov_deg, channels, .. } = mounted;
    let angles_deg = [mounted.roll_deg, mounted.pitch_deg, mounted.yaw_deg];
    let numbers = angles_deg.into_iter().chain(position.iter().flatten().copied());
    if let Some(number) = numbers.into_iter().find(|number| number.abs() > 360.0) {
        let allowed = format!("within 360 degrees and 360 m (camera {name:?})");
        return Err(refused("cameras.position and angles", number, allowed));
    }
    // a pinhole has less than half a turn
    if !(1.0..=170.0).contains(fov_deg) {
        let allowed = format!("from 1 to 170 (camera {name:?})");
        return Err(refused("cameras.fov_deg", fov_deg, allowed));
    }
    let camera = Camera::with_field(*width, *height, Lens::Pinhole, fov_deg.to_radians());
    let allowed = || format!("1 or more (camera {name:?})");
    Ok(ObservedCamera {
        name: name.clone(),
        position: position.map(Vec3::from),
        orientation: orientation(angles_deg),
        camera: camera.ok_or_else(|| refused("cameras.width", width, allowed()))?,
        channels: channels.clone(),
    })
}

/// Returns the camera with a name among the sensors of a vehicle.
fn of_sensor(name: &str, sensors: &[SensorConfig]) -> Result<ObservedCamera, LearningError> {
    let cameras = sensors.iter().filter_map(|sensor| match &sensor.model {
        SensorModel::Camera(config) => Some((sensor, config)),
        _ => None,
    });
    let Some((sensor, config)) = cameras.clone().find(|(sensor, _)| sensor.name == name) else {
        let known: Vec<&str> = cameras.map(|(sensor, _)| &*sensor.name).collect();
        let allowed = match known.is_empty() {
            true => "a table that describes a camera: the vehicle has no camera".into(),
            false => format!("one of {}, or a table that describes a camera", known.join(", ")),
        };
        return Err(refused("cameras", format!("{name:?}"), allowed));
    };
    // an image of the observation is taken at once, and delivered at once
    let is_delayed = sensor.lag > 0.0 || config.rolling > 0.0;
    if is_delayed || !sensor.filters.is_empty() || config.stereo.is_some() {
        let allowed = "a camera without lag, filters, rolling and stereo".into();
        return Err(refused("cameras", format!("{name:?}"), allowed));
    }
    let channels = config.channels.iter().map(|channel| match channel {
        CameraChannel::Color => Ok(ObservedChannel::Color),
        CameraChannel::Depth => Ok(ObservedChannel::Depth),
        CameraChannel::Normal => Ok(ObservedChannel::Normal),
        CameraChannel::Class => Ok(ObservedChannel::Class),
        CameraChannel::Instance => Ok(ObservedChannel::Instance),
        CameraChannel::Ground => {
            let allowed = "color, depth, normal, class and instance".into();
            Err(refused("cameras.channels", "ground", allowed))
        }
    });
    let spec = camera(config);
    let allowed = || format!("a field of view that its lens covers (camera {name:?})");
    let camera = Camera::from_spec(&spec)
        .ok_or_else(|| refused("cameras.fov_deg", spec.field_of_view.to_degrees(), allowed()))?;
    Ok(ObservedCamera {
        name: name.into(),
        position: Some(Vec3::from(sensor.position)),
        orientation: orientation([sensor.roll_deg, sensor.pitch_deg, sensor.yaw_deg]),
        camera: Camera { exposure: 0.0, ..camera },
        channels: channels.collect::<Result<_, _>>()?,
    })
}

impl ObservedCamera {
    /// Fields of the observation, one for each channel.
    pub(super) fn fields(&self) -> impl Iterator<Item = ObservationField> {
        self.channels.iter().map(|channel| {
            let (suffix, channels, scale, unit) = match channel {
                ObservedChannel::Color => ("color", 3, 1.0, "linear red, green, blue"),
                ObservedChannel::Depth => {
                    ("depth", 1, MAX_RANGE, "m along the optical axis; 1 for the sky")
                }
                ObservedChannel::Normal => ("normal", 3, 1.0, "world axes; 0 for the sky"),
                ObservedChannel::Class => ("class", 1, f64::from(MAX_LABEL), "number of the class"),
                ObservedChannel::Instance => {
                    ("instance", 1, f64::from(MAX_LABEL), "0, or 1 + index of the vehicle")
                }
            };
            let axes = [self.camera.height, self.camera.width, channels].map(|side| side as usize);
            ObservationField::image(format!("{}_{suffix}", self.name), axes, scale, unit)
        })
    }

    /// Camera, and its pose on a chassis whose driver's eyes are at `eye_point`, m.
    pub(super) fn placed(&self, chassis: &Pose, eye_point: Vec3) -> (&Camera, Pose) {
        let position = chassis.point(&self.position.unwrap_or(eye_point));
        (&self.camera, Pose { position, orientation: chassis.orientation * self.orientation })
    }

    /// Writes the channels of an image in the order of the fields.
    pub(super) fn write<'a>(&self, image: &Image, buffer: &mut impl Iterator<Item = &'a mut f32>) {
        let mut put = |value: f32| {
            if let Some(place) = buffer.next() {
                *place = value;
            }
        };
        for channel in &self.channels {
            match channel {
                ObservedChannel::Color => {
                    image.color.iter().flatten().for_each(|level| put(level.clamp(0.0, 1.0)));
                }
                ObservedChannel::Depth => {
                    let far = MAX_RANGE as f32;
                    image.depth.iter().for_each(|depth| put((depth / far).min(1.0)));
                }
                ObservedChannel::Normal => image.normal.iter().flatten().for_each(|own| put(*own)),
                ObservedChannel::Class => {
                    image.class.iter().for_each(|class| put(f32::from(*class) / MAX_LABEL));
                }
                ObservedChannel::Instance => {
                    let label = |own: &u16| (f32::from(*own) / MAX_LABEL).min(1.0);
                    image.instance.iter().for_each(|own| put(label(own)));
                }
            }
        }
    }
}
