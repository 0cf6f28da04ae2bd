//! Checkpoints: a state as bytes, with what it belongs to.

use super::soundness::{self, StateError};
use super::world::{WorldModel, WorldState};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// First bytes of every checkpoint; the version of its layout follows.
const MAGIC: &[u8; 7] = b"BEKKER\x00";
/// Version of the layout: 8, since agents hold what they are commanded.
const VERSION: u8 = 8;
const DIGEST: usize = 32;

/// Why bytes are not a checkpoint of this run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Not a checkpoint.
    #[error("not a checkpoint of bekker")]
    ImportedMeshes,
    /// Of another version.
    #[error(
        "the checkpoint's layout is version {found}, this bekker reads {VERSION} only: run its scenario anew"
    )]
    Version {
        /// The version that made it.
        found: u8,
    },
    /// Cut short or altered.
    #[error("the checkpoint is damaged: its checksum does not match")]
    Damaged,
    /// Of another run.
    #[error("the checkpoint belongs to another run: {differences}")]
    Scenario {
        /// What decides the runs' courses and differs.
        differences: String,
    },
    /// Content that does not decode.
    #[error("the checkpoint does not decode: {what}")]
    Content {
        /// What the decoder says.
        what: String,
    },
    /// A state that the run cannot be in.
    #[error(
        "the checkpoint was altered, its state is none of this run: {what}; go on from another one"
    )]
    Unsound {
        /// What cannot be.
        what: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Content<S> {
    scenario: String,
    state: S,
}

/// Bytes of a checkpoint; `scenario` is what decides the run's course, a line
/// `key = value` each.
pub fn encode(scenario: &str, state: &WorldState) -> Vec<u8> {
    let content = Content { scenario: scenario.to_owned(), state };
    let body = postcard::to_stdvec(&content).expect("plain data serialises into memory");
    let mut bytes = MAGIC.to_vec();
    bytes.push(VERSION);
    bytes.extend_from_slice(&Sha256::digest(&body));
    bytes.extend_from_slice(&body);
    bytes
}

/// The state in a checkpoint of the run that these lines decide: one that the model can go
/// on from.
///
/// # Errors
///
/// [`CheckpointError`] when the bytes are foreign, damaged, altered, or of another scenario.
pub fn decode(
    model: &WorldModel,
    scenario: &str,
    bytes: &[u8],
) -> Result<WorldState, CheckpointError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(CheckpointError::ImportedMeshes)?;
    let (&found, rest) = rest.split_first().ok_or(CheckpointError::Damaged)?;
    if found != VERSION {
        return Err(CheckpointError::Version { found });
    }
    let (digest, body) = rest.split_at_checked(DIGEST).ok_or(CheckpointError::Damaged)?;
    if Sha256::digest(body)[..] != *digest {
        return Err(CheckpointError::Damaged);
    }
    let undecodable = |error: postcard::Error| CheckpointError::Content { what: error.to_string() };
    // first whose it is: the state of another program may not even decode
    let (own, state): (String, _) = postcard::take_from_bytes(body).map_err(undecodable)?;
    if own != scenario {
        let differences = differences(&own, scenario).unwrap_or_default();
        return Err(CheckpointError::Scenario { differences });
    }
    let state = postcard::from_bytes(state).map_err(undecodable)?;
    let unsound = |StateError { what }| CheckpointError::Unsound { what };
    soundness::check(model, &state).map_err(unsound)?;
    Ok(state)
}

/// Differences that are told one by one.
const TOLD: usize = 4;

/// What differs between the lines that decide two runs, in words; nothing if all are equal.
pub fn differences(was: &str, is: &str) -> Option<String> {
    fn pairs(text: &str) -> BTreeMap<&str, &str> {
        text.lines().map(|line| line.split_once(" = ").unwrap_or((line, ""))).collect()
    }
    let (was, is) = (pairs(was), pairs(is));
    let keys: BTreeSet<&str> = was.keys().chain(is.keys()).copied().collect();
    let is_hash = |value: &str| value.len() == 64;
    let told = |key: &str| match (was.get(key), is.get(key)) {
        (Some(was), Some(is)) if is_hash(was) && is_hash(is) => format!("{key} have changed"),
        (Some(was), Some(is)) => format!("{key} was {was} and is {is}"),
        (None, _) => format!("{key} was not given"),
        (_, None) => format!("{key} is no longer given"),
    };
    let differ = keys.into_iter().filter(|key| was.get(key) != is.get(key));
    let mut differences: Vec<String> = differ.map(told).collect();
    if differences.is_empty() {
        return None;
    }
    let more = differences.len().saturating_sub(TOLD);
    differences.truncate(TOLD);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    Some(differences.join("; ") + &more)
}
