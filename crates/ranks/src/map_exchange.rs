//! Maps that members of a team on different ranks send each other.

use crate::collectives::Collectives;
use crate::rank_error::RankError;
use crate::sealed::{opened, sealed};
use bekker_agent::Letter;
use bekker_sync::message::MessageFault;
use bekker_world::{Pair, RankAccess, World};
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
    world.exchange_maps(span_us, |letters, pairs: &[Pair]| {
        let ranks = |own: usize, other: usize| -> BTreeSet<usize> {
            let of = |pair: &Pair| [partition[pair[own]], partition[pair[other]]];
            let across = pairs.iter().map(of).filter(|[own, other]| *own == here && other != own);
            across.map(|[_, other]| other).collect()
        };
        let (to, from) = (ranks(0, 1), ranks(1, 0));
        let rank_of = |letter: &Letter| partition[letter.to as usize];
        let (mut kept, away): (Vec<Letter>, Vec<Letter>) =
            letters.into_iter().partition(|letter| rank_of(letter) == here);
        let parts = to.iter().map(|&rank| {
            let own: Vec<&Letter> = away.iter().filter(|own| rank_of(own) == rank).collect();
            (rank, sealed(&own))
        });
        let parts: Vec<(usize, Vec<u8>)> = parts.collect();
        let to: Vec<(usize, &[u8])> =
            parts.iter().map(|(rank, part)| (*rank, part.as_slice())).collect();
        let from: Vec<usize> = from.into_iter().collect();
        collectives.pass(&to, &from)?;
        for (part, &rank) in collectives.received().iter().zip(&from) {
            let letters: Vec<Letter> = opened(rank, tick, "maps", part)?;
            let astray = |own: &&Letter| partition.get(own.to as usize) != Some(&here);
            if let Some(letter) = letters.iter().find(astray) {
                let (found, expected) = (letter.to.into(), here as u64);
                let fault = MessageFault::Origin { what: "receiving rank", found, expected };
                return Err(RankError::Corrupt { rank, tick, kind: "maps", fault });
            }
            kept.extend(letters);
        }
        Ok(kept)
    })
}
