//! Inputs altered by the thousand: scenarios, vehicles, elevation models, paths, meshes and
//! checkpoints.
//!
//! They are read without a panic, in bounded memory and time; an input that is still valid builds
//! and runs for a heartbeat.
//!
//! There are 1000 cases of each kind by default; `BEKKER_MUTATIONS=100000` (`scripts/mutate.sh`)
//! runs more and `BEKKER_SEED` selects others. Each case is a function of the seed, its kind and
//! its number. It is stored in `target/tmp/mutation-KIND` while it runs, in case a crash ends the
//! test; `BEKKER_CASE=FILE` runs it again.

use bekker::random::RandomStream;
use bekker::scenario::{ScenarioFile, build};
use bekker::sensor::mesh::{Up, import};
use bekker::simulation::{World, checkpoint};
use bekker::soil::SoilId;
use bekker::terrain::{
    NoData, Origin, PngScale, Raster, RasterFile, RasterFormat, SoilMap, Surface, Terrain,
    read_raster, write_geotiff,
};
use sha2::{Digest, Sha256};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use toml::Value;

/// Allocator that counts allocations.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Maximum bytes that a case may allocate, summed over all requests; its peak is lower.
///
/// A valid scenario with its terrain takes about 100 MiB, most of them for texts of the schema.
const MOST_BYTES: usize = 768 << 20;
/// Maximum processor time of a case, in units of [`yardstick`].
///
/// The longest of a thousand cases takes 1.02: the unaltered example itself. The rest is margin for
/// a processor of varying speed.
const LONGEST: f64 = 3.0;
/// Maximum resident memory of the whole process, bytes.
const MOST_RESIDENT: u64 = 1 << 30;

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Random numbers of one case.
struct Dice {
    stream: RandomStream,
    thrown: u64,
}

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.thrown += 1;
        (self.stream.bits(self.thrown) % count.max(1) as u64) as usize
    }

    fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Results of the cases of a kind.
#[derive(Default)]
struct Found {
    valid: usize,
    faults: Vec<String>,
    most_bytes: usize,
    longest: f64,
}

/// Returns the processor time of this thread, s.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}

/// Processor time, s, of the example that takes longest to settle.
///
/// The time of a case is relative to it, since processors differ in speed.
fn yardstick() -> f64 {
    static TIME: OnceLock<f64> = OnceLock::new();
    *TIME.get_or_init(|| {
        let text = std::fs::read(repository_path("examples/convoy_snow.toml")).unwrap();
        let before = processor_time();
        assert!(drives(&text, true, &repository_path("examples")));
        processor_time() - before
    })
}

/// Returns the peak resident memory of this process, bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Every how many valid cases one is driven: settling a vehicle takes thousands of steps.
const DRIVEN: u64 = 16;
/// Maximum cases of a kind from which driven ones are taken.
const MOST_DRIVEN: u64 = 4000;

