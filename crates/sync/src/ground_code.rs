//! Lossless compression of patches of deformed ground.
//!
//! The published ground state consists of integers, so the receiver gets exactly the sender's
//! values. A wheel deforms the ground row by row, heartbeat by heartbeat. A patch therefore begins
//! near the beginning of a patch in a recent message. Each of its nodes is predicted from neighbors
//! that the same agent deformed just before, in this message or an earlier one. The residual is
//! written by a Rice code (`bits.rs`).
//!
//! Both ends of a stream keep a [`CodecState`] of it. They learn from it identically which neighbor
//! predicts best, whatever the direction of travel. A variable with the same value at all nodes of
//! a message is written once, for example the number of passes, or a berm height of 0.
//!
//! Layout, least significant bit first:
//! - The number of patches.
//! - For each of the six variables, a bit that is set if the variable varies. If it does not vary,
//!   a bit follows that is set if the shared value equals that of the previous message's last node.
//!   Otherwise the shared value follows.
//! - For each patch, a bit that is set if it begins near a remembered row. If set, the row's
//!   number, the offset of the patch from the row's first node, and the difference in number of
//!   nodes follow. Otherwise the tile (as difference from the previous tile), the first node and
//!   the number of nodes less one follow.
//! - For each node but the first, a bit that is set if the gap to the previous node is as
//!   predicted. The prediction is the gap that last followed the same two gaps. If not set, the gap
//!   follows.
//! - For each node, the residuals of the variables.

use super::bits::{BitReader, BitWriter, Rice};
use bekker_ground::{NodeState, Patch, Patches};
use bekker_math::grid::{Node, TILE_NODES, TileKey};

/// Reason why bytes do not decode to patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroundCodeError {
    /// The bytes are too few for the announced patches.
    #[error("{bytes} bytes cannot hold {patches} patches")]
    Short {
        /// Number of bytes.
        bytes: usize,
        /// Number of patches announced.
        patches: u32,
    },
    /// A patch exceeds its tile.
    #[error("tile ({}, {}) cannot hold {nodes} nodes from node {first} on", key.a, key.b)]
    Beyond {
        /// The tile.
        key: TileKey,
        /// First node announced.
        first: usize,
        /// Number of nodes announced.
        nodes: u32,
    },
    /// A patch refers to a remembered row that does not exist.
    #[error("reference to row {index}, but there are {rows} previous rows")]
    Before {
        /// Number of the row.
        index: usize,
        /// Number of remembered rows.
        rows: usize,
    },
    /// Bytes follow the last patch.
    #[error("extra bytes follow the last patch")]
    LeftOver,
}

const VARIABLES: usize = 6;
const SINKAGE: usize = 0;
const PRESSURE: usize = 1;
/// Initial means of the residuals of each variable: typical values of a wheel's patch.
const INITIAL_MEANS: [u32; VARIABLES] = [60, 40, 60, 60, 600, 1];
/// Initial means where no neighbor is remembered.
const INITIAL_MEANS_WITHOUT_NEIGHBOR: [u32; VARIABLES] = [3_000, 300, 1_000, 1_000, 6_000, 2];

/// The variables of a node, each as 32 bits.
type NodeWords = [u32; VARIABLES];

