//! Tracked vehicles with every shoe as a body: rest, slopes, turning, energy, obstacles, and runs
//! of the reference.

use crate::scene;

use bekker::ground::GroundModel;
use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::{
    AgentModel, AnyVehicle, ContactWorkspace, GroundVehicle, Sample, TrackedGroundVehicle, World,
};
use bekker::soil::{Soil, SoilId};

use bekker::rig::{RigidTracks, TrackedDrive};
use bekker::terrain::{Crs, Raster, SoilMap, Surface, Terrain};
use bekker::vehicle::driver::Driver;
use bekker::vehicle::spec::{TrackModel, TrackSteering};
use bekker::vehicle::{AnySpec, Controls, TrackedSpec, TrackedVehicle, find_vehicle};
use scene::lagging_transmission::behind;
use scene::{drive, flat, ground, soil, table, world};
use std::path::Path;
use std::sync::Arc;

const GRAVITY: f64 = bekker::numeric::GRAVITY;
/// Step of the runs, s.
const STEP: f64 = 1e-3;

fn m113() -> TrackedSpec {
    segmented("m113_chrono")
}

fn segmented(name: &str) -> TrackedSpec {
    match find_vehicle(name).unwrap() {
        AnySpec::Tracked(spec) => TrackedSpec { model: TrackModel::Segmented, ..*spec },
        AnySpec::Wheeled(_) => panic!("the M113 runs on tracks"),
    }
}

fn slope(grade: f64) -> Terrain {
    let surface = Surface::Plane { elevation: 0.0, slope: [grade, 0.0] };
    Terrain::builder(surface, SoilMap::uniform(SoilId(0))).build().unwrap()
}

fn agent(driver: Driver, terrain: &Terrain) -> AgentModel {
    let vehicle =
        AnyVehicle::from(TrackedGroundVehicle::new(Arc::new(TrackedVehicle::new(m113()).unwrap())));
    let start = vehicle.resting_pose(terrain, 0.0, 0.0, 0.0);
    let sensors = Vec::new();
    AgentModel {
        name: "m113".into(),
        vehicle,
        driver,
        leader: None,
        start,
        speed: 0.0,
        gear: None,
        sensors,
        autonomy: None,
        uncouple_time: None,
    }
}

fn world_on(soil: Soil, terrain: Terrain, driver: Driver) -> World {
    let agent = agent(driver, &terrain);
    world(ground(0.05, terrain, vec![soil]), STEP, vec![agent])
}

/// Builds a single vehicle with its chassis frame at `height`, m, or resting on level ground.
fn alone(ground: GroundModel, height: Option<f64>, speed: f64) -> TrackedDrive {
    let mut pose = TrackedDrive::level(&m113());
    pose.position.z = height.unwrap_or(pose.position.z);
    TrackedDrive::new(m113(), ground, &pose, speed, STEP).unwrap()
}

/// Drives until `time` with commands as a function of time.
fn run(own: &mut TrackedDrive, time: f64, commands: impl Fn(f64) -> Controls) {
    while own.time() < time - 0.5 * own.step {
        own.evaluate_contact();
        let controls = commands(own.time());
        own.advance(&controls).unwrap();
    }
}

fn sample(world: &World) -> Sample {
    world.samples().next().unwrap()
}

fn throttle(throttle: f64) -> Controls {
    Controls { throttle, ..Controls::default() }
}

fn ramp(time: f64, from: f64, over: f64) -> f64 {
    ((time - from) / over).clamp(0.0, 1.0)
}

#[test]
fn its_weight_is_that_of_its_bodies() {
    let vehicle = TrackedVehicle::new(m113()).unwrap();
    assert!((vehicle.mass() - 11342.86).abs() < 1e-6);
}

