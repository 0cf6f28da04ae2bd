//! The outline of a vehicle in collisions: hulls that are fixed to one rigid mass.

use super::spec::{Chassis, VehicleFootprint};
use crate::collision::{ExitRule, FreeBody, Hull};
use bekker_math::spatial::{Acceleration, Mat3, Pose, Twist, Vec3};

/// Rounding of a hull derived from the footprint, m.
const ROUNDING: f64 = 0.25;

/// Hulls and mass of a vehicle as one rigid body; immutable.
#[derive(Clone, Debug)]
pub struct VehicleOutline {
    /// Hulls of the vehicle.
    pub hulls: Vec<Hull>,
    /// Mass of all bodies, kg.
    pub mass: f64,
    /// Center of mass of all bodies in the chassis frame, m.
    pub com: Vec3,
    /// Inertia about the center of mass in the chassis frame's axes, kg m².
    pub inertia: Mat3,
    /// Bounding ball of the hulls.
    pub ball: BoundingBall,
    /// Distance from the chassis frame's origin to the farthest point of a hull or a wheel, m.
    pub reach: f64,
}

/// Ball that encloses all hulls of an outline.
#[derive(Clone, Copy, Debug)]
pub struct BoundingBall {
    /// Center in the frame of the hulls, m.
    pub center: Vec3,
    /// Radius, m.
    pub radius: f64,
}

impl VehicleOutline {
    /// Builds the outline of a vehicle of total `mass`, kg.
    ///
    /// `wheels` are the wheel centers in the design position, m, and `radius` is the wheels'
    /// radius, m. The mass outside the chassis is spread evenly over the wheel centers.
    pub(super) fn new(
        chassis: &Chassis,
        footprint: &VehicleFootprint,
        mass: f64,
        wheels: &[Vec3],
        radius: f64,
    ) -> VehicleOutline {
        let unsprung = (mass - chassis.mass).max(0.0) / wheels.len() as f64;
        let own = Vec3::from(chassis.com);
        let com = (own * chassis.mass + wheels.iter().sum::<Vec3>() * unsprung) / mass;
        let [xx, yy, zz] = chassis.inertia;
        let [xy, xz, yz] = chassis.products;
        let mut inertia = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        // parallel-axis theorem (Huygens and Steiner)
        let mut add = |mass: f64, place: &Vec3| {
            let r = place - com;
            inertia += (Mat3::identity() * r.norm_squared() - r * r.transpose()) * mass;
        };
        add(chassis.mass, &own);
        wheels.iter().for_each(|wheel| add(unsprung, wheel));
        let hulls: Vec<Hull> = if chassis.hulls.is_empty() {
            vec![derived_hull(footprint, wheels[0].z)]
        } else {
            let hull = |hull: &super::spec::HullBox| {
                Hull::new(Vec3::from(hull.center), hull.size, hull.rounding)
            };
            chassis.hulls.iter().map(hull).collect()
        };
        let ball = bounding_ball(&hulls);
        let wheels = wheels.iter().map(|wheel| wheel.norm() + radius);
        let reach = hulls.iter().map(Hull::reach).chain(wheels).fold(0.0, f64::max);
        VehicleOutline { hulls, mass, com, inertia, ball, reach }
    }

    /// Returns the depth of a point of the chassis frame within a hull, m; 0 outside all hulls.
    pub fn depth(&self, place: &Vec3) -> f64 {
        let depth = |hull: &Hull| -hull.field(place, ExitRule::Any).distance;
        self.hulls.iter().map(depth).fold(0.0, f64::max)
    }

    /// Returns the outline as a moving body without other forces.
    pub fn body(&self, pose: Pose, twist: Twist, is_free: bool) -> FreeBody<'_> {
        let VehicleOutline { hulls, mass, com, inertia, .. } = self;
        let external_acceleration = Acceleration::default();
        FreeBody {
            hulls,
            pose,
            twist,
            mass: *mass,
            com: *com,
            inertia: *inertia,
            external_acceleration,
            is_free,
        }
    }
}

/// Returns the ball that encloses the corners of all hulls.
fn bounding_ball(hulls: &[Hull]) -> BoundingBall {
    let corner = |side: f64, pick: fn(&Vec3, &Vec3) -> Vec3| {
        let corners = hulls.iter().map(|hull| hull.center + hull.shape.half() * side);
        corners.reduce(|a, b| pick(&a, &b)).unwrap_or_default()
    };
    let (low, high) = (corner(-1.0, |a, b| a.inf(b)), corner(1.0, |a, b| a.sup(b)));
    BoundingBall { center: (low + high) * 0.5, radius: (high - low).norm() * 0.5 }
}

/// The hull of a vehicle whose file gives none.
///
/// It covers the footprint and extends upward from the wheel centers by half the vehicle's width.
fn derived_hull(footprint: &VehicleFootprint, height: f64) -> Hull {
    let size = [footprint.length(), footprint.width, 0.5 * footprint.width];
    let middle = 0.5 * (footprint.front + footprint.rear);
    Hull::new(Vec3::new(middle, 0.0, height + 0.5 * size[2]), size, ROUNDING)
}

#[cfg(test)]
mod tests {
    use crate::spec::VehicleFootprint;
    use crate::{TrackedVehicle, Vehicle, find_vehicle, find_wheeled};

    #[test]
    fn shipped_hulls_fill_the_footprint() {
        let check = |name: &str, outline: &super::VehicleOutline, footprint: &VehicleFootprint| {
            let hulls = || outline.hulls.iter();
            let front =
                hulls().map(|hull| hull.center.x + hull.shape.half().x).fold(-9.0, f64::max);
            let rear = hulls().map(|hull| hull.center.x - hull.shape.half().x).fold(9.0, f64::min);
            let width = hulls().map(|hull| 2.0 * hull.shape.half().y).fold(0.0, f64::max);
            let off = [front - footprint.front, rear - footprint.rear, width - footprint.width];
            assert!(off.iter().all(|off| off.abs() < 1e-9), "{name}: {off:?}");
        };
        for name in ["hmmwv", "mrzr4"] {
            let vehicle = Vehicle::new(find_wheeled(name).unwrap()).unwrap();
            assert!(!vehicle.spec().chassis.hulls.is_empty(), "{name}");
            check(name, vehicle.bodies().outline(), &VehicleFootprint::from_spec(vehicle.spec()));
        }
        for name in ["m113", "m113_double_pin"] {
            let spec = find_vehicle(name).unwrap().tracked().unwrap().clone();
            let vehicle = TrackedVehicle::new(spec).unwrap();
            assert!(!vehicle.spec().chassis.hulls.is_empty(), "{name}");
            check(
                name,
                vehicle.bodies().outline(),
                &VehicleFootprint::from_tracked_spec(vehicle.spec()),
            );
        }
    }

    #[test]
    fn a_file_without_hulls_gets_one_over_its_footprint() {
        let mut spec = find_wheeled("hmmwv").unwrap();
        spec.chassis.hulls.clear();
        let vehicle = Vehicle::new(spec).unwrap();
        let [hull] = &vehicle.bodies().outline().hulls[..] else { panic!("one hull is due") };
        assert!((2.0 * hull.shape.half().x - 4.572).abs() < 1e-9);
        assert!((vehicle.bodies().outline().mass - vehicle.mass()).abs() < 1e-9);
    }
}
