//! What a vehicle file says: subsystem templates with their figures.
//!
//! A vehicle is a TOML file, deserialised into a [`VehicleSpec`]; unknown keys
//! are errors, and [`VehicleSpec::check`] refuses figures that make no vehicle.
//! The types are plain data: building bodies and joints from them is the
//! business of the assembly.
//!
//! # Frames and units
//!
//! SI units; angles in degrees in keys that end in `_deg`, speeds of rotation
//! in revolutions per minute in keys that end in `_rpm`. The chassis frame is
//! ISO 8855 (x forward, y left, z up) with its origin where the file puts it,
//! usually at mid-wheelbase. Points of an axle are given in the axle's frame,
//! which is parallel to the chassis frame with its origin at `position`, for
//! the LEFT side; the right side is its mirror image in y.

mod any;
mod check;
mod check_tracked;
mod driveline;
mod footprint;
mod plausible;
mod steering;
mod strut;
mod suspension;
mod tracked;
mod wheel;

pub use any::AnySpec;
pub use check::SpecError;
pub use driveline::{Differential, Driveline, FinalDrive, Layout};
pub use footprint::Footprint;
pub use steering::{Direct, PitmanArm, PitmanArmPoints, RackPinion, Steering};
pub use strut::{Damper, DamperWindow, Spring, Stops};
pub use suspension::{
    AxleLocation, DoubleWishbone, DoubleWishbonePoints, FourLinkPoints, Knuckle, LeafSpringMount,
    Panhard, SolidAxle, SolidAxlePoints, Suspension, TrailingArm, TrailingArmPoints,
};
pub use tracked::{
    Bending, Connector, Guide, Idler, RoadArm, RoadWheel, RunningGear, Shoe, ShoeFace, Sprocket,
    Tooth, Track, TrackDrive, TrackModel, TrackResistance, TrackSteering, TrackedSpec,
};
pub use wheel::{
    CentralInflation, FlexibleTyre, Grousers, Inflation, LoadDeflection, OutlinePoint, RigidTyre,
    Tyre, TyreSoil, Wheel,
};

use crate::vehicle::powertrain::Powertrain;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A point or direction, m: x forward, y left, z up.
pub type Point = [f64; 3];

/// A rigid part: its mass and its principal moments of inertia.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Mass, kg.
    pub mass: f64,
    /// Principal moments of inertia about the centre of mass, kg m².
    pub inertia: Point,
}

/// The sprung body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chassis {
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia Ixx, Iyy, Izz about the centre of mass, chassis axes, kg m².
    pub inertia: Point,
    /// Products of inertia Ixy, Ixz, Iyz as they stand in the matrix, kg m².
    #[serde(default)]
    pub products: Point,
    /// Centre of mass in the chassis frame, m.
    pub com: Point,
    /// Eyes of the driver in the chassis frame, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<Point>,
    /// Rear coupling in the chassis frame, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rear_coupling: Option<Point>,
    /// Flat bottom between the wheels, which may come to lie on the ground; the
    /// vehicle cannot be hung up where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belly: Option<Belly>,
    /// What it covers seen from above, from bumper to bumper; where absent, a
    /// rectangle around its wheels or tracks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub footprint: Option<Footprint>,
    /// Rounded boxes that meet other vehicles, trees, rocks and walls; where absent, one over
    /// the footprint, from the height of the wheels' centres up by half its width.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hulls: Vec<HullBox>,
}

impl Chassis {
    /// Fixes a box of `mass` kg and of even density to it, its middle and sides as given, m.
    pub fn load(&mut self, mass: f64, place: &Point, size: &Point) {
        if mass <= 0.0 {
            return;
        }
        let whole = self.mass + mass;
        let com = [0, 1, 2].map(|k| (self.com[k] * self.mass + place[k] * mass) / whole);
        // Huygens and Steiner, for both
        for (part, at) in [(self.mass, self.com), (mass, *place)] {
            let [x, y, z] = [0, 1, 2].map(|k| at[k] - com[k]);
            let moments = [y * y + z * z, x * x + z * z, x * x + y * y];
            let products = [x * y, x * z, y * z];
            for k in 0..3 {
                self.inertia[k] += part * moments[k];
                self.products[k] -= part * products[k];
            }
        }
        let [a, b, c] = size.map(|side| side * side * mass / 12.0);
        for (own, more) in self.inertia.iter_mut().zip([b + c, a + c, a + b]) {
            *own += more;
        }
        (self.mass, self.com) = (whole, com);
    }
}

