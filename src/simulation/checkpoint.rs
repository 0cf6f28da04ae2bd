//! Checkpoints: a state as bytes, with what it belongs to.

use super::world::WorldState;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// First bytes of every checkpoint; the version of its layout follows.
const MAGIC: &[u8; 7] = b"BEKKER\x00";
/// Version of the layout: 4, since drivers say what they are about.
const VERSION: u8 = 4;
const DIGEST: usize = 32;

/// Why bytes are not a checkpoint of this run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Not a checkpoint.
    #[error("not a checkpoint of bekker")]
    Foreign,
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
    /// Of another scenario.
    #[error(
        "the checkpoint belongs to another scenario: it was made for {found}, this is {expected}"
    )]
    Scenario {
        /// Hash of the scenario that it was made for.
        found: String,
        /// Hash of the scenario at hand.
        expected: String,
    },
    /// Content that does not decode.
    #[error("the checkpoint does not decode: {what}")]
    Content {
        /// What the decoder says.
        what: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Content<S> {
    scenario: String,
    state: S,
}

/// Bytes of a checkpoint; `scenario` is the hash of the resolved scenario.
pub fn encode(scenario: &str, state: &WorldState) -> Vec<u8> {
    let content = Content { scenario: scenario.to_owned(), state };
    let body = postcard::to_stdvec(&content).expect("plain data serialises into memory");
    let mut bytes = MAGIC.to_vec();
    bytes.push(VERSION);
    bytes.extend_from_slice(&Sha256::digest(&body));
    bytes.extend_from_slice(&body);
    bytes
}

/// The state in a checkpoint of the scenario with this hash.
///
/// # Errors
///
/// [`CheckpointError`] when the bytes are foreign, damaged, or of another scenario.
pub fn decode(scenario: &str, bytes: &[u8]) -> Result<WorldState, CheckpointError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(CheckpointError::Foreign)?;
    let (&found, rest) = rest.split_first().ok_or(CheckpointError::Damaged)?;
    if found != VERSION {
        return Err(CheckpointError::Version { found });
    }
    let (digest, body) = rest.split_at_checked(DIGEST).ok_or(CheckpointError::Damaged)?;
    if Sha256::digest(body)[..] != *digest {
        return Err(CheckpointError::Damaged);
    }
    let content: Content<WorldState> = postcard::from_bytes(body)
        .map_err(|error| CheckpointError::Content { what: error.to_string() })?;
    if content.scenario != scenario {
        let (found, expected) = (content.scenario, scenario.to_owned());
        return Err(CheckpointError::Scenario { found, expected });
    }
    Ok(content.state)
}
