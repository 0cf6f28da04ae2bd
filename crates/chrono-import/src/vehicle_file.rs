//! Output of an imported vehicle as a vehicle file, with comments that name the sources.

use super::log::ImportLog;
use bekker_vehicle::AnySpec;

/// Maximum length of a comment line, characters.
const WIDTH: usize = 110;

/// Returns the text of the vehicle file.
pub(super) fn text(spec: &AnySpec, log: &ImportLog) -> String {
    // a line break in a name or path must not end its comment
    let in_line = |line: String| line.replace(['\n', '\r'], " ");
    let mut lines: Vec<String> = header(spec, log).into_iter().map(in_line).collect();
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

/// Returns the header comments.
fn header(spec: &AnySpec, log: &ImportLog) -> Vec<String> {
    let mut lines = vec![
        format!(
            "# {}, imported by `bekker vehicles import` from the JSON files of Project",
            spec.name()
        ),
        "# Chrono listed below; values converted to this schema: SI units, x forward, y left, z \
         up."
        .to_owned(),
        "# `bekker vehicles check` computes what follows from them.".to_owned(),
        "#".to_owned(),
        "# Read:".to_owned(),
    ];
    lines.extend(log.sources.iter().map(|file| format!("#   {file}")));
    lines.extend(["#".to_owned(), "# ASSUMED, because no file specifies it:".to_owned()]);
    for own in &log.assumed {
        lines.extend(wrap(&format!("{}: {}", own.key, own.what)));
    }
    // keys of visualization affect no parameter and are not listed
    lines.extend(["#".to_owned(), "# OMITTED, because bekker has no counterpart:".to_owned()]);
    for own in log.omitted.iter().filter(|own| own.why != super::params::LOOK) {
        lines.extend(wrap(&format!("{}: {} = {}: {}", own.file, own.key, own.value, own.why)));
    }
    lines.push(String::new());
    lines
}

/// Wraps a text into comment lines.
fn wrap(text: &str) -> Vec<String> {
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

/// Returns the key of a section's header; axles are numbered.
fn section(header: &str, axles: usize) -> String {
    let index = axles.saturating_sub(1);
    match header.strip_prefix("axles") {
        Some(rest) => format!("axles[{index}]{rest}"),
        None if header == "tandems" => "tandems[0]".to_owned(),
        None => header.split('.').take(2).collect::<Vec<_>>().join("."),
    }
}
