//! The multibody core compared with closed forms and conservation laws.

use bekker::multibody::{
    Body, BodyId, Closure, Element, ElementForce, Inertia, Joint, ModelBuilder, MultibodyModel,
    MultibodyState, MultibodyWorkspace,
};
use bekker::spatial::Vec3;

fn body(name: &str, parent: BodyId, joint: Joint, anchor: Vec3, com: Vec3, mass: f64) -> Body {
    Body {
        name: name.into(),
        parent,
        joint,
        anchor,
        origin: com,
        inertia: Inertia::principal(mass, com, [0.1 * mass, 0.15 * mass, 0.2 * mass]),
    }
}

fn run(
    model: &MultibodyModel,
    state: &mut MultibodyState,
    workspace: &mut MultibodyWorkspace,
    h: f64,
    time: f64,
) {
    for _ in 0..(time / h).round() as usize {
        model.advance(state, workspace, h).unwrap();
    }
}

/// Builds a mechanism with every kind of joint and a closure, far from the origin.
///
/// A free root has an arm on a hinge, a link on a ball joint and a rod that closes a loop.
fn floating() -> (MultibodyModel, MultibodyState, MultibodyWorkspace) {
    let mut builder = ModelBuilder::default();
    let far = Vec3::new(2000.0, -1000.0, 50.0);
    let at = |x: f64, y: f64, z: f64| far + Vec3::new(x, y, z);
    let root = builder.body(body("root", BodyId::WORLD, Joint::Free, far, at(0.1, 0.0, 0.0), 10.0));
    let hinge = Joint::Revolute(Vec3::new(0.2, 1.0, 0.1));
    let arm = builder.body(body("arm", root, hinge, at(1.0, 0.0, 0.0), at(1.5, 0.1, 0.0), 2.0));
    let ball = Joint::Spherical;
    let link = builder.body(body("link", arm, ball, at(2.0, 0.0, 0.0), at(2.2, 0.0, 0.4), 1.0));
    let slide = Joint::Prismatic(Vec3::new(0.0, 0.0, 1.0));
    builder.body(body("slider", root, slide, at(-1.0, 0.0, 0.0), at(-1.0, 0.2, 0.0), 1.5));
    builder.closure(Closure::Distance {
        a: link,
        point_a: at(2.2, 0.5, 0.4),
        b: root,
        point_b: at(0.0, 1.0, 0.0),
    });
    let model = builder.build().unwrap();
    let mut state = model.assembled();
    let mut workspace = model.workspace();
    workspace.gravity = Vec3::zeros();
    // Angular and linear velocity of the root, hinge, ball and slider. A first short step makes the
    // closure's row consistent.
    let u = [0.3, -0.4, 0.9, 1.0, 2.0, 0.5, 0.8, 0.2, -0.3, 0.4, 0.6];
    model.set_velocity(&mut state, &mut workspace, &u);
    run(&model, &mut state, &mut workspace, 1e-6, 1e-6);
    (model, state, workspace)
}

#[test]
fn floating_mechanism_conserves_momentum() {
    let (model, mut state, mut workspace) = floating();
    let (p0, l0) = model.momentum(&state);
    run(&model, &mut state, &mut workspace, 2e-3, 5.0);
    let (p, l) = model.momentum(&state);
    // Conservation follows from the rows of the root, so only rounding remains. The angular
    // momentum is about a point 2 km away, hence its scale.
    assert!((p - p0).norm() < 1e-9 * p0.norm(), "{p0} {p}");
    assert!((l - l0).norm() < 1e-9 * l0.norm(), "{l0} {l}");
    assert!(workspace.drift < 1e-7, "{}", workspace.drift);
}

#[test]
fn energy_error_is_of_first_order() {
    let mut errors = Vec::new();
    for h in [2e-3, 1e-3, 5e-4] {
        let (model, mut state, mut workspace) = floating();
        let e0 = model.kinetic_energy(&state, &workspace);
        run(&model, &mut state, &mut workspace, h, 1.0);
        errors.push((model.kinetic_energy(&state, &workspace) - e0).abs() / e0);
    }
    println!("relative energy error at h, h/2, h/4: {errors:?}");
    assert!(errors[0] < 5e-3, "{errors:?}");
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        // First order, with a tolerance of 0.2 for the higher orders still present.
        assert!((order - 1.0).abs() < 0.2, "order {order}, errors {errors:?}");
    }
}

