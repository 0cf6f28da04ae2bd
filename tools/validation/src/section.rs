//! What a section consists of, as plain data.

use bekker_ground::scm::UndersideError;
use bekker_rig::RigError;
use bekker_rig::{Line, Mark, Panel};
use bekker_scenario::Faults;

/// Why a section could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ValidationError {
    /// A rig could not run.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// A wheel could not be made.
    #[error(transparent)]
    Wheel(#[from] UndersideError),
    /// A scenario could not be built.
    #[error(transparent)]
    Scenario(#[from] Faults),
    /// A soil is not in the catalogue.
    #[error(transparent)]
    Soil(#[from] bekker_ground::soil::CatalogueError),
    /// A vehicle whose tyres do not give way.
    #[error("{0}: its file does not say how its tyres give way")]
    NoBelt(&'static str),
}

/// A section of the validation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Heading.
    pub title: String,
    /// What it says, in order.
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A table.
    Table {
        /// Headings.
        header: Vec<String>,
        /// Cells, row by row.
        rows: Vec<Vec<String>>,
    },
    /// A figure.
    Chart(Chart),
}

/// A figure of stacked panels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Name of its file, without an ending.
    pub name: &'static str,
    /// What is shown.
    pub title: String,
    /// Under which circumstances.
    pub subtitle: String,
    /// From the top down.
    pub panels: Vec<Panel>,
}

impl Section {
    pub(super) fn new(title: &str) -> Section {
        Section { title: title.to_string(), blocks: Vec::new() }
    }

    pub(super) fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    pub(super) fn table(&mut self, header: &[&str], rows: Vec<Vec<String>>) {
        let header = header.iter().map(ToString::to_string).collect();
        self.blocks.push(Block::Table { header, rows });
    }

    pub(super) fn chart(&mut self, chart: Chart) {
        self.blocks.push(Block::Chart(chart));
    }
}

pub(super) fn panel(title: &str, x: &str, y: &str, lines: Vec<Line>) -> Panel {
    Panel { title: title.into(), x: x.into(), y: y.into(), lines }
}

pub(super) fn line(name: &str, mark: Mark, points: Vec<[f64; 2]>) -> Line {
    Line { name: name.into(), points, mark }
}

/// A relative difference, in per cent.
pub(super) fn percent(ours: f64, other: f64) -> String {
    let share = 100.0 * (ours / other - 1.0);
    let places = if share.abs() < 0.1 { 3 } else { 1 };
    format!("{share:+.places$} %")
}
