//! Checks of a scenario's routes before anything is driven.
//!
//! They cover elevation, grade, side slope, soil and bends along every route, the trafficability of
//! each soil for each vehicle by the classic theory, and the resulting warnings.

mod finding;

pub use bekker_rig::Trafficability;
pub use finding::{Finding, Risk, RouteSegment};

use bekker_agent::{AgentModel, AnyVehicle, GroundVehicle, PropForm, PropKind, SceneryObject};
use bekker_ground::soil::SoilId;
use bekker_ground::terrain::Terrain;
use bekker_math::numeric::{hypot, tan};
use bekker_sensor::Model;
use bekker_vehicle::driver::{BESIDE, Driver, Path, PathFollower, SteeringGeometry};
use bekker_vehicle::spec::VehicleFootprint;
use bekker_world::WorldModel;
use serde::Serialize;
use std::collections::BTreeMap;

/// Distance between stations, m; larger if a route would have more than [`STATIONS`].
const SPACING: f64 = 0.5;
/// Greatest number of stations of a route.
const STATIONS: f64 = 20_000.0;
/// Distance to either side over which the radius of a bend is taken, m.
///
/// A driver that looks some meters ahead cuts shorter bends.
const BEND_SPACING: f64 = 1.5;
/// Distance below which two parts of a route are merged, m.
const MAX_GAP: f64 = 5.0;
/// Depth inside a hull from which a lidar is reported, m: hull boxes are larger than rounded
/// bodies.
const HIDDEN_SHARE: f64 = 0.05;
/// Drawbar pull over weight on level ground below which a soil is reported.
const LOW_DRAWBAR: f64 = 0.15;

/// A point of a route.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RouteStation {
    /// Distance from the first vehicle's start, m; negative behind it.
    pub distance: f64,
    /// Position, m.
    pub position: [f64; 2],
    /// Height of the undisturbed ground, m.
    pub height: f64,
    /// Rise over run along the route, over the wheelbase.
    pub grade: f64,
    /// Rise over run to the left, over the track width.
    pub side_slope: f64,
    /// Soil.
    #[serde(skip)]
    pub soil: SoilId,
    /// Curvature, 1/m, positive to the left.
    pub curvature: f64,
    /// Whether the point lies on the terrain.
    pub inside: bool,
    /// Whether the leading vehicle there reaches ground without elevation data.
    pub unmapped: bool,
}

/// A route with the vehicles that drive it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedRoute {
    /// Indices of the vehicles, the leading one first.
    pub vehicles: Vec<usize>,
    /// Stations of the route, from the start of the rearmost vehicle.
    pub stations: Vec<RouteStation>,
    /// Time of the leading vehicle to the end of the route at the driver's speed, s.
    pub time: f64,
}

impl PlannedRoute {
    /// Returns the length from the first station to the last, m.
    pub fn length(&self) -> f64 {
        match &self.stations[..] {
            [first, .., last] => last.distance - first.distance,
            _ => 0.0,
        }
    }

    /// Returns the total ascent, m.
    pub fn climb(&self) -> f64 {
        self.stations.windows(2).map(|pair| (pair[1].height - pair[0].height).max(0.0)).sum()
    }

    /// Returns the steepest grades, down and up.
    pub fn grades(&self) -> [f64; 2] {
        let grades = self.stations.iter().map(|station| station.grade);
        grades.fold([0.0, 0.0], |[low, high], grade| [grade.min(low), grade.max(high)])
    }
}

/// Result of the checks of a scenario's routes.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteCheck {
    /// All routes.
    pub routes: Vec<PlannedRoute>,
    /// Trafficability by vehicle, then by soil.
    pub traction: Vec<Vec<Trafficability>>,
    /// Warnings.
    pub findings: Vec<Finding>,
}

