//! Events of trailers in a run, `trailers.csv`.

use super::ReportError;
use super::append_table::AppendTable;
use super::columns::{RecordColumn, RecordValues};
use super::hashes::whole_microseconds;
use bekker_agent::{GroundVehicle, TrailerEvent};
use bekker_scenario::config::StateFormat;
use bekker_world::World;
use std::path::Path;

const STEM: &str = "trailers";
const FORMAT: [StateFormat; 1] = [StateFormat::Csv];
/// Text columns and their descriptions.
const WORDS: [(&str, &str); 2] = [
    ("vehicle", "vehicle that tows or towed the trailer"),
    (
        "event",
        "`uncoupled` (on command), `torn_off`, or `pulled_up` (the driver pulls forward to \
         straighten it)",
    ),
];

/// Name and description of each column, for the README of the folder.
pub(super) fn described() -> impl Iterator<Item = (&'static str, &'static str)> {
    std::iter::once(("time_s", "time of the event, s")).chain(WORDS)
}

fn columns() -> Vec<RecordColumn> {
    let column = |name: &str, values| RecordColumn { name: name.to_owned(), values };
    let words = WORDS.map(|(name, _)| column(name, RecordValues::Text(Vec::new())));
    std::iter::once(column("time_s", RecordValues::Real(Vec::new()))).chain(words).collect()
}

/// Name of an event in the file.
pub(super) fn word(event: TrailerEvent) -> &'static str {
    match event {
        TrailerEvent::Released => "uncoupled",
        TrailerEvent::TornOff => "torn_off",
        TrailerEvent::PulledUp => "pulled_up",
    }
}

/// Writer of the events of a run.
pub(super) struct TrailerEventWriter {
    table: AppendTable,
}

impl TrailerEventWriter {
    /// Begins the file, or continues it after a time, s; none if no vehicle has a trailer.
    pub fn open(
        folder: &Path,
        world: &World,
        after: Option<f64>,
    ) -> Result<Option<TrailerEventWriter>, ReportError> {
        if !world.model().agents.iter().any(|agent| agent.vehicle.has_trailer()) {
            return Ok(None);
        }
        let table = match after {
            None => AppendTable::begin(folder, STEM, columns(), &FORMAT)?,
            Some(time) => AppendTable::resume(folder, STEM, columns(), &FORMAT, time, &mut |_| {})?,
        };
        Ok(Some(TrailerEventWriter { table }))
    }

    /// Adds the events of the heartbeat that ended at a time, s.
    pub fn append(
        &mut self,
        world: &World,
        time: f64,
        events: &[(u32, TrailerEvent)],
    ) -> Result<(), ReportError> {
        for (agent, event) in events {
            let name = &world.model().agents[*agent as usize].name;
            let time = whole_microseconds(time).to_string();
            let words = [time.as_str(), name.as_str(), word(*event)];
            for (column, word) in self.table.columns().iter_mut().zip(words) {
                column.values.read(word);
            }
            self.table.end_row()?;
        }
        self.table.flush()
    }

    /// Completes the file and returns its name.
    pub fn finish(self) -> Result<Vec<String>, ReportError> {
        self.table.finish()
    }
}
