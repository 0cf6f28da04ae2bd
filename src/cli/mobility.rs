//! `bekker mobility`

use super::progress_bar::progress_bar;
use super::quantity::quantity;
use super::{Failure, stdout};
use crate::mobility::vehicle_sheet::cone_index_vehicle;
use crate::mobility::{
    EVENTS, EventMetric, Findings, Limit, MobilityError, MobilityEvent, SearchEffort, Subject,
    is_firm,
};
use crate::report::study::TitledTable;
use crate::report::table::TableStyle;
use crate::report::{check_writable, plot, write_file};
use crate::rig::PlotPanel;
use crate::scenario::Diagnostics;
use crate::scenario::config::Payload;
use crate::soil::catalog;
use crate::vehicle::AnySpec;
use crate::vehicle::spec::Inflation;
use clap::Args;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Drive a vehicle through the standard mobility events: top speed, turning, slopes, drawbar pull,
/// ride, obstacles, passes, fuel
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker mobility --vehicle hmmwv --quick --event straight\n  \
    bekker mobility --vehicle m113 --out m113_mobility\n  \
    bekker mobility --vehicle my_truck.toml --event gap,step --json\n  \
    bekker mobility --vehicle hmmwv --event gap --write-scenario gap\n  \
    bekker mobility --vehicle hmmwv --event drawbar --soil upland_sandy_loam --inflation-kpa 140 --payload 800\n  \
    bekker mobility --list\n\n\
    Each result is shown next to a closed-form estimate and, where available, a published value.\n\
    docs/mobility.md explains how each event is driven, and its assumptions. A missed requirement\n\
    is reported but is no failure. Exit code 1 means that an event has no result.")]
pub struct Mobility {
    /// Vehicle from the catalog, or a vehicle file (.toml)
    #[arg(long, value_name = "NAME|FILE", required_unless_present = "list")]
    vehicle: Option<String>,
    /// Events to drive, comma-separated (default: all; see --list)
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = event)]
    event: Vec<&'static MobilityEvent>,
    /// Soils from the catalog, comma-separated, for events on soil (default: each event's own
    /// soils)
    #[arg(long, value_name = "SOIL,...", value_delimiter = ',', value_parser = soil)]
    soil: Vec<String>,
    /// Tire inflation, kPa: one value, one per axle from the front, or one per wheel (default: from
    /// the vehicle file)
    #[arg(long, value_name = "KPA,...", value_delimiter = ',', value_parser = quantity(10.0..=1000.0, "kPa"))]
    inflation_kpa: Vec<f64>,
    /// Additional mass, kg, at a position in the chassis frame, m; may be repeated (default
    /// position: the chassis' center of mass)
    #[arg(long, value_name = "KG[@X,Y,Z]", value_parser = payload)]
    payload: Vec<PayloadOption>,
    /// Rating cone index of a fine-grained soil, kPa: shows NRMM's and VTI's pull and resistance
    /// beside the drives of `drawbar` and `grade` on soil. It changes no drive
    #[arg(long, value_name = "KPA", allow_negative_numbers = true, value_parser = quantity(10.0..=10_000.0, "kPa"))]
    cone_index_kpa: Option<f64>,
    /// Search limits four times as coarsely, with fewer soils, speeds and sizes
    #[arg(long)]
    quick: bool,
    /// Halve every time step and node distance; results that change had not converged
    #[arg(long)]
    refined: bool,
    /// Folder for mobility.md, mobility.json and, for events with curves, the plots mobility.png
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Folder for the scenarios that decided the results; run them with `bekker run`
    #[arg(long, value_name = "FOLDER")]
    write_scenario: Option<PathBuf>,
    /// Print results and curves as JSON; with --list, print the events as JSON
    #[arg(long)]
    json: bool,
    /// List the events
    #[arg(long)]
    list: bool,
}

/// Events that show relations of the cone index.
const CONE_INDEX_EVENTS: [&str; 2] = ["grade", "drawbar"];

