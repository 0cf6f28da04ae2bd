//! Vehicles that drive themselves: what their sensors deliver reaches their navigators at the
//! heartbeat; scans are thought about on threads beside the drive, and what comes of one
//! holds from a fixed time later.
//!
//! A scan that is delivered while the last is still thought about is passed over, as by a
//! computer that is busy. All moments are simulated, so that neither the number of threads nor
//! their speed can change a bit.

use super::imaging_threads::imaging_threads;
use super::team::{Member, Report};
use super::timings::{Part, Stopwatch};
use bekker_autonomy::costs::Mark;
use bekker_autonomy::elevation_map::{Tile, TileKey};
use bekker_autonomy::giving_way::Moving;
use bekker_autonomy::localisation::PoseTrack;
use bekker_autonomy::recovery::Waypoint;
use bekker_autonomy::{Estimate, Look, Memory, Navigator, NavigatorState, Phase, Plan, Role};
use bekker_math::numeric::hypot;
use bekker_math::spatial::Pose;
use bekker_sensor::lidar::Cloud;
use bekker_sensor::{Awaited, Delivery, Reading};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Room about where another vehicle should be within which returns are of it, m.
const ROOM: f64 = 0.3;

/// What makes a vehicle drive itself; immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct Autonomy {
    /// Localisation, mapping, planning and tracking.
    pub navigator: Navigator,
    /// What each sensor of the vehicle is to the navigator, if anything.
    pub roles: Vec<Option<Role>>,
    /// Index of the lidar among the sensors.
    pub lidar: usize,
    /// Time from a scan's delivery to the plan made of it, µs.
    pub latency_us: u64,
    /// Where it is to arrive, m; without, where its team's authority tells it.
    pub goal: Option<[f64; 2]>,
    /// Who times its parts.
    pub stopwatch: Stopwatch,
}

impl Autonomy {
    /// The driver of a vehicle that drives itself, as it begins at a moment, µs.
    pub(super) fn start(&self, pose: &Pose, now_us: u64) -> AutonomyState {
        let navigator = &self.navigator;
        let memory = navigator.remember(pose);
        let thought = Thought { memory, plan: Plan::default(), changed: Vec::new() };
        AutonomyState {
            navigator: navigator.start(pose, 1e-6 * now_us as f64),
            plan: Plan::default(),
            thought: Awaited::ready(now_us, thought),
            in_force: true,
            scans: 0,
            passed_over: 0,
            others: BTreeMap::new(),
            member: Member::new(navigator.map),
        }
    }
}

/// State of a vehicle that drives itself: plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AutonomyState {
    /// What changes with every reading.
    pub navigator: NavigatorState,
    /// The plan in force.
    pub plan: Plan,
    /// What the last scan made of the map, or is making.
    thought: Awaited<Thought>,
    /// Whether its plan is in force already.
    in_force: bool,
    /// Scans thought about.
    pub scans: u64,
    /// Scans passed over.
    pub passed_over: u64,
    /// Others that have told where they are.
    pub others: BTreeMap<u32, LastKnown>,
    /// What it shares with its team.
    pub member: Member,
}

/// What comes of a scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Thought {
    memory: Memory,
    plan: Plan,
    /// Tiles that the scan has changed.
    changed: Vec<(TileKey, Arc<Tile>)>,
}

/// Where another vehicle was when it was last heard of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastKnown {
    /// When, µs.
    pub at_us: u64,
    /// Where, m.
    pub place: [f64; 2],
    /// Its velocity, m/s.
    pub velocity: [f64; 2],
    /// How far it reaches about its origin, m.
    pub reach: f64,
}

impl LastKnown {
    /// Where it is at a moment, s, if it goes on as it did: x, y and reach, m.
    fn at(&self, moment: f64) -> [f64; 3] {
        let since = moment - 1e-6 * self.at_us as f64;
        let [x, y] = [0, 1].map(|k| self.place[k] + self.velocity[k] * since);
        [x, y, self.reach]
    }

    fn moves(&self) -> bool {
        hypot(self.velocity[0], self.velocity[1]) > MOVES
    }
}

