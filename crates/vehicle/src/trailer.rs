//! Trailer of a vehicle.

use super::assembly::{Mount, TrailerParts};
use super::coupling::Coupling;
use super::outline::VehicleOutline;
use super::spec::{Trailer, VehicleFootprint, VehicleSpec};
use super::state::VehicleState;
use super::vehicle_bodies::VehicleBodies;
use crate::multibody::{BodyId, MultibodyWorkspace};
use bekker_math::numeric::{asin, atan2};
use bekker_math::spatial::{Load, Pose, Twist, Vec3};

/// Stiffness of the stops, N m/rad: they deflect by half a degree under 20 kN on a lever of 1 m.
const STOP_STIFFNESS: f64 = 2e6;
/// Damping of the stops over their stiffness, s.
const STOP_DAMPING_TIME: f64 = 0.02;

/// Immutable model of a vehicle's trailer.
#[derive(Clone, Debug)]
pub struct TrailerModel {
    /// Sprung body; its frame has its origin at the coupling.
    body: BodyId,
    /// Index of the load on the body in the workspace.
    load: usize,
    /// In the trailer's frame.
    outline: VehicleOutline,
    /// In the trailer's frame, m.
    landing_feet: Vec<Vec3>,
    /// In the chassis frame, m.
    coupling: Vec3,
    mass: f64,
    breaking_load: Option<f64>,
    /// Springs of the coupling along the chassis axes.
    springs: Vec<(Mount, Vec3)>,
    /// Yaw and pitch at which the stops begin to act, rad.
    largest_angles: [f64; 2],
}

impl TrailerModel {
    /// Builds the trailer of a vehicle; `radius` is the radius of the largest tire, m.
    ///
    /// `load` is the index of the load on its body in the workspace.
    pub(super) fn new(
        spec: &VehicleSpec,
        trailer: &Trailer,
        assembled: &TrailerParts,
        mounts: &[Mount],
        load: usize,
        radius: f64,
    ) -> TrailerModel {
        let coupling = Vec3::from(trailer.coupling);
        let axles = spec.axles.iter().enumerate().filter(|(_, axle)| axle.trailed);
        let (mut wheels, mut ground) = (Vec::new(), f64::INFINITY);
        for (index, axle) in axles {
            let [x, y, z] = axle.suspension.spindle();
            let middle = Vec3::from(axle.position) - coupling;
            wheels.extend([y, -y].map(|y| middle + Vec3::new(x, y, z)));
            ground = ground.min(middle.z + z - spec.tire_of(index).rigid.radius());
        }
        let footprint = VehicleFootprint::from_trailer(spec, trailer);
        let mass = spec.trailer_mass();
        let outline = VehicleOutline::new(&trailer.chassis, &footprint, mass, &wheels, radius);
        let landing_feet = match trailer.landing_gear {
            Some([x, 0.0]) => vec![Vec3::new(x, 0.0, ground)],
            Some([x, y]) => [y, -y].map(|y| Vec3::new(x, y, ground)).to_vec(),
            None => Vec::new(),
        };
        let hitch = &trailer.hitch;
        TrailerModel {
            body: assembled.body,
            load,
            outline,
            landing_feet,
            coupling,
            mass,
            breaking_load: hitch.breaking_load,
            springs: assembled.springs.iter().map(|&(index, axis)| (mounts[index], axis)).collect(),
            largest_angles: [hitch.max_yaw_deg, hitch.max_pitch_deg].map(f64::to_radians),
        }
    }

    /// Returns the outline for collisions, in the trailer's frame.
    pub fn outline(&self) -> &VehicleOutline {
        &self.outline
    }

    /// Returns the feet of the lowered landing gear, in the trailer's frame, m.
    pub fn landing_feet(&self) -> &[Vec3] {
        &self.landing_feet
    }

    /// Returns the position of the coupling in the chassis frame, m.
    pub fn coupling(&self) -> Vec3 {
        self.coupling
    }

    /// Returns the mass of all bodies of the trailer, kg.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Returns the force at which the coupling breaks, N, if it can break.
    pub fn breaking_load(&self) -> Option<f64> {
        self.breaking_load
    }

