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
mod rear_frame;
mod spec_error;
mod steering;
mod strut;
mod suspension;
mod tandem;
mod tracked;
mod trailer;
mod upright_guides;
mod wheel;

pub use any::AnySpec;
pub use driveline::{AutomaticLock, Differential, Driveline, FinalDrive, Layout};
pub use footprint::Footprint;
pub use rear_frame::RearFrame;
pub(crate) use rear_frame::SprungPart;
pub use spec_error::SpecError;
pub use steering::{
    Direct, DragLink, DragLinkPoints, PitmanArm, PitmanArmPoints, RackPinion, Steering,
};
pub use strut::{Damper, DamperWindow, Spring, Stops};
pub use suspension::{
    AntiRollBar, AxleLocation, DoubleWishbone, DoubleWishbonePoints, FourLinkPoints, Knuckle,
    LeafSpringMount, Panhard, SolidAxle, SolidAxlePoints, Suspension, TrailingArm,
    TrailingArmPoints,
};
pub use tandem::{Tandem, TandemError};
pub use tracked::{
    Bending, Connector, Guide, Idler, ReturnRoller, RoadArm, RoadWheel, RunningGear, Shoe,
    ShoeFace, Sprocket, Tooth, Track, TrackDrive, TrackModel, TrackResistance, TrackSteering,
    TrackedSpec,
};
pub use trailer::{Hitch, HitchKind, Trailer, TrailerSpec};
pub use upright_guides::{
    MacphersonStrut, MacphersonStrutPoints, SingleWishbone, SingleWishbonePoints,
};
pub use wheel::{
    CentralInflation, FlexibleTyre, Grousers, Inflation, LoadDeflection, OutlinePoint, RigidTyre,
    Tyre, TyreSoil, Wheel,
};

use crate::powertrain::Powertrain;
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
    /// Drag coefficient times frontal area, m²; without air drag where absent. Trucks have
    /// coefficients of 0.6 to 0.9, cars off roads 0.4 to 0.6.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100.0), extend("unit" = "m2"))]
    pub drag_area: Option<f64>,
}

impl Chassis {
    /// Fixes a box of `mass` kg and of even density to it, its middle and sides as given, m.
    pub fn load(&mut self, mass: f64, place: &Point, size: &Point) {
        if mass <= 0.0 {
            return;
        }
        let whole = self.mass + mass;
        let com = [0, 1, 2].map(|k| (self.com[k] * self.mass + place[k] * mass) / whole);
        // parallel-axis theorem (Huygens and Steiner), for both
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

/// Braking in proportion to the load (a load-sensing valve): the brake's torque is the pedal's times
/// a share that rises in a straight line with what the spring of its side carries, up to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadSensing {
    /// Share without load, from 0 to 1.
    pub unladen_share: f64,
    /// Force of the spring from which the share is 1, N.
    pub laden_force: f64,
}

impl LoadSensing {
    /// Share of the brake's torque while the spring carries `force` N.
    pub fn share(&self, force: f64) -> f64 {
        let laden = (force / self.laden_force).clamp(0.0, 1.0);
        self.unladen_share + (1.0 - self.unladen_share) * laden
    }
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
    /// Whether it is the trailer's; else it is the vehicle's own. Trailers' come last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trailed: bool,
    /// Tangent of the mean angle of its wheels over that of the first steered axle's; below 0
    /// it steers the other way. Where absent, all turn about one centre (Ackermann), which lies
    /// level with the middle of the axles that are not steered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steer_ratio: Option<f64>,
    /// Distance between the middles of the two tyres of each side, m, where they are twins: each has
    /// its own wheel, as heavy as a single one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin_spacing: Option<f64>,
    /// Largest torque of each wheel's brake, N m.
    pub brake_torque: f64,
    /// Time constant with which the brakes' pressure follows the pedal, s, of air brakes: the rest
    /// falls to 1/e of it in this time, so three quarters have come after 1.4 of it. At once
    /// where absent.
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 5.0, "unit" = "s"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brake_lag: Option<f64>,
    /// How its brakes know their load, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_sensing: Option<LoadSensing>,
    /// What guides the wheels.
    pub suspension: Suspension,
    /// What carries the weight, one on each side.
    pub spring: Spring,
    /// What damps, one on each side.
    pub damper: Damper,
    /// Anti-roll bar between both sides, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anti_roll_bar: Option<AntiRollBar>,
    /// Its wheels without tyres, where they are not the vehicle's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wheel: Option<Wheel>,
    /// Its tyres, where they are not the vehicle's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tyre: Option<Box<Tyre>>,
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
    /// Distance between first and last axle, m; of two axles also for steering geometry.
    pub wheelbase: f64,
    /// The sprung body.
    pub chassis: Chassis,
    /// What of the chassis is behind a torsion joint, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rear_frame: Option<RearFrame>,
    /// Axles from the front.
    pub axles: Vec<Axle>,
    /// What turns the steered wheels; absent when none is steered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steering: Option<Steering>,
    /// Pairs of axles whose springs stand on walking beams.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tandems: Vec<Tandem>,
    /// What it draws, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trailer: Option<Box<Trailer>>,
    /// Wheel without tyre, of all axles that give none of their own.
    pub wheel: Wheel,
    /// Tyre, of all axles that give none of their own.
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
        let spec: VehicleSpec = toml::from_str(text).map_err(|error| spec_error::syntax(&error))?;
        spec.check()?;
        Ok(spec)
    }

