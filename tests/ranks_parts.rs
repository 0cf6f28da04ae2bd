//! Ranks that each write their own part of record and checkpoints: the files of one process.
//!
//! After a kill of one rank, the remaining files can be resumed.

#[cfg(target_os = "linux")]
use crate::rank_jobs::strike;
use crate::rank_jobs::{SCENARIO, assert_same_files, spawned, wait_for_outputs};
#[cfg(target_os = "linux")]
use crate::ranks_tcp::Tcp;
use crate::runs::{Runs, bekker, read, stderr_text};
use crate::scene::{agent, flat, on_ranks, pose_at, soil, table, vehicle, world};
use bekker::simulation::{
    MessageRoute, PartsError, Ranks, Rebalancing, Sharing, StatePart, World, WorldModel,
    WorldState, checkpoint,
};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

const SAME: [&str; 4] = ["hashes.csv", "states.parquet", "checkpoint.bin", "hits.csv"];

#[track_caller]
fn same_files(expected: &Path, found: &Path, what: &str) {
    assert_same_files(&SAME, expected, found, what);
}

/// Returns the names of all entries of a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Returns the rows of heartbeats.csv: tick, rank, and bytes received for the record.
fn heartbeats(folder: &Path) -> Vec<[u64; 3]> {
    let text = read(folder, "heartbeats.csv");
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|own| *own == name).unwrap();
    let columns = ["tick", "rank", "record_bytes"].map(column);
    let row = |line: &str| {
        let words: Vec<&str> = line.split(',').collect();
        columns.map(|column| words[column].parse().unwrap())
    };
    text.lines().skip(1).map(row).collect()
}

/// Records in parts equal those of one process, for any ranks, route and partition.
///
/// No further files remain at the end, and rank 0 received nothing for the record.
#[test]
fn records_in_parts_are_those_of_one_process() {
    let runs = Runs::new(SCENARIO);
    let few = ["--set", "output.hash_every=50"];
    let (single, gathered) = (runs.out("single"), runs.out("gathered"));
    runs.single(&single, &few);
    runs.single(&gathered, &[&few[..], &["--ranks", "3", "--checkpoint-every", "0.5"]].concat());
    let received_bytes = |folder: &Path| heartbeats(folder).iter().map(|row| row[2]).sum::<u64>();
    let beats = |folder: &Path| -> Vec<[u64; 2]> {
        heartbeats(folder).iter().map(|row| [row[0], row[1]]).collect()
    };
    for (name, more) in [
        ("one", &[][..]),
        ("three", &["--ranks", "3", "--checkpoint-every", "0.5"]),
        ("near", &["--ranks", "4", "--route", "neighbor", "--checkpoint-every", "0.2"]),
        ("dealt", &["--processes", "3", "--route", "neighbor", "--rebalance", "0.2"]),
    ] {
        let out = runs.out(name);
        runs.single(&out, &[&few[..], &["--parts"], more].concat());
        same_files(&single, &out, name);
        if name == "three" {
            assert_eq!(names(&out), names(&gathered));
            assert_eq!(beats(&out), beats(&gathered));
            // The hashes of three heartbeats, and no samples and states.
            let [parts, all] = [&out, &gathered].map(|folder| received_bytes(folder));
            assert!(parts < 3 * 2000 && all > 20 * parts, "{parts} bytes of {all}");
        }
    }
}

/// Returns the complete sets of `size` parts in a folder, with their ticks.
fn whole_sets(out: &Path, size: usize) -> Vec<(u64, PathBuf)> {
    let Ok(folders) = std::fs::read_dir(out.join("checkpoints")) else { return Vec::new() };
    // The name of a set under removal is no tick.
    let set = |folder: PathBuf| Some((folder.file_name()?.to_str()?.parse().ok()?, folder));
    let mut sets: Vec<(u64, PathBuf)> =
        folders.filter_map(|own| set(own.unwrap().path())).collect();
    sets.retain(|(_, folder)| {
        (0..size).all(|rank| folder.join(format!("{rank}-of-{size}.bin")).exists())
    });
    sets.sort();
    sets
}

