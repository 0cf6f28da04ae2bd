//! The messages of a heartbeat: written for own agents, exchanged, and read.

use crate::collectives::Collectives;
use crate::ghosts::Ghosts;
use crate::heartbeat_metrics::HeartbeatMetrics;
use crate::own_agents::map_own_agents;
use crate::rank_error::RankError;
use crate::subscriptions::Subscriptions;
use bekker_ground::Patches;
use bekker_sync::ground_code::CodecState;
use bekker_sync::message::{
    MessageBody, MessageFault, MessageReader, MessageWriter, VehicleMessage,
};
use bekker_sync::{ExchangeTimes, RankBuffers};
use bekker_world::{RankAccess, World};
use std::ops::Range;

/// An own agent that is sent to other ranks at a heartbeat.
struct OutgoingUpdate {
    /// Index of the agent.
    agent: usize,
    /// Range of `outgoing` with the message for subscribers: state and ground.
    with_ground: Range<usize>,
    /// Range of `outgoing` with the message for viewers: state without ground.
    state_only: Range<usize>,
}

/// Messages of a heartbeat about own agents and from other ranks, and the state of their codecs.
///
/// Without subscriptions every rank sends everything to every other rank.
pub(crate) struct Exchange {
    writer: MessageWriter,
    outgoing: Vec<u8>,
    /// Own agents that are sent to other ranks.
    updates: Vec<OutgoingUpdate>,
    /// Message for each rank that receives any of them.
    addressed: RankBuffers,
    /// Patches of other ranks' agents received at a heartbeat.
    patches: Patches,
    /// States of other ranks' agents received at a heartbeat, in the order of agents.
    received: Vec<(usize, VehicleMessage)>,
    /// State of the ground encoder or decoder of each agent's stream.
    codec_states: Vec<CodecState>,
}

impl Exchange {
    pub fn new(agents: usize) -> Exchange {
        Exchange {
            writer: MessageWriter::default(),
            outgoing: Vec::new(),
            updates: Vec::new(),
            addressed: RankBuffers::default(),
            patches: Patches::default(),
            received: Vec::new(),
            codec_states: vec![CodecState::default(); agents],
        }
    }

    /// Starts all streams of ground again from an empty memory, as new receivers do not have the
    /// earlier messages.
    pub fn restart_streams(&mut self) {
        self.codec_states.iter_mut().for_each(CodecState::reset);
    }

    /// Patches of other ranks' agents received at the last heartbeat.
    pub fn patches(&self) -> &Patches {
        &self.patches
    }

    /// Writes a message for each own agent that another rank receives.
    ///
    /// With subscriptions it also assembles the message for each receiving rank.
    pub fn write(
        &mut self,
        world: &World,
        collectives: &Collectives<'_>,
        subscriptions: Option<&Subscriptions>,
        quit: bool,
        metrics: &mut HeartbeatMetrics,
    ) {
        let Exchange { writer, outgoing, updates, codec_states, .. } = self;
        outgoing.clear();
        updates.clear();
        for &agent in world.own_agents() {
            metrics.agents += 1;
            let (has_subscribers, has_viewers) = subscriptions.map_or((true, false), |own| {
                (!own.subscribers(agent).is_empty(), !own.viewers(agent).is_empty())
            });
            if !(has_subscribers || has_viewers) {
                continue;
            }
            let (state, patches) = world.outgoing(agent);
            let (origin, begun) = (collectives.origin(agent), outgoing.len());
            if has_subscribers {
                let codec_state = &mut codec_states[agent];
                writer.agent_heartbeat(&origin, &state, patches, codec_state, outgoing);
                metrics.nodes += patches.states().len() as u64;
                metrics.ground_bytes += writer.ground_bytes() as u64;
            }
            let with_ground = begun..outgoing.len();
            if has_viewers {
                let (nothing, mut codec_state) = (Patches::default(), CodecState::default());
                writer.agent_heartbeat(&origin, &state, &nothing, &mut codec_state, outgoing);
            }
            let state_only = with_ground.end..outgoing.len();
            updates.push(OutgoingUpdate { agent, with_ground, state_only });
        }
        metrics.announced = updates.len() as u64;
        metrics.state_bytes = outgoing.len() as u64 - metrics.ground_bytes;
        match subscriptions {
            Some(subscriptions) => self.assemble_messages(subscriptions),
            None if quit => writer.quit(&collectives.origin(0), "interrupted", outgoing),
            None => {}
        }
    }

    /// Assembles the message for each rank that receives own agents.
    fn assemble_messages(&mut self, subscriptions: &Subscriptions) {
        let Exchange { outgoing, updates, addressed, .. } = self;
        addressed.clear();
        for subscriber in &subscriptions.subscribers {
            let mut message = Vec::new();
            for OutgoingUpdate { agent, with_ground, state_only } in &*updates {
                if subscriptions.subscribers(*agent).contains(subscriber) {
                    message.extend_from_slice(&outgoing[with_ground.clone()]);
                } else if subscriptions.viewers(*agent).contains(subscriber) {
                    message.extend_from_slice(&outgoing[state_only.clone()]);
                }
            }
            addressed.push(&message);
        }
    }

