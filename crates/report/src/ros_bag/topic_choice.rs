//! Topics and joints from which the channels of a drive are read.

use super::error::RosBagError;
use super::topic_series::{RosMessageType, TopicSeries};
use std::fmt::Write as _;

/// Smallest change of position of a vehicle that drives, m.
const SHORTEST_DRIVE: f64 = 0.5;

/// An input of a drive that is read from one topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DriveInput {
    /// Speeds and torques of wheels.
    Wheels,
    /// Forward speed.
    Speed,
    /// Pitch.
    Pitch,
    /// Throttle, brake and steering.
    Controls,
}

impl DriveInput {
    /// All inputs.
    pub const ALL: [DriveInput; 4] =
        [DriveInput::Wheels, DriveInput::Speed, DriveInput::Pitch, DriveInput::Controls];

    /// Returns the name of the input.
    pub fn name(self) -> &'static str {
        match self {
            DriveInput::Wheels => "wheels",
            DriveInput::Speed => "speed",
            DriveInput::Pitch => "pitch",
            DriveInput::Controls => "controls",
        }
    }

    /// Whether a drive may be without the input.
    pub fn is_optional(self) -> bool {
        matches!(self, DriveInput::Pitch | DriveInput::Controls)
    }

    /// Types that have the input, in groups: a group is used if those before it have no topic.
    fn types(self) -> &'static [&'static [RosMessageType]] {
        match self {
            DriveInput::Wheels => &[&[RosMessageType::JointState]],
            DriveInput::Speed => &[
                &[RosMessageType::Odometry],
                &[RosMessageType::TwistStamped, RosMessageType::NavSatFix],
            ],
            DriveInput::Pitch => &[&[RosMessageType::Imu], &[RosMessageType::Odometry]],
            DriveInput::Controls => &[&[RosMessageType::ActuationCommandStamped]],
        }
    }
}

/// Choices of the caller where types do not determine the topics.
#[derive(Clone, Debug, Default)]
pub struct TopicChoices {
    /// Topic of an input; `None` leaves the input out.
    pub topics: Vec<(DriveInput, Option<String>)>,
    /// Numbers of wheels with their joints; empty for those known by name.
    pub joints: Vec<(usize, String)>,
    /// Grade of the ground, for speeds along it from horizontal positions.
    pub grade: f64,
}

/// Topics of a drive.
pub(super) struct ChosenTopics<'a> {
    pub wheels: &'a TopicSeries,
    /// Numbers of wheels with the index of their joint.
    pub joints: Vec<(usize, usize)>,
    pub speed: &'a TopicSeries,
    pub pitch: Option<&'a TopicSeries>,
    pub controls: Option<&'a TopicSeries>,
}

impl<'a> ChosenTopics<'a> {
    pub fn choose(
        topics: &'a [TopicSeries],
        choices: &TopicChoices,
    ) -> Result<ChosenTopics<'a>, RosBagError> {
        let required = |input: DriveInput| {
            choose_topic(topics, input, choices)?.ok_or_else(|| RosBagError::NoTopic {
                input: input.name(),
                allowed: names(&input.types().concat()),
                found: list(topics.iter()),
            })
        };
        let wheels = required(DriveInput::Wheels)?;
        Ok(ChosenTopics {
            wheels,
            joints: wheel_joints(wheels, &choices.joints)?,
            speed: required(DriveInput::Speed)?,
            pitch: choose_topic(topics, DriveInput::Pitch, choices)?,
            controls: choose_topic(topics, DriveInput::Controls, choices)?,
        })
    }
}

/// Returns the chosen topic of an input, or the only one of its types; `None` for none.
fn choose_topic<'a>(
    topics: &'a [TopicSeries],
    input: DriveInput,
    choices: &TopicChoices,
) -> Result<Option<&'a TopicSeries>, RosBagError> {
    let types = input.types().concat();
    let of_types = |types: &[RosMessageType]| -> Vec<&'a TopicSeries> {
        topics.iter().filter(|own| types.contains(&own.message_type)).collect()
    };
    if let Some((_, chosen)) = choices.topics.iter().find(|(own, _)| *own == input) {
        let Some(name) = chosen else { return Ok(None) };
        let refused = |found: String| RosBagError::Topic {
            input: input.name(),
            topic: name.clone(),
            found,
            candidates: list(of_types(&types).into_iter()),
        };
        let topic = topics.iter().find(|own| own.topic == *name);
        let topic = topic.ok_or_else(|| refused("has no such topic that is read".into()))?;
        if !types.contains(&topic.message_type) {
            return Err(refused(format!("is a {}", topic.message_type.name())));
        }
        return checked(topic).map(Some);
    }
    for group in input.types() {
        let mut candidates = of_types(group);
        candidates.retain(|own| has_input(own, input, choices));
        match candidates[..] {
            [] => {}
            [only] => return checked(only).map(Some),
            _ => {
                let candidates = list(candidates.into_iter());
                return Err(RosBagError::Ambiguous { input: input.name(), candidates });
            }
        }
    }
    // the only topic of its kind, for its own error
    let all = of_types(&types);
    match all[..] {
        [only] if !input.is_optional() => checked(only).map(Some),
        _ => Ok(None),
    }
}

