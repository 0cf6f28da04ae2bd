//! Quarter-car model: a corner of a vehicle as two masses on two springs.
//!
//! The sprung mass ms is on the spring with rate ks at the wheel, the wheel mu on the tire with
//! rate kt. The squares of the natural frequencies are the roots of ms mu ω⁴ - (ms (ks + kt) + mu
//! ks) ω² + ks kt = 0 (Wong, *Theory of Ground Vehicles*, section 7.2). The damping ratio of the
//! body is relative to the critical damping on ks alone.

use bekker_math::numeric::GRAVITY;
use bekker_math::spatial::{Mat3, Vec3};
use bekker_vehicle::spec::{MacphersonStrutPoints, Point, Spring, Suspension, VehicleSpec};
use serde::Serialize;
use std::f64::consts::TAU;

/// Speed of the damper at which its coefficient is taken, m/s, in both directions.
const RATE: f64 = 0.1;

/// A corner of a vehicle on its spring.
#[derive(Clone, Debug, Serialize)]
pub struct QuarterCar {
    /// Spring rate at the wheel, N/m.
    pub wheel_rate: f64,
    /// Natural frequency of the body, Hz.
    pub bounce: f64,
    /// Natural frequency of the wheel, Hz.
    pub hop: f64,
    /// Damping ratio of the body.
    pub damping_ratio: f64,
    /// Stop or curve end that limits the spring, if any.
    pub rests_on: Option<SpringRest>,
}

/// Limit of travel that a spring rests on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpringRest {
    /// On the bump stop: the spring does not carry the load.
    BumpStop,
    /// On the rebound stop: the spring pushes with more than the load.
    ReboundStop,
    /// Beyond the end of its curve, where its force is constant.
    CurveEnd,
}

impl QuarterCar {
    /// Computes the corner of an axle whose wheels carry `load` each, N.
    ///
    /// `None` for an axle without springs.
    pub(super) fn new(own: &VehicleSpec, index: usize, load: f64) -> Option<QuarterCar> {
        let axle = &own.axles[index];
        let (axle_spring, axle_damper) = (axle.spring.as_ref()?, axle.damper.as_ref()?);
        let (rim, tire) = (own.wheel_of(index), own.tire_of(index));
        let unsprung = rim.mass + tire.mass + 0.5 * axle.suspension.mass();
        let sprung = (load / GRAVITY - unsprung).max(1.0);
        let [spring, damper] = motion_ratios(&axle.suspension);
        // finds the length at which the spring carries the body
        let push = sprung * GRAVITY / spring.max(1e-3);
        let (mut short, mut long) = (0.0, 2.0 * axle_spring.free_length);
        for _ in 0..60 {
            let middle = 0.5 * (short + long);
            if axle_spring.tension(middle).0 < -push { short = middle } else { long = middle }
        }
        let (rate, rests_on) = spring_rate(axle_spring, short);
        let ks = rate * spring * spring;
        let force = |rate| axle_damper.tension(short, rate).0;
        let damping = (force(RATE) - force(-RATE)) / (2.0 * RATE) * damper * damper;
        let handling = &tire.handling;
        let (stiffness, progression) = (handling.vertical_stiffness, handling.vertical_progression);
        let kt = (stiffness * stiffness + 4.0 * progression * load).sqrt();
        let (sum, product) = (sprung * (ks + kt) + unsprung * ks, sprung * unsprung * ks * kt);
        let root = (sum * sum - 4.0 * product).max(0.0).sqrt();
        let frequency = |square: f64| (square / (2.0 * sprung * unsprung)).max(0.0).sqrt() / TAU;
        Some(QuarterCar {
            wheel_rate: ks,
            bounce: frequency(sum - root),
            hop: frequency(sum + root),
            damping_ratio: damping / (2.0 * (ks * sprung).sqrt()).max(1e-9),
            rests_on,
        })
    }
}

