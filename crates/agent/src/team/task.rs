//! Common task of a team: goals assigned by its authority, or an area to search.
//!
//! Members that have no configured goal report their order and its completion to the authority, at
//! each exchange in which they reach it. The authority sends the order until a report confirms it.
//! Messages may therefore be lost, and the assignment does not depend on ranks.
//!
//! An area is searched by the tiles of the map. A tile that is too little explored is open until a
//! member has been at its center or could not get there. Tiles seen on the way close too, so that a
//! lane is as wide as the range of the lidar.

use super::assignment::Assignment;
use bekker_autonomy::ElevationMap;
use bekker_autonomy::elevation_map::{MapTileKey, TILE};
use bekker_math::numeric::hypot;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Fraction of explored cells from which a tile counts as seen.
const EXPLORED_FRACTION: f64 = 0.8;
/// Time between two assignments by the authority, µs.
const ASSIGNMENT_INTERVAL_US: u64 = 500_000;
/// Time between two entries of the explored fraction, µs.
const RECORD_INTERVAL_US: u64 = 5_000_000;
/// Cost of a place in another member's part, dm: more than any distance.
const FOREIGN_COST: i64 = 1 << 30;

/// Task of a team.
#[derive(Clone, Debug, PartialEq)]
pub enum TeamTask {
    /// Reach goals, m, with one vehicle at each.
    Goals {
        /// The goals.
        goals: Vec<[f64; 2]>,
        /// Method of assignment.
        assignment: Assignment,
    },
    /// Explore an area.
    Search {
        /// Corners with the smallest and largest coordinates, m.
        area: [[f64; 2]; 2],
        /// Fraction of explored cells at which the task is done.
        share: f64,
        /// Partition among the members.
        parts: SearchPartition,
    },
}

/// Partition of a search area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchPartition {
    /// Places nearer to the member than to any other: Voronoi cells around the current positions.
    ///
    /// A member without places in its own cell helps others.
    #[default]
    Voronoi,
    /// Places won in an auction of all open places.
    Auction,
}

/// Order to a member.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TeamOrder {
    /// Number of the member's order, from 1.
    pub number: u32,
    /// Goal, m; `None` dismisses the member.
    pub goal: Option<[f64; 2]>,
}

/// Report of a member to the authority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamReport {
    /// Number of its current order, 0 without one.
    pub number: u32,
    /// Whether it has completed the order or given up.
    pub is_idle: bool,
}

/// Identifier of a place: the index of a goal, or the key of a tile.
type TaskTarget = [i32; 2];

/// Task state of the authority: plain data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Last order of each member, and its place.
    orders: BTreeMap<u32, (TeamOrder, Option<TaskTarget>)>,
    /// Last report of each member.
    reports: BTreeMap<u32, TeamReport>,
    /// Places that were visited or could not be reached.
    closed: BTreeSet<TaskTarget>,
    /// Time of the last assignment, µs.
    assigned_us: Option<u64>,
    /// Times, s, with the explored fraction.
    explored: Vec<[f64; 2]>,
    /// Whether the task is done.
    pub is_done: bool,
}

/// Member that may receive an order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Agent index.
    pub agent: u32,
    /// Position, m.
    pub place: [f64; 2],
    /// Whether the authority reaches it in this exchange.
    pub is_reached: bool,
}

impl Ledger {
    /// Records a report.
    pub fn record_report(&mut self, agent: u32, report: TeamReport) {
        self.reports.insert(agent, report);
    }

    /// Returns the order of a member until the member has confirmed it.
    pub fn order_for(&self, agent: u32) -> Option<TeamOrder> {
        let (order, _) = self.orders.get(&agent)?;
        let held = self.reports.get(&agent).map_or(0, |report| report.number);
        (held != order.number).then_some(*order)
    }

    /// Returns the explored fraction of the area over time, s.
    pub fn explored(&self) -> &[[f64; 2]] {
        &self.explored
    }

