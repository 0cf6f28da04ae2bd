//! Cache of undisturbed ground by tile.

use super::GroundModel;
use bekker_math::grid::{Node, TILE, TILE_NODES, TileKey};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Nodes along a tile's side including a rim of one node on each side, which the normals need.
pub(super) const RIMMED: usize = TILE + 2;

/// The undisturbed ground of one tile.
pub(super) struct UndisturbedTile {
    /// Heights with the rim, row by row, m.
    pub heights: [f64; RIMMED * RIMMED],
    /// Indices of the soils.
    pub soil: [u16; TILE_NODES],
}

impl UndisturbedTile {
    /// Samples a tile of the terrain.
    fn find(model: &GroundModel, key: TileKey) -> UndisturbedTile {
        let lattice = model.lattice();
        let origin = key.node(0);
        let places: [[f64; 2]; RIMMED * RIMMED] = std::array::from_fn(|at| {
            let (column, row) = (at % RIMMED, at / RIMMED);
            let (i, j) = (origin.i + column as i32 - 1, origin.j + row as i32 - 1);
            lattice.position(Node { i, j })
        });
        let mut heights = [0.0; RIMMED * RIMMED];
        model.terrain().heights(&places, &mut heights);
        let soil = std::array::from_fn(|index| {
            let [x, y] = places[within_rim(index)];
            model.index_of(model.terrain().soil(x, y)) as u16
        });
        UndisturbedTile { heights, soil }
    }
}

/// Returns the index of node `index` of a tile in its heights with the rim.
#[inline]
pub(super) fn within_rim(index: usize) -> usize {
    (index / TILE + 1) * RIMMED + index % TILE + 1
}

/// Number of tiles in a set that shares a lock.
const SET_SIZE: usize = 64;
/// Number of sets; with [`SET_SIZE`] tiles of 3 kB each they take 3 MB when full.
const SETS: usize = 16;
/// Associativity: number of adjacent slots that a tile can occupy.
const WAYS: usize = 2;

/// Set-associative cache of recently used undisturbed tiles.
///
/// Rear wheels that follow front wheels, and vehicles of a convoy that follow their leader, need
/// not sample the terrain again. The content of the cache depends on the order of requests; the
/// returned tiles do not.
#[derive(Debug)]
pub(super) struct TileCache {
    sets: Vec<Mutex<CacheSet>>,
}

/// One set of the cache. Its arrays are flat and initially zero, so that memory of unused slots is
/// never touched.
#[derive(Debug)]
struct CacheSet {
    keys: [Option<TileKey>; SET_SIZE],
    /// Index of the most recently used of the [`WAYS`] in each group.
    latest: [u8; SET_SIZE / WAYS],
    heights: Vec<f64>,
    soil: Vec<u16>,
}

impl TileCache {
    pub(super) fn new() -> TileCache {
        let set = || CacheSet {
            keys: [None; SET_SIZE],
            latest: [0; SET_SIZE / WAYS],
            heights: vec![0.0; SET_SIZE * RIMMED * RIMMED],
            soil: vec![0; SET_SIZE * TILE_NODES],
        };
        TileCache { sets: (0..SETS).map(|_| Mutex::new(set())).collect() }
    }

    /// Returns the undisturbed tile of `model` under `key`. The cache must belong to that model.
    pub(super) fn tile(&self, model: &GroundModel, key: TileKey) -> UndisturbedTile {
        let (set, group) = self.locate(key);
        // a separate statement: the set is not locked while the tile is sampled
        let cache = locked(set).get(group, key);
        cache.unwrap_or_else(|| {
            let found = UndisturbedTile::find(model, key);
            locked(set).insert(group, key, &found);
            found
        })
    }

