//! Tests of the return rollers' effect on the upper run, with a fixed hull.

use super::TrackedVehicle;
use super::assembly::TrackKind;
use crate::spec::{TrackModel, TrackedSpec};
use crate::{AnySpec, find_vehicle};
use bekker_math::numeric::GRAVITY;
use bekker_math::spatial::{Pose, Vec3};

/// Time step, s.
const H: f64 = 1e-3;

fn marder(model: TrackModel) -> TrackedSpec {
    let AnySpec::Tracked(spec) = find_vehicle("marder").unwrap() else { panic!("it is tracked") };
    let mut spec = TrackedSpec { model, ..*spec };
    // enough slack for a sag of centimeters
    (spec.idler.preload, spec.idler.stiffness) = (30e3, 1.0);
    spec
}

/// The vehicle after 1.5 s, suspended by its hull with the sprockets held.
fn hung(spec: TrackedSpec) -> (TrackedVehicle, crate::VehicleState, super::TrackedWorkspace) {
    let vehicle = TrackedVehicle::new(spec).unwrap();
    let start = Pose::default();
    let mut state = vehicle.state(&start);
    let mut room = vehicle.workspace(&state);
    let mass = vehicle.mass();
    // held at 5 Hz with half of critical damping
    let turn = std::f64::consts::TAU * 5.0;
    let middle = Vec3::from(vehicle.spec().chassis.com);
    for _ in 0..1500 {
        let (pose, twist) = (vehicle.pose(&room), vehicle.twist(&room));
        let force =
            Vec3::z() * (mass * GRAVITY) - (pose.position * turn + twist.linear) * (mass * turn);
        let weight = middle.cross(&(Vec3::z() * (mass * GRAVITY)));
        let inertia = 1e5;
        let leaning = pose.orientation.scaled_axis();
        let torque = weight - (leaning * turn + twist.angular) * (inertia * turn);
        let load = vehicle_load(&mut room);
        (load.wrench.force, load.wrench.torque) = (force, torque);
        vehicle.step_driven(&mut state, &mut room, [0.0; 2], H).unwrap();
    }
    (vehicle, state, room)
}

fn vehicle_load(room: &mut super::TrackedWorkspace) -> &mut bekker_math::spatial::Load {
    room.chassis_load()
}

/// Between two rollers a run of weight w per meter sags by w L²/8T, the parabola of a flat
/// catenary.
///
/// The corners of shoes of length p between pins are on this curve.
#[test]
fn shoes_sag_between_rollers_as_a_catenary_does() {
    let (vehicle, state, room) = hung(marder(TrackModel::Segmented));
    let spec = vehicle.spec();
    let TrackKind::Segments(run) = &vehicle.parts.tracks[0].run else {
        panic!("every shoe is a body")
    };
    let tensions = vehicle.tensions(&room, 0);
    let rollers = &spec.left.return_rollers;
    let (front, rear) = (rollers[0], rollers[1]);
    let height = |x: f64| {
        // height and tension of the upper run at x, between the shoes before and after it
        let upper = run.shoes.iter().zip(&tensions).map(|(shoe, &tension)| {
            let q = &state.body.q[shoe.position..shoe.position + 4];
            (q[0], q[2], tension)
        });
        let upper: Vec<_> = upper.filter(|own| own.1 > 0.1 && own.0 < -0.4).collect();
        let ahead = upper.iter().filter(|own| own.0 >= x).min_by(|a, b| a.0.total_cmp(&b.0));
        let behind = upper.iter().filter(|own| own.0 < x).max_by(|a, b| a.0.total_cmp(&b.0));
        let (a, b) = (ahead.unwrap(), behind.unwrap());
        let share = (x - b.0) / (a.0 - b.0);
        (b.1 + share * (a.1 - b.1), b.2)
    };
    let middle = height(0.5 * (front + rear));
    let ends = 0.5 * (height(front).0 + height(rear).0);
    let (sag, tension) = (ends - middle.0, middle.1);
    // the run lies on each roller over the length of a shoe, half of it on this side
    let span = front - rear - spec.shoe.pitch;
    let weight = spec.shoe.mass * GRAVITY / spec.shoe.pitch;
    let expected = weight * span * span / (8.0 * tension);
    assert!(sag > 0.01);
    // Shoes are straight and a ninth of the span long. Their middles are inside the parabola by a
    // few hundredths of its sag.
    assert!((sag / expected - 1.0).abs() < 0.05, "{sag}, not {expected}");
}

/// Without rollers the same run spans from idler to sprocket and sags more.
#[test]
fn rollers_carry_the_upper_run() {
    let lowest = |spec: TrackedSpec| {
        let (vehicle, state, _) = hung(spec);
        let TrackKind::Segments(run) = &vehicle.parts.tracks[0].run else { panic!("bodies") };
        let places = run.shoes.iter().map(|shoe| {
            let q = &state.body.q[shoe.position..shoe.position + 4];
            [q[0], q[2]]
        });
        places
            .filter(|place| place[1] > -0.1 && place[0] < -1.2 && place[0] > -4.3)
            .map(|place| place[1])
            .fold(f64::INFINITY, f64::min)
    };
    let with = marder(TrackModel::Segmented);
    let mut without = with.clone();
    without.return_roller = None;
    (without.left.return_rollers, without.right.return_rollers) = (Vec::new(), Vec::new());
    let [with, without] = [with, without].map(lowest);
    let roller = marder(TrackModel::Segmented).return_roller.unwrap();
    assert!(with > roller.height + roller.radius, "it touches no roller: {with} m");
    assert!(without < with - 0.05, "{without} m without rollers, {with} m with them");
}

/// The mass of a vehicle with a band over rollers is the sum of its parts.
///
/// The band turns the rollers, and only the hull carries the upper run.
#[test]
fn a_band_over_rollers_has_the_weight_and_tension_of_its_parts() {
    let (vehicle, _, room) = hung(marder(TrackModel::Belt));
    // 29 313.2 kg for all of Chrono's bodies, without the spin inertia of any wheel
    assert!((vehicle.mass() - vehicle.spec().total_mass()).abs() < 1e-6, "{}", vehicle.mass());
    for side in 0..2 {
        let top = *vehicle.tensions(&room, side).last().unwrap();
        let force = vehicle.tensioner_force(&room, side);
        // both runs leave the idler within a few degrees of horizontal, the lower one more steeply
        assert!(top > 0.45 * force && top < 0.65 * force, "{top} of {force} N");
    }
}
