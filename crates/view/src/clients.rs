//! Who watches: what each is still to be sent.

use super::chunk::Chunk;
use super::control::Control;
use super::message::{Message, text};
use super::request::Request;
use super::scene_message::{Source, View};
use bekker_ground::{Published, nearest_sinkage, rut_depth, surface_height};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Messages that may wait for a client before frames are left out for it.
const BEHIND: usize = 8;

/// Messages that may wait before it is given up.
const LOST: usize = 4096;

/// Longest request, bytes.
const LONGEST: usize = 4096;

/// All who watch one run.
#[derive(Debug)]
pub struct Clients {
    view: View,
    control: Arc<Control>,
    greeting: Vec<Arc<Message>>,
    feeds: Mutex<Vec<Feed>>,
    /// The ground as it was sent last.
    ground: Mutex<Published>,
}

/// What one of them is to be sent.
#[derive(Debug)]
struct Feed {
    sender: Sender<Arc<Message>>,
    pending: Arc<AtomicUsize>,
    /// Whether it has no ground yet.
    fresh: bool,
}

/// One who watches.
#[derive(Debug)]
pub struct Client {
    receiver: Receiver<Arc<Message>>,
    pending: Arc<AtomicUsize>,
}

/// What there is for a client.
#[derive(Clone, Debug)]
pub enum Next {
    /// A message.
    Message(Arc<Message>),
    /// Nothing in the time that was waited.
    NoneYet,
    /// Nothing any more.
    Over,
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Clients {
    /// Nobody yet.
    pub fn new(view: View, source: Source, control: Arc<Control>) -> Arc<Clients> {
        let greeting = view.messages(source).into_iter().map(Arc::new).collect();
        let (feeds, ground) = (Mutex::default(), Mutex::default());
        Arc::new(Clients { view, control, greeting, feeds, ground })
    }

    /// The run that they watch.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// What they want of it.
    pub fn control(&self) -> &Arc<Control> {
        &self.control
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        let mut feeds = held(&self.feeds);
        feeds.retain(Feed::is_wanted);
        feeds.len()
    }

    /// Whether somebody has no ground yet.
    pub fn has_fresh(&self) -> bool {
        held(&self.feeds).iter().any(|feed| feed.fresh)
    }

    /// One more, who is greeted with the scene.
    pub fn join(&self) -> Client {
        let (sender, receiver) = channel();
        let pending = Arc::new(AtomicUsize::new(self.greeting.len() + 1));
        for message in self.greeting.iter().cloned().chain([Arc::new(self.state())]) {
            let _ = sender.send(message);
        }
        held(&self.feeds).push(Feed { sender, pending: pending.clone(), fresh: true });
        Client { receiver, pending }
    }

    /// Sends all of them a message; one that `may_be_missed` is kept from who is behind.
    pub(super) fn send(&self, message: Message, may_be_missed: bool) {
        let message = Arc::new(message);
        self.each(|feed| {
            let behind = feed.pending.load(Ordering::Relaxed) > BEHIND;
            (may_be_missed && behind) || feed.give(&message)
        });
    }

    /// Sends those who have no ground all of it, the others what has changed.
    pub(super) fn send_ground(
        &self,
        published: &Published,
        changed: Option<Message>,
        mut all: impl FnMut() -> Option<Message>,
    ) {
        *held(&self.ground) = published.clone();
        let changed = changed.map(Arc::new);
        let whole = if self.has_fresh() { all().map(Arc::new) } else { None };
        self.each(|feed| {
            let message = if std::mem::take(&mut feed.fresh) { &whole } else { &changed };
            message.as_ref().is_none_or(|message| feed.give(message))
        });
    }

    fn each(&self, mut tell: impl FnMut(&mut Feed) -> bool) {
        held(&self.feeds).retain_mut(|feed| tell(feed));
    }

    /// Takes what one of them asks for; the answer, if there is one at once. What cannot be read is
    /// answered with a fault.
    pub fn ask(&self, request: &str) -> Option<Message> {
        if request.len() > LONGEST {
            return Some(fault(&format!("a request has at most {LONGEST} bytes")));
        }
        match serde_json::from_str::<Request>(request) {
            Ok(request) => self.answer(&request),
            Err(error) => Some(fault(&format!("not a request: {error}"))),
        }
    }

    /// What a request is answered with at once, if it is one that is.
    fn answer(&self, request: &Request) -> Option<Message> {
        match request {
            Request::Chunk(chunk) => Some(self.chunk(chunk)),
            Request::Ground { x, y } => Some(self.ground_at(*x, *y)),
            other => {
                self.control.take(other);
                // all see what one of them did
                self.send(self.state(), false);
                None
            }
        }
    }

    /// Whether the run goes on, and how fast.
    fn state(&self) -> Message {
        let (playing, rate) = self.control.playing();
        text(&json!({ "kind": "status", "playing": playing, "rate": rate }))
    }

    fn chunk(&self, chunk: &Chunk) -> Message {
        let message = chunk.message(&self.view.model.ground);
        message.unwrap_or_else(|error| fault(&error.to_string()))
    }

    fn ground_at(&self, x: f64, y: f64) -> Message {
        let model = &self.view.model.ground;
        if !(x.is_finite() && y.is_finite() && model.terrain().contains(x, y)) {
            return fault(&format!("({x}, {y}) m lies off the terrain"));
        }
        let published = held(&self.ground);
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

impl Feed {
    /// Whether its client is still there.
    fn is_wanted(&self) -> bool {
        Arc::strong_count(&self.pending) > 1
    }

    /// Whether it is still wanted.
    fn give(&self, message: &Arc<Message>) -> bool {
        self.pending.fetch_add(1, Ordering::Relaxed) < LOST
            && self.sender.send(message.clone()).is_ok()
    }
}

fn fault(text_of_it: &str) -> Message {
    text(&json!({ "kind": "fault", "text": text_of_it }))
}

impl Client {
    /// The next message for it, waiting for so long.
    pub fn next(&self, patience: Duration) -> Next {
        match self.receiver.recv_timeout(patience) {
            Ok(message) => {
                self.pending.fetch_sub(1, Ordering::Relaxed);
                Next::Message(message)
            }
            Err(RecvTimeoutError::Timeout) => Next::NoneYet,
            Err(RecvTimeoutError::Disconnected) => Next::Over,
        }
    }
}
