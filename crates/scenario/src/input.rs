//! Input files: regular files of a size that suits their kind.
//!
//! A device or pipe may never end, and a directory has no content. Such a path is refused before it
//! is opened. A file that is too long for its kind is refused before any of it is read.

use std::fs::{File, metadata};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Largest text file (scenario, vehicle, soil) that is read, bytes.
pub const LARGEST_TEXT: u64 = 4 << 20;
/// Largest table of measurements that is read, bytes.
pub const LARGEST_TABLE: u64 = 16 << 20;
/// Largest raster, mesh or checkpoint that is read whole, bytes.
pub const LARGEST_BINARY: u64 = 2 << 30;

/// Largest raster that is read tile by tile, bytes.
pub const LARGEST_TILED: u64 = 64 << 30;

/// Returns the length of a regular file, bytes.
///
/// # Errors
/// Errors of the file system; a path that is not a regular file.
pub fn check_regular(path: &Path) -> Result<u64> {
    let found = metadata(path)?;
    if found.is_file() {
        return Ok(found.len());
    }
    let kind = if found.is_dir() { "a folder" } else { "a device or pipe" };
    let what = format!("is {kind}; must be a regular file");
    Err(Error::new(ErrorKind::InvalidInput, what))
}

/// Returns the length of a regular file of at most `max_bytes` bytes.
///
/// # Errors
/// Errors of the file system; a path that is not a regular file; a longer file.
pub fn check_length(path: &Path, max_bytes: u64) -> Result<u64> {
    match check_regular(path)? {
        length if length > max_bytes => Err(length_error(length, max_bytes)),
        length => Ok(length),
    }
}

/// Error for a file of `length` bytes, which is longer than `max_bytes`.
pub(super) fn length_error(length: u64, max_bytes: u64) -> Error {
    length_error_text(&display_size(length), max_bytes)
}

fn length_error_text(length: &str, max_bytes: u64) -> Error {
    let what = format!("is {length} long; must be at most {}", display_size(max_bytes));
    Error::new(ErrorKind::InvalidInput, what)
}

/// Reads a regular file of at most `max_bytes` bytes.
///
/// # Errors
/// Errors of the file system; a path that is not a regular file; a longer file.
pub fn read(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let length = check_length(path, max_bytes)?;
    let mut bytes = Vec::with_capacity(length as usize);
    // the length in the metadata may be too small, as for files in /proc
    File::open(path)?.take(max_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(length_error_text(&format!("over {}", display_size(max_bytes)), max_bytes));
    }
    Ok(bytes)
}

/// Reads a UTF-8 text file of at most `max_bytes` bytes.
///
/// # Errors
/// As [`read`], and bytes that are not UTF-8.
pub fn read_text(path: &Path, max_bytes: u64) -> Result<String> {
    String::from_utf8(read(path, max_bytes)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let what = format!("is not text: byte {at} is not UTF-8");
        Error::new(ErrorKind::InvalidData, what)
    })
}

fn display_size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_a_bounded_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "héllo").unwrap();
        assert_eq!(read_text(&path, 6).unwrap(), "héllo");
        let length_error = read(&path, 5).unwrap_err().to_string();
        assert_eq!(length_error, "is 6 bytes long; must be at most 5 bytes");
        let folder = read(folder.path(), 5).unwrap_err().to_string();
        assert_eq!(folder, "is a folder; must be a regular file");
        let device = read(Path::new("/dev/zero"), 5).unwrap_err().to_string();
        assert_eq!(device, "is a device or pipe; must be a regular file");
        std::fs::write(&path, b"ab\xff").unwrap();
        assert_eq!(
            read_text(&path, 5).unwrap_err().to_string(),
            "is not text: byte 2 is not UTF-8"
        );
    }
}
