//! Readers of MCAP files: of bekker's own to resume a run, and of complete ones.

use std::collections::BTreeMap;
use std::io::{self, Read};

/// Longest chunk that is decompressed, bytes.
const LARGEST_CHUNK: u64 = 256 << 20;

/// Reasons why an MCAP file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum McapReadError {
    /// The file system refused to read.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The first bytes are those of another format.
    #[error("is not an MCAP file: its first bytes must be 0x89 MCAP0 CR LF")]
    NotMcap,
    /// The file ends before its data do.
    #[error("is truncated after {whole} bytes of complete records; `mcap recover` keeps these")]
    Truncated {
        /// Length of the complete records, bytes.
        whole: u64,
    },
    /// Chunks in a compression that is not read.
    #[error(
        "its chunks are compressed by {found:?}; must be \"zstd\", \"lz4\" or uncompressed, as by \
        `mcap compress --compression zstd`"
    )]
    Compression {
        /// The compression.
        found: String,
    },
    /// A damaged record.
    #[error("a record after {whole} bytes is damaged or above {} MiB", LARGEST_CHUNK >> 20)]
    Damaged {
        /// Offset of the record, bytes.
        whole: u64,
    },
}

/// A message with its topic and schema.
pub(super) struct McapMessage {
    pub topic: String,
    pub schema: String,
    /// Encoding of the data, as `protobuf` or `cdr`.
    pub encoding: String,
    /// Time of delivery, ns.
    pub time: u64,
    pub data: Vec<u8>,
}

/// A channel of messages.
struct McapChannel {
    /// Number of its schema, 0 for none.
    schema: u16,
    topic: String,
    encoding: String,
}

/// Schemas and channels by number.
struct ChannelTable {
    schemas: BTreeMap<u16, String>,
    channels: BTreeMap<u16, McapChannel>,
    /// Number of messages of each channel that have been passed to the caller.
    passed: BTreeMap<u16, u32>,
    /// Whether messages are passed once, by their sequence numbers, which only bekker ensures.
    is_sequential: bool,
}

impl Default for ChannelTable {
    fn default() -> ChannelTable {
        ChannelTable {
            schemas: BTreeMap::new(),
            channels: BTreeMap::new(),
            passed: BTreeMap::new(),
            is_sequential: true,
        }
    }
}

/// Returns all messages.
#[cfg(test)]
pub(super) fn records(file: &mut impl Read, open: &[u8]) -> io::Result<Vec<McapMessage>> {
    let mut messages = Vec::new();
    for_each_message(file, open, &mut |message| {
        messages.push(message);
        Ok(())
    })?;
    Ok(messages)
}

/// Passes all messages of a file to `take`, then those of the chunk that was open.
///
/// A file that was cut is read up to there. Each message is passed once, in order.
pub(super) fn for_each_message(
    file: &mut impl Read,
    open: &[u8],
    take: &mut dyn FnMut(McapMessage) -> io::Result<()>,
) -> io::Result<()> {
    let mut known = ChannelTable::default();
    let mut magic = [0; 8];
    if file.read_exact(&mut magic).is_ok() {
        while let Some((code, length)) = head(file)? {
            // the bytes after the data repeat them, or remain from an ending that was to be
            // overwritten
            match code {
                CHUNK => match content(file, length)?.and_then(|content| unpacked(&content)) {
                    Some(chunk) => _ = known.read(&chunk, take)?,
                    None => break,
                },
                DATA_END => break,
                _ if io::copy(&mut file.by_ref().take(length), &mut io::sink())? < length => break,
                _ => {}
            }
        }
    }
    known.read(open, take)?;
    Ok(())
}

