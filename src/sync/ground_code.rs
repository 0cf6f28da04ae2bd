//! Patches of deformed ground as few bytes, without loss.
//!
//! The published state is integers already, so what travels is what the sender
//! keeps. A wheel leaves its rut row by row, heartbeat by heartbeat: each node is
//! predicted from a neighbour that the same agent left just before, in this
//! message or an earlier one, and what is missing is written by an adaptive Rice
//! code (`bits.rs`). Both ends of a stream keep a [`Memory`] of it, and
//! learn from it alike which of the four neighbours predicts best, whatever way
//! the wheel goes. A variable that all nodes of a message share (berms where
//! there are none, the number of passes) is written once.
//!
//! Layout, lowest bit first: number of tiles; for each of the six variables a bit
//! that is set where it varies, else a bit that is set where the value that all
//! share is that of the last node of the message before, else that value; then
//! for each tile its key (as one of the message before, or as the difference to
//! the tile before), its number of nodes less one, and for each node the gap to
//! the node before and the variables.

use super::bits::{BitReader, BitWriter, Rice};
use crate::grid::{Node, TILE_NODES, TileKey};
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
    /// A tile of the message before that it did not have.
    #[error("tile {index} of the message before is called for, which had {tiles}")]
    Before {
        /// Which.
        index: usize,
        /// How many it had.
        tiles: usize,
    },
    /// Bytes that nothing asks for.
    #[error("bytes are left over")]
    LeftOver,
}

const VARIABLES: usize = 6;
/// Where the running means begin: typical residuals of a wheel's patch.
const BEGIN: [u32; VARIABLES] = [60, 40, 60, 60, 600, 1];
/// The same where no neighbour is known.
const STRANGE: [u32; VARIABLES] = [3_000, 300, 1_000, 1_000, 6_000, 2];

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

/// What is predicted from a state: the same again, but for the pressure, which
/// goes along with the sinkage.
#[inline]
fn predicted(from: &Values, variable: usize, sinkage: u32) -> u32 {
    let (was, pressure) = (i64::from(from[0]), i64::from(from[1]));
    if variable != 1 || was == 0 {
        return from[variable];
    }
    // first order of p ~ z^n about the neighbour, n near 1
    let change = (i64::from(sinkage) - was).clamp(-was, was);
    (pressure + pressure * change / was) as u32
}

/// Codes of everything in a message.
#[derive(Clone, Debug)]
struct Codes {
    tiles: Rice,
    shared: Rice,
    skipped: Rice,
    key: [Rice; 2],
    count: Rice,
    gap: Rice,
    /// By whether a neighbour is known.
    variables: [[Rice; VARIABLES]; 2],
}

impl Codes {
    fn new() -> Codes {
        Codes {
            tiles: Rice::about(4),
            shared: Rice::about(1),
            skipped: Rice::about(1),
            key: [Rice::about(2); 2],
            count: Rice::about(6),
            gap: Rice::about(8),
            variables: [STRANGE.map(Rice::about), BEGIN.map(Rice::about)],
        }
    }
}

/// Nodes that are remembered: a few heartbeats of a vehicle at 2 cm.
const PLACES: usize = 1 << 10;
/// A node's neighbours, by their steps in i and j.
const NEIGHBOURS: [[i32; 2]; 4] = [[-1, 0], [1, 0], [0, -1], [0, 1]];

#[derive(Clone, Copy, Debug)]
struct Place {
    node: Node,
    /// Whether anything is remembered here.
    taken: bool,
    state: NodeState,
}

/// What both ends of a stream of patches remember of it. A message can be read
/// only with a memory that has seen what the writer's had seen.
#[derive(Clone, Debug)]
pub struct Memory {
    places: Box<[Place]>,
    codes: Codes,
    /// Tiles of the message before.
    keys: Vec<TileKey>,
    /// Tiles of this message.
    new_keys: Vec<TileKey>,
    last: Values,
    stride: u32,
    /// How badly each neighbour has predicted the sinkage lately, in sixteenths of
    /// a quantum.
    errors: [u64; NEIGHBOURS.len()],
}

impl Default for Memory {
    fn default() -> Memory {
        Memory {
            places: Box::default(),
            codes: Codes::new(),
            keys: Vec::new(),
            new_keys: Vec::new(),
            last: Values::default(),
            stride: 0,
            errors: [0; NEIGHBOURS.len()],
        }
    }
}

/// Where a node is remembered.
#[inline]
fn place(node: Node) -> usize {
    let mixed =
        (node.i as u32).wrapping_mul(0x9e37_79b1) ^ (node.j as u32).wrapping_mul(0x85eb_ca77);
    (mixed >> (u32::BITS - PLACES.trailing_zeros())) as usize
}

