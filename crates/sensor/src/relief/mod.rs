//! Ground as rays see it: a square window of it under a pyramid of lids.
//!
//! A lid is a plane that bounds the ground of a block from above.
//!
//! A cell of the window is a tile of the lattice. Smooth or distant ground is represented by the
//! cell's four corners. For rough or deformed ground, the cell holds all of its nodes under a
//! separate pyramid. The base terrain is therefore not stored at the soil's resolution where
//! that is invisible, and a rut costs only the tiles it touches. Only tiles that have changed are
//! updated.
//!
//! The content of a window depends only on the position of its center. Neither history nor the
//! partition of agents among ranks thus affects a sensor's readings.

mod flat;
mod pyramid;
mod shared_tiles;
mod tile;

pub use flat::{FlatTile, WindowPosition, WordLayout};
pub use tile::GroundMark;

use super::packet::{F32Lanes, NO_HIT, Packet, PacketTraversal, RAYS, Simd, dispatch, level};
use super::ray::Ray;
use bekker_ground::{GroundModel, SharedGround};
use bekker_math::grid::{TILE, TileKey};
use bekker_math::spatial::Vec3;
use fearless_simd::prelude::*;
use pyramid::{
    CellGrid, GridRays, PatchHits, UpperBound, bound_at, bound_count, build_bounds, update_bounds,
};
use rayon::prelude::*;
use shared_tiles::SharedTiles;
use std::sync::Arc;
use tile::TileRelief;

/// Cells along a side of a window, as a power of two.
const LEVELS: u32 = 8;
/// Cells along a side of a window.
const SIDE: usize = 1 << LEVELS;
/// Cells from the center of a window within which rough ground keeps its nodes.
const CLOSE: i64 = 64;
/// Distance from the center beyond which no cell keeps its nodes, m.
///
/// With the tiles of a coarse lattice, [`CLOSE`] cells would extend farther than roughness is
/// visible.
const CLOSEST: f64 = 128.0;
/// Step of a window's movement, cells.
const STRIDE: i64 = 16;
/// Pyramid level whose lids bound the highest point.
const SURVEY: u32 = 3;
/// Error of the four corners below which a tile stays coarse, m.
const TOLERANCE: f64 = 1e-3;

/// Ground around a place.
///
/// It holds all nodes nearby, corners of tiles farther away, and one cell per 16 x 16 tiles up to
/// the horizon.
#[derive(Clone, Debug)]
pub struct HeightPyramid {
    near: Window,
    far: Window,
    /// Tile cache shared by clones.
    held: SharedTiles,
    /// Merges of the published ground that are included.
    merges: u64,
}

/// Hit of a ray on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundHit {
    /// Distance along the ray, m.
    pub range: f64,
    /// Slopes (∂z/∂x, ∂z/∂y) of the ground there.
    pub slope: [f64; 2],
}

impl GroundHit {
    /// Returns the unit normal.
    #[inline]
    pub fn normal(&self) -> Vec3 {
        Vec3::new(-self.slope[0], -self.slope[1], 1.0).normalize()
    }
}

/// Square of cells; clones share the tiles that neither has updated.
#[derive(Clone, Debug)]
struct Window {
    /// Key of the first cell.
    corner: [i64; 2],
    /// Lattice nodes along a cell.
    stride: i64,
    /// Cells from the center within which rough ground keeps its nodes.
    close: i64,
    spacing: f64,
    /// Datum of all heights, m.
    datum: f64,
    corners: Vec<f32>,
    upper_bounds: Vec<UpperBound>,
    /// Upper bound of all heights, m.
    top: f64,
    /// Bound of the height error of single precision, m.
    margin: f32,
    /// Tile of each cell in `fine`: 0 for none, else index + 1.
    fine_of: Vec<u32>,
    fine: Vec<Arc<TileRelief>>,
}

