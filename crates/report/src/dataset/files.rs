//! Files of a dataset: each is written under a temporary name and then renamed.

use crate::manifest::FileHash;
use crate::{ReportError, file};
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Files written to a folder.
pub(super) struct DatasetFiles {
    folder: PathBuf,
    /// Hashes, in the order of completion.
    pub written: Vec<FileHash>,
}

/// A file that is being written.
pub(super) struct PendingFile {
    file: BufWriter<fs::File>,
    name: String,
    /// Final path of the file.
    pub path: PathBuf,
    part: PathBuf,
}

impl DatasetFiles {
    /// Creates the list for an existing folder.
    pub fn new(folder: &Path) -> DatasetFiles {
        DatasetFiles { folder: folder.to_owned(), written: Vec::new() }
    }

    /// Begins a file and creates the folders in its name.
    ///
    /// A partial file left by a killed process is replaced.
    pub fn begin(&self, name: &str) -> Result<PendingFile, ReportError> {
        let path = self.folder.join(name);
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder).map_err(ReportError::file("create folder", folder))?;
        file::check_place(&path)?;
        let last = path.file_name().unwrap_or_default().to_string_lossy();
        let part = path.with_file_name(format!(".{last}.part"));
        let file = BufWriter::new(file::create(&part)?);
        Ok(PendingFile { file, name: name.into(), path, part })
    }

    /// Completes a file and renames it to its final path.
    pub fn finish(&mut self, mut part: PendingFile) -> Result<(), ReportError> {
        let whole = part.file.flush().and_then(|()| part.file.get_ref().sync_all());
        whole
            .and_then(|()| fs::rename(&part.part, &part.path))
            .map_err(ReportError::file("write", &part.path))?;
        self.written.push(FileHash::read(&part.path, &part.name)?);
        Ok(())
    }

    /// Writes a value as indented JSON.
    pub fn put_json(
        &mut self,
        name: &str,
        value: &impl serde::Serialize,
    ) -> Result<(), ReportError> {
        let mut part = self.begin(name)?;
        let path = part.path.clone();
        serde_json::to_writer_pretty(&mut part, value).map_err(ReportError::encode(&path))?;
        part.write_all(b"\n").map_err(ReportError::file("write", &path))?;
        self.finish(part)
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
