//! Classification of cells: unknown, free, obstacle or hole.
//!
//! A cell is an obstacle where its in-cell slope exceeds 2.5, the value of the study, or where the
//! ground steps by more than the vehicle climbs. The in-cell slope is the highest less the lowest
//! return of a scan ([`MapCell::rise`]) over the side of the cell. The step is within the cell or to a
//! neighbor.
//!
//! The in-cell slope alone is not sufficient. In a cell of 0.5 m it requires a rise of 1.25 m. A
//! lidar 1 m high whose beams look down by at least 13.75 degrees sees at most 0.75 m of a wall 1 m
//! ahead. The in-cell slope also never finds the holes of the study: a parabola 1.5 m deep and
//! 2.5 m in radius is nowhere steeper than 1.2.
//!
//! A cell that is steep, or under a gap between beams, may be a hole. It is one if the ground is
//! higher on both sides of it, along at least two lines through it.

use super::elevation_map::{ElevationMap, MapCell, MapTileKey, TILE, TILE_CELLS};
use serde::{Deserialize, Serialize};

/// Class of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum CellClass {
    /// Not seen.
    #[default]
    Unknown,
    /// Passable.
    Free,
    /// An obstacle, or a step in the ground.
    Obstacle,
    /// A hole in the ground.
    Hole,
}

impl CellClass {
    /// Returns whether the vehicle must not drive over the cell.
    #[inline]
    pub fn is_blocked(self) -> bool {
        self >= CellClass::Obstacle
    }
}

/// Parameters of the classification; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObstacleModel {
    /// In-cell slope above which a cell is an obstacle.
    pub in_cell_slope: f64,
    /// Largest step within a cell or to a neighbor that the vehicle climbs, m.
    pub step: f64,
    /// Slope up to which a rise above `step` from one cell to the next counts as a slope, not as a
    /// step.
    pub slope: f64,
    /// Depth of a hole below the ground on both sides, m.
    pub hole_depth: f64,
    /// Largest distance of that ground, m.
    pub hole_reach: f64,
    /// Number of the eight neighbors that must be seen for a cell without returns to count as seen.
    pub neighbors: usize,
}

impl Default for ObstacleModel {
    fn default() -> Self {
        ObstacleModel {
            in_cell_slope: 2.5,
            step: 0.25,
            slope: 0.5,
            hole_depth: 0.4,
            hole_reach: 5.0,
            neighbors: 7,
        }
    }
}

/// Distance over which the ground heights of cells are compared, m, but at least one cell.
///
/// Over much less no slope would count as a step, over much more any slope would.
const BASE: f64 = 0.5;

/// Largest radius of a hole, in cells.
const MARGIN: usize = 16;
const SIDE: usize = TILE + 2 * MARGIN;

/// Result of classifying a tile.
#[derive(Clone, Debug, PartialEq)]
pub struct TileClasses {
    /// Class of each cell, row by row.
    pub classes: [CellClass; TILE_CELLS],
    /// Slope of each cell relative to its neighbors, in hundredths.
    pub slopes: [u8; TILE_CELLS],
}

/// Lowest returns in a tile and around it, mm, row by row; `i32::MAX` where nothing is seen.
struct LowestReturns {
    lowest: Vec<i32>,
}

impl LowestReturns {
    fn around(map: &ElevationMap, key: MapTileKey, margin: usize) -> LowestReturns {
        let mut lowest = vec![i32::MAX; SIDE * SIDE];
        for (a, b) in (-1..=1).flat_map(|b| (-1..=1).map(move |a| (a, b))) {
            let Some(tile) = map.tile(MapTileKey { a: key.a + a, b: key.b + b }) else { continue };
            // the part of the neighbor within the margin
            let span = |side: i32| match side {
                -1 => TILE - margin..TILE,
                0 => 0..TILE,
                _ => 0..margin,
            };
            let place = |side: i32, at: usize| {
                ((side * TILE as i32 + MARGIN as i32) as isize + at as isize) as usize
            };
            for row in span(b) {
                let cells = &tile.cells()[row * TILE..][span(a)];
                let first = place(b, row) * SIDE + place(a, span(a).start);
                for (own, cell) in lowest[first..].iter_mut().zip(cells) {
                    *own = cell.lowest;
                }
            }
        }
        LowestReturns { lowest }
    }
}

