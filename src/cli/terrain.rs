//! `bekker terrain`

use super::{Failure, stdout};
use crate::geodesy::GridZone;
use crate::report::elevation::{elevation_letters, elevation_picture};
use crate::report::{check_writable, write_file};
use crate::scenario::input;
use crate::soil::SoilId;
use crate::spatial::Vec3;
use crate::terrain::{
    CellContent, HeightUnit, NoData, Origin, PngScale, Raster, RasterFormat, RasterWarning,
    Sidecars, Slopes, SoilMap, Surface, Terrain as Ground, TerrainError, Unit, read_raster_with,
    write_geotiff,
};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Inspect elevation models and convert them to terrains
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

/// Show the contents of an elevation model (DEM)
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker terrain info terrains/jacksboro_fault.tif\n  \
    bekker terrain info hills.png --height-range 0,25 --cell-size 2 --json")]
struct Info {
    #[command(flatten)]
    source: DemFile,
    /// Also draw a picture to this PNG file
    #[arg(long, value_name = "PNG", value_parser = super::destination::png)]
    picture: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Convert part of a DEM to a terrain (GeoTIFF) and print its scenario entry
///
/// The terrain keeps the coordinate reference system of the DEM.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    bekker terrain import survey.asc valley.tif --crop=-200,-200,200,200 --fill nearest")]
struct Import {
    #[command(flatten)]
    source: DemFile,
    /// GeoTIFF file to write
    #[arg(value_parser = super::destination::file)]
    output: PathBuf,
    /// Local origin (0, 0), in DEM coordinates (default: center of the DEM)
    #[arg(long, value_name = "X,Y", value_parser = numbers::<2>, allow_hyphen_values = true)]
    origin: Option<[f64; 2]>,
    /// Part to keep, in local coordinates, m (default: all)
    #[arg(long, value_name = "XMIN,YMIN,XMAX,YMAX", value_parser = numbers::<4>, allow_hyphen_values = true)]
    crop: Option<[f64; 4]>,
    /// Fill cells without data (default: reject them)
    #[arg(long)]
    fill: Option<Fill>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

/// A DEM and properties that its file may lack.
#[derive(Debug, Args)]
struct DemFile {
    /// DEM file: GeoTIFF, ESRI ASCII grid or PNG
    file: PathBuf,
    /// For PNG files: heights of black and white, m
    #[arg(long, value_name = "LOW,HIGH", value_parser = numbers::<2>, allow_hyphen_values = true, requires = "cell_size")]
    height_range: Option<[f64; 2]>,
    /// For PNG files: side length of a pixel, m
    #[arg(long, value_name = "M", requires = "height_range", allow_negative_numbers = true, value_parser = super::quantity::quantity(0.001..=100_000.0, "m"))]
    cell_size: Option<f64>,
    /// EPSG code of the coordinate reference system, if the file does not specify it
    #[arg(long, value_name = "CODE")]
    epsg: Option<u16>,
    /// Unit of the heights, if the file does not specify it
    #[arg(long, value_name = "UNIT")]
    height_unit: Option<HeightUnitName>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum HeightUnitName {
    /// Meters
    M,
    /// International feet
    Ft,
    /// US survey feet
    UsSurveyFt,
}

impl From<HeightUnitName> for HeightUnit {
    fn from(unit: HeightUnitName) -> HeightUnit {
        match unit {
            HeightUnitName::M => HeightUnit::Meter,
            HeightUnitName::Ft => HeightUnit::Foot,
            HeightUnitName::UsSurveyFt => HeightUnit::UsSurveyFoot,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Fill {
    /// Copy the nearest cell with data
    Nearest,
    /// Interpolate smoothly from the edge of each gap
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

impl DemFile {
    /// Refuses to overwrite the DEM.
    fn check_is_not(&self, output: &Path) -> Result<(), Failure> {
        let same = |a: &Path, b: &Path| Some(a.canonicalize().ok()? == b.canonicalize().ok()?);
        if same(&self.file, output) != Some(true) {
            return Ok(());
        }
        let cause = "is the input DEM; give another output file".into();
        Err(Failure::Input { subject: output.display().to_string(), cause })
    }

    /// Reads the raster and its format, and prints warnings to standard error.
    fn read(&self) -> Result<(Raster, RasterFormat, Vec<RasterWarning>), Failure> {
        let refused = |error: &dyn std::error::Error| Failure::input(&self.file, error);
        let bytes =
            input::read(&self.file, input::LARGEST_BINARY).map_err(|error| refused(&error))?;
        let format = RasterFormat::detect(&bytes).map_err(|error| refused(&error))?;
        let scale = self.height_range.zip(self.cell_size).map(|(heights, cell)| PngScale {
            heights,
            cell,
            south_west: [0.0; 2],
        });
        let sidecars = Sidecars::from_disk(&self.file, input::read, input::LARGEST_BINARY)
            .map_err(|error| refused(&error))?;
        let content = CellContent::Heights;
        let (raster, mut warnings) = read_raster_with(&bytes, scale.as_ref(), &sidecars, content)
            .map_err(|error| refused(&error))?;
        warnings.retain(|own| !own.is_settled_by(self.epsg));
        let raster = raster
            .with_reference(self.epsg, self.height_unit.map(HeightUnit::from))
            .map_err(|error| refused(&error))?;
        for warning in &warnings {
            eprintln!("warning: {}: {warning}", self.file.display());
        }
        Ok((raster, format, warnings))
    }
}

impl Info {
    fn execute(self) -> Result<(), Failure> {
        if let Some(picture) = &self.picture {
            self.source.check_is_not(picture)?;
        }
        let (raster, format, warnings) = self.source.read()?;
        let refused = |error| Failure::input(&self.source.file, &error);
        let (local, placement) = raster.localized(Origin::Center).map_err(refused)?;
        if let Some(path) = &self.picture {
            self.draw(&local, path)?;
        }
        let format = match format {
            RasterFormat::GeoTiff => "GeoTIFF",
            RasterFormat::Png => "PNG",
            RasterFormat::EsriAscii => "ESRI ASCII grid",
        };
        let unit = match raster.crs.unit {
            Unit::Meter if raster.crs.length == 1.0 => "m".to_string(),
            Unit::Meter => format!("units of {} m", raster.crs.length),
            Unit::Degree => "deg".to_string(),
        };
        let (bounds, cell, range) = (raster.bounds(), local.cell, raster.range());
        let (slopes, valid) = (local.slopes(), raster.valid_bounds());
        let middle = placement.site().map(|site| site.to_geodetic(&Vec3::zeros()));
        let degrees = middle.map(|m| [m.latitude.to_degrees(), m.longitude.to_degrees()]);
        let zone = raster.crs.epsg.and_then(GridZone::from_epsg);
        if self.json {
            return stdout::print_json(&json!({
                "format": format,
                "columns": raster.columns,
                "rows": raster.rows,
                "unit": unit,
                "epsg": raster.crs.epsg,
                "datum": zone.map(|zone| zone.datum.to_string()),
                "bounds": bounds,
                "middle_latitude_longitude_deg": degrees,
                "cell_m": cell,
                "height_range_m": range,
                "slope_percent": slopes.map(|slopes| json!({
                    "median": 100.0 * slopes.median,
                    "percentile_95": 100.0 * slopes.percentile_95,
                    "largest": 100.0 * slopes.largest,
                })),
                "valid_bounds": valid,
                "cells_without_data": raster.missing(),
                "warnings": warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
            }));
        }
        let extent = |[west, south, east, north]: [f64; 4]| {
            format!("x {west} to {east}, y {south} to {north} {unit}")
        };
        let epsg = raster.crs.epsg.map_or("not given".into(), |code| format!("EPSG {code}"));
        let system = zone.map_or(epsg.clone(), |zone| format!("{epsg}, {}", zone.datum));
        let [columns, rows] = [raster.columns, raster.rows];
        let across = |lost: usize| {
            let [x, y] = [(columns - lost) as f64 * cell[0], (rows - lost) as f64 * cell[1]];
            format!("{x:.1} m by {y:.1} m")
        };
        let gaps = match raster.missing() {
            0 => "no cell".into(),
            missing => format!("{missing} cells"),
        };
        let lines = [
            (
                "cells",
                format!("{columns} x {rows}, {:.2} m east by {:.2} m north", cell[0], cell[1]),
            ),
            ("size", format!("{}; {} between cell centers", across(0), across(1))),
            ("coordinates", format!("{} ({system})", extent(bounds))),
            (
                "middle",
                degrees.map_or(
                    "unknown: the file has no supported coordinate reference system".into(),
                    |[lat, lon]| format!("latitude {lat:.6}, longitude {lon:.6}"),
                ),
            ),
            ("heights", range.map_or("none".into(), |[low, high]| format!("{low} to {high} m"))),
            (
                "slope",
                slopes.map_or("none".into(), |slopes| {
                    let Slopes { median, percentile_95, largest } = slopes;
                    let percent = |slope: f64| format!("{:.0} %", 100.0 * slope);
                    format!(
                        "median {}, 95th percentile {}, maximum {}",
                        percent(median),
                        percent(percentile_95),
                        percent(largest)
                    )
                }),
            ),
            ("with data", valid.map_or("none".into(), extent)),
            ("without data", gaps),
        ];
        let mut text = format!("{}: {format}\n", self.source.file.display());
        for (name, value) in lines {
            text += &format!("  {name:<12}  {value}\n");
        }
        text += &format!("\n{}", elevation_letters(&local, 64));
        stdout::print(&text)
    }

    fn draw(&self, local: &Raster, path: &Path) -> Result<(), Failure> {
        let refused = |error| Failure::input(&self.source.file, &error);
        let filled = local.clone().without_gaps(NoData::Nearest).map_err(refused)?;
        let surface = Surface::raster(filled).map_err(refused)?;
        let soils = SoilMap::uniform(SoilId::default());
        let terrain = Ground::builder(surface, soils).build().map_err(refused)?;
        let title = self.source.file.file_name().unwrap_or_default().to_string_lossy();
        Ok(elevation_picture(local, &terrain, &title, path)?)
    }
}

impl Import {
    fn execute(self, quiet: bool) -> Result<(), Failure> {
        check_writable(&self.output)?;
        self.source.check_is_not(&self.output)?;
        if self.output.exists() && !self.force {
            let cause = "already exists; overwrite it with --force".into();
            return Err(Failure::Input { subject: self.output.display().to_string(), cause });
        }
        let (raster, _, _) = self.source.read()?;
        let refused = |error| Failure::input(&self.source.file, &error);
        let origin = self.origin.map_or(Origin::Center, Origin::At);
        let (mut local, placement) = raster.localized(origin).map_err(refused)?;
        // gaps are filled from all surrounding cells, also from those that are cropped away
        local = match self.fill {
            None => local,
            Some(Fill::Nearest) => local.without_gaps(NoData::Nearest).map_err(refused)?,
            Some(Fill::Interpolated) => local.without_gaps(NoData::Interpolate).map_err(refused)?,
        };
        if let Some(bounds) = self.crop {
            local = local.cropped(bounds).map_err(refused)?;
        }
        let local = local.without_gaps(NoData::Refuse).map_err(|error| match error {
            TerrainError::NoData { .. } => Failure::Input {
                subject: self.source.file.display().to_string(),
                cause: format!("{error} (use --crop, --fill nearest or --fill interpolated)"),
            },
            other => refused(other),
        })?;
        let is_written = placement.crs.can_be_written();
        if !is_written {
            eprintln!(
                "note: {} is in local meters, because the DEM's reference system has no EPSG code",
                self.output.display()
            );
        }
        let (written, origin) = match is_written {
            true => (placement.georeference(&local), placement.origin),
            false => (local.clone(), [0.0; 2]),
        };
        let bytes = write_geotiff(&written).map_err(refused)?;
        write_file(&self.output, &bytes)?;
        if !quiet {
            let [west, south, east, north] = local.bounds();
            eprintln!(
                "{}: x {west:.1} to {east:.1}, y {south:.1} to {north:.1} m",
                self.output.display()
            );
        }
        stdout::print(&format!(
            "[terrain.surface]\nkind = \"dem\"\nfile = {}\norigin = {}",
            json!(self.output.display().to_string()),
            json!(origin),
        ))
    }
}

/// Parses `N` numbers separated by commas.
pub(super) fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let parsed: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    parsed
        .ok()
        .filter(|numbers| numbers.iter().all(|x| x.abs() <= 1e8))
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| format!("must be {N} numbers separated by commas, each from -1e8 to 1e8"))
}
