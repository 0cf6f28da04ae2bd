//! Decoding of untrusted bytes into messages.

use super::super::generated::bekker::wire;
use super::super::ground_code::CodecState;
use super::quanta::{
    ANGLE_QUANTUM, PLACE_QUANTUM, RATE_QUANTUM, SPIN_QUANTUM, VELOCITY_QUANTUM, quaternion,
    small_vector,
};
use super::{
    BandSeat, ENDED, Environment, FRAME_HEADER, HAS_STATION, MAX_MESSAGE_BYTES, MessageBody,
    MessageFault, MessageOrigin, MotionMessage, PartState, RemoteVehicleDescription,
    RunningGearMessage, ShoeState, TrailerState, VERSION, VehicleMessage, checksum,
};
use bekker_ground::Patches;
use bekker_math::spatial::{Acceleration, Pose, Quat, Twist, Vec3};

/// Reads consecutive messages from the bytes of a rank.
#[derive(Clone, Copy, Debug)]
pub struct MessageReader<'a> {
    rest: &'a [u8],
}

impl<'a> MessageReader<'a> {
    /// Creates a reader of these bytes.
    pub fn new(bytes: &'a [u8]) -> MessageReader<'a> {
        MessageReader { rest: bytes }
    }

    /// Reads the next message. Returns `None` at the end.
    ///
    /// Its ground is appended to `patches`, owned by the sender's agent. The ground of agent k is
    /// decoded with `codec_states[k]`.
    ///
    /// # Errors
    /// [`MessageFault`] for anything that a [`MessageWriter`](super::MessageWriter) of this version
    /// does not write. `patches` may then hold a part of the ground.
    pub fn next(
        &mut self,
        codec_states: &mut [CodecState],
        patches: &mut Patches,
    ) -> Result<Option<(MessageOrigin, MessageBody)>, MessageFault> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let message = self.unframe()?;
        if message.len() < 8 || !wire::envelope_buffer_has_identifier(message) {
            return Err(MessageFault::NoMessage);
        }
        let malformed = |error: flatbuffers::InvalidFlatbuffer| MessageFault::Structure {
            what: error.to_string(),
        };
        let envelope = wire::root_as_envelope(message).map_err(malformed)?;
        let from = envelope.origin();
        if from.version() != VERSION {
            return Err(MessageFault::Version { found: from.version() });
        }
        let origin = MessageOrigin {
            run: from.run(),
            tick: from.tick(),
            rank: from.rank(),
            agent: from.agent(),
        };
        let mut own_ground = |coded: Option<flatbuffers::Vector<'_, u8>>| {
            let (found, agents) = (u64::from(origin.agent), codec_states.len() as u64);
            let codec_state = codec_states.get_mut(origin.agent as usize);
            let expected = agents.saturating_sub(1);
            let codec_state =
                codec_state.ok_or(MessageFault::Origin { what: "agent", found, expected })?;
            patches.set_agent(origin.agent_code());
            ground(coded, codec_state, patches)
        };
        let body = if let Some(heartbeat) = envelope.body_as_wheeled_heartbeat() {
            let mut wheels = parts(heartbeat.wheels());
            let trailer = trailer(&heartbeat)?;
            let chassis = &frame(heartbeat.chassis());
            if let Some(trailer) = &trailer {
                let own = wheels.len().saturating_sub(trailer.wheels.into());
                let from = trailer.pose();
                wheels[own..].iter_mut().for_each(|wheel| *wheel = wheel.moved(&from, chassis));
            }
            let gear = RunningGearMessage::Wheels(wheels);
            let state = vehicle(heartbeat.chassis(), heartbeat.seen(), heartbeat.flags(), gear);
            let state = VehicleMessage { motion: motion(heartbeat.motion())?, trailer, ..state };
            MessageBody::AgentHeartbeat(state, own_ground(heartbeat.terrain())?)
        } else if let Some(heartbeat) = envelope.body_as_tracked_heartbeat() {
            let gear = RunningGearMessage::Tracks {
                shoes: shoes(heartbeat.track_shoes()),
                bands: [heartbeat.left_band(), heartbeat.right_band()].map(band),
                sprockets: parts(heartbeat.sprockets()),
                idlers: parts(heartbeat.idlers()),
                road_wheels: parts(heartbeat.road_wheels()),
            };
            let state = vehicle(heartbeat.chassis(), heartbeat.seen(), heartbeat.flags(), gear);
            let state = VehicleMessage { motion: motion(heartbeat.motion())?, ..state };
            MessageBody::AgentHeartbeat(state, own_ground(heartbeat.terrain())?)
        } else if let Some(catch_up) = envelope.body_as_catch_up() {
            patches.set_agent(origin.agent_code());
            MessageBody::CatchUp(ground(catch_up.terrain(), &mut CodecState::default(), patches)?)
        } else if let Some(description) = envelope.body_as_description() {
            MessageBody::Description(described(&description)?)
        } else if let Some(environment) = envelope.body_as_environment() {
            MessageBody::Environment(Environment {
                gravity: environment.gravity(),
                rain: environment.rain(),
                visibility: environment.visibility(),
            })
        } else if let Some(handshake) = envelope.body_as_handshake() {
            let agreed = handshake.agreed().into_iter().flatten();
            let pair = |entry: wire::Agreed<'_>| (entry.key().into(), entry.value().into());
            MessageBody::Handshake(agreed.map(pair).collect())
        } else if let Some(quit) = envelope.body_as_quit() {
            MessageBody::Quit(quit.reason().unwrap_or_default().into())
        } else {
            let found = envelope.body_type().variant_name().unwrap_or("a message of unknown kind");
            return Err(MessageFault::Kind {
                found,
                expected: "a message that this version supports",
            });
        };
        Ok(Some((origin, body)))
    }

    fn unframe(&mut self) -> Result<&'a [u8], MessageFault> {
        let left = self.rest.len();
        let Some((frame, rest)) = self.rest.split_first_chunk::<FRAME_HEADER>() else {
            return Err(MessageFault::Cut { left, length: FRAME_HEADER });
        };
        let [a, b, c, d, sent @ ..] = *frame;
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        let expected = u32::from_le_bytes(sent);
        match rest.split_at_checked(length) {
            Some((message, rest)) if length <= MAX_MESSAGE_BYTES => {
                let found = checksum(message);
                if found != expected {
                    return Err(MessageFault::Checksum { found, expected });
                }
                self.rest = rest;
                Ok(message)
            }
            _ => Err(MessageFault::Cut { left: rest.len(), length }),
        }
    }
}

