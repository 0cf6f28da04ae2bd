//! Trailers that wheeled vehicles tow.

use super::{Axle, Chassis, SpecError, Tire, VehicleSpec, Wheel, spec_error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rotations that a coupling leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HitchKind {
    /// A ball, or a pintle with its ring. All rotations are free.
    Ball,
    /// A fifth wheel. Yaw and pitch are free. The trailer's plate rests on its left and right side,
    /// so the trailer rolls with the tractor.
    FifthWheel,
}

/// Coupling between trailer and tractor: springs and dampers that hold two points together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hitch {
    /// Kind of coupling, which sets the free rotations.
    pub kind: HitchKind,
    /// Stiffness of the coupling in each direction, N/m.
    pub stiffness: f64,
    /// Damping over stiffness of the coupling, s.
    pub damping_time: f64,
    /// Width of a fifth wheel between its points of support, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plate_width: Option<f64>,
    /// Articulation angle to either side at which trailer and tractor touch, degrees.
    pub max_yaw_deg: f64,
    /// Pitch angle relative to the tractor, up or down, at which trailer and tractor touch,
    /// degrees.
    pub max_pitch_deg: f64,
    /// Force at which the coupling breaks, N. Where absent, it never breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaking_load: Option<f64>,
}

/// Body and coupling of a trailer, in the file of the vehicle that tows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trailer {
    /// Name of the trailer.
    pub name: String,
    /// Position of the coupling in the design position, in the vehicle's chassis frame, m. It is
    /// the origin of the trailer's frame.
    pub coupling: super::Point,
    /// Coupling of the trailer.
    pub hitch: Hitch,
    /// Sprung body of the trailer, in the trailer's frame.
    pub chassis: Chassis,
    /// Foot of the left leg of the landing gear, as x and y in the trailer's frame, m. The right
    /// leg is its mirror image. When the trailer is uncoupled, the legs extend to the ground level
    /// of the design position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landing_gear: Option<[f64; 2]>,
}

/// A trailer's own file: axles, wheels and body in a frame with its origin at the coupling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrailerSpec {
    /// Version of this file format: 1.
    pub format: u32,
    /// Name of the trailer.
    pub name: String,
    /// Description in one line.
    pub description: String,
    /// Sources of the parameters, and which parameters are assumed.
    pub source: String,
    /// Coupling of the trailer.
    pub hitch: Hitch,
    /// Sprung body of the trailer.
    pub chassis: Chassis,
    /// Foot of the left leg of the landing gear, as x and y, m. The right leg is its mirror image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landing_gear: Option<[f64; 2]>,
    /// Axles of the trailer, from front to rear.
    pub axles: Vec<Axle>,
    /// Wheel without tire, for all axles that do not set their own `wheel`.
    pub wheel: Wheel,
    /// Tire, for all axles that do not set their own `tire`.
    #[serde(alias = "tyre")]
    pub tire: Tire,
}

impl TrailerSpec {
    /// Reads a trailer from TOML. Its parameters are checked together with the vehicle that tows
    /// it.
    ///
    /// # Errors
    ///
    /// [`SpecError::Syntax`] when the text is not TOML or has unknown or missing keys.
    pub fn from_toml(text: &str) -> Result<TrailerSpec, SpecError> {
        toml::from_str(text).map_err(|error| spec_error::syntax(&error))
    }
}

impl VehicleSpec {
    /// Returns the vehicle with a trailer coupled behind it.
    ///
    /// Drawbars and trucks' couplings are adjustable in height. The trailer is therefore level and
    /// straight behind the coupling position in the vehicle's file.
    ///
    /// # Errors
    ///
    /// [`SpecError::Value`] when the vehicle has no rear coupling or already has a trailer, or when
    /// both together are not a valid vehicle.
    pub fn towing(mut self, trailer: TrailerSpec) -> Result<VehicleSpec, SpecError> {
        let refused = |key: &str, value: String, allowed: &str| SpecError::Value {
            key: key.into(),
            value,
            allowed: allowed.into(),
        };
        if let Some(other) = &self.trailer {
            return Err(refused(
                "trailer",
                other.name.clone(),
                "absent: a vehicle draws at most one trailer",
            ));
        }
        let Some([x, y, _]) = self.chassis.rear_coupling else {
            let allowed = "given, because the vehicle draws a trailer";
            return Err(refused("chassis.rear_coupling", "absent".into(), allowed));
        };
        let lowest = |axle: &Axle, tire: &Tire| {
            axle.position[2] + axle.suspension.spindle()[2] - tire.rigid.radius()
        };
        let own =
            (0..self.axles.len()).map(|index| lowest(&self.axles[index], self.tire_of(index)));
        let ground = own.fold(f64::INFINITY, f64::min);
        let theirs = trailer.axles.iter();
        let theirs = theirs.map(|axle| lowest(axle, axle.tire.as_deref().unwrap_or(&trailer.tire)));
        let coupling = [x, y, ground - theirs.fold(f64::INFINITY, f64::min)];
        for mut axle in trailer.axles {
            for (place, offset) in axle.position.iter_mut().zip(coupling) {
                *place += offset;
            }
            axle.trailed = true;
            axle.wheel.get_or_insert(trailer.wheel);
            axle.tire.get_or_insert_with(|| Box::new(trailer.tire.clone()));
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
