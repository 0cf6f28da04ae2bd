//! Solid axles stand, drive and stay closed, and engines drive the wheels of their layout.
//!
//! Open differentials give equal torques, locked ones equal speeds.

use crate::ranks::{alone, together};
use crate::scene;

use bekker::scenario::{ScenarioFile, build as scenario_build};
use bekker::simulation::{Command, MessageRoute, World, checkpoint};
use bekker::soil::SoilId;
use bekker::sync::Partition;
use bekker::terrain::{SoilMap, SoilRegion, Surface, Terrain};
use bekker::vehicle::spec::{AutomaticLock, Layout};
use bekker::vehicle::{Locks, Vehicle, VehicleSpec};
use scene::{agent, drive, firm, flat, ground, pose_at, soil, table, world};
use std::sync::Arc;

fn solid() -> VehicleSpec {
    VehicleSpec::from_toml(include_str!("data/solid_axles.toml")).unwrap()
}

fn build(spec: VehicleSpec) -> Arc<Vehicle> {
    Arc::new(Vehicle::new(spec).unwrap())
}

/// Drives until `time` and returns the largest drift at a heartbeat, m.
fn drive_closed(world: &mut World, time: f64) -> f64 {
    let mut worst = 0.0f64;
    while world.time() < time - 1e-9 {
        world.advance();
        worst = worst.max(world.drift());
    }
    worst
}

#[test]
fn a_vehicle_on_solid_axles_stands_drives_and_stays_closed() {
    let vehicle = build(solid());
    // Chassis, beams, spindles and knuckles, rack, four wheels with tires.
    let mass = 1000.0 + 85.0 + 4.0 * 3.8 + 2.0 * 5.0 + 4.0 + 4.0 * 23.0;
    assert!((vehicle.mass() - mass).abs() < 1e-9, "{}", vehicle.mass());
    for ground_soil in [firm(0.8), soil("mid")] {
        let driver = table(
            &[[4.0, 0.0], [4.5, 0.4]],
            &[[6.0, 0.0], [7.0, 0.5], [9.2, 0.5], [11.0, -0.5], [13.0, 0.0]],
            &[],
        );
        let model = agent(&vehicle, driver, pose_at(0.0, 0.0, vehicle.ride_radius()));
        let yields = ground_soil.name != "firm";
        let mut world = world(flat(0.05, ground_soil), 2e-3, vec![model]);
        let mut drift = drive_closed(&mut world, 4.0);
        let standing = world.samples().next().unwrap();
        let sum: f64 = standing.wheels.iter().map(|wheel| wheel.load).sum();
        assert!((sum / (mass * 9.81) - 1.0).abs() < 1e-3, "{sum} N on the wheels");
        assert!(standing.pose.position.xy().norm() < 0.05 && standing.speed.abs() < 1e-3);
        assert!(standing.pose.roll().abs() < 2e-3, "{}", standing.pose.roll());
        drift = drift.max(drive_closed(&mut world, 9.0));
        let turning = world.samples().next().unwrap();
        println!(
            "yields {yields}: {:.2} m/s, yaw rate {:.3}, drift {drift:.1e} m",
            turning.speed, turning.angular_velocity.z
        );
        assert!(turning.speed > 1.0 && turning.angular_velocity.z > 0.05, "turns left");
        drift = drift.max(drive_closed(&mut world, 14.0));
        assert!(drift < 1e-6, "{drift}");
        assert_eq!(world.state().agents[0].outcome, None);
    }
}

/// Returns torque and spin of the wheels while a vehicle of `spec` pulls away on firm ground.
fn driven(spec: VehicleSpec, terrain: Terrain) -> Vec<[f64; 2]> {
    let vehicle = build(spec);
    let driver = table(&[[1.0, 0.0], [1.2, 0.5]], &[], &[]);
    let model = agent(&vehicle, driver, pose_at(0.0, 0.0, vehicle.ride_radius()));
    let ground = ground(0.05, terrain, vec![firm(0.8), firm(0.1)]);
    let mut world = world(ground, 2e-3, vec![model]);
    drive(&mut world, 2.5);
    let sample = world.samples().next().unwrap();
    let found: Vec<[f64; 2]> =
        sample.wheels.iter().map(|wheel| [wheel.torque, wheel.spin]).collect();
    println!("speed {:.2}, torque and spin {found:.1?}", sample.speed);
    assert!(sample.speed > 0.2, "{}", sample.speed);
    found
}

/// Returns terrain that is firm, but slippery to the left of the x axis.
fn split() -> Terrain {
    let left = SoilRegion::HalfPlane { point: [0.0, 0.0], direction: [0.0, 1.0] };
    let soils = SoilMap::uniform(SoilId(0)).paint(left, SoilId(1)).unwrap();
    let plane = Surface::Plane { elevation: 0.0, slope: [0.0, 0.0] };
    Terrain::builder(plane, soils).build().unwrap()
}

#[test]
fn the_layout_determines_the_driven_wheels() {
    for (layout, driven_wheels) in [
        (Layout::Awd, [true, true, true, true]),
        (Layout::Fwd, [true, true, false, false]),
        (Layout::Rwd, [false, false, true, true]),
    ] {
        let mut spec = solid();
        spec.driveline.as_mut().unwrap().layout = layout;
        let wheels = driven(spec, Terrain::flat(0.0, SoilId(0)));
        for (wheel, pulls) in driven_wheels.into_iter().enumerate() {
            let torque = wheels[wheel][0];
            assert_eq!(torque.abs() > 1.0, pulls, "{layout:?} wheel {wheel}: {torque} N m");
        }
        // An open differential gives the same torque left and right.
        for axle in [0, 2] {
            let (left, right) = (wheels[axle][0], wheels[axle + 1][0]);
            assert!((left - right).abs() <= 1e-6 * left.abs(), "{layout:?}: {left}, {right}");
        }
    }
}

