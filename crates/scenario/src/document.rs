//! A TOML document in which every value has its source location.
//!
//! A scenario is parsed into this tree first. Faults that the schema or the cross-checks find later
//! can thus name the line. `--set` arguments are merged into the tree before any check.

use super::diagnostic::{Diagnostic, DiagnosticKind, MAX_SHOWN, SourceLocation};
use super::expanded_vehicles::ExpandedVehicles;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// Maximum nesting depth of a value; each level costs stack in every recursive reader.
const DEEPEST: usize = 32;
/// Maximum number of values of a document, counted by their separators; each costs up to 512 bytes.
const MAX_VALUES: usize = 300_000;

/// A value with its source location.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentNode {
    /// Source location of the value.
    pub location: SourceLocation,
    /// The value.
    pub value: TomlValue,
}

/// A TOML value.
#[derive(Clone, Debug, PartialEq)]
pub enum TomlValue {
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a point or exponent.
    Float(f64),
    /// A text.
    Text(String),
    /// A date or time; no key accepts one.
    Moment(String),
    /// A list.
    List(Vec<DocumentNode>),
    /// A table.
    Table(BTreeMap<String, DocumentNode>),
}

impl TomlValue {
    /// Name of the type for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            TomlValue::Boolean(_) => "a boolean",
            TomlValue::Integer(_) => "an integer",
            TomlValue::Float(_) => "a number",
            TomlValue::Text(_) => "a string",
            TomlValue::Moment(_) => "a date or time",
            TomlValue::List(_) => "a list",
            TomlValue::Table(_) => "a table",
        }
    }

    /// The value as a number, or `None` for another type.
    pub fn number(&self) -> Option<f64> {
        match self {
            TomlValue::Integer(i) => Some(*i as f64),
            TomlValue::Float(x) => Some(*x),
            _ => None,
        }
    }

    /// Converts the value to JSON. Infinities and NaN, which JSON lacks, become null.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            TomlValue::Boolean(b) => (*b).into(),
            TomlValue::Integer(i) => (*i).into(),
            TomlValue::Float(x) => (*x).into(),
            TomlValue::Text(s) | TomlValue::Moment(s) => s.as_str().into(),
            TomlValue::List(nodes) => nodes.iter().map(|n| n.value.to_json()).collect(),
            TomlValue::Table(entries) => {
                entries.iter().map(|(key, n)| (key.clone(), n.value.to_json())).collect()
            }
        }
    }
}

impl fmt::Display for TomlValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TomlValue::Boolean(b) => write!(f, "{b}"),
            TomlValue::Integer(i) => write!(f, "{i}"),
            TomlValue::Float(x) => write!(f, "{x:?}"),
            TomlValue::Text(s) if s.chars().count() > MAX_SHOWN => {
                let start: String = s.chars().take(MAX_SHOWN).collect();
                write!(f, "{start:?}...")
            }
            TomlValue::Text(s) => write!(f, "{s:?}"),
            TomlValue::Moment(s) => write!(f, "{s}"),
            TomlValue::List(nodes) if nodes.len() > 4 => write!(f, "[{} elements]", nodes.len()),
            TomlValue::List(nodes) => {
                let items: Vec<_> = nodes.iter().map(|n| n.value.to_string()).collect();
                write!(f, "[{}]", items.join(", "))
            }
            TomlValue::Table(_) => write!(f, "{{..}}"),
        }
    }
}

/// A parsed scenario document.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The table at its root.
    pub root: DocumentNode,
    /// The vehicles that were expanded from rows and columns.
    pub(super) expanded: Option<ExpandedVehicles>,
}

impl Document {
    /// Creates a document from its root table.
    pub fn new(root: DocumentNode) -> Document {
        Document { root, expanded: None }
    }

