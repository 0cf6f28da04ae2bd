//! Maps that members of a team on different ranks send each other.

use crate::checked_encoding::{decode_checked, encode_with_crc};
use crate::collectives::Collectives;
use crate::rank_error::RankError;
use bekker_agent::TileMessage;
use bekker_sync::message::MessageFault;
use bekker_world::{AgentPair, RankAccess, World};
use std::collections::BTreeSet;

/// Lets own members of the team exchange maps in the heartbeat between two times, µs.
///
/// Every rank derives the same pairs of senders and receivers. So a rank exchanges lengths and bytes
/// only with the ranks whose agents communicate with its own.
pub(crate) fn exchange_maps(
    world: &mut World,
    collectives: &mut Collectives<'_>,
    partition: &[usize],
    span_us: [u64; 2],
) -> Result<(), RankError> {
    let (here, tick) = (collectives.rank(), collectives.tick());
    world.exchange_maps(span_us, |messages, pairs: &[AgentPair]| {
        let ranks = |own: usize, other: usize| -> BTreeSet<usize> {
            let of = |pair: &AgentPair| [partition[pair[own]], partition[pair[other]]];
            let across = pairs.iter().map(of).filter(|[own, other]| *own == here && other != own);
            across.map(|[_, other]| other).collect()
        };
        let (to, from) = (ranks(0, 1), ranks(1, 0));
        let rank_of = |message: &TileMessage| partition[message.to as usize];
        let (mut kept, away): (Vec<TileMessage>, Vec<TileMessage>) =
            messages.into_iter().partition(|message| rank_of(message) == here);
        let parts = to.iter().map(|&rank| {
            let own: Vec<&TileMessage> = away.iter().filter(|own| rank_of(own) == rank).collect();
            (rank, encode_with_crc(&own))
        });
        let parts: Vec<(usize, Vec<u8>)> = parts.collect();
        let to: Vec<(usize, &[u8])> =
            parts.iter().map(|(rank, part)| (*rank, part.as_slice())).collect();
        let from: Vec<usize> = from.into_iter().collect();
        collectives.send_and_receive(&to, &from)?;
        for (part, &rank) in collectives.received().iter().zip(&from) {
            let messages: Vec<TileMessage> = decode_checked(rank, tick, "maps", part)?;
            let astray = |own: &&TileMessage| partition.get(own.to as usize) != Some(&here);
            if let Some(message) = messages.iter().find(astray) {
                let (found, expected) = (message.to.into(), here as u64);
                let fault = MessageFault::Origin { what: "receiving rank", found, expected };
                return Err(RankError::Corrupt { rank, tick, kind: "maps", fault });
            }
            kept.extend(messages);
        }
        Ok(kept)
    })
}
