//! Member of a radio network: messages received and on their way.

use super::message::{Beacon, RadioMessage, ReceivedMessage};
use super::metrics::RadioMetrics;
use crate::roadside::{ReceivedLight, RoadUser};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// State of a member of a radio network: plain data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RadioStation {
    /// Messages on their way, ordered by arrival, sender and number.
    in_transit: Vec<ReceivedMessage>,
    /// Messages that arrived in the last heartbeat, in the same order.
    arrived: Vec<ReceivedMessage>,
    /// Newest beacon of each sender, and its time of sending, µs.
    beacons: BTreeMap<u32, (u64, Beacon)>,
    /// Received state of each traffic light.
    lights: BTreeMap<u32, ReceivedLight>,
    /// Newest message of each pedestrian, and its time of sending, µs.
    road_users: BTreeMap<u32, (u64, RoadUser)>,
    /// Payloads that a program has queued for the next exchange.
    pub outbox: Vec<Vec<u8>>,
    /// Speed in the last beacon sent, m/s.
    pub sent_speed: Option<f64>,
    /// Acceleration demand of the driver, m/s², if it follows cooperatively.
    pub(super) demand: f64,
    /// Acceleration for which the pedals were last set, m/s², if the driver controls acceleration.
    pub aimed: Option<f64>,
    /// Metrics of the member.
    pub metrics: RadioMetrics,
}

impl RadioStation {
    /// Records the acceleration for which the driver has set the pedals, m/s².
    pub(crate) fn set_aimed_acceleration(&mut self, acceleration: f64) {
        self.aimed = Some(acceleration);
    }

    /// Returns the messages that arrived in the last heartbeat, in order of arrival.
    pub fn received_messages(&self) -> &[ReceivedMessage] {
        &self.arrived
    }

    /// Returns the newest beacon of an agent, and its time of sending, µs.
    pub fn beacon(&self, from: usize) -> Option<(u64, &Beacon)> {
        self.beacons.get(&(from as u32)).map(|(sent_us, beacon)| (*sent_us, beacon))
    }

    /// Returns the newest beacon of each sender, with sender and time of sending, µs.
    pub fn beacons(&self) -> impl Iterator<Item = (usize, u64, &Beacon)> {
        self.beacons.iter().map(|(from, (sent_us, beacon))| (*from as usize, *sent_us, beacon))
    }

    /// Returns the received states of traffic lights.
    pub(super) fn lights(&self) -> impl Iterator<Item = &ReceivedLight> {
        self.lights.values()
    }

    /// Returns the newest message of each pedestrian, with its time of sending, µs.
    pub(super) fn road_users(&self) -> impl Iterator<Item = &(u64, RoadUser)> {
        self.road_users.values()
    }

    /// Adds a message that is on its way.
    pub fn receive(&mut self, heard: ReceivedMessage) {
        let key = |own: &ReceivedMessage| (own.due_us, own.from, own.number);
        let place = self.in_transit.partition_point(|other| key(other) <= key(&heard));
        self.in_transit.insert(place, heard);
    }

    /// Processes the messages that have arrived by a time, µs.
    pub fn process_arrivals(&mut self, now_us: u64) {
        let due = self.in_transit.partition_point(|own| own.due_us <= now_us);
        self.arrived.clear();
        self.arrived.extend(self.in_transit.drain(..due));
        for ReceivedMessage { from, sent_us, message, .. } in &self.arrived {
            // a message older than one already received is ignored
            match message {
                RadioMessage::Beacon(beacon) => {
                    self.metrics.received += 1;
                    if self.beacons.get(from).is_none_or(|(other, _)| other < sent_us) {
                        self.beacons.insert(*from, (*sent_us, *beacon));
                    }
                }
                RadioMessage::Signal(timings) => {
                    let light = self.lights.entry(*from).or_default();
                    if light.timings.as_ref().is_none_or(|(other, _)| other < sent_us) {
                        light.timings = Some((*sent_us, timings.clone()));
                    }
                }
                RadioMessage::Map(approaches) => {
                    self.lights.entry(*from).or_default().approaches.clone_from(approaches);
                }
                RadioMessage::RoadUser(user) => {
                    if self.road_users.get(from).is_none_or(|(other, _)| other < sent_us) {
                        self.road_users.insert(*from, (*sent_us, *user));
                    }
                }
                RadioMessage::Hazard(_) | RadioMessage::User(_) => {}
            }
        }
    }

    /// Checks that all senders are below `senders`, and otherwise returns the reason.
    pub fn check(&self, senders: usize) -> Result<(), String> {
        let heard = self.in_transit.iter().chain(&self.arrived).map(|own| own.from);
        let unknown = heard
            .chain(self.beacons.keys().chain(self.lights.keys()).copied())
            .chain(self.road_users.keys().copied())
            .find(|&from| from as usize >= senders);
        match unknown {
            Some(from) => Err(format!("a message from sender {from}; must be below {senders}")),
            None => Ok(()),
        }
    }
}
