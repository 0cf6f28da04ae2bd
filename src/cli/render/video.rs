//! `bekker render --video`

use super::{Render, picture};
use crate::cli::failure::INTERRUPTED;
use crate::cli::interruption::interruption_signal;
use crate::cli::progress_bar::progress_bar;
use crate::cli::{Failure, recorded_run, stdout};
use crate::report::check_writable;
use crate::report::commands::CommandLog;
use crate::report::video::{VideoEncoder, VideoError, VideoFormat};
use crate::scenario::ScenarioFile;
use crate::scenario::build::{BuiltWorld, world};
use crate::simulation::World;
use std::path::Path;
use std::sync::atomic::Ordering;

impl From<VideoError> for Failure {
    fn from(error: VideoError) -> Failure {
        Failure::Input { subject: "video".into(), cause: error.to_string() }
    }
}

/// A drive from its beginning, as the video shows it.
struct Drive {
    file: ScenarioFile,
    built: BuiltWorld,
    world: World,
    /// External commands of a recorded run.
    commands: Option<CommandLog>,
    /// Last step of the drive.
    last_tick: u64,
}

impl Drive {
    /// Reads a recorded run, to be simulated again.
    fn of_run(run: &Path) -> Result<Drive, Failure> {
        let (manifest, file) = recorded_run::read(run, &[])?;
        recorded_run::warn_of_edits(run, &manifest, &file);
        let built = world(&file)?;
        let world = World::new(built.world.clone());
        let commands = Some(recorded_run::commands(run, &manifest, &world)?);
        Ok(Drive { file, built, world, commands, last_tick: manifest.last_tick })
    }

    fn of_scenario((file, built, world): (ScenarioFile, BuiltWorld, World)) -> Drive {
        let last_tick = (file.scenario.time.duration / world.model().clock.step()).round() as u64;
        Drive { file, built, world, commands: None, last_tick }
    }

    /// Advances to the first heartbeat that is not before `tick`; returns whether there is one.
    fn advance_to(&mut self, tick: u64) -> Result<bool, Failure> {
        while self.world.state().tick < tick {
            if self.world.state().tick >= self.last_tick || !self.world.is_running() {
                return Ok(false);
            }
            if let Some(commands) = &self.commands {
                commands.apply(&mut self.world).map_err(|error| Failure::Run {
                    subject: "recorded commands".into(),
                    cause: error.to_string(),
                })?;
            }
            self.world.advance();
        }
        Ok(true)
    }
}

impl Render {
    /// Simulates the drive and writes a video of it, up to an interruption.
    pub(super) fn write_video(&self, path: &Path, quiet: bool) -> Result<(), Failure> {
        check_writable(path)?;
        let interrupted = interruption_signal()?;
        let mut drive = match &self.run {
            Some(run) => Drive::of_run(run)?,
            None => Drive::of_scenario(self.start_of_scenario()?),
        };
        let step = drive.world.model().clock.step();
        let end = drive.last_tick as f64 * step;
        let start = self.time.unwrap_or(0.0);
        let until = self.until.unwrap_or(end).min(end);
        if start >= until {
            let allowed = format!("below the end of the video, {until} s");
            return Err(Failure::Usage { argument: "--time", value: start.to_string(), allowed });
        }
        let shot = self.shot(&drive.world)?;
        let scene_model = self.scene_model(&drive.file, &drive.built, quiet)?;
        let format = VideoFormat::of_path(path).unwrap_or(VideoFormat::Mp4);
        let mut video = VideoEncoder::new(path, format, self.size(), self.fps)?;
        let frames = ((until - start) * f64::from(self.fps)).floor() as u64 + 1;
        let progress = progress_bar(frames, "frames", quiet);
        let mut exposure = None;
        for frame in 0..frames {
            let time = start + frame as f64 / f64::from(self.fps);
            if interrupted.load(Ordering::Relaxed)
                || !drive.advance_to((time / step).round() as u64)?
            {
                break;
            }
            let seed = drive.file.scenario.seed;
            let image =
                shot.take_exposed(&scene_model, &drive.world, seed, &mut exposure, picture)?;
            video.add(&image)?;
            progress.inc(1);
        }
        progress.finish_and_clear();
        video.finish()?;
        let shown = format!("{} to {} s", path.display(), drive.world.time());
        if interrupted.load(Ordering::Relaxed) {
            eprintln!("interrupted: {shown}");
            return Err(Failure::Reported { code: INTERRUPTED });
        }
        if !quiet {
            stdout::print(&shown)?;
        }
        Ok(())
    }
}
