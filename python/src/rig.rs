//! Soil tests: pressing a plate, shearing a plate, rolling a wheel.

use crate::error;
use crate::value::to_python;
use bekker::rig::{PlateRig, Rig, RigError, ShearRig, WheelRig, WheelRigMotion};
use bekker::scenario::build::{custom_soil, vehicle_spec};
use bekker::scenario::{Diagnostics, Document};
use bekker::scm::{PlateOutline, Underside};
use bekker::simulation::{belt, tread, underside};
use bekker::soil::catalog::catalog;
use bekker::soil::{Laws, Soil, SoilKind, Tread};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

/// Returns a deformable soil by name, with some parameters replaced.
fn soil(
    py: Python<'_>,
    name: &str,
    changes: &BTreeMap<String, f64>,
    laws: &Laws,
) -> PyResult<Soil> {
    let known = catalog().find(name).map_err(|error| {
        let allowed = "a soil of `bekker soils`";
        error::input(
            py,
            "soil",
            &name,
            allowed,
            format!("soil = {name:?}: {error}; must be {allowed}"),
        )
    })?;
    if matches!(known.kind, SoilKind::Firm { .. }) {
        let told = format!("{name} is firm; a rig needs a deformable soil");
        return Err(error::input(py, "soil", &name, "a deformable soil", told));
    }
    let mut table = toml::Table::from_iter(changes.iter().map(|(k, v)| (k.clone(), (*v).into())));
    table.insert("name".into(), "of a rig".into());
    table.insert("based_on".into(), name.into());
    let document = Document::from_values("soil", &table).map_err(Diagnostics::from);
    let soil = document.and_then(|document| custom_soil(&document, laws));
    soil.map_err(|faults| error::scenario(py, &faults))
}

fn laws(py: Python<'_>, name: &str) -> PyResult<Laws> {
    match name {
        "refined" => Ok(Laws::refined()),
        "reference" => Ok(Laws::reference()),
        _ => {
            let allowed = "refined or reference";
            let told = format!("laws = {name:?}: must be {allowed}");
            Err(error::input(py, "laws", &name, allowed, told))
        }
    }
}

/// Refuses a value outside the range of the option of `bekker rig`.
fn check_range(
    py: Python<'_>,
    key: &str,
    value: f64,
    range: RangeInclusive<f64>,
    unit: &str,
) -> PyResult<()> {
    if range.contains(&value) {
        return Ok(());
    }
    let allowed = format!("from {} to {} {unit}", range.start(), range.end());
    let told = format!("{key} = {value}: must be {allowed}");
    Err(error::input(py, key, &value, &allowed, told))
}

fn refused(py: Python<'_>, failure: RigError) -> PyErr {
    match failure {
        RigError::Parameter { parameter, value, allowed } => {
            error::input(py, parameter, &value, allowed, failure)
        }
        RigError::Ground(_) => {
            error::input(py, "soil", &"", "a soil that the time step can resolve", failure)
        }
        failure => error::run(py, failure),
    }
}

fn run<'py, R>(py: Python<'py>, rig: &R) -> PyResult<Bound<'py, PyAny>>
where
    R: Rig + Sync,
    R::Outcome: serde::Serialize + Send,
{
    let outcome = py.detach(|| rig.run()).map_err(|failure| refused(py, failure))?;
    to_python(py, &outcome)
}

fn plate(
    py: Python<'_>,
    soil_name: &str,
    changes: &BTreeMap<String, f64>,
    laws_name: &str,
    (size, radius): ([f64; 2], Option<f64>),
    pressure: f64,
    spacing: f64,
) -> PyResult<PlateRig> {
    let [length, width] = size;
    match radius {
        Some(radius) => check_range(py, "radius", radius, 0.01..=5.0, "m")?,
        None => {
            size.into_iter().try_for_each(|side| check_range(py, "size", side, 0.01..=10.0, "m"))?
        }
    }
    check_range(py, "pressure", pressure, 100.0..=1e7, "Pa")?;
    check_range(py, "spacing", spacing, 0.001..=0.5, "m")?;
    let outline = radius
        .map_or(PlateOutline::Rectangle { length, width }, |radius| PlateOutline::Disc { radius });
    let laws = laws(py, laws_name)?;
    let rig = PlateRig::new(soil(py, soil_name, changes, &laws)?, outline, pressure);
    Ok(PlateRig { laws, spacing, ..rig })
}

