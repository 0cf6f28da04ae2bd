//! The underside of a wheel whose tyre gives way.

use super::footprint::{Footprint, UndersidePoints};
use super::ring::{Ring, RingState, STATIONS, STRIPS, Stations, angle, directions, pitch};
use super::underside::{LYING, PlacedWheel};
use super::vectors::Vectors;
use crate::numeric::{Lanes, Simd, WIDTH, Where, asin};
use crate::spatial::{Twist, Vec3};

/// The belt leans from the radius by no more than has this cosine.
const STEEPEST: f64 = 0.17;
/// Below this part of the radius under the axle a line counts as meeting no belt.
const LOWEST: f64 = 0.05;
/// Cells of the table that guesses where a line meets the belt.
const GUESSES: usize = 64;

/// A wheel in the world with its belt pushed in.
#[derive(Clone, Debug)]
pub(super) struct PlacedTyre<'a> {
    pub wheel: PlacedWheel<'a>,
    ring: &'a Ring,
    /// Horizontal, in the wheel's plane.
    pub forward: Vec3,
    /// Upwards in the wheel's plane.
    pub up: Vec3,
    /// Belt at the stations.
    belt: Belt,
    /// Greatest displacement, m: by a third of it the tyre rolls on a smaller radius.
    pub deflection: f64,
}

/// The belt of a wheel, by station and strip.
#[derive(Clone, Debug)]
pub(super) struct Belt {
    /// y, m.
    y: Stations,
    /// Half its second derivative by the number of the station, m.
    bend: Stations,
    /// How far the belt has moved along itself, rad.
    moved: Stations,
    /// Radii, m.
    radius: Stations,
    /// How far ahead of the axle, m.
    ahead: Stations,
}

/// A place on the belt: stations and strips about it, with their weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct BeltPlace {
    pub station: usize,
    pub strip: usize,
    /// Weight of the next station, ...
    pub along: f64,
    /// ... and of the next strip.
    pub across: f64,
}

impl Belt {
    #[allow(clippy::needless_range_loop)] // a station knows its neighbours
    fn new(ring: &Ring, state: &RingState) -> Belt {
        let y = state.displacement;
        let mut bend = [[0.0; STRIPS]; STATIONS];
        for station in 1..STATIONS - 1 {
            for strip in 0..STRIPS {
                let [back, own, front] = [station - 1, station, station + 1].map(|at| y[at][strip]);
                bend[station][strip] = 0.5 * (front + back - 2.0 * own);
            }
        }
        let mut radius = [[0.0; STRIPS]; STATIONS];
        for (radius, y) in radius.iter_mut().zip(&y) {
            for (radius, y) in radius.iter_mut().zip(y) {
                *radius = ring.belt_radius(*y);
            }
        }
        let moved = ring.moved(&radius);
        let mut ahead = [[0.0; STRIPS]; STATIONS];
        for (station, [sine, cosine]) in directions().iter().enumerate() {
            for strip in 0..STRIPS {
                let [sine, _] = turned([*sine, *cosine], moved[station][strip]);
                ahead[station][strip] = radius[station][strip] * sine;
            }
        }
        Belt { y, bend, moved, radius, ahead }
    }
}

/// Sine and cosine of an angle that is greater by a little, to its third power.
pub(super) fn turned([sine, cosine]: [f64; 2], by: f64) -> [f64; 2] {
    let (still, turn) = (1.0 - 0.5 * by * by, by * (1.0 - by * by / 6.0));
    [sine * still + cosine * turn, cosine * still - sine * turn]
}

/// Station at which, or behind which, a belt without load is so far ahead of the axle, in
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

