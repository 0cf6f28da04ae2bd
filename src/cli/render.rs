//! `bekker render`

use super::drive::CHECKPOINT;
use super::graphics::Graphics;
use super::quantity::quantity;
use super::{Failure, destination, recorded_run, stdout};
use crate::report::manifest::{self, FileHash};
use crate::report::shot::{Shot, ShotError, Viewpoint};
use crate::report::{check_writable, photograph};
use crate::scenario::build::{BuiltWorld, scene_model, world};
use crate::scenario::{ScenarioFile, input};
use crate::sensor::camera::{Image, ImageRequest};
use crate::sensor::scene::Scene;
use crate::simulation::{SceneModel, World, checkpoint};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Draw a scenario at a given time, or a run at its last checkpoint
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker render examples/mixed_convoy.toml --time 8\n  \
    bekker render --run runs/convoy_mud-1 --camera top --out ruts.png\n  \
    bekker render examples/tracked_mud.toml --time 5 --from=-8,6,3 --to=4,0,0 --fov-deg 60\n\n\
    A run folder is shown at its last checkpoint.")]
pub struct Render {
    /// Scenario file (.toml)
    #[arg(required_unless_present = "run")]
    file: Option<PathBuf>,
    /// Override a value of the scenario; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Run folder, instead of a scenario
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["file", "sets", "time"])]
    run: Option<PathBuf>,
    /// Simulated time of the picture, s
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, allow_negative_numbers = true,
          value_parser = quantity(0.0..=604_800.0, "s"))]
    time: f64,
    /// Camera position relative to the vehicle
    #[arg(long, value_enum, default_value = "chase")]
    camera: CameraView,
    /// Vehicle that the camera follows, by name (default: the first)
    #[arg(long, value_name = "NAME")]
    vehicle: Option<String>,
    /// Camera position, m, instead of --camera
    #[arg(long, value_name = "X,Y,Z", value_parser = super::terrain::numbers::<3>, allow_hyphen_values = true)]
    from: Option<[f64; 3]>,
    /// Point that the camera looks at, m (default: the vehicle)
    #[arg(long, value_name = "X,Y,Z", value_parser = super::terrain::numbers::<3>, allow_hyphen_values = true)]
    to: Option<[f64; 3]>,
    /// Horizontal field of view, degrees
    #[arg(long, value_name = "DEGREES", default_value_t = 55.0, allow_negative_numbers = true,
          value_parser = quantity(0.1..=170.0, "deg"))]
    fov_deg: f64,
    /// Picture size, pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = size)]
    size: (u32, u32),
    /// Rays along each side of a pixel
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=16))]
    supersample: u32,
    #[command(flatten)]
    graphics: Graphics,
    /// Picture to write (default: render.png, or render-2.png and so on if it exists)
    #[arg(long, value_name = "FILE.png", value_parser = destination::png)]
    out: Option<PathBuf>,
}

/// Positions of a camera that follows a vehicle.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum CameraView {
    /// Behind the vehicle and to its left.
    Chase,
    /// Ahead of the vehicle, looking back.
    Front,
    /// Next to the vehicle.
    Side,
    /// Driver's view.
    Driver,
    /// Above the vehicle, looking straight down.
    Top,
    /// High above the scene.
    Bird,
}

impl From<CameraView> for Viewpoint {
    fn from(view: CameraView) -> Viewpoint {
        match view {
            CameraView::Chase => Viewpoint::Chase,
            CameraView::Front => Viewpoint::Front,
            CameraView::Side => Viewpoint::Side,
            CameraView::Driver => Viewpoint::Driver,
            CameraView::Top => Viewpoint::Top,
            CameraView::Bird => Viewpoint::Bird,
        }
    }
}

impl From<ShotError> for Failure {
    fn from(error: ShotError) -> Failure {
        Failure::Input { subject: "picture".into(), cause: error.to_string() }
    }
}

/// Maximum number of pixels of a picture, 4096 x 4096.
const MOST_PIXELS: u64 = 1 << 24;
/// Maximum number of rays of a picture.
const MOST_RAYS: u64 = 1 << 28;

fn size(text: &str) -> Result<(u32, u32), String> {
    let parts: Option<(Option<u32>, Option<u32>)> =
        text.split_once('x').map(|(w, h)| (w.parse().ok(), h.parse().ok()));
    match parts {
        Some((Some(w), Some(h)))
            if w > 0 && h > 0 && u64::from(w) * u64::from(h) <= MOST_PIXELS =>
        {
            Ok((w, h))
        }
        _ => Err(format!(
            "must be WIDTHxHEIGHT, such as 1280x720, with at most {MOST_PIXELS} pixels in total"
        )),
    }
}

