//! Checks of a scenario that involve more than one key: names, references, ratios.

use super::config::{
    AreaConfig, CameraChannel, CameraConfig, CustomSoil, DriverConfig, FilterConfig, FollowPolicy,
    FrameFormat, InertialErrors, Label, Lidar as LidarConfig, LidarRays, LocalizationKind,
    OutputConfig, RandomBarriers, RandomHoles, RandomRocks, RandomSurface, RandomTrees, Scenario,
    SensorConfig, SensorModel, SharingConfig, StateFormat, SurfaceConfig, TableRow, TeamConfig,
    TowKind, VehicleConfig,
};
use super::convoys::{Convoys, indices_by_name};
use super::diagnostic::{Diagnostic, DiagnosticKind, nearest_word};
use super::diagnostic_sink::{DiagnosticSink, WHERE_ON_EARTH, decimal};
use super::document::Document;
use bekker_agent::PropKind;
use bekker_ground::soil::{Moisture, MoistureError};
use bekker_sensor::camera::Camera;
use bekker_sensor::imu::{Imu, Triad};
use bekker_sensor::lidar::LidarSpec;
use bekker_vehicle::driver::SLOWEST;
use std::collections::BTreeMap;

/// Maximum number of classes of a soil raster.
const MAX_CLASSES: usize = 10_000;

/// Returns all faults of a scenario that conforms to the schema.
pub fn check(scenario: &Scenario, document: &Document) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut refuse = |key: String, problem| diagnostics.push(document.diagnostic(&key, problem));
    check_time(scenario, &mut refuse);
    check_surface(scenario, &mut refuse);
    check_soils(scenario, &mut refuse);
    super::names::check(scenario, &mut refuse);
    check_drivers(scenario, &mut refuse);
    check_sensors(scenario, &mut refuse);
    check_scenery(scenario, &mut refuse);
    check_tows(scenario, &mut refuse);
    check_goals(scenario, &mut refuse);
    check_team(scenario, &mut refuse);
    super::radio_checks::check(scenario, &mut refuse);
    check_output(scenario, &mut refuse);
    super::budget::check(scenario, &mut refuse);
    diagnostics
}

fn check_time(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let time = &scenario.time;
    if time.steps_per_heartbeat().is_none() {
        let heartbeat = time.heartbeat;
        let steps = (heartbeat / time.step).floor().max(1.0);
        // propose only steps with a finite decimal form
        let shorter = (steps as u64..).find(|n| is_whole_microseconds(heartbeat / *n as f64));
        let longer =
            (1..=steps as u64).rev().find(|n| is_whole_microseconds(heartbeat / *n as f64));
        let mut nearest: Vec<u64> = shorter.into_iter().chain(longer).collect();
        nearest.dedup();
        let nearest = nearest.into_iter().map(|n| decimal(heartbeat / n as f64)).collect();
        refuse("time.step".into(), DiagnosticKind::NotADivisor { heartbeat, nearest });
    }
    let durations =
        [("time.duration", time.duration), ("output.interval", scenario.output.interval)];
    for (key, value) in durations {
        if let Err(problem) = whole_heartbeats(value, time.heartbeat) {
            // the message names the default value, which the file does not contain
            let by_default = key == "output.interval" && value == OutputConfig::default().interval;
            let problem = match by_default {
                true => {
                    DiagnosticKind::Refused { cause: format!("{value} s (default): {problem}") }
                }
                false => problem,
            };
            refuse(key.into(), problem);
        }
    }
}

/// Checks that a duration, s, is a whole number of heartbeats, s.
///
/// # Errors
/// [`DiagnosticKind::NotAMultiple`] if it is not.
pub fn whole_heartbeats(value: f64, heartbeat: f64) -> Result<(), DiagnosticKind> {
    if super::config::whole_ratio(value, heartbeat).is_some() {
        return Ok(());
    }
    let below = (value / heartbeat).floor();
    let nearest = [below, below + 1.0].into_iter().filter(|n| *n >= 1.0);
    let nearest = nearest.map(|n| decimal(n * heartbeat)).collect();
    Err(DiagnosticKind::NotAMultiple { of: "time.heartbeat", unit: heartbeat, nearest })
}

/// Checks that the output folder has a name and that the recorded vehicles exist.
fn check_output(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    if scenario.output.folder.as_ref().is_some_and(|folder| folder.as_os_str().is_empty()) {
        let cause = "must name a folder; without this key, it is runs/NAME-N".into();
        refuse("output.folder".into(), DiagnosticKind::Refused { cause });
    }
    let known = || scenario.vehicle.iter().map(|vehicle| vehicle.name.as_str());
    let named = indices_by_name(&scenario.vehicle);
    let with_messages = scenario.output.states.iter().position(|own| *own == StateFormat::Mcap);
    if let Some(index) = with_messages.filter(|_| !scenario.output.readings) {
        let cause = "needs output.readings = true, as the messages are in sensors.mcap".into();
        refuse(format!("output.states[{index}]"), DiagnosticKind::Refused { cause });
    }
    for (index, name) in scenario.output.vehicles.iter().flatten().enumerate() {
        if !named.contains_key(name.as_str()) {
            let allowed = known().map(|name| format!("{name:?}")).collect();
            let suggestion = nearest_word(name, known());
            refuse(
                format!("output.vehicles[{index}]"),
                DiagnosticKind::NotOneOf { suggestion, allowed },
            );
        }
    }
}

