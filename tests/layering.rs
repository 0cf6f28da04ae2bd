//! Checks the code against the tables of `ARCHITECTURE.md`. The
//! map lists the modules that each module may use; the invariants name the tests that check them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Names that do not describe a file's purpose.
const NAMELESS: [&str; 6] = ["utils", "util", "common", "helpers", "misc", "manager"];

/// Access to the environment of the process, or to a clock.
const OUTSIDE: [&str; 17] = [
    "std::fs",
    "fs::",
    "File::",
    "std::env",
    "env::",
    "std::net",
    "std::process",
    "io::stdin",
    "io::stdout",
    "io::stderr",
    "print!",
    "println!",
    "eprint!",
    "eprintln!",
    "dbg!",
    "Instant",
    "SystemTime",
];

/// Sources of non-repeatable results: hashing order and global random generators.
const UNREPEATABLE: [&str; 5] = ["HashMap", "HashSet", "thread_rng", "rand::", "RandomState"];

/// Functions whose last bit differs between mathematics libraries.
/// (`sqrt`, `abs`, `floor` and `mul_add` are exact by IEEE 754.)
const ELEMENTARY: [&str; 23] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sin_cos", "sinh", "cosh", "tanh", "exp",
    "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "powf", "powi", "cbrt", "hypot",
];

/// Modules of the outermost layers, whose results never enter a state.
const MAY_CALL_ELEMENTARY: [&str; 2] = ["report", "cli"];

/// Transports between ranks are the only modules below the scenario with access to clocks: they
/// detect missing replies.
const CARRIERS: [&str; 15] = [
    "sync/loopback.rs",
    "sync/threads.rs",
    "sync/mpi.rs",
    "sync/tcp/mod.rs",
    "sync/tcp/handshake.rs",
    "sync/tcp/peer.rs",
    "sync/tcp/acceptor.rs",
    "sync/tcp/rendezvous.rs",
    "sync/tcp/deadline_stream.rs",
    "sync/pending_connections.rs",
    "sync/dds_domain.rs",
    "sync/dds/mod.rs",
    "sync/dds/admission.rs",
    "sync/dds/joining.rs",
    "sync/dds/receiver.rs",
];

/// Modules that have a separate row in the map; all other files of a crate belong to the row
/// of the crate.
const OWN_ROWS: [(&str, &[&str]); 4] = [
    ("math", &["numeric", "spatial", "geodesy", "curve", "grid", "random"]),
    ("ground", &["soil", "terrain", "scm"]),
    ("vehicle", &["collision", "multibody"]),
    ("sensor", &["gpu"]),
];

struct LayerRow {
    layer: u32,
    /// Rows by name.
    may_use: Vec<String>,
    /// Returns all rows between two layers.
    layers: Option<[u32; 2]>,
}

impl LayerRow {
    fn allows(&self, map: &BTreeMap<String, LayerRow>, used: &str) -> bool {
        let layer = map.get(used).map(|row| row.layer);
        let is_within =
            |[first, last]: [u32; 2]| layer.is_some_and(|own| (first..=last).contains(&own));
        self.layers.is_some_and(is_within) || self.may_use.iter().any(|allowed| allowed == used)
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn architecture() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap()
}

/// Words in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The rows `| L2 | `ground` | allowed modules | description |` of the map.
fn map() -> BTreeMap<String, LayerRow> {
    let text = architecture();
    let of_a_layer = |line: &&str| line.starts_with("| L") && line.as_bytes()[3].is_ascii_digit();
    let rows = text.lines().filter(of_a_layer);
    let map: BTreeMap<_, _> = rows
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let layer = cells[1][1..].parse().unwrap_or_else(|_| panic!("no layer: {line}"));
            let module = quoted(cells[2]).next().unwrap_or_else(|| panic!("no module: {line}"));
            let may_use = quoted(cells[3]).map(String::from).collect();
            let layers = cells[3].split(' ').find_map(layers_of);
            (module.to_string(), LayerRow { layer, may_use, layers })
        })
        .collect();
    assert!(!map.is_empty(), "ARCHITECTURE.md holds no map");
    map
}

/// The layers of `L0` or `L0-L4`, first and last.
fn layers_of(word: &str) -> Option<[u32; 2]> {
    let number = |text: &str| text.strip_prefix('L').and_then(|digits| digits.parse().ok());
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    Some([number(first)?, number(last)?])
}

