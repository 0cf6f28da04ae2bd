//! The map of a run: ground, ruts, tracks and marks.

use super::canvas::{Anchor, Canvas, Frame, Point, TextStyle};
use super::chart::round_step;
use super::color::{self, ALARM, INK, Oklab, Rgb, SECONDARY, WHITE};
use super::picture::{DepthScale, Scene, Track, VISIBLE, round_distance};
use super::relief::{self, HeightField, View};
use crate::simulation::OutcomeReport;

/// How far to either side of a track its ruts are looked for, m: beyond the
/// wheels of any vehicle.
pub(super) const REACH: f64 = 2.2;

/// A place on a track with what was done to the ground across it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    /// On the track, m.
    pub centre: [f64; 2],
    /// Unit vector along the track.
    pub along: [f64; 2],
    /// Deepest rut across it, m.
    pub depth: f64,
}

impl Section {
    /// The point so far to the right of the track.
    pub fn across(&self, right: f64) -> [f64; 2] {
        let [x, y] = self.along;
        [self.centre[0] + right * y, self.centre[1] - right * x]
    }
}

/// Bounds `[x_min, y_min, x_max, y_max]` of the tracks with a margin, m.
pub(super) fn driven(tracks: &[Track]) -> Option<[f64; 4]> {
    let positions = tracks.iter().flat_map(|track| &track.points).map(|point| point.position);
    let mut bounds = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    for [x, y] in positions.filter(|p| p.iter().all(|value| value.is_finite())) {
        bounds = [bounds[0].min(x), bounds[1].min(y), bounds[2].max(x), bounds[3].max(y)];
    }
    if bounds[0] > bounds[2] {
        return None;
    }
    let margin = 6.0 + 0.06 * (bounds[2] - bounds[0]).max(bounds[3] - bounds[1]);
    Some([bounds[0] - margin, bounds[1] - margin, bounds[2] + margin, bounds[3] + margin])
}

/// Sections along every track, about a pixel apart on the map.
pub(super) fn sections(scene: &Scene<'_>, view: &View) -> Vec<Vec<Section>> {
    let step = (1.2 * view.metres).max(scene.spacing);
    scene.tracks.iter().map(|track| sections_of(scene, track, step)).collect()
}

fn sections_of(scene: &Scene<'_>, track: &Track, step: f64) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut last: Option<[f64; 2]> = None;
    let finite = |p: &[f64; 2]| p.iter().all(|value| value.is_finite());
    for [x, y] in track.points.iter().map(|point| point.position).filter(finite) {
        let Some([from_x, from_y]) = last else {
            last = Some([x, y]);
            continue;
        };
        let length = (x - from_x).hypot(y - from_y);
        if length < step {
            continue;
        }
        let along = [(x - from_x) / length, (y - from_y) / length];
        let pieces = (length / step) as usize;
        for piece in 0..pieces {
            let share = piece as f64 / pieces as f64;
            let centre = [from_x + share * (x - from_x), from_y + share * (y - from_y)];
            let section = Section { centre, along, depth: 0.0 };
            sections.push(Section { depth: deepest_across(scene, &section), ..section });
        }
        last = Some([x, y]);
    }
    sections
}

fn deepest_across(scene: &Scene<'_>, section: &Section) -> f64 {
    let steps = (2.0 * REACH / scene.spacing.max(0.01)).ceil();
    let lateral = |n: f64| 2.0 * REACH * n / steps - REACH;
    (0..=steps as usize).fold(0.0, |deepest: f64, n| {
        let [x, y] = section.across(lateral(n as f64));
        deepest.max((scene.rut)(x, y))
    })
}

/// The section with the deepest rut, if any is to be seen.
pub(super) fn deepest(sections: &[Vec<Section>]) -> Option<&Section> {
    let all = sections.iter().flatten().filter(|section| section.depth >= VISIBLE);
    all.max_by(|a, b| a.depth.total_cmp(&b.depth))
}

