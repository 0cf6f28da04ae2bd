//! Results as plots: dots for measured values, dashes for modeled ones.

use super::{BenchPart, MeasuredCase, ScalingResults};
use crate::scaling::GroundKind;
use bekker_math::numeric::hypot;
use bekker_report::plot::{Figure, PlotAxes, Series, SeriesMark};

const FACTOR: &str = "wall over simulated time";

/// Returns a plot for each measured part, with its name.
pub fn figures(results: &ScalingResults) -> Vec<(&'static str, Figure)> {
    let of = |part: BenchPart| -> Vec<&MeasuredCase> {
        results.measured.iter().filter(|own| own.part == part).collect()
    };
    let machine = results.machine.cpu.as_deref().unwrap_or("unknown processor");
    let subtitle = format!(
        "HMMWVs on rigid tires, hashed and recorded; {} cores of {machine}; dashed: model",
        results.machine.cores
    );
    let all = [
        (
            BenchPart::Vehicles,
            "vehicles",
            "Vehicles in one process, and one per rank",
            vehicles as Panels,
        ),
        (BenchPart::Platoon, "platoon", "A platoon three abreast with cameras", platoon),
        (BenchPart::Weak, "weak", "Weak scaling: constant vehicles per rank", weak),
        (BenchPart::Strong, "strong", "Strong scaling: constant total of vehicles", strong),
        (BenchPart::Heartbeat, "heartbeat", "Heartbeat length", heartbeat),
    ];
    let figure = |(part, name, title, panels): (BenchPart, &'static str, &str, Panels)| {
        let measured = of(part);
        let panels = panels(&measured);
        let (title, subtitle) = (title.to_owned(), subtitle.clone());
        (!measured.is_empty()).then_some((name, Figure { title, subtitle, panels }))
    };
    all.into_iter().filter_map(figure).collect()
}

type Panels = fn(&[&MeasuredCase]) -> Vec<PlotAxes>;

fn panel(title: &str, x_label: &str, y_label: &str, series: Vec<Series>) -> PlotAxes {
    let series = series.into_iter().filter(|own| !own.points.is_empty()).collect();
    let (title, x_label, y_label) = (title.into(), x_label.into(), y_label.into());
    PlotAxes { title, x_label, y_label, from_zero: true, counts: false, series }
}

fn series(
    name: impl Into<String>,
    mark: SeriesMark,
    measured: &[&MeasuredCase],
    point: impl Fn(&MeasuredCase) -> Option<[f64; 2]>,
) -> Series {
    Series {
        name: name.into(),
        mark,
        points: measured.iter().filter_map(|own| point(own)).collect(),
    }
}

/// Returns the panel over vehicles: one process, and one vehicle per rank.
fn alone_and_ranked(measured: &[&MeasuredCase], title: &str, x_label: &str) -> PlotAxes {
    let across = |own: &MeasuredCase, factor: f64| [own.case.vehicles as f64, factor];
    let alone = |own: &MeasuredCase| (own.case.ranks == 1).then(|| across(own, own.median));
    let ranked = |own: &MeasuredCase| (own.case.ranks > 1).then(|| across(own, own.median));
    let quiet = |own: &MeasuredCase| own.modeled.map(|factor| across(own, factor));
    let alone_quiet = |own: &MeasuredCase| quiet(own).filter(|_| own.case.ranks == 1);
    let ranked_quiet = |own: &MeasuredCase| quiet(own).filter(|_| own.case.ranks > 1);
    panel(
        title,
        x_label,
        FACTOR,
        vec![
            series("one process, idle machine", SeriesMark::Dashes, measured, alone_quiet),
            series("one core per rank", SeriesMark::Dashes, measured, ranked_quiet),
            series("one process, measured", SeriesMark::Dots, measured, alone),
            series("one vehicle per rank, measured", SeriesMark::Dots, measured, ranked),
        ],
    )
}

