//! The classic soil tests.

use crate::error;
use crate::value::to_python;
use bekker::scenario::build::{custom_soil, vehicle_spec};
use bekker::scenario::{Document, Faults};
use bekker::scm::{PlateOutline, Underside};
use bekker::simulation::{belt, tread, underside};
use bekker::soil::catalogue::catalogue;
use bekker::soil::{Laws, Soil, SoilKind, Tread};
use bekker::study::{PlateRig, Rig, RigError, ShearRig, WheelMotion, WheelRig};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// A yielding soil by name, with parameters changed.
fn soil(py: Python<'_>, name: &str, changes: &BTreeMap<String, f64>) -> PyResult<Soil> {
    if let Ok(known) = catalogue().find(name)
        && matches!(known.kind, SoilKind::Firm { .. })
    {
        let told = format!("{name} is firm; a rig needs a yielding soil");
        return Err(error::input(py, "soil", &name, "a yielding soil", told));
    }
    let mut table = toml::Table::from_iter(changes.iter().map(|(k, v)| (k.clone(), (*v).into())));
    table.insert("name".into(), "of a rig".into());
    table.insert("based_on".into(), name.into());
    let document = Document::parse("soil", &table.to_string()).map_err(Faults::from);
    let soil = document.and_then(|document| custom_soil(&document));
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

fn refused(py: Python<'_>, failure: RigError) -> PyErr {
    match failure {
        RigError::Parameter { parameter, value, allowed } => {
            error::input(py, parameter, &value, allowed, failure)
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
) -> PyResult<PlateRig> {
    let [length, width] = size;
    let outline = radius
        .map_or(PlateOutline::Rectangle { length, width }, |radius| PlateOutline::Disc { radius });
    let rig = PlateRig::new(soil(py, soil_name, changes)?, outline, pressure);
    Ok(PlateRig { laws: laws(py, laws_name)?, ..rig })
}

/// Presses a plate, lets it go and presses again.
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
    let rig = plate(py, soil, &changes, laws, (size, radius), pressure)?;
    run(py, &PlateRig { spacing, ..rig })
}

/// Shears a plate under a pressure.
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
    displacement: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let plate = plate(py, soil, &changes, laws, (size, radius), pressure)?;
    let rig = ShearRig::new(PlateRig { spacing, ..plate });
    run(py, &ShearRig { displacement, ..rig })
}

/// Rolls a wheel at a slip: a rigid cylinder, or the wheel of a vehicle.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn roll_wheel<'py>(
    py: Python<'py>,
    soil: &str,
    changes: BTreeMap<String, f64>,
    laws: &str,
    vehicle: Option<&str>,
    cylinder: [f64; 2],
    rigid: bool,
    load: f64,
    slip: f64,
    speed: f64,
    spacing: f64,
    step: f64,
    duration: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let [radius, width] = cylinder;
    let (wheel, tread, belt) = match vehicle {
        None => {
            let wheel = Underside::cylinder(radius, width)
                .map_err(|e| error::input(py, "radius", &radius, "a radius of a wheel, m", e))?;
            (wheel, Tread::rough(), None)
        }
        Some(name) => {
            let spec = vehicle_spec(name, Path::new(""));
            let spec = spec.map_err(|faults| error::scenario(py, &faults))?;
            let Some(spec) = spec.wheeled() else {
                let told = format!("{name} runs on tracks");
                return Err(error::input(py, "vehicle", &name, "a vehicle on wheels", told));
            };
            let wheel = underside(&spec.tyre.rigid)
                .map_err(|e| error::input(py, "vehicle", &name, "a vehicle on wheels", e))?;
            let belt = if rigid { None } else { belt(spec) };
            (wheel, tread(&spec.tyre.rigid), belt)
        }
    };
    let motion = WheelMotion::Rolling { speed, slip };
    let soil = self::soil(py, soil, &changes)?;
    let laws = self::laws(py, laws)?;
    let rig = WheelRig::new(soil, wheel, load, motion);
    run(py, &WheelRig { laws, tread, belt, spacing, step, duration, ..rig })
}
