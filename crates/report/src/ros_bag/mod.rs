//! Drives in ROS 2 bags: MCAP files with messages in CDR.
//!
//! Types are those of the packages sensor_msgs, nav_msgs, geometry_msgs and tier4_vehicle_msgs.
//! Header stamps are the times.

mod cdr;
mod drive;
mod error;
mod static_transforms;
mod topic_choice;
mod topic_series;

pub use cdr::CdrError;
pub use drive::RosDrive;
pub use error::RosBagError;
pub use topic_choice::{DriveInput, TopicChoices};
pub use topic_series::RosMessageType;

use self::static_transforms::StaticTransforms;
use self::topic_series::TopicSeries;
use super::mcap_read::{self, McapReadError};
use bekker_scenario::input;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

/// The topics of a bag from which drives are read.
#[derive(Clone, Debug)]
pub struct RosBag {
    topics: Vec<TopicSeries>,
    transforms: StaticTransforms,
}

impl RosBag {
    /// Whether an MCAP file has the profile of ROS.
    ///
    /// # Errors
    /// A file that is no MCAP file.
    pub fn is_profile(path: &Path) -> Result<bool, McapReadError> {
        input::check_regular(path)?;
        let profile = mcap_read::profile(&mut BufReader::new(File::open(path)?))?;
        Ok(profile.starts_with("ros"))
    }

    /// Reads a bag: an MCAP file, or a folder with the files of one bag.
    ///
    /// # Errors
    /// Files that are no complete MCAP files, and messages in another encoding than CDR.
    pub fn read(path: &Path) -> Result<RosBag, RosBagError> {
        let mut bag = RosBag { topics: Vec::new(), transforms: StaticTransforms::default() };
        for file in files(path)? {
            let refused = |source: McapReadError| RosBagError::Mcap {
                file: file.display().to_string(),
                source,
            };
            input::check_regular(&file).map_err(|error| refused(error.into()))?;
            let opened = File::open(&file).map_err(|error| refused(error.into()))?;
            bag.add(&mut BufReader::new(opened), &refused)?;
        }
        bag.topics.iter_mut().for_each(TopicSeries::sort);
        Ok(bag)
    }

    fn add(
        &mut self,
        file: &mut impl io::Read,
        refused: &dyn Fn(McapReadError) -> RosBagError,
    ) -> Result<(), RosBagError> {
        let mut foreign = None;
        mcap_read::read_complete(file, &mut |_, _| {}, &mut |message| {
            let name = message.schema.as_str();
            // ROS 1 has no `msg` in the names of its types
            let is_ros1 = message.encoding == "ros1";
            let name = if is_ros1 { name.replacen('/', "/msg/", 1) } else { name.into() };
            let is_transform = name == static_transforms::MESSAGE_TYPE
                && StaticTransforms::is_topic(&message.topic);
            let message_type = RosMessageType::from_name(&name);
            if !is_transform && message_type.is_none() {
                return;
            }
            if message.encoding != "cdr" {
                foreign.get_or_insert((message.topic, message.encoding));
                return;
            }
            let Some(message_type) = message_type else {
                self.transforms.add(&message.data);
                return;
            };
            let known = self.topics.iter().position(|own| own.topic == message.topic);
            let index = known.unwrap_or_else(|| {
                self.topics.push(TopicSeries::new(message.topic, message_type));
                self.topics.len() - 1
            });
            self.topics[index].add(&message.data);
        })
        .map_err(refused)?;
        match foreign {
            Some((topic, found)) => Err(RosBagError::Encoding { topic, found }),
            None => Ok(()),
        }
    }

    /// Whether the bag has no topic that is read.
    pub fn is_empty(&self) -> bool {
        self.topics.is_empty()
    }

    /// Returns the drive of the bag, by name in messages.
    ///
    /// # Errors
    /// Topics that are missing, ambiguous, damaged or not of one time.
    pub fn drive(&self, name: &str, choices: &TopicChoices) -> Result<RosDrive, RosBagError> {
        drive::read_drive(name, &self.topics, &self.transforms, choices)
    }
}

