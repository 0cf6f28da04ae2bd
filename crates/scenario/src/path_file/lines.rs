//! The lines of a file, and which of them is driven.

use super::LineEvent;
use crate::config::LineChoice;
use bekker_math::numeric::{cos, hypot};
use std::ops::Range;

/// Maximum number of lines of a file.
const MAX_LINES: usize = 100_000;
/// Maximum length of a name that is kept, characters.
const MAX_NAME: usize = 200;
/// Maximum number of lines that a message lists.
const MAX_LISTED: usize = 10;
/// Maximum gap between segments that count as one line, m.
const GAP: f64 = 100.0;

/// A line of a file: consecutive segments.
#[derive(Clone, Debug)]
pub(super) struct Line {
    kind: &'static str,
    name: Option<String>,
    /// Index of the line in the file; `segments` are its segments there.
    line: usize,
    segments: Range<usize>,
    points: u64,
    last: [f64; 2],
    is_recording: bool,
    /// The segment that follows the widest gap, and the width of that gap, m.
    widest: Option<(usize, f64)>,
}

impl Line {
    fn label(&self) -> String {
        let name = self.name.as_ref().map(|name| format!(" {name:?}")).unwrap_or_default();
        format!("{}{name} ({} points)", self.kind, self.points)
    }

    /// Returns the assumptions under which it is driven.
    fn assumed(&self) -> Vec<String> {
        let gap = self.widest.filter(|(_, gap)| *gap > GAP);
        let sentence = |(segment, gap): (usize, f64)| {
            format!(
                "{}: segment {} begins {gap:.0} m from the end of the previous one; the gap is \
                 driven in a straight line",
                self.label(),
                segment + 1,
            )
        };
        gap.map(sentence).into_iter().collect()
    }
}

/// All lines of a file that have at least one point.
#[derive(Default)]
pub(super) struct LineIndex {
    lines: Vec<Line>,
    /// Number of lines begun so far; `segments` is the number of segments of the last one.
    started: usize,
    segments: usize,
    /// Index in `lines` of the first entry of the last line; `open` is its type and whether it is a
    /// recording.
    from: usize,
    open: Option<(&'static str, bool)>,
    name: Option<String>,
}

impl LineIndex {
    /// Records a part of the file.
    pub fn add(&mut self, part: LineEvent<'_>) -> Result<(), String> {
        match part {
            LineEvent::Line { kind, is_recording } => {
                (self.open, self.name) = (Some((kind, is_recording)), None);
                (self.started, self.segments, self.from) = (self.started + 1, 0, self.lines.len());
            }
            LineEvent::Kind(None) => self.lines.truncate(self.from),
            LineEvent::Kind(Some(kind)) => {
                self.lines[self.from..].iter_mut().for_each(|line| line.kind = kind);
            }
            LineEvent::Name { from, name } => {
                let name: String = name.chars().take(MAX_NAME).collect();
                let named = self.lines.iter_mut().rev().take_while(|line| line.line >= from);
                named.for_each(|line| line.name = Some(name.clone()));
                // the name precedes the points of its line
                self.name = Some(name);
            }
            LineEvent::Segment => self.segments += 1,
            LineEvent::Point(point) => return self.point(point),
        }
        Ok(())
    }

    fn point(&mut self, point: [f64; 2]) -> Result<(), String> {
        let Some((kind, is_recording)) = self.open else { return Ok(()) };
        let (line, segment) = (self.started - 1, self.segments.saturating_sub(1));
        if let Some(own) = self.lines[self.from..].last_mut() {
            let begins = own.segments.end == segment;
            let gap = if begins { distance(own.last, point) } else { 0.0 };
            if !begins || own.is_recording || gap <= GAP {
                if begins && own.widest.is_none_or(|(_, widest)| gap > widest) {
                    own.widest = Some((segment, gap));
                }
                own.segments.end = segment + 1;
                (own.points, own.last) = (own.points + 1, point);
                return Ok(());
            }
        }
        if self.lines.len() == MAX_LINES {
            return Err(format!(
                "contains more than {MAX_LINES} lines; delete those that are not needed"
            ));
        }
        self.lines.push(Line {
            kind,
            name: self.name.clone(),
            line,
            segments: segment..segment + 1,
            points: 1,
            last: point,
            is_recording,
            widest: None,
        });
        Ok(())
    }

