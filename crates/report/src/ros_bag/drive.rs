//! The drive of a bag: its topics at common times.

use super::error::RosBagError;
use super::static_transforms::{MESSAGE_TYPE, StaticTransforms};
use super::topic_choice::{ChosenTopics, DriveInput, TopicChoices, lacks_speed};
use super::topic_series::{RosMessageType, TopicSeries, pitch};
use bekker_math::geodesy::{Geodetic, Site};
use bekker_math::spatial::Quat;
use bekker_rig::drives::{DriveLog, LogTable};

/// Longest gap between messages over which values are interpolated, s: that of a log.
const LONGEST_GAP: f64 = 2.0;

/// A drive from a bag.
#[derive(Clone, Debug)]
pub struct RosDrive {
    /// The log.
    pub log: DriveLog,
    /// Topics that were used and messages that were left out, one line each.
    pub notes: Vec<String>,
}

/// Values of a column at the stamps of its topic.
struct StampedColumn<'a> {
    name: String,
    topic: &'a TopicSeries,
    values: Vec<f64>,
}

/// Reads the drive from the topics of a bag.
pub(super) fn read_drive(
    name: &str,
    topics: &[TopicSeries],
    transforms: &StaticTransforms,
    choices: &TopicChoices,
) -> Result<RosDrive, RosBagError> {
    let chosen = ChosenTopics::choose(topics, choices)?;
    let mut notes = Vec::new();
    let mut columns = wheel_columns(&chosen, &mut notes)?;
    columns.push(speed_column(chosen.speed, choices.grade, &mut notes)?);
    if let Some(topic) = chosen.pitch {
        columns.push(pitch_column(topic, transforms, &mut notes)?);
    }
    for own in [Some(chosen.wheels), Some(chosen.speed), chosen.pitch].into_iter().flatten() {
        notes.extend(left_out(own));
    }
    // the slowest topic, so that no value is repeated
    let (start, end) = common_times(&columns, chosen.controls)?;
    let inside = |topic: &TopicSeries| {
        topic.stamps.iter().filter(|own| (start..=end).contains(*own)).count()
    };
    let base = columns.iter().map(|own| own.topic).min_by_key(|own| inside(own));
    let base = base.unwrap_or(chosen.speed);
    let rows: Vec<usize> =
        (0..base.stamps.len()).filter(|own| (start..=end).contains(&base.stamps[*own])).collect();
    let stamps: Vec<i64> = rows.iter().map(|own| base.stamps[*own]).collect();
    let seconds = |stamp: &i64| (stamp - start) as f64 / 1e9;
    let mut table = LogTable {
        rows: rows.iter().map(|own| own + 1).collect(),
        columns: vec![("time_s".into(), stamps.iter().map(seconds).collect())],
    };
    for column in &columns {
        table.columns.push((column.name.clone(), interpolated(column, &stamps)?));
    }
    if let Some(topic) = chosen.controls {
        for (index, name) in ["throttle", "brake", "steering"].into_iter().enumerate() {
            table.columns.push((name.into(), held(topic, &topic.column(index), &stamps)));
        }
        notes.push(used(DriveInput::Controls, topic, ", each held up to the next"));
    }
    let log = DriveLog::from_table(name, table)
        .map_err(|source| RosBagError::Log { topic: base.topic.clone(), source })?;
    let notes = notes.into_iter().map(|own| format!("{name}: {own}")).collect();
    Ok(RosDrive { log, notes })
}

fn used(input: DriveInput, topic: &TopicSeries, addition: &str) -> String {
    let (name, topic, kind) = (input.name(), &topic.topic, topic.message_type.name());
    format!("{name} from {topic} ({kind}){addition}")
}

/// Messages of a topic that are not used.
fn left_out(topic: &TopicSeries) -> Vec<String> {
    let line = |count: usize, reason: &str| {
        (count > 0).then(|| format!("{}: {count} messages {reason} are left out", topic.topic))
    };
    let lines = [
        line(topic.without_fix, "without a fix"),
        line(topic.repeated, "with the stamp of another message"),
    ];
    lines.into_iter().flatten().collect()
}

