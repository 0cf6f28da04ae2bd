//! Parquet with Snappy compression, groups, and lists of fixed length; a row group per episode.

use super::arrow;
use super::files::PendingFile;
use super::{ColumnValues, DatasetColumn};
use crate::ReportError;
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// A column of a table, or a named group of columns.
pub(super) enum TableNode {
    Leaf(DatasetColumn),
    Group(&'static str, Vec<DatasetColumn>),
}

impl TableNode {
    fn columns(&self) -> &[DatasetColumn] {
        match self {
            TableNode::Leaf(column) => std::slice::from_ref(column),
            TableNode::Group(_, columns) => columns,
        }
    }
}

impl DatasetColumn {
    /// Returns the column with only some of its rows.
    pub(super) fn slice_rows(&self, rows: Range<usize>) -> DatasetColumn {
        let width = self.width.unwrap_or(1);
        let range = rows.start * width..rows.end * width;
        let values = match &self.values {
            ColumnValues::Float(values) => ColumnValues::Float(values[range].to_vec()),
            ColumnValues::Double(values) => ColumnValues::Double(values[range].to_vec()),
            ColumnValues::Long(values) => ColumnValues::Long(values[range].to_vec()),
            ColumnValues::Bool(values) => ColumnValues::Bool(values[range].to_vec()),
            ColumnValues::Text(values) => ColumnValues::Text(values[range].to_vec()),
        };
        self.with_values(values)
    }

    /// Returns the column with other values.
    pub(super) fn with_values(&self, values: ColumnValues) -> DatasetColumn {
        let DatasetColumn { name, unit, role, width, parts, .. } = self;
        let (name, unit, parts) = (name.clone(), unit.clone(), parts.clone());
        DatasetColumn { name, unit, role: *role, width: *width, parts, values }
    }

    /// Returns the column with another name.
    pub(super) fn with_name(self, name: &str) -> DatasetColumn {
        DatasetColumn { name: name.into(), ..self }
    }
}

/// Writer of a table.
pub(super) struct NestedParquetWriter {
    writer: SerializedFileWriter<PendingFile>,
    path: PathBuf,
}

impl NestedParquetWriter {
    /// Begins a table with these columns; `pairs` are added to its metadata.
    pub fn begin(
        part: PendingFile,
        nodes: &[TableNode],
        pairs: &[(&str, String)],
    ) -> Result<NestedParquetWriter, ReportError> {
        let path = part.path.clone();
        let begun = || {
            let fields = nodes.iter().map(field).collect::<Result<Vec<_>, _>>()?;
            let schema = Type::group_type_builder("schema").with_fields(fields).build()?;
            let own = [(arrow::KEY, arrow::schema(nodes, pairs))];
            let pairs = pairs.iter().chain(&own);
            let pairs = pairs.map(|(key, text)| KeyValue::new((*key).to_owned(), text.clone()));
            let properties = WriterProperties::builder()
                .set_compression(Compression::SNAPPY)
                .set_created_by(concat!("bekker ", env!("CARGO_PKG_VERSION")).to_owned())
                .set_key_value_metadata(Some(pairs.collect()))
                .build();
            SerializedFileWriter::new(part, Arc::new(schema), Arc::new(properties))
        };
        let writer = begun().map_err(ReportError::encode(&path))?;
        Ok(NestedParquetWriter { writer, path })
    }

    /// Adds rows as a row group.
    pub fn add(&mut self, nodes: &[TableNode]) -> Result<(), ReportError> {
        let mut added = || {
            let mut group = self.writer.next_row_group()?;
            for column in nodes.iter().flat_map(TableNode::columns) {
                write_column(&mut group, column)?;
            }
            group.close().map(drop)
        };
        added().map_err(ReportError::encode(&self.path))
    }

    /// Number of bytes written so far.
    pub fn bytes(&self) -> usize {
        self.writer.bytes_written()
    }

    /// Completes the table and returns its file, which the caller completes.
    pub fn finish(self) -> Result<PendingFile, ReportError> {
        self.writer.into_inner().map_err(ReportError::encode(&self.path))
    }
}

/// Returns a group of the schema, with an optional annotation.
fn group(
    name: &str,
    repetition: Repetition,
    logical: Option<LogicalType>,
    fields: Vec<Arc<Type>>,
) -> Result<Arc<Type>, ParquetError> {
    let builder = Type::group_type_builder(name).with_repetition(repetition);
    builder.with_logical_type(logical).with_fields(fields).build().map(Arc::new)
}

fn field(node: &TableNode) -> Result<Arc<Type>, ParquetError> {
    match node {
        TableNode::Leaf(column) => column_type(column),
        TableNode::Group(name, columns) => {
            let fields = columns.iter().map(column_type).collect::<Result<_, _>>()?;
            group(name, Repetition::REQUIRED, None, fields)
        }
    }
}

fn column_type(column: &DatasetColumn) -> Result<Arc<Type>, ParquetError> {
    let (physical, logical) = match column.values {
        ColumnValues::Float(_) => (PhysicalType::FLOAT, None),
        ColumnValues::Double(_) => (PhysicalType::DOUBLE, None),
        ColumnValues::Long(_) => (PhysicalType::INT64, None),
        ColumnValues::Bool(_) => (PhysicalType::BOOLEAN, None),
        ColumnValues::Text(_) => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let single = |name: &str| {
        let builder = Type::primitive_type_builder(name, physical);
        let built =
            builder.with_repetition(Repetition::REQUIRED).with_logical_type(logical.clone());
        built.build().map(Arc::new)
    };
    if column.width.is_none() {
        return single(&column.name);
    }
    let list = group("list", Repetition::REPEATED, None, vec![single("element")?])?;
    group(&column.name, Repetition::REQUIRED, Some(LogicalType::List), vec![list])
}

fn write_column<W: std::io::Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    column: &DatasetColumn,
) -> Result<(), ParquetError> {
    match &column.values {
        ColumnValues::Float(values) => write_values::<FloatType, W>(group, values, column.width),
        ColumnValues::Double(values) => write_values::<DoubleType, W>(group, values, column.width),
        ColumnValues::Long(values) => write_values::<Int64Type, W>(group, values, column.width),
        ColumnValues::Bool(values) => write_values::<BoolType, W>(group, values, column.width),
        ColumnValues::Text(values) => {
            let values: Vec<ByteArray> = values.iter().map(|text| text.as_str().into()).collect();
            write_values::<ByteArrayType, W>(group, &values, column.width)
        }
    }
}

/// Writes values, as lists of `width` if there is one.
///
/// A list begins where the repetition level is 0.
fn write_values<T: DataType, W: std::io::Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    width: Option<usize>,
) -> Result<(), ParquetError> {
    let missing = || ParquetError::General("schema and columns differ in number".to_owned());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    let levels = width.map(|width| {
        let repetition: Vec<i16> =
            (0..values.len()).map(|n| i16::from(!n.is_multiple_of(width))).collect();
        (vec![1i16; values.len()], repetition)
    });
    let levels = levels.as_ref();
    let (definition, repetition) = (levels.map(|l| &l.0[..]), levels.map(|l| &l.1[..]));
    column.typed::<T>().write_batch(values, definition, repetition)?;
    column.close()
}
