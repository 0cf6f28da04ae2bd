//! Tracked vehicles.

mod gear;
mod shoe;

use super::chassis;
use super::library::Library;
use super::log::ImportLog;
use super::source::JsonSource;
use super::{CompanionFiles, ImportError, powertrain};
use bekker_vehicle::AnySpec;
use bekker_vehicle::spec::{
    Point, RunningGear, Track, TrackDrive, TrackModel, TrackResistance, TrackSteering, TrackedSpec,
};
use serde::Deserialize;

/// Ratio from gearbox to sprockets where no driveline of the vehicle's folder specifies one.
const RATIO: f64 = 0.25;
/// Inertias of shaft and carrier where a driveline specifies none, kg m².
const SHAFT: f64 = 0.5;
const CARRIER: f64 = 0.6;
/// Ratio of the controlled differential that steers the vehicle: the M113's.
const STEERING: f64 = 0.29;
/// Resistance of tracks with rubber bushings, N per tonne and N s/m per tonne.
///
/// It is from Bekker 1969, after Wong, Theory of Ground Vehicles: 222 + 3 V, V in km/h.
const RESISTANCE: [f64; 2] = [222.0, 10.8];

#[derive(Deserialize)]
struct TrackedVehicleParams {
    #[serde(rename = "Name")]
    name: String,
    #[serde(rename = "Chassis")]
    chassis: TrackedFileEntry,
    #[serde(rename = "Track Assemblies")]
    assemblies: Vec<AssemblyEntry>,
    #[serde(rename = "Driveline")]
    driveline: TrackedFileEntry,
}

#[derive(Deserialize)]
struct TrackedFileEntry {
    #[serde(rename = "Input File")]
    file: String,
}

#[derive(Deserialize)]
struct AssemblyEntry {
    #[serde(rename = "Input File")]
    file: String,
    #[serde(rename = "Offset")]
    offset: f64,
}

/// Track with its wheels.
#[derive(Deserialize)]
struct Assembly {
    #[serde(rename = "Sprocket")]
    sprocket: LocatedFile,
    #[serde(rename = "Brake")]
    brake: TrackedFileEntry,
    #[serde(rename = "Idler")]
    idler: LocatedFile,
    #[serde(rename = "Suspension Subsystems")]
    arms: Vec<ArmEntry>,
    #[serde(rename = "Track Shoes")]
    shoes: ShoesEntry,
    #[serde(rename = "Rollers", default)]
    rollers: Vec<LocatedFile>,
}

#[derive(Deserialize)]
struct LocatedFile {
    #[serde(rename = "Input File")]
    file: String,
    #[serde(rename = "Location")]
    location: Point,
}

#[derive(Deserialize)]
struct ArmEntry {
    #[serde(rename = "Input File")]
    file: String,
    #[serde(rename = "Has Shock")]
    damped: bool,
    #[serde(rename = "Location")]
    location: Point,
}

#[derive(Deserialize)]
struct ShoesEntry {
    #[serde(rename = "Input File")]
    file: String,
    #[serde(rename = "Number Shoes")]
    count: u32,
}

/// Logs the differences of the right track from the left one, which bekker uses on both sides.
fn omit_differences(
    of_left: &Assembly,
    of_right: &Assembly,
    right_source: &JsonSource,
    log: &mut ImportLog,
) {
    let [first, other] = [&of_left.arms[0], &of_right.arms[0]];
    // lateral coordinates may be mirrored, so only x and z must agree
    let apart = |own: Point, other: Point| [own[0], own[2]] != [other[0], other[2]];
    let differs = [
        ("Track Shoes / Input File", of_left.shoes.file != of_right.shoes.file),
        ("Brake / Input File", of_left.brake.file != of_right.brake.file),
        ("Sprocket / Input File", of_left.sprocket.file != of_right.sprocket.file),
        ("Sprocket / Location", apart(of_left.sprocket.location, of_right.sprocket.location)),
        ("Idler / Input File", of_left.idler.file != of_right.idler.file),
        ("Idler / Location", apart(of_left.idler.location, of_right.idler.location)),
        ("Suspension Subsystems / 0 / Input File", first.file != other.file),
    ];
    for (key, _) in differs.into_iter().filter(|(_, differs)| *differs) {
        log.omit(right_source, key, "both sides use the left one in bekker");
    }
}

