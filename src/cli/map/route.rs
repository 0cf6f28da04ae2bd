//! `bekker map route`

use super::map_cells::{MapCells, resampled_tables};
use super::plan::to_millimeters;
use crate::cli::interruption::interruption_signal;
use crate::cli::{Failure, stdout};
use crate::map::{
    CellTrafficability, DriveThreads, MapRoute, Obstruction, Reason, RouteAim, RouteScenario,
    bar_reason, best_route, evaluate_directions, obstructions,
};
use crate::report::trafficability::{
    self, ColorScale, MapFolder, MapLayer, MapRequest, MapSheet, RouteOverlay,
};
use crate::report::write_file;
use crate::scenario::map_paths;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Find the fastest and the safest route between two points of a map
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    bekker map route going --from -1500,-1500 --to 1500,1200\n  \
    bekker run going/route_fastest.toml\n\n\
    Routes start and end at the centers of the cells that contain the two points. Writes\n\
    route_fastest and route_safest to the folder. The .csv files are in the local frame; the .toml\n\
    files are scenarios in the map's median conditions. If the elevation model is georeferenced,\n\
    also writes .gpx and .geojson. route.png shows both routes. New routes replace earlier ones,\n\
    even if only one is found.")]
pub struct Route {
    /// Map folder
    folder: PathBuf,
    /// Start of the route, local frame, m
    #[arg(long, value_name = "X,Y", value_parser = point, allow_hyphen_values = true)]
    from: MapPoint,
    /// End of the route, local frame, m
    #[arg(long, value_name = "X,Y", value_parser = point, allow_hyphen_values = true)]
    to: MapPoint,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug)]
struct MapPoint([f64; 2]);

fn point(text: &str) -> Result<MapPoint, String> {
    let wrong = || "must be X,Y in meters, such as -1500,250".to_owned();
    let (x, y) = text.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str| {
        let parsed = text.trim().parse::<f64>().ok();
        parsed.filter(|x| x.is_finite()).ok_or_else(wrong)
    };
    Ok(MapPoint([number(x)?, number(y)?]))
}

