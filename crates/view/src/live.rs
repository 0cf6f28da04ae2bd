//! A run that is watched while it goes on.

use super::clients::Clients;
use super::control::Pace;
use super::due::{Due, FRAMES, GROUND, PICTURES};
use super::encoder::Encoder;
use super::plan_message::plan_message;
use super::snapshot::Snapshot;
use bekker_agent::Sample;
use bekker_ranks::{Flow, Moment, Observer};
use bekker_world::{AutonomyView, World};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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
    /// Tick that may be gone on from.
    granted: Option<u64>,
}

/// Longest wait at once where others wait for this one, each with a time-out.
const PATIENCE: Duration = Duration::from_millis(250);

impl LiveView {
    /// Shown to these; a hold ends when `interrupted` is raised.
    ///
    /// # Errors
    /// The system's error where it starts no thread.
    pub fn new(clients: Arc<Clients>, interrupted: Arc<AtomicBool>) -> std::io::Result<LiveView> {
        let encoder = Encoder::new(clients.clone())?;
        let (shown, ground, pictured) = (Due::default(), Due::default(), Due::default());
        let pace = Pace::default();
        Ok(LiveView {
            clients,
            encoder,
            interrupted,
            pace,
            shown,
            ground,
            pictured,
            owes_ground: false,
            granted: None,
        })
    }

    /// Shows the world as it is, if somebody watches and it is time to.
    fn show(&mut self, world: &World) {
        if self.is_due() {
            self.take(world);
        }
    }

    /// Whether somebody watches and it is time to show the world.
    pub(super) fn is_due(&self) -> bool {
        self.is_watched() && (self.clients.has_fresh() || self.shown.is(FRAMES))
    }

    /// Whether somebody watches.
    pub(super) fn is_watched(&self) -> bool {
        self.clients.count() > 0
    }

    /// Whether somebody has not been shown the ground as it is, though nothing has changed.
    pub(super) fn owes(&self) -> bool {
        self.clients.has_fresh() || self.owes_ground
    }

    /// Whether the run is to end.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Shows the world as it is.
    pub(super) fn take(&mut self, world: &World) {
        let ground = self.owes() || self.ground.is(GROUND);
        let taken = self.encoder.offer(Snapshot::of(world, ground));
        self.owes_ground = ground && !taken;
        self.shown.done();
        if ground && taken {
            self.ground.done();
        }
    }

    /// Whether the run is to wait still, having waited a moment.
    pub(super) fn holds(&mut self, world: &World) -> bool {
        let (tick, control) = (world.state().tick, self.clients.control().clone());
        if self.granted != Some(tick) {
            if !control.go_on() {
                self.pace.reset();
                return true;
            }
            self.granted = Some(tick);
        }
        let (playing, rate) = control.playing();
        if !(playing && self.is_watched()) {
            return false;
        }
        let left = self.pace.wait(world.time(), rate);
        std::thread::sleep(left.min(PATIENCE));
        left > PATIENCE
    }

    /// Shows what sensors and vehicles that drive themselves told in a heartbeat.
    pub(super) fn show_told(&mut self, moment: &Moment<'_>) {
        self.show_pictures(moment);
        self.show_plans(moment.autonomous);
    }

    /// Shows the first picture of the heartbeat, if it is time to.
    fn show_pictures(&mut self, moment: &Moment<'_>) {
        if !(self.is_watched() && self.pictured.is(PICTURES)) {
            return;
        }
        for (agent, delivery) in moment.delivered {
            if self.encoder.offer_delivery(moment.world.model(), *agent as usize, delivery) {
                self.pictured.done();
            }
        }
    }

    fn show_plans(&self, plans: &[(u32, AutonomyView)]) {
        if self.is_watched() {
            plans.iter().for_each(|(agent, plan)| self.encoder.say(&plan_message(*agent, plan)));
        }
    }

    /// Waits until the heartbeat's time has come, or while the run is held.
    fn wait(&mut self, world: &World) {
        let control = self.clients.control().clone();
        let mut held = false;
        while !self.is_interrupted() && !control.go_on() {
            held = true;
            if self.owes() {
                self.show(world);
            }
        }
        if held {
            self.pace.reset();
        }
        let (playing, rate) = control.playing();
        if playing && self.is_watched() {
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
            self.show_told(moment);
            self.wait(moment.world);
        }
        Ok(Flow::Continue)
    }

    fn on_end(&mut self, world: &World) -> Result<(), E> {
        if self.is_watched() {
            self.encoder.show(Snapshot::of(world, true));
            self.encoder.say(&json!({ "kind": "status", "playing": false, "ended": true }));
        }
        Ok(())
    }
}
