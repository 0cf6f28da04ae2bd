//! Messages to the page.
//!
//! | first byte | message | content |
//! | --- | --- | --- |
//! | 0 | text | JSON with a `kind` |
//! | 1 | mesh | u32 index, u32 corners; for each corner f32 x, y, z; then i8 normal and one byte 0; then u8 red, green, blue, 255 |
//! | 2 | props | u32 count; for each u32 mesh, f32 x, y, z, quaternion x, y, z, w, scale |
//! | 3 | chunk | [`Chunk`](super::Chunk) |
//! | 4 | tiles | u8 whether all previous tiles are invalid, f64 time, u32 count; for each i32 a, i32 b, f32 datum, u32 soil, then 19 x 19 i16 heights above the datum and as many depths below the undisturbed ground, in quarters of a millimeter |
//! | 5 | frame | f64 time, f64 tick, u32 vehicles, u32 parts, u32 puffs of dust; each as in `frame.rs` |
//! | 6 | picture | u32 vehicle, f64 time, u32 length of the name in bytes, the name, a PNG |
//! | 7 | states | u32 vehicles; for each u32 vehicle, u32 rows; then f64 times, x, y, speeds, mean slips and deepest sinkages, each as many as rows; NaN where not recorded |
//! | 8 | points | u32 vehicle, f64 time, u32 length of the lidar's name in bytes, the name, u32 count; for each f32 x, y, z |
//!
//! All numbers are little-endian. Positions are in m from the origin of the scene; colors are
//! square roots of linear values times 255.

/// An encoded message.
pub type EncodedMessage = Vec<u8>;

/// First byte of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageKind {
    Text = 0,
    Mesh = 1,
    Props = 2,
    Chunk = 3,
    Tiles = 4,
    Frame = 5,
    Picture = 6,
    States = 7,
    Points = 8,
}

/// Builder of a message.
#[derive(Debug)]
pub(super) struct MessageBuilder {
    bytes: Vec<u8>,
}

impl MessageBuilder {
    pub fn new(kind: MessageKind) -> MessageBuilder {
        MessageBuilder { bytes: vec![kind as u8] }
    }

    /// Allocates memory for more bytes.
    pub fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(bytes);
    }

    pub fn u8(&mut self, value: u8) -> &mut MessageBuilder {
        self.bytes.push(value);
        self
    }

    pub fn u16(&mut self, value: u16) -> &mut MessageBuilder {
        self.raw(&value.to_le_bytes())
    }

    pub fn u32(&mut self, value: usize) -> &mut MessageBuilder {
        self.raw(&(value as u32).to_le_bytes())
    }

    pub fn i16(&mut self, value: i16) -> &mut MessageBuilder {
        self.raw(&value.to_le_bytes())
    }

    pub fn i32(&mut self, value: i32) -> &mut MessageBuilder {
        self.raw(&value.to_le_bytes())
    }

    pub fn f32(&mut self, value: f64) -> &mut MessageBuilder {
        self.raw(&(value as f32).to_le_bytes())
    }

    pub fn f64(&mut self, value: f64) -> &mut MessageBuilder {
        self.raw(&value.to_le_bytes())
    }

    pub fn raw(&mut self, bytes: &[u8]) -> &mut MessageBuilder {
        self.bytes.extend_from_slice(bytes);
        self
    }

    pub fn finish(self) -> EncodedMessage {
        self.bytes
    }
}

/// Encodes a text message.
pub(super) fn text(value: &serde_json::Value) -> EncodedMessage {
    let mut writer = MessageBuilder::new(MessageKind::Text);
    writer.raw(value.to_string().as_bytes());
    writer.finish()
}
