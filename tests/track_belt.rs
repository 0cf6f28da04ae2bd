//! Tracked vehicles on belts: rest, slopes, thrust, turning, and runs of the reference.

use crate::scene;

use bekker::rig::{Rig, RigidTracks, TrackMotion, TrackRig, TrackedDrive};
use bekker::scenario::ScenarioFile;
use bekker::simulation::{
    AgentModel, ContactWorkspace, GroundVehicle, Sample, TrackedGroundVehicle, World,
};
use bekker::soil::catalog::catalog;
use bekker::soil::{Laws, Soil, SoilId};
use bekker::spatial::{Pose, Vec3};
use bekker::terrain::{SoilMap, Surface, Terrain};
use bekker::vehicle::driver::{Driver, LongitudinalState, SpeedControl};
use bekker::vehicle::spec::{TrackModel, TrackResistance, TrackSteering};
use bekker::vehicle::{AnySpec, Controls, Selector, TrackedSpec, TrackedVehicle, find_vehicle};
use scene::{drive, flat, ground, soil, table, world};
use std::path::Path;
use std::sync::Arc;

const GRAVITY: f64 = bekker::numeric::GRAVITY;

fn m113_chrono() -> TrackedSpec {
    match find_vehicle("m113_chrono").unwrap() {
        AnySpec::Tracked(spec) => *spec,
        AnySpec::Wheeled(_) => panic!("the M113 runs on tracks"),
    }
}

fn yielding(soil: &Soil) -> bekker::soil::DeformableSoil {
    match &soil.kind {
        bekker::soil::SoilKind::Deformable(yielding) => yielding.clone(),
        bekker::soil::SoilKind::Firm { .. } => panic!("{} is firm", soil.name),
    }
}

/// Returns a plane that rises along x by `grade` m per meter.
fn slope(grade: f64) -> Terrain {
    let surface = Surface::Plane { elevation: 0.0, slope: [grade, 0.0] };
    Terrain::builder(surface, SoilMap::uniform(SoilId(0))).build().unwrap()
}

fn agent(spec: TrackedSpec, driver: Driver, terrain: &Terrain) -> AgentModel {
    let vehicle = bekker::simulation::AnyVehicle::from(TrackedGroundVehicle::new(Arc::new(
        TrackedVehicle::new(spec).unwrap(),
    )));
    let start = vehicle.resting_pose(terrain, 0.0, 0.0, 0.0);
    AgentModel {
        name: "m113".into(),
        vehicle,
        driver,
        leader: None,
        start,
        speed: 0.0,
        gear: None,
        sensors: Vec::new(),
        autonomy: None,
        uncouple_time: None,
    }
}

/// In the design position rotating parts are where the file specifies, as sent to other agents.
#[test]
fn sprockets_and_idlers_are_at_their_specified_positions() {
    let spec = bekker::vehicle::find_vehicle("m113_chrono").unwrap().tracked().unwrap().clone();
    let vehicle = TrackedVehicle::new(spec.clone()).unwrap();
    let state = vehicle.launched(&Pose::default(), 0.0);
    let body = vehicle.workspace(&state);
    let [sx, sy, sz] = spec.sprocket.position;
    let [ix, _, iz] = spec.idler.position;
    for (side, y) in [(0, sy), (1, -sy)] {
        let [sprocket, idler] =
            [vehicle.sprocket_pose(&state, &body, side), vehicle.idler_pose(&body, side)];
        assert!((sprocket.position - Vec3::new(sx, y, sz)).norm() < 1e-12, "{sprocket:?}");
        // Along x its position is set by the tensioner: 2 cm by the preload on the left, 10 cm on
        // the right, where the belt has one more shoe.
        let off = idler.position - Vec3::new(ix, y, iz);
        assert!(off.x.abs() < 0.12 && off.yz().norm() < 1e-12, "{idler:?}");
    }
}

fn braked() -> Driver {
    table(&[], &[], &[[0.0, 1.0], [1.0, 1.0]])
}

fn world_on(soil: Soil, terrain: Terrain, spec: TrackedSpec, driver: Driver) -> World {
    let agent = agent(spec, driver, &terrain);
    world(ground(0.05, terrain, vec![soil]), 2e-3, vec![agent])
}

