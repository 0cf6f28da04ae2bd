//! From a route over cells to a path that can be driven.
//!
//! Corners of the route are cut where a straight line costs no more than the way round it
//! (string pulling), what is left is sampled evenly along its length, and its corners are
//! rounded by averaging neighbours as long as no sample comes to dearer ground.

use super::costs::{CostMap, IMPASSABLE};
use bekker_math::numeric::hypot;
use serde::{Deserialize, Serialize};

/// How routes are smoothed; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Smoothing {
    /// Distance between samples of the path, m.
    pub spacing: f64,
    /// Cells of the route that one straight line may skip.
    pub longest: usize,
    /// How much dearer than the route a straight line may be, a share.
    pub tolerance: f64,
    /// How often neighbours are averaged.
    pub rounds: usize,
}

impl Default for Smoothing {
    fn default() -> Self {
        Smoothing { spacing: 0.5, longest: 40, tolerance: 0.02, rounds: 12 }
    }
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    hypot(a[0] - b[0], a[1] - b[1])
}

fn mix(a: [f64; 2], b: [f64; 2], share: f64) -> [f64; 2] {
    [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share]
}

impl Smoothing {
    /// The path along a route between points (m).
    pub fn smoothed(&self, map: &CostMap, route: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let mut points = self.resampled(&self.shortcut(map, route));
        (0..self.rounds).for_each(|_| round(map, &mut points));
        points
    }

    /// Straight lines instead of steps, as long as they cost no more.
    fn shortcut(&self, map: &CostMap, route: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let Some(&first) = route.first() else { return Vec::new() };
        // cost of the route up to each of its points
        let mut spent = vec![0.0];
        for pair in route.windows(2) {
            let before = spent[spent.len() - 1];
            spent.push(before + line_cost(map, pair[0], pair[1]).unwrap_or(f64::INFINITY));
        }
        let mut kept = vec![first];
        let mut at = 0;
        while at + 1 < route.len() {
            let far = (at + self.longest).min(route.len() - 1);
            let is_good = |to: &usize| {
                let along = (spent[*to] - spent[at]) * (1.0 + self.tolerance);
                line_cost(map, route[at], route[*to]).is_some_and(|cost| cost <= along)
            };
            at = (at + 2..=far).rev().find(is_good).unwrap_or(at + 1);
            kept.push(route[at]);
        }
        kept
    }

    /// Evenly spaced points along straight lines, both ends among them.
    pub fn resampled(&self, corners: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let total: f64 = corners.windows(2).map(|pair| distance(pair[0], pair[1])).sum();
        let count = (total / self.spacing).round().max(1.0) as usize;
        let step = total / count as f64;
        let Some(&first) = corners.first() else { return Vec::new() };
        let mut points = vec![first];
        let mut gone = 0.0;
        for pair in corners.windows(2) {
            let length = distance(pair[0], pair[1]);
            while points.len() < count && points.len() as f64 * step <= gone + length {
                let along = points.len() as f64 * step - gone;
                points.push(mix(pair[0], pair[1], along / length.max(1e-12)));
            }
            gone += length;
        }
        if total > 0.0 {
            points.extend(corners.last());
        }
        points
    }
}

/// Cost of a straight line, sampled at half a coarse cell; nothing across what is impassable.
fn line_cost(map: &CostMap, a: [f64; 2], b: [f64; 2]) -> Option<f64> {
    let length = distance(a, b);
    let steps = (2.0 * length / map.side()).ceil().max(1.0) as usize;
    let mut sum = 0.0;
    for step in 0..=steps {
        let cost = map.cost(mix(a, b, step as f64 / steps as f64));
        let is_end = step == 0 || step == steps;
        // the vehicle may stand too near to something, and the goal may be so
        if cost == IMPASSABLE && !is_end {
            return None;
        }
        sum += f64::from(cost) * if is_end { 0.5 } else { 1.0 };
    }
    Some(sum * length / steps as f64)
}

/// Moves each sample but the ends towards the mean of its neighbours, where that is passable and
/// no dearer by more than a tenth.
fn round(map: &CostMap, points: &mut [[f64; 2]]) {
    let Some(&first) = points.first() else { return };
    let mut before = first;
    for at in 1..points.len().saturating_sub(1) {
        let own = points[at];
        let moved = mix(own, mix(before, points[at + 1], 0.5), 0.5);
        before = own;
        let (cost, new) = (map.cost(own), map.cost(moved));
        if new != IMPASSABLE && u32::from(new) * 10 <= u32::from(cost) * 11 {
            points[at] = moved;
        }
    }
}
