//! The radios of a scenario.

use crate::config::{self, Scenario};
use bekker_agent::{Bursts, Radio, RadioNet};
use bekker_math::random::RandomStream;

/// The radios; the cross-checks ensure that their vehicles exist.
pub(super) fn radios(scenario: &Scenario) -> Vec<RadioNet> {
    let vehicles = || scenario.vehicle.iter().enumerate();
    let of = |config: &config::RadioNetConfig| {
        let is_member =
            |name: &String| config.vehicles.is_empty() || config.vehicles.contains(name);
        let members = vehicles().filter(|(_, own)| is_member(&own.name)).map(|(index, _)| index);
        let stream = RandomStream::new(scenario.seed, &format!("radio {}", config.name));
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

/// The channel of a radio with its random numbers.
pub(super) fn radio(config: &config::RadioConfig, stream: RandomStream) -> Radio {
    let config::RadioConfig { range, horizon, near, far, hops, latency, jitter, loss, bursts } =
        *config;
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
        bursts: bursts.map(|config::BurstsConfig { begin, end, loss }| Bursts { begin, end, loss }),
        stream,
    }
}