/// Whether a duration is a whole number of microseconds.
fn is_whole_microseconds(seconds: f64) -> bool {
    let microseconds = seconds * 1e6;
    (microseconds - microseconds.round()).abs() < 1e-6 || seconds < 1e-6
}

/// Checks the objects of a random surface.
///
/// Each kind has either a count or a density; kinds without either have no sizes; ranges start with
/// the smaller value.
fn check_random_surface(surface: &RandomSurface, refuse: &mut DiagnosticSink) {
    let RandomSurface { holes, trees, rocks, barriers, .. } = surface;
    // resolved scenarios contain the defaults of kinds that they do not use
    for (name, count, density, is_shaped) in [
        ("holes", holes.count, holes.density, *holes != RandomHoles::default()),
        ("trees", trees.count, trees.density, *trees != RandomTrees::default()),
        ("rocks", rocks.count, rocks.density, *rocks != RandomRocks::default()),
        ("barriers", barriers.count, barriers.density, *barriers != RandomBarriers::default()),
    ] {
        let key = |last: &str| format!("terrain.surface.{name}.{last}");
        match (count, density) {
            (Some(_), Some(_)) => {
                refuse(key("density"), DiagnosticKind::Excludes { other: "count" })
            }
            (None, None) if is_shaped => {
                refuse(
                    key("count"),
                    DiagnosticKind::Missing { expected: "count or density".into() },
                );
            }
            _ => {}
        }
    }
    for (name, [from, to]) in [("trees", trees.diameter), ("rocks", rocks.diameter)] {
        if from > to {
            refuse(format!("terrain.surface.{name}.diameter"), DiagnosticKind::EmptyRange);
        }
    }
}

fn check_surface(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    if let SurfaceConfig::Random(surface) = &scenario.terrain.surface {
        check_random_surface(surface, refuse);
    }
    let SurfaceConfig::Dem { file, crop, height_range, cell_size, .. } = &scenario.terrain.surface
    else {
        return;
    };
    let key = |name: &str| format!("terrain.surface.{name}");
    let extension = file.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("png") => {
            for (name, given, expected) in [
                (
                    "height_range",
                    height_range.is_some(),
                    "the range of heights from black to white (m)",
                ),
                ("cell_size", cell_size.is_some(), "the side length of a pixel (m)"),
            ] {
                if !given {
                    refuse(key(name), DiagnosticKind::Missing { expected: expected.into() });
                }
            }
        }
        Some("tif" | "tiff" | "asc") => {
            for (name, given) in
                [("height_range", height_range.is_some()), ("cell_size", cell_size.is_some())]
            {
                if given {
                    let other = "a georeferenced DEM, which contains this value";
                    refuse(key(name), DiagnosticKind::Excludes { other });
                }
            }
        }
        _ => {
            let allowed = [".tif", ".tiff", ".asc", ".png"].map(String::from).to_vec();
            refuse(key("file"), DiagnosticKind::NotOneOf { suggestion: None, allowed });
        }
    }
    if height_range.is_some_and(|[low, high]| low >= high) {
        refuse(key("height_range"), DiagnosticKind::EmptyRange);
    }
    if let Some([x_min, y_min, x_max, y_max]) = *crop
        && (x_min >= x_max || y_min >= y_max)
    {
        refuse(key("crop"), DiagnosticKind::NotABox { lower: [x_min, y_min] });
    }
}

/// Checks that scenery is either of a drawn kind or a mesh with the keys for it.
fn check_scenery(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    for (index, scenery) in scenario.scenery.iter().enumerate() {
        let key = |name: &str| format!("scenery[{index}].{name}");
        let given = [("kind", scenery.kind.is_some()), ("mesh", scenery.mesh.is_some())];
        let given: Vec<String> =
            given.iter().filter(|(_, given)| *given).map(|(name, _)| name.to_string()).collect();
        if given.len() != 1 {
            let of = ["kind", "mesh"].map(String::from).to_vec();
            refuse(format!("scenery[{index}]"), DiagnosticKind::NotExactlyOne { of, given });
        } else if scenery.kind.is_some() && scenery.class.is_some() {
            refuse(
                key("class"),
                DiagnosticKind::Excludes { other: "kind, which determines the class" },
            );
        }
        match (scenery.kind, scenery.size) {
            (Some(PropKind::Block), None) => {
                let expected = "the length, width and height of a block (m)".into();
                refuse(key("size"), DiagnosticKind::Missing { expected });
            }
            (Some(kind), Some(_)) if kind != PropKind::Block => {
                refuse(key("size"), DiagnosticKind::Excludes { other: "a kind other than block" });
            }
            _ => {}
        }
        let has_stem = match (scenery.kind, scenery.class) {
            (Some(kind), _) => {
                !matches!(kind, PropKind::Rock | PropKind::Block | PropKind::Barrier)
            }
            (None, class) => class == Some(Label::Tree),
        };
        if scenery.diameter.is_some() && !has_stem {
            refuse(key("diameter"), DiagnosticKind::Excludes { other: "an object without a stem" });
        }
        if let Some([x_min, y_min, x_max, y_max]) = scenery.area
            && (x_min >= x_max || y_min >= y_max)
        {
            refuse(key("area"), DiagnosticKind::NotABox { lower: [x_min, y_min] });
        }
    }
}

