//! Autonomous driving: perception, planning on background threads, and plans with a fixed latency.
//!
//! Sensor readings reach the navigator at the heartbeat. A scan is processed on a background
//! thread, and its plan takes effect a fixed simulated time later.
//!
//! A scan that arrives while the previous one is being processed is skipped, as a busy computer
//! would do. All times are simulated, so neither the number of threads nor their speed changes any
//! bit of the result.

use super::imaging_threads::imaging_threads;
use super::team::{TeamMember, TeamReport};
use super::timings::{Stopwatch, TimedPhase};
use bekker_autonomy::costs::CostPenalty;
use bekker_autonomy::elevation_map::{MapTile, MapTileKey};
use bekker_autonomy::localization::PoseTrack;
use bekker_autonomy::recovery::Waypoint;
use bekker_autonomy::right_of_way::MovingAgent;
use bekker_autonomy::{
    DrivePhase, LocalPlan, MotionEstimate, Navigator, NavigatorState, PlanInput, PlannerState,
    SensorRole,
};
use bekker_math::numeric::hypot;
use bekker_math::spatial::Pose;
use bekker_sensor::lidar::Cloud;
use bekker_sensor::{Deferred, Delivery, Reading};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Margin around the predicted position of another vehicle within which lidar returns belong to
/// that vehicle, m.
const VEHICLE_MARGIN: f64 = 0.3;

/// Configuration of an autonomous driver; immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct Autonomy {
    /// Localization, mapping, planning and tracking.
    pub navigator: Navigator,
    /// Role of each sensor for the navigator, if it has one.
    pub roles: Vec<Option<SensorRole>>,
    /// Index of the lidar among the sensors.
    pub lidar: usize,
    /// Time from the delivery of a scan to the plan made from it, µs.
    pub latency_us: u64,
    /// Goal, m; if absent, the team's authority assigns goals.
    pub goal: Option<[f64; 2]>,
    /// Timer of the phases.
    pub stopwatch: Stopwatch,
}

impl Autonomy {
    /// Returns the initial state at `pose` and `now_us` µs.
    pub(super) fn start(&self, pose: &Pose, now_us: u64) -> AutonomyState {
        let navigator = &self.navigator;
        let memory = navigator.start_planner(pose);
        let outcome = PlanOutcome { memory, plan: LocalPlan::default(), changed: Vec::new() };
        AutonomyState {
            navigator: navigator.start(pose, 1e-6 * now_us as f64),
            plan: LocalPlan::default(),
            outcome: Deferred::ready(now_us, outcome),
            in_force: true,
            scans: 0,
            skipped_scans: 0,
            others: BTreeMap::new(),
            member: TeamMember::new(navigator.map),
        }
    }
}

/// State of an autonomous driver: plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AutonomyState {
    /// Navigator state, updated with every reading.
    pub navigator: NavigatorState,
    /// The plan in force.
    pub plan: LocalPlan,
    /// Result of the last scan, finished or in progress.
    outcome: Deferred<PlanOutcome>,
    /// Whether the plan of the last scan is already in force.
    in_force: bool,
    /// Number of scans processed.
    pub scans: u64,
    /// Number of scans skipped.
    pub skipped_scans: u64,
    /// Last reported positions of other vehicles, by agent index.
    pub others: BTreeMap<u32, LastObservation>,
    /// State shared with the team.
    pub member: TeamMember,
}

/// Result of processing a scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PlanOutcome {
    memory: PlannerState,
    plan: LocalPlan,
    /// Map tiles that the scan changed.
    changed: Vec<(MapTileKey, Arc<MapTile>)>,
}

/// Last reported position of another vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastObservation {
    /// Time of the report, µs.
    pub at_us: u64,
    /// Position, m.
    pub place: [f64; 2],
    /// Velocity, m/s.
    pub velocity: [f64; 2],
    /// Radius about its origin, m.
    pub reach: f64,
}

impl LastObservation {
    /// Predicts x, y and radius, m, at time `moment`, s, with constant velocity.
    fn predict(&self, moment: f64) -> [f64; 3] {
        let since = moment - 1e-6 * self.at_us as f64;
        let [x, y] = [0, 1].map(|k| self.place[k] + self.velocity[k] * since);
        [x, y, self.reach]
    }

    fn is_moving(&self) -> bool {
        hypot(self.velocity[0], self.velocity[1]) > MOVING_SPEED
    }
}

/// Speed above which another vehicle counts as moving, m/s.
const MOVING_SPEED: f64 = 0.3;