fn shoes(shoes: Option<flatbuffers::Vector<'_, wire::ShoeState>>) -> Vec<ShoeState> {
    let shoe = |shoe: &wire::ShoeState| ShoeState {
        place: small_vector(shoe.place(), PLACE_QUANTUM).into(),
        angle: f64::from(shoe.angle()) * ANGLE_QUANTUM,
    };
    shoes.into_iter().flatten().map(shoe).collect()
}

fn band(seats: Option<flatbuffers::Vector<'_, wire::BandSeat>>) -> Vec<BandSeat> {
    let length = |quanta: i16| f64::from(quanta) * PLACE_QUANTUM;
    let seat = |seat: &wire::BandSeat| BandSeat {
        place: [length(seat.x()), length(seat.z())],
        label: length(seat.label()),
    };
    seats.into_iter().flatten().map(seat).collect()
}

/// Appends coded ground to `patches` and returns its coded length, bytes.
fn ground(
    coded: Option<flatbuffers::Vector<'_, u8>>,
    codec_state: &mut CodecState,
    patches: &mut Patches,
) -> Result<usize, MessageFault> {
    let Some(coded) = coded else { return Ok(0) };
    codec_state.decode(coded.bytes(), patches)?;
    Ok(coded.len())
}

fn parts(parts: Option<flatbuffers::Vector<'_, wire::PartState>>) -> Vec<PartState> {
    let part = |part: &wire::PartState| {
        let turn = part.orientation();
        let turn = [turn.x(), turn.y(), turn.z()].map(|c| f64::from(c) / 32767.0);
        let position = small_vector(part.position(), PLACE_QUANTUM);
        PartState {
            pose: Pose { position, orientation: quaternion(turn) },
            spin: f64::from(part.spin()) * SPIN_QUANTUM,
        }
    };
    parts.into_iter().flatten().map(part).collect()
}

