//! The thread that receives and confirms portions and sends the hellos of this rank.

use super::Outbox;
use super::admission::{Admission, GONE, Verdict};
use super::endpoint::{Channel, Endpoint, Reader};
use super::message::{
    Hello, LARGEST_PORTION, LEAVE, Octets, PAYLOAD, Portion, READY, Refusal, TAKEN,
};
use crate::communicator::CommError;
use crate::loss;
use rustdds::no_key::DataWriter;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Interval between two hellos.
pub(super) const BEAT: Duration = Duration::from_millis(500);
/// Maximum number of portions in transit from one rank to another.
pub(super) const WINDOW: u64 = 16;
/// Number of portions after which their receiver confirms them.
const CONFIRMED: u64 = WINDOW / 2;
/// Longest part that is accepted, bytes: more than any state of a world. Memory is allocated as
/// bytes arrive.
const LARGEST: u64 = 1 << 36;

/// An event received from a peer.
#[derive(Debug, PartialEq)]
pub(super) enum Arrival {
    /// The first portion of a part of `length` bytes has arrived.
    Length {
        exchange: u64,
        length: u64,
    },
    Bytes(Vec<u8>),
    /// The peer has disconnected for this reason.
    Left(CommError),
}

/// State of another rank.
#[derive(Debug)]
pub(super) struct Peer {
    /// Time of the last message from it.
    pub heard: Instant,
    /// Whether it waits in an exchange, by its last hello.
    pub waits: bool,
    /// Set of ranks from which it has received, one bit per rank. `None` until it is ready itself.
    pub ready: Option<u64>,
    pub arrivals: VecDeque<Arrival>,
    /// Whether it has announced that it disconnects.
    pub has_left: bool,
    /// Number of portions that it has confirmed.
    pub confirmed: u64,
    /// Number of portions taken from it.
    taken: u64,
    /// The part being received.
    incoming: Option<Vec<u8>>,
}

impl Peer {
    pub fn new(now: Instant) -> Peer {
        Peer {
            heard: now,
            waits: false,
            ready: None,
            arrivals: VecDeque::new(),
            has_left: false,
            confirmed: 0,
            taken: 0,
            incoming: None,
        }
    }

    /// Handles a portion from rank `rank`. Returns the count to confirm when a confirmation is due.
    fn take(&mut self, rank: usize, portion: Portion) -> Option<u64> {
        let Portion { exchange, total, offset, kind, bytes: Octets(bytes), .. } = portion;
        match kind {
            READY => self.ready = Some(total),
            TAKEN => self.confirmed = self.confirmed.max(total),
            LEAVE => {
                self.has_left = true;
                let gone = CommError::Gone { rank };
                self.arrivals.push_back(Arrival::Left(loss::decoded(&bytes).unwrap_or(gone)));
                // the peer stays until all its portions are confirmed
                self.taken += 1;
                return Some(self.taken);
            }
            PAYLOAD => {
                let part = self.incoming.take();
                let begins = part.is_none();
                let mut part = part.unwrap_or_default();
                let end = offset.saturating_add(bytes.len() as u64);
                let fits = offset == part.len() as u64 && end <= total && total <= LARGEST;
                if !fits || bytes.len() > LARGEST_PORTION || (bytes.is_empty() && total > 0) {
                    let what = format!(
                        "rank {rank} sent a portion that does not continue the previous one"
                    );
                    self.arrivals.push_back(Arrival::Left(CommError::Transport { what }));
                    return None;
                }
                if begins {
                    self.arrivals.push_back(Arrival::Length { exchange, length: total });
                }
                part.extend_from_slice(&bytes);
                match end == total {
                    true => self.arrivals.push_back(Arrival::Bytes(part)),
                    false => self.incoming = Some(part),
                }
                self.taken += 1;
                return self.taken.is_multiple_of(CONFIRMED).then_some(self.taken);
            }
            _ => {
                let what = format!("rank {rank} sent a portion of unknown kind {kind}");
                self.arrivals.push_back(Arrival::Left(CommError::Transport { what }));
            }
        }
        None
    }

    /// Whether the peer counts as gone.
    pub fn is_gone(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.heard) > GONE
    }
}

/// State shared by the receiving thread and the rank.
#[derive(Debug)]
pub(super) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    closes: AtomicBool,
}

#[derive(Debug)]
pub(super) struct State {
    /// Number of exchanges that this rank has begun.
    pub exchange: u64,
    /// Whether this rank waits in the last of these exchanges.
    pub waits: bool,
    /// By rank. The entry of this rank is unused.
    pub peers: Vec<Peer>,
}

impl Shared {
    pub fn new(size: usize) -> Shared {
        let now = Instant::now();
        let peers = (0..size).map(|_| Peer::new(now)).collect();
        let state = Mutex::new(State { exchange: 0, waits: false, peers });
        Shared { state, changed: Condvar::new(), closes: AtomicBool::new(false) }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the state changes, at most for `most`.
    pub fn wait<'a>(&self, state: MutexGuard<'a, State>, most: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, most).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Ends the receiving thread.
    pub fn close(&self) {
        self.closes.store(true, Ordering::Relaxed);
    }
}