/// Rut depth at a point, bilinear between the nodes, m.
pub(super) fn interpolated(scene: &Scene<'_>, [x, y]: [f64; 2]) -> f64 {
    let s = scene.spacing;
    let (i, j) = ((x / s).floor(), (y / s).floor());
    let (u, v) = (x / s - i, y / s - j);
    let node = |a: f64, b: f64| (scene.rut)((i + a) * s, (j + b) * s);
    let low = node(0.0, 0.0) * (1.0 - u) + node(1.0, 0.0) * u;
    let high = node(0.0, 1.0) * (1.0 - u) + node(1.0, 1.0) * u;
    low * (1.0 - v) + high * v
}

/// Soils seen in the view, in the order of their table.
pub(super) fn soils_in(scene: &Scene<'_>, view: &View) -> Vec<usize> {
    let [x_min, y_min, x_max, y_max] = view.bounds();
    let place = |low: f64, high: f64, n: usize| low + (high - low) * (n as f64 + 0.5) / 200.0;
    let at = |n: usize| (place(x_min, x_max, n % 200), place(y_min, y_max, n / 200));
    let mut soils: Vec<usize> = (0..200 * 200)
        .map(at)
        .filter(|(x, y)| inside(scene.bounds, [*x, *y]))
        .map(|(x, y)| (scene.soil)(x, y))
        .collect();
    soils.sort_unstable();
    soils.dedup();
    soils
}

fn inside([x_min, y_min, x_max, y_max]: [f64; 4], [x, y]: [f64; 2]) -> bool {
    x_min <= x && x <= x_max && y_min <= y && y <= y_max
}

/// Draws the map but for the vehicles.
pub(super) fn draw(
    canvas: &mut Canvas,
    scene: &Scene<'_>,
    view: &View,
    sections: &[Vec<Section>],
    colors: &DepthScale,
) {
    let interval = ground(canvas, scene, view);
    canvas.clip(view.frame);
    bands(canvas, view, sections, colors);
    lines(canvas, view, sections);
    canvas.unclip();
    scale_bar(canvas, view);
    north_arrow(canvas, view.frame);
    if let Some(interval) = interval {
        let style = TextStyle::new(14.0, INK).anchor(Anchor::Right).halo();
        let at = [view.frame.right() - 16.0, view.frame.bottom() - 16.0];
        canvas.text(&format!("contours every {interval} m"), at, style);
    }
    canvas.outline(view.frame, 1.2, SECONDARY);
}

/// Ground beyond the terrain.
const BEYOND: Rgb = Rgb(243, 244, 246);

/// Paints the ground; returns the interval of its contours, if it has any, m.
fn ground(canvas: &mut Canvas, scene: &Scene<'_>, view: &View) -> Option<f64> {
    // Two pixels between samples: below what the eye sees of the shading.
    let step = 2.0 * view.metres / f64::from(canvas.scale());
    let field = HeightField::sample(view, step, scene.height);
    let (low, high) = field.range();
    let roughness = field.roughness();
    // Gentle ground is exaggerated until its slopes show, level ground is not.
    let exaggeration = if roughness > 1e-4 { (0.3 / roughness).clamp(1.0, 12.0) } else { 1.0 };
    let interval = round_step(((high - low) / 14.0).max(0.05));
    let pixel = view.metres / f64::from(canvas.scale());
    let width = 1.0 * f64::from(canvas.scale());
    relief::paint(canvas, view, &|point| {
        if !inside(scene.bounds, point) {
            return BEYOND;
        }
        let ground = field.at(point);
        let base = Oklab::of(color::soil((scene.soil)(point[0], point[1])));
        let shaded = relief::lit(base, relief::shade(ground.slope, exaggeration));
        let contour = contour(ground, interval, pixel, width);
        shaded.mix(Oklab { lightness: 0.35, a: 0.01, b: 0.03 }, 0.32 * contour).rgb()
    });
    (high - low > interval).then_some(interval)
}

