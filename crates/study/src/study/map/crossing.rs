//! One cell crossed in full physics.

use crate::scenario::ScenarioFile;
use crate::scenario::build::{Parts, world_of};
use crate::simulation::{Flow, Moment, Observer, OutcomeCode, Runner, Schedule, World};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;

/// Slowest mean speed of a vehicle that goes, m/s: a crawl. It also bounds how long a crossing
/// is driven.
pub const SLOWEST: f64 = 0.5;
/// How far a vehicle may get to the side of its way, m: a lane beside it.
const OFF_COURSE: f64 = 3.0;

/// How a crossing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// On the other side.
    Crossed,
    /// Immobilised, sunk, or slower than a crawl; also where ridges allow no speed.
    Stuck,
    /// Turned over.
    Overturned,
    /// Beside its way by more than a lane.
    OffCourse,
    /// Its state was no longer finite, or it could not be driven at all.
    Failed,
}

/// A crossing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crossing {
    /// How it ended.
    pub end: End,
    /// Length over time, m/s; 0 of one that did not get there.
    pub speed: f64,
    /// Mean slip under throttle.
    pub slip: f64,
    /// Work of the drive over the way, J/m.
    pub energy: f64,
}

impl Crossing {
    /// Whether it got there.
    pub fn goes(&self) -> bool {
        self.end == End::Crossed
    }

    pub(super) const fn stuck() -> Crossing {
        Crossing { end: End::Stuck, speed: 0.0, slip: 0.0, energy: 0.0 }
    }

    pub(super) const fn failed() -> Crossing {
        Crossing { end: End::Failed, speed: 0.0, slip: 0.0, energy: 0.0 }
    }
}

/// Drives the one vehicle of a scenario from its start straight ahead over `length` m.
pub fn cross(file: &ScenarioFile, parts: &Parts, length: f64) -> Crossing {
    let Ok(built) = world_of(file, parts) else { return Crossing::failed() };
    let entry = &file.scenario.vehicle[0];
    let (sin, cos) = crate::numeric::sin_cos(entry.heading_deg.to_radians());
    let mut watch = Watch {
        from: entry.position,
        towards: [cos, sin],
        length,
        last: [0.0; 2],
        crossed: None,
        off_course: false,
    };
    let heartbeat = file.scenario.time.heartbeat;
    let duration = (length / SLOWEST / heartbeat).ceil() * heartbeat;
    let schedule = Schedule { sample_every: heartbeat, ..Schedule::until(duration) };
    let Ok(runner) = Runner::new(built.world, None, schedule) else { return Crossing::failed() };
    let Ok((world, _)) = runner.run::<Infallible>(&mut [&mut watch]) else {
        return Crossing::failed();
    };
    watch.judged(&world)
}

/// Follows a vehicle along its way.
struct Watch {
    from: [f64; 2],
    towards: [f64; 2],
    length: f64,
    /// Time and way at the last heartbeat, s and m.
    last: [f64; 2],
    /// When it got there, s.
    crossed: Option<f64>,
    off_course: bool,
}

impl Observer<Infallible> for Watch {
    fn on_heartbeat(&mut self, moment: &Moment<'_>) -> Result<Flow, Infallible> {
        let Some(sample) = moment.samples.and_then(<[_]>::first) else {
            return Ok(Flow::Continue);
        };
        let position = sample.pose.position;
        let [x, y] = [position.x - self.from[0], position.y - self.from[1]];
        let way = x * self.towards[0] + y * self.towards[1];
        self.off_course |= (y * self.towards[0] - x * self.towards[1]).abs() > OFF_COURSE;
        let [before, behind] = self.last;
        if way >= self.length && way > behind {
            let share = (self.length - behind) / (way - behind);
            self.crossed = Some(before + share * (moment.time - before));
        }
        self.last = [moment.time, way];
        let over = self.crossed.is_some() || self.off_course;
        Ok(if over { Flow::Stop } else { Flow::Continue })
    }
}

impl Watch {
    fn judged(&self, world: &World) -> Crossing {
        let summary = world.summary("", 0.0);
        let Some(vehicle) = summary.vehicles.first() else { return Crossing::failed() };
        let end = match (vehicle.outcome.code, self.crossed) {
            (OutcomeCode::Failed, _) => End::Failed,
            (OutcomeCode::Overturned, _) => End::Overturned,
            _ if self.off_course => End::OffCourse,
            (_, Some(_)) => End::Crossed,
            _ => End::Stuck,
        };
        let speed = match (end, self.crossed) {
            (End::Crossed, Some(time)) if time > 0.0 => self.length / time,
            _ => 0.0,
        };
        let energy = vehicle.drive_energy / vehicle.distance.max(1.0);
        Crossing { end, speed, slip: vehicle.mean_slip, energy }
    }
}
