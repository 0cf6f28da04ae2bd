//! Holds the code to `ARCHITECTURE.md`, whose tables are this test's data: the
//! map says what each module may use, the invariants name the tests that hold them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Names that say nothing about what a file is for.
const NAMELESS: [&str; 6] = ["utils", "util", "common", "helpers", "misc", "manager"];

/// What reaches outside the process, or asks what time it is.
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

/// What gives other results from run to run: hashing order and global dice.
const UNREPEATABLE: [&str; 5] = ["HashMap", "HashSet", "thread_rng", "rand::", "RandomState"];

/// Functions whose last place differs between mathematics libraries.
/// (`sqrt`, `abs`, `floor` and `mul_add` are exact by IEEE 754.)
const ELEMENTARY: [&str; 23] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sin_cos", "sinh", "cosh", "tanh", "exp",
    "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "powf", "powi", "cbrt", "hypot",
];

/// Modules of the outermost layers, whose figures never come back into a state.
const MAY_CALL_ELEMENTARY: [&str; 2] = ["report", "cli"];

/// What carries bytes between ranks is the one way out below the scenario: it has
/// to notice when nobody answers.
const CARRIERS: [&str; 15] = [
    "sync/loopback.rs",
    "sync/threads.rs",
    "sync/mpi.rs",
    "sync/tcp/mod.rs",
    "sync/tcp/handshake.rs",
    "sync/tcp/peer.rs",
    "sync/tcp/acceptor.rs",
    "sync/tcp/rendezvous.rs",
    "sync/tcp/timed.rs",
    "sync/pending_connections.rs",
    "sync/dds_domain.rs",
    "sync/dds/mod.rs",
    "sync/dds/admission.rs",
    "sync/dds/meeting.rs",
    "sync/dds/receiver.rs",
];

/// Crates of one module, whose files lie at the crate's root.
const FLAT: [&str; 4] = ["sync", "agent", "world", "ranks"];

/// Modules below the flat crates, which these bring in at their roots.
const ROWS: [&str; 14] = [
    "numeric", "spatial", "geodesy", "curve", "grid", "random", "soil", "terrain", "ground", "scm",
    "sensor", "autonomy", "vehicle", "gpu",
];

struct Row {
    layer: u32,
    may_use: Vec<String>,
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

/// The rows `| L2 | `ground` | what it may use | what it is |` of the map.
fn map() -> BTreeMap<String, Row> {
    let text = architecture();
    let of_a_layer = |line: &&str| line.starts_with("| L") && line.as_bytes()[3].is_ascii_digit();
    let rows = text.lines().filter(of_a_layer);
    let map: BTreeMap<_, _> = rows
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let layer = cells[1][1..].parse().unwrap_or_else(|_| panic!("no layer: {line}"));
            let module = quoted(cells[2]).next().unwrap_or_else(|| panic!("no module: {line}"));
            let may_use = quoted(cells[3]).map(String::from).collect();
            (module.to_string(), Row { layer, may_use })
        })
        .collect();
    assert!(!map.is_empty(), "ARCHITECTURE.md holds no map");
    map
}

fn files_under(folder: &Path, found: &mut Vec<PathBuf>) {
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
    /// Path below `src`, for messages.
    name: String,
    /// Its place in the tree of modules, outermost first.
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

/// The module that all files of a crate belong to, if its files lie at its root.
fn flat_crate(folder: &Path) -> Option<&'static str> {
    let name = folder.parent()?.file_name()?.to_str()?;
    FLAT.into_iter().find(|flat| *flat == name)
}

fn sources_of(folder: &Path) -> Vec<Source> {
    let flat = flat_crate(folder);
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
        let name = flat.map_or_else(|| name.clone(), |flat| format!("{flat}/{name}"));
        flat.into_iter().for_each(|flat| module.insert(0, flat.into()));
        let text = without_comments(&fs::read_to_string(path).unwrap());
        let tests_at = if module.last().is_some_and(|last| last == "tests") {
            0
        } else {
            text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len())
        };
        Some(Source { name, module, text, tests_at })
    });
    sources.collect()
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

/// Top modules that a file reaches, by `crate::`, by the name of a crate or by `super::` up to the
/// root.
fn reached(source: &Source) -> Vec<&str> {
    let text = &source.text;
    let is_flat = FLAT.contains(&source.module[0].as_str());
    let mut found = Vec::new();
    for (at, path) in text.match_indices("crate::") {
        if begins_word(text, at) {
            let heads = heads(&text[at + path.len()..]);
            // a flat crate's own modules are in no row
            let is_row = |head: &&str| !is_flat || ROWS.contains(head);
            // the facade's name of agents, worlds and ranks
            found.extend(heads.into_iter().filter(|head| *head != "simulation").filter(is_row));
        }
    }
    for (at, path) in text.match_indices("bekker_") {
        let name = word(&text[at + path.len()..]);
        if begins_word(text, at) && FLAT.contains(&name) {
            found.push(name);
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
                found.extend(heads(rest));
            }
        }
    }
    found
}

fn declared_modules() -> Vec<String> {
    let declared = folders().into_iter().flat_map(|folder| {
        if let Some(flat) = flat_crate(&folder) {
            return vec![flat.to_string()];
        }
        let text = fs::read_to_string(folder.join("lib.rs")).unwrap();
        let modules = text.lines().filter_map(|line| line.trim().strip_prefix("pub mod "));
        let modules = modules.filter_map(|name| name.strip_suffix(';'));
        modules.map(ToString::to_string).collect::<Vec<_>>()
    });
    declared.collect()
}

fn report(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn the_map_is_whole_and_points_downwards() {
    let map = map();
    let mut declared = declared_modules();
    declared.sort();
    assert_eq!(declared, map.keys().cloned().collect::<Vec<_>>());
    for (module, row) in &map {
        for used in &row.may_use {
            let other = map.get(used).unwrap_or_else(|| panic!("{module} may use no {used}"));
            let lower = other.layer < row.layer;
            // Within a layer only where the table says so, and never in a ring.
            let beside = other.layer == row.layer && !other.may_use.contains(module);
            assert!(lower || beside, "{module} (L{}) may not use {used}", row.layer);
        }
    }
}

#[test]
fn a_module_uses_only_what_its_row_lists() {
    let map = map();
    let mut faults = Vec::new();
    for source in sources() {
        let module = &source.module[0];
        for used in reached(&source) {
            if used != module && !map[module].may_use.iter().any(|allowed| allowed == used) {
                faults.push(format!("{} uses {used}, which {module} may not", source.name));
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
        map[&source.module[0]].layer <= 5 && !CARRIERS.contains(&source.name.as_str())
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
        if MAY_CALL_ELEMENTARY.contains(&source.module[0].as_str()) {
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
fn every_module_has_a_name_that_says_something() {
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
fn escapes_are_seen() {
    let source = |text: &str, tests_at: usize| Source {
        name: "soil/law.rs".into(),
        module: vec!["soil".into(), "law".into()],
        text: text.into(),
        tests_at,
    };
    let text = "use crate::{ground::{A, B}, grid};\nlet x = crate::scm::f(super::super::cli::y);";
    assert_eq!(reached(&source(text, text.len())), ["ground", "grid", "scm", "cli"]);
    // From the tests of a file one more step leads out.
    let text = "x\nsuper::super::sibling::f()";
    assert!(reached(&source(text, 1)).is_empty());
}
