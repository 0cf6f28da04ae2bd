//! Checkpoints: a state as bytes, together with the run that it belongs to.

use super::state_part::{PartsError, StatePart};
use super::state_validation::{self, StateError};
use super::world_model::{WorldModel, WorldState};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// First bytes of every checkpoint; the format version follows.
const MAGIC: &[u8; 7] = b"BEKKER\x00";
/// Format version. It is 26 since agents record the motors of wheels.
const VERSION: u8 = 26;
const DIGEST: usize = 32;
/// First bytes of one rank's part of a checkpoint; the format version follows.
const MAGIC_OF_PART: &[u8; 7] = b"BEKPART";

/// Reason why bytes are not a checkpoint of this run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The bytes are not a checkpoint.
    #[error("not a bekker checkpoint")]
    NotACheckpoint,
    /// The checkpoint has another format version.
    #[error(
        "unsupported checkpoint format version {found} (this version reads {VERSION}); run the \
         scenario again"
    )]
    Version {
        /// Format version of the checkpoint.
        found: u8,
    },
    /// The checkpoint is truncated or altered.
    #[error("the checkpoint is damaged: its checksum does not match")]
    Damaged,
    /// The checkpoint belongs to another run.
    #[error("the checkpoint belongs to another run: {differences}")]
    Scenario {
        /// Differences between the settings that determine the two runs.
        differences: String,
    },
    /// The content cannot be decoded.
    #[error("the checkpoint cannot be decoded: {what}")]
    Content {
        /// Message of the decoder.
        what: String,
    },
    /// The parts do not form one state.
    #[error("the parts of the checkpoint do not form one state: {0}")]
    Parts(#[from] PartsError),
    /// The state does not fit the model.
    #[error(
        "the checkpoint was altered and does not match this run: {what}; resume from another \
         checkpoint"
    )]
    Unsound {
        /// The value that does not fit.
        what: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Content<S> {
    scenario: String,
    state: S,
}

/// Encodes a state of this model as a checkpoint.
///
/// `scenario` contains everything that determines the run, one line `key = value` each. The name of
/// a custom soil law is added to it.
pub fn encode(model: &WorldModel, scenario: &str, state: &WorldState) -> Vec<u8> {
    encode_as(MAGIC, model, scenario, state)
}

/// Encodes one rank's part of a state, as [`encode`] does for a whole state.
pub fn encode_part(model: &WorldModel, scenario: &str, part: &StatePart) -> Vec<u8> {
    encode_as(MAGIC_OF_PART, model, scenario, part)
}

fn encode_as(
    magic: &[u8; 7],
    model: &WorldModel,
    scenario: &str,
    state: &impl Serialize,
) -> Vec<u8> {
    let content = Content { scenario: with_law(model, scenario).into_owned(), state };
    let mut head = magic.to_vec();
    head.push(VERSION);
    head.extend_from_slice(&[0; DIGEST]);
    let length = head.len();
    // Appends to the header directly, since states are large.
    let mut bytes = postcard::to_extend(&content, head).expect("plain data serializes into memory");
    let (head, body) = bytes.split_at_mut(length);
    head[length - DIGEST..].copy_from_slice(&Sha256::digest(body));
    bytes
}

/// Adds a line for a custom soil law to those that determine a run, if the ground has one.
fn with_law<'a>(model: &WorldModel, scenario: &'a str) -> Cow<'a, str> {
    let Some(law) = model.ground.law() else { return scenario.into() };
    let end = if scenario.is_empty() || scenario.ends_with('\n') { "" } else { "\n" };
    format!("{scenario}{end}{LAW} = {}\n", law.name()).into()
}

/// Key of the line that names a custom soil law.
const LAW: &str = "soil law of the program";

/// Decodes and checks the state in a checkpoint of the run that `scenario` determines.
///
/// If the model has a custom soil law, the checkpoint must have been made with a law of the same
/// name.
///
/// # Errors
///
/// [`CheckpointError`] when the bytes are foreign, damaged, altered, or of another scenario.
pub fn decode(
    model: &WorldModel,
    scenario: &str,
    bytes: &[u8],
) -> Result<WorldState, CheckpointError> {
    let state = decode_as(MAGIC, model, scenario, bytes)?;
    validated(model, state)
}

/// Decodes one rank's part of a checkpoint, as [`decode`] does for a whole one, but does not check
/// its state.
///
/// # Errors
///
/// As [`decode`].
pub fn decode_part(
    model: &WorldModel,
    scenario: &str,
    bytes: &[u8],
) -> Result<StatePart, CheckpointError> {
    decode_as(MAGIC_OF_PART, model, scenario, bytes)
}

/// Joins the parts of all ranks, in the order of ranks, and checks the state.
///
/// # Errors
///
/// [`CheckpointError`] when parts are missing, inconsistent or altered.
pub fn join(model: &WorldModel, parts: Vec<StatePart>) -> Result<WorldState, CheckpointError> {
    validated(model, WorldState::from_parts(parts, model.agents.len())?)
}

