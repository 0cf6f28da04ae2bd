//! Cameras and lidars of own agents look at the world after a heartbeat.

use super::renderer::{Renderer, Renderers};
use super::scene::SceneModel;
use super::sight::{is_in_sight, sight};
use super::world::{World, WorldModel};
use crate::ground::{GroundModel, Published};
use crate::sensor::air::Air;
use crate::sensor::camera::{Camera, CameraSpec, Dice, Image, Take};
use crate::sensor::lidar::{Cloud, LidarSpec, Part, Rays};
use crate::sensor::relief::Relief;
use crate::sensor::scene::{InstanceSet, Scene, between};
use crate::sensor::{Awaited, Delivery, Due, Maker, Model, Reading, Sensor};
use crate::spatial::{Pose, Quat, Vec3};
use crate::sync::message::{PartState, RunningGear, VehicleState as VehicleMessage};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Over a part of a scan no wheel turns farther than this, rad.
const TURN: f64 = 1.5;
/// Who is farther out of sight than this, m, need not be asked how exactly it is told.
const CERTAIN: f64 = 20.0;
/// Parts of a scan at most.
const PARTS: usize = 10;

/// What looking needs from heartbeat to heartbeat; nothing of it is state.
#[derive(Debug, Default)]
pub(super) struct Imaging {
    /// Of each agent that looks.
    imagers: BTreeMap<usize, Imager>,
    /// What other ranks' agents told last.
    pub received: Vec<Option<VehicleMessage>>,
    renderers: Renderers,
}

/// Another world looks at other ground: it keeps what was told.
impl Clone for Imaging {
    fn clone(&self) -> Imaging {
        Imaging { received: self.received.clone(), ..Imaging::default() }
    }
}

impl Imaging {
    /// What another rank's agent told last, if it is heard of.
    pub fn received(&self, agent: usize) -> Option<&VehicleMessage> {
        self.received.get(agent)?.as_ref()
    }

    /// Forgets the ground around an agent that looks from elsewhere now.
    pub fn forget(&mut self, agent: usize) {
        self.imagers.remove(&agent);
    }
}

/// An agent that is in sight, as it is told of all.
type InSight = (usize, Arc<VehicleMessage>);

/// The ground around an agent, and who still looks at it.
#[derive(Debug)]
struct Imager {
    relief: Arc<Relief>,
    underway: Vec<Awaited>,
    renderer: Renderer,
}

impl Imager {
    /// Brings the ground up to date, once nobody looks at it any more.
    fn update(&mut self, ground: &GroundModel, published: &Published, at: [f64; 2]) {
        self.underway.drain(..).for_each(|frame| {
            frame.get();
        });
        Arc::make_mut(&mut self.relief).update(ground, published, at);
    }
}

impl World {
    /// Why its graphics card can be used no more, if it had one: from then on the
    /// processor looks.
    pub fn lost_gpu(&self) -> Option<String> {
        #[cfg(feature = "gpu")]
        {
            let gpu = self.model.scene_model.as_ref()?.gpu.as_ref()?;
            gpu.lost().map(ToString::to_string)
        }
        #[cfg(not(feature = "gpu"))]
        None
    }

    /// The ground around a place. Who looks at it from nearby has most of its tiles.
    fn relief_around(&self, at: [f64; 2]) -> Relief {
        let (ground, published) = (&self.model.ground, &self.state.published);
        let known = self.imaging.imagers.values().map(|imager| &imager.relief);
        match known.min_by(|a, b| a.distance(at).total_cmp(&b.distance(at))) {
            Some(nearest) => {
                let mut relief = Relief::clone(nearest);
                relief.update(ground, published, at);
                relief
            }
            None => Relief::around(ground, published, at),
        }
    }

