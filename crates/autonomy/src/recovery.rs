//! Recovery of a vehicle that is stuck.
//!
//! A vehicle is stuck if it is requested to move but does not for some seconds, or has no feasible
//! path. Then it backs off, marks the position as expensive and plans again.
//!
//! The path back depends on the case. Where the vehicle turns around and its map shows space, it
//! backs off by the arc that continues the turn (a turn in three moves or more). Otherwise it backs
//! off along its previous path, farther with each unsuccessful attempt, until it leaves a
//! place too narrow to turn in. Where the route lies ahead, arcs and the previous path
//! alternate. An arc is short, and to get around a hole in front of it the vehicle may need more
//! space.
//!
//! The vehicle is assumed to have reached its start from straight behind, over three times the
//! distance of the first attempt.
//!
//! An attempt ends where another vehicle blocks the path back, or where the map shows an obstacle
//! and this vehicle has not driven there itself. Obstacles that it has driven through, leaves for
//! example, do not stop it on the way back. An attempt also ends where the vehicle makes no
//! progress; that path back is then discarded.
//!
//! Without a feasible path it waits longer before each attempt, because the obstacle behind it may
//! be another vehicle and move. After a number of attempts without progress it gives up.

use super::costs::CostPenalty;
use bekker_math::numeric::hypot;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Parameters of recovery; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecoveryModel {
    /// Speed below which the vehicle counts as stationary, m/s.
    pub still: f64,
    /// Time that it is stationary despite a drive request before it backs off, s.
    pub patience: f64,
    /// Time without a feasible path before the first attempt, s; the n-th attempt waits n times as
    /// long.
    pub pathless: f64,
    /// Distance of the first attempt, m; the n-th attempt backs off n times as far.
    pub distance: f64,
    /// Longest duration of the first attempt, s; n times as long for the n-th attempt.
    pub duration: f64,
    /// Radius of the mark, m.
    pub radius: f64,
    /// Cost of the mark, added to the cost of 1.
    pub cost: f64,
    /// Number of attempts after which the vehicle gives up.
    pub attempts: u32,
    /// Distance driven after which an attempt counts as successful, m.
    pub helped: f64,
}

/// Fraction of a vehicle's maximum speed below which it counts as stationary.
const STILL: f64 = 0.2;

/// Arc backward that the map shows as free.
#[derive(Clone, Copy, Debug)]
pub struct FreeArc<'a> {
    /// Points of the arc, m; empty without one.
    pub arc: &'a [[f64; 2]],
    /// Whether the route lies behind the vehicle.
    pub is_behind: bool,
}

impl RecoveryModel {
    /// Returns the parameters of a vehicle that does not exceed a speed, m/s.
    ///
    /// Driving at its maximum speed does not count as being stationary.
    pub fn at_most(speed: f64) -> RecoveryModel {
        let usual = RecoveryModel::default();
        RecoveryModel { still: usual.still.min(STILL * speed), ..usual }
    }
}

impl Default for RecoveryModel {
    fn default() -> Self {
        RecoveryModel {
            still: 0.2,
            patience: 4.0,
            pathless: 1.0,
            distance: 4.0,
            duration: 12.0,
            radius: 2.5,
            cost: 8.0,
            attempts: 8,
            helped: 15.0,
        }
    }
}

/// Distance between recorded waypoints, m.
const SPACING: f64 = 0.5;
/// Largest number of recorded waypoints.
const PLACES: usize = 128;
/// Least distance between waypoints of a path back, m.
const LEAST_STEP: f64 = 0.1;
/// Shortest useful arc backward, m.
const SHORTEST: f64 = 1.0;
/// Length of the path behind a start that is assumed clear, relative to the distance of the first
/// attempt.
///
/// To turn toward a target at its side, a vehicle may have to back off twice.
const BEHIND: f64 = 3.0;
/// Distance tolerance at the end of the path back, m.
pub(super) const NEAR: f64 = 0.3;

/// A position on a path back.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waypoint {
    /// Position of the rear axle, m.
    pub at: [f64; 2],
    /// Whether the vehicle has driven there.
    pub driven: bool,
}

/// State of recovery.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecoveryState {
    /// Waypoints of the rear axle, driven or assumed, oldest first.
    driven: VecDeque<Waypoint>,
    /// Time for which the vehicle has been stationary, s.
    still_for: f64,
    /// Number of attempts since the last successful one.
    pub attempts: u32,
    /// Distance driven forward since the last attempt, m.
    since: f64,
    /// The path back and the time spent on it, s.
    pub backing: Option<(Vec<Waypoint>, f64)>,
}

impl RecoveryState {
    /// Path of the rear axle back from its current position, at most `most`, m.
    ///
    /// While backing off it is the rest of that path beyond station `gone`, m; otherwise it is the
    /// previous path of the vehicle.
    pub fn path_back(&self, rear: [f64; 2], gone: f64, most: f64) -> Vec<Waypoint> {
        match &self.backing {
            Some((way, _)) => path_through(rear, points_beyond(way, gone), most),
            None => path_through(rear, self.driven.iter().rev().copied(), most),
        }
    }
}