impl ObstacleModel {
    /// Classifies the cells of a tile from its own cells and those of the neighboring tiles.
    pub fn classify(&self, map: &ElevationMap, key: MapTileKey) -> TileClasses {
        let cell = map.model().cell;
        let reach = ((self.hole_reach / cell) as usize).clamp(1, MARGIN);
        let stands = (self.in_cell_slope * cell * 1e3) as i64;
        // distance of the neighbors to which steps are measured, and the step that a slope explains
        let apart = ((BASE / cell).round() as usize).clamp(1, MARGIN);
        let step = (self.step * 1e3) as i64;
        let next = step.max((1e3 * self.slope * cell * apart as f64) as i64);
        let around = LowestReturns::around(map, key, reach.max(apart));
        let steeper = 1e3 * self.slope * (cell - BASE).max(0.0) * std::f64::consts::SQRT_2;
        let mut found =
            TileClasses { classes: [CellClass::Unknown; TILE_CELLS], slopes: [0; TILE_CELLS] };
        let cells = map.tile(key).map_or(&[MapCell::EMPTY; TILE_CELLS], |tile| tile.cells());
        let mut seen = [0; TILE + 2];
        for (at, own) in cells.iter().enumerate() {
            let place = (at / TILE + MARGIN) * SIDE + at % TILE + MARGIN;
            if at % TILE == 0 {
                seen = around.seen_about(place);
            }
            if !own.is_seen() {
                let about: usize = seen[at % TILE..][..3].iter().map(|own| usize::from(*own)).sum();
                found.classes[at] = if own.hole {
                    CellClass::Hole
                } else if about >= self.neighbors {
                    CellClass::Free
                } else {
                    CellClass::Unknown
                };
                continue;
            }
            let (steepest, slope, across) = around.slope(place, apart);
            found.slopes[at] = (slope / (10.0 * cell)).min(255.0) as u8;
            let rise = i64::from(own.rise);
            // The rise of a passable slope within the cell is not a step. This allows for a quarter
            // of a step, or more in cells so large that their slope is poorly known.
            let within = if steeper > 0.0 { across } else { slope };
            let sloped = within.min(0.25 * step as f64 + steeper) as i64;
            let is_steep = steepest > next || rise - sloped > step;
            let class = if rise > stands {
                CellClass::Obstacle
            } else if (is_steep || own.hole) && self.is_open_gap(&around, place, reach) {
                CellClass::Hole
            } else if is_steep {
                CellClass::Obstacle
            } else {
                CellClass::Free
            };
            found.classes[at] = class;
        }
        found
    }

    /// Returns whether the ground is higher on both sides along at least two of four lines.
    fn is_open_gap(&self, around: &LowestReturns, place: usize, reach: usize) -> bool {
        let depth = (self.hole_depth * 1e3) as i64;
        let own = i64::from(around.lowest[place]);
        let rises = |step: isize| {
            (1..=reach as isize).any(|k| {
                let other = around.lowest[(place as isize + k * step) as usize];
                other != i32::MAX && i64::from(other) - own >= depth
            })
        };
        let side = SIDE as isize;
        let lines = [1, side, side + 1, side - 1];
        lines.into_iter().filter(|line| rises(*line) && rises(-line)).count() >= 2
    }
}

impl LowestReturns {
    /// Greatest step to one of the four neighbors `apart` cells away, mm.
    ///
    /// Also returns the magnitude of the gradient from them and the sum of its absolute components,
    /// mm per cell.
    fn slope(&self, place: usize, apart: usize) -> (i64, f64, f64) {
        let own = i64::from(self.lowest[place]);
        // 0 where nothing is known, so that neither maximum nor sum is affected
        let rise = |at: usize| {
            let other = self.lowest[at];
            let is_known = other != i32::MAX;
            (if is_known { i64::from(other) - own } else { 0 }, i64::from(is_known))
        };
        let along = |(before, has_before): (i64, i64), (after, has_after): (i64, i64)| {
            (after - before) as f64 * if has_before + has_after == 2 { 0.5 } else { 1.0 }
        };
        let [west, east] = [rise(place - apart), rise(place + apart)];
        let [south, north] = [rise(place - apart * SIDE), rise(place + apart * SIDE)];
        let steepest = west.0.abs().max(east.0.abs()).max(south.0.abs()).max(north.0.abs());
        let [x, y] = [along(west, east), along(south, north)].map(|rise| rise / apart as f64);
        (steepest, (x * x + y * y).sqrt(), x.abs() + y.abs())
    }

