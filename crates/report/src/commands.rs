//! Commands of external controllers, `commands.csv`: a run can be repeated with them without its
//! controllers.
//!
//! A row is a command that holds from its time on. It is written if it differs from the vehicle's
//! previous one, comes from another controller, or carries radio messages.

use super::ReportError;
use super::append_table::AppendTable;
use super::columns::{RecordColumn, RecordValues};
use super::hashes::whole_microseconds;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bekker_scenario::config::StateFormat;
use bekker_vehicle::{Controls, Lock, Locks, Selector};
use bekker_world::{CommandOrigin, CommandRecord, World};
use std::path::Path;

/// Name of the file in a run's folder.
pub const COMMANDS: &str = "commands.csv";
const STEM: &str = "commands";
const FORMAT: [StateFormat; 1] = [StateFormat::Csv];

/// Name and description of each column, for the README of the folder.
pub(super) fn described() -> [(&'static str, &'static str); 13] {
    [
        ("time_s", "start of validity, s"),
        ("tick", "same time in steps"),
        ("vehicle", "name of the vehicle"),
        ("throttle", "0 to 1"),
        ("brake", "0 to 1"),
        ("steering", "fraction of full lock, -1 (right) to 1 (left)"),
        ("gear", "gear lever: drive, neutral, reverse"),
        ("inflation_kpa", "target of central tire inflation, if requested"),
        (
            "locks",
            "differentials to be locked: `center`, `inter_axle`, `front_axles`, `rear_axles`",
        ),
        ("uncouple", "whether to uncouple the trailer"),
        (
            "origin",
            "source: `driver`, or a substitute because the driver `timed_out` or was `lost`",
        ),
        ("driver", "name given by the driver"),
        ("says", "radio messages that the vehicle sends at the next exchange, in base64"),
    ]
}