fn vehicle(
    chassis: &wire::ChassisState,
    seen: &wire::Seen,
    flags: u8,
    gear: RunningGearMessage,
) -> VehicleMessage {
    VehicleMessage {
        chassis: frame(chassis),
        velocity: small_vector(chassis.velocity(), VELOCITY_QUANTUM),
        angular_velocity: small_vector(chassis.angular_velocity(), RATE_QUANTUM),
        speed: seen.speed(),
        station: (flags & HAS_STATION != 0).then_some(seen.station()),
        ended: flags & ENDED != 0,
        gear,
        motion: None,
        trailer: None,
    }
}

/// Returns the chassis frame in message precision.
fn frame(chassis: &wire::ChassisState) -> Pose {
    let (place, turn) = (chassis.position(), chassis.orientation());
    Pose {
        position: Vec3::new(place.x(), place.y(), place.z()),
        orientation: quaternion([turn.x(), turn.y(), turn.z()].map(f64::from)),
    }
}

/// Returns the trailer if both its position and its motion were sent.
fn trailer(heartbeat: &wire::WheeledHeartbeat<'_>) -> Result<Option<TrailerState>, MessageFault> {
    let told = heartbeat.trailer_place().zip(motion(heartbeat.trailer())?);
    Ok(told.map(|(place, motion)| TrailerState {
        place: Vec3::new(place.x(), place.y(), place.z()),
        motion,
        wheels: heartbeat.trailed_wheels(),
    }))
}

fn motion(motion: Option<&wire::Motion>) -> Result<Option<MotionMessage>, MessageFault> {
    let Some(motion) = motion else { return Ok(None) };
    let vector = |v: &wire::Vec3d| Vec3::new(v.x(), v.y(), v.z());
    let turn = nalgebra::Quaternion::new(motion.w(), motion.x(), motion.y(), motion.z());
    let (linear, angular) = (vector(motion.velocity()), vector(motion.angular_velocity()));
    let twist = Twist { linear, angular };
    let external_acceleration = Acceleration {
        linear: vector(motion.otherwise()),
        angular: vector(motion.angular_otherwise()),
    };
    let motion = MotionMessage::new(&Quat::new_unchecked(turn), &twist, &external_acceleration);
    let what = "a motion is not finite, or its orientation is not a rotation";
    motion.map(Some).ok_or_else(|| MessageFault::Structure { what: what.into() })
}

fn described(
    description: &wire::Description<'_>,
) -> Result<RemoteVehicleDescription, MessageFault> {
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    if let Some(vehicle) = description.vehicle_as_wheeled_description() {
        return Ok(RemoteVehicleDescription::Wheeled {
            name: text(vehicle.name()),
            model: text(vehicle.model()),
            wheels: vehicle.wheels(),
            wheel_radius: vehicle.wheel_radius(),
        });
    }
    if let Some(vehicle) = description.vehicle_as_tracked_description() {
        return Ok(RemoteVehicleDescription::Tracked {
            name: text(vehicle.name()),
            model: text(vehicle.model()),
            track_shoes: vehicle.track_shoes(),
            sprockets: vehicle.sprockets(),
            idlers: vehicle.idlers(),
            road_wheels: vehicle.road_wheels(),
        });
    }
    let found = description.vehicle_type().variant_name().unwrap_or("a vehicle of unknown kind");
    Err(MessageFault::Kind { found, expected: "a description that this version supports" })
}
