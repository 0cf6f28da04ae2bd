//! Belt compared with the segmented track, in which every shoe is a body, and with Project Chrono's.

use super::page::{ValidationError, worst};
use super::tracks::{self, m113_chrono};
use bekker_ground::soil::{Laws, Soil, SoilKind};
use bekker_ground::terrain::Terrain;
use bekker_math::numeric::GRAVITY;
use bekker_rig::InParallel;
use bekker_rig::{Rig, TrackMotion, TrackResult, TrackRig, TrackedDrive};
use bekker_vehicle::spec::TrackModel;
use bekker_vehicle::{Controls, TrackedSpec};

const MODELS: [TrackModel; 2] = [TrackModel::Segmented, TrackModel::Belt];

fn vehicle(model: TrackModel) -> TrackedSpec {
    TrackedSpec { model, ..m113_chrono() }
}

/// Step of both models, s.
const STEP: f64 = 1e-3;

fn soil_of(name: &str) -> Soil {
    match name {
        // friction high enough for rubber pads on a road
        "firm" => Soil {
            name: "firm".into(),
            source: "Coulomb".into(),
            kind: SoilKind::Firm { friction: 0.8 },
        },
        name => tracks::soil_of(name),
    }
}

fn rig(model: TrackModel, soil: &str, motion: TrackMotion, laws: Laws) -> TrackRig {
    let rig = TrackRig::new(vehicle(model), soil_of(soil), motion);
    TrackRig { duration: 4.0, laws, step: STEP, ..rig }
}

/// Runs both models on one rig.
fn both(soil: &str, motion: TrackMotion, laws: Laws) -> Result<[TrackResult; 2], ValidationError> {
    let [segmented, belt] = MODELS.map(|model| rig(model, soil, motion, laws).run());
    Ok([segmented?, belt?])
}

/// Drive of an M113 that is dropped at 1.1 m.
struct ModelDrive {
    soil: &'static str,
    throttle: f64,
    seconds: f64,
}

/// Results at the end of a drive; the speed is the mean of the last second.
struct DriveEnd {
    distance: f64,
    speed: f64,
}

fn drive(model: TrackModel, case: &ModelDrive) -> Result<DriveEnd, ValidationError> {
    let spec = vehicle(model);
    let lattice = bekker_math::grid::Lattice { spacing: 0.05 };
    let terrain = Terrain::flat(0.0, bekker_ground::soil::SoilId(0));
    let ground = bekker_ground::GroundModel::new(
        lattice,
        terrain,
        vec![soil_of(case.soil)],
        Laws::reference(),
    )
    .map_err(bekker_rig::RigError::from)?;
    let mut pose = TrackedDrive::level(&spec);
    pose.position.z = 1.1;
    let mut own =
        TrackedDrive::new(spec, ground, &pose, 0.0, STEP).map_err(bekker_rig::RigError::from)?;
    let ramp = |time: f64, from: f64| ((time - from) / 0.2).clamp(0.0, 1.0);
    let (mut way, mut steps) = (0.0, 0.0);
    while own.time() < case.seconds - 0.5 * own.step {
        let time = own.time();
        let controls =
            Controls { throttle: case.throttle * ramp(time, 1.0), ..Controls::default() };
        own.evaluate_contact();
        own.advance(&controls).map_err(bekker_rig::RigError::from)?;
        if time > case.seconds - 1.0 {
            let twist = own.on_tracks.vehicle.twist(&own.workspace.vehicle);
            way += twist.linear.norm() * own.step;
            steps += 1.0;
        }
    }
    Ok(DriveEnd { distance: own.pose().position.x, speed: way / (steps * own.step) })
}

/// Returns the worst difference of drawbar between the belt and the shoes as bodies over the weight, at
/// slip 0.1 on three soils, for default and reference laws.
pub(super) fn both_drawn() -> Result<[f64; 2], ValidationError> {
    let laws = [Laws::refined(), Laws::reference()];
    let cases: Vec<(&str, Laws)> = ["mid", "hard", "dry sand"]
        .into_iter()
        .flat_map(|soil| laws.map(|laws| (soil, laws)))
        .collect();
    let weight = m113_chrono().total_mass() * GRAVITY;
    let found = cases
        .in_parallel(|&(soil, laws)| {
            let motion = TrackMotion::Straight { speed: 1.0, slip: 0.1 };
            let [segmented, belt] = both(soil, motion, laws)?;
            Ok((belt.drawbar - segmented.drawbar) / weight)
        })
        .collect::<Result<Vec<f64>, ValidationError>>()?;
    Ok([0, 1].map(|which| worst(found.iter().skip(which).step_by(2).copied())))
}

/// Returns soil, model, and the differences of distance and speed from Project Chrono's M113 after 6 s.
///
/// It is dropped at 1.1 m, and driven with throttle 0.6 from 1.2 s under the reference laws.
pub(super) fn dropped() -> Result<Vec<(&'static str, &'static str, f64, f64)>, ValidationError> {
    let cases = [
        ("hard", "shoes", TrackModel::Segmented, [8.573, 2.744]),
        ("hard", "belts", TrackModel::Belt, [8.573, 2.744]),
        ("mid", "shoes", TrackModel::Segmented, [5.878, 1.795]),
        ("mid", "belts", TrackModel::Belt, [5.878, 1.795]),
    ];
    cases
        .in_parallel(|&(soil, name, model, [distance, speed])| {
            let found = drive(model, &ModelDrive { soil, throttle: 0.6, seconds: 6.0 })?;
            Ok((soil, name, found.distance / distance - 1.0, found.speed / speed - 1.0))
        })
        .collect()
}

/// Returns the running resistance on firm ground at 3 m/s without slip, kN: of the belt, of shoes as
/// bodies at the data's tension, of the same track at 20 kN, and of Bekker's formula.
pub(super) fn running_losses() -> Result<[f64; 4], ValidationError> {
    let speed = 3.0;
    let motion = TrackMotion::Straight { speed, slip: 0.0 };
    let [belt, tight] = [TrackModel::Belt, TrackModel::Segmented]
        .map(|model| rig(model, "firm", motion, Laws::reference()));
    let mut slack = tight.clone();
    slack.vehicle.idler.compression = 0.0;
    slack.vehicle.idler.preload = 30e3;
    let formula = 1e-3 * (222.0 + 3.0 * 3.6 * speed) * 1e-3 * m113_chrono().total_mass();
    let [belt, tight, slack] = [belt.run()?, tight.run()?, slack.run()?];
    let [belt, tight, slack] = [belt, tight, slack].map(|own| 1e-3 * own.resistance);
    Ok([formula + belt, tight, slack, formula])
}
