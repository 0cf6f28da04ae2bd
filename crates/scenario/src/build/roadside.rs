//! Traffic lights, barriers and pedestrians of a scenario.

use crate::config::{self, Scenario};
use bekker_agent::{
    Approach, BarrierArm, Pedestrian, PropForm, PropKind, SceneryObject, SignalColor, SignalPhase,
    TrafficLight,
};

fn micros(time: f64) -> u64 {
    (1e6 * time).round() as u64
}

/// Index of the radio with this name; the cross-checks ensure that it exists.
fn radio(scenario: &Scenario, name: &str) -> Option<usize> {
    scenario.radio.iter().position(|net| net.name == name)
}

/// The traffic lights, then the barriers.
pub(super) fn lights(scenario: &Scenario) -> Vec<TrafficLight> {
    let lights = scenario.traffic_light.iter().map(|own| light(scenario, own));
    let barrier = |own: &config::BarrierConfig| {
        let boom = BarrierArm {
            heading: own.heading_deg.to_radians(),
            length: own.length,
            swing_us: micros(own.swing),
            closed_us: micros(own.closed),
        };
        let times_us = [own.warning, own.offset].map(micros);
        let radio = own.radio.as_ref().and_then(|name| radio(scenario, name));
        TrafficLight::barrier(&own.name, own.position, boom, micros(own.open), times_us, radio)
    };
    lights.chain(scenario.barrier.iter().map(barrier)).collect()
}

fn light(scenario: &Scenario, config: &config::TrafficLightConfig) -> TrafficLight {
    let phase = |own: &config::LightPhase| SignalPhase {
        duration_us: micros(own.duration),
        lights: own.lights.iter().map(|&light| light_state(light)).collect(),
    };
    TrafficLight {
        name: config.name.clone(),
        place: config.position,
        radio: radio(scenario, &config.radio),
        offset_us: micros(config.offset),
        phases: config.phase.iter().map(phase).collect(),
        approaches: config.approach.iter().map(approach).collect(),
        arm: None,
    }
}

fn approach(own: &config::ApproachConfig) -> Approach {
    Approach { stop: own.stop, heading: own.heading_deg.to_radians(), width: own.width }
}

fn light_state(light: config::LightConfig) -> SignalColor {
    match light {
        config::LightConfig::Red => SignalColor::Red,
        config::LightConfig::Amber => SignalColor::Amber,
        config::LightConfig::Green => SignalColor::Green,
    }
}

/// The pedestrians.
pub(super) fn pedestrians(scenario: &Scenario) -> Vec<Pedestrian> {
    let of = |own: &config::PedestrianConfig| Pedestrian {
        name: own.name.clone(),
        path: own.way.clone(),
        speed: own.speed,
        start_us: micros(own.start),
        wait_us: own.wait.map(micros),
        radio: own.radio.as_ref().and_then(|name| radio(scenario, name)),
    };
    scenario.pedestrian.iter().map(of).collect()
}

/// Their solid parts: masts and heads of traffic lights, posts of barriers.
pub(super) fn posts(scenario: &Scenario) -> impl Iterator<Item = SceneryObject> + '_ {
    let masts = scenario.traffic_light.iter().map(|own| own.position);
    let heads = scenario.traffic_light.iter().flat_map(|own| &own.approach);
    let heads = heads.map(|own| TrafficLight::head(&approach(own)));
    let hinges = scenario.barrier.iter().map(|own| own.position);
    let post = |place: [f64; 2]| SceneryObject {
        form: PropForm::Kind(PropKind::Post),
        place,
        heading: 0.0,
        scale: 1.0,
        solid: true,
        diameter: None,
        size: None,
    };
    masts.chain(heads).chain(hinges).map(post)
}
