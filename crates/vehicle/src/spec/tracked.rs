//! Contents of the file of a tracked vehicle.
//!
//! Points are given for the left track in the chassis frame. Those of an arm are relative to the
//! center of its road wheel. The right track is the left's mirror image in y, except for the values
//! in `[right]`.

use super::{Chassis, MassProperties, Point, SpecError};
use crate::powertrain::Powertrain;
use bekker_math::numeric::GRAVITY;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Running gear of the vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunningGear {
    /// Tracks.
    Tracks,
}

/// Model of the track shoes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrackModel {
    /// An extensible band over sprocket, road wheels and idler, with the shoes attached to it.
    Belt,
    /// Every shoe as a rigid body, joined to its neighbors by pins.
    Segmented,
}

/// The wheel that drives the track.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sprocket {
    /// Center of the sprocket, m; y is the middle of the track.
    pub position: Point,
    /// Number of teeth, equal to the number of pins on the pitch circle.
    pub teeth: u32,
    /// Mass, kg.
    pub mass: f64,
    /// Inertia about the axis, including half-shaft and brake, kg m².
    pub spin_inertia: f64,
    /// Shape and contact parameters of the teeth.
    pub tooth: Tooth,
}

/// Teeth of a sprocket in contact with the pins of a segmented track.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tooth {
    /// Height of the teeth beyond the pitch circle up to which they hold a pin, m.
    pub height: f64,
    /// Angle between the tooth flanks and the radius, degrees.
    pub flank_deg: f64,
    /// Clearance of a pin to either side, m.
    pub backlash: f64,
    /// Contact stiffness of a tooth against a pin, N/m.
    pub stiffness: f64,
}

/// The wheel that returns the track, with the tensioner that tightens it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Idler {
    /// Center of the idler before the track is tightened, m.
    pub position: Point,
    /// Radius, m.
    pub radius: f64,
    /// Mass and inertia of the wheel.
    pub wheel: MassProperties,
    /// Carrier of the wheel, which slides along x.
    pub carrier: MassProperties,
    /// Rearward force of the tensioner at its free length, N.
    pub preload: f64,
    /// Decrease of the tensioner's force per rearward travel of the idler, N/m.
    pub stiffness: f64,
    /// Damping of the tensioner, N s/m.
    pub damping: f64,
    /// Shortening of the tensioner at `position`, relative to its free length, m.
    pub compression: f64,
}

/// A swinging arm on a torsion bar, with its road wheel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoadArm {
    /// Mass and inertia of the arm.
    pub arm: MassProperties,
    /// Center of mass of the arm, relative to the wheel's center, m.
    pub com: Point,
    /// Hinge of the arm on the chassis, relative to the wheel's center, m.
    pub pivot: Point,
    /// Torque of the torsion bar in the design position, N m. A positive torque presses the wheel
    /// down.
    pub torque: f64,
    /// Stiffness of the torsion bar, N m/rad.
    pub stiffness: f64,
    /// Damping in the hinge, N m s/rad.
    pub damping: f64,
    /// Coefficient of the damper, for the arms that have one, N s/m.
    pub damper: f64,
    /// End of the damper on the arm, relative to the wheel's center, m.
    pub damper_arm: Point,
    /// End of the damper on the chassis, relative to the wheel's center, m.
    pub damper_chassis: Point,
    /// Angle above the design position at which the bump stop makes contact, degrees.
    pub bump_deg: f64,
    /// Angle below the design position at which the rebound stop makes contact, degrees.
    pub rebound_deg: f64,
    /// Stiffness of the stops, N m/rad.
    pub stop_stiffness: f64,
}

/// A road wheel with both halves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoadWheel {
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia, with y along the axle, kg m².
    pub inertia: Point,
    /// Radius, m.
    pub radius: f64,
    /// Radial stiffness of the rubber rim, N/m.
    pub rim_stiffness: f64,
    /// Radial damping of the rim, N s/m.
    pub rim_damping: f64,
}

/// A wheel mounted on the hull that supports the upper run of a track.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReturnRoller {
    /// Mass and inertia of the wheel with both halves.
    pub wheel: MassProperties,
    /// Radius, m.
    pub radius: f64,
    /// Height of the wheel's center in the chassis frame, m.
    pub height: f64,
}

