//! Patches of deformed ground as few bytes, without loss.
//!
//! The published state is integers already, so what travels is what the sender
//! keeps. A wheel leaves its rut row by row, heartbeat by heartbeat: a patch begins
//! near where one of the messages before began, and each of its nodes is predicted
//! from neighbours that the same agent left just before, in this message or an
//! earlier one. What is missing is written by a Rice code (`bits.rs`). Both ends of
//! a stream keep a [`Memory`] of it, and learn from it alike which neighbour
//! predicts best, whatever way the wheel goes. A variable that all nodes of a
//! message share (berms where there are none, the number of passes) is written once.
//!
//! Layout, lowest bit first: number of patches; for each of the six variables a bit
//! that is set where it varies, else a bit that is set where the value that all
//! share is that of the last node of the message before, else that value; then
//! for each patch a bit that is set where it begins near a row of before, then which
//! and where against its begin, and its number of nodes against that row's; else its
//! tile against the tile before, its first node and its number of nodes less one;
//! then for each node but the first whether the gap to the node before is what last
//! followed the two gaps before, else that gap; for each node the variables.

use super::bits::{BitReader, BitWriter, Rice};
use bekker_ground::{NodeState, Patch, Patches};
use bekker_math::grid::{Node, TILE_NODES, TileKey};

/// Why bytes are not patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroundCodeError {
    /// Too short for what it announces.
    #[error("{bytes} bytes cannot hold {patches} patches")]
    Short {
        /// Bytes there are.
        bytes: usize,
        /// Patches announced.
        patches: u32,
    },
    /// Nodes that a tile does not have.
    #[error("tile ({}, {}) has no room for {nodes} nodes from node {first} on", key.a, key.b)]
    Beyond {
        /// The tile.
        key: TileKey,
        /// The first that was announced.
        first: usize,
        /// How many were announced.
        nodes: u32,
    },
    /// A row of before that there was not.
    #[error("row {index} of before is called for, of which there are {rows}")]
    Before {
        /// Which.
        index: usize,
        /// How many there are.
        rows: usize,
    },
    /// Bytes that nothing asks for.
    #[error("bytes are left over")]
    LeftOver,
}

const VARIABLES: usize = 6;
const SINKAGE: usize = 0;
const PRESSURE: usize = 1;
/// Where the means begin: typical residuals of a wheel's patch.
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

/// Codes of everything in a message.
#[derive(Clone, Debug)]
struct Codes {
    patches: Rice,
    shared: Rice,
    skipped: Rice,
    /// Begin against that of a row of before.
    moved: [Rice; 2],
    /// Number of nodes against that row's.
    longer: Rice,
    key: [Rice; 2],
    count: Rice,
    gap: Rice,
    /// By whether a neighbour is known.
    variables: [[Rice; VARIABLES]; 2],
}

impl Codes {
    fn new() -> Codes {
        Codes {
            patches: Rice::about(4),
            shared: Rice::about(1),
            skipped: Rice::about(1),
            moved: [Rice::about(1); 2],
            longer: Rice::about(2),
            key: [Rice::about(2); 2],
            count: Rice::about(6),
            gap: Rice::about(8),
            variables: [STRANGE.map(Rice::about), BEGIN.map(Rice::about)],
        }
    }

    fn settle(&mut self) {
        let Codes { patches, shared, skipped, moved, longer, key, count, gap, variables } = self;
        let single = [patches, shared, skipped, longer, count, gap];
        let paired = moved.iter_mut().chain(key).chain(variables.as_flattened_mut());
        single.into_iter().chain(paired).for_each(Rice::settle);
    }
}

/// Nodes that are remembered: a few heartbeats of a vehicle at 2 cm.
const PLACES: usize = 1 << 10;
/// A node's neighbours, by their steps in i and j.
const NEIGHBOURS: [[i32; 2]; 4] = [[-1, 0], [1, 0], [0, -1], [0, 1]];
/// Every so many nodes all neighbours are compared.
const COMPARED: u32 = 4;
/// How near a row begins to one of before, nodes.
const NEAR: u32 = 3;
/// Messages for which a row is remembered that none has followed.
const AGE: u8 = 6;

