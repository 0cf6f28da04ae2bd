//! Checks of the area that a team searches: its extent and its number of tiles.

use super::config::{DriverConfig, Scenario, TeamConfig};
use super::diagnostic::DiagnosticKind;
use super::diagnostic_sink::DiagnosticSink;
use bekker_autonomy::elevation_map::TILE;

/// Maximum number of tiles of an area: the authority examines each tile twice per second.
const MAX_TILES: f64 = 65_536.0;

/// Refuses an area that is empty, contains no cell of the map or exceeds [`MAX_TILES`].
///
/// Whether it lies on the terrain is checked when the terrain is opened.
pub(super) fn check(scenario: &Scenario, team: &TeamConfig, refuse: &mut DiagnosticSink) {
    let Some(search) = &team.search else { return };
    if let Err(cause) = check_area(search.area, cell(scenario, team)) {
        refuse("team.search.area".into(), DiagnosticKind::Refused { cause });
    }
}

/// Cell size of the authority's map, m; `None` without an authority.
fn cell(scenario: &Scenario, team: &TeamConfig) -> Option<f64> {
    let is_authority = |name: &str| team.authority.as_ref().is_none_or(|own| own == name);
    scenario.vehicle.iter().filter(|own| is_authority(&own.name)).find_map(|own| match own.driver {
        DriverConfig::Autonomous { cell, .. } => Some(cell),
        _ => None,
    })
}

fn check_area([west, south, east, north]: [f64; 4], cell: Option<f64>) -> Result<(), String> {
    if !(west < east && south < north) {
        let must = "must be [west, south, east, north] with west < east and south < north";
        return Err(must.into());
    }
    let Some(cell) = cell else { return Ok(()) };
    let count = |low: f64, high: f64| cell_index(high, cell) - cell_index(low, cell);
    if count(west, east) < 1.0 || count(south, north) < 1.0 {
        return Err(format!(
            "contains no cell center of the map; must be at least {cell} m wide and deep, the side \
             of a cell (driver.cell)"
        ));
    }
    let side = cell * TILE as f64;
    let across = |low: f64, high: f64| (high / side).ceil() - (low / side).floor();
    let tiles = across(west, east) * across(south, north);
    if tiles > MAX_TILES {
        return Err(format!(
            "has {tiles:.1e} tiles of {side} m; must have at most {MAX_TILES} and be on the \
             terrain"
        ));
    }
    Ok(())
}

/// Index of the first cell whose center is at `x`, m, or beyond.
///
/// Indices are those of [`ElevationMap::explored`](bekker_autonomy::ElevationMap::explored).
fn cell_index(x: f64, cell: f64) -> f64 {
    (x / cell + 0.5).floor()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(area: [f64; 4]) -> String {
        check_area(area, Some(0.5)).expect_err("not a search area")
    }

    #[test]
    fn an_area_holds_a_cell_and_no_more_tiles_than_can_be_looked_through() {
        assert_eq!(check_area([-45.0, -45.0, 45.0, 45.0], Some(0.5)), Ok(()));
        // the maximum: 256 x 256 tiles of 16 m
        assert_eq!(check_area([0.0, 0.0, 4096.0, 4096.0], Some(0.5)), Ok(()));
        assert!(refused([0.0, 0.0, 4097.0, 4096.0]).contains("6.6e4 tiles of 16 m"));
        assert!(refused([-1e6, -1e6, 1e6, 1e6]).contains("at most 65536"));
        // cell centers are at 0.25 m, 0.75 m and so on
        assert_eq!(check_area([0.2, 0.2, 0.3, 0.3], Some(0.5)), Ok(()));
        assert!(refused([0.3, 0.2, 0.7, 0.3]).contains("no cell center of the map"));
        assert!(refused([9.0, 0.0, 0.0, 9.0]).contains("west < east"));
    }
}
