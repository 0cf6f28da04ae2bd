//! Local paths: cubic splines from the vehicle to lateral offsets from the route.
//!
//! A candidate is the cubic Hermite curve from the rear axle and its heading to a point next to the
//! route. That point lies a given distance ahead along the route and a lateral offset from it; the
//! end direction is that of the route. In the Frenet frame of a straight route, with the lateral
//! offset o, the curve is o (3 t² - 2 t³).
//!
//! Candidates are infeasible if they bend more than the vehicle can steer, or if its outline
//! touches blocked cells. Of the others the cheapest is chosen by offset, curvature, change from
//! the last choice, low clearance and cost of the ground.
//!
//! If no candidate is feasible, arcs at full lock are tried to turn around. In narrow places these
//! are short, and the vehicle backs off in between by arcs at the opposite lock.
//!
//! After K. Chu, M. Lee and M. Sunwoo, "Local path planning for off-road autonomous driving with
//! avoidance of static obstacles", IEEE Transactions on Intelligent Transportation Systems 13
//! (2012).

use super::body::VehicleGeometry;
use super::costs::CostMap;
use super::obstacles::CellClass;
use super::recovery::Waypoint;
use bekker_math::numeric::{hypot, sin_cos};
use bekker_vehicle::driver::Path;
use serde::{Deserialize, Serialize};

/// Decrease of a clearance that is tolerated, m, because heights, positions and headings fluctuate.
const SLACK: f64 = 0.02;

/// Speed above which no arc at full lock is planned, relative to [`SplineModel::turning`].
const BRISK: f64 = 1.5;

/// Lateral margin beyond the width in which faces ahead of the front count, m.
const BESIDE: f64 = 0.1;

/// Parameters of local paths; immutable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SplineModel {
    /// Distances ahead at which candidates end, m, in order of trial.
    pub lengths: Vec<f64>,
    /// Distance between lateral offsets, m.
    pub spacing: f64,
    /// Number of offsets to either side.
    pub offsets: u32,
    /// Clearance that the outline must keep, m.
    pub margin: f64,
    /// Clearance from which nothing is added for proximity, m.
    pub comfort: f64,
    /// Cost of an offset, 1/m.
    pub offset: f64,
    /// Cost of the mean square of the curvature relative to full lock.
    pub bending: f64,
    /// Cost of a change of offset from the last choice, 1/m.
    pub change: f64,
    /// Cost of the mean shortfall of clearance below `comfort`, 1/m.
    pub near: f64,
    /// Cost of a mean ground cost of 1 above that of free level ground.
    pub ground: f64,
    /// Distance between samples of a candidate, m.
    pub sample: f64,
    /// Speed for turns at full lock, m/s.
    ///
    /// At higher speeds the vehicle leaves the arc before its wheels are turned.
    pub turning: f64,
    /// Lengths of the arcs at full lock, m, in order of trial.
    pub arcs: Vec<f64>,
}

impl Default for SplineModel {
    fn default() -> Self {
        SplineModel {
            lengths: vec![12.0, 8.0, 5.0],
            spacing: 0.5,
            offsets: 8,
            margin: 0.1,
            comfort: 0.8,
            offset: 0.3,
            bending: 1.0,
            change: 0.2,
            near: 2.0,
            ground: 0.5,
            sample: 0.25,
            turning: 1.0,
            arcs: vec![5.0, 3.5, 2.0],
        }
    }
}

/// The chosen local path.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalPath {
    /// Points of the rear axle, m.
    pub points: Vec<[f64; 2]>,
    /// Lateral offset of its end from the route, m, positive to the left.
    pub offset: f64,
    /// Cost of the path.
    pub cost: f64,
    /// Whether it is an arc at full lock that turns the vehicle around, off the route.
    pub turns: bool,
}

/// The last choice, from which the next deviates only at a cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathChoice {
    /// Offset of the local path, m.
    pub offset: f64,
    /// Side to which the vehicle turns around: 1 left, -1 right, kept until a path lies ahead; 0 if
    /// it does not turn.
    pub side: f64,
    /// Whether the route was behind the vehicle during the last turn.
    pub is_behind: bool,
}