/// Checks the routes of a world that is to be driven for `duration` s, with the static obstacles
/// `props`.
pub fn check_routes(model: &WorldModel, duration: f64, props: &[SceneryObject]) -> RouteCheck {
    let terrain = model.ground.terrain();
    let soils = model.ground.soils();
    let traction: Vec<Vec<Trafficability>> = model
        .agents
        .iter()
        .map(|agent| {
            soils.iter().map(|soil| Trafficability::estimate(&agent.vehicle, soil)).collect()
        })
        .collect();
    let routes = routes(model, duration);
    let mut findings = Vec::new();
    for route in &routes {
        // followers drive the route of their leader, so each kind of vehicle is checked once
        let mut judged: Vec<&str> = Vec::new();
        for &index in &route.vehicles {
            let agent = &model.agents[index];
            if judged.contains(&agent.vehicle.name()) {
                continue;
            }
            judged.push(agent.vehicle.name());
            let inspection = RouteInspection {
                agent,
                route,
                footprint: agent.vehicle.footprint(),
                traction: &traction[index],
            };
            let mut own = Vec::new();
            inspection.inspect(model, props, &mut own);
            own.retain(|finding| {
                !is_duplicate(&findings, &model.agents[route.vehicles[0]].name, finding)
            });
            findings.extend(own);
        }
        findings.extend(
            route.vehicles.iter().filter_map(|&index| start_beside_path(&model.agents[index])),
        );
    }
    let standing = |agent: &AgentModel| {
        let [x, y] = [agent.start.position.x, agent.start.position.y];
        let off = follower(agent).is_none() && !terrain.contains(x, y);
        off.then(|| Finding {
            vehicle: agent.name.clone(),
            stretch: None,
            risk: Risk::LeavesTerrain,
        })
    };
    findings.extend(model.agents.iter().filter_map(standing));
    findings.extend(model.agents.iter().flat_map(hidden_lidars));
    RouteCheck { routes, traction, findings }
}

/// Returns whether the leading vehicle already has the same warning at the same position.
fn is_duplicate(findings: &[Finding], head: &str, finding: &Finding) -> bool {
    let Some(own) = finding.stretch else { return false };
    let same = |other: &Finding| {
        other.vehicle == head
            && std::mem::discriminant(&other.risk) == std::mem::discriminant(&finding.risk)
            && other.stretch.is_some_and(|stretch| {
                (stretch.from - own.from).abs().max((stretch.to - own.to).abs()) < MAX_GAP
            })
    };
    findings.iter().any(same)
}

fn follower(agent: &AgentModel) -> Option<&PathFollower> {
    match &agent.driver {
        Driver::Path(follower) => Some(follower),
        _ => None,
    }
}

fn geometry(ground_vehicle: &AnyVehicle) -> SteeringGeometry {
    match ground_vehicle {
        AnyVehicle::Wheeled(own) => SteeringGeometry::from_spec(own.vehicle.spec()),
        AnyVehicle::Tracked(own) => SteeringGeometry::from_tracked_spec(own.vehicle.spec()),
    }
}

/// Returns where a vehicle starts on its path: distance along it and to the left of it, m.
fn start(agent: &AgentModel, path: &Path) -> [f64; 2] {
    let place = path.locate(geometry(&agent.vehicle).rear(&agent.start));
    [place.station, place.offset]
}

fn routes(model: &WorldModel, duration: f64) -> Vec<PlannedRoute> {
    let mut routes: Vec<PlannedRoute> = Vec::new();
    for (index, agent) in model.agents.iter().enumerate() {
        let Some(own) = follower(agent) else { continue };
        let same = |route: &&mut PlannedRoute| {
            let head = &model.agents[route.vehicles[0]];
            follower(head).is_some_and(|head| head.path() == own.path())
        };
        match routes.iter_mut().find(same) {
            // the leading vehicle of a convoy has no leader
            Some(route) if agent.leader.is_none() => route.vehicles.insert(0, index),
            Some(route) => route.vehicles.push(index),
            None => {
                routes.push(PlannedRoute { vehicles: vec![index], stations: Vec::new(), time: 0.0 })
            }
        }
    }
    for route in &mut routes {
        let head = &model.agents[route.vehicles[0]];
        let Some(own) = follower(head) else { continue };
        let path = own.path();
        let first = start(head, path)[0];
        let begin = route
            .vehicles
            .iter()
            .map(|&index| start(&model.agents[index], path)[0])
            .fold(first, f64::min);
        let points = path.stations();
        // an open-ended path continues straight from its last waypoint: as far as the time allows
        let plan = own.config();
        let reach = first + plan.cruise_speed * (duration - plan.start_time).max(0.0);
        let end = if plan.stop_at_end {
            path.length()
        } else {
            reach.max(points[points.len() - 2]).min(path.length())
        };
        route.time = plan.start_time + (end - first).max(0.0) / plan.cruise_speed.max(1e-3);
        route.stations = stations(model.ground.terrain(), head, path, [begin, end], first);
    }
    routes
}

