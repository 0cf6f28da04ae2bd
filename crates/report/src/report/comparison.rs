//! Runs side by side: a column for each, with its outcomes, its ruts on a map, and speed,
//! slip, sinkage and rut depth, on the same axes in every column.

use super::canvas::{Anchor, Canvas, Frame, TextStyle};
use super::chart::{Axes, Mark, Scale};
use super::color::{self, ALARM, INK, RULE, SECONDARY};
use super::depth_scale::{DepthScale, colour_bar};
use super::land::{self, Land, OfGround};
use super::map::{self, Section};
use super::page::{MARGIN, TOP, WIDTH, heading};
use super::recorded::History;
use super::scene::TrackPoint;
use super::{ReportError, file};
use std::path::Path;

/// Runs beyond which columns would be too narrow to be read.
pub const MOST: usize = 6;

/// What the picture shows.
pub struct Comparison<'a> {
    /// Heading.
    pub title: String,
    /// What differs, in a line.
    pub subtitle: String,
    /// Small print at the foot.
    pub footer: String,
    /// Names of vehicles, over all runs; colours go by this list.
    pub names: Vec<String>,
    /// The runs.
    pub runs: Vec<Column<'a>>,
}

/// A run.
pub struct Column<'a> {
    /// Its name.
    pub name: String,
    /// How each vehicle ended and whether that is bad news, in the order of `names`.
    pub outcomes: Vec<(String, bool)>,
    /// The vehicles' histories.
    pub vehicles: &'a [History],
    /// The ground, if it can be had.
    pub ground: Option<Ground<'a>>,
}

/// The ground of a run.
pub struct Ground<'a> {
    /// Before anything drove on it.
    pub land: Land<'a>,
    /// Depth of the ruts, m.
    pub rut: OfGround<'a, f64>,
    /// Distance of soil nodes, m.
    pub spacing: f64,
}

