//! Tables that grow on disk during a run, as CSV and Parquet.
//!
//! A CSV holds all rows up to the last flush. A Parquet file grows by row groups and holds all rows
//! up to the last second; it is readable whenever the run is interrupted.
//!
//! A resumed run truncates the CSV at the time of its checkpoint. It then recreates the Parquet
//! from the CSV, with the same bytes, while the old Parquet remains in place. Therefore a table has
//! a CSV until it is complete, even if only Parquet is requested. If the run had ended, the rows
//! come from the Parquet.

use super::append_file::AppendFile;
use super::columns::{
    ParquetWriter, RecordColumn, csv_header, csv_of_parquet, csv_rows, parquet_rows,
};
use super::{ReportError, file};
use bekker_scenario::config::StateFormat;
use std::fs;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Rows per row group.
const GROUP: usize = 1 << 10;
/// Columns that decide where a table is truncated: the time of a row, or of the delivery of a reading.
const TIMES: [&str; 2] = ["time_s", "delivered_s"];
/// Tolerance within which times are equal, s: times are whole microseconds.
pub(super) const SAME: f64 = 5e-7;
/// Wall time after which the Parquet file is updated with rows that do not fill a row group.
const SHOWN_EVERY: Duration = Duration::from_secs(1);

/// Writer of a table.
pub(super) struct AppendTable {
    folder: PathBuf,
    stem: String,
    columns: Vec<RecordColumn>,
    /// Number of rows in the columns.
    held: usize,
    /// Number of these rows that are in the CSV.
    published: usize,
    csv: AppendFile,
    keeps_csv: bool,
    parquet: Option<ParquetWriter>,
    /// Time of the last update of the Parquet file.
    shown: Instant,
}

impl AppendTable {
    /// Begins a table with these columns in a folder.
    pub fn begin(
        folder: &Path,
        stem: &str,
        columns: Vec<RecordColumn>,
        formats: &[StateFormat],
    ) -> Result<AppendTable, ReportError> {
        let path = folder.join(format!("{stem}.csv"));
        let mut csv = AppendFile::open_at_end(file::create(&path)?, &path)?;
        let header = csv_header(&columns).map_err(ReportError::encode(&path))?;
        csv.append(&header)?;
        let mut table = AppendTable::with_csv(folder, stem, columns, formats, csv)?;
        table.publish()?;
        Ok(table)
    }

    fn with_csv(
        folder: &Path,
        stem: &str,
        columns: Vec<RecordColumn>,
        formats: &[StateFormat],
        csv: AppendFile,
    ) -> Result<AppendTable, ReportError> {
        let place = folder.join(format!("{stem}.parquet"));
        let wanted = formats.contains(&StateFormat::Parquet);
        let parquet = wanted.then(|| ParquetWriter::begin(&place, stem, &columns)).transpose()?;
        Ok(AppendTable {
            folder: folder.to_owned(),
            stem: stem.to_owned(),
            columns,
            held: 0,
            published: 0,
            csv,
            keeps_csv: formats.contains(&StateFormat::Csv),
            parquet,
            shown: Instant::now(),
        })
    }

