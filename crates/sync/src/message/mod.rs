//! Messages between ranks: what they hold, how they are written, and how bytes
//! that nobody vouches for are read.
//!
//! A message is a FlatBuffer (`schemas/heartbeat.fbs`) in a frame of its length
//! and checksum. Reading verifies the frame, the checksum, the identifier, the
//! structure and the coded ground, in this order; nothing is applied before
//! all of a heartbeat's messages have been read.

mod quanta;
mod reader;
mod writer;

pub use reader::Reader;
pub use writer::Writer;

use super::ground_code::GroundCodeError;
use bekker_ground::NOBODY;
use bekker_math::spatial::{Acceleration, Pose, Quat, Twist, Vec3};

/// Version of the protocol: ranks of different versions do not talk.
pub const VERSION: u16 = 5;
/// Length and checksum ahead of each message.
const FRAME: usize = 8;
/// Longest message that is read, bytes.
const MOST: usize = 1 << 30;
/// Bit of a beat's flags: it has a station.
const HAS_STATION: u8 = 1;
/// Bit of a beat's flags: its drive has ended.
const ENDED: u8 = 2;

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
    NoMessage,
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

impl Origin {
    /// Whose ground is that comes along.
    pub fn agent_code(&self) -> u16 {
        u16::try_from(self.agent).unwrap_or(NOBODY)
    }
}

/// A part of a vehicle in the frame of its chassis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartState {
    /// Where and how turned, against the chassis: to 0.13 mm within 8 m, a trailer's wheels
    /// within 8 m of the middle of its hulls, and to 3e-5 rad.
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

/// A track shoe that is a body, in the frame of the chassis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShoeState {
    /// Its place, m: to 0.13 mm within 8 m.
    pub place: [f64; 3],
    /// How far it is turned about the chassis's y axis, rad: to 5e-5 rad.
    pub angle: f64,
}

/// What a vehicle stands on.
#[derive(Clone, Debug, PartialEq)]
pub enum RunningGear {
    /// Wheels, axle by axle from the front, left before right.
    Wheels(Vec<PartState>),
    /// Tracks, left before right.
    Tracks {
        /// Shoes that are bodies, one behind the other, left before right.
        shoes: Vec<ShoeState>,
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
    /// How it is turned and moves, exact, of vehicles that are near others.
    pub motion: Option<Motion>,
    /// Its trailer, if it draws one, coupled or not.
    pub trailer: Option<TrailerState>,
}

/// A trailer as others see it, all exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrailerState {
    /// Middle of its hulls, m.
    pub place: Vec3,
    /// How it is turned, and its twist about that place.
    pub motion: Motion,
    /// How many of the vehicle's wheels, at the end, are its own: they are told against it.
    pub wheels: u8,
}

impl TrailerState {
    /// The frame at the middle of its hulls.
    pub fn pose(&self) -> Pose {
        Pose { position: self.place, orientation: self.motion.orientation }
    }
}

impl PartState {
    /// A part that is given in the frame `from`, in the frame `to`.
    pub(super) fn moved(&self, from: &Pose, to: &Pose) -> PartState {
        let position = to.local_point(&from.point(&self.pose.position));
        let orientation = to.orientation.inverse() * (from.orientation * self.pose.orientation);
        PartState { pose: Pose { position, orientation }, spin: self.spin }
    }
}

/// How a chassis is turned and moves, in full precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Orientation of its frame.
    pub orientation: Quat,
    /// Twist about its origin.
    pub twist: Twist,
    /// Acceleration of its centre of mass, over the last heartbeat, by all that acts on it but
    /// other vehicles.
    pub otherwise: Acceleration,
}

impl Motion {
    /// A motion that can be told: none that is not finite, or not turned.
    pub fn of(orientation: &Quat, twist: &Twist, otherwise: &Acceleration) -> Option<Motion> {
        let vectors = [twist.linear, twist.angular, otherwise.linear, otherwise.angular];
        let finite = vectors.iter().flatten().all(|x| x.is_finite());
        // also false of what is no number
        let turned = (orientation.norm() - 1.0).abs() < 1e-6;
        let own = Motion { orientation: *orientation, twist: *twist, otherwise: *otherwise };
        (finite && turned).then_some(own)
    }
}

impl VehicleState {
    /// The chassis as precisely as it is told.
    pub fn chassis_motion(&self) -> (Pose, Twist) {
        match &self.motion {
            Some(Motion { orientation, twist, .. }) => {
                (Pose { orientation: *orientation, ..self.chassis }, *twist)
            }
            None => {
                let twist = Twist { linear: self.velocity, angular: self.angular_velocity };
                (self.chassis, twist)
            }
        }
    }
}

