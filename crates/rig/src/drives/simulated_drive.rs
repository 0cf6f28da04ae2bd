//! A logged drive, simulated with the same vehicle and controls on a given soil.

use super::drive_log::{DriveLog, LogChannel};
use super::soil_prior::SoilParameters;
use bekker_agent::{OutcomeCode, Sample, WheelSample};
use bekker_math::numeric::GRAVITY;
use bekker_scenario::build::{AssetCache, world_with_assets};
use bekker_scenario::config::{
    DriverConfig, EndingsConfig, Ground, SurfaceConfig, TableRow, TimeConfig, VehicleConfig,
};
use bekker_scenario::{Diagnostics, Scenario, ScenarioFile};
use bekker_world::World;
use serde::Serialize;
use std::path::PathBuf;

/// Name of the soil in the simulated scenarios.
const SOIL: &str = "identified";
/// Speed at the start of a log from which the vehicle starts moving, m/s.
const STARTS_MOVING: f64 = 0.5;
/// Time after a start from rest in which a driver without logged controls catches up, s.
const CATCHING_UP: f64 = 1.5;
/// Number of samples whose mean is the speed at the start.
const START_SAMPLES: usize = 4;
/// Smallest speed that a driver can hold, m/s.
const SLOWEST: f64 = 0.02;
/// Limit of a driver that follows a logged speed, m/s²: more than any wheeled vehicle reaches.
const MOST_ACCELERATION: f64 = 20.0;
/// Time to either side over which the logged speed is averaged, s.
///
/// Its noise would otherwise appear as torque: 0.03 m/s at 10 Hz is an acceleration of 0.4 m/s².
const SMOOTHING: f64 = 0.25;

/// Vehicle of the drives.
#[derive(Clone, Debug)]
pub struct DriveVehicle {
    /// Model, tires, inflation, mass, payload and overrides; its driver and position are not used.
    pub config: VehicleConfig,
    /// Folder to which the path of a vehicle file refers.
    pub folder: PathBuf,
    /// Laws and node spacing of the ground.
    pub ground: Ground,
    /// Time step, s; `None` for the default.
    pub step: Option<f64>,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
    assets: AssetCache,
}

impl DriveVehicle {
    /// Creates a vehicle for simulated drives.
    pub fn new(config: VehicleConfig, folder: PathBuf) -> DriveVehicle {
        let (ground, step, assets) = (Ground::default(), None, AssetCache::default());
        DriveVehicle { config, folder, ground, step, gravity: GRAVITY, assets }
    }

    /// Builds the world of a scenario, which refers to files as the vehicle does.
    ///
    /// # Errors
    /// Faults of the scenario.
    pub fn world(&self, scenario: &Scenario) -> Result<World, Diagnostics> {
        let file = ScenarioFile::from_scenario(scenario, &self.folder)?;
        Ok(World::new(world_with_assets(&file, &self.assets)?.world))
    }
}

/// Means of the channels of a log over its windows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DriveWindows {
    /// End of each window, s.
    pub ends: Vec<f64>,
    /// Channels.
    pub channels: Vec<LogChannel>,
    /// Means: for each window the channels in order.
    pub means: Vec<f64>,
    /// Number of samples in each window.
    pub counts: Vec<usize>,
}

impl DriveWindows {
    /// Averages a log over windows of `width`, s, that begin after `skipped`, s.
    pub fn of_log(log: &DriveLog, width: f64, skipped: f64) -> DriveWindows {
        let channels: Vec<LogChannel> = log.channels.iter().map(|(own, _)| *own).collect();
        let mut windows = DriveWindows { ends: vec![], channels, means: vec![], counts: vec![] };
        let mut begin = skipped;
        // the last window may lack one sample at its end
        while begin + width <= log.duration() + 1e-6 {
            let end = begin + width;
            let from = log.times.partition_point(|time| *time <= begin + 1e-6);
            let to = log.times.partition_point(|time| *time <= end + 1e-6);
            if to > from {
                let count = (to - from) as f64;
                let mean = |values: &Vec<f64>| values[from..to].iter().sum::<f64>() / count;
                windows.means.extend(log.channels.iter().map(|(_, values)| mean(values)));
                windows.ends.push(end);
                windows.counts.push(to - from);
            }
            begin = end;
        }
        windows
    }
}

