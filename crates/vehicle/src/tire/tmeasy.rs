//! TMeasy, the handling tire model: steady forces over slip.
//!
//! Each force rises over slip from its initial slope to a maximum and falls to full sliding. The
//! parameters are given at the nominal load and at twice the nominal load. Over the load, forces
//! are interpolated quadratically and slips linearly. Longitudinal and lateral slip are combined
//! into one slip vector, and the parameters are blended elliptically by its direction.
//!
//! Source: G. Rill, *Road Vehicle Dynamics: Fundamentals and Modeling* (CRC Press 2012), section 3;
//! G. Rill, "TMeasy: the handling tire model for all driving situations" (2013). As in the
//! reference (Project Chrono, `ChTMeasyTire`), the slips are combined without normalizing them,
//! friction scales maximum and sliding but not the initial slope, and rolling gives no camber
//! thrust.
//!
//! The parameters are valid for rolling tires. The friction of rubber decreases with its sliding
//! speed. The fall beyond the maximum therefore follows the sliding speed over a transport velocity
//! of at least [`ADHERING`]. A tire that creeps at walking pace keeps its maximum force, and that
//! force also holds a tire at rest.

use bekker_math::numeric::hypot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Transport velocity at and above which the parameters are valid unchanged, m/s.
///
/// Project Chrono's `ChTMeasyTire` uses the same limit. Below it, that model blends into the full
/// friction of tires at rest.
pub const ADHERING: f64 = 3.0;

/// A parameter at the nominal load and at twice the nominal load.
pub type LoadPair = [f64; 2];

/// A steady force over slip, with each value at nominal load and at twice the nominal load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlipCurve {
    /// Slope of the force at zero slip, N.
    pub initial_slope: LoadPair,
    /// Maximum force, N.
    pub max_force: LoadPair,
    /// Slip at the maximum force.
    pub max_slip: LoadPair,
    /// Force at full sliding, N.
    pub sliding_force: LoadPair,
    /// Slip at which full sliding begins.
    pub sliding_slip: LoadPair,
}

/// Pneumatic trail over lateral slip, with each value at nominal load and at twice the nominal
/// load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Trail")]
pub struct PneumaticTrail {
    /// Trail at zero slip over the length of the contact.
    pub initial: LoadPair,
    /// Lateral slip at which the trail crosses zero.
    pub zero_slip: LoadPair,
    /// Lateral slip beyond which the trail is zero.
    pub end_slip: LoadPair,
}

/// Parameters of a TMeasy tire.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TMeasy {
    /// Radius of the unloaded tire, m.
    pub unloaded_radius: f64,
    /// Width of the tread, m.
    pub width: f64,
    /// Radial stiffness at zero deflection, N/m.
    pub vertical_stiffness: f64,
    /// Coefficient of the part of the radial force that grows with the square of the deflection,
    /// N/m².
    #[serde(default)]
    pub vertical_progression: f64,
    /// Radial damping, N s/m.
    pub vertical_damping: f64,
    /// Nominal load, N.
    pub nominal_load: f64,
    /// Load above which the slip curves no longer grow, N.
    pub max_load: f64,
    /// Coefficient of friction for which the parameters are valid.
    pub friction: f64,
    /// Rolling resistance force over the load.
    pub rolling_resistance: f64,
    /// Longitudinal and lateral stiffness of the carcass, N/m.
    pub carcass_stiffness: [f64; 2],
    /// Longitudinal and lateral damping of the carcass, N s/m.
    pub carcass_damping: [f64; 2],
    /// Longitudinal force over longitudinal slip.
    pub longitudinal: SlipCurve,
    /// Lateral force over lateral slip.
    pub lateral: SlipCurve,
    /// Pneumatic trail of the lateral force.
    pub trail: PneumaticTrail,
}

/// A slip curve at one load and friction in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Characteristic {
    initial_slope: f64,
    max_force: f64,
    max_slip: f64,
    sliding_force: f64,
    sliding_slip: f64,
}