#[inline]
fn values(state: &NodeState) -> NodeWords {
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
fn state(values: &NodeWords) -> NodeState {
    NodeState {
        plastic_sinkage: values[SINKAGE],
        yield_pressure: values[PRESSURE] as u16,
        shear: [values[2] as i16, values[3] as i16],
        berm: values[4] as i32,
        passes: values[5] as u16,
    }
}

#[inline]
fn distance(a: u32, b: u32) -> u64 {
    u64::from((a.wrapping_sub(b) as i32).unsigned_abs())
}

/// Rice codes of all kinds of value in a message.
#[derive(Clone, Debug)]
struct Codes {
    patches: Rice,
    shared: Rice,
    skipped: Rice,
    /// Offset of a patch's first node from that of the remembered row.
    moved: [Rice; 2],
    /// Difference in number of nodes from the remembered row.
    longer: Rice,
    key: [Rice; 2],
    count: Rice,
    gap: Rice,
    /// By whether a neighbor is remembered (0: no, 1: yes), then by variable.
    variables: [[Rice; VARIABLES]; 2],
}

impl Codes {
    fn new() -> Codes {
        Codes {
            patches: Rice::with_mean(4),
            shared: Rice::with_mean(1),
            skipped: Rice::with_mean(1),
            moved: [Rice::with_mean(1); 2],
            longer: Rice::with_mean(2),
            key: [Rice::with_mean(2); 2],
            count: Rice::with_mean(6),
            gap: Rice::with_mean(8),
            variables: [
                INITIAL_MEANS_WITHOUT_NEIGHBOR.map(Rice::with_mean),
                INITIAL_MEANS.map(Rice::with_mean),
            ],
        }
    }

    fn finish_message(&mut self) {
        let Codes { patches, shared, skipped, moved, longer, key, count, gap, variables } = self;
        let single = [patches, shared, skipped, longer, count, gap];
        let paired = moved.iter_mut().chain(key).chain(variables.as_flattened_mut());
        single.into_iter().chain(paired).for_each(Rice::finish_message);
    }
}

/// Capacity for remembered nodes: a few heartbeats of a vehicle on a 2 cm grid.
const SLOTS: usize = 1 << 10;
/// Offsets of a node's neighbors in i and j.
const NEIGHBORS: [[i32; 2]; 4] = [[-1, 0], [1, 0], [0, -1], [0, 1]];
/// Interval in nodes at which the predictions of all neighbors are compared.
const COMPARISON_INTERVAL: u32 = 4;
/// Greatest distance of a patch's first node from that of a remembered row, nodes.
const MAX_ROW_OFFSET: u32 = 3;
/// Number of messages after which an unused row is dropped.
const MAX_ROW_AGE: u8 = 6;

#[derive(Clone, Copy, Debug)]
struct StoredNode {
    node: Node,
    values: NodeWords,
}

/// Marks an empty slot. A node that far out is at most a neighbor of itself.
const EMPTY_SLOT: StoredNode =
    StoredNode { node: Node { i: i32::MIN, j: i32::MIN }, values: [0; VARIABLES] };

/// The first node and size of a remembered patch.
#[derive(Clone, Copy, Debug)]
struct CodedRow {
    first: Node,
    nodes: u32,
    /// Number of messages since the patch.
    age: u8,
}

/// The last node and its difference from its predicting neighbor in `direction`.
///
/// The next node may differ by as much if it is adjacent.
#[derive(Clone, Copy, Debug)]
struct PreviousNode {
    node: Node,
    direction: usize,
    step: NodeWords,
}

/// The basis for predicting a node.
#[derive(Clone, Copy, Debug)]
struct PredictionBasis {
    /// Index into [`NEIGHBORS`] of the neighbor used, if any is remembered.
    direction: Option<usize>,
    /// Values of that neighbor.
    from: NodeWords,
    /// Whether the previous node and its own neighbor form a plane with this node.
    plane: bool,
}

/// Number of contexts of gaps: hashes of the two previous gaps.
const CONTEXTS: usize = 64;

/// State that both ends of a stream of patches keep.
///
/// Decoding a message requires a memory that has processed the same messages as the writer's.
/// Memory is allocated on the first message.
#[derive(Clone, Debug, Default)]
pub struct CodecState {
    stream: Option<Box<StreamState>>,
}

impl CodecState {
    /// Resets the state: the next message can be decoded without any earlier one.
    pub fn reset(&mut self) {
        self.stream = None;
    }

    /// Encodes `patches`, none of them empty, and appends them to `out`.
    pub fn encode(&mut self, patches: &Patches, out: &mut Vec<u8>) {
        self.stream().encode(patches, out);
    }

    /// Decodes the output of [`CodecState::encode`] and appends the patches to `patches`.
    ///
    /// # Errors
    /// [`GroundCodeError`] for any bytes that [`CodecState::encode`] does not write. `patches` may
    /// then hold patches from before the fault, and the memory is unusable.
    pub fn decode(&mut self, bytes: &[u8], patches: &mut Patches) -> Result<(), GroundCodeError> {
        self.stream().decode(bytes, patches)
    }

    fn stream(&mut self) -> &mut StreamState {
        self.stream.get_or_insert_with(|| Box::new(StreamState::new()))
    }
}

/// State of a stream after the messages processed so far.
#[derive(Clone, Debug)]
struct StreamState {
    slots: Box<[StoredNode]>,
    codes: Codes,
    /// Remembered rows, in message order.
    rows: Vec<CodedRow>,
    /// Rows of this message, and older rows that are still remembered.
    new_rows: Vec<CodedRow>,
    last: NodeWords,
    previous: PreviousNode,
    /// The last two gaps.
    gaps: [u8; 2],
    /// The most recent gap in each context.
    followed: [u8; CONTEXTS],
    seen: u32,
    /// Recent error of each neighbor as a predictor of sinkage, in sixteenths of a quantum.
    errors: [u64; NEIGHBORS.len()],
    /// Neighbors in ascending order of error.
    order: [usize; NEIGHBORS.len()],
    /// Recent errors of the neighbor and of the plane as predictors, for each variable.
    plane_errors: [[u64; 2]; VARIABLES],
    /// Whether the plane predicts each variable better.
    by_plane: [bool; VARIABLES],
}

impl StreamState {
    fn new() -> StreamState {
        StreamState {
            slots: vec![EMPTY_SLOT; SLOTS].into_boxed_slice(),
            codes: Codes::new(),
            rows: Vec::new(),
            new_rows: Vec::new(),
            last: NodeWords::default(),
            previous: PreviousNode {
                node: EMPTY_SLOT.node,
                direction: 0,
                step: NodeWords::default(),
            },
            gaps: [0; 2],
            followed: [0; CONTEXTS],
            seen: 0,
            errors: [0; NEIGHBORS.len()],
            order: std::array::from_fn(|direction| direction),
            plane_errors: [[0; 2]; VARIABLES],
            by_plane: [false; VARIABLES],
        }
    }
}

/// Returns the slot in which a node is remembered.
#[inline]
fn slot(node: Node) -> usize {
    let mixed =
        (node.i as u32).wrapping_mul(0x9e37_79b1) ^ (node.j as u32).wrapping_mul(0x85eb_ca77);
    (mixed >> (u32::BITS - SLOTS.trailing_zeros())) as usize % SLOTS
}

#[inline]
fn neighbor(node: Node, direction: usize) -> Node {
    let [di, dj] = NEIGHBORS[direction];
    Node { i: node.i.wrapping_add(di), j: node.j.wrapping_add(dj) }
}

#[inline]
fn is_adjacent(a: Node, b: Node) -> bool {
    let (i, j) = (a.i.wrapping_sub(b.i), a.j.wrapping_sub(b.j));
    matches!((i, j), (0, 1 | -1) | (1 | -1, 0))
}

impl StreamState {
    #[inline]
    fn stored_values(&self, node: Node) -> Option<&NodeWords> {
        let place = &self.slots[slot(node)];
        (place.node == node).then_some(&place.values)
    }

    #[inline(always)]
    fn prediction_basis(&self, node: Node) -> PredictionBasis {
        for &direction in &self.order {
            if let Some(&from) = self.stored_values(neighbor(node, direction)) {
                let plane =
                    self.previous.direction == direction && is_adjacent(self.previous.node, node);
                return PredictionBasis { direction: Some(direction), from, plane };
            }
        }
        PredictionBasis { direction: None, from: self.last, plane: false }
    }

    /// Returns the predicted value of a variable.
    ///
    /// It is the neighbor's value or that of the plane. Yield pressure is scaled with the sinkage.
    #[inline(always)]
    fn expected(&self, basis: &PredictionBasis, variable: usize, sinkage: u32) -> u32 {
        let from = basis.from[variable];
        if variable == PRESSURE {
            // first order of p ~ z^n about the neighbor, with n near 1
            let (was, now) = (f64::from(basis.from[SINKAGE]), f64::from(sinkage));
            let pressure = f64::from(from as u16);
            return if was > 0.0 { (pressure * (now.min(2.0 * was) / was)) as u32 } else { from };
        }
        if basis.plane && self.by_plane[variable] {
            from.wrapping_add(self.previous.step[variable])
        } else {
            from
        }
    }

    #[inline(always)]
    fn update(&mut self, node: Node, values: &NodeWords, basis: &PredictionBasis) {
        let PredictionBasis { direction, from, plane } = basis;
        self.seen = self.seen.wrapping_add(1);
        if self.seen.is_multiple_of(COMPARISON_INTERVAL) {
            self.compare(node, values, from, *plane);
        }
        self.slots[slot(node)] = StoredNode { node, values: *values };
        self.last = *values;
        self.previous.node = if direction.is_some() { node } else { EMPTY_SLOT.node };
        self.previous.direction = direction.unwrap_or(0);
        for variable in 0..VARIABLES {
            self.previous.step[variable] = values[variable].wrapping_sub(from[variable]);
        }
    }

    /// Updates the errors that each neighbor and the plane would have made at a node.
    #[cold]
    fn compare(&mut self, node: Node, values: &NodeWords, from: &NodeWords, plane: bool) {
        // exponential average with a weight of 1/16
        let renew = |error: &mut u64, off: u64| *error = *error - (*error >> 4) + off;
        for direction in 0..NEIGHBORS.len() {
            if let Some(neighbor) = self.stored_values(neighbor(node, direction)) {
                let off = distance(neighbor[SINKAGE], values[SINKAGE]);
                renew(&mut self.errors[direction], off);
            }
        }
        if plane {
            for (variable, errors) in self.plane_errors.iter_mut().enumerate() {
                let expected = from[variable].wrapping_add(self.previous.step[variable]);
                renew(&mut errors[0], distance(from[variable], values[variable]));
                renew(&mut errors[1], distance(expected, values[variable]));
            }
        }
    }

    /// Returns the context of the next gap, from the two previous gaps.
    #[inline]
    fn context(&self) -> usize {
        let [last, second] = self.gaps.map(usize::from);
        (7 * last + 13 * second) % CONTEXTS
    }

    #[inline]
    fn record_gap(&mut self, context: usize, gap: u8) {
        self.followed[context] = gap;
        self.gaps = [gap, self.gaps[0]];
    }

    /// Ends a message: predictions for the next one use what this one has updated.
    fn finish_message(&mut self, next: usize) {
        self.age_rows(next, self.rows.len());
        std::mem::swap(&mut self.rows, &mut self.new_rows);
        self.codes.finish_message();
        self.order.sort_by_key(|&direction| self.errors[direction]);
        self.by_plane = self.plane_errors.map(|[neighbor, plane]| plane < neighbor);
    }

    /// Keeps rows that no patch of this message follows, one message older.
    fn age_rows(&mut self, from: usize, to: usize) {
        let skipped = self.rows[from..to].iter().filter(|row| row.age < MAX_ROW_AGE);
        self.new_rows.extend(skipped.map(|&row| CodedRow { age: row.age + 1, ..row }));
    }

    /// Encodes patches, none of them empty, and appends them to `out`.
    fn encode(&mut self, patches: &Patches, out: &mut Vec<u8>) {
        self.new_rows.clear();
        let states = patches.states();
        let first = states.first().map(values).unwrap_or_default();
        let mut different = NodeWords::default();
        for state in states {
            let values = values(state);
            for variable in 0..VARIABLES {
                different[variable] |= values[variable] ^ first[variable];
            }
        }
        let varies = different.map(|bits| bits != 0);
        let mut bits = BitWriter::new(out);
        self.codes.patches.put(&mut bits, patches.len() as u32);
        for variable in 0..VARIABLES {
            bits.put(u64::from(varies[variable]), 1);
            if !varies[variable] {
                let again = first[variable] == self.last[variable];
                bits.put(u64::from(again), 1);
                if !again {
                    self.codes.shared.put(&mut bits, first[variable]);
                }
            }
        }
        let mut before = self.rows.first().map_or(TileKey { a: 0, b: 0 }, |row| row.first.tile());
        let mut next = 0;
        for patch in patches.iter() {
            next = self.encode_begin(&patch, before, next, &mut bits);
            before = patch.key;
            let mut behind = None;
            for (index, state) in patch.iter() {
                if let Some(behind) = behind {
                    let (gap, context) = ((index - behind) as u8, self.context());
                    let as_expected = gap == self.followed[context];
                    bits.put(u64::from(as_expected), 1);
                    if !as_expected {
                        self.codes.gap.put(&mut bits, gap.into());
                    }
                    self.record_gap(context, gap);
                }
                behind = Some(index + 1);
                let node = patch.key.node(index);
                let basis = self.prediction_basis(node);
                let known = usize::from(basis.direction.is_some());
                let values = values(state);
                for variable in 0..VARIABLES {
                    if varies[variable] {
                        let expected = self.expected(&basis, variable, values[SINKAGE]);
                        let residual = values[variable].wrapping_sub(expected);
                        self.codes.variables[known][variable]
                            .put_signed(&mut bits, residual as i32);
                    }
                }
                self.update(node, &values, &basis);
            }
        }
        bits.finish();
        self.finish_message(next);
    }

    /// Writes the first node and the number of nodes of a patch.
    ///
    /// `next` is the first remembered row that a patch may still follow. Returns its new value.
    fn encode_begin(
        &mut self,
        patch: &Patch<'_>,
        before: TileKey,
        next: usize,
        bits: &mut BitWriter<'_>,
    ) -> usize {
        let Patch { key, mask, states, .. } = *patch;
        let index = mask.iter().next().unwrap_or(0);
        let (first, nodes) = (key.node(index), states.len() as u32);
        let near = |row: &CodedRow| {
            let off = |a: i32, b: i32| a.wrapping_sub(b).unsigned_abs();
            off(row.first.i, first.i) <= MAX_ROW_OFFSET
                && off(row.first.j, first.j) <= MAX_ROW_OFFSET
        };
        let followed = self.rows[next..].iter().position(near);
        bits.put(u64::from(followed.is_some()), 1);
        let codes = &mut self.codes;
        let next = if let Some(skipped) = followed {
            let row = self.rows[next + skipped];
            codes.skipped.put(bits, skipped as u32);
            codes.moved[0].put_signed(bits, first.i.wrapping_sub(row.first.i));
            codes.moved[1].put_signed(bits, first.j.wrapping_sub(row.first.j));
            codes.longer.put_signed(bits, nodes.wrapping_sub(row.nodes) as i32);
            self.age_rows(next, next + skipped);
            next + skipped + 1
        } else {
            codes.key[0].put_signed(bits, key.a.wrapping_sub(before.a));
            codes.key[1].put_signed(bits, key.b.wrapping_sub(before.b));
            bits.put(index as u64, TILE_NODES.trailing_zeros());
            codes.count.put(bits, nodes - 1);
            next
        };
        self.new_rows.push(CodedRow { first, nodes, age: 0 });
        next
    }

    /// Decodes the output of [`StreamState::encode`].
    fn decode(&mut self, bytes: &[u8], patches: &mut Patches) -> Result<(), GroundCodeError> {
        self.new_rows.clear();
        let mut bits = BitReader::new(bytes);
        let announced = self.codes.patches.get(&mut bits);
        let short = GroundCodeError::Short { bytes: bytes.len(), patches: announced };
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
        let mut before = self.rows.first().map_or(TileKey { a: 0, b: 0 }, |row| row.first.tile());
        let mut next = 0;
        for _ in 0..announced {
            let row = self.decode_begin(before, &mut next, &mut bits)?;
            if bits.overrun() {
                return Err(short);
            }
            let key = row.first.tile();
            before = key;
            let mut index = row.first.index();
            let beyond = GroundCodeError::Beyond { key, first: index, nodes: row.nodes };
            // bounds what is allocated and read; each node takes at least one bit
            if row.nodes == 0 || row.nodes > (TILE_NODES - index) as u32 {
                return Err(beyond);
            }
            patches.begin(key);
            for count in 0..row.nodes {
                if count > 0 {
                    let context = self.context();
                    let gap = match bits.get(1) {
                        0 => self.codes.gap.get(&mut bits),
                        _ => self.followed[context].into(),
                    };
                    index += 1 + gap as usize;
                    if index >= TILE_NODES {
                        return Err(beyond);
                    }
                    self.record_gap(context, gap as u8);
                }
                patches.push(index, self.decode_node(key.node(index), &shared, &mut bits));
            }
        }
        if bits.overrun() {
            return Err(short);
        }
        self.finish_message(next);
        if bits.at_end() { Ok(()) } else { Err(GroundCodeError::LeftOver) }
    }

    fn decode_begin(
        &mut self,
        before: TileKey,
        next: &mut usize,
        bits: &mut BitReader<'_>,
    ) -> Result<CodedRow, GroundCodeError> {
        let codes = &mut self.codes;
        let (first, nodes) = if bits.get(1) == 1 {
            let index = *next + codes.skipped.get(bits) as usize;
            let rows = self.rows.len();
            let row = *self.rows.get(index).ok_or(GroundCodeError::Before { index, rows })?;
            let i = row.first.i.wrapping_add(codes.moved[0].get_signed(bits));
            let j = row.first.j.wrapping_add(codes.moved[1].get_signed(bits));
            let nodes = row.nodes.wrapping_add(codes.longer.get_signed(bits) as u32);
            self.age_rows(*next, index);
            *next = index + 1;
            (Node { i, j }, nodes)
        } else {
            let key = TileKey {
                a: before.a.wrapping_add(codes.key[0].get_signed(bits)),
                b: before.b.wrapping_add(codes.key[1].get_signed(bits)),
            };
            let index = bits.get(TILE_NODES.trailing_zeros()) as usize;
            (key.node(index), codes.count.get(bits).wrapping_add(1))
        };
        let row = CodedRow { first, nodes, age: 0 };
        self.new_rows.push(row);
        Ok(row)
    }

    #[inline]
    fn decode_node(
        &mut self,
        node: Node,
        shared: &[Option<u32>; VARIABLES],
        bits: &mut BitReader<'_>,
    ) -> NodeState {
        let basis = self.prediction_basis(node);
        let known = usize::from(basis.direction.is_some());
        let mut found = NodeWords::default();
        for variable in 0..VARIABLES {
            found[variable] = match shared[variable] {
                Some(value) => value,
                None => {
                    let residual = self.codes.variables[known][variable].get_signed(bits) as u32;
                    self.expected(&basis, variable, found[SINKAGE]).wrapping_add(residual)
                }
            };
        }
        let state = state(&found);
        // the writer saw the values after truncation to the types of the fields
        let found = values(&state);
        self.update(node, &found, &basis);
        state
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

    pub(in super::super) fn any_patches() -> impl Strategy<Value = Patches> {
        let nodes = proptest::collection::vec((0..TILE_NODES, any_state()), 1..30);
        let patch = (any::<[i32; 2]>(), 4..32_u32, nodes).prop_map(|([a, b], small, nodes)| {
            let nodes: BTreeMap<usize, NodeState> = nodes.into_iter().collect();
            // within the range of 32-bit nodes
            (TileKey { a: a >> small, b: b >> small }, nodes)
        });
        proptest::collection::vec(patch, 0..8).prop_map(|all| {
            let mut patches = Patches::default();
            for (key, nodes) in all {
                patches.begin(key);
                nodes.into_iter().for_each(|(index, state)| patches.push(index, state));
            }
            patches
        })
    }

    proptest! {
        #[test]
        fn any_patches_come_back(patches in any_patches()) {
            // the second pass uses what both ends remember of the first
            let (mut writer, mut reader) = (CodecState::default(), CodecState::default());
            for _ in 0..2 {
                let mut bytes = Vec::new();
                writer.encode(&patches, &mut bytes);
                let mut read = Patches::default();
                reader.decode(&bytes, &mut read).unwrap();
                prop_assert_eq!(&read, &patches);
            }
            reader.reset();
            writer.reset();
            let (mut again, mut fresh) = (Vec::new(), Vec::new());
            writer.encode(&patches, &mut again);
            CodecState::default().encode(&patches, &mut fresh);
            prop_assert_eq!(again, fresh);
        }

        #[test]
        fn truncated_messages_are_refused(patches in any_patches(), at in any::<proptest::sample::Index>()) {
            let mut bytes = Vec::new();
            CodecState::default().encode(&patches, &mut bytes);
            bytes.truncate(at.index(bytes.len()));
            prop_assert!(CodecState::default().decode(&bytes, &mut Patches::default()).is_err());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in any::<Vec<u8>>()) {
            let _ = CodecState::default().decode(&bytes, &mut Patches::default());
        }
    }
}
