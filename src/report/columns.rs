//! Columns of numbers and words as Parquet and CSV: rows as they come, so that a long
//! table need not be held in memory.

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::io::Write;
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
pub(super) struct Parquet<W: Write + Send>(SerializedFileWriter<W>);

impl<W: Write + Send> Parquet<W> {
    /// Begins a file of columns like these.
    pub fn new(to: W, name: &str, columns: &[Column]) -> Result<Parquet<W>, ParquetError> {
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
        SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties)).map(Parquet)
    }

    /// Adds all rows of the columns.
    pub fn rows(&mut self, columns: &[Column]) -> Result<(), ParquetError> {
        let mut group = self.0.next_row_group()?;
        for column in columns {
            write_column(&mut group, &column.values)?;
        }
        group.close().map(|_| ())
    }

    /// Ends the file.
    pub fn finish(self) -> Result<W, ParquetError> {
        self.0.into_inner()
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

/// A CSV file being written: reals in the fewest digits that bring back the same number.
pub(super) struct Csv<W: Write>(csv::Writer<W>);

impl<W: Write> Csv<W> {
    /// Begins a file of columns like these, with a header.
    pub fn new(to: W, columns: &[Column]) -> Result<Csv<W>, csv::Error> {
        let mut writer = csv::Writer::from_writer(to);
        writer.write_record(columns.iter().map(|column| column.name.as_str()))?;
        Ok(Csv(writer))
    }

    /// Adds all of so many rows of the columns.
    pub fn rows(&mut self, columns: &[Column], rows: usize) -> Result<(), csv::Error> {
        fn word<T: ToString>(value: Option<T>) -> String {
            value.map(|value| value.to_string()).unwrap_or_default()
        }
        let Csv(writer) = self;
        for row in 0..rows {
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
        Ok(())
    }

    /// Ends the file.
    pub fn finish(self) -> Result<W, csv::Error> {
        self.0.into_inner().map_err(|error| error.into_error().into())
    }
}
