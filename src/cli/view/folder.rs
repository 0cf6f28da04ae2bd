//! A folder of runs and studies as web pages: a list, a comparison of two runs, and viewers.
//!
//! A request refers to an entry by its number in the list; no path from a request is ever opened.
//! Links that lead out of the folder are not followed.

use super::{commands, displayed_run, histories};
use crate::cli::{Failure, compare, recorded_run};
use crate::link::{Target, WebPage};
use crate::report::manifest::{self, Manifest, RunStatus};
use crate::report::recorded_run::keys;
use crate::scenario::build::world;
use crate::scenario::input;
use crate::simulation::{RunSummary, VehicleSummary, World};
use crate::view::{Clients, Control, MessageSource, Player, asset};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// Largest file that is sent, bytes: a study's report with its pictures.
const LARGEST: u64 = 64 << 20;

/// Runs and studies of a folder, with the clients that watch runs.
pub struct RunFolder {
    path: PathBuf,
    /// The path with links resolved.
    root: PathBuf,
    runs: Vec<ListedRun>,
    studies: Vec<PathBuf>,
    watched: Mutex<BTreeMap<usize, Arc<Clients>>>,
    interrupted: Arc<AtomicBool>,
}

/// A run in the list.
struct ListedRun {
    path: PathBuf,
    name: String,
    manifest: Manifest,
    summary: Option<RunSummary>,
}

impl RunFolder {
    /// Lists the content of a folder, sorted by name.
    ///
    /// # Errors
    /// [`Failure::Input`] if it cannot be read or contains neither a run nor a study.
    pub fn read(path: &Path, interrupted: Arc<AtomicBool>) -> Result<RunFolder, Failure> {
        let entries = std::fs::read_dir(path).map_err(|error| Failure::input(path, &error))?;
        let root = path.canonicalize().map_err(|error| Failure::input(path, &error))?;
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.sort();
        folders.retain(|folder| folder.is_dir());
        folders.retain(|folder| {
            let lies_inside = inside(&root, folder).is_some();
            if !lies_inside {
                eprintln!(
                    "warning: {} is not shown: its link leads outside the folder",
                    folder.display()
                );
            }
            lies_inside
        });
        let runs: Vec<ListedRun> =
            folders.iter().filter_map(|folder| ListedRun::read(folder, &root)).collect();
        let studies: Vec<PathBuf> =
            folders.into_iter().filter(|own| is_inside(&root, &own.join(REPORT))).collect();
        if runs.is_empty() && studies.is_empty() {
            let cause = "is not a run folder and contains no runs or studies".into();
            return Err(Failure::Input { subject: path.display().to_string(), cause });
        }
        let (path, watched) = (path.to_path_buf(), Mutex::default());
        Ok(RunFolder { path, root, runs, studies, watched, interrupted })
    }

    /// Returns the page at a path.
    pub fn page(&self, path: &str, query: &str) -> Option<WebPage> {
        let mut parts = path.trim_start_matches('/').split('/');
        let rest = |parts: std::str::Split<'_, char>| parts.collect::<Vec<_>>().join("/");
        match parts.next()? {
            "" => Some(html(self.list())),
            "compare" => Some(html(self.comparison(query))),
            "run" => {
                let run = self.runs.get(number(parts.next()?)?)?;
                match rest(parts).as_str() {
                    "picture.png" => file(&self.root, &run.path.join("picture.png"), "image/png"),
                    name => asset(name).map(|found| WebPage {
                        content_type: found.content_type.into(),
                        bytes: found.text.into(),
                    }),
                }
            }
            "study" => {
                let study = self.studies.get(number(parts.next()?)?)?;
                let report = file(&self.root, &study.join(REPORT), HTML)?;
                Some(with_way_back(report))
            }
            name => asset(name).filter(|own| own.name == "view.css").map(|found| WebPage {
                content_type: found.content_type.into(),
                bytes: found.text.into(),
            }),
        }
    }

    /// Returns the clients of the run of a socket; the first client starts its simulation.
    pub fn clients(&self, target: &Target) -> Option<Arc<Clients>> {
        let number = number(target.path.strip_prefix("/run/")?.strip_suffix("/watch")?)?;
        let run = self.runs.get(number)?;
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(clients) = watched.get(&number) {
            return Some(clients.clone());
        }
        let clients = match run.play(&self.root, self.interrupted.clone()) {
            Ok(clients) => clients,
            Err(failure) => {
                eprintln!("{failure}");
                return None;
            }
        };
        watched.insert(number, clients.clone());
        Some(clients)
    }

