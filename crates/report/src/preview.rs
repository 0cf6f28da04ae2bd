//! A scenario before it is run: ground, soils, routes and vehicles on a map, with warnings.
//!
//! Below the map are elevation and grade along every route.

use super::canvas::{Anchor, Canvas, CanvasPoint, Frame, TextStyle};
use super::color::{self, ALARM, INK, RULE, SECONDARY, WHITE};
use super::drawn_ground::{self, DrawnGround};
use super::map;
use super::page::{MAP_LEFT, MAP_RIGHT, MARGIN, SIDE, TOP, WIDTH, footer, heading};
use super::profile::{self, ProfilePoint};
use super::relief::MapView;
use super::scene::Caption;
use super::{ReportError, file};
use std::path::Path;

/// Content of the picture.
pub struct Preview<'a> {
    /// Caption: the scenario and its subject.
    pub caption: Caption,
    /// The undisturbed ground.
    pub land: DrawnGround<'a>,
    /// Mobility of the first vehicle on each soil, in the order of `land.soils`.
    pub going: Vec<String>,
    /// The vehicles.
    pub vehicles: Vec<ParkedVehicle>,
    /// The routes.
    pub ways: Vec<PreviewRoute>,
    /// Holes, ditches and bumps.
    pub stamps: Vec<LabeledShape>,
    /// Warnings about the scenario.
    pub warnings: Vec<Warning>,
}

/// A vehicle at its start.
#[derive(Clone, Debug, PartialEq)]
pub struct ParkedVehicle {
    /// Its name.
    pub name: String,
    /// Model of the vehicle, and task of its driver.
    pub detail: String,
    /// Corners of its footprint, m: front left, rear left, rear right, front right.
    pub corners: [[f64; 2]; 4],
}

/// A route.
#[derive(Clone, Debug, PartialEq)]
pub struct PreviewRoute {
    /// Title, with the vehicle's name.
    pub title: String,
    /// Index of the first vehicle on the route.
    pub vehicle: usize,
    /// Points of the route, m.
    pub points: Vec<[f64; 2]>,
    /// Elevation and grade along the route.
    pub profile: Vec<ProfilePoint>,
}

/// A labeled shape on the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct LabeledShape {
    /// Outline, m, closed implicitly.
    pub outline: Vec<[f64; 2]>,
    /// Label.
    pub label: String,
}

/// A warning.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// Text of the warning.
    pub text: String,
    /// Part of a route that the warning concerns, m.
    pub stretch: Vec<[f64; 2]>,
    /// Position that the warning concerns, m.
    pub position: Option<[f64; 2]>,
}

const MAP_HEIGHT: f32 = 700.0;
/// Height of a row of profiles with its title and labels.
const ROW: f32 = 330.0;
/// Maximum number of vehicles and of soils in the legend; the others are only counted.
const LEGEND_ROWS: usize = 8;
/// Maximum number of vehicles for which the map shows names.
const NAMES: usize = 12;

/// Draws the preview as a PNG, 1920 pixels wide and as high as its routes require.
///
/// # Errors
/// [`ReportError`] if there are more routes than fit into a picture, or the file cannot be written.
pub fn write(path: &Path, preview: &Preview<'_>) -> Result<(), ReportError> {
    let bytes = draw(preview)?.encode().map_err(ReportError::encode(path))?;
    file::write(path, &bytes)
}

