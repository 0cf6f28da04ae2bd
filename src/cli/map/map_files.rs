//! Output files of a map.

use super::crossings;
use super::driven_cells::DrivenCells;
use super::map_cells::{DrivenTable, MapCells, NrmmMap};
use super::nrmm_files;
use super::summary::{
    CoverShare, MapSummary, ReasonShare, answer, area, is_confident, quantile, summary,
};
use crate::cli::Failure;
use crate::map::{CellMetrics, CoverData, NrmmAgreement, Reason};
use crate::report::geotiff::Georeference;
use crate::report::manifest::write_json;
use crate::report::plot::{self, Figure, PlotAxes, Series};
use crate::report::study::TitledTable;
use crate::report::trafficability::{self, ColorScale, MapLayer, MapSheet, RasterCells};
use crate::report::write_file;
use std::path::Path;

/// A map with all data that its files need.
pub struct MapOutput<'a> {
    pub map_cells: &'a MapCells,
    /// Strength and limit speeds of each cover.
    pub known: &'a [CoverData],
    pub cells: &'a [CellMetrics],
    /// NRMM's relations, if the map gives a cone index.
    pub nrmm: Option<&'a NrmmMap>,
    pub source: MapSource<'a>,
    /// Go probabilities; for each, the fraction of the area that reaches it is reported.
    pub confidences: &'a [f64],
    pub out: &'a Path,
}

impl MapOutput<'_> {
    /// Cells with elevation data.
    pub fn known_cells(&self) -> impl Iterator<Item = &CellMetrics> {
        self.cells.iter().filter(|own| own.has_data())
    }
}