    fn list(&self) -> String {
        let mut body = String::new();
        let _ = write!(body, "<h1>Runs in {}</h1>", escaped(&self.path.display().to_string()));
        if !self.runs.is_empty() {
            body.push_str("<form action=\"compare\"><ul class=\"cards\">");
            for (number, run) in self.runs.iter().enumerate() {
                run.card(number, &mut body);
            }
            body.push_str("</ul>");
            if self.runs.len() > 1 {
                body.push_str(
                    "<p class=\"bar\"><button id=\"compare\">Compare the two selected runs\
                     </button></p>",
                );
                body.push_str(SELECT_TWO);
            }
            body.push_str("</form>");
        }
        if !self.studies.is_empty() {
            body.push_str("<h2>Studies</h2><ul class=\"studies\">");
            for (number, study) in self.studies.iter().enumerate() {
                let name = escaped(&name_of(study));
                let _ = write!(body, "<li><a href=\"study/{number}\">{name}</a></li>");
            }
            body.push_str("</ul>");
        }
        body
    }

    /// Compares two runs side by side.
    fn comparison(&self, query: &str) -> String {
        let chosen: Vec<&ListedRun> = query
            .split('&')
            .filter_map(|pair| self.runs.get(number(pair.strip_prefix("run=")?)?))
            .collect();
        let [left, right] = chosen[..] else {
            return format!("{WAY_BACK}<h1>Compare runs</h1><p>Select two runs in the list.</p>");
        };
        let mut body = format!(
            "{WAY_BACK}<h1>{} and {}</h1><div class=\"wide\"><table><tr><td></td>",
            escaped(&left.name),
            escaped(&right.name)
        );
        for run in [left, right] {
            let _ = write!(body, "<th scope=\"col\">{}</th>", breakable(&run.name));
        }
        body.push_str("<th scope=\"col\">difference</th></tr><tr><td></td>");
        let numbers = [left, right]
            .map(|run| self.runs.iter().position(|own| own.path == run.path).unwrap_or_default());
        for (run, number) in [left, right].into_iter().zip(numbers) {
            let picture = run.picture(number);
            let _ = write!(body, "<td>{picture}</td>");
        }
        let [first, second] = numbers;
        let _ = write!(
            body,
            "<td><a href=\"run/{first}/?ghost={second}\">Watch both runs</a></td></tr>"
        );
        compared_scenarios([left, right], &mut body);
        let vehicles = |run: &ListedRun| run.summary.as_ref().map_or(0, |own| own.vehicles.len());
        for index in 0..vehicles(left).max(vehicles(right)) {
            let pair = [left, right]
                .map(|run| run.summary.as_ref().and_then(|own| own.vehicles.get(index)));
            compared_vehicle(pair, &mut body);
        }
        body + "</table></div>"
    }
}

/// Link to the list, from any page below it.
const WAY_BACK: &str = "<nav><a href=\"./\">← All runs</a></nav>";

/// Script of the list: the button is enabled while two runs are selected.
const SELECT_TWO: &str = "<script>\
    const boxes = [...document.querySelectorAll('[name=run]')];\
    const update = () => { document.getElementById('compare').disabled = \
    boxes.filter((box) => box.checked).length !== 2; };\
    boxes.forEach((box) => { box.onchange = update; }); addEventListener('pageshow', update);\
    </script>";

const HTML: &str = "text/html; charset=utf-8";

/// Adds a link to the list to the report of a study.
fn with_way_back(mut report: WebPage) -> WebPage {
    const LINK: &[u8] = b"<nav style=\"margin-bottom:12px\">\
        <a href=\"../\" style=\"color:var(--accent)\">\xe2\x86\x90 All runs</a></nav>";
    let mark = b"<main>";
    let found = report.bytes.windows(mark.len()).position(|window| window == mark);
    let at = found.map_or(0, |start| start + mark.len());
    report.bytes.splice(at..at, LINK.iter().copied());
    report
}

/// Largest number of compared keys.
const MOST_KEYS: usize = 20;

