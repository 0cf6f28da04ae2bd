//! GPX 1.0 and 1.1: routes, tracks with their segments, and waypoints.

use super::lines::WAYPOINTS;
use super::{LineEvent, LineVisitor};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;

/// Maximum length of a name, characters.
const MAX_NAME: usize = 1000;
/// Maximum nesting depth of elements.
const DEEPEST: usize = 1000;

/// A type of element that matters for lines.
#[derive(Clone, Copy, Debug, PartialEq)]
enum GpxElement {
    Gpx,
    Line(&'static str),
    Segment,
    Point,
    Name,
    Other,
}

impl GpxElement {
    /// Returns the type of an element from its parent and name.
    fn classify(parent: Option<GpxElement>, name: &str) -> GpxElement {
        match (parent, name) {
            (None, "gpx") => GpxElement::Gpx,
            (Some(GpxElement::Gpx), "rte") => GpxElement::Line("route"),
            (Some(GpxElement::Gpx), "trk") => GpxElement::Line("track"),
            (Some(GpxElement::Line("track")), "trkseg") => GpxElement::Segment,
            (Some(GpxElement::Gpx), "wpt")
            | (Some(GpxElement::Line("route")), "rtept")
            | (Some(GpxElement::Segment), "trkpt") => GpxElement::Point,
            (Some(GpxElement::Line(_)), "name") => GpxElement::Name,
            _ => GpxElement::Other,
        }
    }
}

/// Passes the parts of a GPX file to `visit`.
pub(super) fn parse(bytes: &[u8], visit: &mut LineVisitor<'_>) -> Result<(), String> {
    let text = decode(bytes)?;
    let mut reader = Reader::from_str(&text);
    let (open, name) = (Vec::new(), None);
    let mut walk =
        GpxWalker { visit, open, is_rooted: false, started: 0, in_way_points: false, name };
    loop {
        let event = reader.read_event().map_err(|error| {
            format!("not a GPX file: {error}, at byte {}", reader.error_position())
        })?;
        let at = reader.buffer_position();
        match event {
            Event::Start(element) => walk.start(&element, at)?,
            Event::Empty(element) => {
                walk.start(&element, at)?;
                walk.end()?;
            }
            Event::End(_) => walk.end()?,
            Event::Text(text) => walk.text(&text.xml10_content()),
            Event::CData(text) => walk.text(&text.xml10_content()),
            Event::GeneralRef(entity) => walk.text(&resolve_entity(&entity)),
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    match (walk.open.is_empty(), walk.is_rooted) {
        (true, true) => Ok(()),
        (true, false) => Err("not a GPX file: contains no gpx element".into()),
        (false, _) => Err("not a GPX file: ends inside an element".into()),
    }
}

/// Decodes a file: UTF-8, UTF-16 with a byte order mark, or declared Latin-1.
fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, String> {
    let wide = |bytes: &[u8], of: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| of([pair[0], pair[1]]));
        let text: Result<String, _> = char::decode_utf16(units).collect();
        text.map(Cow::Owned).map_err(|_| "is not text: not valid UTF-16".to_owned())
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => return wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => return wide(rest, u16::from_be_bytes),
        _ => {}
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Ok(Cow::Borrowed(text)),
        Err(error) => error,
    };
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).to_ascii_lowercase();
    let declaration = start.split("?>").next().unwrap_or_default();
    if ["iso-8859-1", "latin1", "windows-1252"].iter().any(|name| declaration.contains(name)) {
        return Ok(Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()));
    }
    Err(format!("is not text: byte {} is not UTF-8", error.valid_up_to()))
}

/// Resolves a reference such as `&amp;`.
fn resolve_entity(entity: &quick_xml::events::BytesRef<'_>) -> String {
    if let Ok(Some(letter)) = entity.resolve_char_ref() {
        return letter.to_string();
    }
    let name = entity.xml10_content();
    quick_xml::escape::resolve_predefined_entity(&name).unwrap_or_default().to_owned()
}

struct GpxWalker<'v, 'a> {
    visit: &'v mut LineVisitor<'a>,
    /// The enclosing elements.
    open: Vec<GpxElement>,
    /// Whether the root element is `gpx`.
    is_rooted: bool,
    /// Number of lines begun so far.
    started: usize,
    /// Whether the last line consists of waypoints.
    in_way_points: bool,
    /// The name being read.
    name: Option<String>,
}

impl GpxWalker<'_, '_> {
    fn start(&mut self, element: &BytesStart<'_>, at: u64) -> Result<(), String> {
        let parent = self.open.last().copied();
        let name = element.local_name();
        let kind = GpxElement::classify(parent, name.as_ref());
        if parent.is_none() && kind != GpxElement::Gpx {
            return Err(format!(
                "not a GPX file: the root element is {:?}; must be gpx",
                excerpt(name.as_ref())
            ));
        }
        match kind {
            GpxElement::Line(kind) => self.line(kind, kind == "track")?,
            GpxElement::Segment => (self.visit)(LineEvent::Segment)?,
            GpxElement::Point => {
                if parent == Some(GpxElement::Gpx) && !self.in_way_points {
                    self.line(WAYPOINTS, true)?;
                    self.in_way_points = true;
                }
                let point = coordinates(element).map_err(|cause| format!("byte {at}: {cause}"))?;
                (self.visit)(LineEvent::Point(point))?;
            }
            GpxElement::Name => self.name = Some(String::new()),
            GpxElement::Gpx => self.is_rooted = true,
            GpxElement::Other => {}
        }
        if self.open.len() == DEEPEST {
            return Err(format!("not a GPX file: elements are nested more than {DEEPEST} deep"));
        }
        self.open.push(kind);
        Ok(())
    }

    fn line(&mut self, kind: &'static str, is_recording: bool) -> Result<(), String> {
        self.in_way_points = false;
        self.started += 1;
        (self.visit)(LineEvent::Line { kind, is_recording })
    }

    fn end(&mut self) -> Result<(), String> {
        if self.open.pop() == Some(GpxElement::Name)
            && let Some(name) = self.name.take()
        {
            let (from, name) = (self.started - 1, name.trim());
            return (self.visit)(LineEvent::Name { from, name });
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if self.open.last() == Some(&GpxElement::Name)
            && let Some(name) = &mut self.name
        {
            name.extend(text.chars().take(MAX_NAME.saturating_sub(name.len())));
        }
    }
}

/// Latitude and longitude of a point element, degrees.
fn coordinates(element: &BytesStart<'_>) -> Result<[f64; 2], String> {
    let mut coordinates = [None; 2];
    for attribute in element.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let (name, value) = (attribute.key.local_name(), attribute.value.trim());
        let Some(which) = ["lat", "lon"].iter().position(|own| *own == name.as_ref()) else {
            continue;
        };
        let number = value
            .parse()
            .map_err(|_| format!("{} is {:?}; allowed: a number", name.as_ref(), excerpt(value)))?;
        coordinates[which] = Some(number);
    }
    match coordinates {
        [Some(latitude), Some(longitude)] => Ok([latitude, longitude]),
        _ => Err("a point lacks lat or lon".into()),
    }
}

/// The first 40 characters of a text, for a message.
fn excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}
