//! Triangle meshes of objects on the ground.

mod bounded;
mod gltf;
mod import;
mod obj;
mod primitive;

pub use import::{Fetch, ImportedMesh, MeshError, Up, import};

use super::bvh::{Beams, BoundingBox, Bvh, Primitives};
use super::material::Material;
use super::packet::{F32Lanes, PacketTraversal, Simd};
use fearless_simd::prelude::*;

/// Maximum number of triangles in a leaf of the tree.
const LEAF_SIZE: usize = 4;

/// Triangle mesh with its bounding volume hierarchy; immutable.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Unit normals at the corners.
    normals: Vec<[f32; 3]>,
    /// In the order of the tree's leaves.
    triangles: Vec<Triangle>,
    palette: Vec<Material>,
    tree: Bvh,
    radius: f32,
}

/// Triangle in the form that intersection uses, with its corners and material.
#[derive(Clone, Copy, Debug)]
struct Triangle {
    origin: [f32; 3],
    edges: [[f32; 3]; 2],
    corners: [u32; 3],
    material: u32,
}

/// Builder of a mesh.
#[derive(Clone, Debug, Default)]
pub struct MeshBuilder {
    corners: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    triangles: Vec<([u32; 3], u32)>,
    palette: Vec<Material>,
}

/// Hit of a ray on a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshHit {
    /// Distance along the ray, in lengths of its direction vector.
    pub range: f32,
    /// Index of the triangle.
    pub triangle: u32,
    /// Weights of the triangle's second and third corner.
    pub weights: [f32; 2],
}

impl MeshHit {
    /// Returns the hit of ray `lane` of a search.
    #[inline(always)]
    pub(super) fn from_search<S: Simd>(search: &PacketTraversal<S>, lane: usize) -> MeshHit {
        let [v, w] = &search.weights;
        MeshHit {
            range: search.far.as_array()[lane],
            triangle: search.part.as_array()[lane],
            weights: [v.as_array()[lane], w.as_array()[lane]],
        }
    }
}

/// Returns the difference of two vectors.
#[inline(always)]
pub(super) fn minus(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Returns the dot product.
#[inline(always)]
pub(super) fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns the cross product.
#[inline(always)]
pub(super) fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Returns the vector scaled to unit length, or z for a zero vector.
#[inline]
pub(super) fn unit(a: [f32; 3]) -> [f32; 3] {
    let length = dot(a, a).sqrt();
    if length > 1e-20 { a.map(|x| x / length) } else { [0.0, 0.0, 1.0] }
}

impl MeshBuilder {
    /// Creates a builder without triangles.
    pub fn new() -> MeshBuilder {
        MeshBuilder::default()
    }

    /// Returns the index of a material, which is added if it is new.
    fn material(&mut self, material: Material) -> u32 {
        let known = self.palette.iter().position(|known| *known == material);
        known.unwrap_or_else(|| {
            self.palette.push(material);
            self.palette.len() - 1
        }) as u32
    }

    /// Adds triangles over `corners` with one normal per corner.
    pub fn add(
        &mut self,
        corners: &[[f32; 3]],
        normals: &[[f32; 3]],
        triangles: &[[u32; 3]],
        material: Material,
    ) {
        let material = self.material(material);
        let first = self.corners.len() as u32;
        let valid = |t: &&[u32; 3]| t.iter().all(|&c| (c as usize) < corners.len());
        self.corners.extend(corners);
        self.normals
            .extend((0..corners.len()).map(|k| normals.get(k).map_or([0.0; 3], |n| unit(*n))));
        let moved = triangles.iter().filter(valid).map(|t| (t.map(|c| c + first), material));
        self.triangles.extend(moved);
    }

    /// Rotates all triangles by `angle`, rad, about z, then shifts them.
    pub fn turned(mut self, angle: f64, shift: [f32; 3]) -> MeshBuilder {
        let (s, c) = bekker_math::numeric::sin_cos(angle);
        let (s, c) = (s as f32, c as f32);
        let turn = |[x, y, z]: [f32; 3]| [c * x - s * y, s * x + c * y, z];
        for corner in &mut self.corners {
            let [x, y, z] = turn(*corner);
            *corner = [x + shift[0], y + shift[1], z + shift[2]];
        }
        self.normals.iter_mut().for_each(|normal| *normal = turn(*normal));
        self
    }

    /// Builds the mesh.
    pub fn finish(self) -> Mesh {
        let MeshBuilder { corners, normals, triangles, palette } = self;
        let at = |corner: u32| corners[corner as usize];
        let bounds: Vec<BoundingBox> =
            triangles.iter().map(|(t, _)| BoundingBox::around(t.map(at)).padded(5e-5)).collect();
        let tree = Bvh::new(&bounds, LEAF_SIZE);
        let ready = tree.order().iter().map(|&index| {
            let (corners, material) = triangles[index as usize];
            let [a, b, c] = corners.map(at);
            Triangle { origin: a, edges: [minus(b, a), minus(c, a)], corners, material }
        });
        let triangles = ready.collect();
        let radius = corners.iter().map(|c| dot(*c, *c).sqrt()).fold(0.0, f32::max);
        Mesh { normals, triangles, palette, tree, radius }
    }
}

impl Mesh {
    /// Returns the box around the mesh.
    pub fn bounds(&self) -> BoundingBox {
        self.tree.bounds()
    }

    /// Returns the distance of the farthest corner from the origin, m.
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// Returns the tree over the triangles.
    pub fn tree(&self) -> &Bvh {
        &self.tree
    }

    /// Returns the triangles in the order of the tree's leaves.
    ///
    /// Each has one corner and the edges from it to the others, the indices of its corners, and the
    /// index of its material in the palette.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = ([[f32; 3]; 3], [u32; 3], u32)> {
        let face = |t: &Triangle| ([t.origin, t.edges[0], t.edges[1]], t.corners, t.material);
        self.triangles.iter().map(face)
    }

    /// Returns the unit normals at the corners; zero for a corner without one.
    pub fn corner_normals(&self) -> &[[f32; 3]] {
        &self.normals
    }

    /// Returns the materials.
    pub fn palette(&self) -> &[Material] {
        &self.palette
    }

    /// Returns the number of triangles.
    pub fn triangles(&self) -> usize {
        self.triangles.len()
    }

    /// Intersects rays in the mesh frame with the mesh, which is primitive `number` of the search.
    #[inline(always)]
    pub(super) fn intersect<S: Simd>(
        &self,
        beams: &Beams<S>,
        number: u32,
        near: F32Lanes<S>,
        search: &mut PacketTraversal<S>,
    ) {
        let mut facets = Facets { triangles: &self.triangles, beams, number };
        self.tree.walk(beams, near, search, &mut facets);
    }

    /// Returns the first hit of a single ray between two ranges.
    #[cfg(test)]
    pub fn cast(
        &self,
        origin: [f32; 3],
        direction: [f32; 3],
        near: f32,
        far: f32,
    ) -> Option<MeshHit> {
        use super::packet::{Level, NO_HIT, dispatch};
        dispatch!(Level::new(), simd => {
            let all = |numbers: [f32; 3]| numbers.map(|number| F32Lanes::splat(simd, number));
            let beams = Beams { origin: all(origin), direction: all(direction) };
            let mut search = PacketTraversal::new(simd, false, 1, f64::from(far));
            self.intersect(&beams, 0, F32Lanes::splat(simd, near), &mut search);
            (search.thing.as_array()[0] != NO_HIT).then(|| MeshHit::from_search(&search, 0))
        })
    }

    /// Returns the unit normals at a hit: of the triangle, and interpolated.
    pub fn normals(&self, touch: &MeshHit) -> [[f32; 3]; 2] {
        let triangle = &self.triangles[touch.triangle as usize];
        let [a, b, c] = triangle.corners.map(|corner| self.normals[corner as usize]);
        let [v, w] = touch.weights;
        let u = 1.0 - v - w;
        let smooth = [0, 1, 2].map(|k| u * a[k] + v * b[k] + w * c[k]);
        let flat = unit(cross(triangle.edges[0], triangle.edges[1]));
        if dot(smooth, smooth) < 1e-6 { [flat, flat] } else { [flat, unit(smooth)] }
    }

    /// Returns the material at a hit.
    pub fn material(&self, touch: &MeshHit) -> &Material {
        &self.palette[self.triangles[touch.triangle as usize].material as usize]
    }
}

