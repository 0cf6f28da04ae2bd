//! Messages between ranks: what they hold, how they are written, and how bytes
//! that nobody vouches for are read.
//!
//! A message is a FlatBuffer (`schemas/heartbeat.fbs`) in a frame of its length
//! and checksum. Reading verifies the frame, the checksum, the identifier, the
//! structure and the coded ground, in this order; nothing is applied before
//! all of a heartbeat's messages have been read.

use super::generated::bekker::wire;
use super::ground_code::{GroundCodeError, Memory};
use crate::ground::Patches;
use crate::spatial::{Pose, Quat, Vec3};
use flatbuffers::FlatBufferBuilder;

/// Version of the protocol: ranks of different versions do not talk.
pub const VERSION: u16 = 1;
/// Length and checksum ahead of each message.
const FRAME: usize = 8;
/// Longest message that is read, bytes.
const MOST: usize = 1 << 30;
/// Unit of a part's spin on the wire, rad/s.
const SPIN_QUANTUM: f64 = 1.0 / 64.0;
/// Unit of a part's position on the wire, m.
const PLACE_QUANTUM: f64 = 1.0 / 4096.0;
/// Unit of a velocity on the wire, m/s.
const VELOCITY_QUANTUM: f64 = 1.0 / 256.0;
/// Unit of an angular velocity on the wire, rad/s.
const RATE_QUANTUM: f64 = 1.0 / 1024.0;

/// What is wrong with a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageFault {
    /// A frame that is cut short.
    #[error("{left} bytes are left of a message of {length}")]
    Cut {
        /// Bytes left.
        left: usize,
        /// Length announced.
        length: usize,
    },
    /// Altered on the way.
    #[error("checksum is {found:08x}, must be {expected:08x}")]
    Checksum {
        /// CRC-32 of what arrived.
        found: u32,
        /// CRC-32 that was sent along.
        expected: u32,
    },
    /// Not one of ours.
    #[error("not a message of bekker")]
    Foreign,
    /// Another version.
    #[error("protocol version {found}, this is {VERSION}")]
    Version {
        /// The sender's.
        found: u16,
    },
    /// Malformed.
    #[error("{what}")]
    Structure {
        /// What the verifier says.
        what: String,
    },
    /// Ground that does not decode.
    #[error("terrain patch: {0}")]
    Ground(#[from] GroundCodeError),
    /// Another kind than expected, or one that is unknown here.
    #[error("a {found} where a {expected} is due")]
    Kind {
        /// Kind that came.
        found: &'static str,
        /// Kind that was due.
        expected: &'static str,
    },
    /// From another place or time than expected.
    #[error("{what} is {found}, must be {expected}")]
    Origin {
        /// Which part of the origin.
        what: &'static str,
        /// As it came.
        found: u64,
        /// As it must be.
        expected: u64,
    },
}

/// Where and when a message comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Identifies the run.
    pub run: u32,
    /// Steps taken.
    pub tick: u64,
    /// Sending rank.
    pub rank: u16,
    /// Agent that it is about.
    pub agent: u32,
}

/// A part of a vehicle in the frame of its chassis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartState {
    /// Where and how turned, against the chassis: to 0.13 mm within 8 m, and to
    /// 3e-5 rad.
    pub pose: Pose,
    /// Spin about its axis, rad/s, to 1/128 rad/s and at most 511 rad/s.
    pub spin: f64,
}

/// Where the band of a track is held, in the middle plane of the track.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BandSeat {
    /// Place in the chassis frame along x and z, m: to 0.13 mm within 8 m.
    pub place: [f64; 2],
    /// Length of the free band from the leading pin of the first shoe to here, m: as
    /// precise.
    pub label: f64,
}

/// What a vehicle stands on.
#[derive(Clone, Debug, PartialEq)]
pub enum RunningGear {
    /// Wheels, axle by axle from the front, left before right.
    Wheels(Vec<PartState>),
    /// Tracks, left before right.
    Tracks {
        /// Shoes that are bodies, one behind the other.
        shoes: Vec<PartState>,
        /// Bands, left and right, from the front: the shoes that lie on them follow.
        bands: [Vec<BandSeat>; 2],
        /// Sprockets.
        sprockets: Vec<PartState>,
        /// Idlers.
        idlers: Vec<PartState>,
        /// Road wheels, from the front.
        road_wheels: Vec<PartState>,
    },
}

