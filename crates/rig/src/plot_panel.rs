//! Curves of results with axes, as plain data.

use serde::Serialize;

/// A plot panel: axes and lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlotPanel {
    /// Heading.
    pub title: String,
    /// Quantity and unit of the horizontal axis.
    pub x: String,
    /// Quantity and unit of the vertical axis.
    pub y: String,
    /// Lines of the panel.
    pub lines: Vec<PlotLine>,
}

/// A line of a panel.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlotLine {
    /// Name in the legend.
    pub name: String,
    /// Points (x, y).
    pub points: Vec<[f64; 2]>,
    /// Drawing style.
    pub mark: LineStyle,
}

impl PlotLine {
    /// Returns a dashed horizontal line, for a closed form or a published value.
    pub fn at_value(name: &str, value: f64, ends: [f64; 2]) -> PlotLine {
        PlotLine {
            name: name.into(),
            points: ends.map(|x| [x, value]).to_vec(),
            mark: LineStyle::Dashes,
        }
    }
}

/// Drawing style of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineStyle {
    /// Solid line, for results of the model.
    #[default]
    Line,
    /// Solid line with dots at its points, for results of single drives.
    MarkedLine,
    /// Dashed line, for the reference of a comparison.
    Dashes,
    /// Dots, for measurements.
    Dots,
}
