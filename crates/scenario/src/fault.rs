//! What is wrong with an input, and where.

use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// Where a value was given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A line of a file, counted from 1.
    Line(Arc<str>, usize),
    /// A file as a whole.
    File(Arc<str>),
    /// A `--set` argument of the command line.
    Set(Arc<str>),
}

impl Place {
    /// The file, if it is in one.
    pub(super) fn file(&self) -> Option<&str> {
        match self {
            Place::Line(file, _) | Place::File(file) => Some(file),
            Place::Set(_) => None,
        }
    }
}

/// Most characters of an argument or a value that a message repeats.
pub(super) const SHOWN: usize = 200;

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(file, line) => write!(f, "{file}:{line}"),
            Place::File(file) => write!(f, "{file}"),
            // an argument may be as long as the system takes
            Place::Set(argument) if argument.chars().count() > SHOWN => {
                let start: String = argument.chars().take(SHOWN).collect();
                write!(f, "--set {start}...")
            }
            Place::Set(argument) => write!(f, "--set {argument}"),
        }
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file could not be read.
    #[error("cannot be read: {cause}")]
    Unreadable {
        /// What the system says.
        cause: String,
    },
    /// The text is not TOML.
    #[error("not valid TOML: {message}")]
    Syntax {
        /// What the parser says.
        message: String,
    },
    /// A key by a name that it had in an earlier version.
    #[error("is called {now} since version 0.1.0")]
    Renamed {
        /// Its name.
        now: &'static str,
    },
    /// The argument of `--set` is not of the form `key=value`.
    #[error("must be of the form key=value, such as seed=7")]
    NotAnAssignment,
    /// A key of too many parts, or lists within lists.
    #[error("is nested more than {most} deep; no key of the format lies deeper than 8")]
    TooDeep {
        /// How deep is allowed.
        most: usize,
    },
    /// A text of more values than fit into memory.
    #[error("holds more than {most} values; must be fewer: thin out lists of points")]
    TooMany {
        /// How many are allowed.
        most: usize,
    },
    /// A `--set` path enters a value that holds no keys.
    #[error("is {found} and holds no keys")]
    HoldsNoKeys {
        /// What it is.
        found: &'static str,
    },
    /// A `--set` index lies beyond the end of a list.
    #[error("there is no element {index}: the list has {length}, counted from 0")]
    NoSuchElement {
        /// The index asked for.
        index: usize,
        /// The length of the list.
        length: usize,
    },
    /// A `--set` path names a list's element by a word.
    #[error("is a list: its elements are chosen by number, as in {key}[0], not by `{word}`")]
    NotAnIndex {
        /// The list.
        key: String,
        /// What stands in the place of the number.
        word: String,
    },
    /// A key that the format does not know.
    #[error("unknown key{}; allowed: {}", did_you_mean(.suggestion), .allowed.join(", "))]
    UnknownKey {
        /// The nearest known key, if one is near.
        suggestion: Option<String>,
        /// The known keys.
        allowed: Vec<String>,
    },
    /// A required key is absent.
    #[error("missing: {expected} is required")]
    Missing {
        /// What is to be given.
        expected: String,
    },
    /// A value of the wrong type.
    #[error("must be {expected}, not {found}")]
    WrongType {
        /// The type wanted.
        expected: String,
        /// The type found.
        found: &'static str,
    },
    /// An infinity or a NaN.
    #[error("must be finite")]
    NotFinite,
    /// A number out of its range.
    #[error("must be {bounds}")]
    OutOfRange {
        /// The range, with its unit.
        bounds: String,
    },
    /// A word that is none of those known.
    #[error("must be {}{}", one_of(.allowed), did_you_mean(.suggestion))]
    NotOneOf {
        /// The nearest of them, if one is near.
        suggestion: Option<String>,
        /// The words known.
        allowed: Vec<String>,
    },
    /// A list or text of the wrong length.
    #[error("must have {expected}, has {found}")]
    WrongLength {
        /// The length wanted.
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
        /// The multiples next to it, s.
        nearest: Vec<String>,
    },
    /// A step that does not divide the heartbeat.
    #[error("must divide time.heartbeat = {heartbeat} s into a whole number of steps; nearest: {}",
        .nearest.join(" or "))]
    NotADivisor {
        /// The heartbeat, s.
        heartbeat: f64,
        /// The steps next to it that do, s.
        nearest: Vec<String>,
    },
    /// A list of numbers that must increase.
    #[error("must be greater than the one before it, {before}")]
    NotIncreasing {
        /// The one before.
        before: f64,
    },
    /// A name given twice.
    #[error("is already the name of {first}")]
    DuplicateName {
        /// The key of the first that bears it.
        first: String,
    },
    /// Followers that follow each other in a ring.
    #[error("the vehicles follow each other in a ring: {}", .ring.join(" -> "))]
    FollowRing {
        /// Names around the ring.
        ring: Vec<String>,
    },
    /// Two keys of which exactly one must be given.
    #[error("give exactly one of {}; given: {}", .of.join(", "),
        if .given.is_empty() { "none".to_string() } else { .given.join(", ") })]
    NotExactlyOne {
        /// The keys to choose from.
        of: Vec<String>,
        /// Those given.
        given: Vec<String>,
    },
    /// Keys that exclude each other.
    #[error("cannot be given together with {other}")]
    Excludes {
        /// The other key.
        other: &'static str,
    },
    /// A soil that neither the catalogue nor the scenario has.
    #[error("no soil has this name{}; `bekker soils` lists those there are", did_you_mean(.suggestion))]
    UnknownSoil {
        /// The nearest name, if one is near.
        suggestion: Option<String>,
    },
    /// A vehicle that the catalogue does not have.
    #[error("no vehicle has this name{}; known: {}; a file's name ends in .toml",
        did_you_mean(.suggestion), .known.join(", "))]
    UnknownVehicle {
        /// The nearest name, if one is near.
        suggestion: Option<String>,
        /// The names there are.
        known: Vec<String>,
    },
    /// Two vehicles stand in one another.
    #[error("{name} ({:.2} m long, {:.2} m wide) overlaps {other} ({:.2} m, {:.2} m) at the start; \
        move one of them, or change its heading_deg",
        .size[0], .size[1], .other_size[0], .other_size[1])]
    Overlap {
        /// Its name.
        name: String,
        /// Its length and width, m.
        size: [f64; 2],
        /// The other vehicle's name.
        other: String,
        /// The other's length and width, m.
        other_size: [f64; 2],
    },
    /// A vehicle stands in an obstacle.
    #[error("{name} overlaps an obstacle ({noun}, at {:.2}, {:.2} m) at the start; move either of them, \
        or say solid = false of what is nothing to vehicles", .place[0], .place[1])]
    InObstacle {
        /// Its name.
        name: String,
        /// What the obstacle is, in a word.
        noun: &'static str,
        /// Where it stands, m.
        place: [f64; 2],
    },
    /// A point beyond the edge of the terrain.
    #[error("lies outside the terrain, x {} to {}, y {} to {} m", .bounds[0], .bounds[2], .bounds[1], .bounds[3])]
    OutsideTerrain {
        /// The terrain: x_min, y_min, x_max, y_max, m.
        bounds: [f64; 4],
    },
    /// A point on ground without elevation data.
    #[error(
        "is on ground without elevation data, which is off limits (terrain.surface.no_data = \"keep\")"
    )]
    NoElevation,
    /// A corner that lies on the wrong side of its opposite.
    #[error("must lie north-east of {lower:?}")]
    NotABox {
        /// The south-west corner, m.
        lower: [f64; 2],
    },
    /// A range whose end does not exceed its start.
    #[error("must run from low to high")]
    EmptyRange,
    /// What a lower layer refuses.
    #[error("{cause}")]
    Refused {
        /// What it says.
        cause: String,
    },
}

