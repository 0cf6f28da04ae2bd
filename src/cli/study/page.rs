//! `report.html`: a study for somebody who has not driven it.

mod charts;

use super::{level_word, rounded};
use crate::report::html::{Interval, Page, Picture, Section};
use crate::report::study::{AskedOfStudy, Outline};
use crate::study::analysis::{Analysis, Answer, Figures, Influence, PointFigures, Said};
use crate::study::design::{Figure, Level, StudyConfig};
use crate::study::statistics::{Moments, wilson};

const CONFIDENCE: f64 = 0.95;

/// What a page is made of.
pub struct Reported<'a> {
    pub asked: &'a AskedOfStudy,
    pub config: &'a StudyConfig,
    pub analysis: &'a Analysis,
    /// How many trials are reported.
    pub progress: String,
    /// What is said of replications that are one and the same trial, if there are such.
    pub repeated: Option<String>,
    /// Whether others are still to be driven.
    pub unfinished: bool,
    /// Tables of all design points, of differences and of what else is said.
    pub tables: &'a [Outline],
    /// Trials that failed, with their reasons.
    pub failures: Vec<[String; 2]>,
    /// The worst trials: what they were, and pictures of their ends.
    pub worst: (String, Vec<Picture>),
}

/// A value with its interval.
#[derive(Clone, Copy)]
struct Valued {
    value: f64,
    ends: [f64; 2],
}

impl Valued {
    /// Of a response in so many trials; none of words, of passes and of nothing.
    fn of(figures: &Figures, done: u64) -> Option<Valued> {
        match figures {
            Figures::Proportion { count, interval, .. } if done > 0 => {
                Some(Valued { value: *count as f64 / done as f64, ends: *interval })
            }
            Figures::Moments(Some(moments)) => Some(Valued::mean(moments)),
            _ => None,
        }
    }

    fn mean(moments: &Moments) -> Valued {
        let ends = moments.estimate().map_or([f64::NAN; 2], |own| [own.low, own.high]);
        Valued { value: moments.mean, ends }
    }

    fn at(self, at: f64) -> Interval {
        Interval { at, value: self.value, ends: self.ends }
    }
}

