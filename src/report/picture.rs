//! The run in one picture.
//!
//! A map of the ground driven over, shaded from the north-west and tinted by
//! soil, with contours; the ruts on it as bands that are far wider than the
//! ruts themselves, coloured by their depth; each vehicle's track as a line
//! beside the band, in the vehicle's colour. Beside the map the deepest rut to
//! scale at the soil's own resolution, and a section across it. Below speed,
//! slip and sinkage over time.

use super::canvas::{Anchor, Canvas, Frame, Point, TextStyle};
use super::chart::{Axes, Mark, Scale};
use super::color::{self, ALARM, INK, Oklab, RULE, Rgb, SECONDARY};
use super::land::{self, Land, OfGround};
use super::map;
use super::profile::{self, ProfilePoint};
use super::relief::{self, HeightField, View};
use super::{ReportError, file};
use crate::simulation::{OutcomeCode, OutcomeReport, Sample, VehicleSummary};
use std::path::Path;

/// What the picture shows.
pub struct Scene<'a> {
    /// Heading: the scenario.
    pub title: String,
    /// Soil, duration, vehicles: one line.
    pub subtitle: String,
    /// Figures beside the heading, most telling first; three fit well.
    pub facts: Vec<Fact>,
    /// Small print at the foot: version, state hash.
    pub footer: String,
    /// The undisturbed ground.
    pub land: Land<'a>,
    /// Depth of the nearest soil node below the undisturbed ground, m: 0 where
    /// nothing happened, negative where soil is heaped.
    pub rut: OfGround<'a, f64>,
    /// Distance of soil nodes, m; they stand at its whole multiples.
    pub spacing: f64,
    /// Ways that were planned, m.
    pub ways: Vec<Vec<[f64; 2]>>,
    /// Elevation and grade along the way of a vehicle, by its index.
    pub profile: Option<(usize, Vec<ProfilePoint>)>,
    /// The vehicles.
    pub tracks: Vec<Track>,
}

/// A figure worth setting large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// With its unit: `23 cm`.
    pub value: String,
    /// What it is: `deepest rut`.
    pub label: String,
}

/// A vehicle's way through the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Name in the legend.
    pub name: String,
    /// How it ended.
    pub outcome: OutcomeReport,
    /// Distance driven, m.
    pub distance: f64,
    /// Its history.
    pub points: Vec<TrackPoint>,
}

/// A vehicle at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackPoint {
    /// Simulated time, s.
    pub time: f64,
    /// Where, m.
    pub position: [f64; 2],
    /// Forward speed, m/s.
    pub speed: f64,
    /// Mean slip of the wheels.
    pub slip: f64,
    /// Mean sinkage of the wheels, m.
    pub sinkage: f64,
}

impl Track {
    /// The track of vehicle `index` from the samples of a run.
    pub fn of(samples: &[Sample], index: usize, summary: &VehicleSummary) -> Track {
        let point = |sample: &Sample| {
            let wheels = sample.wheels.len().max(1) as f64;
            let mean = |of: fn(&crate::simulation::WheelSample) -> f64| {
                sample.wheels.iter().map(of).sum::<f64>() / wheels
            };
            TrackPoint {
                time: sample.time,
                position: [sample.pose.position.x, sample.pose.position.y],
                speed: sample.speed,
                slip: mean(|wheel| wheel.slip),
                sinkage: mean(|wheel| wheel.sinkage),
            }
        };
        Track {
            name: summary.name.clone(),
            outcome: summary.outcome.clone(),
            distance: summary.distance,
            points: samples.iter().filter(|sample| sample.vehicle == index).map(point).collect(),
        }
    }
}

/// Size of a picture, pixels. The layout is made for 1920 x 1200 and scales
/// with the width; the map takes what the height gives or takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Default for Size {
    fn default() -> Size {
        Size { width: 1920, height: 1200 }
    }
}

