//! Agreement of ranks before the first heartbeat: on the run, on its initial state, and on its
//! vehicles.

use super::checked_encoding::{decode_checked, encode_with_crc};
use super::rank_error::RankError;
use bekker_ground::Patches;
use bekker_sync::message::{
    Environment, MessageBody, MessageFault, MessageOrigin, MessageReader, MessageWriter,
    RemoteVehicleDescription,
};
use bekker_sync::{Communicator, RankBuffers};
use bekker_world::{WorldModel, WorldState, checkpoint};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Reason why a rank cannot start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartupError {
    /// Description of the reason.
    pub cause: String,
    /// Exit code for it.
    pub code: u8,
}

/// Returns the first rank that cannot start, with its reason, or `None`.
///
/// All ranks exchange whether they can start, so that none waits for one that cannot.
///
/// # Errors
/// [`RankError`] when a rank is lost.
pub fn first_startup_error(
    communicator: &mut impl Communicator,
    own: Option<StartupError>,
) -> Result<Option<(usize, StartupError)>, RankError> {
    let mut parts = RankBuffers::default();
    communicator
        .all_gather(&encode_with_crc(&own), &mut || (), &mut parts)
        .map_err(|source| RankError::Lost { tick: 0, source })?;
    for (rank, part) in parts.iter().enumerate() {
        if let Some(startup_error) = decode_checked(rank, 0, "obstacle", part)? {
            return Ok(Some((rank, startup_error)));
        }
    }
    Ok(None)
}

/// Sends the state of the first rank that has one to the ranks without a state.
pub(crate) fn share_state(
    communicator: &mut impl Communicator,
    model: &WorldModel,
    state: Option<WorldState>,
    run: u32,
) -> Result<Option<WorldState>, RankError> {
    let (here, run) = (communicator.rank(), format!("{run:08x}"));
    let own = state.as_ref().map(|state| state.tick);
    let mut parts = RankBuffers::default();
    let lost = |source| RankError::Lost { tick: own.unwrap_or(0), source };
    communicator.all_gather(&encode_with_crc(&own), &mut || (), &mut parts).map_err(lost)?;
    let ticks: Vec<Option<u64>> = parts
        .iter()
        .enumerate()
        .map(|(rank, part)| decode_checked(rank, 0, "start", part))
        .collect::<Result<_, _>>()?;
    let Some(source_rank) = ticks.iter().position(Option::is_some) else { return Ok(None) };
    if let Some(rank) = ticks.iter().position(|tick| tick.is_some() && *tick != ticks[source_rank])
    {
        let told = |rank: usize| ticks[rank].map_or("nothing".into(), |tick| tick.to_string());
        let (theirs, ours) = (told(rank), told(source_rank));
        return Err(RankError::Disagreement {
            rank,
            here: source_rank,
            key: "tick".into(),
            theirs,
            ours,
        });
    }
    let joining = |&rank: &usize| ticks[rank].is_none();
    if here == source_rank {
        let snapshot = match &state {
            Some(state) if ticks.iter().any(Option::is_none) => {
                checkpoint::encode(model, &run, state)
            }
            _ => Vec::new(),
        };
        let to: Vec<(usize, &[u8])> =
            (0..ticks.len()).filter(joining).map(|rank| (rank, &snapshot[..])).collect();
        communicator.exchange(&to, &[], &mut || (), &mut parts).map_err(lost)?;
        return Ok(state);
    }
    let from = if state.is_none() { &[source_rank][..] } else { &[] };
    communicator.exchange(&[], from, &mut || (), &mut parts).map_err(lost)?;
    if state.is_some() {
        return Ok(state);
    }
    let tick = ticks[source_rank].unwrap_or(0);
    checkpoint::decode(model, &run, parts.part(0)).map(Some).map_err(|error| RankError::Corrupt {
        rank: source_rank,
        tick,
        kind: "snapshot",
        fault: MessageFault::Structure { what: error.to_string() },
    })
}

/// Whether all ranks have the same bytes; the result is the same on all ranks.
///
/// It takes ⌈log2 n⌉ rounds for n ranks. The bytes, which may be whole scenarios, are compared by
/// their SHA-256.
fn all_have(
    communicator: &mut impl Communicator,
    tick: u64,
    bytes: &[u8],
) -> Result<bool, RankError> {
    let (here, size) = (communicator.rank(), communicator.size());
    let own: [u8; 32] = Sha256::digest(bytes).into();
    let (mut equal, mut away, mut parts) = (true, 1, RankBuffers::default());
    while away < size {
        let (to, from) = ((here + away) % size, (here + size - away) % size);
        let told = encode_with_crc(&(own, equal));
        communicator
            .exchange(&[(to, &told)], &[from], &mut || (), &mut parts)
            .map_err(|source| RankError::Lost { tick, source })?;
        let (theirs, so_far): ([u8; 32], bool) =
            decode_checked(from, tick, "handshake", parts.part(0))?;
        equal &= so_far && theirs == own;
        away *= 2;
    }
    Ok(equal)
}

