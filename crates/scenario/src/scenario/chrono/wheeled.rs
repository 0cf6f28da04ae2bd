//! Vehicles on wheels.

use super::chassis::{self, Rear};
use super::library::{Library, Source};
use super::log::Log;
use super::part::{Body, moved};
use super::suspension::{self, SteeredBy};
use super::{Beside, ImportError, driveline, powertrain, steering, tyre, wheel};
use crate::vehicle::AnySpec;
use crate::vehicle::spec::{
    AntiRollBar, Axle, DoubleWishbone, FinalDrive, Layout, Point, Suspension, Tandem, VehicleSpec,
    Wheel,
};
use serde::Deserialize;
use std::path::PathBuf;

/// Farthest that wheels stand before or behind the origin of their axle's frame, m; beyond, the
/// frame is moved to them.
const ASIDE: f64 = 0.2;
/// How far a stated wheelbase may be from the axles' distance without a word.
const NEAR: f64 = 0.02;

#[derive(Deserialize)]
struct Figures {
    #[serde(rename = "Name")]
    name: String,
    #[serde(rename = "Chassis")]
    chassis: File,
    #[serde(rename = "Rear Chassis", default)]
    rear: Vec<Rear>,
    #[serde(rename = "Subchassis", default)]
    subchassis: Vec<Subchassis>,
    #[serde(rename = "Axles")]
    axles: Vec<AxleEntry>,
    #[serde(rename = "Steering Subsystems", default)]
    steering: Vec<steering::Entry>,
    #[serde(rename = "Wheelbase")]
    wheelbase: Option<f64>,
    #[serde(rename = "Maximum Steering Angle (deg)")]
    lock: Option<f64>,
    #[serde(rename = "Driveline")]
    driveline: DrivelineEntry,
}

#[derive(Deserialize)]
struct File {
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

#[derive(Deserialize)]
struct AxleEntry {
    #[serde(rename = "Suspension Input File")]
    suspension: String,
    #[serde(rename = "Suspension Location")]
    location: Point,
    #[serde(rename = "Chassis Index")]
    #[allow(dead_code)] // all chassis become one body
    chassis: Option<i64>,
    #[serde(rename = "Subchassis Index")]
    subchassis: Option<usize>,
    #[serde(rename = "Steering Index")]
    steering: Option<usize>,
    #[serde(rename = "Left Wheel Input File", alias = "Left Inside Wheel Input File")]
    left_wheel: String,
    #[serde(rename = "Right Wheel Input File", alias = "Right Inside Wheel Input File")]
    right_wheel: String,
    #[serde(rename = "Left Brake Input File")]
    left_brake: Option<String>,
    #[serde(rename = "Right Brake Input File")]
    right_brake: Option<String>,
    #[serde(rename = "Antirollbar Input File")]
    bar: Option<String>,
    #[serde(rename = "Antirollbar Location")]
    bar_location: Option<Point>,
}

#[derive(Deserialize)]
struct Subchassis {
    #[serde(rename = "Input File")]
    file: String,
    #[serde(rename = "Subchassis Location")]
    location: Point,
    #[serde(rename = "Chassis Index")]
    #[allow(dead_code)] // all chassis become one body
    chassis: Option<i64>,
}

/// The vehicle of a file, with an engine, a transmission and tyres.
pub(super) fn vehicle(
    library: &Library,
    source: &Source,
    beside: &Beside,
    log: &mut Log,
) -> Result<AnySpec, ImportError> {
    log.read(&source.name);
    let own: Figures = source.figures(log)?;
    if !(2..=16).contains(&own.axles.len()) {
        return Err(source.refused("Axles", &format!("{}", own.axles.len()), "2 to 16 axles"));
    }
    let chassis = chassis::chassis(library, source, &own.chassis.file, &own.rear, log)?;
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
    let tyres = tyres(library, source, &own.axles, beside, log)?;
    let mut axles = Vec::with_capacity(order.len());
    let mut mechanism = None;
    for (index, &at) in order.iter().enumerate() {
        let entry = AxleAt { index, at, of: own.axles.len(), entry: &own.axles[at] };
        let final_drive = driveline.final_drives.iter().find(|(of, _)| *of == index);
        let tyre = &tyres[index.min(tyres.len() - 1)];
        let (axle, steered_by) =
            entry.read(library, source, tyre, final_drive.map(|(_, own)| *own), log)?;
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
                let why = "all steered axles have the first's mechanism, by a ratio";
                log.omit(source, &key, why);
            }
            let first = (&axle, steered_by);
            Some(steering::steering(library, source, (index, entry), first, own.lock, log)?)
        }
    };
    let tandems = tandems(library, source, &own, &axles, &order, log)?;
    let wheelbase = axles[0].position[0] - axles[axles.len() - 1].position[0];
    if own.wheelbase.is_some_and(|stated| (stated / wheelbase - 1.0).abs() > NEAR) {
        let why = format!("the axles stand {wheelbase:.3} m apart");
        log.omit(source, "Wheelbase", &why);
    }
    let powertrain = powertrain::powertrain(library, source, beside, log)?;
    // what all axles share stands once
    let (Some(first_wheel), Some(first_tyre)) = (axles[0].wheel, axles[0].tyre.clone()) else {
        return Err(source.refused("Axles", "without wheels", "with wheels"));
    };
    for axle in &mut axles {
        if axle.wheel == Some(first_wheel) && axle.tyre == Some(first_tyre.clone()) {
            (axle.wheel, axle.tyre) = (None, None);
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
        axles,
        steering,
        tandems,
        trailer: None,
        wheel: first_wheel,
        tyre: *first_tyre,
        driveline: shafts,
        powertrain,
    };
    spec.check().map_err(|error| log.refused(source, error))?;
    Ok(AnySpec::Wheeled(Box::new(spec)))
}

