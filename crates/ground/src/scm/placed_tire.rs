//! The underside of a wheel with a flexible tire.

use super::belt::{AHEAD, Belt, BeltIntersection, BeltSegments, LAST_STRIP, StripPlaces};
use super::footprint::{CellCover, CellDepth, Footprint, UndersidePoints};
use super::ring::{Ring, RingState, STATIONS, STRIPS, angle, directions, pitch};
use super::underside::{LYING, PlacedWheel, TreadOverCells};
use super::vector_lanes::VectorLanes;
use bekker_math::numeric::{LaneMask, Lanes, Simd, WIDTH, asin, dispatch, level};
use bekker_math::spatial::{Twist, Vec3};

/// Least cosine of the angle between belt and radius.
const STEEPEST: f64 = 0.17;
/// Depth below the axle, as a fraction of the radius, above which a line counts as missing the
/// belt.
const LOWEST: f64 = 0.05;
/// Number of cells in the table of first guesses for the intersection of line and belt.
const GUESSES: usize = 64;

/// A wheel in the world with its deformed belt.
#[derive(Clone, Debug)]
pub(super) struct PlacedTire<'a> {
    pub wheel: PlacedWheel<'a>,
    ring: &'a Ring,
    /// Forward: horizontal, in the wheel's plane.
    pub forward: Vec3,
    /// Upwards in the wheel's plane.
    pub up: Vec3,
    /// Belt at the stations.
    belt: &'a Belt,
    /// Tread over the cells of the nodes; `None` where it is evaluated at the nodes.
    tread: Option<TreadOverCells<'a>>,
    /// Greatest displacement, m; the rolling radius is smaller by a third of it.
    pub deflection: f64,
}

/// Places of four points around a wheel.
struct BeltPlace<S: Simd> {
    /// Sines and cosines of the angles from straight down, forward.
    sine: Lanes<S>,
    cosine: Lanes<S>,
    /// Inclinations between belt and radius.
    turn: Lanes<S>,
    /// Components of `upright` along the radius.
    radial: Lanes<S>,
    /// Upward normals of the belt by its slopes, with z = 1.
    upright: VectorLanes<S>,
}

/// Returns sine and cosine of an angle increased by the small angle `by`, to third order.
fn turned([sine, cosine]: [f64; 2], by: f64) -> [f64; 2] {
    let (still, turn) = (1.0 - 0.5 * by * by, by * (1.0 - by * by / 6.0));
    [sine * still + cosine * turn, cosine * still - sine * turn]
}

/// Returns the station of an unloaded belt at or behind each position ahead of the axle, in equal
/// cells from -R to R.
fn guesses() -> &'static [u8; GUESSES] {
    static TABLE: std::sync::LazyLock<[u8; GUESSES]> = std::sync::LazyLock::new(|| {
        std::array::from_fn(|cell| {
            let ahead = (cell as f64 + 0.5) / (0.5 * GUESSES as f64) - 1.0;
            let station = (asin(ahead) - angle(0)) / pitch();
            station.clamp(0.0, (STATIONS - 2) as f64) as u8
        })
    });
    &TABLE
}

