//! Speed, slip and sinkage over time, and the profile of a path, in the picture of a run.

use super::canvas::{Anchor, Canvas, Frame, TextStyle};
use super::chart::{Axes, AxisScale, SeriesMark, without_noise};
use super::color::{self, SECONDARY};
use super::page::{MAP_RIGHT, MARGIN};
use super::profile::ProfilePoint;
use super::scene::{RunScene, TrackPoint};
use super::{map, profile};

/// Whether a path has no grade that a plot would show.
fn is_flat(points: &[ProfilePoint]) -> bool {
    points.iter().all(|point| point.grade.abs() < 1e-3)
}

/// Plots speed, slip and sinkage over time, side by side.
pub(super) fn histories(canvas: &mut Canvas, scene: &RunScene<'_>, top: f32, bottom: f32) {
    type Quantity = (&'static str, fn(&TrackPoint) -> f64);
    let quantities: [Quantity; 3] = [
        ("speed, m/s", |point| point.speed),
        ("mean slip, %", |point| 100.0 * point.slip),
        ("mean sinkage, cm", |point| 100.0 * point.sinkage),
    ];
    let (gap, label) = (30.0, 40.0);
    let profile = scene.profile.as_ref().filter(|(_, points)| !is_flat(points));
    let panels = if profile.is_some() { 4.0 } else { 3.0 };
    let width = (MAP_RIGHT - MARGIN - (panels - 1.0) * gap) / panels - label;
    if let Some((vehicle, points)) = profile {
        let x = MARGIN + label + 3.0 * (width + label + gap);
        let frame = Frame { x, y: top, width, height: bottom - top };
        profile::draw(canvas, frame, points, color::line(*vehicle));
        let name = scene.tracks.get(*vehicle).map_or("", |track| track.name.as_str());
        let style = TextStyle::new(13.0, SECONDARY).anchor(Anchor::Right);
        let text = canvas.fitted(&format!("route of {name}"), width - 110.0, style);
        canvas.text(&text, [frame.right(), top - 10.0], style);
    }
    let all = || scene.tracks.iter().flat_map(|track| &track.points);
    for (n, (title, quantity)) in quantities.into_iter().enumerate() {
        let x = MARGIN + label + n as f32 * (width + label + gap);
        let axes = Axes {
            frame: Frame { x, y: top, width, height: bottom - top },
            x: AxisScale::spanning(all().map(|point| point.time), false, 5),
            y: AxisScale::covering(without_noise(all().map(quantity)), true, 5),
            size: 14.0,
        };
        axes.draw(canvas, true);
        axes.title(canvas, title);
        let center = x + 0.5 * width;
        let style = TextStyle::new(14.0, SECONDARY).anchor(Anchor::Middle);
        canvas.text("time, s", [center, bottom + 42.0], style);
        if scene.tracks.len() > map::MANY {
            for (n, share) in [0.1, 0.9, 0.5].into_iter().enumerate() {
                let points = shared_by(scene, quantity, share);
                axes.series(
                    canvas,
                    &points,
                    if n == 2 { color::line(0) } else { SECONDARY },
                    1.8,
                    SeriesMark::Line,
                );
            }
            let style = TextStyle::new(12.0, SECONDARY).anchor(Anchor::Right);
            canvas.text("10, 50, 90 %", [x + width, top - 10.0], style);
            continue;
        }
        // The leader is on top.
        for (track, history) in scene.tracks.iter().enumerate().rev() {
            let points: Vec<[f64; 2]> =
                history.points.iter().map(|point| [point.time, quantity(point)]).collect();
            axes.series(canvas, &points, color::line(track), 1.8, SeriesMark::Line);
        }
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
