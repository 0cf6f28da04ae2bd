//! Ranks as participants of a domain of DDS, on one machine or several, in any language.
//!
//! All say hello ([`message::Hello`]) twice a second; when all are there rank 0 names the run by
//! its participants, and each writes to each other by a topic that the receiver alone reads.
//! Parts go in portions of 48 KiB, of which sixteen at most are on their way: DDS keeps what was
//! not taken, but not without bound. DDS without its security knows no secrets: networks that
//! others listen to want a tunnel.

mod admission;
mod endpoint;
mod meeting;
mod message;
mod receiver;

pub use meeting::MOST_RANKS;

use super::communicator::{CommError, Communicator, Parts, Phases};
use super::loss;
use endpoint::Bell;
use message::{LARGEST_PORTION, LEAVE, Octets, PAYLOAD, Portion, READY};
use receiver::{Arrival, BEAT, Receiver, Shared, WINDOW};
use rustdds::no_key::DataWriter;
use rustdds::{DataWriterStatus, StatusEvented};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time between two looks whether another is still there.
const POLL: Duration = Duration::from_millis(100);
/// Time in which all who wait have said so.
const ROLL_CALL_TIME: Duration = BEAT.saturating_mul(3);
/// Time that the last words have to arrive, however busy the machine is.
const LAST_WORDS: Duration = Duration::from_secs(20);

/// This process among ranks that have met by [`super::Rendezvous::meet_over_dds`].
///
/// Nothing tells a participant of DDS that another was killed but its silence: one that says no
/// hello for five seconds is gone. One that says hello and does not answer an exchange is silent
/// after the time-out; who waits says so in its hellos, so that the one that is waited for is
/// named, and not one that waits itself. A rank that leaves because of a loss tells the others
/// whose.
pub struct Dds {
    rank: usize,
    size: usize,
    outbox: Arc<Outbox>,
    shared: Arc<Shared>,
    bell: Arc<Bell>,
    receiver: Option<JoinHandle<()>>,
    /// Portions that were sent to each rank.
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
    writers: Vec<Option<Mutex<DataWriter<Portion>>>>,
}

impl Outbox {
    fn new(writers: Vec<Option<DataWriter<Portion>>>) -> Outbox {
        Outbox { writers: writers.into_iter().map(|writer| writer.map(Mutex::new)).collect() }
    }

    fn write(&self, rank: usize, portion: Portion) -> Result<(), CommError> {
        let gone = CommError::Gone { rank };
        let writer = self.writers.get(rank).and_then(Option::as_ref).ok_or(gone)?;
        let writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.write(portion, None).map_err(|error| CommError::Transport {
            what: format!("cannot write to rank {rank}: {error}"),
        })
    }

    /// Whether a rank has stopped reading since this was asked last: one that ends says so.
    fn has_lost_reader(&self, rank: usize) -> bool {
        let Some(writer) = &self.writers[rank] else { return true };
        let writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::from_fn(|| writer.try_recv_status()).any(|status| {
            let DataWriterStatus::PublicationMatched { current, .. } = status else { return false };
            current.count() == 0
        })
    }

    /// Waits until what was written to a rank has come, or for so long.
    fn flush(&self, rank: usize, most: Duration) {
        if let Some(writer) = &self.writers[rank] {
            let writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            // one that is gone confirms nothing
            let _ = writer.wait_for_acknowledgments(most);
        }
    }
}

impl Portion {
    /// One without bytes.
    fn of(kind: u8, from: usize) -> Portion {
        let bytes = Octets::default();
        Portion { exchange: 0, total: 0, offset: 0, from: from as u16, kind, bytes }
    }
}

