//! Tables of numbers.

use crate::report::text_table;

/// Formats columns under a ruled header; all except the first `left` ones are right-aligned.
pub fn columns(header: &[&str], rows: Vec<Vec<String>>, left: usize) -> String {
    text_table::ruled(header, rows, left.., 2).trim_fmt()
}

/// Formats columns of numbers under a ruled header, however wide the table becomes.
pub fn all_columns(header: &[&str], rows: Vec<Vec<String>>) -> String {
    text_table::wide(header, rows, .., 2).trim_fmt()
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

/// Formats a row of a stress, Pa, that of a closed form, and their difference.
pub fn compare_with_closed_form(place: String, stress: f64, closed_form: f64) -> Vec<String> {
    let kilopascals = |stress: f64| format!("{:.3}", 1e-3 * stress);
    vec![place, kilopascals(stress), kilopascals(closed_form), percent(stress / closed_form - 1.0)]
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
