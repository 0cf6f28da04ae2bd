//! The current surface of the ground, at a point and over a grid.

use super::{GroundModel, NodeState, Overlay, SharedGround, Tile};
use bekker_math::grid::{Node, TILE_NODES, TileKey};
use std::collections::BTreeMap;

/// Returns the height of the ground at (x, y) after all published deformation, m, bilinear between
/// nodes.
///
/// Plastic sinkage is measured along the initial normal; a node's surface is at z₀ + berm - s_p /
/// n_z.
pub fn surface_height(model: &GroundModel, published: &SharedGround, x: f64, y: f64) -> f64 {
    bilinear(model, x, y, |node| node_height(model, node, &published.node(node)))
}

/// Returns the depth of ruts at (x, y) below the undisturbed ground, m, along the vertical;
/// negative where soil is heaped.
///
/// The undisturbed ground is the terrain itself, not its bilinear interpolation between nodes.
/// Where it curves within a cell, undeformed ground has a depth equal to the interpolation error.
pub fn rut_depth(model: &GroundModel, published: &SharedGround, x: f64, y: f64) -> f64 {
    model.terrain().height(x, y) - surface_height(model, published, x, y)
}

/// Returns the permanent sinkage at the node nearest to (x, y), m, along the normal of the
/// undisturbed ground: [`GroundModel::depth`]; zero on undeformed ground.
pub fn nearest_sinkage(model: &GroundModel, published: &SharedGround, x: f64, y: f64) -> f64 {
    let node = model.lattice().nearest(x, y);
    let state = published.tile(node.tile()).and_then(|tile| tile.get(node.index()));
    state.map_or(0.0, |state| model.depth(node, state))
}

/// A grid of sample points: `rows` x `columns` points, `spacing` apart along x and y, beginning at
/// `origin`. They are ordered row by row, each row along x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleGrid {
    /// First point (x, y), with the least x and y, m.
    pub origin: [f64; 2],
    /// Distance between neighbors, m.
    pub spacing: f64,
    /// Number of points along x.
    pub columns: usize,
    /// Number of points along y.
    pub rows: usize,
}

/// Error: the output slice does not match the size of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("output has {output} values; must have {rows} rows x {columns} points")]
pub struct SampleGridError {
    /// Number of points along x.
    pub columns: usize,
    /// Number of points along y.
    pub rows: usize,
    /// Length of the output slice.
    pub output: usize,
}

impl SampleGrid {
    /// Returns the position of the point in `column` and `row`, m.
    pub fn point(&self, column: usize, row: usize) -> [f64; 2] {
        let at = |axis: usize, count: usize| self.origin[axis] + count as f64 * self.spacing;
        [at(0, column), at(1, row)]
    }

    fn fill(
        &self,
        output: &mut [f64],
        mut value: impl FnMut(f64, f64) -> f64,
    ) -> Result<(), SampleGridError> {
        let SampleGrid { columns, rows, .. } = *self;
        if columns.checked_mul(rows) != Some(output.len()) {
            return Err(SampleGridError { columns, rows, output: output.len() });
        }
        for (at, place) in output.iter_mut().enumerate() {
            let [x, y] = self.point(at % columns, at / columns);
            *place = value(x, y);
        }
        Ok(())
    }
}

/// Writes [`surface_height`] at every point of a grid to `heights`, m, bit-identical and without
/// allocation.
///
/// # Errors
///
/// [`SampleGridError`] unless `heights` has one element for each point.
pub fn surface_heights(
    model: &GroundModel,
    published: &SharedGround,
    grid: &SampleGrid,
    heights: &mut [f64],
) -> Result<(), SampleGridError> {
    let mut tiles = TileLookup { published, last: None };
    grid.fill(heights, |x, y| tiles.height(model, x, y))
}

