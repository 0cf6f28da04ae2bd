//! Tables of text for a console, as all commands print them.

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width,
    presets,
};
use std::ops::RangeBounds;

/// Columns of a console within which tables are kept.
pub const MOST_COLUMNS: usize = 80;
/// A space at which no line is broken.
pub(super) const JOINT: char = '\u{a0}';

/// Formats rows below a header, without lines; the columns in `right` are right-aligned.
pub fn plain(
    header: impl IntoIterator<Item: ToString>,
    rows: impl IntoIterator<Item: IntoIterator<Item: ToString>>,
    right: impl RangeBounds<usize>,
) -> Table {
    let mut table = filled(header, rows, right);
    table.load_style(presets::NOTHING);
    fit(&mut table, (1, 1));
    table
}

/// Formats rows below a header with a line; the columns in `right` are right-aligned.
///
/// Columns are `gap` + 1 characters apart.
pub fn ruled(
    header: impl IntoIterator<Item: ToString>,
    rows: impl IntoIterator<Item: IntoIterator<Item: ToString>>,
    right: impl RangeBounds<usize>,
    gap: u16,
) -> Table {
    let mut table = wide(header, rows, right, gap);
    fit(&mut table, (0, gap));
    table
}

/// Formats rows as [`ruled`] does, however wide the table becomes.
pub fn wide(
    header: impl IntoIterator<Item: ToString>,
    rows: impl IntoIterator<Item: IntoIterator<Item: ToString>>,
    right: impl RangeBounds<usize>,
    gap: u16,
) -> Table {
    let mut table = filled(header, rows, right);
    table.load_style(header_rule('-')).force_no_tty();
    table.column_iter_mut().for_each(|column| {
        column.set_padding((0, gap));
    });
    table
}

/// Pads the columns of a table, and makes it at most [`MOST_COLUMNS`] wide: columns move closer
/// together, down to one space apart, and then the widest ones wrap between words.
///
/// A table whose words alone are wider stays so. Style and padding must leave at least one space.
pub(super) fn fit(table: &mut Table, (before, after): (u16, u16)) {
    let mut widths = widest(table, |text| text.lines().map(columns).max());
    let words = widest(table, |text| text.split([' ', '\n']).map(columns).max());
    let is_within = |widths: &[usize], after: u16| {
        let apart = usize::from(after) + 1;
        // a line below the header is as long as the padding of the last column
        widths.iter().map(|width| width + apart).sum::<usize>() + usize::from(before)
            <= MOST_COLUMNS + 1
    };
    let fits = |widths: &[usize]| (0..=after).rev().find(|after| is_within(widths, *after));
    let after = fits(&widths).or_else(|| fits(&words)).unwrap_or(0);
    while !is_within(&widths, after) {
        let wraps = (0..widths.len()).filter(|k| widths[*k] > words[*k]);
        let Some(widest) = wraps.max_by_key(|k| widths[*k]) else { break };
        widths[widest] -= 1;
    }
    table.set_content_arrangement(ContentArrangement::Dynamic);
    for (column, width) in table.column_iter_mut().zip(widths) {
        column.set_padding((before, after));
        let width = Width::Fixed(width as u16 + before + after);
        column.set_constraint(ColumnConstraint::Absolute(width));
    }
}

fn columns(text: &str) -> usize {
    text.chars().count()
}

/// Breaks each line of a text between words, so that it is at most [`MOST_COLUMNS`] wide.
///
/// Continued lines begin with `indent` spaces. A longer word is not divided, and a number keeps a
/// short unit beside it.
pub fn wrapped(text: &str, indent: usize) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut words: Vec<String> = Vec::new();
        for word in line.split(' ') {
            match words.last_mut() {
                Some(last) if is_unit(word) && last.ends_with(|own: char| own.is_ascii_digit()) => {
                    *last = format!("{last} {word}");
                }
                _ => words.push(word.to_owned()),
            }
        }
        let mut words = words.into_iter();
        let mut own = words.next().unwrap_or_default();
        for word in words {
            if columns(&own) + 1 + columns(&word) > MOST_COLUMNS {
                lines.push(std::mem::replace(&mut own, format!("{:indent$}{word}", "")));
            } else {
                own = format!("{own} {word}");
            }
        }
        lines.push(own);
    }
    lines.join("\n")
}

/// Returns whether a word after a number can be its unit: at most three letters, or a sign.
fn is_unit(word: &str) -> bool {
    let letters = word.trim_end_matches([',', ';', ':', '.', ')']);
    (1..=3).contains(&columns(letters))
        && letters.chars().all(|own| own.is_alphabetic() || own == '%')
}

/// Returns the greatest `width` of the cells of each column.
fn widest(table: &mut Table, width: impl Fn(&str) -> Option<usize>) -> Vec<usize> {
    let mut widths = vec![0; table.column_count()];
    for row in table.header().into_iter().chain(table.row_iter()) {
        for (own, cell) in widths.iter_mut().zip(row.cell_iter()) {
            *own = (*own).max(width(&cell.content()).unwrap_or(0));
        }
    }
    widths
}

/// Returns a table style whose only line is below the header.
pub(super) fn header_rule(line: char) -> TableStyle {
    TableStyle::new().header_separator(LineStyle::none().fill(line).junction(line))
}

fn filled(
    header: impl IntoIterator<Item: ToString>,
    rows: impl IntoIterator<Item: IntoIterator<Item: ToString>>,
    right: impl RangeBounds<usize>,
) -> Table {
    let mut table = Table::new();
    table.set_header(header);
    table.add_rows(rows);
    for (n, column) in table.column_iter_mut().enumerate() {
        if right.contains(&n) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns move together first; then text wraps, and no word is divided.
    #[test]
    fn wide_tables_fit_eighty_columns() {
        let text = "a sentence that is much longer than the rest of the table by itself alone";
        let header = ["name", "greatest drawbar pull", "note"];
        let rows = [["first", "-12345.678", text], ["second", "9.5", "short"]];
        for table in [plain(header, rows, 1..=1), ruled(header, rows, 1..=1, 2)] {
            let table = table.trim_fmt();
            let widest = table.lines().map(columns).max().unwrap();
            assert!((70..=MOST_COLUMNS).contains(&widest), "{widest}:\n{table}");
            for word in ["-12345.678", "greatest", "sentence", "alone"] {
                assert!(table.contains(word), "{table}");
            }
        }
    }

    #[test]
    fn prose_wraps_between_words() {
        let text = "label     a text that is longer than a console is wide, and whose share is of \
                    12 % here\nshort";
        let expected = "label     a text that is longer than a console is wide, and whose share \
                        is of\n          12 % here\nshort";
        assert_eq!(wrapped(text, 10), expected);
        let share = format!("{} 12 %", "x".repeat(76));
        assert_eq!(wrapped(&share, 2), format!("{}\n  12 %", "x".repeat(76)));
        let path = format!("in {}", "x".repeat(90));
        assert_eq!(wrapped(&path, 0), format!("in\n{}", "x".repeat(90)));
    }

    #[test]
    fn columns_are_aligned_and_the_header_is_ruled() {
        let rows = [["a", "1.5", "first"], ["long", "10.25", "second"]];
        let header = ["name", "m", "note"];
        let plain = plain(header, rows, 1..=1).trim_fmt();
        assert_eq!(plain, " name      m  note\n a       1.5  first\n long  10.25  second");
        let ruled = ruled(header, rows, 1..2, 2).trim_fmt();
        assert_eq!(
            ruled,
            "name       m   note\n-----------------------\na        1.5   first\nlong   10.25   second"
        );
    }
}