/// Renders the picture, on the graphics card of the scene model if it has one.
#[cfg(feature = "gpu")]
fn picture(
    scene_model: &SceneModel,
    scene: &Scene<'_>,
    take: &ImageRequest<'_>,
) -> Result<Image, Failure> {
    use crate::gpu::{GpuError, GpuRenderer, SceneConstants};
    let Some(gpu) = &scene_model.gpu else { return Ok(take.image(scene)) };
    let taken = || {
        let props = SceneConstants::new(gpu, scene)?;
        let mut renderer = GpuRenderer::new(gpu.clone(), props.into())?;
        renderer.render_images(scene, &[*take])?.pop().ok_or(GpuError::Nothing)
    };
    taken().map_err(|error| Failure::Run { subject: "--gpu".into(), cause: error.to_string() })
}

/// Renders the picture.
#[cfg(not(feature = "gpu"))]
fn picture(_: &SceneModel, scene: &Scene<'_>, take: &ImageRequest<'_>) -> Result<Image, Failure> {
    Ok(take.image(scene))
}

impl Render {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let pixels = u64::from(self.size.0) * u64::from(self.size.1);
        if pixels * u64::from(self.supersample).pow(2) > MOST_RAYS {
            let allowed = format!("smaller for {pixels} pixels: at most {MOST_RAYS} rays in total");
            let value = self.supersample.to_string();
            return Err(Failure::Usage { argument: "--supersample", value, allowed });
        }
        let out = self.out.clone().unwrap_or_else(|| destination::numbered("render.png"));
        check_writable(&out)?;
        let (file, built, mut world) = self.world()?;
        let steps = (self.time / world.model().clock.step()).round() as u64;
        while world.state().tick < steps && world.is_running() {
            world.advance();
        }
        let agents = &world.model().agents;
        let vehicle = match &self.vehicle {
            None => 0,
            Some(name) => agents.iter().position(|agent| agent.name == *name).ok_or_else(|| {
                let names: Vec<String> =
                    agents.iter().map(|own| format!("{:?}", own.name)).collect();
                let allowed = format!("the name of a vehicle: {}", names.join(", "));
                Failure::Usage { argument: "--vehicle", value: name.clone(), allowed }
            })?,
        };
        let shot = Shot {
            viewpoint: self.from.map_or(self.camera.into(), Viewpoint::From),
            target: self.to,
            vehicle,
            field: self.fov_deg.to_radians(),
            size: self.size,
            supersample: self.supersample,
            coarse: false,
        };
        let mut scene_model =
            scene_model(&file, &built.world, &built.meshes, built.random.as_ref());
        self.graphics.set_up_gpu(&mut scene_model, quiet)?;
        let image = shot.take_with(&scene_model, &world, file.scenario.seed, picture)?;
        photograph::write(&out, &image)?;
        if !quiet {
            stdout::print(&format!("{} at {} s", out.display(), world.time()))?;
        }
        Ok(())
    }

    fn world(&self) -> Result<(ScenarioFile, BuiltWorld, World), Failure> {
        let Some(run) = &self.run else {
            let path = self.file.as_deref().unwrap_or(Path::new(""));
            let file = ScenarioFile::read(path, &self.sets)?;
            let built = world(&file)?;
            let world = World::new(built.world.clone());
            return Ok((file, built, world));
        };
        let (manifest, file) = recorded_run::read(run, &[])?;
        recorded_run::warn_of_edits(run, &manifest, &file);
        let built = world(&file)?;
        let path = run.join(CHECKPOINT);
        // only the checkpoint at the end of the run; another one would show another time or drive
        let listed: Vec<FileHash> =
            manifest.outputs.iter().filter(|own| own.path == CHECKPOINT).cloned().collect();
        if let Some(cause) = manifest::differences(run, &listed) {
            return Err(Failure::Run { subject: path.display().to_string(), cause });
        }
        let bytes = input::read(&path, input::LARGEST_BINARY)
            .map_err(|error| Failure::input(&path, &error))?;
        let state = checkpoint::decode(&built.world, &built.decisive, &bytes)
            .map_err(|error| Failure::input(&path, &error))?;
        let world = World::resume(built.world.clone(), state)
            .map_err(|error| Failure::input(&path, &error))?;
        Ok((file, built, world))
    }
}
