//! Keeping a speed with throttle and brake.

use crate::vehicle::Controls;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Excess of speed, m/s, beyond which the integral does not turn to braking.
const INTEGRAL_BAND: f64 = 1.0;
/// Largest negative integral: a steady descent.
const MOST_BRAKING_INTEGRAL: f64 = 0.5;

/// Gains of a PID controller of speed; the defaults suit the HMMWV.
///
/// Its output drives the throttle above zero and the brake below minus the
/// coasting band. The integral does not grow while the throttle is wide open,
/// nor turn negative while the vehicle is still far too fast, nor move while it
/// coasts, so that neither being stuck nor a hard stop winds it up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpeedControl {
    /// Output over error of speed, s/m.
    pub proportional: f64,
    /// Growth of the output over error of speed, 1/m.
    pub integral: f64,
    /// Output over acceleration, s²/m, against it.
    pub derivative: f64,
    /// Output below zero in which the vehicle coasts before it brakes.
    pub coasting: f64,
    /// Brake over output.
    pub braking: f64,
    /// Brake while standing.
    pub hold: f64,
}

impl Default for SpeedControl {
    fn default() -> Self {
        SpeedControl {
            proportional: 0.4,
            integral: 0.15,
            derivative: 0.0,
            coasting: 0.1,
            braking: 0.6,
            hold: 0.5,
        }
    }
}

/// Memory of a speed controller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpeedState {
    /// Integral part of the output.
    pub integral: f64,
    /// Speed of the step before, m/s.
    pub last_speed: Option<f64>,
}

impl SpeedControl {
    /// Throttle and brake for a step of `h` seconds towards `target` (m/s).
    pub fn controls(&self, state: &mut SpeedState, target: f64, speed: f64, h: f64) -> Controls {
        let acceleration = state.last_speed.map_or(0.0, |last| (speed - last) / h);
        state.last_speed = Some(speed);
        let error = target - speed;
        let direct = self.proportional * error - self.derivative * acceleration;
        let output = direct + state.integral;
        let winding_up = error > 0.0 && output >= 1.0;
        let winding_down = error < -INTEGRAL_BAND && state.integral <= 0.0;
        let idle =
            error < 0.0 && output <= 0.0 && output >= -self.coasting && state.integral <= 0.0;
        if !(winding_up || winding_down || idle) {
            let grown = state.integral + self.integral * error * h;
            state.integral = grown.clamp(-MOST_BRAKING_INTEGRAL, 1.0);
        }
        Controls {
            throttle: output.clamp(0.0, 1.0),
            steering: 0.0,
            brake: (self.braking * (-output - self.coasting)).clamp(0.0, 1.0),
        }
    }

    /// Commands that keep a standing vehicle where it is.
    pub fn standing(&self, state: &mut SpeedState) -> Controls {
        *state = SpeedState::default();
        Controls { throttle: 0.0, steering: 0.0, brake: self.hold }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vehicle that answers throttle with 4 m/s², brake with -8 m/s², and drags.
    fn drive(drag: f64, target: impl Fn(f64) -> f64, seconds: f64) -> Vec<f64> {
        let control = SpeedControl::default();
        let (mut state, mut speed, h) = (SpeedState::default(), 0.0_f64, 0.01);
        (0..(seconds / h) as usize)
            .map(|step| {
                let c = control.controls(&mut state, target(h * step as f64), speed, h);
                assert!(c.throttle == 0.0 || c.brake == 0.0, "throttle against brake");
                let force = 4.0 * c.throttle - 8.0 * c.brake - drag;
                speed = (speed + h * force).max(0.0);
                speed
            })
            .collect()
    }

    #[test]
    fn reaches_its_speed_against_drag_without_an_offset() {
        for drag in [0.0, 1.0, 2.5] {
            let speeds = drive(drag, |_| 8.0, 60.0);
            // without drag it coasts within its band of 0.1 / 0.4 m/s
            let offset = if drag == 0.0 { 0.251 } else { 0.02 };
            assert!((speeds.last().unwrap() - 8.0).abs() < offset);
            let most = speeds.iter().fold(0.0_f64, |most, speed| most.max(*speed));
            assert!(most < 8.0 + 1.2, "overshoots to {most}");
        }
    }

    #[test]
    fn does_not_wind_up_while_it_cannot_reach_its_speed() {
        // 60 s short of its speed with a wide open throttle, then told to stop
        let control = SpeedControl::default();
        let mut state = SpeedState::default();
        for _ in 0..6000 {
            let c = control.controls(&mut state, 4.0, 2.0, 0.01);
            assert!(c.throttle <= 1.0);
        }
        // what the proportional part of 0.8 leaves open, and one step
        assert!(state.integral <= 0.2 + 0.01, "wound up to {}", state.integral);
        let slow = control.controls(&mut state, 0.0, 2.0, 0.01);
        assert_eq!(slow.throttle, 0.0);
        assert!(slow.brake > 0.0, "still drives after having been stuck");
    }

    #[test]
    fn slows_down_and_follows_a_change() {
        let speeds = drive(0.5, |t| if t < 20.0 { 10.0 } else { 4.0 }, 60.0);
        assert!((speeds[1999] - 10.0).abs() < 0.3);
        assert!((speeds.last().unwrap() - 4.0).abs() < 0.05);
    }
}
