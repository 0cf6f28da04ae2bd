//! Checkpoints on the way, and what is made good from them when a rank is lost.

use super::ReportError;
use super::commands::{COMMANDS, CommandLog};
use super::file::write as write_file;
use crate::simulation::{Observer, RankError, World, WorldModel, WorldState, checkpoint};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

/// Name of the checkpoint in a run's folder.
pub const CHECKPOINT: &str = "checkpoint.bin";

/// What it takes to make good for a rank that is lost: since the same input
/// gives the same bits, a rank that is left drives its part again alone.
pub struct Recovery {
    model: Arc<WorldModel>,
    start: Option<WorldState>,
    decisive: String,
    folder: OnceLock<PathBuf>,
    /// The checkpoint that is being written beside the drive.
    writing: Mutex<Option<JoinHandle<Result<(), ReportError>>>>,
}

impl Drop for Recovery {
    fn drop(&mut self) {
        // nothing half-written stays behind, and a claim was waited for
        let _ = self.written();
    }
}

impl Recovery {
    /// Of a run of this model that begins or goes on with `start`; `decisive` is all that
    /// decides its course.
    pub fn new(
        model: impl Into<Arc<WorldModel>>,
        start: Option<WorldState>,
        decisive: String,
    ) -> Recovery {
        let model = model.into();
        let (folder, writing) = (OnceLock::new(), Mutex::new(None));
        Recovery { model, start, decisive, folder, writing }
    }

    /// Where checkpoints go, said once.
    pub fn set_folder(&self, folder: &Path) {
        // said again by rank 0 to itself
        let _ = self.folder.set(folder.to_owned());
    }

    /// Where checkpoints go, if it has been said.
    pub fn folder(&self) -> Option<&PathBuf> {
        self.folder.get()
    }

    /// Writes a checkpoint beside the drive, in place of the one before, which is waited
    /// for.
    fn store(&self, state: &WorldState) -> Result<(), ReportError> {
        let Some(folder) = self.folder.get() else { return Ok(()) };
        self.written()?;
        let path = folder.join(CHECKPOINT);
        // tiles of ground are shared until the drive changes them
        let (model, state, decisive) = (self.model.clone(), state.clone(), self.decisive.clone());
        let place = path.clone();
        let write = move || write_file(&place, &checkpoint::encode(&model, &decisive, &state));
        let thread = std::thread::Builder::new().name("checkpoint".into());
        let started = thread.spawn(write);
        *self.writing() =
            Some(started.map_err(ReportError::file("start a thread to write", &path))?);
        Ok(())
    }

    /// Whether there is a checkpoint to go on from, once the last one is on disk.
    pub fn has_checkpoint(&self) -> bool {
        // what came of the last one does not matter: the one before it is whole
        let _ = self.written();
        self.folder.get().is_some_and(|folder| folder.join(CHECKPOINT).exists())
    }

    /// Waits until the last checkpoint is on disk; only then may it be claimed.
    fn written(&self) -> Result<(), ReportError> {
        let Some(writing) = self.writing().take() else { return Ok(()) };
        writing.join().unwrap_or_else(|_| {
            let path = self.folder.get().cloned().unwrap_or_default().join(CHECKPOINT);
            Err(ReportError::Encode { path, reason: "its writer panicked".into() })
        })
    }

    fn writing(&self) -> MutexGuard<'_, Option<JoinHandle<Result<(), ReportError>>>> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drives alone from the last checkpoint to this tick and writes one there; calls
    /// `at_work` on the way.
    fn recover(&self, tick: u64, at_work: &mut dyn FnMut()) -> Result<(), ReportError> {
        let Some(folder) = self.folder.get() else { return Ok(()) };
        // what came of the last one does not matter: the one before it is whole
        let _ = self.written();
        let stored = std::fs::read(folder.join(CHECKPOINT)).ok();
        let stored = stored.and_then(|b| checkpoint::decode(&self.model, &self.decisive, &b).ok());
        let state = stored.filter(|state| state.tick <= tick).or_else(|| self.start.clone());
        let resumed = state.and_then(|state| World::resume(self.model.clone(), state).ok());
        let mut world = resumed.unwrap_or_else(|| World::new(self.model.clone()));
        // what was told from outside is on the disk to the last heartbeat
        let commands = CommandLog::of_run(folder, &world)?;
        while world.state().tick < tick {
            commands.apply(&mut world).map_err(ReportError::decode(&folder.join(COMMANDS)))?;
            world.advance();
            at_work();
        }
        self.store(world.state())?;
        self.written()
    }

    /// What rank `here` does when others are lost: the lowest that is left makes good for
    /// them. In words, to go behind those that say what was lost.
    pub fn make_good(&self, here: usize, error: &RankError, at_work: &mut dyn FnMut()) -> String {
        let (Some(tick), lost) = (error.tick(), error.lost()) else { return String::new() };
        if (0..here).any(|rank| !lost.contains(&rank)) {
            return String::new();
        }
        match self.recover(tick, at_work) {
            Ok(()) => format!("; checkpoint written at tick {tick}, go on from it with --resume"),
            Err(failure) => format!("; no checkpoint could be written: {failure}"),
        }
    }

    /// The observer that writes checkpoints on the way; of ranks, that of the first.
    pub fn checkpoints(&self) -> Checkpoints<'_> {
        Checkpoints { recovery: self }
    }
}

/// Writes each checkpoint that falls due.
pub struct Checkpoints<'a> {
    recovery: &'a Recovery,
}

impl<E: From<ReportError>> Observer<E> for Checkpoints<'_> {
    fn on_checkpoint(&mut self, world: &World) -> Result<(), E> {
        Ok(self.recovery.store(world.state())?)
    }

    fn on_end(&mut self, _: &World) -> Result<(), E> {
        Ok(self.recovery.written()?)
    }
}
