//! A canvas: filled and stroked shapes, pixels and text.
//!
//! Coordinates are design units, x to the right and y down. One unit is `scale` pixels, so that one
//! layout serves any resolution.

use super::ReportError;
use super::color::{Rgb, WHITE};
use std::path::Path;
use tiny_skia::{
    FillRule, LineCap, LineJoin, Mask, Paint, PathBuilder, Pixmap, Rect, Stroke, StrokeDash,
    Transform,
};
use ttf_parser::{Face, OutlineBuilder};

static REGULAR: &[u8] = include_bytes!("../assets/inter/Inter-Regular-subset.otf");
static SEMIBOLD: &[u8] = include_bytes!("../assets/inter/Inter-SemiBold-subset.otf");

/// A point on the canvas, design units.
pub(super) type CanvasPoint = [f32; 2];

/// A rectangle on the canvas, design units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}

impl Frame {
    pub fn right(&self) -> f32 {
        self.x + self.width
    }

    pub fn bottom(&self) -> f32 {
        self.y + self.height
    }
}

/// Horizontal alignment of a text relative to its point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Anchor {
    Left,
    Middle,
    Right,
}

/// Style of a text. Its point is on the baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TextStyle {
    pub size: f32,
    pub bold: bool,
    pub color: Rgb,
    pub anchor: Anchor,
    /// Whether a white outline surrounds the text, for text on a picture.
    pub halo: bool,
    /// Clockwise rotation about the text's point, degrees.
    pub turn: f32,
}

impl TextStyle {
    pub fn new(size: f32, color: Rgb) -> TextStyle {
        TextStyle { size, bold: false, color, anchor: Anchor::Left, halo: false, turn: 0.0 }
    }

    pub fn bold(self) -> TextStyle {
        TextStyle { bold: true, ..self }
    }

    pub fn anchor(self, anchor: Anchor) -> TextStyle {
        TextStyle { anchor, ..self }
    }

    pub fn halo(self) -> TextStyle {
        TextStyle { halo: true, ..self }
    }

    /// Returns the style for text that reads upward.
    pub fn upward(self) -> TextStyle {
        self.turned(-90.0)
    }

    /// Returns the style rotated clockwise by `turn` degrees.
    pub fn turned(self, turn: f32) -> TextStyle {
        TextStyle { turn, ..self }
    }
}

/// A raster canvas with an optional clipping rectangle.
pub(super) struct Canvas {
    pixmap: Pixmap,
    scale: f32,
    clip: Option<Mask>,
    regular: Face<'static>,
    semibold: Face<'static>,
}

/// Largest side of a picture, pixels.
pub(super) const LARGEST_SIDE: u32 = 16_384;

impl Canvas {
    /// Creates a white canvas of `width` by `height` pixels.
    pub fn new(width: u32, height: u32, scale: f32) -> Result<Canvas, ReportError> {
        let size = || ReportError::Size {
            what: "picture",
            width: u64::from(width),
            height: u64::from(height),
            allowed: "200 to 16384 pixels per side",
        };
        if width.min(height) < 200 || width.max(height) > LARGEST_SIDE {
            return Err(size());
        }
        let mut pixmap = Pixmap::new(width, height).ok_or_else(size)?;
        pixmap.fill(tiny_skia::Color::WHITE);
        let face = |bytes| {
            Face::parse(bytes, 0).map_err(ReportError::decode(Path::new("the built-in font")))
        };
        let (regular, semibold) = (face(REGULAR)?, face(SEMIBOLD)?);
        Ok(Canvas { pixmap, scale, clip: None, regular, semibold })
    }

