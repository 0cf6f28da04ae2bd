//! `bekker run`

use super::{Failure, stdout};
use crate::grid::Node;
use crate::report::geotiff::{Georeference, RutNode, System, write_ruts};
use crate::report::manifest::{self, Build, FileHash, Machine, Manifest};
use crate::report::picture::{self, Fact, Scene, Size, Track};
use crate::report::progress::Progress;
use crate::report::{ReportError, rundir, states, table, write_file};
use crate::scenario::build::{Built, world};
use crate::scenario::config::StateFormat;
use crate::scenario::{Scenario, ScenarioFile};
use crate::simulation::{Outcome, RunSummary, Sample, World, checkpoint};
use crate::terrain::{Placement, Unit};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Name of the checkpoint in a run's folder.
const CHECKPOINT: &str = "checkpoint.bin";
/// Largest raster of ruts, cells; beyond, cells are merged and that is said.
const RASTER_CELLS: u64 = 400_000_000;

/// Run a scenario
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker run examples/convoy_mud.toml\n  \
    bekker run examples/single_vehicle.toml --set time.duration=5 --out /tmp/try --force\n  \
    bekker run examples/convoy_mud.toml --resume runs/convoy_mud-1\n\n\
    Leaves a folder (runs/NAME-N): manifest.json, states.parquet, states.csv, ruts.tif,\n\
    picture.png, summary.json and checkpoint.bin. Ctrl-C writes a checkpoint and what there\n\
    is of the rest; --resume goes on from it, bit for bit as if it had never stopped.")]
pub struct Run {
    /// The scenario
    file: PathBuf,
    /// Override a value; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Folder for the results, instead of runs/NAME-N
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Write into a folder that holds something already
    #[arg(long)]
    force: bool,
    /// Threads; as many as there are cores if not given. The result is the same.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Go on from the checkpoint in this run folder (or of this name)
    #[arg(long, value_name = "FOLDER")]
    resume: Option<PathBuf>,
    /// Do not draw the picture
    #[arg(long)]
    no_picture: bool,
    /// Print the summary as JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Run {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        if let Some(threads) = self.threads {
            // Fails only if a pool exists already, which would be ours.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
            pool.build_global().map_err(|error| Failure::Input {
                subject: "--threads".into(),
                cause: error.to_string(),
            })?;
        }
        let file = ScenarioFile::read(&self.file, &self.sets)?;
        let built = world(&file)?;
        for warning in &built.warnings {
            eprintln!("warning: {warning}");
        }
        let mut world = self.start(&built)?;
        let folder = self.folder(&file.scenario)?;
        let interrupted = interruption()?;
        let clock = Instant::now();
        let record = drive(&mut world, &file.scenario, quiet, &interrupted);
        let wall = clock.elapsed().as_secs_f64();
        let cut = interrupted.load(Ordering::Relaxed);

        let bytes = checkpoint::encode(&built.fingerprint, world.state());
        write_file(&folder.join(CHECKPOINT), &bytes)?;
        world.publish_all();
        let summary = world.summary(&file.scenario.name, wall);
        let results = Results {
            run: &self,
            file: &file,
            built: &built,
            folder: &folder,
            world: &world,
            samples: &record,
            summary: &summary,
        };
        results.write()?;
        if self.json {
            stdout::print_json(&summary)?;
        } else {
            stdout::print(&table::summary(&summary, table::Look::of_stdout()))?;
            stdout::print(&format!("results in {}", folder.display()))?;
        }
        if cut {
            return Err(Failure::Interrupted { checkpoint: folder.join(CHECKPOINT) });
        }
        failed(&summary)
    }

    fn start(&self, built: &Built) -> Result<World, Failure> {
        let Some(from) = &self.resume else { return Ok(World::new(built.world.clone())) };
        let path = if from.is_dir() { from.join(CHECKPOINT) } else { from.clone() };
        let bytes = std::fs::read(&path).map_err(|error| Failure::input(&path, &error))?;
        let state = checkpoint::decode(&built.fingerprint, &bytes)
            .map_err(|error| Failure::input(&path, &error))?;
        Ok(World::resume(built.world.clone(), state))
    }

    fn folder(&self, scenario: &Scenario) -> Result<PathBuf, Failure> {
        match self.out.as_ref().or(scenario.output.folder.as_ref()) {
            Some(folder) => {
                rundir::create(folder, self.force).map_err(Failure::from)?;
                Ok(folder.clone())
            }
            None => Ok(rundir::create_numbered(Path::new("runs"), &scenario.name)?),
        }
    }
}

