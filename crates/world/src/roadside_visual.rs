//! What stands and walks beside ways, as cameras see it.
//!
//! Lamps shine by no light of their own: a lamp that is on is bright, one that is off dark.

use bekker_agent::{ARM_HEIGHT, Boom, Light, Pedestrian, TrafficLight, UP};
use bekker_ground::terrain::Terrain;
use bekker_math::numeric::{cos, sin};
use bekker_math::spatial::{Pose, Quat, Vec3};
use bekker_sensor::class::Class;
use bekker_sensor::material::Material;
use bekker_sensor::mesh::{Mesh, MeshBuilder};
use bekker_sensor::scene::Instance;

/// Whose they are: nobody's.
const NOBODY: u16 = u16::MAX - 1;
/// Length of a stripe of an arm, m.
const STRIPE: f64 = 0.5;
/// Height of hips and shoulders of one on foot, m, and how far apart these are to each side, m.
const HIPS: [f64; 2] = [0.9, 0.1];
const SHOULDERS: [f64; 2] = [1.42, 0.24];
/// How far legs swing, rad, and on how many metres they do it once to and fro.
const SWING: f64 = 0.45;
const TWO_STEPS: f64 = 1.5;

const DARK: Material = Material::dull([0.02, 0.02, 0.02]);
const CASE: Material = Material { reflectance: 0.1, ..Material::dull([0.03, 0.035, 0.03]) };
const WHITE: Material = Material { reflectance: 0.8, ..Material::dull([0.75, 0.75, 0.73]) };
const RED: Material = Material { reflectance: 0.6, ..Material::dull([0.85, 0.03, 0.02]) };
const AMBER: Material = Material { reflectance: 0.7, ..Material::dull([0.95, 0.45, 0.02]) };
const GREEN: Material = Material { reflectance: 0.6, ..Material::dull([0.03, 0.75, 0.25]) };
const JACKET: Material = Material { reflectance: 0.7, ..Material::dull([0.80, 0.30, 0.02]) };
const TROUSERS: Material = Material { reflectance: 0.4, ..Material::dull([0.05, 0.06, 0.10]) };
const SKIN: Material = Material { reflectance: 0.6, ..Material::dull([0.45, 0.27, 0.19]) };

/// Meshes of what stands and walks beside ways, by their indices.
#[derive(Clone, Debug, Default)]
pub(crate) struct RoadsideVisual {
    /// Heads that show red, amber, green.
    heads: [usize; 3],
    /// Of each light, its arm.
    booms: Vec<Option<usize>>,
    /// Trunk with head, leg, arm.
    body: [usize; 3],
}

impl RoadsideVisual {
    /// Adds the meshes that these need.
    pub fn new(
        lights: &[TrafficLight],
        pedestrians: &[Pedestrian],
        meshes: &mut Vec<Mesh>,
    ) -> RoadsideVisual {
        let mut add = |builder: MeshBuilder| {
            meshes.push(builder.finish());
            meshes.len() - 1
        };
        let mut visual = RoadsideVisual::default();
        if lights.iter().any(|light| light.boom.is_none()) {
            visual.heads = [Light::Red, Light::Amber, Light::Green].map(|light| add(head(light)));
        }
        visual.booms = lights.iter().map(|light| light.boom.map(|own| add(arm(&own)))).collect();
        if !pedestrians.is_empty() {
            visual.body =
                [add(trunk()), add(limb(0.9, 0.085, TROUSERS)), add(limb(0.65, 0.06, JACKET))];
        }
        visual
    }

