//! The charts of a study's page, section by section.

use super::{Reported, Valued, ends, found};
use crate::cli::study::level_word;
use crate::report::html::{Axis, Chart, Interval, Layer, Section};
use crate::study::analysis::{
    FactorEffects, FactorInfluence, IndicesFigures, LevelFigures, PairEffects, PointFigures,
    SurrogateFigures, SurvivalFigures,
};
use crate::study::design::Level;
use crate::study::statistics::Interval as Indexed;

/// Responses that have charts, the first ones.
const CHARTED: usize = 6;
/// Lines of survival in a chart at most.
const LINES: usize = 8;
/// Levels of a factor that are told apart by lines; more are fields of colour.
const COMPARED: usize = 5;

impl Reported<'_> {
    /// Charts of each of the first responses over each factor.
    pub(super) fn effects(&self) -> Option<Section> {
        let effects = &self.analysis.effects;
        let chart = |own: &FactorEffects, response: usize| {
            let valued = own.levels.iter().enumerate().filter_map(|(n, level)| {
                Some(Valued::of(level.responses.get(response)?, level.done)?.at(n as f64))
            });
            let values: Vec<Interval> = valued.collect();
            // between words, and where a level has no value, there is nothing to go through
            let is_number = |level: &LevelFigures| matches!(level.level, Level::Number(_));
            let joined = own.levels.iter().all(is_number) && values.len() == own.levels.len();
            (!values.is_empty()).then(|| Chart {
                title: format!("{} over {}", self.asked.responses[response][0], own.factor),
                x: words(&own.factor, own.levels.iter().map(|own| &own.level)),
                y: self.upwards(response),
                layers: vec![Layer::Intervals { name: String::new(), values, joined }],
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
    pub(super) fn tornado(&self) -> Option<Section> {
        let chart = |response: usize| {
            let factors = &self.influence(response)?.factors;
            let bar = |(n, own): (usize, &FactorInfluence)| Interval {
                // that of the greatest share on top
                at: (factors.len() - 1 - n) as f64,
                value: own.means.iter().sum::<f64>() / own.means.len() as f64,
                ends: ends(&own.means),
            };
            let bars: Vec<Interval> = factors.iter().enumerate().map(bar).collect();
            let names = factors.iter().rev().map(|own| own.factor.clone()).collect();
            (factors.len() > 1).then(|| Chart {
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
            text: vec!["The mean of a response from its lowest to its highest over the levels of each factor, or \
                        over quarters of numbers that do not come back; the stroke is the mean of these. \
                        Factors are in the order of their shares of the variance.".into()],
            charts,
            ..Section::default()
        })
    }

    /// Two factors together: lines where one has few levels, a field of colour where both have
    /// many.
    pub(super) fn interactions(&self) -> Option<Section> {
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
            if counts[1] > COMPARED {
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
    pub(super) fn survival(&self) -> Option<Section> {
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
    pub(super) fn indices(&self) -> Option<Section> {
        let chart = |(name, own): (&str, &IndicesFigures)| {
            let count = own.factors.len();
            let bars = |of: &[Indexed], aside: f64| {
                let bar = |(n, own): (usize, &Indexed)| Interval {
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
    pub(super) fn surrogates(&self) -> Option<Section> {
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
}

/// An axis of levels.
fn words<'a>(factor: &str, levels: impl Iterator<Item = &'a Level>) -> Axis {
    Axis::Words { label: factor.to_owned(), words: levels.map(level_word).collect() }
}
