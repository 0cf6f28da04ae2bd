//! Exchanges of plain data among all ranks.
//!
//! They take ⌈log2 n⌉ rounds for n ranks, with at most one peer to send to and one to receive from
//! in each round, unless every rank needs the data of all.

use crate::checked_encoding::{decode_checked, encode_with_crc};
use crate::rank_error::RankError;
use crate::sharing::MessageRoute;
use bekker_sync::message::MessageOrigin;
use bekker_sync::{
    CommError, Communicator, ExchangeTimes, LiveRanks, RankBuffers, star_all_gather,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The connection of a rank with the others, and the bytes that it last received.
pub(crate) struct Collectives<'c> {
    communicator: LiveRanks<'c>,
    route: MessageRoute,
    /// Identifier of the run.
    run: u32,
    /// Number of steps taken. Messages carry it, and errors name it.
    tick: u64,
    incoming: RankBuffers,
    /// Bytes received since the metrics of the last heartbeat.
    received_bytes: u64,
}

/// Data on its way from one rank to another.
#[derive(Serialize, Deserialize)]
struct RoutedMessage<T> {
    from: u16,
    to: u16,
    payload: T,
}

impl<'c> Collectives<'c> {
    pub fn new(
        communicator: LiveRanks<'c>,
        route: MessageRoute,
        run: u32,
        tick: u64,
    ) -> Collectives<'c> {
        let (incoming, received_bytes) = (RankBuffers::default(), 0);
        Collectives { communicator, route, run, tick, incoming, received_bytes }
    }

    /// Number of this rank.
    pub fn rank(&self) -> usize {
        self.communicator.rank()
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.communicator.size()
    }

    /// Time since a fixed moment. Only for metrics, never for results.
    pub fn elapsed(&self) -> Duration {
        self.communicator.elapsed()
    }

    /// Identifier of the run.
    pub fn run(&self) -> u32 {
        self.run
    }

    /// Number of steps taken.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Sets the number of steps taken, after a heartbeat.
    pub fn set_tick(&mut self, tick: u64) {
        self.tick = tick;
    }

    /// Origin of a message about an own agent.
    pub fn origin(&self, agent: usize) -> MessageOrigin {
        MessageOrigin {
            run: self.run,
            tick: self.tick,
            rank: self.rank() as u16,
            agent: agent as u32,
        }
    }

    /// Continues with only the ranks `staying`. Returns whether this rank stays.
    pub fn shrink(&mut self, staying: &[usize]) -> bool {
        self.communicator.shrink(staying)
    }

    /// Bytes received in the last exchange.
    pub fn received(&self) -> &RankBuffers {
        &self.incoming
    }

    /// Bytes received from one of the ranks of the last exchange.
    pub fn part(&self, index: usize) -> &[u8] {
        self.incoming.part(index)
    }

    /// Frees the buffer of received bytes.
    pub fn free_received(&mut self) {
        self.incoming = RankBuffers::default();
    }

    /// Returns the number of bytes received since the last call.
    pub fn take_received_bytes(&mut self) -> u64 {
        std::mem::take(&mut self.received_bytes)
    }

    /// Performs one exchange, and calls `meanwhile` while messages travel.
    pub fn exchange(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
        meanwhile: &mut dyn FnMut(),
    ) -> Result<ExchangeTimes, RankError> {
        let exchanged = self.communicator.exchange(to, from, meanwhile, &mut self.incoming);
        self.count_received(exchanged)
    }

    /// Performs one exchange.
    pub fn send_and_receive(
        &mut self,
        to: &[(usize, &[u8])],
        from: &[usize],
    ) -> Result<(), RankError> {
        self.exchange(to, from, &mut || ()).map(|_| ())
    }

    /// Sends bytes from every rank to every other rank, directly.
    pub fn all_gather(&mut self, own: &[u8]) -> Result<(), RankError> {
        let gathered = self.communicator.all_gather(own, &mut || (), &mut self.incoming);
        self.count_received(gathered).map(|_| ())
    }

    /// Sends bytes from every rank to every other rank along the route, and calls `meanwhile` while
    /// they travel.
    pub fn all_gather_by_route(
        &mut self,
        own: &[u8],
        meanwhile: &mut dyn FnMut(),
    ) -> Result<ExchangeTimes, RankError> {
        let Collectives { communicator, incoming, .. } = self;
        let gathered = match self.route {
            MessageRoute::All | MessageRoute::Neighbor => {
                communicator.all_gather(own, meanwhile, incoming)
            }
            MessageRoute::Star => star_all_gather(communicator, own, meanwhile, incoming),
        };
        self.count_received(gathered)
    }

    /// Counts the received bytes of a completed exchange.
    fn count_received(
        &mut self,
        exchanged: Result<ExchangeTimes, CommError>,
    ) -> Result<ExchangeTimes, RankError> {
        let phases = exchanged.map_err(|source| RankError::Lost { tick: self.tick, source })?;
        self.received_bytes += self.incoming.bytes() as u64;
        Ok(phases)
    }

    /// Gathers any plain data on all ranks. `kind` names the data in errors.
    pub fn gather_all<T: Serialize + DeserializeOwned>(
        &mut self,
        kind: &'static str,
        own: &T,
    ) -> Result<Vec<T>, RankError> {
        self.all_gather_by_route(&encode_with_crc(own), &mut || ())?;
        let parts = self.incoming.iter().enumerate();
        parts.map(|(rank, part)| decode_checked(rank, self.tick, kind, part)).collect()
    }

    /// Delivers letters whose senders the receiving ranks cannot predict.
    ///
    /// A rank's letters to itself are delivered too.
    /// Returns the received letters, each with its sender, in the order of senders. In each round a
    /// letter is forwarded by a power of two of ranks if its remaining distance contains that power
    /// (J. Bruck et al., Efficient algorithms for all-to-all communications in multiport
    /// message-passing systems, 1997).
    pub fn route_messages<T: Serialize + DeserializeOwned>(
        &mut self,
        kind: &'static str,
        messages: Vec<(usize, T)>,
    ) -> Result<Vec<(usize, T)>, RankError> {
        let (here, size, tick) = (self.rank(), self.size(), self.tick);
        let message = |(to, payload)| RoutedMessage { from: here as u16, to: to as u16, payload };
        let mut in_transit: Vec<RoutedMessage<T>> = messages.into_iter().map(message).collect();
        let mut away = 1;
        while away < size {
            let (to, from) = ((here + away) % size, (here + size - away) % size);
            let goes =
                |own: &RoutedMessage<T>| ((usize::from(own.to) + size - here) % size) & away != 0;
            let (onward, kept) = in_transit.into_iter().partition(goes);
            let onward: Vec<RoutedMessage<T>> = onward;
            self.send_and_receive(&[(to, &encode_with_crc(&onward))], &[from])?;
            in_transit = kept;
            let came: Vec<RoutedMessage<T>> = decode_checked(from, tick, kind, self.part(0))?;
            in_transit.extend(came);
            away *= 2;
        }
        in_transit.sort_by_key(|own| own.from);
        Ok(in_transit.into_iter().map(|own| (usize::from(own.from), own.payload)).collect())
    }

    /// Collects the lists of all ranks on rank 0 along a tree, concatenated in the order of ranks.
    pub fn gather_on_root<T: Serialize + DeserializeOwned>(
        &mut self,
        kind: &'static str,
        own: Vec<T>,
    ) -> Result<Option<Vec<T>>, RankError> {
        let behind = |mut all: Vec<T>, others: Vec<T>| {
            all.extend(others);
            all
        };
        let all = self.reduce_to_root(kind, own, behind)?;
        Ok((self.rank() == 0).then_some(all))
    }

    /// Reduces the values of all ranks in the order of ranks, and sends the result to all.
    ///
    /// A tree with rank 0 as its root carries both directions.
    pub fn all_reduce<T: Serialize + DeserializeOwned>(
        &mut self,
        kind: &'static str,
        own: T,
        join: impl Fn(T, T) -> T,
    ) -> Result<T, RankError> {
        let (here, size, tick) = (self.rank(), self.size(), self.tick);
        let mut joined = self.reduce_to_root(kind, own, join)?;
        let mut away = size.next_power_of_two();
        while away > 1 {
            away /= 2;
            match here % (2 * away) {
                0 if here + away < size => {
                    self.send_and_receive(&[(here + away, &encode_with_crc(&joined))], &[])?
                }
                further if further == away => {
                    self.send_and_receive(&[], &[here - away])?;
                    joined = decode_checked(here - away, tick, kind, self.part(0))?;
                }
                _ => self.send_and_receive(&[], &[])?,
            }
        }
        Ok(joined)
    }

    /// Joins the values of this rank and of those below it in a tree, in the order of ranks. Rank 0
    /// is the root, so its result covers all ranks.
    fn reduce_to_root<T: Serialize + DeserializeOwned>(
        &mut self,
        kind: &'static str,
        own: T,
        join: impl Fn(T, T) -> T,
    ) -> Result<T, RankError> {
        let (here, size, tick) = (self.rank(), self.size(), self.tick);
        let (mut joined, mut away) = (own, 1);
        while away < size {
            match here % (2 * away) {
                0 if here + away < size => {
                    self.send_and_receive(&[], &[here + away])?;
                    let theirs = decode_checked(here + away, tick, kind, self.part(0))?;
                    joined = join(joined, theirs);
                }
                further if further == away => {
                    self.send_and_receive(&[(here - away, &encode_with_crc(&joined))], &[])?
                }
                _ => self.send_and_receive(&[], &[])?,
            }
            away *= 2;
        }
        Ok(joined)
    }
}
