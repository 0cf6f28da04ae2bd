//! Export of a route over a map as a scenario.
//!
//! The scenario has the map's soils, snow, frost, roughness, stems and ridges along the route, at
//! their medians, and walls around barriers.
//!
//! Soils are located as in the map, each in the state of the first cell of the route that has it.
//! Cells on the route and next to it with another state become zones.

use super::cells::Cells;
use super::closure::opened_cells;
use super::cover::{GroundCover, START_CLEARANCE, StraightPath};
use super::drive_scenario::path;
use super::map_file::MapFile;
use super::map_route::MapRoute;
use super::walls::walls;
use bekker_ground::soil::{SoilId, SoilKind};
use bekker_math::numeric::{atan2, exp, hypot, ln};
use bekker_scenario::Scenario;
use bekker_scenario::config::{AreaConfig, PathEnd, RoughnessConfig, Scenery, SoilMapConfig, Zone};
use std::collections::BTreeSet;

/// Number of soils up to which strengths are exact, and the step of their logarithm beyond it.
const MAX_SOILS: usize = 200;
const STEP: f64 = 0.05;
/// Greatest number of stamps of a scenario.
const MAX_STAMPS: usize = 10_000;
/// Greatest number of barrier edges with walls.
const MAX_WALLS: usize = 10_000;

/// Scenario of a route.
#[derive(Clone, Debug)]
pub struct RouteScenario {
    /// The scenario.
    pub scenario: Scenario,
    /// Properties of the map that the scenario lacks, each as a clause.
    pub omissions: Vec<String>,
}

/// State of the soil in a cell: its cover, and its strength as a multiple of the nominal strength.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SoilState {
    cover: GroundCover,
    strength: f64,
}

impl SoilState {
    /// Returns whether it equals the soil that the map names.
    fn is_nominal(&self) -> bool {
        self.strength == 1.0 && self.cover == GroundCover::bare(self.cover.soil)
    }
}

impl MapFile {
    /// Returns a drive along a route over the map's ground, with conditions at their medians.
    pub fn route_scenario(&self, name: &str, route: &MapRoute, duration: f64) -> RouteScenario {
        let cells = Cells::from_bounds(self.area, self.config.cell);
        let mut scenario = self.base.scenario.clone();
        let mut omissions = Vec::new();
        scenario.name = name.into();
        scenario.time.duration = duration;
        let mut vehicle = scenario.vehicle[0].clone();
        if let [first, second, ..] = route.points[..] {
            vehicle.position = first;
            let towards = [second[0] - first[0], second[1] - first[1]];
            vehicle.heading_deg = atan2(towards[1], towards[0]).to_degrees();
        }
        vehicle.driver = path(route.points.clone(), self.config.speed, PathEnd::Stop);
        scenario.vehicle = vec![vehicle];
        scenario.soil = self.route_soils(&cells, route, &mut omissions);
        scenario.terrain.roughness = self.route_roughness(&cells, route, &mut omissions);
        self.add_obstacles(&cells, route, &mut scenario, &mut omissions);
        self.add_walls(&cells, route, &mut scenario, &mut omissions);
        RouteScenario { scenario, omissions }
    }

    /// Returns the state of a soil at a point.
    fn soil_state(&self, soil: SoilId, point: [f64; 2]) -> SoilState {
        let GroundCover { snow, frost, .. } = self.cover_over(soil, point);
        let cover = GroundCover { snow, frost, ..GroundCover::bare(soil) };
        let nominal_soil = self.soil_of(&cover);
        let strength = match nominal_soil.kind {
            SoilKind::Firm { .. } => 1.0,
            // rounded to readable digits
            _ => rounded(self.strength(&nominal_soil.name) * self.strength_at(point, &cover)),
        };
        SoilState { cover, strength }
    }

    /// Returns a name: that of the soil and its differences from it.
    fn name(&self, soil_state: &SoilState) -> String {
        let mut name = self.soil_of(&soil_state.cover).name.clone();
        let suffixes = [
            (soil_state.strength != 1.0).then(|| format!(" at strength {}", soil_state.strength)),
            soil_state.cover.snow.map(|depth| format!(", {depth} m deep")),
            soil_state.cover.frost.map(|depth| format!(", frozen to {depth} m")),
        ];
        name.extend(suffixes.into_iter().flatten());
        name
    }

