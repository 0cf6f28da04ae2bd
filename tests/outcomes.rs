//! Outcomes of drives in scenarios: which vehicle got stuck, where and why, with the metrics that
//! show it.
//!
//! Metrics have the same meaning for all outcomes.

use assert_cmd::cargo::cargo_bin;
use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::{
    Cause, Diagnosis, Outcome, OutcomeCode, OutcomeReport, RunSummary, Spinning, World,
};
use bekker::soil::SoilKind;
use std::fs;
use std::path::Path;
use std::process::Command;

const SCENARIO: &str = r#"
format = 1
name = "outcomes"
[time]
duration = 12
[terrain]
surface = { kind = "slope", grade = 0 }
[soil]
default = "rigid"
[[vehicle]]
name = "v"
model = "hmmwv"
position = [0, 0]
driver = { kind = "path", speed = 4, waypoints = [[0, 0], [200, 0]] }
"#;

/// Rigid tires, for bounds that were derived with them.
const RIGID: &str = "vehicle[0].tire=rigid";

/// Runs [`SCENARIO`] with changes until its end, or until no vehicle drives any more.
fn run(text: &str, sets: &[&str]) -> World {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let file = ScenarioFile::parse("outcomes", text, Path::new(""), &sets).unwrap();
    let duration = file.scenario.time.duration;
    let mut world = World::new(build::world(&file).unwrap().world);
    while world.time() < duration - 1e-9 && world.is_running() {
        world.advance();
    }
    world
}

fn summary(sets: &[&str]) -> RunSummary {
    let summary = run(SCENARIO, sets).summary("outcomes", 1.0);
    for vehicle in &summary.vehicles {
        println!("{sets:?}: {}: {}", vehicle.name, vehicle.outcome);
    }
    summary
}

fn diagnosis(sets: &[&str]) -> Diagnosis {
    let outcome = summary(sets).vehicles.remove(0).outcome;
    assert_eq!(outcome.code, OutcomeCode::Immobilized, "{sets:?}: {outcome}");
    outcome.diagnosis.unwrap()
}

fn throttle(value: f64) -> String {
    format!("vehicle[0].driver={{kind=\"table\",rows=[{{time=0,throttle={value}}}]}}")
}

/// The axle that loses traction on a grade is named.
///
/// Formerly 40 % was "not enough torque" while the front wheels spun at 100 % slip.
#[test]
fn the_axle_that_loses_traction_on_a_grade_is_named() {
    let found = diagnosis(&[RIGID, "terrain.surface.grade=0.45"]);
    assert_eq!((found.cause, found.spinning), (Cause::WheelSpin, Spinning::FrontAxle), "{found}");
    assert!(found.wheels[0].slip > 0.8 && found.wheels[2].slip < 0.5, "{found:?}");
    // 2573 kg on atan 0.45.
    assert!((found.grade - 0.45f64.atan()).abs() < 1e-6, "{found:?}");
    // The vehicle is nearly stationary: the ground holds it on the grade.
    assert!((found.traction / found.grade_force - 1.0).abs() < 0.1, "{found:?}");
    assert!((found.grade_force / (found.weight * 0.410_365) - 1.0).abs() < 1e-5, "{found:?}");
    let told = found.to_string();
    assert!(told.contains("lost traction: the front wheels spinning at "), "{told}");
    assert!(told.contains("the grade of 45 % requires 10.4 kN"), "{told}");
}

/// A grade climbed at a crawl does not end the drive.
///
/// On 40 % spinning wheels still give a few percent more than the grade takes, since a sliding tire
/// gives half of its maximum. The vehicle crawls up and is still driving.
#[test]
fn a_grade_climbed_slowly_does_not_end_the_drive() {
    let crawls = summary(&["terrain.surface.grade=0.4", "time.duration=8"]).vehicles.remove(0);
    assert_eq!(crawls.outcome.code, OutcomeCode::UnderWay, "{}", crawls.outcome);
    assert!((0.2..2.0).contains(&crawls.final_speed) && crawls.mean_slip > 0.3, "{crawls:?}");
}

