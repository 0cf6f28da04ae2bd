//! Logistic regression of a yes/no response on the factors.

use super::TrialResult;
use super::analysis_data::AnalysisData;
use crate::design::LevelValue;
use crate::statistics::{LogisticFit, logistic_regression_clustered};
use bekker_rig::ParameterEstimate;
use serde::Serialize;

/// Greatest number of columns.
const MAX_TERMS: usize = 30;

/// Logistic regression over the trials with a result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogisticResult {
    /// Logarithm of the odds with all terms 0, and the coefficient of each term.
    pub terms: Vec<Term>,
    /// -2 ln of the likelihood.
    pub deviance: f64,
    /// -2 ln of the likelihood without any term.
    pub null_deviance: f64,
    /// Number of trials.
    pub count: usize,
    /// Level with even odds, if the only factor is a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub even_odds: Option<ParameterEstimate>,
}

/// A term of the regression.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Term {
    /// Name of the factor that the coefficient multiplies.
    ///
    /// For words and named levels it is followed by `=` and the level, relative to the factor's
    /// first level.
    pub name: String,
    /// Coefficient.
    #[serde(flatten)]
    pub estimate: ParameterEstimate,
}

/// A column of the regression.
enum RegressionColumn {
    /// Number of a factor.
    Number(usize),
    /// Indicator of a factor's level.
    Is(usize, LevelValue),
}

impl RegressionColumn {
    fn value(&self, levels: &[LevelValue]) -> f64 {
        match self {
            RegressionColumn::Number(factor) => match levels.get(*factor) {
                Some(LevelValue::Number(x)) => *x,
                _ => f64::NAN,
            },
            RegressionColumn::Is(factor, level) => {
                f64::from(u8::from(levels.get(*factor) == Some(level)))
            }
        }
    }
}

/// Fits a response that is yes or no; `None` if no factor has two levels.
pub(super) fn compute(
    data: &AnalysisData<'_>,
    response: usize,
) -> Option<Result<LogisticResult, String>> {
    let study = &data.study;
    let mut columns = Vec::new();
    for (n, factor) in study.config.factor.iter().enumerate() {
        let levels = study.levels(n);
        let are_numbers = levels.iter().all(|level| matches!(level, LevelValue::Number(_)));
        match levels.len() {
            0 | 1 => {}
            _ if are_numbers => columns.push((factor.name.clone(), RegressionColumn::Number(n))),
            _ => {
                columns.extend(levels.into_iter().skip(1).map(|level| {
                    (format!("{}={level}", factor.name), RegressionColumn::Is(n, level))
                }))
            }
        }
    }
    if columns.is_empty() {
        return None;
    }
    if columns.len() > MAX_TERMS {
        let cause = format!("{} terms; at most {MAX_TERMS} are supported", columns.len());
        return Some(Err(cause));
    }
    let done = || study.trials.iter().filter_map(|trial| Some((trial, trial.number(response)?)));
    let trials: Vec<&TrialResult> = done().map(|own| own.0).collect();
    let clusterings = data.clusterings(&trials);
    let row =
        |levels: &[LevelValue]| columns.iter().map(|(_, column)| column.value(levels)).collect();
    let (rows, yes): (Vec<Vec<f64>>, Vec<bool>) =
        done().map(|(trial, value)| (row(&trial.levels), value == 1.0)).unzip();
    let LogisticFit { coefficients, deviance, null_deviance, count } =
        match logistic_regression_clustered(&rows, &yes, &clusterings) {
            Ok(fit) => fit,
            Err(error) => return Some(Err(error.to_string())),
        };
    let even_odds = match (&columns[..], &coefficients[..]) {
        ([(_, RegressionColumn::Number(_))], [constant, slope]) => {
            even_odds(&rows, &yes, &clusterings, [constant, slope])
        }
        _ => None,
    };
    let names = std::iter::once("constant".to_owned()).chain(columns.into_iter().map(|own| own.0));
    let terms = names.zip(coefficients).map(|(name, estimate)| Term { name, estimate }).collect();
    Some(Ok(LogisticResult { terms, deviance, null_deviance, count, even_odds }))
}

/// Returns the level with even odds, if it is within the levels driven.
///
/// Its error is that of the constant, in a regression relative to this level, over the slope.
fn even_odds(
    rows: &[Vec<f64>],
    yes: &[bool],
    clusterings: &[Vec<u64>],
    [constant, slope]: [&ParameterEstimate; 2],
) -> Option<ParameterEstimate> {
    let value = -constant.value / slope.value;
    let levels = || rows.iter().map(|row| row[0]);
    if !levels().any(|level| level <= value) || !levels().any(|level| level >= value) {
        return None;
    }
    let counted: Vec<Vec<f64>> = levels().map(|level| vec![level - value]).collect();
    let fit = logistic_regression_clustered(&counted, yes, clusterings).ok()?;
    let [low, high] = [fit.coefficients[0].low, fit.coefficients[0].high].map(|x| x.abs());
    let width = 1.0 / slope.value.abs();
    let error = fit.coefficients[0].error * width;
    Some(ParameterEstimate { value, error, low: value - low * width, high: value + high * width })
}
