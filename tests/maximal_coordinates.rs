//! Reduced coordinates compared with maximal coordinates, and joint forces compared with statics.
//!
//! One mechanism is built twice: as a tree of joints with one closure, and as free bodies held
//! together by closures alone.

use bekker::multibody::{
    Body, BodyId, Closure, Inertia, Joint, ModelBuilder, ModelError, MultibodyModel,
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
        inertia: Inertia::principal(mass, com, [0.05 * mass, 0.08 * mass, 0.1 * mass]),
    }
}

fn start(model: &MultibodyModel) -> (MultibodyState, MultibodyWorkspace) {
    let (state, mut workspace) = (model.assembled(), model.workspace());
    model.refresh(&state, &mut workspace);
    (state, workspace)
}

// An oblique spatial linkage like a wishbone suspension. An arm on a hinge holds a carrier by a
// ball joint. A second arm on another hinge holds the carrier's other ball joint. A rod to the
// ground removes the carrier's last freedom except the swing of the arms.
const LOWER_AXIS: Vec3 = Vec3::new(1.0, 0.1, 0.05);
const UPPER_AXIS: Vec3 = Vec3::new(1.0, -0.2, 0.1);
const LOWER_HINGE: Vec3 = Vec3::new(0.0, 0.0, 0.0);
const LOWER_BALL: Vec3 = Vec3::new(0.02, 0.5, -0.05);
const UPPER_HINGE: Vec3 = Vec3::new(-0.05, 0.15, 0.3);
const UPPER_BALL: Vec3 = Vec3::new(-0.03, 0.45, 0.25);
const ROD_GROUND: Vec3 = Vec3::new(-0.3, 0.1, 0.1);
const ROD_CARRIER: Vec3 = Vec3::new(-0.2, 0.52, 0.05);
const CENTERS: [Vec3; 3] =
    [Vec3::new(0.0, 0.25, -0.02), Vec3::new(0.0, 0.55, 0.1), Vec3::new(-0.04, 0.3, 0.27)];
const MASSES: [f64; 3] = [4.0, 9.0, 2.0];

fn rod(builder: &mut ModelBuilder, carrier: BodyId) -> usize {
    builder.closure(Closure::Distance {
        a: carrier,
        point_a: ROD_CARRIER,
        b: BodyId::WORLD,
        point_b: ROD_GROUND,
    })
}

fn reduced() -> (MultibodyModel, [BodyId; 3]) {
    let mut builder = ModelBuilder::default();
    let world = BodyId::WORLD;
    let [c0, c1, c2] = CENTERS;
    let [m0, m1, m2] = MASSES;
    let hinge = Joint::Revolute(LOWER_AXIS);
    let lower = builder.body(body("lower", world, hinge, LOWER_HINGE, c0, m0));
    let carrier = builder.body(body("carrier", lower, Joint::Spherical, LOWER_BALL, c1, m1));
    let hinge = Joint::Revolute(UPPER_AXIS);
    let upper = builder.body(body("upper", world, hinge, UPPER_HINGE, c2, m2));
    builder.closure(Closure::Point { a: carrier, b: upper, point: UPPER_BALL });
    rod(&mut builder, carrier);
    (builder.build().unwrap(), [lower, carrier, upper])
}

/// Adds a hinge of two free bodies: a common point, and the axis perpendicular to two directions of
/// the other body.
fn hinge(builder: &mut ModelBuilder, a: BodyId, b: BodyId, point: Vec3, axis: Vec3) {
    builder.closure(Closure::Point { a, b, point });
    let across = axis.cross(&Vec3::z()).normalize();
    for axis_b in [across, axis.cross(&across)] {
        builder.closure(Closure::Angle { a, axis_a: axis, b, axis_b });
    }
}

fn maximal() -> (MultibodyModel, [BodyId; 3]) {
    let mut builder = ModelBuilder::default();
    let world = BodyId::WORLD;
    let names = ["lower", "carrier", "upper"];
    let [lower, carrier, upper] = [0, 1, 2].map(|k| {
        let joint = Joint::Free;
        builder.body(body(names[k], world, joint, CENTERS[k], CENTERS[k], MASSES[k]))
    });
    hinge(&mut builder, lower, world, LOWER_HINGE, LOWER_AXIS);
    hinge(&mut builder, upper, world, UPPER_HINGE, UPPER_AXIS);
    builder.closure(Closure::Point { a: carrier, b: lower, point: LOWER_BALL });
    builder.closure(Closure::Point { a: carrier, b: upper, point: UPPER_BALL });
    rod(&mut builder, carrier);
    (builder.build().unwrap(), [lower, carrier, upper])
}

