//! Meshes of trees, rocks, posts and other props.

use bekker_agent::{BARRIER, PropForm, PropKind, SceneryObject};
use bekker_ground::terrain::Terrain;
use bekker_math::numeric::{hypot, sin_cos};
use bekker_math::random::RandomStream;
use bekker_math::spatial::{Pose, Quat, Vec3};
use bekker_sensor::class::SurfaceClass;
use bekker_sensor::material::Material;
use bekker_sensor::mesh::{Mesh, MeshBuilder};
use bekker_sensor::scene::Instance;
use rstar::RTree;

/// Number of different shapes of each kind.
const SHAPES: usize = 3;

/// Places props on the terrain and adds their meshes.
pub(super) fn instances(
    props: &[SceneryObject],
    terrain: &Terrain,
    meshes: &mut Vec<Mesh>,
) -> Vec<Instance> {
    let mut known: Vec<(PropKind, usize)> = Vec::new();
    let mut placed = Vec::new();
    for (index, prop) in props.iter().enumerate() {
        let (mesh, class) = match prop.form {
            PropForm::Mesh { index, class, .. } => (index, class),
            PropForm::Kind(PropKind::Block) => {
                let size = prop.size.unwrap_or([1.0; 3]).map(|side| side as f32);
                meshes.push(block(size).finish());
                (meshes.len() - 1, SurfaceClass::Other)
            }
            PropForm::Kind(PropKind::Barrier) => {
                let [length, ..] = prop.size.unwrap_or(BARRIER);
                meshes.push(barrier(length as f32).finish());
                (meshes.len() - 1, SurfaceClass::Other)
            }
            PropForm::Kind(kind) => {
                let first = known.iter().find(|(own, _)| *own == kind).map(|(_, first)| *first);
                let first = first.unwrap_or_else(|| {
                    known.push((kind, meshes.len()));
                    meshes.extend((0..SHAPES).map(|shape| builder(kind, shape as u64).finish()));
                    meshes.len() - SHAPES
                });
                (first + index % SHAPES, class(kind))
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

/// Scatters `count` props of a form over a rectangle [x0, y0, x1, y1], m.
///
/// None is nearer than `clear`, m, to any of the positions `kept`.
pub fn scatter_props(
    form: impl Into<PropForm>,
    count: usize,
    [x0, y0, x1, y1]: [f64; 4],
    kept: &[[f64; 2]],
    clear: f64,
    dice: &RandomStream,
) -> Vec<SceneryObject> {
    let form = form.into();
    let mut props = Vec::new();
    let kept = RTree::bulk_load(kept.to_vec());
    // Some positions are rejected. If `count` props do not fit, there are fewer.
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
            props.push(SceneryObject { form, place, heading, scale, solid: true, diameter, size });
        }
    }
    props
}

/// Semantic class of a kind.
fn class(kind: PropKind) -> SurfaceClass {
    match kind {
        PropKind::Spruce | PropKind::Oak | PropKind::Birch => SurfaceClass::Tree,
        PropKind::WhiteOak | PropKind::Pine | PropKind::Pecan | PropKind::Magnolia => {
            SurfaceClass::Tree
        }
        PropKind::Rock => SurfaceClass::Rock,
        PropKind::Post => SurfaceClass::Post,
        PropKind::Block | PropKind::Barrier => SurfaceClass::Other,
    }
}

/// Mesh of one shape of a kind.
fn builder(kind: PropKind, shape: u64) -> MeshBuilder {
    let dice = RandomStream::new(shape, "shape");
    match kind {
        PropKind::Spruce => spruce(&dice),
        PropKind::Oak => Crowned::wide(7.0, 2.4).builder(&dice, BARK, LEAF),
        PropKind::Birch => Crowned::wide(10.0, 1.7).builder(&dice, BIRCH, LIGHT_LEAF),
        PropKind::WhiteOak => Crowned::slender(5.0, 0.45, 0.42).builder(&dice, BARK, LEAF),
        PropKind::Pine => Crowned::slender(2.6, 0.72, 0.17).builder(&dice, BARK, NEEDLE),
        PropKind::Pecan => Crowned::slender(4.4, 0.5, 0.38).builder(&dice, BARK, LIGHT_LEAF),
        PropKind::Magnolia => Crowned::slender(3.4, 0.4, 0.48).builder(&dice, BARK, LEAF),
        PropKind::Rock => rock(&dice),
        PropKind::Post => post(),
        PropKind::Block => block([1.0; 3]),
        PropKind::Barrier => barrier(BARRIER[0] as f32),
    }
}

const BARK: Material = Material { reflectance: 0.3, ..Material::dull([0.07, 0.05, 0.035]) };
const BIRCH: Material = Material { reflectance: 0.5, ..Material::dull([0.42, 0.40, 0.36]) };
// Leaves reflect half of the near infrared.
const NEEDLE: Material = Material { reflectance: 0.4, ..Material::dull([0.022, 0.042, 0.020]) };
const LEAF: Material = Material { reflectance: 0.5, ..Material::dull([0.045, 0.085, 0.022]) };
const LIGHT_LEAF: Material = Material { reflectance: 0.5, ..Material::dull([0.075, 0.12, 0.03]) };
const STONE: Material = Material { reflectance: 0.35, ..Material::dull([0.21, 0.20, 0.185]) };
const WOOD: Material = Material { reflectance: 0.4, ..Material::dull([0.25, 0.17, 0.10]) };
const WHITE: Material = Material { reflectance: 0.8, ..Material::dull([0.75, 0.75, 0.73]) };
const SIGNAL: Material = Material { reflectance: 0.6, ..Material::dull([0.55, 0.05, 0.03]) };

/// A trunk with whorls of drooping branches.
fn spruce(dice: &RandomStream) -> MeshBuilder {
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
            // A frond: two halves that droop to the sides of a ridge.
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

/// A tree with a trunk, limbs and tufts of leaves.
struct Crowned {
    height: f32,
    /// Radius of the crown, m.
    reach: f32,
    /// Height at which the crown starts to spread, as a fraction of the tree's height.
    crown: f32,
    /// Vertical extent of leaves from the crown's middle, as a fraction of the tree's height.
    spread: f32,
    /// Radii of the trunk below ground, at its foot and in the crown, as fractions of the height.
    trunk: [f32; 3],
}

impl Crowned {
    /// A solitary tree with a thick stem.
    fn wide(height: f32, reach: f32) -> Crowned {
        let trunk = [0.030, 0.024, 0.012];
        Crowned { height, reach, crown: 0.62, spread: 0.30, trunk }
    }

    /// A tree of 20 m with a stem 30 cm thick, as in a stand.
    fn slender(reach: f32, crown: f32, spread: f32) -> Crowned {
        Crowned { height: 20.0, reach, crown, spread, trunk: [0.0095, 0.0075, 0.004] }
    }

    fn builder(&self, dice: &RandomStream, bark: Material, leaf: Material) -> MeshBuilder {
        let Crowned { height, reach, trunk: [root, foot, top], .. } = *self;
        let mut builder = MeshBuilder::new();
        let crown = self.crown * height;
        builder.column(
            [0.0; 3],
            &[[-0.3, root * height], [0.1, foot * height], [crown, top * height]],
            12,
            bark,
        );
        for k in 0..26_u64 {
            let draw = |part: u64| dice.uniform(16 * k + part);
            let (s, c) = sin_cos(std::f64::consts::TAU * draw(0));
            let up = 2.0 * draw(1) as f32 - 1.0;
            let out = reach * (1.0 - 0.75 * up * up).max(0.0) * (0.25 + 0.75 * draw(2) as f32);
            let over = crown + 0.10 * height + self.spread * height * up;
            let middle = [out * c as f32, out * s as f32, over];
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
}

/// Random number in 0 to 1 that varies with the direction.
fn bump(dice: &RandomStream, seed: u64, d: [f32; 3]) -> f32 {
    let cell = d.map(|x| ((x + 1.0) * 2.6) as u64);
    dice.uniform(seed.wrapping_mul(4096).wrapping_add(cell[0] * 169 + cell[1] * 13 + cell[2]))
        as f32
}

fn rock(dice: &RandomStream) -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let axis = |k: u64| {
        let draw = |part: u64| 2.0 * dice.uniform(8 * k + part) as f32 - 1.0;
        [draw(0), draw(1), draw(2)]
    };
    // A ball cut by planes gives a boulder with facets.
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

/// A masonry box whose foot is below ground.
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

/// A section of concrete barrier with the New Jersey profile, 0.61 m wide at the foot and 0.15 m on
/// top.
///
/// Its sides are vertical for 7.5 cm, at 55 degrees for 25 cm, and at 84 degrees above.
fn barrier(length: f32) -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let half = 0.5 * length;
    let profile = [[0.305, -0.3], [0.305, 0.075], [0.127, 0.33], [0.076, 0.81]];
    let ring = |x: f32| profile.map(|[y, z]| [[x, y, z], [x, -y, z]]);
    let (front, back) = (ring(half), ring(-half));
    for k in 0..profile.len() - 1 {
        let at = |ring: &[[[f32; 3]; 2]; 4], side: usize, k: usize| ring[k][side];
        // Left and right side, outward.
        let left = [at(&back, 0, k + 1), at(&front, 0, k + 1), at(&front, 0, k), at(&back, 0, k)];
        let right = [at(&back, 1, k), at(&front, 1, k), at(&front, 1, k + 1), at(&back, 1, k + 1)];
        let fore = [at(&front, 1, k), at(&front, 0, k), at(&front, 0, k + 1), at(&front, 1, k + 1)];
        let aft = [at(&back, 1, k + 1), at(&back, 0, k + 1), at(&back, 0, k), at(&back, 1, k)];
        for face in [left, right, fore, aft] {
            builder.face(&face, STONE);
        }
    }
    let [[left_front, right_front], [left_back, right_back]] = [front[3], back[3]];
    builder.face(&[right_back, right_front, left_front, left_back], STONE);
    builder
}

fn post() -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    builder.column([0.0; 3], &[[-0.4, 0.06], [0.8, 0.06]], 24, WOOD);
    builder.column([0.0; 3], &[[0.8, 0.062], [1.0, 0.062]], 24, SIGNAL);
    builder.column([0.0; 3], &[[1.0, 0.062], [1.2, 0.062], [1.22, 0.0]], 24, WHITE);
    builder
}
