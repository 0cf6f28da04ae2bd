//! Springs, stops and dampers that act along the line between two points.

use bekker_math::curve::Curve;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A spring between the chassis and the suspension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spring {
    /// Length at zero force, m.
    pub free_length: f64,
    /// Tension (N, positive pulls the ends together) over length minus free length (m).
    #[schemars(with = "Vec<[f64; 2]>", length(min = 2), extend("increasing" = true))]
    pub tension: Curve,
    /// Bump and rebound stops. Where absent, there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stops: Option<Stops>,
}

/// Elastic stops that limit the travel of a spring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stops {
    /// Length at which the bump stop makes contact, m.
    pub min_length: f64,
    /// Length at which the rebound stop makes contact, m.
    pub max_length: f64,
    /// Push of the bump stop (N) over its compression (m), starting at (0, 0). Beyond the last
    /// point it continues with the slope of the last segment, as at metal-to-metal contact.
    #[schemars(with = "Vec<[f64; 2]>", length(min = 2), extend("increasing" = true))]
    pub bump: Curve,
    /// Pull of the rebound stop (N) over its extension (m), starting at (0, 0). Beyond the last
    /// point it continues with the slope of the last segment.
    #[schemars(with = "Vec<[f64; 2]>", length(min = 2), extend("increasing" = true))]
    pub rebound: Curve,
}

/// A damper with separate coefficients for compression and rebound, inside and outside a window of
/// lengths. A curve can add to their force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Damper {
    /// Coefficient while the damper shortens, N s/m.
    pub compression: f64,
    /// Coefficient while the damper lengthens, N s/m.
    pub rebound: f64,
    /// Range of lengths in which `compression` and `rebound` apply. Where absent, they apply at all
    /// lengths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<DamperWindow>,
    /// Tension (N, positive pulls the ends together) over the rate of lengthening (m/s). It is
    /// added to the force of the coefficients. Set both coefficients to 0 for a damper that is
    /// given by its curve alone.
    #[schemars(with = "Option<Vec<[f64; 2]>>", extend("minItems" = 2, "increasing" = true))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tension: Option<Curve>,
}

/// The normal working range of a damper and its coefficients outside that range.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DamperWindow {
    /// Shortest normal length, m.
    pub min_length: f64,
    /// Longest normal length, m.
    pub max_length: f64,
    /// Coefficient while the damper shortens outside the window, N s/m.
    pub compression_outside: f64,
    /// Coefficient while the damper lengthens outside the window, N s/m.
    pub rebound_outside: f64,
}

impl Spring {
    /// Returns the tension (N, positive pulls together) and its slope (N/m) at `length` (m).
    #[inline]
    pub fn tension(&self, length: f64) -> (f64, f64) {
        let (mut force, mut slope) = self.tension.value_and_slope(length - self.free_length);
        if let Some(stops) = &self.stops {
            if length < stops.min_length {
                let (push, rate) = stops.bump.extrapolated(stops.min_length - length);
                force -= push;
                slope += rate;
            } else if length > stops.max_length {
                let (pull, rate) = stops.rebound.extrapolated(length - stops.max_length);
                force += pull;
                slope += rate;
            }
        }
        (force, slope)
    }

    /// Energy stored at `length` (m), relative to the free length, J.
    pub fn energy(&self, length: f64) -> f64 {
        let stretch = length - self.free_length;
        let mut energy = self.tension.integral(stretch) - self.tension.integral(0.0);
        if let Some(stops) = &self.stops {
            if length < stops.min_length {
                energy += stops.bump.extrapolated_integral(stops.min_length - length);
            } else if length > stops.max_length {
                energy += stops.rebound.extrapolated_integral(length - stops.max_length);
            }
        }
        energy
    }
}

