//! A world as its sensors see it: meshes of its agents at their poses, scenery, soils.

use super::roadside_visual::RoadsideVisual;
use super::visuals::{VehicleVisual, VisualMeshes, visual};
use bekker_agent::{
    AgentModel, AnyVehicle, GroundVehicle, Obstacles, Pedestrian, SceneryObject, TrafficLight,
};
use bekker_ground::GroundModel;
use bekker_math::numeric::{acos, atan2, cos, hypot, sin};
use bekker_math::spatial::{Mat3, Pose, Quat, Vec3};
use bekker_sensor::air::Air;
use bekker_sensor::class::SurfaceClass;
use bekker_sensor::dust::DustSource;
use bekker_sensor::material::SoilAppearance;
use bekker_sensor::mesh::Mesh;
use bekker_sensor::relief::HeightPyramid;
use bekker_sensor::scene::{Instance, InstanceSet, Scene};
use bekker_sensor::sky::Sky;
use bekker_sync::message::{PartState, RunningGearMessage, VehicleMessage};
use bekker_vehicle::collision::Stem;
use bekker_vehicle::spec::TrackedSpec;
use std::sync::Arc;

/// Imported meshes for a world.
#[derive(Clone, Debug, Default)]
pub struct ImportedMeshes {
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// Meshes that replace the built-in ones, by index of the agent. May be shorter than the
    /// agents.
    pub visuals: Vec<VisualMeshes>,
}

/// Parts of a world that cameras and lidars see.
#[derive(Clone, Copy, Debug)]
pub struct VisibleWorld<'a> {
    /// Undisturbed ground.
    pub ground: &'a GroundModel,
    /// Vehicles.
    pub agents: &'a [AgentModel],
    /// Traffic lights and barriers.
    pub lights: &'a [TrafficLight],
    /// Pedestrians.
    pub pedestrians: &'a [Pedestrian],
}

/// Objects of a world as sensors see them, and their lighting.
#[derive(Clone, Debug)]
pub struct SceneModel {
    meshes: Vec<Mesh>,
    visuals: Vec<VehicleVisual>,
    soils: Vec<SoilAppearance>,
    /// Instances of props, by index, and the set of all of them.
    props: Vec<Instance>,
    standing: Arc<InstanceSet>,
    /// Traffic lights, barriers and pedestrians, which change with time.
    roadside: RoadsideVisual,
    /// Loose material of each soil that can rise into the air.
    pub(super) loose: Vec<Option<DustSource>>,
    /// Sun and sky.
    pub sky: Sky,
    /// State of the air without what vehicles raise.
    pub air: Air,
    /// Amount of dust and thrown snow relative to the laws; 0 for none.
    pub dust: f64,
    /// Wind near the ground along x and y, m/s. It carries dust.
    pub wind: [f64; 2],
    /// Graphics card that makes the frames, if any.
    #[cfg(feature = "gpu")]
    pub gpu: Option<std::sync::Arc<bekker_sensor::gpu::GpuDevice>>,
}