/// A part of the hull: a box along the chassis frame's axes, its edges rounded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HullBox {
    /// Its middle in the chassis frame, m.
    pub centre: Point,
    /// Length along x, width along y and height along z, m.
    pub size: Point,
    /// Radius of its edges and corners, at most half of its smallest side, m.
    pub rounding: f64,
}

/// A rectangle under the chassis, level in the chassis frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Belly {
    /// Its middle in the chassis frame, m.
    pub centre: Point,
    /// Length along x, m.
    pub length: f64,
    /// Width along y, m.
    pub width: f64,
}

/// One axle with its suspension, wheels and brakes, both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Axle {
    /// Name, unique in the vehicle.
    pub name: String,
    /// Origin of the axle's frame in the chassis frame, m.
    pub position: Point,
    /// Whether the steering turns its wheels.
    #[serde(default)]
    pub steered: bool,
    /// Largest torque of each wheel's brake, N m.
    pub brake_torque: f64,
    /// What guides the wheels.
    pub suspension: Suspension,
    /// What carries the weight, one on each side.
    pub spring: Spring,
    /// What damps, one on each side.
    pub damper: Damper,
    /// Differential and half-shafts; an axle without can never be driven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_drive: Option<FinalDrive>,
}

/// A wheeled vehicle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VehicleSpec {
    /// Version of this file format; 1.
    pub format: u32,
    /// Name of the vehicle.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// Where its figures come from, and which are assumed.
    pub source: String,
    /// Distance between first and last axle, for steering geometry, m.
    pub wheelbase: f64,
    /// The sprung body.
    pub chassis: Chassis,
    /// Axles from the front.
    pub axles: Vec<Axle>,
    /// What turns the steered wheels; absent when none is steered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steering: Option<Steering>,
    /// Wheel without tyre, the same on all axles.
    pub wheel: Wheel,
    /// Tyre, the same on all axles.
    pub tyre: Tyre,
    /// From gearbox to wheels.
    pub driveline: Driveline,
    /// Engine, converter and gearbox.
    pub powertrain: Powertrain,
}

impl VehicleSpec {
    /// Reads a vehicle from TOML and checks it.
    ///
    /// # Errors
    ///
    /// [`SpecError::Syntax`] when the text is no TOML or has unknown or missing
    /// keys; [`SpecError::Value`] when a figure is not allowed.
    pub fn from_toml(text: &str) -> Result<VehicleSpec, SpecError> {
        let spec: VehicleSpec = toml::from_str(text).map_err(|error| check::syntax(&error))?;
        spec.check()?;
        Ok(spec)
    }

    /// Mass of all bodies, kg. Tie rods count only where the file gives them a body.
    pub fn total_mass(&self) -> f64 {
        let corner = self.wheel.mass + self.tyre.mass;
        let axles: f64 = self.axles.iter().map(|axle| axle.suspension.mass() + 2.0 * corner).sum();
        let steering = self.steering.as_ref().map_or(0.0, Steering::mass);
        self.chassis.mass + axles + steering
    }

    /// Whether the engine drives the axle of this index.
    pub fn is_driven(&self, axle: usize) -> bool {
        match self.driveline.layout {
            Layout::Awd => axle < self.axles.len(),
            Layout::Fwd => axle == 0,
            Layout::Rwd => axle + 1 == self.axles.len(),
        }
    }

    /// Largest mean steer angle of the wheels, rad, as the file states it.
    pub fn max_steer(&self) -> f64 {
        self.steering.as_ref().map_or(0.0, Steering::max_wheel_angle)
    }
}
