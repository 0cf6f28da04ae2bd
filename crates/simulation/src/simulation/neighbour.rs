//! Who has to hear of whom: the neighbourhoods of ranks.
//!
//! Once in a while all ranks hold a census: each tells a disc for every agent
//! that the agent and the ground it touches cannot leave before the next census.
//! A rank hears of the agents whose discs meet one of its own agents' and of those
//! that its agents follow, heartbeat by heartbeat until then; it need not hear of
//! the others, for neither can an agent reach ground that they change. Whom its cameras and lidars
//! see farther away tell it states, but not ruts ([`super::sight`]). Ground that one of
//! its discs comes to it is given by the ground's home ([`super::homes`]), which also names those
//! whose discs meet there: nobody hears of all discs. So the bits are those of telling everything
//! to everyone.

use super::homes::Rect;
use super::sight::Sighted;
use crate::grid::TileKey;
use rstar::{AABB, RTree, RTreeObject};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Time between two censuses, s.
pub(super) const CENSUS: f64 = 1.0;
/// No vehicle speeds up or turns harder than this for long, m/s²: one that does has all
/// hold a census early.
pub(super) const ACCELERATION: f64 = 20.0;
/// No vehicle gains speed faster than this over one heartbeat, m/s², not even one that is
/// hit at 30 m/s, ...
const JOLT: f64 = 5000.0;
/// ... nor more speed than this, m/s.
const GAIN: f64 = 60.0;
/// A vehicle's wheels and the soil that they push aside lie within this distance
/// of its chassis frame, m.
const REACH: f64 = 8.0;
/// The soil that a trailer's wheel pushes aside lies within this distance of the wheel, m.
const BESIDE_WHEEL: f64 = 3.0;

/// What an agent tells at a census.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Region {
    pub agent: u32,
    pub centre: [f64; 2],
    pub radius: f64,
    /// How far from its place the agent's wheels, or the ground that it looks at, may be, m.
    reach: f64,
}

impl Region {
    /// Around an agent at (x, y) with this speed, m/s, until the next census, with
    /// heartbeats of `heartbeat` seconds; `tile` is the side of a tile, m.
    pub fn around(agent: usize, centre: [f64; 2], speed: f64, heartbeat: f64, tile: f64) -> Region {
        let until = CENSUS.max(heartbeat);
        let way = way(speed, ACCELERATION, until).max(jolted(speed, heartbeat));
        // whole tiles are read and written
        Region { agent: agent as u32, centre, radius: way + REACH + 2.0 * tile, reach: REACH }
    }

    /// The same of an agent with wheels this far from its place, m: those of a trailer, which may
    /// have been left behind.
    pub fn trailing(self, away: f64) -> Region {
        let reach = if away > 0.0 { REACH.max(away + BESIDE_WHEEL) } else { REACH };
        Region { radius: self.radius + reach - REACH, reach, ..self }
    }

    /// The same of an agent that looks at ground this far from its place along either axis, m.
    pub fn looking(self, sight: f64) -> Region {
        let reach = self.reach.max(sight);
        Region { radius: self.radius + reach - self.reach, reach, ..self }
    }

    /// The disc in which lies whatever an agent within this one sees, as far as `sight`, m.
    pub fn seeing(self, sight: f64) -> Region {
        Region { radius: self.radius + sight, ..self }
    }

    /// Whether an agent that is now at (x, y) has kept its promise.
    pub fn holds(&self, place: [f64; 2], tile: f64) -> bool {
        self.keeps(place, 0.0, tile)
    }

    /// Whether it is sure to keep it over a further heartbeat of `heartbeat` seconds, at this
    /// speed, m/s.
    pub fn lasts(&self, place: [f64; 2], speed: f64, heartbeat: f64, tile: f64) -> bool {
        self.keeps(place, jolted(speed, heartbeat), tile)
    }

    #[allow(clippy::neg_cmp_op_on_partial_ord)]
    fn keeps(&self, [x, y]: [f64; 2], further: f64, tile: f64) -> bool {
        let (dx, dy) = (x - self.centre[0], y - self.centre[1]);
        let left = self.radius - self.reach - 2.0 * tile - further;
        // one whose state is no longer finite has ended its drive
        !(dx * dx + dy * dy > left * left || left < 0.0)
    }

    pub fn envelope(&self) -> AABB<[f64; 2]> {
        let [x, y] = self.centre;
        let r = self.radius;
        AABB::from_corners([x - r, y - r], [x + r, y + r])
    }

