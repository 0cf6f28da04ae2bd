//! Tests of climbing on firm ground against the closed-form limits of tires, torque distribution
//! and powertrain, from a standing start.

mod rolling;

use bekker_math::numeric::GRAVITY;
use bekker_math::spatial::Vec3;
use bekker_vehicle::driver::{LongitudinalState, SpeedControl};
use bekker_vehicle::{Controls, Locks, VehicleSpec, find_wheeled};
use rolling::{H, Rolling, held};

/// Friction of the ground, equal to the reference friction of the tires' parameters.
const FRICTION: f64 = 0.8;
/// Slip limit of the driver: truck tires have their greatest force at 0.11 to 0.12.
const SLIP: f64 = 0.1;
/// Published grade of the HMMWV (military-today.com); for the FMTVs and the MAN from memory.
const PUBLISHED: f64 = 0.6;

/// Throttle strategy on a grade.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Foot {
    /// Full throttle.
    Floored,
    /// Holds 2 m/s and releases the throttle where a wheel spins.
    MindsSlip,
}

/// Distance that a vehicle climbs on a plane of this grade from a standing start in `time`, s, m.
fn climbed(spec: &VehicleSpec, grade: f64, foot: Foot, locks: Locks, time: f64) -> f64 {
    let mut own = Rolling::new(spec.clone());
    own.run(2.0, Controls { locks, ..held() });
    // Gravity is tilted once the vehicle stands: if placed on the slope, it would slide on unloaded
    // wheels.
    let tilted = |share: f64| {
        let angle = share * grade.atan();
        Vec3::new(-angle.sin(), 0.0, -angle.cos()) * GRAVITY
    };
    for step in 1..=2000 {
        *own.room.gravity() = tilted(f64::from(step) / 2000.0);
        own.step(&Controls { locks, ..held() });
    }
    let sine = grade / grade.hypot(1.0);
    let start = own.vehicle.pose(&own.room).position.x;
    let control = SpeedControl { slip_limit: Some(SLIP), ..SpeedControl::default() };
    let mut memory = control.start();
    for _ in 0..(time / H).round() as usize {
        let (speed, rim) = (own.speed(), own.vehicle.rim_speed(&own.state));
        let motion = LongitudinalState {
            speed,
            thrust: own.vehicle.drivetrain().thrust(&own.state),
            slope: sine,
            rim,
            slip: (rim - speed) / rim.max(1e-3),
            gravity: GRAVITY,
        };
        let pedals = match foot {
            Foot::Floored => Controls { throttle: 1.0, ..Controls::default() },
            Foot::MindsSlip => control.controls(&mut memory, 2.0, &motion, H),
        };
        own.step(&Controls { locks, ..pedals });
    }
    own.vehicle.pose(&own.room).position.x - start
}

/// The HMMWV with driver-operated locks on all its differentials.
fn lockable() -> VehicleSpec {
    let mut spec = find_wheeled("hmmwv").unwrap();
    let drives = spec.axles.iter_mut().filter_map(|axle| axle.final_drive.as_mut());
    let axles = drives.map(|drive| &mut drive.differential);
    let center = &mut spec.driveline.as_mut().unwrap().center;
    for differential in axles.chain([center]) {
        (differential.commanded, differential.lock_torque) = (true, 2e4);
    }
    spec
}

/// The steepest grade of a two-axle vehicle whose tires hold `grip` of each load, N.
///
/// With open differentials both axles supply the force of the weaker one, else each its limit,
/// and Σ F = W (sin θ + f cos θ). Loads follow from the levers about the contact points: front
/// share b cos θ - h sin θ.
fn limit(spec: &VehicleSpec, open: bool, grip: impl Fn(f64) -> f64) -> f64 {
    let mut level = Rolling::new(spec.clone());
    level.run(3.0, held());
    let [front, rear] = level.axles()[..] else { panic!("it has two axles") };
    let weight = front + rear;
    let height = {
        // center of mass of all masses at rest, with the unsprung ones at their wheels' centers
        let chassis = level.vehicle.pose(&level.room).position.z + spec.chassis.com[2];
        let wheel = level.vehicle.wheel_pose(&level.room, 0).position.z;
        let sprung = spec.chassis.mass * GRAVITY / weight;
        sprung * chassis + (1.0 - sprung) * wheel
    };
    let wheelbase = spec.axles[0].position[0] - spec.axles[1].position[0];
    let resistance = spec.tire.handling.rolling_resistance;
    let climbs = |grade: f64| {
        let (sine, cosine) = (grade / grade.hypot(1.0), 1.0 / grade.hypot(1.0));
        let forward = front * cosine - weight * sine * height / wheelbase;
        let loads = [forward, weight * cosine - forward];
        let [weak, other] = loads.map(|load| 2.0 * grip(0.5 * load));
        let holds = if open { 2.0 * weak.min(other) } else { weak + other };
        holds >= weight * (sine + resistance * cosine)
    };
    let (mut low, mut high) = (0.0, 2.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if climbs(middle) { low = middle } else { high = middle }
    }
    low
}

/// Spinning wheels are limited by the sliding force of a tire; a slip-limiting driver by its
/// maximum.
///
/// With open differentials the front axle, which carries less uphill, limits both.
#[test]
fn the_hmmwv_climbs_to_its_tires_friction_limit() {
    let spec = lockable();
    let tire = spec.tire.handling;
    let at = |load: f64, slip: f64| tire.secant(load, [slip, 0.0], FRICTION) * slip;
    let most = |load: f64| (1..100).map(|n| at(load, 0.005 * f64::from(n))).fold(0.0, f64::max);
    let sliding = |load: f64| at(load, 1.0);
    for (locks, foot) in [
        (Locks::OPEN, Foot::Floored),
        (Locks::OPEN, Foot::MindsSlip),
        (spec.locks(), Foot::Floored),
        (spec.locks(), Foot::MindsSlip),
    ] {
        let open = locks.is_open();
        let law = match foot {
            Foot::Floored => limit(&spec, open, sliding),
            Foot::MindsSlip => limit(&spec, open, most),
        };
        let (mut found, mut failed) = (0.1, 1.1);
        while failed - found > 0.01 {
            let middle = 0.5 * (found + failed);
            let passes = climbed(&spec, middle, foot, locks, 10.0) > 5.0;
            *if passes { &mut found } else { &mut failed } = middle;
        }
        println!("{foot:?}, open {open}: {found:.3}, law {law:.3}");
        // Allowance for the gain in speed. The driver that releases the throttle at slips from 0.1
        // to 0.2 oscillates about the maximum and loses at most a tenth of it.
        let near = if foot == Foot::Floored { 0.05 } else { 0.1 };
        let share = found / law;
        assert!((1.0 - near..1.01).contains(&share), "{foot:?}, open {open}: {found}, law {law}");
    }
}

/// The vehicles climb the published grade from a standing start, with the locks of their files.
#[test]
fn they_climb_the_published_grades() {
    for name in ["hmmwv", "hmmwv_torsen", "fmtv_4x4", "fmtv_6x6", "man_8x8"] {
        let spec = find_wheeled(name).unwrap();
        let way = climbed(&spec, PUBLISHED, Foot::MindsSlip, spec.locks(), 10.0);
        println!("{name}: {way:.1} m up {PUBLISHED}");
        assert!(way > 5.0, "{name}: {way} m up a grade of {PUBLISHED}");
    }
}
