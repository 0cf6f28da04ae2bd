//! The page layout shared by runs, previews and comparisons: margins, heading and footer.

use super::canvas::{Canvas, TextStyle};
use super::color::{INK, SECONDARY};
use super::scene::Caption;

pub(super) const WIDTH: f32 = 1920.0;
pub(super) const MARGIN: f32 = 48.0;
pub(super) const TOP: f32 = 128.0;
/// Left edge of the map; the labels of its coordinates are to the left.
pub(super) const MAP_LEFT: f32 = 92.0;
pub(super) const MAP_RIGHT: f32 = 1352.0;
pub(super) const SIDE: f32 = 1400.0;

/// Draws title and subtitle on the left, and key numbers on the right.
pub(super) fn heading(canvas: &mut Canvas, caption: &Caption) {
    let (value, label) = (TextStyle::new(28.0, INK).bold(), TextStyle::new(14.0, SECONDARY));
    let mut right = WIDTH - MARGIN;
    for fact in caption.facts.iter().rev() {
        let width =
            canvas.text_width(&fact.value, value).max(canvas.text_width(&fact.label, label));
        canvas.text(&fact.value, [right - width, 70.0], value);
        canvas.text(&fact.label, [right - width, 95.0], label);
        right -= width + 44.0;
    }
    let title = TextStyle::new(36.0, INK).bold();
    let subtitle = TextStyle::new(17.0, SECONDARY);
    let room = right - MARGIN;
    canvas.text(&canvas.fitted(&caption.title, room, title), [MARGIN, 70.0], title);
    canvas.text(&canvas.fitted(&caption.subtitle, room, subtitle), [MARGIN, 98.0], subtitle);
}

/// Draws the footer of a page with this height.
pub(super) fn footer(canvas: &mut Canvas, caption: &Caption, height: f32) {
    let small = TextStyle::new(12.5, SECONDARY);
    let text = canvas.fitted(&caption.footer, WIDTH - 2.0 * MARGIN, small);
    canvas.text(&text, [MARGIN, height - 20.0], small);
}