/// A vehicle as others see it at a heartbeat.
#[derive(Clone, Debug, PartialEq)]
pub struct VehicleState {
    /// Chassis frame: position exact, orientation to 1e-7.
    pub chassis: Pose,
    /// Velocity of its origin, world axes, m/s, to 0.002 m/s and at most 128 m/s.
    pub velocity: Vec3,
    /// Angular velocity, world axes, rad/s, to 5e-4 rad/s and at most 32 rad/s.
    pub angular_velocity: Vec3,
    /// Forward speed, m/s, exact.
    pub speed: f64,
    /// Distance along its path, m, exact, if it follows one.
    pub station: Option<f64>,
    /// Whether its drive has ended.
    pub ended: bool,
    /// Wheels or tracks.
    pub gear: RunningGear,
}

/// What a remote vehicle is built from: told once, at the beginning.
#[derive(Clone, Debug, PartialEq)]
pub enum Description {
    /// On wheels.
    Wheeled {
        /// The agent's name.
        name: String,
        /// Name of the vehicle.
        model: String,
        /// How many wheels.
        wheels: u16,
        /// Their largest radius, m.
        wheel_radius: f32,
    },
    /// On tracks.
    Tracked {
        /// The agent's name.
        name: String,
        /// Name of the vehicle.
        model: String,
        /// How many shoes, both tracks together.
        track_shoes: u16,
        /// How many sprockets.
        sprockets: u16,
        /// How many idlers.
        idlers: u16,
        /// How many road wheels.
        road_wheels: u16,
    },
}

/// What is the same for all agents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Environment {
    /// Gravity, m/s².
    pub gravity: f64,
    /// Rain, mm/h.
    pub rain: f32,
    /// Visibility, m; 0 where nobody asks for it.
    pub visibility: f32,
}

/// Bit of a beat's flags: it has a station.
const HAS_STATION: u8 = 1;
/// Bit of a beat's flags: its drive has ended.
const ENDED: u8 = 2;

type Offset<T> = flatbuffers::WIPOffset<T>;
type PartsOffset = Offset<flatbuffers::Vector<'static, wire::PartState>>;

/// Writes messages; keeps its memory from one to the next.
#[derive(Default)]
pub struct Writer {
    builder: FlatBufferBuilder<'static>,
    coded: Vec<u8>,
    parts: Vec<wire::PartState>,
}

impl Writer {
    /// Appends one agent's heartbeat to `out`: its state and the ground it left,
    /// coded by what the agent's stream remembers.
    pub fn agent_beat(
        &mut self,
        origin: &Origin,
        vehicle: &VehicleState,
        patches: &Patches,
        memory: &mut Memory,
        out: &mut Vec<u8>,
    ) {
        self.builder.reset();
        let terrain = self.terrain(patches, memory);
        let chassis = wire::ChassisState::new(
            &vector(&vehicle.chassis.position),
            &turn(&vehicle.chassis.orientation),
            &small(&vehicle.velocity, VELOCITY_QUANTUM),
            &small(&vehicle.angular_velocity, RATE_QUANTUM),
        );
        let seen = wire::Seen::new(vehicle.speed, vehicle.station.unwrap_or(0.0));
        let flags = if vehicle.station.is_some() { HAS_STATION } else { 0 }
            | if vehicle.ended { ENDED } else { 0 };
        let (chassis, seen) = (Some(&chassis), Some(&seen));
        let (kind, body) = match &vehicle.gear {
            RunningGear::Wheels(wheels) => {
                let wheels = Some(self.parts(wheels));
                let beat = wire::WheeledBeatArgs { chassis, seen, flags, wheels, terrain };
                let beat = wire::WheeledBeat::create(&mut self.builder, &beat);
                (wire::Body::WheeledBeat, beat.as_union_value())
            }
            RunningGear::Tracks { shoes, bands, sprockets, idlers, road_wheels } => {
                let [left_band, right_band] = bands.each_ref().map(|band| Some(self.band(band)));
                let beat = wire::TrackedBeatArgs {
                    chassis,
                    seen,
                    flags,
                    track_shoes: Some(self.parts(shoes)),
                    sprockets: Some(self.parts(sprockets)),
                    idlers: Some(self.parts(idlers)),
                    road_wheels: Some(self.parts(road_wheels)),
                    terrain,
                    left_band,
                    right_band,
                };
                let beat = wire::TrackedBeat::create(&mut self.builder, &beat);
                (wire::Body::TrackedBeat, beat.as_union_value())
            }
        };
        self.envelope(origin, kind, body, out);
    }