impl Damper {
    /// Returns the tension (N, positive pulls together) and its slope against the rate (N s/m) at
    /// `length` (m) and lengthening `rate` (m/s).
    #[inline]
    pub fn tension(&self, length: f64, rate: f64) -> (f64, f64) {
        let (compression, rebound) = match self.window {
            Some(w) if length < w.min_length || length > w.max_length => {
                (w.compression_outside, w.rebound_outside)
            }
            _ => (self.compression, self.rebound),
        };
        let coefficient = if rate < 0.0 { compression } else { rebound };
        let linear = (coefficient * rate, coefficient);
        self.tension.as_ref().map_or(linear, |curve| {
            let (force, slope) = curve.value_and_slope(rate);
            (linear.0 + force, linear.1 + slope)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_add_to_the_spring_beyond_their_lengths() {
        let spring = Spring {
            free_length: 0.3,
            tension: Curve::new(vec![[-1.0, -1000.0], [1.0, 1000.0]]).unwrap(),
            stops: Some(Stops {
                min_length: 0.2,
                max_length: 0.35,
                bump: Curve::new(vec![[0.0, 0.0], [0.1, 500.0]]).unwrap(),
                rebound: Curve::new(vec![[0.0, 0.0], [0.1, 200.0]]).unwrap(),
            }),
        };
        let close = |(f, k): (f64, f64), (g, l): (f64, f64)| {
            assert!((f - g).abs() < 1e-9 && (k - l).abs() < 1e-9, "{f}, {k} is not {g}, {l}");
        };
        close(spring.tension(0.25), (-50.0, 1000.0));
        close(spring.tension(0.15), (-150.0 - 250.0, 6000.0));
        close(spring.tension(0.40), (100.0 + 100.0, 3000.0));
        // a fully compressed stop keeps its stiffness, so that larger forces do not pass it
        close(spring.tension(0.05), (-250.0 - 750.0, 6000.0));
    }

    /// The force is the slope of the energy, also through the stops.
    #[test]
    fn a_spring_stores_the_work_of_its_force() {
        let spring = Spring {
            free_length: 0.3,
            tension: Curve::new(vec![[-1.0, -1200.0], [0.0, 50.0], [1.0, 1000.0]]).unwrap(),
            stops: Some(Stops {
                min_length: 0.2,
                max_length: 0.35,
                bump: Curve::new(vec![[0.0, 0.0], [0.1, 500.0]]).unwrap(),
                rebound: Curve::new(vec![[0.0, 0.0], [0.1, 200.0]]).unwrap(),
            }),
        };
        let step = 1e-5;
        for length in [0.02, 0.15, 0.25, 0.32, 0.40, 0.9] {
            let slope =
                (spring.energy(length + step) - spring.energy(length - step)) / (2.0 * step);
            let (force, _) = spring.tension(length);
            assert!(
                (slope - force).abs() < 1e-6 * force.abs().max(1.0),
                "{length}: {slope} {force}"
            );
        }
    }

    #[test]
    fn a_damper_distinguishes_compression_from_rebound_and_its_window() {
        let damper = Damper {
            compression: 10.0,
            rebound: 20.0,
            window: Some(DamperWindow {
                min_length: 0.2,
                max_length: 0.4,
                compression_outside: 5.0,
                rebound_outside: 40.0,
            }),
            tension: None,
        };
        assert_eq!(damper.tension(0.3, -2.0), (-20.0, 10.0));
        assert_eq!(damper.tension(0.3, 2.0), (40.0, 20.0));
        assert_eq!(damper.tension(0.5, 2.0), (80.0, 40.0));
        assert_eq!(damper.tension(0.1, -2.0), (-10.0, 5.0));
    }

    #[test]
    fn a_damper_follows_its_curve() {
        // degressive: 100 v / (1 + 2 |v|) at -1, -0.5, 0, 0.5 and 1 m/s
        let points =
            [-1.0, -0.5, 0.0, 0.5, 1.0_f64].map(|v| [v, 100.0 * v / (1.0 + 2.0 * v.abs())]);
        let tension = Some(Curve::new(points.to_vec()).unwrap());
        let damper = Damper { compression: 0.0, rebound: 0.0, window: None, tension };
        for [rate, force] in points {
            assert_eq!(damper.tension(0.3, rate).0, force);
        }
        // halfway between 0 and 25 N at 0.25 m/s, with the slope of that segment
        assert_eq!(damper.tension(0.3, 0.25), (12.5, 50.0));
        let both = Damper { rebound: 10.0, ..damper };
        assert_eq!(both.tension(0.3, 0.25), (15.0, 60.0));
    }
}
