//! Received radio messages as JSON.

use super::run_description::RunDescription;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bekker_agent::{RadioMessage, ReceivedMessage, SignalColor};
use serde_json::{Value, json};

/// Returns the JSON of a message that an agent's radio has received.
pub(super) fn radio_message(
    description: &RunDescription,
    agent: u32,
    heard: &ReceivedMessage,
) -> Value {
    let (kind, said) = payload(description, &heard.message);
    json!({
        "vehicle": description.name(agent as usize),
        "from": description.sender(heard.from as usize),
        "sent_us": heard.sent_us,
        "delivered_us": heard.due_us,
        "links": heard.links,
        kind: said,
    })
}

/// Returns the kind of a message and its content.
fn payload(description: &RunDescription, message: &RadioMessage) -> (&'static str, Value) {
    match message {
        RadioMessage::Beacon(own) => {
            let turn = own.pose.orientation.quaternion();
            let position: [f64; 3] = own.pose.position.into();
            let beacon = json!({
                "position": position,
                "orientation": [turn.w, turn.i, turn.j, turn.k],
                "speed": own.speed,
                "acceleration": own.acceleration,
                "aimed": own.aimed,
                "yaw_rate": own.yaw_rate,
                "slip": own.slip,
                "sinkage": own.sinkage,
                "soil": description.model.ground.soils()[usize::from(own.soil.0)].name,
            });
            ("beacon", beacon)
        }
        RadioMessage::Hazard(own) => {
            ("hazard", json!({ "place": own.place, "radius": own.radius }))
        }
        RadioMessage::User(bytes) => ("user", STANDARD.encode(bytes).into()),
        RadioMessage::Signal(timings) => {
            let approach = timings.iter().map(|own| {
                json!({ "light": color(own.light), "min_end_us": own.min_end_us,
                        "max_end_us": own.max_end_us })
            });
            ("signal", approach.collect())
        }
        RadioMessage::RoadUser(own) => {
            let told =
                json!({ "place": own.place, "velocity": own.velocity, "radius": own.radius });
            ("road_user", told)
        }
        RadioMessage::Map(approaches) => {
            let approach = approaches
                .iter()
                .map(|own| json!({ "stop": own.stop, "heading": own.heading, "width": own.width }));
            ("map", approach.collect())
        }
    }
}

fn color(light: SignalColor) -> &'static str {
    match light {
        SignalColor::Red => "red",
        SignalColor::Amber => "amber",
        SignalColor::Green => "green",
    }
}
