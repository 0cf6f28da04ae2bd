//! Maps side by side over shaded ground.

use super::cog::RasterGrid;
use super::scale::{ColorScale, NO_GO, class};
use crate::canvas::{Anchor, Canvas, CanvasPoint, Frame, TextStyle};
use crate::color::{INK, Oklab, Rgb, SECONDARY, WHITE};
use crate::drawn_ground::scale_bar;
use crate::relief::{self, HeightField, MapView};
use crate::{ReportError, write_file};
use bekker_ground::terrain::Terrain;
use std::path::Path;

const WIDTH: f32 = 1600.0;
/// Pixels per design unit.
const PIXELS: f32 = 1.0;
const MARGIN: f32 = 36.0;
const HEADER: f32 = 128.0;
const FOOTER: f32 = 92.0;
const GAP: f32 = 24.0;
/// Opacity of a map's colors over the ground.
const COVER: f64 = 0.85;

/// Strength of the shading, below 1 so that the colors remain distinguishable.
const LIGHT: f64 = 0.6;

/// Content of a map.
#[derive(Clone, Copy, Debug)]
pub enum MapLayer<'a> {
    /// Numbers; NaN for no data.
    Numbers(&'a [f32], ColorScale),
    /// Codes of classes, and the name of each code that occurs.
    Classes(&'a [u8], &'a [(u8, &'a str)]),
}

/// A route over a map.
#[derive(Clone, Copy, Debug)]
pub struct RouteOverlay<'a> {
    /// Text in the legend.
    pub label: &'a str,
    /// Points of the route, local frame, m.
    pub points: &'a [[f64; 2]],
}

/// Color of ground without data.
const BARE: Rgb = Rgb(205, 205, 200);

/// Colors of routes in their order. All but the first are dashed, so that the first shows below
/// them.
const WAYS: [Rgb; 2] = [INK, Rgb(214, 0, 147)];
/// Length of a dash and of the gap after it.
const DASHES: [f32; 2] = [14.0, 9.0];

/// Maps side by side, with titles, routes and footer.
#[derive(Clone, Copy, Debug)]
pub struct MapSheet<'a> {
    /// Title: subject and location.
    pub title: &'a str,
    /// At most two lines: the result and the settings.
    pub subtitle: &'a [&'a str],
    /// Grid of the cells.
    pub grid: RasterGrid,
    /// Terrain for the shading.
    pub terrain: &'a Terrain,
    /// Each map with its heading.
    pub layers: &'a [(&'a str, MapLayer<'a>)],
    /// Routes drawn on all maps.
    pub ways: &'a [RouteOverlay<'a>],
    /// Text at the bottom.
    pub footer: &'a str,
}

/// Writes the maps as a PNG.
///
/// # Errors
/// [`ReportError`] if it cannot be drawn or written.
pub fn write(path: &Path, maps: &MapSheet<'_>) -> Result<(), ReportError> {
    let bytes = draw(maps)?.encode().map_err(ReportError::encode(path))?;
    write_file(path, &bytes)
}

