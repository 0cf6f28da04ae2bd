//! Factorization `P K Pᵀ = L D Lᵀ` of a sparse symmetric quasi-definite matrix with a fixed
//! pattern.
//!
//! The elimination order and the target of every update are found once, when the model is built. A
//! diagonal entry of a closure is tiny and negative. It may be eliminated only after all
//! coordinates that the closure touches; by then its pivot is the closure's own inverse mass. Under
//! that rule the order is greedy minimum degree (Tinney and Walker 1967), with ties to the lower
//! index, followed by the postorder of the elimination tree. The postorder changes no fill and
//! keeps each closure behind its coordinates. The numeric phase does no pivoting.
//!
//! Neighboring columns of similar pattern form panels of up to four (supernodes; Ng and Peyton
//! 1993), with some stored zeros to make the patterns equal. Panels are stored row by row, so each
//! index lookup serves four columns.

use std::collections::BTreeSet;

/// Maximum number of columns of a panel.
const WIDTH: usize = 4;
/// Maximum number of stored zeros added to a column to join the next panel.
const PADDING: usize = 3;

/// The entries of one row in a panel.
///
/// Entries right of the diagonal, and in columns that a narrower panel lacks, are zero.
type PanelRow = [f64; WIDTH];

/// Neighboring columns with the same pattern below them.
#[derive(Clone, Debug)]
struct ColumnPanel {
    /// first column
    first: usize,
    /// columns
    width: usize,
    /// rows below the panel's own
    rows: Vec<u32>,
    /// first row in the values
    start: usize,
    /// row by row, the targets from which the products of this row with itself and those below are
    /// subtracted, counted from the panel's end
    targets: Vec<u32>,
}

impl ColumnPanel {
    /// Number of rows of the panel, including its diagonal block.
    fn height(&self) -> usize {
        self.width + self.rows.len()
    }
}

/// Pattern and elimination plan; immutable.
#[derive(Clone, Debug)]
pub(super) struct FactorPlan {
    n: usize,
    /// position of variable v in the elimination order
    rank: Vec<u32>,
    panels: Vec<ColumnPanel>,
    /// panel of each column
    panel_of: Vec<u32>,
}

/// Values of a factorization.
#[derive(Clone, Debug)]
pub(super) struct FactorValues {
    /// Panel by panel, row by row.
    pub(super) values: Vec<f64>,
    inverse: Vec<f64>,
    work: Vec<f64>,
}

/// Elimination order and, in this order, the rows below the diagonal of each column.
fn eliminate(
    n: usize,
    closures: usize,
    pairs: &BTreeSet<(usize, usize)>,
) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut neighbors: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
    for &(i, j) in pairs {
        if i != j {
            neighbors[i].insert(j);
            neighbors[j].insert(i);
        }
    }
    // Number of coordinates that must be eliminated before each closure.
    let mut waits: Vec<usize> = (0..n)
        .map(|v| if v < closures { 0 } else { neighbors[v].range(..closures).count() })
        .collect();
    let touching: Vec<Vec<usize>> =
        (0..n)
            .map(|v| {
                if v < closures {
                    neighbors[v].range(closures..).copied().collect()
                } else {
                    vec![]
                }
            })
            .collect();
    let mut order = Vec::with_capacity(n);
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut left: BTreeSet<usize> = (0..n).collect();
    while !left.is_empty() {
        let next = left
            .iter()
            .copied()
            .filter(|&v| waits[v] == 0)
            .min_by_key(|&v| (neighbors[v].len(), v))
            .expect("coordinates are always candidates");
        left.remove(&next);
        order.push(next);
        let around: Vec<usize> = neighbors[next].iter().copied().collect();
        for &i in &around {
            neighbors[i].remove(&next);
            for &j in &around {
                if i != j {
                    neighbors[i].insert(j);
                }
            }
        }
        for &closure in &touching[next] {
            waits[closure] -= 1;
        }
        columns[next] = around;
    }
    postordered(&order, &columns)
}