fn sample(world: &World) -> Sample {
    world.samples().next().unwrap()
}

/// Returns the distance that the vehicle moves between `from` and `to`, s, in m.
fn moved(world: &mut World, from: f64, to: f64) -> f64 {
    drive(world, from);
    let before = sample(world).pose.position;
    drive(world, to);
    (sample(world).pose.position - before).norm()
}

#[test]
fn its_weight_is_that_of_its_bodies() {
    let vehicle = TrackedVehicle::new(m113_chrono()).unwrap();
    assert!((vehicle.mass() - 11342.86).abs() < 1e-6);
}

#[test]
fn at_rest_the_ground_carries_its_weight() {
    let weight = m113_chrono().total_mass() * GRAVITY;
    for name in ["mid", "hard"] {
        let mut world =
            world_on(soil(name), Terrain::flat(0.0, SoilId(0)), m113_chrono(), braked());
        // Means over one oscillation on the weak dampers of the data.
        drive(&mut world, 1.0);
        let (mut carried, heartbeats) = (0.0, 100);
        for _ in 0..heartbeats {
            world.advance();
            let wheels = sample(&world).wheels;
            carried += wheels.iter().map(|wheel| wheel.load).sum::<f64>() / f64::from(heartbeats);
        }
        let sample = sample(&world);
        assert!((carried / weight - 1.0).abs() < 1e-3, "{name}: {carried} N of {weight} N");
        // The parked vehicle does not creep, except by viscous shear.
        assert!(sample.velocity.norm() < 1e-3, "{name}: {} m/s", sample.velocity.norm());
    }
}

/// The M113 as built contacts clay with its whole shoes; Chrono's model contacts with its boxes,
/// 0.6 of that area.
#[test]
fn it_stands_on_clay_with_its_whole_shoes() {
    let clay = catalog().find("clayey_38_thailand").unwrap().to_soil();
    let pressure = |name: &str| {
        let spec = find_vehicle(name).unwrap().tracked().unwrap().clone();
        let weight = spec.total_mass() * GRAVITY;
        let nominal = spec.ground_pressure();
        let mut world = world_on(clay.clone(), Terrain::flat(0.0, SoilId(0)), spec, braked());
        drive(&mut world, 2.0);
        let area: f64 = sample(&world).wheels.iter().map(|wheel| wheel.area).sum();
        println!(
            "{name}: {:.1} kPa on {area:.3} m2, nominal {nominal:.0} Pa",
            1e-3 * weight / area
        );
        weight / area
    };
    let (built, chrono) = (pressure("m113"), pressure("m113_chrono"));
    // Some shoes between road wheels are not in contact.
    assert!((50e3..85e3).contains(&built), "{built} Pa");
    assert!(chrono > 1.3 * built, "{chrono} Pa, {built} Pa");
}

/// On a road the M113 as built climbs the published grade, limited by its torque; Chrono's model
/// stalls at 0.31.
#[test]
fn its_pull_on_a_road_is_limited_by_friction() {
    let steepest = |name: &str| {
        let spec = find_vehicle(name).unwrap();
        bekker::mobility::TractiveEffort::new(&spec).unwrap().relative_effort(0.0)
    };
    let (built, chrono) = (steepest("m113"), steepest("m113_chrono"));
    println!("{built:.3} {chrono:.3} of the weight");
    assert!(built > 0.57 && chrono < 0.35, "{built} {chrono}");
    assert!(steepest("m113_double_pin") > 0.55);
}

#[test]
fn braked_on_thirty_percent_it_stays() {
    let mut world = world_on(soil("hard"), slope(0.3), m113_chrono(), braked());
    // The reference creeps at about 0.25 m/s.
    let creep = moved(&mut world, 2.0, 6.0);
    println!("creeps {creep} m in 4 s");
    assert!(creep < 1e-3, "creeps {creep} m in 4 s");
}

