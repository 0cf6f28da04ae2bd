//! Ground clearance, and the angles of approach, departure and breakover.
//!
//! They are those of the belly and the hulls of the file over the wheels at rest on level firm
//! ground, by SAE J1100: the angle of a plane that touches a tire at its loaded radius and the
//! underside. The breakover angle is that between two planes, each under one of two neighboring
//! axles, that meet at the underside. Housings of axles are not in the file. Tracks have no angles:
//! they meet the ground before the hull does.

use bekker_math::numeric::{asin, atan2, hypot};
use bekker_math::spatial::{Pose, Vec3};
use bekker_rig::plate_deflection;
use bekker_vehicle::AnySpec;
use bekker_vehicle::spec::{Chassis, TrackedSpec, VehicleSpec};
use serde::Serialize;
use std::f64::consts::FRAC_PI_2;

/// Points along a flat part of the underside.
const POINTS: usize = 41;

/// Clearance and angles of the underside at rest on level firm ground.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct UndersideSheet {
    /// Height of the lowest part of belly and hulls, m.
    pub clearance: f64,
    /// Approach angle, degrees; `None` if nothing is ahead of the front wheels, and for tracks.
    pub approach_deg: Option<f64>,
    /// Departure angle, degrees; `None` if nothing is behind the rear wheels, and for tracks.
    pub departure_deg: Option<f64>,
    /// Breakover angle, degrees; `None` for tracks, or if nothing is between the axles.
    pub breakover_deg: Option<f64>,
}

/// A circle in the vehicle's plane of symmetry: a wheel, or a rounded edge of the underside.
#[derive(Clone, Copy, Debug)]
struct Circle {
    /// Center ahead of the origin and above the ground, m.
    center: [f64; 2],
    radius: f64,
}

impl UndersideSheet {
    /// Computes the sheet of a vehicle with its chassis at `pose` on level ground at height 0.
    ///
    /// `loads` are those of the axles, N. `None` without belly and hulls.
    pub(super) fn new(spec: &AnySpec, pose: &Pose, loads: &[f64]) -> Option<UndersideSheet> {
        let (wheels, chassis, is_tracked) = match spec {
            AnySpec::Wheeled(own) => (wheels(own, pose, loads), &own.chassis, false),
            AnySpec::Tracked(own) => (track_wheels(own, pose), &own.chassis, true),
        };
        let edges = edges(chassis, pose);
        let clearance = edges.iter().map(|edge| edge.center[1] - edge.radius).reduce(f64::min)?;
        let end = |wheel: Option<&Circle>, sign: f64| {
            steepest(wheel?, &edges, sign).filter(|angle| !is_tracked && *angle < FRAC_PI_2)
        };
        Some(UndersideSheet {
            clearance,
            approach_deg: end(wheels.first(), 1.0).map(f64::to_degrees),
            departure_deg: end(wheels.last(), -1.0).map(f64::to_degrees),
            breakover_deg: breakover(&wheels, &edges).filter(|_| !is_tracked).map(f64::to_degrees),
        })
    }
}

/// Returns the steepest plane that touches a wheel and clears all circles before it, rad.
///
/// `sign` is 1 ahead of the wheel and -1 behind it.
fn steepest(wheel: &Circle, circles: &[Circle], sign: f64) -> Option<f64> {
    circles.iter().filter_map(|circle| ramp_angle(wheel, circle, sign)).reduce(f64::min)
}

/// Returns the angle of the plane below a wheel and a circle before it, rad.
fn ramp_angle(wheel: &Circle, circle: &Circle, sign: f64) -> Option<f64> {
    let along = sign * (circle.center[0] - wheel.center[0]);
    let up = circle.center[1] - wheel.center[1];
    let gap = (wheel.radius - circle.radius) / hypot(along, up);
    (along > 0.0 && gap.abs() <= 1.0).then(|| atan2(up, along) + asin(gap))
}

/// Returns the smallest breakover angle between neighboring axles, rad.
fn breakover(wheels: &[Circle], edges: &[Circle]) -> Option<f64> {
    let angles = wheels.windows(2).flat_map(|pair| {
        edges.iter().filter_map(|edge| {
            Some(ramp_angle(&pair[0], edge, -1.0)? + ramp_angle(&pair[1], edge, 1.0)?)
        })
    });
    angles.reduce(f64::min)
}

