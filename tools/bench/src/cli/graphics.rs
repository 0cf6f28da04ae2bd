//! The argument `--gpu`: whether cameras and lidars use a graphics card.

use super::Failure;
#[cfg(feature = "gpu")]
use bekker_sensor::gpu::GpuDevice;
use clap::{Args, ValueEnum};

/// Device that renders cameras and lidars.
#[derive(Clone, Copy, Debug, Args)]
pub struct Graphics {
    /// Device that renders cameras and lidars. Images of a graphics card and of the processor
    /// differ by at most one step of eight bits.
    #[arg(long, value_enum, default_value = "auto")]
    gpu: Choice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// A graphics card if there is one and this build can use it, else the processor
    Auto,
    /// A graphics card; an error without
    Required,
    /// Any Vulkan device, software included
    Software,
    /// The processor
    Off,
}

impl Graphics {
    /// Whether the processor alone is an error.
    fn is_required(self) -> bool {
        matches!(self.gpu, Choice::Required | Choice::Software)
    }

    /// Opens the graphics card, or reports why the processor is used.
    #[cfg(feature = "gpu")]
    pub fn gpu(self, quiet: bool) -> Result<Option<GpuDevice>, Failure> {
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
            Err(error) if self.is_required() => Err(format!("--gpu: {error}").into()),
            Err(error) => {
                say(format!("{error}; the CPU renders cameras and lidars"));
                Ok(None)
            }
        }
    }

    /// Refuses a graphics card, which this build cannot use.
    #[cfg(not(feature = "gpu"))]
    pub fn gpu(self) -> Result<(), Failure> {
        if self.is_required() {
            return Err("--gpu: must be auto or off; this build has no GPU support: build with \
                `cargo build --release -p bekker-bench --features gpu`"
                .into());
        }
        Ok(())
    }
}
