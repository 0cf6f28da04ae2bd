//! What a moment of a run looks like, taken cheaply on the thread that simulates.

use super::traffic::links;
use bekker_agent::Sample;
use bekker_ground::Published;
use bekker_sync::message::VehicleState;
use bekker_world::World;

/// A moment of a run.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Simulated time, s.
    pub(super) time: f64,
    /// Steps taken.
    pub(super) tick: u64,
    /// Each agent as others are told of it.
    pub(super) messages: Vec<VehicleState>,
    /// Each agent's figures.
    pub(super) samples: Vec<Sample>,
    /// How drives have ended, in words; empty of those that go on.
    pub(super) outcomes: Vec<String>,
    /// The ground, where it is due.
    pub(super) published: Option<Published>,
    /// Pairs of agents with a radio link that holds.
    pub(super) links: Vec<[usize; 2]>,
    /// Damage of what stands.
    pub(super) damage: Vec<u16>,
}

impl Snapshot {
    /// A moment of a world, with the ground if `ground` says so: it shares its tiles, so that
    /// the cost is a pointer a tile.
    pub fn of(world: &World, ground: bool) -> Snapshot {
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
            published: ground.then(|| state.published.clone()),
            links: links(world),
            damage: state.damage.clone(),
        }
    }
}