/// Rolling back and sliding down are no progress.
///
/// Formerly both counted as "drove on".
#[test]
fn a_grade_beyond_the_friction_of_the_ground() {
    for model in ["hmmwv", "m113"] {
        let model = format!("vehicle[0].model={model}");
        let slippery = "soil.custom=[{name=\"ice\",friction=0.25}]";
        let sets = [&model, slippery, "soil.default=ice", "terrain.surface.grade=0.45"];
        let found = diagnosis(&[&sets[..], &[&throttle(1.0)]].concat());
        assert_eq!(found.cause, Cause::Grade, "{found}");
        assert!(found.spinning != Spinning::None, "{found}");
        assert!(found.grade_force > found.thrust_limit, "{found}");
    }
}

/// Indefinite sliding is no progress, even with brakes applied.
///
/// Rolling back with brakes that hold is (`a_vehicle_that_rolls_back_is_braked_and_then_climbs`).
#[test]
fn sliding_back_on_ice_is_immobilized() {
    let ice = "soil.custom=[{name=\"ice\",friction=0.1}]";
    let steep = "terrain.surface.grade=0.3";
    for speed in ["vehicle[0].speed=0", "vehicle[0].speed=-4"] {
        let found = diagnosis(&[ice, "soil.default=ice", steep, speed, "time.duration=5"]);
        assert_eq!(found.cause, Cause::Grade, "{found}");
    }
}

/// Rocking is no progress, although each swing is in the direction of the selected gear.
///
/// Formerly the swings were summed, and the vehicle counted as still driving.
#[test]
fn rocking_in_a_hole_is_immobilized() {
    let rows = (0..12).map(|half| {
        let gear = ["drive", "reverse"][half % 2];
        format!("{{time={},throttle=0.5,gear=\"{gear}\"}}", 0.8 * half as f64)
    });
    let rows: Vec<String> = rows.collect();
    let rocks = format!("vehicle[0].driver={{kind=\"table\",rows=[{}]}}", rows.join(","));
    let found = diagnosis(&["soil.default=bog", &rocks, "time.duration=8"]);
    assert_eq!(found.cause, Cause::HungUp, "{found}");
}

#[test]
fn an_idling_vehicle_holds() {
    let idles = summary(&["time.duration=3", &throttle(0.03)]).vehicles.remove(0);
    assert_eq!(idles.outcome.code, OutcomeCode::Holding, "{}", idles.outcome);
}

/// A vehicle stopped hard is immobilized two seconds later: the relevant interval is the last
/// second.
///
/// With a decaying mean it counted as still driving for 3.5 s more.
#[test]
fn a_vehicle_at_a_block_is_immobilized_after_two_seconds() {
    let block = "scenery=[{kind=\"block\",size=[1,20,2],places=[[5,0]]}]";
    let found = |duration: f64| {
        let duration = format!("time.duration={duration}");
        summary(&[block, "vehicle[0].driver.speed=3", &duration]).vehicles.remove(0).outcome
    };
    let end = found(4.0);
    assert_eq!(end.code, OutcomeCode::Immobilized, "{end}");
    // It hits the block at 1.3 s, and last advanced by 0.2 m before that.
    let since = end.time.unwrap();
    assert!((1.0..1.6).contains(&since), "{end}");
    let early = found(((since + 1.9) * 10.0).floor() / 10.0);
    assert_eq!(early.code, OutcomeCode::UnderWay, "{early}");
}

/// Holding begins when the vehicle is both stationary and commanded to be.
///
/// Neither the release of the throttle nor coasting starts that time.
#[test]
fn holding_counts_from_standstill() {
    let table = |rows: &str| format!("vehicle[0].driver={{kind=\"table\",rows=[{rows}]}}");
    let slows = table("{time=0,speed=4},{time=4,speed=4},{time=8,speed=1},{time=9,speed=0}");
    let rolls = table("{time=0,gear=\"neutral\"},{time=4,gear=\"neutral\"},{time=4.5,brake=1}");
    for (model, driver, speed, [from, until]) in [
        ("hmmwv", &slows, 0, [8.8, 11.0]),
        ("m113", &slows, 0, [8.8, 11.0]),
        ("hmmwv", &rolls, 8, [4.0, 6.5]),
        // Its springs rock it by 0.2 m/s and more, until 7 s.
        ("m113", &rolls, 8, [4.0, 8.0]),
    ] {
        let sets = [format!("vehicle[0].model={model}"), format!("vehicle[0].speed={speed}")];
        let own = summary(&[&sets[0], &sets[1], driver]).vehicles.remove(0).outcome;
        assert_eq!(own.code, OutcomeCode::Holding, "{model}: {own}");
        // Commanded to stand from the start of this range, and stationary by its end.
        assert!((from..until).contains(&own.time.unwrap()), "{model}: {own}");
    }
}

