//! Soils that are too stiff for a step.

use crate::soil::{Soil, SoilKind};

/// Largest damping times step, Pa s²/m: stable under wheels, and under tracks by steps that are not
/// too long for them. At twice as much the belts of an M113 that coasts at 4 m/s gain 63 kJ in 2 s.
const DAMPED_STEP: f64 = 1e4;
/// Largest impulse, N s, by which the cohesion of one node acts on a wheel or shoe in a step. A whole
/// node enters or leaves the contact from one step to the next, which creates energy: 0.05 J/kg at
/// this limit, 9 J/kg at ten times it (0.9 t on four wheels).
const NODE_IMPULSE: f64 = 5.0;
/// Cohesion that is accepted with any step and spacing, Pa: that of stiff clay.
const COHESION: f64 = 1e5;

/// Each parameter of a soil that is too stiff for nodes `spacing` m apart and steps of `step` s, with the cause.
pub(super) fn faults(soil: &Soil, spacing: f64, step: f64) -> Vec<(&'static str, String)> {
    let SoilKind::Yielding(own) = &soil.kind else { return Vec::new() };
    let cohesion = too_cohesive(own.cohesion, spacing, step).map(|cause| ("cohesion", cause));
    let damping = too_damped(own.damping, step).map(|cause| ("damping", cause));
    cohesion.into_iter().chain(damping).collect()
}

fn too_damped(damping: f64, step: f64) -> Option<String> {
    if damping * step <= DAMPED_STEP * (1.0 + 1e-9) {
        return None;
    }
    let (most, shorter) = (at_most(DAMPED_STEP / step, 3), at_most(DAMPED_STEP / damping, 1));
    Some(format!(
        "a damping of {damping:.3e} Pa s/m is too stiff for time.step = {step} s: must be at most {most} Pa s/m, or \
         time.step at most {shorter} s"
    ))
}

fn too_cohesive(cohesion: f64, spacing: f64, step: f64) -> Option<String> {
    let per_pascal = spacing * spacing * step;
    if cohesion <= COHESION || cohesion * per_pascal <= NODE_IMPULSE * (1.0 + 1e-9) {
        return None;
    }
    let most = at_most((NODE_IMPULSE / per_pascal).max(COHESION), 3);
    let shorter = at_most(NODE_IMPULSE / (cohesion * spacing * spacing), 1);
    Some(format!(
        "a cohesion of {cohesion:.3e} Pa is too stiff for time.step = {step} s with ground.spacing = {spacing} m: \
         must be at most {most} Pa, or time.step at most {shorter} s"
    ))
}

/// A positive number with some digits after the point, rounded down.
fn at_most(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    let nearest: f64 = text.parse().unwrap_or(value);
    if nearest <= value * (1.0 + 1e-9) {
        return text;
    }
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let unit = format!("1e-{digits}").parse().unwrap_or(0.0);
    let (mantissa, exponent): (f64, i32) =
        (mantissa.parse().unwrap_or(1.0), exponent.parse().unwrap_or(0));
    let (mantissa, exponent) =
        if mantissa > 1.0 { (mantissa - unit, exponent) } else { (10.0 - unit, exponent - 1) };
    format!("{mantissa:.digits$}e{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A proposed value is accepted.
    #[test]
    fn proposals_are_accepted() {
        for (value, digits, expected) in [
            (1e6, 3, "1.000e6"),
            (6.6667e6, 3, "6.666e6"),
            (6.67e-4, 1, "6.6e-4"),
            (9.999e5, 1, "9.9e5"),
        ] {
            let text = at_most(value, digits);
            assert_eq!(text, expected);
            assert!(text.parse::<f64>().unwrap() <= value * (1.0 + 1e-9));
        }
        assert_eq!(too_damped(1e4 / 0.0015, 0.0015), None);
        assert!(too_damped(1.01e4 / 0.0015, 0.0015).unwrap().contains("at most 6.666e6 Pa s/m"));
        assert_eq!(too_cohesive(69e3, 0.25, 0.004), None);
        assert!(too_cohesive(101e3, 0.25, 0.004).is_some());
    }
}
