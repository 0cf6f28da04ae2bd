//! Conversion of samples to NumPy arrays.

use bekker::simulation::{MotorSample, Sample, TrailerSample, WheelMotorRecord, WheelSample};
use bekker::vehicle::inflation::kilopascals;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict, PyTuple};

/// Number types that NumPy supports.
pub trait Number: bytemuck::NoUninit {
    /// Name of the NumPy type.
    const DTYPE: &'static str;
}

impl Number for f64 {
    const DTYPE: &'static str = "f8";
}
impl Number for f32 {
    const DTYPE: &'static str = "f4";
}
impl Number for i64 {
    const DTYPE: &'static str = "i8";
}
impl Number for i32 {
    const DTYPE: &'static str = "i4";
}
impl Number for u32 {
    const DTYPE: &'static str = "u4";
}
impl Number for u16 {
    const DTYPE: &'static str = "u2";
}
impl Number for u8 {
    const DTYPE: &'static str = "u1";
}

/// Creates a writable array of this shape from numbers in row-major order.
pub fn array<'py, T: Number>(
    py: Python<'py>,
    numbers: impl AsRef<[T]>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let bytes = PyByteArray::new(py, bytemuck::cast_slice(numbers.as_ref()));
    let numpy = py.import("numpy")?;
    let flat = numpy.call_method1("frombuffer", (bytes, T::DTYPE))?;
    flat.call_method1("reshape", (PyTuple::new(py, shape)?,))
}

/// Decodes the bytes of an array of `f8`.
pub fn numbers(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks().0.iter().map(|number| f64::from_ne_bytes(*number)).collect()
}

/// Quantity of a wheel: name and value.
type WheelFigure = (&'static str, fn(&WheelSample) -> f64);

const WHEEL: [WheelFigure; 11] = [
    ("spin", |w| w.spin),
    ("slip", |w| w.slip),
    ("sinkage", |w| w.sinkage),
    ("load", |w| w.load),
    ("traction", |w| w.traction),
    ("lateral", |w| w.lateral),
    ("torque", |w| w.torque),
    ("area", |w| w.area),
    ("inflation_kpa", |w| kilopascals(w.inflation)),
    ("deflection", |w| w.deflection),
    ("contact_length", |w| w.contact_length),
];

/// Returns the state of one vehicle at one time: one array per quantity.
pub fn state<'py>(py: Python<'py>, sample: &Sample) -> PyResult<Bound<'py, PyDict>> {
    columns(py, &[sample], &[])
}

/// Returns the history of one vehicle: the same arrays with time as an additional first axis.
pub fn history<'py>(py: Python<'py>, samples: &[&Sample]) -> PyResult<Bound<'py, PyDict>> {
    columns(py, samples, &[samples.len()])
}

fn columns<'py>(
    py: Python<'py>,
    rows: &[&Sample],
    ahead: &[usize],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let put = |name: &str, wide: &[usize], numbers: Vec<f64>| -> PyResult<()> {
        dict.set_item(name, array(py, numbers, &[ahead, wide].concat())?)
    };
    let scalar = |of: fn(&Sample) -> f64| rows.iter().map(|row| of(row)).collect::<Vec<f64>>();
    put("time", &[], scalar(|row| row.time))?;
    put("position", &[3], rows.iter().flat_map(|row| row.pose.position.data.0[0]).collect())?;
    let orientation = rows.iter().flat_map(|row| {
        let q = row.pose.orientation.quaternion();
        [q.w, q.i, q.j, q.k]
    });
    put("orientation", &[4], orientation.collect())?;
    put("velocity", &[3], rows.iter().flat_map(|row| row.velocity.data.0[0]).collect())?;
    let angular = rows.iter().flat_map(|row| row.angular_velocity.data.0[0]);
    put("angular_velocity", &[3], angular.collect())?;
    put("speed", &[], scalar(|row| row.speed))?;
    put("throttle", &[], scalar(|row| row.controls.throttle))?;
    put("steering", &[], scalar(|row| row.controls.steering))?;
    put("brake", &[], scalar(|row| row.controls.brake))?;
    put("engine_speed", &[], scalar(|row| row.engine_speed))?;
    let gears: Vec<i32> = rows.iter().map(|row| row.gear).collect();
    dict.set_item("gear", array(py, gears, ahead)?)?;
    let wheels = rows.first().map_or(0, |row| row.wheels.len());
    for (name, of) in WHEEL {
        put(name, &[wheels], rows.iter().flat_map(|row| row.wheels.iter().map(of)).collect())?;
    }
    let articulations: Vec<f64> = rows.iter().filter_map(|row| row.articulation).collect();
    if !articulations.is_empty() {
        put("articulation", &[], articulations)?;
    }
    let trailers: Vec<&TrailerSample> =
        rows.iter().filter_map(|row| row.trailer.as_ref()).collect();
    // all rows are of one vehicle: either all or none have a trailer, or motors
    if !trailers.is_empty() {
        let places = trailers.iter().flat_map(|trailer| trailer.position.data.0[0]);
        put("trailer_position", &[3], places.collect())?;
        let of = |of: fn(&TrailerSample) -> f64| trailers.iter().map(|own| of(own)).collect();
        put("trailer_articulation", &[], of(|own| own.articulation))?;
        put("trailer_pitch", &[], of(|own| own.pitch))?;
        let forces = trailers.iter().flat_map(|trailer| trailer.hitch_force.data.0[0]);
        put("hitch_force", &[3], forces.collect())?;
    }
    let motors: Vec<&MotorSample> = rows.iter().filter_map(|row| row.motors.as_ref()).collect();
    if !motors.is_empty() {
        put("motor_current", &[2], motors.iter().flat_map(|own| own.currents).collect())?;
        let of = |of: fn(&MotorSample) -> f64| motors.iter().map(|own| of(own)).collect();
        let wheels = motors[0].wheels.len();
        if wheels > 0 {
            let of_wheels = |of: fn(&WheelMotorRecord) -> f64| {
                motors.iter().flat_map(|own| own.wheels.iter().map(of)).collect()
            };
            put("wheel_motor_current", &[wheels], of_wheels(|own| own.current))?;
            put("wheel_motor_energy", &[wheels], of_wheels(|own| own.energy))?;
        }
        put("battery_power", &[], of(|own| own.battery_power))?;
        put("battery_charge", &[], of(|own| own.battery_charge))?;
    }
    Ok(dict)
}