#[test]
fn firm_ground_holds_it_on_thirty_percent() {
    let mut world = world_on(scene::firm(0.8), slope(0.3), m113_chrono(), braked());
    let creep = moved(&mut world, 2.0, 6.0);
    println!("creeps {creep} m in 4 s");
    assert!(creep < 1e-3, "creeps {creep} m in 4 s");
}

#[test]
fn the_steepest_slope_is_that_of_the_soils_friction() {
    // tan a = tan phi + A c / (W cos a): 30 degrees on `mid`
    let steepest = RigidTracks::from_spec(&m113_chrono()).max_slope(&yielding(&soil("mid")));
    assert!((steepest.to_degrees() - 30.0).abs() < 1e-6);
    let way = |degrees: f64| {
        let grade = degrees.to_radians().tan();
        moved(&mut world_on(soil("mid"), slope(grade), m113_chrono(), braked()), 3.0, 5.0)
    };
    let (below, above) = (way(28.0), way(33.0));
    assert!(below < 0.01, "slides {below} m in 2 s at 28 degrees");
    assert!(above > 0.3, "slides {above} m in 2 s at 33 degrees");
}

#[test]
fn thrust_follows_janosis_curve() {
    for name in ["mid", "hard"] {
        let soil = soil(name);
        let theory = RigidTracks::from_spec(&m113_chrono());
        let parameters = yielding(&soil);
        for slip in [0.05, 0.1, 0.3] {
            let motion = TrackMotion::Straight { speed: 1.0, slip };
            let rig =
                TrackRig { duration: 4.0, ..TrackRig::new(m113_chrono(), soil.clone(), motion) };
            let result = rig.run().unwrap();
            let expected = theory.thrust(&parameters, slip);
            // The tolerance stated with the closed form for a track on road wheels.
            let off = result.thrust / expected - 1.0;
            assert!(off.abs() < 0.15, "{name}, slip {slip}: {} for {expected} N", result.thrust);
            // Uniform pressure gives the least sinkage; under wheels it has peaks.
            let least = theory.resistance(&parameters);
            assert!(result.resistance > least, "{name}, slip {slip}: {}", result.resistance);
            // Forces are those at the start of a step, when fresh nodes begin to carry load.
            let carried = result.vertical / rig.weight();
            assert!((carried - 1.0).abs() < 0.05, "{name}, slip {slip}: carries {carried}");
        }
    }
}

/// Soil that rebounds as Wong's keeps contact with shoes between two road wheels, and its shear.
///
/// With the reference's stiffness of 2e8 to 4e8 Pa/m the default laws lost 17 to 42 % of the thrust.
#[test]
fn default_laws_keep_the_shear_between_road_wheels() {
    let AnySpec::Tracked(m113) = find_vehicle("m113").unwrap() else { panic!("on wheels") };
    let theory = RigidTracks::from_spec(&m113);
    let motion = TrackMotion::Straight { speed: 1.0, slip: 0.1 };
    let soils = [
        ("chrono_hard", 0.07),
        ("chrono_mid", 0.07),
        ("dry_sand_lll", 0.07),
        ("clayey_38_thailand", 0.15),
    ];
    for (name, tolerance) in soils {
        let soil = catalog().find(name).unwrap().to_soil();
        let expected = theory.thrust(&yielding(&soil), 0.1);
        let rig = TrackRig::new((*m113).clone(), soil, motion);
        let result = TrackRig { duration: 4.0, laws: Laws::refined(), ..rig }.run().unwrap();
        let off = result.thrust / expected - 1.0;
        println!("{name}: {off:+.3}, resistance {:.0} N", result.resistance);
        assert!(off.abs() < tolerance, "{name}: {} for {expected} N", result.thrust);
    }
}

