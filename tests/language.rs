//! Names, comments, messages and pages keep to plain technical English and American spelling.
//!
//! The rules are those of CONTRIBUTING.md. To add wording, extend a table below. An entry of
//! [`EXCEPTIONS`] allows one spelling for a stated reason.

use clap::CommandFactory;
use rayon::prelude::*;
use regex::Regex;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Wording in comments, messages and pages as a regular expression, with its replacement.
const PHRASES: &[(&str, &str)] = &[
    (r"(?:giv(?:e|es|ing|en)|gave) way\b", "deforms, is flexible; yields the right of way"),
    (r"(?:is|are|was|were|be|been|being|as) told\b", "receives, is reported, is notified"),
    (r"(?:tells?|told) (?:of|apart|that)\b", "reports, warns about; distinguishes"),
    (
        r"(?:says?|said) (?:how|what|which|so|why|where|whether|who)\b",
        "specifies, states, describes",
    ),
    (
        r"(?:go(?:es)?|going|gone|went) on (?:with|as if|from|by itself|where)\b",
        "continues, resumes",
    ),
    (r"(?:let|lets|letting) go of\b", "releases, uncouples"),
    (r"anew\b", "again, from scratch"),
    (r"in (?:the )?(?:place|stead) of\b", "instead of, replacing"),
    (r"in its stead\b", "instead"),
    (r"what (?:stands|came of|comes of|it came to|goes wrong)\b", "obstacle; result; fault"),
    (r"(?:hear|hears|heard|hearing) (?:of|from)\b", "receives, subscribes to"),
    (r"(?:those|ones?|ranks?|nobody|somebody) who\b", "name the component"),
    (
        r"who (?:drives?|connects?|commands?|asks?|speaks?|gives?) ",
        "name the component: external controller, client, peer",
    ),
    (r"(?:nobody|somebody)\b", "no rank, no client, none; another process"),
    (r"in the mean\b", "on average"),
    (r"in the measure\b", "in proportion to"),
    (r"(?:by how much|by so much|so many)\b", "by; N; up to N"),
    (r"of one's own\b", "custom"),
    (r"(?:told|driven|commanded|controlled) from outside\b", "external"),
    (r"(?:owes?|owed|dealt|deals out)\b", "holds back, sends later; distributes"),
    (r"hangs? on (?:the|a|an|what|it|its)\b", "depends on"),
    (r"(?:is|are|still|get|gets) under way\b", "is still driving, in progress"),
    (r"hung up\b", "high-centered"),
    (r"on its belly\b", "high-centered"),
    (r"what it (?:does|came to|comes to|is asked)\b", "behavior; result"),
    (r"as it was told\b", "as sent, as received"),
    (r"says how sure\b", "reports the confidence interval"),
    (r"(?:wherefrom|whereby|whereon|by and by)\b", "name the relation"),
    (r"(?:is|are) (?:asked|wanted) for\b", "is requested"),
    (r"(?:taken|takes|took) down\b", "recorded, logged"),
    (r"set down anew\b", "placed again"),
    (r"has not got on\b", "is stalled"),
    (r"wants to go on\b", "requests drive"),
];

/// Names of types that say nothing without their module.
const TYPES: &str = "About Ahead Answer Answering Aside Asked Asker Awaited Begun Beside Between Boom \
    Call Commanded Door Draft Drafted Driven Due Fact Figured Figures Four Going Growing Hall Heard \
    Held Holds Homes In Kept Known Landings LastWords Lean Left Letter Lid Look Loose Maker Mark Met \
    Mixed Moment Most Moving Next Nothing Numbers Of Otherwise Out Output Own Parts Place Placed Press \
    Pressed Puff Question React Row Said Says Seat Seen Settling Shown Sighted Sixteen Slid Spent Spot \
    Stand StandIn Standing Stood Struck Take Taken Taker Thing Things Told Trust Under Uncertain Usual \
    Verdict Wander Wanted Way Wear Where Why Wide Wish Written";

