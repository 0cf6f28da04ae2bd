//! Preparation of `bekker run`: reads, builds and starts all that the first heartbeat needs.

use super::Run;
#[cfg(feature = "mpi")]
use crate::cli::launcher;
use crate::cli::serving::BoundListener;
use crate::cli::shell_word::shell_word;
use crate::cli::{Failure, recorded_run, results};
use crate::report::commands::COMMANDS;
use crate::report::input_copies::SCENARIO;
use crate::report::manifest::Manifest;
use crate::report::record_extent::RecordExtent;
use crate::report::recovery::StoredCheckpoint;
use crate::report::rundir::{self, RunFolderLock};
use crate::report::{ReportError, record_parts, write_file};
use crate::scenario::build::{BuiltWorld, world};
use crate::scenario::config::{OutputConfig, QuantityConfig, StateFormat, VehicleConfig};
use crate::scenario::{ScenarioFile, input};
use crate::simulation::{StartupError, WorldState, agree, first_startup_error};
use crate::sync::Communicator;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// All inputs of a run.
pub(super) struct RunInputs {
    pub(super) file: ScenarioFile,
    pub(super) built: BuiltWorld,
    /// The settings that all ranks must share.
    pub(super) agreed: Vec<(String, String)>,
    /// The state from which to resume; other ranks receive it from rank 0.
    pub(super) state: Option<WorldState>,
    /// Output location, if this process writes the results; created only once all ranks are ready.
    pub(super) place: Option<OutputLocation>,
    /// Listener for external clients, if this process has one.
    pub(super) bound: Option<BoundListener>,
}

/// Output location of a run.
pub(super) struct OutputLocation {
    pub(super) folder: PathBuf,
    /// The manifest written before the run starts.
    pub(super) begun: Manifest,
    pub(super) lock: RunFolderLock,
}

impl Run {
    /// Reads and builds all that the run on `size` ranks needs.
    ///
    /// `writes` is whether this process writes the results.
    pub(super) fn prepared(
        &self,
        size: usize,
        writes: bool,
        quiet: bool,
    ) -> Result<RunInputs, Failure> {
        let file = match (&self.file, &self.resume) {
            (None, Some(run)) => {
                let (manifest, file) = recorded_run::read(run, &self.sets)?;
                refuse_edits(run, &manifest, &file)?;
                file
            }
            (path, _) => {
                let path = path.as_deref().unwrap_or(Path::new(""));
                ScenarioFile::read_with_inputs(path, &self.sets, self.inputs.clone())?
            }
        };
        let mut built = world(&file)?;
        let partition = &self.partition;
        partition.check(built.world.agents.len(), size).map_err(|error| Failure::Input {
            subject: format!("--partition {partition}"),
            cause: error.to_string(),
        })?;
        if let Some(scene_model) = &mut built.world.scene_model {
            self.graphics.set_up_gpu(Arc::make_mut(scene_model), quiet)?;
        }
        if writes {
            for warning in &built.warnings {
                eprintln!("warning: {warning}");
            }
        }
        if self.parts {
            check_parts(&file)?;
        }
        let bound = if writes { self.serving.bound(&file.scenario, &built.world)? } else { None };
        // other ranks receive the state and the tick from rank 0
        let state = if writes { self.start(&built)? } else { None };
        let first = state.as_ref().map_or(0, |state| state.tick);
        if state.is_some() {
            check_duration(&file, &built, first)?;
        }
        if let (Some(_), Some(folder)) = (&state, self.in_place()) {
            check_continues(folder, &file, &built, first)?;
        }
        let mut agreed = agreed_options(&file, &built);
        // all ranks must contribute to checkpoints at the same times
        agreed.push(("--checkpoint-every".into(), format!("{} s", self.checkpoint_every)));
        // all ranks must take part in the same collective requests
        let serving = &self.serving;
        for (option, is_given) in [
            ("--serve, --view or --ros2", serving.is_controlled()),
            ("--html", serving.html),
            ("--parts", self.parts),
            ("--ros2-ground", serving.ros2_ground),
        ] {
            agreed.push((option.into(), is_given.to_string()));
        }
        Ok(RunInputs { file, built, agreed, state, place: None, bound })
    }

    /// Prepares the run under an MPI launcher, which starts the same program on all ranks.
    #[cfg(feature = "mpi")]
    pub(super) fn prepared_under_mpi(
        &self,
        size: usize,
        writes: bool,
        quiet: bool,
    ) -> Result<RunInputs, Failure> {
        if self.ranks != 1 {
            return Err(Failure::Usage {
                argument: "--ranks",
                value: self.ranks.to_string(),
                allowed: "omitted under an MPI launcher, whose processes are the ranks".into(),
            });
        }
        let mut prepared = self.prepared(size, writes, quiet)?;
        prepared.agreed.push(("build of bekker".into(), launcher::build()?));
        Ok(prepared)
    }