fn draw(preview: &Preview<'_>) -> Result<Canvas, ReportError> {
    let shown = shown_bounds(preview).ok_or(ReportError::Nothing("no vehicle has a position"))?;
    // further profiles are only in the text output
    let profiled = preview.ways.len().min(24);
    let rows = profiled.div_ceil(2) as f32;
    let height = TOP + MAP_HEIGHT + 70.0 + rows * ROW + 50.0;
    let mut canvas = Canvas::new(WIDTH as u32, height as u32, 1.0)?;
    heading(&mut canvas, &preview.caption);

    let frame = Frame { x: MAP_LEFT, y: TOP, width: MAP_RIGHT - MAP_LEFT, height: MAP_HEIGHT };
    let view = preview.land.view(frame, shown);
    let taken: Vec<CanvasPoint> =
        preview.ways.iter().flat_map(|way| &way.points).map(|point| view.point(*point)).collect();
    let interval = drawn_ground::ground(&mut canvas, &preview.land, &view, &thinned(&taken));
    drawn_ground::props(&mut canvas, &preview.land, &view);
    canvas.clip(view.frame);
    stamps(&mut canvas, preview, &view);
    for way in &preview.ways {
        drawn_ground::draw_route(&mut canvas, &view, &way.points);
    }
    for warning in &preview.warnings {
        let line: Vec<CanvasPoint> = warning.stretch.iter().map(|p| view.point(*p)).collect();
        canvas.line(&line, 6.0, ALARM, 0.45);
    }
    vehicles(&mut canvas, preview, &view);
    letters(&mut canvas, preview, &view);
    canvas.unclip();
    drawn_ground::frame(&mut canvas, &preview.land, &view, interval);
    key(&mut canvas, preview, &view);
    legend(&mut canvas, preview, &view, TOP + MAP_HEIGHT + 44.0);

    let width = (WIDTH - 2.0 * MARGIN - 60.0) / 2.0;
    for (n, way) in preview.ways.iter().take(profiled).enumerate() {
        let x = MARGIN + (n % 2) as f32 * (width + 60.0);
        let y = TOP + MAP_HEIGHT + 70.0 + (n / 2) as f32 * ROW;
        let title = TextStyle::new(16.0, INK).bold();
        map::badge(&mut canvas, [x + 12.0, y + 14.0], way.vehicle);
        let text = canvas.fitted(&way.title, width - 40.0, title);
        canvas.text(&text, [x + 34.0, y + 20.0], title);
        let plot = Frame { x: x + 44.0, y: y + 56.0, width: width - 44.0, height: ROW - 116.0 };
        profile::draw(&mut canvas, plot, &way.profile, color::line(way.vehicle));
        if way.profile.iter().any(|point| point.limit.is_some()) {
            let style = TextStyle::new(13.0, SECONDARY).anchor(Anchor::Right);
            let note = "dashed: drawbar pull over weight (classical theory)";
            let at = [plot.right(), plot.y + 0.5 * (plot.height - 34.0) + 25.0];
            canvas.text(note, at, style);
        }
    }
    footer(&mut canvas, &preview.caption, height);
    Ok(canvas)
}

/// Bounds of vehicles and routes with a margin, m.
fn shown_bounds(preview: &Preview<'_>) -> Option<[f64; 4]> {
    let corners = preview.vehicles.iter().flat_map(|vehicle| &vehicle.corners);
    let points = preview.ways.iter().flat_map(|way| &way.points);
    let start = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    let finite = |p: &&[f64; 2]| p.iter().all(|value| value.is_finite());
    let bounds = corners
        .chain(points)
        .filter(finite)
        .fold(start, |[a, b, c, d], [x, y]| [a.min(*x), b.min(*y), c.max(*x), d.max(*y)]);
    let size = (bounds[2] - bounds[0]).max(bounds[3] - bounds[1]);
    let margin = 8.0 + 0.08 * size;
    let [x_min, y_min, x_max, y_max] = bounds;
    (size >= 0.0).then_some([x_min - margin, y_min - margin, x_max + margin, y_max + margin])
}

/// Returns points at least 12 units from the previous one.
fn thinned(points: &[CanvasPoint]) -> Vec<CanvasPoint> {
    let mut kept: Vec<CanvasPoint> = Vec::new();
    for point in points {
        let far = |last: &CanvasPoint| (last[0] - point[0]).hypot(last[1] - point[1]) > 12.0;
        if kept.last().is_none_or(far) {
            kept.push(*point);
        }
    }
    kept
}