    /// Assigns open places to members without an unfinished order.
    ///
    /// `team` contains all members that take orders and still drive.
    pub fn assign_tasks(
        &mut self,
        task: &TeamTask,
        map: &ElevationMap,
        team: &[Candidate],
        now_us: u64,
    ) {
        if self.assigned_us.is_some_and(|last| now_us < last + ASSIGNMENT_INTERVAL_US) {
            return;
        }
        self.assigned_us = Some(now_us);
        let mut free = Vec::new();
        let mut taken = BTreeSet::new();
        for (index, own) in team.iter().enumerate() {
            match self.orders.get_mut(&own.agent) {
                None => free.push(index),
                Some((order, target)) => {
                    let done = TeamReport { number: order.number, is_idle: true };
                    let is_seen = target.is_some_and(|target| task.is_seen(map, target));
                    if is_seen || self.reports.get(&own.agent) == Some(&done) {
                        self.closed.extend(target.take());
                        free.push(index);
                    } else {
                        taken.extend(*target);
                    }
                }
            }
        }
        let open = self.open(task, map, &taken);
        self.is_done |= match task {
            TeamTask::Goals { .. } => open.is_empty() && taken.is_empty(),
            TeamTask::Search { area, share, .. } => {
                let [explored, all] = map.explored(*area);
                let found = explored as f64 / all.max(1) as f64;
                let done = found >= *share || open.is_empty() && taken.is_empty();
                let last = self.explored.last().map_or(0, |[time, _]| (1e6 * time).round() as u64);
                if self.explored.is_empty()
                    || done && !self.is_done
                    || now_us >= last + RECORD_INTERVAL_US
                {
                    self.explored.push([1e-6 * now_us as f64, found]);
                }
                done
            }
        };
        if self.is_done {
            return self.dismiss(team);
        }
        free.retain(|&member| team[member].is_reached);
        if free.is_empty() || open.is_empty() {
            return;
        }
        let costs = |member: usize| -> Vec<i64> {
            open.iter().map(|(_, at)| task.cost(team, member, *at)).collect()
        };
        let costs: Vec<Vec<i64>> = free.iter().map(|&member| costs(member)).collect();
        let given = task.assignment().assigned(&costs);
        for (&member, place) in free.iter().zip(given) {
            if let Some(place) = place {
                let (target, goal) = open[place];
                self.issue_order(team[member].agent, Some(goal), Some(target));
            }
        }
    }

    /// Dismisses all members.
    fn dismiss(&mut self, team: &[Candidate]) {
        for own in team {
            let is_dismissed = |(order, _): &(TeamOrder, _)| order.goal.is_none();
            if !self.orders.get(&own.agent).is_some_and(is_dismissed) {
                self.issue_order(own.agent, None, None);
            }
        }
    }

    fn issue_order(&mut self, agent: u32, goal: Option<[f64; 2]>, target: Option<TaskTarget>) {
        let number = self.orders.get(&agent).map_or(0, |(order, _)| order.number) + 1;
        self.orders.insert(agent, (TeamOrder { number, goal }, target));
    }

    /// Returns the open places in a fixed order, with their positions, m.
    ///
    /// A place is open if no member has visited it or is on its way to it.
    fn open(
        &self,
        task: &TeamTask,
        map: &ElevationMap,
        taken: &BTreeSet<TaskTarget>,
    ) -> Vec<(TaskTarget, [f64; 2])> {
        let is_open =
            |target: &TaskTarget| !self.closed.contains(target) && !taken.contains(target);
        match task {
            TeamTask::Goals { goals, .. } => {
                let targets = goals.iter().zip(0..).map(|(goal, index)| ([index, 0], *goal));
                targets.filter(|(target, _)| is_open(target)).collect()
            }
            TeamTask::Search { area, .. } => {
                let side = map.model().cell * TILE as f64;
                let [[west, south], [east, north]] = *area;
                let range =
                    |low: f64, high: f64| (low / side).floor() as i32..(high / side).ceil() as i32;
                let rows = range(south, north);
                let tiles = rows.flat_map(|b| range(west, east).map(move |a| [a, b]));
                let open = tiles.filter(|target| is_open(target) && !task.is_seen(map, *target));
                let goal = |target: TaskTarget| {
                    let [x, y] = target.map(|index| (f64::from(index) + 0.5) * side);
                    // the goal of a tile that extends beyond the area is moved into the area
                    [x.max(west).min(east), y.max(south).min(north)]
                };
                open.map(|target| (target, goal(target))).collect()
            }
        }
    }
}

