//! Faults of an input: what is wrong, and where.

use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// Source location of a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceLocation {
    /// A line of a file, counted from 1.
    Line(Arc<str>, usize),
    /// A file as a whole.
    File(Arc<str>),
    /// A `--set` argument of the command line.
    Set(Arc<str>),
}

impl SourceLocation {
    /// The file name, unless the value comes from the command line.
    pub(super) fn file(&self) -> Option<&str> {
        match self {
            SourceLocation::Line(file, _) | SourceLocation::File(file) => Some(file),
            SourceLocation::Set(_) => None,
        }
    }
}

/// Maximum number of characters of an argument or value that a message repeats.
pub(super) const MAX_SHOWN: usize = 200;

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceLocation::Line(file, line) => write!(f, "{file}:{line}"),
            SourceLocation::File(file) => write!(f, "{file}"),
            // the length of an argument is limited only by the system
            SourceLocation::Set(argument) if argument.chars().count() > MAX_SHOWN => {
                let start: String = argument.chars().take(MAX_SHOWN).collect();
                write!(f, "--set {start}...")
            }
            SourceLocation::Set(argument) => write!(f, "--set {argument}"),
        }
    }
}

/// Kinds of problems with a value.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum DiagnosticKind {
    /// The file could not be read.
    #[error("cannot be read: {cause}")]
    Unreadable {
        /// Error of the file system.
        cause: String,
    },
    /// The text is not TOML.
    #[error("not valid TOML: {message}")]
    Syntax {
        /// Message of the parser.
        message: String,
    },
    /// The argument of `--set` is not of the form `key=value`.
    #[error("must be of the form key=value, such as seed=7")]
    NotAnAssignment,
    /// A key with too many segments, or lists nested too deeply.
    #[error("is nested more than {most} levels deep; keys of the format have at most 8 levels")]
    TooDeep {
        /// Maximum depth.
        most: usize,
    },
    /// A text with more values than allowed.
    #[error("contains more than {most} values; must be fewer: shorten lists of points")]
    TooMany {
        /// Maximum number.
        most: usize,
    },
    /// A `--set` path leads into a value that has no keys.
    #[error("is {found} and has no keys")]
    HoldsNoKeys {
        /// Type of the value.
        found: &'static str,
    },
    /// A `--set` index is beyond the end of a list.
    #[error("element {index} does not exist: the list has {length} elements, counted from 0")]
    NoSuchElement {
        /// The requested index.
        index: usize,
        /// The length of the list.
        length: usize,
    },
    /// A `--set` path selects a list's element by a word.
    #[error("is a list: select its elements by number, as in {key}[0], not by `{word}`")]
    NotAnIndex {
        /// The list.
        key: String,
        /// The word found instead of an index.
        word: String,
    },
    /// A key that is not part of the format.
    #[error("unknown key{}; allowed: {}", did_you_mean(.suggestion), .allowed.join(", "))]
    UnknownKey {
        /// The most similar known key, if one is similar.
        suggestion: Option<String>,
        /// The known keys.
        allowed: Vec<String>,
    },
    /// A key that contains dots, as in `{"time.duration": 5}`.
    #[error("unknown key: dots in a quoted key do not lead into tables; write {nested}")]
    DottedKey {
        /// The nested tables to write instead.
        nested: String,
    },
    /// A required key is absent.
    #[error("missing: {expected} is required")]
    Missing {
        /// Description of the missing value.
        expected: String,
    },
    /// A value of the wrong type.
    #[error("must be {expected}, not {found}")]
    WrongType {
        /// The expected type.
        expected: String,
        /// The type found.
        found: &'static str,
    },
    /// An infinite value or NaN.
    #[error("must be finite")]
    NotFinite,
    /// A number out of its range.
    #[error("must be {bounds}")]
    OutOfRange {
        /// The range, with its unit.
        bounds: String,
    },
    /// A word that is not one of the allowed ones.
    #[error("must be {}{}", one_of(.allowed), did_you_mean(.suggestion))]
    NotOneOf {
        /// The most similar allowed word, if one is similar.
        suggestion: Option<String>,
        /// The allowed words.
        allowed: Vec<String>,
    },
    /// A list or text of the wrong length.
    #[error("must have {expected}, has {found}")]
    WrongLength {
        /// The expected length.
        expected: String,
        /// The length found.
        found: usize,
    },
    /// One duration must be a whole multiple of another.
    #[error("must be a whole multiple of {of} = {unit} s; nearest: {}", .nearest.join(" or "))]
    NotAMultiple {
        /// The key of the unit.
        of: &'static str,
        /// The unit, s.
        unit: f64,
        /// The nearest multiples, s.
        nearest: Vec<String>,
    },
    /// A step that does not divide the heartbeat.
    #[error("must divide time.heartbeat = {heartbeat} s into a whole number of steps; nearest: {}",
        .nearest.join(" or "))]
    NotADivisor {
        /// The heartbeat, s.
        heartbeat: f64,
        /// The nearest steps that divide it, s.
        nearest: Vec<String>,
    },
    /// A list of numbers that must increase.
    #[error("must be greater than the previous one, {before}")]
    NotIncreasing {
        /// The preceding number.
        before: f64,
    },
    /// A name that is not unique.
    #[error("is already the name of {first}")]
    DuplicateName {
        /// The key of the first object with this name.
        first: String,
    },
    /// Followers that follow each other in a ring.
    #[error("the vehicles follow each other in a ring: {}", .ring.join(" -> "))]
    FollowRing {
        /// Names around the ring.
        ring: Vec<String>,
    },
    /// Exactly one of these keys must be given.
    #[error("give exactly one of {}; given: {}", .of.join(", "),
        if .given.is_empty() { "none".to_string() } else { .given.join(", ") })]
    NotExactlyOne {
        /// The keys to choose from.
        of: Vec<String>,
        /// The keys that are given.
        given: Vec<String>,
    },
    /// Keys that exclude each other.
    #[error("cannot be given together with {other}")]
    Excludes {
        /// The other key.
        other: &'static str,
    },
    /// A soil that is neither in the catalog nor in the scenario.
    #[error("no soil has this name{}; `bekker soils` lists all names", did_you_mean(.suggestion))]
    UnknownSoil {
        /// The most similar name, if one is similar.
        suggestion: Option<String>,
    },
    /// A vehicle that is not in the catalog.
    #[error("no vehicle has this name{}; known: {}; the name of a vehicle file ends in .toml",
        did_you_mean(.suggestion), .known.join(", "))]
    UnknownVehicle {
        /// The most similar name, if one is similar.
        suggestion: Option<String>,
        /// The names in the catalog.
        known: Vec<String>,
    },
    /// Two vehicles overlap at the start.
    #[error("{name} ({:.2} m long, {:.2} m wide) overlaps {other} ({:.2} m, {:.2} m) at the start; \
        move one of them, or change its heading_deg",
        .size[0], .size[1], .other_size[0], .other_size[1])]
    Overlap {
        /// Name of the vehicle.
        name: String,
        /// Length and width of the vehicle, m.
        size: [f64; 2],
        /// Name of the other vehicle.
        other: String,
        /// Length and width of the other vehicle, m.
        other_size: [f64; 2],
    },
    /// A vehicle overlaps an obstacle at the start.
    #[error("{name} overlaps an obstacle ({noun}, at {:.2}, {:.2} m) at the start; move one of \
        them, or set solid = false to disable contact with the obstacle", .position[0], .position[1])]
    InObstacle {
        /// Name of the vehicle.
        name: String,
        /// A noun for the obstacle.
        noun: &'static str,
        /// Position of the obstacle, m.
        position: [f64; 2],
    },
    /// A point beyond the edge of the terrain.
    #[error("is outside the terrain, x {} to {}, y {} to {} m", .bounds[0], .bounds[2], .bounds[1], .bounds[3])]
    OutsideTerrain {
        /// The terrain: x_min, y_min, x_max, y_max, m.
        bounds: [f64; 4],
    },
    /// A point on ground without elevation data.
    #[error(
        "is on ground without elevation data, which is off limits (terrain.surface.no_data = \"keep\")"
    )]
    NoElevation,
    /// The upper corner of a box is not north-east of the lower one.
    #[error("must be north-east of {lower:?}")]
    NotABox {
        /// The south-west corner, m.
        lower: [f64; 2],
    },
    /// A range whose end is not greater than its start.
    #[error("must increase: the lower value comes first")]
    EmptyRange,
    /// An error of a lower layer or of a check, as text.
    #[error("{cause}")]
    Refused {
        /// The message.
        cause: String,
    },
}