/// State of the vehicle at the start of a local path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathStart {
    /// Center of the rear axle, m.
    pub rear: [f64; 2],
    /// Unit vector of the heading in the plane.
    pub heading: [f64; 2],
    /// Speed, m/s.
    pub speed: f64,
}

/// Inputs for judging candidates.
#[derive(Clone, Copy)]
pub struct PathEnvironment<'a> {
    /// Costs of the ground.
    pub map: &'a CostMap,
    /// Other vehicles: x, y and radius, m.
    pub others: &'a [[f64; 3]],
    /// This vehicle.
    pub body: &'a VehicleGeometry,
}

impl PathEnvironment<'_> {
    /// Clearances of the disks of the vehicle beyond their radius, m, from rear to front.
    ///
    /// They are exact where they may be below `needed`.
    fn clearances(&self, rear: [f64; 2], heading: [f64; 2], needed: f64) -> [f64; 3] {
        let (middles, radius) = self.body.covering_disks();
        let apart = self.apart(rear, heading);
        std::array::from_fn(|disc| {
            let middle = [0, 1].map(|axis| rear[axis] + heading[axis] * middles[disc]);
            apart[disc].min(self.map.distance(middle, radius + needed) - radius)
        })
    }

    /// Clearances of the disks from other vehicles, m.
    fn apart(&self, rear: [f64; 2], heading: [f64; 2]) -> [f64; 3] {
        let (middles, radius) = self.body.covering_disks();
        middles.map(|along| {
            let [x, y] = [rear[0] + heading[0] * along, rear[1] + heading[1] * along];
            let away = |other: &[f64; 3]| hypot(other[0] - x, other[1] - y) - other[2];
            self.others.iter().map(away).fold(f64::INFINITY, f64::min) - radius
        })
    }

    /// Distance that the vehicle can back off along a path of its rear axle, m.
    ///
    /// The body must not touch another vehicle nor, where this vehicle has not driven itself, a
    /// blocked cell. It may leave cells that its rear already overlaps.
    pub fn reverse_clearance(&self, start: &PathStart, way: &[Waypoint], sample: f64) -> f64 {
        let points: Vec<[f64; 2]> = way.iter().map(|place| place.at).collect();
        let Ok(path) = Path::polyline(&points) else { return 0.0 };
        // up to the last waypoint where it has driven, not on to the first where it has not
        let been = way.iter().zip(path.stations()).take_while(|(place, _)| place.driven);
        let driven = been.last().map_or(0.0, |(_, station)| *station);
        let (_, radius) = self.body.covering_disks();
        // the disks extend beyond the sides by this
        let over = radius - 0.5 * self.body.footprint.width;
        let clearance = |rear, heading, driven| match driven {
            true => self.apart(rear, heading)[0],
            false => self.clearances(rear, heading, 0.0)[0],
        };
        let own = [false, true].map(|driven| clearance(start.rear, start.heading, driven));
        let least = own.map(|own| (own - SLACK).min(-over));
        let is_blocked = |k: &u32| {
            let station = (f64::from(*k) * sample).min(path.length());
            // the heading is taken over 1 m rather than between waypoints, whose direction
            // fluctuates
            let [near, far] = [-0.5, 0.5].map(|by| path.point(0, station + by));
            let length = hypot(near[0] - far[0], near[1] - far[1]).max(f64::MIN_POSITIVE);
            let heading = [0, 1].map(|axis| (near[axis] - far[axis]) / length);
            let driven = station <= driven;
            clearance(path.point(0, station), heading, driven) < least[usize::from(driven)]
        };
        let count = (path.length() / sample).ceil() as u32;
        let blocked = (1..=count).find(is_blocked);
        blocked.map_or(path.length(), |k| f64::from(k - 1) * sample)
    }

    /// Returns whether the front passes a point, or nearly so, within the next `length` meters.
    pub fn is_hit(&self, rear: [f64; 2], heading: [f64; 2], length: f64, place: [f64; 2]) -> bool {
        let footprint = &self.body.footprint;
        let front = footprint.front - self.body.geometry.rear_axle;
        let to = [place[0] - rear[0], place[1] - rear[1]];
        let along = to[0] * heading[0] + to[1] * heading[1] - front;
        let aside = to[1] * heading[0] - to[0] * heading[1];
        (0.0..=length).contains(&along) && aside.abs() <= 0.5 * footprint.width + BESIDE
    }

    /// Returns whether the ground in front of the vehicle is known across its width.
    pub fn is_known(&self, rear: [f64; 2], heading: [f64; 2]) -> bool {
        self.is_known_at(rear, heading, self.body.footprint.front)
    }

    /// Returns whether the ground behind the vehicle is known across its width.
    fn is_known_behind(&self, rear: [f64; 2], heading: [f64; 2]) -> bool {
        self.is_known_at(rear, heading, self.body.footprint.rear)
    }

    /// Returns whether the ground is known across the width at a position on the chassis x axis, m.
    fn is_known_at(&self, rear: [f64; 2], heading: [f64; 2], end: f64) -> bool {
        let along = end - self.body.geometry.rear_axle;
        // closer than a cell, so that the shadow of a trunk does not fit between samples
        [-0.5, -0.25, 0.0, 0.25, 0.5].into_iter().all(|share| {
            let aside = share * self.body.footprint.width;
            let place = [
                rear[0] + heading[0] * along - heading[1] * aside,
                rear[1] + heading[1] * along + heading[0] * aside,
            ];
            self.map.class(place) != CellClass::Unknown
        })
    }
}

