//! The whole: from readings to commands.
//!
//! Two parts. The fast one, [`NavigatorState`], feels every reading and drives each step by
//! the last [`Plan`]. The slow one, [`Memory`], thinks once a scan: it registers the scan, updates
//! costs, plans the route when that is due and the local path always. They share nothing but the
//! [`Look`] that goes one way and the plan that comes back, so the slow one may run beside the
//! dynamics.

use super::area::Area;
use super::astar::{Grid, Search};
use super::body::Body;
use super::costs::{CostMap, CostModel, Mark};
use super::elevation_map::{ElevationMap, MapModel, Scan, Window};
use super::localisation::{Estimate, Localiser, LocaliserState, PoseTrack, Role};
use super::obstacles::ObstacleModel;
use super::plan::Plan;
use super::recovery::{RecoveryModel, RecoveryState};
use super::smoothing::Smoothing;
use super::spline::{SplineModel, Start, Surroundings};
use super::tracking::{Going, Tracking, TrackingState};
use crate::numeric::hypot;
use crate::sensor::Reading;
use crate::sensor::lidar::Cloud;
use crate::spatial::{Pose, Vec3};
use crate::vehicle::Controls;
use crate::vehicle::driver::{Path, Place};
use serde::{Deserialize, Serialize};

/// How routes are planned; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RouteModel {
    /// Time between routes, s; one that is blocked is planned anew at once.
    pub period: f64,
    /// Most cells that a search goes through.
    pub limit: usize,
    /// Ground about start and goals in which routes are looked for, m.
    pub margin: f64,
    /// How far beside its route the vehicle may be before another is planned, m.
    pub beside: f64,
}

impl Default for RouteModel {
    fn default() -> Self {
        RouteModel { period: 1.0, limit: 400_000, margin: 50.0, beside: 6.0 }
    }
}

/// A vehicle's driver; immutable.
#[derive(Clone, Debug, PartialEq)]
pub struct Navigator {
    /// The vehicle.
    pub body: Body,
    /// The lidar's frame in the chassis frame.
    pub lidar: Pose,
    /// Where it is to go, one after the other, m.
    pub goals: Vec<[f64; 2]>,
    /// How near to a goal it has arrived, m.
    pub arrival: f64,
    /// Rectangle out of which it must not plan, m, if any: corners of least and greatest
    /// coordinates.
    pub bounds: Option<[[f64; 2]; 2]>,
    /// By what it knows where it is.
    pub localiser: Localiser,
    /// How scans become a map.
    pub map: MapModel,
    /// By what obstacles are told.
    pub obstacles: ObstacleModel,
    /// What raises the cost of ground.
    pub costs: CostModel,
    /// How routes are planned.
    pub route: RouteModel,
    /// How they are smoothed.
    pub smoothing: Smoothing,
    /// How local paths are made.
    pub spline: SplineModel,
    /// How plans are tracked.
    pub tracking: Tracking,
    /// What to do when stuck.
    pub recovery: RecoveryModel,
}

/// What a vehicle that drives itself is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// On its way.
    #[default]
    Driving,
    /// Backs off from where it did not get on.
    Backing,
    /// Stands at its last goal.
    Arrived,
    /// Stands, having tried often enough.
    GaveUp,
}

/// What the fast part remembers; plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NavigatorState {
    localiser: LocaliserState,
    tracking: TrackingState,
    recovery: RecoveryState,
    phase: Phase,
    goals: Vec<[f64; 2]>,
    /// How many of the goals are behind it.
    reached: usize,
    /// Time of the plan that is being followed, s.
    followed: f64,
    marks: Vec<Mark>,
}

/// What the slow part remembers; plain data, and what is derived from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// What has been seen.
    pub map: ElevationMap,
    area: Area,
    route: Vec<[f64; 2]>,
    route_goal: Option<[f64; 2]>,
    /// When the route was planned, s.
    route_time: f64,
    /// Whether the route leads to the goal.
    arrives: bool,
    /// Offset of the last local path, m.
    offset: f64,
    #[serde(skip)]
    derived: Derived,
}

