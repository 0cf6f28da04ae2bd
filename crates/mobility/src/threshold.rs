//! Search for the greatest size, grade or speed that is passed.

use bekker_rig::InParallel;

/// Trials of a round, without the ends of the interval.
///
/// The number is fixed so that the result does not depend on the number of threads.
const INNER: u32 = 3;

/// Result of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// Greatest value passed before the first failure; `None` if the least value fails.
    pub passed: Option<f64>,
    /// Least value failed; `None` if the greatest value passes.
    pub failed: Option<f64>,
    /// Greatest value tried that passed beyond the first failure.
    pub passed_beyond: Option<f64>,
}

/// Searches `range` for the limit of what is passed, to within `width`.
///
/// Each round tries equally spaced values in parallel. Where passes and failures alternate, the
/// first failure is the limit, and a pass beyond it is reported. The result is the same for any
/// number of threads.
///
/// # Errors
/// The error of the smallest value whose trial fails with one.
pub fn threshold<E: Send>(
    range: [f64; 2],
    width: f64,
    passes: impl Fn(f64) -> Result<bool, E> + Sync,
) -> Result<Threshold, E> {
    let at =
        |[low, high]: [f64; 2], n: u32| low + (high - low) * f64::from(n) / f64::from(INNER + 1);
    let round = |range: [f64; 2], first: u32, last: u32| {
        let values: Vec<f64> = (first..=last).map(|n| at(range, n)).collect();
        let passed = values.in_parallel(|&value| Ok((value, passes(value)?)));
        passed.collect::<Result<Vec<_>, E>>()
    };
    let [mut low, mut high] = range;
    let mut first = round(range, 0, INNER + 1)?;
    let Some(failed) = first.iter().position(|(_, passed)| !passed) else {
        return Ok(Threshold { passed: Some(high), failed: None, passed_beyond: None });
    };
    let mut beyond = first.split_off(failed);
    let Some((passed, _)) = first.last() else {
        return Ok(Threshold {
            passed: None,
            failed: Some(low),
            passed_beyond: greatest_passed(&beyond),
        });
    };
    (low, high) = (*passed, beyond[0].0);
    while high - low > width {
        for (value, passed) in round([low, high], 1, INNER)? {
            if value > high || !passed {
                beyond.push((value, passed));
                high = high.min(value);
            } else {
                low = value;
            }
        }
    }
    Ok(Threshold { passed: Some(low), failed: Some(high), passed_beyond: greatest_passed(&beyond) })
}

fn greatest_passed(tried: &[(f64, bool)]) -> Option<f64> {
    tried.iter().filter(|(_, passed)| *passed).map(|(value, _)| *value).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn below(limit: f64, range: [f64; 2]) -> Threshold {
        threshold(range, 0.01, |value| Ok::<_, Infallible>(value < limit)).unwrap()
    }

    #[test]
    fn encloses_the_limit() {
        for limit in [0.001, 0.25, 0.37, 0.5, 0.999] {
            let Threshold { passed, failed, passed_beyond } = below(limit, [0.0, 1.0]);
            let (passed, failed) = (passed.unwrap(), failed.unwrap());
            assert!(passed < limit && limit <= failed && failed - passed <= 0.01, "{limit}");
            assert_eq!(passed_beyond, None);
        }
        assert_eq!(
            below(2.0, [0.0, 1.0]),
            Threshold { passed: Some(1.0), failed: None, passed_beyond: None }
        );
        assert_eq!(
            below(0.0, [0.0, 1.0]),
            Threshold { passed: None, failed: Some(0.0), passed_beyond: None }
        );
    }

    /// Where passes and failures alternate, the first failure counts.
    #[test]
    fn a_pass_beyond_a_failure_does_not_count() {
        let found =
            threshold([0.0, 1.0], 0.01, |value| Ok::<_, Infallible>(!(0.3..=0.6).contains(&value)));
        let Threshold { passed, failed, passed_beyond } = found.unwrap();
        assert!(passed.unwrap() < 0.3 && failed.unwrap() >= 0.3 && failed.unwrap() <= 0.31);
        assert_eq!(passed_beyond, Some(1.0));
        let found = threshold([0.0, 1.0], 0.01, |value| Ok::<_, Infallible>(value > 0.1));
        assert_eq!(
            found,
            Ok(Threshold { passed: None, failed: Some(0.0), passed_beyond: Some(1.0) })
        );
    }

    #[test]
    fn an_error_ends_it() {
        assert_eq!(threshold([0.0, 1.0], 0.1, |_| Err("refused")), Err("refused"));
    }
}
