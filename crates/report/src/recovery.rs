//! Checkpoints during a run, and recovery from them after the loss of a rank.

use super::ReportError;
use super::commands::{COMMANDS, CommandLog};
use super::file::write as write_file;
use super::parts;
use super::record_extent::complete_until;
use bekker_ranks::{Observer, RankError};
use bekker_scenario::input;
use bekker_world::{StatePart, World, WorldModel, WorldState, checkpoint};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

/// Name of the checkpoint in a run's folder.
pub const CHECKPOINT: &str = "checkpoint.bin";
/// Name of the folder of checkpoints in parts, one per rank, during a run.
pub const CHECKPOINTS: &str = "checkpoints";

/// A checkpoint on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredCheckpoint {
    /// A single file.
    Whole(PathBuf),
    /// Parts of all ranks at a tick, in the order of ranks.
    Parts(u64, Vec<PathBuf>),
}

impl StoredCheckpoint {
    /// Returns the last complete checkpoint in parts in a run's folder, otherwise the single file.
    ///
    /// # Errors
    /// [`ReportError`] if the folder cannot be read.
    pub fn last(folder: &Path) -> Result<StoredCheckpoint, ReportError> {
        // a later checkpoint in a single file has removed these sets
        let mut sets = parts::sets(&folder.join(CHECKPOINTS))?;
        sets.retain(|set| set.missing.is_none());
        let last = sets.pop().map(|set| StoredCheckpoint::Parts(set.tick, set.files));
        Ok(last.unwrap_or_else(|| StoredCheckpoint::Whole(folder.join(CHECKPOINT))))
    }

    /// Reads the state for a run of this model with the settings `decisive`.
    ///
    /// # Errors
    /// [`ReportError`] with the file that cannot be read or belongs to another run.
    pub fn read(&self, model: &WorldModel, decisive: &str) -> Result<WorldState, ReportError> {
        let bytes = |path: &Path| {
            input::read(path, input::LARGEST_BINARY).map_err(ReportError::file("read", path))
        };
        match self {
            StoredCheckpoint::Whole(path) => checkpoint::decode(model, decisive, &bytes(path)?)
                .map_err(ReportError::decode(path)),
            StoredCheckpoint::Parts(_, files) => {
                let part = |path: &PathBuf| {
                    checkpoint::decode_part(model, decisive, &bytes(path)?)
                        .map_err(ReportError::decode(path))
                };
                let all = files.iter().map(part).collect::<Result<_, _>>()?;
                let folder = files.first().and_then(|own| own.parent()).unwrap_or(Path::new(""));
                checkpoint::join(model, all).map_err(ReportError::decode(folder))
            }
        }
    }
}

/// Removes the parts of checkpoints later than `tick`, from which the run resumes.
///
/// None of these checkpoints is complete.
pub fn remove_later_checkpoints(folder: &Path, tick: u64) -> Result<(), ReportError> {
    parts::remove_later(&folder.join(CHECKPOINTS), |own| own <= tick)
}

/// Recovery from the loss of a rank.
///
/// The same input gives the same bits, so a remaining rank repeats the lost part alone.
pub struct Recovery {
    model: Arc<WorldModel>,
    start: Option<WorldState>,
    decisive: String,
    folder: OnceLock<PathBuf>,
    /// Whether each rank writes its part of checkpoints during the run.
    in_parts: bool,
    /// Threads that are writing checkpoints, by rank.
    writing: Mutex<BTreeMap<usize, WriterThread>>,
}

type WriterThread = JoinHandle<Result<(), ReportError>>;

impl Drop for Recovery {
    fn drop(&mut self) {
        // no write may remain incomplete after the drop
        let _ = self.wait_for_writes();
    }
}

impl Recovery {
    /// Creates the recovery of a run of this model that begins or resumes with `start`.
    ///
    /// `decisive` is all that determines the course of the run.
    pub fn new(
        model: impl Into<Arc<WorldModel>>,
        start: Option<WorldState>,
        decisive: String,
    ) -> Recovery {
        let model = model.into();
        let (folder, writing) = (OnceLock::new(), Mutex::default());
        Recovery { model, start, decisive, folder, in_parts: false, writing }
    }

