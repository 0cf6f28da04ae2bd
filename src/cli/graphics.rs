//! Which processor looks: the `--gpu` of the commands that take pictures.

use super::Failure;
use crate::simulation::Stage;
use clap::{Args, ValueEnum};

/// What cameras and lidars look with.
#[derive(Clone, Copy, Debug, Args)]
pub struct Graphics {
    /// What cameras and lidars look with. Pictures of a card and of the processor agree
    /// to a step of eight bits, not bit for bit.
    #[arg(long, value_enum, default_value = "auto")]
    gpu: Choice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// A graphics card if there is one and this build can use it, else the processor
    Auto,
    /// A graphics card; an error without
    Required,
    /// Whatever Vulkan shows, be it software
    Software,
    /// The processor
    Off,
}

impl Graphics {
    /// Whether it is an error if the processor must look.
    pub fn is_required(&self) -> bool {
        matches!(self.gpu, Choice::Required | Choice::Software)
    }

    /// Gives the stage a card, or says why the processor looks.
    #[cfg(feature = "gpu")]
    pub fn equip(&self, stage: &mut Stage, quiet: bool) -> Result<(), Failure> {
        use crate::gpu::Card;
        if self.gpu == Choice::Off {
            return Ok(());
        }
        let say = |line: String| {
            if !quiet {
                eprintln!("{line}");
            }
        };
        match Card::find(self.gpu == Choice::Software) {
            Ok(card) => {
                say(format!("cameras and lidars look with {}", card.name()));
                stage.card = Some(card.into());
            }
            Err(error) if self.is_required() => {
                return Err(Failure::Run { subject: "--gpu".into(), cause: error.to_string() });
            }
            Err(error) => say(format!("{error}; the processor looks")),
        }
        Ok(())
    }

    /// The processor looks: this build can do nothing else.
    #[cfg(not(feature = "gpu"))]
    pub fn equip(&self, _: &mut Stage, _: bool) -> Result<(), Failure> {
        match self.gpu {
            Choice::Auto | Choice::Off => Ok(()),
            Choice::Required | Choice::Software => Err(Failure::Usage {
                argument: "--gpu",
                value: format!("{:?}", self.gpu).to_lowercase(),
                allowed: "auto or off: this build knows no graphics cards, one with \
                          `cargo build --release --features gpu` does"
                    .into(),
            }),
        }
    }
}
