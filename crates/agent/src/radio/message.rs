//! Messages sent by radio.

use crate::roadside::{Approach, RoadUser, Timing};
use bekker_ground::soil::SoilId;
use bekker_math::spatial::Pose;
use serde::{Deserialize, Serialize};

/// Motion of a vehicle and its ground contact, sent at every exchange.
///
/// Pose and motion are those of the basic safety messages of road traffic (SAE J2735). Slip,
/// sinkage and soil are in no standard.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beacon {
    /// Chassis frame in the world.
    pub pose: Pose,
    /// Speed in the direction of travel, m/s.
    pub speed: f64,
    /// Mean rate of change of the speed since the last beacon, m/s².
    pub acceleration: f64,
    /// Acceleration that the driver requests now, within the range of the pedals, m/s²; `None` if
    /// the driver does not control acceleration.
    ///
    /// Followers use it instead of `acceleration`, which lags by the response of the vehicle.
    pub aimed: Option<f64>,
    /// Yaw rate, rad/s, positive to the left.
    pub yaw_rate: f64,
    /// Mean slip of the wheels.
    pub slip: f64,
    /// Mean sinkage of the wheels, m.
    pub sinkage: f64,
    /// Soil under the origin of the chassis.
    pub soil: SoilId,
}

/// Area to avoid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hazard {
    /// Center, m.
    pub place: [f64; 2],
    /// Radius, m.
    pub radius: f64,
}

/// Content of a radio message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RadioMessage {
    /// Motion of the sender.
    Beacon(Beacon),
    /// Area to avoid; a vehicle whose drive has ended on the path sends its own.
    Hazard(Hazard),
    /// Payload of a program (`bekker_world::World::say`).
    User(Vec<u8>),
    /// Signals of a traffic light with their end for each approach (SPaT).
    Signal(Vec<Timing>),
    /// Positions of the approaches of a traffic light (MAP).
    Map(Vec<Approach>),
    /// Position and velocity of a pedestrian (PSM).
    RoadUser(RoadUser),
}

/// All messages that a member sends at an exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transmission {
    /// Index of the sender: agents first, then traffic lights, then pedestrians.
    pub from: u32,
    /// Position of the sender, m.
    pub place: [f64; 2],
    /// Messages; a message's number is its index.
    pub messages: Vec<RadioMessage>,
}

/// Message that has reached a member, or is on its way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReceivedMessage {
    /// Index of the sender: agents first, then traffic lights, then pedestrians.
    pub from: u32,
    /// Number of the message within its transmission.
    pub number: u32,
    /// Number of links traveled.
    pub links: u32,
    /// Time of sending, µs.
    pub sent_us: u64,
    /// Time of arrival, µs.
    pub due_us: u64,
    /// Content.
    pub message: RadioMessage,
}