    /// Sets whether checkpoints during the run are written in parts.
    pub fn in_parts(mut self, in_parts: bool) -> Recovery {
        self.in_parts = in_parts;
        self
    }

    /// Sets the folder of checkpoints; only the first call has an effect.
    pub fn set_folder(&self, folder: &Path) {
        // rank 0 sets it a second time
        let _ = self.folder.set(folder.to_owned());
    }

    /// Folder of checkpoints, if it is set.
    pub fn folder(&self) -> Option<&PathBuf> {
        self.folder.get()
    }

    /// Writes a checkpoint on a separate thread, after pending writes; it replaces all earlier
    /// ones.
    fn store(&self, state: &WorldState) -> Result<(), ReportError> {
        let Some(folder) = self.folder.get() else { return Ok(()) };
        let (folder, path) = (folder.clone(), folder.join(CHECKPOINT));
        // tiles of ground are shared until the simulation changes them
        let (model, state, decisive) = (self.model.clone(), state.clone(), self.decisive.clone());
        self.spawn_write(0, move || {
            write_file(&path, &checkpoint::encode(&model, &decisive, &state))?;
            parts::clear(&folder.join(CHECKPOINTS))
        })
    }

    /// Writes a rank's part of a checkpoint on a separate thread.
    ///
    /// Rank 0 also removes the sets before the last complete one.
    fn store_part(&self, rank: usize, part: &Arc<StatePart>) -> Result<(), ReportError> {
        let Some(folder) = self.folder.get() else { return Ok(()) };
        let folder = folder.join(CHECKPOINTS);
        let (part, model, decisive) = (part.clone(), self.model.clone(), self.decisive.clone());
        let path = parts::path(&folder, part.tick, part.rank, part.size);
        self.spawn_write(rank, move || {
            parts::begin(&folder, part.tick)?;
            write_file(&path, &checkpoint::encode_part(&model, &decisive, &part))?;
            if part.rank > 0 {
                return Ok(());
            }
            let whole = parts::sets(&folder)?.into_iter().rfind(|set| set.missing.is_none());
            whole.map_or(Ok(()), |whole| parts::remove_later(&folder, |tick| tick >= whole.tick))
        })
    }

    /// Runs `write` on a separate thread, once the last write of this rank is on disk.
    fn spawn_write(
        &self,
        rank: usize,
        write: impl Fn() -> Result<(), ReportError> + Send + Sync + 'static,
    ) -> Result<(), ReportError> {
        self.wait_for_write(rank)?;
        let write = Arc::new(write);
        let own = write.clone();
        match std::thread::Builder::new().name("checkpoint".into()).spawn(move || own()) {
            Ok(thread) => {
                self.writers().insert(rank, thread);
                Ok(())
            }
            // without a thread the simulation waits for the write
            Err(_) => write(),
        }
    }

    /// Returns whether there is a checkpoint to resume from, after all pending writes.
    pub fn has_checkpoint(&self) -> bool {
        // a failure of the last write does not matter: the previous checkpoint is complete
        let _ = self.wait_for_writes();
        let last = self.folder.get().and_then(|folder| StoredCheckpoint::last(folder).ok());
        last.is_some_and(|last| match last {
            StoredCheckpoint::Whole(path) => path.exists(),
            StoredCheckpoint::Parts(..) => true,
        })
    }

    /// Waits until the last checkpoint of this rank is on disk, and returns the result of its
    /// write.
    fn wait_for_write(&self, rank: usize) -> Result<(), ReportError> {
        let Some(writing) = self.writers().remove(&rank) else { return Ok(()) };
        writing.join().unwrap_or_else(|_| {
            let path = self.folder.get().cloned().unwrap_or_default().join(CHECKPOINT);
            Err(ReportError::Encode { path, reason: "the writer panicked".into() })
        })
    }