/// Writes [`rut_depth`] at every point of a grid to `depths`, m, bit-identical and without
/// allocation.
///
/// # Errors
///
/// [`SampleGridError`] unless `depths` has one element for each point.
pub fn rut_depths(
    model: &GroundModel,
    published: &SharedGround,
    grid: &SampleGrid,
    depths: &mut [f64],
) -> Result<(), SampleGridError> {
    let mut tiles = TileLookup { published, last: None };
    grid.fill(depths, |x, y| model.terrain().height(x, y) - tiles.height(model, x, y))
}

/// The published tiles with a cache of the last one, because neighboring points are mostly in the
/// same tile.
struct TileLookup<'a> {
    published: &'a SharedGround,
    last: Option<(TileKey, Option<&'a Tile>)>,
}

impl TileLookup<'_> {
    fn node(&mut self, node: Node) -> NodeState {
        let key = node.tile();
        let tile = match self.last {
            Some((last, tile)) if last == key => tile,
            _ => self.published.tile(key),
        };
        self.last = Some((key, tile));
        tile.and_then(|tile| tile.get(node.index())).copied().unwrap_or_default()
    }

    fn height(&mut self, model: &GroundModel, x: f64, y: f64) -> f64 {
        bilinear(model, x, y, |node| node_height(model, node, &self.node(node)))
    }
}

/// Returns the height of the ground at (x, y) for one agent, m: from its own overlay if the tile is
/// loaded, otherwise from the published or undisturbed ground.
pub fn working_surface_height(
    model: &GroundModel,
    published: &SharedGround,
    overlay: &Overlay,
    x: f64,
    y: f64,
) -> f64 {
    bilinear(model, x, y, |node| match overlay.tile(node.tile()) {
        Some(tile) => tile.surface(node.index()),
        None => {
            let [x, y] = model.lattice().position(node);
            surface_height(model, published, x, y)
        }
    })
}

/// Heights of the current ground at positions close to each other: undisturbed heights are computed
/// once, a tile at a time.
pub struct HeightSampler<'a> {
    model: &'a GroundModel,
    tiles: TileLookup<'a>,
    base: BTreeMap<TileKey, Box<[f64; TILE_NODES]>>,
}

impl<'a> HeightSampler<'a> {
    /// Creates a survey of the published ground.
    pub fn new(model: &'a GroundModel, published: &'a SharedGround) -> HeightSampler<'a> {
        HeightSampler { model, tiles: TileLookup { published, last: None }, base: BTreeMap::new() }
    }

    /// Returns the height at (x, y), m, bit-identical to [`surface_height`].
    pub fn height(&mut self, x: f64, y: f64) -> f64 {
        let HeightSampler { model, tiles, base } = self;
        bilinear(model, x, y, |node| {
            let key = node.tile();
            let base = base.entry(key).or_insert_with(|| {
                let nodes: [Node; TILE_NODES] = std::array::from_fn(|index| key.node(index));
                let mut heights = Box::new([0.0; TILE_NODES]);
                model.base_heights(&nodes, &mut *heights);
                heights
            });
            surface_above(model, node, base[node.index()], &tiles.node(node))
        })
    }
}

/// Returns the height of a node's surface in the given state, m.
fn node_height(model: &GroundModel, node: Node, state: &NodeState) -> f64 {
    surface_above(model, node, model.base_height(node), state)
}

/// Returns the height of a node's surface from its undisturbed height, m.
fn surface_above(model: &GroundModel, node: Node, base: f64, state: &NodeState) -> f64 {
    let height = base + state.berm_m();
    if state.plastic_sinkage == 0 {
        return height;
    }
    height - state.plastic_sinkage_m() / model.base(node).normal.z
}

