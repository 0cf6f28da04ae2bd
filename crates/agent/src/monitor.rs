//! Metrics accumulated while a vehicle drives, and detection of stalls.

use super::clock::whole_microseconds;
use super::diagnosis::WheelMean;
use super::drive_work::DriveWork;
use super::outcome::OutcomeReport;
use super::sample::WheelSample;
use super::vehicle_summary::{TireSummary, VehicleSummary};
use bekker_ground::soil::SoilId;
use bekker_math::numeric::hypot;
use bekker_math::spatial::Vec3;
use bekker_vehicle::Controls;
use bekker_vehicle::driver::Intent;
use bekker_vehicle::inflation::kilopascals;
use serde::{Deserialize, Serialize};
use std::mem::take;

/// Speed over the last second in the requested direction from which a vehicle advances at present,
/// m/s.
pub(super) const MIN_ADVANCE_SPEED: f64 = 0.05;
/// Decrease of backward speed that counts as progress of a vehicle that rolls back, m/s: brake or
/// drive prevails.
const PROGRESS_SLOWDOWN: f64 = 0.2;
/// Time constant that filters peaks of slip, s.
const PEAK_TIME_CONSTANT: f64 = 0.1;
/// Time constant of the wheels' means, s.
const MEAN_TIME: f64 = 1.0;
/// Rolled distance from which motion resistance is reported, m.
const MIN_ROLLED_DISTANCE: f64 = 2.0;

/// Values of a vehicle over one step, gathered by its agent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StepMetrics {
    /// Position of the chassis, m.
    pub position: Vec3,
    /// Velocity of the chassis, m/s.
    pub velocity: Vec3,
    /// Speed in the requested direction, m/s; for turning tracks that of the outer track.
    pub advance: f64,
    /// Requested direction: 1 forward, -1 backward.
    pub sense: f64,
    /// Work of driveline, brakes and soil.
    pub work: DriveWork,
    /// Fuel burned, kg, if the vehicle specifies consumption.
    pub fuel: Option<f64>,
    /// Radius at which the drive acts on the ground, m.
    pub drive_radius: f64,
    /// Speed above which the vehicle rolls, m/s.
    pub rolling_speed: f64,
    /// Number of wheels with flexible tires.
    pub flexible_wheel_count: usize,
}

/// Period in which a vehicle requests motion and does not advance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct StallTimer {
    since: f64,
    /// Travel at its start, m; positive forward.
    from: f64,
    /// Speed against the requested direction, m/s.
    rolls_back: f64,
    /// Requested direction: 1 forward, -1 backward.
    sense: f64,
}

/// Number of intervals of the last second at whose ends the travel is stored.
///
/// Interpolation within an interval is off by less than a (1/20 s)²/8, which is 3 mm at 1 g.
const INTERVALS: usize = 20;

/// Travel over the last second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct LastSecond {
    /// Travel at the last twentieths of a second since the start, m; the n-th is at index n modulo
    /// the length.
    travels: [f64; INTERVALS + 1],
    /// Number of the last twentieth stored.
    recorded: usize,
}

impl LastSecond {
    /// Stores the travel `travel`, m, at `time`, s since the start.
    ///
    /// Called at the end of each step, which is shorter than an interval and has speed `speed`,
    /// m/s.
    fn record(&mut self, time: f64, travel: f64, speed: f64) {
        let last = (time * INTERVALS as f64).floor();
        if last as usize > self.recorded {
            self.recorded = last as usize;
            self.travels[self.recorded % (INTERVALS + 1)] =
                travel - speed * (time - last / INTERVALS as f64);
        }
    }

    /// Returns the mean speed over the second before `time`, or since the start, m/s.
    fn speed(&self, time: f64, travel: f64) -> f64 {
        if time < 1.0 {
            return if time > 0.0 { travel / time } else { 0.0 };
        }
        let parts = time * INTERVALS as f64;
        let at = |part: usize| self.travels[part % (INTERVALS + 1)];
        let first = (parts.floor() as usize).saturating_sub(INTERVALS);
        travel - at(first) - (at(first + 1) - at(first)) * parts.fract()
    }
}

