//! Distributions of uncertain factors, given by their quantiles.
//!
//! A quantile sets a trial's scenario, so it has the same bits on every machine. All computations
//! use [`numeric`](crate::numeric).

use super::quantiles::{beta_quantile, normal_quantile};
use bekker_math::numeric::{exp, ln};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Smallest distance of a cumulative probability from 0 and 1. An unbounded distribution has no
/// ends.
const NEAREST: f64 = 1.0 / (1_u64 << 53) as f64;
/// Smallest part of a distribution that its bounds may leave.
const MIN_LEFT: f64 = 1e-6;
/// Message for bounds that enclose no number.
pub(super) const BEYOND: &str = "exceeds the range of 64-bit floating-point numbers";

/// A distribution of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Distribution {
    /// Uniform from low to high.
    Uniform {
        /// Lower bound.
        low: f64,
        /// Upper bound.
        high: f64,
    },
    /// Log-uniform: the logarithm is uniform from low to high.
    LogUniform {
        /// Lower bound, above 0.
        low: f64,
        /// Upper bound.
        high: f64,
    },
    /// Normal (Gaussian).
    Normal {
        /// Mean before truncation.
        mean: f64,
        /// Standard deviation before truncation.
        deviation: f64,
        /// Lower truncation bound. Where absent, there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        low: Option<f64>,
        /// Upper truncation bound. Where absent, there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        high: Option<f64>,
    },
    /// Lognormal: the logarithm is normal.
    Lognormal {
        /// Median before truncation, above 0.
        median: f64,
        /// Standard deviation of the natural logarithm before truncation.
        sigma_ln: f64,
        /// Lower truncation bound. Where absent, there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        low: Option<f64>,
        /// Upper truncation bound. Where absent, there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        high: Option<f64>,
    },
    /// Triangular: the density grows linearly from low to the mode and falls linearly to high.
    Triangular {
        /// Lower bound.
        low: f64,
        /// Mode, the most likely value.
        mode: f64,
        /// Upper bound.
        high: f64,
    },
    /// Beta distribution from low to high, with a density proportional to x^(a - 1) (1 - x)^(b -
    /// 1).
    Beta {
        /// First shape parameter, above 0.
        a: f64,
        /// Second shape parameter, above 0.
        b: f64,
        /// Lower bound.
        #[serde(default)]
        low: f64,
        /// Upper bound.
        #[serde(default = "one")]
        high: f64,
    },
}