    /// Reads TOML text; `file` is the name for messages.
    ///
    /// # Errors
    /// The first syntax error, with its line.
    pub fn parse(file: &str, text: &str) -> Result<Document, Diagnostic> {
        let reader = TomlReader { file: file.into(), lines: line_starts(text) };
        if let Some((offset, problem)) = exceeded_limit(text) {
            return Err(reader.diagnostic(offset, problem));
        }
        let table = DeTable::parse(text).map_err(|e| reader.syntax_diagnostic(&e))?;
        let root = DocumentNode {
            location: SourceLocation::File(reader.file.clone()),
            value: TomlValue::Table(BTreeMap::new()),
        };
        let value = reader.table(table.get_ref())?;
        Ok(Document::new(DocumentNode { value, ..root }))
    }

    /// Creates a document from typed values, all located at `name` as a whole.
    ///
    /// # Errors
    /// Values that TOML cannot represent; values that are nested too deeply, or too many.
    pub fn from_values(
        name: &str,
        values: &dyn erased_serde::Serialize,
    ) -> Result<Document, Diagnostic> {
        let location = SourceLocation::File(name.into());
        let diagnostic = |problem| Diagnostic::new(location.clone(), "", None, problem);
        let values = toml::Value::try_from(values)
            .map_err(|error| diagnostic(DiagnosticKind::Refused { cause: error.to_string() }))?;
        let root = from_toml(values, &location, 0, &mut 0).map_err(diagnostic)?;
        Ok(Document::new(root))
    }

    /// Normalizes a key path, so that equal paths compare equal: `vehicle.1.driver.gap`.
    pub fn plain_path(key: &str) -> String {
        let plain = |segment: &str| match segment.parse::<usize>() {
            Ok(index) => index.to_string(),
            Err(_) => segment.to_string(),
        };
        split_path(key).into_iter().map(plain).collect::<Vec<_>>().join(".")
    }

    /// Returns the node at a key path such as `vehicle[1].driver.gap`, if present.
    pub fn get(&self, key: &str) -> Option<&DocumentNode> {
        let (node, rest) = self.descend(key);
        rest.is_empty().then_some(node)
    }

    /// Replaces the value at a key; does nothing if the key is absent.
    pub fn replace(&mut self, key: &str, value: TomlValue) {
        let mut node = &mut self.root;
        for segment in split_path(key) {
            let child = match &mut node.value {
                TomlValue::Table(entries) => entries.get_mut(segment),
                TomlValue::List(items) => {
                    segment.parse().ok().and_then(|index: usize| items.get_mut(index))
                }
                _ => None,
            };
            match child {
                Some(child) => node = child,
                None => return,
            }
        }
        node.value = value;
    }

    /// Creates a fault at a key, located at its line or at the nearest enclosing table.
    ///
    /// For a vehicle expanded from a row or column, the fault names the key in the file.
    pub fn diagnostic(&self, key: &str, problem: DiagnosticKind) -> Diagnostic {
        let (node, rest) = self.descend(key);
        let value = display_value(node).filter(|_| rest.is_empty());
        self.at_original_key(Diagnostic::new(node.location.clone(), key, value, problem))
    }

    /// Maps a fault in the expanded document to the key in the file.
    pub(super) fn at_original_key(&self, diagnostic: Diagnostic) -> Diagnostic {
        match (&self.expanded, self.get("vehicle")) {
            (Some(expanded), Some(vehicles)) => expanded.at_original_key(diagnostic, vehicles),
            _ => diagnostic,
        }
    }

