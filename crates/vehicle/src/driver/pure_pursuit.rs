//! Steering by pure pursuit.
//!
//! The driver aims at the point of the path at a look-ahead distance. It steers along the circle
//! through that point that is tangent to the vehicle at its rear axle: tan δ = 2 L sin α / d.
//! Source: R. C. Coulter, *Implementation of the Pure Pursuit Path Tracking Algorithm*,
//! CMU-RI-TR-92-01 (1992).

use super::{Path, PathPosition, TrailerGeometry};
use crate::spec::{ArticulationLevers, Track, TrackSteering, TrackedSpec, VehicleSpec};
use bekker_math::numeric::{asin, atan, cos, hypot, sin, tan};
use bekker_math::spatial::{Pose, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Distance to a target at which a vehicle has arrived, m, and its largest share of the wheelbase.
const ARRIVAL: [f64; 2] = [1.0, 0.55];
/// Gain on the missing curvature, for skid-steered vehicles.
const SKID_GAIN: f64 = 2.0;
/// Lower bound of the speed in the conversion of a yaw rate to a curvature, m/s.
const SLOW: f64 = 1.0;
/// The same bound where the steering commands a yaw rate, over the speed at which full steering
/// gives the largest curvature.
const SLOW_SHARE: f64 = 0.25;

/// Geometry of a vehicle for its steering.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteeringGeometry {
    /// Distance between the axles, m.
    pub wheelbase: f64,
    /// Coordinate x of the point that follows a path, in the chassis frame, m: the rear axle, or
    /// the middle of the front frame's axles of an articulated vehicle.
    pub rear_axle: f64,
    /// Mean angle of the steered wheels, or articulation angle, at steering 1, rad.
    pub max_steer: f64,
    /// Whether the vehicle turns by skidding, so that its curvature depends on the ground.
    pub skids: bool,
    /// Whether the steering sets the direction of yaw, the same forward and backward, instead of
    /// the curvature of the path, as a pivot drive does.
    pub pivots: bool,
    /// Steering by the speeds of both sides, if the steering commands a yaw rate instead of a
    /// curvature.
    pub skid: Option<SkidGeometry>,
    /// Distances of axles and pin of an articulated vehicle.
    pub articulated: Option<ArticulationLevers>,
    /// Trailer of the vehicle, if any.
    pub trailer: Option<TrailerGeometry>,
}

/// Steering by the difference of the wheel speeds on both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkidGeometry {
    /// Yaw rate at steering 1, rad/s.
    pub max_yaw_rate: f64,
    /// Difference of the rim speeds over the yaw rate, m.
    pub tread: f64,
    /// Rim speed up to which the motors give their full power, m/s.
    pub top_speed: f64,
}

/// Parameters of pure pursuit. The defaults suit the HMMWV.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PurePursuit {
    /// Look-ahead distance over speed, s.
    pub look_ahead_time: f64,
    /// Minimum look-ahead distance, m.
    pub min_look_ahead: f64,
    /// Maximum look-ahead distance, m.
    pub max_look_ahead: f64,
    /// Maximum rate of change of the steering, 1/s. At 2, the steering moves from lock to lock in 1
    /// s.
    pub steering_rate: f64,
}

impl Default for PurePursuit {
    fn default() -> Self {
        PurePursuit {
            look_ahead_time: 1.0,
            min_look_ahead: 5.0,
            max_look_ahead: 25.0,
            steering_rate: 2.0,
        }
    }
}

impl SteeringGeometry {
    /// Geometry of a tracked vehicle from its file.
    ///
    /// It is modeled as a vehicle with an axle under the middle of its tracks. At full lock it
    /// turns with the curvature of its tracks without slip.
    pub fn from_tracked_spec(spec: &TrackedSpec) -> SteeringGeometry {
        let middle = |track: &Track| match track.stations[..] {
            [first, .., last] => 0.5 * (first + last),
            _ => 0.0,
        };
        let length = spec.contact_length();
        let curvature = 2.0 * spec.lock_ratio() / spec.gauge();
        SteeringGeometry {
            wheelbase: length,
            rear_axle: 0.5 * (middle(&spec.left) + middle(&spec.right)),
            max_steer: bekker_math::numeric::atan(length * curvature),
            skids: true,
            pivots: matches!(spec.drive.steering, TrackSteering::Pivot { .. }),
            skid: None,
            articulated: None,
            trailer: None,
        }
    }

