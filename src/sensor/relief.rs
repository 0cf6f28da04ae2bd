//! The ground as rays see it: a square window of it under a [`Pyramid`].
//!
//! A cell of the window is a tile of the lattice. Where the ground is smooth its
//! four corners stand for it; where it is rough, or deformed, the cell holds all
//! of its nodes as a pyramid of its own. So the base terrain is never stored at
//! the soil's resolution where that would show nothing, and a rut costs the
//! tiles it touches. Only tiles whose revision has changed are looked at again.

use super::pyramid::{Landing, Pyramid, Walk};
use super::ray::Ray;
use crate::grid::{Node, TILE, TileKey};
use crate::ground::{GroundModel, Published};
use crate::spatial::Vec3;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Tiles along a side of a window, as a power of two.
const LEVELS: u32 = 8;
/// The same of one tile's nodes.
const TILE_LEVELS: u32 = TILE.trailing_zeros();
/// A tile stays coarse where its four corners miss the ground by less, m.
const TOLERANCE: f64 = 1e-3;

/// A square window of ground.
#[derive(Clone, Debug)]
pub struct Relief {
    /// Key of the first tile, or of the first cell where cells are wider.
    corner: [i64; 2],
    /// Lattice nodes along a cell.
    stride: i64,
    spacing: f64,
    /// Height that all others are relative to, m.
    datum: f64,
    coarse: Pyramid,
    /// Nodes of the cells that need them; 0 for none, else index + 1.
    fine_of: Vec<u32>,
    fine: Vec<Pyramid>,
    seen: BTreeMap<TileKey, u32>,
}

impl Relief {
    /// The window of cells of one tile around (x, y), with what is published.
    pub fn near(model: &GroundModel, published: &Published, [x, y]: [f64; 2]) -> Relief {
        let mut relief = Relief::window(model, [x, y], TILE as i64);
        relief.refine(model);
        relief.update(model, published);
        relief
    }

    /// The window sixteen times as wide around (x, y), in cells of 16 x 16 tiles,
    /// undisturbed: what lies beyond the near one.
    pub fn far(model: &GroundModel, [x, y]: [f64; 2]) -> Relief {
        Relief::window(model, [x, y], (TILE * TILE) as i64)
    }

    fn window(model: &GroundModel, [x, y]: [f64; 2], stride: i64) -> Relief {
        let spacing = model.lattice().spacing;
        let side = 1_i64 << LEVELS;
        let cell = stride as f64 * spacing;
        let corner = [x, y].map(|at| (at / cell).floor() as i64 - side / 2);
        let terrain = model.terrain();
        let datum = terrain.height(x, y);
        let corners = (0..(side + 1) * (side + 1))
            .into_par_iter()
            .map(|index| {
                let at = [index % (side + 1), index / (side + 1)];
                let [x, y] = [0, 1].map(|axis| (corner[axis] + at[axis]) as f64 * cell);
                (terrain.height(x, y) - datum) as f32
            })
            .collect();
        Relief {
            corner,
            stride,
            spacing,
            datum,
            coarse: Pyramid::new(LEVELS, corners),
            fine_of: vec![0; (side * side) as usize],
            fine: Vec::new(),
            seen: BTreeMap::new(),
        }
    }

    /// Length of a cell, m.
    fn cell(&self) -> f64 {
        self.stride as f64 * self.spacing
    }

    /// Whether the window reaches at least `margin`, m, beyond (x, y) on all sides.
    pub fn covers(&self, [x, y]: [f64; 2], margin: f64) -> bool {
        let width = self.coarse.side() as f64 * self.cell();
        [x, y].into_iter().zip(self.corner).all(|(at, corner)| {
            let within = at - corner as f64 * self.cell();
            within >= margin && within <= width - margin
        })
    }

    /// Gives their nodes to cells whose corners do not tell their shape.
    fn refine(&mut self, model: &GroundModel) {
        let (side, cell) = (self.coarse.side(), self.cell());
        let terrain = model.terrain();
        let datum = self.datum;
        let rough: Vec<usize> = (0..side * side)
            .into_par_iter()
            .filter(|index| {
                let (x, y) = (index % side, index / side);
                let corner = |dx, dy| f64::from(self.coarse.corner(x + dx, y + dy));
                let height = |u: f64, v: f64| {
                    let at = |axis: usize, whole: usize, part: f64| {
                        (self.corner[axis] as f64 + whole as f64 + part) * cell
                    };
                    terrain.height(at(0, x, u), at(1, y, v)) - datum
                };
                let (west, south) = (corner(0, 0) + corner(0, 1), corner(0, 0) + corner(1, 0));
                let middle = 0.25 * (west + corner(1, 0) + corner(1, 1));
                (height(0.5, 0.5) - middle).abs() > TOLERANCE
                    || (height(0.0, 0.5) - 0.5 * west).abs() > TOLERANCE
                    || (height(0.5, 0.0) - 0.5 * south).abs() > TOLERANCE
            })
            .collect();
        let undisturbed = Published::default();
        self.fill(model, &undisturbed, &rough);
    }

