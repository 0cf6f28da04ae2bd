//! Ranks as participants of a DDS domain, on one machine or several, in any language.
//!
//! Every participant sends a hello ([`message::Hello`]) twice a second. Once all are present, rank
//! 0 announces the participants of the run. Then each rank writes to each other rank on a topic
//! that only the receiver reads.
//!
//! Parts are sent in portions of 48 KiB, with at most sixteen in transit: DDS keeps portions that
//! were not taken, but only up to a limit. DDS without its security extension does not
//! authenticate. Use a tunnel on networks that others can read.

mod admission;
mod endpoint;
mod joining;
mod message;
mod receiver;

pub use joining::MAX_DDS_RANKS;

use super::communicator::{CommError, Communicator, ExchangeTimes, RankBuffers};
use super::disconnect_reason;
use endpoint::ArrivalEvent;
use message::{Fragment, LEAVE, MAX_FRAGMENT_BYTES, Octets, PAYLOAD, READY};
use receiver::{DdsArrival, HELLO_INTERVAL, Receiver, ReceiverState, WINDOW};
use rustdds::no_key::DataWriter;
use rustdds::{DataWriterStatus, StatusEvented};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Interval between two checks whether a peer is still present.
const POLL: Duration = Duration::from_millis(100);
/// Time within which all waiting ranks have reported that they wait.
const REPORT_TIMEOUT: Duration = HELLO_INTERVAL.saturating_mul(3);
/// Timeout for the last messages to arrive, even on a busy machine.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(20);

/// This process among ranks connected by [`super::Rendezvous::join_over_dds`].
///
/// A DDS participant detects that another was killed only by its silence: a peer without a hello
/// for five seconds is gone. A peer that sends hellos but does not answer an exchange is silent
/// after the timeout. Waiting ranks report this in their hellos, so that the error names the rank
/// that hangs and not one that itself waits. A rank that disconnects because of a loss sends the
/// lost rank's number to the others.
pub struct Dds {
    rank: usize,
    size: usize,
    outbox: Arc<Outbox>,
    shared: Arc<ReceiverState>,
    arrivals_event: Arc<ArrivalEvent>,
    receiver: Option<JoinHandle<()>>,
    /// Number of portions sent to each rank.
    sent: Vec<u64>,
    timeout: Duration,
    exchange: u64,
    begun: Instant,
    has_left: bool,
}

impl fmt::Debug for Dds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Dds { rank, size, exchange, .. } = self;
        write!(f, "Dds {{ rank: {rank}, size: {size}, exchange: {exchange} }}")
    }
}

/// Writers to all other ranks.
struct Outbox {
    writers: Vec<Option<Mutex<DataWriter<Fragment>>>>,
}

impl Outbox {
    fn new(writers: Vec<Option<DataWriter<Fragment>>>) -> Outbox {
        Outbox { writers: writers.into_iter().map(|writer| writer.map(Mutex::new)).collect() }
    }

    fn write(&self, rank: usize, fragment: Fragment) -> Result<(), CommError> {
        let gone = CommError::Gone { rank };
        let writer = self.writers.get(rank).and_then(Option::as_ref).ok_or(gone)?;
        let writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.write(fragment, None).map_err(|error| CommError::Transport {
            what: format!("cannot write to rank {rank}: {error}"),
        })
    }

    /// Whether a rank has stopped reading since the last call. A rank that ends regularly reports
    /// it.
    fn has_lost_reader(&self, rank: usize) -> bool {
        let Some(writer) = &self.writers[rank] else { return true };
        let writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::from_fn(|| writer.try_recv_status()).any(|status| {
            let DataWriterStatus::PublicationMatched { current, .. } = status else { return false };
            current.count() == 0
        })
    }

    /// Waits until a rank has acknowledged all that was written to it, at most for `most`.
    fn flush(&self, rank: usize, most: Duration) {
        if let Some(writer) = &self.writers[rank] {
            let writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            // a rank that is gone acknowledges nothing
            let _ = writer.wait_for_acknowledgments(most);
        }
    }
}

impl Fragment {
    /// Creates a portion without bytes.
    fn empty(kind: u8, from: usize) -> Fragment {
        let bytes = Octets::default();
        Fragment { exchange: 0, total: 0, offset: 0, from: from as u16, kind, bytes }
    }
}

