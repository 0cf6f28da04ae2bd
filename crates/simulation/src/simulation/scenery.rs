//! Trees, rocks and posts.

use super::scene::{Form, Prop, PropKind};
use crate::numeric::{hypot, sin_cos};
use crate::random::Stream;
use crate::sensor::class::Class;
use crate::sensor::material::Material;
use crate::sensor::mesh::{Mesh, MeshBuilder};
use crate::sensor::scene::Instance;
use crate::spatial::{Pose, Quat, Vec3};
use crate::terrain::Terrain;
use rstar::RTree;

/// Shapes that a kind comes in.
const SHAPES: usize = 3;

/// Props on the ground, with their meshes.
pub(super) fn instances(
    props: &[Prop],
    terrain: &Terrain,
    meshes: &mut Vec<Mesh>,
) -> Vec<Instance> {
    let mut known: Vec<(PropKind, usize)> = Vec::new();
    let mut placed = Vec::new();
    for (index, prop) in props.iter().enumerate() {
        let (mesh, class) = match prop.form {
            Form::Mesh { index, class } => (index, class),
            Form::Kind(PropKind::Block) => {
                let size = prop.size.unwrap_or([1.0; 3]).map(|side| side as f32);
                meshes.push(block(size).finish());
                (meshes.len() - 1, Class::Other)
            }
            Form::Kind(kind) => {
                let first = known.iter().find(|(own, _)| *own == kind).map(|(_, first)| *first);
                let first = first.unwrap_or_else(|| {
                    known.push((kind, meshes.len()));
                    meshes.extend((0..SHAPES).map(|shape| kind.builder(shape as u64).finish()));
                    meshes.len() - SHAPES
                });
                (first + index % SHAPES, kind.class())
            }
        };
        let [x, y] = prop.place;
        let pose = Pose {
            position: Vec3::new(x, y, terrain.height(x, y)),
            orientation: Quat::from_axis_angle(&Vec3::z_axis(), prop.heading),
        };
        let own = Instance::still(mesh, pose, u16::MAX - 1, class);
        placed.push(Instance { scale: prop.scale, ..own });
    }
    placed
}

/// `count` props of a form strewn over a rectangle [x0, y0, x1, y1], m, none nearer than
/// `clear`, m, to any of the `kept` places.
pub fn strewn(
    form: impl Into<Form>,
    count: usize,
    [x0, y0, x1, y1]: [f64; 4],
    kept: &[[f64; 2]],
    clear: f64,
    dice: &Stream,
) -> Vec<Prop> {
    let form = form.into();
    let mut props = Vec::new();
    let kept = RTree::bulk_load(kept.to_vec());
    // some places are refused; who wants more than fits gets fewer
    for k in 0..20 * count as u64 {
        if props.len() == count {
            break;
        }
        let draw = |part: u64| dice.uniform(4 * k + part);
        let place = [x0 + (x1 - x0) * draw(0), y0 + (y1 - y0) * draw(1)];
        let nearest = kept.nearest_neighbor(place);
        let far = |kept: &[f64; 2]| hypot(kept[0] - place[0], kept[1] - place[1]) >= clear;
        if nearest.is_none_or(far) {
            let heading = std::f64::consts::TAU * draw(2);
            let scale = 0.7 + 0.6 * draw(3);
            let (diameter, size) = (None, None);
            props.push(Prop { form, place, heading, scale, solid: true, diameter, size });
        }
    }
    props
}

impl PropKind {
    fn class(self) -> Class {
        match self {
            PropKind::Spruce | PropKind::Oak | PropKind::Birch => Class::Tree,
            PropKind::Rock => Class::Rock,
            PropKind::Post => Class::Post,
            PropKind::Block => Class::Other,
        }
    }

    fn builder(self, shape: u64) -> MeshBuilder {
        let dice = Stream::new(shape, "shape");
        match self {
            PropKind::Spruce => spruce(&dice),
            PropKind::Oak => broad_leaved(&dice, 7.0, 2.4, BARK, LEAF),
            PropKind::Birch => broad_leaved(&dice, 10.0, 1.7, BIRCH, LIGHT_LEAF),
            PropKind::Rock => rock(&dice),
            PropKind::Post => post(),
            PropKind::Block => block([1.0; 3]),
        }
    }
}

const BARK: Material = Material { reflectance: 0.3, ..Material::dull([0.07, 0.05, 0.035]) };
const BIRCH: Material = Material { reflectance: 0.5, ..Material::dull([0.42, 0.40, 0.36]) };
// leaves give back half of the near infrared
const NEEDLE: Material = Material { reflectance: 0.4, ..Material::dull([0.022, 0.042, 0.020]) };
const LEAF: Material = Material { reflectance: 0.5, ..Material::dull([0.045, 0.085, 0.022]) };
const LIGHT_LEAF: Material = Material { reflectance: 0.5, ..Material::dull([0.075, 0.12, 0.03]) };
const STONE: Material = Material { reflectance: 0.35, ..Material::dull([0.21, 0.20, 0.185]) };
const WOOD: Material = Material { reflectance: 0.4, ..Material::dull([0.25, 0.17, 0.10]) };
const WHITE: Material = Material { reflectance: 0.8, ..Material::dull([0.75, 0.75, 0.73]) };
const SIGNAL: Material = Material { reflectance: 0.6, ..Material::dull([0.55, 0.05, 0.03]) };

