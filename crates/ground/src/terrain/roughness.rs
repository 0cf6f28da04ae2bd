//! Road and field roughness after ISO 8608, as a random field over the plane.
//!
//! # Theory
//!
//! ISO 8608 classifies a profile by the one-sided spectral density of its height over spatial
//! frequency n, G(n) = G(n0) (n/n0)^-2 with n0 = 0.1 cycles/m, for n from 0.011 to 2.83 cycles/m.
//! The geometric means of G(n0) are 16e-6 m³ for class A and four times more for each further
//! class.
//!
//! The field is a sum of octaves of white noise. Octave k has independent values of variance σ_k² =
//! c h_k on a square lattice of spacing h_k, interpolated by the tensor-product quadratic B-spline.
//! A profile through one octave has the density 2 h_k sinc⁶(n h_k) · 11/20 · σ_k², where 11/20 is
//! the integral of the squared spline. With h_k halved from octave to octave, Σ (n h_k)² sinc⁶(n
//! h_k) = 0.06835 within 2 % for every n between the first and the last octave, so that c = G(n0)
//! n0² / (1.1 · 0.06835).
//!
//! # Choices
//!
//! Lattices are rotated against each other, so that profiles in all directions are statistically
//! equal. A sum of harmonics would need hundreds of sines per point to be as free of repetition.
//! The field is a pure function of position and seed, has a continuous slope in closed form, and
//! never repeats. Below the lowest frequency its density is constant, above the highest it
//! decreases.

use super::clamped;
use super::error::{TerrainError, finite};
use bekker_math::numeric::{Lanes, Level, Simd, WIDTH, cos, dispatch, level, per_lane, sin};
use bekker_math::random::RandomStream;
use std::ops::{Add, Mul};

/// Reference spatial frequency of ISO 8608, cycles/m.
pub const REFERENCE_FREQUENCY: f64 = 0.1;
/// Shortest and longest wavelength that ISO 8608 covers, m.
pub const STANDARD_WAVELENGTHS: [f64; 2] = [1.0 / 2.83, 1.0 / 0.011];
/// Mean over n of Σ (n h)² sinc⁶(n h) for h halved from term to term:
/// ∫ u sinc⁶(u) du / ln 2.
const OCTAVE_SUM: f64 = 0.068_353_72;
/// Integral of the squared quadratic B-spline.
const SPLINE_ENERGY: f64 = 11.0 / 20.0;
/// Angle between the lattices of successive octaves, rad: the golden angle, whose multiples are far
/// from each other and from quarter turns.
const TURN: f64 = 2.399_963_229_728_653;

/// Classes of ISO 8608, from a very good road to rough ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum RoughnessClass {
    /// 16e-6 m³: a good highway.
    A,
    /// 64e-6 m³.
    B,
    /// 256e-6 m³.
    C,
    /// 1024e-6 m³.
    D,
    /// 4096e-6 m³.
    E,
    /// 16384e-6 m³.
    F,
    /// 65536e-6 m³.
    G,
    /// 262144e-6 m³.
    H,
}

impl RoughnessClass {
    /// Returns the geometric mean of the spectral density at 0.1 cycles/m, m³.
    pub fn density(self) -> f64 {
        16e-6 * f64::from(1u32 << (2 * self as u32))
    }
}

#[derive(Clone, Copy, Debug)]
struct Octave {
    stream: RandomStream,
    spacing: f64,
    /// Square root of three times the variance: values are uniform within ± this bound.
    reach: f64,
    /// Cosine and sine of the lattice's angle.
    turn: [f64; 2],
}

/// A roughness field to be added to a terrain.
#[derive(Clone, Debug)]
pub struct Roughness {
    octaves: Vec<Octave>,
}

impl Roughness {
    /// Creates roughness of a class over the wavelengths of the standard.
    pub fn new(class: RoughnessClass, seed: u64) -> Roughness {
        Roughness::build(class.density(), STANDARD_WAVELENGTHS, seed)
    }