/// Distances are three-dimensional: on a grade of 0.3 they exceed those in plan by sqrt(1 + 0.3²).
///
/// The distance made good is measured from the settled start position and is at most the distance
/// driven.
#[test]
fn distances_up_a_grade_are_measured_along_it() {
    let way = |grade: f64| {
        let grade = format!("terrain.surface.grade={grade}");
        let driven = run(SCENARIO, &[&grade, "vehicle[0].driver.speed=3", "time.duration=8"]);
        let plan = driven.samples().next().unwrap().pose.position;
        (plan.x, driven.summary("outcomes", 1.0).vehicles.remove(0))
    };
    for grade in [0.0, 0.25] {
        let (plan, own) = way(grade);
        let along = plan * (1.0 + grade * grade).sqrt();
        let made_good = own.speed_made_good * own.driving_time;
        // The chassis starts within 0.1 m of its position in plan, since it leans. It pitches and
        // heaves by centimeters over 20 m.
        assert!((own.distance - along).abs() < 0.15, "{} of {along}", own.distance);
        assert!((made_good - along).abs() < 0.15, "{made_good} of {along}");
        assert!(made_good <= own.distance + 1e-9, "{made_good} of {}", own.distance);
    }
}

#[test]
fn slipping_down_a_side_slope() {
    let slime =
        "soil.custom=[{name=\"slime\",based_on=\"chrono_mid\",cohesion=0,friction_angle_deg=5}]";
    let across = "terrain.surface={kind=\"slope\",grade=0.2,uphill_deg=90}";
    let found = diagnosis(&[RIGID, slime, "soil.default=slime", across, &throttle(0.5)]);
    assert_eq!(found.cause, Cause::SideSlope, "{found}");
    // Sloping down to the right by atan 0.2, reduced by its change of heading.
    assert!((0.17..0.2).contains(&found.side_slope), "{found:?}");
}

/// Spinning wheels dig until the rolling resistance in the ruts equals the thrust.
#[test]
fn ruts_too_deep() {
    let sand = "soil.default=dry_sand_lll";
    let model = "vehicle[0].model=mrzr4";
    // On flexible tires it rocks in its hole and may stop with all wheels spinning or with none.
    let found = diagnosis(&[sand, model, RIGID, "terrain.surface.grade=0.25", "time.duration=6"]);
    assert_eq!(found.cause, Cause::Rut, "{found}");
    let clearance = found.clearance.unwrap();
    assert!(found.sinkage > 0.5 * clearance && found.belly_share < 0.1, "{found:?}");
}

#[test]
fn too_little_torque() {
    for (model, command) in [("hmmwv", 0.12), ("mrzr4", 0.12), ("m113", 0.1)] {
        let model = format!("vehicle[0].model={model}");
        let found = diagnosis(&[&model, "terrain.surface.grade=0.25", &throttle(command)]);
        assert_eq!((found.cause, found.spinning), (Cause::Torque, Spinning::None), "{found}");
        assert!(found.drive_force < found.grade_force && found.throttle < 0.2, "{found}");
    }
}

