//! Tests of the kinematics of single wishbones and MacPherson struts against their hard points.
//!
//! The model rotates arms and slides uprights. The test uses only distances and axes, and solves
//! for the upright by Newton's method. Vehicles fall freely while a load on each wheel sweeps its
//! travel.

use bekker_math::curve::Curve;
use bekker_math::spatial::{Pose, Quat, Vec3};

use bekker_vehicle::spec::{
    DoubleWishbone, MacphersonStrut, MacphersonStrutPoints, MassProperties, Point, SingleWishbone,
    SingleWishbonePoints, Spring, Steering, Suspension,
};
use bekker_vehicle::{Controls, Vehicle, VehicleSpec, find_wheeled};
use nalgebra::{DMatrix, DVector};

const H: f64 = 1e-3;
/// Rate of the springs, N/m.
const RATE: f64 = 3e4;

fn front(spec: &VehicleSpec) -> DoubleWishbone {
    let Suspension::DoubleWishbone(own) = &spec.axles[0].suspension else { panic!() };
    own.clone()
}

fn length([a, b]: [Point; 2]) -> f64 {
    (Vec3::from(a) - Vec3::from(b)).norm()
}

/// The MRZR-4 with another front suspension.
///
/// Its springs have the length `design` in the design position and are preloaded there.
fn with_front(suspension: Suspension, design: f64) -> VehicleSpec {
    let mut spec = find_wheeled("mrzr4").unwrap();
    let tension = Curve::new(vec![[-0.5, -0.5 * RATE], [0.5, 0.5 * RATE]]).unwrap();
    let axle = &mut spec.axles[0];
    axle.spring = Some(Spring { free_length: design + 0.1, tension, stops: None });
    axle.anti_roll_bar = None;
    axle.suspension = suspension;
    spec.check().unwrap();
    spec
}

fn single_wishbone() -> (VehicleSpec, SingleWishbonePoints) {
    let own = front(&find_wheeled("mrzr4").unwrap());
    let p = &own.points;
    let (outer, upper) = (p.lower_arm_outer, p.upper_arm_outer);
    // pivots along x, like Chrono's
    let (y, z) = (p.lower_arm_front[1], p.lower_arm_front[2]);
    let points = SingleWishbonePoints {
        spindle: p.spindle,
        upright: p.upright,
        arm_front: [0.15, y, z],
        arm_back: [-0.15, y, z],
        arm_com: p.lower_arm_com,
        kingpin_upper: upper,
        kingpin_lower: outer,
        damper_chassis: p.damper_chassis,
        damper_arm: [0.0, 0.7 * outer[1], outer[2]],
        spring_chassis: p.spring_chassis,
        spring_arm: [0.0, 0.7 * outer[1], outer[2]],
        tie_rod_chassis: p.tie_rod_chassis,
        tie_rod_upright: p.tie_rod_upright,
    };
    let (arm, upright, spindle) = (own.lower_arm, own.upright, own.spindle);
    let design = length([points.spring_chassis, points.spring_arm]);
    let suspension = Suspension::SingleWishbone(SingleWishbone { points, arm, upright, spindle });
    (with_front(suspension, design), points)
}

fn macpherson_strut() -> (VehicleSpec, MacphersonStrutPoints) {
    let own = front(&find_wheeled("mrzr4").unwrap());
    let p = &own.points;
    let [x, y, z] = p.upper_arm_outer;
    let points = MacphersonStrutPoints {
        spindle: p.spindle,
        upright: p.upright,
        arm_front: p.lower_arm_front,
        arm_back: p.lower_arm_back,
        arm_outer: p.lower_arm_outer,
        arm_com: p.lower_arm_com,
        strut_chassis: [x - 0.04, y - 0.1, z + 0.4],
        strut_upright: [x, y - 0.02, z + 0.02],
        damper_chassis: [x - 0.04, y - 0.1, z + 0.4],
        damper_upright: [x, y - 0.02, z + 0.02],
        spring_chassis: [x - 0.04, y - 0.1, z + 0.4],
        spring_upright: [x, y - 0.02, z + 0.02],
        tie_rod_chassis: p.tie_rod_chassis,
        tie_rod_upright: p.tie_rod_upright,
    };
    let (arm, upright, spindle) = (own.lower_arm, own.upright, own.spindle);
    let rod = MassProperties { mass: 3.0, inertia: [0.03, 0.03, 0.005] };
    let design = length([points.spring_chassis, points.spring_upright]);
    let strut = MacphersonStrut { points, arm, upright, rod, spindle };
    (with_front(Suspension::MacphersonStrut(strut), design), points)
}

