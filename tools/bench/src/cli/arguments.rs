//! Parsers of arguments.

use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Returns a parser of finite numbers within a range; its messages include `unit`.
pub fn quantity(
    range: RangeInclusive<f64>,
    unit: &'static str,
) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let value = text.trim().parse::<f64>().ok().filter(|value| range.contains(value));
        value.ok_or_else(|| format!("must be from {} to {} {unit}", range.start(), range.end()))
    }
}

/// Parses the path of a PNG file, and checks it before the benchmark runs.
pub fn png(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        return Err("must end in .png".into());
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            Err(format!("must be in an existing folder; {} does not exist", folder.display()))
        }
        _ => Ok(path),
    }
}