/// Interpolates linearly in load: `pair` holds the values at load ratios 1 and 2.
fn linear(pair: LoadPair, ratio: f64) -> f64 {
    pair[0] + (pair[1] - pair[0]) * (ratio - 1.0)
}

/// Interpolates quadratically in load, through zero at no load: `pair` holds the values at load
/// ratios 1 and 2.
fn quadratic(pair: LoadPair, ratio: f64) -> f64 {
    ratio * (2.0 * pair[0] - 0.5 * pair[1] - (pair[0] - 0.5 * pair[1]) * ratio)
}

impl SlipCurve {
    fn characteristic(&self, load_ratio: f64, friction_ratio: f64) -> Characteristic {
        Characteristic {
            initial_slope: quadratic(self.initial_slope, load_ratio),
            max_force: friction_ratio * quadratic(self.max_force, load_ratio),
            max_slip: friction_ratio * linear(self.max_slip, load_ratio),
            sliding_force: friction_ratio * quadratic(self.sliding_force, load_ratio),
            sliding_slip: friction_ratio * linear(self.sliding_slip, load_ratio),
        }
    }
}

impl Characteristic {
    /// Blends two characteristics elliptically for a slip in direction (`cosine`, `sine`).
    fn blend(x: &Self, y: &Self, cosine: f64, sine: f64) -> Self {
        let mix = |a: f64, b: f64| hypot(a * cosine, b * sine);
        Characteristic {
            initial_slope: mix(x.initial_slope, y.initial_slope),
            max_force: mix(x.max_force, y.max_force),
            max_slip: mix(x.max_slip, y.max_slip),
            sliding_force: mix(x.sliding_force, y.sliding_force),
            sliding_slip: mix(x.sliding_slip, y.sliding_slip),
        }
    }

    /// Force over slip, N, at `slip` (0 or more); at zero slip, the initial slope.
    ///
    /// The fall beyond the maximum is evaluated at `pace` (0 to 1) times the slip. The curve has
    /// three pieces with a continuous slope: a rational function up to the maximum, two parabolas
    /// (or, where they do not fit, a cubic) down to sliding, and a constant.
    fn secant(&self, slip: f64, pace: f64) -> f64 {
        let Characteristic { max_force, max_slip, sliding_force, sliding_slip, .. } = *self;
        let slope = self.initial_slope.max(2.0 * max_force / max_slip);
        if slip < max_slip {
            let u = slip / max_slip;
            return slope / (1.0 + u * (u + slope * max_slip / max_force - 2.0));
        }
        let fallen = (pace * slip).max(max_slip);
        if fallen >= sliding_slip {
            return sliding_force / slip;
        }
        // curvature of the rational piece at the maximum
        let curvature = (max_force / max_slip) * (max_force / max_slip) / (slope * max_slip);
        let fall = max_force - sliding_force;
        let joint = max_slip + fall / (curvature * (sliding_slip - max_slip));
        let past = fallen - max_slip;
        let force = if joint > sliding_slip {
            let u = past / (sliding_slip - max_slip);
            max_force - fall * u * u * (3.0 - 2.0 * u)
        } else if fallen <= joint {
            max_force - curvature * past * past
        } else {
            let left = sliding_slip - fallen;
            let curvature = curvature * (joint - max_slip) / (sliding_slip - joint);
            sliding_force + curvature * left * left
        };
        force / slip
    }
}

impl TMeasy {
    /// Returns the radial spring force (N) and stiffness (N/m) at `deflection` (m, not negative).
    pub fn radial(&self, deflection: f64) -> (f64, f64) {
        let progression = self.vertical_progression;
        (
            (self.vertical_stiffness + progression * deflection) * deflection,
            self.vertical_stiffness + 2.0 * progression * deflection,
        )
    }