impl HeightPyramid {
    /// Creates the relief around (x, y), m, with the published deformation.
    pub fn new(model: &GroundModel, published: &SharedGround, at: [f64; 2]) -> HeightPyramid {
        HeightPyramid::build(model, published, at, CLOSE)
    }

    /// Creates the relief for images of few pixels.
    ///
    /// Undisturbed ground is represented by corners of tiles however near and rough it is, deformed
    /// ground by all of its nodes.
    pub fn coarse(model: &GroundModel, published: &SharedGround, at: [f64; 2]) -> HeightPyramid {
        HeightPyramid::build(model, published, at, 0)
    }

    fn build(
        model: &GroundModel,
        published: &SharedGround,
        at: [f64; 2],
        close: i64,
    ) -> HeightPyramid {
        let spacing = model.lattice().spacing;
        let close = close.min((CLOSEST / (TILE as f64 * spacing)) as i64);
        let held = SharedTiles::default();
        let window = |stride: usize| {
            let corner = Window::corner(at, stride as i64, spacing);
            Window::new(model, published, corner, stride as i64, close, None, &held)
        };
        let (near, far) = (window(TILE), window(TILE * TILE));
        HeightPyramid { near, far, held, merges: published.merges() }
    }

    /// Returns the greatest distance along either axis at which deformed ground is visible, m.
    ///
    /// It is half the near window, plus the window's largest offset, plus the next tile's first
    /// nodes.
    pub fn view_distance(spacing: f64) -> f64 {
        (SIDE as i64 / 2 + STRIDE / 2 + 1) as f64 * TILE as f64 * spacing
    }

    /// Returns the distance of a place from the center of the near window, m, along the axis where
    /// it is greater.
    pub fn distance(&self, at: [f64; 2]) -> f64 {
        let middle = |axis: usize| (self.near.corner[axis] + SIDE as i64 / 2) as f64;
        let off = |axis: usize| (at[axis] - middle(axis) * self.near.cell()).abs();
        off(0).max(off(1))
    }

    /// Moves the windows to (x, y), m, and updates the tiles published since the last call.
    ///
    /// The result equals that of [`HeightPyramid::new`] or [`HeightPyramid::coarse`] at the same place.
    pub fn update(&mut self, model: &GroundModel, published: &SharedGround, at: [f64; 2]) {
        let dirty: Vec<TileKey> = published.changed_since(self.merges).collect();
        self.merges = published.merges();
        self.near.update(model, published, &dirty);
        for window in [&mut self.near, &mut self.far] {
            let corner = Window::corner(at, window.stride, window.spacing);
            if corner != window.corner {
                let (stride, close, held) = (window.stride, window.close, &self.held);
                *window = Window::new(model, published, corner, stride, close, Some(window), held);
            }
        }
    }

    /// Returns the first hit of a ray on the ground between two ranges, m.
    pub fn cast(&self, ray: &Ray, near: f64, far: f64) -> Option<GroundHit> {
        self.cast_all(std::slice::from_ref(ray), near, far)[0]
    }

    /// Returns the first hit of each of up to [`RAYS`] rays on the ground between two ranges, m.
    pub fn cast_all(&self, rays: &[Ray], near: f64, far: f64) -> [Option<GroundHit>; RAYS] {
        let packet = Packet::from_rays(rays);
        let mut ground_hits = [None; RAYS];
        dispatch!(level(), simd => {
            let near = F32Lanes::splat(simd, near as f32);
            let mut search = PacketTraversal::new(simd, false, packet.count, far);
            self.intersect(&packet, near, &mut search, &mut ground_hits);
        });
        ground_hits
    }

    /// Continues a search for the first hit or for any hit; for first hits it sets `ground_hits`.
    #[inline(always)]
    pub(super) fn intersect<S: Simd>(
        &self,
        packet: &Packet,
        near: F32Lanes<S>,
        search: &mut PacketTraversal<S>,
        ground_hits: &mut [Option<GroundHit>; RAYS],
    ) {
        let simd = near.simd;
        let mut near = near;
        for window in [&self.near, &self.far] {
            let leave = window.intersect(packet, near, search);
            if !search.any {
                window.refine_hits(packet, search, ground_hits);
            }
            // rays without a hit continue where they leave the window
            let met = search.thing.simd_lt(NO_HIT);
            near = met.select(F32Lanes::splat(simd, f32::INFINITY), near.max(leave));
            if near.simd_gt(search.far).all_true() {
                return;
            }
        }
    }

