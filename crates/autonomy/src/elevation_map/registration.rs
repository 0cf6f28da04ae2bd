//! Registration of scans in the map.
//!
//! Each return is transformed with the pose of the sensor at the time its beam was fired. Returns
//! are ignored beyond a maximum range, from this vehicle, near other vehicles that reported their
//! positions, and above the clear height of the vehicle.
//!
//! The height of a cell requires three returns of one scan, since single returns come from haze,
//! dust and rain. The rest is binned into the cells of a window around the vehicle, which are then
//! merged into the map tile by tile.
//!
//! Holes are searched beam by beam, upward in each column. A gap is where the next return is
//! farther by a minimum width and lower than the ground in front of it. If the returns that follow
//! rise like a far wall, the cells under the gap are marked as a hole. The in-cell slope cannot
//! find holes wider than deep: the steepest slope of a parabola 1.5 m deep and 2.5 m in radius is
//! 1.2.
//!
//! Faces that the topmost beam still hits are reported separately, because their height is not
//! known yet.

use super::cell::{EXPLORED, MapCell, range_class};
use super::tile::{MapTile, MapTileKey, TILE, TILE_CELLS, index};
use super::{ElevationMap, MapModel};
use crate::body::VehicleGeometry;
use bekker_math::spatial::{Mat3, Pose, Vec3};
use bekker_sensor::lidar::{Cloud, Return};
use std::sync::Arc;

/// A scan and what is needed to place it.
pub struct Scan<'a> {
    /// Returns of the lidar.
    pub cloud: &'a Cloud,
    /// The lidar's frame in the chassis frame.
    pub mount: &'a Pose,
    /// Pose of the chassis at a time relative to the end of the scan, s, 0 or negative.
    pub pose_at: &'a dyn Fn(f64) -> Pose,
    /// This vehicle.
    pub body: &'a VehicleGeometry,
    /// Other vehicles as reported: x, y and radius, m.
    pub others: &'a [[f64; 3]],
}

/// Workspace of registration: the window around the vehicle.
///
/// It is reused between scans to avoid allocations.
#[derive(Clone, Debug, Default)]
pub struct RegistrationWindow {
    /// Key of the first tile, and number of tiles along each side.
    first: [i32; 2],
    side: usize,
    /// Cells of a scan, tile by tile.
    cells: Vec<MapCell>,
    /// Whether the scan has touched each tile.
    touched: Vec<bool>,
    /// Cell index and height, mm, of the returns that count.
    kept: Vec<(u32, i32)>,
    /// Heights of the highest returns of each cell, in descending order, mm.
    tops: Vec<[i32; SUPPORT]>,
    /// Positions of nearby faces that no beam of the last scan passed over, m.
    faces: Vec<[f64; 2]>,
}

/// Absolute part of the tolerated range difference between neighboring beams, m.
const LIKE: f32 = 0.3;
/// Number of returns of one scan needed to confirm the height of a cell.
const SUPPORT: usize = 3;

/// Least height of a face, m; its least rise per meter of depth; and its largest distance, m.
const FACE: f64 = 0.08;
const STEEP: f64 = 2.0;
const NEAR_BY: f64 = 8.0;

impl RegistrationWindow {
    /// Positions of nearby faces that no beam of the last scan passed over, m; their height is
    /// unknown.
    pub fn faces(&self) -> &[[f64; 2]] {
        &self.faces
    }

    fn recenter(&mut self, center: &Vec3, model: &MapModel) {
        let span = model.range + model.cell;
        let tile = |x: f64| (x / (model.cell * TILE as f64)).floor() as i32;
        self.first = [tile(center.x - span), tile(center.y - span)];
        self.side = (2.0 * span / (model.cell * TILE as f64)).ceil() as usize + 1;
        let tiles = self.side * self.side;
        if self.touched.len() != tiles {
            self.cells = vec![MapCell::EMPTY; tiles * TILE_CELLS];
            self.touched = vec![false; tiles];
            self.tops = vec![[i32::MIN; SUPPORT]; tiles * TILE_CELLS];
        }
        self.kept.clear();
        self.faces.clear();
    }

