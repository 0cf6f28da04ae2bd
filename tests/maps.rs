//! `bekker map`: a hill is climbed up to the slope where the vehicle fails, by table and in full
//! physics; the same bytes on any threads; wrong values are refused by name.

use assert_cmd::cargo::cargo_bin;
use bekker::map::{
    Cells, CrossingDriver, DriveThreads, EvaluationParams, GroundCover, MapFile, MapGround,
    MapRoute, Reason, RouteAim, RouteScenario, SpeedTable, closures, evaluate, quadrics,
};
use bekker::soil::SoilId;
use serde_json::Value as Json;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::AtomicBool;

/// A rigid HMMWV over short cells and coarse nodes, in the longest steps that a map takes.
///
/// The checked properties do not depend on the step. The default, `step = 0.002`, takes five times
/// the time and is driven weekly (see [`crate::is_weekly`]).
pub const QUICK: &str = r#"
format = 1
vehicle = { model = "hmmwv", tire = "rigid" }
soil = { default = "dry_sand_lll" }
ground = { spacing = 0.1 }
cell = 10
speed = 6
step = 0.01
"#;

/// A round hill: its slope grows with the distance from its top, by 0.001 a meter.
pub fn hill() -> String {
    let (count, cell) = (81, 10.0);
    let mut text = format!(
        "ncols {count}\nnrows {count}\nxllcenter -400\nyllcenter -400\ncellsize {cell}\n\
         nodata_value -9999\n"
    );
    for row in 0..count {
        let y = 400.0 - cell * row as f64;
        let heights = (0..count).map(|column| {
            let x = cell * column as f64 - 400.0;
            format!("{}", 500.0 - 0.0005 * (x * x + y * y))
        });
        text += &heights.collect::<Vec<_>>().join(" ");
        text.push('\n');
    }
    text
}

/// Without uncertainty the slope alone decides: all cells inside the circle of the steepest
/// passable slope are GO, and none outside.
#[test]
fn a_hill_is_climbed_to_the_circle_of_the_slope_where_the_vehicle_fails() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("hill.asc"), hill()).unwrap();
    let text = format!(
        "{QUICK}terrain = {{ surface = {{ kind = 'dem', file = 'hill.asc', origin = [0, 0] }} }}\n\
         strength = {{ sigma_ln = 0 }}\ndirections = 32\n\
         table = {{ side_slopes = 3, steepest = 0.4 }}\n"
    );
    let map =
        MapFile::parse("hill.toml", &text, folder.path(), &[]).unwrap_or_else(|e| panic!("{e}"));
    let driver = CrossingDriver::new(&map);
    let interrupted = AtomicBool::new(false);
    let threads = DriveThreads { count: 2, interrupted: &interrupted };
    let cover = GroundCover::bare(SoilId(0));
    let known = [driver.cover_data(&cover, f64::INFINITY)];
    let axes = driver.axes(&known[0], [0.0; 2]);
    let columns = threads
        .run_all(axes.columns(), |n| driver.column(&cover, f64::INFINITY, &axes, n))
        .unwrap();
    let steepest = columns[0].bounds[1];
    assert!((0.1..0.35).contains(&steepest), "{steepest}");
    let cells = Cells::from_bounds(map.area, map.config.cell);
    let shapes = quadrics(&map.land.terrain, &cells);
    let tables = [SpeedTable::new(&axes, &columns)];
    let ground = MapGround {
        cells,
        shapes: &shapes,
        covers: &vec![0; cells.count()],
        shifts: &vec![0.0; cells.count()],
        cover_data: &known,
        closures: &vec![None; cells.count()],
        tables: &tables,
    };
    let params = EvaluationParams {
        seed: 0,
        draws: 100,
        directions: 32,
        speed: 6.0,
        cell_entry_speed: None,
        strength_varies: false,
        slope_deviation: 0.0,
    };
    let found = evaluate(&ground, &params, |_| ());
    let (mut inside, mut outside) = (0, 0);
    for (cell, figures) in found.iter().enumerate() {
        let [x, y] = cells.center(cell);
        let slope = 0.001 * x.hypot(y);
        assert!(figures.p_go == 0.0 || figures.p_go == 1.0);
        // one of 32 directions is within 6 degrees of straight up: the slope along it is
        // less by half a percent, and that across lowers the bound by a few
        if slope < 0.93 * steepest {
            inside += 1;
            assert_eq!(figures.p_go, 1.0, "{x} {y}: {slope} of {steepest}");
        } else if slope > 1.02 * steepest {
            outside += 1;
            assert_eq!(figures.p_go, 0.0, "{x} {y}: {slope} of {steepest}");
            assert_eq!(figures.reason, Reason::Slope);
        }
    }
    assert!(inside > 100 && outside > 100, "{inside} {outside}");
    // on the hill itself, straight up: its slope falls by 0.01 over a cell
    for (slope, is_passable) in [(0.7 * steepest, true), (1.2 * steepest, false)] {
        let center = [-1000.0 * slope, 0.0];
        let crossing = driver.on_ground(&cover, f64::INFINITY, 1.0, center, [1.0, 0.0]);
        assert_eq!(crossing.is_passable(), is_passable, "{slope} of {steepest}: {crossing:?}");
        let table = tables[0].speed(1.0, [slope, 0.0]);
        assert!((-0.3..0.5).contains(&(table - crossing.speed)), "{table}, {}", crossing.speed);
    }
}

fn bekker(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(cargo_bin("bekker"));
    command.current_dir(folder).arg("map").args(words).arg("--quiet");
    if crate::is_weekly() && words[0] == "run" {
        command.args(["--set", "step=0.002"]);
    }
    command.output().unwrap()
}

fn done(folder: &Path, words: &[&str]) -> Output {
    let output = bekker(folder, words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Returns the share of the area that is GO in every direction with at least this probability.
fn go_share(summary: &Json, p_go: f64) -> f64 {
    let mut all = summary["go_every_direction"].as_array().unwrap().iter();
    all.find(|own| own["p_go"] == p_go).unwrap()["share"].as_f64().unwrap()
}

fn json(folder: &Path, words: &[&str]) -> Json {
    serde_json::from_slice(&done(folder, &[words, &["--json"]].concat()).stdout).unwrap()
}

/// Two strengths and side slopes of gentle ground in the valley of Jacksboro.
fn valley() -> String {
    let dem = Path::new(env!("CARGO_MANIFEST_DIR")).join("terrains/jacksboro_fault.tif");
    format!(
        "{QUICK}area = [-200, -150, 200, 150]\n\
         table = {{ strengths = 2, side_slopes = 2, steepest = 0.2 }}\n\
         elevation_error = {{ sigma = 1 }}\n\
         [terrain]\nsurface = {{ kind = 'dem', file = '{}', origin = [-84.1901, 36.6206], \
         crop = [-600, -600, 600, 600] }}\n\
         [[barrier]]\nkind = 'water'\n\
         area = {{ kind = 'rectangle', min = [-20, -150], max = [20, 0] }}\n",
        dem.display()
    )
}

#[test]
fn any_threads_give_the_same_bytes_and_a_second_run_drives_nothing() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("valley.toml"), valley()).unwrap();
    let summary = json(folder, &["run", "valley.toml", "--out", "a", "--threads", "1"]);
    assert_eq!(summary["cells"], 1200);
    assert_eq!(summary["failed_crossings"], 0);
    done(folder, &["run", "valley.toml", "--out", "b", "--threads", "2"]);
    let manifest = |name: &str| fs::read(folder.join(name).join("manifest.json")).unwrap();
    assert_eq!(manifest("a"), manifest("b"));
    assert!(manifest("a").len() > 2000);
    let columns = || {
        let entries = fs::read_dir(folder.join("a/table")).unwrap().map(|entry| entry.unwrap());
        let mut all: Vec<_> = entries
            .map(|own| (own.file_name(), own.metadata().unwrap().modified().unwrap()))
            .collect();
        all.sort();
        all
    };
    let before = columns();
    // two strengths on two side slopes, and the speed on firm ground
    assert_eq!(before.len(), 5);
    done(folder, &["run", "valley.toml", "--out", "a", "--set", "draws=20"]);
    assert_eq!(columns(), before);

    // the speed through a cell from 1 m/s is a further band, from the same tables
    assert!(!folder.join("b/v_through.tif").exists());
    let entered = ["run", "valley.toml", "--out", "b", "--set", "cell_entry_speed=1"];
    let through = json(folder, &entered);
    let [slower, steady] = ["v_through", "v_p50"].map(|key| through[key].as_f64().unwrap());
    assert!(slower > 1.0 && slower < 0.95 * steady, "{slower} {steady}");
    assert_eq!((steady, &summary["v_through"]), (summary["v_p50"].as_f64().unwrap(), &Json::Null));
    assert!(folder.join("b/v_through.tif").is_file());
    let refused = bekker(folder, &[&entered[..], &["--physics"]].concat());
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("cell_entry_speed = 1: must be absent with --physics"), "{said}");

    let audit = json(folder, &["audit", "a", "--cells", "4"]);
    assert_eq!(audit["cells"], 4);
    // the same cells, directions and strengths with other steps
    let finer = json(folder, &["audit", "a", "--cells", "4", "--step", "0.0025"]);
    assert_eq!(finer["cells"], 4);
    assert_ne!(finer["speed_error"], audit["speed_error"]);
    let odd = bekker(folder, &["audit", "a", "--step", "0.003"]);
    let said = String::from_utf8_lossy(&odd.stderr).into_owned();
    assert_eq!(odd.status.code(), Some(2), "{said}");
    assert!(
        said.contains("an integer fraction of the 0.01 s") && said.contains("0.0025"),
        "{said}"
    );
    assert!(folder.join("a/audit.csv").is_file());
    let route = json(folder, &["route", "a", "--from", "-150,-100", "--to", "150,-100"]);
    // around the water, whose rows are barred up to y = 0
    assert!(route["ways"][0]["length"].as_f64().unwrap() > 350.0, "{route}");
    for ending in ["csv", "gpx", "geojson", "toml"] {
        assert!(folder.join(format!("a/route_fastest.{ending}")).is_file(), "{ending}");
    }
    let mut command = Command::new(cargo_bin("bekker"));
    let way = command.current_dir(folder).args(["validate", "a/route_fastest.toml"]).output();
    assert!(way.unwrap().status.success());
}