pub(super) const WIDTH: f32 = 1920.0;
pub(super) const MARGIN: f32 = 48.0;
pub(super) const TOP: f32 = 128.0;
/// Left side of the map; its coordinates stand before it.
pub(super) const MAP_LEFT: f32 = 92.0;
pub(super) const MAP_RIGHT: f32 = 1352.0;
pub(super) const SIDE: f32 = 1400.0;
/// Height of what stands below the map.
const FOOT: f32 = 372.0;
/// Least height of the map, to which sentences on endings may shrink it.
const LEAST_MAP: f32 = 380.0;
/// Size of the letters in which endings are told, and distance of their lines.
const ENDING: f32 = 13.5;
const ENDING_LINE: f32 = 19.0;
/// Rows of ground beyond which a track in the legend is only counted.
const LEGEND_ROWS: usize = 6;

/// Draws the scene as a PNG.
pub fn write(path: &Path, scene: &Scene<'_>, size: Size) -> Result<(), ReportError> {
    let bytes = draw(scene, size)?.encode().map_err(ReportError::encode(path))?;
    file::write(path, &bytes)
}

fn draw(scene: &Scene<'_>, size: Size) -> Result<Canvas, ReportError> {
    let scale = size.width as f32 / WIDTH;
    let height = size.height as f32 / scale;
    if height < 900.0 {
        return Err(ReportError::Size {
            what: "picture of a run",
            width: u64::from(size.width),
            height: u64::from(size.height),
            allowed: "at most twice as wide as high",
        });
    }
    let driven =
        map::driven(&scene.tracks).ok_or(ReportError::Nothing("no vehicle has a track"))?;
    let mut canvas = Canvas::new(size.width, size.height, scale)?;
    heading(&mut canvas, &scene.title, &scene.subtitle, &scene.facts);

    let endings = endings(&canvas, scene, height - FOOT - TOP - LEAST_MAP);
    let floor = height - endings.len() as f32 * ENDING_LINE;
    let bottom = floor - FOOT;
    let frame = Frame { x: MAP_LEFT, y: TOP, width: MAP_RIGHT - MAP_LEFT, height: bottom - TOP };
    let view = scene.land.view(frame, driven);
    let sections = map::sections(scene, &view);
    let deepest = map::deepest(&sections);
    let colors = DepthScale::reaching(deepest.map_or(0.0, |section| section.depth));
    map::draw(&mut canvas, scene, &view, &sections, &colors);

    let side = Frame { x: SIDE, y: TOP, width: WIDTH - MARGIN - SIDE, height: bottom - TOP };
    if let Some(section) = deepest {
        let close = close_up(&mut canvas, scene, section, &colors, side);
        map::mark_window(&mut canvas, &view, &close);
        colour_bar(&mut canvas, &colors, side);
    } else {
        let style = TextStyle::new(16.0, SECONDARY);
        canvas.text("The ground was not deformed.", [side.x, side.y + 16.0], style);
    }
    map::marks(&mut canvas, scene, &view, &sections);
    histories(&mut canvas, scene, bottom + 76.0, floor - 92.0);
    legend(&mut canvas, scene, &view, bottom + 58.0);
    for (n, (line, color)) in endings.iter().enumerate() {
        let y = floor - 26.0 + n as f32 * ENDING_LINE;
        canvas.text(line, [MARGIN, y], TextStyle::new(ENDING, *color));
    }

    let small = TextStyle::new(12.5, SECONDARY);
    let room = WIDTH - 2.0 * MARGIN;
    canvas.text(&canvas.fitted(&scene.footer, room, small), [MARGIN, height - 22.0], small);
    Ok(canvas)
}

pub(super) fn heading(canvas: &mut Canvas, name: &str, about: &str, facts: &[Fact]) {
    let (value, label) = (TextStyle::new(28.0, INK).bold(), TextStyle::new(14.0, SECONDARY));
    let mut right = WIDTH - MARGIN;
    for fact in facts.iter().rev() {
        let width =
            canvas.text_width(&fact.value, value).max(canvas.text_width(&fact.label, label));
        canvas.text(&fact.value, [right - width, 70.0], value);
        canvas.text(&fact.label, [right - width, 95.0], label);
        right -= width + 44.0;
    }
    let title = TextStyle::new(36.0, INK).bold();
    let subtitle = TextStyle::new(17.0, SECONDARY);
    let room = right - MARGIN;
    canvas.text(&canvas.fitted(name, room, title), [MARGIN, 70.0], title);
    canvas.text(&canvas.fitted(about, room, subtitle), [MARGIN, 98.0], subtitle);
}

