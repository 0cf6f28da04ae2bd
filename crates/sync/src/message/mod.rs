//! Messages between ranks: content, encoding, and decoding of untrusted bytes.
//!
//! A message is a FlatBuffer (`schemas/heartbeat.fbs`) in a frame with its length and checksum.
//! Reading verifies the frame, the checksum, the identifier, the structure and the coded ground, in
//! this order. Nothing is applied before all messages of a heartbeat have been read.

mod quanta;
mod reader;
mod writer;

pub use reader::MessageReader;
pub use writer::MessageWriter;

use super::ground_code::GroundCodeError;
use bekker_ground::NO_AGENT;
use bekker_math::spatial::{Acceleration, Pose, Quat, Twist, Vec3};

/// Version of the protocol. Ranks of different versions reject each other's messages.
pub const VERSION: u16 = 5;
/// Length of a frame's header (length and checksum), bytes.
const FRAME_HEADER: usize = 8;
/// Longest message that is read, bytes.
const MAX_MESSAGE_BYTES: usize = 1 << 30;
/// Bit of a heartbeat's flags: the vehicle has a station.
const HAS_STATION: u8 = 1;
/// Bit of a heartbeat's flags: the vehicle's drive has ended.
const ENDED: u8 = 2;

/// Reason why a message is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageFault {
    /// The frame is truncated.
    #[error("{left} bytes remain of a message of {length} bytes")]
    Cut {
        /// Number of bytes left.
        left: usize,
        /// Announced length.
        length: usize,
    },
    /// The message was altered in transit.
    #[error("checksum is {found:08x}; must be {expected:08x}")]
    Checksum {
        /// CRC-32 of the received bytes.
        found: u32,
        /// CRC-32 sent with the message.
        expected: u32,
    },
    /// The message is not one of bekker's.
    #[error("not a bekker message")]
    NoMessage,
    /// The message has another protocol version.
    #[error("protocol version is {found}; must be {VERSION}")]
    Version {
        /// Version of the sender.
        found: u16,
    },
    /// The message is malformed.
    #[error("{what}")]
    Structure {
        /// Error of the verifier.
        what: String,
    },
    /// The coded ground does not decode.
    #[error("terrain patch: {0}")]
    Ground(#[from] GroundCodeError),
    /// The message is of an unexpected or unknown kind.
    #[error("received {found}, expected {expected}")]
    Kind {
        /// Received kind.
        found: &'static str,
        /// Expected kind.
        expected: &'static str,
    },
    /// The message comes from an unexpected rank, agent, run or time.
    #[error("{what} is {found}; must be {expected}")]
    Origin {
        /// The field of the origin that differs.
        what: &'static str,
        /// Received value.
        found: u64,
        /// Expected value.
        expected: u64,
    },
}

/// Source and time of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageOrigin {
    /// Identifier of the run.
    pub run: u32,
    /// Number of steps taken.
    pub tick: u64,
    /// Sending rank.
    pub rank: u16,
    /// Agent that the message describes.
    pub agent: u32,
}

impl MessageOrigin {
    /// Returns the agent's code in the ground state, as the owner of the patches in the message.
    pub fn agent_code(&self) -> u16 {
        u16::try_from(self.agent).unwrap_or(NO_AGENT)
    }
}

/// A part of a vehicle in the chassis frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartState {
    /// Pose in the chassis frame, to 0.13 mm and 3e-5 rad. The position must lie within 8 m, for a
    /// trailer's wheels within 8 m of the center of its hulls.
    pub pose: Pose,
    /// Spin about its axis, rad/s, to 1/128 rad/s and at most 511 rad/s.
    pub spin: f64,
}

/// A point at which the band of a track is held, in the middle plane of the track.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BandSeat {
    /// Position in the chassis frame along x and z, m, to 0.13 mm within 8 m.
    pub place: [f64; 2],
    /// Length of the free band from the leading pin of the first shoe to this point, m, with the
    /// same precision.
    pub label: f64,
}

/// A track shoe that is simulated as a body, in the chassis frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShoeState {
    /// Position, m, to 0.13 mm within 8 m.
    pub place: [f64; 3],
    /// Rotation about the chassis's y axis, rad, to 5e-5 rad.
    pub angle: f64,
}

