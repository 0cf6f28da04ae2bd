//! The belt of a flexible tire by stations and strips, and its intersections with vertical lines.

use super::ring::{LEAST, Ring, RingState, STATIONS, STRIPS, Stations, directions};
use bekker_math::numeric::{LaneMask, Lanes, Simd, WIDTH};

/// Shape of a wheel's belt by station and strip.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub(super) struct Belt {
    /// Displacement of the belt along itself, rad.
    pub moved: Stations,
    /// Radii, m.
    pub radius: Stations,
    /// Data of each station for intersections with vertical lines.
    points: [[Point; STRIPS]; STATIONS],
}

/// A station of a strip: its distance [`AHEAD`] of the axle, m; [`Y`], m; and its [`BEND`], half
/// the second derivative of y by the station number, m.
pub(super) type Point = [f64; WIDTH];
pub(super) const AHEAD: usize = 0;
const Y: usize = 1;
const BEND: usize = 2;

/// Gathers one component of four points.
#[inline(always)]
fn column<S: Simd>(simd: S, points: &[Point; WIDTH], part: usize) -> Lanes<S> {
    Lanes::new(simd, [points[0][part], points[1][part], points[2][part], points[3][part]])
}

/// Number of the last strip.
pub(super) const LAST_STRIP: f64 = (STRIPS - 1) as f64;

/// Shares of the strips between two neighboring ones.
#[repr(align(32))]
struct StripInterval {
    /// Shares at its start.
    shares: [f64; STRIPS],
    /// Their change to its end.
    change: [f64; STRIPS],
    /// Their integral from the first strip to its start.
    integral: [f64; STRIPS],
}

/// Intervals between the strips, with one before the first strip and one after the last.
///
/// Between two strips the displacement is linear, before the first and after the last constant.
const STRIP_INTERVALS: [StripInterval; STRIPS + 1] = strip_intervals();

const fn strip_intervals() -> [StripInterval; STRIPS + 1] {
    const NONE: StripInterval =
        StripInterval { shares: [0.0; STRIPS], change: [0.0; STRIPS], integral: [0.0; STRIPS] };
    let mut intervals = [NONE; STRIPS + 1];
    intervals[0].shares[0] = 1.0;
    intervals[0].integral[0] = -1.0;
    let mut strip = 0;
    while strip < STRIPS {
        let interval = strip + 1;
        intervals[interval].shares[strip] = 1.0;
        if strip + 1 < STRIPS {
            intervals[interval].change[strip] = -1.0;
            intervals[interval].change[strip + 1] = 1.0;
        }
        let mut before = 0;
        while before <= strip {
            let whole = if before == 0 || before == strip { 0.5 } else { 1.0 };
            intervals[interval].integral[before] = if strip == 0 { 0.0 } else { whole };
            before += 1;
        }
        strip += 1;
    }
    intervals
}

/// Four places across the tread.
pub(super) struct StripPlaces {
    /// Numbers of their intervals between strips.
    interval: [f64; WIDTH],
    /// Distances from the starts of the intervals, in strips.
    along: [f64; WIDTH],
}

impl StripPlaces {
    /// Finds places in units of strips, 0 at the middle of the first strip.
    #[inline(always)]
    pub fn new<S: Simd>(place: Lanes<S>) -> StripPlaces {
        let start = place.floor().max(-1.0).min(LAST_STRIP);
        StripPlaces { interval: (start + 1.0).to_array(), along: (place - start).to_array() }
    }

    /// Returns the shares of the strips at one of the places, and their integrals from the first
    /// strip to this place.
    #[inline(always)]
    pub fn shares<S: Simd>(&self, simd: S, lane: usize) -> [Lanes<S>; 2] {
        let interval = &STRIP_INTERVALS[(self.interval[lane] as i32 as usize).min(STRIPS)];
        let (along, start) = (self.along[lane], Lanes::new(simd, interval.shares));
        let shares = start + Lanes::new(simd, interval.change) * along;
        [shares, Lanes::new(simd, interval.integral) + (start + shares) * (0.5 * along)]
    }
}