/// Reads a vehicle with an engine and a transmission.
pub(super) fn vehicle(
    library: &Library,
    source: &JsonSource,
    companions: &CompanionFiles,
    log: &mut ImportLog,
) -> Result<AnySpec, ImportError> {
    log.read(&source.name);
    let own: TrackedVehicleParams = source.params(log)?;
    let [left, right] = sides(source, &own.assemblies)?;
    let (chassis, _) = chassis::chassis(library, source, &own.chassis.file, &[], log)?;
    let read = |entry: &AssemblyEntry, log: &mut ImportLog| {
        let key = "Track Assemblies / Input File";
        let source = library.read(source, key, &entry.file, log)?;
        let params = source.params::<Assembly>(log)?;
        Ok((source, params))
    };
    let (left_source, of_left) = read(left, log)?;
    let (right_source, of_right) = read(right, log)?;
    if of_left.arms.is_empty() || of_right.arms.is_empty() {
        let key = "Suspension Subsystems";
        return Err(left_source.refused(key, "[]", "at least one road wheel"));
    }
    let first = &of_left.arms[0];
    omit_differences(&of_left, &of_right, &right_source, log);
    if left.offset != -right.offset {
        log.omit(source, "Track Assemblies", "both sides use the left one in bekker");
    }
    let [driven, guided] = [&of_left.sprocket, &of_left.idler].map(|own| own.location[0]);
    if driven < guided {
        let value = format!("{driven} m, behind the idler at {guided} m");
        let allowed = "ahead of the idler: bekker's tracks are driven at the front";
        return Err(left_source.refused("Sprocket / Location", &value, allowed));
    }
    let at = |location: Point| [location[0], location[1] + left.offset, location[2]];
    let file =
        |key: &str, file: &str, log: &mut ImportLog| library.read(&left_source, key, file, log);
    let shoe = file("Track Shoes / Input File", &of_left.shoes.file, log)?;
    let shoe = shoe::shoe(&shoe, log)?;
    let brake = file("Brake / Input File", &of_left.brake.file, log)?;
    let (brake_torque, brake_inertia) = gear::brake(&brake, log)?;
    let sprocket = file("Sprocket / Input File", &of_left.sprocket.file, log)?;
    let place = at(of_left.sprocket.location);
    let sprocket = gear::sprocket(&sprocket, place, &shoe, brake_inertia, log)?;
    let idler = file("Idler / Input File", &of_left.idler.file, log)?;
    let idler = gear::idler(library, &idler, at(of_left.idler.location), log)?;
    if let Some(other) = of_left.arms.iter().find(|arm| arm.file != first.file) {
        let key = format!("Suspension Subsystems ({})", other.file);
        log.omit(&left_source, &key, "all arms are like the first one in bekker");
    }
    let arm = file("Suspension Subsystems / 0 / Input File", &first.file, log)?;
    let (road_arm, road_wheel) = gear::arm(library, &arm, log)?;
    let return_roller = match of_left.rollers.first() {
        Some(first) => {
            let roller = file("Rollers / 0 / Input File", &first.file, log)?;
            Some(gear::return_roller(&roller, first.location[2], log)?)
        }
        None => None,
    };
    if let (Some(first), of_others) = (of_left.rollers.first(), &of_left.rollers)
        && of_others
            .iter()
            .any(|own| own.file != first.file || own.location[2] != first.location[2])
    {
        log.omit(
            &left_source,
            "Rollers",
            "all are like the first one, and at its height, in bekker",
        );
    }
    let driveline = library.read(source, "Driveline / Input File", &own.driveline.file, log)?;
    let drive = drive(library, source, &driveline, brake_torque, log)?;
    let powertrain = powertrain::powertrain(library, source, companions, log)?;
    let mut spec = TrackedSpec {
        format: 1,
        running_gear: RunningGear::Tracks,
        model: TrackModel::Belt,
        name: own.name.clone(),
        description: format!("{}, tracked, chassis of {:.0} kg", own.name, chassis.mass),
        source: super::source_line(source),
        chassis,
        sprocket,
        idler,
        wheel_height: first.location[2],
        road_arm,
        road_wheel,
        return_roller,
        shoe,
        left: track(&of_left),
        right: track(&of_right),
        drive,
        powertrain,
    };
    let [force, per_speed] =
        RESISTANCE.map(|each| Some((0.5 * each * spec.total_mass() / 1e3).round()));
    spec.drive.resistance = TrackResistance { force, per_speed, coefficient: None };
    log.assume("drive.resistance", "as for tracks with rubber bushings (Bekker 1969)");
    spec.check().map_err(|error| log.refused(source, error))?;
    Ok(AnySpec::Tracked(Box::new(spec)))
}