/// The diagnosis names the obstacle that holds a vehicle, and not its drive or its soil.
#[test]
fn a_blocking_obstacle_is_named() {
    let block = "scenery=[{kind=\"block\",size=[1,6,2],places=[[8,0]]}]";
    for (model, soil) in [("m113", "rigid"), ("hmmwv", "rigid"), ("hmmwv", "dry_sand_lll")] {
        let (own, soil) = (format!("vehicle[0].model={model}"), format!("soil.default={soil}"));
        let sets = [block, &own, &soil, "vehicle[0].driver.speed=3"];
        let outcome = summary(&sets).vehicles.remove(0).outcome;
        let found = outcome.diagnosis.clone().unwrap();
        assert_eq!(found.cause, Cause::Obstacle, "{outcome}");
        assert!((found.obstacle_force / found.traction - 1.0).abs() < 0.3, "{found:?}");
        assert!(
            outcome.sentence.contains(", blocked by block: an obstacle resists with "),
            "{outcome}"
        );
    }
}

#[test]
fn wheels_on_one_side_have_no_grip() {
    let ice = "soil.custom=[{name=\"ice\",friction=0.05}]";
    let zone = "soil.zone=[{soil=\"ice\",area={kind=\"half_plane\",through=[0,0],towards_deg=90}}]";
    let found = diagnosis(&[ice, zone, "terrain.surface.grade=0.2", &throttle(0.8)]);
    assert_eq!((found.cause, found.spinning), (Cause::WheelSpin, Spinning::LeftSide), "{found}");
}

#[test]
fn high_centered_on_the_belly() {
    for model in ["hmmwv", "m113"] {
        let model = format!("vehicle[0].model={model}");
        let found = diagnosis(&["soil.default=bog", &model, "time.duration=6"]);
        assert_eq!(found.cause, Cause::HungUp, "{found}");
        assert!((0.1..1.1).contains(&found.belly_share), "{found:?}");
        assert!(found.sinkage > found.clearance.unwrap(), "{found:?}");
    }
}

/// A run that ends within four seconds of spinning does not classify the vehicle as driving.
#[test]
fn a_run_that_ends_over_spinning_wheels() {
    let found = diagnosis(&["soil.default=bog", "time.duration=3"]);
    assert_eq!(found.cause, Cause::HungUp, "{found}");
    let early = summary(&["soil.default=bog", "time.duration=1"]).vehicles.remove(0);
    assert_eq!(early.outcome.code, OutcomeCode::UnderWay, "{}", early.outcome);
}

/// Soil that fails under spinning wheels before belly or grade have an effect.
#[test]
fn the_soil_strength_is_exhausted() {
    let slime =
        "soil.custom=[{name=\"slime\",based_on=\"chrono_hard\",cohesion=0,friction_angle_deg=0.5}]";
    let found = diagnosis(&[slime, "soil.default=slime", &throttle(0.5)]);
    assert_eq!(found.cause, Cause::Soil, "{found}");
}

/// Arrival time and metrics do not depend on the run's length: both end at the arrival.
#[test]
fn an_arrival_has_its_time_and_ends_the_metrics() {
    let way = "vehicle[0].driver.waypoints=[[0,0],[20,0]]";
    let [short, long] = ["time.duration=14", "time.duration=20"].map(|duration| {
        let vehicle = summary(&[way, duration]).vehicles.remove(0);
        assert_eq!(vehicle.outcome.code, OutcomeCode::Arrived, "{}", vehicle.outcome);
        vehicle
    });
    assert_eq!((&short.outcome, short.mean_speed), (&long.outcome, long.mean_speed));
    let arrival = short.outcome.time.unwrap();
    assert!((5.0..13.0).contains(&arrival) && short.driving_time == arrival, "{arrival}");
    assert!((short.mean_speed - short.distance / arrival).abs() < 1e-9, "{short:?}");
    // On a straight line the distance made good is the distance driven.
    assert!((short.speed_made_good / short.mean_speed - 1.0).abs() < 0.01, "{short:?}");
}

#[test]
fn a_waiting_vehicle_names_the_vehicle_ahead() {
    let convoy = format!(
        "{SCENARIO}\n[[vehicle]]\nname = \"next\"\nmodel = \"hmmwv\"\nposition = [-14, 0]\n\
         driver = {{ kind = \"follow\", leader = \"v\" }}\n"
    );
    let way = "vehicle[0].driver.waypoints=[[0,0],[15,0]]";
    let summary = run(&convoy, &[way, "time.duration=25"]).summary("outcomes", 1.0);
    let OutcomeReport { code, behind, sentence, .. } = &summary.vehicles[1].outcome;
    assert_eq!(*code, OutcomeCode::Waiting, "{sentence}");
    assert_eq!(behind.as_deref(), Some("v"), "{sentence}");
    assert!(sentence.starts_with("waiting behind v since "), "{sentence}");
}