    /// Continues a table after its rows up to a time, s; `visit` is called for each of these.
    ///
    /// # Errors
    /// [`ReportError`] if the table does not exist or has other columns.
    pub fn resume(
        folder: &Path,
        stem: &str,
        columns: Vec<RecordColumn>,
        formats: &[StateFormat],
        until: f64,
        visit: &mut dyn FnMut(&csv::StringRecord),
    ) -> Result<AppendTable, ReportError> {
        let path = folder.join(format!("{stem}.csv"));
        let parquet = folder.join(format!("{stem}.parquet"));
        file::check_place(&path)?;
        // a CSV that is missing or has lost rows is restored from the Parquet; normally it has at
        // least as many rows as the Parquet
        let lines = || fs::File::open(&path).and_then(|mut own| Ok(whole_lines(&mut own)?.1));
        let lost = |rows: u64| lines().is_ok_and(|lines| rows > lines.saturating_sub(1));
        if parquet.exists() && (!path.exists() || parquet_rows(&parquet).is_some_and(lost)) {
            csv_of_parquet(&parquet, &path)?;
        }
        let opened = fs::OpenOptions::new().read(true).write(true).open(&path);
        let mut csv = opened.map_err(ReportError::file("resume", &path))?;
        let failed = ReportError::file("read", &path);
        let (whole, _) = whole_lines(&mut csv).map_err(failed)?;
        let expected = csv_header(&columns).map_err(ReportError::encode(&path))?;
        let mut rows = csv::ReaderBuilder::new().has_headers(false).from_reader(
            BufReader::new(csv.try_clone().map_err(ReportError::file("read", &path))?).take(whole),
        );
        let other = || ReportError::OtherColumns { path: path.clone() };
        let kept = csv.try_clone().map_err(ReportError::file("read", &path))?;
        let own = AppendFile::with_length(kept, &path, whole);
        let mut table = AppendTable::with_csv(folder, stem, columns, formats, own)?;
        let time = table.columns.iter().position(|column| TIMES.contains(&&*column.name));
        let time = time.ok_or_else(other)?;
        let mut row = csv::StringRecord::new();
        let mut end = 0;
        while rows.read_record(&mut row).map_err(ReportError::decode(&path))? {
            if end == 0 {
                let mut header = csv::Writer::from_writer(Vec::new());
                header.write_record(&row).map_err(ReportError::decode(&path))?;
                let header = header.into_inner().unwrap_or_default();
                if header != expected {
                    return Err(other());
                }
                end = rows.position().byte();
                continue;
            }
            let at: f64 = row[time].parse().map_err(ReportError::decode(&path))?;
            if at > until + SAME {
                break;
            }
            for (column, word) in table.columns.iter_mut().zip(&row) {
                if !column.values.read(word) {
                    return Err(other());
                }
            }
            visit(&row);
            end = rows.position().byte();
            table.held += 1;
            table.published += 1;
            table.end_group_if_full()?;
        }
        if end == 0 {
            return Err(other());
        }
        csv.set_len(end).map_err(ReportError::file("cut", &path))?;
        table.csv = AppendFile::open_at_end(csv, &path)?;
        match table.parquet {
            Some(_) => table.publish()?,
            // this format is no longer requested
            None => file::remove(&parquet)?,
        }
        Ok(table)
    }

    /// Returns the columns; the caller appends a value to each.
    pub fn columns(&mut self) -> &mut [RecordColumn] {
        &mut self.columns
    }

    /// Ends a row whose values have been appended.
    pub fn end_row(&mut self) -> Result<(), ReportError> {
        self.held += 1;
        if self.held < GROUP { Ok(()) } else { self.flush() }
    }

    /// Writes all rows to the CSV.
    pub fn flush(&mut self) -> Result<(), ReportError> {
        if self.published < self.held {
            let path = self.folder.join(format!("{}.csv", self.stem));
            let rows = csv_rows(&self.columns, self.published..self.held);
            let rows = rows.map_err(ReportError::encode(&path))?;
            self.csv.append(&rows)?;
            self.published = self.held;
            self.end_group_if_full()?;
            if self.shown.elapsed() >= SHOWN_EVERY {
                self.publish()?;
            }
        }
        Ok(())
    }

    /// Updates the Parquet file with all rows.
    pub fn publish(&mut self) -> Result<(), ReportError> {
        self.shown = Instant::now();
        self.parquet.as_mut().map_or(Ok(()), |parquet| parquet.publish(&self.columns))
    }

    fn end_group_if_full(&mut self) -> Result<(), ReportError> {
        if self.held < GROUP { Ok(()) } else { self.end_group() }
    }

    fn end_group(&mut self) -> Result<(), ReportError> {
        if let (Some(parquet), true) = (&mut self.parquet, self.held > 0) {
            parquet.add(&self.columns)?;
        }
        self.columns.iter_mut().for_each(|column| column.values.clear());
        (self.held, self.published) = (0, 0);
        Ok(())
    }

    /// Completes the files and returns their names in the folder.
    pub fn finish(mut self) -> Result<Vec<String>, ReportError> {
        self.flush()?;
        self.end_group()?;
        let mut names = Vec::new();
        if let Some(parquet) = self.parquet {
            parquet.finish()?;
            names.push(format!("{}.parquet", self.stem));
        }
        let name = format!("{}.csv", self.stem);
        let path = self.folder.join(&name);
        if self.keeps_csv {
            self.csv.finish()?;
            names.push(name);
        } else {
            file::remove(&path)?;
        }
        Ok(names)
    }
}

/// Returns the length of a file up to the end of its last complete line, and the number of these
/// lines.
///
/// Afterward the file is positioned at its beginning.
fn whole_lines(file: &mut fs::File) -> std::io::Result<(u64, u64)> {
    file.rewind()?;
    let (mut whole, mut lines, mut at) = (0, 0, 0);
    let mut reader = BufReader::new(&mut *file);
    loop {
        let block = reader.fill_buf()?;
        if block.is_empty() {
            break;
        }
        if let Some(last) = block.iter().rposition(|&byte| byte == b'\n') {
            whole = at + last as u64 + 1;
        }
        lines += block.iter().filter(|&&byte| byte == b'\n').count() as u64;
        let length = block.len();
        at += length as u64;
        reader.consume(length);
    }
    file.rewind()?;
    Ok((whole, lines))
}
