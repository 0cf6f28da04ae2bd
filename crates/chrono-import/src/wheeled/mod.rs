//! Wheeled vehicles.

mod axle;
mod tandem;

use super::chassis::{self, Rear};
use super::library::Library;
use super::log::ImportLog;
use super::source::JsonSource;
use super::{CompanionFiles, ImportError, driveline, powertrain, steering, tire};
use axle::{AxleEntry, AxlePosition};
use bekker_vehicle::AnySpec;
use bekker_vehicle::spec::{Layout, VehicleSpec};
use serde::Deserialize;
use std::path::PathBuf;
use tandem::Subchassis;

/// Relative deviation of a stated wheelbase above which it is recorded.
const NEAR: f64 = 0.02;

#[derive(Deserialize)]
struct WheeledVehicleParams {
    #[serde(rename = "Name")]
    name: String,
    #[serde(rename = "Chassis")]
    chassis: WheeledFileEntry,
    #[serde(rename = "Rear Chassis", default)]
    rear: Vec<Rear>,
    #[serde(rename = "Subchassis", default)]
    subchassis: Vec<Subchassis>,
    #[serde(rename = "Axles")]
    axles: Vec<AxleEntry>,
    #[serde(rename = "Steering Subsystems", default)]
    steering: Vec<steering::SteeringEntry>,
    #[serde(rename = "Wheelbase")]
    wheelbase: Option<f64>,
    #[serde(rename = "Maximum Steering Angle (deg)")]
    lock: Option<f64>,
    #[serde(rename = "Driveline")]
    driveline: DrivelineEntry,
}

#[derive(Deserialize)]
struct WheeledFileEntry {
    #[serde(rename = "Input File")]
    file: String,
}

#[derive(Deserialize)]
struct DrivelineEntry {
    #[serde(rename = "Input File")]
    file: String,
    #[serde(rename = "Suspension Indexes")]
    driven: Vec<usize>,
}

/// Reads a vehicle with an engine, a transmission and tires.
pub(super) fn vehicle(
    library: &Library,
    source: &JsonSource,
    companions: &CompanionFiles,
    log: &mut ImportLog,
) -> Result<AnySpec, ImportError> {
    log.read(&source.name);
    let own: WheeledVehicleParams = source.params(log)?;
    if !(2..=16).contains(&own.axles.len()) {
        return Err(source.refused("Axles", &format!("{}", own.axles.len()), "from 2 to 16 axles"));
    }
    let (chassis, rear_frame) =
        chassis::chassis(library, source, &own.chassis.file, &own.rear, log)?;
    let order = front_to_rear(&own.axles);
    let place = |index: usize| order.iter().position(|&at| at == index);
    let driven: Option<Vec<usize>> = own.driveline.driven.iter().map(|&at| place(at)).collect();
    let driven = driven.ok_or_else(|| {
        let value = format!("{:?}", own.driveline.driven);
        source.refused("Driveline / Suspension Indexes", &value, "indices of axles")
    })?;
    let file = &own.driveline.file;
    let driveline = library.read(source, "Driveline / Input File", file, log)?;
    let driveline = driveline::driveline(&driveline, &driven, log)?;
    let tires = tires(library, source, &own.axles, companions, log)?;
    let mut axles = Vec::with_capacity(order.len());
    let mut mechanism = None;
    for (index, &at) in order.iter().enumerate() {
        let entry = AxlePosition { index, at, of: own.axles.len(), entry: &own.axles[at] };
        let final_drive = driveline.final_drives.iter().find(|(of, _)| *of == index);
        let tire = &tires[index.min(tires.len() - 1)];
        let (axle, steered_by) =
            entry.read(library, source, tire, final_drive.map(|(_, own)| *own), log)?;
        if let (Some(steering), None) = (own.axles[at].steering, &mechanism) {
            mechanism = Some((steering, axle.clone(), steered_by));
        }
        axles.push(axle);
    }
    let steering = match mechanism {
        None => None,
        Some((index, axle, steered_by)) => {
            let Some(entry) = own.steering.get(index) else {
                let key = "Axles / Steering Index";
                let allowed = format!("below {}", own.steering.len());
                return Err(source.refused(key, &index.to_string(), &allowed));
            };
            for other in (0..own.steering.len()).filter(|other| *other != index) {
                let key = format!("Steering Subsystems / {other}");
                let why = "all steered axles use the first mechanism, with a ratio";
                log.omit(source, &key, why);
            }
            let first = steering::SteeredAxle { axle: &axle, steered_by };
            Some(steering::steering(library, source, index, entry, first, own.lock, log)?)
        }
    };
    let tandems = tandem::tandems(library, source, &own, &axles, &order, log)?;
    let wheelbase = axles[0].wheel_x() - axles[axles.len() - 1].wheel_x();
    if own.wheelbase.is_some_and(|stated| (stated / wheelbase - 1.0).abs() > NEAR) {
        let why = format!("the axles are {wheelbase:.3} m apart");
        log.omit(source, "Wheelbase", &why);
    }
    let powertrain = powertrain::powertrain(library, source, companions, log)?;
    // values common to all axles are written once
    let (Some(first_wheel), Some(first_tire)) = (axles[0].wheel, axles[0].tire.clone()) else {
        return Err(source.refused("Axles", "without wheels", "with wheels"));
    };
    for axle in &mut axles {
        if axle.wheel == Some(first_wheel) && axle.tire == Some(first_tire.clone()) {
            (axle.wheel, axle.tire) = (None, None);
        }
    }
    let mut shafts = driveline.driveline;
    if driveline.final_drives.len() == axles.len() {
        shafts.layout = Layout::Awd;
    }
    let mass = chassis.mass;
    let spec = VehicleSpec {
        format: 1,
        name: own.name.clone(),
        description: format!("{}, {} axles, chassis of {mass:.0} kg", own.name, axles.len()),
        source: super::source_line(source),
        wheelbase,
        chassis,
        rear_frame,
        axles,
        steering,
        tandems,
        rocker_bogie: None,
        trailer: None,
        wheel: first_wheel,
        tire: *first_tire,
        driveline: Some(shafts),
        powertrain: Some(powertrain),
        motor_drive: None,
    };
    spec.check().map_err(|error| log.refused(source, error))?;
    Ok(AnySpec::Wheeled(Box::new(spec)))
}