    fn route_soils(
        &self,
        cells: &Cells,
        route: &MapRoute,
        omissions: &mut Vec<String>,
    ) -> SoilMapConfig {
        let middle = |cell: usize| {
            let [x, y] = cells.center(cell);
            (cell, self.soil_state(self.land.terrain.soil(x, y), [x, y]))
        };
        let mut soil_state: Vec<(usize, SoilState)> =
            cells_near(cells, &route.through).into_iter().map(middle).collect();
        let names: BTreeSet<String> = soil_state.iter().map(|(_, own)| self.name(own)).collect();
        if names.len() > MAX_SOILS {
            for (_, own) in &mut soil_state {
                own.strength = rounded(exp((ln(own.strength) / STEP).round() * STEP));
            }
            omissions.push(format!("soil strengths are rounded to steps of {:.0} %", 100.0 * STEP));
        }
        let start = cells.center(route.through.first().copied().unwrap_or_default());
        let common_state = |soil: SoilId| {
            let first = soil_state.iter().map(|own| own.1).find(|own| own.cover.soil == soil);
            first.unwrap_or_else(|| self.soil_state(soil, start))
        };
        let mut map = self.base.scenario.soil.clone();
        let custom = &mut map.custom;
        let mut named = |own: &SoilState| {
            let name = self.name(own);
            if !own.is_nominal() && !custom.iter().any(|known| known.name == name) {
                custom.push(self.soil_under(&own.cover, own.strength, &name));
            }
            name
        };
        let classes = map.raster.iter_mut().flat_map(|raster| raster.classes.values_mut());
        let zones = map.zone.iter_mut().map(|zone| &mut zone.soil);
        for name in std::iter::once(&mut map.default).chain(classes).chain(zones) {
            let common_state =
                self.soils.id(name).map(common_state).filter(|own| !own.is_nominal());
            if let Some(own) = common_state {
                *name = named(&own);
            }
        }
        let differing = soil_state.iter().filter(|(_, own)| *own != common_state(own.cover.soil));
        map.zone.extend(differing.map(|(cell, own)| {
            let [west, south, east, north] = cells.square(*cell);
            let area = AreaConfig::Rectangle { min: [west, south], max: [east, north] };
            Zone { soil: named(own), area }
        }));
        map
    }

    /// Returns the most frequent class of roughness along the route, as a scenario has only one.
    fn route_roughness(
        &self,
        cells: &Cells,
        route: &MapRoute,
        omissions: &mut Vec<String>,
    ) -> Option<RoughnessConfig> {
        let own = self.base.scenario.terrain.roughness;
        let of = |cell: &usize| self.cover(cells.center(*cell)).roughness.or(own);
        let classes: Vec<Option<RoughnessConfig>> = route.through.iter().map(of).collect();
        let count = |class| classes.iter().filter(|own| **own == class).count();
        let most = classes.iter().copied().max_by_key(|class| count(*class)).unwrap_or(own);
        if count(most) < classes.len() {
            let class = most.map_or("none".into(), |class| format!("class {class:?}"));
            let share = 100.0 * count(most) as f64 / classes.len() as f64;
            omissions.push(format!(
                "roughness is {class} everywhere, as on {share:.0} % of the route, because a \
                 scenario has only one"
            ));
        }
        most
    }

    /// Adds walls along the edges of barriers, in the cells of the route and next to it.
    fn add_walls(
        &self,
        cells: &Cells,
        route: &MapRoute,
        scenario: &mut Scenario,
        omissions: &mut Vec<String>,
    ) {
        let near: BTreeSet<usize> = cells_near(cells, &route.through).into_iter().collect();
        let barriers = self.config.barrier.iter();
        let opened = opened_cells(self, cells);
        let walled = |cell: usize| near.contains(&cell) && !opened.contains(&cell);
        let all = barriers.flat_map(|own| walls(&own.area, cells, walled));
        let mut all: Vec<Scenery> = all.take(MAX_WALLS + 1).collect();
        if all.len() > MAX_WALLS {
            all.truncate(MAX_WALLS);
            omissions.push(format!("walls around [[barrier]] are limited to {MAX_WALLS} edges"));
        }
        scenario.scenery.extend(all);
    }