    /// Creates roughness of spectral density `density` (m³) at 0.1 cycles/m, over wavelengths from
    /// `wavelengths[0]` to `wavelengths[1]`, m.
    ///
    /// On a DEM the longest wavelength should be about its cell size: the DEM contains the longer
    /// ones.
    pub fn with_density(
        density: f64,
        wavelengths: [f64; 2],
        seed: u64,
    ) -> Result<Roughness, TerrainError> {
        finite("roughness at 0.1 cycles/m, m³", density, "0 to 1", |v| (0.0..=1.0).contains(&v))?;
        finite("shortest wavelength, m", wavelengths[0], "0.01 or above", |v| v >= 0.01)?;
        finite("longest wavelength, m", wavelengths[1], "above the shortest, to 10000", |v| {
            v > wavelengths[0] && v <= 1e4
        })?;
        Ok(Roughness::build(density, wavelengths, seed))
    }

    fn build(density: f64, [shortest, longest]: [f64; 2], seed: u64) -> Roughness {
        let c = density * REFERENCE_FREQUENCY * REFERENCE_FREQUENCY
            / (2.0 * SPLINE_ENERGY * OCTAVE_SUM);
        // an octave contributes where 0.15 < n h < 0.7: elsewhere the summand is below a tenth of
        // its peak
        let mut spacing = 0.7 * longest;
        let mut octaves = Vec::new();
        while spacing > 0.15 * shortest {
            let k = octaves.len();
            let angle = TURN * k as f64;
            octaves.push(Octave {
                stream: RandomStream::new(seed, &format!("terrain roughness {k}")),
                spacing,
                reach: (3.0 * c * spacing).sqrt(),
                turn: [cos(angle), sin(angle)],
            });
            spacing *= 0.5;
        }
        Roughness { octaves }
    }

    pub(crate) fn height(&self, x: f64, y: f64) -> f64 {
        let mut height = 0.0;
        for octave in &self.octaves {
            let (cell, [s, t]) = octave.locate(x, y);
            height += weighted(&octave.around(cell), spline(s), spline(t));
        }
        height
    }

    /// Computes heights at many points, clamped to the bounds `[x_min, y_min, x_max, y_max]`,
    /// bit-identical to [`Roughness::height`].
    ///
    /// Points should be close to each other: the lattice values around all of them are drawn once.
    pub(crate) fn heights(&self, points: &[[f64; 2]], bounds: [f64; 4], heights: &mut [f64]) {
        self.heights_with(level(), &self.octaves, points, bounds, heights);
    }

    /// Computes upper bounds of [`Roughness::heights`], at most twice `slack` m above them. The
    /// finest octaves whose amplitudes sum to at most `slack` are replaced by their maximum.
    pub(crate) fn upper_bounds(
        &self,
        slack: f64,
        points: &[[f64; 2]],
        bounds: [f64; 4],
        heights: &mut [f64],
    ) {
        let mut reach = 0.0;
        let mut coarse = self.octaves.as_slice();
        while let [coarser @ .., finest] = coarse
            && reach + finest.reach <= slack
        {
            reach += finest.reach;
            coarse = coarser;
        }
        self.heights_with(level(), coarse, points, bounds, heights);
        // the weights of a spline sum to 1 within rounding
        heights.iter_mut().for_each(|height| *height += reach * (1.0 + 1e-12));
    }

