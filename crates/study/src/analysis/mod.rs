//! Analysis of a study's trials as plain data, for reports, plots and other programs.

mod analysis_data;
mod effects;
mod indices;
mod influence;
mod interactions;
mod logistic;
mod points;
mod question;
mod surrogate;
mod survival;

pub use analysis_data::ExcludedTrials;
pub use effects::{FactorEffects, LevelStatistics};
pub use indices::IndicesResult;
pub use influence::{FactorInfluence, Influence};
pub use interactions::{CellStatistics, PairEffects};
pub use logistic::{LogisticResult, Term};
pub use points::{
    Difference, NamedStatistics, NumberStatistics, PointStatistics, ResponseStatistics,
};
pub use question::{Lead, LevelAnswer, QuestionResult};
pub use surrogate::{MIN_POINTS, MIN_POINTS_PER_FACTOR, MainEffect, SurrogateResult};
pub use survival::{PointSurvival, SurvivalResult};

use analysis_data::AnalysisData;

use super::design::{DesignKind, LevelValue, ResponseValue, RunMetric, StudyConfig};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A finished trial.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialResult {
    /// Number, from 0.
    pub number: u64,
    /// Design point.
    pub point: u64,
    /// Replication of the point, from 0.
    pub replication: u64,
    /// Level of each factor.
    pub levels: Vec<LevelValue>,
    /// Responses; `None` if the trial failed.
    pub responses: Option<Vec<ResponseValue>>,
}

/// Input of an analysis.
#[derive(Clone, Copy, Debug)]
pub struct StudyResult<'a> {
    /// Contents of the study file.
    pub config: &'a StudyConfig,
    /// Number of vehicles in the scenario.
    pub vehicles: u64,
    /// Trials in the order of their numbers, without gaps.
    pub trials: &'a [TrialResult],
}

/// Complete analysis of a study.
#[derive(Clone, Debug, Serialize)]
pub struct Analysis {
    /// Answer to the study's question; `None` if no response has a mean.
    pub question: Option<QuestionResult>,
    /// Totals that exclude trials which did not arrive.
    pub left_out: Vec<ExcludedTrials>,
    /// Names the trials that the intervals treat as independent.
    pub assumption: String,
    /// Results of each design point.
    pub points: Vec<PointStatistics>,
    /// Responses at each level of a factor, over the levels of the others.
    pub effects: Vec<FactorEffects>,
    /// Responses at each pair of levels of two factors.
    pub interactions: Vec<PairEffects>,
    /// Influence of each factor on each response that has a mean, on one scale.
    pub influences: Vec<Influence>,
    /// Logistic regression of each yes/no response.
    pub logistic: Vec<ResponseFinding<LogisticResult>>,
    /// Sobol' indices of each numeric response, for the design `saltelli`.
    pub indices: Vec<ResponseFinding<IndicesResult>>,
    /// Survival over passes until vehicles get stuck.
    pub survival: Vec<SurvivalResult>,
    /// Surrogate of each numeric response that is not yes or no, for drawn designs.
    pub surrogates: Vec<ResponseFinding<SurrogateResult>>,
}

/// Result for a response, or the reason for its absence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResponseFinding<T> {
    /// Name of the response.
    pub response: String,
    /// Result or reason.
    #[serde(flatten)]
    pub outcome: FitOutcome<T>,
}

/// Result, or the reason for its absence.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FitOutcome<T> {
    /// Result.
    Found(T),
    /// Reason why there is no result.
    Refused(String),
}

/// Analyzes the trials of a study.
pub fn analyze(study: &StudyResult<'_>) -> Analysis {
    let responses = || study.config.responses.iter().enumerate();
    let has_mean = |name: &str| RunMetric::from_response(name).is_none_or(RunMetric::has_mean);
    let numbers = || responses().filter(move |(_, name)| has_mean(name));
    let every = |of: &[DesignKind]| of.contains(&study.config.design);
    let drawn = every(&[
        DesignKind::LatinHypercube,
        DesignKind::Random,
        DesignKind::Sobol,
        DesignKind::Table,
    ]);
    let (indices, surrogates) =
        (every(&[DesignKind::Saltelli]), drawn && study.has_numbers_alone());
    let answers = |wanted: bool| numbers().filter(move |_| wanted);
    let data = AnalysisData::new(study);
    let effects = effects::compute(&data);
    let influences: Vec<Influence> =
        responses().filter_map(|(n, _)| influence::compute(&data, n)).collect();
    Analysis {
        question: question::compute(&data, &effects, &influences),
        left_out: data.left_out(),
        assumption: analysis_data::assumption(study.config),
        points: points::compute(&data),
        interactions: interactions::compute(&data, &effects),
        effects,
        influences,
        logistic: responses()
            .filter(|(_, name)| is_proportion(name))
            .filter_map(|(n, name)| Some(response_finding(name, logistic::compute(&data, n)?)))
            .collect(),
        indices: answers(indices)
            .map(|(n, name)| response_finding(name, indices::compute(&data, n)))
            .collect(),
        survival: survival::compute(study),
        // a surrogate of a yes/no response could leave 0 to 1; logistic regression covers those
        surrogates: answers(surrogates)
            .filter(|(_, name)| !is_proportion(name))
            .filter_map(|(n, name)| Some(response_finding(name, surrogate::compute(&data, n)?)))
            .collect(),
    }
}

