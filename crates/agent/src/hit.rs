//! What an agent runs into, summed up from its first touch to its last.

use bekker_math::spatial::Vec3;
use serde::{Deserialize, Serialize};

/// Hits that go on at once at most; of more the rest is not told.
const MOST: usize = 16;
/// Time constant over which the force of a hit is meant, s: as of the wheels.
const MEAN_TIME: f64 = 1.0;

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
pub struct StruckCounts {
    /// Vehicles.
    pub vehicles: usize,
    /// Trees, rocks, posts and blocks.
    pub obstacles: usize,
    /// Traffic lights with an arm.
    pub barriers: usize,
    /// People on foot.
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
    /// Resultant of the contacts' forces over time, friction included, N s: the change of momentum.
    pub impulse: f64,
    /// Energy that the contact took from those who met, J: some of it comes back.
    pub energy: f64,
    /// Greatest resultant of the contacts' forces, N.
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
pub struct Touch {
    pub with: Struck,
    pub place: Vec3,
    /// Resultant of the contacts' forces on the vehicle, N: those of the two sides of a post that is
    /// deep in a hull take each other away, as they do to the vehicle.
    pub force: Vec3,
    /// Taken in the step, J.
    pub energy: f64,
    pub broke: bool,
}

/// A hit that is not over, and what is watched of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Watched {
    hit: Hit,
    /// Velocity of the vehicle as it began, m/s.
    before: Vec3,
    /// Greatest change of that along the force, m/s.
    change: f64,
    /// Force on the vehicle over time, N s: its size is the hit's impulse.
    impulse: Vec3,
    /// Force on the vehicle over about the last second, N.
    mean: Vec3,
}

impl Watched {
    /// One that begins at `time`.
    fn begun(touch: &Touch, velocity: Vec3, time: f64) -> Watched {
        let hit = Hit {
            with: touch.with,
            time,
            until: time,
            place: touch.place,
            impulse: 0.0,
            energy: 0.0,
            peak: 0.0,
            broke: false,
        };
        Watched { hit, before: velocity, change: 0.0, impulse: Vec3::zeros(), mean: Vec3::zeros() }
    }
}

/// The hits of an agent that are not over, and what came of those that are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hits {
    watched: Vec<Watched>,
    /// Energy that those with vehicles gave which gave any worth telling of, J.
    given: f64,
}

/// Energy of a hit worth telling of where it was given, not taken, by the mass of a vehicle, J/kg: it would make it
/// faster by 1 m/s.
const WORTH_TELLING: f64 = 0.5;

impl Hits {
    pub fn is_empty(&self) -> bool {
        self.watched.is_empty()
    }

    /// Those that go on.
    pub fn iter(&self) -> impl Iterator<Item = &Hit> {
        self.watched.iter().map(|own| &own.hit)
    }

    /// One that has changed the speed of a vehicle of `mass` kg by `jolt` m/s or more: by its
    /// impulse, which of one that leans grows for as long as it does, and in truth. It is past its shock by
    /// `time`, s: they touch no more, or have for as long as ends a hit. Who stood still before would be a spring
    /// that is let go against whom it met.
    pub fn jolted(&self, mass: f64, jolt: f64, time: f64) -> Option<&Hit> {
        let jolted = |own: &&Watched| {
            let Hit { time: began, until, impulse, .. } = own.hit;
            let past = until < time || time - began > Hit::OVER;
            past && own.change >= jolt && impulse >= jolt * mass
        };
        self.watched.iter().find(jolted).map(|own| &own.hit)
    }

    /// What stands most against a way, by its direction, and the force of all on that over about the last
    /// second, N.
    pub fn against(&self, way: &Vec3) -> Option<(Struck, f64)> {
        let force = |own: &Watched| -own.mean.dot(way);
        let most = self.watched.iter().max_by(|a, b| force(a).total_cmp(&force(b)))?;
        let all: f64 = self.watched.iter().map(force).sum();
        (force(most) > 0.0 && all > 0.0).then_some((most.hit.with, all))
    }

    /// Adds a touch over a step of `h` seconds that ends at `time`, of a vehicle that begins it
    /// with a velocity, m/s.
    pub fn add(&mut self, touch: &Touch, velocity: Vec3, time: f64, h: f64) {
        let Touch { with, place, force, energy, broke } = *touch;
        let known = self.watched.iter().position(|own| own.hit.with == with);
        let at = known.unwrap_or_else(|| {
            self.watched.push(Watched::begun(touch, velocity, time - h));
            self.watched.len() - 1
        });
        let Watched { hit, before, change, impulse, mean } = &mut self.watched[at];
        let size = force.norm();
        *mean += (force - *mean) * ((time - hit.until) / MEAN_TIME).min(1.0);
        if size > 0.0 {
            *change = change.max((velocity - *before).dot(&force) / size);
        }
        hit.until = time;
        *impulse += force * h;
        hit.impulse = impulse.norm();
        hit.energy += energy;
        hit.broke |= broke;
        if size > hit.peak {
            (hit.peak, hit.place) = (size, place);
        }
        if self.watched.len() > MOST {
            self.watched.truncate(MOST);
        }
    }

    /// Energy, J, that hits with vehicles gave which are over: none should.
    pub fn given(&self) -> f64 {
        self.given
    }

    /// Takes out those of a vehicle of `mass` kg that are over at `time`, or all if the drive ends.
    pub fn over(&mut self, time: f64, all: bool, mass: f64, mut take: impl FnMut(Hit)) {
        let Hits { watched, given } = self;
        watched.retain(|Watched { hit, .. }| {
            let over = all || time - hit.until > Hit::OVER;
            if over {
                let with_vehicle = matches!(hit.with, Struck::Vehicle(_));
                if with_vehicle && hit.energy < -WORTH_TELLING * mass {
                    *given -= hit.energy;
                }
                take(*hit);
            }
            !over
        });
    }

    /// What a digest takes of them: nothing of energy that was not given.
    pub fn digested(&self) -> Vec<u8> {
        let stored = postcard::to_stdvec(&self.watched);
        let mut stored = stored.expect("plain data serialises into memory");
        if self.given > 0.0 {
            stored.extend(self.given.to_bits().to_le_bytes());
        }
        stored
    }

    /// Whether a checkpoint can hold them.
    pub fn are_sound(&self, known: &StruckCounts) -> bool {
        self.given.is_finite()
            && self.given >= 0.0
            && self.watched.len() <= MOST
            && self.iter().all(|hit| known.check(hit.with).is_ok())
    }
}
