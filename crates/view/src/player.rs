//! Player of a recorded run, which is simulated again and can seek to any time.
//!
//! States are cached during the run and share unchanged data. A seek resumes from the nearest
//! cached state before the requested time. Since simulation is reproducible bit for bit, the
//! display equals the original run.

use super::clients::Clients;
use super::control::PlaybackClock;
use super::encoder::EncoderThread;
use super::plan_message::plan_message;
use super::rate_limiter::{FRAMES, GROUND, PICTURES, PLANS, RateLimiter};
use super::snapshot::Snapshot;
use bekker_world::{World, WorldState};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Largest number of cached states; above it, every second one is dropped.
const MOST_KEPT: usize = 240;

/// Applies the external commands that were recorded for the next heartbeat.
pub type CommandReplay = Box<dyn Fn(&mut World) + Send>;

/// Shows a world from its beginning to a last tick.
pub struct Player {
    world: World,
    last: u64,
    kept: BTreeMap<u64, WorldState>,
    /// Number of ticks between cached states.
    every: u64,
    encoder: EncoderThread,
    clients: Arc<Clients>,
    commands: CommandReplay,
    shown: RateLimiter,
    ground: RateLimiter,
    pictured: RateLimiter,
    planned: RateLimiter,
}

impl Player {
    /// Creates a player of a world at its beginning, up to tick `last`, with recorded commands.
    ///
    /// # Errors
    /// The system's error if the thread cannot be started.
    pub fn new(
        world: World,
        last: u64,
        commands: CommandReplay,
        clients: Arc<Clients>,
    ) -> std::io::Result<Player> {
        let every = world.model().clock.ticks_in(1.0).max(1);
        let kept = BTreeMap::from([(world.state().tick, world.state().clone())]);
        let encoder = EncoderThread::new(clients.clone())?;
        let [shown, ground, pictured, planned] = [RateLimiter::default(); 4];
        Ok(Player {
            world,
            last,
            kept,
            every,
            encoder,
            clients,
            commands,
            shown,
            ground,
            pictured,
            planned,
        })
    }

    /// Plays, pauses and seeks as clients request, until `interrupted` is set.
    pub fn run(mut self, interrupted: &AtomicBool) {
        let control = self.clients.control().clone();
        let mut pace = PlaybackClock::default();
        let raised = || interrupted.load(Ordering::Relaxed);
        let mut told = None;
        while !raised() {
            if let Some(time) = control.seek() {
                self.seek(time, interrupted);
                pace.reset();
            }
            if self.is_over() {
                control.pause();
            }
            let (playing, rate) = control.playing();
            let fresh = self.clients.has_fresh();
            if told != Some((playing, self.is_over())) || fresh {
                told = Some((playing, self.is_over()));
                let ended = self.is_over();
                let state = json!({ "kind": "status", "playing": playing, "ended": ended });
                self.encoder.send_json(&state);
            }
            if fresh {
                self.encoder.show(Snapshot::new(&self.world, true));
            }
            if control.is_playing() && !self.is_over() {
                self.advance();
                let due = pace.wait(self.world.time(), rate);
                self.show();
                self.show_pictures();
                self.show_plans();
                // waits in parts so that a seek starts promptly
                let until = Instant::now() + due;
                while !raised() && !control.seeks() && Instant::now() < until {
                    std::thread::sleep(until.saturating_duration_since(Instant::now()).min(FRAMES));
                }
                if !control.playing().0 {
                    self.show_exactly();
                }
            } else {
                pace.reset();
            }
        }
    }

    fn is_over(&self) -> bool {
        self.world.state().tick >= self.last || !self.world.is_running()
    }

    /// Simulates one heartbeat and caches its state if that is due.
    fn advance(&mut self) {
        (self.commands)(&mut self.world);
        self.world.advance();
        let tick = self.world.state().tick;
        let latest = self.kept.keys().next_back().copied().unwrap_or(0);
        if tick >= latest + self.every {
            self.kept.insert(tick, self.world.state().clone());
            if self.kept.len() > MOST_KEPT {
                self.every *= 2;
                let mut number = 0;
                self.kept.retain(|_, _| {
                    number += 1;
                    number % 2 == 1
                });
            }
        }
    }

    /// Goes to the first heartbeat at or after `time`, s, or to the end.
    ///
    /// Another seek or an interrupt stops it early.
    fn seek(&mut self, time: f64, interrupted: &AtomicBool) {
        let step = self.world.model().clock.step();
        let wanted = (time.max(0.0) / step - 1e-6).ceil().min(self.last as f64) as u64;
        let control = self.clients.control().clone();
        let nearest = self.kept.range(..=wanted).next_back();
        let here = self.world.state().tick;
        if let Some((tick, state)) = nearest
            && (here > wanted || here < *tick)
        {
            // a cached state always matches the model
            if self.world.restore(state).is_err() {
                return;
            }
        }
        let mut told = Instant::now();
        while self.world.state().tick < wanted && self.world.is_running() {
            if interrupted.load(Ordering::Relaxed) || control.seeks() {
                return;
            }
            self.advance();
            if told.elapsed() > GROUND {
                told = Instant::now();
                self.encoder.send_json(&json!({ "kind": "seeking", "time": self.world.time() }));
            }
        }
        self.show_exactly();
    }

    /// Shows the current state with its hash and the whole ground.
    fn show_exactly(&mut self) {
        let hash = self.world.hash().iter().map(|byte| format!("{byte:02x}")).collect();
        self.encoder.show_all(Snapshot::new(&self.world, true), hash);
        self.show_delivered();
        self.planned = RateLimiter::default();
        self.show_plans();
        self.shown.restart();
        self.ground.restart();
    }

    /// Shows the images of a heartbeat if they are due.
    fn show_pictures(&mut self) {
        if self.pictured.is_due(PICTURES) {
            self.show_delivered();
        }
    }

    /// Shows the images of a heartbeat.
    fn show_delivered(&mut self) {
        let model = self.world.model();
        for agent in 0..model.agents.len() {
            for delivery in self.world.delivered(agent) {
                if self.encoder.offer_delivery(model, agent, delivery) {
                    self.pictured.restart();
                }
            }
        }
    }

    /// Shows the plans of autonomous vehicles if they are due.
    fn show_plans(&mut self) {
        if !self.planned.is_due(PLANS) {
            return;
        }
        for agent in 0..self.world.model().agents.len() {
            if let Some(view) = self.world.autonomy_view(agent) {
                self.encoder.send_json(&plan_message(agent as u32, &view));
                self.planned.restart();
            }
        }
    }

    /// Shows the current state if a frame is due.
    fn show(&mut self) {
        if !self.shown.is_due(FRAMES) {
            return;
        }
        let ground = self.ground.is_due(GROUND);
        if self.encoder.offer(Snapshot::new(&self.world, ground)) {
            self.shown.restart();
            if ground {
                self.ground.restart();
            }
        }
    }
}