/// The thrust is the same after twelve seconds.
///
/// Where thrust requires sliding, only the rig's guide keeps a vehicle from yawing. Unguided this
/// one gave 3 kN after twelve seconds, perpendicular to its heading.
#[test]
fn it_pulls_as_hard_after_twelve_seconds() {
    let motion = TrackMotion::Straight { speed: 1.0, slip: 0.4 };
    let rig = TrackRig { duration: 12.0, ..TrackRig::new(m113_chrono(), soil("hard"), motion) };
    let result = rig.run().unwrap();
    let expected = RigidTracks::from_spec(&m113_chrono()).thrust(&yielding(&soil("hard")), 0.4);
    // All of its shear is mobilized. The rest is 0.1 % when this was written, plus the load
    // distribution along the track.
    let off = result.thrust / expected - 1.0;
    assert!(off.abs() < 0.05, "{} for {expected} N", result.thrust);
    assert!(result.yaw_rate.abs() < 1e-4, "turns at {} rad/s", result.yaw_rate);
}

#[test]
fn turning_on_the_spot_costs_lateral_friction() {
    let motion = TrackMotion::Pivot { speed: 0.5 };
    let rig = TrackRig { duration: 4.0, ..TrackRig::new(m113_chrono(), soil("mid"), motion) };
    let result = rig.run().unwrap();
    let theory = RigidTracks::from_spec(&m113_chrono());
    let strength = theory.weight * 30f64.to_radians().tan();
    let expected = theory.pivoting_moment(strength);
    // Sliding friction of every point under uniform pressure: 3.0 % off when this was written. The
    // load distribution along the track matters: with equal loads on five wheels the moment would
    // be 16 % larger, but the track relieves the outer wheels. Half of that is allowed.
    let off = result.turning_moment / expected - 1.0;
    assert!(off.abs() < 0.08, "{} for {expected} N m", result.turning_moment);
    assert!(result.turning_moment < theory.turning_moment(strength));
    assert!(result.yaw_rate > 0.1, "turns at {} rad/s", result.yaw_rate);
    assert!(result.yaw_rate < 2.0 * 0.5 / theory.gauge, "turns at {} rad/s", result.yaw_rate);
}

/// Tracks driven by motors turn the vehicle equally with any steering drive.
#[test]
fn a_steering_drive_does_not_hold_tracks_that_are_turned_by_motors() {
    let pivoting = |steering: Option<TrackSteering>| {
        let mut spec = m113_chrono();
        spec.drive.steering = steering.unwrap_or(spec.drive.steering);
        let motion = TrackMotion::Pivot { speed: 0.5 };
        let rig = TrackRig { duration: 3.0, ..TrackRig::new(spec, soil("mid"), motion) };
        rig.run().unwrap()
    };
    let [own, pivot] = [None, Some(TrackSteering::Pivot { ratio: 0.05 })].map(pivoting);
    // The only remaining effect of the steering is that of its dragged shafts.
    let off = pivot.turning_moment / own.turning_moment - 1.0;
    assert!(off.abs() < 1e-3, "{} and {} N m", pivot.turning_moment, own.turning_moment);
    assert!((pivot.yaw_rate / own.yaw_rate - 1.0).abs() < 1e-3, "{pivot:?}, not {own:?}");
}

#[test]
fn every_steering_turns_it_to_the_commanded_side() {
    let brake_torque = 10_000.0;
    let steerings = [
        TrackSteering::Differential { ratio: 0.29, brake_torque },
        TrackSteering::ClutchBrake { brake_torque },
        TrackSteering::Pivot { ratio: 0.05 },
    ];
    for steering in steerings {
        for side in [1.0, -1.0] {
            let mut spec = m113_chrono();
            spec.drive.steering = steering;
            let driver =
                table(&[[0.0, 0.0], [1.0, 0.0], [1.2, 1.0]], &[[2.0, 0.0], [2.5, side]], &[]);
            let mut world = world_on(soil("hard"), Terrain::flat(0.0, SoilId(0)), spec, driver);
            drive(&mut world, 6.0);
            let yaw = sample(&world).pose.yaw();
            assert!(yaw * side > 0.1, "{steering:?}: yaw {yaw} for steering {side}");
        }
    }
}

