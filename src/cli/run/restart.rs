//! Restarts of a run whose ranks are processes started here: after the loss of a rank, or to add
//! one.

use super::Run;
use crate::cli::drive::RunResult;
use crate::cli::program::program;
use crate::cli::{Cli, Failure};
use clap::{ArgMatches, CommandFactory};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// Options that a restarted run replaces or omits: scenario, folder and restarts.
const OWN: [&str; 7] = ["file", "sets", "hash_every", "out", "force", "resume", "restarts"];

/// Reason for a restart.
pub(super) enum RestartReason {
    /// A rank was lost; with a description.
    Lost(String),
    /// A rank was added; `ranks` is the new number of ranks.
    Joined { ranks: usize },
}

/// Restart of a run with all ranks.
pub(super) struct Restart {
    /// Folder of the results.
    pub folder: PathBuf,
    /// Whether the folder has a checkpoint.
    pub has_checkpoint: bool,
    /// Reason for the restart.
    pub why: RestartReason,
}

impl Run {
    /// Whether to restart from the last checkpoint after the loss of a rank.
    pub(super) fn restarts_here(&self) -> bool {
        // other ranks receive `--restarts` too, but only the starting process restarts the run
        self.restarts > 0 && self.processes.started_here().is_some()
    }

    /// Returns the reason why no rank can be added; `None` if one can.
    pub(super) fn closed(&self) -> Option<&'static str> {
        if self.processes.started_here().is_none() {
            return Some("only ranks that --processes starts here can be restarted");
        }
        self.serving.html.then_some("the page of --html would start at the time of joining")
    }

    /// Returns the reason for a restart after a drive; `None` without a restart, such as after the
    /// run was `ended` by a signal.
    pub(super) fn restart_reason(
        &self,
        driven: &Result<RunResult, Failure>,
        ended: &AtomicBool,
    ) -> Option<RestartReason> {
        match driven {
            Err(Failure::Ranks { cause, .. }) if self.restarts_here() && !cause.is_shared() => {
                Some(RestartReason::Lost(cause.to_string()))
            }
            Ok(RunResult { enlarged_to: Some(ranks), .. }) if !ended.load(Ordering::Relaxed) => {
                Some(RestartReason::Joined { ranks: *ranks })
            }
            _ => None,
        }
    }

    /// Restarts all ranks from the last checkpoint in the folder, or from the beginning if there is
    /// none.
    ///
    /// The record is truncated to that time, so that the files equal those of a run without loss.
    pub(super) fn restart(&self, restart: &Restart) -> Result<(), Failure> {
        let Restart { has_checkpoint, why, .. } = restart;
        let from = if *has_checkpoint { "from the last checkpoint" } else { "from the beginning" };
        let (left, ranks) = match why {
            RestartReason::Lost(cause) => {
                let left = self.restarts - 1;
                eprintln!("{cause}; restarting {from} ({left} restarts left)");
                (left, None)
            }
            RestartReason::Joined { ranks } => {
                eprintln!("a rank joins; restarting {from} with {ranks} processes");
                (self.restarts, Some(*ranks))
            }
        };
        let failed = |cause: String| Failure::Run { subject: "--restarts".into(), cause };
        let given: Vec<OsString> = std::env::args_os().skip(1).collect();
        let mut words = persistent_arguments(&given).map_err(|error| failed(error.to_string()))?;
        if let Some(ranks) = ranks {
            words.retain(|word| !word.to_string_lossy().starts_with("--processes="));
            words.push(format!("--processes={ranks}").into());
        }
        words.push(format!("--restarts={left}").into());
        words.extend(self.start_arguments(restart));
        let program = program().map_err(|error| failed(error.to_string()))?;
        replace_process(Command::new(program).args(words))
    }

    /// Returns the arguments that specify where the restarted run begins.
    fn start_arguments(&self, Restart { folder, has_checkpoint, .. }: &Restart) -> Vec<OsString> {
        if *has_checkpoint {
            return vec!["--resume".into(), folder.into()];
        }
        let set = |set: &String| OsString::from(format!("--set={set}"));
        let mut words: Vec<OsString> = self.sets.iter().map(set).collect();
        if let Some(from) = &self.resume {
            words.extend(["--resume".into(), from.into()]);
        }
        words.extend(["--force".into(), "--out".into(), folder.into()]);
        if let Some(file) = &self.file {
            words.extend(["--".into(), file.into()]);
        }
        words
    }
}

