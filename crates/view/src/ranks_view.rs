//! A run on several ranks that is watched while it goes on.
//!
//! The first rank shows it, and has to be told what to show: before a heartbeat it asks, as who
//! drives from outside does, that all states and ground come to it, and only if somebody watches
//! and a frame is due. While it is held, all ranks are told to wait, so that none gives up.

use super::live::LiveView;
use bekker_agent::Sample;
use bekker_ranks::{Flow, Moment, Observer};
use bekker_world::{Asked, Call, Controller, Shown, World};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often it is looked whether somebody watches, before the first does.
const LOOK: Duration = Duration::from_millis(50);

/// The first rank's view of a run on several.
#[derive(Clone)]
pub struct RanksView(Arc<Mutex<LiveView>>);

impl RanksView {
    /// Shows to whom this view shows to.
    pub fn new(live: LiveView) -> RanksView {
        RanksView(Arc::new(Mutex::new(live)))
    }

    /// The controller that asks for what is shown, and else what another asks.
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

    fn on_heartbeat(&mut self, moment: &Moment<'_>) -> Result<Flow, E> {
        self.live().show_told(moment);
        Ok(Flow::Continue)
    }

    fn on_end(&mut self, world: &World) -> Result<(), E> {
        self.live().on_end(world)
    }
}

/// What a [`RanksView`] and those who drive from outside ask before a heartbeat.
pub struct WatchedController<'a> {
    view: RanksView,
    inner: &'a mut dyn Controller,
    /// Whether somebody has come to watch.
    begun: bool,
    /// Tick that was shown last, or need not be.
    seen: Option<u64>,
    /// Whether what is shown next is for those who watch.
    shows: bool,
}

impl Controller for WatchedController<'_> {
    fn call(&mut self, world: &World) -> Call {
        let mut live = self.view.live();
        let tick = world.state().tick;
        if !live.is_interrupted() {
            if !self.begun && !live.is_watched() {
                std::thread::sleep(LOOK);
                return Call::Wait;
            }
            self.begun = true;
            let is_new = self.seen.replace(tick) != Some(tick);
            if live.is_due() && (is_new || live.owes()) {
                self.shows = true;
                return Call::Show(Asked { world: true, ..Asked::default() });
            }
            if live.holds(world) {
                return Call::Wait;
            }
        }
        drop(live);
        self.inner.call(world)
    }

    fn show(&mut self, shown: &Shown<'_>) {
        if std::mem::take(&mut self.shows) {
            self.view.live().take(shown.world);
        } else {
            self.inner.show(shown);
        }
    }
}
