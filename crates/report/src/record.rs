//! All data that a run records: hashes, states, readings and events.
//!
//! They are on disk up to the last heartbeat, even if the process is killed. A run resumed from a
//! checkpoint truncates them at the checkpoint's time. It gives the same bytes as a run without
//! interruption.

use super::ReportError;
use super::commands::CommandWriter;
use super::hashes::{HashRow, HashWriter};
use super::hits::{self, CollisionWriter};
use super::readings::SensorRecorder;
use super::scene::TrackPoint;
use super::states::{SampleParts, StateWriter};
use super::trailer_events::TrailerEventWriter;
use bekker_agent::{Collision, Sample, TrailerEvent};
use bekker_math::geodesy::Site;
use bekker_scenario::Scenario;
use bekker_scenario::config::DriverConfig;
use bekker_sensor::Delivery;
use bekker_world::{AutonomyView, CommandRecord, HeartbeatRecord, World};
use std::path::Path;

/// Simulated time between patches of ground among the readings, s.
pub const GROUND_INTERVAL: f64 = 1.0;

/// Writer of the files of a run.
pub struct RunRecord {
    hashes: HashWriter,
    states: StateWriter,
    readings: Option<SensorRecorder>,
    hits: Option<CollisionWriter>,
    trailer_events: Option<TrailerEventWriter>,
    commands: Option<CommandWriter>,
    /// Track of each vehicle so far, for the picture: a point per sample, with a fourteenth of its
    /// size.
    tracks: Vec<Vec<TrackPoint>>,
}

impl RunRecord {
    /// Begins the files of a run with its first samples, or continues the record in this folder.
    ///
    /// When it continues, `since` is the tick up to which the record is kept. Hashes and commands
    /// are kept up to the world's tick. `site` is the world's position on the earth.
    ///
    /// # Errors
    /// [`ReportError`] if a file cannot be created or continued.
    pub fn open(
        folder: &Path,
        scenario: &Scenario,
        site: Option<&Site>,
        world: &World,
        now: &[Sample],
        since: Option<u64>,
    ) -> Result<RunRecord, ReportError> {
        let (resumes, clock) = (since.is_some(), &world.model().clock);
        let after = since.map(|tick| clock.reported_time(tick));
        let names: Vec<String> = scenario.vehicle.iter().map(|entry| entry.name.clone()).collect();
        let wheels = now.iter().map(|sample| sample.wheels.len()).max().unwrap_or(0);
        let output = &scenario.output;
        let readings = if output.readings {
            let (model, entries) = (world.model(), &scenario.vehicle);
            let about = run_metadata(scenario, world);
            let resumed = since.map(|tick| {
                let sampled = tick - tick % clock.ticks_in(output.interval).max(1);
                [tick, sampled].map(|tick| clock.reported_time(tick))
            });
            SensorRecorder::open(folder, model, entries, output, &about, site, resumed)?
        } else {
            None
        };
        let trailers = now.iter().any(|sample| sample.trailer.is_some());
        let articulated = now.iter().any(|sample| sample.articulation.is_some());
        let motors = now.iter().any(|sample| sample.motors.is_some());
        let of_wheels = now.iter().filter_map(|own| Some(own.motors.as_ref()?.wheels.len()));
        let wheel_motors = of_wheels.max().unwrap_or(0);
        let parts = SampleParts { wheels, articulated, trailers, motors, wheel_motors };
        let mut tracks = vec![Vec::new(); names.len()];
        let states = match after {
            None => StateWriter::begin(folder, &names, parts, output)?,
            Some(time) => {
                let mut before = |sample: &Sample| extend(&mut tracks, sample);
                StateWriter::resume(folder, &names, parts, output, time, &mut before)?
            }
        };
        let now_after = after.map(|_| world.time());
        let hashes = HashWriter::open(folder, &names, now_after)?;
        let hits = CollisionWriter::open(folder, world, after)?;
        let trailer_events = TrailerEventWriter::open(folder, world, after)?;
        let outside =
            scenario.vehicle.iter().any(|own| matches!(own.driver, DriverConfig::Outside { .. }));
        let commands = outside.then(|| CommandWriter::open(folder, world, resumes)).transpose()?;
        let mut record =
            RunRecord { hashes, states, readings, hits, trailer_events, commands, tracks };
        if !resumes {
            record.samples(world, world.state().tick, now)?;
            record.flush()?;
        }
        Ok(record)
    }

