//! Columns of numbers and words as Parquet and CSV: rows as they come, so that a long
//! table need not be held in memory.

use super::{ReportError, file};
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{SchemaDescriptor, Type};
use std::fs;
use std::io::{self, Seek, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A column with its values, row by row.
pub(super) struct Column {
    pub name: String,
    pub values: Values,
}

pub(super) enum Values {
    Real(Vec<f64>),
    OptionalReal(Vec<Option<f64>>),
    Integer(Vec<i32>),
    OptionalLong(Vec<Option<i64>>),
    Text(Vec<String>),
}

impl Values {
    /// Adds a row from a word of a CSV; whether it can be.
    pub fn read(&mut self, word: &str) -> bool {
        fn add<T: std::str::FromStr>(values: &mut Vec<T>, word: &str) -> bool {
            word.parse().map(|value| values.push(value)).is_ok()
        }
        fn add_any<T: std::str::FromStr>(values: &mut Vec<Option<T>>, word: &str) -> bool {
            let value = (!word.is_empty()).then(|| word.parse()).transpose();
            value.map(|value| values.push(value)).is_ok()
        }
        match self {
            Values::Real(values) => add(values, word),
            Values::OptionalReal(values) => add_any(values, word),
            Values::Integer(values) => add(values, word),
            Values::OptionalLong(values) => add_any(values, word),
            Values::Text(values) => add(values, word),
        }
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        match self {
            Values::Real(values) => values.clear(),
            Values::OptionalReal(values) => values.clear(),
            Values::Integer(values) => values.clear(),
            Values::OptionalLong(values) => values.clear(),
            Values::Text(values) => values.clear(),
        }
    }
}

/// A Parquet file being written: Snappy, a row group at a time.
pub(super) struct Parquet {
    writer: SerializedFileWriter<fs::File>,
    /// The same file, to write a footer that the next group writes over.
    file: fs::File,
    path: PathBuf,
}

impl Parquet {
    /// Begins a file of columns like these.
    pub fn create(path: &Path, name: &str, columns: &[Column]) -> Result<Parquet, ReportError> {
        let file = file::create(path)?;
        let own = file.try_clone().map_err(ReportError::file("create", path))?;
        let begun = || {
            let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
            let schema = Type::group_type_builder(name).with_fields(fields).build()?;
            let frames = "world: east-north-up; body: ISO 8855, x forward, y left, z up; SI units";
            let properties = WriterProperties::builder()
                .set_compression(Compression::SNAPPY)
                .set_created_by(concat!("bekker ", env!("CARGO_PKG_VERSION")).to_owned())
                .set_key_value_metadata(Some(vec![KeyValue::new(
                    "frames".to_owned(),
                    frames.to_owned(),
                )]))
                .build();
            SerializedFileWriter::new(own, Arc::new(schema), Arc::new(properties))
        };
        let writer = begun().map_err(failed(path))?;
        let mut parquet = Parquet { writer, file, path: path.to_owned() };
        parquet.end_for_now().map_err(failed(path))?;
        Ok(parquet)
    }

    /// Adds all rows of the columns.
    pub fn rows(&mut self, columns: &[Column]) -> Result<(), ReportError> {
        let mut added = || {
            let mut group = self.writer.next_row_group()?;
            for column in columns {
                write_column(&mut group, &column.values)?;
            }
            group.close()?;
            self.end_for_now()
        };
        added().map_err(failed(&self.path))
    }

    /// Writes a footer behind what is there, without going on: whoever reads the file
    /// now, or after the run was cut, finds all groups.
    fn end_for_now(&mut self) -> Result<(), ParquetError> {
        self.writer.flush()?;
        let groups = self.writer.flushed_row_groups().to_vec();
        let rows = groups.iter().map(RowGroupMetaData::num_rows).sum();
        let properties = self.writer.properties();
        let by = Some(properties.created_by().to_owned());
        let pairs = properties.key_value_metadata().cloned();
        let schema = Arc::new(SchemaDescriptor::new(self.writer.schema_descr().root_schema_ptr()));
        let about = FileMetaData::new(1, rows, by, pairs, schema, None);
        let mut footer = Vec::new();
        ParquetMetaDataWriter::new(&mut footer, &ParquetMetaData::new(about, groups)).finish()?;
        let end = self.writer.bytes_written() as u64;
        write_at(&self.file, &footer, end)?;
        Ok(self.file.set_len(end + footer.len() as u64)?)
    }

    /// Ends the file.
    pub fn finish(self) -> Result<(), ReportError> {
        let Parquet { writer, file, path } = self;
        let ended = || {
            let mut written = writer.into_inner()?;
            let end = written.stream_position()?;
            file.set_len(end)?;
            Ok::<_, ParquetError>(file.sync_all()?)
        };
        ended().map_err(failed(&path))
    }
}

/// An error of the format's library: what the system says of the file, if that is it.
fn failed(path: &Path) -> impl Fn(ParquetError) -> ReportError {
    let path = path.to_owned();
    move |error| match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => ReportError::file("write", &path)(*source),
            Err(source) => ReportError::encode(&path)(source),
        },
        error => ReportError::encode(&path)(error),
    }
}