    /// Geometry of a wheeled vehicle from its file.
    ///
    /// The largest curvature of a skid-steered vehicle is taken as that at which the wheels of one
    /// side stand still if none slides.
    pub fn from_spec(spec: &VehicleSpec) -> SteeringGeometry {
        if let Some(max_yaw_rate) = spec.max_yaw_rate() {
            return SteeringGeometry {
                wheelbase: spec.wheelbase,
                rear_axle: spec.turning_line(),
                max_steer: atan(spec.wheelbase * 2.0 / spec.tread()),
                skids: true,
                pivots: true,
                skid: Some(SkidGeometry {
                    max_yaw_rate,
                    tread: spec.skid_tread(),
                    top_speed: spec.top_rim_speed(),
                }),
                articulated: None,
                trailer: TrailerGeometry::from_spec(spec),
            };
        }
        SteeringGeometry {
            wheelbase: spec.steering_base(),
            rear_axle: spec.turning_line(),
            max_steer: spec.max_steer(),
            skids: false,
            pivots: false,
            skid: None,
            articulated: spec.articulation_levers(),
            trailer: TrailerGeometry::from_spec(spec),
        }
    }

    /// Returns the minimum look-ahead distance where none is given, m: two wheelbases
    /// (one where both axles steer), at most the default of [`PurePursuit`].
    ///
    /// A small vehicle that looks 5 m ahead would cut bends by several of its lengths.
    pub fn usual_look_ahead(&self) -> f64 {
        PurePursuit::default().min_look_ahead.min(2.0 * self.wheelbase)
    }

    /// Distance to a target at which the vehicle has arrived, m: 1 m, less for wheelbases below
    /// 1.8 m.
    ///
    /// A small robot would otherwise stop several of its lengths short of its target.
    pub fn arrival_distance(&self) -> f64 {
        ARRIVAL[0].min(ARRIVAL[1] * self.wheelbase)
    }

    /// Largest curvature of the rear axle's path, 1/m.
    pub fn max_curvature(&self) -> f64 {
        self.curvature(1.0)
    }

    /// Smallest radius of the rear axle's path without slip, m.
    pub fn min_radius(&self) -> f64 {
        match self.articulated {
            Some(_) => 1.0 / self.max_curvature(),
            None => self.wheelbase / tan(self.max_steer),
        }
    }

    /// Curvature of the rear axle's path, 1/m, at a steering from -1 to 1 without slip.
    ///
    /// For the articulation γ of frames whose axles are f ahead of the pin and r behind it, the
    /// middle of the front axles moves along sin γ / (f cos γ + r).
    pub fn curvature(&self, steering: f64) -> f64 {
        let angle = steering * self.max_steer;
        match self.articulated {
            Some(ArticulationLevers { front, rear, .. }) => {
                sin(angle) / (front * cos(angle) + rear)
            }
            None => tan(angle) / self.wheelbase,
        }
    }

    /// Angle of the steered wheels, or articulation, rad, that moves the rear axle along a
    /// curvature, 1/m, without slip. It may exceed the largest angle.
    pub fn steering_angle(&self, curvature: f64) -> f64 {
        let Some(ArticulationLevers { front, rear, .. }) = self.articulated else {
            return atan(self.wheelbase * curvature);
        };
        // sin γ - κ f cos γ = κ r; a circle through a point beside the pin has no solution
        let bounded = curvature.clamp(-1e3, 1e3);
        let across = bounded * front;
        let sine = bounded * rear / (1.0 + across * across).sqrt();
        atan(across) + asin(sine.clamp(-1.0, 1.0))
    }

    /// Largest speed in a bend of a curvature, 1/m, at which the outer wheels of a skid-steered
    /// vehicle do not exceed the speed of their motor, m/s; unlimited for other vehicles.
    pub fn speed_in_bend(&self, curvature: f64) -> f64 {
        self.skid
            .map_or(f64::INFINITY, |own| own.top_speed / (1.0 + 0.5 * own.tread * curvature.abs()))
    }

    /// Steering, -1 to 1, that moves the rear axle along a curvature, 1/m.
    pub fn steering(&self, curvature: f64) -> f64 {
        let steer = self.steering_angle(curvature);
        (steer / self.max_steer.max(f64::MIN_POSITIVE)).clamp(-1.0, 1.0)
    }