/// A flank of the hill in `columns` by two cells, the first where the vehicle climbs, the twentieth where it no longer
/// does.
fn flank(folder: &Path, columns: u32) {
    fs::write(folder.join("hill.asc"), hill()).unwrap();
    let text = format!(
        "{QUICK}area = [210, -10, {}, 10]\ndirections = 4\nstrength = {{ sigma_ln = 0 }}\n\
         table = {{ side_slopes = 3, steepest = 0.4 }}\n\
         terrain = {{ surface = {{ kind = 'dem', file = 'hill.asc', origin = [0, 0] }} }}\n",
        210 + 10 * columns
    );
    fs::write(folder.join("flank.toml"), text).unwrap();
}

#[test]
fn a_table_agrees_with_all_cells_driven() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    flank(folder, 10);
    let driven = json(folder, &["run", "flank.toml", "--physics", "--out", "whole"]);
    assert_eq!((&driven["cells"], &driven["crossings"]), (&20.into(), &80.into()));
    let share = |summary: &Json| go_share(summary, 0.5);
    assert!((0.1..0.9).contains(&share(&driven)), "{driven}");
    let audit = json(folder, &["audit", "whole", "--physics"]);
    assert_eq!(audit["cells"], 80);
    // the slope grows by 0.01 from cell to cell: up the hill, the two columns about the bound, each
    // of two cells, may be misclassified
    assert!(audit["agreement"].as_f64().unwrap() >= 1.0 - 4.0 / 80.0, "{audit}");
    // 0.22 m/s; 0.5 where passes begin in the cell, in the gear of their speed
    assert!(audit["speed_error"].as_f64().unwrap() < 0.3, "{audit}");
    json(folder, &["route", "whole", "--from", "215,0", "--to", "225,5"]);
}

#[test]
fn parts_of_driven_cells_merge_into_the_whole() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    flank(folder, 2);
    let driven = json(folder, &["run", "flank.toml", "--physics", "--out", "whole"]);
    assert_eq!(driven["cells"], 4);
    for part in ["2/3", "3/3", "1/3"] {
        let out = part.replace('/', "_");
        let run = ["run", "flank.toml", "--physics", "--shard", part, "--out", &out];
        let told = json(folder, &run);
        assert_eq!(told["cells"], told["driven"]);
        assert_eq!(json(folder, &run)["driven"], 0);
        assert!(!folder.join(&out).join("p_go.tif").exists());
    }
    let manifest = |out: &str| fs::read(folder.join(out).join("manifest.json")).unwrap();
    let refused = bekker(folder, &["merge", "2_3", "3_3", "--out", "two"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("2 of 4 cells have no drives yet; the first is cell 0"), "{said}");
    assert!(!folder.join("two").exists());
    done(folder, &["merge", "3_3", "1_3", "2_3", "--out", "merged"]);
    let again = ["run", "flank.toml", "--physics", "--out", "whole"];
    done(folder, &again);
    assert!(manifest("merged") == manifest("whole"));
    // a table in addition to driven cells removes their file; the source of the map is recorded
    done(folder, &["run", "flank.toml", "--out", "whole"]);
    assert!(folder.join("whole/table.csv").is_file());
    assert!(!folder.join("whole/crossings.csv").exists());
}

/// The position of the local origin does not affect the map, nor does a center of the area off the
/// elevation model: the part of the area with elevation data is mapped.
#[test]
fn an_origin_and_a_middle_off_the_ground_are_mapped() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("hill.asc"), hill()).unwrap();
    let of = |given: &str| {
        let text = format!(
            "{QUICK}{given}\nterrain = {{ surface = {{ kind = 'dem', file = 'hill.asc', \
             origin = [-500, 0], epsg = 32616 }} }}\n"
        );
        MapFile::parse("hill.toml", &text, folder, &[])
    };
    assert_eq!(of("").unwrap().area, [115.0, -385.0, 885.0, 385.0]);
    assert_eq!(of("area = [-500, -20, 200, 20]").unwrap().area, [115.0, -20.0, 195.0, 20.0]);
    let cut = of("area = [-500, -20, 200, 20]").unwrap().warnings(&[]);
    assert!(matches!(&cut[..], [told] if told.contains("mapped area is [115.0, -20.0")), "{cut:?}");
    assert!(of("area = [150, -20, 200, 20]").unwrap().warnings(&[]).is_empty());
    let none = of("area = [-90, -20, 0, 20]").unwrap_err().to_string();
    assert!(none.contains("area = [-90, -20, 0, 20]: contains no cell of 10 m"), "{none}");
}

/// Warnings of an elevation model are printed for its map as for a run on it; the warning that its
/// grid is in meters is omitted where the map sets its EPSG code.
#[test]
fn warnings_of_the_elevation_model_are_printed() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("hill.asc"), hill()).unwrap();
    let text = format!(
        "{QUICK}strength = {{ sigma_ln = 0 }}\nterrain = {{ surface = {{ kind = 'dem', \
         file = 'hill.asc', origin = [0, 0] }} }}\n"
    );
    fs::write(folder.join("hill.toml"), text).unwrap();
    let warnings = || String::from_utf8(done(folder, &["plan", "hill.toml"]).stderr).unwrap();
    assert_eq!(warnings(), "");
    fs::write(folder.join("hill.wld"), "10\n0\n0\n-10\n-400\n400\n").unwrap();
    let expected = "hill.toml:10: terrain.surface.file = \"hill.asc\": ";
    assert!(warnings().contains(expected) && warnings().contains("world file"), "{}", warnings());
}

/// On a flank as steep as the median soil allows, half of the draws have no route. The
/// earlier result is then removed.
#[test]
fn a_missing_route_is_reported_and_removes_an_earlier_one() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("hill.asc"), hill()).unwrap();
    let text = format!(
        "{QUICK}area = [210, -10, 310, 10]\ndirections = 4\ndraws = 40\n\
         table = {{ strengths = 3, side_slopes = 2, steepest = 0.5 }}\n\
         terrain = {{ surface = {{ kind = 'dem', file = 'hill.asc', origin = [0, 0], \
         epsg = 32616 }} }}\n"
    );
    fs::write(folder.join("flank.toml"), text).unwrap();
    done(folder, &["run", "flank.toml", "--out", "flank"]);
    let ways = || {
        let entries = fs::read_dir(folder.join("flank")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut ways: Vec<String> = names.filter(|name| name.starts_with("route")).collect();
        ways.sort();
        ways
    };
    let [down, up] = [["215,5", "305,5"], ["305,5", "215,5"]]
        .map(|[from, to]| ["route", "flank", "--from", from, "--to", to]);
    assert_eq!(json(folder, &down)["not_found"], Json::Array(Vec::new()));
    assert_eq!(ways().len(), 9);
    let safest = [
        "route.png",
        "route_safest.csv",
        "route_safest.geojson",
        "route_safest.gpx",
        "route_safest.toml",
    ];
    let said = String::from_utf8(done(folder, &up).stdout).unwrap();
    assert!(said.contains("  no route_fastest route: slope blocks the route: at least "), "{said}");
    assert!(
        said.contains("m through cells with p_go below 0.5 in the direction of travel"),
        "{said}"
    );
    assert!(said.contains("  route_safest: "), "{said}");
    assert_eq!(ways(), safest);
    let told = json(folder, &up);
    assert_eq!(
        (&told["not_found"][0]["aim"], &told["ways"][0]["aim"]),
        (&"fastest".into(), &"safest".into())
    );
    let bar = &told["not_found"][0]["bars"][0];
    assert_eq!(bar["reason"], "slope");
    // at most the distance between the two points
    assert!((5.0..=90.0).contains(&bar["length_m"].as_f64().unwrap()), "{told}");
    // the earlier files are also removed where no draw has a route
    let water = "barrier=[{ kind = 'water', area = { kind = 'half_plane', through = [265, 0], \
                 towards_deg = 0 } }]";
    done(folder, &["run", "flank.toml", "--out", "flank", "--set", water]);
    done(folder, &["route", "flank", "--from", "215,5", "--to", "245,5"]);
    assert_eq!(ways().len(), 9);
    let none = bekker(folder, &down);
    assert_eq!(none.status.code(), Some(1));
    let said = String::from_utf8_lossy(&none.stderr).into_owned();
    // all cells from x = 260 on: to the middle of the last
    assert!(said.contains("water blocks the route: at least 45 m at (265, 5) m"), "{said}");
    assert_eq!(ways(), [""; 0]);
}

