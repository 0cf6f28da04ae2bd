//! An MCAP file on disk that standard readers can open at any moment, even after the process is
//! killed.
//!
//! Readers find messages in two ways. They walk the records from the start, or they follow the
//! footer at the end to the summary and its index of chunks. Both find complete records after every
//! single write. The layout of a growing file is
//!
//! ```text
//! data | head of the gap | gap, skipped by readers | open chunk | end of data | summary, footer
//! ```
//!
//! The gap is the content of one record with a private opcode. Bytes are written where no reader
//! looks, and then become visible by one small write or by a truncation:
//!
//! - Data go into the gap, followed by a new head of the gap. The nine bytes of their first
//!   record's head are written last and replace the old head of the gap.
//! - A new ending goes into the gap if it fits. The head of the gap is changed to lead to it, then
//!   the file is truncated after it.
//! - Otherwise the new ending goes after the old one. A footer without a summary is written at the
//!   new end first; with it, readers walk the records. The final footer replaces it at the end.
//!
//! If the process is killed, a long write stops at a page boundary. Footers are within a page. The
//! nine bytes of a head cross a page boundary at 8 of 4096 offsets. A finished file has no gap, and
//! its bytes do not depend on when endings were written.

use super::ReportError;
use super::append_file;
use super::columns::write_at;
use super::mcap::{FOOTER, HEAD, McapWriter, bare_footer, gap_head};
use std::fs;
use std::io;
use std::path::Path;

/// Minimum length of the gap before a new ending, bytes: capacity for data.
const RESERVE: u64 = 2 << 20;
/// Size of a page, bytes; a kill does not split a write within a page.
const PAGE: u64 = 4096;