/// How much of a pixel a contour covers; every fifth counts double.
fn contour(ground: relief::Ground, interval: f64, pixel: f64, width: f64) -> f64 {
    let steepness = ground.slope[0].hypot(ground.slope[1]);
    if steepness < 1e-9 {
        return 0.0;
    }
    let place = ground.height / interval;
    let nearest = place.round();
    let away = (place - nearest).abs() * interval / (steepness * pixel);
    let index = nearest.rem_euclid(5.0) == 0.0;
    let half = if index { 0.8 * width } else { 0.5 * width };
    (half + 0.5 - away).clamp(0.0, 1.0) * if index { 1.0 } else { 0.6 }
}

const BAND: f32 = 10.0;

/// Sections that share a colour: few enough to look continuous, and enough that
/// the smoothed edges of neighbours seldom add up to hard ones.
const PIECE: usize = 5;

/// The ruts, far wider than they are.
fn bands(canvas: &mut Canvas, view: &View, sections: &[Vec<Section>], colors: &DepthScale) {
    let on_sheet = |run: &[Section]| -> Vec<Point> {
        run.iter().map(|section| view.point(section.centre)).collect()
    };
    let runs: Vec<&[Section]> = sections
        .iter()
        .flat_map(|track| track.split(|section| section.depth < VISIBLE))
        .filter(|run| run.len() > 1)
        .collect();
    for run in &runs {
        canvas.line(&on_sheet(run), BAND + 2.4, Rgb(70, 60, 60), 1.0);
    }
    let mut pieces: Vec<(Vec<Point>, f64)> = Vec::new();
    for run in runs {
        for start in (0..run.len() - 1).step_by(PIECE) {
            // Each reaches the first section of the next.
            let piece = &run[start..(start + PIECE + 1).min(run.len())];
            let depth = piece.iter().map(|section| section.depth).fold(0.0, f64::max);
            pieces.push((on_sheet(piece), depth));
        }
    }
    // The deepest on top: it is what the reader looks for.
    pieces.sort_by(|a, b| a.1.total_cmp(&b.1));
    for (piece, depth) in &pieces {
        canvas.line(piece, BAND, colors.color(*depth).rgb(), 1.0);
    }
}

const LINE: f32 = 2.6;

/// Tracks side by side like the lines of a railway plan, so that those of a
/// convoy do not hide one another: about the way where there is no rut, beside
/// the band where there is one.
fn lines(canvas: &mut Canvas, view: &View, sections: &[Vec<Section>]) {
    let lines: Vec<Vec<Point>> = sections
        .iter()
        .enumerate()
        .map(|(n, track)| line(view, track, n, sections.len()))
        .collect();
    for line in &lines {
        canvas.line(line, LINE + 1.2, WHITE, 0.55);
    }
    for (n, line) in lines.iter().enumerate() {
        canvas.line(line, LINE, color::line(n), 1.0);
    }
}

/// Line `n` of `count`; directions and offsets are taken over some points so
/// that it stays smooth.
fn line(view: &View, track: &[Section], n: usize, count: usize) -> Vec<Point> {
    const TURN: usize = 6;
    const SHIFT: usize = 26;
    let pitch = LINE + 0.6;
    let about = pitch * (n as f32 - 0.5 * (count as f32 - 1.0));
    let beside = 0.5 * BAND + 3.4 + pitch * n as f32;
    let points: Vec<Point> = track.iter().map(|section| view.point(section.centre)).collect();
    let moved = |k: usize| {
        let around = |reach: usize| k.saturating_sub(reach)..=(k + reach).min(points.len() - 1);
        let near = &track[around(SHIFT)];
        let rutted = near.iter().filter(|section| section.depth >= VISIBLE).count();
        let share = rutted as f32 / near.len() as f32;
        // Smoothstep: neither line nor slope jumps where the ruts begin.
        let offset = about + (beside - about) * share * share * (3.0 - 2.0 * share);
        let (from, to) = (points[*around(TURN).start()], points[*around(TURN).end()]);
        let (x, y) = (to[0] - from[0], to[1] - from[1]);
        let length = x.hypot(y).max(1e-6);
        [points[k][0] - offset * y / length, points[k][1] + offset * x / length]
    };
    (0..points.len()).step_by(2).map(moved).collect()
}

