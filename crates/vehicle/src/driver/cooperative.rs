//! Cooperative adaptive cruise control (CACC): keeping behind a leader that sends its acceleration
//! by radio.

use super::LeaderView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Cooperative adaptive cruise control by the law of Ploeg et al.: h du/dt = -u + k_p e + k_d ė +
/// u₋₁. The error of the gap is e = d - (r + h v), with ė = v₋₁ - v - h u. u is the target
/// acceleration, u₋₁ the last value received from the leader, d the gap, and v and v₋₁ are the
/// speeds.
///
/// If accelerations equal their targets, a follower responds to its leader's motion by
/// Γ(s) = (k_p + k_d s + D(s) s²) / ((1 + h s)(s² + k_d s + k_p)), where D is the delay of the
/// radio. A platoon is string stable if |Γ| <= 1 at all frequencies. Without radio (D = 0, adaptive cruise control)
/// this holds for h = √(2 / k_p) and above. With a radio without delay, Γ = 1 / (1 + h s), and it
/// holds for any h.
///
/// Source, also of the gains: J. Ploeg, B. Scheepers, E. van Nunen, N. van de Wouw, H. Nijmeijer,
/// "Design and experimental evaluation of cooperative adaptive cruise control", IEEE ITSC 2011,
/// 260-265. Degradation: J. Ploeg et al., "Graceful degradation of cooperative adaptive cruise
/// control", IEEE Transactions on Intelligent Transportation Systems 16 (2015) 488.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cooperative {
    /// Time gap h while the leader's beacons are received, s.
    pub time_gap: f64,
    /// Time gap h while the leader's beacons are not received, s.
    pub time_gap_unheard: f64,
    /// Gap at standstill r, m.
    pub min_gap: f64,
    /// Gain k_p on the error of the gap, 1/s².
    pub gap_gain: f64,
    /// Gain k_d on the rate of the error of the gap, 1/s.
    pub speed_gain: f64,
    /// Number of consecutive beacons of the leader that may be lost before the leader counts as
    /// unheard.
    pub lost_beacons: u32,
    /// Maximum target acceleration, m/s².
    pub acceleration: f64,
    /// Maximum target deceleration, m/s².
    pub deceleration: f64,
    /// Time within which the acceleration is converted to a speed, s.
    pub response_time: f64,
}

impl Default for Cooperative {
    fn default() -> Self {
        Cooperative {
            time_gap: 0.7,
            time_gap_unheard: 3.2,
            min_gap: 8.0,
            gap_gain: 0.2,
            speed_gain: 0.7,
            lost_beacons: 3,
            acceleration: 2.0,
            deceleration: 6.0,
            response_time: 0.5,
        }
    }
}

impl Cooperative {
    /// Target acceleration, m/s², one step of `h` seconds after it was `demand`, at `speed` (m/s).
    ///
    /// `leader_acceleration` is the leader's acceleration, if its beacons are received.
    pub fn demand(
        &self,
        demand: f64,
        speed: f64,
        leader: &LeaderView,
        leader_acceleration: Option<f64>,
        h: f64,
    ) -> f64 {
        let time_gap =
            if leader_acceleration.is_some() { self.time_gap } else { self.time_gap_unheard };
        let error = leader.gap - (self.min_gap + time_gap * speed);
        let closing = leader.speed - speed - time_gap * demand;
        let wanted =
            self.gap_gain * error + self.speed_gain * closing + leader_acceleration.unwrap_or(0.0);
        // implicit in the lag, so that the step is stable for any time gap
        let next = (demand + h / time_gap * wanted) / (1.0 + h / time_gap);
        next.clamp(-self.deceleration, self.acceleration)
    }

