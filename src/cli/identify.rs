//! `bekker identify`

mod drives;

use self::drives::IdentifyDrives;
use super::{Failure, stdout};
use crate::report::text_table;
use crate::rig::ParameterEstimate;
use crate::rig::identify::{
    CMU_PLATES, IdentifyError, Quality, ShearParameters, SinkageParameters, fit_pressure_sinkage,
    fit_shear, read_plates, read_shears,
};
use crate::scenario::build::custom_soil;
use crate::scenario::{Diagnostics, Document, input};
use crate::soil::Laws;
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Identify soil parameters, with their uncertainty, from plate and shear tests or from drives
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Columns of a plate table: sinkage_m, pressure_Pa, and width_m and length_m \
    (shorter and\nlonger side) or diameter_m. Columns of a shear table: pressure_Pa, \
    displacement_m, stress_Pa.\nOptional columns of both: deviation_Pa sets the weight of a row; \
    trial is a whole number.\nWith more trials than parameters, the scatter between trials gives \
    the bounds. Lines that\nbegin with # are ignored.\n\nExamples:\n  bekker identify --plates plates.csv --shear shear.csv\n  \
    bekker identify --plates cmu --json\n  bekker identify drives log.csv --vehicle mrzr4"
)]
pub struct Identify {
    #[command(subcommand)]
    method: Option<IdentificationMethod>,
    /// Plate tests, CSV; `cmu` selects the built-in tests of the CMU sand
    #[arg(long, value_name = "FILE", required_unless_present = "shear")]
    plates: Option<PathBuf>,
    /// Shear tests, CSV
    #[arg(long, value_name = "FILE")]
    shear: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum IdentificationMethod {
    Drives(IdentifyDrives),
}

impl Identify {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        if let Some(IdentificationMethod::Drives(drives)) = self.method {
            return drives.execute(quiet);
        }
        let plates = self.plates.as_deref().map(plates).transpose()?;
        let shear = self.shear.as_deref().map(shear).transpose()?;
        accepted(plates.as_ref(), shear.as_ref())?;
        if self.json {
            return stdout::print_json(&json!({ "pressure_sinkage": plates, "shear": shear }));
        }
        let mut text = String::new();
        let mut lines = Vec::new();
        if let Some(found) = &plates {
            text += &plates_in_words(found);
            lines.push(format!("k_phi = {:.5e}", found.k_phi.value));
            lines.push(format!("k_c = {:.5e}", found.k_c.map_or(0.0, |k_c| k_c.value)));
            lines.push(format!("n = {:.4}", found.n.value));
        }
        if let Some(found) = &shear {
            text += &shear_in_words(found);
            lines.push(format!("cohesion = {:.1}", found.cohesion.map_or(0.0, |c| c.value)));
            let angle = found.friction_angle.value.to_degrees();
            lines.push(format!("friction_angle_deg = {angle:.3}"));
            lines.push(format!("shear_modulus = {:.5}", found.shear_modulus.value));
        }
        text += "For [[soil.custom]]:\n\n";
        lines.iter().for_each(|line| text += &format!("    {line}\n"));
        stdout::print(text.trim_end())
    }
}

/// Refuses soil parameters that `bekker run` would refuse.
fn accepted(
    plates: Option<&SinkageParameters>,
    shear: Option<&ShearParameters>,
) -> Result<(), Failure> {
    let mut text = "name = 'found'\nbased_on = 'chrono_mid'\n".to_string();
    if let Some(found) = plates {
        let k_c = found.k_c.map_or(0.0, |k_c| k_c.value);
        text += &format!("k_phi = {:e}\nk_c = {k_c:e}\n", found.k_phi.value);
        text += &format!("n = {:e}\n", found.n.value);
    }
    if let Some(found) = shear {
        let cohesion = found.cohesion.map_or(0.0, |c| c.value);
        let angle = found.friction_angle.value.to_degrees();
        text += &format!("cohesion = {cohesion:e}\nfriction_angle_deg = {angle:e}\n");
        text += &format!("shear_modulus = {:e}\n", found.shear_modulus.value);
    }
    let read = Document::parse("the soil found", &text).map_err(Diagnostics::from);
    let soil = read.and_then(|document| custom_soil(&document, &Laws::refined()));
    soil.map(drop).map_err(|Diagnostics(faults)| {
        let told = faults.iter().map(|fault| {
            let value = fault.value.as_ref().map_or(String::new(), |value| format!(" = {value}"));
            format!("{}{value}: {}", fault.key, fault.kind)
        });
        let cause = format!(
            "the identified soil is not valid for `bekker run`: {}; check that the measurements \
             are in m and Pa",
            told.collect::<Vec<_>>().join("; ")
        );
        Failure::Input { subject: "identify".into(), cause }
    })
}

