//! The map of a run: ground, ruts, tracks and marks.

use super::canvas::{Anchor, Canvas, CanvasPoint, Frame, TextStyle};
use super::color::{self, ALARM, INK, Rgb, SECONDARY, WHITE};
use super::depth_scale::{DepthScale, VISIBLE};
use super::drawn_ground::{self, GroundFunction};
use super::geotiff::RutNode;
use super::relief::MapView;
use super::scene::{RunScene, SceneTrack};
use bekker_agent::OutcomeReport;
use bekker_world::BlockedCell;
use std::collections::BTreeMap;

/// Lateral range on either side of a track in which its ruts are searched, m.
///
/// It exceeds the track width of any vehicle.
pub(super) const REACH: f64 = 2.2;

/// A cross section of a track with the deformation of the ground there.
#[derive(Clone, Copy, Debug)]
pub(super) struct CrossSection {
    /// Center on the track, m.
    pub center: [f64; 2],
    /// Unit vector along the track.
    pub along: [f64; 2],
    /// Depth of the deepest rut across the track, m.
    pub depth: f64,
}

impl CrossSection {
    /// Returns the point at a distance `right` to the right of the track.
    pub fn across(&self, right: f64) -> [f64; 2] {
        let [x, y] = self.along;
        [self.center[0] + right * y, self.center[1] - right * x]
    }
}

/// Bounds `[x_min, y_min, x_max, y_max]` of the tracks with a margin, m.
pub(super) fn driven_bounds(tracks: &[SceneTrack]) -> Option<[f64; 4]> {
    bounds_of(tracks.iter().flat_map(|track| &track.points).map(|point| point.position))
}

/// Bounds of positions with a margin, m.
pub(super) fn bounds_of(positions: impl Iterator<Item = [f64; 2]>) -> Option<[f64; 4]> {
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

/// Returns the sections of every track, about a pixel apart on the map.
pub(super) fn sections(scene: &RunScene<'_>, view: &MapView) -> Vec<Vec<CrossSection>> {
    let step = (1.2 * view.meters).max(scene.spacing);
    let along = |track: &SceneTrack| {
        let positions = track.points.iter().map(|point| point.position);
        sections_along(positions, scene.rut, scene.spacing, step)
    };
    scene.tracks.iter().map(along).collect()
}

/// Returns sections along a line, `step` apart, with ruts on nodes `spacing` apart, m.
pub(super) fn sections_along(
    positions: impl Iterator<Item = [f64; 2]>,
    rut: GroundFunction<'_, f64>,
    spacing: f64,
    step: f64,
) -> Vec<CrossSection> {
    let mut sections: Vec<CrossSection> = Vec::new();
    let mut last: Option<[f64; 2]> = None;
    let finite = |p: &[f64; 2]| p.iter().all(|value| value.is_finite());
    for [x, y] in positions.filter(finite) {
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
            let center = [from_x + share * (x - from_x), from_y + share * (y - from_y)];
            let section = CrossSection { center, along, depth: 0.0 };
            sections
                .push(CrossSection { depth: deepest_across(rut, spacing, &section), ..section });
        }
        last = Some([x, y]);
    }
    sections
}

fn deepest_across(rut: GroundFunction<'_, f64>, spacing: f64, section: &CrossSection) -> f64 {
    let steps = (2.0 * REACH / spacing.max(0.01)).ceil();
    let lateral = |n: f64| 2.0 * REACH * n / steps - REACH;
    (0..=steps as usize).fold(0.0, |deepest: f64, n| {
        let [x, y] = section.across(lateral(n as f64));
        deepest.max(rut(x, y))
    })
}

/// Returns the deepest node; among equal ones the most southern, then the most western.
pub(super) fn deepest_node(nodes: &[RutNode]) -> Option<&RutNode> {
    let place = |own: &RutNode| (own.node.j, own.node.i);
    nodes
        .iter()
        .filter(|own| own.depth.is_finite())
        .max_by(|a, b| a.depth.total_cmp(&b.depth).then_with(|| place(b).cmp(&place(a))))
}

/// Position of a node, m.
fn position(own: &RutNode, spacing: f64) -> [f64; 2] {
    [own.node.i, own.node.j].map(|n| f64::from(n) * spacing)
}