    /// Adds the stems and ridges that obstruct the route.
    fn add_obstacles(
        &self,
        cells: &Cells,
        route: &MapRoute,
        scenario: &mut Scenario,
        omissions: &mut Vec<String>,
    ) {
        let cover = |cell: usize| self.cover(cells.center(cell));
        let stems = spaced_objects(cells, &route.through, |cell| {
            cover(cell).stems.map(|own| (own.spacing, own))
        });
        for (place, stems) in stems {
            let known =
                scenario.scenery.iter_mut().find(|own| own.diameter == Some(stems.diameter));
            match known {
                Some(own) => own.places.push(place.from),
                None => scenario.scenery.push(stems.stems_at(vec![place.from])),
            }
        }
        let ridges = spaced_objects(cells, &route.through, |cell| {
            cover(cell).ridges.map(|own| (own.spacing, own))
        });
        // no longer than a cell: beyond a bend they would cross the route again
        let across = ridges.iter().map(|(place, own)| own.ridge_at(place, 0.0, 0.5 * cells.side));
        scenario.terrain.stamp.extend(across);
        if scenario.terrain.stamp.len() > MAX_STAMPS {
            scenario.terrain.stamp.truncate(MAX_STAMPS);
            omissions.push(format!("truncated to {MAX_STAMPS} ridges (scenario limit)"));
        }
    }
}

/// Rounds a factor to four decimal places.
fn rounded(factor: f64) -> f64 {
    (factor * 1e4).round() / 1e4
}

/// Returns the cells of a route and those around each, in the order of the route.
fn cells_near(cells: &Cells, through: &[usize]) -> Vec<usize> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for cell in through {
        let (column, row) = (cell % cells.columns, cell / cells.columns);
        let about = |at: usize, count: usize| at.saturating_sub(1)..(at + 2).min(count);
        let around = about(row, cells.rows).flat_map(|row| {
            about(column, cells.columns).map(move |column| row * cells.columns + column)
        });
        found.extend(std::iter::once(*cell).chain(around).filter(|cell| seen.insert(*cell)));
    }
    found
}

/// Returns objects in a row along a route, and their positions.
///
/// The distance to the next object is the spacing in the cell of the current one.
fn spaced_objects<T>(
    cells: &Cells,
    through: &[usize],
    of: impl Fn(usize) -> Option<(f64, T)>,
) -> Vec<(StraightPath, T)> {
    let mut found = Vec::new();
    // distance to the next object
    let mut left = START_CLEARANCE;
    for pair in through.windows(2) {
        let [from, to] = [cells.center(pair[0]), cells.center(pair[1])];
        let step = [to[0] - from[0], to[1] - from[1]];
        let length = hypot(step[0], step[1]);
        let towards = step.map(|part| part / length);
        for (half, cell) in pair.iter().enumerate() {
            let [begin, end] = [half, half + 1].map(|n| 0.5 * length * n as f64);
            let mut at = begin + left;
            while at < end {
                let Some((spacing, object)) = of(*cell) else { break };
                let from = [0, 1].map(|k| from[k] + at * towards[k]);
                found.push((StraightPath { from, towards, length: 0.0 }, object));
                at += spacing;
            }
            left = (at - end).max(0.0);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn obstacles_are_in_their_cells_only() {
        let cells = Cells { columns: 4, rows: 1, side: 10.0, north_west: [0.0, 10.0] };
        let of = |cell: usize| (cell != 1).then_some((4.0, cell));
        let found = spaced_objects(&cells, &[0, 1, 2, 3], of);
        let places: Vec<(f64, usize)> =
            found.iter().map(|(at, cell)| (at.from[0], *cell)).collect();
        // the first would be at 6 m, in a cell without objects
        assert_eq!(places, [(20.0, 2), (24.0, 2), (28.0, 2), (32.0, 3)]);
        assert!(found.iter().all(|(at, _)| at.from[1] == 5.0 && at.towards == [1.0, 0.0]));
    }

    #[test]
    fn obstacles_along_a_path_are_listed_once_in_order() {
        let cells = Cells { columns: 3, rows: 2, side: 10.0, north_west: [0.0; 2] };
        assert_eq!(cells_near(&cells, &[3, 4]), [3, 0, 1, 4, 2, 5]);
    }
}