impl SplineModel {
    /// Largest distance of a candidate from the rear axle, m, where the route passes within
    /// `beside`, m.
    ///
    /// A Hermite curve stays between its ends and the points a third of its chord beyond them.
    pub fn search_distance(&self, beside: f64) -> f64 {
        let longest = self.lengths.iter().copied().fold(0.0, f64::max);
        let aside = f64::from(self.offsets) * self.spacing;
        4.0 / 3.0 * (longest + beside + aside)
    }

    /// Chooses the best local path along a route; `None` where none is feasible.
    ///
    /// It updates `last` to this choice.
    pub fn choose(
        &self,
        around: &PathEnvironment<'_>,
        start: &PathStart,
        route: &Path,
        last: &mut PathChoice,
    ) -> Option<LocalPath> {
        let here = route.locate(start.rear);
        let least = self.required_clearances(around, start);
        for length in &self.lengths {
            let station = (here.station + length).min(route.length());
            let candidates = (0..=2 * self.offsets).map(|k| {
                // the route itself first, then increasing offsets to either side
                let steps = f64::from(k.div_ceil(2));
                if k % 2 == 1 { steps * self.spacing } else { -steps * self.spacing }
            });
            let judged = candidates.filter_map(|offset| {
                let points = self.spline(start, route, station, offset)?;
                let cost = self.candidate_cost(around, least, &points)?;
                let change = (offset - last.offset).abs();
                let cost = cost + self.offset * offset.abs() + self.change * change;
                Some(LocalPath { points, offset, cost, turns: false })
            });
            let best = judged.reduce(|best, next| if next.cost < best.cost { next } else { best });
            if best.is_some() {
                last.side = 0.0;
                return best;
            }
        }
        // the speed control overshoots the turning speed now and then, and without a path it would
        // brake
        if start.speed.abs() > BRISK * self.turning {
            return None;
        }
        let (side, is_behind) = self.route_side(start, route);
        let begins = last.side == 0.0;
        last.is_behind = is_behind;
        // while the route is behind, the side does not change: arcs to the other side would undo
        // the turn
        if begins || !is_behind {
            last.side = side;
        }
        self.turning_path(around, start, least, last.side).or_else(|| {
            let other = self.turning_path(around, start, least, -last.side).filter(|_| begins)?;
            last.side = -last.side;
            Some(other)
        })
    }