#[test]
fn at_rest_the_ground_carries_its_weight() {
    let weight = m113().total_mass() * GRAVITY;
    // The softer is the further from rest; weekly both.
    for name in &["mid", "hard"][..if crate::is_weekly() { 2 } else { 1 }] {
        let driver = table(&[], &[], &[[0.0, 1.0], [1.0, 1.0]]);
        let mut world = world_on(soil(name), Terrain::flat(0.0, SoilId(0)), driver);
        // It rocks at 1 Hz on the weak dampers of the data: means over two oscillations.
        drive(&mut world, 12.0);
        let (mut carried, heartbeats) = (0.0, 200);
        for _ in 0..heartbeats {
            world.advance();
            let wheels = sample(&world).wheels;
            carried += wheels.iter().map(|wheel| wheel.load).sum::<f64>() / f64::from(heartbeats);
        }
        let sample = sample(&world);
        println!("{name}: {carried} of {weight} N, {} m/s", sample.velocity.norm());
        assert!((carried / weight - 1.0).abs() < 1e-3, "{name}: {carried} N of {weight} N");
        assert!(sample.velocity.norm() < 1e-3, "{name}: {} m/s", sample.velocity.norm());
    }
}

#[test]
fn braked_on_thirty_percent_it_stays() {
    let driver = table(&[], &[], &[[0.0, 1.0], [1.0, 1.0]]);
    let mut world = world_on(soil("hard"), slope(0.3), driver);
    drive(&mut world, 10.0);
    let before = sample(&world).pose.position;
    drive(&mut world, 14.0);
    let creep = (sample(&world).pose.position - before).norm();
    println!("creeps {creep} m in 4 s");
    // The reference creeps at about 0.25 m/s.
    assert!(creep < 1e-3, "creeps {creep} m in 4 s");
}

#[test]
fn drives_as_the_reference() {
    // Project Chrono @7689fbc, M113 with single-pin track, released at 1.1 m, throttle 0.6 from 1.2
    // s, steps of 0.5 ms: distance and speed after 6 s. Its transmission leads its driveline by 8
    // to 13 % of its speed in first gear (0.24, the engine at 1180 to 1320 rpm). The tolerances are
    // without that effect and with it; the target is 5 %. On `mid` the reference has 2.3 kN of
    // resistance that bekker lacks: the bounds keep the difference from growing.
    let (hard, mid) = ([8.573, 2.797], [5.878, 1.852]);
    let reference = [
        ("hard", hard, false, [0.05, 0.05]),
        ("mid", mid, false, [0.12, 0.27]),
        ("mid", mid, true, [0.05, 0.19]),
    ];
    for (name, expected, lagging, within) in reference {
        let mut spec = m113();
        if let (true, Some(converter)) = (lagging, &mut spec.powertrain.converter) {
            *converter = behind(converter, 5e-4, 0.24, 130.0);
        }
        let mut pose = TrackedDrive::level(&spec);
        pose.position.z = 1.1;
        let ground = flat(0.05, soil(name));
        let mut own = TrackedDrive::new(spec, ground, &pose, 0.0, STEP).unwrap();
        run(&mut own, 6.0, |t| throttle(0.6 * ramp(t, 1.0, 0.2)));
        let found = [own.pose().position.x, own.speed()];
        println!("{name}, its transmission {lagging}: {found:?} for {expected:?}");
        for ((found, expected), within) in found.iter().zip(expected).zip(within) {
            assert!((found / expected - 1.0).abs() < within, "{name}: {found} for {expected}");
        }
    }
}

/// A vehicle is stationary where its steering gives a smaller moment than friction.
///
/// With the reference's braked differential at half lock both sprockets have equal torques, and 5
/// kN m are taken from the inner one. The tracks then turn the vehicle by 5 kN m B/(2 r), whatever
/// the engine gives. Sliding friction on the hard soil is twice that. The reference continues to
/// turn there; see docs/comparison.md.
#[test]
fn it_is_stationary_where_steering_is_below_friction() {
    let mut spec = m113();
    spec.drive.steering = TrackSteering::ClutchBrake { brake_torque: 1e4 };
    let given = 0.5 * spec.gauge() * 0.5 * 1e4 / spec.drive_radius();
    let tracks = RigidTracks::from_spec(&spec);
    let asked = tracks.pivoting_moment(tracks.weight * 31.1f64.to_radians().tan());
    assert!(given < 0.6 * asked, "{given} N m for {asked}");
    let pose = TrackedDrive::level(&spec);
    let mut own = TrackedDrive::new(spec, flat(0.05, soil("hard")), &pose, 0.0, STEP).unwrap();
    run(&mut own, 8.0, |t| Controls {
        throttle: 0.6 * ramp(t, 1.0, 0.2),
        steering: 0.5 * ramp(t, 3.0, 0.1),
        ..Controls::default()
    });
    println!("{given:.0} N m for {asked:.0}, yaw {}, {} m/s", own.pose().yaw(), own.speed());
    assert!(own.speed().abs() < 0.05, "{} m/s", own.speed());
    assert!(own.pose().yaw().abs() < 0.35, "yaw {}", own.pose().yaw());
}

