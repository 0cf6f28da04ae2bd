//! Columns of numbers and text as Parquet and CSV, written row by row.
//!
//! A long table need not fit into memory.

use super::double_buffered_file::DoubleBufferedFile;
use super::{ReportError, file};
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataWriter,
    RowGroupMetaData,
};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::Field;
use parquet::schema::types::{SchemaDescriptor, Type};
use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A column with its values, row by row.
pub(super) struct RecordColumn {
    pub name: String,
    pub values: RecordValues,
}

pub(super) enum RecordValues {
    Real(Vec<f64>),
    OptionalReal(Vec<Option<f64>>),
    Integer(Vec<i32>),
    OptionalLong(Vec<Option<i64>>),
    Text(Vec<String>),
}

impl RecordValues {
    /// Parses a field of a CSV and appends it; returns whether it is valid.
    pub fn read(&mut self, word: &str) -> bool {
        fn add<T: std::str::FromStr>(values: &mut Vec<T>, word: &str) -> bool {
            word.parse().map(|value| values.push(value)).is_ok()
        }
        fn add_any<T: std::str::FromStr>(values: &mut Vec<Option<T>>, word: &str) -> bool {
            let value = (!word.is_empty()).then(|| word.parse()).transpose();
            value.map(|value| values.push(value)).is_ok()
        }
        match self {
            RecordValues::Real(values) => add(values, word),
            RecordValues::OptionalReal(values) => add_any(values, word),
            RecordValues::Integer(values) => add(values, word),
            RecordValues::OptionalLong(values) => add_any(values, word),
            RecordValues::Text(values) => add(values, word),
        }
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        match self {
            RecordValues::Real(values) => values.clear(),
            RecordValues::OptionalReal(values) => values.clear(),
            RecordValues::Integer(values) => values.clear(),
            RecordValues::OptionalLong(values) => values.clear(),
            RecordValues::Text(values) => values.clear(),
        }
    }
}

/// Writer of a Parquet file, with Snappy compression, one row group at a time.
///
/// The file on disk is readable at every moment, even if the process is killed.
pub(super) struct ParquetWriter {
    /// Encoder; its buffer holds what is not in the file yet.
    writer: SerializedFileWriter<Vec<u8>>,
    file: DoubleBufferedFile,
    path: PathBuf,
}

impl ParquetWriter {
    /// Begins a file with the names and types of these columns.
    ///
    /// An existing file stays until [`ParquetWriter::publish`].
    pub fn begin(
        path: &Path,
        name: &str,
        columns: &[RecordColumn],
    ) -> Result<ParquetWriter, ReportError> {
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
            SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))
        };
        let mut writer = begun().map_err(failed(path))?;
        writer.flush().map_err(ReportError::file("write", path))?;
        let mut file = DoubleBufferedFile::begin(path)?;
        file.append(&std::mem::take(writer.inner_mut()))?;
        Ok(ParquetWriter { writer, file, path: path.to_owned() })
    }

    /// Adds all rows of the columns as a row group, visible after the next [`ParquetWriter::publish`].
    pub fn add(&mut self, columns: &[RecordColumn]) -> Result<(), ReportError> {
        let encoded = write_group(&mut self.writer, columns).map_err(failed(&self.path))?;
        self.file.append(&encoded)
    }

    /// Publishes all row groups so far, followed by the rows of the columns.
    ///
    /// These rows are not added: a later group contains them again.
    pub fn publish(&mut self, columns: &[RecordColumn]) -> Result<(), ReportError> {
        let ended = self.with_footer(columns).map_err(failed(&self.path))?;
        self.file.publish(&ended)
    }

    /// Returns the bytes that would end the file now: these rows as a row group, and the footer.
    fn with_footer(&self, columns: &[RecordColumn]) -> Result<Vec<u8>, ParquetError> {
        let root = self.writer.schema_descr().root_schema_ptr();
        let properties = self.writer.properties();
        let mut groups = self.writer.flushed_row_groups().to_vec();
        let mut last = SerializedFileWriter::new(Vec::new(), root.clone(), properties.clone())?;
        let begins = last.bytes_written();
        let mut ended = write_group(&mut last, columns)?.split_off(begins);
        let by = (self.writer.bytes_written() - begins) as i64;
        for group in last.flushed_row_groups().iter().filter(|group| group.num_rows() > 0) {
            groups.push(moved(group, by)?);
        }
        let rows = groups.iter().map(RowGroupMetaData::num_rows).sum();
        let by = Some(properties.created_by().to_owned());
        let pairs = properties.key_value_metadata().cloned();
        let schema = Arc::new(SchemaDescriptor::new(root));
        let about = FileMetaData::new(1, rows, by, pairs, schema, None);
        ParquetMetaDataWriter::new(&mut ended, &ParquetMetaData::new(about, groups)).finish()?;
        Ok(ended)
    }

    /// Completes the file.
    pub fn finish(self) -> Result<(), ReportError> {
        let ParquetWriter { writer, file, path } = self;
        let ending = writer.into_inner().map_err(failed(&path))?;
        file.finish(&ending)
    }
}

/// Encodes all rows of the columns as a row group, and returns the bytes to append to the file.
fn write_group(
    writer: &mut SerializedFileWriter<Vec<u8>>,
    columns: &[RecordColumn],
) -> Result<Vec<u8>, ParquetError> {
    let mut group = writer.next_row_group()?;
    for column in columns {
        write_column(&mut group, &column.values)?;
    }
    group.close()?;
    writer.flush()?;
    Ok(std::mem::take(writer.inner_mut()))
}

