//! Tree stems that bend and break.
//!
//! A force `F` overrides a standing tree that a vehicle pushes at a height `H`. It is `F = (2 - 1 /
//! (1 + exp(-5 (d - 2.5)))) (10.86 - 0.0534 H) d³`, N, with the stem's diameter `d` and `H` in cm.
//! For stems beyond 3 cm this is the relation `(40 - H/2) d³` (lbf, in) of the NATO Reference
//! Mobility Model, in the form of the MSU Autonomous Vehicle Simulator. The course of the force
//! over the push is an assumption of bekker. It rises as a spring over 0.2 m, stays constant while
//! a hinge at the ground yields, and is zero once the push equals the height at which it acts.

use bekker_math::numeric::{atan2, exp};

/// Push over which a stem's force rises, m: assumed.
const RISES: f64 = 0.2;
/// Share of the push to failure beyond which the force falls: assumed.
const FALLS: f64 = 0.8;
/// Greatest height at which the relation holds, m; not far above, its force would be negative.
const HIGHEST: f64 = 1.5;
/// Damage at and above which a stem is felled. The low byte then encodes its heading.
const FELLED: u16 = 0xff00;
/// Units of damage per meter of push.
const UNITS: f64 = 1e4;

/// Returns the force that breaks or uproots a stem of this diameter, pushed at this height, m; N.
pub fn override_force(diameter: f64, height: f64) -> f64 {
    let (d, h) = (100.0 * diameter, 100.0 * height.clamp(0.0, HIGHEST));
    let slender = 2.0 - 1.0 / (1.0 + exp(-5.0 * (d - 2.5)));
    slender * (10.86 - 0.0534 * h) * d * d * d
}

/// A stem of a tree, or a post.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stem {
    /// Diameter near the ground, m.
    pub diameter: f64,
    /// Height, m.
    pub height: f64,
}

/// Reaction of a stem to a push.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Resistance {
    /// Stiffness in the elastic range, N/m; 0 while the hinge yields.
    pub stiffness: f64,
    /// Force, N.
    pub force: f64,
    /// Damage after the push: displacement of the yielded hinge, in 0.1 mm.
    pub damage: u16,
}

impl Stem {
    /// Yield at which a stem pushed at this height falls, m: equal to the height, within limits.
    fn felled_at(height: f64) -> f64 {
        height.clamp(0.3, HIGHEST)
    }

    /// Whether a stem with this damage is felled.
    pub fn is_felled(damage: u16) -> bool {
        damage >= FELLED
    }

    /// Returns the damage of a stem that has fallen in the direction (x, y).
    pub fn felled_damage(x: f64, y: f64) -> u16 {
        let turn = atan2(y, x) / std::f64::consts::TAU;
        FELLED | ((turn * 256.0).round().rem_euclid(256.0) as u16).min(255)
    }

    /// Returns the heading of a felled stem, rad; `None` if it stands.
    pub fn fall_heading(damage: u16) -> Option<f64> {
        let turn = f64::from(damage & 0xff) / 256.0;
        Stem::is_felled(damage).then_some(turn * std::f64::consts::TAU)
    }

    /// Returns the reaction to a body that has moved `push` m into the stem at a `height`, m.
    ///
    /// `damage` is the damage before the push, and `body` is the stiffness of the pushing body,
    /// N/m.
    pub fn resistance(&self, push: f64, height: f64, damage: u16, body: f64) -> Resistance {
        let mut yielded = f64::from(damage) / UNITS;
        let end = Stem::felled_at(height);
        if Stem::is_felled(damage) || yielded >= end {
            return Resistance { damage: damage.max(FELLED), ..Resistance::default() };
        }
        let limit = override_force(self.diameter, height);
        let stiffness = 1.0 / (RISES / limit + 1.0 / body);
        let holds = |yielded: f64| limit * ((1.0 - yielded / end) / (1.0 - FALLS)).min(1.0);
        let bent = (push - yielded).max(0.0);
        if stiffness * bent <= holds(yielded) {
            return Resistance { stiffness, force: stiffness * bent, damage };
        }
        yielded = push - holds(yielded) / stiffness;
        if yielded >= end {
            return Resistance { damage: FELLED, ..Resistance::default() };
        }
        // rounded up: each yield adds at least one unit of damage
        let damage = ((yielded * UNITS).ceil() as u16).clamp(damage, FELLED - 1);
        Resistance { stiffness: 0.0, force: holds(yielded), damage }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_force_is_the_published_one() {
        // the published table for H = 60 cm, in kN, to the digits that it gives
        let table = [
            (2.0, 0.12, 0.005),
            (3.0, 0.22, 0.005),
            (5.0, 0.96, 0.005),
            (7.5, 3.2, 0.05),
            (10.0, 7.7, 0.05),
            (15.0, 26.0, 0.5),
            (20.0, 61.0, 0.5),
        ];
        for (d, kilonewton, digit) in table {
            let found = 1e-3 * override_force(0.01 * d, 0.6);
            assert!((found - kilonewton).abs() <= digit, "{d} cm: {found} kN");
        }
        // 40 - H/2 pounds per cubic inch, where the factor for slender stems is 1
        let pounds = (40.0 - 0.5 * 20.0) * 4.0_f64.powi(3) * 4.448_221_6;
        let found = override_force(4.0 * 0.0254, 20.0 * 0.0254);
        assert!((found / pounds - 1.0).abs() < 2e-3, "{found} N, {pounds} N");
    }

    #[test]
    fn two_stems_differ_by_the_cube_of_their_diameters() {
        let ratio = override_force(0.12, 0.6) / override_force(0.06, 0.6);
        assert!((ratio - 8.0).abs() < 1e-6);
    }

    /// Work of a slow push over a stem, J.
    fn work(stem: &Stem, height: f64) -> f64 {
        let (mut damage, mut work, step) = (0, 0.0, 1e-3);
        for k in 0..3000 {
            let now = stem.resistance(f64::from(k) * step, height, damage, 1e6);
            assert!(now.damage >= damage);
            damage = now.damage;
            work += now.force * step;
        }
        assert!(Stem::is_felled(damage));
        work
    }

    #[test]
    fn a_push_takes_the_force_times_its_height() {
        let stem = Stem { diameter: 0.1, height: 6.0 };
        // Constant over 0.8 of the push, then a fall to about a half: 0.9 F H. The spring releases
        // its stored energy only during the fall.
        let (height, force) = (0.6, override_force(0.1, 0.6));
        let found = work(&stem, height) / (force * height);
        assert!((0.85..1.1).contains(&found), "{found}");
    }

    #[test]
    fn a_stem_that_is_not_overcome_springs_back_unhurt() {
        let stem = Stem { diameter: 0.4, height: 9.0 };
        let pushed = stem.resistance(0.1, 0.6, 0, 1e6);
        assert_eq!(pushed.damage, 0);
        assert!(pushed.force > 1e4);
        assert_eq!(stem.resistance(0.0, 0.6, 0, 1e6).force, 0.0);
    }
}
