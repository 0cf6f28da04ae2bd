//! Vehicles compared with closed forms on firm, flat ground.
//!
//! Static wheel loads, turning circle, understeer, and spring response are tested.

use crate::scene;

use bekker::multibody::{Body, BodyId, Element, ElementForce, Inertia, Joint, ModelBuilder};
use bekker::simulation::{Sample, World};
use bekker::spatial::{Pose, Vec3};
use bekker::vehicle::spec::{Point, Suspension};
use bekker::vehicle::tire::{FirmPatch, GroundPlane, TireState};
use bekker::vehicle::{Controls, Vehicle, VehicleSpec, find_wheeled};
use nalgebra::{DMatrix, DVector, Matrix2, Matrix4, Vector2, Vector4};
use scene::{agent, drive, firm, flat, pose_at, table, vehicle, world};

fn first(world: &World) -> Sample {
    world.samples().next().unwrap()
}

/// Returns mass and center of mass in the design position, from the parameters alone.
fn center_of_mass(spec: &VehicleSpec) -> (f64, Vec3) {
    let mut parts: Vec<(f64, Vec3)> = vec![(spec.chassis.mass, Vec3::from(spec.chassis.com))];
    for axle in &spec.axles {
        let mut pair = |mass: f64, point: Point| {
            // Both sides: the lateral parts cancel.
            let middle = Vec3::from(axle.position) + Vec3::new(point[0], 0.0, point[2]);
            parts.push((2.0 * mass, middle));
        };
        let wheel = spec.wheel.mass + spec.tire.mass;
        match &axle.suspension {
            Suspension::DoubleWishbone(s) => {
                let p = &s.points;
                pair(s.spindle.mass + wheel, p.spindle);
                pair(s.upright.mass, p.upright);
                pair(s.upper_arm.mass, p.upper_arm_com);
                pair(s.lower_arm.mass, p.lower_arm_com);
                assert!(s.tie_rod.is_none());
            }
            Suspension::TrailingArm(s) => {
                pair(s.spindle.mass + wheel, s.points.spindle);
                pair(s.arm.mass, s.points.arm_com);
            }
            Suspension::SingleWishbone(_)
            | Suspension::MacphersonStrut(_)
            | Suspension::Rigid(_) => unreachable!(),
            Suspension::SolidAxle(s) => {
                pair(s.spindle.mass + wheel, s.points.spindle);
                pair(0.5 * s.beam.mass, s.points.beam_com);
            }
        }
    }
    use bekker::vehicle::spec::Steering;
    match spec.steering.as_ref().unwrap() {
        Steering::RackPinion(s) => parts.push((s.rack.mass, Vec3::from(s.position))),
        Steering::PitmanArm(s) => {
            let tilt =
                bekker::spatial::Quat::from_axis_angle(&Vec3::y_axis(), s.pitch_deg.to_radians());
            let place = |point: Point| Vec3::from(s.position) + tilt * Vec3::from(point);
            parts.push((s.link.mass, place(s.points.link_com)));
            parts.push((s.arm.mass, place(s.points.arm_com)));
        }
        Steering::DragLink(_)
        | Steering::Direct(_)
        | Steering::Skid(_)
        | Steering::Articulated(_) => {}
    }
    let mass = parts.iter().map(|(mass, _)| mass).sum();
    (mass, parts.iter().map(|(mass, place)| place * *mass).sum::<Vec3>() / mass)
}

