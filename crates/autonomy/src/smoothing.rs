//! Turns a route over cells into a drivable path.
//!
//! String pulling replaces parts of the route by straight lines where these cost no more. The
//! result is sampled evenly along its length. Its corners are then rounded by averaging neighbors,
//! as long as no sample moves to more expensive ground.

use super::costs::{CostMap, IMPASSABLE};
use bekker_math::numeric::hypot;
use serde::{Deserialize, Serialize};

/// Parameters of route smoothing; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SmoothingModel {
    /// Distance between samples of the path, m.
    pub spacing: f64,
    /// Largest number of route cells that one straight line may skip.
    pub longest: usize,
    /// Relative extra cost that a straight line may have over the route that it replaces.
    pub tolerance: f64,
    /// Number of rounds of neighbor averaging.
    pub rounds: usize,
}

impl Default for SmoothingModel {
    fn default() -> Self {
        SmoothingModel { spacing: 0.5, longest: 40, tolerance: 0.02, rounds: 12 }
    }
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    hypot(a[0] - b[0], a[1] - b[1])
}

fn mix(a: [f64; 2], b: [f64; 2], share: f64) -> [f64; 2] {
    [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share]
}

impl SmoothingModel {
    /// Returns the smoothed path along a route given by points, m.
    pub fn smoothed(&self, map: &CostMap, route: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let mut points = self.resampled(&self.shortcut(map, route));
        (0..self.rounds).for_each(|_| round(map, &mut points));
        points
    }

    /// Replaces steps of the route by straight lines that cost no more, within the tolerance.
    fn shortcut(&self, map: &CostMap, route: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let Some(&first) = route.first() else { return Vec::new() };
        // cumulative cost of the route at each of its points
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

    /// Samples a polyline at even distances, including both ends.
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

/// Cost of a straight line, sampled at half the side of a coarse cell; `None` if it crosses
/// impassable cells.
fn line_cost(map: &CostMap, a: [f64; 2], b: [f64; 2]) -> Option<f64> {
    let length = distance(a, b);
    let steps = (2.0 * length / map.side()).ceil().max(1.0) as usize;
    let mut sum = 0.0;
    for step in 0..=steps {
        let cost = map.cost(mix(a, b, step as f64 / steps as f64));
        let is_end = step == 0 || step == steps;
        // the vehicle, or the goal, may itself be too close to an obstacle, so the ends may be
        // impassable
        if cost == IMPASSABLE && !is_end {
            return None;
        }
        sum += f64::from(cost) * if is_end { 0.5 } else { 1.0 };
    }
    Some(sum * length / steps as f64)
}

/// Moves each sample except the ends toward the mean of its neighbors.
///
/// A sample moves only if the new position is passable and at most a tenth more expensive.
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