/// Returns the section through the deepest node, across the nearest track; none if no rut is
/// visible.
///
/// A rut may be anywhere: under a trailer, a vehicle that slid, or one that never moved. Therefore
/// the grid is searched, and the tracks only give the direction.
pub(super) fn deepest(
    scene: &RunScene<'_>,
    sections: &[Vec<CrossSection>],
) -> Option<CrossSection> {
    let node = deepest_node(scene.nodes).filter(|own| own.depth >= VISIBLE)?;
    let ([x, y], depth) = (position(node, scene.spacing), node.depth);
    let away = |section: &CrossSection| (section.center[0] - x).hypot(section.center[1] - y);
    let nearest = sections.iter().flatten().min_by(|a, b| away(a).total_cmp(&away(b)));
    let here = CrossSection { center: [x, y], along: [1.0, 0.0], depth };
    let Some(CrossSection { center, along, .. }) = nearest.filter(|own| away(own) < 4.0 * REACH)
    else {
        return Some(here);
    };
    // moved along the track until the line across it contains the node
    let ahead = (x - center[0]) * along[0] + (y - center[1]) * along[1];
    let moved = [center[0] + ahead * along[0], center[1] + ahead * along[1]];
    let is_within = (moved[0] - x).hypot(moved[1] - y) < 0.9 * REACH;
    Some(CrossSection { center: if is_within { moved } else { [x, y] }, along: *along, depth })
}

/// Length of [`REACH`] on the canvas, design units, above which all ruts are drawn at their
/// positions.
///
/// Below it, ruts under bands are omitted, because the bands would hide them.
const IN_PLACE: f64 = 40.0;

/// Returns the ruts that are drawn at their positions: `[x, y]` of the deepest node of a cell and
/// its depth, m.
///
/// A cell is 4 design units wide or a node. On a map of large scale these are all ruts, otherwise
/// those off the tracks.
fn ruts_off_tracks(
    scene: &RunScene<'_>,
    view: &MapView,
    sections: &[Vec<CrossSection>],
) -> Vec<([f64; 2], f64)> {
    let cell = (4.0 * view.meters).max(scene.spacing);
    let bin = |x: f64, side: f64| (x / side).floor() as i64;
    // points covered by bands, in squares as wide as the range of a band
    let reach = REACH + 1.2 * view.meters;
    let mut covered: BTreeMap<[i64; 2], Vec<[f64; 2]>> = BTreeMap::new();
    let bands = if REACH > IN_PLACE * view.meters { Vec::new() } else { visible_runs(sections) };
    for section in bands.into_iter().flatten() {
        let square = section.center.map(|x| bin(x, reach));
        covered.entry(square).or_default().push(section.center);
    }
    let is_covered = |[x, y]: [f64; 2]| {
        let [i, j] = [bin(x, reach), bin(y, reach)];
        let around = (-1..=1).flat_map(|di| (-1..=1).map(move |dj| [i + di, j + dj]));
        let near = |own: &[f64; 2]| (own[0] - x).hypot(own[1] - y) <= reach;
        around.filter_map(|square| covered.get(&square)).flatten().any(near)
    };
    let mut cells: Vec<([i64; 2], [f64; 2], f64)> = scene
        .nodes
        .iter()
        .filter(|own| own.depth >= VISIBLE)
        .map(|own| {
            let place = position(own, scene.spacing);
            (place.map(|x| bin(x, cell)), place, own.depth)
        })
        .collect();
    cells.sort_unstable_by(|a, b| {
        a.0.cmp(&b.0)
            .then(b.2.total_cmp(&a.2))
            .then_with(|| a.1[1].total_cmp(&b.1[1]))
            .then_with(|| a.1[0].total_cmp(&b.1[0]))
    });
    cells.dedup_by_key(|own| own.0);
    cells.retain(|own| !is_covered(own.1));
    cells.into_iter().map(|(_, place, depth)| (place, depth)).collect()
}

/// Draws ruts off the tracks at their positions.
fn off_tracks(canvas: &mut Canvas, view: &MapView, ruts: &[([f64; 2], f64)], colors: &DepthScale) {
    let mut ruts: Vec<&([f64; 2], f64)> = ruts.iter().collect();
    // the deepest on top
    ruts.sort_by(|a, b| a.1.total_cmp(&b.1));
    for (place, depth) in ruts {
        let [x, y] = view.point(*place);
        let square = Frame { x: x - 2.5, y: y - 2.5, width: 5.0, height: 5.0 };
        canvas.rectangle(square, colors.color(*depth).rgb(), 1.0);
    }
}

