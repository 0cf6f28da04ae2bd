//! The constant part of a run, and its messages.

use super::chunk::{COARSEST, Chunk};
use super::message::{EncodedMessage, MessageBuilder, MessageKind, text};
use super::traffic::lights;
use bekker_agent::GroundVehicle;
use bekker_math::spatial::Vec3;
use bekker_sensor::mesh::Mesh;
use bekker_sensor::scene::Instance;
use bekker_sensor::{Model as SensorModel, Sensor};
use bekker_world::{SceneModel, WorldModel};
use serde_json::json;
use std::sync::Arc;

/// Distance from the start of the first vehicle up to which an unbounded terrain is shown, m.
const REACH: f64 = 2000.0;

/// Largest number of chunks at the coarsest level that is sent.
const MOST_ROOTS: i64 = 16;

/// Source of the messages of a page; it determines the user's controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageSource {
    /// A running simulation, which can be paused and paced.
    Live,
    /// A recorded run that is simulated again, with access to any time.
    Recorded,
    /// A self-contained file.
    File,
}

impl MessageSource {
    fn word(self) -> &'static str {
        match self {
            MessageSource::Live => "live",
            MessageSource::Recorded => "recorded",
            MessageSource::File => "file",
        }
    }
}

/// History of a vehicle from the run's table of states; all columns have the same length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateSeries {
    /// Index of the vehicle.
    pub vehicle: usize,
    /// Simulated times, s.
    pub times: Vec<f64>,
    /// Positions, m.
    pub positions: [Vec<f64>; 2],
    /// Forward speeds, m/s.
    pub speeds: Vec<f64>,
    /// Mean slips of the wheels; NaN if not recorded, like the next column.
    pub slips: Vec<f64>,
    /// Sinkages of the deepest wheel, m.
    pub sinkages: Vec<f64>,
}

/// Constant data of a displayed run.
#[derive(Clone, Debug)]
pub struct DisplayedRun {
    /// Name of the scenario.
    pub name: String,
    /// Simulated time at which the run ends, s.
    pub duration: f64,
    /// Model of the world.
    pub model: Arc<WorldModel>,
    /// Geometry and colors of the scene.
    pub scene: Arc<SceneModel>,
    /// Histories of the vehicles, for plots; empty if the page collects them from frames.
    pub states: Vec<StateSeries>,
    /// Origin of the transmitted coordinates, m, chosen so that single precision suffices.
    pub(super) origin: Vec3,
}

impl DisplayedRun {
    /// Creates the view of a world; `start` is the start position of the first vehicle, m.
    pub fn new(
        name: &str,
        duration: f64,
        model: Arc<WorldModel>,
        scene: Arc<SceneModel>,
        start: Vec3,
    ) -> DisplayedRun {
        let (name, states, origin) = (name.into(), Vec::new(), start.map(f64::round));
        DisplayedRun { name, duration, model, scene, states, origin }
    }

    /// The messages that a page needs before all others.
    pub fn messages(&self, source: MessageSource) -> Vec<EncodedMessage> {
        let mut messages = vec![self.head(source)];
        let meshes = self.scene.meshes().iter().enumerate();
        messages.extend(meshes.map(|(index, mesh)| geometry(index, mesh)));
        messages.push(self.props());
        if !self.states.is_empty() {
            messages.push(self.histories());
        }
        messages
    }

    fn histories(&self) -> EncodedMessage {
        let mut writer = MessageBuilder::new(MessageKind::States);
        writer.u32(self.states.len());
        for StateSeries { vehicle, times, positions: [xs, ys], speeds, slips, sinkages } in
            &self.states
        {
            writer.u32(*vehicle).u32(times.len());
            let columns = [times, xs, ys, speeds, slips, sinkages];
            let offsets = [0.0, self.origin.x, self.origin.y, 0.0, 0.0, 0.0];
            for (column, offset) in columns.into_iter().zip(offsets) {
                for value in column {
                    writer.f64(value - offset);
                }
            }
        }
        writer.finish()
    }