/// Returns the rate of a spring without its stops, N/m, at a length, m, and the limit that it
/// rests on.
///
/// The spring carries a load together with its stops at that length. Beyond its curve the rate is
/// that of the end of the curve.
fn spring_rate(spring: &Spring, length: f64) -> (f64, Option<SpringRest>) {
    let points = spring.tension.points();
    let stretch = length - spring.free_length;
    let ends = [points[0][0], points[points.len() - 1][0]];
    let last = if stretch <= ends[0] { 1 } else { points.len() - 1 };
    let within = stretch > ends[0] && stretch < ends[1];
    let rate = if within {
        spring.tension.value_and_slope(stretch).1
    } else {
        (points[last][1] - points[last - 1][1]) / (points[last][0] - points[last - 1][0])
    };
    let stop = spring.stops.as_ref().and_then(|stops| {
        let bump = (length < stops.min_length).then_some(SpringRest::BumpStop);
        bump.or((length > stops.max_length).then_some(SpringRest::ReboundStop))
    });
    (rate, stop.or((!within).then_some(SpringRest::CurveEnd)))
}

/// Returns the shortening of spring and damper per rise of the wheel in the design position.
///
/// The upright of a double wishbone rises with its lower ball joint.
fn motion_ratios(suspension: &Suspension) -> [f64; 2] {
    let swings = |hinge: [Point; 2], wheel: Point, lines: [[Point; 2]; 2]| {
        let [a, b] = hinge.map(Vec3::from);
        let axis = b - a;
        let rise = axis.cross(&(Vec3::from(wheel) - a)).z;
        lines.map(|line| {
            let [chassis, arm] = line.map(Vec3::from);
            let along = (chassis - arm).normalize();
            (axis.cross(&(arm - a)).dot(&along) / rise).abs()
        })
    };
    match suspension {
        Suspension::DoubleWishbone(s) => {
            let p = &s.points;
            let lines = [[p.spring_chassis, p.spring_arm], [p.damper_chassis, p.damper_arm]];
            swings([p.lower_arm_back, p.lower_arm_front], p.lower_arm_outer, lines)
        }
        Suspension::SingleWishbone(s) => {
            let p = &s.points;
            let lines = [[p.spring_chassis, p.spring_arm], [p.damper_chassis, p.damper_arm]];
            swings([p.arm_back, p.arm_front], p.spindle, lines)
        }
        Suspension::MacphersonStrut(s) => strut_motion_ratios(&s.points),
        Suspension::TrailingArm(s) => {
            let p = &s.points;
            let lines = [[p.spring_chassis, p.spring_arm], [p.damper_chassis, p.damper_arm]];
            swings([p.pivot_inner, p.pivot_outer], p.spindle, lines)
        }
        Suspension::SolidAxle(s) => {
            let p = &s.points;
            let lines = [[p.spring_chassis, p.spring_beam], [p.damper_chassis, p.damper_beam]];
            lines.map(|line| {
                let [chassis, beam] = line.map(Vec3::from);
                (chassis - beam).normalize().z.abs()
            })
        }
        Suspension::Rigid(_) => [0.0; 2],
    }
}

