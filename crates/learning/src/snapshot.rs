//! Snapshots of episodes as bytes.

use super::env::EpisodeRun;
use super::episode_memory::EpisodeMemory;
use super::{Env, LearningError};
use bekker_world::{World, checkpoint};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

#[derive(Serialize, Deserialize)]
struct EnvSnapshot {
    /// Task and options of the episode.
    description: String,
    seed_and_episode: [u64; 2],
    level: u64,
    memories: Vec<EpisodeMemory>,
    state: Vec<u8>,
}

impl Env {
    /// Task and options, one line `key = value` each.
    fn description(&self) -> String {
        let options = serde_json::json!(self.options());
        let options = options.as_object().into_iter().flatten();
        let given = options.filter(|(_, value)| !value.is_null());
        let lines = given.map(|(key, value)| format!("\n{key} = {value}"));
        format!("task = {}{}", self.task().id(), lines.collect::<String>())
    }

    /// Encodes the episode; [`Env::restore`] continues from it bit for bit, in any process.
    ///
    /// # Errors
    /// [`LearningError::NotReset`] when there is no episode.
    pub fn snapshot(&self) -> Result<Vec<u8>, LearningError> {
        self.episode_bytes().map(append_checksum)
    }

    /// Encodes the episode without checksum, for callers that append to it.
    pub(super) fn episode_bytes(&self) -> Result<Vec<u8>, LearningError> {
        let run = self.run.as_ref().ok_or(LearningError::NotReset { env: 0 })?;
        let EpisodeRun { level, world, agents } = run;
        let state = checkpoint::encode(world.model(), &level.built.decisive, world.state());
        let saved = EnvSnapshot {
            description: self.description(),
            seed_and_episode: self.seed_and_episode(),
            level: level.number,
            memories: agents.iter().map(|agent| agent.memory.clone()).collect(),
            state,
        };
        postcard::to_stdvec(&saved).map_err(|error| refused(&error))
    }

    /// Restores the episode of a snapshot of the same task and options.
    ///
    /// # Errors
    /// [`LearningError::Snapshot`] when it does not match or is damaged; the current episode then
    /// continues.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), LearningError> {
        self.restore_bytes(verify_checksum(snapshot)?)
    }

    /// Restores the bytes of [`Env::episode_bytes`].
    pub(super) fn restore_bytes(&mut self, episode: &[u8]) -> Result<(), LearningError> {
        let saved: EnvSnapshot = postcard::from_bytes(episode).map_err(|error| refused(&error))?;
        if let Some(differences) = checkpoint::differences(&saved.description, &self.description())
        {
            let what = format!("it belongs to another one: {differences}");
            return Err(LearningError::Snapshot { what });
        }
        let level = self.levels().get(saved.level)?;
        let model = level.start.shared_model();
        let state = checkpoint::decode(&model, &level.built.decisive, &saved.state)
            .map_err(|error| refused(&error))?;
        let world = World::resume(model, state)?;
        self.set_episode(saved.seed_and_episode, EpisodeRun::new(level, world, saved.memories));
        Ok(())
    }
}

/// Length of the checksum, bytes.
const DIGEST: usize = 32;

/// Appends the checksum to the bytes.
pub(super) fn append_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let digest = Sha256::digest(&bytes);
    bytes.extend_from_slice(&digest);
    bytes
}

/// Verifies and removes the checksum.
pub(super) fn verify_checksum(snapshot: &[u8]) -> Result<&[u8], LearningError> {
    let damaged = || refused(&"it is damaged: the checksum does not match");
    let (bytes, digest) = snapshot.split_last_chunk::<DIGEST>().ok_or_else(damaged)?;
    if Sha256::digest(bytes).as_slice() == digest { Ok(bytes) } else { Err(damaged()) }
}

fn refused(what: &dyn std::fmt::Display) -> LearningError {
    LearningError::Snapshot { what: what.to_string() }
}