/// State of a front wheel in the chassis frame, with its spring's length.
#[derive(Clone, Copy, Debug)]
struct WheelPose {
    center: Vec3,
    axis: Vec3,
    spring: f64,
}

/// Sweeps the wheels and passes the front ones to `check` at every fiftieth step.
fn sweep(spec: &VehicleSpec, steering: f64, mut check: impl FnMut(usize, WheelPose)) {
    let vehicle = Vehicle::new(spec.clone()).unwrap();
    let mut state = vehicle.state(&Pose::default());
    let mut room = vehicle.workspace(&state);
    let controls = Controls { steering, ..Controls::default() };
    let weight = vehicle.mass() * 9.81 / vehicle.wheels() as f64;
    for tick in 0..2000_u64 {
        let up = vehicle.pose(&room).direction(&Vec3::z());
        for (wheel, load) in room.loads().iter_mut().enumerate() {
            let phase = 6.0 * tick as f64 * H + 0.9 * wheel as f64;
            load.wrench.force = up * (weight * (1.4 - 1.2 * phase.cos()));
        }
        vehicle.step(&mut state, &mut room, &controls, tick, H).unwrap();
        // the steering reaches its lock in at most 0.2 s
        if tick < 300 || tick % 50 != 0 {
            continue;
        }
        let chassis = vehicle.pose(&room);
        for wheel in 0..2 {
            let pose = vehicle.wheel_pose(&room, wheel);
            let axis = chassis.orientation.inverse_transform_vector(&pose.direction(&Vec3::y()));
            let (center, spring) =
                (chassis.local_point(&pose.position), vehicle.spring_length(&room, wheel).unwrap());
            check(wheel, WheelPose { center, axis, spring });
        }
    }
}

/// Newton's method with central differences.
fn newton<const N: usize>(mut x: [f64; N], residual: impl Fn(&[f64; N]) -> [f64; N]) -> [f64; N] {
    for _ in 0..50 {
        let r = DVector::from_row_slice(&residual(&x));
        let mut jacobian = DMatrix::zeros(N, N);
        for column in 0..N {
            let mut shifted = [x, x];
            shifted[0][column] += 1e-6;
            shifted[1][column] -= 1e-6;
            let [up, down] = shifted.map(|x| DVector::from_row_slice(&residual(&x)));
            jacobian.set_column(column, &((up - down) / 2e-6));
        }
        let change = jacobian.lu().solve(&r).expect("a regular mechanism");
        x.iter_mut().zip(change.iter()).for_each(|(x, change)| *x -= change);
        if change.amax() < 1e-12 {
            return x;
        }
    }
    panic!("no solution near {x:?}");
}

/// Positions of points of a side in the chassis frame, with the rack's displacement.
struct PlacedCorner {
    position: Vec3,
    mirror: f64,
    rack: f64,
}

impl PlacedCorner {
    fn new(spec: &VehicleSpec, wheel: usize, command: f64) -> PlacedCorner {
        let Some(Steering::RackPinion(s)) = &spec.steering else { panic!() };
        let mirror = if wheel == 0 { 1.0 } else { -1.0 };
        // the tie rods of the MRZR join the uprights behind the kingpins
        let rack = -command * s.pinion_radius * s.max_angle_deg.to_radians();
        PlacedCorner { position: Vec3::from(spec.axles[0].position), mirror, rack }
    }

    fn chassis_point(&self, point: Point) -> Vec3 {
        self.position + Vec3::new(point[0], self.mirror * point[1], point[2])
    }

    fn inner(&self, point: Point) -> Vec3 {
        self.chassis_point(point) + Vec3::y() * self.rack
    }
}

