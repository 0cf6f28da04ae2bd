//! Single-wheel trials in sand, and the runs that predict them from plates alone.

use bekker_ground::scm::{Underside, UndersideError};
use bekker_ground::soil::catalog::assumed_elastic_stiffness;
use bekker_ground::soil::{DeformableSoil, Details, Laws, Soil, SoilKind};
use bekker_rig::InParallel;
use bekker_rig::{Rig, RigError, WheelResult, WheelRig, WheelRigMotion};

/// Mean of the repeats of a single-wheel test at one slip and slip angle.
#[derive(Clone, Debug, PartialEq)]
pub struct WheelTrial {
    /// Wheel: smooth, or with grousers.
    pub wheel: String,
    /// Angle from the wheel's plane to its velocity, rad.
    pub slip_angle: f64,
    /// Slip: (rim speed - speed) over the greater of the two.
    pub slip: f64,
    /// Vertical load, N.
    pub load: f64,
    /// Drawbar pull, N.
    pub drawbar: f64,
    /// Deviation of the pull between repeats, N.
    pub drawbar_deviation: f64,
    /// Side force, N, positive against the side slip.
    pub lateral: f64,
    /// Sinkage, m.
    pub sinkage: f64,
    /// Deviation of the sinkage between repeats, m.
    pub sinkage_deviation: f64,
}

/// Returns the CMU single-wheel trials at slip angles of 0 and 45 degrees (C. Pavlov, 2022,
/// github.com/robomechanics/3d-terramechanics).
pub fn wheel_trials() -> Vec<WheelTrial> {
    let rows = include_str!("measured/cmu_wheel.csv").lines().filter(|row| !row.starts_with('#'));
    rows.skip(1).filter_map(wheel_trial).collect()
}

fn wheel_trial(row: &str) -> Option<WheelTrial> {
    let mut cells = row.split(',');
    let wheel = cells.next()?.to_owned();
    let mut next = || cells.next()?.parse::<f64>().ok();
    Some(WheelTrial {
        wheel,
        slip_angle: next()?.to_radians(),
        slip: next()?,
        load: next()?,
        drawbar: next()?,
        drawbar_deviation: next()?,
        lateral: next()?,
        sinkage: next()?,
        sinkage_deviation: next()?,
    })
}

/// Returns the sand of the CMU trials.
///
/// It is from its plate tests (n 1.46, k 8e6 N/m^(n+2)), its angle of repose (29 degrees), its
/// density and a shear modulus of 21 mm. No parameter was fitted to a wheel.
pub fn trial_sand() -> Soil {
    let (k_phi, n) = (8e6, 1.46);
    Soil {
        name: "cmu_sand".into(),
        source: "C. Pavlov, Carnegie Mellon University, 2022: plates, repose, density".into(),
        kind: SoilKind::Deformable(DeformableSoil {
            k_phi,
            k_c: 0.0,
            n,
            cohesion: 0.0,
            friction_angle: 29_f64.to_radians(),
            shear_modulus: 0.021,
            elastic_stiffness: assumed_elastic_stiffness(k_phi, 0.0, n),
            damping: 0.0,
            bulldozing: None,
            details: Details { density: Some(1330.0), ..Details::default() },
        }),
    }
}

/// Returns the rig that predicts a trial.
///
/// The wheel with grousers is a cylinder through their tips, 5 mm above the rim. Between grousers
/// that are this close, sand fills the gaps and rotates with the wheel.
///
/// # Errors
/// None with the built-in geometry.
pub fn trial_rig(trial: &WheelTrial, laws: Laws) -> Result<WheelRig, UndersideError> {
    let radius = if trial.wheel == "smooth" { 0.058 } else { 0.063 };
    let wheel = Underside::cylinder(radius, 0.05)?;
    let speed = 0.01;
    let rim_speed =
        if trial.slip < 0.0 { speed * (1.0 + trial.slip) } else { speed / (1.0 - trial.slip) };
    let motion = WheelRigMotion::Drawn { speed, rim_speed, slip_angle: trial.slip_angle };
    let mut rig = WheelRig::new(trial_sand(), wheel, trial.load, motion);
    rig.laws = laws;
    rig.spacing = 0.0025;
    // in longer steps the light wheel bounces on the sand: in steps of 10 ms the mean ground force
    // differs from the load by up to a tenth
    rig.step = 0.002;
    rig.duration = 30.0;
    rig.guide_damping = 100.0;
    Ok(rig)
}

/// Root-mean-square errors of a model over trials.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrialErrors {
    /// Error of drawbar pull, N.
    pub drawbar: f64,
    /// Error of side force, N.
    pub lateral: f64,
    /// Error of sinkage, m.
    pub sinkage: f64,
}

/// Returns the errors of predictions against their trials.
pub fn trial_errors(pairs: &[(WheelTrial, WheelResult)]) -> TrialErrors {
    let rms = |error: &dyn Fn(&WheelTrial, &WheelResult) -> f64| {
        let squares = pairs.iter().map(|(trial, result)| error(trial, result));
        (squares.map(|e| e * e).sum::<f64>() / pairs.len().max(1) as f64).sqrt()
    };
    TrialErrors {
        drawbar: rms(&|t, r| r.drawbar - t.drawbar),
        // the measured side force is positive against the side slip
        lateral: rms(&|t, r| -r.lateral - t.lateral),
        sinkage: rms(&|t, r| r.sinkage - t.sinkage),
    }
}

/// Runs the trials of one wheel at one slip angle, degrees, from locked to spinning.
///
/// # Errors
/// [`RigError`] if a run fails.
pub fn predict_trials(
    wheel: &str,
    slip_angle_deg: f64,
    laws: Laws,
) -> Result<Vec<(WheelTrial, WheelResult)>, RigError> {
    let chosen = |trial: &WheelTrial| {
        trial.wheel == wheel && (trial.slip_angle.to_degrees() - slip_angle_deg).abs() < 1.0
    };
    let rig_of = |trial: WheelTrial| trial_rig(&trial, laws).ok().map(|rig| (trial, rig));
    let rigs: Vec<_> = wheel_trials().into_iter().filter(chosen).filter_map(rig_of).collect();
    rigs.in_parallel(|(trial, rig)| Ok((trial.clone(), rig.run()?))).collect()
}