/// Checks that tows connect existing vehicles, and that bars have no slack: a bar also pushes.
fn check_tows(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let known = || scenario.vehicle.iter().map(|vehicle| vehicle.name.as_str());
    for (index, tow) in scenario.tow.iter().enumerate() {
        for (end, name) in [("from", &tow.from), ("to", &tow.to)] {
            if known().all(|own| own != name) {
                let allowed = known().map(|name| format!("{name:?}")).collect();
                let suggestion = nearest_word(name, known());
                let key = format!("tow[{index}].{end}");
                refuse(key, DiagnosticKind::NotOneOf { suggestion, allowed });
            }
        }
        if tow.from == tow.to {
            let cause = "must not be the vehicle in `from`".into();
            refuse(format!("tow[{index}].to"), DiagnosticKind::Refused { cause });
        }
        if tow.kind == TowKind::Bar && tow.slack > 0.0 {
            let bounds =
                "0 for kind = \"bar\": a bar with slack would push the vehicles apart".into();
            refuse(format!("tow[{index}].slack"), DiagnosticKind::OutOfRange { bounds });
        }
    }
}

/// Checks that each autonomous vehicle has a goal, or a team whose authority assigns tasks.
fn check_goals(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let has_task = |team: &TeamConfig| team.search.is_some() || !team.goals.is_empty();
    if scenario.team.as_ref().is_some_and(has_task) {
        return;
    }
    for (index, vehicle) in scenario.vehicle.iter().enumerate() {
        if matches!(vehicle.driver, DriverConfig::Autonomous { goal: None, .. }) {
            let expected = "a goal, team.goals or team.search".into();
            refuse(format!("vehicle[{index}].driver.goal"), DiagnosticKind::Missing { expected });
        }
    }
}

/// Checks that a team has autonomous vehicles, and that its radio's range is within its horizon.
fn check_team(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let Some(team) = &scenario.team else { return };
    let is_autonomous =
        |own: &&VehicleConfig| matches!(own.driver, DriverConfig::Autonomous { .. });
    let members = || scenario.vehicle.iter().filter(is_autonomous).map(|own| own.name.as_str());
    if members().next().is_none() {
        let expected = "a vehicle with a driver of kind autonomous".into();
        refuse("team".into(), DiagnosticKind::Missing { expected });
    }
    if let Some(name) = team.authority.as_deref().filter(|name| members().all(|own| own != *name)) {
        let allowed: Vec<String> = members().map(|name| format!("{name:?}")).collect();
        let suggestion = nearest_word(name, members());
        let problem = if allowed.is_empty() {
            let cause = "no vehicle has a driver of kind autonomous; give one to a vehicle, or \
                remove the key";
            DiagnosticKind::Refused { cause: cause.into() }
        } else {
            DiagnosticKind::NotOneOf { suggestion, allowed }
        };
        refuse("team.authority".into(), problem);
    }
    check_cells(scenario, refuse);
    super::radio_checks::check_channel(&team.radio, "team.radio", refuse);
    if team.concern.is_some() && team.sharing != SharingConfig::Peers {
        let other = "a sharing other than peers: an authority receives everything";
        refuse("team.concern".into(), DiagnosticKind::Excludes { other });
    }
    if team.search.is_some() && !team.goals.is_empty() {
        refuse("team.search".into(), DiagnosticKind::Excludes { other: "team.goals" });
    }
    let is_sent =
        |own: &VehicleConfig| matches!(own.driver, DriverConfig::Autonomous { goal: None, .. });
    if members().next().is_some() && !scenario.vehicle.iter().any(is_sent) {
        let tasks =
            [("team.search", team.search.is_some()), ("team.goals", !team.goals.is_empty())];
        for (key, _) in tasks.into_iter().filter(|(_, given)| *given) {
            let expected = "an autonomous vehicle without driver.goal".into();
            refuse(key.into(), DiagnosticKind::Missing { expected });
        }
    }
    if team.assignment.is_some() && team.goals.is_empty() {
        let expected = "a list of goals for team.assignment".into();
        refuse("team.goals".into(), DiagnosticKind::Missing { expected });
    }
    super::search_area::check(scenario, team, refuse);
    if team.sharing == SharingConfig::Peers && (team.search.is_some() || !team.goals.is_empty()) {
        let cause = "must be central or whole: without an authority, no task can be assigned";
        refuse("team.sharing".into(), DiagnosticKind::Refused { cause: cause.into() });
    }
    super::radio_checks::check_rate(scenario, team.rate, "team.rate", refuse);
}