#[test]
fn wheels_carry_the_weight_and_share_it_by_the_center_of_mass() {
    // Mass in grams: Project Chrono's HMMWV, MAVS's MRZR-4.
    for (name, grams) in [("hmmwv", 2_573_138.0), ("mrzr4", 1_279_800.0)] {
        let vehicle = vehicle(name);
        let spec = vehicle.spec();
        assert!((vehicle.mass() * 1000.0 - grams).abs() < 0.5, "{name}: {} kg", vehicle.mass());
        let (mass, com) = center_of_mass(spec);
        assert!((mass * 1000.0 - grams).abs() < 0.5, "{name}: parts of {mass} kg");
        let lift = vehicle.ride_radius();
        let model = agent(&vehicle, table(&[], &[], &[]), pose_at(0.0, 0.0, lift));
        let mut world = world(flat(0.05, firm(0.8)), 2e-3, vec![model]);
        drive(&mut world, 8.0);
        let sample = first(&world);
        let load = |wheel: usize| sample.wheels[wheel].load;
        let sum: f64 = (0..4).map(load).sum();
        let weight = vehicle.mass() * 9.81;
        assert!((sum / weight - 1.0).abs() < 1e-3, "{name}: {sum} N of {weight} N");
        // Moments about the front contact. Wheel centers, and with them the contacts, move
        // longitudinally by some mm with suspension travel, and pitch shifts the center of mass: 1
        // % of the wheelbase.
        let center = |wheel: usize| vehicle.wheel_center(wheel).x;
        let front = weight * (com.x - center(2)) / (center(0) - center(2));
        let axle = load(0) + load(1);
        println!(
            "{name}: sum off by {:.1e}, front {axle:.0} N, data {front:.0} N",
            sum / weight - 1.0
        );
        assert!((axle - front).abs() < 0.01 * weight, "{name}: {axle} N in front, not {front}");
        // Only the steering gear is off center.
        assert!((load(0) - load(1)).abs() < 0.005 * weight);
    }
}

/// Returns speed, radius of the rear axle's middle and lateral acceleration (m/s²) in the steady
/// circle that follows.
fn circle(steering: f64, throttle: f64, time: f64) -> (f64, f64, f64) {
    let hmmwv = vehicle("hmmwv");
    let driver = table(&[[0.5, 0.0], [1.0, throttle]], &[[0.5, 0.0], [2.0, steering]], &[]);
    let model = agent(&hmmwv, driver, pose_at(0.0, 0.0, hmmwv.ride_radius()));
    let mut world = world(flat(0.05, firm(0.8)), 2e-3, vec![model]);
    drive(&mut world, time);
    let sample = first(&world);
    let yaw_rate = sample.angular_velocity.z;
    let rear = sample.pose.orientation.inverse_transform_vector(&sample.velocity)
        + Vec3::new(0.0, 0.0, yaw_rate).cross(&Vec3::new(-0.5 * hmmwv.spec().wheelbase, 0.0, 0.0));
    (rear.x, rear.x / yaw_rate, rear.x * yaw_rate)
}

/// At a crawl, the middle of the rear axle turns at L / tan δ, with δ the mean of the front wheels
/// (of their cotangents).
#[test]
fn crawls_round_a_circle_of_ackermann() {
    for (steering, crawl) in [(0.4, 0.17), (0.8, 0.165)] {
        let (speed, radius, lateral) = circle(steering, crawl, 10.0);
        let delta = mean_steer(steering);
        let expected = vehicle("hmmwv").spec().wheelbase / delta.tan();
        println!(
            "steering {steering}: {speed:.2} m/s, radius {radius:.3} m, L/tan δ {expected:.3} m"
        );
        assert!(lateral < 1.5 && speed > 0.5, "{speed} m/s, {lateral} m/s²");
        // The linkage is no exact Ackermann geometry: the front tires work against each other, and
        // understeer at up to 0.15 g adds to it.
        assert!((radius / expected - 1.0).abs() < 0.02, "{radius} is not {expected}");
    }
}

/// Returns the mean steer angle of the HMMWV's front wheels at design height, rad, on the vehicle
/// held in the air.
fn mean_steer(steering: f64) -> f64 {
    let hmmwv = Vehicle::new(find_wheeled("hmmwv").unwrap()).unwrap();
    let mut state = hmmwv.state(&Pose::default());
    let mut workspace = hmmwv.workspace(&state);
    let controls = Controls { steering, ..Controls::default() };
    for tick in 0..1000 {
        for load in workspace.loads() {
            load.wrench.force = Vec3::z() * (hmmwv.mass() * 9.81 / 4.0);
        }
        hmmwv.step(&mut state, &mut workspace, &controls, tick, 1e-3).unwrap();
    }
    let chassis = hmmwv.pose(&workspace);
    let cotangent = |wheel: usize| {
        let axis = hmmwv.wheel_pose(&workspace, wheel).direction(&Vec3::y());
        let axis = chassis.orientation.inverse_transform_vector(&axis);
        axis.y / -axis.x
    };
    (2.0 / (cotangent(0) + cotangent(1))).atan()
}

