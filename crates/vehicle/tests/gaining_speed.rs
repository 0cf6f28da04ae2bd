//! Tests of drivers that limit their acceleration while they start and while gears change.

mod rolling;

use bekker_math::numeric::GRAVITY;
use bekker_math::spatial::Vec3;
use bekker_vehicle::driver::{
    AccelerationGoal, LongitudinalState, PedalView, SpeedControl, SpeedState,
};
use bekker_vehicle::{AnySpec, Controls, VehicleSpec, catalog, find_vehicle, find_wheeled};
use rolling::{H, Rolling, held};

/// Steps between recorded speeds, and recorded speeds per second.
const STRIDE: usize = 10;
const SECOND: usize = 100;
/// Target speed of the driver, m/s.
const TARGET: f64 = 10.0;

/// Speeds of a vehicle that starts on a plane of this sine with limited acceleration, m/s.
fn speeds(spec: &VehicleSpec, sine: f64, most: f64, time: f64) -> Vec<f64> {
    speeds_from(spec, 0.0, sine, most, time)
}

/// Speeds of a vehicle that rolls downhill at some speed, m/s, when its driver takes over.
fn speeds_from(spec: &VehicleSpec, rolls: f64, sine: f64, most: f64, time: f64) -> Vec<f64> {
    let mut own = Rolling::new(spec.clone());
    own.run(2.0, held());
    for step in 1..=2000 {
        let sine = sine * f64::from(step) / 2000.0;
        let cosine = (1.0 - sine * sine).sqrt();
        *own.room.gravity() = Vec3::new(-sine, 0.0, -cosine) * GRAVITY;
        own.step(&held());
    }
    let control = SpeedControl::default();
    let (mut memory, mut applied) = (control.start(), held());
    while rolls > 0.0 && own.speed() < rolls {
        (memory, applied) = (SpeedState::default(), Controls::default());
        own.step(&applied);
    }
    let mut told = Vec::new();
    for step in 0..(time / H).round() as usize {
        if step % STRIDE == 0 {
            told.push(own.speed());
        }
        let motion = LongitudinalState {
            speed: own.speed(),
            thrust: own.vehicle.drivetrain().thrust(&own.state),
            slope: sine,
            rim: own.vehicle.rim_speed(&own.state),
            slip: 0.0,
            gravity: GRAVITY,
        };
        let pedals = PedalView {
            response: own.vehicle.drivetrain().pedal_response(&own.state),
            applied,
            engine: own.vehicle.drivetrain().engine_response(&own.state),
        };
        let acceleration = ((TARGET - motion.speed) / 0.5).min(most);
        let aim = AccelerationGoal { acceleration, pedals };
        applied = control.controls_with_goal(&mut memory, TARGET, Some(&aim), &motion, H);
        own.step(&applied);
    }
    told
}

/// Largest speed gain within a second, m/s; start of motion, s; and final speed, m/s.
fn gained(speeds: &[f64]) -> [f64; 3] {
    let gains = speeds.windows(SECOND + 1).map(|own| own[SECOND] - own[0]);
    let moves = speeds.iter().position(|speed| *speed > 0.1).unwrap_or(speeds.len());
    let end = speeds.last().copied().unwrap_or_default();
    [gains.fold(0.0, f64::max), moves as f64 / SECOND as f64, end]
}

/// No vehicle exceeds the acceleration limit at the start or during gear changes.
///
/// Disturbances are engines that run up from rest in a converter or a slipping clutch, and shafts
/// that a gear change slows down. Robots with electric motors are excluded: their thrust exceeds
/// their weight, and they break loose with more than the limit.
#[test]
fn they_pull_away_with_no_more_than_their_acceleration() {
    for entry in catalog() {
        let AnySpec::Wheeled(spec) = find_vehicle(entry.key).unwrap() else { continue };
        if spec.motor_drive.is_some() {
            continue;
        }
        for most in [0.2, 0.3, 0.5, 1.5] {
            let [second, moves, end] = gained(&speeds(&spec, 0.0, most, 8.0));
            let case = format!("{} at {most} m/s²", entry.key);
            println!("{case}: {second:.3} m/s in a second, moves at {moves} s, {end:.2} m/s");
            // tolerance for the release of wheels that are held at rest, and for gear changes
            assert!(second < 1.2 * most, "{case}: gains {second} m/s in a second");
            assert!(moves < 1.5, "{case}: moves at {moves} s");
            // allowance for the first second, in which the resistance is estimated
            let least = (0.8 * most * (8.0 - moves)).min(0.6 * TARGET);
            assert!(end > least, "{case}: {end} m/s after 8 s");
        }
    }
}

/// The slope is included from the start when a driver takes over a vehicle that rolls downhill.
#[test]
fn they_take_over_downhill() {
    for name in ["hmmwv", "mrzr4"] {
        for [sine, most] in [[-0.29, 1.0], [-0.15, 0.5]] {
            let speeds = speeds_from(&find_wheeled(name).unwrap(), 2.0, sine, most, 4.0);
            let [second, _, end] = gained(&speeds);
            println!("{name} at {sine}: {second:.3} m/s in a second, {end:.2} m/s");
            // the slope alone would give 2.8 and 1.5 m/s
            assert!(second < 1.1 * most, "{name} at {sine}: gains {second} m/s in a second");
            assert!(end > 2.0 + 3.5 * most, "{name} at {sine}: {end} m/s after 4 s");
        }
    }
}

/// On a hill, vehicles neither jump forward nor roll back.
#[test]
fn they_pull_away_uphill() {
    for name in ["hmmwv", "fed_alpha", "mrzr4"] {
        let speeds = speeds(&find_wheeled(name).unwrap(), 0.15, 0.5, 8.0);
        let [second, moves, end] = gained(&speeds);
        println!("{name}: {second:.3} m/s in a second, moves at {moves} s, {end:.2} m/s");
        assert!(second < 0.6, "{name}: gains {second} m/s in a second");
        assert!(moves < 1.0, "{name}: moves at {moves} s");
        assert!(end > 3.2, "{name}: {end} m/s after 8 s");
        let back: f64 = speeds.iter().map(|speed| speed.min(0.0) / SECOND as f64).sum();
        assert!(back > -0.05, "{name}: rolls back by {back} m");
    }
}