impl<'a> PlacedTire<'a> {
    /// Places a wheel with a flexible tire; `None` for a wheel that lies on its side.
    ///
    /// `belt` is memory for its shape, `spacing` the distance between nodes, m.
    pub fn new(
        wheel: PlacedWheel<'a>,
        ring: &'a Ring,
        state: &RingState,
        belt: &'a mut Belt,
        spacing: f64,
    ) -> Option<PlacedTire<'a>> {
        let forward = wheel.axis.cross(&Vec3::z());
        let horizontal = forward.norm();
        if horizontal < LYING {
            return None;
        }
        let forward = forward / horizontal;
        let up = forward.cross(&wheel.axis);
        dispatch!(level(), simd => belt.shape(simd, ring, state, spacing));
        let deflection = ring.deflection(state);
        Some(PlacedTire { wheel, ring, forward, up, belt, tread: None, deflection })
    }

    /// Evaluates the tread over the covered parts of the cells of nodes.
    ///
    /// Evaluated at the nodes, the load and the balance of both sides would depend on where the
    /// rows of nodes are under the shoulders of the tread.
    pub fn over_cells(mut self) -> Self {
        let half_cell = self.wheel.half_width - self.wheel.underside.half_width();
        self.tread = Some(self.wheel.underside.over_cells(half_cell));
        self
    }

    /// Returns the position `distance` m from the middle in units of strips, 0 at the middle of the
    /// first strip.
    #[inline(always)]
    pub fn strip_position<S: Simd>(&self, distance: Lanes<S>) -> Lanes<S> {
        (distance * (STRIPS as f64 / self.ring.width) + 0.5 * (STRIPS - 1) as f64)
            .max(0.0)
            .min((STRIPS - 1) as f64)
    }

    /// Intersects the belt with lines that are `ahead` m of the axle, over parts of cells that end
    /// at these distances from the middle of the tread; returns the shares of the strips in these
    /// parts as well.
    #[inline(always)]
    fn intersect_parts<S: Simd>(
        &self,
        ahead: Lanes<S>,
        ends: [Lanes<S>; 2],
    ) -> (BeltIntersection<S>, [[f64; STRIPS]; WIDTH]) {
        let simd = ahead.simd();
        let at = ahead.to_array();
        let cell = (ahead * (1.0 / self.ring.radius) + 1.0) * (0.5 * GUESSES as f64);
        let cell = cell.max(0.0).min((GUESSES - 1) as f64).to_array();
        let scale = STRIPS as f64 / self.ring.width;
        let inverse = (1.0 / ((ends[1] - ends[0]) * scale)).to_array();
        let [from, to] = ends.map(|end| StripPlaces::new(end * scale + 0.5 * LAST_STRIP));
        let mut stations = [0.0; WIDTH];
        let mut all_shares = [[0.0; STRIPS]; WIDTH];
        let (mut rear, mut front) = ([[0.0; WIDTH]; WIDTH], [[0.0; WIDTH]; WIDTH]);
        let (mut rear_across, mut front_across) = (rear, front);
        for lane in 0..WIDTH {
            let ([share, before], [last, whole]) = (from.shares(simd, lane), to.shares(simd, lane));
            let shares = ((whole - before) * inverse[lane]).to_array();
            let slopes = ((last - share) * (inverse[lane] * scale)).to_array();
            let mut station = usize::from(guesses()[cell[lane] as i32 as usize % GUESSES]);
            let mut near = self.belt.mean(simd, station, &shares);
            let mut far = self.belt.mean(simd, station + 1, &shares);
            while station < STATIONS - 2 && at[lane] > far.to_array()[AHEAD] {
                station += 1;
                (near, far) = (far, self.belt.mean(simd, station + 1, &shares));
            }
            while station > 0 && at[lane] < near.to_array()[AHEAD] {
                station -= 1;
                (near, far) = (self.belt.mean(simd, station, &shares), near);
            }
            stations[lane] = f64::from(station as u32);
            all_shares[lane] = shares;
            (rear[lane], front[lane]) = (near.to_array(), far.to_array());
            rear_across[lane] = self.belt.mean(simd, station, &slopes).to_array();
            front_across[lane] = self.belt.mean(simd, station + 1, &slopes).to_array();
        }
        let segments = BeltSegments { stations, rear, front, rear_across, front_across };
        (segments.intersect(ahead, 1.0, LaneMask::splat(simd, true)), all_shares)
    }

    /// Intersects the belt with lines that are `ahead` m of the axle and `distance` m from the
    /// middle.
    #[inline(always)]
    fn intersect<S: Simd>(&self, ahead: Lanes<S>, distance: Lanes<S>) -> BeltIntersection<S> {
        let simd = ahead.simd();
        let (at, among) = (ahead.to_array(), self.strip_position(distance).to_array());
        let cell = (ahead * (1.0 / self.ring.radius) + 1.0) * (0.5 * GUESSES as f64);
        let cell = cell.max(0.0).min((GUESSES - 1) as f64).to_array();
        let mut stations = [0.0; WIDTH];
        let (mut rear, mut front) = ([[0.0; WIDTH]; WIDTH], [[0.0; WIDTH]; WIDTH]);
        let (mut rear_across, mut front_across) = (rear, front);
        for lane in 0..WIDTH {
            let strip = (among[lane] as i32).min(STRIPS as i32 - 2);
            let (across, strip) = (among[lane] - f64::from(strip), strip as usize % STRIPS);
            let mut station = usize::from(guesses()[cell[lane] as i32 as usize % GUESSES]);
            let mut near = self.belt.point(simd, station, strip, across);
            let mut far = self.belt.point(simd, station + 1, strip, across);
            while station < STATIONS - 2 && at[lane] > far.to_array()[AHEAD] {
                station += 1;
                (near, far) = (far, self.belt.point(simd, station + 1, strip, across));
            }
            while station > 0 && at[lane] < near.to_array()[AHEAD] {
                station -= 1;
                (near, far) = (self.belt.point(simd, station, strip, across), near);
            }
            stations[lane] = f64::from(station as u32);
            (rear[lane], front[lane]) = (near.to_array(), far.to_array());
            rear_across[lane] = self.belt.strip_difference(simd, station, strip).to_array();
            front_across[lane] = self.belt.strip_difference(simd, station + 1, strip).to_array();
        }
        let segments = BeltSegments { stations, rear, front, rear_across, front_across };
        let among = Lanes::new(simd, among);
        let between = among.gt(0.0) & among.lt((STRIPS - 1) as f64);
        segments.intersect(ahead, STRIPS as f64 / self.ring.width, between)
    }

    /// Returns the normals over cells: the direction of the pressure's sum over the part of each
    /// cell in the soil.
    ///
    /// Within a cell the pressure grows linearly with the depth at the slope that it has there. So
    /// the lateral forces at the end where two cells meet are equal, and the shoulders of an
    /// upright wheel balance at any position of the rows of nodes.
    #[inline(always)]
    fn cell_normal<S: Simd>(
        &self,
        r: &VectorLanes<S>,
        slope: &[Lanes<S>; 2],
        depth: &CellDepth<S>,
        cover: &CellCover<S>,
    ) -> VectorLanes<S> {
        let BeltPlace { sine, cosine, turn, .. } = self.belt_place(r, slope);
        let down = (cosine * self.up.z).max(LYING);
        let end = |more: Lanes<S>| ((depth.mean + down * more).max(0.0) + depth.more).max(0.0);
        let (inner, outer) = (end(cover.inner), end(cover.outer));
        // the integral of depth over radius, relative to the support
        let rise = 0.5 * (outer * outer - inner * inner) / (down * depth.support.max(1e-6));
        let simd = turn.simd();
        VectorLanes::splat(simd, &self.up) * (cosine + turn * sine)
            + VectorLanes::splat(simd, &self.forward) * (turn * cosine - sine)
            + VectorLanes::splat(simd, &self.wheel.axis) * (rise * cover.inverse_width)
    }

    /// Returns where the points `r` from the center are around the wheel, and the inclination of the
    /// belt there from its `slope`.
    #[inline(always)]
    fn belt_place<S: Simd>(&self, r: &VectorLanes<S>, slope: &[Lanes<S>; 2]) -> BeltPlace<S> {
        let simd = r.x.simd();
        let forward = VectorLanes::splat(simd, &self.forward);
        let up = VectorLanes::splat(simd, &self.up);
        let (ahead, down) = (forward.dot(r), -up.dot(r));
        let inverse = 1.0 / (ahead * ahead + down * down).sqrt();
        let (sine, cosine) = (ahead * inverse, down * inverse);
        let [x, y] = *slope;
        let upright = VectorLanes { x: -x, y: -y, z: Lanes::new(simd, 1.0) };
        let (along, above) = (forward.dot(&upright), up.dot(&upright));
        let radial = (above * cosine - along * sine).max(STEEPEST);
        let turn = (along * cosine + above * sine) / radial;
        BeltPlace { sine, cosine, turn, radial, upright }
    }

    /// Returns the current direction from the axle to a station, and the belt's radius there less
    /// that of the ring, m.
    pub fn station(&self, station: usize, strip: usize) -> (Vec3, f64) {
        let [sine, cosine] = turned(directions()[station], self.belt.moved[station][strip]);
        let outward = self.forward * sine - self.up * cosine;
        (outward, self.belt.radius[station][strip] - self.ring.radius)
    }

    /// Returns the distance of a strip's middle from the wheel's middle, m.
    pub fn strip_at(&self, strip: usize) -> f64 {
        (strip as f64 - 0.5 * (STRIPS - 1) as f64) * self.strip_width()
    }

    /// Returns the width of a strip, m.
    pub fn strip_width(&self) -> f64 {
        self.ring.width / STRIPS as f64
    }

    /// Returns the belt length that a station represents, m.
    pub fn station_length(&self) -> f64 {
        self.ring.length()
    }

    /// Returns the belt area that a station of a strip represents, m².
    pub fn station_area(&self) -> f64 {
        self.strip_width() * self.ring.length()
    }
}