/// A flat face on the underside of a shoe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShoeFace {
    /// Center of the face in the shoe's frame, m; z is the height of the face. The origin is
    /// between the pins, with x toward the leading pin.
    #[serde(alias = "centre")]
    pub center: Point,
    /// Length along x, m.
    pub length: f64,
    /// Width along y, m.
    pub width: f64,
}

/// Guide that keeps a shoe under its wheels, in a segmented track.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Guide {
    /// Clearance of the guide horn to either side, m.
    pub clearance: f64,
    /// Contact stiffness of the guide horn against a wheel, N/m.
    pub stiffness: f64,
    /// Coefficient of friction between a wheel's rim and the shoe.
    pub friction: f64,
}

/// Resistance of a pin's bushings to bending, in a segmented track.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bending {
    /// Bending stiffness, N m/rad.
    pub stiffness: f64,
    /// Bending damping, N m s/rad.
    pub damping: f64,
}

/// Connector between two shoes of a double-pin track, with one pin in each shoe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Connector {
    /// Distance between the connector's pins, m.
    pub length: f64,
    /// Mass of the connectors at both ends of the pins together, kg.
    pub mass: f64,
    /// Moments of inertia of these connectors about their center, kg m².
    pub inertia: Point,
}

/// A track shoe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shoe {
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia about the origin of the shoe's frame, kg m².
    pub inertia: Point,
    /// Distance from shoe to shoe along the track, m. On a single-pin track it is the distance from
    /// pin to pin.
    pub pitch: f64,
    /// Connector to the next shoe. Given for a double-pin track, absent for a single-pin track.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connector: Option<Connector>,
    /// Height above the pins of the top surface, on which the wheels run, m.
    pub top: f64,
    /// Stiffness of a pin with its bushings along the track, N/m.
    pub pin_stiffness: f64,
    /// Damping over stiffness of a pin with its bushings, s.
    pub pin_damping_time: f64,
    /// Resistance of a pin to bending.
    pub bending: Bending,
    /// Guide that keeps the shoe under the wheels.
    pub guide: Guide,
    /// Stiffness of the pads on firm ground, N/m.
    pub pad_stiffness: f64,
    /// Damping of the pads on firm ground, N s/m.
    pub pad_damping: f64,
    /// Faces of the underside: pads, grousers, ends.
    pub faces: Vec<ShoeFace>,
}

impl Shoe {
    /// Distance between the shoe's own pins, m.
    pub fn length(&self) -> f64 {
        self.pitch - self.connector.map_or(0.0, |connector| connector.length)
    }

    /// Mass of a shoe with its connectors to the next shoe, kg.
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
    /// Positions of the road wheels from the front: x of their centers in the design position, m.
    pub stations: Vec<f64>,
    /// Whether each road wheel, in the order of `stations`, has a damper.
    pub damped: Vec<bool>,
    /// Positions of the return rollers from the front: x of their centers, m.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub return_rollers: Vec<f64>,
}

/// Steering mechanism of a tracked vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TrackSteering {
    /// An open differential. The sprocket on the inner side is braked.
    ClutchBrake {
        /// Torque of the steering brake at full steering, N m.
        brake_torque: f64,
    },
    /// A controlled differential. Its brake, fully applied, holds the sprockets' speeds at the
    /// ratio (1 - ratio) to (1 + ratio).
    Differential {
        /// Half the difference of the sprockets' speeds over their mean, with the brake fully
        /// applied.
        ratio: f64,
        /// Torque of the steering brake at full steering, N m.
        brake_torque: f64,
    },
    /// A steering drive that turns the sprockets against each other in proportion to the speed of
    /// the gearbox's input, at rest or in motion. The same steering therefore yaws the vehicle in
    /// the same direction when driving forward and backward.
    Pivot {
        /// Difference of the sprockets' speeds at full steering over the speed of the gearbox's
        /// input.
        ratio: f64,
    },
}

/// Internal resistance of each track, as a force along the track: friction of pins, rims and guides
/// that the sprocket must overcome. Without `force` and `coefficient` it is that of rubber-bushed
/// single-pin tracks, 222 + 3 V N per tonne of the vehicle on both tracks, V in km/h (M. G. Bekker,
/// Introduction to Terrain-Vehicle Systems, 1969).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TrackResistance {
    /// Dry friction of each track, N.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0), extend("unit" = "N"))]
    pub force: Option<f64>,
    /// Dry friction of both tracks over the weight of the vehicle, instead of `force`: 0.0375 on
    /// roads and 0.0525 on trails (M113, CRREL report 95-1, table A5).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 0.5))]
    pub coefficient: Option<f64>,
    /// Increase of the friction of each track with its speed, N s/m. Where absent, it is zero
    /// beside a `force` or `coefficient`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0), extend("unit" = "N s/m"))]
    pub per_speed: Option<f64>,
}