/// Indices of the axles, the foremost first.
fn front_to_rear(axles: &[AxleEntry]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..axles.len()).collect();
    order.sort_by(|&a, &b| axles[b].location[0].total_cmp(&axles[a].location[0]));
    order
}

/// The tyres asked for, else the best known of the vehicle's folder: one for all axles, or one in
/// front and one behind where files say so in their names.
fn tyres(
    library: &Library,
    vehicle: &Source,
    axles: &[AxleEntry],
    beside: &Beside,
    log: &mut Log,
) -> Result<Vec<tyre::Read>, ImportError> {
    let mut paths = beside.tyres.clone();
    if paths.is_empty() {
        let found = library.beside(vehicle, "Tire", &tyre::TYRES);
        let says = |path: &PathBuf, word: &str| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().to_lowercase().contains(word))
        };
        let named = |word: &str| found.iter().find(|path| says(path, word)).cloned();
        paths = match (named("front"), named("rear"), found.first()) {
            (Some(front), Some(rear), _) => vec![front, rear],
            (_, _, Some(first)) => vec![first.clone()],
            _ => {
                let allowed = "given by --tyre: the vehicle's folder has none that is known";
                return Err(vehicle.refused("tyre", "absent", allowed));
            }
        };
        if found.len() > paths.len() {
            let names: Vec<String> = paths.iter().map(|path| library.short(path)).collect();
            let (names, of) = (names.join(", "), found.len());
            log.assume("tyre", format!("{names}, the best known of {of} of the vehicle's folder"));
        }
    } else if paths.len() != 1 && paths.len() != axles.len() {
        let allowed = format!("given once, or once for each of {} axles", axles.len());
        return Err(vehicle.refused("tyre", &format!("{} files", paths.len()), &allowed));
    }
    let read = |(index, path): (usize, &PathBuf)| {
        let source = library.open(path, log)?;
        let key = if index == 0 { "tyre".to_owned() } else { format!("axles[{index}].tyre") };
        tyre::tyre(&source, &key, log)
    };
    paths.iter().enumerate().map(read).collect()
}

/// An axle of the file: its place from the front and in the file, and how many there are.
struct AxleAt<'a> {
    index: usize,
    at: usize,
    of: usize,
    entry: &'a AxleEntry,
}