impl Footprint for PlacedTire<'_> {
    const DEFORMS: bool = true;

    fn center(&self) -> Vec3 {
        self.wheel.center()
    }

    fn bounds(&self) -> [f64; 4] {
        self.wheel.bounds()
    }

    fn clip(&mut self, ceiling: f64) {
        self.wheel.clip(ceiling);
    }

    #[inline]
    fn row(&self, y: f64) -> Option<[f64; 2]> {
        self.wheel.row(y)
    }

    /// The belt is inside the unloaded tire.
    #[inline(always)]
    fn may_touch<S: Simd>(&self, x: Lanes<S>, y: f64, z: Lanes<S>) -> LaneMask<S> {
        match &self.tread {
            Some(_) => {
                let half_cell = self.wheel.half_width - self.wheel.underside.half_width();
                self.wheel.may_touch_within(x, y, z, half_cell)
            }
            None => self.wheel.may_touch(x, y, z),
        }
    }

    #[inline(always)]
    fn underside<S: Simd>(&self, x: Lanes<S>, y: Lanes<S>) -> UndersidePoints<S> {
        let simd = x.simd();
        let PlacedTire { wheel, forward, up, ring, .. } = self;
        let (axis, center) = (&wheel.axis, wheel.center());
        let (u, v) = (x - center.x, y - center.y);
        let ahead = forward.x * u + forward.y * v;
        let size = ring.radius * ring.radius;
        // laterally, a line meets the belt where it would meet the ring
        let on_node = up.x * u + up.y * v;
        let on_ring = (size - ahead * ahead).max(0.0).sqrt() + on_node;
        let aside = axis.x * u + axis.y * v - on_ring * (axis.z / up.z);
        let mut cover = CellCover::at_nodes(simd);
        let (met, tread_radius, taper, beside);
        if let Some(tread) = &self.tread {
            let ends = tread.parts(aside);
            let shift = 0.5 * (ends[0] + ends[1]) - aside;
            (met, cover) = {
                let (met, strips) = self.intersect_parts(ahead, ends);
                (met, CellCover { strips, ..tread.cell_cover(ends) })
            };
            cover.offset = [shift * axis.x, shift * axis.y];
            tread_radius = cover.radius;
            taper = (cover.outer - cover.inner) * cover.inverse_width;
            beside = on_node - shift * (up.z * axis.z);
        } else {
            let tread = wheel.underside.segments_at(aside.abs());
            taper = aside.lt(0.0).select(-tread.taper, tread.taper);
            met = self.intersect(ahead, aside);
            tread_radius = tread.radius + taper * aside;
            beside = on_node;
        }
        let square = (size - 2.0 * ring.radius * met.displacement).max(LOWEST * size);
        let loaded = square.sqrt();
        let leans = met.across * (ring.radius / loaded);
        if self.tread.is_some() {
            let half = 0.5 / cover.inverse_width;
            (cover.inner, cover.outer) = (cover.inner + leans * half, cover.outer - leans * half);
        }
        // dr = -R/r dy; the angle without load follows from the loaded one by the factor sqrt(R² -
        // r'²) / r
        let fall = met.change * (ring.radius / pitch());
        let turn = fall / (size * square - fall * fall).max(LOWEST * size * square).sqrt();
        let inward = ring.radius - loaded;
        let radius = tread_radius - inward;
        let below = radius * radius - ahead * ahead;
        let meets = aside.abs().le(wheel.half_width) & below.gt(LOWEST * LOWEST * size);
        let down = below.max(LOWEST * LOWEST * size).sqrt();
        cover.down = down / radius;
        let height = (down + beside) * (-1.0 / up.z);
        let distance = axis.x * u + axis.y * v + axis.z * height;
        let inside = wheel.underside.half_width() - distance.abs();
        let coverage = (0.5 + inside * wheel.coverage_per_meter).max(0.0).min(1.0);
        // inward vector with the length of the radius, inclined by the lateral taper and by the
        // longitudinal slope of the belt
        let lean = VectorLanes::splat(simd, forward) * -(ahead + turn * down)
            + VectorLanes::splat(simd, up) * (down - turn * ahead)
            + VectorLanes::splat(simd, axis) * ((taper - leans) * radius);
        let scale = -1.0 / lean.z.max(LYING * radius);
        UndersidePoints {
            height: center.z + height,
            slope: [lean.x * scale, lean.y * scale],
            coverage: meets.select(coverage, 0.0),
            on_body: met.station,
            cover,
        }
    }

    /// The normal of the wheel, inclined by the slopes of the belt.
    #[inline(always)]
    fn normal<S: Simd>(
        &self,
        r: &[Lanes<S>; 3],
        slope: &[Lanes<S>; 2],
        depth: &CellDepth<S>,
        cover: &CellCover<S>,
    ) -> [Lanes<S>; 3] {
        let simd = depth.mean.simd();
        let at = VectorLanes { x: r[0], y: r[1], z: r[2] };
        let leant = if self.tread.is_some() {
            self.cell_normal(&at, slope, depth, cover)
        } else {
            let [x, y, z] = self.wheel.normal(r, slope, depth, cover);
            let n = VectorLanes { x, y, z };
            let [axis, forward, up] = [&self.wheel.axis, &self.forward, &self.up]
                .map(|direction| VectorLanes::splat(simd, direction));
            let BeltPlace { sine, cosine, turn, radial, upright } = self.belt_place(&at, slope);
            // apply it to the component of the normal in the wheel's plane
            let scale = turn * (cosine * up.dot(&n) - sine * forward.dot(&n));
            let leant = n + forward * (scale * cosine) + up * (scale * sine);
            // laterally, the slope that is not due to the tread's taper is due to the belt
            let distance = axis.dot(&at);
            let tread = self.wheel.underside.segments_at(distance.abs());
            let taper = distance.lt(0.0).select(-tread.taper, tread.taper);
            leant + axis * (axis.dot(&upright) / radial - taper)
        };
        let size = 1.0 / leant.norm();
        [leant.x * size, leant.y * size, leant.z * size]
    }

    fn is_over_cells(&self) -> bool {
        self.tread.is_some()
    }

    fn spin_axis(&self) -> Option<Vec3> {
        Some(self.wheel.axis)
    }

    fn rim_speed(&self, twist: &Twist) -> f64 {
        self.wheel.rim_speed(twist)
    }

    /// The belt keeps its length: it moves along its own loaded shape, everywhere at the speed of
    /// the rolling radius.
    #[inline(always)]
    fn rolling_arm<S: Simd>(
        &self,
        r: &[Lanes<S>; 3],
        n: &[Lanes<S>; 3],
        cover: &CellCover<S>,
    ) -> [Lanes<S>; 3] {
        let simd = r[0].simd();
        let axis = VectorLanes::splat(simd, &self.wheel.axis);
        let [x, y, z] = *n;
        let n = VectorLanes { x, y, z };
        let [x, y, z] = *r;
        let distance = axis.dot(&VectorLanes { x, y, z });
        // two thirds of the way from the loaded to the unloaded radius
        let unloaded = if self.tread.is_some() {
            cover.radius
        } else {
            let tread = self.wheel.underside.segments_at(distance.abs());
            tread.radius + tread.taper * distance.abs()
        };
        let rolling = unloaded - self.deflection / 3.0;
        let flat = n - axis * axis.dot(&n);
        let arm = axis * distance - flat * (rolling / flat.norm().max(1e-9));
        [arm.x, arm.y, arm.z]
    }
}
