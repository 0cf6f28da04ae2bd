//! Storage of completed trials.

use super::extent::extent;
use crate::cli::Failure;
use crate::report::study::{StudyFolder, StudyRequest, TrialRecord};
use crate::study::design::StudyConfig;
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Stores trials in the study's folder and in memory.
pub struct TrialStore<'a> {
    pub asked: &'a StudyRequest,
    pub config: &'a StudyConfig,
    pub folder: &'a StudyFolder,
    pub bar: &'a ProgressBar,
    /// The completed trials by number.
    pub records: Mutex<BTreeMap<u64, TrialRecord>>,
}

impl TrialStore<'_> {
    /// Stores a completed trial.
    pub fn keep(&self, record: TrialRecord) -> Result<(), Failure> {
        self.folder.put(&record, self.asked.scenario_folder())?;
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        records.insert(record.trial, record);
        self.bar.inc(1);
        Ok(())
    }

    /// The trials to be driven next; under a stopping rule, those of one block.
    pub fn next(&self) -> Vec<u64> {
        let records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        extent(self.asked, self.config, &records).next
    }
}
