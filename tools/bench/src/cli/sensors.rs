//! `bekker-bench sensors`

use super::{Failure, print_results};
#[cfg(feature = "gpu")]
use crate::gpu_cost::{GpuCost, gpu_cost};
use crate::rendering::{GroundRays, SceneCost, WoodScan, ground_rays, scene_cost, wood_scan};
use bekker::cli::graphics::Graphics;
use bekker_report::{text_table, write_file};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// Measure the cost of cameras and lidars: rays per second, scans, images, updates
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker-bench sensors\n  \
    bekker-bench sensors --export /tmp/rays --json\n\n\
    With --export, the grounds and rays go to FOLDER/512 and FOLDER/2048, where\n\
    scripts/embree_rays.c reads them to cast the same rays.")]
pub struct BenchSensors {
    /// Folder for exported grounds and rays
    #[arg(long, value_name = "FOLDER")]
    export: Option<PathBuf>,
    #[command(flatten)]
    graphics: Graphics,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct SensorResults {
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
        self.graphics.gpu("cargo build --release -p bekker-bench")?;
        let results = SensorResults {
            ground,
            scene,
            wood,
            #[cfg(feature = "gpu")]
            gpu,
        };
        print_results(self.json, &results, || results.text())
    }
}

impl SensorResults {
    fn text(&self) -> String {
        let header = ["64 x 1024 lidar on bare ground", "million rays/s", "build, s", "MB"];
        let rows = self.ground.iter().map(|cost| {
            [
                format!(
                    "{} cm, {:.0} % hit",
                    100.0 * cost.spacing,
                    100.0 * cost.hits as f64 / cost.rays as f64
                ),
                format!("{:.2}", 1e-6 * cost.rate),
                format!("{:.2}", cost.build),
                format!("{:.0}", 1e-6 * cost.bytes as f64),
            ]
        });
        let ground = text_table::plain(header, rows, ..0);
        let SceneCost { moving, place, dirty, update, scan, points, one_ray, picture } =
            &self.scene;
        let wood = &self.wood;
        let rows = [
            (format!("place {moving} moving instances"), *place),
            (format!("update {dirty} changed tiles"), *update),
            (format!("OS2-64 scan, {points} points, one thread"), *scan),
            ("the same scan with one ray per beam (rays = \"one\")".into(), *one_ray),
            ("640 x 360 image with shadows, one thread".into(), picture[0]),
            ("640 x 360 image with shadows, two threads".into(), picture[1]),
            ("random world of 250 trees, OS2-64 scan from the hood, one thread".into(), wood.scan),
            (format!("the same scan with one ray per beam, {} points", wood.points), wood.one_ray),
        ];
        let rows = rows.map(|(what, time)| [what, format!("{:.2}", 1e3 * time)]);
        let scene = text_table::plain(["20 vehicles, 500 trees, ruts", "ms"], rows, ..0);
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
    let rows = gpu.frames.iter().map(|frame| {
        [
            frame.cameras.to_string(),
            frame.dirty.to_string(),
            format!("{:.2}", 1e3 * frame.time),
            format!("{:.0}", frame.rate),
        ]
    });
    let header = ["640 x 360 cameras", "changed tiles", "total ms", "images/s"];
    let table = text_table::plain(header, rows, ..0);
    let software = if gpu.software { " (software renderer on the CPU)" } else { "" };
    format!(
        "{}{software}: ground sent in {:.0} ms, OS2-64 rays {:.2} million/s\n{}",
        gpu.name,
        1e3 * gpu.first,
        1e-6 * gpu.rays,
        table.trim_fmt()
    )
}
