//! A table of text, for a terminal, a page or another program.

use crate::ReportError;
use crate::table::TableStyle;
use crate::text_table::{fit, header_rule};
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

/// A space at which a cell does not wrap.
const JOINT: char = '\u{a0}';

/// Joins the words of an interval in brackets, and a value with its deviation.
fn joined(text: &str) -> String {
    let mut is_within = false;
    let join = |letter| {
        is_within = letter == '[' || is_within && letter != ']';
        if letter == ' ' && is_within { JOINT } else { letter }
    };
    text.chars().map(join).collect::<String>().replace(" ± ", &format!("{JOINT}±{JOINT}"))
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
        let mut table = Table::new();
        table.set_header(&self.head);
        for row in &self.rows {
            table.add_row(row.iter().map(|text| joined(text)));
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
        format!("{}\n\n{}\n", self.title, table.trim_fmt().replace(JOINT, " "))
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