fn stations(
    terrain: &Terrain,
    head: &AgentModel,
    path: &Path,
    [begin, end]: [f64; 2],
    zero: f64,
) -> Vec<RouteStation> {
    let length = (end - begin).max(0.0);
    let count = (length / SPACING).ceil().clamp(1.0, STATIONS);
    let base = 0.5 * geometry(&head.vehicle).wheelbase.max(1.0);
    let side = 0.5 * head.vehicle.footprint().width;
    let height = |[x, y]: [f64; 2]| terrain.height(x, y);
    let points = path.stations();
    let at = |k: usize| {
        let s = begin + length * k as f64 / count;
        // bisection keeps long routes fast
        let near = |s: f64| {
            let segment = points.partition_point(|station| *station <= s).saturating_sub(1);
            path.point(segment, s)
        };
        let (position, behind, ahead) = (near(s), near(s - base), near(s + base));
        let (dx, dy) = (ahead[0] - behind[0], ahead[1] - behind[1]);
        let run = hypot(dx, dy).max(1e-9);
        let aside = [-dy / run * side, dx / run * side];
        let beside =
            |sign: f64| height([position[0] + sign * aside[0], position[1] + sign * aside[1]]);
        let [x, y] = position;
        RouteStation {
            distance: s - zero,
            position,
            height: height(position),
            grade: (height(ahead) - height(behind)) / run,
            side_slope: (beside(1.0) - beside(-1.0)) / (2.0 * side),
            soil: terrain.soil(x, y),
            curvature: curvature(near(s - BEND_SPACING), position, near(s + BEND_SPACING)),
            inside: terrain.contains(x, y),
            unmapped: [-1.0, 0.0, 1.0]
                .iter()
                .any(|sign| terrain.is_gap(x + sign * aside[0], y + sign * aside[1])),
        }
    };
    (0..=count as usize).map(at).collect()
}

/// Returns the curvature of the circle through three points, 1/m, positive to the left.
fn curvature(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let [ux, uy] = [b[0] - a[0], b[1] - a[1]];
    let [vx, vy] = [c[0] - b[0], c[1] - b[1]];
    let sides = hypot(ux, uy) * hypot(vx, vy) * hypot(c[0] - a[0], c[1] - a[1]);
    if sides < 1e-9 { 0.0 } else { 2.0 * (ux * vy - uy * vx) / sides }
}

/// One kind of vehicle on one route.
struct RouteInspection<'a> {
    agent: &'a AgentModel,
    route: &'a PlannedRoute,
    footprint: VehicleFootprint,
    traction: &'a [Trafficability],
}

impl RouteInspection<'_> {
    fn inspect(&self, model: &WorldModel, props: &[SceneryObject], findings: &mut Vec<Finding>) {
        let soils = model.ground.soils();
        let traction = |station: &RouteStation| self.traction[usize::from(station.soil.0)];
        let soil = |station: &RouteStation| soils[usize::from(station.soil.0)].name.clone();
        let beyond = |grade: f64, limit: f64| (grade.abs() > limit).then_some(grade.abs() / limit);
        // judged by the grade that the vehicle climbs; the steepest point decides whether any
        // vehicle climbs it
        let steep = |s: &RouteStation| {
            let least = traction(s).drawbar().max(0.05).min(traction(s).strength);
            let climb = (s.grade > least).then_some(s.grade / least);
            climb.or(beyond(s.grade, traction(s).strength))
        };
        self.stretches(findings, steep, |s| {
            let traction = traction(s);
            if s.grade.abs() > traction.strength {
                Risk::Wall { grade: s.grade, strength: traction.strength, soil: soil(s) }
            } else {
                Risk::SteepGrade { grade: s.grade, drawbar: traction.drawbar(), soil: soil(s) }
            }
        });
        let limit = overturning(&self.agent.vehicle, &self.footprint);
        self.stretches(
            findings,
            |s| beyond(s.side_slope, limit),
            |s| Risk::SideSlope { slope: s.side_slope, limit },
        );
        for (index, traction) in self.traction.iter().enumerate() {
            let soft = |s: &RouteStation| {
                (usize::from(s.soil.0) == index && traction.drawbar() < LOW_DRAWBAR).then_some(0.0)
            };
            self.stretches(findings, soft, |s| Risk::SoftSoil {
                soil: soil(s),
                sinkage: traction.sinkage,
                drawbar: traction.drawbar(),
                hung_up: traction.hung_up,
            });
        }
        let outside = |s: &RouteStation| (!s.inside).then_some(0.0);
        self.stretches(findings, outside, |_| Risk::LeavesTerrain);
        let unmapped = |s: &RouteStation| (s.inside && s.unmapped).then_some(0.0);
        self.stretches(findings, unmapped, |_| Risk::UnmappedGround);
        let geometry = geometry(&self.agent.vehicle);
        let least = match geometry.articulated {
            Some(_) => geometry.min_radius(),
            None => geometry.wheelbase / tan(geometry.max_steer).max(1e-3),
        };
        // a tolerance of 1 % for the chords of the curve
        let bend = |s: &RouteStation| {
            let tight = s.curvature.abs() * least;
            (tight > 1.01).then_some(tight)
        };
        self.stretches(findings, bend, |s| Risk::TightBend {
            radius: 1.0 / s.curvature.abs(),
            least,
        });
        self.obstacles(props, findings);
    }

    /// Adds a warning for every part of the route where `severity` is `Some`, at its worst station.
    fn stretches(
        &self,
        findings: &mut Vec<Finding>,
        severity: impl Fn(&RouteStation) -> Option<f64>,
        risk: impl Fn(&RouteStation) -> Risk,
    ) {
        let mut open: Option<(f64, f64, f64, &RouteStation)> = None;
        let mut close = |open: &mut Option<(f64, f64, f64, &RouteStation)>| {
            if let Some((from, to, _, worst)) = open.take() {
                let stretch = Some(RouteSegment { from, to, position: worst.position });
                findings.push(Finding {
                    vehicle: self.agent.name.clone(),
                    stretch,
                    risk: risk(worst),
                });
            }
        };
        for station in &self.route.stations {
            let Some(severe) = severity(station) else {
                if open.is_some_and(|(_, to, ..)| station.distance - to > MAX_GAP) {
                    close(&mut open);
                }
                continue;
            };
            open = Some(match open {
                None => (station.distance, station.distance, severe, station),
                Some((from, _, worst, at)) => {
                    let (worst, at) = if severe > worst { (severe, station) } else { (worst, at) };
                    (from, station.distance, worst, at)
                }
            });
        }
        close(&mut open);
    }

    fn obstacles(&self, props: &[SceneryObject], findings: &mut Vec<Finding>) {
        const CELL: f64 = 8.0;
        let cell = |[x, y]: [f64; 2]| [(x / CELL).floor() as i64, (y / CELL).floor() as i64];
        let mut near: BTreeMap<[i64; 2], Vec<&RouteStation>> = BTreeMap::new();
        for station in &self.route.stations {
            near.entry(cell(station.position)).or_default().push(station);
        }
        for prop in props {
            let needed = 0.5 * self.footprint.width + stem(prop);
            let [i, j] = cell(prop.place);
            let around = (i - 1..=i + 1).flat_map(|i| (j - 1..=j + 1).map(move |j| [i, j]));
            let nearest = around
                .filter_map(|key| near.get(&key))
                .flatten()
                .map(|station| {
                    let [x, y] = station.position;
                    (hypot(x - prop.place[0], y - prop.place[1]), station)
                })
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((clearance, station)) = nearest.filter(|(away, _)| *away < needed) else {
                continue;
            };
            let at = station.distance;
            findings.push(Finding {
                vehicle: self.agent.name.clone(),
                stretch: Some(RouteSegment { from: at, to: at, position: prop.place }),
                risk: Risk::Obstacle { kind: prop.noun().into(), clearance, needed },
            });
        }
    }
}