fn stamps(canvas: &mut Canvas, preview: &Preview<'_>, view: &MapView) {
    let style = TextStyle::new(12.5, INK).anchor(Anchor::Middle).halo();
    for stamp in &preview.stamps {
        let mut line: Vec<CanvasPoint> = stamp.outline.iter().map(|p| view.point(*p)).collect();
        line.extend(line.first().copied());
        canvas.dashes(&line, 1.4, INK, [3.0, 3.0]);
        let lowest = line.iter().map(|p| p[1]).fold(f32::NEG_INFINITY, f32::max);
        let middle = line.iter().map(|p| p[0]).sum::<f32>() / line.len().max(1) as f32;
        canvas.text(&stamp.label, [middle, lowest + 15.0], style);
    }
}

/// A box on the canvas that contains a label: left, top, right, bottom.
type LabelBox = [f32; 4];

fn clear(own: &LabelBox, taken: &[LabelBox]) -> bool {
    taken.iter().all(|t| own[2] < t[0] || t[2] < own[0] || own[3] < t[1] || t[3] < own[1])
}

/// Draws the vehicles to scale with their headings, numbers and names.
fn vehicles(canvas: &mut Canvas, preview: &Preview<'_>, view: &MapView) {
    let middle = |a: CanvasPoint, b: CanvasPoint| [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
    let mut taken: Vec<LabelBox> = Vec::new();
    let mut places = Vec::new();
    for (n, vehicle) in preview.vehicles.iter().enumerate() {
        let corners = vehicle.corners.map(|corner| view.point(corner));
        let (front, rear) = (middle(corners[0], corners[3]), middle(corners[1], corners[2]));
        let length = (front[0] - rear[0]).hypot(front[1] - rear[1]).max(1e-3);
        let ahead = [(front[0] - rear[0]) / length, (front[1] - rear[1]) / length];
        canvas.polygon(&corners, WHITE, 0.9);
        canvas.polygon(&corners, color::line(n), 0.85);
        let mut outline = corners.to_vec();
        outline.push(corners[0]);
        canvas.line(&outline, 1.2, INK, 0.9);
        let reach = (0.6 * length).max(14.0);
        let tip = [front[0] + reach * ahead[0], front[1] + reach * ahead[1]];
        let back = |side: f32| {
            [
                tip[0] - 7.0 * ahead[0] - side * 4.0 * ahead[1],
                tip[1] - 7.0 * ahead[1] + side * 4.0 * ahead[0],
            ]
        };
        canvas.line(&[front, tip], 1.8, INK, 1.0);
        canvas.polygon(&[tip, back(1.0), back(-1.0)], INK, 1.0);
        let [x, y] = middle(front, rear);
        let half = 0.5 * length;
        taken.push([
            x - half.min(14.0),
            y - half.min(14.0),
            x + half.min(14.0),
            y + half.min(14.0),
        ]);
        places.push(([x, y], half, ahead));
    }
    let named = preview.vehicles.len() <= NAMES;
    let style = TextStyle::new(14.0, INK).bold().halo();
    for (n, (at, half, ahead)) in places.into_iter().enumerate() {
        let name = &preview.vehicles[n].name;
        let width = if named { canvas.text_width(name, style) + 34.0 } else { 26.0 };
        let aside = [-ahead[1], ahead[0]];
        let mut best = None;
        for ring in 0..7 {
            for (side, along) in [(-1.0, 0.0), (1.0, 0.0), (-1.0, -0.7), (1.0, -0.7), (-1.0, 0.7)] {
                let away = 20.0 + half.min(30.0) + 26.0 * ring as f32;
                let center = [
                    at[0] + away * (side * aside[0] + along * ahead[0]),
                    at[1] + away * (side * aside[1] + along * ahead[1]),
                ];
                // a name extends to the right of its number, or to the left
                let left = if side * aside[0] >= 0.0 {
                    center[0] - 13.0
                } else {
                    center[0] + 13.0 - width
                };
                let own = [left, center[1] - 13.0, left + width, center[1] + 13.0];
                let frame = view.frame;
                let inside = own[0] > frame.x + 4.0
                    && own[2] < frame.right() - 4.0
                    && own[1] > frame.y + 4.0
                    && own[3] < frame.bottom() - 4.0;
                if inside && clear(&own, &taken) && best.is_none() {
                    best = Some(own);
                }
            }
        }
        let own = best.unwrap_or([at[0] + 14.0, at[1] - 13.0, at[0] + 14.0 + width, at[1] + 13.0]);
        taken.push(own);
        let badge = if own[0] + 13.0 >= at[0] || !named { own[0] + 13.0 } else { own[2] - 13.0 };
        let center = [badge, own[1] + 13.0];
        canvas.line(&[at, center], 1.2, INK, 0.7);
        map::badge(canvas, center, n);
        if named {
            let anchor = if badge < own[0] + 14.0 { Anchor::Left } else { Anchor::Right };
            let x = if anchor == Anchor::Left { badge + 17.0 } else { badge - 17.0 };
            canvas.text(name, [x, own[1] + 18.0], style.anchor(anchor));
        }
    }
}

/// Letter of a warning.
fn letter(n: usize) -> String {
    let letter = char::from(b'A' + (n % 26) as u8);
    if n < 26 { letter.into() } else { format!("{letter}{}", n / 26) }
}

fn letters(canvas: &mut Canvas, preview: &Preview<'_>, view: &MapView) {
    let mut taken: Vec<CanvasPoint> = Vec::new();
    for (n, warning) in preview.warnings.iter().enumerate() {
        let Some(position) = warning.position else { continue };
        let [x, y] = view.point(position);
        let place = (0..12)
            .map(|k| [x + 24.0 * (k % 4) as f32, y - 26.0 - 24.0 * (k / 4) as f32])
            .find(|p| taken.iter().all(|t| (p[0] - t[0]).hypot(p[1] - t[1]) > 22.0))
            .unwrap_or([x, y - 26.0]);
        taken.push(place);
        canvas.line(&[[x, y], place], 1.2, ALARM, 0.9);
        canvas.disc([x, y], 3.0, ALARM);
        mark(canvas, place, n);
    }
}

fn mark(canvas: &mut Canvas, at: CanvasPoint, n: usize) {
    let side = |half: f32| Frame {
        x: at[0] - half,
        y: at[1] - half,
        width: 2.0 * half,
        height: 2.0 * half,
    };
    canvas.rectangle(side(11.5), WHITE, 1.0);
    canvas.rectangle(side(10.0), ALARM, 1.0);
    let style = TextStyle::new(12.5, WHITE).bold().anchor(Anchor::Middle);
    canvas.text(&letter(n), [at[0], at[1] + 4.6], style);
}

/// Draws the legend of the map's symbols in a line below it.
fn key(canvas: &mut Canvas, preview: &Preview<'_>, view: &MapView) {
    let style = TextStyle::new(12.5, SECONDARY);
    let baseline = view.frame.bottom() + 38.0;
    let y = baseline - 4.5;
    let mut x = MAP_RIGHT;
    for (name, color) in drawn_ground::prop_key(&preview.land, view).into_iter().rev() {
        x -= canvas.text_width(name, style);
        canvas.text(name, [x, baseline], style);
        canvas.blot([x - 10.0, y], 4.5, color, 0.75);
        x -= 34.0;
    }
    if !preview.ways.is_empty() {
        x -= canvas.text_width("way", style);
        canvas.text("way", [x, baseline], style);
        canvas.dashes(&[[x - 32.0, y], [x - 6.0, y]], 1.6, drawn_ground::PLANNED, [7.0, 5.0]);
        x -= 50.0;
    }
    if preview.land.has_gaps_in(view) {
        let name = drawn_ground::GAPS;
        x -= canvas.text_width(name, style);
        canvas.text(name, [x, baseline], style);
        drawn_ground::gap_patch(
            canvas,
            Frame { x: x - 28.0, y: y - 6.0, width: 22.0, height: 12.0 },
        );
    }
}

fn legend(canvas: &mut Canvas, preview: &Preview<'_>, view: &MapView, bottom: f32) {
    let right = WIDTH - MARGIN;
    let room = right - SIDE;
    let (name, plain) = (TextStyle::new(16.0, INK).bold(), TextStyle::new(13.5, SECONDARY));
    let mut y = TOP + 8.0;
    for (n, vehicle) in preview.vehicles.iter().take(LEGEND_ROWS).enumerate() {
        map::badge(canvas, [SIDE + 12.0, y], n);
        let own = canvas.fitted(&vehicle.name, 0.5 * room, name);
        canvas.text(&own, [SIDE + 34.0, y + 6.0], name);
        let left = room - 34.0 - canvas.text_width(&own, name) - 14.0;
        let detail = canvas.fitted(&vehicle.detail, left, plain);
        canvas.text(&detail, [right, y + 5.0], plain.anchor(Anchor::Right));
        y += 29.0;
    }
    let more = preview.vehicles.len().saturating_sub(LEGEND_ROWS);
    if more > 0 {
        canvas.text(&format!("{more} more"), [SIDE + 34.0, y + 5.0], plain);
        y += 29.0;
    }
    let rule = |canvas: &mut Canvas, y: f32| {
        canvas.line(&[[SIDE, y], [right, y]], 1.0, RULE, 1.0);
    };
    rule(canvas, y - 6.0);
    y += 16.0;
    let soils = preview.land.soils_in(view);
    for &soil in soils.iter().take(LEGEND_ROWS) {
        let label = preview.land.soils.get(soil).map_or("soil", |sign| sign.name.as_str());
        let swatch = Frame { x: SIDE, y: y - 9.0, width: 22.0, height: 16.0 };
        canvas.rectangle(swatch, preview.land.tint(soil), 1.0);
        canvas.outline(swatch, 0.8, SECONDARY);
        let style = TextStyle::new(14.0, INK);
        let own = canvas.fitted(label, 0.5 * room, style);
        canvas.text(&own, [SIDE + 34.0, y + 4.5], style);
        let left = room - 34.0 - canvas.text_width(&own, style) - 14.0;
        let detail = preview.going.get(soil).map_or("", String::as_str);
        canvas.text(
            &canvas.fitted(detail, left, plain),
            [right, y + 4.5],
            plain.anchor(Anchor::Right),
        );
        y += 25.0;
    }
    let more = soils.len().saturating_sub(LEGEND_ROWS);
    if more > 0 {
        canvas.text(&format!("{more} more soils"), [SIDE + 34.0, y + 4.5], plain);
        y += 25.0;
    }
    rule(canvas, y - 2.0);
    y += 22.0;
    if preview.warnings.is_empty() {
        canvas.text("No warnings.", [SIDE, y], TextStyle::new(14.0, SECONDARY));
    }
    let style = TextStyle::new(13.5, ALARM);
    for (n, warning) in preview.warnings.iter().enumerate() {
        let lines = canvas.wrapped(&warning.text, room - 32.0, style);
        let rest = preview.warnings.len() - n;
        let full = y + 18.0 * lines.len() as f32 > bottom - if rest > 1 { 20.0 } else { 0.0 };
        if full {
            canvas.text(
                &format!("{rest} more warnings: see the text output"),
                [SIDE, y],
                style.bold(),
            );
            return;
        }
        mark(canvas, [SIDE + 11.0, y - 4.5], n);
        for line in lines {
            canvas.text(&line, [SIDE + 32.0, y], style);
            y += 18.0;
        }
        y += 8.0;
    }
}