/// Writes the keys in which the scenarios of two runs differ, but those of outputs.
fn compared_scenarios(pair: [&ListedRun; 2], body: &mut String) {
    let mut rows = compare::differences(&pair.map(|run| keys(&run.manifest.config)));
    rows.retain(|(key, _)| !key.starts_with("output."));
    let more = rows.len().saturating_sub(MOST_KEYS);
    rows.truncate(MOST_KEYS);
    if rows.is_empty() {
        body.push_str(&group("the scenarios are the same"));
        return;
    }
    body.push_str(&group("scenario"));
    for (key, values) in rows {
        let _ = write!(body, "<tr><th scope=\"row\">{}</th>", breakable(&key));
        for value in values {
            let _ = write!(body, "<td>{}</td>", escaped(value.as_deref().unwrap_or("-")));
        }
        body.push_str("<td></td></tr>");
    }
    if more > 0 {
        let _ = write!(
            body,
            "<tr><th scope=\"row\">{more} more keys</th><td colspan=\"3\">listed by \
             bekker compare</td></tr>"
        );
    }
}

/// Heading of a group of rows.
fn group(name: &str) -> String {
    let name = escaped(name);
    format!("<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"4\">{name}</th></tr>")
}

/// Writes the rows of a vehicle, with the second run minus the first.
fn compared_vehicle(pair: [Option<&VehicleSummary>; 2], body: &mut String) {
    let name = pair.iter().flatten().next().map_or("", |vehicle| &vehicle.name);
    let _ = write!(body, "{}<tr><th scope=\"row\">outcome</th>", group(name));
    for vehicle in pair {
        let sentence = vehicle.map_or("", |own| &own.outcome.sentence);
        let _ = write!(body, "<td>{}</td>", escaped(sentence));
    }
    body.push_str("<td></td></tr>");
    for (label, decimals, figure) in FIGURES {
        let _ = write!(body, "<tr><th scope=\"row\">{label}</th>");
        let values = pair.map(|vehicle| vehicle.map(figure));
        for value in values {
            let text = value.map_or_else(String::new, |own| format!("{own:.decimals$}"));
            let _ = write!(body, "<td>{text}</td>");
        }
        let difference = match values {
            [Some(left), Some(right)] => {
                let unit = 10_f64.powi(decimals as i32);
                // a sum with 0 has no negative zero
                let rounded = (unit * (right - left)).round() / unit + 0.0;
                match rounded == 0.0 {
                    true => "0".into(),
                    false => format!("{rounded:+.decimals$}").replace('-', "−"),
                }
            }
            _ => String::new(),
        };
        let _ = write!(body, "<td>{difference}</td></tr>");
    }
}

