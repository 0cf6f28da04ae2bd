//! `bekker dataset`

mod columns;

use super::interruption::interruption_signal;
use super::progress_bar::progress_bar;
use super::quantity::quantity;
use super::workers::Workers;
use super::{Failure, stdout};
use crate::learning::{Episode, LearningError, Levels, Options, Policy, TASKS, task};
use crate::report::ReportError;
use crate::report::dataset::{
    self, DatasetFormat, DatasetManifest, DatasetRequest, DatasetState, PartialDataset,
};
use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Drive episodes of a learning task and write them as a dataset with ground-truth labels
///
/// The labels are the true states of soil and wheels. Episode n depends only on the task, the
/// options, the seed and n. The files are identical for any number of threads. In a convoy, the
/// drive of each vehicle is one episode.
///
/// Rerun the same command to resume an interrupted dataset, or with more --episodes to extend a
/// dataset. The manifest is written last and marks the dataset as complete.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    bekker dataset --task SoftGoal --policy mixed --episodes 100 --format lerobot --out soft_goal\n  \
    bekker dataset --task SlipSpeed --episodes 20 --format parquet --tire rigid --out slip_speed\n\n\
    docs/learning.md lists the columns with their units and shows how to open each format.")]
pub struct Dataset {
    /// Learning task
    #[arg(long, value_parser = PossibleValuesParser::new(TASKS.map(|task| task.id())))]
    task: String,
    /// Policy that drives
    #[arg(long, value_enum, default_value_t = PolicyName::Expert)]
    policy: PolicyName,
    /// Number of drives. In a convoy, each drive yields one episode per vehicle
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000))]
    episodes: u64,
    /// File format of the dataset
    #[arg(long, value_enum, default_value_t = FormatName::Parquet)]
    format: FormatName,
    /// Dataset folder: new, empty, or begun by the same command
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Seed of all episodes
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = RangedU64ValueParser::<u64>::new().range(0..=1 << 53))]
    seed: u64,
    /// Number of levels to draw from
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000_000))]
    levels: u64,
    /// Number of the first level
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = RangedU64ValueParser::<u64>::new().range(0..=1_000_000_000_000_000))]
    first_level: u64,
    /// Difficulty of the levels, from 0 to 1
    #[arg(long, value_name = "D", default_value_t = 0.5, value_parser = quantity(0.0..=1.0, ""))]
    difficulty: f64,
    /// Vehicle from the catalog, or a vehicle file (.toml). Tracked tasks require a tracked vehicle
    #[arg(long, value_name = "VEHICLE", default_value = "hmmwv")]
    vehicle: String,
    /// Number of vehicles, for tasks with several vehicles (default: 4)
    #[arg(long, value_name = "N")]
    vehicles: Option<u32>,
    /// Tire model (default: flexible if the vehicle file defines it)
    #[arg(long, alias = "tyre", value_enum)]
    tire: Option<TireName>,
    /// Tire inflation, kPa (default: from the vehicle file)
    #[arg(long, value_name = "KPA", value_parser = quantity(10.0..=1000.0, "kPa"))]
    inflation_kpa: Option<f64>,
    /// Use this soil instead of those that the task draws from
    #[arg(long, value_name = "SOIL")]
    soil: Option<String>,
    /// Include soil, wheel slip and wheel sinkage in observations
    #[arg(long)]
    soil_visible: bool,
    /// Include the map in observations (default: set by the task)
    #[arg(long, value_name = "BOOL")]
    map: Option<bool>,
    /// Width and height of a color and depth image from the driver's view in observations (default:
    /// no image)
    #[arg(long, value_name = "N")]
    image: Option<u32>,
    /// Firings per revolution of a 16-beam roof lidar in observations (default: no lidar)
    #[arg(long, value_name = "N")]
    lidar: Option<u32>,
    /// Standard deviation of the noise on proprioception, relative to the scale of each value
    #[arg(long, value_name = "S", default_value_t = 0.0, value_parser = quantity(0.0..=1.0, ""))]
    noise: f64,
    /// Maximum length of an episode, in steps of 0.1 s (default: set by the task)
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u32>::new().range(1..=1_000_000))]
    max_steps: Option<u32>,
    /// Time step of the simulation, s
    #[arg(long, value_name = "S", default_value_t = 0.002, value_parser = quantity(1e-4..=0.01, "s"))]
    step: f64,
    /// Distance between soil nodes, m
    #[arg(long, value_name = "M", default_value_t = 0.05, value_parser = quantity(0.01..=0.2, "m"))]
    spacing: f64,
    /// Keep the episodes in the folder .episodes, so that more --episodes drive only the new ones
    /// (default: delete them)
    #[arg(long)]
    keep_episodes: bool,
    /// Number of threads (default: number of CPU cores)
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,
    /// Print JSON instead of a summary line
    #[arg(long)]
    json: bool,
}