/// Depths and their colours.
pub(super) struct DepthScale {
    scale: Scale,
}

/// Shallower than this a rut is not shown, m.
pub(super) const VISIBLE: f64 = 0.002;

impl DepthScale {
    /// A scale to so many metres.
    pub fn reaching(depth: f64) -> DepthScale {
        let centimetres = [0.0, (100.0 * depth).max(1.0)];
        DepthScale { scale: Scale::covering(centimetres.into_iter(), true, 5) }
    }

    /// Colour of a depth in m.
    pub fn color(&self, depth: f64) -> Oklab {
        color::depth(100.0 * depth / self.scale.high)
    }
}

pub(super) fn colour_bar(canvas: &mut Canvas, colors: &DepthScale, side: Frame) {
    let bar = Frame { x: side.x, y: side.bottom() - 40.0, width: side.width, height: 14.0 };
    let (columns, rows) = canvas.pixels_in(bar);
    let share = |n: usize| ((n % columns) as f64 + 0.5) / columns as f64;
    let pixels: Vec<Rgb> = (0..columns * rows).map(|n| color::depth(share(n)).rgb()).collect();
    canvas.pixels(bar, &pixels);
    canvas.text("rut depth, cm", [bar.x, bar.y - 10.0], TextStyle::new(14.0, INK).bold());
    let style = TextStyle::new(14.0, SECONDARY);
    let ticks = colors.scale.ticks();
    for (n, (value, label)) in ticks.iter().enumerate() {
        let x = bar.x + bar.width * colors.scale.place(*value);
        let anchor = match n {
            0 => Anchor::Left,
            n if n + 1 == ticks.len() => Anchor::Right,
            _ => Anchor::Middle,
        };
        canvas.line(&[[x, bar.bottom()], [x, bar.bottom() + 4.0]], 1.0, SECONDARY, 1.0);
        canvas.text(label, [x, bar.bottom() + 22.0], style.anchor(anchor));
    }
    // The key to heaped soil, at the right above the bar.
    let key = TextStyle::new(14.0, SECONDARY).anchor(Anchor::Right);
    let text = "heaped soil";
    let left = bar.right() - canvas.text_width(text, key);
    canvas.text(text, [bar.right(), bar.y - 10.0], key);
    let swatch = Frame { x: left - 22.0, y: bar.y - 21.0, width: 14.0, height: 12.0 };
    canvas.rectangle(swatch, color::BERM, 1.0);
}

