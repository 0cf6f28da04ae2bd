//! Axle with its suspension, wheels, brakes and anti-roll bar.

use super::super::library::Library;
use super::super::log::ImportLog;
use super::super::part::translated;
use super::super::source::JsonSource;
use super::super::suspension::{self, SteeringLinkage};
use super::super::{ImportError, tire, wheel};
use bekker_vehicle::spec::{
    AntiRollBar, Axle, DoubleWishbone, FinalDrive, Point, Suspension, Wheel,
};
use serde::Deserialize;

/// Maximum distance of wheels from the origin of their axle's frame along x, m.
///
/// Beyond it, the frame is moved to the wheels.
const ASIDE: f64 = 0.2;

/// Axle entry of a vehicle file.
#[derive(Deserialize)]
pub(super) struct AxleEntry {
    #[serde(rename = "Suspension Input File")]
    pub suspension: String,
    #[serde(rename = "Suspension Location")]
    pub location: Point,
    #[serde(rename = "Chassis Index")]
    #[allow(dead_code)] // an axle is attached to the chassis at its location
    pub chassis: Option<i64>,
    #[serde(rename = "Subchassis Index")]
    pub subchassis: Option<usize>,
    #[serde(rename = "Steering Index")]
    pub steering: Option<usize>,
    #[serde(rename = "Left Wheel Input File", alias = "Left Inside Wheel Input File")]
    pub left_wheel: String,
    #[serde(rename = "Right Wheel Input File", alias = "Right Inside Wheel Input File")]
    pub right_wheel: String,
    #[serde(rename = "Left Brake Input File")]
    pub left_brake: Option<String>,
    #[serde(rename = "Right Brake Input File")]
    pub right_brake: Option<String>,
    #[serde(rename = "Antirollbar Input File")]
    pub bar: Option<String>,
    #[serde(rename = "Antirollbar Location")]
    pub bar_location: Option<Point>,
}

/// Axle of the file: its index from the front and in the file, the number of axles, and its entry.
pub(super) struct AxlePosition<'a> {
    pub index: usize,
    pub at: usize,
    pub of: usize,
    pub entry: &'a AxleEntry,
}

