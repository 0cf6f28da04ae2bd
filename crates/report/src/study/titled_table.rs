//! A table of text, for a terminal, a page or another program.

use crate::ReportError;
use crate::table::TableStyle;
use crate::text_table::{JOINT, MOST_COLUMNS, fit, header_rule, wrapped};
use comfy_table::{CellAlignment, Table};
use std::path::Path;

/// A table with a title.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TitledTable {
    /// Title.
    pub title: String,
    /// Names of the columns.
    pub head: Vec<String>,
    /// Rows, each with as many cells as the head.
    pub rows: Vec<Vec<String>>,
}

/// Pairs of words between which a line is not broken, by their joint: a value and its deviation, a
/// number and its percent sign, a count and its total, the label in brackets and its value.
const PAIRS: [&str; 4] = [" ± ", " %", " of ", "[all: "];

/// Joins these pairs of words and, if asked, the ends of an interval in brackets.
fn joined(text: &str, pairs: &[&str], intervals: bool) -> String {
    let mut is_within = false;
    let join = |letter| {
        is_within = letter == '[' || is_within && letter != ']';
        if letter == ' ' && is_within && intervals { JOINT } else { letter }
    };
    let text: String = text.chars().map(join).collect();
    // the label is not an end of an interval
    let text = text.replace(&format!("[all:{JOINT}"), "[all: ");
    let joint = JOINT.to_string();
    pairs.iter().fold(text, |text, pair| text.replace(pair, &pair.replace(' ', &joint)))
}

/// Returns whether a cell begins with a number or has none.
fn is_number(text: &str) -> bool {
    text.trim_start_matches(['-', '+', '≥', '≤', ' '])
        .chars()
        .next()
        .is_none_or(|own| own.is_ascii_digit())
}

impl TitledTable {
    /// Formats the table as text, with a line below the head.
    pub fn text(&self, style: TableStyle) -> String {
        // fewer joints if the table is too wide
        let forms = [(4, true), (3, true), (2, true)].into_iter();
        let mut forms = forms.map(|(pairs, intervals)| {
            self.formatted(style, |text| joined(text, &PAIRS[..pairs], intervals))
        });
        let is_within =
            |table: &String| table.lines().all(|line| line.chars().count() <= MOST_COLUMNS);
        let last = self.formatted(style, |text| joined(text, &PAIRS[..2], false));
        let table = forms.find(is_within).unwrap_or(last);
        format!("{}\n\n{table}\n", wrapped(&self.title, 0))
    }

    /// Formats the rows, in which `join` prevents breaks.
    fn formatted(&self, style: TableStyle, join: impl Fn(&str) -> String) -> String {
        let mut table = Table::new();
        table.set_header(&self.head);
        for row in &self.rows {
            table.add_row(row.iter().map(|text| join(text)));
        }
        match style {
            TableStyle::Plain => table.load_style(header_rule('-')).force_no_tty(),
            TableStyle::Terminal => table.load_style(header_rule('─')),
        };
        for (n, column) in table.column_iter_mut().enumerate() {
            if self.rows.iter().all(|row| is_number(&row[n])) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        fit(&mut table, (0, 2));
        table.trim_fmt().replace(JOINT, " ")
    }

    /// Formats the table as a section in Markdown.
    pub fn markdown(&self) -> String {
        let row = |words: &[String]| {
            let words: Vec<String> = words.iter().map(|word| word.replace('|', "\\|")).collect();
            format!("| {} |\n", words.join(" | "))
        };
        let rule = format!("|{}\n", " ---: |".repeat(self.head.len()));
        let rows: String = self.rows.iter().map(|words| row(words)).collect();
        format!("## {}\n\n{}{rule}{rows}", self.title, row(&self.head))
    }

    /// Writes the table as CSV.
    ///
    /// # Errors
    /// [`ReportError`] if it cannot be written.
    pub fn write_csv(&self, path: &Path) -> Result<(), ReportError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in std::iter::once(&self.head).chain(&self.rows) {
            writer.write_record(row).map_err(ReportError::encode(path))?;
        }
        let bytes =
            writer.into_inner().map_err(|error| ReportError::encode(path)(error.error()))?;
        crate::write_file(path, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table with trials that did not arrive fits 80 columns, and divides no value.
    #[test]
    fn totals_of_unfinished_trials_fit_eighty_columns() {
        let head = ["point", "grade", "inflation", "done", "go", "mean_slip, %"].into_iter();
        let head = head.chain(["max_sinkage, cm", "drive_energy, kJ"]).map(str::to_owned).collect();
        let row = ["3", "0.32", "55", "3", "1/3 [6, 79 %]", "40.60 ± 4.20", "17.45 ± 0.25"];
        let row = row.into_iter().chain(["752.3, 1 of 3 arrived [all: 515 ± 213]"]);
        let rows = vec![row.map(str::to_owned).collect()];
        let text =
            TitledTable { title: "Design points".into(), head, rows }.text(TableStyle::Plain);
        assert!(text.lines().all(|line| line.chars().count() <= MOST_COLUMNS), "{text}");
        for value in ["[6, 79 %]", "40.60 ± 4.20", "17.45 ± 0.25", "515 ± 213]"] {
            assert!(text.contains(value), "{value} is divided:\n{text}");
        }
    }
}