    /// All of it at two moments, µs.
    pub fn parts(
        &self,
        (lights, pedestrians): (&[TrafficLight], &[Pedestrian]),
        terrain: &Terrain,
        moments_us: [u64; 2],
    ) -> Vec<Instance> {
        let mut parts = Vec::new();
        let mut add = |mesh: usize, poses: [Pose; 2], class: Class| {
            parts.push(Instance { mesh, poses, scale: 1.0, agent: NOBODY, class });
        };
        for (light, arm) in lights.iter().zip(&self.booms) {
            if let (Some(mesh), Some(boom)) = (arm, light.boom) {
                let poses = moments_us.map(|now_us| {
                    let lift = UP * light.lift(now_us).unwrap_or_default();
                    let [x, y] = light.place;
                    let turn = Quat::from_axis_angle(&Vec3::z_axis(), boom.heading)
                        * Quat::from_axis_angle(&Vec3::y_axis(), -lift);
                    let position = Vec3::new(x, y, terrain.height(x, y) + ARM_HEIGHT);
                    Pose { position, orientation: turn }
                });
                add(*mesh, poses, Class::Other);
                continue;
            }
            // the frame is taken at its end
            for (approach, timing) in light.approaches.iter().zip(light.timings(moments_us[1])) {
                let [x, y] = TrafficLight::head(approach);
                let pose = Pose {
                    position: Vec3::new(x, y, terrain.height(x, y)),
                    orientation: Quat::from_axis_angle(&Vec3::z_axis(), approach.heading),
                };
                add(self.heads[timing.light as usize], [pose; 2], Class::Post);
            }
        }
        let [trunk, leg, arm] = self.body;
        for own in pedestrians {
            let at = moments_us.map(|now_us| (own.pose(terrain, now_us), own.stride(now_us)));
            add(trunk, at.map(|(pose, _)| pose), Class::Pedestrian);
            let mut limb = |mesh: usize, [height, aside]: [f64; 2], sense: f64| {
                let poses = at.map(|(pose, stride)| {
                    let phase = std::f64::consts::TAU * stride.gone / TWO_STEPS;
                    let swing = if stride.speed > 0.0 { sense * SWING * sin(phase) } else { 0.0 };
                    Pose {
                        position: pose.point(&Vec3::new(0.0, aside, height)),
                        orientation: pose.orientation
                            * Quat::from_axis_angle(&Vec3::y_axis(), swing),
                    }
                });
                add(mesh, poses, Class::Pedestrian);
            };
            for side in [1.0, -1.0] {
                limb(leg, [HIPS[0], side * HIPS[1]], side);
                limb(arm, [SHOULDERS[0], side * SHOULDERS[1]], -side);
            }
        }
        parts
    }
}

/// A head on its post; it is looked at along x.
fn head(shown: Light) -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    builder.column([0.0; 3], &[[-0.3, 0.06], [2.5, 0.06]], 12, CASE);
    builder.block([0.0, 0.0, 2.95], [0.25, 0.36, 1.0], CASE);
    // red above, amber, green
    for (light, colour, z) in
        [(Light::Red, RED, 3.26), (Light::Amber, AMBER, 2.95), (Light::Green, GREEN, 2.64)]
    {
        let material = if light == shown { colour } else { DARK };
        let round = |k: usize| {
            // counter-clockwise seen by those who come along x
            let turn = -std::f64::consts::TAU * k as f64 / 16.0;
            [-0.13, 0.13 * sin(turn) as f32, z + 0.13 * cos(turn) as f32]
        };
        let disc: Vec<[f32; 3]> = (0..16).map(round).collect();
        builder.face(&disc, material);
    }
    builder
}

/// An arm along x in stripes of red and white.
fn arm(boom: &Boom) -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let stripes = (boom.length / STRIPE).ceil().max(1.0) as usize;
    let side = (boom.length / stripes as f64) as f32;
    for stripe in 0..stripes {
        let material = if stripe % 2 == 0 { RED } else { WHITE };
        builder.block([(stripe as f32 + 0.5) * side, 0.0, 0.0], [side, 0.08, 0.12], material);
    }
    // what weighs against it
    builder.block([-0.35, 0.0, 0.0], [0.7, 0.2, 0.25], CASE);
    builder
}

/// Trunk and head of one on foot.
fn trunk() -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let coat = [[0.85, 0.0], [0.85, 0.17], [1.2, 0.19], [1.45, 0.2], [1.5, 0.07]];
    builder.column([0.0; 3], &coat, 14, JACKET);
    let face = [[1.48, 0.06], [1.55, 0.09], [1.64, 0.1], [1.71, 0.08], [1.75, 0.0]];
    builder.column([0.0; 3], &face, 14, SKIN);
    builder
}

/// A limb that hangs from its joint.
fn limb(length: f32, radius: f32, material: Material) -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let outline = [
        [-length, 0.0],
        [-length, 0.75 * radius],
        [-0.5 * length, radius],
        [0.0, radius],
        [0.04, 0.0],
    ];
    builder.column([0.0; 3], &outline, 10, material);
    builder
}
