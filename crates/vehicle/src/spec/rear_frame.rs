//! A chassis of two bodies: a torsion joint between them models the twist of truck frames, a
//! vertical pin the articulated frame of loaders and forwarders.

use super::{ArticulatedSteering, Axle, Chassis, Point, Steering, VehicleSpec};
use bekker_math::spatial::{Mat3, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The part of the chassis behind a torsion joint. Relative to the front part, it can only rotate
/// about the x axis through `joint`, and with `steering.articulated` about a vertical pin there. Its
/// mass is included in the mass of the chassis. The axles behind the joint are attached to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RearFrame {
    /// A point on the axis of the joint, in the chassis frame, m.
    pub joint: Point,
    /// Torsional stiffness of the joint, N m/rad; 0 only with `steering.articulated`.
    pub stiffness: f64,
    /// Torsional damping of the joint, N m s/rad.
    pub damping: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia Ixx, Iyy, Izz about this part's own center of mass, in chassis axes, kg
    /// m².
    pub inertia: Point,
    /// Products of inertia Ixy, Ixz, Iyz, with the signs that they have in the inertia matrix, kg
    /// m².
    #[serde(default)]
    pub products: Point,
    /// Center of mass of this part in the chassis frame, m.
    pub com: Point,
}

/// Distances of an articulated vehicle that determine its turning radius, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArticulationLevers {
    /// Coordinate x of the pin in the chassis frame.
    pub joint: f64,
    /// Distance from the pin forward to the middle of the axles of the front frame.
    pub front: f64,
    /// Distance from the pin back to the middle of the axles of the rear frame.
    pub rear: f64,
}

/// Mass, center of mass and inertia tensor about that center of a rigid body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SprungPart {
    pub mass: f64,
    pub com: Vec3,
    pub tensor: Mat3,
}

/// Inertia tensor of a point mass at `lever` from the reference point (Huygens and Steiner).
fn steiner(mass: f64, lever: Vec3) -> Mat3 {
    (Mat3::identity() * lever.norm_squared() - lever * lever.transpose()) * mass
}

fn tensor([xx, yy, zz]: Point, [xy, xz, yz]: Point) -> Mat3 {
    Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

impl RearFrame {
    /// Returns the part of the chassis behind the joint.
    pub(crate) fn rear_part(&self) -> SprungPart {
        let tensor = tensor(self.inertia, self.products);
        SprungPart { mass: self.mass, com: Vec3::from(self.com), tensor }
    }

    /// Returns the part of a chassis ahead of the joint: the whole minus the part behind it.
    pub(crate) fn front_part(&self, whole: &Chassis) -> SprungPart {
        let behind = self.rear_part();
        let (mass, middle) = (whole.mass - behind.mass, Vec3::from(whole.com));
        let com = (middle * whole.mass - behind.com * behind.mass) / mass;
        let tensor = tensor(whole.inertia, whole.products)
            - behind.tensor
            - steiner(behind.mass, behind.com - middle)
            - steiner(mass, com - middle);
        SprungPart { mass, com, tensor }
    }

    fn load(&mut self, mass: f64, place: &Point, size: &Point) {
        let mut own = Chassis {
            mass: self.mass,
            inertia: self.inertia,
            products: self.products,
            com: self.com,
            driver: None,
            rear_coupling: None,
            belly: None,
            footprint: None,
            hulls: Vec::new(),
            drag_area: None,
        };
        own.load(mass, place, size);
        (self.mass, self.com) = (own.mass, own.com);
        (self.inertia, self.products) = (own.inertia, own.products);
    }
}

impl VehicleSpec {
    /// Adds a rigid box of uniform density to the chassis, and to the part behind the torsion joint
    /// if the box's center is there.
    ///
    /// `mass` is in kg, `place` is the box's center in the chassis frame and `size` its side
    /// lengths, m.
    pub(crate) fn load(&mut self, mass: f64, place: &Point, size: &Point) {
        self.chassis.load(mass, place, size);
        if let Some(rear) = self.rear_frame.as_mut().filter(|rear| place[0] < rear.joint[0]) {
            rear.load(mass, place, size);
        }
    }

    /// Rear frame and steering of an articulated vehicle; `None` for other vehicles.
    pub fn articulation(&self) -> Option<(&RearFrame, &ArticulatedSteering)> {
        match (&self.rear_frame, &self.steering) {
            (Some(rear), Some(Steering::Articulated(steering))) => Some((rear, steering)),
            _ => None,
        }
    }

    /// Distances of axles and pin of an articulated vehicle; `None` for other vehicles.
    pub fn articulation_levers(&self) -> Option<ArticulationLevers> {
        let joint = self.articulation()?.0.joint[0];
        let axles = self.tractor_axles();
        let behind = axles.iter().position(|axle| axle.position[0] < joint)?;
        let (front, rear) = axles.split_at(behind);
        let middle =
            |part: &[Axle]| part.iter().map(Axle::wheel_x).sum::<f64>() / part.len().max(1) as f64;
        Some(ArticulationLevers { joint, front: middle(front) - joint, rear: joint - middle(rear) })
    }

    /// Whether the axle with this index is attached to the frame part behind the torsion joint.
    pub fn is_behind_joint(&self, axle: usize) -> bool {
        let own = &self.axles[axle];
        let joint = self.rear_frame.as_ref().map(|rear| rear.joint[0]);
        !own.trailed && joint.is_some_and(|joint| own.position[0] < joint)
    }
}
