//! A vehicle file of either kind.

use super::{Chassis, Footprint, Point, SpecError, TrackedSpec, VehicleSpec};
use crate::powertrain::Powertrain;
use serde::Serialize;

/// What a vehicle file says, whatever the vehicle runs on.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum AnySpec {
    /// On wheels.
    Wheeled(Box<VehicleSpec>),
    /// On tracks: a file with `running_gear = "tracks"`.
    Tracked(Box<TrackedSpec>),
}

impl AnySpec {
    /// The key by which a file says that it is not about wheels.
    pub const RUNNING_GEAR: &str = "running_gear";

    /// Reads a vehicle from TOML and checks it.
    ///
    /// # Errors
    ///
    /// As [`VehicleSpec::from_toml`] and [`TrackedSpec::from_toml`].
    pub fn from_toml(text: &str) -> Result<AnySpec, SpecError> {
        let table: toml::Table =
            toml::from_str(text).map_err(|error| super::spec_error::syntax(&error))?;
        if table.contains_key(AnySpec::RUNNING_GEAR) {
            Ok(AnySpec::Tracked(Box::new(TrackedSpec::from_toml(text)?)))
        } else {
            Ok(AnySpec::Wheeled(Box::new(VehicleSpec::from_toml(text)?)))
        }
    }

    /// The file of a wheeled vehicle.
    pub fn wheeled(&self) -> Option<&VehicleSpec> {
        match self {
            AnySpec::Wheeled(spec) => Some(spec),
            AnySpec::Tracked(_) => None,
        }
    }

    /// The file of a tracked vehicle.
    pub fn tracked(&self) -> Option<&TrackedSpec> {
        match self {
            AnySpec::Wheeled(_) => None,
            AnySpec::Tracked(spec) => Some(spec),
        }
    }

    /// Name of the vehicle.
    pub fn name(&self) -> &str {
        match self {
            AnySpec::Wheeled(spec) => &spec.name,
            AnySpec::Tracked(spec) => &spec.name,
        }
    }

    /// One line about it.
    pub fn description(&self) -> &str {
        match self {
            AnySpec::Wheeled(spec) => &spec.description,
            AnySpec::Tracked(spec) => &spec.description,
        }
    }

    /// Where its figures come from.
    pub fn source(&self) -> &str {
        match self {
            AnySpec::Wheeled(spec) => &spec.source,
            AnySpec::Tracked(spec) => &spec.source,
        }
    }

    /// What it covers seen from above.
    pub fn footprint(&self) -> Footprint {
        match self {
            AnySpec::Wheeled(spec) => Footprint::of(spec),
            AnySpec::Tracked(spec) => Footprint::of_tracks(spec),
        }
    }

    /// Whether its file says what it covers, or that is taken from its running gear.
    pub fn gives_footprint(&self) -> bool {
        match self {
            AnySpec::Wheeled(spec) => spec.chassis.footprint.is_some(),
            AnySpec::Tracked(spec) => spec.chassis.footprint.is_some(),
        }
    }

    /// Drag coefficient times frontal area, m², of it and its trailer; none where its file gives none.
    pub fn drag_area(&self) -> Option<f64> {
        match self {
            AnySpec::Wheeled(spec) => {
                let trailer = spec.trailer.as_ref().and_then(|own| own.chassis.drag_area);
                let own = spec.chassis.drag_area;
                own.map(|area| area + trailer.unwrap_or(0.0)).or(trailer)
            }
            AnySpec::Tracked(spec) => spec.chassis.drag_area,
        }
    }

    /// Engine, converter and gearbox.
    pub fn powertrain(&self) -> &Powertrain {
        match self {
            AnySpec::Wheeled(spec) => &spec.powertrain,
            AnySpec::Tracked(spec) => &spec.powertrain,
        }
    }

    /// Whether it can be steered: tracks always, wheels where an axle is steered.
    pub fn can_steer(&self) -> bool {
        match self {
            AnySpec::Wheeled(spec) => spec.can_steer(),
            AnySpec::Tracked(_) => true,
        }
    }

    /// Its sprung body, to be changed.
    pub fn chassis_mut(&mut self) -> &mut Chassis {
        match self {
            AnySpec::Wheeled(spec) => &mut spec.chassis,
            AnySpec::Tracked(spec) => &mut spec.chassis,
        }
    }

    /// Fixes a box of `mass` kg and of even density to it, its middle and sides as given, m.
    pub fn load(&mut self, mass: f64, place: &Point, size: &Point) {
        match self {
            AnySpec::Wheeled(spec) => spec.load(mass, place, size),
            AnySpec::Tracked(spec) => spec.chassis.load(mass, place, size),
        }
    }

    /// Refuses figures that make no vehicle.
    ///
    /// # Errors
    ///
    /// [`SpecError::Value`] for the first offending figure, in the order of the file.
    pub fn check(&self) -> Result<(), SpecError> {
        match self {
            AnySpec::Wheeled(spec) => spec.check(),
            AnySpec::Tracked(spec) => spec.check(),
        }
    }

    /// Mass of all bodies, kg.
    pub fn total_mass(&self) -> f64 {
        match self {
            AnySpec::Wheeled(spec) => spec.total_mass(),
            AnySpec::Tracked(spec) => spec.total_mass(),
        }
    }
}
