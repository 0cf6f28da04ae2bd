//! The thread that receives and confirms portions and sends the hellos of this rank.

use super::Outbox;
use super::admission::{Admission, AdmissionDecision, PEER_TIMEOUT};
use super::endpoint::{Endpoint, TopicChannel, TopicReader};
use super::message::{
    CONFIRMATION, Fragment, LEAVE, MAX_FRAGMENT_BYTES, Octets, PAYLOAD, ParticipantHello,
    ParticipantRefusal, READY,
};
use crate::communicator::CommError;
use crate::disconnect_reason;
use rustdds::no_key::DataWriter;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Interval between two hellos.
pub(super) const HELLO_INTERVAL: Duration = Duration::from_millis(500);
/// Maximum number of portions in transit from one rank to another.
pub(super) const WINDOW: u64 = 16;
/// Number of portions after which their receiver confirms them.
const CONFIRM_EVERY: u64 = WINDOW / 2;
/// Longest part that is accepted, bytes: more than any state of a world. Memory is allocated as
/// bytes arrive.
const MAX_PART_BYTES: u64 = 1 << 36;

/// An event received from a peer.
#[derive(Debug, PartialEq)]
pub(super) enum DdsArrival {
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
pub(super) struct DdsPeer {
    /// Time of the last message from it.
    pub last_heard: Instant,
    /// Whether it waits in an exchange, by its last hello.
    pub waits: bool,
    /// Set of ranks from which it has received, one bit per rank. `None` until it is ready itself.
    pub ready: Option<u64>,
    pub arrivals: VecDeque<DdsArrival>,
    /// Whether it has announced that it disconnects.
    pub has_left: bool,
    /// Number of portions that it has confirmed.
    pub confirmed: u64,
    /// Number of portions taken from it.
    taken: u64,
    /// The part being received.
    incoming: Option<Vec<u8>>,
}

impl DdsPeer {
    pub fn new(now: Instant) -> DdsPeer {
        DdsPeer {
            last_heard: now,
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
    fn accept_fragment(&mut self, rank: usize, fragment: Fragment) -> Option<u64> {
        let Fragment { exchange, total, offset, kind, bytes: Octets(bytes), .. } = fragment;
        match kind {
            READY => self.ready = Some(total),
            CONFIRMATION => self.confirmed = self.confirmed.max(total),
            LEAVE => {
                self.has_left = true;
                let gone = CommError::Gone { rank };
                self.arrivals
                    .push_back(DdsArrival::Left(disconnect_reason::decode(&bytes).unwrap_or(gone)));
                // the peer stays until all its portions are confirmed
                self.taken += 1;
                return Some(self.taken);
            }
            PAYLOAD => {
                let part = self.incoming.take();
                let begins = part.is_none();
                let mut part = part.unwrap_or_default();
                let end = offset.saturating_add(bytes.len() as u64);
                let fits = offset == part.len() as u64 && end <= total && total <= MAX_PART_BYTES;
                if !fits || bytes.len() > MAX_FRAGMENT_BYTES || (bytes.is_empty() && total > 0) {
                    let what = format!(
                        "rank {rank} sent a portion that does not continue the previous one"
                    );
                    self.arrivals.push_back(DdsArrival::Left(CommError::Transport { what }));
                    return None;
                }
                if begins {
                    self.arrivals.push_back(DdsArrival::Length { exchange, length: total });
                }
                part.extend_from_slice(&bytes);
                match end == total {
                    true => self.arrivals.push_back(DdsArrival::Bytes(part)),
                    false => self.incoming = Some(part),
                }
                self.taken += 1;
                return self.taken.is_multiple_of(CONFIRM_EVERY).then_some(self.taken);
            }
            _ => {
                let what = format!("rank {rank} sent a portion of unknown kind {kind}");
                self.arrivals.push_back(DdsArrival::Left(CommError::Transport { what }));
            }
        }
        None
    }

    /// Whether the peer counts as gone.
    pub fn is_gone(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.last_heard) > PEER_TIMEOUT
    }
}

/// State shared by the receiving thread and the rank.
#[derive(Debug)]
pub(super) struct ReceiverState {
    state: Mutex<State>,
    changed: Condvar,
    is_closed: AtomicBool,
}

#[derive(Debug)]
pub(super) struct State {
    /// Number of exchanges that this rank has begun.
    pub exchange: u64,
    /// Whether this rank waits in the last of these exchanges.
    pub waits: bool,
    /// By rank. The entry of this rank is unused.
    pub peers: Vec<DdsPeer>,
}

impl ReceiverState {
    pub fn new(size: usize) -> ReceiverState {
        let now = Instant::now();
        let peers = (0..size).map(|_| DdsPeer::new(now)).collect();
        let state = Mutex::new(State { exchange: 0, waits: false, peers });
        ReceiverState { state, changed: Condvar::new(), is_closed: AtomicBool::new(false) }
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
        self.is_closed.store(true, Ordering::Relaxed);
    }
}

/// Everything that the receiving thread uses.
pub(super) struct Receiver {
    /// Kept alive, since readers and writers end with it.
    pub endpoint: Endpoint,
    pub rank: usize,
    pub own: ParticipantHello,
    /// Identifiers of the participants, in rank order.
    pub run: Vec<u64>,
    /// Rejects participants that arrive late. Only at rank 0.
    pub admission: Option<Admission>,
    pub hellos: TopicChannel<ParticipantHello>,
    pub refusals: DataWriter<ParticipantRefusal>,
    pub fragments: TopicReader<Fragment>,
    pub outbox: Arc<Outbox>,
    pub shared: Arc<ReceiverState>,
}

impl Receiver {
    pub fn run(mut self) {
        let mut next = Instant::now();
        while !self.shared.is_closed.load(Ordering::Relaxed) {
            self.process_fragments();
            self.process_hellos();
            let now = Instant::now();
            if now >= next {
                self.send_hello();
                next = now + HELLO_INTERVAL;
            }
            self.endpoint.arrivals_event.wait(next - now);
        }
    }

