//! A vehicle that was read as a file of ours, its comments saying where what is from.

use super::log::Log;
use bekker_vehicle::AnySpec;

/// Longest line of comments, characters.
const WIDTH: usize = 110;

/// The file.
pub(super) fn text(spec: &AnySpec, log: &Log) -> String {
    // a name or a path with a line break must not end its comment
    let in_line = |line: String| line.replace(['\n', '\r'], " ");
    let mut lines: Vec<String> = head(spec, log).into_iter().map(in_line).collect();
    let body = toml::to_string(spec as &dyn erased_serde::Serialize).unwrap_or_default();
    let mut axles = 0;
    for line in body.lines() {
        if let Some(header) = line.strip_prefix('[') {
            let header = header.trim_matches(['[', ']']);
            axles += usize::from(header == "axles");
            let section = section(header, axles);
            let origin = log.origins.iter().find(|(key, _)| *key == section);
            lines.extend(origin.map(|(_, file)| in_line(format!("# from {file}"))));
        }
        lines.push(line.to_owned());
    }
    lines.push(String::new());
    lines.join("\n")
}

/// What comes before the figures.
fn head(spec: &AnySpec, log: &Log) -> Vec<String> {
    let mut lines = vec![
        format!("# {}, imported by `bekker vehicles import` from the JSON files of Project", spec.name()),
        "# Chrono named below; figures rearranged into this schema, SI units, x forward, y left, z up."
            .to_owned(),
        "# `bekker vehicles check` shows what they come to.".to_owned(),
        "#".to_owned(),
        "# Read:".to_owned(),
    ];
    lines.extend(log.sources.iter().map(|file| format!("#   {file}")));
    lines.extend(["#".to_owned(), "# ASSUMED, since no file says it:".to_owned()]);
    for own in &log.assumed {
        lines.extend(wrapped(&format!("{}: {}", own.key, own.what)));
    }
    // how it looks concerns no figure
    lines.extend(["#".to_owned(), "# LEFT OUT, without a counterpart here:".to_owned()]);
    for own in log.omitted.iter().filter(|own| own.why != super::figures::LOOK) {
        lines.extend(wrapped(&format!("{}: {} = {}: {}", own.file, own.key, own.value, own.why)));
    }
    lines.push(String::new());
    lines
}

/// Lines of a comment.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec!["#  ".to_owned()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        if lines[last].chars().count() + 1 + word.chars().count() > WIDTH && lines[last].len() > 6 {
            lines.push(format!("#     {word}"));
        } else {
            lines[last] = format!("{} {word}", lines[last]);
        }
    }
    lines
}

/// The key of a section's header, axles counted.
fn section(header: &str, axles: usize) -> String {
    let index = axles.saturating_sub(1);
    match header.strip_prefix("axles") {
        Some(rest) => format!("axles[{index}]{rest}"),
        None if header == "tandems" => "tandems[0]".to_owned(),
        None => header.split('.').take(2).collect::<Vec<_>>().join("."),
    }
}