    /// Takes over what has been published since the last time.
    pub fn update(&mut self, model: &GroundModel, published: &Published) {
        let side = self.coarse.side() as i64;
        let mut dirty = Vec::new();
        for (key, revision) in published.revisions() {
            let at = [i64::from(key.a) - self.corner[0], i64::from(key.b) - self.corner[1]];
            if at.iter().any(|at| *at < 0 || *at > side) || self.seen.get(&key) == Some(&revision) {
                continue;
            }
            self.seen.insert(key, revision);
            // a tile's first nodes are the last of its western and southern neighbours
            for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| (at[0] - x, at[1] - y)) {
                if (0..side).contains(&x) && (0..side).contains(&y) {
                    dirty.push((y * side + x) as usize);
                }
            }
        }
        dirty.sort_unstable();
        dirty.dedup();
        self.fill(model, published, &dirty);
    }

    fn fill(&mut self, model: &GroundModel, published: &Published, cells: &[usize]) {
        let side = self.coarse.side();
        let filled: Vec<Pyramid> =
            cells.par_iter().map(|cell| self.nodes(model, published, *cell)).collect();
        for (&cell, nodes) in cells.iter().zip(filled) {
            self.coarse.raise(cell % side, cell / side, nodes.top());
            match self.fine_of[cell] {
                0 => {
                    self.fine.push(nodes);
                    self.fine_of[cell] = self.fine.len() as u32;
                }
                held => self.fine[held as usize - 1] = nodes,
            }
        }
    }

    /// All nodes of a cell of one tile.
    fn nodes(&self, model: &GroundModel, published: &Published, cell: usize) -> Pyramid {
        let side = self.coarse.side();
        let key = TileKey {
            a: (self.corner[0] + (cell % side) as i64) as i32,
            b: (self.corner[1] + (cell / side) as i64) as i32,
        };
        let first = key.node(0);
        let count = TILE + 1;
        let corners = (0..count * count)
            .map(|index| {
                let node = Node {
                    i: first.i + (index % count) as i32,
                    j: first.j + (index / count) as i32,
                };
                let state = published.node(node);
                let mut height = model.base_height(node) + state.berm_m();
                if state.plastic_sinkage != 0 {
                    height -= state.plastic_sinkage_m() / model.base(node).normal.z;
                }
                (height - self.datum) as f32
            })
            .collect();
        Pyramid::new(TILE_LEVELS, corners)
    }

    /// Where a ray first meets the ground between two ranges, m, and the unit
    /// normal there; and the range at which it leaves the window.
    pub fn cast(&self, ray: &Ray, near: f64, far: f64) -> (Option<(f64, Vec3)>, f64) {
        let cell = self.cell();
        let over = |axis: usize| ray.origin[axis] / cell - self.corner[axis] as f64;
        let walk = Walk {
            origin: [over(0), over(1), ray.origin.z - self.datum],
            slope: [ray.direction.x / cell, ray.direction.y / cell, ray.direction.z],
        };
        let Some((near, far)) = self.coarse.span(&walk, near, far) else { return (None, near) };
        // down to the highest point at once
        let top = f64::from(self.coarse.top());
        let above = walk.origin[2] + walk.slope[2] * near - top;
        let start = match (above > 0.0, walk.slope[2] < 0.0) {
            (true, false) => return (None, far),
            (true, true) => near + above / -walk.slope[2],
            _ => near,
        };
        if start > far {
            return (None, far);
        }
        let side = self.coarse.side();
        let found = self.coarse.walk(&walk, start, far, |x, y, enter, leave| {
            let (landing, length) = match self.fine_of[y * side + x] {
                0 => (self.coarse.meet(x, y, &walk, enter, leave)?, cell),
                held => {
                    let nodes = &self.fine[held as usize - 1];
                    (land_on_nodes(nodes, &walk, [x, y], enter, leave)?, self.spacing)
                }
            };
            let [gx, gy] = landing.gradient.map(|slope| slope / length);
            Some((landing.range, Vec3::new(-gx, -gy, 1.0).normalize()))
        });
        (found, far)
    }

    /// Bytes that the window holds.
    pub fn bytes(&self) -> usize {
        let of = |pyramid: &Pyramid| pyramid.bytes();
        of(&self.coarse) + self.fine.iter().map(of).sum::<usize>() + 4 * self.fine_of.len()
    }
}