impl Route {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let interrupted = interruption_signal()?;
        let asked = MapRequest::read(&self.folder)?;
        let map_cells = MapCells::read_folder(&self.folder)?;
        let folder = MapFolder::begin(&self.folder, &asked)?;
        let [from, to] = self.ends(&map_cells)?;
        let known = map_cells.known(&folder)?;
        let params = map_cells.params();
        let (going, answers) = match asked.physics {
            Some(strengths) => {
                let drives = map_cells.drives(strengths);
                let driven = map_cells.driven_cells(&self.folder, &known, &drives)?;
                let ground = map_cells.ground(&known, &[]);
                let going = drives.trafficability(&ground, &params, &driven.crossings);
                let reason = |own: &Obstruction| {
                    let (cell, crossings) = (own.cell, driven.crossings[own.cell].as_ref());
                    let levels = &driven.levels;
                    drives.bar_reason(&ground, &params, levels, cell, crossings, own.direction)
                };
                let answers = answers(&map_cells, &going, [from, to], reason);
                (going, answers)
            }
            None => {
                let count = std::thread::available_parallelism().map_or(1, usize::from);
                let threads = DriveThreads { count, interrupted: &interrupted };
                let driven = map_cells.tables(&folder, &known, &threads, quiet)?;
                let tables = resampled_tables(&driven);
                let ground = map_cells.ground(&known, &tables);
                let going = evaluate_directions(&ground, &params);
                let reason =
                    |own: &Obstruction| bar_reason(&ground, &params, own.cell, own.direction);
                let answers = answers(&map_cells, &going, [from, to], reason);
                (going, answers)
            }
        };
        let (mut ways, mut not_found): (Vec<MapRoute>, Vec<NoRoute>) = Default::default();
        for answer in answers {
            match answer {
                Ok(way) => ways.push(way),
                Err(none) => not_found.push(none),
            }
        }
        let directions = map_cells.params().directions;
        if !directions.is_multiple_of(8) {
            eprintln!(
                "warning: on a map with {directions} directions, routes follow the axes only and \
                 are up to 41 % longer than a straight line; use directions = 8"
            );
        }
        folder.remove_routes()?;
        if ways.is_empty() {
            let told: Vec<String> = not_found.iter().map(NoRoute::sentence).collect();
            let cause = format!("no route found; {}", told.join("; "));
            return Err(Failure::Run { subject: self.folder.display().to_string(), cause });
        }
        let left_out = ways.iter().map(|way| self.write(&map_cells, way));
        let left_out: Vec<String> = left_out.collect::<Result<Vec<_>, _>>()?.concat();
        let worst = |(cell, own): (usize, &CellTrafficability)| match map_cells.has_data(cell) {
            true => own.p_go.iter().copied().fold(1.0, f32::min),
            false => f32::NAN,
        };
        let p_go: Vec<f32> = going.iter().enumerate().map(worst).collect();
        self.picture(&map_cells, &p_go, &ways)?;
        if self.json {
            let not_found: Vec<_> = not_found.iter().map(NoRoute::as_json).collect();
            return stdout::print_json(&json!({
                "folder": self.folder, "ways": ways, "not_found": not_found, "left_out": left_out,
            }));
        }
        let absent = not_found.iter().map(|own| format!("  {}", own.sentence()));
        let left_out = left_out.into_iter().map(|told| format!("  {told}"));
        let lines: Vec<String> = absent.chain(ways.iter().map(sentence)).chain(left_out).collect();
        let [from, to] = [from, to]
            .map(|cell| map_cells.cells.center(cell).map(|x| format!("{x:.0}")).join(", "));
        stdout::print(&format!(
            "{}: from ({from}) to ({to}) m, centers of their cells\n{}",
            self.folder.display(),
            lines.join("\n")
        ))
    }

    /// Returns the first and the last cell of the route.
    fn ends(&self, map_cells: &MapCells) -> Result<[usize; 2], Failure> {
        let refused = |argument, MapPoint([x, y]): MapPoint, allowed| Failure::Usage {
            argument,
            value: format!("{x},{y}"),
            allowed,
        };
        let cell = |argument, at: MapPoint| {
            let [west, south, east, north] = map_cells.cells.bounds().map(to_millimeters);
            let allowed = format!("within the map: x {west} to {east}, y {south} to {north} m");
            let cell =
                map_cells.cells.cell_at(at.0).ok_or_else(|| refused(argument, at, allowed))?;
            match map_cells.has_data(cell) {
                true => Ok(cell),
                false => {
                    let allowed =
                        "in a cell with elevation data; this cell has none, or borders a gap";
                    Err(refused(argument, at, allowed.to_owned()))
                }
            }
        };
        let [from, to] = [cell("--from", self.from)?, cell("--to", self.to)?];
        if from == to {
            let side = map_cells.cells.side;
            let allowed = format!("in another cell than --from; cells are {side} m wide");
            return Err(refused("--to", self.to, allowed));
        }
        Ok([from, to])
    }

    /// Writes the files of a route. Returns properties of the map that they omit.
    fn write(&self, map_cells: &MapCells, way: &MapRoute) -> Result<Vec<String>, Failure> {
        let name = name(way.aim);
        let land = &map_cells.map.land;
        let height = |[x, y]: [f64; 2]| [x, y, land.terrain.height(x, y)];
        let points: Vec<[f64; 3]> = way.points.iter().copied().map(height).collect();
        let path = |ending: &str| self.folder.join(format!("{name}.{ending}"));
        let mut left_out = Vec::new();
        trafficability::write_csv(&path("csv"), &points)?;
        match &land.site {
            Some(site) => {
                let properties = match json!({
                    "name": name, "length_m": way.length, "time_s": way.time,
                    "least_p_go": way.least_p_go,
                }) {
                    serde_json::Value::Object(properties) => properties,
                    _ => Default::default(),
                };
                trafficability::write_gpx(&path("gpx"), name, site, &points)?;
                trafficability::write_geojson(&path("geojson"), properties, site, &points)?;
            }
            None => left_out.push(format!(
                "{name}.gpx and {name}.geojson not written: the terrain has no geographic \
                 coordinates, or its reference system is not supported"
            )),
        }
        // 50 % margin, and a minute to start and to stop
        let duration = (1.5 * way.time + 60.0).ceil();
        let RouteScenario { mut scenario, omissions } =
            map_cells.map.route_scenario(name, way, duration);
        let base = &map_cells.map.base.folder;
        map_paths(&mut scenario, |path| {
            let path = base.join(path);
            path.canonicalize().unwrap_or(path)
        });
        let text = scenario
            .to_toml()
            .map_err(|error| Failure::Run { subject: name.into(), cause: error.to_string() })?;
        let mut head = format!(
            "# Median conditions of the map along the route; {} cells, from center to center.\n",
            way.cells
        );
        if !omissions.is_empty() {
            let told = omissions.join("; ");
            head += &format!("# Not exported from the map: {told}.\n");
            left_out.push(format!("not exported to {name}.toml: {told}"));
        }
        write_file(&path("toml"), (head + &text).as_bytes())?;
        Ok(left_out)
    }

    fn picture(
        &self,
        map_cells: &MapCells,
        p_go: &[f32],
        ways: &[MapRoute],
    ) -> Result<(), Failure> {
        let label = |way: &MapRoute| sentence(way).trim().replacen("route_", "", 1);
        let labels: Vec<String> = ways.iter().map(label).collect();
        let lines: Vec<RouteOverlay<'_>> = ways
            .iter()
            .zip(&labels)
            .map(|(way, label)| RouteOverlay { label, points: &way.points })
            .collect();
        let [from, to] = [ways[0].points.first(), ways[0].points.last()]
            .map(|end| end.map_or(String::new(), |[x, y]| format!("({x:.0}, {y:.0})")));
        let subtitle = format!("from {from} to {to} m, from median speeds and GO probabilities");
        let heading = "GO probability in the worst direction";
        let layers = [(heading, MapLayer::Numbers(p_go, ColorScale::Probability))];
        let maps = MapSheet {
            title: &format!("Routes of {}", map_cells.vehicle),
            subtitle: &[&subtitle],
            grid: map_cells.grid(),
            terrain: &map_cells.map.land.terrain,
            layers: &layers,
            ways: &lines,
            footer: &map_cells.map.config.description,
        };
        Ok(trafficability::write_picture(&self.folder.join("route.png"), &maps)?)
    }
}