impl AxleAt<'_> {
    fn read(
        &self,
        library: &Library,
        vehicle: &Source,
        tyre: &tyre::Read,
        final_drive: Option<FinalDrive>,
        log: &mut Log,
    ) -> Result<(Axle, SteeredBy), ImportError> {
        let entry = self.entry;
        let ours = format!("axles[{}]", self.index);
        let key = |name: &str| format!("Axles / {} / {name}", self.at);
        let steered = entry.steering.is_some();
        let name = key("Suspension Input File");
        let source = library.read(vehicle, &name, &entry.suspension, log)?;
        log.origin(&ours, &source);
        let read = suspension::suspension(&source, &ours, steered, log)?;
        if steered && matches!(read.suspension, Suspension::TrailingArm(_)) {
            let allowed = "absent: arms without an upright are not steered here";
            return Err(vehicle.refused(&key("Steering Index"), "given", allowed));
        }
        let (left, right) = (&entry.left_wheel, &entry.right_wheel);
        if left != right {
            log.omit(vehicle, &key("Right Wheel Input File"), "both sides have the left one here");
        }
        let source = library.read(vehicle, &key("Left Wheel Input File"), left, log)?;
        let width = tyre.tyre.handling.width;
        let wheel: Wheel =
            wheel::wheel(&source, &format!("{ours}.wheel"), tyre.rim_radius, width, log)?;
        let brake_torque = match (&entry.left_brake, &entry.right_brake) {
            (Some(left), right) => {
                if right.as_ref() != Some(left) {
                    let why = "both sides have the left one here";
                    log.omit(vehicle, &key("Right Brake Input File"), why);
                }
                let source = library.read(vehicle, &key("Left Brake Input File"), left, log)?;
                wheel::brake_torque(&source, log)?
            }
            (None, _) => 0.0,
        };
        let (position, suspension, shift) = at_its_wheels(entry.location, read.suspension);
        let anti_roll_bar = match (&entry.bar, entry.bar_location) {
            (Some(file), Some(location)) => {
                let source = library.read(vehicle, &key("Antirollbar Input File"), file, log)?;
                Some(anti_roll_bar(&source, location, position, log)?)
            }
            _ => None,
        };
        let steered_by = match read.steered_by {
            SteeredBy::DragLink(point) => SteeredBy::DragLink(moved(point, [-shift, 0.0, 0.0])),
            other => other,
        };
        let half_shaft_inertia = read.half_shaft_inertia;
        let axle = Axle {
            name: name_of(self.index, self.of),
            position,
            steered,
            trailed: false,
            steer_ratio: None,
            twin_spacing: None,
            brake_torque,
            brake_lag: None,
            load_sensing: None,
            suspension,
            spring: read.spring,
            damper: read.damper,
            anti_roll_bar,
            wheel: Some(wheel),
            tyre: Some(Box::new(tyre.tyre.clone())),
            final_drive: final_drive.map(|own| FinalDrive { half_shaft_inertia, ..own }),
        };
        Ok((axle, steered_by))
    }
}

fn name_of(index: usize, of: usize) -> String {
    match (index, of) {
        (0, 2) => "front".to_owned(),
        (1, 2) => "rear".to_owned(),
        _ => format!("axle{}", index + 1),
    }
}

/// An axle's frame with its wheels near its origin: some files give all points in the chassis
/// frame. Position, suspension, and how far the frame was moved along x, m.
fn at_its_wheels(location: Point, suspension: Suspension) -> (Point, Suspension, f64) {
    let shift = suspension.spindle()[0];
    if shift.abs() <= ASIDE {
        return (location, suspension, 0.0);
    }
    let by = |point: &mut Point| point[0] -= shift;
    let mut suspension = suspension;
    match &mut suspension {
        Suspension::DoubleWishbone(DoubleWishbone { points: p, .. }) => [
            &mut p.spindle,
            &mut p.upright,
            &mut p.upper_arm_front,
            &mut p.upper_arm_back,
            &mut p.upper_arm_outer,
            &mut p.upper_arm_com,
            &mut p.lower_arm_front,
            &mut p.lower_arm_back,
            &mut p.lower_arm_outer,
            &mut p.lower_arm_com,
            &mut p.damper_chassis,
            &mut p.damper_arm,
            &mut p.spring_chassis,
            &mut p.spring_arm,
            &mut p.tie_rod_chassis,
            &mut p.tie_rod_upright,
        ]
        .into_iter()
        .for_each(by),
        Suspension::TrailingArm(own) => {
            let p = &mut own.points;
            [
                &mut p.spindle,
                &mut p.pivot_inner,
                &mut p.pivot_outer,
                &mut p.arm_com,
                &mut p.damper_chassis,
                &mut p.damper_arm,
                &mut p.spring_chassis,
                &mut p.spring_arm,
            ]
            .into_iter()
            .for_each(by);
        }
        // solid axles have their frame at the beam
        Suspension::SolidAxle(_) => return (location, suspension, 0.0),
    }
    (moved(location, [shift, 0.0, 0.0]), suspension, shift)
}

