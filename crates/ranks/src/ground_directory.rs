//! Storage of ground that no agent is near: every block of tiles has a home rank.
//!
//! With [`Route::Neighbor`](crate::MessageRoute::Neighbor) a rank holds two kinds of ground. One
//! is the ground in the regions of its agents. The other is the set of blocks whose home it is;
//! they are complete and current after every update of the homes.
//!
//! A rank merges its own agents' patches to one per tile and sends them to the home ranks of the
//! tiles. At a census it receives the new tiles in its agents' regions, and drops the tiles that
//! are in no region any more. So each tile is held only by its home and by ranks with agents near
//! it, and ranks keep no backlog for each other. The digest of all ground is the sum of the homes'
//! digests.
//!
//! A home follows from the block and the number of ranks alone, so it needs no lookup. (P. Keleher
//! et al., Lazy release consistency for software distributed shared memory, 1992, for pages of
//! memory.)

use super::catch_up::read_catch_up;
use super::collectives::Collectives;
use super::rank_error::RankError;
use super::region::{CensusDisc, Rect};
use bekker_ground::{GroundDigest, Patches, SharedGround, Tile};
use bekker_math::grid::TileKey;
use bekker_sync::message::MessageWriter;
use bekker_world::Tiles;
use rstar::{AABB, RTree, RTreeObject};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Side of a block, tiles. An agent's region touches only a few blocks.
const BLOCK: i32 = 64;

/// Request of a rank to a home rank at a census.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RegionRequest {
    /// Regions of the rank's agents until the next census.
    regions: Vec<CensusDisc>,
    /// Tiles that the rank holds in their current state; `None` means all tiles.
    held: Option<Vec<Rect>>,
}

/// Reply of a home rank to a claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RegionReply {
    /// Regions of other ranks' agents that overlap a region of the claiming rank.
    pub near: Vec<CensusDisc>,
    /// Tiles in the claiming rank's regions that it does not hold.
    pub tiles: Tiles,
}

/// One rank's part of the whole ground, and its exchange with the parts of other ranks.
pub struct GroundDirectory {
    here: usize,
    size: usize,
    /// Side of a tile, m.
    tile: f64,
    /// Tiles whose home is this rank.
    ground: SharedGround,
    /// Changes by own agents since the last update of the homes.
    unsent: SharedGround,
    /// Tiles held here outside of [`GroundDirectory::ground`]; `None` means all, as at the start.
    held: Option<Vec<Rect>>,
    /// Other ranks that are homes of ground that own agents may touch, in ascending order.
    homes: Vec<usize>,
    /// Other ranks whose agents may touch ground whose home is this rank, in ascending order.
    clients: Vec<usize>,
    /// Number of merges of [`GroundDirectory::ground`] already sent to rank 0.
    sent_merges: u64,
    writer: MessageWriter,
    /// Changes by other ranks' agents in the last update.
    received: Patches,
}

struct RequestedRegion {
    rank: usize,
    region: CensusDisc,
    envelope: AABB<[f64; 2]>,
}

impl RTreeObject for RequestedRegion {
    type Envelope = AABB<[f64; 2]>;

    fn envelope(&self) -> Self::Envelope {
        self.envelope
    }
}

/// Returns the home rank of a tile among `size` ranks.
pub(crate) fn home(key: TileKey, size: usize) -> usize {
    home_of_block([key.a, key.b].map(|at| at.div_euclid(BLOCK)), size)
}

pub(crate) fn home_of_block([a, b]: [i32; 2], size: usize) -> usize {
    // Any hash that spreads neighboring blocks will do (Fibonacci hashing, D. E. Knuth, TAOCP 3,
    // 6.4).
    let block = u64::from(a as u32) << 32 | u64::from(b as u32);
    let mixed = (block ^ block >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed >> 32).wrapping_mul(size as u64) >> 32) as usize
}

/// Home ranks of the tiles of a rectangle.
fn homes_of([low, high]: &Rect, size: usize) -> BTreeSet<usize> {
    let block = |at: i32| at.div_euclid(BLOCK);
    let columns = block(low.a)..=block(high.a);
    let rows = || block(low.b)..=block(high.b);
    columns.flat_map(|a| rows().map(move |b| home_of_block([a, b], size))).collect()
}

