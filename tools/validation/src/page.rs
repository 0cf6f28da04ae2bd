//! Content of a page, as plain data.

use bekker_agent::{RunningGearKind, SoilClass, VALIDITY_RANGES, ValidityRange};
use bekker_ground::scm::UndersideError;
use bekker_rig::RigError;
use bekker_rig::{LineStyle, PlotLine, PlotPanel};
use bekker_scenario::Diagnostics;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Reason why a page cannot be written.
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
    /// The measured plates cannot be read.
    #[error(transparent)]
    Plates(#[from] bekker_rig::identify::IdentifyError),
    /// A tire is not in the catalog.
    #[error(transparent)]
    Tire(#[from] bekker_vehicle::tire::TireFileError),
    /// A vehicle or tire is not flexible.
    #[error("{0}: its file has no flexible tire ([tire.flexible])")]
    NoBelt(&'static str),
}

/// Page of a phenomenon.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Row of the overview.
    pub summary: PageSummary,
    /// Verdict in one sentence.
    pub verdict: String,
    /// Conditions for which the verdict holds, in units of a user.
    pub range: String,
    /// Data: description, kind and trust.
    pub data: Vec<[String; 3]>,
    /// How the comparison was run.
    pub conditions: String,
    /// Plot, tables and explanations.
    pub results: Vec<Block>,
    /// Cases in which the model fails.
    pub failures: Vec<String>,
}

/// Row of the overview for a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageSummary {
    /// File of the page, without extension.
    pub name: String,
    /// Phenomenon.
    pub title: String,
    /// Data in a few words.
    pub data: String,
    /// Verdict in a few words.
    pub verdict: String,
    /// Error of the default laws.
    pub default_error: String,
    /// Error of the reference laws.
    pub reference_error: String,
    /// Worst single error against measurements, published relations or theory.
    pub worst: Option<WorstError>,
}

/// Single comparison with its error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorstError {
    /// Quantity and case.
    pub case: String,
    /// Kind of the data: measured, relation or theory.
    pub kind: String,
    /// Expected value, with unit.
    pub expected: String,
    /// Value of the default laws, with unit.
    pub found: String,
    /// Error of the default laws, relative.
    pub error: f64,
}

/// Part of the results.
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
    /// Title.
    pub title: String,
    /// Conditions of the comparison.
    pub subtitle: String,
    /// Panels, from top to bottom.
    pub panels: Vec<PlotPanel>,
}

impl Page {
    pub(super) fn new(name: &str, title: &str) -> Page {
        let summary =
            PageSummary { name: name.into(), title: title.into(), ..PageSummary::default() };
        Page { summary, ..Page::default() }
    }

    /// Adds data: description, kind and trust.
    pub(super) fn data(&mut self, what: &str, kind: &str, trust: &str) {
        self.data.push([what, kind, trust].map(str::to_owned));
    }

    pub(super) fn text(&mut self, text: impl Into<String>) {
        self.results.push(Block::Text(text.into()));
    }

    pub(super) fn table(&mut self, header: &[&str], rows: Vec<Vec<String>>) {
        let header = header.iter().map(ToString::to_string).collect();
        self.results.push(Block::Table { header, rows });
    }

    /// Adds the table of errors of both laws.
    pub(super) fn errors(&mut self, rows: Vec<ErrorRow>) {
        let header = ["compared with", "quantity", "runs", "error, default", "error, reference"];
        let cells = rows.into_iter().map(|row| {
            vec![row.case, row.quantity, row.runs.to_string(), row.default, row.reference]
        });
        self.table(&header, cells.collect());
    }

    pub(super) fn chart(&mut self, title: &str, subtitle: &str, panels: Vec<PlotPanel>) {
        let chart = Chart { title: title.into(), subtitle: subtitle.into(), panels };
        self.results.push(Block::Chart(chart));
    }

    pub(super) fn failure(&mut self, text: impl Into<String>) {
        self.failures.push(text.into());
    }

    /// Returns the page as Markdown.
    pub fn markdown(&self) -> String {
        let PageSummary { name, title, .. } = &self.summary;
        let mut text = format!(
            "# {title}\n\nFor reviewers. Written by `cargo run --release -p bekker-validation -- \
             {name}`; edit `tools/validation/src/` instead. Terms and all verdicts: \
             [validation](../validation.md).\n\n**Verdict.** {}\n\n**Range:** {}\n\n## Data\n\n",
            self.verdict, self.range
        );
        let header = ["data", "kind", "trust"].map(str::to_owned);
        let data: Vec<Vec<String>> = self.data.iter().map(|row| row.to_vec()).collect();
        text += &table(&header, &data);
        let _ = write!(text, "\n{}\n\n## Results\n", self.conditions);
        for block in &self.results {
            text += &match block {
                Block::Text(text) => format!("\n{text}\n"),
                Block::Chart(chart) => format!("\n![{}]({name}.png)\n", chart.title),
                Block::Table { header, rows } => format!("\n{}", table(header, rows)),
            };
        }
        if !self.failures.is_empty() {
            text += "\n## Where it fails\n\n";
            for failure in &self.failures {
                let _ = writeln!(text, "- {failure}");
            }
        }
        text
    }