    /// Returns the pose of the trailer's frame, whose origin is at the coupling.
    pub fn pose(&self, bodies: &VehicleBodies, workspace: &MultibodyWorkspace) -> Pose {
        bodies.pose_of(workspace, self.body)
    }

    /// Returns the twist of the trailer about its frame's origin.
    pub fn twist(&self, bodies: &VehicleBodies, workspace: &MultibodyWorkspace) -> Twist {
        bodies.twist_of(workspace, self.body)
    }

    /// Returns the load on the body about its frame's origin, to be set before each step.
    pub fn body_load<'a>(&self, workspace: &'a mut MultibodyWorkspace) -> &'a mut Load {
        &mut workspace.load[self.load]
    }

    /// Returns yaw (positive to the left) and pitch (positive nose down) relative to the vehicle,
    /// rad.
    pub fn articulation(&self, bodies: &VehicleBodies, workspace: &MultibodyWorkspace) -> [f64; 2] {
        articulation([&bodies.pose(workspace), &self.pose(bodies, workspace)])
    }

    /// Returns the force on the vehicle after the last step, N, in chassis axes.
    ///
    /// x is negative where the trailer pulls backward, z where it presses down.
    pub fn hitch_force(&self, workspace: &MultibodyWorkspace) -> Vec3 {
        let springs = self.springs.iter().map(|(mount, axis)| {
            let (displaced, rate) =
                (workspace.measure[mount.element], workspace.rate[mount.element]);
            axis * (mount.stiffness * displaced + mount.damping * rate)
        });
        springs.sum()
    }

    /// Uncouples the trailer.
    ///
    /// It then rests on its landing gear with its brakes applied.
    pub fn uncouple(&self, state: &mut VehicleState) {
        if state.coupling == Coupling::Holds {
            state.coupling = Coupling::Released;
        }
    }

    /// Breaks a coupling whose force in the last step exceeds its strength.
    ///
    /// It is separate from [`Vehicle::step`](super::Vehicle::step) because coupling forces while a
    /// vehicle is placed must not break it.
    pub fn break_if_overloaded(&self, state: &mut VehicleState, workspace: &MultibodyWorkspace) {
        let Some(breaking) = self.breaking_load else { return };
        if state.coupling == Coupling::Holds && self.hitch_force(workspace).norm() > breaking {
            state.coupling = Coupling::Broken;
        }
    }

    /// Returns the elements of the coupling's springs.
    pub(super) fn spring_elements(&self) -> impl Iterator<Item = usize> {
        self.springs.iter().map(|(mount, _)| mount.element)
    }

    /// Returns the moment of the stops on the trailer, N m, world axes.
    ///
    /// Poses and twists are of vehicle and trailer, in this order.
    pub(super) fn stop(&self, poses: [&Pose; 2], twists: [&Twist; 2]) -> Vec3 {
        let [yaw, pitch] = articulation(poses);
        let rate = twists[1].angular - twists[0].angular;
        let axes = [poses[0].direction(&Vec3::z()), poses[1].direction(&Vec3::y())];
        let moment = |k: usize| {
            let (angle, largest) = ([yaw, pitch][k], self.largest_angles[k]);
            let beyond = angle - angle.clamp(-largest, largest);
            if beyond == 0.0 {
                return Vec3::zeros();
            }
            let push = beyond + STOP_DAMPING_TIME * rate.dot(&axes[k]);
            // a stop pushes and never pulls
            let push = if beyond > 0.0 { push.max(0.0) } else { push.min(0.0) };
            axes[k] * (-STOP_STIFFNESS * push)
        };
        moment(0) + moment(1)
    }
}

/// Returns yaw and pitch of a trailer relative to its vehicle, rad: positive to the left and nose
/// down.
fn articulation([vehicle, trailer]: [&Pose; 2]) -> [f64; 2] {
    let ahead = vehicle.orientation.inverse() * trailer.direction(&Vec3::x());
    [atan2(ahead.y, ahead.x), asin((-ahead.z).clamp(-1.0, 1.0))]
}