/// Speed from which another vehicle moves, m/s.
const MOVES: f64 = 0.3;

/// All that a scan is thought about with.
struct Thinking {
    autonomy: Arc<Autonomy>,
    memory: Memory,
    taken: f64,
    cloud: Cloud,
    track: PoseTrack,
    estimate: Estimate,
    goal: Option<[f64; 2]>,
    way_back: Vec<Waypoint>,
    marks: Vec<Mark>,
    others: Vec<[f64; 3]>,
    /// Those that it gives way to.
    moving: Vec<Moving>,
    /// Others that stand.
    standing: Vec<[f64; 3]>,
    /// Others while the scan was taken.
    seen: Vec<[f64; 3]>,
    /// Tiles that others have told.
    news: Vec<(TileKey, Arc<Tile>)>,
}

impl Thinking {
    fn thought(self) -> Thought {
        let Thinking { autonomy, mut memory, taken, cloud, track, estimate, .. } = self;
        let Autonomy { navigator, stopwatch, .. } = &*autonomy;
        stopwatch.time(Part::Merging, || {
            for (key, tile) in &self.news {
                memory.map.merge_tile(*key, tile);
            }
        });
        let before = memory.map.tick();
        let look = Look {
            taken,
            cloud: &cloud,
            track: &track,
            estimate,
            goal: self.goal,
            way_back: &self.way_back,
            marks: &self.marks,
            others: &self.others,
            moving: &self.moving,
            standing: &self.standing,
            seen: &self.seen,
        };
        // as `Navigator::think` does
        stopwatch.time(Part::Registration, || navigator.register(&mut memory, &look));
        stopwatch.time(Part::Costs, || navigator.appraise(&mut memory, &look));
        stopwatch.time(Part::Route, || navigator.plan_global(&mut memory, &look));
        let plan = stopwatch.time(Part::Spline, || navigator.plan_local(&mut memory, &look));
        let changed = memory.map.changed_since(before);
        let changed = changed.map(|(key, tile)| (*key, tile.clone())).collect();
        Thought { memory, plan, changed }
    }
}

impl AutonomyState {
    /// What the last scan has made of its map and its costs, once that is done.
    pub fn memory(&self) -> Option<&Memory> {
        self.thought.get().map(|thought| &thought.memory)
    }

    /// What tells this state from others, but for the map in the making: that follows from the
    /// readings, and is in the plan and in what is shared as soon as it matters.
    pub(super) fn digested(&self) -> Vec<u8> {
        let AutonomyState {
            navigator,
            plan,
            thought,
            in_force,
            scans,
            passed_over,
            others,
            member,
        } = self;
        let thinking = (thought.due_us(), in_force, scans, passed_over);
        let shared = (member.map().digest(), &member.traffic);
        let parts = (navigator, plan, thinking, others, shared);
        let mut bytes = postcard::to_stdvec(&parts).expect("plain data serialises into memory");
        if let Some(order) = member.order() {
            let told = postcard::to_stdvec(&(order, &member.ledger));
            bytes.extend(told.expect("plain data serialises into memory"));
        }
        bytes
    }

    /// Puts the plan of a thought that is due in force.
    fn take_plan(&mut self, now_us: u64) {
        if self.in_force || self.thought.due_us() > now_us {
            return;
        }
        self.in_force = true;
        if let Some(thought) = self.thought.get() {
            self.plan = thought.plan.clone();
            self.member.see(&thought.changed);
        }
    }

    /// Others where they should be by now: x, y and reach, m.
    fn others(&self, now_us: u64) -> Vec<[f64; 3]> {
        self.others.values().map(|told| told.at(1e-6 * now_us as f64)).collect()
    }

    /// Others that move, and that come before it in the order of the vehicles: it gives way to them.
    fn moving(&self, agent: u32, now_us: u64) -> Vec<Moving> {
        let before = self.others.range(..agent).map(|(_, told)| told);
        let moving = before.filter(|told| told.moves());
        let as_now = |told: &LastKnown| {
            let [x, y, reach] = told.at(1e-6 * now_us as f64);
            Moving { place: [x, y], velocity: told.velocity, reach }
        };
        moving.map(as_now).collect()
    }