/// The edge of a level elevation model is not a slope: drives over its outermost cells end on
/// it, and all are GO.
#[test]
fn cells_at_the_edge_of_the_ground_are_driven_as_those_within() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let heights = "5 ".repeat(11) + "\n";
    let head = "ncols 11\nnrows 11\nxllcenter -50\nyllcenter -50\ncellsize 10\n";
    fs::write(folder.join("level.asc"), head.to_owned() + &heights.repeat(11)).unwrap();
    let text = format!(
        "{QUICK}directions = 4\nstrength = {{ sigma_ln = 0 }}\nterrain = {{ surface = {{ kind = 'dem', \
         file = 'level.asc', origin = [0, 0] }} }}\n"
    );
    fs::write(folder.join("level.toml"), text.replace("cell = 10", "cell = 20")).unwrap();
    let driven = json(folder, &["run", "level.toml", "--physics", "--out", "level"]);
    assert_eq!((&driven["cells"], go_share(&driven, 0.5)), (&4.into(), 1.0));
}

/// A river blocks every crossing, also diagonally, for any width and position within a cell.
#[test]
fn a_barrier_blocks_every_cell_that_it_crosses() {
    let barred = |area: &str| {
        let text = format!(
            "{QUICK}area = [-50, -50, 50, 50]\nbarrier = [{{ kind = 'water', area = {area} }}]\n"
        );
        let map = MapFile::parse("river.toml", &text, Path::new(""), &[]);
        let map = map.unwrap_or_else(|faults| panic!("{faults}"));
        let cells = Cells::from_bounds(map.area, map.config.cell);
        let barred = closures(&map, &cells);
        (0..cells.count()).filter(|cell| barred[*cell].is_some()).collect::<Vec<usize>>()
    };
    let column = |column: usize| (0..10).map(|row| 10 * row + column).collect::<Vec<usize>>();
    let band = |from: &str, to: &str, width: f64| {
        format!("{{ kind = 'band', from = {from}, to = {to}, width = {width} }}")
    };
    assert_eq!(barred(&band("[2, -90]", "[2, 90]", 0.1)), column(5));
    // along an edge of cells, it is in those on both sides
    let both: Vec<usize> = (0..10).flat_map(|row| [10 * row + 4, 10 * row + 5]).collect();
    assert_eq!(barred(&band("[0, -90]", "[0, 90]", 0.1)), both);
    // through corners: no step leads between two cells of it
    let diagonal = barred(&band("[-90, -90]", "[90, 90]", 0.1));
    assert!((0..10).all(|n| diagonal.contains(&(10 * (9 - n) + n))), "{diagonal:?}");
    assert!((0..9).all(|n| diagonal.contains(&(10 * (9 - n) + n + 1))), "{diagonal:?}");
    let rectangle = "{ kind = 'rectangle', min = [21, 21], max = [22, 23] }";
    assert_eq!(barred(rectangle), [27]);
    let sliver = "{ kind = 'polygon', points = [[-49, 43], [-31, 43], [-31, 43.1]] }";
    assert_eq!(barred(sliver), [0, 1]);
    let around = "{ kind = 'polygon', points = [[-90, -90], [90, -90], [90, 90], [-90, 90]] }";
    assert_eq!(barred(around).len(), 100);
    let half = "{ kind = 'half_plane', through = [41, 0], towards_deg = 0 }";
    assert_eq!(barred(half), column(9));
}

/// A river of a column of cells is open where a bridge carries the vehicle or a ford is shallow.
#[test]
fn bridges_and_fords_open_barriers_to_the_vehicles_that_they_carry() {
    let river = |crossing: &str| {
        let text = format!(
            "fording_depth = 0.7\n{QUICK}area = [-50, -50, 50, 50]\n\
             barrier = [{{ kind = 'water', area = {{ kind = 'band', from = [2, -90], to = [2, 90], \
             width = 0.1 }} }}]\ncrossing = [{crossing}]\n"
        );
        let map = MapFile::parse("river.toml", &text, Path::new(""), &[]);
        let map = map.unwrap_or_else(|faults| panic!("{faults}"));
        let cells = Cells::from_bounds(map.area, map.config.cell);
        let closed = closures(&map, &cells).iter().filter(|own| own.is_some()).count();
        (closed, map.warnings(&[]).into_iter().filter(|own| own.contains("crossing[0]")).count())
    };
    let area = "area = { kind = 'rectangle', min = [-5, 12], max = [6, 18] }";
    // the HMMWV has 2573 kg
    assert_eq!(river(""), (10, 0));
    assert_eq!(river(&format!("{{ kind = 'bridge', {area}, max_mass = 3000 }}")), (9, 0));
    assert_eq!(river(&format!("{{ kind = 'bridge', {area}, max_mass = 2000 }}")), (10, 1));
    assert_eq!(river(&format!("{{ kind = 'ford', {area}, depth = 0.6 }}")), (9, 0));
    assert_eq!(river(&format!("{{ kind = 'ford', {area}, depth = 0.8 }}")), (10, 1));
    let text = format!(
        "{QUICK}area = [-50, -50, 50, 50]\ncrossing = [{{ kind = 'ford', {area}, depth = 0.6 }}]\n"
    );
    let refused = MapFile::parse("river.toml", &text, Path::new(""), &[]).unwrap_err().to_string();
    assert!(refused.contains("fording_depth") && refused.contains("is missing"), "{refused}");
}

/// Frost that a vehicle breaks through is ignored with a warning. An HMMWV weighs 25 kN, wet
/// frost bears 0.86 MN/m² d².
#[test]
fn frost_without_bearing_capacity_is_reported() {
    let warnings = |depth: f64| {
        let text = format!(
            "{QUICK}area = [-50, -50, 50, 50]\n\
             conditions = {{ frost = {{ depth = {{ value = {depth} }}, wet = true }} }}\n"
        );
        let map = MapFile::parse("frost.toml", &text, Path::new(""), &[]).unwrap();
        map.warnings(&[map.cover([0.0, 0.0])])
    };
    assert_eq!(warnings(0.2), [""; 0]);
    let told = warnings(0.15);
    let parts = ["conditions.frost", "0.15 m", "19.4 kN", "the vehicle weighs 25."];
    assert!(told.len() == 1 && parts.iter().all(|part| told[0].contains(part)), "{told:?}");
}

/// A raster of the numbers 1 and 2: west and east of x = 0.
fn halves() -> &'static str {
    "ncols 2\nnrows 2\nxllcorner -100\nyllcorner -100\ncellsize 100\n1 2\n1 2\n"
}

/// Maps of two cells in the west and two in the east of [`halves`], of clay and snow.
struct Halves(tempfile::TempDir);

impl Halves {
    fn new() -> Halves {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("halves.asc"), halves()).unwrap();
        Halves(place)
    }

    /// Maps `conditions` up to a speed, m/s. A speed that slows the softer half suffices: above
    /// it each grade has a different speed, and all grades are driven.
    ///
    /// Two strengths span the difference of the halves; 13 of them, weekly, resolve speeds finer.
    fn map(&self, name: &str, speed: u32, conditions: &str) -> Json {
        let speed = if crate::is_weekly() { 25 } else { speed };
        let strengths = if crate::is_weekly() { 13 } else { 2 };
        let text = format!(
            "{QUICK}area = [-20, -5, 20, 5]\ndirections = 4\nstrength = {{ sigma_ln = 0 }}\n\
             table = {{ strengths = {strengths}, side_slopes = 2, steepest = 0.1 }}\n{conditions}"
        );
        let clay = "[[soil.custom]]\nname = \"clay\"\nbased_on = \"lean_clay_22_wes\"\n\
             moisture = { class = \"CL\", reference = 0.22 }\n\
             [[soil.custom]]\nname = \"snow\"\nbased_on = \"snow_us\"\n\
             snow = { depth = 0.2, density = 250 }\n";
        let text = text.replace("speed = 6", &format!("speed = {speed}"));
        let text = text.replace("soil = { default = \"dry_sand_lll\" }\n", "");
        let text = format!("{text}[soil]\ndefault = \"clay\"\n{clay}");
        fs::write(self.0.path().join("map.toml"), text).unwrap();
        json(self.0.path(), &["run", "map.toml", "--out", name])
    }

    fn read(&self, name: &str, file: &str) -> String {
        fs::read_to_string(self.0.path().join(name).join(file)).unwrap()
    }

    /// Returns the speed on level ground of each cover that is crossed, m/s.
    fn speeds(&self, name: &str) -> Vec<f64> {
        let text = self.read(name, "table.csv");
        let level = text.lines().filter(|row| row.contains(",0,0,crossed,"));
        level.map(|row| row.split(',').nth(6).unwrap().parse().unwrap()).collect()
    }
}