/// What is made anew from the rest where it is missing: it tells no states apart.
#[derive(Clone, Debug, Default)]
struct Derived {
    window: Window,
    costs: Option<CostMap>,
    search: Search,
}

impl PartialEq for Derived {
    fn eq(&self, _: &Derived) -> bool {
        true
    }
}

/// All that one round of thinking is about.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// When the scan was finished, s.
    pub taken: f64,
    /// The scan.
    pub cloud: &'a Cloud,
    /// Where the vehicle was meanwhile.
    pub track: &'a PoseTrack,
    /// What is believed of its motion now.
    pub estimate: Estimate,
    /// Where it is to go, m, if anywhere.
    pub goal: Option<[f64; 2]>,
    /// Dear places, the old ones first.
    pub marks: &'a [Mark],
    /// Other vehicles as they have told: x, y and radius, m.
    pub others: &'a [[f64; 3]],
}

impl NavigatorState {
    /// What is believed of the own motion.
    pub fn estimate(&self) -> &Estimate {
        self.localiser.estimate()
    }

    /// Where the vehicle was.
    pub fn track(&self) -> &PoseTrack {
        self.localiser.track()
    }

    /// The localiser's state.
    pub fn localiser(&self) -> &LocaliserState {
        &self.localiser
    }

    /// What it is about.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Speed that it wants, m/s, negative backward.
    pub fn wanted(&self) -> f64 {
        self.tracking.wanted
    }

    /// The goal that it is on its way to, m, if any.
    pub fn goal(&self) -> Option<[f64; 2]> {
        self.goals.get(self.reached).copied()
    }

    /// How many goals it has reached.
    pub fn reached(&self) -> usize {
        self.reached
    }

    /// Gives it other goals, m; it is on its way again if there are any.
    pub fn set_goals(&mut self, goals: Vec<[f64; 2]>) {
        self.phase = if goals.is_empty() { Phase::Arrived } else { Phase::Driving };
        self.recovery.attempts = 0;
        (self.goals, self.reached) = (goals, 0);
    }

    /// Places that it has found dear.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }
}

impl Memory {
    /// Costs of the ground, if it has thought already.
    pub fn costs(&self) -> Option<&CostMap> {
        self.derived.costs.as_ref()
    }

    /// The route, m.
    pub fn route(&self) -> &[[f64; 2]] {
        &self.route
    }
}

impl Navigator {
    /// The fast state of a vehicle that stands at `pose` at `time`, s.
    pub fn start(&self, pose: &Pose, time: f64) -> NavigatorState {
        let speed = self.tracking.speed_control.start();
        NavigatorState {
            localiser: self.localiser.start(pose, time),
            tracking: TrackingState { speed, ..TrackingState::default() },
            recovery: RecoveryState::default(),
            phase: if self.goals.is_empty() { Phase::Arrived } else { Phase::Driving },
            goals: self.goals.clone(),
            reached: 0,
            followed: f64::NEG_INFINITY,
            marks: Vec::new(),
        }
    }

    /// The slow state of a vehicle that stands at `pose`.
    pub fn remember(&self, pose: &Pose) -> Memory {
        let mut places = self.goals.clone();
        places.push([pose.position.x, pose.position.y]);
        let area = match self.bounds {
            Some(bounds) => Area::of(bounds, self.map.cell),
            None => Area::around(&places, self.route.margin, self.map.cell),
        };
        Memory {
            map: ElevationMap::new(self.map),
            area,
            route: Vec::new(),
            route_goal: None,
            route_time: f64::NEG_INFINITY,
            arrives: false,
            offset: 0.0,
            derived: Derived::default(),
        }
    }

