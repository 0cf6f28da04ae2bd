//! Legend of the picture of a run: vehicles, soils, and the outcome of each drive.

use super::canvas::{Anchor, Canvas, Frame, TextStyle};
use super::color::{self, ALARM, INK, RULE, Rgb, SECONDARY};
use super::drawn_ground;
use super::map;
use super::page::{MARGIN, WIDTH};
use super::relief::MapView;
use super::scene::{RunScene, SceneTrack};
use bekker_agent::{OutcomeCode, OutcomeReport};

/// Font size and line spacing of the outcomes.
pub(super) const ENDING: f32 = 13.5;
pub(super) const ENDING_LINE: f32 = 19.0;
/// Maximum number of vehicles listed; the others are only counted.
const LEGEND_ROWS: usize = 6;

/// Draws the legend of vehicles and soils from the top of a column downward, and returns where it ends.
pub(super) fn legend(
    canvas: &mut Canvas,
    scene: &RunScene<'_>,
    view: &MapView,
    column: Frame,
) -> f32 {
    let (left, right) = (column.x, column.right());
    let (name, plain) = (TextStyle::new(16.0, INK).bold(), TextStyle::new(14.0, SECONDARY));
    let mut y = column.y;
    for (n, track) in scene.tracks.iter().take(LEGEND_ROWS).enumerate() {
        canvas.line(&[[left, y], [left + 22.0, y]], 4.0, color::line(n), 1.0);
        map::badge(canvas, [left + 44.0, y], n);
        let (text, alarm) = ending(track);
        let style = TextStyle { color: if alarm { ALARM } else { SECONDARY }, ..plain };
        let style = style.anchor(Anchor::Right);
        let room = right - left - 84.0 - canvas.text_width(&text, style);
        canvas.text(&canvas.fitted(&track.name, room, name), [left + 66.0, y + 6.0], name);
        canvas.text(&text, [right, y + 5.0], style);
        y += 31.0;
    }
    let more = scene.tracks.len().saturating_sub(LEGEND_ROWS);
    if more > 0 {
        canvas.text(&format!("{more} more"), [left + 66.0, y + 5.0], plain);
        y += 31.0;
    }
    y += 4.0;
    canvas.line(&[[left, y - 12.0], [right, y - 12.0]], 1.0, RULE, 1.0);
    y += 12.0;
    let mut x = left;
    let soils = scene.land.soils_in(view).into_iter().map(|soil| {
        let name = scene.land.soils.get(soil).map_or("soil", |sign| sign.name.as_str());
        (name, Some(scene.land.tint(soil)))
    });
    let gaps = scene.land.has_gaps_in(view).then_some((drawn_ground::GAPS, None));
    for (label, tint) in soils.chain(gaps) {
        let label = canvas.fitted(label, right - left - 30.0, plain);
        let width = 26.0 + canvas.text_width(&label, plain) + 26.0;
        if x > left && x + width - 26.0 > right {
            x = left;
            y += 25.0;
        }
        let swatch = Frame { x, y: y - 8.0, width: 18.0, height: 14.0 };
        match tint {
            Some(tint) => {
                canvas.rectangle(swatch, tint, 1.0);
                canvas.outline(swatch, 0.8, SECONDARY);
            }
            None => drawn_ground::gap_patch(canvas, swatch),
        }
        canvas.text(&label, [x + 26.0, y + 4.5], plain);
        x += width;
    }
    y
}

/// Returns the full outcome sentences of vehicles that ended early or wait, as lines of the page.
///
/// There are as many lines as fit into the height `room`; the other vehicles are counted.
pub(super) fn endings(canvas: &Canvas, scene: &RunScene<'_>, room: f32) -> Vec<(String, Rgb)> {
    let style = TextStyle::new(ENDING, INK);
    let most = (room / ENDING_LINE).max(1.0) as usize;
    let told: Vec<&SceneTrack> = scene.tracks.iter().filter(|track| is_listed(track)).collect();
    let mut lines: Vec<(String, Rgb)> = Vec::new();
    for (n, track) in told.iter().enumerate() {
        let sentence = format!("{}: {}", track.name, track.outcome);
        let color = if track.outcome.code.is_loss() { ALARM } else { SECONDARY };
        let own = canvas.wrapped(&sentence, WIDTH - 2.0 * MARGIN, style);
        let last = n + 1 == told.len();
        if lines.len() + own.len() + usize::from(!last) > most {
            let left = told.len() - n;
            lines.push((format!("{left} more ended drives: see summary.json"), SECONDARY));
            break;
        }
        lines.extend(own.into_iter().map(|line| (line, color)));
    }
    lines
}

/// Returns whether a track's outcome has details beyond its code.
fn is_listed(track: &SceneTrack) -> bool {
    let code = track.outcome.code;
    code.is_loss() || code == OutcomeCode::Waiting
}

/// Returns the outcome of a track in a few words, and whether it is a loss.
fn ending(track: &SceneTrack) -> (String, bool) {
    let OutcomeReport { code, time, .. } = track.outcome;
    let mut text = format!("{:.0} m, {}", track.distance, code.words());
    if let Some(time) = time {
        text.push_str(&format!(" {time:.0} s"));
    }
    (text, code.is_loss())
}
