//! Checks of radios that involve more than one key.

use super::config::{
    BarrierConfig, DriverConfig, FollowPolicy, RadioConfig, RadioNetConfig, Scenario,
};
use super::diagnostic::{DiagnosticKind, nearest_word};
use super::diagnostic_sink::{DiagnosticSink, decimal};
use std::collections::BTreeMap;

/// Checks the vehicles of radios.
///
/// Each named vehicle must exist and may be on at most one radio. A vehicle that cooperates with
/// its leader must share a radio with it.
pub(super) fn check(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let known = || scenario.vehicle.iter().map(|vehicle| vehicle.name.as_str());
    for (index, net) in scenario.radio.iter().enumerate() {
        let key = format!("radio[{index}]");
        super::names::check_printable(&net.name, format!("{key}.name"), refuse);
        let earlier = &scenario.radio[..index];
        if let Some(first) = earlier.iter().position(|other| other.name == net.name) {
            let first = format!("radio[{first}]");
            refuse(format!("{key}.name"), DiagnosticKind::DuplicateName { first });
        }
        for (place, name) in net.vehicles.iter().enumerate() {
            if known().all(|own| own != name) {
                let allowed = known().map(|name| format!("{name:?}")).collect();
                let suggestion = nearest_word(name, known());
                let key = format!("{key}.vehicles[{place}]");
                refuse(key, DiagnosticKind::NotOneOf { suggestion, allowed });
            }
        }
        let twice = known().find(|name| has(net, name) && earlier.iter().any(|own| has(own, name)));
        if let Some(name) = twice {
            let cause = format!("must not contain {name}, which already has another radio");
            refuse(format!("{key}.vehicles"), DiagnosticKind::Refused { cause });
        }
        check_channel(&net.channel, &format!("{key}.channel"), refuse);
        check_rate(scenario, net.rate, &format!("{key}.rate"), refuse);
    }
    check_roadside(scenario, refuse);
    check_lights(scenario, refuse);
    check_times(scenario, refuse);
    for (index, vehicle) in scenario.vehicle.iter().enumerate() {
        let DriverConfig::Follow { leader, policy, time_gap_unheard, lost_beacons, adapt, .. } =
            &vehicle.driver
        else {
            continue;
        };
        let key = |part: &str| format!("vehicle[{index}].driver.{part}");
        let share = |net: &RadioNetConfig| has(net, &vehicle.name) && has(net, leader);
        if adapt.is_some() && !scenario.radio.iter().any(share) {
            let cause = format!("requires a [[radio]] shared by {} and {leader}", vehicle.name);
            refuse(key("adapt"), DiagnosticKind::Refused { cause });
        }
        if *policy == FollowPolicy::Cacc {
            if !scenario.radio.iter().any(share) {
                let cause = format!("requires a [[radio]] shared by {} and {leader}", vehicle.name);
                refuse(key("policy"), DiagnosticKind::Refused { cause });
            }
            continue;
        }
        let given = [
            ("time_gap_unheard", time_gap_unheard.is_some()),
            ("lost_beacons", lost_beacons.is_some()),
        ];
        for (part, _) in given.iter().filter(|(_, given)| *given) {
            refuse(key(part), DiagnosticKind::Excludes { other: "a policy other than cacc" });
        }
    }
}

/// Checks that traffic lights, barriers and pedestrians have unique names and existing radios.
fn check_roadside(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let radios = || scenario.radio.iter().map(|net| net.name.as_str());
    let lights = scenario.traffic_light.iter().map(|own| (&own.name, Some(&own.radio)));
    let barriers = scenario.barrier.iter().map(|own| (&own.name, own.radio.as_ref()));
    let on_foot = scenario.pedestrian.iter().map(|own| (&own.name, own.radio.as_ref()));
    let key = |kind: &str, index: usize| format!("{kind}[{index}]");
    let all = (lights.enumerate().map(|(index, own)| (key("traffic_light", index), own)))
        .chain(barriers.enumerate().map(|(index, own)| (key("barrier", index), own)))
        .chain(on_foot.enumerate().map(|(index, own)| (key("pedestrian", index), own)));
    let vehicles = scenario.vehicle.iter().enumerate();
    let mut known: BTreeMap<&str, String> =
        vehicles.map(|(index, own)| (own.name.as_str(), key("vehicle", index))).collect();
    for (key, (name, radio)) in all {
        super::names::check_printable(name, format!("{key}.name"), refuse);
        if let Some(first) = known.get(name.as_str()) {
            refuse(format!("{key}.name"), DiagnosticKind::DuplicateName { first: first.clone() });
        }
        if let Some(radio) = radio.filter(|radio| radios().all(|name| name != radio.as_str())) {
            let allowed = radios().map(|name| format!("{name:?}")).collect();
            let suggestion = nearest_word(radio, radios());
            refuse(format!("{key}.radio"), DiagnosticKind::NotOneOf { suggestion, allowed });
        }
        known.entry(name).or_insert(key);
    }
}

