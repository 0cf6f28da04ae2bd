//! What to do when the vehicle does not get on.
//!
//! It wants to move and does not, or there is no feasible path, for some seconds: then it
//! backs off along the way that it came, marks the place as dear, and plans anew. After some
//! attempts without getting anywhere it gives up.

use super::costs::Mark;
use crate::numeric::hypot;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// When and how to back off; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecoveryModel {
    /// Speed below which it does not move, m/s.
    pub still: f64,
    /// For how long it does not although it wants to before it backs off, s.
    pub patience: f64,
    /// For how long it stands without a feasible path before it does, s.
    pub pathless: f64,
    /// How far it backs off, m.
    pub distance: f64,
    /// For how long at most, s.
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
const PLACES: usize = 64;

/// What recovery remembers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecoveryState {
    /// Where the rear axle was, m, oldest first.
    driven: VecDeque<[f64; 2]>,
    /// For how long it has not moved, s.
    still_for: f64,
    /// Attempts since the last that helped.
    pub attempts: u32,
    /// Way driven forward since the last attempt, m.
    since: f64,
    /// The way back, m, and for how long it has been on it, s.
    pub backing: Option<(Vec<[f64; 2]>, f64)>,
}

impl RecoveryModel {
    /// Takes note of where the rear axle is.
    pub fn drive_on(&self, state: &mut RecoveryState, rear: [f64; 2]) {
        let gone = state.driven.back().map(|last| hypot(last[0] - rear[0], last[1] - rear[1]));
        if gone.is_none_or(|gone| gone >= SPACING) {
            state.driven.push_back(rear);
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
        state.still_for > if has_path { self.patience } else { self.pathless }
    }

    /// Begins to back off from where the rear axle is, straight back where no way is remembered;
    /// what to mark, some way ahead. Nothing if it is to give up.
    pub fn back_off(
        &self,
        state: &mut RecoveryState,
        rear: [f64; 2],
        heading: [f64; 2],
        ahead: f64,
    ) -> Option<Mark> {
        state.still_for = 0.0;
        state.since = 0.0;
        state.attempts += 1;
        if state.attempts > self.attempts {
            return None;
        }
        let mut way = vec![rear];
        let mut length = 0.0;
        while length < self.distance
            && let Some(place) = state.driven.pop_back()
        {
            let last = way[way.len() - 1];
            let gone = hypot(place[0] - last[0], place[1] - last[1]);
            if gone > 0.1 {
                length += gone;
                way.push(place);
            }
        }
        if length < 1.0 {
            let back = |by: f64| [rear[0] - heading[0] * by, rear[1] - heading[1] * by];
            way = vec![rear, back(self.distance)];
        }
        state.backing = Some((way, 0.0));
        let place = [rear[0] + heading[0] * ahead, rear[1] + heading[1] * ahead];
        Some(Mark { place, radius: self.radius, cost: self.cost })
    }
}
