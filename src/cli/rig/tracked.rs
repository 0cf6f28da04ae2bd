//! What the rigs of tracked vehicles share on the command line.

use super::quantity::quantity;
use crate::cli::Failure;
use crate::scenario::build::vehicle_spec;
use crate::soil::Soil;
use crate::study::{Refinement, TrackMotion, TrackRig};
use crate::vehicle::TrackedSpec;
use clap::Args;
use std::path::Path;

/// How long a run is, and how finely it is reckoned.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct Run {
    /// Distance between nodes, m
    #[arg(long, value_name = "M", default_value = "0.05", allow_negative_numbers = true, value_parser = quantity(0.005..=0.2, "m"))]
    grid: f64,
    /// Time step, s
    #[arg(long, value_name = "S", default_value = "0.002", allow_negative_numbers = true, value_parser = quantity(1e-5..=0.005, "s"))]
    step: f64,
    /// Length of the run, s; the vehicle settles in the first, means are over the last 40 %
    #[arg(long, value_name = "S", default_value = "5", allow_negative_numbers = true, value_parser = quantity(2.0..=120.0, "s"))]
    duration: f64,
}

impl Run {
    /// The rig of a vehicle on a soil.
    pub fn rig(&self, vehicle: TrackedSpec, soil: Soil, motion: TrackMotion) -> TrackRig {
        let Run { grid, step, duration } = *self;
        TrackRig { spacing: grid, step, duration, ..TrackRig::new(vehicle, soil, motion) }
    }
}

/// The tracked vehicle of this name or file.
pub fn vehicle(name: &str) -> Result<TrackedSpec, Failure> {
    let spec = vehicle_spec(name, Path::new(""))?;
    spec.tracked().cloned().ok_or_else(|| Failure::Input {
        subject: name.to_owned(),
        cause: "runs on wheels: see `bekker rig wheel`".into(),
    })
}

pub fn terms(refinement: Refinement) -> (&'static str, &'static str) {
    match refinement {
        Refinement::Spacing => ("half the spacing", "a smaller --grid"),
        Refinement::Step => ("half the step", "a smaller --step"),
        Refinement::Extent => ("twice the run", "a longer --duration"),
    }
}
