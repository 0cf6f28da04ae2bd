//! The published ground, which all agents share.

use super::{GroundDigest, NO_AGENT, NodeMask, NodeState, Patches, Tile};
use bekker_math::grid::{Node, TileKey};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Debug, Default)]
struct SharedTile {
    /// Number of the last merge that changed it.
    revision: u64,
    /// Number of the change before that, 0 for none.
    before: u64,
    /// Nodes that the last change affected.
    changed: NodeMask,
    tile: Arc<Tile>,
}

/// The deformed ground: a sparse map from tile key to tile.
///
/// A clone is a snapshot: the tiles are shared until one side writes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(TileKey, Tile)>", into = "Vec<(TileKey, Tile)>")]
pub struct SharedGround {
    tiles: BTreeMap<TileKey, SharedTile>,
    /// Number of merges so far.
    merges: u64,
    digest: GroundDigest,
}

/// A published tile with its revision history.
pub(super) struct TileRevision<'a> {
    /// Number of the last merge that changed it, 0 for none.
    pub revision: u64,
    /// Number of the change before that.
    pub before: u64,
    /// Nodes that the last change affected.
    pub changed: NodeMask,
    /// The tile, if it was ever deformed.
    pub tile: Option<&'a Tile>,
}

impl PartialEq for SharedGround {
    fn eq(&self, other: &Self) -> bool {
        self.tiles().eq(other.tiles())
    }
}

impl SharedGround {
    /// Merges patches; any order and any grouping give the same ground ([`NodeState::join`]).
    pub fn apply(&mut self, patches: &Patches) {
        self.merge([patches]);
    }