fn wheel_columns<'a>(
    chosen: &ChosenTopics<'a>,
    notes: &mut Vec<String>,
) -> Result<Vec<StampedColumn<'a>>, RosBagError> {
    let topic = chosen.wheels;
    let mut columns = Vec::new();
    let joints: Vec<&str> =
        chosen.joints.iter().map(|(_, own)| topic.joints[*own].as_str()).collect();
    let wheels = chosen.joints.iter().map(|(own, _)| own.to_string()).collect::<Vec<_>>();
    let joints = format!(", {} the joints {}", wheels.join(", "), joints.join(", "));
    notes.push(used(DriveInput::Wheels, topic, &joints));
    for (offset, end, field) in [(0, "spin_radps", "velocity"), (1, "torque_nm", "effort")] {
        // drivers that do not measure it send zeros, NaN or no values
        if !chosen.joints.iter().any(|(_, joint)| topic.is_measured(2 * joint + offset)) {
            notes.push(format!("{}: has no {field} other than 0, which is left out", topic.topic));
            continue;
        }
        for (wheel, joint) in &chosen.joints {
            let name = format!("wheel{wheel}_{end}");
            columns.push(StampedColumn { name, topic, values: topic.column(2 * joint + offset) });
        }
    }
    match columns.is_empty() {
        true => Err(RosBagError::Unusable {
            topic: topic.topic.clone(),
            found: "has neither velocity nor effort of the wheels other than 0".into(),
        }),
        false => Ok(columns),
    }
}

fn speed_column<'a>(
    topic: &'a TopicSeries,
    grade: f64,
    notes: &mut Vec<String>,
) -> Result<StampedColumn<'a>, RosBagError> {
    let column = |values| StampedColumn { name: "speed_mps".into(), topic, values };
    let addition = ", as distance over time between neighbors, forward";
    match topic.message_type {
        RosMessageType::NavSatFix => {
            notes.push(used(DriveInput::Speed, topic, addition));
            let factor = (1.0 + grade * grade).sqrt();
            let speeds = speeds_between(&topic.stamps, &horizontal_positions(topic)?);
            Ok(column(speeds.into_iter().map(|own| factor * own).collect()))
        }
        RosMessageType::Odometry if lacks_speed(topic) => {
            notes.push(used(DriveInput::Speed, topic, &format!("{addition}: its twist is 0")));
            let positions: Vec<[f64; 3]> =
                topic.rows.iter().map(|own| [own[2], own[3], own[4]]).collect();
            Ok(column(speeds_between(&topic.stamps, &positions)))
        }
        _ => {
            notes.push(used(DriveInput::Speed, topic, ""));
            Ok(column(topic.column(0)))
        }
    }
}

/// Pitch of the vehicle, for an IMU by the static transform of its frame.
fn pitch_column<'a>(
    topic: &'a TopicSeries,
    transforms: &StaticTransforms,
    notes: &mut Vec<String>,
) -> Result<StampedColumn<'a>, RosBagError> {
    let column = |values| StampedColumn { name: "pitch_rad".into(), topic, values };
    if topic.message_type == RosMessageType::Odometry {
        notes.push(used(DriveInput::Pitch, topic, ""));
        return Ok(column(topic.column(1)));
    }
    let frame = &topic.frame;
    let (mounted, addition) = if StaticTransforms::is_vehicle_frame(frame) {
        (Quat::identity(), String::new())
    } else if let Some((message, source)) = transforms.damage.clone() {
        let (topic, message_type) = ("/tf_static".into(), MESSAGE_TYPE);
        return Err(RosBagError::Message { topic, message, message_type, source });
    } else if let Some((vehicle, mounted)) = transforms.in_vehicle(frame) {
        let angle = mounted.angle().to_degrees();
        (mounted, format!(", turned by {angle:.1} deg from {frame} to {vehicle} by /tf_static"))
    } else {
        let assumed = "x is assumed to be forward and z up, as /tf_static has no transform of it";
        (Quat::identity(), format!(", in the frame {frame:?}, whose {assumed}"))
    };
    notes.push(used(DriveInput::Pitch, topic, &addition));
    let of_vehicle = |row: &Vec<f64>| pitch([row[0], row[1], row[2], row[3]], &mounted);
    Ok(column(topic.rows.iter().map(of_vehicle).collect()))
}

