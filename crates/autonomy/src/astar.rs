//! Route search: the path of least cost over the coarse cells.
//!
//! This is A* (P. Hart, N. Nilsson and B. Raphael, IEEE Transactions on Systems Science and
//! Cybernetics 4, 1968) with eight neighbors. A diagonal step requires both adjacent cells to be
//! passable.
//!
//! A step costs its length times the mean cost of both cells, in integers. The heuristic is the
//! octile distance at the least possible cost, so the path is optimal. Ties are broken by the cell
//! closer to the goal and then by the cell index, so the result is the same on every platform.

use super::costs::{IMPASSABLE, UNIT};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Costs of the cells of a rectangle, row by row.
#[derive(Clone, Copy, Debug)]
pub struct Grid<'a> {
    /// Cells along x.
    pub width: usize,
    /// Cost per cell side, at least [`UNIT`]; [`IMPASSABLE`] where a cell cannot be entered.
    pub costs: &'a [u16],
}

/// Result of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridRoute {
    /// Indices of the cells of the route, from the start.
    pub cells: Vec<usize>,
    /// Total cost.
    pub cost: u32,
    /// Whether the route leads to the goal; otherwise it leads to the reached cell nearest to the
    /// goal.
    pub arrives: bool,
    /// Number of cells expanded.
    pub expanded: usize,
}

/// Workspace of a search, reused to avoid allocations.
#[derive(Clone, Debug, Default)]
pub struct AstarWorkspace {
    /// Least known cost of the cells reached in this round.
    costs: Vec<u32>,
    /// Direction from which each cell was reached, an index into [`NEIGHBORS`].
    from: Vec<u8>,
    /// Round in which each cell was reached, which is even; plus one once the cell is closed.
    rounds: Vec<u32>,
    round: u32,
    open: BinaryHeap<Reverse<(u32, u32, u32)>>,
}

/// Offsets of the neighbors, counterclockwise from east.
const NEIGHBORS: [[i32; 2]; 8] =
    [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1]];
/// Length of a diagonal, in thousandths of a cell side.
const DIAGONAL: u32 = 1414;

impl Grid<'_> {
    fn place(&self, cell: usize) -> [i32; 2] {
        // the division is in 32 bits for speed, since every expanded cell needs it
        let (cell, width) = (cell as u32, self.width as u32);
        [(cell % width) as i32, (cell / width) as i32]
    }

    /// Index of the passable cell at an offset, if there is one.
    #[inline]
    fn neighbor(&self, [i, j]: [i32; 2], [di, dj]: [i32; 2]) -> Option<usize> {
        let (i, j) = (usize::try_from(i + di).ok()?, usize::try_from(j + dj).ok()?);
        let cell = j * self.width + i;
        let cost = *self.costs.get(cell)?;
        (i < self.width && cost != IMPASSABLE).then_some(cell)
    }

    /// Octile distance between two cells at the least cost.
    #[inline]
    fn octile(&self, a: [i32; 2], b: [i32; 2]) -> u32 {
        let (x, y) = (a[0].abs_diff(b[0]), a[1].abs_diff(b[1]));
        let (long, short) = (x.max(y), x.min(y));
        let unit = u32::from(UNIT);
        unit * (long - short) + unit * DIAGONAL / 1000 * short
    }

    /// Cost of a step from one cell to another.
    #[inline]
    fn step(&self, from: usize, to: usize, is_diagonal: bool) -> u32 {
        let both = u32::from(self.costs[from]) + u32::from(self.costs[to]);
        if is_diagonal { both * DIAGONAL / 2000 } else { both / 2 }
    }

    /// The passable cell nearest to a cell within `radius` cells; the lowest index among equals.
    pub fn passable(&self, cell: usize, radius: i32) -> Option<usize> {
        let at = self.place(cell);
        let square = (-radius..=radius).flat_map(|j| (-radius..=radius).map(move |i| [i, j]));
        let near = square.filter_map(|by| {
            let found = self.neighbor(at, by)?;
            Some((by[0] * by[0] + by[1] * by[1], found))
        });
        near.min().map(|(_, found)| found)
    }
}