    /// Records the hashes of a heartbeat.
    ///
    /// # Errors
    /// [`ReportError`] if a file cannot be written; the same applies to the following methods.
    pub fn heartbeat(&mut self, row: &HashRow) -> Result<(), ReportError> {
        self.hashes.append(row)
    }

    /// Records the data of vehicles from a heartbeat that ends at a tick.
    pub fn append(
        &mut self,
        world: &World,
        tick: u64,
        own: &HeartbeatRecord,
    ) -> Result<(), ReportError> {
        self.delivered(&own.delivered)?;
        self.hits(world, tick, &own.hits)?;
        self.trailer_events(world, tick, &own.trailer_events)?;
        self.autonomous(world, tick, &own.autonomous)?;
        own.samples.as_ref().map_or(Ok(()), |samples| self.samples(world, tick, samples))
    }

    /// Records readings delivered by sensors, each with its vehicle.
    pub fn delivered(&mut self, delivered: &[(u32, Delivery)]) -> Result<(), ReportError> {
        let Some(readings) = &mut self.readings else { return Ok(()) };
        delivered.iter().try_for_each(|(agent, own)| readings.append(*agent as usize, own))
    }

    /// Records the collisions that are over at a tick, each with its vehicle.
    pub fn hits(
        &mut self,
        world: &World,
        tick: u64,
        hits: &[(u32, Collision)],
    ) -> Result<(), ReportError> {
        let time = world.model().clock.reported_time(tick);
        if let Some(own) = &mut self.hits {
            own.append(world, time, hits)?;
        }
        let Some(readings) = &mut self.readings else { return Ok(()) };
        let time_us = world.model().clock.micros(tick);
        hits.iter().try_for_each(|(agent, hit)| {
            readings.hit(time_us, *agent as usize, &hits::counterpart(world, hit), hit)
        })
    }

    /// Records the collisions in progress at the end of the run.
    ///
    /// Their time is the earliest at which they could be over, which is after the end of the run. A
    /// run resumed from this state removes these rows, and records the collisions once they are
    /// over.
    pub fn ongoing_collisions(&mut self, world: &World) -> Result<(), ReportError> {
        let Some(own) = &mut self.hits else { return Ok(()) };
        let clock = &world.model().clock;
        let behind = clock.reported_time(world.state().tick) + 1e-6;
        world.ongoing_collisions().try_for_each(|(agent, hit)| {
            own.append(world, (hit.until + Collision::SEPARATION_TIME).max(behind), &[(agent, hit)])
        })
    }

    /// Records the events of trailers by a tick, each with its vehicle.
    pub fn trailer_events(
        &mut self,
        world: &World,
        tick: u64,
        events: &[(u32, TrailerEvent)],
    ) -> Result<(), ReportError> {
        let own = self.trailer_events.as_mut();
        own.map_or(Ok(()), |own| own.append(world, world.model().clock.reported_time(tick), events))
    }

    /// Records the commands of external controllers that hold from the step `tick` on.
    pub fn commanded(
        &mut self,
        world: &World,
        tick: u64,
        commanded: &[CommandRecord],
    ) -> Result<(), ReportError> {
        self.commands.as_mut().map_or(Ok(()), |own| own.append(world, tick, commanded))
    }