    /// Takes the frames that own agents' cameras and lidars owe after the heartbeat
    /// between two moments, µs. Those that need not be delivered yet are made while the
    /// vehicles drive on. How many they are.
    pub(super) fn take_images(&mut self, [before_us, now_us]: [u64; 2]) -> u64 {
        let Some(scene_model) = self.model.scene_model.clone() else { return 0 };
        let own = self.own_agents().iter().copied();
        let owing: Vec<usize> = own
            .filter(|&agent| {
                let sensors = &self.model().agents[agent].sensors;
                sensors.iter().any(|sensor| sensor.owes(before_us, now_us).is_some())
            })
            .filter(|&agent| self.state().agents[agent].outcome.is_none())
            .collect();
        if owing.is_empty() {
            return 0;
        }
        let standing = scene_model.after(&self.model.obstacles, &self.state.damage);
        self.heard.refresh();
        let views = self.views_of(&owing);
        self.update_imagers(&owing);
        let (mut frames, mut due_now) = (0, Vec::new());
        for (&agent, in_sight) in owing.iter().zip(&views) {
            let Some(imager) = self.imaging.imagers.get_mut(&agent) else { continue };
            let own = &mut self.state.agents[agent].sensors;
            for (index, sensor) in self.model.agents[agent].sensors.iter().enumerate() {
                let Some(due) = sensor.owes(before_us, now_us) else { continue };
                frames += 1;
                let own = &mut own[index];
                let pending = PendingFrame {
                    scene_model: scene_model.clone(),
                    model: self.model.clone(),
                    relief: imager.relief.clone(),
                    in_sight: in_sight.clone(),
                    renderer: imager.renderer.clone(),
                    standing: standing.clone(),
                    place: [agent, index],
                    pose: *own.pose(),
                    track: own.track().copied().collect(),
                    due,
                };
                let (frame, maker) = Awaited::new(sensor.due_us(due));
                match imaging_threads().filter(|_| frame.due_us() > now_us) {
                    Some(threads) => {
                        threads.spawn(move || pending.make(maker));
                        imager.underway.push(frame.clone());
                    }
                    None => due_now.push((pending, maker)),
                }
                sensor.await_frame(own, frame);
            }
        }
        // one a thread: a frame's rays, too, are shared among threads, but what comes before them is not
        due_now.into_par_iter().with_max_len(1).for_each(|(pending, maker)| pending.make(maker));
        for agent in owing {
            let Some(room) = &mut self.workspaces[agent] else { continue };
            let owns = &mut self.state.agents[agent].sensors;
            for (sensor, own) in self.model.agents[agent].sensors.iter().zip(owns) {
                if sensor.owes(before_us, now_us).is_some() {
                    sensor.deliver(own, now_us, &mut room.delivered);
                }
            }
        }
        frames
    }

    /// What each of these agents sees of all, in ascending order: itself and who is in its sight.
    fn views_of(&self, looking: &[usize]) -> Vec<Arc<[InSight]>> {
        let sensors = |agent: usize| &self.model.agents[agent].sensors;
        let sights = looking.iter().map(|&agent| sight(sensors(agent)).unwrap_or(0.0));
        let froms = looking.iter().map(|&agent| self.chassis(agent));
        let eyes: Vec<(Vec3, f64)> = froms.zip(sights).collect();
        let mut views: Vec<Vec<InSight>> = vec![Vec::new(); looking.len()];
        for &agent in self.heard.agents() {
            let mut told = None;
            let is_near = |(from, sight): &(Vec3, f64)| match self.is_own(agent) {
                true => {
                    let away = (self.chassis(agent) - from).xy().norm();
                    away <= *sight + self.trails(agent) + CERTAIN
                }
                false => self.imaging.received(agent).is_some(),
            };
            for (view, eye) in views.iter_mut().zip(&eyes).filter(|(_, eye)| is_near(eye)) {
                let told = told.get_or_insert_with(|| Arc::new(self.message(agent)));
                if is_in_sight(told, &eye.0, eye.1) {
                    view.push((agent, told.clone()));
                }
            }
        }
        views.into_iter().map(Arc::from).collect()
    }

    /// Origin of an own agent's chassis frame, m.
    fn chassis(&self, agent: usize) -> Vec3 {
        self.model.agents[agent].vehicle.pose(&self.room(agent).vehicle).position
    }

