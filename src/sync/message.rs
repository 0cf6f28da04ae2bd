//! Messages between ranks: what they hold, how they are written, and how bytes
//! that nobody vouches for are read.
//!
//! A message is a FlatBuffer (`schemas/heartbeat.fbs`) in a frame of its length
//! and checksum. Reading verifies the frame, the checksum, the identifier, the
//! structure and the coded ground, in this order; nothing is applied before
//! all of a heartbeat's messages have been read.

use super::generated::bekker::wire;
use super::ground_code::{self, GroundCodeError};
use crate::ground::Patch;
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

/// A wheeled vehicle as others see it.
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
    /// Wheels, axle by axle from the front, left before right.
    pub wheels: Vec<PartState>,
}

/// Writes messages; keeps its memory from one to the next.
#[derive(Default)]
pub struct Writer {
    builder: FlatBufferBuilder<'static>,
    coded: Vec<u8>,
    wheels: Vec<wire::PartState>,
}

impl Writer {
    /// Appends one agent's heartbeat to `out`: its state and the ground it left.
    pub fn agent_beat(
        &mut self,
        origin: &Origin,
        vehicle: &VehicleState,
        patches: &[Patch],
        out: &mut Vec<u8>,
    ) {
        self.builder.reset();
        let terrain = self.terrain(patches);
        let builder = &mut self.builder;
        self.wheels.clear();
        self.wheels.extend(vehicle.wheels.iter().map(part));
        let wheels = Some(builder.create_vector(&self.wheels));
        let chassis = wire::ChassisState::new(
            &vector(&vehicle.chassis.position),
            &turn(&vehicle.chassis.orientation),
            &small(&vehicle.velocity, VELOCITY_QUANTUM),
            &small(&vehicle.angular_velocity, RATE_QUANTUM),
        );
        let seen = wire::Seen::new(vehicle.speed, vehicle.station.unwrap_or(0.0));
        let state = wire::WheeledState::create(
            builder,
            &wire::WheeledStateArgs {
                chassis: Some(&chassis),
                seen: Some(&seen),
                has_station: vehicle.station.is_some(),
                ended: vehicle.ended,
                wheels,
            },
        );
        let beat = wire::AgentBeat::create(
            builder,
            &wire::AgentBeatArgs {
                state_type: wire::VehicleState::WheeledState,
                state: Some(state.as_union_value()),
                terrain,
            },
        );
        self.envelope(origin, wire::Body::AgentBeat, beat.as_union_value(), out);
    }

    /// Appends ground that the receiver has not been told.
    pub fn catch_up(&mut self, origin: &Origin, patches: &[Patch], out: &mut Vec<u8>) {
        self.builder.reset();
        let terrain = self.terrain(patches);
        let catch_up = wire::CatchUp::create(&mut self.builder, &wire::CatchUpArgs { terrain });
        self.envelope(origin, wire::Body::CatchUp, catch_up.as_union_value(), out);
    }

