//! Joint exploration results of autonomous vehicles.

use super::hole::Hole;
use super::run_summary::{ExplorationSummary, RunWarning};
use super::world::World;
use bekker_agent::{OutcomeCode, TeamTask, VehicleSummary, whole_microseconds};
use bekker_autonomy::ElevationMap;
use bekker_autonomy::elevation_map::{MapTileKey, TILE, index};
use bekker_autonomy::obstacles::{CellClass, ObstacleModel};
use std::collections::BTreeMap;

impl World {
    /// Merges the maps of all autonomous vehicles, exchanged or not; `None` without such vehicles.
    ///
    /// Maps whose cell size differs from the first vehicle's are left out.
    pub fn merged_map(&self) -> Option<ElevationMap> {
        let mut members = self.state.agents.iter().filter_map(|own| own.autonomy.as_ref());
        let first = members.next()?.member.map();
        let mut merged = first.clone();
        for own in members.map(|own| own.member.map()) {
            if own.model().cell == first.model().cell {
                merged.merge(own);
            }
        }
        Some(merged)
    }

    /// Joint summary, from the summaries of all vehicles.
    pub(super) fn exploration(&self, vehicles: &[VehicleSummary]) -> Option<ExplorationSummary> {
        let map = self.merged_map()?;
        let agents = || self.model.agents.iter().zip(vehicles);
        let own = || agents().filter(|(agent, _)| agent.autonomy.is_some());
        let arrived = |vehicle: &VehicleSummary| match vehicle.outcome.code {
            OutcomeCode::Arrived => vehicle.outcome.time,
            _ => None,
        };
        let times: Option<Vec<f64>> = own().map(|(_, vehicle)| arrived(vehicle)).collect();
        let bounds @ [west, south, east, north] = self.model.ground.terrain().bounds();
        let explored = bounds.iter().all(|bound| bound.is_finite()).then(|| {
            let [explored, all] = map.explored([[west, south], [east, north]]);
            explored as f64 / all.max(1) as f64
        });
        let seen = map.tiles().flat_map(|(_, tile)| tile.cells()).filter(|cell| cell.is_seen());
        let mut summary = ExplorationSummary {
            time_to_complete: times.map(|times| times.into_iter().fold(0.0, f64::max)),
            throttle_time: own().map(|(_, vehicle)| vehicle.throttle_time).sum(),
            holes: self.model.holes.len() as u64,
            holes_detected: self.holes_detected(&map),
            explored,
            cells: seen.count() as u64,
            map_hash: format!("{:016x}", map.digest()),
            ..ExplorationSummary::default()
        };
        for state in self.state.agents.iter().filter_map(|own| own.autonomy.as_ref()) {
            let told = |[time, share]: &[f64; 2]| [whole_microseconds(*time), *share];
            summary.searched.extend(state.member.ledger.explored().iter().map(told));
            let traffic = &state.member.traffic;
            let sums = [
                (&mut summary.scans, [state.scans, state.skipped_scans]),
                (&mut summary.letters, [traffic.messages, traffic.lost]),
                (&mut summary.bytes, [traffic.sent_bytes, traffic.received_bytes]),
            ];
            for (sum, [a, b]) in sums {
                *sum = [sum[0] + a, sum[1] + b];
            }
        }
        Some(summary)
    }

    /// Warning if the team's search ended below the requested fraction.
    pub(super) fn incomplete_search(&self) -> Option<RunWarning> {
        let team = self.model.team.as_ref()?;
        let Some(TeamTask::Search { share, .. }) = team.task else { return None };
        let ledger = &self.state.agents.get(team.authority)?.autonomy.as_ref()?.member.ledger;
        let [_, found] = *ledger.explored().last()?;
        let name = &self.model.agents[team.authority].name;
        (ledger.is_done && found < share)
            .then(|| RunWarning::incomplete_search(name, [found, share]))
    }

    /// Number of holes that contain a hole or obstacle cell of the map.
    fn holes_detected(&self, map: &ElevationMap) -> u64 {
        let Some(mut classes) = self.classes(map) else { return 0 };
        let cell = map.model().cell;
        let detected = |hole: &&Hole| {
            let Hole { center: [x, y], radius } = **hole;
            let steps = (radius / cell).ceil() as i32;
            let [i, j] = map.cell_of(x, y);
            let cells =
                (-steps..=steps).flat_map(|a| (-steps..=steps).map(move |b| [i + a, j + b]));
            let inside = |[a, b]: &[i32; 2]| {
                let [dx, dy] = [f64::from(*a) + 0.5, f64::from(*b) + 0.5].map(|at| at * cell);
                (dx - x) * (dx - x) + (dy - y) * (dy - y) <= radius * radius
            };
            cells.filter(inside).any(|at| classes.class(at).is_blocked())
        };
        self.model.holes.iter().filter(detected).count() as u64
    }

    /// Returns the hole and obstacle cells of the merged map; empty without autonomous vehicles.
    pub fn blocked_cells(&self) -> Vec<BlockedCell> {
        let Some(map) = self.merged_map() else { return Vec::new() };
        let Some(mut classes) = self.classes(&map) else { return Vec::new() };
        let side = map.model().cell;
        let mut found = Vec::new();
        for (key, _) in map.tiles() {
            let [i, j] = key.first();
            let tile = TILE as i32;
            for at in (0..tile * tile).map(|k| [i + k % tile, j + k / tile]) {
                let class = classes.class(at);
                if class.is_blocked() {
                    let corner = at.map(|index| f64::from(index) * side);
                    found.push(BlockedCell { corner, side, is_hole: class == CellClass::Hole });
                }
            }
        }
        found
    }

    /// Classes of a map's cells, by the obstacle model of the first autonomous vehicle.
    fn classes<'m>(&self, map: &'m ElevationMap) -> Option<CellClasses<'m>> {
        let first = self.model.agents.iter().find_map(|agent| agent.autonomy.as_ref());
        Some(CellClasses::new(map, first?.navigator.obstacles))
    }
}

/// A cell that cannot be driven over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockedCell {
    /// Its corner with the least coordinates, m.
    pub corner: [f64; 2],
    /// Its side, m.
    pub side: f64,
    /// Whether it is a hole; otherwise it is an obstacle.
    pub is_hole: bool,
}

/// Classes of a map's cells, computed per tile on demand.
pub(super) struct CellClasses<'m> {
    map: &'m ElevationMap,
    model: ObstacleModel,
    classified: BTreeMap<MapTileKey, Vec<CellClass>>,
}

impl<'m> CellClasses<'m> {
    /// Creates the classes of a map with an obstacle model.
    pub fn new(map: &'m ElevationMap, model: ObstacleModel) -> CellClasses<'m> {
        CellClasses { map, model, classified: BTreeMap::new() }
    }

    /// Returns the class of a cell (column, row).
    pub fn class(&mut self, cell: [i32; 2]) -> CellClass {
        let (key, CellClasses { map, model, classified }) = (MapTileKey::containing(cell), self);
        let of_tile = || model.classify(map, key).classes.to_vec();
        classified.entry(key).or_insert_with(of_tile)[index(cell)]
    }
}
