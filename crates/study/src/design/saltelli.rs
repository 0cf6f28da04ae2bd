//! Design for the estimation of Sobol' indices (A. Saltelli and others, Comput. Phys. Commun. 181,
//! 2010).
//!
//! It has base points A and B, and for each factor A with the factor's column of B. The rows of a
//! base point are in the order of SALib's `sample.sobol`, so SALib's `analyze.sobol` accepts a
//! column of the results unchanged.

use super::config::StudyConfig;
use super::points::stream;
use super::sobol::Dimension;

/// Returns the number of tables of points.
///
/// They are A, B, A with a column of B for each factor and, for indices of pairs, B with a column
/// of A.
pub(super) fn tables(factors: usize, second_order: bool) -> u64 {
    2 + factors as u64 * if second_order { 2 } else { 1 }
}

/// Positions of the tables among the rows of a base point.
pub(crate) struct SaltelliOrder {
    factors: usize,
    second_order: bool,
}

impl SaltelliOrder {
    /// Creates the order for a number of factors, with or without the rows for indices of pairs.
    pub fn new(factors: usize, second_order: bool) -> SaltelliOrder {
        SaltelliOrder { factors, second_order }
    }

    /// Returns the number of rows of a base point.
    pub fn rows(&self) -> usize {
        tables(self.factors, self.second_order) as usize
    }

    /// Returns the position of table A: the first.
    pub fn a(&self) -> usize {
        0
    }

    /// Returns the position of A with a factor's column of B.
    pub fn a_with_b(&self, factor: usize) -> usize {
        1 + factor
    }

    /// Returns the position of B with a factor's column of A; only in designs for indices of pairs.
    pub fn b_with_a(&self, factor: usize) -> usize {
        1 + self.factors + factor
    }

    /// Returns the position of table B: the last.
    pub fn b(&self) -> usize {
        self.rows() - 1
    }
}

/// Returns the numbers of each factor at all points, base point by base point.
///
/// A base point has A, A with each factor's column of B in order, for the second order B with each
/// factor's column of A, and B.
pub(crate) fn columns(config: &StudyConfig) -> Vec<Vec<f64>> {
    let (points, factors) = (config.points.unwrap_or(0), config.factor.len());
    let tables = tables(factors, config.second_order) as usize;
    let column = |n: usize| {
        let factor = &config.factor[n];
        // two dimensions per factor, so an appended factor changes no other
        let a = Dimension::new(2 * n, stream(config, factor, ""));
        let b = Dimension::new(2 * n + 1, stream(config, factor, " again"));
        let rows = (0..points).flat_map(|point| {
            let [a, b] = [a.number(point), b.number(point)];
            (0..tables).map(move |row| if has_b(row, n, factors, tables) { b } else { a })
        });
        rows.collect()
    };
    (0..factors).map(column).collect()
}

/// Returns whether a row has the factor's column of B.
fn has_b(row: usize, factor: usize, factors: usize, rows: usize) -> bool {
    match row {
        0 => false,
        _ if row + 1 == rows => true,
        _ if row <= factors => row - 1 == factor,
        _ => row - 1 - factors != factor,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of one base point of three factors as in SALib 1.6.0.
    ///
    /// `calc_second_order` is off and on; upper case marks columns of B.
    #[test]
    fn rows_are_in_the_order_of_salib() {
        for (second_order, known) in [
            (false, &["abc", "Abc", "aBc", "abC", "ABC"][..]),
            (true, &["abc", "Abc", "aBc", "abC", "aBC", "AbC", "ABc", "ABC"]),
        ] {
            let order = SaltelliOrder::new(3, second_order);
            let rows = order.rows();
            let row = |row: usize| {
                let column = |n: usize| {
                    let letter = ['a', 'b', 'c'][n];
                    if has_b(row, n, 3, rows) { letter.to_ascii_uppercase() } else { letter }
                };
                (0..3).map(column).collect::<String>()
            };
            assert_eq!((0..rows).map(row).collect::<Vec<_>>(), known);
            assert_eq!([row(order.a()), row(order.b())], ["abc", "ABC"]);
            assert_eq!([0, 1, 2].map(|n| row(order.a_with_b(n))), ["Abc", "aBc", "abC"]);
            if second_order {
                assert_eq!([0, 1, 2].map(|n| row(order.b_with_a(n))), ["aBC", "AbC", "ABc"]);
            }
        }
        assert_eq!([tables(3, false), tables(3, true)], [5, 8]);
    }
}