fn classed(key: &str, one: &str, two: &str) -> String {
    format!("[conditions.{key}]\nfile = 'halves.asc'\nclasses = {{ 1 = {one}, 2 = {two} }}\n")
}

fn everywhere(key: &str, value: &str) -> String {
    format!("[conditions.{key}]\nvalue = {value}\n")
}

/// Each half of the raster sets its cells only. The cells of a half equal those of a map with that
/// value everywhere. Wet clay is slower; one table spans both.
#[test]
fn moisture_applies_where_its_raster_specifies() {
    let place = Halves::new();
    let both = place.map("moisture", 12, &classed("moisture", "0.22", "0.3"));
    assert_eq!(both["covers"].as_array().unwrap().len(), 1);
    place.map("dry", 12, &everywhere("moisture", "0.22"));
    place.map("wet", 12, &everywhere("moisture", "0.3"));
    let median = |name: &str| {
        serde_json::from_str::<Json>(&place.read(name, "summary.json")).unwrap()["v_p50"]
            .as_f64()
            .unwrap()
    };
    assert!(median("dry") > 1.1 * median("wet"), "{} {}", median("dry"), median("wet"));
    // between the speeds of the two, half of the area is faster
    let text = place.read("moisture", "distribution.csv");
    assert!(text.lines().any(|row| row.ends_with(",0.5") || row.contains(",0.5,")), "{text}");
}

#[test]
fn roughness_applies_where_its_raster_specifies() {
    let place = Halves::new();
    let rough = place.map("rough", 4, &classed("roughness", "\"C\"", "\"G\""));
    let rides: Vec<Option<f64>> =
        rough["covers"].as_array().unwrap().iter().map(|own| own["ride_speed"].as_f64()).collect();
    assert_eq!(rough["covers"][1]["cover"], "roughness G");
    // four classes are sixteen times the height: half of the speed exceeds the ride limit
    let (smooth, bumpy) = (rides[0].unwrap_or(4.0), rides[1].unwrap());
    assert!((1.0..0.5 * smooth).contains(&bumpy), "{rides:?}");
    let given = format!("ride_speed = 1.5\n{}", everywhere("roughness", "\"C\""));
    let given = place.map("given", 4, &given);
    assert!(given["v_p90"].as_f64().unwrap() <= 1.5);
    assert_eq!(reason_share(&given, "ride"), 1.0);
}

#[test]
fn frost_and_snow_apply_where_their_rasters_specify() {
    let place = Halves::new();
    let snow = "[conditions.snow]\nsoil = \"snow\"\n[conditions.snow.depth]\nvalue = 0\n\
         file = 'halves.asc'\nclasses = { 1 = 0, 2 = 0.3 }\n";
    let frost = "[conditions.frost]\nwet = true\n[conditions.frost.depth]\nvalue = 0.4\n";
    let cold = place.map("cold", 12, &format!("{snow}{frost}"));
    let covers = cold["covers"].as_array().unwrap().iter();
    let covers: Vec<&str> = covers.map(|own| own["cover"].as_str().unwrap()).collect();
    assert_eq!(covers, ["frost 0.4 m", "snow 0.3 m"]);
    let [frozen, snowed] = place.speeds("cold")[..] else { panic!("{:?}", place.speeds("cold")) };
    place.map("wet", 12, &everywhere("moisture", "0.3"));
    assert!(frozen > snowed && frozen > place.speeds("wet")[0], "{frozen} {snowed}");
}

#[test]
fn stems_apply_where_their_raster_specifies() {
    let place = Halves::new();
    let stands = format!(
        "{}{}",
        classed("stems", "{ diameter = 0.05, spacing = 2 }", "{ diameter = 0.5, spacing = 2 }"),
        everywhere("ridges", "{ height = 0.1, width = 0.6, spacing = 50 }")
    );
    let stood = place.map("stands", 4, &stands);
    assert_eq!(stood["covers"][0]["cover"], "stems 0.05 m every 2 m; ridges 0.1 m every 50 m");
    // thick stems stop an HMMWV; rods do not
    assert_eq!(place.speeds("stands").len(), 1);
    assert_eq!(stood["no_go"], 0.5);
    let wide = place.map("wide", 4, &everywhere("stems", "{ diameter = 0.5, spacing = 9 }"));
    assert_eq!(wide["covers"][0]["cover"], "");
}

/// The share of ground without classes of a soil raster is reported; a raster without any
/// is refused.
#[test]
fn a_raster_of_soils_reports_its_extent() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("halves.asc"), halves()).unwrap();
    let nothing = halves().replace("1 2", "-1 -1");
    let nothing = nothing.replace("cellsize 100", "cellsize 100\nnodata_value -1");
    fs::write(folder.join("nothing.asc"), nothing).unwrap();
    let parse = |raster: &str, size: [f64; 2]| {
        let text = format!(
            "{}area = [-50, -50, 50, 50]\n\
             [terrain.surface]\nkind = 'random'\nsize = {size:?}\namplitude = 0\n\
             [soil]\ndefault = 'rigid'\nraster = {{ file = '{raster}', classes = {{ 1 = 'mud', 2 = 'rigid' }} }}\n",
            QUICK.replace("soil = { default = \"dry_sand_lll\" }\n", "")
        );
        MapFile::parse("map.toml", &text, folder, &[])
    };
    let beyond = |size| {
        let map = parse("halves.asc", size).unwrap_or_else(|faults| panic!("{faults}"));
        let told = map.warnings(&[]);
        told.into_iter().filter(|own| own.contains("of the ground")).collect::<Vec<String>>()
    };
    assert_eq!(beyond([200.0, 200.0]), [""; 0]);
    let told = beyond([400.0, 200.0]);
    assert!(told.len() == 1 && told[0].contains("the other 50 % of the ground"), "{told:?}");
    let refused = parse("nothing.asc", [200.0, 200.0]).unwrap_err().to_string();
    assert!(
        refused.contains("soil.raster.file") && refused.contains("no cell of the raster has data")
    );
}

/// Nodes too far apart for the vehicle's wheels, and steps too long for its tracks, cause warnings
/// as for a run.
#[test]
fn coarse_nodes_and_long_steps_cause_warnings() {
    let warned = |sets: &[&str]| {
        let text = format!("{QUICK}area = [-50, -50, 50, 50]\n");
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let map = MapFile::parse("map.toml", &text, Path::new(""), &sets);
        map.unwrap_or_else(|faults| panic!("{faults}")).warnings(&[])
    };
    assert_eq!(warned(&["ground.spacing=0.1", "step=0.01"]), [""; 0]);
    let beside =
        "barrier=[{ kind = 'water', area = { kind = 'rectangle', min = [60, 0], max = [70, 9] } }]";
    let told = warned(&[beside]);
    assert!(
        told.len() == 1 && told[0].contains("barrier[0].area: is outside the mapped"),
        "{told:?}"
    );
    let told = warned(&["ground.spacing=0.2"]);
    assert!(told.len() == 1 && told[0].contains("is coarse for hmmwv"), "{told:?}");
    let shoes = "vehicle={ model = 'm113', overrides = { model = 'segmented' } }";
    assert_eq!(warned(&[shoes, "step=0.002"]), [""; 0]);
    let told = warned(&[shoes, "step=0.005"]);
    assert!(told.len() == 1 && told[0].contains("step = 0.005: is long for m113"), "{told:?}");
}