    /// Computes [`Roughness::heights`] of some octaves with the instructions of a level.
    fn heights_with(
        &self,
        level: Level,
        octaves: &[Octave],
        points: &[[f64; 2]],
        bounds: [f64; 4],
        heights: &mut [f64],
    ) {
        heights.fill(0.0);
        let Some(&first) = points.first() else { return };
        let (mut low, mut high) = (first, first);
        for point in points {
            for axis in 0..2 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        let inside = |[x, y]: [f64; 2]| clamped(bounds, x, y).into();
        let about = [inside(low), inside(high)];
        let mut drawn = (points.len() >= MANY).then(LatticeCache::default);
        dispatch!(level, simd => for octave in octaves {
            if let Some(drawn) = &mut drawn {
                drawn.fill(octave, about, points.len());
            }
            octave.add(simd, drawn.as_ref(), points, bounds, heights);
        });
    }

    pub(crate) fn gradient(&self, x: f64, y: f64) -> [f64; 2] {
        let mut gradient = [0.0; 2];
        for octave in &self.octaves {
            let (cell, [s, t]) = octave.locate(x, y);
            let values = octave.around(cell);
            let du = weighted(&values, spline_slope(s), spline(t)) / octave.spacing;
            let dv = weighted(&values, spline(s), spline_slope(t)) / octave.spacing;
            let [c, s] = octave.turn;
            gradient[0] += c * du - s * dv;
            gradient[1] += s * du + c * dv;
        }
        gradient
    }
}

/// Returns the greatest integer that is not above `v`, without panicking beyond 64 bits. A
/// processor without SSE 4.1 has no instruction for `floor`.
#[inline]
fn at_or_below(v: f64) -> i64 {
    let whole = v as i64;
    whole.saturating_sub(i64::from(whole as f64 > v))
}

/// Returns the weights of the lattice points -1, 0 and 1 around the nearest one, at a distance of
/// `t` spacings from it (-1/2..1/2).
fn spline(t: f64) -> [f64; 3] {
    [0.5 * (0.5 - t) * (0.5 - t), 0.75 - t * t, 0.5 * (0.5 + t) * (0.5 + t)]
}

/// Returns [`spline`] in lanes.
#[inline(always)]
fn splines<S: Simd>(t: Lanes<S>) -> [Lanes<S>; 3] {
    [0.5 * (0.5 - t) * (0.5 - t), 0.75 - t * t, 0.5 * (0.5 + t) * (0.5 + t)]
}

fn spline_slope(t: f64) -> [f64; 3] {
    [t - 0.5, -2.0 * t, t + 0.5]
}

/// Values at the nine lattice points around and including one of them, row by row.
type LatticeValues<T> = [[T; 3]; 3];

/// Returns the weighted sum of values, with weights across and up.
#[inline(always)]
fn weighted<T: Copy + Mul<Output = T> + Add<Output = T>>(
    rows: &LatticeValues<T>,
    across: [T; 3],
    up: [T; 3],
) -> T {
    let line = |row: &[T; 3]| across[0] * row[0] + across[1] * row[1] + across[2] * row[2];
    up[0] * line(&rows[0]) + up[1] * line(&rows[1]) + up[2] * line(&rows[2])
}

impl Octave {
    /// Returns the lattice point nearest to (x, y), and the offset from it in spacings.
    #[inline]
    fn locate(&self, x: f64, y: f64) -> ([i64; 2], [f64; 2]) {
        let [c, s] = self.turn;
        let place = [(c * x + s * y) / self.spacing, (c * y - s * x) / self.spacing];
        let nearest = [at_or_below(place[0] + 0.5), at_or_below(place[1] + 0.5)];
        (nearest, [place[0] - nearest[0] as f64, place[1] - nearest[1] as f64])
    }

    /// Returns the value at a lattice point.
    #[inline]
    fn value(&self, i: i64, j: i64) -> f64 {
        let counter = ((i as u64) << 32) | (j as u64 & 0xFFFF_FFFF);
        self.reach * (2.0 * self.stream.uniform(counter) - 1.0)
    }

    /// Returns the values around a lattice point.
    #[inline]
    fn around(&self, cell: [i64; 2]) -> LatticeValues<f64> {
        let row = |b: i64| {
            let j = cell[1].wrapping_add(b);
            [
                self.value(cell[0].wrapping_sub(1), j),
                self.value(cell[0], j),
                self.value(cell[0].wrapping_add(1), j),
            ]
        };
        [row(-1), row(0), row(1)]
    }

    /// Returns the values around a lattice point, from those that were drawn in advance if they
    /// include it.
    #[inline(always)]
    fn cached_around(&self, drawn: Option<&LatticeCache>, cell: [i64; 2]) -> LatticeValues<f64> {
        match drawn.and_then(|drawn| Some(drawn.values_at(drawn.index_of(cell)?))) {
            Some(values) => values,
            None => self.around(cell),
        }
    }