/// Returns the explored fraction of a tile's cells within an area; 1 if it has no such cells.
fn explored(map: &ElevationMap, [a, b]: TaskTarget, area: &[[f64; 2]; 2]) -> f64 {
    let (key, cell) = (MapTileKey { a, b }, map.model().cell);
    let first = key.first();
    let within = |at: usize| {
        let [x, y] = [at % TILE, at / TILE].map(|k| k as f64 + 0.5);
        let place = [f64::from(first[0]) + x, f64::from(first[1]) + y].map(|k| k * cell);
        (0..2).all(|axis| place[axis] >= area[0][axis] && place[axis] < area[1][axis])
    };
    let inside = (0..TILE * TILE).filter(|&at| within(at));
    let all = inside.clone().count();
    let Some(tile) = map.tile(key) else { return f64::from(u8::from(all == 0)) };
    let explored = inside.filter(|&at| tile.cells()[at].is_explored()).count();
    if all == 0 { 1.0 } else { explored as f64 / all as f64 }
}

impl TeamTask {
    fn assignment(&self) -> Assignment {
        match self {
            TeamTask::Goals { assignment, .. } => *assignment,
            TeamTask::Search { parts: SearchPartition::Voronoi, .. } => Assignment::Nearest,
            TeamTask::Search { parts: SearchPartition::Auction, .. } => Assignment::Auction,
        }
    }

    /// Returns whether a place needs no further exploration.
    fn is_seen(&self, map: &ElevationMap, target: TaskTarget) -> bool {
        match self {
            TeamTask::Goals { .. } => false,
            TeamTask::Search { area, .. } => explored(map, target, area) >= EXPLORED_FRACTION,
        }
    }

