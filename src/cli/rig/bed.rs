//! Soil of a rig, from the command line.

use crate::cli::Failure;
use crate::numeric::GRAVITY;
use crate::scenario::build::{custom_soil, refined};
use crate::scenario::config::Refine;
use crate::scenario::{Diagnostics, Document, input};
use crate::soil::{DeformableSoil, Laws, Soil, SoilKind, catalog};
use clap::{Args, ValueEnum};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Soil that the rig tests.
#[derive(Debug, Args)]
#[command(next_help_heading = "Soil")]
pub struct SoilBed {
    /// Soil from the catalog, by any of its names (see `bekker soils`)
    #[arg(long, value_name = "NAME", required_unless_present = "soil_file")]
    soil: Option<String>,
    /// Soil in a TOML file, with the keys of a scenario's [[soil.custom]]
    #[arg(long, value_name = "FILE", conflicts_with = "soil")]
    soil_file: Option<PathBuf>,
    /// Override a soil parameter: k_phi, k_c, n, cohesion (Pa), friction_angle_deg, shear_modulus
    /// (m), elastic_stiffness (Pa/m), damping (Pa s/m); may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Soil laws
    #[arg(long, value_enum, default_value_t = LawsChoice::Refined)]
    laws: LawsChoice,
    /// Enable or disable a refinement of the soil laws, as in vector_shear=false; may be repeated.
    /// The keys are those of a scenario's [ground.refine]
    #[arg(long, value_name = "KEY=BOOL", value_parser = refinement)]
    refine: Vec<(String, bool)>,
    /// Acceleration of gravity, m/s2, which weighs soil and default loads: 1.62 on the moon. The
    /// default is 9.81. Not for tracks
    #[arg(long, value_name = "M/S2", value_parser = gravity)]
    gravity: Option<f64>,
}

/// Parses an acceleration of gravity within the range of a scenario's `world.gravity`.
fn gravity(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "must be a number".to_owned())?;
    if (0.1..=30.0).contains(&value) {
        Ok(value)
    } else {
        Err("must be from 0.1 to 30 m/s2".into())
    }
}

/// Parses the key of a refinement, and whether it is enabled.
fn refinement(text: &str) -> Result<(String, bool), String> {
    let (key, value) = text.split_once('=').ok_or("must be KEY=true or KEY=false")?;
    let on = value.parse().map_err(|_| format!("`{value}` must be true or false"))?;
    let refinement = (key.to_owned(), on);
    refine(std::slice::from_ref(&refinement)).map_err(|error| error.to_string())?;
    Ok(refinement)
}

/// Converts refinements to those of a scenario.
fn refine(all: &[(String, bool)]) -> Result<Refine, serde_json::Error> {
    let keys = all.iter().map(|(key, on)| (key.clone(), (*on).into()));
    serde_json::from_value(serde_json::Value::Object(keys.collect()))
}

/// Presets of the soil laws.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum LawsChoice {
    /// All refinements, as in a scenario by default
    Refined,
    /// Laws of the reference Soil Contact Model
    Reference,
}

impl SoilBed {
    /// Returns the selected laws.
    pub fn laws(&self) -> Laws {
        let laws = match self.laws {
            LawsChoice::Refined => Laws::refined(),
            LawsChoice::Reference => Laws::reference(),
        };
        let laws = Laws { gravity: self.gravity(), ..laws };
        // each key was validated when it was parsed
        refined(laws, &refine(&self.refine).unwrap_or_default())
    }

    /// Returns the acceleration of gravity, m/s².
    pub fn gravity(&self) -> f64 {
        self.gravity.unwrap_or(GRAVITY)
    }

    /// Refuses a gravity for a rig with a whole vehicle, whose weight is nominal.
    pub fn refuse_gravity(&self) -> Result<(), Failure> {
        match self.gravity {
            Some(value) => Err(Failure::Input {
                subject: format!("--gravity {value}"),
                cause: "must be absent: tracks are tested under 9.81 m/s2; use `bekker run` with \
                        world.gravity"
                    .into(),
            }),
            None => Ok(()),
        }
    }

    /// Creates a bed of an unchanged soil of the catalog.
    pub fn with_soil(name: &str) -> SoilBed {
        let laws = LawsChoice::Refined;
        let soil = Some(name.to_owned());
        SoilBed { soil, soil_file: None, set: Vec::new(), laws, refine: Vec::new(), gravity: None }
    }

    /// Returns the soil and its parameters. Firm soils are refused, because they have no curve.
    pub fn soil(&self) -> Result<(Soil, DeformableSoil), Failure> {
        let mut document = self.document()?;
        let refused = self.set.iter().filter_map(|set| document.set(set).err()).collect();
        Diagnostics::into_result(refused)?;
        let soil = custom_soil(&document, &self.laws())?;
        match &soil.kind {
            SoilKind::Deformable(yielding) => {
                let yielding = yielding.clone();
                Ok((soil, yielding))
            }
            SoilKind::Firm { .. } => Err(self.firm(&soil.name)),
        }
    }

    fn firm(&self, name: &str) -> Failure {
        let cause = format!("{name} is firm; a rig needs a deformable soil");
        Failure::Input { subject: self.subject(), cause }
    }

    /// Returns the argument that names the soil.
    fn subject(&self) -> String {
        match (&self.soil_file, &self.soil) {
            (Some(file), _) => file.display().to_string(),
            (None, name) => format!("--soil {}", name.as_deref().unwrap_or_default()),
        }
    }

    /// Returns the soil as the table of a custom soil of a scenario.
    fn document(&self) -> Result<Document, Failure> {
        if let Some(file) = &self.soil_file {
            let text = input::read_text(file, input::LARGEST_TEXT)
                .map_err(|error| Failure::input(file, &error))?;
            return Ok(Document::parse(&self.subject(), &text).map_err(Diagnostics::from)?);
        }
        let name = self.soil.as_deref().unwrap_or_default();
        let known = catalog().find(name).map_err(|error| Failure::Input {
            subject: self.subject(),
            cause: format!("{error}; `bekker soils` lists the catalog"),
        })?;
        if matches!(known.kind, SoilKind::Firm { .. }) {
            return Err(self.firm(&known.id));
        }
        let mut keys = BTreeMap::from([("name", name), ("based_on", known.id.as_str())]);
        if self.set.is_empty() {
            // nothing is changed, so the catalog's source still applies
            keys.insert("source", &known.source);
        }
        Ok(Document::from_values(&self.subject(), &keys).map_err(Diagnostics::from)?)
    }
}
