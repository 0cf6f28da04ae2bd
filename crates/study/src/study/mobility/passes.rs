//! The weakest clay that is passed once, and often in the same rut: the field's protocol of the
//! vehicle cone index, without a cone.
//!
//! The strength of a clay of the catalogue is multiplied by a ratio ρ: cohesion and tan φ by ρ,
//! the moduli of pressure and sinkage by ρ^1.9, as bearing goes with shear in three pairs of the
//! same soil at two moistures (ours). The model has no cone: cone indices are neither made from
//! ρ nor turned into it, and orders of vehicles alone can be compared.

use super::findings::{Figure, Findings};
use super::subject::{Subject, along_x};
use super::{Effort, MobilityError, threshold};
use crate::numeric::{atan, exp, ln, pow, tan};
use crate::scenario::Scenario;
use crate::scenario::config::CustomSoil;
use crate::simulation::{Flow, Placement};
use crate::soil::{SoilKind, catalogue};

/// A fat clay of the catalogue.
const CLAY: &str = "heavy_clay_40_wes";
/// Ratios that are tried, and how closely, as a part.
const RATIOS: [f64; 2] = [0.05, 2.0];
const WIDTH: f64 = 0.02;
/// Exponent of the moduli.
const BEARING: f64 = 1.9;
/// Speed, m/s (2.5 mph), lane, m, and longest pass, s.
const SPEED: f64 = 1.1;
const LANE: f64 = 20.0;
const LONGEST: f64 = 45.0;
/// Passes in the same rut.
const PASSES: [u32; 2] = [1, 10];

/// Published vehicle cone indices of one pass and of fifty, psi, for an ordering.
const CONE_INDICES: [(&str, &str); 2] = [
    ("hmmwv", "VCI1 19.4, VCI50 45.1 psi of the M998 (Priddy and Willoughby's relation)"),
    ("m113", "VCI1 17, VCI50 40 psi listed"),
];

pub(super) fn drive(subject: &Subject, effort: Effort) -> Result<Findings, MobilityError> {
    let mut findings = Findings::default();
    let known = CONE_INDICES.iter().find(|(model, _)| *model == subject.model);
    for &passes in effort.some(&PASSES) {
        // the weakest that is passed is the greatest of what is taken away, in equal parts
        let [weakest, strongest] = RATIOS.map(ln);
        let range = [-strongest, -weakest];
        let limit = threshold(range, effort.width(WIDTH), |weakness| {
            passes_lane(subject, exp(-weakness), passes)
        })?;
        let figure = Figure::new("strength_ratio", limit.passed.map(|own| exp(-own)), "")
            .on(format!("{CLAY}, {passes} {}", if passes == 1 { "pass" } else { "passes" }));
        let told = known.map_or(String::new(), |(_, told)| (*told).to_owned());
        findings.figures.push(match (limit.passed, limit.failed) {
            (None, _) => figure.note("not even twice the catalogue's strength"),
            (_, None) => figure.note("the weakest that was tried"),
            _ => figure.note(told),
        });
        let trials = [limit.passed, limit.failed].into_iter().flatten();
        findings.scenarios.extend(trials.map(|own| scenario(subject, exp(-own))));
    }
    Ok(findings)
}

fn scenario(subject: &Subject, ratio: f64) -> Scenario {
    let name = format!("passes_{ratio:.3}");
    let mut scenario = subject.scenario(&name, LONGEST, along_x(SPEED, LANE));
    scenario.soil.default = "weakened clay".into();
    scenario.soil.custom.push(weakened(ratio));
    scenario
}

/// The clay at a ratio of its strength.
fn weakened(ratio: f64) -> CustomSoil {
    let mut soil = CustomSoil {
        name: "weakened clay".into(),
        based_on: Some(CLAY.into()),
        source: Some(format!("{CLAY} of the catalogue at {ratio:.3} of its strength")),
        ..CustomSoil::default()
    };
    if let Ok(SoilKind::Yielding(clay)) = catalogue().find(CLAY).map(|soil| &soil.kind) {
        let bearing = pow(ratio, BEARING);
        soil.k_c = Some(bearing * clay.k_c);
        soil.k_phi = Some(bearing * clay.k_phi);
        soil.cohesion = Some(ratio * clay.cohesion);
        soil.friction_angle_deg = Some(atan(ratio * tan(clay.friction_angle)).to_degrees());
    }
    soil
}

/// Whether the vehicle gets to the end of the lane so often, each time from its beginning.
fn passes_lane(subject: &Subject, ratio: f64, passes: u32) -> Result<bool, MobilityError> {
    let scenario = scenario(subject, ratio);
    let mut world = subject.world(&scenario)?;
    for pass in 0..passes {
        if pass > 0 && world.respawn(0, &Placement::default()).is_err() {
            return Ok(false);
        }
        let mut arrived = false;
        subject.drive_on(&mut world, &scenario, |sample| {
            arrived = sample.pose.position.x > LANE;
            if arrived { Flow::Stop } else { Flow::Continue }
        })?;
        if !arrived {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clay_keeps_its_figures_at_its_own_strength_and_loses_them_together() {
        let own = weakened(1.0);
        assert_eq!((own.k_c, own.cohesion), (Some(1840.0), Some(20690.0)));
        let half = weakened(0.5);
        assert_eq!(half.cohesion, Some(10345.0));
        // 0.5^1.9
        assert!((half.k_phi.unwrap() / own.k_phi.unwrap() - 0.267_943_365_634_073_3).abs() < 1e-12);
        let tangent = |soil: &CustomSoil| tan(soil.friction_angle_deg.unwrap().to_radians());
        assert!((tangent(&half) / tangent(&own) - 0.5).abs() < 1e-12);
    }
}
