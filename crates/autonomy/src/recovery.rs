//! What to do when the vehicle does not get on.
//!
//! It wants to move and does not, or there is no feasible path, for some seconds: then it
//! backs off, marks the place as dear, and plans anew. Where it turns round and its map shows room for it,
//! it backs off by the arc that turns it on (a turn in three moves, or more); else along the way that it came, farther
//! with each attempt that has not helped: so it comes out of what is too narrow to turn in. Where its route lies ahead
//! of it arcs and the way that it came take turns: an arc is short, and to get round a hole that it has come up to
//! it may need more room than that. To its start it is
//! taken to have come from straight behind, three times as far as it backs off at first. An attempt
//! ends where another vehicle stands on that way, or where its map shows something there and it has not driven
//! there itself: what it has driven through, leaves for one, holds it no more on the way back. And it ends where
//! it makes no way: then that is no way back any more. Where there is no feasible path it waits longer before each attempt: what stands behind it may
//! be another vehicle, and move. After some attempts without getting anywhere it gives up.

use super::costs::Mark;
use bekker_math::numeric::hypot;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// When and how to back off; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecoveryModel {
    /// Speed below which it does not move, m/s.
    pub still: f64,
    /// For how long it does not although it wants to before it backs off, s.
    pub patience: f64,
    /// For how long it stands without a feasible path before it does at the first attempt, s; so many
    /// times as long at the next ones.
    pub pathless: f64,
    /// How far it backs off at the first attempt, m; so many times as far at the next ones.
    pub distance: f64,
    /// For how long at most, s, as many times.
    pub duration: f64,
    /// Radius of the mark that is left, m.
    pub radius: f64,
    /// What the mark adds to the cost of 1.
    pub cost: f64,
    /// Attempts after which it gives up.
    pub attempts: u32,
    /// Way after which an attempt has helped, m.
    pub helped: f64,
}

/// Share of the speed that a vehicle keeps to below which it does not move.
const STILL: f64 = 0.2;

impl RecoveryModel {
    /// That of a vehicle that does not exceed a speed, m/s: its own pace is no standstill.
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

/// Distance between places that are remembered, m.
const SPACING: f64 = 0.5;
/// How many are.
const PLACES: usize = 128;
/// Least distance between places of a way back, m.
const LEAST_STEP: f64 = 0.1;
/// Shortest arc backward that is worth driving, m.
const SHORTEST: f64 = 1.0;
/// Way behind a start that is taken for clear, times how far is backed off at first: to turn to what
/// lies beside it, one may have to draw back twice.
const BEHIND: f64 = 3.0;
/// How near to the end of its way back it has come to it, m.
pub(super) const NEAR: f64 = 0.3;

/// A place on a way back.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waypoint {
    /// Where the rear axle comes, m.
    pub at: [f64; 2],
    /// Whether it has been there before.
    pub driven: bool,
}

/// What recovery remembers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecoveryState {
    /// Where the rear axle was, or is taken to have been, oldest first.
    driven: VecDeque<Waypoint>,
    /// For how long it has not moved, s.
    still_for: f64,
    /// Attempts since the last that helped.
    pub attempts: u32,
    /// Way driven forward since the last attempt, m.
    since: f64,
    /// The way back, and for how long it has been on it, s.
    pub backing: Option<(Vec<Waypoint>, f64)>,
}

impl RecoveryState {
    /// The way of the rear axle back from where it is, m, up to so far: what is left of the one that it backs off by,
    /// of which so much is behind it, else the one that it came by.
    pub fn way_back(&self, rear: [f64; 2], gone: f64, most: f64) -> Vec<Waypoint> {
        match &self.backing {
            Some((way, _)) => through(rear, beyond(way, gone), most),
            None => through(rear, self.driven.iter().rev().copied(), most),
        }
    }
}

/// The way from a place through others, one after the other, until it is so long, m.
fn through(from: [f64; 2], mut places: impl Iterator<Item = Waypoint>, most: f64) -> Vec<Waypoint> {
    let mut way = vec![Waypoint { at: from, driven: true }];
    let mut length = 0.0;
    while length < most
        && let Some(place) = places.next()
    {
        let step = between(way[way.len() - 1].at, place.at);
        if step > LEAST_STEP {
            length += step;
            way.push(place);
        }
    }
    way
}