impl Dds {
    fn new(
        rank: usize,
        size: usize,
        timeout: Duration,
        outbox: Arc<Outbox>,
        shared: Arc<ReceiverState>,
        receiver: Receiver,
    ) -> Result<Dds, String> {
        let arrivals_event = receiver.endpoint.arrivals_event.clone();
        let thread = std::thread::Builder::new().name("receiver".into());
        let receiver = thread.spawn(|| receiver.run()).map_err(|error| error.to_string())?;
        Ok(Dds {
            rank,
            size,
            outbox,
            shared,
            arrivals_event,
            receiver: Some(receiver),
            sent: vec![0; size],
            timeout,
            exchange: 0,
            begun: Instant::now(),
            has_left: false,
        })
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let here = self.rank;
        (0..self.size).filter(move |&rank| rank != here)
    }

    /// Sends the set of ranks received so far to all ranks, then returns the unconnected ranks.
    ///
    /// These are the ranks from which this one has received nothing, or that have not received from
    /// it. Waits briefly for arrivals first.
    fn send_ready(&mut self) -> Vec<usize> {
        let state = self.shared.wait(self.shared.state(), POLL);
        let ready_ranks = self.others().filter(|&rank| state.peers[rank].ready.is_some());
        let mask = ready_ranks.fold(1 << self.rank, |mask, rank| mask | 1 << rank);
        let has_received = |mask: u64| mask & (1 << self.rank) != 0;
        let unconnected =
            self.others().filter(|&rank| !state.peers[rank].ready.is_some_and(has_received));
        let unconnected = unconnected.collect();
        drop(state);
        for rank in self.others() {
            // repeated by the caller if no rank receives it yet
            let _ = self
                .outbox
                .write(rank, Fragment { total: mask, ..Fragment::empty(READY, self.rank) });
        }
        unconnected
    }

    /// Waits until `found` returns a value from the state of a peer.
    fn await_peer<T>(
        &self,
        rank: usize,
        begun: Instant,
        mut found: impl FnMut(&mut receiver::DdsPeer) -> Option<T>,
    ) -> Result<T, CommError> {
        if rank >= self.size || rank == self.rank {
            return Err(CommError::Gone { rank });
        }
        let mut state = self.shared.state();
        loop {
            if let Some(found) = found(&mut state.peers[rank]) {
                state.waits = false;
                return Ok(found);
            }
            state.waits = true;
            if state.peers[rank].is_gone(Instant::now()) {
                return Err(CommError::Gone { rank });
            }
            let left = self.timeout.saturating_sub(begun.elapsed());
            if left.is_zero() {
                drop(state);
                return Err(self.silence_error(rank));
            }
            state = self.shared.wait(state, left.min(POLL));
        }
    }

    /// Returns an error that names the ranks that neither wait nor have disconnected.
    ///
    /// Without any such rank it names the awaited rank.
    fn silence_error(&self, awaited: usize) -> CommError {
        std::thread::sleep(REPORT_TIMEOUT);
        let (state, now) = (self.shared.state(), Instant::now());
        let is_absent = |rank: &usize| {
            let peer = &state.peers[*rank];
            peer.is_gone(now) || !(peer.waits || peer.has_left)
        };
        let mut ranks: Vec<usize> = self.others().filter(is_absent).collect();
        if ranks.is_empty() {
            ranks.push(awaited);
        }
        CommError::Silent { ranks, after: self.timeout }
    }

    fn receive(&self, rank: usize, begun: Instant) -> Result<DdsArrival, CommError> {
        match self.await_peer(rank, begun, |peer| peer.arrivals.pop_front())? {
            DdsArrival::Left(reason) => Err(reason),
            arrival => Ok(arrival),
        }
    }

    /// Sends a part at the rate of its receiver. Returns whether the receiver is still connected.
    fn send(&mut self, rank: usize, bytes: &[u8]) -> Result<bool, CommError> {
        let begun = Instant::now();
        let mut offset = 0;
        loop {
            let sent = self.sent.get(rank).copied().unwrap_or_default();
            let is_there = self.await_peer(rank, begun, |peer| match peer.has_left {
                true => Some(false),
                false => (sent < peer.confirmed + WINDOW).then_some(true),
            })?;
            if !is_there {
                return Ok(false);
            }
            let end = bytes.len().min(offset + MAX_FRAGMENT_BYTES);
            let fragment = Fragment {
                exchange: self.exchange,
                total: bytes.len() as u64,
                offset: offset as u64,
                bytes: Octets(bytes[offset..end].to_vec()),
                ..Fragment::empty(PAYLOAD, self.rank)
            };
            self.outbox.write(rank, fragment)?;
            self.sent[rank] += 1;
            offset = end;
            if offset == bytes.len() {
                return Ok(true);
            }
        }
    }