    /// Returns the candidate to an offset from the route at a station.
    fn spline(
        &self,
        start: &PathStart,
        route: &Path,
        station: f64,
        offset: f64,
    ) -> Option<Vec<[f64; 2]>> {
        let [a, b] = [route.point(0, station - 1.0), route.point(0, station)];
        let length = hypot(b[0] - a[0], b[1] - a[1]);
        let ahead = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
        let end = [b[0] - ahead[1] * offset, b[1] + ahead[0] * offset];
        let chord = hypot(end[0] - start.rear[0], end[1] - start.rear[1]);
        if chord < 4.0 * self.sample {
            return None;
        }
        let count = (chord / self.sample).ceil() as usize;
        let points = (0..=count).map(|k| {
            let t = k as f64 / count as f64;
            let (t2, t3) = (t * t, t * t * t);
            let weights =
                [2.0 * t3 - 3.0 * t2 + 1.0, t3 - 2.0 * t2 + t, 3.0 * t2 - 2.0 * t3, t3 - t2];
            std::array::from_fn(|axis| {
                weights[0] * start.rear[axis]
                    + weights[1] * chord * start.heading[axis]
                    + weights[2] * end[axis]
                    + weights[3] * chord * ahead[axis]
            })
        });
        Some(points.collect())
    }

    /// Clearances that the disks must keep, m.
    ///
    /// A vehicle that is already too close to something may leave but come no closer. A disk may
    /// come as close as a disk ahead of it is now.
    fn required_clearances(&self, around: &PathEnvironment<'_>, start: &PathStart) -> [f64; 3] {
        let [rear, middle, nose] = around
            .clearances(start.rear, start.heading, self.margin + SLACK)
            .map(|own| self.margin.min(own - SLACK));
        [rear.min(middle).min(nose), middle.min(nose), nose]
    }

    /// Cost of a candidate by itself; `None` if it is infeasible.
    fn candidate_cost(
        &self,
        around: &PathEnvironment<'_>,
        mut least: [f64; 3],
        points: &[[f64; 2]],
    ) -> Option<f64> {
        let most = around.body.curvature();
        let (mut bending, mut short, mut dear) = (0.0, 0.0, 0.0);
        for at in 1..points.len() {
            let [a, b] = [points[at - 1], points[at]];
            let step = hypot(b[0] - a[0], b[1] - a[1]);
            let heading = [(b[0] - a[0]) / step, (b[1] - a[1]) / step];
            if at + 1 < points.len() {
                let c = points[at + 1];
                let [u, v] = [[b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]];
                let chords = step * hypot(v[0], v[1]) * hypot(c[0] - a[0], c[1] - a[1]);
                let share = 2.0 * (u[0] * v[1] - u[1] * v[0]) / chords / most;
                if share.is_nan() || share.abs() > 1.0 {
                    return None;
                }
                bending += share * share;
            }
            let clearances = around.clearances(b, heading, self.margin + SLACK);
            if clearances.iter().zip(&least).any(|(own, least)| own < least) {
                return None;
            }
            // once the front has gained clearance it must not lose it again
            least[2] = least[2].max(self.margin.min(clearances[2] - SLACK));
            let clearance = clearances.into_iter().fold(f64::INFINITY, f64::min);
            short += (self.comfort - clearance).max(0.0);
            dear += (f64::from(around.map.cost(b)) / 100.0 - 1.0).max(0.0);
        }
        let count = points.len() as f64;
        Some((self.bending * bending + self.near * short + self.ground * dear) / count)
    }

    /// Side on which the route lies, 1 left or -1 right, and whether it lies behind the vehicle.
    fn route_side(&self, start: &PathStart, route: &Path) -> (f64, bool) {
        let here = route.locate(start.rear);
        let longest = self.lengths.first().copied().unwrap_or(0.0);
        let target = route.point(0, (here.station + longest).min(route.length()));
        let to = [target[0] - start.rear[0], target[1] - start.rear[1]];
        let [hx, hy] = start.heading;
        let side = if hx * to[1] - hy * to[0] >= 0.0 { 1.0 } else { -1.0 };
        (side, hx * to[0] + hy * to[1] < 0.0)
    }

    /// Returns an arc at nearly full lock to a side, if one is feasible.
    fn turning_path(
        &self,
        around: &PathEnvironment<'_>,
        start: &PathStart,
        least: [f64; 3],
        side: f64,
    ) -> Option<LocalPath> {
        let curvature = side * 0.95 * around.body.curvature();
        self.arcs.iter().find_map(|length| {
            let count = (length / self.sample).ceil() as usize;
            let points: Vec<[f64; 2]> =
                (0..=count).map(|k| arc(start, curvature, self.sample * k as f64).0).collect();
            let cost = self.candidate_cost(around, least, &points)?;
            Some(LocalPath { points, offset: 0.0, cost, turns: true })
        })
    }

