//! `bekker study report`

use super::display_unit::{DisplayUnit, label_with_unit, percents};
use super::extent::{TrialSelection, config, extent};
use super::outlines::further_tables;
use super::page::{StudyReport, WorstTrials};
use super::perturbation::{sensitivity_sentence, sensitivity_table};
use super::{level_word, rounded, worst};
use crate::cli::compare::outcome_words;
use crate::cli::{Failure, stdout};
use crate::report::study::{
    Shard, StudyCell, StudyRequest, TitledTable, TrialRecord, exceedance_sentences, repeated,
    repeated_points,
};
use crate::report::table::TableStyle;
use crate::report::text_table::wrapped;
use crate::report::write_file;
use crate::study::analysis::{
    Analysis, Difference, NamedStatistics, NumberStatistics, PointStatistics, ResponseStatistics,
    StudyResult, TrialResult, analyze,
};
use crate::study::design::{self, LevelValue, StudyConfig};
use clap::Args;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Maximum number of table rows on a terminal; the files have all rows.
const SHOWN: usize = 40;

/// Report the results of a study for each design point
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker study report pressure\n\n\
    Prints the answer to the study's question, then tables. Writes the tables as report.md and all\n\
    values as report.csv. Also writes report.html, a page with charts and pictures of the worst\n\
    trials that opens offline.\n\
    \n\
    The tables give, for each design point:\n\
    - the share of trials that go, with its 95 % Wilson interval;\n\
    - mean and standard deviation of each response; energy, fuel and time count only arrived\n\
    trials;\n\
    - with common seeds in the replications, the paired difference to the first design point.\n\
    \n\
    The difference is the number of go trials gained and lost, or the mean with its 95 %\n\
    Student interval. Where they apply, the report adds logistic regression of go, Sobol' indices\n\
    (design saltelli) and survival over passes. It also adds the prediction error of a Gaussian\n\
    process between the points. For an unfinished study, the report covers the trials before the\n\
    first missing one.")]
pub struct Report {
    /// Study folder
    folder: PathBuf,
    /// Number of worst trials to drive again, for a picture of each in report.html
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(..=20))]
    pictures: u16,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

