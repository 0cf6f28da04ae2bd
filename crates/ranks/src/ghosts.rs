//! Extrapolated agents of other ranks.

use crate::heartbeat_metrics::HeartbeatMetrics;
use bekker_sync::ghost::{ExtrapolationOrder, Ghost};
use bekker_sync::message::VehicleMessage;
use bekker_world::World;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Extrapolated agents of other ranks, where this rank receives them.
pub(crate) struct Ghosts {
    order: ExtrapolationOrder,
    ghosts: BTreeMap<usize, Ghost>,
}

impl Ghosts {
    pub fn new(order: ExtrapolationOrder) -> Ghosts {
        Ghosts { order, ghosts: BTreeMap::new() }
    }

    pub fn get(&self, agent: usize) -> Option<&Ghost> {
        self.ghosts.get(&agent)
    }

    /// Drops an agent that steps here, or that was moved.
    pub fn remove(&mut self, agent: usize) {
        self.ghosts.remove(&agent);
    }

    /// Keeps only the agents that this rank receives, given in ascending order.
    pub fn retain(&mut self, received: &[usize]) {
        self.ghosts.retain(|agent, _| received.binary_search(agent).is_ok());
    }

    /// Updates an agent with its state at the end of the heartbeat, and the errors of all.
    pub fn update(
        &mut self,
        world: &World,
        agent: usize,
        state: VehicleMessage,
        metrics: &mut HeartbeatMetrics,
    ) {
        let clock = world.model().clock;
        let (tick, steps) = (world.state().tick, world.state().steps);
        let (time, heartbeat) = (clock.time(tick + steps), steps as f64 * clock.step());
        match self.ghosts.entry(agent) {
            Entry::Occupied(mut ghost) => {
                let ghost = ghost.get_mut();
                metrics.ghost_error = metrics.ghost_error.max(ghost.apply(time, state));
                metrics.ghost_bound = metrics.ghost_bound.max(ghost.bound(heartbeat));
            }
            Entry::Vacant(unknown) => {
                let description = world.model().agents[agent].description();
                unknown.insert(Ghost::new(description, self.order, time, state));
            }
        }
    }
}