    /// Target speed for that acceleration, m/s.
    pub(super) fn target_speed(&self, speed: f64, leader: &LeaderView) -> f64 {
        speed + self.response_time * leader.demand.unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    const STEP: f64 = 0.01;

    /// |Γ(iω)| of the law with a radio delay, s; `None` is without radio.
    fn gain(rule: &Cooperative, delay: Option<f64>, omega: f64) -> f64 {
        let h = if delay.is_some() { rule.time_gap } else { rule.time_gap_unheard };
        let told = delay.map_or([0.0; 2], |delay| {
            let (sin, cos) = (delay * omega).sin_cos();
            [-omega * omega * cos, omega * omega * sin]
        });
        let above = [rule.gap_gain + told[0], rule.speed_gain * omega + told[1]];
        let below = [rule.gap_gain - omega * omega, rule.speed_gain * omega];
        let size = |[re, im]: [f64; 2]| re.hypot(im);
        size(above) / (size([1.0, h * omega]) * size(below))
    }

    /// Largest |Γ| over all frequencies.
    fn worst(rule: &Cooperative, delay: Option<f64>) -> f64 {
        let omegas = (1..20_000).map(|k| 1e-3 * f64::from(k));
        omegas.map(|omega| gain(rule, delay, omega)).fold(0.0, f64::max)
    }

    /// Amplitudes of the speeds of vehicles behind a leader that oscillates with `omega` at 20 m/s,
    /// each relative to the vehicle ahead.
    ///
    /// The vehicles are point masses whose accelerations equal their targets.
    fn platoon(rule: &Cooperative, delay: Option<f64>, omega: f64) -> Vec<f64> {
        const CARS: usize = 4;
        let (cruise, swing) = (20.0, 0.2);
        let h = if delay.is_some() { rule.time_gap } else { rule.time_gap_unheard };
        let spacing = rule.min_gap + h * cruise;
        let mut place: Vec<f64> = (0..CARS).map(|car| -spacing * car as f64).collect();
        let (mut speed, mut demand) = ([cruise; CARS], [0.0_f64; CARS]);
        let late = (delay.unwrap_or(0.0) / STEP).round() as usize;
        let mut told: Vec<VecDeque<f64>> = vec![VecDeque::from(vec![0.0; late]); CARS];
        let mut extremes = [[f64::INFINITY, f64::NEG_INFINITY]; CARS];
        let period = std::f64::consts::TAU / omega;
        // initial transients have decayed after some dozens of the slowest time constants
        let (settled, end) = (200.0, 200.0 + 2.0 * period);
        for step in 0..(end / STEP) as usize {
            let time = STEP * step as f64;
            let before = (place.clone(), speed, demand);
            for car in 0..CARS {
                if car == 0 {
                    demand[0] = swing * omega * (omega * time).cos();
                } else {
                    let ahead = car - 1;
                    let gap = before.0[ahead] - before.0[car];
                    let leader = LeaderView { gap, speed: before.1[ahead], demand: None };
                    told[car].push_back(before.2[ahead]);
                    let heard = told[car].pop_front().filter(|_| delay.is_some());
                    demand[car] = rule.demand(before.2[car], before.1[car], &leader, heard, STEP);
                }
                place[car] += STEP * (speed[car] + 0.5 * STEP * demand[car]);
                speed[car] += STEP * demand[car];
                if time > settled {
                    let [least, most] = &mut extremes[car];
                    (*least, *most) = (least.min(speed[car]), most.max(speed[car]));
                }
            }
        }
        let amplitudes: Vec<f64> = extremes.iter().map(|[least, most]| most - least).collect();
        amplitudes.windows(2).map(|pair| pair[1] / pair[0]).collect()
    }

    #[test]
    fn a_platoon_answers_by_its_transfer_function() {
        let rule = Cooperative::default();
        let short = Cooperative { time_gap_unheard: 1.0, ..rule };
        for (rule, delay) in [(rule, Some(0.0)), (rule, Some(0.2)), (rule, None), (short, None)] {
            for omega in [0.2, 0.45, 1.0] {
                let expected = gain(&rule, delay, omega);
                for found in platoon(&rule, delay, omega) {
                    // a step of 10 ms delays observations by at most two steps: 0.02 ω of the
                    // amplitude
                    assert!(
                        (found - expected).abs() < 0.02,
                        "{delay:?} {omega}: {found} {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn without_radio_the_critical_time_gap_is_the_root_of_two_over_the_gain() {
        let critical = (2.0 / Cooperative::default().gap_gain).sqrt();
        // the 3.16 s of Ploeg et al. for these gains
        assert!((critical - 3.16).abs() < 0.005, "{critical}");
        let at = |time_gap_unheard| Cooperative { time_gap_unheard, ..Cooperative::default() };
        assert!(worst(&at(1.001 * critical), None) <= 1.0 + 1e-9);
        assert!(worst(&at(0.95 * critical), None) > 1.0);
        // slow oscillations grow from car to car below the critical gap and decay above it
        let swings = |factor| platoon(&at(factor * critical), None, 0.2);
        assert!(swings(0.6).iter().all(|ratio| *ratio > 1.01), "{:?}", swings(0.6));
        assert!(swings(1.2).iter().all(|ratio| *ratio < 1.0), "{:?}", swings(1.2));
    }

    #[test]
    fn with_radio_a_short_time_gap_is_stable_and_its_delay_sets_the_least() {
        let at = |time_gap| Cooperative { time_gap, ..Cooperative::default() };
        assert!(worst(&at(0.1), Some(0.0)) <= 1.0 + 1e-9);
        // the least stable time gap at a delay, by bisection
        let least = |delay: f64| {
            let (mut unstable, mut stable) = (0.01, 3.0);
            for _ in 0..40 {
                let middle = 0.5 * (unstable + stable);
                let is_stable = worst(&at(middle), Some(delay)) <= 1.0 + 1e-9;
                if is_stable { stable = middle } else { unstable = middle }
            }
            stable
        };
        let [early, late] = [0.05, 0.15].map(least);
        assert!(early < late && late < 0.7, "{early} s, {late} s");
        let default = Cooperative::default().time_gap;
        assert!(worst(&at(default), Some(0.15)) <= 1.0 + 1e-9);
    }
}
