//! `bekker render`

mod video;

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

/// Draw a scenario at a given time, or a run at its last checkpoint, or make a video
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker render examples/mixed_convoy.toml --time 8\n  \
    bekker render --run runs/convoy_mud-1 --camera top --out ruts.png\n  \
    bekker render examples/tracked_mud.toml --time 5 --from=-8,6,3 --to=4,0,0 --fov-deg 60\n  \
    bekker render --run runs/convoy_mud-1 --video convoy.mp4 --time 4 --until 12\n\n\
    A run folder is shown at its last checkpoint. For a video its run is simulated again, bit for\n\
    bit.")]
pub struct Render {
    /// Scenario file (.toml)
    #[arg(required_unless_present = "run")]
    file: Option<PathBuf>,
    /// Override a value of the scenario; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Run folder, instead of a scenario
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["file", "sets"])]
    run: Option<PathBuf>,
    /// Simulated time of the picture or of the beginning of the video, s (default: 0)
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true,
          value_parser = quantity(0.0..=604_800.0, "s"))]
    time: Option<f64>,
    /// Video to write instead of a picture: .mp4 (H.264) or .gif
    #[arg(long, value_name = "FILE.mp4|FILE.gif", value_parser = destination::video,
          conflicts_with = "out")]
    video: Option<PathBuf>,
    /// Simulated time of the end of the video, s (default: the end of the run)
    #[arg(long, value_name = "SECONDS", requires = "video", allow_negative_numbers = true,
          value_parser = quantity(0.0..=604_800.0, "s"))]
    until: Option<f64>,
    /// Frames of the video per simulated second
    #[arg(long, value_name = "N", requires = "video", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..=50))]
    fps: u32,
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
    /// Picture size, pixels (default: 1280x720, of a video 640x360)
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    size: Option<(u32, u32)>,
    /// Rays along each side of a pixel (default: 3, of a video 2)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    supersample: Option<u32>,
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
        self.check_rays()?;
        match &self.video {
            Some(path) => self.write_video(path, quiet),
            None => self.write_picture(quiet),
        }
    }

    fn write_picture(&self, quiet: bool) -> Result<(), Failure> {
        let out = self.out.clone().unwrap_or_else(|| destination::numbered("render.png"));
        check_writable(&out)?;
        let (file, built, mut world) = match &self.run {
            Some(run) => self.last_checkpoint(run)?,
            None => self.start_of_scenario()?,
        };
        let steps = (self.time.unwrap_or(0.0) / world.model().clock.step()).round() as u64;
        while world.state().tick < steps && world.is_running() {
            world.advance();
        }
        let shot = self.shot(&world)?;
        let scene_model = self.scene_model(&file, &built, quiet)?;
        let image = shot.take_with(&scene_model, &world, file.scenario.seed, picture)?;
        photograph::write(&out, &image)?;
        if !quiet {
            stdout::print(&format!("{} at {} s", out.display(), world.time()))?;
        }
        Ok(())
    }

    /// Rejects a picture with more rays than can be cast in a reasonable time.
    fn check_rays(&self) -> Result<(), Failure> {
        let (width, height) = self.size();
        let pixels = u64::from(width) * u64::from(height);
        if pixels * u64::from(self.supersample()).pow(2) > MOST_RAYS {
            let allowed = format!("smaller for {pixels} pixels: at most {MOST_RAYS} rays in total");
            let value = self.supersample().to_string();
            return Err(Failure::Usage { argument: "--supersample", value, allowed });
        }
        Ok(())
    }

    fn size(&self) -> (u32, u32) {
        self.size.unwrap_or(if self.video.is_some() { (640, 360) } else { (1280, 720) })
    }

    fn supersample(&self) -> u32 {
        self.supersample.unwrap_or(if self.video.is_some() { 2 } else { 3 })
    }

    fn shot(&self, world: &World) -> Result<Shot, Failure> {
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
        Ok(Shot {
            viewpoint: self.from.map_or(self.camera.into(), Viewpoint::From),
            target: self.to,
            vehicle,
            field: self.fov_deg.to_radians(),
            size: self.size(),
            supersample: self.supersample(),
            coarse: false,
        })
    }

    fn scene_model(
        &self,
        file: &ScenarioFile,
        built: &BuiltWorld,
        quiet: bool,
    ) -> Result<SceneModel, Failure> {
        let mut scene_model = scene_model(file, &built.world, &built.meshes, built.random.as_ref());
        self.graphics.set_up_gpu(&mut scene_model, quiet)?;
        Ok(scene_model)
    }

    fn start_of_scenario(&self) -> Result<(ScenarioFile, BuiltWorld, World), Failure> {
        let path = self.file.as_deref().unwrap_or(Path::new(""));
        let file = ScenarioFile::read(path, &self.sets)?;
        let built = world(&file)?;
        let world = World::new(built.world.clone());
        Ok((file, built, world))
    }

    fn last_checkpoint(&self, run: &Path) -> Result<(ScenarioFile, BuiltWorld, World), Failure> {
        if let Some(time) = self.time {
            let allowed = "omitted for a picture of a run, which shows its last checkpoint".into();
            return Err(Failure::Usage { argument: "--time", value: time.to_string(), allowed });
        }
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
