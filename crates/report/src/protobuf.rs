//! Protocol Buffers: messages as bytes, and the descriptors that a reader needs.
//!
//! The wire format has few kinds of field, so messages are written field by field. Their types are
//! tables ([`Type`]) from which the FileDescriptorSet is generated. A test reads both back with
//! Google's library.

/// An encoder of a message.
#[derive(Clone, Debug, Default)]
pub(super) struct ProtoMessage(pub Vec<u8>);

fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

impl ProtoMessage {
    fn key(&mut self, field: u32, wire: u32) {
        varint(&mut self.0, u64::from(field << 3 | wire));
    }

    pub fn integer(mut self, field: u32, value: u64) -> ProtoMessage {
        self.key(field, 0);
        varint(&mut self.0, value);
        self
    }

    pub fn double(mut self, field: u32, value: f64) -> ProtoMessage {
        self.key(field, 1);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub fn fixed32(mut self, field: u32, value: u32) -> ProtoMessage {
        self.key(field, 5);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub fn bytes(mut self, field: u32, value: &[u8]) -> ProtoMessage {
        self.key(field, 2);
        varint(&mut self.0, value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    pub fn text(self, field: u32, value: &str) -> ProtoMessage {
        self.bytes(field, value.as_bytes())
    }

    pub fn message(self, field: u32, value: ProtoMessage) -> ProtoMessage {
        self.bytes(field, &value.0)
    }

    pub fn doubles(self, field: u32, values: &[f64]) -> ProtoMessage {
        let packed: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.bytes(field, &packed)
    }

    pub fn floats(self, field: u32, values: &[f32]) -> ProtoMessage {
        let packed: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.bytes(field, &packed)
    }

    pub fn integers(self, field: u32, values: &[i64]) -> ProtoMessage {
        let mut packed = Vec::new();
        values.iter().for_each(|&value| varint(&mut packed, value as u64));
        self.bytes(field, &packed)
    }
}

/// Value of a field on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ProtoValue<'a> {
    /// An integer, or a flag.
    Integer(u64),
    /// A double.
    Double(f64),
    /// Four bytes.
    Fixed32(u32),
    /// Bytes, a text, a message or packed numbers.
    Bytes(&'a [u8]),
}

/// Passes the fields of a message to `take`; `None` if the bytes are no message.
pub(super) fn read_fields<'a>(
    mut bytes: &'a [u8],
    take: &mut dyn FnMut(u64, ProtoValue<'a>) -> Option<()>,
) -> Option<()> {
    while !bytes.is_empty() {
        let key = read_varint(&mut bytes)?;
        let mut raw = |length: usize| {
            let (head, rest) = bytes.split_at_checked(length)?;
            bytes = rest;
            Some(head)
        };
        let value = match key & 7 {
            0 => ProtoValue::Integer(read_varint(&mut bytes)?),
            1 => ProtoValue::Double(f64::from_le_bytes(raw(8)?.try_into().ok()?)),
            2 => {
                let length = usize::try_from(read_varint(&mut bytes)?).ok()?;
                let (head, rest) = bytes.split_at_checked(length)?;
                bytes = rest;
                ProtoValue::Bytes(head)
            }
            5 => ProtoValue::Fixed32(u32::from_le_bytes(raw(4)?.try_into().ok()?)),
            _ => return None,
        };
        take(key >> 3, value)?;
    }
    Some(())
}

fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Type of a field, in the numbering of FieldDescriptorProto.
#[derive(Clone, Copy, Debug)]
pub(super) enum FieldKind {
    Double,
    Float,
    Bool,
    Int64,
    Int32,
    Fixed32,
    Text,
    Message(&'static str),
    Bytes,
    Enum(&'static str),
}

/// A field of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProtoField<'a> {
    pub number: u32,
    pub name: &'a str,
    pub kind: FieldKind,
    pub repeated: bool,
}

/// Returns a field with a single value.
pub(super) const fn one(number: u32, name: &str, kind: FieldKind) -> ProtoField<'_> {
    ProtoField { number, name, kind, repeated: false }
}

/// Returns a field with any number of values.
pub(super) const fn many(number: u32, name: &str, kind: FieldKind) -> ProtoField<'_> {
    ProtoField { number, name, kind, repeated: true }
}

/// A message type with its nested enumeration, if any.
#[derive(Clone, Copy, Debug)]
pub(super) struct Type<'a> {
    pub name: &'a str,
    pub fields: &'a [ProtoField<'a>],
    pub enumeration: Option<(&'a str, &'a [&'a str])>,
}

/// A file of types.
#[derive(Clone, Copy, Debug)]
pub(super) struct File<'a> {
    pub name: &'a str,
    pub package: &'a str,
    pub needs: &'a [&'a str],
    pub types: &'a [Type<'a>],
}

fn field(field: &ProtoField<'_>) -> ProtoMessage {
    let (kind, name) = match field.kind {
        FieldKind::Double => (1, None),
        FieldKind::Float => (2, None),
        FieldKind::Int64 => (3, None),
        FieldKind::Int32 => (5, None),
        FieldKind::Fixed32 => (7, None),
        FieldKind::Bool => (8, None),
        FieldKind::Text => (9, None),
        FieldKind::Message(name) => (11, Some(name)),
        FieldKind::Bytes => (12, None),
        FieldKind::Enum(name) => (14, Some(name)),
    };
    let label = if field.repeated { 3 } else { 1 };
    let described = ProtoMessage::default()
        .text(1, field.name)
        .integer(3, field.number.into())
        .integer(4, label)
        .integer(5, kind);
    match name {
        Some(name) => described.text(6, &format!(".{name}")),
        None => described,
    }
}

fn of_type(of: &Type<'_>) -> ProtoMessage {
    let mut described = ProtoMessage::default().text(1, of.name);
    for one in of.fields {
        described = described.message(2, field(one));
    }
    if let Some((name, values)) = of.enumeration {
        let mut listed = ProtoMessage::default().text(1, name);
        for (number, value) in values.iter().enumerate() {
            listed =
                listed.message(2, ProtoMessage::default().text(1, value).integer(2, number as u64));
        }
        described = described.message(4, listed);
    }
    described
}

/// Returns the FileDescriptorSet of these files, each after its dependencies.
pub(super) fn describe(files: &[File<'_>]) -> Vec<u8> {
    let mut set = ProtoMessage::default();
    for file in files {
        let mut described = ProtoMessage::default().text(1, file.name).text(2, file.package);
        for needed in file.needs {
            described = described.text(3, needed);
        }
        for one in file.types {
            described = described.message(4, of_type(one));
        }
        set = set.message(1, described.text(12, "proto3"));
    }
    set.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the format's documentation: 150 in field 1, "testing" in field 2, and the
    /// first message in field 3.
    #[test]
    fn writes_the_documented_bytes() {
        let inner = ProtoMessage::default().integer(1, 150);
        assert_eq!(inner.0, [0x08, 0x96, 0x01]);
        let text = ProtoMessage::default().text(2, "testing");
        assert_eq!(text.0, b"\x12\x07testing");
        assert_eq!(ProtoMessage::default().message(3, inner).0, [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let packed = ProtoMessage::default().integers(6, &[3, 270, 86942]);
        assert_eq!(packed.0, [0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05]);
        let negative = ProtoMessage::default().integers(1, &[-1]);
        assert_eq!(negative.0.len(), 12, "ten bytes of ones");
    }
}