/// Rut depth at a point, m, by bilinear interpolation between nodes.
pub(super) fn interpolated(scene: &RunScene<'_>, [x, y]: [f64; 2]) -> f64 {
    let s = scene.spacing;
    let (i, j) = ((x / s).floor(), (y / s).floor());
    let (u, v) = (x / s - i, y / s - j);
    let node = |a: f64, b: f64| (scene.rut)((i + a) * s, (j + b) * s);
    let low = node(0.0, 0.0) * (1.0 - u) + node(1.0, 0.0) * u;
    let high = node(0.0, 1.0) * (1.0 - u) + node(1.0, 1.0) * u;
    low * (1.0 - v) + high * v
}

/// Draws the map without the vehicles. The legend of its symbols ends at `right`.
pub(super) fn draw(
    canvas: &mut Canvas,
    scene: &RunScene<'_>,
    view: &MapView,
    sections: &[Vec<CrossSection>],
    colors: &DepthScale,
    right: f32,
) {
    let places: Vec<CanvasPoint> =
        sections.iter().flatten().map(|section| view.point(section.center)).collect();
    let interval = drawn_ground::ground(canvas, &scene.land, view, &places);
    drawn_ground::props(canvas, &scene.land, view);
    canvas.clip(view.frame);
    for way in &scene.ways {
        drawn_ground::draw_route(canvas, view, way);
    }
    off_tracks(canvas, view, &ruts_off_tracks(scene, view, sections), colors);
    bands(canvas, view, sections, colors);
    lines(canvas, view, sections);
    canvas.unclip();
    drawn_ground::frame(canvas, &scene.land, view, interval);
    key(canvas, scene, view, !visible_runs(sections).is_empty(), right);
}

/// Draws the legend of the map's symbols in a line below it, with that of ruts if there are any.
fn key(canvas: &mut Canvas, scene: &RunScene<'_>, view: &MapView, ruts: bool, right: f32) {
    let style = TextStyle::new(12.5, SECONDARY);
    let baseline = view.frame.bottom() + 38.0;
    let y = baseline - 4.5;
    let mut x = right;
    // from right to left
    let mut sign = |canvas: &mut Canvas, text: &str, width: f32| {
        x -= canvas.text_width(text, style);
        canvas.text(text, [x, baseline], style);
        x -= width + 7.0;
        let at = x;
        x -= 20.0;
        at
    };
    for (name, color) in drawn_ground::prop_key(&scene.land, view).into_iter().rev() {
        let at = sign(canvas, name, 8.0);
        canvas.blot([at + 4.0, y], 4.5, color, 0.75);
    }
    for (holes, name, color) in [(true, "detected hole", INK), (false, "detected obstacle", ALARM)]
    {
        if scene.blocked.iter().any(|cell| cell.is_hole == holes) {
            let at = sign(canvas, name, 9.0);
            let square = Frame { x: at, y: y - 4.5, width: 9.0, height: 9.0 };
            canvas.rectangle(square, color, 0.75);
        }
    }
    if !scene.ways.is_empty() {
        let at = sign(canvas, "planned route", 24.0);
        canvas.dashes(&[[at, y], [at + 24.0, y]], 1.6, drawn_ground::PLANNED, [7.0, 5.0]);
    }
    let at = sign(canvas, "driven paths, one line per vehicle", 24.0);
    for (n, _) in scene.tracks.iter().enumerate().take(3) {
        let y = y + (LINE + 0.6) * (n as f32 - 1.0);
        canvas.line(&[[at, y], [at + 24.0, y]], LINE, color::line(n), 1.0);
    }
    if ruts {
        let at = sign(canvas, "rut (width not to scale)", 24.0);
        canvas.line(&[[at + 2.0, y], [at + 22.0, y]], BAND + 1.0, Rgb(70, 60, 60), 1.0);
        canvas.line(&[[at + 2.0, y], [at + 22.0, y]], BAND - 1.0, color::depth(0.45).rgb(), 1.0);
    }
}

const BAND: f32 = 10.0;

/// Number of consecutive sections with the same color.
///
/// These are few enough to look continuous, and enough that the antialiased edges of neighbors
/// seldom add up to visible ones.
const PIECE: usize = 5;

/// Returns the parts of tracks whose ruts are drawn as bands.
fn visible_runs(sections: &[Vec<CrossSection>]) -> Vec<&[CrossSection]> {
    let stretches = sections.iter().flat_map(|track| track.split(|own| own.depth < VISIBLE));
    stretches.filter(|run| run.len() > 1).collect()
}

