//! Checks of names.
//!
//! Files, frames and topics are named after vehicles and sensors, and all names are printed.

use super::config::{CameraConfig, Scenario, SensorConfig, SensorModel, VehicleConfig};
use super::convoys::indices_by_name;
use super::diagnostic::DiagnosticKind;
use super::diagnostic_sink::DiagnosticSink;
use bekker_sensor::left_camera;

/// The parent frame of all vehicles.
const WORLD: &str = "world";

/// Topics that exist for every vehicle under its name.
const TOLD: [&str; 9] =
    ["pose", "ground", "ruts", "goal", "route", "path", "believed", "map", "hit"];

/// Checks that the names of vehicles, and of the sensors of each vehicle, are unique.
///
/// The names of derived topics and frames count as taken.
pub(super) fn check(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let named = indices_by_name(&scenario.vehicle);
    check_printable(&scenario.name, "name".into(), refuse);
    for (index, soil) in scenario.soil.custom.iter().enumerate() {
        check_printable(&soil.name, format!("soil.custom[{index}].name"), refuse);
    }
    for (index, vehicle) in scenario.vehicle.iter().enumerate() {
        let key = format!("vehicle[{index}].name");
        let first = named[vehicle.name.as_str()];
        if first < index {
            refuse(
                key.clone(),
                DiagnosticKind::DuplicateName { first: format!("vehicle[{first}]") },
            );
        }
        if vehicle.name == WORLD {
            let cause = format!("must differ from {WORLD:?}, the frame of all vehicles");
            refuse(key.clone(), DiagnosticKind::Refused { cause });
        }
        check_word(&vehicle.name, key, refuse);
        check_sensors(vehicle, index, refuse);
    }
}

/// Refuses control characters: a line break, tab or escape sequence would corrupt printed lines.
pub(super) fn check_printable(name: &str, key: String, refuse: &mut DiagnosticSink) {
    if name.chars().any(char::is_control) {
        let cause = "must be one line without tabs or other control characters";
        refuse(key, DiagnosticKind::Refused { cause: cause.into() });
    }
}

/// Refuses slashes, which separate vehicle and sensor in the names of frames and topics.
fn check_word(name: &str, key: String, refuse: &mut DiagnosticSink) {
    check_printable(name, key.clone(), refuse);
    if name.contains('/') {
        let cause = format!(
            "{name:?} must not contain a slash, which separates vehicle and sensor in topics; use \
             {:?}",
            name.replace('/', "_")
        );
        refuse(key, DiagnosticKind::Refused { cause });
    }
}

fn check_sensors(vehicle: &VehicleConfig, index: usize, refuse: &mut DiagnosticSink) {
    for (which, sensor) in vehicle.sensor.iter().enumerate() {
        let key = format!("vehicle[{index}].sensor[{which}].name");
        let same = |other: &SensorConfig| other.name == sensor.name;
        if let Some(first) = vehicle.sensor[..which].iter().position(same) {
            let first = format!("vehicle[{index}].sensor[{first}]");
            refuse(key.clone(), DiagnosticKind::DuplicateName { first });
        }
        if let Some(pair) = vehicle.sensor.iter().position(|other| is_right_of(other, sensor)) {
            let cause = format!(
                "{:?} is the name of the right camera of sensor[{pair}] of the vehicle, which has \
                 model.stereo; choose another name",
                sensor.name
            );
            refuse(key.clone(), DiagnosticKind::Refused { cause });
        }
        if TOLD.contains(&sensor.name.as_str()) {
            let cause = format!(
                "{:?} is reserved for the vehicle's own topics; must be none of {}",
                sensor.name,
                TOLD.join(", ")
            );
            refuse(key.clone(), DiagnosticKind::Refused { cause });
        }
        check_word(&sensor.name, key, refuse);
    }
}

/// Whether a sensor has the name of the right camera of a stereo pair.
fn is_right_of(pair: &SensorConfig, sensor: &SensorConfig) -> bool {
    let is_pair = matches!(pair.model, SensorModel::Camera(CameraConfig { stereo: Some(_), .. }));
    is_pair && left_camera(&sensor.name) == Some(&pair.name)
}

#[cfg(test)]
mod tests {
    use crate::ScenarioFile;
    use std::path::Path;

    fn diagnostics(vehicles: &str) -> String {
        let text = format!(
            "format = 1\nname = 'n'\ntime = {{ duration = 1 }}\nsoil = {{ default = 'mud' }}\n{vehicles}"
        );
        match ScenarioFile::parse("n.toml", &text, Path::new(""), &[]) {
            Ok(_) => String::new(),
            Err(diagnostics) => diagnostics.to_string(),
        }
    }

    fn vehicle(name: &str, sensors: &[(&str, &str)]) -> String {
        let head = format!("[[vehicle]]\nname = '{name}'\nmodel = 'hmmwv'\nposition = [0, 0]\n");
        let sensor = |(name, model): &(&str, &str)| {
            format!("[[vehicle.sensor]]\nname = '{name}'\nmodel = {{ kind = {model} }}\n")
        };
        head + &sensors.iter().map(sensor).collect::<String>()
    }

    #[test]
    fn duplicate_names_are_refused() {
        let pair = ("c", "'camera', stereo = 0.2");
        for (sensors, key, says) in [
            (vec![pair, ("c_right", "'odometry'")], "vehicle[0].sensor[1].name", "right camera of"),
            (vec![("c_right", "'odometry'"), pair], "vehicle[0].sensor[0].name", "right camera of"),
            (vec![("pose", "'odometry'")], "vehicle[0].sensor[0].name", "none of pose, ground"),
            (vec![("ground", "'terramechanics'")], "vehicle[0].sensor[0].name", "none of pose"),
            (
                vec![("c/image", "'odometry'")],
                "vehicle[0].sensor[0].name",
                "must not contain a slash",
            ),
        ] {
            let found = diagnostics(&vehicle("a", &sensors));
            assert!(found.contains(key) && found.contains(says), "{found}");
        }
        assert!(diagnostics(&vehicle("a/b", &[])).contains("must not contain a slash"));
        // a name that would start a new line, or color the terminal
        let two_lines = "[[vehicle]]\nname = \"a\\nb\"\nmodel = 'hmmwv'\nposition = [0, 0]\n";
        let found = diagnostics(two_lines);
        assert!(found.contains("vehicle[0].name = \"a\\nb\": must be one line"), "{found}");
        let colored = vehicle("a", &[]) + "[[radio]]\nname = \"\\u001b[31m\"\n";
        let found = diagnostics(&colored);
        assert!(found.contains("radio[0].name = \"\\u{1b}[31m\": must be one line"), "{found}");
        assert!(diagnostics(&vehicle("world", &[])).contains("the frame of all vehicles"));
        let fine = [("c", "'camera'"), ("c_right", "'odometry'"), ("b.2 x", "'imu'")];
        assert_eq!(diagnostics(&vehicle("a", &fine)), "");
    }
}
