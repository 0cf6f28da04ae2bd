//! `bekker compare`

use super::{Failure, destination, recorded_run, stdout};
use crate::report::comparison::{self, Comparison, MOST, RunColumn, RunGround};
use crate::report::recorded_run::RecordedRun;
use crate::report::scene::Caption;
use crate::report::text_table;
use crate::report::{check_writable, drawn_ground as map};
use crate::scenario::build::{BuiltWorld, props, world};
use crate::scenario::input;
use crate::simulation::{OutcomeCode, SceneryObject};
use crate::terrain::{Raster, read_geotiff};
use clap::Args;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Compare runs: outcomes, plots, ruts, and differences between their scenarios
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker compare runs/convoy_mud-1 runs/convoy_mud-2\n  \
    bekker compare runs/* --json --no-picture\n  \
    bekker compare runs/dry runs/wet --out dry_and_wet.png\n\n\
    Vehicles are matched by name. Runs of different lengths and interrupted runs are compared by\n\
    what they recorded. The picture shows up to 6 runs; up to 4 runs of up to 4 vehicles share plots.")]
pub struct Compare {
    /// Run folders
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Picture to write (default: comparison.png, or comparison-2.png and so on if it exists)
    #[arg(long, value_name = "FILE.png", value_parser = destination::png)]
    out: Option<PathBuf>,
    /// Do not draw the picture
    #[arg(long)]
    no_picture: bool,
    /// Print all columns: final speed, mean sinkage and motion resistance too
    #[arg(long)]
    wide: bool,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// Quantities of a vehicle in the comparison: key in the summary, heading, factor from SI,
/// decimals, and whether only `--wide` prints it.
const FIGURES: [(&[&str], &str, f64, usize, bool); 8] = [
    (&["distance"], "distance\nm", 1.0, 1, false),
    (&["mean_speed"], "speed\nmean m/s", 1.0, 2, false),
    (&["final_speed"], "speed\nfinal m/s", 1.0, 2, true),
    (&["mean_slip"], "slip\nmean %", 100.0, 1, false),
    (&["mean_sinkage"], "sinkage\nmean cm", 100.0, 1, true),
    (&["max_sinkage"], "sinkage\ndeepest cm", 100.0, 1, false),
    (&["motion_resistance"], "resistance\nkN", 1e-3, 2, true),
    (&["drive_energy", "wheel_energy"], "energy\nkJ", 1e-3, 0, false),
];

impl Compare {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let picture = (!self.no_picture)
            .then(|| self.out.unwrap_or_else(|| destination::numbered("comparison.png")));
        if let Some(path) = &picture {
            check_writable(path)?;
        }
        let runs = self
            .runs
            .iter()
            .map(|folder| RecordedRun::read(folder).map_err(Failure::from))
            .collect::<Result<Vec<_>, _>>()?;
        for run in &runs {
            if let Some(altered) = &run.altered {
                let folder = run.folder.display();
                eprintln!("warning: {folder} does not match its record: {altered}");
            }
        }
        let labels = labels(&runs);
        let names = names(&runs);
        let differences = differences(&runs.iter().map(RecordedRun::keys).collect::<Vec<_>>());
        if let Some(path) = &picture {
            if runs.len() > MOST {
                eprintln!("the picture shows only the first {MOST} of {} runs", runs.len());
            }
            draw(path, &runs, &labels, &names, &differences)?;
        }
        if self.json {
            stdout::print_json(&as_json(picture.as_deref(), &runs, &labels, &names, &differences))
        } else {
            let mut text = outcomes(&runs, &labels, &names, self.wide);
            text.push_str("\n\n");
            text.push_str(&keys(&labels, &differences));
            if let Some(path) = picture.as_ref().filter(|_| !quiet) {
                text.push_str(&format!("\n\ndrawn in {}", path.display()));
            }
            stdout::print(&text)
        }
    }
}

/// Returns labels of the runs: names of their folders, or full paths if two names are equal.
fn labels(runs: &[RecordedRun]) -> Vec<String> {
    let names: Vec<String> = runs.iter().map(RecordedRun::name).collect();
    let twice = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let label = |(run, name): (&RecordedRun, &String)| {
        if twice(name) { run.folder.display().to_string() } else { name.clone() }
    };
    runs.iter().zip(&names).map(label).collect()
}

/// Returns the names of all vehicles, in order of first appearance.
fn names(runs: &[RecordedRun]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for run in runs {
        let told = run.summary.as_ref().and_then(|summary| summary["vehicles"].as_array());
        let told = told.into_iter().flatten().filter_map(|vehicle| vehicle["name"].as_str());
        let recorded = run.vehicles.iter().map(|vehicle| vehicle.name.as_str());
        for name in told.chain(recorded) {
            if !names.iter().any(|own| own == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

/// Returns the keys of the scenarios whose values differ, with the value of each run; `None` if a
/// run's scenario lacks the key.
pub fn differences(all: &[BTreeMap<String, String>]) -> Vec<(String, Vec<Option<String>>)> {
    let keys: BTreeSet<&String> = all.iter().flat_map(|keys| keys.keys()).collect();
    let row = |key: &String| {
        let values: Vec<Option<String>> = all.iter().map(|keys| keys.get(key).cloned()).collect();
        let differs = values.iter().any(|value| *value != values[0]);
        differs.then(|| (key.clone(), values))
    };
    keys.into_iter().filter_map(row).collect()
}

/// Returns the code of an outcome in a summary: a word, or a table with a code or of one key.
fn code(vehicle: &Value) -> String {
    match &vehicle["outcome"] {
        Value::String(code) => code.clone(),
        Value::Object(outcome) => match outcome.get("code") {
            Some(code) => code.as_str().unwrap_or("unknown").to_owned(),
            None => outcome.keys().next().cloned().unwrap_or_default(),
        },
        _ => "unknown".into(),
    }
}

/// Returns the outcome of a code; `None` for unknown codes.
fn known_outcome(code: &str) -> Option<OutcomeCode> {
    serde_json::from_value(json!(code)).ok()
}

/// Returns the words for the code of an outcome; any other text as it is.
pub fn outcome_words(code: &str) -> &str {
    known_outcome(code).map_or(code, |own| own.words())
}

/// Whether an outcome is a loss of the vehicle; false for unknown codes.
fn is_loss(code: &str) -> bool {
    known_outcome(code).is_some_and(OutcomeCode::is_loss)
}

/// Returns the time of the outcome, s.
fn end_time(vehicle: &Value) -> Option<f64> {
    let outcome = vehicle["outcome"].as_object()?;
    let own = outcome.get("time").or_else(|| outcome.values().next()?.get("time"));
    own?.as_f64()
}

/// Returns the outcome of a vehicle in a run: its code, and its sentence.
fn outcome(run: &RecordedRun, name: &str) -> Option<(String, String)> {
    match run.vehicle(name) {
        Some(vehicle) => {
            let code = code(vehicle);
            let words = outcome_words(&code).to_owned();
            let sentence = match end_time(vehicle) {
                Some(time) => format!("{words}, {time:.1} s"),
                None => words,
            };
            Some((code, sentence))
        }
        None => {
            let own = run.vehicles.iter().find(|vehicle| vehicle.name == name)?;
            let last = own.points.last().map_or(0.0, |point| point.time);
            Some(("not recorded".into(), format!("record ends at {last:.1} s")))
        }
    }
}

fn figure(run: &RecordedRun, name: &str, keys: &[&str]) -> Option<f64> {
    let vehicle = run.vehicle(name)?;
    keys.iter().find_map(|key| vehicle[*key].as_f64())
}

fn outcomes(runs: &[RecordedRun], labels: &[String], names: &[String], is_wide: bool) -> String {
    let figures: Vec<_> = FIGURES.iter().filter(|own| is_wide || !own.4).collect();
    let mut header = vec!["vehicle", "run"];
    header.extend(figures.iter().map(|(_, heading, ..)| *heading));
    header.push("outcome");
    let mut rows = Vec::new();
    for name in names {
        let mut shown = name.as_str();
        for (run, label) in runs.iter().zip(labels) {
            let Some((_, sentence)) = outcome(run, name) else { continue };
            let mut row = vec![shown.to_owned(), label.clone()];
            row.extend(figures.iter().map(|(keys, _, factor, decimals, _)| {
                let value = figure(run, name, keys).map(|value| factor * value);
                value.map_or(String::new(), |value| format!("{value:.decimals$}"))
            }));
            row.push(sentence);
            rows.push(row);
            shown = "";
        }
    }
    let right = 2..2 + figures.len();
    if is_wide {
        text_table::wide(header, rows, right, 1).trim_fmt()
    } else {
        text_table::ruled(header, rows, right, 1).trim_fmt()
    }
}

/// Formats the differences between the scenarios.
fn keys(labels: &[String], differences: &[(String, Vec<Option<String>>)]) -> String {
    if labels.len() < 2 {
        return String::new();
    }
    if differences.is_empty() {
        return "the scenarios and the program are the same".into();
    }
    const SHOWN: usize = 40;
    let shown = &differences[..differences.len().min(SHOWN)];
    let mut text = match labels.len() > MOST_BESIDE {
        true => keys_by_value(labels, shown),
        false => keys_by_run(labels, shown),
    };
    let more = differences.len().saturating_sub(SHOWN);
    if more > 0 {
        text.push_str(&format!("\n{more} more differences: see --json"));
    }
    text
}

/// Number of runs whose values are printed in columns beside each other.
const MOST_BESIDE: usize = 3;
/// Width of the column of keys.
const KEY_WIDTH: usize = 34;

/// Formats differences with a column for each run.
fn keys_by_run(labels: &[String], differences: &[(String, Vec<Option<String>>)]) -> String {
    let header = std::iter::once("difference").chain(labels.iter().map(String::as_str));
    let width = (text_table::MOST_COLUMNS - KEY_WIDTH) / labels.len() - 2;
    let rows = differences.iter().map(|(key, values)| {
        let values = values.iter().map(|value| shortened(value, width));
        std::iter::once(broken_key(key)).chain(values)
    });
    text_table::ruled(header, rows, ..0, 2).trim_fmt()
}

/// Formats differences with a row for each value, which lists the runs that have it.
fn keys_by_value(labels: &[String], differences: &[(String, Vec<Option<String>>)]) -> String {
    let mut rows = Vec::new();
    for (key, values) in differences {
        let mut own_key = broken_key(key);
        let distinct: BTreeSet<&Option<String>> = values.iter().collect();
        for value in distinct {
            let of_value = values.iter().zip(labels).filter(|(own, _)| *own == value);
            let runs: Vec<&str> = of_value.map(|(_, label)| label.as_str()).collect();
            rows.push([std::mem::take(&mut own_key), shortened(value, 20), runs.join(", ")]);
        }
    }
    text_table::ruled(["difference", "value", "runs"], rows, ..0, 2).trim_fmt()
}

/// Cuts a value to a width.
fn shortened(value: &Option<String>, width: usize) -> String {
    let text = value.as_deref().unwrap_or("-");
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let short: String = text.chars().take(width.saturating_sub(3)).collect();
    format!("{short}...")
}

/// Breaks a long key into lines after its dots.
fn broken_key(key: &str) -> String {
    let mut lines = vec![String::new()];
    for part in key.split_inclusive('.') {
        if lines.last().is_some_and(|own| own.len() + part.len() > KEY_WIDTH) {
            lines.push("  ".into());
        }
        if let Some(last) = lines.last_mut() {
            last.push_str(part);
        }
    }
    lines.join("\n")
}

fn as_json(
    picture: Option<&Path>,
    runs: &[RecordedRun],
    labels: &[String],
    names: &[String],
    differences: &[(String, Vec<Option<String>>)],
) -> Value {
    let vehicles = names.iter().map(|name| {
        let of = |(run, label): (&RecordedRun, &String)| {
            let (code, sentence) = outcome(run, name)?;
            let history = run.vehicles.iter().find(|own| own.name == *name);
            let last = history.and_then(|own| own.points.last());
            Some(json!({
                "run": label,
                "outcome": code,
                "sentence": sentence,
                "recorded_until": last.map(|point| point.time),
                "summary": run.vehicle(name),
            }))
        };
        json!({ "name": name, "runs": runs.iter().zip(labels).filter_map(of).collect::<Vec<_>>() })
    });
    // values with their types in the scenario rather than as text
    let value = |text: &Option<String>| match text {
        Some(text) => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
        None => Value::Null,
    };
    let differences = differences.iter().map(|(key, values)| {
        json!({ "key": key, "values": values.iter().map(value).collect::<Vec<_>>() })
    });
    json!({
        "runs": runs.iter().zip(labels).map(|(run, label)| json!({
            "name": label,
            "folder": run.folder,
            "complete": run.summary.is_some(),
        })).collect::<Vec<_>>(),
        "vehicles": vehicles.collect::<Vec<_>>(),
        "differences": differences.collect::<Vec<_>>(),
        "picture": picture,
    })
}

/// Ground of a run, built again, and its ruts.
struct RunLand {
    built: BuiltWorld,
    props: Vec<SceneryObject>,
    ruts: Option<Raster>,
}

fn land(run: &RecordedRun) -> Option<RunLand> {
    let said = |what: &str, cause: &dyn std::fmt::Display| {
        eprintln!("{}: {what}: {cause}", run.folder.display());
    };
    let read = || {
        let (_, file) = recorded_run::read(&run.folder, &[])?;
        let built = world(&file)?;
        Ok::<_, Failure>((file, built))
    };
    let (file, built) =
        read().inspect_err(|failure| said("cannot draw the terrain", failure)).ok()?;
    let path = run.folder.join("ruts.tif");
    let ruts = path
        .is_file()
        .then(|| ruts(&path))
        .and_then(|read| read.inspect_err(|cause| said("cannot draw the ruts", cause)).ok());
    let props = props(&file, &built.meshes, built.random.as_ref());
    Some(RunLand { built, props, ruts })
}

fn ruts(path: &Path) -> Result<Raster, String> {
    let bytes = input::read(path, input::LARGEST_BINARY).map_err(|error| error.to_string())?;
    Ok(read_geotiff(&bytes).map_err(|error| error.to_string())?.0)
}

/// Returns the rut depth at a point in local coordinates, m: that of the nearest cell.
fn depth(ruts: &Raster, built: &BuiltWorld, x: f64, y: f64) -> f64 {
    let place = built.placement.as_ref().map_or([x, y], |placement| placement.to_file([x, y]));
    let [column, row] = [0, 1].map(|k| ((place[k] - ruts.south_west[k]) / ruts.cell[k]).round());
    if column < 0.0 || row < 0.0 || column >= ruts.columns as f64 || row >= ruts.rows as f64 {
        return 0.0;
    }
    let from_north = ruts.rows - 1 - row as usize;
    let depth = ruts.values[from_north * ruts.columns + column as usize];
    if depth.is_finite() { depth } else { 0.0 }
}

fn draw(
    path: &Path,
    runs: &[RecordedRun],
    labels: &[String],
    names: &[String],
    differences: &[(String, Vec<Option<String>>)],
) -> Result<(), Failure> {
    let shown = runs.len().min(MOST);
    let lands: Vec<Option<RunLand>> = runs[..shown].iter().map(land).collect();
    // a few keys with their values, many without
    let in_words = |(key, values): &(String, Vec<Option<String>>)| {
        let values: Vec<&str> =
            values[..shown].iter().map(|own| own.as_deref().unwrap_or("-")).collect();
        if differences.len() > 2 { key.clone() } else { format!("{key} = {}", values.join(", ")) }
    };
    let subtitle = match differences {
        _ if shown < 2 => String::new(),
        [] => "the scenarios and the program are the same".into(),
        own => format!("differences: {}", own.iter().map(in_words).collect::<Vec<_>>().join("; ")),
    };
    let samplers: Vec<Option<GroundSampler<'_>>> =
        lands.iter().map(|land| land.as_ref().map(GroundSampler::new)).collect();
    // a run's own values of a few keys, by the last two words of the keys
    let difference = |n: usize| {
        let own = differences.iter().filter(|_| shown > 1 && differences.len() <= 2);
        let own = own.map(|(key, values)| {
            let start = key.rmatch_indices('.').nth(1).map_or(0, |(dot, _)| dot + 1);
            let value = values[n].as_deref().unwrap_or("-");
            format!("{} = {}", &key[start..], value.trim_matches('"'))
        });
        own.collect::<Vec<_>>().join(", ")
    };
    let column = |n: usize| RunColumn {
        name: labels[n].clone(),
        difference: difference(n),
        outcomes: names
            .iter()
            .map(|name| {
                let ended = outcome(&runs[n], name);
                ended.map_or(("-".into(), false), |(code, text)| (text, is_loss(&code)))
            })
            .collect(),
        vehicles: &runs[n].vehicles,
        ground: samplers[n].as_ref().map(GroundSampler::ground),
    };
    let picture = Comparison {
        caption: Caption {
            title: labels[..shown].join(", "),
            subtitle,
            facts: Vec::new(),
            footer: format!(
                "bekker {}, equal quantities have equal axes",
                env!("CARGO_PKG_VERSION")
            ),
        },
        names: names.to_vec(),
        runs: (0..shown).map(column).collect(),
    };
    comparison::write(path, &picture)?;
    Ok(())
}

/// Accessor to height, soil and ruts of a ground.
struct GroundSampler<'a> {
    land: &'a RunLand,
    height: Box<dyn Fn(f64, f64) -> f64 + Sync + 'a>,
    soil: Box<dyn Fn(f64, f64) -> usize + Sync + 'a>,
    is_gap: Box<dyn Fn(f64, f64) -> bool + Sync + 'a>,
    rut: Box<dyn Fn(f64, f64) -> f64 + Sync + 'a>,
}

impl<'a> GroundSampler<'a> {
    fn new(land: &'a RunLand) -> GroundSampler<'a> {
        let terrain = land.built.world.ground.terrain();
        GroundSampler {
            land,
            height: Box::new(|x, y| terrain.height(x, y)),
            soil: Box::new(|x, y| usize::from(terrain.soil(x, y).0)),
            is_gap: Box::new(|x, y| terrain.is_gap(x, y)),
            rut: Box::new(|x, y| {
                land.ruts.as_ref().map_or(0.0, |ruts| depth(ruts, &land.built, x, y))
            }),
        }
    }

    fn ground(&self) -> RunGround<'_> {
        let ground = &self.land.built.world.ground;
        RunGround {
            land: map::DrawnGround {
                height: &*self.height,
                soil: &*self.soil,
                is_gap: &*self.is_gap,
                soils: map::SoilSign::for_soils(ground.soils()),
                bounds: ground.terrain().bounds(),
                props: &self.land.props,
                placement: None,
            },
            rut: &*self.rut,
            spacing: ground.lattice().spacing,
            // cells without a rut are NaN, which `max` ignores
            deepest: self
                .land
                .ruts
                .iter()
                .flat_map(|own| &own.values)
                .fold(0.0, |a: f64, b| a.max(*b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Long keys and values of two and of six runs fit 80 columns.
    #[test]
    fn differences_fit_eighty_columns() {
        let key = "site.magnetic_field.inclination_deg_of_a_long_name";
        let value = |run: usize| Some(format!("\"a long description of run {}\"", run % 2));
        for count in [2, 6] {
            let labels: Vec<String> = (0..count).map(|run| format!("convoy_{run}")).collect();
            let differences = [(key.to_owned(), (0..count).map(value).collect())];
            let text = keys(&labels, &differences);
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            assert!(text.contains("site.magnetic_field.") && text.contains("..."), "{text}");
            assert!(labels.iter().all(|label| text.contains(label)), "{text}");
        }
    }
}