/// Whorls of drooping branches about a trunk.
fn spruce(dice: &Stream) -> MeshBuilder {
    let height = 9.0_f32;
    let mut builder = MeshBuilder::new();
    builder.column([0.0; 3], &[[-0.3, 0.17], [0.3, 0.14], [height * 0.95, 0.02]], 10, BARK);
    let whorls = 15_u64;
    for k in 0..whorls {
        let share = k as f32 / whorls as f32;
        let foot = 0.9 + share * (height - 1.1);
        let reach = (1.0 - share) * 1.75 + 0.16;
        let droop = 0.45 * reach;
        let branches = 9_u64;
        for b in 0..branches {
            let draw = |part: u64| dice.uniform(1000 * k + 8 * b + part) as f32;
            let turn = std::f64::consts::TAU * (b as f64 + 0.5 * (k % 2) as f64) / branches as f64
                + 0.4 * f64::from(draw(0));
            let (s, c) = sin_cos(turn);
            let (s, c) = (s as f32, c as f32);
            let reach = reach * (0.75 + 0.35 * draw(1));
            let foot = foot + 0.25 * (draw(2) - 0.5);
            let wide = 0.26 * reach + 0.05;
            let at = |along: f32, aside: f32, up: f32| {
                [c * along - s * aside, s * along + c * aside, foot + up]
            };
            // a frond: two leaves that fall off to the sides, and one underneath
            let tip = at(reach, 0.0, -droop);
            let root = at(0.03, 0.0, 0.32);
            let [left, right] =
                [-1.0_f32, 1.0].map(|side| at(0.6 * reach, side * wide, -0.75 * droop));
            let ridge = at(0.62 * reach, 0.0, -0.38 * droop + 0.1);
            for face in
                [[root, left, ridge], [root, ridge, right], [ridge, left, tip], [ridge, tip, right]]
            {
                builder.face(&face, NEEDLE);
            }
        }
    }
    builder
}

/// A trunk with limbs and tufts of leaves.
fn broad_leaved(
    dice: &Stream,
    height: f32,
    reach: f32,
    bark: Material,
    leaf: Material,
) -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let crown = 0.62 * height;
    builder.column(
        [0.0; 3],
        &[[-0.3, 0.030 * height], [0.1, 0.024 * height], [crown, 0.012 * height]],
        12,
        bark,
    );
    for k in 0..26_u64 {
        let draw = |part: u64| dice.uniform(16 * k + part);
        let (s, c) = sin_cos(std::f64::consts::TAU * draw(0));
        let up = 2.0 * draw(1) as f32 - 1.0;
        let out = reach * (1.0 - 0.75 * up * up).max(0.0) * (0.25 + 0.75 * draw(2) as f32);
        let middle = [out * c as f32, out * s as f32, crown + 0.10 * height + 0.30 * height * up];
        if k < 9 {
            let from = [0.0, 0.0, crown * (0.55 + 0.4 * draw(3) as f32)];
            builder.bar(from, middle, 0.008 * height, bark);
        }
        let size = reach * (0.26 + 0.2 * draw(4) as f32);
        let seed = 1000 * (k + 1);
        builder.lump(middle, 6, |d| size * (0.75 + 0.5 * bump(dice, seed, d)), leaf);
    }
    builder
}

/// A number in 0 to 1 that changes from direction to direction.
fn bump(dice: &Stream, seed: u64, d: [f32; 3]) -> f32 {
    let cell = d.map(|x| ((x + 1.0) * 2.6) as u64);
    dice.uniform(seed.wrapping_mul(4096).wrapping_add(cell[0] * 169 + cell[1] * 13 + cell[2]))
        as f32
}

fn rock(dice: &Stream) -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let axis = |k: u64| {
        let draw = |part: u64| 2.0 * dice.uniform(8 * k + part) as f32 - 1.0;
        [draw(0), draw(1), draw(2)]
    };
    // cut a ball by planes: a boulder with facets
    let planes: Vec<([f32; 3], f32)> = (0..16)
        .map(|k| {
            let [x, y, z] = axis(k);
            let length = (x * x + y * y + z * z).sqrt().max(0.1);
            ([x / length, y / length, z / length], 0.62 + 0.3 * dice.uniform(500 + k) as f32)
        })
        .collect();
    let shape = |d: [f32; 3]| {
        planes.iter().fold(1.0_f32, |r, (n, cut)| {
            let towards = n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
            if towards > 0.05 { r.min(cut / towards) } else { r }
        }) * 0.6
            * (1.0 - 0.25 * d[2] * d[2])
    };
    builder.lump([0.0, 0.0, 0.12], 20, shape, STONE);
    builder
}

/// A box of masonry, its foot in the ground.
fn block([length, width, height]: [f32; 3]) -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let (x, y) = (0.5 * length, 0.5 * width);
    let corner = |i: f32, j: f32, z: f32| [i * x, j * y, z];
    let ring = |z: f32| {
        [corner(-1.0, -1.0, z), corner(1.0, -1.0, z), corner(1.0, 1.0, z), corner(-1.0, 1.0, z)]
    };
    let (low, high) = (ring(-0.5), ring(height));
    for side in 0..4 {
        let next = (side + 1) % 4;
        builder.face(&[low[side], low[next], high[next], high[side]], STONE);
    }
    builder.face(&high, STONE);
    builder
}

fn post() -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    builder.column([0.0; 3], &[[-0.4, 0.06], [0.8, 0.06]], 24, WOOD);
    builder.column([0.0; 3], &[[0.8, 0.062], [1.0, 0.062]], 24, SIGNAL);
    builder.column([0.0; 3], &[[1.0, 0.062], [1.2, 0.062], [1.22, 0.0]], 24, WHITE);
    builder
}
