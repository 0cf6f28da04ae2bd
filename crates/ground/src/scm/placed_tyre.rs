//! The underside of a wheel whose tyre gives way.

use super::footprint::{Footprint, UndersidePoints};
use super::ring::{Ring, RingState, STATIONS, STRIPS, Stations, pitch};
use super::underside::PlacedWheel;
use crate::numeric::{Lanes, Simd, WIDTH, Where, each};
use crate::spatial::{Twist, Vec3};

/// How often the belt is looked for on a vertical line: each time what is left falls to a
/// tenth, for the displacement changes little on the way.
const LOOKS: usize = 3;
/// Below this part of the radius under the axle a line counts as meeting no belt.
const LOWEST: f64 = 1e-3;

/// A wheel in the world with its belt pushed in.
#[derive(Clone, Debug)]
pub(super) struct PlacedTyre<'a> {
    pub wheel: PlacedWheel<'a>,
    ring: &'a Ring,
    /// Horizontal, in the wheel's plane.
    pub forward: Vec3,
    /// Upwards in the wheel's plane.
    pub up: Vec3,
    /// y of the belt, m, ...
    displacement: Stations,
    /// ... its second derivative by the angle without load, m, ...
    bend: Stations,
    /// ... and how far the belt has moved along itself, rad.
    moved: Stations,
    /// A third of the greatest displacement, by which the tyre rolls on a smaller radius, m.
    shrunk: f64,
}

/// The belt at four places.
pub(super) struct Belt<S: Simd> {
    /// Displacements towards the axle, m.
    pub inward: Lanes<S>,
    /// Their changes with the angle, m/rad.
    pub slope: Lanes<S>,
    /// How far the belt has moved along itself, rad.
    pub moved: Lanes<S>,
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

impl<'a> PlacedTyre<'a> {
    /// `None` for a wheel that lies on its side.
    pub fn new(
        wheel: PlacedWheel<'a>,
        ring: &'a Ring,
        state: &RingState,
    ) -> Option<PlacedTyre<'a>> {
        let forward = wheel.axis.cross(&Vec3::z());
        let level = forward.norm();
        if level < super::underside::LYING {
            return None;
        }
        let forward = forward / level;
        let up = forward.cross(&wheel.axis);
        let displacement = state.displacement;
        let mut bend = [[0.0; STRIPS]; STATIONS];
        for station in 1..STATIONS - 1 {
            let [back, own, front] = [station - 1, station, station + 1].map(|at| &displacement[at]);
            bend[station] = each(|k| (front[k] + back[k] - 2.0 * own[k]) / (pitch() * pitch()));
        }
        let mut moved = [[0.0; STRIPS]; STATIONS];
        for strip in 0..STRIPS {
            let y = |at: usize| displacement[at][strip];
            let between = |rear: usize| {
                let change = ring.belt_radius(y(rear + 1)) - ring.belt_radius(y(rear));
                let slope = change / pitch();
                let radius = ring.belt_radius(0.5 * (y(rear) + y(rear + 1)));
                let along = (ring.radius * ring.radius - slope * slope).max(0.0).sqrt();
                pitch() * (along / radius - 1.0)
            };
            // it stays where it is in the middle, between the two lowest stations
            let middle = STATIONS / 2;
            let mut sum = 0.5 * between(middle - 1);
            moved[middle][strip] = sum;
            moved[middle - 1][strip] = -sum;
            for station in middle + 1..STATIONS {
                sum += between(station - 1);
                moved[station][strip] = sum;
            }
            sum = moved[middle - 1][strip];
            for station in (0..middle - 1).rev() {
                sum -= between(station);
                moved[station][strip] = sum;
            }
        }
        let shrunk = ring.deflection(state) / 3.0;
        Some(PlacedTyre { wheel, ring, forward, up, displacement, bend, moved, shrunk })
    }

    /// Place of the belt at an angle from the lowest point and a distance from the middle.
    #[inline(always)]
    pub fn place(&self, angle: f64, distance: f64) -> BeltPlace {
        let along = (angle / pitch() + 0.5 * (STATIONS - 1) as f64)
            .clamp(0.0, (STATIONS - 1) as f64 - 1e-9);
        let across = (distance * (STRIPS as f64 / self.ring.width) + 0.5 * (STRIPS - 1) as f64)
            .clamp(0.0, (STRIPS - 1) as f64 - 1e-9);
        let (station, strip) = (along as usize, across as usize);
        BeltPlace {
            station,
            strip,
            along: along - station as f64,
            across: across - strip as f64,
        }
    }

