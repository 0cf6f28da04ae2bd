//! Where ground is kept that no agent is near: every block of tiles has a home among the ranks.
//!
//! With [`Route::Neighbour`](crate::ranks::Route::Neighbour) a rank holds the ground within the regions
//! of its own agents, and beside it the blocks that are at home there, whole and up to date
//! whenever homes have been told. Own agents' patches, joined to one a tile, are told to the homes
//! of their tiles; at a census a rank is given what is new in its agents' regions, and forgets what
//! is no longer in any. So ground lies on no more ranks than have agents near it and its home, none
//! is owed to anybody, and the digest of all ground is the sum of the homes'. A home follows from
//! the block and the number of ranks alone: nobody has to be asked for it. (P. Keleher et al., Lazy
//! release consistency for software distributed shared memory, 1992, for pages of memory.)

use super::region::{Rect, Region};
use bekker_ground::{GroundDigest, Patches, Published, Tile};
use bekker_math::grid::TileKey;
use bekker_world::Tiles;
use rstar::{AABB, RTree, RTreeObject};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Side of a block, tiles: an agent's region touches a few.
const BLOCK: i32 = 64;

/// What a rank asks a home for at a census.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Regions of its agents until the next census.
    regions: Vec<Region>,
    /// Tiles that it holds as they are; all without.
    held: Option<Vec<Rect>>,
}

/// What a home answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Regions of other ranks' agents that meet one of the rank's.
    pub near: Vec<Region>,
    /// Tiles in the rank's regions that it does not hold.
    pub tiles: Tiles,
}

/// One rank's part of the whole ground, and its dealings with the others' parts.
pub struct Homes {
    here: usize,
    size: usize,
    /// Side of a tile, m.
    tile: f64,
    /// The tiles at home here.
    ground: Published,
    /// What own agents left since homes were told last.
    untold: Published,
    /// Tiles held here outside of [`Homes::ground`]; all at the beginning.
    held: Option<Vec<Rect>>,
    /// Other ranks that are homes of what own agents may touch, in ascending order.
    homes: Vec<usize>,
    /// Other ranks whose agents may touch what is at home here, in ascending order.
    tenants: Vec<usize>,
    /// Merges of [`Homes::ground`] that the first rank has been told of.
    told_first: u64,
}

struct Claimed {
    rank: usize,
    region: Region,
    envelope: AABB<[f64; 2]>,
}

impl RTreeObject for Claimed {
    type Envelope = AABB<[f64; 2]>;

    fn envelope(&self) -> Self::Envelope {
        self.envelope
    }
}

/// Rank that is the home of a tile among so many.
pub(crate) fn home(key: TileKey, size: usize) -> usize {
    home_of_block([key.a, key.b].map(|at| at.div_euclid(BLOCK)), size)
}

pub(crate) fn home_of_block([a, b]: [i32; 2], size: usize) -> usize {
    // any mix that spreads neighbours will do (Fibonacci hashing, D. E. Knuth, TAOCP 3, 6.4)
    let block = u64::from(a as u32) << 32 | u64::from(b as u32);
    let mixed = (block ^ block >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed >> 32).wrapping_mul(size as u64) >> 32) as usize
}

/// Homes of the tiles of a rectangle.
fn homes_of([low, high]: &Rect, size: usize) -> BTreeSet<usize> {
    let block = |at: i32| at.div_euclid(BLOCK);
    let columns = block(low.a)..=block(high.a);
    let rows = || block(low.b)..=block(high.b);
    columns.flat_map(|a| rows().map(move |b| home_of_block([a, b], size))).collect()
}

impl Homes {
    /// Of a rank that holds all of this ground, with tiles of side `tile`, m.
    pub fn new(here: usize, size: usize, tile: f64, published: &Published) -> Homes {
        let mut ground = Published::default();
        let tiles = published.shared_tiles();
        let own = tiles.filter(|(key, _)| home(*key, size) == here);
        ground.replace(own.map(|(key, tile)| (key, tile.clone())));
        Homes {
            here,
            size,
            tile,
            ground,
            untold: Published::default(),
            held: None,
            homes: Vec::new(),
            tenants: Vec::new(),
            told_first: 0,
        }
    }

    /// Other ranks that are homes of what own agents may touch until the next census.
    pub fn homes(&self) -> &[usize] {
        &self.homes
    }

    /// Other ranks whose agents may touch until then what is at home here.
    pub fn tenants(&self) -> &[usize] {
        &self.tenants
    }

    /// Digest of what is at home here.
    pub fn digest(&self) -> GroundDigest {
        self.ground.digest()
    }

    /// Notes what an own agent left in a heartbeat.
    pub fn leave(&mut self, patches: &Patches) {
        self.untold.apply(patches);
    }