/// Intersections of four vertical lines with the belt.
pub(super) struct BeltIntersection<S: Simd> {
    /// y of the belt, m.
    pub displacement: Lanes<S>,
    /// Its derivative by the station number, m.
    pub change: Lanes<S>,
    /// Its derivative by the distance from the wheel's middle, straight across.
    pub across: Lanes<S>,
    /// Station number, with the fraction to the next one.
    pub station: Lanes<S>,
}

/// Segments between two stations of a belt, one under each of four vertical lines.
pub(super) struct BeltSegments {
    /// Numbers of the rear stations.
    pub stations: [f64; WIDTH],
    pub rear: [Point; WIDTH],
    pub front: [Point; WIDTH],
    /// Differences across the tread.
    pub rear_across: [Point; WIDTH],
    pub front_across: [Point; WIDTH],
}

impl BeltSegments {
    /// Intersects the lines that are `ahead` m of the axle. Differences across the tread times
    /// `scale` are slopes; they count in the lanes `between`.
    #[inline(always)]
    pub fn intersect<S: Simd>(
        &self,
        ahead: Lanes<S>,
        scale: f64,
        between: LaneMask<S>,
    ) -> BeltIntersection<S> {
        let simd = ahead.simd();
        let start = column(simd, &self.rear, AHEAD);
        let along = (ahead - start) / (column(simd, &self.front, AHEAD) - start);
        let along = along.max(0.0).min(1.0);
        let rest = 1.0 - along;
        let y = column(simd, &self.rear, Y);
        let fall = column(simd, &self.front, Y) - y;
        // a parabola of the local curvature keeps flat parts flat and round parts round
        let bend = column(simd, &self.rear, BEND) * rest + column(simd, &self.front, BEND) * along;
        // beyond its ends the belt is round
        let inside = along.gt(0.0) & along.lt(1.0);
        let change = inside.select(fall + bend * (2.0 * along - 1.0), 0.0);
        let step = column(simd, &self.front, AHEAD) - start;
        let by_strip = |part| {
            column(simd, &self.rear_across, part) * rest
                + column(simd, &self.front_across, part) * along
        };
        let across = (by_strip(Y) - by_strip(AHEAD) * change / step) * scale;
        BeltIntersection {
            displacement: y + fall * along - bend * along * rest,
            change,
            across: (inside & between).select(across, 0.0),
            station: Lanes::new(simd, self.stations) + along,
        }
    }
}

impl Default for Belt {
    fn default() -> Belt {
        let none = [[0.0; STRIPS]; STATIONS];
        let points = [[[0.0; WIDTH]; STRIPS]; STATIONS];
        Belt { moved: none, radius: none, points }
    }
}

impl Belt {
    /// Sets the shape of a belt with the displacements of `state`.
    ///
    /// Lines intersect the mean of the belt over a cell of `cell` m, because the reaction of the
    /// soil is spread over the same length. With point values the belt would yield at places where
    /// it is not evaluated and would vibrate as it falls from one node to the next.
    #[inline(always)]
    pub fn shape<S: Simd>(&mut self, simd: S, ring: &Ring, state: &RingState, cell: f64) {
        let Belt { moved, radius, points } = self;
        let y = &state.displacement;
        let seen = cell_means(simd, y, cell / ring.length());
        let size = ring.radius * ring.radius;
        for (radius, y) in radius.iter_mut().zip(y) {
            let square = size - 2.0 * ring.radius * Lanes::new(simd, *y);
            *radius = square.max(LEAST * size).sqrt().to_array();
        }
        ring.move_along(simd, radius, moved);
        for (station, [sine, cosine]) in directions().iter().enumerate() {
            // sine of the angle plus a small angle, as in `turned`
            let by = Lanes::new(simd, moved[station]);
            let square = by * by;
            let turned = (1.0 - 0.5 * square) * *sine + by * (1.0 - square * (1.0 / 6.0)) * *cosine;
            let ahead = (turned * radius[station]).to_array();
            let own = seen[station];
            let bend = if station == 0 || station == STATIONS - 1 {
                [0.0; STRIPS]
            } else {
                let beside = Lanes::new(simd, seen[station - 1]) + seen[station + 1];
                (0.5 * (beside - 2.0 * Lanes::new(simd, own))).to_array()
            };
            for strip in 0..STRIPS {
                points[station][strip] = [ahead[strip], own[strip], bend[strip], 0.0];
            }
        }
    }

