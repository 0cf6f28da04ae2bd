//! Drivers written outside of this crate.

use super::command::Command;
use super::world::World;
use bekker_agent::{RadioStation, ReceivedMessage};
use bekker_sensor::{Delivery, Reading, Sensor};

/// Input of an external driver at a heartbeat.
///
/// It contains the time, the readings of the vehicle's sensors since the last heartbeat, and the
/// received radio messages. It contains no pose, no ground and no other vehicle except as its
/// sensors measure them. So the same driver could drive the real vehicle.
#[derive(Clone, Copy, Debug)]
pub struct Perception<'a> {
    /// Simulated time, s.
    pub time: f64,
    /// Time to the next heartbeat, s, during which a command applies.
    pub heartbeat: f64,
    sensors: &'a [Sensor],
    delivered: &'a [Delivery],
    radio_messages: &'a [ReceivedMessage],
}

/// One delivery of a sensor.
#[derive(Clone, Copy, Debug)]
pub struct Measurement<'a> {
    /// Name of the sensor.
    pub sensor: &'a str,
    /// Time of the measurement, s. It is earlier than the present time by the sensor's lag.
    pub taken: f64,
    /// The reading, with its errors.
    pub reading: &'a Reading,
}

impl<'a> Perception<'a> {
    /// Returns the deliveries of its sensors, by time, and within a step in the scenario's order of
    /// sensors.
    pub fn measurements(&self) -> impl Iterator<Item = Measurement<'a>> + use<'a> {
        let Perception { sensors, delivered, .. } = *self;
        delivered.iter().filter_map(|delivery| {
            let sensor = sensors.get(delivery.sensor as usize)?.name.as_str();
            let taken = 1e-6 * delivery.taken_us as f64;
            Some(Measurement { sensor, taken, reading: &delivery.reading })
        })
    }

    /// Returns the radio messages since the last heartbeat, in the order of arrival.
    pub fn radio_messages(&self) -> &'a [ReceivedMessage] {
        self.radio_messages
    }
}

/// A driver written outside of this crate.
///
/// It is called once per heartbeat, before the step, on the rank that steps its vehicle. Its
/// commands are part of the state, but its memory is not. A driver with a memory must store it
/// itself if the run is to be resumed.
pub trait ExternalDriver: Send {
    /// Returns commands until the next heartbeat; with `None` the scenario's own driver drives.
    fn command(&mut self, perception: &Perception<'_>) -> Option<Command>;
}

impl<F: FnMut(&Perception<'_>) -> Option<Command> + Send> ExternalDriver for F {
    fn command(&mut self, perception: &Perception<'_>) -> Option<Command> {
        self(perception)
    }
}

impl World {
    /// Returns the input of an external driver of an agent at this heartbeat.
    pub fn perception(&self, agent: usize) -> Perception<'_> {
        let heartbeat = self.state.steps as f64 * self.model.clock.step();
        let sensors = &self.model.agents[agent].sensors;
        let radio = self.state.agents[agent].radio.as_deref();
        let radio_messages = radio.map_or(&[][..], RadioStation::received_messages);
        let delivered = self.delivered(agent);
        Perception { time: self.time(), heartbeat, sensors, delivered, radio_messages }
    }
}