/// Draws the ruts as bands along the tracks, much wider than they are.
pub(super) fn bands(
    canvas: &mut Canvas,
    view: &MapView,
    sections: &[Vec<CrossSection>],
    colors: &DepthScale,
) {
    let on_sheet = |run: &[CrossSection]| -> Vec<CanvasPoint> {
        run.iter().map(|section| view.point(section.center)).collect()
    };
    let runs = visible_runs(sections);
    for run in &runs {
        canvas.line(&on_sheet(run), BAND + 2.4, Rgb(70, 60, 60), 1.0);
    }
    let mut pieces: Vec<(Vec<CanvasPoint>, f64)> = Vec::new();
    for run in runs {
        for start in (0..run.len() - 1).step_by(PIECE) {
            // Each piece ends at the first section of the next.
            let piece = &run[start..(start + PIECE + 1).min(run.len())];
            let depth = piece.iter().map(|section| section.depth).fold(0.0, f64::max);
            pieces.push((on_sheet(piece), depth));
        }
    }
    // The deepest on top, because readers look for it.
    pieces.sort_by(|a, b| a.1.total_cmp(&b.1));
    for (piece, depth) in &pieces {
        canvas.line(piece, BAND, colors.color(*depth).rgb(), 1.0);
    }
}

const LINE: f32 = 2.6;
/// Maximum number of vehicles for which each has a line, a number and a color.
pub(super) const MANY: usize = 40;

