//! Cameras and lidars of own agents look at the world after a heartbeat.

use super::scene::Stage;
use super::world::World;
use crate::sensor::air::Air;
use crate::sensor::camera::{Camera, CameraSpec, Channel, Dice, Image};
use crate::sensor::lidar::{Cloud, LidarSpec, Part};
use crate::sensor::noise::Noise;
use crate::sensor::relief::Relief;
use crate::sensor::scene::{Crowd, Scene, between};
use crate::sensor::{Model, Reading, Sensor, SensorState};
use crate::spatial::{Pose, Quat, Vec3};
use crate::sync::message::{PartState, RunningGear, VehicleState as VehicleMessage};
use std::sync::Arc;

/// Over a part of a scan no wheel turns farther than this, rad.
const TURN: f64 = 1.5;
/// Parts of a scan at most.
const PARTS: usize = 10;

/// What looking needs from heartbeat to heartbeat; nothing of it is state.
#[derive(Clone, Debug, Default)]
pub(super) struct Eyes {
    /// The ground around each agent that looks.
    reliefs: Vec<Option<Relief>>,
    /// What other ranks' agents told last.
    pub heard: Vec<Option<VehicleMessage>>,
}

impl World {
    /// Takes the frames that own agents' cameras and lidars owe after the heartbeat
    /// between two moments, µs.
    pub(super) fn look(&mut self, [before_us, now_us]: [u64; 2]) {
        let Some(stage) = self.model().stage.clone() else { return };
        let owing: Vec<usize> = (0..self.model().agents.len())
            .filter(|&agent| self.is_own(agent) && self.state().agents[agent].outcome.is_none())
            .filter(|&agent| {
                let sensors = &self.model().agents[agent].sensors;
                sensors.iter().any(|sensor| sensor.owes(before_us, now_us).is_some())
            })
            .collect();
        if owing.is_empty() {
            return;
        }
        let told = self.told();
        for agent in owing {
            let chassis = told[agent].chassis.position;
            let at = [chassis.x, chassis.y];
            let mut relief = self.eyes.reliefs.get_mut(agent).and_then(Option::take);
            let (model, state) = (&self.model, &mut self.state);
            match &mut relief {
                Some(relief) => relief.update(&model.ground, &state.published, at),
                None => relief = Some(Relief::around(&model.ground, &state.published, at)),
            }
            let around = relief.as_ref().expect("made above");
            let air = stage.air_around(model, &told, now_us, &told[agent].chassis.position);
            let shown = Shown { stage: &stage, model, relief: around, told: &told, air: &air };
            let own = &mut state.agents[agent].sensors;
            let out = &mut self.workspaces[agent].delivered;
            for (index, sensor) in model.agents[agent].sensors.iter().enumerate() {
                let Some(due) = sensor.owes(before_us, now_us) else { continue };
                let own = &mut own[index];
                if let Some(reading) = shown.taken(sensor, own, now_us, due.frame as u32) {
                    sensor.take(index as u32, own, due, reading);
                    sensor.deliver(own, now_us, out);
                }
            }
            self.eyes.reliefs.resize_with(model.agents.len(), || None);
            self.eyes.reliefs[agent] = relief;
        }
    }
}

/// The world as it is shown to one agent's sensors.
struct Shown<'a> {
    stage: &'a Arc<Stage>,
    model: &'a super::WorldModel,
    relief: &'a Relief,
    told: &'a [VehicleMessage],
    air: &'a Air,
}

