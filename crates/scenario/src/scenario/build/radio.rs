//! The radios of a scenario.

use crate::random::Stream;
use crate::scenario::config::{self, Scenario};
use crate::simulation::{Approach, Bursts, Light, Phase, Radio, RadioNet, TrafficLight};

/// Its radios; the cross-checks have found their vehicles.
pub(super) fn radios(scenario: &Scenario) -> Vec<RadioNet> {
    let vehicles = || scenario.vehicle.iter().enumerate();
    let of = |config: &config::RadioNet| {
        let is_member =
            |name: &String| config.vehicles.is_empty() || config.vehicles.contains(name);
        let members = vehicles().filter(|(_, own)| is_member(&own.name)).map(|(index, _)| index);
        let stream = Stream::new(scenario.seed, &format!("radio {}", config.name));
        RadioNet {
            name: config.name.clone(),
            members: members.collect(),
            period_us: period_us(config.rate),
            radio: radio(&config.channel, stream),
        }
    };
    scenario.radio.iter().map(of).collect()
}

/// Time between exchanges, µs.
pub(super) fn period_us(rate: f64) -> u64 {
    (1e6 / rate).round().max(1.0) as u64
}

/// How far a radio reaches, with its random numbers.
pub(super) fn radio(config: &config::Radio, stream: Stream) -> Radio {
    let config::Radio { range, horizon, near, far, hops, latency, jitter, loss, bursts } = *config;
    let micros = |time: f64| (1e6 * time).round() as u64;
    Radio {
        range,
        horizon,
        near,
        far,
        hops,
        latency_us: micros(latency),
        jitter_us: micros(jitter),
        loss,
        bursts: bursts.map(|config::Bursts { begin, end, loss }| Bursts { begin, end, loss }),
        stream,
    }
}

/// Its traffic lights; the cross-checks have found their radios.
pub(super) fn lights(scenario: &Scenario) -> Vec<TrafficLight> {
    let micros = |time: f64| (1e6 * time).round() as u64;
    let of = |config: &config::TrafficLight| {
        let radio = scenario.radio.iter().position(|net| net.name == config.radio)?;
        let phase = |own: &config::LightPhase| Phase {
            duration_us: micros(own.duration),
            lights: own.lights.iter().map(|&light| shown(light)).collect(),
        };
        let approach = |own: &config::Approach| Approach {
            stop: own.stop,
            heading: own.heading_deg.to_radians(),
            width: own.width,
        };
        Some(TrafficLight {
            name: config.name.clone(),
            place: config.position,
            radio,
            offset_us: micros(config.offset),
            phases: config.phase.iter().map(phase).collect(),
            approaches: config.approach.iter().map(approach).collect(),
        })
    };
    scenario.traffic_light.iter().filter_map(of).collect()
}

fn shown(light: config::Light) -> Light {
    match light {
        config::Light::Red => Light::Red,
        config::Light::Amber => Light::Amber,
        config::Light::Green => Light::Green,
    }
}
