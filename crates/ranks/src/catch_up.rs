//! Changes of ground sent outside of heartbeats.

use crate::collectives::Collectives;
use crate::rank_error::RankError;
use bekker_ground::Patches;
use bekker_sync::message::{MessageBody, MessageFault, MessageOrigin, MessageReader};

/// Adds the patches of a rank's agents, read from its part of the received bytes.
pub(crate) fn read_catch_up(
    collectives: &Collectives<'_>,
    part: usize,
    rank: usize,
    patches: &mut Patches,
) -> Result<(), RankError> {
    let (run, tick) = (collectives.run(), collectives.tick());
    let corrupt = |fault| RankError::Corrupt { rank, tick, kind: "catch-up", fault };
    let mut reader = MessageReader::new(collectives.part(part));
    while let Some((sender, body)) = reader.next(&mut [], patches).map_err(corrupt)? {
        let due = MessageOrigin { run, tick, rank: rank as u16, agent: sender.agent };
        if !matches!(body, MessageBody::CatchUp(_)) || sender != due {
            let expected = "catch-up";
            return Err(corrupt(MessageFault::Kind { found: "another message", expected }));
        }
    }
    Ok(())
}