/// Writes at a place in a file, whatever is being written elsewhere.
pub(super) fn write_at(file: &fs::File, bytes: &[u8], at: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::write_all_at(file, bytes, at);
    #[cfg(not(unix))]
    {
        // there the file's own place would move
        let _ = (file, bytes, at);
        Ok(())
    }
}

fn field(column: &Column) -> Result<Arc<Type>, ParquetError> {
    let (physical, repetition, logical) = match column.values {
        Values::Real(_) => (PhysicalType::DOUBLE, Repetition::REQUIRED, None),
        Values::OptionalReal(_) => (PhysicalType::DOUBLE, Repetition::OPTIONAL, None),
        Values::Integer(_) => (PhysicalType::INT32, Repetition::REQUIRED, None),
        Values::OptionalLong(_) => (PhysicalType::INT64, Repetition::OPTIONAL, None),
        Values::Text(_) => {
            (PhysicalType::BYTE_ARRAY, Repetition::REQUIRED, Some(LogicalType::String))
        }
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_repetition(repetition)
        .with_logical_type(logical)
        .build()
        .map(Arc::new)
}

fn write_column<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &Values,
) -> Result<(), ParquetError> {
    fn some<T: Copy>(values: &[Option<T>]) -> (Vec<i16>, Vec<T>) {
        let levels = values.iter().map(|v| i16::from(v.is_some())).collect();
        (levels, values.iter().copied().flatten().collect())
    }
    let missing = || ParquetError::General("schema and columns differ in number".to_owned());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    match values {
        Values::Real(values) => {
            column.typed::<DoubleType>().write_batch(values, None, None)?;
        }
        Values::OptionalReal(values) => {
            let (levels, present) = some(values);
            column.typed::<DoubleType>().write_batch(&present, Some(&levels), None)?;
        }
        Values::Integer(values) => {
            column.typed::<Int32Type>().write_batch(values, None, None)?;
        }
        Values::OptionalLong(values) => {
            let (levels, present) = some(values);
            column.typed::<Int64Type>().write_batch(&present, Some(&levels), None)?;
        }
        Values::Text(values) => {
            let values: Vec<ByteArray> = values.iter().map(|v| v.as_str().into()).collect();
            column.typed::<ByteArrayType>().write_batch(&values, None, None)?;
        }
    }
    column.close()
}

/// The header of a CSV of columns like these.
pub(super) fn csv_header(columns: &[Column]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns.iter().map(|column| column.name.as_str()))?;
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// Some rows of the columns as CSV: reals in the fewest digits that bring back the same
/// number.
pub(super) fn csv_rows(columns: &[Column], rows: Range<usize>) -> Result<Vec<u8>, csv::Error> {
    fn word<T: ToString>(value: Option<T>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        for column in columns {
            match &column.values {
                Values::Real(values) => writer.write_field(values[row].to_string())?,
                Values::OptionalReal(values) => writer.write_field(word(values[row]))?,
                Values::Integer(values) => writer.write_field(values[row].to_string())?,
                Values::OptionalLong(values) => writer.write_field(word(values[row]))?,
                Values::Text(values) => writer.write_field(&values[row])?,
            }
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}