/// Quarter car of the core's own bodies: a sprung and an unsprung mass on one line.
struct QuarterCar {
    sprung: f64,
    unsprung: f64,
    spring: f64,
    tire: f64,
    damper: f64,
}

impl QuarterCar {
    /// Returns displacements of both masses over time, released at rest from `start`.
    fn release(&self, start: [f64; 2], h: f64, time: f64) -> Vec<[f64; 2]> {
        let mut builder = ModelBuilder::default();
        let mut slide = |name: &str, mass: f64| {
            let at = Vec3::zeros();
            builder.body(Body {
                name: name.into(),
                parent: BodyId::WORLD,
                joint: Joint::Prismatic(Vec3::z()),
                anchor: at,
                origin: at,
                inertia: Inertia::principal(mass, at, [1.0; 3]),
            })
        };
        let (body, wheel) = (slide("body", self.sprung), slide("wheel", self.unsprung));
        let [z, w] = [body, wheel].map(|b| builder.coordinate(b));
        let strut = builder.element(Element::Rates { rates: vec![(z, 1.0), (w, -1.0)] });
        let tire = builder.element(Element::Rates { rates: vec![(w, 1.0)] });
        let model = builder.build().unwrap();
        let (mut state, mut workspace) = (model.assembled(), model.workspace());
        workspace.gravity = Vec3::zeros();
        state.q.copy_from_slice(&start);
        model.refresh(&state, &mut workspace);
        let mut path = vec![start];
        for _ in 0..(time / h).round() as usize {
            let answer = |measure: f64, rate: f64, stiffness: f64, damping: f64| ElementForce {
                force: stiffness * measure + damping * rate,
                stiffness,
                damping,
            };
            for (element, stiffness, damping) in
                [(strut, self.spring, self.damper), (tire, self.tire, 0.0)]
            {
                let (measure, rate) = (workspace.measure[element], workspace.rate[element]);
                workspace.element[element] = answer(measure, rate, stiffness, damping);
            }
            model.advance(&mut state, &mut workspace, h).unwrap();
            path.push([state.q[0], state.q[1]]);
        }
        path
    }

    fn matrices(&self) -> (Matrix2<f64>, Matrix2<f64>) {
        let mass = Matrix2::new(self.sprung, 0.0, 0.0, self.unsprung);
        let (k, t) = (self.spring, self.tire);
        (mass, Matrix2::new(k, -k, -k, k + t))
    }
}

/// Two quarter cars oscillate mode by mode at the frequencies of their undamped eigenvalues, Hz.
///
/// They are MAVS's HMMWV, and the HMMWV with its handling tire.
#[test]
fn a_quarter_car_swings_at_its_frequencies() {
    let cars = [
        ([521.63, 62.0, 190_000.0, 322_370.0], [2.3894, 14.589]),
        ([285.15, 34.8, 77_706.0, 70_000.0], [1.778, 10.548]),
        ([521.63, 120.33, 100_000.0, 411_120.0], [1.9674, 10.42]),
    ];
    for ([sprung, unsprung, spring, tire], published) in cars {
        let car = QuarterCar { sprung, unsprung, spring, tire, damper: 0.0 };
        let (mass, stiffness) = car.matrices();
        for frequency in published {
            // The mode: (K - ω² M) x = 0, from its first row.
            let square = (std::f64::consts::TAU * frequency).powi(2);
            let mode = Vector2::new(1.0, 1.0 - square * sprung / spring) * 0.01;
            let residual = (stiffness - mass * square) * mode;
            assert!(residual.norm() < 1e-3 * (stiffness * mode).norm(), "{frequency} Hz");
            let h = 1e-4 / frequency;
            let path = car.release(mode.into(), h, 2.6 / frequency);
            // Between successive upward zero crossings, twice.
            let crossings: Vec<f64> = path
                .windows(2)
                .enumerate()
                .filter(|(_, pair)| pair[0][0] < 0.0 && pair[1][0] >= 0.0)
                .map(|(k, pair)| h * (k as f64 + pair[0][0] / (pair[0][0] - pair[1][0])))
                .collect();
            let found = 1.0 / (crossings[1] - crossings[0]);
            // The published five digits, and the damping of a first-order step.
            assert!((found / frequency - 1.0).abs() < 1e-3, "{found} Hz is not {frequency} Hz");
        }
    }
}

