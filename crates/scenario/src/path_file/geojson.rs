//! GeoJSON (RFC 7946): every LineString and MultiLineString, read as a stream of positions.

use super::{LineEvent, LineVisitor};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use std::fmt;

/// Passes the parts of a GeoJSON file to `visit`.
pub(super) fn parse(bytes: &[u8], visit: &mut LineVisitor<'_>) -> Result<(), String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut from = serde_json::Deserializer::from_slice(bytes);
    let mut walk = GeoJsonWalker { visit, started: 0 };
    Object(&mut walk).deserialize(&mut from).map_err(|error| error.to_string())?;
    from.end().map_err(|error| error.to_string())
}

struct GeoJsonWalker<'v, 'a> {
    visit: &'v mut LineVisitor<'a>,
    /// Number of geometries with coordinates so far.
    started: usize,
}

impl GeoJsonWalker<'_, '_> {
    fn emit<E: Error>(&mut self, part: LineEvent<'_>) -> Result<(), E> {
        (self.visit)(part).map_err(E::custom)
    }
}

/// A key of a GeoJSON object.
enum Key {
    Type,
    Coordinates,
    Geometry,
    Objects,
    Properties,
    Other,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Key, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Key;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Key, E> {
                Ok(match name {
                    "type" => Key::Type,
                    "coordinates" => Key::Coordinates,
                    "geometry" => Key::Geometry,
                    "geometries" | "features" => Key::Objects,
                    "properties" => Key::Properties,
                    _ => Key::Other,
                })
            }
        }
        from.deserialize_str(Name)
    }
}

/// Deserializes a geometry, a feature or a collection; null is skipped.
struct Object<'w, 'v, 'a>(&'w mut GeoJsonWalker<'v, 'a>);

impl<'de> DeserializeSeed<'de> for Object<'_, '_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Object<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a GeoJSON object")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let Object(walk) = self;
        let from = walk.started;
        let (mut kind, mut shape, mut name) = (None, None, None);
        while let Some(key) = entries.next_key()? {
            match key {
                Key::Type => kind = entries.next_value::<Option<GeometryKind>>()?,
                Key::Coordinates if shape.is_some() => {
                    return Err(A::Error::custom("coordinates are given twice"));
                }
                Key::Coordinates => {
                    walk.started += 1;
                    walk.emit(LineEvent::Line { kind: LINE, is_recording: false })?;
                    shape = Some(entries.next_value_seed(CoordinatesSeed(walk))?);
                }
                Key::Geometry => entries.next_value_seed(Object(walk))?,
                Key::Objects => entries.next_value_seed(Objects(walk))?,
                Key::Properties => name = entries.next_value::<Properties>()?.0,
                Key::Other => drop(entries.next_value::<IgnoredAny>()?),
            }
        }
        if let Some(shape) = shape {
            let kind = kind.ok_or_else(|| A::Error::missing_field("type"))?;
            let (kind, fits) = match kind {
                GeometryKind::Line => (
                    Some(LINE),
                    matches!(shape, CoordinateNesting::Empty | CoordinateNesting::List(1)),
                ),
                GeometryKind::LineIndex => (
                    Some(LINES),
                    matches!(shape, CoordinateNesting::Empty | CoordinateNesting::List(1..=2)),
                ),
                GeometryKind::Other => (None, true),
            };
            if let (Some(kind), false) = (kind, fits) {
                return Err(A::Error::custom(format!("coordinates do not fit the type {kind}")));
            }
            walk.emit(LineEvent::Kind(kind))?;
        }
        match name {
            Some(name) if walk.started > from => walk.emit(LineEvent::Name { from, name: &name }),
            _ => Ok(()),
        }
    }
}

const LINE: &str = "LineString";
const LINES: &str = "MultiLineString";

/// Type of a geometry: LineString, MultiLineString or another.
enum GeometryKind {
    Line,
    LineIndex,
    Other,
}

impl<'de> Deserialize<'de> for GeometryKind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<GeometryKind, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = GeometryKind;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a GeoJSON type")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<GeometryKind, E> {
                Ok(match name {
                    LINE => GeometryKind::Line,
                    LINES => GeometryKind::LineIndex,
                    _ => GeometryKind::Other,
                })
            }
        }
        from.deserialize_str(Name)
    }
}

/// Deserializes a list of objects.
struct Objects<'w, 'v, 'a>(&'w mut GeoJsonWalker<'v, 'a>);

impl<'de> DeserializeSeed<'de> for Objects<'_, '_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Objects<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Object(self.0))?.is_some() {}
        Ok(())
    }
}

/// The name in the properties of a feature.
struct Properties(Option<String>);

impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Properties, D::Error> {
        struct MapEntries;
        impl<'de> Visitor<'de> for MapEntries {
            type Value = Properties;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a properties object")
            }
            fn visit_unit<E>(self) -> Result<Properties, E> {
                Ok(Properties(None))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Properties, A::Error> {
                let mut name = None;
                while let Some(is_name) = entries.next_key::<IsName>()? {
                    match is_name.0 {
                        true => name = entries.next_value::<OptionalText>()?.0,
                        false => drop(entries.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(Properties(name))
            }
        }
        from.deserialize_any(MapEntries)
    }
}

/// Whether a key is `name`.
struct IsName(bool);

impl<'de> Deserialize<'de> for IsName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<IsName, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = IsName;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<IsName, E> {
                Ok(IsName(name == "name"))
            }
        }
        from.deserialize_str(Name)
    }
}

/// A string; values of other types become `None`.
#[derive(serde::Deserialize)]
#[serde(from = "AnyText")]
struct OptionalText(Option<String>);

#[derive(serde::Deserialize)]
#[serde(untagged)]
enum AnyText {
    Text(String),
    Other(IgnoredAny),
}

impl From<AnyText> for OptionalText {
    fn from(any: AnyText) -> OptionalText {
        match any {
            AnyText::Text(text) => OptionalText(Some(text)),
            AnyText::Other(_) => OptionalText(None),
        }
    }
}

/// Nesting of a value in `coordinates`.
enum CoordinateNesting {
    Number(f64),
    /// A position: latitude and longitude, degrees.
    Position([f64; 2]),
    /// A list of positions (1), a list of such lists (2), and so on.
    List(u8),
    Empty,
}

/// Deserializes coordinates: a position or nested lists. A list of positions is passed on as a
/// segment.
struct CoordinatesSeed<'w, 'v, 'a>(&'w mut GeoJsonWalker<'v, 'a>);

impl<'de> DeserializeSeed<'de> for CoordinatesSeed<'_, '_, '_> {
    type Value = CoordinateNesting;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<CoordinateNesting, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CoordinatesSeed<'_, '_, '_> {
    type Value = CoordinateNesting;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a position or a list of positions")
    }

    fn visit_f64<E>(self, number: f64) -> Result<CoordinateNesting, E> {
        Ok(CoordinateNesting::Number(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<CoordinateNesting, E> {
        Ok(CoordinateNesting::Number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<CoordinateNesting, E> {
        Ok(CoordinateNesting::Number(number as f64))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<CoordinateNesting, A::Error> {
        let CoordinatesSeed(walk) = self;
        let mixed = || A::Error::custom("coordinates mix numbers, positions and lists");
        let short = |count: usize| {
            A::Error::custom(format!("a position has {count} numbers; must have 2 or more"))
        };
        let (mut numbers, mut count, mut shape) = ([0.0; 2], 0, CoordinateNesting::Empty);
        while let Some(item) = items.next_element_seed(CoordinatesSeed(walk))? {
            shape = match (shape, item) {
                (
                    CoordinateNesting::Empty | CoordinateNesting::Number(_),
                    CoordinateNesting::Number(number),
                ) => {
                    if let Some(own) = numbers.get_mut(count) {
                        *own = number;
                    }
                    CoordinateNesting::Number(number)
                }
                // empty lists before a position are positions without numbers
                (CoordinateNesting::Empty, CoordinateNesting::Position(_)) if count > 0 => {
                    return Err(short(0));
                }
                (CoordinateNesting::List(1), CoordinateNesting::Empty) => return Err(short(0)),
                (
                    before @ (CoordinateNesting::Empty | CoordinateNesting::List(1)),
                    CoordinateNesting::Position([x, y]),
                ) => {
                    if matches!(before, CoordinateNesting::Empty) {
                        walk.emit(LineEvent::Segment)?;
                    }
                    walk.emit(LineEvent::Point([y, x]))?;
                    CoordinateNesting::List(1)
                }
                (CoordinateNesting::Empty, CoordinateNesting::Empty) => CoordinateNesting::Empty,
                (CoordinateNesting::Empty, CoordinateNesting::List(depth)) => {
                    CoordinateNesting::List(depth + 1)
                }
                (CoordinateNesting::List(depth), CoordinateNesting::Empty) => {
                    CoordinateNesting::List(depth)
                }
                (CoordinateNesting::List(depth), CoordinateNesting::List(own))
                    if depth == own + 1 =>
                {
                    CoordinateNesting::List(depth)
                }
                _ => return Err(mixed()),
            };
            count += 1;
        }
        match shape {
            CoordinateNesting::Number(_) if count < 2 => Err(short(count)),
            CoordinateNesting::Number(_) => Ok(CoordinateNesting::Position(numbers)),
            other => Ok(other),
        }
    }
}
