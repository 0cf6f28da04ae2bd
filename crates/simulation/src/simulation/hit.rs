//! What an agent runs into, summed up from its first touch to its last.

use crate::spatial::Vec3;
use serde::{Deserialize, Serialize};

/// Hits that go on at once at most; of more the rest is not told.
const MOST: usize = 16;

/// With what a vehicle collided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Struck {
    /// Another vehicle, by its index in the scenario.
    Vehicle(u32),
    /// A thing that stands, by its index among the world's obstacles.
    Obstacle(u32),
    /// The arm of a barrier, by its index among the world's lights: without a force.
    Barrier(u32),
    /// Somebody on foot, by its index: without a force.
    Pedestrian(u32),
}

/// How many of each there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct StruckCounts {
    pub vehicles: usize,
    pub obstacles: usize,
    pub barriers: usize,
    pub pedestrians: usize,
}

impl StruckCounts {
    /// Why there is no such thing, if there is none.
    pub fn check(&self, with: Struck) -> Result<(), String> {
        let (what, index, count) = match with {
            Struck::Vehicle(index) => ("vehicle", index, self.vehicles),
            Struck::Obstacle(index) => ("obstacle", index, self.obstacles),
            Struck::Barrier(index) => ("barrier", index, self.barriers),
            Struck::Pedestrian(index) => ("pedestrian", index, self.pedestrians),
        };
        if (index as usize) < count {
            return Ok(());
        }
        Err(format!("{what} {index}; must be one of {count}"))
    }
}

/// A vehicle against something, from its first touch to its last.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// What it met.
    pub with: Struck,
    /// When it began, s.
    pub time: f64,
    /// When they touched last, s.
    pub until: f64,
    /// Where, m: where its greatest force was.
    pub place: Vec3,
    /// Sum of the forces along the normals over time, N s.
    pub impulse: f64,
    /// Energy that the contact took from those who met, J: some of it comes back.
    pub energy: f64,
    /// Greatest force, N.
    pub peak: f64,
    /// Whether it broke what it met: a stem, or a rope.
    pub broke: bool,
}

impl Hit {
    /// Time without a touch after which a hit is over, s.
    pub const OVER: f64 = 0.25;
}

/// A touch over one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub with: Struck,
    pub place: Vec3,
    /// Along the normals, N.
    pub force: f64,
    /// Taken in the step, J.
    pub energy: f64,
    pub broke: bool,
}

/// The hits of an agent that are not over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Hits(Vec<Hit>);

impl Hits {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that go on.
    pub fn iter(&self) -> impl Iterator<Item = &Hit> {
        self.0.iter()
    }

    /// Adds a touch over a step of `h` seconds that ends at `time`.
    pub fn add(&mut self, touch: &Touch, time: f64, h: f64) {
        let Touch { with, place, force, energy, broke } = *touch;
        let known = self.0.iter().position(|hit| hit.with == with);
        let at = known.unwrap_or_else(|| {
            let began = time - h;
            self.0.push(Hit {
                with,
                time: began,
                until: time,
                place,
                impulse: 0.0,
                energy: 0.0,
                peak: 0.0,
                broke: false,
            });
            self.0.len() - 1
        });
        let hit = &mut self.0[at];
        hit.until = time;
        hit.impulse += force * h;
        hit.energy += energy;
        hit.broke |= broke;
        if force > hit.peak {
            (hit.peak, hit.place) = (force, place);
        }
        if self.0.len() > MOST {
            self.0.truncate(MOST);
        }
    }

    /// Takes out those that are over at `time`, or all if the drive ends.
    pub fn over(&mut self, time: f64, all: bool, mut take: impl FnMut(Hit)) {
        self.0.retain(|hit| {
            let over = all || time - hit.until > Hit::OVER;
            if over {
                take(*hit);
            }
            !over
        });
    }

    /// Whether a checkpoint can hold them.
    pub fn are_sound(&self, known: &StruckCounts) -> bool {
        self.0.len() <= MOST && self.0.iter().all(|hit| known.check(hit.with).is_ok())
    }
}
