//! Clients of a run and their pending messages.

use super::chunk::Chunk;
use super::control::Control;
use super::message::{EncodedMessage, text};
use super::request::PageRequest;
use super::scene_message::{DisplayedRun, MessageSource};
use bekker_ground::{SharedGround, nearest_sinkage, rut_depth, surface_height};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Number of pending messages of a client above which frames are skipped for it.
const BEHIND: usize = 8;

/// Number of pending messages above which a client is dropped.
const LOST: usize = 4096;

/// Longest request, bytes.
const LONGEST: usize = 4096;

/// All clients of one run.
#[derive(Debug)]
pub struct Clients {
    view: DisplayedRun,
    control: Arc<Control>,
    greeting: Vec<Arc<EncodedMessage>>,
    feeds: Mutex<Vec<ClientQueue>>,
    /// The ground as last sent.
    ground: Mutex<Arc<SharedGround>>,
}

/// Sending side of the queue of a client.
#[derive(Debug)]
struct ClientQueue {
    sender: Sender<Arc<EncodedMessage>>,
    pending: Arc<AtomicUsize>,
    /// Whether the client has not received the ground yet.
    fresh: bool,
}

/// Receiving side of the queue of a client.
#[derive(Debug)]
pub struct ClientReceiver {
    receiver: Receiver<Arc<EncodedMessage>>,
    pending: Arc<AtomicUsize>,
}

/// Result of waiting for a message.
#[derive(Clone, Debug)]
pub enum PollResult {
    /// A message.
    Message(Arc<EncodedMessage>),
    /// No message within the timeout.
    NoneYet,
    /// The queue is closed.
    Over,
}

