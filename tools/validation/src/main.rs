//! Writes docs/validation.md, its pages and their figures.
//!
//! ```text
//! cargo run --release -p bekker-validation
//! cargo run --release -p bekker-validation -- snow tires
//! cargo run --release -p bekker-validation -- --to /tmp/validation.md tracks
//! ```
//!
//! The rows of the overview are kept in `results.json` among the pages, so that one page can be
//! computed alone.

use bekker_report::{check_writable, plot, write_file};
use bekker_validation::{Chart, ComputePage, PAGES, PageSummary, overview};
use rayon::iter::Either;
use rayon::prelude::*;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Default path of the overview.
const OVERVIEW: &str = "docs/validation.md";
/// Rows of the overview, in the folder of the pages.
const RESULTS: &str = "results.json";

fn main() -> Result<(), Box<dyn Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let mut document = PathBuf::from(OVERVIEW);
    if names.first().is_some_and(|name| name == "--to") {
        document = PathBuf::from(names.get(1).ok_or("--to needs a path")?);
        names.drain(..2);
    }
    if document.extension().is_none() {
        return Err(
            "the path must have an extension, such as .md; pages go to the path without it".into(),
        );
    }
    let pages = chosen(&names)?;
    check_writable(&document)?;
    // create the folder first, so that minutes of computation are not lost if it fails
    let folder = document.with_extension("");
    std::fs::create_dir_all(&folder)?;
    // a page that fails must not discard minutes of the others
    let (found, failed): (Vec<_>, Vec<_>) = pages
        .par_iter()
        .map(|&(name, compute)| compute_page(name, compute, &folder))
        .partition_map(|page| match page {
            Ok(page) => Either::Left(page),
            Err(error) => Either::Right(error),
        });
    let kept = std::fs::read_to_string(folder.join(RESULTS)).ok();
    let kept: Vec<PageSummary> =
        kept.map(|text| serde_json::from_str(&text)).transpose()?.unwrap_or_default();
    let latest = |name: &str| found.iter().chain(&kept).find(|page| page.name == name).cloned();
    let summaries: Vec<PageSummary> = PAGES.iter().filter_map(|(name, _)| latest(name)).collect();
    write_file(&folder.join(RESULTS), serde_json::to_string_pretty(&summaries)?.as_bytes())?;
    write_file(&document, overview(&summaries).as_bytes())?;
    println!("{} and {}/", document.display(), folder.display());
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ").into()) }
}

/// Returns the named pages, or all.
fn chosen(names: &[String]) -> Result<Vec<(&'static str, ComputePage)>, String> {
    let known = PAGES.map(|(name, _)| name);
    if let Some(other) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("{other}: no such page; there are {}", known.join(", ")));
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|own| own == name);
    Ok(PAGES.into_iter().filter(|(name, _)| wanted(name)).collect())
}

/// Computes a page and writes it with its figure.
fn compute_page(name: &str, compute: ComputePage, folder: &Path) -> Result<PageSummary, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{name}: {error}");
    let start = Instant::now();
    let page = compute().map_err(|error| failed(&error))?;
    if let Some(chart) = page.figure() {
        let path = folder.join(format!("{name}.png"));
        plot::write(&path, &figure(chart)).map_err(|error| failed(&error))?;
    }
    let path = folder.join(format!("{name}.md"));
    write_file(&path, page.markdown().as_bytes()).map_err(|error| failed(&error))?;
    println!("{} after {:.0} s", path.display(), start.elapsed().as_secs_f64());
    Ok(page.summary)
}

fn figure(chart: &Chart) -> plot::Figure {
    plot::Figure {
        title: chart.title.clone(),
        subtitle: chart.subtitle.clone(),
        panels: chart.panels.iter().map(plot::PlotAxes::from).collect(),
    }
}
