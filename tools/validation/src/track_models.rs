//! Belt compared with the segmented track, in which every shoe is a body.

use super::closed_forms::{bed, chrono};
use super::section::{Section, ValidationError, percent};
use super::tracks::m113_chrono;
use bekker_ground::soil::{DeformableSoil, Laws, Soil, SoilKind};
use bekker_ground::terrain::Terrain;
use bekker_math::numeric::GRAVITY;
use bekker_rig::InParallel;
use bekker_rig::{Rig, TrackMotion, TrackResult, TrackRig, TrackedDrive};
use bekker_vehicle::spec::{TrackModel, TrackSteering};
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
        // the damping of Project Chrono's vehicle soils
        name => bed(DeformableSoil { damping: 3e4, ..chrono(name) }),
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

/// Drive from rest at a throttle and, from 3 s on, with steering.
struct ModelDrive {
    soil: &'static str,
    height: Option<f64>,
    throttle: f64,
    steering: f64,
    seconds: f64,
}

/// Results at the end of a drive.
struct DriveEnd {
    distance: f64,
    speed: f64,
    pitch: f64,
    torque: f64,
    /// Turning radius over the last second, m.
    radius: f64,
}

fn drive(model: TrackModel, case: &ModelDrive) -> Result<DriveEnd, ValidationError> {
    let mut spec = vehicle(model);
    if let TrackSteering::Differential { brake_torque, .. } = &mut spec.drive.steering {
        // enough to hold the ratio of the differential
        *brake_torque *= 4.0;
    }
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
    pose.position.z = case.height.unwrap_or(pose.position.z);
    let mut own =
        TrackedDrive::new(spec, ground, &pose, 0.0, STEP).map_err(bekker_rig::RigError::from)?;
    let ramp = |time: f64, from: f64| ((time - from) / 0.2).clamp(0.0, 1.0);
    let (mut way, mut turned, mut torque, mut steps) = (0.0, 0.0, 0.0, 0.0);
    while own.time() < case.seconds - 0.5 * own.step {
        let time = own.time();
        let controls = Controls {
            throttle: case.throttle * ramp(time, 1.0),
            steering: case.steering * ramp(time, 3.0),
            ..Controls::default()
        };
        own.evaluate_contact();
        own.advance(&controls).map_err(bekker_rig::RigError::from)?;
        if time > case.seconds - 1.0 {
            let twist = own.on_tracks.vehicle.twist(&own.workspace.vehicle);
            way += twist.linear.norm() * own.step;
            turned += twist.angular.z * own.step;
            torque += own.workspace.vehicle.drives().iter().map(|side| side.drive).sum::<f64>();
            steps += 1.0;
        }
    }
    let pose = own.pose();
    let speed = way / (steps * own.step);
    Ok(DriveEnd {
        distance: pose.position.x,
        speed,
        pitch: pose.pitch().to_degrees(),
        torque: torque / steps,
        radius: way / turned.abs().max(1e-9),
    })
}

/// Section on the belt and the segmented track, both compared with the reference.
pub(super) fn section() -> Result<Section, ValidationError> {
    let mut section = Section::new("Two models of a track");
    section.text(
        "`segmented` (every shoe is a body) is the reference model, and `belt` (a band that \
         carries the shoes) the fast one, both here in steps of 1 ms. The key `model` of a vehicle \
         file or scenario selects one. Error of the belt: first drawn at 1 m/s in the track rig, \
         nodes 5 cm apart, means over the last 1.6 s of 4 s. *Torque* is that of both sprockets.",
    );
    drawn(&mut section)?;
    driven(&mut section)?;
    running(&mut section)?;
    Ok(section)
}

/// Compares both drawn over soils.
fn drawn(section: &mut Section) -> Result<(), ValidationError> {
    let mut cases = Vec::new();
    for (name, laws) in [("reference", Laws::reference()), ("default", Laws::refined())] {
        for soil in ["mid", "hard", "dry sand"] {
            for slip in [0.05, 0.1, 0.3] {
                cases.push((name, laws, soil, slip));
            }
        }
    }
    let radius = m113_chrono().drive_radius();
    let rows = cases
        .in_parallel(|&(name, laws, soil, slip)| {
            let motion = TrackMotion::Straight { speed: 1.0, slip };
            let [segmented, belt] = both(soil, motion, laws)?;
            let weight = m113_chrono().total_mass() * GRAVITY;
            Ok(vec![
                name.to_string(),
                soil.to_string(),
                format!("{slip}"),
                format!("{:.1}", 1e-3 * segmented.drawbar),
                format!("{:.1}", 1e-3 * belt.drawbar),
                format!("{:+.1} %", 100.0 * (belt.drawbar - segmented.drawbar) / weight),
                format!("{:.2}", 1e-3 * segmented.thrust * radius),
                percent(belt.thrust, segmented.thrust),
                format!("{:.1}", 100.0 * segmented.sinkage),
                format!("{:.1}", 100.0 * belt.sinkage),
                format!("{:.2}", segmented.pitch.to_degrees()),
                format!("{:.2}", belt.pitch.to_degrees()),
            ])
        })
        .collect::<Result<Vec<_>, ValidationError>>()?;
    let header = [
        "laws",
        "soil",
        "slip",
        "drawbar segmented, kN",
        "belt",
        "off, of the weight",
        "torque segmented, kN m",
        "belt off",
        "sinkage segmented, cm",
        "belt",
        "pitch segmented, deg",
        "belt",
    ];
    section.table(&header, rows);
    Ok(())
}