/// Most words of a list that a message repeats: a brigade has a thousand names.
const LISTED: usize = 40;

/// Most characters of a message, and how many of them are its end.
const LONGEST_MESSAGE: [usize; 2] = [4000, 1000];

/// A message without its middle where it repeats more of an input than anybody reads.
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

/// `one of` the words known, which may be none.
fn one_of(words: &[String]) -> String {
    match words {
        [] => "the name of one that there is; there is none".into(),
        _ => format!("one of {}", listed(words)),
    }
}

fn listed(words: &[String]) -> String {
    let told = words.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match words.len().saturating_sub(LISTED) {
        0 => told,
        more => format!("{told} and {more} more"),
    }
}

/// ` (did you mean x?)`, or nothing.
fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map(|s| format!(" (did you mean `{s}`?)")).unwrap_or_default()
}

/// The vehicle of a row or column that a fault is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its own value, where that is another than the entry's.
    pub value: Option<String>,
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            None => write!(f, " (of {})", self.name),
            Some(value) => write!(f, " (of {}: {value})", self.name),
        }
    }
}

/// A problem with its place, key and value.
///
/// Displayed as `examples/x.toml:14: vehicle[1].driver.gap = -3: must be > 0 m`.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{}", shortened(&format!("{place}: {}{problem}", subject(.key, .value, .member))))]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// Full path of the key; empty for the file as a whole.
    pub key: String,
    /// The offending value as text, if there is one.
    pub value: Option<String>,
    /// Of which vehicle, where the key is that of a row or column of several.
    pub member: Option<Box<Member>>,
    /// What is wrong with it.
    pub problem: Box<Problem>,
}