    /// Index of a cell and of its tile, if it lies in the window.
    #[inline]
    fn index(&self, cell: [i32; 2]) -> Option<(usize, usize)> {
        let key = MapTileKey::containing(cell);
        let (a, b) = (key.a.wrapping_sub(self.first[0]), key.b.wrapping_sub(self.first[1]));
        let side = self.side as u32;
        if a as u32 >= side || b as u32 >= side {
            return None;
        }
        let tile = b as usize * self.side + a as usize;
        Some((tile * TILE_CELLS + index(cell), tile))
    }

    fn key(&self, tile: usize) -> MapTileKey {
        let (a, b) = (tile % self.side, tile / self.side);
        MapTileKey { a: self.first[0] + a as i32, b: self.first[1] + b as i32 }
    }
}

/// A return in the world frame, as used by the search for gaps.
#[derive(Clone, Copy, Debug, Default)]
struct WorldReturn {
    x: f64,
    y: f64,
    z: f64,
    /// Horizontal distance from the sensor, m.
    distance: f64,
}

/// A gap that is a hole if a far wall follows.
#[derive(Clone, Copy, Debug)]
struct GapCandidate {
    from: WorldReturn,
    to: WorldReturn,
}

/// Search for gaps upward in a column.
#[derive(Clone, Copy, Debug, Default)]
struct GapSearch {
    /// The last four returns; the one with number n is at n modulo 4.
    last: [WorldReturn; 4],
    count: usize,
    gap: Option<GapCandidate>,
    /// Lowest return of the face that contains the last return, and the ring of the last return.
    foot: WorldReturn,
    ring: u16,
}

impl GapSearch {
    /// Adds the next return; returns a gap once its far wall is confirmed.
    fn next(&mut self, seen: WorldReturn, model: &MapModel) -> Option<GapCandidate> {
        let found = self.gap.filter(|gap| gap.has_far_wall(&seen, model));
        if found.is_some() || self.gap.is_some_and(|gap| gap.is_over(&seen)) {
            self.gap = None;
        }
        if self.count >= 2 {
            let from = self.last[(self.count + 3) % 4];
            if seen.distance - from.distance >= model.gap_width {
                let before = &self.last[..self.count.min(4)];
                let low = before.iter().fold(f64::INFINITY, |low, one| low.min(one.z));
                if seen.z <= low - model.gap_depth {
                    self.gap = Some(GapCandidate { from, to: seen });
                }
            }
        }
        let run = (seen.distance - self.foot.distance).abs();
        if self.count == 0 || seen.z - self.foot.z <= STEEP * run {
            self.foot = seen;
        }
        self.last[self.count % 4] = seen;
        self.count += 1;
        found
    }

    /// Position of a nearby face that the topmost beam, that of ring `top`, has hit, m.
    fn face(&self, top: u16) -> Option<[f64; 2]> {
        let last = self.last[(self.count + 3) % 4];
        let is_face = last.z - self.foot.z >= FACE && last.distance < NEAR_BY;
        (self.count > 0 && self.ring == top && is_face).then_some([last.x, last.y])
    }
}

impl GapCandidate {
    /// Returns whether a return beyond the gap lies on a wall as steep as that of a hole.
    ///
    /// The limits exclude ground that is less steep and obstacles that are steeper.
    fn has_far_wall(&self, seen: &WorldReturn, model: &MapModel) -> bool {
        let (rise, run) = (seen.z - self.to.z, seen.distance - self.to.distance);
        let [least, greatest] = model.wall_slope.map(|slope| slope * run);
        rise >= 0.7 * model.gap_depth && rise >= least && rise <= greatest
    }

    /// Returns whether a return is too far away or too high for the far wall.
    fn is_over(&self, seen: &WorldReturn) -> bool {
        seen.distance - self.to.distance > 1.0 || seen.z >= self.from.z
    }
}

/// The sensor at the firing time of a column.
#[derive(Clone, Copy)]
struct FiringFrame {
    axes: Mat3,
    origin: Vec3,
    /// Height of the ground under the vehicle, m.
    ground: f64,
}

impl FiringFrame {
    fn new(chassis: &Pose, mount: &Pose, body: &VehicleGeometry) -> FiringFrame {
        let axes = (chassis.orientation * mount.orientation).to_rotation_matrix().into_inner();
        let ground = chassis.point(&Vec3::new(0.0, 0.0, body.ground)).z;
        FiringFrame { axes, origin: chassis.point(&mount.position), ground }
    }
}