/// Compares both driven, straight ahead and in a turn.
fn driven(section: &mut Section) -> Result<(), ValidationError> {
    section.text(
        "Then driven: throttle 0.6 from 1.2 s, reference laws, released at 1.1 m like Project \
         Chrono's M113 (7689fbc); and in a turn with full lock from 3 s. Speed and torque are \
         means over the last second. The drop matters: the tracks stamp a hole, and the vehicle \
         has to climb out of it. The reference's transmission loses 8 to 13 % of its power \
         (docs/comparison.md). On `mid` it resists by 2 % of the weight more than the shoes do, \
         for an unknown reason. Ruled out are, among others, stiffness of pins and rims, friction \
         of the rims, bending of the pins, and the width of the patch.",
    );
    let straight =
        |soil| ModelDrive { soil, height: Some(1.1), throttle: 0.6, steering: 0.0, seconds: 6.0 };
    let turn = |soil| ModelDrive { soil, height: None, throttle: 0.9, steering: 1.0, seconds: 8.0 };
    let cases = [
        ("straight, hard", straight("hard"), Some([8.573, 2.744, -0.0084])),
        ("straight, mid", straight("mid"), Some([5.878, 1.795, -0.0111])),
        ("full lock, hard", turn("hard"), None),
        ("full lock, firm", turn("firm"), None),
    ];
    let rows = cases
        .in_parallel(|(name, case, reference)| {
            let [segmented, belt] = MODELS.map(|model| drive(model, case));
            let found = [("segmented", segmented?), ("belt", belt?)];
            let mut rows = Vec::new();
            for (model, ended) in &found {
                let turning = case.steering != 0.0;
                rows.push(vec![
                    (*name).to_string(),
                    (*model).to_string(),
                    if turning { "-".into() } else { format!("{:.2}", ended.distance) },
                    format!("{:.2}", ended.speed),
                    format!("{:.2}", ended.pitch),
                    format!("{:.2}", 1e-3 * ended.torque),
                    if turning { format!("{:.1}", ended.radius) } else { "-".into() },
                ]);
            }
            if let Some([distance, speed, pitch]) = reference {
                rows.push(vec![
                    (*name).to_string(),
                    "Project Chrono".into(),
                    format!("{distance:.2}"),
                    format!("{speed:.2}"),
                    format!("{:.2}", f64::to_degrees(*pitch)),
                    "-".into(),
                    "-".into(),
                ]);
            }
            Ok(rows)
        })
        .collect::<Result<Vec<_>, ValidationError>>()?
        .concat();
    let header =
        ["drive", "model", "distance, m", "speed, m/s", "pitch, deg", "torque, kN m", "radius, m"];
    section.table(&header, rows);
    Ok(())
}

/// Compares the running resistance on firm ground.
fn running(section: &mut Section) -> Result<(), ValidationError> {
    section.text(
        "Running resistance on firm ground without slip: the sprockets' power over the speed. The \
         belt uses the formula for rubber-bushed single-pin tracks, 222 + 3 V N per tonne with V \
         in km/h (Bekker 1969, after Wong, *Theory of Ground Vehicles*), for losses within the \
         track. Its shoes lose some more to the ground, on which their pads are pressed and rub as \
         a wheel passes. Shoes that are bodies have these losses too, and those in pins, rims, \
         teeth and guides, without an added formula. The tensioner of the data pulls the track to \
         125 kN; *slack* is the same track at 20 kN, the usual tension of such tracks. Most of the \
         loss comes from the rubbing and rattling of the shoes of the tight track.",
    );
    let rows = [1.0, 3.0, 6.0]
        .in_parallel(|&speed| {
            let motion = TrackMotion::Straight { speed, slip: 0.0 };
            let [belt, shoes] = [TrackModel::Belt, TrackModel::Segmented]
                .map(|model| rig(model, "firm", motion, Laws::reference()));
            let (belt, tight) = (belt.run()?, shoes.run()?);
            let mut slack = shoes;
            slack.vehicle.idler.compression = 0.0;
            slack.vehicle.idler.preload = 30e3;
            let slack = slack.run()?;
            let tonnes = 1e-3 * m113_chrono().total_mass();
            let formula = (222.0 + 3.0 * 3.6 * speed) * tonnes;
            Ok(vec![
                format!("{speed}"),
                format!("{:.2}", 1e-3 * formula),
                format!("{:.2}", 1e-3 * (formula + belt.resistance)),
                format!("{:.2}", 1e-3 * tight.resistance),
                format!("{:.2}", 1e-3 * slack.resistance),
            ])
        })
        .collect::<Result<Vec<_>, ValidationError>>()?;
    section.table(&["speed, m/s", "formula, kN", "belt, kN", "segmented, kN", "slack, kN"], rows);
    Ok(())
}