/// Checks that merged maps have cells of the same size.
fn check_cells(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let cells = scenario.vehicle.iter().enumerate().filter_map(|(index, own)| match own.driver {
        DriverConfig::Autonomous { cell, .. } => Some((index, own, cell)),
        _ => None,
    });
    let mut first = None;
    for (index, own, cell) in cells {
        let &mut (name, side) = first.get_or_insert((own.name.as_str(), cell));
        if cell != side {
            let cause = format!(
                "must be {side}, as for {name:?}: a team merges its maps, so all cells must have \
                 the same size"
            );
            refuse(format!("vehicle[{index}].driver.cell"), DiagnosticKind::Refused { cause });
        }
    }
}

fn check_soils(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let soil = &scenario.soil;
    for (index, custom) in soil.custom.iter().enumerate() {
        let key = format!("soil.custom[{index}]");
        if let Some(first) = soil.custom[..index].iter().position(|s| s.name == custom.name) {
            let first = format!("soil.custom[{first}]");
            refuse(format!("{key}.name"), DiagnosticKind::DuplicateName { first });
        }
        check_custom_soil(custom, &key, refuse);
    }
    for (index, zone) in soil.zone.iter().enumerate() {
        if let AreaConfig::Rectangle { min, max } = zone.area
            && (max[0] <= min[0] || max[1] <= min[1])
        {
            let key = format!("soil.zone[{index}].area.max");
            refuse(key, DiagnosticKind::NotABox { lower: min });
        }
    }
    if let Some(raster) = &soil.raster
        && raster.classes.len() > MAX_CLASSES
    {
        let found = raster.classes.len();
        let expected = format!("at most {MAX_CLASSES} classes");
        refuse("soil.raster.classes".into(), DiagnosticKind::WrongLength { expected, found });
    }
    let mut numbers: BTreeMap<i32, &str> = BTreeMap::new();
    for class in soil.raster.iter().flat_map(|raster| raster.classes.keys()) {
        let key = format!("soil.raster.classes.{class}");
        match class.parse::<i32>() {
            Err(_) => {
                let expected = "an integer as the class".into();
                refuse(key, DiagnosticKind::WrongType { expected, found: "a word" });
            }
            Ok(number) => {
                // 1 and 01 are the same class
                if let Some(other) = numbers.insert(number, class) {
                    let cause = format!(
                        "is class {number}, as is soil.raster.classes.{other}; remove one of them"
                    );
                    refuse(key, DiagnosticKind::Refused { cause });
                }
            }
        }
    }
}