    /// Feels a reading that was taken at `taken`, s: where the vehicle is, and how the ground
    /// carries it.
    pub fn feel(&self, state: &mut NavigatorState, role: Role, taken: f64, reading: &Reading) {
        self.localiser.feel(&mut state.localiser, role, taken, reading);
        if let (Role::Ground, Reading::Ground(wheels)) = (role, reading) {
            let count = wheels.len().max(1) as f64;
            let slip = wheels.iter().map(|wheel| wheel.slip.abs()).sum::<f64>() / count;
            let sinkage = wheels.iter().map(|wheel| wheel.sinkage.max(0.0)).sum::<f64>() / count;
            self.mark_felt(state, self.costs.slip * slip + self.costs.sinkage * sinkage);
        }
    }

    /// Leaves a mark where the ground is dear, one in a while of way.
    fn mark_felt(&self, state: &mut NavigatorState, cost: f64) {
        let radius = self.costs.felt_radius;
        let place = self.rear(state);
        let is_near = |mark: &Mark| {
            let away = hypot(mark.place[0] - place[0], mark.place[1] - place[1]);
            away < 0.5 * radius && mark.cost >= 0.8 * cost
        };
        if cost > 0.05 && !state.marks.iter().rev().take(8).any(is_near) {
            state.marks.push(Mark { place, radius, cost });
        }
    }

    fn rear(&self, state: &NavigatorState) -> [f64; 2] {
        self.body.geometry.rear(&state.estimate().pose)
    }

    /// Thinks once a scan.
    pub fn think(&self, memory: &mut Memory, look: &Look<'_>) -> Plan {
        self.register(memory, look);
        self.appraise(memory, look);
        self.plan_global(memory, look);
        self.plan_local(memory, look)
    }

    /// Puts the scan into the map; how many returns counted.
    pub fn register(&self, memory: &mut Memory, look: &Look<'_>) -> usize {
        let scan = Scan {
            cloud: look.cloud,
            mount: &self.lidar,
            pose_at: &|before| look.track.pose_at(look.taken + before),
            body: &self.body,
            others: look.others,
        };
        memory.map.register(&scan, &mut memory.derived.window)
    }

    /// Brings classes and costs to what the map and the marks are now; how many tiles were looked
    /// at.
    pub fn appraise(&self, memory: &mut Memory, look: &Look<'_>) -> usize {
        if let Some(goal) = look.goal.filter(|_| self.bounds.is_none()) {
            memory.area = memory.area.with(goal, self.route.margin, self.map.cell);
        }
        let Memory { map, area, derived, .. } = memory;
        let stale = derived.costs.as_ref().is_none_or(|costs| costs.area() != area);
        if stale {
            derived.costs = Some(CostMap::new(*area, self.map.cell, &self.costs));
        }
        let Some(costs) = &mut derived.costs else { return 0 };
        let half_width = 0.5 * self.body.footprint.width;
        costs.update(map, look.marks, &self.obstacles, &self.costs, half_width)
    }

    /// Plans the route if that is due or it is blocked; how many cells the search went through.
    pub fn plan_global(&self, memory: &mut Memory, look: &Look<'_>) -> usize {
        let (Some(goal), Some(costs)) = (look.goal, &memory.derived.costs) else {
            memory.route.clear();
            return 0;
        };
        let rear = self.body.geometry.rear(&look.estimate.pose);
        let due = memory.route_goal != Some(goal)
            || look.taken >= memory.route_time + self.route.period
            || memory.route.iter().any(|place| costs.class(*place).is_blocked());
        if !due {
            return 0;
        }
        let [width, _] = costs.size();
        let grid = Grid { width, costs: costs.costs() };
        let passable = |place: [f64; 2]| grid.passable(costs.coarse(place)?, 6);
        let found = passable(rear)
            .zip(passable(goal))
            .and_then(|(from, to)| memory.derived.search.route(&grid, from, to, self.route.limit));
        memory.route_goal = Some(goal);
        memory.route_time = look.taken;
        let Some(found) = found else {
            (memory.arrives, memory.route) = (false, Vec::new());
            return 0;
        };
        let mut points: Vec<[f64; 2]> = found.cells.iter().map(|at| costs.middle(*at)).collect();
        points[0] = rear;
        if found.arrives {
            match points.len() {
                1 => points.push(goal),
                count => points[count - 1] = goal,
            }
        }
        memory.arrives = found.arrives;
        memory.route = self.smoothing.smoothed(costs, &points);
        found.expanded
    }