#[derive(Deserialize)]
struct Bar {
    #[serde(rename = "Arm")]
    arm: BarArm,
    #[serde(rename = "Droplink")]
    drop: Drop,
    #[serde(rename = "RSD")]
    spring: Torsion,
}

#[derive(Deserialize)]
struct BarArm {
    #[serde(rename = "Length")]
    half_length: f64,
    #[serde(rename = "Width")]
    lever: f64,
}

#[derive(Deserialize)]
struct Drop {
    #[serde(rename = "Height")]
    height: f64,
}

#[derive(Deserialize)]
struct Torsion {
    #[serde(rename = "Spring Coefficient")]
    stiffness: f64,
    #[serde(rename = "Damping Coefficient", default)]
    damping: f64,
}

fn anti_roll_bar(
    source: &Source,
    location: Point,
    axle: Point,
    log: &mut Log,
) -> Result<AntiRollBar, ImportError> {
    let own: Bar = source.figures(log)?;
    let at = moved(location, axle.map(|x| -x));
    Ok(AntiRollBar {
        stiffness: own.spring.stiffness,
        damping: own.spring.damping,
        lever: own.arm.lever,
        drop_link: moved(at, [-own.arm.lever, own.arm.half_length, own.drop.height]),
    })
}

#[derive(Deserialize)]
struct Balancer {
    #[serde(rename = "Beam")]
    beam: Beam,
    #[serde(rename = "Maximum Pitch")]
    most: f64,
}

#[derive(Deserialize)]
struct Beam {
    #[serde(rename = "Mass")]
    mass: f64,
    #[serde(rename = "Inertia", alias = "Moments of Inertia")]
    inertia: Point,
    #[serde(rename = "Pin Location")]
    pin: Point,
}

/// Walking beams, and the axles whose springs stand on each.
fn tandems(
    library: &Library,
    vehicle: &Source,
    own: &Figures,
    axles: &[Axle],
    order: &[usize],
    log: &mut Log,
) -> Result<Vec<Tandem>, ImportError> {
    let mut tandems = Vec::new();
    for (index, entry) in own.subchassis.iter().enumerate() {
        let key = format!("Subchassis / {index} / Input File");
        let source = library.read(vehicle, &key, &entry.file, log)?;
        if source.template()? != "Balancer" {
            return Err(source.refused("Template", source.template()?, "Balancer"));
        }
        let on = |at: &&usize| own.axles[**at].subchassis == Some(index);
        let names: Vec<String> = order
            .iter()
            .enumerate()
            .filter(|(_, at)| on(at))
            .map(|(place, _)| axles[place].name.clone())
            .collect();
        let count = names.len();
        let Ok(names) = <[String; 2]>::try_from(names) else {
            let allowed = "that of two axles, which a walking beam joins";
            let value = format!("given for {count} axles");
            return Err(vehicle.refused("Axles / Subchassis Index", &value, allowed));
        };
        let figures: Balancer = source.figures(log)?;
        let key = format!("tandems[{index}]");
        log.origin(&key, &source);
        let beam = &figures.beam;
        tandems.push(Tandem {
            axles: names,
            pin: moved(beam.pin, entry.location),
            beam: Body::new(beam.mass, beam.pin, beam.inertia, [0.0; 3])
                .part(&format!("{key}.beam"), log),
            max_pitch_deg: figures.most.to_degrees(),
        });
    }
    Ok(tandems)
}
