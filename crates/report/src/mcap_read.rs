//! Reader of bekker's MCAP files, even if they are incomplete because the run was interrupted.

use std::collections::BTreeMap;
use std::io::{self, Read};

/// A message with its topic and schema.
pub(super) struct McapMessage {
    pub topic: String,
    pub schema: String,
    /// Time of delivery, ns.
    pub time: u64,
    pub data: Vec<u8>,
}

/// Schemas by number, and channels by number with schema and topic.
#[derive(Default)]
struct ChannelTable {
    schemas: BTreeMap<u16, String>,
    channels: BTreeMap<u16, (u16, String)>,
    /// Number of messages of each channel that have been passed to the caller.
    passed: BTreeMap<u16, u32>,
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
                    Some(chunk) => known.read(&chunk, take)?,
                    None => break,
                },
                DATA_END => break,
                _ if io::copy(&mut file.by_ref().take(length), &mut io::sink())? < length => break,
                _ => {}
            }
        }
    }
    known.read(open, take)
}

const SCHEMA: u8 = 3;
const CHANNEL: u8 = 4;
const MESSAGE: u8 = 5;
const CHUNK: u8 = 6;
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

    fn text(&mut self) -> Option<String> {
        let length = self.u32()? as usize;
        String::from_utf8(self.raw(length)?.to_vec()).ok()
    }
}

/// Returns the records in a chunk, if it is valid.
fn unpacked(content: &[u8]) -> Option<Vec<u8>> {
    let mut fields = RecordCursor(content);
    let (_, _, size) = (fields.u64()?, fields.u64()?, fields.u64()?);
    let (crc, _, length) = (fields.u32()?, fields.text()?, fields.u64()?);
    let packed = fields.raw(usize::try_from(length).ok()?)?;
    let mut chunk = Vec::new();
    lz4_flex::frame::FrameDecoder::new(packed).take(size).read_to_end(&mut chunk).ok()?;
    (crc32fast::hash(&chunk) == crc).then_some(chunk)
}

impl ChannelTable {
    fn read(
        &mut self,
        mut records: &[u8],
        take: &mut dyn FnMut(McapMessage) -> io::Result<()>,
    ) -> io::Result<()> {
        while let Some((code, content)) = next(&mut records)? {
            let mut fields = RecordCursor(&content);
            let message = match code {
                SCHEMA => self.schema(&mut fields).map(|()| None),
                CHANNEL => self.channel(&mut fields).map(|()| None),
                MESSAGE => self.message(&mut fields),
                _ => Some(None),
            };
            match message {
                Some(Some(message)) => take(message)?,
                Some(None) => {}
                None => break,
            }
        }
        Ok(())
    }

    fn schema(&mut self, fields: &mut RecordCursor<'_>) -> Option<()> {
        let number = fields.u16()?;
        self.schemas.insert(number, fields.text()?);
        Some(())
    }

    fn channel(&mut self, fields: &mut RecordCursor<'_>) -> Option<()> {
        let (number, schema) = (fields.u16()?, fields.u16()?);
        self.channels.insert(number, (schema, fields.text()?));
        Some(())
    }

    /// Parses a message; the inner option is `None` if the message was already passed.
    fn message(&mut self, fields: &mut RecordCursor<'_>) -> Option<Option<McapMessage>> {
        let (channel, sequence) = (fields.u16()?, fields.u32()?);
        let (time, _) = (fields.u64()?, fields.u64()?);
        let passed = self.passed.entry(channel).or_default();
        if sequence != *passed {
            return Some(None);
        }
        *passed += 1;
        let (schema, topic) = self.channels.get(&channel)?;
        let (schema, topic) = (self.schemas.get(schema)?.clone(), topic.clone());
        let data = fields.0.to_vec();
        Some(Some(McapMessage { topic, schema, time, data }))
    }
}