impl Shown<'_> {
    fn taken(
        &self,
        sensor: &Sensor,
        state: &SensorState,
        now_us: u64,
        frame: u32,
    ) -> Option<Reading> {
        match &sensor.model {
            Model::Camera(spec) => {
                Some(Reading::Image(self.picture(spec, state, now_us, &sensor.noise, frame)?))
            }
            Model::Lidar(spec) => {
                let window = sensor.schedule.window();
                Some(Reading::Cloud(self.scan(spec, state, now_us, window, &sensor.noise, frame)))
            }
            _ => None,
        }
    }

    /// The agents as they move from `ago[0]` to `ago[1]` seconds before now, each at the
    /// twist that it has now: what they did before is no state, and a run that is
    /// resumed sees what one that was not cut sees.
    fn moving(&self, ago: [f64; 2]) -> Crowd {
        let [from, to] = ago.map(|ago| -> Vec<VehicleMessage> {
            self.told.iter().map(|told| rewound(told, ago)).collect()
        });
        self.stage.moving(self.model, [&from, &to])
    }

    fn scene<'s>(&'s self, moving: &'s Crowd) -> Scene<'s> {
        Scene { air: self.air, ..self.stage.scene(self.model, self.relief, moving) }
    }

    fn picture(
        &self,
        spec: &CameraSpec,
        state: &SensorState,
        now_us: u64,
        noise: &Noise,
        frame: u32,
    ) -> Option<Image> {
        let camera = Camera::of(spec)?;
        let span = camera.exposure + camera.readout;
        let moving = self.moving([span, 0.0]);
        let poses = [at(state, now_us, span), at(state, now_us, 0.0)];
        let dice = Dice { noise: *noise, frame };
        let mut image = camera.picture(&self.scene(&moving), &poses, span, &dice);
        let asked = |channel| spec.channels.contains(&channel);
        if !asked(Channel::Colour) {
            image.colour = Vec::new();
        } else if let Some(chip) = &spec.noise {
            chip.expose(&mut image, spec.exposure, noise, frame);
        }
        if !asked(Channel::Depth) {
            image.depth = Vec::new();
        }
        if !asked(Channel::Normal) {
            image.normal = Vec::new();
        }
        if !asked(Channel::Class) {
            image.class = Vec::new();
        }
        if !asked(Channel::Instance) {
            image.instance = Vec::new();
        }
        if !asked(Channel::Ground) {
            (image.soil, image.sinkage) = (Vec::new(), Vec::new());
            (image.slip, image.passes) = (Vec::new(), Vec::new());
            image.owner = Vec::new();
        }
        Some(image)
    }

    fn scan(
        &self,
        lidar: &LidarSpec,
        state: &SensorState,
        now_us: u64,
        window: f64,
        noise: &Noise,
        frame: u32,
    ) -> Cloud {
        let fastest = self.told.iter().map(spin).fold(0.0, f64::max);
        let parts = ((fastest * window / TURN).ceil() as usize).clamp(1, PARTS);
        let mut cloud = Cloud::default();
        for part in 0..parts {
            let shares = [part, part + 1].map(|part| part as f64 / parts as f64);
            let moving = self.moving(shares.map(|share| window * (1.0 - share)));
            let pose = |share: f64| at(state, now_us, window * (1.0 - share));
            let part = Part { shares, period: window, frame };
            lidar.scan(&self.scene(&moving), pose, &part, noise, &mut cloud);
        }
        cloud
    }
}

/// Own pose of a sensor `ago` seconds before now, by its track.
fn at(state: &SensorState, now_us: u64, ago: f64) -> Pose {
    let moment = now_us as f64 - 1e6 * ago;
    let mut before: Option<&(u64, Pose)> = None;
    for point in state.track() {
        if point.0 as f64 >= moment {
            return match before {
                Some((earlier, pose)) => {
                    let share = (moment - *earlier as f64) / (point.0 - earlier) as f64;
                    between(&[*pose, point.1], share)
                }
                None => point.1,
            };
        }
        before = Some(point);
    }
    before.map_or_else(Pose::default, |(_, pose)| *pose)
}

/// The fastest spin of any part, rad/s.
fn spin(told: &VehicleMessage) -> f64 {
    let fastest = |parts: &[PartState]| parts.iter().map(|p| p.spin.abs()).fold(0.0, f64::max);
    match &told.gear {
        RunningGear::Wheels(wheels) => fastest(wheels),
        RunningGear::Tracks { sprockets, idlers, road_wheels, .. } => {
            fastest(sprockets).max(fastest(idlers)).max(fastest(road_wheels))
        }
    }
}

/// An agent as it was `ago` seconds before, had it moved at its present twist.
fn rewound(told: &VehicleMessage, ago: f64) -> VehicleMessage {
    if ago == 0.0 || told.ended {
        return told.clone();
    }
    let mut told = told.clone();
    let turned = |rate: Vec3| Quat::from_scaled_axis(rate * -ago);
    told.chassis = Pose {
        position: told.chassis.position - told.velocity * ago,
        orientation: turned(told.angular_velocity) * told.chassis.orientation,
    };
    let back = |parts: &mut [PartState]| {
        for part in parts {
            part.pose.orientation *= turned(Vec3::y() * part.spin);
        }
    };
    match &mut told.gear {
        RunningGear::Wheels(wheels) => back(wheels),
        RunningGear::Tracks { sprockets, idlers, road_wheels, .. } => {
            [sprockets, idlers, road_wheels].into_iter().for_each(|parts| back(parts));
        }
    }
    told
}