    /// Radius that relates speed and spin in free rolling, m: two thirds of the unloaded radius
    /// plus one third of the loaded radius.
    pub fn rolling_radius(&self, deflection: f64) -> f64 {
        self.unloaded_radius - deflection / 3.0
    }

    /// Length of the contact of a circle flattened by `deflection` (m), m.
    pub fn contact_length(&self, deflection: f64) -> f64 {
        2.0 * (self.unloaded_radius * deflection).sqrt()
    }

    /// Steady force over slip, N, common to both directions, for a tire that rolls at [`ADHERING`]
    /// or faster.
    ///
    /// The force in each direction is minus this value times the slip in that direction. `load` is
    /// in N. `slip` is longitudinal and lateral (sliding velocity over transport velocity).
    /// `friction` is that of the ground.
    pub fn secant(&self, load: f64, slip: [f64; 2], friction: f64) -> f64 {
        self.secant_at(load, slip, ADHERING, friction)
    }

    /// Same as [`TMeasy::secant`], at any `transport` velocity, m/s.
    pub fn secant_at(&self, load: f64, slip: [f64; 2], transport: f64, friction: f64) -> f64 {
        let load_ratio = load.min(self.max_load) / self.nominal_load;
        if load_ratio <= 0.0 || friction <= 0.0 {
            return 0.0;
        }
        let friction_ratio = friction / self.friction;
        let along = self.longitudinal.characteristic(load_ratio, friction_ratio);
        let across = self.lateral.characteristic(load_ratio, friction_ratio);
        let slip_size = hypot(slip[0], slip[1]);
        let (cosine, sine) = if slip_size > 0.0 {
            (slip[0] / slip_size, slip[1] / slip_size)
        } else {
            (std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2)
        };
        let pace = (transport / ADHERING).min(1.0);
        Characteristic::blend(&along, &across, cosine, sine).secant(slip_size, pace)
    }