/// A node's neighbours that are remembered, and which of them is to be trusted.
struct Neighbours {
    states: [Option<NodeState>; NEIGHBOURS.len()],
    best: Option<usize>,
}

impl Memory {
    fn neighbours(&self, node: Node) -> Neighbours {
        let states = NEIGHBOURS.map(|[di, dj]| {
            let node = Node { i: node.i.wrapping_add(di), j: node.j.wrapping_add(dj) };
            let place = &self.places[place(node)];
            (place.taken && place.node == node).then_some(place.state)
        });
        let known = (0..states.len()).filter(|&at| states[at].is_some());
        Neighbours { states, best: known.min_by_key(|&at| self.errors[at]) }
    }

    fn learn(&mut self, node: Node, state: NodeState, neighbours: &Neighbours) {
        for (error, neighbour) in self.errors.iter_mut().zip(&neighbours.states) {
            if let Some(neighbour) = neighbour {
                let off = neighbour.plastic_sinkage.abs_diff(state.plastic_sinkage);
                // a sixteenth is renewed each time
                *error = *error - (*error >> 4) + u64::from(off);
            }
        }
        self.places[place(node)] = Place { node, taken: true, state };
    }

    fn begin(&mut self) {
        if self.places.is_empty() {
            let nowhere =
                Place { node: Node { i: 0, j: 0 }, taken: false, state: NodeState::default() };
            self.places = vec![nowhere; PLACES].into_boxed_slice();
        }
        self.new_keys.clear();
    }

    /// Forgets everything: the next message can be read by one who has heard
    /// nothing before.
    pub fn forget(&mut self) {
        let places = std::mem::take(&mut self.places);
        *self = Memory { places, ..Memory::default() };
        self.places.iter_mut().for_each(|place| place.taken = false);
    }

    /// Appends `patches`, none of them empty, to `out`.
    pub fn encode(&mut self, patches: &[Patch], out: &mut Vec<u8>) {
        self.begin();
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
        self.codes.tiles.put(&mut bits, patches.len() as u32);
        for variable in 0..VARIABLES {
            bits.put(u32::from(varies[variable]), 1);
            if !varies[variable] {
                let again = first[variable] == self.last[variable];
                bits.put(u32::from(again), 1);
                if !again {
                    self.codes.shared.put(&mut bits, first[variable]);
                }
            }
        }
        let mut before_key = self.keys.first().copied().unwrap_or(TileKey { a: 0, b: 0 });
        let mut next_key = 0;
        for Patch { key, tile } in patches {
            let again = self.keys[next_key..].iter().position(|before| before == key);
            bits.put(u32::from(again.is_some()), 1);
            if let Some(skipped) = again {
                self.codes.skipped.put(&mut bits, skipped as u32);
                next_key += skipped + 1;
            } else {
                self.codes.key[0].put_signed(&mut bits, key.a.wrapping_sub(before_key.a));
                self.codes.key[1].put_signed(&mut bits, key.b.wrapping_sub(before_key.b));
            }
            before_key = *key;
            self.new_keys.push(*key);
            self.codes.count.put(&mut bits, tile.states().len() as u32 - 1);
            let mut next = 0;
            for (index, &state) in tile.iter() {
                let gap = (index - next) as u32;
                bits.put(u32::from(gap == self.stride), 1);
                if gap != self.stride {
                    self.codes.gap.put(&mut bits, gap);
                    self.stride = gap;
                }
                next = index + 1;
                let node = key.node(index);
                let neighbours = self.neighbours(node);
                let from = neighbours.best.and_then(|best| neighbours.states[best]);
                let codes = &mut self.codes.variables[usize::from(from.is_some())];
                let from = from.map_or(self.last, |state| values(&state));
                let values = values(&state);
                for variable in 0..VARIABLES {
                    if varies[variable] {
                        let expected = predicted(&from, variable, values[0]);
                        let residual = values[variable].wrapping_sub(expected);
                        codes[variable].put_signed(&mut bits, residual as i32);
                    }
                }
                self.last = values;
                self.learn(node, state, &neighbours);
            }
        }
        bits.finish();
        std::mem::swap(&mut self.keys, &mut self.new_keys);
    }