/// Creates and runs the cases of a kind.
///
/// `attempt` receives whether to drive the case and returns whether it was valid.
fn mutate(
    kind: &str,
    make: impl Fn(&mut Dice) -> Vec<u8>,
    attempt: impl Fn(&[u8], bool) -> bool + Sync,
) {
    let usual = if crate::is_weekly() { 1000 } else { 400 };
    let (count, seed) = (variable("BEKKER_MUTATIONS", usual), variable("BEKKER_SEED", 1));
    let begun = std::time::Instant::now();
    let current = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutation-{kind}"));
    if let Some(path) = std::env::var_os("BEKKER_CASE") {
        println!("{kind}: valid is {}", attempt(&std::fs::read(path).unwrap(), true));
        return;
    }
    let mut found = Found::default();
    // One thread, so that its processor time is that of the case.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let longest = LONGEST * pool.install(yardstick);
    for number in 0..count {
        let mut dice =
            Dice { stream: RandomStream::new(seed, &format!("{kind} {number}")), thrown: 0 };
        let case = make(&mut dice);
        std::fs::write(&current, &case).unwrap();
        let before = INSTRUMENTED_SYSTEM.stats().bytes_allocated;
        let driven = number.is_multiple_of(DRIVEN.max(count.div_ceil(MOST_DRIVEN)));
        let (outcome, time) = pool.install(|| {
            let before = processor_time();
            let outcome = catch_unwind(AssertUnwindSafe(|| attempt(&case, driven)));
            (outcome, processor_time() - before)
        });
        let bytes = INSTRUMENTED_SYSTEM.stats().bytes_allocated - before;
        found.most_bytes = found.most_bytes.max(bytes);
        found.longest = found.longest.max(time);
        match outcome {
            Ok(valid) => found.valid += usize::from(valid),
            Err(_) => found.faults.push(format!("{kind} {number} panics")),
        }
        if bytes > MOST_BYTES {
            found.faults.push(format!("{kind} {number} asks for {} MiB", bytes >> 20));
        }
        if time > longest {
            found.faults.push(format!("{kind} {number} takes {time:.1} s of {longest:.1}"));
        }
        if found.faults.len() > 20 {
            break;
        }
    }
    println!(
        "{kind}: {count} cases of seed {seed}, {} accepted, {} refused, {} faults; at most {} MiB \
         asked for and {:.2} s of {longest:.2}; {:.0} s in all; process at most {} MiB",
        found.valid,
        count as usize - found.valid,
        found.faults.len(),
        found.most_bytes >> 20,
        found.longest,
        begun.elapsed().as_secs_f64(),
        peak() >> 20,
    );
    assert!(found.faults.is_empty(), "{}", found.faults.join("\n"));
    assert!(found.valid > 0, "no case of {kind} is valid: nothing was built");
    assert!(peak() < MOST_RESIDENT, "{} MiB", peak() >> 20);
}

// Alterations

/// Alters bytes: flips, cuts, duplicates or overwrites them.
fn alter_bytes(dice: &mut Dice, bytes: &mut Vec<u8>) {
    for _ in 0..=dice.below(4) {
        if bytes.is_empty() {
            return;
        }
        let at = dice.below(bytes.len());
        let length = 1 + dice.below(16).min(bytes.len() - at - 1);
        match dice.below(7) {
            0 => bytes[at] ^= 1 << dice.below(8),
            1 => bytes[at] = *dice.choose(&[0, 1, 0x7f, 0x80, 0xff, b'\n', b'[', b'"', b'-']),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..at + length)),
            4 => {
                let again = bytes[at..at + length].to_vec();
                bytes.splice(at..at, again);
            }
            5 => {
                let wide = *dice.choose(&[0_u32, 1, 0xffff, 0x7fff_ffff, 0x8000_0000, u32::MAX]);
                for (byte, new) in bytes[at..].iter_mut().zip(wide.to_le_bytes()) {
                    *byte = new;
                }
            }
            _ => {
                let to = dice.below(bytes.len());
                bytes.swap(at, to);
            }
        }
    }
}

/// Alters numbers, keys, lists and types of a value tree.
fn alter_tree(dice: &mut Dice, root: &mut Value) {
    for _ in 0..=dice.below(3) {
        let count = nodes(root);
        let mut which = dice.below(count);
        if let Some(node) = node(root, &mut which) {
            alter_node(dice, node);
        }
    }
}

fn nodes(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(nodes).sum(),
        Value::Table(entries) => entries.iter().map(|(_, value)| nodes(value)).sum(),
        _ => 0,
    }
}

/// Returns the node with this index, counted from the root.
fn node<'v>(value: &'v mut Value, which: &mut usize) -> Option<&'v mut Value> {
    if *which == 0 {
        return Some(value);
    }
    *which -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| node(item, which)),
        Value::Table(entries) => entries.iter_mut().find_map(|(_, value)| node(value, which)),
        _ => None,
    }
}