    /// Pneumatic trail (m) at `load` (N), lateral `slip` and `contact_length` (m).
    ///
    /// The lateral force acts this distance behind the middle of the contact.
    pub fn trail(&self, load: f64, slip: f64, contact_length: f64) -> f64 {
        let load_ratio = load.min(self.max_load) / self.nominal_load;
        let initial = linear(self.trail.initial, load_ratio) * contact_length;
        let zero = linear(self.trail.zero_slip, load_ratio);
        let end = linear(self.trail.end_slip, load_ratio).max(zero);
        let slip = slip.abs();
        if slip >= end {
            return 0.0;
        }
        let weight = zero / end;
        if slip <= zero {
            let u = slip / zero;
            initial * ((1.0 - weight) * (1.0 - u) + weight * (1.0 - u * u * (3.0 - 2.0 * u)))
        } else {
            let u = (end - slip) / (end - zero);
            -initial * (1.0 - weight) * (slip - zero) / zero * u * u
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::numeric::GRAVITY;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    /// Read once, because the property test uses it often.
    static HMMWV: LazyLock<TMeasy> =
        LazyLock::new(|| crate::find_wheeled("hmmwv").unwrap().tire.handling);

    fn hmmwv() -> &'static TMeasy {
        &HMMWV
    }

    /// Longitudinal and lateral steady force at slips `x` and `y`.
    fn force(load: f64, x: f64, y: f64, friction: f64) -> [f64; 2] {
        let secant = hmmwv().secant(load, [x, y], friction);
        [-secant * x, -secant * y]
    }

    #[test]
    fn curves_pass_through_their_figures_at_both_loads() {
        let tire = hmmwv();
        for (index, load) in [tire.nominal_load, 2.0 * tire.nominal_load].into_iter().enumerate() {
            for (axis, curve) in [tire.longitudinal, tire.lateral].into_iter().enumerate() {
                let size = |slip: f64| {
                    let mut slips = [0.0; 2];
                    slips[axis] = -slip;
                    force(load, slips[0], slips[1], tire.friction)[axis]
                };
                let close = |a: f64, b: f64, relative: f64| {
                    assert!((a - b).abs() < relative * b, "{a} is not {b}");
                };
                // the rational piece deviates from its initial slope by (slope sm / fm - 2) s / sm
                close(size(1e-7) / 1e-7, curve.initial_slope[index], 1e-5);
                close(size(curve.max_slip[index]), curve.max_force[index], 1e-12);
                close(size(curve.sliding_slip[index]), curve.sliding_force[index], 1e-12);
                close(size(5.0), curve.sliding_force[index], 1e-12);
            }
        }
    }

    #[test]
    fn the_maximum_is_the_maximum_and_nothing_jumps() {
        let tire = hmmwv();
        let most = quadratic(tire.longitudinal.max_force, 0.7);
        let mut before = 0.0;
        for step in 1..=20_000 {
            let now = force(0.7 * tire.nominal_load, -1e-4 * f64::from(step), 0.0, 0.8)[0];
            assert!(now <= most * (1.0 + 1e-12));
            // steepest at the origin: 1.1e5 N per unit of slip
            assert!((now - before).abs() < 13.0, "jumps by {} at step {step}", now - before);
            before = now;
        }
    }

    #[test]
    fn more_load_gives_more_force_but_less_than_in_proportion() {
        let tire = hmmwv();
        let at = |load: f64| force(load, 0.0, -0.1, 0.8)[1];
        let mut before = (0.0, f64::INFINITY);
        for step in 1..=10 {
            let load = 0.2 * f64::from(step) * tire.nominal_load;
            let now = (at(load), at(load) / load);
            assert!(now.0 > before.0 && now.1 < before.1);
            before = now;
        }
        assert_eq!(at(tire.max_load), at(2.0 * tire.max_load));
        assert_eq!(at(0.0), 0.0);
    }

    #[test]
    fn quarter_hmmwv_presses_its_tire_by_15_35_mm() {
        // closed form: m g / 4 = c δ
        let load = 2573.138 * GRAVITY / 4.0;
        let (force, stiffness) = hmmwv().radial(0.01535);
        assert!((load / stiffness - 0.01535).abs() < 5e-6);
        assert!((force - load).abs() < 5e-6 * stiffness);
    }

    #[test]
    fn trail_falls_through_zero_to_nothing() {
        let tire = hmmwv();
        let load = tire.nominal_load;
        assert!((tire.trail(load, 0.0, 0.2) - 0.178 * 0.2).abs() < 1e-12);
        assert!(tire.trail(load, tire.trail.zero_slip[0], 0.2).abs() < 1e-12);
        assert!(tire.trail(load, 0.6, 0.2) < 0.0);
        assert_eq!(tire.trail(load, 1.1, 0.2), 0.0);
        assert_eq!(tire.trail(load, -0.2, 0.2), tire.trail(load, 0.2, 0.2));
    }

    proptest! {
        #[test]
        fn force_opposes_slip_is_odd_and_bounded(
            load in 10.0..40_000.0_f64, x in -3.0..3.0_f64, y in -3.0..3.0_f64, mu in 0.1..1.2_f64,
        ) {
            let [fx, fy] = force(load, x, y, mu);
            let [gx, gy] = force(load, -x, y, mu);
            prop_assert!((fx + gx).abs() < 1e-9 && (fy - gy).abs() < 1e-9);
            prop_assert!(fx * x <= 0.0 && fy * y <= 0.0);
            let ratio = load.min(hmmwv().max_load) / hmmwv().nominal_load;
            let along = quadratic(hmmwv().longitudinal.max_force, ratio);
            let across = quadratic(hmmwv().lateral.max_force, ratio);
            let most = along.max(across) * mu / hmmwv().friction;
            prop_assert!(hypot(fx, fy) <= most * (1.0 + 1e-12));
        }
    }
}
