//! Tables of the analyses beyond the design points.

use super::display_unit::percents;
use super::rounded;
use crate::report::study::TitledTable;
use crate::rig::ParameterEstimate;
use crate::study::analysis::{
    Analysis, FitOutcome, IndicesResult, LogisticResult, ResponseFinding, SurrogateResult,
    SurvivalResult,
};
use crate::study::statistics::Interval;

/// Returns all tables that apply.
pub fn further_tables(analysis: &Analysis) -> Vec<TitledTable> {
    let survival = analysis.survival.iter().map(survival_table);
    let logistic = analysis.logistic.iter().map(logistic_table);
    let indices = analysis.indices.iter().map(indices_table);
    let surrogates = surrogates_table(&analysis.surrogates);
    survival.chain(logistic).chain(indices).chain(surrogates).collect()
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

/// Returns a table, or a row with the reason why it is empty.
fn table<T>(
    title: String,
    answer: &ResponseFinding<T>,
    head: Vec<String>,
    rows: impl FnOnce(&T) -> Vec<Vec<String>>,
) -> TitledTable {
    match &answer.outcome {
        FitOutcome::Found(found) => TitledTable { title, head, rows: rows(found) },
        FitOutcome::Refused(reason) => TitledTable {
            title,
            head: words(["no result: reason"]),
            rows: vec![vec![reason.clone()]],
        },
    }
}

fn interval(own: &Interval) -> String {
    format!("{} [{}, {}]", rounded(own.value), rounded(own.low), rounded(own.high))
}

/// Formats an index with its interval, clipped at 0: fractions of a variance are not negative.
fn share(own: &Interval) -> String {
    let Interval { value, low, high } = *own;
    interval(&Interval { value: value.max(0.0), low: low.max(0.0), high: high.max(0.0) })
}

fn survival_table(own: &SurvivalResult) -> TitledTable {
    let title = format!(
        "{}: percentage of convoys of {} without a stuck vehicle after each pass (Kaplan-Meier, \
         95 % interval); convoys without a stuck vehicle are censored at the last pass",
        own.response, own.passes
    );
    let rows = own.points.iter().flat_map(|point| {
        let convoys = format!("{} of {}", point.censored, point.convoys);
        let first = [point.point.to_string(), convoys, "-".into(), "-".into(), "-".into()];
        let first = point.steps.is_empty().then(|| first.to_vec());
        let steps = point.steps.iter().map(|step| {
            let [low, high] = step.interval;
            let [value, low, high] = percents([step.survival, low, high]);
            vec![
                point.point.to_string(),
                format!("{} of {}", point.censored, point.convoys),
                rounded(step.time),
                format!("{} of {}", step.events, step.at_risk),
                format!("{value} [{low}, {high}]"),
            ]
        });
        first.into_iter().chain(steps).collect::<Vec<_>>()
    });
    let rows = rows.collect();
    TitledTable {
        title,
        head: words(["point", "none stuck", "pass", "stuck in pass", "survival, %"]),
        rows,
    }
}

fn logistic_table(answer: &ResponseFinding<LogisticResult>) -> TitledTable {
    let title = format!("{}: logistic regression over all trials", answer.response);
    table(title, answer, words(["term", "log odds", "error", "low", "high"]), |found| {
        let row = |name: &str, own: &ParameterEstimate| {
            let numbers = [own.value, own.error, own.low, own.high].map(rounded);
            std::iter::once(name.to_owned()).chain(numbers).collect()
        };
        let terms = found.terms.iter().map(|term| row(&term.name, &term.estimate));
        let even = found.even_odds.iter().map(|own| row("level at even odds", own));
        terms.chain(even).collect()
    })
}

fn indices_table(answer: &ResponseFinding<IndicesResult>) -> TitledTable {
    let title = format!(
        "{}: Sobol' indices (95 % interval; negative estimates are noise and shown as 0)",
        answer.response
    );
    table(title, answer, words(["factor", "first order", "total"]), |found| {
        let indices = &found.indices;
        let each = found.factors.iter().zip(&indices.first).zip(&indices.total);
        let each =
            each.map(|((name, first), total)| vec![name.clone(), share(first), share(total)]);
        let name = |n: usize| found.factors.get(n).map_or("", String::as_str);
        let pairs = indices.second.iter().map(|([i, j], own)| {
            vec![format!("{} x {} (second order)", name(*i), name(*j)), share(own), "-".into()]
        });
        each.chain(pairs).collect()
    })
}

/// Returns the accuracy of the surrogate of each response; `None` without surrogates.
fn surrogates_table(answers: &[ResponseFinding<SurrogateResult>]) -> Option<TitledTable> {
    let row = |answer: &ResponseFinding<SurrogateResult>| match &answer.outcome {
        FitOutcome::Found(SurrogateResult { fit, .. }) => vec![
            answer.response.clone(),
            fit.points.to_string(),
            rounded(fit.error),
            rounded(fit.explained),
            fit.lengths.iter().map(|length| rounded(*length)).collect::<Vec<_>>().join(", "),
        ],
        FitOutcome::Refused(reason) => {
            let none = || "-".to_owned();
            vec![answer.response.clone(), none(), none(), none(), reason.clone()]
        }
    };
    let title = "Gaussian process between design points: leave-one-out error";
    let head = words(["response", "points", "error", "explained", "length scales (of range)"]);
    let rows: Vec<Vec<String>> = answers.iter().map(row).collect();
    (!rows.is_empty()).then(|| TitledTable { title: title.into(), head, rows })
}
