//! Table of all crossings of a map.

use super::driven_cells::DrivenCells;
use super::map_cells::{DrivenTable, MapCells};
use crate::cli::Failure;
use crate::map::{Crossing, GroundCover};
use crate::report::study::TitledTable;
use std::path::Path;

/// Values of each crossing.
const FIGURES: [&str; 4] = ["end", "speed", "slip", "energy_per_m"];

/// Writes the crossings of planes, from the tables of soils.
pub fn write_table_crossings(
    map_cells: &MapCells,
    driven: &[DrivenTable],
    path: &Path,
) -> Result<(), Failure> {
    let rows = driven.iter().zip(&map_cells.covers).flat_map(|(own, cover)| {
        let soil = &map_cells.map.soil_of(cover).name;
        let covered = covered(cover);
        own.columns.iter().enumerate().flat_map(move |(n, column)| {
            let [strength, side] = own.axes.column_values(n);
            let covered = covered.clone();
            column.crossings().map(move |(grade, crossing)| {
                let place = [strength, side, grade].map(|x| x.to_string());
                [vec![soil.clone(), covered.clone()], place.to_vec(), figures(crossing)].concat()
            })
        })
    });
    write(&["soil", "cover", "strength", "side_slope", "grade"], rows.collect(), path)
}

/// Writes the crossings of the cells.
pub fn write_cell_crossings(
    map_cells: &MapCells,
    driven: &DrivenCells,
    path: &Path,
) -> Result<(), Failure> {
    let cells = driven.crossings.iter().enumerate();
    let rows = cells.flat_map(|(cell, crossings)| {
        let [x, y] = map_cells.cells.center(cell);
        crossings.iter().flatten().enumerate().map(move |(n, crossing)| {
            let [direction, deviations] = driven.drives.crossing(n);
            let place = [x, y, direction.to_degrees(), deviations].map(|x| x.to_string());
            [place.to_vec(), figures(crossing)].concat()
        })
    });
    write(&["x", "y", "direction_deg", "deviations"], rows.collect(), path)
}

/// Describes roughness, snow, frost, stems and ridges of a cover in words.
pub fn covered(cover: &GroundCover) -> String {
    let roughness = cover.roughness.map(|class| format!("roughness {class:?}"));
    let snow = cover.snow.map(|depth| format!("snow {depth} m"));
    let frost = cover.frost.map(|depth| format!("frost {depth} m"));
    let stems = cover.stems.map(|own| format!("stems {} m every {} m", own.diameter, own.spacing));
    let ridges = cover.ridges.map(|own| format!("ridges {} m every {} m", own.height, own.spacing));
    let all = [roughness, snow, frost, stems, ridges];
    all.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn figures(crossing: &Crossing) -> Vec<String> {
    let end = serde_json::to_value(crossing.end).unwrap_or_default();
    let numbers = [crossing.speed, crossing.slip, crossing.energy].map(|x| x.to_string());
    [vec![end.as_str().unwrap_or_default().to_owned()], numbers.to_vec()].concat()
}

fn write(place: &[&str], rows: Vec<Vec<String>>, path: &Path) -> Result<(), Failure> {
    let head = place.iter().chain(&FIGURES).map(|own| (*own).to_owned()).collect();
    Ok(TitledTable { title: String::new(), head, rows }.write_csv(path)?)
}