    /// Others that stand: x, y and reach, m.
    fn standing(&self) -> Vec<[f64; 3]> {
        let standing = self.others.values().filter(|told| !told.moves());
        standing.map(|told| [told.place[0], told.place[1], told.reach]).collect()
    }

    /// Others where they should have been when a scan began, half way and when it was `taken`, s:
    /// at 5 m/s one moves by half a metre meanwhile. With some room, for what is told is not exact.
    fn seen(&self, taken: f64, cloud: &Cloud) -> Vec<[f64; 3]> {
        let begun = cloud.returns.first().map_or(0.0, |first| f64::from(first.time));
        let moments = [begun, 0.5 * begun, 0.0].map(|before| taken + before);
        let seen = self.others.values().flat_map(|told| moments.map(|moment| told.at(moment)));
        seen.map(|[x, y, reach]| [x, y, reach + ROOM]).collect()
    }
}

impl AutonomyState {
    /// What it tells its team's authority of its order.
    pub fn report(&self) -> Report {
        self.member.report(matches!(self.navigator.phase(), Phase::Arrived | Phase::GaveUp))
    }

    /// Whether the authority has nothing left for it to do.
    pub(super) fn is_dismissed(&self) -> bool {
        self.member.order().is_some_and(|order| order.goal.is_none())
    }

    /// Takes what the sensors have delivered by a moment, µs, and thinks about the last scan.
    pub fn perceive(
        &mut self,
        (agent, autonomy): (u32, &Arc<Autonomy>),
        delivered: &[Delivery],
        now_us: u64,
    ) {
        self.take_plan(now_us);
        if let Some(order) = self.member.take_order() {
            self.navigator.set_goals(order.goal.into_iter().collect());
        }
        let mut scan = None;
        for delivery in delivered {
            let taken = 1e-6 * delivery.taken_us as f64;
            let sensor = delivery.sensor as usize;
            match (&delivery.reading, autonomy.roles.get(sensor).copied().flatten()) {
                (Reading::Cloud(cloud), _) if sensor == autonomy.lidar => {
                    self.passed_over += u64::from(scan.replace((taken, cloud)).is_some());
                }
                (reading, Some(role)) => {
                    autonomy.stopwatch.time(Part::Localisation, || {
                        autonomy.navigator.feel(&mut self.navigator, role, taken, reading);
                    });
                }
                _ => {}
            }
        }
        if let Some((taken, cloud)) = scan {
            self.look((agent, autonomy), (taken, cloud), now_us);
        }
    }

    /// Thinks about a scan, beside the drive where what comes of it is not due at once.
    fn look(
        &mut self,
        (agent, autonomy): (u32, &Arc<Autonomy>),
        (taken, cloud): (f64, &Cloud),
        now_us: u64,
    ) {
        if !self.in_force {
            self.passed_over += 1;
            return;
        }
        let (next, maker) = Awaited::new(now_us + autonomy.latency_us);
        let Some(Thought { memory, .. }) = std::mem::replace(&mut self.thought, next).take() else {
            return;
        };
        self.scans += 1;
        self.in_force = false;
        let thinking = Thinking {
            autonomy: autonomy.clone(),
            memory,
            taken,
            cloud: cloud.clone(),
            track: self.navigator.track().clone(),
            estimate: *self.navigator.estimate(),
            goal: self.navigator.goal(),
            way_back: autonomy.navigator.way_back(&self.navigator),
            marks: self.navigator.marks().to_vec(),
            others: self.others(now_us),
            moving: self.moving(agent, now_us),
            standing: self.standing(),
            seen: self.seen(taken, cloud),
            news: self.member.take_news(),
        };
        let think = move || maker.hand_in(Some(thinking.thought()));
        match imaging_threads().filter(|_| autonomy.latency_us > 0) {
            Some(threads) => threads.spawn(think),
            None => think(),
        }
        self.take_plan(now_us);
    }
}
