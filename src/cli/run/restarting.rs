//! A run whose ranks are processes started here goes on by itself when one of them is lost, and
//! when one joins.

use super::Run;
use crate::cli::drive::Driven;
use crate::cli::{Cli, Failure};
use clap::{ArgMatches, CommandFactory};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// Options of which a run that goes on has others, or none: what it drives, and where.
const OWN: [&str; 7] = ["file", "sets", "hash_every", "out", "force", "resume", "restarts"];

/// Why a run goes on with all ranks anew.
pub(super) enum Reason {
    /// A rank was lost, in words.
    Lost(String),
    /// One has joined: so many there are now.
    Joined { ranks: usize },
}

/// A run that is to go on with all ranks anew.
pub(super) struct Restart {
    /// Where its results are.
    pub folder: PathBuf,
    /// Whether a checkpoint is there.
    pub has_checkpoint: bool,
    /// Why.
    pub why: Reason,
}

impl Run {
    /// Whether the loss of a rank is to be made good for by going on from the last checkpoint.
    pub(super) fn restarts_here(&self) -> bool {
        // other ranks receive `--restarts` too, but only the starting process restarts the run
        self.restarts > 0 && self.processes.started_here().is_some()
    }

    /// Why no rank can join the run, where that is so.
    pub(super) fn closed(&self) -> Option<&'static str> {
        if self.processes.started_here().is_none() {
            return Some("only ranks that --processes starts here can be restarted");
        }
        self.serving.html.then_some("the page of --html would start at the time of joining")
    }

    /// Why the run goes on with all ranks anew once it has been driven so far, if it does: not where
    /// it was `ended` by a signal.
    pub(super) fn reason_to_go_on(
        &self,
        driven: &Result<Driven, Failure>,
        ended: &AtomicBool,
    ) -> Option<Reason> {
        match driven {
            Err(Failure::Ranks { cause, .. }) if self.restarts_here() && !cause.is_shared() => {
                Some(Reason::Lost(cause.to_string()))
            }
            Ok(Driven { enlarged_to: Some(ranks), .. }) if !ended.load(Ordering::Relaxed) => {
                Some(Reason::Joined { ranks: *ranks })
            }
            _ => None,
        }
    }

    /// Goes on from the last checkpoint in the folder, or from the beginning if there is none yet,
    /// with all ranks anew. What of the record is later is cut, so that the files are those of a
    /// run without loss.
    pub(super) fn restarted(&self, restart: &Restart) -> Result<(), Failure> {
        let Restart { has_checkpoint, why, .. } = restart;
        let from = if *has_checkpoint { "from the last checkpoint" } else { "from the beginning" };
        let (left, ranks) = match why {
            Reason::Lost(cause) => {
                let left = self.restarts - 1;
                eprintln!("{cause}; restarting {from} ({left} restarts left)");
                (left, None)
            }
            Reason::Joined { ranks } => {
                eprintln!("a rank joins; restarting {from} with {ranks} processes");
                (self.restarts, Some(*ranks))
            }
        };
        let failed = |cause: String| Failure::Run { subject: "--restarts".into(), cause };
        let given: Vec<OsString> = std::env::args_os().skip(1).collect();
        let mut words = lasting(&given).map_err(|error| failed(error.to_string()))?;
        if let Some(ranks) = ranks {
            words.retain(|word| !word.to_string_lossy().starts_with("--processes="));
            words.push(format!("--processes={ranks}").into());
        }
        words.push(format!("--restarts={left}").into());
        words.extend(self.begins(restart));
        let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
        go_on(Command::new(program).args(words))
    }

    /// What says where the run goes on.
    fn begins(&self, Restart { folder, has_checkpoint, .. }: &Restart) -> Vec<OsString> {
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

/// The words of a command line of `bekker run` that hold for the same run when it goes on: all
/// options but those of where it begins.
fn lasting(given: &[OsString]) -> Result<Vec<OsString>, clap::Error> {
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
        others.for_each(|option| words.extend(said(option, own)));
    }
    Ok(words)
}

/// An option as it was given on the command line; nothing if it was not.
fn said(option: &clap::Arg, matches: &ArgMatches) -> Vec<OsString> {
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

/// Has this process become the program anew: whoever started it, and signals to it, reach it as
/// before, and what it held is free.
#[cfg(unix)]
fn go_on(command: &mut Command) -> Result<(), Failure> {
    use std::os::unix::process::CommandExt;
    let cause = command.exec().to_string();
    Err(Failure::Run { subject: "--restarts".into(), cause })
}

/// Goes on as a process of its own, which is waited for.
#[cfg(not(unix))]
fn go_on(command: &mut Command) -> Result<(), Failure> {
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
        let words = lasting(&given).unwrap();
        words.join(OsStr::new(" ")).into_string().unwrap()
    }

    #[test]
    fn all_options_but_those_of_where_it_begins_hold_on() {
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
