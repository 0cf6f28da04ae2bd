//! Curves of results on axes, as plain data.

use serde::Serialize;

/// Axes with their lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Panel {
    /// Heading.
    pub title: String,
    /// Quantity and unit across.
    pub x: String,
    /// Quantity and unit upwards.
    pub y: String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line of a panel.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// Name in the legend.
    pub name: String,
    /// Points (x, y).
    pub points: Vec<[f64; 2]>,
    /// How it is drawn.
    pub mark: Mark,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// What the model gives.
    #[default]
    Line,
    /// What it is compared with.
    Dashes,
    /// What was measured.
    Dots,
}