    /// Merges the patches of several agents in one heartbeat.
    pub fn merge<'a>(&mut self, all: impl IntoIterator<Item = &'a Patches>) {
        let SharedGround { tiles, merges, digest } = self;
        *merges += 1;
        for patch in all.into_iter().flat_map(Patches::iter) {
            let entry = tiles.entry(patch.key).or_default();
            if entry.revision != *merges {
                entry.before = std::mem::replace(&mut entry.revision, *merges);
                entry.changed = NodeMask::default();
            }
            entry.changed = entry.changed.union(patch.mask);
            let key_hash = GroundDigest::key_hash(patch.key);
            Arc::make_mut(&mut entry.tile).join_observed(&patch, |index, before, now| {
                before.inspect(|&before| digest.remove(key_hash, index, before));
                digest.add(key_hash, index, now);
            });
        }
    }

    /// Replaces whole tiles under their keys. Working copies of these tiles read them again.
    pub fn replace(&mut self, tiles: impl IntoIterator<Item = (TileKey, Arc<Tile>)>) {
        self.merges += 1;
        for (key, tile) in tiles {
            self.digest.add_tile(key, &tile);
            // no working copy has the revision before: each reads the whole tile
            let (revision, before, changed) = (self.merges, u64::MAX, *tile.mask());
            let entry = SharedTile { revision, before, changed, tile };
            if let Some(before) = self.tiles.insert(key, entry) {
                self.digest.remove_tile(key, &before.tile);
            }
        }
    }

    /// Keeps only the tiles for which `keep` is true; the others become undisturbed.
    pub fn retain(&mut self, keep: impl Fn(TileKey) -> bool) {
        let digest = &mut self.digest;
        self.tiles.retain(|&key, entry| {
            let keeps = keep(key);
            if !keeps {
                digest.remove_tile(key, &entry.tile);
            }
            keeps
        });
    }

    /// Returns the tiles in ascending order of their keys, for sharing.
    pub fn shared_tiles(&self) -> impl Iterator<Item = (TileKey, &Arc<Tile>)> {
        self.tiles.iter().map(|(key, entry)| (*key, &entry.tile))
    }

    /// Returns the deformed tiles in a rectangle of keys, from its lowest to its highest key, for
    /// sharing.
    pub fn shared_in_range(
        &self,
        [low, high]: [TileKey; 2],
    ) -> impl Iterator<Item = (TileKey, &Arc<Tile>)> {
        let of_column = move |a: i32| {
            let [low, high] = [low.b, high.b].map(|b| TileKey { a, b });
            // an inverted rectangle is empty
            (low <= high).then(|| self.tiles.range(low..=high)).into_iter().flatten()
        };
        (low.a..=high.a).flat_map(of_column).map(|(key, entry)| (*key, &entry.tile))
    }

    /// Returns the tiles in ascending order of their keys.
    pub fn tiles(&self) -> impl Iterator<Item = (TileKey, &Tile)> {
        self.tiles.iter().map(|(key, entry)| (*key, &*entry.tile))
    }

    /// Returns the number of merges so far, the argument of [`SharedGround::changed_since`].
    pub fn merges(&self) -> u64 {
        self.merges
    }

    /// Returns the keys of the tiles changed by merges after `merge`, in ascending order.
    pub fn changed_since(&self, merge: u64) -> impl Iterator<Item = TileKey> {
        let changed = self.tiles.iter().filter(move |(_, entry)| entry.revision > merge);
        changed.map(|(key, _)| *key)
    }

    /// Returns all deformed nodes as patches, by agent.
    pub fn as_patches(&self) -> Vec<Patches> {
        let mut all: BTreeMap<u16, Patches> = BTreeMap::new();
        for (key, tile) in self.tiles() {
            let mut agents = tile.agents().to_vec();
            agents.sort_unstable();
            agents.dedup();
            for agent in agents {
                let patches = all.entry(agent).or_default();
                patches.set_agent(agent);
                patches.begin(key);
                let own = tile.iter().zip(tile.agents()).filter(|(_, of)| **of == agent);
                own.for_each(|((index, state), _)| patches.push(index, *state));
            }
        }
        all.into_values().collect()
    }

    /// Returns the tile under `key`, if it was ever deformed.
    pub fn tile(&self, key: TileKey) -> Option<&Tile> {
        self.tiles.get(&key).map(|entry| &*entry.tile)
    }

    /// Returns the tile under `key` for sharing, if it was ever deformed.
    pub fn shared_tile(&self, key: TileKey) -> Option<&Arc<Tile>> {
        self.tiles.get(&key).map(|entry| &entry.tile)
    }

    /// Returns the tile under `key` with its revisions.
    pub(super) fn tile_revision(&self, key: TileKey) -> TileRevision<'_> {
        match self.tiles.get(&key) {
            Some(SharedTile { revision, before, changed, tile }) => TileRevision {
                revision: *revision,
                before: *before,
                changed: *changed,
                tile: Some(tile),
            },
            None => {
                TileRevision { revision: 0, before: 0, changed: NodeMask::default(), tile: None }
            }
        }
    }

    /// Returns the state of a node; the default state if it was never deformed.
    pub fn node(&self, node: Node) -> NodeState {
        self.tile(node.tile()).and_then(|tile| tile.get(node.index())).copied().unwrap_or_default()
    }

    /// Returns the state of a node and the number of the agent that owns it, or [`NO_AGENT`].
    pub fn state_and_agent(&self, node: Node) -> (NodeState, u16) {
        let owned = self.tile(node.tile()).and_then(|tile| tile.state_and_agent(node.index()));
        owned.map_or((NodeState::default(), NO_AGENT), |(state, agent)| (*state, agent))
    }

    /// Returns the number of deformed nodes.
    pub fn nodes(&self) -> usize {
        self.tiles().map(|(_, tile)| tile.states().len()).sum()
    }

    /// Returns the sum of all berm heights, in [`super::BERM_QUANTUM`]: times the cell's area, the
    /// volume of heaped soil.
    pub fn berm_quanta(&self) -> i64 {
        self.states().map(|state| i64::from(state.berm)).sum()
    }

    /// Returns the sum of all plastic sinkages, in [`super::SINKAGE_QUANTUM`]: times the cell's
    /// area, the volume of the ruts.
    pub fn sinkage_quanta(&self) -> u64 {
        self.states().map(|state| u64::from(state.plastic_sinkage)).sum()
    }

    fn states(&self) -> impl Iterator<Item = &NodeState> {
        self.tiles.values().flat_map(|entry| entry.tile.states())
    }

    /// Returns the digest, which is updated with every change: equal for equal grounds.
    pub fn digest(&self) -> GroundDigest {
        self.digest
    }

    /// Returns the SHA-256 over keys, masks and states in ascending order of keys: equal for equal
    /// grounds on any machine, whichever agents own the nodes.
    pub fn hash(&self) -> [u8; 32] {
        let mut hasher = Sha256::new();
        for (key, tile) in self.tiles() {
            hasher.update(key.a.to_le_bytes());
            hasher.update(key.b.to_le_bytes());
            let NodeMask(words) = tile.mask();
            for word in words {
                hasher.update(word.to_le_bytes());
            }
            for state in tile.states() {
                hasher.update(state.to_bytes());
            }
        }
        hasher.finalize().into()
    }
}