    /// Counts the seen cells in each column of three around a row of cells that starts at `place`.
    ///
    /// The first count belongs to the column before the row.
    fn seen_about(&self, place: usize) -> [u8; TILE + 2] {
        let mut seen = [0; TILE + 2];
        for first in [place - SIDE - 1, place - 1, place + SIDE - 1] {
            for (count, lowest) in seen.iter_mut().zip(&self.lowest[first..]) {
                *count += u8::from(*lowest != i32::MAX);
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::super::elevation_map::{MapModel, RegistrationWindow, Scan};
    use super::super::proving_ground::{ProvingGround, body, lidar, mount};
    use super::*;
    use crate::localization::rotation;
    use bekker_math::numeric::hypot;
    use bekker_math::spatial::{Pose, Quat, Vec3};

    /// Registers one scan of a vehicle at x that looks along the x axis.
    ///
    /// Returns the faces whose top it does not see.
    fn look(map: &mut ElevationMap, ground: &ProvingGround, x: f64) -> Vec<[f64; 2]> {
        look_as(map, ground, Vec3::new(x, 0.0, 0.33), Quat::identity())
    }

    /// Registers a scan from a position by a vehicle whose estimated attitude is wrong by `by`.
    fn look_as(
        map: &mut ElevationMap,
        ground: &ProvingGround,
        position: Vec3,
        by: Quat,
    ) -> Vec<[f64; 2]> {
        let pose = Pose { position, ..Pose::default() };
        let eye =
            Pose { position: pose.point(&mount().position), orientation: mount().orientation };
        let (cloud, believed) = (ground.scan(&lidar(512), &eye), Pose { orientation: by, ..pose });
        let (mount, body, pose_at) = (mount(), body(), &|_| believed);
        let scan = Scan { cloud: &cloud, mount: &mount, pose_at, body: &body, others: &[] };
        let mut window = RegistrationWindow::default();
        map.register(&scan, &mut window);
        window.faces().to_vec()
    }

    fn class(map: &ElevationMap, x: f64, y: f64) -> CellClass {
        let cell = map.cell_of(x, y);
        let found = ObstacleModel::default().classify(map, MapTileKey::containing(cell));
        found.classes[super::super::elevation_map::index(cell)]
    }

    /// Number of cells of a class within a radius of a position.
    fn count(map: &ElevationMap, what: CellClass, [x, y]: [f64; 2], radius: f64) -> usize {
        let steps = (2.0 * radius / 0.5) as i32;
        let places = (-steps..=steps).flat_map(|i| (-steps..=steps).map(move |j| [i, j]));
        let near = places
            .map(|[i, j]| [x + 0.25 * f64::from(i), y + 0.25 * f64::from(j)])
            .filter(|at| hypot(at[0] - x, at[1] - y) <= radius);
        near.filter(|at| class(map, at[0], at[1]) == what).count()
    }

    fn fresh() -> ElevationMap {
        ElevationMap::new(MapModel::default())
    }

    /// A wall becomes an obstacle at the distance that geometry predicts.
    ///
    /// The highest beam points down by 13.75 degrees from a height of 1 m. It sees 0.25 m of a
    /// wall, more than the vehicle climbs, from (1 - 0.25) / tan 13.75° = 3.07 m in front of the
    /// lidar. Beams are 0.36 degrees apart, which is 0.02 m on the wall. Farther away the wall is
    /// not classified as an obstacle.
    #[test]
    fn a_wall_is_seen_at_the_distance_that_geometry_gives() {
        let wall =
            ProvingGround { walls: vec![[20.1, -9.0, 20.4, 9.0, 2.0]], ..ProvingGround::default() };
        let seen = |distance: f64| {
            let mut map = fresh();
            look(&mut map, &wall, 20.1 - 1.5 - distance);
            class(&map, 20.2, 0.2) == CellClass::Obstacle
        };
        assert!(seen(2.9) && !seen(3.2));
    }

    /// A wall of unknown height is reported as a face before it is an obstacle.
    ///
    /// The lidar reports it once it sees 8 cm of it: (1 m - 8 cm) / tan 13.75° is 3.76 m. Waves, a
    /// hole and a low step that beams pass over are not reported.
    #[test]
    fn a_face_without_a_top_is_reported_before_it_is_an_obstacle() {
        let wall = |height| ProvingGround {
            walls: vec![[20.1, -9.0, 20.4, 9.0, height]],
            ..ProvingGround::default()
        };
        let ahead = |ground: &ProvingGround, distance: f64| {
            let faces = look(&mut fresh(), ground, 20.1 - 1.5 - distance);
            let ahead = |face: &&[f64; 2]| face[1].abs() < 0.7;
            faces.iter().filter(ahead).all(|face| (face[0] - 20.1).abs() < 0.01)
                && faces.iter().any(|face| ahead(&face))
        };
        assert!(ahead(&wall(2.0), 3.6) && !ahead(&wall(2.0), 3.9));
        assert!(!ahead(&wall(0.1), 3.0));
        let waves =
            ProvingGround { waves: 0.15, holes: vec![[14.0, 1.0]], ..ProvingGround::default() };
        for step in 0..12 {
            assert_eq!(look(&mut fresh(), &waves, f64::from(step)), Vec::<[f64; 2]>::new());
        }
    }

    /// A parabolic hole straight ahead becomes visible at the distance that geometry predicts.
    ///
    /// The highest beam passes its near edge at most 4.09 m in front of the lidar. It then hits the
    /// far wall 3.98 m behind the edge, 0.97 m deep. So the hole is seen from there on, not before.
    #[test]
    fn a_hole_is_seen_at_the_distance_that_geometry_gives() {
        let hole = ProvingGround { holes: vec![[30.0, 0.0]], ..ProvingGround::default() };
        let seen = |distance: f64| {
            let mut map = fresh();
            look(&mut map, &hole, 30.0 - 2.5 - 1.5 - distance);
            count(&map, CellClass::Hole, [30.0, 0.0], 2.5)
        };
        assert!(seen(3.5) > 0, "{}", seen(3.5));
        assert_eq!(seen(4.3), 0);
    }

    /// Rough ground, with waves 9 m long and 0.3 m high, has neither obstacles nor holes.
    #[test]
    fn rough_ground_is_free() {
        let waves = ProvingGround { waves: 0.15, ..ProvingGround::default() };
        let mut map = fresh();
        (0..20).for_each(|step| {
            look(&mut map, &waves, f64::from(step));
        });
        let blocked = |what| count(&map, what, [10.0, 0.0], 15.0);
        assert_eq!((blocked(CellClass::Obstacle), blocked(CellClass::Hole)), (0, 0));
        assert_eq!(count(&map, CellClass::Unknown, [10.0, 0.0], 3.0), 0);
    }

    /// Errors of the attitude do not create obstacles.
    ///
    /// Two vehicles 40 m apart see level ground between them, with a roll estimate that fluctuates
    /// by 0.4 degrees to either side. Halfway that is 0.14 m up and down, so two scans differ by
    /// more than a step of 0.25 m. Still there is no obstacle; a wall between them is one.
    #[test]
    fn attitude_noise_creates_no_obstacle() {
        let wall =
            ProvingGround { walls: vec![[4.1, -2.0, 4.6, 2.0, 0.6]], ..ProvingGround::default() };
        for (ground, stands) in [(ProvingGround::default(), false), (wall, true)] {
            let mut map = fresh();
            for (y, wrong) in [(-20.0, 0.4), (-20.0, -0.4), (20.0, 0.4), (20.0, -0.4_f64)] {
                let by = rotation(&Vec3::new(wrong.to_radians(), 0.0, 0.0));
                look_as(&mut map, &ground, Vec3::new(0.0, y, 0.33), by);
            }
            assert_eq!(count(&map, CellClass::Obstacle, [4.0, 0.0], 4.0) > 0, stands);
        }
    }

    /// The view from closer takes precedence over the view from afar, in either order.
    ///
    /// The view from afar has a wrong attitude. There is no step between the two, and the ground is
    /// not too low.
    #[test]
    fn nearer_returns_take_precedence() {
        let wrong = rotation(&Vec3::new(-(0.6f64.to_radians()), 0.0, 0.0));
        let looks = [(-19.0, wrong), (-2.0, rotation(&Vec3::zeros()))];
        for looks in [looks, [looks[1], looks[0]]] {
            let mut map = fresh();
            for (y, by) in looks {
                look_as(&mut map, &ProvingGround::default(), Vec3::new(0.0, y, 0.33), by);
            }
            let near: Vec<_> =
                (0..8).map(|j| map.cell(map.cell_of(4.25, 0.25 - 0.5 * f64::from(j)))).collect();
            let seen = near.iter().filter(|cell| cell.range < 2).count();
            assert!(seen > 3, "{near:?}");
            // heights are rounded to 2 cm
            assert!(near.iter().all(|cell| cell.range == 2 || cell.lowest.abs() < 30), "{near:?}");
        }
        // from afar alone it is too low: 0.6 degrees over 19 m are 0.2 m
        let mut map = fresh();
        look_as(&mut map, &ProvingGround::default(), Vec3::new(0.0, -19.0, 0.33), wrong);
        let places = (0..20)
            .flat_map(|i| (0..20).map(move |j| [0.5 * f64::from(i), 0.5 * f64::from(j) - 5.0]));
        let far: Vec<_> = places
            .map(|[x, y]| map.cell(map.cell_of(x, y)))
            .filter(|cell| cell.is_seen())
            .collect();
        assert!(far.len() > 20 && far.iter().all(|cell| cell.range == 2), "{far:?}");
        assert!(far.iter().any(|cell| cell.lowest < -100), "{far:?}");
    }

    /// Number of blocked cells in a tile on a plane of given grade and direction.
    fn standing(cell: f64, grade: f64, direction: f64) -> usize {
        let mut map = ElevationMap::new(MapModel { cell, ..MapModel::default() });
        let (v, u) = bekker_math::numeric::sin_cos(direction);
        let height = |i: f64, j: f64| (1e3 * grade * cell * (u * i + v * j)) as i32;
        let key = MapTileKey { a: 0, b: 0 };
        let mut cells = Box::new([MapCell::EMPTY; TILE_CELLS]);
        for (at, own) in cells.iter_mut().enumerate() {
            let [i, j] = [(at % TILE) as f64, (at / TILE) as f64];
            let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
            let heights = corners.map(|[di, dj]| height(i + di, j + dj));
            let [lowest, highest] = [heights.iter().min(), heights.iter().max()]
                .map(|height| height.copied().unwrap_or_default());
            *own = MapCell { lowest, range: 0, rise: highest - lowest, returns: 3, hole: false };
        }
        map.merge_tile(key, &std::sync::Arc::new(super::super::elevation_map::MapTile::new(cells)));
        let classes = ObstacleModel::default().classify(&map, key).classes;
        classes.into_iter().filter(|class| class.is_blocked()).count()
    }

    /// A passable slope is not an obstacle in cells of any size, and a steep one always is.
    #[test]
    fn cells_of_any_side_distinguish_slopes_from_steps() {
        for cell in [0.1, 0.25, 0.5, 1.0, 2.0, 5.0] {
            for direction in [0.0, 0.4, 0.785, 3.0] {
                for grade in [0.06, 0.3] {
                    assert_eq!(standing(cell, grade, direction), 0, "{cell} m, {grade}");
                }
                let steep = standing(cell, 0.9, direction);
                assert!(steep > TILE_CELLS / 2, "{cell} m: {steep}");
            }
        }
    }

    /// A trunk is an obstacle, and its shadow is unknown, not a hole.
    #[test]
    fn a_trunk_is_an_obstacle_and_its_shadow_unknown() {
        let trunk = ProvingGround { trunks: vec![[1.25, 6.25, 0.8]], ..ProvingGround::default() };
        let mut map = fresh();
        look(&mut map, &trunk, 0.0);
        assert!(count(&map, CellClass::Obstacle, [1.25, 6.25], 1.0) > 0);
        assert_eq!(count(&map, CellClass::Hole, [1.25, 6.25], 8.0), 0);
        assert_eq!(class(&map, 1.25, 9.25), CellClass::Unknown);
    }
}
