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

const FOREWORD: &str = "# The soil model beside what is known

Written by `cargo run --release -p bekker-validation`, which runs everything below anew; edit
`tools/validation/src/` instead. *Default* are the refined laws that a scenario has unless
it says otherwise, *reference* those of Project Chrono's Soil Contact Model without its
faults ([soil_laws.md](soil_laws.md)).

Not here: the mobility index and NRMM's relations of whole vehicles to the cone index, since the
product models no cone (relations of a single tyre to it are laid beside the rig over the tyre's
deflection, each at the cone index at which it meets the rig once); motion resistance of trailing wheels
in snow; and Ishigami's side force, for which there are no worked figures.
";

const AFTERWORD: &str = "## Where the model fails, at a glance

- **Heaped soil.** A locked wheel drawn at 45 degrees still meets too little side force (14 N for
  35): it should dig deeper. What heaps is known only of soils that state their `density`.
- **Packed soil.** A second pass finds soil that is deeper but shears no more stiffly: at slips
  below 0.15 a rut gives less pull than fresh soil.
- **Buried wheels.** Vertical columns have no answer to a wheel that lies deeper than its axle:
  ahead of it they are met at a depth at once, and works do not add up there (to 6 %).
- **Soil that goes aside.** Vertical columns do not push each other: a plate's pressure does not
  grow with its width as that of sand does, and snow does not yield sideways.
- **Bounds of the sources.** Lyasko's slip sinkage is a fit to wheels on mineral soils, and small
  exponents (n below 0.3, wet clay) make it dig fast; Meyerhof's inclination factor is one of
  foundations; the wedge of McKyes and Ali is one of narrow blades.
- **Straight along the lattice.** Within half a degree of a row of nodes a vehicle whose steering is
  held straight still turns towards the row, by some tenths of a degree in 35 m; from 1 degree on it
  keeps its course (`tests/straight_driving.rs`).
- **No measurement of a whole vehicle** on soft ground is in this collection.
";

fn main() -> Result<(), Box<dyn Error>> {
    let document = std::env::args_os().nth(1).map_or_else(|| DOCUMENT.into(), PathBuf::from);
    if document.extension().is_none() {
        return Err(
            "the document must have an ending, such as .md: its figures go where it ends without"
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
        panels: chart.panels.iter().map(plot::Panel::from).collect(),
    }
}
