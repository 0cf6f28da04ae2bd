//! What is said by radio.

use crate::roadside::{Approach, RoadUser, Timing};
use bekker_ground::soil::SoilId;
use bekker_math::spatial::Pose;
use serde::{Deserialize, Serialize};

/// How a vehicle moves and what it feels of the ground, sent at every exchange. Pose and motion
/// are what the basic safety messages of road traffic tell (SAE J2735); slip, sinkage and soil no
/// standard has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beacon {
    /// Chassis frame in the world.
    pub pose: Pose,
    /// Speed along its way, m/s.
    pub speed: f64,
    /// Mean rate of change of that since its last beacon, m/s².
    pub acceleration: f64,
    /// Acceleration that its driver aims at now, m/s², as far as its pedals go, if it aims at one:
    /// what those behind it go by in the place of the one before, which is late by the vehicle's
    /// own answer.
    pub aimed: Option<f64>,
    /// Yaw rate, rad/s, positive to the left.
    pub yaw_rate: f64,
    /// Mean slip of its wheels.
    pub slip: f64,
    /// Mean sinkage of its wheels, m.
    pub sinkage: f64,
    /// The soil under the origin of its chassis.
    pub soil: SoilId,
}

/// Something to keep away from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hazard {
    /// Where, m.
    pub place: [f64; 2],
    /// How far around, m.
    pub radius: f64,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Message {
    /// How the sender moves.
    Beacon(Beacon),
    /// Something to keep away from: a vehicle whose drive has ended on the way tells so of
    /// itself.
    Hazard(Hazard),
    /// What a program says (`bekker_world::World::say`).
    User(Vec<u8>),
    /// Of a traffic light: what each approach is shown, and until when (SPaT).
    Signal(Vec<Timing>),
    /// Of a traffic light: where its approaches are (MAP).
    Map(Vec<Approach>),
    /// Of somebody on foot: where, and how fast (PSM).
    RoadUser(RoadUser),
}

/// All that a member sends at an exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transmission {
    /// The agent that sends; traffic lights count on from the agents, and
    /// those on foot from these.
    pub from: u32,
    /// Where it is, m.
    pub place: [f64; 2],
    /// Its messages; a message's place is its number.
    pub messages: Vec<Message>,
}

/// A message that has reached a member, or will.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heard {
    /// The agent that sent it; traffic lights count on from the agents, and
    /// those on foot from these.
    pub from: u32,
    /// Its number among those sent together.
    pub number: u32,
    /// Over how many links it came.
    pub links: u32,
    /// When it was sent, µs.
    pub sent_us: u64,
    /// When it arrives, µs.
    pub due_us: u64,
    /// What it says.
    pub message: Message,
}