impl SceneModel {
    /// Creates the scene model of a world with these props.
    pub fn new<'a>(world: impl Into<VisibleWorld<'a>>, props: &[SceneryObject]) -> SceneModel {
        SceneModel::with_meshes(world, props, ImportedMeshes::default())
    }

    /// Creates the scene model of a world with these props and imported meshes.
    pub fn with_meshes<'a>(
        world: impl Into<VisibleWorld<'a>>,
        props: &[SceneryObject],
        imported: ImportedMeshes,
    ) -> SceneModel {
        let VisibleWorld { ground, agents, lights, pedestrians } = world.into();
        let ImportedMeshes { mut meshes, visuals: own } = imported;
        let mut visuals: Vec<VehicleVisual> = Vec::new();
        let own = |index: usize| own.get(index).copied().unwrap_or_default();
        for (index, agent) in agents.iter().enumerate() {
            // Agents with the same vehicle share its meshes.
            let like = agents[..index].iter().enumerate().position(|(other, agent_too)| {
                agent_too.vehicle.name() == agent.vehicle.name() && own(other) == own(index)
            });
            visuals.push(match like {
                Some(other) => visuals[other].clone(),
                None => visual(&agent.vehicle, &own(index), &mut meshes),
            });
        }
        let terrain = ground.terrain();
        let props = super::scenery::instances(props, terrain, &mut meshes);
        let roadside = RoadsideVisual::new(lights, pedestrians, &mut meshes);
        let standing = Arc::new(InstanceSet::new(&meshes, &props));
        let soils = ground.soils().iter().map(SoilAppearance::from_soil).collect();
        let loose = ground.soils().iter().map(DustSource::from_soil).collect();
        let (sky, air) = (Sky::default(), Air::default());
        SceneModel {
            meshes,
            visuals,
            soils,
            props,
            standing,
            roadside,
            loose,
            sky,
            air,
            dust: 1.0,
            wind: [0.0; 2],
            #[cfg(feature = "gpu")]
            gpu: None,
        }
    }

    /// Meshes to which the instances refer by index.
    pub fn meshes(&self) -> &[Mesh] {
        &self.meshes
    }

    /// Appearance of each soil, by its index.
    pub fn soils(&self) -> &[SoilAppearance] {
        &self.soils
    }

    /// Instances of props, by index, before any was felled.
    pub fn props(&self) -> &[Instance] {
        &self.props
    }

    /// Returns the instances that move, at two keyframes: their times, µs, and the messages of all
    /// agents.
    pub fn moving<'a>(
        &self,
        world: impl Into<VisibleWorld<'a>>,
        moments_us: [u64; 2],
        messages: [&[VehicleMessage]; 2],
    ) -> InstanceSet {
        InstanceSet::new(&self.meshes, &self.parts(world, moments_us, messages))
    }

    /// Returns the moving instances at two keyframes.
    ///
    /// They are ordered by agent, and in a fixed order within an agent. Those at the roadside
    /// follow.
    pub fn parts<'a>(
        &self,
        world: impl Into<VisibleWorld<'a>>,
        moments_us: [u64; 2],
        messages: [&[VehicleMessage]; 2],
    ) -> Vec<Instance> {
        let [before, now] = messages;
        let told = before.iter().zip(now).map(|(before, now)| [before, now]);
        self.parts_with(world.into(), moments_us, told.enumerate())
    }

    /// Does the same as [`SceneModel::parts`] for some agents, in ascending order.
    pub(super) fn parts_with<'m>(
        &self,
        world: VisibleWorld<'_>,
        moments_us: [u64; 2],
        told: impl Iterator<Item = (usize, [&'m VehicleMessage; 2])>,
    ) -> Vec<Instance> {
        let mut instances = Vec::new();
        for (index, told) in told {
            let Some(agent) = world.agents.get(index) else { continue };
            let [before, now] =
                told.map(|message| parts(&agent.vehicle, &self.visuals[index], message));
            // The number of shoes changes as they enter and leave the drawn band.
            let paired = before.len() == now.len();
            for (k, (mesh, class, pose)) in now.iter().enumerate() {
                let earlier = if paired { before[k].2 } else { *pose };
                instances.push(Instance {
                    mesh: *mesh,
                    poses: [earlier, *pose],
                    scale: 1.0,
                    agent: index as u16,
                    class: *class,
                });
            }
        }
        let VisibleWorld { ground, lights, pedestrians, .. } = world;
        instances.extend(self.roadside.parts(lights, pedestrians, ground.terrain(), moments_us));
        instances
    }

    /// Returns the static instances for this damage of the obstacles.
    pub fn standing_props(&self, obstacles: &Obstacles, damage: &[u16]) -> Arc<InstanceSet> {
        let felled = self.felled(obstacles, damage);
        if felled.is_empty() {
            return self.standing.clone();
        }
        let mut props = self.props.clone();
        for (prop, instance) in felled {
            props[prop] = instance;
        }
        Arc::new(InstanceSet::new(&self.meshes, &props))
    }

    /// Returns the props that have fallen for this damage of the obstacles, each with its index.
    pub fn felled(&self, obstacles: &Obstacles, damage: &[u16]) -> Vec<(usize, Instance)> {
        let fallen = damage.iter().enumerate().filter_map(|(index, damage)| {
            let (prop, heading) = (obstacles.prop(index)?, Stem::fall_heading(*damage)?);
            let mut instance = *self.props.get(prop)?;
            tilt_to_ground(&mut instance, heading);
            Some((prop, instance))
        });
        fallen.collect()
    }

    /// Assembles the scene for sensors at one position.
    pub fn scene<'a>(
        &'a self,
        world: impl Into<VisibleWorld<'a>>,
        relief: &'a HeightPyramid,
        moving: &'a InstanceSet,
    ) -> Scene<'a> {
        Scene {
            model: world.into().ground,
            relief,
            soils: &self.soils,
            meshes: &self.meshes,
            standing: &self.standing,
            moving,
            sky: self.sky,
            air: &self.air,
        }
    }
}

