//! A file of a wheeled or tracked vehicle.

use super::{SpecError, TrackedSpec, VehicleFootprint, VehicleSpec};
use crate::powertrain::Powertrain;
use serde::Serialize;

/// Parameters of a wheeled or tracked vehicle.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum AnySpec {
    /// A wheeled vehicle.
    Wheeled(Box<VehicleSpec>),
    /// A tracked vehicle: a file with `running_gear = "tracks"`.
    Tracked(Box<TrackedSpec>),
}

impl AnySpec {
    /// Key that marks a file of a vehicle that is not wheeled.
    pub const RUNNING_GEAR: &str = "running_gear";

    /// Parses a vehicle from TOML and checks it.
    ///
    /// # Errors
    ///
    /// The errors of [`VehicleSpec::from_toml`] and [`TrackedSpec::from_toml`].
    pub fn from_toml(text: &str) -> Result<AnySpec, SpecError> {
        let table: toml::Table =
            toml::from_str(text).map_err(|error| super::spec_error::syntax(&error))?;
        if table.contains_key(AnySpec::RUNNING_GEAR) {
            Ok(AnySpec::Tracked(Box::new(TrackedSpec::from_toml(text)?)))
        } else {
            Ok(AnySpec::Wheeled(Box::new(VehicleSpec::from_toml(text)?)))
        }
    }

    /// Returns the parameters of a wheeled vehicle.
    pub fn wheeled(&self) -> Option<&VehicleSpec> {
        match self {
            AnySpec::Wheeled(spec) => Some(spec),
            AnySpec::Tracked(_) => None,
        }
    }

    /// Returns the parameters of a tracked vehicle.
    pub fn tracked(&self) -> Option<&TrackedSpec> {
        match self {
            AnySpec::Wheeled(_) => None,
            AnySpec::Tracked(spec) => Some(spec),
        }
    }

    /// Returns the name of the vehicle.
    pub fn name(&self) -> &str {
        match self {
            AnySpec::Wheeled(spec) => &spec.name,
            AnySpec::Tracked(spec) => &spec.name,
        }
    }

    /// Returns the description in one line.
    pub fn description(&self) -> &str {
        match self {
            AnySpec::Wheeled(spec) => &spec.description,
            AnySpec::Tracked(spec) => &spec.description,
        }
    }

    /// Returns the source of the parameters.
    pub fn source(&self) -> &str {
        match self {
            AnySpec::Wheeled(spec) => &spec.source,
            AnySpec::Tracked(spec) => &spec.source,
        }
    }

    /// Returns the area that the vehicle covers in plan view.
    pub fn footprint(&self) -> VehicleFootprint {
        match self {
            AnySpec::Wheeled(spec) => VehicleFootprint::from_spec(spec),
            AnySpec::Tracked(spec) => VehicleFootprint::from_tracked_spec(spec),
        }
    }

    /// Whether the file gives the footprint; if not, it is derived from the running gear.
    pub fn gives_footprint(&self) -> bool {
        match self {
            AnySpec::Wheeled(spec) => spec.chassis.footprint.is_some(),
            AnySpec::Tracked(spec) => spec.chassis.footprint.is_some(),
        }
    }

    /// Returns drag coefficient times frontal area, m², of the vehicle and its trailer.
    ///
    /// `None` if the file gives no drag area.
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

    /// Returns engine, converter and gearbox; `None` for electric motors.
    pub fn powertrain(&self) -> Option<&Powertrain> {
        match self {
            AnySpec::Wheeled(spec) => spec.powertrain.as_ref(),
            AnySpec::Tracked(spec) => Some(&spec.powertrain),
        }
    }

    /// Returns the greatest power at the shaft of the engine, or of all motors together, W.
    pub fn rated_power(&self) -> f64 {
        match self {
            AnySpec::Wheeled(own) => match (&own.powertrain, &own.motor_drive) {
                (Some(own), _) => own.engine.rating().power,
                (None, Some(drive)) => {
                    drive.motor_count(own.tractor_axles().len()) as f64 * drive.motor.max_power
                }
                (None, None) => 0.0,
            },
            AnySpec::Tracked(own) => own.powertrain.engine.rating().power,
        }
    }

    /// Whether the vehicle can be steered: tracks always, wheels if an axle is steered or if they
    /// skid.
    pub fn can_steer(&self) -> bool {
        match self {
            AnySpec::Wheeled(spec) => spec.can_steer(),
            AnySpec::Tracked(_) => true,
        }
    }

    /// Checks that the parameters define a valid vehicle.
    ///
    /// # Errors
    ///
    /// [`SpecError::Value`] for the first invalid parameter, in the order of the file.
    pub fn check(&self) -> Result<(), SpecError> {
        match self {
            AnySpec::Wheeled(spec) => spec.check(),
            AnySpec::Tracked(spec) => spec.check(),
        }
    }

    /// Returns the mass of all bodies, kg.
    pub fn total_mass(&self) -> f64 {
        match self {
            AnySpec::Wheeled(spec) => spec.total_mass(),
            AnySpec::Tracked(spec) => spec.total_mass(),
        }
    }
}
