//! Patches of deformed ground as few bytes, without loss.
//!
//! The published state is integers already, so what travels is what the sender
//! keeps. A patch's nodes lie close together and one wheel made them: every
//! value is predicted from the node before, and what is missing is written by
//! an adaptive Rice code ([`super::bits`]). A variable that all nodes of a
//! message share (berms where there are none, the number of passes) is written
//! once.
//!
//! Layout, lowest bit first: number of tiles, a bit for each of the six
//! variables that is set where it varies, the shared value of each that does
//! not; then for each tile the difference of its key to the
//! tile before, its number of nodes less one, and for each node the gap to the
//! node before and the variables.

use super::bits::{BitReader, BitWriter, Rice};
use crate::grid::{TILE_NODES, TileKey};
use crate::ground::{Mask, NodeState, Patch, Tile};

/// Why bytes are not patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroundCodeError {
    /// Too short for what it announces.
    #[error("{bytes} bytes cannot hold {tiles} tiles")]
    Short {
        /// Bytes there are.
        bytes: usize,
        /// Tiles announced.
        tiles: u32,
    },
    /// A node outside its tile.
    #[error("a node lies beyond the end of tile ({}, {})", key.a, key.b)]
    Beyond {
        /// The tile.
        key: TileKey,
    },
    /// Bytes that nothing asks for.
    #[error("bytes are left over")]
    LeftOver,
}

const VARIABLES: usize = 6;
/// Where the running means begin: typical residuals of a wheel's patch.
const BEGIN: [u32; VARIABLES] = [60, 40, 60, 60, 600, 1];
/// Typical values of a message's first node, which nothing predicts.
const FIRST: [u32; VARIABLES] = [6_000, 2_000, 2_000, 2_000, 6_000, 2];

/// The variables of a node, each as 32 bits.
type Values = [u32; VARIABLES];

#[inline]
fn values(state: &NodeState) -> Values {
    [
        state.plastic_sinkage,
        u32::from(state.yield_pressure),
        state.shear[0] as u32,
        state.shear[1] as u32,
        state.berm as u32,
        u32::from(state.passes),
    ]
}

#[inline]
fn state(values: &Values) -> NodeState {
    NodeState {
        plastic_sinkage: values[0],
        yield_pressure: values[1] as u16,
        shear: [values[2] as i16, values[3] as i16],
        berm: values[4] as i32,
        passes: values[5] as u16,
    }
}

/// Codes of everything in a message.
struct Codes {
    tiles: Rice,
    shared: Rice,
    /// Of the first tile's key, then as `key`.
    place: [Rice; 2],
    key: [Rice; 2],
    count: Rice,
    gap: Rice,
    first: [Rice; VARIABLES],
    variables: [Rice; VARIABLES],
}

impl Codes {
    fn new() -> Codes {
        Codes {
            tiles: Rice::about(4),
            shared: Rice::about(1),
            place: [Rice::about(500); 2],
            key: [Rice::about(2); 2],
            count: Rice::about(6),
            gap: Rice::about(8),
            first: FIRST.map(Rice::about),
            variables: BEGIN.map(Rice::about),
        }
    }
}

/// Predicts a node from the node before in the same message: the same again,
/// but for the pressure, which goes along with the sinkage.
#[inline]
fn predicted_pressure(before: &Values, sinkage: u32) -> u32 {
    let (was, pressure) = (i64::from(before[0]), i64::from(before[1] as u16));
    if was == 0 {
        return before[1];
    }
    // first order of p ~ z^n about the node before, n near 1
    let change = (i64::from(sinkage) - was).clamp(-was, was);
    (pressure + pressure * change / was) as u32
}

#[inline]
fn residual(values: &Values, before: &Values, variable: usize) -> i32 {
    let predicted =
        if variable == 1 { predicted_pressure(before, values[0]) } else { before[variable] };
    values[variable].wrapping_sub(predicted) as i32
}

/// Appends `patches` to `out`.
pub fn encode(patches: &[Patch], out: &mut Vec<u8>) {
    let mut all = patches.iter().flat_map(|patch| patch.tile.states());
    let first = all.next().map(values).unwrap_or_default();
    let mut varies = [false; VARIABLES];
    for state in all {
        let values = values(state);
        for variable in 0..VARIABLES {
            varies[variable] |= values[variable] != first[variable];
        }
    }
    let mut bits = BitWriter::new(out);
    let mut codes = Codes::new();
    codes.tiles.put(&mut bits, patches.len() as u32);
    varies.iter().for_each(|&varies| bits.put(u32::from(varies), 1));
    for variable in 0..VARIABLES {
        if !varies[variable] {
            codes.shared.put(&mut bits, first[variable]);
        }
    }
    let mut before_key = TileKey { a: 0, b: 0 };
    let mut before: Values = std::array::from_fn(|v| if varies[v] { 0 } else { first[v] });
    let mut stride = 0;
    let mut fresh = true;
    for (at, Patch { key, tile }) in patches.iter().enumerate() {
        if at == 1 {
            codes.place = codes.key;
        }
        codes.place[0].put_signed(&mut bits, key.a.wrapping_sub(before_key.a));
        codes.place[1].put_signed(&mut bits, key.b.wrapping_sub(before_key.b));
        before_key = *key;
        codes.count.put(&mut bits, tile.states().len() as u32);
        let mut next = 0;
        for (index, state) in tile.iter() {
            let gap = (index - next) as u32;
            bits.put(u32::from(gap == stride), 1);
            if gap != stride {
                codes.gap.put(&mut bits, gap);
                stride = gap;
            }
            next = index + 1;
            let values = values(state);
            for variable in 0..VARIABLES {
                if varies[variable] {
                    let residual = residual(&values, &before, variable);
                    let codes = if fresh { &mut codes.first } else { &mut codes.variables };
                    codes[variable].put_signed(&mut bits, residual);
                }
            }
            fresh = false;
            before = values;
        }
    }
    bits.finish();
}