#[test]
fn drives_as_the_reference() {
    // Project Chrono @7689fbc, M113 with single-pin track, released at 1.1 m, throttle 0.6 from 1.2
    // s: distance and speed after 6 s, and the tolerance. The target is 5 %; the bounds keep the
    // difference from growing. See tests/track_segmented.rs.
    let reference = [("hard", [8.573, 2.797], [0.05, 0.07]), ("mid", [5.878, 1.852], [0.15, 0.3])];
    for (name, expected, within) in reference {
        let ground = ground(0.05, Terrain::flat(0.0, SoilId(0)), vec![soil(name)]);
        let mut pose = TrackedDrive::level(&m113_chrono());
        pose.position.z = 1.1;
        let mut own = TrackedDrive::new(m113_chrono(), ground, &pose, 0.0, 2e-3).unwrap();
        while own.time() < 6.0 - 1e-3 {
            own.evaluate_contact();
            let throttle = 0.6 * ((own.time() - 1.0) / 0.2).clamp(0.0, 1.0);
            own.advance(&Controls { throttle, ..Controls::default() }).unwrap();
        }
        let found = [own.pose().position.x, own.speed()];
        println!("{name}: {found:?} for {expected:?}");
        for ((found, expected), within) in found.iter().zip(expected).zip(within) {
            assert!((found / expected - 1.0).abs() < within, "{name}: {found} for {expected}");
        }
    }
}

/// The energy absorbed by the soil in compaction, shear and damping equals the shoes' loss.
///
/// The same drive loses the same at a fifth of the step.
#[test]
fn the_soil_receives_the_work_of_the_shoes() {
    let lost = |soil: &str, step: f64| {
        let ground = ground(
            0.05,
            Terrain::flat(0.0, SoilId(0)),
            vec![catalog().find(soil).unwrap().to_soil()],
        );
        let mut own = TrackedDrive::new(
            m113_chrono(),
            ground,
            &TrackedDrive::level(&m113_chrono()),
            4.0,
            step,
        )
        .unwrap();
        let (mut taken, mut start) = (0.0, 0.0);
        while own.time() < 8.0 - 0.5 * step {
            if own.time() < 3.0 {
                own.start_account();
                (taken, start) = (0.0, own.pose().position.x);
            }
            own.evaluate_contact();
            own.advance_driven([4.0; 2]).unwrap();
            for contact in own.workspace.contacts() {
                let works = &contact.works;
                taken += works.compaction + (works.shear + works.damping + works.spin) * step;
            }
        }
        let way = own.pose().position.x - start;
        let lost = own.account().0.soil;
        println!("{soil}, {step} s: lost {:.0} N, taken {:.0} N", lost / way, taken / way);
        // Found: 1.4 to 2.2 %, hardly less with short steps; the cause was not found.
        assert!((taken / lost - 1.0).abs() < 0.03, "{soil}, {step} s: {taken} J of {lost} J");
        lost / way
    };
    for soil in ["chrono_hard", "mud"] {
        let [long, short] = [2e-3, 4e-4].map(|step| lost(soil, step));
        assert!((long / short - 1.0).abs() < 0.03, "{soil}: {long} N, {short} N");
    }
}

fn own_resistance(force: f64, per_speed: f64) -> TrackResistance {
    TrackResistance { force: Some(force), per_speed: Some(per_speed), coefficient: None }
}

/// Over a long drive belts and shoes differ only by their running resistance.
///
/// It is a formula on belts; on shoes it results from pins, rims, teeth and guides. A belt with the
/// loss of shoes drives equally far.
#[test]
fn belts_and_shoes_part_by_their_running_resistance() {
    let drive = |model: TrackModel, resistance: Option<TrackResistance>| {
        let mut spec = TrackedSpec { model, ..m113_chrono() };
        spec.drive.resistance = resistance.unwrap_or(spec.drive.resistance);
        let ground = ground(0.05, Terrain::flat(0.0, SoilId(0)), vec![scene::firm(0.8)]);
        let pose = TrackedDrive::level(&spec);
        let mut own = TrackedDrive::new(spec, ground, &pose, 0.0, 1e-3).unwrap();
        while own.time() < 8.0 {
            own.evaluate_contact();
            let throttle = f64::from(u8::from(own.time() > 0.5));
            own.advance(&Controls { throttle, ..Controls::default() }).unwrap();
        }
        own.pose().position.x
    };
    // Both tracks with the data's tension lose 3.5 kN at 1 m/s and 11.0 kN at 6 m/s
    // (docs/validation.md). The ground takes 1.0 and 2.1 kN of it, as it does from a belt's shoes.
    let of_shoes = own_resistance(610.0, 640.0);
    let shoes = drive(TrackModel::Segmented, None);
    let belt = drive(TrackModel::Belt, None);
    let lossy = drive(TrackModel::Belt, Some(of_shoes));
    println!("shoes {shoes} m, belt {belt} m, belt that loses as shoes do {lossy} m");
    assert!(belt > 1.1 * shoes, "{belt} {shoes}");
    // A linear fit to a nonlinear loss, without the load of driving.
    assert!((lossy / shoes - 1.0).abs() < 0.04, "{lossy} {shoes}");
}

