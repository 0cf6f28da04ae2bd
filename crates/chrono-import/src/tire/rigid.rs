//! Rigid tires.

use super::super::ImportError;
use super::super::log::ImportLog;
use super::super::part::rotor;
use super::super::source::JsonSource;
use super::truck::truck_tire;
use super::{ImportedTire, RIM, outline};
use bekker_vehicle::spec::{Point, Tire};
use bekker_vehicle::tire::TMeasy;
use serde::Deserialize;

#[derive(Deserialize)]
struct RigidParams {
    #[serde(rename = "Radius")]
    radius: f64,
    #[serde(rename = "Width")]
    width: f64,
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Inertia")]
    inertia: Point,
    #[serde(rename = "Contact Material")]
    material: Material,
}

#[derive(Deserialize)]
struct Material {
    #[serde(rename = "Coefficient of Friction")]
    friction: f64,
    #[serde(rename = "Coefficients")]
    coefficients: Coefficients,
}

#[derive(Deserialize)]
struct Coefficients {
    #[serde(rename = "Normal Stiffness")]
    normal: f64,
}

pub(super) fn rigid(
    source: &JsonSource,
    key: &str,
    log: &mut ImportLog,
) -> Result<ImportedTire, ImportError> {
    let own: RigidParams = source.params(log)?;
    let rim_radius = RIM * own.radius;
    let section = own.radius - rim_radius;
    log.assume(format!("{key} on a rim"), format!("of {RIM} of its radius"));
    log.assume(
        format!("{key}.handling"),
        "those of a truck tire with the stiffness of the contact",
    );
    let load = own.material.coefficients.normal * 0.16 * section;
    let handling = TMeasy {
        friction: own.material.friction,
        ..truck_tire(load, 1.0, own.radius, own.width, section, own.mass)
    };
    let inertia = rotor(key, own.mass, own.inertia, log);
    let rigid = outline(own.radius, own.width, section, key, log);
    let tire = Tire { mass: own.mass, inertia, rigid, flexible: None, handling };
    Ok(ImportedTire { tire, rim_radius })
}