/// Metrics of a vehicle's drive.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Monitor {
    time: f64,
    /// Start of the first step, s.
    began: f64,
    /// Position at the start, as placed, and at the end, m.
    start: [f64; 3],
    end: [f64; 3],
    distance: f64,
    speed: f64,
    /// Time at which the vehicle last rolled, s.
    rolled: f64,
    driving_time: f64,
    slip_time: f64,
    held_slip: f64,
    peak_slip: f64,
    sinkage_time: f64,
    max_sinkage: f64,
    /// Time integrals of the tires' mean deflection and of their contact length, m s.
    tire_time: [f64; 2],
    /// Present mean inflation of the tires, Pa.
    inflation: f64,
    rolled_distance: f64,
    rolling_work: f64,
    /// Time integral of the throttle, s.
    throttle_time: f64,
    drive_energy: f64,
    braking_energy: f64,
    soil_energy: f64,
    fuel: Option<f64>,
    belly_force: f64,
    wheels: Vec<WheelMean>,
    /// Travel, m, positive forward, and travel of the last second.
    net_travel: f64,
    last_second: LastSecond,
    /// Requested direction: 1 forward, -1 backward.
    sense: f64,
    standstill: Option<StallTimer>,
    intent: Intent,
    intent_since: f64,
    arrived: Option<f64>,
    /// Largest sinkage, m, in each soil whose measured range was exceeded.
    excess_sinkage: Vec<(SoilId, f64)>,
    last_position: [f64; 3],
}

impl Clone for Monitor {
    fn clone(&self) -> Monitor {
        Monitor {
            wheels: self.wheels.clone(),
            excess_sinkage: self.excess_sinkage.clone(),
            ..*self
        }
    }

    /// Reuses the allocations.
    fn clone_from(&mut self, source: &Monitor) {
        let (mut wheels, mut excess_sinkage) =
            (take(&mut self.wheels), take(&mut self.excess_sinkage));
        wheels.clone_from(&source.wheels);
        excess_sinkage.clone_from(&source.excess_sinkage);
        *self = Monitor { wheels, excess_sinkage, ..*source };
    }
}

impl Monitor {
    /// Creates the metrics of a vehicle at `start`, m, with `wheels` wheels or road wheels.
    pub(super) fn new(wheels: usize, start: Vec3) -> Monitor {
        Monitor {
            time: 0.0,
            began: 0.0,
            start: start.into(),
            end: start.into(),
            distance: 0.0,
            speed: 0.0,
            rolled: 0.0,
            driving_time: 0.0,
            slip_time: 0.0,
            held_slip: 0.0,
            peak_slip: 0.0,
            sinkage_time: 0.0,
            max_sinkage: 0.0,
            tire_time: [0.0; 2],
            inflation: 0.0,
            rolled_distance: 0.0,
            rolling_work: 0.0,
            throttle_time: 0.0,
            drive_energy: 0.0,
            braking_energy: 0.0,
            soil_energy: 0.0,
            fuel: None,
            belly_force: 0.0,
            wheels: vec![WheelMean::default(); wheels],
            net_travel: 0.0,
            last_second: LastSecond::default(),
            sense: 1.0,
            standstill: None,
            intent: Intent::default(),
            intent_since: 0.0,
            arrived: None,
            excess_sinkage: Vec::new(),
            last_position: start.into(),
        }
    }