/// Running gear of a vehicle.
#[derive(Clone, Debug, PartialEq)]
pub enum RunningGearMessage {
    /// Wheels, axle by axle from the front, left before right.
    Wheels(Vec<PartState>),
    /// Tracks, left before right.
    Tracks {
        /// Shoes that are simulated as bodies, one behind the other, left before right.
        shoes: Vec<ShoeState>,
        /// Bands, left and right, from the front. The poses of shoes on a band follow from it.
        bands: [Vec<BandSeat>; 2],
        /// Sprockets.
        sprockets: Vec<PartState>,
        /// Idlers.
        idlers: Vec<PartState>,
        /// Road wheels, from the front.
        road_wheels: Vec<PartState>,
    },
}

impl RunningGearMessage {
    /// Returns the wheels or road wheels, axle by axle from the front, left before right.
    pub fn ground_wheels(&self) -> &[PartState] {
        match self {
            RunningGearMessage::Wheels(wheels) => wheels,
            RunningGearMessage::Tracks { road_wheels, .. } => road_wheels,
        }
    }
}

/// State of a vehicle that other ranks receive at a heartbeat.
#[derive(Clone, Debug, PartialEq)]
pub struct VehicleMessage {
    /// Chassis frame. The position is exact, the orientation has a precision of 1e-7.
    pub chassis: Pose,
    /// Velocity of the chassis origin in world axes, m/s, to 0.002 m/s and at most 128 m/s.
    pub velocity: Vec3,
    /// Angular velocity, world axes, rad/s, to 5e-4 rad/s and at most 32 rad/s.
    pub angular_velocity: Vec3,
    /// Forward speed, m/s, exact.
    pub speed: f64,
    /// Distance along the vehicle's path, m, exact. `None` if it follows none.
    pub station: Option<f64>,
    /// Whether its drive has ended.
    pub ended: bool,
    /// Running gear: wheels or tracks.
    pub gear: RunningGearMessage,
    /// Exact orientation and motion, only for vehicles that are near others.
    pub motion: Option<MotionMessage>,
    /// The vehicle's trailer, if it has one, coupled or not, or the rear frame of an articulated
    /// vehicle.
    pub trailer: Option<TrailerState>,
}

/// State of a trailer, or of the rear frame of an articulated vehicle, that other ranks receive. All
/// values are exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrailerState {
    /// Center of its hulls, m.
    pub place: Vec3,
    /// Orientation, and twist about that center.
    pub motion: MotionMessage,
    /// Number of the vehicle's last wheels that belong to the trailer. They are sent in its frame.
    pub wheels: u8,
}

impl TrailerState {
    /// Returns the frame at the center of its hulls.
    pub fn pose(&self) -> Pose {
        Pose { position: self.place, orientation: self.motion.orientation }
    }
}

impl PartState {
    /// Transforms this part from the frame `from` to the frame `to`.
    pub(super) fn moved(&self, from: &Pose, to: &Pose) -> PartState {
        let position = to.local_point(&from.point(&self.pose.position));
        let orientation = to.orientation.inverse() * (from.orientation * self.pose.orientation);
        PartState { pose: Pose { position, orientation }, spin: self.spin }
    }
}

/// Orientation and motion of a chassis, in full precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionMessage {
    /// Orientation of the chassis frame.
    pub orientation: Quat,
    /// Twist about the origin of the chassis frame.
    pub twist: Twist,
    /// Acceleration of the center of mass over the last heartbeat, from all forces except those of
    /// other vehicles.
    pub external_acceleration: Acceleration,
}

impl MotionMessage {
    /// Creates a motion, or `None` if a value is not finite or the orientation is no unit
    /// quaternion.
    pub fn new(
        orientation: &Quat,
        twist: &Twist,
        external_acceleration: &Acceleration,
    ) -> Option<MotionMessage> {
        let vectors = [
            twist.linear,
            twist.angular,
            external_acceleration.linear,
            external_acceleration.angular,
        ];
        let finite = vectors.iter().flatten().all(|x| x.is_finite());
        // also false for NaN
        let turned = (orientation.norm() - 1.0).abs() < 1e-6;
        let own = MotionMessage {
            orientation: *orientation,
            twist: *twist,
            external_acceleration: *external_acceleration,
        };
        (finite && turned).then_some(own)
    }
}

impl VehicleMessage {
    /// Returns the pose and twist of the chassis in the best precision available.
    pub fn chassis_motion(&self) -> (Pose, Twist) {
        match &self.motion {
            Some(MotionMessage { orientation, twist, .. }) => {
                (Pose { orientation: *orientation, ..self.chassis }, *twist)
            }
            None => {
                let twist = Twist { linear: self.velocity, angular: self.angular_velocity };
                (self.chassis, twist)
            }
        }
    }
}