    /// Follows a key path as far as it exists and returns the remaining segments.
    fn descend<'k>(&self, key: &'k str) -> (&DocumentNode, Vec<&'k str>) {
        let segments = split_path(key);
        let mut node = &self.root;
        for (depth, segment) in segments.iter().enumerate() {
            match child(node, segment) {
                Some(child) => node = child,
                None => return (node, segments[depth..].to_vec()),
            }
        }
        (node, Vec::new())
    }

    /// Merges a table of changes into the document, recursively.
    ///
    /// Where the document has a list, the keys of the table are indices of elements to change.
    pub fn merge(&mut self, changes: &DocumentNode) {
        merge(&mut self.root, changes);
    }

    /// Applies one `--set key=value` argument.
    ///
    /// The value is TOML; a bare word that is not TOML becomes text. Missing tables on the path are
    /// created. Elements of lists are selected by index, as in `vehicle[0].name` or
    /// `vehicle.0.name`.
    ///
    /// # Errors
    /// Text that is not an assignment; a path through a value that is neither table nor list.
    pub fn set(&mut self, argument: &str) -> Result<(), Diagnostic> {
        let location = SourceLocation::Set(argument.into());
        let fail = |problem| Diagnostic::new(location.clone(), "", None, problem);
        let (path, text) = argument.split_once('=').ok_or(fail(DiagnosticKind::NotAnAssignment))?;
        let segments = split_path(path.trim());
        if segments.is_empty() || segments.iter().any(|s| s.is_empty()) {
            return Err(fail(DiagnosticKind::NotAnAssignment));
        }
        if segments.len() > DEEPEST {
            return Err(fail(DiagnosticKind::TooDeep { most: DEEPEST }));
        }
        let value = parse_value(text.trim(), &location).map_err(fail)?;
        let mut node = &mut self.root;
        let mut walked = String::new();
        for segment in segments {
            let at = |key: &str, problem| Diagnostic::new(location.clone(), key, None, problem);
            node = match &mut node.value {
                TomlValue::Table(entries) => {
                    if !walked.is_empty() {
                        walked.push('.');
                    }
                    walked.push_str(segment);
                    entries.entry(segment.to_string()).or_insert_with(|| DocumentNode {
                        location: location.clone(),
                        value: TomlValue::Table(BTreeMap::new()),
                    })
                }
                TomlValue::List(items) => {
                    let index = segment.parse::<usize>().map_err(|_| {
                        let (key, word) = (walked.clone(), segment.to_string());
                        at(&walked, DiagnosticKind::NotAnIndex { key, word })
                    })?;
                    let length = items.len();
                    let element = items.get_mut(index).ok_or_else(|| {
                        at(&walked, DiagnosticKind::NoSuchElement { index, length })
                    })?;
                    walked = format!("{walked}[{index}]");
                    element
                }
                other => {
                    let found = other.kind();
                    return Err(at(&walked, DiagnosticKind::HoldsNoKeys { found }));
                }
            };
        }
        *node = DocumentNode { location, value };
        Ok(())
    }
}

/// Child of a table or list for one segment of a path.
fn child<'n>(node: &'n DocumentNode, segment: &str) -> Option<&'n DocumentNode> {
    match &node.value {
        TomlValue::Table(entries) => entries.get(segment),
        TomlValue::List(items) => segment.parse::<usize>().ok().and_then(|i| items.get(i)),
        _ => None,
    }
}

/// Descendant of a node at the end of a path.
pub(super) fn walk<'n>(node: &'n DocumentNode, segments: &[&str]) -> Option<&'n DocumentNode> {
    segments.iter().try_fold(node, |node, segment| child(node, segment))
}

/// A value as faults show it; `None` for a table.
pub(super) fn display_value(node: &DocumentNode) -> Option<String> {
    (!matches!(node.value, TomlValue::Table(_))).then(|| node.value.to_string())
}

fn merge(node: &mut DocumentNode, changes: &DocumentNode) {
    let TomlValue::Table(changed) = &changes.value else {
        *node = changes.clone();
        return;
    };
    match &mut node.value {
        TomlValue::Table(entries) => {
            for (key, change) in changed {
                match entries.get_mut(key) {
                    Some(entry) => merge(entry, change),
                    None => drop(entries.insert(key.clone(), change.clone())),
                }
            }
        }
        TomlValue::List(items)
            if changed.keys().all(|k| k.parse().is_ok_and(|i: usize| i < items.len())) =>
        {
            for (key, change) in changed {
                if let Some(item) = key.parse().ok().and_then(|i: usize| items.get_mut(i)) {
                    merge(item, change);
                }
            }
        }
        _ => *node = changes.clone(),
    }
}

/// Splits `vehicle[1].driver.gap` into `vehicle`, `1`, `driver`, `gap`.
pub(super) fn split_path(key: &str) -> Vec<&str> {
    if key.is_empty() {
        return Vec::new();
    }
    key.split('.')
        .flat_map(|part| part.split('['))
        .map(|part| part.strip_suffix(']').unwrap_or(part).trim())
        .collect()
}