/// A quantity of a history over another.
type Quantity = (&'static str, fn(&TrackPoint) -> f64);

const QUANTITIES: [Quantity; 3] = [
    ("speed, m/s", |point| point.speed),
    ("mean slip, %", |point| 100.0 * point.slip),
    ("mean sinkage, cm", |point| 100.0 * point.sinkage),
];

const GAP: f32 = 24.0;
const LABEL: f32 = 46.0;
const MAP: f32 = 300.0;
const PLOT: f32 = 128.0;
/// A plot with its title and the labels below.
const ROW: f32 = PLOT + 62.0;

/// Draws the comparison as a PNG.
///
/// # Errors
/// [`ReportError`] when nothing was recorded, or the file cannot be written.
pub fn write(path: &Path, comparison: &Comparison<'_>) -> Result<(), ReportError> {
    let bytes = draw(comparison)?.encode().map_err(ReportError::encode(path))?;
    file::write(path, &bytes)
}

fn draw(comparison: &Comparison<'_>) -> Result<Canvas, ReportError> {
    let all = || comparison.runs.iter().flat_map(|run| run.vehicles);
    let places = all().flat_map(|vehicle| &vehicle.points).map(|point| point.position);
    let window = map::bounds_of(places)
        .ok_or(ReportError::Nothing("no run has recorded where its vehicles were"))?;
    let listed = comparison.names.len().min(8) as f32;
    let list = 30.0 + 22.0 * listed + if comparison.names.len() > 8 { 22.0 } else { 0.0 };
    let rows = 2.0 * QUANTITIES.len() as f32 + 1.0;
    let height = TOP + list + MAP + 120.0 + rows * ROW + 40.0;
    let mut canvas = Canvas::new(WIDTH as u32, height as u32, 1.0)?;
    heading(&mut canvas, &comparison.title, &comparison.subtitle, &[]);
    let columns = comparison.runs.len() as f32;
    let width = (WIDTH - 2.0 * MARGIN - (columns - 1.0) * GAP) / columns;

    // ruts along every way, before any is drawn: one scale of depth for all
    let metres = ((window[2] - window[0]) / f64::from(width - LABEL))
        .max((window[3] - window[1]) / f64::from(MAP));
    let ruts: Vec<Vec<Vec<Section>>> = comparison
        .runs
        .iter()
        .map(|run| {
            let along = |vehicle: &History| match &run.ground {
                Some(ground) => {
                    let positions = vehicle.points.iter().map(|point| point.position);
                    let step = (1.2 * metres).max(ground.spacing);
                    map::sections_along(positions, ground.rut, ground.spacing, step)
                }
                None => Vec::new(),
            };
            run.vehicles.iter().map(along).collect()
        })
        .collect();
    let deepest = ruts.iter().flatten().flatten().map(|section| section.depth).fold(0.0, f64::max);
    let colors = DepthScale::reaching(deepest);

    for (n, run) in comparison.runs.iter().enumerate() {
        let x = MARGIN + n as f32 * (width + GAP);
        let mut y = TOP;
        let title = TextStyle::new(17.0, INK).bold();
        canvas.text(&canvas.fitted(&run.name, width, title), [x, y + 12.0], title);
        canvas.line(&[[x, y + 20.0], [x + width, y + 20.0]], 1.0, RULE, 1.0);
        y += 40.0;
        outcomes(&mut canvas, comparison, run, [x, y], width);
        y = TOP + list + 10.0;
        let frame = Frame { x: x + LABEL, y, width: width - LABEL, height: MAP };
        match &run.ground {
            Some(ground) => {
                ground_of(&mut canvas, ground, frame, window, &ruts[n], run, &colors, comparison)
            }
            None => {
                canvas.outline(frame, 1.0, RULE);
                let style = TextStyle::new(14.0, SECONDARY).anchor(Anchor::Middle);
                let middle = [frame.x + 0.5 * frame.width, frame.y + 0.5 * MAP];
                canvas.text("its ground cannot be had", middle, style);
            }
        }
    }
    let bar = Frame { x: MARGIN + LABEL, y: TOP + list + MAP, width: 420.0, height: 110.0 };
    colour_bar(&mut canvas, &colors, bar);

    let mut top = TOP + list + MAP + 150.0;
    for (title, quantity) in QUANTITIES {
        for over_time in [true, false] {
            let series = |vehicle: &History| -> Vec<[f64; 2]> {
                let across = |n: usize, point: &TrackPoint| {
                    if over_time { point.time } else { vehicle.distances[n] }
                };
                let points = vehicle.points.iter().enumerate();
                points.map(|(n, point)| [across(n, point), quantity(point)]).collect()
            };
            let label = if over_time { "time, s" } else { "distance, m" };
            plots(&mut canvas, comparison, [top, width], title, label, &|run, vehicle| {
                series(&comparison.runs[run].vehicles[vehicle])
            });
            top += ROW;
        }
    }
    plots(
        &mut canvas,
        comparison,
        [top, width],
        "rut depth, cm",
        "distance along the way, m",
        &|run, vehicle| {
            let mut gone = 0.0;
            let mut last: Option<[f64; 2]> = None;
            let along = |section: &Section| {
                let [x, y] = section.centre;
                gone += last.map_or(0.0, |[a, b]| (x - a).hypot(y - b));
                last = Some([x, y]);
                [gone, 100.0 * section.depth]
            };
            ruts[run][vehicle].iter().map(along).collect()
        },
    );
    let small = TextStyle::new(12.5, SECONDARY);
    let footer = canvas.fitted(&comparison.footer, WIDTH - 2.0 * MARGIN, small);
    canvas.text(&footer, [MARGIN, height - 18.0], small);
    Ok(canvas)
}

fn outcomes(
    canvas: &mut Canvas,
    comparison: &Comparison<'_>,
    run: &Column<'_>,
    [x, mut y]: [f32; 2],
    width: f32,
) {
    let name = TextStyle::new(13.5, INK).bold();
    for (n, own) in comparison.names.iter().enumerate().take(8) {
        canvas.line(&[[x, y - 4.5], [x + 18.0, y - 4.5]], 3.5, color::line(n), 1.0);
        let shown = canvas.fitted(own, 0.4 * width, name);
        canvas.text(&shown, [x + 26.0, y], name);
        let left = width - 26.0 - canvas.text_width(&shown, name) - 10.0;
        let (text, bad) =
            run.outcomes.get(n).map_or(("", false), |(text, bad)| (text.as_str(), *bad));
        let style = TextStyle::new(13.0, if bad { ALARM } else { SECONDARY });
        let text = canvas.fitted(text, left, style);
        canvas.text(&text, [x + width, y], style.anchor(Anchor::Right));
        y += 22.0;
    }
    let more = comparison.names.len().saturating_sub(8);
    if more > 0 {
        canvas.text(&format!("and {more} more"), [x + 26.0, y], TextStyle::new(13.0, SECONDARY));
    }
}

#[expect(clippy::too_many_arguments, reason = "a map and all that is drawn on it")]
fn ground_of(
    canvas: &mut Canvas,
    ground: &Ground<'_>,
    frame: Frame,
    window: [f64; 4],
    ruts: &[Vec<Section>],
    run: &Column<'_>,
    colors: &DepthScale,
    comparison: &Comparison<'_>,
) {
    let view = ground.land.view(frame, window);
    let taken: Vec<_> = ruts.iter().flatten().map(|section| view.point(section.centre)).collect();
    let interval = land::ground(canvas, &ground.land, &view, &taken);
    land::props(canvas, &ground.land, &view);
    canvas.clip(view.frame);
    map::bands(canvas, &view, ruts, colors);
    for vehicle in run.vehicles {
        let n = comparison.names.iter().position(|name| *name == vehicle.name).unwrap_or(0);
        let line: Vec<_> = vehicle
            .points
            .iter()
            .filter(|point| point.position.iter().all(|value| value.is_finite()))
            .map(|point| view.point(point.position))
            .collect();
        canvas.line(&line, 1.4, color::line(n), 1.0);
        if let Some(last) = line.last() {
            map::badge(canvas, *last, n);
        }
    }
    canvas.unclip();
    land::frame(canvas, &ground.land, &view, interval);
}

/// A row of plots, one a run, on the same axes.
fn plots(
    canvas: &mut Canvas,
    comparison: &Comparison<'_>,
    [top, width]: [f32; 2],
    title: &str,
    across: &str,
    series: &dyn Fn(usize, usize) -> Vec<[f64; 2]>,
) {
    let lines: Vec<Vec<(usize, Vec<[f64; 2]>)>> = comparison
        .runs
        .iter()
        .enumerate()
        .map(|(run, column)| {
            let own = |(index, vehicle): (usize, &History)| {
                let n = comparison.names.iter().position(|name| *name == vehicle.name);
                (n.unwrap_or(0), series(run, index))
            };
            column.vehicles.iter().enumerate().map(own).collect()
        })
        .collect();
    let all = || lines.iter().flatten().flat_map(|(_, points)| points);
    for (run, lines) in lines.iter().enumerate() {
        let x = MARGIN + run as f32 * (width + GAP);
        let axes = Axes {
            frame: Frame { x: x + LABEL, y: top, width: width - LABEL, height: PLOT },
            x: Scale::spanning(all().map(|point| point[0]), false, (width / 110.0) as usize),
            y: Scale::covering(all().map(|point| point[1]), true, 4),
            size: 12.5,
        };
        axes.draw(canvas, true);
        axes.title(canvas, title);
        let style = TextStyle::new(12.5, SECONDARY).anchor(Anchor::Right);
        canvas.text(across, [axes.frame.right(), top - 9.0], style);
        for (n, points) in lines.iter().rev() {
            axes.series(canvas, points, color::line(*n), 1.6, Mark::Line);
        }
    }
}
