//! Hull on its road wheels as one body with two degrees of freedom, bounce and pitch.
//!
//! The hull has the mass m and the moment of inertia I about the y axis through its center. Wheels
//! are at x ahead of that center with rates k. The squares of the natural frequencies are the roots
//! of (Σk - m ω²)(Σk x² - I ω²) = (Σk x)² (Wong, *Theory of Ground Vehicles*, section 7.2).
//!
//! A road arm of length R at the angle φ above horizontal, with the torque T of its bar, presses
//! its wheel down by T/(R cos φ). With a bar of rate c the rate at the wheel is (c + T tan φ)/(R
//! cos φ)². The rate of the rim is in series with it. φ is the mean angle of the simulated vehicle
//! at rest, which includes the downward pull of the track tension.
//!
//! Road wheels and tracks do not oscillate in this model, and changes of track tension with the
//! hull's motion are neglected.

use bekker_math::numeric::{asin, atan2, cos, hypot, sin, tan};
use bekker_math::spatial::{Pose, Vec3};
use bekker_vehicle::spec::{RoadArm, TrackedSpec};
use serde::Serialize;
use std::f64::consts::TAU;

/// Vibration properties of a hull on its road wheels.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct HullSheet {
    /// Mass of the hull, sprockets and idlers, kg.
    pub mass: f64,
    /// Rate of a road wheel's torsion bar at the wheel, at rest, N/m.
    pub wheel_rate: f64,
    /// Natural frequency of the mode that is mostly bounce, Hz.
    pub bounce: f64,
    /// Natural frequency of the mode that is mostly pitch, Hz.
    pub pitch: f64,
    /// Damping ratio of the bounce.
    pub damping_ratio: f64,
    /// Whether the mean road arm rests on its bump stop, so that the bar does not carry the load.
    pub on_stop: bool,
    /// Nominal ground pressure, weight over width times length of both tracks, Pa.
    pub ground_pressure: f64,
    /// Area of the shoe faces over that of the tracks' undersides.
    pub face_share: f64,
}

/// State of an arm at rest.
struct ArmEquilibrium {
    /// Rate at the wheel, N/m.
    rate: f64,
    /// Upward travel of the wheel per angle of the arm, m/rad.
    lever: f64,
    /// Whether the arm is beyond its bump stop.
    on_stop: bool,
}

impl ArmEquilibrium {
    /// Computes the state with the wheel `raised` above its design position, m.
    fn new(arm: &RoadArm, raised: f64) -> ArmEquilibrium {
        let [x, _, z] = arm.pivot;
        let (length, design) = (hypot(x, z), atan2(-z, x.abs()));
        let angle = asin((sin(design) + raised / length).clamp(-0.99, 0.99));
        let torque = arm.torque + arm.stiffness * (angle - design);
        let lever = length * cos(angle);
        let rate = (arm.stiffness + torque * tan(angle)) / (lever * lever);
        ArmEquilibrium { rate, lever, on_stop: angle - design > arm.bump_deg.to_radians() }
    }

    /// Returns the damping at the wheel, N s/m, with or without the damper of the arm.
    fn damping(&self, arm: &RoadArm, damped: bool) -> f64 {
        let end = Vec3::from(arm.damper_arm) - Vec3::from(arm.pivot);
        let along = (Vec3::from(arm.damper_chassis) - Vec3::from(arm.damper_arm)).normalize();
        let across = Vec3::y().cross(&end).dot(&along);
        let about = arm.damping + if damped { arm.damper * across * across } else { 0.0 };
        about / (self.lever * self.lever)
    }
}

/// Returns the natural frequencies of bounce and pitch, Hz.
///
/// The body has a mass and a moment of inertia; wheels are given by positions and rates.
fn frequencies(mass: f64, inertia: f64, wheels: &[[f64; 2]]) -> [f64; 2] {
    let sum = |by: fn(f64) -> f64| wheels.iter().map(|[x, k]| k * by(*x)).sum::<f64>();
    let (bounce, pitch) = (sum(|_| 1.0) / mass, sum(|x| x * x) / inertia);
    let mixed = sum(|x| x);
    let half = 0.5 * (bounce - pitch);
    let apart = hypot(half, mixed / (mass * inertia).sqrt());
    let middle = 0.5 * (bounce + pitch);
    let [low, high] = [middle - apart, middle + apart].map(|square| square.max(0.0).sqrt() / TAU);
    if bounce <= pitch { [low, high] } else { [high, low] }
}