    /// Middle of the axles of the rear frame of an articulated vehicle, m, and the heading of that
    /// frame, whose yaw to the left is `yaw`, rad.
    pub fn rear_frame(&self, pose: &Pose, yaw: f64) -> Option<([f64; 2], Vec3)> {
        let ArticulationLevers { joint, rear, .. } = self.articulated?;
        let heading = Vec3::new(cos(yaw), sin(yaw), 0.0);
        let middle = pose.point(&(Vec3::new(joint, 0.0, 0.0) - heading * rear));
        Some(([middle.x, middle.y], pose.direction(&heading)))
    }

    /// Point that leads in reverse, m, and the heading there: the axles of the rear frame of an
    /// articulated vehicle with this `yaw`, rad, otherwise the rear axle.
    pub fn reversing_point(&self, pose: &Pose, yaw: Option<f64>) -> ([f64; 2], Vec3) {
        let frame = yaw.and_then(|yaw| self.rear_frame(pose, yaw));
        frame.unwrap_or_else(|| (self.rear(pose), pose.direction(&Vec3::x())))
    }

    /// Geometry of the vehicle in reverse, in which its rear frame leads if it is articulated.
    ///
    /// An articulated vehicle is symmetric about its pin, except for the distances of the axles.
    pub fn in_reverse(&self) -> SteeringGeometry {
        let Some(ArticulationLevers { joint, front, rear }) = self.articulated else {
            return *self;
        };
        let levers = ArticulationLevers { joint, front: rear, rear: front };
        SteeringGeometry { rear_axle: joint - rear, articulated: Some(levers), ..*self }
    }

    /// Returns the steering with a correction for the missing yaw rate of a skid-steered vehicle.
    ///
    /// The ground holds tracks until their thrusts differ by more than it bears in the lateral
    /// direction, so they run straight at a small steering. The driver steers until the vehicle
    /// turns as required, by `SKID_GAIN` times the missing curvature, 1/m, at `speed`, m/s, and
    /// `yaw_rate`, rad/s. A pivoting vehicle also turns at rest, where its speed does not give the
    /// intended direction. That direction is `sense`, -1 backward.
    pub fn with_skid_correction(
        &self,
        steering: f64,
        speed: f64,
        yaw_rate: f64,
        sense: f64,
    ) -> f64 {
        if !self.skids {
            return steering;
        }
        let wanted = self.curvature(steering);
        let way = if self.pivots { sense } else { speed };
        let turned = yaw_rate / speed.abs().max(self.slowest()).copysign(way);
        self.steering(wanted + SKID_GAIN * (wanted - turned))
    }

    /// Lower bound of the speed in the conversion of a yaw rate to a curvature, m/s.
    fn slowest(&self) -> f64 {
        let share = |own: SkidGeometry| SLOW_SHARE * own.max_yaw_rate / self.max_curvature();
        self.skid.map_or(SLOW, share)
    }

    /// Returns the command, -1 to 1, that produces the curvature of a `steering` at `speed`, m/s.
    ///
    /// The yaw rate is that curvature times the speed. Where the steering sets the sign of the yaw
    /// rate, the command therefore reverses for backward travel (`sense` -1). Where it commands the
    /// yaw rate, the command is that rate over the largest one.
    pub fn command(&self, steering: f64, speed: f64, sense: f64) -> f64 {
        let Some(SkidGeometry { max_yaw_rate: most, .. }) = self.skid else {
            return if self.pivots { steering * sense } else { steering };
        };
        let curvature = self.curvature(steering);
        (sense * curvature * speed.abs().max(self.slowest()) / most).clamp(-1.0, 1.0)
    }

    /// Middle of the rear axle in the horizontal plane, m.
    pub fn rear(&self, pose: &Pose) -> [f64; 2] {
        let rear = pose.point(&Vec3::new(self.rear_axle, 0.0, 0.0));
        [rear.x, rear.y]
    }
}

/// Path that a vehicle follows, from a position on it.
#[derive(Clone, Copy, Debug)]
pub struct PursuedPath<'a> {
    /// The path.
    pub path: &'a Path,
    /// Position of the rear axle on the path.
    pub position: &'a PathPosition,
    /// Distance at which the vehicle follows the path, m to its left.
    pub aside: f64,
}