impl Distribution {
    /// Returns the quantile of a cumulative probability `part`, 0 to 1.
    pub fn quantile(&self, part: f64) -> f64 {
        let part = part.clamp(NEAREST, 1.0 - NEAREST);
        let [low, high] = self.bounds();
        let [from, to] =
            [low.map_or(0.0, |x| self.cumulative(x)), high.map_or(1.0, |x| self.cumulative(x))];
        // rounding can make the last probabilities of a truncated distribution 1, whose quantile can be
        // infinite
        let number = self.untruncated_quantile((from + part * (to - from)).min(1.0 - NEAREST));
        number.clamp(low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY))
    }

    /// Returns what makes the distribution invalid: its key, and what is allowed.
    pub fn invalid_parameter(&self) -> Option<(&'static str, &'static str)> {
        use Distribution::{Beta, LogUniform, Lognormal, Normal, Triangular, Uniform};
        let rules = match *self {
            Uniform { low, high } => vec![("high", high > low, "must be above low")],
            LogUniform { low, high } => {
                vec![
                    ("low", low > 0.0, "must be above 0"),
                    ("high", high > low, "must be above low"),
                ]
            }
            Normal { deviation, .. } => {
                vec![("deviation", deviation > 0.0, "must be above 0"), self.order()]
            }
            Lognormal { median, sigma_ln, .. } => vec![
                ("median", median > 0.0, "must be above 0"),
                ("sigma_ln", sigma_ln > 0.0 && sigma_ln <= 10.0, "must be above 0 and at most 10"),
                self.order(),
            ],
            Triangular { low, mode, high } => vec![
                ("mode", (low..=high).contains(&mode), "must be from low to high"),
                ("high", high > low, "must be above low"),
            ],
            Beta { a, b, low, high } => {
                let (shape, told) = (1e-2..=1e4, "must be from 0.01 to 10000");
                vec![
                    ("a", shape.contains(&a), told),
                    ("b", shape.contains(&b), told),
                    ("high", high > low, "must be above low"),
                ]
            }
        };
        let broken = rules.into_iter().find(|(_, holds, _)| !holds);
        broken.map(|(key, _, told)| (key, told)).or_else(|| {
            let [low, high] = self.bounds();
            let left =
                high.map_or(1.0, |x| self.cumulative(x)) - low.map_or(0.0, |x| self.cumulative(x));
            let told = "with high must keep at least a millionth of the distribution";
            let finite =
                [0.0, 0.25, 0.5, 0.75, 1.0].into_iter().all(|x| self.quantile(x).is_finite());
            let rules = [("low", left >= MIN_LEFT, told), ("kind", finite, BEYOND)];
            rules.into_iter().find(|(_, holds, _)| !holds).map(|(key, _, told)| (key, told))
        })
    }

    /// Checks that the lower truncation bound is below the upper one. Otherwise no number lies
    /// between them.
    fn order(&self) -> (&'static str, bool, &'static str) {
        let holds = match self.bounds() {
            [Some(low), Some(high)] => low < high,
            _ => true,
        };
        ("low", holds, "must be below high")
    }

    /// Truncation bounds.
    fn bounds(&self) -> [Option<f64>; 2] {
        match *self {
            Distribution::Normal { low, high, .. } | Distribution::Lognormal { low, high, .. } => {
                [low, high]
            }
            _ => [None; 2],
        }
    }

    /// Quantile of the distribution before truncation.
    fn untruncated_quantile(&self, part: f64) -> f64 {
        match *self {
            Distribution::Uniform { low, high } => low + part * (high - low),
            Distribution::LogUniform { low, high } => exp(ln(low) + part * (ln(high) - ln(low))),
            Distribution::Normal { mean, deviation, .. } => {
                mean + deviation * normal_quantile(part)
            }
            Distribution::Lognormal { median, sigma_ln, .. } => {
                median * exp(sigma_ln * normal_quantile(part))
            }
            Distribution::Triangular { low, mode, high } => {
                let rising = (mode - low) / (high - low);
                if part < rising {
                    low + (part * (high - low) * (mode - low)).sqrt()
                } else {
                    high - ((1.0 - part) * (high - low) * (high - mode)).sqrt()
                }
            }
            Distribution::Beta { a, b, low, high } => {
                low + (high - low) * beta_quantile(a, b, part)
            }
        }
    }

    /// Cumulative probability of a number in the distribution before truncation.
    fn cumulative(&self, number: f64) -> f64 {
        let (mut from, mut to) = (0.0, 1.0);
        // until bisection no longer changes the result
        for _ in 0..60 {
            let middle: f64 = 0.5 * (from + to);
            if self.untruncated_quantile(middle) < number { from = middle } else { to = middle }
        }
        from
    }
}