    /// Returns the values around a lattice point in each lane.
    #[inline(always)]
    fn around_each<S: Simd>(
        &self,
        simd: S,
        drawn: Option<&LatticeCache>,
        cells: [[i64; 2]; WIDTH],
    ) -> LatticeValues<Lanes<S>> {
        let values = match drawn.map(|drawn| (drawn, per_lane(|lane| drawn.index_of(cells[lane]))))
        {
            Some((drawn, [Some(a), Some(b), Some(c), Some(d)])) => {
                [drawn.values_at(a), drawn.values_at(b), drawn.values_at(c), drawn.values_at(d)]
            }
            _ => per_lane(|lane| self.around(cells[lane])),
        };
        each3(|n| each3(|m| Lanes::new(simd, per_lane(|lane| values[lane][n][m]))))
    }

    /// Returns [`Octave::locate`] in lanes.
    #[inline(always)]
    fn locate_lanes<S: Simd>(&self, x: Lanes<S>, y: Lanes<S>) -> [[Lanes<S>; 2]; 2] {
        let [c, s] = self.turn;
        let (u, v) = ((x * c + y * s) / self.spacing, (y * c - x * s) / self.spacing);
        let (i, j) = ((u + 0.5).floor(), (v + 0.5).floor());
        [[i, j], [u - i, v - j]]
    }

    /// Adds its height at points within bounds, four at a time.
    #[inline(always)]
    fn add<S: Simd>(
        &self,
        simd: S,
        drawn: Option<&LatticeCache>,
        points: &[[f64; 2]],
        [west, south, east, north]: [f64; 4],
        heights: &mut [f64],
    ) {
        // the last lattice point common to four points, and its values
        let nowhere = Lanes::new(simd, f64::NAN);
        let mut common = ([nowhere; 2], [[nowhere; 3]; 3]);
        for (points, heights) in points.chunks(WIDTH).zip(heights.chunks_mut(WIDTH)) {
            let at = |axis: usize| per_lane(|lane| points[lane.min(points.len() - 1)][axis]);
            let x = Lanes::new(simd, at(0)).max(west).min(east);
            let y = Lanes::new(simd, at(1)).max(south).min(north);
            let [[i, j], [s, t]] = self.locate_lanes(x, y);
            if !(i.eq(common.0[0]) & j.eq(common.0[1])).all() {
                let (is, js) = (i.to_array(), j.to_array());
                let cell = |lane: usize| [is[lane] as i64, js[lane] as i64];
                let first = [Lanes::new(simd, is[0]), Lanes::new(simd, js[0])];
                common = if (i.eq(first[0]) & j.eq(first[1])).all() {
                    let values = self.cached_around(drawn, cell(0));
                    (first, each3(|n| each3(|m| Lanes::new(simd, values[n][m]))))
                } else {
                    ([nowhere; 2], self.around_each(simd, drawn, per_lane(cell)))
                };
            }
            let octave = weighted(&common.1, splines(s), splines(t)).to_array();
            for (height, octave) in heights.iter_mut().zip(octave) {
                *height += octave;
            }
        }
    }
}

/// Returns one value for each of three.
#[inline(always)]
fn each3<T>(mut value: impl FnMut(usize) -> T) -> [T; 3] {
    [value(0), value(1), value(2)]
}

/// Greatest number of lattice values that are drawn in advance.
const MOST_DRAWN: usize = 1024;
/// Number of points from which lattice values are drawn in advance.
const MANY: usize = 16;

/// Values of one octave at the lattice points around many positions, drawn once.
struct LatticeCache {
    /// First lattice point; `size` is the number of points along each axis.
    first: [i64; 2],
    size: [usize; 2],
    values: [f64; MOST_DRAWN],
}

impl Default for LatticeCache {
    fn default() -> LatticeCache {
        LatticeCache { first: [0; 2], size: [0; 2], values: [0.0; MOST_DRAWN] }
    }
}

impl LatticeCache {
    /// Draws the values around a rectangle for `count` heights, or none where that would be many
    /// more than these heights need.
    fn fill(&mut self, octave: &Octave, [low, high]: [[f64; 2]; 2], count: usize) {
        self.size = [0; 2];
        let corners = [low, [high[0], low[1]], [low[0], high[1]], high];
        let cells = corners.map(|[x, y]| octave.locate(x, y).0);
        let [low, high] = [i64::min, i64::max]
            .map(|pick| [0, 1].map(|k| cells.iter().fold(cells[0][k], |a, own| pick(a, own[k]))));
        let size = [0, 1].map(|k| high[k].saturating_sub(low[k]).saturating_add(3) as usize);
        if size[0].saturating_mul(size[1]) > MOST_DRAWN.min(4 * count) {
            return;
        }
        self.first = low.map(|low| low.wrapping_sub(1));
        self.size = size;
        for (j, row) in self.values.chunks_exact_mut(size[0]).take(size[1]).enumerate() {
            let [x, y] = self.first;
            for (i, value) in row.iter_mut().enumerate() {
                *value = octave.value(x.wrapping_add(i as i64), y.wrapping_add(j as i64));
            }
        }
    }

