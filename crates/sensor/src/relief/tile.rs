//! Tile of the ground with all of its nodes.

use super::super::packet::{F32Lanes, PacketTraversal, Simd};
use super::pyramid::{CellGrid, GridRays, UpperBound, bound_at, bound_count, build_bounds};
use bekker_ground::{GroundModel, SharedGround};
use bekker_math::grid::{Node, TILE, TileKey};

/// Cells along a tile as a power of two.
const LEVELS: u32 = TILE.trailing_zeros();
/// Nodes along a tile, including the first of the next tile.
pub(super) const NODES: usize = TILE + 1;
/// `NODES` and one more on both sides.
const BASE: usize = NODES + 2;

/// Traces of vehicles at a place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroundMark {
    /// Plastic sinkage, m.
    pub sinkage: f32,
    /// Shear displacement, m.
    pub slip: f32,
    /// Number of wheel passes.
    pub passes: u16,
    /// Last agent that deformed the ground: 0 for none, else one more than the agent's number.
    pub agent: u16,
}

/// Heights of a tile's nodes, m, and of the first nodes of its neighbors.
#[derive(Clone, Debug)]
pub(super) struct TileRelief {
    pub nodes: [f32; NODES * NODES],
    pub upper_bounds: [UpperBound; bound_count(LEVELS)],
    /// Merge count of the published ground at the last update.
    pub revision: u64,
    pub marks: Option<Box<[GroundMark; NODES * NODES]>>,
    /// Undisturbed heights of the nodes and of one more on all sides; set once deformed.
    base: Option<Box<[f32; BASE * BASE]>>,
}

impl TileRelief {
    /// Creates the tile in its current state, with heights relative to `datum`.
    ///
    /// The undisturbed heights that `old` holds are reused.
    pub fn new(
        model: &GroundModel,
        published: &SharedGround,
        datum: f64,
        key: TileKey,
        old: Option<&TileRelief>,
    ) -> TileRelief {
        let first = key.node(0);
        let node = |index: usize| Node {
            i: first.i + (index % NODES) as i32,
            j: first.j + (index / NODES) as i32,
        };
        let deformed = [(0, 0), (1, 0), (0, 1), (1, 1)]
            .iter()
            .any(|(a, b)| published.tile(TileKey { a: key.a + a, b: key.b + b }).is_some());
        let base = deformed.then(|| {
            old.and_then(|old| old.base.clone()).unwrap_or_else(|| {
                let around = |index: usize| Node {
                    i: first.i + (index % BASE) as i32 - 1,
                    j: first.j + (index / BASE) as i32 - 1,
                };
                Box::new(heights(model, datum, around))
            })
        });
        let inner = |index: usize| (index / NODES + 1) * BASE + index % NODES + 1;
        let mut tile = TileRelief {
            nodes: match &base {
                Some(base) => std::array::from_fn(|index| base[inner(index)]),
                None => heights(model, datum, node),
            },
            upper_bounds: [UpperBound::default(); bound_count(LEVELS)],
            revision: published.merges(),
            marks: deformed.then(|| Box::new([GroundMark::default(); NODES * NODES])),
            base,
        };
        if let (Some(marks), Some(base)) = (&mut tile.marks, &tile.base) {
            let up = 2.0 * model.lattice().spacing;
            for (index, mark) in marks.iter_mut().enumerate() {
                let node = node(index);
                let (state, agent) = published.state_and_agent(node);
                let [jx, jy] = state.shear_m();
                *mark = GroundMark {
                    sinkage: state.plastic_sinkage_m() as f32,
                    slip: bekker_math::numeric::hypot(jx, jy) as f32,
                    passes: state.passes,
                    // the value that stands for no agent wraps to 0
                    agent: agent.wrapping_add(1),
                };
                if state.plastic_sinkage != 0 || state.berm != 0 {
                    let at = inner(index);
                    let drop = |a: usize, b: usize| f64::from(base[a] - base[b]) / up;
                    let (gx, gy) = (drop(at - 1, at + 1), drop(at - BASE, at + BASE));
                    // sinkage is measured along the normal: divide by the normal's z component
                    let sunk = state.plastic_sinkage_m() * (1.0 + gx * gx + gy * gy).sqrt();
                    tile.nodes[index] = (f64::from(base[at]) + state.berm_m() - sunk) as f32;
                }
            }
        }
        let TileRelief { nodes, upper_bounds, .. } = &mut tile;
        build_bounds::<LEVELS>(upper_bounds, |x, y| {
            UpperBound::of_patch(patch(nodes, x, y), [x, y])
        });
        tile
    }

