//! An observer that takes down all of a run in its folder.

use super::ReportError;
use super::hashes::HashRow;
use super::heartbeat_costs::HeartbeatCosts;
use super::heartbeats::Heartbeats;
use super::reach::Reach;
use super::record::{Finished, GROUND_INTERVAL, Record};
use super::record_parts::{self, RecordPart, RecordParts};
use super::scene::TrackPoint;
use bekker_agent::Sample;
use bekker_math::geodesy::Site;
use bekker_ranks::{Flow, HeartbeatFigures, Moment, Observer};
use bekker_scenario::Scenario;
use bekker_world::World;
use std::path::{Path, PathBuf};

/// Takes down a run in a folder, as its scenario asks; without a folder only the figures of
/// its heartbeats. The run's schedule must ask for hashes. In parts every rank takes down its own
/// vehicles, and the first the rest.
pub struct Recorder<'a> {
    scenario: &'a Scenario,
    /// Where the world is on the earth.
    site: Option<Site>,
    folder: Option<PathBuf>,
    /// Whether the record in the folder is gone on with.
    resumes: bool,
    /// How many ranks there are.
    ranks: usize,
    /// Whether a timeline is written.
    trace: bool,
    /// The folder and the rank whose part of the record is written there.
    parts: Option<(PathBuf, usize)>,
    open: Option<(Record, Heartbeats)>,
    part: Option<RecordPart>,
    /// Rank by rank.
    costs: Vec<HeartbeatCosts>,
    /// What the record leaves, once the run is over.
    left: Finished,
}

/// What is left of a record once the run is over.
#[derive(Debug, Default)]
pub struct Recorded {
    /// Files in the run's folder.
    pub files: Vec<String>,
    /// Where each vehicle was, at the scenario's interval.
    pub tracks: Vec<Vec<TrackPoint>>,
    /// Where vehicles were hit, m.
    pub hits: Vec<[f64; 2]>,
    /// What heartbeats cost, rank by rank.
    pub costs: Vec<HeartbeatCosts>,
}

impl<'a> Recorder<'a> {
    /// Of a scenario, on so many ranks: into the folder, if this rank writes one.
    pub fn new(
        scenario: &'a Scenario,
        folder: Option<PathBuf>,
        ranks: usize,
        [resumes, trace]: [bool; 2],
    ) -> Recorder<'a> {
        Recorder {
            scenario,
            site: None,
            folder,
            resumes,
            ranks,
            trace,
            parts: None,
            open: None,
            part: None,
            costs: vec![HeartbeatCosts::default(); ranks],
            left: Default::default(),
        }
    }

    /// Sets where the world is on the earth, for the reference system of point clouds.
    pub fn with_site(self, site: Option<Site>) -> Recorder<'a> {
        Recorder { site, ..self }
    }

    /// Has this rank take down what its own vehicles do beside the record, which the first makes
    /// of all parts at the end. The run's [schedule](bekker_ranks::Schedule::parts) must have
    /// it so.
    pub fn in_parts(self, folder: PathBuf, rank: usize) -> Recorder<'a> {
        Recorder { parts: Some((folder, rank)), ..self }
    }

    /// What is left of it, once the run is over.
    pub fn recorded(self) -> Recorded {
        let (files, tracks, hits) = self.left;
        Recorded { files, tracks, hits, costs: self.costs }
    }

    fn take(record: &mut Record, moment: &Moment<'_>) -> Result<(), ReportError> {
        let (tick, clock) = (moment.world.state().tick, &moment.world.model().clock);
        record.delivered(moment.delivered)?;
        record.hits(moment.world, tick, moment.hits)?;
        record.trailer_events(moment.world, tick, moment.trailer_events)?;
        record.autonomous(moment.world, tick, moment.autonomous)?;
        if let Some(samples) = moment.samples {
            record.samples(moment.world, tick, samples)?;
            if tick.is_multiple_of(clock.ticks_in(GROUND_INTERVAL)) {
                record.ground(moment.world, samples)?;
            }
        }
        Ok(())
    }

    /// Begins the record in a folder, or goes on with it: with what parts hold of it up to now.
    fn open(
        &mut self,
        folder: &Path,
        world: &World,
        samples: &[Sample],
    ) -> Result<(), ReportError> {
        let now = world.state().tick;
        let parts = self.resumes.then(|| RecordParts::before(now, folder)).transpose()?;
        let since = parts.as_ref().map(|own| own.since().unwrap_or(now));
        let mut record =
            Record::open(folder, (self.scenario, self.site.as_ref()), world, samples, since)?;
        let mut heartbeats = Heartbeats::open(folder, self.ranks, self.trace, since)?;
        if let Some(parts) = parts.filter(|own| own.since().is_some()) {
            parts.join(now, world, (&mut record, &mut heartbeats), |_| ())?;
            let reach = Reach { hashed: now, sampled: now };
            reach.check(folder, &self.scenario.output, &world.model().clock)?;
        }
        if self.resumes && self.parts.is_none() {
            record_parts::clear(folder)?;
        }
        self.open = Some((record, heartbeats));
        Ok(())
    }
}