impl TrackResistance {
    /// Resistance of a track that has none.
    pub const NONE: [f64; 2] = [0.0, 0.0];

    /// Returns the dry friction of one track of a vehicle of `mass` kg, N, and its increase with
    /// the speed, N s/m.
    pub fn of_track(&self, mass: f64) -> [f64; 2] {
        // half of Bekker's per kilogram; 3.6 km/h are 1 m/s
        let [dry, viscous] = [0.111 * mass, 1.5e-3 * 3.6 * mass];
        let weight = mass * GRAVITY;
        let given = self.force.or(self.coefficient.map(|of_weight| 0.5 * of_weight * weight));
        let per_speed = self.per_speed.unwrap_or(if given.is_some() { 0.0 } else { viscous });
        [given.unwrap_or(dry), per_speed]
    }
}

/// Drive from the gearbox to the sprockets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrackDrive {
    /// Mean speed of the sprockets over the speed of the gearbox's output.
    pub ratio: f64,
    /// Inertia of the shaft behind the gearbox, kg m².
    pub driveshaft_inertia: f64,
    /// Inertia of the differential's carrier about the sprockets' axis, kg m².
    pub carrier_inertia: f64,
    /// Maximum brake torque of each sprocket, N m.
    pub brake_torque: f64,
    /// Internal resistance of the tracks in the `belt` model. A segmented track computes its own
    /// losses.
    #[serde(default)]
    pub resistance: TrackResistance,
    /// Steering mechanism.
    pub steering: TrackSteering,
}

/// A tracked vehicle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrackedSpec {
    /// Version of this file format: 1.
    pub format: u32,
    /// Running gear: `tracks`.
    pub running_gear: RunningGear,
    /// Model of the track shoes.
    pub model: TrackModel,
    /// Name of the vehicle.
    pub name: String,
    /// Description in one line.
    pub description: String,
    /// Sources of the parameters, and which parameters are assumed.
    pub source: String,
    /// The sprung body, without the parts of the tracks.
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
    /// The return rollers. Where absent, the vehicle has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_roller: Option<ReturnRoller>,
    /// The shoes.
    pub shoe: Shoe,
    /// The left track.
    pub left: Track,
    /// The right track.
    pub right: Track,
    /// Drive from the gearbox to the sprockets.
    pub drive: TrackDrive,
    /// Engine, torque converter and gearbox.
    pub powertrain: Powertrain,
}

impl TrackedSpec {
    /// Reads a vehicle from TOML and checks it.
    ///
    /// # Errors
    ///
    /// [`SpecError::Syntax`] when the text is not TOML or has unknown or missing keys;
    /// [`SpecError::Value`] when a value is not allowed.
    pub fn from_toml(text: &str) -> Result<TrackedSpec, SpecError> {
        let spec: TrackedSpec =
            toml::from_str(text).map_err(|error| super::spec_error::syntax(&error))?;
        spec.check()?;
        Ok(spec)
    }

    /// Returns the left and the right track.
    pub fn tracks(&self) -> [&Track; 2] {
        [&self.left, &self.right]
    }

    /// Total mass of all bodies, kg.
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

    /// Internal resistance of both tracks together at a speed, m/s, N: zero for segmented tracks,
    /// which compute it.
    pub fn internal_resistance(&self, speed: f64) -> f64 {
        let [dry, per_speed] = self.track_resistance();
        2.0 * (dry + per_speed * speed)
    }

    /// Dry friction of each track, N, and its increase with the speed, N s/m.
    pub fn track_resistance(&self) -> [f64; 2] {
        match self.model {
            TrackModel::Belt => self.drive.resistance.of_track(self.total_mass()),
            TrackModel::Segmented => TrackResistance::NONE,
        }
    }

    /// Radius of the sprocket's pitch circle, m.
    ///
    /// The pins are on this circle. On a double-pin track, the middles of the connectors are on it.
    pub fn pitch_radius(&self) -> f64 {
        let half = 0.5 * self.shoe.connector.map_or(0.0, |connector| connector.length);
        let pins = self.pin_radius();
        (pins * pins - half * half).sqrt()
    }