impl GroundDirectory {
    /// Creates the part of rank `here`, which holds all of `published`. Tiles have side `tile`, m.
    pub fn new(here: usize, size: usize, tile: f64, published: &SharedGround) -> GroundDirectory {
        let mut ground = SharedGround::default();
        let tiles = published.shared_tiles();
        let own = tiles.filter(|(key, _)| home(*key, size) == here);
        ground.replace(own.map(|(key, tile)| (key, tile.clone())));
        GroundDirectory {
            here,
            size,
            tile,
            ground,
            unsent: SharedGround::default(),
            held: None,
            homes: Vec::new(),
            clients: Vec::new(),
            sent_merges: 0,
            writer: MessageWriter::default(),
            received: Patches::default(),
        }
    }

    /// Other ranks that are homes of ground that own agents may touch until the next census.
    pub fn homes(&self) -> &[usize] {
        &self.homes
    }

    /// Digest of the ground whose home is this rank.
    pub fn digest(&self) -> GroundDigest {
        self.ground.digest()
    }

    /// Records the changes by an own agent in a heartbeat.
    pub fn record(&mut self, patches: &Patches) {
        self.unsent.apply(patches);
    }

    /// Returns the changes not yet sent, for each of [`GroundDirectory::homes`], by agent and one patch per
    /// tile.
    ///
    /// Changes to ground whose home is this rank are applied here.
    pub fn take_unsent(&mut self) -> Vec<Vec<Patches>> {
        let mut told: Vec<Vec<Patches>> = vec![Vec::new(); self.homes.len()];
        for patches in std::mem::take(&mut self.unsent).as_patches() {
            let mut split: BTreeMap<usize, Patches> = BTreeMap::new();
            for patch in patches.iter() {
                split.entry(home(patch.key, self.size)).or_default().extend(patch);
            }
            for (rank, patches) in split {
                if rank == self.here {
                    self.ground.apply(&patches);
                } else if let Ok(at) = self.homes.binary_search(&rank) {
                    told[at].push(patches);
                }
            }
        }
        told
    }

    /// Sends the changes by own agents to the homes, and receives those by other ranks' agents.
    ///
    /// The ground at home here is current afterwards.
    pub fn update(&mut self, collectives: &mut Collectives<'_>) -> Result<(), RankError> {
        let mut messages = Vec::new();
        for patches in self.take_unsent() {
            let mut message = Vec::new();
            for patches in &patches {
                let agent = patches.iter().next().map_or(0, |patch| patch.agent.into());
                self.writer.catch_up(&collectives.origin(agent), patches, &mut message);
            }
            messages.push(message);
        }
        let to: Vec<(usize, &[u8])> =
            self.homes.iter().zip(&messages).map(|(rank, message)| (*rank, &message[..])).collect();
        collectives.send_and_receive(&to, &self.clients)?;
        self.received.clear();
        for (part, &rank) in self.clients.iter().enumerate() {
            read_catch_up(collectives, part, rank, &mut self.received)?;
        }
        self.ground.apply(&self.received);
        Ok(())
    }

    /// Starts a census: returns the claim for each home rank, this rank included.
    ///
    /// All homes must have been updated before.
    pub fn request_regions(&mut self, regions: &[CensusDisc]) -> Vec<(usize, RegionRequest)> {
        let mut requests: BTreeMap<usize, RegionRequest> = BTreeMap::new();
        let knows_all = self.held.is_none();
        let empty =
            || RegionRequest { held: (!knows_all).then(Vec::new), ..RegionRequest::default() };
        for region in regions {
            for home in homes_of(&region.tiles(self.tile), self.size) {
                requests.entry(home).or_insert_with(empty).regions.push(*region);
            }
        }
        for rect in self.held.iter().flatten() {
            for home in homes_of(rect, self.size) {
                if let Some(RegionRequest { held: Some(held), .. }) = requests.get_mut(&home) {
                    held.push(*rect);
                }
            }
        }
        self.held = Some(regions.iter().map(|region| region.tiles(self.tile)).collect());
        self.homes = requests.keys().copied().filter(|&home| home != self.here).collect();
        requests.into_iter().collect()
    }