    fn parts(&mut self, parts: &[PartState]) -> PartsOffset {
        self.parts.clear();
        self.parts.extend(parts.iter().map(part));
        self.builder.create_vector(&self.parts)
    }

    fn band(&mut self, seats: &[BandSeat]) -> Offset<flatbuffers::Vector<'static, wire::BandSeat>> {
        let seat = |seat: &BandSeat| {
            let [x, z] = seat.place.map(|component| round(component, PLACE_QUANTUM));
            wire::BandSeat::new(x, z, round(seat.label, PLACE_QUANTUM))
        };
        self.builder.create_vector_from_iter(seats.iter().map(seat))
    }

    /// Appends ground that the receiver has not been told.
    pub fn catch_up(&mut self, origin: &Origin, patches: &Patches, out: &mut Vec<u8>) {
        self.builder.reset();
        let terrain = self.terrain(patches, &mut Memory::default());
        let catch_up = wire::CatchUp::create(&mut self.builder, &wire::CatchUpArgs { terrain });
        self.envelope(origin, wire::Body::CatchUp, catch_up.as_union_value(), out);
    }

    /// The coded patches, if there are any.
    fn terrain(
        &mut self,
        patches: &Patches,
        memory: &mut Memory,
    ) -> Option<Offset<flatbuffers::Vector<'static, u8>>> {
        self.coded.clear();
        if patches.is_empty() {
            return None;
        }
        memory.encode(patches, &mut self.coded);
        Some(self.builder.create_vector(&self.coded))
    }

    /// Appends a handshake: keys and values that all ranks must agree on.
    pub fn handshake(&mut self, origin: &Origin, agreed: &[(String, String)], out: &mut Vec<u8>) {
        let builder = &mut self.builder;
        builder.reset();
        let entries: Vec<_> = agreed
            .iter()
            .map(|(key, value)| {
                let key = Some(builder.create_string(key));
                let value = Some(builder.create_string(value));
                wire::Agreed::create(builder, &wire::AgreedArgs { key, value })
            })
            .collect();
        let agreed = Some(builder.create_vector(&entries));
        let handshake = wire::Handshake::create(builder, &wire::HandshakeArgs { agreed });
        self.envelope(origin, wire::Body::Handshake, handshake.as_union_value(), out);
    }

    /// Appends the description of the origin's agent.
    pub fn description(&mut self, origin: &Origin, description: &Description, out: &mut Vec<u8>) {
        let builder = &mut self.builder;
        builder.reset();
        let (vehicle_type, vehicle) = match description {
            Description::Wheeled { name, model, wheels, wheel_radius } => {
                let name = Some(builder.create_string(name));
                let model = Some(builder.create_string(model));
                let (wheels, wheel_radius) = (*wheels, *wheel_radius);
                let vehicle = wire::WheeledDescriptionArgs { name, model, wheels, wheel_radius };
                let vehicle = wire::WheeledDescription::create(builder, &vehicle);
                (wire::VehicleDescription::WheeledDescription, vehicle.as_union_value())
            }
            Description::Tracked { name, model, track_shoes, sprockets, idlers, road_wheels } => {
                let vehicle = wire::TrackedDescriptionArgs {
                    name: Some(builder.create_string(name)),
                    model: Some(builder.create_string(model)),
                    track_shoes: *track_shoes,
                    sprockets: *sprockets,
                    idlers: *idlers,
                    road_wheels: *road_wheels,
                };
                let vehicle = wire::TrackedDescription::create(builder, &vehicle);
                (wire::VehicleDescription::TrackedDescription, vehicle.as_union_value())
            }
        };
        let arguments = wire::DescriptionArgs { vehicle_type, vehicle: Some(vehicle) };
        let description = wire::Description::create(builder, &arguments);
        self.envelope(origin, wire::Body::Description, description.as_union_value(), out);
    }

    /// Appends the environment.
    pub fn environment(&mut self, origin: &Origin, environment: &Environment, out: &mut Vec<u8>) {
        self.builder.reset();
        let Environment { gravity, rain, visibility } = *environment;
        let arguments = wire::EnvironmentArgs { gravity, rain, visibility };
        let environment = wire::Environment::create(&mut self.builder, &arguments);
        self.envelope(origin, wire::Body::Environment, environment.as_union_value(), out);
    }

    /// Appends the wish to end the run after this heartbeat.
    pub fn quit(&mut self, origin: &Origin, reason: &str, out: &mut Vec<u8>) {
        self.builder.reset();
        let reason = Some(self.builder.create_string(reason));
        let quit = wire::Quit::create(&mut self.builder, &wire::QuitArgs { reason });
        self.envelope(origin, wire::Body::Quit, quit.as_union_value(), out);
    }

    /// Bytes of coded ground in the last agent's heartbeat.
    pub fn ground_bytes(&self) -> usize {
        self.coded.len()
    }

    fn envelope(
        &mut self,
        origin: &Origin,
        body_type: wire::Body,
        body: Offset<flatbuffers::UnionWIPOffset>,
        out: &mut Vec<u8>,
    ) {
        let Origin { run, tick, rank, agent } = *origin;
        let origin = wire::Origin::new(tick, run, agent, rank, VERSION);
        let arguments = wire::EnvelopeArgs { origin: Some(&origin), body_type, body: Some(body) };
        let envelope = wire::Envelope::create(&mut self.builder, &arguments);
        wire::finish_envelope_buffer(&mut self.builder, envelope);
        let message = self.builder.finished_data();
        out.extend_from_slice(&(message.len() as u32).to_le_bytes());
        out.extend_from_slice(&checksum(message).to_le_bytes());
        out.extend_from_slice(message);
    }
}

