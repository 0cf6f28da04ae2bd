//! `bekker preview`

use super::planned_routes::{PlannedRoutes, line, with_drawn_ground};
use super::{Failure, destination, stdout};
use crate::map::route::{Finding, PlannedRoute, RouteStation};
use crate::report::check_writable;
use crate::report::preview::{self, LabeledShape, ParkedVehicle, Preview as Picture, Warning};
use crate::report::scene::{Caption, Highlight};
use crate::scenario::ScenarioFile;
use crate::scenario::build::{BuiltWorld, world};
use crate::scenario::config::{DriverConfig, StampConfig};
use crate::simulation::GroundVehicle;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Draw a scenario before it runs, and warn about likely problems
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bekker preview examples/convoy_mud.toml\n  \
    bekker preview examples/convoy_mud.toml --set vehicle[0].driver.speed=3 --out before.png\n  \
    bekker preview examples/sensors_snow.toml --json\n\n\
    The picture shows soils, contours, paths, vehicles, scenery, and elevation and grade along\n\
    every path. Warnings go to standard error and do not change the exit code. They cover walls,\n\
    side slopes, bends tighter than the turning circle, and paths through trees or off the terrain.\n\
    They also cover grades and soils that the theory of Bekker, Janosi and Hanamoto finds\n\
    impassable. Warnings are estimates on undisturbed ground; only the run decides. A scenario that\n\
    `bekker run` rejects, such as with vehicles that overlap at the start, fails with the same\n\
    error.")]
pub struct Preview {
    /// Scenario file (.toml)
    file: PathBuf,
    /// Override a value of the scenario; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Picture to write (default: preview.png, or preview-2.png and so on if it exists)
    #[arg(long, value_name = "FILE.png", value_parser = destination::png)]
    out: Option<PathBuf>,
    /// Print JSON: paths with their stations, soils, vehicles, warnings
    #[arg(long)]
    json: bool,
}

impl Preview {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let out = self.out.clone().unwrap_or_else(|| destination::numbered("preview.png"));
        check_writable(&out)?;
        let file = ScenarioFile::read(&self.file, &self.sets)?;
        let built = world(&file)?;
        for warning in &built.warnings {
            eprintln!("warning: {warning}");
        }
        let planned = PlannedRoutes::new(&file, &built);
        draw(&out, &self.file, &file, &built, &planned)?;
        for finding in &planned.routes.findings {
            eprintln!("warning: {finding}");
        }
        if self.json {
            stdout::print_json(&as_json(&out, &file, &built, &planned))?;
        } else if !quiet {
            let duration = file.scenario.time.duration;
            stdout::print(&text(&out, duration, &built, &planned))?;
        }
        Ok(())
    }
}

fn draw(
    out: &Path,
    source: &Path,
    file: &ScenarioFile,
    built: &BuiltWorld,
    planned: &PlannedRoutes,
) -> Result<(), Failure> {
    let scenario = &file.scenario;
    let agents = &built.world.agents;
    let routes = &planned.routes;
    let fact = |value: String, label: &str| Highlight { value, label: label.into() };
    let longest = routes.routes.iter().map(PlannedRoute::length).fold(0.0, f64::max);
    let climb = routes.routes.iter().map(PlannedRoute::climb).fold(0.0, f64::max);
    let steepest = routes.routes.iter().map(|way| way.grades()[1]).fold(0.0, f64::max);
    let parked = agents.iter().zip(&scenario.vehicle).map(|(agent, entry)| ParkedVehicle {
        name: agent.name.clone(),
        detail: format!("{}, {}", entry.model, drives(&entry.driver)),
        corners: agent.vehicle.footprint().corners(&agent.start),
    });
    let ways = routes.routes.iter().map(|way| preview::PreviewRoute {
        title: title(built, way),
        vehicle: way.vehicles[0],
        points: line(&way.stations),
        profile: planned.profile(way, Some(&routes.traction[way.vehicles[0]])),
    });
    // soil limits are those of the first vehicle; its model is named if there are others
    let mut models = scenario.vehicle.iter().map(|entry| entry.model.as_str());
    let first = models.next().unwrap_or_default();
    let whose =
        if models.all(|model| model == first) { String::new() } else { format!("{first} ") };
    let going = built.world.ground.soils().iter().enumerate().map(|(soil, _)| {
        routes.traction.first().map_or(String::new(), |going| {
            let going = going[soil];
            if going.sinkage > 0.0 {
                format!(
                    "{whose}sinkage {:.0} cm, drawbar pull {:.0} % of weight",
                    100.0 * going.sinkage,
                    100.0 * going.drawbar().max(0.0)
                )
            } else {
                format!("firm, friction {:.2}", going.strength)
            }
        })
    });
    let warnings = routes.findings.iter().map(|finding| Warning {
        text: finding.to_string(),
        stretch: stretch(built, planned, finding),
        position: finding.stretch.map(|stretch| stretch.position),
    });
    with_drawn_ground(&built.world, planned, built, |land| {
        let picture = Picture {
            caption: Caption {
                title: scenario.name.clone(),
                subtitle: scenario.description.clone(),
                facts: vec![
                    fact(format!("{longest:.0} m"), "longest route"),
                    fact(format!("{climb:.0} m"), "climb"),
                    fact(format!("{:.0} %", 100.0 * steepest), "steepest grade"),
                    fact(routes.findings.len().to_string(), "warnings"),
                ],
                footer: format!(
                    "bekker {}, preview of {}: undisturbed ground",
                    env!("CARGO_PKG_VERSION"),
                    source.display()
                ),
            },
            land,
            going: going.collect(),
            vehicles: parked.collect(),
            ways: ways.collect(),
            stamps: scenario.terrain.stamp.iter().map(outlined).collect(),
            warnings: warnings.collect(),
        };
        preview::write(out, &picture)
    })?;
    Ok(())
}

