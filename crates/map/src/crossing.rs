//! Steady speed of a vehicle, found by driving it in full physics.
//!
//! Over an even plane the vehicle drives until its speed is constant; over a cell of the ground
//! itself, at the speed at which entry and exit agree. Neither depends on the length of a cell.
//! Each speed is the mean, by time, of an approach from a lower speed and one from a higher speed.

use super::speed_observers::{AveragingPieces, Pass, PassObserver, SteadySpeedObserver};
use bekker_agent::{OutcomeCode, VehicleSummary};
use bekker_ranks::{Observer, RunSchedule, Runner};
use bekker_scenario::ScenarioFile;
use bekker_scenario::build::{AssetCache, world_with_assets};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;

/// Slowest steady speed of a vehicle that is not stuck, m/s: a crawl. It also bounds the driving
/// time.
pub const MIN_STEADY_SPEED: f64 = 0.5;
/// Longest drive over a plane, s.
const LONGEST_DRIVE: f64 = 120.0;
/// Fraction of the limit above which no approach from a higher speed is made.
const AT_THE_LIMIT: f64 = 0.97;
/// Greatest number of passes over a cell until the speeds of entry and exit agree.
const MAX_PASSES: usize = 4;
/// Tolerance between the speeds of entry and exit, as a fraction and in m/s, over a pass of at
/// least `FULL_PASS` m.
///
/// For shorter passes it decreases in proportion, down to a quarter.
const PASS_TOLERANCE: [f64; 2] = [0.03, 0.05];
const FULL_PASS: f64 = 40.0;

/// Outcome of a crossing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CrossingEnd {
    /// The vehicle keeps going.
    Crossed,
    /// Immobilized, sunk, or slower than a crawl; also where ridges allow no speed.
    Stuck,
    /// The vehicle overturned.
    Overturned,
    /// More than a lane off its path.
    OffCourse,
    /// The state was no longer finite, or the case could not be driven at all.
    Failed,
}

/// Result of a drive over a plane or a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crossing {
    /// Outcome.
    pub end: CrossingEnd,
    /// Steady speed, mean by time of the approaches from below and above, m/s; 0 if the vehicle
    /// does not keep going.
    pub speed: f64,
    /// Mean slip under throttle.
    pub slip: f64,
    /// Work of the engine per meter of all driving in search of the speed, J/m.
    pub energy: f64,
}

impl Crossing {
    /// Returns whether the vehicle keeps going.
    pub fn is_passable(&self) -> bool {
        self.end == CrossingEnd::Crossed
    }

    /// Returns the mean, by time, of the steady speeds from below and from above.
    ///
    /// They differ where a gearbox keeps its current gear. The drive from below decides whether the
    /// vehicle keeps going.
    fn from_both_sides([begin, limit]: [f64; 2], drive: impl Fn(f64) -> Crossing) -> Crossing {
        let below = drive(begin);
        if !below.is_passable() || below.speed >= AT_THE_LIMIT * limit || begin >= limit {
            return below;
        }
        let above = drive(limit);
        if !above.is_passable() {
            return below;
        }
        let speed = 2.0 / (1.0 / below.speed + 1.0 / above.speed);
        Crossing { speed, ..below }
    }

    fn from_summary(end: CrossingEnd, speed: f64, vehicle: &VehicleSummary) -> Crossing {
        let energy = vehicle.drive_energy / vehicle.distance.max(1.0);
        Crossing { end, speed, slip: vehicle.mean_slip, energy }
    }

    pub(super) const fn stuck() -> Crossing {
        Crossing { end: CrossingEnd::Stuck, speed: 0.0, slip: 0.0, energy: 0.0 }
    }

    pub(super) const fn failed() -> Crossing {
        Crossing { end: CrossingEnd::Failed, speed: 0.0, slip: 0.0, energy: 0.0 }
    }
}

/// Drives straight ahead over an even plane until the speed is steady.
///
/// It starts from the speed `begin`, m/s, and from the `limit`. `scenario` builds the scenario for
/// a speed.
pub fn cross(
    scenario: impl Fn(f64) -> Option<ScenarioFile>,
    assets: &AssetCache,
    [begin, limit]: [f64; 2],
    averaging: AveragingPieces,
) -> Crossing {
    Crossing::from_both_sides([begin, limit], |entry| {
        let Some(file) = scenario(entry) else { return Crossing::failed() };
        let mut observer = SteadySpeedObserver::new(&file.scenario.vehicle[0], averaging);
        let Some(vehicle) = drive(&file, assets, None, LONGEST_DRIVE, &mut observer) else {
            return Crossing::failed();
        };
        let speed = observer.speed();
        let end = crossing_end(&vehicle, observer.is_off_course(), speed.is_some());
        let speed = speed.filter(|_| end == CrossingEnd::Crossed).unwrap_or(0.0);
        Crossing::from_summary(end, speed, &vehicle)
    })
}

