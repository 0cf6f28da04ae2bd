//! Cost of segmented tracks, and the energy balance of a tracked drive.

use bekker_ground::soil::{Laws, Soil};
use bekker_math::spatial::Pose;
use bekker_rig::BenchError;
use bekker_rig::TrackedDrive;
use bekker_rig::flat_bed;
use bekker_vehicle::spec::TrackModel;
use bekker_vehicle::{Controls, EngineEnergyBalance, TrackedSpec, TrackedVehicle};
use serde::Serialize;
use std::time::Instant;

/// Step of a segmented track, s.
const STEP: f64 = 1e-3;

/// Cost of the multibody step for a number of shoes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ShoeCost {
    /// Shoes of both tracks.
    pub shoes: u32,
    /// Coordinates of the model.
    pub coordinates: usize,
    /// Entries of the factorized matrix.
    pub entries: usize,
    /// Time of a step without ground, µs.
    pub step_us: f64,
}

/// Returns the vehicle with `shoes` shoes per side; the track's loop, sprocket and mass are kept.
pub fn with_shoes(spec: &TrackedSpec, shoes: u32) -> TrackedSpec {
    let mut other = spec.clone();
    let share = f64::from(spec.left.shoes) / f64::from(shoes);
    other.model = TrackModel::Segmented;
    other.shoe.pitch *= share;
    other.shoe.mass *= share;
    // a shorter plate is lighter and has less inertia about its pins
    let [x, y, z] = spec.shoe.inertia;
    other.shoe.inertia = [x * share, y * share * share.min(1.0), z * share];
    other.sprocket.teeth = (f64::from(spec.sprocket.teeth) / share).round() as u32;
    for face in &mut other.shoe.faces {
        face.length *= share;
        face.center[0] *= share;
    }
    (other.left.shoes, other.right.shoes) = (shoes, shoes);
    other
}

/// Measures a step of the mechanism alone, in free fall, with `shoes` shoes per side.
///
/// # Errors
/// [`BenchError::Drive`] if the parameters do not form a vehicle or a step fails.
pub fn shoe_cost(spec: &TrackedSpec, shoes: u32) -> Result<ShoeCost, BenchError> {
    let failed = |cause: String| BenchError::Drive { time: 0.0, cause };
    let spec = with_shoes(spec, shoes);
    let vehicle = TrackedVehicle::new(spec).map_err(|error| failed(error.to_string()))?;
    let mut state = vehicle.state(&Pose::default());
    let mut workspace = vehicle.workspace(&state);
    let controls = Controls { throttle: 0.3, ..Controls::default() };
    let mut steps = |state: &mut _, from: u64, to: u64| {
        for tick in from..to {
            vehicle.clear_loads(&mut workspace);
            let stepped = vehicle.step(state, &mut workspace, &controls, tick, STEP);
            stepped.map_err(|error| failed(error.to_string()))?;
        }
        Ok::<_, BenchError>(())
    };
    steps(&mut state, 0, 100)?;
    let (first, last) = (100, 600);
    let begun = Instant::now();
    steps(&mut state, first, last)?;
    let step_us = 1e6 * begun.elapsed().as_secs_f64() / (last - first) as f64;
    let (coordinates, entries) = (vehicle.bodies().size().0, vehicle.bodies().entries());
    Ok(ShoeCost { shoes: 2 * shoes, coordinates, entries, step_us })
}

/// Energy balance of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EnergyBalance {
    /// Work by cause.
    pub account: EngineEnergyBalance,
    /// Increase of kinetic and potential energy, J.
    pub gain: f64,
    /// Unaccounted energy over the engine's work.
    pub error: f64,
}

/// Drives for `seconds` over a soil, straight and, from half time on, in a turn.
///
/// # Errors
/// [`BenchError::Drive`] if the drive cannot be set up or a step fails.
pub fn energy_balance(
    spec: &TrackedSpec,
    soil: &Soil,
    seconds: f64,
) -> Result<EnergyBalance, BenchError> {
    let failed = |time: f64, cause: String| BenchError::Drive { time, cause };
    let ground =
        flat_bed(soil, Laws::reference(), 0.05).map_err(|error| failed(0.0, error.to_string()))?;
    let level = TrackedDrive::level(spec);
    let mut drive = TrackedDrive::new(spec.clone(), ground, &level, 0.0, STEP)
        .map_err(|error| failed(0.0, error.to_string()))?;
    drive.start_account();
    let ramp = |time: f64, from: f64| (time - from).clamp(0.0, 1.0);
    while drive.time() < seconds - 0.5 * STEP {
        let time = drive.time();
        let (throttle, steering) = (0.6 * ramp(time, 0.0), 0.5 * ramp(time, 0.5 * seconds));
        drive.evaluate_contact();
        let controls = Controls { throttle, steering, ..Controls::default() };
        drive.advance(&controls).map_err(|error| failed(time, error.to_string()))?;
    }
    let (account, gain) = drive.account();
    let EngineEnergyBalance { engine, brakes, suspension, pins, rims, soil } = account;
    let error = (brakes + suspension + pins + rims + soil + gain) / engine - 1.0;
    Ok(EnergyBalance { account, gain, error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_vehicle::{AnySpec, find_vehicle};

    #[test]
    fn the_matrix_grows_with_the_shoes() {
        let Ok(AnySpec::Tracked(spec)) = find_vehicle("m113_chrono") else {
            panic!("the M113 has tracks")
        };
        let entries = |shoes: u32| {
            TrackedVehicle::new(with_shoes(&spec, shoes)).unwrap().bodies().entries() as f64
        };
        let per_shoe = |from: u32, to: u32| (entries(to) - entries(from)) / f64::from(to - from);
        // linear: equally many entries for each further shoe, except for how columns pair into
        // panels
        let (few, many) = (per_shoe(32, 64), per_shoe(128, 256));
        assert!((many / few - 1.0).abs() < 0.1, "{few} and {many} entries a shoe");
    }
}