    /// Answers the claims of ranks, in the order of the claims.
    pub fn replies(&mut self, requests: &[(usize, RegionRequest)]) -> Vec<(usize, RegionReply)> {
        self.clients = requests.iter().map(|own| own.0).filter(|&rank| rank != self.here).collect();
        let all =
            requests.iter().flat_map(|(rank, request)| request.regions.iter().map(|r| (*rank, *r)));
        let requested = |(rank, region): (usize, CensusDisc)| {
            let envelope = region.envelope();
            RequestedRegion { rank, region, envelope }
        };
        let tree = RTree::bulk_load(all.map(requested).collect());
        let reply = |(rank, request): &(usize, RegionRequest)| {
            let mut near: BTreeMap<u32, CensusDisc> = BTreeMap::new();
            let mut tiles: BTreeMap<TileKey, Arc<Tile>> = BTreeMap::new();
            for region in &request.regions {
                let met = tree.locate_in_envelope_intersecting(region.envelope());
                let others = met.filter(|other| other.rank != *rank);
                near.extend(others.map(|other| (other.region.agent, other.region)));
                let Some(held) = &request.held else { continue };
                let holds = |key: TileKey| held.iter().any(|rect| contains(rect, key));
                let within = self.ground.shared_in_range(region.tiles(self.tile));
                let new = within.filter(|(key, _)| !holds(*key));
                tiles.extend(new.map(|(key, tile)| (key, tile.clone())));
            }
            let (near, tiles) = (near.into_values().collect(), tiles.into_iter().collect());
            (*rank, RegionReply { near, tiles })
        };
        requests.iter().map(reply).collect()
    }

    /// Returns all tiles whose home is this rank.
    pub fn all(&self) -> Tiles {
        self.ground.shared_tiles().map(|(key, tile)| (key, tile.clone())).collect()
    }

    /// Renumbers homes for the time when only the ranks `staying` remain.
    ///
    /// Returns the tiles whose home changes, each list with the present number of its new home
    /// rank. Call this after the homes are updated; a census must follow.
    pub fn renumber(&mut self, staying: &[usize]) -> Vec<(usize, Tiles)> {
        let mut moving: BTreeMap<usize, Tiles> = BTreeMap::new();
        for (key, tile) in self.ground.shared_tiles() {
            let rank = staying[home(key, staying.len())];
            if rank != self.here {
                moving.entry(rank).or_default().push((key, tile.clone()));
            }
        }
        let here = self.here;
        self.ground.retain(|key| staying[home(key, staying.len())] == here);
        self.size = staying.len();
        self.here = staying.binary_search(&here).unwrap_or(usize::MAX);
        (self.homes, self.clients) = (Vec::new(), Vec::new());
        moving.into_iter().collect()
    }

    /// Takes over tiles whose home is this rank from now on.
    pub fn add_tiles(&mut self, tiles: Tiles) {
        self.ground.replace(tiles);
    }

    /// Drops the ground that is in no own agent's region.
    pub fn drop_far(&self, published: &mut SharedGround) {
        let Some(held) = &self.held else { return };
        let near = held.iter().flat_map(|rect| published.shared_in_range(*rect));
        let mut near: Vec<TileKey> = near.map(|(key, _)| key).collect();
        near.sort_unstable();
        near.dedup();
        published.retain(|key| near.binary_search(&key).is_ok());
    }

    /// Returns the tiles at home here that changed since the last call. They are sent to rank 0.
    pub fn changed_tiles(&mut self) -> Tiles {
        let changed: Vec<TileKey> = self.ground.changed_since(self.sent_merges).collect();
        self.sent_merges = self.ground.merges();
        let tile = |key: TileKey| Some((key, self.ground.shared_tile(key)?.clone()));
        changed.into_iter().filter_map(tile).collect()
    }
}

