//! `bekker-bench sensors`

use super::graphics::Graphics;
use super::{Failure, print, print_json};
#[cfg(feature = "gpu")]
use crate::gpu_cost::{GpuCost, gpu_cost};
use crate::rendering::{GroundRays, SceneCost, WoodScan, ground_rays, scene_cost, wood_scan};
use bekker_report::write_file;
use clap::Args;
use comfy_table::{Table, presets};
use serde::Serialize;
use std::path::PathBuf;

/// Measure what cameras and lidars cost: rays a second, scans, pictures, updates
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker-bench sensors\n  \
    bekker-bench sensors --export /tmp/rays --json\n\n\
    With --export, the grounds and rays go to FOLDER/512 and FOLDER/2048, where\n\
    scripts/embree_rays.c reads them to cast the same rays.")]
pub struct BenchSensors {
    /// Folder for the grounds and rays
    #[arg(long, value_name = "FOLDER")]
    export: Option<PathBuf>,
    #[command(flatten)]
    graphics: Graphics,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Results {
    ground: Vec<GroundRays>,
    scene: SceneCost,
    wood: WoodScan,
    #[cfg(feature = "gpu")]
    gpu: Option<GpuCost>,
}

impl BenchSensors {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let say = |what: &str| {
            if !quiet {
                eprintln!("{what} ...");
            }
        };
        let mut ground = Vec::new();
        for (spacing, side) in [(0.25, 512), (0.05, 2048)] {
            say(&format!("bare ground at {} cm", 100.0 * spacing));
            let (cost, exported) = ground_rays(spacing, side)?;
            ground.push(cost);
            if let Some(folder) = &self.export {
                let folder = folder.join(side.to_string());
                std::fs::create_dir_all(&folder)
                    .map_err(|cause| format!("{}: cannot write: {cause}", folder.display()))?;
                write_file(&folder.join("ground.bin"), &exported.ground_bytes())?;
                write_file(&folder.join("rays.bin"), &exported.ray_bytes())?;
            }
        }
        say("20 vehicles, 500 trees, ruts");
        let scene = scene_cost()?;
        say("a random world");
        let wood = wood_scan()?;
        #[cfg(feature = "gpu")]
        let gpu = match self.graphics.gpu(quiet)? {
            Some(gpu) => {
                say("the same scene with 1 to 64 cameras on the GPU");
                Some(gpu_cost(gpu)?)
            }
            None => None,
        };
        #[cfg(not(feature = "gpu"))]
        self.graphics.gpu()?;
        let results = Results {
            ground,
            scene,
            wood,
            #[cfg(feature = "gpu")]
            gpu,
        };
        if self.json { print_json(&results) } else { print(&results.text()) }
    }
}

impl Results {
    fn text(&self) -> String {
        let mut ground = Table::new();
        ground.load_style(presets::NOTHING);
        ground.set_header(["64 x 1024 lidar on bare ground", "million rays/s", "build, s", "MB"]);
        for cost in &self.ground {
            ground.add_row([
                format!(
                    "{} cm, {:.0} % hit",
                    100.0 * cost.spacing,
                    100.0 * cost.hits as f64 / cost.rays as f64
                ),
                format!("{:.2}", 1e-6 * cost.rate),
                format!("{:.2}", cost.build),
                format!("{:.0}", 1e-6 * cost.bytes as f64),
            ]);
        }
        let SceneCost { moving, place, dirty, update, scan, points, one_ray, picture } =
            &self.scene;
        let mut scene = Table::new();
        scene.load_style(presets::NOTHING);
        scene.set_header(["20 vehicles, 500 trees, ruts", "ms"]);
        let mut row = |what: String, time: &f64| {
            scene.add_row([what, format!("{:.2}", 1e3 * time)]);
        };
        row(format!("place {moving} moving instances"), place);
        row(format!("update {dirty} changed tiles"), update);
        row(format!("OS2-64 scan, {points} points, one thread"), scan);
        row("the same scan with one ray per beam (rays = \"one\")".into(), one_ray);
        row("640 x 360 image with shadows, one thread".into(), &picture[0]);
        row("640 x 360 image with shadows, two threads".into(), &picture[1]);
        let WoodScan { scan, one_ray, points } = &self.wood;
        row("random world of 250 trees, OS2-64 scan from the hood, one thread".into(), scan);
        row(format!("the same scan with one ray per beam, {points} points"), one_ray);
        let text = format!("{}\n\n{}", ground.trim_fmt(), scene.trim_fmt());
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            return format!("{text}\n\n{}", gpu_text(gpu));
        }
        text
    }
}

#[cfg(feature = "gpu")]
fn gpu_text(gpu: &GpuCost) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["640 x 360 cameras", "changed tiles", "total ms", "images/s"]);
    for frame in &gpu.frames {
        table.add_row([
            frame.cameras.to_string(),
            frame.dirty.to_string(),
            format!("{:.2}", 1e3 * frame.time),
            format!("{:.0}", frame.rate),
        ]);
    }
    let software = if gpu.software { " (software renderer on the CPU)" } else { "" };
    format!(
        "{}{software}: ground sent in {:.0} ms, OS2-64 rays {:.2} million/s\n{}",
        gpu.name,
        1e3 * gpu.first,
        1e-6 * gpu.rays,
        table.trim_fmt()
    )
}