/// The share of cells without a condition's value is reported, unless the condition has a default
/// value.
#[test]
fn conditions_that_exclude_cells_are_reported() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("halves.asc"), halves()).unwrap();
    let warnings = |conditions: &str| {
        let text = format!("{QUICK}area = [-200, -50, 200, 50]\nconditions = {{ {conditions} }}\n");
        let map = MapFile::parse("map.toml", &text, place.path(), &[]);
        map.unwrap_or_else(|faults| panic!("{faults}")).warnings(&[])
    };
    let told = warnings("strength = { file = 'halves.asc' }");
    let parts =
        ["map.toml:10: conditions.strength.file = \"halves.asc\"", "50.0 % of the map's cells"];
    assert!(told.len() == 1 && parts.iter().all(|part| told[0].contains(part)), "{told:?}");
    assert_eq!(warnings("strength = { file = 'halves.asc', value = 1 }"), [""; 0]);
    let stems = "{ diameter = 0.1, spacing = 2 }";
    let told = warnings(&format!(
        "stems = {{ file = 'halves.asc', classes = {{ 1 = {stems}, 2 = {stems} }} }}"
    ));
    assert!(told.len() == 1 && told[0].contains("conditions.stems.file"), "{told:?}");
}

/// The vehicle gets stuck on the clay, but a condition strengthens it: a route over it is driven on
/// the stronger clay.
#[test]
fn a_route_is_driven_in_the_conditions_of_its_map() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let text = QUICK.replace("hmmwv", "mrzr4").replace(
        "default = \"dry_sand_lll\"",
        "default = \"clay\", custom = [{ name = \"clay\", based_on = \"lean_clay_32_wes\", \
         strength = 0.4 }]",
    ) + "area = [-60, -20, 60, 20]\ndirections = 4\ndraws = 20\nride_speed = 6\n\
         strength = { sigma_ln = 0.3, factors = { clay = 2 } }\n\
         table = { strengths = 3, side_slopes = 2, steepest = 0.1 }\n\
         [conditions.strength]\nvalue = 2.5\n";
    fs::write(folder.join("clay.toml"), text).unwrap();
    done(folder, &["run", "clay.toml", "--out", "clay"]);
    // the file is not needed any more: the folder has its content
    fs::remove_file(folder.join("clay.toml")).unwrap();
    let told = json(folder, &["route", "clay", "--from", "-52,3", "--to", "44,3"]);
    assert_eq!(told["left_out"].as_array().unwrap().len(), 2, "no .gpx, twice: {told}");
    let way = fs::read_to_string(folder.join("clay/route_fastest.toml")).unwrap();
    assert!(way.contains("name = \"clay at strength 5\"\nbased_on"), "{way}");
    let mut command = Command::new(cargo_bin("bekker"));
    let run = ["run", "clay/route_fastest.toml", "--out", "driven", "--quiet"];
    let output = command.current_dir(folder).args(run).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let summary = fs::read_to_string(folder.join("driven/summary.json")).unwrap();
    let summary: Json = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["vehicles"][0]["outcome"]["code"], "arrived", "{summary}");
}

/// Conditions that vary along a route are zones, stems and ridges of its scenario; keys with a
/// single value are reported.
#[test]
fn a_route_reports_conditions_missing_in_its_scenario() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("halves.asc"), halves()).unwrap();
    let half = |key: &str, one: &str, two: &str| {
        format!("[conditions.{key}]\nfile = 'halves.asc'\nclasses = {{ 1 = {one}, 2 = {two} }}\n")
    };
    let text = format!(
        "{QUICK}area = [-60, -20, 60, 20]\ndirections = 4\nride_speed = 6\n\
         strength = {{ sigma_ln = 0 }}\ntable = {{ side_slopes = 2, steepest = 0.1 }}\n{}{}{}{}",
        half("strength", "1", "2"),
        half("roughness", "\"A\"", "\"B\""),
        half("stems", "{ diameter = 0.02, spacing = 2 }", "{ diameter = 0.5, spacing = 50 }"),
        "[conditions.ridges]\nvalue = { height = 0.05, width = 0.6, spacing = 25 }\n"
    );
    let map = MapFile::parse("map.toml", &text, folder, &[]).unwrap_or_else(|e| panic!("{e}"));
    let cells = Cells::from_bounds(map.area, map.config.cell);
    let through: Vec<usize> =
        (0..12).map(|n| cells.cell_at([10.0 * f64::from(n) - 55.0, 5.0]).unwrap()).collect();
    let way = MapRoute {
        aim: RouteAim::Fastest,
        points: vec![[-55.0, 5.0], [55.0, 5.0]],
        length: 110.0,
        time: 20.0,
        least_p_go: 1.0,
        cells: 12,
        through,
    };
    let RouteScenario { scenario, omissions } = map.route_scenario("way", &way, 60.0);
    assert!(
        matches!(&omissions[..], [told] if told.contains("as on 50 % of the route")),
        "{omissions:?}"
    );
    assert_eq!(scenario.soil.default, "dry_sand_lll");
    // two rows of cells next to the route's, in the stronger half
    assert_eq!(scenario.soil.zone.len(), 3 * 6);
    assert!(scenario.soil.zone.iter().all(|own| own.soil == "dry_sand_lll at strength 2"));
    assert_eq!(scenario.soil.custom.len(), 1);
    // from 6 m on, every 2 m up to the middle; of ridges one each 25 m
    let stems: Vec<&[[f64; 2]]> = scenario.scenery.iter().map(|own| &own.places[..]).collect();
    assert!(matches!(stems[..], [all] if all.len() == 25 && all[0] == [-49.0, 5.0]), "{stems:?}");
    assert_eq!(scenario.terrain.stamp.len(), 5);
    let built = bekker::scenario::ScenarioFile::from_scenario(&scenario, folder);
    assert!(built.is_ok(), "{built:?}");
}

/// Whole cells are mapped, and their bounds are reported; a route has two ends.
#[test]
fn bounds_are_those_of_whole_cells_and_a_route_has_two_ends() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let text = format!("{}area = [0, 0, 100, 50]\n", QUICK.replace("cell = 10", "cell = 30"));
    fs::write(folder.join("flat.toml"), text).unwrap();
    let plan = done(folder, &["plan", "flat.toml"]);
    let [said, warned] = [plan.stdout, plan.stderr].map(|own| String::from_utf8(own).unwrap());
    assert!(said.contains("3 x 1 cells of 30 m, x 0 to 90, y 20 to 50 m"), "{said}");
    assert!(warned.contains(
        "not a multiple of the cell size of 30 m; the mapped area is [0.0, 20.0, 90.0, 50.0]"
    ));
    let one = ["--set", "strength.sigma_ln=0", "--set", "table.side_slopes=2"];
    let run = ["run", "flat.toml", "--out", "flat", "--set", "directions=4"];
    done(folder, &[&run[..], &one].concat());
    for (to, told) in [
        ("95,30", "within the map: x 0 to 90, y 20 to 50 m"),
        ("25,45", "in another cell than --from; cells are 30 m wide"),
    ] {
        let refused = bekker(folder, &["route", "flat", "--from", "5,30", "--to", to]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(refused.status.code() == Some(2) && said.contains(told), "{said}");
    }
    let way = done(folder, &["route", "flat", "--from", "5,30", "--to", "80,30"]);
    let said = String::from_utf8(way.stdout).unwrap();
    assert!(said.contains("from (15, 35) to (75, 35) m, centers of their cells"), "{said}");
}