#[test]
fn pendulum_has_its_period() {
    let mut builder = ModelBuilder::default();
    let hinge = Joint::Revolute(Vec3::y());
    let com = Vec3::new(0.0, 0.0, -1.0);
    let bob = builder.body(body("bob", BodyId::WORLD, hinge, Vec3::zeros(), com, 2.0));
    let swing = builder.coordinate(bob);
    let model = builder.build().unwrap();
    let mut state = model.assembled();
    let mut workspace = model.workspace();
    model.set_velocity(&mut state, &mut workspace, &[0.01]);
    let (mut time, h, mut crossings) = (0.0, 1e-4, Vec::new());
    let mut before = 1.0;
    while crossings.len() < 3 {
        model.advance(&mut state, &mut workspace, h).unwrap();
        time += h;
        let angle = model.scalar(&state, swing).unwrap();
        if before > 0.0 && angle <= 0.0 || before < 0.0 && angle >= 0.0 {
            crossings.push(time - h * angle / (angle - before));
        }
        before = angle;
    }
    let period = crossings[2] - crossings[0];
    // I = m l² + 0.15 m about the hinge: T = 2 π sqrt(1.15 / g). The amplitude changes it by 0.3 %.
    let exact = std::f64::consts::TAU * (1.15f64 / 9.81).sqrt();
    assert!((period / exact - 1.0).abs() < 1e-4, "{period} {exact}");
}

/// The coupler of a four-bar with equal cranks translates without rotation, and the cranks stay
/// parallel.
#[test]
fn four_bar_follows_its_geometry() {
    let mut builder = ModelBuilder::default();
    let y = Joint::Revolute(Vec3::y());
    let p = |x: f64, z: f64| Vec3::new(x, 0.0, z);
    let crank = builder.body(body("crank", BodyId::WORLD, y, p(0.0, 0.0), p(0.0, 0.25), 1.0));
    let coupler = builder.body(body("coupler", crank, y, p(0.0, 0.5), p(0.6, 0.5), 3.0));
    let rocker = builder.body(body("rocker", BodyId::WORLD, y, p(1.2, 0.0), p(1.2, 0.25), 1.0));
    builder.closure(Closure::Point { a: coupler, b: rocker, point: p(1.2, 0.5) });
    let angles = [crank, coupler, rocker].map(|b| builder.coordinate(b));
    let model = builder.build().unwrap();
    let mut state = model.assembled();
    let mut workspace = model.workspace();
    model.set_velocity(&mut state, &mut workspace, &[2.0, -2.0, 2.0]);
    let mut worst = 0.0f64;
    for _ in 0..4000 {
        model.advance(&mut state, &mut workspace, 1e-3).unwrap();
        worst = worst.max(workspace.drift);
    }
    let [a, b, c] = angles.map(|angle| model.scalar(&state, angle).unwrap());
    assert!(a.abs() > 0.5, "the crank has moved: {a}");
    // Positions are corrected above 5e-8 m, with cranks of 0.5 m.
    assert!((a + b).abs() < 1e-7 && (a - c).abs() < 1e-7, "{a} {b} {c}");
    assert!(worst < 1e-7, "{worst}");
}

/// A redundant loop (the same ball joint twice) is solved without a singularity.
#[test]
fn redundant_closures_are_harmless() {
    let mut builder = ModelBuilder::default();
    let y = Joint::Revolute(Vec3::y());
    let p = |x: f64, z: f64| Vec3::new(x, 0.0, z);
    let crank = builder.body(body("crank", BodyId::WORLD, y, p(0.0, 0.0), p(0.5, 0.0), 1.0));
    for _ in 0..2 {
        builder.closure(Closure::Point { a: crank, b: BodyId::WORLD, point: p(1.0, 0.0) });
    }
    let model = builder.build().unwrap();
    let (mut state, mut workspace) = (model.assembled(), model.workspace());
    model.refresh(&state, &mut workspace);
    run(&model, &mut state, &mut workspace, 1e-3, 1.0);
    assert!(model.scalar(&state, builder_first()).unwrap().abs() < 1e-7);
    // The two share half the weight's moment: 9.81 * 0.5 / 1.0 in total.
    let vertical: f64 = state.closure_forces[2] + state.closure_forces[5];
    assert!((vertical - 9.81 * 0.5).abs() < 1e-3, "{vertical}");
}

fn builder_first() -> bekker::multibody::Coordinate {
    let mut builder = ModelBuilder::default();
    let hinge = Joint::Revolute(Vec3::y());
    let bob = builder.body(body("b", BodyId::WORLD, hinge, Vec3::zeros(), Vec3::x(), 1.0));
    builder.coordinate(bob)
}

