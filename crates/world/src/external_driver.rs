//! Drivers written outside of this crate.

use super::commanding::Command;
use super::world::World;
use bekker_agent::{Heard, Station};
use bekker_sensor::{Delivery, Reading, Sensor};

/// What a driver from outside perceives at a heartbeat: the time, and what the sensors of
/// its own vehicle delivered since the last, and what its radio did. No pose, no ground, no other vehicle, but as its
/// sensors see them: what drives here could drive the vehicle itself.
#[derive(Clone, Copy, Debug)]
pub struct Perception<'a> {
    /// Simulated time, s.
    pub time: f64,
    /// Time to the next heartbeat, s, over which commands hold.
    pub heartbeat: f64,
    sensors: &'a [Sensor],
    delivered: &'a [Delivery],
    heard: &'a [Heard],
}

/// What one sensor says.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    /// Name of the sensor.
    pub sensor: &'a str,
    /// When it was taken, s: earlier than now by the sensor's lag.
    pub taken: f64,
    /// What it says, errors and all.
    pub reading: &'a Reading,
}

impl<'a> Perception<'a> {
    /// What its sensors delivered, in the order of time; within a step in that of the
    /// sensors in the scenario.
    pub fn measured(&self) -> impl Iterator<Item = Measured<'a>> + use<'a> {
        let Perception { sensors, delivered, .. } = *self;
        delivered.iter().filter_map(|delivery| {
            let sensor = sensors.get(delivery.sensor as usize)?.name.as_str();
            let taken = 1e-6 * delivery.taken_us as f64;
            Some(Measured { sensor, taken, reading: &delivery.reading })
        })
    }

    /// What reached it by radio since the last heartbeat, in the order of arrival.
    pub fn heard(&self) -> &'a [Heard] {
        self.heard
    }
}

/// A driver written outside of this crate.
///
/// It is asked once a heartbeat, before the step, on the rank where its vehicle steps.
/// Its commands are part of the state; what it remembers is its own business: where a run is
/// to be cut and gone on with, it stores that itself.
pub trait ExternalDriver: Send {
    /// Commands until the next heartbeat; with none the scenario's own driver drives.
    fn command(&mut self, perception: &Perception<'_>) -> Option<Command>;
}

impl<F: FnMut(&Perception<'_>) -> Option<Command> + Send> ExternalDriver for F {
    fn command(&mut self, perception: &Perception<'_>) -> Option<Command> {
        self(perception)
    }
}

impl World {
    /// What a driver from outside perceives of an agent's sensors at this heartbeat.
    pub fn perception(&self, agent: usize) -> Perception<'_> {
        let heartbeat = self.state.steps as f64 * self.model.clock.step();
        let sensors = &self.model.agents[agent].sensors;
        let radio = self.state.agents[agent].radio.as_deref();
        let heard = radio.map_or(&[][..], Station::arrived);
        let delivered = self.delivered(agent);
        Perception { time: self.time(), heartbeat, sensors, delivered, heard }
    }
}
