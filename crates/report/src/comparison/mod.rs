//! Picture that compares runs.
//!
//! A column per run shows the outcomes and the ruts on a map. Below are speed, slip, sinkage,
//! distance and rut depth: a few runs of a few vehicles share each plot, others have one per run.

mod curves;

use super::canvas::{Anchor, Canvas, Frame, TextStyle};
use super::color::{self, ALARM, INK, RULE, Rgb, SECONDARY};
use super::depth_scale::{DepthScale, color_bar};
use super::drawn_ground::{self, DrawnGround, GroundFunction};
use super::map::{self, CrossSection};
use super::page::{MARGIN, TOP, WIDTH, footer, heading};
use super::recorded_run::VehicleHistory;
use super::scene::Caption;
use super::{ReportError, file};
use std::path::Path;

/// Maximum number of runs: with more, the columns are too narrow to read.
pub const MOST: usize = 6;

/// Content of the picture.
pub struct Comparison<'a> {
    /// Caption: the runs and their differences.
    pub caption: Caption,
    /// Names of the vehicles of all runs; the index in this list selects the color.
    pub names: Vec<String>,
    /// The runs, from left to right.
    pub runs: Vec<RunColumn<'a>>,
}

/// A run in the comparison.
pub struct RunColumn<'a> {
    /// Name of the run.
    pub name: String,
    /// Values of the differing keys; empty without differences and with many.
    pub difference: String,
    /// Outcome of each vehicle and whether it is a failure, in the order of `names`.
    pub outcomes: Vec<(String, bool)>,
    /// Histories of the vehicles.
    pub vehicles: &'a [VehicleHistory],
    /// The ground, if it is available.
    pub ground: Option<RunGround<'a>>,
}

/// The ground of a run.
pub struct RunGround<'a> {
    /// Land before the run.
    pub land: DrawnGround<'a>,
    /// Rut depth, m.
    pub rut: GroundFunction<'a, f64>,
    /// Spacing of soil nodes, m.
    pub spacing: f64,
    /// Depth of the deepest rut anywhere on the ground, m.
    pub deepest: f64,
}

/// Maximum numbers of runs and of vehicles whose curves share plots.
const OVERLAID: (usize, usize) = (4, 4);

const GAP: f32 = 24.0;
/// Maximum number of outcomes listed; the other vehicles are only counted.
const LISTED: usize = 8;
/// Height of a line in the list of outcomes.
const LINE: f32 = 27.0;
const LABEL: f32 = 46.0;
const MAP: f32 = 300.0;

/// Draws the comparison as a PNG.
///
/// # Errors
/// [`ReportError`] if nothing was recorded, or the file cannot be written.
pub fn write(path: &Path, comparison: &Comparison<'_>) -> Result<(), ReportError> {
    let bytes = draw(comparison)?.encode().map_err(ReportError::encode(path))?;
    file::write(path, &bytes)
}

/// Rut sections along the path of each vehicle of a run.
type RunRuts = Vec<Vec<CrossSection>>;

/// Data shared by all columns.
struct ComparisonLayout<'a> {
    comparison: &'a Comparison<'a>,
    /// Part of the ground shown on all maps, m.
    window: [f64; 4],
    /// Ruts of each run.
    ruts: Vec<RunRuts>,
    /// Common depth scale of all maps.
    colors: DepthScale,
    /// Height of the lists of outcomes.
    list: f32,
    /// Width of a column.
    width: f32,
}

fn draw(comparison: &Comparison<'_>) -> Result<Canvas, ReportError> {
    let page = ComparisonLayout::new(comparison)?;
    let below = TOP + page.list + MAP;
    let height = below + 150.0 + page.curves_height() + 40.0;
    let mut canvas = Canvas::new(WIDTH as u32, height as u32, 1.0)?;
    heading(&mut canvas, &comparison.caption);
    for run in 0..comparison.runs.len() {
        page.column(&mut canvas, run);
    }
    let bar = Frame { x: MARGIN + LABEL, y: below, width: 420.0, height: 110.0 };
    color_bar(&mut canvas, &page.colors, bar);
    page.draw_curves(&mut canvas, below + 150.0);
    footer(&mut canvas, &comparison.caption, height);
    Ok(canvas)
}