    /// Returns the figure of the page.
    pub fn figure(&self) -> Option<&Chart> {
        self.results.iter().find_map(|block| match block {
            Block::Chart(chart) => Some(chart),
            _ => None,
        })
    }
}

/// Error of both laws in a comparison.
pub(super) struct ErrorRow {
    case: String,
    quantity: String,
    runs: usize,
    default: String,
    reference: String,
}

/// Creates a row of the table of errors.
pub(super) fn errors(
    case: &str,
    quantity: &str,
    runs: usize,
    [default, reference]: [String; 2],
) -> ErrorRow {
    ErrorRow { case: case.into(), quantity: quantity.into(), runs, default, reference }
}

/// Returns a table as Markdown.
pub(super) fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let row = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = vec!["---".to_string(); header.len()];
    let rows: String = rows.iter().map(|cells| row(cells)).collect();
    format!("{}{}{rows}", row(header), row(&rule))
}

pub(super) fn panel(title: &str, x: &str, y: &str, lines: Vec<PlotLine>) -> PlotPanel {
    PlotPanel { title: title.into(), x: x.into(), y: y.into(), lines }
}

pub(super) fn line(name: &str, mark: LineStyle, points: Vec<[f64; 2]>) -> PlotLine {
    PlotLine { name: name.into(), points, mark }
}

/// Returns vertical bars from low to high values.
pub(super) fn bars(name: &str, spans: impl IntoIterator<Item = (f64, [f64; 2])>) -> PlotLine {
    let spans = spans.into_iter();
    let points = spans.flat_map(|(x, [low, high])| [[x, low], [x, high], [f64::NAN; 2]]);
    line(name, LineStyle::Line, points.collect())
}

/// Formats a relative error in percent, with sign.
pub(super) fn percent(error: f64) -> String {
    let share = 100.0 * error;
    match share.abs() {
        x if x < 0.001 => "below 0.001 %".into(),
        x if x < 0.0995 => format!("{share:+.3} %"),
        x if x < 9.95 => format!("{share:+.1} %"),
        _ => format!("{share:+.0} %"),
    }
}

/// Formats the absolute value of a relative error in percent.
pub(super) fn unsigned_percent(error: f64) -> String {
    percent(error.abs()).trim_start_matches('+').to_owned()
}

/// Returns the error with the greatest absolute value.
pub(super) fn worst(errors: impl IntoIterator<Item = f64>) -> f64 {
    errors.into_iter().fold(0.0, |worst: f64, error| {
        if error.abs() > worst.abs() || error.is_nan() { error } else { worst }
    })
}

/// Returns the root mean square.
pub(super) fn rms(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) =
        values.into_iter().fold((0.0, 0.0), |(sum, count), x| (sum + x * x, count + 1.0));
    (sum / f64::max(count, 1.0)).sqrt()
}

/// Returns the verdict in a few words for an error.
pub(super) fn grade(error: f64) -> String {
    match error.abs() {
        x if x <= 0.05 => "valid".into(),
        x if x <= 0.5 => format!("valid within {}", unsigned_percent(x)),
        _ => "not valid".into(),
    }
}

/// Returns the range of validity of running gear on a class of soil in words.
pub(super) fn range(gear: RunningGearKind, soil: SoilClass) -> String {
    let of_both = |own: &&ValidityRange| own.running_gear == gear && own.soil == soil;
    let Some(range) = VALIDITY_RANGES.iter().find(of_both) else { return String::new() };
    let limits = [
        range.ground_pressure.map(|x| format!("ground pressure {:.0} kPa", 1e-3 * x)),
        range.slip.map(|x| format!("slip {x}")),
        range.braking_slip.map(|x| format!("braking slip {x}")),
        range.slip_angle_deg.map(|x| format!("slip angle {x} deg")),
        range.sinkage_ratio.map(|x| format!("depth over radius {x}")),
        range.speed.map(|x| format!("speed {x} m/s")),
    ];
    let limits: Vec<String> = limits.into_iter().flatten().collect();
    format!("up to {}", limits.join(", "))
}
