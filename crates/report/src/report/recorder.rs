//! An observer that takes down all of a run in its folder.

use super::ReportError;
use super::hashes::HashRow;
use super::heartbeats::Heartbeats;
use super::record::{Finished, GROUND_INTERVAL, Record};
use super::scene::TrackPoint;
use crate::scenario::Scenario;
use crate::simulation::{Flow, HeartbeatFigures, Moment, Observer, Sample, World};
use std::path::PathBuf;

/// Takes down a run in a folder, as its scenario asks; without a folder only the figures of
/// its heartbeats. The run's schedule must ask for hashes.
pub struct Recorder<'a> {
    scenario: &'a Scenario,
    folder: Option<PathBuf>,
    /// Whether the record in the folder is gone on with.
    resumes: bool,
    /// How many ranks there are.
    ranks: usize,
    /// Whether a timeline is written.
    trace: bool,
    open: Option<(Record, Heartbeats)>,
    figures: Vec<Vec<HeartbeatFigures>>,
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
    /// Figures of all heartbeats, rank by rank.
    pub figures: Vec<Vec<HeartbeatFigures>>,
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
            folder,
            resumes,
            ranks,
            trace,
            open: None,
            figures: vec![Vec::new(); ranks],
            left: Default::default(),
        }
    }

    /// What is left of it, once the run is over.
    pub fn recorded(self) -> Recorded {
        let (files, tracks, hits) = self.left;
        Recorded { files, tracks, hits, figures: self.figures }
    }

    fn take(record: &mut Record, moment: &Moment<'_>) -> Result<(), ReportError> {
        let (tick, clock) = (moment.world.state().tick, &moment.world.model().clock);
        if let Some(hash) = moment.hash {
            record.heartbeat(&HashRow::new(tick, moment.time, hash))?;
        }
        record.commanded(moment.world, moment.figures.tick, moment.commanded)?;
        record.delivered(moment.delivered)?;
        record.hits(moment.world, moment.hits)?;
        record.trailer_events(moment.world, moment.trailer_events)?;
        record.autonomous(moment.world, moment.autonomous)?;
        if let Some(samples) = moment.samples {
            record.samples(moment.world, samples)?;
            if tick.is_multiple_of(clock.ticks_in(GROUND_INTERVAL)) {
                record.ground(moment.world, samples)?;
            }
        }
        record.flush()
    }
}

impl<E: From<ReportError>> Observer<E> for Recorder<'_> {
    fn on_start(&mut self, world: &World, samples: &[Sample]) -> Result<(), E> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let record = Record::open(folder, self.scenario, world, samples, self.resumes)?;
        let from = self.resumes.then(|| world.state().tick);
        let heartbeats = Heartbeats::open(folder, self.ranks, self.trace, from)?;
        self.open = Some((record, heartbeats));
        Ok(())
    }

    fn on_heartbeat(&mut self, moment: &Moment<'_>) -> Result<Flow, E> {
        if let Some((record, _)) = &mut self.open {
            Recorder::take(record, moment)?;
        }
        Ok(Flow::Continue)
    }

    fn on_figures(&mut self, figures: &[Vec<HeartbeatFigures>]) -> Result<(), E> {
        if let Some((_, heartbeats)) = &mut self.open {
            heartbeats.take(figures)?;
        }
        self.figures.iter_mut().zip(figures).for_each(|(all, new)| all.extend_from_slice(new));
        Ok(())
    }

    fn on_end(&mut self, _: &World) -> Result<(), E> {
        if let Some((record, heartbeats)) = self.open.take() {
            let (mut files, tracks, hits) = record.finish()?;
            files.extend(heartbeats.finish()?);
            self.left = (files, tracks, hits);
        }
        Ok(())
    }
}