/// Returns the shortening of spring and damper per rise of an upright on a strut.
///
/// The ball joint moves with the arm at v. The rotation ω of the upright satisfies three linear
/// equations. The strut's axis d stays on the mount, (v + ω × r) ⊥ d = 0 with r from joint to
/// mount. The tie rod's length is constant, (v + ω × t) · rod = 0 with t from joint to rod.
fn strut_motion_ratios(p: &MacphersonStrutPoints) -> [f64; 2] {
    let joint = Vec3::from(p.arm_outer);
    let from_joint = |point: Point| Vec3::from(point) - joint;
    let hinge = from_joint(p.arm_front) - from_joint(p.arm_back);
    let v = hinge.cross(&-from_joint(p.arm_back)).normalize();
    let mount = from_joint(p.strut_chassis);
    let along = (mount - from_joint(p.strut_upright)).normalize();
    let across = along.cross(&Vec3::y()).try_normalize(1e-9).unwrap_or_else(Vec3::x);
    let end = from_joint(p.tie_rod_upright);
    let held = [
        (mount, across),
        (mount, along.cross(&across)),
        (end, from_joint(p.tie_rod_chassis) - end),
    ];
    let rows = held.map(|(place, direction)| place.cross(&direction).transpose());
    let still = held.map(|(_, direction)| -direction.dot(&v));
    let turn = Mat3::from_rows(&rows)
        .try_inverse()
        .map_or_else(Vec3::zeros, |inverse| inverse * Vec3::from(still));
    let at = |place: Vec3| v + turn.cross(&place);
    let rise = at(from_joint(p.spindle)).z;
    let lines = [[p.spring_chassis, p.spring_upright], [p.damper_chassis, p.damper_upright]];
    lines.map(|line| {
        let [chassis, upright] = line.map(from_joint);
        (at(upright).dot(&(chassis - upright).normalize()) / rise).abs()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::curve::Curve;
    use bekker_vehicle::find_wheeled;
    use bekker_vehicle::spec::Stops;

    /// In the front view arm and strut rotate the upright about one instant center.
    ///
    /// It is where the arm's line meets the perpendicular to the strut through its mount (Milliken
    /// and Milliken, chapter 17).
    #[test]
    fn a_strut_shortens_as_about_its_instant_center() {
        let (h, tilt, wheel) = (0.6, 0.2_f64, 0.9);
        let mount = [0.0, 0.7 - h * tilt.tan(), h];
        let foot = [0.0, 0.7 - 0.5 * h * tilt.tan(), 0.5 * h];
        let points = MacphersonStrutPoints {
            spindle: [0.0, wheel, 0.05],
            upright: [0.0, 0.75, 0.0],
            arm_front: [0.2, 0.3, 0.0],
            arm_back: [-0.2, 0.3, 0.0],
            arm_outer: [0.0, 0.7, 0.0],
            arm_com: [0.0, 0.5, 0.0],
            strut_chassis: mount,
            strut_upright: foot,
            damper_chassis: mount,
            damper_upright: foot,
            spring_chassis: mount,
            spring_upright: foot,
            tie_rod_chassis: [-0.15, 0.35, 0.0],
            tie_rod_upright: [-0.15, 0.7, 0.0],
        };
        let center = mount[1] - h / tilt.tan();
        let expected = h / tilt.sin() / (wheel - center);
        for own in strut_motion_ratios(&points) {
            assert!((own - expected).abs() < 1e-12, "{own} {expected}");
        }
    }

    /// The rate is that of the spring, 20 kN/m, at any stop.
    #[test]
    fn a_spring_on_its_stop_keeps_its_own_rate() {
        let curve = |points: &[[f64; 2]]| Curve::new(points.to_vec()).unwrap();
        let spring = |stops: Option<Stops>| Spring {
            free_length: 0.4,
            tension: curve(&[[-0.3, -6000.0], [0.3, 6000.0]]),
            stops,
        };
        let hard = curve(&[[0.0, 0.0], [0.01, 50_000.0]]);
        let stops = Stops { min_length: 0.2, max_length: 0.5, bump: hard.clone(), rebound: hard };
        for (length, stops, expected) in [
            (0.3, Some(stops.clone()), None),
            (0.19, Some(stops.clone()), Some(SpringRest::BumpStop)),
            (0.51, Some(stops), Some(SpringRest::ReboundStop)),
            (0.05, None, Some(SpringRest::CurveEnd)),
            (0.75, None, Some(SpringRest::CurveEnd)),
        ] {
            let (rate, rests_on) = spring_rate(&spring(stops), length);
            assert!((rate - 20e3).abs() < 1e-6, "{rate} N/m at {length}");
            assert_eq!(rests_on, expected, "{length}");
        }
    }

    /// Rear corner of the Gator with struts upright at the wheel, so rates are those of the
    /// springs.
    ///
    /// The characteristic equation is checked by substitution of the frequencies.
    #[test]
    fn frequencies_solve_the_characteristic_equation() {
        let own = find_wheeled("gator").unwrap();
        let load = 2569.0;
        let QuarterCar { wheel_rate, bounce, hop, damping_ratio, rests_on } =
            QuarterCar::new(&own, 1, load).unwrap();
        assert_eq!(rests_on, None);
        assert!((wheel_rate - 300e3).abs() < 1.0, "{wheel_rate}");
        let mu = 11.0 + 9.3 + 0.5 * own.axles[1].suspension.mass();
        let ms = load / GRAVITY - mu;
        let kt = own.tire_of(1).handling.vertical_stiffness;
        for frequency in [bounce, hop] {
            let square = (TAU * frequency) * (TAU * frequency);
            let left = (wheel_rate - ms * square) * (wheel_rate + kt - mu * square);
            // the determinant vanishes to rounding of its terms
            assert!(
                (left / (wheel_rate * wheel_rate) - 1.0).abs() < 1e-9,
                "{frequency} Hz: {left}"
            );
        }
        let critical = 2.0 * (wheel_rate * ms).sqrt();
        assert!((damping_ratio - 12e3 / critical).abs() < 1e-9, "{damping_ratio}");
    }
}