/// Drives over `length` m of the ground itself until the speeds of entry and exit agree, as on
/// periodic ground.
///
/// Each pass enters at the speed that should equal its exit speed, in the last gear of the previous
/// pass. As in [`cross`], the first passes start from `begin` and from the limit.
///
/// A pass starts `lead_in` m before the cell, because transients of the start (engine, converter,
/// throttle, ruts) belong to no cell. If the vehicle does not reach the cell over the ground before
/// it, it starts in the cell. `scenario` builds the scenario for a speed and a lead-in.
pub fn cross_until_steady(
    scenario: impl Fn(f64, f64) -> Option<ScenarioFile>,
    assets: &AssetCache,
    [lead_in, length]: [f64; 2],
    begin_and_limit: [f64; 2],
) -> Crossing {
    // the residual difference grows as passes become short compared with the distance to a steady
    // speed
    let tolerance = PASS_TOLERANCE.map(|own| own * (length / FULL_PASS).clamp(0.25, 1.0));
    Crossing::from_both_sides(begin_and_limit, |mut speed| {
        let (mut lead_in, mut gear) = (lead_in, None);
        let mut passes: Vec<Pass> = Vec::new();
        loop {
            let driven = scenario(speed, lead_in).and_then(|file| {
                let mut observer = PassObserver::new(&file.scenario.vehicle[0], lead_in, length);
                let longest = (lead_in + length) / MIN_STEADY_SPEED;
                drive(&file, assets, gear, longest, &mut observer)
                    .map(|vehicle| (vehicle, observer))
            });
            if lead_in > 0.0 && driven.as_ref().is_none_or(|(_, observer)| !observer.has_entered())
            {
                (lead_in, passes) = (0.0, Vec::new());
                continue;
            }
            let Some((vehicle, observer)) = driven else { return Crossing::failed() };
            let pass = observer.pass();
            let end = crossing_end(&vehicle, observer.is_off_course(), pass.is_some());
            let Some(pass) = pass.filter(|_| end == CrossingEnd::Crossed) else {
                return Crossing::from_summary(end, 0.0, &vehicle);
            };
            passes.push(pass);
            let [share, least] = tolerance;
            let agree = (pass.exit - pass.entry).abs() <= share * pass.exit + least;
            if agree || passes.len() == MAX_PASSES {
                return Crossing::from_summary(end, pass.mean, &vehicle);
            }
            let entry = Pass::next_entry(&passes);
            speed = (speed + entry - pass.entry).max(0.5 * entry);
            gear = observer.gear();
        }
    })
}

/// Drives a scenario until `observer` stops it, for at most `time` s.
///
/// It starts in `gear`, or in the gear that fits the speed.
fn drive(
    file: &ScenarioFile,
    assets: &AssetCache,
    gear: Option<i32>,
    time: f64,
    observer: &mut dyn Observer<Infallible>,
) -> Option<VehicleSummary> {
    let mut built = world_with_assets(file, assets).ok()?;
    built.world.agents.iter_mut().for_each(|agent| agent.gear = gear);
    let heartbeat = file.scenario.time.heartbeat;
    let duration = (time / heartbeat).ceil() * heartbeat;
    let schedule = RunSchedule { sample_every: heartbeat, ..RunSchedule::until(duration) };
    let runner = Runner::new(built.world, None, schedule).ok()?;
    let (world, _) = runner.run::<Infallible>(&mut [observer]).ok()?;
    let mut vehicles = world.summary("", 0.0).vehicles;
    (!vehicles.is_empty()).then(|| vehicles.swap_remove(0))
}

fn crossing_end(vehicle: &VehicleSummary, is_off_course: bool, is_passable: bool) -> CrossingEnd {
    match vehicle.outcome.code {
        OutcomeCode::Failed => CrossingEnd::Failed,
        OutcomeCode::Overturned => CrossingEnd::Overturned,
        _ if is_off_course => CrossingEnd::OffCourse,
        _ if is_passable => CrossingEnd::Crossed,
        _ => CrossingEnd::Stuck,
    }
}