fn bilinear(model: &GroundModel, x: f64, y: f64, mut height: impl FnMut(Node) -> f64) -> f64 {
    let spacing = model.lattice().spacing;
    let (column, row) = ((x / spacing).floor(), (y / spacing).floor());
    let (u, v) = (x / spacing - column, y / spacing - row);
    let node =
        |di, dj| Node { i: (column as i32).saturating_add(di), j: (row as i32).saturating_add(dj) };
    // a corner without weight is not evaluated: exactly on a node this is one lookup
    let mut weighted = |weight: f64, node| if weight == 0.0 { 0.0 } else { weight * height(node) };
    weighted((1.0 - u) * (1.0 - v), node(0, 0))
        + weighted(u * (1.0 - v), node(1, 0))
        + weighted((1.0 - u) * v, node(0, 1))
        + weighted(u * v, node(1, 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Patches;
    use crate::soil::{Laws, Soil, SoilId, SoilKind};
    use crate::terrain::{Crs, Raster, SoilMap, Surface, Terrain};
    use bekker_math::grid::Lattice;
    use proptest::prelude::*;

    fn ground() -> GroundModel {
        let kind = SoilKind::Firm { friction: 0.8 };
        let soil = Soil { name: "rock".into(), source: String::new(), kind };
        // a curved slope, so that normals are inclined and cells are not flat
        let values = (0..81).map(|at| f64::from(at % 9) * 0.1 + f64::from(at / 9).powi(2) * 0.02);
        let raster = Raster {
            columns: 9,
            rows: 9,
            south_west: [-4.0; 2],
            cell: [1.0; 2],
            values: values.collect(),
            crs: Crs::local(),
        };
        let surface = Surface::raster(raster).unwrap();
        let terrain = Terrain::builder(surface, SoilMap::uniform(SoilId(0))).build().unwrap();
        GroundModel::new(Lattice { spacing: 0.1 }, terrain, vec![soil], Laws::reference()).unwrap()
    }

    proptest! {
        #[test]
        fn a_grid_holds_the_bits_of_its_points(
            nodes in proptest::collection::btree_map(
                ((-2..2_i32, -2..2_i32), 0..TILE_NODES), (0..30_000_u32, -9_000..9_000_i32), 0..60,
            ),
            origin in [-3.0..3.0, -3.0..3.0], spacing in 0.01..0.7,
            columns in 0..9_usize, rows in 0..9_usize,
        ) {
            let (model, mut published) = (ground(), SharedGround::default());
            let mut patches = Patches::default();
            let mut last = None;
            for (((a, b), index), (plastic_sinkage, berm)) in nodes {
                let key = TileKey { a, b };
                if last.replace(key) != Some(key) {
                    patches.begin(key);
                }
                patches.push(index, NodeState { plastic_sinkage, berm, ..NodeState::default() });
            }
            published.apply(&patches);
            let grid = SampleGrid { origin, spacing, columns, rows };
            let (mut heights, mut depths) = (vec![0.0; columns * rows], vec![0.0; columns * rows]);
            surface_heights(&model, &published, &grid, &mut heights).unwrap();
            rut_depths(&model, &published, &grid, &mut depths).unwrap();
            let mut survey = HeightSampler::new(&model, &published);
            for row in 0..rows {
                for column in 0..columns {
                    let [x, y] = grid.point(column, row);
                    let (height, depth) =
                        (heights[row * columns + column], depths[row * columns + column]);
                    let at_point = surface_height(&model, &published, x, y);
                    prop_assert_eq!(height.to_bits(), at_point.to_bits());
                    prop_assert_eq!(survey.height(x, y).to_bits(), at_point.to_bits());
                    prop_assert_eq!(
                        depth.to_bits(), rut_depth(&model, &published, x, y).to_bits(),
                    );
                }
            }
        }
    }

    #[test]
    fn room_that_does_not_fit_is_refused() {
        let grid = SampleGrid { origin: [0.0; 2], spacing: 0.1, columns: 3, rows: usize::MAX };
        let error = surface_heights(&ground(), &SharedGround::default(), &grid, &mut [0.0; 4]);
        assert_eq!(error, Err(SampleGridError { columns: 3, rows: usize::MAX, output: 4 }));
    }
}
