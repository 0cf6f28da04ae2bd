//! Option `--gpu` of the commands that render pictures.

use super::Failure;
#[cfg(feature = "gpu")]
use crate::gpu::GpuDevice;
use crate::simulation::SceneModel;
use clap::{Args, ValueEnum};

/// Device that renders cameras and lidars.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Graphics {
    /// Device that renders cameras and lidars. GPU and CPU images agree to one step of eight bits,
    /// not bit for bit
    #[arg(long, value_enum, default_value = "auto")]
    gpu: Choice,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// GPU if one is available and this build supports it, otherwise CPU
    #[default]
    Auto,
    /// GPU; fails if none is available
    Required,
    /// Any Vulkan device, including software renderers; fails if none is available
    Software,
    /// CPU
    Off,
}

impl Graphics {
    /// Whether rendering on the CPU is an error.
    pub fn is_required(&self) -> bool {
        matches!(self.gpu, Choice::Required | Choice::Software)
    }

    /// Adds a graphics card to the scene model, or prints why the CPU renders.
    #[cfg(feature = "gpu")]
    pub fn set_up_gpu(&self, scene_model: &mut SceneModel, quiet: bool) -> Result<(), Failure> {
        scene_model.gpu = self.gpu(quiet)?.map(Into::into);
        Ok(())
    }

    /// Returns the graphics card, or prints why the CPU renders.
    #[cfg(feature = "gpu")]
    pub fn gpu(&self, quiet: bool) -> Result<Option<GpuDevice>, Failure> {
        if self.gpu == Choice::Off {
            return Ok(None);
        }
        let say = |line: String| {
            if !quiet {
                eprintln!("{line}");
            }
        };
        match GpuDevice::find(self.gpu == Choice::Software) {
            Ok(gpu) => {
                say(format!("cameras and lidars are rendered by {}", gpu.name()));
                Ok(Some(gpu))
            }
            Err(error) if self.is_required() => {
                Err(Failure::Run { subject: "--gpu".into(), cause: error.to_string() })
            }
            Err(error) => {
                say(format!("{error}; the CPU renders cameras and lidars"));
                Ok(None)
            }
        }
    }

    /// Does nothing: the CPU renders.
    #[cfg(not(feature = "gpu"))]
    pub fn set_up_gpu(&self, _: &mut SceneModel, _: bool) -> Result<(), Failure> {
        self.gpu("cargo build --release")
    }

    /// Refuses a graphics card, which this build cannot use; `build` builds the program.
    ///
    /// # Errors
    /// [`Failure::Usage`] if a card is required.
    #[cfg(not(feature = "gpu"))]
    pub fn gpu(&self, build: &str) -> Result<(), Failure> {
        match self.gpu {
            Choice::Auto | Choice::Off => Ok(()),
            Choice::Required | Choice::Software => Err(Failure::Usage {
                argument: "--gpu",
                value: format!("{:?}", self.gpu).to_lowercase(),
                allowed: format!(
                    "auto or off: this build has no GPU support; build with \
                     `{build} --features gpu`"
                ),
            }),
        }
    }
}