/// Passes all messages of a complete file to `take`, and its metadata by name to `describe`.
pub(super) fn read_complete(
    file: &mut impl Read,
    describe: &mut dyn FnMut(String, BTreeMap<String, String>),
    take: &mut dyn FnMut(McapMessage),
) -> Result<(), McapReadError> {
    let mut magic = [0; 8];
    file.read_exact(&mut magic).map_err(|_| McapReadError::NotMcap)?;
    if magic != super::mcap::MAGIC {
        return Err(McapReadError::NotMcap);
    }
    let mut known = ChannelTable { is_sequential: false, ..ChannelTable::default() };
    let mut whole = magic.len() as u64;
    let mut pass = |message| {
        take(message);
        Ok(())
    };
    loop {
        let Some((code, length)) = head(file)? else {
            return Err(McapReadError::Truncated { whole });
        };
        if !matches!(code, CHUNK | METADATA | SCHEMA | CHANNEL | MESSAGE | DATA_END) {
            if io::copy(&mut file.by_ref().take(length), &mut io::sink())? < length {
                return Err(McapReadError::Truncated { whole });
            }
            whole += super::mcap::HEAD as u64 + length;
            continue;
        }
        if length > LARGEST_CHUNK {
            return Err(McapReadError::Damaged { whole });
        }
        let Some(record) = content(file, length)? else {
            return Err(McapReadError::Truncated { whole });
        };
        let damaged = || McapReadError::Damaged { whole };
        match code {
            DATA_END => return Ok(()),
            CHUNK => {
                if !known.read(&chunk_records(&record, damaged)?, &mut pass)? {
                    return Err(damaged());
                }
            }
            METADATA => {
                let (name, texts) = metadata(&record).ok_or_else(damaged)?;
                describe(name, texts);
            }
            _ => {
                let message = known.record(code, &record).ok_or_else(damaged)?;
                message.map_or(Ok(()), &mut pass)?;
            }
        }
        whole += super::mcap::HEAD as u64 + length;
    }
}

/// Returns the profile of an MCAP file, as `ros2`; empty for none.
pub(super) fn profile(file: &mut impl Read) -> Result<String, McapReadError> {
    let mut magic = [0; 8];
    file.read_exact(&mut magic).map_err(|_| McapReadError::NotMcap)?;
    if magic != super::mcap::MAGIC {
        return Err(McapReadError::NotMcap);
    }
    let whole = magic.len() as u64;
    match head(file)? {
        Some((HEADER, length)) if length <= LARGEST_CHUNK => {
            let header = content(file, length)?.ok_or(McapReadError::Truncated { whole })?;
            RecordCursor(&header).text().ok_or(McapReadError::Damaged { whole })
        }
        Some(_) => Err(McapReadError::Damaged { whole }),
        None => Err(McapReadError::Truncated { whole }),
    }
}

/// Returns the records of a chunk, decompressed.
fn chunk_records(
    content: &[u8],
    damaged: impl Fn() -> McapReadError,
) -> Result<Vec<u8>, McapReadError> {
    let (size, compression) = RecordCursor(content).chunk_head().ok_or_else(&damaged)?;
    if size > LARGEST_CHUNK {
        return Err(damaged());
    }
    match compression.as_str() {
        "zstd" | "lz4" | "" => unpacked(content).ok_or_else(damaged),
        _ => Err(McapReadError::Compression { found: compression }),
    }
}

/// Returns name and texts of a metadata record.
fn metadata(content: &[u8]) -> Option<(String, BTreeMap<String, String>)> {
    let mut fields = RecordCursor(content);
    let name = fields.text()?;
    let length = fields.u32()? as usize;
    let mut pairs = RecordCursor(fields.raw(length)?);
    let mut texts = BTreeMap::new();
    while !pairs.0.is_empty() {
        texts.insert(pairs.text()?, pairs.text()?);
    }
    Some((name, texts))
}

const HEADER: u8 = 1;
const SCHEMA: u8 = 3;
const CHANNEL: u8 = 4;
const MESSAGE: u8 = 5;
const CHUNK: u8 = 6;
const METADATA: u8 = 12;
const DATA_END: u8 = 15;

/// Reads opcode and length of the next record, if they are complete.
fn head(from: &mut impl Read) -> io::Result<Option<(u8, u64)>> {
    let mut head = [0; 9];
    match from.read_exact(&mut head) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
        Ok(()) => {
            let length = u64::from_le_bytes(head[1..].try_into().unwrap_or_default());
            Ok(Some((head[0], length)))
        }
    }
}

/// Reads the content of a record, if it is complete.
fn content(from: &mut impl Read, length: u64) -> io::Result<Option<Vec<u8>>> {
    let mut content = Vec::new();
    from.take(length).read_to_end(&mut content)?;
    Ok((content.len() as u64 == length).then_some(content))
}

/// Reads the next record, if it is complete.
fn next(from: &mut impl Read) -> io::Result<Option<(u8, Vec<u8>)>> {
    let Some((code, length)) = head(from)? else { return Ok(None) };
    Ok(content(from, length)?.map(|content| (code, content)))
}

