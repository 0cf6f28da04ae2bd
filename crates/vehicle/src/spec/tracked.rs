//! What the file of a tracked vehicle says.
//!
//! Points are given in the chassis frame for the left track, those of an arm
//! from the center of its road wheel; the right track is the left's mirror image
//! in y but for what `[right]` says.

use super::{Chassis, Part, Point, SpecError};
use crate::powertrain::Powertrain;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the vehicle runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunningGear {
    /// Tracks.
    Tracks,
}

/// How the shoes are modeled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrackModel {
    /// An extensible band over sprocket, road wheels and idler, on which the
    /// shoes ride.
    Belt,
    /// Every shoe a rigid body, joined to its neighbors by pins.
    Segmented,
}

/// The wheel that drives the track.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sprocket {
    /// Its center, m; y is the middle of the track.
    pub position: Point,
    /// Teeth: pins on its pitch circle.
    pub teeth: u32,
    /// Mass, kg.
    pub mass: f64,
    /// Inertia about its axis with half-shaft and brake, kg m².
    pub spin_inertia: f64,
    /// Its teeth.
    pub tooth: Tooth,
}

/// A sprocket's teeth, as the pins of a segmented track meet them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tooth {
    /// How far beyond the pitch circle they hold a pin, m.
    pub height: f64,
    /// Angle of their flanks to the radius, degrees.
    pub flank_deg: f64,
    /// Play of a pin to either side, m.
    pub backlash: f64,
    /// Stiffness against a pin, N/m.
    pub stiffness: f64,
}

/// The wheel that turns the track back, and what tightens it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Idler {
    /// Its center before the track is tightened, m.
    pub position: Point,
    /// Radius, m.
    pub radius: f64,
    /// The wheel.
    pub wheel: Part,
    /// What carries it and slides along x.
    pub carrier: Part,
    /// Force of the tensioner towards the rear at its free length, N.
    pub preload: f64,
    /// Loss of that force as the idler goes back, N/m.
    pub stiffness: f64,
    /// Damping, N s/m.
    pub damping: f64,
    /// How much shorter than free the tensioner is at `position`, m.
    pub compression: f64,
}

/// A swinging arm on a torsion bar, with its road wheel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoadArm {
    /// The arm.
    pub arm: Part,
    /// Its center of mass, m, from the wheel's center.
    pub com: Point,
    /// Its hinge on the chassis, m, from the wheel's center.
    pub pivot: Point,
    /// Torque of the torsion bar that presses the wheel down, in the design
    /// position, N m.
    pub torque: f64,
    /// Rate of the torsion bar, N m/rad.
    pub stiffness: f64,
    /// Damping in the hinge, N m s/rad.
    pub damping: f64,
    /// Damper of the arms that have one, N s/m.
    pub damper: f64,
    /// Its end on the arm, m, from the wheel's center.
    pub damper_arm: Point,
    /// Its end on the chassis, m, from the wheel's center.
    pub damper_chassis: Point,
    /// Angle up from the design position at which the bump stop meets, degrees.
    pub bump_deg: f64,
    /// Angle down from the design position at which the rebound stop meets, degrees.
    pub rebound_deg: f64,
    /// Stiffness of the stops, N m/rad.
    pub stop_stiffness: f64,
}

/// A road wheel, both halves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoadWheel {
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia, y along the axle, kg m².
    pub inertia: Point,
    /// Radius, m.
    pub radius: f64,
    /// Radial stiffness of the rubber rim, N/m.
    pub rim_stiffness: f64,
    /// Radial damping of the rim, N s/m.
    pub rim_damping: f64,
}

/// A wheel fixed to the hull, on which the upper run of a track lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReturnRoller {
    /// The wheel, both halves.
    pub wheel: Part,
    /// Radius, m.
    pub radius: f64,
    /// Height of its center in the chassis frame, m.
    pub height: f64,
}

/// A flat face of a shoe's underside.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShoeFace {
    /// Its middle in the shoe's frame (origin between the pins, x to the leading
    /// pin), m; z is that of the face.
    pub centre: Point,
    /// Length along x, m.
    pub length: f64,
    /// Width along y, m.
    pub width: f64,
}

/// What keeps a shoe under its wheels, as a segmented track has it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Guide {
    /// Play of the guide horn to either side, m.
    pub clearance: f64,
    /// Stiffness of the horn against a wheel, N/m.
    pub stiffness: f64,
    /// Coefficient of friction between a wheel's rim and the shoe.
    pub friction: f64,
}

/// Resistance of a pin's bushings to bending, as a segmented track has it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bending {
    /// Stiffness, N m/rad.
    pub stiffness: f64,
    /// Damping, N m s/rad.
    pub damping: f64,
}

