//! The page of an identification: predicted and measured, the posterior, and what to drive next.

use super::{Identified, UNDETERMINED, combination, ratios};
use crate::cli::identify::number;
use crate::report::html::{ChartAxis, ChartLayer, HtmlChart, HtmlPage, HtmlSection, ValueInterval};
use crate::report::study::TitledTable;
use crate::rig::drives::{LogChannel, PARAMETER_KEYS, PARAMETERS, SoilChange, SoilParameters};

/// Deviations of a normal distribution that a 90 % interval has on each side.
const NINETY: f64 = 1.645;
/// Number of draws in the charts of pairs.
const DOTS: usize = 300;
/// Number of charts of pairs, those with the largest correlations.
const PAIRS: usize = 6;

/// Returns the page as HTML.
pub fn html(name: &str, identified: &Identified) -> String {
    let Identified { drives, posterior, changes, settings, .. } = identified;
    let fit = &posterior.fit;
    let fact = |value: String, what: &str| [value, what.to_owned()];
    let logs = drives.logs.iter().zip(changes);
    let mut sections: Vec<HtmlSection> =
        logs.map(|(log, change)| predicted_and_measured(&log.name, change)).collect();
    sections.push(parameters(identified));
    sections.push(pairs(&posterior.draws));
    if !identified.next.is_empty() {
        sections.push(next_drives(identified));
    }
    let page = HtmlPage {
        title: format!("Soil from drives: {name}"),
        question: "Which soil parameters agree with the logged drives?".into(),
        answer: answer(identified),
        restrictions: Vec::new(),
        facts: vec![
            fact(fit.drives.to_string(), "simulated drives"),
            fact(fit.observations.to_string(), "observed means"),
            fact(format!("{:.2}", fit.misfit), "misfit of the best soil over the noise"),
            fact(format!("{:.2}", fit.surface_error), "error of the response surface"),
        ],
        sections,
        footer: format!(
            "bekker {}. Seed {}. Prior: {} soils of the catalog. Intervals are 90 %.{}",
            env!("CARGO_PKG_VERSION"),
            settings.seed,
            posterior.prior.soils.len(),
            drives.assumptions.iter().map(|own| format!(" {own}.")).collect::<String>()
        ),
    };
    page.html()
}

fn answer(identified: &Identified) -> String {
    let Identified { posterior, changes, next, .. } = identified;
    let directions = posterior.principal_directions();
    let determined = directions.iter().filter(|own| own.variance_ratio <= UNDETERMINED).count();
    let changed = changes.iter().filter(|own| own.begins.is_some()).count();
    let soil = match changed {
        0 => "No log shows a change of soil.".to_owned(),
        _ => format!("The soil changes in {changed} of {} logs.", changes.len()),
    };
    let next = next.first().map_or_else(String::new, |own| {
        format!(" The most informative next drive: {}.", own.drive)
    });
    format!(
        "The drives determine {determined} of {PARAMETERS} combinations of parameters. {soil}{next}"
    )
}

/// A chart a channel: measured means and the 90 % interval of their prediction.
fn predicted_and_measured(name: &str, change: &SoilChange) -> HtmlSection {
    let chart = |(index, channel): (usize, &LogChannel)| {
        let predicted = change.windows.iter().map(|own| {
            let (value, spread) = (own.predicted[index], NINETY * own.deviations[index]);
            ValueInterval { at: own.end, value, ends: [value - spread, value + spread] }
        });
        let measured = change.windows.iter().map(|own| [own.end, own.measured[index]]);
        HtmlChart {
            title: channel_in_words(*channel),
            x: number_axis("time, s"),
            y: number_axis(channel.column()),
            layers: vec![
                ChartLayer::Intervals {
                    name: "predicted, 90 %".into(),
                    values: predicted.collect(),
                    joined: false,
                },
                ChartLayer::Line {
                    name: "measured".into(),
                    points: measured.collect(),
                    steps: false,
                },
            ],
        }
    };
    let soil = match (change.begins, change.noticed) {
        (Some(begins), Some(noticed)) => format!(
            "The log shows another soil from about {begins:.1} s on, noticed at {noticed:.1} s."
        ),
        _ => "The log shows one soil up to its end.".into(),
    };
    HtmlSection {
        heading: format!("Predicted and measured: {name}"),
        text: vec![
            format!("Means over windows, at their ends. {soil}"),
            "The prediction of a window takes the windows before it into account.".into(),
        ],
        charts: change.channels.iter().enumerate().map(chart).collect(),
        ..HtmlSection::default()
    }
}

fn channel_in_words(channel: LogChannel) -> String {
    match channel {
        LogChannel::Speed => "Speed".into(),
        LogChannel::Pitch => "Pitch".into(),
        LogChannel::Spin(wheel) => format!("Spin of wheel {wheel}"),
        LogChannel::Torque(wheel) => format!("Torque of wheel {wheel}"),
        LogChannel::Sinkage(wheel) => format!("Sinkage of wheel {wheel}"),
    }
}

