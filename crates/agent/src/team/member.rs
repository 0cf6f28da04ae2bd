//! Map and messages of a member of a team.

use super::{Ledger, MapSharing, Team, TeamOrder, TeamReport};
use bekker_autonomy::ElevationMap;
use bekker_autonomy::elevation_map::{MapModel, MapTile, MapTileKey, TILE};
use bekker_math::numeric::hypot;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// State of a member of a team: plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TeamMember {
    /// Map of the member's scans merged with received tiles.
    map: ElevationMap,
    /// Sender of each tile that is identical to the received one; such a tile is not sent back.
    tile_senders: BTreeMap<MapTileKey, u32>,
    /// Version of each tile last sent, for each other member.
    sent_versions: BTreeMap<u32, BTreeMap<MapTileKey, u64>>,
    /// Messages on their way, in order of arrival.
    in_transit: VecDeque<TileMessage>,
    /// Tiles received since the driver last took them.
    new_tiles: BTreeSet<MapTileKey>,
    /// Order from the authority, and whether the driver has not yet taken it.
    order: Option<TeamOrder>,
    is_new: bool,
    /// Task state of the authority, if this member carries it.
    pub ledger: Ledger,
    /// Counters of messages sent and received.
    pub traffic: MessageCounters,
}

/// Message with tiles from one member to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TileMessage {
    /// Agent that sends.
    pub from: u32,
    /// Agent that receives.
    pub to: u32,
    /// Time of arrival, µs.
    pub due_us: u64,
    /// Map tiles.
    pub tiles: Vec<(MapTileKey, Arc<MapTile>)>,
    /// Order of the authority.
    pub order: Option<TeamOrder>,
    /// Report to the authority.
    pub report: Option<TeamReport>,
}

/// Counters of a member's messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageCounters {
    /// Messages sent.
    pub messages: u64,
    /// Messages lost of those sent.
    pub lost: u64,
    /// Bytes of encoded tiles sent.
    pub sent_bytes: u64,
    /// Bytes received.
    pub received_bytes: u64,
}

impl TileMessage {
    /// Returns the size of the encoded tiles, bytes.
    pub fn bytes(&self) -> u64 {
        self.tiles.iter().map(|(_, tile)| tile.coded_bytes()).sum()
    }
}

impl TeamMember {
    /// Creates a member with an empty map.
    pub(crate) fn new(model: MapModel) -> TeamMember {
        TeamMember {
            map: ElevationMap::new(model),
            tile_senders: BTreeMap::new(),
            sent_versions: BTreeMap::new(),
            in_transit: VecDeque::new(),
            new_tiles: BTreeSet::new(),
            order: None,
            is_new: false,
            ledger: Ledger::default(),
            traffic: MessageCounters::default(),
        }
    }

    /// Returns the map with own and received tiles.
    pub fn map(&self) -> &ElevationMap {
        &self.map
    }

    /// Merges tiles that its own scans have changed.
    pub(crate) fn merge_scanned(&mut self, tiles: &[(MapTileKey, Arc<MapTile>)]) {
        for (key, tile) in tiles {
            if self.map.merge_tile(*key, tile) {
                self.tile_senders.remove(key);
            }
        }
    }

    /// Adds a message that is on its way.
    ///
    /// Messages that arrive at the same time are read in the order of their senders, whichever is
    /// added first.
    pub fn receive(&mut self, message: TileMessage) {
        let before =
            |other: &TileMessage| (other.due_us, other.from) <= (message.due_us, message.from);
        let place = self.in_transit.partition_point(before);
        self.in_transit.insert(place, message);
    }

    /// Reads the messages that have arrived by a time, µs.
    pub fn read_arrived(&mut self, now_us: u64) {
        while self.in_transit.front().is_some_and(|message| message.due_us <= now_us) {
            let Some(message) = self.in_transit.pop_front() else { break };
            self.traffic.received_bytes += message.bytes();
            message.order.into_iter().for_each(|order| self.accept_order(order));
            if let Some(report) = message.report {
                self.ledger.record_report(message.from, report);
            }
            for (key, tile) in &message.tiles {
                if self.map.merge_tile(*key, tile) {
                    self.new_tiles.insert(*key);
                    match self.map.tile(*key).is_some_and(|own| own == tile) {
                        true => self.tile_senders.insert(*key, message.from),
                        false => self.tile_senders.remove(key),
                    };
                }
            }
        }
    }