/// Returns the indices of the axles, the foremost first.
fn front_to_rear(axles: &[AxleEntry]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..axles.len()).collect();
    order.sort_by(|&a, &b| axles[b].location[0].total_cmp(&axles[a].location[0]));
    order
}

/// Returns the tires given in the call, or the preferred ones of the vehicle's folder.
///
/// They are one for all axles, or one for the front and one for the rear where file names
/// distinguish them.
fn tires(
    library: &Library,
    vehicle: &JsonSource,
    axles: &[AxleEntry],
    companions: &CompanionFiles,
    log: &mut ImportLog,
) -> Result<Vec<tire::ImportedTire>, ImportError> {
    let mut paths = companions.tires.clone();
    if paths.is_empty() {
        let found = library.files_beside(vehicle, "Tire", &tire::TIRES);
        let says = |path: &PathBuf, word: &str| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().to_lowercase().contains(word))
        };
        let named = |word: &str| found.iter().find(|path| says(path, word)).cloned();
        paths = match (named("front"), named("rear"), found.first()) {
            (Some(front), Some(rear), _) => vec![front, rear],
            (_, _, Some(first)) => vec![first.clone()],
            _ => {
                let allowed = "given by --tire, because the vehicle's folder has none that is \
                    supported";
                return Err(vehicle.refused("tire", "absent", allowed));
            }
        };
        if found.len() > paths.len() {
            let names: Vec<String> = paths.iter().map(|path| library.display_path(path)).collect();
            let (names, of) = (names.join(", "), found.len());
            log.assume(
                "tire",
                format!("{names}, the best supported of {of} in the vehicle's folder"),
            );
        }
    } else if paths.len() != 1 && paths.len() != axles.len() {
        let allowed = format!("given once, or once for each of {} axles", axles.len());
        return Err(vehicle.refused("tire", &format!("{} files", paths.len()), &allowed));
    }
    let read = |(index, path): (usize, &PathBuf)| {
        let source = library.open(path, log)?;
        let key = if index == 0 { "tire".to_owned() } else { format!("axles[{index}].tire") };
        tire::tire(&source, &key, log)
    };
    paths.iter().enumerate().map(read).collect()
}