fn draw(maps: &MapSheet<'_>) -> Result<Canvas, ReportError> {
    let count = maps.layers.len().max(1) as f32;
    let width = (WIDTH - 2.0 * MARGIN - (count - 1.0) * GAP) / count;
    let aspect = maps.grid.rows as f64 / maps.grid.columns as f64;
    let height = (f64::from(width) * aspect).clamp(160.0, 1400.0) as f32;
    // a tall map is narrower than its column
    let shown = width.min((f64::from(height) / aspect) as f32);
    let sheet = HEADER + height + FOOTER;
    let pixels = |length: f32| (length * PIXELS).round() as u32;
    let mut canvas = Canvas::new(pixels(WIDTH), pixels(sheet), PIXELS)?;
    canvas.rectangle(Frame { x: 0.0, y: 0.0, width: WIDTH, height: sheet }, WHITE, 1.0);
    let room = WIDTH - 2.0 * MARGIN;
    let title = TextStyle::new(26.0, INK).bold();
    let subtitle = TextStyle::new(15.0, SECONDARY);
    canvas.text(&canvas.fitted(maps.title, room, title), [MARGIN, 48.0], title);
    for (n, line) in maps.subtitle.iter().take(2).enumerate() {
        canvas.text(
            &canvas.fitted(line, room, subtitle),
            [MARGIN, 72.0 + 20.0 * n as f32],
            subtitle,
        );
    }
    for (n, (heading, layer)) in maps.layers.iter().enumerate() {
        let x = MARGIN + n as f32 * (width + GAP);
        let frame = Frame { x, y: HEADER, width: shown, height };
        let heads = TextStyle::new(16.0, INK).bold();
        canvas.text(&canvas.fitted(heading, width, heads), [frame.x, HEADER - 12.0], heads);
        map(&mut canvas, maps, layer, frame);
        let below = Frame { y: frame.bottom() + 14.0, height: 12.0, ..frame };
        match layer {
            MapLayer::Numbers(values, scale) => {
                let bar = Frame { width: below.width.min(400.0), ..below };
                ramp(&mut canvas, *scale, bar);
                if values.iter().any(|value| !value.is_finite()) {
                    no_data(&mut canvas, [bar.right() + 18.0, below.y]);
                }
            }
            MapLayer::Classes(codes, names) => {
                palette(&mut canvas, names, codes.contains(&u8::MAX), below);
            }
        }
    }
    ways_legend(&mut canvas, maps, HEADER + height + 20.0);
    let small = TextStyle::new(12.0, SECONDARY);
    canvas.text(&canvas.fitted(maps.footer, room, small), [MARGIN, sheet - 16.0], small);
    Ok(canvas)
}

fn map(canvas: &mut Canvas, maps: &MapSheet<'_>, layer: &MapLayer<'_>, frame: Frame) {
    let RasterGrid { columns, rows, side, north_west: [west, north] } = maps.grid;
    let bounds = [west, north - rows as f64 * side, west + columns as f64 * side, north];
    let view = MapView::fitting(frame, bounds);
    let field = HeightField::sample(&view, view.meters, &|x, y| maps.terrain.height(x, y));
    // exaggerates heights such that a typical slope takes a quarter of the light
    let exaggeration = (0.2 / field.roughness().max(1e-6)).clamp(0.4, 8.0);
    let bare = Oklab::from_rgb(BARE);
    canvas.clip(frame);
    relief::paint(canvas, &view, &|point| {
        let column = ((point[0] - west) / side).floor();
        let row = ((north - point[1]) / side).floor();
        let inside = column >= 0.0 && row >= 0.0 && column < columns as f64 && row < rows as f64;
        if !inside {
            return WHITE;
        }
        let cell = row as usize * columns + column as usize;
        let color = match layer {
            MapLayer::Numbers(values, scale) if values[cell].is_finite() => {
                Some(scale.color(f64::from(values[cell])))
            }
            MapLayer::Classes(codes, _) if codes[cell] != u8::MAX => {
                Some(Oklab::from_rgb(class(codes[cell])))
            }
            _ => None,
        };
        let color = color.map_or(bare, |color| bare.mix(color, COVER));
        relief::lit(color, LIGHT * relief::shade(field.surface_at(point).slope, exaggeration)).rgb()
    });
    let lines: Vec<Vec<CanvasPoint>> = maps
        .ways
        .iter()
        .map(|way| way.points.iter().map(|point| view.point(*point)).collect())
        .collect();
    lines.iter().for_each(|points| canvas.line(points, 7.0, WHITE, 0.9));
    for (n, points) in lines.iter().enumerate() {
        stroke(canvas, points, n);
    }
    for end in lines.iter().flat_map(|points| points.first().into_iter().chain(points.last())) {
        canvas.disc(*end, 7.0, WHITE);
        canvas.disc(*end, 5.0, INK);
    }
    scale_bar(canvas, &view);
    canvas.unclip();
    canvas.outline(frame, 1.0, SECONDARY);
}

/// Draws route `n` in its color.
fn stroke(canvas: &mut Canvas, points: &[CanvasPoint], n: usize) {
    let color = WAYS[n.min(WAYS.len() - 1)];
    match n {
        0 => canvas.line(points, 3.5, color, 1.0),
        _ => canvas.dashes(points, 3.5, color, DASHES),
    }
}

/// Draws the legend of the routes, below the right half of the map.
fn ways_legend(canvas: &mut Canvas, maps: &MapSheet<'_>, top: f32) {
    let label = TextStyle::new(14.0, INK);
    let x = 0.42 * WIDTH;
    for (n, way) in maps.ways.iter().enumerate() {
        let y = top + 22.0 * n as f32;
        stroke(canvas, &[[x, y], [x + 46.0, y]], n);
        let text = canvas.fitted(way.label, WIDTH - MARGIN - x - 56.0, label);
        canvas.text(&text, [x + 56.0, y + 5.0], label);
    }
}