    /// Returns the state from which to resume, if any.
    fn start(&self, built: &BuiltWorld) -> Result<Option<WorldState>, Failure> {
        let Some(from) = &self.resume else { return Ok(None) };
        let stored = if from.is_dir() {
            StoredCheckpoint::last(from)?
        } else {
            StoredCheckpoint::Whole(from.clone())
        };
        if let (true, StoredCheckpoint::Whole(path)) = (from.is_dir(), &stored)
            && !path.exists()
        {
            let subject = from.display().to_string();
            let scenario = shell_word(&from.join(SCENARIO).to_string_lossy());
            let cause = format!(
                "has no checkpoint: the run ended before the first one (--checkpoint-every); start \
                 it again with `bekker run {scenario} --out {} --force`",
                shell_word(&from.to_string_lossy()),
            );
            return Err(Failure::Input { subject, cause });
        }
        let state = stored.read(&built.world, &built.decisive).map_err(|error| match error {
            ReportError::Decode { path, reason } => {
                Failure::Input { subject: path.display().to_string(), cause: reason }
            }
            ReportError::File { path, source, .. } => Failure::input(&path, &source),
            other => other.into(),
        })?;
        Ok(Some(state))
    }

    /// Returns the folder whose record is continued, if any.
    pub(super) fn in_place(&self) -> Option<&Path> {
        let here = |from: &&Path| self.out.as_deref().is_none_or(|out| out == *from);
        self.resume.as_deref().filter(|from| from.is_dir()).filter(here)
    }

    /// Creates and locks the folder of the results, with all files that are written before the
    /// start.
    pub(super) fn open_output(&self, prepared: &RunInputs) -> Result<OutputLocation, Failure> {
        let RunInputs { file, built, state, .. } = prepared;
        let first = state.as_ref().map_or(0, |state| state.tick);
        let scenario = &file.scenario;
        let (folder, lock) = match (self.in_place(), &self.out, &scenario.output.folder) {
            (Some(folder), ..) => (folder.to_owned(), rundir::lock(folder)?),
            (None, Some(folder), _) | (None, None, Some(folder)) => {
                (folder.clone(), rundir::create(folder, self.force)?)
            }
            _ => rundir::create_numbered(Path::new("runs"), &scenario.name)?,
        };
        let own = || self.resume.iter().map(|from| from.join(SCENARIO)).next();
        let path = self.file.clone().or_else(own).unwrap_or_default();
        let resumes = self.in_place().is_some();
        let begun = results::begin(&folder, &path, file, built, first, resumes)?;
        if !resumes && let Some(from) = &self.resume {
            keep_commands(from, &folder)?;
        }
        Ok(OutputLocation { folder, begun, lock })
    }
}

/// Refuses a run whose scenario file was edited: `--resume` takes the scenario from the manifest.
fn refuse_edits(run: &Path, manifest: &Manifest, file: &ScenarioFile) -> Result<(), Failure> {
    let Some(edits) = recorded_run::edits(run, manifest, file) else { return Ok(()) };
    let subject = run.join(SCENARIO).display().to_string();
    let cause = format!(
        "was changed since the run wrote it ({edits}), and --resume does not read it; restore or \
         remove it, and give changes with --set"
    );
    Err(Failure::Input { subject, cause })
}

/// Checks that a resumed run lasts at least until the tick that was reached.
fn check_duration(file: &ScenarioFile, built: &BuiltWorld, tick: u64) -> Result<(), Failure> {
    let (clock, duration) = (&built.world.clock, file.scenario.time.duration);
    if clock.ticks_in(duration) >= tick {
        return Ok(());
    }
    let reached = clock.reported_time(tick);
    Err(Failure::Input {
        subject: format!("time.duration = {duration}"),
        cause: format!("must be at least {reached} s, the time that the run to resume has reached"),
    })
}

/// Checks that the record in a folder can be continued from a tick.
///
/// It must reach the tick, and the settings of hashes and samples must be unchanged.
fn check_continues(
    folder: &Path,
    file: &ScenarioFile,
    built: &BuiltWorld,
    tick: u64,
) -> Result<(), Failure> {
    let (clock, now) = (&built.world.clock, &file.scenario);
    let refused = |subject: String, cause: String| Err(Failure::Input { subject, cause });
    let before = recorded_run::read(folder, &[])?.1.scenario.output;
    // settings that determine rows and columns of tables and the content of sensors.mcap
    let kept = |output: &OutputConfig| {
        [
            ("output.hash_every", json!(output.hash_every)),
            ("output.interval", json!(output.interval)),
            ("output.columns", json!(output.columns)),
            ("output.vehicles", json!(output.vehicles)),
            ("output.readings", json!(output.readings)),
            ("whether output.states has any format", json!(!output.states.is_empty())),
            ("whether output.states has mcap", json!(output.states.contains(&StateFormat::Mcap))),
        ]
    };
    for ((key, before), (_, asked)) in kept(&before).into_iter().zip(kept(&now.output)) {
        if before != asked {
            let cause = format!(
                "must be {before} (null: not given), as in the resumed record in {}; to change it, \
                 write to a new folder with --out",
                folder.display()
            );
            return refused(format!("{key} = {asked}"), cause);
        }
    }
    let output = &now.output;
    let places = |columns: &Vec<QuantityConfig>| columns.contains(&QuantityConfig::Position);
    let has_all = output.vehicles.is_none() && output.columns.as_ref().is_none_or(places);
    if tick > 0 && (output.states.is_empty() || !has_all) {
        let time = clock.reported_time(tick);
        eprintln!(
            "warning: before {time} s, the picture and terrain.tif show only the positions in \
             states.csv; output.states, output.vehicles or output.columns exclude some vehicles or \
             positions"
        );
    }
    let sampled = record_parts::since(folder)?.unwrap_or(tick);
    let reach = RecordExtent { hashed: tick, sampled: sampled.min(tick) };
    Ok(reach.check(folder, &before, clock)?)
}