    fn process_fragments(&self) {
        let mut confirmations = Vec::new();
        let mut came = false;
        self.fragments.take_all(|fragment| {
            let from = usize::from(fragment.from);
            let mut state = self.shared.state();
            if let Some(peer) = state.peers.get_mut(from).filter(|_| from != self.rank) {
                peer.last_heard = Instant::now();
                came = true;
                confirmations
                    .extend(peer.accept_fragment(from, fragment).map(|taken| (from, taken)));
            }
        });
        if came {
            self.shared.changed.notify_all();
        }
        for (rank, total) in confirmations {
            let taken = Fragment { total, ..Fragment::empty(CONFIRMATION, self.rank) };
            // a rank that is gone needs none
            let _ = self.outbox.write(rank, taken);
        }
    }

    fn process_hellos(&mut self) {
        let now = Instant::now();
        let Receiver { hellos, run, admission, refusals, shared, .. } = self;
        hellos.reader.take_all(|hello| {
            let rank = usize::from(hello.rank);
            if run.get(rank) == Some(&hello.participant) {
                let peer = &mut shared.state().peers[rank];
                (peer.last_heard, peer.waits) = (now, hello.waits);
            } else if let Some(admission) = admission {
                refuse(admission.decide(&hello, now), hello.participant, refusals);
            }
        });
    }

    fn send_hello(&mut self) {
        let state = self.shared.state();
        (self.own.exchange, self.own.waits) = (state.exchange, state.waits);
        drop(state);
        // a hello that cannot be sent now is sent again
        let _ = self.hellos.writer.write(self.own.clone(), None);
    }
}

/// Sends a rejection to a participant if the verdict is one.
pub(super) fn refuse(
    decision: AdmissionDecision,
    participant: u64,
    to: &DataWriter<ParticipantRefusal>,
) {
    if let AdmissionDecision::Refused(reason) = decision {
        // the participant repeats its hello, and this answer is repeated too
        let _ = to.write(ParticipantRefusal { participant, reason }, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragment(total: u64, offset: u64, bytes: &[u8]) -> Fragment {
        let bytes = Octets(bytes.to_vec());
        Fragment { exchange: 4, total, offset, bytes, ..Fragment::empty(PAYLOAD, 1) }
    }

    fn arrivals(fragments: impl IntoIterator<Item = Fragment>) -> Vec<DdsArrival> {
        let mut peer = DdsPeer::new(Instant::now());
        for fragment in fragments {
            peer.accept_fragment(1, fragment);
        }
        peer.arrivals.into()
    }

    #[test]
    fn portions_become_the_part_that_they_were() {
        let came = arrivals([fragment(5, 0, b"abc"), fragment(5, 3, b"de"), fragment(0, 0, b"")]);
        let length = |length| DdsArrival::Length { exchange: 4, length };
        let bytes = |bytes: &[u8]| DdsArrival::Bytes(bytes.to_vec());
        assert_eq!(came, [length(5), bytes(b"abcde"), length(0), bytes(b"")]);
    }

    #[test]
    fn inconsistent_messages_end_the_connection() {
        let long = vec![0; MAX_FRAGMENT_BYTES + 1];
        for wrong in [
            fragment(5, 1, b"abc"),
            fragment(2, 0, b"abc"),
            fragment(MAX_PART_BYTES + 1, 0, b"abc"),
            fragment(3, u64::MAX, b"abc"),
            fragment(3, 0, b""),
            fragment(long.len() as u64, 0, &long),
            Fragment::empty(9, 1),
        ] {
            assert!(matches!(
                arrivals([wrong])[..],
                [DdsArrival::Left(CommError::Transport { .. })]
            ));
        }
        let left = Fragment::empty(LEAVE, 1);
        assert_eq!(arrivals([left]), [DdsArrival::Left(CommError::Gone { rank: 1 })]);
    }

    #[test]
    fn portions_are_confirmed_before_the_window_is_full() {
        let mut peer = DdsPeer::new(Instant::now());
        let confirmed: Vec<u64> =
            (0..2 * WINDOW).filter_map(|_| peer.accept_fragment(1, fragment(0, 0, b""))).collect();
        assert_eq!(confirmed, [8, 16, 24, 32]);
    }
}