    /// Accepts an order unless it already has a later one.
    pub fn accept_order(&mut self, order: TeamOrder) {
        if self.order.is_none_or(|own| own.number < order.number) {
            (self.order, self.is_new) = (Some(order), true);
        }
    }

    /// Returns the current order.
    pub fn order(&self) -> Option<TeamOrder> {
        self.order
    }

    /// Returns the order if the driver has not yet taken it.
    pub(crate) fn take_order(&mut self) -> Option<TeamOrder> {
        self.order.filter(|_| std::mem::take(&mut self.is_new))
    }

    /// Returns the report on its order; `is_idle` is whether its driver is idle.
    pub(crate) fn report(&self, is_idle: bool) -> TeamReport {
        let number = self.order.map_or(0, |order| order.number);
        TeamReport { number, is_idle: is_idle && !self.is_new }
    }

    /// Returns the received tiles that the driver has not yet taken.
    pub(crate) fn take_new_tiles(&mut self) -> Vec<(MapTileKey, Arc<MapTile>)> {
        let new_tiles = std::mem::take(&mut self.new_tiles).into_iter();
        new_tiles.filter_map(|key| Some((key, self.map.tile(key)?.clone()))).collect()
    }

    /// Returns the message to another member at an exchange; `None` if it would be empty.
    ///
    /// It contains the tiles that changed since the last message, or the whole map if `selection`
    /// require it.
    pub fn tile_message(
        &self,
        [from, to]: [u32; 2],
        due_us: u64,
        selection: &TileSelection,
        order: Option<TeamOrder>,
        report: Option<TeamReport>,
    ) -> Option<TileMessage> {
        let sent_versions = self.sent_versions.get(&to);
        let is_news = |key: &MapTileKey, tile: &MapTile| {
            let sent_versions = sent_versions.and_then(|sent_versions| sent_versions.get(key));
            self.tile_senders.get(key) != Some(&to)
                && sent_versions.is_none_or(|&sent_versions| sent_versions < tile.version())
        };
        let side = self.map.model().cell * TILE as f64;
        let tiles: Vec<(MapTileKey, Arc<MapTile>)> = self
            .map
            .tiles()
            .filter(|(key, tile)| selection.whole || is_news(key, tile))
            .filter(|(key, _)| selection.concerns(key, side))
            .map(|(key, tile)| (*key, tile.clone()))
            .collect();
        let is_needed = !tiles.is_empty() || order.is_some() || report.is_some();
        is_needed.then_some(TileMessage { from, to, due_us, tiles, order, report })
    }

    /// Records a message as sent; lost tiles will be sent again.
    pub fn record_sent(&mut self, message: &TileMessage, lost: bool) {
        self.traffic.messages += 1;
        self.traffic.sent_bytes += message.bytes();
        if lost {
            self.traffic.lost += 1;
            return;
        }
        let sent_versions = self.sent_versions.entry(message.to).or_default();
        sent_versions.extend(message.tiles.iter().map(|(key, tile)| (*key, tile.version())));
    }

    /// Records that another member has restarted with an empty map.
    pub fn reset_peer(&mut self, other: u32) {
        self.sent_versions.remove(&other);
        self.tile_senders.retain(|_, by| *by != other);
    }
}

/// Selection of the tiles to send.
#[derive(Clone, Copy, Debug, Default)]
pub struct TileSelection {
    /// Whether to send the whole map, regardless of earlier messages.
    whole: bool,
    /// Distance, m, from a straight segment between two points within which tiles are sent.
    concern: Option<(f64, [[f64; 2]; 2])>,
}

impl TileSelection {
    /// Returns the terms of a team for a member on a segment to its goal, if it has one.
    pub fn new(team: &Team, way: Option<[[f64; 2]; 2]>) -> TileSelection {
        let whole = team.sharing == MapSharing::Whole;
        TileSelection { whole, concern: team.concern.zip(way) }
    }

    fn concerns(&self, key: &MapTileKey, side: f64) -> bool {
        let Some((distance, [from, to])) = self.concern else { return true };
        let [x, y] = [key.a, key.b].map(|index| (f64::from(index) + 0.5) * side);
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        let length = (dx * dx + dy * dy).max(f64::MIN_POSITIVE);
        let share = (((x - from[0]) * dx + (y - from[1]) * dy) / length).clamp(0.0, 1.0);
        hypot(x - from[0] - share * dx, y - from[1] - share * dy) <= distance
    }
}
