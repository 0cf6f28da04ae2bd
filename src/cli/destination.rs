//! Where a result may go: looked at before the work, not after it.

use std::path::{Path, PathBuf};

/// A picture to write.
pub fn png(text: &str) -> Result<PathBuf, String> {
    of_kind(text, "png")
}

/// A drawing to write.
pub fn svg(text: &str) -> Result<PathBuf, String> {
    of_kind(text, "svg")
}

/// A page to write.
pub fn html(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let ends = ["html", "htm"].iter().any(|known| {
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(known))
    });
    if !ends {
        return Err("must end in .html".into());
    }
    in_folder(&path)?;
    Ok(path)
}

/// A functional mock-up unit to write.
pub fn fmu(text: &str) -> Result<PathBuf, String> {
    of_kind(text, "fmu")
}

/// A file to write.
pub fn file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    in_folder(&path)?;
    Ok(path)
}

/// A file to write whose name has this ending.
fn of_kind(text: &str, ending: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending)) {
        return Err(format!("must end in .{ending}"));
    }
    in_folder(&path)?;
    Ok(path)
}

/// Whether the folder that it is to lie in exists.
fn in_folder(path: &Path) -> Result<(), String> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            Err(format!("must be in a folder that exists; {} does not", folder.display()))
        }
        _ => Ok(()),
    }
}
