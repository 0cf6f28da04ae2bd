//! Writes docs/validation.md and its figures.
//!
//! ```text
//! cargo run --release -p bekker-validation
//! cargo run --release -p bekker-validation -- /tmp/validation.md
//! ```

use bekker_report::{check_writable, plot, write_file};
use bekker_validation::{Block, Chart, SECTIONS, Section};
use rayon::prelude::*;
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Default path of the document.
const DOCUMENT: &str = "docs/validation.md";

const FOREWORD: &str = "# Validation of the soil model

Written by `cargo run --release -p bekker-validation`, which recomputes everything below; edit
`tools/validation/src/` instead. *Default* are the refined laws, which a scenario uses unless it
selects others. *Reference* are those of Project Chrono's Soil Contact Model without its
faults ([soil_laws.md](soil_laws.md)).

Not included:

- the mobility index and NRMM's relations of whole vehicles to the cone index, because the model
  has no cone (relations of a single tire are compared with the rig over the tire's deflection,
  each at the cone index at which it agrees with the rig once);
- Ishigami's side force, for which there are no worked numbers.
";

const AFTERWORD: &str = "## Where the model fails, at a glance

- **Slip angles.** A freely rolling wheel at 45 degrees has 10 N of side force instead of 14.
- **Grousers.** A wheel that carries soil away by spinning faster than a slip of one half digs deeper
  than the model, which holds slip sinkage there.
- **Packed soil.** A second pass is on soil that is deeper but not stiffer in shear: at slips
  below 0.15 a rut gives less pull than fresh soil.
- **Buried wheels.** Vertical columns do not represent a wheel that is deeper than its axle. Ahead
  of it, contact starts at a depth at once, and work does not balance there (to 6 %).
- **Lateral flow.** Vertical columns do not push each other. A plate's pressure does not grow with
  its width as on sand, and snow does not move sideways.
- **Bounds of the sources.** Lyasko's slip sinkage is a fit to wheels on mineral soils up to a slip
  of one half, and small exponents (n below 0.3, wet clay) make it dig fast; Meyerhof's inclination factor is one of
  foundations; the wedge of McKyes and Ali is one of narrow blades.
- **Straight along the lattice.** Within half a degree of a row of nodes, a vehicle whose steering is
  held straight turns toward the row, by some tenths of a degree in 35 m. From 1 degree on it
  keeps its course (`tests/straight_driving.rs`).
- **No measurement of a whole vehicle** on soft ground is in this collection.
";

fn main() -> Result<(), Box<dyn Error>> {
    let document = std::env::args_os().nth(1).map_or_else(|| DOCUMENT.into(), PathBuf::from);
    if document.extension().is_none() {
        return Err(
            "the document must have an extension, such as .md; its figures go to the path without it"
                .into(),
        );
    }
    check_writable(&document)?;
    // create the folder first, so that minutes of computation are not lost if it fails
    let figures = document.with_extension("");
    std::fs::create_dir_all(&figures)?;
    let sections: Vec<Section> =
        SECTIONS.par_iter().map(|write| write()).collect::<Result<_, _>>()?;
    let folder = figures.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut text = FOREWORD.to_string();
    for section in &sections {
        let _ = write!(text, "\n## {}\n", section.title);
        for block in &section.blocks {
            text += &markdown(block, &folder);
            if let Block::Chart(chart) = block {
                let path = figures.join(format!("{}.png", chart.name));
                plot::write(&path, &figure(chart))?;
            }
        }
    }
    text = format!("{text}\n{AFTERWORD}");
    write_file(&document, text.as_bytes())?;
    println!("{} and {}/", document.display(), figures.display());
    Ok(())
}

fn markdown(block: &Block, folder: &str) -> String {
    match block {
        Block::Text(text) => format!("\n{text}\n"),
        Block::Chart(chart) => format!("\n![{}]({folder}/{}.png)\n", chart.title, chart.name),
        Block::Table { header, rows } => {
            let row = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
            let rule = vec!["---".to_string(); header.len()];
            let rows: String = rows.iter().map(|cells| row(cells)).collect();
            format!("\n{}{}{rows}", row(header), row(&rule))
        }
    }
}

fn figure(chart: &Chart) -> plot::Figure {
    plot::Figure {
        title: chart.title.clone(),
        subtitle: chart.subtitle.clone(),
        panels: chart.panels.iter().map(plot::PlotAxes::from).collect(),
    }
}