/// Inputs for processing a scan.
struct PlanJob {
    autonomy: Arc<Autonomy>,
    memory: PlannerState,
    taken: f64,
    cloud: Cloud,
    track: PoseTrack,
    estimate: MotionEstimate,
    goal: Option<[f64; 2]>,
    articulation: Option<f64>,
    way_back: Vec<Waypoint>,
    marks: Vec<CostPenalty>,
    others: Vec<[f64; 3]>,
    /// Moving vehicles that have the right of way over this vehicle.
    moving: Vec<MovingAgent>,
    /// Other vehicles that stand still.
    standing: Vec<[f64; 3]>,
    /// Other vehicles at the time of the scan.
    seen: Vec<[f64; 3]>,
    /// Map tiles received from other vehicles.
    news: Vec<(MapTileKey, Arc<MapTile>)>,
}

impl PlanJob {
    fn run(self) -> PlanOutcome {
        let PlanJob { autonomy, mut memory, taken, cloud, track, estimate, .. } = self;
        let Autonomy { navigator, stopwatch, .. } = &*autonomy;
        stopwatch.time(TimedPhase::Merging, || {
            for (key, tile) in &self.news {
                memory.map.merge_tile(*key, tile);
            }
        });
        let before = memory.map.tick();
        let look = PlanInput {
            taken,
            cloud: &cloud,
            track: &track,
            estimate,
            goal: self.goal,
            articulation: self.articulation,
            way_back: &self.way_back,
            marks: &self.marks,
            others: &self.others,
            moving: &self.moving,
            standing: &self.standing,
            seen: &self.seen,
        };
        // same sequence as `Navigator::plan`
        stopwatch.time(TimedPhase::Registration, || navigator.register(&mut memory, &look));
        stopwatch.time(TimedPhase::Costs, || navigator.update_costs(&mut memory, &look));
        stopwatch.time(TimedPhase::Route, || navigator.plan_global(&mut memory, &look));
        let plan = stopwatch.time(TimedPhase::Spline, || navigator.plan_local(&mut memory, &look));
        let changed = memory.map.changed_since(before);
        let changed = changed.map(|(key, tile)| (*key, tile.clone())).collect();
        PlanOutcome { memory, plan, changed }
    }
}

impl AutonomyState {
    /// Returns the map and costs after the last scan, once it is processed.
    pub fn memory(&self) -> Option<&PlannerState> {
        self.outcome.get().map(|outcome| &outcome.memory)
    }

    /// Returns the bytes that identify this state in a hash, without the map in progress.
    ///
    /// The map in progress follows from the readings. It enters the plan and the shared map as soon
    /// as it has an effect.
    pub(super) fn digest_bytes(&self) -> Vec<u8> {
        let AutonomyState {
            navigator,
            plan,
            outcome,
            in_force,
            scans,
            skipped_scans,
            others,
            member,
        } = self;
        let progress = (outcome.due_us(), in_force, scans, skipped_scans);
        let shared = (member.map().digest(), &member.traffic);
        let parts = (navigator, plan, progress, others, shared);
        let mut bytes = postcard::to_stdvec(&parts).expect("plain data serializes into memory");
        if let Some(order) = member.order() {
            let ordered = postcard::to_stdvec(&(order, &member.ledger));
            bytes.extend(ordered.expect("plain data serializes into memory"));
        }
        bytes
    }

    /// Puts the plan of the last scan in force if it is due.
    fn apply_due_plan(&mut self, now_us: u64) {
        if self.in_force || self.outcome.due_us() > now_us {
            return;
        }
        self.in_force = true;
        if let Some(outcome) = self.outcome.get() {
            self.plan = outcome.plan.clone();
            self.member.merge_scanned(&outcome.changed);
        }
    }

    /// Returns the predicted current x, y and radius of other vehicles, m.
    fn others(&self, now_us: u64) -> Vec<[f64; 3]> {
        self.others.values().map(|observation| observation.predict(1e-6 * now_us as f64)).collect()
    }

    /// Returns the moving vehicles with a lower agent index: they have the right of way.
    fn moving(&self, agent: u32, now_us: u64) -> Vec<MovingAgent> {
        let before = self.others.range(..agent).map(|(_, observation)| observation);
        let moving = before.filter(|observation| observation.is_moving());
        let as_now = |observation: &LastObservation| {
            let [x, y, reach] = observation.predict(1e-6 * now_us as f64);
            MovingAgent { place: [x, y], velocity: observation.velocity, reach }
        };
        moving.map(as_now).collect()
    }

