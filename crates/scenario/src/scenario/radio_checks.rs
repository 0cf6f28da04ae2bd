//! Checks of radios that no single key shows.

use super::config::{Driver, FollowPolicy, Radio, RadioNet, Scenario};
use super::consistency::{Refuse, decimal};
use super::fault::{Problem, nearest_word};

/// Radios are of vehicles that there are, each of one radio at most; who cooperates with a leader
/// has one in common with it.
pub(super) fn check(scenario: &Scenario, refuse: &mut Refuse) {
    let known = || scenario.vehicle.iter().map(|vehicle| vehicle.name.as_str());
    for (index, net) in scenario.radio.iter().enumerate() {
        let key = format!("radio[{index}]");
        let earlier = &scenario.radio[..index];
        if let Some(first) = earlier.iter().position(|other| other.name == net.name) {
            let first = format!("radio[{first}]");
            refuse(format!("{key}.name"), Problem::DuplicateName { first });
        }
        for (place, name) in net.vehicles.iter().enumerate() {
            if known().all(|own| own != name) {
                let allowed = known().map(|name| format!("{name:?}")).collect();
                let suggestion = nearest_word(name, known());
                let key = format!("{key}.vehicles[{place}]");
                refuse(key, Problem::NotOneOf { suggestion, allowed });
            }
        }
        let twice = known().find(|name| has(net, name) && earlier.iter().any(|own| has(own, name)));
        if let Some(name) = twice {
            let cause = format!("must not have {name}, which has another radio already");
            refuse(format!("{key}.vehicles"), Problem::Refused { cause });
        }
        check_channel(&net.channel, &format!("{key}.channel"), refuse);
        check_rate(scenario, net.rate, &format!("{key}.rate"), refuse);
    }
    check_lights(scenario, refuse);
    for (index, vehicle) in scenario.vehicle.iter().enumerate() {
        let Driver::Follow { leader, policy, time_gap_unheard, lost_beacons, .. } = &vehicle.driver
        else {
            continue;
        };
        let key = |part: &str| format!("vehicle[{index}].driver.{part}");
        let share = |net: &RadioNet| has(net, &vehicle.name) && has(net, leader);
        if *policy == FollowPolicy::Cacc {
            if !scenario.radio.iter().any(share) {
                let cause = format!("needs a [[radio]] that {} and {leader} have", vehicle.name);
                refuse(key("policy"), Problem::Refused { cause });
            }
            continue;
        }
        let given = [
            ("time_gap_unheard", time_gap_unheard.is_some()),
            ("lost_beacons", lost_beacons.is_some()),
        ];
        for (part, _) in given.iter().filter(|(_, given)| *given) {
            refuse(key(part), Problem::Excludes { other: "a policy other than cacc" });
        }
    }
}

/// Traffic lights have names of their own and a radio, and show each approach something.
fn check_lights(scenario: &Scenario, refuse: &mut Refuse) {
    let radios = || scenario.radio.iter().map(|net| net.name.as_str());
    for (index, light) in scenario.traffic_light.iter().enumerate() {
        let key = |part: &str| format!("traffic_light[{index}].{part}");
        let mut earlier = scenario.traffic_light[..index].iter();
        if let Some(first) = earlier.position(|other| other.name == light.name) {
            let first = format!("traffic_light[{first}]");
            refuse(key("name"), Problem::DuplicateName { first });
        }
        if radios().all(|name| name != light.radio) {
            let allowed = radios().map(|name| format!("{name:?}")).collect();
            let suggestion = nearest_word(&light.radio, radios());
            refuse(key("radio"), Problem::NotOneOf { suggestion, allowed });
        }
        let approaches = light.approach.len();
        for (place, phase) in light.phase.iter().enumerate() {
            if phase.lights.len() != approaches {
                let cause = format!("must have {approaches} lights, one for each approach");
                refuse(key(&format!("phase[{place}].lights")), Problem::Refused { cause });
            }
        }
    }
}

fn has(net: &RadioNet, vehicle: &str) -> bool {
    net.vehicles.is_empty() || net.vehicles.iter().any(|name| name == vehicle)
}

/// A radio reaches no farther than its horizon, and its bursts are a chain of two states that one
/// draw can decide.
pub(super) fn check_channel(radio: &Radio, key: &str, refuse: &mut Refuse) {
    if radio.horizon < radio.range {
        let cause = format!("must be at least {key}.range, {} m", radio.range);
        refuse(format!("{key}.horizon"), Problem::Refused { cause });
    }
    if let Some(bursts) = radio.bursts.filter(|bursts| bursts.begin + bursts.end > 1.0) {
        let cause = format!("must be at most 1 with {key}.bursts.begin, {}", bursts.begin);
        refuse(format!("{key}.bursts.end"), Problem::Refused { cause });
    }
}

/// Not more than one exchange a heartbeat.
pub(super) fn check_rate(scenario: &Scenario, rate: f64, key: &str, refuse: &mut Refuse) {
    if 1.0 / rate + 1e-9 < scenario.time.heartbeat {
        let most = 1.0 / scenario.time.heartbeat;
        let bounds = format!("> 0 and <= {} Hz, one a heartbeat", decimal(most));
        refuse(key.into(), Problem::OutOfRange { bounds });
    }
}