/// Returns the MCAP files of a bag in a fixed order; messages are ordered by their stamps.
fn files(path: &Path) -> Result<Vec<PathBuf>, RosBagError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let refused = |error: io::Error| RosBagError::Mcap {
        file: path.display().to_string(),
        source: error.into(),
    };
    let entries = fs::read_dir(path).map_err(refused)?;
    let paths = entries.map(|own| own.map(|own| own.path())).collect::<Result<Vec<_>, _>>();
    let is_mcap =
        |own: &PathBuf| own.extension().is_some_and(|own| own.eq_ignore_ascii_case("mcap"));
    let mut files: Vec<PathBuf> = paths.map_err(refused)?.into_iter().filter(is_mcap).collect();
    files.sort_unstable();
    if files.is_empty() { Err(RosBagError::NoFile) } else { Ok(files) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::random::RandomStream;
    use bekker_math::spatial::Quat;
    use bekker_rig::drives::{DriveLog, LogChannel, read_drive_log};

    /// A bag in Zstandard by the Python package mcap-ros2-support, with the numbers of drive.csv:
    /// `tests/data/ros_bag/write_bag.py`.
    const BAG: &[u8] = include_bytes!("../../../../tests/data/ros_bag/drive.mcap");
    const TABLE: &str = include_str!("../../../../tests/data/ros_bag/drive.csv");

    fn read(mut bytes: &[u8]) -> Result<RosBag, RosBagError> {
        let mut bag = RosBag { topics: Vec::new(), transforms: StaticTransforms::default() };
        let refused = |source| RosBagError::Mcap { file: "bag.mcap".into(), source };
        bag.add(&mut bytes, &refused)?;
        bag.topics.iter_mut().for_each(TopicSeries::sort);
        Ok(bag)
    }

    fn chosen(topics: &[(DriveInput, Option<&str>)]) -> TopicChoices {
        let owned =
            |(input, topic): &(DriveInput, Option<&str>)| (*input, topic.map(str::to_owned));
        TopicChoices { topics: topics.iter().map(owned).collect(), ..TopicChoices::default() }
    }

    fn refused(bag: &RosBag, choices: &TopicChoices) -> String {
        bag.drive("bag", choices).unwrap_err().to_string()
    }

    /// The same topic under another name.
    fn copy(bag: &mut RosBag, topic: &str, name: &str) {
        let own = bag.topics.iter().find(|own| own.topic == topic).unwrap().clone();
        bag.topics.push(TopicSeries { topic: name.into(), ..own });
    }

    fn topic<'a>(bag: &'a mut RosBag, name: &str) -> &'a mut TopicSeries {
        bag.topics.iter_mut().find(|own| own.topic == name).unwrap()
    }

    fn table() -> DriveLog {
        read_drive_log("table", TABLE, None).unwrap()
    }

    #[test]
    fn a_bag_has_the_drive_of_its_table() {
        let drive = read(BAG).unwrap().drive("bag", &TopicChoices::default()).unwrap();
        let (log, expected) = (drive.log, table());
        assert_eq!((&log.times, &log.controls), (&expected.times, &expected.controls));
        assert_eq!(log.channels.len(), 10);
        for ((channel, found), (_, expected)) in log.channels.iter().zip(&expected.channels) {
            // pitch passes through a quaternion, whose square roots cost some of its last bits
            let tolerance = if *channel == LogChannel::Pitch { 1e-15 } else { 0.0 };
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() <= tolerance, "{channel:?}: {found} {expected}");
            }
        }
        let notes = drive.notes.join("\n");
        for part in [
            "bag: wheels from /joint_states (sensor_msgs/msg/JointState), 0, 1, 2, 3 the joints \
             front_left_wheel_joint, ",
            "speed from /odometry/filtered (nav_msgs/msg/Odometry)",
            // the IMU has no orientation
            "pitch from /odometry/filtered",
        ] {
            assert!(notes.contains(part), "{notes}");
        }
    }

    /// An IMU that is mounted upside down and turned to the side.
    #[test]
    fn a_mounted_imu_has_the_pitch_of_the_vehicle() {
        let mut bag = read(BAG).unwrap();
        let drive = bag.drive("bag", &TopicChoices::default()).unwrap();
        let expected = drive.log.channel(LogChannel::Pitch).unwrap().to_vec();
        let mounted = Quat::from_euler_angles(3.0, 0.2, 1.2);
        let orientations: Vec<Vec<f64>> = topic(&mut bag, "/odometry/filtered")
            .rows
            .iter()
            .map(|row| {
                let q = (Quat::from_euler_angles(0.0, row[1], 0.7) * mounted).coords;
                vec![q.x, q.y, q.z, q.w]
            })
            .collect();
        let imu = topic(&mut bag, "/imu");
        (imu.rows, imu.frame) = (orientations, "imu_link".into());
        let stamps = topic(&mut bag, "/odometry/filtered").stamps.clone();
        topic(&mut bag, "/imu").stamps = stamps;
        let assumed = bag.drive("bag", &TopicChoices::default()).unwrap();
        assert!(assumed.notes.iter().any(|own| own.contains("x is assumed to be forward")));
        bag.transforms.add(&static_transforms::tests::message("base_link", "imu_link", mounted));
        let turned = bag.drive("bag", &TopicChoices::default()).unwrap();
        let notes = turned.notes.join("\n");
        assert!(notes.contains("from imu_link to base_link by /tf_static"), "{notes}");
        for (found, expected) in turned.log.channel(LogChannel::Pitch).unwrap().iter().zip(expected)
        {
            // two more products of quaternions
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        bag.transforms.add(&[0, 1, 0, 0, 1]);
        assert!(refused(&bag, &TopicChoices::default()).starts_with("/tf_static: message 2"));
    }

    #[test]
    fn speeds_follow_from_fixes_and_from_odometry_without_a_twist() {
        let mut bag = read(BAG).unwrap();
        let expected = table();
        let speeds = expected.channel(LogChannel::Speed).unwrap();
        let of_fixes = bag.drive("bag", &chosen(&[(DriveInput::Speed, Some("/fix"))])).unwrap();
        topic(&mut bag, "/odometry/filtered").rows.iter_mut().for_each(|row| row[0] = 0.0);
        let of_positions = bag.drive("bag", &TopicChoices::default()).unwrap();
        assert!(of_positions.notes.iter().any(|own| own.contains("its twist is 0")));
        let found = of_fixes.log.channel(LogChannel::Speed).unwrap();
        let others = of_positions.log.channel(LogChannel::Speed).unwrap();
        for index in 1..speeds.len() - 1 {
            // positions are those of trapezoids, in meters to about 1e-9 of a double in degrees
            let mean = 0.25 * (speeds[index - 1] + 2.0 * speeds[index] + speeds[index + 1]);
            let (fix, position) = (found[index], others[index]);
            assert!((fix - mean.abs()).abs() < 1e-5, "{fix} for {mean}");
            assert!((position - mean.abs()).abs() < 1e-9, "{position} for {mean}");
        }
    }

    #[test]
    fn topics_that_types_do_not_determine_are_listed() {
        let mut bag = read(BAG).unwrap();
        let none = TopicChoices::default();
        copy(&mut bag, "/odometry/filtered", "/odom");
        assert_eq!(
            refused(&bag, &none),
            "has several topics for speed: /odometry/filtered (nav_msgs/msg/Odometry), /odom \
             (nav_msgs/msg/Odometry); choose by --topic speed=TOPIC"
        );
        let speed = (DriveInput::Speed, Some("/odom"));
        let several = refused(&bag, &chosen(&[speed]));
        assert!(several.starts_with("has several topics for pitch: "), "{several}");
        let drive = bag.drive("bag", &chosen(&[speed, (DriveInput::Pitch, None)])).unwrap();
        assert_eq!(drive.log.channel(LogChannel::Pitch), None);
        let other = refused(&bag, &chosen(&[(DriveInput::Speed, Some("/imu"))]));
        assert!(other.contains("--topic speed=/imu: is a sensor_msgs/msg/Imu; must be"), "{other}");
        let other = refused(&bag, &chosen(&[(DriveInput::Speed, Some("/speed"))]));
        assert!(other.contains("has no such topic"), "{other}");
        let joints = TopicChoices { joints: vec![(0, "wheel".into())], ..none.clone() };
        let joints = refused(&bag, &joints);
        assert!(
            joints.contains("has no joint wheel; ") && joints.contains("arm_joint"),
            "{joints}"
        );
        bag.topics.retain(|own| own.message_type != RosMessageType::JointState);
        let missing = refused(&bag, &none);
        assert!(missing.starts_with("has no topic for wheels; must have one of sensor_msgs/"));
        assert!(missing.contains("/fix (sensor_msgs/msg/NavSatFix)"), "{missing}");
    }

    #[test]
    fn topics_of_other_rates_are_read_at_the_times_of_the_slowest() {
        let mut bag = read(BAG).unwrap();
        let none = TopicChoices::default();
        // odometry every 50 ms, 10 ms late; wheels every 25 ms with a spin of twice the time
        let odometry = topic(&mut bag, "/odometry/filtered");
        odometry.stamps.iter_mut().for_each(|own| *own += 10_000_000);
        let wheels = topic(&mut bag, "/joint_states");
        let (first, row) = (wheels.stamps[0], wheels.rows[0].clone());
        wheels.stamps = (0..=60).map(|own| first + 25_000_000 * own).collect();
        let spin = |stamp: &i64| 2e-9 * (stamp - first) as f64;
        wheels.rows = wheels.stamps.iter().map(|own| vec![spin(own); row.len()]).collect();
        let log = bag.drive("bag", &none).unwrap().log;
        assert_eq!(log.times.len(), 30);
        for (time, spin) in log.times.iter().zip(log.channel(LogChannel::Spin(0)).unwrap()) {
            // the first row is at 10 ms
            assert!((spin - 2.0 * (time + 0.01)).abs() < 1e-12, "{spin} at {time}");
        }
        // four times as long, without the wheels from 1 to 3.5 s
        for own in &mut bag.topics {
            own.stamps.iter_mut().for_each(|stamp| *stamp = first + 4 * (*stamp - first));
        }
        let wheels = topic(&mut bag, "/joint_states");
        wheels.stamps.drain(11..35);
        wheels.rows.drain(11..35);
        let gap = "/joint_states: no message for 2.5 s after message 11; must be at most 2 s";
        let found = refused(&bag, &none);
        assert!(found.starts_with(gap), "{found}");
    }

    #[test]
    fn times_of_other_clocks_damage_and_other_encodings_are_refused() {
        let none = TopicChoices::default();
        let mut bag = read(BAG).unwrap();
        let day = 86_400_000_000_000;
        topic(&mut bag, "/joint_states").stamps.iter_mut().for_each(|own| *own += day);
        let apart = refused(&bag, &none);
        assert!(apart.contains("/joint_states from 1700086400.000 to"), "{apart}");
        let mut bag = read(BAG).unwrap();
        topic(&mut bag, "/joint_states").add(&[0, 1, 0, 0, 1, 2]);
        let damaged = refused(&bag, &none);
        assert!(
            damaged.starts_with("/joint_states: message 32 (sensor_msgs/msg/JointState) ends"),
            "{damaged}"
        );
        // a topic that is not used may be damaged
        let mut bag = read(BAG).unwrap();
        topic(&mut bag, "/fix").add(&[]);
        assert!(bag.drive("bag", &none).is_ok());
        let mut zero = read(BAG).unwrap();
        let wheels = topic(&mut zero, "/joint_states");
        wheels.stamps.iter_mut().for_each(|own| *own = 0);
        wheels.sort();
        assert!(refused(&zero, &none).contains("all header stamps are 0"));
        let mut foreign = BAG.to_vec();
        assert!(matches!(read(&foreign[..2000]), Err(RosBagError::Mcap { .. })));
        // a byte of a compressed chunk
        let at = foreign.windows(4).position(|own| own == b"zstd").unwrap() + 400;
        foreign[at] ^= 1;
        let damaged = read(&foreign).unwrap_err().to_string();
        assert!(damaged.starts_with("bag.mcap: a record after"), "{damaged}");
    }

    /// Altered bytes give a drive or an error, and never a panic.
    #[test]
    fn altered_bags_do_no_harm() {
        let random = RandomStream::new(7, "altered bag");
        for change in 0..1000 {
            let mut bytes = BAG.to_vec();
            let at = (random.uniform(2 * change) * bytes.len() as f64) as usize;
            bytes[at] = (256.0 * random.uniform(2 * change + 1)) as u8;
            let _ = read(&bytes).map(|bag| bag.drive("bag", &TopicChoices::default()));
        }
        // messages, whose bytes the checksum of a chunk protects
        let mut message = vec![0, 1, 0, 0];
        message.extend((0..200).map(|own| (256.0 * random.uniform(5000 + own)) as u8));
        for length in 0..message.len() {
            for message_type in RosMessageType::ALL {
                TopicSeries::new("/topic".into(), message_type).add(&message[..length]);
            }
        }
    }
}
