//! Contents of a vehicle file: subsystem templates with their parameters.
//!
//! A vehicle is a TOML file that is deserialized into a [`VehicleSpec`]. Unknown keys are errors,
//! and [`VehicleSpec::check`] rejects parameters that do not describe a vehicle. The types are
//! plain data: the assembly builds bodies and joints from them.
//!
//! # Frames and units
//!
//! Units are SI. Keys that end in `_deg` are angles in degrees, keys that end in `_rpm` are
//! rotational speeds in revolutions per minute. The chassis frame is ISO 8855 (x forward, y left, z
//! up). The file chooses its origin, usually at mid-wheelbase. Points of an axle are given for the
//! LEFT side in the axle's frame, which is parallel to the chassis frame with its origin at
//! `position`. The right side is the mirror image in y.

mod any;
mod check;
mod check_tracked;
mod driveline;
mod footprint;
pub(crate) mod motor_drive;
mod plausible;
mod rear_frame;
mod rocker_bogie;
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
pub use footprint::VehicleFootprint;
pub use motor_drive::{MotorDriveSpec, MotorPlacement};
pub(crate) use rear_frame::SprungPart;
pub use rear_frame::{ArticulationLevers, RearFrame};
pub use rocker_bogie::{RockerBogie, SuspensionLink};
pub use spec_error::SpecError;
pub use steering::{
    ArticulatedSteering, Direct, DragLink, DragLinkPoints, PitmanArm, PitmanArmPoints, RackPinion,
    SkidSteering, Steering,
};
pub use strut::{Damper, DamperWindow, Spring, Stops};
pub use suspension::{
    AntiRollBar, AxleLocation, DoubleWishbone, DoubleWishbonePoints, FourLinkPoints, Knuckle,
    LeafSpringMount, MountKnuckle, Panhard, RigidMount, SolidAxle, SolidAxlePoints, Suspension,
    TrailingArm, TrailingArmPoints,
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
    CentralInflation, FlexibleTireSpec, GrouserSpec, Inflation, LoadDeflection, OutlinePoint,
    RigidTire, RimSurface, Tire, TireSoil, Wheel,
};

use crate::powertrain::Powertrain;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A point or direction, m: x forward, y left, z up.
pub type Point = [f64; 3];

/// A rigid part with its mass and principal moments of inertia.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Part")]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: f64,
    /// Principal moments of inertia about the center of mass, kg m².
    pub inertia: Point,
}

/// The sprung body of the vehicle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chassis {
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia Ixx, Iyy, Izz about the center of mass, in chassis axes, kg m².
    pub inertia: Point,
    /// Products of inertia Ixy, Ixz, Iyz, with the signs that they have in the inertia matrix, kg
    /// m².
    #[serde(default)]
    pub products: Point,
    /// Center of mass in the chassis frame, m.
    pub com: Point,
    /// Position of the driver's eyes in the chassis frame, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<Point>,
    /// Position of the rear coupling in the chassis frame, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rear_coupling: Option<Point>,
    /// Flat underside between the wheels, which can touch the ground. Where absent, the vehicle
    /// cannot be high-centered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belly: Option<Belly>,
    /// Area that the vehicle covers, seen from above, from bumper to bumper. Where absent, it is a
    /// rectangle around the wheels or tracks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub footprint: Option<VehicleFootprint>,
    /// Rounded boxes that collide with other vehicles, trees, rocks and walls. Where absent, one
    /// box covers the footprint. It extends from the height of the wheel centers up by half of the
    /// footprint's width.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hulls: Vec<HullBox>,
    /// Drag coefficient times frontal area, m². Where absent, there is no air drag. Drag
    /// coefficients are 0.6 to 0.9 for trucks and 0.4 to 0.6 for off-road cars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 100.0), extend("unit" = "m2"))]
    pub drag_area: Option<f64>,
}

impl Chassis {
    /// Adds a rigid box of uniform density to the chassis.
    ///
    /// `mass` is in kg, `place` is the box's center in the chassis frame and `size` its side
    /// lengths, m.
    pub(crate) fn load(&mut self, mass: f64, place: &Point, size: &Point) {
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

/// One part of the hull: a box along the axes of the chassis frame with rounded edges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HullBox {
    /// Center of the box in the chassis frame, m.
    #[serde(alias = "centre")]
    pub center: Point,
    /// Length along x, width along y and height along z, m.
    pub size: Point,
    /// Radius of the edges and corners, m; at most half of the smallest side.
    pub rounding: f64,
}

/// A rectangle under the chassis, parallel to the chassis frame's x-y plane.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Belly {
    /// Center of the rectangle in the chassis frame, m.
    #[serde(alias = "centre")]
    pub center: Point,
    /// Length along x, m.
    pub length: f64,
    /// Width along y, m.
    pub width: f64,
}

