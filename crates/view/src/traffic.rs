//! Radio links and states of traffic lights.

use super::scene_message::DisplayedRun;
use bekker_agent::{SignalColor, TrafficLight};
use bekker_world::{World, WorldModel};
use serde_json::{Value, json};

/// Returns pairs of agents, in ascending order, where at least one received the last beacon of the
/// other.
///
/// The beacon must be no older than is possible without loss.
pub(super) fn links(world: &World) -> Vec<[usize; 2]> {
    let (model, state) = (world.model(), world.state());
    let now_us = model.clock.micros(state.tick);
    let mut links = Vec::new();
    for net in &model.radios {
        let hears = |to: usize, from: usize| {
            let station = state.agents.get(to).and_then(|agent| agent.radio.as_ref());
            let beacon = station.and_then(|station| station.beacon(from));
            beacon.is_some_and(|(sent_us, _)| now_us - sent_us <= net.oldest_us(0))
        };
        for (index, &a) in net.members.iter().enumerate() {
            let others = net.members[index + 1..].iter().copied();
            links.extend(others.filter(|&b| hears(a, b) || hears(b, a)).map(|b| [a, b]));
        }
    }
    links.sort_unstable();
    links.dedup();
    links
}

/// Traffic lights and barriers for the scene: stop lines of their approaches, and positions of
/// lamps.
pub(super) fn lights(model: &WorldModel) -> Value {
    let terrain = model.ground.terrain();
    let on_ground = |[x, y]: [f64; 2]| [x, y, terrain.height(x, y)];
    let lights = model.lights.iter().map(|own| {
        let approaches = own.approaches.iter().map(|approach| {
            json!({
                "stop": on_ground(approach.stop),
                "heading": approach.heading,
                "width": approach.width,
                "lamp": own.arm.is_none().then(|| on_ground(TrafficLight::head(approach))),
            })
        });
        json!({
            "name": own.name,
            "approaches": approaches.collect::<Value>(),
        })
    });
    lights.collect()
}

/// State of each approach to each traffic light at a time, s.
pub(super) fn light_states(view: &DisplayedRun, time: f64) -> Vec<Vec<&'static str>> {
    let now_us = (time * 1e6).round() as u64;
    let of = |light: SignalColor| match light {
        SignalColor::Red => "red",
        SignalColor::Amber => "amber",
        SignalColor::Green => "green",
    };
    let lights = view.model.lights.iter();
    lights.map(|own| own.timings(now_us).iter().map(|timing| of(timing.light)).collect()).collect()
}
