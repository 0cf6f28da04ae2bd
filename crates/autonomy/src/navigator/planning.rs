//! The slow part of the driver: from a scan to a plan.

use super::Navigator;
use crate::area::MapArea;
use crate::astar::{AstarWorkspace, Grid};
use crate::body::VehicleGeometry;
use crate::costs::{CostInputs, CostMap, CostPenalty};
use crate::elevation_map::{ElevationMap, MapTileKey, RegistrationWindow, Scan};
use crate::localization::{MotionEstimate, PoseTrack};
use crate::plan::LocalPlan;
use crate::recovery::Waypoint;
use crate::right_of_way::{MovingAgent, yield_station};
use crate::shared_goals::{arrival_radius, arrival_station};
use crate::spline::{PathChoice, PathEnvironment, PathStart};
use bekker_math::numeric::hypot;
use bekker_math::spatial::{Pose, Vec3};
use bekker_sensor::lidar::Cloud;
use bekker_vehicle::driver::Path;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Parameters of route planning; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RouteModel {
    /// Time between routes, s; a blocked route is replanned immediately.
    pub period: f64,
    /// Largest number of cells that a search expands.
    pub limit: usize,
    /// Width of the area around start and goals in which routes are searched, m.
    pub margin: f64,
    /// Distance from the route above which a new route is planned, m.
    pub beside: f64,
}

impl Default for RouteModel {
    fn default() -> Self {
        RouteModel { period: 1.0, limit: 400_000, margin: 50.0, beside: 6.0 }
    }
}

/// State of the slow part; plain data and what is derived from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannerState {
    /// Elevation map of the ground that the vehicle has scanned.
    pub map: ElevationMap,
    area: MapArea,
    route: Vec<[f64; 2]>,
    route_goal: Option<[f64; 2]>,
    /// Time at which the route was planned, s.
    route_time: f64,
    /// Whether the route leads to the goal.
    arrives: bool,
    /// Last choice of a local path.
    choice: PathChoice,
    #[serde(skip)]
    derived: PlannerCache,
}

/// Data that is recomputed from the rest where it is missing.
///
/// It does not take part in comparisons: any two are equal.
#[derive(Clone, Debug, Default)]
struct PlannerCache {
    window: RegistrationWindow,
    costs: Option<CostMap>,
    search: AstarWorkspace,
}

impl PartialEq for PlannerCache {
    fn eq(&self, _: &PlannerCache) -> bool {
        true
    }
}

/// Inputs of one planning round.
#[derive(Clone, Copy)]
pub struct PlanInput<'a> {
    /// Time at which the scan was completed, s.
    pub taken: f64,
    /// The scan.
    pub cloud: &'a Cloud,
    /// Poses of the vehicle during the scan.
    pub track: &'a PoseTrack,
    /// Estimated motion now.
    pub estimate: MotionEstimate,
    /// Current goal, m, if any.
    pub goal: Option<[f64; 2]>,
    /// Yaw of the rear frame of an articulated vehicle relative to the chassis now, rad.
    pub articulation: Option<f64>,
    /// Path of the axle that leads in reverse back from its current position, m.
    pub way_back: &'a [Waypoint],
    /// Expensive ground, oldest marks first.
    pub marks: &'a [CostPenalty],
    /// Other vehicles as reported: x, y and radius, m.
    pub others: &'a [[f64; 3]],
    /// Moving vehicles among `others` to which this vehicle yields.
    pub moving: &'a [MovingAgent],
    /// Stationary vehicles among `others`.
    pub standing: &'a [[f64; 3]],
    /// Positions of the other vehicles at several moments during the scan.
    ///
    /// Returns from there are attributed to these vehicles.
    pub seen: &'a [[f64; 3]],
}

impl PlannerState {
    /// Costs of the ground, once the first round has run.
    ///
    /// They are current around the vehicle; elsewhere they date from the last route planning.
    pub fn costs(&self) -> Option<&CostMap> {
        self.derived.costs.as_ref()
    }

    /// The route, m.
    pub fn route(&self) -> &[[f64; 2]] {
        &self.route
    }
}

impl Navigator {
    /// Returns the slow state of a vehicle at rest at `pose`.
    pub fn start_planner(&self, pose: &Pose) -> PlannerState {
        let mut places = self.goals.clone();
        places.push([pose.position.x, pose.position.y]);
        let area = match self.bounds {
            Some(bounds) => MapArea::spanning(bounds, self.map.cell),
            None => MapArea::around(&places, self.route.margin, self.map.cell),
        };
        PlannerState {
            map: ElevationMap::new(self.map),
            area,
            route: Vec::new(),
            route_goal: None,
            route_time: f64::NEG_INFINITY,
            arrives: false,
            choice: PathChoice::default(),
            derived: PlannerCache::default(),
        }
    }

