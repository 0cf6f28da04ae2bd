//! Statistics of columns for the normalization in LeRobot.
//!
//! They are extremes, mean, standard deviation and quantiles of each element of a row.

use super::{ColumnValues, DatasetColumn};
use serde_json::{Map, Value};

/// The quantiles with their names.
const QUANTILES: [(&str, f64); 5] =
    [("q01", 0.01), ("q10", 0.1), ("q50", 0.5), ("q90", 0.9), ("q99", 0.99)];

/// Statistics of one element of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ElementStatistics {
    min: f64,
    max: f64,
    mean: f64,
    /// Sum of squared deviations from the mean.
    squares: f64,
    quantiles: [f64; QUANTILES.len()],
}

/// Statistics of a column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ColumnStatistics {
    count: usize,
    numbers: Vec<ElementStatistics>,
}

impl ColumnStatistics {
    /// Returns the statistics of all rows of a column; none for text or without rows.
    pub fn from_column(column: &DatasetColumn) -> Option<ColumnStatistics> {
        let values: Vec<f64> = match &column.values {
            ColumnValues::Float(values) => values.iter().copied().map(f64::from).collect(),
            ColumnValues::Double(values) => values.clone(),
            ColumnValues::Long(values) => values.iter().map(|value| *value as f64).collect(),
            ColumnValues::Bool(values) => {
                values.iter().map(|value| f64::from(u8::from(*value))).collect()
            }
            ColumnValues::Text(_) => return None,
        };
        let width = column.width.unwrap_or(1);
        let count = values.len() / width;
        let number = |n: usize| {
            ElementStatistics::from_values(values.iter().skip(n).step_by(width).copied().collect())
        };
        (count > 0).then(|| ColumnStatistics { count, numbers: (0..width).map(number).collect() })
    }

    /// Merges the statistics of other rows.
    ///
    /// Quantiles are averaged, weighted by the numbers of rows, as in LeRobot: exact ones would
    /// need all rows at once.
    pub fn merge(&mut self, other: &ColumnStatistics) {
        let (own, others) = (self.count as f64, other.count as f64);
        self.count += other.count;
        let share = others / self.count as f64;
        for (a, b) in self.numbers.iter_mut().zip(&other.numbers) {
            let apart = b.mean - a.mean;
            (a.min, a.max) = (a.min.min(b.min), a.max.max(b.max));
            a.mean += share * apart;
            a.squares += b.squares + apart * apart * own * share;
            for (a, b) in a.quantiles.iter_mut().zip(b.quantiles) {
                *a += share * (b - *a);
            }
        }
    }

    /// Returns the statistics by name, each as a list.
    pub fn named(&self) -> Vec<(&'static str, ColumnValues)> {
        let values_of = |value: &dyn Fn(&ElementStatistics) -> f64| {
            ColumnValues::Double(self.numbers.iter().map(value).collect())
        };
        let deviation = |own: &ElementStatistics| (own.squares / self.count as f64).sqrt();
        let mut named = vec![
            ("min", values_of(&|own| own.min)),
            ("max", values_of(&|own| own.max)),
            ("mean", values_of(&|own| own.mean)),
            ("std", values_of(&deviation)),
            ("count", ColumnValues::Long(vec![self.count as i64])),
        ];
        let quantiles = QUANTILES.iter().enumerate();
        named.extend(quantiles.map(|(n, (name, _))| (*name, values_of(&|own| own.quantiles[n]))));
        named
    }

    /// Returns the statistics as JSON.
    pub fn json(&self) -> Value {
        let named = self.named().into_iter().map(|(name, values)| {
            let values: Vec<Value> = match values {
                ColumnValues::Long(values) => values.into_iter().map(Value::from).collect(),
                ColumnValues::Double(values) => values.into_iter().map(Value::from).collect(),
                _ => Vec::new(),
            };
            (name.to_owned(), Value::Array(values))
        });
        Value::Object(named.collect::<Map<_, _>>())
    }
}

impl ElementStatistics {
    /// Returns the statistics of at least one value.
    fn from_values(mut values: Vec<f64>) -> ElementStatistics {
        values.sort_by(f64::total_cmp);
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let last = values.len() - 1;
        // linear interpolation between the two nearest order statistics
        let quantile = |share: f64| {
            let place = share * last as f64;
            let below = place as usize;
            let above = (below + 1).min(last);
            values[below] + (place - below as f64) * (values[above] - values[below])
        };
        let quantiles = QUANTILES.map(|(_, share)| quantile(share));
        ElementStatistics { min: values[0], max: values[last], mean, squares, quantiles }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ColumnRole, DatasetColumn};
    use super::*;

    fn statistics(values: Vec<f64>) -> ColumnStatistics {
        ColumnStatistics::from_column(&DatasetColumn::single(
            "x",
            ColumnRole::Label,
            ColumnValues::Double(values),
        ))
        .unwrap()
    }

    #[test]
    fn statistics_of_one_to_a_hundred() {
        let statistics = statistics((0..=100).map(f64::from).collect());
        let named: std::collections::BTreeMap<_, _> = statistics.named().into_iter().collect();
        let value = |name| match &named[name] {
            ColumnValues::Double(values) => values[0],
            other => panic!("{other:?}"),
        };
        assert_eq!([value("min"), value("max"), value("mean")], [0.0, 100.0, 50.0]);
        // the variance of 0 to n is n (n + 2) / 12
        assert!((value("std") - (100.0_f64 * 102.0 / 12.0).sqrt()).abs() < 1e-12);
        let quantiles = ["q01", "q10", "q50", "q90", "q99"].map(value);
        assert_eq!(quantiles, [1.0, 10.0, 50.0, 90.0, 99.0]);
    }

    #[test]
    fn two_halves_merge_to_the_whole() {
        let values: Vec<f64> = (0..50).map(|n| f64::from(n * n % 17)).collect();
        let whole = statistics(values.clone());
        let mut merged = statistics(values[..20].to_vec());
        merged.merge(&statistics(values[20..].to_vec()));
        assert_eq!(merged.count, 50);
        let (a, b) = (merged.numbers[0], whole.numbers[0]);
        assert_eq!((a.min, a.max), (b.min, b.max));
        // the order of summation differs, which changes the last digits
        assert!((a.mean - b.mean).abs() < 1e-13 && (a.squares - b.squares).abs() < 1e-10);
    }
}