/// The path from a position through waypoints in order, until it is `most` meters long.
fn path_through(
    from: [f64; 2],
    mut places: impl Iterator<Item = Waypoint>,
    most: f64,
) -> Vec<Waypoint> {
    let mut way = vec![Waypoint { at: from, driven: true }];
    let mut length = 0.0;
    while length < most
        && let Some(place) = places.next()
    {
        let step = distance(way[way.len() - 1].at, place.at);
        if step > LEAST_STEP {
            length += step;
            way.push(place);
        }
    }
    way
}

/// The points of a path beyond a station, m.
fn points_beyond(way: &[Waypoint], station: f64) -> impl Iterator<Item = Waypoint> {
    let stations = way.windows(2).scan(0.0, |along, two| {
        *along += distance(two[0].at, two[1].at);
        Some((*along, two[1]))
    });
    stations.filter(move |(along, _)| *along >= station).map(|(_, place)| place)
}

impl RecoveryModel {
    /// Returns the state of a vehicle that has not moved yet: a straight path behind its rear axle.
    pub fn start(&self, rear: [f64; 2], heading: [f64; 2]) -> RecoveryState {
        let places = (BEHIND * self.distance / SPACING).round() as u32;
        let behind = |n: u32| {
            let by = SPACING * f64::from(n);
            let at = [rear[0] - by * heading[0], rear[1] - by * heading[1]];
            Waypoint { at, driven: false }
        };
        let driven = (0..=places).rev().map(behind).collect();
        RecoveryState { driven, ..RecoveryState::default() }
    }

    /// Records the position of the rear axle.
    pub fn record_position(&self, state: &mut RecoveryState, rear: [f64; 2]) {
        let gone = state.driven.back().map(|last| distance(rear, last.at));
        if gone.is_none_or(|gone| gone >= SPACING) {
            state.driven.push_back(Waypoint { at: rear, driven: true });
            state.since += gone.unwrap_or(0.0);
            if state.since > self.helped {
                state.attempts = 0;
            }
            if state.driven.len() > PLACES {
                state.driven.pop_front();
            }
        }
    }

    /// Returns whether the vehicle has been stationary for too long.
    ///
    /// The last `h` seconds count if drive was requested; without a path the timeout differs.
    pub fn is_stuck(
        &self,
        state: &mut RecoveryState,
        [is_to_move, has_path]: [bool; 2],
        speed: f64,
        h: f64,
    ) -> bool {
        let stands = is_to_move && speed.abs() < self.still;
        state.still_for = if stands { state.still_for + h } else { 0.0 };
        let pathless = self.pathless * f64::from(state.attempts + 1);
        state.still_for > if has_path { self.patience } else { pathless }
    }

    /// Starts to back off from the current position of the axle that leads in reverse. Returns the mark to set at a
    /// place ahead, or `None` if the vehicle is to give up.
    ///
    /// It uses the arc, which the map shows as free, if that is long enough. If the route lies
    /// ahead, it does so at every second attempt only. Otherwise it uses the recorded path, if
    /// there is one, because it does not see what else lies behind it.
    pub fn start_backing(
        &self,
        state: &mut RecoveryState,
        rear: [f64; 2],
        FreeArc { arc, is_behind }: FreeArc<'_>,
        place: [f64; 2],
    ) -> Option<CostPenalty> {
        state.still_for = 0.0;
        state.since = 0.0;
        state.attempts += 1;
        if state.attempts > self.attempts {
            return None;
        }
        let turned: f64 = arc.windows(2).map(|two| distance(two[0], two[1])).sum();
        let turns = turned >= SHORTEST && (is_behind || state.attempts % 2 == 1);
        let far = if turns { turned } else { self.distance * f64::from(state.attempts) };
        let way = path_through(rear, std::iter::from_fn(|| state.driven.pop_back()), far);
        // the recorded path starts next to the end of an arc
        let arc = arc.iter().map(|at| Waypoint { at: *at, driven: false });
        let way = if turns { arc.collect() } else { way };
        state.backing = (way.len() > 1).then_some((way, 0.0));
        Some(CostPenalty { place, radius: self.radius, cost: self.cost })
    }

    /// Returns whether backing off has lasted too long after `since` seconds.
    pub fn has_timed_out(&self, state: &RecoveryState, since: f64) -> bool {
        since > self.duration * f64::from(state.attempts.max(1))
    }

    /// Stops backing off at station `gone` of the path back, m.
    ///
    /// The part beyond is recorded again as the path back.
    pub fn stop_backing(&self, state: &mut RecoveryState, gone: f64) {
        state.still_for = 0.0;
        let Some((way, _)) = state.backing.take() else { return };
        let left: Vec<Waypoint> = points_beyond(&way, gone + NEAR).collect();
        state.driven.extend(left.into_iter().rev());
    }