/// Origin of a map's values.
#[derive(Clone, Copy)]
pub enum MapSource<'a> {
    /// The tables of its soils.
    Tables(&'a [DrivenTable]),
    /// Drives over all cells.
    RasterCells(&'a DrivenCells),
}

/// Accessor to a value of a cell.
pub type CellValue = fn(&CellMetrics) -> f32;

/// Value of the cells that is written as a raster band.
pub struct RasterBand {
    name: &'static str,
    description: &'static str,
    unit: &'static str,
    is_speed: bool,
    pub of: CellValue,
}

const BANDS: [RasterBand; 10] = [
    band("p_go", "fraction of draws that are GO in every direction", |own| own.p_go),
    band("p_go_low", "lower bound of the 95 % Wilson interval of p_go", |own| own.p_go_low),
    band("p_go_high", "upper bound of the 95 % Wilson interval of p_go", |own| own.p_go_high),
    band("p_go_direction", "fraction of draws and directions that are GO", |own| {
        own.p_go_direction
    }),
    band("soil_share", "fraction of the variance of speed due to soil strength", |own| {
        own.soil_share
    }),
    speed("v_p10", "10th percentile of speed over draws and directions, m/s", |own| own.v_p10),
    speed("v_p50", "median speed over draws and directions, m/s; 0 is NO-GO", |own| own.v_p50),
    speed("v_p90", "90th percentile of speed over draws and directions, m/s", |own| own.v_p90),
    speed("v_worst_direction", "median speed in the slowest direction, m/s; 0 is NO-GO", |own| {
        own.v_worst_direction
    }),
    speed("v_omnidirectional", "harmonic mean of speed over directions, m/s; 0 is NO-GO", |own| {
        own.v_omnidirectional
    }),
];

const THROUGH: RasterBand = speed(
    "v_through",
    "median speed through the cell from cell_entry_speed, m/s; 0 is NO-GO",
    |own| own.v_through.unwrap_or(f32::NAN),
);

/// Returns the band of the speed through a cell, if the map gives the speed at which it is entered.
pub fn through_band(output: &MapOutput<'_>) -> Option<&'static RasterBand> {
    output.map_cells.map.config.cell_entry_speed.map(|_| &THROUGH)
}

const fn band(name: &'static str, description: &'static str, of: CellValue) -> RasterBand {
    RasterBand { name, description, unit: "", is_speed: false, of }
}

const fn speed(name: &'static str, description: &'static str, of: CellValue) -> RasterBand {
    RasterBand { name, description, unit: "m/s", is_speed: true, of }
}

/// Writes all files; returns their names and the summary.
pub fn write(output: &MapOutput<'_>) -> Result<(Vec<String>, MapSummary), Failure> {
    let (map_cells, out) = (output.map_cells, output.out);
    let grid = map_cells.grid();
    let georeference = Georeference::from_placement(map_cells.map.land.placement.as_ref());
    let mut names = Vec::new();
    let mut named = |name: String| {
        let path = out.join(&name);
        names.push(name);
        path
    };
    for own in BANDS.iter().chain(through_band(output)) {
        let values: Vec<f32> = output.cells.iter().map(own.of).collect();
        let path = named(format!("{}.tif", own.name));
        let cells = RasterCells::Numbers(&values);
        trafficability::write_raster(&path, &grid, cells, &georeference, own.description)?;
        let scale = if own.is_speed {
            speed_scale(output, |own| own.v_p90)
        } else {
            ColorScale::Probability
        };
        trafficability::write_ramp(&named(format!("{}.qml", own.name)), scale, own.unit)?;
    }
    let reasons: Vec<u8> = output.cells.iter().map(|own| own.reason as u8).collect();
    let classes = RasterCells::Classes(&reasons);
    let description = "limiting factor in the slowest direction";
    trafficability::write_raster(
        &named("reason.tif".into()),
        &grid,
        classes,
        &georeference,
        description,
    )?;
    let codes = Reason::ALL.map(|reason| (reason as u8, reason.name()));
    trafficability::write_palette(&named("reason.qml".into()), &codes)?;
    let summary = summary(output);
    write_json(&named("summary.json".into()), &summary)?;
    legend(&summary).write_csv(&named("legend.csv".into()))?;
    distribution(output).write_csv(&named("distribution.csv".into()))?;
    confidence(output).write_csv(&named("confidence.csv".into()))?;
    plot::write(&named("distribution.png".into()), &plotted(output, &summary))?;
    let crossings = match output.source {
        MapSource::Tables(driven) => {
            crossings::write_table_crossings(map_cells, driven, &named("table.csv".into()))
        }
        MapSource::RasterCells(driven) => {
            crossings::write_cell_crossings(map_cells, driven, &named("crossings.csv".into()))
        }
    };
    crossings?;
    if let Some(nrmm) = output.nrmm {
        nrmm_files::write(output, nrmm, &georeference, &mut named)?;
    }
    picture(output, &summary, &named("map.png".into()))?;
    write_file(&named("report.md".into()), report(output, &summary).as_bytes())?;
    Ok((names, summary))
}

/// Returns a scale from no-go to the driver's limit, or to the 98th percentile if that is lower.
fn speed_scale(output: &MapOutput<'_>, of: CellValue) -> ColorScale {
    let mut speeds: Vec<f32> = output.known_cells().map(of).collect();
    let fastest = f64::from(quantile(&mut speeds, 0.98));
    let limit = output.map_cells.map.config.speed;
    ColorScale::Speed(if fastest > 0.5 { fastest.ceil().min(limit) } else { limit })
}

fn legend(summary: &MapSummary) -> TitledTable {
    let row = |own: &ReasonShare| {
        vec![own.code.to_string(), own.reason.into(), own.color.clone(), own.share.to_string()]
    };
    TitledTable {
        title: "Limiting factors".into(),
        head: ["code", "reason", "color", "share_of_area"].map(str::to_owned).to_vec(),
        rows: summary.reasons.iter().map(row).collect(),
    }
}

/// Speeds for which fractions of the area are listed.
const SPEEDS: [(&str, CellValue); 5] = [
    ("v_p10", |own| own.v_p10),
    ("v_p50", |own| own.v_p50),
    ("v_p90", |own| own.v_p90),
    ("v_worst_direction", |own| own.v_worst_direction),
    ("v_omnidirectional", |own| own.v_omnidirectional),
];

/// Returns the fraction of the area that is faster than each speed step, for each of the speeds.
fn shares(output: &MapOutput<'_>) -> Vec<(f64, [f64; 5])> {
    let limit = output.map_cells.map.config.speed;
    let steps = (limit / 0.25).ceil() as usize;
    let sorted = SPEEDS.map(|(_, of)| {
        let mut speeds: Vec<f32> = output.known_cells().map(of).collect();
        speeds.sort_unstable_by(f32::total_cmp);
        speeds
    });
    let at = |n: usize| {
        let speed = 0.25 * n as f64;
        let faster = sorted.each_ref().map(|speeds| {
            let slower = speeds.partition_point(|own| f64::from(*own) <= speed);
            1.0 - slower as f64 / speeds.len() as f64
        });
        (speed, faster)
    };
    (0..=steps).map(at).collect()
}

fn distribution(output: &MapOutput<'_>) -> TitledTable {
    let mut head = vec!["speed_m_s".to_owned()];
    head.extend(SPEEDS.iter().map(|(name, _)| format!("share_faster_by_{name}")));
    let row = |(speed, shares): (f64, [f64; 5])| {
        std::iter::once(speed).chain(shares).map(|x| x.to_string()).collect()
    };
    TitledTable { title: String::new(), head, rows: shares(output).into_iter().map(row).collect() }
}

/// Returns, for each probability, the fraction of the area that is GO in every direction with at
/// least this probability.
fn confidence_curve(output: &MapOutput<'_>) -> Vec<[f64; 2]> {
    let all = output.known_cells().count() as f64;
    let share = |n: usize| {
        let p_go = n as f64 / 20.0;
        [p_go, output.known_cells().filter(|own| is_confident(own, p_go)).count() as f64 / all]
    };
    (0..=20).map(share).collect()
}

fn confidence(output: &MapOutput<'_>) -> TitledTable {
    let head = ["p_go", "share_of_area_with_at_least_p_go"].map(str::to_owned).to_vec();
    let row = |own: [f64; 2]| own.map(|x| x.to_string()).to_vec();
    TitledTable {
        title: String::new(),
        head,
        rows: confidence_curve(output).into_iter().map(row).collect(),
    }
}

fn plotted(output: &MapOutput<'_>, summary: &MapSummary) -> Figure {
    let shares = shares(output);
    let names = ["slowest tenth (v_p10)", "median (v_p50)", "fastest tenth (v_p90)"];
    let series = |(n, name): (usize, &str)| Series {
        name: name.into(),
        points: shares.iter().map(|(speed, shares)| [*speed, 100.0 * shares[n]]).collect(),
        ..Series::default()
    };
    Figure {
        title: format!("Speed and confidence of {} over the area", output.map_cells.vehicle),
        subtitle: format!(
            "{} km² in {} cells; NO-GO on {:.0} %",
            area(summary.area_km2),
            summary.cells,
            100.0 * summary.no_go
        ),
        panels: vec![
            PlotAxes {
                x_label: "speed, m/s".into(),
                y_label: "share of the area with a higher speed, %".into(),
                from_zero: true,
                counts: false,
                series: names.into_iter().enumerate().map(series).collect(),
                ..PlotAxes::default()
            },
            PlotAxes {
                x_label: "GO probability in every direction, at least".into(),
                y_label: "share of the area, %".into(),
                from_zero: true,
                counts: false,
                series: vec![Series {
                    name: "GO in every direction (p_go)".into(),
                    points: confidence_curve(output)
                        .iter()
                        .map(|[p, share]| [*p, 100.0 * share])
                        .collect(),
                    ..Series::default()
                }],
                ..PlotAxes::default()
            },
        ],
    }
}

fn picture(output: &MapOutput<'_>, summary: &MapSummary, path: &Path) -> Result<(), Failure> {
    let config = &output.map_cells.map.config;
    let of = |of: CellValue| output.cells.iter().map(of).collect::<Vec<f32>>();
    let (p_go, v_p50) = (of(|own| own.p_go), of(|own| own.v_p50));
    let reasons: Vec<u8> = output.cells.iter().map(|own| own.reason as u8).collect();
    let shown = summary.reasons.iter().filter(|own| own.share > 0.0);
    let names: Vec<(u8, &str)> = shown.map(|own| (own.code, own.reason)).collect();
    let agreement: Vec<u8> = nrmm_files::agreements(output).iter().map(|own| *own as u8).collect();
    let mut layers = vec![
        ("GO probability in every direction", MapLayer::Numbers(&p_go, ColorScale::Probability)),
        (
            "Median speed over directions",
            MapLayer::Numbers(&v_p50, speed_scale(output, |own| own.v_p50)),
        ),
        ("Limiting factor", MapLayer::Classes(&reasons, &names)),
    ];
    let compared = NrmmAgreement::ALL.iter().map(|own| (*own as u8, own.name()));
    let compared: Vec<(u8, &str)> = compared.filter(|(code, _)| agreement.contains(code)).collect();
    if output.nrmm.is_some() {
        layers.push(("GO by drive and by NRMM", MapLayer::Classes(&agreement, &compared)));
    }
    let subtitle = format!(
        "cell size {} m, {} directions, {}",
        config.cell,
        config.directions,
        match output.source {
            MapSource::Tables(_) => format!(
                "{} draws of soil strength (log-normal, sigma {}) and elevation (sigma {} m)",
                config.draws, config.strength.sigma_ln, config.elevation_error.sigma
            ),
            MapSource::RasterCells(driven) => driven_at(driven),
        }
    );
    let [title, shares] = answer(output.map_cells, summary);
    let maps = MapSheet {
        title: &title,
        subtitle: &[&shares, &subtitle],
        grid: output.map_cells.grid(),
        terrain: &output.map_cells.map.land.terrain,
        layers: &layers,
        ways: &[],
        footer: &config.description,
    };
    Ok(trafficability::write_picture(path, &maps)?)
}

/// Returns the report, which starts with the main result.
fn report(output: &MapOutput<'_>, summary: &MapSummary) -> String {
    let config = &output.map_cells.map.config;
    let [title, shares] = answer(output.map_cells, summary);
    let nrmm = summary.nrmm.as_ref().map_or(String::new(), |own| format!("{}\n\n", own.report()));
    let soil_share = summary.soil_share.map_or("-".into(), |share| format!("{share:.2}"));
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let through =
        summary.v_through.map(|speed| row("median v_through, m/s", format!("{speed:.2}")));
    let figures = TitledTable {
        title: "Results".into(),
        head: vec!["over the area".into(), String::new()],
        rows: [
            row("NO-GO (v_p50 of 0, p_go below 0.5), %", percent(summary.no_go)),
            row("mean p_go", format!("{:.3}", summary.p_go)),
            row("mean p_go_direction", format!("{:.3}", summary.p_go_direction)),
            row("median v_p10, m/s", format!("{:.2}", summary.v_p10)),
            row("median v_p50, m/s", format!("{:.2}", summary.v_p50)),
            row("median v_p90, m/s", format!("{:.2}", summary.v_p90)),
            row("median v_worst_direction, m/s", format!("{:.2}", summary.v_worst_direction)),
            row("median v_omnidirectional, m/s", format!("{:.2}", summary.v_omnidirectional)),
            row("mean share of variance due to soil", soil_share),
        ]
        .into_iter()
        .chain(through)
        .collect(),
    };
    let confidences = TitledTable {
        title: "GO area in every direction, by confidence".into(),
        head: vec!["p_go, at least".into(), "share of the area, %".into()],
        rows: summary
            .go_every_direction
            .iter()
            .map(|own| row(&own.p_go.to_string(), percent(own.share)))
            .collect(),
    };
    let reasons = TitledTable {
        title: "Limiting factors in the slowest direction".into(),
        head: vec!["reason".into(), "share of the area, %".into()],
        rows: summary.reasons.iter().map(|own| row(own.reason, percent(own.share))).collect(),
    };
    let told = |own: &CoverShare| {
        let [ride, ridges] = [own.ride_speed, own.ridge_speed]
            .map(|speed| speed.map_or("-".into(), |speed| format!("{speed:.1}")));
        vec![own.soil.clone(), own.cover.clone(), percent(own.share), ride, ridges]
    };
    let allowed = ["ride limit, m/s", "ridge limit, m/s"];
    let head = ["soil", "cover", "share of the area, %", allowed[0], allowed[1]];
    let covers = TitledTable {
        title: "Ground cover".into(),
        head: head.map(str::to_owned).to_vec(),
        rows: summary.covers.iter().map(told).collect(),
    };
    format!(
        "# {title}\n\n{shares}.\n\n{nrmm}{}\n\n![maps](map.png)\n\n{}\n\
         {}\n\
         {}\n\
         {}\n\
         ![speeds](distribution.png)\n\n{} cells of {} m{}; {} directions; {}. {} crossings in \
         full physics, {} of which diverged (no finite state). A drive starts at {} m/s, is \
         limited to {} m/s, and ends once its speed is steady. `confidence.csv` has other \
         confidences.\n",
        config.description,
        confidences.markdown(),
        figures.markdown(),
        reasons.markdown(),
        covers.markdown(),
        summary.cells,
        config.cell,
        match summary.cells_without_data {
            0 => String::new(),
            count => format!(", and {count} empty cells without elevation data"),
        },
        config.directions,
        match output.source {
            MapSource::Tables(_) => format!(
                "{} draws, interpolated from tables of crossings of planes (`bekker map audit` \
                 compares them with drives over the cells)",
                config.draws
            ),
            MapSource::RasterCells(driven) => driven_at(driven),
        },
        summary.crossings,
        summary.failed_crossings,
        config.entry_speed.min(config.speed),
        config.speed,
    )
}

fn driven_at(driven: &DrivenCells) -> String {
    match driven.drives.strengths {
        1 => "each cell driven at the median strength".into(),
        count => format!("each cell driven at {count} equally likely strengths"),
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}