/// Returns the metadata of a row group with its offsets in the file increased by `by` bytes.
fn moved(group: &RowGroupMetaData, by: i64) -> Result<RowGroupMetaData, ParquetError> {
    let moved = |column: &ColumnChunkMetaData| {
        let [data, dictionary] = [Some(column.data_page_offset()), column.dictionary_page_offset()]
            .map(|at| at.map(|at| at + by));
        let builder = column.clone().into_builder().set_dictionary_page_offset(dictionary);
        data.into_iter().fold(builder, |builder, at| builder.set_data_page_offset(at)).build()
    };
    let columns = group.columns().iter().map(moved).collect::<Result<_, _>>()?;
    let begins = group.file_offset().unwrap_or_default() + by;
    group.clone().into_builder().set_column_metadata(columns).set_file_offset(begins).build()
}

/// Number of rows in a Parquet file; none if it cannot be read.
pub(super) fn parquet_rows(parquet: &Path) -> Option<u64> {
    let reader = SerializedFileReader::new(fs::File::open(parquet).ok()?).ok()?;
    u64::try_from(reader.metadata().file_metadata().num_rows()).ok()
}

/// Converts a complete Parquet file to a CSV with the same columns.
pub(super) fn csv_of_parquet(parquet: &Path, csv: &Path) -> Result<(), ReportError> {
    let opened = fs::File::open(parquet).map_err(ReportError::file("resume", parquet))?;
    let reader = SerializedFileReader::new(opened).map_err(failed(parquet))?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let part = csv.with_file_name(".rows.csv.part");
    let mut words = ::csv::Writer::from_writer(file::create(&part)?);
    let header = schema.columns().iter().map(|column| column.name());
    words.write_record(header).map_err(ReportError::encode(csv))?;
    for row in reader.get_row_iter(None).map_err(failed(parquet))? {
        let row = row.map_err(failed(parquet))?;
        let word = |(_, field): (&String, &Field)| match field {
            Field::Double(value) => value.to_string(),
            Field::Int(value) => value.to_string(),
            Field::Long(value) => value.to_string(),
            Field::Str(value) => value.clone(),
            _ => String::new(),
        };
        words.write_record(row.get_column_iter().map(word)).map_err(ReportError::encode(csv))?;
    }
    words.flush().and_then(|()| fs::rename(&part, csv)).map_err(ReportError::file("write", csv))
}

/// Converts an error of the Parquet library, keeping the system's error if it wraps one.
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

/// Writes at an offset of a file, without a change of its position.
pub(super) fn write_at(file: &fs::File, bytes: &[u8], at: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::write_all_at(file, bytes, at);
    #[cfg(not(unix))]
    {
        // other systems move the file's position, so it is restored
        use std::io::{Seek, SeekFrom, Write};
        let mut file = file;
        let place = file.stream_position()?;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytes)?;
        file.seek(SeekFrom::Start(place)).map(drop)
    }
}

fn field(column: &RecordColumn) -> Result<Arc<Type>, ParquetError> {
    let (physical, repetition, logical) = match column.values {
        RecordValues::Real(_) => (PhysicalType::DOUBLE, Repetition::REQUIRED, None),
        RecordValues::OptionalReal(_) => (PhysicalType::DOUBLE, Repetition::OPTIONAL, None),
        RecordValues::Integer(_) => (PhysicalType::INT32, Repetition::REQUIRED, None),
        RecordValues::OptionalLong(_) => (PhysicalType::INT64, Repetition::OPTIONAL, None),
        RecordValues::Text(_) => {
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
    values: &RecordValues,
) -> Result<(), ParquetError> {
    fn present_values<T: Copy>(values: &[Option<T>]) -> (Vec<i16>, Vec<T>) {
        let levels = values.iter().map(|v| i16::from(v.is_some())).collect();
        (levels, values.iter().copied().flatten().collect())
    }
    let missing = || ParquetError::General("schema and columns differ in number".to_owned());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    match values {
        RecordValues::Real(values) => {
            column.typed::<DoubleType>().write_batch(values, None, None)?;
        }
        RecordValues::OptionalReal(values) => {
            let (levels, present) = present_values(values);
            column.typed::<DoubleType>().write_batch(&present, Some(&levels), None)?;
        }
        RecordValues::Integer(values) => {
            column.typed::<Int32Type>().write_batch(values, None, None)?;
        }
        RecordValues::OptionalLong(values) => {
            let (levels, present) = present_values(values);
            column.typed::<Int64Type>().write_batch(&present, Some(&levels), None)?;
        }
        RecordValues::Text(values) => {
            let values: Vec<ByteArray> = values.iter().map(|v| v.as_str().into()).collect();
            column.typed::<ByteArrayType>().write_batch(&values, None, None)?;
        }
    }
    column.close()
}

/// Returns the header of a CSV with these columns.
pub(super) fn csv_header(columns: &[RecordColumn]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns.iter().map(|column| column.name.as_str()))?;
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// Returns some rows of the columns as CSV.
///
/// Reals have the fewest digits that give the same number when parsed.
pub(super) fn csv_rows(
    columns: &[RecordColumn],
    rows: Range<usize>,
) -> Result<Vec<u8>, csv::Error> {
    fn word<T: ToString>(value: Option<T>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        for column in columns {
            match &column.values {
                RecordValues::Real(values) => writer.write_field(values[row].to_string())?,
                RecordValues::OptionalReal(values) => writer.write_field(word(values[row]))?,
                RecordValues::Integer(values) => writer.write_field(values[row].to_string())?,
                RecordValues::OptionalLong(values) => writer.write_field(word(values[row]))?,
                RecordValues::Text(values) => writer.write_field(&values[row])?,
            }
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}