impl<E: From<ReportError>> Observer<E> for Recorder<'_> {
    fn on_start(&mut self, world: &World, samples: &[Sample]) -> Result<(), E> {
        if let Some(folder) = self.folder.clone() {
            self.open(&folder, world, samples)?;
        }
        if let Some((folder, rank)) = &self.parts {
            let tick = world.state().tick;
            self.part = Some(RecordPart::begin(folder, tick, *rank, self.ranks)?);
        }
        Ok(())
    }

    fn on_heartbeat(&mut self, moment: &Moment<'_>) -> Result<Flow, E> {
        let tick = moment.world.state().tick;
        if let Some((record, _)) = &mut self.open {
            if let Some(hash) = moment.hash {
                record.heartbeat(&HashRow::new(tick, moment.time, hash))?;
            }
            record.commanded(moment.world, moment.figures.tick, moment.commanded)?;
            if self.part.is_none() {
                Recorder::take(record, moment)?;
            }
            record.flush()?;
        }
        if let Some(part) = &mut self.part {
            part.take(tick, moment.record())?;
        }
        Ok(Flow::Continue)
    }

    fn on_figures(&mut self, figures: &[Vec<HeartbeatFigures>]) -> Result<(), E> {
        if let (Some(part), [own]) = (&mut self.part, figures) {
            return Ok(part.figures(own.clone())?);
        }
        if let Some((_, heartbeats)) = &mut self.open {
            heartbeats.take(figures)?;
        }
        self.costs.iter_mut().zip(figures).for_each(|(sums, new)| sums.add(new));
        Ok(())
    }

    fn on_parts_end(&mut self) -> Result<(), E> {
        Ok(self.part.as_ref().map_or(Ok(()), RecordPart::sync)?)
    }

    fn on_end(&mut self, world: &World) -> Result<(), E> {
        let part = self.part.take();
        if let Some((mut record, mut heartbeats)) = self.open.take() {
            if let (Some(_), Some(folder)) = (part, &self.folder) {
                let all = &mut self.costs;
                let costs = |figures: &[Vec<HeartbeatFigures>]| {
                    all.iter_mut().zip(figures).for_each(|(sums, new)| sums.add(new));
                };
                let tick = world.state().tick;
                let parts = RecordParts::before(u64::MAX, folder)?;
                parts.join(tick, world, (&mut record, &mut heartbeats), costs)?;
                record_parts::clear(folder)?;
            }
            record.hits_under_way(world)?;
            let (mut files, tracks, hits) = record.finish()?;
            files.extend(heartbeats.finish()?);
            self.left = (files, tracks, hits);
        }
        Ok(())
    }
}