    /// Returns the traces of vehicles at (x, y).
    pub fn mark(&self, x: f64, y: f64) -> GroundMark {
        let over = |at: f64, axis: usize| at / self.near.cell() - self.near.corner[axis] as f64;
        let (x, y) = (over(x, 0), over(y, 1));
        let side = SIDE as f64;
        if !(x >= 0.0 && y >= 0.0 && x < side && y < side) {
            return GroundMark::default();
        }
        let (i, j) = (x as usize, y as usize);
        let tile = TILE as f64;
        match self.near.fine_of[j * SIDE + i] {
            0 => GroundMark::default(),
            held => self.near.fine[held as usize - 1]
                .mark([(x - i as f64) * tile, (y - j as f64) * tile]),
        }
    }

    /// Returns the memory use, bytes.
    pub fn bytes(&self) -> usize {
        [&self.near, &self.far].map(Window::bytes).iter().sum()
    }
}

impl Window {
    /// Returns the key of the first cell of the window around a place.
    fn corner(at: [f64; 2], stride: i64, spacing: f64) -> [i64; 2] {
        let step = STRIDE as f64 * stride as f64 * spacing;
        at.map(|at| (at / step + 0.5).floor() as i64 * STRIDE - SIDE as i64 / 2)
    }

    fn new(
        model: &GroundModel,
        published: &SharedGround,
        corner: [i64; 2],
        stride: i64,
        close: i64,
        old: Option<&Window>,
        held: &SharedTiles,
    ) -> Window {
        let spacing = model.lattice().spacing;
        let terrain = model.terrain();
        let datum = terrain.height(0.0, 0.0);
        let cell = stride as f64 * spacing;
        let height = move |x: i64, y: i64| {
            let place = |axis: usize, at: i64| (corner[axis] + at) as f64 * cell;
            (terrain.height(place(0, x), place(1, y)) - datum) as f32
        };
        let row = SIDE + 1;
        let corners = (0..row * row).into_par_iter().map(|index| {
            let at = [index % row, index / row].map(|at| at as i64);
            let known = old.and_then(|old| old.known(corner, at, row));
            known.map_or_else(|| height(at[0], at[1]), |(old, index)| old.corners[index])
        });
        let mut window = Window {
            corner,
            stride,
            close,
            spacing,
            datum,
            corners: corners.collect(),
            upper_bounds: vec![UpperBound::default(); bound_count(LEVELS)],
            top: 0.0,
            margin: 0.0,
            fine_of: vec![0; SIDE * SIDE],
            fine: Vec::new(),
        };
        if stride == TILE as i64 {
            window.refine(model, published, old, held);
        }
        let mut upper_bounds = std::mem::take(&mut window.upper_bounds);
        build_bounds::<LEVELS>(&mut upper_bounds, |x, y| window.upper_bound(x, y));
        window.upper_bounds = upper_bounds;
        window.top = window.highest();
        // several rounding errors of the greatest heights in a ray's clearance
        let greatest = window.corners.iter().fold(0.0_f32, |most, height| most.max(height.abs()));
        window.margin = 5e-7 * greatest + 2.5e-4 * cell as f32;
        window
    }

    /// Returns the index in this window of the cell (or corner) `at` of the window at `corner`.
    fn known(&self, corner: [i64; 2], at: [i64; 2], row: usize) -> Option<(&Window, usize)> {
        let [x, y] = [0, 1].map(|axis| corner[axis] + at[axis] - self.corner[axis]);
        let inside = (0..row as i64).contains(&x) && (0..row as i64).contains(&y);
        inside.then(|| (self, y as usize * row + x as usize))
    }

