//! `bekker map plan`

use super::map_cells::MapCells;
use crate::cli::{Failure, stdout};
use crate::map::{CoverData, CrossingDriver, MapFile, TableAxes};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Check a map file and print its numbers of cells, soils and drives
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker map plan examples/map_jacksboro.toml")]
pub struct Plan {
    /// Map file (.toml)
    map: PathBuf,
    /// Override a key of the map file, as in `--set cell=30`; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Plan {
    pub fn execute(self) -> Result<(), Failure> {
        let map_cells = MapCells::new(MapFile::read(&self.map, &self.sets)?)?;
        let driver = CrossingDriver::new(&map_cells.map);
        let covers = &map_cells.covers;
        map_cells.warn();
        let known: Vec<CoverData> =
            covers.iter().map(|cover| driver.cover_data(cover, f64::INFINITY)).collect();
        let columns: usize = map_cells.axes(&known).iter().map(TableAxes::columns).sum();
        let params = map_cells.params();
        let mut names: Vec<&str> =
            covers.iter().map(|cover| map_cells.map.soil_of(cover).name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let cells = map_cells.cells;
        if self.json {
            return stdout::print_json(&json!({
                "vehicle": map_cells.vehicle,
                "columns": cells.columns,
                "rows": cells.rows,
                "cell": cells.side,
                "cells_without_data": map_cells.without_data(),
                "area": cells.bounds(),
                "soils": names,
                "tables": covers.len(),
                "table_columns": columns,
                "slope_deviation": params.slope_deviation,
            }));
        }
        let [west, south, east, north] = cells.bounds().map(to_millimeters);
        let tables = match covers.len() {
            1 => "1 table".to_owned(),
            count => format!("{count} tables"),
        };
        let without = match map_cells.without_data() {
            0 => String::new(),
            count => format!("; {count} cells have no elevation data and remain empty"),
        };
        stdout::print(&format!(
            "{}: {} on {} x {} cells of {} m, x {west} to {east}, y {south} to {north} m, {}; \
             {columns} columns of {tables}, about a dozen drives of 30 to 400 m per column; \
             standard deviation of the slope {:.3}{without}",
            self.map.display(),
            map_cells.vehicle,
            cells.columns,
            cells.rows,
            cells.side,
            names.join(", "),
            params.slope_deviation,
        ))
    }
}

/// Rounds a coordinate, m, so that it prints without the error of binary fractions.
pub(super) fn to_millimeters(x: f64) -> f64 {
    (1e3 * x).round() / 1e3
}