/// Checks that barriers have time to open and to warn, and that pedestrians move.
fn check_times(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    for (index, barrier) in scenario.barrier.iter().enumerate() {
        let BarrierConfig { closed, open, swing, warning, .. } = *barrier;
        if closed < swing {
            let cause = format!("must be at least barrier[{index}].swing = {swing} s");
            refuse(format!("barrier[{index}].closed"), DiagnosticKind::Refused { cause });
        }
        if open < swing + warning {
            let cause = format!(
                "must be at least the sum of barrier[{index}].swing and warning, {} s",
                decimal(swing + warning)
            );
            refuse(format!("barrier[{index}].open"), DiagnosticKind::Refused { cause });
        }
    }
    for (index, own) in scenario.pedestrian.iter().enumerate() {
        for (point, pair) in own.way.windows(2).enumerate() {
            if pair[0] == pair[1] {
                let cause = format!("repeats the previous point, {:?}", pair[0]);
                let key = format!("pedestrian[{index}].way[{}]", point + 1);
                refuse(key, DiagnosticKind::Refused { cause });
            }
        }
    }
}

/// Checks that each phase of a traffic light has one light per approach.
fn check_lights(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    for (index, light) in scenario.traffic_light.iter().enumerate() {
        let key = |part: &str| format!("traffic_light[{index}].{part}");
        let approaches = light.approach.len();
        for (place, phase) in light.phase.iter().enumerate() {
            if phase.lights.len() != approaches {
                let cause = format!("must have {approaches} lights, one per approach");
                refuse(key(&format!("phase[{place}].lights")), DiagnosticKind::Refused { cause });
            }
        }
    }
}

fn has(net: &RadioNetConfig, vehicle: &str) -> bool {
    net.vehicles.is_empty() || net.vehicles.iter().any(|name| name == vehicle)
}

/// Checks the channel of a radio.
///
/// The horizon must be at least the range. The reception probability must not grow with distance.
/// The begin and end probabilities of bursts must sum to at most 1, so that one random draw decides
/// a step of the two-state chain.
pub(super) fn check_channel(radio: &RadioConfig, key: &str, refuse: &mut DiagnosticSink) {
    if radio.horizon < radio.range {
        let cause = format!("must be at least {key}.range = {} m", radio.range);
        refuse(format!("{key}.horizon"), DiagnosticKind::Refused { cause });
    }
    if radio.far > radio.near {
        let cause = format!(
            "must be at most {key}.near = {}: reception does not improve with distance",
            radio.near
        );
        refuse(format!("{key}.far"), DiagnosticKind::Refused { cause });
    }
    if let Some(bursts) = radio.bursts.filter(|bursts| bursts.begin + bursts.end > 1.0) {
        let cause =
            format!("must be at most 1 when added to {key}.bursts.begin = {}", bursts.begin);
        refuse(format!("{key}.bursts.end"), DiagnosticKind::Refused { cause });
    }
}

/// Checks that the exchange rate is at most one per heartbeat.
pub(super) fn check_rate(scenario: &Scenario, rate: f64, key: &str, refuse: &mut DiagnosticSink) {
    if 1.0 / rate + 1e-9 < scenario.time.heartbeat {
        let most = 1.0 / scenario.time.heartbeat;
        let bounds = format!("> 0 and <= {} Hz, one per heartbeat", decimal(most));
        refuse(key.into(), DiagnosticKind::OutOfRange { bounds });
    }
}