    /// Returns the length of a cell, m.
    fn cell(&self) -> f64 {
        self.stride as f64 * self.spacing
    }

    /// Returns the heights of a cell's corners: (0,0), (1,0), (0,1), (1,1).
    #[inline(always)]
    fn patch(&self, x: usize, y: usize) -> [f32; 4] {
        let row = SIDE + 1;
        let at = y * row + x;
        let c = &self.corners;
        [c[at], c[at + 1], c[at + row], c[at + row + 1]]
    }

    /// Returns the lid of a cell.
    fn upper_bound(&self, x: usize, y: usize) -> UpperBound {
        match self.fine_of[y * SIDE + x] {
            0 => UpperBound::of_patch(self.patch(x, y), [x, y]),
            held => self.fine[held as usize - 1].upper_bound([x, y]),
        }
    }

    /// Returns an upper bound of all heights from the lids of the level [`SURVEY`], m.
    fn highest(&self) -> f64 {
        let side = SIDE >> SURVEY;
        let blocks = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
        let top = |(x, y): (usize, usize)| {
            let lid = bound_at::<LEVELS>(&self.upper_bounds, SURVEY, x, y);
            let corner = |k: usize| {
                let [x, y] = [x + k % 2, y + k / 2].map(|at| (at << SURVEY) as f64);
                -lid.clearance([x, y, 0.0])
            };
            (0..4).map(corner).fold(f64::NEG_INFINITY, f64::max)
        };
        blocks.map(top).fold(f64::NEG_INFINITY, f64::max)
    }

    fn key(&self, index: usize) -> TileKey {
        TileKey {
            a: (self.corner[0] + (index % SIDE) as i64) as i32,
            b: (self.corner[1] + (index / SIDE) as i64) as i32,
        }
    }

    /// Stores the nodes of deformed cells, and of cells near the center whose corners do not
    /// represent their shape.
    fn refine(
        &mut self,
        model: &GroundModel,
        published: &SharedGround,
        old: Option<&Window>,
        held: &SharedTiles,
    ) {
        let deformed = self.cells_of(published.tiles().map(|(key, _)| key));
        let before = |index: usize| {
            let at = [index % SIDE, index / SIDE].map(|at| at as i64);
            old.and_then(|old| old.known(self.corner, at, SIDE))
        };
        let wanted: Vec<usize> = (0..SIDE * SIDE)
            .into_par_iter()
            .filter(|&index| {
                if deformed.binary_search(&index).is_ok() {
                    return true;
                }
                if !self.is_close(index) {
                    return false;
                }
                // the old window holds every rough cell in its range: deformed ground never becomes
                // smooth again
                match before(index).filter(|(old, index)| old.is_close(*index)) {
                    Some((old, index)) => old.fine_of[index] > 0,
                    None => self.is_rough(model, [index % SIDE, index / SIDE]),
                }
            })
            .collect();
        let own = |index: usize| {
            let (old, index) = before(index)?;
            let held = old.fine_of[index].checked_sub(1)?;
            Some(old.fine[held as usize].clone())
        };
        let others = held.find(wanted.iter().map(|&index| self.key(index)));
        let fine = wanted.par_iter().zip(others).map(|(&index, other)| {
            let other = other.filter(|_| deformed.binary_search(&index).is_err());
            let new = || TileRelief::new(model, published, self.datum, self.key(index), None);
            own(index).or(other).unwrap_or_else(|| Arc::new(new()))
        });
        self.fine = fine.collect();
        held.insert(wanted.iter().map(|&index| self.key(index)).zip(&self.fine));
        for (held, &index) in wanted.iter().enumerate() {
            self.fine_of[index] = held as u32 + 1;
        }
    }

