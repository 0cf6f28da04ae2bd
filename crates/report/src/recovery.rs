//! Checkpoints on the way, and what is made good from them when a rank is lost.

use super::ReportError;
use super::commands::{COMMANDS, CommandLog};
use super::file::write as write_file;
use super::parts;
use super::reach::whole_up_to;
use bekker_ranks::{Observer, RankError};
use bekker_scenario::input;
use bekker_world::{StatePart, World, WorldModel, WorldState, checkpoint};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

/// Name of the checkpoint in a run's folder.
pub const CHECKPOINT: &str = "checkpoint.bin";
/// Name of the folder of checkpoints in parts, each rank's its own, while a run goes on.
pub const CHECKPOINTS: &str = "checkpoints";

/// A checkpoint on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// In one file.
    Whole(PathBuf),
    /// The parts of all ranks at a tick, in the order of ranks.
    Parts(u64, Vec<PathBuf>),
}

impl Stored {
    /// The last whole one in a run's folder; that of its end where there is none.
    ///
    /// # Errors
    /// [`ReportError`] when the folder cannot be read.
    pub fn last(folder: &Path) -> Result<Stored, ReportError> {
        // a later one in one file has taken their place
        let mut sets = parts::sets(&folder.join(CHECKPOINTS))?;
        sets.retain(|set| set.missing.is_none());
        let last = sets.pop().map(|set| Stored::Parts(set.tick, set.files));
        Ok(last.unwrap_or_else(|| Stored::Whole(folder.join(CHECKPOINT))))
    }