impl Report {
    pub fn execute(self) -> Result<(), Failure> {
        let asked = StudyRequest::read(&self.folder)?;
        let records = asked.records(&self.folder)?;
        let config = config(&asked, &self.folder)?;
        let extent = extent(&asked, &config, &records);
        extent.warn(&config);
        // the leading trials in order: the set of completed ones would depend on the machine
        let trials = extent.taken.iter().map_while(|trial| records.get(trial));
        let trials: Vec<&TrialRecord> = trials.collect();
        let results: Vec<TrialResult> = trials.iter().map(|trial| result(trial)).collect();
        let study = StudyResult { config: &config, vehicles: asked.vehicles, trials: &results };
        let analysis = analyze(&study);
        let points = &analysis.points;
        let progress = progress(&asked, &config, &extent, trials.len());
        let repeated = repeated(&trials);
        let pairs = config.common_random_numbers && config.replications > 1;
        let sensitivity = sensitivity_table(&asked, &trials);
        let tables = [points_table(&asked, points), differences_table(&asked, points, pairs)];
        let tables = tables.into_iter().flatten().chain(further_tables(&analysis));
        let tables: Vec<TitledTable> = sensitivity.iter().cloned().chain(tables).collect();
        let sections: Vec<String> = tables.iter().map(TitledTable::markdown).collect();
        let title = asked.study.get("description").and_then(Value::as_str).unwrap_or_default();
        let note = repeated.as_ref().map_or_else(String::new, |told| format!("{told}.\n\n"));
        let partial = trials.len() < extent.taken.len() || asked.shard != Shard::WHOLE;
        let unfinished = partial || !extent.next.is_empty();
        let reported = StudyReport {
            asked: &asked,
            config: &config,
            analysis: &analysis,
            progress: progress.clone(),
            repeated: repeated.clone(),
            left_out: left_out(&analysis),
            sensitivity: sensitivity_sentence(&asked, &trials),
            sensitive: sensitivity.as_ref(),
            outside_validity: exceedance_sentences(&trials),
            unfinished,
            tables: &tables,
            failures: trials
                .iter()
                .filter_map(|trial| Some([trial.trial.to_string(), trial.failure.clone()?]))
                .collect(),
            worst: WorstTrials::default(),
        };
        let sentence = reported.answer();
        let (sensitivity_told, left_out) = (reported.sensitivity.clone(), reported.warnings());
        let noted = sensitivity_told.iter().chain(&left_out);
        let notes: String = noted.map(|told| format!("{told}\n\n")).collect();
        let page = format!(
            "# Study\n\n{title}\n\n{sentence}\n\n{progress}.\n\n{note}{notes}{}\n\n{}",
            analysis.assumption,
            sections.join("\n")
        );
        // print the answer even if the files cannot be written
        let written = write_file(&self.folder.join("report.md"), page.as_bytes())
            .and_then(|()| all_figures(&asked, points).write_csv(&self.folder.join("report.csv")))
            .map_err(Failure::from)
            .and_then(|()| self.write_page(reported, &trials));
        if trials.len() < extent.taken.len() {
            eprintln!("warning: the report covers only {progress}: the next trial is not done");
        }
        for told in repeated.iter().chain(&left_out) {
            eprintln!("warning: {told}");
        }
        if self.json {
            let points: Vec<Value> = points.iter().map(|point| as_json(&asked, point)).collect();
            let mut answer = serde_json::to_value(&analysis).unwrap_or_default();
            answer["points"] = points.into();
            answer["answer"] = json!(sentence);
            answer["folder"] = json!(self.folder);
            answer["trials"] = trials.len().into();
            answer["of"] = asked.trials.into();
            if config.stop.is_some() && asked.shard == Shard::WHOLE {
                answer["stopping"] = json!({
                    "groups": extent.groups,
                    "not_known": extent.unknown,
                    "outside_bounds": extent.outside,
                });
            }
            answer["repeated_points"] = repeated_points(&trials).into();
            answer["sensitivity"] = json!(sensitivity_told);
            answer["outside_validity"] = exceedance_sentences(&trials).into();
            stdout::print_json(&answer)?;
            return written;
        }
        stdout::print(&format!("{}\n", wrapped(&sentence, 0)))?;
        if let Some(told) = &sensitivity_told {
            stdout::print(&format!("{}\n", wrapped(told, 0)))?;
        }
        for mut table in tables {
            let rows = table.rows.len();
            table.rows.truncate(SHOWN);
            stdout::print(&table.text(TableStyle::of_stdout()))?;
            if rows > SHOWN {
                stdout::print(&format!("{} more rows in report.md\n", rows - SHOWN))?;
            }
        }
        let folder = self.folder.display();
        if written.is_err() {
            stdout::print(&progress)?;
            return written;
        }
        stdout::print(&format!("{progress}; report.html, report.md and report.csv in {folder}"))
    }
}

impl Report {
    /// Writes report.html with the worst trials. Omits trials that cannot be driven again, and
    /// reports them.
    fn write_page(
        &self,
        reported: StudyReport<'_>,
        trials: &[&TrialRecord],
    ) -> Result<(), Failure> {
        let asked = reported.asked;
        let (mut text, worst) = worst::worst(
            asked,
            reported.analysis.question.as_ref(),
            trials,
            usize::from(self.pictures),
        );
        let pictures = worst::pictures(&self.folder, asked, &worst).unwrap_or_else(|failure| {
            let cause = failure.to_string();
            eprintln!("warning: report.html has no pictures of the worst trials: {cause}");
            text = format!("{text} No pictures: {cause}.");
            Vec::new()
        });
        let worst = WorstTrials { description: text, pictures };
        let reported = StudyReport { worst, ..reported };
        Ok(reported.page().write(&self.folder.join("report.html"))?)
    }
}