/// Draws the tracks side by side, as on a railway map, so that those of a convoy remain visible.
///
/// They are centered on the path without a rut, and next to the band with one. If there are more
/// than [`MANY`] tracks, each is a thin line at its position.
fn lines(canvas: &mut Canvas, view: &MapView, sections: &[Vec<CrossSection>]) {
    if sections.len() > MANY {
        for track in sections {
            let points = track.iter().step_by(2).map(|section| view.point(section.center));
            canvas.line(&points.collect::<Vec<_>>(), 1.1, INK, 0.75);
        }
        return;
    }
    let lines: Vec<Vec<CanvasPoint>> = sections
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

/// Returns line `n` of `count`.
///
/// Directions and offsets are averaged over several points so that the line is smooth.
fn line(view: &MapView, track: &[CrossSection], n: usize, count: usize) -> Vec<CanvasPoint> {
    const TURN: usize = 6;
    const SHIFT: usize = 26;
    let pitch = LINE + 0.6;
    let about = pitch * (n as f32 - 0.5 * (count as f32 - 1.0));
    let beside = 0.5 * BAND + 3.4 + pitch * n as f32;
    let points: Vec<CanvasPoint> = track.iter().map(|section| view.point(section.center)).collect();
    let moved = |k: usize| {
        let around = |reach: usize| k.saturating_sub(reach)..=(k + reach).min(points.len() - 1);
        let near = &track[around(SHIFT)];
        let rutted = near.iter().filter(|section| section.depth >= VISIBLE).count();
        let share = rutted as f32 / near.len() as f32;
        // Smoothstep: neither offset nor slope is discontinuous where the ruts begin.
        let offset = about + (beside - about) * share * share * (3.0 - 2.0 * share);
        let (from, to) = (points[*around(TURN).start()], points[*around(TURN).end()]);
        let (x, y) = (to[0] - from[0], to[1] - from[1]);
        let length = x.hypot(y).max(1e-6);
        [points[k][0] - offset * y / length, points[k][1] + offset * x / length]
    };
    (0..points.len()).step_by(2).map(moved).collect()
}

/// Draws the start and end of each vehicle's track, collisions and losses.
pub(super) fn marks(
    canvas: &mut Canvas,
    scene: &RunScene<'_>,
    view: &MapView,
    sections: &[Vec<CrossSection>],
) {
    canvas.clip(view.frame);
    let mut taken: Vec<CanvasPoint> = Vec::new();
    for &place in scene.hits.iter().filter(|place| place.iter().all(|x| x.is_finite())) {
        star(canvas, view.point(place));
    }
    if scene.tracks.len() > MANY {
        scene.tracks.iter().for_each(|track| mark_of_many(canvas, view, track));
        return canvas.unclip();
    }
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

/// Draws the position of a vehicle, if there are more than [`MANY`]: a dot, red for a loss.
fn mark_of_many(canvas: &mut Canvas, view: &MapView, track: &SceneTrack) {
    let finite = |place: &[f64; 2]| place.iter().all(|value| value.is_finite());
    let last = track.points.iter().map(|point| point.position).rfind(finite);
    let Some(last) = last else { return };
    let at = view.point(last);
    let lost = trouble(&track.outcome).is_some();
    canvas.disc(at, 2.6, WHITE);
    canvas.disc(at, 1.9, if lost { ALARM } else { color::line(0) });
}

/// Draws the cells that autonomous vehicles classify as obstacles and, darker, as holes.
pub(super) fn blocked(canvas: &mut Canvas, scene: &RunScene<'_>, view: &MapView) {
    canvas.clip(view.frame);
    for BlockedCell { corner, side, is_hole } in &scene.blocked {
        let [x, y] = view.point([corner[0], corner[1] + side]);
        let [right, bottom] = view.point([corner[0] + side, corner[1]]);
        // always large enough to be visible
        let (width, height) = ((right - x).max(1.2), (bottom - y).max(1.2));
        let frame = Frame { x, y, width, height };
        canvas.rectangle(frame, if *is_hole { INK } else { ALARM }, 0.75);
    }
    canvas.unclip();
}

/// Draws the mark of a collision.
fn star(canvas: &mut Canvas, at: CanvasPoint) {
    for (width, color) in [(4.6, WHITE), (2.2, ALARM)] {
        for turn in 0..4 {
            let (y, x) = (std::f32::consts::FRAC_PI_4 * turn as f32).sin_cos();
            let [x, y] = [8.0 * x, 8.0 * y];
            canvas.line(&[[at[0] - x, at[1] - y], [at[0] + x, at[1] + y]], width, color, 0.9);
        }
    }
}

/// Draws the outcome of a loss next to a point, on the side to which `toward` points.
fn label(canvas: &mut Canvas, frame: Frame, at: CanvasPoint, toward: CanvasPoint, word: &str) {
    let style = TextStyle::new(16.0, ALARM).bold().anchor(Anchor::Middle).halo();
    let length = toward[0].hypot(toward[1]).max(1e-6);
    let half = 0.5 * canvas.text_width(word, style);
    // Clear of the lines next to the track, for any direction of `toward`.
    let (x, y) = (toward[0] / length, toward[1] / length);
    let away = 34.0 + half * x.abs();
    let x = (at[0] + away * x).clamp(frame.x + half + 8.0, frame.right() - half - 8.0);
    let y = (at[1] + away * y + 5.5).clamp(frame.y + 24.0, frame.bottom() - 12.0);
    canvas.text(word, [x, y], style);
}

/// Returns a position next to the vehicle that has no badge.
fn free_place(
    at: CanvasPoint,
    along: [f64; 2],
    taken: &[CanvasPoint],
    frame: Frame,
) -> CanvasPoint {
    // Left of the track first: its lines are on the right.
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
    let within = |p: &CanvasPoint| {
        let (x, y) = (p[0] - frame.x, p[1] - frame.y);
        (16.0..frame.width - 16.0).contains(&x) && (16.0..frame.height - 16.0).contains(&y)
    };
    let free = |p: &CanvasPoint| {
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

/// Draws the numbered disc of vehicle `n`.
pub(super) fn badge(canvas: &mut Canvas, at: CanvasPoint, n: usize) {
    numbered_disc(canvas, at, n, color::line(n));
}

/// Draws the number of vehicle `n` on a disc of a color.
pub(super) fn numbered_disc(canvas: &mut Canvas, at: CanvasPoint, n: usize, color: Rgb) {
    canvas.disc(at, 12.5, WHITE);
    canvas.disc(at, 11.0, color);
    let style = TextStyle::new(13.5, WHITE).bold().anchor(Anchor::Middle);
    canvas.text(&(n + 1).to_string(), [at[0], at[1] + 4.9], style);
}

fn arrow(canvas: &mut Canvas, at: CanvasPoint, along: [f32; 2], color: Rgb) {
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

fn cross(canvas: &mut Canvas, [x, y]: CanvasPoint) {
    for (width, color) in [(7.5, WHITE), (4.0, ALARM)] {
        for side in [-1.0, 1.0] {
            let reach = 8.0;
            let ends = [[x - reach, y - side * reach], [x + reach, y + side * reach]];
            canvas.line(&ends, width, color, 1.0);
        }
    }
}

/// Draws the window of the close-up on the map.
pub(super) fn mark_window(canvas: &mut Canvas, view: &MapView, close: &MapView) {
    let [x_min, y_min, x_max, y_max] = close.bounds();
    let ([left, top], [right, bottom]) = (view.point([x_min, y_max]), view.point([x_max, y_min]));
    // Small windows are drawn larger to be visible.
    let (x, y) = (0.5 * (left + right), 0.5 * (top + bottom));
    let width = (right - left).max(22.0);
    let height = (bottom - top).max(16.0);
    let frame = Frame { x: x - 0.5 * width, y: y - 0.5 * height, width, height };
    canvas.clip(view.frame);
    canvas.outline(frame, 4.5, WHITE);
    canvas.outline(frame, 2.0, INK);
    canvas.unclip();
}