impl<'a> PlacedTyre<'a> {
    /// `None` for a wheel that lies on its side.
    pub fn new(
        wheel: PlacedWheel<'a>,
        ring: &'a Ring,
        state: &RingState,
    ) -> Option<PlacedTyre<'a>> {
        let forward = wheel.axis.cross(&Vec3::z());
        let level = forward.norm();
        if level < LYING {
            return None;
        }
        let forward = forward / level;
        let up = forward.cross(&wheel.axis);
        let belt = Belt::new(ring, state);
        let deflection = ring.deflection(state);
        Some(PlacedTyre { wheel, ring, forward, up, belt, deflection })
    }

    /// The strip before `distance` m from the middle, and the weight of the next.
    #[inline(always)]
    fn strip(&self, distance: f64) -> (usize, f64) {
        let across = (distance * (STRIPS as f64 / self.ring.width) + 0.5 * (STRIPS - 1) as f64)
            .clamp(0.0, (STRIPS - 1) as f64 - 1e-9);
        let strip = across as usize % (STRIPS - 1);
        (strip, across - strip as f64)
    }

    /// The place of the belt that is `ahead` m of the axle and `distance` m from the middle.
    #[inline(always)]
    fn place(&self, ahead: f64, distance: f64) -> BeltPlace {
        let (strip, across) = self.strip(distance);
        let at = |station: usize| {
            let row = &self.belt.ahead[station % STATIONS];
            row[strip] + (row[strip + 1] - row[strip]) * across
        };
        let cell = (ahead / self.ring.radius + 1.0) * (0.5 * GUESSES as f64);
        let cell = cell.clamp(0.0, (GUESSES - 1) as f64) as usize % GUESSES;
        let mut station = usize::from(guesses()[cell]);
        let (mut rear, mut front) = (at(station), at(station + 1));
        while ahead > front && station < STATIONS - 2 {
            station += 1;
            (rear, front) = (front, at(station + 1));
        }
        while ahead < rear && station > 0 {
            station -= 1;
            (rear, front) = (at(station), rear);
        }
        let along = ((ahead - rear) / (front - rear)).clamp(0.0, 1.0);
        BeltPlace { station, strip, along, across }
    }

    /// y of the belt at a place, m, and its derivative by the number of the station.
    #[inline(always)]
    fn displacement(&self, place: &BeltPlace) -> [f64; 2] {
        let BeltPlace { station, strip, along, across } = *place;
        let of = |rows: &Stations, at: usize| {
            let row = &rows[at % STATIONS];
            row[strip] + (row[strip + 1] - row[strip]) * across
        };
        let (rear, front) = (of(&self.belt.y, station), of(&self.belt.y, station + 1));
        // a parabola of the curvature about: a flat is flat there, and round is round
        let bend =
            of(&self.belt.bend, station) * (1.0 - along) + of(&self.belt.bend, station + 1) * along;
        let y = rear + (front - rear) * along - bend * along * (1.0 - along);
        // beyond its ends the belt is round
        let inside = if along > 0.0 && along < 1.0 { 1.0 } else { 0.0 };
        [y, inside * (front - rear + bend * (2.0 * along - 1.0))]
    }

    /// Stations and strips about a node's place, from [`UndersidePoints::place`].
    pub fn about(&self, place: f64, distance: f64) -> BeltPlace {
        let (strip, across) = self.strip(distance);
        let station = place as usize % (STATIONS - 1);
        BeltPlace { station, strip, along: place - station as f64, across }
    }

    /// Direction from the axle to a station, as it is now, and the belt's radius there less
    /// that of the ring, m.
    pub fn station(&self, station: usize, strip: usize) -> (Vec3, f64) {
        let [sine, cosine] = turned(directions()[station], self.belt.moved[station][strip]);
        let outward = self.forward * sine - self.up * cosine;
        (outward, self.belt.radius[station][strip] - self.ring.radius)
    }

    /// Distance of a strip's middle from the wheel's, m.
    pub fn strip_at(&self, strip: usize) -> f64 {
        (strip as f64 - 0.5 * (STRIPS - 1) as f64) * self.strip_width()
    }

    /// Width of a strip, m.
    pub fn strip_width(&self) -> f64 {
        self.ring.width / STRIPS as f64
    }

    /// Area of belt that a station of a strip stands for, m².
    pub fn station_area(&self) -> f64 {
        self.strip_width() * self.ring.length()
    }
}