#[derive(Clone, Copy, Debug)]
struct Place {
    node: Node,
    values: Values,
}

/// Where nothing is remembered: a node so far out is its own neighbour at most.
const NOWHERE: Place = Place { node: Node { i: i32::MIN, j: i32::MIN }, values: [0; VARIABLES] };

/// The begin of a patch of before.
#[derive(Clone, Copy, Debug)]
struct Row {
    first: Node,
    nodes: u32,
    /// Messages since.
    age: u8,
}

/// A node and how it differed from its neighbour in a direction: the next one, if it
/// lies beside it, may differ by as much.
#[derive(Clone, Copy, Debug)]
struct Previous {
    node: Node,
    direction: usize,
    step: Values,
}

/// What is expected at a node.
#[derive(Clone, Copy, Debug)]
struct Outlook {
    /// Which of [`NEIGHBOURS`] is known.
    direction: Option<usize>,
    /// Its values.
    from: Values,
    /// Whether the node told before and its own neighbour make a plane with it.
    plane: bool,
}

/// Contexts of gaps: hashes of the two gaps before.
const CONTEXTS: usize = 64;

/// What both ends of a stream of patches remember of it. A message can be read
/// only with a memory that has seen what the writer's had seen. It takes room from the first
/// message on.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    stream: Option<Box<Stream>>,
}

impl Memory {
    /// Forgets everything: the next message can be read by one who has heard
    /// nothing before.
    pub fn forget(&mut self) {
        self.stream = None;
    }

    /// Appends `patches`, none of them empty, to `out`.
    pub fn encode(&mut self, patches: &Patches, out: &mut Vec<u8>) {
        self.stream().encode(patches, out);
    }

    /// Reads what [`Memory::encode`] wrote and appends it to `patches`.
    ///
    /// # Errors
    /// [`GroundCodeError`] for any bytes that [`Memory::encode`] does not write;
    /// `patches` may then hold some of what stood before the fault, and the memory
    /// is of no further use.
    pub fn decode(&mut self, bytes: &[u8], patches: &mut Patches) -> Result<(), GroundCodeError> {
        self.stream().decode(bytes, patches)
    }

    fn stream(&mut self) -> &mut Stream {
        self.stream.get_or_insert_with(|| Box::new(Stream::new()))
    }
}

/// A stream as far as it has been written or read.
#[derive(Clone, Debug)]
struct Stream {
    places: Box<[Place]>,
    codes: Codes,
    /// In the order of the messages before.
    rows: Vec<Row>,
    /// Those of this message, and those of before that are still remembered.
    new_rows: Vec<Row>,
    last: Values,
    previous: Previous,
    /// The last two gaps.
    gaps: [u8; 2],
    /// The gap that followed last in each context.
    followed: [u8; CONTEXTS],
    seen: u32,
    /// How badly each neighbour has predicted the sinkage lately, in sixteenths of
    /// a quantum.
    errors: [u64; NEIGHBOURS.len()],
    /// The neighbours in ascending order of their errors.
    order: [usize; NEIGHBOURS.len()],
    /// How badly neighbours and planes have predicted each variable lately.
    plane_errors: [[u64; 2]; VARIABLES],
    /// Whether planes do better.
    by_plane: [bool; VARIABLES],
}

impl Stream {
    fn new() -> Stream {
        Stream {
            places: vec![NOWHERE; PLACES].into_boxed_slice(),
            codes: Codes::new(),
            rows: Vec::new(),
            new_rows: Vec::new(),
            last: Values::default(),
            previous: Previous { node: NOWHERE.node, direction: 0, step: Values::default() },
            gaps: [0; 2],
            followed: [0; CONTEXTS],
            seen: 0,
            errors: [0; NEIGHBOURS.len()],
            order: std::array::from_fn(|direction| direction),
            plane_errors: [[0; 2]; VARIABLES],
            by_plane: [false; VARIABLES],
        }
    }
}

/// Where a node is remembered.
#[inline]
fn place(node: Node) -> usize {
    let mixed =
        (node.i as u32).wrapping_mul(0x9e37_79b1) ^ (node.j as u32).wrapping_mul(0x85eb_ca77);
    (mixed >> (u32::BITS - PLACES.trailing_zeros())) as usize % PLACES
}

