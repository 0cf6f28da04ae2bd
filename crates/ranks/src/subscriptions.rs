//! Subscriptions between ranks: which agents of other ranks a rank receives.
//!
//! At intervals all ranks hold a census. Each announces a disc for every agent that the agent, and
//! the ground that it touches, cannot leave before the next census. Until then a rank receives at
//! each heartbeat the agents whose discs overlap one of its agents' discs, and the leaders of
//! its agents. It does not need the others, since its agents cannot reach ground that they
//! change.
//!
//! Agents farther away that its cameras and lidars see send their states, but not their ruts. When
//! a disc reaches new ground, the home of that ground sends it ([`crate::ground_directory`]) and names the
//! discs that overlap there. So no rank receives all discs, and the results are bit-identical to
//! those of sending everything to every rank.

use super::proximity::ProximityReply;
use super::region::CensusDisc;
use rstar::{AABB, RTree, RTreeObject};
use std::collections::BTreeMap;

struct IndexedAgent {
    agent: usize,
    rank: usize,
    envelope: AABB<[f64; 2]>,
}

impl RTreeObject for IndexedAgent {
    type Envelope = AABB<[f64; 2]>;

    fn envelope(&self) -> Self::Envelope {
        self.envelope
    }
}

/// One of this rank's agents between two censuses.
struct LocalAgent {
    region: CensusDisc,
    /// Ranks that receive its state and ground at each heartbeat, in ascending order.
    subscribers: Vec<usize>,
    /// Further ranks that see it and receive its state only, in ascending order.
    viewers: Vec<usize>,
}

/// The subscriptions of one rank.
#[derive(Default)]
pub struct Subscriptions {
    here: usize,
    /// Own agents, in ascending order.
    own: Vec<LocalAgent>,
    /// Ranks that receive or see any own agent, in ascending order.
    pub subscribers: Vec<usize>,
    /// Ranks from which this rank receives any agent, in ascending order.
    pub senders: Vec<usize>,
    /// Agents of other ranks that this rank receives, in ascending order.
    pub received: Vec<usize>,
}

impl Subscriptions {
    /// Subscriptions of rank `here` before the first census: none.
    pub fn new(here: usize) -> Subscriptions {
        Subscriptions { here, ..Subscriptions::default() }
    }

    /// Regions of own agents since the last census.
    pub fn regions(&self) -> impl Iterator<Item = &CensusDisc> {
        self.own.iter().map(|own| &own.region)
    }

    /// Ranks that receive an own agent's state and ground.
    pub fn subscribers(&self, agent: usize) -> &[usize] {
        self.index_of(agent).map_or(&[], |at| &self.own[at].subscribers)
    }

    /// Further ranks that see an own agent and receive its state only.
    pub fn viewers(&self, agent: usize) -> &[usize] {
        self.index_of(agent).map_or(&[], |at| &self.own[at].viewers)
    }

    /// Index of an own agent in `own`.
    fn index_of(&self, agent: usize) -> Option<usize> {
        self.own.binary_search_by_key(&agent, |own| own.region.agent as usize).ok()
    }

    /// Sets which agents are sent to which ranks until the next census.
    ///
    /// `regions` are those of own agents and of all agents that overlap one of them. `partition` is
    /// the rank of each agent. `follows` are pairs (a, b) of agents where a needs the state of b.
    /// `proximity` contains the agents that own agents see from afar, and the ranks that see own
    /// agents.
    pub fn update(
        &mut self,
        regions: &[CensusDisc],
        partition: &[usize],
        follows: &[(usize, usize)],
        proximity: &ProximityReply,
    ) {
        let here = self.here;
        let placed = regions.iter().filter_map(|region| {
            let agent = region.agent as usize;
            let rank = *partition.get(agent)?;
            Some(IndexedAgent { agent, rank, envelope: region.envelope() })
        });
        let tree = RTree::bulk_load(placed.collect());
        let near = |envelope: AABB<[f64; 2]>| {
            let met = tree.locate_in_envelope_intersecting(envelope);
            met.filter(|placed| placed.rank != here).map(|placed| (placed.agent, placed.rank))
        };
        self.received.clear();
        self.own.clear();
        self.received.extend(proximity.visible.iter().map(|&agent| agent as usize));
        let mut seen_by: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for &(agent, rank) in &proximity.viewers {
            seen_by.entry(agent).or_default().push(rank.into());
        }
        for region in regions {
            let agent = region.agent as usize;
            if partition.get(agent) != Some(&here) {
                continue;
            }
            let mut subscribers = Vec::new();
            for (other, rank) in near(region.envelope()) {
                subscribers.push(rank);
                self.received.push(other);
            }
            for &(follower, leader) in follows {
                if leader == agent && partition[follower] != here {
                    subscribers.push(partition[follower]);
                }
                if follower == agent && partition[leader] != here {
                    self.received.push(leader);
                }
            }
            let subscribers = ascending(subscribers);
            let mut viewers = ascending(seen_by.remove(&region.agent).unwrap_or_default());
            viewers.retain(|rank| subscribers.binary_search(rank).is_err());
            self.own.push(LocalAgent { region: *region, subscribers, viewers });
        }
        self.own.sort_unstable_by_key(|own| own.region.agent);
        let receivers = self.own.iter().flat_map(|own| own.subscribers.iter().chain(&own.viewers));
        self.subscribers = ascending(receivers.copied().collect());
        self.received = ascending(std::mem::take(&mut self.received));
        self.senders = ascending(self.received.iter().map(|&agent| partition[agent]).collect());
    }
}

/// Sorts in ascending order and removes duplicates.
fn ascending(mut all: Vec<usize>) -> Vec<usize> {
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(agent: usize, x: f64) -> CensusDisc {
        CensusDisc::around(agent, [x, 0.0], 0.0, 0.01, 0.8)
    }

    #[test]
    fn peers_have_overlapping_discs_or_followers() {
        let mut ranks = Subscriptions::new(0);
        let regions = [region(0, 0.0), region(1, 30.0), region(2, 500.0), region(3, 900.0)];
        ranks.update(&regions, &[0, 1, 2, 3], &[(3, 0)], &ProximityReply::default());
        assert_eq!((&ranks.subscribers[..], &ranks.senders[..]), (&[1, 3][..], &[1][..]));
        assert_eq!(ranks.received, [1], "a leader need not see who follows");
    }

    #[test]
    fn cameras_subscribe_to_visible_agents_and_others_to_neighbors() {
        let regions = [region(0, 0.0), region(1, 500.0), region(2, 30.0)];
        let (mut looks, mut seen) = (Subscriptions::new(0), Subscriptions::new(1));
        let partition = [0, 1, 2];
        looks.update(
            &regions,
            &partition,
            &[],
            &ProximityReply { visible: vec![1, 2], viewers: Vec::new() },
        );
        assert_eq!((&looks.received[..], &looks.subscribers[..]), (&[1, 2][..], &[2][..]));
        seen.update(
            &regions,
            &partition,
            &[],
            &ProximityReply { visible: Vec::new(), viewers: vec![(1, 0)] },
        );
        assert_eq!((&seen.received[..], &seen.subscribers[..]), (&[][..], &[0][..]));
        assert_eq!((seen.subscribers(1), seen.viewers(1)), (&[][..], &[0][..]));
        // A near rank receives ruts too, although it also sees the agent.
        let mut near = Subscriptions::new(2);
        near.update(
            &regions,
            &partition,
            &[],
            &ProximityReply { visible: Vec::new(), viewers: vec![(2, 0)] },
        );
        assert_eq!((near.subscribers(2), near.viewers(2)), (&[0][..], &[][..]));
    }
}
