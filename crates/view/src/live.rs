//! Live view of a running simulation.

use super::clients::Clients;
use super::control::PlaybackClock;
use super::encoder::EncoderThread;
use super::plan_message::plan_message;
use super::rate_limiter::{FrameCost, GROUND, PICTURES, RateLimiter};
use super::snapshot::Snapshot;
use bekker_agent::Sample;
use bekker_ranks::{Flow, HeartbeatInfo, Observer};
use bekker_world::{AutonomyView, World};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Shows a run to its clients and applies their playback control.
///
/// Messages are encoded only while a client is connected.
pub struct LiveView {
    clients: Arc<Clients>,
    encoder: EncoderThread,
    interrupted: Arc<AtomicBool>,
    pace: PlaybackClock,
    shown: RateLimiter,
    ground: RateLimiter,
    pictured: RateLimiter,
    cost: FrameCost,
    /// Time that the encoder had taken at the last frame.
    encoded: Duration,
    /// Whether the simulation is slower than its rate.
    is_late: bool,
    /// Whether the last snapshot with ground was not queued.
    ground_pending: bool,
    /// Tick from which the simulation may continue.
    granted: Option<u64>,
}

/// Longest single wait while other ranks wait for this one with a timeout.
const PATIENCE: Duration = Duration::from_millis(250);

impl LiveView {
    /// Creates a view for these clients; a pause ends when `interrupted` is set.
    ///
    /// # Errors
    /// The system's error if the thread cannot be started.
    pub fn new(clients: Arc<Clients>, interrupted: Arc<AtomicBool>) -> std::io::Result<LiveView> {
        let encoder = EncoderThread::new(clients.clone())?;
        let (shown, ground, pictured) =
            (RateLimiter::default(), RateLimiter::default(), RateLimiter::default());
        let pace = PlaybackClock::default();
        Ok(LiveView {
            clients,
            encoder,
            interrupted,
            pace,
            shown,
            ground,
            pictured,
            cost: FrameCost::default(),
            encoded: Duration::ZERO,
            is_late: false,
            ground_pending: false,
            granted: None,
        })
    }

    /// Shows the world if a client is connected and a frame is due.
    fn show(&mut self, world: &World) {
        if self.is_due() {
            self.take(world);
        }
    }

    /// Returns whether a client is connected and a frame is due.
    pub(super) fn is_due(&self) -> bool {
        self.is_watched()
            && (self.clients.has_fresh() || self.shown.is_due(self.cost.interval(self.is_late)))
    }

    /// Returns whether a client is connected.
    pub(super) fn is_watched(&self) -> bool {
        self.clients.count() > 0
    }

    /// Returns whether a client lacks the current ground, even if the world has not changed.
    pub(super) fn needs_ground(&self) -> bool {
        self.clients.has_fresh() || self.ground_pending
    }

    /// Returns whether the run is to end.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Queues a snapshot of the world.
    pub(super) fn take(&mut self, world: &World) {
        let begun = Instant::now();
        let ground = self.needs_ground() || self.ground.is_due(GROUND);
        let taken = self.encoder.offer(Snapshot::new(world, ground));
        // the encoder has worked on earlier frames since; their time counts as well
        let before = std::mem::replace(&mut self.encoded, self.encoder.time_taken());
        self.cost.add(begun.elapsed() + self.encoded - before);
        self.ground_pending = ground && !taken;
        self.shown.restart();
        if ground && taken {
            self.ground.restart();
        }
    }

    /// Returns whether the run is still to be held, after a short wait.
    pub(super) fn is_held(&mut self, world: &World) -> bool {
        let (tick, control) = (world.state().tick, self.clients.control().clone());
        if self.granted != Some(tick) {
            if !control.is_playing() {
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
        self.is_late = left.is_zero();
        std::thread::sleep(left.min(PATIENCE));
        left > PATIENCE
    }

    /// Shows images of sensors and plans of autonomous vehicles from a heartbeat.
    pub(super) fn show_moment(&mut self, moment: &HeartbeatInfo<'_>) {
        self.show_pictures(moment);
        self.show_plans(moment.root.unwrap_or_default().autonomous);
    }

    /// Shows the images of a heartbeat if they are due.
    fn show_pictures(&mut self, moment: &HeartbeatInfo<'_>) {
        if !(self.is_watched() && self.pictured.is_due(PICTURES)) {
            return;
        }
        for (agent, delivery) in moment.root.unwrap_or_default().delivered {
            if self.encoder.offer_delivery(moment.world.model(), *agent as usize, delivery) {
                self.pictured.restart();
            }
        }
    }

    fn show_plans(&self, plans: &[(u32, AutonomyView)]) {
        if self.is_watched() {
            plans
                .iter()
                .for_each(|(agent, plan)| self.encoder.send_json(&plan_message(*agent, plan)));
        }
    }

    /// Waits until the wall time of the heartbeat, or while the run is paused.
    fn wait(&mut self, world: &World) {
        let control = self.clients.control().clone();
        let mut held = false;
        while !self.is_interrupted() && !control.is_playing() {
            held = true;
            if self.needs_ground() {
                self.show(world);
            }
        }
        if held {
            self.pace.reset();
        }
        let (playing, rate) = control.playing();
        if playing && self.is_watched() {
            let left = self.pace.wait(world.time(), rate);
            self.is_late = left.is_zero();
            std::thread::sleep(left);
        }
    }
}

impl<E> Observer<E> for LiveView {
    fn on_start(&mut self, world: &World, _: &[Sample]) -> Result<(), E> {
        self.show(world);
        Ok(())
    }

    fn on_heartbeat(&mut self, moment: &HeartbeatInfo<'_>) -> Result<Flow, E> {
        if moment.first {
            self.show(moment.world);
            self.show_moment(moment);
            self.wait(moment.world);
        }
        Ok(Flow::Continue)
    }

    fn on_end(&mut self, world: &World) -> Result<(), E> {
        if self.is_watched() {
            self.encoder.show(Snapshot::new(world, true));
            self.encoder.send_json(&json!({ "kind": "status", "playing": false, "ended": true }));
        }
        Ok(())
    }
}
