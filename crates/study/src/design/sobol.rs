//! Scrambled Sobol sequence: points that fill a space more evenly than random ones.
//!
//! I. Sobol's sequence uses the direction numbers of S. Joe and F. Kuo (SIAM J. Sci. Comput. 30,
//! 2008; `new-joe-kuo-6`). It is scrambled as proposed by A. Owen (in *Monte Carlo and Quasi-Monte
//! Carlo Methods in Scientific Computing*, 1995): each binary digit is flipped by an independent
//! draw for each value of the digits before it.
//!
//! Each scrambled point is uniformly distributed. The first 2ᵏ points still have one point in each
//! of 2ᵏ strata of every dimension.

use bekker_math::random::RandomStream;

/// Number of dimensions with direction numbers.
#[cfg(test)]
const DIMENSIONS: usize = 200;
/// Number of binary digits.
const DIGITS: usize = 32;
/// Rows `d s a m1 ... ms` for the second and further dimensions.
const DIRECTIONS: &str = include_str!("joe_kuo.txt");

/// One scrambled dimension of the sequence.
#[derive(Clone, Debug)]
pub(super) struct Dimension {
    directions: [u32; DIGITS],
    scrambling: RandomStream,
}

impl Dimension {
    /// Creates the dimension with an index below 200, scrambled by a stream.
    pub fn new(index: usize, scrambling: RandomStream) -> Dimension {
        Dimension { directions: directions(index), scrambling }
    }

    /// Returns the number of a point, in [0, 1).
    pub fn number(&self, point: u64) -> f64 {
        let digits = sobol(&self.directions, point);
        // node of the binary tree of all digits, with root 1 and a branch for 0 and one for 1
        let (mut node, mut scrambled) = (1_u64, 0_u64);
        for digit in (0..DIGITS).rev().map(|place| u64::from(digits >> place & 1)) {
            scrambled = scrambled << 1 | (digit ^ (self.scrambling.bits(node) & 1));
            node = node << 1 | digit;
        }
        let number = (scrambled as f64 + self.scrambling.uniform(node)) / (1_u64 << DIGITS) as f64;
        // rounding may give 1
        number.min(1.0 - f64::EPSILON)
    }
}

/// Returns the digits of a point's number before scrambling.
fn sobol(directions: &[u32; DIGITS], point: u64) -> u32 {
    let chosen = directions.iter().enumerate().filter(|(digit, _)| point >> digit & 1 == 1);
    chosen.fold(0, |digits, (_, direction)| digits ^ direction)
}

/// Returns the direction numbers of a dimension, left-aligned.
fn directions(index: usize) -> [u32; DIGITS] {
    let mut directions = std::array::from_fn(|digit| 1 << (DIGITS - 1 - digit));
    // the first dimension is van der Corput's sequence
    let Some(row) = index.checked_sub(1).and_then(|row| DIRECTIONS.lines().nth(row)) else {
        return directions;
    };
    let numbers: Vec<u32> = row.split(' ').filter_map(|word| word.parse().ok()).collect();
    let (degree, polynomial, initial) = (numbers[1] as usize, numbers[2], &numbers[3..]);
    for digit in 0..DIGITS {
        directions[digit] = match initial.get(digit) {
            Some(number) => number << (DIGITS - 1 - digit),
            None => {
                let before = directions[digit - degree];
                (1..degree)
                    .filter(|k| polynomial >> (degree - 1 - k) & 1 == 1)
                    .fold(before ^ before >> degree, |direction, k| {
                        direction ^ directions[digit - k]
                    })
            }
        };
    }
    directions
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The points of `sobol.cc` by Joe and Kuo, in Gray code order: 0.5, 0.75, 0.25, 0.375 ... in
    /// three dimensions.
    #[test]
    fn gives_the_published_points() {
        let known = [
            [0.0, 0.0, 0.0],
            [0.5, 0.5, 0.5],
            [0.75, 0.25, 0.25],
            [0.25, 0.75, 0.75],
            [0.375, 0.375, 0.625],
            [0.875, 0.875, 0.125],
            [0.625, 0.125, 0.875],
            [0.125, 0.625, 0.375],
            [0.1875, 0.3125, 0.9375],
            [0.6875, 0.8125, 0.4375],
        ];
        for (n, point) in (0_u64..).zip(known) {
            for (index, known) in point.into_iter().enumerate() {
                let digits = sobol(&directions(index), n ^ n >> 1);
                assert_eq!(f64::from(digits) / (1_u64 << 32) as f64, known, "{n} {index}");
            }
        }
    }

    #[test]
    fn every_dimension_has_distinct_directions() {
        let mut all: Vec<_> = (0..DIMENSIONS).map(directions).collect();
        // each has its bit on the diagonal and none below, so all strata are filled
        for own in &all {
            assert!((0..DIGITS).all(|digit| own[digit].trailing_zeros() as usize == 31 - digit));
        }
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), DIMENSIONS);
    }

    fn dimension(index: usize, seed: u64) -> Dimension {
        Dimension::new(index, RandomStream::new(seed, &index.to_string()))
    }

    #[test]
    fn scrambled_points_lie_one_in_each_stratum() {
        for index in [0, 1, 2, 57, 199] {
            let own = dimension(index, 3);
            let mut strata: Vec<u64> = (0..256).map(|n| (own.number(n) * 256.0) as u64).collect();
            strata.sort_unstable();
            assert!(strata.into_iter().eq(0..256), "{index}");
        }
    }

    /// The first two dimensions form a (0, m, 2)-net, also after scrambling.
    ///
    /// There is one point in each box of 2ᵃ by 2ᵇ parts with a + b = m.
    #[test]
    fn the_first_two_dimensions_fill_every_elementary_box() {
        let pair = [dimension(0, 9), dimension(1, 9)];
        for a in 0..=6_u32 {
            let parts = [f64::from(1 << a), f64::from(1 << (6 - a))];
            let place = |n, d: usize| (pair[d].number(n) * parts[d]) as u64;
            let mut boxes: Vec<_> = (0..64).map(|n| [place(n, 0), place(n, 1)]).collect();
            boxes.sort_unstable();
            boxes.dedup();
            assert_eq!(boxes.len(), 64, "{parts:?}");
        }
    }

    /// A scrambled number is uniformly distributed.
    ///
    /// The mean over many seeds is 1/2 within four standard errors of sqrt(1/12/n).
    #[test]
    fn a_point_is_uniform_over_the_seeds() {
        let n = 4000;
        let mean = (0..n).map(|seed| dimension(4, seed).number(5)).sum::<f64>() / n as f64;
        assert!((mean - 0.5).abs() < 4.0 * (1.0 / 12.0 / n as f64).sqrt(), "{mean}");
    }
}
