//! Curves of the compared runs over time and distance.

use super::super::canvas::{Anchor, Canvas, CanvasPoint, Frame, TextStyle};
use super::super::chart::{Axes, AxisScale, SeriesMark, without_noise};
use super::super::color::{INK, RULE, Rgb, SECONDARY};
use super::super::map::{self, CrossSection};
use super::super::page::{MARGIN, WIDTH};
use super::super::recorded_run::VehicleHistory;
use super::super::scene::TrackPoint;
use super::{ComparisonLayout, GAP, LABEL};

const PLOT: f32 = 128.0;
/// Height of a plot with its title and the labels below it.
const ROW: f32 = PLOT + 78.0;
/// Height of the legend of runs.
const LEGEND: f32 = 44.0;
/// Height of a vehicle's name above its plots.
const NAME: f32 = 46.0;
/// Space below the plots of a vehicle.
const BELOW: f32 = 18.0;
/// Number of plots of a vehicle in a row.
const COLUMNS: usize = 2;
/// Width of curves.
const STROKE: f32 = 1.8;

/// Lengths of dashes and gaps of each run's curves; the first are solid.
const PATTERNS: [[f32; 4]; 4] =
    [[0.0, 0.0, 0.0, 0.0], [9.0, 4.5, 9.0, 4.5], [2.5, 3.0, 2.5, 3.0], [11.0, 3.5, 2.5, 3.5]];

/// A compared quantity: title, label of the x axis, and function that gets the curve of a vehicle.
type ComparedQuantity =
    (&'static str, &'static str, fn(&VehicleHistory, &[CrossSection]) -> Vec<[f64; 2]>);

/// In the order of reading; those on the left are over time, those on the right over distance.
const QUANTITIES: [ComparedQuantity; 8] = [
    ("speed, m/s", TIME, |own, _| over_time(own, |point| point.speed)),
    ("speed, m/s", DISTANCE, |own, _| over_distance(own, |point| point.speed)),
    ("mean slip, %", TIME, |own, _| over_time(own, |point| 100.0 * point.slip)),
    ("mean slip, %", DISTANCE, |own, _| over_distance(own, |point| 100.0 * point.slip)),
    ("mean sinkage, cm", TIME, |own, _| over_time(own, |point| 100.0 * point.sinkage)),
    ("mean sinkage, cm", DISTANCE, |own, _| over_distance(own, |point| 100.0 * point.sinkage)),
    ("distance, m", TIME, |own, _| {
        own.points.iter().zip(&own.distances).map(|(point, gone)| [point.time, *gone]).collect()
    }),
    ("rut depth, cm", "distance along the path, m", |_, ruts| depths(ruts)),
];
const TIME: &str = "time, s";
const DISTANCE: &str = "distance, m";

/// The curve of a vehicle in a run.
struct RunCurve {
    run: usize,
    /// Index of the vehicle in the list of names.
    vehicle: usize,
    points: Vec<[f64; 2]>,
}