    /// Returns the index of the first value around a lattice point, if it was drawn.
    #[inline(always)]
    fn index_of(&self, cell: [i64; 2]) -> Option<usize> {
        let i = cell[0].wrapping_sub(self.first[0]).wrapping_sub(1) as usize;
        let j = cell[1].wrapping_sub(self.first[1]).wrapping_sub(1) as usize;
        let inside = |at: usize, size: usize| at < size.saturating_sub(2);
        (inside(i, self.size[0]) && inside(j, self.size[1])).then(|| j * self.size[0] + i)
    }

    /// Returns the values that begin at an index.
    #[inline(always)]
    fn values_at(&self, place: usize) -> LatticeValues<f64> {
        let row = |b: usize| {
            let row = &self.values[place + b * self.size[0]..][..3];
            [row[0], row[1], row[2]]
        };
        [row(0), row(1), row(2)]
    }
}

#[cfg(test)]
mod tests {
    use super::super::UNBOUNDED;
    use super::*;
    use bekker_math::numeric::instructions::available;

    /// Returns the one-sided density at frequency n, averaged over profiles and over the band n ±
    /// 20 %, by direct Fourier sums with a Hann window.
    fn measured_density(field: &Roughness, n: f64, heading: f64, profiles: usize) -> f64 {
        let (c, s) = (cos(heading), sin(heading));
        // 24 waves per profile and 16 points per wave: leakage and aliasing are small compared with
        // the band
        let (length, count) = (24.0 / n, 384usize);
        let step = length / count as f64;
        let mut sum = 0.0;
        let bins = [20, 22, 24, 26, 28];
        for profile in 0..profiles {
            // profiles are 500 m apart, beyond the longest correlation
            let offset = 500.0 * profile as f64;
            let heights: Vec<f64> = (0..count)
                .map(|k| {
                    let at = k as f64 * step;
                    let window = 0.5 - 0.5 * cos(std::f64::consts::TAU * k as f64 / count as f64);
                    window * field.height(c * at - s * offset + 31.0, s * at + c * offset - 77.0)
                })
                .collect();
            for bin in bins {
                let (mut re, mut im) = (0.0, 0.0);
                for (k, h) in heights.iter().enumerate() {
                    let phase = std::f64::consts::TAU * (bin * k % count) as f64 / count as f64;
                    re += h * cos(phase);
                    im += h * sin(phase);
                }
                // the mean square of the Hann window is 3/8; n^-2 is divided out
                let density = 2.0 * (re * re + im * im) * step / (count as f64 * 0.375);
                sum += density * (bin as f64 / 24.0) * (bin as f64 / 24.0);
            }
        }
        sum / (profiles * bins.len()) as f64
    }