/// Returns the arguments of `bekker run` that remain valid for the restarted run: all options
/// except those in [`OWN`].
fn persistent_arguments(given: &[OsString]) -> Result<Vec<OsString>, clap::Error> {
    // words before it: global options, or a script that contains this program
    let at = given.iter().position(|word| word == "run").unwrap_or(0);
    let mut command = Cli::command();
    // adds the global options to each subcommand
    command.build();
    let line = [OsString::from("bekker")].into_iter().chain(given[at..].iter().cloned());
    let matches = command.clone().try_get_matches_from(line)?;
    let mut words = given[..at].to_vec();
    words.push("run".into());
    if let (Some(run), Some(own)) =
        (command.find_subcommand("run"), matches.subcommand_matches("run"))
    {
        let others = run.get_arguments().filter(|option| !OWN.contains(&option.get_id().as_str()));
        others.for_each(|option| words.extend(given_words(option, own)));
    }
    Ok(words)
}

/// Returns an option as given on the command line; empty if it was not given.
fn given_words(option: &clap::Arg, matches: &ArgMatches) -> Vec<OsString> {
    let (id, Some(long)) = (option.get_id().as_str(), option.get_long()) else { return Vec::new() };
    if matches.value_source(id) != Some(clap::parser::ValueSource::CommandLine) {
        return Vec::new();
    }
    if !option.get_action().takes_values() {
        return vec![format!("--{long}").into()];
    }
    let with = |value: &OsStr| {
        let mut word = OsString::from(format!("--{long}="));
        word.push(value);
        word
    };
    matches.get_raw(id).into_iter().flatten().map(with).collect()
}

/// Replaces this process by the restarted program.
///
/// It keeps its process id, so that its parent and signals still reach it; its resources are freed.
#[cfg(unix)]
fn replace_process(command: &mut Command) -> Result<(), Failure> {
    use std::os::unix::process::CommandExt;
    let cause = command.exec().to_string();
    Err(Failure::Run { subject: "--restarts".into(), cause })
}

/// Starts the restarted program as a child process, and waits for it.
#[cfg(not(unix))]
fn replace_process(command: &mut Command) -> Result<(), Failure> {
    let failed = |cause: String| Failure::Run { subject: "--restarts".into(), cause };
    let status = command.status().map_err(|error| failed(error.to_string()))?;
    match status.code().map(u8::try_from) {
        Some(Ok(0)) => Ok(()),
        Some(Ok(code)) => Err(Failure::Reported { code }),
        _ => Err(failed(format!("rank 0 was lost ({status})"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(line: &str) -> String {
        let given: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let words = persistent_arguments(&given).unwrap();
        words.join(OsStr::new(" ")).into_string().unwrap()
    }

    #[test]
    fn a_restart_keeps_all_options_but_those_of_its_start() {
        for (line, expected) in [
            ("run a.toml --processes 2 --restarts 1", "run --processes=2"),
            (
                "run --set a=1 --out o --force --hash-every 2 --processes=2 -- a.toml",
                "run --processes=2",
            ),
            (
                "run a.toml --processes 2 --realtime=2 --serve --serve-token secret --gpu off",
                "run --processes=2 --gpu=off --serve=127.0.0.1:0 --serve-token=secret --realtime=2",
            ),
            ("-q run a.toml --processes 2", "-q run --processes=2"),
            ("script run a.toml --processes 2 -q", "script run --processes=2 --quiet"),
            (
                "run --resume o --processes 2 --partition 0,1,1 --ros2=7@10.0.0.1 --ros2-ground",
                "run --processes=2 --partition=0,1,1 --ros2=7@10.0.0.1 --ros2-ground",
            ),
        ] {
            assert_eq!(kept(line), expected);
        }
    }
}