    /// Waits likewise for all ranks in this process.
    fn wait_for_writes(&self) -> Result<(), ReportError> {
        let ranks: Vec<usize> = self.writers().keys().copied().collect();
        let waited: Vec<_> = ranks.into_iter().map(|rank| self.wait_for_write(rank)).collect();
        waited.into_iter().collect()
    }

    fn writers(&self) -> MutexGuard<'_, BTreeMap<usize, WriterThread>> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Simulates alone from the last checkpoint and writes a checkpoint.
    ///
    /// It ends at `tick`, or earlier where the record on disk is complete, and returns that tick.
    /// `on_progress` is called at each heartbeat.
    fn recover(&self, tick: u64, on_progress: &mut dyn FnMut()) -> Result<u64, ReportError> {
        let Some(folder) = self.folder.get() else { return Ok(tick) };
        // a failure of the last write does not matter: the previous checkpoint is complete
        let _ = self.wait_for_writes();
        let tick = complete_until(folder).map_or(0, |whole| whole.min(tick));
        let stored = StoredCheckpoint::last(folder)?.read(&self.model, &self.decisive).ok();
        // a checkpoint is written after the record, so the record is complete up to it
        let state = stored.or_else(|| self.start.clone());
        let resumed = state.and_then(|state| World::resume(self.model.clone(), state).ok());
        let mut world = resumed.unwrap_or_else(|| World::new(self.model.clone()));
        // external commands are on disk up to the last heartbeat
        let commands = CommandLog::of_run(folder, &world)?;
        while world.state().tick < tick {
            commands.apply(&mut world).map_err(ReportError::decode(&folder.join(COMMANDS)))?;
            world.advance();
            on_progress();
        }
        self.store(world.state())?;
        self.wait_for_write(0)?;
        Ok(world.state().tick)
    }

    /// Reacts to the loss of other ranks: the lowest remaining rank recovers.
    ///
    /// Returns a sentence to be appended to the error message, empty on other ranks.
    pub fn recover_after(
        &self,
        here: usize,
        error: &RankError,
        on_progress: &mut dyn FnMut(),
    ) -> String {
        let (Some(tick), lost) = (error.tick(), error.lost()) else { return String::new() };
        if (0..here).any(|rank| !lost.contains(&rank)) {
            return String::new();
        }
        if self.in_parts {
            // the world of many ranks is too large for one
            return match self.has_checkpoint() {
                true => "; resume from the last checkpoint with --resume".into(),
                false => "; there is no checkpoint yet".into(),
            };
        }
        match self.recover(tick, on_progress) {
            Ok(tick) => {
                format!("; checkpoint written at tick {tick}; resume from it with --resume")
            }
            Err(failure) => format!("; cannot write a checkpoint: {failure}"),
        }
    }

    /// Returns the observer that writes a rank's checkpoints.
    ///
    /// Rank 0 writes those in a single file, each rank its part of those in parts.
    pub fn checkpoints(&self, rank: usize) -> CheckpointWriter<'_> {
        CheckpointWriter { recovery: self, rank }
    }
}

/// Observer that writes each checkpoint when it is due.
pub struct CheckpointWriter<'a> {
    recovery: &'a Recovery,
    rank: usize,
}

impl<E: From<ReportError>> Observer<E> for CheckpointWriter<'_> {
    fn on_checkpoint_part(&mut self, part: &Arc<StatePart>) -> Result<(), E> {
        Ok(self.recovery.store_part(self.rank, part)?)
    }

    fn on_parts_end(&mut self) -> Result<(), E> {
        Ok(self.recovery.wait_for_write(self.rank)?)
    }

    fn on_checkpoint(&mut self, world: &World) -> Result<(), E> {
        if self.rank == 0 {
            self.recovery.store(world.state())?;
        }
        Ok(())
    }

    fn on_end(&mut self, _: &World) -> Result<(), E> {
        Ok(self.recovery.wait_for_write(self.rank)?)
    }
}
