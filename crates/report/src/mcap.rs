//! Streaming writer of MCAP, a container of timed messages (<https://mcap.dev/spec>).
//!
//! Messages are grouped in chunks compressed by LZ4, with an index each. The summary at the end
//! repeats schemas and channels and has the offsets of all chunks, so that a reader opens a long
//! file at once. Memory holds one chunk, and one index entry per chunk written.

use crc32fast::Hasher;
use std::collections::BTreeMap;
use std::io::{self, Write};

pub(super) const MAGIC: [u8; 8] = [0x89, b'M', b'C', b'A', b'P', 0x30, b'\r', b'\n'];
/// Size at which a chunk is written, bytes.
const CHUNK: usize = 1 << 20;
/// Duration after which a chunk is written, ns.
const CHUNK_TIME: u64 = 1_000_000_000;

/// Compression of chunks: LZ4 frames.
const PACKING: &str = "lz4";

fn packed(chunk: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
    encoder.write_all(chunk)?;
    encoder.finish().map_err(io::Error::other)
}

/// Opcodes of records.
mod op {
    pub const HEADER: u8 = 1;
    pub const FOOTER: u8 = 2;
    pub const SCHEMA: u8 = 3;
    pub const CHANNEL: u8 = 4;
    pub const MESSAGE: u8 = 5;
    pub const CHUNK: u8 = 6;
    pub const MESSAGE_INDEX: u8 = 7;
    pub const CHUNK_INDEX: u8 = 8;
    pub const STATISTICS: u8 = 11;
    pub const METADATA: u8 = 12;
    pub const METADATA_INDEX: u8 = 13;
    pub const SUMMARY_OFFSET: u8 = 14;
    pub const DATA_END: u8 = 15;
    /// A private record, which readers skip.
    pub const GAP: u8 = 0x80;
}

/// Length of a record's opcode and length field, bytes.
pub(super) const HEAD: usize = 9;
/// Length of a footer and the magic after it, bytes.
pub(super) const FOOTER: usize = HEAD + 20 + MAGIC.len();

/// Content of a record, little-endian.
#[derive(Default)]
struct RecordBuilder(Vec<u8>);