/// Describes the number of reported trials, and the number of all trials.
fn progress(
    asked: &StudyRequest,
    config: &StudyConfig,
    extent: &TrialSelection,
    count: usize,
) -> String {
    let counted = format!("{count} of {} trials", asked.trials);
    match asked.shard {
        Shard::WHOLE if config.stop.is_some() && extent.next.is_empty() => {
            let fault = extent.fault(config).map_or_else(String::new, |fault| format!("; {fault}"));
            match (extent.unknown, extent.groups) {
                (0, _) => format!("{counted}; stopping rule met"),
                (1, 1) => format!(
                    "{counted}; stopping rule not met by any number of trials up to the \
                     limit{fault}"
                ),
                (short, all) => format!(
                    "{counted}; stopping rule met at {} of {all} points, not met at {short} after \
                     all their trials{fault}",
                    all - short
                ),
            }
        }
        Shard::WHOLE => counted,
        // the stopping rule can be evaluated only on all shards
        Shard { index, of } => format!("part {index} of {of}: {counted}"),
    }
}

/// Returns sentences about the trials that each total excludes.
fn left_out(analysis: &Analysis) -> Vec<String> {
    let mut by_count: Vec<(u64, u64, Vec<&str>)> = Vec::new();
    for own in &analysis.left_out {
        match by_count.iter_mut().find(|known| (known.0, known.1) == (own.trials, own.of)) {
            Some(known) => known.2.push(&own.response),
            None => by_count.push((own.trials, own.of, vec![&own.response])),
        }
    }
    let told = |(trials, of, names): &(u64, u64, Vec<&str>)| {
        format!(
            "{}: {trials} of {of} trials did not arrive and are excluded, because their drives \
             ended early.",
            names.join(", ")
        )
    };
    by_count.iter().map(told).collect()
}

/// Converts a trial record for the analysis.
fn result(trial: &TrialRecord) -> TrialResult {
    let level = |cell: &StudyCell| match cell {
        StudyCell::Number(x) => LevelValue::Number(*x),
        StudyCell::Boolean(is) => LevelValue::Boolean(*is),
        StudyCell::Word(word) => LevelValue::Word(word.clone()),
        StudyCell::Absent => LevelValue::Word(String::new()),
    };
    let value = |cell: &StudyCell| match cell {
        StudyCell::Number(x) => design::ResponseValue::Number(*x),
        StudyCell::Boolean(is) => design::ResponseValue::Word(is.to_string()),
        StudyCell::Word(word) => design::ResponseValue::Word(word.clone()),
        StudyCell::Absent => design::ResponseValue::Absent,
    };
    let responses = || trial.responses.iter().map(value).collect();
    TrialResult {
        number: trial.trial,
        point: trial.point,
        replication: trial.replication,
        levels: trial.levels.iter().map(level).collect(),
        responses: trial.failure.is_none().then(responses),
    }
}

fn as_json(asked: &StudyRequest, point: &PointStatistics) -> Value {
    let levels = asked.factors.iter().cloned().zip(point.levels.iter().map(|own| json!(own)));
    let mut value = serde_json::to_value(point).unwrap_or_default();
    value["levels"] = Value::Object(levels.collect::<Map<_, _>>());
    value
}

/// Returns the number and the levels of a point.
fn point_words(point: &PointStatistics) -> Vec<String> {
    std::iter::once(point.point.to_string()).chain(point.levels.iter().map(level_word)).collect()
}

fn point_head(asked: &StudyRequest) -> Vec<String> {
    std::iter::once("point".to_owned()).chain(asked.factors.iter().cloned()).collect()
}

fn points_table(asked: &StudyRequest, points: &[PointStatistics]) -> Option<TitledTable> {
    let mut head = point_head(asked);
    let has_failures = points.iter().any(|point| point.failed > 0);
    head.push("done".into());
    head.extend(has_failures.then(|| "failed".into()));
    head.extend(asked.responses.iter().map(label_with_unit));
    let row = |point: &PointStatistics| {
        let mut words = point_words(point);
        words.push(point.done.to_string());
        words.extend(has_failures.then(|| point.failed.to_string()));
        let each = point.responses.iter().zip(&asked.responses);
        words.extend(each.map(|(own, response)| {
            sentence(own, DisplayUnit::new(response).scale, point.done, point.failed)
        }));
        words
    };
    let all = points.iter().flat_map(|point| &point.responses);
    let has_totals =
        all.map(|own| &own.figures).any(|own| matches!(own, ResponseStatistics::Total { .. }));
    let totals = match has_totals {
        true => "; energy, fuel and time for arrived trials [all trials in brackets]",
        false => "",
    };
    let title = format!(
        "Design points: count with 95 % Wilson interval, or mean ± standard deviation{totals}"
    );
    Some(TitledTable { title, head, rows: points.iter().map(row).collect() })
}