/// Checks that a custom soil is firm, based on another soil, or deformable with all parameters.
pub(super) fn check_custom_soil(soil: &CustomSoil, key: &str, refuse: &mut DiagnosticSink) {
    let given = [
        ("k_phi", soil.k_phi.is_some(), true),
        ("k_c", soil.k_c.is_some(), true),
        ("n", soil.n.is_some(), true),
        ("cohesion", soil.cohesion.is_some(), true),
        ("friction_angle_deg", soil.friction_angle_deg.is_some(), true),
        ("shear_modulus", soil.shear_modulus.is_some(), true),
        ("elastic_stiffness", soil.elastic_stiffness.is_some(), false),
        ("damping", soil.damping.is_some(), false),
        ("measured_sinkage", soil.measured_sinkage.is_some(), false),
        ("density", soil.density.is_some(), false),
        ("reload_stiffness", soil.reload_stiffness.is_some(), false),
        ("reload_growth", soil.reload_growth.is_some(), false),
        ("reece", soil.reece.is_some(), false),
        ("multi_pass", soil.multi_pass.is_some(), false),
        ("snow", soil.snow.is_some(), false),
        ("strength", soil.strength.is_some(), false),
        ("moisture", soil.moisture.is_some(), false),
        ("frost", soil.frost.is_some(), false),
        ("thaw", soil.thaw.is_some(), false),
        ("below", soil.below.is_some(), false),
        ("crust", soil.crust.is_some(), false),
        ("peak_shear", soil.peak_shear.is_some(), false),
        ("rate", soil.rate.is_some(), false),
        ("bulldozing", soil.bulldozing.is_some(), false),
    ];
    let yielding = given.iter().any(|(_, given, _)| *given);
    if soil.friction.is_some() {
        if yielding {
            let other = "keys of a deformable soil: friction is for firm ground";
            refuse(format!("{key}.friction"), DiagnosticKind::Excludes { other });
        }
        return;
    }
    let twice = [
        (
            "snow",
            soil.snow.is_some(),
            soil.below.is_some(),
            "below: snow defines the ground below it",
        ),
        (
            "snow.crushing_pressure",
            soil.snow.is_some_and(|snow| snow.crushing_pressure.is_some()),
            soil.has_pressure_sinkage(),
            "k_phi, k_c, n or reece, which also define the snow's pressures",
        ),
        (
            "thaw",
            soil.thaw.is_some(),
            soil.below.is_some(),
            "below: the ground below thawed soil is frozen",
        ),
        ("thaw", soil.thaw.is_some(), soil.snow.is_some(), "snow, which rests on frozen ground"),
        (
            "frost",
            soil.frost.is_some(),
            soil.below.is_some(),
            "below: the frozen layer carries the load",
        ),
        ("frost", soil.frost.is_some(), soil.snow.is_some(), "snow, which rests on frozen ground"),
        (
            "frost",
            soil.frost.is_some(),
            soil.thaw.is_some(),
            "thaw: the top layer is either frozen or thawed",
        ),
    ];
    for (name, given, and, other) in twice {
        if given && and {
            refuse(format!("{key}.{name}"), DiagnosticKind::Excludes { other });
        }
    }
    let weighs = soil.density.is_some() || soil.snow.is_some();
    if soil.reece.is_some_and(|reece| reece.frictional > 0.0) && !weighs {
        let expected =
            "the soil's density, which the frictional modulus of reece multiplies,".into();
        refuse(format!("{key}.density"), DiagnosticKind::Missing { expected });
    }
    if let Some((name, cause)) = soil.moisture.as_ref().and_then(moisture_error) {
        refuse(format!("{key}.moisture.{name}"), DiagnosticKind::Refused { cause });
    }
    if soil.based_on.is_some() {
        return;
    }
    for (name, given, needed) in given {
        if needed && !given {
            let expected = "a value for a deformable soil (or based_on, or friction alone)".into();
            refuse(format!("{key}.{name}"), DiagnosticKind::Missing { expected });
        }
    }
}

/// The key of an invalid moisture and what is allowed; `None` if the moisture is valid.
fn moisture_error(moisture: &Moisture) -> Option<(&'static str, String)> {
    let error = moisture.now().err()?;
    let rain = moisture.rain.as_ref()?;
    let last = rain.falls.last().map_or(rain.day, |fall| fall[0]);
    let in_order = rain.falls.windows(2).all(|two| two[0][0] <= two[1][0]);
    Some(match error {
        MoistureError::Order { .. } if in_order => (
            "rain.day",
            format!("must be {last} or later, the day of the last entry of rain.falls"),
        ),
        MoistureError::Saturated { .. } => ("rain.saturated", error.to_string()),
        _ => ("rain.falls", error.to_string()),
    })
}

fn check_sensors(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let sensors = || scenario.vehicle.iter().flat_map(|vehicle| &vehicle.sensor);
    let any_gps = sensors().any(|sensor| matches!(sensor.model, SensorModel::Gps { .. }));
    // a DEM may be georeferenced, which is known only when it is opened
    let dem = matches!(scenario.terrain.surface, SurfaceConfig::Dem { .. });
    if any_gps && scenario.site.is_none() && !dem {
        refuse("site".into(), DiagnosticKind::Missing { expected: WHERE_ON_EARTH.into() });
    }
    for (index, vehicle) in scenario.vehicle.iter().enumerate() {
        for (which, sensor) in vehicle.sensor.iter().enumerate() {
            let key = format!("vehicle[{index}].sensor[{which}]");
            check_schedule(scenario, sensor, &key, refuse);
            check_frames(sensor, &key, refuse);
            match &sensor.model {
                SensorModel::Camera(camera) => check_channels(sensor, camera, &key, refuse),
                SensorModel::Imu { preset, accelerometer, gyroscope } => {
                    let Imu { accelerometer: ours, gyroscope: turns } =
                        super::build::imu(*preset, accelerometer, gyroscope);
                    check_drift(
                        accelerometer,
                        &ours,
                        &format!("{key}.model.accelerometer"),
                        refuse,
                    );
                    check_drift(gyroscope, &turns, &format!("{key}.model.gyroscope"), refuse);
                }
                _ => {}
            }
        }
    }
}