/// A damped quarter car follows the exponential of the system's matrix.
///
/// Its damper is overcritical in the wheel hop mode.
#[test]
fn a_damped_quarter_car_moves_by_its_eigenvalues() {
    let car = QuarterCar {
        sprung: 521.63,
        unsprung: 62.0,
        spring: 190_000.0,
        tire: 322_370.0,
        damper: 13_110.0,
    };
    let start = [0.02, 0.0];
    let (mass, stiffness) = car.matrices();
    let damping = Matrix2::new(1.0, -1.0, -1.0, 1.0) * car.damper;
    let inverse = mass.try_inverse().unwrap();
    let mut system = Matrix4::zeros();
    system.fixed_view_mut::<2, 2>(0, 2).copy_from(&Matrix2::identity());
    system.fixed_view_mut::<2, 2>(2, 0).copy_from(&(-inverse * stiffness));
    system.fixed_view_mut::<2, 2>(2, 2).copy_from(&(-inverse * damping));
    let error = |h: f64| {
        let path = car.release(start, h, 0.5);
        let stride = (0.01 / h).round() as usize;
        let turn = (system * 0.01).exp();
        let mut exact = Vector4::new(start[0], start[1], 0.0, 0.0);
        let mut worst = 0.0f64;
        for place in path.iter().step_by(stride) {
            worst = worst.max((place[0] - exact[0]).abs()).max((place[1] - exact[1]).abs());
            exact = turn * exact;
        }
        worst / start[0]
    };
    let errors = [2e-4, 1e-4].map(error);
    println!("errors at h, h/2, of the start: {errors:?}");
    // First order, and small: 13 rad/s in the body's mode makes h ω / 2 a lag.
    assert!(errors[1] < 3e-3, "{errors:?}");
    assert!((errors[0] / errors[1] - 2.0).abs() < 0.2, "{errors:?}");
}

