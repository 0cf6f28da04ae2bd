//! Relief, renderer and frames in progress of each agent with cameras or lidars.

use super::renderer::{Renderer, Renderers};
use bekker_ground::{GroundModel, Published};
use bekker_sensor::Awaited;
use bekker_sensor::relief::Relief;
use bekker_sync::message::VehicleState as VehicleMessage;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What looking needs from heartbeat to heartbeat; nothing of it is state.
#[derive(Debug, Default)]
pub(super) struct Imaging {
    /// Of each agent that looks.
    pub imagers: BTreeMap<usize, Imager>,
    /// What other ranks' agents told last.
    pub received: Vec<Option<VehicleMessage>>,
    pub renderers: Renderers,
}

/// Another world looks at other ground: it keeps what was told.
impl Clone for Imaging {
    fn clone(&self) -> Imaging {
        Imaging { received: self.received.clone(), ..Imaging::default() }
    }
}

impl Imaging {
    /// What another rank's agent told last, if it is heard of.
    pub fn received(&self, agent: usize) -> Option<&VehicleMessage> {
        self.received.get(agent)?.as_ref()
    }

    /// Forgets the ground around an agent that looks from elsewhere now.
    pub fn forget(&mut self, agent: usize) {
        self.imagers.remove(&agent);
    }
}

/// An agent that is in sight, as it is told of all.
pub(super) type InSight = (usize, Arc<VehicleMessage>);

/// The ground around an agent, and who still looks at it.
#[derive(Debug)]
pub(super) struct Imager {
    pub relief: Arc<Relief>,
    pub underway: Vec<Awaited>,
    pub renderer: Renderer,
}

impl Imager {
    /// Brings the ground up to date, once nobody looks at it any more.
    pub fn update(&mut self, ground: &GroundModel, published: &Published, at: [f64; 2]) {
        self.underway.drain(..).for_each(|frame| {
            frame.get();
        });
        Arc::make_mut(&mut self.relief).update(ground, published, at);
    }
}
