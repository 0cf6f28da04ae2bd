//! What a heartbeat leaves for the record.

use super::autonomy_view::AutonomyView;
use bekker_agent::{Hit, Sample, TrailerEvent};
use bekker_sensor::Delivery;
use serde::{Deserialize, Serialize};

/// What agents leave for the record in a heartbeat: all of them, or those of one rank.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeartbeatRecord {
    /// What those of their sensors that record delivered, each with its agent, in the order of
    /// time.
    pub delivered: Vec<(u32, Delivery)>,
    /// The hits that were over, each with its agent, in the order of agents.
    pub hits: Vec<(u32, Hit)>,
    /// What happened to trailers, likewise.
    pub trailer_events: Vec<(u32, TrailerEvent)>,
    /// What those that drive themselves have in mind, likewise, where it is asked for.
    pub autonomous: Vec<(u32, AutonomyView)>,
    /// The agents themselves in their order, where samples are due.
    pub samples: Option<Vec<Sample>>,
}

impl HeartbeatRecord {
    /// What ranks tell in one heartbeat, each of its own agents, as one that steps all tells it.
    pub fn joined(parts: impl IntoIterator<Item = HeartbeatRecord>) -> HeartbeatRecord {
        let mut all = HeartbeatRecord::default();
        for part in parts {
            all.delivered.extend(part.delivered);
            all.hits.extend(part.hits);
            all.trailer_events.extend(part.trailer_events);
            all.autonomous.extend(part.autonomous);
            if let Some(samples) = part.samples {
                all.samples.get_or_insert_default().extend(samples);
            }
        }
        sort_deliveries(&mut all.delivered);
        all.hits.sort_by_key(|(agent, _)| *agent);
        all.trailer_events.sort_by_key(|(agent, _)| *agent);
        all.autonomous.sort_by_key(|(agent, _)| *agent);
        all.samples.iter_mut().for_each(|own| own.sort_by_key(|sample| sample.vehicle));
        all
    }

    /// Whether there is nothing to be taken down.
    pub fn is_empty(&self) -> bool {
        let HeartbeatRecord { delivered, hits, trailer_events, autonomous, samples } = self;
        delivered.is_empty()
            && hits.is_empty()
            && trailer_events.is_empty()
            && autonomous.is_empty()
            && samples.is_none()
    }
}

/// Puts deliveries in the order of time, then of agent, sensor and frame.
pub fn sort_deliveries(deliveries: &mut [(u32, Delivery)]) {
    deliveries.sort_by_key(|(agent, delivery)| {
        (delivery.due_us, *agent, delivery.sensor, delivery.frame)
    });
}