/// A file that supports writes at any offset and truncation.
pub(super) trait Disk {
    /// Writes bytes at an offset.
    fn put(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;
    /// Sets the length of the file.
    fn truncate(&mut self, length: u64) -> io::Result<()>;
}

impl Disk for fs::File {
    fn put(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        write_at(self, bytes, at)
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

/// A growing MCAP file on disk.
pub(super) struct McapFile<D> {
    disk: D,
    mcap: McapWriter<Vec<u8>>,
    /// Offset at which data end and the gap begins.
    data: u64,
    /// Offsets of the ending, and of the end of data in it, which is after the open chunk.
    ending: [u64; 2],
    /// Content of the ending: number of chunks, and length of the open chunk.
    ended: Option<(usize, usize)>,
    /// Length of the file.
    length: u64,
    /// Minimum length of the gap before a new ending.
    reserve: u64,
}

impl<D: Disk> McapFile<D> {
    /// Begins a file on an empty disk with the bytes that `mcap` has written so far.
    pub fn begin(disk: D, mcap: McapWriter<Vec<u8>>) -> io::Result<McapFile<D>> {
        McapFile::with_reserve(disk, mcap, RESERVE)
    }

    fn with_reserve(
        mut disk: D,
        mut mcap: McapWriter<Vec<u8>>,
        reserve: u64,
    ) -> io::Result<McapFile<D>> {
        let start = mcap.take();
        let data = start.len() as u64;
        disk.put(0, &start)?;
        let (ending, ended) = ([data; 2], None);
        let mut file = McapFile { disk, mcap, data, ending, ended, length: data, reserve };
        file.extend(&[])?;
        Ok(file)
    }

    /// Adds schemas, channels and messages, and writes the chunks that are full.
    pub fn add<T>(
        &mut self,
        add: impl FnOnce(&mut McapWriter<Vec<u8>>) -> io::Result<T>,
    ) -> io::Result<T> {
        let added = add(&mut self.mcap)?;
        let chunks = self.mcap.take();
        if !chunks.is_empty() {
            self.append(&chunks)?;
        }
        Ok(added)
    }

    /// Returns the number of chunks written and the records of the open chunk.
    pub fn open_chunk(&self) -> (usize, &[u8]) {
        (self.mcap.chunks(), self.mcap.open_chunk())
    }

    /// Replaces the ending by one that covers all messages added so far.
    pub fn write_footer(&mut self) -> io::Result<()> {
        if self.ended == Some(self.message_extent()) {
            return Ok(());
        }
        let at = self.data + HEAD as u64 + self.reserve;
        let (bytes, data) = self.mcap.ending_at(at)?;
        let end = at + bytes.len() as u64;
        if end > self.ending[0] {
            return self.extend(&[]);
        }
        self.disk.put(at, &bytes)?;
        self.lead_to(at)?;
        self.disk.truncate(end)?;
        (self.ending, self.length) = ([at, at + data as u64], end);
        self.ended = Some(self.message_extent());
        Ok(())
    }

    /// Completes the file and returns its disk.
    pub fn finish(mut self) -> io::Result<D> {
        let (rest, _) = self.mcap.ending_at(self.mcap.position())?;
        if !self.fits(rest.len()) {
            self.reserve = self.reserve.max(rest.len() as u64 + HEAD as u64);
            self.extend(&[])?;
        }
        let (head, body) = rest.split_at(HEAD);
        self.disk.put(self.data + HEAD as u64, body)?;
        self.disk.put(self.data, head)?;
        self.disk.truncate(self.data + rest.len() as u64)?;
        Ok(self.disk)
    }

    /// Returns whether a number of bytes and a head after them fit into the gap.
    fn fits(&self, bytes: usize) -> bool {
        self.data + (bytes + HEAD) as u64 <= self.ending[0]
    }

    /// Makes walks continue at `place` after the end of the data.
    fn lead_to(&mut self, place: u64) -> io::Result<()> {
        let head = gap_head(place - self.data - HEAD as u64);
        self.disk.put(self.data, &head)
    }

    fn message_extent(&self) -> (usize, usize) {
        let (chunks, open) = self.open_chunk();
        (chunks, open.len())
    }

    /// Writes complete records after the data.
    fn append(&mut self, records: &[u8]) -> io::Result<()> {
        self.reserve = self.reserve.max(2 * records.len() as u64);
        match self.fits(records.len()) {
            // these records include the open chunk of the ending
            true => self.insert(records, self.ending[1]),
            false => self.extend(records),
        }
    }

    /// Writes an ending after the old one, and records after the data.
    fn extend(&mut self, records: &[u8]) -> io::Result<()> {
        let size = records.len() as u64;
        let mut at = self.length.max(self.data + size + HEAD as u64 + self.reserve);
        let (mut ending, data) = self.mcap.ending_at(at + size)?;
        let footer = |at: u64| at + size + (ending.len() - FOOTER) as u64;
        let over = footer(at) % PAGE;
        if over + FOOTER as u64 > PAGE {
            at += PAGE - over;
            ending = self.mcap.ending_at(at + size)?.0;
        }
        let (body, foot) = ending.split_at(ending.len() - FOOTER);
        let footer = at + size + body.len() as u64;
        self.disk.put(footer, &bare_footer())?;
        // a second copy of the records: walks find them here until those after the data are written
        self.disk.put(at, &[records, body].concat())?;
        self.lead_to(at)?;
        if !records.is_empty() {
            self.insert(records, at + size)?;
        }
        self.disk.put(footer, foot)?;
        self.ending = [at + size, at + size + data as u64];
        self.length = footer + FOOTER as u64;
        self.ended = Some(self.message_extent());
        Ok(())
    }

    /// Writes records into the gap; walks then continue at `then`.
    fn insert(&mut self, records: &[u8], then: u64) -> io::Result<()> {
        let (head, body) = records.split_at(HEAD);
        let end = self.data + records.len() as u64;
        self.disk.put(end, &gap_head(then - end - HEAD as u64))?;
        self.disk.put(self.data + HEAD as u64, body)?;
        self.disk.put(self.data, head)?;
        self.data = end;
        Ok(())
    }
}

impl McapFile<fs::File> {
    /// Rejects a file whose length another program has changed.
    ///
    /// # Errors
    /// [`ReportError::Altered`] with both lengths.
    pub fn check_length(&self, path: &Path) -> Result<(), ReportError> {
        append_file::check_length(&self.disk, path, self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::super::mcap_read;
    use super::*;
    use bekker_math::random::RandomStream;

    /// A disk that passes the file to a check after every write, and after each page of a write.
    struct CheckedDisk<F> {
        bytes: Vec<u8>,
        check: F,
    }

    impl<F: FnMut(&[u8])> Disk for CheckedDisk<F> {
        fn put(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
            let mut done = 0;
            while done < bytes.len() {
                let place = at as usize + done;
                let page = PAGE as usize;
                // several pages at a time for long writes, because each check reads the complete
                // file
                let steps = if bytes.len() > 16 * page { 40 } else { 4 };
                let mut length = (page - place % page + (steps - 1) * page).min(bytes.len() - done);
                if bytes.len() == HEAD {
                    // the few heads that cross a page boundary
                    length = HEAD;
                }
                if self.bytes.len() < place + length {
                    self.bytes.resize(place + length, 0);
                }
                self.bytes[place..place + length].copy_from_slice(&bytes[done..done + length]);
                done += length;
                (self.check)(&self.bytes);
            }
            Ok(())
        }

        fn truncate(&mut self, length: u64) -> io::Result<()> {
            self.bytes.resize(length as usize, 0);
            (self.check)(&self.bytes);
            Ok(())
        }
    }

    const MAGIC: &[u8] = b"\x89MCAP0\r\n";

    fn number(bytes: &[u8]) -> u64 {
        bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
    }

    /// Returns the numbers of the messages in a chunk's records.
    fn messages(chunk: &[u8]) -> Vec<u64> {
        let packed = number(&chunk[35..43]) as usize;
        let (size, crc) = (number(&chunk[16..24]), number(&chunk[24..28]));
        assert_eq!((&chunk[28..35], packed), (&b"\x03\0\0\0lz4"[..], chunk.len() - 43));
        let mut records = Vec::new();
        let mut decoder = lz4_flex::frame::FrameDecoder::new(&chunk[43..]);
        io::Read::read_to_end(&mut decoder, &mut records).unwrap();
        assert_eq!((records.len() as u64, u64::from(crc32fast::hash(&records))), (size, crc));
        let (mut at, mut found) = (0, Vec::new());
        while at < records.len() {
            let length = number(&records[at + 1..at + 9]) as usize;
            if records[at] == 5 {
                found.push(number(&records[at + 9 + 22..at + 9 + 30]));
            }
            at += 9 + length;
        }
        found
    }

    /// Returns the messages found by walking the records from the start.
    fn walked(file: &[u8]) -> Vec<u64> {
        assert!(file.starts_with(MAGIC));
        let (mut at, mut found, mut codes) = (8, Vec::new(), Vec::new());
        loop {
            let (code, length) = (file[at], number(&file[at + 1..at + 9]) as usize);
            let content = &file[at + 9..at + 9 + length];
            at += 9 + length;
            codes.push(code);
            match code {
                6 => found.extend(messages(content)),
                2 => break,
                _ => assert!([1, 3, 4, 7, 8, 11, 12, 13, 14, 15, 0x80].contains(&code), "{code}"),
            }
        }
        assert!(codes.contains(&15) && file[at..].starts_with(MAGIC));
        found
    }

    /// Returns the messages found by the footer, the summary and its index.
    fn sought(file: &[u8]) -> Vec<u64> {
        assert!(file.ends_with(MAGIC), "{} bytes", file.len());
        let footer = file.len() - FOOTER;
        assert_eq!((file[footer], number(&file[footer + 1..footer + 9])), (2, 20));
        let mut at = number(&file[footer + 9..footer + 17]) as usize;
        if at == 0 {
            return walked(file);
        }
        let crc = crc32fast::hash(&file[at..footer + 25]);
        assert_eq!(number(&file[footer + 25..footer + 29]), u64::from(crc), "summary");
        let mut found = Vec::new();
        while file[at] != 2 {
            let length = number(&file[at + 1..at + 9]) as usize;
            if file[at] == 8 {
                let chunk = number(&file[at + 25..at + 33]) as usize;
                let whole = number(&file[chunk + 1..chunk + 9]) as usize;
                assert_eq!(file[chunk], 6);
                assert_eq!(number(&file[at + 33..at + 41]) as usize, 9 + whole);
                found.extend(messages(&file[chunk + 9..chunk + 9 + whole]));
            }
            at += 9 + length;
        }
        assert_eq!(at, footer);
        found
    }

    /// Writes numbered messages of random lengths, with temporary endings in between, and returns
    /// the bytes.
    ///
    /// Every intermediate state is checked.
    fn write(seed: u64, longest: f64, reserve: u64) -> Vec<u8> {
        use std::cell::Cell;
        let stream = RandomStream::new(seed, "messages");
        // numbers of messages added, and of those in an ending
        let (added, ended, begun) = (Cell::new(0_u64), Cell::new(0_u64), Cell::new(false));
        let most = Cell::new(0);
        let check = |bytes: &[u8]| {
            if !begun.get() {
                return;
            }
            most.set(most.get().max(bytes.len()));
            let mut resumed = Vec::new();
            mcap_read::for_each_message(&mut &bytes[..], &[], &mut |message| {
                resumed.push(number(&message.data[..8]));
                Ok(())
            })
            .unwrap();
            for found in [walked(bytes), sought(bytes), resumed] {
                let count = found.len() as u64;
                assert!(found.iter().copied().eq(0..count), "{found:?}");
                assert!((ended.get()..=added.get()).contains(&count), "{count}");
            }
        };
        let begin = || {
            let mut mcap = McapWriter::new(Vec::new()).unwrap();
            mcap.metadata("about", &[("key".into(), "text".into())]).unwrap();
            mcap
        };
        let disk = CheckedDisk { bytes: Vec::new(), check };
        let mut file = McapFile::with_reserve(disk, begin(), reserve).unwrap();
        begun.set(true);
        let mut whole = begin();
        let of = |mcap: &mut McapWriter<Vec<u8>>, number: u64| {
            let length = (longest * stream.uniform(number).powi(8)) as usize;
            let mut data = number.to_le_bytes().to_vec();
            // random data, which do not compress
            data.extend((0..length as u64 / 8).flat_map(|k| stream.bits(k).to_le_bytes()));
            if number == 0 {
                let schema = mcap.schema("a.B", b"set");
                assert_eq!(mcap.channel(schema, "/x"), 0);
            }
            mcap.message(0, 100_000_000 * number, &data)
        };
        for number in 0..60 {
            added.set(number + 1);
            file.add(|mcap| of(mcap, number)).unwrap();
            of(&mut whole, number).unwrap();
            if stream.uniform(1000 + number) < 0.2 {
                file.write_footer().unwrap();
                ended.set(number + 1);
            }
        }
        let bytes = file.finish().unwrap().bytes;
        assert_eq!(walked(&bytes).len(), 60);
        assert!(bytes == whole.finish().unwrap(), "seed {seed}");
        let room = 4 * (reserve as usize).max(2 * longest as usize) + 2 * bytes.len();
        assert!(most.get() < room, "{} of {}", most.get(), bytes.len());
        bytes
    }

    #[test]
    fn readers_find_whole_records_after_every_write() {
        for seed in 0..3 {
            write(seed, 2e5, 1 << 12);
            write(seed, 4e3, 1 << 9);
            write(seed, 0.0, RESERVE);
        }
        // a chunk is full by its length, and no gap has the capacity for it
        write(3, 2e6, 1 << 9);
    }
}
