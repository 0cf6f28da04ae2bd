//! Checks the documentation against the program: commands run, links have targets, also on the site
//! with its generated pages, and every word of a key, option or column is in the glossary.
//!
//! On pages, an HTML comment before a fenced block controls this test:
//! `<!-- file: NAME -->` writes the block to a file that later commands of the page
//! use, `<!-- not run by tests: REASON -->` skips the block. A block under
//! `<!-- output of the command above -->` shows the output of the last command above it. With
//! `, from WORDS` it shows the lines from the first that begins with these words to the next empty
//! line; with `, sentence from WORDS` that one line, wrapped to the width of the page. The command
//! runs in full. `…` in such a block matches any text in its line, for wall times and rates, which differ
//! by host. `BEKKER_WRITE_DOCS=1 cargo test --test docs commands_run` writes today's output into the
//! pages instead of comparing; lines that still match, with their `…`, stay.

use assert_cmd::cargo::cargo_bin;
use rayon::prelude::*;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// Pages of keys, with the format of each. Links to their sections lead to the tables that `bekker
/// schema --markdown` prints; `scripts/site.py` writes these tables into the site.
const KEYS: [(&str, &str); 3] = [
    ("docs/keys.md", "scenario"),
    ("docs/wheeled_keys.md", "wheeled"),
    ("docs/tracked_keys.md", "tracked"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// Markdown in and below a folder, by path from the root.
fn below(folder: &str) -> Vec<String> {
    below_in(root(), folder)
}

/// Markdown in and below a folder, by path from `base`.
fn below_in(base: &Path, folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(base.join(folder)).unwrap() {
        let path = format!("{folder}/{}", entry.unwrap().file_name().to_string_lossy());
        if base.join(&path).is_dir() {
            found.extend(below_in(base, &path));
        } else if path.ends_with(".md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// All pages that people read.
fn pages() -> Vec<String> {
    let single = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
    let mut all: Vec<String> = single.iter().map(|page| page.to_string()).collect();
    all.extend(["docs", "examples", "terrains"].into_iter().flat_map(below));
    all
}

/// A block of code of a page, with the comment before it.
struct Block {
    language: String,
    comment: String,
    /// Number of the first of `lines` in the page, from 0.
    first: usize,
    lines: Vec<String>,
}

/// Fenced blocks and those indented by four spaces.
fn blocks(text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let (mut fenced, mut indented, mut blank, mut comment) = (false, false, true, String::new());
    for (number, line) in text.lines().enumerate() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            fenced = !fenced;
            if fenced {
                let (language, comment) = (language.to_owned(), std::mem::take(&mut comment));
                found.push(Block { language, comment, first: number + 1, lines: Vec::new() });
            }
        } else if fenced {
            found.last_mut().unwrap().lines.push(line.to_owned());
        } else if let Some(code) = line.strip_prefix("    ").filter(|_| blank || indented) {
            if !indented {
                let (language, comment) = ("sh".to_owned(), std::mem::take(&mut comment));
                found.push(Block { language, comment, first: number, lines: Vec::new() });
            }
            indented = true;
            found.last_mut().unwrap().lines.push(code.to_owned());
        } else {
            indented = false;
            if let Some(text) = line.strip_prefix("<!-- ").and_then(|l| l.strip_suffix(" -->")) {
                comment = text.to_owned();
            } else if !line.trim().is_empty() {
                comment.clear();
            }
        }
        blank = line.trim().is_empty();
    }
    found
}

/// Lines of a block with continued ones put together.
fn commands(block: &Block) -> Vec<String> {
    let joined = block.lines.join("\n").replace("\\\n", " ");
    let bare = |line: &str| line.split(" # ").next().unwrap_or_default().trim().to_owned();
    let bekker = |line: String| match line.strip_prefix("cargo run --release -- ") {
        Some(rest) => format!("bekker {rest}"),
        None => line,
    };
    let run = |line: &String| ["bekker ", "cp "].iter().any(|start| line.starts_with(start));
    joined.lines().map(bare).map(bekker).filter(run).collect()
}

/// Returns a shorter form of the command: drives of a fifth of a second, small pictures, rigs
/// unchecked.
fn shortened(command: &str) -> String {
    let mut words: Vec<&str> = command.split_whitespace().collect();
    let has = |words: &[&str], option: &str| words.iter().any(|w| w.starts_with(option));
    match words.get(1) {
        Some(&"run") if !has(&words, "--resume") && !has(&words, "time.duration") => {
            words.extend(["--set", "time.duration=0.2", "--no-picture"]);
        }
        Some(&"render") => {
            if let Some(time) = words.iter().position(|word| *word == "--time") {
                words[time + 1] = "0.1";
            }
            words.extend(["--size", "160x90", "--supersample", "1"]);
        }
        Some(&"rig") => words.extend(["--no-check", "--no-plot"]),
        Some(&"bench") => panic!("takes minutes, mark it: {command}"),
        _ => {}
    }
    words.join(" ")
}

/// Returns the same command in full; only options that do not change its printed table differ.
fn whole(command: &str) -> String {
    match command.split_whitespace().nth(1) {
        Some("run") => format!("{command} --no-picture"),
        _ => shortened(command),
    }
}

/// Start of the comment above a block of output.
const OUTPUT: &str = "output of the command above";
/// Columns of a page.
const COLUMNS: usize = 110;

/// The lines of a command's output that a block must show.
fn excerpt(comment: &str, output: &str) -> Result<Vec<String>, String> {
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    let from = |words: &str| {
        let first = lines.iter().position(|line| line.trim_start().starts_with(words));
        first.ok_or_else(|| format!("no line of the output begins with `{words}`:\n{output}"))
    };
    let rest = comment.strip_prefix(OUTPUT).unwrap_or_default();
    if let Some(words) = rest.strip_prefix(", sentence from ") {
        let first = from(words)?;
        // continued lines are indented
        let more = lines[first + 1..].iter().take_while(|line| line.starts_with("  "));
        let sentence: Vec<&str> = lines[first..=first].iter().chain(more).copied().collect();
        return Ok(wrapped(&sentence.join(" ")));
    }
    let first = match rest.strip_prefix(", from ") {
        Some(words) => from(words)?,
        None => lines.iter().position(|line| !line.is_empty()).unwrap_or(0),
    };
    let is_part = rest.starts_with(", from ");
    let end = lines[first..].iter().position(|line| is_part && line.is_empty());
    let mut taken = lines[first..end.map_or(lines.len(), |n| first + n)].to_vec();
    while taken.last().is_some_and(|line| line.is_empty()) {
        taken.pop();
    }
    Ok(taken.into_iter().map(str::to_owned).collect())
}

/// A sentence in lines as long as a page is wide.
fn wrapped(sentence: &str) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in sentence.split_whitespace() {
        let last = lines.last_mut().unwrap();
        if last.is_empty() {
            last.push_str(word);
        } else if last.chars().count() + 1 + word.chars().count() <= COLUMNS {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Returns whether a line of a page matches a line of output; `…` matches any text.
fn matches(line: &str, output: &str) -> bool {
    let mut parts = line.trim_end().split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = output.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Today's lines for a block, where it does not match; lines that still do stay as they are.
fn renewed(block: &Block, output: &[String]) -> Option<Vec<String>> {
    let same = block.lines.len() == output.len();
    if same && block.lines.iter().zip(output).all(|(own, output)| matches(own, output)) {
        return None;
    }
    let line = |(n, output): (usize, &String)| match block.lines.get(n) {
        Some(own) if matches(own, output) => own.clone(),
        _ => output.clone(),
    };
    Some(output.iter().enumerate().map(line).collect())
}

/// Replaces lines of a page: (first, count, new lines), from the last block to the first.
fn rewrite(page: &str, mut changes: Vec<(usize, usize, Vec<String>)>) {
    let text = read(page);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    changes.sort_by_key(|change| std::cmp::Reverse(change.0));
    for (first, count, new) in changes {
        lines.splice(first..first + count, new);
    }
    fs::write(root().join(page), lines.join("\n") + "\n").unwrap();
}

/// A folder with the repository's files that a page's commands read, with the program
/// on the path.
struct PageFolder(tempfile::TempDir);

impl PageFolder {
    fn new() -> PageFolder {
        let place = PageFolder(tempfile::tempdir().unwrap());
        let path = place.0.path();
        let parts = ["examples", "terrains", "crates/vehicle/vehicles", "bin"];
        parts.iter().for_each(|part| fs::create_dir_all(path.join(part)).unwrap());
        std::os::unix::fs::symlink(cargo_bin("bekker"), path.join("bin/bekker")).unwrap();
        let copied = format!(
            "cp -r '{0}/examples' '{0}/terrains' . && cp '{0}'/crates/vehicle/vehicles/* crates/vehicle/vehicles",
            root().display()
        );
        place.run(&copied).unwrap();
        place
    }

    fn run(&self, command: &str) -> Result<String, String> {
        self.printed(command).map(|(output, _)| output)
    }

    /// Standard output and standard error of a command.
    fn printed(&self, command: &str) -> Result<(String, String), String> {
        let bin = self.0.path().join("bin");
        let search = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(self.0.path())
            .env("PATH", search)
            .env("RAYON_NUM_THREADS", "1")
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let told = format!("{command}\n{}{}", text(&output.stdout), text(&output.stderr));
        let both = (text(&output.stdout), text(&output.stderr));
        if output.status.success() { Ok(both) } else { Err(told) }
    }

    /// Drives examples whose runs a command reads, unless the page drives them.
    fn prepare(&self, command: &str) -> Result<(), String> {
        let words: Vec<&str> = command.split_whitespace().collect();
        for pair in words.windows(2).filter(|pair| pair[0] != "--out") {
            let run = pair[1].strip_prefix("runs/").and_then(|run| run.rsplit_once('-'));
            let Some((name, _)) = run else { continue };
            let example = format!("examples/{name}.toml");
            let there = |path: &str| self.0.path().join(path).exists();
            if !there(pair[1]) && there(&example) {
                self.run(&shortened(&format!("bekker run {example} --out {}", pair[1])))?;
            }
        }
        Ok(())
    }
}

/// Runs a page's commands in order and compares its blocks of output; returns the number of commands.
fn follow(page: &str) -> Result<usize, String> {
    let blocks = blocks(&read(page));
    let wanted = |block: &&Block| !block.comment.starts_with("not run by tests: ");
    let blocks: Vec<&Block> = blocks.iter().filter(wanted).collect();
    let (mut place, mut done) = (None, 0);
    let mut printed: Option<(String, String)> = None;
    let mut changes = Vec::new();
    for (n, block) in blocks.iter().enumerate() {
        if let Some(name) = block.comment.strip_prefix("file: ") {
            let place = place.get_or_insert_with(PageFolder::new);
            fs::write(place.0.path().join(name), block.lines.join("\n") + "\n").unwrap();
        }
        if block.comment.starts_with(OUTPUT) {
            let (output, errors) = printed.as_ref().ok_or("no command is above the output")?;
            let today =
                excerpt(&block.comment, output).or_else(|_| excerpt(&block.comment, errors))?;
            changes.extend(renewed(block, &today).map(|new| (block, new)));
        }
        if ["sh", "console"].contains(&block.language.as_str()) {
            let commands = commands(block);
            let is_last = !commands.is_empty() && is_shown(&blocks[n + 1..]);
            for (k, command) in commands.iter().enumerate() {
                let place = place.get_or_insert_with(PageFolder::new);
                place.prepare(command)?;
                let is_whole = is_last && k + 1 == commands.len();
                let own = if is_whole { whole(command) } else { shortened(command) };
                printed = Some(place.printed(&own)?);
                done += 1;
            }
        }
    }
    if changes.is_empty() {
        return Ok(done);
    }
    if std::env::var_os("BEKKER_WRITE_DOCS").is_some() {
        let change = |(block, new): (&&Block, Vec<String>)| (block.first, block.lines.len(), new);
        rewrite(page, changes.into_iter().map(change).collect());
        return Ok(done);
    }
    let told = |(block, new): &(&&Block, Vec<String>)| {
        format!(
            "line {}: the page shows\n{}\nand the command prints\n{}",
            block.first + 1,
            block.lines.join("\n"),
            new.join("\n")
        )
    };
    let told: Vec<String> = changes.iter().map(told).collect();
    let how = "BEKKER_WRITE_DOCS=1 cargo test --test docs commands_run writes today's output";
    Err(format!("{}\n{how}", told.join("\n")))
}

/// Whether a block of output comes before the next commands.
fn is_shown(blocks: &[&Block]) -> bool {
    let is_sh = |block: &Block| ["sh", "console"].contains(&block.language.as_str());
    let mut next = blocks.iter().take_while(|block| !is_sh(block) || commands(block).is_empty());
    next.any(|block| block.comment.starts_with(OUTPUT))
}

#[test]
fn output_is_found_wrapped_and_masked() {
    let output = "\nvehicle  m\n------\nhmmwv   76.2\n\nfast: 12.5 x in 3.1 s, so it is\n\n";
    let lines = |comment: &str| excerpt(&format!("{OUTPUT}{comment}"), output).unwrap();
    assert_eq!(lines("").len(), 5);
    assert_eq!(lines(", from vehicle"), ["vehicle  m", "------", "hmmwv   76.2"]);
    assert_eq!(lines(", sentence from fast:"), ["fast: 12.5 x in 3.1 s, so it is"]);
    assert!(excerpt(&format!("{OUTPUT}, from slow"), output).is_err());
    let long = "word ".repeat(60);
    assert!(wrapped(&long).iter().all(|line| line.chars().count() <= COLUMNS));
    for (line, is) in [
        ("fast: … x in … s, so it is", true),
        ("fast: …", true),
        ("fast: … y in … s, so it is", false),
        ("fast: 12.5 x in 3.1 s, so it is", true),
        ("fast: 12.5 x in 3.1 s", false),
        ("… it is not", false),
    ] {
        assert_eq!(matches(line, "fast: 12.5 x in 3.1 s, so it is"), is, "{line}");
    }
    let own = ["fast: … s, so it is", "old"].map(str::to_owned).to_vec();
    let block = Block { language: String::new(), comment: String::new(), first: 0, lines: own };
    let today = ["fast: 1 x in 2 s, so it is", "new"].map(str::to_owned);
    let renewed = renewed(&block, &today).unwrap();
    assert_eq!(renewed, ["fast: … s, so it is", "new"]);
}

#[test]
fn commands_run() {
    let pages: Vec<String> = pages().into_iter().filter(|page| page != "CHANGELOG.md").collect();
    let followed: Vec<(&String, Result<usize, String>)> =
        pages.par_iter().map(|page| (page, follow(page))).collect();
    let mut done = 0;
    for (page, result) in followed {
        done += result.unwrap_or_else(|told| panic!("{page}: {told}"));
    }
    assert!(done > 40, "{done} commands run: are they still found?");
}

#[test]
fn subcommands_exist() {
    let cli = <bekker::cli::Cli as clap::CommandFactory>::command();
    for page in pages() {
        let text = read(&page);
        for code in text.split('`').skip(1).step_by(2) {
            let Some(rest) = code.strip_prefix("bekker ") else { continue };
            let mut known = &cli;
            for word in rest.split_whitespace().take(2) {
                let name = |c: char| c.is_ascii_lowercase() || c == '-';
                if word.starts_with('-') || !word.chars().all(name) || !known.has_subcommands() {
                    break;
                }
                let found = known.find_subcommand(word);
                // A subcommand with optional subcommands may have an argument itself.
                if found.is_none() && known.get_positionals().next().is_some() {
                    break;
                }
                known = found.unwrap_or_else(|| panic!("{page}: `{code}`: no command {word}"));
            }
        }
    }
}

/// Text of a page without code.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            // In a line, every second part between backticks is code.
            let parts: Vec<&str> = line.split('`').collect();
            let open = parts.len().is_multiple_of(2);
            let code = |n: usize| n % 2 == 1 && !(open && n + 1 == parts.len());
            let words = parts.iter().enumerate().map(|(n, part)| if code(n) { "" } else { part });
            kept.push_str(&words.collect::<String>());
            kept.push('\n');
        }
    }
    kept
}

/// Where the links of a page lead.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let found = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    found.map(str::to_owned).collect()
}

/// Anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut fenced = false;
    let heading = |line: &str| {
        fenced ^= line.trim_start().starts_with("```");
        if fenced || !line.starts_with('#') {
            return None;
        }
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
        let title = line.trim_start_matches('#').trim().to_lowercase();
        Some(title.chars().filter(kept).collect::<String>().replace(' ', "-"))
    };
    text.lines().filter_map(heading).collect()
}

/// A path without its `..`, from the root.
fn resolved(page: &str, target: &str) -> PathBuf {
    let mut path = Path::new(page).parent().unwrap_or(Path::new("")).to_path_buf();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => assert!(path.pop(), "{page}: {target} is outside"),
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

/// Checks the links of pages below `base`; `more` returns the anchors that a page has on the site.
fn check_links(base: &Path, pages: &[String], more: &dyn Fn(&Path) -> BTreeSet<String>) {
    let read = |page: &str| fs::read_to_string(base.join(page)).unwrap();
    for page in pages {
        for link in links(&read(page)) {
            if ["https://", "http://", "mailto:"].iter().any(|start| link.starts_with(start)) {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { PathBuf::from(page) } else { resolved(page, file) };
            assert!(base.join(&target).exists(), "{page}: no {}", target.display());
            // The site contains the folder docs only.
            let inside = !page.starts_with("docs/") || target.starts_with("docs");
            assert!(inside, "{page}: {link} leads out of docs/: name the file in backticks");
            if !anchor.is_empty() {
                let mut there = anchors(&read(target.to_str().unwrap()));
                there.extend(more(&target));
                assert!(there.contains(anchor), "{page}: no heading {link}; there are {there:?}");
            }
        }
    }
}

#[test]
fn every_link_has_a_target() {
    let sections: BTreeMap<&str, BTreeSet<String>> =
        KEYS.iter().map(|(page, format)| (*page, anchors(&page_of_keys(format)))).collect();
    let more = |page: &Path| sections.get(page.to_str().unwrap()).cloned().unwrap_or_default();
    check_links(root(), &pages(), &more);
    let included = links(&read("ARCHITECTURE.md"));
    assert!(included.is_empty(), "ARCHITECTURE.md is shown in docs/ too: {included:?}");
}

/// `scripts/doc_pictures.sh` renders every picture of `docs/`, and a page lists its command.
#[test]
fn every_picture_is_listed_with_its_command() {
    let page = read("docs/reference/pictures.md");
    let listed: BTreeSet<&str> = page.split('`').skip(1).step_by(2).collect();
    let script = read("scripts/doc_pictures.sh");
    for folder in ["", "gallery/", "validation/"] {
        for entry in fs::read_dir(root().join("docs").join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let path = format!("{folder}{name}");
            let all = format!("{folder}*.png");
            let is_listed = listed.contains(path.as_str()) || listed.contains(all.as_str());
            assert!(!name.ends_with(".png") || is_listed, "docs/reference/pictures.md: no {path}");
        }
    }
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    for name in rows {
        assert!(script.contains(&format!("\n{name}() {{")), "scripts/doc_pictures.sh: no {name}()");
    }
}

/// Items of the prelude, each with the documentation above it.
fn prelude_items() -> Vec<(String, String)> {
    let text = read("src/prelude.rs");
    let mut found = Vec::new();
    let mut doc = String::new();
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix("///") {
            doc += comment;
            doc.push('\n');
        } else if let Some(path) = line.strip_prefix("pub use ") {
            let name = path.trim_end_matches(';').rsplit("::").next().unwrap_or_default();
            found.push((name.to_owned(), std::mem::take(&mut doc)));
        }
    }
    found
}

#[test]
fn every_name_of_the_prelude_has_an_example() {
    let items = prelude_items();
    assert!(items.len() > 40, "{items:?}");
    for (name, doc) in items {
        let examples: Vec<&str> = doc.split("```").skip(1).step_by(2).collect();
        let uses = |example: &&str| {
            example.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
        };
        assert!(examples.iter().any(uses), "no example of {name} in src/prelude.rs");
    }
}

/// Checks that the summary below `base` lists every page of `pages` once.
fn check_summary<'a>(base: &Path, pages: impl Iterator<Item = &'a String>) {
    let listed = links(&fs::read_to_string(base.join("docs/SUMMARY.md")).unwrap());
    for page in pages.filter(|page| *page != "docs/SUMMARY.md") {
        let name = page.trim_start_matches("docs/");
        let times = listed.iter().filter(|link| *link == name).count();
        assert_eq!(times, 1, "{page} is {times} times in docs/SUMMARY.md");
    }
}

#[test]
fn every_page_is_in_the_summary() {
    // scripts/site.py adds the decisions
    let is_decision =
        |page: &str| page.starts_with("docs/decisions/0") || page.starts_with("docs/decisions/1");
    let pages = below("docs");
    check_summary(root(), pages.iter().filter(|page| !is_decision(page)));
}

/// The site has a page for each section of keys, each command, and the Python interface.
#[test]
fn generated_pages_of_the_site_are_linked() {
    let folder = tempfile::tempdir().unwrap();
    let written = Command::new("python3")
        .arg(root().join("scripts/site.py"))
        .args([cargo_bin("bekker").as_path(), folder.path()])
        .output();
    let Ok(output) = written else { return eprintln!("NOT RUN: no python3") };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let pages = below_in(folder.path(), "docs");
    for page in ["keys/scenario/vehicle_sensor.md", "keys/tracked/shoe.md", "commands/run.md"] {
        assert!(pages.contains(&format!("docs/{page}")), "no {page} in {pages:?}");
    }
    check_links(folder.path(), &pages, &|_| BTreeSet::new());
    check_summary(folder.path(), pages.iter());
}

fn page_of_keys(format: &str) -> String {
    let output =
        Command::new(cargo_bin("bekker")).args(["schema", format, "--markdown"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The maker's curve in the example of the page on data sheets is 151 kW, as in road tests.
#[test]
fn a_data_sheet_gives_its_power_at_the_crankshaft() {
    let file = read("examples/vehicles/land_cruiser.toml");
    let spec = bekker::vehicle::AnySpec::from_toml(&file).unwrap();
    let rating = spec.powertrain().unwrap().engine.rating();
    assert!((rating.power - 151e3).abs() < 0.5e3 && rating.power_rpm == 3400.0, "{rating:?}");
    assert_eq!((rating.torque, spec.drag_area()), (430.0, Some(1.5)));
}

#[test]
fn a_section_of_keys_is_printed_alone() {
    let whole = page_of_keys("scenario");
    let arguments = ["schema", "--markdown", "--section", "radio"];
    let output = Command::new(cargo_bin("bekker")).args(arguments).output().unwrap();
    let section = String::from_utf8(output.stdout).unwrap();
    assert!(section.starts_with("## `radio`\n") && whole.contains(section.trim()), "{section}");
    let headings = section.lines().filter(|line| line.starts_with("## "));
    assert!(headings.clone().count() > 1 && headings.into_iter().all(|h| h.contains("`radio")));
}

/// Every key of a schema.
fn keys(schema: &Json, found: &mut BTreeSet<String>) {
    match schema {
        Json::Object(entries) => {
            if let Some(properties) = entries.get("properties").and_then(Json::as_object) {
                found.extend(properties.keys().cloned());
            }
            entries.values().for_each(|inner| keys(inner, found));
        }
        Json::Array(items) => items.iter().for_each(|inner| keys(inner, found)),
        _ => {}
    }
}

/// Returns every name that a user reads, with its kind.
fn names() -> BTreeMap<String, &'static str> {
    let mut named = BTreeMap::new();
    for (_, format) in KEYS {
        let output = Command::new(cargo_bin("bekker")).args(["schema", format]).output().unwrap();
        let mut found = BTreeSet::new();
        keys(&serde_json::from_slice(&output.stdout).unwrap(), &mut found);
        named.extend(found.into_iter().map(|key| (key, "key")));
    }
    let place = PageFolder::new();
    let run = "bekker run examples/single_vehicle.toml --set time.duration=0.5 --out run";
    let table = place.run(run).unwrap();
    let head =
        table.lines().take_while(|line| !line.starts_with('-')).collect::<Vec<_>>().join(" ");
    named.extend(head.split_whitespace().map(|word| (word.to_owned(), "column of the table")));
    let file = |name: &str| fs::read_to_string(place.0.path().join("run").join(name)).unwrap();
    let states = file("states.csv");
    let columns = states.lines().next().unwrap().split(',');
    named.extend(columns.map(|column| (column.to_owned(), "column of states.csv")));
    let readings = file("README.md");
    let readings =
        readings.lines().filter(|line| line.starts_with("| `readings_") && !line.contains("KIND"));
    let columns = readings.flat_map(|line| line.split('|').nth(2).unwrap().split(", "));
    named.extend(columns.map(|c| (c.trim().trim_matches('`').to_owned(), "column of readings")));
    let summary: Json = serde_json::from_str(&file("summary.json")).unwrap();
    let figures = summary["vehicles"][0].as_object().unwrap().keys();
    named.extend(figures.map(|figure| (figure.clone(), "figure of summary.json")));
    named
}

/// The words of a name, without numbers of wheels.
fn words(name: &str) -> Vec<String> {
    let name = name.replace("wheelN", "wheel").to_lowercase();
    let parts = name.split(|c: char| !c.is_alphanumeric());
    let bare = parts.map(|part| {
        if part.starts_with("wheel") { part.trim_end_matches(char::is_numeric) } else { part }
    });
    bare.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[test]
fn every_term_is_in_the_glossary() {
    let terms = read("docs/glossary.md");
    // words of everyday English, which the glossary need not explain
    let plain = read("tests/data/plain_words.txt");
    let rows = terms.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| --"));
    let firsts = rows.filter_map(|row| row.split('|').nth(1));
    let known: BTreeSet<String> = firsts.chain(plain.lines()).flat_map(words).collect();
    let mut missing = Vec::new();
    for (name, kind) in names() {
        let unknown = words(&name).into_iter().filter(|word| !known.contains(word));
        missing.extend(unknown.map(|word| format!("{kind} `{name}`: '{word}'")));
    }
    assert!(
        missing.is_empty(),
        "neither in docs/glossary.md nor in tests/data/plain_words.txt: {missing:#?}"
    );
}