const EXTREMES: [f64; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    2.0,
    60.0,
    180.0,
    1e3,
    1e5,
    1e8,
    -1e8,
    1e30,
    -1e30,
    1e300,
    -1e300,
    1e-6,
    1e-30,
    1e-300,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

fn alter_node(dice: &mut Dice, value: &mut Value) {
    let plain = || Value::Integer(7);
    *value = match (&mut *value, dice.below(10)) {
        (Value::Float(x), 0..5) => {
            let factor = *dice.choose(&[-1.0, 0.5, 0.9, 1.001, 1.1, 2.0, 10.0, 1000.0]);
            Value::Float(*x * factor)
        }
        (Value::Integer(x), 0..3) => {
            Value::Integer(x.wrapping_mul(*dice.choose(&[-1, 2, 10, 1000])))
        }
        (Value::Float(_) | Value::Integer(_), 5..8) => Value::Float(*dice.choose(&EXTREMES)),
        (Value::Float(_) | Value::Integer(_), 8) => Value::Integer(*dice.choose(&[
            0,
            1,
            -1,
            255,
            65_536,
            i64::MAX,
            i64::MIN,
            4_294_967_295,
        ])),
        (Value::String(text), 0..4) => Value::String(match dice.below(4) {
            0 => String::new(),
            1 => text.repeat(50),
            2 => text.to_uppercase(),
            _ => format!("{text}\u{0}é"),
        }),
        (Value::Array(items), 0..=8) if !items.is_empty() => {
            let mut items = std::mem::take(items);
            let at = dice.below(items.len());
            match dice.below(6) {
                0 => drop(items.remove(at)),
                1 => items.insert(at, items[at].clone()),
                2 => items.clear(),
                3 => items.reverse(),
                4 => {
                    let many = *dice.choose(&[10, 100, 2000]);
                    let again = items[at].clone();
                    items.extend(std::iter::repeat_n(again, many));
                }
                _ => items[at] = plain(),
            }
            Value::Array(items)
        }
        (Value::Table(entries), 0..9) if !entries.is_empty() => {
            let mut entries = std::mem::take(entries);
            let keys: Vec<String> = entries.keys().cloned().collect();
            let (key, other) = (dice.choose(&keys).clone(), dice.choose(&keys).clone());
            match dice.below(4) {
                0 => drop(entries.remove(&key)),
                1 => {
                    if let Some(moved) = entries.remove(&key) {
                        entries.insert(format!("{key}x"), moved);
                    }
                }
                2 => {
                    if let Some(copied) = entries.get(&key).cloned() {
                        entries.insert(other, copied);
                    }
                }
                _ => drop(entries.insert("extra".into(), plain())),
            }
            Value::Table(entries)
        }
        (Value::Boolean(flag), 0..=8) => Value::Boolean(!*flag),
        (_, 9) => dice
            .choose(&[
                Value::Boolean(true),
                Value::Array(vec![]),
                Value::Table(toml::Table::new()),
                Value::String("x".into()),
                Value::Float(0.5),
            ])
            .clone(),
        (kept, _) => kept.clone(),
    };
}

/// Returns one of the texts, altered as a tree or as bytes.
fn altered_toml(dice: &mut Dice, texts: &[String]) -> Vec<u8> {
    let text = dice.choose(texts).clone();
    if dice.below(3) > 0 {
        let mut root: Value = Value::Table(text.parse().unwrap());
        alter_tree(dice, &mut root);
        return toml::to_string(&root).unwrap_or_default().into_bytes();
    }
    let mut bytes = text.into_bytes();
    alter_bytes(dice, &mut bytes);
    bytes
}

// Kinds of input

fn repository_path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn texts(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| std::fs::read_to_string(repository_path(path)).unwrap()).collect()
}

/// Returns whether a text is a scenario; if so, it must build and, if `driven`, run for a
/// heartbeat.
fn drives(bytes: &[u8], driven: bool, folder: &Path) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Ok(file) = ScenarioFile::parse("mutant.toml", &text, folder, &[]) else { return false };
    let Ok(built) = build::world(&file) else { return false };
    // A heartbeat of a second has many steps; only the first ones matter here.
    let short = built.world.agents.len() <= 4 && built.world.clock.steps_per_heartbeat() <= 20;
    if short && driven {
        World::new(built.world).advance();
    }
    true
}

#[test]
fn scenarios() {
    let texts = [
        texts(&[
            "examples/single_vehicle.toml",
            "examples/convoy_mud.toml",
            "examples/convoy_snow.toml",
            "examples/sensors_snow.toml",
        ]),
        vec![EVERYTHING.to_string()],
    ]
    .concat();
    mutate(
        "scenarios",
        |dice| altered_toml(dice, &texts),
        |case, driven| drives(case, driven, &repository_path("examples")),
    );
}

