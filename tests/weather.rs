//! Weather and whole vehicles: water that stops a vehicle, frost that carries it, and refusals.

use bekker::scenario::{Document, ScenarioFile, build};
use bekker::simulation::World;
use bekker::soil::{Laws, SoilKind};
use std::path::Path;

const SCENARIO: &str = r#"
format = 1
name = "weather"
[time]
duration = 5
[ground]
spacing = 0.08
[soil]
default = "field"
[[soil.custom]]
name = "field"
based_on = "grenville_loam"
[[vehicle]]
name = "v"
model = "hmmwv"
tire = "rigid"
position = [0, 0]
driver = { kind = "path", speed = 3, waypoints = [[0, 0], [100, 0]] }
"#;

/// Returns distance and maximum sinkage of the drive, m, with changes to its soil.
fn drive(sets: &[&str]) -> [f64; 2] {
    let sets: Vec<String> = sets.iter().map(|set| format!("soil.custom[0].{set}")).collect();
    let file = ScenarioFile::parse("weather", SCENARIO, Path::new(""), &sets).unwrap();
    let mut world = World::new(build::world(&file).unwrap().world);
    while world.time() < 5.0 - 1e-9 && world.is_running() {
        world.advance();
    }
    let vehicle = world.summary("weather", 1.0).vehicles.remove(0);
    println!("{sets:?}: {:.2} m, {:.3} m deep", vehicle.distance, vehicle.max_sinkage);
    [vehicle.distance, vehicle.max_sinkage]
}

fn refused(set: &str) -> String {
    let sets = [format!("soil.custom[0].{set}")];
    let file = ScenarioFile::parse("weather", SCENARIO, Path::new(""), &sets);
    match file.map(|file| build::world(&file).map(|_| ())) {
        Err(faults) | Ok(Err(faults)) => faults.to_string(),
        Ok(Ok(())) => panic!("{set} was taken"),
    }
}

/// Rain on a dry field is equivalent to its final moisture content, and a wetter field has a deeper
/// rut.
#[test]
fn wetter_soil_gives_deeper_ruts() {
    let moist = |content: f64| {
        drive(&[&format!("moisture={{class=\"CL\",reference=0.2,content={content}}}")])
    };
    let dry = drive(&[]);
    assert_eq!(moist(0.2), dry);
    let [wet, wetter] = [moist(0.24), moist(0.3)];
    assert!(dry[1] < wet[1] && wet[1] < wetter[1], "{dry:?} {wet:?} {wetter:?}");
    assert!(wetter[0] < dry[0]);
    // 18 mm on 30 cm of 1500 kg/m³ are 4 %.
    let rain =
        drive(&["moisture={class=\"CL\",reference=0.2,rain={falls=[[0,18]],day=0,saturated=0.4}}"]);
    for (rained, wet) in rain.into_iter().zip(wet) {
        assert!((rained - wet).abs() < 1e-9, "{rained} {wet}");
    }
}

/// Wet ground frozen to 25 cm carries two times an HMMWV, and frozen to 10 cm a third of one (CRREL
/// 95-1, table A4).
#[test]
fn frost_bears_or_breaks() {
    let mire = "based_on=\"bog\"";
    let [_, open] = drive(&[mire]);
    let [_, borne] = drive(&[mire, "frost={depth=0.25,wet=true}"]);
    let [_, broken] = drive(&[mire, "frost={depth=0.1,wet=true}"]);
    assert!(borne < 0.01, "{borne}");
    assert_eq!(broken, open);
}

/// Frozen soil is not weakened by its water; where the frost breaks, the soil has its water
/// content.
#[test]
fn frozen_water_weakens_nothing() {
    let wet = "moisture={class=\"CL\",reference=0.2,content=0.5}";
    let frozen = drive(&["frost={depth=0.3}"]);
    assert_eq!(drive(&["frost={depth=0.3}", wet]), frozen);
    assert_eq!(drive(&["frost={depth=0.02}", wet]), drive(&[wet]));
}

