//! Who has to hear of whom: the neighbourhoods of ranks.
//!
//! Once in a while all ranks hold a census: each tells a disc for every agent
//! that the agent and the ground it touches cannot leave before the next census.
//! Ranks whose discs meet, or whose agents follow each other, exchange their
//! heartbeats until then; all others need not hear of each other, for neither
//! can an agent reach ground that the other's changes. What a rank has not been
//! told it is given, joined to one patch a tile, at the census at which one of
//! its discs meets that ground. So the bits are those of telling everything to
//! everyone.

use crate::grid::TileKey;
use crate::ground::{Patch, Patches, Published};
use rstar::{AABB, RTree, RTreeObject};
use serde::{Deserialize, Serialize};

/// Time between two censuses, s.
pub(super) const CENSUS: f64 = 1.0;
/// No vehicle speeds up or turns harder than this, m/s².
const ACCELERATION: f64 = 20.0;
/// A vehicle's wheels and the soil that they push aside lie within this distance
/// of its chassis frame, m.
const REACH: f64 = 8.0;

/// What an agent tells at a census.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Region {
    pub agent: u32,
    pub centre: [f64; 2],
    pub radius: f64,
}

impl Region {
    /// Around an agent at (x, y) with this speed, m/s, until the next census;
    /// `tile` is the side of a tile, m.
    pub fn around(agent: usize, centre: [f64; 2], speed: f64, tile: f64) -> Region {
        let way = speed.abs() * CENSUS + 0.5 * ACCELERATION * CENSUS * CENSUS;
        // whole tiles are read and written
        Region { agent: agent as u32, centre, radius: way + REACH + 2.0 * tile }
    }

    /// Whether an agent that is now at (x, y) has kept its promise.
    #[allow(clippy::neg_cmp_op_on_partial_ord)]
    pub fn holds(&self, [x, y]: [f64; 2], tile: f64) -> bool {
        let (dx, dy) = (x - self.centre[0], y - self.centre[1]);
        let left = self.radius - REACH - 2.0 * tile;
        // one whose state is no longer finite has ended its drive
        !(dx * dx + dy * dy > left * left)
    }

    fn envelope(&self) -> AABB<[f64; 2]> {
        let [x, y] = self.centre;
        let r = self.radius;
        AABB::from_corners([x - r, y - r], [x + r, y + r])
    }
}

struct Placed {
    rank: usize,
    envelope: AABB<[f64; 2]>,
}

impl RTreeObject for Placed {
    type Envelope = AABB<[f64; 2]>;

    fn envelope(&self) -> Self::Envelope {
        self.envelope
    }
}

/// Own ground of a stretch of time, joined.
#[derive(Default)]
struct Stretch {
    ground: Published,
    /// Lowest and highest tiles.
    extent: Option<[TileKey; 2]>,
}

impl Stretch {
    fn add(&mut self, patches: &Patches) {
        self.ground.apply(patches);
        for Patch { key, .. } in patches.iter() {
            let [low, high] = self.extent.get_or_insert([key, key]);
            *low = TileKey { a: low.a.min(key.a), b: low.b.min(key.b) };
            *high = TileKey { a: high.a.max(key.a), b: high.b.max(key.b) };
        }
    }

    fn envelope(&self, tile: f64) -> Option<AABB<[f64; 2]>> {
        let corner = |a: i32, b: i32| [f64::from(a) * tile, f64::from(b) * tile];
        let [low, high] = self.extent?;
        Some(AABB::from_corners(corner(low.a, low.b), corner(high.a + 1, high.b + 1)))
    }
}

/// One rank's knowledge of its neighbours and of what it owes the others.
pub(super) struct Neighbourhood {
    here: usize,
    /// Side of a tile, m.
    tile: f64,
    /// Ranks that hear each heartbeat, in ascending order.
    pub peers: Vec<usize>,
    /// Own agents' discs since the last census.
    pub own: Vec<Region>,
    /// Tick at or after which the next census is due.
    pub due: u64,
    stretches: Vec<Stretch>,
    /// For each rank the stretches that it has not been given.
    owed: Vec<Vec<usize>>,
}

impl Neighbourhood {
    pub fn new(here: usize, size: usize, tile: f64) -> Neighbourhood {
        Neighbourhood {
            here,
            tile,
            peers: Vec::new(),
            own: Vec::new(),
            due: 0,
            stretches: vec![Stretch::default()],
            owed: vec![Vec::new(); size],
        }
    }

    /// Side of a tile, m.
    pub fn tile(&self) -> f64 {
        self.tile
    }

    /// Notes what own agents left in this heartbeat.
    pub fn leave(&mut self, patches: &Patches) {
        if let Some(last) = self.stretches.last_mut() {
            last.add(patches);
        }
    }