impl RecordBuilder {
    fn u16(mut self, value: u16) -> RecordBuilder {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    fn u32(mut self, value: u32) -> RecordBuilder {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    fn u64(mut self, value: u64) -> RecordBuilder {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    fn raw(mut self, bytes: &[u8]) -> RecordBuilder {
        self.0.extend_from_slice(bytes);
        self
    }

    /// Appends bytes after their number in 32 bits: texts, arrays, maps.
    fn sized(self, bytes: &[u8]) -> RecordBuilder {
        self.u32(bytes.len() as u32).raw(bytes)
    }

    fn text(self, text: &str) -> RecordBuilder {
        self.sized(text.as_bytes())
    }

    /// Returns the record with its opcode and length.
    fn bytes(&self, code: u8) -> Vec<u8> {
        let mut whole = vec![code];
        whole.extend_from_slice(&(self.0.len() as u64).to_le_bytes());
        whole.extend_from_slice(&self.0);
        whole
    }
}

/// Earliest and latest time of a set of messages, ns.
#[derive(Clone, Copy, Default)]
struct TimeSpan(Option<[u64; 2]>);

impl TimeSpan {
    fn include(&mut self, time: u64) {
        let [first, last] = self.0.unwrap_or([time; 2]);
        self.0 = Some([first.min(time), last.max(time)]);
    }

    fn ends(&self) -> [u64; 2] {
        self.0.unwrap_or_default()
    }
}

/// A schema or channel, which is written in the data and in the summary.
struct SummaryRecord {
    code: u8,
    bytes: Vec<u8>,
    written: bool,
}

/// Writer of an MCAP file.
pub(super) struct McapWriter<W> {
    to: W,
    position: u64,
    crc: Hasher,
    /// Whether `crc` covers all bytes before `position`.
    is_checked: bool,
    /// Schemas and channels, in the order of creation.
    listed: Vec<SummaryRecord>,
    /// Number of messages of each channel.
    counts: BTreeMap<u16, u64>,
    schemas: u16,
    chunk: Vec<u8>,
    chunk_span: TimeSpan,
    /// Times and offsets of the chunk's messages, by channel.
    chunk_index: BTreeMap<u16, Vec<u8>>,
    /// Index records of all chunks.
    chunks: Vec<Vec<u8>>,
    /// Index records of all metadata.
    metadata: Vec<Vec<u8>>,
    span: TimeSpan,
}

impl<W: Write> McapWriter<W> {
    /// Begins a file.
    pub fn new(to: W) -> io::Result<McapWriter<W>> {
        let mut file = McapWriter {
            to,
            position: 0,
            crc: Hasher::new(),
            is_checked: true,
            listed: Vec::new(),
            counts: BTreeMap::new(),
            schemas: 0,
            chunk: Vec::new(),
            chunk_span: TimeSpan::default(),
            chunk_index: BTreeMap::new(),
            chunks: Vec::new(),
            metadata: Vec::new(),
            span: TimeSpan::default(),
        };
        file.write(&MAGIC)?;
        let library = concat!("bekker ", env!("CARGO_PKG_VERSION"));
        file.write(&RecordBuilder::default().text("").text(library).bytes(op::HEADER))?;
        Ok(file)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.position += bytes.len() as u64;
        self.crc.update(bytes);
        self.to.write_all(bytes)
    }

    /// Adds a metadata record: texts with their keys, under a name.
    pub fn metadata(&mut self, name: &str, texts: &[(String, String)]) -> io::Result<()> {
        let pairs = texts
            .iter()
            .fold(RecordBuilder::default(), |pairs, (key, text)| pairs.text(key).text(text));
        let (start, record) = (self.position, RecordBuilder::default().text(name).sized(&pairs.0));
        self.write(&record.bytes(op::METADATA))?;
        let index = RecordBuilder::default().u64(start).u64(self.position - start).text(name);
        self.metadata.push(index.bytes(op::METADATA_INDEX));
        Ok(())
    }

    /// Returns the records of the open chunk so far: schemas, channels and messages.
    pub fn open_chunk(&self) -> &[u8] {
        &self.chunk
    }

    /// Number of chunks written.
    pub fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// Number of bytes written so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns the bytes that complete the file if they are written at `position`, and how many of
    /// them precede the end of the data.
    ///
    /// If `position` differs from [`McapWriter::position`], the data section has no checksum.
    pub fn ending_at(&self, position: u64) -> io::Result<(Vec<u8>, usize)> {
        let listed = self.listed.iter().map(|listed| SummaryRecord {
            code: listed.code,
            bytes: listed.bytes.clone(),
            written: listed.written,
        });
        let mut now = McapWriter {
            to: Vec::new(),
            position,
            crc: self.crc.clone(),
            is_checked: position == self.position,
            listed: listed.collect(),
            counts: self.counts.clone(),
            schemas: self.schemas,
            chunk: self.chunk.clone(),
            chunk_span: self.chunk_span,
            chunk_index: self.chunk_index.clone(),
            chunks: self.chunks.clone(),
            metadata: self.metadata.clone(),
            span: self.span,
        };
        now.end_chunk()?;
        let data = now.to.len();
        Ok((now.finish()?, data))
    }

    /// Adds a Protocol Buffers schema and returns its number.
    pub fn schema(&mut self, name: &str, descriptors: &[u8]) -> u16 {
        self.schemas += 1;
        let record = RecordBuilder::default().u16(self.schemas).text(name).text("protobuf");
        let bytes = record.sized(descriptors).bytes(op::SCHEMA);
        self.listed.push(SummaryRecord { code: op::SCHEMA, bytes, written: false });
        self.schemas
    }

    /// Adds a channel for messages of a schema and returns its number.
    pub fn channel(&mut self, schema: u16, topic: &str) -> u16 {
        let channel = self.counts.len() as u16;
        let record = RecordBuilder::default().u16(channel).u16(schema).text(topic).text("protobuf");
        let bytes = record.sized(&[]).bytes(op::CHANNEL);
        self.listed.push(SummaryRecord { code: op::CHANNEL, bytes, written: false });
        self.counts.insert(channel, 0);
        channel
    }

    /// Adds a message at a time, ns.
    pub fn message(&mut self, channel: u16, time: u64, data: &[u8]) -> io::Result<()> {
        if self.chunk_span.0.is_some_and(|[first, _]| time >= first + CHUNK_TIME) {
            self.end_chunk()?;
        }
        for listed in self.listed.iter_mut().filter(|listed| !listed.written) {
            self.chunk.extend_from_slice(&listed.bytes);
            listed.written = true;
        }
        let count = self.counts.entry(channel).or_default();
        let record = RecordBuilder::default().u16(channel).u32(*count as u32).u64(time).u64(time);
        *count += 1;
        let index = self.chunk_index.entry(channel).or_default();
        index.extend_from_slice(&time.to_le_bytes());
        index.extend_from_slice(&(self.chunk.len() as u64).to_le_bytes());
        self.chunk.extend_from_slice(&record.raw(data).bytes(op::MESSAGE));
        self.chunk_span.include(time);
        self.span.include(time);
        if self.chunk.len() >= CHUNK { self.end_chunk() } else { Ok(()) }
    }

    fn end_chunk(&mut self) -> io::Result<()> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        let chunk = std::mem::take(&mut self.chunk);
        let [first, last] = std::mem::take(&mut self.chunk_span).ends();
        let (size, packed) = (chunk.len() as u64, packed(&chunk)?);
        let record = RecordBuilder::default()
            .u64(first)
            .u64(last)
            .u64(size)
            .u32(crc32fast::hash(&chunk))
            .text(PACKING)
            .u64(packed.len() as u64)
            .raw(&packed);
        let start = self.position;
        self.write(&record.bytes(op::CHUNK))?;
        let length = self.position - start;
        let indexed = self.position;
        let mut offsets = RecordBuilder::default();
        for (channel, entries) in std::mem::take(&mut self.chunk_index) {
            offsets = offsets.u16(channel).u64(self.position);
            let record = RecordBuilder::default().u16(channel).sized(&entries);
            self.write(&record.bytes(op::MESSAGE_INDEX))?;
        }
        let record = RecordBuilder::default()
            .u64(first)
            .u64(last)
            .u64(start)
            .u64(length)
            .sized(&offsets.0)
            .u64(self.position - indexed)
            .text(PACKING)
            .u64(packed.len() as u64)
            .u64(size);
        self.chunks.push(record.bytes(op::CHUNK_INDEX));
        Ok(())
    }

    /// Completes the file and returns its writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.end_chunk()?;
        // 0: not computed
        let crc = if self.is_checked { self.crc.clone().finalize() } else { 0 };
        self.write(&RecordBuilder::default().u32(crc).bytes(op::DATA_END))?;
        let summary_start = self.position;
        let of = |listed: &[SummaryRecord], code: u8| -> Vec<u8> {
            let records = listed.iter().filter(|listed| listed.code == code);
            records.flat_map(|listed| listed.bytes.iter().copied()).collect()
        };
        let groups = [
            (op::SCHEMA, of(&self.listed, op::SCHEMA)),
            (op::CHANNEL, of(&self.listed, op::CHANNEL)),
            (op::STATISTICS, self.statistics()),
            (op::CHUNK_INDEX, self.chunks.concat()),
            (op::METADATA_INDEX, self.metadata.concat()),
        ];
        let mut offsets = Vec::new();
        self.crc = Hasher::new();
        for (code, records) in groups.iter().filter(|(_, records)| !records.is_empty()) {
            let record = RecordBuilder::default().raw(&[*code]).u64(self.position);
            offsets.extend(record.u64(records.len() as u64).bytes(op::SUMMARY_OFFSET));
            self.write(records)?;
        }
        let offset_start = self.position;
        self.write(&offsets)?;
        // the checksum covers the footer up to the checksum
        let head = footer_head(summary_start, offset_start);
        self.write(&head)?;
        let crc = self.crc.clone().finalize();
        self.write(&crc.to_le_bytes())?;
        self.write(&MAGIC)?;
        self.to.flush()?;
        Ok(self.to)
    }

    fn statistics(&self) -> Vec<u8> {
        let mut counts = RecordBuilder::default();
        for (&channel, &count) in &self.counts {
            counts = counts.u16(channel).u64(count);
        }
        let [first, last] = self.span.ends();
        let record = RecordBuilder::default()
            .u64(self.counts.values().sum())
            .u16(self.schemas)
            .u32(self.counts.len() as u32)
            .u32(0)
            .u32(self.metadata.len() as u32)
            .u32(self.chunks.len() as u32)
            .u64(first)
            .u64(last);
        record.sized(&counts.0).bytes(op::STATISTICS)
    }
}

impl McapWriter<Vec<u8>> {
    /// Returns the bytes written since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.to)
    }
}