fn vehicles(measured: &[&MeasuredCase]) -> Vec<PlotAxes> {
    let on = |footing: GroundKind| -> Vec<&MeasuredCase> {
        measured.iter().copied().filter(|own| own.case.footing == footing).collect()
    };
    vec![
        alone_and_ranked(&on(GroundKind::Firm), "firm ground, 1 ms", "vehicles"),
        alone_and_ranked(&on(GroundKind::Soil), "soil, 5 cm, 2 ms", "vehicles "),
    ]
}

fn platoon(measured: &[&MeasuredCase]) -> Vec<PlotAxes> {
    vec![alone_and_ranked(measured, "", "vehicles")]
}

/// Returns the panels of weak scaling.
///
/// With more ranks than cores, measured and modeled values differ strongly, so each has a panel.
fn weak(measured: &[&MeasuredCase]) -> Vec<PlotAxes> {
    let mut each: Vec<usize> =
        measured.iter().map(|own| own.case.vehicles / own.case.ranks).collect();
    each.sort_unstable();
    each.dedup();
    let of_each = |mark: SeriesMark, factor: fn(&MeasuredCase) -> Option<f64>| -> Vec<Series> {
        let of = |each: &usize| {
            let each = *each;
            let name = match mark {
                SeriesMark::Dashes => format!("{each} per rank, model"),
                _ => format!("{each} per rank"),
            };
            series(name, mark, measured, move |own| {
                let is_own = own.case.vehicles == each * own.case.ranks;
                factor(own).filter(|_| is_own).map(|factor| [own.case.ranks as f64, factor])
            })
        };
        each.iter().map(of).collect()
    };
    vec![
        panel("", "ranks", FACTOR, of_each(SeriesMark::Dots, |own| Some(own.median))),
        panel("one core per rank", "ranks", FACTOR, of_each(SeriesMark::Dashes, |own| own.modeled)),
    ]
}

fn strong(measured: &[&MeasuredCase]) -> Vec<PlotAxes> {
    let across = |own: &MeasuredCase, y: f64| [own.case.ranks as f64, y];
    let here = |own: &MeasuredCase| Some(across(own, own.median));
    let modeled = |own: &MeasuredCase| own.modeled.map(|factor| across(own, factor));
    let received = |own: &MeasuredCase| Some(across(own, 1e-3 * own.received));
    let most = "maximum received by a rank";
    vec![
        panel("", "ranks", FACTOR, vec![series("here", SeriesMark::Dots, measured, here)]),
        panel(
            "one core per rank",
            "ranks",
            FACTOR,
            vec![series("modeled", SeriesMark::Dashes, measured, modeled)],
        ),
        panel(
            "",
            "ranks",
            "kB per heartbeat",
            vec![series(most, SeriesMark::Dots, measured, received)],
        ),
    ]
}

fn heartbeat(measured: &[&MeasuredCase]) -> Vec<PlotAxes> {
    let across = |own: &MeasuredCase, y: f64| [1e3 * own.case.heartbeat, y];
    let shortest = measured.iter().min_by(|a, b| a.case.heartbeat.total_cmp(&b.case.heartbeat));
    let drift = |own: &MeasuredCase| {
        let [x, y] = shortest?.last;
        Some(across(own, hypot(own.last[0] - x, own.last[1] - y)))
    };
    vec![
        panel(
            "",
            "heartbeat, ms",
            FACTOR,
            vec![series("here", SeriesMark::Dots, measured, |own| Some(across(own, own.median)))],
        ),
        panel(
            "",
            "heartbeat, ms",
            "m",
            vec![
                series("D_H", SeriesMark::Line, measured, |own| Some(across(own, own.ghost_bound))),
                series("maximum error of a remote vehicle", SeriesMark::Dots, measured, |own| {
                    Some(across(own, own.ghost_error))
                }),
            ],
        ),
        panel(
            "",
            "heartbeat, ms",
            "m",
            vec![series(
                "drift of the last vehicle in the column",
                SeriesMark::Dots,
                measured,
                drift,
            )],
        ),
    ]
}