/// A logged drive, ready to be simulated on any soil.
#[derive(Clone, Debug)]
pub struct SimulatedDrive<'a> {
    vehicle: &'a DriveVehicle,
    log: &'a DriveLog,
}

impl<'a> SimulatedDrive<'a> {
    /// Creates a simulation of a log.
    pub fn new(vehicle: &'a DriveVehicle, log: &'a DriveLog) -> SimulatedDrive<'a> {
        SimulatedDrive { vehicle, log }
    }

    /// Returns the start of the windows, s: a vehicle that starts moving first settles.
    ///
    /// Without logged controls, a start from rest is left out too, at most half of the log: the
    /// simulated driver releases its brake later than the logged one, and then catches up.
    pub fn settling_time(&self) -> f64 {
        match (self.start_speed() == 0.0, &self.log.controls) {
            (false, _) => 1.0,
            (true, Some(_)) => 0.0,
            (true, None) => {
                let speeds = self.smoothed_speeds();
                let fastest = speeds.iter().copied().fold(0.0, f64::max);
                let moving = STARTS_MOVING.min(0.5 * fastest);
                let first = speeds.iter().position(|own| *own >= moving).unwrap_or_default();
                let started = self.log.times.get(first).copied().unwrap_or_default();
                (started + CATCHING_UP).min(0.5 * self.log.duration())
            }
        }
    }

    fn start_speed(&self) -> f64 {
        let speeds = self.log.channel(LogChannel::Speed).unwrap_or_default();
        let first = &speeds[..START_SAMPLES.min(speeds.len())];
        let speed = first.iter().sum::<f64>() / START_SAMPLES as f64;
        if speed < STARTS_MOVING { 0.0 } else { speed }
    }

    /// Returns the scenario of the drive on a soil.
    pub fn scenario(&self, soil: &SoilParameters) -> Scenario {
        let mut time = TimeConfig::with_duration(1.0);
        time.duration = (self.log.duration() / time.heartbeat).ceil().max(1.0) * time.heartbeat;
        time.step = self.vehicle.step.unwrap_or(time.step);
        let mut scenario = Scenario::new("identified_drive", SOIL, time);
        scenario.world.gravity = self.vehicle.gravity;
        scenario.ground = self.vehicle.ground.clone();
        scenario.soil.custom.push(soil.to_custom_soil(SOIL));
        scenario.endings = EndingsConfig {
            immobilized: false,
            overturned: false,
            sunk: false,
            ..EndingsConfig::default()
        };
        if self.log.grade != 0.0 {
            scenario.terrain.surface =
                SurfaceConfig::Slope { elevation: 0.0, grade: self.log.grade, uphill_deg: 0.0 };
        }
        let acceleration = self.log.controls.is_none().then_some(MOST_ACCELERATION);
        let driver = DriverConfig::Table { rows: self.control_rows(), acceleration };
        scenario.vehicle.push(VehicleConfig {
            name: "vehicle".into(),
            position: [0.0; 2],
            heading_deg: 0.0,
            speed: self.start_speed(),
            row: None,
            column: None,
            driver,
            uncouple_time: None,
            sensor: vec![],
            ..self.vehicle.config.clone()
        });
        scenario
    }

    /// Logged controls, or else the logged speed as a speed to hold.
    fn control_rows(&self) -> Vec<TableRow> {
        let DriveLog { times, controls, .. } = self.log;
        let speeds = self.smoothed_speeds();
        let row = |(index, time): (usize, &f64)| match controls {
            Some(own) => TableRow {
                time: *time,
                throttle: own.throttle[index],
                brake: own.brake[index],
                steering: own.steering[index],
                ..TableRow::default()
            },
            None => {
                let speed = speeds[index];
                let speed = Some(if speed < SLOWEST { 0.0 } else { speed });
                TableRow { time: *time, speed, ..TableRow::default() }
            }
        };
        times.iter().enumerate().map(row).collect()
    }

    /// Logged speeds, each the mean of as many samples before as after it.
    fn smoothed_speeds(&self) -> Vec<f64> {
        let times = &self.log.times;
        let Some(speeds) = self.log.channel(LogChannel::Speed) else {
            return vec![0.0; times.len()];
        };
        let mean = |(index, time): (usize, &f64)| {
            let before = index - times.partition_point(|own| *own < time - SMOOTHING);
            let after = times.partition_point(|own| *own <= time + SMOOTHING) - 1 - index;
            let reach = before.min(after);
            let beside = &speeds[index - reach..=index + reach];
            beside.iter().sum::<f64>() / beside.len() as f64
        };
        times.iter().enumerate().map(mean).collect()
    }

    /// Returns the number of wheels of the vehicle.
    ///
    /// # Errors
    /// Faults of the vehicle or of the soil.
    pub fn wheel_count(&self, soil: &SoilParameters) -> Result<usize, Diagnostics> {
        Ok(self.wheels_at_start(soil)?.len())
    }

    /// Returns the wheels of the vehicle before it drives.
    pub(super) fn wheels_at_start(
        &self,
        soil: &SoilParameters,
    ) -> Result<Vec<WheelSample>, Diagnostics> {
        let world = self.vehicle.world(&self.scenario(soil))?;
        Ok(world.samples().next().map_or_else(Vec::new, |sample| sample.wheels.to_vec()))
    }

    /// Simulates the drive and returns its channels at the times of the log.
    ///
    /// `None` if the state was no longer finite: the soil then has no density.
    ///
    /// # Errors
    /// Faults of the vehicle or of the soil.
    pub fn run(&self, soil: &SoilParameters) -> Result<Option<DriveLog>, Diagnostics> {
        self.run_scenario(&self.scenario(soil))
    }

    /// Simulates a changed [`scenario`](SimulatedDrive::scenario) of the drive.
    ///
    /// # Errors
    /// Faults of the scenario.
    pub fn run_scenario(&self, scenario: &Scenario) -> Result<Option<DriveLog>, Diagnostics> {
        let mut world = self.vehicle.world(scenario)?;
        let kinds: Vec<LogChannel> = self.log.channels.iter().map(|(own, _)| *own).collect();
        let mut recorded: Vec<Vec<f64>> =
            vec![Vec::with_capacity(self.log.times.len()); kinds.len()];
        let mut now = self.readings(&world, &kinds);
        let (mut before, mut time_before) = (now.clone(), 0.0);
        for time in &self.log.times {
            while world.time() < *time - 1e-9 && world.is_running() {
                (before, time_before) = (now, world.time());
                world.advance();
                now = self.readings(&world, &kinds);
            }
            // linear between heartbeats
            let span = world.time() - time_before;
            let part = if span > 0.0 { ((time - time_before) / span).min(1.0) } else { 1.0 };
            for (values, (from, to)) in recorded.iter_mut().zip(before.iter().zip(&now)) {
                values.push(from + part * (to - from));
            }
        }
        let is_finite = recorded.iter().flatten().all(|own| own.is_finite());
        if world.outcome(0).code == OutcomeCode::Failed || !is_finite {
            return Ok(None);
        }
        Ok(Some(DriveLog {
            channels: kinds.into_iter().zip(recorded).collect(),
            ..self.log.clone()
        }))
    }

    fn readings(&self, world: &World, kinds: &[LogChannel]) -> Vec<f64> {
        let sample = world.samples().next().unwrap_or_default();
        kinds.iter().map(|own| reading(&sample, *own)).collect()
    }
}

/// The value of a channel in a sample.
fn reading(sample: &Sample, channel: LogChannel) -> f64 {
    let of_wheel = |wheel: usize, value: fn(&WheelSample) -> f64| {
        sample.wheels.get(wheel).map_or(f64::NAN, value)
    };
    match channel {
        LogChannel::Speed => sample.speed,
        LogChannel::Pitch => sample.pose.pitch(),
        LogChannel::Spin(wheel) => of_wheel(wheel, |own| own.spin),
        LogChannel::Torque(wheel) => of_wheel(wheel, |own| own.torque),
        LogChannel::Sinkage(wheel) => of_wheel(wheel, |own| own.sinkage),
    }
}