fn land_on_nodes(
    nodes: &Pyramid,
    walk: &Walk,
    [x, y]: [usize; 2],
    near: f64,
    far: f64,
) -> Option<Landing> {
    let scale = nodes.side() as f64;
    let walk = Walk {
        origin: [
            (walk.origin[0] - x as f64) * scale,
            (walk.origin[1] - y as f64) * scale,
            walk.origin[2],
        ],
        slope: [walk.slope[0] * scale, walk.slope[1] * scale, walk.slope[2]],
    };
    nodes.walk(&walk, near, far, |i, j, enter, leave| nodes.meet(i, j, &walk, enter, leave))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Lattice;
    use crate::ground::{NodeState, Patch, Tile};
    use crate::soil::{Laws, Soil, SoilId, SoilKind};
    use crate::terrain::Terrain;

    pub(crate) fn plane(spacing: f64) -> GroundModel {
        let soil = Soil {
            name: "plane".into(),
            source: String::new(),
            kind: SoilKind::Firm { friction: 0.8 },
        };
        let terrain = Terrain::flat(0.0, SoilId(0));
        GroundModel::new(Lattice { spacing }, terrain, vec![soil], Laws::reference()).unwrap()
    }

    fn rut(key: TileKey, node: usize) -> Published {
        let mut mask = crate::ground::Mask::default();
        mask.insert(node);
        let state = NodeState::quantised(0.1, 0.0, [0.0; 2], 0, 1);
        let mut published = Published::default();
        published.apply(&[Patch { key, tile: Tile::new(mask, vec![state]).unwrap() }]);
        published
    }

    #[test]
    fn a_plane_is_met_within_a_millimetre_at_a_hundred_metres() {
        let model = plane(0.05);
        let relief = Relief::near(&model, &Published::default(), [0.0, 0.0]);
        for (azimuth, height) in [(0.0, 2.0), (0.7, 1.0), (2.5, 10.0), (-1.2, 0.5)] {
            let to = Vec3::new(
                100.0 * crate::numeric::cos(azimuth),
                100.0 * crate::numeric::sin(azimuth),
                -height,
            );
            let ray = Ray { origin: Vec3::new(0.0, 0.0, height), direction: to.normalize() };
            let (range, normal) = relief.cast(&ray, 0.0, 200.0).0.unwrap();
            assert!((range - to.norm()).abs() < 1e-6, "{range} {}", to.norm());
            assert_eq!(normal, Vec3::z());
        }
    }

    #[test]
    fn a_rut_is_seen_as_soon_as_it_is_published() {
        let model = plane(0.05);
        let mut relief = Relief::near(&model, &Published::default(), [0.0, 0.0]);
        let down = |x: f64, y: f64| Ray { origin: Vec3::new(x, y, 1.0), direction: -Vec3::z() };
        // node 0 of tile (3, 2) is a corner of four tiles
        let at = 48.0 * 0.05;
        let flat = relief.cast(&down(at, 1.6), 0.0, 9.0).0.unwrap();
        relief.update(&model, &rut(TileKey { a: 3, b: 2 }, 0));
        let (range, _) = relief.cast(&down(at, 1.6), 0.0, 9.0).0.unwrap();
        // half a quantum of sinkage, and single precision
        assert!((flat.0 - 1.0).abs() < 1e-9 && (range - 1.1).abs() < 1e-5, "{range}");
        for (dx, dy) in [(0.025, 0.0), (-0.025, 0.0), (0.0, -0.025), (0.0, 0.025)] {
            let (range, normal) = relief.cast(&down(at + dx, 1.6 + dy), 0.0, 9.0).0.unwrap();
            assert!((range - 1.05).abs() < 1e-5, "{range}");
            // one node 10 cm down among neighbours at 5 cm: slope 2 along the edge of
            // the patch, half of that across it
            assert!((normal.z - 1.0 / 6.0_f64.sqrt()).abs() < 1e-5, "{normal}");
        }
    }
}