    /// Pixels per design unit.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Encodes the canvas as PNG.
    pub fn encode(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.pixmap.width(), self.pixmap.height());
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::Fast);
        let pixels = self.pixmap.data().chunks_exact(4);
        let mut rgb = Vec::with_capacity(3 * pixels.len());
        for pixel in pixels {
            rgb.extend_from_slice(&pixel[..3]);
        }
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&rgb)?;
        writer.finish()?;
        Ok(bytes)
    }

    /// Restricts drawing to `frame` until [`Canvas::unclip`].
    pub fn clip(&mut self, frame: Frame) {
        let mut mask = Mask::new(self.pixmap.width(), self.pixmap.height());
        if let (Some(mask), Some(rect)) = (mask.as_mut(), rect(frame)) {
            let path = PathBuilder::from_rect(rect);
            mask.fill_path(&path, FillRule::Winding, true, self.transform());
        }
        self.clip = mask;
    }

    /// Ends the restriction of [`Canvas::clip`].
    pub fn unclip(&mut self) {
        self.clip = None;
    }

    /// Fills a rectangle.
    pub fn rectangle(&mut self, frame: Frame, color: Rgb, alpha: f32) {
        if let Some(rect) = rect(frame) {
            let transform = self.transform();
            let path = PathBuilder::from_rect(rect);
            let paint = paint(color, alpha);
            let clip = self.clip.as_ref();
            self.pixmap.fill_path(&path, &paint, FillRule::Winding, transform, clip);
        }
    }

    /// Fills a polygon.
    pub fn polygon(&mut self, points: &[CanvasPoint], color: Rgb, alpha: f32) {
        if let Some(path) = polyline(points, true) {
            let (transform, clip) = (self.transform(), self.clip.as_ref());
            let paint = paint(color, alpha);
            self.pixmap.fill_path(&path, &paint, FillRule::Winding, transform, clip);
        }
    }

    /// Strokes an open line with round ends and corners.
    pub fn line(&mut self, points: &[CanvasPoint], width: f32, color: Rgb, alpha: f32) {
        self.stroke(points, false, width, color, alpha, None);
    }

    /// Strokes a dashed line, by the lengths of drawn parts and of the gaps after them.
    pub fn dashes<const N: usize>(
        &mut self,
        points: &[CanvasPoint],
        width: f32,
        color: Rgb,
        pattern: [f32; N],
    ) {
        self.stroke(points, false, width, color, 1.0, StrokeDash::new(pattern.to_vec(), 0.0));
    }

    /// Strokes the edge of a rectangle.
    pub fn outline(&mut self, frame: Frame, width: f32, color: Rgb) {
        let Frame { x, y, .. } = frame;
        let (right, bottom) = (frame.right(), frame.bottom());
        let corners = [[x, y], [right, y], [right, bottom], [x, bottom]];
        self.stroke(&corners, true, width, color, 1.0, None);
    }

    fn stroke(
        &mut self,
        points: &[CanvasPoint],
        closed: bool,
        width: f32,
        color: Rgb,
        alpha: f32,
        dash: Option<StrokeDash>,
    ) {
        let Some(path) = polyline(points, closed) else { return };
        let round = !closed && dash.is_none();
        let stroke = Stroke {
            width,
            line_cap: if round { LineCap::Round } else { LineCap::Butt },
            line_join: if closed { LineJoin::Miter } else { LineJoin::Round },
            dash,
            ..Stroke::default()
        };
        let (transform, clip) = (self.transform(), self.clip.as_ref());
        self.pixmap.stroke_path(&path, &paint(color, alpha), &stroke, transform, clip);
    }

    /// Fills a disc.
    pub fn disc(&mut self, center: CanvasPoint, radius: f32, color: Rgb) {
        self.blot(center, radius, color, 1.0);
    }

    /// Fills a translucent disc.
    pub fn blot(&mut self, center: CanvasPoint, radius: f32, color: Rgb, alpha: f32) {
        if let Some(path) = PathBuilder::from_circle(center[0], center[1], radius) {
            let (transform, clip) = (self.transform(), self.clip.as_ref());
            let paint = paint(color, alpha);
            self.pixmap.fill_path(&path, &paint, FillRule::Winding, transform, clip);
        }
    }

    /// Columns and rows of pixels that [`Canvas::pixels`] fills.
    pub fn pixels_in(&self, frame: Frame) -> (usize, usize) {
        let size = |length: f32| (length * self.scale).round().max(1.0) as usize;
        (size(frame.width), size(frame.height))
    }

    /// Sets every pixel of `frame`, row by row from the top left.
    pub fn pixels(&mut self, frame: Frame, colors: &[Rgb]) {
        let (columns, _) = self.pixels_in(frame);
        let left = (frame.x * self.scale).round() as usize;
        let top = (frame.y * self.scale).round() as usize;
        let (width, height) = (self.pixmap.width() as usize, self.pixmap.height() as usize);
        if left >= width || top >= height {
            return;
        }
        let rows = self.pixmap.data_mut()[4 * top * width..].chunks_exact_mut(4 * width);
        for (row, colors) in rows.zip(colors.chunks(columns)) {
            for (pixel, color) in row[4 * left..].chunks_exact_mut(4).zip(colors) {
                pixel.copy_from_slice(&[color.0, color.1, color.2, 255]);
            }
        }
    }

    /// Draws a line of text.
    pub fn text(&mut self, text: &str, at: CanvasPoint, style: TextStyle) {
        let width = self.text_width(text, style);
        let shift = match style.anchor {
            Anchor::Left => 0.0,
            Anchor::Middle => -0.5 * width,
            Anchor::Right => -width,
        };
        let face = if style.bold { &self.semibold } else { &self.regular };
        let unit = style.size / f32::from(face.units_per_em());
        let mut outline = GlyphOutline { builder: PathBuilder::new(), unit, pen: shift };
        for character in text.chars() {
            let Some(glyph) = face.glyph_index(character) else { continue };
            face.outline_glyph(glyph, &mut outline);
            outline.pen += unit * f32::from(face.glyph_hor_advance(glyph).unwrap_or(0));
        }
        let Some(path) = outline.builder.finish() else { return };
        let place = Transform::from_translate(at[0], at[1]).pre_rotate(style.turn);
        let transform = self.transform().pre_concat(place);
        let clip = self.clip.as_ref();
        if style.halo {
            let stroke = Stroke {
                width: 0.28 * style.size,
                line_join: LineJoin::Round,
                ..Stroke::default()
            };
            self.pixmap.stroke_path(&path, &paint(WHITE, 0.8), &stroke, transform, clip);
        }
        self.pixmap.fill_path(&path, &paint(style.color, 1.0), FillRule::Winding, transform, clip);
    }

    /// Width of a line of text, design units.
    pub fn text_width(&self, text: &str, style: TextStyle) -> f32 {
        let face = if style.bold { &self.semibold } else { &self.regular };
        let advance = |c| face.glyph_index(c).and_then(|glyph| face.glyph_hor_advance(glyph));
        let units: f32 = text.chars().filter_map(advance).map(f32::from).sum();
        units * style.size / f32::from(face.units_per_em())
    }

    /// Returns the text, cut to `width` with an ellipsis if necessary.
    pub fn fitted(&self, text: &str, width: f32, style: TextStyle) -> String {
        if self.text_width(text, style) <= width {
            return text.to_owned();
        }
        let mut kept: Vec<char> = text.chars().collect();
        while kept.pop().is_some() {
            let cut = format!("{}…", kept.iter().collect::<String>().trim_end());
            if self.text_width(&cut, style) <= width {
                return cut;
            }
        }
        String::new()
    }

    /// Breaks the text between words into lines of at most `width`.
    ///
    /// A longer word has its own line.
    pub fn wrapped(&self, text: &str, width: f32, style: TextStyle) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            let longer = lines.last().map(|line| format!("{line} {word}"));
            match (lines.last_mut(), longer) {
                (Some(line), Some(longer)) if self.text_width(&longer, style) <= width => {
                    *line = longer;
                }
                _ => lines.push(word.to_owned()),
            }
        }
        lines
    }

    fn transform(&self) -> Transform {
        Transform::from_scale(self.scale, self.scale)
    }
}

