//! Collisions of a run, `hits.csv`: participants, time, position and severity.

use super::ReportError;
use super::append_table::AppendTable;
use super::columns::{RecordColumn, RecordValues};
use super::hashes::whole_microseconds;
use bekker_agent::{Collision, CollisionTarget};
use bekker_scenario::config::StateFormat;
use bekker_world::World;
use std::path::Path;

const STEM: &str = "hits";
const FORMAT: [StateFormat; 1] = [StateFormat::Csv];
/// Numeric columns and their descriptions.
const NUMBERS: [(&str, &str); 8] = [
    ("began_s", "time of the first contact, s"),
    ("until_s", "time of the last contact, s"),
    ("x_m", "position of the greatest force, m"),
    ("y_m", "position of the greatest force, m"),
    ("z_m", "position of the greatest force, m"),
    ("impulse_Ns", "impulse of the contact forces with friction, N s: the change of momentum"),
    ("energy_J", "energy lost by the colliding bodies, J"),
    ("peak_N", "greatest resultant contact force, N"),
];

/// Name and description of each column, for the README of the folder.
pub(super) fn described() -> impl Iterator<Item = (&'static str, &'static str)> {
    let words = [
        (
            "time_s",
            "end of the collision, s: 0.25 s after the last contact; later than the end of the run \
             if the collision was not over",
        ),
        ("vehicle", "name of the vehicle"),
        ("with", "the other vehicle or obstacle; its own name for its uncoupled trailer"),
        ("broke", "1 if the obstacle broke"),
    ];
    words.into_iter().chain(NUMBERS)
}

fn columns() -> Vec<RecordColumn> {
    let column = |name: &str, values| RecordColumn { name: name.to_owned(), values };
    let mut columns = vec![column("time_s", RecordValues::Real(Vec::new()))];
    columns.extend(["vehicle", "with"].map(|name| column(name, RecordValues::Text(Vec::new()))));
    columns.push(column("broke", RecordValues::Integer(Vec::new())));
    columns.extend(NUMBERS.map(|(name, _)| column(name, RecordValues::Real(Vec::new()))));
    columns
}

/// Writer of the collisions of a run.
pub(super) struct CollisionWriter {
    table: AppendTable,
    /// Positions of the collisions, m, for the picture.
    pub places: Vec<[f64; 2]>,
}

impl CollisionWriter {
    /// Begins the file, or continues it after a time, s; none if no collision is possible.
    pub fn open(
        folder: &Path,
        world: &World,
        after: Option<f64>,
    ) -> Result<Option<CollisionWriter>, ReportError> {
        if !world.model().can_collide() {
            return Ok(None);
        }
        let mut places = Vec::new();
        let mut visit = |row: &csv::StringRecord| {
            let number = |column: usize| row.get(column).and_then(|word| word.parse().ok());
            if let (Some(x), Some(y)) = (number(6), number(7)) {
                places.push([x, y]);
            }
        };
        let table = match after {
            None => AppendTable::begin(folder, STEM, columns(), &FORMAT)?,
            Some(time) => AppendTable::resume(folder, STEM, columns(), &FORMAT, time, &mut visit)?,
        };
        Ok(Some(CollisionWriter { table, places }))
    }

    /// Adds the collisions that were over at a time, s.
    pub fn append(
        &mut self,
        world: &World,
        time: f64,
        hits: &[(u32, Collision)],
    ) -> Result<(), ReportError> {
        for (agent, hit) in hits {
            let name = &world.model().agents[*agent as usize].name;
            let with = counterpart(world, hit);
            let time = whole_microseconds(time).to_string();
            let words = [time, name.clone(), with, u8::from(hit.broke).to_string()];
            let words = words.into_iter().chain(numbers(hit).map(|(_, number)| number.to_string()));
            for (column, word) in self.table.columns().iter_mut().zip(words) {
                column.values.read(&word);
            }
            self.table.end_row()?;
            self.places.push([hit.place.x, hit.place.y]);
        }
        self.table.flush()
    }

    /// Completes the file and returns its name and the positions.
    pub fn finish(self) -> Result<(Vec<String>, Vec<[f64; 2]>), ReportError> {
        Ok((self.table.finish()?, self.places))
    }
}

/// Returns the numeric columns of a collision with their names.
pub(super) fn numbers(hit: &Collision) -> [(&'static str, f64); 8] {
    let Collision { time: began, until, place, impulse, energy, peak, .. } = *hit;
    let [began, until] = [began, until].map(whole_microseconds);
    let numbers = [began, until, place.x, place.y, place.z, impulse, energy, peak];
    std::array::from_fn(|column| (NUMBERS[column].0, numbers[column]))
}

/// Name of a vehicle's collision partner: a vehicle, or an obstacle with its number.
pub(super) fn counterpart(world: &World, hit: &Collision) -> String {
    match hit.with {
        CollisionTarget::Obstacle(index) => {
            format!("{} {index}", world.model().target_name(hit.with))
        }
        _ => world.model().target_name(hit.with).to_owned(),
    }
}