impl PurePursuit {
    /// Look-ahead distance, m, at a speed, m/s.
    pub fn look_ahead(&self, speed: f64) -> f64 {
        (self.look_ahead_time * speed.abs())
            .clamp(self.min_look_ahead, self.max_look_ahead.max(self.min_look_ahead))
    }

    /// Returns the steering, -1 to 1, from a position on a path at `speed`, m/s.
    ///
    /// The vehicle drives backward where `sense` is -1, and back along the path where `along_path`
    /// is -1. The circle through the target is the same in both directions.
    pub fn steering(
        &self,
        geometry: &SteeringGeometry,
        pursued: PursuedPath<'_>,
        pose: &Pose,
        speed: f64,
        [sense, along_path]: [f64; 2],
    ) -> f64 {
        let PursuedPath { path, position: place, aside } = pursued;
        let station = place.station + along_path * self.look_ahead(speed);
        let mut target = path.point(place.segment, station);
        if aside != 0.0 {
            let [x, y] = path.direction_at(place.segment, station);
            target = [target[0] - y * aside, target[1] + x * aside];
        }
        let heading = pose.direction(&Vec3::x());
        geometry.steering(arc_curvature(geometry.rear(pose), &heading, target, sense))
    }

    /// Returns the steering, -1 to 1, of an articulated vehicle whose rear frame leads along a path
    /// in reverse; `yaw` is that of the rear frame, rad. `None` for other vehicles.
    ///
    /// The angle of the frame turns the trailing frame first, so the leading one is steered.
    pub fn rear_frame_steering(
        &self,
        geometry: &SteeringGeometry,
        PursuedPath { path, position: place, .. }: PursuedPath<'_>,
        pose: &Pose,
        speed: f64,
        yaw: f64,
    ) -> Option<f64> {
        let (axle, heading) = geometry.rear_frame(pose, yaw)?;
        let target = path.point(place.segment, place.station + self.look_ahead(speed));
        Some(geometry.in_reverse().steering(arc_curvature(axle, &heading, target, -1.0)))
    }
}