/// Scenario that uses all features that the examples lack.
const EVERYTHING: &str = r#"format = 1
name = "everything"
seed = 7
time = { duration = 1, step = 0.002, heartbeat = 0.01, heartbeat_tolerance = 0.1 }
[ground]
spacing = 0.05
laws = "refined"
bulldozing = true
refine = { slip_sinkage = false }
[terrain]
surface = { kind = "procedural", amplitude = 2, wavelength = 80, octaves = 3 }
roughness = "D"
[[terrain.stamp]]
kind = "ditch"
from = [30.0, -10.0]
to = [30.0, 10.0]
width = 2.0
depth = 0.4
[soil]
default = "firm"
[[soil.zone]]
soil = "wet"
area = { kind = "polygon", points = [[0.0, 0.0], [5.0, 0.0], [5.0, 5.0]] }
[[soil.zone]]
soil = "mud"
area = { kind = "band", from = [0.0, 0.0], to = [9.0, 9.0], width = 2.0 }
[[soil.custom]]
name = "wet"
k_phi = 400000.0
k_c = 2000.0
n = 0.6
cohesion = 5000.0
friction_angle_deg = 20.0
shear_modulus = 0.02
density = 1800.0
below = { depth = 0.3, modulus = 5000000.0, n = 1.0 }
[site]
latitude_deg = 48.0
longitude_deg = 11.0
altitude = 500.0
[[vehicle]]
name = "lead"
model = "mrzr4"
position = [0.0, 0.0]
heading_deg = 10.0
speed = 3.0
driver = { kind = "path", waypoints = [[0.0, 0.0], [30.0, 10.0], [80.0, 0.0]], speed = 5.0, at_end = "continue" }
overrides = { chassis.mass = 1200.0 }
sensor = [
  { name = "imu", model = { kind = "imu", preset = "consumer" }, rate = 100.0, window = 0.004, lag = 0.01 },
  { name = "gps", model = { kind = "gps", outages = { interval = 10.0, duration = 2.0 } } },
  { name = "eye", model = { kind = "camera", width = 16, height = 12, rolling = 0.01, channels = ["color", "depth"] }, rate = 20.0, filters = [{ kind = "gray" }] },
  { name = "scan", model = { kind = "lidar", columns = 32, elevations_deg = [-10.0, 0.0] }, filters = [{ kind = "voxels", side = 0.2 }] },
]
[[vehicle]]
name = "second"
model = "hmmwv"
position = [-12.0, 0.0]
driver = { kind = "follow", leader = "lead", gap = 10.0, policy = "idm", time_gap = 1.5 }
[[vehicle]]
name = "third"
model = "hmmwv"
position = [-30.0, 0.0]
driver = { kind = "table", rows = [{ time = 0.0 }, { time = 1.0, throttle = 0.5 }] }
[[scenery]]
kind = "oak"
count = 5
area = [-50.0, -50.0, 50.0, 50.0]
[output]
interval = 0.05
"#;

/// Vehicles, each on firm ground in its own folder.
#[test]
fn vehicles() {
    let texts = texts(&[
        "crates/vehicle/vehicles/hmmwv.toml",
        "crates/vehicle/vehicles/mrzr4.toml",
        "crates/vehicle/vehicles/m113.toml",
        "crates/vehicle/vehicles/m113_double_pin.toml",
        "tests/data/solid_axles.toml",
    ]);
    let folder = tempfile::tempdir().unwrap();
    let scenario = "format = 1\nname = 'x'\ntime = { duration = 1 }\nsoil = { default = 'mud' }\n\
                    [[vehicle]]\nname = 'a'\nmodel = 'mutant.toml'\nposition = [0, 0]\n";
    mutate(
        "vehicles",
        |dice| altered_toml(dice, &texts),
        |case, driven| {
            std::fs::write(folder.path().join("mutant.toml"), case).unwrap();
            drives(scenario.as_bytes(), driven, folder.path())
        },
    );
}

