//! `bekker terrain`

use super::{Failure, stdout};
use crate::report::{check_place, write_file};
use crate::terrain::{
    NoData, Origin, PngScale, Raster, RasterFormat, RasterWarning, Unit, read_raster, write_geotiff,
};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use std::path::PathBuf;

/// Look into elevation models and turn them into terrains
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker terrain info terrains/jacksboro_fault.tif\n  \
    bekker terrain import survey.asc valley.tif --crop=-200,-200,200,200")]
pub struct Terrain {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Info(Info),
    Import(Import),
}

/// Say what a DEM holds
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker terrain info terrains/jacksboro_fault.tif\n  \
    bekker terrain info hills.png --height-range 0,25 --cell-size 2 --json")]
struct Info {
    #[command(flatten)]
    source: Source,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Turn a DEM into a terrain in local metres (GeoTIFF) and print how a scenario names it
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    bekker terrain import survey.asc valley.tif --crop=-200,-200,200,200 --fill nearest")]
struct Import {
    #[command(flatten)]
    source: Source,
    /// The GeoTIFF to write
    output: PathBuf,
    /// What becomes (0, 0), in the DEM's coordinates; its middle if not given
    #[arg(long, value_name = "X,Y", value_parser = numbers::<2>, allow_hyphen_values = true)]
    origin: Option<[f64; 2]>,
    /// Part to keep, in local metres
    #[arg(long, value_name = "XMIN,YMIN,XMAX,YMAX", value_parser = numbers::<4>, allow_hyphen_values = true)]
    crop: Option<[f64; 4]>,
    /// Fill cells without data, which are refused otherwise
    #[arg(long)]
    fill: Option<Fill>,
}

/// A DEM and what its file may not say.
#[derive(Debug, Args)]
struct Source {
    /// GeoTIFF, ESRI ASCII grid or PNG
    file: PathBuf,
    /// PNG: heights of black and white, m
    #[arg(long, value_name = "LOW,HIGH", value_parser = numbers::<2>, allow_hyphen_values = true, requires = "cell_size")]
    height_range: Option<[f64; 2]>,
    /// PNG: side of a pixel, m
    #[arg(long, value_name = "M", requires = "height_range")]
    cell_size: Option<f64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Fill {
    /// From the nearest cell with data
    Nearest,
    /// Smoothly from the rim of each gap
    Interpolated,
}

impl Terrain {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        match self.command {
            Command::Info(command) => command.execute(),
            Command::Import(command) => command.execute(quiet),
        }
    }
}

impl Source {
    /// The raster with its format; warnings go to standard error.
    fn read(&self) -> Result<(Raster, RasterFormat, Vec<RasterWarning>), Failure> {
        let refused = |error: &dyn std::error::Error| Failure::input(&self.file, error);
        let bytes = std::fs::read(&self.file).map_err(|error| refused(&error))?;
        let format = RasterFormat::of(&bytes).map_err(|error| refused(&error))?;
        let scale = self.height_range.zip(self.cell_size).map(|(heights, cell)| PngScale {
            heights,
            cell,
            south_west: [0.0; 2],
        });
        let (raster, warnings) =
            read_raster(&bytes, scale.as_ref()).map_err(|error| refused(&error))?;
        for warning in &warnings {
            eprintln!("warning: {}: {warning}", self.file.display());
        }
        Ok((raster, format, warnings))
    }
}

impl Info {
    fn execute(self) -> Result<(), Failure> {
        let (raster, format, warnings) = self.source.read()?;
        let metres = raster
            .localised(Origin::Centre)
            .map_err(|error| Failure::input(&self.source.file, &error))?;
        let format = match format {
            RasterFormat::GeoTiff => "GeoTIFF",
            RasterFormat::Png => "PNG",
            RasterFormat::EsriAscii => "ESRI ASCII grid",
        };
        let unit = match raster.crs.unit {
            Unit::Metre => "m",
            Unit::Degree => "deg",
        };
        let (bounds, cell, range) = (raster.bounds(), metres.0.cell, raster.range());
        if self.json {
            return stdout::print_json(&json!({
                "format": format,
                "columns": raster.columns,
                "rows": raster.rows,
                "unit": unit,
                "epsg": raster.crs.epsg,
                "bounds": bounds,
                "cell_m": cell,
                "height_range_m": range,
                "cells_without_data": raster.missing(),
                "warnings": warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
            }));
        }
        let [west, south, east, north] = bounds;
        let heights = range.map_or("none".into(), |[low, high]| format!("{low} to {high} m"));
        let epsg = raster.crs.epsg.map_or("not given".into(), |code| format!("EPSG {code}"));
        let [columns, rows] = [raster.columns, raster.rows];
        let size = [columns as f64 * cell[0], rows as f64 * cell[1]];
        stdout::print(&format!(
            "{}: {format}\n  cells         {columns} x {rows}, {:.2} m east by {:.2} m north\n  \
             size          {:.1} m by {:.1} m\n  coordinates   x {west} to {east}, y {south} to {north} \
             {unit} ({epsg})\n  heights       {heights}\n  without data  {} cells",
            self.source.file.display(),
            cell[0],
            cell[1],
            size[0],
            size[1],
            raster.missing(),
        ))
    }
}

impl Import {
    fn execute(self, quiet: bool) -> Result<(), Failure> {
        check_place(&self.output)?;
        let (raster, _, _) = self.source.read()?;
        let refused = |error| Failure::input(&self.source.file, &error);
        let origin = self.origin.map_or(Origin::Centre, Origin::At);
        let (mut local, _) = raster.localised(origin).map_err(refused)?;
        if let Some(bounds) = self.crop {
            local = local.cropped(bounds).map_err(refused)?;
        }
        let rule = match self.fill {
            None => NoData::Refuse,
            Some(Fill::Nearest) => NoData::Nearest,
            Some(Fill::Interpolated) => NoData::Interpolate,
        };
        let local = local.without_gaps(rule).map_err(refused)?;
        let bytes = write_geotiff(&local).map_err(refused)?;
        write_file(&self.output, &bytes)?;
        if !quiet {
            let [west, south, east, north] = local.bounds();
            eprintln!(
                "{}: x {west:.1} to {east:.1}, y {south:.1} to {north:.1} m",
                self.output.display()
            );
        }
        stdout::print(&format!(
            "[terrain.surface]\nkind = \"dem\"\nfile = {}\norigin = [0, 0]",
            json!(self.output.display().to_string())
        ))
    }
}

/// Numbers between commas, so many of them.
pub(super) fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let parsed: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    parsed
        .ok()
        .filter(|numbers| numbers.iter().all(|x| x.is_finite()))
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| format!("must be {N} numbers between commas"))
}