/// Adds the Rust files in and below a folder.
pub fn files_under(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_under(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// A source file of a crate of the library.
struct Source {
    /// Path below `src`, behind the crate's name.
    name: String,
    /// The crate.
    package: String,
    /// Its place in the crate's tree of modules, outermost first.
    module: Vec<String>,
    /// Its text without comments.
    text: String,
    /// Where its tests begin.
    tests_at: usize,
}

impl Source {
    fn product(&self) -> &str {
        &self.text[..self.tests_at]
    }

    /// The row of the map that it belongs to.
    fn row(&self) -> &str {
        row(&self.package, &self.module[0])
    }
}

fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// The `src` of every crate of the workspace.
fn folders() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let mut folders: Vec<_> = crates.map(|entry| entry.unwrap().path().join("src")).collect();
    folders.push(root().join("src"));
    folders.sort();
    folders
}

fn sources() -> Vec<Source> {
    folders().iter().flat_map(|folder| sources_of(folder)).collect()
}

/// The row of a module at the root of a crate; the facade's modules are named as the rows are.
fn row<'a>(package: &'a str, module: &'a str) -> &'a str {
    let own = |(name, modules): &(&str, &[&str])| *name == package && modules.contains(&module);
    if package == "bekker" || OWN_ROWS.iter().any(own) { module } else { package }
}

fn sources_of(folder: &Path) -> Vec<Source> {
    let package = package(folder);
    let mut files = Vec::new();
    files_under(folder, &mut files);
    let sources = files.iter().filter_map(|path| {
        let name = path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
        if name == "lib.rs" || name == "main.rs" {
            return None;
        }
        let mut module: Vec<String> =
            name.trim_end_matches(".rs").split('/').map(String::from).collect();
        module.pop_if(|last| last == "mod");
        let text = without_comments(&fs::read_to_string(path).unwrap());
        let tests_at = if module.last().is_some_and(|last| last == "tests") {
            0
        } else {
            text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len())
        };
        let name = format!("{package}/{name}");
        Some(Source { name, package: package.clone(), module, text, tests_at })
    });
    sources.collect()
}

/// The crate whose `src` this is.
fn package(folder: &Path) -> String {
    let package = folder.parent().unwrap();
    if package == root() {
        return "bekker".into();
    }
    // as code names it
    package.file_name().unwrap().to_str().unwrap().replace('-', "_")
}

/// Whether the byte before `at` belongs to a longer word or path.
fn begins_word(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':')
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// First words of a path that follows `crate::`, or of each of a braced group.
fn heads(text: &str) -> Vec<&str> {
    let Some(group) = text.strip_prefix('{') else { return vec![word(text)] };
    let (mut depth, mut start, mut heads) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                heads.push(word(group[start..at].trim_start()));
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    heads.retain(|head| !head.is_empty());
    heads
}

/// Rows that a file reaches, by `crate::`, by the name of a crate or by `super::` up to the root.
fn reached(source: &Source) -> Vec<&str> {
    let text = &source.text;
    let mut found = Vec::new();
    for (at, path) in text.match_indices("crate::") {
        if begins_word(text, at) {
            let heads = heads(&text[at + path.len()..]).into_iter();
            // the facade's name of agents, worlds and ranks
            let heads = heads.filter(|head| *head != "simulation");
            found.extend(heads.map(|head| row(&source.package, head)));
        }
    }
    for (at, path) in text.match_indices("bekker_") {
        let name = word(&text[at + path.len()..]);
        let rest = &text[at + path.len() + name.len()..];
        if let Some(path) = rest.strip_prefix("::")
            && begins_word(text, at)
        {
            found.extend(heads(path).into_iter().map(|head| row(name, head)));
        }
    }
    for (at, _) in text.match_indices("super::") {
        if begins_word(text, at) {
            let in_tests = at >= source.tests_at && source.tests_at > 0;
            let depth = source.module.len() + usize::from(in_tests);
            let mut rest = &text[at..];
            let mut climbed = 0;
            while let Some(above) = rest.strip_prefix("super::") {
                (rest, climbed) = (above, climbed + 1);
            }
            if climbed >= depth {
                found.extend(heads(rest).into_iter().map(|head| row(&source.package, head)));
            }
        }
    }
    found
}

/// Returns the crates and the modules with separate rows.
fn declared_rows() -> Vec<String> {
    let declared = folders().into_iter().flat_map(|folder| {
        let package = package(&folder);
        let text = fs::read_to_string(folder.join("lib.rs")).unwrap();
        let modules = text.lines().filter_map(|line| line.trim().strip_prefix("pub mod "));
        let modules = modules.filter_map(|name| name.strip_suffix(';'));
        let mut rows: Vec<String> = modules
            .map(|module| row(&package, module).to_owned())
            .filter(|row| *row != package)
            .collect();
        if !["bekker", "math"].contains(&package.as_str()) {
            rows.push(package);
        }
        rows
    });
    declared.collect()
}

