//! An episode as bytes.

use super::env::{Driven, Memory};
use super::{Env, LearningError};
use crate::simulation::{World, checkpoint};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Kept {
    /// Task and options that it belongs to.
    of: String,
    drawn: [u64; 2],
    level: u64,
    memories: Vec<Memory>,
    state: Vec<u8>,
}

impl Env {
    fn description(&self) -> String {
        format!("{} {:?}", self.task().id(), self.options())
    }

    /// The episode as bytes: [`Env::restore`] goes on from it to the same bits, in any process.
    ///
    /// # Errors
    /// [`LearningError::NotReset`] when there is none.
    pub fn snapshot(&self) -> Result<Vec<u8>, LearningError> {
        let driven = self.driven.as_ref().ok_or(LearningError::NotReset { env: 0 })?;
        let Driven { level, world, agents } = driven;
        let state = checkpoint::encode(world.model(), &level.built.decisive, world.state());
        let kept = Kept {
            of: self.description(),
            drawn: self.drawn(),
            level: level.number,
            memories: agents.iter().map(|agent| agent.memory.clone()).collect(),
            state,
        };
        postcard::to_stdvec(&kept).map_err(|error| refused(&error))
    }

    /// Goes to the episode of a snapshot of the same task and options.
    ///
    /// # Errors
    /// [`LearningError::Snapshot`] when it is of another, or damaged; the episode goes on.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), LearningError> {
        let kept: Kept = postcard::from_bytes(snapshot).map_err(|error| refused(&error))?;
        if kept.of != self.description() {
            return Err(LearningError::Snapshot { what: format!("it is of {}", kept.of) });
        }
        let level = self.levels().get(kept.level)?;
        let model = level.start.shared_model();
        let state = checkpoint::decode(&model, &level.built.decisive, &kept.state)
            .map_err(|error| refused(&error))?;
        let world = World::resume(model, state)?;
        self.go_to(kept.drawn, Driven::of(level, world, kept.memories));
        Ok(())
    }
}

fn refused(what: &dyn std::fmt::Display) -> LearningError {
    LearningError::Snapshot { what: what.to_string() }
}
