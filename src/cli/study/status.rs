//! `bekker study status`

use crate::cli::{Failure, stdout};
use crate::report::study::AskedOfStudy;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Say how far a study is, while it is driven or after
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker study status pressure")]
pub struct Status {
    /// The study's folder
    folder: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Status {
    pub fn execute(self) -> Result<(), Failure> {
        let asked = AskedOfStudy::read(&self.folder)?;
        let records = asked.records(&self.folder)?;
        let (done, total) = (records.len() as u64, asked.shard.count(asked.trials));
        let failed = records.values().filter(|record| record.failure.is_some()).count();
        let wall: f64 = records.values().map(|record| record.wall).sum();
        let left = total.saturating_sub(done);
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
        let rest = rest.map_or(String::new(), |rest| format!(", about {rest:.1} s of one thread"));
        stdout::print(&format!(
            "{}: {done} of {total} trials done, {failed} of them failed; {left} left{rest}",
            self.folder.display()
        ))
    }
}
