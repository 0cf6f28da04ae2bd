//! A member of a radio: what it has heard, and what is on its way to it.

use super::figures::RadioFigures;
use super::message::{Beacon, Heard, Message};
use crate::roadside::{HeardLight, RoadUser};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// State of a member of a radio: plain data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Station {
    /// On their way to it, in the order of arrival, then of sender and number.
    underway: Vec<Heard>,
    /// What reached it in the last heartbeat, in that order.
    arrived: Vec<Heard>,
    /// The newest beacon of each sender, and when it was sent, µs.
    beacons: BTreeMap<u32, (u64, Beacon)>,
    /// What it has heard of each traffic light.
    lights: BTreeMap<u32, HeardLight>,
    /// What those on foot have told last, and when that was sent, µs.
    road_users: BTreeMap<u32, (u64, RoadUser)>,
    /// What a program wants it to say at the next exchange.
    pub outbox: Vec<Vec<u8>>,
    /// Speed that it told of last, m/s.
    pub told_speed: Option<f64>,
    /// Acceleration that its driver aims at, m/s², if that cooperates.
    pub(super) demand: f64,
    /// Acceleration that its pedals were set for last, m/s², if its driver aims at one.
    pub aimed: Option<f64>,
    /// How well it did.
    pub figures: RadioFigures,
}

impl Station {
    /// Takes note of the acceleration that its driver has set the pedals for, m/s².
    pub(crate) fn aims(&mut self, acceleration: f64) {
        self.aimed = Some(acceleration);
    }

    /// What reached it in the last heartbeat, in the order of arrival.
    pub fn arrived(&self) -> &[Heard] {
        &self.arrived
    }

    /// The newest beacon of an agent that it has heard, and when that was sent, µs.
    pub fn beacon(&self, from: usize) -> Option<(u64, &Beacon)> {
        self.beacons.get(&(from as u32)).map(|(sent_us, beacon)| (*sent_us, beacon))
    }

    /// The newest beacons of all that it has heard, and when they were sent, µs.
    pub fn beacons(&self) -> impl Iterator<Item = (usize, u64, &Beacon)> {
        self.beacons.iter().map(|(from, (sent_us, beacon))| (*from as usize, *sent_us, beacon))
    }

    /// What it has heard of traffic lights.
    pub(super) fn lights(&self) -> impl Iterator<Item = &HeardLight> {
        self.lights.values()
    }

    /// What it has heard of those on foot, and when that was sent, µs.
    pub(super) fn road_users(&self) -> impl Iterator<Item = &(u64, RoadUser)> {
        self.road_users.values()
    }

    /// Takes a message that is on its way to it.
    pub fn receive(&mut self, heard: Heard) {
        let key = |own: &Heard| (own.due_us, own.from, own.number);
        let place = self.underway.partition_point(|other| key(other) <= key(&heard));
        self.underway.insert(place, heard);
    }

    /// Hears what has arrived by a moment, µs.
    pub fn hear(&mut self, now_us: u64) {
        let due = self.underway.partition_point(|own| own.due_us <= now_us);
        self.arrived.clear();
        self.arrived.extend(self.underway.drain(..due));
        for Heard { from, sent_us, message, .. } in &self.arrived {
            // one that was overtaken tells nothing new
            match message {
                Message::Beacon(beacon) => {
                    self.figures.received += 1;
                    if self.beacons.get(from).is_none_or(|(other, _)| other < sent_us) {
                        self.beacons.insert(*from, (*sent_us, *beacon));
                    }
                }
                Message::Signal(timings) => {
                    let light = self.lights.entry(*from).or_default();
                    if light.timings.as_ref().is_none_or(|(other, _)| other < sent_us) {
                        light.timings = Some((*sent_us, timings.clone()));
                    }
                }
                Message::Map(approaches) => {
                    self.lights.entry(*from).or_default().approaches.clone_from(approaches);
                }
                Message::RoadUser(user) => {
                    if self.road_users.get(from).is_none_or(|(other, _)| other < sent_us) {
                        self.road_users.insert(*from, (*sent_us, *user));
                    }
                }
                Message::Hazard(_) | Message::User(_) => {}
            }
        }
    }

    /// Why it cannot be a member's among so many who send, if it cannot.
    pub fn check(&self, senders: usize) -> Result<(), String> {
        let heard = self.underway.iter().chain(&self.arrived).map(|own| own.from);
        let unknown = heard
            .chain(self.beacons.keys().chain(self.lights.keys()).copied())
            .chain(self.road_users.keys().copied())
            .find(|&from| from as usize >= senders);
        match unknown {
            Some(from) => Err(format!("a message of sender {from}; must be one of {senders}")),
            None => Ok(()),
        }
    }
}
