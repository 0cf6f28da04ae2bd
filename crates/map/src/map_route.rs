//! Routes over a map: the fastest, and the one most likely to be passable.
//!
//! A route leads from cell to cell, to the four adjacent and the four diagonal neighbors, at the
//! least cost (E. Dijkstra, Numerische Mathematik 1, 1959). Half of a step lies in either cell,
//! each evaluated in the direction of the step. A diagonal step also requires the two cells at its
//! corner to be passable; its probability is the least of all of them.

use super::cell_metrics::CellTrafficability;
use super::cells::Cells;
use bekker_math::numeric::{hypot, ln};
use pathfinding::prelude::dijkstra;
use serde::Serialize;

/// Assumed speed where half of the draws or more are impassable, so that the median is 0, m/s: a
/// crawl.
const CRAWL: f64 = 0.5;
/// Costs are integers in units of 1/`COST_SCALE`, so that they are ordered.
const COST_SCALE: f64 = 1e6;
/// Time equivalent to a risk of 1 (a probability of 1/e) in a cell, s, for the safest route: more
/// than any route takes.
const RISK_TIME: f64 = 1e5;
/// Smallest fraction of passable draws in each cell of the fastest route.
const HALF: f64 = 0.5;
/// Length of a detour that is equivalent to one impassable meter, in the search for obstructions.
const DETOUR: f64 = 1e4;
const MILLIMETERS: f64 = 1e3;

/// Objective of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteAim {
    /// Least time, through cells that are passable in at least half of the draws.
    Fastest,
    /// Greatest product of the cells' probabilities, and the least time among equals.
    Safest,
}

/// A route from cell to cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MapRoute {
    /// Objective of the route.
    pub aim: RouteAim,
    /// Centers of its cells, m; only the ends of straight segments.
    pub points: Vec<[f64; 2]>,
    /// Length, m.
    pub length: f64,
    /// Time at the cells' median speeds, but at least 0.5 m/s, s.
    pub time: f64,
    /// Smallest probability of any cell in the direction of the route, including those at its
    /// corners.
    pub least_p_go: f64,
    /// Number of cells of the route.
    pub cells: usize,
    /// Cells of the route, in order.
    #[serde(skip)]
    pub through: Vec<usize>,
}

/// Returns the best route between two cells.
///
/// `None` if none is passable, and from a cell to itself.
pub fn best_route(
    cells: &Cells,
    trafficability: &[CellTrafficability],
    from: usize,
    to: usize,
    aim: RouteAim,
) -> Option<MapRoute> {
    if from == to {
        return None;
    }
    let cost = |step: &RouteStep| {
        let cost = match aim {
            RouteAim::Fastest => step.time,
            RouteAim::Safest => RISK_TIME * step.risk + step.time,
        };
        (cost * COST_SCALE) as u64
    };
    let successors = |cell: &usize| {
        let steps = steps(cells, trafficability, *cell, aim);
        steps.into_iter().map(|step| (step.to, cost(&step).max(1))).collect::<Vec<_>>()
    };
    let (through, _) = dijkstra(&from, successors, |cell| *cell == to)?;
    let mut route = MapRoute {
        aim,
        points: corner_points(cells, &through),
        length: 0.0,
        time: 0.0,
        least_p_go: 1.0,
        cells: through.len(),
        through,
    };
    for pair in route.through.clone().windows(2) {
        let taken =
            steps(cells, trafficability, pair[0], aim).into_iter().find(|step| step.to == pair[1]);
        let Some(step) = taken else { continue };
        route.length += step.length;
        route.time += step.time;
        route.least_p_go = route.least_p_go.min(step.least);
    }
    Some(route)
}

/// A step to a neighbor.
struct RouteStep {
    to: usize,
    length: f64,
    time: f64,
    /// Negative logarithm of the probability.
    risk: f64,
    least: f64,
}

/// Returns the passable steps to neighbors.
fn steps(
    cells: &Cells,
    trafficability: &[CellTrafficability],
    cell: usize,
    aim: RouteAim,
) -> Vec<RouteStep> {
    let found = neighbors(cells, trafficability[cell].p_go.len(), cell);
    found.into_iter().filter_map(|own| own.step(cells, trafficability, cell, aim)).collect()
}