    /// Brings the ground around those that owe frames up to date, each for itself.
    fn update_imagers(&mut self, owing: &[usize]) {
        let places: Vec<[f64; 2]> = owing.iter().map(|&agent| self.place(agent).0).collect();
        let World { model, state, imaging, .. } = self;
        let looking = imaging.imagers.iter_mut().filter_map(|(agent, imager)| {
            let index = owing.binary_search(agent).ok()?;
            Some((imager, places[index]))
        });
        let looking: Vec<(&mut Imager, [f64; 2])> = looking.collect();
        looking.into_par_iter().for_each(|(imager, at)| {
            imager.update(&model.ground, &state.published, at);
        });
        for (&agent, &at) in owing.iter().zip(&places) {
            if !self.imaging.imagers.contains_key(&agent) {
                let relief = self.relief_around(at);
                let renderer = self.imaging.renderers.renderer(&self.model, &relief);
                let imager = Imager { relief: Arc::new(relief), underway: Vec::new(), renderer };
                self.imaging.imagers.insert(agent, imager);
            }
        }
    }
}

/// Threads that make frames, and think about them, beside the steps of vehicles, as many as step. They are
/// others than those, which wait for frames: a thread that makes one never waits for
/// another. None where one alone steps: it makes them itself, so that of many worlds, each stepped by a
/// thread of its own as a study's trials are, none waits for the frames of the others.
pub(super) fn imaging_threads() -> Option<&'static ThreadPool> {
    static THREADS: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let threads = rayon::current_num_threads();
    if threads == 1 {
        return None;
    }
    let start = || {
        // without them frames are made where they fall due
        ThreadPoolBuilder::new().num_threads(threads).build().ok()
    };
    THREADS.get_or_init(start).as_ref()
}

/// A frame to be made, with all that it needs of the world as it was when it fell due.
struct PendingFrame {
    scene_model: Arc<SceneModel>,
    model: Arc<WorldModel>,
    relief: Arc<Relief>,
    /// In ascending order; the own agent among them.
    in_sight: Arc<[InSight]>,
    renderer: Renderer,
    /// What stands, and what has fallen.
    standing: Arc<InstanceSet>,
    /// Agent and sensor.
    place: [usize; 2],
    /// The sensor's.
    pose: Pose,
    /// The sensor's own poses with their moments, µs.
    track: Vec<(u64, Pose)>,
    due: Due,
}

impl PendingFrame {
    /// Makes the frame and hands it in, once nothing of the world is held any more.
    fn make(self, maker: Maker) {
        let made = self.frame();
        drop(self);
        maker.hand_in(made);
    }

    fn frame(&self) -> Option<Delivery> {
        let [agent, index] = self.place;
        let sensor = &self.model.agents[agent].sensors[index];
        let reading = match &sensor.model {
            Model::Camera(spec) => Reading::Image(self.picture(sensor, spec)?),
            Model::Lidar(spec) => Reading::Cloud(self.scan(sensor, spec)),
            _ => return None,
        };
        sensor.augmented(index as u32, self.pose, self.due, reading)
    }

    /// The agents in sight as they move from `ago[0]` to `ago[1]` seconds before now, each at the
    /// twist that it has now: what they did before is no state, and a run that is
    /// resumed sees what one that was not cut sees.
    fn moving(&self, ago: [f64; 2]) -> InstanceSet {
        let [from, to] = ago.map(|ago| -> Vec<VehicleMessage> {
            self.in_sight.iter().map(|(_, message)| rewound(message, ago)).collect()
        });
        let agents = self.in_sight.iter().map(|(agent, _)| *agent);
        let told = agents.zip(from.iter().zip(&to).map(|(from, to)| [from, to]));
        let moments_us = ago.map(|ago| self.due.taken_us.saturating_sub((1e6 * ago) as u64));
        let parts = self.scene_model.parts_with(&self.model, moments_us, told);
        InstanceSet::new(self.scene_model.meshes(), &parts)
    }