/// Parses a TOML value; a bare word becomes text.
fn parse_value(text: &str, location: &SourceLocation) -> Result<TomlValue, DiagnosticKind> {
    if let Some((_, problem)) = exceeded_limit(text) {
        return Err(problem);
    }
    match DeValue::parse(text) {
        Ok(value) => {
            let reader = TomlReader { file: "".into(), lines: vec![0] };
            let value = reader.value(value.get_ref()).map_err(|diagnostic| *diagnostic.kind)?;
            Ok(with_location(value, location))
        }
        Err(_) if is_bare_word(text) => Ok(TomlValue::Text(text.to_string())),
        Err(e) => Err(DiagnosticKind::Syntax { message: first_line(e.message()) }),
    }
}

/// Offset at which a text exceeds the allowed number or depth of values.
///
/// Checked before parsing, because the TOML parser's use of memory and stack is not limited.
fn exceeded_limit(text: &str) -> Option<(usize, DiagnosticKind)> {
    let bytes = text.as_bytes();
    let (mut values, mut open, mut dots) = (0, 0_usize, 0);
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' | b'\'' => at = end_of_string(bytes, at),
            b'#' => at += bytes[at..].iter().take_while(|byte| **byte != b'\n').count(),
            byte => {
                match byte {
                    b'[' | b'{' => (open, dots) = (open + 1, 0),
                    b']' | b'}' => (open, dots) = (open.saturating_sub(1), 0),
                    b'\n' | b',' | b'=' => (values, dots) = (values + 1, 0),
                    b'.' => dots += 1,
                    _ => {}
                }
                if open > DEEPEST || dots > DEEPEST {
                    return Some((at, DiagnosticKind::TooDeep { most: DEEPEST }));
                }
                if values > MAX_VALUES {
                    return Some((at, DiagnosticKind::TooMany { most: MAX_VALUES }));
                }
                at += 1;
            }
        }
    }
    None
}

/// Index of the first byte after the string that starts at `begin`, single-line or triple-quoted.
fn end_of_string(bytes: &[u8], begin: usize) -> usize {
    let quote = bytes[begin];
    let long = bytes[begin..].starts_with(&[quote; 3]);
    let mut at = begin + if long { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 1,
            b'\n' if !long => return at,
            byte if byte == quote && !long => return at + 1,
            byte if byte == quote && bytes[at..].starts_with(&[quote; 3]) => return at + 3,
            _ => {}
        }
        at += 1;
    }
    at
}

/// Whether a text is accepted without quotes in a `--set` argument.
fn is_bare_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || "./~_".contains(c))
        && text.chars().all(|c| c.is_alphanumeric() || "+-_./~ ".contains(c))
}

/// Sets the location of all nodes in a value to one place.
fn with_location(value: TomlValue, location: &SourceLocation) -> TomlValue {
    let at = |node: DocumentNode| DocumentNode {
        location: location.clone(),
        value: with_location(node.value, location),
    };
    match value {
        TomlValue::List(items) => TomlValue::List(items.into_iter().map(at).collect()),
        TomlValue::Table(entries) => {
            TomlValue::Table(entries.into_iter().map(|(key, node)| (key, at(node))).collect())
        }
        plain => plain,
    }
}

/// Converts a TOML value inside `depth` tables and lists to a node, and counts its values.
fn from_toml(
    value: toml::Value,
    location: &SourceLocation,
    depth: usize,
    values: &mut usize,
) -> Result<DocumentNode, DiagnosticKind> {
    *values += 1;
    if depth > DEEPEST {
        return Err(DiagnosticKind::TooDeep { most: DEEPEST });
    }
    if *values > MAX_VALUES {
        return Err(DiagnosticKind::TooMany { most: MAX_VALUES });
    }
    let mut child = |value| from_toml(value, location, depth + 1, values);
    let value = match value {
        toml::Value::Boolean(b) => TomlValue::Boolean(b),
        toml::Value::Integer(i) => TomlValue::Integer(i),
        toml::Value::Float(x) => TomlValue::Float(x),
        toml::Value::String(s) => TomlValue::Text(s),
        toml::Value::Datetime(moment) => TomlValue::Moment(moment.to_string()),
        toml::Value::Array(items) => {
            TomlValue::List(items.into_iter().map(child).collect::<Result<_, _>>()?)
        }
        toml::Value::Table(entries) => {
            let nodes = entries.into_iter().map(|(key, value)| Ok((key, child(value)?)));
            TomlValue::Table(nodes.collect::<Result<_, DiagnosticKind>>()?)
        }
    };
    Ok(DocumentNode { location: location.clone(), value })
}

