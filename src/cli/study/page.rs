//! `report.html`: a self-contained report of a study.

mod charts;

use super::answer::AnswerText;
use super::display_unit::{DisplayUnit, label_with_unit, percents};
use super::{level_word, rounded};
use crate::cli::compare::outcome_words;
use crate::report::html::{HtmlPage, HtmlPicture, HtmlSection, ValueInterval};
use crate::report::study::{StudyRequest, TitledTable};
use crate::study::analysis::{
    Analysis, FitOutcome, Influence, PointStatistics, ResponseFinding, ResponseStatistics,
};
use crate::study::design::{LevelValue, StudyConfig};
use std::collections::BTreeMap;

/// The contents of the page.
pub struct StudyReport<'a> {
    pub asked: &'a StudyRequest,
    pub config: &'a StudyConfig,
    pub analysis: &'a Analysis,
    /// The number of reported trials, in words.
    pub progress: String,
    /// A note on replications that are identical trials, if there are any.
    pub repeated: Option<String>,
    /// Sentences on the trials that totals exclude.
    pub left_out: Vec<String>,
    /// A sentence on sensitive outcomes, if there are perturbed copies.
    pub sensitivity: Option<String>,
    /// Table of sensitive outcomes, if there are any.
    pub sensitive: Option<&'a TitledTable>,
    /// Sentences on the limits of the ranges of validity that trials exceeded.
    pub outside_validity: Vec<String>,
    /// Whether more trials are to be driven.
    pub unfinished: bool,
    /// Tables of all design points, of differences and of further analyses.
    pub tables: &'a [TitledTable],
    /// Trials that failed, with their reasons.
    pub failures: Vec<[String; 2]>,
    pub worst: WorstTrials,
}

/// The worst trials.
#[derive(Default)]
pub struct WorstTrials {
    pub description: String,
    /// Images of their ends.
    pub pictures: Vec<HtmlPicture>,
}

/// A value with its interval.
#[derive(Clone, Copy)]
struct ValueRange {
    value: f64,
    ends: [f64; 2],
}

impl ValueRange {
    /// The value of a response in its display unit; `None` for words, passes and missing values.
    fn new(figures: &ResponseStatistics, done: u64, scale: f64) -> Option<ValueRange> {
        let value = scale * figures.value(done)?;
        let ends = figures.interval().unwrap_or([f64::NAN; 2]).map(|x| scale * x);
        Some(ValueRange { value, ends })
    }

    fn placed_at(self, at: f64) -> ValueInterval {
        ValueInterval { at, value: self.value, ends: self.ends }
    }
}