/// Returns whether bytes are a DEM; if so, it must give a terrain of finite heights.
fn carries(bytes: &[u8]) -> bool {
    let scale = PngScale { heights: [0.0, 50.0], cell: 2.0, south_west: [0.0; 2] };
    let Ok((raster, _)) = read_raster(bytes, Some(&scale)) else { return false };
    let surface = raster
        .localized(Origin::Center)
        .and_then(|(local, _)| local.without_gaps(NoData::Nearest))
        .and_then(Surface::raster);
    let Ok(surface) = surface else { return false };
    let Ok(terrain) = Terrain::builder(surface, SoilMap::uniform(SoilId(0))).build() else {
        return false;
    };
    let tiled = tiled(bytes);
    let [west, south, east, north] = terrain.bounds();
    for share in [0.0, 0.3, 0.5, 1.0] {
        let (x, y) = (west + share * (east - west), south + share * (north - south));
        assert!(terrain.height(x, y).is_finite(), "not a height");
        assert!(terrain.gradient(x, y).iter().all(|slope| slope.is_finite()));
        if let Some(tiled) = &tiled {
            assert_eq!(tiled.height(x, y).to_bits(), terrain.height(x, y).to_bits(), "by tiles");
        }
    }
    true
}

/// Returns the terrain of a GeoTIFF without gaps that is read from its file on demand.
fn tiled(bytes: &[u8]) -> Option<Terrain> {
    if RasterFormat::detect(bytes) != Ok(RasterFormat::GeoTiff) {
        return None;
    }
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let raster = RasterFile::open(file).ok()?;
    let window = raster.window(&raster.placement(Origin::Center).ok()?, None).ok()?;
    let (surface, _) = raster.surface(window, 1 << 16).ok()?;
    Terrain::builder(surface, SoilMap::uniform(SoilId(0))).build().ok()
}

#[test]
fn elevation_models() {
    let hills = |columns: usize, rows: usize| Raster {
        columns,
        rows,
        south_west: [400_000.0, 5_000_000.0],
        cell: [5.0, 5.0],
        values: (0..columns * rows).map(|k| ((k * 37) % 101) as f64 * 0.1).collect(),
        crs: bekker::terrain::Crs::local(),
    };
    let small = hills(24, 17);
    let mut picture = Vec::new();
    let mut encoder = png::Encoder::new(&mut picture, 16, 12);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let pixels: Vec<u8> = (0..16 * 12 * 2).map(|k| (k * 31 % 256) as u8).collect();
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    let ascii = bekker::terrain::write_esri_ascii(&small);
    let files = [
        write_geotiff(&small).unwrap(),
        picture,
        ascii.clone().into_bytes(),
        std::fs::read(repository_path("terrains/jacksboro_fault.tif")).unwrap(),
    ];
    let make = |dice: &mut Dice| {
        // The large one is slow: one in eight.
        let which = if dice.below(8) == 0 { 3 } else { dice.below(3) };
        if which == 2 && dice.below(2) == 0 {
            let mut words: Vec<String> = ascii.split(' ').map(str::to_string).collect();
            for _ in 0..=dice.below(3) {
                let at = dice.below(words.len());
                // The numbers of the header are altered as often as all heights together.
                let at = if dice.below(2) == 0 { at.min(7) } else { at };
                let line = words[at].find('\n').map(|end| words[at][end..].to_string());
                words[at] = dice.choose(&EXTREMES).to_string() + &line.unwrap_or_default();
            }
            return words.join(" ").into_bytes();
        }
        let mut bytes = files[which].clone();
        alter_bytes(dice, &mut bytes);
        bytes
    };
    mutate("elevation_models", make, |case, _| carries(case));
}

const ROUTES: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<gpx xmlns="http://www.topografix.com/GPX/1/1" version="1.1" creator="x"><wpt lat="46.5" lon="9.8"/>
<trk><name>a &amp; b</name><trkseg><trkpt lat="46.5" lon="9.8"><ele>1800</ele></trkpt>
<trkpt lat="46.5" lon="9.8003"><extensions><x:a xmlns:x="y">3</x:a></extensions></trkpt></trkseg>
<trkseg><trkpt lat="46.5001" lon="9.8005"/></trkseg></trk><rte></rte></gpx>"#;

