//! A driver that follows a table of commands over time, optionally with a speed to hold.

use super::path_follower::RESPONSE_TIME;
use super::{
    AccelerationGoal, DriverState, DriverView, Intent, LongitudinalState, SpeedControl, SpeedGoal,
};
use crate::{Controls, Locks, Selector};
use bekker_math::curve::Curve;
use bekker_math::spatial::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Commands over time. They are linear between the points, constant beyond them, and zero where no
/// curve is given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriverTable {
    /// Throttle (0 to 1) over time (s).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<[f64; 2]>>")]
    pub throttle: Option<Curve>,
    /// Steering (-1 right to 1 left) over time (s).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<[f64; 2]>>")]
    pub steering: Option<Curve>,
    /// Brake (0 to 1) over time (s).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<[f64; 2]>>")]
    pub brake: Option<Curve>,
    /// Inflation pressure of all tires (Pa) that central tire inflation approaches, from a time
    /// (s) on. Entries are in order of time. Before the first, the inflation is unchanged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inflation: Vec<(f64, f64)>,
    /// Position of the gear lever from a time (s) on. Entries are in order of time, and the first
    /// also applies before its time. Without entries, the lever is in `drive`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gear: Vec<(f64, Selector)>,
    /// Differentials locked from a time (s) on. Entries are in order of time. Before the first,
    /// none is locked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locks: Vec<(f64, Locks)>,
    /// Time (s) at which the vehicle uncouples its trailer. Where absent, it never does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncouple: Option<f64>,
    /// Speed to hold (m/s) over time (s). With it, the speed control sets throttle and brake, and
    /// their curves are ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<[f64; 2]>>")]
    pub speed: Option<Curve>,
    /// Maximum acceleration while gaining speed, m/s². With it and a speed, throttle and brake
    /// follow from the acceleration that the speed requires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceleration: Option<f64>,
}

impl DriverTable {
    /// State at the start: a driver that holds a speed starts with the brake applied.
    pub fn start(&self) -> DriverState {
        let mut state = DriverState::default();
        if self.speed.is_some() {
            state.speed = SpeedControl::default().start();
        }
        state
    }

    /// Returns the commands for the step that begins at the view.
    ///
    /// They are those of the table, with the pedals of the speed control while a speed is to be
    /// held.
    pub fn drive(&self, state: &mut DriverState, view: &DriverView) -> Controls {
        let commands = self.controls(view.time);
        let Some(goal) = self.goal(view.time) else { return commands };
        let sense = if commands.gear == Selector::Reverse { -1.0 } else { 1.0 };
        let motion = LongitudinalState {
            speed: sense * view.speed,
            thrust: sense * view.thrust,
            slope: sense * view.pose.direction(&Vec3::x()).z,
            rim: sense * view.rim,
            slip: view.slip,
            gravity: view.gravity,
        };
        let control = SpeedControl::default();
        let aim = self.acceleration_goal(motion.speed, view);
        let Controls { throttle, brake, .. } =
            control.controls_with_goal(&mut state.speed, goal, aim.as_ref(), &motion, view.step);
        Controls { throttle, brake, ..commands }
    }

    /// Returns the maximum acceleration, m/s², and whether the vehicle reverses at `time`, s, if the
    /// driver targets accelerations.
    pub fn acceleration_limit(&self, time: f64) -> Option<(f64, bool)> {
        let most = self.speed.as_ref().and(self.acceleration)?;
        Some((most, self.gear(time) == Selector::Reverse))
    }