impl StudyReport<'_> {
    /// Creates the page.
    pub fn page(&self) -> HtmlPage {
        let config = self.config;
        let name = self.asked.scenario.file_stem().unwrap_or_default().to_string_lossy();
        let sections = [
            self.sensitive(),
            self.effects(),
            self.tornado(),
            self.interactions(),
            self.survival(),
            self.indices(),
            self.surrogates(),
            self.worst(),
            self.failed(),
            self.all(),
        ];
        let done: u64 = self.analysis.points.iter().map(|point| point.done).sum();
        let failed: u64 = self.analysis.points.iter().map(|point| point.failed).sum();
        let fact = |value: String, what: &str| [value, what.to_owned()];
        let driven = match self.unfinished {
            true => format!("{done} of {}", self.asked.trials),
            false => done.to_string(),
        };
        HtmlPage {
            title: format!("Study of {name}"),
            question: config.description.clone(),
            answer: self.answer(),
            restrictions: self.restrictions(),
            facts: vec![
                fact(driven, "trials driven"),
                fact(failed.to_string(), "trials without a result"),
                fact(self.analysis.points.len().to_string(), "design points"),
                fact(config.replications.to_string(), "replications"),
                fact(config.factor.len().to_string(), "factors"),
            ],
            sections: sections.into_iter().flatten().collect(),
            footer: format!(
                "{}. bekker {}, source {}. Intervals are 95 % each, without correction for \
                 multiple comparisons. {} They include parameter uncertainty only where a factor \
                 varies the parameter.",
                self.progress,
                self.asked.version,
                self.asked.source.get(..12).unwrap_or(&self.asked.source),
                self.analysis.assumption
            ),
        }
    }

    /// The response to which the question refers.
    fn first(&self) -> Option<usize> {
        let question = self.analysis.question.as_ref()?;
        self.asked.responses.iter().position(|own| own[0] == question.response)
    }

    /// Name of a response with its unit, in charts.
    fn axis_label(&self, response: usize) -> String {
        match self.asked.responses.get(response) {
            Some([name, _]) if self.overall(response).is_some() => format!("{name}, % of trials"),
            own => own.map_or(String::new(), label_with_unit),
        }
    }

    /// Factor from a response's SI unit to the unit in charts.
    fn scale(&self, response: usize) -> f64 {
        match self.overall(response) {
            Some(_) => 100.0,
            None => {
                self.asked.responses.get(response).map_or(1.0, |own| DisplayUnit::new(own).scale)
            }
        }
    }

    /// Label of a factor's axis: its name with its unit.
    fn factor_label(&self, name: &str) -> String {
        let factor = self.config.factor.iter().find(|own| own.name == name);
        match factor.and_then(|own| own.unit()) {
            Some(unit) => format!("{name}, {unit}"),
            None => name.to_owned(),
        }
    }

    /// The answer to the study's question, in a sentence or two.
    pub fn answer(&self) -> String {
        let Some(question) = &self.analysis.question else {
            return self.counts();
        };
        let sentence = AnswerText { question, asked: self.asked, config: self.config };
        let decisive = self.first().map_or(String::new(), |n| self.decisive(n));
        [sentence.text(), decisive].join(" ").trim().to_owned()
    }

    /// The counts of the first response, for a study without a response that has a mean.
    fn counts(&self) -> String {
        let mut words: BTreeMap<&str, u64> = BTreeMap::new();
        let (mut stuck, mut convoys) = (0, 0);
        for figures in self.analysis.points.iter().filter_map(|own| own.responses.first()) {
            match &figures.figures {
                ResponseStatistics::Words(counts) => {
                    counts.iter().for_each(|(word, n)| *words.entry(word).or_default() += n);
                }
                ResponseStatistics::Passes { stuck: own, censored } => {
                    (stuck, convoys) = (stuck + own, convoys + own + censored);
                }
                _ => {}
            }
        }
        let name = self.asked.responses.first().map_or("", |own| own[0].as_str());
        if convoys > 0 {
            return format!("{name}: a vehicle is stuck in {stuck} of {convoys} convoys.");
        }
        if words.is_empty() {
            return "No trial has a result.".into();
        }
        let mut counts: Vec<(&str, u64)> = words.into_iter().collect();
        counts.sort_by_key(|own| std::cmp::Reverse(own.1));
        let counts: Vec<String> =
            counts.iter().map(|(code, n)| format!("{n} {}", outcome_words(code))).collect();
        format!("{name}: {}.", counts.join(", "))
    }

    /// Restrictions of the answer.
    fn restrictions(&self) -> Vec<String> {
        let points = &self.analysis.points;
        let empty = points.iter().filter(|point| point.done == 0).count();
        let without = (empty > 0).then(|| {
            format!("No trial has a result at {empty} of {} design points.", points.len())
        });
        let unfinished = self.unfinished.then(|| format!("Not finished: {}.", self.progress));
        let repeated = self.repeated.as_ref().map(|told| format!("Warning: {told}."));
        let all = without.into_iter().chain(unfinished).chain(repeated);
        all.chain(self.sensitivity.iter().cloned()).chain(self.warnings()).collect()
    }

    /// Sentences on excluded trials and on limits that trials exceeded.
    pub fn warnings(&self) -> Vec<String> {
        let outside = self.outside_validity.iter().map(|told| format!("{told}."));
        self.left_out.iter().cloned().chain(outside).collect()
    }

    /// The most important factor, if all factors can be ranked and its effect is significant.
    fn decisive(&self, response: usize) -> String {
        let Some(Influence { factors, left_out, .. }) = self.influence(response) else {
            return String::new();
        };
        let Some(first) = factors.first().filter(|own| own.certain && left_out.is_empty()) else {
            return String::new();
        };
        let (scale, means) = (self.scale(response), ends(&first.means));
        let unit = self.asked.responses.get(response).map_or("", |own| DisplayUnit::new(own).unit);
        let (what, [low, high], unit) = match self.overall(response) {
            Some(_) => ("share", percents(means), "%"),
            None => ("mean", means.map(|x| rounded(scale * x)), unit),
        };
        let range = format!("{low} to {high} {unit}");
        let over = if first.quarters { "quartiles of its values" } else { "its levels" };
        format!(
            "The most influential factor is {}: the {what} ranges from {} over {over}.",
            first.factor,
            range.trim_end()
        )
    }

    /// Number of positive trials and of all trials of a binary response.
    fn overall(&self, response: usize) -> Option<(u64, u64)> {
        let count = |own: &PointStatistics| match own.responses.get(response)?.figures {
            ResponseStatistics::Proportion { count, .. } => Some((count, own.done)),
            _ => None,
        };
        let counts: Option<Vec<(u64, u64)>> = self.analysis.points.iter().map(count).collect();
        counts.map(|all| all.iter().fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1)))
    }

    /// Levels of a design point in words.
    fn place(&self, levels: &[LevelValue]) -> String {
        let told = |(name, level): (&String, &LevelValue)| format!("{name} {}", level_word(level));
        let all: Vec<String> = self.asked.factors.iter().zip(levels).map(told).collect();
        all.join(", ")
    }

    /// Influence of each factor on a response.
    fn influence(&self, response: usize) -> Option<&Influence> {
        let [name, _] = self.asked.responses.get(response)?;
        self.analysis.influences.iter().find(|own| own.response == *name)
    }

    fn worst(&self) -> Option<HtmlSection> {
        let WorstTrials { description: text, pictures } = &self.worst;
        (!text.is_empty()).then(|| HtmlSection {
            heading: "Worst trials".into(),
            text: vec![text.clone()],
            pictures: pictures.clone(),
            ..HtmlSection::default()
        })
    }

    fn sensitive(&self) -> Option<HtmlSection> {
        let table = self.sensitive?;
        Some(HtmlSection {
            heading: "Sensitive outcomes".into(),
            text: vec![
                "Each trial is driven again with the strength of all soils changed by a few \
                 percent, less than soil parameters are known. An outcome that changes then decides \
                 nothing: report its share of copies instead of it."
                    .into(),
            ],
            tables: vec![table.clone()],
            ..HtmlSection::default()
        })
    }

    fn failed(&self) -> Option<HtmlSection> {
        let rows: Vec<Vec<String>> = self.failures.iter().map(|own| own.to_vec()).collect();
        let head = ["trial", "reason"].map(str::to_owned).to_vec();
        let title = "Trials without a result (not counted as NO-GO)".into();
        (!rows.is_empty()).then(|| HtmlSection {
            heading: "Failed trials".into(),
            tables: vec![TitledTable { title, head, rows }],
            ..HtmlSection::default()
        })
    }

    fn all(&self) -> Option<HtmlSection> {
        (!self.tables.is_empty()).then(|| HtmlSection {
            heading: "All results".into(),
            tables: self.tables.to_vec(),
            folded: true,
            ..HtmlSection::default()
        })
    }
}

fn available<T>(answer: &ResponseFinding<T>) -> Option<&T> {
    match &answer.outcome {
        FitOutcome::Found(found) => Some(found),
        FitOutcome::Refused(_) => None,
    }
}

/// Minimum and maximum.
fn ends(values: &[f64]) -> [f64; 2] {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    [low, values.iter().copied().fold(f64::NEG_INFINITY, f64::max)]
}