/// Checks the schedule of a sensor.
///
/// A motion sensor samples at most once per step, a camera or lidar at most once per heartbeat. A
/// sampling window must end before the next one begins.
fn check_schedule(
    scenario: &Scenario,
    sensor: &SensorConfig,
    key: &str,
    refuse: &mut DiagnosticSink,
) {
    let is_imaging = matches!(sensor.model, SensorModel::Camera(_) | SensorModel::Lidar(_));
    let (between, of) = match is_imaging {
        true => (scenario.time.heartbeat, "heartbeat"),
        false => (scenario.time.step, "step"),
    };
    let rate = sensor.rate();
    if rate * between > 1.0 + 1e-9 {
        let most = 1.0 / between;
        let bounds = format!("> 0 and <= {} Hz, one per {of}", decimal(most));
        refuse(format!("{key}.rate"), DiagnosticKind::OutOfRange { bounds });
    }
    if let SensorModel::Camera(camera) = &sensor.model {
        let shutter = super::build::camera(camera);
        if (shutter.exposure + shutter.rolling) * rate > 1.0 + 1e-9 {
            let cause = format!(
                "exposure and rolling take {} s together; at {} Hz, a frame must be read within {} \
                 s",
                decimal(shutter.exposure + shutter.rolling),
                decimal(rate),
                decimal(1.0 / rate)
            );
            refuse(format!("{key}.model"), DiagnosticKind::Refused { cause });
        }
    }
    let Some(window) = sensor.window else { return };
    let window_key = format!("{key}.window");
    match sensor.model {
        SensorModel::Encoder { .. }
        | SensorModel::Odometry {}
        | SensorModel::Terramechanics {}
        | SensorModel::Camera(_) => {
            let cause = format!(
                "a sensor of kind {} has no window{}",
                sensor.model.kind(),
                if is_imaging { "; set model.exposure instead" } else { "" }
            );
            refuse(window_key, DiagnosticKind::Refused { cause });
        }
        _ if window * rate > 1.0 + 1e-9 => {
            let bounds = format!("from 0 to {} s, the time between frames", decimal(1.0 / rate));
            refuse(window_key, DiagnosticKind::OutOfRange { bounds });
        }
        _ => {}
    }
}

/// Checks that filters and files fit the kind of sensor, and that ranges are increasing.
fn check_frames(sensor: &SensorConfig, key: &str, refuse: &mut DiagnosticSink) {
    let kind = sensor.model.kind();
    for (which, filter) in sensor.filters.iter().enumerate() {
        let (word, fits): (&str, &[&str]) = match filter {
            FilterConfig::Range { .. } => ("range", &["lidar"]),
            FilterConfig::Voxels { .. } => ("voxels", &["lidar"]),
            FilterConfig::Gray {} => ("gray", &["camera"]),
            FilterConfig::Dropout { .. } => ("dropout", &["lidar", "camera"]),
            FilterConfig::Noise { .. } => {
                ("noise", &["imu", "gps", "magnetometer", "odometry", "camera", "lidar"])
            }
            FilterConfig::Lose { .. } | FilterConfig::Every { .. } => continue,
        };
        if !fits.contains(&kind) {
            let cause = format!("{word} is for sensors of kind {}, not {kind}", fits.join(", "));
            refuse(format!("{key}.filters[{which}].kind"), DiagnosticKind::Refused { cause });
        }
        if let FilterConfig::Range { min, max } = filter
            && min >= max
        {
            refuse(format!("{key}.filters[{which}].max"), DiagnosticKind::EmptyRange);
        }
    }
    for (which, format) in sensor.save.iter().enumerate() {
        if sensor.save[..which].contains(format) {
            let cause = "is given twice; each format may be given once".into();
            refuse(format!("{key}.save[{which}]"), DiagnosticKind::Refused { cause });
        }
        let fits = match format {
            FrameFormat::Png | FrameFormat::Png16 | FrameFormat::Exr => "camera",
            FrameFormat::Pcd | FrameFormat::Las => "lidar",
        };
        if fits != kind {
            let cause = format!("is a format for sensors of kind {fits}, not {kind}");
            refuse(format!("{key}.save[{which}]"), DiagnosticKind::Refused { cause });
        }
    }
    if !sensor.record && !sensor.save.is_empty() {
        refuse(format!("{key}.save"), DiagnosticKind::Excludes { other: "record = false" });
    }
    if let SensorModel::Camera(camera) = &sensor.model
        // at 180 degrees the focal length of a pinhole is 0
        && !Camera::from_spec(&super::build::camera(camera)).is_some_and(|made| made.focal[0] > 1e-3)
    {
        let bounds =
            format!("below {} deg, the limit of its lens", decimal(horizontal_fov(camera)));
        refuse(format!("{key}.model.fov_deg"), DiagnosticKind::OutOfRange { bounds });
    }
    if let SensorModel::Lidar(lidar) = &sensor.model {
        check_lidar(lidar, key, refuse);
    }
}

/// Widest field of view of a camera's lens, degrees, found by bisection to 0.01.
fn horizontal_fov(camera: &CameraConfig) -> f64 {
    let sees = |fov_deg: f64| {
        let wider = CameraConfig { fov_deg: Some(fov_deg), ..camera.clone() };
        Camera::from_spec(&super::build::camera(&wider)).is_some_and(|made| made.focal[0] > 1e-3)
    };
    let (mut low, mut high) = (1.0, 360.0);
    while high - low > 0.01 {
        let middle = 0.5 * (low + high);
        *if sees(middle) { &mut low } else { &mut high } = middle;
    }
    (10.0 * low).round() / 10.0
}

