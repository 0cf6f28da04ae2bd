//! `bekker vehicles`

mod check;
mod drawing;
mod import;
mod new;

use super::{Failure, stdout};
use crate::report::text_table;
use crate::scenario::build::vehicle_spec;
use crate::vehicle::spec::{TrackSteering, TrackedSpec};
use crate::vehicle::{AnySpec, VehicleSpec, catalog, find_trailer, trailers};
use clap::{Args, Subcommand};
use std::path::Path;

/// List the vehicles, or check and show one
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker vehicles\n  bekker vehicles hmmwv --json\n  \
    bekker vehicles hmmwv+cargo_trailer\n  \
    bekker vehicles my_truck.toml\n  bekker vehicles new my_truck --from fmtv_4x4\n  \
    bekker vehicles check my_truck.toml\n  \
    bekker vehicles import data/vehicle/hmmwv/vehicle/HMMWV_Vehicle.json")]
#[command(args_conflicts_with_subcommands = true)]
pub struct Vehicles {
    #[command(subcommand)]
    action: Option<Action>,
    /// Vehicle from the catalog, or a vehicle file (.toml) (default: list all vehicles)
    model: Option<String>,
    /// Print JSON, with every default filled in
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    New(new::New),
    Check(check::Check),
    Import(import::Import),
}

impl Vehicles {
    pub fn execute(self) -> Result<(), Failure> {
        match self.action {
            Some(Action::New(new)) => return new.execute(),
            Some(Action::Check(check)) => return check.execute(),
            Some(Action::Import(import)) => return import.execute(),
            None => {}
        }
        let read = |model: &str| vehicle_spec(model, Path::new(""));
        match self.model {
            Some(model) => {
                let spec = read(&model)?;
                if self.json { stdout::print_json(&spec) } else { stdout::print(&sheet(&spec)) }
            }
            None => {
                let entries = catalog().iter().map(|entry| Ok((entry.key, read(entry.key)?)));
                let specs: Vec<(&str, AnySpec)> = entries.collect::<Result<_, Failure>>()?;
                if self.json {
                    let specs: serde_json::Map<_, _> = specs
                        .into_iter()
                        .map(|(key, spec)| (key.to_string(), serde_json::json!(spec)))
                        .collect();
                    return stdout::print_json(&specs);
                }
                stdout::print(&list(&specs))
            }
        }
    }
}

fn list(specs: &[(&str, AnySpec)]) -> String {
    let rows = specs.iter().map(|(key, spec)| {
        let mass = format!("{:.1}", spec.total_mass());
        [key.to_string(), mass, spec.description().to_owned()]
    });
    let vehicles = text_table::plain(["name", "mass kg", "vehicle"], rows, ..0);
    let rows = trailers().iter().map(|entry| {
        let what = find_trailer(entry.key).map_or_else(|e| e.to_string(), |own| own.description);
        [entry.key.to_owned(), what]
    });
    let drawn = text_table::plain(["trailer", "description"], rows, ..0);
    format!(
        "{}\n\n{}\n\n`bekker vehicles NAME` shows a vehicle with its source;\n\
         `bekker vehicles NAME+TRAILER` adds a trailer to a wheeled vehicle.",
        vehicles.trim_fmt(),
        drawn.trim_fmt()
    )
}

fn sheet(spec: &AnySpec) -> String {
    let mut entries = vec![
        ("description", spec.description().to_owned()),
        ("mass", format!("{:.3} kg", spec.total_mass())),
    ];
    match spec {
        AnySpec::Wheeled(spec) => entries.extend(on_wheels(spec)),
        AnySpec::Tracked(spec) => entries.extend(on_tracks(spec)),
    }
    entries.push(("source", spec.source().to_owned()));
    let lines: Vec<String> =
        entries.iter().map(|(name, value)| format!("  {name:<12} {value}")).collect();
    format!("{}\n{}", spec.name(), lines.join("\n"))
}

fn on_wheels(spec: &VehicleSpec) -> [(&'static str, String); 4] {
    let trailer = spec.trailer.as_ref().map_or("none", |own| own.name.as_str());
    let axles: Vec<&str> = spec.axles.iter().map(|axle| axle.name.as_str()).collect();
    [
        ("wheelbase", format!("{} m", spec.wheelbase)),
        ("axles", axles.join(", ")),
        ("trailer", trailer.to_owned()),
        match (spec.max_yaw_rate(), spec.max_steer().to_degrees()) {
            (Some(rate), _) => ("yaw rate", format!("max {rate} rad/s, by skid steering")),
            (None, angle) if spec.articulation().is_some() => {
                ("steer angle", format!("max {angle:.1} deg, of the articulated frame"))
            }
            (None, angle) => ("steer angle", format!("max {angle:.1} deg")),
        },
    ]
}

fn on_tracks(spec: &TrackedSpec) -> [(&'static str, String); 3] {
    let steering = match spec.drive.steering {
        TrackSteering::ClutchBrake { .. } => "clutch and brake",
        TrackSteering::Differential { .. } => "controlled differential",
        TrackSteering::Pivot { .. } => "pivot",
    };
    let (left, right, pitch) = (spec.left.shoes, spec.right.shoes, spec.shoe.pitch);
    [
        ("shoes", format!("{left} left, {right} right, pitch {pitch} m")),
        ("on ground", format!("{:.3} m long, {:.3} m apart", spec.contact_length(), spec.gauge())),
        ("steering", steering.into()),
    ]
}