/// Names of functions that say nothing of what is returned or done.
const FUNCTIONS: &str = "of at over by on within beside among near told asked met given taken shown \
    heard said lend suffer heed untold stayed stands lies wears meet hear say tell begun elsewhere";

/// Names of tests that speak of code as of people.
const TEST_NAME: &str = r"(?:^|_)(?:says?|tells?|told|asked|asks|knows?|heard?|hears|nobody|somebody|who|whom|forgets?|owes?)(?:_|$)|^what_|_what_";

/// Names of files that say nothing of their content.
const FILES: &str =
    "apart kept otherwise heard sealed lying utils util common helpers misc manager told";

/// Words that keys, options and columns no longer use.
const RETIRED: &str =
    "hump look deal owner course stage eyes glance darkroom sketch mover meeting haste beat";

/// British spellings within words, with the American ones.
const SPELLINGS: &[(&str, &str)] = &[
    ("tyre", "tire"),
    ("centre", "center"),
    ("centred", "centered"),
    ("colour", "color"),
    ("neighbour", "neighbor"),
    ("behaviour", "behavior"),
    ("catalogue", "catalog"),
    ("metre", "meter"),
    ("litre", "liter"),
    ("fibre", "fiber"),
    ("calibre", "caliber"),
    ("plough", "plow"),
    ("grey", "gray"),
    ("kerb", "curb"),
    ("mould", "mold"),
    ("honour", "honor"),
    ("favour", "favor"),
    ("vapour", "vapor"),
    ("armour", "armor"),
    ("artefact", "artifact"),
    ("defence", "defense"),
    ("licence", "license"),
    ("whilst", "while"),
    ("analysed", "analyzed"),
    ("analysing", "analyzing"),
    ("modelled", "modeled"),
    ("modelling", "modeling"),
    ("labelled", "labeled"),
    ("travelled", "traveled"),
    ("travelling", "traveling"),
    ("cancelled", "canceled"),
    ("signalled", "signaled"),
    ("localis", "localiz"),
    ("mobilis", "mobiliz"),
    ("quantis", "quantiz"),
    ("serialis", "serializ"),
    ("initialis", "initializ"),
    ("optimis", "optimiz"),
    ("normalis", "normaliz"),
    ("organis", "organiz"),
    ("visualis", "visualiz"),
    ("discretis", "discretiz"),
    ("synchronis", "synchroniz"),
    ("recognis", "recogniz"),
    ("minimis", "minimiz"),
    ("maximis", "maximiz"),
    ("randomis", "randomiz"),
    ("linearis", "lineariz"),
    ("penalis", "penaliz"),
    ("summaris", "summariz"),
    ("generalis", "generaliz"),
    ("factoris", "factoriz"),
];

/// Allowed wording: path or its start, words of the line, reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("tests/language.rs", "", "the tables of this test"),
    ("docs/glossary.md", "British", "names the British forms once"),
    ("python/src/envs.rs", "fn over(", "attribute of Python"),
    ("crates/vehicle/vehicles/", "armourblog", "name of a source"),
    ("", "optimis", "optimistic and optimism are American too"),
    ("", "alias = ", "British forms of keys that were written once"),
    ("crates/scenario/src/lib.rs", ".replace(", "a test of British forms of keys"),
    ("crates/scenario/src/conform.rs", "    (\"", "the British forms of keys"),
    ("crates/vehicle/src/spec/check/mod.rs", "let british", "a test of British forms of keys"),
    ("crates/ground/src/terrain/", "\"", "units and methods as WKT, ESRI and PROJ spell them"),
    ("crates/ground/tests/", "metre", "units as WKT spells them"),
    ("crates/report/src/clouds.rs", "UNIT[", "units as WKT spells them"),
];

/// Folders and pages that are checked.
const ROOTS: &[&str] = &[
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "README.md",
    "benches",
    "crates",
    "docs",
    "examples",
    "fmi",
    "fuzz",
    "python",
    "scripts",
    "src",
    "tests",
    "tools",
];

/// Parts of paths that are not written by hand, or not by this project.
const SKIPPED: &[&str] =
    &["/target/", "/vendor/", "/node_modules/", "generated", "docs/api/", ".venv"];