/// Refuses topics with damaged messages, with none, and without stamps.
fn checked(topic: &TopicSeries) -> Result<&TopicSeries, RosBagError> {
    if let Some((message, source)) = &topic.damage {
        return Err(RosBagError::Message {
            topic: topic.topic.clone(),
            message: *message,
            message_type: topic.message_type.name(),
            source: source.clone(),
        });
    }
    let unusable = |found: &str| {
        Err(RosBagError::Unusable { topic: topic.topic.clone(), found: found.to_owned() })
    };
    match topic.stamps[..] {
        [] => unusable("no message has a fix"),
        [0] if topic.repeated > 0 => {
            unusable("all header stamps are 0; must be the times of measurement")
        }
        _ => Ok(topic),
    }
}

/// Whether a topic has an input, by its first messages.
fn has_input(topic: &TopicSeries, input: DriveInput, choices: &TopicChoices) -> bool {
    // a damaged topic is a candidate, for its own error
    topic.damage.is_some()
        || match (input, topic.message_type) {
            (DriveInput::Wheels, _) => wheel_joints(topic, &choices.joints).is_ok(),
            (DriveInput::Pitch, RosMessageType::Odometry) => topic.is_measured(1),
            // the identity is no measurement, nor is a yaw alone
            (DriveInput::Pitch, _) => (0..2).any(|own| topic.is_measured(own)),
            _ => true,
        }
}

/// Whether odometry has no speed although its position changes.
pub(super) fn lacks_speed(odometry: &TopicSeries) -> bool {
    let is_far = |row: &Vec<f64>| {
        let first = &odometry.rows[0];
        (2..5).map(|k| (row[k] - first[k]).powi(2)).sum::<f64>() > SHORTEST_DRIVE.powi(2)
    };
    !odometry.is_measured(0) && odometry.rows.iter().any(is_far)
}

fn names(types: &[RosMessageType]) -> String {
    types.iter().map(|own| own.name()).collect::<Vec<_>>().join(", ")
}

/// Topics with their types, for messages.
fn list<'a>(topics: impl Iterator<Item = &'a TopicSeries>) -> String {
    let mut text = String::new();
    for topic in topics {
        let before = if text.is_empty() { "" } else { ", " };
        let _ = write!(text, "{before}{} ({})", topic.topic, topic.message_type.name());
    }
    if text.is_empty() { "none".into() } else { text }
}

