//! Elevation and grade along a path, one above the other.

use super::canvas::{Anchor, Canvas, CanvasPoint, Frame, TextStyle};
use super::chart::{Axes, AxisScale, SeriesMark};
use super::color::{self, ALARM, INK, Rgb, SECONDARY};

/// A point of a profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfilePoint {
    /// Distance along the path, m.
    pub distance: f64,
    /// Height of the undisturbed ground, m.
    pub height: f64,
    /// Rise over run.
    pub grade: f64,
    /// Steepest grade predicted to be passable there, if known.
    pub limit: Option<f64>,
    /// Tint of the soil.
    pub tint: Rgb,
}

/// Draws a profile into a frame, with the labels of its axes to the left and below.
///
/// `line` is the color of the vehicle.
pub(super) fn draw(canvas: &mut Canvas, frame: Frame, points: &[ProfilePoint], line: Rgb) {
    let gap = 34.0;
    let height = 0.5 * (frame.height - gap);
    let across = || AxisScale::spanning(points.iter().map(|point| point.distance), false, 6);
    let size = 12.5;
    let upper = Axes {
        frame: Frame { height, ..frame },
        x: across(),
        y: AxisScale::covering(points.iter().map(|point| point.height), false, 3),
        size,
    };
    upper.draw(canvas, false);
    let title = TextStyle::new(15.0, INK).bold();
    canvas.text("elevation, m", [frame.x, frame.y - 10.0], title);
    // the ground under the line, in the tints of its soils
    canvas.clip(upper.frame);
    for run in points.chunk_by(|a, b| a.tint == b.tint) {
        let first = run[0].distance;
        let last = run[run.len() - 1].distance;
        let next = points.iter().map(|point| point.distance).find(|d| *d > last).unwrap_or(last);
        let mut outline: Vec<CanvasPoint> =
            run.iter().map(|point| upper.point([point.distance, point.height])).collect();
        let floor = upper.y.low;
        outline.push(upper.point([next, run[run.len() - 1].height]));
        outline.push(upper.point([next, floor]));
        outline.push(upper.point([first, floor]));
        canvas.polygon(&outline, run[0].tint, 1.0);
    }
    canvas.unclip();
    let heights: Vec<[f64; 2]> = points.iter().map(|p| [p.distance, p.height]).collect();
    upper.series(canvas, &heights, line, 1.8, SeriesMark::Line);

    let lower = Axes {
        frame: Frame { y: frame.y + height + gap, height, ..frame },
        x: across(),
        y: AxisScale::covering(points.iter().map(|point| 100.0 * point.grade), true, 3),
        size,
    };
    lower.draw(canvas, true);
    canvas.text("grade, %", [frame.x, lower.frame.y - 9.0], title);
    let grades: Vec<[f64; 2]> = points.iter().map(|p| [p.distance, 100.0 * p.grade]).collect();
    // limits beyond the axis are clipped
    canvas.clip(lower.frame);
    for run in points.split(|point| point.limit.is_none()).filter(|run| run.len() > 1) {
        let limits = run.iter().filter_map(|p| Some([p.distance, 100.0 * p.limit?]));
        lower.series(canvas, &limits.collect::<Vec<_>>(), ALARM, 1.4, SeriesMark::Dashes);
    }
    canvas.unclip();
    lower.series(canvas, &grades, color::SECONDARY, 1.6, SeriesMark::Line);
    let middle = [frame.x + 0.5 * frame.width, frame.bottom() + 36.0];
    let style = TextStyle::new(13.0, SECONDARY).anchor(Anchor::Middle);
    canvas.text("distance, m", middle, style);
}