/// Checks a lidar: increasing elevations and ranges, and options that fit its number of rays.
fn check_lidar(lidar: &LidarConfig, key: &str, refuse: &mut DiagnosticSink) {
    let elevations = lidar.elevations_deg.as_deref().unwrap_or(&[0.0]);
    if let Some(at) = elevations.windows(2).position(|pair| pair[0] >= pair[1]) {
        let problem = DiagnosticKind::NotIncreasing { before: elevations[at] };
        refuse(format!("{key}.model.elevations_deg[{}]", at + 1), problem);
    }
    if elevations.is_empty() {
        let expected = "at least 1 item".into();
        let problem = DiagnosticKind::WrongLength { expected, found: 0 };
        refuse(format!("{key}.model.elevations_deg"), problem);
    }
    let LidarSpec { min_range, max_range, .. } = super::build::lidar(lidar);
    if min_range >= max_range {
        let whose = if lidar.max_range.is_some() { "" } else { " (from its preset)" };
        let (name, bounds) = match lidar.min_range {
            Some(_) => ("min_range", format!("below max_range = {}{whose}", decimal(max_range))),
            None => {
                ("max_range", format!("above min_range = {} (from its preset)", decimal(min_range)))
            }
        };
        refuse(format!("{key}.model.{name}"), DiagnosticKind::OutOfRange { bounds });
    }
    // a single ray has one echo and no divergence
    let vain = [
        ("samples", lidar.samples.is_some_and(|samples| samples > 1)),
        ("returns", lidar.returns.is_some()),
        ("divergence_deg", lidar.divergence_deg.is_some_and(|angle| angle > 0.0)),
    ];
    for (name, is_vain) in vain {
        if lidar.rays == LidarRays::One && is_vain {
            let other = "rays = \"one\"";
            refuse(format!("{key}.model.{name}"), DiagnosticKind::Excludes { other });
        }
    }
}

/// Checks that drift and drift time are both positive or both zero.
fn check_drift(given: &InertialErrors, whole: &Triad, key: &str, refuse: &mut DiagnosticSink) {
    let is_given = |value: Option<f64>| value.is_some_and(|value| value > 0.0);
    for (name, is_vain, other) in [
        ("drift", is_given(given.drift) && whole.drift_time == 0.0, "drift_time"),
        ("drift_time", is_given(given.drift_time) && whole.drift == 0.0, "drift"),
    ] {
        if is_vain {
            let cause = format!(
                "has no effect while {other} is 0, as in this preset; set {other} > 0 as well"
            );
            refuse(format!("{key}.{name}"), DiagnosticKind::Refused { cause });
        }
    }
}

/// Checks that channels are unique, and that filters and files of colors have a color channel.
fn check_channels(
    sensor: &SensorConfig,
    camera: &CameraConfig,
    key: &str,
    refuse: &mut DiagnosticSink,
) {
    for (which, channel) in camera.channels.iter().enumerate() {
        if camera.channels[..which].contains(channel) {
            let cause = "is given twice; each channel may be given once".into();
            refuse(format!("{key}.model.channels[{which}]"), DiagnosticKind::Refused { cause });
        }
    }
    if camera.channels.contains(&CameraChannel::Color) {
        return;
    }
    let cause = "needs color images; add color to model.channels";
    let mut colorless = |key: String| refuse(key, DiagnosticKind::Refused { cause: cause.into() });
    for (which, format) in sensor.save.iter().enumerate() {
        if matches!(format, FrameFormat::Png | FrameFormat::Png16) {
            colorless(format!("{key}.save[{which}]"));
        }
    }
    for (which, filter) in sensor.filters.iter().enumerate() {
        if matches!(
            filter,
            FilterConfig::Noise { .. } | FilterConfig::Dropout { .. } | FilterConfig::Gray {}
        ) {
            colorless(format!("{key}.filters[{which}].kind"));
        }
    }
}

/// Checks that a table has a speed in all rows or in none, and no pedals together with speeds.
fn check_held_speed(rows: &[TableRow], key: impl Fn(usize) -> String, refuse: &mut DiagnosticSink) {
    let holds = rows.iter().any(|row| row.speed.is_some());
    for (index, row) in rows.iter().enumerate().filter(|_| holds) {
        if row.speed.is_none() {
            let expected = "a speed in every row, because one row has it,".into();
            refuse(key(index), DiagnosticKind::Missing { expected });
        } else if row.throttle > 0.0 || row.brake > 0.0 {
            refuse(key(index), DiagnosticKind::Excludes { other: "throttle or brake" });
        } else if row.speed.is_some_and(|speed| speed > 0.0 && speed < SLOWEST) {
            let bounds = format!("0 or at least {SLOWEST} m/s");
            refuse(key(index), DiagnosticKind::OutOfRange { bounds });
        }
    }
}