impl AxlePosition<'_> {
    pub fn read(
        &self,
        library: &Library,
        vehicle: &JsonSource,
        tire: &tire::ImportedTire,
        final_drive: Option<FinalDrive>,
        log: &mut ImportLog,
    ) -> Result<(Axle, SteeringLinkage), ImportError> {
        let entry = self.entry;
        let ours = format!("axles[{}]", self.index);
        let key = |name: &str| format!("Axles / {} / {name}", self.at);
        let steered = entry.steering.is_some();
        let name = key("Suspension Input File");
        let source = library.read(vehicle, &name, &entry.suspension, log)?;
        log.origin(&ours, &source);
        let read = suspension::suspension(&source, &ours, steered, log)?;
        if steered && matches!(read.suspension, Suspension::TrailingArm(_)) {
            let allowed = "absent: bekker cannot steer arms without an upright";
            return Err(vehicle.refused(&key("Steering Index"), "given", allowed));
        }
        let (left, right) = (&entry.left_wheel, &entry.right_wheel);
        if left != right {
            log.omit(
                vehicle,
                &key("Right Wheel Input File"),
                "both sides use the left one in bekker",
            );
        }
        let source = library.read(vehicle, &key("Left Wheel Input File"), left, log)?;
        let width = tire.tire.handling.width;
        let wheel: Wheel =
            wheel::wheel(&source, &format!("{ours}.wheel"), tire.rim_radius, width, log)?;
        let brake_torque = match (&entry.left_brake, &entry.right_brake) {
            (Some(left), right) => {
                if right.as_ref() != Some(left) {
                    let why = "both sides use the left one in bekker";
                    log.omit(vehicle, &key("Right Brake Input File"), why);
                }
                let source = library.read(vehicle, &key("Left Brake Input File"), left, log)?;
                wheel::brake_torque(&source, log)?
            }
            (None, _) => 0.0,
        };
        let (position, suspension, shift) = move_to_wheels(entry.location, read.suspension);
        let anti_roll_bar = match (&entry.bar, entry.bar_location) {
            (Some(file), Some(location)) => {
                let source = library.read(vehicle, &key("Antirollbar Input File"), file, log)?;
                Some(anti_roll_bar(&source, location, position, log)?)
            }
            _ => None,
        };
        let steered_by = match read.steered_by {
            SteeringLinkage::DragLink(point) => {
                SteeringLinkage::DragLink(translated(point, [-shift, 0.0, 0.0]))
            }
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
            spring: Some(read.spring),
            damper: Some(read.damper),
            anti_roll_bar,
            wheel: Some(wheel),
            tire: Some(Box::new(tire.tire.clone())),
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

/// Moves an axle's frame to its wheels: some files specify all points in the chassis frame.
///
/// Returns the position, the suspension, and the displacement of the frame along x, m.
fn move_to_wheels(location: Point, suspension: Suspension) -> (Point, Suspension, f64) {
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
        Suspension::SingleWishbone(own) => {
            let p = &mut own.points;
            [
                &mut p.spindle,
                &mut p.upright,
                &mut p.arm_front,
                &mut p.arm_back,
                &mut p.arm_com,
                &mut p.kingpin_upper,
                &mut p.kingpin_lower,
                &mut p.damper_chassis,
                &mut p.damper_arm,
                &mut p.spring_chassis,
                &mut p.spring_arm,
                &mut p.tie_rod_chassis,
                &mut p.tie_rod_upright,
            ]
            .into_iter()
            .for_each(by);
        }
        Suspension::MacphersonStrut(own) => {
            let p = &mut own.points;
            [
                &mut p.spindle,
                &mut p.upright,
                &mut p.arm_front,
                &mut p.arm_back,
                &mut p.arm_outer,
                &mut p.arm_com,
                &mut p.strut_chassis,
                &mut p.strut_upright,
                &mut p.damper_chassis,
                &mut p.damper_upright,
                &mut p.spring_chassis,
                &mut p.spring_upright,
                &mut p.tie_rod_chassis,
                &mut p.tie_rod_upright,
            ]
            .into_iter()
            .for_each(by);
        }
        Suspension::Rigid(own) => by(&mut own.center),
        // solid axles have their frame at the beam
        Suspension::SolidAxle(_) => return (location, suspension, 0.0),
    }
    (translated(location, [shift, 0.0, 0.0]), suspension, shift)
}

#[derive(Deserialize)]
struct AntiRollBarParams {
    #[serde(rename = "Arm")]
    arm: AntiRollBarArm,
    #[serde(rename = "Droplink")]
    drop: DropLink,
    #[serde(rename = "RSD")]
    spring: BarTorsion,
}

#[derive(Deserialize)]
struct AntiRollBarArm {
    #[serde(rename = "Length")]
    half_length: f64,
    #[serde(rename = "Width")]
    lever: f64,
}

#[derive(Deserialize)]
struct DropLink {
    #[serde(rename = "Height")]
    height: f64,
}

#[derive(Deserialize)]
struct BarTorsion {
    #[serde(rename = "Spring Coefficient")]
    stiffness: f64,
    #[serde(rename = "Damping Coefficient", default)]
    damping: f64,
}

fn anti_roll_bar(
    source: &JsonSource,
    location: Point,
    axle: Point,
    log: &mut ImportLog,
) -> Result<AntiRollBar, ImportError> {
    let own: AntiRollBarParams = source.params(log)?;
    let at = translated(location, axle.map(|x| -x));
    Ok(AntiRollBar {
        stiffness: own.spring.stiffness,
        damping: own.spring.damping,
        lever: own.arm.lever,
        drop_link: translated(at, [-own.arm.lever, own.arm.half_length, own.drop.height]),
    })
}
