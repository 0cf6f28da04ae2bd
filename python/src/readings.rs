//! Conversion of sensor readings to arrays.

use crate::arrays::{Number, array};
use bekker::sensor::camera::Image;
use bekker::sensor::class::SurfaceClass;
use bekker::sensor::lidar::{Cloud, Return};
use bekker::sensor::{Delivery, Reading};
use bekker::simulation::decimal_seconds;
use bekker::spatial::{Pose, Vec3};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Converts one frame of one sensor to a dict.
pub fn reading<'py>(
    py: Python<'py>,
    sensor: &str,
    delivery: &Delivery,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("sensor", sensor)?;
    dict.set_item("frame", delivery.frame)?;
    dict.set_item("taken", decimal_seconds(delivery.taken_us))?;
    dict.set_item("delivered", decimal_seconds(delivery.due_us))?;
    pose(&dict, &delivery.pose)?;
    match &delivery.reading {
        Reading::Imu { specific_force, angular_rate } => {
            dict.set_item("kind", "imu")?;
            vector(&dict, "specific_force", specific_force)?;
            vector(&dict, "angular_rate", angular_rate)?;
        }
        Reading::Fix(fix) => {
            dict.set_item("kind", "gps")?;
            dict.set_item("valid", fix.valid)?;
            dict.set_item("latitude_deg", fix.place.latitude.to_degrees())?;
            dict.set_item("longitude_deg", fix.place.longitude.to_degrees())?;
            dict.set_item("altitude", fix.place.altitude)?;
            vector(&dict, "velocity", &fix.velocity)?;
            vector(&dict, "variance", &fix.variance)?;
        }
        Reading::Field(field) => {
            dict.set_item("kind", "magnetometer")?;
            vector(&dict, "field", field)?;
        }
        Reading::Ticks(ticks) => {
            dict.set_item("kind", "encoder")?;
            dict.set_item("ticks", array(py, ticks.clone(), &[ticks.len()])?)?;
        }
        Reading::Odometry(odometry) => {
            dict.set_item("kind", "odometry")?;
            pose(&dict, &odometry.pose)?;
            vector(&dict, "velocity", &odometry.velocity)?;
            vector(&dict, "angular_velocity", &odometry.angular_velocity)?;
        }
        Reading::Ground(wheels) => {
            dict.set_item("kind", "terramechanics")?;
            let count = wheels.len();
            let of = |numbers: Vec<f64>, shape: &[usize]| array(py, numbers, shape);
            dict.set_item("sinkage", of(wheels.iter().map(|w| w.sinkage).collect(), &[count])?)?;
            dict.set_item("slip", of(wheels.iter().map(|w| w.slip).collect(), &[count])?)?;
            let forces = wheels.iter().flat_map(|w| w.force.data.0[0]).collect();
            dict.set_item("force", of(forces, &[count, 3])?)?;
            dict.set_item("pressure", of(wheels.iter().map(|w| w.pressure).collect(), &[count])?)?;
        }
        Reading::Image(image) => picture(&dict, image)?,
        Reading::Cloud(cloud) => scan(&dict, cloud)?,
    }
    Ok(dict)
}

fn vector(dict: &Bound<'_, PyDict>, name: &str, vector: &Vec3) -> PyResult<()> {
    dict.set_item(name, array(dict.py(), vector.data.0[0], &[3])?)
}

fn pose(dict: &Bound<'_, PyDict>, pose: &Pose) -> PyResult<()> {
    vector(dict, "position", &pose.position)?;
    let q = pose.orientation.quaternion();
    dict.set_item("orientation", array(dict.py(), vec![q.w, q.i, q.j, q.k], &[4])?)
}

fn picture(dict: &Bound<'_, PyDict>, image: &Image) -> PyResult<()> {
    fn channel<T: Number>(
        dict: &Bound<'_, PyDict>,
        name: &str,
        numbers: Vec<T>,
        shape: &[usize],
    ) -> PyResult<()> {
        // a channel that is not enabled is omitted
        if numbers.is_empty() {
            Ok(())
        } else {
            dict.set_item(name, array(dict.py(), numbers, shape)?)
        }
    }
    dict.set_item("kind", "camera")?;
    let [rows, columns] = [image.height, image.width].map(|size| size as usize);
    let (plane, vectors) = ([rows, columns], [rows, columns, 3]);
    channel(dict, "color", image.color.concat(), &vectors)?;
    channel(dict, "depth", image.depth.clone(), &plane)?;
    channel(dict, "normal", image.normal.concat(), &vectors)?;
    channel(dict, "class", image.class.clone(), &plane)?;
    channel(dict, "instance", image.instance.clone(), &plane)?;
    channel(dict, "soil", image.soil.clone(), &plane)?;
    channel(dict, "sinkage", image.sinkage.clone(), &plane)?;
    channel(dict, "slip", image.slip.clone(), &plane)?;
    channel(dict, "passes", image.passes.clone(), &plane)?;
    channel(dict, "agent", image.agent.clone(), &plane)
}

fn scan(dict: &Bound<'_, PyDict>, cloud: &Cloud) -> PyResult<()> {
    fn put<T: Number>(
        dict: &Bound<'_, PyDict>,
        name: &str,
        cloud: &Cloud,
        of: fn(&Return) -> T,
    ) -> PyResult<()> {
        let numbers: Vec<T> = cloud.returns.iter().map(of).collect();
        dict.set_item(name, array(dict.py(), numbers, &[cloud.returns.len()])?)
    }
    dict.set_item("kind", "lidar")?;
    let points: Vec<f32> = cloud.returns.iter().flat_map(|r| r.point).collect();
    dict.set_item("points", array(dict.py(), points, &[cloud.returns.len(), 3])?)?;
    put(dict, "intensity", cloud, |r| r.intensity)?;
    put(dict, "time_offset", cloud, |r| r.time)?;
    put(dict, "ring", cloud, |r| r.ring)?;
    put(dict, "column", cloud, |r| r.column)?;
    put(dict, "order", cloud, |r| r.order)?;
    put(dict, "class", cloud, |r| r.class)?;
    put(dict, "instance", cloud, |r| r.instance)
}

/// Returns the names of the semantic classes, by number.
#[pyfunction]
pub fn classes() -> Vec<&'static str> {
    SurfaceClass::ALL.map(SurfaceClass::name).to_vec()
}