/// Load-sensing brake valve. It multiplies the commanded brake torque by a share that grows
/// linearly with the force of the spring on the same side, up to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadSensing {
    /// Share at zero spring force, 0 to 1.
    pub unladen_share: f64,
    /// Spring force at and above which the share is 1, N.
    pub laden_force: f64,
}

impl LoadSensing {
    /// Returns the share of the commanded brake torque while the spring carries `force`, N.
    pub fn share(&self, force: f64) -> f64 {
        let laden = (force / self.laden_force).clamp(0.0, 1.0);
        self.unladen_share + (1.0 - self.unladen_share) * laden
    }
}

impl Axle {
    /// Returns the coordinate x of the wheel centers in the chassis frame, m.
    pub fn wheel_x(&self) -> f64 {
        self.position[0] + self.suspension.spindle()[0]
    }
}

/// One axle with its suspension, wheels and brakes on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Axle {
    /// Name of the axle, unique in the vehicle.
    pub name: String,
    /// Origin of the axle's frame in the chassis frame, m.
    pub position: Point,
    /// Whether the steering turns the wheels of this axle.
    #[serde(default)]
    pub steered: bool,
    /// Whether this axle belongs to the trailer instead of the vehicle itself. Axles of the trailer
    /// come last in the list.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trailed: bool,
    /// Tangent of the mean steering angle of this axle's wheels over the tangent for the first
    /// steered axle. A negative value steers the opposite way. Where absent, all wheels turn about
    /// one center (Ackermann). That center is level with the middle of the unsteered axles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steer_ratio: Option<f64>,
    /// Distance between the centers of the two tires on each side, m, for an axle with twin tires.
    /// Each twin tire has its own wheel, as heavy as a single one. Where absent, the tires are
    /// single.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin_spacing: Option<f64>,
    /// Maximum brake torque of each wheel, N m.
    pub brake_torque: f64,
    /// Time constant of the brake pressure's response to the pedal, s, as for air brakes. The
    /// remaining difference falls to 1/e in this time, so three quarters of the pressure is reached
    /// after 1.4 time constants. Where absent, the response is immediate.
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 5.0, "unit" = "s"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brake_lag: Option<f64>,
    /// Load-sensing valve of the brakes. Where absent, the brake torque does not depend on the
    /// load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_sensing: Option<LoadSensing>,
    /// Suspension that guides the wheels.
    pub suspension: Suspension,
    /// Spring that carries the load, one on each side. Absent with a `rigid` suspension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spring: Option<Spring>,
    /// Damper, one on each side. Absent with a `rigid` suspension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damper: Option<Damper>,
    /// Anti-roll bar between both sides. Where absent, the axle has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anti_roll_bar: Option<AntiRollBar>,
    /// Wheel without tire of this axle. Where absent, it is the vehicle's `wheel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wheel: Option<Wheel>,
    /// Tire of this axle. Where absent, it is the vehicle's `tire`.
    #[serde(alias = "tyre", default, skip_serializing_if = "Option::is_none")]
    pub tire: Option<Box<Tire>>,
    /// Differential and half-shafts. An axle without them cannot be driven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_drive: Option<FinalDrive>,
}

/// A wheeled vehicle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VehicleSpec {
    /// Version of this file format: 1.
    pub format: u32,
    /// Name of the vehicle.
    pub name: String,
    /// Description in one line.
    pub description: String,
    /// Sources of the parameters, and which parameters are assumed.
    pub source: String,
    /// Distance between the wheel centers of the first and the last axle, m. For two axles it also sets the steering
    /// geometry.
    pub wheelbase: f64,
    /// The sprung body.
    pub chassis: Chassis,
    /// Part of the chassis behind a torsion joint or, with `steering.articulated`, behind a vertical
    /// pin. Where absent, the chassis is one rigid body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rear_frame: Option<RearFrame>,
    /// Axles, from front to rear.
    pub axles: Vec<Axle>,
    /// Steering mechanism. Absent when no wheel is steered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steering: Option<Steering>,
    /// Pairs of axles whose springs rest on walking beams.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tandems: Vec<Tandem>,
    /// Rockers and bogies that carry all wheels without springs. Where absent, there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rocker_bogie: Option<RockerBogie>,
    /// Trailer that the vehicle tows. Where absent, there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trailer: Option<Box<Trailer>>,
    /// Wheel without tire, for all axles that do not set their own `wheel`.
    pub wheel: Wheel,
    /// Tire, for all axles that do not set their own `tire`.
    #[serde(alias = "tyre")]
    pub tire: Tire,
    /// Shafts and differentials from the gearbox to the wheels. Absent with `motor_drive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driveline: Option<Driveline>,
    /// Engine, torque converter and gearbox. Absent with `motor_drive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub powertrain: Option<Powertrain>,
    /// Electric motors that drive the wheels. Where absent, an engine does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor_drive: Option<MotorDriveSpec>,
}

