//! Sends the messages of a run's MCAP file to Foxglove during the run.

use super::Failure;
use crate::link::{FoxgloveServer, Publication};
use crate::report::ReportError;
use crate::report::record::GROUND_INTERVAL;
use crate::report::topics::{TopicEncoder, TopicMessage, counterpart_name};
use crate::simulation::{Flow, HeartbeatInfo, Observer, Sample, World};
use std::time::{Duration, Instant};

/// Wall time between poses that are sent in addition to samples: 30 Hz.
const POSES: Duration = Duration::from_millis(33);

/// Sends messages to Foxglove clients; creates none without a client.
pub struct FoxgloveFeed<'a> {
    server: &'a FoxgloveServer,
    topics: Option<TopicEncoder>,
    told: Option<Instant>,
}

impl<'a> FoxgloveFeed<'a> {
    pub fn new(server: &'a FoxgloveServer) -> FoxgloveFeed<'a> {
        FoxgloveFeed { server, topics: None, told: None }
    }

    fn send(&mut self, moment: &HeartbeatInfo<'_>) -> Result<(), ReportError> {
        let world = moment.world;
        let root = moment.root.unwrap_or_default();
        let time_us = world.time_us();
        self.server.time(time_us);
        let topics = self.topics.get_or_insert_with(|| TopicEncoder::new(world.model()));
        let server = self.server;
        let mut to = |message: TopicMessage<'_>| {
            let TopicMessage { topic, schema, time_us, data } = message;
            server.publish(&Publication { topic, schema, time_us, data });
            Ok(())
        };
        for (agent, delivery) in root.delivered {
            topics.delivered(*agent as usize, delivery, &mut to)?;
        }
        for (agent, hit) in root.hits {
            topics.hit(time_us, *agent as usize, &counterpart_name(world, hit), hit, &mut to)?;
        }
        for (agent, view) in root.autonomous {
            topics.autonomy(time_us, *agent as usize, view, &mut to)?;
        }
        let is_due = self.told.is_none_or(|last| last.elapsed() >= POSES);
        // the samples of other ranks are known only when they were gathered
        let own: Vec<Sample>;
        let samples = match root.samples {
            None if moment.complete && is_due => {
                own = world.samples().collect();
                Some(&own[..])
            }
            gathered => gathered,
        };
        if let Some(samples) = samples {
            self.told = Some(Instant::now());
            let poses: Vec<_> = samples.iter().map(|own| (own.vehicle, own.pose)).collect();
            topics.poses(time_us, &poses, &mut to)?;
        }
        let clock = &world.model().clock;
        let ground_is_due = world.state().tick.is_multiple_of(clock.ticks_in(GROUND_INTERVAL));
        if moment.complete && ground_is_due {
            let samples: Vec<Sample> = world.samples().collect();
            topics.ground(world, &samples, &mut to)?;
        }
        Ok(())
    }
}

impl Observer<Failure> for FoxgloveFeed<'_> {
    fn on_start(&mut self, _: &World, _: &[Sample]) -> Result<(), Failure> {
        Ok(())
    }

    fn on_heartbeat(&mut self, moment: &HeartbeatInfo<'_>) -> Result<Flow, Failure> {
        if moment.first && self.server.is_watched() {
            self.send(moment)?;
        }
        Ok(Flow::Continue)
    }

    fn on_end(&mut self, _: &World) -> Result<(), Failure> {
        Ok(())
    }
}
