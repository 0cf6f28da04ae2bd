//! Checks of a log against its vehicle: units, signs and the source of the speed.

use crate::cli::Failure;
use crate::rig::drives::{
    DriveLog, DriveVehicle, LogChannel, PARAMETERS, SimulatedDrive, SoilPrior,
};
use crate::simulation::AnyVehicle;

/// Smallest speed of the samples that are checked, m/s.
const SLOWEST: f64 = 0.5;
/// Fewest such samples.
const FEWEST_SAMPLES: usize = 10;
/// Rim speed over speed of a plausible drive: that of most samples is between these.
const RIM_SPEED_RATIOS: [f64; 2] = [0.5, 5.0];
/// Largest plausible difference of the mean pitch from that of the ground, rad.
const LARGEST_PITCH: f64 = 0.3;
/// Difference of the mean pitch from that of the ground above which the grade is in doubt, rad.
const DOUBTFUL_PITCH: f64 = 0.05;
/// Relative deviation of the rim speed over the speed below which the speed is that of the wheels.
///
/// Slip alone varies more between a start and steady driving, and so does noise of a speed that is measured.
const SAME_SPEED: f64 = 1e-3;

/// Refuses a log in other units, and returns warnings.
///
/// # Errors
/// Wheels and pitch that no drive of the vehicle has.
pub fn check_log(
    vehicle: &DriveVehicle,
    log: &DriveLog,
    prior: &SoilPrior,
) -> Result<Vec<String>, Failure> {
    let refused = |cause: String| Failure::Input { subject: log.name.clone(), cause };
    let mut warnings = Vec::new();
    if let Some(pitch) = log.channel(LogChannel::Pitch) {
        let mean = pitch.iter().sum::<f64>() / pitch.len() as f64;
        // a difference, so that level ground is not printed as -0
        let ground = 0.0 - log.grade.atan();
        if (mean - ground).abs() > LARGEST_PITCH {
            return Err(refused(format!(
                "pitch_rad is {mean:.2} on average on a grade of {}; must be in rad, positive nose \
                 down, within {LARGEST_PITCH} of {ground:.2}",
                log.grade
            )));
        }
        if (mean - ground).abs() > DOUBTFUL_PITCH {
            warnings.push(format!(
                "{}: the mean pitch of {mean:.3} rad is that of a grade of {:.2}, but the grade is {}",
                log.name,
                (-mean).tan(),
                log.grade
            ));
        }
    }
    let Some(radius) = wheel_radius(vehicle, log, prior)? else { return Ok(warnings) };
    let wheels = log.channels.iter().filter(|(own, _)| matches!(own, LogChannel::Spin(_)));
    let ranges: Vec<(LogChannel, [f64; 2])> = wheels
        .filter_map(|(own, _)| ratio_range(log, *own, radius).map(|range| (*own, range)))
        .collect();
    let [least, most] = RIM_SPEED_RATIOS;
    // a single wheel may spin on the spot
    let all_fast = ranges.iter().all(|(_, [low, _])| *low > most);
    for (channel, [low, high]) in &ranges {
        if *high >= least && !all_fast {
            continue;
        }
        let (bound, ratio) = if all_fast { ("at least", low) } else { ("at most", high) };
        return Err(refused(format!(
            "{}: the rim is {bound} {ratio:.2} times as fast as speed_mps in 90 % of the samples; must \
             be in rad/s (1 rpm is 0.105 rad/s), positive forward, of wheels with a radius of \
             {radius:.3} m, and the speed in m/s",
            channel.column()
        )));
    }
    let is_constant = |[low, high]: [f64; 2]| high - low < SAME_SPEED * high.abs();
    if !ranges.is_empty() && ranges.iter().all(|(_, own)| is_constant(*own)) {
        warnings.push(format!(
            "{}: the speed is that of the wheels, as of wheel odometry, so that it has no slip: use a \
             speed from GNSS, lidar or vision",
            log.name
        ));
    }
    Ok(warnings)
}

/// Returns the 10 and 90 % quantiles of rim speed over speed where the vehicle moves.
fn ratio_range(log: &DriveLog, spin: LogChannel, radius: f64) -> Option<[f64; 2]> {
    let mut ratios = rim_speed_ratios(log, spin, radius);
    if ratios.len() < FEWEST_SAMPLES {
        return None;
    }
    ratios.sort_by(f64::total_cmp);
    let tenth = ratios.len() / 10;
    Some([ratios[tenth], ratios[ratios.len() - 1 - tenth]])
}

/// Rim speed over speed where the vehicle moves.
fn rim_speed_ratios(log: &DriveLog, spin: LogChannel, radius: f64) -> Vec<f64> {
    let speeds = log.channel(LogChannel::Speed).unwrap_or_default();
    let spins = log.channel(spin).unwrap_or_default();
    let pairs = spins.iter().zip(speeds).filter(|(_, speed)| **speed > SLOWEST);
    pairs.map(|(spin, speed)| spin * radius / speed).collect()
}

/// Returns the height of the wheel centers; `None` for tracks.
fn wheel_radius(
    vehicle: &DriveVehicle,
    log: &DriveLog,
    prior: &SoilPrior,
) -> Result<Option<f64>, Failure> {
    let Some(soil) = prior.draw([0.0; PARAMETERS]) else { return Ok(None) };
    let scenario = SimulatedDrive::new(vehicle, log).scenario(&soil);
    let world = vehicle.world(&scenario).map_err(Failure::Scenario)?;
    Ok(match &world.model().agents[0].vehicle {
        AnyVehicle::Wheeled(own) => Some(own.vehicle.ride_radius()),
        _ => None,
    })
}