    /// Stops backing off where something holds the vehicle, and discards the path behind it.
    pub fn clear_path_back(&self, state: &mut RecoveryState) {
        state.backing = None;
        state.still_for = 0.0;
        state.driven.clear();
    }
}

fn distance(one: [f64; 2], other: [f64; 2]) -> f64 {
    hypot(other[0] - one[0], other[1] - one[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    const EAST: [f64; 2] = [1.0, 0.0];
    /// A place ahead for the mark, m.
    const AHEAD: [f64; 2] = [22.0, 0.0];
    const NO_ARC: FreeArc<'_> = FreeArc { arc: &[], is_behind: false };

    /// State after driving eastward from the origin by this distance, m.
    fn come(meters: f64) -> RecoveryState {
        let steps = (10.0 * meters).round() as u32;
        let model = RecoveryModel::default();
        let mut state = model.start([0.0; 2], EAST);
        (0..=steps).for_each(|k| model.record_position(&mut state, [0.1 * f64::from(k), 0.0]));
        state
    }

    #[test]
    fn it_backs_up_along_its_recorded_path() {
        let model = RecoveryModel::default();
        for (meters, back_to) in [(6.2, 2.0), (2.2, -2.0), (0.0, -4.0)] {
            let mut state = come(meters);
            let mark = model.start_backing(&mut state, [meters, 0.0], NO_ARC, [meters + 2.0, 0.0]);
            assert_eq!(mark.map(|mark| mark.place), Some([meters + 2.0, 0.0]));
            let (way, _) = state.backing.unwrap();
            let [x, y] = way[way.len() - 1].at;
            // rounded to the next waypoint, which are 0.5 m apart
            assert!((x - back_to).abs() <= SPACING && y == 0.0, "{meters}: {way:?}");
        }
    }

    /// Behind its start, which the vehicle does not see, it backs off over the assumed length and
    /// no farther.
    #[test]
    fn behind_its_start_it_backs_up_by_the_assumed_length_only() {
        let model = RecoveryModel::default();
        let mut state = come(0.0);
        let mut x = 0.0;
        for _ in 0..model.attempts {
            model.start_backing(&mut state, [x, 0.0], NO_ARC, [x + 2.0, 0.0]);
            if let Some((way, _)) = &state.backing {
                x = way[way.len() - 1].at[0];
            }
            model.stop_backing(&mut state, model.distance);
            model.record_position(&mut state, [x, 0.0]);
        }
        assert_eq!(x, -BEHIND * model.distance);
    }

    #[test]
    fn the_remaining_path_back_is_kept() {
        let model = RecoveryModel::default();
        let (mut state, here) = (come(6.2), [6.9, 0.0]);
        let before = state.driven.clone();
        model.start_backing(&mut state, here, NO_ARC, AHEAD);
        let remembered = state.driven.len();
        model.stop_backing(&mut state, 0.0);
        assert_eq!(state.driven, before);
        // nothing is left at its end
        model.start_backing(&mut state, here, NO_ARC, AHEAD);
        model.stop_backing(&mut state, model.distance + SPACING);
        assert_eq!((state.driven.len(), state.backing), (remembered, None));
    }

    #[test]
    fn a_blocked_path_back_is_discarded() {
        let (model, mut state) = (RecoveryModel::default(), come(6.2));
        model.start_backing(&mut state, [6.2, 0.0], NO_ARC, AHEAD);
        model.clear_path_back(&mut state);
        model.record_position(&mut state, [6.2, 0.0]);
        assert!(model.start_backing(&mut state, [6.2, 0.0], NO_ARC, AHEAD).is_some());
        assert_eq!((state.attempts, state.backing), (2, None));
    }

    #[test]
    fn slow_driving_is_not_standstill() {
        assert_eq!(RecoveryModel::at_most(0.1).still, 0.2 * 0.1);
        assert_eq!(RecoveryModel::at_most(1.0), RecoveryModel::default());
        assert_eq!(RecoveryModel::at_most(5.0), RecoveryModel::default());
    }

    /// To turn around it uses arcs at each attempt; where the route lies ahead, arcs and the
    /// recorded path alternate.
    #[test]
    fn arcs_and_the_recorded_path_alternate_unless_it_turns_around() {
        let model = RecoveryModel::default();
        let arc = [[20.0, 0.0], [18.0, 0.5], [16.0, 2.0]];
        for (is_behind, by_arc) in [(true, [true; 4]), (false, [true, false, true, false])] {
            let ways = (1..=4).map(|attempt| {
                let mut state = RecoveryState { attempts: attempt - 1, ..come(20.0) };
                let free = FreeArc { arc: &arc, is_behind };
                model.start_backing(&mut state, [20.0, 0.0], free, AHEAD);
                let (way, _) = state.backing.clone().unwrap();
                let end = way[way.len() - 1].at;
                // as far as the number of attempts requires
                assert!(
                    end == arc[2] || (20.0 - 4.0 * f64::from(attempt) - end[0]).abs() < SPACING
                );
                end == arc[2]
            });
            assert_eq!(ways.collect::<Vec<_>>(), by_arc);
        }
    }
}
