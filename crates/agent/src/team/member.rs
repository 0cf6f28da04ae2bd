//! Map and messages of a member of a team.

use super::{Ledger, Order, Report, Sharing, Team};
use bekker_autonomy::ElevationMap;
use bekker_autonomy::elevation_map::{MapModel, TILE, Tile, TileKey};
use bekker_math::numeric::hypot;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// State of a member of a team: plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Map of its own scans merged with received tiles.
    map: ElevationMap,
    /// Sender of each tile that is identical to the received one; such a tile is not sent back.
    told_by: BTreeMap<TileKey, u32>,
    /// Version of each tile last sent, for each other member.
    told: BTreeMap<u32, BTreeMap<TileKey, u64>>,
    /// Messages on their way, in order of arrival.
    underway: VecDeque<Letter>,
    /// Tiles received since the driver last took them.
    news: BTreeSet<TileKey>,
    /// Order from the authority, and whether the driver has not yet taken it.
    order: Option<Order>,
    is_new: bool,
    /// Task state of the authority, if this member carries it.
    pub ledger: Ledger,
    /// Counters of messages sent and received.
    pub traffic: Traffic,
}

/// Message with tiles from one member to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Letter {
    /// Agent that sends.
    pub from: u32,
    /// Agent that receives.
    pub to: u32,
    /// Time of arrival, µs.
    pub due_us: u64,
    /// Map tiles.
    pub tiles: Vec<(TileKey, Arc<Tile>)>,
    /// Order of the authority.
    pub order: Option<Order>,
    /// Report to the authority.
    pub report: Option<Report>,
}

/// Counters of a member's messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// Messages sent.
    pub letters: u64,
    /// Messages lost of those sent.
    pub lost: u64,
    /// Bytes of encoded tiles sent.
    pub sent_bytes: u64,
    /// Bytes received.
    pub received_bytes: u64,
}

impl Letter {
    /// Returns the size of the encoded tiles, bytes.
    pub fn bytes(&self) -> u64 {
        self.tiles.iter().map(|(_, tile)| tile.coded_bytes()).sum()
    }
}

impl Member {
    /// Creates a member with an empty map.
    pub(crate) fn new(model: MapModel) -> Member {
        Member {
            map: ElevationMap::new(model),
            told_by: BTreeMap::new(),
            told: BTreeMap::new(),
            underway: VecDeque::new(),
            news: BTreeSet::new(),
            order: None,
            is_new: false,
            ledger: Ledger::default(),
            traffic: Traffic::default(),
        }
    }

    /// Returns the map with own and received tiles.
    pub fn map(&self) -> &ElevationMap {
        &self.map
    }

    /// Merges tiles that its own scans have changed.
    pub(crate) fn see(&mut self, tiles: &[(TileKey, Arc<Tile>)]) {
        for (key, tile) in tiles {
            if self.map.merge_tile(*key, tile) {
                self.told_by.remove(key);
            }
        }
    }

    /// Adds a message that is on its way.
    ///
    /// Messages that arrive at the same time are read in the order of their senders, whichever is
    /// added first.
    pub fn receive(&mut self, letter: Letter) {
        let before = |other: &Letter| (other.due_us, other.from) <= (letter.due_us, letter.from);
        let place = self.underway.partition_point(before);
        self.underway.insert(place, letter);
    }

    /// Reads the messages that have arrived by a time, µs.
    pub fn read(&mut self, now_us: u64) {
        while self.underway.front().is_some_and(|letter| letter.due_us <= now_us) {
            let Some(letter) = self.underway.pop_front() else { break };
            self.traffic.received_bytes += letter.bytes();
            letter.order.into_iter().for_each(|order| self.obey(order));
            if let Some(report) = letter.report {
                self.ledger.hear(letter.from, report);
            }
            for (key, tile) in &letter.tiles {
                if self.map.merge_tile(*key, tile) {
                    self.news.insert(*key);
                    match self.map.tile(*key).is_some_and(|own| own == tile) {
                        true => self.told_by.insert(*key, letter.from),
                        false => self.told_by.remove(key),
                    };
                }
            }
        }
    }

