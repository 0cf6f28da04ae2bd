//! Output of the results of a rig.

use super::convergence::ConvergenceCheck;
use super::slips::FailedSetting;
use crate::cli::quantity::quantity;
use crate::cli::{Failure, destination, stdout};
use crate::report::plot::{self, Figure};
use crate::report::text_table::wrapped;
use crate::report::{ReportError, check_writable};
use crate::soil::Soil;
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Output files and formats of a rig.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct RigOutput {
    /// Print JSON, in SI units and radians
    #[arg(long)]
    json: bool,
    /// Plot to write (default: rig_<RIG>_<SOIL>.png, or rig_<RIG>_<SOIL>-2.png and so on if it
    /// exists)
    #[arg(long, value_name = "FILE.png", value_parser = png)]
    plot: Option<PathBuf>,
    /// Do not draw the plot
    #[arg(long, conflicts_with = "plot")]
    no_plot: bool,
    /// Do not check convergence
    #[arg(long)]
    pub no_check: bool,
    /// Relative change that counts as converged (default: 0.01 to 0.05, depending on the rig)
    #[arg(long, value_name = "PART", allow_negative_numbers = true, value_parser = quantity(1e-6..=0.5, ""))]
    pub tolerance: Option<f64>,
}

/// Results of a rig.
pub struct RigFindings {
    /// Name of the rig.
    pub kind: &'static str,
    /// Soil of the rig.
    pub soil: Soil,
    /// Setup and results for JSON.
    pub data: Value,
    /// Setup and results as text.
    pub text: String,
    /// Plot of the results.
    pub figure: Figure,
    /// Convergence, if it was checked.
    pub check: Option<ConvergenceCheck>,
    /// Settings without a result.
    pub refused: Vec<FailedSetting>,
}

fn png(text: &str) -> Result<PathBuf, String> {
    let path = destination::png(text)?;
    check_writable(&path).map(|()| path).map_err(|error| error.to_string())
}

impl RigOutput {
    /// Prints the results and draws the plot.
    ///
    /// # Errors
    /// Errors of writing; after all output, an error if slips were refused.
    pub fn present(&self, findings: RigFindings, quiet: bool) -> Result<(), Failure> {
        let RigFindings { kind, soil, data, text, mut figure, check, refused } = findings;
        let plot = (!self.no_plot).then(|| match &self.plot {
            Some(path) => path.clone(),
            None => destination::numbered(&format!("rig_{kind}_{}.png", plain(&soil.name))),
        });
        figure.subtitle = match &check {
            Some(check) if check.converged => {
                format!("{}; converged to {} %", figure.subtitle, 100.0 * check.tolerance)
            }
            Some(_) => format!("{}; NOT converged", figure.subtitle),
            None => format!("{}; convergence not checked", figure.subtitle),
        };
        if let Some(path) = &plot {
            plot::write(path, &figure).map_err(|error| Failure::Output {
                subject: path.display().to_string(),
                cause: match error {
                    ReportError::File { source, .. } => source,
                    other => std::io::Error::other(other.to_string()),
                },
            })?;
        }
        if self.json {
            stdout::print_json(&json!({
                "rig": kind,
                "soil": soil,
                "test": data,
                "convergence": check,
                "refused": refused,
                "plot": plot,
            }))?;
        } else {
            let check = check.map_or("convergence not checked (--no-check)".into(), |c| c.report());
            let line = |FailedSetting { at, reason }: &FailedSetting| {
                format!("\n{}", wrapped(&format!("at {at}: {reason}"), 2))
            };
            let lines: String = refused.iter().map(line).collect();
            stdout::print(&format!("{text}{lines}\n\n{check}"))?;
        }
        if let (Some(path), false) = (&plot, quiet) {
            eprintln!("plot: {}", path.display());
        }
        if !refused.is_empty() {
            let at: Vec<String> = refused.iter().map(|refused| refused.at.to_string()).collect();
            eprintln!("rig: no result at {}", at.join("; "));
            return Err(Failure::Reported { code: 1 });
        }
        Ok(())
    }
}

/// Replaces characters that are not suitable for a file name.
fn plain(name: &str) -> String {
    let word = |c: char| if c.is_alphanumeric() || c == '-' { c } else { '_' };
    name.chars().map(word).collect()
}
