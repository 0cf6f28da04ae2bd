//! A run that is watched while it goes on.

use super::clients::Clients;
use super::control::Pace;
use super::due::{Due, FRAMES, GROUND};
use super::encoder::Encoder;
use super::snapshot::Snapshot;
use crate::sensor::Reading;
use crate::simulation::{AutonomyView, Flow, Moment, Observer, Sample, World};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Wall time between pictures.
const PICTURES: Duration = Duration::from_millis(200);

/// Shows a run to its clients, and lets them hold and pace it. Nothing is made while nobody
/// watches.
pub struct LiveView {
    clients: Arc<Clients>,
    encoder: Encoder,
    interrupted: Arc<AtomicBool>,
    pace: Pace,
    shown: Due,
    ground: Due,
    pictured: Due,
    /// Whether the last snapshot with ground was refused.
    owes_ground: bool,
}

impl LiveView {
    /// Shown to these; a hold ends when `interrupted` is raised.
    pub fn new(clients: Arc<Clients>, interrupted: Arc<AtomicBool>) -> LiveView {
        let encoder = Encoder::new(clients.clone());
        let (shown, ground, pictured) = (Due::default(), Due::default(), Due::default());
        let pace = Pace::default();
        LiveView {
            clients,
            encoder,
            interrupted,
            pace,
            shown,
            ground,
            pictured,
            owes_ground: false,
        }
    }

    /// Shows the world as it is, if somebody watches and it is time to.
    fn show(&mut self, world: &World) {
        if self.clients.count() == 0 {
            return;
        }
        let fresh = self.clients.has_fresh();
        if !(fresh || self.shown.is(FRAMES)) {
            return;
        }
        let ground = fresh || self.owes_ground || self.ground.is(GROUND);
        let taken = self.encoder.offer(Snapshot::of(world, ground));
        self.owes_ground = ground && !taken;
        self.shown.done();
        if ground && taken {
            self.ground.done();
        }
    }

    /// Shows the first picture of the heartbeat, if it is time to.
    fn show_pictures(&mut self, moment: &Moment<'_>) {
        if self.clients.count() == 0 || !self.pictured.is(PICTURES) {
            return;
        }
        for (agent, delivery) in moment.delivered {
            if let Reading::Image(image) = &delivery.reading {
                let agent = *agent as usize;
                let sensors = &moment.world.model().agents[agent].sensors;
                let name = sensors.get(delivery.sensor as usize).map_or("", |s| &s.name);
                let time = 1e-6 * delivery.taken_us as f64;
                self.encoder.offer_picture(agent, name, time, image);
                self.pictured.done();
            }
        }
    }

    fn show_plans(&self, plans: &[(u32, AutonomyView)]) {
        if self.clients.count() > 0 {
            plans.iter().for_each(|(agent, plan)| self.encoder.say(&said(*agent, plan)));
        }
    }

    /// Waits until the heartbeat's time has come, or while the run is held.
    fn wait(&mut self, world: &World) {
        let control = self.clients.control().clone();
        let interrupted = self.interrupted.clone();
        let raised = || interrupted.load(Ordering::Relaxed);
        let mut held = false;
        while !raised() && !control.go_on() {
            held = true;
            if self.clients.has_fresh() || self.owes_ground {
                self.show(world);
            }
        }
        if held {
            self.pace.reset();
        }
        let (playing, rate) = control.playing();
        if playing && self.clients.count() > 0 {
            std::thread::sleep(self.pace.wait(world.time(), rate));
        }
    }
}

/// What a vehicle that drives itself has in mind, in words.
fn said(agent: u32, view: &AutonomyView) -> serde_json::Value {
    let classes: String = view.cells.iter().map(|c| char::from(b'0' + c.class.min(9))).collect();
    let believed = view.believed.position;
    json!({
        "kind": "plan",
        "vehicle": agent,
        "believed": [believed.x, believed.y, believed.z],
        "goal": view.goal,
        "route": view.route,
        "path": view.path,
        "corner": view.corner,
        "cell": view.cell,
        "columns": view.columns,
        "classes": classes,
    })
}

impl<E> Observer<E> for LiveView {
    fn on_start(&mut self, world: &World, _: &[Sample]) -> Result<(), E> {
        self.show(world);
        Ok(())
    }

    fn on_heartbeat(&mut self, moment: &Moment<'_>) -> Result<Flow, E> {
        if moment.first {
            self.show(moment.world);
            self.show_pictures(moment);
            self.show_plans(moment.autonomous);
            self.wait(moment.world);
        }
        Ok(Flow::Continue)
    }

    fn on_end(&mut self, world: &World) -> Result<(), E> {
        if self.clients.count() > 0 {
            self.encoder.show(Snapshot::of(world, true));
            self.encoder.say(&json!({ "kind": "status", "playing": false, "ended": true }));
        }
        Ok(())
    }
}
