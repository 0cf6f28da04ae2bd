//! `bekker soils`

use super::{Failure, stdout};
use crate::report::text_table;
use crate::soil::catalog::{CatalogSoil, catalog};
use crate::soil::{DeformableSoil, Laws, SoilKind};
use clap::Args;
use serde_json::{Value, json};

/// List the soils with their parameters and sources
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker soils\n  bekker soils mud\n  bekker soils --json")]
pub struct Soils {
    /// Soil to show in full (default: list all soils)
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Soils {
    pub fn execute(self) -> Result<(), Failure> {
        let catalog = catalog();
        match self.name {
            Some(name) => {
                let soil = catalog
                    .find(&name)
                    .map_err(|error| Failure::Input { subject: name, cause: error.to_string() })?;
                if self.json {
                    stdout::print_json(&as_json(soil))
                } else {
                    stdout::print(&sheet(soil))
                }
            }
            None if self.json => {
                let soils: Vec<Value> = catalog.soils.iter().map(as_json).collect();
                stdout::print_json(&json!({ "soils": soils, "aliases": catalog.aliases }))
            }
            None => stdout::print(&list()),
        }
    }
}

fn list() -> String {
    let header = ["name", "k_phi", "k_c", "n", "cohesion Pa", "friction", "K mm"];
    let table = text_table::plain(header, catalog().soils.iter().map(row), 1..=6);
    let aliases = catalog().aliases.iter().map(|alias| [&alias.id, &alias.soil, &alias.why]);
    let aliases = text_table::plain(["alias", "soil", "why"], aliases, ..0);
    format!(
        "{}\n\n{}\n\nk_phi in N/m^(n+2), k_c in N/m^(n+1).\n\
         `bekker soils NAME` shows all parameters of a soil, their source and quality.",
        table.trim_fmt(),
        aliases.trim_fmt()
    )
}

fn row(soil: &CatalogSoil) -> Vec<String> {
    let start = [soil.id.clone()];
    let figures = match &soil.kind {
        SoilKind::Firm { friction } => {
            ["", "", "", "", &format!("mu {friction}"), ""].map(String::from)
        }
        SoilKind::Deformable(y) => [
            format!("{:.0}", y.k_phi),
            format!("{:.0}", y.k_c),
            format!("{}", y.n),
            format!("{:.0}", y.cohesion),
            format!("{:.1}°", y.friction_angle.to_degrees()),
            format!("{:.0}", y.shear_modulus * 1e3),
        ],
    };
    start.into_iter().chain(figures).collect()
}

/// Formats all data of a soil.
fn sheet(soil: &CatalogSoil) -> String {
    let mut lines = vec![format!("{}: {}", soil.id, soil.name)];
    let mut entry = |name: &str, value: String| lines.push(format!("  {name:<20} {value}"));
    match &soil.kind {
        SoilKind::Firm { friction } => entry("friction", friction.to_string()),
        SoilKind::Deformable(y) => {
            for (name, value, unit) in parameters(y) {
                let assumed = soil.assumed.iter().any(|a| name.starts_with(a.to_string().as_str()));
                let mark = if assumed { "  (assumed)" } else { "" };
                let figure = if value < 1e6 { value.to_string() } else { format!("{value:.3e}") };
                entry(name, format!("{figure} {unit}{mark}"));
            }
        }
    }
    entry("quality", soil.trust.words().to_string());
    entry("source", soil.source.clone());
    if !soil.notes.is_empty() {
        entry("notes", soil.notes.clone());
    }
    lines.join("\n")
}

/// Returns the parameters by the keys of a custom soil of a scenario.
fn parameters(y: &DeformableSoil) -> Vec<(&'static str, f64, &'static str)> {
    // converting radians back to degrees leaves an error in the last digits
    let degrees = (y.friction_angle.to_degrees() * 1e9).round() / 1e9;
    let [reload_stiffness, reload_growth] =
        y.details.unloading(y.elastic_stiffness, Laws::refined());
    let mut parameters = vec![
        ("k_phi", y.k_phi, "N/m^(n+2)"),
        ("k_c", y.k_c, "N/m^(n+1)"),
        ("n", y.n, ""),
        ("cohesion", y.cohesion, "Pa"),
        ("friction_angle_deg", degrees, "deg"),
        ("shear_modulus", y.shear_modulus, "m"),
        ("elastic_stiffness", y.elastic_stiffness, "Pa/m"),
        ("damping", y.damping, "Pa s/m"),
        ("reload_stiffness", reload_stiffness, "Pa/m"),
        ("reload_growth", reload_growth, "Pa/m^2"),
    ];
    parameters.extend(y.details.density.map(|density| ("density", density, "kg/m3")));
    parameters
}

fn as_json(soil: &CatalogSoil) -> Value {
    let parameters: serde_json::Map<String, Value> = match &soil.kind {
        SoilKind::Firm { friction } => {
            [("friction".to_string(), json!(friction))].into_iter().collect()
        }
        SoilKind::Deformable(y) => {
            parameters(y).into_iter().map(|(name, value, _)| (name.into(), json!(value))).collect()
        }
    };
    json!({
        "id": soil.id,
        "name": soil.name,
        "family": soil.family,
        "parameters": parameters,
        "assumed": soil.assumed,
        "unloading": soil.unloading,
        "trust": soil.trust,
        "source": soil.source,
        "notes": soil.notes,
    })
}
