//! `bekker study merge`

use super::extent::{config, extent, selected_trials};
use super::run::print_summary;
use crate::cli::Failure;
use crate::report::study::{Shard, StudyFolder, StudyRequest, TrialRecord, write_tables};
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Merge the parts of a study
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker study merge part_1 part_2 part_3 --out whole\n\n\
    The tables are identical, byte for byte, to those of the study driven in one piece.")]
pub struct Merge {
    /// Folders of `bekker study run --shard`, in any order
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Folder of the whole study: new, empty, or begun by the same command
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Print JSON instead of a summary line
    #[arg(long)]
    json: bool,
}

impl Merge {
    pub fn execute(self) -> Result<(), Failure> {
        let first = self.folders.first().map_or(Path::new(""), PathBuf::as_path);
        let whole = StudyRequest::read(first)?.of_shard(Shard::WHOLE);
        let mut records: BTreeMap<u64, TrialRecord> = BTreeMap::new();
        for folder in &self.folders {
            let asked = StudyRequest::read(folder)?;
            if let Some([key, found, asked]) = asked.of_shard(Shard::WHOLE).difference(&whole) {
                let first = first.display();
                let cause = format!(
                    "belongs to another study than {first}: {key} = {found} here, {asked} there"
                );
                return Err(Failure::Input { subject: folder.display().to_string(), cause });
            }
            for (trial, record) in asked.records(folder)? {
                let before = records.insert(trial, record.clone());
                refuse_other(before.as_ref(), &record, folder)?;
            }
        }
        refuse_other_files(&records)?;
        let config = config(&whole, first)?;
        let extent = extent(&whole, &config, &records);
        extent.warn(&config);
        if let Some(first) = extent.next.first() {
            let absent = (0..whole.trials).filter(|trial| !records.contains_key(trial)).count();
            let cause = format!(
                "{absent} of {} trials are missing; the next required trial is {first}. Complete \
                 all parts, and give all their folders",
                whole.trials
            );
            return Err(Failure::Input { subject: "merge".into(), cause });
        }
        let (folder, there) = StudyFolder::begin(&self.out, &whole)?;
        let trials: Vec<&TrialRecord> = selected_trials(&extent, &records);
        for record in trials.iter().filter(|record| !there.contains_key(&record.trial)) {
            folder.put_of(record, &self.folders)?;
        }
        folder.keep_scenario_of(self.folders.iter().map(PathBuf::as_path))?;
        folder.sync()?;
        write_tables(&self.out, &whole, &trials)?;
        print_summary(&self.out, &whole, &trials, trials.len() - there.len(), self.json)
    }
}

/// Refuses a trial that has another result in one of the other folders.
fn refuse_other(
    before: Option<&TrialRecord>,
    record: &TrialRecord,
    folder: &Path,
) -> Result<(), Failure> {
    // wall times differ between machines; equal hashes and failures imply equal results
    let came_to =
        |own: &TrialRecord| (own.state_hash.clone(), own.failure.clone(), own.copies.clone());
    if before.is_none_or(|before| came_to(before) == came_to(record)) {
        return Ok(());
    }
    let cause = format!(
        "trial {} has another final state here than in an earlier folder; one of the folders does \
         not belong to this study",
        record.trial
    );
    Err(Failure::Input { subject: folder.display().to_string(), cause })
}

/// Refuses files of levels whose content differed between the shards.
fn refuse_other_files(records: &BTreeMap<u64, TrialRecord>) -> Result<(), Failure> {
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for own in records.values().flat_map(|record| &record.files) {
        let before = known.insert(&own.path, &own.sha256).filter(|before| *before != own.sha256);
        if let Some(before) = before {
            let cause = format!(
                "had other content in another part of the study: SHA-256 {before} and {}",
                own.sha256
            );
            return Err(Failure::Input { subject: own.path.clone(), cause });
        }
    }
    Ok(())
}