    /// The tiles of side `tile`, m, that it touches.
    pub fn tiles(&self, tile: f64) -> Rect {
        // who is nowhere touches nothing: casts give 0 for what is no number
        let corner = |side: f64| {
            let [a, b] = self.centre.map(|at| ((at + side * self.radius) / tile).floor() as i32);
            TileKey { a, b }
        };
        [corner(-1.0), corner(1.0)]
    }
}

/// Farthest that a vehicle gets within a time, s, from a speed, m/s, that it gains on by
/// at most this acceleration, m/s².
fn way(speed: f64, acceleration: f64, time: f64) -> f64 {
    speed.abs() * time + 0.5 * acceleration * time * time
}

/// Farthest that a vehicle gets within a heartbeat, s, in which something may hit it.
fn jolted(speed: f64, heartbeat: f64) -> f64 {
    way(speed, JOLT, heartbeat).min(way(speed.abs() + GAIN, 0.0, heartbeat))
}

struct Placed {
    agent: usize,
    rank: usize,
    envelope: AABB<[f64; 2]>,
}

impl RTreeObject for Placed {
    type Envelope = AABB<[f64; 2]>;

    fn envelope(&self) -> Self::Envelope {
        self.envelope
    }
}

/// One of this rank's agents between two censuses.
struct Own {
    region: Region,
    /// Ranks that hear of it at each heartbeat, in ascending order.
    hearers: Vec<usize>,
    /// Ranks beside them that see it, in ascending order.
    watchers: Vec<usize>,
}

/// One rank's knowledge of its neighbours.
pub(super) struct Neighbourhood {
    here: usize,
    /// Side of a tile, m.
    tile: f64,
    /// In ascending order of the agents.
    own: Vec<Own>,
    /// Ranks that hear of any own agent, or see one, in ascending order.
    pub hearers: Vec<usize>,
    /// Ranks that any agent is heard of from, in ascending order.
    pub speakers: Vec<usize>,
    /// Agents of other ranks that are heard of here, in ascending order.
    pub received: Vec<usize>,
    /// Tick at or after which the next census is due.
    pub due: u64,
}

impl Neighbourhood {
    pub fn new(here: usize, tile: f64) -> Neighbourhood {
        Neighbourhood {
            here,
            tile,
            own: Vec::new(),
            hearers: Vec::new(),
            speakers: Vec::new(),
            received: Vec::new(),
            due: 0,
        }
    }

    /// Side of a tile, m.
    pub fn tile(&self) -> f64 {
        self.tile
    }

    /// Own agents' regions since the last census.
    pub fn regions(&self) -> impl Iterator<Item = &Region> {
        self.own.iter().map(|own| &own.region)
    }

    /// Ranks that hear of an own agent.
    pub fn hearers(&self, agent: usize) -> &[usize] {
        self.place(agent).map_or(&[], |at| &self.own[at].hearers)
    }

    /// Ranks beside them that see it.
    pub fn watchers(&self, agent: usize) -> &[usize] {
        self.place(agent).map_or(&[], |at| &self.own[at].watchers)
    }

    /// Where an own agent stands among them.
    fn place(&self, agent: usize) -> Option<usize> {
        self.own.binary_search_by_key(&agent, |own| own.region.agent as usize).ok()
    }

    /// Takes a census: settles who hears of whom until the next one. `regions` are those of own
    /// agents and all that meet one of them, `partition` is the rank of each agent, `follows` are
    /// pairs of agents the first of which needs to see the second, `sighted` tells whom own agents
    /// see from afar, and who sees them.
    pub fn census(
        &mut self,
        regions: &[Region],
        partition: &[usize],
        follows: &[(usize, usize)],
        sighted: &Sighted,
    ) {
        let here = self.here;
        let placed = regions.iter().filter_map(|region| {
            let agent = region.agent as usize;
            let rank = *partition.get(agent)?;
            Some(Placed { agent, rank, envelope: region.envelope() })
        });
        let tree = RTree::bulk_load(placed.collect());
        let near = |envelope: AABB<[f64; 2]>| {
            let met = tree.locate_in_envelope_intersecting(envelope);
            met.filter(|placed| placed.rank != here).map(|placed| (placed.agent, placed.rank))
        };
        self.received.clear();
        self.own.clear();
        self.received.extend(sighted.seen.iter().map(|&agent| agent as usize));
        let mut seen_by: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for &(agent, rank) in &sighted.by {
            seen_by.entry(agent).or_default().push(rank.into());
        }
        for region in regions {
            let agent = region.agent as usize;
            if partition.get(agent) != Some(&here) {
                continue;
            }
            let mut hearers = Vec::new();
            for (other, rank) in near(region.envelope()) {
                hearers.push(rank);
                self.received.push(other);
            }
            for &(follower, leader) in follows {
                if leader == agent && partition[follower] != here {
                    hearers.push(partition[follower]);
                }
                if follower == agent && partition[leader] != here {
                    self.received.push(leader);
                }
            }
            let hearers = ascending(hearers);
            let mut watchers = ascending(seen_by.remove(&region.agent).unwrap_or_default());
            watchers.retain(|rank| hearers.binary_search(rank).is_err());
            self.own.push(Own { region: *region, hearers, watchers });
        }
        self.own.sort_unstable_by_key(|own| own.region.agent);
        let heard = self.own.iter().flat_map(|own| own.hearers.iter().chain(&own.watchers));
        self.hearers = ascending(heard.copied().collect());
        self.received = ascending(std::mem::take(&mut self.received));
        self.speakers = ascending(self.received.iter().map(|&agent| partition[agent]).collect());
    }
}