/// Loads a plate, unloads it and loads it again.
///
/// `size` is length and width, m; a `radius`, m, makes it a disc instead. `pressure` is in Pa,
/// `spacing` of the soil nodes in m. Returns curves and results as a dict.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn press_plate<'py>(
    py: Python<'py>,
    soil: &str,
    changes: BTreeMap<String, f64>,
    laws: &str,
    size: [f64; 2],
    radius: Option<f64>,
    pressure: f64,
    spacing: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let rig = plate(py, soil, &changes, laws, (size, radius), pressure, spacing)?;
    run(py, &rig)
}

/// Shears a plate under a pressure, Pa, over a displacement, m.
///
/// Without `displacement` it slides until the soil has its full strength. Returns a dict with the
/// `curve`, the mean `pressure` and the `strength`, Pa.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn shear_plate<'py>(
    py: Python<'py>,
    soil: &str,
    changes: BTreeMap<String, f64>,
    laws: &str,
    size: [f64; 2],
    radius: Option<f64>,
    pressure: f64,
    spacing: f64,
    displacement: Option<f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let plate = plate(py, soil, &changes, laws, (size, radius), pressure, spacing)?;
    let mut rig = ShearRig::new(plate).to_full_strength();
    if let Some(displacement) = displacement {
        check_range(py, "displacement", displacement, 0.001..=10.0, "m")?;
        rig.displacement = displacement;
    }
    run(py, &rig)
}

/// Rolls a wheel at a slip: a rigid cylinder, or the wheel of a vehicle.
///
/// `cylinder` is radius and width, m; `load` is in N, `speed` in m/s, `spacing` of the soil nodes
/// in m, `step` and `duration` in s. Returns a dict of forces, N, torques, N m, depths, m, and
/// more.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn roll_wheel<'py>(
    py: Python<'py>,
    soil: &str,
    changes: BTreeMap<String, f64>,
    laws: &str,
    vehicle: Option<&str>,
    cylinder: [f64; 2],
    tire: Option<&str>,
    load: f64,
    slip: f64,
    speed: f64,
    spacing: f64,
    step: f64,
    duration: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let [radius, width] = cylinder;
    check_range(py, "load", load, 1.0..=1e6, "N")?;
    check_range(py, "speed", speed, 0.01..=30.0, "m/s")?;
    check_range(py, "spacing", spacing, 0.002..=0.5, "m")?;
    check_range(py, "step", step, 1e-5..=0.02, "s")?;
    check_range(py, "duration", duration, 0.5..=120.0, "s")?;
    let (wheel, tread, belt) = match vehicle {
        None => {
            check_range(py, "radius", radius, 0.02..=3.0, "m")?;
            check_range(py, "width", width, 0.01..=3.0, "m")?;
            let wheel = Underside::cylinder(radius, width)
                .map_err(|e| error::input(py, "radius", &radius, "a wheel radius, m", e))?;
            (wheel, Tread::rough(), None)
        }
        Some(name) => {
            let spec = vehicle_spec(name, Path::new(""));
            let spec = spec.map_err(|faults| error::scenario(py, &faults))?;
            let Some(spec) = spec.wheeled() else {
                let told = format!("{name} is tracked");
                return Err(error::input(py, "vehicle", &name, "a wheeled vehicle", told));
            };
            let wheel = underside(&spec.tire.rigid)
                .map_err(|e| error::input(py, "vehicle", &name, "a wheeled vehicle", e))?;
            let belt = if tire == Some("rigid") { None } else { belt(spec) };
            if tire == Some("flexible") && belt.is_none() {
                let allowed =
                    "rigid or omitted: the vehicle has no flexible tires ([tire.flexible])";
                let told = format!("tire = flexible: must be {allowed}");
                return Err(error::input(py, "tire", &"flexible", allowed, told));
            }
            (wheel, tread(&spec.tire.rigid), belt)
        }
    };
    let motion = WheelRigMotion::Rolling { speed, slip };
    let laws = self::laws(py, laws)?;
    let soil = self::soil(py, soil, &changes, &laws)?;
    let rig = WheelRig::new(soil, wheel, load, motion);
    run(py, &WheelRig { laws, tread, belt, spacing, step, duration, ..rig })
}