/// Byte offsets of the line starts.
fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect()
}

/// The first line of a parser's message.
fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().to_string()
}

/// Converts spanned TOML into nodes with line numbers.
struct TomlReader {
    file: Arc<str>,
    lines: Vec<usize>,
}

impl TomlReader {
    fn location(&self, offset: usize) -> SourceLocation {
        SourceLocation::Line(
            self.file.clone(),
            self.lines.partition_point(|start| *start <= offset),
        )
    }

    fn diagnostic(&self, offset: usize, problem: DiagnosticKind) -> Diagnostic {
        Diagnostic::new(self.location(offset), "", None, problem)
    }

    fn syntax_diagnostic(&self, error: &toml::de::Error) -> Diagnostic {
        let offset = error.span().map_or(0, |span| span.start);
        self.diagnostic(offset, DiagnosticKind::Syntax { message: first_line(error.message()) })
    }

    fn table(&self, table: &DeTable<'_>) -> Result<TomlValue, Diagnostic> {
        let mut entries = BTreeMap::new();
        for (key, value) in table {
            // An array of tables is located at its first header; its elements have their own lines.
            let location = self.location(key.span().start);
            let value = self.value(value.get_ref()).map_err(|mut diagnostic| {
                diagnostic.location = location.clone();
                diagnostic
            })?;
            entries.insert(key.get_ref().to_string(), DocumentNode { location, value });
        }
        Ok(TomlValue::Table(entries))
    }

