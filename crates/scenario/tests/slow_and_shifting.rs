//! Tests that drivers hold very low speeds and that gearboxes do not hunt.
//!
//! They cover several vehicles, soils and grades. A vehicle that cannot be steered accepts no
//! driver that steers.

use bekker_agent::{OutcomeCode, Sample};
use bekker_scenario::{ScenarioFile, build};
use bekker_world::World;
use std::path::Path;

/// A scenario with one vehicle (keys in TOML) on a slope along x with a single soil.
fn scenario(soil: &str, grade: f64, duration: u32, vehicle: &str) -> String {
    format!(
        r#"
format = 1
name = "driven"
[time]
duration = {duration}
step = 0.002
heartbeat = 0.01
[terrain]
surface = {{ kind = "slope", grade = {grade} }}
[soil]
default = "{soil}"
[[vehicle]]
name = "own"
position = [0, 0]
{vehicle}
"#
    )
}

fn build(text: &str) -> Result<World, String> {
    let file = ScenarioFile::parse("driven.toml", text, Path::new(""), &[]);
    let built =
        file.and_then(|file| build::world(&file)).map_err(|diagnostics| diagnostics.to_string())?;
    Ok(World::new(built.world))
}

/// Samples until `time`, s, one per heartbeat.
fn drive(world: &mut World, time: f64) -> Vec<Sample> {
    let mut samples = vec![world.samples().next().unwrap()];
    while world.time() < time - 1e-9 {
        world.advance();
        samples.push(world.samples().next().unwrap());
    }
    samples
}

/// Duration of a slow drive, s.
const SLOW_DRIVE: u32 = 20;

/// Drives from rest at a low speed and checks the motion.
///
/// Over the second half, the mean speed is the requested one. The vehicle never races off, rolls
/// back by no more than tire and spring compliance allow, and is not reported as stuck.
fn holds(model: &str, soil: &str, grade: f64, speed: f64, driver: &str) {
    let vehicle = format!("model = \"{model}\"\ndriver = {driver}");
    let mut world = build(&scenario(soil, grade, SLOW_DRIVE, &vehicle)).unwrap();
    let samples = drive(&mut world, f64::from(SLOW_DRIVE));
    let case = format!("{model} on {soil}, grade {grade}, {speed} m/s");
    let sense = if driver.contains("reverse = true") { -1.0 } else { 1.0 };
    let way = |sample: &Sample| sense * sample.pose.position.x * 1.0_f64.hypot(grade);
    let half = samples.len() / 2;
    let mean = (way(samples.last().unwrap()) - way(&samples[half])) / (0.5 * f64::from(SLOW_DRIVE));
    let peak = samples.iter().map(|own| sense * own.speed).fold(0.0, f64::max);
    let back = samples.iter().map(way).fold(0.0, f64::min);
    println!("{case}: mean {mean:.4}, peak {peak:.3} m/s, back {back:.4} m");
    assert_eq!(world.outcome(0).code, OutcomeCode::UnderWay, "{case}");
    assert!((mean / speed - 1.0).abs() < 0.15, "{case}: {mean} m/s on average");
    assert!(peak < 3.0 * speed + 0.1, "{case}: up to {peak} m/s");
    assert!(back > -0.05, "{case}: rolls back by {back} m");
}

fn path(speed: f64, more: &str) -> String {
    format!("{{ kind = \"path\", speed = {speed}, waypoints = [[0, 0], [60, 0]]{more} }}")
}

/// Torque converters, clutches and tracks; level, uphill and downhill; firm and soft ground.
#[test]
fn a_path_is_driven_at_the_requested_low_speed() {
    for (model, soil, grade, speed) in [
        ("hmmwv", "firm", 0.0, 0.02),
        ("hmmwv", "firm", 0.0, 0.05),
        ("hmmwv", "firm", 0.0, 0.3),
        ("hmmwv", "firm", 0.2, 0.05),
        ("hmmwv", "firm", -0.2, 0.05),
        ("hmmwv", "dry_sand_lll", 0.0, 0.1),
        ("mrzr4", "dry_sand_lll", 0.1, 0.05),
        ("fed_alpha", "firm", 0.0, 0.05),
        ("fed_alpha", "firm", 0.1, 0.1),
        ("man_8x8", "firm", -0.1, 0.1),
        ("gator", "firm", 0.0, 0.05),
        ("mrzr4", "firm", 0.3, 0.2),
        ("m113", "firm", 0.0, 0.05),
        ("m113", "firm", 0.2, 0.1),
        ("m113", "firm", -0.2, 0.1),
    ] {
        holds(model, soil, grade, speed, &path(speed, ""));
    }
}

#[test]
fn slow_speeds_are_held_by_tables_backward_and_with_an_acceleration() {
    for (soil, grade, speed) in [
        ("firm", 0.0, 0.1),
        ("firm", 0.1, 0.02),
        ("firm", -0.1, 0.2),
        ("firm", -0.1, 0.05),
        ("dry_sand_lll", -0.1, 0.05),
    ] {
        let table = format!("{{ kind = \"table\", rows = [{{ time = 0, speed = {speed} }}] }}");
        holds("hmmwv", soil, grade, speed, &table);
    }
    let backward =
        "{ kind = \"path\", speed = 0.1, waypoints = [[0, 0], [-60, 0]], reverse = true }";
    holds("hmmwv", "firm", 0.0, 0.1, backward);
    holds("hmmwv", "firm", 0.05, 0.1, &path(0.1, ", acceleration = 0.5"));
}