/// An open differential splits the torque evenly and averages the speeds of its shafts.
///
/// A stiff damped spring stays stable at any step.
#[test]
fn differential_splits_and_stiff_spring_settles() {
    let mut builder = ModelBuilder::default();
    let (input, left, right) = (builder.shaft(0.1), builder.shaft(1.0), builder.shaft(3.0));
    let [input, left, right] = [input, left, right].map(|s| builder.shaft_coordinate(s));
    builder.closure(Closure::Gear {
        rates: vec![(input, 1.0), (left, -0.5), (right, -0.5)],
        spins: vec![],
    });
    let push = builder.element(Element::Rates { rates: vec![(input, 1.0)] });
    let slide = Joint::Prismatic(Vec3::z());
    let mass = builder.body(body("mass", BodyId::WORLD, slide, Vec3::zeros(), Vec3::zeros(), 2.0));
    let spring = builder.element(Element::Line {
        a: mass,
        point_a: Vec3::zeros(),
        b: BodyId::WORLD,
        point_b: Vec3::new(0.0, 0.0, -1.0),
    });
    let lift = builder.coordinate(mass);
    let model = builder.build().unwrap();
    let (mut state, mut workspace) = (model.assembled(), model.workspace());
    model.refresh(&state, &mut workspace);
    let (stiffness, damping) = (1e8, 1e3);
    for _ in 0..200 {
        workspace.element[push] = ElementForce { force: -8.0, ..Default::default() };
        let force =
            stiffness * (workspace.measure[spring] - 1.0) + damping * workspace.rate[spring];
        workspace.element[spring] = ElementForce { force, stiffness, damping };
        model.advance(&mut state, &mut workspace, 5e-3).unwrap();
    }
    let [wi, wl, wr] = [input, left, right].map(|c| state.u[c.index()]);
    assert!((wi - 0.5 * (wl + wr)).abs() < 1e-7);
    // Equal torques on 1 and 3 kg m²: speeds in the ratio of 3 to 1.
    assert!((wl / wr - 3.0).abs() < 1e-6, "{wl} {wr}");
    // 8 N m, less the torque that accelerates 0.1 kg m² itself, divided equally.
    let torque = 0.5 * (8.0 - 0.1 * wi);
    assert!((wl - torque * 1.0).abs() < 1e-6, "{wl} {torque}");
    let sag = model.scalar(&state, lift).unwrap();
    assert!((sag + 2.0 * 9.81 / 1e8).abs() < 1e-10, "{sag}");
}

#[test]
fn a_conveyed_surface_shares_its_load_with_its_shaft() {
    // A body of 10 kg is on a belt of 2 kg that runs backward at 1 m/s, against ground that drags
    // on whatever touches it. The momentum lost by the belt goes to the body until the belt rests
    // on the ground: 10 v + 2 u = 2, v = u.
    let mut builder = ModelBuilder::default();
    let zero = Vec3::zeros();
    let hull = builder.body(body("hull", BodyId::WORLD, Joint::Free, zero, zero, 10.0));
    let belt = builder.shaft(2.0);
    let advance = builder.shaft_coordinate(belt);
    let load = builder.conveying(hull, belt);
    let model = builder.build().unwrap();
    let mut state = model.assembled();
    let mut workspace = model.workspace();
    workspace.gravity = zero;
    let mut u = vec![0.0; state.u.len()];
    u[advance.index()] = 1.0;
    model.set_velocity(&mut state, &mut workspace, &u);
    workspace.conveyance[load] = -Vec3::x();
    let drag = 300.0;
    for _ in 0..200 {
        let surface = state.u[3] - state.u[advance.index()];
        let own = &mut workspace.load[load];
        *own = bekker::spatial::Load::default();
        own.wrench.force.x = -drag * surface;
        own.add_tangent(&Vec3::x(), &zero, 0.0, drag);
        model.advance(&mut state, &mut workspace, 1e-2).unwrap();
        let sum = 10.0 * state.u[3] + 2.0 * state.u[advance.index()];
        assert!((sum - 2.0).abs() < 1e-12, "{sum}");
    }
    assert!((state.u[3] - 2.0 / 12.0).abs() < 1e-9, "{}", state.u[3]);
    assert!((state.u[advance.index()] - 2.0 / 12.0).abs() < 1e-9);
}