/// Policy that drives.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum PolicyName {
    /// Expert policy of the task
    Expert,
    /// Random-walk actions
    Random,
    /// Per episode: expert, random walk, or expert plus random-walk noise
    Mixed,
}

/// File format of the dataset.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatName {
    /// Minari 0.5
    Minari,
    /// LeRobot 3.0
    Lerobot,
    /// One table of steps and one of episodes
    Parquet,
    /// One message file per episode
    Mcap,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum TireName {
    Flexible,
    Rigid,
}

/// Returns the name of a value on the command line.
fn name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

impl Dataset {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let interrupted = interruption_signal()?;
        let refused = |error: LearningError| Failure::Input {
            subject: self.task.clone(),
            cause: error.to_string(),
        };
        let task = task(&self.task).map_err(refused)?;
        let limit = self.max_steps.unwrap_or(task.max_steps());
        // checked before any file is created in the folder
        let levels = Levels::new(task, self.options()).map_err(refused)?;
        let asked = self.request(&levels, limit);
        let pieces = match PartialDataset::begin(&self.out, &asked, self.keep_episodes)? {
            DatasetState::Complete(manifest) => return self.print_summary(&manifest, 0),
            DatasetState::Partial(pieces) => pieces,
        };
        let vehicles = asked.vehicles();
        let whole = |drive: u64| (0..vehicles).all(|n| pieces.has(drive * vehicles + n));
        let missing: Vec<u64> = (0..self.episodes).filter(|drive| !whole(*drive)).collect();
        let bar = progress_bar(self.episodes, "episodes driven", quiet);
        bar.set_position(self.episodes - missing.len() as u64);
        let driver =
            EpisodeRunner { pieces: &pieces, levels: Arc::new(levels), limit, asked: &self };
        driver.drive(&missing, &bar, &interrupted)?;
        bar.finish_and_clear();
        let bar = progress_bar(asked.pieces(), "episodes written", quiet);
        let manifest = dataset::write(&self.out, self.format.into(), &asked, &pieces, &mut || {
            bar.inc(1);
            !interrupted.load(Ordering::Relaxed)
        });
        bar.finish_and_clear();
        let manifest = manifest.map_err(|error| match error {
            ReportError::Interrupted => self.interrupted(),
            error => error.into(),
        })?;
        if !self.keep_episodes {
            pieces.discard()?;
        }
        self.print_summary(&manifest, missing.len())
    }

    fn interrupted(&self) -> Failure {
        Failure::FolderInterrupted { folder: self.out.clone() }
    }

    fn options(&self) -> Options {
        Options {
            vehicle: self.vehicle.clone(),
            vehicles: self.vehicles,
            flexible_tires: self.tire.map(|tire| tire == TireName::Flexible),
            inflation_kpa: self.inflation_kpa,
            soil: self.soil.clone(),
            difficulty: self.difficulty,
            levels: self.levels,
            first_level: self.first_level,
            map: self.map,
            image: self.image,
            lidar: self.lidar,
            soil_visible: self.soil_visible,
            noise: self.noise,
            step: Some(self.step),
            spacing: Some(self.spacing),
            ..Options::default()
        }
    }

    /// Returns all settings that determine the dataset.
    fn request(&self, levels: &Levels, max_steps: u32) -> DatasetRequest {
        // the number of vehicles is recorded even if it was not specified
        let several = levels.agents() > 1;
        let vehicles = several.then_some(levels.agents() as u32);
        let options = match serde_json::to_value(Options { vehicles, ..levels.options().clone() }) {
            Ok(Value::Object(map)) => {
                map.into_iter().filter(|(_, value)| !value.is_null()).collect()
            }
            _ => Map::new(),
        };
        DatasetRequest {
            task: self.task.clone(),
            policy: name(&self.policy),
            episodes: self.episodes,
            format: name(&self.format),
            seed: self.seed,
            max_steps,
            options,
            version: String::new(),
            source: String::new(),
        }
        .with_build()
    }

    /// Prints the content of the dataset, including the number of new episodes, `driven`.
    fn print_summary(&self, manifest: &DatasetManifest, driven: usize) -> Result<(), Failure> {
        let mut endings: BTreeMap<&str, usize> = BTreeMap::new();
        for episode in &manifest.episodes {
            *endings.entry(&episode.ending).or_default() += 1;
        }
        let bytes: u64 = manifest.files.iter().map(|file| file.bytes).sum();
        let episodes = manifest.episodes.len();
        if self.json {
            let total: f64 = manifest.episodes.iter().map(|episode| episode.total).sum();
            return stdout::print_json(&json!({
                "folder": self.out,
                "episodes": episodes,
                "driven": driven,
                "steps": manifest.steps,
                "mean_return": total / episodes.max(1) as f64,
                "endings": endings,
                "files": manifest.files.len(),
                "bytes": bytes,
            }));
        }
        let ends: Vec<String> =
            endings.iter().map(|(ending, count)| format!("{count} {ending}")).collect();
        let was = if driven == 0 { "was already complete" } else { "is complete" };
        stdout::print(&format!(
            "{} {was}: {episodes} episodes of {}, {} steps, {:.1} MB; endings: {}",
            self.out.display(),
            self.task,
            manifest.steps,
            bytes as f64 / 1e6,
            ends.join(", ")
        ))
    }
}