#[test]
fn invalid_values_are_refused_by_name() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("flat.toml"), QUICK).unwrap();
    let refused = |words: &[&str], code: i32, parts: &[&str]| {
        let output = bekker(folder, words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
    };
    let set = |key: &'static str| ["run", "flat.toml", "--out", "x", "--set", key];
    let run = ["run", "flat.toml", "--out", "x"];
    refused(&run, 3, &["flat.toml", "is unbounded", "area = "]);
    let area = "area=[0,0,100,100]";
    let with = |key: &'static str| [&set(area)[..], &["--set", key]].concat();
    refused(&with("directions=6"), 3, &["directions", "multiple of 4"]);
    refused(&with("cell_entry_speed=39"), 3, &["cell_entry_speed", "must be at most speed = "]);
    let factor = with("strength.factors.mud=0.5");
    refused(&factor, 3, &["strength.factors.mud", "not a soil", "dry_sand_lll"]);
    // by the name under which the map names its soil, which the figures do not have
    let by = |set: &str| {
        let sets = ["soil.default=mud", area, set].map(str::to_owned);
        MapFile::read(&folder.join("flat.toml"), &sets)
    };
    let map = by("strength.factors={ mud = 0.5 }").unwrap();
    assert_eq!(map.strength(&map.soils.soils()[0].name), 0.5);
    let twice = by("strength.factors={ mud = 0.5, lean_clay_32_wes = 0.5 }").unwrap_err();
    assert!(twice.to_string().contains("already has a factor"), "{twice}");
    let random = "terrain.surface={ kind = 'random', size = [200, 200], trees = { density = 50 } }";
    refused(&set(random), 3, &["terrain.surface.trees", "conditions.stems"]);
    refused(&with("vehicle.model=hmvw"), 3, &["model", "hmmwv"]);
    refused(&with("cell=400"), 3, &["area", "no cell of 400 m"]);
    refused(
        &with("step=0.003"),
        3,
        &["step = 0.003", "an integer fraction of the 0.01 s", "smaller is 0.0025"],
    );
    refused(&with("step=0.02"), 3, &["step = 0.02", "0.01"]);
    refused(&with("cells=4"), 3, &["unknown key", "cell"]);
    let entry = [&with("entry_speed=4")[..], &["--set", "speed=3"]].concat();
    refused(&entry, 3, &["entry_speed = 4: must be at most speed = 3 m/s"]);
    // the default is the speed
    assert!(by("speed=1").is_ok());
    fs::write(folder.join("halves.asc"), halves()).unwrap();
    let gaps =
        halves().replace("1 2", "-1 -1").replace("cellsize 100", "cellsize 100\nnodata_value -1");
    fs::write(folder.join("gaps.asc"), gaps).unwrap();
    for (given, parts) in [
        ("moisture={ value = 0.2 }", ["conditions.moisture", "no soil of soil.custom"]),
        ("strength={ value = 90 }", ["conditions.strength.value", "from 0.05 to 20"]),
        ("strength={ file = 'none.asc' }", ["conditions.strength.file", "none.asc"]),
        ("strength={ classes = { 1 = 2 } }", ["conditions.strength.classes", "give file"]),
        ("strength={}", ["conditions.strength.value", "give value or file"]),
        ("strength={ file = 'gaps.asc' }", ["conditions.strength.file", "has data"]),
        ("roughness={ value = 'Z' }", ["conditions.roughness.value", "\"H\""]),
        ("roughness={ file = 'halves.asc' }", ["conditions.roughness.classes", "is missing"]),
        (
            "roughness={ file = 'halves.asc', classes = { 1 = 'C' } }",
            ["conditions.roughness.file", "has class 2, which is not in classes (1)"],
        ),
        (
            "roughness={ file = 'halves.asc', classes = { a = 'C' } }",
            ["conditions.roughness.classes.a", "whole number"],
        ),
        ("frost={ depth = { value = 9 } }", ["conditions.frost.depth.value", "from 0 to 5"]),
        ("snow={ soil = 'mud', depth = { value = 1 } }", ["conditions.snow.soil", "`snow`"]),
        (
            "stems={ value = { diameter = 9, spacing = 2 } }",
            ["conditions.stems.value.diameter", "2"],
        ),
    ] {
        let given = format!("conditions.{given}");
        refused(&[&set(area)[..], &["--set", &given]].concat(), 3, &parts);
    }
    let usage = bekker(folder, &["run", "flat.toml", "--out", "x", "--shard", "1/2"]);
    assert_eq!(usage.status.code(), Some(2));
    assert!(!folder.join("x").exists());
    fs::create_dir(folder.join("other")).unwrap();
    fs::write(folder.join("other/notes.txt"), "mine").unwrap();
    let other = ["run", "flat.toml", "--out", "other", "--set", area];
    refused(&other, 3, &["not a map folder", "notes.txt"]);
    refused(&["audit", "other"], 3, &["not a map folder"]);
}

/// Between two lakes whose corners are 0.28 m apart there is no route. Around one of them there is,
/// and its scenario has walls along the adjacent shores.
#[test]
fn a_route_leads_around_water_and_its_scenario_has_walls() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let lake = |min: [f64; 2], max: [f64; 2]| {
        format!(
            "[[barrier]]\nkind = \"water\"\n\
             area = {{ kind = \"rectangle\", min = {min:?}, max = {max:?} }}\n"
        )
    };
    let text = format!(
        "{}area = [-60, -60, 60, 60]\ndirections = 8\nstrength = {{ sigma_ln = 0 }}\n\
         table = {{ strengths = 2, side_slopes = 2, steepest = 0.1 }}\n{}",
        QUICK.replace("dry_sand_lll", "rigid").replace("cell = 10", "cell = 20"),
        lake([-150.0, -19.5], [-0.1, -0.1])
    );
    let both = text.clone() + &lake([0.1, 0.1], [150.0, 19.5]);
    fs::write(folder.join("both.toml"), both).unwrap();
    done(folder, &["run", "both.toml", "--out", "both"]);
    let route = ["--from=-50,50", "--to=50,-50"];
    let refused = bekker(folder, &[&["route", "both"], &route[..]].concat());
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no route found"));

    // one that ends where a column of cells is free
    let one = text + &lake([0.1, 0.1], [39.0, 19.5]);
    fs::write(folder.join("one.toml"), one).unwrap();
    done(folder, &["run", "one.toml", "--out", "one"]);
    done(folder, &[&["route", "one"], &route[..]].concat());
    let way = fs::read_to_string(folder.join("one/route_fastest.toml")).unwrap();
    assert!(way.contains("kind = \"block\""), "{way}");
    let mut command = Command::new(cargo_bin("bekker"));
    let run = ["run", "one/route_fastest.toml", "--out", "driven", "--quiet"];
    let output = command.current_dir(folder).args(run).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let summary = fs::read_to_string(folder.join("driven/summary.json")).unwrap();
    let summary: Json = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["vehicles"][0]["outcome"]["code"], "arrived", "{summary}");
}

/// A map of firm level ground in figures, at a driver's limit.
fn of_road(folder: &Path, speed: &str, conditions: &str) -> Json {
    let text = format!(
        "{}area = [-10, -10, 10, 10]\ndirections = 4\nstrength = {{ sigma_ln = 0 }}\n\
         table = {{ strengths = 2, side_slopes = 2, steepest = 0.1 }}\n{conditions}",
        QUICK
            .replace("dry_sand_lll", "rigid")
            .replace("cell = 10", "cell = 20")
            .replace("speed = 6", speed)
    );
    fs::write(folder.join("road.toml"), text).unwrap();
    json(folder, &["run", "road.toml", "--out", "road"])
}

fn reason_share(map: &Json, reason: &str) -> f64 {
    let mut reasons = map["reasons"].as_array().unwrap().iter();
    reasons.find(|own| own["reason"] == reason).unwrap()["share"].as_f64().unwrap()
}

/// Ridges that shake with more than 2.5 g at any speed, or that no slow drive passes, are NO-GO for
/// any limit of the driver; lower ridges limit the speed of all drives.
#[test]
fn ridges_are_taken_no_faster_than_they_allow() {
    let place = tempfile::tempdir().unwrap();
    let ridges = |height: f64| {
        format!("[conditions.ridges]\nvalue = {{ height = {height}, width = 0.8, spacing = 15 }}\n")
    };
    for speed in ["speed = 4", "speed = 15"] {
        let high = of_road(place.path(), speed, &ridges(0.5));
        assert_eq!((&high["no_go"], &high["covers"][0]["ridge_speed"]), (&1.0.into(), &0.0.into()));
        assert_eq!(reason_share(&high, "obstacle"), 1.0);
    }
    let low = of_road(place.path(), "speed = 15", &ridges(0.3));
    let allowed = low["covers"][0]["ridge_speed"].as_f64().unwrap();
    let fastest = low["v_p90"].as_f64().unwrap();
    // a driver's overshoot of the speed behind a ridge
    assert!(fastest > 0.0 && fastest < 1.05 * allowed, "{fastest} of {allowed}");
}

/// On a road the vehicle reaches the limit of the driver or of its powertrain, never that of the
/// soil.
#[test]
fn limits_of_the_engine_are_not_attributed_to_the_soil() {
    let place = tempfile::tempdir().unwrap();
    let slow = of_road(place.path(), "speed = 8", "");
    assert_eq!(reason_share(&slow, "speed limit"), 1.0);
    assert!((slow["v_p50"].as_f64().unwrap() - 8.0).abs() < 0.3, "{slow}");
    let fast = of_road(place.path(), "speed = 35", "");
    assert_eq!(reason_share(&fast, "powertrain"), 1.0, "{fast}");
    // soft ground, at a limit that the road allows
    let mud = "soil = { default = 'mud' }\n";
    let text = QUICK.replace("soil = { default = \"dry_sand_lll\" }\n", mud);
    let text = text.replace("speed = 6", "speed = 12")
        + "area = [-10, -10, 10, 10]\ndirections = 4\nstrength = { sigma_ln = 0 }\n\
           table = { strengths = 2, side_slopes = 2, steepest = 0.1 }\n";
    fs::write(place.path().join("mud.toml"), text).unwrap();
    let mud = json(place.path(), &["run", "mud.toml", "--out", "mud"]);
    assert_eq!(reason_share(&mud, "soil"), 1.0, "{mud}");
}

/// An even slope of sand, in cells of a side.
fn even_slope(cell: u32) -> String {
    format!(
        "{}area = [-80, -80, 80, 80]\ndirections = 4\nstrength = {{ sigma_ln = 0 }}\n\
         table = {{ side_slopes = 2, steepest = 0.15 }}\n\
         terrain = {{ surface = {{ kind = 'slope', grade = 0.04, uphill_deg = 20 }} }}\n",
        QUICK.replace("cell = 10", &format!("cell = {cell}")).replace("speed = 6", "speed = 12")
    )
}