    /// Plans the local path along the route.
    pub fn plan_local(&self, memory: &mut Memory, look: &Look<'_>) -> Plan {
        let mut plan = Plan {
            time: look.taken,
            goal: look.goal,
            arrives: memory.arrives,
            route: memory.route.clone(),
            ..Plan::default()
        };
        let (Some(map), Ok(route)) = (&memory.derived.costs, Path::polyline(&memory.route)) else {
            return plan;
        };
        let pose = &look.estimate.pose;
        let ahead = pose.direction(&Vec3::x());
        let level = hypot(ahead.x, ahead.y).max(f64::MIN_POSITIVE);
        let heading = [ahead.x / level, ahead.y / level];
        let start = Start { rear: self.body.geometry.rear(pose), heading };
        let around = Surroundings { map, others: look.others, body: &self.body };
        let Some(local) = self.spline.choose(&around, &start, &route, memory.offset) else {
            return plan;
        };
        let Ok(path) = Path::polyline(&local.points) else { return plan };
        memory.offset = local.offset;
        let end = local.points[local.points.len() - 1];
        plan.ends = look.goal.is_some_and(|goal| {
            hypot(goal[0] - end[0], goal[1] - end[1]) < self.arrival && memory.arrives
        });
        plan.turns = local.turns;
        plan.known = known(&around, &path);
        plan.speeds = self.tracking.speeds(&path, plan.ends);
        plan.path = Some(path);
        plan
    }

    /// Commands for the next `h` seconds by the last plan and what is believed now.
    pub fn drive(&self, state: &mut NavigatorState, plan: &Plan, time: f64, h: f64) -> Controls {
        let estimate = *state.estimate();
        let going =
            Going { body: &self.body, pose: estimate.pose, speed: estimate.speed(), step: h };
        self.arrive(state, &going);
        let tracking = &self.tracking;
        match state.phase {
            Phase::Arrived | Phase::GaveUp => tracking.stand(&mut state.tracking, &going),
            Phase::Backing => self.back(state, &going, time),
            Phase::Driving => self.go(state, plan, &going),
        }
    }

    fn arrive(&self, state: &mut NavigatorState, going: &Going<'_>) {
        let at = going.pose.position;
        while let (Phase::Driving | Phase::Backing, Some(goal)) = (state.phase, state.goal()) {
            if hypot(goal[0] - at.x, goal[1] - at.y) > self.arrival {
                return;
            }
            state.reached += 1;
            if state.reached == state.goals.len() {
                state.phase = Phase::Arrived;
            }
        }
    }

    fn go(&self, state: &mut NavigatorState, plan: &Plan, going: &Going<'_>) -> Controls {
        let rear = self.body.geometry.rear(&going.pose);
        self.recovery.drive_on(&mut state.recovery, rear);
        if plan.time != state.followed {
            state.followed = plan.time;
            state.tracking.place = Place::default();
        }
        let is_current = plan.goal.is_some() && plan.goal == state.goal();
        let controls = match is_current {
            true => self.tracking.follow(&mut state.tracking, plan, going),
            false => self.tracking.stand(&mut state.tracking, going),
        };
        let intent = [is_current, plan.path.is_some()];
        if self.recovery.is_stuck(&mut state.recovery, intent, going.speed, going.step) {
            let ahead = going.pose.direction(&Vec3::x());
            let front = self.body.footprint.front - self.body.geometry.rear_axle;
            let heading = [ahead.x, ahead.y];
            match self.recovery.back_off(&mut state.recovery, rear, heading, front + 1.0) {
                Some(mark) => {
                    state.marks.push(mark);
                    state.tracking.place = Place::default();
                    state.phase = Phase::Backing;
                }
                None => state.phase = Phase::GaveUp,
            }
        }
        controls
    }