    /// Returns whether a cell is near enough to the center to keep its nodes where it is rough.
    fn is_close(&self, index: usize) -> bool {
        let middle = SIDE as i64 / 2;
        let close = |at: usize| (-self.close..self.close).contains(&(at as i64 - middle));
        close(index % SIDE) && close(index / SIDE)
    }

    /// Returns whether the bilinear patch of a cell's corners misses the undisturbed ground.
    fn is_rough(&self, model: &GroundModel, [x, y]: [usize; 2]) -> bool {
        let cell = self.cell();
        let height = |u: f64, v: f64| {
            let at = |axis: usize, whole: usize, part: f64| {
                (self.corner[axis] as f64 + whole as f64 + part) * cell
            };
            model.terrain().height(at(0, x, u), at(1, y, v)) - self.datum
        };
        let [h00, h10, h01, h11] = self.patch(x, y).map(f64::from);
        let misses = |u: f64, v: f64, flat: f64| (height(u, v) - flat).abs() > TOLERANCE;
        misses(0.5, 0.5, 0.25 * (h00 + h10 + h01 + h11))
            || misses(0.0, 0.5, 0.5 * (h00 + h01))
            || misses(0.5, 0.0, 0.5 * (h00 + h10))
    }

    /// Returns the cells that include a node of these tiles, in ascending order.
    ///
    /// A tile's first nodes are the last of its western and southern neighbors.
    fn cells_of(&self, tiles: impl Iterator<Item = TileKey>) -> Vec<usize> {
        let side = SIDE as i64;
        let mut cells = Vec::new();
        for key in tiles {
            let [x, y] = [i64::from(key.a) - self.corner[0], i64::from(key.b) - self.corner[1]];
            for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| (x - dx, y - dy)) {
                if (0..side).contains(&x) && (0..side).contains(&y) {
                    cells.push((y * side + x) as usize);
                }
            }
        }
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// Updates the cells of changed tiles.
    fn update(&mut self, model: &GroundModel, published: &SharedGround, dirty: &[TileKey]) {
        let cells = self.cells_of(dirty.iter().copied());
        let tile = |&index: &usize| {
            let held = self.fine_of[index] as usize;
            let old = held.checked_sub(1).map(|held| &*self.fine[held]);
            Arc::new(TileRelief::new(model, published, self.datum, self.key(index), old))
        };
        let revision: Vec<Arc<TileRelief>> = cells.par_iter().map(tile).collect();
        let mut upper_bounds = std::mem::take(&mut self.upper_bounds);
        for (&index, tile) in cells.iter().zip(revision) {
            match self.fine_of[index] {
                0 => {
                    self.fine.push(tile);
                    self.fine_of[index] = self.fine.len() as u32;
                }
                held => self.fine[held as usize - 1] = tile,
            }
            update_bounds::<LEVELS>(&mut upper_bounds, [index % SIDE, index / SIDE], |x, y| {
                self.upper_bound(x, y)
            });
        }
        self.upper_bounds = upper_bounds;
        self.top = self.highest();
    }

    /// Traverses the window with rays; returns the ranges at which they leave it.
    #[inline(always)]
    fn intersect<S: Simd>(
        &self,
        packet: &Packet,
        near: F32Lanes<S>,
        search: &mut PacketTraversal<S>,
    ) -> F32Lanes<S> {
        let simd = near.simd;
        let per_cell = 1.0 / self.cell();
        let Packet { mut origin, direction: mut slope, .. } = *packet;
        for lane in 0..RAYS {
            for axis in 0..2 {
                origin[axis][lane] = origin[axis][lane] * per_cell - self.corner[axis] as f64;
                slope[axis][lane] *= per_cell;
            }
            origin[2][lane] -= self.datum;
        }
        let lines = GridRays::new(simd, &origin, &slope, self.margin);
        let near = lines.down_to(self.top as f32, near);
        if near.simd_le(search.far).any_true() {
            lines.walk(self, 0, near, search);
        }
        lines.exit_ranges(SIDE)
    }