/// Draws where the vehicles began and where they are, and what befell them.
pub(super) fn marks(
    canvas: &mut Canvas,
    scene: &Scene<'_>,
    view: &View,
    sections: &[Vec<Section>],
) {
    canvas.clip(view.frame);
    let mut taken: Vec<Point> = Vec::new();
    for (n, track) in scene.tracks.iter().enumerate() {
        let Some(first) = track.points.first() else { continue };
        let at = view.point(first.position);
        canvas.disc(at, 6.0, INK);
        canvas.disc(at, 4.6, WHITE);
        canvas.disc(at, 3.0, color::line(n));
    }
    for (n, track) in scene.tracks.iter().enumerate() {
        let finite = |p: &[f64; 2]| p.iter().all(|value| value.is_finite());
        let last = track.points.iter().map(|point| point.position).rfind(finite);
        let Some(last) = last else { continue };
        let at = view.point(last);
        let along = sections[n].last().map_or([1.0, 0.0], |section| section.along);
        let place = free_place(at, along, &taken, view.frame);
        taken.push(place);
        canvas.line(&[at, place], 1.6, INK, 0.8);
        badge(canvas, place, n);
        arrow(canvas, at, [along[0] as f32, -along[1] as f32], color::line(n));
        if let Some(word) = trouble(&track.outcome) {
            cross(canvas, at);
            label(canvas, view.frame, at, [at[0] - place[0], at[1] - place[1]], &word);
        }
    }
    canvas.unclip();
}

/// Sets a word of trouble beside a point, on the side that `toward` points to.
fn label(canvas: &mut Canvas, frame: Frame, at: Point, toward: Point, word: &str) {
    let style = TextStyle::new(16.0, ALARM).bold().anchor(Anchor::Middle).halo();
    let length = toward[0].hypot(toward[1]).max(1e-6);
    let half = 0.5 * canvas.text_width(word, style);
    // Clear of the lines beside the track, whichever way the word lies.
    let (x, y) = (toward[0] / length, toward[1] / length);
    let away = 34.0 + half * x.abs();
    let x = (at[0] + away * x).clamp(frame.x + half + 8.0, frame.right() - half - 8.0);
    let y = (at[1] + away * y + 5.5).clamp(frame.y + 24.0, frame.bottom() - 12.0);
    canvas.text(word, [x, y], style);
}

/// A place beside the vehicle that no badge has taken.
fn free_place(at: Point, along: [f64; 2], taken: &[Point], frame: Frame) -> Point {
    // Left of the track first: its lines run on the right.
    let left = [-along[1] as f32, -along[0] as f32];
    let ahead = [along[0] as f32, -along[1] as f32];
    let tries = [
        (34.0, 0.0),
        (34.0, 30.0),
        (34.0, -30.0),
        (64.0, 0.0),
        (64.0, 32.0),
        (64.0, -32.0),
        (94.0, 0.0),
        (94.0, 32.0),
        (94.0, -32.0),
        (124.0, 0.0),
    ];
    let place = |(side, forward): (f32, f32)| {
        [at[0] + side * left[0] + forward * ahead[0], at[1] + side * left[1] + forward * ahead[1]]
    };
    let within = |p: &Point| {
        let (x, y) = (p[0] - frame.x, p[1] - frame.y);
        (16.0..frame.width - 16.0).contains(&x) && (16.0..frame.height - 16.0).contains(&y)
    };
    let free = |p: &Point| {
        within(p) && taken.iter().all(|other| (p[0] - other[0]).hypot(p[1] - other[1]) > 27.0)
    };
    let both_sides =
        tries.into_iter().flat_map(|(side, forward)| [(side, forward), (-side - 16.0, forward)]);
    both_sides.map(place).find(free).unwrap_or(place(tries[0]))
}

fn trouble(outcome: &OutcomeReport) -> Option<String> {
    let words = outcome.code.words();
    outcome.code.is_loss().then(|| format!("{words}, {:.0} s", outcome.time.unwrap_or_default()))
}

