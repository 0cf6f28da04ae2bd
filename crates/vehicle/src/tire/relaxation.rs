//! Relaxation of a tire's tangential force towards its slip curve.
//!
//! The contact is a linear damper with the secant of the steady curve, κ = f(s)/|v|. It is in
//! series with the carcass, whose stiffness is c, damping d and deflection x. In each direction
//! c x + d ẋ = -κ (v + ẋ) and F = c x + d ẋ (Rill's first-order dynamics). While the tire rolls,
//! this is a relaxation length of about f'(0)/c. At standstill κ = f/|v| makes it Dahl's friction:
//! a spring that yields at the greatest force, so a parked vehicle stays in place.
//!
//! In an implicit step h with constant κ, the force is linear in the sliding velocity at the end of
//! the step. Its slope is the series of κ and c h + d, which is never stiffer than the carcass at
//! any wheel speed. The step is stable for any h.

use super::TMeasy;
use serde::{Deserialize, Serialize};

/// Lower bound of the transport velocity in the slip, m/s.
///
/// With it, a parked HMMWV on a 30 % slope creeps by less than 2e-6 m/s.
const LEAST_TRANSPORT: f64 = 1e-4;

/// Deflection of the carcass in the contact frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TireState {
    /// Longitudinal and lateral deflection, m; the force on the wheel is along it.
    pub deflection: [f64; 2],
}

/// Motion of the wheel over the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RollingState {
    /// Normal force, N.
    pub load: f64,
    /// Velocity of the tread over the ground without deflection, m/s: longitudinal and lateral.
    pub sliding: [f64; 2],
    /// Speed at which tread passes through the contact, |ω| times rolling radius, m/s.
    pub transport: f64,
    /// Friction coefficient of the ground.
    pub friction: f64,
}

/// Tangential force with its tangents for an implicit step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TangentialForce {
    /// Force on the wheel at the present sliding velocity, N: longitudinal and lateral.
    pub force: [f64; 2],
    /// Negative derivative with respect to the sliding velocity, N s/m.
    pub damping: [f64; 2],
    /// Slip: sliding over transport velocity, longitudinal (positive when braking) and lateral.
    pub slip: [f64; 2],
    /// Secant of the contact, N s/m.
    contact: f64,
}

impl TMeasy {
    /// Returns the tangential force for a step of `h` seconds.
    pub fn tangential(&self, rolling: &RollingState, state: &TireState, h: f64) -> TangentialForce {
        let transport = rolling.transport.max(LEAST_TRANSPORT);
        let slip = rolling.sliding.map(|v| v / transport);
        let contact = self.secant_at(rolling.load, slip, transport, rolling.friction) / transport;
        let mut tangential = TangentialForce { slip, contact, ..TangentialForce::default() };
        for axis in 0..2 {
            let carcass = self.carcass_stiffness[axis] * h + self.carcass_damping[axis];
            let rate = self.rate(axis, state, contact, rolling.sliding[axis], h);
            tangential.force[axis] =
                self.carcass_stiffness[axis] * state.deflection[axis] + carcass * rate;
            tangential.damping[axis] = carcass * contact / (carcass + contact);
        }
        tangential
    }

    /// Advances the carcass by a step of `h` seconds with the sliding velocity at its end, m/s.
    pub fn advance_carcass(
        &self,
        tangential: &TangentialForce,
        sliding: [f64; 2],
        state: &mut TireState,
        h: f64,
    ) {
        for (axis, velocity) in sliding.into_iter().enumerate() {
            state.deflection[axis] += h * self.rate(axis, state, tangential.contact, velocity, h);
        }
    }