/// A stationary vehicle has no motion resistance (formerly 59 kN), and a parked vehicle takes no
/// energy.
#[test]
fn standing_gives_no_resistance() {
    let parked = "vehicle[0].driver={kind=\"table\",rows=[{time=0,brake=1}]}";
    let summary = summary(&["soil.default=mud", parked, "time.duration=2"]);
    let vehicle = &summary.vehicles[0];
    assert_eq!(vehicle.outcome.code, OutcomeCode::Holding, "{}", vehicle.outcome);
    assert_eq!(vehicle.motion_resistance, None);
    assert!(vehicle.drive_energy < 1e3, "{vehicle:?}");
}

/// Braking absorbs the kinetic energy, and the fuel contains more energy than the wheels received.
#[test]
fn energies_add_up() {
    let fast = summary(&["vehicle[0].speed=10", "time.duration=6", &throttle(0.0)[..]]);
    let coasting = &fast.vehicles[0];
    assert!(coasting.fuel.unwrap() < 1e-3, "{coasting:?}");
    // It received no command and still rolls.
    assert_eq!(coasting.outcome.code, OutcomeCode::UnderWay);
    let parked = "vehicle[0].driver={kind=\"table\",rows=[{time=0,brake=0.4}]}";
    let stopped = &summary(&["vehicle[0].speed=10", "time.duration=6", parked]).vehicles[0];
    // Of 2573 kg at 10 m/s; tires and rolling absorb a part. An engine launched in first gear adds
    // up to 0.55 of that.
    let kinetic = 0.5 * 2573.0 * 100.0;
    let share = stopped.braking_energy / kinetic;
    assert!((0.6..1.6).contains(&share), "{share}: {stopped:?}");
    let driving = &summary(&["time.duration=6"]).vehicles[0];
    let heat = driving.fuel.unwrap() * 42.7e6;
    assert!(heat > driving.drive_energy / 0.4 && driving.drive_energy > 1e4, "{driving:?}");
}

/// Sinkage has a limit at any node spacing: a fast drive into a bog ends where the vehicle is
/// bogged.
///
/// Formerly wheels sank by up to 3 m and the vehicle "drove on".
#[test]
fn sinkage_is_bounded_at_any_spacing() {
    let mut ends = Vec::new();
    for spacing in [0.02, 0.05, 0.1] {
        let spacing = format!("ground.spacing={spacing}");
        let sets = [RIGID, "soil.default=bog", "vehicle[0].speed=8", "vehicle[0].driver.speed=8"];
        let summary = summary(&[&sets[..], &[&spacing, "time.duration=8"]].concat());
        let vehicle = &summary.vehicles[0];
        // It stops high-centered, with its wheels sunk to 20 cm less than their height.
        assert_eq!(vehicle.outcome.code, OutcomeCode::Immobilized, "{vehicle:?}");
        let found = vehicle.outcome.diagnosis.as_ref().unwrap();
        assert_eq!(found.cause, Cause::HungUp, "{found}");
        ends.push([vehicle.distance, vehicle.max_sinkage]);
        let beyond = summary.warnings.iter().filter(|own| own.code == "soil_beyond_measured");
        let [warning] = &beyond.collect::<Vec<_>>()[..] else { panic!("{:?}", summary.warnings) };
        let soil = warning.soil.as_deref();
        assert_eq!((&*warning.vehicle, soil), ("v", Some("bog")));
        let is_beyond = warning.sinkage > warning.measured;
        assert!(is_beyond && warning.measured == Some(0.3), "{warning:?}");
    }
    println!("{ends:?}");
    // Over 5 m of travel the leading edge of the chassis is resolved to one node, so the error is
    // proportional to the spacing: 1.3 % a centimeter. The depth is that at the end of the drive.
    for ([distance, depth], spacing) in ends.iter().zip([0.02, 0.05, 0.1]) {
        assert!((distance / ends[0][0] - 1.0).abs() < 1.3 * spacing, "{ends:?}");
        assert!((depth / ends[0][1] - 1.0).abs() < 0.05, "{ends:?}");
    }
}

