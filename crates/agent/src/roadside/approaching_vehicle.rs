//! Reaction of a driver to messages of traffic lights and pedestrians.

use super::light::{Approach, SignalColor, Timing};
use super::pedestrian::RoadUser;
use bekker_math::numeric::cos;
use bekker_vehicle::driver::{Path, PathPosition};
use serde::{Deserialize, Serialize};

/// Distance along its path within which a driver considers stop lines and pedestrians, m.
const CONSIDERED_DISTANCE: f64 = 150.0;
/// Distance by which a vehicle's front may be past a stop line and the line still applies, m.
const PASSED_LINE_MARGIN: f64 = 1.0;
/// Angle between a vehicle's path and an approach within which the approach applies, rad.
const MAX_APPROACH_ANGLE: f64 = std::f64::consts::FRAC_PI_4;
/// Time over which a driver predicts pedestrians, s.
const PREDICTION_TIME: f64 = 4.0;
/// Time after which a pedestrian without a new message is dropped, s.
const MESSAGE_LIFETIME: f64 = 5.0;

/// Received state of a traffic light.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReceivedLight {
    pub approaches: Vec<Approach>,
    /// Timings and their time of sending, µs.
    pub timings: Option<(u64, Vec<Timing>)>,
}

/// Vehicle that approaches traffic lights or pedestrians.
pub(crate) struct ApproachingVehicle<'a> {
    pub path: &'a Path,
    /// Position of its driver on the path.
    pub place: &'a PathPosition,
    /// Station of its front, m.
    pub front: f64,
    /// Speed, m/s.
    pub speed: f64,
    /// Braking deceleration, m/s².
    pub deceleration: f64,
    /// Half the vehicle's width plus the clearance to pedestrians, m.
    pub half_width: f64,
}

impl ApproachingVehicle<'_> {
    /// Returns the distance from its front to the nearest stop line ahead at which it must stop, m,
    /// if there is one.
    pub fn stop_line_distance<'a>(
        &self,
        lights: impl Iterator<Item = &'a ReceivedLight>,
        now_us: u64,
    ) -> Option<f64> {
        let stops = lights.flat_map(|light| {
            let approaches = light.approaches.iter().enumerate();
            approaches.filter_map(|(index, approach)| {
                let distance = self.distance(approach)?;
                let timing = light.timings.as_ref().and_then(|(_, all)| all.get(index));
                self.is_to_stop(timing, distance, now_us).then_some(distance)
            })
        });
        stops.reduce(f64::min)
    }

    /// Returns the distance from its front to the nearest pedestrian on its path, now or within
    /// [`PREDICTION_TIME`], m, if there is one.
    pub fn pedestrian_distance<'a>(
        &self,
        users: impl Iterator<Item = &'a (u64, RoadUser)>,
        now_us: u64,
    ) -> Option<f64> {
        let met = users.filter_map(|(sent_us, user)| {
            let since = 1e-6 * now_us.saturating_sub(*sent_us) as f64;
            if since > MESSAGE_LIFETIME {
                return None;
            }
            let seen = |ahead: f64| {
                let [x, y] = user.position_after(since + ahead);
                let place = self.path.nearest_ahead(self.place, CONSIDERED_DISTANCE, [x, y]);
                [place.station, place.offset]
            };
            let [from, to] = [seen(0.0), seen(PREDICTION_TIME)];
            let station = crossing(from, to, self.half_width + user.radius)?;
            let distance = station - user.radius - self.front;
            (-PASSED_LINE_MARGIN..CONSIDERED_DISTANCE).contains(&distance).then_some(distance)
        });
        met.reduce(f64::min)
    }

    /// Returns the distance from its front to the stop line of an approach that applies to it, m.
    fn distance(&self, approach: &Approach) -> Option<f64> {
        let line = self.path.nearest_ahead(self.place, CONSIDERED_DISTANCE, approach.stop);
        let [dx, dy] = self.path.direction(line.segment);
        let along = dx * cos(approach.heading) + dy * bekker_math::numeric::sin(approach.heading);
        let distance = line.station - self.front;
        let is_meant = along > cos(MAX_APPROACH_ANGLE) && line.offset.abs() <= 0.5 * approach.width;
        (is_meant && (-PASSED_LINE_MARGIN..CONSIDERED_DISTANCE).contains(&distance))
            .then_some(distance)
    }

    /// Returns whether the vehicle must stop for a light.
    ///
    /// A light whose timing is unknown or has expired counts as red. A vehicle that is too near to
    /// stop drives on.
    fn is_to_stop(&self, timing: Option<&Timing>, distance: f64, now_us: u64) -> bool {
        let known = timing.filter(|timing| now_us < timing.max_end_us);
        let way = self.speed * self.speed / (2.0 * self.deceleration);
        match known.map(|timing| timing.light) {
            Some(SignalColor::Green) => false,
            // an emergency stop has twice the usual deceleration
            Some(SignalColor::Red) | None => distance <= 0.0 || 0.5 * way <= distance,
            Some(SignalColor::Amber) => distance <= 0.0 && self.speed < 0.5 || way <= distance,
        }
    }
}