    /// What homes have not been told, agent by agent and one patch a tile: for each of
    /// [`Homes::homes`]. What is at home here is taken over.
    pub fn untold(&mut self) -> Vec<Vec<Patches>> {
        let mut told: Vec<Vec<Patches>> = vec![Vec::new(); self.homes.len()];
        for patches in std::mem::take(&mut self.untold).as_patches() {
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

    /// Takes over what another rank's agents left.
    pub fn take(&mut self, patches: &Patches) {
        self.ground.apply(patches);
    }

    /// Begins a census: what to ask of which home, this rank included. All homes have been told.
    pub fn claim(&mut self, regions: &[Region]) -> Vec<(usize, Claim)> {
        let mut claims: BTreeMap<usize, Claim> = BTreeMap::new();
        let knows_all = self.held.is_none();
        let empty = || Claim { held: (!knows_all).then(Vec::new), ..Claim::default() };
        for region in regions {
            for home in homes_of(&region.tiles(self.tile), self.size) {
                claims.entry(home).or_insert_with(empty).regions.push(*region);
            }
        }
        for rect in self.held.iter().flatten() {
            for home in homes_of(rect, self.size) {
                if let Some(Claim { held: Some(held), .. }) = claims.get_mut(&home) {
                    held.push(*rect);
                }
            }
        }
        self.held = Some(regions.iter().map(|region| region.tiles(self.tile)).collect());
        self.homes = claims.keys().copied().filter(|&home| home != self.here).collect();
        claims.into_iter().collect()
    }

    /// Answers the claims of ranks, in the order of which they come.
    pub fn answers(&mut self, claims: &[(usize, Claim)]) -> Vec<(usize, Answer)> {
        self.tenants = claims.iter().map(|own| own.0).filter(|&rank| rank != self.here).collect();
        let all = claims.iter().flat_map(|(rank, claim)| claim.regions.iter().map(|r| (*rank, *r)));
        let claimed = |(rank, region): (usize, Region)| {
            let envelope = region.envelope();
            Claimed { rank, region, envelope }
        };
        let tree = RTree::bulk_load(all.map(claimed).collect());
        let answer = |(rank, claim): &(usize, Claim)| {
            let mut near: BTreeMap<u32, Region> = BTreeMap::new();
            let mut tiles: BTreeMap<TileKey, Arc<Tile>> = BTreeMap::new();
            for region in &claim.regions {
                let met = tree.locate_in_envelope_intersecting(region.envelope());
                let others = met.filter(|other| other.rank != *rank);
                near.extend(others.map(|other| (other.region.agent, other.region)));
                let Some(held) = &claim.held else { continue };
                let holds = |key: TileKey| held.iter().any(|rect| contains(rect, key));
                let within = self.ground.shared_within(region.tiles(self.tile));
                let new = within.filter(|(key, _)| !holds(*key));
                tiles.extend(new.map(|(key, tile)| (key, tile.clone())));
            }
            let (near, tiles) = (near.into_values().collect(), tiles.into_iter().collect());
            (*rank, Answer { near, tiles })
        };
        claims.iter().map(answer).collect()
    }

    /// All that is at home here.
    pub fn all(&self) -> Tiles {
        self.ground.shared_tiles().map(|(key, tile)| (key, tile.clone())).collect()
    }

    /// Renumbers homes for the time when only `staying` ranks are there, and gives what has
    /// another home then, each with its rank as it is numbered now. To be called once homes have
    /// been told; a census must follow.
    pub fn move_to(&mut self, staying: &[usize]) -> Vec<(usize, Tiles)> {
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
        (self.homes, self.tenants) = (Vec::new(), Vec::new());
        moving.into_iter().collect()
    }

    /// Takes in tiles that are at home here from now on.
    pub fn settle(&mut self, tiles: Tiles) {
        self.ground.replace(tiles);
    }

    /// Forgets the ground that is in no own agent's region.
    pub fn forget_far(&self, published: &mut Published) {
        let Some(held) = &self.held else { return };
        let near = held.iter().flat_map(|rect| published.shared_within(*rect));
        let mut near: Vec<TileKey> = near.map(|(key, _)| key).collect();
        near.sort_unstable();
        near.dedup();
        published.retain(|key| near.binary_search(&key).is_ok());
    }

    /// Tiles at home here that have changed since this was asked last: for the first rank.
    pub fn news(&mut self) -> Tiles {
        let changed: Vec<TileKey> = self.ground.changed_since(self.told_first).collect();
        self.told_first = self.ground.merges();
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

    /// A node of a tile pressed by an agent.
    fn rut(a: i32, b: i32, sinkage: u32) -> Patches {
        let mut rut = Patches::default();
        rut.begin(TileKey { a, b });
        rut.push(3, NodeState { plastic_sinkage: sinkage, berm: 2, ..NodeState::default() });
        rut
    }

    /// A rank with one agent, and the ground that it holds.
    struct Rank {
        homes: Homes,
        published: Published,
    }

    fn ranks(size: usize) -> Vec<Rank> {
        let published = Published::default();
        let rank = |here| Rank {
            homes: Homes::new(here, size, 0.8, &published),
            published: published.clone(),
        };
        (0..size).map(rank).collect()
    }

    /// Homes are told, then a census is held with an agent a rank at these places.
    fn census(ranks: &mut [Rank], places: &[f64]) -> Vec<Vec<u32>> {
        tell(ranks);
        let mut claims: Vec<Vec<(usize, Claim)>> = vec![Vec::new(); ranks.len()];
        for (rank, x) in places.iter().enumerate() {
            let region = Region::around(rank, [*x, 0.0], 0.0, 0.01, 0.8);
            for (home, claim) in ranks[rank].homes.claim(&[region]) {
                claims[home].push((rank, claim));
            }
        }
        let mut near = vec![Vec::new(); ranks.len()];
        for (home, claims) in claims.iter().enumerate() {
            for (rank, answer) in ranks[home].homes.answers(claims) {
                near[rank].extend(answer.near.iter().map(|region| region.agent));
                ranks[rank].published.replace(answer.tiles);
            }
        }
        for Rank { homes, published } in ranks {
            homes.forget_far(published);
        }
        near.iter_mut().for_each(|near| {
            near.sort_unstable();
            near.dedup();
        });
        near
    }

    fn tell(ranks: &mut [Rank]) {
        for rank in 0..ranks.len() {
            let (to, told) = (ranks[rank].homes.homes().to_vec(), ranks[rank].homes.untold());
            for (home, patches) in to.into_iter().zip(told) {
                patches.iter().for_each(|patches| ranks[home].homes.take(patches));
            }
        }
    }

    /// The agent of a rank leaves a rut, heard of by these ranks.
    fn leave(ranks: &mut [Rank], from: usize, rut: &Patches, hearers: &[usize]) {
        ranks[from].homes.leave(rut);
        hearers.iter().chain([&from]).for_each(|&rank| ranks[rank].published.apply(rut));
    }

    fn digest(ranks: &[Rank]) -> GroundDigest {
        let homes = ranks.iter().map(|rank| rank.homes.digest());
        homes.fold(GroundDigest::default(), GroundDigest::joined)
    }

    #[test]
    fn ground_is_given_to_who_comes_near_and_forgotten_by_who_leaves() {
        for size in [2, 3, 7] {
            let mut ranks = ranks(size);
            let mut whole = Published::default();
            let far: Vec<f64> = (0..size).map(|rank| 1e4 * rank as f64).collect();
            assert!(census(&mut ranks, &far).iter().all(Vec::is_empty));
            for a in [0, 1, 0] {
                let rut = rut(a, 0, 30 + a as u32);
                leave(&mut ranks, 0, &rut, &[]);
                whole.apply(&rut);
            }
            tell(&mut ranks);
            assert_eq!(digest(&ranks), whole.digest(), "{size} ranks");
            // rank 1 comes where 0 was: it gets the ruts and they hear of each other
            let mut places = far.clone();
            places[1] = 5.0;
            let near = census(&mut ranks, &places);
            assert_eq!((&near[0][..], &near[1][..]), (&[1][..], &[0][..]));
            assert_eq!(ranks[1].published, whole);
            // what it hears it is not given once more: berms would be heaped twice
            let heard = rut(0, 0, 90);
            leave(&mut ranks, 0, &heard, &[1]);
            whole.apply(&heard);
            census(&mut ranks, &places);
            assert_eq!((&ranks[0].published, &ranks[1].published), (&whole, &whole));
            assert_eq!(
                ranks[1].published.tile(TileKey { a: 0, b: 0 }).unwrap().get(3).unwrap().berm,
                6
            );
            // it leaves, does not hear of more, and comes back
            census(&mut ranks, &far);
            assert_eq!(ranks[1].published.nodes(), 0);
            let unheard = rut(1, 0, 200);
            leave(&mut ranks, 0, &unheard, &[]);
            whole.apply(&unheard);
            census(&mut ranks, &places);
            assert_eq!((&ranks[1].published, digest(&ranks)), (&whole, whole.digest()));
            // the first rank is told all there is, and then only what is new
            let mut first = Published::default();
            ranks.iter_mut().for_each(|rank| first.replace(rank.homes.news()));
            assert_eq!(first, whole);
            assert!(ranks.iter_mut().all(|rank| rank.homes.news().is_empty()));
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
            // of 64 ranks each has 100 blocks of 6400: half of that are five standard deviations
            let worst = blocks.iter().map(|own| (own - even).abs()).max().unwrap();
            assert!(worst <= even / 2, "{size} ranks: {blocks:?}");
        }
    }
}