/// The mean sinkage of a vehicle stationary in a bog is the same within 5 % at 2, 5 and 10 cm.
///
/// The edge of the footprint is resolved to half a node, relative to its length of about 50 cm.
#[test]
fn static_sinkage_does_not_depend_on_the_spacing() {
    let parked = "vehicle[0].driver={kind=\"table\",rows=[{time=0,brake=1}]}";
    let sinkage = [0.02, 0.05, 0.1].map(|spacing| {
        let spacing = format!("ground.spacing={spacing}");
        let sets = ["soil.default=bog", parked, "time.duration=2", &spacing];
        summary(&sets).vehicles[0].mean_sinkage
    });
    println!("{sinkage:?}");
    assert!(sinkage.iter().all(|own| (own / sinkage[0] - 1.0).abs() < 0.05), "{sinkage:?}");
}

/// Pit depth and distance of full braking do not depend on the node spacing.
///
/// At 17d529f they changed by 10 % from 5 to 2.5 cm.
#[test]
fn full_braking_does_not_depend_on_the_spacing() {
    let braked = "vehicle[0].driver={kind=\"table\",rows=[{time=0},{time=0.2,brake=1}]}";
    for soil in ["chrono_mid", "firm", "mud"] {
        let [coarse, fine] = [0.05, 0.025].map(|spacing| {
            let spacing = format!("ground.spacing={spacing}");
            let soil = format!("soil.default={soil}");
            let sets =
                [RIGID, &*soil, &spacing, braked, "vehicle[0].speed=10", "time.duration=2.5"];
            let vehicle = summary(&sets).vehicles.remove(0);
            [vehicle.distance, vehicle.max_sinkage]
        });
        println!("{soil}: {coarse:?} {fine:?}");
        // Measured: 0.3 % and 3 %. The edge of a footprint is resolved to half a node, 2.5 cm of
        // the 60 cm that a wheel contacts in its pit.
        assert!((coarse[0] / fine[0] - 1.0).abs() < 0.01, "{soil}: {coarse:?} {fine:?}");
        assert!((coarse[1] / fine[1] - 1.0).abs() < 0.04, "{soil}: {coarse:?} {fine:?}");
    }
}

