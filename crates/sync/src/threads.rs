//! Ranks as threads of one process that exchange real messages.

use super::communicator::{CommError, Communicator, ExchangeTimes, RankBuffers};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

#[derive(Debug)]
enum ThreadMessage {
    Length(u64),
    Bytes(Arc<[u8]>),
}

/// One rank among threads.
///
/// Dropping it, also by a panic, disconnects the rank from the others.
#[derive(Debug)]
pub struct Threads {
    rank: usize,
    /// Channels to each rank, including this one.
    to: Vec<Sender<ThreadMessage>>,
    /// Channels from each rank.
    from: Vec<Receiver<ThreadMessage>>,
    timeout: Duration,
    lengths: Vec<u64>,
    begun: Instant,
    /// Error of the first rank that noticed a loss. All ranks report this one, so that ranks that
    /// disconnect because of it are not named.
    loss: Arc<OnceLock<CommError>>,
}

impl Threads {
    /// Creates `size` connected ranks, each to be moved to its own thread.
    pub fn ranks(size: usize, timeout: Duration) -> Vec<Threads> {
        let mut senders: Vec<Vec<_>> = (0..size).map(|_| Vec::with_capacity(size)).collect();
        let mut receivers: Vec<Vec<_>> = (0..size).map(|_| Vec::with_capacity(size)).collect();
        for sender in &mut senders {
            for receiver in &mut receivers {
                let (to, from) = channel();
                sender.push(to);
                receiver.push(from);
            }
        }
        let loss = Arc::new(OnceLock::new());
        let pairs = senders.into_iter().zip(receivers).enumerate();
        pairs
            .map(|(rank, (to, from))| {
                let (lengths, begun, loss) = (Vec::new(), Instant::now(), loss.clone());
                Threads { rank, to, from, timeout, lengths, begun, loss }
            })
            .collect()
    }

    fn send(&self, rank: usize, message: ThreadMessage) -> Result<(), CommError> {
        self.to[rank].send(message).map_err(|_| CommError::Gone { rank })
    }

    fn receive(&self, rank: usize, begun: Instant) -> Result<ThreadMessage, CommError> {
        let left = self.timeout.saturating_sub(begun.elapsed());
        self.from[rank].recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Disconnected => CommError::Gone { rank },
            RecvTimeoutError::Timeout => {
                CommError::Silent { ranks: vec![rank], after: self.timeout }
            }
        })
    }

    fn exchange_or_name_the_lost(
        &mut self,
        to: &[(usize, Arc<[u8]>)],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
        received: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        self.two_phases(to, from, meanwhile, received)
            .map_err(|error| self.loss.get_or_init(|| error).clone())
    }

    /// Runs the two phases: sends and receives lengths, then bytes.
    fn two_phases(
        &mut self,
        to: &[(usize, Arc<[u8]>)],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
        received: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        let out_of_step =
            |rank| CommError::Transport { what: format!("rank {rank} is out of sync") };
        let begun = Instant::now();
        // A send fails only if the receiving rank is gone. Messages that it sent earlier may still
        // be needed, so the receiving side reports the error, in order.
        let mut gone = None;
        for (rank, bytes) in to {
            gone = self.send(*rank, ThreadMessage::Length(bytes.len() as u64)).err().or(gone);
        }
        for (rank, bytes) in to {
            gone = self.send(*rank, ThreadMessage::Bytes(bytes.clone())).err().or(gone);
        }
        meanwhile();
        let begun_waiting = Instant::now();
        self.lengths.clear();
        for &rank in from {
            match self.receive(rank, begun_waiting)? {
                ThreadMessage::Length(length) => self.lengths.push(length),
                ThreadMessage::Bytes(_) => return Err(out_of_step(rank)),
            }
        }
        let lengths = begun.elapsed();
        received.clear();
        for (&rank, &announced) in from.iter().zip(&self.lengths) {
            match self.receive(rank, begun_waiting)? {
                ThreadMessage::Bytes(bytes) if bytes.len() as u64 == announced => {
                    received.push(&bytes)
                }
                ThreadMessage::Bytes(bytes) => {
                    let sent = bytes.len() as u64;
                    return Err(CommError::Length { rank, announced, sent });
                }
                ThreadMessage::Length(_) => return Err(out_of_step(rank)),
            }
        }
        gone.map_or(Ok(ExchangeTimes { lengths, payload: begun.elapsed() - lengths }), Err)
    }
}

impl Communicator for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
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
        let bytes: Arc<[u8]> = mine.into();
        let to: Vec<_> = (0..self.size()).map(|rank| (rank, bytes.clone())).collect();
        let from: Vec<usize> = (0..self.size()).collect();
        self.exchange_or_name_the_lost(&to, &from, meanwhile, all)
    }

    fn exchange(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
        received: &mut RankBuffers,
    ) -> Result<ExchangeTimes, CommError> {
        let to: Vec<(usize, Arc<[u8]>)> =
            to.iter().map(|&(rank, bytes)| (rank, bytes.into())).collect();
        self.exchange_or_name_the_lost(&to, from, meanwhile, received)
    }
}