    /// Mass of all bodies, kg. Tie rods count only where the file gives them a body.
    pub fn total_mass(&self) -> f64 {
        let axles: f64 = (0..self.own_axles().len()).map(|axle| self.unsprung_mass(axle)).sum();
        // each steered axle has its own mechanism
        let steered = self.axles.iter().filter(|axle| axle.steered).count().max(1) as f64;
        let steering = self.steering.as_ref().map_or(0.0, |own| own.mass() * steered);
        let tandems: f64 = self.tandems.iter().map(|tandem| 2.0 * tandem.beam.mass).sum();
        let own = self.chassis.mass + axles + steering + tandems;
        if self.trailer.is_some() { own + self.trailer_mass() } else { own }
    }

    /// Mass of all bodies of the trailer, kg; 0 without one.
    pub fn trailer_mass(&self) -> f64 {
        let axles = self.own_axles().len()..self.axles.len();
        let axles: f64 = axles.map(|axle| self.unsprung_mass(axle)).sum();
        self.trailer.as_ref().map_or(0.0, |own| own.chassis.mass + axles)
    }

    fn unsprung_mass(&self, axle: usize) -> f64 {
        let corner = self.wheel_of(axle).mass + self.tyre_of(axle).mass;
        let tyres = 2 * self.tyres_aside(axle).len();
        self.axles[axle].suspension.mass() + tyres as f64 * corner
    }

    /// Axles of the vehicle itself, without its trailer's.
    pub fn own_axles(&self) -> &[Axle] {
        let own = self.axles.iter().position(|axle| axle.trailed).unwrap_or(self.axles.len());
        &self.axles[..own]
    }

    /// Places of the tyres of one side of the axle of this index, m to the left of the middle of
    /// the side's wheel: one, or two that are twins.
    pub fn tyres_aside(&self, axle: usize) -> Vec<f64> {
        self.axles[axle].twin_spacing.map_or(vec![0.0], |apart| vec![0.5 * apart, -0.5 * apart])
    }

    /// Wheel without tyre of the axle of this index.
    pub fn wheel_of(&self, axle: usize) -> &Wheel {
        self.axles[axle].wheel.as_ref().unwrap_or(&self.wheel)
    }

    /// Tyre of the axle of this index.
    pub fn tyre_of(&self, axle: usize) -> &Tyre {
        self.axles[axle].tyre.as_deref().unwrap_or(&self.tyre)
    }

    /// Tyres of all axles, to be changed: the vehicle's, then those of axles with their own.
    pub fn tyres_mut(&mut self) -> impl Iterator<Item = &mut Tyre> {
        let own = self.axles.iter_mut().filter_map(|axle| axle.tyre.as_deref_mut());
        std::iter::once(&mut self.tyre).chain(own)
    }

    /// Place along x, chassis frame, m, that the turning centre is level with: the middle of the
    /// axles that are not steered, of all where each is.
    pub fn turning_line(&self) -> f64 {
        let middle = |steers: bool| {
            let places =
                self.own_axles().iter().filter(|a| a.steered == steers).map(|a| a.position[0]);
            let count = places.clone().count();
            (count > 0).then(|| places.sum::<f64>() / count as f64)
        };
        middle(false).or_else(|| middle(true)).unwrap_or(0.0)
    }

    /// How far the first steered axle stands from the turning line, m: over the tangent of its
    /// angle, the radius. Of two axles of which one steers, the wheelbase that the file states.
    pub fn steering_base(&self) -> f64 {
        let first = self.own_axles().iter().find(|axle| axle.steered);
        match (self.own_axles(), first) {
            ([front, rear], _) if front.steered != rear.steered => self.wheelbase,
            (_, Some(first)) => (first.position[0] - self.turning_line()).abs(),
            _ => self.wheelbase,
        }
    }

    /// Tangent of the mean steer angle of the axle of this index over that of the first steered
    /// one's; 0 for one that is not steered.
    pub fn steer_ratio(&self, axle: usize) -> f64 {
        let own = &self.axles[axle];
        let first = self.axles.iter().find(|axle| axle.steered);
        let (Some(first), true) = (first, own.steered) else { return 0.0 };
        let pole = self.turning_line();
        let ackermann = (own.position[0] - pole) / (first.position[0] - pole);
        own.steer_ratio.unwrap_or(if own.name == first.name { 1.0 } else { ackermann })
    }

    /// Whether the engine drives the axle of this index.
    pub fn is_driven(&self, axle: usize) -> bool {
        match self.driveline.layout {
            Layout::Awd => axle < self.own_axles().len(),
            Layout::Fwd => axle == 0,
            Layout::Rwd => axle + 1 == self.own_axles().len(),
            Layout::ByAxle => self.axles.get(axle).is_some_and(|own| own.final_drive.is_some()),
        }
    }

    /// Whether steering turns any wheel of the vehicle itself.
    pub fn can_steer(&self) -> bool {
        let turns = |axle| self.steer_ratio(axle) != 0.0;
        self.max_steer() > 0.0 && (0..self.own_axles().len()).any(turns)
    }

    /// Largest mean steer angle of the wheels, rad, as the file states it.
    pub fn max_steer(&self) -> f64 {
        self.steering.as_ref().map_or(0.0, Steering::max_wheel_angle)
    }
}
