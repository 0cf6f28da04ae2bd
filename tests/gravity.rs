//! `world.gravity`: weights, accelerometers, stopping distances and soil follow it.

use bekker::numeric::GRAVITY;
use bekker::scenario::{ScenarioFile, build};
use bekker::sensor::imu::{Imu, Triad};
use bekker::sensor::noise::Noise;
use bekker::sensor::{Model, Reading, Sensor, SensorSchedule};
use bekker::simulation::{GroundVehicle, World, WorldModel};
use bekker::spatial::Pose;
use std::path::Path;

/// Gravity on the moon and on Mars, m/s².
const MOON: f64 = 1.62;
const MARS: f64 = 3.71;

fn model(soil: &str, world: &str, vehicle: &str) -> WorldModel {
    let text = format!(
        "format = 1\nname = \"gravity\"\n{world}\n[time]\nduration = 60\n[soil]\n\
         default = \"{soil}\"\n[[vehicle]]\nname = \"one\"\nposition = [0, 0]\n{vehicle}\n"
    );
    let file = ScenarioFile::parse("gravity", &text, Path::new(""), &[]).unwrap();
    build::world(&file).unwrap().world
}

fn under(gravity: f64) -> String {
    format!("[world]\ngravity = {gravity}")
}

/// An accelerometer without errors in the chassis frame.
fn ideal_imu() -> Sensor {
    Sensor {
        record: true,
        name: "imu".into(),
        mount: Pose::default(),
        schedule: SensorSchedule::new(100.0, 0.0, 0.002),
        model: Model::Imu(Imu { accelerometer: Triad::default(), gyroscope: Triad::default() }),
        filters: vec![],
        noise: Noise::new(0, 0, 0),
    }
}

#[test]
fn at_rest_wheels_carry_the_weight_and_accelerometers_read_gravity() {
    for (gravity, soil, vehicle) in
        [(MOON, "chrono_mid", "husky"), (MARS, "rigid", "hmmwv"), (24.8, "rigid", "m113")]
    {
        let mut model = model(soil, &under(gravity), &format!("model = \"{vehicle}\""));
        model.agents[0].sensors = vec![ideal_imu()];
        let mut world = World::new(model);
        let mut read = 0.0;
        while world.time() < 3.0 {
            world.advance();
            for delivery in world.delivered(0) {
                if let Reading::Imu { specific_force, .. } = &delivery.reading {
                    read = specific_force.norm();
                }
            }
        }
        let sample = world.samples().next().unwrap();
        let load: f64 = sample.wheels.iter().map(|wheel| wheel.load).sum();
        let weight = world.model().agents[0].vehicle.mass() * gravity;
        // what is left of the oscillation on springs and tires
        assert!((load / weight - 1.0).abs() < 5e-3, "{vehicle} on {soil}: {load} {weight}");
        assert!((read / gravity - 1.0).abs() < 5e-3, "{vehicle} on {soil}: {read} {gravity}");
    }
}

/// The distance of a stop with locked wheels is v² / (2 a), with the deceleration a that the
/// friction of the ground allows.
#[test]
fn a_stop_takes_as_much_longer_as_gravity_is_less() {
    let stop = |gravity: f64| {
        let rows = "speed = 6\ndriver = { kind = \"table\", rows = [{ time = 0, brake = 1 }] }";
        let model = model("rigid", &under(gravity), &format!("model = \"hmmwv\"\n{rows}"));
        let mut world = World::new(model);
        let start = world.samples().next().unwrap();
        while world.time() < 20.0 && world.samples().next().unwrap().speed.abs() > 0.01 {
            world.advance();
        }
        let end = world.samples().next().unwrap();
        (end.pose.position - start.pose.position).norm()
    };
    let (moon, earth) = (stop(MOON), stop(GRAVITY));
    // the brakes build up in a tenth of a second or less, and tires grip better under small loads
    let ratio = moon / earth * MOON / GRAVITY;
    assert!((ratio - 1.0).abs() < 0.15, "{moon} {earth} {ratio}");
}

#[test]
fn the_default_is_earth_and_changes_no_bit() {
    let key = |world: &str| {
        let text = format!(
            "format = 1\nname = \"g\"\n{world}\n[time]\nduration = 1\n[soil]\ndefault = \"mud\"\n\
             [[vehicle]]\nname = \"one\"\nmodel = \"hmmwv\"\nposition = [0, 0]\n"
        );
        let file = ScenarioFile::parse("g", &text, Path::new(""), &[]).unwrap();
        build::world(&file).unwrap().fingerprint
    };
    assert_eq!(key(""), key(&under(GRAVITY)));
    assert_ne!(key(""), key(&under(MOON)));
    let hash = |world: &str| {
        let mut world = World::new(model("mud", world, "model = \"hmmwv\"\nspeed = 3"));
        (0..50).for_each(|_| world.advance());
        world.hash()
    };
    assert_eq!(hash(""), hash(&under(GRAVITY)));
    assert_ne!(hash(""), hash(&under(MOON)));
}

#[test]
fn gravity_out_of_range_is_refused() {
    for value in ["0", "-9.81", "1000"] {
        let text = format!(
            "format = 1\nname = \"g\"\n[world]\ngravity = {value}\n[time]\nduration = 1\n[soil]\n\
             default = \"mud\"\n[[vehicle]]\nname = \"one\"\nmodel = \"hmmwv\"\nposition = [0, 0]\n"
        );
        let fault = ScenarioFile::parse("g", &text, Path::new(""), &[]).unwrap_err().to_string();
        assert!(fault.contains(":4: world.gravity = "), "{fault}");
        assert!(fault.contains("0.1") && fault.contains("30"), "{fault}");
    }
}
