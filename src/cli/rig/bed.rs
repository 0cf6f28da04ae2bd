//! The soil of a rig's bed, as the command line names it.

use crate::cli::Failure;
use crate::scenario::build::custom_soil;
use crate::scenario::{Document, Faults, input};
use crate::soil::{Laws, Soil, SoilKind, Yielding, catalogue};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Which soil.
#[derive(Debug, Args)]
#[command(next_help_heading = "Soil")]
pub struct Bed {
    /// A soil of the catalogue, by any of its names (see `bekker soils`)
    #[arg(long, value_name = "NAME", required_unless_present = "soil_file")]
    soil: Option<String>,
    /// A soil in a TOML file, with the keys of a scenario's [[soil.custom]]
    #[arg(long, value_name = "FILE", conflicts_with = "soil")]
    soil_file: Option<PathBuf>,
    /// Change a parameter: k_phi, k_c, n, cohesion (Pa), friction_angle_deg, shear_modulus (m),
    /// elastic_stiffness (Pa/m), damping (Pa s/m); may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Laws of the soil
    #[arg(long, value_enum, default_value_t = LawsChoice::Refined)]
    laws: LawsChoice,
}

/// Presets of the soil laws.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum LawsChoice {
    /// Every refinement, as a scenario has it unless it says otherwise
    Refined,
    /// Those of the reference's Soil Contact Model
    Reference,
}

impl Bed {
    /// The laws asked for.
    pub fn laws(&self) -> Laws {
        match self.laws {
            LawsChoice::Refined => Laws::refined(),
            LawsChoice::Reference => Laws::reference(),
        }
    }

    /// A bed of a soil of the catalogue as it stands.
    pub fn of(name: &str) -> Bed {
        let laws = LawsChoice::Refined;
        Bed { soil: Some(name.to_owned()), soil_file: None, set: Vec::new(), laws }
    }

    /// The soil and its parameters; a firm one is refused, for it gives no curve.
    pub fn soil(&self) -> Result<(Soil, Yielding), Failure> {
        let mut document = self.document()?;
        let refused = self.set.iter().filter_map(|set| document.set(set).err()).collect();
        Faults::into_result(refused)?;
        let soil = custom_soil(&document)?;
        match &soil.kind {
            SoilKind::Yielding(yielding) => {
                let yielding = yielding.clone();
                Ok((soil, yielding))
            }
            SoilKind::Firm { .. } => Err(self.firm(&soil.name)),
        }
    }

    fn firm(&self, name: &str) -> Failure {
        let cause = format!("{name} is firm; a rig needs a yielding soil");
        Failure::Input { subject: self.subject(), cause }
    }

    /// The argument that named the soil.
    fn subject(&self) -> String {
        match (&self.soil_file, &self.soil) {
            (Some(file), _) => file.display().to_string(),
            (None, name) => format!("--soil {}", name.as_deref().unwrap_or_default()),
        }
    }

    /// The soil as a table of a scenario's custom soil.
    fn document(&self) -> Result<Document, Failure> {
        if let Some(file) = &self.soil_file {
            let text = input::read_text(file, input::LARGEST_TEXT)
                .map_err(|error| Failure::input(file, &error))?;
            return Ok(Document::parse(&self.subject(), &text).map_err(Faults::from)?);
        }
        let name = self.soil.as_deref().unwrap_or_default();
        let known = catalogue().find(name).map_err(|error| Failure::Input {
            subject: self.subject(),
            cause: format!("{error}; `bekker soils` lists those there are"),
        })?;
        if matches!(known.kind, SoilKind::Firm { .. }) {
            return Err(self.firm(&known.id));
        }
        let mut text = format!("name = \"{name}\"\nbased_on = \"{}\"\n", known.id);
        if self.set.is_empty() {
            // its source as it stands, for nothing is changed
            text += &format!("source = {}\n", toml::Value::String(known.source.clone()));
        }
        Ok(Document::parse(&self.subject(), &text).map_err(Faults::from)?)
    }
}
