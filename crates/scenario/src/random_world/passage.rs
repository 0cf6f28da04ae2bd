//! Searches open paths between objects, and the path that the fewest of them block.
//!
//! The grid has cells of about a quarter of the vehicle's width. A cell is blocked if a vehicle
//! centered in it, or between it and a neighbor, would touch an object. A breadth-first search that
//! enters blocked cells only after all others finds the least blocked path.

use super::extent::Extent;
use std::collections::VecDeque;

/// Maximum number of cells.
const MAX_CELLS: f64 = 4e6;

/// A start and a goal that need an open path between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RequiredPassage {
    /// Start, m.
    pub from: [f64; 2],
    /// Goal, m.
    pub to: [f64; 2],
    /// Width of the vehicle, m.
    pub width: f64,
}

/// A grid of cells on a rectangle around the origin.
pub(super) struct PassageGrid {
    size: [f64; 2],
    /// Cell size, m.
    cell: f64,
    /// Required distance of an object's edge from the center of a free cell, m.
    clearance: f64,
    cells: [usize; 2],
    blocked: Vec<bool>,
    /// Number of the connected free region to which a cell belongs.
    region: Vec<u32>,
}

impl PassageGrid {
    /// Creates the grid between `objects` for a vehicle that needs `lateral_clearance`, m, on each
    /// side of its center.
    pub fn new(size: [f64; 2], lateral_clearance: f64, objects: &[Extent]) -> PassageGrid {
        let finest = (size[0] * size[1] / MAX_CELLS).sqrt();
        let cell = (0.5 * lateral_clearance).clamp(0.25, 2.0).max(finest);
        let cells = size.map(|length| (length / cell).ceil().max(1.0) as usize);
        let mut passage = PassageGrid {
            size,
            cell,
            clearance: lateral_clearance + 0.5 * cell,
            cells,
            blocked: vec![false; cells[0] * cells[1]],
            region: Vec::new(),
        };
        objects.iter().for_each(|object| passage.block(object));
        passage.region = passage.label_regions();
        passage
    }

    /// Minimum distance between objects and the centers of a path's cells, m, so that the path is
    /// open.
    pub fn clearance(&self) -> f64 {
        self.clearance
    }

    fn block(&mut self, object: &Extent) {
        let [west, south, east, north] = object.bounds(self.clearance);
        let (low, high) = (self.cell_of([west, south]), self.cell_of([east, north]));
        for j in low[1]..=high[1] {
            for i in low[0]..=high[0] {
                let index = j * self.cells[0] + i;
                if object.distance(self.middle(index)) < self.clearance {
                    self.blocked[index] = true;
                }
            }
        }
    }

    /// The cell of a point, or the nearest cell if the point is outside.
    fn cell_of(&self, place: [f64; 2]) -> [usize; 2] {
        [0, 1].map(|axis| {
            let at = (place[axis] + 0.5 * self.size[axis]) / self.cell;
            (at.max(0.0) as usize).min(self.cells[axis] - 1)
        })
    }

    fn index_of(&self, place: [f64; 2]) -> usize {
        let [i, j] = self.cell_of(place);
        j * self.cells[0] + i
    }

    fn middle(&self, index: usize) -> [f64; 2] {
        let at = [index % self.cells[0], index / self.cells[0]];
        [0, 1].map(|axis| (at[axis] as f64 + 0.5) * self.cell - 0.5 * self.size[axis])
    }

    /// The neighbors of a cell: west, east, south, north.
    fn neighbors(&self, index: usize) -> impl Iterator<Item = usize> {
        let [columns, rows] = self.cells;
        let (i, j) = (index % columns, index / columns);
        let west = (i > 0).then(|| index - 1);
        let east = (i + 1 < columns).then_some(index + 1);
        let south = (j > 0).then(|| index - columns);
        let north = (j + 1 < rows).then_some(index + columns);
        [west, east, south, north].into_iter().flatten()
    }

    /// Numbers the connected free regions from 1; blocked cells have 0.
    fn label_regions(&self) -> Vec<u32> {
        let mut region = vec![0; self.blocked.len()];
        let (mut number, mut waiting) = (0, Vec::new());
        for first in 0..region.len() {
            if self.blocked[first] || region[first] != 0 {
                continue;
            }
            number += 1;
            region[first] = number;
            waiting.push(first);
            while let Some(index) = waiting.pop() {
                for next in self.neighbors(index) {
                    if !self.blocked[next] && region[next] == 0 {
                        region[next] = number;
                        waiting.push(next);
                    }
                }
            }
        }
        region
    }

    /// Whether an open path leads from start to goal.
    pub fn is_open(&self, required: &RequiredPassage) -> bool {
        let [from, to] =
            [required.from, required.to].map(|place| self.region[self.index_of(place)]);
        from != 0 && from == to
    }

    /// Cell centers of a path with the fewest blocked cells, including start and goal.
    pub fn least_blocked_path(&self, required: &RequiredPassage) -> Vec<[f64; 2]> {
        let [start, goal] = [required.from, required.to].map(|place| self.index_of(place));
        let mut before: Vec<Option<usize>> = vec![None; self.blocked.len()];
        before[start] = Some(start);
        // `now`: cells reached through as many blocked cells as this one; `then`: through one more
        let (mut now, mut then) = (VecDeque::from([start]), VecDeque::new());
        while before[goal].is_none() && !now.is_empty() {
            while let Some(index) = now.pop_front() {
                for next in self.neighbors(index) {
                    if before[next].is_none() {
                        before[next] = Some(index);
                        let reached = if self.blocked[next] { &mut then } else { &mut now };
                        reached.push_back(next);
                    }
                }
            }
            std::mem::swap(&mut now, &mut then);
        }
        let mut path = vec![self.middle(goal)];
        let mut at = goal;
        while let Some(earlier) = before[at].filter(|_| at != start) {
            at = earlier;
            path.push(self.middle(at));
        }
        path
    }
}
