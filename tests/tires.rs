//! Flexible tires in vehicles: determinism, inflation while driving, effects of inflation, and
//! refusals.
//!
//! Bits are the same on any threads and after a resume.

use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::{Command, CommandError, World, checkpoint};
use bekker::vehicle::Selector;
use std::path::Path;

const SCENARIO: &str = r#"
format = 1
name = "tires"
[time]
duration = 20
step = 0.002
[ground]
spacing = 0.05
[soil]
default = "chrono_mid"
zone = [ { soil = "rigid", area = { kind = "half_plane", through = [9, 0], towards_deg = 0 } } ]
[[vehicle]]
name = "soft"
model = "hmmwv"
inflation_kpa = [83, 110]
position = [0, 3]
driver = { kind = "path", speed = 4, waypoints = [[0, 3], [60, 3]] }
[[vehicle]]
name = "hard"
model = "hmmwv"
inflation_kpa = 345
position = [0, -3]
driver = { kind = "path", speed = 4, waypoints = [[0, -3], [60, -3]] }
"#;

fn world(text: &str, sets: &[&str]) -> World {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let file = ScenarioFile::parse("tires", text, Path::new(""), &sets).unwrap();
    World::new(build::world(&file).unwrap().world)
}

fn refused(sets: &[&str]) -> String {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    match ScenarioFile::parse("tires", SCENARIO, Path::new(""), &sets) {
        Err(faults) => faults.to_string(),
        Ok(file) => match build::world(&file) {
            Err(faults) => faults.to_string(),
            Ok(_) => panic!("{sets:?}: it is built"),
        },
    }
}

fn drive(world: &mut World, time: f64) {
    while world.time() < time - 1e-9 {
        world.advance();
    }
}

/// From soil onto a road, on any threads and with a checkpoint in between.
#[test]
fn any_threads_and_a_resume_give_the_same_bits() {
    let hashes: Vec<_> = [1, 3]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut world = world(SCENARIO, &[]);
                drive(&mut world, 4.0);
                world.hash()
            })
        })
        .collect();
    assert_eq!(hashes[0], hashes[1]);
    let mut first = world(SCENARIO, &[]);
    drive(&mut first, 2.5);
    let state = checkpoint::encode(first.model(), SCENARIO, first.state());
    let state = checkpoint::decode(first.model(), SCENARIO, &state).unwrap();
    let mut second = World::resume(first.shared_model(), state).unwrap();
    drive(&mut second, 4.0);
    assert_eq!(second.hash(), hashes[0]);
    let x = second.samples().next().unwrap().pose.position.x;
    assert!(x > 10.0, "it is on the road, {x} m");
}

/// On soil a softer tire has a longer contact, a shallower rut and less resistance.
#[test]
fn the_softer_tire_sinks_less_and_rolls_easier_on_soil() {
    let mut world = world(SCENARIO, &["soil.zone=[]", "time.duration=10"]);
    drive(&mut world, 10.0);
    let summary = world.summary("tires", 1.0);
    let [soft, hard] = &summary.vehicles[..] else { panic!() };
    let [own, other] = [soft, hard].map(|vehicle| vehicle.tires.unwrap());
    assert!((own.inflation_kpa - 96.5).abs() < 1e-3 && (other.inflation_kpa - 345.0).abs() < 1e-3);
    assert!(own.deflection > 1.8 * other.deflection, "{own:?} {other:?}");
    assert!(own.contact_length > 1.1 * other.contact_length, "{own:?} {other:?}");
    assert!(soft.mean_sinkage < 0.95 * hard.mean_sinkage);
    assert!(soft.motion_resistance.unwrap() < 0.8 * hard.motion_resistance.unwrap());
}

/// Central tire inflation follows a command at its rate, and stops at the limits of its range.
#[test]
fn inflation_follows_a_command_at_its_rate() {
    // From near the least of 55 kPa that this vehicle allows: eleven seconds reach it.
    let mut world = world(SCENARIO, &["vehicle[0].inflation_kpa=[60, 64]"]);
    let idle = Command {
        brake: 1.0,
        gear: Selector::Neutral,
        inflation: Some(40e3),
        ..Command::default()
    };
    world.command(0, Some(idle)).unwrap();
    drive(&mut world, 3.0);
    let wheels: Vec<f64> =
        world.samples().next().unwrap().wheels.iter().map(|wheel| wheel.inflation).collect();
    // From 60 and 64 kPa at 1 kPa/s, to two steps of 2 Pa.
    for (found, expected) in wheels.iter().zip([57e3, 57e3, 61e3, 61e3]) {
        assert!((found - expected).abs() < 4.1, "{wheels:?}");
    }
    drive(&mut world, 11.0);
    let wheels = world.samples().next().unwrap().wheels;
    assert!(wheels.iter().all(|wheel| (wheel.inflation - 55e3).abs() < 1.0));
    let mut other =
        self::world(SCENARIO, &["vehicle[0].model=mrzr4", "vehicle[0].inflation_kpa=97"]);
    let refused = other.command(0, Some(idle));
    assert!(matches!(refused, Err(CommandError::NoInflation { .. })), "{refused:?}");
}

