//! Speed, slip and sinkage over time, and the profile of a path, in the picture of a run.

use super::canvas::{Anchor, Canvas, Frame, TextStyle};
use super::chart::{Axes, AxisScale, SeriesMark, without_noise};
use super::color::{self, SECONDARY};
use super::depth_scale::VISIBLE;
use super::page::{MAP_RIGHT, MARGIN};
use super::profile::ProfilePoint;
use super::scene::{RunScene, TrackPoint};
use super::{map, profile};

/// Whether a path has no grade that a plot would show.
fn is_flat(points: &[ProfilePoint]) -> bool {
    points.iter().all(|point| point.grade.abs() < 1e-3)
}

/// A quantity of a track over time: title, and its value at a point.
type Quantity = (&'static str, fn(&TrackPoint) -> f64);

/// The plotted quantities, the sinkage last.
const QUANTITIES: [Quantity; 3] = [
    ("speed, m/s", |point| point.speed),
    ("mean slip, %", |point| 100.0 * point.slip),
    ("mean sinkage, cm", |point| 100.0 * point.sinkage),
];
/// Space for the labels of a vertical axis.
const LABEL: f32 = 40.0;

/// Plots speed, slip and sinkage over time, and the profile of a path, side by side below the map.
pub(super) fn below_map(canvas: &mut Canvas, scene: &RunScene<'_>, top: f32, bottom: f32) {
    let gap = 30.0;
    let profile = shown_profile(scene);
    let panels = if profile.is_some() { 4.0 } else { 3.0 };
    let width = (MAP_RIGHT - MARGIN - (panels - 1.0) * gap) / panels - LABEL;
    let frame = |n: usize| {
        let x = MARGIN + LABEL + n as f32 * (width + LABEL + gap);
        Frame { x, y: top, width, height: bottom - top }
    };
    for (n, quantity) in QUANTITIES.into_iter().enumerate() {
        history(canvas, scene, quantity, frame(n));
    }
    if let Some((vehicle, points)) = profile {
        route_profile(canvas, scene, *vehicle, points, frame(3));
    }
}

/// Plots speed and slip over time, sinkage if there is any, and the profile of a path, one above the
/// other in a column right of the map.
pub(super) fn right_of_map(canvas: &mut Canvas, scene: &RunScene<'_>, column: Frame) {
    // title above a plot; labels of its axis below
    let (title, foot) = (26.0, 56.0);
    let profile = shown_profile(scene);
    let mut points = scene.tracks.iter().flat_map(|track| &track.points);
    let sinks = points.any(|point| point.sinkage >= VISIBLE);
    let shown = if sinks { &QUANTITIES[..] } else { &QUANTITIES[..2] };
    // a profile has two plots
    let plots = shown.len() + if profile.is_some() { 2 } else { 0 };
    let each = column.height / plots as f32;
    let frame = |n: usize, count: f32| Frame {
        x: column.x + LABEL,
        y: column.y + n as f32 * each + title,
        width: column.width - LABEL,
        height: (count * each - title - foot).min(300.0 * count),
    };
    for (n, &quantity) in shown.iter().enumerate() {
        history(canvas, scene, quantity, frame(n, 1.0));
    }
    if let Some((vehicle, points)) = profile {
        route_profile(canvas, scene, *vehicle, points, frame(shown.len(), 2.0));
    }
}

/// Returns the profile of a path that is not level, and its vehicle.
fn shown_profile<'a>(scene: &'a RunScene<'_>) -> Option<&'a (usize, Vec<ProfilePoint>)> {
    scene.profile.as_ref().filter(|(_, points)| !is_flat(points))
}

/// Plots elevation and grade along the route of a vehicle.
fn route_profile(
    canvas: &mut Canvas,
    scene: &RunScene<'_>,
    vehicle: usize,
    points: &[ProfilePoint],
    frame: Frame,
) {
    profile::draw(canvas, frame, points, color::line(vehicle));
    let name = scene.tracks.get(vehicle).map_or("", |track| track.name.as_str());
    let style = TextStyle::new(13.0, SECONDARY).anchor(Anchor::Right);
    let text = canvas.fitted(&format!("route of {name}"), frame.width - 110.0, style);
    canvas.text(&text, [frame.right(), frame.y - 10.0], style);
}

/// Plots a quantity of all vehicles over time: a line each, or of many vehicles three quantiles.
fn history(canvas: &mut Canvas, scene: &RunScene<'_>, (title, quantity): Quantity, frame: Frame) {
    let all = || scene.tracks.iter().flat_map(|track| &track.points);
    let axes = Axes {
        frame,
        x: AxisScale::spanning(all().map(|point| point.time), false, 5),
        y: AxisScale::covering(without_noise(all().map(quantity)), true, 5),
        size: 14.0,
    };
    axes.draw(canvas, true);
    axes.title(canvas, title);
    let center = frame.x + 0.5 * frame.width;
    let style = TextStyle::new(14.0, SECONDARY).anchor(Anchor::Middle);
    canvas.text("time, s", [center, frame.bottom() + 42.0], style);
    if scene.tracks.len() > map::MANY {
        for (n, share) in [0.1, 0.9, 0.5].into_iter().enumerate() {
            let points = shared_by(scene, quantity, share);
            let line = if n == 2 { color::line(0) } else { SECONDARY };
            axes.series(canvas, &points, line, 1.8, SeriesMark::Line);
        }
        let style = TextStyle::new(12.0, SECONDARY).anchor(Anchor::Right);
        canvas.text("10, 50, 90 %", [frame.right(), frame.y - 10.0], style);
        return;
    }
    // The leader is on top.
    for (track, history) in scene.tracks.iter().enumerate().rev() {
        let points: Vec<[f64; 2]> =
            history.points.iter().map(|point| [point.time, quantity(point)]).collect();
        axes.series(canvas, &points, color::line(track), 1.8, SeriesMark::Line);
    }
}

/// Returns a quantile of a quantity over all vehicles, over time; `share` is the quantile's level.
fn shared_by(scene: &RunScene<'_>, quantity: fn(&TrackPoint) -> f64, share: f64) -> Vec<[f64; 2]> {
    let longest = scene.tracks.iter().map(|track| &track.points).max_by_key(|points| points.len());
    let at = |(moment, point): (usize, &TrackPoint)| {
        let all = scene.tracks.iter().filter_map(|track| track.points.get(moment)).map(quantity);
        let mut all: Vec<f64> = all.filter(|value| value.is_finite()).collect();
        all.sort_by(f64::total_cmp);
        let value = all.get((share * all.len() as f64) as usize).or(all.last());
        [point.time, value.copied().unwrap_or(f64::NAN)]
    };
    longest.into_iter().flatten().enumerate().map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_widens_no_axis_and_level_ground_has_no_profile() {
        let low = |least: f64| {
            let values = [least, 0.0, 5.0].into_iter();
            AxisScale::covering(without_noise(values), true, 5).low
        };
        assert_eq!(low(-0.02), 0.0);
        assert!(low(-0.5) <= -0.5);
        let tint = color::soil(0);
        let level = ProfilePoint { distance: 0.0, height: 1.0, grade: 0.0, limit: None, tint };
        assert!(is_flat(&[level]));
        assert!(!is_flat(&[level, ProfilePoint { grade: -0.01, ..level }]));
    }
}
