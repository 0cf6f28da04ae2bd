//! A chassis of two bodies with a torsion joint between them, as the frames of trucks twist.

use super::{Chassis, Point, VehicleSpec};
use bekker_math::spatial::{Mat3, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The part of the chassis behind a torsion joint: it turns about the x axis through `joint` against
/// what is ahead, and nothing else. Its mass is a part of the chassis'. The axles behind the joint
/// hang on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RearFrame {
    /// A point of the joint's axis in the chassis frame, m.
    pub joint: Point,
    /// Torque over the angle of twist, N m/rad.
    pub stiffness: f64,
    /// Torque over the rate of twist, N m s/rad.
    pub damping: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia Ixx, Iyy, Izz about its own centre of mass, chassis axes, kg m².
    pub inertia: Point,
    /// Products of inertia Ixy, Ixz, Iyz as they stand in the matrix, kg m².
    #[serde(default)]
    pub products: Point,
    /// Its centre of mass in the chassis frame, m.
    pub com: Point,
}

/// A rigid body's mass, centre and tensor about that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SprungPart {
    pub mass: f64,
    pub com: Vec3,
    pub tensor: Mat3,
}

/// Tensor of a mass in one point at `lever` from where it is taken (Huygens and Steiner).
fn steiner(mass: f64, lever: Vec3) -> Mat3 {
    (Mat3::identity() * lever.norm_squared() - lever * lever.transpose()) * mass
}

fn tensor([xx, yy, zz]: Point, [xy, xz, yz]: Point) -> Mat3 {
    Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

impl RearFrame {
    /// What is behind the joint.
    pub(crate) fn behind(&self) -> SprungPart {
        let tensor = tensor(self.inertia, self.products);
        SprungPart { mass: self.mass, com: Vec3::from(self.com), tensor }
    }

    /// What of a chassis is ahead of the joint: the whole less what is behind.
    pub(crate) fn ahead(&self, whole: &Chassis) -> SprungPart {
        let behind = self.behind();
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
    /// Fixes a box of `mass` kg and of even density to the chassis, its middle and sides as given, m:
    /// to what is behind the torsion joint where its middle is.
    pub fn load(&mut self, mass: f64, place: &Point, size: &Point) {
        self.chassis.load(mass, place, size);
        if let Some(rear) = self.rear_frame.as_mut().filter(|rear| place[0] < rear.joint[0]) {
            rear.load(mass, place, size);
        }
    }

    /// Whether the axle of this index hangs on the frame behind the torsion joint.
    pub fn hangs_behind(&self, axle: usize) -> bool {
        let own = &self.axles[axle];
        let joint = self.rear_frame.as_ref().map(|rear| rear.joint[0]);
        !own.trailed && joint.is_some_and(|joint| own.position[0] < joint)
    }
}