/// A neighbor of a cell, adjacent or diagonal.
struct Neighbor {
    to: usize,
    /// Offset in columns and rows: east, north.
    towards: [isize; 2],
    /// Index of the direction to the neighbor.
    direction: usize,
    /// The two cells at the corner of a diagonal step; for a straight step the cell itself and
    /// `to`.
    corner_cells: [usize; 2],
}

/// Returns the neighbors of a cell; diagonal ones only if the evaluated directions include
/// diagonals.
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
            corner_cells: [at(column, from_row), at(from_column, row)],
        });
    }
    found
}

impl Neighbor {
    fn p_go(&self, trafficability: &[CellTrafficability], cell: usize) -> f64 {
        f64::from(trafficability[cell].p_go[self.direction])
    }

    /// Returns the smaller probability of the two cells adjacent to the step.
    fn corner_p_go(&self, trafficability: &[CellTrafficability]) -> f64 {
        let [one, other] = self.corner_cells.map(|own| self.p_go(trafficability, own));
        one.min(other)
    }

    fn length(&self, cells: &Cells) -> f64 {
        cells.side * hypot(self.towards[0] as f64, self.towards[1] as f64)
    }

    /// Returns the step to the neighbor from a cell, if it is passable.
    fn step(
        &self,
        cells: &Cells,
        trafficability: &[CellTrafficability],
        from: usize,
        aim: RouteAim,
    ) -> Option<RouteStep> {
        let corner_p_go = self.corner_p_go(trafficability);
        let halves = [from, self.to].map(|cell| {
            (
                self.p_go(trafficability, cell).min(corner_p_go),
                f64::from(trafficability[cell].v_p50[self.direction]),
            )
        });
        let least = halves[0].0.min(halves[1].0);
        if !aim.accepts(least) {
            return None;
        }
        let length = self.length(cells);
        let time = halves.iter().map(|half| 0.5 * length / half.1.max(CRAWL)).sum();
        let share = 0.5 * length / cells.side;
        let risk = halves.iter().map(|half| -ln(half.0) * share).sum();
        Some(RouteStep { to: self.to, length, time, risk, least })
    }

    /// Returns the cells that obstruct the halves of the step.
    fn blocked(
        &self,
        trafficability: &[CellTrafficability],
        from: usize,
        aim: RouteAim,
    ) -> Vec<usize> {
        let is_straight = self.towards.contains(&0);
        let [one, other] = self.corner_cells;
        let halves = [from, self.to].map(|cell| {
            let passed = if is_straight { [cell; 3] } else { [cell, one, other] };
            passed.into_iter().min_by(|a, b| {
                self.p_go(trafficability, *a).total_cmp(&self.p_go(trafficability, *b))
            })
        });
        let blocks = |cell: &usize| !aim.accepts(self.p_go(trafficability, *cell));
        halves.into_iter().flatten().filter(blocks).collect()
    }
}

impl RouteAim {
    /// Returns whether a route may use a cell of this probability.
    fn accepts(self, p_go: f64) -> bool {
        match self {
            RouteAim::Fastest => p_go >= HALF,
            RouteAim::Safest => p_go > 0.0,
        }
    }

    /// Returns the probability below which a cell obstructs the route.
    ///
    /// The safest route is only obstructed by a cell that is never passable.
    pub fn min_p_go(self) -> f64 {
        match self {
            RouteAim::Fastest => HALF,
            RouteAim::Safest => 0.0,
        }
    }
}

/// A cell that obstructs a route.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstruction {
    /// Index of the cell.
    pub cell: usize,
    /// Index of the direction of travel.
    pub direction: usize,
    /// Length of the route through the cell, m.
    pub length: f64,
}

