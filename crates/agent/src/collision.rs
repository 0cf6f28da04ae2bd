//! Collisions of an agent, accumulated from first to last contact.

use bekker_math::spatial::Vec3;
use serde::{Deserialize, Serialize};

/// Largest number of simultaneous collisions; further ones are not reported.
const MAX_COLLISIONS: usize = 16;
/// Time constant of the mean force of a collision, s; the same as for the wheels.
const MEAN_TIME: f64 = 1.0;

/// Collision partner of a vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CollisionTarget {
    /// Another vehicle, by its index in the scenario.
    Vehicle(u32),
    /// Static obstacle, by its index among the world's obstacles.
    Obstacle(u32),
    /// Barrier arm, by the index of its traffic light; detected without a force.
    Barrier(u32),
    /// Pedestrian, by index; detected without a force.
    Pedestrian(u32),
}

/// Number of possible collision partners of each kind.
#[derive(Clone, Copy, Debug)]
pub struct CollisionTargetCounts {
    /// Vehicles.
    pub vehicles: usize,
    /// Trees, rocks, posts and blocks.
    pub obstacles: usize,
    /// Traffic lights with an arm.
    pub barriers: usize,
    /// Pedestrians.
    pub pedestrians: usize,
}

impl CollisionTargetCounts {
    /// Checks that the collision partner exists, and otherwise returns the reason.
    pub fn check(&self, with: CollisionTarget) -> Result<(), String> {
        let (what, index, count) = match with {
            CollisionTarget::Vehicle(index) => ("vehicle", index, self.vehicles),
            CollisionTarget::Obstacle(index) => ("obstacle", index, self.obstacles),
            CollisionTarget::Barrier(index) => ("barrier", index, self.barriers),
            CollisionTarget::Pedestrian(index) => ("pedestrian", index, self.pedestrians),
        };
        if (index as usize) < count {
            return Ok(());
        }
        Err(format!("{what} {index}; must be below {count}"))
    }
}

/// Collision of a vehicle, from first to last contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collision {
    /// Collision partner.
    pub with: CollisionTarget,
    /// Time of the first contact, s.
    pub time: f64,
    /// Time of the last contact, s.
    pub until: f64,
    /// Position of the largest force, m.
    pub place: Vec3,
    /// Norm of the time integral of the resultant contact force with friction, N s: the change of
    /// momentum.
    pub impulse: f64,
    /// Energy that the contact took from both partners, J; part of it is returned.
    pub energy: f64,
    /// Largest resultant contact force, N.
    pub peak: f64,
    /// Whether the collision broke a stem or a rope.
    pub broke: bool,
}

impl Collision {
    /// Time without contact after which a collision is over, s.
    pub const SEPARATION_TIME: f64 = 0.25;
}

/// Contact over one step.
#[derive(Clone, Copy, Debug)]
pub struct StepContact {
    pub with: CollisionTarget,
    pub place: Vec3,
    /// Resultant contact force on the vehicle, N.
    ///
    /// Forces of opposite sides of a post deep inside a hull cancel, as they do for the vehicle.
    pub force: Vec3,
    /// Energy taken in the step, J.
    pub energy: f64,
    pub broke: bool,
}

/// Ongoing collision with its running values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct OngoingCollision {
    hit: Collision,
    /// Velocity of the vehicle at the start, m/s.
    before: Vec3,
    /// Largest change of that velocity along the force, m/s.
    change: f64,
    /// Time integral of the force on the vehicle, N s; its norm is `hit.impulse`.
    impulse: Vec3,
    /// Mean force on the vehicle over about the last second, N.
    mean: Vec3,
}

impl OngoingCollision {
    /// Returns a collision that starts at `time`.
    fn start(touch: &StepContact, velocity: Vec3, time: f64) -> OngoingCollision {
        let hit = Collision {
            with: touch.with,
            time,
            until: time,
            place: touch.place,
            impulse: 0.0,
            energy: 0.0,
            peak: 0.0,
            broke: false,
        };
        OngoingCollision {
            hit,
            before: velocity,
            change: 0.0,
            impulse: Vec3::zeros(),
            mean: Vec3::zeros(),
        }
    }
}

/// Ongoing collisions of an agent, and the energy gained in finished ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CollisionLog {
    ongoing: Vec<OngoingCollision>,
    /// Energy gained in finished collisions with vehicles, each above [`REPORTED_GAIN`], J.
    energy_gained: f64,
}

