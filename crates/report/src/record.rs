//! All that a run takes down as it goes on: hashes, states, readings.
//!
//! It is on the disk to the last heartbeat, whatever becomes of the process. A run that
//! goes on from a checkpoint cuts it at the checkpoint's time, and leaves the same bytes
//! as one that was never cut.

use super::ReportError;
use super::commands::Commands;
use super::hashes::{HashRow, Hashes};
use super::hits::{self, Hits};
use super::readings::Recording;
use super::scene::TrackPoint;
use super::states::States;
use super::trailer_events::TrailerEvents;
use bekker_agent::{Hit, Sample, TrailerEvent};
use bekker_math::geodesy::Site;
use bekker_scenario::Scenario;
use bekker_scenario::config::Driver;
use bekker_sensor::Delivery;
use bekker_world::{AutonomyView, Commanded, HeartbeatRecord, World};
use std::path::Path;

/// Simulated time between patches of ground among the readings, s.
pub const GROUND_INTERVAL: f64 = 1.0;

/// The files of a run in the making.
pub struct Record {
    hashes: Hashes,
    states: States,
    readings: Option<Recording>,
    hits: Option<Hits>,
    trailer_events: Option<TrailerEvents>,
    commands: Option<Commands>,
    /// Where each vehicle has been so far, for the picture: a fourteenth of its samples.
    tracks: Vec<Vec<TrackPoint>>,
}

impl Record {
    /// Begins the files of a run with its first samples, or, if it goes on with a record in this
    /// folder `since` a tick, with what was taken down by then; hashes and commands with those up
    /// to the world's. `site` is the world's position on the earth.
    ///
    /// # Errors
    /// [`ReportError`] when a file cannot be created or gone on with.
    pub fn open(
        folder: &Path,
        (scenario, site): (&Scenario, Option<&Site>),
        world: &World,
        now: &[Sample],
        since: Option<u64>,
    ) -> Result<Record, ReportError> {
        let (resumes, clock) = (since.is_some(), &world.model().clock);
        let after = since.map(|tick| clock.told(tick));
        let names: Vec<String> = scenario.vehicle.iter().map(|entry| entry.name.clone()).collect();
        let wheels = now.iter().map(|sample| sample.wheels.len()).max().unwrap_or(0);
        let output = &scenario.output;
        let readings = if output.readings {
            let (model, entries) = (world.model(), &scenario.vehicle);
            let about = about(scenario, world);
            let resumed = since.map(|tick| {
                let sampled = tick - tick % clock.ticks_in(output.interval).max(1);
                [tick, sampled].map(|tick| clock.told(tick))
            });
            Recording::open(folder, model, entries, &output.states, &about, site, resumed)?
        } else {
            None
        };
        let parts = (wheels, now.iter().any(|sample| sample.trailer.is_some()));
        let mut tracks = vec![Vec::new(); names.len()];
        let states = match after {
            None => States::begin(folder, &names, parts, output)?,
            Some(time) => {
                let mut before = |sample: &Sample| extend(&mut tracks, sample);
                States::resume(folder, &names, parts, output, time, &mut before)?
            }
        };
        let now_after = after.map(|_| world.time());
        let hashes = Hashes::open(folder, &names, now_after)?;
        let hits = Hits::open(folder, world, after)?;
        let trailer_events = TrailerEvents::open(folder, world, after)?;
        let outside =
            scenario.vehicle.iter().any(|own| matches!(own.driver, Driver::Outside { .. }));
        let commands = outside.then(|| Commands::open(folder, world, resumes)).transpose()?;
        let mut record =
            Record { hashes, states, readings, hits, trailer_events, commands, tracks };
        if !resumes {
            record.samples(world, world.state().tick, now)?;
            record.flush()?;
        }
        Ok(record)
    }

    /// Takes down the hashes of a heartbeat.
    ///
    /// # Errors
    /// [`ReportError`] when a file cannot be written; so with all that follow.
    pub fn heartbeat(&mut self, row: &HashRow) -> Result<(), ReportError> {
        self.hashes.take(row)
    }

