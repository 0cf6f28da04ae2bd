//! Frames of the cameras and lidars of own agents after a heartbeat.

use super::imagers::{Imager, VisibleAgent};
use super::pending_frame::PendingFrame;
use super::scene::SceneModel;
use super::sight_range::{is_in_sight, sight};
use super::world::World;
use bekker_agent::{GroundVehicle, imaging_threads};
use bekker_math::spatial::Vec3;
use bekker_sensor::Deferred;
use bekker_sensor::relief::HeightPyramid;
use rayon::prelude::*;
use std::sync::Arc;

/// Margin beyond the range of sight, m. An agent farther away is certainly out of sight, so its
/// exact message is not computed.
const SIGHT_MARGIN: f64 = 20.0;

impl World {
    /// Returns why the graphics card was lost, if it was. From then on the processor makes the
    /// frames.
    pub fn gpu_error(&self) -> Option<String> {
        #[cfg(feature = "gpu")]
        {
            let gpu = self.model.scene_model.as_ref()?.gpu.as_ref()?;
            gpu.lost().map(ToString::to_string)
        }
        #[cfg(not(feature = "gpu"))]
        None
    }

    /// Ground around a position. It is copied from the nearest agent's, which has most of the
    /// tiles.
    fn relief_around(&self, at: [f64; 2]) -> HeightPyramid {
        let (ground, published) = (&self.model.ground, &self.state.published);
        let known = self.imaging.imagers.values().map(|imager| &imager.relief);
        match known.min_by(|a, b| a.distance(at).total_cmp(&b.distance(at))) {
            Some(nearest) => {
                let mut relief = HeightPyramid::clone(nearest);
                relief.update(ground, published, at);
                relief
            }
            None => HeightPyramid::new(ground, published, at),
        }
    }

    /// Takes the frames of own agents' cameras and lidars that are due between two times, µs.
    ///
    /// Frames that need not be delivered yet are made while the vehicles drive on. Returns the
    /// number of frames.
    pub(super) fn take_frames(&mut self, [before_us, now_us]: [u64; 2]) -> u64 {
        let Some(scene_model) = self.model.scene_model.clone() else { return 0 };
        let own = self.own_agents.iter().copied();
        let due_agents: Vec<usize> = own
            .filter(|&agent| {
                let sensors = &self.model().agents[agent].sensors;
                sensors.iter().any(|sensor| sensor.due_frame(before_us, now_us).is_some())
            })
            .filter(|&agent| self.state().agents[agent].outcome.is_none())
            .collect();
        if due_agents.is_empty() {
            return 0;
        }
        let standing = scene_model.standing_props(&self.model.obstacles, &self.state.damage);
        self.fresh_views.refresh();
        let views = self.views_of(&due_agents);
        self.update_imagers(&scene_model, &due_agents);
        let (mut frames, mut due_now) = (0, Vec::new());
        for (&agent, in_sight) in due_agents.iter().zip(&views) {
            let Some(imager) = self.imaging.imagers.get_mut(&agent) else { continue };
            let own = &mut self.state.agents[agent].sensors;
            for (index, sensor) in self.model.agents[agent].sensors.iter().enumerate() {
                let Some(due) = sensor.due_frame(before_us, now_us) else { continue };
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
                let (frame, maker) = Deferred::new(sensor.due_us(due));
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
        // One frame per task: threads share the rays of a frame, but not the work before them.
        due_now.into_par_iter().with_max_len(1).for_each(|(pending, maker)| pending.make(maker));
        for agent in due_agents {
            let Some(workspace) = &mut self.workspaces[agent] else { continue };
            let owns = &mut self.state.agents[agent].sensors;
            for (sensor, own) in self.model.agents[agent].sensors.iter().zip(owns) {
                if sensor.due_frame(before_us, now_us).is_some() {
                    sensor.deliver(own, now_us, &mut workspace.delivered);
                }
            }
        }
        frames
    }

    /// Agents in sight of each of these agents, in ascending order and including itself.
    fn views_of(&self, looking: &[usize]) -> Vec<Arc<[VisibleAgent]>> {
        let sensors = |agent: usize| &self.model.agents[agent].sensors;
        let sights = looking.iter().map(|&agent| sight(sensors(agent)).unwrap_or(0.0));
        let froms = looking.iter().map(|&agent| self.chassis(agent));
        let eyes: Vec<(Vec3, f64)> = froms.zip(sights).collect();
        let mut views: Vec<Vec<VisibleAgent>> = vec![Vec::new(); looking.len()];
        for &agent in self.fresh_views.agents() {
            let mut told = None;
            let is_near = |(from, sight): &(Vec3, f64)| match self.is_own(agent) {
                true => {
                    let away = (self.chassis(agent) - from).xy().norm();
                    away <= *sight + self.trailer_reach(agent) + SIGHT_MARGIN
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
        self.model.agents[agent].vehicle.pose(&self.workspace_of(agent).vehicle).position
    }

    /// Updates the ground around the agents with due frames, in parallel.
    fn update_imagers(&mut self, scene_model: &SceneModel, due_agents: &[usize]) {
        let places: Vec<[f64; 2]> =
            due_agents.iter().map(|&agent| self.position_and_speed(agent).0).collect();
        let World { model, state, imaging, .. } = self;
        let looking = imaging.imagers.iter_mut().filter_map(|(agent, imager)| {
            let index = due_agents.binary_search(agent).ok()?;
            Some((imager, places[index]))
        });
        let looking: Vec<(&mut Imager, [f64; 2])> = looking.collect();
        looking.into_par_iter().for_each(|(imager, at)| {
            imager.update(&model.ground, &state.published, at);
        });
        for (&agent, &at) in due_agents.iter().zip(&places) {
            if !self.imaging.imagers.contains_key(&agent) {
                let relief = self.relief_around(at);
                let renderer =
                    self.imaging.renderers.renderer((&*self.model).into(), scene_model, &relief);
                let imager = Imager { relief: Arc::new(relief), underway: Vec::new(), renderer };
                self.imaging.imagers.insert(agent, imager);
            }
        }
    }
}