    /// The belt at angles from the lowest point and distances from the middle. Between
    /// stations y is a parabola of the curvature about: a flat is flat there, and round is
    /// round.
    #[inline(always)]
    pub fn belt<S: Simd>(&self, angle: Lanes<S>, distance: Lanes<S>, from: Lanes<S>) -> Belt<S> {
        let simd = angle.simd();
        let before = from.numbers();
        let (angles, distance) = (angle.numbers(), distance.numbers());
        let found: [[f64; 6]; WIDTH] = each(|k| {
            let BeltPlace { station, strip, along, across } =
                self.place(angles[k] - before[k], distance[k]);
            let (strip, other) = (strip % STRIPS, (strip + 1) % STRIPS);
            let of = |rows: &Stations, at: usize| {
                let row = &rows[at % STATIONS];
                row[strip] + (row[other] - row[strip]) * across
            };
            let between = |rows: &Stations| {
                of(rows, station) + (of(rows, station + 1) - of(rows, station)) * along
            };
            let y = &self.displacement;
            let moved = between(&self.moved);
            [of(y, station), of(y, station + 1), between(&self.bend), along, 1.0 - along, moved]
        });
        let lane = |part: usize| Lanes::of(simd, each(|k| found[k][part]));
        let [rear, front, bend, along, left, moved] = [0, 1, 2, 3, 4, 5].map(lane);
        let square = pitch() * pitch();
        let y = rear * left + front * along - 0.5 * square * along * left * bend;
        let change = (front - rear) * (1.0 / pitch()) - 0.5 * pitch() * (left - along) * bend;
        let radius = self.ring.radius;
        let least = 0.01 * radius * radius;
        let belt = (radius * (radius - 2.0 * y)).max(least).sqrt();
        // dr/dψ = -R/r dy/dψ, and against the angle as it is now, dψ/dφ = r / sqrt(R² - r'²)
        let fall = radius / belt * change;
        let slope = fall * belt / (radius * radius - fall * fall).max(least).sqrt();
        Belt { inward: radius - belt, slope, moved }
    }

    /// The belt at points of it.
    #[inline(always)]
    pub fn found<S: Simd>(
        &self,
        ahead: Lanes<S>,
        down: Lanes<S>,
        radius: Lanes<S>,
        distance: Lanes<S>,
    ) -> Belt<S> {
        let angle = angle_of(ahead, down, radius);
        let first = self.belt(angle, distance, Lanes::zero(angle.simd()));
        self.belt(angle, distance, first.moved)
    }

    /// Displacement of a station of a strip, m.
    pub fn inward(&self, station: usize, strip: usize) -> f64 {
        self.ring.radius - self.ring.belt_radius(self.displacement[station][strip])
    }

    /// How far a station has moved along the belt, rad.
    pub fn moved(&self, station: usize, strip: usize) -> f64 {
        self.moved[station][strip]
    }

    /// Distance of a strip's middle from the wheel's, m.
    pub fn strip_at(&self, strip: usize) -> f64 {
        (strip as f64 - 0.5 * (STRIPS - 1) as f64) * self.ring.width / STRIPS as f64
    }

    /// Width of a strip, m.
    pub fn strip_width(&self) -> f64 {
        self.ring.width / STRIPS as f64
    }

    /// Length of belt that a station stands for, m.
    pub fn ring_length(&self) -> f64 {
        self.ring.length()
    }

    /// A third of the greatest displacement, m.
    pub fn shrunk(&self) -> f64 {
        self.shrunk
    }
}