    /// The coarsest chunks, which cover the whole displayed area.
    pub(super) fn roots(&self) -> Vec<Chunk> {
        let ground = &self.model.ground;
        let [west, south, east, north] = ground.terrain().bounds();
        let bounded = |low: f64, high: f64, middle: f64| {
            let low = if low.is_finite() { low } else { middle - REACH };
            [low, if high.is_finite() { high } else { middle + REACH }]
        };
        let spans = [bounded(west, east, self.origin.x), bounded(south, north, self.origin.y)];
        let within = |level: u32| {
            let side = Chunk::side(ground, level);
            spans
                .map(|[low, high]| [(low / side).floor() as i64, ((high / side).ceil() as i64 - 1)])
        };
        let few = |level: &u32| {
            within(*level).iter().map(|[a, b]| (b - a + 1).max(1)).product::<i64>() <= MOST_ROOTS
        };
        let level = (0..=COARSEST).find(few).unwrap_or(COARSEST);
        let [[i0, i1], [j0, j1]] = within(level);
        let chunk = |i: i64, j: i64| Chunk { level, i: i as i32, j: j as i32 };
        (j0..=j1.max(j0)).flat_map(|j| (i0..=i1.max(i0)).map(move |i| chunk(i, j))).collect()
    }

    fn head(&self, source: MessageSource) -> EncodedMessage {
        let WorldModel { ground, clock, agents, .. } = &*self.model;
        let looks = self.scene.soils().iter().zip(ground.soils());
        let soils: Vec<_> = looks
            .map(|(look, soil)| {
                json!({
                    "name": soil.name,
                    "fresh": look.fresh.albedo,
                    "pressed": look.pressed.albedo,
                })
            })
            .collect();
        let agents: Vec<_> = agents
            .iter()
            .map(|agent| json!({ "name": agent.name, "model": agent.vehicle.name() }))
            .collect();
        let is_lidar = |sensor: &Sensor| matches!(sensor.model, SensorModel::Lidar(_));
        let has_lidar = self.model.agents.iter().any(|agent| agent.sensors.iter().any(is_lidar));
        let light = self.scene.sky.light();
        let roots: Vec<_> =
            self.roots().iter().map(|chunk| json!([chunk.level, chunk.i, chunk.j])).collect();
        let bounds = ground.terrain().bounds();
        text(&json!({
            "kind": "scene",
            "source": source.word(),
            "name": self.name,
            "duration": self.duration,
            "step": clock.reported_time(1),
            "heartbeat": clock.reported_time(clock.steps_per_heartbeat()),
            "origin": [self.origin.x, self.origin.y, self.origin.z],
            "spacing": ground.lattice().spacing,
            "bounds": bounds.iter().all(|b| b.is_finite()).then_some(bounds),
            "soils": soils,
            "agents": agents,
            // scans are not stored in a file
            "lidars": has_lidar && source != MessageSource::File,
            "dust": self.scene.has_dust(),
            "roots": roots,
            "lights": lights(&self.model),
            "sky": {
                "to_sun": [light.to_sun.x, light.to_sun.y, light.to_sun.z],
                "sun": light.sun,
                "ambient": light.ambient,
                "zenith": light.zenith,
                "horizon": light.horizon,
            },
        }))
    }

    fn props(&self) -> EncodedMessage {
        let props = self.scene.props();
        let mut writer = MessageBuilder::new(MessageKind::Props);
        writer.u32(props.len());
        for Instance { mesh, poses, scale, .. } in props {
            writer.u32(*mesh);
            for value in (poses[1].position - self.origin).iter() {
                writer.f32(*value);
            }
            for value in poses[1].orientation.coords.iter() {
                writer.f32(*value);
            }
            writer.f32(*scale);
        }
        writer.finish()
    }
}

/// Encodes the corners of a mesh, three per triangle.
fn geometry(index: usize, mesh: &Mesh) -> EncodedMessage {
    let normals = mesh.corner_normals();
    let (mut turned, mut colors) = (Vec::new(), Vec::new());
    let mut writer = MessageBuilder::new(MessageKind::Mesh);
    writer.u32(index).u32(3 * mesh.triangles());
    for ([origin, first, second], corners, material) in mesh.faces() {
        let flat = [
            first[1] * second[2] - first[2] * second[1],
            first[2] * second[0] - first[0] * second[2],
            first[0] * second[1] - first[1] * second[0],
        ];
        let length = flat.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-12);
        let albedo = mesh.palette().get(material as usize).map_or([0.5; 3], |m| m.albedo);
        for (k, corner) in corners.iter().enumerate() {
            let edge = [[0.0; 3], first, second][k];
            for axis in 0..3 {
                writer.f32(f64::from(origin[axis] + edge[axis]));
            }
            let own = normals.get(*corner as usize).copied().unwrap_or_default();
            let normal = if own == [0.0; 3] { flat.map(|x| x / length) } else { own };
            turned.extend(normal.map(|x| (x * 127.0).round() as i8 as u8));
            turned.push(0);
            colors.extend(albedo.map(|c| (c.clamp(0.0, 1.0).sqrt() * 255.0).round() as u8));
            colors.push(255);
        }
    }
    writer.raw(&turned).raw(&colors);
    writer.finish()
}