/// Reorders the same elimination so that each column directly follows its children in the tree.
fn postordered(order: &[usize], columns: &[Vec<usize>]) -> (Vec<u32>, Vec<Vec<u32>>) {
    let n = order.len();
    let mut when = vec![0; n];
    for (time, &v) in order.iter().enumerate() {
        when[v] = time;
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut roots = Vec::new();
    for &v in order {
        match columns[v].iter().min_by_key(|&&row| when[row]) {
            Some(&parent) => children[parent].push(v),
            None => roots.push(v),
        }
    }
    let mut rank = vec![0u32; n];
    let mut sorted: Vec<Vec<u32>> = vec![Vec::new(); n];
    // Parents first, last child first: the reversed postorder.
    let mut open = roots;
    for place in (0..n).rev() {
        let v = open.pop().expect("every column descends from a root");
        rank[v] = place as u32;
        open.append(&mut children[v]);
    }
    for (v, column) in columns.iter().enumerate() {
        let mut rows: Vec<u32> = column.iter().map(|&row| rank[row]).collect();
        rows.sort_unstable();
        sorted[rank[v] as usize] = rows;
    }
    (rank, sorted)
}

impl FactorPlan {
    /// Plans the factorization of a matrix of `n` variables with the given off-diagonal pairs.
    ///
    /// Variables from index `closures` on are closure rows.
    pub(super) fn new(n: usize, closures: usize, pairs: &BTreeSet<(usize, usize)>) -> FactorPlan {
        let (rank, columns) = eliminate(n, closures, pairs);
        let mut panels: Vec<ColumnPanel> = Vec::new();
        for (first, rows) in columns.into_iter().enumerate().rev() {
            match panels.last_mut() {
                Some(next)
                    if next.width < WIDTH
                        && rows.first() == Some(&(next.first as u32))
                        && next.height() <= rows.len() + PADDING =>
                {
                    next.first = first;
                    next.width += 1;
                }
                _ => panels.push(ColumnPanel {
                    first,
                    width: 1,
                    rows,
                    start: 0,
                    targets: Vec::new(),
                }),
            }
        }
        panels.reverse();
        let mut panel_of = vec![0; n];
        let mut start = 0;
        for (index, panel) in panels.iter_mut().enumerate() {
            panel.start = start;
            start += panel.height();
            panel_of[panel.first..panel.first + panel.width].fill(index as u32);
        }
        let mut symbolic = FactorPlan { n, rank, panels, panel_of };
        for index in 0..symbolic.panels.len() {
            let panel = &symbolic.panels[index];
            let end = ((panel.start + panel.height()) * WIDTH) as u32;
            let mut targets = Vec::new();
            for (k, &column) in panel.rows.iter().enumerate() {
                let below = &panel.rows[k..];
                targets.extend(below.iter().map(|&row| symbolic.entry(row, column) - end));
            }
            symbolic.panels[index].targets = targets;
        }
        symbolic
    }

    /// Index of an entry; `row` must not precede `column` in the order.
    fn entry(&self, row: u32, column: u32) -> u32 {
        let panel = &self.panels[self.panel_of[column as usize] as usize];
        let (row, column) = (row as usize, column as usize);
        let local = if row < panel.first + panel.width {
            row - panel.first
        } else {
            let below = panel.rows.binary_search(&(row as u32));
            panel.width + below.expect("updates stay within the sparsity pattern")
        };
        ((panel.start + local) * WIDTH + column - panel.first) as u32
    }

    /// Index in [`FactorValues::values`] of the entry of variables `i` and `j`.
    pub(super) fn entry_index(&self, i: usize, j: usize) -> u32 {
        let (a, b) = (self.rank[i], self.rank[j]);
        self.entry(a.max(b), a.min(b))
    }

    /// Number of stored entries of the factors.
    pub(super) fn entries(&self) -> usize {
        self.panels.iter().map(|panel| panel.height() * panel.width).sum()
    }

    /// Allocates the values.
    pub(super) fn numeric(&self) -> FactorValues {
        let rows: usize = self.panels.iter().map(ColumnPanel::height).sum();
        FactorValues {
            values: vec![0.0; rows * WIDTH],
            inverse: vec![0.0; self.n],
            work: vec![0.0; self.n],
        }
    }

    /// Replaces the matrix by its factors.
    ///
    /// # Errors
    ///
    /// The elimination step whose pivot is zero or not finite.
    #[inline(always)]
    pub(super) fn factorize(&self, numeric: &mut FactorValues) -> Result<(), usize> {
        let FactorValues { values, inverse, .. } = numeric;
        let mut rest = &mut values[..];
        for panel in &self.panels {
            let (own, beyond) = rest.split_at_mut(panel.height() * WIDTH);
            rest = beyond;
            let (top, below) = own.as_chunks_mut::<WIDTH>().0.split_at_mut(panel.width);
            let mut triangle = [[0.0; WIDTH]; WIDTH];
            let mut pivots = [0.0; WIDTH];
            let mut inverses = [0.0; WIDTH];
            for (k, row) in top.iter_mut().enumerate() {
                let products = substitute(row, &triangle);
                for j in 0..k {
                    row[j] = products[j] * inverses[j];
                }
                let mut pivot = row[k];
                for j in 0..k {
                    pivot -= products[j] * row[j];
                }
                if pivot == 0.0 || !pivot.is_finite() {
                    return Err(panel.first + k);
                }
                pivots[k] = pivot;
                inverses[k] = 1.0 / pivot;
                inverse[panel.first + k] = inverses[k];
                row[k..].fill(0.0);
                triangle[k] = *row;
            }
            for row in below.iter_mut() {
                let products = substitute(row, &triangle);
                for j in 0..WIDTH {
                    row[j] = products[j] * inverses[j];
                }
            }
            let mut targets = &panel.targets[..];
            for k in 0..below.len() {
                let mut products = below[k];
                for j in 0..WIDTH {
                    products[j] *= pivots[j];
                }
                let (now, later) = targets.split_at(below.len() - k);
                targets = later;
                for (&target, row) in now.iter().zip(&below[k..]) {
                    rest[target as usize] -= product(row, &products);
                }
            }
        }
        Ok(())
    }

    /// Solves in place for a right-hand side in the order of the variables.
    #[inline(always)]
    pub(super) fn solve(&self, numeric: &mut FactorValues, x: &mut [f64]) {
        let FactorValues { values, inverse, work } = numeric;
        for (&rank, &value) in self.rank.iter().zip(&*x) {
            work[rank as usize] = value;
        }
        let mut rest = values.as_chunks::<WIDTH>().0;
        for panel in &self.panels {
            let (own, later) = rest.split_at(panel.height());
            rest = later;
            let (top, below) = own.split_at(panel.width);
            let mut solved = [0.0; WIDTH];
            let mine = &mut work[panel.first..panel.first + panel.width];
            for (k, (value, row)) in mine.iter_mut().zip(top).enumerate() {
                *value -= product(row, &solved);
                solved[k] = *value;
            }
            for (&row, entries) in panel.rows.iter().zip(below) {
                work[row as usize] -= product(entries, &solved);
            }
        }
        for (value, inverse) in work.iter_mut().zip(&*inverse) {
            *value *= inverse;
        }
        let mut rest = values.as_chunks::<WIDTH>().0;
        for panel in self.panels.iter().rev() {
            let (earlier, own) = rest.split_at(rest.len() - panel.height());
            rest = earlier;
            let (top, below) = own.split_at(panel.width);
            let mut sums = [0.0; WIDTH];
            for (&row, entries) in panel.rows.iter().zip(below) {
                let value = work[row as usize];
                for j in 0..WIDTH {
                    sums[j] += entries[j] * value;
                }
            }
            let mine = &mut work[panel.first..panel.first + panel.width];
            for (k, (value, row)) in mine.iter_mut().zip(top).enumerate().rev() {
                *value -= sums[k];
                for j in 0..k {
                    sums[j] += row[j] * *value;
                }
            }
        }
        for (value, &rank) in x.iter_mut().zip(&self.rank) {
            *value = work[rank as usize];
        }
    }
}

/// A row of the matrix minus its products with the rows of the panel above it.
///
/// The result is the row of the factor times the pivots.
#[inline(always)]
fn substitute(row: &PanelRow, triangle: &[PanelRow; WIDTH]) -> PanelRow {
    let mut products = *row;
    for k in 1..WIDTH {
        for j in 0..k {
            products[k] -= products[j] * triangle[k][j];
        }
    }
    products
}

#[inline(always)]
fn product(a: &PanelRow, b: &PanelRow) -> f64 {
    (a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::random::RandomStream;

    /// Compares the solution for a random quasi-definite matrix with nalgebra's dense LU.
    #[test]
    fn agrees_with_a_dense_solver() {
        let (coordinates, closures) = (14, 5);
        let n = coordinates + closures;
        let stream = RandomStream::new(7, "quasi-definite");
        let mut dense = nalgebra::DMatrix::<f64>::zeros(n, n);
        let mut pairs = BTreeSet::new();
        let mut counter = 0;
        let mut draw = || {
            counter += 1;
            stream.uniform(counter) - 0.5
        };
        for i in 0..coordinates {
            dense[(i, i)] += 4.0;
            for j in 0..i {
                if (i + j) % 3 == 0 {
                    let value = draw();
                    dense[(i, j)] = value;
                    dense[(j, i)] = value;
                    pairs.insert((i, j));
                }
            }
        }
        for c in coordinates..n {
            dense[(c, c)] = -1e-9;
            for step in 0..4 {
                let j = (c * 5 + step * 3) % coordinates;
                let value = draw() + 1.0;
                dense[(c, j)] = value;
                dense[(j, c)] = value;
                pairs.insert((c, j));
            }
        }
        let symbolic = FactorPlan::new(n, coordinates, &pairs);
        let mut numeric = symbolic.numeric();
        for i in 0..n {
            numeric.values[symbolic.entry_index(i, i) as usize] = dense[(i, i)];
        }
        for &(i, j) in &pairs {
            numeric.values[symbolic.entry_index(i, j) as usize] = dense[(i, j)];
        }
        symbolic.factorize(&mut numeric).unwrap();
        let right = nalgebra::DVector::from_fn(n, |i, _| (i as f64).mul_add(0.3, 1.0));
        let mut x: Vec<f64> = right.iter().copied().collect();
        symbolic.solve(&mut numeric, &mut x);
        let exact = dense.lu().solve(&right).unwrap();
        for i in 0..n {
            // The condition number is about 1e2, so 1e-10 leaves a margin of four digits.
            assert!((x[i] - exact[i]).abs() < 1e-10 * (1.0 + exact[i].abs()), "{i}");
        }
    }
}