#[test]
fn a_speed_below_the_slowest_is_refused() {
    let table = |speed: f64| {
        format!(
            "model = \"hmmwv\"\ndriver = {{ kind = \"table\", rows = [{{ time = 0, speed = {speed} }}] }}"
        )
    };
    for speed in [0.0, 0.02, 3.0] {
        assert!(build(&scenario("firm", 0.0, 1, &table(speed))).is_ok(), "{speed}");
    }
    let told = build(&scenario("firm", 0.0, 1, &table(0.005))).unwrap_err();
    assert!(told.contains("rows[0].speed = 0.005: must be 0 or at least 0.02 m/s"), "{told}");
    let vehicle = format!("model = \"hmmwv\"\ndriver = {}", path(0.01, ""));
    let told = build(&scenario("firm", 0.0, 1, &vehicle)).unwrap_err();
    assert!(told.contains("driver.speed = 0.01: must be") && told.contains("0.02"), "{told}");
}

/// Duration of a drive in which shifts are counted, s, and the maximum number of shifts.
///
/// The maximum covers the upshifts to the driving gear and two shifts for each of four reverted
/// upshifts, at intervals of 10, 20 and 40 s.
const SHIFTING: f64 = 40.0;
const MAX_SHIFTS: usize = 12;

/// At high wheel slip a higher gear reduces thrust and thus slip.
///
/// Without a remedy the gearbox shifts up and down every second.
#[test]
fn gears_do_not_hunt_whatever_the_ground() {
    for (model, soil, grade, speed) in [
        ("fmtv_4x4", "mud", 0.0, 2.5),
        ("fmtv_4x4", "mud", 0.0, 4.0),
        ("fmtv_4x4", "mud", 0.03, 2.5),
        ("fmtv_6x6", "mud", 0.0, 3.0),
        ("fed_alpha", "mud", 0.0, 2.5),
        ("fed_alpha", "mud", 0.08, 2.5),
        ("fed_alpha", "dry_sand_lll", 0.08, 2.5),
        ("man_8x8", "mud", 0.0, 3.0),
        ("hmmwv", "mud", 0.1, 4.0),
        ("m113", "mud", 0.1, 4.0),
        ("mrzr4", "dry_sand_lll", 0.15, 5.0),
    ] {
        let driver = path(speed, "").replace("[60, 0]", "[200, 0], [600, 0]");
        let vehicle = format!("model = \"{model}\"\ndriver = {driver}");
        let text = scenario(soil, grade, 40, &vehicle) + "[endings]\nimmobilized = false\n";
        let samples = drive(&mut build(&text).unwrap(), SHIFTING);
        let shifts = samples.windows(2).filter(|pair| pair[0].gear != pair[1].gear).count();
        println!("{model} on {soil}, grade {grade}, {speed} m/s: {shifts} shifts");
        assert!(shifts <= MAX_SHIFTS, "{model} on {soil}, {grade}, {speed}: {shifts} shifts");
    }
}

/// The catalog's HMMWV without its steered axle.
fn unsteered() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = bekker_vehicle::catalog().iter().find(|own| own.key == "hmmwv").unwrap().text;
    let mut spec: toml::Table = toml::from_str(text).unwrap();
    spec.remove("steering");
    for axle in spec["axles"].as_array_mut().unwrap() {
        axle.as_table_mut().unwrap().remove("steered");
    }
    std::fs::write(folder.path().join("unsteered.toml"), spec.to_string()).unwrap();
    folder
}

#[test]
fn a_vehicle_without_a_steered_axle_takes_no_driver_that_steers() {
    let folder = unsteered();
    let model = folder.path().join("unsteered.toml");
    let built = |driver: &str| {
        let vehicle = format!("model = {:?}\ndriver = {driver}", model.display().to_string());
        build(&scenario("firm", 0.0, 1, &vehicle))
    };
    for (driver, key) in [
        (path(2.0, ""), "driver.kind"),
        (
            "{ kind = \"table\", rows = [{ time = 0, throttle = 0.1, steering = 0.2 }] }".into(),
            "rows[0].steering",
        ),
    ] {
        let told = built(&driver).unwrap_err();
        assert!(told.contains(key) && told.contains("no axle of"), "{told}");
    }
    for driver in [
        "{ kind = \"table\", rows = [{ time = 0, throttle = 0.1 }] }",
        "{ kind = \"hold\" }",
        "{ kind = \"outside\" }",
    ] {
        assert!(built(driver).is_ok(), "{driver}: {:?}", built(driver).err());
    }
    // the leader can be steered, its follower cannot
    let leads =
        "model = \"hmmwv\"\ndriver = { kind = \"path\", speed = 2, waypoints = [[0, 0], [60, 0]] }";
    let follows = format!(
        "[[vehicle]]\nname = \"behind\"\nposition = [-12, 0]\nmodel = {:?}\n\
         driver = {{ kind = \"follow\", leader = \"own\" }}\n",
        model.display().to_string()
    );
    let told = build(&(scenario("firm", 0.0, 1, leads) + &follows)).unwrap_err();
    assert!(told.contains("vehicle[1].driver.kind") && told.contains("no axle of"), "{told}");
}
