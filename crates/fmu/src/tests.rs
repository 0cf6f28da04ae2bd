//! A unit from its description to its steps, without an importer.

use super::*;
use bekker_scenario::ScenarioFile;
use bekker_scenario::build::{BuiltWorld, world};
use bekker_world::{Command, SteeringCommand, World};
use std::collections::BTreeSet;
use std::path::Path;
use xml::reader::{EventReader, XmlEvent};

const SCENARIO: &str = r#"
format = 1
name = "one & a <half>"
time = { duration = 0.2 }
soil = { default = "chrono_mid" }
[[vehicle]]
name = "lead"
model = "hmmwv"
tire = "rigid"
position = [0, 0]
driver = { kind = "outside" }
[[vehicle]]
name = "2nd"
model = "hmmwv"
tire = "rigid"
position = [0, 12]
driver = { kind = "hold" }
"#;

fn built() -> (ScenarioFile, BuiltWorld) {
    let file = ScenarioFile::parse("scenario.toml", SCENARIO, Path::new(""), &[]).unwrap();
    let built = world(&file).unwrap();
    (file, built)
}

fn instance() -> FmuInstance {
    instance_of(SCENARIO)
}

fn instance_of(text: &str) -> FmuInstance {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("scenario.toml"), text).unwrap();
    let file = ScenarioFile::parse("scenario.toml", text, Path::new(""), &[]).unwrap();
    FmuInstance::new(folder.path(), &world(&file).unwrap().fingerprint).unwrap()
}

fn reference(instance: &FmuInstance, name: &str) -> u32 {
    instance.variables().iter().position(|own| own.name == name).unwrap() as u32
}

fn started_instance() -> FmuInstance {
    let mut instance = instance();
    instance.enter_initialization().unwrap();
    instance.exit_initialization().unwrap();
    instance
}

#[test]
fn the_description_names_every_variable_once() {
    let (file, built) = built();
    let variables = variables(&built.world, &external_vehicles(&file.scenario));
    let description = ModelDescription {
        name: &file.scenario.name,
        description: "",
        token: &built.fingerprint,
        heartbeat: 0.01,
        duration: 0.2,
        variables: &variables,
    };
    let (mut names, mut outputs, mut units, mut used) =
        (Vec::new(), 0, BTreeSet::new(), BTreeSet::new());
    let text = description.to_xml(Interface::Fmi3);
    for event in EventReader::new(text.as_slice()) {
        let XmlEvent::StartElement { name, attributes, .. } = event.unwrap() else { continue };
        let get = |key: &str| {
            let found = attributes.iter().find(|own| own.name.local_name == key);
            found.map(|own| own.value.clone())
        };
        match name.local_name.as_str() {
            "fmiModelDescription" => assert_eq!(get("modelName").unwrap(), "one & a <half>"),
            "CoSimulation" => {
                assert_eq!(get("modelIdentifier").unwrap(), "one___a__half_");
                assert_eq!(get("fixedInternalStepSize").unwrap(), "0.01");
            }
            "Unit" => drop(units.insert(get("name").unwrap())),
            "Output" => outputs += 1,
            "Float64" | "Int32" | "Boolean" | "String" => {
                assert_eq!(get("valueReference").unwrap(), names.len().to_string());
                assert_eq!(get("start").is_some(), get("causality").unwrap() == "input");
                used.extend(get("unit"));
                names.push(get("name").unwrap());
            }
            _ => {}
        }
    }
    let expected: Vec<&String> = variables.iter().map(|own| &own.name).collect();
    assert_eq!(names.iter().collect::<Vec<_>>(), expected);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    let is = |causality| variables.iter().filter(|own| own.causality == causality).count();
    assert_eq!((is(Causality::Independent), is(Causality::Input)), (1, 4));
    assert_eq!(outputs, is(Causality::Output));
    assert!(used.is_subset(&units), "{used:?} of {units:?}");
    assert!(names.contains(&"'2nd'.wheel[4].force.z".to_owned()));
    assert!(!names.contains(&"'2nd'.throttle".to_owned()), "it drives itself");
}

#[test]
fn inputs_are_commands_of_the_world() {
    let (_, built) = built();
    let mut world = World::new(built.world);
    let mut instance = started_instance();
    let [throttle, brake, steering, hash] =
        ["lead.throttle", "lead.brake", "lead.steering", "state_hash"]
            .map(|name| reference(&instance, name));
    for step in 0..10 {
        let share = 0.05 * f64::from(step);
        // values above full throttle are clamped
        instance.set_float64(throttle, 0.5 * f64::from(step)).unwrap();
        instance.set_float64(brake, 0.0).unwrap();
        instance.set_float64(steering, share).unwrap();
        instance.step(f64::from(step) * 0.01, 0.01).unwrap();
        let command = Command {
            throttle: (0.5 * f64::from(step)).min(1.0),
            steering: SteeringCommand::Share(share),
            ..Command::default()
        };
        world.command(0, Some(command)).unwrap();
        world.advance();
        assert_eq!(instance.string(hash).unwrap(), base16ct::lower::encode_string(&world.hash()));
    }
    let sample = world.sample(0).unwrap();
    let speed = reference(&instance, "lead.speed");
    assert_eq!(instance.float64(speed).unwrap(), sample.speed);
    let load = reference(&instance, "lead.wheel[2].force.z");
    assert_eq!(instance.float64(load).unwrap(), sample.wheels[1].load);
}

