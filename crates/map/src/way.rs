//! Ways over a map: the fastest, and the one that is surest to go.
//!
//! A way leads from cell to cell, to neighbours beside and across the corner, by the least cost
//! (E. Dijkstra, Numerische Mathematik 1, 1959). Half of a step lies in either cell, each taken
//! in the direction of the step; across a corner the two cells beside it must go, too, and it is as
//! sure as the least sure of them.

use super::figures::Going;
use super::relief::Cells;
use bekker_math::numeric::{hypot, ln};
use pathfinding::prelude::dijkstra;
use serde::Serialize;

/// Speed where half of the draws or more do not go, so that the median is 0, m/s: a crawl.
const CRAWL: f64 = 0.5;
/// Costs are counted in whole parts of this, so that they have an order.
const PARTS: f64 = 1e6;
/// Time that a cell's risk of e to the power of minus one is worth, s, on the surest way: more
/// than any way takes.
const RISK: f64 = 1e5;
/// Share of draws in which each cell of the fastest way goes, at least.
const HALF: f64 = 0.5;
/// Length of a way around that a meter which does not go is worth, where it is sought what bars the way.
const AROUND: f64 = 1e4;
const MILLIMETERS: f64 = 1e3;

/// What a way is the best in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Aim {
    /// The least time, through cells that go in at least half of the draws.
    Fastest,
    /// The greatest product of the cells' probabilities to go, and the least time among equals.
    Safest,
}

/// A way from cell to cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MapWay {
    /// What it is the best in.
    pub aim: Aim,
    /// Middles of its cells, m; ends of straight stretches alone.
    pub points: Vec<[f64; 2]>,
    /// Length, m.
    pub length: f64,
    /// Time at the cells' median speeds, at 0.5 m/s where that is less, s.
    pub time: f64,
    /// Least probability to go of any cell in the way's direction, those beside its corners among them.
    pub least_p_go: f64,
    /// How many cells it leads through.
    pub cells: usize,
    /// Which, in order.
    #[serde(skip)]
    pub through: Vec<usize>,
}

/// The best way between two cells; nothing where none goes, nor from a cell to itself.
pub fn best_way(
    cells: &Cells,
    going: &[Going],
    from: usize,
    to: usize,
    aim: Aim,
) -> Option<MapWay> {
    if from == to {
        return None;
    }
    let cost = |step: &Step| {
        let cost = match aim {
            Aim::Fastest => step.time,
            Aim::Safest => RISK * step.risk + step.time,
        };
        (cost * PARTS) as u64
    };
    let successors = |cell: &usize| {
        let steps = steps(cells, going, *cell, aim);
        steps.into_iter().map(|step| (step.to, cost(&step).max(1))).collect::<Vec<_>>()
    };
    let (through, _) = dijkstra(&from, successors, |cell| *cell == to)?;
    let mut way = MapWay {
        aim,
        points: straightened(cells, &through),
        length: 0.0,
        time: 0.0,
        least_p_go: 1.0,
        cells: through.len(),
        through,
    };
    for pair in way.through.clone().windows(2) {
        let taken = steps(cells, going, pair[0], aim).into_iter().find(|step| step.to == pair[1]);
        let Some(step) = taken else { continue };
        way.length += step.length;
        way.time += step.time;
        way.least_p_go = way.least_p_go.min(step.least);
    }
    Some(way)
}

/// A step to a neighbour.
struct Step {
    to: usize,
    length: f64,
    time: f64,
    /// Minus the logarithm of the probability to go.
    risk: f64,
    least: f64,
}

/// Steps to neighbors that go.
fn steps(cells: &Cells, going: &[Going], cell: usize, aim: Aim) -> Vec<Step> {
    let found = neighbors(cells, going[cell].p_go.len(), cell);
    found.into_iter().filter_map(|own| own.step(cells, going, cell, aim)).collect()
}

/// A neighbor of a cell, beside it or across a corner.
struct Neighbor {
    to: usize,
    /// Columns and rows towards it: east, north.
    towards: [isize; 2],
    /// Direction in which it is, by its number in those that were asked.
    direction: usize,
    /// The two cells that a step across a corner touches; twice `to` or the cell itself of a straight step.
    beside: [usize; 2],
}

