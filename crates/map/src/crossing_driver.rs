//! Drives of a map, one per thread at a time.

use super::cell_metrics::Reason;
use super::cover::GroundCover;
use super::crossing::{Crossing, cross, cross_until_steady};
use super::evaluation::CoverData;
use super::map_file::MapFile;
use super::speed_observers::AveragingPieces;
use super::table::{TableAxes, TableColumn};
use bekker_ground::soil::SoilKind;
use bekker_scenario::build::AssetCache;
use bekker_scenario::{Scenario, ScenarioFile};
use bekker_world::{start_workers, thread_pool};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Reasons for incomplete drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DrivingError {
    /// The caller requested a stop.
    #[error("interrupted")]
    Interrupted,
    /// The system cannot start a thread.
    #[error("cannot start a thread")]
    NoThread,
}

/// Threads for drives, and their interrupt flag.
#[derive(Clone, Copy, Debug)]
pub struct DriveThreads<'a> {
    /// Number of threads.
    pub count: usize,
    /// Set to stop the drives.
    pub interrupted: &'a AtomicBool,
}

impl DriveThreads<'_> {
    /// Runs `work` for every number below `count` and returns the results in order.
    ///
    /// Each call runs in a pool of one thread, so that parallel code inside it stays on that
    /// thread.
    ///
    /// # Errors
    /// [`DrivingError::Interrupted`] once the flag is set.
    pub fn run_all<T: Send>(
        &self,
        count: usize,
        work: impl Fn(usize) -> T + Sync,
    ) -> Result<Vec<T>, DrivingError> {
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<Option<T>>> = Mutex::new((0..count).map(|_| None).collect());
        let one = || -> Result<(), DrivingError> {
            let own = || {
                loop {
                    if self.interrupted.load(Ordering::Relaxed) {
                        return Err(DrivingError::Interrupted);
                    }
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return Ok(());
                    }
                    let result = work(number);
                    results.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(result);
                }
            };
            // if the system cannot start a thread, existing threads are used, with the same results
            thread_pool(1).map_or_else(|_| own(), |pool| pool.install(own))
        };
        thread::scope(|scope| {
            let threads = self.count.clamp(1, count.max(1));
            let workers = start_workers(scope, threads, one);
            if workers.is_empty() {
                return one().map(|()| vec![()]);
            }
            let ended =
                workers.into_iter().map(|own| own.join().unwrap_or(Err(DrivingError::NoThread)));
            ended.collect::<Result<Vec<()>, _>>()
        })?;
        let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.into_iter().collect::<Option<Vec<T>>>().ok_or(DrivingError::Interrupted)
    }
}

/// Driver of a map's vehicle over planes and over the ground itself; usable from several threads.
#[derive(Clone, Debug)]
pub struct CrossingDriver<'a> {
    map: &'a MapFile,
    assets: AssetCache,
}

impl<'a> CrossingDriver<'a> {
    /// Creates a driver for a map.
    pub fn new(map: &'a MapFile) -> CrossingDriver<'a> {
        CrossingDriver { map, assets: AssetCache::default() }
    }

    /// Returns the properties of a cover known before any drive; firm ground has one strength.
    ///
    /// `ride` is the speed that the ride over it allows, m/s. The speeds over ridges and on firm
    /// ground are still infinite.
    pub fn cover_data(&self, cover: &GroundCover, ride: f64) -> CoverData {
        let soil = self.map.soil_of(cover);
        let is_firm = matches!(soil.kind, SoilKind::Firm { .. });
        let sigma = if is_firm { 0.0 } else { self.map.strength_deviation(&soil.name) };
        let level_cause = match (cover.stems, cover.ridges) {
            (_, Some(_)) => Some(Reason::Obstacle),
            (Some(_), None) => Some(Reason::Stems),
            (None, None) => is_firm.then_some(Reason::Powertrain),
        };
        let (strength, unknown) = ([self.map.strength(&soil.name), sigma], f64::INFINITY);
        CoverData { strength, ride, ridges: unknown, firm: unknown, level_cause }
    }

    /// Returns the strengths and side slopes of a cover's table.
    ///
    /// The logarithm of strength has an offset per cell within `shifts`.
    pub fn axes(&self, cover_data: &CoverData, shifts: [f64; 2]) -> TableAxes {
        TableAxes::new(&self.map.config.table, cover_data.strength, shifts)
    }

    /// Drives over a plane of a cover at a strength with slopes `along` and `across` the path.
    ///
    /// `held` limits the speed, m/s.
    pub fn on_plane(
        &self,
        cover: &GroundCover,
        held: f64,
        strength: f64,
        slope: [f64; 2],
    ) -> Crossing {
        let spacing = cover.ridges.map(|own| own.spacing);
        let averaging =
            AveragingPieces::with_spacing(spacing.or(cover.stems.map(|own| own.spacing)));
        self.cross(held, averaging, || self.map.on_plane(cover, held, strength, slope))
    }

    /// Drives over a level plane of firm ground without obstacles, as rough as a cover.
    pub fn on_firm(&self, cover: &GroundCover) -> Crossing {
        self.cross(f64::INFINITY, AveragingPieces::with_spacing(None), || self.map.on_firm(cover))
    }

    /// Drives over a cell's length of the ground itself about a point, in a direction.
    ///
    /// `held` limits the speed, m/s.
    pub fn on_ground(
        &self,
        cover: &GroundCover,
        held: f64,
        strength: f64,
        center: [f64; 2],
        towards: [f64; 2],
    ) -> Crossing {
        // a vehicle with a speed limit of zero does not cross
        if held <= 0.0 {
            return Crossing::stuck();
        }
        let scenario = |speed: f64, lead_in: f64| {
            let scenario = self.map.on_ground(cover, held, strength, center, towards, lead_in);
            self.at_speed(|| scenario.clone())(speed)
        };
        let lengths = [self.map.lead_in(center, towards), self.map.config.cell];
        cross_until_steady(scenario, &self.assets, lengths, self.speeds(held))
    }

    /// Drives a column of a cover's table with the speed limit `held`, m/s.
    pub fn column(
        &self,
        cover: &GroundCover,
        held: f64,
        axes: &TableAxes,
        column: usize,
    ) -> TableColumn {
        let [strength, side] = axes.column_values(column);
        TableColumn::drive(self.map.config.table.steepest, |grade| {
            self.on_plane(cover, held, strength, [grade, side])
        })
    }

    fn cross(
        &self,
        held: f64,
        averaging: AveragingPieces,
        scenario: impl Fn() -> Scenario,
    ) -> Crossing {
        // a vehicle with a speed limit of zero does not cross
        if held <= 0.0 {
            return Crossing::stuck();
        }
        cross(self.at_speed(scenario), &self.assets, self.speeds(held), averaging)
    }

    /// Returns the entry speed of drives and the driver's limit, m/s, both reduced to `held`.
    fn speeds(&self, held: f64) -> [f64; 2] {
        let limit = self.map.config.speed.min(held);
        [self.map.config.entry_speed.min(limit), limit]
    }

    /// Returns a function that builds the scenario with the vehicle at a speed, m/s.
    fn at_speed(&self, scenario: impl Fn() -> Scenario) -> impl Fn(f64) -> Option<ScenarioFile> {
        move |speed| {
            let mut scenario = scenario();
            scenario.vehicle[0].speed = speed;
            ScenarioFile::from_scenario(&scenario, &self.map.base.folder).ok()
        }
    }
}