    fn back(&self, state: &mut NavigatorState, going: &Going<'_>, _time: f64) -> Controls {
        let done = |controls, state: &mut NavigatorState| {
            state.recovery.backing = None;
            state.tracking.place = Place::default();
            state.phase = Phase::Driving;
            controls
        };
        let Some((way, since)) = &mut state.recovery.backing else {
            return done(self.tracking.stand(&mut state.tracking, going), state);
        };
        *since += going.step;
        let late = *since > self.recovery.duration;
        let Ok(path) = Path::polyline(way) else {
            return done(self.tracking.stand(&mut state.tracking, going), state);
        };
        let controls = self.tracking.back(&mut state.tracking, &path, going);
        let left = path.length() - state.tracking.place.station;
        if late || left < 0.3 { done(controls, state) } else { controls }
    }
}

/// Station up to which the ground before the front is known along a path, m.
fn known(around: &Surroundings<'_>, path: &Path) -> f64 {
    let points = path.points();
    let unknown = (0..points.len() - 1).find(|at| {
        let direction = path.direction(*at);
        !around.is_known(points[*at], direction)
    });
    unknown.map_or(path.length(), |at| path.stations()[at])
}

#[cfg(test)]
mod tests {
    use super::super::proving_ground::{Ground, Trial, navigator};
    use super::*;

    /// A drive from the origin eastward.
    fn trial(ground: Ground, goals: Vec<[f64; 2]>) -> Trial {
        Trial::new(ground, navigator(goals), [0.0, 0.0], 0.0)
    }

    /// Drives until it has arrived or given up, `seconds` at most; whether it has touched
    /// anything, or driven to where its own map showed it at the last plan that it must not.
    fn drive(trial: &mut Trial, seconds: f64) -> [bool; 2] {
        let (mut touched, mut knew) = (false, false);
        let end = trial.time + seconds;
        while trial.time < end && !matches!(trial.state.phase(), Phase::Arrived | Phase::GaveUp) {
            trial.step();
            touched |= trial.touches();
            let pose = trial.pose();
            let map = trial.memory.costs().unwrap();
            let outline = trial.outline(&pose);
            knew |= trial.state.phase() == Phase::Driving
                && outline.into_iter().any(|at| map.class(at).is_blocked());
        }
        [touched, knew]
    }

    #[test]
    fn drives_over_flat_ground_to_its_goals() {
        let mut trial = trial(Ground::default(), vec![[25.0, 0.0], [25.0, 15.0]]);
        assert_eq!(drive(&mut trial, 40.0), [false; 2]);
        assert_eq!((trial.state.phase(), trial.state.reached()), (Phase::Arrived, 2));
        (0..100).for_each(|_| {
            trial.step();
        });
        let at = trial.pose().position;
        assert!(hypot(at.x - 25.0, at.y - 15.0) < 2.0 && trial.speed == 0.0, "{at}");
        // it goes on as soon as it is given another goal
        trial.state.set_goals(vec![[25.0, 40.0]]);
        drive(&mut trial, 40.0);
        assert_eq!(trial.state.phase(), Phase::Arrived);
    }

    #[test]
    fn goes_through_the_gap_in_a_wall() {
        let walls = vec![[15.0, -30.0, 15.5, 4.0, 2.0], [15.0, 9.0, 15.5, 30.0, 2.0]];
        let mut trial = trial(Ground { walls, ..Ground::default() }, vec![[28.0, 0.0]]);
        assert_eq!(drive(&mut trial, 60.0), [false; 2]);
        assert_eq!(trial.state.phase(), Phase::Arrived, "at {:?}", trial.rear);
    }