    /// Interpolates a station at the fraction `across` from one strip to the next.
    #[inline(always)]
    pub fn point<S: Simd>(&self, simd: S, station: usize, strip: usize, across: f64) -> Lanes<S> {
        let row = &self.points[station % STATIONS];
        let far = row[(strip + 1) % STRIPS];
        let (near, far) = (Lanes::new(simd, row[strip]), Lanes::new(simd, far));
        near + (far - near) * across
    }

    /// Returns a station's mean over the strips by their shares.
    #[inline(always)]
    pub fn mean<S: Simd>(&self, simd: S, station: usize, shares: &[f64; STRIPS]) -> Lanes<S> {
        let [a, b, c, d] = &self.points[station % STATIONS];
        let left = Lanes::new(simd, *a) * shares[0] + Lanes::new(simd, *b) * shares[1];
        left + (Lanes::new(simd, *c) * shares[2] + Lanes::new(simd, *d) * shares[3])
    }

    /// Returns the difference of a station from one strip to the next.
    #[inline(always)]
    pub fn strip_difference<S: Simd>(&self, simd: S, station: usize, strip: usize) -> Lanes<S> {
        let row = &self.points[station % STATIONS];
        Lanes::new(simd, row[(strip + 1) % STRIPS]) - row[strip]
    }
}

/// Returns means of the stations' values over a cell as long as `cell` stations.
///
/// The kernel has the variance of a cell. The smoothing that it applies to a smooth curve is
/// subtracted again, so that flat parts stay flat and round parts round.
#[inline(always)]
fn cell_means<S: Simd>(simd: S, y: &Stations, cell: f64) -> Stations {
    let variance = cell * cell / 12.0;
    // enough passes that no share is large enough to invert waves of the shortest length
    let times = (2.0 * variance).ceil().max(1.0);
    let share = 0.5 * variance / times;
    let mut mean = *y;
    (0..times as usize).for_each(|_| diffuse(simd, &mut mean, share));
    let mut second_differences = second_differences(simd, &mean);
    (0..2).for_each(|_| diffuse(simd, &mut second_differences, share));
    for (mean, bend) in mean.iter_mut().zip(&second_differences) {
        *mean = (Lanes::new(simd, *mean) - Lanes::new(simd, *bend) * (0.5 * variance)).to_array();
    }
    mean
}

/// Moves a `share` of each station's value to both its neighbors.
#[inline(always)]
fn diffuse<S: Simd>(simd: S, row: &mut Stations, share: f64) {
    let second_differences = second_differences(simd, row);
    for (own, bend) in row.iter_mut().zip(&second_differences) {
        *own = (Lanes::new(simd, *own) + Lanes::new(simd, *bend) * share).to_array();
    }
}

/// Returns second differences; a row is constant beyond its ends.
#[inline(always)]
fn second_differences<S: Simd>(simd: S, row: &Stations) -> Stations {
    let mut second_differences = [[0.0; STRIPS]; STATIONS];
    let mut rear = Lanes::new(simd, row[0]);
    let mut own = rear;
    for (station, bend) in second_differences.iter_mut().enumerate() {
        let front = Lanes::new(simd, row[(station + 1).min(STATIONS - 1)]);
        *bend = ((rear - own) + (front - own)).to_array();
        (rear, own) = (own, front);
    }
    second_differences
}