fn lock<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Clients {
    /// Creates an empty set of clients.
    pub fn new(view: DisplayedRun, source: MessageSource, control: Arc<Control>) -> Arc<Clients> {
        let greeting = view.messages(source).into_iter().map(Arc::new).collect();
        let (feeds, ground) = (Mutex::default(), Mutex::default());
        Arc::new(Clients { view, control, greeting, feeds, ground })
    }

    /// The displayed run.
    pub fn view(&self) -> &DisplayedRun {
        &self.view
    }

    /// Playback requests of the clients.
    pub fn control(&self) -> &Arc<Control> {
        &self.control
    }

    /// Number of connected clients.
    pub fn count(&self) -> usize {
        let mut feeds = lock(&self.feeds);
        feeds.retain(ClientQueue::is_wanted);
        feeds.len()
    }

    /// Returns whether some client has not received the ground yet.
    pub fn has_fresh(&self) -> bool {
        lock(&self.feeds).iter().any(|feed| feed.fresh)
    }

    /// Adds a client and sends it the scene.
    pub fn join(&self) -> ClientReceiver {
        let (sender, receiver) = channel();
        let pending = Arc::new(AtomicUsize::new(self.greeting.len() + 1));
        for message in self.greeting.iter().cloned().chain([Arc::new(self.state())]) {
            let _ = sender.send(message);
        }
        lock(&self.feeds).push(ClientQueue { sender, pending: pending.clone(), fresh: true });
        ClientReceiver { receiver, pending }
    }

    /// Sends a message to all clients.
    ///
    /// If `may_be_missed`, clients with too many pending messages do not receive it.
    pub(super) fn send(&self, message: EncodedMessage, may_be_missed: bool) {
        let message = Arc::new(message);
        self.each(|feed| {
            let behind = feed.pending.load(Ordering::Relaxed) > BEHIND;
            (may_be_missed && behind) || feed.send(&message)
        });
    }

    /// Sends the whole ground to clients that have none yet, and the changes to the others.
    ///
    /// Returns whether some client had none. The set is locked throughout, so that a client that
    /// joins meanwhile is served by the next call.
    pub(super) fn send_ground(
        &self,
        published: &Arc<SharedGround>,
        changed: Option<EncodedMessage>,
        all: impl FnOnce() -> Option<EncodedMessage>,
    ) -> bool {
        *lock(&self.ground) = published.clone();
        let changed = changed.map(Arc::new);
        let mut feeds = lock(&self.feeds);
        let has_fresh = feeds.iter().any(|feed| feed.fresh);
        let whole = if has_fresh { all().map(Arc::new) } else { None };
        feeds.retain_mut(|feed| {
            let message = if std::mem::take(&mut feed.fresh) { &whole } else { &changed };
            message.as_ref().is_none_or(|message| feed.send(message))
        });
        has_fresh
    }

    fn each(&self, mut keeps: impl FnMut(&mut ClientQueue) -> bool) {
        lock(&self.feeds).retain_mut(|feed| keeps(feed));
    }

    /// Processes a request of a client; returns the immediate answer, if there is one.
    ///
    /// The answer to an invalid request is a fault message.
    pub fn handle(&self, request: &str) -> Option<EncodedMessage> {
        if request.len() > LONGEST {
            return Some(fault(&format!("request too long: must have at most {LONGEST} bytes")));
        }
        match serde_json::from_str::<PageRequest>(request) {
            Ok(request) => self.reply(&request),
            Err(error) => Some(fault(&format!("invalid request: {error}"))),
        }
    }

    /// Immediate answer to a request, if its kind has one.
    fn reply(&self, request: &PageRequest) -> Option<EncodedMessage> {
        match request {
            PageRequest::Chunk(chunk) => Some(self.chunk(chunk)),
            PageRequest::Ground { x, y } => Some(self.ground_at(*x, *y)),
            other => {
                self.control.apply(other);
                // all clients receive the change made by one of them
                self.send(self.state(), false);
                None
            }
        }
    }

    /// Playback state: whether the run is playing, and its rate.
    fn state(&self) -> EncodedMessage {
        let (playing, rate) = self.control.playing();
        text(&json!({ "kind": "status", "playing": playing, "rate": rate }))
    }

    fn chunk(&self, chunk: &Chunk) -> EncodedMessage {
        let message = chunk.message(&self.view.model.ground);
        message.unwrap_or_else(|error| fault(&error.to_string()))
    }

    fn ground_at(&self, x: f64, y: f64) -> EncodedMessage {
        let model = &self.view.model.ground;
        if !(x.is_finite() && y.is_finite() && model.terrain().contains(x, y)) {
            return fault(&format!("({x}, {y}) m is outside the terrain"));
        }
        let published = lock(&self.ground).clone();
        text(&json!({
            "kind": "ground",
            "x": x,
            "y": y,
            "z": surface_height(model, &published, x, y),
            "soil": model.soil_at(x, y).name,
            "depth": rut_depth(model, &published, x, y),
            "sinkage": nearest_sinkage(model, &published, x, y),
        }))
    }
}

impl ClientQueue {
    /// Returns whether the client is still connected.
    fn is_wanted(&self) -> bool {
        Arc::strong_count(&self.pending) > 1
    }

    /// Queues a message; returns whether the client is to be kept.
    fn send(&self, message: &Arc<EncodedMessage>) -> bool {
        self.pending.fetch_add(1, Ordering::Relaxed) < LOST
            && self.sender.send(message.clone()).is_ok()
    }
}

fn fault(text_of_it: &str) -> EncodedMessage {
    text(&json!({ "kind": "fault", "text": text_of_it }))
}

impl ClientReceiver {
    /// Waits for the next message, for at most `timeout`.
    pub fn next(&self, timeout: Duration) -> PollResult {
        match self.receiver.recv_timeout(timeout) {
            Ok(message) => {
                self.pending.fetch_sub(1, Ordering::Relaxed);
                PollResult::Message(message)
            }
            Err(RecvTimeoutError::Timeout) => PollResult::NoneYet,
            Err(RecvTimeoutError::Disconnected) => PollResult::Over,
        }
    }
}