/// A compared value of a vehicle: its name and unit, its decimals, and the value.
type ComparedValue = (&'static str, usize, fn(&VehicleSummary) -> f64);
const FIGURES: [ComparedValue; 5] = [
    ("distance, m", 1, |own| own.distance),
    ("speed made good, m/s", 2, |own| own.speed_made_good),
    ("mean slip, %", 1, |own| 100.0 * own.mean_slip),
    ("deepest sinkage, cm", 1, |own| 100.0 * own.max_sinkage),
    ("drive energy, kJ", 0, |own| own.drive_energy / 1000.0),
];

const REPORT: &str = "report.html";

impl ListedRun {
    fn read(path: &Path, root: &Path) -> Option<ListedRun> {
        // a link to another run's manifest would expose that run
        if !is_inside(root, &path.join("manifest.json")) {
            return None;
        }
        let manifest = manifest::of_run(path).ok()?;
        let summary = inside(root, &path.join("summary.json"));
        let summary = summary.and_then(|own| input::read_text(&own, LARGEST).ok());
        let summary = summary.and_then(|text| serde_json::from_str(&text).ok());
        Some(ListedRun { path: path.to_path_buf(), name: name_of(path), manifest, summary })
    }

    /// Writes the entry of the run in the list.
    fn card(&self, number: usize, body: &mut String) {
        let summary = self.summary.as_ref();
        let scenario = summary.map_or("", |own| &own.scenario);
        let outcomes = summary.map_or_else(String::new, outcomes);
        let vehicles = match summary.map_or(0, |own| own.vehicles.len()) {
            1 => "1 vehicle".into(),
            count => format!("{count} vehicles"),
        };
        let name = escaped(&self.name);
        let title = match self.manifest.status {
            RunStatus::Running => name.clone(),
            _ => format!("<a href=\"run/{number}/\">{name}</a>"),
        };
        let _ = write!(
            body,
            "<li>{}<h2>{title}</h2><p>{}: {:.1} s, {vehicles}<br>{}</p>\
             <label><input type=\"checkbox\" name=\"run\" value=\"{number}\"> \
             compare<span class=\"hidden\"> {name}</span></label></li>",
            self.picture(number),
            escaped(scenario),
            self.manifest.simulated_s,
            escaped(&outcomes),
        );
    }

    /// Returns the image of the run, linked to the viewer.
    fn picture(&self, number: usize) -> String {
        if self.manifest.status == RunStatus::Running {
            return "<p class=\"thumb\">has not ended</p>".into();
        }
        let name = escaped(&self.name);
        let seen = match self.path.join("picture.png").is_file() {
            true => format!(
                "<img src=\"run/{number}/picture.png\" alt=\"Watch {name}\" loading=\"lazy\">"
            ),
            false => format!("Watch {name}"),
        };
        format!("<a class=\"thumb\" href=\"run/{number}/\">{seen}</a>")
    }

    /// Simulates the run for its viewers, until the program ends.
    fn play(&self, root: &Path, interrupted: Arc<AtomicBool>) -> Result<Arc<Clients>, Failure> {
        let (manifest, file) = recorded_run::read(&self.path, &[])?;
        if manifest.status == RunStatus::Running {
            let (subject, cause) = (self.name.clone(), "the run has not ended".into());
            return Err(Failure::Run { subject, cause });
        }
        let built = world(&file)?;
        let mut shown = displayed_run(&file, &built, manifest.simulated_s);
        // a link to another run's table would expose it
        let table = ["states.csv", "states.parquet"].map(|name| self.path.join(name));
        if table.iter().all(|path| !path.exists() || is_inside(root, path)) {
            shown.states = histories(&self.path, &shown.model);
        }
        let world = World::new(shown.model.clone());
        let control = Arc::new(Control::new(true, Some(1.0)));
        let clients = Clients::new(shown, MessageSource::Recorded, control);
        let commands = commands(&self.path, &manifest, &world)?;
        let no_thread = |cause| Failure::threads("view", cause);
        let player = Player::new(world, manifest.last_tick, commands, clients.clone());
        let player = player.map_err(no_thread)?;
        let thread = std::thread::Builder::new().name("player".into());
        thread.spawn(move || player.run(&interrupted)).map_err(no_thread)?;
        Ok(clients)
    }
}

/// Formats the number of vehicles per outcome.
fn outcomes(summary: &RunSummary) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for vehicle in &summary.vehicles {
        *counts.entry(vehicle.outcome.code.words()).or_default() += 1;
    }
    let words: Vec<String> = counts.iter().map(|(code, count)| format!("{count} {code}")).collect();
    words.join(", ")
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn number(text: &str) -> Option<usize> {
    text.parse().ok()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// Escapes a key or a name, which may break after dots and underscores.
fn breakable(text: &str) -> String {
    escaped(text).replace('.', ".<wbr>").replace('_', "_<wbr>")
}

fn html(body: String) -> WebPage {
    let text = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>bekker: runs</title><link rel=\"icon\" href=\"data:,\">\
         <link rel=\"stylesheet\" href=\"view.css\"></head>\
         <body><main class=\"runs\">{body}</main></body></html>"
    );
    WebPage { content_type: HTML.into(), bytes: text.into_bytes() }
}

/// Returns the path with links resolved, if it is below `root`.
fn inside(root: &Path, path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().filter(|found| found.starts_with(root))
}

/// Whether a path is a regular file below `root`.
fn is_inside(root: &Path, path: &Path) -> bool {
    inside(root, path).is_some_and(|found| found.is_file())
}

/// Returns a file as a page, if it is below `root`.
fn file(root: &Path, path: &Path, content_type: &str) -> Option<WebPage> {
    let bytes = input::read(&inside(root, path)?, LARGEST).ok()?;
    Some(WebPage { content_type: content_type.into(), bytes })
}