/// A flag that Ctrl-C raises.
fn interruption() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = flag.clone();
    ctrlc::set_handler(move || raised.store(true, Ordering::Relaxed))
        .map_err(|error| Failure::Input { subject: "Ctrl-C".into(), cause: error.to_string() })?;
    Ok(flag)
}

/// Drives to the end, or to an interruption, and gathers samples on the way.
fn drive(
    world: &mut World,
    scenario: &Scenario,
    quiet: bool,
    interrupted: &AtomicBool,
) -> Vec<Sample> {
    let heartbeat = world.model().clock.heartbeat();
    let every = (scenario.output.interval / heartbeat).round().max(1.0) as u64;
    let beats = world.model().clock.beats(scenario.time.duration);
    let steps = world.model().clock.steps_per_beat();
    let mut progress = Progress::start(scenario.time.duration, quiet);
    let mut samples: Vec<Sample> = world.samples().collect();
    let mut ended = vec![false; world.state().agents.len()];
    let mut beat = world.state().tick / steps;
    while beat < beats && world.is_running() && !interrupted.load(Ordering::Relaxed) {
        world.beat();
        beat += 1;
        if beat.is_multiple_of(every) {
            samples.extend(world.samples());
        }
        if !quiet {
            note_endings(world, &mut ended, &progress);
        }
        progress.update(world.time());
    }
    progress.finish();
    samples
}

/// Says once of each vehicle that its drive has ended early.
fn note_endings(world: &World, ended: &mut [bool], progress: &Progress) {
    let agents = world.model().agents.iter().zip(&world.state().agents);
    for ((agent, state), noted) in agents.zip(ended) {
        if let (Some(outcome), false) = (&state.outcome, &noted) {
            *noted = true;
            progress.note(&format!("{}: {outcome}", agent.name));
        }
    }
}

/// A vehicle without a finite state makes the run a failure; the others' ways of
/// ending are results.
fn failed(summary: &RunSummary) -> Result<(), Failure> {
    for vehicle in &summary.vehicles {
        if let Outcome::NotFinite { .. } = vehicle.outcome {
            let cause = vehicle.outcome.to_string();
            return Err(Failure::Run { subject: vehicle.name.clone(), cause });
        }
    }
    Ok(())
}

/// A run at its end, to be written down.
struct Results<'a> {
    run: &'a Run,
    file: &'a ScenarioFile,
    built: &'a Built,
    folder: &'a Path,
    world: &'a World,
    samples: &'a [Sample],
    summary: &'a RunSummary,
}