/// Returns a footer up to its checksum.
fn footer_head(summary_start: u64, offset_start: u64) -> Vec<u8> {
    let fields = RecordBuilder::default().u64(summary_start).u64(offset_start);
    let mut head = vec![op::FOOTER];
    head.extend_from_slice(&20u64.to_le_bytes());
    head.extend_from_slice(&fields.0);
    head
}

/// Returns the end of a file without a summary: a footer and the magic.
pub(super) fn bare_footer() -> [u8; FOOTER] {
    let mut bytes = [0; FOOTER];
    let head = footer_head(0, 0);
    bytes[..head.len()].copy_from_slice(&head);
    bytes[FOOTER - MAGIC.len()..].copy_from_slice(&MAGIC);
    bytes
}

/// Returns the opcode and length of a private record; `content` is its length in bytes.
pub(super) fn gap_head(content: u64) -> [u8; HEAD] {
    let mut head = [op::GAP; HEAD];
    head[1..].copy_from_slice(&content.to_le_bytes());
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the opcodes of a file's records in order, and checks that their lengths add up.
    fn codes(bytes: &[u8]) -> Vec<u8> {
        assert_eq!(bytes[..8], MAGIC);
        assert_eq!(bytes[bytes.len() - 8..], MAGIC);
        let (mut at, mut codes) = (8, Vec::new());
        while at < bytes.len() - 8 {
            codes.push(bytes[at]);
            let length = u64::from_le_bytes(bytes[at + 1..at + 9].try_into().unwrap());
            at += 9 + length as usize;
        }
        assert_eq!(at, bytes.len() - 8);
        codes
    }

    #[test]
    fn a_file_is_records_between_two_magics() {
        let mut file = McapWriter::new(Vec::new()).unwrap();
        let schema = file.schema("a.B", b"set");
        let channels = [file.channel(schema, "/x"), file.channel(schema, "/y")];
        file.message(channels[0], 10, b"one").unwrap();
        file.message(channels[1], 20, &vec![7; CHUNK]).unwrap();
        file.message(channels[0], 30, b"two").unwrap();
        // the temporary ending equals the final one at this point
        let (ending, _) = file.ending_at(file.position()).unwrap();
        let start = file.to.clone();
        let bytes = file.finish().unwrap();
        assert_eq!([start, ending].concat(), bytes);
        let found = super::super::mcap_read::records(&mut &bytes[..], b"").unwrap();
        let messages: Vec<_> =
            found.iter().map(|m| (m.topic.as_str(), m.time, m.data.len())).collect();
        assert_eq!(messages, [("/x", 10, 3), ("/y", 20, CHUNK), ("/x", 30, 3)]);
        let expected = [1, 6, 7, 7, 6, 7, 15, 3, 4, 4, 11, 8, 8, 14, 14, 14, 14, 2];
        assert_eq!(codes(&bytes), expected);
        let empty = McapWriter::new(Vec::new()).unwrap().finish().unwrap();
        assert_eq!(codes(&empty), [1, 15, 11, 14, 2]);
    }
}
