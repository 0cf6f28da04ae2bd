//! Output files of a run.

use super::Failure;
use super::drive::CHECKPOINT;
use super::planned_routes::{PlannedRoutes, with_drawn_ground};
use crate::ground::nearest_sinkage;
use crate::report::geotiff::{Georeference, RutNode, rut_nodes, write_ruts};
use crate::report::manifest::{self, Build, FileHash, Machine, Manifest, RunStatus};
use crate::report::picture::{self, Size};
use crate::report::readme::readme;
use crate::report::scene::{Caption, Highlight, RunScene, SceneTrack, TrackPoint};
use crate::report::{ReportError, input_copies, record_parts, recovery, rundir, write_file};
use crate::scenario::ScenarioFile;
use crate::scenario::build::BuiltWorld;
use crate::simulation::{OutcomeCode, RunSummary, VehicleSummary, World};
use crate::terrain::{Crs, Raster, write_geotiff};
use std::path::Path;

/// Maximum number of cells of the rut raster; beyond it, cells are merged and a note is printed.
const RASTER_CELLS: u64 = 400_000_000;

/// Margin around the driven paths for the raster of undisturbed ground, m.
const AROUND: f64 = 20.0;
/// Maximum number of cells along the longer side of that raster.
const SIDE: f64 = 512.0;
/// Minimum cell size of that raster, m.
const FINEST: f64 = 0.25;

/// An ended run, to be written to its folder.
pub struct RunFiles<'a> {
    /// Whether a picture may be drawn.
    pub picture: bool,
    pub file: &'a ScenarioFile,
    pub built: &'a BuiltWorld,
    pub folder: &'a Path,
    pub world: &'a World,
    /// Path of each vehicle.
    pub tracks: &'a [Vec<TrackPoint>],
    /// Positions of collisions, m.
    pub hits: &'a [[f64; 2]],
    /// Names of the files written during the run.
    pub recorded: &'a [String],
    pub summary: &'a RunSummary,
    /// The manifest written at the start of the run.
    pub begun: &'a Manifest,
    /// Whether a signal ended the run.
    pub interrupted: bool,
}