    /// Reads what [`Memory::encode`] wrote and appends it to `patches`.
    ///
    /// # Errors
    /// [`GroundCodeError`] for any bytes that [`Memory::encode`] does not write;
    /// `patches` may then hold some of what stood before the fault, and the memory
    /// is of no further use.
    pub fn decode(
        &mut self,
        bytes: &[u8],
        patches: &mut Vec<Patch>,
    ) -> Result<(), GroundCodeError> {
        self.begin();
        let mut bits = BitReader::new(bytes);
        let tiles = self.codes.tiles.get(&mut bits);
        let short = GroundCodeError::Short { bytes: bytes.len(), tiles };
        // a tile takes more than two bits: bounds what is reserved
        if u64::from(tiles) > 4 * bytes.len() as u64 {
            return Err(short);
        }
        let mut shared = [None; VARIABLES];
        for (variable, shared) in shared.iter_mut().enumerate() {
            if bits.get(1) == 0 {
                let again = bits.get(1) == 1;
                *shared = Some(if again {
                    self.last[variable]
                } else {
                    self.codes.shared.get(&mut bits)
                });
            }
        }
        let mut key = self.keys.first().copied().unwrap_or(TileKey { a: 0, b: 0 });
        let mut next_key = 0;
        patches.reserve(tiles as usize);
        for _ in 0..tiles {
            if bits.get(1) == 1 {
                let index = next_key + self.codes.skipped.get(&mut bits) as usize;
                let tiles = self.keys.len();
                key = *self.keys.get(index).ok_or(GroundCodeError::Before { index, tiles })?;
                next_key = index + 1;
            } else {
                key.a = key.a.wrapping_add(self.codes.key[0].get_signed(&mut bits));
                key.b = key.b.wrapping_add(self.codes.key[1].get_signed(&mut bits));
            }
            self.new_keys.push(key);
            let count = self.codes.count.get(&mut bits) as usize + 1;
            if bits.overrun() {
                return Err(short);
            }
            let tile = self.decode_tile(&mut bits, key, count, &shared)?;
            patches.push(Patch { key, tile });
        }
        if bits.overrun() {
            return Err(short);
        }
        std::mem::swap(&mut self.keys, &mut self.new_keys);
        if bits.at_end() { Ok(()) } else { Err(GroundCodeError::LeftOver) }
    }

    fn decode_tile(
        &mut self,
        bits: &mut BitReader<'_>,
        key: TileKey,
        count: usize,
        shared: &[Option<u32>; VARIABLES],
    ) -> Result<Tile, GroundCodeError> {
        let beyond = GroundCodeError::Beyond { key };
        if count > TILE_NODES {
            return Err(beyond);
        }
        let mut mask = Mask::default();
        let mut states = Vec::with_capacity(count);
        let mut next = 0_usize;
        for _ in 0..count {
            if bits.get(1) == 0 {
                self.stride = self.codes.gap.get(bits);
            }
            let index = next + self.stride as usize;
            if index >= TILE_NODES {
                return Err(beyond);
            }
            mask.insert(index);
            next = index + 1;
            let node = key.node(index);
            let neighbours = self.neighbours(node);
            let from = neighbours.best.and_then(|best| neighbours.states[best]);
            let codes = &mut self.codes.variables[usize::from(from.is_some())];
            let from = from.map_or(self.last, |state| values(&state));
            let mut found = Values::default();
            for variable in 0..VARIABLES {
                found[variable] = shared[variable].unwrap_or_else(|| {
                    let residual = codes[variable].get_signed(bits) as u32;
                    predicted(&from, variable, found[0]).wrapping_add(residual)
                });
            }
            let state = state(&found);
            self.last = values(&state);
            self.learn(node, state, &neighbours);
            states.push(state);
        }
        Tile::new(mask, states).ok_or(beyond)
    }
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
            // the second time from what both ends remember of the first
            let (mut writer, mut reader) = (Memory::default(), Memory::default());
            for _ in 0..2 {
                let mut bytes = Vec::new();
                writer.encode(&patches, &mut bytes);
                let mut read = Vec::new();
                reader.decode(&bytes, &mut read).unwrap();
                prop_assert_eq!(&read, &patches);
            }
            reader.forget();
            writer.forget();
            let (mut again, mut fresh) = (Vec::new(), Vec::new());
            writer.encode(&patches, &mut again);
            Memory::default().encode(&patches, &mut fresh);
            prop_assert_eq!(again, fresh);
        }

        #[test]
        fn what_is_cut_short_is_refused(patches in any_patches(), at in any::<proptest::sample::Index>()) {
            let mut bytes = Vec::new();
            Memory::default().encode(&patches, &mut bytes);
            bytes.truncate(at.index(bytes.len()));
            prop_assert!(Memory::default().decode(&bytes, &mut Vec::new()).is_err());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in any::<Vec<u8>>()) {
            let _ = Memory::default().decode(&bytes, &mut Vec::new());
        }
    }
}
