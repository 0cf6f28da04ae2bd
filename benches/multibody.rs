//! Multibody step of catalog vehicles on springs instead of soil, and of chains of bodies with
//! bushings.
//!
//! The cost of a chain must grow with its length.

use bekker::multibody::{
    Body, BodyId, Element, ElementForce, Inertia, Joint, ModelBuilder, MultibodyModel,
    MultibodyState, MultibodyWorkspace,
};
use bekker::numeric::sin;
use bekker::spatial::{Load, Pose, Vec3};
use bekker::vehicle::{Controls, Vehicle, VehicleState, VehicleWorkspace};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

const STEP: f64 = 2e-3;

/// Applies stiff, damped pads with a superposed wave and slight drag under every wheel.
fn press_wheels(vehicle: &Vehicle, workspace: &mut VehicleWorkspace) {
    let radius = vehicle.ride_radius();
    let foot = Vec3::new(0.0, 0.0, -radius);
    for wheel in 0..vehicle.wheels() {
        let pose = vehicle.wheel_pose(workspace, wheel);
        let twist = vehicle.wheel_twist(workspace, wheel);
        let mut load = Load::default();
        let depth = radius + 0.01 * sin(3.0 * pose.position.x) - pose.position.z;
        if depth > 0.0 {
            let velocity = twist.velocity_at(&foot);
            let lift = (3e5 * depth - 1e3 * velocity.z).max(0.0);
            let force = Vec3::new(-5e3 * velocity.x, -5e3 * velocity.y, lift);
            load.wrench.add_force(&force, &foot);
            load.add_tangent(&Vec3::z(), &foot, 3e5, 1e3);
            load.add_tangent(&Vec3::x(), &foot, 0.0, 5e3);
            load.add_tangent(&Vec3::y(), &foot, 0.0, 5e3);
        }
        workspace.loads()[wheel] = load;
    }
}

fn advance(
    vehicle: &Vehicle,
    state: &mut VehicleState,
    workspace: &mut VehicleWorkspace,
    tick: u64,
) {
    press_wheels(vehicle, workspace);
    let steering = 0.3 * sin(tick as f64 * STEP);
    let controls = Controls { throttle: 0.4, steering, ..Controls::default() };
    let stepped = vehicle.step(state, workspace, &controls, tick, STEP);
    stepped.expect("the bench's own drive");
}

fn vehicles(criterion: &mut Criterion) {
    for name in ["hmmwv", "mrzr4"] {
        let spec = bekker::vehicle::find_wheeled(name).expect("in the catalog");
        let vehicle = Vehicle::new(spec).expect("in the catalog");
        let height = vehicle.ride_radius() - vehicle.wheel_center(0).z;
        let start = Pose { position: Vec3::new(0.0, 0.0, height), ..Pose::default() };
        let mut state = vehicle.launched(&start, 5.0);
        let mut workspace = vehicle.workspace(&state);
        let mut tick = 0;
        criterion.bench_function(&format!("{name} step"), |bencher| {
            bencher.iter(|| {
                advance(&vehicle, &mut state, &mut workspace, tick);
                tick += 1;
            });
        });
        let (coordinates, rows) = vehicle.bodies().size();
        println!("  {coordinates} coordinates, {rows} closure rows");
    }
}

/// Builds a row of free bodies with three bushing rows between neighbors; the first body is tied to
/// the world.
fn chain(length: usize) -> (MultibodyModel, MultibodyState, MultibodyWorkspace) {
    let mut builder = ModelBuilder::default();
    let mut before = BodyId::WORLD;
    for index in 0..length {
        let place = Vec3::new(index as f64 * 0.2, 0.0, 0.0);
        let body = builder.body(Body {
            name: format!("link {index}"),
            parent: BodyId::WORLD,
            joint: Joint::Free,
            anchor: place,
            origin: place,
            inertia: Inertia::principal(10.0, place, [0.1, 0.2, 0.2]),
        });
        for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
            let point = place - Vec3::x() * 0.1;
            builder.element(Element::Axial {
                a: body,
                point_a: point,
                b: before,
                point_b: point,
                axis,
            });
        }
        before = body;
    }
    let model = builder.build().expect("the bench's own chain");
    let state = model.assembled();
    let mut workspace = model.workspace();
    model.refresh(&state, &mut workspace);
    (model, state, workspace)
}

fn chains(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("chain of free bodies");
    for length in [32, 64, 128, 150, 256, 512] {
        let (model, mut state, mut workspace) = chain(length);
        group.throughput(Throughput::Elements(length as u64));
        group.bench_function(BenchmarkId::from_parameter(length), |bencher| {
            bencher.iter(|| {
                for element in 0..workspace.element.len() {
                    let (stiffness, damping) = (1e6, 1e4);
                    let force =
                        stiffness * workspace.measure[element] + damping * workspace.rate[element];
                    workspace.element[element] = ElementForce { force, stiffness, damping };
                }
                let stepped = model.advance(&mut state, &mut workspace, STEP);
                black_box(stepped).expect("the bench's own chain");
            });
        });
    }
    group.finish();
}

criterion_group!(benches, vehicles, chains);
criterion_main!(benches);