fn drives(driver: &DriverConfig) -> String {
    match driver {
        DriverConfig::Hold { .. } => "stands".into(),
        DriverConfig::Table { .. } => "command table".into(),
        DriverConfig::Outside { .. } => "external controller".into(),
        DriverConfig::Path { speed, .. } => format!("route at {speed} m/s"),
        DriverConfig::Follow { leader, .. } => format!("follows {leader}"),
        DriverConfig::Autonomous { goal: Some([x, y]), speed, .. } => {
            format!("autonomous to ({x}, {y}) at {speed} m/s")
        }
        DriverConfig::Autonomous { goal: None, speed, .. } => {
            format!("autonomous to assigned goals at {speed} m/s")
        }
    }
}

/// Returns the title of a route: its vehicles.
fn title(built: &BuiltWorld, way: &PlannedRoute) -> String {
    let name = |index: &usize| built.world.agents[*index].name.as_str();
    let head = name(&way.vehicles[0]);
    let rest: Vec<&str> = way.vehicles[1..].iter().map(name).collect();
    match &rest[..] {
        [] => format!("route of {head}"),
        others if others.len() <= 4 => {
            format!("route of {head}, followed by {}", others.join(", "))
        }
        others => format!("route of {head}, followed by {} vehicles", others.len()),
    }
}

/// Returns the points of the part of a route to which a finding refers, m.
fn stretch(built: &BuiltWorld, planned: &PlannedRoutes, finding: &Finding) -> Vec<[f64; 2]> {
    let Some(stretch) = finding.stretch else { return Vec::new() };
    let own = |way: &&PlannedRoute| {
        way.vehicles.iter().any(|index| built.world.agents[*index].name == finding.vehicle)
    };
    let Some(way) = planned.routes.routes.iter().find(own) else { return Vec::new() };
    let within = |station: &&RouteStation| {
        stretch.from <= station.distance && station.distance <= stretch.to
    };
    way.stations.iter().filter(within).map(|station| station.position).collect()
}

/// Returns the outline of a stamp with its depth or height.
fn outlined(stamp: &StampConfig) -> LabeledShape {
    let disc = |[x, y]: [f64; 2], radius: f64| -> Vec<[f64; 2]> {
        let turn = |k: u32| f64::from(k) * std::f64::consts::TAU / 48.0;
        (0..48).map(|k| [x + radius * turn(k).cos(), y + radius * turn(k).sin()]).collect()
    };
    match *stamp {
        StampConfig::Hole { at, radius, depth, .. } => {
            LabeledShape { outline: disc(at, radius), label: format!("hole, {depth} m") }
        }
        StampConfig::Bump { at, radius, height, .. } => {
            LabeledShape { outline: disc(at, radius), label: format!("bump, {height} m") }
        }
        StampConfig::Ditch { from, to, width, depth: rise, .. }
        | StampConfig::Ridge { from, to, width, height: rise, .. } => {
            let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
            let length = dx.hypot(dy).max(1e-9);
            let half = 0.5 * width;
            let end = |at: [f64; 2], way: f64| {
                let angle = (way * dy).atan2(way * dx);
                (0..=12).map(move |k| {
                    let turn = angle + (f64::from(k) / 12.0 - 0.5) * std::f64::consts::PI;
                    [at[0] + half * turn.cos(), at[1] + half * turn.sin()]
                })
            };
            let label = match stamp {
                StampConfig::Ridge { .. } => format!("ridge, {rise} m high, {length:.0} m long"),
                _ => format!("ditch, {rise} m deep, {length:.0} m long"),
            };
            LabeledShape { outline: end(from, -1.0).chain(end(to, 1.0)).collect(), label }
        }
    }
}