impl VehicleSpec {
    /// Reads a vehicle from TOML and checks it.
    ///
    /// # Errors
    ///
    /// [`SpecError::Syntax`] when the text is not TOML or has unknown or missing keys;
    /// [`SpecError::Value`] when a value is not allowed.
    pub fn from_toml(text: &str) -> Result<VehicleSpec, SpecError> {
        let spec: VehicleSpec = toml::from_str(text).map_err(|error| spec_error::syntax(&error))?;
        spec.check()?;
        Ok(spec)
    }

    /// Total mass of all bodies, kg. Tie rods count only if the file gives them a body.
    pub fn total_mass(&self) -> f64 {
        let axles: f64 = (0..self.tractor_axles().len()).map(|axle| self.unsprung_mass(axle)).sum();
        // each steered axle has its own mechanism
        let steered = self.axles.iter().filter(|axle| axle.steered).count().max(1) as f64;
        let steering = self.steering.as_ref().map_or(0.0, |own| own.mass() * steered);
        let tandems: f64 = self.tandems.iter().map(|tandem| 2.0 * tandem.beam.mass).sum();
        let links = self.rocker_bogie.as_ref().map_or(0.0, RockerBogie::mass);
        let own = self.chassis.mass + axles + steering + tandems + links;
        if self.trailer.is_some() { own + self.trailer_mass() } else { own }
    }

    /// Total mass of all bodies of the trailer, kg; 0 without a trailer.
    pub fn trailer_mass(&self) -> f64 {
        let axles = self.tractor_axles().len()..self.axles.len();
        let axles: f64 = axles.map(|axle| self.unsprung_mass(axle)).sum();
        self.trailer.as_ref().map_or(0.0, |own| own.chassis.mass + axles)
    }

    fn unsprung_mass(&self, axle: usize) -> f64 {
        let corner = self.wheel_of(axle).mass + self.tire_of(axle).mass;
        let tires = 2 * self.tire_offsets(axle).len();
        self.axles[axle].suspension.mass() + tires as f64 * corner
    }

    /// Axles of the vehicle itself, without those of its trailer.
    pub fn tractor_axles(&self) -> &[Axle] {
        let own = self.axles.iter().position(|axle| axle.trailed).unwrap_or(self.axles.len());
        &self.axles[..own]
    }

    /// Lateral offsets of the tires on one side of the axle with this index: one offset, or two for
    /// twin tires.
    ///
    /// Each offset is in m to the left of the middle of that side's wheel.
    pub fn tire_offsets(&self, axle: usize) -> Vec<f64> {
        self.axles[axle].twin_spacing.map_or(vec![0.0], |apart| vec![0.5 * apart, -0.5 * apart])
    }

    /// Wheel without tire of the axle with this index.
    pub fn wheel_of(&self, axle: usize) -> &Wheel {
        self.axles[axle].wheel.as_ref().unwrap_or(&self.wheel)
    }

    /// Tire of the axle with this index.
    pub fn tire_of(&self, axle: usize) -> &Tire {
        self.axles[axle].tire.as_deref().unwrap_or(&self.tire)
    }

    /// Mutable tires of all axles: the vehicle's tire first, then those of axles with their own.
    pub(crate) fn tires_mut(&mut self) -> impl Iterator<Item = &mut Tire> {
        let own = self.axles.iter_mut().filter_map(|axle| axle.tire.as_deref_mut());
        std::iter::once(&mut self.tire).chain(own)
    }

    /// Coordinate x of the turning center in the chassis frame, m.
    ///
    /// It is the middle of the unsteered axles, or of all axles if every axle is steered. For an
    /// articulated vehicle it is the middle of the axles of the front frame.
    pub fn turning_line(&self) -> f64 {
        if let Some(levers) = self.articulation_levers() {
            return levers.joint + levers.front;
        }
        let middle = |steers: bool| {
            let places =
                self.tractor_axles().iter().filter(|a| a.steered == steers).map(Axle::wheel_x);
            let count = places.clone().count();
            (count > 0).then(|| places.sum::<f64>() / count as f64)
        };
        middle(false).or_else(|| middle(true)).unwrap_or(0.0)
    }

