//! What a run leaves in its folder.

use super::drive::CHECKPOINT;
use super::{Failure, heartbeats};
use crate::grid::Node;
use crate::report::geotiff::{Georeference, RutNode, System, write_ruts};
use crate::report::manifest::{self, Build, FileHash, Machine, Manifest};
use crate::report::picture::{self, Fact, Scene, Size, Track};
use crate::report::{ReportError, states};
use crate::scenario::ScenarioFile;
use crate::scenario::build::Built;
use crate::scenario::config::StateFormat;
use crate::simulation::{BeatFigures, RunSummary, Sample, World};
use crate::terrain::{Placement, Unit};
use std::path::Path;

/// Largest raster of ruts, cells; beyond, cells are merged and that is said.
const RASTER_CELLS: u64 = 400_000_000;

/// A run at its end, to be written down.
pub struct Results<'a> {
    /// The scenario's file as it was named.
    pub path: &'a Path,
    /// Whether a picture may be drawn.
    pub picture: bool,
    /// Whether a timeline is written.
    pub trace: bool,
    pub file: &'a ScenarioFile,
    pub built: &'a Built,
    pub folder: &'a Path,
    pub world: &'a World,
    pub samples: &'a [Sample],
    pub hashes: &'a [heartbeats::HashRow],
    pub figures: &'a [Vec<BeatFigures>],
    /// Files of the sensors, written on the way.
    pub recorded: &'a [String],
    pub summary: &'a RunSummary,
}

impl Results<'_> {
    /// Writes all files of the run folder but the checkpoint.
    pub fn write(&self) -> Result<(), Failure> {
        let output = &self.file.scenario.output;
        let names: Vec<&str> =
            self.file.scenario.vehicle.iter().map(|vehicle| vehicle.name.as_str()).collect();
        let mut files = vec![CHECKPOINT];
        files.extend(self.recorded.iter().map(String::as_str));
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
        if output.picture.draw && self.picture {
            files.push("picture.png");
            self.draw()?;
        }
        files.push("hashes.csv");
        heartbeats::write_hashes(&self.folder.join("hashes.csv"), self.hashes, &names)?;
        if self.figures.len() > 1 {
            files.push("heartbeats.csv");
            heartbeats::write_figures(&self.folder.join("heartbeats.csv"), self.figures)?;
        }
        if self.trace {
            files.push("trace.json");
            heartbeats::write_trace(&self.folder.join("trace.json"), self.figures)?;
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

    fn draw(&self) -> Result<(), Failure> {
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
        let lost = vehicles.iter().filter(|vehicle| vehicle.outcome.code.is_loss()).count();
        let farthest = vehicles.iter().map(|vehicle| vehicle.distance).fold(0.0, f64::max);
        let scenario = &self.file.scenario;
        let fact = |value: String, label: &str| Fact { value, label: label.into() };
        let scene = Scene {
            title: scenario.name.clone(),
            subtitle: scenario.description.clone(),
            facts: vec![
                fact(format!("{:.0} cm", 100.0 * deepest), "deepest wheel"),
                fact(format!("{farthest:.0} m"), "farthest"),
                fact(format!("{lost} of {}", vehicles.len()), "lost on the way"),
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
        let inputs = std::iter::once(self.path)
            .chain(self.built.inputs.iter().map(|input| input.path.as_path()))
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