fn text(out: &Path, duration: f64, built: &BuiltWorld, planned: &PlannedRoutes) -> String {
    let soils = built.world.ground.soils();
    let mut lines = Vec::new();
    for way in &planned.routes.routes {
        let [down, up] = way.grades();
        lines.push(format!(
            "{}: {:.0} m, climbs {:.1} m, steepest {:.0} % up, {:.0} % down",
            title(built, way),
            way.length(),
            way.climb(),
            100.0 * up,
            100.0 * down.abs()
        ));
        if way.time > duration {
            let time = way.time;
            lines.push(format!(
                "  takes {time:.0} s at the driver's speed, but the run ends at {duration} s"
            ));
        }
        let going = &planned.routes.traction[way.vehicles[0]];
        for (index, soil) in soils.iter().enumerate() {
            let on = way.stations.iter().filter(|s| usize::from(s.soil.0) == index).count();
            if on == 0 {
                continue;
            }
            let share = on as f64 / way.stations.len() as f64;
            lines.push(format!(
                "  {}: {:.0} m, sinkage about {:.0} cm, drawbar pull {:.0} % of weight",
                soil.name,
                share * way.length(),
                100.0 * going[index].sinkage,
                100.0 * going[index].drawbar()
            ));
        }
    }
    let is_too_long = planned.routes.routes.iter().any(|way| way.time > duration);
    let count = match planned.routes.findings.len() {
        0 if is_too_long => "no other warnings".into(),
        0 => "no warnings".into(),
        1 => "1 warning".into(),
        several => format!("{several} warnings"),
    };
    lines.push(format!("{count}; drawn in {}", out.display()));
    lines.join("\n")
}

fn as_json(
    out: &Path,
    file: &ScenarioFile,
    built: &BuiltWorld,
    planned: &PlannedRoutes,
) -> serde_json::Value {
    let agents = &built.world.agents;
    let routes = &planned.routes;
    let soils = built.world.ground.soils();
    let ways = routes.routes.iter().map(|way| {
        let [steepest_down, steepest_up] = way.grades();
        let stations = way.stations.iter().map(|station| {
            json!({
                "distance": station.distance,
                "position": station.position,
                "height": station.height,
                "grade": station.grade,
                "side_slope": station.side_slope,
                "curvature": station.curvature,
                "soil": soils[usize::from(station.soil.0)].name,
                "inside": station.inside,
                "unmapped": station.unmapped,
            })
        });
        json!({
            "vehicles": way.vehicles.iter().map(|v| &agents[*v].name).collect::<Vec<_>>(),
            "length": way.length(),
            "climb": way.climb(),
            "time": way.time,
            "steepest_up": steepest_up,
            "steepest_down": steepest_down,
            "stations": stations.collect::<Vec<_>>(),
        })
    });
    let vehicles = agents.iter().enumerate().map(|(index, agent)| {
        let going = soils.iter().zip(&routes.traction[index]).map(|(soil, going)| {
            json!({
                "soil": soil.name,
                "sinkage": going.sinkage,
                "drawbar_over_weight": going.drawbar(),
                "strength_over_weight": going.strength,
                "resistance_over_weight": going.resistance,
            })
        });
        let place = agent.start.position;
        let in_file = built.placement.as_ref().map(|p| p.to_file([place.x, place.y]));
        json!({
            "name": agent.name,
            "model": agent.vehicle.name(),
            "position": [place.x, place.y, place.z],
            "position_in_dem": in_file,
            "heading": agent.start.yaw(),
            "corners": agent.vehicle.footprint().corners(&agent.start),
            "going": going.collect::<Vec<_>>(),
        })
    });
    let warnings = routes.findings.iter().map(|finding| {
        let mut value = serde_json::to_value(finding).unwrap_or_default();
        value["message"] = finding.to_string().into();
        value
    });
    json!({
        "scenario": file.scenario.name,
        "picture": out,
        "ways": ways.collect::<Vec<_>>(),
        "vehicles": vehicles.collect::<Vec<_>>(),
        "warnings": warnings.collect::<Vec<_>>(),
    })
}
