//! Drivers that use radio messages: of a leader, of traffic lights and of pedestrians.

use super::RadioNet;
use crate::agent::{AgentModel, AgentState};
use crate::ground_vehicle::GroundVehicle;
use crate::roadside::ApproachingVehicle;
use bekker_vehicle::driver::{FollowerMotion, Following, LeaderView, SlipReport};

/// Lateral clearance to pedestrians on either side, m.
const PEDESTRIAN_CLEARANCE: f64 = 0.7;
/// Age up to which a beacon is a report of the ground, µs.
const REPORT_AGE_US: u64 = 1_000_000;
/// Distance along the path within which reports count, m.
const REPORT_RANGE: f64 = 200.0;
/// Distance from the path within which a vehicle is on it, m.
const ON_PATH: f64 = 5.0;
/// Distance kept from pedestrians in addition to that from a stop line, m.
const PEDESTRIAN_DISTANCE: f64 = 2.0;

impl AgentModel {
    /// Returns the view of the leader with the acceleration demand of cooperative following, if the
    /// driver uses it, and with the additional gap before soft ground.
    ///
    /// `now_us` is the time, µs, and `h` the step, s.
    pub(crate) fn cooperative_view(
        &self,
        index: usize,
        radios: &[RadioNet],
        state: &mut AgentState,
        leader: LeaderView,
        [speed, h]: [f64; 2],
        now_us: u64,
    ) -> LeaderView {
        let Some(station) = state.radio.as_mut() else { return leader };
        station.metrics.record_gap(leader.gap, speed - leader.speed);
        // the driver keeps the additional gap before soft ground as if the leader were closer
        let added = state.soil_adaptation.as_ref().map_or(0.0, |own| own.gap);
        let leader = LeaderView { gap: leader.gap - added, ..leader };
        let (Some(ahead), Some(own)) = (self.leader, self.driver.follower()) else {
            return leader;
        };
        let Following::Cooperative(rule) = own.config().following else { return leader };
        let net = radios.iter().find(|net| net.members.contains(&index));
        let oldest_us = net.map_or(0, |net| net.oldest_us(rule.lost_beacons));
        let fresh = |(sent_us, _): &(u64, _)| now_us.saturating_sub(*sent_us) <= oldest_us;
        let told = station.beacon(ahead.agent).filter(fresh);
        let told = told.map(|(_, told)| told.aimed.unwrap_or(told.acceleration));
        let metrics = &mut station.metrics;
        *(if told.is_some() { &mut metrics.current_time } else { &mut metrics.stale_time }) += h;
        station.demand = rule.demand(station.demand, speed, &leader, told, h);
        LeaderView { demand: Some(station.demand), ..leader }
    }

    /// Updates the adaptation of a follower to soft ground, over a heartbeat of `span` seconds.
    ///
    /// Vehicles ahead on its path report their slip in beacons. `speed` is that in the direction of
    /// travel, m/s.
    pub(crate) fn adapt_to_soil(&self, state: &mut AgentState, speed: f64, now_us: u64, span: f64) {
        let (Some(law), Some(own)) = (self.soil_adaptation(), self.driver.follower()) else {
            return;
        };
        let AgentState { driver, soil_adaptation, radio, .. } = state;
        let Some(adaptation) = soil_adaptation else { return };
        let place = driver.place;
        let [front, rear] = own.ends(&self.vehicle.footprint()).map(|end| place.station + end);
        let beacons = radio.iter().flat_map(|station| station.beacons());
        let fresh =
            beacons.filter(|(_, sent_us, _)| now_us.saturating_sub(*sent_us) <= REPORT_AGE_US);
        let reports = fresh.filter_map(|(_, _, beacon)| {
            let [x, y] = [beacon.pose.position.x, beacon.pose.position.y];
            let at = own.path().nearest_ahead(&place, REPORT_RANGE, [x, y]);
            let is_ahead = at.station > front && at.offset.abs() < ON_PATH;
            is_ahead.then_some(SlipReport {
                station: at.station,
                speed: beacon.speed,
                acceleration: beacon.acceleration,
                slip: beacon.slip,
            })
        });
        law.update(adaptation, reports, &FollowerMotion { ends: [front, rear], speed }, span);
    }

    /// Returns the distance at which a path driver must stop, m.
    ///
    /// It follows from received messages of traffic lights, barriers and pedestrians.
    pub(crate) fn stop_ahead(&self, state: &AgentState, speed: f64, now_us: u64) -> Option<f64> {
        let (station, own) = (state.radio.as_ref()?, self.driver.follower()?);
        let footprint = self.vehicle.footprint();
        let [front, _] = own.ends(&footprint);
        let place = &state.driver.place;
        let arrival = ApproachingVehicle {
            path: own.path(),
            place,
            front: place.station + front,
            speed,
            deceleration: own.config().deceleration,
            half_width: 0.5 * footprint.width + PEDESTRIAN_CLEARANCE,
        };
        let line = arrival.stop_line_distance(station.lights(), now_us);
        let on_foot = arrival.pedestrian_distance(station.road_users(), now_us);
        let before = on_foot.map(|distance| distance - PEDESTRIAN_DISTANCE);
        line.into_iter().chain(before).reduce(f64::min)
    }
}