    /// Returns the arc backward, at most `most`, m, at nearly the opposite lock, that continues a
    /// turn to `side`.
    ///
    /// It stays on known ground. The body may leave obstacles that it is already too close to.
    pub fn reverse_arc(
        &self,
        around: &PathEnvironment<'_>,
        start: &PathStart,
        side: f64,
        most: f64,
    ) -> Vec<[f64; 2]> {
        let curvature = -side * 0.95 * around.body.curvature();
        let needed = self.margin + SLACK;
        let own = around.clearances(start.rear, start.heading, needed);
        let least = own.map(|own| self.margin.min(own - SLACK));
        let count = (most / self.sample).ceil() as u32;
        let places = (0..=count).map(|k| arc(start, curvature, -self.sample * f64::from(k)));
        let is_free = |(rear, heading): &([f64; 2], [f64; 2])| {
            let clearances = around.clearances(*rear, *heading, needed);
            around.is_known_behind(*rear, *heading)
                && clearances.iter().zip(&least).all(|(own, least)| own >= least)
        };
        places.take_while(is_free).map(|(rear, _)| rear).collect()
    }
}

/// Rear axle and heading after `along` meters on an arc, backward if negative.
fn arc(start: &PathStart, curvature: f64, along: f64) -> ([f64; 2], [f64; 2]) {
    let [hx, hy] = start.heading;
    let (sin, cos) = sin_cos(curvature * along);
    let (x, y) = (sin / curvature, (1.0 - cos) / curvature);
    let rear = [start.rear[0] + hx * x - hy * y, start.rear[1] + hy * x + hx * y];
    (rear, [hx * cos - hy * sin, hy * cos + hx * sin])
}

#[cfg(test)]
mod tests {
    use super::super::costs::{CostInputs, CostModel};
    use super::super::elevation_map::{
        ElevationMap, MapCell, MapModel, MapTile, MapTileKey, TILE_CELLS, index,
    };
    use super::super::proving_ground::body;
    use super::super::{MapArea, obstacles::ObstacleModel};
    use super::*;
    use std::sync::Arc;

    /// Known level ground with blocked cells.
    fn ground(stands: impl Fn(f64, f64) -> bool) -> CostMap {
        let model = MapModel::default();
        let mut map = ElevationMap::new(model);
        for (a, b) in (-2..3).flat_map(|a| (-2..2).map(move |b| (a, b))) {
            let key = MapTileKey { a, b };
            let [i0, j0] = key.first();
            let mut cells = Box::new([MapCell::EMPTY; TILE_CELLS]);
            for (i, j) in (0..32).flat_map(|i| (0..32).map(move |j| (i0 + i, j0 + j))) {
                let [x, y] = [i, j].map(|k| (f64::from(k) + 0.5) * model.cell);
                let rise = if stands(x, y) { 2000 } else { 0 };
                cells[index([i, j])] =
                    MapCell { lowest: 0, range: 0, rise, returns: 3, hole: false };
            }
            map.merge_tile(key, &Arc::new(MapTile::new(cells)));
        }
        let area = MapArea::spanning([[-32.0, -32.0], [48.0, 32.0]], model.cell);
        let mut costs = CostMap::new(area, None, model.cell, &CostModel::default());
        let (obstacles, dear) = (ObstacleModel::default(), CostModel::default());
        costs.apply_changes(&map, &[]);
        costs.refresh_all(&CostInputs {
            map: &map,
            obstacles: &obstacles,
            costs: &dear,
            half_width: 0.785,
        });
        costs
    }

    fn choose(map: &CostMap, start: &PathStart, others: &[[f64; 3]]) -> Option<LocalPath> {
        let route = Path::polyline(&[[0.0, 0.0], [20.0, 0.0], [40.0, 0.0]]).unwrap();
        let around = PathEnvironment { map, others, body: &body() };
        SplineModel::default().choose(&around, start, &route, &mut PathChoice::default())
    }

