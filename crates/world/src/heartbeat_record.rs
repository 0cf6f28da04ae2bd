//! The record of a heartbeat.

use super::autonomy_view::AutonomyView;
use bekker_agent::{Collision, Sample, TrailerEvent};
use bekker_sensor::Delivery;
use serde::{Deserialize, Serialize};

/// Record of a heartbeat for all agents or for those of one rank.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeartbeatRecord {
    /// Deliveries of the sensors that record, each with its agent, in the order of time.
    pub delivered: Vec<(u32, Delivery)>,
    /// Collisions that ended, each with its agent, in the order of agents.
    pub hits: Vec<(u32, Collision)>,
    /// Trailer events, each with its agent, in the order of agents.
    pub trailer_events: Vec<(u32, TrailerEvent)>,
    /// Views of autonomous agents, each with its agent, in the order of agents; only where
    /// requested.
    pub autonomous: Vec<(u32, AutonomyView)>,
    /// Samples of the agents in their order, where due.
    pub samples: Option<Vec<Sample>>,
}

impl HeartbeatRecord {
    /// Joins the records of all ranks. The result is that of a single rank.
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

    /// Whether there is nothing to record.
    pub fn is_empty(&self) -> bool {
        let HeartbeatRecord { delivered, hits, trailer_events, autonomous, samples } = self;
        delivered.is_empty()
            && hits.is_empty()
            && trailer_events.is_empty()
            && autonomous.is_empty()
            && samples.is_none()
    }
}

/// Sorts deliveries by time, then by agent, sensor and frame.
pub fn sort_deliveries(deliveries: &mut [(u32, Delivery)]) {
    deliveries.sort_by_key(|(agent, delivery)| {
        (delivery.due_us, *agent, delivery.sensor, delivery.frame)
    });
}