impl AstarWorkspace {
    /// Finds the path of least cost between two passable cells.
    ///
    /// After `limit` cells, or where no path exists, the route leads to the reached cell nearest to
    /// the goal. The result is `None` if the start is impassable.
    pub fn route(
        &mut self,
        grid: &Grid<'_>,
        start: usize,
        goal: usize,
        limit: usize,
    ) -> Option<GridRoute> {
        if *grid.costs.get(start)? == IMPASSABLE || goal >= grid.costs.len() {
            return None;
        }
        self.begin(grid.costs.len());
        let target = grid.place(goal);
        let mut nearest = (grid.octile(grid.place(start), target), start);
        self.costs[start] = 0;
        self.rounds[start] = self.round;
        self.open.push(Reverse((nearest.0, nearest.0, start as u32)));
        let mut expanded = 0;
        while let Some(Reverse((_, left, cell))) = self.open.pop() {
            let cell = cell as usize;
            if self.rounds[cell] != self.round {
                continue;
            }
            self.rounds[cell] = self.round + 1;
            nearest = nearest.min((left, cell));
            expanded += 1;
            if cell == goal || expanded >= limit {
                break;
            }
            self.expand(grid, cell, target);
        }
        let end = nearest.1;
        let cells = self.back(grid, start, end);
        Some(GridRoute { cells, cost: self.costs[end], arrives: end == goal, expanded })
    }

    fn begin(&mut self, count: usize) {
        if self.rounds.len() != count || self.round > u32::MAX - 4 {
            self.costs = vec![0; count];
            self.from = vec![0; count];
            self.rounds = vec![0; count];
            self.round = 0;
        }
        self.round += 2;
        self.open.clear();
    }

    fn expand(&mut self, grid: &Grid<'_>, cell: usize, target: [i32; 2]) {
        let place = grid.place(cell);
        let own = self.costs[cell];
        let around = NEIGHBORS.map(|by| grid.neighbor(place, by));
        for (direction, by) in NEIGHBORS.into_iter().enumerate() {
            let Some(to) = around[direction] else { continue };
            let is_diagonal = direction % 2 == 1;
            let beside = |turn: usize| around[(direction + turn) % 8].is_some();
            if is_diagonal && !(beside(1) && beside(7)) {
                continue;
            }
            let cost = own + grid.step(cell, to, is_diagonal);
            let is_done = self.rounds[to] == self.round + 1;
            let is_known = self.rounds[to] == self.round;
            if is_done || is_known && self.costs[to] <= cost {
                continue;
            }
            self.costs[to] = cost;
            self.from[to] = direction as u8;
            self.rounds[to] = self.round;
            let left = grid.octile([place[0] + by[0], place[1] + by[1]], target);
            self.open.push(Reverse((cost + left, left, to as u32)));
        }
    }