/// Energy gain above which a collision is reported, relative to the vehicle's mass, J/kg.
///
/// It accelerates a resting vehicle to 1 m/s.
const REPORTED_GAIN: f64 = 0.5;

impl CollisionLog {
    pub fn is_empty(&self) -> bool {
        self.ongoing.is_empty()
    }

    /// Returns the ongoing collisions.
    pub fn iter(&self) -> impl Iterator<Item = &Collision> {
        self.ongoing.iter().map(|own| &own.hit)
    }

    /// Returns a collision that has changed the speed of a vehicle of `mass` kg by `jolt` m/s or
    /// more.
    ///
    /// Both impulse and velocity change must reach the limit, because the impulse keeps growing
    /// while a vehicle leans on something.
    ///
    /// The collision must be past its shock at `time`: contact has ended, or has lasted
    /// [`Collision::SEPARATION_TIME`]. If the drive ended earlier, the vehicle would stand fixed at
    /// full compression and push its partner away like a spring.
    pub fn find_jolt(&self, mass: f64, jolt: f64, time: f64) -> Option<&Collision> {
        let jolted = |own: &&OngoingCollision| {
            let Collision { time: began, until, impulse, .. } = own.hit;
            let past = until < time || time - began > Collision::SEPARATION_TIME;
            past && own.change >= jolt && impulse >= jolt * mass
        };
        self.ongoing.iter().find(jolted).map(|own| &own.hit)
    }

    /// Returns the partner with the largest force against a direction, and the force of all
    /// partners, N.
    ///
    /// Forces are means over about the last second.
    pub fn opposing_force(&self, way: &Vec3) -> Option<(CollisionTarget, f64)> {
        let force = |own: &OngoingCollision| -own.mean.dot(way);
        let most = self.ongoing.iter().max_by(|a, b| force(a).total_cmp(&force(b)))?;
        let all: f64 = self.ongoing.iter().map(force).sum();
        (force(most) > 0.0 && all > 0.0).then_some((most.hit.with, all))
    }

    /// Adds a contact over a step of `h` s that ends at `time`; `velocity` is the vehicle's at its
    /// start, m/s.
    pub fn add(&mut self, touch: &StepContact, velocity: Vec3, time: f64, h: f64) {
        let StepContact { with, place, force, energy, broke } = *touch;
        let known = self.ongoing.iter().position(|own| own.hit.with == with);
        let at = known.unwrap_or_else(|| {
            self.ongoing.push(OngoingCollision::start(touch, velocity, time - h));
            self.ongoing.len() - 1
        });
        let OngoingCollision { hit, before, change, impulse, mean } = &mut self.ongoing[at];
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
        if self.ongoing.len() > MAX_COLLISIONS {
            self.ongoing.truncate(MAX_COLLISIONS);
        }
    }

    /// Returns the energy gained in finished collisions with vehicles, J; physically it is 0.
    pub fn energy_gained(&self) -> f64 {
        self.energy_gained
    }

    /// Removes collisions of a vehicle of `mass` kg that are over at `time`, or all if the drive
    /// ends.
    pub fn drain_finished(
        &mut self,
        time: f64,
        all: bool,
        mass: f64,
        mut take: impl FnMut(Collision),
    ) {
        let CollisionLog { ongoing, energy_gained } = self;
        ongoing.retain(|OngoingCollision { hit, .. }| {
            let over = all || time - hit.until > Collision::SEPARATION_TIME;
            if over {
                let with_vehicle = matches!(hit.with, CollisionTarget::Vehicle(_));
                if with_vehicle && hit.energy < -REPORTED_GAIN * mass {
                    *energy_gained -= hit.energy;
                }
                take(*hit);
            }
            !over
        });
    }

    /// Returns the bytes for the state hash; the gained energy is included only if it is not 0.
    pub fn digest_bytes(&self) -> Vec<u8> {
        let stored = postcard::to_stdvec(&self.ongoing);
        let mut stored = stored.expect("plain data serializes into memory");
        if self.energy_gained > 0.0 {
            stored.extend(self.energy_gained.to_bits().to_le_bytes());
        }
        stored
    }

    /// Returns whether the values are valid in a checkpoint.
    pub fn is_valid(&self, known: &CollisionTargetCounts) -> bool {
        self.energy_gained.is_finite()
            && self.energy_gained >= 0.0
            && self.ongoing.len() <= MAX_COLLISIONS
            && self.iter().all(|hit| known.check(hit.with).is_ok())
    }
}
