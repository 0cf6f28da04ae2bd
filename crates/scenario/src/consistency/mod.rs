//! Checks of a scenario that involve more than one key: names, references, ratios.

mod autonomy;
mod drivers;
mod sensors;
mod soils;
mod terrain;

use crate::config::{OutputConfig, Scenario, StateFormat};
use crate::convoys::indices_by_name;
use crate::diagnostic::{Diagnostic, DiagnosticKind, nearest_word};
use crate::diagnostic_sink::{DiagnosticSink, decimal};
use crate::document::Document;
use autonomy::{check_goals, check_team};
use drivers::check_drivers;
use sensors::check_sensors;
pub(super) use soils::check_custom_soil;
use soils::check_soils;
use terrain::{check_scenery, check_surface, check_tows};

/// Returns all faults of a scenario that conforms to the schema.
pub fn check(scenario: &Scenario, document: &Document) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut refuse = |key: String, problem| diagnostics.push(document.diagnostic(&key, problem));
    check_time(scenario, &mut refuse);
    check_surface(scenario, &mut refuse);
    check_soils(scenario, &mut refuse);
    crate::names::check(scenario, &mut refuse);
    check_drivers(scenario, &mut refuse);
    check_sensors(scenario, &mut refuse);
    check_scenery(scenario, &mut refuse);
    check_tows(scenario, &mut refuse);
    check_goals(scenario, &mut refuse);
    check_team(scenario, &mut refuse);
    crate::radio_checks::check(scenario, &mut refuse);
    check_output(scenario, &mut refuse);
    crate::budget::check(scenario, &mut refuse);
    diagnostics
}

fn check_time(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let time = &scenario.time;
    if time.steps_per_heartbeat().is_none() {
        let heartbeat = time.heartbeat;
        let steps = (heartbeat / time.step).floor().max(1.0);
        // propose only steps with a finite decimal form
        let shorter = (steps as u64..).find(|n| is_whole_microseconds(heartbeat / *n as f64));
        let longer =
            (1..=steps as u64).rev().find(|n| is_whole_microseconds(heartbeat / *n as f64));
        let mut nearest: Vec<u64> = shorter.into_iter().chain(longer).collect();
        nearest.dedup();
        let nearest = nearest.into_iter().map(|n| decimal(heartbeat / n as f64)).collect();
        refuse("time.step".into(), DiagnosticKind::NotADivisor { heartbeat, nearest });
    }
    let durations =
        [("time.duration", time.duration), ("output.interval", scenario.output.interval)];
    for (key, value) in durations {
        if let Err(problem) = whole_heartbeats(value, time.heartbeat) {
            // the message names the default value, which the file does not contain
            let by_default = key == "output.interval" && value == OutputConfig::default().interval;
            let problem = match by_default {
                true => {
                    DiagnosticKind::Refused { cause: format!("{value} s (default): {problem}") }
                }
                false => problem,
            };
            refuse(key.into(), problem);
        }
    }
}

/// Checks that a duration, s, is a whole number of heartbeats, s.
///
/// # Errors
/// [`DiagnosticKind::NotAMultiple`] if it is not.
pub fn whole_heartbeats(value: f64, heartbeat: f64) -> Result<(), DiagnosticKind> {
    if crate::config::whole_ratio(value, heartbeat).is_some() {
        return Ok(());
    }
    let below = (value / heartbeat).floor();
    let nearest = [below, below + 1.0].into_iter().filter(|n| *n >= 1.0);
    let nearest = nearest.map(|n| decimal(n * heartbeat)).collect();
    Err(DiagnosticKind::NotAMultiple { of: "time.heartbeat", unit: heartbeat, nearest })
}

/// Checks that the output folder has a name and that the recorded vehicles exist.
fn check_output(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    if scenario.output.folder.as_ref().is_some_and(|folder| folder.as_os_str().is_empty()) {
        let cause = "must name a folder; without this key, it is runs/NAME-N".into();
        refuse("output.folder".into(), DiagnosticKind::Refused { cause });
    }
    let known = || scenario.vehicle.iter().map(|vehicle| vehicle.name.as_str());
    let named = indices_by_name(&scenario.vehicle);
    let with_messages = scenario.output.states.iter().position(|own| *own == StateFormat::Mcap);
    if let Some(index) = with_messages.filter(|_| !scenario.output.readings) {
        let cause = "needs output.readings = true, as the messages are in sensors.mcap".into();
        refuse(format!("output.states[{index}]"), DiagnosticKind::Refused { cause });
    }
    for (index, name) in scenario.output.vehicles.iter().flatten().enumerate() {
        if !named.contains_key(name.as_str()) {
            let allowed = known().map(|name| format!("{name:?}")).collect();
            let suggestion = nearest_word(name, known());
            refuse(
                format!("output.vehicles[{index}]"),
                DiagnosticKind::NotOneOf { suggestion, allowed },
            );
        }
    }
}

/// Whether a duration is a whole number of microseconds.
fn is_whole_microseconds(seconds: f64) -> bool {
    let microseconds = seconds * 1e6;
    (microseconds - microseconds.round()).abs() < 1e-6 || seconds < 1e-6
}