/// Checksum in a message's frame: CRC-32 as of zlib.
pub fn checksum(message: &[u8]) -> u32 {
    crc32fast::hash(message)
}

fn vector(v: &Vec3) -> wire::Vec3d {
    wire::Vec3d::new(v.x, v.y, v.z)
}

/// To the nearest quantum; a cast saturates, and sends NaN to zero.
fn round(value: f64, quantum: f64) -> i16 {
    (value / quantum + 0.5).floor() as i16
}

fn small(v: &Vec3, quantum: f64) -> wire::SmallVec3 {
    wire::SmallVec3::new(round(v.x, quantum), round(v.y, quantum), round(v.z, quantum))
}

/// Vector part of the quaternion whose scalar part is not negative.
fn vector_part(orientation: &Quat) -> [f64; 3] {
    let sign = if orientation.w < 0.0 { -1.0 } else { 1.0 };
    [sign * orientation.i, sign * orientation.j, sign * orientation.k]
}

fn turn(orientation: &Quat) -> wire::Turn {
    let [x, y, z] = vector_part(orientation).map(|component| component as f32);
    wire::Turn::new(x, y, z)
}

fn part(state: &PartState) -> wire::PartState {
    let [x, y, z] = vector_part(&state.pose.orientation).map(|c| round(c, 1.0 / 32767.0));
    wire::PartState::new(
        &small(&state.pose.position, PLACE_QUANTUM),
        &wire::SmallTurn::new(x, y, z),
        round(state.spin, SPIN_QUANTUM),
    )
}