/// Tilts an instance to the ground towards a heading, rad, about its foot.
fn tilt_to_ground(instance: &mut Instance, heading: f64) {
    let axis = Vec3::new(-sin(heading), cos(heading), 0.0);
    let turn = Quat::from_scaled_axis(axis * FALLEN_TILT);
    for pose in &mut instance.poses {
        pose.orientation = turn * pose.orientation;
    }
}

/// Tilt of a fallen tree, rad. Its crown keeps it off the ground.
const FALLEN_TILT: f64 = 1.45;

type PlacedMesh = (usize, SurfaceClass, Pose);

/// Meshes of a vehicle at their poses.
fn parts(
    ground_vehicle: &AnyVehicle,
    visual: &VehicleVisual,
    message: &VehicleMessage,
) -> Vec<PlacedMesh> {
    let chassis = &message.chassis;
    let world = |pose: &Pose| Pose {
        position: chassis.point(&pose.position),
        orientation: chassis.orientation * pose.orientation,
    };
    let mut placed = vec![(visual.hull, SurfaceClass::Vehicle, *chassis)];
    let wheels = message.gear.ground_wheels();
    let half_turn = Quat::from_scaled_axis(Vec3::z() * std::f64::consts::PI);
    for (index, wheel) in wheels.iter().enumerate() {
        let Pose { position, mut orientation } = wheel.pose;
        let aside = orientation * Vec3::y();
        if visual.handed && position.y < 0.0 {
            orientation *= half_turn;
        }
        let mesh = visual.wheels.get(index / 2).or(visual.wheels.last());
        let Some(&mesh) = mesh else { continue };
        let mut place = |position: Vec3| {
            placed.push((mesh, SurfaceClass::Wheel, world(&Pose { position, orientation })));
        };
        match visual.twins.get(index / 2) {
            Some(&apart) if apart > 0.0 => {
                place(position + aside * (0.5 * apart));
                place(position - aside * (0.5 * apart));
            }
            _ => place(position),
        }
    }
    let arms = visual.arms.iter().filter_map(|arm| arm.placed(message));
    placed.extend(arms.map(|(mesh, pose)| (mesh, SurfaceClass::Vehicle, pose)));
    if let (
        Some(track),
        AnyVehicle::Tracked(own),
        RunningGearMessage::Tracks { shoes, sprockets, idlers, .. },
    ) = (&visual.track, ground_vehicle, &message.gear)
    {
        let mut add = |mesh: usize, all: &[PartState]| {
            placed.extend(all.iter().map(|part| (mesh, SurfaceClass::Wheel, world(&part.pose))));
        };
        add(track.sprocket, sprockets);
        add(track.idler, idlers);
        let sides = own.shoe_poses(&message.gear);
        let mut poses = Vec::new();
        for (side, lower) in sides.into_iter().enumerate() {
            if let (true, Some(front), Some(rear)) =
                (shoes.is_empty(), sprockets.get(side), idlers.get(side))
            {
                let spec = own.vehicle.spec();
                poses.extend(upper_run(spec, &lower, [&front.pose, &rear.pose]));
            }
            poses.extend(lower);
        }
        placed.extend(poses.iter().map(|pose| (track.shoe, SurfaceClass::TrackShoe, world(pose))));
    }
    placed
}