/// Triangles that rays are intersected with.
struct Facets<'a, S: Simd> {
    triangles: &'a [Triangle],
    beams: &'a Beams<S>,
    /// Number of the mesh in the search.
    number: u32,
}

impl<S: Simd> Primitives<S> for Facets<'_, S> {
    /// Intersects by the algorithm of Möller and Trumbore 1997.
    #[inline(always)]
    fn intersect(&mut self, place: usize, near: F32Lanes<S>, search: &mut PacketTraversal<S>) {
        let Triangle { origin, edges: [e, f], .. } = &self.triangles[place];
        let [dx, dy, dz] = self.beams.direction;
        let [ox, oy, oz] = self.beams.origin;
        let p = [dy * f[2] - dz * f[1], dz * f[0] - dx * f[2], dx * f[1] - dy * f[0]];
        let determinant = e[0] * p[0] + e[1] * p[1] + e[2] * p[2];
        let t = [ox - origin[0], oy - origin[1], oz - origin[2]];
        let size = determinant.abs();
        // weights and range are these divided by the determinant
        let sense = F32Lanes::splat(size.simd, 1.0).copysign(determinant);
        let v = (t[0] * p[0] + t[1] * p[1] + t[2] * p[2]) * sense;
        // slightly beyond the edge, so that adjacent triangles leave no gap
        const HAIR: f32 = 1e-6;
        let (low, high) = (size * -HAIR, size * (1.0 + HAIR));
        let inside = size.simd_gt(0.0) & v.simd_ge(low) & v.simd_le(high);
        if !inside.any_true() {
            return;
        }
        let q = [t[1] * e[2] - t[2] * e[1], t[2] * e[0] - t[0] * e[2], t[0] * e[1] - t[1] * e[0]];
        let w = (dx * q[0] + dy * q[1] + dz * q[2]) * sense;
        let inside = inside & w.simd_ge(low) & (v + w).simd_le(high);
        if !inside.any_true() {
            return;
        }
        let share = 1.0 / size;
        let range = (f[0] * q[0] + f[1] * q[1] + f[2] * q[2]) * sense * share;
        let hit = inside & range.simd_ge(near) & range.simd_le(search.far);
        if hit.any_true() {
            search.record(hit, range, [self.number, place as u32], [v * share, w * share]);
        }
    }
}