#[test]
fn a_full_lock_turn_opens_no_pin_and_sheds_no_track() {
    let mut own = alone(flat(0.05, soil("hard")), None, 0.0);
    let (mut opening, mut aside) = (0.0f64, 0.0f64);
    while own.time() < 8.0 {
        own.evaluate_contact();
        let t = own.time();
        let steering = ramp(t, 3.0, 0.5);
        own.advance(&Controls {
            throttle: 0.8 * ramp(t, 0.5, 0.2),
            steering,
            ..Controls::default()
        })
        .unwrap();
        opening = opening.max(own.on_tracks.vehicle.pin_opening(&own.workspace.vehicle));
        for side in 0..2 {
            let middle = if side == 0 { 1.0795 } else { -1.0795 };
            for (place, _) in own.on_tracks.vehicle.shoe_bodies(&own.state, side) {
                aside = aside.max((place[1] - middle).abs());
            }
        }
    }
    println!("opening {opening} m, {aside} m aside, yaw {}", own.pose().yaw());
    assert!(own.pose().yaw() > 0.5, "yaw {}", own.pose().yaw());
    assert!(opening < 1e-4, "a pin opened by {opening} m");
    // The clearance of the horns and their deflection under side forces.
    assert!(aside < 0.03, "a shoe went {aside} m aside");
}

#[test]
fn energy_is_accounted_for() {
    let mut own = alone(flat(0.05, soil("mid")), None, 0.0);
    run(&mut own, 1.0, |_| Controls::default());
    own.start_account();
    run(&mut own, 21.0, |t| Controls {
        throttle: 0.6 * ramp(t, 1.0, 0.2),
        steering: 0.5 * ramp(t, 12.0, 1.0),
        ..Controls::default()
    });
    let (account, gain) = own.account();
    let lost = account.brakes + account.suspension + account.pins + account.rims;
    let spent = lost + account.soil + gain;
    println!("{account:?}, gain {gain}: {} of {}", spent, account.engine);
    assert!((spent / account.engine - 1.0).abs() < 0.01, "{spent} of {} J", account.engine);
}

#[test]
fn threads_and_checkpoints_change_no_bit() {
    let build = || {
        let terrain = Terrain::flat(0.0, SoilId(0));
        let driver = || table(&[[0.3, 0.0], [0.4, 0.6]], &[[0.6, 0.0], [0.8, 0.5]], &[]);
        let tracked = agent(driver(), &terrain);
        let mut second = agent(driver(), &terrain);
        second.name = "second".into();
        second.start.position.y = 6.0;
        world(flat(0.05, soil("mid")), STEP, vec![tracked, second])
    };
    scene::same_bits_on_threads_and_resumed(build, 0.8, 1.1);
}

/// Returns firm ground with heights over x, m, on a raster of 5 cm.
fn profile(height: impl Fn(f64) -> f64) -> GroundModel {
    let (columns, rows, cell) = (400, 100, 0.05);
    let values = (0..rows * columns).map(|k| height((k % columns) as f64 * cell - 8.0)).collect();
    let crs = Crs::local();
    let raster = Raster { columns, rows, south_west: [-8.0, -2.5], cell: [cell; 2], values, crs };
    let terrain = Terrain::builder(Surface::raster(raster).unwrap(), SoilMap::uniform(SoilId(0)));
    ground(0.05, terrain.build().unwrap(), vec![scene::firm(0.8)])
}

/// Drives over firm ground until `time` and returns the maximum depth of any shoe's pins below it,
/// m.
///
/// The value is negative if all pins stay above the ground.
fn deepest(own: &mut TrackedDrive, time: f64, height: impl Fn(f64) -> f64) -> f64 {
    let mut deepest = f64::NEG_INFINITY;
    while own.time() < time {
        let from = own.time();
        run(own, from + 0.02, |t| throttle(0.8 * ramp(t, 0.5, 0.2)));
        let pose = own.pose();
        for side in 0..2 {
            for (place, _) in own.on_tracks.vehicle.shoe_bodies(&own.state, side) {
                let place = pose.point(&place.into());
                // The face of a step extends over one cell of the raster.
                let ground = height(place.x - 0.15).min(height(place.x + 0.15));
                deepest = deepest.max(ground - place.z);
            }
        }
    }
    deepest
}