    /// Runs one planning round for a scan.
    pub fn plan(&self, memory: &mut PlannerState, look: &PlanInput<'_>) -> LocalPlan {
        self.register(memory, look);
        self.update_costs(memory, look);
        self.plan_global(memory, look);
        self.plan_local(memory, look)
    }

    /// Registers the scan in the map; returns how many returns counted.
    pub fn register(&self, memory: &mut PlannerState, look: &PlanInput<'_>) -> usize {
        let scan = Scan {
            cloud: look.cloud,
            mount: &self.lidar,
            pose_at: &|before| look.track.pose_at(look.taken + before),
            body: &self.body,
            others: look.seen,
        };
        memory.map.register(&scan, &mut memory.derived.window)
    }

    /// Updates classes and costs around the vehicle to the current map and marks; returns how many
    /// tiles were classified.
    ///
    /// Tiles farther away are updated only when a route is planned over them.
    pub fn update_costs(&self, memory: &mut PlannerState, look: &PlanInput<'_>) -> usize {
        if let Some(goal) = look.goal.filter(|_| self.bounds.is_none()) {
            memory.area = memory.area.including(goal, self.route.margin, self.map.cell);
        }
        let PlannerState { map, area, derived, .. } = memory;
        let is_stale = |costs: &CostMap| costs.area() != area || costs.lacks_tiles_of(map);
        if derived.costs.as_ref().is_none_or(is_stale) {
            let costs = CostMap::new(*area, self.bounds, self.map.cell, &self.costs);
            derived.costs = Some(costs.with_gaps(self.gaps.clone()));
        }
        let Some(costs) = &mut derived.costs else { return 0 };
        costs.apply_changes(map, look.marks);
        let [x, y] = self.body.geometry.rear(&look.estimate.pose);
        let footprint = &self.body.footprint;
        let outline = footprint.front - footprint.rear + footprint.width;
        let reach = self.spline.search_distance(self.route.beside) + outline;
        let first = costs.tile_of([x - reach, y - reach]);
        let last = costs.tile_of([x + reach, y + reach]);
        let near = (first.b..=last.b)
            .flat_map(move |b| (first.a..=last.a).map(move |a| MapTileKey { a, b }));
        costs.refresh(&self.cost_inputs(map), near)
    }

    /// Collects the inputs of classes and costs.
    fn cost_inputs<'a>(&'a self, map: &'a ElevationMap) -> CostInputs<'a> {
        let half_width = 0.5 * self.body.footprint.width;
        CostInputs { map, obstacles: &self.obstacles, costs: &self.costs, half_width }
    }