/// Formats a mean to the second digit of its deviation.
fn with_deviation(mean: f64, deviation: f64) -> String {
    let second = deviation.abs().log10().floor() - 1.0;
    match (-6.0..6.0).contains(&second) {
        true => {
            let decimals = (-second).max(0.0) as usize;
            format!("{mean:.decimals$} ± {deviation:.decimals$}")
        }
        false => format!("{} ± {}", rounded(mean), rounded(deviation)),
    }
}

fn sentence(response: &NamedStatistics, scale: f64, done: u64, failed: u64) -> String {
    let moments = |mean: f64, deviation: Option<f64>| match deviation {
        Some(deviation) => with_deviation(scale * mean, scale * deviation),
        None => rounded(scale * mean),
    };
    let own = |found: &NumberStatistics| moments(found.moments.mean, found.moments.deviation);
    match &response.figures {
        ResponseStatistics::Proportion {
            count,
            interval: [low, high],
            failed_as_no: [worst, _],
        } => {
            let ([low, high], [worst]) = (percents([*low, *high]), percents([*worst]));
            let worst = match failed {
                0 => String::new(),
                _ => format!(", low {worst} % if failed = no"),
            };
            format!("{count}/{done} [{low}, {high} %]{worst}")
        }
        ResponseStatistics::Moments(None) => "-".into(),
        ResponseStatistics::Moments(Some(found)) => {
            let count = found.moments.count as u64;
            let of = if count < done { format!(" of {count}") } else { String::new() };
            format!("{}{of}", own(found))
        }
        ResponseStatistics::Total { moments: found, arrived, all_trials } => {
            let value = found.as_ref().map_or("-".into(), own);
            match all_trials {
                Some(all) if *arrived < all.count as u64 => {
                    let all_of = moments(all.mean, all.deviation);
                    format!("{value}, {arrived} of {} arrived [all: {all_of}]", all.count)
                }
                _ => value,
            }
        }
        ResponseStatistics::Words(counts) => {
            let counts = counts.iter().map(|(code, n)| format!("{n} {}", outcome_words(code)));
            counts.collect::<Vec<_>>().join(", ")
        }
        ResponseStatistics::Passes { stuck, censored } => {
            format!("{stuck} stuck, {censored} none stuck")
        }
    }
}

/// Returns the differences to the first point, or the reason without any, if replications have
/// `pairs`.
fn differences_table(
    asked: &StudyRequest,
    points: &[PointStatistics],
    pairs: bool,
) -> Option<TitledTable> {
    let title = "Differences to point 0, paired by seed: gained and lost, or mean with 95 % \
        Student interval";
    let any = |n: usize| points.iter().any(|point| point.responses[n].difference.is_some());
    let shown: Vec<usize> = (0..asked.responses.len()).filter(|n| any(*n)).collect();
    if shown.is_empty() {
        let empty = pairs && points.len() > 1 && points[0].done == 0;
        let cause = "no trial of point 0 has a result, so differences are undefined";
        let (head, rows) = (vec!["no result: reason".into()], vec![vec![cause.into()]]);
        return empty.then(|| TitledTable { title: title.into(), head, rows });
    }
    let mut head = point_head(asked);
    head.extend(shown.iter().map(|n| label_with_unit(&asked.responses[*n])));
    let difference = |point: &PointStatistics, n: usize| match point.responses[n].difference {
        Some(Difference::Mean { difference: own, pairs }) => {
            let scale = DisplayUnit::new(&asked.responses[n]).scale;
            let [value, low, high] = [own.value, own.low, own.high].map(|x| rounded(scale * x));
            let of =
                if pairs as u64 == point.done { String::new() } else { format!(" of {pairs}") };
            format!("{value} [{low}, {high}]{of}")
        }
        Some(Difference::Changes { gained, lost, pairs }) => {
            format!("+{gained} -{lost} of {pairs}")
        }
        None => "-".into(),
    };
    let row = |point: &PointStatistics| {
        let differences = shown.iter().map(|n| difference(point, *n));
        point_words(point).into_iter().chain(differences).collect()
    };
    let rows = points.iter().filter(|point| point.point != 0).map(row).collect();
    Some(TitledTable { title: title.into(), head, rows })
}