/// Joints are closed to 1e-8 m after a step, which is 1e-7 rad over the levers of an upright.
fn agrees(seen: &WheelPose, expected: &WheelPose) {
    let (off, turned) = (seen.center - expected.center, seen.axis - expected.axis);
    assert!(off.norm() < 2e-7, "{seen:?} is not at {expected:?}");
    assert!(turned.norm() < 1e-6, "{seen:?} is not as {expected:?}");
    assert!((seen.spring - expected.spring).abs() < 2e-7, "{seen:?}, {expected:?}");
}

#[test]
fn a_single_wishbone_follows_its_hard_points() {
    let (spec, p) = single_wishbone();
    for command in [-1.0, 0.0, 0.4] {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        sweep(&spec, command, |wheel, seen| {
            let own = PlacedCorner::new(&spec, wheel, command);
            let [pivot, pin, top] =
                [p.arm_front, p.kingpin_lower, p.kingpin_upper].map(|q| own.chassis_point(q));
            let (spindle, rod) =
                (own.chassis_point(p.spindle), own.chassis_point(p.tie_rod_upright));
            let inner = own.inner(p.tie_rod_chassis);
            let reach = (rod - own.chassis_point(p.tie_rod_chassis)).norm();
            let kingpin = nalgebra::Unit::new_normalize(top - pin);
            let arm = |angle: f64| Quat::from_scaled_axis(Vec3::x() * angle);
            let place = |[angle, steer]: [f64; 2], point: Vec3| {
                let turned = pin + Quat::from_axis_angle(&kingpin, steer) * (point - pin);
                pivot + arm(angle) * (turned - pivot)
            };
            let x = newton([0.0, 0.0], |x| {
                [place(*x, spindle).z - seen.center.z, (place(*x, rod) - inner).norm() - reach]
            });
            let axis = arm(x[0]) * (Quat::from_axis_angle(&kingpin, x[1]) * Vec3::y());
            let foot = pivot + arm(x[0]) * (own.chassis_point(p.spring_arm) - pivot);
            let spring = (foot - own.chassis_point(p.spring_chassis)).norm();
            agrees(&seen, &WheelPose { center: place(x, spindle), axis, spring });
            (low, high) = (low.min(seen.center.z), high.max(seen.center.z));
        });
        assert!(high - low > 0.08, "a travel of {low} to {high}");
    }
}

/// With the tie rod's inner end on the arm's axis, only the arm turns the wheel.
///
/// The camber is the arm's angle, and the wheel's center rises by reach × (sin(a + angle) - sin a).
#[test]
fn the_camber_of_a_single_wishbone_is_the_arms_angle() {
    let (mut spec, p) = single_wishbone();
    let Suspension::SingleWishbone(own) = &mut spec.axles[0].suspension else { panic!() };
    own.points.tie_rod_chassis = [p.tie_rod_upright[0], p.arm_front[1], p.arm_front[2]];
    let (along, up) = (p.spindle[1] - p.arm_front[1], p.spindle[2] - p.arm_front[2]);
    let (reach, start) = (along.hypot(up), up.atan2(along));
    let level = spec.axles[0].position[2] + p.arm_front[2];
    sweep(&spec, 0.0, |wheel, seen| {
        let angle = ((seen.center.z - level) / reach).asin() - start;
        let camber = seen.axis.z.asin() * if wheel == 0 { 1.0 } else { -1.0 };
        assert!((camber - angle).abs() < 1e-6, "camber {camber}, arm {angle}");
        assert!(seen.axis.x.abs() < 1e-6, "{seen:?} steers");
    });
}