/// What joins two shoes of a double-pin track, with a pin in each of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Connector {
    /// Distance between its pins, m.
    pub length: f64,
    /// Mass of those on both ends of the pins, kg.
    pub mass: f64,
    /// Their moments of inertia about their middle, kg m².
    pub inertia: Point,
}

/// A track shoe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shoe {
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia about its origin, kg m².
    pub inertia: Point,
    /// Distance from shoe to shoe along the track, m; on a single-pin track that from pin
    /// to pin.
    pub pitch: f64,
    /// What joins it to the next, on a double-pin track.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connector: Option<Connector>,
    /// Height of its top, on which the wheels run, above the pins, m.
    pub top: f64,
    /// Stiffness of a pin with its bushings along the track, N/m.
    pub pin_stiffness: f64,
    /// Time constant of the pin's damping, s.
    pub pin_damping_time: f64,
    /// Resistance of a pin to bending.
    pub bending: Bending,
    /// What keeps the shoe under the wheels.
    pub guide: Guide,
    /// Stiffness of its pads on firm ground, N/m.
    pub pad_stiffness: f64,
    /// Damping of its pads on firm ground, N s/m.
    pub pad_damping: f64,
    /// Its underside: pads, grousers, ends.
    pub faces: Vec<ShoeFace>,
}

impl Shoe {
    /// Distance between its own pins, m.
    pub fn length(&self) -> f64 {
        self.pitch - self.connector.map_or(0.0, |connector| connector.length)
    }

    /// Mass of a shoe with what joins it to the next, kg.
    pub fn link_mass(&self) -> f64 {
        self.mass + self.connector.map_or(0.0, |connector| connector.mass)
    }
}

/// One track.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Track {
    /// Number of shoes.
    pub shoes: u32,
    /// Stations of the road wheels from the front: x of their centers in the
    /// design position, m.
    pub stations: Vec<f64>,
    /// Which of them have dampers.
    pub damped: Vec<bool>,
    /// Where return rollers stand, from the front: x of their centers, m.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub return_rollers: Vec<f64>,
}

/// What turns the vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TrackSteering {
    /// An open differential; the inner sprocket is braked.
    ClutchBrake {
        /// Torque of the steering brake at full lock, N m.
        brake_torque: f64,
    },
    /// A controlled differential: its brake, fully applied, holds the ratio of
    /// the sprockets' speeds at (1 - ratio) to (1 + ratio).
    Differential {
        /// Half the difference of the sprockets' speeds over their mean.
        ratio: f64,
        /// Torque of the steering brake at full lock, N m.
        brake_torque: f64,
    },
    /// A steering drive turns the sprockets against each other in proportion to
    /// the speed of the gearbox's input, standing or driving. So the same steering turns the
    /// vehicle the same way round forward and backward.
    Pivot {
        /// Difference of the sprockets' speeds at full lock over that of the
        /// gearbox's input.
        ratio: f64,
    },
}

/// Friction of pins, rims and guides, which the sprocket has to overcome.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrackResistance {
    /// Dry friction, as a force along the track, N.
    pub force: f64,
    /// What is added with the track's speed, N s/m.
    pub per_speed: f64,
}

/// From the gearbox to the sprockets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrackDrive {
    /// Mean speed of the sprockets over that of the gearbox's output.
    pub ratio: f64,
    /// Inertia of the shaft behind the gearbox, kg m².
    pub driveshaft_inertia: f64,
    /// Inertia of the differential's carrier about the sprockets' axis, kg m².
    pub carrier_inertia: f64,
    /// Largest torque of each sprocket's brake, N m.
    pub brake_torque: f64,
    /// What running itself costs each belt; a segmented track brings its own losses.
    pub resistance: TrackResistance,
    /// What turns the vehicle.
    pub steering: TrackSteering,
}

/// A tracked vehicle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrackedSpec {
    /// Version of this file format; 1.
    pub format: u32,
    /// What it runs on: `tracks`.
    pub running_gear: RunningGear,
    /// How the shoes are modeled.
    pub model: TrackModel,
    /// Name of the vehicle.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// Where its figures come from, and which are assumed.
    pub source: String,
    /// The sprung body, without what the tracks bring.
    pub chassis: Chassis,
    /// The sprockets.
    pub sprocket: Sprocket,
    /// The idlers.
    pub idler: Idler,
    /// Height of the road wheels' centers in the design position, m.
    pub wheel_height: f64,
    /// The road arms.
    pub road_arm: RoadArm,
    /// The road wheels.
    pub road_wheel: RoadWheel,
    /// The return rollers, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_roller: Option<ReturnRoller>,
    /// The shoes.
    pub shoe: Shoe,
    /// The left track.
    pub left: Track,
    /// The right track.
    pub right: Track,
    /// From the gearbox to the sprockets.
    pub drive: TrackDrive,
    /// Engine, converter and gearbox.
    pub powertrain: Powertrain,
}

