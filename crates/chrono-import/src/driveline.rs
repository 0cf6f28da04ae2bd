//! Driveline: from the gearbox to the wheels.

use super::ImportError;
use super::log::ImportLog;
use super::source::JsonSource;
use bekker_vehicle::spec::{Differential, Driveline, FinalDrive, Layout};
use serde::Deserialize;

/// Supported templates.
const KNOWN: &str = "ShaftsDriveline2WD, ShaftsDriveline4WD, SimpleDriveline, SimpleDrivelineXWD";
/// Inertias of shafts and of carriers where a driveline specifies none, kg m².
const SHAFT: f64 = 0.5;
const CARRIER: f64 = 0.6;

/// Driveline as read from a file.
pub(super) struct ImportedDriveline {
    pub driveline: Driveline,
    /// Index and final drive of each driven axle; half-shafts are set later.
    pub final_drives: Vec<(usize, FinalDrive)>,
}

#[derive(Deserialize)]
struct OneAxle {
    #[serde(rename = "Shaft Inertia")]
    inertia: OneAxleInertia,
    #[serde(rename = "Gear Ratio")]
    ratio: OneAxleRatio,
    #[serde(rename = "Axle Differential Locking Limit", default)]
    lock: f64,
}

#[derive(Deserialize)]
struct OneAxleInertia {
    #[serde(rename = "Driveshaft")]
    driveshaft: f64,
    #[serde(rename = "Differential Box")]
    carrier: f64,
}

#[derive(Deserialize)]
struct OneAxleRatio {
    #[serde(rename = "Conical Gear")]
    conical: f64,
}

#[derive(Deserialize)]
struct TwoAxles {
    #[serde(rename = "Shaft Inertia")]
    inertia: TwoAxlesInertia,
    #[serde(rename = "Gear Ratio")]
    ratio: TwoAxlesRatio,
    #[serde(rename = "Axle Differential Locking Limit", default)]
    lock: f64,
    #[serde(rename = "Central Differential Locking Limit", default)]
    center_lock: f64,
}

#[derive(Deserialize)]
struct TwoAxlesInertia {
    #[serde(rename = "Driveshaft")]
    driveshaft: f64,
    #[serde(rename = "Front Driveshaft")]
    front: f64,
    #[serde(rename = "Rear Driveshaft")]
    rear: f64,
    #[serde(rename = "Central Differential Box")]
    center: f64,
    #[serde(rename = "Front Differential Box")]
    front_carrier: f64,
    #[serde(rename = "Rear Differential Box")]
    rear_carrier: f64,
}

#[derive(Deserialize)]
struct TwoAxlesRatio {
    #[serde(rename = "Front Conical Gear")]
    front: f64,
    #[serde(rename = "Rear Conical Gear")]
    rear: f64,
}

#[derive(Deserialize)]
struct SimpleAxleDriveline {
    #[serde(rename = "Front Torque Fraction")]
    front_torque: f64,
    #[serde(rename = "Front Conical Gear Ratio")]
    front: f64,
    #[serde(rename = "Rear Conical Gear Ratio")]
    rear: f64,
    #[serde(rename = "Front Differential Max Bias", default)]
    front_bias: f64,
    #[serde(rename = "Rear Differential Max Bias", default)]
    rear_bias: f64,
}

#[derive(Deserialize)]
struct AnyAxles {
    #[serde(rename = "Differential Max Bias", default)]
    bias: f64,
}

/// Reads a driveline that drives the axles of these indices, front before rear.
pub(super) fn driveline(
    source: &JsonSource,
    driven: &[usize],
    log: &mut ImportLog,
) -> Result<ImportedDriveline, ImportError> {
    log.origin("driveline", source);
    let count = |allowed: usize| {
        if driven.len() == allowed {
            return Ok(());
        }
        let indices = format!("{driven:?}");
        let allowed = format!("{allowed} axles, the number that the template drives");
        Err(source.refused("Suspension Indexes (of the vehicle)", &indices, &allowed))
    };
    let open = Differential::open;
    let biased = |bias: f64| Differential {
        torque_bias: (bias > 1.0).then_some(bias),
        ..Differential::open(CARRIER, 0.0)
    };
    let axle = |ratio, differential, shaft_inertia| FinalDrive {
        ratio,
        differential,
        shaft_inertia,
        half_shaft_inertia: 0.0,
    };
    let build_driveline = |driveshaft_inertia, front_torque, center| Driveline {
        layout: Layout::ByAxle,
        driveshaft_inertia,
        front_axles: None,
        front_torque,
        center,
        inter_axle: None,
    };
    let assumed = |log: &mut ImportLog| {
        let what = format!("inertias of {SHAFT} kg m² for shafts and {CARRIER} kg m² for carriers");
        log.assume("driveline", what);
    };
    match source.template()? {
        "ShaftsDriveline2WD" => {
            count(1)?;
            let own: OneAxle = source.params(log)?;
            let carrier = open(own.inertia.carrier, own.lock);
            Ok(ImportedDriveline {
                driveline: build_driveline(own.inertia.driveshaft, None, open(0.0, 0.0)),
                final_drives: vec![(driven[0], axle(own.ratio.conical, carrier, 0.0))],
            })
        }
        "ShaftsDriveline4WD" => {
            count(2)?;
            let own: TwoAxles = source.params(log)?;
            let [front, rear] = [
                axle(own.ratio.front, open(own.inertia.front_carrier, own.lock), own.inertia.front),
                axle(own.ratio.rear, open(own.inertia.rear_carrier, own.lock), own.inertia.rear),
            ];
            let center = open(own.inertia.center, own.center_lock);
            Ok(ImportedDriveline {
                driveline: build_driveline(own.inertia.driveshaft, None, center),
                final_drives: vec![(driven[0], front), (driven[1], rear)],
            })
        }
        "SimpleDriveline" => {
            count(2)?;
            let own: SimpleAxleDriveline = source.params(log)?;
            assumed(log);
            let front = axle(own.front, biased(own.front_bias), SHAFT);
            let rear = axle(own.rear, biased(own.rear_bias), SHAFT);
            let mut final_drives = vec![(driven[0], front), (driven[1], rear)];
            // some files use it to drive one axle alone
            match own.front_torque {
                0.0 => final_drives.truncate(0),
                1.0 => final_drives.truncate(1),
                _ => {}
            }
            if final_drives.is_empty() {
                final_drives.push((driven[1], rear));
            }
            let both = final_drives.len() == 2;
            let share = both.then_some(own.front_torque);
            Ok(ImportedDriveline {
                driveline: build_driveline(SHAFT, share, open(CARRIER, 0.0)),
                final_drives,
            })
        }
        "SimpleDrivelineXWD" => {
            let AnyAxles { bias } = source.params(log)?;
            assumed(log);
            log.assume("axles.final_drive.ratio", "1, because the source's driveline has none");
            let each = driven.iter().map(|&index| (index, axle(1.0, biased(bias), SHAFT)));
            Ok(ImportedDriveline {
                driveline: build_driveline(SHAFT, None, open(CARRIER, 0.0)),
                final_drives: each.collect(),
            })
        }
        other => Err(source.refused("Template", other, KNOWN)),
    }
}