/// Returns the wheels of the vehicle without its trailer, from the front, on the ground.
fn wheels(own: &VehicleSpec, pose: &Pose, loads: &[f64]) -> Vec<Circle> {
    let wheel = |(index, axle): (usize, &bekker_vehicle::spec::Axle)| {
        let tires = 2 * own.tire_offsets(index).len();
        let load = loads.get(index).copied().unwrap_or_default() / tires as f64;
        let radius = own.tire_of(index).rigid.radius() - plate_deflection(own, index, load);
        let height = axle.position[2] + axle.suspension.spindle()[2];
        let center = pose.point(&Vec3::new(axle.wheel_x(), 0.0, height));
        Circle { center: [center.x, radius], radius }
    };
    let mut wheels: Vec<Circle> = own.tractor_axles().iter().enumerate().map(wheel).collect();
    wheels.sort_by(|a, b| b.center[0].total_cmp(&a.center[0]));
    wheels
}

/// Returns the road wheels of the left track with the shoes under them, from the front.
fn track_wheels(own: &TrackedSpec, pose: &Pose) -> Vec<Circle> {
    let radius = own.road_wheel.radius + own.shoe.top + own.shoe_depth();
    let wheel = |x: &f64| {
        let center = pose.point(&Vec3::new(*x, 0.0, own.wheel_height));
        Circle { center: [center.x, radius], radius }
    };
    let mut wheels: Vec<Circle> = own.left.stations.iter().map(wheel).collect();
    wheels.sort_by(|a, b| b.center[0].total_cmp(&a.center[0]));
    wheels
}

/// Returns points of the belly and rounded edges along the undersides of the hulls.
fn edges(chassis: &Chassis, pose: &Pose) -> Vec<Circle> {
    let belly =
        chassis.belly.iter().map(|own| (own.center[0], 0.5 * own.length, own.center[2], 0.0));
    let hulls = chassis.hulls.iter().map(|own| {
        let radius = own.rounding;
        let bottom = own.center[2] - 0.5 * own.size[2] + radius;
        (own.center[0], 0.5 * own.size[0] - radius, bottom, radius)
    });
    let parts = belly.chain(hulls).flat_map(|(middle, half, height, radius)| {
        (0..POINTS).map(move |n| {
            let x = middle + half * (2.0 * n as f64 / (POINTS - 1) as f64 - 1.0);
            let center = pose.point(&Vec3::new(x, 0.0, height));
            Circle { center: [center.x, center.z], radius }
        })
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(x: f64, z: f64, radius: f64) -> Circle {
        Circle { center: [x, z], radius }
    }

    /// A plane at an angle touches both circles: their centers are their radii above it.
    #[test]
    fn a_ramp_touches_wheel_and_edge() {
        for (wheel, edge) in [
            (circle(0.0, 0.45, 0.45), circle(0.9, 0.7, 0.0)),
            (circle(1.0, 0.5, 0.5), circle(2.0, 0.9, 0.25)),
        ] {
            let angle = ramp_angle(&wheel, &edge, 1.0).unwrap();
            let above = |own: Circle| -own.center[0] * angle.sin() + own.center[1] * angle.cos();
            let apart = (above(edge) - edge.radius) - (above(wheel) - wheel.radius);
            assert!(apart.abs() < 1e-12, "{apart}");
            assert!(ramp_angle(&wheel, &edge, -1.0).is_none());
        }
        // an edge on the ground leaves no angle
        let flat = ramp_angle(&circle(0.0, 0.45, 0.45), &circle(1.0, 0.0, 0.0), 1.0).unwrap();
        assert!(flat.abs() < 1e-12);
    }

    /// For small wheels the breakover angle is that of a ridge at the middle: 2 atan(2 h/L).
    #[test]
    fn breakover_is_that_of_a_ridge() {
        let wheels = [circle(1.5, 1e-6, 1e-6), circle(-1.5, 1e-6, 1e-6)];
        let edges: Vec<Circle> =
            (0..POINTS).map(|n| circle(-1.0 + 0.05 * n as f64, 0.4, 0.0)).collect();
        let expected = 2.0 * (2.0 * 0.4_f64 / 3.0).atan();
        let found = breakover(&wheels, &edges).unwrap();
        assert!((found - expected).abs() < 1e-5, "{found} {expected}");
    }
}
