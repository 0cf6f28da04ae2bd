//! A million altered messages: none causes a panic or is accepted as another message.

use bekker::ground::{NodeState, Patches};
use bekker::random::RandomStream;
use bekker::spatial::{Pose, Quat, Twist, Vec3};
use bekker::sync::ground_code::CodecState;
use bekker::sync::message::{
    MessageOrigin, MessageReader, MessageWriter, MotionMessage, PartState, RunningGearMessage,
    VehicleMessage, checksum,
};

/// Total number of altered messages.
const MESSAGES: u32 = 1_000_000;
/// Length and checksum ahead of each message, bytes.
const FRAME: usize = 8;

struct Dice {
    stream: RandomStream,
    rolled: u64,
}

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice { stream: RandomStream::new(seed, "altered messages"), rolled: 0 }
    }

    fn roll(&mut self) -> u64 {
        self.rolled += 1;
        self.stream.bits(self.rolled)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.roll() % bound as u64) as usize
    }
}

fn vehicle() -> VehicleMessage {
    let orientation = Quat::from_axis_angle(&Vec3::z_axis(), 0.4);
    let wheel = |x: f64, y: f64| PartState {
        pose: Pose { position: Vec3::new(x, y, -0.3), ..Pose::default() },
        spin: 12.5,
    };
    VehicleMessage {
        chassis: Pose { position: Vec3::new(12.0, -3.0, 0.8), orientation },
        velocity: Vec3::new(5.0, 1.0, 0.0),
        angular_velocity: Vec3::new(0.0, 0.1, 0.2),
        speed: 5.1,
        station: Some(31.5),
        ended: false,
        gear: RunningGearMessage::Wheels(vec![
            wheel(1.7, 0.9),
            wheel(1.7, -0.9),
            wheel(-1.7, 0.9),
            wheel(-1.7, -0.9),
        ]),
        motion: Some(MotionMessage {
            orientation,
            twist: Twist::default(),
            external_acceleration: Default::default(),
        }),
        trailer: None,
    }
}

fn ruts(dice: &mut Dice) -> Patches {
    let mut patches = Patches::default();
    for a in 0..1 + dice.below(5) as i32 {
        patches.begin(bekker::grid::TileKey { a, b: -a });
        let mut index = 0;
        for _ in 0..1 + dice.below(12) {
            index += 1 + dice.below(18);
            patches.push(
                index,
                NodeState {
                    plastic_sinkage: dice.below(20_000) as u32,
                    yield_pressure: dice.below(3_000) as u16,
                    shear: [dice.below(900) as i16, -(dice.below(90) as i16)],
                    ..NodeState::default()
                },
            );
        }
    }
    patches
}

/// Alters one to eight bytes of a message or truncates it.
///
/// With the old checksum every altered message is refused. With a new checksum, which no accident
/// produces, nothing panics and decoded data has a finite size.
#[test]
fn a_million_altered_messages_do_no_harm() {
    let mut dice = Dice::new(1);
    let origin = MessageOrigin { run: 7, tick: 300, rank: 1, agent: 1 };
    let (mut taken, mut patches) = (0, Patches::default());
    let mut original = Vec::new();
    for count in 0..MESSAGES {
        if count % 1_000 == 0 {
            original.clear();
            let ruts = ruts(&mut dice);
            MessageWriter::default().agent_heartbeat(
                &origin,
                &vehicle(),
                &ruts,
                &mut CodecState::default(),
                &mut original,
            );
        }
        let mut message = original.clone();
        if dice.below(8) == 0 {
            message.truncate(FRAME + dice.below(message.len() - FRAME));
            let length = (message.len() - FRAME) as u32;
            message[..4].copy_from_slice(&length.to_le_bytes());
        }
        for _ in 0..1 + dice.below(8) {
            let at = FRAME + dice.below((message.len() - FRAME).max(1));
            if let Some(byte) = message.get_mut(at) {
                *byte ^= 1 + dice.below(255) as u8;
            }
        }
        let forged = count % 2 == 1;
        if forged {
            let sum = checksum(&message[FRAME..]);
            message[4..FRAME].copy_from_slice(&sum.to_le_bytes());
        }
        patches.clear();
        let mut codec_states = [CodecState::default(), CodecState::default()];
        let read = MessageReader::new(&message).next(&mut codec_states, &mut patches);
        assert!(forged || read.is_err() || message == original, "an accident is taken");
        assert!(patches.states().len() <= 8 * message.len(), "ground out of nothing");
        taken += u32::from(read.is_ok());
    }
    println!("{MESSAGES} altered messages, {taken} with a forged checksum taken as well-formed");
    assert!(taken > 0, "some alterations of numbers are well-formed");
}