#[inline]
fn neighbour(node: Node, direction: usize) -> Node {
    let [di, dj] = NEIGHBOURS[direction];
    Node { i: node.i.wrapping_add(di), j: node.j.wrapping_add(dj) }
}

#[inline]
fn beside(a: Node, b: Node) -> bool {
    let (i, j) = (a.i.wrapping_sub(b.i), a.j.wrapping_sub(b.j));
    matches!((i, j), (0, 1 | -1) | (1 | -1, 0))
}

impl Stream {
    #[inline]
    fn recall(&self, node: Node) -> Option<&Values> {
        let place = &self.places[place(node)];
        (place.node == node).then_some(&place.values)
    }

    #[inline(always)]
    fn outlook(&self, node: Node) -> Outlook {
        for &direction in &self.order {
            if let Some(&from) = self.recall(neighbour(node, direction)) {
                let plane =
                    self.previous.direction == direction && beside(self.previous.node, node);
                return Outlook { direction: Some(direction), from, plane };
            }
        }
        Outlook { direction: None, from: self.last, plane: false }
    }

    /// What a variable is expected to be: as at the neighbour or in the plane; the
    /// pressure goes along with the sinkage.
    #[inline(always)]
    fn expected(&self, outlook: &Outlook, variable: usize, sinkage: u32) -> u32 {
        let from = outlook.from[variable];
        if variable == PRESSURE {
            // first order of p ~ z^n about the neighbour, n near 1
            let (was, now) = (f64::from(outlook.from[SINKAGE]), f64::from(sinkage));
            let pressure = f64::from(from as u16);
            return if was > 0.0 { (pressure * (now.min(2.0 * was) / was)) as u32 } else { from };
        }
        if outlook.plane && self.by_plane[variable] {
            from.wrapping_add(self.previous.step[variable])
        } else {
            from
        }
    }

    #[inline(always)]
    fn learn(&mut self, node: Node, values: &Values, outlook: &Outlook) {
        let Outlook { direction, from, plane } = outlook;
        self.seen = self.seen.wrapping_add(1);
        if self.seen.is_multiple_of(COMPARED) {
            self.compare(node, values, from, *plane);
        }
        self.places[place(node)] = Place { node, values: *values };
        self.last = *values;
        self.previous.node = if direction.is_some() { node } else { NOWHERE.node };
        self.previous.direction = direction.unwrap_or(0);
        for variable in 0..VARIABLES {
            self.previous.step[variable] = values[variable].wrapping_sub(from[variable]);
        }
    }

    /// Notes how well each neighbour and the plane would have predicted a node.
    #[cold]
    fn compare(&mut self, node: Node, values: &Values, from: &Values, plane: bool) {
        // a sixteenth is renewed each time
        let renew = |error: &mut u64, off: u64| *error = *error - (*error >> 4) + off;
        for direction in 0..NEIGHBOURS.len() {
            if let Some(neighbour) = self.recall(neighbour(node, direction)) {
                let off = distance(neighbour[SINKAGE], values[SINKAGE]);
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

    /// Where the gap before a node is expected, by the two gaps before.
    #[inline]
    fn context(&self) -> usize {
        let [last, second] = self.gaps.map(usize::from);
        (7 * last + 13 * second) % CONTEXTS
    }

    #[inline]
    fn pass(&mut self, context: usize, gap: u8) {
        self.followed[context] = gap;
        self.gaps = [gap, self.gaps[0]];
    }

    /// Ends a message: what it has taught counts from the next one on.
    fn settle(&mut self, next: usize) {
        self.grow_older(next, self.rows.len());
        std::mem::swap(&mut self.rows, &mut self.new_rows);
        self.codes.settle();
        self.order.sort_by_key(|&direction| self.errors[direction]);
        self.by_plane = self.plane_errors.map(|[neighbour, plane]| plane < neighbour);
    }

    /// Rows of before that nothing has followed in this message.
    fn grow_older(&mut self, from: usize, to: usize) {
        let skipped = self.rows[from..to].iter().filter(|row| row.age < AGE);
        self.new_rows.extend(skipped.map(|&row| Row { age: row.age + 1, ..row }));
    }

    /// Appends patches, none of them empty, to `out`.
    fn encode(&mut self, patches: &Patches, out: &mut Vec<u8>) {
        self.new_rows.clear();
        let states = patches.states();
        let first = states.first().map(values).unwrap_or_default();
        let mut different = Values::default();
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
                    self.pass(context, gap);
                }
                behind = Some(index + 1);
                let node = patch.key.node(index);
                let outlook = self.outlook(node);
                let known = usize::from(outlook.direction.is_some());
                let values = values(state);
                for variable in 0..VARIABLES {
                    if varies[variable] {
                        let expected = self.expected(&outlook, variable, values[SINKAGE]);
                        let residual = values[variable].wrapping_sub(expected);
                        self.codes.variables[known][variable]
                            .put_signed(&mut bits, residual as i32);
                    }
                }
                self.learn(node, &values, &outlook);
            }
        }
        bits.finish();
        self.settle(next);
    }