impl Footprint for PlacedTyre<'_> {
    const DEFORMS: bool = true;

    fn centre(&self) -> Vec3 {
        self.wheel.centre()
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

    /// The belt lies within the tyre without load.
    #[inline(always)]
    fn near<S: Simd>(&self, x: Lanes<S>, y: f64, z: Lanes<S>) -> Where<S> {
        self.wheel.near(x, y, z)
    }

    #[inline(always)]
    fn underside<S: Simd>(&self, x: Lanes<S>, y: Lanes<S>) -> UndersidePoints<S> {
        let simd = x.simd();
        let PlacedTyre { wheel, forward, up, ring, .. } = self;
        let (axis, centre) = (&wheel.axis, wheel.centre());
        let (u, v) = (x - centre.x, y - centre.y);
        let solved = wheel.solve(u, v, 0.0);
        let ahead = forward.x * u + forward.y * v;
        let (at, aside) = (ahead.numbers(), solved.distance.numbers());
        let (mut displaced, mut change, mut place) = ([0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]);
        for lane in 0..WIDTH {
            let found = self.place(at[lane], aside[lane]);
            [displaced[lane], change[lane]] = self.displacement(&found);
            place[lane] = found.station as f64 + found.along;
        }
        let size = ring.radius * ring.radius;
        let square = size - 2.0 * ring.radius * Lanes::of(simd, displaced);
        let belt = square.max(LOWEST * size).sqrt();
        // dr = -R/r dy; an angle without load is one with it, by sqrt(R² - r'²) / r
        let fall = Lanes::of(simd, change) * (ring.radius / pitch()) / belt;
        let turn = fall / (size - fall * fall).max(LOWEST * size).sqrt();
        let inward = ring.radius - belt;
        let radius = solved.radius + solved.taper * solved.distance - inward;
        let below = radius * radius - ahead * ahead;
        let meets = solved.found & below.gt(LOWEST * LOWEST * size);
        let down = below.max(LOWEST * LOWEST * size).sqrt();
        let height = -(down + (up.x * u + up.y * v)) / up.z;
        let distance = axis.x * u + axis.y * v + axis.z * height;
        let inside = wheel.underside.half_width() - distance.abs();
        let coverage = (0.5 + inside * wheel.coverage_per_metre).max(0.0).min(1.0);
        // inward, leant by the taper across and by the belt's slope along
        let inverse = 1.0 / radius;
        let (sine, cosine) = (ahead * inverse, down * inverse);
        let on_forward = -sine - turn * cosine;
        let on_up = cosine - turn * sine;
        let taper = solved.taper;
        let lean = Vectors::of(simd, forward) * on_forward
            + Vectors::of(simd, up) * on_up
            + Vectors::of(simd, axis) * taper;
        let scale = -1.0 / lean.z.max(LYING);
        UndersidePoints {
            height: centre.z + height,
            slope: [lean.x * scale, lean.y * scale],
            coverage: meets.pick(coverage, 0.0),
            place: Lanes::of(simd, place),
        }
    }

    /// That of the wheel, leant by the belt's slope.
    #[inline(always)]
    fn normal<S: Simd>(
        &self,
        r: &[Lanes<S>; 3],
        slope: &[Lanes<S>; 2],
        sinkage: Lanes<S>,
    ) -> [Lanes<S>; 3] {
        let simd = sinkage.simd();
        let [x, y, z] = self.wheel.normal(r, slope, sinkage);
        let n = Vectors { x, y, z };
        let [x, y, z] = *r;
        let r = Vectors { x, y, z };
        let (forward, up) = (Vectors::of(simd, &self.forward), Vectors::of(simd, &self.up));
        let (ahead, down) = (forward.dot(&r), -up.dot(&r));
        let inverse = 1.0 / (ahead * ahead + down * down).sqrt();
        let (sine, cosine) = (ahead * inverse, down * inverse);
        // how far the belt leans from the radius, as its slopes tell
        let [x, y] = *slope;
        let upright = Vectors { x: -x, y: -y, z: Lanes::of(simd, 1.0) };
        let (along, above) = (forward.dot(&upright), up.dot(&upright));
        let turn = (along * cosine + above * sine) / (above * cosine - along * sine).max(STEEPEST);
        // on what of the normal lies in the wheel's plane
        let scale = turn * (cosine * up.dot(&n) - sine * forward.dot(&n));
        let leant = n + forward * (scale * cosine) + up * (scale * sine);
        let size = 1.0 / leant.norm();
        [leant.x * size, leant.y * size, leant.z * size]
    }

    fn spin_axis(&self) -> Option<Vec3> {
        Some(self.wheel.axis)
    }

    fn rim_speed(&self, twist: &Twist) -> f64 {
        self.wheel.rim_speed(twist)
    }

    /// The belt keeps its length: it passes along its own loaded shape, everywhere at
    /// the speed of the rolling radius.
    #[inline(always)]
    fn rolling_arm<S: Simd>(&self, r: &[Lanes<S>; 3], n: &[Lanes<S>; 3]) -> [Lanes<S>; 3] {
        let simd = r[0].simd();
        let axis = Vectors::of(simd, &self.wheel.axis);
        let [x, y, z] = *n;
        let n = Vectors { x, y, z };
        let [x, y, z] = *r;
        let distance = axis.dot(&Vectors { x, y, z });
        // two thirds of the way from the loaded radius
        let rolling = self.wheel.underside.radius(distance) - self.deflection / 3.0;
        let flat = n - axis * axis.dot(&n);
        let arm = axis * distance - flat * (rolling / flat.norm().max(1e-9));
        [arm.x, arm.y, arm.z]
    }
}