    /// Takes down what vehicles left in a heartbeat that ends at a tick.
    pub fn take(
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

    /// Takes down what sensors delivered, each with its vehicle.
    pub fn delivered(&mut self, delivered: &[(u32, Delivery)]) -> Result<(), ReportError> {
        let Some(readings) = &mut self.readings else { return Ok(()) };
        delivered.iter().try_for_each(|(agent, own)| readings.take(*agent as usize, own))
    }

    /// Takes down the hits that are over at a tick, each with its vehicle.
    pub fn hits(
        &mut self,
        world: &World,
        tick: u64,
        hits: &[(u32, Hit)],
    ) -> Result<(), ReportError> {
        let time = world.model().clock.told(tick);
        if let Some(own) = &mut self.hits {
            own.take(world, time, hits)?;
        }
        let Some(readings) = &mut self.readings else { return Ok(()) };
        let time_us = world.model().clock.micros(tick);
        hits.iter().try_for_each(|(agent, hit)| {
            readings.hit(time_us, *agent as usize, &hits::with(world, hit), hit)
        })
    }

    /// Takes down the hits that go on as the run ends, by when they would be over at the earliest: a
    /// run that is gone on with begins behind that, and takes them down once they are.
    pub fn hits_under_way(&mut self, world: &World) -> Result<(), ReportError> {
        let Some(own) = &mut self.hits else { return Ok(()) };
        let clock = &world.model().clock;
        let behind = clock.told(world.state().tick) + 1e-6;
        world.hits_under_way().try_for_each(|(agent, hit)| {
            own.take(world, (hit.until + Hit::OVER).max(behind), &[(agent, hit)])
        })
    }

    /// Takes down what happened to trailers by a tick, each with its vehicle.
    pub fn trailer_events(
        &mut self,
        world: &World,
        tick: u64,
        events: &[(u32, TrailerEvent)],
    ) -> Result<(), ReportError> {
        let own = self.trailer_events.as_mut();
        own.map_or(Ok(()), |own| own.take(world, world.model().clock.told(tick), events))
    }

    /// Takes down the commands from outside that hold from the step `tick` on.
    pub fn commanded(
        &mut self,
        world: &World,
        tick: u64,
        commanded: &[Commanded],
    ) -> Result<(), ReportError> {
        self.commands.as_mut().map_or(Ok(()), |own| own.take(world, tick, commanded))
    }

    /// Takes down what vehicles that drive themselves have in mind at a tick, each with its index.
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

    /// Takes down where vehicles are at a tick and how they do.
    pub fn samples(
        &mut self,
        world: &World,
        tick: u64,
        samples: &[Sample],
    ) -> Result<(), ReportError> {
        self.states.take(samples)?;
        samples.iter().for_each(|sample| extend(&mut self.tracks, sample));
        let Some(readings) = &mut self.readings else { return Ok(()) };
        let time = world.model().clock.micros(tick);
        let poses: Vec<_> = samples.iter().map(|sample| (sample.vehicle, sample.pose)).collect();
        readings.poses(time, &poses)
    }

    /// Takes down the ground around the vehicles that carry sensors.
    pub fn ground(&mut self, world: &World, samples: &[Sample]) -> Result<(), ReportError> {
        self.readings.as_mut().map_or(Ok(()), |readings| readings.ground(world, samples))
    }

    /// Brings all of it to the disk: at the end of every heartbeat.
    pub fn flush(&mut self) -> Result<(), ReportError> {
        self.readings.as_mut().map_or(Ok(()), Recording::flush)
    }

    /// Ends the files: their names in the folder, where each vehicle was, and where hits were, m.
    pub fn finish(self) -> Result<Finished, ReportError> {
        let mut places = Vec::new();
        let mut files = self.readings.map_or(Ok(Vec::new()), Recording::finish)?;
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

/// A finished record: names of its files, where each vehicle was, and where hits were, m.
pub(super) type Finished = (Vec<String>, Vec<Vec<TrackPoint>>, Vec<[f64; 2]>);

/// A sample goes to the track of its vehicle.
fn extend(tracks: &mut [Vec<TrackPoint>], sample: &Sample) {
    if let Some(track) = tracks.get_mut(sample.vehicle) {
        track.push(TrackPoint::of(sample));
    }
}

/// What goes with the readings: names of what they number, and the scenario.
fn about(scenario: &Scenario, world: &World) -> Vec<(&'static str, Vec<(String, String)>)> {
    use bekker_sensor::class::Class;
    let numbered = |names: Vec<&str>, first: usize| {
        let names = names.into_iter().enumerate();
        names.map(|(index, name)| ((index + first).to_string(), name.to_owned())).collect()
    };
    let vehicles: Vec<&str> = scenario.vehicle.iter().map(|entry| entry.name.as_str()).collect();
    let soils = world.model().ground.soils().iter().map(|soil| soil.name.as_str()).collect();
    let text = scenario.to_toml().unwrap_or_default();
    vec![
        ("scenario", vec![("toml".to_owned(), text)]),
        ("classes", numbered(Class::ALL.map(Class::name).to_vec(), 0)),
        ("soils", numbered(soils, 0)),
        ("instances", numbered(vehicles, FIRST_INSTANCE)),
    ]
}

/// Number of the first vehicle among the instances that pictures and scans tell.
const FIRST_INSTANCE: usize = 1;
