//! Content of a section, as plain data.

use bekker_ground::scm::UndersideError;
use bekker_rig::RigError;
use bekker_rig::{LineStyle, PlotLine, PlotPanel};
use bekker_scenario::Diagnostics;

/// Reason why a section cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ValidationError {
    /// A rig cannot run.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// A wheel cannot be created.
    #[error(transparent)]
    Wheel(#[from] UndersideError),
    /// A scenario cannot be built.
    #[error(transparent)]
    Scenario(#[from] Diagnostics),
    /// A soil is not in the catalog.
    #[error(transparent)]
    Soil(#[from] bekker_ground::soil::CatalogError),
    /// A vehicle has no flexible tires.
    #[error("{0}: its file has no flexible tire ([tire.flexible])")]
    NoBelt(&'static str),
}

/// Section of the validation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Heading.
    pub title: String,
    /// Content, in order.
    pub blocks: Vec<Block>,
}

/// Part of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Paragraph.
    Text(String),
    /// Table.
    Table {
        /// Headings.
        header: Vec<String>,
        /// Cells, row by row.
        rows: Vec<Vec<String>>,
    },
    /// Figure.
    Chart(Chart),
}

/// Figure of stacked panels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// File name, without extension.
    pub name: &'static str,
    /// Title.
    pub title: String,
    /// Conditions of the comparison.
    pub subtitle: String,
    /// Panels, from top to bottom.
    pub panels: Vec<PlotPanel>,
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

pub(super) fn panel(title: &str, x: &str, y: &str, lines: Vec<PlotLine>) -> PlotPanel {
    PlotPanel { title: title.into(), x: x.into(), y: y.into(), lines }
}

pub(super) fn line(name: &str, mark: LineStyle, points: Vec<[f64; 2]>) -> PlotLine {
    PlotLine { name: name.into(), points, mark }
}

/// Formats a relative difference in percent.
pub(super) fn percent(ours: f64, other: f64) -> String {
    let share = 100.0 * (ours / other - 1.0);
    let places = if share.abs() < 0.1 { 3 } else { 1 };
    format!("{share:+.places$} %")
}