fn validated(model: &WorldModel, state: WorldState) -> Result<WorldState, CheckpointError> {
    let unsound = |StateError { what }| CheckpointError::Unsound { what };
    state_validation::check(model, &state).map_err(unsound)?;
    Ok(state)
}

fn decode_as<S: DeserializeOwned>(
    magic: &[u8; 7],
    model: &WorldModel,
    scenario: &str,
    bytes: &[u8],
) -> Result<S, CheckpointError> {
    let rest = bytes.strip_prefix(magic).ok_or(CheckpointError::NotACheckpoint)?;
    let (&found, rest) = rest.split_first().ok_or(CheckpointError::Damaged)?;
    if found != VERSION {
        return Err(CheckpointError::Version { found });
    }
    let (digest, body) = rest.split_at_checked(DIGEST).ok_or(CheckpointError::Damaged)?;
    if Sha256::digest(body)[..] != *digest {
        return Err(CheckpointError::Damaged);
    }
    let undecodable = |error: postcard::Error| CheckpointError::Content { what: error.to_string() };
    // The scenario is compared first: a state of another program may not even decode.
    let (own, state): (String, _) = postcard::take_from_bytes(body).map_err(undecodable)?;
    let scenario = with_law(model, scenario);
    if own != scenario {
        let differences = differences(&own, &scenario).unwrap_or_default();
        return Err(CheckpointError::Scenario { differences });
    }
    postcard::from_bytes(state).map_err(undecodable)
}

/// Number of differences listed one by one.
const MAX_LISTED: usize = 4;

/// Describes the differences between the lines that determine two runs; `None` if they are equal.
pub fn differences(was: &str, is: &str) -> Option<String> {
    fn pairs(text: &str) -> BTreeMap<&str, &str> {
        text.lines().map(|line| line.split_once(" = ").unwrap_or((line, ""))).collect()
    }
    let (was, is) = (pairs(was), pairs(is));
    let keys: BTreeSet<&str> = was.keys().chain(is.keys()).copied().collect();
    let is_hash = |value: &str| value.len() == 64;
    let told = |key: &str| match (was.get(key), is.get(key)) {
        (Some(was), Some(is)) if is_hash(was) && is_hash(is) => format!("{key} changed"),
        (Some(was), Some(is)) => format!("{key} was {was} and is {is}"),
        (None, _) => format!("{key} was absent and is now given"),
        (_, None) => format!("{key} was given and is now absent"),
    };
    let differ = keys.into_iter().filter(|key| was.get(key) != is.get(key));
    let mut differences: Vec<String> = differ.map(told).collect();
    if differences.is_empty() {
        return None;
    }
    let more = differences.len().saturating_sub(MAX_LISTED);
    differences.truncate(MAX_LISTED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    Some(differences.join("; ") + &more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::World;
    use bekker_agent::Clock;
    use bekker_ground::GroundModel;
    use bekker_ground::soil::{Laws, Loading, Soil, SoilId, SoilKind, SoilLaw};
    use bekker_ground::terrain::Terrain;
    use bekker_math::grid::Lattice;

    #[derive(Debug)]
    struct Named(&'static str);

    impl SoilLaw for Named {
        fn name(&self) -> &str {
            self.0
        }

        fn pressure(&self, _soil: &Soil, _sinkage: f64, _width: f64) -> Loading {
            Loading::default()
        }
    }

    fn model(law: Option<&'static str>) -> WorldModel {
        let kind = SoilKind::Firm { friction: 0.8 };
        let soil = Soil { name: "rock".into(), source: String::new(), kind };
        let terrain = Terrain::flat(0.0, SoilId(0));
        let lattice = Lattice { spacing: 0.1 };
        let ground = GroundModel::new(lattice, terrain, vec![soil], Laws::reference()).unwrap();
        let ground = match law {
            Some(name) => ground.with_law(Named(name)),
            None => ground,
        };
        let clock = Clock::new(2e-3, 0.01).unwrap();
        WorldModel {
            ground,
            clock,
            agents: Vec::new(),
            endings: Default::default(),
            obstacles: Default::default(),
            tows: Vec::new(),
            holes: Vec::new(),
            team: None,
            radios: Vec::new(),
            lights: Vec::new(),
            pedestrians: Vec::new(),
            scene_model: None,
        }
    }

    #[test]
    fn a_checkpoint_of_another_soil_law_is_refused() {
        let scenario = "seed = 1\n";
        let [usual, peat, snow] = [None, Some("peat"), Some("snow")].map(model);
        let state = World::new(usual.clone()).state().clone();
        let bytes = encode(&usual, scenario, &state);
        let of_peat = encode(&peat, scenario, &state);
        assert!(decode(&peat, scenario, &of_peat).is_ok());
        let refused = |model: &WorldModel, bytes: &[u8]| {
            decode(model, scenario, bytes).unwrap_err().to_string()
        };
        assert!(refused(&snow, &of_peat).contains("soil law of the program was peat and is snow"));
        assert!(refused(&usual, &of_peat).contains("was given and is now absent"));
        assert!(refused(&peat, &bytes).contains("was absent and is now given"));
    }
}
