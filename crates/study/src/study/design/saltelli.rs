//! The design that Sobol' indices are estimated from (A. Saltelli and others, Comput. Phys.
//! Commun. 181, 2010): base points A and B, and for each factor A with the factor's column of B.

use super::config::StudyConfig;
use super::points::stream;
use super::sobol::Dimension;

/// How many tables of points there are: A, B, A with a column of B for each factor and, for
/// indices of pairs, B with a column of A.
pub(super) fn tables(factors: usize, second_order: bool) -> u64 {
    2 + factors as u64 * if second_order { 2 } else { 1 }
}

/// Numbers of each factor at all points, base point by base point: A, B, A with each factor's
/// column of B in their order, B with each factor's column of A.
pub(in crate::study) fn columns(config: &StudyConfig) -> Vec<Vec<f64>> {
    let (points, factors) = (config.points.unwrap_or(0), config.factor.len());
    let tables = tables(factors, config.second_order) as usize;
    let column = |n: usize| {
        let factor = &config.factor[n];
        // two dimensions a factor: one that comes last shifts none
        let a = Dimension::new(2 * n, stream(config, factor, ""));
        let b = Dimension::new(2 * n + 1, stream(config, factor, " again"));
        let rows = (0..points).flat_map(|point| {
            let [a, b] = [a.number(point), b.number(point)];
            (0..tables).map(move |table| if of_b(table, n, factors) { b } else { a })
        });
        rows.collect()
    };
    (0..factors).map(column).collect()
}

/// Whether a factor's column of a table is B's.
fn of_b(table: usize, factor: usize, factors: usize) -> bool {
    match table {
        0 => false,
        1 => true,
        _ if table < 2 + factors => table - 2 == factor,
        _ => table - 2 - factors != factor,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_differ_from_a_and_b_in_one_column() {
        let row = |table| [0, 1, 2].map(|factor| of_b(table, factor, 3));
        assert_eq!([row(0), row(1)], [[false; 3], [true; 3]]);
        for factor in 0..3 {
            let one: [bool; 3] = std::array::from_fn(|own| own == factor);
            assert_eq!(row(2 + factor), one);
            assert_eq!(row(5 + factor), one.map(|is| !is));
        }
        assert_eq!([tables(3, false), tables(3, true)], [5, 8]);
    }
}
