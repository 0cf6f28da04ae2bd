//! Factorisation `P K Pᵀ = L D Lᵀ` of a sparse symmetric quasi-definite matrix
//! whose pattern never changes.
//!
//! The order of elimination and the target of every update are found once, when
//! the model is built. A diagonal entry of a closure is tiny and negative: it
//! may be eliminated only after all coordinates that the closure touches, when
//! its pivot has become the closure's own inverse mass. Under that rule the
//! order is greedy minimum degree (Tinney and Walker 1967), ties to the lower
//! index. No pivoting is done in the numeric phase.

use std::collections::{BTreeMap, BTreeSet};

/// Pattern and elimination plan; immutable.
#[derive(Clone, Debug)]
pub(super) struct Symbolic {
    n: usize,
    /// position of variable v in the order of elimination
    rank: Vec<u32>,
    /// columns of L: first entry of each, in `rows`
    start: Vec<u32>,
    /// row (rank) of each entry below the diagonal
    rows: Vec<u32>,
    /// for each pair of entries of each column: where their product is taken off
    targets: Vec<u32>,
    /// place of the entry (row rank, column rank) below the diagonal
    places: BTreeMap<(u32, u32), u32>,
}

/// Numbers of a factorisation: diagonal in order of elimination, then the entries
/// of L column by column.
#[derive(Clone, Debug)]
pub(super) struct Numeric {
    pub(super) values: Vec<f64>,
    work: Vec<f64>,
}

impl Symbolic {
    /// Plans the factorisation of a matrix of `n` variables with the given
    /// off-diagonal pairs; variables from `closures` on are closure rows.
    pub(super) fn new(n: usize, closures: usize, pairs: &BTreeSet<(usize, usize)>) -> Symbolic {
        let mut neighbours: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
        for &(i, j) in pairs {
            if i != j {
                neighbours[i].insert(j);
                neighbours[j].insert(i);
            }
        }
        // Coordinates that each closure must outlive.
        let mut waits: Vec<usize> = (0..n)
            .map(|v| if v < closures { 0 } else { neighbours[v].range(..closures).count() })
            .collect();
        let touching: Vec<Vec<usize>> = (0..n)
            .map(|v| {
                if v < closures {
                    neighbours[v].range(closures..).copied().collect()
                } else {
                    Vec::new()
                }
            })
            .collect();
        let mut rank = vec![u32::MAX; n];
        let mut columns: Vec<Vec<usize>> = Vec::with_capacity(n);
        let mut left: BTreeSet<usize> = (0..n).collect();
        for order in 0..n {
            let next = left
                .iter()
                .copied()
                .filter(|&v| waits[v] == 0)
                .min_by_key(|&v| (neighbours[v].len(), v))
                .expect("coordinates are always eligible");
            left.remove(&next);
            rank[next] = order as u32;
            let around: Vec<usize> = neighbours[next].iter().copied().collect();
            for &i in &around {
                neighbours[i].remove(&next);
                for &j in &around {
                    if i != j {
                        neighbours[i].insert(j);
                    }
                }
            }
            for &closure in &touching[next] {
                waits[closure] -= 1;
            }
            columns.push(around);
        }

        let mut start = vec![0u32];
        let mut rows = Vec::new();
        let mut places = BTreeMap::new();
        for (column, around) in columns.iter().enumerate() {
            let mut below: Vec<u32> = around.iter().map(|&v| rank[v]).collect();
            below.sort_unstable();
            for row in below {
                places.insert((row, column as u32), (n + rows.len()) as u32);
                rows.push(row);
            }
            start.push(rows.len() as u32);
        }
        let mut targets = Vec::new();
        for column in 0..n {
            let below = &rows[start[column] as usize..start[column + 1] as usize];
            for (i, &row_i) in below.iter().enumerate() {
                for &row_k in &below[..i] {
                    targets.push(places[&(row_i, row_k)]);
                }
                targets.push(row_i);
            }
        }
        Symbolic { n, rank, start, rows, targets, places }
    }

    /// Place in [`Numeric::values`] of the entry of variables `i` and `j`.
    pub(super) fn place(&self, i: usize, j: usize) -> u32 {
        let (a, b) = (self.rank[i], self.rank[j]);
        if a == b { a } else { self.places[&(a.max(b), a.min(b))] }
    }

    /// Storage for the numbers.
    pub(super) fn numeric(&self) -> Numeric {
        Numeric { values: vec![0.0; self.n + self.rows.len()], work: vec![0.0; self.n] }
    }

    /// Replaces the matrix by its factors; returns the variable rank whose pivot
    /// is not finite or zero, if any.
    pub(super) fn factorise(&self, numeric: &mut Numeric) -> Result<(), usize> {
        let values = &mut numeric.values;
        let mut target = 0;
        for column in 0..self.n {
            let pivot = values[column];
            if pivot == 0.0 || !pivot.is_finite() {
                return Err(column);
            }
            let inverse = 1.0 / pivot;
            let first = self.n + self.start[column] as usize;
            let last = self.n + self.start[column + 1] as usize;
            for i in first..last {
                let scaled = values[i] * inverse;
                for k in first..i {
                    // Entries before i are scaled already: l_k d = original.
                    values[self.targets[target] as usize] -= scaled * values[k] * pivot;
                    target += 1;
                }
                values[self.targets[target] as usize] -= scaled * values[i];
                target += 1;
                values[i] = scaled;
            }
            values[column] = inverse;
        }
        Ok(())
    }

    /// Solves in place for a right-hand side in the order of the variables.
    pub(super) fn solve(&self, numeric: &mut Numeric, x: &mut [f64]) {
        let Numeric { values, work } = numeric;
        for (variable, &rank) in self.rank.iter().enumerate() {
            work[rank as usize] = x[variable];
        }
        for column in 0..self.n {
            let value = work[column];
            for entry in self.start[column] as usize..self.start[column + 1] as usize {
                work[self.rows[entry] as usize] -= values[self.n + entry] * value;
            }
        }
        for column in (0..self.n).rev() {
            let mut value = work[column] * values[column];
            for entry in self.start[column] as usize..self.start[column + 1] as usize {
                value -= values[self.n + entry] * work[self.rows[entry] as usize];
            }
            work[column] = value;
        }
        for (variable, &rank) in self.rank.iter().enumerate() {
            x[variable] = work[rank as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// A random quasi-definite matrix: solution against nalgebra's dense LU.
    #[test]
    fn agrees_with_a_dense_solver() {
        let (coordinates, closures) = (14, 5);
        let n = coordinates + closures;
        let stream = Stream::new(7, "quasi-definite");
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
        let symbolic = Symbolic::new(n, coordinates, &pairs);
        let mut numeric = symbolic.numeric();
        for i in 0..n {
            numeric.values[symbolic.place(i, i) as usize] = dense[(i, i)];
        }
        for &(i, j) in &pairs {
            numeric.values[symbolic.place(i, j) as usize] = dense[(i, j)];
        }
        symbolic.factorise(&mut numeric).unwrap();
        let right = nalgebra::DVector::from_fn(n, |i, _| (i as f64).mul_add(0.3, 1.0));
        let mut x: Vec<f64> = right.iter().copied().collect();
        symbolic.solve(&mut numeric, &mut x);
        let exact = dense.lu().solve(&right).unwrap();
        for i in 0..n {
            // Condition number about 1e2, so 1e-10 leaves four digits of room.
            assert!((x[i] - exact[i]).abs() < 1e-10 * (1.0 + exact[i].abs()), "{i}");
        }
    }
}