/// The deepest rut to scale, with a section across it; returns its window.
fn close_up(
    canvas: &mut Canvas,
    scene: &Scene<'_>,
    section: &map::Section,
    colors: &DepthScale,
    side: Frame,
) -> View {
    let title = TextStyle::new(16.0, INK).bold();
    canvas.text("Deepest rut, to scale", [side.x, side.y + 14.0], title);
    let top = side.y + 28.0;
    // What remains below: section with its axis, and the colour bar.
    let height = side.height - 28.0 - 250.0;
    let frame = Frame { x: side.x, y: top, width: side.width, height };
    const METRES_ACROSS: f64 = 8.0;
    let view =
        View { frame, centre: section.centre, metres: METRES_ACROSS / f64::from(frame.width) };
    let (height_of, rut_of) = (scene.land.height, scene.rut);
    let ruts = HeightField::sample(&view, scene.spacing, &|x, y| rut_of(x, y));
    let surface = HeightField::sample(&view, scene.spacing, &|x, y| height_of(x, y) - rut_of(x, y));
    let deepest = section.depth.max(VISIBLE);
    relief::paint(canvas, &view, &|point| {
        let depth = ruts.at(point).height;
        let ground = Oklab::of(scene.land.tint_at(point));
        let tinted = if depth >= 0.0 {
            // Fades in over the first twentieth of the scale.
            ground.mix(colors.color(depth), (20.0 * depth / deepest).min(1.0))
        } else {
            ground.mix(Oklab::of(color::BERM), (-4.0 * depth / deepest).min(0.85))
        };
        relief::lit(tinted, 0.8 * relief::shade(surface.at(point).slope, 0.7)).rgb()
    });
    canvas.clip(frame);
    let [ax, ay] = section.across(-map::REACH);
    let [bx, by] = section.across(map::REACH);
    let (a, b) = (view.point([ax, ay]), view.point([bx, by]));
    canvas.dashes(&[a, b], 1.6, INK, [6.0, 4.0]);
    let letter = TextStyle::new(16.0, INK).bold().anchor(Anchor::Middle).halo();
    for (name, at, from) in [("A", a, b), ("B", b, a)] {
        let length = (at[0] - from[0]).hypot(at[1] - from[1]).max(1.0);
        let out = [(at[0] - from[0]) / length * 14.0, (at[1] - from[1]) / length * 14.0];
        canvas.text(name, [at[0] + out[0], at[1] + out[1] + 6.0], letter);
    }
    canvas.unclip();
    land::scale_bar(canvas, &view);
    canvas.outline(frame, 1.2, SECONDARY);

    let axes_frame = Frame {
        x: side.x + 44.0,
        y: frame.bottom() + 36.0,
        width: side.width - 44.0,
        height: 96.0,
    };
    cross_section(canvas, scene, section, axes_frame);
    view
}

fn cross_section(canvas: &mut Canvas, scene: &Scene<'_>, section: &map::Section, frame: Frame) {
    let steps = 400;
    let lateral = |n: i32| map::REACH * (2.0 * f64::from(n) / f64::from(steps) - 1.0);
    let profile: Vec<[f64; 2]> = (0..=steps)
        .map(|n| {
            let [x, y] = section.across(lateral(n));
            [lateral(n), -100.0 * map::interpolated(scene, [x, y])]
        })
        .collect();
    let y = Scale::covering(profile.iter().map(|point| point[1]), true, 3);
    let axes = Axes {
        frame,
        x: Scale::spanning([-map::REACH, map::REACH].into_iter(), false, 6),
        y,
        size: 13.0,
    };
    axes.draw(canvas, true);
    let mut soil: Vec<Point> = profile.iter().map(|point| axes.point(*point)).collect();
    soil.push([frame.right(), frame.bottom()]);
    soil.push([frame.x, frame.bottom()]);
    canvas.polygon(&soil, scene.land.tint_at(section.centre), 0.75);
    let level = [axes.point([-map::REACH, 0.0]), axes.point([map::REACH, 0.0])];
    canvas.dashes(&level, 1.2, SECONDARY, [5.0, 4.0]);
    axes.series(canvas, &profile, INK, 2.0, Mark::Line);
    let style = TextStyle::new(13.0, SECONDARY);
    canvas.text("A", [frame.x, frame.y - 10.0], style.bold());
    canvas.text("B", [frame.right(), frame.y - 10.0], style.bold().anchor(Anchor::Right));
    let middle = [frame.x + 0.5 * frame.width, frame.y - 10.0];
    canvas.text("section, cm over m", middle, style.anchor(Anchor::Middle));
}

