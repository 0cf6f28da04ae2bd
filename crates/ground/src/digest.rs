//! An incremental digest of the published ground.

use super::Tile;
use super::tile::OwnedNode;
use bekker_math::grid::TileKey;
use serde::{Deserialize, Serialize};

/// Sum over all deformed nodes of two 64-bit mixes of position, state and agent.
///
/// The sum does not depend on the order of the nodes, and a changed node costs one subtraction and
/// one addition. So the digest of a ground of any size is available at every heartbeat. It detects
/// replicas that differ by accident; it does not protect against an adversary
/// ([`super::SharedGround::hash`] is SHA-256).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroundDigest(pub [u64; 2]);

/// Constants without structure: the first digits of the fraction of π.
const PI: [u64; 6] = [
    0x243f_6a88_85a3_08d3,
    0x1319_8a2e_0370_7345,
    0xa409_3822_299f_31d1,
    0x082e_fa98_ec4e_6c89,
    0x4528_21e6_38d0_1377,
    0xbe54_66cf_34e9_0c6d,
];

impl GroundDigest {
    /// Returns a tile's contribution to the mix, for [`GroundDigest::add`] and
    /// [`GroundDigest::remove`].
    #[inline]
    pub(super) fn key_hash(key: TileKey) -> u64 {
        let key = u64::from(key.a as u32) << 32 | u64::from(key.b as u32);
        fold(key ^ PI[4], PI[5])
    }

    #[inline]
    pub(super) fn add(&mut self, key_hash: u64, index: usize, node: OwnedNode<'_>) {
        let mixed = mix(key_hash, index, node);
        self.0 = std::array::from_fn(|lane| self.0[lane].wrapping_add(mixed[lane]));
    }

    #[inline]
    pub(super) fn remove(&mut self, key_hash: u64, index: usize, node: OwnedNode<'_>) {
        let mixed = mix(key_hash, index, node);
        self.0 = std::array::from_fn(|lane| self.0[lane].wrapping_sub(mixed[lane]));
    }

    pub(super) fn add_tile(&mut self, key: TileKey, tile: &Tile) {
        let key_hash = GroundDigest::key_hash(key);
        for ((index, state), agent) in tile.iter().zip(tile.agents()) {
            self.add(key_hash, index, OwnedNode { state, agent: *agent });
        }
    }

    pub(super) fn remove_tile(&mut self, key: TileKey, tile: &Tile) {
        let key_hash = GroundDigest::key_hash(key);
        for ((index, state), agent) in tile.iter().zip(tile.agents()) {
            self.remove(key_hash, index, OwnedNode { state, agent: *agent });
        }
    }

    /// Returns the digest of the union of two grounds that have no tile in common.
    pub fn joined(self, other: GroundDigest) -> GroundDigest {
        GroundDigest(std::array::from_fn(|lane| self.0[lane].wrapping_add(other.0[lane])))
    }
}

/// Returns the XOR of the two halves of a 128-bit product.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

#[inline]
fn mix(key_hash: u64, index: usize, OwnedNode { state, agent }: OwnedNode<'_>) -> [u64; 2] {
    let word = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    let pair = |high: u16, low: u16| u32::from(high) << 16 | u32::from(low);
    let heights = word(state.plastic_sinkage, state.berm as u32);
    let rest = word(
        pair(state.yield_pressure, state.passes),
        pair(state.shear[0] as u16, state.shear[1] as u16),
    );
    let node = index as u64 | u64::from(agent) << 32;
    let key_hash = key_hash.wrapping_add(node.wrapping_mul(PI[3]));
    let mixed = fold(heights ^ key_hash, rest ^ PI[0]) ^ fold(key_hash ^ PI[1], heights ^ PI[2]);
    [fold(mixed, PI[4] | 1), fold(mixed ^ rest, PI[5])]
}