impl RunFiles<'_> {
    /// Writes all files of the run folder except the checkpoint.
    pub fn write(&self) -> Result<(), Failure> {
        let output = &self.file.scenario.output;
        let mut files = vec![CHECKPOINT, README, input_copies::SCENARIO];
        files.extend(self.recorded.iter().map(String::as_str));
        let draws = output.picture.draw && self.picture;
        let nodes = if output.ruts || draws { rut_nodes(self.world) } else { Vec::new() };
        if output.ruts && self.ruts(&nodes)? {
            files.push("ruts.tif");
        }
        if self.terrain()? {
            files.push("terrain.tif");
        }
        if draws {
            files.push("picture.png");
            self.draw(&nodes)?;
        }
        files.push("summary.json");
        manifest::write_json(&self.folder.join("summary.json"), self.summary)?;
        self.manifest(&files)?;
        Ok(())
    }

    fn ruts(&self, nodes: &[RutNode]) -> Result<bool, Failure> {
        let lattice = self.world.model().ground.lattice();
        let georeference = Georeference::from_placement(self.built.placement.as_ref());
        let path = self.folder.join("ruts.tif");
        let raster = write_ruts(&path, nodes, lattice, &georeference, RASTER_CELLS)?;
        if let Some(raster) = &raster
            && raster.coarsened > 1
        {
            eprintln!(
                "note: ruts.tif: coarsened to cells of {} m ({} nodes per side) to stay within {} \
                 cells",
                raster.cell, raster.coarsened, RASTER_CELLS
            );
        }
        Ok(raster.is_some())
    }

    /// Writes the undisturbed ground around the driven paths; returns whether there is any.
    fn terrain(&self) -> Result<bool, Failure> {
        let terrain = self.world.model().ground.terrain();
        let places = self.tracks.iter().flatten().map(|point| point.position);
        let places = places.filter(|place| place.iter().all(|x| x.is_finite()));
        let around = places.fold(None, |bounds: Option<[f64; 4]>, [x, y]| {
            let [west, south, east, north] = bounds.unwrap_or([x, y, x, y]);
            Some([west.min(x), south.min(y), east.max(x), north.max(y)])
        });
        let Some([west, south, east, north]) = around else { return Ok(false) };
        let whole = terrain.bounds();
        let low = [(west - AROUND).max(whole[0]), (south - AROUND).max(whole[1])];
        let high = [(east + AROUND).min(whole[2]), (north + AROUND).min(whole[3])];
        let [width, height] = [0, 1].map(|k| high[k] - low[k]);
        let cell = (width.max(height) / SIDE).max(FINEST);
        let count = |length: f64| ((length / cell).floor() as usize).max(1);
        let (columns, rows) = (count(width), count(height));
        if columns < 2 || rows < 2 {
            return Ok(false);
        }
        let south_west = low.map(|edge| edge + 0.5 * cell);
        let row = |row: usize| {
            let y = south_west[1] + (rows - 1 - row) as f64 * cell;
            let x = move |column: usize| south_west[0] + column as f64 * cell;
            (0..columns).map(move |column| terrain.height(x(column), y))
        };
        let values = (0..rows).flat_map(row).collect();
        let raster =
            Raster { columns, rows, south_west, cell: [cell; 2], values, crs: Crs::local() };
        let placement = self.built.placement.as_ref();
        let raster = placement.map_or(raster.clone(), |placement| placement.georeference(&raster));
        let path = self.folder.join("terrain.tif");
        let bytes = write_geotiff(&raster).map_err(|error| Failure::input(&path, &error))?;
        write_file(&path, &bytes)?;
        Ok(true)
    }

    fn draw(&self, nodes: &[RutNode]) -> Result<(), Failure> {
        let ground = &self.world.model().ground;
        let published = &self.world.state().published;
        let lattice = ground.lattice();
        let rut = |x: f64, y: f64| nearest_sinkage(ground, published, x, y);
        let vehicles = &self.summary.vehicles;
        let farthest = vehicles.iter().map(|vehicle| vehicle.distance).fold(0.0, f64::max);
        let scenario = &self.file.scenario;
        let fact = |value: String, label: &str| Highlight { value, label: label.into() };
        let planned = PlannedRoutes::new(self.file, self.built);
        let head = planned.routes.routes.first();
        let profile = head.map(|way| (way.vehicles[0], planned.profile(way, None)));
        let [width, height] = scenario.output.picture.size;
        let path = self.folder.join("picture.png");
        with_drawn_ground(self.world.model(), &planned, self.built, |land| {
            let scene = RunScene {
                caption: Caption {
                    title: scenario.name.clone(),
                    subtitle: scenario.description.clone(),
                    facts: vec![
                        match &self.summary.exploration {
                            Some(found) if found.holes > 0 => {
                                let share = format!("{} of {}", found.holes_detected, found.holes);
                                fact(share, "holes detected")
                            }
                            // of the same nodes as the color bar and the inset
                            _ => fact(picture::rut_depth(nodes), "deepest rut"),
                        },
                        fact(format!("{farthest:.0} m"), "farthest"),
                        stopped(vehicles),
                    ],
                    footer: format!(
                        "bekker {}, {} s simulated, state {}",
                        env!("CARGO_PKG_VERSION"),
                        self.summary.simulated,
                        &self.summary.state_hash[..16]
                    ),
                },
                land,
                rut: &rut,
                spacing: lattice.spacing,
                nodes,
                ways: planned.lines(),
                profile,
                tracks: vehicles
                    .iter()
                    .zip(self.tracks)
                    .map(|(vehicle, points)| SceneTrack::new(points.clone(), vehicle))
                    .collect(),
                hits: self.hits.to_vec(),
                blocked: self.world.blocked_cells(),
            };
            picture::write(&path, &scene, Size { width, height })
        })?;
        Ok(())
    }

    fn manifest(&self, files: &[&str]) -> Result<(), Failure> {
        let mut outputs = files
            .iter()
            .map(|name| FileHash::read(&self.folder.join(name), name))
            .collect::<Result<Vec<_>, ReportError>>()?;
        // copies of inputs are verified like outputs
        outputs.extend(self.begun.inputs.iter().filter_map(|input| {
            let copy = input.copy.clone()?;
            Some(FileHash { path: copy, copy: None, ..input.clone() })
        }));
        let status = if self.interrupted { RunStatus::Interrupted } else { RunStatus::Complete };
        let manifest = Manifest {
            status,
            last_tick: self.world.state().tick,
            simulated_s: self.summary.simulated,
            wall_s: self.summary.wall,
            state_hash: self.summary.state_hash.clone(),
            outputs,
            ..self.begun.clone()
        };
        manifest::write(&self.folder.join(MANIFEST), &manifest)?;
        Ok(())
    }
}

