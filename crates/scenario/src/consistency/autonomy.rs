//! Checks of goals and teams of autonomous vehicles.

use crate::config::{DriverConfig, Scenario, SharingConfig, TeamConfig, VehicleConfig};
use crate::diagnostic::{DiagnosticKind, nearest_word};
use crate::diagnostic_sink::DiagnosticSink;

/// Checks that each autonomous vehicle has a goal, or a team whose authority assigns tasks.
pub(super) fn check_goals(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let has_task = |team: &TeamConfig| team.search.is_some() || !team.goals.is_empty();
    if scenario.team.as_ref().is_some_and(has_task) {
        return;
    }
    for (index, vehicle) in scenario.vehicle.iter().enumerate() {
        if matches!(vehicle.driver, DriverConfig::Autonomous { goal: None, .. }) {
            let expected = "a goal, team.goals or team.search".into();
            refuse(format!("vehicle[{index}].driver.goal"), DiagnosticKind::Missing { expected });
        }
    }
}

/// Checks that a team has autonomous vehicles, and that its radio's range is within its horizon.
pub(super) fn check_team(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let Some(team) = &scenario.team else { return };
    let is_autonomous =
        |own: &&VehicleConfig| matches!(own.driver, DriverConfig::Autonomous { .. });
    let members = || scenario.vehicle.iter().filter(is_autonomous).map(|own| own.name.as_str());
    if members().next().is_none() {
        let expected = "a vehicle with a driver of kind autonomous".into();
        refuse("team".into(), DiagnosticKind::Missing { expected });
    }
    if let Some(name) = team.authority.as_deref().filter(|name| members().all(|own| own != *name)) {
        let allowed: Vec<String> = members().map(|name| format!("{name:?}")).collect();
        let suggestion = nearest_word(name, members());
        let problem = if allowed.is_empty() {
            let cause = "no vehicle has a driver of kind autonomous; give one to a vehicle, or \
                remove the key";
            DiagnosticKind::Refused { cause: cause.into() }
        } else {
            DiagnosticKind::NotOneOf { suggestion, allowed }
        };
        refuse("team.authority".into(), problem);
    }
    check_cells(scenario, refuse);
    crate::radio_checks::check_channel(&team.radio, "team.radio", refuse);
    if team.concern.is_some() && team.sharing != SharingConfig::Peers {
        let other = "a sharing other than peers: an authority receives everything";
        refuse("team.concern".into(), DiagnosticKind::Excludes { other });
    }
    if team.search.is_some() && !team.goals.is_empty() {
        refuse("team.search".into(), DiagnosticKind::Excludes { other: "team.goals" });
    }
    let is_sent =
        |own: &VehicleConfig| matches!(own.driver, DriverConfig::Autonomous { goal: None, .. });
    if members().next().is_some() && !scenario.vehicle.iter().any(is_sent) {
        let tasks =
            [("team.search", team.search.is_some()), ("team.goals", !team.goals.is_empty())];
        for (key, _) in tasks.into_iter().filter(|(_, given)| *given) {
            let expected = "an autonomous vehicle without driver.goal".into();
            refuse(key.into(), DiagnosticKind::Missing { expected });
        }
    }
    if team.assignment.is_some() && team.goals.is_empty() {
        let expected = "a list of goals for team.assignment".into();
        refuse("team.goals".into(), DiagnosticKind::Missing { expected });
    }
    crate::search_area::check(scenario, team, refuse);
    if team.sharing == SharingConfig::Peers && (team.search.is_some() || !team.goals.is_empty()) {
        let cause = "must be central or whole: without an authority, no task can be assigned";
        refuse("team.sharing".into(), DiagnosticKind::Refused { cause: cause.into() });
    }
    crate::radio_checks::check_rate(scenario, team.rate, "team.rate", refuse);
}

/// Checks that merged maps have cells of the same size.
fn check_cells(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let cells = scenario.vehicle.iter().enumerate().filter_map(|(index, own)| match own.driver {
        DriverConfig::Autonomous { cell, .. } => Some((index, own, cell)),
        _ => None,
    });
    let mut first = None;
    for (index, own, cell) in cells {
        let &mut (name, side) = first.get_or_insert((own.name.as_str(), cell));
        if cell != side {
            let cause = format!(
                "must be {side}, as for {name:?}: a team merges its maps, so all cells must have \
                 the same size"
            );
            refuse(format!("vehicle[{index}].driver.cell"), DiagnosticKind::Refused { cause });
        }
    }
}