/// A warning reports snow that has the shear strength of a soil that is not snow.
#[test]
fn snow_with_unusual_parameters_is_reported() {
    let told = |sets: &[&str]| {
        let sets: Vec<String> = sets.iter().map(|set| format!("soil.custom[0].{set}")).collect();
        let file = ScenarioFile::parse("weather", SCENARIO, Path::new(""), &sets).unwrap();
        let warnings = build::world(&file).unwrap().warnings;
        warnings.iter().any(|own| own.to_string().contains("which is not snow"))
    };
    let snow = "snow={depth=0.3,density=300}";
    assert!(told(&[snow]) && !told(&[]));
    assert!(!told(&[snow, "based_on=\"snow_us\""]));
    assert!(told(&[snow, "k_phi=2e5", "k_c=0", "n=1.6"]));
    assert!(!told(&[snow, "cohesion=600", "friction_angle_deg=23"]));
}

#[test]
fn thawed_ground_deforms_down_to_the_frozen_layer() {
    let [_, open] = drive(&["based_on=\"bog\""]);
    let [_, thawed] = drive(&["based_on=\"bog\"", "thaw={depth=0.06}"]);
    // Nodes are 8 cm apart: between them a wheel's lowest point is deeper than any node.
    assert!(open > 0.1 && thawed < 0.07, "{open} {thawed}");
}

#[test]
fn conditions_without_a_known_relation_are_refused() {
    let silt = refused("moisture={class=\"ML\",reference=0.2,content=0.3}");
    assert!(silt.contains("soil.custom[0].moisture.class") && silt.contains("CH"), "{silt}");
    let late =
        refused("moisture={class=\"CL\",reference=0.2,rain={falls=[[3,18]],day=1,saturated=0.4}}");
    let told = "soil.custom[0].moisture.rain.day = 1: must be 3 or later, the day of the last entry of rain.falls";
    assert!(late.contains(told), "{late}");
    let back = refused(
        "moisture={class=\"CL\",reference=0.2,rain={falls=[[3,18],[1,2]],day=9,saturated=0.4}}",
    );
    assert!(
        back.contains("soil.custom[0].moisture.rain.falls") && back.contains("day 3"),
        "{back}"
    );
    let full = refused(
        "moisture={class=\"CL\",reference=0.2,content=0.3,rain={falls=[[0,18]],day=1,saturated=0.25}}",
    );
    assert!(full.contains("saturated is 0.25"), "{full}");
    let both = refused("strength=0.0");
    assert!(both.contains("soil.custom[0].strength"), "{both}");
}

/// A soil drier or stronger than the laws allow is reduced to their limit, as in maps, with a
/// warning at its key.
///
/// A rig, which has no warnings, refuses it.
#[test]
fn a_soil_too_strong_for_the_laws_is_clamped_and_reported() {
    let warned = |set: &str| {
        let sets = [format!("soil.custom[0].{set}")];
        let file = ScenarioFile::parse("weather", SCENARIO, Path::new(""), &sets).unwrap();
        let built = build::world(&file).unwrap_or_else(|faults| panic!("{faults}"));
        let of_it = built.warnings.iter().filter(|own| own.key.starts_with("soil.custom[0]"));
        let told: Vec<String> = of_it.map(ToString::to_string).collect();
        match &built.world.ground.soils()[0].kind {
            SoilKind::Deformable(own) => (own.friction_angle.to_degrees(), told),
            SoilKind::Firm { .. } => panic!("firm"),
        }
    };
    let (angle, told) = warned("strength=9.5");
    // The bound of maps, rounded to 1.0297 rad.
    assert!((angle - 59.0).abs() < 0.01, "{angle}");
    let parts = ["soil.custom[0].strength = 9.5: ", "times, as in maps"];
    assert!(told.len() == 1 && parts.iter().all(|part| told[0].contains(part)), "{told:?}");
    let (angle, told) = warned("moisture={class=\"CL\",reference=0.32,content=0.1}");
    assert!((angle - 59.0).abs() < 0.01, "{angle}");
    assert!(told[0].contains("soil.custom[0].moisture.content = 0.1: "), "{told:?}");
    let (angle, told) = warned("strength=1.2");
    assert!(angle < 58.0 && told.is_empty(), "{angle} {told:?}");
    let text = "name = 'strong'\nbased_on = 'grenville_loam'\nstrength = 9.5\n";
    let document = Document::parse("strong.toml", text).unwrap();
    let refused = build::custom_soil(&document, &Laws::refined()).unwrap_err().to_string();
    let parts = ["strong.toml:3: strength = 9.5: ", "it must be at most"];
    assert!(parts.iter().all(|part| refused.contains(part)), "{refused}");
}
