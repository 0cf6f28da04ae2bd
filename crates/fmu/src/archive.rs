//! ZIP archives (PKWARE's APPNOTE 6.3), deflated, with reproducible bytes.

use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::{self, Write};

/// Minimum version of the format for reading: 2.0, deflate.
const VERSION: u16 = 20;
/// Flag for UTF-8 names.
const UTF8: u16 = 1 << 11;
/// Compression method.
const DEFLATE: u16 = 8;
/// Midnight of 1 January 1980, the first date of the format.
const DATE: u16 = (1 << 5) | 1;
/// Unix permissions of a regular file that all may read and execute, as a library may require.
const MODE: u32 = 0o100_755 << 16;

/// A file of an archive: its path with `/` as separator, and its content.
pub type ArchiveEntry = (String, Vec<u8>);

/// Packs files into an archive.
///
/// # Errors
/// When there are more than 65,535 files, or when a file or the archive exceeds 4 GiB.
pub fn archive(entries: &[ArchiveEntry]) -> io::Result<Vec<u8>> {
    let too_large = |_| io::Error::other("an FMU can have at most 65,535 files and 4 GiB");
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in entries {
        let deflated = deflated(content)?;
        let length = |count: usize| u32::try_from(count).map_err(too_large);
        let mut about = Vec::new();
        for word in [VERSION, UTF8, DEFLATE, 0, DATE] {
            about.extend(word.to_le_bytes());
        }
        about.extend(crc32fast::hash(content).to_le_bytes());
        about.extend(length(deflated.len())?.to_le_bytes());
        about.extend(length(content.len())?.to_le_bytes());
        let named = u16::try_from(name.len()).map_err(too_large)?;
        about.extend(named.to_le_bytes());
        about.extend(0_u16.to_le_bytes());

        let begins = length(bytes.len())?;
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&about);
        bytes.extend(name.as_bytes());
        bytes.extend(deflated);

        directory.extend(b"PK\x01\x02");
        // made by Unix, which defines the meaning of the permissions
        directory.extend((VERSION | 3 << 8).to_le_bytes());
        directory.extend(&about);
        // no comment, first disk, no internal attributes
        directory.extend([0; 6]);
        directory.extend(MODE.to_le_bytes());
        directory.extend(begins.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let count = u16::try_from(entries.len()).map_err(too_large)?;
    let begins = u32::try_from(bytes.len()).map_err(too_large)?;
    let length = u32::try_from(directory.len()).map_err(too_large)?;
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06");
    bytes.extend([0; 4]);
    bytes.extend(count.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(begins.to_le_bytes());
    bytes.extend(0_u16.to_le_bytes());
    Ok(bytes)
}

fn deflated(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::DeflateDecoder;
    use std::io::Read;

    #[test]
    fn files_are_found_by_the_directory() {
        let entries = [("a.txt".to_owned(), b"hello".to_vec()), ("b/c d".to_owned(), vec![7; 999])];
        let bytes = archive(&entries).unwrap();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let half = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let end = bytes.len() - 22;
        assert_eq!(&bytes[end..end + 4], b"PK\x05\x06");
        let mut at = word(end + 16);
        for (name, content) in &entries {
            assert_eq!(&bytes[at..at + 4], b"PK\x01\x02");
            let (packed, named, begins) = (word(at + 20), half(at + 28), word(at + 42));
            assert_eq!(&bytes[at + 46..at + 46 + named], name.as_bytes());
            let from = begins + 30 + named;
            let mut unpacked = Vec::new();
            DeflateDecoder::new(&bytes[from..from + packed]).read_to_end(&mut unpacked).unwrap();
            assert_eq!(&unpacked, content);
            assert_eq!(word(at + 16), crc32fast::hash(content) as usize);
            at += 46 + named;
        }
        assert_eq!(at, end);
    }
}
