//! Color scale of rut depth, and its legend.

use super::canvas::{Anchor, Canvas, Frame, TextStyle};
use super::chart::AxisScale;
use super::color::{self, INK, Oklab, Rgb, SECONDARY};

/// A color scale of depths.
pub(super) struct DepthScale {
    scale: AxisScale,
}

/// Depth below which a rut is not drawn, m.
pub(super) const VISIBLE: f64 = 0.002;

impl DepthScale {
    /// Creates a scale from 0 to `depth`, m.
    pub fn reaching(depth: f64) -> DepthScale {
        let centimeters = [0.0, (100.0 * depth).max(1.0)];
        DepthScale { scale: AxisScale::covering(centimeters.into_iter(), true, 5) }
    }

    /// Color of a depth, m.
    pub fn color(&self, depth: f64) -> Oklab {
        color::depth(100.0 * depth / self.scale.high)
    }
}

pub(super) fn color_bar(canvas: &mut Canvas, colors: &DepthScale, side: Frame) {
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
    // Legend of heaped soil, right-aligned above the bar.
    let key = TextStyle::new(14.0, SECONDARY).anchor(Anchor::Right);
    let text = "heaped soil";
    let left = bar.right() - canvas.text_width(text, key);
    canvas.text(text, [bar.right(), bar.y - 10.0], key);
    let swatch = Frame { x: left - 22.0, y: bar.y - 21.0, width: 14.0, height: 12.0 };
    canvas.rectangle(swatch, color::BERM, 1.0);
}