    /// Writes where a patch begins and how many nodes it has; `next` is the first row
    /// of before that may still be followed, as is what is returned.
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
        let near = |row: &Row| {
            let off = |a: i32, b: i32| a.wrapping_sub(b).unsigned_abs();
            off(row.first.i, first.i) <= NEAR && off(row.first.j, first.j) <= NEAR
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
            self.grow_older(next, next + skipped);
            next + skipped + 1
        } else {
            codes.key[0].put_signed(bits, key.a.wrapping_sub(before.a));
            codes.key[1].put_signed(bits, key.b.wrapping_sub(before.b));
            bits.put(index as u64, TILE_NODES.trailing_zeros());
            codes.count.put(bits, nodes - 1);
            next
        };
        self.new_rows.push(Row { first, nodes, age: 0 });
        next
    }

    /// Reads what [`Stream::encode`] wrote.
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
            // bounds what is reserved and read; a node is never less than nothing
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
                    self.pass(context, gap as u8);
                }
                patches.push(index, self.decode_node(key.node(index), &shared, &mut bits));
            }
        }
        if bits.overrun() {
            return Err(short);
        }
        self.settle(next);
        if bits.at_end() { Ok(()) } else { Err(GroundCodeError::LeftOver) }
    }

    fn decode_begin(
        &mut self,
        before: TileKey,
        next: &mut usize,
        bits: &mut BitReader<'_>,
    ) -> Result<Row, GroundCodeError> {
        let codes = &mut self.codes;
        let (first, nodes) = if bits.get(1) == 1 {
            let index = *next + codes.skipped.get(bits) as usize;
            let rows = self.rows.len();
            let row = *self.rows.get(index).ok_or(GroundCodeError::Before { index, rows })?;
            let i = row.first.i.wrapping_add(codes.moved[0].get_signed(bits));
            let j = row.first.j.wrapping_add(codes.moved[1].get_signed(bits));
            let nodes = row.nodes.wrapping_add(codes.longer.get_signed(bits) as u32);
            self.grow_older(*next, index);
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
        let row = Row { first, nodes, age: 0 };
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
        let outlook = self.outlook(node);
        let known = usize::from(outlook.direction.is_some());
        let mut found = Values::default();
        for variable in 0..VARIABLES {
            found[variable] = match shared[variable] {
                Some(value) => value,
                None => {
                    let residual = self.codes.variables[known][variable].get_signed(bits) as u32;
                    self.expected(&outlook, variable, found[SINKAGE]).wrapping_add(residual)
                }
            };
        }
        let state = state(&found);
        // as the writer knew it
        let found = values(&state);
        self.learn(node, &found, &outlook);
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
            // within what nodes of 32 bits reach
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
            // the second time from what both ends remember of the first
            let (mut writer, mut reader) = (Memory::default(), Memory::default());
            for _ in 0..2 {
                let mut bytes = Vec::new();
                writer.encode(&patches, &mut bytes);
                let mut read = Patches::default();
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
            prop_assert!(Memory::default().decode(&bytes, &mut Patches::default()).is_err());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in any::<Vec<u8>>()) {
            let _ = Memory::default().decode(&bytes, &mut Patches::default());
        }
    }
}
