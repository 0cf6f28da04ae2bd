//! Observer that records all of a run in its folder.

use super::ReportError;
use super::hashes::HashRow;
use super::heartbeat_costs::HeartbeatCosts;
use super::heartbeats::HeartbeatWriter;
use super::record::{FinishedRecord, GROUND_INTERVAL, RunRecord};
use super::record_extent::RecordExtent;
use super::record_parts::{self, RecordPart, RecordParts};
use super::scene::TrackPoint;
use bekker_agent::Sample;
use bekker_math::geodesy::Site;
use bekker_ranks::{Flow, HeartbeatInfo, HeartbeatMetrics, Observer};
use bekker_scenario::Scenario;
use bekker_world::World;
use std::path::{Path, PathBuf};

/// Records a run in a folder as its scenario requests; without a folder, only the costs of
/// heartbeats.
///
/// The run's schedule must request hashes. If the record is in parts, each rank records its own
/// vehicles, and rank 0 the rest.
pub struct Recorder<'a> {
    scenario: &'a Scenario,
    /// Position of the world on the earth.
    site: Option<Site>,
    folder: Option<PathBuf>,
    /// Whether the record in the folder is continued.
    resumes: bool,
    /// Number of ranks.
    ranks: usize,
    /// Whether a timeline is written.
    trace: bool,
    /// Folder of the run and number of this rank, if it writes a part of the record.
    parts: Option<(PathBuf, usize)>,
    open: Option<(RunRecord, HeartbeatWriter)>,
    part: Option<RecordPart>,
    /// Costs of heartbeats, by rank.
    costs: Vec<HeartbeatCosts>,
    /// Result of the record, once the run is over.
    left: FinishedRecord,
}

/// Result of a record, once the run is over.
#[derive(Debug, Default)]
pub struct RecorderOutput {
    /// Names of files in the run's folder.
    pub files: Vec<String>,
    /// Track of each vehicle, at the scenario's interval.
    pub tracks: Vec<Vec<TrackPoint>>,
    /// Positions of collisions, m.
    pub hits: Vec<[f64; 2]>,
    /// Costs of heartbeats, by rank.
    pub costs: Vec<HeartbeatCosts>,
}

impl<'a> Recorder<'a> {
    /// Creates the recorder of a scenario on `ranks` ranks; `folder` is given if this rank writes
    /// one.
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

    /// Sets the position of the world on the earth, for the reference system of point clouds.
    pub fn with_site(self, site: Option<Site>) -> Recorder<'a> {
        Recorder { site, ..self }
    }

    /// Makes this rank record its own vehicles in a part, which rank 0 joins to the record at the
    /// end.
    ///
    /// The run's [schedule](bekker_ranks::RunSchedule::parts) must request parts, too.
    pub fn in_parts(self, folder: PathBuf, rank: usize) -> Recorder<'a> {
        Recorder { parts: Some((folder, rank)), ..self }
    }

    /// Returns the result, once the run is over.
    pub fn recorded(self) -> RecorderOutput {
        let (files, tracks, hits) = self.left;
        RecorderOutput { files, tracks, hits, costs: self.costs }
    }

    fn append(record: &mut RunRecord, moment: &HeartbeatInfo<'_>) -> Result<(), ReportError> {
        let (tick, clock) = (moment.world.state().tick, &moment.world.model().clock);
        let root = moment.root.unwrap_or_default();
        record.delivered(root.delivered)?;
        record.hits(moment.world, tick, root.hits)?;
        record.trailer_events(moment.world, tick, root.trailer_events)?;
        record.autonomous(moment.world, tick, root.autonomous)?;
        if let Some(samples) = root.samples {
            record.samples(moment.world, tick, samples)?;
            if tick.is_multiple_of(clock.ticks_in(GROUND_INTERVAL)) {
                record.ground(moment.world, samples)?;
            }
        }
        Ok(())
    }

    /// Begins the record in a folder, or continues it and joins the parts that precede the current
    /// tick.
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
            RunRecord::open(folder, self.scenario, self.site.as_ref(), world, samples, since)?;
        let mut heartbeats = HeartbeatWriter::open(folder, self.ranks, self.trace, since)?;
        if let Some(parts) = parts.filter(|own| own.since().is_some()) {
            parts.join(now, world, &mut record, &mut heartbeats, |_| ())?;
            let reach = RecordExtent { hashed: now, sampled: now };
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

    fn on_heartbeat(&mut self, moment: &HeartbeatInfo<'_>) -> Result<Flow, E> {
        let tick = moment.world.state().tick;
        if let Some((record, _)) = &mut self.open {
            if let Some(hash) = moment.hash {
                record.heartbeat(&HashRow::new(tick, moment.time, hash))?;
            }
            let commanded = moment.root.unwrap_or_default().commanded;
            record.commanded(moment.world, moment.metrics.tick, commanded)?;
            if self.part.is_none() {
                Recorder::append(record, moment)?;
            }
            record.flush()?;
        }
        if let Some(part) = &mut self.part {
            part.append(tick, moment.root.unwrap_or_default().record())?;
        }
        Ok(Flow::Continue)
    }

    fn on_metrics(&mut self, figures: &[Vec<HeartbeatMetrics>]) -> Result<(), E> {
        if let (Some(part), [own]) = (&mut self.part, figures) {
            return Ok(part.append_metrics(own.clone())?);
        }
        if let Some((_, heartbeats)) = &mut self.open {
            heartbeats.append(figures)?;
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
                let costs = |figures: &[Vec<HeartbeatMetrics>]| {
                    all.iter_mut().zip(figures).for_each(|(sums, new)| sums.add(new));
                };
                let tick = world.state().tick;
                let parts = RecordParts::before(u64::MAX, folder)?;
                parts.join(tick, world, &mut record, &mut heartbeats, costs)?;
                record_parts::clear(folder)?;
            }
            record.ongoing_collisions(world)?;
            let (mut files, tracks, hits) = record.finish()?;
            files.extend(heartbeats.finish()?);
            self.left = (files, tracks, hits);
        }
        Ok(())
    }
}
