//! An elevation model as a shaded picture with contours, and as characters for a terminal.

use super::canvas::{Anchor, Canvas, Frame, TextStyle};
use super::chart::round_step;
use super::color::{INK, Oklab, Rgb, SECONDARY, WHITE};
use super::relief::{self, HeightField, MapView};
use super::{ReportError, file};
use bekker_ground::terrain::{Raster, Terrain};
use std::path::Path;

/// Width of the canvas, design units.
const WIDTH: f32 = 900.0;
/// Pixels per design unit.
const SCALE: f32 = 1.5;
const MARGIN: f32 = 24.0;
const HEADER: f32 = 44.0;

/// Writes a PNG of the terrain made from `raster`, which is in local meters.
///
/// It is shaded from the north-west, with a contour at every round height. Gaps in the data are
/// white.
///
/// # Errors
/// [`ReportError`] if the picture cannot be drawn, encoded or written.
pub fn elevation_picture(
    raster: &Raster,
    terrain: &Terrain,
    title: &str,
    path: &Path,
) -> Result<(), ReportError> {
    let bounds = raster.bounds();
    let aspect = (bounds[3] - bounds[1]) / (bounds[2] - bounds[0]);
    let width = WIDTH - 2.0 * MARGIN;
    let height = (f64::from(width) * aspect).clamp(120.0, 1600.0) as f32;
    let frame = Frame { x: MARGIN, y: HEADER, width, height };
    let sheet = (HEADER + height + 2.0 * MARGIN).ceil();
    let pixels = |length: f32| (length * SCALE) as u32;
    let mut canvas = Canvas::new(pixels(WIDTH), pixels(sheet), SCALE)?;
    canvas.rectangle(Frame { x: 0.0, y: 0.0, width: WIDTH, height: sheet }, WHITE, 1.0);
    let view = MapView::fitting(frame, bounds);
    let field = HeightField::sample(&view, view.meters, &|x, y| terrain.height(x, y));
    let (low, high) = field.range();
    let interval = round_step((high - low) / 12.0);
    // exaggerates heights such that a typical slope halves the light
    let exaggeration = (0.35 / field.roughness().max(1e-6)).clamp(1.0, 20.0);
    let (valley, ridge) =
        (Oklab::from_rgb(Rgb(157, 179, 140)), Oklab::from_rgb(Rgb(230, 220, 200)));
    let ink = Oklab::from_rgb(INK);
    relief::paint(&mut canvas, &view, &|point| {
        if !holds_data(raster, point) {
            return WHITE;
        }
        let ground = field.surface_at(point);
        let share = (ground.height - low) / (high - low).max(1e-9);
        let base = valley.mix(ridge, share);
        let steepness = ground.slope[0].hypot(ground.slope[1]);
        let beyond = (ground.height / interval).rem_euclid(1.0);
        let near = beyond.min(1.0 - beyond) * interval;
        let line = near < 0.6 * view.meters * steepness;
        let lit = relief::lit(base, relief::shade(ground.slope, exaggeration));
        if line { lit.mix(ink, 0.35).rgb() } else { lit.rgb() }
    });
    canvas.outline(frame, 1.0, SECONDARY);
    canvas.text(title, [MARGIN, 28.0], TextStyle::new(15.0, INK).bold());
    let scale = format!(
        "{:.0} m by {:.0} m, {low:.1} to {high:.1} m, contours every {interval} m",
        bounds[2] - bounds[0],
        bounds[3] - bounds[1],
    );
    let style = TextStyle::new(12.0, SECONDARY);
    canvas.text(&scale, [WIDTH - MARGIN, sheet - 16.0], style.anchor(Anchor::Right));
    canvas.text("north is up", [MARGIN, sheet - 16.0], style);
    let bytes = canvas.encode().map_err(ReportError::encode(path))?;
    file::write(path, &bytes)
}

/// Returns whether the raster has data in the cell around a point.
fn holds_data(raster: &Raster, [x, y]: [f64; 2]) -> bool {
    let index = |k: usize, value: f64, count: usize| {
        let place = ((value - raster.south_west[k]) / raster.cell[k]).round();
        (place >= 0.0 && place < count as f64).then_some(place as usize)
    };
    match (index(0, x, raster.columns), index(1, y, raster.rows)) {
        (Some(column), Some(row)) => raster.value_at(column, row).is_finite(),
        _ => false,
    }
}

/// Returns heights as lines of characters, from dark at the lowest to bright at the highest.
///
/// A line has up to `columns` characters; north is up. Rows are two character widths apart. Gaps
/// are blank.
pub fn elevation_letters(raster: &Raster, columns: usize) -> String {
    const LETTERS: [char; 5] = ['·', '░', '▒', '▓', '█'];
    let Some([low, high]) = raster.range() else { return String::new() };
    let [west, south, east, north] = raster.bounds();
    let columns = columns.min(raster.columns).max(2);
    let aspect = (north - south) / (east - west);
    let rows = ((columns as f64 * aspect * 0.5).round() as usize).clamp(2, 40).min(raster.rows);
    let pick = |n: usize, of: usize, count: usize| {
        (((n as f64 + 0.5) / of as f64) * count as f64) as usize
    };
    let line = |row: usize| -> String {
        let from_north = pick(row, rows, raster.rows);
        (0..columns)
            .map(|column| {
                let value = raster.values
                    [from_north * raster.columns + pick(column, columns, raster.columns)];
                let share = (value - low) / (high - low).max(1e-9);
                let level = (share * LETTERS.len() as f64) as usize;
                if value.is_finite() { LETTERS[level.min(LETTERS.len() - 1)] } else { ' ' }
            })
            .collect()
    };
    (0..rows).map(line).collect::<Vec<_>>().join("\n")
}