    /// Ends a stretch: all who did not hear of it are owed it.
    pub fn close(&mut self) {
        let last = self.stretches.len() - 1;
        if self.stretches[last].extent.is_none() {
            return;
        }
        for (rank, owed) in self.owed.iter_mut().enumerate() {
            if rank != self.here && !self.peers.contains(&rank) {
                owed.push(last);
            }
        }
        self.stretches.push(Stretch::default());
    }

    /// Takes a census: chooses the peers until the next one, and says which
    /// ranks need what they are owed, in ascending order. `dealt` is the rank of
    /// each agent, `follows` are pairs of agents one of which needs to see the
    /// other.
    pub fn census(
        &mut self,
        regions: &[Region],
        dealt: &[usize],
        follows: &[(usize, usize)],
    ) -> Vec<usize> {
        let rank_of = |region: &Region| dealt.get(region.agent as usize).copied();
        let placed = regions.iter().filter_map(|region| {
            Some(Placed { rank: rank_of(region)?, envelope: region.envelope() })
        });
        let tree = RTree::bulk_load(placed.collect());
        let near = |envelope: AABB<[f64; 2]>| {
            tree.locate_in_envelope_intersecting(envelope).map(|placed| placed.rank)
        };
        let own = regions.iter().filter(|region| rank_of(region) == Some(self.here));
        self.own = own.copied().collect();
        self.peers = self.own.iter().flat_map(|region| near(region.envelope())).collect();
        for &(a, b) in follows {
            let (a, b) = (dealt[a], dealt[b]);
            if a == self.here {
                self.peers.push(b);
            } else if b == self.here {
                self.peers.push(a);
            }
        }
        self.peers.sort_unstable();
        self.peers.dedup();
        self.peers.retain(|&rank| rank != self.here);

        let mut needy = Vec::new();
        for (index, stretch) in self.stretches.iter().enumerate() {
            let Some(envelope) = stretch.envelope(self.tile) else { continue };
            needy.extend(near(envelope).filter(|&rank| self.owed[rank].contains(&index)));
        }
        needy.sort_unstable();
        needy.dedup();
        needy
    }

    /// All that a rank is owed, one patch a tile; it is owed nothing then.
    pub fn settle(&mut self, rank: usize) -> Patches {
        let mut joined = Published::default();
        for index in self.owed[rank].drain(..) {
            joined.apply(&self.stretches[index].ground.as_patches());
        }
        joined.as_patches()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::NodeState;

    fn region(agent: usize, x: f64) -> Region {
        Region::around(agent, [x, 0.0], 0.0, 0.8)
    }

    fn rut(a: i32) -> Patches {
        let mut rut = Patches::default();
        rut.begin(TileKey { a, b: 0 });
        rut.push(3, NodeState { plastic_sinkage: 9, berm: 2, ..NodeState::default() });
        rut
    }

    #[test]
    fn peers_are_those_whose_discs_meet_or_who_follow() {
        let mut ranks = Neighbourhood::new(0, 4, 0.8);
        let regions = [region(0, 0.0), region(1, 30.0), region(2, 500.0), region(3, 900.0)];
        assert!(ranks.census(&regions, &[0, 1, 2, 3], &[(3, 0)]).is_empty());
        assert_eq!(ranks.peers, [1, 3]);
    }

    #[test]
    fn what_a_rank_is_owed_it_gets_when_it_comes_near_and_once() {
        let mut ranks = Neighbourhood::new(0, 3, 0.8);
        let census = |ranks: &mut Neighbourhood, x: f64| {
            ranks.close();
            ranks.census(&[region(0, 0.0), region(1, x), region(2, 9e3)], &[0, 1, 2], &[])
        };
        assert!(census(&mut ranks, 500.0).is_empty());
        ranks.leave(&rut(0));
        ranks.leave(&rut(0));
        assert!(census(&mut ranks, 400.0).is_empty());
        ranks.leave(&rut(1));
        assert_eq!(census(&mut ranks, 15.0), [1]);
        assert_eq!(ranks.peers, [1]);
        let given = ranks.settle(1);
        assert_eq!(given.len(), 2);
        assert_eq!(given.states()[0].berm, 4, "increments of berm add up");
        // what it hears of now it is not owed
        ranks.leave(&rut(2));
        assert!(census(&mut ranks, 15.0).is_empty());
        assert_eq!(ranks.settle(2).len(), 3);
    }

    #[test]
    fn a_disc_is_kept_or_it_shows() {
        let region = Region::around(0, [10.0, 0.0], 5.0, 0.8);
        assert!(region.holds([24.9, 0.0], 0.8));
        assert!(!region.holds([25.1, 0.0], 0.8));
    }
}