/// A cursor over a record's content.
struct RecordCursor<'a>(&'a [u8]);

impl<'a> RecordCursor<'a> {
    fn raw(&mut self, length: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(head)
    }

    fn u16(&mut self) -> Option<u16> {
        self.raw(2)?.try_into().ok().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.raw(4)?.try_into().ok().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.raw(8)?.try_into().ok().map(u64::from_le_bytes)
    }

    /// Size and compression of a chunk, after its times.
    fn chunk_head(&mut self) -> Option<(u64, String)> {
        let (_, size, _) = (self.raw(16)?, self.u64()?, self.u32()?);
        Some((size, self.text()?))
    }

    fn text(&mut self) -> Option<String> {
        let length = self.u32()? as usize;
        String::from_utf8(self.raw(length)?.to_vec()).ok()
    }
}

/// Returns the records in a chunk, if it is valid.
fn unpacked(content: &[u8]) -> Option<Vec<u8>> {
    let mut fields = RecordCursor(content);
    let (_, _, size) = (fields.u64()?, fields.u64()?, fields.u64()?);
    let (crc, compression, length) = (fields.u32()?, fields.text()?, fields.u64()?);
    let packed = fields.raw(usize::try_from(length).ok()?)?;
    let mut chunk = Vec::new();
    match compression.as_str() {
        "" => chunk.extend_from_slice(packed),
        "zstd" => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(packed).ok()?;
            decoder.take(size).read_to_end(&mut chunk).ok()?;
        }
        _ => {
            lz4_flex::frame::FrameDecoder::new(packed).take(size).read_to_end(&mut chunk).ok()?;
        }
    }
    // 0: not computed
    let is_whole = chunk.len() as u64 == size && (crc == 0 || crc32fast::hash(&chunk) == crc);
    is_whole.then_some(chunk)
}

impl ChannelTable {
    /// Passes the messages of records, up to a damaged one; whether there was none.
    fn read(
        &mut self,
        mut records: &[u8],
        take: &mut dyn FnMut(McapMessage) -> io::Result<()>,
    ) -> io::Result<bool> {
        while let Some((code, content)) = next(&mut records)? {
            match self.record(code, &content) {
                Some(Some(message)) => take(message)?,
                Some(None) => {}
                None => return Ok(false),
            }
        }
        Ok(records.is_empty())
    }

    /// Reads a record: the message in it, if it is one that was not passed before.
    ///
    /// `None` if the record is damaged.
    fn record(&mut self, code: u8, content: &[u8]) -> Option<Option<McapMessage>> {
        let mut fields = RecordCursor(content);
        match code {
            SCHEMA => self.schema(&mut fields).map(|()| None),
            CHANNEL => self.channel(&mut fields).map(|()| None),
            MESSAGE => self.message(&mut fields),
            _ => Some(None),
        }
    }

    fn schema(&mut self, fields: &mut RecordCursor<'_>) -> Option<()> {
        let number = fields.u16()?;
        self.schemas.insert(number, fields.text()?);
        Some(())
    }

    fn channel(&mut self, fields: &mut RecordCursor<'_>) -> Option<()> {
        let (number, schema) = (fields.u16()?, fields.u16()?);
        let (topic, encoding) = (fields.text()?, fields.text()?);
        self.channels.insert(number, McapChannel { schema, topic, encoding });
        Some(())
    }

    /// Parses a message; the inner option is `None` if the message was already passed.
    fn message(&mut self, fields: &mut RecordCursor<'_>) -> Option<Option<McapMessage>> {
        let (channel, sequence) = (fields.u16()?, fields.u32()?);
        let (time, _) = (fields.u64()?, fields.u64()?);
        let passed = self.passed.entry(channel).or_default();
        if self.is_sequential && sequence != *passed {
            return Some(None);
        }
        *passed += 1;
        let McapChannel { schema, topic, encoding } = self.channels.get(&channel)?;
        let schema = match schema {
            0 => String::new(),
            number => self.schemas.get(number)?.clone(),
        };
        let (topic, encoding, data) = (topic.clone(), encoding.clone(), fields.0.to_vec());
        Some(Some(McapMessage { topic, schema, encoding, time, data }))
    }
}