/// Name of the file that lists a run's inputs and outputs.
pub const MANIFEST: &str = "manifest.json";
const README: &str = "README.md";

/// Writes the manifest of a run before it starts, and returns it.
///
/// It contains all that is needed to resume or repeat the run, even if the folder is moved.
pub fn begin(
    folder: &Path,
    path: &Path,
    file: &ScenarioFile,
    built: &BuiltWorld,
    first_tick: u64,
    resumes: bool,
) -> Result<Manifest, Failure> {
    // a resumed run keeps the inputs of its first part
    let before = resumes.then(|| manifest::read(&folder.join(MANIFEST))).transpose()?;
    if resumes {
        recovery::remove_later_checkpoints(folder, first_tick)?;
        record_parts::remove_from_tick(folder, first_tick)?;
    }
    let (inputs, first_tick) = match before {
        Some(before) => (before.inputs, before.first_tick),
        None => {
            rundir::clear(folder)?;
            // the path must lead to the files that the scenario references relatively
            let named = file.folder.join(path.file_name().unwrap_or_default());
            let own = FileHash::read(path, &named.display().to_string())?;
            let kept = input_copies::copy_inputs(folder, &file.inputs)?;
            for large in kept.iter().filter(|input| input.copy.is_none()) {
                let (path, size) = (&large.path, large.bytes >> 20);
                eprintln!(
                    "warning: {path} ({size} MiB) is not copied to the run folder; a replay \
                    needs it at this path"
                );
            }
            (std::iter::once(own).chain(kept).collect(), first_tick)
        }
    };
    input_copies::write_scenario(folder, &file.scenario, &file.folder, &inputs)?;
    write_file(&folder.join(README), readme(&file.scenario).as_bytes())?;
    let manifest = Manifest {
        format: manifest::FORMAT,
        status: RunStatus::Running,
        build: Build::current(),
        machine: Machine::current(),
        config: serde_json::to_value(&file.scenario).unwrap_or_default(),
        seed: file.scenario.seed,
        determinism: "bit-exact".into(),
        threads: rayon::current_num_threads(),
        decisive: built.decisive.lines().map(str::to_owned).collect(),
        inputs,
        first_tick,
        last_tick: first_tick,
        simulated_s: 0.0,
        wall_s: 0.0,
        state_hash: String::new(),
        outputs: Vec::new(),
    };
    manifest::write(&folder.join(MANIFEST), &manifest)?;
    Ok(manifest)
}

/// Number of vehicles that were lost, by reason.
fn stopped(vehicles: &[VehicleSummary]) -> Highlight {
    let mut kinds: Vec<(OutcomeCode, usize)> = Vec::new();
    for code in vehicles.iter().map(|vehicle| vehicle.outcome.code).filter(|code| code.is_loss()) {
        match kinds.iter_mut().find(|(own, _)| *own == code) {
            Some((_, count)) => *count += 1,
            None => kinds.push((code, 1)),
        }
    }
    let count: usize = kinds.iter().map(|(_, count)| count).sum();
    let label = match &kinds[..] {
        [] => "lost".into(),
        [(kind, _)] => kind.words().into(),
        several => {
            several.iter().map(|(k, n)| format!("{n} {}", k.words())).collect::<Vec<_>>().join(", ")
        }
    };
    Highlight { value: format!("{count} of {}", vehicles.len()), label }
}