    /// Plans the route if that is due or the route is blocked; returns how many cells the search
    /// expanded.
    pub fn plan_global(&self, memory: &mut PlannerState, look: &PlanInput<'_>) -> usize {
        let (Some(goal), Some(costs)) = (look.goal, &mut memory.derived.costs) else {
            memory.route.clear();
            return 0;
        };
        let cost_inputs = self.cost_inputs(&memory.map);
        let under = memory.route.iter().map(|place| costs.tile_of(*place)).collect::<BTreeSet<_>>();
        costs.refresh_classes(&cost_inputs, under.into_iter());
        let rear = self.body.geometry.rear(&look.estimate.pose);
        let away = |place: &[f64; 2]| hypot(place[0] - rear[0], place[1] - rear[1]);
        let beside = memory.route.iter().map(away).fold(f64::INFINITY, f64::min);
        let due = memory.route_goal != Some(goal)
            || look.taken >= memory.route_time + self.route.period
            || beside > self.route.beside
            || memory.route.iter().any(|place| costs.class(*place).is_blocked());
        if !due {
            return 0;
        }
        costs.refresh_all(&cost_inputs);
        let [width, _] = costs.size();
        let grid = Grid { width, costs: costs.costs() };
        let passable = |place: [f64; 2]| grid.passable(costs.coarse_index(place)?, 6);
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
    pub fn plan_local(&self, memory: &mut PlannerState, look: &PlanInput<'_>) -> LocalPlan {
        let mut plan = LocalPlan {
            time: look.taken,
            goal: look.goal,
            arrives: memory.arrives,
            route: memory.route.clone(),
            ..LocalPlan::default()
        };
        let Some(map) = &memory.derived.costs else { return plan };
        let pose = &look.estimate.pose;
        let heading = level_direction(&pose.direction(&Vec3::x()));
        let (rear, speed) = (self.body.geometry.rear(pose), look.estimate.speed());
        let start = PathStart { rear, heading, speed };
        if let Some(goal) = look.goal {
            plan.near_enough = arrival_radius(&self.body, self.arrival, goal, rear, look.standing);
        }
        let around = PathEnvironment { map, others: look.others, body: &self.body };
        let (leading, direction) = self.body.geometry.reversing_point(pose, look.articulation);
        let back_start = PathStart { rear: leading, heading: level_direction(&direction), speed };
        let back_body = self.body.in_reverse();
        let behind = PathEnvironment { body: &back_body, ..around };
        plan.behind = behind.reverse_clearance(&back_start, look.way_back, self.spline.sample);
        let Ok(route) = Path::polyline(&memory.route) else { return plan };
        let local = self.spline.choose(&around, &start, &route, &mut memory.choice);
        if memory.choice.side != 0.0 {
            plan.is_behind = memory.choice.is_behind;
            plan.back = self.spline.reverse_arc(
                &behind,
                &back_start,
                memory.choice.side,
                self.recovery.distance,
            );
            // if neither an arc forward nor one backward is possible, the side is chosen again
            if local.is_none() && plan.back.len() < 2 {
                memory.choice.side = 0.0;
            }
        }
        let Some(local) = local else { return plan };
        let Ok(path) = Path::polyline(&local.points) else { return plan };
        memory.choice.offset = local.offset;
        let end = local.points[local.points.len() - 1];
        plan.ends = look.goal.is_some_and(|goal| {
            hypot(goal[0] - end[0], goal[1] - end[1]) < self.arrival && memory.arrives
        });
        plan.turns = local.turns;
        plan.known = known_station(&around, &path, memory.derived.window.faces());
        let fall = self.path_descent(&memory.map, pose, &path, plan.known);
        let tracking = self.tracking.on_descent(fall);
        plan.speeds = tracking.speeds(&path, plan.ends, None);
        let wait = yield_station(&self.body, &path, &plan.speeds, &start, look.moving);
        let widened = look.goal.filter(|_| plan.near_enough > self.arrival);
        let stop =
            widened.and_then(|goal| arrival_station(&self.body, &path, goal, plan.near_enough));
        let wait = wait.into_iter().chain(stop).reduce(f64::min);
        if wait.is_some() {
            plan.speeds = tracking.speeds(&path, plan.ends, wait);
        }
        // on level ground the fast part applies this limit at each step
        if tracking != self.tracking {
            tracking.keep_stoppable(&mut plan.speeds, &path, plan.known, plan.ends);
        }
        if local.turns {
            plan.speeds.iter_mut().for_each(|speed| *speed = speed.min(self.spline.turning));
        }
        plan.path = Some(path);
        plan
    }
}

impl Navigator {
    /// Mean descent of the ground per meter, from the rear axle to a front that has reached station
    /// `known`.
    ///
    /// Only the end points count, because the work of gravity along the path depends on them alone.
    /// It is 0 where the ground there has not been seen; the vehicle then creeps.
    fn path_descent(&self, map: &ElevationMap, pose: &Pose, path: &Path, known: f64) -> f64 {
        let VehicleGeometry { geometry, footprint, ground, .. } = &self.body;
        let at = path.stations().iter().rposition(|station| *station <= known).unwrap_or(0);
        let (place, direction) =
            (path.points()[at], path.direction(at.min(path.points().len() - 2)));
        let before = footprint.front - geometry.rear_axle;
        let end = [0, 1].map(|axis| place[axis] + before * direction[axis]);
        let here = pose.point(&Vec3::new(geometry.rear_axle, 0.0, *ground)).z;
        let way = path.stations()[at] + before;
        map.height(end).map_or(0.0, |there| (here - there) / way)
    }
}

/// Unit vector of a direction in the plane.
fn level_direction(ahead: &Vec3) -> [f64; 2] {
    let level = hypot(ahead.x, ahead.y).max(f64::MIN_POSITIVE);
    [ahead.x / level, ahead.y / level]
}

/// Station of a path up to which the ground in front of the vehicle is known, m.
///
/// Known ground has been seen and contains no face of unknown height.
fn known_station(around: &PathEnvironment<'_>, path: &Path, faces: &[[f64; 2]]) -> f64 {
    let points = path.points();
    let unknown = (0..points.len() - 1).find(|at| {
        let (place, direction) = (points[*at], path.direction(*at));
        let length = path.stations()[*at + 1] - path.stations()[*at];
        !around.is_known(place, direction)
            || faces.iter().any(|face| around.is_hit(place, direction, length, *face))
    });
    unknown.map_or(path.length(), |at| path.stations()[at])
}
