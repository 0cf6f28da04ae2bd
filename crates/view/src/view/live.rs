//! A run that is watched while it goes on.

use super::clients::Clients;
use super::control::Pace;
use super::due::{Due, FRAMES, GROUND, PICTURES};
use super::encoder::Encoder;
use super::plan_message::plan_message;
use super::snapshot::Snapshot;
use crate::simulation::{AutonomyView, Flow, Moment, Observer, Sample, World};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
            if self.encoder.offer_delivery(moment.world.model(), *agent as usize, delivery) {
                self.pictured.done();
            }
        }
    }

    fn show_plans(&self, plans: &[(u32, AutonomyView)]) {
        if self.clients.count() > 0 {
            plans.iter().for_each(|(agent, plan)| self.encoder.say(&plan_message(*agent, plan)));
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