    /// Waves of 0.2 m, four times the holes of the study and a trunk in every 12 m: it arrives,
    /// touches nothing, and never drives to where its map shows that it must not.
    #[test]
    fn finds_its_way_among_holes_and_trunks() {
        for seed in [3, 6] {
            let goal = [70.0, 10.0];
            let spare = [[0.0, 0.0], goal];
            let ground = Ground::random(seed, [80.0, 60.0], [1.6e-3, 7e-3], &spare);
            let mut trial = trial(Ground { waves: 0.1, ..ground }, vec![goal]);
            assert_eq!(drive(&mut trial, 60.0), [false; 2], "seed {seed} at {:?}", trial.rear);
            assert_eq!(trial.state.phase(), Phase::Arrived, "seed {seed} at {:?}", trial.rear);
        }
    }

    /// Into a dead end that it cannot see from outside, and out of it again.
    #[test]
    fn gets_out_of_a_dead_end() {
        let walls = vec![
            [18.0, -5.0, 18.5, 5.0, 2.0],
            [10.0, -5.0, 18.0, -4.5, 2.0],
            [10.0, 4.5, 18.0, 5.0, 2.0],
        ];
        let mut trial = trial(Ground { walls, ..Ground::default() }, vec![[28.0, 0.0]]);
        let [touched, _] = drive(&mut trial, 120.0);
        assert_eq!((trial.state.phase(), touched), (Phase::Arrived, false), "at {:?}", trial.rear);
    }

    /// One that something holds backs off, marks the place, tries again and gives up in the end.
    #[test]
    fn one_that_is_held_gives_up_in_the_end() {
        let mut trial = trial(Ground::default(), vec![[28.0, 0.0]]);
        trial.navigator.recovery.attempts = 2;
        trial.held = true;
        drive(&mut trial, 60.0);
        assert_eq!(trial.state.phase(), Phase::GaveUp);
        assert_eq!(trial.state.marks().len(), 2);
        // twice 4 s of patience and 12 s of trying to back off, and a last 4 s
        assert!((trial.time - 36.0).abs() < 1.0, "{}", trial.time);
        assert!(trial.step().brake > 0.0);
    }

    /// Slip that was felt makes the ground dear, for a driver that heeds it.
    #[test]
    fn ground_that_slips_is_dear_to_a_driver_that_heeds_it() {
        let wheel = crate::sensor::WheelGround { slip: 0.5, ..Default::default() };
        let reading = Reading::Ground(vec![wheel; 4]);
        for (heed, cost) in [(0.0, 0), (4.0, 200)] {
            let mut trial = trial(Ground::default(), vec![[28.0, 0.0]]);
            trial.navigator.costs.slip = heed;
            trial.step();
            trial.think();
            let at = trial.rear;
            let before = trial.memory.costs().unwrap().cost(at);
            trial.navigator.feel(&mut trial.state, Role::Ground, 0.02, &reading);
            trial.think();
            assert_eq!(trial.memory.costs().unwrap().cost(at) - before, cost);
        }
    }

    /// Stored in the middle of a drive and taken up again, it goes the same way to the last bit,
    /// although what is derived from the map is made anew.
    #[test]
    fn one_that_is_stored_goes_the_same_way() {
        let ground = Ground { holes: vec![[12.0, 0.5]], waves: 0.1, ..Ground::default() };
        let mut one = trial(ground.clone(), vec![[25.0, 0.0]]);
        (0..150).for_each(|_| {
            one.step();
        });
        let mut other = trial(ground, vec![[25.0, 0.0]]);
        (other.rear, other.yaw, other.speed, other.time) = (one.rear, one.yaw, one.speed, one.time);
        let bytes = postcard::to_allocvec(&(&one.state, &one.memory, &one.plan)).unwrap();
        (other.state, other.memory, other.plan) = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(
            (&other.state, &other.memory, &other.plan),
            (&one.state, &one.memory, &one.plan)
        );
        for _ in 0..150 {
            assert_eq!(one.step(), other.step());
        }
        assert_eq!((&other.state, &other.memory), (&one.state, &one.memory));
        assert_eq!(other.memory.costs().unwrap().costs(), one.memory.costs().unwrap().costs());
    }
}