/// Extensions of the files that are checked.
const EXTENSIONS: &[&str] = &["rs", "py", "pyi", "md", "js", "wgsl", "toml", "sh", "c", "fbs"];

/// Text that people read, with the number of its first line.
struct Passage {
    line: usize,
    text: String,
}

/// Lists the files below a path, relative to the root of the repository.
fn list(path: &str, found: &mut Vec<String>) {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if SKIPPED.iter().any(|part| format!("/{path}/").contains(part)) || full.is_symlink() {
        return;
    }
    if full.is_dir() {
        for entry in fs::read_dir(full).unwrap() {
            list(&format!("{path}/{}", entry.unwrap().file_name().to_string_lossy()), found);
        }
    } else if path.rsplit_once('.').is_some_and(|(_, end)| EXTENSIONS.contains(&end)) {
        found.push(path.to_owned());
    }
}

/// Returns the length of the string literal at the start of a Rust text, in bytes, if there is one.
fn string_length(text: &str) -> Option<usize> {
    let raw = text.trim_start_matches(['b', 'c']).strip_prefix('r').map(|rest| {
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        (rest, hashes)
    });
    if let Some((rest, hashes)) = raw
        && rest[hashes..].starts_with('"')
    {
        let close = format!("\"{}", "#".repeat(hashes));
        let start = text.len() - rest.len() + hashes + 1;
        return text[start..].find(&close).map(|end| start + end + close.len());
    }
    if !text.starts_with('"') {
        return None;
    }
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// Returns the comments and the strings with spaces of a Rust file. Lines of one comment are joined.
fn rust_passages(text: &str) -> Vec<Passage> {
    let mut found: Vec<Passage> = Vec::new();
    let (mut at, mut line) = (0, 1);
    // the last line of a comment, and the index of its passage
    let mut open: Option<(usize, usize)> = None;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let rest = &text[at..];
        let starts_word =
            at == 0 || !(bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
        let length = match bytes[at] {
            b'/' if rest.starts_with("//") => {
                let length = rest.find('\n').unwrap_or(rest.len());
                let comment = rest[..length].trim_start_matches(['/', '!']);
                let starts_line =
                    text[..at].rsplit('\n').next().unwrap_or_default().trim().is_empty();
                match open {
                    Some((last, index))
                        if last + 1 == line && starts_line && !comment.trim().is_empty() =>
                    {
                        found[index].text.push('\n');
                        found[index].text.push_str(comment);
                        open = Some((line, index));
                    }
                    _ => {
                        open = Some((line, found.len()));
                        found.push(Passage { line, text: comment.to_owned() });
                    }
                }
                length
            }
            b'"' | b'r' | b'b' | b'c' if starts_word || bytes[at] == b'"' => {
                let length = string_length(rest).unwrap_or(0);
                if rest[..length].contains(' ') {
                    let text = rest[..length].replace("\\\n", "\n");
                    found.push(Passage { line, text });
                }
                length.max(1)
            }
            // a character; a lifetime has no second quote
            b'\'' => {
                let escaped = usize::from(rest[1..].starts_with('\\'));
                let close = rest.char_indices().skip(2 + escaped).take(8).find(|c| c.1 == '\'');
                match close {
                    Some((end, _)) if escaped == 1 || rest.chars().nth(2) == Some('\'') => end + 1,
                    _ => 1,
                }
            }
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        line += rest[..length].matches('\n').count();
        at += length;
    }
    found
}

/// Returns the paragraphs of a page, or the comments of a file whose comments start with `#` or `//`.
fn other_passages(path: &str, text: &str) -> Vec<Passage> {
    let is_page = path.ends_with(".md");
    let mut found: Vec<Passage> = Vec::new();
    let mut last = 0;
    for (number, line) in text.lines().enumerate() {
        let part = match line.trim_start() {
            line if is_page => line,
            line => ["# ", "//", "\"\"\""]
                .iter()
                .find_map(|sign| line.split_once(sign))
                .map_or("", |p| p.1),
        };
        if part.trim().is_empty() {
            continue;
        }
        match found.last_mut() {
            Some(passage) if last == number && !part.starts_with('|') => {
                passage.text.push('\n');
                passage.text.push_str(part);
            }
            _ => found.push(Passage { line: number + 1, text: part.to_owned() }),
        }
        last = number + 1;
    }
    found
}

fn is_allowed(path: &str, line: &str) -> bool {
    EXCEPTIONS.iter().any(|(start, words, _)| path.starts_with(start) && line.contains(words))
}

/// Returns a regular expression that matches any of these words whole.
fn any_of(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join("|")
}

/// Regular expressions of the tables.
struct Rules {
    phrases: Vec<(Regex, &'static str)>,
    any_phrase: Regex,
    spelling: Regex,
    definition: Regex,
    banned_type: Regex,
    banned_function: Regex,
    test_name: Regex,
}

impl Rules {
    fn new() -> Rules {
        // words of a phrase may be on two lines
        let spaced = |phrase: &str| phrase.replace(' ', r"\s+");
        let whole = |phrase: &str| format!(r"(?i-u)\b(?:{})", spaced(phrase));
        let phrases = PHRASES.iter().map(|(phrase, instead)| (regex(&whole(phrase)), *instead));
        let all: Vec<String> = PHRASES.iter().map(|(phrase, _)| spaced(phrase)).collect();
        // `ProximityReply` has no tyre
        let cases = |stem: &str| {
            let capital = stem[..1].to_uppercase() + &stem[1..];
            [stem.to_owned(), capital, stem.to_uppercase()].join("|")
        };
        let stems: Vec<String> = SPELLINGS.iter().map(|(stem, _)| cases(stem)).collect();
        Rules {
            phrases: phrases.collect(),
            any_phrase: regex(&format!(r"(?i-u)\b(?:{})", all.join("|"))),
            spelling: regex(&stems.join("|")),
            definition: regex(r"\b(struct|enum|trait|type|union|fn)\s+(\w+)"),
            banned_type: regex(&format!("^(?:{})$", any_of(TYPES))),
            banned_function: regex(&format!("^(?:{})$", any_of(FUNCTIONS))),
            test_name: regex(TEST_NAME),
        }
    }

    /// Returns the faults of a file, each with its line, wording and replacement.
    fn check(&self, path: &str) -> Vec<String> {
        let Ok(text) = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)) else {
            return Vec::new();
        };
        let mut faults = Vec::new();
        let is_rust = path.ends_with(".rs");
        for (number, line) in text.lines().enumerate().map(|(n, line)| (n + 1, line)) {
            let place = format!("{path}:{number}");
            if let Some(found) = self.spelling.find(line)
                && !is_allowed(path, line)
            {
                let stem = found.as_str().to_lowercase();
                let (_, american) = SPELLINGS.iter().find(|(british, _)| *british == stem).unwrap();
                faults.push(format!("{place}: \"{}\": write \"{american}\"", found.as_str()));
            }
            if is_rust && !is_allowed(path, line) {
                faults.extend(self.check_definition(line).map(|fault| format!("{place}: {fault}")));
            }
        }
        let passages = if is_rust { rust_passages(&text) } else { other_passages(path, &text) };
        for Passage { line, text } in passages {
            for found in self.any_phrase.find_iter(&text) {
                let number = line + text[..found.start()].matches('\n').count();
                let shown = text.lines().nth(number - line).unwrap_or_default();
                let rule = self.phrases.iter().find(|(rule, _)| rule.is_match(found.as_str()));
                let instead = rule.map_or("", |(_, instead)| instead);
                if !is_allowed(path, shown) {
                    let words = found.as_str().split_whitespace().collect::<Vec<_>>().join(" ");
                    faults.push(format!("{path}:{number}: \"{words}\": write: {instead}"));
                }
            }
        }
        let name =
            path.rsplit('/').next().unwrap_or_default().split('.').next().unwrap_or_default();
        if FILES.split_whitespace().any(|file| file == name) {
            faults.push(format!("{path}: name the file by its content"));
        }
        faults
    }

    /// Returns the fault of the name that a line of Rust defines, if any.
    fn check_definition(&self, line: &str) -> Option<String> {
        let code = line.split("//").next().unwrap_or_default();
        let found = self.definition.captures(code)?;
        let (kind, name) = (&found[1], &found[2]);
        // an associated type has the name of its trait
        let is_associated = kind == "type" && line.starts_with(' ');
        if kind != "fn" {
            return (!is_associated && self.banned_type.is_match(name)).then(|| {
                format!("type \"{name}\": write a noun that is clear without its module")
            });
        }
        if self.banned_function.is_match(name) {
            return Some(format!("fn \"{name}\": write a verb, or the noun that it returns"));
        }
        let is_personal = code.contains("()") && self.test_name.is_match(name);
        is_personal.then(|| format!("fn \"{name}\": name the behavior, not a person or a \"what\""))
    }
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"))
}

#[test]
fn wording_is_plain_and_american() {
    let mut files = Vec::new();
    ROOTS.iter().for_each(|root| list(root, &mut files));
    assert!(files.len() > 1000, "{} files: are they still found?", files.len());
    let rules = Rules::new();
    let mut faults: Vec<String> = files.par_iter().flat_map(|path| rules.check(path)).collect();
    faults.sort();
    assert!(
        faults.is_empty(),
        "{} faults (see tests/language.rs):\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// Long names of all options, of subcommands too.
fn options(command: &clap::Command, found: &mut BTreeSet<String>) {
    found.extend(command.get_arguments().filter_map(|o| o.get_long()).map(str::to_owned));
    command.get_subcommands().for_each(|inner| options(inner, found));
}

/// Every word of a key or column is in the glossary or a plain word
/// (`docs::every_term_is_in_the_glossary`), so a retired word that is in neither is in no key or
/// column.
#[test]
fn retired_words_are_gone() {
    let mut names = BTreeSet::new();
    options(&<bekker::cli::Cli as CommandFactory>::command(), &mut names);
    let base = Path::new(env!("CARGO_MANIFEST_DIR"));
    let terms = fs::read_to_string(base.join("docs/glossary.md")).unwrap();
    let plain = fs::read_to_string(base.join("tests/data/plain_words.txt")).unwrap();
    let rows = terms.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| --"));
    let cells = rows.filter_map(|row| row.split('|').nth(1)).chain(plain.lines());
    names.extend(cells.map(str::to_lowercase));
    let is_name = |c: char| c.is_alphanumeric();
    let retired: BTreeSet<&str> = RETIRED.split_whitespace().collect();
    // the look-ahead distance of pure pursuit is called so in its literature
    let names = names.iter().map(|name| name.replace("look_ahead", ""));
    let used: Vec<String> = names
        .filter(|name| name.split(|c| !is_name(c)).any(|word| retired.contains(word)))
        .collect();
    assert!(used.is_empty(), "retired words in keys, options or the glossary: {used:#?}");
}

#[test]
fn comments_strings_and_definitions_are_found() {
    let text = "/// Ground that gives\n/// way.\nfn told<'a>() -> char { let x = 'a'; '\"' } // so many\n\
                const TEXT: &str = r#\"one \"of\" us, anew\"#; // \"no string\"\n";
    let passages = rust_passages(text);
    let lines: Vec<usize> = passages.iter().map(|passage| passage.line).collect();
    assert_eq!(lines, [1, 3, 4, 4]);
    assert!(passages[2].text.contains("\"of\" us, anew"));
    let rules = Rules::new();
    assert!(rules.any_phrase.is_match(&passages[0].text), "over two lines");
    assert!(rules.check_definition("    pub fn told(x: f64) {").is_some());
    assert!(rules.check_definition("pub(super) struct Answer<'a> {").is_some());
    assert!(rules.check_definition("fn a_file_says_so() {").is_some());
    assert!(rules.check_definition("fn contact_patch_width(&self) -> f64 {").is_none());
    assert!(rules.spelling.is_match("TyreState") && !rules.spelling.is_match("TireState"));
}