/// Returns east and north of fixes from the first one, m.
fn horizontal_positions(topic: &TopicSeries) -> Result<Vec<[f64; 3]>, RosBagError> {
    let position = |own: &Vec<f64>| Geodetic::degrees(own[0], own[1], own[2]);
    let site = Site::new(position(&topic.rows[0]));
    let positions = topic.rows.iter().enumerate().map(|(number, row)| {
        let point = site.point(&position(row)).filter(|own| own.iter().all(|own| own.is_finite()));
        point.map(|own| [own.x, own.y, 0.0]).ok_or_else(|| RosBagError::Unusable {
            topic: topic.topic.clone(),
            found: format!("fix {} is no position near the first one", number + 1),
        })
    });
    positions.collect()
}

/// Returns speeds from the positions before and after each one, m/s.
fn speeds_between(stamps: &[i64], positions: &[[f64; 3]]) -> Vec<f64> {
    let last = positions.len().saturating_sub(1);
    let speed = |index: usize| {
        let (from, to) = (index.saturating_sub(1), (index + 1).min(last));
        let seconds = (stamps[to] - stamps[from]) as f64 / 1e9;
        let squares = (0..3).map(|k| (positions[to][k] - positions[from][k]).powi(2));
        if seconds > 0.0 { squares.sum::<f64>().sqrt() / seconds } else { 0.0 }
    };
    (0..positions.len()).map(speed).collect()
}

/// Returns the first and last time at which all columns have values, ns.
///
/// A command is held, so controls need only begin in time.
fn common_times(
    columns: &[StampedColumn<'_>],
    controls: Option<&TopicSeries>,
) -> Result<(i64, i64), RosBagError> {
    let ends = |own: &TopicSeries| {
        (
            own.stamps.first().copied().unwrap_or_default(),
            own.stamps.last().copied().unwrap_or_default(),
        )
    };
    let mut used: Vec<&TopicSeries> = columns.iter().map(|own| own.topic).collect();
    used.dedup_by_key(|own| &own.topic);
    let end = used.iter().map(|own| ends(own).1).min().unwrap_or_default();
    used.extend(controls);
    let start = used.iter().map(|own| ends(own).0).max().unwrap_or_default();
    if start < end {
        return Ok((start, end));
    }
    let topics = used.iter().map(|own| {
        let (from, to) = ends(own);
        format!("{} from {:.3} to {:.3} s", own.topic, from as f64 / 1e9, to as f64 / 1e9)
    });
    Err(RosBagError::NoOverlap { topics: topics.collect::<Vec<_>>().join(", ") })
}

/// Returns a column at given stamps, linear between messages.
fn interpolated(column: &StampedColumn<'_>, stamps: &[i64]) -> Result<Vec<f64>, RosBagError> {
    let own = &column.topic.stamps;
    let value = |stamp: &i64| {
        let after = own.partition_point(|own| own < stamp);
        if own.get(after) == Some(stamp) || after == 0 || after == own.len() {
            return Ok(column.values[after.min(own.len() - 1)]);
        }
        let seconds = (own[after] - own[after - 1]) as f64 / 1e9;
        if seconds > LONGEST_GAP {
            let topic = column.topic.topic.clone();
            return Err(RosBagError::Gap { topic, message: after, seconds });
        }
        let part = (stamp - own[after - 1]) as f64 / 1e9 / seconds;
        let (from, to) = (column.values[after - 1], column.values[after]);
        Ok(from + part * (to - from))
    };
    stamps.iter().map(value).collect()
}

/// Returns the latest of values at given stamps.
fn held(topic: &TopicSeries, values: &[f64], stamps: &[i64]) -> Vec<f64> {
    let latest = |stamp: &i64| topic.stamps.partition_point(|own| own <= stamp).saturating_sub(1);
    stamps.iter().map(|stamp| values[latest(stamp)]).collect()
}