impl Reported<'_> {
    /// The page.
    pub fn page(&self) -> Page {
        let config = self.config;
        let name = self.asked.scenario.file_stem().unwrap_or_default().to_string_lossy();
        let sections = [
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
        Page {
            title: format!("Study of {name}"),
            question: config.description.clone(),
            answer: self.qualified(&self.answer()),
            facts: vec![
                fact(driven, "trials driven"),
                fact(failed.to_string(), "trials without a result"),
                fact(self.analysis.points.len().to_string(), "design points"),
                fact(config.replications.to_string(), "replications"),
                fact(config.factor.len().to_string(), "factors"),
            ],
            sections: sections.into_iter().flatten().collect(),
            footer: format!(
                "{}. bekker {}, source {}. Intervals are of 95 %, each for itself: of many, some miss. What a \
                 scenario's parameters are uncertain by is in them only as far as factors vary it.",
                self.progress,
                self.asked.version,
                self.asked.source.get(..12).unwrap_or(&self.asked.source)
            ),
        }
    }

    /// The response that a reader asks for first: yes or no, else the first number.
    fn first(&self) -> Option<usize> {
        let points = &self.analysis.points;
        let of = |wanted: fn(&Figures) -> bool| {
            (0..self.asked.responses.len()).find(|n| {
                points.iter().any(|p| p.responses.get(*n).is_some_and(|own| wanted(&own.figures)))
            })
        };
        of(|figures| matches!(figures, Figures::Proportion { .. }))
            .or_else(|| of(|figures| matches!(figures, Figures::Moments(Some(_)))))
    }

    /// Name of a response with its unit.
    fn labelled(&self, response: usize) -> String {
        match self.asked.responses.get(response) {
            Some([name, unit]) if unit.is_empty() => name.clone(),
            Some([name, unit]) => format!("{name}, {unit}"),
            None => String::new(),
        }
    }

    /// The answer in a sentence or two: best and worst design point, or all of them together.
    fn answer(&self) -> String {
        let Some(first) = self.first() else { return "No trial has a number to tell of.".into() };
        let name = &self.asked.responses[first][0];
        let name = match Figure::of_response(name) {
            Some(Figure::Go) => format!("{name} (arrived)"),
            Some(Figure::Completed) => format!("{name} (all arrived)"),
            _ => name.clone(),
        };
        let told = |own: &PointFigures| {
            let figures = &own.responses.get(first)?.figures;
            let Valued { value, ends: [low, high] } = Valued::of(figures, own.done)?;
            let interval = match low.is_finite() {
                true => format!(" (95 %: {} to {})", rounded(low), rounded(high)),
                false => String::new(),
            };
            let what = match figures {
                Figures::Proportion { count, .. } => format!("{count} of {}", own.done),
                _ => rounded(value),
            };
            Some((value, format!("{what}{interval} at {}", self.place(&own.levels))))
        };
        let mut points: Vec<(f64, String)> = self.analysis.points.iter().filter_map(told).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all = self.overall(first);
        match (&points[..], all) {
            ([], _) => "No trial has a number to tell of.".into(),
            (many, Some((yes, count))) if count <= 2 * many.len() as u64 => {
                let [low, high] = wilson(yes, count, CONFIDENCE);
                format!(
                    "{name}: {yes} of {count} trials (95 %: {} to {}). {}",
                    rounded(low),
                    rounded(high),
                    self.decisive(first)
                )
            }
            ([one], _) => format!("{name}: {}.", one.1),
            ([worst, .., best], _) if worst.0 == best.0 => {
                let all = match points.len() == self.analysis.points.len() {
                    true => "all design points".to_owned(),
                    false => format!("all {} design points that have one", points.len()),
                };
                format!("{name}: the same at {all}, such as {}.", best.1)
            }
            ([worst, .., best], _) => {
                let more = |own: &(f64, String)| match points
                    .iter()
                    .filter(|point| point.0 == own.0)
                    .count()
                {
                    1 => String::new(),
                    2 => " and at one more design point".into(),
                    same => format!(" and at {} more design points", same - 1),
                };
                let [high, low] = [best, worst].map(|own| format!("{}{}", own.1, more(own)));
                format!("{name}: highest {high}; lowest {low}. {}", self.decisive(first))
            }
        }
    }

    /// The answer, and what it is not an answer of.
    fn qualified(&self, answer: &str) -> String {
        let points = &self.analysis.points;
        let empty = points.iter().filter(|point| point.done == 0).count();
        let without = (empty > 0).then(|| {
            format!("No trial has a result at {empty} of {} design points.", points.len())
        });
        let unfinished = self.unfinished.then(|| format!("Not done yet: {}.", self.progress));
        let repeated = self.repeated.as_ref().map(|told| format!("But {told}."));
        let all =
            [answer.trim().to_owned()].into_iter().chain(without).chain(unfinished).chain(repeated);
        all.collect::<Vec<_>>().join(" ")
    }

    /// Which factor matters most, if all of them can be ranked and it is more than chance.
    fn decisive(&self, response: usize) -> String {
        let Some(Influence { factors, left_out, .. }) = self.influence(response) else {
            return String::new();
        };
        let Some(first) = factors.first().filter(|own| own.certain && left_out.is_empty()) else {
            return String::new();
        };
        let [low, high] = ends(&first.means).map(rounded);
        let over = if first.quarters { "quarters of its numbers" } else { "its levels" };
        format!("Most depends on {}: the mean goes from {low} to {high} over {over}.", first.factor)
    }

    /// Yes and all trials, of a response that is yes or no.
    fn overall(&self, response: usize) -> Option<(u64, u64)> {
        let count = |own: &PointFigures| match own.responses.get(response)?.figures {
            Figures::Proportion { count, .. } => Some((count, own.done)),
            _ => None,
        };
        let counts: Option<Vec<(u64, u64)>> = self.analysis.points.iter().map(count).collect();
        counts.map(|all| all.iter().fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1)))
    }

    /// Levels of a design point in words.
    fn place(&self, levels: &[Level]) -> String {
        let told = |(name, level): (&String, &Level)| format!("{name} {}", level_word(level));
        let all: Vec<String> = self.asked.factors.iter().zip(levels).map(told).collect();
        all.join(", ")
    }

    /// How far each factor moves a response.
    fn influence(&self, response: usize) -> Option<&Influence> {
        let [name, _] = self.asked.responses.get(response)?;
        self.analysis.influences.iter().find(|own| own.response == *name)
    }

    fn worst(&self) -> Option<Section> {
        let (text, pictures) = &self.worst;
        (!text.is_empty()).then(|| Section {
            heading: "The worst trials".into(),
            text: vec![text.clone()],
            pictures: pictures.clone(),
            ..Section::default()
        })
    }

    fn failed(&self) -> Option<Section> {
        let rows: Vec<Vec<String>> = self.failures.iter().map(|own| own.to_vec()).collect();
        let head = ["trial", "reason"].map(str::to_owned).to_vec();
        let title = "Trials that have no result, which is not the same as no go".into();
        (!rows.is_empty()).then(|| Section {
            heading: "Failed".into(),
            tables: vec![Outline { title, head, rows }],
            ..Section::default()
        })
    }

    fn all(&self) -> Option<Section> {
        (!self.tables.is_empty()).then(|| Section {
            heading: "All figures".into(),
            tables: self.tables.to_vec(),
            folded: true,
            ..Section::default()
        })
    }
}

fn found<T>(answer: &Answer<T>) -> Option<&T> {
    match &answer.said {
        Said::Found(found) => Some(found),
        Said::Refused(_) => None,
    }
}

/// The least and the greatest.
fn ends(values: &[f64]) -> [f64; 2] {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    [low, values.iter().copied().fold(f64::NEG_INFINITY, f64::max)]
}