/// Drives on level firm ground from an initial rolling speed and returns works between `from` and
/// `to`, s.
///
/// The values are the sprockets' work, the increase of kinetic and potential energy, and the
/// engine's work behind its converter, J. Then follow the integral of the road wheels' torques
/// times their spins, J, and the distance, m.
fn worked(
    spec: &TrackedSpec,
    speed: f64,
    [from, to]: [f64; 2],
    mut controls: impl FnMut(&TrackedDrive) -> Controls,
) -> [f64; 5] {
    let ground = ground(0.05, Terrain::flat(0.0, SoilId(0)), vec![scene::firm(0.8)]);
    let pose = TrackedDrive::level(spec);
    let mut own = TrackedDrive::new(spec.clone(), ground, &pose, speed, 2e-3).unwrap();
    let (mut sprockets, mut wheels, mut start) = (0.0, 0.0, 0.0);
    while own.time() < to {
        if own.time() < from {
            own.start_account();
            (sprockets, wheels, start) = (0.0, 0.0, own.pose().position.x);
        }
        own.evaluate_contact();
        own.advance(&controls(&own)).unwrap();
        for (side, of) in own.workspace.vehicle.drives().into_iter().enumerate() {
            let spin = own.on_tracks.vehicle.sprocket_speed(&own.state, side);
            sprockets += (of.drive + of.brake) * spin * own.step;
        }
        let samples = own.workspace.samples();
        wheels += samples.iter().map(|wheel| wheel.torque * wheel.spin * own.step).sum::<f64>();
    }
    let (account, gain) = own.account();
    [sprockets, gain, account.engine, wheels, own.pose().position.x - start]
}

/// The sprockets' work, which is the engine's, includes the running resistance of the tracks.
#[test]
fn the_running_resistance_is_in_the_work_of_the_sprockets() {
    let speed = 4.0;
    let with = m113_chrono();
    let mut without = m113_chrono();
    without.drive.resistance = own_resistance(0.0, 0.0);
    let [force, free] = [&with, &without].map(|spec| {
        let control = SpeedControl::default();
        let mut memory = control.start();
        let [work, gain, engine, wheels, way] = worked(spec, speed, [6.0, 10.0], |own| {
            let motion = LongitudinalState { speed: own.speed(), ..LongitudinalState::default() };
            control.controls(&mut memory, speed, &motion, own.step)
        });
        println!("{work:.0} J, engine {engine:.0} J, wheels {wheels:.0} J, gained {gain:.0} J, {way:.2} m");
        // The difference is taken up by shafts while the speed still oscillates.
        assert!((work / engine - 1.0).abs() < 0.02, "{work} J of the engine's {engine} J");
        // Parts of the belt run slightly faster or slower than its sprocket.
        assert!((wheels / work - 1.0).abs() < 0.01, "{wheels} J of {work} J");
        (work - gain) / way
    });
    let expected = with.internal_resistance(speed);
    println!("{force:.0} N and {free:.0} N, apart by the law {expected:.0} N");
    // The driver keeps the speed within some cm/s.
    assert!(((force - free) / expected - 1.0).abs() < 0.03, "{force} N, {free} N, {expected} N");
}