/// The numbered disc that stands for vehicle `n`.
pub(super) fn badge(canvas: &mut Canvas, at: Point, n: usize) {
    canvas.disc(at, 12.5, WHITE);
    canvas.disc(at, 11.0, color::line(n));
    let style = TextStyle::new(13.5, WHITE).bold().anchor(Anchor::Middle);
    canvas.text(&(n + 1).to_string(), [at[0], at[1] + 4.9], style);
}

fn arrow(canvas: &mut Canvas, at: Point, along: [f32; 2], color: Rgb) {
    let shape = |size: f32| {
        let corner = |forward: f32, side: f32| {
            [
                at[0] + size * (forward * along[0] - side * along[1]),
                at[1] + size * (forward * along[1] + side * along[0]),
            ]
        };
        [corner(1.2, 0.0), corner(-0.8, 0.8), corner(-0.4, 0.0), corner(-0.8, -0.8)]
    };
    canvas.polygon(&shape(14.5), WHITE, 1.0);
    canvas.polygon(&shape(11.0), color, 1.0);
}

fn cross(canvas: &mut Canvas, [x, y]: Point) {
    for (width, color) in [(7.5, WHITE), (4.0, ALARM)] {
        for side in [-1.0, 1.0] {
            let reach = 8.0;
            let ends = [[x - reach, y - side * reach], [x + reach, y + side * reach]];
            canvas.line(&ends, width, color, 1.0);
        }
    }
}

/// Shows on the map where the close-up is.
pub(super) fn mark_window(canvas: &mut Canvas, view: &View, close: &View) {
    let [x_min, y_min, x_max, y_max] = close.bounds();
    let ([left, top], [right, bottom]) = (view.point([x_min, y_max]), view.point([x_max, y_min]));
    // Small windows are drawn a little larger, to be found.
    let (x, y) = (0.5 * (left + right), 0.5 * (top + bottom));
    let width = (right - left).max(22.0);
    let height = (bottom - top).max(16.0);
    let frame = Frame { x: x - 0.5 * width, y: y - 0.5 * height, width, height };
    canvas.clip(view.frame);
    canvas.outline(frame, 4.5, WHITE);
    canvas.outline(frame, 2.0, INK);
    canvas.unclip();
}

/// A round distance at the lower left of a view.
pub(super) fn scale_bar(canvas: &mut Canvas, view: &View) {
    let distance = round_distance(view);
    let length = (distance / view.metres) as f32;
    let (x, y) = (view.frame.x + 20.0, view.frame.bottom() - 22.0);
    let label = if distance < 1.0 {
        format!("{:.0} cm", 100.0 * distance)
    } else if distance < 1000.0 {
        format!("{distance} m")
    } else {
        format!("{} km", distance / 1000.0)
    };
    let bar = [[x, y - 6.0], [x, y], [x + length, y], [x + length, y - 6.0]];
    canvas.line(&bar, 5.5, WHITE, 0.8);
    canvas.line(&bar, 2.2, INK, 1.0);
    let style = TextStyle::new(15.0, INK).bold().anchor(Anchor::Middle).halo();
    canvas.text(&label, [x + 0.5 * length, y - 9.0], style);
}

fn north_arrow(canvas: &mut Canvas, frame: Frame) {
    let (x, y) = (frame.right() - 32.0, frame.y + 30.0);
    let shape = |grow: f32| {
        [
            [x, y - 16.0 - 1.6 * grow],
            [x + 9.0 + grow, y + 12.0 + grow],
            [x, y + 6.0 + 0.5 * grow],
            [x - 9.0 - grow, y + 12.0 + grow],
        ]
    };
    canvas.polygon(&shape(2.2), WHITE, 0.8);
    canvas.polygon(&shape(0.0), INK, 1.0);
    let style = TextStyle::new(14.0, INK).bold().anchor(Anchor::Middle).halo();
    canvas.text("N", [x, y + 29.0], style);
}