/// Reads what [`encode`] wrote and appends it to `patches`.
///
/// # Errors
/// [`GroundCodeError`] for any bytes that [`encode`] does not write; `patches`
/// may then hold some of what stood before the fault.
pub fn decode(bytes: &[u8], patches: &mut Vec<Patch>) -> Result<(), GroundCodeError> {
    let mut bits = BitReader::new(bytes);
    let mut codes = Codes::new();
    let tiles = codes.tiles.get(&mut bits);
    let short = GroundCodeError::Short { bytes: bytes.len(), tiles };
    // a tile takes more than two bits: bounds what is reserved
    if u64::from(tiles) > 4 * bytes.len() as u64 {
        return Err(short);
    }
    let varies: [bool; VARIABLES] = std::array::from_fn(|_| bits.get(1) == 1);
    let mut before: Values = [0; VARIABLES];
    for variable in 0..VARIABLES {
        if !varies[variable] {
            before[variable] = codes.shared.get(&mut bits);
        }
    }
    let mut fresh = true;
    let mut key = TileKey { a: 0, b: 0 };
    let mut stride = 0;
    patches.reserve(tiles as usize);
    for at in 0..tiles {
        if at == 1 {
            codes.place = codes.key;
        }
        key.a = key.a.wrapping_add(codes.place[0].get_signed(&mut bits));
        key.b = key.b.wrapping_add(codes.place[1].get_signed(&mut bits));
        let count = codes.count.get(&mut bits) as usize;
        if bits.overrun() {
            return Err(short);
        }
        if count > TILE_NODES {
            return Err(GroundCodeError::Beyond { key });
        }
        let mut mask = Mask::default();
        let mut states = Vec::with_capacity(count);
        let mut next = 0_usize;
        for _ in 0..count {
            if bits.get(1) == 0 {
                stride = codes.gap.get(&mut bits);
            }
            let index = next + stride as usize;
            if index >= TILE_NODES {
                return Err(GroundCodeError::Beyond { key });
            }
            mask.insert(index);
            next = index + 1;
            let mut values = before;
            for variable in 0..VARIABLES {
                if varies[variable] {
                    let codes = if fresh { &mut codes.first } else { &mut codes.variables };
                    let residual = codes[variable].get_signed(&mut bits) as u32;
                    let predicted = if variable == 1 {
                        predicted_pressure(&before, values[0])
                    } else {
                        before[variable]
                    };
                    values[variable] = predicted.wrapping_add(residual);
                }
            }
            fresh = false;
            before = values;
            states.push(state(&values));
        }
        let tile = Tile::new(mask, states).ok_or(GroundCodeError::Beyond { key })?;
        patches.push(Patch { key, tile });
    }
    if bits.overrun() {
        return Err(short);
    }
    if bits.at_end() { Ok(()) } else { Err(GroundCodeError::LeftOver) }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn any_state() -> impl Strategy<Value = NodeState> {
        let fields = (any::<u32>(), any::<i32>(), any::<u16>(), any::<[i16; 2]>(), any::<u16>());
        (fields, 0_u32..32).prop_map(|((sinkage, berm, pressure, shear, passes), small)| {
            NodeState {
                plastic_sinkage: sinkage >> small,
                berm: berm >> small,
                yield_pressure: pressure >> (small / 2),
                shear: shear.map(|component| component >> (small / 2)),
                passes: passes >> (small / 2),
            }
        })
    }

    pub(in super::super) fn any_patches() -> impl Strategy<Value = Vec<Patch>> {
        let nodes = proptest::collection::vec((0..TILE_NODES, any_state()), 1..30);
        let patch = (any::<[i32; 2]>(), 0..32, nodes).prop_map(|([a, b], small, nodes)| {
            let nodes: BTreeMap<usize, NodeState> = nodes.into_iter().collect();
            let mut mask = Mask::default();
            nodes.keys().for_each(|&index| mask.insert(index));
            let tile = Tile::new(mask, nodes.into_values().collect()).unwrap();
            Patch { key: TileKey { a: a >> small, b: b >> small }, tile }
        });
        proptest::collection::vec(patch, 0..8)
    }

    proptest! {
        #[test]
        fn any_patches_come_back(patches in any_patches()) {
            let mut bytes = Vec::new();
            encode(&patches, &mut bytes);
            let mut read = Vec::new();
            decode(&bytes, &mut read).unwrap();
            prop_assert_eq!(read, patches);
        }

        #[test]
        fn what_is_cut_short_is_refused(patches in any_patches(), at in any::<proptest::sample::Index>()) {
            let mut bytes = Vec::new();
            encode(&patches, &mut bytes);
            bytes.truncate(at.index(bytes.len()));
            prop_assert!(decode(&bytes, &mut Vec::new()).is_err());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in any::<Vec<u8>>()) {
            let _ = decode(&bytes, &mut Vec::new());
        }
    }
}
