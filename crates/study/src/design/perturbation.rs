//! Perturbation of the soil strength, by which a study finds whether outcomes are sensitive.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Copies of each trial in which all soils are weaker or stronger.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Perturbation {
    /// Greatest change of the soil strength, percent.
    #[serde(default = "three")]
    #[schemars(range(max = 50.0), extend("exclusiveMinimum" = 0.0, "unit" = "%"))]
    pub percent: f64,
    /// Number of copies: half of them are weaker, half are stronger, evenly spaced.
    #[serde(default = "eight")]
    #[schemars(range(min = 2, max = 1000))]
    pub copies: u64,
}

fn three() -> f64 {
    Perturbation::default().percent
}

fn eight() -> u64 {
    Perturbation::default().copies
}

impl Default for Perturbation {
    fn default() -> Perturbation {
        Perturbation { percent: 3.0, copies: 8 }
    }
}

impl Perturbation {
    /// Returns the strength of a copy as a factor of that of its trial.
    ///
    /// With that of the trial in their middle, the factors are evenly spaced quantiles of a uniform
    /// distribution: no random number decides which copies end otherwise.
    pub fn factor(&self, copy: u64) -> f64 {
        let half = self.copies / 2;
        let steps = match copy < half {
            true => -((half - copy) as f64),
            false => (copy + 1 - half) as f64,
        };
        decimal(1.0 + 0.01 * self.percent * steps / half as f64)
    }
}

/// Returns the strength of the soils of a copy whose trial has the strength `own`.
pub fn perturbed_strength(own: Option<f64>, factor: f64) -> f64 {
    decimal(own.unwrap_or(1.0) * factor)
}

/// Key of the scenario that copies change.
pub const STRENGTH: &str = "soil.strength";

/// Rounds a number to fifteen digits, so that steps of decimals print as such: 0.6, not
/// 0.6000000000000001.
pub(super) fn decimal(x: f64) -> f64 {
    format!("{x:.14e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_evenly_spaced_and_symmetric() {
        let factors = |percent, copies| {
            let own = Perturbation { percent, copies };
            (0..copies).map(|copy| own.factor(copy)).collect::<Vec<_>>()
        };
        let of_default = factors(3.0, 8);
        assert_eq!(of_default, [0.97, 0.9775, 0.985, 0.9925, 1.0075, 1.015, 1.0225, 1.03]);
        assert_eq!(factors(10.0, 2), [0.9, 1.1]);
        for (percent, copies) in [(3.0, 8), (7.5, 12), (50.0, 1000)] {
            let own = factors(percent, copies);
            let around = own.iter().zip(own.iter().rev()).map(|(a, b)| a + b - 2.0);
            assert!(around.into_iter().all(|sum| sum.abs() < 1e-12), "{own:?}");
            assert!(own.is_sorted() && !own.contains(&1.0));
        }
    }
}