    /// The coded patches, if there are any.
    fn terrain(
        &mut self,
        patches: &[Patch],
    ) -> Option<flatbuffers::WIPOffset<wire::TerrainPatch<'static>>> {
        self.coded.clear();
        if patches.is_empty() {
            return None;
        }
        ground_code::encode(patches, &mut self.coded);
        let coded = Some(self.builder.create_vector(&self.coded));
        let nodes = patches.iter().map(|patch| patch.tile.states().len() as u32).sum();
        let arguments = wire::TerrainPatchArgs { nodes, coded };
        Some(wire::TerrainPatch::create(&mut self.builder, &arguments))
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
        body: flatbuffers::WIPOffset<flatbuffers::UnionWIPOffset>,
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
pub enum Body {
    /// What ranks must agree on.
    Handshake(Vec<(String, String)>),
    /// An agent's heartbeat, and how many bytes of it are ground.
    AgentBeat(VehicleState, usize),
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
    /// `patches`.
    ///
    /// # Errors
    /// [`MessageFault`] for anything that a [`Writer`] of this version does not
    /// write; `patches` may then hold some of the ground.
    pub fn next(
        &mut self,
        patches: &mut Vec<Patch>,
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
        let body = if let Some(beat) = envelope.body_as_agent_beat() {
            Body::AgentBeat(vehicle(&beat)?, ground(beat.terrain(), patches)?)
        } else if let Some(catch_up) = envelope.body_as_catch_up() {
            Body::CatchUp(ground(catch_up.terrain(), patches)?)
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

/// Appends coded ground to `patches`; how many bytes it took.
fn ground(
    terrain: Option<wire::TerrainPatch<'_>>,
    patches: &mut Vec<Patch>,
) -> Result<usize, MessageFault> {
    let Some(coded) = terrain.and_then(|terrain| terrain.coded()) else { return Ok(0) };
    ground_code::decode(coded.bytes(), patches)?;
    Ok(coded.len())
}

fn vehicle(beat: &wire::AgentBeat<'_>) -> Result<VehicleState, MessageFault> {
    let Some(state) = beat.state_as_wheeled_state() else {
        let found = beat.state_type().variant_name().unwrap_or("vehicle of unknown kind");
        return Err(MessageFault::Kind { found, expected: "state of a wheeled vehicle" });
    };
    let chassis = state.chassis();
    let double = |v: &wire::Vec3d| Vec3::new(v.x(), v.y(), v.z());
    let small = |v: &wire::SmallVec3, quantum: f64| {
        Vec3::new(v.x().into(), v.y().into(), v.z().into()) * quantum
    };
    let turn = chassis.orientation();
    let seen = state.seen();
    let part = |part: &wire::PartState| {
        let turn = part.orientation();
        let turn = [turn.x(), turn.y(), turn.z()].map(|c| f64::from(c) / 32767.0);
        let pose =
            Pose { position: small(part.position(), PLACE_QUANTUM), orientation: quaternion(turn) };
        PartState { pose, spin: f64::from(part.spin()) * SPIN_QUANTUM }
    };
    Ok(VehicleState {
        chassis: Pose {
            position: double(chassis.position()),
            orientation: quaternion([turn.x(), turn.y(), turn.z()].map(f64::from)),
        },
        velocity: small(chassis.velocity(), VELOCITY_QUANTUM),
        angular_velocity: small(chassis.angular_velocity(), RATE_QUANTUM),
        speed: seen.speed(),
        station: state.has_station().then_some(seen.station()),
        ended: state.ended(),
        wheels: state.wheels().into_iter().flatten().map(part).collect(),
    })
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
            wheels: vec![wheel; 4],
        }
    }

    const ORIGIN: Origin = Origin { run: 7, tick: 1 << 40, rank: 3, agent: 70_000 };

    fn written(patches: &[Patch]) -> Vec<u8> {
        let mut bytes = Vec::new();
        Writer::default().agent_beat(&ORIGIN, &state(), patches, &mut bytes);
        bytes
    }

    #[test]
    fn a_vehicle_comes_back_as_precise_as_promised() {
        let bytes = written(&[]);
        let (origin, body) = Reader::new(&bytes).next(&mut Vec::new()).unwrap().unwrap();
        let Body::AgentBeat(read, 0) = body else { panic!("{body:?}") };
        let sent = state();
        assert_eq!(origin, ORIGIN);
        assert_eq!(read.chassis.position, sent.chassis.position);
        assert_eq!((read.speed, read.station), (sent.speed, sent.station));
        assert_eq!((read.velocity, read.ended), (sent.velocity, sent.ended));
        assert!(read.chassis.orientation.angle_to(&sent.chassis.orientation) < 1e-6);
        for (read, sent) in read.wheels.iter().zip(&sent.wheels) {
            // a unit of 1/32767 in the vector part, doubled by the half angle
            assert!(read.pose.orientation.angle_to(&sent.pose.orientation) < 1e-4);
            assert_eq!(read.spin, sent.spin);
        }
    }

    #[test]
    fn a_wheeled_vehicle_takes_at_most_250_bytes() {
        let bytes = written(&[]).len();
        println!("state of a vehicle of four wheels: {bytes} bytes");
        assert!(bytes <= 250, "{bytes} bytes");
    }

    #[test]
    fn messages_follow_each_other() {
        let agreed = vec![("time.step".to_owned(), "0.002".to_owned()), ("a".into(), "".into())];
        let mut writer = Writer::default();
        let mut bytes = Vec::new();
        writer.handshake(&ORIGIN, &agreed, &mut bytes);
        writer.agent_beat(&ORIGIN, &state(), &[], &mut bytes);
        writer.quit(&ORIGIN, "interrupted", &mut bytes);
        let mut reader = Reader::new(&bytes);
        let mut next = || reader.next(&mut Vec::new()).unwrap().map(|(_, body)| body);
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
            let mut read = Vec::new();
            let mut reader = Reader::new(&bytes);
            reader.next(&mut read).unwrap();
            prop_assert_eq!(read, patches);
            prop_assert_eq!(reader.next(&mut Vec::new()).unwrap(), None);
        }

        #[test]
        fn any_altered_byte_is_noticed(patches in any_patches(), at in any::<usize>(), with in 1_u8..) {
            let mut bytes = written(&patches);
            let at = at % bytes.len();
            bytes[at] ^= with;
            prop_assert!(Reader::new(&bytes).next(&mut Vec::new()).is_err());
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
            let _ = Reader::new(&bytes).next(&mut Vec::new());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in any::<Vec<u8>>()) {
            let _ = Reader::new(&bytes).next(&mut Vec::new());
        }
    }

    #[test]
    fn another_version_is_refused() {
        let mut bytes = written(&[]);
        // the version is the last field of the origin: found by its neighbour, the rank
        let place = (FRAME..bytes.len() - 4).find(|&at| bytes[at..at + 4] == [3, 0, 1, 0]).unwrap();
        bytes[place + 2] = 9;
        let checksum = crc32fast::hash(&bytes[FRAME..]);
        bytes[4..FRAME].copy_from_slice(&checksum.to_le_bytes());
        let fault = Reader::new(&bytes).next(&mut Vec::new()).unwrap_err();
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