/// A wheel around which a track runs, in the plane of the track.
struct Circle {
    /// Center (x, z), m.
    center: [f64; 2],
    /// Radius, m.
    radius: f64,
}

impl Circle {
    /// Direction from the center to a point, rad.
    fn angle_of(&self, [x, z]: [f64; 2]) -> f64 {
        atan2(z - self.center[1], x - self.center[0])
    }
}

/// Returns the shoes from the idler over the top to the sprocket, in the chassis frame.
///
/// Shoes on the lower run carry loads and are part of messages. The others are interpolated between
/// the ends of the lower run.
fn upper_run(spec: &TrackedSpec, lower: &[Pose], [sprocket, idler]: [&Pose; 2]) -> Vec<Pose> {
    let [Some(first), Some(last)] = [lower.first(), lower.last()] else { return Vec::new() };
    let pitch = spec.shoe.pitch;
    let y = first.position.y;
    let half = 0.5 * pitch;
    let pin = |pose: &Pose, end: f64| {
        let p = pose.point(&Vec3::new(end * half, 0.0, 0.0));
        [p.x, p.z]
    };
    let (start, goal) = (pin(last, -1.0), pin(first, 1.0));
    let center = |pose: &Pose| [pose.position.x, pose.position.z];
    let rear = Circle { center: center(idler), radius: spec.idler.radius + spec.shoe.top };
    let front = Circle { center: center(sprocket), radius: spec.pitch_radius() };
    // The straight section on top is tangent to both circles, so it touches them in the same
    // direction.
    let (dx, dz) = (front.center[0] - rear.center[0], front.center[1] - rear.center[1]);
    let span = hypot(dx, dz);
    let top = atan2(dz, dx) + acos((rear.radius - front.radius) / span);
    let mut points = vec![start];
    let mut arc = |circle: &Circle, from: f64, to: f64| {
        // In the direction of the band: clockwise, seen from the right.
        let turn = (from - to).rem_euclid(std::f64::consts::TAU);
        let turn = if turn > 5.5 { 0.0 } else { turn };
        let steps = (turn / 0.1).ceil() as usize;
        for k in 0..=steps {
            let at = from - turn * k as f64 / steps.max(1) as f64;
            let Circle { center: [x, z], radius } = circle;
            points.push([x + radius * cos(at), z + radius * sin(at)]);
        }
    };
    arc(&rear, rear.angle_of(start), top);
    arc(&front, top, front.angle_of(goal));
    points.push(goal);
    // The number of shoes is rounded, so their spacing may differ slightly from the pitch.
    let lengths: Vec<f64> =
        points.windows(2).map(|p| hypot(p[1][0] - p[0][0], p[1][1] - p[0][1])).collect();
    let whole: f64 = lengths.iter().sum();
    let count = (whole / pitch).round().max(1.0) as usize;
    let step = whole / count as f64;
    let at = |mut along: f64| {
        for (k, length) in lengths.iter().enumerate() {
            if along <= *length || k + 1 == lengths.len() {
                let share = if *length > 0.0 { along / length } else { 0.0 };
                let [a, b] = [points[k], points[k + 1]];
                return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
            }
            along -= length;
        }
        goal
    };
    (0..count)
        .map(|k| {
            let [a, b] = [at(k as f64 * step), at((k + 1) as f64 * step)];
            // The x axis points back along the path, as on the lower run, where it points to the
            // front.
            let (front, rear) = (Vec3::new(a[0], y, a[1]), Vec3::new(b[0], y, b[1]));
            let x = (front - rear).try_normalize(1e-9).unwrap_or_else(Vec3::x);
            let z = x.cross(&Vec3::y());
            let axes = Mat3::from_columns(&[x, Vec3::y(), z]);
            let turn = nalgebra::Rotation3::from_matrix_unchecked(axes);
            Pose { position: (front + rear) * 0.5, orientation: Quat::from_rotation_matrix(&turn) }
        })
        .collect()
}