/// Returns the left and the right track.
fn sides<'a>(
    source: &JsonSource,
    entries: &'a [AssemblyEntry],
) -> Result<[&'a AssemblyEntry; 2], ImportError> {
    let [a, b] = entries else {
        let count = format!("{}", entries.len());
        return Err(source.refused("Track Assemblies", &count, "two"));
    };
    let (left, right) = if a.offset > b.offset { (a, b) } else { (b, a) };
    if left.offset <= 0.0 || right.offset >= 0.0 {
        let offsets = format!("{}, {}", left.offset, right.offset);
        let allowed = "one offset above and one below 0";
        return Err(source.refused("Track Assemblies / Offset", &offsets, allowed));
    }
    Ok([left, right])
}

fn track(own: &Assembly) -> Track {
    let mut return_rollers: Vec<f64> = own.rollers.iter().map(|own| own.location[0]).collect();
    return_rollers.sort_by(|a, b| b.total_cmp(a));
    let mut arms: Vec<&ArmEntry> = own.arms.iter().collect();
    arms.sort_by(|a, b| b.location[0].total_cmp(&a.location[0]));
    Track {
        shoes: own.shoes.count,
        stations: arms.iter().map(|arm| arm.location[0]).collect(),
        damped: arms.iter().map(|arm| arm.damped).collect(),
        return_rollers,
    }
}

#[derive(Deserialize)]
struct DrivelineShafts {
    #[serde(rename = "Driveshaft Inertia")]
    driveshaft: f64,
    #[serde(rename = "Differential Box Inertia")]
    carrier: f64,
    #[serde(rename = "Conical Gear Ratio")]
    ratio: f64,
}

#[derive(Deserialize)]
struct SimpleTrackDriveline {}

/// Reads the driveline from the gearbox to the sprockets; the tracks' resistance is set later.
fn drive(
    library: &Library,
    vehicle: &JsonSource,
    source: &JsonSource,
    brake_torque: f64,
    log: &mut ImportLog,
) -> Result<TrackDrive, ImportError> {
    log.origin("drive", source);
    let DrivelineShafts { driveshaft, carrier, ratio } = match source.template()? {
        "TrackDrivelineBDS" => source.params(log)?,
        "SimpleTrackDriveline" => {
            let SimpleTrackDriveline {} = source.params(log)?;
            match library.files_beside(vehicle, "TrackDriveline", &["TrackDrivelineBDS"]).first() {
                Some(path) => {
                    let other = library.open(path, log)?;
                    let what = "ratio and inertias, which the vehicle's driveline lacks";
                    log.assume("drive", format!("{what}: from {}, in its folder", other.name));
                    other.params(log)?
                }
                None => {
                    log.assume(
                        "drive.ratio",
                        format!("{RATIO}, because the source's driveline has none"),
                    );
                    log.assume("drive", format!("inertias of {SHAFT} and {CARRIER} kg m²"));
                    DrivelineShafts { driveshaft: SHAFT, carrier: CARRIER, ratio: RATIO }
                }
            }
        }
        other => {
            return Err(source.refused(
                "Template",
                other,
                "TrackDrivelineBDS, SimpleTrackDriveline",
            ));
        }
    };
    let what = format!("a controlled differential of ratio {STEERING}, as in the M113");
    log.assume("drive.steering", what);
    Ok(TrackDrive {
        ratio,
        driveshaft_inertia: driveshaft,
        carrier_inertia: carrier,
        brake_torque,
        resistance: TrackResistance::default(),
        steering: TrackSteering::Differential { ratio: STEERING, brake_torque },
    })
}