/// Event and its result.
type EventResult = (&'static MobilityEvent, Result<Findings, MobilityError>);

fn event(name: &str) -> Result<&'static MobilityEvent, String> {
    MobilityEvent::find(name).ok_or_else(|| {
        let known: Vec<&str> = EVENTS.iter().map(|event| event.name).collect();
        format!("must be one of {}", known.join(", "))
    })
}

/// Parses the name of a soil in the catalog.
fn soil(name: &str) -> Result<String, String> {
    let found = catalog().find(name).map_err(|error| error.to_string())?;
    Ok(found.to_soil().name)
}

/// Payload: mass, kg, and position, m.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PayloadOption {
    mass: f64,
    position: Option<[f64; 3]>,
}

fn payload(text: &str) -> Result<PayloadOption, String> {
    let wrong = || "must be KG or KG@X,Y,Z, such as 800 or 800@-1.5,0,0.6".to_owned();
    let (mass, place) = text.split_once('@').map_or((text, None), |(mass, at)| (mass, Some(at)));
    let mass = quantity(0.0..=100_000.0, "kg")(mass)?;
    let position = place.map(|place| {
        let part = quantity(-20.0..=20.0, "m");
        let parts: Vec<f64> = place.split(',').map(part).collect::<Result<_, _>>()?;
        <[f64; 3]>::try_from(parts).map_err(|_| wrong())
    });
    Ok(PayloadOption { mass, position: position.transpose()? })
}

