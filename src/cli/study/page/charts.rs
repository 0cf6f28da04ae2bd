//! Charts of the page of a study, by section.

use super::{StudyReport, ValueRange, available, ends};
use crate::cli::study::level_word;
use crate::report::html::{
    ChartAxis, ChartLayer, FilledRect, HtmlChart, HtmlSection, ValueInterval,
};
use crate::study::analysis::{
    FactorEffects, FactorInfluence, FitOutcome, IndicesResult, LevelStatistics, MIN_POINTS,
    MIN_POINTS_PER_FACTOR, PairEffects, PointStatistics, ResponseStatistics, SurrogateResult,
    SurvivalResult,
};
use crate::study::design::{DesignKind, LevelValue};
use crate::study::statistics::Interval as Indexed;

/// Maximum number of responses with charts; the first ones have them.
const CHARTED: usize = 6;
/// Maximum number of survival curves in a chart.
const LINES: usize = 8;
/// Maximum number of levels that are shown as lines; more are shown as a heat map.
const COMPARED: usize = 5;

impl StudyReport<'_> {
    /// Charts of each of the first responses over each factor.
    pub(super) fn effects(&self) -> Option<HtmlSection> {
        let effects = &self.analysis.effects;
        let chart = |own: &FactorEffects, response: usize| {
            let places = LevelPositions::new(own.levels.iter().map(|own| &own.level));
            let valued = own.levels.iter().zip(&places.at).filter_map(|(level, at)| {
                let figures = level.responses.get(response)?;
                Some(ValueRange::new(figures, level.done, self.scale(response))?.placed_at(*at))
            });
            let values: Vec<ValueInterval> = valued.collect();
            // no line between words, or if a level has no value
            let is_number = |level: &LevelStatistics| matches!(level.level, LevelValue::Number(_));
            let joined = own.levels.iter().all(is_number) && values.len() == own.levels.len();
            (!values.is_empty()).then(|| HtmlChart {
                title: format!(
                    "{} by {}{}",
                    self.asked.responses[response][0],
                    own.factor,
                    arrived_note(own.levels.iter().filter_map(|own| own.responses.get(response)))
                ),
                x: places.axis(self.factor_label(&own.factor)),
                y: self.upwards(response),
                layers: vec![ChartLayer::Intervals { name: String::new(), values, joined }],
            })
        };
        let charts = (0..self.asked.responses.len().min(CHARTED))
            .flat_map(|n| effects.iter().filter_map(move |own| chart(own, n)));
        let charts: Vec<HtmlChart> = charts.collect();
        (!charts.is_empty()).then(|| HtmlSection {
            heading: "Main effects".into(),
            text: vec![format!(
                "Each level, over all levels of the other factors, with 95 % intervals: Wilson for \
                 proportions, Student for means. {}",
                self.analysis.assumption
            )],
            charts,
            ..HtmlSection::default()
        })
    }

    /// The vertical axis of a response; a binary one ranges from 0 to 100 %.
    fn upwards(&self, response: usize) -> ChartAxis {
        let label = self.axis_label(response);
        match self.overall(response) {
            Some(_) => ChartAxis::Between { label, ends: [0.0, 100.0] },
            None => ChartAxis::Number { label, zero: false },
        }
    }

    /// Ranges of a response's mean over the levels of each factor.
    pub(super) fn tornado(&self) -> Option<HtmlSection> {
        let chart = |response: usize| {
            let (factors, scale) = (&self.influence(response)?.factors, self.scale(response));
            let bar = |(n, own): (usize, &FactorInfluence)| ValueInterval {
                // the most important factor on top
                at: (factors.len() - 1 - n) as f64,
                value: scale * own.means.iter().sum::<f64>() / own.means.len() as f64,
                ends: ends(&own.means).map(|x| scale * x),
            };
            let bars: Vec<ValueInterval> = factors.iter().enumerate().map(bar).collect();
            let names = factors.iter().rev().map(|own| own.factor.clone()).collect();
            let what = if self.overall(response).is_some() { "share" } else { "mean" };
            (factors.len() > 1).then(|| HtmlChart {
                title: format!("{}: range of the {what}", self.asked.responses[response][0]),
                x: ChartAxis::Number { label: self.axis_label(response), zero: false },
                y: ChartAxis::Words { label: String::new(), words: names },
                layers: vec![ChartLayer::Bars { name: String::new(), bars }],
            })
        };
        let charts: Vec<HtmlChart> =
            (0..self.asked.responses.len().min(CHARTED)).filter_map(chart).collect();
        (!charts.is_empty()).then(|| HtmlSection {
            heading: "Factor importance".into(),
            text: vec![
                "Range of a response's mean over the levels of each factor, or over \
                quartiles of continuous factors; the mark is the mean of these. Factors are sorted \
                by their share of the variance."
                    .into(),
            ],
            charts,
            ..HtmlSection::default()
        })
    }

    /// Interactions of two factors: lines if one has few levels, a heat map if both have many.
    pub(super) fn interactions(&self) -> Option<HtmlSection> {
        let first = self.first()?;
        let responses = [Some(first), (0..self.asked.responses.len()).find(|n| *n != first)];
        let chart = |pair: &PairEffects, response: usize| {
            let scale = self.scale(response);
            let valued = |a: usize, b: usize| {
                let cell = pair.cells.get(a)?.get(b)?;
                ValueRange::new(cell.responses.get(response)?, cell.done, scale)
            };
            let [many, few] = match pair.levels[0].len() >= pair.levels[1].len() {
                true => [0, 1],
                false => [1, 0],
            };
            let of =
                |x: usize, line: usize| if many == 0 { valued(x, line) } else { valued(line, x) };
            let cells = pair.cells.iter().flatten();
            let title = format!(
                "{} by {} and {}{}",
                self.asked.responses[response][0],
                pair.factors[many],
                pair.factors[few],
                arrived_note(cells.filter_map(|own| own.responses.get(response)))
            );
            let across = LevelPositions::new(pair.levels[many].iter());
            let x = across.axis(self.factor_label(&pair.factors[many]));
            if pair.levels[few].len() > COMPARED {
                let upwards = LevelPositions::new(pair.levels[few].iter());
                let y = upwards.axis(self.factor_label(&pair.factors[few]));
                let layer = self.heat_map([&across, &upwards], response, &of)?;
                return Some(HtmlChart { title, x, y, layers: vec![layer] });
            }
            let lines = pair.levels[few].len();
            let layers: Vec<ChartLayer> = (0..lines)
                .map(|line| ChartLayer::Intervals {
                    name: format!("{} {}", pair.factors[few], level_word(&pair.levels[few][line])),
                    values: (0..across.at.len())
                        .filter_map(|x| {
                            // side by side rather than on top of each other
                            let aside = 0.012 * (line as f64 - 0.5 * (lines - 1) as f64);
                            Some(of(x, line)?.placed_at(across.at[x] + aside * across.width()))
                        })
                        .collect(),
                    joined: true,
                })
                .collect();
            let any = layers.iter().any(
                |own| matches!(own, ChartLayer::Intervals { values, .. } if !values.is_empty()),
            );
            any.then(|| HtmlChart { title, x, y: self.upwards(response), layers })
        };
        let charts = responses.into_iter().flatten().flat_map(|n| {
            let pairs = self.analysis.interactions.iter();
            pairs.filter_map(move |pair| chart(pair, n)).collect::<Vec<_>>()
        });
        let charts: Vec<HtmlChart> = charts.collect();
        let is_line = |own: &ChartLayer| matches!(own, ChartLayer::Intervals { .. });
        let has_lines = charts.iter().flat_map(|own| &own.layers).any(is_line);
        (!charts.is_empty()).then(|| HtmlSection {
            heading: "Interactions".into(),
            text: vec![
                match has_lines {
                    true => "Lines that are not parallel show that the factors interact.",
                    false => "Each cell is a pair of levels, over all levels of the other factors.",
                }
                .into(),
            ],
            charts,
            ..HtmlSection::default()
        })
    }

    /// A heat map over pairs of levels; `None` without a value.
    fn heat_map(
        &self,
        [across, upwards]: [&LevelPositions; 2],
        response: usize,
        of: &dyn Fn(usize, usize) -> Option<ValueRange>,
    ) -> Option<ChartLayer> {
        let field = |x: usize, y: usize| {
            let value = of(x, y)?.value;
            Some(FilledRect { across: across.edges(x), upwards: upwards.edges(y), value })
        };
        let rows = 0..upwards.at.len();
        let fields: Vec<FilledRect> = (0..across.at.len())
            .flat_map(|x| rows.clone().filter_map(move |y| field(x, y)))
            .collect();
        let values: Vec<f64> = fields.iter().map(|own| own.value).collect();
        let ends = match self.overall(response) {
            Some(_) => [0.0, 100.0],
            None => ends(&values),
        };
        let label = self.axis_label(response);
        (!fields.is_empty()).then_some(ChartLayer::Fields { label, fields, ends })
    }

    /// Survival over passes.
    pub(super) fn survival(&self) -> Option<HtmlSection> {
        let chart = |own: &SurvivalResult| {
            let layers = own.points.iter().take(LINES).map(|point| {
                let levels = self.analysis.points.iter().find(|other| other.point == point.point);
                let mut points = vec![[0.0, 100.0]];
                points.extend(point.steps.iter().map(|step| [step.time, 100.0 * step.survival]));
                let last = points.last().map_or(100.0, |last| last[1]);
                points.push([own.passes as f64, last]);
                let name = levels.map_or(String::new(), |own| self.place(&own.levels));
                ChartLayer::Line { name, points, steps: true }
            });
            HtmlChart {
                title: format!("{}: convoys without a stuck vehicle", own.response),
                x: ChartAxis::Between { label: "pass".into(), ends: [0.0, own.passes as f64] },
                y: ChartAxis::Between { label: "% of convoys".into(), ends: [0.0, 100.0] },
                layers: layers.collect(),
            }
        };
        let charts: Vec<HtmlChart> = self.analysis.survival.iter().map(chart).collect();
        let shown = |own: &SurvivalResult| own.points.len() > LINES;
        let rest = match self.analysis.survival.iter().any(shown) {
            true => format!(" Only the first {LINES} design points are shown; the table has all."),
            false => String::new(),
        };
        (!charts.is_empty()).then(|| HtmlSection {
            heading: "Passes until a vehicle is stuck".into(),
            text: vec![format!(
                "Kaplan-Meier estimate; convoys without a stuck vehicle are censored.{rest}"
            )],
            charts,
            ..HtmlSection::default()
        })
    }

    /// Sobol' indices.
    pub(super) fn indices(&self) -> Option<HtmlSection> {
        let chart = |(name, own): (&str, &IndicesResult)| {
            let count = own.factors.len();
            let bars = |of: &[Indexed], aside: f64| {
                let bar = |(n, own): (usize, &Indexed)| ValueInterval {
                    at: (count - 1 - n) as f64 + aside,
                    // fractions of a variance are not negative: an estimate below 0 is noise
                    value: own.value.max(0.0),
                    ends: [own.low, own.high].map(|end| end.max(0.0)),
                };
                of.iter().enumerate().map(bar).collect::<Vec<_>>()
            };
            HtmlChart {
                title: format!("{name}: share of variance"),
                x: ChartAxis::Number { label: "Sobol' index".into(), zero: true },
                y: ChartAxis::Words {
                    label: String::new(),
                    words: own.factors.iter().rev().cloned().collect(),
                },
                layers: vec![
                    ChartLayer::Bars {
                        name: "first order".into(),
                        bars: bars(&own.indices.first, 0.17),
                    },
                    ChartLayer::Bars {
                        name: "total".into(),
                        bars: bars(&own.indices.total, -0.17),
                    },
                ],
            }
        };
        let all = self.analysis.indices.iter();
        let charts: Vec<HtmlChart> = all
            .filter_map(|own| Some((own.response.as_str(), available(own)?)))
            .map(chart)
            .collect();
        (!charts.is_empty()).then(|| HtmlSection {
            heading: "Shares of variance".into(),
            text: vec![
                "Sobol' indices with 95 % intervals: first order (factor alone) and total (with \
                 interactions). Negative estimates are noise and shown as 0."
                    .into(),
            ],
            charts,
            ..HtmlSection::default()
        })
    }

    /// Responses over continuous factors: dots, and the surrogate's main effect if there is one.
    pub(super) fn surrogates(&self) -> Option<HtmlSection> {
        let config = self.config;
        // its points are not a sample: most differ from another point in one factor only
        if config.design == DesignKind::Saltelli {
            return None;
        }
        let drawn: Vec<usize> = (0..config.factor.len())
            .filter(|n| {
                !self.analysis.effects.iter().any(|own| own.factor == config.factor[*n].name)
            })
            .collect();
        let mut missing: Vec<String> = Vec::new();
        let mut charts: Vec<HtmlChart> = Vec::new();
        for response in 0..self.asked.responses.len().min(CHARTED) {
            let name = &self.asked.responses[response][0];
            let answer = self.analysis.surrogates.iter().find(|own| own.response == *name);
            let surrogate = answer.and_then(available);
            if let Some(FitOutcome::Refused(cause)) = answer.map(|own| &own.outcome) {
                missing.push(format!("{name}: {cause}"));
            }
            charts.extend(drawn.iter().filter_map(|n| self.dots(response, *n, surrogate)));
        }
        let has_lines = charts.iter().any(|own| own.layers.len() > 1);
        let mut text = match has_lines {
            true => "The tables below give the leave-one-out error of the line.".to_owned(),
            false => format!(
                "No curve is fitted: a fit needs numeric factors, and values at {MIN_POINTS} or \
                 more points and {MIN_POINTS_PER_FACTOR} per factor."
            ),
        };
        if !missing.is_empty() {
            text += &format!(" No curve for {}.", missing.join("; "));
        }
        (!charts.is_empty()).then(|| HtmlSection {
            heading: "Design points".into(),
            text: vec![text],
            charts,
            ..HtmlSection::default()
        })
    }

    /// A response at all design points over a numeric factor, with its surrogate.
    fn dots(
        &self,
        response: usize,
        factor: usize,
        surrogate: Option<&SurrogateResult>,
    ) -> Option<HtmlChart> {
        let (name, own) = (&self.asked.responses[response][0], &self.config.factor[factor].name);
        let scale = self.scale(response);
        let dot = |point: &PointStatistics| match point.levels.get(factor)? {
            LevelValue::Number(x) => {
                let figures = &point.responses.get(response)?.figures;
                Some([*x, ValueRange::new(figures, point.done, scale)?.value])
            }
            _ => None,
        };
        let dots: Vec<[f64; 2]> = self.analysis.points.iter().filter_map(dot).collect();
        if dots.is_empty() {
            return None;
        }
        let mut layers = vec![ChartLayer::Dots { name: "design points".into(), points: dots }];
        let effect = surrogate.and_then(|s| s.main_effects.iter().find(|e| e.factor == *own));
        layers.extend(effect.map(|effect| {
            let line = effect.levels.iter().zip(&effect.values);
            ChartLayer::Line {
                name: "Gaussian process, averaged over other factors".into(),
                points: line.map(|(x, y)| [*x, scale * y]).collect(),
                steps: false,
            }
        }));
        let figures = self.analysis.points.iter().filter_map(|p| p.responses.get(response));
        Some(HtmlChart {
            title: format!("{name} by {own}{}", arrived_note(figures.map(|own| &own.figures))),
            x: ChartAxis::Number { label: self.factor_label(own), zero: false },
            y: self.upwards(response),
            layers,
        })
    }
}