impl Results<'_> {
    fn write(&self) -> Result<(), Failure> {
        let output = &self.file.scenario.output;
        let names: Vec<&str> =
            self.file.scenario.vehicle.iter().map(|vehicle| vehicle.name.as_str()).collect();
        let mut files = vec![CHECKPOINT];
        for format in &output.states {
            match format {
                StateFormat::Parquet => {
                    files.push("states.parquet");
                    let path = self.folder.join("states.parquet");
                    states::write_parquet(&path, self.samples, &names)?;
                }
                StateFormat::Csv => {
                    files.push("states.csv");
                    states::write_csv(&self.folder.join("states.csv"), self.samples, &names)?;
                }
            }
        }
        if output.ruts && self.ruts()? {
            files.push("ruts.tif");
        }
        if output.picture.draw && !self.run.no_picture {
            files.push("picture.png");
            self.picture()?;
        }
        files.push("summary.json");
        manifest::write_json(&self.folder.join("summary.json"), self.summary)?;
        self.manifest(&files)?;
        Ok(())
    }

    /// Depth of every deformed node below the undisturbed ground, m.
    fn depths(&self) -> Vec<RutNode> {
        let published = &self.world.state().published;
        published
            .tiles()
            .flat_map(|(key, tile)| {
                tile.iter().map(move |(index, state)| RutNode {
                    node: key.node(index),
                    depth: state.plastic_sinkage_m() - state.berm_m(),
                })
            })
            .collect()
    }

    fn ruts(&self) -> Result<bool, Failure> {
        let lattice = self.world.model().ground.lattice();
        let georeference = georeference(self.built.placement.as_ref());
        let path = self.folder.join("ruts.tif");
        let raster = write_ruts(&path, &self.depths(), lattice, &georeference, RASTER_CELLS)?;
        if let Some(raster) = &raster
            && raster.coarsened > 1
        {
            eprintln!(
                "ruts.tif: coarsened to cells of {} m, {} nodes a side, to stay within {} cells",
                raster.cell, raster.coarsened, RASTER_CELLS
            );
        }
        Ok(raster.is_some())
    }

    fn picture(&self) -> Result<(), Failure> {
        let ground = &self.world.model().ground;
        let terrain = ground.terrain();
        let published = &self.world.state().published;
        let lattice = ground.lattice();
        let rut = |x: f64, y: f64| {
            let node: Node = lattice.nearest(x, y);
            match published.tile(node.tile()).and_then(|tile| tile.get(node.index())) {
                Some(state) => state.plastic_sinkage_m() - state.berm_m(),
                None => 0.0,
            }
        };
        let vehicles = &self.summary.vehicles;
        let deepest = vehicles.iter().map(|vehicle| vehicle.max_sinkage).fold(0.0, f64::max);
        let stuck = vehicles.iter().filter(|v| matches!(v.outcome, Outcome::Stuck { .. })).count();
        let farthest = vehicles.iter().map(|vehicle| vehicle.distance).fold(0.0, f64::max);
        let scenario = &self.file.scenario;
        let fact = |value: String, label: &str| Fact { value, label: label.into() };
        let scene = Scene {
            title: scenario.name.clone(),
            subtitle: scenario.description.clone(),
            facts: vec![
                fact(format!("{:.0} cm", 100.0 * deepest), "deepest wheel"),
                fact(format!("{farthest:.0} m"), "farthest"),
                fact(format!("{stuck} of {}", vehicles.len()), "stuck"),
            ],
            footer: format!(
                "bekker {}, {} s simulated, state {}",
                env!("CARGO_PKG_VERSION"),
                self.summary.simulated,
                &self.summary.state_hash[..16]
            ),
            height: &|x, y| terrain.height(x, y),
            rut: &rut,
            spacing: lattice.spacing,
            soil: &|x, y| usize::from(terrain.soil(x, y).0),
            soils: ground.soils().iter().map(|soil| soil.name.clone()).collect(),
            bounds: terrain.bounds(),
            tracks: vehicles
                .iter()
                .enumerate()
                .map(|(index, vehicle)| Track::of(self.samples, index, vehicle))
                .collect(),
        };
        let [width, height] = scenario.output.picture.size;
        picture::write(&self.folder.join("picture.png"), &scene, Size { width, height })?;
        Ok(())
    }

    fn manifest(&self, files: &[&str]) -> Result<(), Failure> {
        let scenario = self.run.file.as_path();
        let inputs = std::iter::once(scenario)
            .chain(self.built.inputs.iter().map(PathBuf::as_path))
            .map(|path| FileHash::of(path, &path.display().to_string()))
            .collect::<Result<_, ReportError>>()?;
        let outputs = files
            .iter()
            .map(|name| FileHash::of(&self.folder.join(name), name))
            .collect::<Result<_, ReportError>>()?;
        let manifest = Manifest {
            format: manifest::FORMAT,
            build: Build::current(),
            machine: Machine::current(),
            config: serde_json::to_value(&self.file.scenario).unwrap_or_default(),
            seed: self.file.scenario.seed,
            determinism: "bit-exact".into(),
            threads: rayon::current_num_threads(),
            inputs,
            simulated_s: self.summary.simulated,
            wall_s: self.summary.wall,
            state_hash: self.summary.state_hash.clone(),
            outputs,
        };
        manifest::write(&self.folder.join("manifest.json"), &manifest)?;
        Ok(())
    }
}

fn georeference(placement: Option<&Placement>) -> Georeference {
    match placement {
        None => Georeference::default(),
        Some(placement) => Georeference {
            origin: placement.origin,
            units_per_metre: placement.metres_per_unit.map(|metres| 1.0 / metres),
            system: match (placement.crs.unit, placement.crs.epsg) {
                (Unit::Degree, Some(code)) => System::Geographic(code),
                (Unit::Metre, Some(code)) => System::Projected(code),
                _ => System::Local,
            },
        },
    }
}
