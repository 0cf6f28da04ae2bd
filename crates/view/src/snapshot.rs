//! Snapshots of a run, taken cheaply on the simulation thread.

use super::traffic::links;
use bekker_agent::Sample;
use bekker_ground::SharedGround;
use bekker_sync::message::VehicleMessage;
use bekker_world::World;
use std::sync::Arc;

/// Displayed state of a run at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Simulated time, s.
    pub(super) time: f64,
    /// Number of steps.
    pub(super) tick: u64,
    /// State of each agent as sent to other agents.
    pub(super) messages: Vec<VehicleMessage>,
    /// Metrics of each agent.
    pub(super) samples: Vec<Sample>,
    /// Outcome of each drive as text; empty while it continues.
    pub(super) outcomes: Vec<String>,
    /// The ground, if it is due.
    pub(super) published: Option<Arc<SharedGround>>,
    /// Pairs of agents with a working radio link.
    pub(super) links: Vec<[usize; 2]>,
    /// Damage of the static obstacles.
    pub(super) damage: Vec<u16>,
}

impl Snapshot {
    /// Takes a snapshot of a world, with the ground if `ground`.
    ///
    /// Tiles of the ground are shared, so the cost is one pointer per tile.
    pub fn new(world: &World, ground: bool) -> Snapshot {
        let state = world.state();
        let ended = |(index, agent): (usize, &bekker_agent::AgentState)| {
            agent.outcome.as_ref().map_or_else(String::new, |_| world.outcome(index).sentence)
        };
        Snapshot {
            time: world.time(),
            tick: state.tick,
            messages: world.messages(),
            samples: world.samples().collect(),
            outcomes: state.agents.iter().enumerate().map(ended).collect(),
            published: ground.then(|| Arc::new(state.published.clone())),
            links: links(world),
            damage: state.damage.clone(),
        }
    }
}