    #[test]
    fn profiles_in_every_direction_have_the_density_of_their_class() {
        let field = Roughness::new(RoughnessClass::D, 11);
        for heading in [0.0, 0.6, 2.0] {
            for n in [0.03, 0.1, 0.4, 1.2] {
                let expected = 1024e-6 * (n / REFERENCE_FREQUENCY).powi(-2);
                let ratio = measured_density(&field, n, heading, 60) / expected;
                // 60 profiles of about 3 independent bins: standard error 8 %; three of them, plus
                // 2 % ripple. A class is a factor of 4.
                assert!((0.75..1.33).contains(&ratio), "n {n}, heading {heading}: {ratio}");
            }
        }
    }

    #[test]
    fn many_heights_are_those_of_each_point() {
        let field = Roughness::new(RoughnessClass::F, 5);
        for (spacing, far) in [(0.02, 0.0), (0.05, 3e4), (0.7, -77.3), (40.0, 1.0)] {
            let at = |k: usize| [far + spacing * (k % 17) as f64, -far + spacing * (k / 17) as f64];
            let points: Vec<[f64; 2]> = (0..289).map(at).collect();
            for (name, level) in available() {
                let mut heights = vec![0.0; points.len()];
                field.heights_with(level, &field.octaves, &points, UNBOUNDED, &mut heights);
                for (&[x, y], height) in points.iter().zip(heights) {
                    let own = field.height(x, y);
                    assert_eq!(height.to_bits(), own.to_bits(), "{name} {spacing} {x} {y}");
                }
            }
        }
    }

    #[test]
    fn heights_at_most_are_no_lower_and_near() {
        let field = Roughness::new(RoughnessClass::D, 7);
        let at = |k: usize| [0.37 * (k % 40) as f64, 0.53 * (k / 40) as f64 - 9.0];
        let points: Vec<[f64; 2]> = (0..1600).map(at).collect();
        let mut heights = vec![0.0; points.len()];
        for slack in [0.0, 0.01, 0.03, 0.2, 10.0] {
            field.upper_bounds(slack, &points, UNBOUNDED, &mut heights);
            let above = |(&[x, y], most): (&[f64; 2], &f64)| most - field.height(x, y);
            let above: Vec<f64> = points.iter().zip(&heights).map(above).collect();
            assert!(above.iter().all(|own| (0.0..=2.0 * slack + 1e-12).contains(own)), "{slack}");
            assert_eq!(slack >= 0.01, above.iter().any(|own| *own > 0.0), "{slack}");
        }
    }

    #[test]
    fn the_number_below_is_that_of_floor() {
        let near = [-3.0, -2.5, -1e-300, -0.0, 0.0, 0.5, 2.0, 7.999, -1e15 + 0.5];
        for v in near.into_iter().chain([1e300, -1e300, f64::INFINITY, f64::NAN]) {
            assert_eq!(at_or_below(v), v.floor() as i64, "{v}");
        }
    }

    #[test]
    fn the_gradient_is_that_of_the_height() {
        let field = Roughness::new(RoughnessClass::H, 3);
        for k in 0..200 {
            let (x, y) = (1.37 * f64::from(k) - 120.0, 0.73 * f64::from(k) + 5.0);
            let h = 1e-6;
            let [gx, gy] = field.gradient(x, y);
            let fx = (field.height(x + h, y) - field.height(x - h, y)) / (2.0 * h);
            let fy = (field.height(x, y + h) - field.height(x, y - h)) / (2.0 * h);
            // rounding 1e-16/1e-6, and curvature (below 1e3 1/m in class H, with jumps at lattice
            // lines) times 1e-6
            assert!((gx - fx).abs() < 1e-3 && (gy - fy).abs() < 1e-3, "{gx} {fx} {gy} {fy}");
        }
    }

    #[test]
    fn classes_are_those_of_the_standard() {
        assert_eq!(RoughnessClass::A.density(), 16e-6);
        assert_eq!(RoughnessClass::D.density(), 1024e-6);
        assert_eq!(RoughnessClass::H.density(), 262_144e-6);
        assert!(Roughness::with_density(2.0, [0.3, 90.0], 0).is_err());
        assert!(Roughness::with_density(1e-3, [0.3, 0.2], 0).is_err());
    }
}
