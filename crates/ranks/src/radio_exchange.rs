//! Radio messages between agents on different ranks.

use crate::checked_encoding::{decode_checked, encode_with_crc};
use crate::collectives::Collectives;
use crate::rank_error::RankError;
use bekker_agent::Transmission;
use bekker_world::{RankAccess, World};

/// Lets own agents exchange radio messages in the heartbeat between two times, µs.
///
/// The time alone determines when an exchange is due. Each rank receives all transmissions, whatever
/// the route, because the receiver's rank draws which of them arrive.
pub(crate) fn exchange_radio(
    world: &mut World,
    collectives: &mut Collectives<'_>,
    span_us: [u64; 2],
) -> Result<(), RankError> {
    world.exchange_radio(span_us, |own: Vec<Transmission>| {
        collectives.all_gather(&encode_with_crc(&own))?;
        let mut all = Vec::new();
        for (rank, part) in collectives.received().iter().enumerate() {
            let sent: Vec<Transmission> = decode_checked(rank, collectives.tick(), "radio", part)?;
            all.extend(sent);
        }
        Ok(all)
    })
}