    /// Adds one step of `h` s that ended at `time`.
    pub(super) fn record_step(
        &mut self,
        time: f64,
        h: f64,
        controls: &Controls,
        wheels: &[WheelSample],
        metrics: &StepMetrics,
    ) {
        self.speed = metrics.velocity.norm();
        // horizontal speed only: a standing vehicle may heave on its springs
        let rolls = hypot(metrics.velocity.x, metrics.velocity.y) >= metrics.rolling_speed;
        if rolls {
            self.rolled = time;
        }
        if self.arrived.is_some() {
            return;
        }
        if self.time == 0.0 {
            self.began = time - h;
            self.start = (metrics.position - metrics.velocity * h).into();
            self.end = self.start;
        }
        self.time = time;
        let travel = (metrics.position - Vec3::from(self.end)).norm();
        self.end = metrics.position.into();
        self.distance += travel;

        let (mut slip, mut sinkage) = (0.0, 0.0);
        let (mut inflation, mut tire) = (0.0, [0.0; 2]);
        let share = (h / MEAN_TIME).min(1.0);
        for (mean, wheel) in self.wheels.iter_mut().zip(wheels) {
            slip += wheel.slip / wheels.len() as f64;
            sinkage += wheel.sinkage / wheels.len() as f64;
            self.max_sinkage = self.max_sinkage.max(wheel.sinkage);
            // zero for rigid tires
            inflation += wheel.inflation / metrics.flexible_wheel_count.max(1) as f64;
            tire[0] += wheel.deflection / metrics.flexible_wheel_count.max(1) as f64;
            tire[1] += wheel.contact_length / metrics.flexible_wheel_count.max(1) as f64;
            mean.slip += (wheel.slip - mean.slip) * share;
            mean.load += (wheel.load - mean.load) * share;
            mean.traction += (wheel.traction - mean.traction) * share;
            mean.rim_force += (wheel.torque / metrics.drive_radius - mean.rim_force) * share;
            mean.sinkage += (wheel.sinkage - mean.sinkage) * share;
            mean.area += (wheel.area - mean.area) * share;
        }
        if controls.throttle > 0.02 {
            self.driving_time += h;
            self.slip_time += slip * h;
        }
        self.held_slip += (slip - self.held_slip) * (h / PEAK_TIME_CONSTANT).min(1.0);
        self.peak_slip = self.peak_slip.max(self.held_slip);
        self.sinkage_time += sinkage * h;
        self.inflation = inflation;
        self.tire_time[0] += tire[0] * h;
        self.tire_time[1] += tire[1] * h;
        if rolls {
            self.rolled_distance += travel;
            self.rolling_work += metrics.work.compaction;
        }
        self.throttle_time += controls.throttle * h;
        self.drive_energy += metrics.work.driving;
        self.braking_energy += metrics.work.braking;
        self.soil_energy += metrics.work.compaction + metrics.work.shear;
        if let Some(burned) = metrics.fuel {
            *self.fuel.get_or_insert(0.0) += burned;
        }
        // signed sum of both directions, so that rocking does not accumulate travel
        self.sense = metrics.sense;
        let forward = metrics.sense * metrics.advance;
        self.net_travel += forward * h;
        self.last_second.record(time - self.began, self.net_travel, forward);
    }

    /// Adds the force on the belly over a step of `h` s.
    pub(super) fn record_belly_force(&mut self, force: f64, h: f64) {
        self.belly_force += (force - self.belly_force) * (h / MEAN_TIME).min(1.0);
    }

    /// Returns the mean speed over the last second, m/s; positive forward.
    fn mean_speed(&self) -> f64 {
        self.last_second.speed(self.time - self.began, self.net_travel)
    }

    /// Records the driver's intent and the vehicle's progress, at a heartbeat.
    ///
    /// Progress is travel of at least `travel`, m, in the requested direction, or loss of speed
    /// against it. If the requested direction reverses, progress is measured from the speed at
    /// which the vehicle still rolls.
    pub(super) fn record_intent(&mut self, time: f64, intent: Intent, travel: f64) {
        if intent != self.intent {
            (self.intent, self.intent_since) = (intent, time);
        }
        if intent == Intent::Arrived {
            self.arrived.get_or_insert(time);
        }
        let rolls_back = (-self.sense * self.mean_speed()).max(0.0);
        let fresh =
            StallTimer { since: time, from: self.net_travel, rolls_back, sense: self.sense };
        let progresses = |still: &StallTimer| {
            self.sense * (self.net_travel - still.from) >= travel
                || rolls_back <= still.rolls_back - PROGRESS_SLOWDOWN
        };
        self.standstill = match self.standstill {
            _ if intent != Intent::Drive => None,
            Some(still) if still.sense != self.sense => {
                Some(StallTimer { rolls_back, sense: self.sense, ..still })
            }
            Some(still) if !progresses(&still) => Some(still),
            _ => Some(fresh),
        };
    }

    /// Returns the start of the current stall, s, if it has lasted at least `least` s.
    ///
    /// `speed_ratio` is the target speed relative to normal speeds.
    pub(super) fn immobile_since(&self, time: f64, least: f64, speed_ratio: f64) -> Option<f64> {
        let still = self.standstill?;
        let advances = self.sense * self.mean_speed() >= speed_ratio * MIN_ADVANCE_SPEED;
        (time - still.since >= least && !advances).then_some(still.since)
    }

    /// Returns the driver's intent and the time since which it holds, s.
    pub(super) fn intent(&self) -> (Intent, f64) {
        (self.intent, self.intent_since)
    }

    /// Returns the time at which the vehicle last rolled, s.
    pub(super) fn standing_since(&self) -> f64 {
        self.rolled
    }

    /// Returns the time of arrival, s.
    pub fn arrival_time(&self) -> Option<f64> {
        self.arrived
    }