impl Mobility {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        if self.list && self.json {
            let events = EVENTS.iter().map(|own| json!({ "event": own.name, "about": own.about }));
            return stdout::print_json(&json!({ "events": events.collect::<Vec<_>>() }));
        }
        if self.list {
            return stdout::print(&list().text(TableStyle::of_stdout()));
        }
        let model = self.vehicle.as_deref().unwrap_or_default();
        let mut subject = self.fitted(subject(model)?)?;
        subject.refined = self.refined;
        subject.soils.clone_from(&self.soil);
        subject.cone_index = self.cone_index_kpa.map(|kpa| 1e3 * kpa);
        // checked before minutes of computation, whose result would be lost
        let pages = ["mobility.md", "mobility.json"].as_slice();
        // file names of scenarios are known only after the drives
        let scenarios = ["scenario.toml"].as_slice();
        let places = [(&self.out, pages), (&self.write_scenario, scenarios)];
        for (folder, files) in places {
            let Some(folder) = folder else { continue };
            std::fs::create_dir_all(folder).map_err(|cause| write_failure(folder, cause))?;
            for file in files {
                check_writable(&folder.join(file))?;
            }
        }
        let events: Vec<&'static MobilityEvent> =
            EVENTS.iter().filter(|own| self.is_selected(own)).collect();
        self.check_soils(&events)?;
        self.check_cone_index(&subject, &events)?;
        let effort = SearchEffort { quick: self.quick };
        let bar = progress_bar(events.len() as u64, "events", quiet);
        let driven: Vec<EventResult> = events
            .into_par_iter()
            .map(|event| {
                let findings = event.drive(&subject, effort);
                bar.inc(1);
                (event, findings)
            })
            .collect();
        bar.finish_and_clear();
        self.present(&subject, &driven, quiet)?;
        let failed =
            driven.iter().filter_map(|(event, found)| Some((event, found.as_ref().err()?)));
        let failed: Vec<String> =
            failed.map(|(event, error)| format!("{}: {error}", event.name)).collect();
        match failed.is_empty() {
            true => Ok(()),
            false => Err(Failure::Run { subject: model.into(), cause: failed.join("; ") }),
        }
    }

    /// Returns the vehicle with the requested inflation and payload.
    fn fitted(&self, subject: Subject) -> Result<Subject, Failure> {
        if self.inflation_kpa.is_empty() && self.payload.is_empty() {
            return Ok(subject);
        }
        let mut vehicle = subject.as_vehicle();
        vehicle.inflation_kpa = match self.inflation_kpa[..] {
            [] => None,
            [all] => Some(Inflation::All(all)),
            _ => Some(Inflation::Each(self.inflation_kpa.clone())),
        };
        let center = match &subject.spec {
            AnySpec::Wheeled(own) => own.chassis.com,
            AnySpec::Tracked(own) => own.chassis.com,
        };
        for load in &self.payload {
            if load.position.is_none() {
                eprintln!(
                    "note: no position given for {} kg of payload; it is at the chassis' center of \
                     mass, {center:?} m",
                    load.mass
                );
            }
            let position = load.position.unwrap_or(center);
            vehicle.payload.push(Payload { mass: load.mass, position, size: [0.0; 3] });
        }
        let model = self.vehicle.clone().unwrap_or_default();
        subject.with_vehicle(&vehicle).map_err(|error| failure(&model, error))
    }

    /// Refuses `--soil` if no event is driven on soil, and names the events that ignore it.
    fn check_soils(&self, events: &[&'static MobilityEvent]) -> Result<(), Failure> {
        if self.soil.is_empty() {
            return Ok(());
        }
        if !events.iter().any(|own| own.on_soil) {
            let all: Vec<&str> =
                EVENTS.iter().filter(|own| own.on_soil).map(|own| own.name).collect();
            return Err(Failure::Usage {
                argument: "--soil",
                value: self.soil.join(","),
                allowed: format!(
                    "omitted: only these events are driven on soil: {}",
                    all.join(", ")
                ),
            });
        }
        let others: Vec<&str> =
            events.iter().filter(|own| !own.on_soil).map(|own| own.name).collect();
        if !others.is_empty() {
            eprintln!(
                "note: --soil has no effect on {}, which are driven on the road",
                others.join(", ")
            );
        }
        Ok(())
    }

    /// Refuses `--cone-index-kpa` if no event or soil shows it, and states where its relations do not
    /// hold.
    fn check_cone_index(
        &self,
        subject: &Subject,
        events: &[&'static MobilityEvent],
    ) -> Result<(), Failure> {
        let Some(kpa) = self.cone_index_kpa else { return Ok(()) };
        if !events.iter().any(|own| CONE_INDEX_EVENTS.contains(&own.name)) {
            return Err(Failure::Usage {
                argument: "--cone-index-kpa",
                value: kpa.to_string(),
                allowed: format!(
                    "omitted: only these events show it: {}",
                    CONE_INDEX_EVENTS.join(", ")
                ),
            });
        }
        // quick events drive their first soil only: the road
        if self.soil.iter().all(|own| is_firm(own)) && (self.quick || !self.soil.is_empty()) {
            return Err(Failure::Usage {
                argument: "--cone-index-kpa",
                value: kpa.to_string(),
                allowed: "omitted on firm ground: select a deformable soil with --soil".into(),
            });
        }
        let vehicle = cone_index_vehicle(&subject.spec).map_err(Failure::from)?;
        for limit in vehicle.limits() {
            eprintln!("note: relations of the cone index: {limit}");
        }
        Ok(())
    }

    /// Describes the changes to the vehicle of the file.
    fn conditions(&self) -> String {
        let numbers = |own: &[f64]| own.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
        let load: f64 = self.payload.iter().map(|own| own.mass).sum();
        let told = [
            (load > 0.0).then(|| format!("payload {load} kg")),
            (!self.inflation_kpa.is_empty())
                .then(|| format!("inflation {} kPa", numbers(&self.inflation_kpa))),
        ];
        told.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    fn is_selected(&self, event: &MobilityEvent) -> bool {
        self.event.is_empty() || self.event.iter().any(|own| own.name == event.name)
    }

    fn present(
        &self,
        subject: &Subject,
        driven: &[EventResult],
        quiet: bool,
    ) -> Result<(), Failure> {
        let found = || driven.iter().filter_map(|(own, found)| Some((own, found.as_ref().ok()?)));
        if let Some(folder) = &self.write_scenario {
            for (_, findings) in found() {
                write_scenarios(folder, subject, findings)?;
            }
        }
        let name = match self.conditions() {
            none if none.is_empty() => subject.spec.name().to_owned(),
            conditions => format!("{}, {conditions}", subject.spec.name()),
        };
        let table = outline(&name, driven);
        let document = self.document(subject, driven);
        if let Some(folder) = &self.out {
            let mut page = format!("# Mobility of {name}\n\n");
            let _ = writeln!(page, "{}\n\n{}", subject.spec.description(), table.markdown());
            write_file(&folder.join("mobility.md"), page.as_bytes())?;
            let text = format!("{document:#}\n");
            write_file(&folder.join("mobility.json"), text.as_bytes())?;
            // the curve of an event without any result has no points
            let has_points = |panel: &&PlotPanel| {
                let mut points = panel.lines.iter().flat_map(|own| &own.points);
                points.any(|point| point.iter().all(|value| value.is_finite()))
            };
            let all = found().flat_map(|(_, own)| own.panels.iter().filter(has_points).cloned());
            let all: Vec<_> = all.collect();
            let plotted = !all.is_empty();
            if plotted {
                let figure = plot::Figure {
                    title: format!("Mobility of {name}"),
                    subtitle: subject.spec.description().into(),
                    panels: all.iter().map(plot::PlotAxes::from).collect(),
                };
                plot::write(&folder.join("mobility.png"), &figure)?;
            }
            if !quiet {
                let files = match plotted {
                    true => "mobility.md, mobility.json and mobility.png",
                    false => "mobility.md and mobility.json (these events have no plots)",
                };
                eprintln!("{files} written to {}", folder.display());
            }
        }
        if self.json {
            return stdout::print_json(&document);
        }
        let (table, notes) = with_numbered_notes(table);
        let text = table.text(TableStyle::of_stdout());
        stdout::print(format!("{}\n\n{notes}", text.trim_end()).trim_end())
    }

    fn document(&self, subject: &Subject, driven: &[EventResult]) -> Value {
        let events = driven.iter().map(|(event, found)| match found {
            Ok(own) => json!({ "event": event.name, "figures": own.figures, "panels": own.panels }),
            Err(error) => json!({ "event": event.name, "failure": error.to_string() }),
        });
        json!({
            "vehicle": subject.spec.name(),
            "mass": subject.geometry.mass,
            "payload_kg": self.payload.iter().map(|own| own.mass).sum::<f64>(),
            "inflation_kpa": self.inflation_kpa,
            "soils": subject.soils,
            "cone_index_kpa": self.cone_index_kpa,
            "quick": self.quick,
            "events": events.collect::<Vec<_>>(),
        })
    }
}

/// Returns a vehicle of the catalog, or of a file with its absolute path, because scenarios that
/// name it can be written to any folder.
fn subject(model: &str) -> Result<Subject, Failure> {
    let file = Path::new(model);
    let place = if file.is_file() {
        file.canonicalize().unwrap_or_else(|_| file.into())
    } else {
        file.into()
    };
    Subject::new(&place.display().to_string(), Path::new("")).map_err(|error| failure(model, error))
}

fn failure(model: &str, error: MobilityError) -> Failure {
    match error {
        MobilityError::Scenario(faults) => Failure::from(Diagnostics(faults.0)),
        other => Failure::Run { subject: model.into(), cause: other.to_string() },
    }
}

fn write_failure(path: &Path, cause: std::io::Error) -> Failure {
    Failure::Output { subject: path.display().to_string(), cause }
}

fn write_scenarios(folder: &Path, subject: &Subject, findings: &Findings) -> Result<(), Failure> {
    for scenario in &findings.scenarios {
        let path = folder.join(format!("{}.toml", scenario.name));
        let text = subject.with_refinement(scenario).to_toml().map_err(|error| Failure::Run {
            subject: scenario.name.clone(),
            cause: error.to_string(),
        })?;
        write_file(&path, text.as_bytes())?;
    }
    Ok(())
}

fn list() -> TitledTable {
    let rows = EVENTS.iter().map(|event| vec![event.name.into(), event.about.into()]);
    TitledTable {
        title: "Events".into(),
        head: vec!["event".into(), "result".into()],
        rows: rows.collect(),
    }
}

/// Columns of the outline.
const CLOSED_FORM: usize = 5;
const PUBLISHED: usize = 6;

fn outline(title: &str, driven: &[EventResult]) -> TitledTable {
    let head = ["event", "metric", "value", "unit", "required", "closed form", "published", "note"];
    let rows = driven.iter().flat_map(|(event, found)| match found {
        Ok(findings) => findings.figures.iter().map(|own| row(event, own)).collect(),
        Err(error) => vec![failed(event, error)],
    });
    TitledTable { title: title.into(), head: head.map(String::from).to_vec(), rows: rows.collect() }
}

/// Returns the table with laws and sources as numbered notes, and the notes, one per line.
///
/// They are longer than the numbers that they explain.
fn with_numbered_notes(mut table: TitledTable) -> (TitledTable, String) {
    let mut notes: Vec<String> = Vec::new();
    for row in &mut table.rows {
        for cell in &mut row[CLOSED_FORM..=PUBLISHED] {
            let Some((value, note)) = cell.split_once(' ') else { continue };
            let note = note.strip_prefix(['(', '[']).unwrap_or(note);
            let note = note.strip_suffix([')', ']']).unwrap_or(note).to_owned();
            let place = notes.iter().position(|own| *own == note).unwrap_or_else(|| {
                notes.push(note);
                notes.len() - 1
            });
            *cell = format!("{value} ({})", place + 1);
        }
    }
    let lines = notes.iter().enumerate().map(|(n, note)| format!("({}) {note}\n", n + 1));
    (table, lines.collect())
}

fn row(event: &MobilityEvent, figure: &EventMetric) -> Vec<String> {
    let number = |value: f64| super::study::rounded(value);
    let none = || "-".to_owned();
    let name = figure.name.replace('_', " ");
    let name = if figure.on.is_empty() { name } else { format!("{name}, {}", figure.on) };
    let verdict = if figure.passes == Some(true) { "passed" } else { "FAILED" };
    let asked = figure.limit.map(|limit| match limit {
        Limit::AtLeast(least) => format!("≥ {} {verdict}", number(least)),
        Limit::AtMost(most) => format!("≤ {} {verdict}", number(most)),
    });
    let closed = figure.closed_form.as_ref();
    let closed = closed.map(|own| format!("{} ({})", number(own.value), own.law));
    let published =
        figure.published.as_ref().map(|own| format!("{} [{}]", number(own.value), own.source));
    vec![
        event.name.into(),
        name,
        figure.value.map_or_else(none, number),
        figure.unit.into(),
        asked.unwrap_or_else(none),
        closed.unwrap_or_else(none),
        published.unwrap_or_else(none),
        figure.note.clone(),
    ]
}

fn failed(event: &MobilityEvent, error: &MobilityError) -> Vec<String> {
    let mut row = vec![String::new(); 8];
    (row[0], row[1]) = (event.name.into(), "no result".into());
    row[7] = error.to_string();
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_is_a_mass_and_a_position() {
        let at = |mass, position| Ok(PayloadOption { mass, position });
        assert_eq!(payload("800"), at(800.0, None));
        assert_eq!(payload("800@-1.5,0,0.6"), at(800.0, Some([-1.5, 0.0, 0.6])));
        for wrong in ["-1", "x", "800@1,2", "800@1,2,3,4", "800@a,0,0", "800@99,0,0", "nan", ""] {
            assert!(payload(wrong).is_err(), "{wrong}");
        }
    }
}