const LINES: &str = r#"{"type": "FeatureCollection", "features": [
  {"type": "Feature", "properties": {"name": "m", "n": [1, null]}, "geometry": {"type": "MultiLineString",
    "coordinates": [[[9.8, 46.5], [9.8003, 46.5, 1800]], [], [[9.8003, 46.5], [9.8005, 46.5001]]]}},
  {"type": "Feature", "properties": null, "geometry": null},
  {"type": "Feature", "geometry": {"type": "GeometryCollection", "geometries": [
    {"type": "Polygon", "coordinates": [[[9.8, 46.5], [9.9, 46.5], [9.8, 46.6], [9.8, 46.5]]]},
    {"coordinates": [9.8, 46.5], "type": "Point"}]}}]}"#;

/// Feature of [`LINES`] without a geometry.
const NOTHING: &str = r#"{"type": "Feature", "properties": null, "geometry": null},"#;

#[test]
fn ways() {
    let table = "name, lon, lat\na, 9.8, 46.5\n\"b, c\", 9.8003, 46.5\nd, 9.8005, 46.5001\n";
    let files = [("gpx", ROUTES), ("geojson", LINES), ("csv", table)];
    // The file extension comes first: it sets the format.
    let make = |dice: &mut Dice| {
        let (ending, text) = *dice.choose(&files);
        let mut bytes = text.as_bytes().to_vec();
        match serde_json::from_slice::<serde_json::Value>(&bytes) {
            // TOML has no equivalent of JSON's null.
            Ok(_) if dice.below(3) > 0 => {
                let text = text.replace(NOTHING, "").replace(", null]", "]");
                let mut tree: Value = serde_json::from_str(&text).unwrap();
                alter_tree(dice, &mut tree);
                bytes = serde_json::to_vec(&tree).unwrap_or_default();
            }
            _ => alter_bytes(dice, &mut bytes),
        }
        [ending.as_bytes(), b"\0", &bytes].concat()
    };
    let folder = tempfile::tempdir().unwrap();
    let attempt = |case: &[u8], _| {
        let end = case.iter().position(|byte| *byte == 0).unwrap();
        let name = format!("way.{}", String::from_utf8_lossy(&case[..end]));
        std::fs::write(folder.path().join(&name), &case[end + 1..]).unwrap();
        let text = format!(
            "format = 1\nname = 'w'\ntime = {{ duration = 1 }}\nsoil = {{ default = 'mud' }}\n\
             site = {{ latitude_deg = 46.5, longitude_deg = 9.8 }}\n[[vehicle]]\nname = 'a'\n\
             model = 'hmmwv'\nposition = [0, 0]\n\
             driver = {{ kind = 'path', speed = 4, waypoints = {{ file = '{name}' }} }}\n"
        );
        ScenarioFile::parse("mutant.toml", &text, folder.path(), &[]).is_ok()
    };
    mutate("ways", make, attempt);
}

#[test]
fn meshes() {
    let folder = repository_path("examples/meshes");
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let fits = |path: &PathBuf| {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        ["obj", "gltf", "glb"].contains(&ending.as_str())
    };
    let files: Vec<(String, Vec<u8>)> = names
        .iter()
        .filter(|path| fits(path))
        .map(|path| (path.to_string_lossy().into_owned(), std::fs::read(path).unwrap()))
        .chain([("square.gltf".to_string(), SQUARE.as_bytes().to_vec())])
        .collect();
    // The name comes first: its extension sets the format.
    let make = |dice: &mut Dice| {
        let (name, bytes) = dice.choose(&files).clone();
        let mut bytes = bytes;
        match serde_json::from_slice::<Value>(&bytes) {
            Ok(mut tree) if dice.below(3) > 0 => {
                alter_tree(dice, &mut tree);
                bytes = serde_json::to_vec(&tree).unwrap_or_default();
            }
            _ => alter_bytes(dice, &mut bytes),
        }
        [name.as_bytes(), b"\0", &bytes].concat()
    };
    let attempt = |case: &[u8], _| {
        let end = case.iter().position(|byte| *byte == 0).unwrap();
        let name = String::from_utf8_lossy(&case[..end]).into_owned();
        let mut fetch = |file: &str| {
            std::fs::read(folder.join(file)).map_err(|error| format!("{file}: {error}"))
        };
        match import(&name, &case[end + 1..], Up::Y, &mut fetch) {
            Ok(imported) => {
                imported.builder.finish();
                true
            }
            Err(_) => false,
        }
    };
    mutate("meshes", make, attempt);
}