impl<'a> ComparisonLayout<'a> {
    fn new(comparison: &'a Comparison<'a>) -> Result<ComparisonLayout<'a>, ReportError> {
        let all = || comparison.runs.iter().flat_map(|run| run.vehicles);
        let places = all().flat_map(|vehicle| &vehicle.points).map(|point| point.position);
        let window = map::bounds_of(places)
            .ok_or(ReportError::Nothing("no run has recorded positions of vehicles"))?;
        let (columns, names) = (comparison.runs.len() as f32, comparison.names.len());
        let width = (WIDTH - 2.0 * MARGIN - (columns - 1.0) * GAP) / columns;
        let meters = ((window[2] - window[0]) / f64::from(width - LABEL))
            .max((window[3] - window[1]) / f64::from(MAP));
        let ruts: Vec<RunRuts> =
            comparison.runs.iter().map(|run| ruts(run, 1.2 * meters)).collect();
        let depths = comparison.runs.iter().filter_map(|run| Some(run.ground.as_ref()?.deepest));
        let colors = DepthScale::reaching(depths.fold(0.0, f64::max));
        let lines = names.min(LISTED) + usize::from(names > LISTED);
        Ok(ComparisonLayout {
            comparison,
            window,
            ruts,
            colors,
            list: 30.0 + LINE * lines as f32,
            width,
        })
    }

    /// Left edge of the column of a run.
    fn left(&self, run: usize) -> f32 {
        MARGIN + run as f32 * (self.width + GAP)
    }

    /// Index of a vehicle in the list of names.
    fn number(&self, vehicle: &VehicleHistory) -> usize {
        self.comparison.names.iter().position(|name| *name == vehicle.name).unwrap_or(0)
    }

    /// Whether the curves of all runs share plots.
    ///
    /// Then a color means a run, otherwise a vehicle.
    fn is_overlaid(&self) -> bool {
        let (runs, names) = (self.comparison.runs.len(), self.comparison.names.len());
        (2..=OVERLAID.0).contains(&runs) && names <= OVERLAID.1
    }

    /// Color of a vehicle, given by its index in the list of names, in a run.
    fn color(&self, run: usize, vehicle: usize) -> Rgb {
        color::line(if self.is_overlaid() { run } else { vehicle })
    }

    /// Draws a run's name, outcomes and map.
    fn column(&self, canvas: &mut Canvas, run: usize) {
        let (x, column) = (self.left(run), &self.comparison.runs[run]);
        let title = TextStyle::new(17.0, INK).bold();
        canvas.text(&canvas.fitted(&column.name, self.width, title), [x, TOP + 12.0], title);
        canvas.line(&[[x, TOP + 20.0], [x + self.width, TOP + 20.0]], 1.0, RULE, 1.0);
        self.outcomes(canvas, run, [x, TOP + 43.0]);
        let y = TOP + self.list + 10.0;
        let frame = Frame { x: x + LABEL, y, width: self.width - LABEL, height: MAP };
        match &column.ground {
            Some(ground) => self.ground(canvas, ground, frame, run),
            None => {
                canvas.outline(frame, 1.0, RULE);
                let style = TextStyle::new(14.0, SECONDARY).anchor(Anchor::Middle);
                let middle = [frame.x + 0.5 * frame.width, frame.y + 0.5 * MAP];
                canvas.text("terrain not available", middle, style);
            }
        }
    }

    fn outcomes(&self, canvas: &mut Canvas, run: usize, [x, mut y]: [f32; 2]) {
        let (names, width) = (&self.comparison.names, self.width);
        let column = &self.comparison.runs[run];
        let name = TextStyle::new(13.5, INK).bold();
        for (n, own) in names.iter().enumerate().take(LISTED) {
            map::numbered_disc(canvas, [x + 12.5, y - 4.9], n, self.color(run, n));
            let shown = canvas.fitted(own, 0.4 * width, name);
            canvas.text(&shown, [x + 34.0, y], name);
            let left = width - 34.0 - canvas.text_width(&shown, name) - 10.0;
            let (text, bad) =
                column.outcomes.get(n).map_or(("", false), |(text, bad)| (text.as_str(), *bad));
            let style = TextStyle::new(13.0, if bad { ALARM } else { SECONDARY });
            let text = canvas.fitted(text, left, style);
            canvas.text(&text, [x + width, y], style.anchor(Anchor::Right));
            y += LINE;
        }
        let more = names.len().saturating_sub(LISTED);
        if more > 0 {
            let style = TextStyle::new(13.0, SECONDARY);
            canvas.text(&format!("{more} more"), [x + 34.0, y], style);
        }
    }

    /// Draws the map of a run: ruts, paths and end points.
    fn ground(&self, canvas: &mut Canvas, ground: &RunGround<'_>, frame: Frame, run: usize) {
        let (ruts, view) = (&self.ruts[run], ground.land.view(frame, self.window));
        let taken: Vec<_> =
            ruts.iter().flatten().map(|section| view.point(section.center)).collect();
        let interval = drawn_ground::ground(canvas, &ground.land, &view, &taken);
        drawn_ground::props(canvas, &ground.land, &view);
        canvas.clip(view.frame);
        map::bands(canvas, &view, ruts, &self.colors);
        for vehicle in self.comparison.runs[run].vehicles {
            let n = self.number(vehicle);
            let line: Vec<_> = vehicle
                .points
                .iter()
                .filter(|point| point.position.iter().all(|value| value.is_finite()))
                .map(|point| view.point(point.position))
                .collect();
            canvas.line(&line, 1.4, self.color(run, n), 1.0);
            if let Some(last) = line.last() {
                map::numbered_disc(canvas, *last, n, self.color(run, n));
            }
        }
        canvas.unclip();
        drawn_ground::frame(canvas, &ground.land, &view, interval);
    }
}

/// Returns the rut sections along every path of a run, empty if its ground is not available.
///
/// They are `step` m apart, but no closer than soil nodes.
fn ruts(run: &RunColumn<'_>, step: f64) -> RunRuts {
    let along = |vehicle: &VehicleHistory| match &run.ground {
        Some(ground) => {
            let positions = vehicle.points.iter().map(|point| point.position);
            map::sections_along(positions, ground.rut, ground.spacing, step.max(ground.spacing))
        }
        None => Vec::new(),
    };
    run.vehicles.iter().map(along).collect()
}