/// A load on the wheel of a fixed chassis balances the spring through the arm's levers, which
/// define the rate at the wheel.
///
/// The chassis is too heavy to move.
#[test]
fn a_single_wishbone_carries_by_its_levers() {
    let (mut spec, p) = single_wishbone();
    let Suspension::SingleWishbone(own) = &mut spec.axles[0].suspension else { panic!() };
    own.points.tie_rod_chassis = [p.tie_rod_upright[0], p.arm_front[1], p.arm_front[2]];
    spec.chassis.mass = 1e9;
    spec.chassis.inertia = [1e10; 3];
    let vehicle = Vehicle::new(spec.clone()).unwrap();
    let mut state = vehicle.state(&Pose::default());
    let mut room = vehicle.workspace(&state);
    *room.gravity() = Vec3::zeros();
    let mut rates = Vec::new();
    let mut before = None;
    for load in [1200.0, 1210.0] {
        for tick in 0..10_000 {
            room.loads()[0].wrench.force = Vec3::z() * load;
            vehicle.step(&mut state, &mut room, &Controls::default(), tick, H).unwrap();
        }
        let chassis = vehicle.pose(&room);
        let height = chassis.local_point(&vehicle.wheel_pose(&room, 0).position).z;
        let pivot = Vec3::from(p.arm_front) + Vec3::from(spec.axles[0].position);
        let center = chassis.local_point(&vehicle.wheel_pose(&room, 0).position) - pivot;
        let arm = center.z.atan2(center.y)
            - (p.spindle[2] - p.arm_front[2]).atan2(p.spindle[1] - p.arm_front[1]);
        let turn = Quat::from_scaled_axis(Vec3::x() * arm);
        let foot = turn * (Vec3::from(p.spring_arm) - Vec3::from(p.arm_front));
        let line = foot - (Vec3::from(p.spring_chassis) - Vec3::from(p.arm_front));
        // moments about the arm's axis: the lever of the load is y, that of the spring belongs to
        // its line
        let lever = Vec3::x().cross(&foot).dot(&line.normalize()).abs();
        let free = spec.axles[0].spring.as_ref().unwrap().free_length;
        let push = RATE * (free - line.norm());
        let carried = push * lever / center.y;
        // the residual motion after 10 s is below 1e-4 of the load
        assert!((carried / load - 1.0).abs() < 1e-4, "{carried} of {load} N");
        if let Some((other, at)) = before {
            rates.push((load - other) / (height - at));
        }
        before = Some((load, height));
        println!("{load} N at an angle of {arm:.4}, lever {lever:.3} of {:.3} m", center.y);
    }
    println!("rate at the wheel {rates:?} N/m of {RATE}");
    assert!(rates[0] > 0.2 * RATE && rates[0] < RATE, "{rates:?}");
}

#[test]
fn a_macpherson_strut_follows_its_hard_points() {
    let (spec, p) = macpherson_strut();
    for command in [-1.0, 0.0, 0.4] {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        sweep(&spec, command, |wheel, seen| {
            let own = PlacedCorner::new(&spec, wheel, command);
            let [spindle, outer, rod, foot, mount] =
                [p.spindle, p.arm_outer, p.tie_rod_upright, p.strut_upright, p.strut_chassis]
                    .map(|q| own.chassis_point(q));
            let pivots = [own.chassis_point(p.arm_front), own.chassis_point(p.arm_back)];
            let inner = own.inner(p.tie_rod_chassis);
            let reach = (rod - own.chassis_point(p.tie_rod_chassis)).norm();
            let turn = |x: &[f64; 6]| Quat::from_scaled_axis(Vec3::new(x[3], x[4], x[5]));
            let place = |x: &[f64; 6], point: Vec3| {
                spindle + Vec3::new(x[0], x[1], x[2]) + turn(x) * (point - spindle)
            };
            let along = (mount - foot).normalize();
            let across = along.cross(&Vec3::x()).normalize();
            let start = [0.0, 0.0, seen.center.z - spindle.z, 0.0, 0.0, 0.0];
            let x = newton(start, |x| {
                let arm = |pivot: Vec3| (place(x, outer) - pivot).norm() - (outer - pivot).norm();
                // the mount stays on the strut's axis
                let from_foot = mount - place(x, foot);
                let aside = |direction: Vec3| from_foot.dot(&(turn(x) * direction));
                [
                    arm(pivots[0]),
                    arm(pivots[1]),
                    (place(x, rod) - inner).norm() - reach,
                    aside(across),
                    aside(along.cross(&across)),
                    place(x, spindle).z - seen.center.z,
                ]
            });
            let spring = (place(&x, own.chassis_point(p.spring_upright))
                - own.chassis_point(p.spring_chassis))
            .norm();
            let (center, axis) = (place(&x, spindle), turn(&x) * Vec3::y());
            agrees(&seen, &WheelPose { center, axis, spring });
            (low, high) = (low.min(seen.center.z), high.max(seen.center.z));
        });
        // the spring is on the upright: stiffer at the wheel than a spring on an arm
        assert!(high - low > 0.06, "a travel of {low} to {high}");
    }
}
