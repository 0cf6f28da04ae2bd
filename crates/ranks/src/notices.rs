//! Ranks that see vehicles of other ranks.
//!
//! At a census each rank sends a disc for every vehicle, which the vehicle cannot leave before the
//! next census, to the homes of the blocks that the disc touches. It does the same with the range
//! of every vehicle with a camera or lidar. If a vehicle's disc and a range overlap, the home of
//! the block notifies both ranks. No rank receives all vehicles. A vehicle that sees far but
//! touches nothing receives states, not ruts.

use super::ground_directory::home_of_block;
use super::region::Region;
use rstar::{AABB, RTree, RTreeObject};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Side of a block, m. Vehicles close together are usually in one block.
const BLOCK: f64 = 1000.0;

/// Message of a rank to the home of a block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Notice {
    /// Discs of its agents until the next census.
    agents: Vec<Region>,
    /// Discs of what those of them with cameras or lidars may see until then.
    sights: Vec<Region>,
}

/// Reply of a home to a rank.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sighted {
    /// Other ranks' agents that the rank sees.
    pub seen: Vec<u32>,
    /// The rank's own agents that are seen, each with a rank that sees it.
    pub by: Vec<(u32, u16)>,
}

impl Sighted {
    /// Adds the reply of another home.
    pub fn extend(&mut self, other: Sighted) {
        self.seen.extend(other.seen);
        self.by.extend(other.by);
    }
}

/// Notices of own agents and of what they see, for each home among `size` ranks.
pub(crate) fn notices(agents: &[Region], sights: &[Region], size: usize) -> Vec<(usize, Notice)> {
    let mut notices: BTreeMap<usize, Notice> = BTreeMap::new();
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
pub(crate) fn sighted(notices: &[(usize, Notice)]) -> Vec<(usize, Sighted)> {
    let all = notices.iter().flat_map(|(rank, notice)| {
        notice.agents.iter().map(|region| Noticed { rank: *rank, region: *region })
    });
    let tree = RTree::bulk_load(all.collect());
    let mut answers: BTreeMap<usize, Sighted> = BTreeMap::new();
    for (rank, notice) in notices {
        for sight in &notice.sights {
            let met = tree.locate_in_envelope_intersecting(sight.envelope());
            for other in met.filter(|other| other.rank != *rank) {
                let agent = other.region.agent;
                answers.entry(*rank).or_default().seen.push(agent);
                answers.entry(other.rank).or_default().by.push((agent, *rank as u16));
            }
        }
    }
    answers.into_iter().collect()
}

struct Noticed {
    rank: usize,
    region: Region,
}

impl RTreeObject for Noticed {
    type Envelope = AABB<[f64; 2]>;

    fn envelope(&self) -> Self::Envelope {
        self.region.envelope()
    }
}

impl Region {
    /// Home ranks of the blocks that the region touches, each once.
    fn homes(&self, size: usize) -> Vec<usize> {
        // Casts turn NaN into 0, so a position that is not a number counts as the block at the origin.
        let block = |at: f64| (at / BLOCK).floor() as i32;
        let span = |at: f64| block(at - self.radius)..=block(at + self.radius);
        let [x, y] = self.centre;
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

    fn region(agent: usize, x: f64) -> Region {
        Region::around(agent, [x, 0.0], 0.0, 0.01, 0.8)
    }

    /// Notices of three ranks with one agent each; the first sees up to 2 km.
    fn all(size: usize) -> Vec<Vec<(usize, Notice)>> {
        let places = [0.0, 1990.0, 2500.0].into_iter().enumerate();
        let own = places.map(|(agent, x)| {
            let (own, sees) = (region(agent, x), agent == 0);
            let sights: Vec<Region> = sees.then(|| own.seeing(2000.0)).into_iter().collect();
            notices(&[own], &sights, size)
        });
        own.collect()
    }

    /// Both ranks are notified of a vehicle in sight and of no other, for any assignment of homes.
    #[test]
    fn who_is_in_sight_is_told_to_both() {
        for size in [3, 7, 50] {
            let all = all(size);
            let mut told = vec![Sighted::default(); 3];
            for home in 0..size {
                let to_it = |(rank, own): (usize, &Vec<(usize, Notice)>)| {
                    let to_it = own.iter().find(|(to, _)| *to == home)?;
                    Some((rank, to_it.1.clone()))
                };
                let notices: Vec<(usize, Notice)> =
                    all.iter().enumerate().filter_map(to_it).collect();
                for (rank, answer) in sighted(&notices) {
                    told[rank].extend(answer);
                }
            }
            for own in &mut told {
                own.seen.dedup();
                own.by.dedup();
            }
            let [first, second, third] = &told[..] else { panic!("three ranks") };
            assert_eq!((&first.seen[..], &first.by[..]), (&[1][..], &[][..]));
            assert_eq!((&second.seen[..], &second.by[..]), (&[][..], &[(1, 0)][..]));
            assert_eq!(third, &Sighted::default());
        }
    }
}