    /// Records the internal states of autonomous vehicles at a tick, each with its index.
    pub fn autonomous(
        &mut self,
        world: &World,
        tick: u64,
        views: &[(u32, AutonomyView)],
    ) -> Result<(), ReportError> {
        let Some(readings) = &mut self.readings else { return Ok(()) };
        let time = world.model().clock.micros(tick);
        views.iter().try_for_each(|(agent, view)| readings.autonomy(time, *agent as usize, view))
    }

    /// Records the states of vehicles at a tick.
    pub fn samples(
        &mut self,
        world: &World,
        tick: u64,
        samples: &[Sample],
    ) -> Result<(), ReportError> {
        self.states.append(samples)?;
        samples.iter().for_each(|sample| extend(&mut self.tracks, sample));
        let Some(readings) = &mut self.readings else { return Ok(()) };
        let time = world.model().clock.micros(tick);
        let poses: Vec<_> = samples.iter().map(|sample| (sample.vehicle, sample.pose)).collect();
        readings.poses(time, &poses)?;
        readings.states(time, samples)
    }

    /// Records the ground around the vehicles that carry sensors.
    pub fn ground(&mut self, world: &World, samples: &[Sample]) -> Result<(), ReportError> {
        self.readings.as_mut().map_or(Ok(()), |readings| readings.ground(world, samples))
    }

    /// Writes all recorded data to the disk, at the end of every heartbeat.
    pub fn flush(&mut self) -> Result<(), ReportError> {
        self.readings.as_mut().map_or(Ok(()), SensorRecorder::flush)
    }

    /// Completes the files; returns their names in the folder, the vehicles' tracks, and the
    /// positions of collisions, m.
    pub fn finish(self) -> Result<FinishedRecord, ReportError> {
        let mut places = Vec::new();
        let mut files = self.readings.map_or(Ok(Vec::new()), SensorRecorder::finish)?;
        files.extend(self.states.finish()?);
        files.extend(self.hashes.finish()?);
        if let Some(commands) = self.commands {
            files.extend(commands.finish()?);
        }
        if let Some(events) = self.trailer_events {
            files.extend(events.finish()?);
        }
        if let Some(hits) = self.hits {
            let (names, own) = hits.finish()?;
            files.extend(names);
            places = own;
        }
        Ok((files, self.tracks, places))
    }
}

/// Result of a finished record: names of its files, tracks of the vehicles, and positions of
/// collisions, m.
pub(super) type FinishedRecord = (Vec<String>, Vec<Vec<TrackPoint>>, Vec<[f64; 2]>);

/// Adds a sample to the track of its vehicle.
fn extend(tracks: &mut [Vec<TrackPoint>], sample: &Sample) {
    if let Some(track) = tracks.get_mut(sample.vehicle) {
        track.push(TrackPoint::from_sample(sample));
    }
}

/// Returns the metadata of the readings: names of numbered classes, soils and instances, and the
/// scenario.
fn run_metadata(scenario: &Scenario, world: &World) -> Vec<(&'static str, Vec<(String, String)>)> {
    use bekker_sensor::class::SurfaceClass;
    let numbered = |names: Vec<&str>, first: usize| {
        let names = names.into_iter().enumerate();
        names.map(|(index, name)| ((index + first).to_string(), name.to_owned())).collect()
    };
    let vehicles: Vec<&str> = scenario.vehicle.iter().map(|entry| entry.name.as_str()).collect();
    let soils = world.model().ground.soils().iter().map(|soil| soil.name.as_str()).collect();
    let text = scenario.to_toml().unwrap_or_default();
    vec![
        ("scenario", vec![("toml".to_owned(), text)]),
        ("classes", numbered(SurfaceClass::ALL.map(SurfaceClass::name).to_vec(), 0)),
        ("soils", numbered(soils, 0)),
        ("instances", numbered(vehicles, FIRST_INSTANCE)),
    ]
}

/// Number of the first vehicle among the instances in pictures and scans.
const FIRST_INSTANCE: usize = 1;
