//! A folder of runs and studies as web pages: a list, a comparison of two runs, and viewers.
//!
//! A request refers to an entry by its number in the list; no path from a request is ever opened.
//! Links that lead out of the folder are not followed.

use super::{commands, displayed_run};
use crate::cli::{Failure, recorded_run};
use crate::link::{Target, WebPage};
use crate::report::manifest::{self, Manifest, RunStatus};
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
                file(&self.root, &study.join(REPORT), "text/html; charset=utf-8")
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
        let clients = match run.play(self.interrupted.clone()) {
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
        let _ = write!(body, "<h1>{}</h1>", escaped(&self.path.display().to_string()));
        if !self.runs.is_empty() {
            body.push_str(
                "<form action=\"compare\"><table><tr><th>compare</th><th>run</th><th>scenario</th>\
                 <th>simulated, s</th><th>vehicles</th><th>outcomes</th><th></th></tr>",
            );
            for (number, run) in self.runs.iter().enumerate() {
                run.row(number, &mut body);
            }
            body.push_str("</table><button>compare two</button></form>");
        }
        if !self.studies.is_empty() {
            body.push_str("<h2>Studies</h2><ul>");
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
            return "<p>Choose two runs. <a href=\"./\">Back</a></p>".into();
        };
        let mut body = String::from("<p><a href=\"./\">All runs</a></p><table><tr><th></th>");
        for run in [left, right] {
            let _ = write!(body, "<th>{}</th>", escaped(&run.name));
        }
        body.push_str("</tr><tr><td></td>");
        for run in [left, right] {
            let number = self.runs.iter().position(|own| own.path == run.path).unwrap_or(0);
            let picture = run.picture(number);
            let _ = write!(body, "<td>{picture}</td>");
        }
        body.push_str("</tr>");
        let vehicles = |run: &ListedRun| run.summary.as_ref().map_or(0, |own| own.vehicles.len());
        for index in 0..vehicles(left).max(vehicles(right)) {
            let pair = [left, right]
                .map(|run| run.summary.as_ref().and_then(|own| own.vehicles.get(index)));
            for (label, figure) in FIGURES {
                let name = pair.iter().flatten().next().map_or("", |vehicle| &vehicle.name);
                let _ = write!(body, "<tr><td>{}: {label}</td>", escaped(name));
                for vehicle in pair {
                    let text = vehicle.map(figure).unwrap_or_default();
                    let _ = write!(body, "<td>{}</td>", escaped(&text));
                }
                body.push_str("</tr>");
            }
        }
        body + "</table>"
    }
}

/// A compared value of a vehicle.
type ComparedValue = (&'static str, fn(&VehicleSummary) -> String);
const FIGURES: [ComparedValue; 6] = [
    ("outcome", |own| own.outcome.sentence.clone()),
    ("distance, m", |own| format!("{:.1}", own.distance)),
    ("speed made good, m/s", |own| format!("{:.2}", own.speed_made_good)),
    ("mean slip", |own| format!("{:.3}", own.mean_slip)),
    ("deepest sinkage, m", |own| format!("{:.3}", own.max_sinkage)),
    ("drive energy, kJ", |own| format!("{:.0}", own.drive_energy / 1000.0)),
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

    fn row(&self, number: usize, body: &mut String) {
        let summary = self.summary.as_ref();
        let scenario = summary.map_or("", |own| &own.scenario);
        let outcomes = summary.map_or_else(String::new, outcomes);
        let vehicles = summary.map_or(0, |own| own.vehicles.len());
        let _ = write!(
            body,
            "<tr><td><input type=\"checkbox\" name=\"run\" value=\"{number}\"></td><td>{}</td>\
             <td>{}</td><td>{:.1}</td><td>{vehicles}</td><td>{}</td><td>{}</td></tr>",
            escaped(&self.name),
            escaped(scenario),
            self.manifest.simulated_s,
            escaped(&outcomes),
            self.picture(number),
        );
    }

    /// Returns the image of the run, linked to the viewer.
    fn picture(&self, number: usize) -> String {
        if self.manifest.status == RunStatus::Running {
            return "has not ended".into();
        }
        let seen = match self.path.join("picture.png").is_file() {
            true => format!("<img src=\"run/{number}/picture.png\" alt=\"\" width=\"240\">watch"),
            false => "watch".into(),
        };
        format!("<a href=\"run/{number}/\">{seen}</a>")
    }

    /// Simulates the run for its viewers, until the program ends.
    fn play(&self, interrupted: Arc<AtomicBool>) -> Result<Arc<Clients>, Failure> {
        let (manifest, file) = recorded_run::read(&self.path, &[])?;
        if manifest.status == RunStatus::Running {
            let (subject, cause) = (self.name.clone(), "the run has not ended".into());
            return Err(Failure::Run { subject, cause });
        }
        let built = world(&file)?;
        let shown = displayed_run(&file, &built, manifest.simulated_s);
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

fn html(body: String) -> WebPage {
    let text = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>bekker: runs</title>\
         <link rel=\"stylesheet\" href=\"view.css\"></head><body><div class=\"runs\">{body}</div></body></html>"
    );
    WebPage { content_type: "text/html; charset=utf-8".into(), bytes: text.into_bytes() }
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