/// The quaternion of this vector part; the identity if there is none.
fn quaternion([x, y, z]: [f64; 3]) -> Quat {
    let square = x * x + y * y + z * z;
    if !square.is_finite() {
        return Quat::identity();
    }
    let w = (1.0 - square).max(0.0).sqrt();
    Quat::new_normalize(nalgebra::Quaternion::new(w, x, y, z))
}

/// What a message holds. Ground goes to the patches given to the reader.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "the large one is what nearly all are")]
pub enum Body {
    /// What ranks must agree on.
    Handshake(Vec<(String, String)>),
    /// An agent's heartbeat, and how many bytes of it are ground.
    AgentBeat(VehicleState, usize),
    /// What a remote vehicle is built from.
    Description(Description),
    /// What is the same for all.
    Environment(Environment),
    /// Ground that was not told before, in so many bytes.
    CatchUp(usize),
    /// The sender wants to end the run.
    Quit(String),
}

/// Reads the messages that stand one behind the other in bytes from a rank.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A reader of these bytes.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    /// The next message, or nothing at the end. Its ground is appended to
    /// `patches`; that of agent k is read with `memories[k]`.
    ///
    /// # Errors
    /// [`MessageFault`] for anything that a [`Writer`] of this version does not
    /// write; `patches` may then hold some of the ground.
    pub fn next(
        &mut self,
        memories: &mut [Memory],
        patches: &mut Patches,
    ) -> Result<Option<(Origin, Body)>, MessageFault> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let message = self.unframe()?;
        if message.len() < 8 || !wire::envelope_buffer_has_identifier(message) {
            return Err(MessageFault::Foreign);
        }
        let malformed = |error: flatbuffers::InvalidFlatbuffer| MessageFault::Structure {
            what: error.to_string(),
        };
        let envelope = wire::root_as_envelope(message).map_err(malformed)?;
        let from = envelope.origin();
        if from.version() != VERSION {
            return Err(MessageFault::Version { found: from.version() });
        }
        let origin =
            Origin { run: from.run(), tick: from.tick(), rank: from.rank(), agent: from.agent() };
        let mut own_ground = |coded: Option<flatbuffers::Vector<'_, u8>>| {
            let (found, agents) = (u64::from(origin.agent), memories.len() as u64);
            let memory = memories.get_mut(origin.agent as usize);
            let expected = agents.saturating_sub(1);
            let memory = memory.ok_or(MessageFault::Origin { what: "agent", found, expected })?;
            ground(coded, memory, patches)
        };
        let body = if let Some(beat) = envelope.body_as_wheeled_beat() {
            let gear = RunningGear::Wheels(parts(beat.wheels()));
            let state = vehicle(beat.chassis(), beat.seen(), beat.flags(), gear);
            Body::AgentBeat(state, own_ground(beat.terrain())?)
        } else if let Some(beat) = envelope.body_as_tracked_beat() {
            let gear = RunningGear::Tracks {
                shoes: parts(beat.track_shoes()),
                bands: [beat.left_band(), beat.right_band()].map(band),
                sprockets: parts(beat.sprockets()),
                idlers: parts(beat.idlers()),
                road_wheels: parts(beat.road_wheels()),
            };
            let state = vehicle(beat.chassis(), beat.seen(), beat.flags(), gear);
            Body::AgentBeat(state, own_ground(beat.terrain())?)
        } else if let Some(catch_up) = envelope.body_as_catch_up() {
            Body::CatchUp(ground(catch_up.terrain(), &mut Memory::default(), patches)?)
        } else if let Some(description) = envelope.body_as_description() {
            Body::Description(described(&description)?)
        } else if let Some(environment) = envelope.body_as_environment() {
            Body::Environment(Environment {
                gravity: environment.gravity(),
                rain: environment.rain(),
                visibility: environment.visibility(),
            })
        } else if let Some(handshake) = envelope.body_as_handshake() {
            let agreed = handshake.agreed().into_iter().flatten();
            let pair = |entry: wire::Agreed<'_>| (entry.key().into(), entry.value().into());
            Body::Handshake(agreed.map(pair).collect())
        } else if let Some(quit) = envelope.body_as_quit() {
            Body::Quit(quit.reason().unwrap_or_default().into())
        } else {
            let found = envelope.body_type().variant_name().unwrap_or("message of unknown kind");
            return Err(MessageFault::Kind { found, expected: "message that this version reads" });
        };
        Ok(Some((origin, body)))
    }

    fn unframe(&mut self) -> Result<&'a [u8], MessageFault> {
        let left = self.rest.len();
        let Some((frame, rest)) = self.rest.split_first_chunk::<FRAME>() else {
            return Err(MessageFault::Cut { left, length: FRAME });
        };
        let [a, b, c, d, sent @ ..] = *frame;
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        let expected = u32::from_le_bytes(sent);
        match rest.split_at_checked(length) {
            Some((message, rest)) if length <= MOST => {
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

fn band(seats: Option<flatbuffers::Vector<'_, wire::BandSeat>>) -> Vec<BandSeat> {
    let length = |quanta: i16| f64::from(quanta) * PLACE_QUANTUM;
    let seat = |seat: &wire::BandSeat| BandSeat {
        place: [length(seat.x()), length(seat.z())],
        label: length(seat.label()),
    };
    seats.into_iter().flatten().map(seat).collect()
}

/// Appends coded ground to `patches`; how many bytes it took.
fn ground(
    coded: Option<flatbuffers::Vector<'_, u8>>,
    memory: &mut Memory,
    patches: &mut Patches,
) -> Result<usize, MessageFault> {
    let Some(coded) = coded else { return Ok(0) };
    memory.decode(coded.bytes(), patches)?;
    Ok(coded.len())
}

fn small_vector(v: &wire::SmallVec3, quantum: f64) -> Vec3 {
    Vec3::new(v.x().into(), v.y().into(), v.z().into()) * quantum
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
    gear: RunningGear,
) -> VehicleState {
    let (place, turn) = (chassis.position(), chassis.orientation());
    VehicleState {
        chassis: Pose {
            position: Vec3::new(place.x(), place.y(), place.z()),
            orientation: quaternion([turn.x(), turn.y(), turn.z()].map(f64::from)),
        },
        velocity: small_vector(chassis.velocity(), VELOCITY_QUANTUM),
        angular_velocity: small_vector(chassis.angular_velocity(), RATE_QUANTUM),
        speed: seen.speed(),
        station: (flags & HAS_STATION != 0).then_some(seen.station()),
        ended: flags & ENDED != 0,
        gear,
    }
}

fn described(description: &wire::Description<'_>) -> Result<Description, MessageFault> {
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    if let Some(vehicle) = description.vehicle_as_wheeled_description() {
        return Ok(Description::Wheeled {
            name: text(vehicle.name()),
            model: text(vehicle.model()),
            wheels: vehicle.wheels(),
            wheel_radius: vehicle.wheel_radius(),
        });
    }
    if let Some(vehicle) = description.vehicle_as_tracked_description() {
        return Ok(Description::Tracked {
            name: text(vehicle.name()),
            model: text(vehicle.model()),
            track_shoes: vehicle.track_shoes(),
            sprockets: vehicle.sprockets(),
            idlers: vehicle.idlers(),
            road_wheels: vehicle.road_wheels(),
        });
    }
    let found = description.vehicle_type().variant_name().unwrap_or("vehicle of unknown kind");
    Err(MessageFault::Kind { found, expected: "description that this version reads" })
}

#[cfg(test)]
mod tests {
    use super::super::ground_code::tests::any_patches;
    use super::*;
    use proptest::prelude::*;

    fn state() -> VehicleState {
        let turn = Quat::from_euler_angles(0.1, -0.2, 2.5);
        let wheel = PartState {
            pose: Pose { position: Vec3::new(1.7, 0.9, 0.1), orientation: turn.inverse() },
            spin: 12.25,
        };
        VehicleState {
            chassis: Pose { position: Vec3::new(-120.123_456_789, 33.3, 0.7), orientation: turn },
            velocity: Vec3::new(5.0, 0.25, -0.125),
            angular_velocity: Vec3::new(0.5, 0.0, 0.25),
            speed: 5.006_123_456_789,
            station: Some(0.1 + 0.2),
            ended: false,
            gear: RunningGear::Wheels(vec![wheel; 4]),
        }
    }

    const ORIGIN: Origin = Origin { run: 7, tick: 1 << 40, rank: 3, agent: 1 };

    fn memories() -> Vec<Memory> {
        vec![Memory::default(); 2]
    }

    fn written(patches: &Patches) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut memory = Memory::default();
        Writer::default().agent_beat(&ORIGIN, &state(), patches, &mut memory, &mut bytes);
        bytes
    }

    #[test]
    fn a_vehicle_comes_back_as_precise_as_promised() {
        let bytes = written(&Patches::default());
        let (origin, body) =
            Reader::new(&bytes).next(&mut memories(), &mut Patches::default()).unwrap().unwrap();
        let Body::AgentBeat(read, 0) = body else { panic!("{body:?}") };
        let sent = state();
        assert_eq!(origin, ORIGIN);
        assert_eq!(read.chassis.position, sent.chassis.position);
        assert_eq!((read.speed, read.station), (sent.speed, sent.station));
        assert_eq!((read.velocity, read.ended), (sent.velocity, sent.ended));
        assert!(read.chassis.orientation.angle_to(&sent.chassis.orientation) < 1e-6);
        let (RunningGear::Wheels(read), RunningGear::Wheels(sent)) = (&read.gear, &sent.gear)
        else {
            panic!("{:?}", read.gear);
        };
        assert_eq!(read.len(), sent.len());
        for (read, sent) in read.iter().zip(sent) {
            // a unit of 1/32767 in the vector part, doubled by the half angle
            assert!(read.pose.orientation.angle_to(&sent.pose.orientation) < 1e-4);
            assert_eq!(read.spin, sent.spin);
        }
    }

    #[test]
    fn tracks_descriptions_and_the_environment_come_back() {
        let part = |x: f64| PartState {
            pose: Pose { position: Vec3::new(x, 0.5, 0.25), ..Pose::default() },
            spin: -3.5,
        };
        let gear = RunningGear::Tracks {
            shoes: (0..126).map(|shoe| part(f64::from(shoe) / 64.0)).collect(),
            bands: [3, 4].map(|seats| {
                let seat = |at| BandSeat { place: [0.25 * at as f64, -0.5], label: 0.125 };
                (0..seats).map(seat).collect()
            }),
            sprockets: vec![part(1.0); 2],
            idlers: vec![part(-1.0); 2],
            road_wheels: vec![part(0.5); 10],
        };
        let sent = VehicleState { gear, station: None, ended: true, ..state() };
        let tracked = Description::Tracked {
            name: "a".into(),
            model: "m113".into(),
            track_shoes: 126,
            sprockets: 2,
            idlers: 2,
            road_wheels: 10,
        };
        let (name, model) = ("b".into(), "hmmwv".into());
        let wheeled = Description::Wheeled { name, model, wheels: 4, wheel_radius: 0.47 };
        let environment = Environment { gravity: 9.81, rain: 2.5, visibility: 800.0 };
        let (mut writer, mut bytes) = (Writer::default(), Vec::new());
        writer.agent_beat(&ORIGIN, &sent, &Patches::default(), &mut Memory::default(), &mut bytes);
        println!("state of a vehicle of 126 shoes: {} bytes", bytes.len());
        writer.description(&ORIGIN, &tracked, &mut bytes);
        writer.description(&ORIGIN, &wheeled, &mut bytes);
        writer.environment(&ORIGIN, &environment, &mut bytes);
        let mut reader = Reader::new(&bytes);
        let mut next =
            || reader.next(&mut memories(), &mut Patches::default()).unwrap().map(|(_, body)| body);
        let Some(Body::AgentBeat(read, 0)) = next() else { panic!("a beat is due") };
        assert_eq!((&read.gear, read.station, read.ended), (&sent.gear, None, true));
        assert_eq!(next(), Some(Body::Description(tracked)));
        assert_eq!(next(), Some(Body::Description(wheeled)));
        assert_eq!(next(), Some(Body::Environment(environment)));
        assert_eq!(next(), None);
    }

    #[test]
    fn a_wheeled_vehicle_takes_at_most_250_bytes() {
        let bytes = written(&Patches::default()).len();
        println!("state of a vehicle of four wheels: {bytes} bytes");
        assert!(bytes <= 250, "{bytes} bytes");
    }

    #[test]
    fn messages_follow_each_other() {
        let agreed = vec![("time.step".to_owned(), "0.002".to_owned()), ("a".into(), "".into())];
        let mut writer = Writer::default();
        let mut bytes = Vec::new();
        writer.handshake(&ORIGIN, &agreed, &mut bytes);
        writer.agent_beat(
            &ORIGIN,
            &state(),
            &Patches::default(),
            &mut Memory::default(),
            &mut bytes,
        );
        writer.quit(&ORIGIN, "interrupted", &mut bytes);
        let mut reader = Reader::new(&bytes);
        let mut next =
            || reader.next(&mut memories(), &mut Patches::default()).unwrap().map(|(_, body)| body);
        assert_eq!(next(), Some(Body::Handshake(agreed)));
        assert!(matches!(next(), Some(Body::AgentBeat(..))));
        assert_eq!(next(), Some(Body::Quit("interrupted".into())));
        assert_eq!(next(), None);
    }

    /// As a hostile sender would: altered, and the checksum made right again.
    fn forged(mut bytes: Vec<u8>, at: usize, with: u8) -> Vec<u8> {
        let at = FRAME + at % (bytes.len() - FRAME);
        bytes[at] ^= with;
        let checksum = crc32fast::hash(&bytes[FRAME..]);
        bytes[4..FRAME].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    proptest! {
        #[test]
        fn ground_comes_back(patches in any_patches()) {
            let bytes = written(&patches);
            let mut read = Patches::default();
            let mut reader = Reader::new(&bytes);
            reader.next(&mut memories(), &mut read).unwrap();
            prop_assert_eq!(read, patches);
            prop_assert_eq!(reader.next(&mut memories(), &mut Patches::default()).unwrap(), None);
        }

        #[test]
        fn any_altered_byte_is_noticed(patches in any_patches(), at in any::<usize>(), with in 1_u8..) {
            let mut bytes = written(&patches);
            let at = at % bytes.len();
            bytes[at] ^= with;
            prop_assert!(Reader::new(&bytes).next(&mut memories(), &mut Patches::default()).is_err());
        }

        #[test]
        fn a_forged_message_is_read_without_a_panic(
            patches in any_patches(),
            changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..8),
        ) {
            let mut bytes = written(&patches);
            for (at, with) in changes {
                bytes = forged(bytes, at, with);
            }
            let _ = Reader::new(&bytes).next(&mut memories(), &mut Patches::default());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in any::<Vec<u8>>()) {
            let _ = Reader::new(&bytes).next(&mut memories(), &mut Patches::default());
        }
    }

    #[test]
    fn another_version_is_refused() {
        let mut bytes = written(&Patches::default());
        // the version is the last field of the origin: found by its neighbour, the rank
        let place = (FRAME..bytes.len() - 4).find(|&at| bytes[at..at + 4] == [3, 0, 1, 0]).unwrap();
        bytes[place + 2] = 9;
        let checksum = crc32fast::hash(&bytes[FRAME..]);
        bytes[4..FRAME].copy_from_slice(&checksum.to_le_bytes());
        let fault = Reader::new(&bytes).next(&mut memories(), &mut Patches::default()).unwrap_err();
        assert_eq!(fault.to_string(), "protocol version 9, this is 1");
    }

    #[test]
    fn generated_code_belongs_to_the_schema() {
        use sha2::{Digest, Sha256};
        let schema = include_bytes!("../../schemas/heartbeat.fbs");
        let hash: String = Sha256::digest(schema).iter().map(|b| format!("{b:02x}")).collect();
        let first = include_str!("generated.rs").lines().next().unwrap();
        assert!(first.ends_with(&hash), "run scripts/gen_schemas.sh: {first}, schema {hash}");
    }
}