/// Maximum number of allowed words that a message lists; a scenario may have thousands of names.
const LISTED: usize = 40;

/// Maximum number of characters of a message, and the number of those reserved for its end.
const LONGEST_MESSAGE: [usize; 2] = [4000, 1000];

/// Shortens a long message by leaving out its middle.
pub fn shortened(message: &str) -> String {
    let [most, end] = LONGEST_MESSAGE;
    let count = message.chars().count();
    if count <= most {
        return message.to_owned();
    }
    let first: String = message.chars().take(most - end).collect();
    let last: String = message.chars().skip(count - end).collect();
    format!("{first} ... {last}")
}

/// Formats the allowed words as `one of ...`; the list may be empty.
fn one_of(words: &[String]) -> String {
    match words {
        [] => "an existing name, but there is none".into(),
        _ => format!("one of {}", listed(words)),
    }
}

fn listed(words: &[String]) -> String {
    let listed_words = words.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match words.len().saturating_sub(LISTED) {
        0 => listed_words,
        more => format!("{listed_words} and {more} more"),
    }
}

/// Formats ` (did you mean x?)`, or an empty string.
fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map(|s| format!(" (did you mean `{s}`?)")).unwrap_or_default()
}

/// The vehicle of a row or column to which a fault refers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VehicleRef {
    /// Name of the vehicle.
    pub name: String,
    /// Value of the vehicle, if it differs from that of the entry.
    pub value: Option<String>,
}

