//! Wheels and brakes.

use super::ImportError;
use super::log::ImportLog;
use super::source::JsonSource;
use bekker_vehicle::spec::{Point, Wheel};
use serde::Deserialize;

/// Assumed ratio of rim width to tire width.
const RIM_SHARE: f64 = 0.8;

#[derive(Deserialize)]
struct WheelParams {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Inertia")]
    inertia: Point,
}

/// Reads a wheel for a tire of this width, m, and a rim of this radius, m.
pub(super) fn wheel(
    source: &JsonSource,
    key: &str,
    rim_radius: f64,
    tire_width: f64,
    log: &mut ImportLog,
) -> Result<Wheel, ImportError> {
    let WheelParams { mass, inertia } = source.params(log)?;
    let inertia = super::part::rotor(key, mass, inertia, log);
    log.assume(format!("{key}.rim_width"), format!("{RIM_SHARE} of the tire's width"));
    Ok(Wheel { mass, inertia, rim_radius, rim_width: RIM_SHARE * tire_width })
}

#[derive(Deserialize)]
struct Brake {
    #[serde(rename = "Maximum Torque")]
    torque: f64,
}

/// Returns the maximum torque of a brake, N m.
pub(super) fn brake_torque(source: &JsonSource, log: &mut ImportLog) -> Result<f64, ImportError> {
    Ok(source.params::<Brake>(log)?.torque)
}