#[test]
fn machines_read_codes() {
    let summary = summary(&["soil.default=bog", "time.duration=5"]);
    let text = serde_json::to_string(&summary).unwrap();
    assert!(text.contains(r#""outcome":{"code":"immobilized","time":"#), "{text}");
    // Which wheels still spin depends on the ground.
    assert!(text.contains(r#""cause":"hung_up","spinning":""#), "{text}");
    let read: RunSummary = serde_json::from_str(&text).unwrap();
    assert_eq!(read.vehicles[0].outcome.sentence, summary.vehicles[0].outcome.sentence);
    // The state holds plain data: no name and no sentence.
    let state = run(SCENARIO, &["soil.default=bog", "time.duration=5"]).state().clone();
    let outcome = state.agents[0].outcome.clone().unwrap();
    assert!(matches!(outcome, Outcome::Immobilized { .. }), "{outcome:?}");
    let json = serde_json::to_string(&outcome).unwrap();
    assert!(!json.contains("hanamoto") && !json.contains("high-centered"), "{json}");
}

/// Two vehicles on sand: one is on level ground, the other spins on a grade that it cannot climb.
const SAND: &str = r#"
format = 1
name = "sand"
time = { duration = 4, step = 0.005 }
ground = { spacing = 0.1 }
terrain = { surface = { kind = "slope", grade = 0.35 } }
soil = { default = "dry_sand_lll" }
[[vehicle]]
name = "across"
model = "hmmwv"
tire = "rigid"
position = [0, 0]
heading_deg = 90
driver = { kind = "table", rows = [{ time = 0, brake = 1 }] }
[[vehicle]]
name = "up"
model = "hmmwv"
tire = "rigid"
position = [0, -20]
driver = { kind = "table", rows = [{ time = 0, throttle = 1 }] }
"#;

/// The share of a drive outside the ranges of validity is that of the recorded states, and the
/// same on several ranks and after a resume.
#[test]
fn a_drive_outside_the_ranges_of_validity_is_reported_once() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("sand.toml"), SAND).unwrap();
    let run = |out: &str, words: &[&str]| {
        let mut command = Command::new(cargo_bin("bekker"));
        command.current_dir(place.path()).args(["run", "sand.toml", "--out", out, "--no-picture"]);
        let output = command.args(words).output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{told}");
        let summary = fs::read_to_string(place.path().join(out).join("summary.json")).unwrap();
        (told, serde_json::from_str::<RunSummary>(&summary).unwrap().warnings)
    };
    let set = ["--set", "output.interval=0.01"];
    let (told, warnings) = run("one", &set);
    println!("{told}");
    let outside = warnings.iter().filter(|own| own.code == "outside_validity");
    let [warning] = &outside.collect::<Vec<_>>()[..] else { panic!("{warnings:?}") };
    assert_eq!(warning.vehicle, "up");
    let unwrapped = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(unwrapped.contains(&format!("warning: {}", warning.sentence)), "{told}");
    let slip = warning.exceeded.iter().find(|own| own.words() == "slip above 90 %").unwrap();
    // the share of the recorded heartbeats in which a wheel slips more
    let states = fs::read_to_string(place.path().join("one/states.csv")).unwrap();
    let mut rows = states.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    let at = |name: &str| head.iter().position(|own| *own == name).unwrap();
    let (time, name) = (at("time_s"), at("name"));
    let slips: Vec<usize> = (0..4).map(|wheel| at(&format!("wheel{wheel}_slip"))).collect();
    let rows: Vec<Vec<&str>> = rows.filter(|row| row[name] == "up" && row[time] != "0").collect();
    let spins = |row: &&Vec<&str>| slips.iter().any(|n| row[*n].parse::<f64>().unwrap() > 0.9);
    let share = rows.iter().filter(spins).count() as f64 / rows.len() as f64;
    assert!((slip.share - share).abs() < 0.03 && share > 0.3, "{} {share}", slip.share);

    assert_eq!(run("ranks", &[&set[..], &["--ranks", "2"]].concat()).1, warnings);
    run("half", &["--set", "time.duration=1.7"]);
    assert_eq!(run("resumed", &["--resume", "half"]).1, warnings);
}

/// The strength of the ground multiplies that of each of its soils: of the catalog, custom and firm.
#[test]
fn the_strength_of_the_ground_is_that_of_all_its_soils() {
    let kinds = |sets: &[&str]| {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let file = ScenarioFile::parse("outcomes", SCENARIO, Path::new(""), &sets).unwrap();
        let soils = build::world(&file).unwrap().world.ground.soils().to_vec();
        soils.into_iter().map(|soil| soil.kind).collect::<Vec<_>>()
    };
    let clay = |strength: f64| {
        format!(
            "soil.custom=[{{name=\"own\",based_on=\"lean_clay_22_wes\",strength={strength}}},\
             {{name=\"sand\",based_on=\"dry_sand_lll\",strength=0.9}}]"
        )
    };
    // of the catalog, as a custom soil of that strength
    let catalog = kinds(&["soil.default=dry_sand_lll", "soil.strength=0.9"]);
    assert_eq!(catalog, kinds(&["soil.default=sand", &clay(1.0)]));
    assert_ne!(catalog, kinds(&["soil.default=dry_sand_lll"]));
    // of a custom soil, times its own
    let own = kinds(&["soil.default=own", "soil.strength=0.5", &clay(0.5)]);
    assert_eq!(own, kinds(&["soil.default=own", &clay(0.25)]));
    // of firm ground, its friction
    let friction = |strength: &str| match &kinds(&[strength])[0] {
        SoilKind::Firm { friction } => *friction,
        other => panic!("{other:?}"),
    };
    assert_eq!(friction("soil.strength=0.5"), 0.5 * friction("soil.strength=1.0"));
    assert_eq!(friction("soil.strength=10"), 2.0);
    assert_eq!(kinds(&["soil.strength=1.0"]), kinds(&[]));
}