/// Driver of the missing episodes.
struct EpisodeRunner<'a> {
    pieces: &'a PartialDataset,
    levels: Arc<Levels>,
    limit: u32,
    asked: &'a Dataset,
}

impl EpisodeRunner<'_> {
    /// Drives the episodes with these numbers, and stores each when it is complete.
    fn drive(
        &self,
        numbers: &[u64],
        bar: &ProgressBar,
        interrupted: &AtomicBool,
    ) -> Result<(), Failure> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.asked.threads.unwrap_or(cores);
        let pool = Workers::new(threads);
        pool.install(|| {
            numbers.par_iter().with_max_len(1).try_for_each(|&drive| {
                if interrupted.load(Ordering::Relaxed) {
                    return Err(self.asked.interrupted());
                }
                self.one(drive)?;
                bar.inc(1);
                Ok(())
            })
        })
    }

    /// Runs one drive, and stores an episode for each vehicle.
    fn one(&self, drive: u64) -> Result<(), Failure> {
        let seed = Episode::seed(self.asked.seed, drive);
        let policy = self.asked.policy.into();
        let driven = Episode::drive(&self.levels, policy, seed, self.limit);
        let driven = driven.map_err(|error| Failure::Run {
            subject: format!("episode {drive}"),
            cause: error.to_string(),
        })?;
        let first = drive * driven.len() as u64;
        for (number, driven) in (first..).zip(driven) {
            self.pieces.put(&columns::episode_columns(number, driven, &self.levels))?;
        }
        Ok(())
    }
}

impl From<PolicyName> for Policy {
    fn from(by: PolicyName) -> Policy {
        match by {
            PolicyName::Expert => Policy::Expert,
            PolicyName::Random => Policy::Random,
            PolicyName::Mixed => Policy::Mixed,
        }
    }
}

impl From<FormatName> for DatasetFormat {
    fn from(format: FormatName) -> DatasetFormat {
        match format {
            FormatName::Minari => DatasetFormat::Minari,
            FormatName::Lerobot => DatasetFormat::Lerobot,
            FormatName::Parquet => DatasetFormat::Parquet,
            FormatName::Mcap => DatasetFormat::Mcap,
        }
    }
}