/// Heave and pitch of the MRZR-4 on a ramp onto a curb of 5 mm are those of a linear half car.
///
/// The half car has the same masses, wheel rates and tires; all four wheels cross the ramp.
#[test]
fn a_vehicle_answers_a_curb_as_a_half_car() {
    let spec = find_wheeled("mrzr4").unwrap();
    let vehicle = Vehicle::new(spec.clone()).unwrap();
    let tire = &spec.tire.handling;
    let (h, settle, rise) = (5e-4, 4.0, 5e-3);
    let road = |time: f64| rise * ((time - settle) / 0.02).clamp(0.0, 1.0);

    let mut state = vehicle.state(&pose_at(0.0, 0.0, vehicle.ride_radius()));
    let mut workspace = vehicle.workspace(&state);
    let mut tires = [TireState::default(); 4];
    let mut found = Vec::new();
    let mut rest = (0.0, 0.0);
    let stride = 20;
    let steps = ((settle + 0.8) / h) as u64;
    for tick in 0..steps {
        let point = Vec3::new(0.0, 0.0, road(tick as f64 * h));
        let plane = GroundPlane { point, normal: Vec3::z() };
        let ground = FirmPatch { plane, friction: 0.8, share: 1.0 };
        let mut contacts = Vec::with_capacity(4);
        for (wheel, own) in tires.iter().enumerate() {
            let pose = vehicle.wheel_pose(&workspace, wheel);
            let twist = vehicle.wheel_twist(&workspace, wheel);
            let contact = tire.firm_contact(&pose, &twist, &ground, own, h);
            workspace.loads()[wheel] = contact.map_or_else(Default::default, |c| c.load);
            contacts.push(contact);
        }
        vehicle.step(&mut state, &mut workspace, &Controls::default(), tick, h).unwrap();
        for (wheel, own) in tires.iter_mut().enumerate() {
            let twist = vehicle.wheel_twist(&workspace, wheel);
            tire.settle(contacts[wheel].as_ref(), &twist, own, h);
        }
        let pose = vehicle.pose(&workspace);
        let heave = pose.point(&Vec3::from(spec.chassis.com)).z;
        let time = (tick + 1) as f64 * h;
        if (time - settle).abs() < 0.1 * h {
            rest = (heave, pose.pitch());
        } else if time > settle && (tick + 1) % stride == 0 {
            found.push((heave - rest.0, pose.pitch() - rest.1));
        }
    }

    // Half car: heave, pitch (nose down), front and rear wheels. Wheel rates as the preset states
    // them; unsprung 34.8 kg per wheel.
    let rates = [2.0 * 77_706.3, 2.0 * 106_085.9];
    let dampers = [2.0 * 8657.1, 2.0 * 11_818.9];
    let (kt, ct) = (2.0 * tire.vertical_stiffness, 2.0 * tire.vertical_damping);
    let arms = [1.36 - spec.chassis.com[0], -1.36 - spec.chassis.com[0]];
    let masses =
        DVector::from_row_slice(&[spec.chassis.mass + 4.0, spec.chassis.inertia[1], 69.6, 69.6]);
    let mut stiffness = DMatrix::zeros(4, 4);
    let mut damping = DMatrix::zeros(4, 4);
    for k in 0..2 {
        let mut row = DVector::zeros(4);
        row[0] = 1.0;
        row[1] = -arms[k];
        row[2 + k] = -1.0;
        let outer = &row * row.transpose();
        stiffness += &outer * rates[k];
        damping += &outer * dampers[k];
        stiffness[(2 + k, 2 + k)] += kt;
        damping[(2 + k, 2 + k)] += ct;
    }
    let (mut x, mut v) = (DVector::<f64>::zeros(4), DVector::<f64>::zeros(4));
    let fine = 1e-5;
    let per_sample = (stride as f64 * h / fine).round() as usize;
    let mut worst = [0.0f64; 2];
    let mut most = [0.0f64; 2];
    for (k, &(heave, pitch)) in found.iter().enumerate() {
        for part in 0..per_sample {
            let time = settle + (k * per_sample + part) as f64 * fine;
            let mut force = -(&stiffness * &x) - &damping * &v;
            force[2] += kt * road(time);
            force[3] += kt * road(time);
            v += force.component_div(&masses) * fine;
            x += &v * fine;
        }
        worst[0] = worst[0].max((heave - x[0]).abs());
        worst[1] = worst[1].max((pitch - x[1]).abs());
        most[0] = most[0].max(x[0].abs());
        most[1] = most[1].max(x[1].abs());
    }
    println!(
        "heave up to {:.3} mm, off by {:.3} mm; pitch up to {:.3} mrad, off by {:.3} mrad",
        1e3 * most[0],
        1e3 * worst[0],
        1e3 * most[1],
        1e3 * worst[1]
    );
    // The half car has no arms. A trailing arm also rotates the spindle's inertia, and its wheel
    // rate holds in the design position only. Pitch nearly cancels, so its scale is one axle's rise
    // over the wheelbase.
    assert!(worst[0] < 0.01 * most[0], "heave {worst:?} of {most:?}");
    assert!(worst[1] < 0.02 * rise / 2.72, "pitch {worst:?} of {most:?}");
}