#[test]
fn a_locked_differential_turns_both_wheels_alike() {
    let of = |locked: bool, limit: f64| {
        let mut spec = solid();
        spec.driveline.as_mut().unwrap().layout = Layout::Rwd;
        for axle in &mut spec.axles {
            let drive = axle.final_drive.as_mut().unwrap();
            (drive.differential.locked, drive.differential.lock_torque) = (locked, limit);
        }
        let wheels = driven(spec, split());
        [wheels[2][1], wheels[3][1]]
    };
    // Open: the left wheel spins on the slippery side.
    let [left, right] = of(false, 2000.0);
    assert!(left > 2.0 * right, "{left} {right}");
    // Locked, within the clutch's capacity: equal, except for the elastic twist of its lining.
    let [left, right] = of(true, 5000.0);
    assert!((left - right).abs() < 0.02 * right, "{left} {right}");
    // Beyond its capacity the clutch slips, yet less than an open differential.
    let [left, right] = of(true, 100.0);
    assert!(left > 1.2 * right, "{left} {right}");
}

/// Brake pressures and locks that engage automatically or by command are state.
///
/// Bits are the same on any threads and ranks, and after a checkpoint during a pressure build-up.
#[test]
fn lagging_brakes_and_automatic_locks_give_the_same_bits() {
    const HEARTBEATS: usize = 300;
    let place = tempfile::tempdir().unwrap();
    let mut spec = bekker::vehicle::find_wheeled("hmmwv").unwrap();
    for axle in &mut spec.axles {
        axle.brake_lag = Some(0.4);
        let own = &mut axle.final_drive.as_mut().unwrap().differential;
        own.automatic = Some(AutomaticLock { engage_rpm: 2.0, release_rpm: 200.0 });
    }
    spec.driveline.as_mut().unwrap().center.commanded = true;
    std::fs::write(place.path().join("own.toml"), toml::to_string(&spec).unwrap()).unwrap();
    let vehicle = |name: &str, y: f64| {
        format!(
            "[[vehicle]]\nname = \"{name}\"\nmodel = \"own.toml\"\nposition = [0, {y}]\n\
             driver = {{ kind = \"table\", rows = [{{ time = 0, throttle = 0.5, steering = 0.4 }}, \
             {{ time = 1, throttle = 0.5, steering = 0.4, locks = {{ center = true }} }}, \
             {{ time = 1.9, throttle = 0.5, steering = 0.4 }}, {{ time = 2.0, brake = 0.6 }}, \
             {{ time = 9, brake = 0.6 }}] }}\n"
        )
    };
    let text = format!(
        "format = 1\nname = \"lag\"\ntime = {{ duration = 3 }}\nsoil = {{ default = \"chrono_mid\" }}\n\
         ground = {{ spacing = 0.1 }}\n{}{}",
        vehicle("a", 0.0),
        vehicle("b", 8.0)
    );
    let file = ScenarioFile::parse("lag", &text, place.path(), &[]).unwrap();
    let model = scenario_build::world(&file).unwrap().world;
    let expected = alone(model.clone(), HEARTBEATS);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(expected, one.install(|| alone(model.clone(), HEARTBEATS)));
    let found = together(&model, None, 2, &Partition::RoundRobin, MessageRoute::All, HEARTBEATS);
    assert_eq!(expected, found);
    let mut first = World::new(model);
    let (mut locked, mut center) = (false, Vec::new());
    for _ in 0..220 {
        first.advance();
        let engaged = &first.state().agents[0].vehicle.engaged;
        locked |= engaged[..2].contains(&true);
        center.push(engaged[2]);
    }
    assert!(locked, "no lock has engaged");
    // From 1 s, for as long as its row holds.
    let begun = center.iter().position(|engaged| *engaged).unwrap();
    assert!((99..=101).contains(&begun), "{begun}");
    let ended = begun + center[begun..].iter().position(|engaged| !engaged).unwrap();
    assert!((189..=191).contains(&ended), "{ended}");
    // A lock that the vehicle does not have is refused, by command as in a table.
    let locks = Locks { rear_axles: true, ..Locks::OPEN };
    let told = first.command(0, Some(Command { locks, ..Command::default() })).unwrap_err();
    assert!(told.to_string().contains("no lock 'rear_axles'"), "{told}");
    let other = text.replacen("center", "inter_axle", 1);
    let file = ScenarioFile::parse("lag", &other, place.path(), &[]).unwrap();
    let told = scenario_build::world(&file).unwrap_err().to_string();
    assert!(told.contains("must not lock inter_axle"), "{told}");
    // 0.2 s after the pedal; the pressure rises for half of that time.
    let pressure = first.state().agents[0].vehicle.pressures[0];
    assert!(pressure > 0.1 && pressure < 0.5, "{pressure}");
    let bytes = checkpoint::encode(first.model(), &text, first.state());
    let state = checkpoint::decode(first.model(), &text, &bytes).unwrap();
    let mut second = World::resume(first.shared_model(), state).unwrap();
    (220..HEARTBEATS).for_each(|_| second.advance());
    assert_eq!(&second.hash(), expected.last().unwrap());
}