/// Neighbors of a cell; across a corner only where the directions that were asked lead there.
fn neighbors(cells: &Cells, directions: usize, cell: usize) -> Vec<Neighbor> {
    const TOWARDS: [[isize; 2]; 8] =
        [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]];
    let [from_column, from_row] = [cell % cells.columns, cell / cells.columns].map(|n| n as isize);
    let mut found = Vec::new();
    for (eighth, towards @ [east, north]) in TOWARDS.into_iter().enumerate() {
        let (column, row) = (from_column + east, from_row - north);
        let inside = (0..cells.columns as isize).contains(&column)
            && (0..cells.rows as isize).contains(&row);
        if !inside || !(eighth * directions).is_multiple_of(8) {
            continue;
        }
        let at = |column: isize, row: isize| row as usize * cells.columns + column as usize;
        found.push(Neighbor {
            to: at(column, row),
            towards,
            direction: eighth * directions / 8,
            beside: [at(column, from_row), at(from_column, row)],
        });
    }
    found
}

impl Neighbor {
    fn p_go(&self, going: &[Going], cell: usize) -> f64 {
        f64::from(going[cell].p_go[self.direction])
    }

    /// The least probability of the two cells beside the step.
    fn sides(&self, going: &[Going]) -> f64 {
        let [one, other] = self.beside.map(|own| self.p_go(going, own));
        one.min(other)
    }

    fn length(&self, cells: &Cells) -> f64 {
        cells.side * hypot(self.towards[0] as f64, self.towards[1] as f64)
    }

    /// The step there from a cell, if it goes.
    fn step(&self, cells: &Cells, going: &[Going], from: usize, aim: Aim) -> Option<Step> {
        let sides = self.sides(going);
        let halves = [from, self.to].map(|cell| {
            (self.p_go(going, cell).min(sides), f64::from(going[cell].v_p50[self.direction]))
        });
        let least = halves[0].0.min(halves[1].0);
        if !aim.takes(least) {
            return None;
        }
        let length = self.length(cells);
        let time = halves.iter().map(|half| 0.5 * length / half.1.max(CRAWL)).sum();
        let share = 0.5 * length / cells.side;
        let risk = halves.iter().map(|half| -ln(half.0) * share).sum();
        Some(Step { to: self.to, length, time, risk, least })
    }

    /// The halves of the step that do not go: each the cell that bars it.
    fn barred(&self, going: &[Going], from: usize, aim: Aim) -> Vec<usize> {
        let is_straight = self.towards.contains(&0);
        let [one, other] = self.beside;
        let halves = [from, self.to].map(|cell| {
            let passed = if is_straight { [cell; 3] } else { [cell, one, other] };
            passed.into_iter().min_by(|a, b| self.p_go(going, *a).total_cmp(&self.p_go(going, *b)))
        });
        let bars = |cell: &usize| !aim.takes(self.p_go(going, *cell));
        halves.into_iter().flatten().filter(bars).collect()
    }
}

impl Aim {
    /// Whether a way leads through a cell of this probability to go.
    fn takes(self, p_go: f64) -> bool {
        match self {
            Aim::Fastest => p_go >= HALF,
            Aim::Safest => p_go > 0.0,
        }
    }

    /// Below which probability to go a cell bars the way; of the safest way only one that never goes.
    pub fn bars_below(self) -> f64 {
        match self {
            Aim::Fastest => HALF,
            Aim::Safest => 0.0,
        }
    }
}

/// A cell that bars a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstruction {
    /// Which.
    pub cell: usize,
    /// Direction in which it would be crossed, by its number in those that were asked.
    pub direction: usize,
    /// Length of the way through it, m.
    pub length: f64,
}

