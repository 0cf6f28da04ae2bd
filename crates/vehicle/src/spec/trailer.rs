//! A trailer: what a vehicle on wheels draws.

use super::{Axle, Chassis, SpecError, Tyre, VehicleSpec, Wheel, spec_error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a coupling leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HitchKind {
    /// A ball, or a pintle with its ring: all rotation.
    Ball,
    /// A fifth wheel: yaw and pitch; the trailer's plate stands on it left and right, so it rolls
    /// with the tractor.
    FifthWheel,
}

/// Where trailer and tractor are coupled: springs and dampers that hold two points together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hitch {
    /// What it leaves free.
    pub kind: HitchKind,
    /// How hard it holds in each direction, N/m.
    pub stiffness: f64,
    /// Its damping over its stiffness, s.
    pub damping_time: f64,
    /// Width of a fifth wheel between the places where it bears, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plate_width: Option<f64>,
    /// Angle of articulation, to either side, at which trailer and tractor meet, degrees.
    pub max_yaw_deg: f64,
    /// Pitch against the tractor, up or down, at which they meet, degrees.
    pub max_pitch_deg: f64,
    /// Force at which it breaks, N; it holds whatever comes where none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaking_load: Option<f64>,
}

/// The body of a trailer and its coupling, in the file of the vehicle that draws it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trailer {
    /// Name of the trailer.
    pub name: String,
    /// Place of the coupling in the design position, chassis frame of the vehicle, m; it is the
    /// origin of the trailer's frame.
    pub coupling: super::Point,
    /// Its coupling.
    pub hitch: Hitch,
    /// Its sprung body, in its own frame.
    pub chassis: Chassis,
    /// Where the left leg of its landing gear stands, x and y in its own frame, m; the right one
    /// mirrors it. Lowered as it is uncoupled, it reaches to the ground of the design position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landing_gear: Option<[f64; 2]>,
}

/// A trailer's own file: axles, wheels and body in a frame with its origin at the coupling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrailerSpec {
    /// Version of this file format; 1.
    pub format: u32,
    /// Name of the trailer.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// Where its figures come from, and which are assumed.
    pub source: String,
    /// Its coupling.
    pub hitch: Hitch,
    /// Its sprung body.
    pub chassis: Chassis,
    /// Where the left leg of its landing gear stands, x and y, m; the right one mirrors it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landing_gear: Option<[f64; 2]>,
    /// Its axles from the front.
    pub axles: Vec<Axle>,
    /// Wheel without tyre.
    pub wheel: Wheel,
    /// Tyre.
    pub tyre: Tyre,
}

impl TrailerSpec {
    /// Reads a trailer from TOML. Its figures are checked with the vehicle that draws it.
    ///
    /// # Errors
    ///
    /// [`SpecError::Syntax`] when the text is no TOML or has unknown or missing keys.
    pub fn from_toml(text: &str) -> Result<TrailerSpec, SpecError> {
        toml::from_str(text).map_err(|error| spec_error::syntax(&error))
    }
}

impl VehicleSpec {
    /// The vehicle with a trailer behind it. Drawbars and trucks' couplings are adjustable in
    /// height: the trailer stands level, straight behind the place that the vehicle's file gives.
    ///
    /// # Errors
    ///
    /// [`SpecError::Value`] when the vehicle has no rear coupling or draws another trailer, or
    /// when both make no vehicle.
    pub fn towing(mut self, trailer: TrailerSpec) -> Result<VehicleSpec, SpecError> {
        let refused = |key: &str, value: String, allowed: &str| SpecError::Value {
            key: key.into(),
            value,
            allowed: allowed.into(),
        };
        if let Some(other) = &self.trailer {
            return Err(refused("trailer", other.name.clone(), "absent: it draws one trailer"));
        }
        let Some([x, y, _]) = self.chassis.rear_coupling else {
            let allowed = "given, because the vehicle draws a trailer";
            return Err(refused("chassis.rear_coupling", "absent".into(), allowed));
        };
        let lowest = |axle: &Axle, tyre: &Tyre| {
            axle.position[2] + axle.suspension.spindle()[2] - tyre.rigid.radius()
        };
        let own =
            (0..self.axles.len()).map(|index| lowest(&self.axles[index], self.tyre_of(index)));
        let ground = own.fold(f64::INFINITY, f64::min);
        let theirs = trailer.axles.iter();
        let theirs = theirs.map(|axle| lowest(axle, axle.tyre.as_deref().unwrap_or(&trailer.tyre)));
        let coupling = [x, y, ground - theirs.fold(f64::INFINITY, f64::min)];
        for mut axle in trailer.axles {
            for (place, offset) in axle.position.iter_mut().zip(coupling) {
                *place += offset;
            }
            axle.trailed = true;
            axle.wheel.get_or_insert(trailer.wheel);
            axle.tyre.get_or_insert_with(|| Box::new(trailer.tyre.clone()));
            self.axles.push(axle);
        }
        self.name = format!("{} with {}", self.name, trailer.name);
        self.description = format!("{}; behind it: {}", self.description, trailer.description);
        self.source = format!("{}; trailer: {}", self.source, trailer.source);
        let TrailerSpec { name, hitch, chassis, landing_gear, .. } = trailer;
        let trailer = Trailer { name, coupling, hitch, chassis, landing_gear };
        self.trailer = Some(Box::new(trailer));
        self.check()?;
        Ok(self)
    }
}
