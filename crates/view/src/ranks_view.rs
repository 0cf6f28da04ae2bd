//! Live view of a simulation that runs on several ranks.
//!
//! Rank 0 displays the run and must first gather the data. Before a heartbeat it requests all
//! states and the ground, through the interface of external controllers. It does so only if a
//! client is connected and a frame is due.
//!
//! During a pause all ranks receive wait requests, so that none times out.

use super::live::LiveView;
use bekker_agent::Sample;
use bekker_ranks::{Flow, HeartbeatInfo, Observer};
use bekker_world::{Controller, ControllerRequest, ControllerView, ViewRequest, World};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Interval at which connections are checked before the first client connects.
const LOOK: Duration = Duration::from_millis(50);

/// Live view on rank 0 of a run on several ranks.
#[derive(Clone)]
pub struct RanksView(Arc<Mutex<LiveView>>);

impl RanksView {
    /// Creates a view that displays through `live`.
    pub fn new(live: LiveView) -> RanksView {
        RanksView(Arc::new(Mutex::new(live)))
    }

    /// Returns a controller that requests the displayed data, and otherwise delegates to
    /// `inner`.
    pub fn controller<'a>(&self, inner: &'a mut dyn Controller) -> WatchedController<'a> {
        WatchedController { view: self.clone(), inner, begun: false, seen: None, shows: false }
    }

    fn live(&self) -> MutexGuard<'_, LiveView> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<E> Observer<E> for RanksView {
    fn on_start(&mut self, world: &World, samples: &[Sample]) -> Result<(), E> {
        self.live().on_start(world, samples)
    }

    fn on_heartbeat(&mut self, moment: &HeartbeatInfo<'_>) -> Result<Flow, E> {
        self.live().show_moment(moment);
        Ok(Flow::Continue)
    }

    fn on_end(&mut self, world: &World) -> Result<(), E> {
        self.live().on_end(world)
    }
}

/// Combines the requests of a [`RanksView`] and of external controllers before a heartbeat.
pub struct WatchedController<'a> {
    view: RanksView,
    inner: &'a mut dyn Controller,
    /// Whether a client has connected.
    begun: bool,
    /// Last tick that was shown or did not need to be.
    seen: Option<u64>,
    /// Whether the next data is for the view.
    shows: bool,
}

impl Controller for WatchedController<'_> {
    fn call(&mut self, world: &World) -> ControllerRequest {
        let mut live = self.view.live();
        let tick = world.state().tick;
        if !live.is_interrupted() {
            if !self.begun && !live.is_watched() {
                std::thread::sleep(LOOK);
                return ControllerRequest::Wait;
            }
            self.begun = true;
            let is_new = self.seen.replace(tick) != Some(tick);
            if live.is_due() && (is_new || live.needs_ground()) {
                self.shows = true;
                return ControllerRequest::Show(ViewRequest {
                    world: true,
                    ..ViewRequest::default()
                });
            }
            if live.is_held(world) {
                return ControllerRequest::Wait;
            }
        }
        drop(live);
        self.inner.call(world)
    }

    fn show(&mut self, shown: &ControllerView<'_>) {
        if std::mem::take(&mut self.shows) {
            self.view.live().take(shown.world);
        } else {
            self.inner.show(shown);
        }
    }
}
