//! Drivers that use radio messages: of a leader, of traffic lights and of pedestrians.

use super::RadioNet;
use crate::agent::{AgentModel, AgentState};
use crate::ground_vehicle::GroundVehicle;
use crate::roadside::ApproachingVehicle;
use bekker_vehicle::driver::{Following, LeaderView};

/// Lateral clearance to pedestrians on either side, m.
const PEDESTRIAN_CLEARANCE: f64 = 0.7;
/// Distance kept from pedestrians in addition to that from a stop line, m.
const PEDESTRIAN_DISTANCE: f64 = 2.0;

impl AgentModel {
    /// Returns the view of the leader with the acceleration demand of cooperative following, if the
    /// driver uses it.
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