fn contains([low, high]: &Rect, key: TileKey) -> bool {
    (low.a..=high.a).contains(&key.a) && (low.b..=high.b).contains(&key.b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_ground::NodeState;

    /// A patch of one compacted node of a tile.
    fn rut(a: i32, b: i32, sinkage: u32) -> Patches {
        let mut rut = Patches::default();
        rut.begin(TileKey { a, b });
        rut.push(3, NodeState { plastic_sinkage: sinkage, berm: 2, ..NodeState::default() });
        rut
    }

    /// A rank with one agent, and the ground that it holds.
    struct Rank {
        homes: GroundDirectory,
        published: SharedGround,
    }

    fn ranks(size: usize) -> Vec<Rank> {
        let published = SharedGround::default();
        let rank = |here| Rank {
            homes: GroundDirectory::new(here, size, 0.8, &published),
            published: published.clone(),
        };
        (0..size).map(rank).collect()
    }

    /// Updates the homes, then holds a census with one agent per rank at these x coordinates.
    fn census(ranks: &mut [Rank], places: &[f64]) -> Vec<Vec<u32>> {
        exchange_unsent(ranks);
        let mut requests: Vec<Vec<(usize, RegionRequest)>> = vec![Vec::new(); ranks.len()];
        for (rank, x) in places.iter().enumerate() {
            let region = CensusDisc::around(rank, [*x, 0.0], 0.0, 0.01, 0.8);
            for (home, request) in ranks[rank].homes.request_regions(&[region]) {
                requests[home].push((rank, request));
            }
        }
        let mut near = vec![Vec::new(); ranks.len()];
        for (home, requests) in requests.iter().enumerate() {
            for (rank, reply) in ranks[home].homes.replies(requests) {
                near[rank].extend(reply.near.iter().map(|region| region.agent));
                ranks[rank].published.replace(reply.tiles);
            }
        }
        for Rank { homes, published } in ranks {
            homes.drop_far(published);
        }
        near.iter_mut().for_each(|near| {
            near.sort_unstable();
            near.dedup();
        });
        near
    }

    fn exchange_unsent(ranks: &mut [Rank]) {
        for rank in 0..ranks.len() {
            let (to, told) = (ranks[rank].homes.homes().to_vec(), ranks[rank].homes.take_unsent());
            for (home, patches) in to.into_iter().zip(told) {
                patches.iter().for_each(|patches| ranks[home].homes.ground.apply(patches));
            }
        }
    }

    /// Lets the agent of rank `from` leave a rut that only the ranks `subscribers` receive.
    fn record_patches(ranks: &mut [Rank], from: usize, rut: &Patches, subscribers: &[usize]) {
        ranks[from].homes.record(rut);
        subscribers.iter().chain([&from]).for_each(|&rank| ranks[rank].published.apply(rut));
    }

    fn digest(ranks: &[Rank]) -> GroundDigest {
        let homes = ranks.iter().map(|rank| rank.homes.digest());
        homes.fold(GroundDigest::default(), GroundDigest::joined)
    }

    #[test]
    fn ground_is_sent_to_approaching_ranks_and_dropped_by_leaving_ones() {
        for size in [2, 3, 7] {
            let mut ranks = ranks(size);
            let mut whole = SharedGround::default();
            let far: Vec<f64> = (0..size).map(|rank| 1e4 * rank as f64).collect();
            assert!(census(&mut ranks, &far).iter().all(Vec::is_empty));
            for a in [0, 1, 0] {
                let rut = rut(a, 0, 30 + a as u32);
                record_patches(&mut ranks, 0, &rut, &[]);
                whole.apply(&rut);
            }
            exchange_unsent(&mut ranks);
            assert_eq!(digest(&ranks), whole.digest(), "{size} ranks");
            // Rank 1 drives to where rank 0 was: it receives the ruts, and both ranks find each
            // other.
            let mut places = far.clone();
            places[1] = 5.0;
            let near = census(&mut ranks, &places);
            assert_eq!((&near[0][..], &near[1][..]), (&[1][..], &[0][..]));
            assert_eq!(ranks[1].published, whole);
            // The census does not send received ruts a second time: that would add their berms
            // twice.
            let heard = rut(0, 0, 90);
            record_patches(&mut ranks, 0, &heard, &[1]);
            whole.apply(&heard);
            census(&mut ranks, &places);
            assert_eq!((&ranks[0].published, &ranks[1].published), (&whole, &whole));
            assert_eq!(
                ranks[1].published.tile(TileKey { a: 0, b: 0 }).unwrap().get(3).unwrap().berm,
                6
            );
            // Rank 1 leaves, receives no further ruts, and comes back.
            census(&mut ranks, &far);
            assert_eq!(ranks[1].published.nodes(), 0);
            let unheard = rut(1, 0, 200);
            record_patches(&mut ranks, 0, &unheard, &[]);
            whole.apply(&unheard);
            census(&mut ranks, &places);
            assert_eq!((&ranks[1].published, digest(&ranks)), (&whole, whole.digest()));
            // Rank 0 receives everything the first time, and then only changes.
            let mut first = SharedGround::default();
            ranks.iter_mut().for_each(|rank| first.replace(rank.homes.changed_tiles()));
            assert_eq!(first, whole);
            assert!(ranks.iter_mut().all(|rank| rank.homes.changed_tiles().is_empty()));
        }
    }

    #[test]
    fn blocks_are_spread_over_ranks() {
        for size in [1, 2, 5, 64] {
            let mut blocks = vec![0; size];
            for (a, b) in (-40..40).flat_map(|a| (-40..40).map(move |b| (a, b))) {
                blocks[home(TileKey { a: a * BLOCK, b: b * BLOCK }, size)] += 1;
            }
            let even = 6400 / size as i32;
            // With 64 ranks each has 100 of 6400 blocks; half of that is five standard deviations.
            let worst = blocks.iter().map(|own| (own - even).abs()).max().unwrap();
            assert!(worst <= even / 2, "{size} ranks: {blocks:?}");
        }
    }
}