    /// Refines the hits of rays on the window in double precision.
    #[inline(always)]
    fn refine_hits<S: Simd>(
        &self,
        packet: &Packet,
        search: &PacketTraversal<S>,
        ground_hits: &mut [Option<GroundHit>; RAYS],
    ) {
        let per_cell = 1.0 / self.cell();
        let mut patch_hits = PatchHits::NONE;
        let (mut lengths, mut met) = ([1.0; RAYS], [false; RAYS]);
        for lane in 0..packet.count {
            let thing = search.thing.as_array()[lane];
            if thing == NO_HIT || ground_hits[lane].is_some() {
                continue;
            }
            met[lane] = true;
            let (index, inside) = (thing as usize, search.part.as_array()[lane] as usize);
            let (x, y) = (index % SIDE, index / SIDE);
            let (corners, [i, j], scale) = match self.fine_of[index] {
                0 => (self.patch(x, y), [0; 2], 1.0),
                held => {
                    let at = [inside % TILE, inside / TILE];
                    (self.fine[held as usize - 1].patch(at), at, TILE as f64)
                }
            };
            for (all, corner) in patch_hits.corners.iter_mut().zip(corners) {
                all[lane] = f64::from(corner);
            }
            let shift = [
                (self.corner[0] + x as i64) as f64 * scale + i as f64,
                (self.corner[1] + y as i64) as f64 * scale + j as f64,
            ];
            let per_cell = per_cell * scale;
            for (axis, shift) in shift.into_iter().enumerate() {
                patch_hits.origin[axis][lane] = packet.origin[axis][lane] * per_cell - shift;
                patch_hits.slope[axis][lane] = packet.direction[axis][lane] * per_cell;
            }
            patch_hits.origin[2][lane] = packet.origin[2][lane] - self.datum;
            patch_hits.slope[2][lane] = packet.direction[2][lane];
            patch_hits.range[lane] = f64::from(search.far.as_array()[lane]);
            lengths[lane] = per_cell;
        }
        let (ranges, slopes) = patch_hits.exact(f64::from(self.margin));
        for lane in 0..packet.count {
            if met[lane] {
                let slope = [slopes[0][lane] * lengths[lane], slopes[1][lane] * lengths[lane]];
                ground_hits[lane] = Some(GroundHit { range: ranges[lane], slope });
            }
        }
    }

    fn bytes(&self) -> usize {
        4 * (self.corners.len() + self.fine_of.len())
            + size_of::<UpperBound>() * self.upper_bounds.len()
            + size_of::<TileRelief>() * self.fine.len()
    }
}

