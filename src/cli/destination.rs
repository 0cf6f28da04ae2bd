//! Checks of output paths, made before the work starts.

use crate::report::video::VideoFormat;
use std::path::{Path, PathBuf};

/// Checks the path of an image to write.
pub fn png(text: &str) -> Result<PathBuf, String> {
    of_kind(text, "png")
}

/// Returns the path of a picture whose name the user did not give: `name`, or else the first of
/// `name-2`, `name-3` and so on that does not exist.
pub fn numbered(name: &str) -> PathBuf {
    let path = PathBuf::from(name);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, "png"));
    let more = (2_u32..).map(|number| PathBuf::from(format!("{stem}-{number}.{extension}")));
    std::iter::once(path).chain(more).find(|path| !path.exists()).unwrap_or_default()
}

/// Checks the path of a drawing to write.
pub fn svg(text: &str) -> Result<PathBuf, String> {
    of_kind(text, "svg")
}

/// Checks the path of an HTML page to write.
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

/// Checks the path of a video to write.
pub fn video(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    VideoFormat::of_path(&path).ok_or("must end in .mp4 or .gif")?;
    in_folder(&path)?;
    Ok(path)
}

/// Checks the path of a functional mock-up unit to write.
pub fn fmu(text: &str) -> Result<PathBuf, String> {
    of_kind(text, "fmu")
}

/// Checks the path of a file to write.
pub fn file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    in_folder(&path)?;
    Ok(path)
}

/// Checks the path of a file to write and its extension.
fn of_kind(text: &str, ending: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending)) {
        return Err(format!("must end in .{ending}"));
    }
    in_folder(&path)?;
    Ok(path)
}

/// Checks that the parent folder exists.
fn in_folder(path: &Path) -> Result<(), String> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            Err(format!("must be in an existing folder; {} does not exist", folder.display()))
        }
        _ => Ok(()),
    }
}