/// Returns the chassis state that other ranks receive if no exact motion is sent.
pub fn as_received(chassis: &Pose, twist: &Twist) -> (Pose, Twist) {
    let turn = quanta::vector_part(&chassis.orientation).map(|c| f64::from(c as f32));
    let rounded =
        |v: &Vec3, quantum: f64| quanta::small_vector(&quanta::small(v, quantum), quantum);
    let pose = Pose { orientation: quanta::quaternion(turn), ..*chassis };
    let linear = rounded(&twist.linear, quanta::VELOCITY_QUANTUM);
    let angular = rounded(&twist.angular, quanta::RATE_QUANTUM);
    (pose, Twist { linear, angular })
}

/// Description from which other ranks build a remote vehicle. It is sent once, at the beginning.
#[derive(Clone, Debug, PartialEq)]
pub enum RemoteVehicleDescription {
    /// A wheeled vehicle.
    Wheeled {
        /// The agent's name.
        name: String,
        /// Name of the vehicle model.
        model: String,
        /// Number of wheels.
        wheels: u16,
        /// Largest wheel radius, m.
        wheel_radius: f32,
    },
    /// A tracked vehicle.
    Tracked {
        /// The agent's name.
        name: String,
        /// Name of the vehicle model.
        model: String,
        /// Number of shoes of both tracks.
        track_shoes: u16,
        /// Number of sprockets.
        sprockets: u16,
        /// Number of idlers.
        idlers: u16,
        /// Number of road wheels.
        road_wheels: u16,
    },
}

/// Environment shared by all agents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Environment {
    /// Gravity, m/s².
    pub gravity: f64,
    /// Rain, mm/h.
    pub rain: f32,
    /// Visibility, m. 0 if it is not used.
    pub visibility: f32,
}

/// Content of a message. Its ground is appended to the patches passed to the reader.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "nearly all values are of the large variant")]
pub enum MessageBody {
    /// Keys and values on which all ranks must agree.
    Handshake(Vec<(String, String)>),
    /// An agent's heartbeat, and the length of its coded ground, bytes.
    AgentHeartbeat(VehicleMessage, usize),
    /// Description from which a remote vehicle is built.
    Description(RemoteVehicleDescription),
    /// Environment shared by all agents.
    Environment(Environment),
    /// Ground that the receiver lacked, and its coded length, bytes.
    CatchUp(usize),
    /// Request of the sender to end the run, with the reason.
    Quit(String),
}

/// Returns the checksum for a message's frame: CRC-32 as in zlib.
pub fn checksum(message: &[u8]) -> u32 {
    crc32fast::hash(message)
}

#[cfg(test)]
mod tests {
    use super::super::ground_code::CodecState;
    use super::super::ground_code::tests::any_patches;
    use super::*;
    use bekker_ground::{Patch, Patches};
    use proptest::prelude::*;

    fn state() -> VehicleMessage {
        let turn = Quat::from_euler_angles(0.1, -0.2, 2.5);
        let wheel = PartState {
            pose: Pose { position: Vec3::new(1.7, 0.9, 0.1), orientation: turn.inverse() },
            spin: 12.25,
        };
        VehicleMessage {
            chassis: Pose { position: Vec3::new(-120.123_456_789, 33.3, 0.7), orientation: turn },
            velocity: Vec3::new(5.0, 0.25, -0.125),
            angular_velocity: Vec3::new(0.5, 0.0, 0.25),
            speed: 5.006_123_456_789,
            station: Some(0.1 + 0.2),
            ended: false,
            gear: RunningGearMessage::Wheels(vec![wheel; 4]),
            motion: None,
            trailer: None,
        }
    }

    const ORIGIN: MessageOrigin = MessageOrigin { run: 7, tick: 1 << 40, rank: 3, agent: 1 };

    fn codecs() -> Vec<CodecState> {
        vec![CodecState::default(); 2]
    }

