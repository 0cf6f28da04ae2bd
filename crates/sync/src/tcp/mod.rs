//! Ranks as processes connected by TCP, on one machine or several.
//!
//! Rank 0 listens at an address given to all ranks ([`Rendezvous`]). Once all have joined, each
//! rank connects to each other rank, and bytes go directly from sender to receiver. No MPI is
//! needed. Peers are authenticated once, when they join, and traffic is not encrypted. Use a tunnel
//! on networks that others can read.

mod acceptor;
mod deadline_stream;
mod handshake;
mod peer;
mod rendezvous;

pub use rendezvous::{Rendezvous, RendezvousError};

use super::communicator::{CommError, Communicator, ExchangeTimes, RankBuffers};
use acceptor::Acceptor;
use peer::{TcpArrival, TcpPeer};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// Interval between two checks for a roll call.
const POLL: Duration = Duration::from_millis(100);
/// Time in which ranks must answer the roll call.
const ROLL_CALL_TIMEOUT: Duration = Duration::from_secs(2);

/// State of the roll call after a timeout: whether one was made, and which ranks have answered.
#[derive(Debug)]
struct RollCall {
    is_called: AtomicBool,
    present: Vec<AtomicBool>,
}

/// This process among ranks that are connected.
///
/// A killed peer is detected at once, since its system closes the connection. A peer that hangs, or
/// whose machine is gone, is detected after the timeout. Then the waiting ranks make a roll call,
/// so that the error names the rank that hangs and not one that itself waits. A rank that
/// disconnects because of a loss sends the lost rank's number to the others.
#[derive(Debug)]
pub struct Tcp {
    rank: usize,
    /// By rank. `None` for this rank.
    peers: Vec<Option<TcpPeer>>,
    roll_call: Arc<RollCall>,
    timeout: Duration,
    lengths: Vec<u64>,
    begun: Instant,
    has_left: bool,
    /// Rejects ranks that connect late. Only at rank 0.
    _acceptor: Option<Acceptor>,
}

impl Tcp {
    /// Creates this rank from its connections to all others.
    fn new(
        rank: usize,
        streams: Vec<Option<TcpStream>>,
        timeout: Duration,
        acceptor: Option<Acceptor>,
    ) -> std::io::Result<Tcp> {
        let present = streams.iter().map(|_| AtomicBool::new(false)).collect();
        let roll_call = Arc::new(RollCall { is_called: AtomicBool::new(false), present });
        let streams = streams.into_iter().enumerate();
        let peers = streams
            .map(|(other, stream)| {
                stream.map(|stream| TcpPeer::new(other, stream, timeout, &roll_call)).transpose()
            })
            .collect::<Result<_, _>>()?;
        Ok(Tcp {
            rank,
            peers,
            roll_call,
            timeout,
            lengths: Vec::new(),
            begun: Instant::now(),
            has_left: false,
            _acceptor: acceptor,
        })
    }

    fn peer(&mut self, rank: usize) -> Result<&mut TcpPeer, CommError> {
        self.peers.get_mut(rank).and_then(Option::as_mut).ok_or(CommError::Gone { rank })
    }

    fn receive(&mut self, rank: usize, begun: Instant) -> Result<TcpArrival, CommError> {
        let mut has_answered = false;
        loop {
            if self.roll_call.is_called.load(Ordering::Relaxed) && !has_answered {
                self.peers.iter_mut().flatten().for_each(TcpPeer::report_presence);
                has_answered = true;
            }
            let left = self.timeout.saturating_sub(begun.elapsed());
            match self.peer(rank)?.arrivals.recv_timeout(left.min(POLL)) {
                Ok(TcpArrival::Left(reason)) => return Err(reason),
                Ok(arrival) => return Ok(arrival),
                Err(RecvTimeoutError::Disconnected) => return Err(CommError::Gone { rank }),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(self.silence_error(rank));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Makes a roll call and returns an error that names the ranks that do not answer.
    ///
    /// A rank that does not answer neither runs nor waits. If all answer, the error names the
    /// awaited rank.
    fn silence_error(&mut self, awaited: usize) -> CommError {
        self.peers.iter_mut().flatten().for_each(TcpPeer::report_presence);
        let begun = Instant::now();
        let here = self.rank;
        let absent = |roll_call: &RollCall| -> Vec<usize> {
            let others = roll_call.present.iter().enumerate().filter(|(rank, _)| *rank != here);
            others.filter(|(_, own)| !own.load(Ordering::Relaxed)).map(|(rank, _)| rank).collect()
        };
        let mut ranks = absent(&self.roll_call);
        while !ranks.is_empty() && begun.elapsed() < ROLL_CALL_TIMEOUT {
            std::thread::sleep(Duration::from_millis(10));
            ranks = absent(&self.roll_call);
        }
        if ranks.is_empty() {
            ranks.push(awaited);
        }
        CommError::Silent { ranks, after: self.timeout }
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
        if let (Err(reason), false) = (&done, self.has_left) {
            self.has_left = true;
            self.peers.iter_mut().flatten().for_each(|peer| peer.send_disconnect(reason));
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
        let here = self.rank;
        let out_of_step =
            |rank| CommError::Transport { what: format!("rank {rank} is out of sync") };
        let begun = Instant::now();
        // A send fails if the receiving rank is gone. Messages that it sent earlier may still be
        // needed, so the receiving side reports the error, in order.
        let mut unsent = None;
        for &(rank, bytes) in to {
            if self.peer(rank)?.send(bytes).is_err() {
                unsent = Some(rank);
            }
        }
        meanwhile();
        let begun_waiting = Instant::now();
        self.lengths.clear();
        for &rank in from {
            let length = match rank == here {
                true => own.len() as u64,
                false => match self.receive(rank, begun_waiting)? {
                    TcpArrival::Length(length) => length,
                    _ => return Err(out_of_step(rank)),
                },
            };
            self.lengths.push(length);
        }
        let lengths = begun.elapsed();
        received.clear();
        for &rank in from {
            if rank == here {
                received.push(own);
                continue;
            }
            match self.receive(rank, begun_waiting)? {
                TcpArrival::Bytes(bytes) => received.push(&bytes),
                _ => return Err(out_of_step(rank)),
            }
        }
        match unsent {
            // it may have sent the reason before it disconnected
            Some(rank) => match self.receive(rank, begun_waiting) {
                Err(reason) => Err(reason),
                Ok(_) => Err(CommError::Gone { rank }),
            },
            None => Ok(ExchangeTimes { lengths, payload: begun.elapsed() - lengths }),
        }
    }
}

impl Communicator for Tcp {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.peers.len()
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
        let (here, size) = (self.rank, self.peers.len());
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