/// The points of a way that lie beyond a station of it, m.
fn beyond(way: &[Waypoint], station: f64) -> impl Iterator<Item = Waypoint> {
    let stations = way.windows(2).scan(0.0, |along, two| {
        *along += between(two[0].at, two[1].at);
        Some((*along, two[1]))
    });
    stations.filter(move |(along, _)| *along >= station).map(|(_, place)| place)
}

impl RecoveryModel {
    /// What one remembers that has not moved yet: the way straight behind its rear axle.
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

    /// Takes note of where the rear axle is.
    pub fn drive_on(&self, state: &mut RecoveryState, rear: [f64; 2]) {
        let gone = state.driven.back().map(|last| between(rear, last.at));
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

    /// Whether the vehicle has not moved for too long, after another `h` seconds in which it was
    /// to or not, had a path or not, at this speed.
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

    /// Begins to back off from where the rear axle is: by an arc that its map shows as free, if it is long enough, and
    /// at every second attempt at most unless the route lies behind; else if it remembers a way to there, for what lies
    /// behind it elsewhere it does not see. What to mark, some way ahead; nothing if it is to give up.
    pub fn back_off(
        &self,
        state: &mut RecoveryState,
        (rear, heading): ([f64; 2], [f64; 2]),
        (arc, is_behind): (&[[f64; 2]], bool),
        ahead: f64,
    ) -> Option<Mark> {
        state.still_for = 0.0;
        state.since = 0.0;
        state.attempts += 1;
        if state.attempts > self.attempts {
            return None;
        }
        let turned: f64 = arc.windows(2).map(|two| between(two[0], two[1])).sum();
        let turns = turned >= SHORTEST && (is_behind || state.attempts % 2 == 1);
        let far = if turns { turned } else { self.distance * f64::from(state.attempts) };
        let way = through(rear, std::iter::from_fn(|| state.driven.pop_back()), far);
        // beside the end of an arc lies what it remembers of its way
        let arc = arc.iter().map(|at| Waypoint { at: *at, driven: false });
        let way = if turns { arc.collect() } else { way };
        state.backing = (way.len() > 1).then_some((way, 0.0));
        let place = [rear[0] + heading[0] * ahead, rear[1] + heading[1] * ahead];
        Some(Mark { place, radius: self.radius, cost: self.cost })
    }

    /// Whether it has been on its way back for too long, after so many seconds.
    pub fn is_late(&self, state: &RecoveryState, since: f64) -> bool {
        since > self.duration * f64::from(state.attempts.max(1))
    }

    /// Ends backing off where so much of the way back is behind it, m. What it has not come to
    /// is its way back still.
    pub fn stop_backing(&self, state: &mut RecoveryState, gone: f64) {
        state.still_for = 0.0;
        let Some((way, _)) = state.backing.take() else { return };
        let left: Vec<Waypoint> = beyond(&way, gone + NEAR).collect();
        state.driven.extend(left.into_iter().rev());
    }

    /// Ends backing off where something holds the vehicle: what is behind it is no way back.
    pub fn forget_the_way_back(&self, state: &mut RecoveryState) {
        state.backing = None;
        state.still_for = 0.0;
        state.driven.clear();
    }
}

fn between(one: [f64; 2], other: [f64; 2]) -> f64 {
    hypot(other[0] - one[0], other[1] - one[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    const EAST: [f64; 2] = [1.0, 0.0];
    const NO_ARC: (&[[f64; 2]], bool) = (&[], false);

    /// One that has come so many metres from the origin eastward.
    fn come(metres: f64) -> RecoveryState {
        let steps = (10.0 * metres).round() as u32;
        let model = RecoveryModel::default();
        let mut state = model.start([0.0; 2], EAST);
        (0..=steps).for_each(|k| model.drive_on(&mut state, [0.1 * f64::from(k), 0.0]));
        state
    }

    #[test]
    fn it_backs_off_along_the_way_that_it_has_come() {
        let model = RecoveryModel::default();
        for (metres, back_to) in [(6.2, 2.0), (2.2, -2.0), (0.0, -4.0)] {
            let mut state = come(metres);
            let mark = model.back_off(&mut state, ([metres, 0.0], EAST), NO_ARC, 2.0);
            assert_eq!(mark.map(|mark| mark.place), Some([metres + 2.0, 0.0]));
            let (way, _) = state.backing.unwrap();
            let [x, y] = way[way.len() - 1].at;
            // to the next of the places that are remembered every half metre
            assert!((x - back_to).abs() <= SPACING && y == 0.0, "{metres}: {way:?}");
        }
    }

    /// What lies behind its start it does not see: it backs over so much of it and no more.
    #[test]
    fn behind_its_start_it_backs_off_so_far_and_no_farther() {
        let model = RecoveryModel::default();
        let mut state = come(0.0);
        let mut x = 0.0;
        for _ in 0..model.attempts {
            model.back_off(&mut state, ([x, 0.0], EAST), NO_ARC, 2.0);
            if let Some((way, _)) = &state.backing {
                x = way[way.len() - 1].at[0];
            }
            model.stop_backing(&mut state, model.distance);
            model.drive_on(&mut state, [x, 0.0]);
        }
        assert_eq!(x, -BEHIND * model.distance);
    }

    #[test]
    fn what_it_has_not_backed_over_is_its_way_back_still() {
        let model = RecoveryModel::default();
        let (mut state, here) = (come(6.2), [6.9, 0.0]);
        let before = state.driven.clone();
        model.back_off(&mut state, (here, EAST), NO_ARC, 2.0);
        let remembered = state.driven.len();
        model.stop_backing(&mut state, 0.0);
        assert_eq!(state.driven, before);
        // at its end there is nothing left
        model.back_off(&mut state, (here, EAST), NO_ARC, 2.0);
        model.stop_backing(&mut state, model.distance + SPACING);
        assert_eq!((state.driven.len(), state.backing), (remembered, None));
    }

    #[test]
    fn what_held_it_is_no_way_back() {
        let (model, mut state) = (RecoveryModel::default(), come(6.2));
        model.back_off(&mut state, ([6.2, 0.0], EAST), NO_ARC, 2.0);
        model.forget_the_way_back(&mut state);
        model.drive_on(&mut state, [6.2, 0.0]);
        assert!(model.back_off(&mut state, ([6.2, 0.0], EAST), NO_ARC, 2.0).is_some());
        assert_eq!((state.attempts, state.backing), (2, None));
    }

    #[test]
    fn a_slow_pace_is_no_standstill() {
        assert_eq!(RecoveryModel::at_most(0.1).still, 0.2 * 0.1);
        assert_eq!(RecoveryModel::at_most(1.0), RecoveryModel::default());
        assert_eq!(RecoveryModel::at_most(5.0), RecoveryModel::default());
    }

    /// To turn round it goes on by arcs; where the route lies ahead, every second time by the way that it came.
    #[test]
    fn arcs_and_the_way_that_it_came_take_turns_unless_it_turns_round() {
        let model = RecoveryModel::default();
        let arc = [[20.0, 0.0], [18.0, 0.5], [16.0, 2.0]];
        for (is_behind, by_arc) in [(true, [true; 4]), (false, [true, false, true, false])] {
            let ways = (1..=4).map(|attempt| {
                let mut state = RecoveryState { attempts: attempt - 1, ..come(20.0) };
                model.back_off(&mut state, ([20.0, 0.0], EAST), (&arc, is_behind), 2.0);
                let (way, _) = state.backing.clone().unwrap();
                let end = way[way.len() - 1].at;
                // as far as at so many attempts
                assert!(
                    end == arc[2] || (20.0 - 4.0 * f64::from(attempt) - end[0]).abs() < SPACING
                );
                end == arc[2]
            });
            assert_eq!(ways.collect::<Vec<_>>(), by_arc);
        }
    }
}