impl From<Vec<(TileKey, Tile)>> for SharedGround {
    fn from(tiles: Vec<(TileKey, Tile)>) -> Self {
        let entry = |tile: Tile| SharedTile {
            revision: 1,
            before: 0,
            changed: *tile.mask(),
            tile: Arc::new(tile),
        };
        let tiles: BTreeMap<_, _> =
            tiles.into_iter().map(|(key, tile)| (key, entry(tile))).collect();
        let mut digest = GroundDigest::default();
        tiles.iter().for_each(|(key, entry)| digest.add_tile(*key, &entry.tile));
        SharedGround { tiles, merges: 1, digest }
    }
}

impl From<SharedGround> for Vec<(TileKey, Tile)> {
    fn from(published: SharedGround) -> Self {
        published.tiles().map(|(key, tile)| (key, tile.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::grid::TILE_NODES;
    use proptest::prelude::*;

    /// Generates one patch.
    fn any_patch() -> impl Strategy<Value = Patches> {
        let shear = prop_oneof![Just([0, 0]), Just([1, 0]), any::<[i16; 2]>()];
        let node = (0..TILE_NODES, 0_u32..5, -9_i32..9, 0_u16..4, shear);
        let nodes = proptest::collection::vec(node, 1..20);
        ((-1_i32..2, -1_i32..2), nodes, 0_u16..4).prop_map(|((a, b), nodes, agent)| {
            let states: BTreeMap<usize, NodeState> = nodes
                .into_iter()
                .map(|(index, plastic_sinkage, berm, yield_pressure, shear)| {
                    let passes = yield_pressure;
                    let state = NodeState { plastic_sinkage, berm, yield_pressure, shear, passes };
                    (index, state)
                })
                .collect();
            let mut patch = Patches::default();
            patch.set_agent(agent);
            patch.begin(TileKey { a, b });
            states.into_iter().for_each(|(index, state)| patch.push(index, state));
            patch
        })
    }

    /// Replacing tiles by those of another ground, and dropping the rest, gives the same ground and
    /// digest.
    #[test]
    fn tiles_are_replaced_and_forgotten_with_their_digest() {
        let rut = |keys: &[i32], sinkage: u32| {
            let mut patches = Patches::default();
            for &a in keys {
                patches.begin(TileKey { a, b: -a });
                let state = NodeState { plastic_sinkage: sinkage, ..NodeState::default() };
                patches.push(7, state);
            }
            let mut ground = SharedGround::default();
            ground.apply(&patches);
            ground
        };
        let (source, mut target) = (rut(&[1, 2, 5], 30), rut(&[2, 9], 80));
        target.replace(source.shared_tiles().map(|(key, tile)| (key, tile.clone())));
        assert_ne!(target, source);
        target.retain(|key| key.a != 9);
        assert_eq!((&target, target.digest()), (&source, source.digest()));
        let [low, high] = [TileKey { a: 1, b: -2 }, TileKey { a: 5, b: -1 }];
        let within: Vec<i32> = source.shared_in_range([low, high]).map(|(key, _)| key.a).collect();
        assert_eq!(within, [1, 2]);
        let halves = [rut(&[1, 5], 30).digest(), rut(&[2], 30).digest()];
        assert_eq!(halves[0].joined(halves[1]), source.digest());
    }

    proptest! {
        #[test]
        fn any_order_and_any_split_give_the_same_ground(
            patches in proptest::collection::vec(any_patch(), 1..12),
            shuffled in any::<proptest::sample::Index>(),
            split in any::<proptest::sample::Index>(),
        ) {
            let mut whole = SharedGround::default();
            whole.merge(&patches);

            let mut turned = patches.clone();
            turned.rotate_left(shuffled.index(patches.len()));
            turned.reverse();
            let (first, second) = turned.split_at(split.index(turned.len()));
            let mut parts = SharedGround::default();
            parts.merge(second);
            parts.merge(first);
            prop_assert_eq!(whole.hash(), parts.hash());
            prop_assert_eq!(&whole, &parts);
            prop_assert_eq!(whole.digest(), parts.digest());
            let stored: SharedGround = Vec::from(whole.clone()).into();
            prop_assert_eq!(whole.digest(), stored.digest());
            let mut told = SharedGround::default();
            told.merge(whole.as_patches().iter().rev());
            prop_assert_eq!(&whole, &told);
            prop_assert_eq!(whole.digest(), told.digest());

            let heaped: i64 = patches
                .iter()
                .flat_map(Patches::states)
                .map(|state| i64::from(state.berm))
                .sum();
            prop_assert_eq!(whole.berm_quanta(), heaped);
        }
    }

    #[test]
    fn a_rut_belongs_to_the_deepest_pass() {
        let left = |agent: u16, plastic_sinkage: u32, berm: i32| {
            let mut patches = Patches::default();
            patches.set_agent(agent);
            patches.begin(TileKey { a: 0, b: 0 });
            patches.push(7, NodeState { plastic_sinkage, berm, ..NodeState::default() });
            patches
        };
        let node = Node { i: 7, j: 0 };
        let mut ground = SharedGround::default();
        assert_eq!(ground.state_and_agent(node).1, NO_AGENT);
        ground.apply(&left(5, 3, 0));
        assert_eq!(ground.state_and_agent(node).1, 5);
        ground.merge([&left(4, 9, 0), &left(3, 9, 1)]);
        assert_eq!(ground.state_and_agent(node).1, 3, "of equal ones the lower number");
        ground.apply(&left(1, 8, 2));
        assert_eq!((ground.state_and_agent(node).1, ground.node(node).berm), (3, 3));
        assert_eq!(ground.state_and_agent(Node { i: 8, j: 0 }).1, NO_AGENT);
    }

    #[test]
    fn a_snapshot_is_unaffected_by_later_changes() {
        let sunk = |plastic_sinkage: u32| {
            let mut patches = Patches::default();
            patches.begin(TileKey { a: 0, b: 0 });
            patches.push(7, NodeState { plastic_sinkage, ..NodeState::default() });
            patches
        };
        let mut ground = SharedGround::default();
        ground.apply(&sunk(3));
        let snapshot = ground.clone();
        ground.apply(&sunk(9));
        assert_eq!(snapshot.sinkage_quanta(), 3);
        assert_eq!(ground.sinkage_quanta(), 9);
        assert_ne!(snapshot.hash(), ground.hash());
        assert_eq!((ground.nodes(), snapshot.nodes()), (1, 1));
        let stored = postcard::to_stdvec(&ground).unwrap();
        let restored: SharedGround = postcard::from_bytes(&stored).unwrap();
        assert_eq!(restored.hash(), ground.hash());
    }
}