/// In ascending order, each once.
fn ascending(mut all: Vec<usize>) -> Vec<usize> {
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(agent: usize, x: f64) -> Region {
        Region::around(agent, [x, 0.0], 0.0, 0.01, 0.8)
    }

    #[test]
    fn peers_are_those_whose_discs_meet_or_who_follow() {
        let mut ranks = Neighbourhood::new(0, 0.8);
        let regions = [region(0, 0.0), region(1, 30.0), region(2, 500.0), region(3, 900.0)];
        ranks.census(&regions, &[0, 1, 2, 3], &[(3, 0)], &Sighted::default());
        assert_eq!((&ranks.hearers[..], &ranks.speakers[..]), (&[1, 3][..], &[1][..]));
        assert_eq!(ranks.received, [1], "a leader need not see who follows");
    }

    #[test]
    fn who_looks_hears_of_whom_it_sees_and_others_of_neighbours() {
        let regions = [region(0, 0.0), region(1, 500.0), region(2, 30.0)];
        let (mut looks, mut seen) = (Neighbourhood::new(0, 0.8), Neighbourhood::new(1, 0.8));
        let partition = [0, 1, 2];
        looks.census(&regions, &partition, &[], &Sighted { seen: vec![1, 2], by: Vec::new() });
        assert_eq!((&looks.received[..], &looks.hearers[..]), (&[1, 2][..], &[2][..]));
        seen.census(&regions, &partition, &[], &Sighted { seen: Vec::new(), by: vec![(1, 0)] });
        assert_eq!((&seen.received[..], &seen.hearers[..]), (&[][..], &[0][..]));
        assert_eq!((seen.hearers(1), seen.watchers(1)), (&[][..], &[0][..]));
        // who is near is told the ruts, too
        let mut near = Neighbourhood::new(2, 0.8);
        near.census(&regions, &partition, &[], &Sighted { seen: Vec::new(), by: vec![(2, 0)] });
        assert_eq!((near.hearers(2), near.watchers(2)), (&[0][..], &[][..]));
    }

    /// One that looks keeps its region as long as one that does not: it sees the farther.
    #[test]
    fn the_region_of_one_that_looks_holds_what_it_sees() {
        let (blind, looking) = (region(0, 0.0), region(0, 0.0).looking(110.0));
        assert!((looking.radius - blind.radius - (110.0 - REACH)).abs() < 1e-9);
        for x in [9.0, 11.0] {
            assert_eq!(looking.holds([x, 0.0], 0.8), blind.holds([x, 0.0], 0.8), "{x} m");
        }
    }

    #[test]
    fn a_disc_is_kept_or_it_shows() {
        let region = Region::around(0, [10.0, 0.0], 5.0, 0.01, 0.8);
        assert!(region.holds([24.9, 0.0], 0.8));
        assert!(!region.holds([25.1, 0.0], 0.8));
        // 10 ms at 30 m/s and a jolt are 0.55 m
        assert!(region.lasts([24.4, 0.0], 30.0, 0.01, 0.8));
        assert!(!region.lasts([24.5, 0.0], 30.0, 0.01, 0.8));
    }

    /// After a census every agent may drive for one heartbeat at least, however long
    /// that is: a census held early is of use.
    #[test]
    fn a_new_disc_lasts_for_a_heartbeat() {
        for (speed, heartbeat) in [(0.0, 0.01), (90.0, 0.01), (5.0, 0.2), (30.0, 1.0), (30.0, 3.0)]
        {
            let region = Region::around(0, [0.0, 0.0], speed, heartbeat, 0.8);
            assert!(region.lasts([0.0, 0.0], speed, heartbeat, 0.8), "{speed} m/s, {heartbeat} s");
        }
    }
}