    /// Runs both phases. On failure, sends the reason to the other ranks.
    fn two_phases(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        own: &[u8],
        meanwhile: &mut dyn FnMut(),
        received: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        let done = self.send_and_receive(to, from, own, meanwhile, received);
        if let Err(reason) = &done {
            self.announce_disconnect(disconnect_reason::encode(reason));
        }
        done
    }

    fn send_and_receive(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        own: &[u8],
        meanwhile: &mut dyn FnMut(),
        received: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        let out_of_step =
            |rank| CommError::Transport { what: format!("rank {rank} is out of sync") };
        let begun = Instant::now();
        self.exchange += 1;
        self.shared.state().exchange = self.exchange;
        // Messages that a rank sent before it disconnected may still be needed, so the receiving
        // side reports the error, in order.
        let mut unsent = None;
        for &(rank, bytes) in to {
            if !self.send(rank, bytes)? {
                unsent = Some(rank);
            }
        }
        meanwhile();
        let begun_waiting = Instant::now();
        let mut announced = Vec::with_capacity(from.len());
        for &rank in from.iter().filter(|&&rank| rank != self.rank) {
            match self.receive(rank, begun_waiting)? {
                DdsArrival::Length { exchange, length } if exchange == self.exchange => {
                    announced.push(length);
                }
                _ => return Err(out_of_step(rank)),
            }
        }
        let lengths = begun.elapsed();
        received.clear();
        let mut announced = announced.into_iter();
        for &rank in from {
            if rank == self.rank {
                received.push(own);
                continue;
            }
            let announced = announced.next().unwrap_or_default();
            match self.receive(rank, begun_waiting)? {
                DdsArrival::Bytes(bytes) if bytes.len() as u64 == announced => {
                    received.push(&bytes)
                }
                _ => return Err(out_of_step(rank)),
            }
        }
        match unsent {
            Some(rank) => match self.receive(rank, begun_waiting) {
                Err(reason) => Err(reason),
                Ok(_) => Err(CommError::Gone { rank }),
            },
            None => Ok(ExchangeTimes { lengths, payload: begun.elapsed() - lengths }),
        }
    }

    /// Announces to all other ranks that this rank disconnects, at most once.
    fn announce_disconnect(&mut self, reason: Vec<u8>) {
        if std::mem::replace(&mut self.has_left, true) {
            return;
        }
        for rank in self.others() {
            let bytes = Octets(reason.clone());
            self.sent[rank] += 1;
            // a rank that cannot be reached detects the loss itself
            let _ =
                self.outbox.write(rank, Fragment { bytes, ..Fragment::empty(LEAVE, self.rank) });
        }
    }
}

impl Drop for Dds {
    fn drop(&mut self) {
        self.announce_disconnect(Vec::new());
        // RustDDS drops samples that it has received but not yet handed over once their sender is
        // gone. So a rank stays until all its portions were taken, not only received. This also
        // holds if the other rank disconnects, since that rank waits for the same.
        let begun = Instant::now();
        for rank in self.others() {
            let mut state = self.shared.state();
            loop {
                let peer = &state.peers[rank];
                let is_done = peer.confirmed >= self.sent[rank] || peer.is_gone(Instant::now());
                if is_done || self.outbox.has_lost_reader(rank) || begun.elapsed() > CLOSE_TIMEOUT {
                    break;
                }
                state = self.shared.wait(state, POLL);
            }
            drop(state);
            // the last confirmations of this rank
            self.outbox.flush(rank, POLL);
        }
        self.shared.close();
        self.arrivals_event.set();
        if let Some(receiver) = self.receiver.take() {
            // a thread that panicked receives nothing more
            let _ = receiver.join();
        }
    }
}

impl Communicator for Dds {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    fn all_gather(
        &mut self,
        mine: &[u8],
        meanwhile: &mut dyn FnMut(),
        all: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        let (here, size) = (self.rank, self.size);
        // each rank starts with the next one, so that not all send to rank 0 at once
        let to: Vec<_> = (1..size).map(|away| ((here + away) % size, mine)).collect();
        let from: Vec<usize> = (0..size).collect();
        self.two_phases(&to, &from, mine, meanwhile, all)
    }

    fn exchange(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
        received: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        self.two_phases(to, from, &[], meanwhile, received)
    }
}

#[cfg(test)]
mod tests;
