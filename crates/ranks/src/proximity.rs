//! Ranks that see vehicles of other ranks.
//!
//! At a census each rank sends a disc for every vehicle, which the vehicle cannot leave before the
//! next census, to the homes of the blocks that the disc touches. It does the same with the range
//! of every vehicle with a camera or lidar. If a vehicle's disc and a range overlap, the home of
//! the block notifies both ranks. No rank receives all vehicles. A vehicle that sees far but
//! touches nothing receives states, not ruts.

use super::ground_directory::home_of_block;
use super::region::CensusDisc;
use rstar::{AABB, RTree, RTreeObject};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Side of a block, m. Vehicles close together are usually in one block.
const BLOCK: f64 = 1000.0;

/// Message of a rank to the home of a block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProximityNotice {
    /// Discs of its agents until the next census.
    agents: Vec<CensusDisc>,
    /// Discs of what those of them with cameras or lidars may see until then.
    sights: Vec<CensusDisc>,
}

/// Reply of a home to a rank.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProximityReply {
    /// Other ranks' agents that the rank sees.
    pub visible: Vec<u32>,
    /// The rank's own agents that are seen, each with a rank that sees it.
    pub viewers: Vec<(u32, u16)>,
}

impl ProximityReply {
    /// Adds the reply of another home.
    pub fn extend(&mut self, other: ProximityReply) {
        self.visible.extend(other.visible);
        self.viewers.extend(other.viewers);
    }
}

/// Returns notices of local agents and of their sight ranges, for each home among `size` ranks.
pub(crate) fn proximity_notices(
    agents: &[CensusDisc],
    sights: &[CensusDisc],
    size: usize,
) -> Vec<(usize, ProximityNotice)> {
    let mut notices: BTreeMap<usize, ProximityNotice> = BTreeMap::new();
    for region in agents {
        region.homes(size).into_iter().for_each(|home| {
            notices.entry(home).or_default().agents.push(*region);
        });
    }
    for sight in sights {
        sight.homes(size).into_iter().for_each(|home| {
            notices.entry(home).or_default().sights.push(*sight);
        });
    }
    notices.into_iter().collect()
}

/// Replies of a home to the ranks whose notices it received.
pub(crate) fn proximity_replies(
    notices: &[(usize, ProximityNotice)],
) -> Vec<(usize, ProximityReply)> {
    let all = notices.iter().flat_map(|(rank, notice)| {
        notice.agents.iter().map(|region| NoticedRegion { rank: *rank, region: *region })
    });
    let tree = RTree::bulk_load(all.collect());
    let mut replies: BTreeMap<usize, ProximityReply> = BTreeMap::new();
    for (rank, notice) in notices {
        for sight in &notice.sights {
            let met = tree.locate_in_envelope_intersecting(sight.envelope());
            for other in met.filter(|other| other.rank != *rank) {
                let agent = other.region.agent;
                replies.entry(*rank).or_default().visible.push(agent);
                replies.entry(other.rank).or_default().viewers.push((agent, *rank as u16));
            }
        }
    }
    replies.into_iter().collect()
}

struct NoticedRegion {
    rank: usize,
    region: CensusDisc,
}

impl RTreeObject for NoticedRegion {
    type Envelope = AABB<[f64; 2]>;

    fn envelope(&self) -> Self::Envelope {
        self.region.envelope()
    }
}

impl CensusDisc {
    /// Home ranks of the blocks that the region touches, each once.
    fn homes(&self, size: usize) -> Vec<usize> {
        // Casts turn NaN into 0, so a position that is not a number counts as the block at the origin.
        let block = |at: f64| (at / BLOCK).floor() as i32;
        let span = |at: f64| block(at - self.radius)..=block(at + self.radius);
        let [x, y] = self.center;
        let blocks = span(x).flat_map(|a| span(y).map(move |b| home_of_block([a, b], size)));
        let mut homes: Vec<usize> = blocks.collect();
        homes.sort_unstable();
        homes.dedup();
        homes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(agent: usize, x: f64) -> CensusDisc {
        CensusDisc::around(agent, [x, 0.0], 0.0, 0.01, 0.8)
    }

    /// Notices of three ranks with one agent each; the first sees up to 2 km.
    fn all(size: usize) -> Vec<Vec<(usize, ProximityNotice)>> {
        let places = [0.0, 1990.0, 2500.0].into_iter().enumerate();
        let own = places.map(|(agent, x)| {
            let (own, sees) = (region(agent, x), agent == 0);
            let sights: Vec<CensusDisc> = sees.then(|| own.view(2000.0)).into_iter().collect();
            proximity_notices(&[own], &sights, size)
        });
        own.collect()
    }

    /// Both ranks are notified of a vehicle in sight and of no other, for any assignment of homes.
    #[test]
    fn both_ranks_receive_agents_in_sight() {
        for size in [3, 7, 50] {
            let all = all(size);
            let mut told = vec![ProximityReply::default(); 3];
            for home in 0..size {
                let to_it = |(rank, own): (usize, &Vec<(usize, ProximityNotice)>)| {
                    let to_it = own.iter().find(|(to, _)| *to == home)?;
                    Some((rank, to_it.1.clone()))
                };
                let notices: Vec<(usize, ProximityNotice)> =
                    all.iter().enumerate().filter_map(to_it).collect();
                for (rank, answer) in proximity_replies(&notices) {
                    told[rank].extend(answer);
                }
            }
            for own in &mut told {
                own.visible.dedup();
                own.viewers.dedup();
            }
            let [first, second, third] = &told[..] else { panic!("three ranks") };
            assert_eq!((&first.visible[..], &first.viewers[..]), (&[1][..], &[][..]));
            assert_eq!((&second.visible[..], &second.viewers[..]), (&[][..], &[(1, 0)][..]));
            assert_eq!(third, &ProximityReply::default());
        }
    }
}