    /// Corners of the vehicle and centers of its sides along a path.
    fn outline(local: &LocalPath) -> impl Iterator<Item = [f64; 2]> {
        let footprint = body().footprint;
        local.points.windows(2).flat_map(move |pair| {
            let [x, y] = pair[1];
            let [u, v] = [x - pair[0][0], y - pair[0][1]];
            let [u, v] = [u, v].map(|part| part / hypot(u, v));
            let along = [footprint.rear, 0.0, footprint.front].map(|x| x + 1.36);
            let aside = [-0.5, 0.5].map(|share| share * footprint.width);
            let corners = along.into_iter().flat_map(move |a| aside.map(|b| (a, b)));
            corners.map(move |(a, b)| [x + u * a - v * b, y + v * a + u * b])
        })
    }

    const ON_ROUTE: PathStart = PathStart { rear: [0.0, 0.0], heading: [1.0, 0.0], speed: 0.0 };

    /// On a straight route over free ground the best path is the route.
    #[test]
    fn on_free_ground_it_keeps_to_the_route() {
        let local = choose(&ground(|_, _| false), &ON_ROUTE, &[]).unwrap();
        assert_eq!((local.offset, local.turns), (0.0, false));
        assert!(local.points.iter().all(|[_, y]| y.abs() < 1e-12));
        assert!((local.points[local.points.len() - 1][0] - 12.0).abs() < 1e-12);
        // no offset, no curvature, nothing near and level ground cost nothing
        assert!(local.cost.abs() < 1e-12, "{}", local.cost);
    }

    /// From a lateral offset the path returns on the cubic o (2 t³ - 3 t² + 1).
    #[test]
    fn it_returns_to_the_route_on_a_cubic() {
        let start = PathStart { rear: [0.0, 1.5], ..ON_ROUTE };
        let local = choose(&ground(|_, _| false), &start, &[]).unwrap();
        assert_eq!(local.offset, 0.0);
        let count = (local.points.len() - 1) as f64;
        for (k, [x, y]) in local.points.iter().enumerate() {
            let t = k as f64 / count;
            let cubic = 1.5 * (2.0 * t * t * t - 3.0 * t * t + 1.0);
            assert!((y - cubic).abs() < 1e-12);
            // the tangents are as long as the chord of 12.09 m, so x is nearly linear in t
            assert!((x - 12.0 * t).abs() < 0.1);
        }
    }

    /// A wall crosses the route, with a gap of 4 m whose center is 2 m to the left.
    ///
    /// The path leads through the gap, and no point of the outline enters the wall.
    #[test]
    fn goes_through_a_gap_in_a_wall() {
        let wall = |x: f64, y: f64| (9.0..10.0).contains(&x) && !(0.0..4.0).contains(&y);
        let map = ground(wall);
        let local = choose(&map, &ON_ROUTE, &[]).unwrap();
        assert!((1.0..=3.0).contains(&local.offset), "{}", local.offset);
        assert!(outline(&local).all(|[x, y]| !wall(x, y)));
    }