fn response_finding<T>(name: &str, outcome: Result<T, String>) -> ResponseFinding<T> {
    let outcome = outcome.map_or_else(FitOutcome::Refused, FitOutcome::Found);
    ResponseFinding { response: name.to_owned(), outcome }
}

/// Returns whether a response is yes or no.
fn is_proportion(response: &str) -> bool {
    RunMetric::from_response(response).is_some_and(RunMetric::is_yes_or_no)
}

impl TrialResult {
    /// Returns a response if it is a number.
    fn number(&self, response: usize) -> Option<f64> {
        match self.responses.as_ref()?.get(response) {
            Some(ResponseValue::Number(x)) => Some(*x),
            _ => None,
        }
    }
}

impl StudyResult<'_> {
    /// Returns whether all levels of all factors are numbers.
    fn has_numbers_alone(&self) -> bool {
        let is_number = |level: &LevelValue| matches!(level, LevelValue::Number(_));
        self.trials.iter().all(|trial| trial.levels.iter().all(is_number))
    }

    /// Returns the distinct levels of a factor, in numeric order or in the order of their first
    /// trial.
    fn levels(&self, factor: usize) -> Vec<LevelValue> {
        let mut seen = BTreeSet::new();
        let all = self.trials.iter().filter_map(|trial| trial.levels.get(factor));
        let mut levels: Vec<LevelValue> =
            all.filter(|own| seen.insert(own.to_toml())).cloned().collect();
        levels.sort_by(|a, b| match (a, b) {
            (LevelValue::Number(a), LevelValue::Number(b)) => a.total_cmp(b),
            _ => std::cmp::Ordering::Equal,
        });
        levels
    }

    /// Returns the trials of each design point.
    fn by_point(&self) -> BTreeMap<u64, Vec<&TrialResult>> {
        let mut points: BTreeMap<u64, Vec<&TrialResult>> = BTreeMap::new();
        for trial in self.trials {
            points.entry(trial.point).or_default().push(trial);
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(rest: serde_json::Value) -> StudyConfig {
        let mut config = serde_json::json!({
            "format": 1, "scenario": "none.toml", "design": "full_factorial", "replications": 4,
        });
        config.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        serde_json::from_value(config).unwrap()
    }

    /// Design point, level and, unless it failed, two responses.
    type TrialPoint = (u64, f64, Option<[Option<f64>; 2]>);

    fn trials(rows: &[TrialPoint]) -> Vec<TrialResult> {
        let value = |x: Option<f64>| x.map_or(ResponseValue::Absent, ResponseValue::Number);
        let trial = |(number, (point, level, found)): (usize, &TrialPoint)| TrialResult {
            number: number as u64,
            point: *point,
            replication: number as u64 % 4,
            levels: vec![LevelValue::Number(*level)],
            responses: found.map(|own| own.map(value).to_vec()),
        };
        rows.iter().enumerate().map(trial).collect()
    }

    #[test]
    fn convoys_that_all_passed_are_censored_and_failed_ones_left_out() {
        let config = config(serde_json::json!({
            "responses": ["go", "passes_until_stuck"],
            "factor": [{ "name": "gap", "key": "gap", "values": [5, 10] }],
        }));
        let (stuck, passed) = (|k| Some([Some(0.0), Some(k)]), Some([Some(1.0), None]));
        let rows = [
            (0, 5.0, stuck(2.0)),
            (0, 5.0, stuck(4.0)),
            (0, 5.0, passed),
            (0, 5.0, stuck(2.0)),
            (1, 10.0, passed),
            (1, 10.0, passed),
            (1, 10.0, None),
            (1, 10.0, stuck(3.0)),
        ];
        let trials = trials(&rows);
        let found = analyze(&StudyResult { config: &config, vehicles: 4, trials: &trials });
        let [survival] = &found.survival[..] else { panic!("{found:?}") };
        let steps = |n: usize| survival.points[n].steps.iter().map(|s| (s.time, s.survival));
        assert_eq!(steps(0).collect::<Vec<_>>(), [(2.0, 0.5), (4.0, 0.25)]);
        assert_eq!((survival.points[1].convoys, survival.points[1].censored), (3, 2));
        assert!((steps(1).next().unwrap().1 - 2.0 / 3.0).abs() < 1e-15);
        // no mean of passes: it would only use convoys that got stuck
        let passes = &found.points[0].responses[1];
        assert!(
            matches!(passes.figures, ResponseStatistics::Passes { stuck: 3, censored: 1 }),
            "{passes:?}"
        );
        assert!(passes.difference.is_none());
        // levels as effects, with failed trials
        let levels = &found.effects[0].levels;
        assert_eq!((levels[1].done, levels[1].failed), (3, 1));
        let ResponseStatistics::Proportion { count, failed_as_no, .. } = &levels[1].responses[0]
        else {
            panic!("{levels:?}")
        };
        assert!(*count == 2 && failed_as_no[0] < 0.5);
    }

    /// Even odds of a symmetric sample are in its middle.
    #[test]
    fn go_is_regressed_on_numbers_and_on_words() {
        let numbers = config(serde_json::json!({
            "responses": ["go"], "factor": [{ "name": "grade", "key": "g", "values": [1, 2, 3, 4] }],
        }));
        let go = [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0], [0.0; 4]];
        let row =
            |n: usize| (n as u64 / 4, (n / 4 + 1) as f64, Some([Some(go[n / 4][n % 4]), None]));
        let rows: Vec<_> = (0..16).map(row).collect();
        let mut trials = trials(&rows);
        let analyzed = |config: &StudyConfig, trials: &[TrialResult]| {
            let found = analyze(&StudyResult { config, vehicles: 1, trials });
            match found.logistic[0].outcome.clone() {
                FitOutcome::Found(found) => found,
                FitOutcome::Refused(reason) => panic!("{reason}"),
            }
        };
        let found = analyzed(&numbers, &trials);
        let even = found.even_odds.unwrap();
        assert!((even.value - 2.5).abs() < 1e-9 && (even.high + even.low - 5.0).abs() < 1e-6);
        assert!(found.terms[1].name == "grade" && found.terms[1].estimate.value < -1.0);
        // two words: the odds of each
        for trial in &mut trials {
            let is_steep = matches!(trial.levels[0], LevelValue::Number(x) if x > 2.0);
            trial.levels[0] = LevelValue::Word(if is_steep { "steep" } else { "flat" }.into());
        }
        let found = analyzed(&numbers, &trials);
        let names: Vec<&str> = found.terms.iter().map(|term| term.name.as_str()).collect();
        assert_eq!(names, ["constant", "grade=steep"]);
        // 7 of 8 and 1 of 8
        let odds = bekker_math::numeric::ln(7.0);
        assert!((found.terms[0].estimate.value - odds).abs() < 1e-9);
        assert!((found.terms[1].estimate.value + 2.0 * odds).abs() < 1e-9);
        assert!(found.even_odds.is_none());
    }

    /// Two pressures on two grades, four seeds each.
    ///
    /// At 276 kPa three of eight arrive, all on the easy grade and with less energy than the mean
    /// at 55 kPa, where all arrive.
    fn pressures(question: serde_json::Value) -> Analysis {
        let config = config(serde_json::json!({
            "responses": ["drive_energy", "mean_slip", "go"], "question": question,
            "factor": [
                { "name": "inflation", "key": "vehicle[0].inflation_kpa", "values": [55, 276] },
                { "name": "grade", "key": "terrain.surface.grade", "values": [0.1, 0.2] },
            ],
        }));
        let trial = |n: u64| {
            let (pressure, grade, seed) = (n / 8, n / 4 % 2, n % 4);
            let arrives = pressure == 0 || (grade == 0 && seed < 3);
            let energy = match (pressure, arrives) {
                (0, _) => 100.0 + 100.0 * grade as f64 + seed as f64,
                (_, true) => 110.0 + seed as f64,
                _ => 20.0 + seed as f64,
            };
            let numbers = [energy, 0.1 * pressure as f64, f64::from(u8::from(arrives))];
            TrialResult {
                number: n,
                point: n / 4,
                replication: seed,
                levels: vec![
                    LevelValue::Number([55.0, 276.0][pressure as usize]),
                    LevelValue::Number([0.1, 0.2][grade as usize]),
                ],
                responses: Some(numbers.map(ResponseValue::Number).to_vec()),
            }
        };
        let trials: Vec<TrialResult> = (0..16).map(trial).collect();
        analyze(&StudyResult { config: &config, vehicles: 1, trials: &trials })
    }

    #[test]
    fn totals_are_of_trials_that_arrived() {
        let found = pressures(serde_json::json!({ "response": "drive_energy" }));
        let total = |own: &ResponseStatistics| match own {
            ResponseStatistics::Total { moments, arrived, all_trials } => {
                let mean = moments.map(|own| own.moments.mean);
                (mean, *arrived, all_trials.map(|own| (own.count, own.mean)))
            }
            other => panic!("{other:?}"),
        };
        let point = |n: usize| total(&found.points[n].responses[0].figures);
        assert_eq!(point(0), (Some(101.5), 4, Some((4, 101.5))));
        assert_eq!(point(2), (Some(111.0), 3, Some((4, (110.0 + 111.0 + 112.0 + 23.0) / 4.0))));
        assert_eq!(point(3), (None, 0, Some((4, 21.5))));
        // pairs in which both trials arrived
        let difference = |n: usize| found.points[n].responses[0].difference;
        assert!(matches!(difference(2), Some(Difference::Mean { pairs: 3, difference })
            if (difference.value - 10.0).abs() < 1e-12));
        assert!(difference(3).is_none());
        let left = ExcludedTrials { response: "drive_energy".into(), trials: 5, of: 16 };
        assert_eq!(found.left_out, [left]);
        // responses that are not totals use all trials
        let slip = &found.points[3].responses[1].figures;
        assert!(
            matches!(slip, ResponseStatistics::Moments(Some(own)) if own.moments.count == 4),
            "{slip:?}"
        );
        // in JSON the mean is at the usual place
        let json = serde_json::to_value(&found.points[2].responses[0]).unwrap();
        assert_eq!(json["moments"]["mean"], 111.0, "{json}");
        assert_eq!((&json["arrived"], &json["all_trials"]["count"]), (&3.into(), &4.into()));
    }

    /// In a study with a fixed driving time no trial arrives, and totals use all trials.
    #[test]
    fn without_arrivals_totals_include_all_trials() {
        let config = config(serde_json::json!({
            "responses": ["fuel", "go"],
            "factor": [{ "name": "grade", "key": "g", "values": [1, 2] }],
        }));
        let row = |n: usize| (n as u64 / 4, (n / 4) as f64, Some([Some(n as f64), Some(0.0)]));
        let rows: Vec<_> = (0..8).map(row).collect();
        let trials = trials(&rows);
        let found = analyze(&StudyResult { config: &config, vehicles: 1, trials: &trials });
        let fuel = &found.points[1].responses[0].figures;
        assert!(
            matches!(fuel, ResponseStatistics::Moments(Some(own)) if own.moments.mean == 5.5),
            "{fuel:?}"
        );
        assert!(found.left_out.is_empty());
    }

    #[test]
    fn a_question_is_answered_by_its_goal_among_levels_that_can_be_compared() {
        let asked = |question| pressures(question).question.unwrap();
        let energy =
            asked(serde_json::json!({ "response": "drive_energy", "factor": "inflation" }));
        let levels: Vec<(String, bool)> =
            energy.levels.iter().map(|own| (own.level.to_string(), own.is_compared)).collect();
        // three of eight are less than half of eight
        assert_eq!(levels, [("55".to_owned(), true), ("276".to_owned(), false)]);
        assert!(energy.lead.is_none() && energy.goal == Some(crate::design::Goal::Minimize));
        let go = asked(serde_json::json!({ "response": "go" }));
        assert_eq!(go.factor.as_deref(), Some("inflation"));
        let counts: Vec<u64> = go
            .levels
            .iter()
            .map(|own| match own.figures {
                ResponseStatistics::Proportion { count, .. } => count,
                _ => panic!("{own:?}"),
            })
            .collect();
        assert_eq!(counts, [8, 3]);
        // by seed: 1/2 less on three of four, and 1 less on the last
        let lead = go.lead.unwrap();
        assert!((lead.difference.value - 0.625).abs() < 1e-12 && lead.pairs == 4, "{lead:?}");
        let slip = asked(serde_json::json!({ "response": "mean_slip", "goal": "maximize" }));
        assert_eq!(slip.levels[0].level, LevelValue::Number(276.0));
        // four equal pairs are no evidence, whatever their interval
        assert!(slip.lead.is_some_and(|own| own.difference.error == 0.0 && !own.is_certain));
    }

    /// The trials of a level have four seeds, however many grades they are driven on.
    #[test]
    fn intervals_over_points_count_seeds() {
        let found = pressures(serde_json::json!({ "response": "go" }));
        let go = &found.effects[0].levels[0].responses[2];
        let ResponseStatistics::Proportion { count: 8, interval, .. } = go else {
            panic!("{go:?}")
        };
        let four = crate::statistics::wilson(4, 4, 0.95);
        assert_eq!(*interval, four);
        assert!(found.assumption.contains("the same 4 scenario seeds"), "{}", found.assumption);
        // a share of variance is never negative
        let all = found.influences.iter().flat_map(|own| &own.factors);
        assert!(all.clone().all(|own| own.share >= 0.0));
        assert!(all.clone().any(|own| own.unbiased_share < 0.0));
    }

    /// In a drawn design, too, the replications of one point are independent.
    #[test]
    fn intervals_of_a_drawn_point_count_its_replications() {
        let config = config(serde_json::json!({
            "design": "random", "points": 2, "responses": ["go", "distance"],
            "factor": [{ "name": "a", "key": "a", "range": [0, 1] }],
        }));
        let row = |n: usize| (n as u64 / 4, (n / 4) as f64, Some([Some(1.0), Some(n as f64)]));
        let rows: Vec<_> = (0..8).map(row).collect();
        let trials = trials(&rows);
        let found = analyze(&StudyResult { config: &config, vehicles: 1, trials: &trials });
        let [go, distance] = [0, 1].map(|n| &found.points[1].responses[n].figures);
        assert_eq!(go.interval(), Some(crate::statistics::wilson(4, 4, 0.95)));
        assert!(distance.interval().is_some_and(|[low, high]| low < 5.5 && 5.5 < high));
    }

    #[test]
    fn indices_are_refused_where_a_drive_ended_early() {
        let config = config(serde_json::json!({
            "design": "saltelli", "points": 8, "replications": 1, "responses": ["fuel", "go"],
            "factor": [{ "name": "a", "key": "a", "range": [0, 1] }],
        }));
        let row =
            |n: u64| (n, n as f64, Some([Some((n % 5) as f64), Some(f64::from(u8::from(n != 6)))]));
        let rows: Vec<_> = (0..24).map(row).collect();
        let trials = trials(&rows);
        let found = analyze(&StudyResult { config: &config, vehicles: 1, trials: &trials });
        let FitOutcome::Refused(reason) = &found.indices[0].outcome else { panic!("{found:?}") };
        assert!(reason.starts_with("trials 6 (1 in total) did not arrive"), "{reason}");
        assert!(matches!(found.indices[1].outcome, FitOutcome::Found(_)), "{found:?}");
    }

    #[test]
    fn a_failed_trial_refuses_indices_by_its_number() {
        let config = config(serde_json::json!({
            "design": "saltelli", "points": 2, "replications": 1, "responses": ["distance", "go"],
            "factor": [{ "name": "a", "key": "a", "range": [0, 1] }],
        }));
        let row = |n: u64| (n, n as f64, (n != 4).then_some([Some(n as f64), Some(1.0)]));
        let rows: Vec<_> = (0..6).map(row).collect();
        let trials = trials(&rows);
        let found = analyze(&StudyResult { config: &config, vehicles: 1, trials: &trials });
        let FitOutcome::Refused(reason) = &found.indices[0].outcome else { panic!("{found:?}") };
        assert!(reason.starts_with("trials 4 (1 in total) have no numeric value"), "{reason}");
    }

    /// A surrogate of a yes/no response could leave 0 to 1, so `go` has none.
    #[test]
    fn surrogates_are_of_numbers_alone() {
        let responses = ["go", "distance"].map(str::to_owned).to_vec();
        let config = serde_json::json!({
            "format": 1, "scenario": "x.toml", "design": "random", "points": 12,
            "responses": responses,
            "factor": [{ "name": "a", "key": "time.duration", "range": [0.0, 11.0] }],
        });
        let config: StudyConfig = serde_json::from_value(config).unwrap();
        let trial = |n: u64| TrialResult {
            number: n,
            point: n,
            replication: 0,
            levels: vec![LevelValue::Number(n as f64)],
            responses: Some(vec![
                ResponseValue::Number(if n < 5 { 0.0 } else { 1.0 }),
                ResponseValue::Number((n * n) as f64),
            ]),
        };
        let trials: Vec<TrialResult> = (0..12).map(trial).collect();
        let study = StudyResult { config: &config, vehicles: 1, trials: &trials };
        let analysis = analyze(&study);
        let of: Vec<&str> = analysis.surrogates.iter().map(|own| own.response.as_str()).collect();
        assert_eq!(of, ["distance"]);
        assert_eq!(analysis.logistic.len(), 1);
    }
}
