//! Means of observations that are independent only between clusters.

use super::{SampleMoments, wilson_effective};
use bekker_rig::ParameterEstimate;
use statrs::distribution::{ContinuousCDF, StudentsT};
use std::collections::BTreeMap;

/// Returns the variance of the mean of `values`, and the number of clusters; `None` for fewer than
/// two.
///
/// The residuals are summed over each cluster, squared, added, and scaled by G / (G - 1) (K.-Y.
/// Liang and S. Zeger, Biometrika 73, 1986). For clusters of one value it is the variance of the
/// sample over its size.
pub fn clustered_variance(values: &[f64], clusters: &[u64]) -> Option<(f64, usize)> {
    let mean = SampleMoments::new(values)?.mean;
    let mut sums: BTreeMap<u64, f64> = BTreeMap::new();
    for (value, cluster) in values.iter().zip(clusters) {
        *sums.entry(*cluster).or_default() += value - mean;
    }
    let (groups, count) = (sums.len(), values.len() as f64);
    if groups < 2 {
        return None;
    }
    let squares: f64 = sums.values().map(|sum| sum * sum).sum();
    Some((squares * groups as f64 / (groups - 1) as f64 / (count * count), groups))
}

/// Returns the variance for several clusterings at once, such as by ground and by design point.
///
/// The variances are added and their common part is subtracted (A. Cameron, J. Gelbach and D.
/// Miller, J. Bus. Econ. Stat. 29, 2011). The result is at least the greatest of them. The number
/// of clusters is that of the coarsest clustering.
fn variance(values: &[f64], clusterings: &[Vec<u64>]) -> Option<(f64, usize)> {
    let singles: Vec<u64> = (0..values.len() as u64).collect();
    let found: Option<Vec<(f64, usize)>> =
        clusterings.iter().map(|own| clustered_variance(values, own)).collect();
    let found = found?;
    let Some(fewest) = found.iter().map(|own| own.1).min() else {
        return clustered_variance(values, &singles);
    };
    let common = clustered_variance(values, &singles)?.0;
    let sum: f64 = found.iter().map(|own| own.0).sum();
    let greatest = found.iter().map(|own| own.0).fold(0.0, f64::max);
    Some(((sum - common * (found.len() - 1) as f64).max(greatest), fewest))
}

/// Returns a mean with its standard error and Student's 95 % interval.
///
/// The degrees of freedom are one less than the clusters; `None` for a single cluster. Without
/// `clusterings` all values are independent.
pub fn clustered_mean(values: &[f64], clusterings: &[Vec<u64>]) -> Option<ParameterEstimate> {
    let value = SampleMoments::new(values)?.mean;
    let (variance, clusters) = variance(values, clusterings)?;
    let student = StudentsT::new(0.0, 1.0, (clusters - 1) as f64).ok()?;
    let error = variance.sqrt();
    let half = student.inverse_cdf(0.975) * error;
    Some(ParameterEstimate { value, error, low: value - half, high: value + half })
}