/// Two triangles with embedded data.
const SQUARE: &str = r#"{
  "asset": { "version": "2.0" },
  "scene": 0,
  "scenes": [{ "nodes": [0] }],
  "nodes": [{ "mesh": 0, "translation": [1.0, 2.0, 3.0], "children": [1] }, { "mesh": 0, "scale": [2.0, 2.0, 2.0] }],
  "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1, "material": 0, "mode": 4 }] }],
  "materials": [{ "pbrMetallicRoughness": { "baseColorFactor": [0.5, 0.4, 0.3, 1.0] } }],
  "accessors": [
    { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0.0, 0.0, 0.0], "max": [1.0, 1.0, 0.0] },
    { "bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR" }
  ],
  "bufferViews": [
    { "buffer": 0, "byteOffset": 0, "byteLength": 48 },
    { "buffer": 0, "byteOffset": 48, "byteLength": 12 }
  ],
  "buffers": [{ "byteLength": 60, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAACAPwAAgD8AAAAAAAAAAAAAgD8AAAAAAAABAAIAAAACAAMA" }]
}"#;

const HEAD: usize = 8;
const BODY: usize = HEAD + 32;

/// Returns a run on mud after some heartbeats, and its checkpoint.
fn stored() -> (World, Vec<u8>) {
    let text = "format = 1\nname = 'x'\ntime = { duration = 1 }\nsoil = { default = 'mud' }\n\
                [[vehicle]]\nname = 'a'\nmodel = 'hmmwv'\nposition = [0, 0]\nspeed = 5\n\
                driver = { kind = 'path', waypoints = [[0, 0], [50, 9]], speed = 5 }\n\
                sensor = [{ name = 'imu', model = { kind = 'imu' } }]\n";
    let file = ScenarioFile::parse("x.toml", text, Path::new(""), &[]).unwrap();
    let mut world = World::new(build::world(&file).unwrap().world);
    (0..5).for_each(|_| world.advance());
    let bytes = checkpoint::encode(world.model(), "x", world.state());
    (world, bytes)
}

/// Returns a checkpoint with an altered body and a matching checksum.
fn forged(dice: &mut Dice, sound: &[u8]) -> Vec<u8> {
    let mut bytes = sound.to_vec();
    let mut body = bytes.split_off(BODY);
    alter_bytes(dice, &mut body);
    bytes[HEAD..].copy_from_slice(&Sha256::digest(&body));
    bytes.extend(body);
    bytes
}

/// Altered checkpoints, also with a matching checksum, are decoded or refused.
#[test]
fn checkpoints() {
    let (world, sound) = stored();
    let make = |dice: &mut Dice| match dice.below(8) {
        0 => sound.clone(),
        1..4 => {
            let mut bytes = sound.clone();
            alter_bytes(dice, &mut bytes);
            bytes
        }
        _ => forged(dice, &sound),
    };
    let attempt = |case: &[u8], _| match checkpoint::decode(world.model(), "x", case) {
        Ok(state) if case == sound => {
            World::resume(world.model().clone(), state).unwrap().advance();
            true
        }
        Ok(_) | Err(_) => false,
    };
    mutate("checkpoints", make, attempt);
}

/// Altered checkpoints with a matching checksum run on.
///
/// Such a file may be forged on purpose, but nothing may panic or run forever.
#[test]
fn mutated_checkpoints_run_without_panic() {
    let (world, sound) = stored();
    let attempt = |case: &[u8], _| match checkpoint::decode(world.model(), "x", case) {
        Ok(state) => {
            let mut world = World::resume(world.model().clone(), state).unwrap();
            (0..3).for_each(|_| world.advance());
            true
        }
        Err(_) => false,
    };
    mutate("mutated_checkpoints_run_without_panic", |dice| forged(dice, &sound), attempt);
}
