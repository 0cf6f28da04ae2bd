//! Tables of numbers.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

/// Formats columns under a ruled header; all except the first `left` ones are right-aligned.
pub fn columns(header: &[&str], rows: Vec<Vec<String>>, left: usize) -> String {
    let rule = TableStyle::new().header_separator(LineStyle::none().fill('-').junction('-'));
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.iter().copied());
    for row in rows {
        table.add_row(row);
    }
    for (n, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        column.set_cell_alignment(if n < left {
            CellAlignment::Left
        } else {
            CellAlignment::Right
        });
    }
    table.load_style(rule);
    table.trim_fmt()
}

/// Selects at most `count` points of a curve, including the last one.
///
/// They are spaced as evenly as possible in `place`, which increases along the curve from 0.
pub fn spread<T>(curve: &[T], count: usize, place: impl Fn(&T) -> f64) -> Vec<&T> {
    // rounding must not exclude the last point
    let slack = 1.0 - 1e-12;
    let end = curve.last().map_or(0.0, &place);
    let mut marks = (1..=count).map(|n| slack * end * n as f64 / count as f64).peekable();
    let mut chosen = Vec::new();
    for point in curve {
        let reached = |mark: &f64| place(point) >= *mark;
        if marks.next_if(reached).is_some() {
            chosen.push(point);
            while marks.next_if(reached).is_some() {}
        }
    }
    chosen
}

/// Formats a change or difference as a percentage.
pub fn percent(part: f64) -> String {
    format!("{:.2}", 100.0 * part)
}

/// Formats a number with about four digits and without an exponent.
pub fn figure(value: f64) -> String {
    let magnitude = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    format!("{value:.*}", (3 - magnitude).clamp(0, 6) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_evenly_and_keeps_the_end() {
        let curve: Vec<f64> = (0..=100).map(f64::from).collect();
        let chosen: Vec<f64> = spread(&curve, 4, |x| *x).into_iter().copied().collect();
        assert_eq!(chosen, [25.0, 50.0, 75.0, 100.0]);
        assert!(spread(&[], 4, |x: &f64| *x).is_empty());
        assert_eq!(spread(&[1.0, 2.0], 10, |x| *x), [&1.0, &2.0]);
    }

    #[test]
    fn four_digits() {
        assert_eq!(
            [0.0, 0.012345, 12.345, 12345.6].map(figure),
            ["0.000", "0.01235", "12.35", "12346"].map(String::from)
        );
    }
}