fn name(aim: RouteAim) -> &'static str {
    match aim {
        RouteAim::Fastest => "route_fastest",
        RouteAim::Safest => "route_safest",
    }
}

/// Returns the fastest and the safest route, or the reason why no route exists.
fn answers(
    map_cells: &MapCells,
    going: &[CellTrafficability],
    [from, to]: [usize; 2],
    reason: impl Fn(&Obstruction) -> Reason,
) -> Vec<Result<MapRoute, NoRoute>> {
    let answer = |aim: RouteAim| {
        best_route(&map_cells.cells, going, from, to, aim).ok_or_else(|| {
            let found = obstructions(&map_cells.cells, going, from, to, aim);
            NoRoute::new(map_cells, aim, &found, &reason)
        })
    };
    [RouteAim::Fastest, RouteAim::Safest].map(answer).into()
}

/// Reason why no route exists.
struct NoRoute {
    aim: RouteAim,
    /// Barriers: reason, length that cannot be crossed, m, and position, m.
    bars: Vec<(Reason, f64, [f64; 2])>,
}

impl NoRoute {
    fn new(
        map_cells: &MapCells,
        aim: RouteAim,
        found: &[Obstruction],
        reason: impl Fn(&Obstruction) -> Reason,
    ) -> NoRoute {
        let mut bars: Vec<(Reason, f64, [f64; 2])> = Vec::new();
        for own in found {
            let (reason, place) = (reason(own), map_cells.cells.center(own.cell));
            match bars.iter_mut().find(|bar| bar.0 == reason) {
                Some(bar) => bar.1 += own.length,
                None => bars.push((reason, own.length, place)),
            }
        }
        bars.sort_by(|a, b| b.1.total_cmp(&a.1));
        NoRoute { aim, bars }
    }

    /// Describes the barriers of the route.
    fn cause(&self) -> String {
        let below = match self.aim {
            RouteAim::Fastest => {
                format!("with p_go below {} in the direction of travel", self.aim.min_p_go())
            }
            RouteAim::Safest => "with p_go = 0 in the direction of travel".to_owned(),
        };
        let mut told = self.bars.iter().map(|(reason, length, [x, y])| {
            (reason.name(), format!("{length:.0} m at ({x:.0}, {y:.0}) m"))
        });
        let Some((first, place)) = told.next() else {
            return "the directions of the map allow no route".to_owned();
        };
        let rest: String = told.map(|(name, place)| format!(", {name}: {place}")).collect();
        format!("{first} blocks the route: at least {place} through cells {below}{rest}")
    }

    fn sentence(&self) -> String {
        format!("no {} route: {}", name(self.aim), self.cause())
    }

    fn as_json(&self) -> serde_json::Value {
        let bars = self.bars.iter().map(|(reason, length, place)| {
            json!({ "reason": reason.name(), "length_m": length, "first_at": place })
        });
        json!({ "aim": self.aim, "cause": self.cause(), "bars": bars.collect::<Vec<_>>() })
    }
}

fn sentence(way: &MapRoute) -> String {
    format!(
        "  {}: {:.0} m in {:.0} s through {} cells; lowest GO probability of a cell {:.0} %",
        name(way.aim),
        way.length,
        way.time,
        way.cells,
        100.0 * way.least_p_go
    )
}
