//! Tables of text for a console, as all commands print them.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle, presets};
use std::ops::RangeBounds;

/// Formats rows below a header, without lines; the columns in `right` are right-aligned.
pub fn plain(
    header: impl IntoIterator<Item: ToString>,
    rows: impl IntoIterator<Item: IntoIterator<Item: ToString>>,
    right: impl RangeBounds<usize>,
) -> Table {
    let mut table = filled(header, rows, right);
    table.load_style(presets::NOTHING);
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
    let mut table = filled(header, rows, right);
    for column in table.column_iter_mut() {
        column.set_padding((0, gap));
    }
    table.load_style(header_rule('-')).force_no_tty();
    table
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
    table.set_content_arrangement(ContentArrangement::Disabled);
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