    /// Returns the wheels averaged over about the last second.
    pub fn wheels(&self) -> &[WheelMean] {
        &self.wheels
    }

    /// Returns the force on the belly over about the last second, N.
    pub(super) fn belly_force(&self) -> f64 {
        self.belly_force
    }

    /// Stores a finite position, m; returns the last finite one as error if `position` is not
    /// finite.
    pub(super) fn record_position(&mut self, position: Vec3) -> Result<(), Vec3> {
        if !position.iter().all(|x| x.is_finite()) {
            return Err(Vec3::from(self.last_position));
        }
        self.last_position = position.into();
        Ok(())
    }

    /// Returns the last finite position, m.
    pub(super) fn last_position(&self) -> Vec3 {
        Vec3::from(self.last_position)
    }

    /// Records a sinkage beyond the measured range of a soil, m.
    pub(super) fn add_excess_sinkage(&mut self, soil: SoilId, sinkage: f64) {
        match self.excess_sinkage.iter_mut().find(|(known, _)| *known == soil) {
            Some((_, deepest)) => *deepest = deepest.max(sinkage),
            None => self.excess_sinkage.push((soil, sinkage)),
        }
    }

    /// Returns the soils whose measured range was exceeded, and the largest sinkage in each, m.
    pub fn excess_sinkage(&self) -> &[(SoilId, f64)] {
        &self.excess_sinkage
    }

    /// Returns the end of the last step that counted, s.
    pub(super) fn last_step(&self) -> f64 {
        self.time
    }

    /// Returns the distance driven, m.
    pub fn distance(&self) -> f64 {
        self.distance
    }

    /// Returns the energy from the driveline into wheels or sprockets, J; positive work only.
    pub fn drive_energy(&self) -> f64 {
        self.drive_energy
    }

    /// Returns the summary of the drive.
    pub fn summary(&self, name: &str, model: &str, outcome: OutcomeReport) -> VehicleSummary {
        let per = |sum: f64, span: f64| if span > 0.0 { sum / span } else { 0.0 };
        let made_good = (Vec3::from(self.end) - Vec3::from(self.start)).norm();
        let rolled = self.rolled_distance >= MIN_ROLLED_DISTANCE;
        VehicleSummary {
            name: name.into(),
            model: model.into(),
            outcome,
            driving_time: whole_microseconds(self.time),
            distance: self.distance,
            mean_speed: per(self.distance, self.time),
            speed_made_good: per(made_good, self.time),
            final_speed: self.speed,
            mean_slip: per(self.slip_time, self.driving_time),
            peak_slip: self.peak_slip,
            mean_sinkage: per(self.sinkage_time, self.time),
            max_sinkage: self.max_sinkage,
            tires: (self.inflation > 0.0 || self.tire_time[0] > 0.0).then(|| TireSummary {
                inflation_kpa: kilopascals(self.inflation),
                deflection: per(self.tire_time[0], self.time),
                contact_length: per(self.tire_time[1], self.time),
            }),
            motion_resistance: rolled.then(|| self.rolling_work / self.rolled_distance),
            throttle_time: self.throttle_time,
            drive_energy: self.drive_energy,
            braking_energy: self.braking_energy,
            soil_energy: self.soil_energy,
            fuel: self.fuel,
            battery: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean speed at constant speed and across an abrupt stop.
    ///
    /// Where travel is linear in time the result is exact to rounding. At the stop it is off by up
    /// to a quarter of the speed lost over one interval.
    #[test]
    fn the_last_second_is_a_second_long() {
        let (speed, stop) = (3.7, 2.0);
        for h in [0.002, 0.007, 0.01, 0.02] {
            let (mut last, mut travel, mut time) = (LastSecond::default(), 0.0, 0.0);
            for step in 1..=(4.0 / h) as usize {
                time = step as f64 * h;
                let now = if time <= stop + 1e-9 { speed } else { 0.0 };
                travel += now * h;
                last.record(time, travel, now);
                let moved =
                    f64::min(time, travel / speed) - (time - 1.0).clamp(0.0, travel / speed);
                let known = speed * moved / f64::min(time, 1.0);
                let breaks = (time - 1.0 - stop).abs() < 1.0 / INTERVALS as f64 + h;
                let error = (last.speed(time, travel) - known).abs();
                assert!(error < if breaks { 0.05 } else { 1e-9 }, "{h} {time}: {error}");
            }
            assert_eq!(last.speed(time, travel), 0.0, "{h}");
        }
    }
}
