//! Sensor readings as JSON. Images and scans are base64 of raw numbers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bekker_math::spatial::{Pose, Vec3};
use bekker_sensor::camera::Image;
use bekker_sensor::lidar::{Cloud, Return};
use bekker_sensor::{Delivery, Model, Reading};
use serde_json::{Map, Value, json};

/// Returns the JSON of a reading of the sensor `name` (`vehicle/sensor`).
pub(super) fn reading(name: &str, delivery: &Delivery) -> Value {
    let mut told = Map::new();
    let mut put = |key: &str, value: Value| {
        told.insert(key.into(), value);
    };
    put("sensor", name.into());
    put("frame", delivery.frame.into());
    put("taken_us", delivery.taken_us.into());
    put("delivered_us", delivery.due_us.into());
    match &delivery.reading {
        Reading::Imu { specific_force, angular_rate } => {
            put("specific_force", vector(specific_force));
            put("angular_rate", vector(angular_rate));
        }
        Reading::Fix(fix) => {
            put("valid", fix.valid.into());
            put("latitude_deg", fix.place.latitude.to_degrees().into());
            put("longitude_deg", fix.place.longitude.to_degrees().into());
            put("altitude", fix.place.altitude.into());
            put("velocity", vector(&fix.velocity));
            put("variance", vector(&fix.variance));
        }
        Reading::Field(field) => put("field", vector(field)),
        Reading::Ticks(ticks) => put("ticks", ticks.clone().into()),
        Reading::Odometry(own) => {
            put("pose", pose(&own.pose));
            put("velocity", vector(&own.velocity));
            put("angular_velocity", vector(&own.angular_velocity));
        }
        Reading::Ground(wheels) => {
            let wheels = wheels.iter().map(|wheel| {
                json!({ "sinkage": wheel.sinkage, "slip": wheel.slip,
                        "force": vector(&wheel.force), "pressure": wheel.pressure })
            });
            put("wheels", wheels.collect());
        }
        Reading::Image(image) => picture(image, &mut put),
        Reading::Cloud(cloud) => scan(cloud, &mut put),
    }
    Value::Object(told)
}

/// Returns the kind of a sensor, as in scenario files.
pub(super) fn kind(model: &Model) -> &'static str {
    match model {
        Model::Imu(_) => "imu",
        Model::Gps(_) => "gps",
        Model::Magnetometer(_) => "magnetometer",
        Model::Encoder(_) => "encoder",
        Model::Odometry => "odometry",
        Model::Terramechanics => "terramechanics",
        Model::Camera(_) => "camera",
        Model::Lidar(_) => "lidar",
    }
}

fn vector(vector: &Vec3) -> Value {
    json!([vector.x, vector.y, vector.z])
}

fn pose(pose: &Pose) -> Value {
    let turn = pose.orientation.quaternion();
    json!({ "position": vector(&pose.position), "orientation": [turn.w, turn.i, turn.j, turn.k] })
}

/// Numbers that are sent as little-endian bytes.
trait WireNumber {
    /// Type name in NumPy.
    const TYPE: &'static str;
    fn put(self, bytes: &mut Vec<u8>);
}

macro_rules! plain {
    ($($number:ty => $name:literal),*) => {
        $(impl WireNumber for $number {
            const TYPE: &'static str = $name;
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        })*
    };
}

plain!(f32 => "<f4", u8 => "u1", u16 => "<u2");

fn array<T: WireNumber>(numbers: impl IntoIterator<Item = T>, shape: &[usize]) -> Value {
    let mut bytes = Vec::with_capacity(shape.iter().product::<usize>() * size_of::<T>());
    numbers.into_iter().for_each(|number| number.put(&mut bytes));
    json!({ "type": T::TYPE, "shape": shape, "base64": STANDARD.encode(bytes) })
}

fn picture(image: &Image, put: &mut impl FnMut(&str, Value)) {
    let [rows, columns] = [image.height, image.width].map(|side| side as usize);
    let (plane, vectors) = ([rows, columns], [rows, columns, 3]);
    // channels that were not requested are empty
    if !image.color.is_empty() {
        put("color", array(image.color.iter().flatten().copied(), &vectors));
    }
    if !image.normal.is_empty() {
        put("normal", array(image.normal.iter().flatten().copied(), &vectors));
    }
    for (name, own) in [("depth", &image.depth), ("sinkage", &image.sinkage), ("slip", &image.slip)]
    {
        if !own.is_empty() {
            put(name, array(own.iter().copied(), &plane));
        }
    }
    for (name, own) in [("class", &image.class), ("soil", &image.soil)] {
        if !own.is_empty() {
            put(name, array(own.iter().copied(), &plane));
        }
    }
    if !image.instance.is_empty() {
        put("instance", array(image.instance.iter().copied(), &plane));
    }
}

fn scan(cloud: &Cloud, put: &mut impl FnMut(&str, Value)) {
    let count = cloud.returns.len();
    let own = || cloud.returns.iter();
    put("points", array(own().flat_map(|Return { point, .. }| *point), &[count, 3]));
    put("intensity", array(own().map(|own| own.intensity), &[count]));
    put("time", array(own().map(|own| own.time), &[count]));
    put("ring", array(own().map(|own| own.ring), &[count]));
    put("column", array(own().map(|own| own.column), &[count]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_those_that_numpy_reads() {
        // numpy.array([[1.5, -2.0]], "<f4").tobytes() is 0000c03f000000c0
        let told = array([1.5_f32, -2.0], &[1, 2]);
        let expected = json!({ "type": "<f4", "shape": [1, 2], "base64": "AADAPwAAAMA=" });
        assert_eq!(told, expected);
        assert_eq!(array([258_u16], &[1])["base64"], "AgE=");
    }
}
