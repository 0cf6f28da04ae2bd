//! Checks of soils and the rasters that place them.

use crate::config::{AreaConfig, CustomSoil, Scenario};
use crate::diagnostic::DiagnosticKind;
use crate::diagnostic_sink::DiagnosticSink;
use bekker_ground::soil::{Moisture, MoistureError};
use std::collections::BTreeMap;

/// Maximum number of classes of a soil raster.
const MAX_CLASSES: usize = 10_000;

pub(super) fn check_soils(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let soil = &scenario.soil;
    for (index, custom) in soil.custom.iter().enumerate() {
        let key = format!("soil.custom[{index}]");
        if let Some(first) = soil.custom[..index].iter().position(|s| s.name == custom.name) {
            let first = format!("soil.custom[{first}]");
            refuse(format!("{key}.name"), DiagnosticKind::DuplicateName { first });
        }
        check_custom_soil(custom, &key, refuse);
    }
    for (index, zone) in soil.zone.iter().enumerate() {
        if let AreaConfig::Rectangle { min, max } = zone.area
            && (max[0] <= min[0] || max[1] <= min[1])
        {
            let key = format!("soil.zone[{index}].area.max");
            refuse(key, DiagnosticKind::NotABox { lower: min });
        }
    }
    if let Some(raster) = &soil.raster
        && raster.classes.len() > MAX_CLASSES
    {
        let found = raster.classes.len();
        let expected = format!("at most {MAX_CLASSES} classes");
        refuse("soil.raster.classes".into(), DiagnosticKind::WrongLength { expected, found });
    }
    let mut numbers: BTreeMap<i32, &str> = BTreeMap::new();
    for class in soil.raster.iter().flat_map(|raster| raster.classes.keys()) {
        let key = format!("soil.raster.classes.{class}");
        match class.parse::<i32>() {
            Err(_) => {
                let expected = "an integer as the class".into();
                refuse(key, DiagnosticKind::WrongType { expected, found: "a word" });
            }
            Ok(number) => {
                // 1 and 01 are the same class
                if let Some(other) = numbers.insert(number, class) {
                    let cause = format!(
                        "is class {number}, as is soil.raster.classes.{other}; remove one of them"
                    );
                    refuse(key, DiagnosticKind::Refused { cause });
                }
            }
        }
    }
}

/// Checks that a custom soil is firm, based on another soil, or deformable with all parameters.
pub(crate) fn check_custom_soil(soil: &CustomSoil, key: &str, refuse: &mut DiagnosticSink) {
    let given = [
        ("k_phi", soil.k_phi.is_some(), true),
        ("k_c", soil.k_c.is_some(), true),
        ("n", soil.n.is_some(), true),
        ("cohesion", soil.cohesion.is_some(), true),
        ("friction_angle_deg", soil.friction_angle_deg.is_some(), true),
        ("shear_modulus", soil.shear_modulus.is_some(), true),
        ("elastic_stiffness", soil.elastic_stiffness.is_some(), false),
        ("damping", soil.damping.is_some(), false),
        ("measured_sinkage", soil.measured_sinkage.is_some(), false),
        ("density", soil.density.is_some(), false),
        ("reload_stiffness", soil.reload_stiffness.is_some(), false),
        ("reload_growth", soil.reload_growth.is_some(), false),
        ("reece", soil.reece.is_some(), false),
        ("multi_pass", soil.multi_pass.is_some(), false),
        ("snow", soil.snow.is_some(), false),
        ("strength", soil.strength.is_some(), false),
        ("moisture", soil.moisture.is_some(), false),
        ("frost", soil.frost.is_some(), false),
        ("thaw", soil.thaw.is_some(), false),
        ("below", soil.below.is_some(), false),
        ("crust", soil.crust.is_some(), false),
        ("peak_shear", soil.peak_shear.is_some(), false),
        ("rate", soil.rate.is_some(), false),
        ("bulldozing", soil.bulldozing.is_some(), false),
    ];
    let yielding = given.iter().any(|(_, given, _)| *given);
    if soil.friction.is_some() {
        if yielding {
            let other = "keys of a deformable soil: friction is for firm ground";
            refuse(format!("{key}.friction"), DiagnosticKind::Excludes { other });
        }
        return;
    }
    let twice = [
        (
            "snow",
            soil.snow.is_some(),
            soil.below.is_some(),
            "below: snow defines the ground below it",
        ),
        (
            "snow.crushing_pressure",
            soil.snow.is_some_and(|snow| snow.crushing_pressure.is_some()),
            soil.has_pressure_sinkage(),
            "k_phi, k_c, n or reece, which also define the snow's pressures",
        ),
        (
            "thaw",
            soil.thaw.is_some(),
            soil.below.is_some(),
            "below: the ground below thawed soil is frozen",
        ),
        ("thaw", soil.thaw.is_some(), soil.snow.is_some(), "snow, which rests on frozen ground"),
        (
            "frost",
            soil.frost.is_some(),
            soil.below.is_some(),
            "below: the frozen layer carries the load",
        ),
        ("frost", soil.frost.is_some(), soil.snow.is_some(), "snow, which rests on frozen ground"),
        (
            "frost",
            soil.frost.is_some(),
            soil.thaw.is_some(),
            "thaw: the top layer is either frozen or thawed",
        ),
    ];
    for (name, given, and, other) in twice {
        if given && and {
            refuse(format!("{key}.{name}"), DiagnosticKind::Excludes { other });
        }
    }
    let weighs = soil.density.is_some() || soil.snow.is_some();
    if soil.reece.is_some_and(|reece| reece.frictional > 0.0) && !weighs {
        let expected =
            "the soil's density, which the frictional modulus of reece multiplies,".into();
        refuse(format!("{key}.density"), DiagnosticKind::Missing { expected });
    }
    if let Some((name, cause)) = soil.moisture.as_ref().and_then(moisture_error) {
        refuse(format!("{key}.moisture.{name}"), DiagnosticKind::Refused { cause });
    }
    if soil.based_on.is_some() {
        return;
    }
    for (name, given, needed) in given {
        if needed && !given {
            let expected = "a value for a deformable soil (or based_on, or friction alone)".into();
            refuse(format!("{key}.{name}"), DiagnosticKind::Missing { expected });
        }
    }
}

/// The key of an invalid moisture and what is allowed; `None` if the moisture is valid.
fn moisture_error(moisture: &Moisture) -> Option<(&'static str, String)> {
    let error = moisture.now().err()?;
    let rain = moisture.rain.as_ref()?;
    let last = rain.falls.last().map_or(rain.day, |fall| fall[0]);
    let in_order = rain.falls.windows(2).all(|two| two[0][0] <= two[1][0]);
    Some(match error {
        MoistureError::Order { .. } if in_order => (
            "rain.day",
            format!("must be {last} or later, the day of the last entry of rain.falls"),
        ),
        MoistureError::Saturated { .. } => ("rain.saturated", error.to_string()),
        _ => ("rain.falls", error.to_string()),
    })
}
