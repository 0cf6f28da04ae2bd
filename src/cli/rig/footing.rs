//! Plate of a rig, and its load.

use super::bed::SoilBed;
use crate::cli::Failure;
use crate::cli::quantity::quantity;
use crate::rig::PlateRig;
use crate::scm::PlateOutline;
use crate::soil::DeformableSoil;
use clap::Args;
use std::f64::consts::PI;
use std::str::FromStr;

/// The plate and its load.
#[derive(Debug, Args)]
#[command(next_help_heading = "Plate")]
pub struct PlateOptions {
    /// Length and width of a rectangular plate, m
    #[arg(long, value_name = "LxB", default_value = "0.6x0.2", conflicts_with = "disc")]
    size: PlateSides,
    /// Radius of a round plate, m, instead of --size
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = quantity(0.01..=5.0, "m"))]
    disc: Option<f64>,
    /// Load on the plate, N (default: set by --pressure)
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = quantity(1.0..=1e8, "N"))]
    load: Option<f64>,
    /// Mean pressure under the plate, Pa, instead of --load (default: 100000)
    #[arg(long, value_name = "PA", conflicts_with = "load", allow_negative_numbers = true, value_parser = quantity(100.0..=1e7, "Pa"))]
    pressure: Option<f64>,
    /// Distance between soil nodes, m (default: 0.005 for `plate`, 0.01 for `shear`)
    #[arg(long, visible_alias = "spacing", value_name = "M", allow_negative_numbers = true, value_parser = quantity(0.001..=0.5, "m"))]
    grid: Option<f64>,
    /// Largest sinkage increment while pressing, as a fraction of the sinkage
    #[arg(long, value_name = "PART", default_value = "0.02", allow_negative_numbers = true, value_parser = quantity(0.002..=0.5, ""))]
    increment: f64,
}

/// Length and width, m.
#[derive(Clone, Copy, Debug)]
struct PlateSides {
    length: f64,
    width: f64,
}

impl FromStr for PlateSides {
    type Err = String;

    fn from_str(text: &str) -> Result<PlateSides, String> {
        let side = quantity(0.01..=10.0, "m");
        let (length, width) =
            text.split_once(['x', 'X', ',']).ok_or("must be length x width, such as 0.6x0.2")?;
        let length = side(length).map_err(|error| format!("length: {error}"))?;
        let width = side(width).map_err(|error| format!("width: {error}"))?;
        Ok(PlateSides { length, width })
    }
}

/// Default pressure, Pa.
const PRESSURE: f64 = 1e5;

impl PlateOptions {
    /// Returns the rig on its soil; `grid` is the default spacing of nodes, m.
    pub fn rig(&self, bed: &SoilBed, grid: f64) -> Result<(PlateRig, DeformableSoil), Failure> {
        let grid = self.grid.unwrap_or(grid);
        let PlateSides { length, width } = self.size;
        let (outline, area, least) = match self.disc {
            Some(radius) => (PlateOutline::Disc { radius }, PI * radius * radius, radius),
            None => (PlateOutline::Rectangle { length, width }, length * width, length.min(width)),
        };
        if grid > 0.5 * least {
            return Err(Failure::Usage {
                argument: "--grid <M>",
                value: grid.to_string(),
                allowed: format!(
                    "at most half the plate's shorter side or radius, {} m",
                    0.5 * least
                ),
            });
        }
        let pressure = self.load.map(|load| load / area).or(self.pressure).unwrap_or(PRESSURE);
        let (soil, yielding) = bed.soil()?;
        let mut rig = PlateRig::new(soil, outline, pressure);
        rig.laws = bed.laws();
        rig.spacing = grid;
        rig.increment = self.increment;
        Ok((rig, yielding))
    }
}

/// Describes the plate.
pub fn describe(outline: PlateOutline) -> String {
    match outline {
        PlateOutline::Rectangle { length, width } => format!("plate {length} m x {width} m"),
        PlateOutline::Disc { radius } => format!("disc of {radius} m radius"),
    }
}

/// Returns the reciprocal of the plate's width in Bekker's law, 1/m: perimeter over twice the area.
pub fn inverse_width(outline: PlateOutline) -> f64 {
    match outline {
        PlateOutline::Rectangle { length, width } => 1.0 / length + 1.0 / width,
        PlateOutline::Disc { radius } => 1.0 / radius,
    }
}