    /// In front of a single blocked cell, with the front outside it, in its neighbors or partly
    /// over it.
    ///
    /// No path comes closer to the cell than the margin, or than the front is at the start.
    #[test]
    fn does_not_approach_an_obstacle_ahead() {
        let map = ground(|x, y| (4.0..4.5).contains(&x) && (0.0..0.5).contains(&y));
        let (middles, radius) = body().covering_disks();
        let away = |[x, y]: [f64; 2]| {
            hypot((4.0 - x).max(x - 4.5).max(0.0), (-y).max(y - 0.5).max(0.0)) - radius
        };
        let mut left = 0;
        for (i, j) in (0..26).flat_map(|i| (0..14).map(move |j| (i, j))) {
            let rear = [0.05 * f64::from(i), 0.1 * f64::from(j) - 0.5];
            let own = away([rear[0] + middles[2], rear[1]]);
            let Some(local) = choose(&map, &PathStart { rear, ..ON_ROUTE }, &[]) else { continue };
            left += 1;
            for pair in local.points.windows(2) {
                let [u, v] = [pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]];
                for along in middles.map(|along| along / hypot(u, v)) {
                    let least = away([pair[1][0] + u * along, pair[1][1] + v * along]);
                    assert!(least >= own.min(0.1) - 0.021, "{rear:?}: {least} after {own}");
                }
            }
        }
        // some starts have a path
        assert!(left > 10, "{left}");
    }

    /// A vehicle that is walled in has no feasible path.
    #[test]
    fn a_walled_in_vehicle_has_no_path() {
        let walled = |x: f64, y: f64| (x - 1.36).abs() > 3.0 || y.abs() > 2.0;
        assert_eq!(choose(&ground(walled), &ON_ROUTE, &[]), None);
    }

    #[test]
    fn turns_round_at_full_lock_where_the_route_lies_behind() {
        let start = PathStart { rear: [10.0, 0.0], heading: [-1.0, 0.1], speed: 0.5 };
        let local = choose(&ground(|_, _| false), &start, &[]).unwrap();
        assert!(local.turns);
        // the route continues to the right of a vehicle that heads back and slightly to the left
        assert!(local.points[local.points.len() - 1][1] > 0.5);
        // it keeps turning at slightly more than the turning speed
        let faster = PathStart { speed: 1.2 * SplineModel::default().turning, ..start };
        assert!(choose(&ground(|_, _| false), &faster, &[]).is_some_and(|local| local.turns));
        // no arc is planned at a speed at which the vehicle would leave it before its wheels are
        // turned
        assert_eq!(choose(&ground(|_, _| false), &PathStart { speed: 3.0, ..start }, &[]), None);
    }

    #[test]
    fn keeps_clear_of_another_vehicle() {
        let local = choose(&ground(|_, _| false), &ON_ROUTE, &[[8.0, 0.0, 1.5]]).unwrap();
        let least = outline(&local).map(|[x, y]| hypot(x - 8.0, y)).fold(9.0, f64::min);
        assert!(least > 1.5, "{least}");
    }

    /// Backs off along a bend over blocked ground.
    ///
    /// Where the vehicle has driven only other vehicles stop it; elsewhere blocked cells do.
    #[test]
    fn recorded_ground_counts_as_clear_behind() {
        // toward the south, around the origin
        let at = |k: i32| {
            let (sin, cos) = sin_cos(0.05 * f64::from(k));
            [10.0 * cos, 10.0 * sin]
        };
        let start = PathStart { rear: at(0), heading: [0.0, -1.0], speed: 0.0 };
        let map = ground(|_, y| y > 3.0);
        let room = |driven: i32, others: &[[f64; 3]]| {
            let way = (0..=16).map(|k| Waypoint { at: at(k), driven: k <= driven });
            let around = PathEnvironment { map: &map, others, body: &body() };
            around.reverse_clearance(&start, &way.collect::<Vec<_>>(), 0.25)
        };
        let length = 16.0 * 2.0 * 10.0 * bekker_math::numeric::sin(0.025);
        assert!((room(16, &[]) - length).abs() < 1e-9);
        // the rear end is 0.43 m behind the rear axle
        let short = room(0, &[]);
        assert!((2.0..2.7).contains(&short), "{short}");
        // it has driven half of the path, and the blocked cells begin earlier
        assert!((3.5..4.6).contains(&room(8, &[])), "{}", room(8, &[]));
        let [x, y] = at(12);
        let held = room(16, &[[x, y, 1.5]]);
        assert!((3.3..4.2).contains(&held), "{held}");
        // an obstacle straight behind the vehicle is not on the bend
        assert!((room(16, &[[10.5, 6.5, 0.5]]) - length).abs() < 1e-9);
        assert_eq!(room(0, &[[10.0, 1.5, 1.0]]), 0.0);
        // from the current position to a waypoint where it has not driven
        let around = PathEnvironment { map: &map, others: &[], body: &body() };
        let start = PathStart { rear: [10.0, 1.5], ..start };
        let way = [(1.5, true), (6.5, false)].map(|(y, driven)| Waypoint { at: [10.0, y], driven });
        let short = around.reverse_clearance(&start, &way, 0.25);
        assert!((0.5..=1.25).contains(&short), "{short}");
    }
}
