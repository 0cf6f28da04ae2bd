//! Cells of a map driven with full physics, stored as they are completed.

use super::map_cells::{MapCells, driving_failure};
use crate::cli::Failure;
use crate::cli::progress_bar::progress_bar;
use crate::map::{
    CoverData, Crossing, CrossingDriver, DrivePlan, DriveThreads, GroundCover, MapConfig,
};
use crate::report::ReportError;
use crate::report::study::Shard;
use crate::report::trafficability::{self, MapFolder};
use crate::scenario::build::vehicle_specs;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

/// Results of driving all cells of a map.
pub struct DrivenCells {
    pub drives: DrivePlan,
    /// Crossings of each cell; `None` for a cell that cannot be crossed.
    pub crossings: Vec<Option<Vec<Crossing>>>,
    /// Speed on level ground of each cover at its median strength, m/s.
    pub levels: Vec<f64>,
}

impl DrivenCells {
    pub fn all(&self) -> impl Iterator<Item = &Crossing> {
        self.crossings.iter().flatten().flatten()
    }
}

impl MapCells {
    pub fn drives(&self, strengths: usize) -> DrivePlan {
        DrivePlan::new(&self.params(), strengths)
    }

    /// Returns the cells of a shard that can be crossed.
    fn open(&self, shard: Shard) -> Vec<usize> {
        let open = (0..self.cells.count()).filter(|cell| !self.is_closed(*cell));
        open.filter(|cell| shard.has(*cell as u64)).collect()
    }

    /// Drives all cells of a shard that the folder lacks.
    ///
    /// Returns the number of driven cells, and how many of them are new.
    pub fn drive_cells(
        &self,
        folder: &MapFolder,
        known: &[CoverData],
        drives: &DrivePlan,
        shard: Shard,
        threads: &DriveThreads<'_>,
        quiet: bool,
    ) -> Result<[usize; 2], Failure> {
        let (journal, before) = folder.cells::<Vec<Crossing>>(&self.cells_key(drives)?)?;
        let all = self.open(shard);
        let left: Vec<usize> =
            all.iter().copied().filter(|cell| !before.contains_key(&(*cell as u64))).collect();
        let (driver, ground) = (CrossingDriver::new(&self.map), self.ground(known, &[]));
        let bar = progress_bar(all.len() as u64, "cells driven", quiet);
        bar.set_position((all.len() - left.len()) as u64);
        // cells driven before must not count in the estimate of the time left
        bar.reset_eta();
        let failed: Mutex<Option<ReportError>> = Mutex::new(None);
        let driven = threads.run_all(left.len(), |n| {
            let crossings = drives.drive(&driver, &self.covers, &ground, left[n]);
            let kept = journal.put(left[n] as u64, &crossings);
            if let (Err(error), Ok(mut failed)) = (kept, failed.lock()) {
                failed.get_or_insert(error);
            }
            bar.inc(1);
        });
        bar.finish_and_clear();
        if let Ok(Some(error)) = failed.into_inner() {
            return Err(error.into());
        }
        driven.map_err(|error| driving_failure(error, folder.path()))?;
        journal.sync()?;
        Ok([all.len(), left.len()])
    }

    /// Collects the driven cells of several folders, which together must have all cells of the map.
    pub fn gathered(
        &self,
        folders: &[&Path],
        drives: &DrivePlan,
    ) -> Result<BTreeMap<u64, Vec<Crossing>>, Failure> {
        let key = self.cells_key(drives)?;
        let mut known = BTreeMap::new();
        for folder in folders {
            known.extend(MapFolder::cells_of::<Vec<Crossing>>(folder, &key)?);
        }
        known.retain(|_, crossings| crossings.len() == drives.crossings_per_cell());
        let open = self.open(Shard::WHOLE);
        let missing = || open.iter().filter(|cell| !known.contains_key(&(**cell as u64)));
        if let Some(first) = missing().next() {
            let cause = format!(
                "{} of {} cells have no drives yet; the first is cell {first}",
                missing().count(),
                open.len()
            );
            let folders: Vec<String> =
                folders.iter().map(|own| own.display().to_string()).collect();
            return Err(Failure::Input { subject: folders.join(", "), cause });
        }
        Ok(known)
    }

    /// Stores cells that were driven elsewhere in a folder.
    pub fn keep_cells(
        &self,
        folder: &MapFolder,
        drives: &DrivePlan,
        cells: &BTreeMap<u64, Vec<Crossing>>,
    ) -> Result<(), Failure> {
        let (journal, known) = folder.cells(&self.cells_key(drives)?)?;
        for (cell, crossings) in cells.iter().filter(|own| !known.contains_key(own.0)) {
            journal.put(*cell, crossings)?;
        }
        Ok(journal.sync()?)
    }

    /// Reads a folder that has all cells.
    pub fn driven_cells(
        &self,
        folder: &Path,
        known: &[CoverData],
        drives: &DrivePlan,
    ) -> Result<DrivenCells, Failure> {
        let mut driven = self.gathered(&[folder], drives)?;
        let crossings = (0..self.cells.count() as u64).map(|cell| driven.remove(&cell)).collect();
        let driver = CrossingDriver::new(&self.map);
        let level = |(cover, known): (&GroundCover, &CoverData)| {
            let [median, _] = known.strength;
            driver.on_plane(cover, known.ridges, median, [0.0; 2]).speed
        };
        let levels = self.covers.iter().zip(known).map(level).collect();
        Ok(DrivenCells { drives: *drives, crossings, levels })
    }

    /// Returns the hash of all settings that affect the crossings of cells, without those of the
    /// later evaluation.
    fn cells_key(&self, drives: &DrivePlan) -> Result<String, Failure> {
        let config = MapConfig {
            description: String::new(),
            draws: 0,
            ride_speed: None,
            table: Default::default(),
            elevation_error: Default::default(),
            barrier: Vec::new(),
            crossing: Vec::new(),
            ..self.map.config.clone()
        };
        let inputs = self.map.base.inputs.list().into_iter().map(|own| own.sha256);
        let inputs: Vec<String> = inputs.collect();
        let specs = vehicle_specs(&self.map.base)?;
        let (soils, strengths) = (self.map.soils.soils(), drives.strengths);
        let decisive = serde_json::to_vec(&(&config, inputs, soils, specs, strengths));
        Ok(trafficability::key(&decisive.unwrap_or_default()))
    }
}