/// Returns all values with all digits, one row per design point and response.
fn all_figures(asked: &StudyRequest, points: &[PointStatistics]) -> TitledTable {
    let mut head = point_head(asked);
    let figures = [
        "done",
        "failed",
        "response",
        "unit",
        "count",
        "low",
        "high",
        "failed_as_no_low",
        "failed_as_no_high",
        "mean",
        "deviation",
        "words",
        "difference",
        "difference_low",
        "difference_high",
        "gained",
        "lost",
        "pairs",
        "arrived",
        "all_mean",
        "all_deviation",
    ];
    head.extend(figures.map(str::to_owned));
    let row = |point: &PointStatistics, own: &NamedStatistics, unit: &str| {
        let mut words = vec![point.point.to_string()];
        words.extend(point.levels.iter().map(LevelValue::to_string));
        words.extend([point.done.to_string(), point.failed.to_string()]);
        words.extend([own.name.clone(), unit.to_owned()]);
        let mut figures = vec![String::new(); 8];
        match &own.figures {
            ResponseStatistics::Proportion { count, interval, failed_as_no } => {
                figures[0] = count.to_string();
                let bounds = interval.iter().chain(failed_as_no);
                figures[1..5].iter_mut().zip(bounds).for_each(|(to, x)| *to = x.to_string());
            }
            ResponseStatistics::Moments(found)
            | ResponseStatistics::Total { moments: found, .. } => {
                if let Some(NumberStatistics { moments, interval }) = found {
                    figures[1..3]
                        .iter_mut()
                        .zip(interval.iter().flatten())
                        .for_each(|(to, x)| *to = x.to_string());
                    figures[5] = moments.mean.to_string();
                    figures[6] = moments.deviation.map_or(String::new(), |x| x.to_string());
                }
            }
            ResponseStatistics::Words(counts) => {
                let counts = counts.iter().map(|(code, n)| format!("{n} {code}"));
                figures[7] = counts.collect::<Vec<_>>().join(", ");
            }
            ResponseStatistics::Passes { .. } => {
                figures[7] = sentence(own, 1.0, point.done, point.failed);
            }
        }
        words.extend(figures);
        let mut difference = vec![String::new(); 6];
        match own.difference {
            Some(Difference::Mean { difference: own, pairs }) => {
                let numbers = [own.value, own.low, own.high].map(|x| x.to_string());
                difference.splice(..3, numbers);
                difference[5] = pairs.to_string();
            }
            Some(Difference::Changes { gained, lost, pairs }) => {
                difference.splice(3.., [gained, lost, pairs].map(|x| x.to_string()));
            }
            None => {}
        }
        words.extend(difference);
        words.extend(match &own.figures {
            ResponseStatistics::Total { arrived, all_trials, .. } => [
                arrived.to_string(),
                all_trials.map_or(String::new(), |own| own.mean.to_string()),
                all_trials.and_then(|own| own.deviation).map_or(String::new(), |x| x.to_string()),
            ],
            _ => std::array::from_fn(|_| String::new()),
        });
        words
    };
    let rows = points.iter().flat_map(|point| {
        let responses = point.responses.iter().zip(&asked.responses);
        responses.map(move |(own, [_, unit])| row(point, own, unit))
    });
    TitledTable { title: String::new(), head, rows: rows.collect() }
}