    /// Returns the set of a tile and its group in it. Neighboring tiles are spread by
    /// multiplicative hashing with the golden ratio.
    fn locate(&self, key: TileKey) -> (&Mutex<CacheSet>, usize) {
        let both = u64::from(key.a as u32) | u64::from(key.b as u32) << 32;
        let hash = (both.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as usize;
        (&self.sets[hash % SETS], hash / SETS % (SET_SIZE / WAYS))
    }
}

/// Locks a set. A poisoned lock is safe to use: no operation on a set can panic halfway.
fn locked(set: &Mutex<CacheSet>) -> MutexGuard<'_, CacheSet> {
    set.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CacheSet {
    /// Returns the tile under `key`, if it is in `group`.
    fn get(&mut self, group: usize, key: TileKey) -> Option<UndisturbedTile> {
        let way = (0..WAYS).find(|way| self.keys[group * WAYS + way] == Some(key))?;
        self.latest[group] = way as u8;
        let at = group * WAYS + way;
        Some(UndisturbedTile {
            heights: *self.heights.as_chunks().0.get(at)?,
            soil: *self.soil.as_chunks().0.get(at)?,
        })
    }

    /// Inserts a tile into the group, evicting the least recently used.
    fn insert(&mut self, group: usize, key: TileKey, tile: &UndisturbedTile) {
        let way = (usize::from(self.latest[group]) + 1) % WAYS;
        self.latest[group] = way as u8;
        let at = group * WAYS + way;
        self.keys[at] = Some(key);
        self.heights.as_chunks_mut().0[at] = tile.heights;
        self.soil.as_chunks_mut().0[at] = tile.soil;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soil::{Laws, Soil, SoilId, SoilKind};
    use crate::terrain::{Roughness, RoughnessClass, SoilMap, SoilRegion, Surface, Terrain};
    use bekker_math::grid::Lattice;

    /// Rough ground that changes from soil 0 to soil 1 at x = 3.3 m.
    fn rough() -> GroundModel {
        let kind = SoilKind::Firm { friction: 0.8 };
        let soil = Soil { name: "rock".into(), source: String::new(), kind };
        let east = SoilRegion::HalfPlane { point: [3.3, 0.0], direction: [1.0, 0.0] };
        let soils = SoilMap::uniform(SoilId(0)).paint(east, SoilId(1)).unwrap();
        let plane = Surface::Plane { elevation: 1.0, slope: [0.1, 0.0] };
        let terrain = Terrain::builder(plane, soils)
            .roughness(Roughness::new(RoughnessClass::C, 7))
            .build()
            .unwrap();
        let soils = vec![soil.clone(), soil];
        GroundModel::new(Lattice { spacing: 0.05 }, terrain, soils, Laws::reference()).unwrap()
    }

    /// Requests ten times as many tiles as the cache holds: each again immediately, and most again
    /// after eviction.
    #[test]
    fn a_kept_tile_has_the_bits_of_the_terrain() {
        let model = rough();
        let cache = TileCache::new();
        let check = |key: TileKey| {
            let tile = cache.tile(&model, key);
            for index in [0, 17, TILE_NODES - 1] {
                let node = key.node(index);
                let height = model.base_height(node);
                assert_eq!(tile.heights[within_rim(index)].to_bits(), height.to_bits(), "{key:?}");
                let [x, _] = model.lattice().position(node);
                assert_eq!(tile.soil[index], u16::from(x >= 3.3), "{key:?}");
            }
        };
        for count in 0..10 * (SETS * SET_SIZE) as i32 {
            let key = TileKey { a: count % 101 - 50, b: count / 101 - 50 };
            check(key);
            check(key);
            check(TileKey { a: key.a / 2, b: key.b / 3 });
        }
    }

    /// A convoy covers about 200 tiles from its leader to its last vehicle.
    #[test]
    fn tiles_of_a_line_do_not_drive_each_other_out() {
        for step in [[1, 0], [0, 1], [1, 1], [3, -2]] {
            let cache = TileCache::new();
            let model = rough();
            let keys: Vec<TileKey> =
                (0..200).map(|n| TileKey { a: n * step[0], b: n * step[1] }).collect();
            for &key in &keys {
                cache.tile(&model, key);
            }
            let still = keys.iter().filter(|&&key| {
                let (set, group) = cache.locate(key);
                locked(set).get(group, key).is_some()
            });
            // at random, 97 of 100 of 200 tiles would stay in 512 groups of two
            assert!(still.count() >= 180, "{step:?}");
        }
    }
}