    /// Rate of deflection at the end of the step, m/s.
    fn rate(&self, axis: usize, state: &TireState, contact: f64, velocity: f64, h: f64) -> f64 {
        let spring = self.carcass_stiffness[axis];
        let resistance = self.carcass_damping[axis] + spring * h + contact;
        -(spring * state.deflection[axis] + contact * velocity) / resistance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::numeric::GRAVITY;

    fn hmmwv() -> TMeasy {
        crate::find_wheeled("hmmwv").unwrap().tire.handling
    }

    #[test]
    fn settles_to_the_steady_force_over_a_relaxation_length() {
        let tire = hmmwv();
        let rolling =
            RollingState { load: 6000.0, sliding: [0.0, 0.05], transport: 5.0, friction: 0.8 };
        let mut state = TireState::default();
        let h = 1e-4;
        let steady = -tire.secant(6000.0, [0.0, 0.01], 0.8) * 0.01;
        let mut first = 0.0;
        let mut tangential = TangentialForce::default();
        for step in 0..10_000 {
            tangential = tire.tangential(&rolling, &state, h);
            tire.advance_carcass(&tangential, rolling.sliding, &mut state, h);
            // without the carcass's damping: 1 - 1/e after the relaxation length κ/c v
            let length = tire.secant(6000.0, [0.0, 0.01], 0.8) / tire.carcass_stiffness[1]
                + tire.carcass_damping[1] / tire.carcass_stiffness[1] * 5.0;
            if first == 0.0 && 5.0 * h * f64::from(step) >= length {
                first = tire.carcass_stiffness[1] * state.deflection[1] / steady;
            }
        }
        assert!((tangential.force[1] - steady).abs() < 1e-6 * steady.abs());
        // implicit Euler at a hundredth of the time constant: half a percent
        assert!((first - (1.0 - (-1.0_f64).exp())).abs() < 0.01, "{first}");
    }

    /// A block of `mass` on one locked tire under a constant force.
    ///
    /// Returns velocity and position after `seconds`.
    fn block(push: f64, velocity: f64, h: f64, seconds: f64) -> (f64, f64) {
        pushed(|_| push, velocity, h, seconds)
    }

    /// The same under a time-dependent force.
    fn pushed(push: impl Fn(f64) -> f64, velocity: f64, h: f64, seconds: f64) -> (f64, f64) {
        let (tire, mass) = (hmmwv(), 643.0);
        let (mut state, mut v, mut x) = (TireState::default(), velocity, 0.0);
        for step in 0..(seconds / h) as usize {
            let push = push(h * step as f64);
            let rolling = RollingState {
                load: mass * GRAVITY,
                sliding: [v, 0.0],
                transport: 0.0,
                friction: 0.8,
            };
            let t = tire.tangential(&rolling, &state, h);
            v += h * (push + t.force[0]) / (mass + h * t.damping[0]);
            tire.advance_carcass(&t, [v, 0.0], &mut state, h);
            x += h * v;
        }
        (v, x)
    }

    #[test]
    fn a_parked_vehicle_stays_on_a_slope_at_any_step() {
        let push = 0.3 * 643.0 * GRAVITY;
        for h in [1e-4, 1e-3, 4e-3] {
            let (_, settled) = block(push, 0.0, h, 5.0);
            let (v, x) = block(push, 0.0, h, 35.0);
            assert!(v.abs() < 2e-6, "creeps at {v} m/s with a step of {h}");
            assert!((x - settled).abs() < 1e-4, "crept {} m", x - settled);
        }
    }

    /// A parked vehicle holds up to the tires' greatest force and slides above it.
    #[test]
    fn a_parked_vehicle_is_held_by_the_greatest_force() {
        let (tire, mass) = (hmmwv(), 643.0);
        let at = |slip: f64| tire.secant(mass * GRAVITY, [slip, 0.0], 0.8) * slip;
        let most = (1..100).map(|n| at(0.005 * f64::from(n))).fold(0.0, f64::max);
        // The force grows over 4 s: after a sudden load the carcass would overshoot.
        let grown =
            |share: f64| pushed(|time| share * most * (0.25 * time).min(1.0), 0.0, 1e-3, 8.0);
        let (v, _) = grown(0.95);
        // it creeps with the slip of a rolling tire, at the lower bound of the transport velocity
        assert!(v.abs() < 1e-4, "{v} m/s");
        let (v, _) = grown(1.05);
        assert!(v > 1.0, "{v} m/s");
    }

    #[test]
    fn a_locked_wheel_slides_to_a_stop_and_does_not_turn_back() {
        // ∫ m v/F dv from 0 to 5 m/s by the midpoint rule with thousandths. F falls with the
        // velocity from the greatest force to that of sliding.
        let (load, mass) = (643.0 * GRAVITY, 643.0);
        let force = |v: f64| hmmwv().secant_at(load, [1e4 * v, 0.0], 1e-4, 0.8) * 1e4 * v;
        let middles = (0..1000).map(|n| 5e-3 * (f64::from(n) + 0.5));
        let expected: f64 = middles.map(|v| 5e-3 * mass * v / force(v)).sum();
        assert!(force(0.3) > 0.9 * load && force(2.1) < 0.5 * load);
        for h in [1e-3, 4e-3] {
            let (v, x) = block(0.0, 5.0, h, 10.0);
            assert!(v.abs() < 1e-6);
            // tolerance for the recoil of the carcass, 2 %, and for h v / 2
            assert!((x - expected).abs() < 0.02 * expected, "{x} m instead of {expected}");
        }
    }

    #[test]
    fn damping_is_never_stiffer_than_the_carcass() {
        let tire = hmmwv();
        for transport in [0.0, 1e-3, 1.0, 30.0] {
            for sliding in [0.0, 1e-9, 1e-3, 0.1, 5.0] {
                let rolling = RollingState {
                    load: 6000.0,
                    sliding: [sliding, -sliding],
                    transport,
                    friction: 0.8,
                };
                let t = tire.tangential(&rolling, &TireState::default(), 1e-3);
                for axis in 0..2 {
                    let most = 1e-3 * tire.carcass_stiffness[axis] + tire.carcass_damping[axis];
                    assert!(t.damping[axis] >= 0.0 && t.damping[axis] <= most);
                    assert!(t.force[axis].is_finite());
                }
            }
        }
    }
}