impl ElevationMap {
    /// Registers a scan in the map; returns how many of its returns counted.
    pub fn register(&mut self, scan: &Scan<'_>, window: &mut RegistrationWindow) -> usize {
        let model = *self.model();
        let now = (scan.pose_at)(0.0);
        window.recenter(&now.position, &model);
        let mount_axes = scan.mount.orientation.to_rotation_matrix().into_inner();
        let per_meter = 1.0 / model.cell;
        let step = ((model.resolution * 1e3).round() as i32).max(1);
        let per_step = 1e3 / f64::from(step);
        let farthest = model.range * model.range;
        let mut column: Option<(u16, f32)> = None;
        let mut firing = FiringFrame::new(&now, scan.mount, scan.body);
        let mut search = GapSearch::default();
        let top = scan.cloud.returns.iter().map(|own| own.ring).max().unwrap_or(0);
        for (index, own) in scan.cloud.returns.iter().enumerate() {
            if is_isolated(&scan.cloud.returns, index) {
                continue;
            }
            if column != Some((own.column, own.time)) {
                column = Some((own.column, own.time));
                let pose = (scan.pose_at)(f64::from(own.time));
                firing = FiringFrame::new(&pose, scan.mount, scan.body);
                window.faces.extend(search.face(top));
                search = GapSearch::default();
            }
            let Some(seen) = world_return(own, &firing, &mount_axes, scan, farthest) else {
                continue;
            };
            let WorldReturn { x, y, z, distance } = seen;
            let clear = scan.body.clearance + model.overhead_slope * distance;
            if z - firing.ground > clear || scan.hits_another(x, y) {
                continue;
            }
            let cell = [floor(x * per_meter), floor(y * per_meter)];
            let Some((at, tile)) = window.index(cell) else { continue };
            let height = floor(z * per_step + 0.5) * step;
            let binned = &mut window.cells[at];
            (binned.lowest, binned.range) =
                (binned.lowest.min(height), binned.range.min(range_class(distance)));
            window.touched[tile] = true;
            window.kept.push((at as u32, height));
            if own.order == 0 {
                search.ring = own.ring;
                if let Some(gap) = search.next(seen, &model) {
                    window.mark(&gap, model.cell);
                }
            }
        }
        window.faces.extend(search.face(top));
        // what is higher above the lowest return of its cell than the vehicle needs is no obstacle
        let clearance = (scan.body.clearance * 1e3) as i32;
        let RegistrationWindow { kept, cells, tops, .. } = window;
        for &(at, height) in kept.iter() {
            let (cell, top) = (&mut cells[at as usize], &mut tops[at as usize]);
            if height - cell.lowest <= clearance {
                // the lowest of the highest returns, since fewer may be echoes of haze, dust or
                // rain
                let mut rest = height;
                for own in top.iter_mut() {
                    (*own, rest) = ((*own).max(rest), (*own).min(rest));
                }
                cell.rise = top[SUPPORT - 1].max(cell.lowest) - cell.lowest;
                cell.returns = (cell.returns + 1).min(EXPLORED);
            }
        }
        for &(at, _) in kept.iter() {
            tops[at as usize] = [i32::MIN; SUPPORT];
        }
        let counted = kept.len();
        self.take_window(window);
        self.stand_on(&now, scan.body);
        self.keep_extent(&now.position);
        counted
    }

    /// Merges the cells of a scan into the map and clears the window.
    fn take_window(&mut self, window: &mut RegistrationWindow) {
        self.tick += 1;
        for tile in 0..window.touched.len() {
            if !std::mem::take(&mut window.touched[tile]) {
                continue;
            }
            let key = window.key(tile);
            let cells = &mut window.cells[tile * TILE_CELLS..][..TILE_CELLS];
            let own = self.tiles.entry(key).or_default();
            let changes = own
                .cells()
                .iter()
                .zip(cells.iter())
                .any(|(own, scan)| own.update_from(*scan) != *own);
            if changes {
                let own = Arc::make_mut(own).cells_mut(self.tick);
                own.iter_mut()
                    .zip(cells.iter())
                    .for_each(|(own, scan)| *own = own.update_from(*scan));
            }
            cells.fill(MapCell::EMPTY);
        }
    }