    /// Sends this heartbeat to the receiving ranks and receives theirs.
    ///
    /// `meanwhile` is work that needs no data of other ranks.
    pub fn exchange(
        &mut self,
        collectives: &mut Collectives<'_>,
        subscriptions: Option<&Subscriptions>,
        meanwhile: &mut dyn FnMut(),
        metrics: &mut HeartbeatMetrics,
    ) -> Result<(), RankError> {
        let phases = match subscriptions {
            None => collectives.all_gather_by_route(&self.outgoing, meanwhile)?,
            Some(Subscriptions { subscribers, senders, .. }) => {
                let to = subscribers.iter().copied().zip(self.addressed.iter());
                let to: Vec<(usize, &[u8])> = to.collect();
                collectives.exchange(&to, senders, meanwhile)?
            }
        };
        ExchangeTimes { lengths: metrics.lengths, payload: metrics.payload } = phases;
        Ok(())
    }

    /// Reads a heartbeat of all other ranks. Returns whether any of them requests to quit.
    ///
    /// Messages are applied only after all have been read and validated.
    pub fn read(
        &mut self,
        collectives: &Collectives<'_>,
        partition: &[usize],
        subscriptions: Option<&Subscriptions>,
    ) -> Result<bool, RankError> {
        let tick = collectives.tick();
        let all: Vec<usize> = (0..collectives.size()).collect();
        let senders = subscriptions.map_or(&all, |own| &own.senders);
        self.patches.clear();
        self.received.clear();
        let mut quit = false;
        let here = collectives.rank();
        for (part, &rank) in
            collectives.received().iter().zip(senders).filter(|&(_, &rank)| rank != here)
        {
            let corrupt = |fault| RankError::Corrupt { rank, tick, kind: "heartbeat", fault };
            let wrong = |what, found: u64, expected: u64| {
                corrupt(MessageFault::Origin { what, found, expected })
            };
            let mut reader = MessageReader::new(part);
            while let Some((origin, body)) =
                reader.next(&mut self.codec_states, &mut self.patches).map_err(corrupt)?
            {
                if origin.run != collectives.run() {
                    return Err(wrong("run", origin.run.into(), collectives.run().into()));
                }
                if origin.tick != tick {
                    return Err(wrong("tick", origin.tick, tick));
                }
                if usize::from(origin.rank) != rank {
                    return Err(wrong("rank", origin.rank.into(), rank as u64));
                }
                match body {
                    MessageBody::AgentHeartbeat(state, _) => {
                        let agent = origin.agent as usize;
                        match partition.get(agent) {
                            Some(&driver) if driver == rank => self.received.push((agent, state)),
                            driver => {
                                let driver = driver.map_or(u64::MAX, |&driver| driver as u64);
                                return Err(wrong("rank of the agent", rank as u64, driver));
                            }
                        }
                    }
                    MessageBody::Quit(_) => quit = true,
                    _ => {
                        let (found, expected) = ("different message", "agent heartbeat");
                        return Err(corrupt(MessageFault::Kind { found, expected }));
                    }
                }
            }
        }
        self.received.sort_by_key(|(agent, _)| *agent);
        let came = |agent: usize| self.received.binary_search_by_key(&agent, |own| own.0).is_ok();
        let missing = match subscriptions {
            Some(own) => own.received.iter().copied().find(|&agent| !came(agent)),
            None => (0..partition.len()).find(|&agent| partition[agent] != here && !came(agent)),
        };
        match missing {
            None => Ok(quit),
            Some(agent) => Err(RankError::Corrupt {
                rank: partition[agent],
                tick,
                kind: "heartbeat",
                fault: MessageFault::Origin {
                    what: "number of messages about one of its agents",
                    found: 0,
                    expected: 1,
                },
            }),
        }
    }

    /// Updates the views and ghosts of other ranks' agents with the states that were read.
    pub fn deliver(
        &mut self,
        world: &mut World,
        ghosts: &mut Ghosts,
        metrics: &mut HeartbeatMetrics,
    ) {
        for (agent, state) in self.received.drain(..) {
            world.receive_view(agent, &state);
            ghosts.update(world, agent, state, metrics);
        }
    }

    /// Sends the present states of own agents to the ranks that receive them from now on.
    ///
    /// A rank that starts, or whose agents have new neighbors, does not have their last states.
    pub fn send_initial_states(
        &mut self,
        world: &mut World,
        collectives: &mut Collectives<'_>,
        partition: &[usize],
        subscriptions: Option<&Subscriptions>,
    ) -> Result<(), RankError> {
        let own = map_own_agents(world, |agent, _| agent as usize);
        let writer = &mut self.writer;
        let mut introduction = |agent: usize, message: &mut Vec<u8>| {
            let (state, _) = world.outgoing(agent);
            let (nothing, mut codec_state) = (Patches::default(), CodecState::default());
            let origin = collectives.origin(agent);
            writer.agent_heartbeat(&origin, &state, &nothing, &mut codec_state, message);
        };
        match subscriptions {
            Some(ranks) => {
                let mut messages = Vec::new();
                for subscriber in &ranks.subscribers {
                    let mut message = Vec::new();
                    let known = own.iter().filter(|&&own| {
                        ranks.subscribers(own).contains(subscriber)
                            || ranks.viewers(own).contains(subscriber)
                    });
                    known.for_each(|&agent| introduction(agent, &mut message));
                    messages.push(message);
                }
                let to = ranks.subscribers.iter().copied();
                let to: Vec<(usize, &[u8])> = to.zip(messages.iter().map(Vec::as_slice)).collect();
                collectives.send_and_receive(&to, &ranks.senders)?;
            }
            None => {
                let mut message = Vec::new();
                own.iter().for_each(|&agent| introduction(agent, &mut message));
                collectives.all_gather_by_route(&message, &mut || ())?;
            }
        }
        self.read(collectives, partition, subscriptions)?;
        for (agent, state) in self.received.drain(..) {
            world.receive_view(agent, &state);
        }
        Ok(())
    }
}