#[test]
fn it_climbs_a_step() {
    let height = |x: f64| if x > 2.0 { 0.4 } else { 0.0 };
    let mut own = alone(profile(height), None, 0.0);
    let deepest = deepest(&mut own, 6.0, height);
    let place = own.pose().position;
    println!("{place:?}, shoes {deepest} m under ground");
    assert!(place.x > 8.0 && place.z > 0.8, "{place:?}");
    // The pins run three centimeters above the ground.
    assert!(deepest < 0.0, "a shoe was {deepest} m under ground");
}

#[test]
fn it_bridges_a_ditch() {
    // The ditch is 1.5 m wide and 1 m deep; the vehicle's ground contact length is 2.67 m.
    let height = |x: f64| if x > 2.0 && x < 3.5 { -1.0 } else { 0.0 };
    let mut own = alone(profile(height), None, 0.0);
    let deepest = deepest(&mut own, 5.0, height);
    let place = own.pose().position;
    println!("{place:?}, shoes {deepest} m under ground");
    assert!(place.x > 8.0 && place.z > 0.4, "{place:?}");
    assert!(deepest < 0.0, "a shoe was {deepest} m under ground");
}

#[test]
fn a_double_pin_track_runs_as_well() {
    let spec = segmented("m113_double_pin");
    let weight = spec.total_mass() * GRAVITY;
    let pose = TrackedDrive::level(&spec);
    let ground = flat(0.05, soil("hard"));
    let mut own = TrackedDrive::new(spec.clone(), ground, &pose, 0.0, STEP).unwrap();
    let mut opening = 0.0f64;
    let (mut carried, mut steps) = (0.0, 0.0);
    while own.time() < 6.0 {
        own.evaluate_contact();
        let time = own.time();
        own.advance(&throttle(0.6 * ramp(time, 1.0, 0.2))).unwrap();
        opening = opening.max(own.on_tracks.vehicle.pin_opening(&own.workspace.vehicle));
        if time > 4.0 {
            carried += own.workspace.samples().iter().map(|wheel| wheel.load).sum::<f64>();
            steps += 1.0;
        }
    }
    carried /= steps;
    println!(
        "{} m, {} m/s, opening {opening}, carries {carried}",
        own.pose().position.x,
        own.speed()
    );
    assert!(own.pose().position.x > 5.0 && own.speed() > 2.0, "{} m/s", own.speed());
    assert!(opening < 2e-4, "a pin opened by {opening} m");
    // A mean over two seconds of a rough ride.
    assert!((carried / weight - 1.0).abs() < 0.02, "{carried} N of {weight} N");
    // Teeth engage whole shoes.
    let track = own.on_tracks.vehicle.track_speed(&own.state, 0);
    assert!((track / own.speed() - 1.0).abs() < 0.1, "{track} m/s over {}", own.speed());
}

/// Steps too long for these tracks give a warning, since results are wrong.
#[test]
fn long_steps_cause_a_warning() {
    let told = |model: &str, step: f64| {
        let text = format!(
            "format = 1\nname = \"long\"\n\
             time = {{ duration = 0.4, step = {step}, heartbeat = {step} }}\n\
             output = {{ interval = 0.4 }}\nsoil = {{ default = \"chrono_mid\" }}\n\
             [[vehicle]]\nname = \"own\"\nmodel = \"m113_chrono\"\nposition = [0, 0]\n\
             overrides = {{ model = \"{model}\" }}\n"
        );
        let file = ScenarioFile::parse("long", &text, Path::new(""), &[]).unwrap();
        let warnings = build::world(&file).unwrap().warnings;
        warnings.iter().any(|own| own.to_string().contains("is long for own, a tracked vehicle"))
    };
    assert!(!told("belt", 0.005) && told("belt", 0.008));
    assert!(!told("segmented", 0.0025) && told("segmented", 0.004));
}