/// Returns Wilson's interval of a proportion with the effective number of independent observations.
///
/// The effective number is between the number of clusters and the number of observations. It is the
/// former where the sample has no variance (all yes, all no, one cluster).
pub fn clustered_proportion(yes: &[bool], clusterings: &[Vec<u64>], confidence: f64) -> [f64; 2] {
    let count = yes.len() as f64;
    if yes.is_empty() {
        return [0.0, 1.0];
    }
    let values: Vec<f64> = yes.iter().map(|is| f64::from(u8::from(*is))).collect();
    let share = values.iter().sum::<f64>() / count;
    let groups = |own: &Vec<u64>| {
        let mut distinct = own.clone();
        distinct.sort_unstable();
        distinct.dedup();
        distinct.len() as f64
    };
    let fewest = clusterings.iter().map(groups).fold(count, f64::min);
    let worth = match variance(&values, clusterings) {
        Some((variance, _)) if variance > 0.0 => share * (1.0 - share) / variance,
        _ => fewest,
    };
    let worth = if fewest < count { worth.clamp(fewest, count) } else { count };
    wilson_effective(share, worth, confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::wilson;
    use bekker_math::random::RandomStream;

    #[test]
    fn clusters_of_one_are_a_plain_sample() {
        let values = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        let singles: Vec<u64> = (0..10).collect();
        let plain = SampleMoments::new(&values).unwrap().estimate().unwrap();
        for clusterings in [vec![], vec![singles.clone()], vec![singles.clone(), singles]] {
            let found = clustered_mean(&values, &clusterings).unwrap();
            assert!((found.error - plain.error).abs() < 1e-15, "{found:?} {plain:?}");
            assert!((found.low - plain.low).abs() < 1e-12, "{found:?} {plain:?}");
        }
        let yes: Vec<bool> = (0..10).map(|n| n < 7).collect();
        assert_eq!(clustered_proportion(&yes, &[], 0.95), wilson(7, 10, 0.95));
    }

    /// Three copies of each value give the interval of a single copy.
    #[test]
    fn repeated_values_add_no_information() {
        let once = [1.0, 4.0, 2.0, 7.0, 3.0];
        let values: Vec<f64> = once.iter().flat_map(|x| [*x; 3]).collect();
        let clusters: Vec<u64> = (0..15).map(|n| n / 3).collect();
        let found = clustered_mean(&values, std::slice::from_ref(&clusters)).unwrap();
        let plain = SampleMoments::new(&once).unwrap().estimate().unwrap();
        assert!((found.low - plain.low).abs() < 1e-12 && (found.high - plain.high).abs() < 1e-12);
        let yes: Vec<bool> = (0..15).map(|n| n / 3 < 3).collect();
        let [low, high] = clustered_proportion(&yes, &[clusters], 0.95);
        // with G - 1 the sample variance is a quarter more: the clamp keeps the effective number at
        // five
        let [five_low, five_high] = wilson(3, 5, 0.95);
        assert!((low - five_low).abs() < 1e-12 && (high - five_high).abs() < 1e-12, "{low} {high}");
        let all = clustered_proportion(&[true; 15], &[(0..15).map(|n| n / 3).collect()], 0.95);
        assert_eq!(all, wilson(5, 5, 0.95));
        assert_eq!(clustered_mean(&[1.0, 2.0], &[vec![0, 0]]), None);
    }

    /// Eight grounds at three levels of a factor with a small effect.
    ///
    /// Intervals that treat the 24 trials as independent miss the true value far more often than 5
    /// %.
    #[test]
    fn shared_grounds_are_not_more_than_there_are() {
        let stream = RandomStream::new(3, "clusters");
        let clusters: Vec<u64> = (0..24).map(|n| n / 3).collect();
        let (samples, truth) = (1000, 0.5);
        let mut held = [0; 4];
        for sample in 0..samples {
            let draw = |n: u64| RandomStream::new(stream.bits(sample * 100 + n), "x").normal(0);
            let value = |n: u64| draw(n / 3) + 0.3 * draw(50 + n);
            let values: Vec<f64> = (0..24).map(value).collect();
            let yes: Vec<bool> = values.iter().map(|x| *x > 0.0).collect();
            let is_in = |[low, high]: [f64; 2], x: f64| u32::from(low <= x && x <= high);
            let ends = |own: ParameterEstimate| [own.low, own.high];
            let by = [clusters.clone()];
            held[0] += is_in(ends(clustered_mean(&values, &by).unwrap()), 0.0);
            held[1] += is_in(ends(clustered_mean(&values, &[]).unwrap()), 0.0);
            held[2] += is_in(clustered_proportion(&yes, &by, 0.95), truth);
            held[3] += is_in(clustered_proportion(&yes, &[], 0.95), truth);
        }
        let share = held.map(|own| f64::from(own) / samples as f64);
        // 95 % within four standard errors of 1000 samples, and Wilson's for eight clusters
        assert!((share[0] - 0.95).abs() < 0.03 && share[2] > 0.91, "{share:?}");
        assert!(share[1] < 0.85 && share[3] < 0.85, "{share:?}");
    }
}