    /// Distance from the first steered axle to the turning line, m.
    ///
    /// Divided by the tangent of that axle's steering angle, it gives the turning radius. For two
    /// axles with one steered, it is the wheelbase stated in the file. For an articulated vehicle it
    /// is the distance between the middles of the axles of both frames.
    pub fn steering_base(&self) -> f64 {
        if let Some(levers) = self.articulation_levers() {
            return levers.front + levers.rear;
        }
        let first = self.tractor_axles().iter().find(|axle| axle.steered);
        match (self.tractor_axles(), first) {
            ([front, rear], _) if front.steered != rear.steered => self.wheelbase,
            (_, Some(first)) => (first.wheel_x() - self.turning_line()).abs(),
            _ => self.wheelbase,
        }
    }

    /// Tangent of the mean steering angle of the axle with this index over the tangent for the
    /// first steered axle; 0 for an unsteered axle.
    pub fn steer_ratio(&self, axle: usize) -> f64 {
        let own = &self.axles[axle];
        let first = self.axles.iter().find(|axle| axle.steered);
        let (Some(first), true) = (first, own.steered) else { return 0.0 };
        let pole = self.turning_line();
        let ackermann = (own.wheel_x() - pole) / (first.wheel_x() - pole);
        own.steer_ratio.unwrap_or(if own.name == first.name { 1.0 } else { ackermann })
    }

    /// Whether the engine or the motors drive the axle with this index.
    pub fn is_driven(&self, axle: usize) -> bool {
        // motors drive all axles of the vehicle itself
        match self.driveline.as_ref().map_or(Layout::Awd, |own| own.layout) {
            Layout::Awd => axle < self.tractor_axles().len(),
            Layout::Fwd => axle == 0,
            Layout::Rwd => axle + 1 == self.tractor_axles().len(),
            Layout::ByAxle => self.axles.get(axle).is_some_and(|own| own.final_drive.is_some()),
        }
    }

    /// Largest yaw rate, rad/s, that the steering of a skid-steered vehicle commands.
    pub fn max_yaw_rate(&self) -> Option<f64> {
        match &self.steering {
            Some(Steering::Skid(own)) => Some(own.max_yaw_rate),
            _ => None,
        }
    }

    /// Distance between the middles of the left and the right wheels of the first axle, m.
    pub fn tread(&self) -> f64 {
        self.axles
            .first()
            .map_or(0.0, |axle| 2.0 * (axle.position[1] + axle.suspension.spindle()[1]))
    }

    /// Difference of the rim speeds of both sides over the yaw rate of a skid-steered vehicle, m.
    ///
    /// Wheels slide with equal friction in all directions and carry equal loads. For the tread B and
    /// axles at the distances x from their middle it is B + 2 λ, where λ balances the moments:
    /// B/2 Σ λ/√(λ² + x²) = Σ x²/√(λ² + x²). Where all wheels have the same x = L/2, as with two
    /// axles, it is B (1 + (L/B)²).
    pub fn skid_tread(&self) -> f64 {
        let (axles, middle) = (self.tractor_axles(), self.turning_line());
        let squares = axles.iter().map(|axle| {
            let x = axle.wheel_x() - middle;
            x * x
        });
        let squares: Vec<f64> = squares.collect();
        let mean = squares.iter().sum::<f64>() / axles.len().max(1) as f64;
        let tread = self.tread();
        if axles.len() <= 2 {
            return tread + 4.0 * mean / tread;
        }
        // A sliding wheel at a small x mostly drives, one at a large x mostly resists. λ is therefore
        // below its value for the mean of x², at which driving moments exceed the resisting ones.
        let excess = |sliding: f64| {
            let moment = |square: &f64| {
                (0.5 * tread * sliding - square) / (sliding * sliding + square).sqrt()
            };
            squares.iter().map(moment).sum::<f64>()
        };
        let (mut low, mut high) = (0.0, 2.0 * mean / tread);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if excess(middle) < 0.0 { low = middle } else { high = middle }
        }
        tread + 2.0 * high
    }

    /// Rim speed up to which electric motors give their full power, m/s; infinite with an engine.
    pub fn top_rim_speed(&self) -> f64 {
        self.motor_drive.as_ref().map_or(f64::INFINITY, |own| {
            own.motor.full_power_speed() * own.ratio * self.tire.rigid.radius()
        })
    }

    /// Whether the vehicle itself can be steered.
    pub fn can_steer(&self) -> bool {
        if self.max_yaw_rate().is_some() || self.articulation().is_some() {
            return true;
        }
        let turns = |axle| self.steer_ratio(axle) != 0.0;
        self.max_steer() > 0.0 && (0..self.tractor_axles().len()).any(turns)
    }

    /// Largest mean steering angle of the wheels, or the largest articulation angle, rad, as stated
    /// in the file.
    pub fn max_steer(&self) -> f64 {
        self.steering.as_ref().map_or(0.0, Steering::max_wheel_angle)
    }
}