/// The cells that bar a way between two cells: those on the route with the shortest length through cells that
/// do not go, in its order. Empty if there is a way.
pub fn obstructions(
    cells: &Cells,
    going: &[Going],
    from: usize,
    to: usize,
    aim: Aim,
) -> Vec<Obstruction> {
    let directions = going[from].p_go.len();
    // a detour is cheap compared with a meter that does not go
    let successors = |cell: &usize| {
        let costs = neighbors(cells, directions, *cell).into_iter().map(|own| {
            let barred = 0.5 * own.length(cells) * own.barred(going, *cell, aim).len() as f64;
            (own.to, ((AROUND * barred + own.length(cells)) * MILLIMETERS) as u64)
        });
        costs.collect::<Vec<_>>()
    };
    let Some((through, _)) = dijkstra(&from, successors, |cell| *cell == to) else {
        return Vec::new();
    };
    let mut found: Vec<Obstruction> = Vec::new();
    for pair in through.windows(2) {
        let step = neighbors(cells, directions, pair[0]).into_iter().find(|own| own.to == pair[1]);
        let Some(step) = step else { continue };
        let (length, direction) = (0.5 * step.length(cells), step.direction);
        for cell in step.barred(going, pair[0], aim) {
            match found.last_mut() {
                Some(last) if last.cell == cell => last.length += length,
                _ => found.push(Obstruction { cell, direction, length }),
            }
        }
    }
    found
}