    /// Returns the only line or the chosen one, with the assumptions made about it.
    pub fn select(mut self, choice: Option<&LineChoice>) -> Result<(Line, Vec<String>), String> {
        // waypoints form a path only if there is no other line
        if self.lines.iter().any(|line| line.kind != WAYPOINTS) {
            self.lines.retain(|line| line.kind != WAYPOINTS);
        }
        let given = match choice {
            None => String::new(),
            Some(LineChoice::Number(number)) => format!(", track = {number}"),
            Some(LineChoice::Name(name)) => format!(", track = {name:?}"),
        };
        let is_chosen = |(index, line): &(usize, &Line)| match choice {
            // a single point is not a line
            None => line.points > 1,
            Some(LineChoice::Number(number)) => index + 1 == *number as usize,
            Some(LineChoice::Name(name)) => {
                line.name.as_ref().is_some_and(|own| own.chars().eq(name.chars().take(MAX_NAME)))
            }
        };
        let mut chosen = self.lines.iter().enumerate().filter(is_chosen);
        match (chosen.next(), chosen.next()) {
            (Some((_, line)), None) => Ok((line.clone(), line.assumed())),
            _ if self.lines.is_empty() => {
                Err("contains no route, track or LineString with points".into())
            }
            (None, _) if choice.is_none() => {
                let label = self.lines[0].label();
                Err(format!("{label} is not a line; must have at least 2 points"))
            }
            (Some(_), _) if choice.is_some() => Err(format!(
                "contains several lines{given}; choose one by its number: {}",
                self.list()
            )),
            (None, _) => Err(format!("contains no line{given}; must be one of {}", self.list())),
            (Some(_), Some(_)) => {
                let count = self.lines.len();
                let list = self.list();
                Err(format!(
                    "contains {count} lines; choose one by track = NUMBER or \"NAME\": {list}"
                ))
            }
        }
    }

    fn list(&self) -> String {
        let label = |(index, line): (usize, &Line)| format!("{}: {}", index + 1, line.label());
        let listed: Vec<_> = self.lines.iter().enumerate().take(MAX_LISTED).map(label).collect();
        let more = match self.lines.len().saturating_sub(MAX_LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        listed.join(", ") + &more
    }
}

/// Type name of a line of GPX waypoints.
pub(super) const WAYPOINTS: &str = "waypoints";

/// Approximate distance between two nearby points given as latitude and longitude in degrees, m.
fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    const METERS_PER_DEGREE: f64 = 111_320.0;
    let [north, east] = [b[0] - a[0], b[1] - a[1]];
    let east = east - 360.0 * (east / 360.0).round();
    METERS_PER_DEGREE * hypot(north, east * cos(a[0].to_radians()))
}

/// Selects the points of a line during the second parsing.
pub(super) struct SelectedLine {
    line: usize,
    segments: Range<usize>,
    started: usize,
    segment: usize,
}

impl SelectedLine {
    /// Creates a selector for the points of `line`.
    pub fn new(line: &Line) -> SelectedLine {
        SelectedLine { line: line.line, segments: line.segments.clone(), started: 0, segment: 0 }
    }

    /// Returns the point of a part if it belongs to the line.
    pub fn point(&mut self, part: &LineEvent<'_>) -> Option<[f64; 2]> {
        match part {
            LineEvent::Line { .. } => (self.started, self.segment) = (self.started + 1, 0),
            LineEvent::Segment => self.segment += 1,
            LineEvent::Point(point) => {
                let segment = self.segment.saturating_sub(1);
                let own = self.started == self.line + 1 && self.segments.contains(&segment);
                return own.then_some(*point);
            }
            LineEvent::Kind(_) | LineEvent::Name { .. } => {}
        }
        None
    }
}