    /// Travel of the track per radian of its sprocket, m.
    ///
    /// In one revolution, the sprocket advances as many shoes as it has teeth.
    pub fn drive_radius(&self) -> f64 {
        f64::from(self.sprocket.teeth) * self.shoe.pitch / std::f64::consts::TAU
    }

    /// Radius of the circle around the sprocket through all pins, m.
    ///
    /// It is the circumscribed circle of a polygon whose edges alternate between the length of a
    /// shoe and the length of a connector.
    pub fn pin_radius(&self) -> f64 {
        let (sine, cosine) =
            bekker_math::numeric::sin_cos(std::f64::consts::PI / f64::from(self.sprocket.teeth));
        let (a, b) = (self.shoe.length(), self.shoe.pitch - self.shoe.length());
        0.5 * (a * a + b * b + 2.0 * a * b * cosine).sqrt() / sine
    }

    /// Half the difference of the sprockets' speeds over their mean at full steering.
    ///
    /// Where it depends on the gear, it is that of first gear.
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

    /// Distance between the centerlines of the tracks, m.
    pub fn gauge(&self) -> f64 {
        2.0 * self.sprocket.position[1].abs()
    }

    /// Width of the underside of a shoe, m.
    pub fn shoe_width(&self) -> f64 {
        let reach = |face: &ShoeFace| face.center[1].abs() + 0.5 * face.width;
        2.0 * self.shoe.faces.iter().map(reach).fold(0.0, f64::max)
    }

    /// Area of the shoes' faces over the area of a band of the same width, from pin to pin.
    pub fn face_share(&self) -> f64 {
        let area: f64 = self.shoe.faces.iter().map(|face| face.length * face.width).sum();
        area / (self.shoe.pitch * self.shoe_width())
    }

    /// Nominal ground pressure, Pa: the weight over the width times the ground contact length of
    /// both tracks.
    pub fn ground_pressure(&self) -> f64 {
        self.total_mass() * GRAVITY / (2.0 * self.shoe_width() * self.contact_length())
    }

    /// Depth of the underside below the pins, m.
    pub fn shoe_depth(&self) -> f64 {
        self.shoe.faces.iter().map(|face| -face.center[2]).fold(0.0, f64::max)
    }

    /// Length from the first to the last road wheel, averaged over both tracks, m.
    pub fn contact_length(&self) -> f64 {
        let length = |track: &Track| match track.stations[..] {
            [first, .., last] => first - last,
            _ => 0.0,
        };
        0.5 * (length(&self.left) + length(&self.right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnySpec, find_vehicle};

    fn m113() -> TrackedSpec {
        match find_vehicle("m113") {
            Ok(AnySpec::Tracked(spec)) => *spec,
            _ => unreachable!("it is in the catalog and runs on tracks"),
        }
    }

    /// The files of the catalog round 222 + 3 V N per tonne to a newton and to a tenth.
    #[test]
    fn internal_resistance_is_bekker_s_unless_given() {
        let with = |resistance: TrackResistance| {
            let mut spec = m113();
            spec.drive.resistance = resistance;
            spec
        };
        let (own, default) = (m113(), with(TrackResistance::default()));
        let weight = own.total_mass() * GRAVITY;
        for speed in [0.0, 1.0, 10.0] {
            let [given, found] = [&own, &default].map(|spec| spec.internal_resistance(speed));
            assert!((found / given - 1.0).abs() < 2e-3, "{found} {given}");
        }
        let of_weight = TrackResistance { coefficient: Some(0.0375), ..Default::default() };
        for speed in [0.0, 10.0] {
            let found = with(of_weight).internal_resistance(speed);
            assert!((found / weight - 0.0375).abs() < 1e-12, "{found}");
        }
        let shoes = TrackedSpec { model: TrackModel::Segmented, ..with(of_weight) };
        assert_eq!(shoes.internal_resistance(5.0), 0.0);
        assert!(with(of_weight).check().is_ok());
        for refused in [
            TrackResistance { force: Some(1e3), ..of_weight },
            TrackResistance { coefficient: Some(0.6), ..of_weight },
            TrackResistance { coefficient: Some(-0.1), ..of_weight },
            TrackResistance { per_speed: Some(-1.0), ..of_weight },
        ] {
            assert!(with(refused).check().is_err(), "{refused:?}");
        }
    }
}
