//! Common options of the rigs of tracked vehicles.

use crate::cli::Failure;
use crate::cli::quantity::quantity;
use crate::rig::{Refinement, TrackMotion, TrackRig};
use crate::scenario::build::vehicle_spec;
use crate::soil::{Laws, Soil};
use crate::vehicle::TrackedSpec;
use crate::vehicle::spec::TrackModel;
use clap::Args;
use std::path::Path;

/// Length and resolution of a run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct TrackedRun {
    /// Distance between soil nodes, m
    #[arg(long, visible_alias = "spacing", value_name = "M", default_value = "0.05", allow_negative_numbers = true, value_parser = quantity(0.005..=0.2, "m"))]
    grid: f64,
    /// Track model (default: from the vehicle file)
    #[arg(long, value_name = "MODEL", value_enum)]
    tracks: Option<TrackModelName>,
    /// Time step, s
    #[arg(long, value_name = "S", default_value = "0.001", allow_negative_numbers = true, value_parser = quantity(1e-5..=0.005, "s"))]
    step: f64,
    /// Length of the run, s. The vehicle settles during the first second. Means cover the last 40 %
    #[arg(long, value_name = "S", default_value = "5", allow_negative_numbers = true, value_parser = quantity(2.5..=120.0, "s"))]
    duration: f64,
}

impl TrackedRun {
    /// Returns the rig of a vehicle on a soil with its laws.
    pub fn rig(
        &self,
        vehicle: TrackedSpec,
        soil: Soil,
        laws: Laws,
        motion: TrackMotion,
    ) -> TrackRig {
        let TrackedRun { grid, tracks, step, duration } = *self;
        let model = tracks.map_or(vehicle.model, TrackModel::from);
        let vehicle = TrackedSpec { model, ..vehicle };
        TrackRig { laws, spacing: grid, step, duration, ..TrackRig::new(vehicle, soil, motion) }
    }
}

/// Model of a track, as given on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum TrackModelName {
    /// Continuous band that carries the shoes
    Belt,
    /// Every shoe is a separate body
    Segmented,
}

impl From<TrackModelName> for TrackModel {
    fn from(model: TrackModelName) -> TrackModel {
        match model {
            TrackModelName::Belt => TrackModel::Belt,
            TrackModelName::Segmented => TrackModel::Segmented,
        }
    }
}

/// Returns the tracked vehicle of a name or a file.
pub fn vehicle(name: &str) -> Result<TrackedSpec, Failure> {
    let spec = vehicle_spec(name, Path::new(""))?;
    spec.tracked().cloned().ok_or_else(|| Failure::Input {
        subject: name.to_owned(),
        cause: "is wheeled; use `bekker rig wheel`".into(),
    })
}

pub fn terms(refinement: Refinement) -> (&'static str, &'static str) {
    match refinement {
        Refinement::Spacing => ("half the spacing", "a smaller --grid"),
        Refinement::Step => ("half the step", "a smaller --step"),
        Refinement::Extent => ("twice the run", "a longer --duration"),
    }
}
