//! Rays that go together, one in each lane.
//!
//! Neighbouring rays meet the same boxes and lids: walked together, each of these is
//! fetched once and asked for all of them by a few instructions. What a ray meets
//! does not depend on its companions: a lane holds the bits that it would hold alone,
//! and of several things at the same range the one with the least number is met.

use super::ray::Ray;
use fearless_simd::prelude::*;
use fearless_simd::{f32x16, mask32x16, u32x16};

pub(super) use bekker_math::numeric::level;
pub(super) use fearless_simd::{Level, Simd, dispatch};

/// Most rays in a packet.
pub const RAYS: usize = 16;

/// A number for each ray.
pub(super) type Wide<S> = f32x16<S>;
/// A truth value for each ray.
pub(super) type Where<S> = mask32x16<S>;

/// Up to [`RAYS`] rays, component by component.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    /// Where they start, world, m.
    pub origin: [[f64; RAYS]; 3],
    /// Unit directions, world.
    pub direction: [[f64; RAYS]; 3],
    /// When they are sent, see [`Ray::moment`].
    pub moment: [f64; RAYS],
    /// How many there are; the rest repeat the first.
    pub count: usize,
}

impl Packet {
    /// The first [`RAYS`] of some rays.
    #[inline(always)]
    pub fn of(rays: &[Ray]) -> Packet {
        let count = rays.len().min(RAYS);
        let zero = [[0.0; RAYS]; 3];
        let mut packet = Packet { origin: zero, direction: zero, moment: zero[0], count };
        for lane in 0..RAYS {
            let Some(ray) = rays.get(if lane < count { lane } else { 0 }) else { break };
            for k in 0..3 {
                packet.origin[k][lane] = ray.origin[k];
                packet.direction[k][lane] = ray.direction[k];
            }
            packet.moment[lane] = ray.moment;
        }
        packet
    }
}

/// Numbers of the rays, rounded.
#[inline(always)]
pub(super) fn wide<S: Simd>(simd: S, numbers: &[f64; RAYS]) -> Wide<S> {
    let mut rounded = [0.0; RAYS];
    for lane in 0..RAYS {
        rounded[lane] = numbers[lane] as f32;
    }
    Wide::load_array(simd, rounded)
}

/// [`Search::thing`] where nothing was met.
pub(super) const NOTHING: u32 = u32::MAX;
/// Most places that wait to be looked at: a square and a finer one in it, or a tree and
/// another one in it.
const PLACES: usize = 64;

/// A search of what rays meet first: what they have met so far, and where else to look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search<S: Simd> {
    /// Range of what was met, or where the search ends; -∞ for a ray that is done.
    pub far: Wide<S>,
    /// Number of the thing that was met.
    pub thing: u32x16<S>,
    /// Number of the part of it.
    pub part: u32x16<S>,
    /// Where on the part.
    pub weights: [Wide<S>; 2],
    /// Whether it is enough that something is met.
    pub any: bool,
    enters: [Wide<S>; PLACES],
    places: [u32; PLACES],
    depth: usize,
}

impl<S: Simd> Search<S> {
    /// A search of the first `count` rays up to `far`, m, of what is first or of
    /// anything at all.
    #[inline(always)]
    pub fn new(simd: S, any: bool, count: usize, far: f64) -> Search<S> {
        let mut all = [f32::NEG_INFINITY; RAYS];
        all[..count].fill(far as f32);
        let zero = Wide::splat(simd, 0.0);
        let nothing = u32x16::splat(simd, NOTHING);
        Search {
            far: Wide::load_array(simd, all),
            thing: nothing,
            part: nothing,
            weights: [zero; 2],
            any,
            enters: [zero; PLACES],
            places: [0; PLACES],
            depth: 0,
        }
    }

    /// Takes note that rays have met a part of a thing.
    #[inline(always)]
    pub fn meet(
        &mut self,
        hit: Where<S>,
        range: Wide<S>,
        [thing, part]: [u32; 2],
        weights: [Wide<S>; 2],
    ) {
        let simd = range.simd;
        let (things, parts) = (u32x16::splat(simd, thing), u32x16::splat(simd, part));
        let least =
            things.simd_lt(self.thing) | (things.simd_eq(self.thing) & parts.simd_lt(self.part));
        let taken = hit & (range.simd_lt(self.far) | (range.simd_eq(self.far) & least));
        let range = if self.any { Wide::splat(simd, f32::NEG_INFINITY) } else { range };
        self.far = taken.select(range, self.far);
        self.thing = taken.select(things, self.thing);
        self.part = taken.select(parts, self.part);
        self.weights =
            [taken.select(weights[0], self.weights[0]), taken.select(weights[1], self.weights[1])];
    }

    /// Looks for other things before what has been met.
    #[inline(always)]
    pub fn forget(&mut self) {
        let nothing = u32x16::splat(self.far.simd, NOTHING);
        (self.thing, self.part) = (nothing, nothing);
    }

    /// How many places wait.
    #[inline(always)]
    pub fn waiting(&self) -> usize {
        self.depth
    }

    /// Lets a place wait that the rays enter at these ranges.
    #[inline(always)]
    pub fn later(&mut self, place: u32, enter: Wide<S>) {
        // there are never more: the mask spares a check
        let at = self.depth % PLACES;
        self.enters[at] = enter;
        self.places[at] = place;
        self.depth += 1;
    }

    /// The last of the places beyond the first `before` that is still to be looked at.
    #[inline(always)]
    pub fn next(&mut self, before: usize) -> Option<u32> {
        while self.depth > before {
            self.depth -= 1;
            let at = self.depth % PLACES;
            if self.enters[at].simd_le(self.far).any_true() {
                return Some(self.places[at]);
            }
        }
        None
    }
}