impl TrackedSpec {
    /// Reads a vehicle from TOML and checks it.
    ///
    /// # Errors
    ///
    /// [`SpecError::Syntax`] when the text is no TOML or has unknown or missing
    /// keys; [`SpecError::Value`] when a figure is not allowed.
    pub fn from_toml(text: &str) -> Result<TrackedSpec, SpecError> {
        let spec: TrackedSpec =
            toml::from_str(text).map_err(|error| super::spec_error::syntax(&error))?;
        spec.check()?;
        Ok(spec)
    }

    /// Left and right.
    pub fn tracks(&self) -> [&Track; 2] {
        [&self.left, &self.right]
    }

    /// Mass of all bodies, kg.
    pub fn total_mass(&self) -> f64 {
        let wheel = self.road_arm.arm.mass + self.road_wheel.mass;
        let ends = self.sprocket.mass + self.idler.wheel.mass + self.idler.carrier.mass;
        let track = |track: &Track| {
            let shoes = self.shoe.link_mass() * f64::from(track.shoes);
            let returning = self.return_roller.map_or(0.0, |roller| roller.wheel.mass);
            let wheels = wheel * track.stations.len() as f64;
            wheels + returning * track.return_rollers.len() as f64 + shoes + ends
        };
        self.chassis.mass + track(&self.left) + track(&self.right)
    }

    /// Radius of the sprocket's pitch circle, on which the pins lie, or of a double-pin
    /// track the middles of the connectors, m.
    pub fn pitch_radius(&self) -> f64 {
        let half = 0.5 * self.shoe.connector.map_or(0.0, |connector| connector.length);
        let pins = self.pin_radius();
        (pins * pins - half * half).sqrt()
    }

    /// Way of the track for each radian of its sprocket, m: it takes as many shoes with it
    /// as it has teeth.
    pub fn drive_radius(&self) -> f64 {
        f64::from(self.sprocket.teeth) * self.shoe.pitch / std::f64::consts::TAU
    }

    /// Radius of the circle round the sprocket on which all pins lie, m: that of a polygon
    /// whose edges are by turns as long as a shoe and a connector.
    pub fn pin_radius(&self) -> f64 {
        let (sine, cosine) =
            bekker_math::numeric::sin_cos(std::f64::consts::PI / f64::from(self.sprocket.teeth));
        let (a, b) = (self.shoe.length(), self.shoe.pitch - self.shoe.length());
        0.5 * (a * a + b * b + 2.0 * a * b * cosine).sqrt() / sine
    }

    /// Half the difference of the sprockets' speeds over their mean at full lock,
    /// in first gear where it depends on the gear.
    pub fn lock_ratio(&self) -> f64 {
        match self.drive.steering {
            // the inner sprocket stands still
            TrackSteering::ClutchBrake { .. } => 1.0,
            TrackSteering::Differential { ratio, .. } => ratio,
            // difference and mean are both proportional to the speed of the gearbox's input
            TrackSteering::Pivot { ratio } => {
                0.5 * ratio / (self.drive.ratio * self.powertrain.gearbox.ratios[0])
            }
        }
    }

    /// Distance between the middles of the tracks, m.
    pub fn gauge(&self) -> f64 {
        2.0 * self.sprocket.position[1].abs()
    }

    /// Width of a shoe's underside, m.
    pub fn shoe_width(&self) -> f64 {
        let reach = |face: &ShoeFace| face.centre[1].abs() + 0.5 * face.width;
        2.0 * self.shoe.faces.iter().map(reach).fold(0.0, f64::max)
    }

    /// Area of the shoes' faces over that of a band of their width, from pin to pin.
    pub fn face_share(&self) -> f64 {
        let area: f64 = self.shoe.faces.iter().map(|face| face.length * face.width).sum();
        area / (self.shoe.pitch * self.shoe_width())
    }

    /// Nominal ground pressure, Pa: the weight over both tracks' width times their length on the ground.
    pub fn ground_pressure(&self) -> f64 {
        self.total_mass() * bekker_math::numeric::GRAVITY
            / (2.0 * self.shoe_width() * self.contact_length())
    }

    /// Depth of the underside below the pins, m.
    pub fn shoe_depth(&self) -> f64 {
        self.shoe.faces.iter().map(|face| -face.centre[2]).fold(0.0, f64::max)
    }

    /// Length from the first to the last road wheel, mean of both tracks, m.
    pub fn contact_length(&self) -> f64 {
        let length = |track: &Track| match track.stations[..] {
            [first, .., last] => first - last,
            _ => 0.0,
        };
        0.5 * (length(&self.left) + length(&self.right))
    }
}
