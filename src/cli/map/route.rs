//! `bekker map route`

use super::mapped::{Mapped, asked_tables};
use crate::cli::interruption::interruption;
use crate::cli::{Failure, stdout};
use crate::report::going::{self, AskedOfMap, Layer, MapFolder, Maps, Scale};
use crate::report::write_file;
use crate::scenario::map_paths;
use crate::study::map::{Aim, MapWay, Threads, WayScenario, best_way, going as going_of};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Find the fastest and the safest way between two points of a map
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    bekker map route going --from -1500,-1500 --to 1500,1200\n  \
    bekker run going/route_fastest.toml\n\n\
    A way begins and ends in the middles of the cells that the two points lie in. Leaves\n\
    route_fastest and route_safest in the folder: .csv in the local frame, .toml to be driven, in\n\
    the map's conditions at their medians, .gpx and .geojson where the elevation model says where\n\
    it lies; route.png shows both. They take the place of those that were asked for before, also\n\
    where only one is found.")]
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
        let [from, to] = self.ends(&mapped)?;
        let known = mapped.known(&folder)?;
        let going = match asked.physics {
            Some(strengths) => {
                let drives = mapped.drives(strengths);
                let driven = mapped.driven_cells(&self.folder, &known, &drives)?;
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
        let directions = mapped.question().directions;
        if !directions.is_multiple_of(8) {
            eprintln!(
                "of a map in {directions} directions ways go along the axes alone, up to 41 % \
                 farther than straight on; take directions = 8"
            );
        }
        folder.forget_ways()?;
        if ways.is_empty() {
            let cause = "no way leads from one point to the other through cells that go".into();
            return Err(Failure::Run { subject: self.folder.display().to_string(), cause });
        }
        let left_out = ways.iter().map(|way| self.write(&mapped, way));
        let left_out: Vec<String> = left_out.collect::<Result<Vec<_>, _>>()?.concat();
        let p_go: Vec<f32> =
            going.iter().map(|own| own.p_go.iter().copied().fold(1.0, f32::min)).collect();
        self.picture(&mapped, &p_go, &ways)?;
        if self.json {
            let told = |aim: &Aim| json!({ "aim": aim, "cause": none(*aim) });
            let not_found: Vec<_> = not_found.iter().map(told).collect();
            return stdout::print_json(&json!({
                "folder": self.folder, "ways": ways, "not_found": not_found, "left_out": left_out,
            }));
        }
        let absent = not_found.into_iter().map(|aim| format!("  {}: {}", name(aim), none(aim)));
        let left_out = left_out.into_iter().map(|told| format!("  {told}"));
        let lines: Vec<String> = absent.chain(ways.iter().map(sentence)).chain(left_out).collect();
        let [from, to] =
            [from, to].map(|cell| mapped.cells.centre(cell).map(|x| x.to_string()).join(", "));
        stdout::print(&format!(
            "{}: from ({from}) to ({to}) m, the middles of their cells\n{}",
            self.folder.display(),
            lines.join("\n")
        ))
    }

    /// The cells in which the way begins and ends.
    fn ends(&self, mapped: &Mapped) -> Result<[usize; 2], Failure> {
        let refused = |argument, Point([x, y]): Point, allowed| Failure::Usage {
            argument,
            value: format!("{x},{y}"),
            allowed,
        };
        let cell = |argument, at: Point| {
            let [west, south, east, north] = mapped.cells.bounds();
            let allowed = format!("within the map: x {west} to {east}, y {south} to {north} m");
            mapped.cells.at(at.0).ok_or_else(|| refused(argument, at, allowed))
        };
        let [from, to] = [cell("--from", self.from)?, cell("--to", self.to)?];
        if from == to {
            let side = mapped.cells.side;
            let allowed = format!("in another cell than --from: cells are {side} m wide");
            return Err(refused("--to", self.to, allowed));
        }
        Ok([from, to])
    }

    /// Writes a way; what of the map its files leave out.
    fn write(&self, mapped: &Mapped, way: &MapWay) -> Result<Vec<String>, Failure> {
        let name = name(way.aim);
        let land = &mapped.map.land;
        let height = |[x, y]: [f64; 2]| [x, y, land.terrain.height(x, y)];
        let points: Vec<[f64; 3]> = way.points.iter().copied().map(height).collect();
        let path = |ending: &str| self.folder.join(format!("{name}.{ending}"));
        let mut left_out = Vec::new();
        going::write_csv(&path("csv"), &points)?;
        match &land.site {
            Some(site) => {
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
            None => left_out.push(format!(
                "no {name}.gpx and {name}.geojson: the ground has no longitude and latitude, or in a \
                 reference system that is not known here"
            )),
        }
        // half as long again, and a minute to pull away and to stop
        let duration = (1.5 * way.time + 60.0).ceil();
        let WayScenario { mut scenario, unsaid } = mapped.map.along(name, way, duration);
        let base = &mapped.map.base.folder;
        map_paths(&mut scenario, |path| {
            let path = base.join(path);
            path.canonicalize().unwrap_or(path)
        });
        let text = scenario
            .to_toml()
            .map_err(|error| Failure::Run { subject: name.into(), cause: error.to_string() })?;
        let mut head = format!(
            "# The map's conditions along the way at their medians; {} cells, from middle to middle.\n",
            way.cells
        );
        if !unsaid.is_empty() {
            let told = unsaid.join("; ");
            head += &format!("# Not all that the map says: {told}.\n");
            left_out.push(format!("{name}.toml does not say all that the map does: {told}"));
        }
        write_file(&path("toml"), (head + &text).as_bytes())?;
        Ok(left_out)
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
