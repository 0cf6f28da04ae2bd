//! Adaptation of a follower to soft ground that vehicles ahead report.
//!
//! Soil is hidden from a driver until wheels turn in it. The slip of the vehicles ahead shows where
//! it is soft. There the follower leaves their ruts, keeps its distance until they are
//! through, and lowers the inflation of its tires.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Speed below which a slip does not count, m/s.
const LEAST_SPEED: f64 = 0.5;
/// Acceleration above which a slip does not count, m/s²: it also takes slip on firm ground.
const MOST_ACCELERATION: f64 = 1.0;
/// Lateral over forward speed while the vehicle changes its lane.
const LANE_CHANGE: f64 = 0.15;

/// Response of a follower to soft ground.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SoilAdaptation {
    /// Mean slip of a vehicle ahead from which its ground is soft.
    pub slip: f64,
    /// Offset from the path on soft ground, m, positive to the left.
    pub offset: f64,
    /// Additional gap until the vehicle enters the soft ground, m.
    pub gap: f64,
    /// Inflation on soft ground and otherwise, Pa, if the driver changes it.
    pub inflations: Option<[f64; 2]>,
}

/// Report of a vehicle ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlipReport {
    /// Its position along the follower's path, m.
    pub station: f64,
    /// Its speed in the direction of travel, m/s.
    pub speed: f64,
    /// Its acceleration, m/s².
    pub acceleration: f64,
    /// Mean slip of its wheels.
    pub slip: f64,
}

impl SlipReport {
    /// Whether the slip is that of soft ground and not of a start.
    fn is_of_soft_ground(&self, limit: f64) -> bool {
        self.slip > limit && self.speed > LEAST_SPEED && self.acceleration < MOST_ACCELERATION
    }
}

/// Motion of the follower along its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FollowerMotion {
    /// Positions of its front and its rear along the path, m.
    pub ends: [f64; 2],
    /// Its speed, m/s.
    pub speed: f64,
}

/// State of the adaptation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SoilAdaptationState {
    /// Positions along the path between which vehicles ahead reported soft ground, m.
    pub soft: Option<[f64; 2]>,
    /// Present offset from the path, m, positive to the left.
    pub aside: f64,
    /// Present additional gap, m.
    pub gap: f64,
    /// Inflation that the driver requests, Pa, once it has changed it.
    pub inflation: Option<f64>,
}

impl SoilAdaptationState {
    /// Whether all values are finite.
    pub fn is_valid(&self) -> bool {
        let [from, until] = self.soft.unwrap_or_default();
        let values = [from, until, self.aside, self.gap, self.inflation.unwrap_or(0.0)];
        values.iter().all(|value| value.is_finite())
    }
}

impl SoilAdaptation {
    /// Updates the state by the reports of vehicles ahead, over `h` seconds.
    ///
    /// Soft stretches merge until the vehicle's rear has left the last one.
    pub fn update(
        &self,
        state: &mut SoilAdaptationState,
        reports: impl Iterator<Item = SlipReport>,
        motion: &FollowerMotion,
        h: f64,
    ) {
        let [front, rear] = motion.ends;
        let soft = reports.filter(|report| report.is_of_soft_ground(self.slip));
        for SlipReport { station, .. } in soft {
            let [from, until] = state.soft.unwrap_or([station; 2]);
            state.soft = Some([from.min(station), until.max(station)]);
        }
        state.soft = state.soft.filter(|[_, until]| rear < *until);
        let [offset, gap] = match state.soft {
            Some([from, _]) if front < from => [self.offset, self.gap],
            Some(_) => [self.offset, 0.0],
            None => [0.0; 2],
        };
        let change = LANE_CHANGE * motion.speed.abs() * h;
        state.aside = offset.clamp(state.aside - change, state.aside + change);
        state.gap = gap;
        if let Some([soft, firm]) = self.inflations {
            let has_changed = state.inflation.is_some();
            state.inflation = match state.soft {
                Some(_) => Some(soft),
                None => has_changed.then_some(firm),
            };
        }
    }
}

/// Returns the offset of a follower from the path of the first vehicle, m, positive to the left.
///
/// `place` is 1 for the first follower. Followers take lanes `width` apart in turn: left, right, two
/// lanes left, and so on, up to `most` m on either side. After the last lane the first vehicle's is
/// next.
pub fn lane_offset(place: usize, width: f64, most: f64) -> f64 {
    if width <= 0.0 {
        return 0.0;
    }
    let per_side = (most / width) as usize;
    let lane = place % (2 * per_side + 1);
    let away = lane.div_ceil(2) as f64 * width;
    if lane.is_multiple_of(2) { -away } else { away }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: SoilAdaptation =
        SoilAdaptation { slip: 0.2, offset: 0.6, gap: 10.0, inflations: Some([1e5, 2e5]) };

    fn step(state: &mut SoilAdaptationState, front: f64, slips: &[(f64, f64)]) {
        let motion = FollowerMotion { ends: [front, front - 5.0], speed: 4.0 };
        let reports = slips.iter().map(|&(station, slip)| SlipReport {
            station,
            speed: 4.0,
            acceleration: 0.0,
            slip,
        });
        LAW.update(state, reports, &motion, 0.1);
    }

    #[test]
    fn a_follower_adapts_until_its_rear_has_left_the_soft_ground() {
        let mut state = SoilAdaptationState::default();
        step(&mut state, 0.0, &[(20.0, 0.1)]);
        assert_eq!(state, SoilAdaptationState::default());
        step(&mut state, 1.0, &[(21.0, 0.3)]);
        assert_eq!((state.soft, state.gap, state.inflation), (Some([21.0; 2]), 10.0, Some(1e5)));
        assert_eq!(state.aside, 0.15 * 4.0 * 0.1);
        for number in 0..20 {
            step(&mut state, 2.0 + f64::from(number), &[(22.0 + f64::from(number), 0.3)]);
        }
        // the front has entered it
        assert_eq!((state.soft, state.gap, state.aside), (Some([21.0, 41.0]), 0.0, 0.6));
        step(&mut state, 45.9, &[(60.0, 0.1)]);
        assert_eq!(state.inflation, Some(1e5));
        (0..20).for_each(|_| step(&mut state, 46.1, &[(60.0, 0.1)]));
        assert_eq!((state.soft, state.aside, state.inflation), (None, 0.0, Some(2e5)));
        assert!(state.is_valid());
    }

    #[test]
    fn a_vehicle_that_starts_reports_no_soft_ground() {
        let mut state = SoilAdaptationState::default();
        let motion = FollowerMotion { ends: [0.0, -5.0], speed: 0.0 };
        let creeping = SlipReport { station: 20.0, speed: 0.3, acceleration: 0.0, slip: 0.9 };
        let pulling_away = SlipReport { speed: 2.0, acceleration: 4.0, slip: 0.3, ..creeping };
        LAW.update(&mut state, [creeping, pulling_away].into_iter(), &motion, 0.1);
        assert_eq!(state, SoilAdaptationState::default());
    }

    #[test]
    fn followers_take_lanes_in_turn() {
        let lanes =
            |width: f64| (0..8).map(|place| lane_offset(place, width, 3.0)).collect::<Vec<_>>();
        assert_eq!(lanes(1.0), [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.0]);
        assert_eq!(lanes(2.0), [0.0, 2.0, -2.0, 0.0, 2.0, -2.0, 0.0, 2.0]);
        assert_eq!(lanes(0.0), [0.0; 8]);
    }
}