/// Turning in place, all engine work goes through the steering drive and the sprockets.
#[test]
fn a_pivoting_vehicle_works_by_its_sprockets() {
    let spec = find_vehicle("marder").unwrap().tracked().unwrap().clone();
    let turn = |_: &TrackedDrive| Controls {
        throttle: 0.6,
        steering: 1.0,
        gear: Selector::Neutral,
        ..Controls::default()
    };
    let [work, gain, engine, ..] = worked(&spec, 0.0, [3.0, 6.0], turn);
    println!("{work:.0} J of the engine's {engine:.0} J, gained {gain:.0} J");
    assert!(engine > 1e4, "{engine} J");
    assert!((work / engine - 1.0).abs() < 0.02, "{work} J of the engine's {engine} J");
}

#[test]
fn the_idler_balances_its_band() {
    let vehicle = TrackedVehicle::new(m113_chrono()).unwrap();
    let state = vehicle.state(&Pose { position: Vec3::new(0.0, 0.0, 10.0), ..Pose::default() });
    let mut own = state.clone();
    let mut workspace = vehicle.workspace(&state);
    // In free fall for 0.2 s the belts and tensioners reach their balance.
    let controls = bekker::vehicle::Controls { brake: 1.0, ..Default::default() };
    for tick in 0..400 {
        vehicle.clear_loads(&mut workspace);
        vehicle.step(&mut own, &mut workspace, &controls, tick, 5e-4).unwrap();
    }
    for side in 0..2 {
        let tensions: Vec<f64> = vehicle.tensions(&workspace, side);
        let (rear, top) = (tensions[tensions.len() - 2], tensions[tensions.len() - 1]);
        let pull = vehicle.tensioner_force(&workspace, side);
        // The rear run leaves the idler at 13 degrees, the top run at 2.
        let expected = rear * 13f64.to_radians().cos() + top;
        assert!((pull / expected - 1.0).abs() < 0.02, "{pull} N against {expected} N");
        // Without slack the tensioner of the data gives 270 kN at the design position.
        assert!((100e3..270e3).contains(&pull), "{pull} N");
    }
}

/// The bits are the same when a second thread evaluates the contact of one track.
///
/// This happens for a single vehicle on fine ground. The route is oblique to the grid and crosses
/// an edge of firm ground.
#[test]
fn contact_on_a_second_thread_changes_no_bit() {
    let text = "format = 1\nname = \"edge\"\ntime = { duration = 2 }\nground = { spacing = 0.02 }\n\
        [soil]\ndefault = \"chrono_soft\"\n[[soil.zone]]\nsoil = \"firm\"\n\
        area = { kind = \"half_plane\", through = [1.2, 0], towards_deg = 10 }\n\
        [[vehicle]]\nname = \"m113\"\nmodel = \"m113_chrono\"\nposition = [0, 0]\nheading_deg = 35\nspeed = 3\n\
        driver = { kind = \"path\", speed = 4, waypoints = [[0, 0], [4, 3], [4, 12]] }\n";
    let file = ScenarioFile::parse("edge.toml", text, Path::new(""), &[]).unwrap();
    let start = World::new(bekker::scenario::build::world(&file).unwrap().world);
    let hash = || {
        let mut world = start.clone();
        drive(&mut world, 0.4);
        let touched: u32 = world.contacts(0).iter().map(|met| met.nodes_in_contact).sum();
        assert!(touched > 1000, "{touched} nodes in contact are worth no thread");
        world.hash()
    };
    // A thread of a pool is assumed to be shared by many worlds.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(hash(), pool.install(hash));
}

#[test]
fn threads_and_checkpoints_change_no_bit() {
    let build = || {
        let terrain = Terrain::flat(0.0, SoilId(0));
        let driver = || table(&[[0.5, 0.0], [0.6, 0.6]], &[[1.0, 0.0], [1.5, 0.5]], &[]);
        let tracked = agent(m113_chrono(), driver(), &terrain);
        let hmmwv = scene::vehicle("hmmwv");
        let mut behind = scene::agent(&hmmwv, driver(), scene::pose_at(-8.0, 0.0, 0.5));
        behind.name = "hmmwv".into();
        world(flat(0.05, soil("mid")), 2e-3, vec![tracked, behind])
    };
    scene::same_bits_on_threads_and_resumed(build, 1.5, 2.0);
}