/// Returns the positions of the bodies after falling from rest for 0.3 s, concatenated.
fn fallen((model, bodies): &(MultibodyModel, [BodyId; 3]), h: f64) -> Vec<f64> {
    let (mut state, mut workspace) = start(model);
    for _ in 0..(0.3 / h).round() as usize {
        model.advance(&mut state, &mut workspace, h).unwrap();
        assert!(workspace.drift < 1e-6, "{}", workspace.drift);
    }
    bodies
        .iter()
        .flat_map(|&body| {
            let pose = model.pose(&workspace, body);
            let turned = pose.orientation.coords;
            let turned = turned * turned.w.signum();
            [pose.position.as_slice(), turned.as_slice()].concat()
        })
        .collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn reduced_and_maximal_coordinates_agree() {
    let (tree, free) = (reduced(), maximal());
    assert_eq!((tree.0.coordinates(), free.0.coordinates()), (5, 18));
    let [coarse, middle, fine] = [1e-3, 5e-4, 2.5e-4].map(|h| [fallen(&tree, h), fallen(&free, h)]);
    let moved = (Vec3::from_column_slice(&fine[0][7..10]) - CENTERS[1]).norm();
    assert!(moved > 0.1, "the carrier has moved by {moved} m");
    let gaps = [&coarse, &middle, &fine].map(|[tree, free]| distance(tree, free));
    println!("moved {moved:.3}, apart at h, h/2, h/4: {gaps:.2?}");
    // Each is of first order, so their difference is too. The remainder at a step of zero
    // (Richardson over the last two) is of second order.
    assert!(gaps[0] < 2e-2, "{gaps:?}");
    let order = (gaps[1] / gaps[2]).log2();
    assert!(order > 0.8, "apart by order {order}: {gaps:?}");
    let limit = |k: usize| -> Vec<f64> {
        fine[k].iter().zip(&middle[k]).map(|(fine, middle)| 2.0 * fine - middle).collect()
    };
    let apart = distance(&limit(0), &limit(1));
    println!("apart at a step of zero: {apart:.2e}");
    assert!(apart < 0.05 * gaps[2], "{apart} against {gaps:?}");
}

/// A rod carries the force of statics.
///
/// A beam on a hinge is held level by the rod: its force is m g l / (2 l sin α), and the hinge
/// carries the rest.
#[test]
fn a_rod_carries_the_force_of_statics() {
    let mut builder = ModelBuilder::default();
    let (mass, length, height) = (7.0, 2.0, 1.5);
    let com = Vec3::new(0.5 * length, 0.0, 0.0);
    let beam = builder.body(body("beam", BodyId::WORLD, Joint::Free, com, com, mass));
    hinge(&mut builder, beam, BodyId::WORLD, Vec3::zeros(), Vec3::y());
    let rod = builder.closure(Closure::Distance {
        a: beam,
        point_a: Vec3::new(length, 0.0, 0.0),
        b: BodyId::WORLD,
        point_b: Vec3::new(0.0, 0.0, height),
    });
    let model = builder.build().unwrap();
    let (mut state, mut workspace) = start(&model);
    for _ in 0..20 {
        model.advance(&mut state, &mut workspace, 1e-3).unwrap();
    }
    let slope = height.atan2(length);
    let tension = 0.5 * mass * 9.81 / slope.sin();
    let force = state.closure_forces[model.closure_row(rod)].abs();
    // The closures yield by 1e-10 m/s per N s: at most 1e-7 of a force.
    assert!((force / tension - 1.0).abs() < 1e-6, "{force} is not {tension}");
    let at_hinge = Vec3::from_column_slice(&state.closure_forces[..3]);
    let expected = Vec3::new(tension * slope.cos(), 0.0, 0.5 * mass * 9.81);
    let sign = at_hinge.z.signum();
    assert!((at_hinge * sign - expected).norm() < 1e-5 * tension, "{at_hinge} is not {expected}");
}

/// Tensions of three rods that meet in the center of a weight solve the equilibrium of the point.
#[test]
fn a_tripod_shares_the_weight_by_statics() {
    let mut builder = ModelBuilder::default();
    let mass = 11.0;
    let com = Vec3::new(0.1, -0.2, 0.0);
    let weight = builder.body(body("weight", BodyId::WORLD, Joint::Free, com, com, mass));
    let tops = [Vec3::new(1.0, 0.0, 2.0), Vec3::new(-0.8, 0.9, 1.5), Vec3::new(-0.3, -1.2, 1.8)];
    for top in tops {
        builder.closure(Closure::Distance {
            a: weight,
            point_a: com,
            b: BodyId::WORLD,
            point_b: top,
        });
    }
    let model = builder.build().unwrap();
    let (mut state, mut workspace) = start(&model);
    for _ in 0..20 {
        model.advance(&mut state, &mut workspace, 1e-3).unwrap();
    }
    let directions = tops.map(|top| (top - com).normalize());
    let tensions = nalgebra::Matrix3::from_columns(&directions)
        .lu()
        .solve(&Vec3::new(0.0, 0.0, mass * 9.81))
        .unwrap();
    for (force, tension) in state.closure_forces.iter().zip(tensions.iter()) {
        assert!((force.abs() / tension.abs() - 1.0).abs() < 1e-6, "{force} is not {tension}");
    }
}

#[test]
fn impossible_models_are_refused() {
    let at = Vec3::zeros();
    let refused = |builder: ModelBuilder| builder.build().expect_err("must be refused").to_string();
    let mut builder = ModelBuilder::default();
    let root = builder.body(body("root", BodyId::WORLD, Joint::Free, at, at, 1.0));
    builder.body(body("child", root, Joint::Free, at, at, 1.0));
    assert!(refused(builder).contains("'child' has a free joint"));
    let mut builder = ModelBuilder::default();
    builder.body(body("ghost", BodyId::WORLD, Joint::Free, at, at, f64::NAN));
    assert!(refused(builder).contains("'ghost' has a mass of NaN kg"));
    let mut builder = ModelBuilder::default();
    builder.shaft(0.0);
    assert!(matches!(builder.build(), Err(ModelError::ShaftInertia { index: 0, .. })));
    let mut builder = ModelBuilder::default();
    let root = builder.body(body("root", BodyId::WORLD, Joint::Free, at, at, 1.0));
    let (a, b) = (root, BodyId::WORLD);
    builder.closure(Closure::Distance { a, point_a: at, b, point_b: at });
    assert!(refused(builder).contains("'root' and 'world' are connected by a line of zero length"));
}