/// Returns a pressure, Pa, in kPa as text that has all bits: only the decimal point moves.
fn kilopascals(pressure: f64) -> String {
    let text = pressure.abs().to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole = format!("{whole:0>4}");
    let (kilo, rest) = whole.split_at(whole.len() - 3);
    let text = format!("{kilo}.{rest}{fraction}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Reads the text of [`kilopascals`] as a pressure, Pa.
fn pascals(text: &str) -> Option<f64> {
    format!("{text}e3").parse().ok()
}

fn columns() -> Vec<RecordColumn> {
    let values = |name: &str| match name {
        "tick" => RecordValues::OptionalLong(Vec::new()),
        // text, so that an inflation keeps its bits
        "vehicle" | "gear" | "inflation_kpa" | "locks" | "uncouple" | "origin" | "driver"
        | "says" => RecordValues::Text(Vec::new()),
        _ => RecordValues::Real(Vec::new()),
    };
    described().map(|(name, _)| RecordColumn { name: name.to_owned(), values: values(name) }).into()
}

const LEVERS: [(Selector, &str); 3] =
    [(Selector::Drive, "drive"), (Selector::Neutral, "neutral"), (Selector::Reverse, "reverse")];

/// A row of the file.
#[derive(Clone, Debug, PartialEq)]
struct CommandRow {
    tick: u64,
    vehicle: String,
    controls: Controls,
    origin: CommandOrigin,
    driver: String,
    says: Vec<Vec<u8>>,
}

impl CommandRow {
    fn parse(row: &csv::StringRecord) -> Option<CommandRow> {
        let number = |column: usize| row.get(column)?.parse::<f64>().ok();
        let lever = row.get(6)?;
        let inflation = row.get(7)?;
        let (locks, uncouple, origin) = (row.get(8)?, row.get(9)?, row.get(10)?);
        Some(CommandRow {
            tick: row.get(1)?.parse().ok()?,
            vehicle: row.get(2)?.to_owned(),
            controls: Controls {
                throttle: number(3)?,
                brake: number(4)?,
                steering: number(5)?,
                gear: LEVERS.iter().find(|(_, name)| *name == lever)?.0,
                inflation: if inflation.is_empty() { None } else { Some(pascals(inflation)?) },
                locks: Locks::named(locks.split_whitespace()).ok()?,
                uncouple: uncouple.parse().ok()?,
            },
            origin: CommandOrigin::ALL.into_iter().find(|own| own.name() == origin)?,
            driver: row.get(11)?.to_owned(),
            says: row
                .get(12)?
                .split(' ')
                .filter(|word| !word.is_empty())
                .map(|word| STANDARD.decode(word).ok())
                .collect::<Option<_>>()?,
        })
    }

    fn words(&self, time: f64) -> [String; 13] {
        let CommandRow { tick, vehicle, controls, origin, driver, says } = self;
        let Controls { throttle, brake, steering, gear, inflation, locks, uncouple } = controls;
        let lever = LEVERS.iter().find(|(own, _)| own == gear).map_or("", |(_, name)| name);
        [
            whole_microseconds(time).to_string(),
            tick.to_string(),
            vehicle.clone(),
            throttle.to_string(),
            brake.to_string(),
            steering.to_string(),
            lever.into(),
            inflation.map(kilopascals).unwrap_or_default(),
            locks.iter().map(Lock::name).collect::<Vec<_>>().join(" "),
            uncouple.to_string(),
            origin.name().into(),
            driver.clone(),
            says.iter().map(|own| STANDARD.encode(own)).collect::<Vec<_>>().join(" "),
        ]
    }
}

/// Writer of the commands of a run.
pub(super) struct CommandWriter {
    table: AppendTable,
    /// Last row of each vehicle.
    last: Vec<Option<CommandRow>>,
}

impl CommandWriter {
    /// Creates the file, or continues one from the time of `world`.
    ///
    /// Rows from that time on are removed, because the run writes them again. A run that continues
    /// in another folder finds a copy of the earlier file there.
    pub fn open(folder: &Path, world: &World, resumes: bool) -> Result<CommandWriter, ReportError> {
        let agents = &world.model().agents;
        let mut last = vec![None; agents.len()];
        let mut visit = |row: &csv::StringRecord| {
            let Some(row) = CommandRow::parse(row) else { return };
            if let Some(agent) = agents.iter().position(|own| own.name == row.vehicle) {
                last[agent] = Some(row);
            }
        };
        let goes_on = resumes || (world.state().tick > 0 && folder.join(COMMANDS).exists());
        let table = if goes_on {
            let before = world.time() - 0.5 * world.model().clock.step();
            AppendTable::resume(folder, STEM, columns(), &FORMAT, before, &mut visit)?
        } else {
            AppendTable::begin(folder, STEM, columns(), &FORMAT)?
        };
        Ok(CommandWriter { table, last })
    }

    /// Adds the new commands of the heartbeat that began at `tick`.
    ///
    /// A command equal to the vehicle's last one is skipped unless it carries radio messages.
    pub fn append(
        &mut self,
        world: &World,
        tick: u64,
        commanded: &[CommandRecord],
    ) -> Result<(), ReportError> {
        for CommandRecord { agent, controls, origin, driver, says } in commanded {
            let (agent, controls, origin) = (*agent as usize, *controls, *origin);
            let vehicle = world.model().agents[agent].name.clone();
            let last = &mut self.last[agent];
            let now = (controls, origin, driver);
            let same =
                last.as_ref().is_some_and(|own| (own.controls, own.origin, &own.driver) == now);
            if same && says.is_empty() {
                continue;
            }
            let (driver, says) = (driver.clone(), says.clone());
            let row = CommandRow { tick, vehicle, controls, origin, driver, says };
            let words = row.words(world.model().clock.reported_time(tick));
            for (column, word) in self.table.columns().iter_mut().zip(words) {
                column.values.read(&word);
            }
            *last = Some(row);
            self.table.end_row()?;
        }
        self.table.flush()
    }

    /// Completes the file and returns its name.
    pub fn finish(self) -> Result<Vec<String>, ReportError> {
        self.table.finish()
    }
}

/// Commands of a recorded run, to be applied again.
#[derive(Clone, Debug, Default)]
pub struct CommandLog {
    /// Commands and their ticks, in the order of ticks.
    rows: Vec<(u64, CommandRecord)>,
}

impl CommandLog {
    /// Reads the commands in a run's folder for a world with the same vehicles.
    ///
    /// The log is empty if there is no file.
    ///
    /// # Errors
    /// [`ReportError`] if the file cannot be read or names a vehicle that does not exist.
    pub fn of_run(folder: &Path, world: &World) -> Result<CommandLog, ReportError> {
        let path = folder.join(COMMANDS);
        if !path.exists() {
            return Ok(CommandLog::default());
        }
        bekker_scenario::input::check_regular(&path).map_err(ReportError::file("read", &path))?;
        let mut reader = csv::Reader::from_path(&path).map_err(ReportError::decode(&path))?;
        let agents = &world.model().agents;
        let mut rows = Vec::new();
        for (line, record) in reader.records().enumerate() {
            let record = record.map_err(ReportError::decode(&path))?;
            let agent = |row: &CommandRow| agents.iter().position(|own| own.name == row.vehicle);
            let row = CommandRow::parse(&record).and_then(|row| {
                let agent = agent(&row)? as u32;
                let CommandRow { tick, controls, origin, driver, says, .. } = row;
                Some((tick, CommandRecord { agent, controls, origin, driver, says }))
            });
            let cause = || format!("row {}: not a command to a vehicle of the run", line + 1);
            rows.push(row.ok_or_else(|| ReportError::decode(&path)(cause()))?);
        }
        Ok(CommandLog { rows })
    }

    /// Applies the commands of the heartbeat that the world is about to begin.
    ///
    /// # Errors
    /// [`CommandError`](bekker_world::CommandError) if a vehicle of the world does not support its
    /// command.
    pub fn apply(&self, world: &mut World) -> Result<(), bekker_world::CommandError> {
        let now = world.state().tick;
        let first = self.rows.partition_point(|(tick, _)| *tick < now);
        let mut rows = self.rows[first..].iter().take_while(|row| row.0 == now);
        rows.try_for_each(|(_, own)| own.apply(world))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_reads_back_bit_for_bit() {
        let of = |pressure| Controls {
            throttle: 0.1 + 0.2,
            steering: -1.0 / 3.0,
            brake: f64::MIN_POSITIVE,
            gear: Selector::Reverse,
            inflation: Some(pressure),
            locks: Locks { center: true, rear_axles: true, ..Locks::OPEN },
            uncouple: true,
        };
        assert_eq!(kilopascals(1.5e5), "150");
        let pressures = [0.0, 0.1, 12.0, 1.5e5, 1.3e5_f64.next_down(), 130_000.123_456_789, 5e6];
        let all = pressures.map(|pressure| (of(pressure), CommandOrigin::Driver));
        let lost = (Controls::default(), CommandOrigin::Lost);
        for (controls, origin) in all.into_iter().chain([lost]) {
            let says = vec![b"mud, ahead".to_vec(), vec![0, 255]];
            let driver = "mine".to_owned();
            let row =
                CommandRow { tick: 7, vehicle: "a, b".into(), controls, origin, driver, says };
            let record = csv::StringRecord::from(row.words(0.0035).to_vec());
            assert_eq!(CommandRow::parse(&record), Some(row));
        }
        let other =
            csv::StringRecord::from(vec!["0", "1", "a", "1", "0", "0", "fourth", "", "", "lost"]);
        assert_eq!(CommandRow::parse(&other), None);
    }
}