    /// Returns the cost of a place for a member: the straight distance, dm.
    ///
    /// It is higher if the task is partitioned and another member is nearer.
    fn cost(&self, team: &[Candidate], member: usize, at: [f64; 2]) -> i64 {
        let way = |own: &Candidate| {
            (10.0 * hypot(own.place[0] - at[0], own.place[1] - at[1])).round() as i64
        };
        let own = way(&team[member]);
        let parted = matches!(self, TeamTask::Search { parts: SearchPartition::Voronoi, .. });
        let is_foreign =
            parted && team.iter().enumerate().any(|(k, other)| (way(other), k) < (own, member));
        own + if is_foreign { FOREIGN_COST } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_autonomy::elevation_map::{MapCell, MapModel, MapTile};
    use std::sync::Arc;

    fn candidate(agent: u32, place: [f64; 2]) -> Candidate {
        Candidate { agent, place, is_reached: true }
    }

    fn goal(ledger: &Ledger, agent: u32) -> Option<[f64; 2]> {
        ledger.order_for(agent).and_then(|order| order.goal)
    }

    #[test]
    fn goals_are_handed_out_again_until_none_is_left() {
        let goals = vec![[10.0, 0.0], [20.0, 0.0], [30.0, 0.0]];
        let task = TeamTask::Goals { goals, assignment: Assignment::Nearest };
        let map = ElevationMap::new(MapModel::default());
        let team = [candidate(3, [0.0, 0.0]), candidate(5, [40.0, 0.0])];
        let mut ledger = Ledger::default();
        ledger.assign_tasks(&task, &map, &team, 0);
        assert_eq!(
            [3, 5].map(|agent| goal(&ledger, agent)),
            [Some([10.0, 0.0]), Some([30.0, 0.0])]
        );
        // sent until it is confirmed; then nothing until it is completed
        ledger.record_report(3, TeamReport { number: 1, is_idle: false });
        assert_eq!(ledger.order_for(3), None);
        assert!(ledger.order_for(5).is_some());
        ledger.record_report(5, TeamReport { number: 1, is_idle: true });
        ledger.assign_tasks(&task, &map, &team, ASSIGNMENT_INTERVAL_US);
        assert_eq!(goal(&ledger, 5), Some([20.0, 0.0]));
        ledger.record_report(5, TeamReport { number: 2, is_idle: true });
        ledger.assign_tasks(&task, &map, &team, 2 * ASSIGNMENT_INTERVAL_US);
        // the last goal is being driven to
        assert!(!ledger.is_done && ledger.order_for(5).is_none());
        ledger.record_report(3, TeamReport { number: 1, is_idle: true });
        ledger.assign_tasks(&task, &map, &team, 3 * ASSIGNMENT_INTERVAL_US);
        assert!(ledger.is_done);
        assert_eq!(ledger.order_for(5), Some(TeamOrder { number: 3, goal: None }));
    }

    /// The place of a member that no longer drives is open again.
    ///
    /// A member that is not reached receives no new order.
    #[test]
    fn abandoned_tasks_are_assigned_again() {
        let task = TeamTask::Goals { goals: vec![[9.0, 0.0]], assignment: Assignment::Auction };
        let map = ElevationMap::new(MapModel::default());
        let (near, far) = (candidate(0, [8.0, 0.0]), candidate(1, [0.0, 0.0]));
        let mut ledger = Ledger::default();
        ledger.assign_tasks(&task, &map, &[near, far], 0);
        assert_eq!([0, 1].map(|agent| goal(&ledger, agent)), [Some([9.0, 0.0]), None]);
        let unheard = Candidate { is_reached: false, ..far };
        ledger.assign_tasks(&task, &map, &[unheard], ASSIGNMENT_INTERVAL_US);
        assert_eq!(goal(&ledger, 1), None);
        ledger.assign_tasks(&task, &map, &[far], 2 * ASSIGNMENT_INTERVAL_US);
        assert_eq!(goal(&ledger, 1), Some([9.0, 0.0]));
    }

    #[test]
    fn an_area_is_searched_tile_by_tile_in_separate_parts() {
        let model = MapModel::default();
        let side = model.cell * TILE as f64;
        let area = [[0.0, 0.0], [4.0 * side, side]];
        let mut map = ElevationMap::new(model);
        let team = [candidate(0, [0.0, 0.0]), candidate(1, [3.6 * side, 0.5 * side])];
        let middle = |k: f64| Some([(k + 0.5) * side, 0.5 * side]);
        for (parts, first) in [(SearchPartition::Voronoi, 0.0), (SearchPartition::Auction, 0.0)] {
            let task = TeamTask::Search { area, share: 0.9, parts };
            let mut ledger = Ledger::default();
            ledger.assign_tasks(&task, &map, &team, 0);
            assert_eq!([0, 1].map(|agent| goal(&ledger, agent)), [middle(first), middle(3.0)]);
            assert_eq!(ledger.explored(), [[0.0, 0.0]]);
        }
        // with three of four tiles seen, the last one is assigned, then the task is done
        let seen = MapCell { lowest: 0, range: 0, rise: 0, returns: 3, hole: false };
        let tile = Arc::new(MapTile::new(Box::new([seen; TILE * TILE])));
        let task = TeamTask::Search { area, share: 0.9, parts: SearchPartition::Voronoi };
        let mut ledger = Ledger::default();
        for a in [0, 1, 3] {
            map.merge_tile(MapTileKey { a, b: 0 }, &tile);
        }
        ledger.assign_tasks(&task, &map, &team, 0);
        assert_eq!([0, 1].map(|agent| goal(&ledger, agent)), [None, middle(2.0)]);
        map.merge_tile(MapTileKey { a: 2, b: 0 }, &tile);
        ledger.assign_tasks(&task, &map, &team, ASSIGNMENT_INTERVAL_US);
        assert!(ledger.is_done);
        assert_eq!(ledger.explored(), [[0.0, 0.75], [0.5, 1.0]]);
    }
}