/// Returns words for the title of a total that excludes trials that did not arrive.
fn arrived_note<'a>(mut figures: impl Iterator<Item = &'a ResponseStatistics>) -> &'static str {
    let leaves_out = |own: &ResponseStatistics| match own {
        ResponseStatistics::Total { arrived, all_trials, .. } => {
            all_trials.is_some_and(|all| *arrived < all.count as u64)
        }
        _ => false,
    };
    if figures.any(leaves_out) { ", arrived trials" } else { "" }
}

/// Positions of levels on an axis: their values, or for words 0, 1, 2 and so on.
struct LevelPositions {
    at: Vec<f64>,
    words: Vec<String>,
    are_numbers: bool,
}

impl LevelPositions {
    fn new<'a>(levels: impl Iterator<Item = &'a LevelValue>) -> LevelPositions {
        let levels: Vec<&LevelValue> = levels.collect();
        let number = |level: &&LevelValue| match level {
            LevelValue::Number(x) => Some(*x),
            _ => None,
        };
        let numbers: Option<Vec<f64>> = levels.iter().map(number).collect();
        let are_numbers = numbers.is_some();
        let at = numbers.unwrap_or_else(|| (0..levels.len()).map(|n| n as f64).collect());
        LevelPositions { at, words: levels.into_iter().map(level_word).collect(), are_numbers }
    }

    /// Distance from the first to the last level.
    fn width(&self) -> f64 {
        let [low, high] = ends(&self.at);
        if high > low { high - low } else { 1.0 }
    }

    /// Midpoints between a level and its neighbors.
    fn edges(&self, n: usize) -> [f64; 2] {
        let gap = |a: usize, b: usize| 0.5 * (self.at[b] - self.at[a]);
        let last = self.at.len() - 1;
        if last == 0 {
            return [self.at[0] - 0.5, self.at[0] + 0.5];
        }
        let below = if n > 0 { gap(n - 1, n) } else { gap(0, 1) };
        let above = if n < last { gap(n, n + 1) } else { gap(last - 1, last) };
        [self.at[n] - below, self.at[n] + above]
    }

    fn axis(&self, label: String) -> ChartAxis {
        if !self.are_numbers || self.at.is_empty() {
            return ChartAxis::Words { label, words: self.words.clone() };
        }
        let margin = 0.06 * self.width();
        let last = self.at.len() - 1;
        let ends = [
            self.edges(0)[0].min(self.at[0] - margin),
            self.edges(last)[1].max(self.at[last] + margin),
        ];
        let levels = self.at.iter().copied().zip(self.words.iter().cloned()).collect();
        ChartAxis::Levels { label, levels, ends }
    }
}
