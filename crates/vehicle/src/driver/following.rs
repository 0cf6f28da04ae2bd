//! Rules that keep a vehicle behind a leader.
//!
//! Every rule computes a target speed from gap and speeds. The target never exceeds the speed that
//! the road allows.

use super::{Cooperative, LeaderView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rule for the gap to the vehicle ahead.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Following {
    /// The same gap at any speed.
    ConstantGap(ConstantGap),
    /// A gap that grows with speed.
    ConstantTimeGap(ConstantTimeGap),
    /// The Intelligent Driver Model.
    Idm(Idm),
    /// Cooperative adaptive cruise control.
    Cooperative(Cooperative),
}

/// Constant gap: the target speed is the leader's speed, corrected by the error of the gap.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConstantGap {
    /// Desired gap, m.
    pub gap: f64,
    /// Change of target speed over the error of the gap, 1/s.
    pub gain: f64,
}

impl Default for ConstantGap {
    fn default() -> Self {
        ConstantGap { gap: 15.0, gain: 0.3 }
    }
}

/// Constant time gap: the target is the speed at which the gap is correct.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConstantTimeGap {
    /// Gap over speed, s.
    pub time_gap: f64,
    /// Gap at standstill, m.
    pub min_gap: f64,
    /// Change of target speed over the error of the gap, 1/s.
    pub gain: f64,
}

impl Default for ConstantTimeGap {
    fn default() -> Self {
        ConstantTimeGap { time_gap: 2.0, min_gap: 8.0, gain: 0.3 }
    }
}

/// The Intelligent Driver Model: a = a₀ (1 - (v/v₀)^δ - (s*/s)²) with
/// s* = s₀ + max(0, v T + v Δv / (2 √(a₀ b))).
///
/// Source: M. Treiber, A. Hennecke, D. Helbing, "Congested traffic states in
/// empirical observations and microscopic simulations", Physical Review E 62
/// (2000) 1805. v₀ is the speed that the road allows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Idm {
    /// Time gap T, s.
    pub time_gap: f64,
    /// Gap at standstill s₀, m.
    pub min_gap: f64,
    /// Largest acceleration a₀, m/s².
    pub acceleration: f64,
    /// Comfortable deceleration b, m/s².
    pub deceleration: f64,
    /// Exponent δ of free driving.
    pub exponent: f64,
    /// Time within which the acceleration is converted to a speed, s.
    pub response_time: f64,
}

impl Default for Idm {
    fn default() -> Self {
        Idm {
            time_gap: 1.5,
            min_gap: 8.0,
            acceleration: 1.5,
            deceleration: 2.0,
            exponent: 4.0,
            response_time: 1.0,
        }
    }
}

impl Idm {
    /// Acceleration, m/s², at `speed` where the road allows `free_speed` (m/s).
    pub fn acceleration(&self, speed: f64, free_speed: f64, leader: &LeaderView) -> f64 {
        let speed = speed.max(0.0);
        let closing = speed - leader.speed;
        let dynamic = speed * self.time_gap
            + speed * closing / (2.0 * (self.acceleration * self.deceleration).sqrt());
        let wanted = self.min_gap + dynamic.max(0.0);
        let free = bekker_math::numeric::pow(speed / free_speed.max(0.1), self.exponent);
        let interaction = wanted / leader.gap.max(0.1);
        self.acceleration * (1.0 - free - interaction * interaction)
    }

    /// Equilibrium gap, m, behind a leader of the same `speed` (m/s), below the `free_speed` that
    /// the road allows.
    ///
    /// At this gap the vehicle neither accelerates nor brakes.
    pub fn equilibrium_gap(&self, speed: f64, free_speed: f64) -> f64 {
        let free = bekker_math::numeric::pow(speed / free_speed, self.exponent);
        (self.min_gap + speed * self.time_gap) / (1.0 - free).max(f64::MIN_POSITIVE).sqrt()
    }
}

impl Following {
    /// Target speed, m/s, where the road allows `free_speed`.
    pub fn target_speed(&self, speed: f64, free_speed: f64, leader: &LeaderView) -> f64 {
        let target = match self {
            Following::ConstantGap(rule) => leader.speed + rule.gain * (leader.gap - rule.gap),
            Following::ConstantTimeGap(rule) => {
                let wanted = rule.min_gap + rule.time_gap * speed.max(0.0);
                leader.speed + rule.gain * (leader.gap - wanted)
            }
            Following::Idm(rule) => {
                speed + rule.response_time * rule.acceleration(speed, free_speed, leader)
            }
            Following::Cooperative(rule) => rule.target_speed(speed, leader),
        };
        target.clamp(0.0, free_speed.max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gap and speed after `seconds` behind a leader of constant speed.
    ///
    /// The vehicle reaches its target speed within about one second.
    fn settle(rule: &Following, leader_speed: f64, free_speed: f64, seconds: f64) -> (f64, f64) {
        let (mut gap, mut speed, h) = (40.0_f64, 0.0_f64, 0.01);
        let mut least = gap;
        for _ in 0..(seconds / h) as usize {
            let leader = LeaderView { gap, speed: leader_speed, demand: None };
            let target = rule.target_speed(speed, free_speed, &leader);
            speed += h * (target - speed).clamp(-4.0, 2.0);
            gap += h * (leader_speed - speed);
            least = least.min(gap);
        }
        (gap, least)
    }

    #[test]
    fn idm_settles_to_its_equilibrium_gap() {
        let idm = Idm::default();
        let expected = (8.0 + 1.5 * 6.0) / (1.0 - (6.0_f64 / 10.0).powi(4)).sqrt();
        assert!((idm.equilibrium_gap(6.0, 10.0) - expected).abs() < 1e-9);
        let leader = LeaderView { gap: expected, speed: 6.0, demand: None };
        assert!(idm.acceleration(6.0, 10.0, &leader).abs() < 1e-9);
        let (gap, _) = settle(&Following::Idm(idm), 6.0, 10.0, 200.0);
        assert!((gap - expected).abs() < 0.05, "{gap} is not {expected}");
    }

    #[test]
    fn constant_rules_settle_to_their_gaps() {
        let (gap, _) = settle(&Following::ConstantGap(ConstantGap::default()), 6.0, 12.0, 200.0);
        assert!((gap - 15.0).abs() < 0.05);
        let rule = Following::ConstantTimeGap(ConstantTimeGap::default());
        let (gap, _) = settle(&rule, 6.0, 12.0, 200.0);
        assert!((gap - 20.0).abs() < 0.05);
    }

    #[test]
    fn no_follower_hits_a_stationary_leader() {
        let rules = [
            Following::ConstantGap(ConstantGap::default()),
            Following::ConstantTimeGap(ConstantTimeGap::default()),
            Following::Idm(Idm::default()),
        ];
        for rule in rules {
            let (gap, least) = settle(&rule, 0.0, 8.0, 120.0);
            assert!(least > 5.0 && gap > 5.0, "{rule:?} reaches a gap of {least} m");
        }
    }

    #[test]
    fn the_road_limits_the_speed() {
        let leader = LeaderView { gap: 500.0, speed: 30.0, demand: None };
        let rule = Following::ConstantGap(ConstantGap::default());
        assert_eq!(rule.target_speed(5.0, 7.0, &leader), 7.0);
    }
}