    /// Accepts an order unless it already has a later one.
    pub fn obey(&mut self, order: Order) {
        if self.order.is_none_or(|own| own.number < order.number) {
            (self.order, self.is_new) = (Some(order), true);
        }
    }

    /// Returns the current order.
    pub fn order(&self) -> Option<Order> {
        self.order
    }

    /// Returns the order if the driver has not yet taken it.
    pub(crate) fn take_order(&mut self) -> Option<Order> {
        self.order.filter(|_| std::mem::take(&mut self.is_new))
    }

    /// Returns the report on its order; `is_idle` is whether its driver is idle.
    pub(crate) fn report(&self, is_idle: bool) -> Report {
        let number = self.order.map_or(0, |order| order.number);
        Report { number, is_idle: is_idle && !self.is_new }
    }

    /// Returns the received tiles that the driver has not yet taken.
    pub(crate) fn take_news(&mut self) -> Vec<(TileKey, Arc<Tile>)> {
        let news = std::mem::take(&mut self.news).into_iter();
        news.filter_map(|key| Some((key, self.map.tile(key)?.clone()))).collect()
    }

    /// Returns the message to another member at an exchange; `None` if it would be empty.
    ///
    /// It contains the tiles that changed since the last message, or the whole map if `terms`
    /// require it.
    pub fn letter(
        &self,
        [from, to]: [u32; 2],
        due_us: u64,
        terms: &Terms,
        order: Option<Order>,
        report: Option<Report>,
    ) -> Option<Letter> {
        let told = self.told.get(&to);
        let is_news = |key: &TileKey, tile: &Tile| {
            let told = told.and_then(|told| told.get(key));
            self.told_by.get(key) != Some(&to) && told.is_none_or(|&told| told < tile.version())
        };
        let side = self.map.model().cell * TILE as f64;
        let tiles: Vec<(TileKey, Arc<Tile>)> = self
            .map
            .tiles()
            .filter(|(key, tile)| terms.whole || is_news(key, tile))
            .filter(|(key, _)| terms.concerns(key, side))
            .map(|(key, tile)| (*key, tile.clone()))
            .collect();
        let says = !tiles.is_empty() || order.is_some() || report.is_some();
        says.then_some(Letter { from, to, due_us, tiles, order, report })
    }

    /// Records a message as sent; lost tiles will be sent again.
    pub fn sent(&mut self, letter: &Letter, lost: bool) {
        self.traffic.letters += 1;
        self.traffic.sent_bytes += letter.bytes();
        if lost {
            self.traffic.lost += 1;
            return;
        }
        let told = self.told.entry(letter.to).or_default();
        told.extend(letter.tiles.iter().map(|(key, tile)| (*key, tile.version())));
    }

    /// Records that another member has restarted with an empty map.
    pub fn forget(&mut self, other: u32) {
        self.told.remove(&other);
        self.told_by.retain(|_, by| *by != other);
    }
}

/// Selection of the tiles to send.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terms {
    /// Whether to send the whole map, regardless of earlier messages.
    whole: bool,
    /// Distance, m, from a straight segment between two points within which tiles are sent.
    concern: Option<(f64, [[f64; 2]; 2])>,
}

impl Terms {
    /// Returns the terms of a team for a member on a segment to its goal, if it has one.
    pub fn of(team: &Team, way: Option<[[f64; 2]; 2]>) -> Terms {
        let whole = team.sharing == Sharing::Whole;
        Terms { whole, concern: team.concern.zip(way) }
    }

    fn concerns(&self, key: &TileKey, side: f64) -> bool {
        let Some((distance, [from, to])) = self.concern else { return true };
        let [x, y] = [key.a, key.b].map(|index| (f64::from(index) + 0.5) * side);
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        let length = (dx * dx + dy * dy).max(f64::MIN_POSITIVE);
        let share = (((x - from[0]) * dx + (y - from[1]) * dy) / length).clamp(0.0, 1.0);
        hypot(x - from[0] - share * dx, y - from[1] - share * dy) <= distance
    }
}