fn number_axis(label: impl Into<String>) -> ChartAxis {
    ChartAxis::Number { label: label.into(), zero: false }
}

fn parameters(identified: &Identified) -> HtmlSection {
    let posterior = &identified.posterior;
    let rows = posterior.quantiles().map(|own| {
        let key = own.key.to_owned();
        let [low, median, high] = [own.low, own.median, own.high].map(number);
        vec![
            key,
            median,
            low,
            high,
            format!("{:.3}", own.sigma_ln),
            format!("{:.3}", own.prior_sigma_ln),
        ]
    });
    let directions = posterior.principal_directions().into_iter().map(|own| {
        let word = if own.variance_ratio <= UNDETERMINED { "yes" } else { "no" };
        vec![format!("{:.4}", own.variance_ratio), word.to_owned(), combination(&own)]
    });
    HtmlSection {
        heading: "Parameters".into(),
        text: vec![
            "sigma_ln is the standard deviation of the natural logarithm. A variance ratio near 1 \
             means that the drives do not determine the combination."
                .into(),
        ],
        tables: vec![
            table(
                "Posterior",
                &["key", "median", "5 %", "95 %", "sigma_ln", "of prior"],
                rows.into(),
            ),
            table(
                "Combinations of logarithms over their deviations in the prior",
                &["variance/prior", "determined", "combination"],
                directions.collect(),
            ),
        ],
        ..HtmlSection::default()
    }
}

/// Charts of the pairs of parameters with the largest correlations, and the table of all.
fn pairs(draws: &[SoilParameters]) -> HtmlSection {
    let logarithms: Vec<[f64; PARAMETERS]> =
        draws.iter().map(|own| own.by_key().map(|value| value.max(1e-9).log10())).collect();
    let correlations = correlations(&logarithms);
    let mut order: Vec<(usize, usize)> =
        (0..PARAMETERS).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    order.sort_by(|a, b| correlations[b.0][b.1].abs().total_cmp(&correlations[a.0][a.1].abs()));
    let stride = (logarithms.len() / DOTS).max(1);
    let chart = |&(i, j): &(usize, usize)| HtmlChart {
        title: format!("Correlation {:+.2}", correlations[i][j]),
        x: number_axis(format!("log10 {}", PARAMETER_KEYS[j])),
        y: number_axis(format!("log10 {}", PARAMETER_KEYS[i])),
        layers: vec![ChartLayer::Dots {
            name: "draws of the posterior".into(),
            points: logarithms.iter().step_by(stride).map(|own| [own[j], own[i]]).collect(),
        }],
    };
    let rows = (0..PARAMETERS).map(|i| {
        let cells = (0..PARAMETERS).map(|j| format!("{:+.2}", correlations[i][j]));
        std::iter::once(PARAMETER_KEYS[i].to_owned()).chain(cells).collect()
    });
    let head: Vec<&str> = std::iter::once("").chain(PARAMETER_KEYS).collect();
    HtmlSection {
        heading: "Pairs in the posterior".into(),
        text: vec![format!("The {PAIRS} pairs with the largest correlations of their logarithms.")],
        charts: order.iter().take(PAIRS).map(chart).collect(),
        tables: vec![table("Correlations of the logarithms", &head, rows.collect())],
        ..HtmlSection::default()
    }
}

fn correlations(values: &[[f64; PARAMETERS]]) -> [[f64; PARAMETERS]; PARAMETERS] {
    let count = values.len() as f64;
    let mean: [f64; PARAMETERS] =
        std::array::from_fn(|k| values.iter().map(|own| own[k]).sum::<f64>() / count);
    let product = |i: usize, j: usize| {
        values.iter().map(|own| (own[i] - mean[i]) * (own[j] - mean[j])).sum::<f64>()
    };
    std::array::from_fn(|i| {
        std::array::from_fn(|j| product(i, j) / (product(i, i) * product(j, j)).sqrt().max(1e-300))
    })
}

fn next_drives(identified: &Identified) -> HtmlSection {
    let rows = identified.next.iter().map(|own| {
        let [parameters, least, pull] = ratios(own);
        vec![own.drive.clone(), parameters, least, pull, own.draws.to_string()]
    });
    HtmlSection {
        heading: "What to drive next".into(),
        text: vec![
            "Variance expected after a drive of 4 s over that before it: of the logarithms of the \
             parameters on average, of the combination that is determined least, and of the pull at full \
             throttle on the level, on a grade, on softer tires and with a load."
                .into(),
        ],
        tables: vec![table(
            "Expected variance, after/before",
            &["drive", "parameters", "least determined", "pull", "simulated draws"],
            rows.collect(),
        )],
        ..HtmlSection::default()
    }
}

fn table(title: &str, head: &[&str], rows: Vec<Vec<String>>) -> TitledTable {
    let head = head.iter().map(|own| (*own).to_owned()).collect();
    TitledTable { title: title.into(), head, rows }
}
