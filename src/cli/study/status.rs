//! `bekker study status`

use super::extent::{config, extent};
use crate::cli::{Failure, stdout};
use crate::report::study::StudyRequest;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Show the progress of a running or finished study
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker study status pressure")]
pub struct Status {
    /// Study folder
    folder: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Status {
    pub fn execute(self) -> Result<(), Failure> {
        let asked = StudyRequest::read(&self.folder)?;
        let records = asked.records(&self.folder)?;
        let (done, total) = (records.len() as u64, asked.shard.count(asked.trials));
        let config = config(&asked, &self.folder)?;
        let is_done = extent(&asked, &config, &records).next.is_empty();
        let failed = records.values().filter(|record| record.failure.is_some()).count();
        let wall = records.values().fold(0.0, |sum, record| sum + record.wall);
        // an upper bound, as a stopping rule may end the study earlier
        let left = if is_done { 0 } else { total.saturating_sub(done) };
        let rest = (done > 0).then(|| left as f64 * wall / done as f64);
        if self.json {
            return stdout::print_json(&json!({
                "folder": self.folder,
                "trials": total,
                "done": done,
                "failed": failed,
                "left": left,
                "thread_seconds": wall,
                "thread_seconds_left": rest,
            }));
        }
        let most = if config.stop.is_some() && left > 0 { "at most " } else { "" };
        let rest = rest.map_or(String::new(), |rest| format!(", about {rest:.1} thread-seconds"));
        stdout::print(&format!(
            "{}: {done} of {total} trials done ({failed} failed); {most}{left} left{rest}",
            self.folder.display()
        ))
    }
}
