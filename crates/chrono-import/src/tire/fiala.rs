//! Fiala tires.

use super::super::ImportError;
use super::super::log::ImportLog;
use super::super::part::rotor;
use super::super::source::JsonSource;
use super::truck::TRAIL;
use super::{ImportedTire, RIM, outline};
use bekker_vehicle::spec::{Point, Tire};
use bekker_vehicle::tire::{SlipCurve, TMeasy};
use serde::Deserialize;

/// Deflection under the nominal load over the tire's radius, where no file specifies the load.
const DEFLECTION: f64 = 0.06;

#[derive(Deserialize)]
struct FialaFile {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Inertia")]
    inertia: Point,
    #[serde(rename = "Coefficient of Friction", default = "on_road")]
    friction: f64,
    #[serde(rename = "Fiala Parameters")]
    fiala: Fiala,
}

fn on_road() -> f64 {
    0.8
}

#[derive(Deserialize)]
struct Fiala {
    #[serde(rename = "Unloaded Radius")]
    radius: f64,
    #[serde(rename = "Width")]
    width: f64,
    #[serde(rename = "Vertical Stiffness")]
    stiffness: Option<f64>,
    #[serde(rename = "Vertical Curve Data")]
    curve: Option<Vec<[f64; 2]>>,
    #[serde(rename = "Vertical Damping")]
    damping: f64,
    #[serde(rename = "Rolling Resistance", default)]
    rolling: f64,
    #[serde(rename = "CSLIP")]
    along: f64,
    #[serde(rename = "CALPHA")]
    aside: f64,
    #[serde(rename = "UMIN")]
    sliding: f64,
    #[serde(rename = "UMAX")]
    most: f64,
}

pub(super) fn fiala(
    source: &JsonSource,
    key: &str,
    log: &mut ImportLog,
) -> Result<ImportedTire, ImportError> {
    let FialaFile { mass, inertia, friction, fiala: own } = source.params(log)?;
    let (vanishing, progression) = match (&own.curve, own.stiffness) {
        (Some(curve), _) => fit_parabola(curve),
        (None, Some(stiffness)) => (stiffness, 0.0),
        (None, None) => {
            return Err(source.refused("Fiala Parameters / Vertical Stiffness", "absent", "given"));
        }
    };
    let deflection = DEFLECTION * own.radius;
    let nominal = deflection * (vanishing + progression * deflection);
    let what = format!("load at a deflection of {DEFLECTION} of the radius");
    log.assume(format!("{key}.handling.nominal_load"), what);
    let what = "slopes, friction and full-sliding slips of Fiala's law; trail of a truck tire";
    log.assume(format!("{key}.handling"), what);
    let loads = [nominal, 2.0 * nominal];
    let slips = |slope: f64, times: f64| {
        loads.map(|load| (times * own.most * load / slope).clamp(1e-3, 0.9))
    };
    let law = |slope: f64, times: f64| SlipCurve {
        // the initial slope is steep enough to reach the maximum force at its slip
        initial_slope: [0, 1].map(|at| {
            slope.max(2.0 * own.most * loads[at] / slips(slope, times)[at] * (1.0 + 1e-9))
        }),
        max_force: loads.map(|load| own.most * load),
        max_slip: slips(slope, times),
        sliding_force: loads.map(|load| own.sliding.min(own.most) * load),
        sliding_slip: [1.0; 2],
    };
    let carcass = [0.9 * vanishing, 0.8 * vanishing];
    let handling = TMeasy {
        unloaded_radius: own.radius,
        width: own.width,
        vertical_stiffness: vanishing,
        vertical_progression: progression,
        vertical_damping: own.damping,
        nominal_load: nominal,
        max_load: 3.5 * nominal,
        friction,
        rolling_resistance: own.rolling,
        carcass_stiffness: carcass,
        carcass_damping: carcass.map(|stiffness| (stiffness * mass).sqrt()),
        // Fiala's forces reach friction at 2 and 3 times friction over slope
        longitudinal: law(own.along, 2.0),
        lateral: law(own.aside, 3.0),
        trail: TRAIL,
    };
    let rim_radius = RIM * own.radius;
    log.assume(format!("{key} on a rim"), format!("of {RIM} of its radius"));
    let inertia = rotor(key, mass, inertia, log);
    let rigid = outline(own.radius, own.width, own.radius - rim_radius, key, log);
    Ok(ImportedTire { tire: Tire { mass, inertia, rigid, flexible: None, handling }, rim_radius })
}

/// Returns rate and progression of the parabola a x + b x² by least squares, with b not below 0.
fn fit_parabola(points: &[[f64; 2]]) -> (f64, f64) {
    let sum = |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|&[x, y]| of(x, y)).sum::<f64>();
    let [x2, x3, x4] = [sum(&|x, _| x * x), sum(&|x, _| x * x * x), sum(&|x, _| x * x * x * x)];
    let [xy, x2y] = [sum(&|x, y| x * y), sum(&|x, y| x * x * y)];
    let determinant = x2 * x4 - x3 * x3;
    let (a, b) = ((xy * x4 - x2y * x3) / determinant, (x2 * x2y - x3 * xy) / determinant);
    if a > 0.0 && b > 0.0 { (a, b) } else { (xy / x2, 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parabola_goes_through_its_own_points() {
        let points: Vec<[f64; 2]> =
            (1..6).map(|step| 0.01 * f64::from(step)).map(|x| [x, 1e5 * x + 2e6 * x * x]).collect();
        let (a, b) = fit_parabola(&points);
        // least squares of exact points: rounding only
        assert!((a / 1e5 - 1.0).abs() < 1e-9 && (b / 2e6 - 1.0).abs() < 1e-9, "{a}, {b}");
    }
}