/// Returns the station at which a straight motion comes nearest to a path, if within `within`, m.
///
/// `from` and `to` are given as station and offset, m.
fn crossing(from: [f64; 2], to: [f64; 2], within: f64) -> Option<f64> {
    let span = to[1] - from[1];
    let share = if span.abs() > 1e-9 { (-from[1] / span).clamp(0.0, 1.0) } else { 0.0 };
    let offset = from[1] + share * span;
    (offset.abs() <= within).then_some(from[0] + share * (to[0] - from[0]))
}

#[cfg(test)]
mod tests {
    use super::super::light::tests::{SECOND, ford};
    use super::*;

    #[test]
    fn a_driver_applies_its_stop_line_and_treats_unknown_as_red() {
        let path = Path::polyline(&[[-100.0, 0.0], [200.0, 0.0]]).unwrap();
        let light = ford(0);
        let heard = |now_us: u64| ReceivedLight {
            approaches: light.approaches.clone(),
            timings: Some((now_us, light.timings(now_us))),
        };
        let stop = |x: f64, speed: f64, heard: ReceivedLight, now_us: u64| {
            let place = path.locate([x, 0.0]);
            let arrival = arrival(&path, &place, speed);
            arrival.stop_line_distance([heard].iter(), now_us)
        };
        let (green, amber, red) = (5 * SECOND, 16 * SECOND, 20 * SECOND);
        assert_eq!(stop(-30.0, 6.0, heard(green), green), None);
        assert_eq!(stop(-30.0, 6.0, heard(red), red), Some(30.0));
        // stopping from 6 m/s takes 12 m, in an emergency 6 m
        assert_eq!(stop(-13.0, 6.0, heard(amber), amber), Some(13.0));
        assert_eq!(stop(-11.0, 6.0, heard(amber), amber), None);
        assert_eq!(stop(-7.0, 6.0, heard(red), red), Some(7.0));
        assert_eq!(stop(-5.0, 6.0, heard(red), red), None);
        // beyond its stop line, and at the line of the opposite approach
        assert_eq!(stop(20.0, 6.0, heard(red), red), None);
        // an expired green without a new message, and a light with known positions only
        assert_eq!(stop(-30.0, 6.0, heard(green), 15 * SECOND), Some(30.0));
        let silent = ReceivedLight { timings: None, ..heard(green) };
        assert_eq!(stop(-30.0, 6.0, silent, green), Some(30.0));
    }

    fn arrival<'a>(path: &'a Path, place: &'a PathPosition, speed: f64) -> ApproachingVehicle<'a> {
        let front = place.station;
        ApproachingVehicle { path, place, front, speed, deceleration: 1.5, half_width: 1.6 }
    }

    #[test]
    fn a_driver_stops_for_pedestrians_on_or_near_its_path() {
        let path = Path::polyline(&[[-100.0, 0.0], [200.0, 0.0]]).unwrap();
        let place = path.locate([-30.0, 0.0]);
        let arrival = arrival(&path, &place, 6.0);
        let stop = |place: [f64; 2], velocity: [f64; 2], now_us: u64| {
            let told = (SECOND, RoadUser { place, velocity, radius: 0.4 });
            // rounded to 1 nm
            arrival.pedestrian_distance([told].iter(), now_us).map(|way| (way * 1e9).round() / 1e9)
        };
        // on the path; reaching it within 4 s at 1.5 m/s; still too far away
        assert_eq!(stop([0.0, 1.0], [0.0, 0.0], SECOND), Some(29.6));
        assert_eq!(stop([0.0, -5.0], [0.0, 1.5], SECOND), Some(29.6));
        assert_eq!(stop([0.0, -9.0], [0.0, 1.5], SECOND), None);
        // has crossed since its last message; walks next to the path; is behind; has sent nothing
        // for too long
        assert_eq!(stop([0.0, -2.0], [0.0, 2.0], 4 * SECOND), None);
        assert_eq!(stop([0.0, 3.0], [1.5, 0.0], SECOND), None);
        assert_eq!(stop([-40.0, 0.0], [0.0, 0.0], SECOND), None);
        assert_eq!(stop([0.0, 0.0], [0.0, 0.0], 7 * SECOND), None);
    }
}