/// Curvature, 1/m, of the circle through a point and a target that is tangent to the heading at the
/// point.
///
/// It is infinite if the target is opposite to the direction of travel: the vehicle must turn
/// around.
pub(super) fn arc_curvature(from: [f64; 2], heading: &Vec3, target: [f64; 2], sense: f64) -> f64 {
    let [dx, dy] = [target[0] - from[0], target[1] - from[1]];
    let level = hypot(heading.x, heading.y).max(f64::MIN_POSITIVE);
    let across = (heading.x * dy - heading.y * dx) / level;
    let along = (heading.x * dx + heading.y * dy) / level;
    let distance = hypot(dx, dy).max(f64::MIN_POSITIVE);
    if sense * along < 0.0 {
        return if across < 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    2.0 * across / (distance * distance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::spatial::Quat;

    const GEOMETRY: SteeringGeometry = SteeringGeometry {
        wheelbase: 3.302,
        rear_axle: -1.689,
        max_steer: 0.5276,
        skids: false,
        pivots: false,
        skid: None,
        articulated: None,
        trailer: None,
    };

    /// Simulates a kinematic bicycle that follows `path` at `speed` from a position and heading of
    /// its rear axle, and returns its offset after `distance`.
    fn drive(path: &Path, start: [f64; 2], heading: f64, speed: f64, distance: f64) -> f64 {
        let pursuit = PurePursuit::default();
        let (mut rear, mut yaw, h) = (start, heading, 0.01);
        let mut place = path.locate(rear);
        for _ in 0..(distance / speed / h) as usize {
            let orientation = Quat::from_axis_angle(&Vec3::z_axis(), yaw);
            let origin =
                Vec3::new(rear[0], rear[1], 0.0) + orientation * Vec3::new(1.689, 0.0, 0.0);
            let pose = Pose { position: origin, orientation };
            place = path.nearest_near(&place, GEOMETRY.rear(&pose));
            let pursued = PursuedPath { path, position: &place, aside: 0.0 };
            let steering = pursuit.steering(&GEOMETRY, pursued, &pose, speed, [1.0; 2]);
            let steer = steering * GEOMETRY.max_steer;
            rear = [rear[0] + h * speed * yaw.cos(), rear[1] + h * speed * yaw.sin()];
            yaw += h * speed * steer.tan() / GEOMETRY.wheelbase;
        }
        place.offset
    }

    /// The defaults suit vehicles from the size of an HMMWV on; smaller ones look less far.
    #[test]
    fn small_vehicles_look_less_far_ahead() {
        assert_eq!(GEOMETRY.usual_look_ahead(), 5.0);
        let husky = SteeringGeometry { wheelbase: 0.512, ..GEOMETRY };
        assert_eq!(husky.usual_look_ahead(), 1.024);
        assert_eq!(GEOMETRY.arrival_distance(), 1.0);
        assert_eq!(husky.arrival_distance(), 0.55 * 0.512);
    }

    #[test]
    fn converges_to_a_straight_line_from_either_side() {
        let path = Path::polyline(&[[0.0, 0.0], [500.0, 0.0]]).unwrap();
        for (offset, heading) in [(3.0, 0.0), (-3.0, 0.4), (8.0, -0.8)] {
            for speed in [2.0, 6.0, 15.0] {
                let end = drive(&path, [0.0, offset], heading, speed, 150.0);
                assert!(end.abs() < 0.01, "{end} m off the line at {speed} m/s");
            }
        }
    }

    /// A steering drive sets the yaw rate, so the same curvature needs the opposite steering
    /// backward: r = kappa v. This also holds while the vehicle is still at rest and already turns.
    #[test]
    fn a_pivoting_vehicle_keeps_its_curvature_backward() {
        let pivots = SteeringGeometry { skids: true, pivots: true, ..GEOMETRY };
        let most = pivots.max_curvature();
        for curvature in [0.05, -0.1] {
            for sense in [1.0, -1.0] {
                for speed in [0.0, 2.0] {
                    // the steering drive turns it until the yaw rate matches the curvature
                    let (mut turned, mut command) = (0.0, 0.0);
                    for _ in 0..400 {
                        let steering = pivots.steering(curvature);
                        let steering =
                            pivots.with_skid_correction(steering, sense * speed, turned, sense);
                        command = pivots.command(steering, speed, sense);
                        turned += 0.05 * (command * most - turned);
                    }
                    assert!(command * curvature * sense > 0.0, "{curvature}, {sense}, {speed}");
                    assert!(turned * curvature * sense > 0.0, "{curvature}, {sense}, {speed}");
                }
            }
        }
        let wheels = SteeringGeometry { pivots: false, ..pivots };
        assert_eq!(wheels.command(0.3, 2.0, -1.0), 0.3);
    }

    /// R = (f cos γ + r)/sin γ for the middle of the front axles, solved for the articulation.
    #[test]
    fn an_articulated_frame_has_the_angle_of_a_curvature() {
        let spec = crate::find_wheeled("forwarder").unwrap();
        let geometry = SteeringGeometry::from_spec(&spec);
        let levers = geometry.articulated.unwrap();
        assert!((levers.front - 2.1).abs() < 1e-12 && (levers.rear - 2.9).abs() < 1e-12);
        assert!((geometry.rear_axle - 2.5).abs() < 1e-12);
        for steering in [-1.0, -0.3, 0.0, 0.02, 0.7, 1.0] {
            let curvature = geometry.curvature(steering);
            assert!((geometry.steering(curvature) - steering).abs() < 1e-12, "{steering}");
        }
        let angle = 44f64.to_radians();
        let radius = (2.1 * angle.cos() + 2.9) / angle.sin();
        assert!((geometry.min_radius() / radius - 1.0).abs() < 1e-12);
        assert!((geometry.max_curvature() * radius - 1.0).abs() < 1e-12);
        // a target beside or behind the vehicle needs the full angle
        assert_eq!(geometry.steering(f64::INFINITY), 1.0);
        assert_eq!(geometry.steering(-0.5), -1.0);
    }

    #[test]
    fn stays_on_a_circle() {
        let radius = 25.0;
        let points: Vec<_> = (0..=720)
            .map(|i| {
                let angle = f64::from(i) / 360.0 * std::f64::consts::TAU;
                [radius * angle.sin(), radius - radius * angle.cos()]
            })
            .collect();
        let path = Path::polyline(&points).unwrap();
        // On a circle the pursuit circle equals the path. Errors are due to chords of half a degree
        // and to the explicit steps of the bicycle model.
        let end = drive(&path, [0.0, 0.0], 0.0, 5.0, 250.0);
        assert!(end.abs() < 0.02, "{end} m off the circle");
    }
}