fn check_drivers(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let convoys = Convoys::new(&scenario.vehicle);
    for (index, vehicle) in scenario.vehicle.iter().enumerate() {
        let key = |name: &str| format!("vehicle[{index}].driver.{name}");
        match &vehicle.driver {
            DriverConfig::Table { rows } => {
                for (row, pair) in rows.windows(2).enumerate() {
                    if pair[1].time <= pair[0].time {
                        let problem = DiagnosticKind::NotIncreasing { before: pair[0].time };
                        refuse(key(&format!("rows[{}].time", row + 1)), problem);
                    }
                }
                check_held_speed(rows, |row| key(&format!("rows[{row}].speed")), refuse);
            }
            DriverConfig::Path { waypoints, .. } => {
                for (point, pair) in waypoints.windows(2).enumerate() {
                    if pair[0] == pair[1] {
                        let cause = format!("repeats the previous point, {:?}", pair[0]);
                        refuse(
                            key(&format!("waypoints[{}]", point + 1)),
                            DiagnosticKind::Refused { cause },
                        );
                    }
                }
            }
            DriverConfig::Follow { leader, policy, time_gap, .. } => {
                if *policy == FollowPolicy::ConstantGap && time_gap.is_some() {
                    let other = "policy = \"constant_gap\"";
                    refuse(key("time_gap"), DiagnosticKind::Excludes { other });
                }
                check_leader(scenario, &convoys, index, leader, &key("leader"), refuse);
            }
            DriverConfig::Autonomous { localization, soil_aware, .. } => {
                check_perception(vehicle, index, *localization, refuse);
                let feels =
                    |own: &SensorConfig| matches!(own.model, SensorModel::Terramechanics {});
                if *soil_aware && !vehicle.sensor.iter().any(feels) {
                    let cause = "true requires a sensor of kind terramechanics on the vehicle to \
                        measure slip and sinkage; add one, or set false";
                    refuse(key("soil_aware"), DiagnosticKind::Refused { cause: cause.into() });
                }
            }
            DriverConfig::Hold { .. } | DriverConfig::Outside { .. } => {}
        }
    }
}

/// Checks that an autonomous vehicle has the sensors for perception and localization.
fn check_perception(
    vehicle: &VehicleConfig,
    index: usize,
    localization: LocalizationKind,
    refuse: &mut DiagnosticSink,
) {
    let has = |of: fn(&SensorModel) -> bool| vehicle.sensor.iter().any(|own| of(&own.model));
    let by_truth = localization == LocalizationKind::Truth;
    let needed = [
        ("lidar", true, has(|own| matches!(own, SensorModel::Lidar(_)))),
        ("gps", !by_truth, has(|own| matches!(own, SensorModel::Gps { .. }))),
        ("imu", !by_truth, has(|own| matches!(own, SensorModel::Imu { .. }))),
        ("odometry", by_truth, has(|own| matches!(own, SensorModel::Odometry {}))),
    ];
    for (kind, _, _) in needed.into_iter().filter(|(_, needed, has)| *needed && !has) {
        let expected = format!("a sensor of kind {kind} for the autonomous driver");
        refuse(format!("vehicle[{index}].sensor"), DiagnosticKind::Missing { expected });
    }
}

/// Checks that the leader exists and that the chain of leaders is not a ring.
fn check_leader(
    scenario: &Scenario,
    convoys: &Convoys,
    follower: usize,
    leader: &str,
    key: &str,
    refuse: &mut DiagnosticSink,
) {
    let vehicles = &scenario.vehicle;
    if convoys.leader(follower).is_none() {
        let own = &vehicles[follower].name;
        let others = || vehicles.iter().map(|v| v.name.as_str()).filter(|name| name != own);
        let allowed = others().map(|name| format!("{name:?}")).collect();
        let suggestion = nearest_word(leader, others());
        return refuse(key.into(), DiagnosticKind::NotOneOf { suggestion, allowed });
    }
    match convoys.head(follower).map(|head| &vehicles[head]) {
        // a follower of a missing vehicle gets its own fault
        Some(head) if matches!(head.driver, DriverConfig::Follow { .. }) => {}
        Some(head) => check_path_ahead(head, key, refuse),
        None => {
            if let Some(ring) = convoys.cycle(follower) {
                let ring = ring.into_iter().map(|own| vehicles[own].name.clone()).collect();
                refuse(key.into(), DiagnosticKind::FollowRing { ring });
            }
        }
    }
}

/// Checks that the head of a convoy has a path that the others can follow.
fn check_path_ahead(head: &super::config::VehicleConfig, key: &str, refuse: &mut DiagnosticSink) {
    if !matches!(head.driver, DriverConfig::Path { .. }) {
        let cause = format!(
            "the convoy's head `{}` has no path; its driver must be of kind path",
            head.name
        );
        refuse(key.into(), DiagnosticKind::Refused { cause });
    }
}