/// A steady speed does not depend on the length of a cell, nor on the slow initial speed of a
/// drive: a table is driven once for all cells, and driven cells give the same speeds.
#[test]
fn speeds_do_not_depend_on_the_cell() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let speeds = ["v_p10", "v_p50", "v_p90", "v_worst_direction", "v_omnidirectional"];
    let of = |summary: &Json| speeds.map(|key| summary[key].as_f64().unwrap());
    fs::write(folder.join("slope.toml"), even_slope(10)).unwrap();
    let run =
        |words: &[&str]| json(folder, &[&["run", "slope.toml", "--out", "map"], words].concat());
    let tables = || fs::read_dir(folder.join("map/table")).unwrap().count();
    let small = of(&run(&[]));
    let driven = tables();
    for cell in ["cell=20", "cell=40", "cell=80"] {
        assert_eq!(of(&run(&["--set", cell])), small, "{cell}");
    }
    assert_eq!(tables(), driven);
    for entry in ["entry_speed=0", "entry_speed=3"] {
        let other = of(&run(&["--set", entry]));
        for (one, other) in small.iter().zip(other) {
            assert!((one / other - 1.0).abs() < 0.05, "{entry}: {small:?} {other:?}");
        }
    }
    // a cell of each length: all of an even slope are the same
    let physics = [10, 20, 80].map(|cell| {
        let (side, area) = (format!("cell={cell}"), format!("area=[0, 0, {cell}, {cell}]"));
        of(&run(&["--physics", "--set", &side, "--set", &area]))
    });
    for driven in physics {
        for (n, speed) in driven.iter().enumerate() {
            assert!((speed / small[n] - 1.0).abs() < 0.06, "{small:?} {physics:?}");
            assert!((speed / physics[2][n] - 1.0).abs() < 0.03, "{small:?} {physics:?}");
        }
    }
}

/// A folder keeps the map of its file; the map of another file replaces it only with --force.
#[test]
fn the_map_of_another_file_is_not_overwritten() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let road = QUICK.replace("dry_sand_lll", "rigid")
        + "area = [0, 0, 20, 20]\ndirections = 4\nstrength = { sigma_ln = 0 }\n\
           table = { side_slopes = 2, steepest = 0.1 }\n";
    fs::write(folder.join("road.toml"), &road).unwrap();
    fs::write(folder.join("other.toml"), road.replace("speed = 6", "speed = 5")).unwrap();
    fs::write(folder.join("same.toml"), &road).unwrap();
    done(folder, &["run", "road.toml", "--out", "map"]);
    let before = fs::read(folder.join("map/summary.json")).unwrap();
    let refused = bekker(folder, &["run", "other.toml", "--out", "map"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(3), "{said}");
    for part in ["contains the map of", "road.toml", "other.toml", "--out", "--force"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(fs::read(folder.join("map/summary.json")).unwrap(), before);
    // an identical file is the same map; changed keys of the same file replace the map
    done(folder, &["run", "same.toml", "--out", "map"]);
    done(folder, &["run", "same.toml", "--out", "map", "--set", "speed=4"]);
    assert_ne!(fs::read(folder.join("map/summary.json")).unwrap(), before);
    done(folder, &["run", "other.toml", "--out", "map", "--force"]);
    // a moved file keeps its folder
    fs::create_dir(folder.join("moved")).unwrap();
    fs::rename(folder.join("other.toml"), folder.join("moved/other.toml")).unwrap();
    done(folder, &["run", "moved/other.toml", "--out", "map", "--set", "speed=3"]);
}

/// Level firm ground of 400 m in cells of 10 m without data in some, by column from the west and row from
/// the north.
fn with_gaps(missing: impl Fn(usize, usize) -> bool) -> String {
    let head =
        "ncols 41\nnrows 41\nxllcenter -200\nyllcenter -200\ncellsize 10\nnodata_value -9999\n";
    let value = |column, row| if missing(column, row) { "-9999" } else { "5" };
    let row = |row| (0..41).map(|column| value(column, row)).collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = (0..41).map(row).collect();
    format!("{head}{}\n", rows.join("\n"))
}

fn gap_map(no_data: &str) -> String {
    format!(
        "{}directions = 8\nstrength = {{ sigma_ln = 0 }}\narea = [-150, -150, 150, 150]\n\
         table = {{ side_slopes = 2, steepest = 0.1 }}\n\
         terrain = {{ surface = {{ kind = 'dem', file = 'gaps.asc', origin = [0, 0], epsg = 32616, \
         no_data = '{no_data}' }} }}\n",
        QUICK.replace("dry_sand_lll", "rigid")
    )
}

/// A wall of gaps with one opening. Its cells have no number in any band, and no route
/// crosses it except through the opening, if that is wide enough.
#[test]
fn cells_without_elevation_data_are_empty_in_every_band() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    // columns at x = 0, but for rows at y = 160 to 100 (rows from the north: 4 to 10)
    let wall = |opening: std::ops::Range<usize>| {
        with_gaps(move |column, row| column == 20 && !opening.contains(&row))
    };
    fs::write(folder.join("gaps.asc"), wall(4..11)).unwrap();
    fs::write(folder.join("map.toml"), gap_map("keep")).unwrap();
    let run = done(folder, &["run", "map.toml", "--out", "map", "--json"]);
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(told.contains("34 cells (2.0 %) have no data and are off limits"), "{told}");
    let summary: Json = serde_json::from_slice(&run.stdout).unwrap();
    let known = |name: &str| {
        let bytes = fs::read(folder.join("map").join(name)).unwrap();
        let (raster, _) = bekker::terrain::read_geotiff(&bytes).unwrap();
        (0..raster.rows)
            .flat_map(|row| (0..raster.columns).map(move |column| (row, column)))
            .map(|(row, column)| raster.value_at(column, row).is_finite())
            .collect::<Vec<bool>>()
    };
    let filled = known("p_go.tif");
    let empty = filled.iter().filter(|own| !**own).count();
    assert_eq!((filled.len(), &summary["cells_without_data"]), (900, &empty.into()));
    assert_eq!(summary["cells"], 900 - empty);
    // a vehicle and half a cell of the model reach some 8 m beyond the column of 10 m, in cells of 10 m
    assert!((4 * 25..=4 * 30).contains(&empty), "{empty}");
    for band in [
        "p_go_low",
        "p_go_high",
        "p_go_direction",
        "v_p10",
        "v_p50",
        "v_p90",
        "v_worst_direction",
        "v_omnidirectional",
        "reason",
    ] {
        assert_eq!(known(&format!("{band}.tif")), filled, "{band}");
    }
    // cells with data have the usual probability
    assert_eq!((&summary["p_go"], go_share(&summary, 0.95)), (&1.0.into(), 1.0));
    let across = ["--from=-100,-100", "--to=100,-100"];
    let way = json(folder, &[&["route", "map"], &across[..]].concat());
    assert!(way["ways"][0]["length"].as_f64().unwrap() > 400.0, "{way}");
    let audit = json(folder, &["audit", "map", "--cells", "3"]);
    assert_eq!(audit["cells"], 3);
    let inside = bekker(folder, &["route", "map", "--from=0,-100", "--to=100,-100"]);
    let said = String::from_utf8_lossy(&inside.stderr).into_owned();
    assert!(inside.status.code() == Some(2) && said.contains("elevation data"), "{said}");

    // an opening narrower than the vehicle
    fs::write(folder.join("gaps.asc"), wall(7..8)).unwrap();
    done(folder, &["run", "map.toml", "--out", "map"]);
    let none = bekker(folder, &[&["route", "map"], &across[..]].concat());
    let said = String::from_utf8_lossy(&none.stderr).into_owned();
    assert!(none.status.code() == Some(1) && said.contains("no data blocks the route"), "{said}");

    // filled, on which it would go
    fs::write(folder.join("map.toml"), gap_map("fill_nearest")).unwrap();
    let filled = json(folder, &["run", "map.toml", "--out", "map"]);
    assert_eq!((&filled["cells"], &filled["cells_without_data"]), (&900.into(), &0.into()));
    // gaps only
    fs::write(folder.join("gaps.asc"), with_gaps(|column, _| (2..39).contains(&column))).unwrap();
    fs::write(folder.join("map.toml"), gap_map("keep")).unwrap();
    let nothing = bekker(folder, &["plan", "map.toml"]);
    let said = String::from_utf8_lossy(&nothing.stderr).into_owned();
    assert!(nothing.status.code() == Some(3) && said.contains("every cell of the map"), "{said}");
}