    fn back(&self, grid: &Grid<'_>, start: usize, end: usize) -> Vec<usize> {
        let mut cells = vec![end];
        let mut cell = end;
        while cell != start {
            let [i, j] = grid.place(cell);
            let [di, dj] = NEIGHBORS[usize::from(self.from[cell])];
            cell = (j - dj) as usize * grid.width + (i - di) as usize;
            cells.push(cell);
        }
        cells.reverse();
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathfinding::prelude::dijkstra;
    use proptest::prelude::*;

    fn route(costs: &[u16], width: usize, from: usize, to: usize) -> Option<GridRoute> {
        AstarWorkspace::default().route(&Grid { width, costs }, from, to, usize::MAX)
    }

    /// Over free ground the least cost is the octile distance.
    ///
    /// The search expands no more than the cells of the parallelogram between both ends.
    #[test]
    fn over_free_ground_it_is_the_octile_distance() {
        let costs = vec![UNIT; 100 * 100];
        for (to, cost, most) in
            [(99, 9900, 100), (99 * 101, 99 * 141, 100), (50 * 100 + 80, 50 * 141 + 3000, 51 * 31)]
        {
            let found = route(&costs, 100, 0, to).unwrap();
            assert_eq!((found.cost, found.arrives), (cost, true));
            assert!(found.expanded <= most, "{} for {to}", found.expanded);
        }
    }

    /// Around the end of a wall the route does not cut the corner.
    #[test]
    fn goes_round_a_wall_without_cutting_its_corner() {
        let mut costs = vec![UNIT; 21 * 21];
        (0..15).for_each(|row| costs[row * 21 + 10] = IMPASSABLE);
        let found = route(&costs, 21, 5 * 21, 5 * 21 + 20).unwrap();
        // ten rows up and down again, nine of them diagonal each way, and two columns straight
        // across
        let steps = 2 * (9 * 141 + 100) + 2 * 100;
        assert_eq!(found.cost, steps);
        let crosses = |pair: &[usize]| pair[0] % 21 == 9 && pair[1] % 21 == 10;
        let crossing = found.cells.windows(2).find(|pair| crosses(pair)).unwrap();
        assert_eq!([crossing[0] / 21, crossing[1] / 21], [15, 15]);
    }

    #[test]
    fn without_a_path_it_leads_to_the_nearest_reachable_cell() {
        let mut costs = vec![UNIT; 20 * 20];
        (0..20).for_each(|row| costs[row * 20 + 12] = IMPASSABLE);
        let found = route(&costs, 20, 10 * 20, 10 * 20 + 19).unwrap();
        assert!(!found.arrives);
        assert_eq!(found.cells.last(), Some(&(10 * 20 + 11)));
        let limited = AstarWorkspace::default()
            .route(&Grid { width: 20, costs: &vec![UNIT; 400] }, 0, 19, 5)
            .unwrap();
        assert_eq!((limited.expanded, limited.arrives, limited.cells.last()), (5, false, Some(&4)));
        assert_eq!(route(&costs, 20, 12, 0), None, "the start is impassable");
    }

    #[test]
    fn the_nearest_passable_cell_is_found() {
        let mut costs = vec![IMPASSABLE; 10 * 10];
        (costs[57], costs[42]) = (UNIT, UNIT);
        let grid = Grid { width: 10, costs: &costs };
        assert_eq!(grid.passable(55, 3), Some(57));
        assert_eq!(grid.passable(57, 0), Some(57));
        assert_eq!(grid.passable(0, 1), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        /// The least cost equals that of Dijkstra's algorithm from another library.
        ///
        /// A second search with the same workspace finds the same route.
        #[test]
        fn agrees_with_dijkstra(
            costs in prop::collection::vec(prop_oneof![
                1 => Just(IMPASSABLE),
                3 => UNIT..=900u16,
            ], 24 * 16),
            from in 0..24 * 16usize,
            to in 0..24 * 16usize,
        ) {
            prop_assume!(costs[from] != IMPASSABLE && costs[to] != IMPASSABLE);
            let grid = Grid { width: 24, costs: &costs };
            let successors = |cell: &usize| {
                let at = grid.place(*cell);
                let free = |by| grid.neighbor(at, by);
                let steps = NEIGHBORS.into_iter().filter_map(|by| {
                    let cell_to = free(by)?;
                    let corner = by[0] != 0 && by[1] != 0;
                    let goes = !corner || free([by[0], 0]).is_some() && free([0, by[1]]).is_some();
                    goes.then(|| (cell_to, grid.step(*cell, cell_to, corner)))
                });
                steps.collect::<Vec<_>>()
            };
            let expected = dijkstra(&from, successors, |cell| *cell == to).map(|(_, cost)| cost);
            let mut search = AstarWorkspace::default();
            let found = search.route(&grid, from, to, usize::MAX).unwrap();
            prop_assert_eq!(found.arrives.then_some(found.cost), expected);
            prop_assert_eq!(search.route(&grid, from, to, usize::MAX), Some(found));
        }
    }
}