impl Fault {
    /// A problem with the value at a key.
    pub fn new(place: Place, key: &str, value: Option<String>, problem: Problem) -> Fault {
        Fault { place, key: key.to_string(), value, member: None, problem: Box::new(problem) }
    }
}

/// `key = value: `, `key: ` or nothing; ahead of the colon the vehicle of a row.
fn subject(key: &str, value: &Option<String>, member: &Option<Box<Member>>) -> String {
    let of = member.as_ref().map_or(String::new(), |member| member.to_string());
    match (key, value) {
        ("", _) => String::new(),
        (key, Some(value)) => format!("{key} = {value}{of}: "),
        (key, None) => format!("{key}{of}: "),
    }
}

/// All that is wrong with an input, in the order of its lines.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{}", report(.0))]
pub struct Faults(pub Vec<Fault>);

/// Most faults that are told one by one.
const TOLD: usize = 50;

/// A line a fault, up to as many as anybody reads.
fn report(faults: &[Fault]) -> String {
    let mut lines: Vec<String> = faults.iter().take(TOLD).map(Fault::to_string).collect();
    if faults.len() > TOLD {
        lines.push(format!("and {} more", faults.len() - TOLD));
    }
    lines.join("\n")
}

impl Faults {
    /// `Ok` if there are none, else the faults in the order of their places.
    pub fn into_result(mut faults: Vec<Fault>) -> Result<(), Faults> {
        if faults.is_empty() {
            return Ok(());
        }
        faults.sort_by(|a, b| a.place.cmp(&b.place));
        // One vehicle file may be read for several vehicles.
        faults.dedup();
        Err(Faults(faults))
    }
}

impl Faults {
    /// The same with keys that begin with one path under another: those of a file of a format of its
    /// own, which a scenario is made of.
    #[must_use]
    pub fn renamed(mut self, from: &str, to: &str) -> Faults {
        for fault in &mut self.0 {
            if let Some(rest) = fault.key.strip_prefix(from) {
                fault.key = format!("{to}{rest}");
            }
        }
        self
    }

    /// The faults of several checks as one report.
    ///
    /// # Errors
    /// All of them, if there are any.
    pub fn joined(found: impl IntoIterator<Item = Option<Faults>>) -> Result<(), Faults> {
        Faults::into_result(found.into_iter().flatten().flat_map(|faults| faults.0).collect())
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Faults {
        Faults(vec![fault])
    }
}

/// Most bytes of a word that others are compared with: the time grows with the square.
const LONGEST_WORD: usize = 200;

/// The known word nearest to `word`, if it is near enough to be a slip.
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