    /// Returns the acceleration that keeps a speed on the table's curve.
    ///
    /// The slope of the curve is added, without which the vehicle would lag behind a changing speed.
    fn acceleration_goal<'a>(
        &self,
        speed: f64,
        view: &DriverView<'a>,
    ) -> Option<AccelerationGoal<'a>> {
        let (curve, pedals) = self.speed.as_ref().zip(view.pedals)?;
        let most = self.acceleration?;
        let (target, slope) = curve.value_and_slope(view.time);
        let acceleration = (slope + (target - speed) / RESPONSE_TIME).min(most);
        Some(AccelerationGoal { acceleration, pedals })
    }

    /// Returns the speed to hold at `time`, s, if the table has one.
    ///
    /// It includes the slower of the points of its curve next to that time that are above 0.
    pub fn goal(&self, time: f64) -> Option<SpeedGoal> {
        let curve = self.speed.as_ref()?;
        let points = curve.points();
        let next = points.partition_point(|point| point[0] <= time);
        let beside = &points[next.saturating_sub(1)..(next + 1).min(points.len())];
        let above = beside.iter().map(|point| point[1]).filter(|speed| *speed > 0.0);
        Some(SpeedGoal { speed: curve.value(time), slowest: above.fold(f64::INFINITY, f64::min) })
    }

    /// Intent at `time`, s, with these commands.
    ///
    /// The driver intends to move where it has a speed to hold, however little throttle that takes.
    /// Otherwise it intends to move where it gives throttle.
    pub fn intent(&self, time: f64, commands: &Controls) -> Intent {
        match self.goal(time) {
            Some(_) if commands.gear == Selector::Neutral => Intent::Hold,
            Some(goal) if goal.speed < goal.standstill() => Intent::Hold,
            Some(_) => Intent::Drive,
            None => Intent::from_controls(commands),
        }
    }

    /// Returns the commands of the table at `time`, s.
    pub fn controls(&self, time: f64) -> Controls {
        let at = |curve: &Option<Curve>| curve.as_ref().map_or(0.0, |curve| curve.value(time));
        Controls {
            throttle: at(&self.throttle),
            steering: at(&self.steering),
            brake: at(&self.brake),
            gear: self.gear(time),
            inflation: self.inflation(time),
            locks: self.locks(time),
            uncouple: self.uncouple.is_some_and(|from| from <= time),
        }
    }

    fn inflation(&self, time: f64) -> Option<f64> {
        let begun = self.inflation.partition_point(|&(from, _)| from <= time);
        let now = begun.checked_sub(1).map(|last| self.inflation[last]);
        now.map(|(_, pressure)| pressure)
    }

    fn locks(&self, time: f64) -> Locks {
        let begun = self.locks.partition_point(|&(from, _)| from <= time);
        begun.checked_sub(1).map_or(Locks::OPEN, |last| self.locks[last].1)
    }

    fn gear(&self, time: f64) -> Selector {
        let begun = self.gear.partition_point(|&(from, _)| from <= time);
        self.gear.get(begun.saturating_sub(1)).map_or(Selector::Drive, |&(_, gear)| gear)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A driver that slows down from 5 m/s to 2 m/s releases the throttle, but is not meant to
    /// stand before 0.
    #[test]
    fn a_table_with_a_speed_means_to_move_until_it_is_to_stand() {
        let speed = Curve::new(vec![[0.0, 5.0], [8.0, 5.0], [12.0, 2.0], [15.0, 0.0]]).unwrap();
        let gear = vec![(0.0, Selector::Drive), (20.0, Selector::Neutral)];
        let table = DriverTable { speed: Some(speed), gear, ..DriverTable::default() };
        let lifted = |time| table.intent(time, &table.controls(time));
        for (time, meant) in [(0.0, Intent::Drive), (10.0, Intent::Drive), (15.0, Intent::Hold)] {
            assert_eq!(lifted(time), meant, "{time}");
        }
        let rolls =
            DriverTable { speed: Some(Curve::new(vec![[0.0, 5.0], [9.0, 5.0]]).unwrap()), ..table };
        assert_eq!(rolls.intent(19.0, &rolls.controls(19.0)), Intent::Drive);
        assert_eq!(rolls.intent(21.0, &rolls.controls(21.0)), Intent::Hold);
    }

    #[test]
    fn interpolates_and_holds() {
        let table = DriverTable {
            throttle: Some(Curve::new(vec![[1.0, 0.0], [1.2, 0.7]]).unwrap()),
            steering: Some(Curve::new(vec![[0.0, -1.0], [4.0, 1.0]]).unwrap()),
            brake: None,
            inflation: vec![(1.0, 150e3)],
            gear: vec![(1.0, Selector::Neutral), (2.0, Selector::Reverse)],
            locks: vec![(2.0, Locks { center: true, ..Locks::OPEN })],
            uncouple: Some(3.0),
            speed: None,
            acceleration: None,
        };
        let (neutral, reverse) = (Selector::Neutral, Selector::Reverse);
        let early = Controls { steering: -0.75, gear: neutral, ..Controls::default() };
        assert_eq!(table.controls(0.5), early);
        assert_eq!(table.controls(1.99).gear, neutral);
        assert_eq!(table.controls(2.0).gear, reverse);
        let middle = table.controls(1.1);
        assert!((middle.throttle - 0.35).abs() < 1e-12 && (middle.steering + 0.45).abs() < 1e-12);
        let late = Controls {
            throttle: 0.7,
            steering: 1.0,
            brake: 0.0,
            gear: reverse,
            inflation: Some(150e3),
            locks: Locks { center: true, ..Locks::OPEN },
            uncouple: true,
        };
        assert_eq!(table.controls(50.0), late);
        assert!(!table.controls(2.9).uncouple);
        assert_eq!(DriverTable::default().controls(3.0).gear, Selector::Drive);
    }
}