/// Starts a run in parts on three processes and kills one after a checkpoint later than the initial
/// one.
#[cfg(target_os = "linux")]
fn killed(runs: &Runs, out: &Path, more: &[&str]) -> Output {
    let is_time = || whole_sets(out, 3).last().is_some_and(|(tick, _)| *tick > 0);
    strike(&Tcp, runs, out, "-KILL", &is_time, more).unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn record_parts_of_killed_ranks_are_continued() {
    let runs = Runs::new(SCENARIO);
    let single = runs.out("single");
    let long = ["--set", "time.duration=3"];
    runs.single(&single, &long);
    let words = [&long[..], &["--parts", "--checkpoint-every", "0.1"]].concat();

    // Automatic restart.
    let more = ["--restarts", "2", "--route", "neighbor", "--rebalance", "0.1"];
    let out = runs.out("restarted");
    let output = killed(&runs, &out, &[&words[..], &more].concat());
    assert!(output.status.success(), "{}", stderr_text(&output));
    let line = "rank 1 has disconnected; restarting from the last checkpoint (1 restarts left)";
    assert!(stderr_text(&output).contains(line), "{}", stderr_text(&output));
    same_files(&single, &out, "restarted");

    // Manual resume after a checkpoint that only some ranks wrote: on two ranks, then in one
    // process.
    let out = runs.out("killed");
    let output = killed(&runs, &out, &words);
    let line = "rank 1 has disconnected; resume from the last checkpoint with --resume";
    assert!(stderr_text(&output).contains(line), "{}", stderr_text(&output));
    let sets = whole_sets(&out, 3);
    let (last, folder) = sets.last().expect("one stays, whenever the kill came");
    let later = out.join(format!("checkpoints/{}", last + 50));
    std::fs::create_dir_all(&later).unwrap();
    for name in ["0-of-3.bin", "2-of-3.bin"] {
        std::fs::copy(folder.join(name), later.join(name)).unwrap();
    }
    let unwritten = later.join("1-of-3.bin");
    if unwritten.exists() {
        std::fs::remove_file(unwritten).unwrap();
    }
    let resume = ["--resume", out.to_str().unwrap()];
    let until = format!("time.duration={}", 0.002 * (last + 150) as f64);
    let again = ["--set", &until, "--ranks", "2", "--parts"];
    runs.single(&out, &[&resume[..], &again].concat());
    assert!(!out.join("checkpoints").exists() && !out.join("parts").exists());
    runs.single(&out, &[&resume[..], &long].concat());
    same_files(&single, &out, "resumed");

    // A missing part of the record is reported.
    let out = runs.out("gone");
    killed(&runs, &out, &words);
    std::fs::remove_file(out.join("parts/0/2-of-3.bin")).unwrap();
    let resume = runs.arguments(&out, &["--resume", out.to_str().unwrap()]);
    let output = Command::new(bekker()).args(resume).output().unwrap();
    let line =
        format!("cannot read {}: the part of rank 2 is missing", out.join("parts/0").display());
    assert!(stderr_text(&output).contains(&line), "{}", stderr_text(&output));
}

#[test]
fn outputs_of_one_rank_are_not_written_in_parts() {
    let imu = "[[vehicle.sensor]]\nname = 'imu'\nmodel = { kind = 'imu' }\nrate = 100\n";
    let runs = Runs::new(&format!("{SCENARIO}\n{imu}"));
    let run_with = |more: &[&str]| {
        let out = runs.out("out");
        let arguments = [&runs.arguments(&out, &["--parts"])[..], more].concat();
        Command::new(bekker()).args(arguments).output().unwrap()
    };
    let output = run_with(&[]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr_text(&output));
    let line = "--parts: sensors of far are recorded by rank 0 with the ground around them; set \
        output.readings = false, or omit --parts";
    assert!(stderr_text(&output).contains(line), "{}", stderr_text(&output));
    assert!(!run_with(&["--html"]).status.success());
    assert!(run_with(&["--set", "output.readings=false"]).status.success());
}

/// A rank that does not find the run's folder is named.
///
/// The second process has another working folder.
#[test]
fn a_rank_that_does_not_see_the_folder_is_named() {
    let runs = Runs::new(SCENARIO);
    let meet = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let elsewhere = tempfile::tempdir().unwrap();
    let rank = |rank: &str, folder: &Path| {
        let words = ["--parts", "--processes", "2", "--rank", rank, "--meet", &meet];
        let mut command = Command::new(bekker());
        spawned(command.args(runs.arguments(Path::new("out"), &words)).current_dir(folder))
    };
    let ranks = [rank("0", runs.folder.path()), rank("1", elsewhere.path())];
    let outputs = wait_for_outputs(ranks.into());
    assert!(outputs.iter().all(|rank| rank.status.code() == Some(1)));
    let line =
        "--parts: rank 1 cannot access the run folder out; use a folder that all ranks can write";
    assert!(stderr_text(&outputs[0]).contains(line), "{}", stderr_text(&outputs[0]));
}

fn convoy() -> WorldModel {
    let hmmwv = vehicle("hmmwv");
    let on = [[0.2, 0.0], [0.4, 0.6]];
    let starts = [0.0, -5.0, -10.0, 400.0, 900.0].map(|x| pose_at(x, 0.1, 0.6));
    let agents = starts.map(|start| agent(&hmmwv, table(&on, &[], &[]), start));
    world(flat(0.05, soil("soft")), 2e-3, agents.into()).model().clone()
}

/// Returns the state parts of ranks after `heartbeats` heartbeats.
fn parts(
    model: &WorldModel,
    size: usize,
    route: MessageRoute,
    heartbeats: usize,
) -> Vec<StatePart> {
    let all = on_ranks(size, Duration::from_secs(120), |rank| {
        let rebalancing = Some(Rebalancing { every: 0.1, by_chance: Some(3) });
        let sharing = Sharing { route, rebalancing, ..Sharing::default() };
        let mut ranks = Ranks::new(rank, model.clone(), None, &sharing, &[]).unwrap();
        for _ in 0..heartbeats {
            ranks.advance(false).unwrap();
        }
        ranks.state_part().unwrap()
    });
    all.into_iter().map(Result::unwrap).collect()
}

#[test]
fn the_parts_of_all_ranks_make_the_state_of_one_process() {
    let model = convoy();
    let mut alone = World::new(model.clone());
    (0..60).for_each(|_| alone.advance());
    let whole = checkpoint::encode(&model, "", alone.state());
    for (size, route) in [
        (1, MessageRoute::All),
        (3, MessageRoute::All),
        (4, MessageRoute::Neighbor),
        (2, MessageRoute::Star),
    ] {
        let stored: Vec<Vec<u8>> = parts(&model, size, route, 60)
            .iter()
            .map(|part| checkpoint::encode_part(&model, "", part))
            .collect();
        let read = |bytes: &Vec<u8>| checkpoint::decode_part(&model, "", bytes).unwrap();
        let state = checkpoint::join(&model, stored.iter().map(read).collect()).unwrap();
        assert!(checkpoint::encode(&model, "", &state) == whole, "{size} ranks, {route:?}");
        assert!(checkpoint::decode(&model, "", &stored[0]).is_err(), "a part is no checkpoint");
        assert!(checkpoint::decode_part(&model, "", &whole).is_err(), "nor the other way");
    }
}

#[test]
fn parts_that_do_not_go_together_are_refused() {
    let model = convoy();
    let [three, later] = [2, 3].map(|heartbeats| parts(&model, 3, MessageRoute::All, heartbeats));
    let join = |parts: Vec<StatePart>| WorldState::from_parts(parts, 5).map(|_| ());
    let of = |ranks: &[usize]| ranks.iter().map(|&rank| three[rank].clone()).collect::<Vec<_>>();
    assert_eq!(join(of(&[0, 1, 2])), Ok(()));
    assert_eq!(join(Vec::new()), Err(PartsError::None));
    assert_eq!(join(of(&[0, 1])), Err(PartsError::Missing { rank: 2, size: 3 }));
    assert!(matches!(join(of(&[0, 2, 1])), Err(PartsError::Mismatch { rank: 2, .. })));
    let mixed = vec![three[0].clone(), later[1].clone(), three[2].clone()];
    let refused = join(mixed).unwrap_err().to_string();
    assert_eq!(
        refused,
        "the part of rank 1 of 3 at tick 15 does not match that of rank 0 of 3 at tick 10"
    );
    let fewer = WorldState::from_parts(of(&[0, 1, 2]), 4).map(|_| ());
    assert!(matches!(fewer, Err(PartsError::Agent { agent: 4, agents: 4, .. })));
    let more = WorldState::from_parts(of(&[0, 1, 2]), 6).map(|_| ());
    assert_eq!(more, Err(PartsError::Agent { agent: 5, agents: 6, count: 0 }));
}