/// Speed, slip and sinkage over time, side by side.
fn histories(canvas: &mut Canvas, scene: &Scene<'_>, top: f32, bottom: f32) {
    type Quantity = (&'static str, fn(&TrackPoint) -> f64);
    let quantities: [Quantity; 3] = [
        ("speed, m/s", |point| point.speed),
        ("mean slip, %", |point| 100.0 * point.slip),
        ("mean sinkage, cm", |point| 100.0 * point.sinkage),
    ];
    let (gap, label) = (30.0, 40.0);
    let panels = if scene.profile.is_some() { 4.0 } else { 3.0 };
    let width = (MAP_RIGHT - MARGIN - (panels - 1.0) * gap) / panels - label;
    if let Some((vehicle, points)) = &scene.profile {
        let x = MARGIN + label + 3.0 * (width + label + gap);
        let frame = Frame { x, y: top, width, height: bottom - top };
        profile::draw(canvas, frame, points, color::line(*vehicle));
        let name = scene.tracks.get(*vehicle).map_or("", |track| track.name.as_str());
        let style = TextStyle::new(13.0, SECONDARY).anchor(Anchor::Right);
        let text = canvas.fitted(&format!("way of {name}"), width - 110.0, style);
        canvas.text(&text, [frame.right(), top - 10.0], style);
    }
    let all = || scene.tracks.iter().flat_map(|track| &track.points);
    for (n, (title, quantity)) in quantities.into_iter().enumerate() {
        let x = MARGIN + label + n as f32 * (width + label + gap);
        let axes = Axes {
            frame: Frame { x, y: top, width, height: bottom - top },
            x: Scale::spanning(all().map(|point| point.time), false, 5),
            y: Scale::covering(all().map(quantity), true, 5),
            size: 14.0,
        };
        axes.draw(canvas, true);
        axes.title(canvas, title);
        let centre = x + 0.5 * width;
        let style = TextStyle::new(14.0, SECONDARY).anchor(Anchor::Middle);
        canvas.text("time, s", [centre, bottom + 42.0], style);
        // The leader lies on top.
        for (track, history) in scene.tracks.iter().enumerate().rev() {
            let points: Vec<[f64; 2]> =
                history.points.iter().map(|point| [point.time, quantity(point)]).collect();
            axes.series(canvas, &points, color::line(track), 1.8, Mark::Line);
        }
    }
}

fn legend(canvas: &mut Canvas, scene: &Scene<'_>, view: &View, top: f32) {
    let right = WIDTH - MARGIN;
    let (name, plain) = (TextStyle::new(16.0, INK).bold(), TextStyle::new(14.0, SECONDARY));
    let mut y = top;
    for (n, track) in scene.tracks.iter().take(LEGEND_ROWS).enumerate() {
        canvas.line(&[[SIDE, y], [SIDE + 22.0, y]], 4.0, color::line(n), 1.0);
        map::badge(canvas, [SIDE + 44.0, y], n);
        let (text, alarm) = ending(track);
        let style = TextStyle { color: if alarm { ALARM } else { SECONDARY }, ..plain };
        let style = style.anchor(Anchor::Right);
        let room = right - SIDE - 84.0 - canvas.text_width(&text, style);
        canvas.text(&canvas.fitted(&track.name, room, name), [SIDE + 66.0, y + 6.0], name);
        canvas.text(&text, [right, y + 5.0], style);
        y += 31.0;
    }
    let more = scene.tracks.len().saturating_sub(LEGEND_ROWS);
    if more > 0 {
        canvas.text(&format!("and {more} more"), [SIDE + 66.0, y + 5.0], plain);
        y += 31.0;
    }
    y += 4.0;
    canvas.line(&[[SIDE, y - 12.0], [right, y - 12.0]], 1.0, RULE, 1.0);
    y += 12.0;
    let mut x = SIDE;
    for soil in scene.land.soils_in(view) {
        let label = scene.land.soils.get(soil).map_or("soil", |sign| sign.name.as_str());
        let label = canvas.fitted(label, right - SIDE - 30.0, plain);
        let width = 26.0 + canvas.text_width(&label, plain) + 26.0;
        if x > SIDE && x + width - 26.0 > right {
            x = SIDE;
            y += 25.0;
        }
        let swatch = Frame { x, y: y - 8.0, width: 18.0, height: 14.0 };
        canvas.rectangle(swatch, scene.land.tint(soil), 1.0);
        canvas.outline(swatch, 0.8, SECONDARY);
        canvas.text(&label, [x + 26.0, y + 4.5], plain);
        x += width;
    }
}

/// What ended early or waits, each in its whole sentence, as lines across the page, as many
/// as `room` holds; what does not fit is counted.
fn endings(canvas: &Canvas, scene: &Scene<'_>, room: f32) -> Vec<(String, Rgb)> {
    let style = TextStyle::new(ENDING, INK);
    let most = (room / ENDING_LINE).max(1.0) as usize;
    let told: Vec<&Track> = scene.tracks.iter().filter(|track| tells(track)).collect();
    let mut lines: Vec<(String, Rgb)> = Vec::new();
    for (n, track) in told.iter().enumerate() {
        let sentence = format!("{}: {}", track.name, track.outcome);
        let color = if track.outcome.code.is_loss() { ALARM } else { SECONDARY };
        let own = canvas.wrapped(&sentence, WIDTH - 2.0 * MARGIN, style);
        let last = n + 1 == told.len();
        if lines.len() + own.len() + usize::from(!last) > most {
            let left = told.len() - n;
            lines.push((format!("{left} more have ended: see summary.json"), SECONDARY));
            break;
        }
        lines.extend(own.into_iter().map(|line| (line, color)));
    }
    lines
}

/// Whether a track's end has more to tell than its code.
fn tells(track: &Track) -> bool {
    let code = track.outcome.code;
    code.is_loss() || code == OutcomeCode::Waiting
}

/// How a track ended, and whether that is bad news.
fn ending(track: &Track) -> (String, bool) {
    let OutcomeReport { code, time, .. } = track.outcome;
    let mut text = format!("{:.0} m, {}", track.distance, code.words());
    if let Some(time) = time {
        text.push_str(&format!(" {time:.0} s"));
    }
    (text, code.is_loss())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::land::SoilSign;
    use crate::simulation::Outcome;
    use crate::soil::SoilId;
    use crate::spatial::Vec3;

    const SPACING: f64 = 0.02;

    fn way(x: f64) -> f64 {
        22.0 * (x / 55.0).sin() + 6.0 * (x / 21.0).cos()
    }

    fn hill(x: f64, y: f64) -> f64 {
        8.0 * (x / 70.0 + 0.4).sin() * (y / 50.0).cos()
            + 2.5 * ((x + 1.7 * y) / 23.0).sin()
            + 0.35 * (x / 6.0).sin() * (y / 7.0).sin()
    }

    /// Two ruts with berms that deepen towards the east, up to x = 205 m.
    fn rut(x: f64, y: f64) -> f64 {
        let (i, j) = ((x / SPACING).round() * SPACING, (y / SPACING).round() * SPACING);
        if !(60.0..205.0).contains(&i) {
            return 0.0;
        }
        let slope = 0.4 * (i / 55.0).cos() - 6.0 / 21.0 * (i / 21.0).sin();
        let off = (j - way(i)) / slope.hypot(1.0);
        let depth = 0.02 + 0.2 * ((i - 60.0) / 145.0).powi(2);
        [-0.92, 0.92].iter().fold(0.0, |sum, side| {
            let from = (off - side).abs();
            if from < 0.15 {
                sum + depth * (1.0 + 0.08 * (i * 20.0).sin())
            } else if from < 0.30 {
                sum - 0.25 * depth * (1.0 - ((from - 0.225) / 0.075).powi(2))
            } else {
                sum
            }
        })
    }

    fn track(n: usize, end: f64, outcome: Outcome) -> Track {
        let points = (0..=1200).map(|k| {
            let time = 0.05 * f64::from(k);
            let start = -18.0 * n as f64;
            let x = (start + 4.6 * time).min(end);
            let stuck = x >= end;
            let soft = ((x - 60.0) / 145.0).clamp(0.0, 1.0);
            TrackPoint {
                time,
                position: [x, way(x)],
                speed: if stuck { 0.0 } else { 5.0 - 2.2 * soft + 0.1 * (time * 3.0).sin() },
                slip: if stuck {
                    0.95
                } else {
                    0.02 + 0.4 * soft * soft + 0.01 * (time * 9.0).sin()
                },
                sinkage: 0.01 + 0.16 * soft * soft + 0.004 * (time * 7.0).sin(),
            }
        });
        Track {
            name: ["leader", "second", "third", "rear guard"][n].into(),
            outcome: outcome.report(|_| "mud", |_| "leader"),
            distance: end + 18.0 * n as f64,
            points: points.collect(),
        }
    }

    fn profile_point(n: i32) -> ProfilePoint {
        let x = f64::from(n);
        ProfilePoint {
            distance: x,
            height: hill(x, way(x)),
            grade: hill(x + 1.0, way(x + 1.0)) - hill(x, way(x)),
            limit: Some(0.2),
            tint: color::soil(usize::from(x > 60.0)),
        }
    }

    fn scene() -> Scene<'static> {
        let sunk = Outcome::Sunk {
            time: 44.6,
            position: Vec3::new(205.0, 0.0, 0.0),
            soil: SoilId(0),
            depth: 1.02,
            height: 0.94,
        };
        let fact = |value: &str, label: &str| Fact { value: value.into(), label: label.into() };
        Scene {
            title: "Convoy into mud".into(),
            subtitle:
                "four HMMWVs, 60 s, gap 18 m; firm loam turning into lean clay at 32 % moisture"
                    .into(),
            facts: vec![
                fact("22 cm", "deepest rut"),
                fact("812 k", "nodes deformed"),
                fact("2.5 ×", "real time on 2 cores"),
            ],
            footer: "bekker 0.1.0, state 9f86d081884c7d65".into(),
            land: Land {
                height: &hill,
                soil: &|x, y| usize::from(x + 12.0 * (y / 30.0).sin() > 60.0),
                soils: vec![
                    SoilSign { name: "firm loam".into(), tint: color::soil(0) },
                    SoilSign { name: "lean clay, 32 % moisture".into(), tint: color::soil(1) },
                ],
                bounds: [-100.0, -70.0, 400.0, 300.0],
                props: &[],
                placement: None,
            },
            rut: &rut,
            spacing: SPACING,
            ways: vec![(0..260).map(|x| [f64::from(x), way(f64::from(x))]).collect()],
            profile: Some((0, (0..260).map(profile_point).collect())),
            tracks: vec![
                track(0, 204.0, sunk),
                track(1, 186.0, Outcome::UnderWay),
                track(2, 168.0, Outcome::UnderWay),
                track(3, 150.0, Outcome::Arrived { time: 55.0 }),
            ],
        }
    }

    /// Pictures are judged by eye: `BEKKER_KEEP_PICTURES` names a folder for them.
    fn keep(path: &Path, name: &str) {
        if let Some(folder) = std::env::var_os("BEKKER_KEEP_PICTURES") {
            std::fs::copy(path, Path::new(&folder).join(name)).unwrap();
        }
    }

    fn decoded(path: &Path) -> (u32, u32, Vec<u8>) {
        let file = std::fs::File::open(path).unwrap();
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        (reader.info().width, reader.info().height, pixels)
    }

    #[test]
    fn shows_ruts_tracks_and_trouble() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.png");
        write(&path, &scene(), Size::default()).unwrap();
        keep(&path, "run.png");
        let (width, height, pixels) = decoded(&path);
        assert_eq!((width, height), (1920, 1200));
        let count = |c: Rgb| pixels.chunks(3).filter(|p| **p == [c.0, c.1, c.2]).count();
        for n in 0..4 {
            assert!(count(color::line(n)) > 500, "track {n} is not to be seen");
        }
        assert!(count(ALARM) > 50, "the stuck vehicle is not marked");
    }

    #[test]
    fn level_firm_ground_a_standing_vehicle_and_a_gap_are_drawn_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.png");
        let infinite = f64::INFINITY;
        let mut still = track(0, 0.0, Outcome::UnderWay);
        still.points.truncate(2);
        let mut driving = track(1, 186.0, Outcome::UnderWay);
        driving.points[600].position = [f64::NAN; 2];
        let scene = Scene {
            land: Land {
                height: &|_, _| 1.0,
                soil: &|_, _| 0,
                bounds: [-infinite, -infinite, infinite, infinite],
                ..scene().land
            },
            rut: &|_, _| 0.0,
            ways: Vec::new(),
            profile: None,
            tracks: vec![still, driving],
            ..scene()
        };
        write(&path, &scene, Size { width: 960, height: 600 }).unwrap();
        keep(&path, "firm.png");
        assert_eq!(decoded(&path).0, 960);
    }

    #[test]
    fn an_ending_is_told_in_its_whole_sentence() {
        let canvas = Canvas::new(1920, 1200, 1.0).unwrap();
        let sentence = format!("leader: {}", scene().tracks[0].outcome);
        let told = endings(&canvas, &scene(), 300.0);
        let words: Vec<&str> = told.iter().map(|(line, _)| line.as_str()).collect();
        assert_eq!(words.join(" "), sentence);
        // of many, those that do not fit are counted
        let tracks = vec![scene().tracks[0].clone(); 9];
        let many = Scene { tracks, ..scene() };
        let told = endings(&canvas, &many, 3.0 * ENDING_LINE);
        assert_eq!((told.len(), told[2].0.as_str()), (3, "7 more have ended: see summary.json"));
        // and in a narrow column it goes on in the next line
        let style = TextStyle::new(ENDING, INK);
        let lines = canvas.wrapped(&sentence, 200.0, style);
        assert!(lines.len() > 2 && lines.join(" ") == sentence, "{lines:?}");
        assert!(lines.iter().all(|line| canvas.text_width(line, style) <= 200.0), "{lines:?}");
    }

    #[test]
    fn a_track_holds_its_own_vehicle_and_means_of_wheels() {
        use crate::simulation::WheelSample;
        let wheel = |slip: f64| WheelSample { slip, sinkage: 0.1 * slip, ..WheelSample::default() };
        let sample = |vehicle: usize, time: f64| Sample {
            time,
            vehicle,
            pose: Default::default(),
            velocity: Vec3::zeros(),
            angular_velocity: Vec3::zeros(),
            speed: 3.0,
            controls: Default::default(),
            engine_speed: 0.0,
            gear: 1,
            wheels: vec![wheel(0.25), wheel(0.75)],
        };
        let summary = VehicleSummary {
            name: "leader".into(),
            model: "hmmwv".into(),
            outcome: Outcome::UnderWay.report(|_| "", |_| ""),
            driving_time: 4.0,
            distance: 12.0,
            mean_speed: 3.0,
            speed_made_good: 3.0,
            final_speed: 3.0,
            mean_slip: 0.5,
            peak_slip: 0.5,
            mean_sinkage: 0.05,
            max_sinkage: 0.075,
            motion_resistance: None,
            drive_energy: 0.0,
            braking_energy: 0.0,
            soil_energy: 0.0,
            fuel: None,
        };
        let samples = [sample(0, 0.0), sample(1, 0.0), sample(0, 1.0), sample(1, 1.0)];
        let track = Track::of(&samples, 1, &summary);
        assert_eq!((track.name.as_str(), track.points.len()), ("leader", 2));
        // The mean of 0.25 and 0.75 is exact; a tenth of it is exact to rounding.
        assert_eq!(track.points[1].slip, 0.5);
        assert!((track.points[1].sinkage - 0.05).abs() < 1e-15);
    }

    #[test]
    fn nothing_to_draw_and_odd_sizes_are_errors() {
        let path = Path::new("/nowhere/run.png");
        let empty = Scene { tracks: vec![], ..scene() };
        let error = write(path, &empty, Size::default()).unwrap_err().to_string();
        assert_eq!(error, "nothing to draw: no vehicle has a track");
        let flat = Size { width: 1920, height: 400 };
        let error = write(path, &scene(), flat).unwrap_err().to_string();
        assert!(error.contains("1920 x 400; allowed is at most twice as wide as high"), "{error}");
    }
}