    fn written(patches: &Patches) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut codec_state = CodecState::default();
        MessageWriter::default().agent_heartbeat(
            &ORIGIN,
            &state(),
            patches,
            &mut codec_state,
            &mut bytes,
        );
        bytes
    }

    #[test]
    fn a_vehicle_comes_back_as_precise_as_promised() {
        let bytes = written(&Patches::default());
        let (origin, body) = MessageReader::new(&bytes)
            .next(&mut codecs(), &mut Patches::default())
            .unwrap()
            .unwrap();
        let MessageBody::AgentHeartbeat(read, 0) = body else { panic!("{body:?}") };
        let sent = state();
        assert_eq!(origin, ORIGIN);
        assert_eq!(read.chassis.position, sent.chassis.position);
        assert_eq!((read.speed, read.station), (sent.speed, sent.station));
        assert_eq!((read.velocity, read.ended), (sent.velocity, sent.ended));
        assert!(read.chassis.orientation.angle_to(&sent.chassis.orientation) < 1e-6);
        let (RunningGearMessage::Wheels(read), RunningGearMessage::Wheels(sent)) =
            (&read.gear, &sent.gear)
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
        let gear = RunningGearMessage::Tracks {
            shoes: (0..127)
                .map(|shoe| {
                    let angle = f64::from(shoe % 64 - 32) * std::f64::consts::TAU / 65536.0;
                    ShoeState { place: [f64::from(shoe) / 64.0, 0.5, -0.25], angle }
                })
                .collect(),
            bands: [3, 4].map(|seats| {
                let seat = |at| BandSeat { place: [0.25 * at as f64, -0.5], label: 0.125 };
                (0..seats).map(seat).collect()
            }),
            sprockets: vec![part(1.0); 2],
            idlers: vec![part(-1.0); 2],
            road_wheels: vec![part(0.5); 10],
        };
        let sent = VehicleMessage { gear, station: None, ended: true, ..state() };
        let tracked = RemoteVehicleDescription::Tracked {
            name: "a".into(),
            model: "m113".into(),
            track_shoes: 126,
            sprockets: 2,
            idlers: 2,
            road_wheels: 10,
        };
        let (name, model) = ("b".into(), "hmmwv".into());
        let wheeled =
            RemoteVehicleDescription::Wheeled { name, model, wheels: 4, wheel_radius: 0.47 };
        let environment = Environment { gravity: 9.81, rain: 2.5, visibility: 800.0 };
        let (mut writer, mut bytes) = (MessageWriter::default(), Vec::new());
        writer.agent_heartbeat(
            &ORIGIN,
            &sent,
            &Patches::default(),
            &mut CodecState::default(),
            &mut bytes,
        );
        // the required bound
        assert!(bytes.len() <= 1500, "127 shoes: {} bytes", bytes.len());
        writer.description(&ORIGIN, &tracked, &mut bytes);
        writer.description(&ORIGIN, &wheeled, &mut bytes);
        writer.environment(&ORIGIN, &environment, &mut bytes);
        let mut reader = MessageReader::new(&bytes);
        let mut next =
            || reader.next(&mut codecs(), &mut Patches::default()).unwrap().map(|(_, body)| body);
        let Some(MessageBody::AgentHeartbeat(read, 0)) = next() else { panic!("a beat is due") };
        assert_eq!((&read.gear, read.station, read.ended), (&sent.gear, None, true));
        assert_eq!(next(), Some(MessageBody::Description(tracked)));
        assert_eq!(next(), Some(MessageBody::Description(wheeled)));
        assert_eq!(next(), Some(MessageBody::Environment(environment)));
        assert_eq!(next(), None);
    }

    #[test]
    fn a_wheeled_vehicle_takes_at_most_250_bytes() {
        let bytes = written(&Patches::default()).len();
        println!("state of a vehicle of four wheels: {bytes} bytes");
        assert!(bytes <= 250, "{bytes} bytes");
    }

    #[test]
    fn a_sent_motion_is_bit_exact_and_an_unsent_one_extrapolated() {
        let mut sent = state();
        let twist = Twist { linear: Vec3::new(0.1, -0.2, 0.3), angular: Vec3::new(1e-9, 2.0, 0.7) };
        let read = |sent: &VehicleMessage| {
            let (mut bytes, mut codec_state) = (Vec::new(), CodecState::default());
            let patches = Patches::default();
            MessageWriter::default().agent_heartbeat(
                &ORIGIN,
                sent,
                &patches,
                &mut codec_state,
                &mut bytes,
            );
            let next = MessageReader::new(&bytes).next(&mut codecs(), &mut Patches::default());
            match next {
                Ok(Some((_, MessageBody::AgentHeartbeat(read, _)))) => read,
                other => panic!("{other:?}"),
            }
        };
        (sent.velocity, sent.angular_velocity) = (twist.linear, twist.angular);
        assert_eq!(read(&sent).chassis_motion(), as_received(&sent.chassis, &twist));
        let external_acceleration =
            Acceleration { linear: Vec3::new(0.1, -9.7, 3.3), angular: Vec3::new(1.0, 0.3, -7.7) };
        sent.motion = Some(MotionMessage {
            orientation: sent.chassis.orientation,
            twist,
            external_acceleration,
        });
        assert_eq!(read(&sent).motion, sent.motion);
        assert_eq!(read(&sent).chassis_motion(), (sent.chassis, twist));
    }

    #[test]
    fn messages_follow_each_other() {
        let agreed = vec![("time.step".to_owned(), "0.002".to_owned()), ("a".into(), "".into())];
        let mut writer = MessageWriter::default();
        let mut bytes = Vec::new();
        writer.handshake(&ORIGIN, &agreed, &mut bytes);
        writer.agent_heartbeat(
            &ORIGIN,
            &state(),
            &Patches::default(),
            &mut CodecState::default(),
            &mut bytes,
        );
        writer.quit(&ORIGIN, "interrupted", &mut bytes);
        let mut reader = MessageReader::new(&bytes);
        let mut next =
            || reader.next(&mut codecs(), &mut Patches::default()).unwrap().map(|(_, body)| body);
        assert_eq!(next(), Some(MessageBody::Handshake(agreed)));
        assert!(matches!(next(), Some(MessageBody::AgentHeartbeat(..))));
        assert_eq!(next(), Some(MessageBody::Quit("interrupted".into())));
        assert_eq!(next(), None);
    }

    /// Alters a message as an attacker would, with a matching checksum.
    fn forged(mut bytes: Vec<u8>, at: usize, with: u8) -> Vec<u8> {
        let at = FRAME_HEADER + at % (bytes.len() - FRAME_HEADER);
        bytes[at] ^= with;
        let checksum = crc32fast::hash(&bytes[FRAME_HEADER..]);
        bytes[4..FRAME_HEADER].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    proptest! {
        #[test]
        fn ground_comes_back(patches in any_patches()) {
            let bytes = written(&patches);
            let mut read = Patches::default();
            let mut reader = MessageReader::new(&bytes);
            reader.next(&mut codecs(), &mut read).unwrap();
            // the reader sets the sender as the owner
            let mut expected = Patches::default();
            expected.set_agent(ORIGIN.agent as u16);
            patches.iter().for_each(|p| expected.extend(Patch { agent: ORIGIN.agent as u16, ..p }));
            prop_assert_eq!(read, expected);
            prop_assert_eq!(reader.next(&mut codecs(), &mut Patches::default()).unwrap(), None);
        }

        #[test]
        fn any_altered_byte_is_noticed(patches in any_patches(), at in any::<usize>(), with in 1_u8..) {
            let mut bytes = written(&patches);
            let at = at % bytes.len();
            bytes[at] ^= with;
            prop_assert!(MessageReader::new(&bytes).next(&mut codecs(), &mut Patches::default()).is_err());
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
            let _ = MessageReader::new(&bytes).next(&mut codecs(), &mut Patches::default());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in any::<Vec<u8>>()) {
            let _ = MessageReader::new(&bytes).next(&mut codecs(), &mut Patches::default());
        }
    }

    #[test]
    fn another_version_is_refused() {
        let mut bytes = written(&Patches::default());
        // the version is the last field of the origin, found by the preceding rank
        let place = (FRAME_HEADER..bytes.len() - 4)
            .find(|&at| bytes[at..at + 4] == [3, 0, VERSION as u8, 0])
            .unwrap();
        bytes[place + 2] = 9;
        let checksum = crc32fast::hash(&bytes[FRAME_HEADER..]);
        bytes[4..FRAME_HEADER].copy_from_slice(&checksum.to_le_bytes());
        let fault =
            MessageReader::new(&bytes).next(&mut codecs(), &mut Patches::default()).unwrap_err();
        assert_eq!(fault.to_string(), format!("protocol version is 9; must be {VERSION}"));
    }

    #[test]
    fn generated_code_belongs_to_the_schema() {
        use sha2::{Digest, Sha256};
        let schema = include_bytes!("../../../../schemas/heartbeat.fbs");
        let hash = base16ct::lower::encode_string(&Sha256::digest(schema));
        let first = include_str!("../generated.rs").lines().next().unwrap();
        assert!(first.ends_with(&hash), "run scripts/gen_schemas.sh: {first}, schema {hash}");
    }
}
