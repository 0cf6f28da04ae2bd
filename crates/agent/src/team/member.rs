//! What one vehicle of a team knows of the ground, and whom it has told what.

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
    /// Its own map with all that it was told.
    map: ElevationMap,
    /// Tiles that are just as another member told them: there is no need to tell that one.
    told_by: BTreeMap<TileKey, u32>,
    /// Of each other member that it told of tiles: the version of each tile told.
    told: BTreeMap<u32, BTreeMap<TileKey, u64>>,
    /// Letters on their way to it, in the order of arrival.
    underway: VecDeque<Letter>,
    /// Tiles that it was told of since its driver last took note.
    news: BTreeSet<TileKey>,
    /// What it is told to do, and whether its driver has taken note.
    order: Option<Order>,
    is_new: bool,
    /// What it knows of the team's task as its authority.
    pub ledger: Ledger,
    /// What it sent and received.
    pub traffic: Traffic,
}

/// Tiles from one member to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Letter {
    /// The agent that sends.
    pub from: u32,
    /// The agent that receives.
    pub to: u32,
    /// When it arrives, µs.
    pub due_us: u64,
    /// What it says.
    pub tiles: Vec<(TileKey, Arc<Tile>)>,
    /// What the authority tells it to do.
    pub order: Option<Order>,
    /// What it tells the authority.
    pub report: Option<Report>,
}

/// Sums of a member's letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// Letters sent.
    pub letters: u64,
    /// Of these, lost.
    pub lost: u64,
    /// Bytes sent, as tiles are coded.
    pub sent_bytes: u64,
    /// Bytes received.
    pub received_bytes: u64,
}

impl Letter {
    /// Bytes of its tiles as they are coded.
    pub fn bytes(&self) -> u64 {
        self.tiles.iter().map(|(_, tile)| tile.coded_bytes()).sum()
    }
}

impl Member {
    /// One that knows nothing yet.
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

    /// Its map: what it has seen and been told.
    pub fn map(&self) -> &ElevationMap {
        &self.map
    }

    /// Takes over tiles that the own scans have changed.
    pub(crate) fn see(&mut self, tiles: &[(TileKey, Arc<Tile>)]) {
        for (key, tile) in tiles {
            if self.map.merge_tile(*key, tile) {
                self.told_by.remove(key);
            }
        }
    }

    /// Takes a letter that is on its way to it. Those that arrive at one moment are read in the
    /// order of their senders, whoever brings them first.
    pub fn receive(&mut self, letter: Letter) {
        let before = |other: &Letter| (other.due_us, other.from) <= (letter.due_us, letter.from);
        let place = self.underway.partition_point(before);
        self.underway.insert(place, letter);
    }

    /// Reads the letters that have arrived by a moment, µs.
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

    /// Takes an order, unless it has a later one.
    pub fn obey(&mut self, order: Order) {
        if self.order.is_none_or(|own| own.number < order.number) {
            (self.order, self.is_new) = (Some(order), true);
        }
    }

    /// The order that it holds.
    pub fn order(&self) -> Option<Order> {
        self.order
    }

    /// The order that its driver has not yet been told.
    pub(crate) fn take_order(&mut self) -> Option<Order> {
        self.order.filter(|_| std::mem::take(&mut self.is_new))
    }

    /// What it reports of its order, its driver being idle or not.
    pub(crate) fn report(&self, is_idle: bool) -> Report {
        let number = self.order.map_or(0, |order| order.number);
        Report { number, is_idle: is_idle && !self.is_new }
    }

    /// What its driver has not yet been told.
    pub(crate) fn take_news(&mut self) -> Vec<(TileKey, Arc<Tile>)> {
        let news = std::mem::take(&mut self.news).into_iter();
        news.filter_map(|key| Some((key, self.map.tile(key)?.clone()))).collect()
    }

    /// The letter to another member at an exchange: what has changed since it was last told, or
    /// all that is known where `terms` say so; none if there is nothing to tell.
    pub fn letter(
        &self,
        [from, to]: [u32; 2],
        due_us: u64,
        terms: &Terms,
        (order, report): (Option<Order>, Option<Report>),
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

    /// Takes note of a letter sent; what was lost will be sent again.
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

    /// Takes note that another member has begun anew: it knows nothing of what it was told, or told.
    pub fn forget(&mut self, other: u32) {
        self.told.remove(&other);
        self.told_by.retain(|_, by| *by != other);
    }
}

/// What is to be told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terms {
    /// All of the map, whatever was told.
    whole: bool,
    /// Only tiles within a distance, m, of a straight way between two points.
    concern: Option<(f64, [[f64; 2]; 2])>,
}

impl Terms {
    /// Those of a team towards a member on its way to a goal, if it has one.
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
