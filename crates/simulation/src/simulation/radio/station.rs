//! A member of a radio: what it has heard, and what is on its way to it.

use super::figures::RadioFigures;
use super::message::{Beacon, Heard, Message};
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
    /// What a program wants it to say at the next exchange.
    pub(super) outbox: Vec<Vec<u8>>,
    /// Speed that it told of last, m/s.
    pub(super) told_speed: Option<f64>,
    /// Acceleration that its driver aims at, m/s², if that cooperates.
    pub(super) demand: f64,
    pub(super) figures: RadioFigures,
}

impl Station {
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

    /// Takes a message that is on its way to it.
    pub(super) fn receive(&mut self, heard: Heard) {
        let key = |own: &Heard| (own.due_us, own.from, own.number);
        let place = self.underway.partition_point(|other| key(other) <= key(&heard));
        self.underway.insert(place, heard);
    }

    /// Hears what has arrived by a moment, µs.
    pub(super) fn hear(&mut self, now_us: u64) {
        let due = self.underway.partition_point(|own| own.due_us <= now_us);
        self.arrived.clear();
        self.arrived.extend(self.underway.drain(..due));
        for Heard { from, sent_us, message, .. } in &self.arrived {
            let Message::Beacon(beacon) = message else { continue };
            self.figures.received += 1;
            // one that was overtaken tells nothing new
            let newest = self.beacons.get(from).is_none_or(|(other, _)| other < sent_us);
            if newest {
                self.beacons.insert(*from, (*sent_us, *beacon));
            }
        }
    }

    /// Why it cannot be a member's among so many agents, if it cannot.
    pub(in crate::simulation) fn check(&self, agents: usize) -> Result<(), String> {
        let heard = self.underway.iter().chain(&self.arrived).map(|own| own.from);
        let unknown =
            heard.chain(self.beacons.keys().copied()).find(|&from| from as usize >= agents);
        match unknown {
            Some(from) => Err(format!("a message of vehicle {from}; must be one of {agents}")),
            None => Ok(()),
        }
    }
}
