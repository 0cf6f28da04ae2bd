//! Area that a vehicle covers, seen from above.

use super::{Track, TrackedSpec, Trailer, VehicleSpec};
use bekker_math::spatial::{Pose, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rectangle in the chassis frame, from bumper to bumper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VehicleFootprint {
    /// Coordinate x of the front bumper, m.
    pub front: f64,
    /// Coordinate x of the rear bumper, m.
    pub rear: f64,
    /// Overall width, m.
    pub width: f64,
}

impl VehicleFootprint {
    /// Footprint of a wheeled vehicle: that of its chassis, or a rectangle around its wheels where
    /// the file gives none.
    ///
    /// With a trailer, it extends to the end of the trailer in straight alignment.
    pub fn from_spec(spec: &VehicleSpec) -> VehicleFootprint {
        let own = VehicleFootprint::from_tractor(spec);
        let Some(trailer) = &spec.trailer else { return own };
        let x = trailer.coupling[0];
        let behind = VehicleFootprint::from_trailer(spec, trailer);
        VehicleFootprint {
            front: own.front.max(x + behind.front),
            rear: own.rear.min(x + behind.rear),
            width: own.width.max(behind.width),
        }
    }

    /// Footprint of a wheeled vehicle without its trailer.
    pub fn from_tractor(spec: &VehicleSpec) -> VehicleFootprint {
        spec.chassis.footprint.unwrap_or_else(|| VehicleFootprint::around(spec, false))
    }

    /// Footprint of a trailer in the trailer's own frame.
    pub fn from_trailer(spec: &VehicleSpec, trailer: &Trailer) -> VehicleFootprint {
        let x = trailer.coupling[0];
        trailer.chassis.footprint.unwrap_or_else(|| {
            let around = VehicleFootprint::around(spec, true);
            VehicleFootprint { front: 0.0, rear: around.rear - x, ..around }
        })
    }

    /// Rectangle around the wheels of the vehicle itself or of its trailer, in the vehicle's frame.
    fn around(spec: &VehicleSpec, trailed: bool) -> VehicleFootprint {
        let axles = spec.axles.iter().enumerate().filter(|(_, axle)| axle.trailed == trailed);
        let wheels = axles.map(|(index, axle)| {
            let [x, y, _] = axle.suspension.spindle();
            let tire = &spec.tire_of(index).handling;
            (axle.position[0] + x, (axle.position[1] + y).abs(), tire)
        });
        let none = VehicleFootprint { front: f64::NEG_INFINITY, rear: f64::INFINITY, width: 0.0 };
        wheels.fold(none, |own, (x, y, tire)| VehicleFootprint {
            front: own.front.max(x + tire.unloaded_radius),
            rear: own.rear.min(x - tire.unloaded_radius),
            width: own.width.max(2.0 * y + tire.width),
        })
    }

    /// Footprint of a tracked vehicle: that of its chassis, or a rectangle around its tracks where
    /// the file gives none.
    pub fn from_tracked_spec(spec: &TrackedSpec) -> VehicleFootprint {
        spec.chassis.footprint.unwrap_or_else(|| {
            let depth = spec.shoe_depth();
            let road = |track: &Track| track.stations.clone();
            let wheels = [&spec.left, &spec.right].into_iter().flat_map(road);
            let wheels = wheels.map(|x| (x, spec.road_wheel.radius));
            let sprocket = (spec.sprocket.position[0], spec.drive_radius());
            let idler = (spec.idler.position[0], spec.idler.radius);
            let ends = wheels.chain([sprocket, idler]);
            let none = VehicleFootprint {
                front: f64::NEG_INFINITY,
                rear: f64::INFINITY,
                width: spec.gauge() + spec.shoe_width(),
            };
            ends.fold(none, |own, (x, radius)| VehicleFootprint {
                front: own.front.max(x + radius + depth),
                rear: own.rear.min(x - radius - depth),
                ..own
            })
        })
    }

    /// Length, m.
    pub fn length(&self) -> f64 {
        self.front - self.rear
    }

    /// Distance of the farthest corner from the origin of the chassis frame, m.
    pub fn reach(&self) -> f64 {
        bekker_math::numeric::hypot(self.front.max(-self.rear), 0.5 * self.width)
    }

    /// Corners seen from above, m, in cyclic order, for a chassis frame at `pose`.
    pub fn corners(&self, pose: &Pose) -> [[f64; 2]; 4] {
        let half = 0.5 * self.width;
        [(self.front, half), (self.rear, half), (self.rear, -half), (self.front, -half)].map(
            |(x, y)| {
                let corner = pose.point(&Vec3::new(x, y, 0.0));
                [corner.x, corner.y]
            },
        )
    }

    /// Whether two footprints overlap, each at its own pose.
    ///
    /// They do not overlap if a side of one of them has all of the other beyond it (separating axis
    /// theorem).
    pub fn overlaps(&self, pose: &Pose, other: &VehicleFootprint, other_pose: &Pose) -> bool {
        let (own, others) = (self.corners(pose), other.corners(other_pose));
        let separates = |[ax, ay]: [f64; 2], [bx, by]: [f64; 2]| {
            let across = |corners: &[[f64; 2]; 4]| {
                let places = corners.map(|[x, y]| (x - ax) * (by - ay) - (y - ay) * (bx - ax));
                let bound = |pick: fn(f64, f64) -> f64| places.into_iter().reduce(pick);
                [bound(f64::min), bound(f64::max)].map(Option::unwrap_or_default)
            };
            let ([least, most], [other_least, other_most]) = (across(&own), across(&others));
            most <= other_least || other_most <= least
        };
        let apart = |corners: &[[f64; 2]; 4]| {
            (0..4).any(|side| separates(corners[side], corners[(side + 1) % 4]))
        };
        !(apart(&own) || apart(&others))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::spatial::Quat;

    fn pose(x: f64, y: f64, heading: f64) -> Pose {
        let orientation = Quat::from_axis_angle(&Vec3::z_axis(), heading);
        Pose { position: Vec3::new(x, y, 0.0), orientation }
    }

    #[test]
    fn rectangles_overlap_where_they_share_ground() {
        let car = VehicleFootprint { front: 2.0, rear: -2.0, width: 2.0 };
        let meets = |x, y, heading| car.overlaps(&pose(0.0, 0.0, 0.0), &car, &pose(x, y, heading));
        assert!(meets(3.9, 0.0, 0.0) && !meets(4.1, 0.0, 0.0));
        assert!(meets(0.0, 1.9, 0.0) && !meets(0.0, 2.1, 0.0));
        let quarter = std::f64::consts::FRAC_PI_2;
        assert!(meets(2.9, 0.0, quarter) && !meets(3.1, 0.0, quarter));
        // corner to corner: rotated by 45 degrees it extends 3/√2 back along x
        let reach = 2.0 + 3.0 / 2.0_f64.sqrt();
        assert!(
            meets(reach - 0.01, 0.5, 0.5 * quarter) && !meets(reach + 0.01, 0.5, 0.5 * quarter)
        );
        assert!(meets(0.0, 0.0, 0.3), "one inside the other");
    }

    #[test]
    fn files_without_it_derive_it_from_their_running_gear() {
        for name in ["hmmwv", "mrzr4"] {
            let mut spec = crate::find_wheeled(name).unwrap();
            let given = VehicleFootprint::from_spec(&spec);
            spec.chassis.footprint = None;
            let derived = VehicleFootprint::from_spec(&spec);
            // bumpers extend beyond the tires by less than half a meter
            let beyond = [given.front - derived.front, derived.rear - given.rear];
            assert!(beyond.iter().all(|beyond| (0.0..0.5).contains(beyond)), "{name}: {beyond:?}");
            assert!((given.width - derived.width).abs() < 0.2, "{name}: {derived:?}");
        }
    }
}
