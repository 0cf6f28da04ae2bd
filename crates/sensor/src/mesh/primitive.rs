//! Primitive shapes: boxes, cylinders, surfaces of revolution and prisms.

use super::{MeshBuilder, cross, minus, unit};
use crate::material::Material;
use bekker_math::numeric::sin_cos;
use std::f64::consts::TAU;

impl MeshBuilder {
    /// Adds a flat face with three or more corners, counterclockwise seen from the front.
    pub fn face(&mut self, corners: &[[f32; 3]], material: Material) -> &mut MeshBuilder {
        if let [a, b, c, ..] = corners {
            let normal = unit(cross(minus(*b, *a), minus(*c, *a)));
            let fan: Vec<[u32; 3]> = (2..corners.len() as u32).map(|k| [0, k - 1, k]).collect();
            self.add(corners, &vec![normal; corners.len()], &fan, material);
        }
        self
    }

    /// Adds a box around `middle` with these full sizes along x, y, z, m.
    pub fn block(
        &mut self,
        middle: [f32; 3],
        size: [f32; 3],
        material: Material,
    ) -> &mut MeshBuilder {
        let [x, y, z] = size.map(|s| 0.5 * s);
        let outline =
            [[-x, -z], [x, -z], [x, z], [-x, z]].map(|[a, b]| [a + middle[0], b + middle[2]]);
        self.prism(&outline, [middle[1] - y, middle[1] + y], material)
    }

    /// Adds a prism along y from `ends[0]` to `ends[1]`.
    ///
    /// The convex outline in (x, z) is counter-clockwise with x to the right and z up.
    pub fn prism(
        &mut self,
        outline: &[[f32; 2]],
        ends: [f32; 2],
        material: Material,
    ) -> &mut MeshBuilder {
        self.frustum(outline, outline, ends, material)
    }

    /// Adds a prism whose left end has another outline with the same number of corners.
    pub fn frustum(
        &mut self,
        right: &[[f32; 2]],
        left: &[[f32; 2]],
        ends: [f32; 2],
        material: Material,
    ) -> &mut MeshBuilder {
        let place = |[x, z]: [f32; 2], end: usize| [x, ends[end], z];
        let near: Vec<[f32; 3]> = right.iter().map(|p| place(*p, 0)).collect();
        let far: Vec<[f32; 3]> = left.iter().map(|p| place(*p, 1)).collect();
        for k in 0..near.len() {
            let next = (k + 1) % near.len();
            self.face(&[near[next], near[k], far[k], far[next]], material);
        }
        // viewed from the right (from -y), x points right and z up
        self.face(&near, material);
        let back: Vec<[f32; 3]> = far.into_iter().rev().collect();
        self.face(&back, material)
    }

    /// Adds a surface of revolution about the y axis through `middle`, with `sides` sides.
    ///
    /// The outline is points (y, radius). A radius of 0 closes an end.
    pub fn lathe(
        &mut self,
        middle: [f32; 3],
        outline: &[[f32; 2]],
        sides: usize,
        material: Material,
    ) -> &mut MeshBuilder {
        let around: Vec<[f32; 2]> = (0..=sides)
            .map(|k| {
                let (s, c) = sin_cos(TAU * (k % sides) as f64 / sides as f64);
                [s as f32, c as f32]
            })
            .collect();
        for pair in outline.windows(2) {
            let [[y0, r0], [y1, r1]] = [pair[0], pair[1]];
            // along the outline's normal, outwards
            let (dy, dr) = (y1 - y0, r1 - r0);
            let mut corners = Vec::new();
            let mut normals = Vec::new();
            for [s, c] in &around {
                corners.push([middle[0] + r0 * s, middle[1] + y0, middle[2] + r0 * c]);
                corners.push([middle[0] + r1 * s, middle[1] + y1, middle[2] + r1 * c]);
                normals.extend([[dy * s, -dr, dy * c]; 2]);
            }
            let strip: Vec<[u32; 3]> = (0..sides as u32)
                .flat_map(|k| [[2 * k, 2 * k + 2, 2 * k + 1], [2 * k + 2, 2 * k + 3, 2 * k + 1]])
                .collect();
            self.add(&corners, &normals, &strip, material);
        }
        self
    }

    /// Adds a closed cylinder about the y axis.
    pub fn drum(
        &mut self,
        middle: [f32; 3],
        radius: f32,
        width: f32,
        sides: usize,
        material: Material,
    ) -> &mut MeshBuilder {
        let y = 0.5 * width;
        self.lathe(middle, &[[-y, 0.0], [-y, radius], [y, radius], [y, 0.0]], sides, material)
    }

    /// Adds a surface of revolution about the vertical through `foot`.
    ///
    /// The outline is points (height, radius) from the bottom up.
    pub fn column(
        &mut self,
        foot: [f32; 3],
        outline: &[[f32; 2]],
        sides: usize,
        material: Material,
    ) -> &mut MeshBuilder {
        let mut lying = MeshBuilder::new();
        lying.lathe([0.0; 3], outline, sides, material);
        // y to z, z to x, x to y keeps the handedness
        let stand = |[x, y, z]: [f32; 3]| [z, x, y];
        let corners: Vec<[f32; 3]> = lying
            .corners
            .iter()
            .map(|c| {
                let [x, y, z] = stand(*c);
                [x + foot[0], y + foot[1], z + foot[2]]
            })
            .collect();
        let normals: Vec<[f32; 3]> = lying.normals.iter().map(|n| stand(*n)).collect();
        let triangles: Vec<[u32; 3]> = lying.triangles.iter().map(|(t, _)| *t).collect();
        self.add(&corners, &normals, &triangles, material);
        self
    }

