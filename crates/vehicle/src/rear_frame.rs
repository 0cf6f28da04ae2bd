//! Rear frame of an articulated vehicle.

use super::outline::VehicleOutline;
use super::spec::{Chassis, HullBox, VehicleFootprint, VehicleSpec};
use super::vehicle_bodies::VehicleBodies;
use crate::multibody::{BodyId, MultibodyWorkspace};
use bekker_math::numeric::{atan2, hypot};
use bekker_math::spatial::{Load, Pose, Twist, Vec3};

/// Immutable model of the rear frame of an articulated vehicle.
#[derive(Clone, Debug)]
pub struct RearFrameModel {
    /// Its frame has its origin at the joint.
    body: BodyId,
    /// Index of the load on the body in the workspace.
    load: usize,
    /// In the rear frame.
    outline: VehicleOutline,
    /// In the chassis frame, m.
    joint: Vec3,
    /// Mass of the frame with its axles, kg.
    mass: f64,
    /// Number of the vehicle's last wheels that the frame carries.
    wheels: usize,
}

/// Chassis, footprint and wheel centers of one frame of an articulated vehicle, in the frame's axes
/// about its own origin.
pub(super) struct FrameSection {
    pub chassis: Chassis,
    pub footprint: VehicleFootprint,
    pub wheels: Vec<Vec3>,
    /// Mass with axles and wheels, kg.
    pub mass: f64,
}

/// Returns the front and the rear frame of an articulated vehicle of total `mass`, kg, with these
/// wheel centers, m.
///
/// The mass outside the chassis is spread evenly over the wheels. The rear frame's origin is at the
/// joint.
pub(super) fn sections(
    spec: &VehicleSpec,
    mass: f64,
    wheels: &[Vec3],
) -> Option<[FrameSection; 2]> {
    let (rear, _) = spec.articulation()?;
    let joint = Vec3::from(rear.joint);
    let behind: Vec<usize> =
        (0..spec.axles.len()).filter(|&own| spec.is_behind_joint(own)).collect();
    let wheel_mass = (mass - spec.chassis.mass) / wheels.len() as f64;
    let whole = VehicleFootprint::from_tractor(spec);
    let section = |is_rear: bool| {
        let origin = if is_rear { joint } else { Vec3::zeros() };
        let part = if is_rear { rear.rear_part() } else { rear.front_part(&spec.chassis) };
        let hulls = spec.chassis.hulls.iter().filter(|own| (own.center[0] < joint.x) == is_rear);
        let tensor = part.tensor;
        let wheels = wheels.iter().enumerate();
        let wheels = wheels.filter(|(wheel, _)| behind.contains(&(wheel / 2)) == is_rear);
        let wheels: Vec<Vec3> = wheels.map(|(_, center)| center - origin).collect();
        let footprint = if is_rear {
            VehicleFootprint { front: 0.0, rear: whole.rear - joint.x, ..whole }
        } else {
            VehicleFootprint { rear: joint.x, ..whole }
        };
        FrameSection {
            chassis: Chassis {
                mass: part.mass,
                inertia: [tensor[(0, 0)], tensor[(1, 1)], tensor[(2, 2)]],
                products: [tensor[(0, 1)], tensor[(0, 2)], tensor[(1, 2)]],
                com: (part.com - origin).into(),
                hulls: hulls
                    .map(|own| HullBox { center: (Vec3::from(own.center) - origin).into(), ..*own })
                    .collect(),
                ..spec.chassis.clone()
            },
            footprint,
            mass: part.mass + wheel_mass * wheels.len() as f64,
            wheels,
        }
    };
    Some([section(false), section(true)])
}

impl RearFrameModel {
    /// Builds the rear frame; `radius` is the radius of the largest tire, m.
    pub(super) fn new(
        section: &FrameSection,
        body: BodyId,
        load: usize,
        joint: Vec3,
        radius: f64,
    ) -> RearFrameModel {
        let FrameSection { chassis, footprint, wheels, mass } = section;
        let outline = VehicleOutline::new(chassis, footprint, *mass, wheels, radius);
        RearFrameModel { body, load, outline, joint, mass: *mass, wheels: wheels.len() }
    }

    /// Returns the outline for collisions, in the rear frame.
    pub fn outline(&self) -> &VehicleOutline {
        &self.outline
    }

    /// Returns the position of the joint in the chassis frame, m.
    pub fn joint(&self) -> Vec3 {
        self.joint
    }

    /// Returns the mass of the frame with its axles, kg.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Returns the number of the vehicle's last wheels that the frame carries.
    pub fn wheels(&self) -> usize {
        self.wheels
    }

    /// Returns the pose of the rear frame, whose origin is at the joint.
    pub fn pose(&self, bodies: &VehicleBodies, workspace: &MultibodyWorkspace) -> Pose {
        bodies.pose_of(workspace, self.body)
    }

    /// Returns the twist of the rear frame about its origin.
    pub fn twist(&self, bodies: &VehicleBodies, workspace: &MultibodyWorkspace) -> Twist {
        bodies.twist_of(workspace, self.body)
    }

    /// Returns the load on the rear frame about its origin, to be set before each step.
    pub fn body_load<'a>(&self, workspace: &'a mut MultibodyWorkspace) -> &'a mut Load {
        &mut workspace.load[self.load]
    }

    /// Returns articulation and roll of the rear frame, rad.
    ///
    /// The articulation is positive where the front is turned to the left of the rear frame, the
    /// roll where the left side of the rear frame is up.
    pub fn articulation(&self, bodies: &VehicleBodies, workspace: &MultibodyWorkspace) -> [f64; 2] {
        let (front, rear) = (bodies.pose(workspace), self.pose(bodies, workspace));
        let [along, left] =
            [Vec3::x(), Vec3::y()].map(|axis| front.orientation.inverse() * rear.direction(&axis));
        [-atan2(along.y, along.x), atan2(left.z, hypot(left.x, left.y))]
    }
}
