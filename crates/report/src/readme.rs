//! README.md of a run's folder: content of every file, with units.

use super::{commands, hits, states, tables, trailer_events};
use bekker_scenario::Scenario;
use std::fmt::Write;

/// Returns the text for a run of this scenario.
pub fn readme(scenario: &Scenario) -> String {
    let mut text = format!("# {}\n\n{}\n{FILES}", scenario.name, scenario.description);
    text += "\n\
        ## states.csv, states.parquet\n\nOne row per vehicle and time. SI units. World axes: east, \
        north, up; chassis axes (ISO 8855): x forward, y left, z up. Wheels N (road wheels of a \
        tracked vehicle) are numbered per axle from the front, left before right. Columns of \
        wheels that a vehicle does not have are empty.\n\n| column | content |\n\
        | --- | --- |\n";
    for (name, what) in states::described() {
        let _ = writeln!(text, "| `{name}` | {what} |");
    }
    text += "\n\
        ## hits.csv\n\nOne row per collision, from the first contact to the last. Each of two \
        colliding vehicles has its own row, unless its drive had ended before.\n\n| column | \
        content |\n\
        | --- | --- |\n";
    for (name, what) in hits::described() {
        let _ = writeln!(text, "| `{name}` | {what} |");
    }
    text += "\n\
        ## trailers.csv\n\nOne row per event of a trailer.\n\n| column | content |\n\
        | --- | --- |\n";
    for (name, what) in trailer_events::described() {
        let _ = writeln!(text, "| `{name}` | {what} |");
    }
    text += "\n\
        ## commands.csv\n\nOne row per changed command to a vehicle with an external \
        controller.\n\n| column | content |\n\
        | --- | --- |\n";
    for (name, what) in commands::described() {
        let _ = writeln!(text, "| `{name}` | {what} |");
    }
    text += "\n\
        ## readings_KIND.csv, .parquet\n\nOne row per reading, in order of delivery: `delivered_s`, \
        `taken_s`, `vehicle`, `name` (of the vehicle), `sensor`, `frame` (number). \
        Then values in the sensor's axes, with units in the names:\n\n| table | columns |\n\
        | --- | --- |\n";
    for (name, columns) in tables::described() {
        let _ = writeln!(text, "| `{name}` | {} |", columns.join(", "));
    }
    text
}

const FILES: &str = "
Written by bekker. `manifest.json` has the status of the run (`status`), its inputs and program, and
the SHA-256 of every file. `bekker replay FOLDER --verify` checks all of it, also after the folder has
moved. During the run, and if it was interrupted, `status` is `running`, and the tables contain all
data up to the last heartbeat (Parquet: up to the last second of wall time).
`bekker run --resume FOLDER` then continues the same record.

| file | content |
| --- | --- |
| `scenario.toml` | the scenario with all defaults and `--set` values; valid for `bekker run` |
| `inputs/` | copies of the input files: elevation, soil rasters, meshes, vehicles, paths |
| `hits.csv` | collisions: bodies, time, position and force, below |
| `trailers.csv` | trailers that were uncoupled, torn off or straightened, below |
| `commands.csv` | commands to vehicles with an external controller, below |
| `hashes.csv` | per heartbeat, or per `output.hash_every` heartbeats: tick, time (s), hash of the state, of the ground, and of each vehicle (up to 64) |
| `states.csv`, `states.parquet` | vehicles and wheels over time, below |
| `readings_KIND.csv`, `.parquet` | sensor readings except frames, below |
| `sensors.mcap` | all readings, and the states if `output.states` has `mcap`, for Foxglove and Rerun; its metadata contain the scenario and the names of classes, soils and instances |
| `frames.csv`, `sensors/` | frames saved by cameras and lidars, and their paths |
| `terrain.tif` | height of the undisturbed ground around the driven paths, m; GeoTIFF, local frame |
| `ruts.tif` | depth of the ruts below the undisturbed ground, m, negative where soil is heaped; GeoTIFF |
| `summary.json` | outcome and results of every vehicle, SI units |
| `picture.png` | picture of the run |
| `checkpoint.bin` | the last state, for `--resume` |
| `checkpoints/`, `parts/` | with `--parts`, during the run: each rank's part of the last states and of the tables above |
| `heartbeats.csv` | with ranks: bytes and times of every heartbeat |
| `trace.json` | with `--trace`: the same as a timeline, for Perfetto and Chrome |
";