/// Everything that the receiving thread uses.
pub(super) struct Receiver {
    /// Kept alive, since readers and writers end with it.
    pub endpoint: Endpoint,
    pub rank: usize,
    pub own: Hello,
    /// Identifiers of the participants, in rank order.
    pub run: Vec<u64>,
    /// Rejects participants that arrive late. Only at rank 0.
    pub admission: Option<Admission>,
    pub hellos: Channel<Hello>,
    pub refusals: DataWriter<Refusal>,
    pub portions: Reader<Portion>,
    pub outbox: Arc<Outbox>,
    pub shared: Arc<Shared>,
}

impl Receiver {
    pub fn run(mut self) {
        let mut next = Instant::now();
        while !self.shared.closes.load(Ordering::Relaxed) {
            self.take_portions();
            self.take_hellos();
            let now = Instant::now();
            if now >= next {
                self.say_hello();
                next = now + BEAT;
            }
            self.endpoint.bell.wait(next - now);
        }
    }

    fn take_portions(&self) {
        let mut confirmations = Vec::new();
        let mut came = false;
        self.portions.take_all(|portion| {
            let from = usize::from(portion.from);
            let mut state = self.shared.state();
            if let Some(peer) = state.peers.get_mut(from).filter(|_| from != self.rank) {
                peer.heard = Instant::now();
                came = true;
                confirmations.extend(peer.take(from, portion).map(|taken| (from, taken)));
            }
        });
        if came {
            self.shared.changed.notify_all();
        }
        for (rank, total) in confirmations {
            let taken = Portion { total, ..Portion::of(TAKEN, self.rank) };
            // a rank that is gone needs none
            let _ = self.outbox.write(rank, taken);
        }
    }

    fn take_hellos(&mut self) {
        let now = Instant::now();
        let Receiver { hellos, run, admission, refusals, shared, .. } = self;
        hellos.reader.take_all(|hello| {
            let rank = usize::from(hello.rank);
            if run.get(rank) == Some(&hello.participant) {
                let peer = &mut shared.state().peers[rank];
                (peer.heard, peer.waits) = (now, hello.waits);
            } else if let Some(admission) = admission {
                refuse(admission.hear(&hello, now), hello.participant, refusals);
            }
        });
    }

    fn say_hello(&mut self) {
        let state = self.shared.state();
        (self.own.exchange, self.own.waits) = (state.exchange, state.waits);
        drop(state);
        // a hello that cannot be sent now is sent again
        let _ = self.hellos.writer.write(self.own.clone(), None);
    }
}

/// Sends a rejection to a participant if the verdict is one.
pub(super) fn refuse(verdict: Verdict, participant: u64, to: &DataWriter<Refusal>) {
    if let Verdict::Refused(why) = verdict {
        // the participant repeats its hello, and this answer is repeated too
        let _ = to.write(Refusal { participant, why }, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn portion(total: u64, offset: u64, bytes: &[u8]) -> Portion {
        let bytes = Octets(bytes.to_vec());
        Portion { exchange: 4, total, offset, bytes, ..Portion::of(PAYLOAD, 1) }
    }

    fn arrivals(portions: impl IntoIterator<Item = Portion>) -> Vec<Arrival> {
        let mut peer = Peer::new(Instant::now());
        for portion in portions {
            peer.take(1, portion);
        }
        peer.arrivals.into()
    }

    #[test]
    fn portions_become_the_part_that_they_were() {
        let came = arrivals([portion(5, 0, b"abc"), portion(5, 3, b"de"), portion(0, 0, b"")]);
        let length = |length| Arrival::Length { exchange: 4, length };
        let bytes = |bytes: &[u8]| Arrival::Bytes(bytes.to_vec());
        assert_eq!(came, [length(5), bytes(b"abcde"), length(0), bytes(b"")]);
    }

    #[test]
    fn what_does_not_go_together_ends_the_connection() {
        let long = vec![0; LARGEST_PORTION + 1];
        for wrong in [
            portion(5, 1, b"abc"),
            portion(2, 0, b"abc"),
            portion(LARGEST + 1, 0, b"abc"),
            portion(3, u64::MAX, b"abc"),
            portion(3, 0, b""),
            portion(long.len() as u64, 0, &long),
            Portion::of(9, 1),
        ] {
            assert!(matches!(arrivals([wrong])[..], [Arrival::Left(CommError::Transport { .. })]));
        }
        let left = Portion::of(LEAVE, 1);
        assert_eq!(arrivals([left]), [Arrival::Left(CommError::Gone { rank: 1 })]);
    }

    #[test]
    fn portions_are_confirmed_before_the_window_is_full() {
        let mut peer = Peer::new(Instant::now());
        let confirmed: Vec<u64> =
            (0..2 * WINDOW).filter_map(|_| peer.take(1, portion(0, 0, b""))).collect();
        assert_eq!(confirmed, [8, 16, 24, 32]);
    }
}