    fn value(&self, value: &DeValue<'_>) -> Result<TomlValue, Diagnostic> {
        let bad_number = |text: &str| {
            let message = format!("the number {text} cannot be represented");
            self.diagnostic(0, DiagnosticKind::Syntax { message })
        };
        Ok(match value {
            DeValue::String(s) => TomlValue::Text(s.to_string()),
            DeValue::Boolean(b) => TomlValue::Boolean(*b),
            DeValue::Datetime(moment) => TomlValue::Moment(moment.to_string()),
            DeValue::Integer(i) => TomlValue::Integer(
                i64::from_str_radix(i.as_str(), i.radix()).map_err(|_| bad_number(i.as_str()))?,
            ),
            DeValue::Float(x) => {
                TomlValue::Float(x.as_str().parse().map_err(|_| bad_number(x.as_str()))?)
            }
            DeValue::Array(items) => {
                let mut nodes = Vec::with_capacity(items.len());
                for item in items.iter() {
                    let location = self.location(item.span().start);
                    nodes.push(DocumentNode { location, value: self.value(item.get_ref())? });
                }
                TomlValue::List(nodes)
            }
            DeValue::Table(table) => self.table(table)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
name = 'x'

[time]
duration = 60

[[vehicle]]
name = 'a'

[[vehicle]]
name = 'b'
driver = { kind = 'hold',
  brake = 1.0 }
";

    fn line(document: &Document, key: &str) -> usize {
        match document.get(key).expect(key).location {
            SourceLocation::Line(_, line) => line,
            _ => 0,
        }
    }

    #[test]
    fn every_value_has_its_line() {
        let document = Document::parse("x.toml", TEXT).unwrap();
        assert_eq!(line(&document, "name"), 1);
        assert_eq!(line(&document, "time.duration"), 4);
        assert_eq!(line(&document, "vehicle[0]"), 6);
        assert_eq!(line(&document, "vehicle[1]"), 9);
        assert_eq!(line(&document, "vehicle[1].name"), 10);
        assert_eq!(line(&document, "vehicle[1].driver.brake"), 12);
        assert!(document.get("vehicle[2].name").is_none());
    }

    #[test]
    fn set_overrides_and_creates() {
        let mut document = Document::parse("x.toml", TEXT).unwrap();
        document.set("vehicle[0].name=lead").unwrap();
        document.set("vehicle[0].model=hmmwv+cargo_trailer").unwrap();
        document.set("vehicle.1.driver.brake = 0.5").unwrap();
        document.set("output.picture.size=[800, 600]").unwrap();
        let value = |key: &str| document.get(key).unwrap().value.to_json();
        assert_eq!(value("vehicle[0].name"), "lead");
        assert_eq!(value("vehicle[1].driver.brake"), 0.5);
        assert_eq!(value("output.picture.size"), serde_json::json!([800, 600]));
        assert!(matches!(
            document.get("vehicle[0].name").unwrap().location,
            SourceLocation::Set(_)
        ));
    }

    #[test]
    fn set_refuses_unknown_paths() {
        let mut document = Document::parse("x.toml", TEXT).unwrap();
        let mut problem = |argument: &str| *document.set(argument).unwrap_err().kind;
        assert_eq!(problem("time.step"), DiagnosticKind::NotAnAssignment);
        assert_eq!(problem("=3"), DiagnosticKind::NotAnAssignment);
        assert_eq!(problem("name.x=3"), DiagnosticKind::HoldsNoKeys { found: "a string" });
        assert_eq!(
            problem("vehicle[7].name=x"),
            DiagnosticKind::NoSuchElement { index: 7, length: 2 }
        );
        assert!(matches!(problem("vehicle.name=x"), DiagnosticKind::NotAnIndex { .. }));
        assert!(matches!(problem("time.step=[1,"), DiagnosticKind::Syntax { .. }));
        assert_eq!(problem(&format!("{}=1", vec!["a"; 50_000].join("."))), too_deep());
        assert_eq!(problem(&format!("a={}", "[".repeat(50_000))), too_deep());
    }

    fn too_deep() -> DiagnosticKind {
        DiagnosticKind::TooDeep { most: DEEPEST }
    }

    #[test]
    fn too_deep_or_too_long_texts_are_refused_before_parsing() {
        let problem = |text: &str| *Document::parse("x.toml", text).unwrap_err().kind;
        let keys = vec!["a"; 50_000].join(".");
        assert_eq!(problem(&format!("{keys} = 1")), too_deep());
        assert_eq!(problem(&format!("[{keys}]")), too_deep());
        assert_eq!(problem(&vec!["\"a\""; 50_000].join(".")), too_deep());
        assert_eq!(problem(&format!("a = {}", "{ a = ".repeat(50_000))), too_deep());
        let many = format!("a = [{}]", "0,".repeat(1_000_000));
        assert_eq!(problem(&many), DiagnosticKind::TooMany { most: MAX_VALUES });
        let prose = "# ...... [[[[[[\na = '......................................... [[[[[['";
        assert!(Document::parse("x.toml", prose).is_ok());
    }

    #[test]
    fn typed_values_become_the_same_tree_as_their_text() {
        let table: toml::Table = toml::from_str(TEXT).unwrap();
        let (typed, read) = (Document::from_values("x", &table), Document::parse("x", TEXT));
        let [typed, read] = [typed.unwrap(), read.unwrap()];
        assert_eq!(typed.root.value.to_json(), read.root.value.to_json());
        assert_eq!(
            typed.get("vehicle[1].name").unwrap().location,
            SourceLocation::File("x".into())
        );
        let deep = (0..DEEPEST + 2).fold(toml::Value::Integer(1), |inner, _| vec![inner].into());
        let table = toml::Table::from_iter([("a".to_owned(), deep)]);
        assert_eq!(*Document::from_values("x", &table).unwrap_err().kind, too_deep());
    }

    #[test]
    fn syntax_errors_name_the_line() {
        let diagnostic = Document::parse("x.toml", "a = 1\nb = = 2\n").unwrap_err();
        assert_eq!(diagnostic.location, SourceLocation::Line("x.toml".into(), 2));
    }
}