    /// Marks the ground under the wheels as seen where nothing else is known of it, since it
    /// carries the vehicle.
    ///
    /// Elsewhere under the vehicle the height is unknown.
    fn stand_on(&mut self, pose: &Pose, body: &VehicleGeometry) {
        let tick = self.tick;
        for wheel in body.wheels() {
            let point = pose.point(&wheel);
            let place = self.cell_of(point.x, point.y);
            let own = self.tiles.entry(MapTileKey::containing(place)).or_default();
            if !own.cells()[index(place)].is_seen() {
                let height = (point.z * 1e3).round() as i32;
                let stood = MapCell { lowest: height, range: 0, returns: 1, ..MapCell::EMPTY };
                let own: &mut MapTile = Arc::make_mut(own);
                let cell = &mut own.cells_mut(tick)[index(place)];
                *cell = cell.update_from(stood);
            }
        }
    }
}

impl RegistrationWindow {
    /// Marks the cells under a gap as a hole, except the cell in front of it.
    fn mark(&mut self, gap: &GapCandidate, cell: f64) {
        let width = gap.to.distance - gap.from.distance;
        let steps = (2.0 * width / cell).ceil().max(1.0) as u32;
        for step in 1..=steps {
            let share = f64::from(step) / f64::from(steps);
            let x = gap.from.x + (gap.to.x - gap.from.x) * share;
            let y = gap.from.y + (gap.to.y - gap.from.y) * share;
            let place = [(x / cell).floor() as i32, (y / cell).floor() as i32];
            let before = [(gap.from.x / cell).floor() as i32, (gap.from.y / cell).floor() as i32];
            if place != before
                && let Some((at, tile)) = self.index(place)
            {
                self.cells[at].hole = true;
                self.touched[tile] = true;
            }
        }
    }
}

/// Largest integer not above x.
///
/// It avoids the library call that baseline x86-64 would need.
#[inline]
fn floor(x: f64) -> i32 {
    let whole = x as i32;
    whole - i32::from(f64::from(whole) > x)
}

/// Returns whether no adjacent beam of the column has a return from a similar range.
///
/// Echoes of haze, dust and rain are isolated in this way. On ground 2 degrees below the sensor the
/// range grows by a fifth between beams a third of a degree apart.
#[inline]
fn is_isolated(returns: &[Return], index: usize) -> bool {
    let square = |own: &Return| own.point.iter().map(|x| x * x).sum::<f32>();
    let own = &returns[index];
    let range = square(own).sqrt();
    let near = 0.7 * range - LIKE;
    let far = range * (1.0 / 0.7) + LIKE;
    let supports = |other: Option<&Return>| {
        other.is_some_and(|other| {
            let other_range = square(other);
            other.column == own.column
                && other.ring != own.ring
                && other_range <= far * far
                && (near <= 0.0 || other_range >= near * near)
        })
    };
    let before = index.checked_sub(1).and_then(|before| returns.get(before));
    !supports(before) && !supports(returns.get(index + 1))
}

/// Transforms a return to the world; `None` if it is too far away or from this vehicle.
#[inline]
fn world_return(
    own: &Return,
    firing: &FiringFrame,
    mount: &Mat3,
    scan: &Scan<'_>,
    farthest: f64,
) -> Option<WorldReturn> {
    let [x, y, z] = own.point.map(f64::from);
    let point = Vec3::new(x, y, z);
    if point.norm_squared() > farthest {
        return None;
    }
    let chassis = mount * point + scan.mount.position;
    if scan.body.contains(&chassis) {
        return None;
    }
    let arm = firing.axes * point;
    let at = firing.origin + arm;
    let distance = (arm.x * arm.x + arm.y * arm.y).sqrt();
    Some(WorldReturn { x: at.x, y: at.y, z: at.z, distance })
}

impl Scan<'_> {
    #[inline]
    fn hits_another(&self, x: f64, y: f64) -> bool {
        let square = |x: f64| x * x;
        self.others.iter().any(|[cx, cy, radius]| square(x - cx) + square(y - cy) < square(*radius))
    }
}