/// A chassis as others are told of it where its exact motion is not told.
pub fn as_told(chassis: &Pose, twist: &Twist) -> (Pose, Twist) {
    let turn = quanta::vector_part(&chassis.orientation).map(|c| f64::from(c as f32));
    let told = |v: &Vec3, quantum: f64| quanta::small_vector(&quanta::small(v, quantum), quantum);
    let pose = Pose { orientation: quanta::quaternion(turn), ..*chassis };
    let linear = told(&twist.linear, quanta::VELOCITY_QUANTUM);
    let angular = told(&twist.angular, quanta::RATE_QUANTUM);
    (pose, Twist { linear, angular })
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

/// What a message holds. Ground goes to the patches given to the reader.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "the large one is what nearly all are")]
pub enum Body {
    /// What ranks must agree on.
    Handshake(Vec<(String, String)>),
    /// An agent's heartbeat, and how many bytes of it are ground.
    AgentHeartbeat(VehicleState, usize),
    /// What a remote vehicle is built from.
    Description(Description),
    /// What is the same for all.
    Environment(Environment),
    /// Ground that was not told before, in so many bytes.
    CatchUp(usize),
    /// The sender wants to end the run.
    Quit(String),
}

/// Checksum in a message's frame: CRC-32 as of zlib.
pub fn checksum(message: &[u8]) -> u32 {
    crc32fast::hash(message)
}

#[cfg(test)]
mod tests {
    use super::super::ground_code::Memory;
    use super::super::ground_code::tests::any_patches;
    use super::*;
    use bekker_ground::{Patch, Patches};
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
            motion: None,
            trailer: None,
        }
    }

    const ORIGIN: Origin = Origin { run: 7, tick: 1 << 40, rank: 3, agent: 1 };

    fn memories() -> Vec<Memory> {
        vec![Memory::default(); 2]
    }

    fn written(patches: &Patches) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut memory = Memory::default();
        Writer::default().agent_heartbeat(&ORIGIN, &state(), patches, &mut memory, &mut bytes);
        bytes
    }

    #[test]
    fn a_vehicle_comes_back_as_precise_as_promised() {
        let bytes = written(&Patches::default());
        let (origin, body) =
            Reader::new(&bytes).next(&mut memories(), &mut Patches::default()).unwrap().unwrap();
        let Body::AgentHeartbeat(read, 0) = body else { panic!("{body:?}") };
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
        writer.agent_heartbeat(
            &ORIGIN,
            &sent,
            &Patches::default(),
            &mut Memory::default(),
            &mut bytes,
        );
        // the bound that is asked for
        assert!(bytes.len() <= 1500, "127 shoes: {} bytes", bytes.len());
        writer.description(&ORIGIN, &tracked, &mut bytes);
        writer.description(&ORIGIN, &wheeled, &mut bytes);
        writer.environment(&ORIGIN, &environment, &mut bytes);
        let mut reader = Reader::new(&bytes);
        let mut next =
            || reader.next(&mut memories(), &mut Patches::default()).unwrap().map(|(_, body)| body);
        let Some(Body::AgentHeartbeat(read, 0)) = next() else { panic!("a beat is due") };
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
    fn a_motion_comes_back_to_the_bit_and_one_that_is_not_told_as_it_is_reckoned() {
        let mut sent = state();
        let twist = Twist { linear: Vec3::new(0.1, -0.2, 0.3), angular: Vec3::new(1e-9, 2.0, 0.7) };
        let read = |sent: &VehicleState| {
            let (mut bytes, mut memory) = (Vec::new(), Memory::default());
            let patches = Patches::default();
            Writer::default().agent_heartbeat(&ORIGIN, sent, &patches, &mut memory, &mut bytes);
            let next = Reader::new(&bytes).next(&mut memories(), &mut Patches::default());
            match next {
                Ok(Some((_, Body::AgentHeartbeat(read, _)))) => read,
                other => panic!("{other:?}"),
            }
        };
        (sent.velocity, sent.angular_velocity) = (twist.linear, twist.angular);
        assert_eq!(read(&sent).chassis_motion(), as_told(&sent.chassis, &twist));
        let otherwise =
            Acceleration { linear: Vec3::new(0.1, -9.7, 3.3), angular: Vec3::new(1.0, 0.3, -7.7) };
        sent.motion = Some(Motion { orientation: sent.chassis.orientation, twist, otherwise });
        assert_eq!(read(&sent).motion, sent.motion);
        assert_eq!(read(&sent).chassis_motion(), (sent.chassis, twist));
    }

    #[test]
    fn messages_follow_each_other() {
        let agreed = vec![("time.step".to_owned(), "0.002".to_owned()), ("a".into(), "".into())];
        let mut writer = Writer::default();
        let mut bytes = Vec::new();
        writer.handshake(&ORIGIN, &agreed, &mut bytes);
        writer.agent_heartbeat(
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
        assert!(matches!(next(), Some(Body::AgentHeartbeat(..))));
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
            // as the sender's
            let mut expected = Patches::default();
            expected.set_agent(ORIGIN.agent as u16);
            patches.iter().for_each(|p| expected.extend(Patch { agent: ORIGIN.agent as u16, ..p }));
            prop_assert_eq!(read, expected);
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
        let place = (FRAME..bytes.len() - 4)
            .find(|&at| bytes[at..at + 4] == [3, 0, VERSION as u8, 0])
            .unwrap();
        bytes[place + 2] = 9;
        let checksum = crc32fast::hash(&bytes[FRAME..]);
        bytes[4..FRAME].copy_from_slice(&checksum.to_le_bytes());
        let fault = Reader::new(&bytes).next(&mut memories(), &mut Patches::default()).unwrap_err();
        assert_eq!(fault.to_string(), format!("protocol version 9, this is {VERSION}"));
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