/// The middles of cells where the way turns, its ends among them.
fn straightened(cells: &Cells, through: &[usize]) -> Vec<[f64; 2]> {
    let points: Vec<[f64; 2]> = through.iter().map(|cell| cells.centre(*cell)).collect();
    let turns = |n: usize| {
        let [a, b, c] = [points[n - 1], points[n], points[n + 1]];
        let along = |k: usize| (b[k] - a[k]) - (c[k] - b[k]);
        // a step is a whole cell or none: half of one tells them apart
        along(0).abs().max(along(1).abs()) > 0.5 * cells.side
    };
    let last = points.len() - 1;
    (0..points.len()).filter(|n| *n == 0 || *n == last || turns(*n)).map(|n| points[n]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wall with one slow gate in the north, and one doubtful cell in its middle.
    fn field() -> (Cells, Vec<Going>) {
        let cells = Cells { columns: 9, rows: 9, side: 10.0, north_west: [0.0, 90.0] };
        let going = |cell: usize| {
            let (column, row) = (cell % 9, cell / 9);
            let (p, v) = match (column, row) {
                (4, 0) => (1.0, 1.0),
                (4, 4) => (0.6, 5.0),
                (4, _) => (0.0, 0.0),
                _ => (1.0, 5.0),
            };
            Going { p_go: vec![p; 8], v_p50: vec![v; 8] }
        };
        (cells, (0..81).map(going).collect())
    }

    #[test]
    fn the_fastest_takes_the_chance_and_the_safest_the_gate() {
        let (cells, going) = field();
        let (from, to) = (4 * 9, 4 * 9 + 8);
        let fastest = best_way(&cells, &going, from, to, Aim::Fastest).unwrap();
        assert_eq!(fastest.points, [[5.0, 45.0], [85.0, 45.0]]);
        assert!((fastest.length - 80.0).abs() < 1e-9 && (fastest.time - 16.0).abs() < 1e-9);
        assert!((fastest.least_p_go - 0.6).abs() < 1e-6);
        let safest = best_way(&cells, &going, from, to, Aim::Safest).unwrap();
        assert_eq!(safest.least_p_go, 1.0);
        assert!(safest.time > fastest.time && safest.points.iter().any(|p| p[1] == 85.0));
    }

    /// In half of the draws the median speed is nothing: the way crawls there.
    #[test]
    fn half_of_the_draws_are_enough_for_the_fastest() {
        let (cells, mut going) = field();
        going[4] = Going { p_go: vec![0.0; 8], v_p50: vec![0.0; 8] };
        let (from, to) = (4 * 9, 4 * 9 + 8);
        let mut fastest = |p_go: f32| {
            going[4 * 9 + 4] = Going { p_go: vec![p_go; 8], v_p50: vec![0.0; 8] };
            assert!(best_way(&cells, &going, from, to, Aim::Safest).is_some());
            best_way(&cells, &going, from, to, Aim::Fastest)
        };
        let way = fastest(0.5).unwrap();
        assert!(way.least_p_go == 0.5 && (way.time - 34.0).abs() < 1e-9, "{way:?}");
        assert_eq!(fastest(0.49), None);
    }

    /// Two lakes whose corners touch, or a lake beside ground that does not go: nothing as wide as a vehicle
    /// passes between.
    #[test]
    fn no_way_leads_between_two_corners() {
        let (cells, mut going) = field();
        let closed = Going { p_go: vec![0.0; 8], v_p50: vec![0.0; 8] };
        let open = Going { p_go: vec![1.0; 8], v_p50: vec![5.0; 8] };
        // column 4 is closed from the south up to row 4, column 5 from there to the north
        for row in 0..9 {
            let [west, east] = if row <= 4 { [&open, &closed] } else { [&closed, &open] };
            (going[row * 9 + 4], going[row * 9 + 5]) = (west.clone(), east.clone());
        }
        let (from, to) = (2 * 9, 6 * 9 + 8);
        for aim in [Aim::Fastest, Aim::Safest] {
            assert_eq!(best_way(&cells, &going, from, to, aim), None, "{aim:?}");
        }
        // with one of the two open it leads through that
        going[5 * 9 + 4] = open;
        let way = best_way(&cells, &going, from, to, Aim::Fastest).unwrap();
        assert!(way.through.contains(&(5 * 9 + 4)), "{way:?}");
    }

    /// A corner between cells that are doubtful is as doubtful as they: the surest way keeps off it.
    #[test]
    fn a_corner_is_as_sure_as_the_cells_beside_it() {
        let (cells, mut going) = field();
        going.fill(Going { p_go: vec![1.0; 8], v_p50: vec![5.0; 8] });
        let (from, to) = (4 * 9 + 1, 3 * 9 + 2);
        for beside in [4 * 9 + 2, 3 * 9 + 1] {
            going[beside].p_go.fill(0.2);
        }
        let safest = best_way(&cells, &going, from, to, Aim::Safest).unwrap();
        assert!(safest.least_p_go == 1.0 && safest.length > 20.0, "{safest:?}");
        // where there is nothing else it says how sure it is
        going.fill(Going { p_go: vec![0.0; 8], v_p50: vec![0.0; 8] });
        for cell in [from, to] {
            going[cell] = Going { p_go: vec![1.0; 8], v_p50: vec![5.0; 8] };
        }
        for beside in [4 * 9 + 2, 3 * 9 + 1] {
            going[beside] = Going { p_go: vec![0.2; 8], v_p50: vec![5.0; 8] };
        }
        let only = best_way(&cells, &going, from, to, Aim::Safest).unwrap();
        assert!((only.least_p_go - 0.2).abs() < 1e-6, "{only:?}");
    }

    /// Walls of one and of two cells between west and east: what bars the way is the thinner one.
    #[test]
    fn what_bars_the_way_is_the_least_that_does_not_go() {
        let (cells, mut going) = field();
        going.fill(Going { p_go: vec![1.0; 8], v_p50: vec![5.0; 8] });
        for row in 0..9 {
            for column in [4, 5] {
                going[row * 9 + column].p_go.fill(if column == 4 || row != 6 { 0.2 } else { 1.0 });
            }
        }
        let (from, to) = (2 * 9, 2 * 9 + 8);
        assert_eq!(best_way(&cells, &going, from, to, Aim::Fastest), None);
        let found = obstructions(&cells, &going, from, to, Aim::Fastest);
        let expected = Obstruction { cell: 6 * 9 + 4, direction: 0, length: 10.0 };
        assert_eq!(found, [expected]);
        assert!(obstructions(&cells, &going, from, to, Aim::Safest).is_empty());
        // a start that does not go is half of a cell
        going[from].p_go.fill(0.0);
        let found = obstructions(&cells, &going, from, to, Aim::Safest);
        assert!(found.len() == 1 && found[0].cell == from, "{found:?}");
    }

    #[test]
    fn where_nothing_goes_there_is_no_way() {
        let (cells, mut going) = field();
        for row in 0..9 {
            going[row * 9 + 4].p_go.fill(0.0);
            going[row * 9 + 4].v_p50.fill(0.0);
        }
        for aim in [Aim::Fastest, Aim::Safest] {
            assert_eq!(best_way(&cells, &going, 0, 8, aim), None);
            assert_eq!(best_way(&cells, &going, 0, 0, aim), None);
        }
    }
}