impl HullSheet {
    /// Computes the properties of a vehicle at rest with its chassis at `pose` on level ground at
    /// height 0.
    pub(super) fn new(own: &TrackedSpec, pose: &Pose) -> HullSheet {
        let hull = &own.chassis;
        let ends = [
            (own.sprocket.mass, own.sprocket.position),
            (own.idler.wheel.mass + own.idler.carrier.mass, own.idler.position),
        ];
        let parts = ends.map(|(part, place)| (2.0 * part, place));
        let mass = hull.mass + parts.iter().map(|part| part.0).sum::<f64>();
        let mean = |k: usize| {
            let moment: f64 = parts.iter().map(|(part, place)| part * place[k]).sum();
            (hull.mass * hull.com[k] + moment) / mass
        };
        let [x, z] = [mean(0), mean(2)];
        let lever =
            |place: &[f64; 3]| (place[0] - x) * (place[0] - x) + (place[2] - z) * (place[2] - z);
        let inertia = hull.inertia[1]
            + hull.mass * lever(&hull.com)
            + parts.iter().map(|(part, place)| part * lever(place)).sum::<f64>();
        let count = own.left.stations.len() + own.right.stations.len();
        let arm = &own.road_arm;
        let places = own.tracks().into_iter().flat_map(|track| &track.stations);
        let middle = places.sum::<f64>() / count.max(1) as f64;
        // height of a wheel center above the ground by rim and shoe, and by its design position in
        // the chassis
        let place = pose.point(&Vec3::new(middle, 0.0, own.wheel_height));
        let above = own.road_wheel.radius + own.shoe.top + own.shoe_depth();
        let rested = ArmEquilibrium::new(arm, above - place.z);
        let rate = 1.0 / (1.0 / rested.rate + 1.0 / own.road_wheel.rim_stiffness);
        let places = own.tracks().into_iter().flat_map(|track| &track.stations);
        let wheels: Vec<[f64; 2]> = places.map(|place| [place - x, rate]).collect();
        let [bounce, pitch] = frequencies(mass, inertia, &wheels);
        let damped = own.tracks().into_iter().flat_map(|track| &track.damped);
        let damping: f64 = damped.map(|damped| rested.damping(arm, *damped)).sum();
        let critical = 2.0 * (rate * count as f64 * mass).sqrt();
        let wheel_rate = rested.rate;
        let (damping_ratio, on_stop) = (damping / critical, rested.on_stop);
        let (ground_pressure, face_share) = (own.ground_pressure(), own.face_share());
        HullSheet {
            mass,
            wheel_rate,
            bounce,
            pitch,
            damping_ratio,
            on_stop,
            ground_pressure,
            face_share,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_vehicle::find_vehicle;

    /// With wheels symmetric about the center, bounce and pitch are decoupled.
    #[test]
    fn a_symmetric_hull_bounces_and_pitches_apart() {
        let wheels = [1.5, 0.5, -0.5, -1.5].map(|x| [x, 2e5]);
        let [bounce, pitch] = frequencies(8000.0, 2e4, &wheels);
        assert!((bounce - (8e5_f64 / 8000.0).sqrt() / TAU).abs() < 1e-12);
        assert!((pitch - (1e6_f64 / 2e4).sqrt() / TAU).abs() < 1e-12);
    }

    /// Without symmetry both roots solve the characteristic equation.
    #[test]
    fn frequencies_solve_the_characteristic_equation() {
        let (mass, inertia) = (8000.0, 2e4);
        let wheels = [[1.9, 2e5], [0.2, 1e5], [-1.0, 3e5]];
        for found in frequencies(mass, inertia, &wheels) {
            let square = (found * TAU) * (found * TAU);
            let sum = |by: fn(f64) -> f64| wheels.iter().map(|[x, k]| k * by(*x)).sum::<f64>();
            let [rate, mixed, turning] = [sum(|_| 1.0), sum(|x| x), sum(|x| x * x)];
            let left = (rate - mass * square) * (turning - inertia * square);
            let off = left - mixed * mixed;
            assert!(off.abs() < 1e-6 * rate * turning, "{off}");
        }
    }

    /// The rate at the wheel is the slope of its force over its height.
    #[test]
    fn the_rate_is_the_slope_of_the_push() {
        let own = find_vehicle("m113").unwrap();
        let arm = &own.tracked().unwrap().road_arm;
        let [x, _, z] = arm.pivot;
        let (length, design) = (x.hypot(z), (-z).atan2(x.abs()));
        let at = |angle: f64| {
            let torque = arm.torque + arm.stiffness * (angle - design);
            [length * angle.sin(), torque / (length * angle.cos())]
        };
        let angle = -0.5;
        let [low, high] = [at(angle - 1e-5), at(angle + 1e-5)];
        let slope = (high[1] - low[1]) / (high[0] - low[0]);
        let found = ArmEquilibrium::new(arm, at(angle)[0] - at(design)[0]).rate;
        assert!((found / slope - 1.0).abs() < 1e-6, "{found} {slope}");
    }
}
