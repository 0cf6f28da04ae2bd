//! Searches open paths between objects, and the path that the fewest of them block.
//!
//! The grid has cells of about a quarter of the vehicle's width. A cell is blocked if a vehicle
//! centered in it, or between it and a neighbor, would touch an object. A breadth-first search that
//! enters blocked cells only after all others finds the least blocked path.

use super::extent::Extent;
use std::collections::VecDeque;

/// Maximum number of cells.
const MOST_CELLS: f64 = 4e6;

/// A start and a goal that need an open path between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Journey {
    /// Start, m.
    pub from: [f64; 2],
    /// Goal, m.
    pub to: [f64; 2],
    /// Width of the vehicle, m.
    pub width: f64,
}

/// A grid of cells on a rectangle around the origin.
pub(super) struct Passage {
    size: [f64; 2],
    /// Cell size, m.
    cell: f64,
    /// Required distance of an object's edge from the center of a free cell, m.
    clearance: f64,
    cells: [usize; 2],
    barred: Vec<bool>,
    /// Number of the connected free region to which a cell belongs.
    piece: Vec<u32>,
}

impl Passage {
    /// Creates the grid between `things` for a vehicle that needs `beside`, m, on each side of its
    /// center.
    pub fn new(size: [f64; 2], beside: f64, things: &[Extent]) -> Passage {
        let finest = (size[0] * size[1] / MOST_CELLS).sqrt();
        let cell = (0.5 * beside).clamp(0.25, 2.0).max(finest);
        let cells = size.map(|length| (length / cell).ceil().max(1.0) as usize);
        let mut passage = Passage {
            size,
            cell,
            clearance: beside + 0.5 * cell,
            cells,
            barred: vec![false; cells[0] * cells[1]],
            piece: Vec::new(),
        };
        things.iter().for_each(|thing| passage.bar(thing));
        passage.piece = passage.pieces();
        passage
    }

    /// Minimum distance between objects and the centers of a path's cells, m, so that the path is
    /// open.
    pub fn clearance(&self) -> f64 {
        self.clearance
    }

    fn bar(&mut self, thing: &Extent) {
        let [west, south, east, north] = thing.bounds(self.clearance);
        let (low, high) = (self.cell_of([west, south]), self.cell_of([east, north]));
        for j in low[1]..=high[1] {
            for i in low[0]..=high[0] {
                let index = j * self.cells[0] + i;
                if thing.distance(self.middle(index)) < self.clearance {
                    self.barred[index] = true;
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
    fn beside(&self, index: usize) -> impl Iterator<Item = usize> {
        let [columns, rows] = self.cells;
        let (i, j) = (index % columns, index / columns);
        let west = (i > 0).then(|| index - 1);
        let east = (i + 1 < columns).then_some(index + 1);
        let south = (j > 0).then(|| index - columns);
        let north = (j + 1 < rows).then_some(index + columns);
        [west, east, south, north].into_iter().flatten()
    }

    /// Numbers the connected free regions from 1; blocked cells have 0.
    fn pieces(&self) -> Vec<u32> {
        let mut piece = vec![0; self.barred.len()];
        let (mut number, mut waiting) = (0, Vec::new());
        for first in 0..piece.len() {
            if self.barred[first] || piece[first] != 0 {
                continue;
            }
            number += 1;
            piece[first] = number;
            waiting.push(first);
            while let Some(index) = waiting.pop() {
                for next in self.beside(index) {
                    if !self.barred[next] && piece[next] == 0 {
                        piece[next] = number;
                        waiting.push(next);
                    }
                }
            }
        }
        piece
    }

    /// Whether an open path leads from start to goal.
    pub fn is_open(&self, journey: &Journey) -> bool {
        let [from, to] = [journey.from, journey.to].map(|place| self.piece[self.index_of(place)]);
        from != 0 && from == to
    }

    /// Cell centers of a path with the fewest blocked cells, including start and goal.
    pub fn least_barred(&self, journey: &Journey) -> Vec<[f64; 2]> {
        let [start, goal] = [journey.from, journey.to].map(|place| self.index_of(place));
        let mut before: Vec<Option<usize>> = vec![None; self.barred.len()];
        before[start] = Some(start);
        // `now`: cells reached through as many blocked cells as this one; `then`: through one more
        let (mut now, mut then) = (VecDeque::from([start]), VecDeque::new());
        while before[goal].is_none() && !now.is_empty() {
            while let Some(index) = now.pop_front() {
                for next in self.beside(index) {
                    if before[next].is_none() {
                        before[next] = Some(index);
                        let reached = if self.barred[next] { &mut then } else { &mut now };
                        reached.push_back(next);
                    }
                }
            }
            std::mem::swap(&mut now, &mut then);
        }
        let mut way = vec![self.middle(goal)];
        let mut at = goal;
        while let Some(earlier) = before[at].filter(|_| at != start) {
            at = earlier;
            way.push(self.middle(at));
        }
        way
    }
}
