//! Limits on soil stiffness for a step: stiffer soils would create energy.

use super::{DeformableSoil, Soil, SoilKind};
use std::fmt;

/// Greatest damping times step, Pa s²/m.
///
/// It is stable under wheels, and under tracks with steps of valid length. At twice this value the
/// belts of an M113 that coasts at 4 m/s gain 63 kJ in 2 s.
const DAMPED_STEP: f64 = 1e4;
/// Greatest impulse of the cohesion of one node on a wheel or shoe in a step, N s.
///
/// A whole node enters or leaves the contact from one step to the next, which creates energy: 0.05
/// J/kg at this limit, 9 J/kg at ten times it (0.9 t on four wheels).
const NODE_IMPULSE: f64 = 5.0;
/// Cohesion that is accepted for any step and spacing, Pa: that of stiff clay.
const COHESION: f64 = 1e5;
/// Greatest stiffness of unloading, Pa/m: stable for steps up to 5 ms.
pub(super) const STIFFEST: f64 = 1e10;
/// Tolerance factor of a limit, for rounded values.
const ROUNDING: f64 = 1.0 + 1e-9;

/// A parameter of a soil that is too stiff for a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StiffParameter {
    /// Key of the parameter.
    pub parameter: &'static str,
    value: f64,
    unit: &'static str,
    step: f64,
    /// Distance between nodes, m, where the limit depends on it.
    spacing: Option<f64>,
    /// Greatest value that is accepted with this step.
    most: f64,
    /// Longest step that accepts this value, s, if any.
    longest: Option<f64>,
}

impl StiffParameter {
    /// Returns an error text that uses the user's names of step and spacing.
    pub fn cause(&self, step_name: &str, spacing_name: &str) -> String {
        let StiffParameter { parameter, value, unit, step, .. } = self;
        let name = parameter.replace('_', " ");
        let article = if name.starts_with('e') { "an" } else { "a" };
        let spacing = self.spacing.map(|spacing| format!(" with {spacing_name} = {spacing} m"));
        let shorter =
            self.longest.map(|step| format!(", or {step_name} at most {} s", at_most(step, 1)));
        format!(
            "{article} {name} of {value:.3e} {unit} is too stiff for {step_name} = {step} s{}: must be at \
             most {} {unit}{}",
            spacing.unwrap_or_default(),
            at_most(self.most, 3),
            shorter.unwrap_or_default(),
        )
    }
}

impl fmt::Display for StiffParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause("step", "spacing"))
    }
}

impl Soil {
    /// Returns each parameter that is too stiff for nodes `spacing` m apart and steps of `step` s.
    pub fn stiff_parameters(&self, spacing: f64, step: f64) -> Vec<StiffParameter> {
        let SoilKind::Deformable(own) = &self.kind else { return Vec::new() };
        let limits =
            [own.cohesion_limit(spacing, step), own.damping_limit(step), own.stiffness_limit(step)];
        limits.into_iter().filter(|own| own.value > own.most * ROUNDING).collect()
    }
}

impl DeformableSoil {
    /// Returns the greatest strength factor, as in [`DeformableSoil::with_strength`], for which the
    /// cohesion is accepted.
    pub fn strongest_for(&self, spacing: f64, step: f64) -> f64 {
        self.cohesion_limit(spacing, step).most / self.cohesion.max(f64::MIN_POSITIVE)
    }

    fn cohesion_limit(&self, spacing: f64, step: f64) -> StiffParameter {
        let (value, area) = (self.cohesion, spacing * spacing);
        StiffParameter {
            parameter: "cohesion",
            value,
            unit: "Pa",
            step,
            spacing: Some(spacing),
            most: (NODE_IMPULSE / (area * step)).max(COHESION),
            longest: Some(NODE_IMPULSE / (value * area)),
        }
    }

    fn damping_limit(&self, step: f64) -> StiffParameter {
        let value = self.damping;
        StiffParameter {
            parameter: "damping",
            value,
            unit: "Pa s/m",
            step,
            spacing: None,
            most: DAMPED_STEP / step,
            longest: Some(DAMPED_STEP / value),
        }
    }

    fn stiffness_limit(&self, step: f64) -> StiffParameter {
        StiffParameter {
            parameter: "elastic_stiffness",
            value: self.elastic_stiffness,
            unit: "Pa/m",
            step,
            spacing: None,
            most: STIFFEST,
            longest: None,
        }
    }
}

/// Formats a positive number with some digits after the point, rounded down.
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
    use crate::soil::catalog::catalog;

    /// Proposed values are accepted.
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
    }

    #[test]
    fn each_parameter_has_its_limit() {
        let SoilKind::Deformable(mid) = catalog().find("chrono_mid").unwrap().to_soil().kind else {
            unreachable!()
        };
        let stiff = |own: DeformableSoil, spacing: f64, step: f64| {
            let soil =
                Soil { name: "own".into(), source: String::new(), kind: SoilKind::Deformable(own) };
            soil.stiff_parameters(spacing, step)
        };
        let damped = |damping: f64| DeformableSoil { damping, ..mid.clone() };
        assert_eq!(stiff(damped(1e4 / 0.0015), 0.05, 0.0015), []);
        let message = stiff(damped(1.01e4 / 0.0015), 0.05, 0.0015)[0].to_string();
        assert!(message.contains("at most 6.666e6 Pa s/m, or step at most"), "{message}");
        let cohesive = |cohesion: f64| DeformableSoil { cohesion, ..mid.clone() };
        assert_eq!(stiff(cohesive(69e3), 0.25, 0.004), []);
        assert_eq!(stiff(cohesive(101e3), 0.25, 0.004)[0].parameter, "cohesion");
        let strongest = cohesive(69e3).strongest_for(0.05, 0.002);
        assert_eq!(stiff(cohesive(69e3 * strongest), 0.05, 0.002), []);
        assert_eq!(stiff(cohesive(69e3 * 1.01 * strongest), 0.05, 0.002).len(), 1);
        let elastic = |elastic_stiffness: f64| DeformableSoil { elastic_stiffness, ..mid.clone() };
        assert_eq!(stiff(elastic(1e10), 0.05, 0.002), []);
        let message = stiff(elastic(1e12), 0.05, 0.002)[0].to_string();
        assert!(
            message.starts_with("an elastic stiffness of 1.000e12 Pa/m is too stiff"),
            "{message}"
        );
        assert!(message.ends_with("at most 1.000e10 Pa/m"), "{message}");
    }
}
