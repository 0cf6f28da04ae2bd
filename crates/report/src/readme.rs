//! README.md of a run's folder: content of every file, with units.

use super::{commands, hits, states, tables, trailer_events};
use bekker_scenario::Scenario;
use std::fmt::Write;

/// Returns the text for a run of this scenario.
pub fn readme(scenario: &Scenario) -> String {
    let mut text = format!("# {}\n\n{}\n{FILES}", scenario.name, scenario.description);
    text += "\n## states.csv, states.parquet\n\nOne row is one vehicle at one time. SI units; \
             the world is east, north, up; a chassis is x forward, y left, z up (ISO 8855). \
             Wheels N, of a tracked vehicle its road wheels, count axle by axle from the front, left \
             before right; columns of wheels \
             that a vehicle does not have are empty.\n\n| column | holds |\n| --- | --- |\n";
    for (name, what) in states::described() {
        let _ = writeln!(text, "| `{name}` | {what} |");
    }
    text += "\n## hits.csv\n\nOne row is one hit, from the first touch to the last; of two \
             vehicles each has its own, but not one whose drive had ended before.\n\n| column | holds |\n| --- | --- |\n";
    for (name, what) in hits::described() {
        let _ = writeln!(text, "| `{name}` | {what} |");
    }
    text += "\n## trailers.csv\n\nOne row is one event, where vehicles draw trailers.\n\n\
             | column | holds |\n| --- | --- |\n";
    for (name, what) in trailer_events::described() {
        let _ = writeln!(text, "| `{name}` | {what} |");
    }
    text += "\n## commands.csv\n\nOne row is a command to a vehicle that is driven from outside, where \
             it differs from its last one.\n\n| column | holds |\n| --- | --- |\n";
    for (name, what) in commands::described() {
        let _ = writeln!(text, "| `{name}` | {what} |");
    }
    text += "\n## readings_KIND.csv, .parquet\n\nOne row is one reading, as it was delivered: \
             `time_s` (delivered), `taken_s`, `vehicle`, `name` (of the vehicle), `sensor`, \
             `frame` (its number), then in the sensor's axes, units in the names:\n\n\
             | table | columns |\n| --- | --- |\n";
    for (name, columns) in tables::described() {
        let _ = writeln!(text, "| `{name}` | {} |", columns.join(", "));
    }
    text
}

const FILES: &str = "
Written by bekker. `manifest.json` says whether the run is complete (`status`), by what it was
driven, and lists every file with its SHA-256; `bekker replay FOLDER --verify` checks all of it, here
or wherever the folder is moved. While the run goes on, and if it was cut, `status` is `running` and
the tables hold all up to the last heartbeat (Parquet up to its last second of wall time);
`bekker run --resume FOLDER` then goes on with the same record.

| file | holds |
| --- | --- |
| `scenario.toml` | the scenario with every default and `--set` written out; `bekker run` takes it |
| `inputs/` | copies of the files that it was built from: elevation, soil rasters, meshes, vehicles, ways |
| `hits.csv` | who ran into what, when, where and how hard, below |
| `trailers.csv` | trailers that were let go of, tore off, or were pulled straight, below |
| `commands.csv` | what vehicles that are driven from outside were told, below |
| `hashes.csv` | every heartbeat, or every `output.hash_every`-th: tick, time (s), hash of the state, of the ground, of each vehicle (of 64 at most) |
| `states.csv`, `states.parquet` | vehicles and wheels over time, below |
| `readings_KIND.csv`, `.parquet` | small readings of sensors, below |
| `sensors.mcap` | all readings, for Foxglove and Rerun; its metadata hold the scenario and the names of classes, soils and instances |
| `frames.csv`, `sensors/` | frames that cameras and lidars save, and where they are |
| `terrain.tif` | height of the undisturbed ground around the ways driven, m; GeoTIFF, local frame |
| `ruts.tif` | depth of the ruts below it, m, negative where soil is heaped; GeoTIFF |
| `summary.json` | every vehicle's outcome and figures, SI units |
| `picture.png` | the run in one picture |
| `checkpoint.bin` | the last state, to go on from |
| `checkpoints/`, `parts/` | with `--parts`, while the run goes on: each rank's part of the last states, and of the tables above |
| `heartbeats.csv` | with ranks: bytes and times of every heartbeat |
| `trace.json` | with `--trace`: the same as a timeline, for Perfetto and Chrome |
";
