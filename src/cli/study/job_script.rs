//! Job scripts that drive a study in shards on a cluster.

use crate::cli::shell_word::shell_word;
use std::path::Path;

/// Settings of a job script.
pub struct JobSettings<'a> {
    pub study: &'a Path,
    /// Number of shards; each is one task.
    pub shards: u64,
    pub threads: u64,
    /// Predicted wall time of a shard, s.
    pub seconds: Option<f64>,
    /// Predicted memory of a task, bytes.
    pub bytes: Option<u64>,
    /// Options of perturbed copies, with a space before each.
    pub perturb: String,
}

impl JobSettings<'_> {
    /// A SLURM script with a job array; each task drives a shard of many trials.
    pub fn slurm(&self) -> String {
        let JobSettings { shards, threads, perturb, .. } = self;
        let study = shell_word(&self.study.display().to_string());
        let name = self.study.file_stem().map_or("study".into(), |stem| stem.to_string_lossy());
        let out = shell_word(&name);
        // twice the prediction, as the cluster's nodes differ from this machine
        let minutes = self.seconds.map_or(60, |seconds| (2.0 * seconds / 60.0) as u64 + 5);
        let megabytes = self.bytes.map_or(2048, |bytes| 2 * bytes / 1_000_000 + 200);
        let (days, hours, minutes) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
        format!(
            "#!/bin/bash\n\
             #SBATCH --job-name={out}\n\
             #SBATCH --array=1-{shards}\n\
             #SBATCH --ntasks=1\n\
             #SBATCH --cpus-per-task={threads}\n\
             #SBATCH --mem={megabytes}M\n\
             #SBATCH --time={days}-{hours:02}:{minutes:02}:00\n\
             # Submit the job again to resume interrupted tasks.\n\
             set -eu\n\
             bekker study run {study} --quiet --threads {threads}{perturb} \\\n  --shard \
             \"$SLURM_ARRAY_TASK_ID/{shards}\" --out {out}\"_part_$SLURM_ARRAY_TASK_ID\"\n\
             # When all tasks are done:\n\
             #   bekker study merge {out}_part_* --out {out}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_drives_every_part_once() {
        let study = Path::new("my study/sand.toml");
        let job = JobSettings {
            study,
            shards: 7,
            threads: 4,
            seconds: Some(90_000.0),
            bytes: Some(50_000_000),
            perturb: String::new(),
        };
        let script = job.slurm();
        for line in [
            "#SBATCH --array=1-7",
            "#SBATCH --cpus-per-task=4",
            "#SBATCH --mem=300M",
            "#SBATCH --time=2-02:05:00",
            "bekker study run 'my study/sand.toml' --quiet --threads 4 \\",
            "  --shard \"$SLURM_ARRAY_TASK_ID/7\" --out sand\"_part_$SLURM_ARRAY_TASK_ID\"",
        ] {
            assert!(script.lines().any(|own| own == line), "{line}:\n{script}");
        }
        assert_eq!(shell_word("it's"), "'it'\\''s'");
    }
}