#[test]
fn a_trailer_is_uncoupled() {
    let text = SCENARIO.replacen("\"hmmwv\"", "\"hmmwv+cargo_trailer\"", 1);
    let file = ScenarioFile::parse("scenario.toml", &text, Path::new(""), &[]).unwrap();
    let mut world = World::new(world(&file).unwrap().world);
    let mut instance = instance_of(&text);
    instance.enter_initialization().unwrap();
    instance.exit_initialization().unwrap();
    // a vehicle without trailer has no such input
    let names = instance.variables().iter().filter(|own| own.name.ends_with(".uncouple"));
    assert_eq!(names.count(), 1);
    let [uncouple, brake, hash] =
        ["lead.uncouple", "lead.brake", "state_hash"].map(|name| reference(&instance, name));
    let told = instance.set_int32(uncouple, 2).unwrap_err().to_string();
    assert!(told.contains("1 (uncouple) or 0 (no change)"), "{told}");
    for step in 0..4 {
        let uncouples = step > 1;
        instance.set_int32(uncouple, i32::from(uncouples)).unwrap();
        instance.set_float64(brake, 0.0).unwrap();
        instance.step(f64::from(step) * 0.01, 0.01).unwrap();
        let command = Command { uncouple: uncouples, ..Command::default() };
        world.command(0, Some(command)).unwrap();
        world.advance();
        assert_eq!(instance.string(hash).unwrap(), base16ct::lower::encode_string(&world.hash()));
    }
    assert_eq!(world.state().agents[0].vehicle.coupling, bekker_vehicle::Coupling::Released);
}

#[test]
fn an_instance_restored_from_bytes_continues_the_same() {
    let mut instance = started_instance();
    let [throttle, brake] = ["lead.throttle", "lead.brake"].map(|name| reference(&instance, name));
    instance.set_float64(throttle, 0.7).unwrap();
    instance.set_float64(brake, 0.0).unwrap();
    instance.step(0.0, 0.05).unwrap();
    let bytes = instance.serialize(&instance.save()).unwrap();
    let told = |own: &FmuInstance| -> Vec<u64> {
        let all = 0..own.variables().len() as u32;
        all.filter_map(|reference| own.float64(reference).ok()).map(f64::to_bits).collect()
    };
    let mut other = self::instance();
    other.restore(&other.deserialize(&bytes).unwrap()).unwrap();
    assert_eq!(told(&other), told(&instance));
    for own in [&mut instance, &mut other] {
        own.step(0.05, 0.05).unwrap();
    }
    assert_eq!(told(&other), told(&instance));
    let cut = instance.deserialize(&bytes[..bytes.len() / 2]).unwrap_err().to_string();
    assert!(cut.starts_with("serialized state: "), "{cut}");
}

#[test]
fn steps_of_partial_heartbeats_are_refused_and_change_nothing() {
    let mut instance = started_instance();
    let hash = reference(&instance, "state_hash");
    let before = instance.string(hash).unwrap();
    for length in [0.0, -0.01, 0.004, 0.0151, f64::NAN, f64::INFINITY, 1e9] {
        let told = instance.step(0.0, length).unwrap_err().to_string();
        assert!(told.contains("a multiple of the heartbeat of 0.01 s"), "{told}");
    }
    assert!(matches!(instance.step(0.01, 0.01), Err(FmuError::CommunicationPoint { .. })));
    assert_eq!(instance.string(hash).unwrap(), before);
    // times accumulated by an importer are accepted
    instance.step(0.0, 0.1 + 0.2 - 0.2).unwrap();
    assert!(instance.exit_initialization().is_err());
    instance.terminate().unwrap();
    assert!(instance.step(0.1, 0.01).is_err());
}

#[test]
fn a_library_and_a_description_of_other_exports_are_distinguished() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("scenario.toml"), SCENARIO).unwrap();
    let told = FmuInstance::new(folder.path(), "other").err().unwrap().to_string();
    assert!(told.contains("export the FMU again"), "{told}");
    let told = FmuInstance::new(&folder.path().join("absent"), "").err().unwrap().to_string();
    assert!(told.contains("scenario.toml"), "{told}");
}