    fn scene<'s>(&'s self, moving: &'s InstanceSet, air: &'s Air) -> Scene<'s> {
        let scene = self.scene_model.scene(&self.model, &self.relief, moving);
        Scene { air, standing: &self.standing, ..scene }
    }

    /// The air around the own agent with what vehicles raise.
    fn air(&self) -> Air {
        let own = self.in_sight.iter().find(|(agent, _)| *agent == self.place[0]);
        let place = own.map_or_else(Vec3::zeros, |(_, message)| message.chassis.position);
        let told = self.in_sight.iter().map(|(agent, message)| (*agent, &**message));
        self.scene_model.air_with(&self.model, told, self.due.taken_us, &place)
    }

    fn picture(&self, sensor: &Sensor, spec: &CameraSpec) -> Option<Image> {
        let camera = Camera::of(spec)?;
        let span = camera.exposure + camera.readout;
        let (moving, air) = (self.moving([span, 0.0]), self.air());
        let poses = [self.at(span), self.at(0.0)];
        let frame = self.due.frame as u32;
        let dice = Dice { noise: sensor.noise, frame };
        let scene = self.scene(&moving, &air);
        let take = Take { camera: &camera, poses, apart: span, dice, channels: &spec.channels };
        let mut image = self.renderer.picture(&scene, &take);
        if let (Some(chip), false) = (&spec.noise, image.colour.is_empty()) {
            chip.expose(&mut image, spec.exposure, &sensor.noise, frame);
        }
        Some(image)
    }

    fn scan(&self, sensor: &Sensor, lidar: &LidarSpec) -> Cloud {
        let window = sensor.schedule.window();
        let fastest = self.in_sight.iter().map(|(_, message)| spin(message)).fold(0.0, f64::max);
        let parts = ((fastest * window / TURN).ceil() as usize).clamp(1, PARTS);
        let mut cloud = Cloud::default();
        let air = self.air();
        let [agent, index] = self.place;
        // a card's ranges are not the processor's bit for bit, and the way that is driven must be
        let autonomy = self.model.agents[agent].autonomy.as_ref();
        let steers = autonomy.is_some_and(|autonomy| autonomy.lidar == index);
        for part in 0..parts {
            let shares = [part, part + 1].map(|part| part as f64 / parts as f64);
            let moving = self.moving(shares.map(|share| window * (1.0 - share)));
            let pose = |share: f64| self.at(window * (1.0 - share));
            let part = Part { shares, period: window, frame: self.due.frame as u32 };
            let (scene, limits) = (self.scene(&moving, &air), [lidar.min_range, lidar.max_range]);
            let strike = |rays: &Rays<'_, '_>| match steers {
                true => None,
                false => self.renderer.strike(&scene, rays, limits),
            };
            lidar.scan_by(strike, &scene, pose, &part, &sensor.noise, &mut cloud);
        }
        cloud
    }

    /// Own pose of the sensor `ago` seconds before it was due, by its track.
    fn at(&self, ago: f64) -> Pose {
        let moment = self.due.taken_us as f64 - 1e6 * ago;
        let mut before: Option<&(u64, Pose)> = None;
        for point in &self.track {
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
}

/// The fastest spin of any part, rad/s.
fn spin(message: &VehicleMessage) -> f64 {
    let fastest = |parts: &[PartState]| parts.iter().map(|p| p.spin.abs()).fold(0.0, f64::max);
    match &message.gear {
        RunningGear::Wheels(wheels) => fastest(wheels),
        RunningGear::Tracks { sprockets, idlers, road_wheels, .. } => {
            fastest(sprockets).max(fastest(idlers)).max(fastest(road_wheels))
        }
    }
}

/// An agent as it was `ago` seconds before, had it moved at its present twist.
fn rewound(message: &VehicleMessage, ago: f64) -> VehicleMessage {
    if ago == 0.0 || message.ended {
        return message.clone();
    }
    let mut message = message.clone();
    let turned = |rate: Vec3| Quat::from_scaled_axis(rate * -ago);
    message.chassis = Pose {
        position: message.chassis.position - message.velocity * ago,
        orientation: turned(message.angular_velocity) * message.chassis.orientation,
    };
    let back = |parts: &mut [PartState]| {
        for part in parts {
            part.pose.orientation *= turned(Vec3::y() * part.spin);
        }
    };
    match &mut message.gear {
        RunningGear::Wheels(wheels) => back(wheels),
        RunningGear::Tracks { sprockets, idlers, road_wheels, .. } => {
            [sprockets, idlers, road_wheels].into_iter().for_each(|parts| back(parts));
        }
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever steps a world alone makes its frames himself: he would share those threads with all who do the same, for
    /// they are as many as the first of them had.
    #[test]
    fn one_thread_makes_its_frames_itself() {
        let asked = |threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| imaging_threads().is_some())
        };
        assert_eq!((asked(1), asked(2), asked(1)), (false, true, false));
    }
}