impl Dds {
    fn new(
        rank: usize,
        size: usize,
        timeout: Duration,
        outbox: Arc<Outbox>,
        shared: Arc<Shared>,
        receiver: Receiver,
    ) -> Result<Dds, String> {
        let bell = receiver.endpoint.bell.clone();
        let thread = std::thread::Builder::new().name("receiver".into());
        let receiver = thread.spawn(|| receiver.run()).map_err(|error| error.to_string())?;
        Ok(Dds {
            rank,
            size,
            outbox,
            shared,
            bell,
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

    /// Says to all that this rank is there and whom it has heard, and listens for a moment.
    /// Ranks that have not heard this one, or not been heard.
    fn say_ready(&mut self) -> Vec<usize> {
        let state = self.shared.wait(self.shared.state(), POLL);
        let heard = self.others().filter(|&rank| state.peers[rank].ready.is_some());
        let mask = heard.fold(1 << self.rank, |mask, rank| mask | 1 << rank);
        let has_heard = |mask: u64| mask & (1 << self.rank) != 0;
        let unheard = self.others().filter(|&rank| !state.peers[rank].ready.is_some_and(has_heard));
        let unheard = unheard.collect();
        drop(state);
        for rank in self.others() {
            // said again if nobody hears it yet
            let _ =
                self.outbox.write(rank, Portion { total: mask, ..Portion::of(READY, self.rank) });
        }
        unheard
    }

    /// Waits for something of a rank that `found` finds in what is known of it.
    fn awaited<T>(
        &self,
        rank: usize,
        begun: Instant,
        mut found: impl FnMut(&mut receiver::Peer) -> Option<T>,
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
                return Err(self.silent(rank));
            }
            state = self.shared.wait(state, left.min(POLL));
        }
    }

    /// Who neither waits nor has left because of another. Where all do, it is the one that was
    /// waited for.
    fn silent(&self, awaited: usize) -> CommError {
        std::thread::sleep(ROLL_CALL_TIME);
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

    fn receive(&self, rank: usize, begun: Instant) -> Result<Arrival, CommError> {
        match self.awaited(rank, begun, |peer| peer.arrivals.pop_front())? {
            Arrival::Left(why) => Err(why),
            arrival => Ok(arrival),
        }
    }

    /// Sends a part, as fast as its receiver takes it. Whether it is there to take it.
    fn send(&mut self, rank: usize, bytes: &[u8]) -> Result<bool, CommError> {
        let begun = Instant::now();
        let mut offset = 0;
        loop {
            let sent = self.sent.get(rank).copied().unwrap_or_default();
            let is_there = self.awaited(rank, begun, |peer| match peer.has_left {
                true => Some(false),
                false => (sent < peer.confirmed + WINDOW).then_some(true),
            })?;
            if !is_there {
                return Ok(false);
            }
            let end = bytes.len().min(offset + LARGEST_PORTION);
            let portion = Portion {
                exchange: self.exchange,
                total: bytes.len() as u64,
                offset: offset as u64,
                bytes: Octets(bytes[offset..end].to_vec()),
                ..Portion::of(PAYLOAD, self.rank)
            };
            self.outbox.write(rank, portion)?;
            self.sent[rank] += 1;
            offset = end;
            if offset == bytes.len() {
                return Ok(true);
            }
        }
    }

    /// The two phases; who cannot go on tells the others why.
    fn two_phases(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        own: &[u8],
        meanwhile: &mut dyn FnMut(),
        received: &mut Parts,
    ) -> Result<Phases, CommError> {
        let done = self.sent_and_received(to, from, own, meanwhile, received);
        if let Err(why) = &done {
            self.leave(loss::encoded(why));
        }
        done
    }

    fn sent_and_received(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        own: &[u8],
        meanwhile: &mut dyn FnMut(),
        received: &mut Parts,
    ) -> Result<Phases, CommError> {
        let out_of_step =
            |rank| CommError::Transport { what: format!("rank {rank} is out of step") };
        let begun = Instant::now();
        self.exchange += 1;
        self.shared.state().exchange = self.exchange;
        // Where one has left, what it sent before may still be wanted: the error is for the
        // receiving side to find, in order.
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
                Arrival::Length { exchange, length } if exchange == self.exchange => {
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
                Arrival::Bytes(bytes) if bytes.len() as u64 == announced => received.push(&bytes),
                _ => return Err(out_of_step(rank)),
            }
        }
        match unsent {
            Some(rank) => match self.receive(rank, begun_waiting) {
                Err(why) => Err(why),
                Ok(_) => Err(CommError::Gone { rank }),
            },
            None => Ok(Phases { lengths, payload: begun.elapsed() - lengths }),
        }
    }

    /// Tells all others that this rank leaves, once.
    fn leave(&mut self, why: Vec<u8>) {
        if std::mem::replace(&mut self.has_left, true) {
            return;
        }
        for rank in self.others() {
            let bytes = Octets(why.clone());
            self.sent[rank] += 1;
            // one that cannot be told finds it itself
            let _ = self.outbox.write(rank, Portion { bytes, ..Portion::of(LEAVE, self.rank) });
        }
    }
}

impl Drop for Dds {
    fn drop(&mut self) {
        self.leave(Vec::new());
        // RustDDS forgets what it has received from a participant and not yet handed over once
        // that participant is gone: a rank stays until all was taken, not only received. That the
        // other leaves too is no reason to go: it waits for the same of this one
        let begun = Instant::now();
        for rank in self.others() {
            let mut state = self.shared.state();
            loop {
                let peer = &state.peers[rank];
                let is_done = peer.confirmed >= self.sent[rank] || peer.is_gone(Instant::now());
                if is_done || self.outbox.has_lost_reader(rank) || begun.elapsed() > LAST_WORDS {
                    break;
                }
                state = self.shared.wait(state, POLL);
            }
            drop(state);
            // what this rank confirmed last
            self.outbox.flush(rank, POLL);
        }
        self.shared.close();
        self.bell.ring();
        if let Some(receiver) = self.receiver.take() {
            // one that panicked has nothing more to take in
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
        all: &mut Parts,
    ) -> Result<Phases, CommError> {
        let (here, size) = (self.rank, self.size);
        // each begins with the next, so that not all send to rank 0 at once
        let to: Vec<_> = (1..size).map(|away| ((here + away) % size, mine)).collect();
        let from: Vec<usize> = (0..size).collect();
        self.two_phases(&to, &from, mine, meanwhile, all)
    }

    fn exchange(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
        received: &mut Parts,
    ) -> Result<Phases, CommError> {
        self.two_phases(to, from, &[], meanwhile, received)
    }
}

#[cfg(test)]
mod tests;