    /// Returns x, y and radius of the other vehicles that stand still, m.
    fn standing(&self) -> Vec<[f64; 3]> {
        let standing = self.others.values().filter(|observation| !observation.is_moving());
        standing
            .map(|observation| [observation.place[0], observation.place[1], observation.reach])
            .collect()
    }

    /// Returns the positions of other vehicles at the start, the middle and the end (`taken`, s) of
    /// a scan.
    ///
    /// At 5 m/s a vehicle moves 0.5 m during a scan. A margin covers the inaccuracy of reported
    /// positions.
    fn seen(&self, taken: f64, cloud: &Cloud) -> Vec<[f64; 3]> {
        let begun = cloud.returns.first().map_or(0.0, |first| f64::from(first.time));
        let moments = [begun, 0.5 * begun, 0.0].map(|before| taken + before);
        let seen = self
            .others
            .values()
            .flat_map(|observation| moments.map(|moment| observation.predict(moment)));
        seen.map(|[x, y, reach]| [x, y, reach + VEHICLE_MARGIN]).collect()
    }
}

impl AutonomyState {
    /// Returns the report on its order to the team's authority.
    pub fn report(&self) -> TeamReport {
        self.member
            .report(matches!(self.navigator.phase(), DrivePhase::Arrived | DrivePhase::GaveUp))
    }

    /// Returns whether the authority has dismissed this vehicle.
    pub(super) fn is_dismissed(&self) -> bool {
        self.member.order().is_some_and(|order| order.goal.is_none())
    }

    /// Processes the readings delivered by `now_us` µs, and starts processing the last scan.
    ///
    /// `articulation` is the yaw of the rear frame of an articulated vehicle, rad.
    pub fn perceive(
        &mut self,
        agent: u32,
        autonomy: &Arc<Autonomy>,
        delivered: &[Delivery],
        articulation: Option<f64>,
        now_us: u64,
    ) {
        self.apply_due_plan(now_us);
        if let Some(order) = self.member.take_order() {
            self.navigator.set_goals(order.goal.into_iter().collect());
        }
        let mut scan = None;
        for delivery in delivered {
            let taken = 1e-6 * delivery.taken_us as f64;
            let sensor = delivery.sensor as usize;
            match (&delivery.reading, autonomy.roles.get(sensor).copied().flatten()) {
                (Reading::Cloud(cloud), _) if sensor == autonomy.lidar => {
                    self.skipped_scans += u64::from(scan.replace((taken, cloud)).is_some());
                }
                (reading, Some(role)) => {
                    autonomy.stopwatch.time(TimedPhase::Localization, || {
                        autonomy.navigator.add_reading(&mut self.navigator, role, taken, reading);
                    });
                }
                _ => {}
            }
        }
        if let Some((taken, cloud)) = scan {
            self.process_scan(agent, autonomy, (taken, cloud), articulation, now_us);
        }
    }

    /// Processes a scan, on a background thread if its plan is not due immediately.
    fn process_scan(
        &mut self,
        agent: u32,
        autonomy: &Arc<Autonomy>,
        (taken, cloud): (f64, &Cloud),
        articulation: Option<f64>,
        now_us: u64,
    ) {
        if !self.in_force {
            self.skipped_scans += 1;
            return;
        }
        let (next, maker) = Deferred::new(now_us + autonomy.latency_us);
        let Some(PlanOutcome { memory, .. }) = std::mem::replace(&mut self.outcome, next).take()
        else {
            return;
        };
        self.scans += 1;
        self.in_force = false;
        let job = PlanJob {
            autonomy: autonomy.clone(),
            memory,
            taken,
            cloud: cloud.clone(),
            track: self.navigator.track().clone(),
            estimate: *self.navigator.estimate(),
            goal: self.navigator.goal(),
            articulation,
            way_back: autonomy.navigator.path_back(&self.navigator, articulation),
            marks: self.navigator.marks().to_vec(),
            others: self.others(now_us),
            moving: self.moving(agent, now_us),
            standing: self.standing(),
            seen: self.seen(taken, cloud),
            news: self.member.take_new_tiles(),
        };
        let think = move || maker.fulfill(Some(job.run()));
        match imaging_threads().filter(|_| autonomy.latency_us > 0) {
            Some(threads) => threads.spawn(think),
            None => think(),
        }
        self.apply_due_plan(now_us);
    }
}
