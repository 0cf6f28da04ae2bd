//! Stems that give way.
//!
//! The force that overrides a standing tree, pushed at a height `H` by a vehicle:
//! `F = (2 - 1 / (1 + exp(-5 (d - 2.5)))) (10.86 - 0.0534 H) d³`, N, with the stem's diameter
//! `d` and `H` in cm; for stems beyond 3 cm this is the relation `(40 - H/2) d³` (lbf, in) of the
//! NATO Reference Mobility Model, as the MSU Autonomous Vehicle Simulator writes it. How it
//! comes and goes is ours: it rises as a spring over 0.2 m of push, holds while a hinge
//! yields at the ground, and is gone after as much push as it is pushed high.

use bekker_math::numeric::{atan2, exp};

/// Push over which a stem's force rises, m: assumed.
const RISES: f64 = 0.2;
/// Share of the way to its end from which on the force falls: assumed.
const FALLS: f64 = 0.8;
/// Highest place at which the relation holds, m: beyond, its force would soon be negative.
const HIGHEST: f64 = 1.5;
/// Damage from which on a stem lies; the byte below tells where.
const FELLED: u16 = 0xff00;
/// Units of damage in a metre of push.
const UNITS: f64 = 1e4;

/// Force that breaks or uproots a stem of this diameter, pushed at this height, m; N.
pub fn override_force(diameter: f64, height: f64) -> f64 {
    let (d, h) = (100.0 * diameter, 100.0 * height.clamp(0.0, HIGHEST));
    let slender = 2.0 - 1.0 / (1.0 + exp(-5.0 * (d - 2.5)));
    slender * (10.86 - 0.0534 * h) * d * d * d
}

/// A stem: of a tree, or a post.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stem {
    /// Diameter near the ground, m.
    pub diameter: f64,
    /// Height, m.
    pub height: f64,
}

/// What a stem answers to a push.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Resistance {
    /// Stiffness while it holds, N/m; 0 where it yields.
    pub stiffness: f64,
    /// Force, N.
    pub force: f64,
    /// Damage after it: how far its hinge has yielded, in 0.1 mm.
    pub damage: u16,
}

impl Stem {
    /// Damage of a stem that no longer stands, pushed at this height, m: as much push.
    fn felled_at(height: f64) -> f64 {
        height.clamp(0.3, HIGHEST)
    }

    /// Whether a stem with this damage lies.
    pub fn lies(damage: u16) -> bool {
        damage >= FELLED
    }

    /// Damage of a stem that has fallen towards the heading of (x, y).
    pub fn felled(x: f64, y: f64) -> u16 {
        let turn = atan2(y, x) / std::f64::consts::TAU;
        FELLED | ((turn * 256.0).round().rem_euclid(256.0) as u16).min(255)
    }

    /// Heading in which a stem with this damage lies, rad.
    pub fn fall(damage: u16) -> Option<f64> {
        let turn = f64::from(damage & 0xff) / 256.0;
        Stem::lies(damage).then_some(turn * std::f64::consts::TAU)
    }

    /// What it answers where a body has come `push` m into the place where it stood, at a
    /// height, m, when its hinge has yielded by `damage` so far; `body` is the stiffness of what pushes, N/m.
    pub fn resist(&self, push: f64, height: f64, damage: u16, body: f64) -> Resistance {
        let mut yielded = f64::from(damage) / UNITS;
        let end = Stem::felled_at(height);
        if Stem::lies(damage) || yielded >= end {
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
        // rounded up: what yields, yields by a unit at least
        let damage = ((yielded * UNITS).ceil() as u16).clamp(damage, FELLED - 1);
        Resistance { stiffness: 0.0, force: holds(yielded), damage }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_force_is_the_published_one() {
        // the note's table for H = 60 cm, in kN, to the digits that it gives
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
        // 40 - H/2 pounds for a cubic inch, where the slender ones' factor is 1
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
            let now = stem.resist(f64::from(k) * step, height, damage, 1e6);
            assert!(now.damage >= damage);
            damage = now.damage;
            work += now.force * step;
        }
        assert!(Stem::lies(damage));
        work
    }

    #[test]
    fn a_push_takes_the_force_times_its_height() {
        let stem = Stem { diameter: 0.1, height: 6.0 };
        // holds over 0.8 of its way, falls over the rest to about a half: 0.9 F H, and the
        // spring gives back what it has stored only while it falls
        let (height, force) = (0.6, override_force(0.1, 0.6));
        let found = work(&stem, height) / (force * height);
        assert!((0.85..1.1).contains(&found), "{found}");
    }

    #[test]
    fn a_stem_that_is_not_overcome_springs_back_unhurt() {
        let stem = Stem { diameter: 0.4, height: 9.0 };
        let pushed = stem.resist(0.1, 0.6, 0, 1e6);
        assert_eq!(pushed.damage, 0);
        assert!(pushed.force > 1e4);
        assert_eq!(stem.resist(0.0, 0.6, 0, 1e6).force, 0.0);
    }
}