impl fmt::Display for VehicleRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            None => write!(f, " (of {})", self.name),
            Some(value) => write!(f, " (of {}: {value})", self.name),
        }
    }
}

/// A problem with its location, key and value.
///
/// Displayed as `examples/x.toml:14: vehicle[1].driver.gap = -3: must be > 0 m`.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{}", shortened(&format!("{location}: {}{kind}", subject(.key, .value, .vehicle_ref))))]
pub struct Diagnostic {
    /// Source location.
    pub location: SourceLocation,
    /// Full path of the key; empty for a fault of the whole file.
    pub key: String,
    /// The invalid value as text, if there is one.
    pub value: Option<String>,
    /// The affected vehicle, if the key is in an entry with a row or column of several.
    pub vehicle_ref: Option<Box<VehicleRef>>,
    /// The problem.
    pub kind: Box<DiagnosticKind>,
}

impl Diagnostic {
    /// Creates a fault at a key.
    pub fn new(
        location: SourceLocation,
        key: &str,
        value: Option<String>,
        kind: DiagnosticKind,
    ) -> Diagnostic {
        Diagnostic {
            location,
            key: key.to_string(),
            value,
            vehicle_ref: None,
            kind: Box::new(kind),
        }
    }
}

/// Formats `key = value: `, `key: ` or an empty string, with the vehicle of a row before the colon.
fn subject(key: &str, value: &Option<String>, vehicle_ref: &Option<Box<VehicleRef>>) -> String {
    let of = vehicle_ref.as_ref().map_or(String::new(), |vehicle_ref| vehicle_ref.to_string());
    match (key, value) {
        ("", _) => String::new(),
        (key, Some(value)) => format!("{key} = {value}{of}: "),
        (key, None) => format!("{key}{of}: "),
    }
}

/// All faults of an input, in the order of its lines.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{}", report(.0))]
pub struct Diagnostics(pub Vec<Diagnostic>);

/// Maximum number of faults that a report lists.
const MAX_REPORTED: usize = 50;

/// Formats one fault per line, at most [`MAX_REPORTED`] of them.
fn report(diagnostics: &[Diagnostic]) -> String {
    let mut lines: Vec<String> =
        diagnostics.iter().take(MAX_REPORTED).map(Diagnostic::to_string).collect();
    if diagnostics.len() > MAX_REPORTED {
        lines.push(format!("and {} more", diagnostics.len() - MAX_REPORTED));
    }
    lines.join("\n")
}

impl Diagnostics {
    /// Returns `Ok` without faults; otherwise sorts the faults by location.
    pub fn into_result(mut diagnostics: Vec<Diagnostic>) -> Result<(), Diagnostics> {
        if diagnostics.is_empty() {
            return Ok(());
        }
        diagnostics.sort_by(|a, b| a.location.cmp(&b.location));
        // one vehicle file may be read for several vehicles
        diagnostics.dedup();
        Err(Diagnostics(diagnostics))
    }
}

impl Diagnostics {
    /// Replaces the key prefix `from` with `to`.
    ///
    /// Used for files of another format from which a scenario is generated.
    #[must_use]
    pub fn with_key_prefix(mut self, from: &str, to: &str) -> Diagnostics {
        for diagnostic in &mut self.0 {
            if let Some(rest) = diagnostic.key.strip_prefix(from) {
                diagnostic.key = format!("{to}{rest}");
            }
        }
        self
    }

    /// Joins the faults of several checks into one report.
    ///
    /// # Errors
    /// All faults, if there are any.
    pub fn join(found: impl IntoIterator<Item = Option<Diagnostics>>) -> Result<(), Diagnostics> {
        Diagnostics::into_result(
            found.into_iter().flatten().flat_map(|diagnostics| diagnostics.0).collect(),
        )
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Diagnostics {
        Diagnostics(vec![diagnostic])
    }
}

/// Maximum length of a word for which similar ones are searched, bytes: the time is quadratic.
const LONGEST_WORD: usize = 200;

/// Returns the most similar known word, if it is similar enough to be a typo.
pub fn nearest_word<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if word.len() > LONGEST_WORD {
        return None;
    }
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate.to_string())
}