    /// Returns whether no vehicle has deformed the tile.
    pub fn is_undisturbed(&self) -> bool {
        self.marks.is_none()
    }

    /// Returns the lid of the whole tile as the lid of cell (x, y) of a square of tiles.
    pub fn upper_bound(&self, at: [usize; 2]) -> UpperBound {
        self.upper_bounds[bound_count(LEVELS) - 1].outside(TILE, at)
    }

    /// Returns the heights of the corners of a cell: (0,0), (1,0), (0,1), (1,1).
    #[inline(always)]
    pub fn patch(&self, [x, y]: [usize; 2]) -> [f32; 4] {
        patch(&self.nodes, x, y)
    }

    /// Returns the marks at a place in cells from the tile's first node.
    ///
    /// Between nodes, sinkage and slip are interpolated; passes and agent are those of the nearest
    /// node.
    pub fn mark(&self, [x, y]: [f64; 2]) -> GroundMark {
        let Some(marks) = &self.marks else { return GroundMark::default() };
        let within = |at: f64| at.clamp(0.0, TILE as f64 - 1e-9);
        let (x, y) = (within(x), within(y));
        let (i, j) = (x as usize, y as usize);
        let (u, v) = ((x - i as f64) as f32, (y - j as f64) as f32);
        let corner = |di: usize, dj: usize| &marks[(j + dj) * NODES + i + di];
        let blend = |of: fn(&GroundMark) -> f32| {
            let south = of(corner(0, 0)) * (1.0 - u) + of(corner(1, 0)) * u;
            let north = of(corner(0, 1)) * (1.0 - u) + of(corner(1, 1)) * u;
            south * (1.0 - v) + north * v
        };
        let GroundMark { passes, agent, .. } =
            *corner(usize::from(u >= 0.5), usize::from(v >= 0.5));
        GroundMark {
            sinkage: blend(|mark| mark.sinkage),
            slip: blend(|mark| mark.slip),
            passes,
            agent,
        }
    }
}

impl CellGrid for TileRelief {
    const LEVELS: u32 = LEVELS;

    #[inline(always)]
    fn upper_bound(&self, level: u32, [x, y]: [usize; 2]) -> UpperBound {
        bound_at::<LEVELS>(&self.upper_bounds, level, x, y)
    }

    #[inline(always)]
    fn intersect_cell<S: Simd>(
        &self,
        lines: &GridRays<S>,
        at: [usize; 2],
        ranges: [F32Lanes<S>; 2],
        number: u32,
        search: &mut PacketTraversal<S>,
    ) {
        let [x, y] = at;
        let inside = (y * TILE + x) as u32;
        lines.intersect_patch(patch(&self.nodes, x, y), at, ranges, [number, inside], search);
    }
}

/// Returns the undisturbed heights of some nodes above `datum`, m.
fn heights<const N: usize>(
    model: &GroundModel,
    datum: f64,
    node: impl Fn(usize) -> Node,
) -> [f32; N] {
    let nodes: [Node; N] = std::array::from_fn(node);
    let mut heights = [0.0; N];
    model.base_heights(&nodes, &mut heights);
    heights.map(|height| (height - datum) as f32)
}

/// Returns the heights of a cell's corners: (0,0), (1,0), (0,1), (1,1).
#[inline(always)]
fn patch(nodes: &[f32; NODES * NODES], x: usize, y: usize) -> [f32; 4] {
    let at = (y % TILE) * NODES + x % TILE;
    [nodes[at], nodes[at + 1], nodes[at + NODES], nodes[at + NODES + 1]]
}
