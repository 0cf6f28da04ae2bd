//! Traffic lights, barriers and pedestrians as sensors see them.
//!
//! Lamps emit no light: the material of a lit lamp is bright, and that of an unlit lamp is dark.

use bekker_agent::{ARM_HEIGHT, BarrierArm, OPEN_ARM_ANGLE, Pedestrian, SignalColor, TrafficLight};
use bekker_ground::terrain::Terrain;
use bekker_math::numeric::{cos, sin};
use bekker_math::spatial::{Pose, Quat, Vec3};
use bekker_sensor::class::SurfaceClass;
use bekker_sensor::material::Material;
use bekker_sensor::mesh::{Mesh, MeshBuilder};
use bekker_sensor::scene::Instance;

/// Agent index of instances that belong to no agent.
const NO_AGENT: u16 = u16::MAX - 1;
/// Length of a stripe of a barrier's arm, m.
const STRIPE: f64 = 0.5;
/// Height, m, and lateral offset to each side, m, of a pedestrian's hips and shoulders.
const HIPS: [f64; 2] = [0.9, 0.1];
const SHOULDERS: [f64; 2] = [1.42, 0.24];
/// Amplitude of the legs' swing, rad, and the distance of one full swing, m.
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

/// Indices of the meshes at the roadside.
#[derive(Clone, Debug, Default)]
pub(crate) struct RoadsideVisual {
    /// Signal heads that show red, amber and green.
    heads: [usize; 3],
    /// Barrier arm of each light, if it has one.
    arms: Vec<Option<usize>>,
    /// Trunk with head, leg, arm.
    body: [usize; 3],
}

impl RoadsideVisual {
    /// Adds the meshes that these objects need.
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
        if lights.iter().any(|light| light.arm.is_none()) {
            visual.heads = [SignalColor::Red, SignalColor::Amber, SignalColor::Green]
                .map(|light| add(head(light)));
        }
        visual.arms = lights.iter().map(|light| light.arm.map(|own| add(arm(&own)))).collect();
        if !pedestrians.is_empty() {
            visual.body =
                [add(trunk()), add(limb(0.9, 0.085, TROUSERS)), add(limb(0.65, 0.06, JACKET))];
        }
        visual
    }

    /// Returns all instances at two times, µs.
    pub fn parts(
        &self,
        lights: &[TrafficLight],
        pedestrians: &[Pedestrian],
        terrain: &Terrain,
        moments_us: [u64; 2],
    ) -> Vec<Instance> {
        let mut parts = Vec::new();
        let mut add = |mesh: usize, poses: [Pose; 2], class: SurfaceClass| {
            parts.push(Instance { mesh, poses, scale: 1.0, agent: NO_AGENT, class });
        };
        for (light, arm) in lights.iter().zip(&self.arms) {
            if let (Some(mesh), Some(boom)) = (arm, light.arm) {
                let poses = moments_us.map(|now_us| {
                    let lift = OPEN_ARM_ANGLE * light.lift(now_us).unwrap_or_default();
                    let [x, y] = light.place;
                    let turn = Quat::from_axis_angle(&Vec3::z_axis(), boom.heading)
                        * Quat::from_axis_angle(&Vec3::y_axis(), -lift);
                    let position = Vec3::new(x, y, terrain.height(x, y) + ARM_HEIGHT);
                    Pose { position, orientation: turn }
                });
                add(*mesh, poses, SurfaceClass::Other);
                continue;
            }
            // The signal is that at the end of the frame.
            for (approach, timing) in light.approaches.iter().zip(light.timings(moments_us[1])) {
                let [x, y] = TrafficLight::head(approach);
                let pose = Pose {
                    position: Vec3::new(x, y, terrain.height(x, y)),
                    orientation: Quat::from_axis_angle(&Vec3::z_axis(), approach.heading),
                };
                add(self.heads[timing.light as usize], [pose; 2], SurfaceClass::Post);
            }
        }
        let [trunk, leg, arm] = self.body;
        for own in pedestrians {
            let at = moments_us.map(|now_us| (own.pose(terrain, now_us), own.motion(now_us)));
            add(trunk, at.map(|(pose, _)| pose), SurfaceClass::Pedestrian);
            let mut limb = |mesh: usize, [height, aside]: [f64; 2], sense: f64| {
                let poses = at.map(|(pose, motion)| {
                    let phase = std::f64::consts::TAU * motion.distance / TWO_STEPS;
                    let swing = if motion.speed > 0.0 { sense * SWING * sin(phase) } else { 0.0 };
                    Pose {
                        position: pose.point(&Vec3::new(0.0, aside, height)),
                        orientation: pose.orientation
                            * Quat::from_axis_angle(&Vec3::y_axis(), swing),
                    }
                });
                add(mesh, poses, SurfaceClass::Pedestrian);
            };
            for side in [1.0, -1.0] {
                limb(leg, [HIPS[0], side * HIPS[1]], side);
                limb(arm, [SHOULDERS[0], side * SHOULDERS[1]], -side);
            }
        }
        parts
    }
}

/// A signal head on its post, facing -x.
fn head(shown: SignalColor) -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    builder.column([0.0; 3], &[[-0.3, 0.06], [2.5, 0.06]], 12, CASE);
    builder.block([0.0, 0.0, 2.95], [0.25, 0.36, 1.0], CASE);
    // From top to bottom: red, amber, green.
    for (light, color, z) in [
        (SignalColor::Red, RED, 3.26),
        (SignalColor::Amber, AMBER, 2.95),
        (SignalColor::Green, GREEN, 2.64),
    ] {
        let material = if light == shown { color } else { DARK };
        let round = |k: usize| {
            // Counterclockwise for a viewer who looks along x.
            let turn = -std::f64::consts::TAU * k as f64 / 16.0;
            [-0.13, 0.13 * sin(turn) as f32, z + 0.13 * cos(turn) as f32]
        };
        let disc: Vec<[f32; 3]> = (0..16).map(round).collect();
        builder.face(&disc, material);
    }
    builder
}

/// A barrier arm along x with red and white stripes.
fn arm(boom: &BarrierArm) -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let stripes = (boom.length / STRIPE).ceil().max(1.0) as usize;
    let side = (boom.length / stripes as f64) as f32;
    for stripe in 0..stripes {
        let material = if stripe % 2 == 0 { RED } else { WHITE };
        builder.block([(stripe as f32 + 0.5) * side, 0.0, 0.0], [side, 0.08, 0.12], material);
    }
    // Counterweight.
    builder.block([-0.35, 0.0, 0.0], [0.7, 0.2, 0.25], CASE);
    builder
}

/// Trunk and head of a pedestrian.
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