impl ComparisonLayout<'_> {
    /// Height of all plots.
    pub(super) fn curves_height(&self) -> f32 {
        match self.is_overlaid() {
            true => LEGEND + self.block_rows() as f32 * self.block_height(),
            false => QUANTITIES.len() as f32 * ROW,
        }
    }

    /// Draws all plots from `top` downward.
    pub(super) fn draw_curves(&self, canvas: &mut Canvas, top: f32) {
        if self.is_overlaid() {
            self.legend(canvas, top);
            self.vehicle_names(canvas, top + LEGEND);
        }
        for (n, quantity) in QUANTITIES.iter().enumerate() {
            let curves = self.curves(quantity);
            match self.is_overlaid() {
                true => self.vehicle_plots(canvas, top + LEGEND, n, &curves),
                false => self.run_plots(canvas, top + n as f32 * ROW, n, &curves),
            }
        }
    }

    fn curves(&self, (_, _, curve): &ComparedQuantity) -> Vec<RunCurve> {
        let runs = self.comparison.runs.iter().zip(&self.ruts).enumerate();
        runs.flat_map(|(run, (column, ruts))| {
            column.vehicles.iter().zip(ruts).map(move |(vehicle, ruts)| RunCurve {
                run,
                vehicle: self.number(vehicle),
                points: curve(vehicle, ruts),
            })
        })
        .collect()
    }

    /// Number of vehicles in a row.
    fn blocks_beside(&self) -> usize {
        self.comparison.names.len().clamp(1, 2)
    }

    fn block_rows(&self) -> usize {
        self.comparison.names.len().div_ceil(self.blocks_beside())
    }

    fn block_height(&self) -> f32 {
        NAME + QUANTITIES.len().div_ceil(COLUMNS) as f32 * ROW + BELOW
    }

    /// Upper left corner and width of the plots of a vehicle.
    fn block(&self, vehicle: usize, top: f32) -> (CanvasPoint, f32) {
        let beside = self.blocks_beside();
        let width = (WIDTH - 2.0 * MARGIN - (beside - 1) as f32 * GAP) / beside as f32;
        let x = MARGIN + (vehicle % beside) as f32 * (width + GAP);
        ([x, top + (vehicle / beside) as f32 * self.block_height()], width)
    }

    /// Draws which line means which run.
    fn legend(&self, canvas: &mut Canvas, y: f32) {
        let (name, plain) = (TextStyle::new(15.0, INK).bold(), TextStyle::new(15.0, SECONDARY));
        let width = (WIDTH - 2.0 * MARGIN) / self.comparison.runs.len() as f32;
        let mut x = MARGIN;
        for (n, run) in self.comparison.runs.iter().enumerate() {
            let sample = [[x, y - 5.0], [x + 44.0, y - 5.0]];
            run_line(canvas, &sample, 2.6, self.color(n, 0), n);
            let shown = canvas.fitted(&run.name, 0.5 * width - 54.0, name);
            canvas.text(&shown, [x + 54.0, y], name);
            let at = x + 64.0 + canvas.text_width(&shown, name);
            let difference = canvas.fitted(&run.difference, x + width - 20.0 - at, plain);
            canvas.text(&difference, [at, y], plain);
            x = (at + canvas.text_width(&difference, plain) + 36.0).min(x + width);
        }
    }

    fn vehicle_names(&self, canvas: &mut Canvas, top: f32) {
        let style = TextStyle::new(17.0, INK).bold();
        for (n, name) in self.comparison.names.iter().enumerate() {
            let ([x, y], width) = self.block(n, top);
            map::numbered_disc(canvas, [x + 12.5, y - 6.0], n, SECONDARY);
            canvas.text(&canvas.fitted(name, width - 40.0, style), [x + 34.0, y], style);
            canvas.line(&[[x, y + 12.0], [x + width, y + 12.0]], 1.0, RULE, 1.0);
        }
    }

    /// Draws quantity `n`: one plot per vehicle with the curves of all runs.
    fn vehicle_plots(&self, canvas: &mut Canvas, top: f32, n: usize, curves: &[RunCurve]) {
        for vehicle in 0..self.comparison.names.len() {
            let ([left, y], width) = self.block(vehicle, top);
            let width = (width - (COLUMNS - 1) as f32 * GAP) / COLUMNS as f32;
            let x = left + (n % COLUMNS) as f32 * (width + GAP) + LABEL;
            let y = y + NAME + (n / COLUMNS) as f32 * ROW;
            let frame = Frame { x, y, width: width - LABEL, height: PLOT };
            let axes = draw_axes(canvas, frame, n, curves);
            for own in curves.iter().filter(|own| own.vehicle == vehicle) {
                // a value that is not finite interrupts the curve
                for part in own.points.split(|point| !point.iter().all(|x| x.is_finite())) {
                    let line: Vec<_> = part.iter().map(|point| axes.point(*point)).collect();
                    run_line(canvas, &line, STROKE, self.color(own.run, vehicle), own.run);
                }
            }
        }
    }

    /// Draws quantity `n`: one plot per run with the curves of all vehicles.
    fn run_plots(&self, canvas: &mut Canvas, top: f32, n: usize, curves: &[RunCurve]) {
        for run in 0..self.comparison.runs.len() {
            let (x, width) = (self.left(run) + LABEL, self.width - LABEL);
            let axes = draw_axes(canvas, Frame { x, y: top, width, height: PLOT }, n, curves);
            for own in curves.iter().rev().filter(|own| own.run == run) {
                let color = self.color(run, own.vehicle);
                axes.series(canvas, &own.points, color, 1.6, SeriesMark::Line);
            }
        }
    }
}

/// Draws the axes of quantity `n`, which are the same in all its plots.
fn draw_axes(canvas: &mut Canvas, frame: Frame, n: usize, curves: &[RunCurve]) -> Axes {
    let (title, across, _) = QUANTITIES[n];
    let all = || curves.iter().flat_map(|own| &own.points);
    let ticks = (frame.width / 90.0) as usize;
    let axes = Axes {
        frame,
        x: AxisScale::spanning(all().map(|point| point[0]), false, ticks),
        y: AxisScale::covering(without_noise(all().map(|point| point[1])), true, 4),
        size: 12.5,
    };
    axes.draw(canvas, true);
    axes.title(canvas, title);
    let style = TextStyle::new(12.5, SECONDARY).anchor(Anchor::Middle);
    canvas.text(across, [frame.x + 0.5 * frame.width, frame.bottom() + 38.0], style);
    axes
}

/// Draws a line in the pattern of a run.
fn run_line(canvas: &mut Canvas, points: &[CanvasPoint], width: f32, color: Rgb, run: usize) {
    match run % PATTERNS.len() {
        0 => canvas.line(points, width, color, 1.0),
        n => canvas.dashes(points, width, color, PATTERNS[n]),
    }
}

fn over_time(own: &VehicleHistory, quantity: fn(&TrackPoint) -> f64) -> Vec<[f64; 2]> {
    own.points.iter().map(|point| [point.time, quantity(point)]).collect()
}

fn over_distance(own: &VehicleHistory, quantity: fn(&TrackPoint) -> f64) -> Vec<[f64; 2]> {
    own.distances.iter().zip(&own.points).map(|(gone, point)| [*gone, quantity(point)]).collect()
}

/// Returns rut depth, cm, over the distance along the rut, m.
fn depths(sections: &[CrossSection]) -> Vec<[f64; 2]> {
    let mut gone = 0.0;
    let mut last: Option<[f64; 2]> = None;
    let along = |section: &CrossSection| {
        let [x, y] = section.center;
        gone += last.map_or(0.0, |[a, b]| (x - a).hypot(y - b));
        last = Some([x, y]);
        [gone, 100.0 * section.depth]
    };
    sections.iter().map(along).collect()
}