    /// The state in it, of the run of this model that `decisive` decides.
    ///
    /// # Errors
    /// [`ReportError`] that names the file which cannot be read, or is none of this run.
    pub fn read(&self, model: &WorldModel, decisive: &str) -> Result<WorldState, ReportError> {
        let bytes = |path: &Path| {
            input::read(path, input::LARGEST_BINARY).map_err(ReportError::file("read", path))
        };
        match self {
            Stored::Whole(path) => checkpoint::decode(model, decisive, &bytes(path)?)
                .map_err(ReportError::decode(path)),
            Stored::Parts(_, files) => {
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

/// Removes from a run's folder what parts of checkpoints there are later than `tick`, where the run
/// goes on: none of them became whole.
pub fn forget_later(folder: &Path, tick: u64) -> Result<(), ReportError> {
    parts::forget(&folder.join(CHECKPOINTS), |own| own <= tick)
}

/// What it takes to make good for a rank that is lost: since the same input
/// gives the same bits, a rank that is left drives its part again alone.
pub struct Recovery {
    model: Arc<WorldModel>,
    start: Option<WorldState>,
    decisive: String,
    folder: OnceLock<PathBuf>,
    /// Whether each rank writes its part of the checkpoints on the way.
    in_parts: bool,
    /// The checkpoints that are being written beside the drive, each by its rank.
    writing: Mutex<BTreeMap<usize, Writer>>,
}

type Writer = JoinHandle<Result<(), ReportError>>;

impl Drop for Recovery {
    fn drop(&mut self) {
        // nothing half-written stays behind, and a claim was waited for
        let _ = self.all_written();
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
        let (folder, writing) = (OnceLock::new(), Mutex::default());
        Recovery { model, start, decisive, folder, in_parts: false, writing }
    }

    /// Has checkpoints on the way written in parts, or not.
    pub fn in_parts(mut self, in_parts: bool) -> Recovery {
        self.in_parts = in_parts;
        self
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

    /// Writes a checkpoint beside the drive, in place of those before, which are waited for.
    fn store(&self, state: &WorldState) -> Result<(), ReportError> {
        let Some(folder) = self.folder.get() else { return Ok(()) };
        let (folder, path) = (folder.clone(), folder.join(CHECKPOINT));
        // tiles of ground are shared until the drive changes them
        let (model, state, decisive) = (self.model.clone(), state.clone(), self.decisive.clone());
        self.write_beside(0, move || {
            write_file(&path, &checkpoint::encode(&model, &decisive, &state))?;
            parts::clear(&folder.join(CHECKPOINTS))
        })
    }

    /// Writes a rank's part of a checkpoint beside the drive. The first rank removes the sets
    /// before the last one that is whole by then.
    fn store_part(&self, rank: usize, part: &Arc<StatePart>) -> Result<(), ReportError> {
        let Some(folder) = self.folder.get() else { return Ok(()) };
        let folder = folder.join(CHECKPOINTS);
        let (part, model, decisive) = (part.clone(), self.model.clone(), self.decisive.clone());
        let path = parts::path(&folder, part.tick, part.rank, part.size);
        self.write_beside(rank, move || {
            parts::begin(&folder, part.tick)?;
            write_file(&path, &checkpoint::encode_part(&model, &decisive, &part))?;
            if part.rank > 0 {
                return Ok(());
            }
            let whole = parts::sets(&folder)?.into_iter().rfind(|set| set.missing.is_none());
            whole.map_or(Ok(()), |whole| parts::forget(&folder, |tick| tick >= whole.tick))
        })
    }

    /// Runs `write` on a separate thread, once the last write of this rank is on disk.
    fn write_beside(
        &self,
        rank: usize,
        write: impl Fn() -> Result<(), ReportError> + Send + Sync + 'static,
    ) -> Result<(), ReportError> {
        self.written(rank)?;
        let write = Arc::new(write);
        let own = write.clone();
        match std::thread::Builder::new().name("checkpoint".into()).spawn(move || own()) {
            Ok(thread) => {
                self.writing().insert(rank, thread);
                Ok(())
            }
            // without a thread the simulation waits for the write
            Err(_) => write(),
        }
    }

    /// Whether there is a checkpoint to go on from, once the last one is on disk.
    pub fn has_checkpoint(&self) -> bool {
        // what came of the last one does not matter: the one before it is whole
        let _ = self.all_written();
        let last = self.folder.get().and_then(|folder| Stored::last(folder).ok());
        last.is_some_and(|last| match last {
            Stored::Whole(path) => path.exists(),
            Stored::Parts(..) => true,
        })
    }

    /// Waits until the last checkpoint of this rank is on disk; only then may it be claimed.
    fn written(&self, rank: usize) -> Result<(), ReportError> {
        let Some(writing) = self.writing().remove(&rank) else { return Ok(()) };
        writing.join().unwrap_or_else(|_| {
            let path = self.folder.get().cloned().unwrap_or_default().join(CHECKPOINT);
            Err(ReportError::Encode { path, reason: "its writer panicked".into() })
        })
    }

    /// The same of all ranks in this process.
    fn all_written(&self) -> Result<(), ReportError> {
        let ranks: Vec<usize> = self.writing().keys().copied().collect();
        let waited: Vec<_> = ranks.into_iter().map(|rank| self.written(rank)).collect();
        waited.into_iter().collect()
    }

    fn writing(&self) -> MutexGuard<'_, BTreeMap<usize, Writer>> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drives alone from the last checkpoint to this tick, or to where the record on disk is whole,
    /// and writes one there; calls `at_work` on the way. The tick that it came to.
    fn recover(&self, tick: u64, at_work: &mut dyn FnMut()) -> Result<u64, ReportError> {
        let Some(folder) = self.folder.get() else { return Ok(tick) };
        // what came of the last one does not matter: the one before it is whole
        let _ = self.all_written();
        let tick = whole_up_to(folder).map_or(0, |whole| whole.min(tick));
        let stored = Stored::last(folder)?.read(&self.model, &self.decisive).ok();
        // a checkpoint is written after the record, and so has it whole
        let state = stored.or_else(|| self.start.clone());
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
        self.written(0)?;
        Ok(world.state().tick)
    }

    /// What rank `here` does when others are lost: the lowest that is left makes good for
    /// them. In words, to go behind those that say what was lost.
    pub fn make_good(&self, here: usize, error: &RankError, at_work: &mut dyn FnMut()) -> String {
        let (Some(tick), lost) = (error.tick(), error.lost()) else { return String::new() };
        if (0..here).any(|rank| !lost.contains(&rank)) {
            return String::new();
        }
        if self.in_parts {
            // a world that many ranks drive is too much for one
            return match self.has_checkpoint() {
                true => "; go on from the last checkpoint with --resume".into(),
                false => "; there is no checkpoint yet".into(),
            };
        }
        match self.recover(tick, at_work) {
            Ok(tick) => format!("; checkpoint written at tick {tick}, go on from it with --resume"),
            Err(failure) => format!("; no checkpoint could be written: {failure}"),
        }
    }

    /// The observer that writes a rank's checkpoints: the first those of all in one file, each its
    /// part of those in parts.
    pub fn checkpoints(&self, rank: usize) -> Checkpoints<'_> {
        Checkpoints { recovery: self, rank }
    }
}

/// Writes each checkpoint that falls due.
pub struct Checkpoints<'a> {
    recovery: &'a Recovery,
    rank: usize,
}

impl<E: From<ReportError>> Observer<E> for Checkpoints<'_> {
    fn on_checkpoint_part(&mut self, part: &Arc<StatePart>) -> Result<(), E> {
        Ok(self.recovery.store_part(self.rank, part)?)
    }

    fn on_parts_end(&mut self) -> Result<(), E> {
        Ok(self.recovery.written(self.rank)?)
    }

    fn on_checkpoint(&mut self, world: &World) -> Result<(), E> {
        if self.rank == 0 {
            self.recovery.store(world.state())?;
        }
        Ok(())
    }

    fn on_end(&mut self, _: &World) -> Result<(), E> {
        Ok(self.recovery.written(self.rank)?)
    }
}
