//! `report.html`: a study for somebody who has not driven it.

use super::{level_word, rounded};
use crate::report::html::{Axis, Chart, Interval, Layer, Page, Picture, Section};
use crate::report::study::{AskedOfStudy, Outline};
use crate::study::analysis::{
    Analysis, Answer, FactorEffects, Figures, IndicesFigures, PairEffects, PointFigures, Said,
    SurrogateFigures, SurvivalFigures,
};
use crate::study::design::{Level, StudyConfig};
use crate::study::statistics::{Moments, wilson};

/// Responses that have charts, the first ones.
const CHARTED: usize = 6;
/// Lines of a chart at most.
const LINES: usize = 8;
const CONFIDENCE: f64 = 0.95;

/// What a page is made of.
pub struct Reported<'a> {
    pub asked: &'a AskedOfStudy,
    pub config: &'a StudyConfig,
    pub analysis: &'a Analysis,
    /// How many trials are reported.
    pub told: String,
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
        Page {
            title: format!("Study of {name}"),
            question: config.description.clone(),
            answer: self.answer(),
            facts: vec![
                fact(done.to_string(), "trials driven"),
                fact(failed.to_string(), "trials without a result"),
                fact(self.analysis.points.len().to_string(), "design points"),
                fact(config.replications.to_string(), "replications"),
                fact(config.factor.len().to_string(), "factors"),
            ],
            sections: sections.into_iter().flatten().collect(),
            footer: format!(
                "{}. bekker {}, source {}. Intervals are of 95 %, each for itself: of many, some miss. What a \
                 scenario's parameters are uncertain by is in them only as far as factors vary it.",
                self.told,
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
        let told = |own: &PointFigures| {
            let figures = &own.responses.get(first)?.figures;
            let Valued { value, ends: [low, high] } = Valued::of(figures, own.done)?;
            let interval = match low.is_finite() {
                true => format!(" ({} to {})", rounded(low), rounded(high)),
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
                    "{name}: {yes} of {count} trials ({} to {}). {}",
                    rounded(low),
                    rounded(high),
                    self.decisive(first)
                )
            }
            ([one], _) => format!("{name}: {}.", one.1),
            ([worst, .., best], _) if worst.0 == best.0 => {
                format!("{name}: the same at all design points, such as {}.", best.1)
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

    /// Which factor matters most.
    fn decisive(&self, response: usize) -> String {
        match self.swings(response).first() {
            Some((factor, low, high, _)) if high > low => format!(
                "Most depends on {factor}: the mean goes from {} to {} over its levels.",
                rounded(*low),
                rounded(*high)
            ),
            _ => String::new(),
        }
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

    /// Each factor with the lowest and highest mean over its levels, and the mean over all; the
    /// widest first. Where levels do not come back, by the surrogate.
    fn swings(&self, response: usize) -> Vec<(String, f64, f64, f64)> {
        let span = |factor: &str, values: Vec<f64>| {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            (!values.is_empty()).then(|| (factor.to_owned(), low, high, mean))
        };
        let values = |own: &FactorEffects| {
            let value = |level: &crate::study::analysis::LevelFigures| {
                Some(Valued::of(level.responses.get(response)?, level.done)?.value)
            };
            own.levels.iter().filter_map(value).collect::<Vec<f64>>()
        };
        let name = self.asked.responses.get(response).map_or("", |own| own[0].as_str());
        let guessed = self.analysis.surrogates.iter().filter(|own| own.response == name);
        let guessed = guessed.filter_map(found).flat_map(|own| &own.main_effects);
        let told = self.analysis.effects.iter().filter_map(|own| span(&own.factor, values(own)));
        let guessed = guessed.filter_map(|own| span(&own.factor, own.values.clone()));
        let mut swings: Vec<(String, f64, f64, f64)> = told.chain(guessed).collect();
        swings.sort_by(|a, b| (b.2 - b.1).total_cmp(&(a.2 - a.1)));
        swings
    }

    /// Charts of each of the first responses over each factor.
    fn effects(&self) -> Option<Section> {
        let effects = &self.analysis.effects;
        let chart = |own: &FactorEffects, response: usize| {
            let valued = own.levels.iter().enumerate().filter_map(|(n, level)| {
                Some(Valued::of(level.responses.get(response)?, level.done)?.at(n as f64))
            });
            let values: Vec<Interval> = valued.collect();
            (!values.is_empty()).then(|| Chart {
                title: format!("{} over {}", self.asked.responses[response][0], own.factor),
                x: words(&own.factor, own.levels.iter().map(|own| &own.level)),
                y: self.upwards(response),
                layers: vec![Layer::Intervals { name: String::new(), values, joined: true }],
            })
        };
        let charts = (0..self.asked.responses.len().min(CHARTED))
            .flat_map(|n| effects.iter().filter_map(move |own| chart(own, n)));
        let charts: Vec<Chart> = charts.collect();
        (!charts.is_empty()).then(|| Section {
            heading: "What each factor does".into(),
            text: vec!["Each level over all levels of the other factors, with intervals of 95 %: Wilson's \
                        of how often, Student's of a mean.".into()],
            charts,
            ..Section::default()
        })
    }

    /// The axis of a response upwards: what is yes or no from never to always.
    fn upwards(&self, response: usize) -> Axis {
        let label = self.labelled(response);
        match self.overall(response) {
            Some(_) => Axis::Between { label, ends: [0.0, 1.0] },
            None => Axis::Number { label, zero: false },
        }
    }

    /// Which factor moves a response how far.
    fn tornado(&self) -> Option<Section> {
        let chart = |response: usize| {
            let swings = self.swings(response);
            let bar = |(n, own): (usize, &(String, f64, f64, f64))| Interval {
                // the widest on top
                at: (swings.len() - 1 - n) as f64,
                value: own.3,
                ends: [own.1, own.2],
            };
            let bars: Vec<Interval> = swings.iter().enumerate().map(bar).collect();
            let names = swings.iter().rev().map(|own| own.0.clone()).collect();
            (swings.len() > 1).then(|| Chart {
                title: format!("{}: range of its mean", self.asked.responses[response][0]),
                x: Axis::Number { label: self.labelled(response), zero: false },
                y: Axis::Words { label: String::new(), words: names },
                layers: vec![Layer::Bars { name: String::new(), bars }],
            })
        };
        let charts: Vec<Chart> =
            (0..self.asked.responses.len().min(CHARTED)).filter_map(chart).collect();
        (!charts.is_empty()).then(|| Section {
            heading: "What matters most".into(),
            text: vec!["The mean of a response from its lowest to its highest over the levels of each factor; \
                        the stroke is the mean of these.".into()],
            charts,
            ..Section::default()
        })
    }

    /// Two factors together: lines where one has few levels, a field of colour where both have
    /// many.
    fn interactions(&self) -> Option<Section> {
        let first = self.first()?;
        let responses = [Some(first), (0..self.asked.responses.len()).find(|n| *n != first)];
        let chart = |pair: &PairEffects, response: usize| {
            let valued = |a: usize, b: usize| {
                let cell = pair.cells.get(a)?.get(b)?;
                Valued::of(cell.responses.get(response)?, cell.done)
            };
            let [many, few] = match pair.levels[0].len() >= pair.levels[1].len() {
                true => [0, 1],
                false => [1, 0],
            };
            let of =
                |x: usize, line: usize| if many == 0 { valued(x, line) } else { valued(line, x) };
            let title = format!(
                "{} over {} and {}",
                self.asked.responses[response][0], pair.factors[many], pair.factors[few]
            );
            let x = words(&pair.factors[many], pair.levels[many].iter());
            let counts = [pair.levels[many].len(), pair.levels[few].len()];
            if counts[1] > LINES.min(5) {
                let fields = (0..counts[0]).flat_map(|x| {
                    (0..counts[1]).filter_map(move |y| Some([x as f64, y as f64, of(x, y)?.value]))
                });
                let fields: Vec<[f64; 3]> = fields.collect();
                let values = || fields.iter().map(|own| own[2]);
                let ends = match self.overall(response) {
                    Some(_) => [0.0, 1.0],
                    None => [
                        values().fold(f64::INFINITY, f64::min),
                        values().fold(f64::NEG_INFINITY, f64::max),
                    ],
                };
                let y = words(&pair.factors[few], pair.levels[few].iter());
                let label = self.labelled(response);
                return (!fields.is_empty()).then(|| Chart {
                    title,
                    x,
                    y,
                    layers: vec![Layer::Fields { label, fields, ends }],
                });
            }
            let layers: Vec<Layer> = (0..counts[1])
                .map(|line| Layer::Intervals {
                    name: format!("{} {}", pair.factors[few], level_word(&pair.levels[few][line])),
                    values: (0..counts[0])
                        .filter_map(|x| {
                            // side by side, not on top of each other
                            let aside = 0.06 * (line as f64 - 0.5 * (counts[1] - 1) as f64);
                            Some(of(x, line)?.at(x as f64 + aside))
                        })
                        .collect(),
                    joined: true,
                })
                .collect();
            let any = layers
                .iter()
                .any(|own| matches!(own, Layer::Intervals { values, .. } if !values.is_empty()));
            any.then(|| Chart { title, x, y: self.upwards(response), layers })
        };
        let charts = responses.into_iter().flatten().flat_map(|n| {
            let pairs = self.analysis.interactions.iter();
            pairs.filter_map(move |pair| chart(pair, n)).collect::<Vec<_>>()
        });
        let charts: Vec<Chart> = charts.collect();
        (!charts.is_empty()).then(|| Section {
            heading: "Factors together".into(),
            text: vec![
                "Lines that are not parallel mean that what a factor does hangs on the other."
                    .into(),
            ],
            charts,
            ..Section::default()
        })
    }

    /// Survival over passes.
    fn survival(&self) -> Option<Section> {
        let chart = |own: &SurvivalFigures| {
            let layers = own.points.iter().take(LINES).map(|point| {
                let levels = self.analysis.points.iter().find(|other| other.point == point.point);
                let mut points = vec![[0.0, 1.0]];
                points.extend(point.steps.iter().map(|step| [step.time, step.survival]));
                let last = points.last().map_or(1.0, |last| last[1]);
                points.push([own.passes as f64, last]);
                let name = levels.map_or(String::new(), |own| self.place(&own.levels));
                Layer::Line { name, points, steps: true }
            });
            Chart {
                title: format!("{}: part of convoys that is not stuck", own.response),
                x: Axis::Between { label: "pass".into(), ends: [0.0, own.passes as f64] },
                y: Axis::Between { label: "not stuck".into(), ends: [0.0, 1.0] },
                layers: layers.collect(),
            }
        };
        let charts: Vec<Chart> = self.analysis.survival.iter().map(chart).collect();
        let shown = |own: &SurvivalFigures| own.points.len() > LINES;
        let rest = match self.analysis.survival.iter().any(shown) {
            true => format!(" The first {LINES} design points; all are in the table."),
            false => String::new(),
        };
        (!charts.is_empty()).then(|| Section {
            heading: "Passes until a vehicle sticks".into(),
            text: vec![format!(
                "By Kaplan and Meier: a convoy that came through says only that it would have lasted longer.{rest}"
            )],
            charts,
            ..Section::default()
        })
    }

    /// Sobol' indices.
    fn indices(&self) -> Option<Section> {
        let chart = |(name, own): (&str, &IndicesFigures)| {
            let count = own.factors.len();
            let bars = |of: &[crate::study::statistics::Interval], aside: f64| {
                let bar = |(n, own): (usize, &crate::study::statistics::Interval)| Interval {
                    at: (count - 1 - n) as f64 + aside,
                    value: own.value,
                    ends: [own.low, own.high],
                };
                of.iter().enumerate().map(bar).collect::<Vec<_>>()
            };
            Chart {
                title: format!("{name}: share of variance"),
                x: Axis::Number { label: "Sobol' index".into(), zero: true },
                y: Axis::Words {
                    label: String::new(),
                    words: own.factors.iter().rev().cloned().collect(),
                },
                layers: vec![
                    Layer::Bars { name: "alone".into(), bars: bars(&own.first, 0.17) },
                    Layer::Bars { name: "with others".into(), bars: bars(&own.total, -0.17) },
                ],
            }
        };
        let all = self.analysis.indices.iter();
        let charts: Vec<Chart> =
            all.filter_map(|own| Some((own.response.as_str(), found(own)?))).map(chart).collect();
        (!charts.is_empty()).then(|| Section {
            heading: "Whose variance it is".into(),
            text: vec!["Sobol' indices with intervals of 95 %: what a factor does alone, and with all others.".into()],
            charts,
            ..Section::default()
        })
    }

    /// Responses over factors that were drawn: dots, and the surrogate's main effect.
    fn surrogates(&self) -> Option<Section> {
        let of_response = |(name, own): (&String, &SurrogateFigures)| {
            let response = self.asked.responses.iter().position(|own| own[0] == *name)?;
            let charts = own.main_effects.iter().map(|effect| {
                let factor = self.asked.factors.iter().position(|own| *own == effect.factor);
                let dot = |point: &PointFigures| match point.levels.get(factor?) {
                    Some(Level::Number(x)) => {
                        let figures = &point.responses.get(response)?.figures;
                        Some([*x, Valued::of(figures, point.done)?.value])
                    }
                    _ => None,
                };
                let dots = self.analysis.points.iter().filter_map(dot).collect();
                let line = effect.levels.iter().copied().zip(effect.values.iter().copied());
                Chart {
                    title: format!("{name} over {}", effect.factor),
                    x: Axis::Number { label: effect.factor.clone(), zero: false },
                    y: self.upwards(response),
                    layers: vec![
                        Layer::Dots { name: "design points".into(), points: dots },
                        Layer::Line {
                            name: "Gaussian process, mean over the others".into(),
                            points: line.map(|(x, y)| [x, y]).collect(),
                            steps: false,
                        },
                    ],
                }
            });
            Some(charts.collect::<Vec<_>>())
        };
        let all = self.analysis.surrogates.iter().take(CHARTED);
        let charts: Vec<Chart> =
            all.filter_map(|own| of_response((&own.response, found(own)?))).flatten().collect();
        (!charts.is_empty()).then(|| Section {
            heading: "Between the design points".into(),
            text: vec![
                "How well the line guesses a point from all others stands in the tables below."
                    .into(),
            ],
            charts,
            ..Section::default()
        })
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

/// An axis of levels.
fn words<'a>(factor: &str, levels: impl Iterator<Item = &'a Level>) -> Axis {
    Axis::Words { label: factor.to_owned(), words: levels.map(level_word).collect() }
}