    /// Adds a straight round bar between two points.
    pub fn bar(
        &mut self,
        from: [f32; 3],
        to: [f32; 3],
        radius: f32,
        material: Material,
    ) -> &mut MeshBuilder {
        const SIDES: usize = 8;
        let along = unit(minus(to, from));
        let other = if along[2].abs() < 0.9 { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] };
        let u = unit(cross(along, other));
        let v = cross(along, u);
        let (mut corners, mut normals) = (Vec::new(), Vec::new());
        for k in 0..SIDES {
            let (s, c) = sin_cos(TAU * k as f64 / SIDES as f64);
            let normal = [0, 1, 2].map(|a| c as f32 * u[a] + s as f32 * v[a]);
            for end in [from, to] {
                corners.push([0, 1, 2].map(|a| end[a] + radius * normal[a]));
                normals.push(normal);
            }
        }
        let strip: Vec<[u32; 3]> = (0..SIDES as u32)
            .flat_map(|k| {
                let (a, b) = (2 * k, 2 * ((k + 1) % SIDES as u32));
                [[a, b, a + 1], [b, b + 1, a + 1]]
            })
            .collect();
        self.add(&corners, &normals, &strip, material);
        self
    }

    /// Adds a deformed sphere, such as a rock.
    ///
    /// `shape` maps a unit direction to the distance of the surface from `middle`, m.
    pub fn lump(
        &mut self,
        middle: [f32; 3],
        rings: usize,
        shape: impl Fn([f32; 3]) -> f32,
        material: Material,
    ) -> &mut MeshBuilder {
        let sides = 2 * rings;
        let mut corners = Vec::new();
        for ring in 0..=rings {
            let (s, c) = sin_cos(0.5 * TAU * ring as f64 / rings as f64);
            for side in 0..sides {
                let (sa, ca) = sin_cos(TAU * side as f64 / sides as f64);
                let direction = [(s * ca) as f32, (s * sa) as f32, c as f32];
                let distance = shape(direction);
                corners.push([0, 1, 2].map(|k| middle[k] + distance * direction[k]));
            }
        }
        let at = |ring: usize, side: usize| (ring * sides + side % sides) as u32;
        let mut triangles = Vec::new();
        for (ring, side) in (0..rings).flat_map(|r| (0..sides).map(move |s| (r, s))) {
            let [a, b] = [at(ring, side), at(ring, side + 1)];
            let [c, d] = [at(ring + 1, side), at(ring + 1, side + 1)];
            triangles.extend([[a, c, b], [b, c, d]]);
        }
        let mut normals = vec![[0.0_f32; 3]; corners.len()];
        for triangle in &triangles {
            let [a, b, c] = triangle.map(|corner| corners[corner as usize]);
            let normal = cross(minus(b, a), minus(c, a));
            for &corner in triangle {
                for k in 0..3 {
                    normals[corner as usize][k] += normal[k];
                }
            }
        }
        self.add(&corners, &normals, &triangles, material);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::dot;

    /// Returns the volume inside a closed surface by the divergence theorem, signed by the corners'
    /// orientation.
    fn volume(builder: &MeshBuilder) -> f32 {
        let at = |corner: u32| builder.corners[corner as usize];
        let six = builder.triangles.iter().map(|(t, _)| {
            let [a, b, c] = t.map(at);
            dot(a, cross(b, c))
        });
        six.sum::<f32>() / 6.0
    }

    #[test]
    fn surfaces_are_closed_and_face_outwards() {
        let dull = Material::RUBBER;
        let mut block = MeshBuilder::new();
        block.block([1.0, 2.0, 3.0], [1.0, 2.0, 0.5], dull);
        assert!((volume(&block) - 1.0).abs() < 1e-5, "{}", volume(&block));
        let mut drum = MeshBuilder::new();
        drum.drum([0.5, 0.0, 0.0], 1.0, 2.0, 256, dull);
        // the area of a polygon of 256 sides is 1e-4 less than that of the circle
        let exact = std::f32::consts::TAU;
        assert!((volume(&drum) / exact - 1.0).abs() < 2e-4, "{}", volume(&drum));
        let mut column = MeshBuilder::new();
        column.column([0.0; 3], &[[0.0, 0.0], [0.0, 1.0], [2.0, 1.0], [2.0, 0.0]], 256, dull);
        assert!((volume(&column) / exact - 1.0).abs() < 2e-4, "{}", volume(&column));
        let mut ball = MeshBuilder::new();
        ball.lump([0.0; 3], 64, |_| 1.0, dull);
        assert!((volume(&ball) / (2.0 / 3.0 * exact) - 1.0).abs() < 3e-3, "{}", volume(&ball));
    }

    #[test]
    fn normals_look_outwards() {
        let mut builder = MeshBuilder::new();
        builder.drum([0.0; 3], 1.0, 2.0, 32, Material::RUBBER);
        builder.bar([5.0, 0.0, 0.0], [5.0, 0.0, 2.0], 0.1, Material::STEEL);
        for (t, _) in &builder.triangles {
            let [a, b, c] = t.map(|corner| builder.corners[corner as usize]);
            let flat = cross(minus(b, a), minus(c, a));
            if dot(flat, flat) > 1e-12 {
                for corner in t {
                    assert!(
                        dot(flat, builder.normals[*corner as usize]) > 0.0,
                        "{a:?} {b:?} {c:?}"
                    );
                }
            }
        }
    }
}