fn plates(path: &Path) -> Result<SinkageParameters, Failure> {
    let text = match path.to_str() {
        Some("cmu") => CMU_PLATES.to_string(),
        _ => read(path)?,
    };
    read_plates(&text).and_then(|rows| fit_pressure_sinkage(&rows)).map_err(refused(path))
}

fn shear(path: &Path) -> Result<ShearParameters, Failure> {
    let text = read(path)?;
    read_shears(&text).and_then(|rows| fit_shear(&rows)).map_err(refused(path))
}

fn read(path: &Path) -> Result<String, Failure> {
    input::read_text(path, input::LARGEST_TABLE).map_err(|error| Failure::input(path, &error))
}

fn refused(path: &Path) -> impl Fn(IdentifyError) -> Failure {
    let subject = path.display().to_string();
    move |error| Failure::Input { subject: subject.clone(), cause: error.to_string() }
}

fn plates_in_words(found: &SinkageParameters) -> String {
    let mut rows = vec![("k_phi, N/m^(n+2)", found.k_phi, 1.0)];
    rows.extend(found.k_c.map(|k_c| ("k_c, N/m^(n+1)", k_c, 1.0)));
    rows.push(("n", found.n, 1.0));
    let mut text = section("Pressure and sinkage, p = (k_c/b + k_phi) z^n", &rows, &found.quality);
    if let Some((k, n, quality)) = &found.without_k_c {
        let rows = [("k_phi, N/m^(n+2)", *k, 1.0), ("n", *n, 1.0)];
        text += &section("Same fit with k_c = 0", &rows, quality);
    }
    text + &remarks(&found.remarks)
}

fn shear_in_words(found: &ShearParameters) -> String {
    let mut rows = Vec::new();
    rows.extend(found.cohesion.map(|c| ("cohesion, Pa", c, 1.0)));
    rows.push(("friction angle, deg", found.friction_angle, 1f64.to_degrees()));
    rows.push(("K, mm", found.shear_modulus, 1e3));
    section("Shear, t = (c + p tan phi)(1 - e^(-j/K))", &rows, &found.quality)
        + &remarks(&found.remarks)
}

fn section(title: &str, rows: &[(&str, ParameterEstimate, f64)], quality: &Quality) -> String {
    let header = ["", "value", "error", "95 % low", "95 % high"];
    let cells = rows.iter().map(|(name, estimate, unit)| {
        let figure = |value: f64| number(value * unit);
        [
            (*name).to_string(),
            figure(estimate.value),
            figure(estimate.error),
            figure(estimate.low),
            figure(estimate.high),
        ]
    });
    let table = text_table::plain(header, cells, 1..=4);
    let by = if quality.trials > rows.len() { "trials" } else { "points" };
    format!(
        "{title}\n\n{table}\n\n{} points, {} trials; bounds from the scatter between {by}; \
         residual {} Pa rms; explained variance {:.2} %; condition number {:.0}\n\n",
        quality.points,
        quality.trials,
        number(quality.residual),
        100.0 * quality.explained,
        quality.condition
    )
}

fn number(value: f64) -> String {
    match value.abs() {
        size if size != 0.0 && !(1e-3..1e5).contains(&size) => format!("{value:.4e}"),
        size => format!("{value:.*}", (4.0 - size.max(1.0).log10().floor()).max(0.0) as usize),
    }
}

fn remarks(remarks: &[String]) -> String {
    remarks.iter().map(|remark| format!("- {remark}\n\n")).collect()
}