fn one() -> f64 {
    1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles of the normal distribution by Python's `statistics.NormalDist`, the others by
    /// their closed forms. For the beta distribution: 1 - (1 - x)⁶ - 6 x (1 - x)⁵ = 1/2.
    #[test]
    fn quantiles_are_the_known_ones() {
        let normal = Distribution::Normal { mean: 10.0, deviation: 2.0, low: None, high: None };
        let lognormal =
            Distribution::Lognormal { median: 3.0, sigma_ln: 0.5, low: None, high: None };
        let triangular = Distribution::Triangular { low: 0.0, mode: 1.0, high: 4.0 };
        let beta = Distribution::Beta { a: 2.0, b: 5.0, low: 0.0, high: 1.0 };
        for (of, part, known) in [
            (Distribution::Uniform { low: 2.0, high: 6.0 }, 0.25, 3.0),
            (Distribution::LogUniform { low: 1.0, high: 100.0 }, 0.5, 10.0),
            (normal, 0.975, 10.0 + 2.0 * 1.959_963_984_540_054),
            (normal, 0.001, 10.0 - 2.0 * 3.090_232_306_167_814),
            (lognormal, 0.975, 3.0 * 2.664_408_261_552_897),
            (triangular, 0.25, 1.0),
            (triangular, 0.0625, 0.5),
            (triangular, 0.75, 4.0 - 3.0_f64.sqrt()),
            (beta, 0.5, 0.26444998329566),
        ] {
            let found = of.quantile(part);
            assert!((found - known).abs() < 1e-11 * known.abs(), "{of:?} {part}: {found}, {known}");
        }
    }

    #[test]
    fn a_truncated_distribution_keeps_its_bounds_and_proportions() {
        let cut = Distribution::Normal { mean: 0.0, deviation: 1.0, low: Some(-1.0), high: None };
        // 0.158655 of it is below -1; half of the rest is below the median of the rest
        let median = normal_quantile(0.158_655_253_931_457 + 0.5 * 0.841_344_746_068_543);
        assert!((cut.quantile(0.5) - median).abs() < 1e-12);
        assert!((cut.quantile(0.0) + 1.0).abs() < 1e-12 && cut.quantile(1.0) > 8.0);
        assert_eq!(cut.invalid_parameter(), None);
        // a truncation above most of the distribution and one below most of it are mirror images
        let [above, below] = [(Some(0.6), None), (None, Some(0.4))]
            .map(|(low, high)| Distribution::Normal { mean: 0.5, deviation: 0.1, low, high });
        assert_eq!([above.invalid_parameter(), below.invalid_parameter()], [None, None]);
        for n in 0..=64 {
            // probabilities that are exact in both directions
            let part = f64::from(n) / 64.0;
            let [right, left] = [above.quantile(part), below.quantile(1.0 - part)];
            assert!((right + left - 1.0).abs() < 1e-9 || n == 64, "{part}: {right} {left}");
            assert!(right >= 0.6 && left <= 0.4 && right.is_finite() && left.is_finite());
        }
        let lognormal =
            Distribution::Lognormal { median: 1.0, sigma_ln: 0.3, low: Some(2.0), high: None };
        assert!(lognormal.invalid_parameter().is_none() && lognormal.quantile(1.0) > 5.0);
        let nothing =
            Distribution::Normal { mean: 0.0, deviation: 1.0, low: Some(9.0), high: None };
        assert_eq!(nothing.invalid_parameter().unwrap().0, "low");
    }

    #[test]
    fn an_empty_truncation_is_a_fault_of_its_low_end() {
        for (low, high) in [(Some(0.3), Some(0.2)), (Some(0.2), Some(0.2))] {
            for cut in [
                Distribution::Normal { mean: 0.1, deviation: 0.5, low, high },
                Distribution::Lognormal { median: 0.1, sigma_ln: 0.5, low, high },
            ] {
                assert_eq!(cut.invalid_parameter(), Some(("low", "must be below high")), "{cut:?}");
            }
        }
    }

    #[test]
    fn quantiles_grow_and_are_finite_to_the_ends() {
        let all = [
            Distribution::Normal { mean: 0.0, deviation: 1.0, low: None, high: None },
            Distribution::Lognormal { median: 1.0, sigma_ln: 2.0, low: Some(0.1), high: Some(9.0) },
            Distribution::Triangular { low: 1.0, mode: 1.0, high: 2.0 },
            Distribution::Beta { a: 0.5, b: 0.5, low: -1.0, high: 1.0 },
            Distribution::Beta { a: 300.0, b: 1.0, low: 0.0, high: 1.0 },
        ];
        for of in all {
            let quantiles: Vec<f64> =
                (0..=100).map(|n| of.quantile(f64::from(n) / 100.0)).collect();
            assert!(quantiles.iter().all(|x| x.is_finite()), "{of:?}");
            assert!(quantiles.windows(2).all(|two| two[0] <= two[1]), "{of:?}");
        }
    }
}