/// Returns numbers of wheels with the index of their joint: those chosen, else those known by name.
fn wheel_joints(
    topic: &TopicSeries,
    chosen: &[(usize, String)],
) -> Result<Vec<(usize, usize)>, RosBagError> {
    let refused = |found: String| RosBagError::Joints {
        topic: topic.topic.clone(),
        found,
        joints: topic.joints.clone(),
    };
    if !chosen.is_empty() {
        let joint = |(wheel, name): &(usize, String)| {
            let index = topic.joints.iter().position(|own| own == name);
            index.map(|own| (*wheel, own)).ok_or_else(|| refused(format!("has no joint {name}")))
        };
        return chosen.iter().map(joint).collect();
    }
    let places: Vec<(usize, WheelPlace)> = topic
        .joints
        .iter()
        .enumerate()
        .filter_map(|(index, name)| WheelPlace::from_joint(name).map(|own| (index, own)))
        .collect();
    let has = |wanted: Axle| {
        places.iter().any(|(_, own)| matches!(own, WheelPlace::Side(axle, _) if *axle == wanted))
    };
    let (has_front, has_middle) = (has(Axle::Front), has(Axle::Middle));
    let mut wheels = Vec::new();
    for (index, place) in places {
        let wheel = match place {
            WheelPlace::Number(number) => number,
            WheelPlace::Side(Axle::Front, side) => side,
            WheelPlace::Side(Axle::Middle, side) => 2 + side,
            WheelPlace::Side(Axle::Rear, side) => {
                if !has_front {
                    return Err(refused("wheels at the rear, but none at the front".into()));
                }
                side + if has_middle { 4 } else { 2 }
            }
        };
        if let Some((_, other)) = wheels.iter().find(|(own, _)| *own == wheel) {
            let [a, b] = [*other, index].map(|own| &topic.joints[own]);
            return Err(refused(format!("{a} and {b} are both wheel {wheel} by name")));
        }
        wheels.push((wheel, index));
    }
    wheels.sort_unstable();
    match wheels.is_empty() {
        true => Err(refused("no joint is known as a wheel by its name".into())),
        false => Ok(wheels),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axle {
    Front,
    Middle,
    Rear,
}

/// Position of a wheel by the name of its joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WheelPlace {
    /// `wheel_N`, as bekker names them.
    Number(usize),
    /// Axle and side, 0 for left and 1 for right.
    Side(Axle, usize),
}

impl WheelPlace {
    /// Returns the position of a joint such as `front_left_wheel_joint` or `wheel_fl`.
    fn from_joint(name: &str) -> Option<WheelPlace> {
        let name = name.rsplit('/').next().unwrap_or(name).to_lowercase();
        if let Some(number) = name.strip_prefix("wheel_").and_then(|own| own.parse().ok()) {
            return Some(WheelPlace::Number(number));
        }
        let is_other = ["steer", "caster", "susp", "brake"].iter().any(|own| name.contains(own));
        if !name.contains("wheel") || is_other {
            return None;
        }
        let short = name.split(|c: char| !c.is_ascii_alphanumeric()).find_map(|own| match own {
            "fl" | "lf" => Some((Axle::Front, 0)),
            "fr" | "rf" => Some((Axle::Front, 1)),
            "ml" | "lm" => Some((Axle::Middle, 0)),
            "mr" | "rm" => Some((Axle::Middle, 1)),
            "rl" | "lr" | "bl" | "lb" => Some((Axle::Rear, 0)),
            "rr" | "br" | "rb" => Some((Axle::Rear, 1)),
            _ => None,
        });
        if let Some((axle, side)) = short {
            return Some(WheelPlace::Side(axle, side));
        }
        let side = match (name.contains("left"), name.contains("right")) {
            (true, false) => 0,
            (false, true) => 1,
            _ => return None,
        };
        let axles = [
            (Axle::Front, &["front"][..]),
            (Axle::Middle, &["mid", "center"]),
            (Axle::Rear, &["rear", "back"]),
        ];
        let has = |words: &[&str]| words.iter().any(|own| name.contains(own));
        let mut found = axles.iter().filter(|(_, words)| has(words));
        match (found.next(), found.next()) {
            (Some((axle, _)), None) => Some(WheelPlace::Side(*axle, side)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wheels(joints: &[&str]) -> Result<Vec<usize>, String> {
        let mut topic = TopicSeries::new("/joint_states".into(), RosMessageType::JointState);
        topic.joints = joints.iter().map(|own| (*own).to_owned()).collect();
        let found = wheel_joints(&topic, &[]).map_err(|error| error.to_string())?;
        Ok(found.into_iter().map(|(wheel, _)| wheel).collect())
    }

    #[test]
    fn wheels_are_known_by_the_names_of_their_joints() {
        let husky =
            ["front_left_wheel", "front_right_wheel", "rear_left_wheel", "rear_right_wheel"];
        assert_eq!(wheels(&husky), Ok(vec![0, 1, 2, 3]));
        let six = ["wheel_FL", "wheel_ML", "wheel_RL", "wheel_FR", "wheel_MR", "wheel_RR", "arm"];
        assert_eq!(wheels(&six), Ok(vec![0, 1, 2, 3, 4, 5]));
        assert_eq!(wheels(&["lead/wheel_1", "lead/wheel_0"]), Ok(vec![0, 1]));
        for (joints, said) in [
            (&["left_wheel", "right_wheel"][..], "no joint is known as a wheel"),
            (&["rear_left_wheel"], "none at the front"),
            (&["front_left_wheel_a", "front_left_wheel_b"], "are both wheel 0"),
            (&["front_left_steering_wheel"], "no joint is known as a wheel"),
        ] {
            let refused = wheels(joints).unwrap_err();
            assert!(refused.contains(said) && refused.contains("--joint N=NAME"), "{refused}");
        }
    }
}