fn ramp(canvas: &mut Canvas, scale: ColorScale, frame: Frame) {
    let label = TextStyle::new(13.0, INK);
    let mut bar = frame;
    if let ColorScale::Speed(_) = scale {
        let box_of = Frame { width: 22.0, ..frame };
        canvas.rectangle(box_of, NO_GO, 1.0);
        canvas.text("NO-GO", [box_of.x, frame.bottom() + 16.0], label);
        bar.x += 62.0;
        bar.width -= 62.0;
    }
    let (columns, rows) = canvas.pixels_in(bar);
    let at = |n: usize| {
        let share = ((n % columns) as f64 + 0.5) / columns as f64;
        scale.color((share * scale.most()).max(1e-6)).rgb()
    };
    let colors: Vec<Rgb> = (0..columns * rows).map(at).collect();
    canvas.pixels(bar, &colors);
    for n in 0..=4 {
        let share = n as f32 / 4.0;
        let value = f64::from(share) * scale.most();
        let text = match scale {
            ColorScale::Probability => format!("{:.0} %", 100.0 * value),
            ColorScale::Speed(_) if n == 4 => format!("{value:.1} m/s"),
            ColorScale::Speed(_) => format!("{value:.1}"),
        };
        let x = bar.x + share * bar.width;
        canvas.line(&[[x, bar.bottom()], [x, bar.bottom() + 3.0]], 1.0, INK, 1.0);
        let anchor = match (n, scale) {
            (0, ColorScale::Probability) => Anchor::Left,
            _ => Anchor::Middle,
        };
        canvas.text(&text, [x, bar.bottom() + 16.0], label.anchor(anchor));
    }
}

/// Draws the legend of cells without a value.
fn no_data(canvas: &mut Canvas, [x, y]: CanvasPoint) {
    let patch = Frame { x, y, width: 16.0, height: 12.0 };
    canvas.rectangle(patch, BARE, 1.0);
    canvas.outline(patch, 0.8, SECONDARY);
    canvas.text("no data", [x + 21.0, y + 11.0], TextStyle::new(12.0, INK));
}

/// Draws the legend of classes below a map, in two lines if it is wider than the map.
fn palette(canvas: &mut Canvas, names: &[(u8, &str)], has_bare: bool, frame: Frame) {
    let label = TextStyle::new(13.0, INK);
    let classes = names.iter().map(|(code, name)| (class(*code), *name));
    let [mut x, mut y] = [frame.x, frame.y];
    for (color, name) in classes.chain(has_bare.then_some((BARE, "no data"))) {
        let width = 28.0 + canvas.text_width(name, label);
        if x > frame.x && x + width > frame.right() {
            (x, y) = (frame.x, y + 20.0);
        }
        let patch = Frame { x, y, width: 22.0, height: frame.height };
        canvas.rectangle(patch, color, 1.0);
        canvas.outline(patch, 0.8, SECONDARY);
        canvas.text(name, [x + 28.0, patch.bottom() - 1.0], label);
        x += width + 18.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four classes and no data need two lines below a map of 360 units.
    #[test]
    fn a_wide_legend_stays_below_its_map() {
        let mut canvas = Canvas::new(500, 200, 1.0).unwrap();
        canvas.rectangle(Frame { x: 0.0, y: 0.0, width: 500.0, height: 200.0 }, WHITE, 1.0);
        let names = [(0, "both go"), (1, "neither"), (2, "drive only"), (3, "NRMM only")];
        palette(&mut canvas, &names, true, Frame { x: 20.0, y: 40.0, width: 360.0, height: 12.0 });
        let bytes = canvas.encode().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let channels = info.line_size / 500;
        let is_drawn = |x: usize, y: usize| {
            let at = y * info.line_size + x * channels;
            pixels[at..at + 3] != [255; 3]
        };
        assert!((381..500).all(|x| (0..200).all(|y| !is_drawn(x, y))));
        // the first patch of each line
        assert!(is_drawn(30, 46) && is_drawn(30, 66) && !is_drawn(30, 86));
    }
}
