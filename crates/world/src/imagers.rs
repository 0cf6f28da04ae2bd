//! Relief, renderer and frames in progress of each agent with cameras or lidars.

use super::renderer::{Renderer, Renderers};
use bekker_ground::{GroundModel, SharedGround};
use bekker_sensor::Deferred;
use bekker_sensor::relief::HeightPyramid;
use bekker_sync::message::VehicleMessage;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Caches for imaging between heartbeats. None of it is part of the state.
#[derive(Debug, Default)]
pub(super) struct Imaging {
    /// Imagers of the agents with cameras or lidars.
    pub imagers: BTreeMap<usize, Imager>,
    /// Last messages of other ranks' agents.
    pub received: Vec<Option<VehicleMessage>>,
    pub renderers: Renderers,
}

/// A clone keeps only the received messages: another world has other ground.
impl Clone for Imaging {
    fn clone(&self) -> Imaging {
        Imaging { received: self.received.clone(), ..Imaging::default() }
    }
}

impl Imaging {
    /// Returns the last message of another rank's agent, if this rank receives it.
    pub fn received(&self, agent: usize) -> Option<&VehicleMessage> {
        self.received.get(agent)?.as_ref()
    }

    /// Drops the ground around an agent that now steps on another rank.
    pub fn remove(&mut self, agent: usize) {
        self.imagers.remove(&agent);
    }
}

/// An agent in sight, with its message as sent to all ranks.
pub(super) type VisibleAgent = (usize, Arc<VehicleMessage>);

/// The ground around an agent, and the unfinished frames that use it.
#[derive(Debug)]
pub(super) struct Imager {
    pub relief: Arc<HeightPyramid>,
    pub underway: Vec<Deferred>,
    pub renderer: Renderer,
}

impl Imager {
    /// Updates the ground, after waiting for the unfinished frames.
    pub fn update(&mut self, ground: &GroundModel, published: &SharedGround, at: [f64; 2]) {
        self.underway.drain(..).for_each(|frame| {
            frame.get();
        });
        Arc::make_mut(&mut self.relief).update(ground, published, at);
    }
}