/// Returns the radius of an obstacle near the ground, m.
fn stem(prop: &SceneryObject) -> f64 {
    let own = match prop.form {
        PropForm::Kind(PropKind::Post) => 0.1,
        PropForm::Kind(PropKind::Rock) => 0.6,
        PropForm::Kind(PropKind::Block | PropKind::Barrier) => {
            let [length, width, _] = prop.size.unwrap_or([1.0; 3]);
            return 0.5 * hypot(length, width);
        }
        PropForm::Kind(_) => 0.3,
        PropForm::Mesh { .. } => 1.0,
    };
    own * prop.scale
}

/// Returns the side slope at which the weight passes over the lower wheels.
///
/// It is half the track width over the height of the chassis's center of mass.
fn overturning(ground_vehicle: &AnyVehicle, footprint: &VehicleFootprint) -> f64 {
    let properties = ground_vehicle.properties();
    let center = properties.wheel_centers[0];
    let height = properties.chassis.com[2] - center.z + properties.ride_radius;
    if height > 0.0 { center.y.abs().max(0.25 * footprint.width) / height } else { f64::INFINITY }
}

/// Returns warnings for lidars inside their vehicle's hull.
fn hidden_lidars(agent: &AgentModel) -> impl Iterator<Item = Finding> {
    let lidars = agent.sensors.iter().filter(|own| matches!(own.model, Model::Lidar(_)));
    lidars.filter_map(|own| {
        let depth = agent.vehicle.outline().depth(&own.mount.position);
        (depth > HIDDEN_SHARE).then(|| Finding {
            vehicle: agent.name.clone(),
            stretch: None,
            risk: Risk::HiddenLidar { sensor: own.name.clone(), depth },
        })
    })
}

/// Returns a warning if a vehicle does not start on its route.
fn start_beside_path(agent: &AgentModel) -> Option<Finding> {
    let offset = start(agent, follower(agent)?.path())[1].abs();
    (offset > BESIDE).then(|| Finding {
        vehicle: agent.name.clone(),
        stretch: None,
        risk: Risk::StartsBeside { offset },
    })
}