fn report(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn the_layer_map_is_complete_and_acyclic() {
    let map = map();
    let mut declared = declared_rows();
    declared.sort();
    assert_eq!(declared, map.keys().cloned().collect::<Vec<_>>());
    for (module, row) in &map {
        assert!(row.layers.is_none_or(|[_, last]| last < row.layer), "{module} uses its own layer");
        for used in &row.may_use {
            let other = map.get(used).unwrap_or_else(|| panic!("{module} may use no {used}"));
            let lower = other.layer < row.layer;
            // Within a layer only where the table allows it, and never in a cycle.
            let beside = other.layer == row.layer && !other.may_use.contains(module);
            assert!(lower || beside, "{module} (L{}) may not use {used}", row.layer);
        }
    }
}

#[test]
fn a_module_uses_only_the_modules_of_its_row() {
    let map = map();
    let mut faults = Vec::new();
    for source in sources() {
        let row = source.row();
        for used in reached(&source) {
            if used != row && !map[row].allows(&map, used) {
                faults.push(format!("{} uses {used}, which {row} may not", source.name));
            }
        }
    }
    report(&faults);
}

#[test]
fn below_the_scenario_nothing_touches_the_world() {
    let map = map();
    let mut faults = Vec::new();
    let inside = |source: &&Source| {
        map[source.row()].layer <= 5 && !CARRIERS.contains(&source.name.as_str())
    };
    for source in sources().iter().filter(inside) {
        let text = source.product();
        for what in OUTSIDE.iter().chain(&UNREPEATABLE) {
            let mut places = text.match_indices(what).map(|(at, _)| at);
            if places.any(|at| begins_word(text, at) || what.starts_with("std::")) {
                faults.push(format!("{} has {what}", source.name));
            }
        }
    }
    report(&faults);
}

#[test]
fn elementary_functions_come_from_numeric() {
    let mut faults = Vec::new();
    for source in sources() {
        if MAY_CALL_ELEMENTARY.contains(&source.row()) {
            continue;
        }
        let text = source.product();
        for function in ELEMENTARY {
            let method = format!(".{function}(");
            let named = format!("f64::{function}");
            let called_by_name =
                text.match_indices(&named).any(|(at, _)| word(&text[at + 5..]) == function);
            if text.contains(&method) || called_by_name {
                faults.push(format!("{} calls f64::{function}, not numeric's", source.name));
            }
        }
    }
    report(&faults);
}

#[test]
fn every_module_has_a_specific_name() {
    let sources = sources();
    let nameless = sources.iter().flat_map(|source| {
        let bad = source.module.iter().filter(|part| NAMELESS.contains(&part.as_str()));
        bad.map(move |part| format!("{}: '{part}' names no concept", source.name))
    });
    report(&nameless.collect::<Vec<_>>());
}

/// Invariants cite their tests as `path/to/file.rs::name`.
#[test]
fn every_invariant_names_a_test_that_exists() {
    let text = architecture();
    let mut cited = 0;
    let mut faults = Vec::new();
    for citation in quoted(&text).filter(|text| text.contains(".rs::")) {
        cited += 1;
        let (file, test) = citation.split_once("::").unwrap();
        let code = fs::read_to_string(root().join(file)).unwrap_or_default();
        if !code.contains(&format!("fn {test}(")) {
            faults.push(format!("ARCHITECTURE.md: there is no {citation}"));
        }
    }
    assert!(cited > 0, "ARCHITECTURE.md cites no tests");
    report(&faults);
}

#[test]
fn layering_violations_are_detected() {
    let source = |text: &str, tests_at: usize| Source {
        name: "ground/soil/law.rs".into(),
        package: "ground".into(),
        module: vec!["soil".into(), "law".into()],
        text: text.into(),
        tests_at,
    };
    let text = "use crate::{soil::{A, B}, Tile};\nuse bekker_math::{curve, grid::C};\nlet x = \
                bekker_vehicle::Vehicle::new(super::super::scm::y);";
    let found = ["soil", "ground", "curve", "grid", "vehicle", "scm"];
    assert_eq!(reached(&source(text, text.len())), found);
    // From the tests of a file one more step leads out.
    let text = "x\nsuper::super::sibling::f()";
    assert!(reached(&source(text, 1)).is_empty());
}
