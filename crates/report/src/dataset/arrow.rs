//! The Arrow schema in the metadata of a Parquet file.
//!
//! It specifies that lists have a fixed length, which Parquet cannot express. The encoding is
//! FlatBuffers of Arrow's `Schema.fbs` and `Message.fbs`, as base64
//! (<https://arrow.apache.org/docs/format/Columnar.html>).

use super::rows::TableNode;
use super::{ColumnValues, DatasetColumn};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flatbuffers::{FlatBufferBuilder, TableFinishedWIPOffset as Table, WIPOffset};

/// Key of the schema in the metadata.
pub(super) const KEY: &str = "ARROW:schema";

/// Discriminants of the union `Type`.
mod kind {
    pub const INT: u8 = 2;
    pub const FLOATING_POINT: u8 = 3;
    pub const UTF8: u8 = 5;
    pub const BOOL: u8 = 6;
    pub const STRUCT: u8 = 13;
    pub const FIXED_SIZE_LIST: u8 = 16;
}

/// Offset of a table's field in its vtable.
const fn slot(field: u16) -> u16 {
    4 + 2 * field
}

type TableOffset = WIPOffset<Table>;

/// Type of a field.
#[derive(Clone, Copy)]
struct FieldType {
    /// Discriminant of the union `Type`.
    kind: u8,
    table: TableOffset,
}

impl FieldType {
    fn new(kind: u8, ended: TableOffset) -> FieldType {
        FieldType { kind, table: WIPOffset::new(ended.value()) }
    }
}

/// Builds a field that is never null.
fn field(
    builder: &mut FlatBufferBuilder<'_>,
    name: &str,
    own: FieldType,
    children: &[TableOffset],
) -> TableOffset {
    let name = builder.create_string(name);
    let children = builder.create_vector(children);
    let table = builder.start_table();
    builder.push_slot_always(slot(0), name);
    builder.push_slot_always(slot(2), own.kind);
    builder.push_slot_always(slot(3), own.table);
    builder.push_slot_always(slot(5), children);
    let ended = builder.end_table(table);
    WIPOffset::new(ended.value())
}

/// Builds the type of a column's elements.
fn type_of(builder: &mut FlatBufferBuilder<'_>, values: &ColumnValues) -> FieldType {
    let table = builder.start_table();
    let kind = match values {
        ColumnValues::Float(_) => {
            builder.push_slot_always(slot(0), 1i16);
            kind::FLOATING_POINT
        }
        ColumnValues::Double(_) => {
            builder.push_slot_always(slot(0), 2i16);
            kind::FLOATING_POINT
        }
        ColumnValues::Long(_) => {
            builder.push_slot_always(slot(0), 64i32);
            builder.push_slot_always(slot(1), true);
            kind::INT
        }
        ColumnValues::Bool(_) => kind::BOOL,
        ColumnValues::Text(_) => kind::UTF8,
    };
    let ended = builder.end_table(table);
    FieldType::new(kind, ended)
}

fn column(builder: &mut FlatBufferBuilder<'_>, column: &DatasetColumn) -> TableOffset {
    let of = type_of(builder, &column.values);
    let Some(width) = column.width else { return field(builder, &column.name, of, &[]) };
    let element = field(builder, "element", of, &[]);
    let table = builder.start_table();
    builder.push_slot_always(slot(0), width as i32);
    let ended = builder.end_table(table);
    let list = FieldType::new(kind::FIXED_SIZE_LIST, ended);
    field(builder, &column.name, list, &[element])
}

fn node(builder: &mut FlatBufferBuilder<'_>, node: &TableNode) -> TableOffset {
    match node {
        TableNode::Leaf(leaf) => column(builder, leaf),
        TableNode::Group(name, columns) => {
            let children: Vec<TableOffset> =
                columns.iter().map(|one| column(builder, one)).collect();
            let table = builder.start_table();
            let ended = builder.end_table(table);
            field(builder, name, FieldType::new(kind::STRUCT, ended), &children)
        }
    }
}

fn pair(builder: &mut FlatBufferBuilder<'_>, (key, text): &(&str, String)) -> TableOffset {
    let (key, text) = (builder.create_string(key), builder.create_string(text));
    let table = builder.start_table();
    builder.push_slot_always(slot(0), key);
    builder.push_slot_always(slot(1), text);
    let ended = builder.end_table(table);
    WIPOffset::new(ended.value())
}

/// Returns the schema of these columns as text for the file's metadata.
///
/// It repeats the key-value `pairs` of the file: readers ignore the file's pairs if there is a
/// schema.
pub(super) fn schema(nodes: &[TableNode], pairs: &[(&str, String)]) -> String {
    let mut builder = FlatBufferBuilder::new();
    let fields: Vec<TableOffset> = nodes.iter().map(|one| node(&mut builder, one)).collect();
    let fields = builder.create_vector(&fields);
    let pairs: Vec<TableOffset> = pairs.iter().map(|one| pair(&mut builder, one)).collect();
    let pairs = builder.create_vector(&pairs);
    let table = builder.start_table();
    builder.push_slot_always(slot(1), fields);
    builder.push_slot_always(slot(2), pairs);
    let schema = builder.end_table(table);
    let table = builder.start_table();
    // metadata version 5 (value 4); the header is a schema (union value 1)
    builder.push_slot_always(slot(0), 4i16);
    builder.push_slot_always(slot(1), 1u8);
    builder.push_slot_always(slot(2), schema);
    let message = builder.end_table(table);
    builder.finish_minimal(message);
    let data = builder.finished_data();
    let padded = data.len().next_multiple_of(8);
    let mut bytes = [u32::MAX.to_le_bytes(), (padded as u32).to_le_bytes()].concat();
    bytes.extend_from_slice(data);
    bytes.resize(8 + padded, 0);
    STANDARD.encode(bytes)
}