fn paint(color: Rgb, alpha: f32) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(color.0, color.1, color.2, (alpha.clamp(0.0, 1.0) * 255.0).round() as u8);
    paint
}

fn rect(frame: Frame) -> Option<Rect> {
    Rect::from_xywh(frame.x, frame.y, frame.width, frame.height)
}

fn polyline(points: &[CanvasPoint], closed: bool) -> Option<tiny_skia::Path> {
    let mut builder = PathBuilder::with_capacity(points.len() + 1, points.len());
    let (first, rest) = points.split_first()?;
    builder.move_to(first[0], first[1]);
    for point in rest {
        builder.line_to(point[0], point[1]);
    }
    if closed {
        builder.close();
    }
    builder.finish()
}

/// Converts glyph outlines from font units, y up, to design units, y down.
struct GlyphOutline {
    builder: PathBuilder,
    unit: f32,
    pen: f32,
}

impl GlyphOutline {
    fn to_canvas(&self, x: f32, y: f32) -> (f32, f32) {
        (self.pen + self.unit * x, -self.unit * y)
    }
}

impl OutlineBuilder for GlyphOutline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.to_canvas(x, y);
        self.builder.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.to_canvas(x, y);
        self.builder.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.to_canvas(x1, y1), self.to_canvas(x, y));
        self.builder.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) =
            (self.to_canvas(x1, y1), self.to_canvas(x2, y2), self.to_canvas(x, y));
        self.builder.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.builder.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::INK;

    #[test]
    fn text_is_drawn_at_its_position() {
        let mut canvas = Canvas::new(400, 200, 2.0).unwrap();
        let style = TextStyle::new(20.0, INK);
        canvas.text("Öl 12 µm", [20.0, 50.0], style);
        let width = canvas.text_width("Öl 12 µm", style);
        let inked = |from: f32, to: f32| {
            let dark = |(n, p): (usize, &tiny_skia::PremultipliedColorU8)| {
                let x = (n % 400) as f32 / 2.0;
                p.red() < 200 && from <= x && x < to
            };
            canvas.pixmap.pixels().iter().enumerate().any(dark)
        };
        assert!(inked(20.0, 20.0 + width));
        assert!(!inked(0.0, 19.0) && !inked(21.0 + width, 200.0));
    }

    #[test]
    fn a_long_text_is_cut_to_fit() {
        let canvas = Canvas::new(400, 200, 1.0).unwrap();
        let style = TextStyle::new(16.0, INK);
        assert_eq!(canvas.fitted("leader", 100.0, style), "leader");
        let cut = canvas.fitted("a vehicle with quite a name", 100.0, style);
        assert!(cut.ends_with('…') && canvas.text_width(&cut, style) <= 100.0);
    }

    #[test]
    fn an_impossible_size_is_an_error() {
        let error = Canvas::new(0, 100, 1.0).err().unwrap().to_string();
        assert_eq!(error, "picture is 0 x 100; must be 200 to 16384 pixels per side");
    }
}