impl CellGrid for Window {
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
        _number: u32,
        search: &mut PacketTraversal<S>,
    ) {
        let [x, y] = at;
        let index = y * SIDE + x;
        let number = index as u32;
        match self.fine_of[index] {
            0 => lines.intersect_patch(self.patch(x, y), at, ranges, [number, 0], search),
            held => {
                let tile = &*self.fine[held as usize - 1];
                lines.in_cell(at, TILE as f32).walk(tile, number, ranges[0], search);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_ground::soil::{Laws, Soil, SoilId, SoilKind};
    use bekker_ground::terrain::{
        Procedural, Roughness, RoughnessClass, SoilMap, Stamp, Surface, Terrain,
    };
    use bekker_ground::{NodeState, Patches};
    use bekker_math::grid::Lattice;
    use bekker_math::numeric::{cos, sin};

    fn plane(spacing: f64) -> GroundModel {
        let soil = Soil {
            name: "plane".into(),
            source: String::new(),
            kind: SoilKind::Firm { friction: 0.8 },
        };
        let terrain = Terrain::flat(0.0, SoilId(0));
        GroundModel::new(Lattice { spacing }, terrain, vec![soil], Laws::reference()).unwrap()
    }

    fn rut(key: TileKey, node: usize) -> SharedGround {
        let mut patches = Patches::default();
        patches.begin(key);
        patches.push(node, NodeState::quantized(0.1, 0.0, [0.0; 2], 0, 1));
        let mut published = SharedGround::default();
        published.apply(&patches);
        published
    }

    #[test]
    fn a_plane_is_hit_within_a_millimeter_at_a_hundred_meters_and_a_kilometer() {
        let model = plane(0.05);
        let relief = HeightPyramid::new(&model, &SharedGround::default(), [0.0, 0.0]);
        for (azimuth, height) in [(0.0, 2.0), (0.7, 1.0), (2.5, 10.0), (-1.2, 0.5)] {
            for distance in [3.0, 100.0, 1000.0] {
                let to = Vec3::new(distance * cos(azimuth), distance * sin(azimuth), -height);
                let ray = Ray::new(Vec3::new(0.0, 0.0, height), to.normalize());
                let met = relief.cast(&ray, 0.0, 2000.0).unwrap();
                // double precision, magnified by a grazing angle of 1 : 2000
                assert!((met.range - to.norm()).abs() < 1e-8, "{} {}", met.range, to.norm());
                assert_eq!(met.normal(), Vec3::z());
            }
        }
    }

    #[test]
    fn a_rut_is_seen_as_soon_as_it_is_published() {
        let model = plane(0.05);
        let mut relief = HeightPyramid::new(&model, &SharedGround::default(), [0.0, 0.0]);
        let down = |x: f64, y: f64| Ray::new(Vec3::new(x, y, 1.0), -Vec3::z());
        // node 0 of tile (3, 2) is a corner of four tiles
        let at = 48.0 * 0.05;
        let flat = relief.cast(&down(at, 1.6), 0.0, 9.0).unwrap();
        relief.update(&model, &rut(TileKey { a: 3, b: 2 }, 0), [0.0, 0.0]);
        let met = relief.cast(&down(at, 1.6), 0.0, 9.0).unwrap();
        // half a quantum of sinkage, and single precision
        assert!((flat.range - 1.0).abs() < 1e-9 && (met.range - 1.1).abs() < 1e-5, "{met:?}");
        assert!((relief.mark(at, 1.6).sinkage - 0.1).abs() < 1e-5);
        assert_eq!(relief.mark(at, 1.6).passes, 1);
        for (dx, dy) in [(0.025, 0.0), (-0.025, 0.0), (0.0, -0.025), (0.0, 0.025)] {
            let met = relief.cast(&down(at + dx, 1.6 + dy), 0.0, 9.0).unwrap();
            assert!((met.range - 1.05).abs() < 1e-5, "{met:?}");
            assert!((relief.mark(at + dx, 1.6 + dy).sinkage - 0.05).abs() < 1e-5);
            // one node 10 cm down among neighbors at 5 cm: slope 2 along the edge of the patch,
            // half of that across it
            assert!((met.normal().z - 1.0 / 6.0_f64.sqrt()).abs() < 1e-5, "{met:?}");
        }
    }

    #[test]
    fn coarse_ground_has_its_ruts_and_is_as_high_between_corners() {
        let soil = Soil {
            name: "hills".into(),
            source: String::new(),
            kind: SoilKind::Firm { friction: 0.8 },
        };
        let hills = Procedural::new(0.0, 0.8, 40.0, 3, 7).unwrap();
        let soils = SoilMap::uniform(SoilId(0));
        let terrain = Terrain::builder(Surface::Procedural(hills), soils).build().unwrap();
        let lattice = Lattice { spacing: 0.05 };
        let model = GroundModel::new(lattice, terrain, vec![soil], Laws::reference()).unwrap();
        let published = rut(TileKey { a: 3, b: 2 }, 136);
        let [whole, coarse] = [HeightPyramid::new, HeightPyramid::coarse]
            .map(|relief| relief(&model, &published, [0.0, 0.0]));
        assert!(coarse.bytes() * 10 < whole.bytes(), "{} {}", coarse.bytes(), whole.bytes());
        let [mut most, mut deepest] = [0.0_f64; 2];
        for n in 0..400 {
            let (x, y) = (0.11 * f64::from(n % 20) + 1.7, 0.11 * f64::from(n / 20) + 0.9);
            let ray = Ray::new(Vec3::new(x, y, 5.0), -Vec3::z());
            let [a, b] = [&whole, &coarse].map(|relief| relief.cast(&ray, 0.0, 9.0).unwrap().range);
            most = most.max((a - b).abs());
            deepest = deepest.max(coarse.mark(x, y).sinkage.into());
        }
        // the chord over 0.8 m of waves 10 m long and 0.2 m high has an error of 0.8^2/8 (2
        // pi/10)^2 0.2 = 6 mm
        assert!(most < 0.01 && most > 0.0, "{most}");
        assert!(deepest > 0.04, "{deepest}");
    }

    #[test]
    fn a_moved_window_equals_a_new_one() {
        let model = plane(0.05);
        let published = rut(TileKey { a: 3, b: 2 }, 17);
        let mut moved = HeightPyramid::new(&model, &SharedGround::default(), [0.0, 0.0]);
        moved.update(&model, &published, [5.0, 0.0]);
        moved.update(&model, &published, [300.0, -40.0]);
        moved.update(&model, &published, [31.0, 12.0]);
        let fresh = HeightPyramid::new(&model, &published, [31.0, 12.0]);
        for (moved, fresh) in [(&moved.near, &fresh.near), (&moved.far, &fresh.far)] {
            assert_eq!(moved.corner, fresh.corner);
            assert_eq!(moved.corners, fresh.corners);
            assert_eq!(moved.upper_bounds, fresh.upper_bounds);
            assert_eq!(moved.top, fresh.top);
            assert_eq!(moved.fine_of, fresh.fine_of);
        }
    }

    /// Rough tiles equal newly made ones node by node, whatever path the window took and whichever
    /// relief held them before.
    ///
    /// An even tile holds no nodes.
    #[test]
    fn shared_tiles_equal_new_ones() {
        let soil = Soil {
            name: "field".into(),
            source: String::new(),
            kind: SoilKind::Firm { friction: 0.8 },
        };
        let soils = SoilMap::uniform(SoilId(0));
        let terrain = Terrain::builder(Surface::Plane { elevation: 3.0, slope: [0.0; 2] }, soils)
            .roughness(Roughness::new(RoughnessClass::D, 3))
            .stamp(Stamp::hole([9.0, 4.0], 2.5, 1.5, 2.5))
            .bounds([-60.0, -60.0, 60.0, 60.0]);
        let lattice = Lattice { spacing: 0.25 };
        let ground = |terrain: Terrain| {
            GroundModel::new(lattice, terrain, vec![soil.clone()], Laws::reference()).unwrap()
        };
        let model = ground(terrain.build().unwrap());
        let [even, rutted] = [SharedGround::default(), rut(TileKey { a: 3, b: 2 }, 17)];
        let mut first = HeightPyramid::new(&model, &even, [0.0, 0.0]);
        let mut second = first.clone();
        second.update(&model, &even, [-200.0, 70.0]);
        first.update(&model, &rutted, [70.0, 0.0]);
        second.update(&model, &rutted, [80.0, -5.0]);
        for (relief, at) in [(&first, [70.0, 0.0]), (&second, [80.0, -5.0])] {
            let (moved, fresh) = (&relief.near, &HeightPyramid::new(&model, &rutted, at).near);
            assert_eq!(moved.fine_of, fresh.fine_of);
            assert!(fresh.fine.len() > 500, "{}", fresh.fine.len());
            for (moved, fresh) in moved.fine.iter().zip(&fresh.fine) {
                assert_eq!(moved.nodes, fresh.nodes);
                assert_eq!(moved.marks, fresh.marks);
            }
        }
        let shared = |tile: &&Arc<TileRelief>| Arc::strong_count(tile) > 1;
        assert!(first.near.fine.iter().filter(shared).count() > 500);
    }
}