#[test]
fn impossible_inflations_are_refused() {
    let cases: [(&[&str], &str); 10] = [
        (
            &["vehicle[0].inflation_kpa=[80,80,80]"],
            "one value, one per axle (2) or one per wheel (4)",
        ),
        (&["vehicle[0].inflation_kpa=-3"], "vehicle[0].inflation_kpa"),
        (
            &["vehicle[0].inflation_kpa=170000"],
            "vehicle[0].inflation_kpa = 170000: must be from 0 to 5000 kPa (170000 Pa is 170 kPa)",
        ),
        (&["vehicle[0].inflation=97"], "unknown key (did you mean `inflation_kpa`?)"),
        (
            &["vehicle[0].driver={kind=\"table\",rows=[{time=0,inflation_kpa=170000}]}"],
            "inflation_kpa = 170000: must be from 0 to 5000 kPa (170000 Pa is 170 kPa)",
        ),
        (&["vehicle[0].tire=rigid"], "must be absent with tire = \"rigid\""),
        (&["vehicle[0].model=m113"], "must be absent: M113 is a tracked vehicle"),
        (&["vehicle[0].tire=flabby"], "vehicle[0].tire"),
        (
            &[
                "vehicle[0].model=mrzr4",
                "vehicle[0].inflation_kpa=97",
                "vehicle[0].driver={kind=\"table\",rows=[{time=0},{time=1,inflation_kpa=50}]}",
            ],
            "has no central tire inflation",
        ),
        (
            &[
                "vehicle[1].driver={kind=\"table\",rows=[{time=0,inflation_kpa=55},{time=1,inflation_kpa=20}]}",
            ],
            "vehicle[1].driver.rows[1].inflation_kpa = 20: must be from 55 to 345 kPa",
        ),
    ];
    for (sets, expected) in cases {
        let told = refused(sets);
        assert!(told.contains(expected), "{sets:?}: {told}");
    }
}

/// An inflation beyond the measured range of the tire gives a warning, since its load is
/// extrapolated.
#[test]
fn an_inflation_beyond_the_measured_range_causes_a_warning() {
    for (inflation, said) in [("345", false), ("400", true), ("0", true)] {
        let sets = [format!("vehicle[1].inflation_kpa={inflation}")];
        let file = ScenarioFile::parse("tires", SCENARIO, Path::new(""), &sets).unwrap();
        let warnings = build::world(&file).unwrap().warnings;
        let warnings: Vec<_> = warnings.iter().map(ToString::to_string).collect();
        let expected =
            format!("vehicle[1].inflation_kpa = {inflation}: sets {inflation} kPa, at which");
        let found = warnings.iter().any(|warning| warning.contains(&expected));
        assert_eq!(found, said, "{inflation}: {warnings:?}");
    }
}

/// A vehicle parked with its brakes on stays, across a slope of firm ground and of soil.
#[test]
fn a_parked_vehicle_stays() {
    for soil in ["rigid", "chrono_hard"] {
        let sets = [
            "soil.zone=[]",
            &format!("soil.default={soil}"),
            "terrain.surface={kind=\"slope\",grade=0.2,uphill_deg=60}",
            "vehicle[0].driver={kind=\"hold\"}",
            "vehicle[1].driver={kind=\"hold\"}",
        ];
        let mut world = world(SCENARIO, &sets);
        let places = |world: &World| -> Vec<_> {
            world.samples().map(|sample| sample.pose.position).collect()
        };
        let before = places(&world);
        drive(&mut world, 10.0);
        for (from, to) in before.iter().zip(places(&world)) {
            // Carcasses and soil shear by millimeters.
            assert!((to - from).norm() < 5e-3, "{soil}: {} m", (to - from).norm());
        }
    }
}

/// Returns position and speed of an HMMWV that coasts on a road for 4 s with these inflations
/// (kPa).
fn coasted(inflation: &str) -> [f64; 3] {
    let text = format!(
        "format = 1\nname = \"coasts\"\n[time]\nduration = 4\n[soil]\ndefault = \"rigid\"\n\
         [[vehicle]]\nname = \"own\"\nmodel = \"hmmwv\"\nposition = [0, 0]\nspeed = 5\n\
         inflation_kpa = {inflation}\n\
         driver = {{ kind = \"table\", rows = [{{ time = 0, gear = \"neutral\" }}] }}\n"
    );
    let mut world = world(&text, &[]);
    drive(&mut world, 4.0);
    let sample = world.sample(0).unwrap();
    let place = sample.pose.position;
    [place.x, place.y, sample.velocity.norm()]
}

/// On a road rolling resistance grows as inflation falls; mirrored inflations give the mirrored
/// motion.
#[test]
fn the_softer_tire_rolls_harder_on_a_road() {
    let [soft, hard] = ["55", "207"].map(|inflation| 5.0 - coasted(inflation)[2]);
    // The belt's deflection on a plate is proportional to inflation to the power -0.54: 2.05 times.
    assert!((soft / hard - 2.05).abs() < 0.15, "slows by {soft} m/s, by {hard} m/s");
    for [own, mirrored] in [
        ["[55, 345, 345, 345]", "[345, 55, 345, 345]"],
        ["[83, 207, 110, 138]", "[207, 83, 138, 110]"],
    ] {
        let ([x, y, speed], [other_x, other_y, other_speed]) = (coasted(own), coasted(mirrored));
        // The rows of nodes under the wheels are not mirrored.
        assert!((x - other_x).abs() < 1e-3 && (speed - other_speed).abs() < 1e-3, "{own}");
        assert!((y + other_y).abs() < 1e-2, "{own}: {y} m, mirrored {other_y} m");
    }
}