/// Angles of points from the lowest one, rad, forward: atan2(forward, down), by
/// Abramowitz and Stegun 4.4.49 of half the angle, 1e-5 rad.
#[inline(always)]
pub(super) fn angle_of<S: Simd>(forward: Lanes<S>, down: Lanes<S>, radius: Lanes<S>) -> Lanes<S> {
    let half = forward / (down + radius).max(1e-9);
    let square = half * half;
    let series = 0.999_866 + square
        * (square * (0.180_141 + square * (square * 0.020_835_1 - 0.085_133)) - 0.330_299_5);
    2.0 * half * series
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
        let PlacedTyre { wheel, forward, up, .. } = self;
        let (axis, centre) = (&wheel.axis, wheel.centre());
        let (u, v) = (x - centre.x, y - centre.y);
        let solved = wheel.solve(u, v, 0.0);
        let ahead = forward.x * u + forward.y * v;
        let sideways = up.x * u + up.y * v;
        let level = axis.x * u + axis.y * v;
        let square = ahead * ahead;
        let (mut height, mut distance) = (solved.height, solved.distance);
        let mut down = -(sideways + height * up.z);
        let mut radius = (square + down * down).sqrt();
        let (mut slope, mut moved) = (Lanes::zero(x.simd()), Lanes::zero(x.simd()));
        let mut meets = solved.found;
        for _ in 0..LOOKS {
            let belt = self.belt(angle_of(ahead, down, radius), distance, moved);
            let wanted = solved.radius + solved.taper * distance - belt.inward;
            let below = wanted * wanted - square;
            let least = LOWEST * wanted;
            meets = solved.found & below.gt(least * least);
            down = below.max(least * least).sqrt();
            height = -(down + sideways) / up.z;
            distance = level + axis.z * height;
            (radius, slope, moved) = (wanted, belt.slope, belt.moved);
        }
        let inside = wheel.underside.half_width() - distance.abs();
        let coverage = (0.5 + inside * wheel.coverage_per_metre).max(0.0).min(1.0);
        // inward, leant by the taper across and by the belt's slope along
        let inverse = 1.0 / radius;
        let (sine, cosine) = (ahead * inverse, down * inverse);
        let turn = slope * inverse;
        let on_forward = -sine - turn * cosine;
        let on_up = cosine - turn * sine;
        let taper = solved.taper;
        let m = [0, 1, 2].map(|k| on_forward * forward[k] + on_up * up[k] + taper * axis[k]);
        let scale = -1.0 / m[2].max(super::underside::LYING);
        UndersidePoints {
            height: centre.z + height,
            slope: [m[0] * scale, m[1] * scale],
            coverage: meets.pick(coverage, 0.0),
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
        let n = self.wheel.normal(r, slope, sinkage);
        let dot = |v: &Vec3, w: &[Lanes<S>; 3]| v.x * w[0] + v.y * w[1] + v.z * w[2];
        let (ahead, down) = (dot(&self.forward, r), -dot(&self.up, r));
        let radius = (ahead * ahead + down * down).sqrt();
        let change = self.found(ahead, down, radius, dot(&self.wheel.axis, r)).slope;
        let inverse = 1.0 / radius;
        // on what of the normal lies in the wheel's plane
        let scale = down * inverse * dot(&self.up, &n) - ahead * inverse * dot(&self.forward, &n);
        let turn = change * inverse * scale;
        let (on_forward, on_up) = (-(turn * down * inverse), -(turn * ahead * inverse));
        let leant = [0, 1, 2].map(|k| n[k] + on_forward * self.forward[k] + on_up * self.up[k]);
        let size = 1.0 / (leant[0] * leant[0] + leant[1] * leant[1] + leant[2] * leant[2]).sqrt();
        leant.map(|part| part * size)
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
        let axis = &self.wheel.axis;
        let dot = |w: &[Lanes<S>; 3]| axis.x * w[0] + axis.y * w[1] + axis.z * w[2];
        let (distance, leaning) = (dot(r), dot(n));
        let radial = [0, 1, 2].map(|k| r[k] - distance * axis[k]);
        let size = (radial[0] * radial[0] + radial[1] * radial[1] + radial[2] * radial[2]).sqrt();
        let (ahead, down) = (
            self.forward.x * r[0] + self.forward.y * r[1] + self.forward.z * r[2],
            -(self.up.x * r[0] + self.up.y * r[1] + self.up.z * r[2]),
        );
        let inward = self.found(ahead, down, size, distance).inward;
        // two thirds of the way from the loaded radius
        let rolling = size + inward - self.shrunk;
        let flat = [0, 1, 2].map(|k| n[k] - leaning * axis[k]);
        let length = (flat[0] * flat[0] + flat[1] * flat[1] + flat[2] * flat[2]).sqrt();
        let scale = -rolling / length.max(1e-9);
        [0, 1, 2].map(|k| distance * axis[k] + flat[k] * scale)
    }
}