/// Checks that all ranks describe agents and environment alike, since each steps its agents next to
/// those of others. If the digests differ, the ranks exchange the descriptions.
pub(crate) fn describe(
    communicator: &mut impl Communicator,
    model: &WorldModel,
    partition: &[usize],
    run: u32,
    tick: u64,
) -> Result<(), RankError> {
    let here = communicator.rank();
    let descriptions: Vec<RemoteVehicleDescription> =
        model.agents.iter().map(|agent| agent.description()).collect();
    let environment =
        Environment { gravity: model.ground.laws().gravity, rain: 0.0, visibility: 0.0 };
    let (mut writer, mut message) = (MessageWriter::default(), Vec::new());
    let nobodys = MessageOrigin { run, tick, ..MessageOrigin::default() };
    writer.environment(&nobodys, &environment, &mut message);
    for description in &descriptions {
        writer.description(&nobodys, description, &mut message);
    }
    if all_have(communicator, tick, &message)? {
        return Ok(());
    }
    message.clear();
    let origin = |agent: usize| MessageOrigin { run, tick, rank: here as u16, agent: agent as u32 };
    writer.environment(&origin(0), &environment, &mut message);
    for agent in (0..partition.len()).filter(|&agent| partition[agent] == here) {
        writer.description(&origin(agent), &descriptions[agent], &mut message);
    }
    let mut parts = RankBuffers::default();
    communicator
        .all_gather(&message, &mut || (), &mut parts)
        .map_err(|source| RankError::Lost { tick, source })?;
    for (rank, part) in parts.iter().enumerate() {
        let corrupt = |fault| RankError::Corrupt { rank, tick, kind: "description", fault };
        let disagreement = |key: String, theirs: String, ours: String| RankError::Disagreement {
            rank,
            here,
            key,
            theirs,
            ours,
        };
        let mut reader = MessageReader::new(part);
        while let Some((origin, body)) =
            reader.next(&mut [], &mut Patches::default()).map_err(corrupt)?
        {
            match body {
                MessageBody::Environment(theirs) if theirs == environment => {}
                MessageBody::Environment(theirs) => {
                    let (theirs, ours) = (format!("{theirs:?}"), format!("{environment:?}"));
                    return Err(disagreement("environment".into(), theirs, ours));
                }
                MessageBody::Description(theirs) => match descriptions.get(origin.agent as usize) {
                    Some(ours) if *ours == theirs => {}
                    ours => {
                        let key = format!("vehicle[{}]", origin.agent);
                        let (theirs, ours) = (format!("{theirs:?}"), format!("{ours:?}"));
                        return Err(disagreement(key, theirs, ours));
                    }
                },
                _ => {
                    let (found, expected) = ("different message", "description");
                    return Err(corrupt(MessageFault::Kind { found, expected }));
                }
            }
        }
    }
    Ok(())
}

/// Returns an identifier of a run: a checksum of all that its ranks agree on.
pub(crate) fn fingerprint(agreed: &[(String, String)]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for (key, value) in agreed {
        hasher.update(key.as_bytes());
        hasher.update(&[0]);
        hasher.update(value.as_bytes());
        hasher.update(&[0]);
    }
    hasher.finalize()
}

/// Checks that all ranks are about to run the same.
///
/// If their digests differ, they exchange their keys and values. The first difference is the error.
///
/// # Errors
/// [`RankError`] when two ranks differ, or a rank is lost.
pub fn agree(
    communicator: &mut impl Communicator,
    ours: &[(String, String)],
) -> Result<(), RankError> {
    let here = communicator.rank();
    let mut message = Vec::new();
    MessageWriter::default().handshake(&MessageOrigin::default(), ours, &mut message);
    if all_have(communicator, 0, &message)? {
        return Ok(());
    }
    message.clear();
    let origin = MessageOrigin { rank: here as u16, ..MessageOrigin::default() };
    MessageWriter::default().handshake(&origin, ours, &mut message);
    let mut all = RankBuffers::default();
    communicator
        .all_gather(&message, &mut || (), &mut all)
        .map_err(|source| RankError::Lost { tick: 0, source })?;
    for (rank, part) in all.iter().enumerate() {
        let corrupt = |fault| RankError::Corrupt { rank, tick: 0, kind: "handshake", fault };
        let theirs = match MessageReader::new(part)
            .next(&mut [], &mut Patches::default())
            .map_err(corrupt)?
        {
            Some((_, MessageBody::Handshake(agreed))) => agreed,
            _ => {
                let fault =
                    MessageFault::Kind { found: "different message", expected: "handshake" };
                return Err(corrupt(fault));
            }
        };
        if let Some((key, theirs, ours)) = first_difference(&theirs, ours) {
            return Err(RankError::Disagreement { rank, here, key, theirs, ours });
        }
    }
    Ok(())
}

/// Returns the first key with different values, and both values.
fn first_difference(
    theirs: &[(String, String)],
    ours: &[(String, String)],
) -> Option<(String, String, String)> {
    if theirs == ours {
        return None;
    }
    // Maps, because a scenario may have hundreds of thousands of keys.
    let [their, our] = [theirs, ours].map(|pairs| -> BTreeMap<&str, &str> {
        pairs.iter().rev().map(|(key, value)| (key.as_str(), value.as_str())).collect()
    });
    let value = |pairs: &BTreeMap<&str, &str>, key: &str| {
        pairs.get(key).map_or("nothing".to_owned(), |value| (*value).to_owned())
    };
    ours.iter().chain(theirs).find_map(|(key, _)| {
        let (their, our) = (value(&their, key), value(&our, key));
        (their != our).then(|| (key.clone(), their, our))
    })
}
