//! Radio messages between agents on different ranks.

use crate::rank_error::RankError;
use crate::ranks::Ranks;
use crate::sealed::{opened, sealed};
use bekker_agent::Transmission;
use bekker_sync::Communicator;
use bekker_world::RankAccess;

impl Ranks<'_> {
    /// Lets own agents exchange radio messages in the heartbeat between two times, µs.
    ///
    /// The time alone determines when an exchange is due. Each rank receives all transmissions,
    /// whatever the route, because the receiver's rank draws which of them arrive.
    pub(crate) fn talk(&mut self, span_us: [u64; 2]) -> Result<(), RankError> {
        let tick = self.tick();
        let Ranks { world, communicator, incoming, received_bytes, .. } = self;
        world.exchange_radio(span_us, |own: Vec<Transmission>| {
            communicator
                .all_gather(&sealed(&own), &mut || (), incoming)
                .map_err(|source| RankError::Lost { tick, source })?;
            *received_bytes += incoming.bytes() as u64;
            let mut all = Vec::new();
            for (rank, part) in incoming.iter().enumerate() {
                let sent: Vec<Transmission> = opened(rank, tick, "radio", part)?;
                all.extend(sent);
            }
            Ok(all)
        })
    }
}
