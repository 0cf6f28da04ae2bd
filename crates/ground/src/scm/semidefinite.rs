//! Small positive semi-definite matrices.

/// Makes a symmetric matrix positive semi-definite.
///
/// Its diagonal stays, except that negative values become zero. Each coupling of two motions is
/// reduced to what both can bear, in the order of the rows: the pivots of L D Lᵀ stay or become
/// zero. A matrix that is already positive semi-definite is unchanged except for rounding.
pub(super) fn make_semidefinite<const N: usize>(matrix: &mut [[f64; N]; N]) {
    let mut factor = [[0.0; N]; N];
    let mut pivots = [0.0_f64; N];
    for (k, pivot) in pivots.iter_mut().enumerate() {
        // NaN becomes zero
        *pivot = matrix[k][k].max(0.0);
        matrix[k][k] = *pivot;
    }
    for column in 0..N {
        let pivot = pivots[column];
        for row in column + 1..N {
            let known: f64 =
                (0..column).map(|k| factor[row][k] * factor[column][k] * pivots[k]).sum();
            let most = (pivot * pivots[row]).sqrt();
            let rest = (matrix[row][column] - known).max(-most).min(most);
            if pivot > 0.0 {
                factor[row][column] = rest / pivot;
                pivots[row] = (pivots[row] - rest * rest / pivot).max(0.0);
            }
            matrix[row][column] = known + rest;
            matrix[column][row] = known + rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(matrix: &[[f64; 4]; 4]) -> f64 {
        nalgebra::Matrix4::from_fn(|i, j| matrix[i][j]).symmetric_eigenvalues().min()
    }

    #[test]
    fn semidefinite_parts_are_kept_and_others_made_semidefinite() {
        // Knuth's linear congruential generator: its upper 53 bits
        let mut state = 3_u64;
        let mut draw = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for _ in 0..2000 {
            let half: [[f64; 4]; 4] = std::array::from_fn(|_| std::array::from_fn(|_| draw()));
            let square = |i: usize, j: usize| (0..4).map(|k| half[i][k] * half[j][k]).sum::<f64>();
            let sound: [[f64; 4]; 4] =
                std::array::from_fn(|i| std::array::from_fn(|j| square(i, j)));
            let mut kept = sound;
            make_semidefinite(&mut kept);
            let off = (0..16).map(|k| (kept[k / 4][k % 4] - sound[k / 4][k % 4]).abs());
            // sums of four products of numbers below one: some roundings of 4
            assert!(off.fold(0.0, f64::max) < 1e-13, "{sound:?} {kept:?}");
            // any symmetric matrix
            let mut any: [[f64; 4]; 4] =
                std::array::from_fn(|i| std::array::from_fn(|j| half[i.min(j)][i.max(j)]));
            let before = any;
            make_semidefinite(&mut any);
            assert!(least(&any) > -1e-14, "{before:?} {any:?}");
            assert!((0..4).all(|k| any[k][k] == before[k][k].max(0.0)));
        }
    }
}