/// Returns the cells that obstruct a route between two cells, in order.
///
/// They are those on the route with the shortest length through impassable cells. Empty if a route
/// exists.
pub fn obstructions(
    cells: &Cells,
    trafficability: &[CellTrafficability],
    from: usize,
    to: usize,
    aim: RouteAim,
) -> Vec<Obstruction> {
    let directions = trafficability[from].p_go.len();
    // a detour is cheap compared with an impassable meter
    let successors = |cell: &usize| {
        let costs = neighbors(cells, directions, *cell).into_iter().map(|own| {
            let blocked =
                0.5 * own.length(cells) * own.blocked(trafficability, *cell, aim).len() as f64;
            (own.to, ((DETOUR * blocked + own.length(cells)) * MILLIMETERS) as u64)
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
        for cell in step.blocked(trafficability, pair[0], aim) {
            match found.last_mut() {
                Some(last) if last.cell == cell => last.length += length,
                _ => found.push(Obstruction { cell, direction, length }),
            }
        }
    }
    found
}

/// Returns the centers of the cells where the route turns, and its ends.
fn corner_points(cells: &Cells, through: &[usize]) -> Vec<[f64; 2]> {
    let points: Vec<[f64; 2]> = through.iter().map(|cell| cells.center(*cell)).collect();
    let turns = |n: usize| {
        let [a, b, c] = [points[n - 1], points[n], points[n + 1]];
        let along = |k: usize| (b[k] - a[k]) - (c[k] - b[k]);
        // offsets differ by whole cells: half a cell is a safe threshold
        along(0).abs().max(along(1).abs()) > 0.5 * cells.side
    };
    let last = points.len() - 1;
    (0..points.len()).filter(|n| *n == 0 || *n == last || turns(*n)).map(|n| points[n]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wall with one slow gate in the north, and one doubtful cell in its middle.
    fn field() -> (Cells, Vec<CellTrafficability>) {
        let cells = Cells { columns: 9, rows: 9, side: 10.0, north_west: [0.0, 90.0] };
        let trafficability = |cell: usize| {
            let (column, row) = (cell % 9, cell / 9);
            let (p, v) = match (column, row) {
                (4, 0) => (1.0, 1.0),
                (4, 4) => (0.6, 5.0),
                (4, _) => (0.0, 0.0),
                _ => (1.0, 5.0),
            };
            CellTrafficability { p_go: vec![p; 8], v_p50: vec![v; 8] }
        };
        (cells, (0..81).map(trafficability).collect())
    }

    #[test]
    fn the_fastest_takes_the_chance_and_the_safest_the_gate() {
        let (cells, trafficability) = field();
        let (from, to) = (4 * 9, 4 * 9 + 8);
        let fastest = best_route(&cells, &trafficability, from, to, RouteAim::Fastest).unwrap();
        assert_eq!(fastest.points, [[5.0, 45.0], [85.0, 45.0]]);
        assert!((fastest.length - 80.0).abs() < 1e-9 && (fastest.time - 16.0).abs() < 1e-9);
        assert!((fastest.least_p_go - 0.6).abs() < 1e-6);
        let safest = best_route(&cells, &trafficability, from, to, RouteAim::Safest).unwrap();
        assert_eq!(safest.least_p_go, 1.0);
        assert!(safest.time > fastest.time && safest.points.iter().any(|p| p[1] == 85.0));
    }

    /// If half of the draws are impassable, the median speed is zero and the route assumes a crawl.
    #[test]
    fn half_of_the_draws_are_enough_for_the_fastest() {
        let (cells, mut trafficability) = field();
        trafficability[4] = CellTrafficability { p_go: vec![0.0; 8], v_p50: vec![0.0; 8] };
        let (from, to) = (4 * 9, 4 * 9 + 8);
        let mut fastest = |p_go: f32| {
            trafficability[4 * 9 + 4] =
                CellTrafficability { p_go: vec![p_go; 8], v_p50: vec![0.0; 8] };
            assert!(best_route(&cells, &trafficability, from, to, RouteAim::Safest).is_some());
            best_route(&cells, &trafficability, from, to, RouteAim::Fastest)
        };
        let route = fastest(0.5).unwrap();
        assert!(route.least_p_go == 0.5 && (route.time - 34.0).abs() < 1e-9, "{route:?}");
        assert_eq!(fastest(0.49), None);
    }

    /// No route leads between two cells that touch at a corner.
    ///
    /// They may be two lakes, or a lake and impassable ground: a vehicle has a width.
    #[test]
    fn no_path_leads_between_two_corners() {
        let (cells, mut trafficability) = field();
        let closed = CellTrafficability { p_go: vec![0.0; 8], v_p50: vec![0.0; 8] };
        let open = CellTrafficability { p_go: vec![1.0; 8], v_p50: vec![5.0; 8] };
        // column 4 is closed from the south up to row 4, column 5 from there to the north
        for row in 0..9 {
            let [west, east] = if row <= 4 { [&open, &closed] } else { [&closed, &open] };
            (trafficability[row * 9 + 4], trafficability[row * 9 + 5]) =
                (west.clone(), east.clone());
        }
        let (from, to) = (2 * 9, 6 * 9 + 8);
        for aim in [RouteAim::Fastest, RouteAim::Safest] {
            assert_eq!(best_route(&cells, &trafficability, from, to, aim), None, "{aim:?}");
        }
        // if one of the two is open, the route leads through it
        trafficability[5 * 9 + 4] = open;
        let route = best_route(&cells, &trafficability, from, to, RouteAim::Fastest).unwrap();
        assert!(route.through.contains(&(5 * 9 + 4)), "{route:?}");
    }

    /// A diagonal step is as doubtful as the cells at its corner, so the safest route avoids it.
    #[test]
    fn a_corner_has_the_probability_of_its_adjacent_cells() {
        let (cells, mut trafficability) = field();
        trafficability.fill(CellTrafficability { p_go: vec![1.0; 8], v_p50: vec![5.0; 8] });
        let (from, to) = (4 * 9 + 1, 3 * 9 + 2);
        for corner_cells in [4 * 9 + 2, 3 * 9 + 1] {
            trafficability[corner_cells].p_go.fill(0.2);
        }
        let safest = best_route(&cells, &trafficability, from, to, RouteAim::Safest).unwrap();
        assert!(safest.least_p_go == 1.0 && safest.length > 20.0, "{safest:?}");
        // if it is the only route, its probability is reported
        trafficability.fill(CellTrafficability { p_go: vec![0.0; 8], v_p50: vec![0.0; 8] });
        for cell in [from, to] {
            trafficability[cell] = CellTrafficability { p_go: vec![1.0; 8], v_p50: vec![5.0; 8] };
        }
        for corner_cells in [4 * 9 + 2, 3 * 9 + 1] {
            trafficability[corner_cells] =
                CellTrafficability { p_go: vec![0.2; 8], v_p50: vec![5.0; 8] };
        }
        let only = best_route(&cells, &trafficability, from, to, RouteAim::Safest).unwrap();
        assert!((only.least_p_go - 0.2).abs() < 1e-6, "{only:?}");
    }

    /// Walls of one and of two cells between west and east: the thinner one is the obstruction.
    #[test]
    fn the_reported_bar_is_the_smallest_impassable_area() {
        let (cells, mut trafficability) = field();
        trafficability.fill(CellTrafficability { p_go: vec![1.0; 8], v_p50: vec![5.0; 8] });
        for row in 0..9 {
            for column in [4, 5] {
                trafficability[row * 9 + column].p_go.fill(if column == 4 || row != 6 {
                    0.2
                } else {
                    1.0
                });
            }
        }
        let (from, to) = (2 * 9, 2 * 9 + 8);
        assert_eq!(best_route(&cells, &trafficability, from, to, RouteAim::Fastest), None);
        let found = obstructions(&cells, &trafficability, from, to, RouteAim::Fastest);
        let expected = Obstruction { cell: 6 * 9 + 4, direction: 0, length: 10.0 };
        assert_eq!(found, [expected]);
        assert!(obstructions(&cells, &trafficability, from, to, RouteAim::Safest).is_empty());
        // an impassable start counts as half a cell
        trafficability[from].p_go.fill(0.0);
        let found = obstructions(&cells, &trafficability, from, to, RouteAim::Safest);
        assert!(found.len() == 1 && found[0].cell == from, "{found:?}");
    }

    #[test]
    fn without_passable_cells_there_is_no_path() {
        let (cells, mut trafficability) = field();
        for row in 0..9 {
            trafficability[row * 9 + 4].p_go.fill(0.0);
            trafficability[row * 9 + 4].v_p50.fill(0.0);
        }
        for aim in [RouteAim::Fastest, RouteAim::Safest] {
            assert_eq!(best_route(&cells, &trafficability, 0, 8, aim), None);
            assert_eq!(best_route(&cells, &trafficability, 0, 0, aim), None);
        }
    }
}