/// Refuses to write a record in parts if rank 0 must write sensor readings.
fn check_parts(file: &ScenarioFile) -> Result<(), Failure> {
    let scenario = &file.scenario;
    let sensor = |own: &&VehicleConfig| own.sensor.iter().any(|sensor| sensor.record);
    match scenario.vehicle.iter().find(sensor).filter(|_| scenario.output.readings) {
        None => Ok(()),
        Some(vehicle) => Err(Failure::Input {
            subject: "--parts".into(),
            cause: format!(
                "sensors of {} are recorded by rank 0 with the ground around them; set \
                 output.readings = false, or omit --parts",
                vehicle.name
            ),
        }),
    }
}

/// Copies the external commands to the folder of a resumed run, so that the whole run can be
/// repeated.
fn keep_commands(from: &Path, folder: &Path) -> Result<(), Failure> {
    let own = if from.is_dir() { from } else { from.parent().unwrap_or(Path::new("")) };
    let path = own.join(COMMANDS);
    if path.is_file() {
        let bytes = input::read(&path, input::LARGEST_BINARY)
            .map_err(|error| Failure::input(&path, &error))?;
        write_file(&folder.join(COMMANDS), &bytes)?;
    }
    Ok(())
}

impl Run {
    /// Returns the preparation of this process if all ranks are ready for the same run.
    ///
    /// Only then does rank 0 create the folder of the results, so that a failed start leaves no
    /// files.
    pub(super) fn start_on_ranks(
        &self,
        communicator: &mut impl Communicator,
        prepared: Result<RunInputs, Failure>,
    ) -> Result<RunInputs, Failure> {
        let (first, apart) = (communicator.rank() == 0, self.processes.is_apart());
        let mut prepared = all_ready(communicator, apart, prepared)?;
        let sharing = self.sharing(&prepared.file.scenario);
        let ours = sharing.agreed_settings(&prepared.built.world, &prepared.agreed);
        match agree(communicator, &ours) {
            Err(cause) if cause.is_shared() && !first && !apart => {
                return Err(Failure::Reported { code: Failure::from(cause).code() });
            }
            agreed => agreed?,
        }
        let place = if first { self.open_output(&prepared).map(Some) } else { Ok(None) };
        prepared.place = all_ready(communicator, apart, place)?;
        Ok(prepared)
    }
}

/// Returns the preparation of this process if all ranks are ready.
///
/// A rank that cannot start reports the reason. The others report it too if they are `apart`;
/// otherwise only the first failing rank does.
fn all_ready<T>(
    communicator: &mut impl Communicator,
    apart: bool,
    prepared: Result<T, Failure>,
) -> Result<T, Failure> {
    let obstacle = prepared.as_ref().err().map(|failure| {
        let (cause, code) = (failure.to_string(), failure.code());
        StartupError { cause, code }
    });
    match first_startup_error(communicator, obstacle)? {
        Some((rank, StartupError { cause, code })) if rank != communicator.rank() => match prepared
        {
            Err(own) if apart => Err(own),
            Ok(_) if apart => Err(Failure::OtherRank { rank, cause, code }),
            _ => Err(Failure::Reported { code }),
        },
        _ => prepared,
    }
}

/// Returns all settings that ranks must share: the resolved scenario by key, file hashes and the
/// program.
fn agreed_options(file: &ScenarioFile, built: &BuiltWorld) -> Vec<(String, String)> {
    fn flatten(key: &str, value: &serde_json::Value, pairs: &mut Vec<(String, String)>) {
        match value {
            serde_json::Value::Object(entries) => {
                let dot = if key.is_empty() { "" } else { "." };
                entries.iter().for_each(|(k, v)| flatten(&format!("{key}{dot}{k}"), v, pairs));
            }
            serde_json::Value::Array(items) => {
                let items = items.iter().enumerate();
                items.for_each(|(i, v)| flatten(&format!("{key}[{i}]"), v, pairs));
            }
            value => pairs.push((key.to_owned(), value.to_string())),
        }
    }
    let mut pairs = Vec::new();
    let scenario = serde_json::to_value(&file.scenario).unwrap_or_default();
    flatten("", &scenario, &mut pairs);
    pairs.push(("fingerprint".into(), built.fingerprint.clone()));
    pairs.push(("version of bekker".into(), env!("CARGO_PKG_VERSION").into()));
    pairs.push(("source of bekker".into(), crate::scenario::SOURCE.into()));
    pairs
}
