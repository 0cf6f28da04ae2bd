//! `bekker map route`

use super::mapped::{Mapped, asked_tables};
use crate::cli::interruption::interruption;
use crate::cli::{Failure, stdout};
use crate::report::going::{self, AskedOfMap, Layer, MapFolder, Maps, Scale};
use crate::report::write_file;
use crate::scenario::map_paths;
use crate::study::map::{Aim, MapWay, Threads, best_way, going as going_of};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Find the fastest and the safest way between two points of a map
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    bekker map route going --from -1500,-1500 --to 1500,1200\n  \
    bekker run going/route_fastest.toml\n\n\
    Leaves route_fastest and route_safest in the folder: .csv in the local frame, .toml to be\n\
    driven, .gpx and .geojson where the elevation model says where it lies; route.png shows both.\n\
    They take the place of those that were asked for before, also where only one is found.")]
pub struct Route {
    /// The map's folder
    folder: PathBuf,
    /// Where it begins, local frame, m
    #[arg(long, value_name = "X,Y", value_parser = point, allow_hyphen_values = true)]
    from: Point,
    /// Where it ends, local frame, m
    #[arg(long, value_name = "X,Y", value_parser = point, allow_hyphen_values = true)]
    to: Point,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug)]
struct Point([f64; 2]);

fn point(text: &str) -> Result<Point, String> {
    let wrong = || "must be X,Y in metres, such as -1500,250".to_owned();
    let (x, y) = text.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str| {
        let parsed = text.trim().parse::<f64>().ok();
        parsed.filter(|x| x.is_finite()).ok_or_else(wrong)
    };
    Ok(Point([number(x)?, number(y)?]))
}

impl Route {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let interrupted = interruption()?;
        let asked = AskedOfMap::read(&self.folder)?;
        let mapped = Mapped::of_folder(&self.folder)?;
        let folder = MapFolder::begin(&self.folder, &asked)?;
        let cell = |argument, Point(at): Point| {
            let [west, south, east, north] = mapped.map.area;
            mapped.cells.at(at).ok_or_else(|| Failure::Usage {
                argument,
                value: format!("{},{}", at[0], at[1]),
                allowed: format!("within the map: x {west} to {east}, y {south} to {north} m"),
            })
        };
        let (from, to) = (cell("--from", self.from)?, cell("--to", self.to)?);
        let known = mapped.known(&folder)?;
        let going = match asked.physics {
            Some(strengths) => {
                let drives = mapped.drives(strengths);
                let driven = mapped.driven_cells(&self.folder, &drives)?;
                let ground = mapped.ground(&known, &[]);
                drives.going(&ground, &mapped.question(), &driven.crossings)
            }
            None => {
                let count = std::thread::available_parallelism().map_or(1, usize::from);
                let threads = Threads { count, interrupted: &interrupted };
                let driven = mapped.tables(&folder, &known, &threads, quiet)?;
                let tables = asked_tables(&driven);
                going_of(&mapped.ground(&known, &tables), &mapped.question())
            }
        };
        let (mut ways, mut not_found): (Vec<MapWay>, Vec<Aim>) = Default::default();
        for aim in [Aim::Fastest, Aim::Safest] {
            match best_way(&mapped.cells, &going, from, to, aim) {
                Some(way) => ways.push(way),
                None => not_found.push(aim),
            }
        }
        folder.forget_ways()?;
        if ways.is_empty() {
            let cause = "no way leads from one point to the other through cells that go".into();
            return Err(Failure::Run { subject: self.folder.display().to_string(), cause });
        }
        for way in &ways {
            self.write(&mapped, way)?;
        }
        let p_go: Vec<f32> =
            going.iter().map(|own| own.p_go.iter().copied().fold(1.0, f32::min)).collect();
        self.picture(&mapped, &p_go, &ways)?;
        if self.json {
            let told = |aim: &Aim| json!({ "aim": aim, "cause": none(*aim) });
            let not_found: Vec<_> = not_found.iter().map(told).collect();
            return stdout::print_json(
                &json!({ "folder": self.folder, "ways": ways, "not_found": not_found }),
            );
        }
        let absent = not_found.into_iter().map(|aim| format!("  {}: {}", name(aim), none(aim)));
        let lines: Vec<String> = absent.chain(ways.iter().map(sentence)).collect();
        stdout::print(&format!("{}:\n{}", self.folder.display(), lines.join("\n")))
    }

    fn write(&self, mapped: &Mapped, way: &MapWay) -> Result<(), Failure> {
        let name = name(way.aim);
        let land = &mapped.map.land;
        let height = |[x, y]: [f64; 2]| [x, y, land.terrain.height(x, y)];
        let points: Vec<[f64; 3]> = way.points.iter().copied().map(height).collect();
        let path = |ending: &str| self.folder.join(format!("{name}.{ending}"));
        going::write_csv(&path("csv"), &points)?;
        if let Some(site) = &land.site {
            let properties = match json!({
                "name": name, "length_m": way.length, "time_s": way.time,
                "least_p_go": way.least_p_go,
            }) {
                serde_json::Value::Object(properties) => properties,
                _ => Default::default(),
            };
            going::write_gpx(&path("gpx"), name, site, &points)?;
            going::write_geojson(&path("geojson"), properties, site, &points)?;
        }
        if way.points.len() < 2 {
            return Ok(());
        }
        // half as long again, and a minute to pull away and to stop
        let duration = (1.5 * way.time + 60.0).ceil();
        let mut scenario = mapped.map.along(name, &way.points, duration);
        let base = &mapped.map.base.folder;
        map_paths(&mut scenario, |path| {
            let path = base.join(path);
            path.canonicalize().unwrap_or(path)
        });
        let text = scenario
            .to_toml()
            .map_err(|error| Failure::Run { subject: name.into(), cause: error.to_string() })?;
        Ok(write_file(&path("toml"), text.as_bytes())?)
    }

    fn picture(&self, mapped: &Mapped, p_go: &[f32], ways: &[MapWay]) -> Result<(), Failure> {
        let subtitle = ways.iter().map(sentence).collect::<Vec<_>>().join("; ");
        let lines: Vec<&[[f64; 2]]> = ways.iter().map(|way| way.points.as_slice()).collect();
        let heading = "Probability to go in the worst direction";
        let layers = [(heading, Layer::Numbers(p_go, Scale::Probability))];
        let maps = Maps {
            title: &format!("Ways of {}", mapped.vehicle),
            subtitle: subtitle.trim(),
            grid: mapped.grid(),
            terrain: &mapped.map.land.terrain,
            layers: &layers,
            ways: &lines,
            footer: &mapped.map.config.description,
        };
        Ok(going::write_picture(&self.folder.join("route.png"), &maps)?)
    }
}

fn name(aim: Aim) -> &'static str {
    match aim {
        Aim::Fastest => "route_fastest",
        Aim::Safest => "route_safest",
    }
}

/// Why there is no way.
fn none(aim: Aim) -> &'static str {
    match aim {
        Aim::Fastest => {
            "none: every way leads through a cell that does not go in half of the draws in the way's direction"
        }
        Aim::Safest => {
            "none: every way leads through a cell that never goes in the way's direction"
        }
    }
}

fn sentence(way: &MapWay) -> String {
    format!(
        "  {}: {:.0} m in {:.0} s through {} cells, the least sure of which goes in {:.0} %",
        name(way.aim),
        way.length,
        way.time,
        way.cells,
        100.0 * way.least_p_go
    )
}