/// The summary has the share of the area at each requested confidence, and a table has all others.
#[test]
fn a_reader_chooses_the_confidence() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("hill.asc"), hill()).unwrap();
    let text = format!(
        "{QUICK}area = [100, -50, 300, 50]\ndirections = 4\ndraws = 40\n\
         table = {{ strengths = 3, side_slopes = 2, steepest = 0.5 }}\n\
         terrain = {{ surface = {{ kind = 'dem', file = 'hill.asc', origin = [0, 0] }} }}\n"
    );
    fs::write(folder.join("flank.toml"), text).unwrap();
    let run = ["run", "flank.toml", "--out", "flank"];
    let said = String::from_utf8(done(folder, &run).stdout).unwrap();
    for part in ["GO probability in every direction 0.", "0.5 or more on", ", 0.8 on", ", 0.95 on"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let own = json(folder, &[&run[..], &["--confidence", "0.3,0.9"]].concat());
    assert_eq!(own["go_every_direction"].as_array().unwrap().len(), 2);
    assert!(go_share(&own, 0.3) >= go_share(&own, 0.9), "{own}");
    let table = fs::read_to_string(folder.join("flank/confidence.csv")).unwrap();
    let rows: Vec<[f64; 2]> = table
        .lines()
        .skip(1)
        .map(|row| {
            let (p_go, share) = row.split_once(',').unwrap();
            [p_go, share].map(|x| x.parse().unwrap())
        })
        .collect();
    assert_eq!((rows.len(), rows[0], rows[18]), (21, [0.0, 1.0], [0.9, go_share(&own, 0.9)]));
    assert!(rows.windows(2).all(|pair| pair[0][1] >= pair[1][1]), "{rows:?}");
    // the mean of a share is the integral over all of them
    let mean: f64 = rows.windows(2).map(|pair| 0.025 * (pair[0][1] + pair[1][1])).sum();
    assert!((mean - own["p_go"].as_f64().unwrap()).abs() < 0.04, "{mean} {own}");
}

/// A hill whose western half is too weak for any pass by NRMM. In the eastern half NRMM goes up to
/// the grade that equals its drawbar pull.
#[test]
fn nrmm_stands_beside_the_drives_where_a_cone_index_is_given() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("hill.asc"), hill()).unwrap();
    let rci = "ncols 2\nnrows 2\nxllcorner -400\nyllcorner -400\ncellsize 400\n60 400\n60 400\n";
    fs::write(folder.join("rci.asc"), rci).unwrap();
    let text = format!(
        "{QUICK}area = [-390, -20, 390, 20]\ndirections = 4\nstrength = {{ sigma_ln = 0 }}\n\
         table = {{ side_slopes = 2, steepest = 0.5 }}\n\
         terrain = {{ surface = {{ kind = 'dem', file = 'hill.asc', origin = [0, 0] }} }}\n\
         cone_index = {{ rci_kpa = {{ file = 'rci.asc' }} }}\n"
    );
    fs::write(folder.join("map.toml"), text).unwrap();
    let map = json(folder, &["run", "map.toml", "--out", "map"]);
    let own = &map["nrmm"];
    let share = |name: &str| own[name].as_f64().unwrap();
    let all: f64 =
        ["both_go", "neither_goes", "only_driven", "only_nrmm"].into_iter().map(share).sum();
    assert!((all - 1.0).abs() < 1e-12 && share("compared") == 1.0, "{own}");
    let vci = share("vehicle_cone_index_kpa");
    assert!((60.0..400.0).contains(&vci), "{own}");
    let spec = bekker::vehicle::find_vehicle("hmmwv").unwrap();
    let vehicle = bekker::mobility::vehicle_sheet::cone_index_vehicle(&spec).unwrap();
    let pull = bekker::rig::FineGrainedSoil::new(&vehicle).drawbar_pull(400e3);
    let text = fs::read_to_string(folder.join("map/nrmm_disagreement.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|row| row.split(',').collect()).collect();
    let disagree = share("only_driven") + share("only_nrmm");
    assert_eq!(rows.len() as f64, disagree * map["cells"].as_f64().unwrap());
    assert!(rows.len() > 100, "{}", rows.len());
    for row in rows {
        let number = |n: usize| row[n].parse::<f64>().unwrap();
        let [x, y, index, grade] = [0, 1, 3, 4].map(number);
        assert_eq!(index, if x < 0.0 { 60.0 } else { 400.0 });
        // the axes of the grid are the only directions
        assert!((grade - 0.001 * x.abs().max(y.abs())).abs() < 1e-6, "{row:?}");
        let goes = x > 0.0 && grade < pull;
        assert_eq!((number(7) == 1.0, number(9) > 0.0), (goes, goes), "{row:?}");
        assert_eq!(row[5], if goes { "NRMM only" } else { "drive only" });
    }
    for name in ["nrmm_p_go", "nrmm_speed", "nrmm_drawbar", "nrmm_resistance", "nrmm_agreement"] {
        assert!(folder.join(format!("map/{name}.tif")).exists(), "{name}");
        assert!(folder.join(format!("map/{name}.qml")).exists(), "{name}");
    }
    let report = fs::read_to_string(folder.join("map/report.md")).unwrap();
    assert!(report.contains("NRMM (VCI1"), "{report}");
}

/// A raster of classes gives the soils of the drives and, with the moisture, the cone index.
#[test]
fn classes_of_soils_have_their_soils_and_their_cone_index() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("halves.asc"), halves()).unwrap();
    let text = format!(
        "{QUICK}area = [-20, -5, 20, 5]\ndirections = 4\n\
         table = {{ strengths = 2, side_slopes = 2, steepest = 0.1 }}\n\
         [strength]\nsigma_ln = 0\n[conditions.moisture]\nvalue = 0.3\n\
         [cone_index.uscs]\nfile = 'halves.asc'\nclasses = {{ 1 = 'CH', 2 = 'CL' }}\n"
    );
    fs::write(folder.join("bare.toml"), &text).unwrap();
    let soils = "[cone_index.soils]\nCH = { soil = 'heavy_clay_25_wes', sigma_ln = 0.4 }\n\
                 CL = { soil = 'lean_clay_32_wes' }\n";
    fs::write(folder.join("map.toml"), text + soils).unwrap();
    let map = MapFile::read(&folder.join("map.toml"), &[]).unwrap_or_else(|e| panic!("{e}"));
    let layer = map.cone_index().unwrap();
    let psi = |x: f64| layer.rating_cone_index([x, 0.0]).unwrap() / bekker::rig::PSI;
    // the table of SMSP II at 30 %, printed in whole psi
    assert!((psi(-10.0) - 89.0).abs() < 0.5 && (psi(10.0) - 33.0).abs() < 0.5);
    let soil = |x: f64| map.soil_of(&map.cover([x, 0.0])).name.clone();
    assert_eq!([soil(-10.0), soil(10.0)], ["heavy_clay_25_wes", "lean_clay_32_wes"]);
    let deviation = |x: f64| map.strength_deviation(&soil(x));
    assert_eq!([deviation(-10.0), deviation(10.0)], [0.4, 0.0]);
    let refused = |sets: &[&str], parts: &[&str]| {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let error = MapFile::read(&folder.join("bare.toml"), &sets).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    };
    refused(&["cone_index.uscs.classes={ 1 = 'GW', 2 = 'CL' }"], &["cone_index.uscs", "GW", "CH"]);
    // class 2 of the raster: the fault is at the key of the file, not at the soil raster made from it
    let one =
        ["cone_index.uscs.classes={ 1 = 'CH' }", "cone_index.soils={ CH = { soil = 'mud' } }"];
    refused(&one, &["bare.toml:", "cone_index.uscs.file = \"halves.asc\"", "soil class 2"]);
    refused(&["cone_index.rci_kpa={ value = 100 }"], &["cone_index", "exactly one"]);
    refused(&["conditions={}"], &["cone_index.uscs", "conditions.moisture"]);
    let only = "cone_index.soils={ CH = { soil = 'mud' } }";
    refused(&[only], &["cone_index.soils", "CL"]);
    let unused =
        "cone_index.soils={ CH = { soil = 'mud' }, CL = { soil = 'mud' }, SM = { soil = 'mud' } }";
    refused(&[unused], &["cone_index.soils.SM", "is no class"]);
    let twice = "cone_index.soils={ CH = { soil = 'mud', sigma_ln = 0.1 }, CL = { soil = 'mud' } }";
    refused(&[twice], &["sigma_ln", "differs from that of"]);
    let raster = "soil.raster={ file = 'halves.asc', classes = { 1 = 'mud', 2 = 'mud' } }";
    let both = "cone_index.soils={ CH = { soil = 'mud' }, CL = { soil = 'mud' } }";
    refused(&[raster, both], &["cone_index.soils", "soil.raster"]);
    refused(
        &["conditions={}", "cone_index={ rci_psi = { value = 2000 } }"],
        &["cone_index.rci_psi.value", "from 0.1 to 1500"],
    );
}
