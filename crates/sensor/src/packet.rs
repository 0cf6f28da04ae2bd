//! Packets of rays, one ray per SIMD lane.
//!
//! Adjacent rays hit the same boxes and lids. A packet loads each of these once and tests it for
//! all rays with a few instructions.
//!
//! The hit of a ray does not depend on the other rays of its packet: a lane computes the same bits
//! as a single ray. Of several primitives at the same range, the one with the lowest number is hit.

use super::ray::Ray;
use fearless_simd::prelude::*;
use fearless_simd::{f32x16, mask32x16, u32x16};

pub(super) use bekker_math::numeric::level;
pub(super) use fearless_simd::{Level, Simd, dispatch};

/// Maximum number of rays in a packet.
pub const RAYS: usize = 16;

/// Number for each ray.
pub(super) type F32Lanes<S> = f32x16<S>;
/// Truth value for each ray.
pub(super) type MaskLanes<S> = mask32x16<S>;

/// Up to [`RAYS`] rays, component by component.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    /// Start points, world, m.
    pub origin: [[f64; RAYS]; 3],
    /// Unit directions, world.
    pub direction: [[f64; RAYS]; 3],
    /// Times of emission, see [`Ray::moment`].
    pub moment: [f64; RAYS],
    /// Number of rays; the remaining lanes repeat the first.
    pub count: usize,
}

impl Packet {
    /// Creates a packet of the first [`RAYS`] of `rays`.
    #[inline(always)]
    pub fn from_rays(rays: &[Ray]) -> Packet {
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

/// Rounds a number for each ray to single precision.
#[inline(always)]
pub(super) fn to_lanes<S: Simd>(simd: S, numbers: &[f64; RAYS]) -> F32Lanes<S> {
    let mut rounded = [0.0; RAYS];
    for lane in 0..RAYS {
        rounded[lane] = numbers[lane] as f32;
    }
    F32Lanes::load_array(simd, rounded)
}

/// Value of [`PacketTraversal::thing`] where nothing was hit.
pub(super) const NO_HIT: u32 = u32::MAX;
/// Capacity of the traversal stack.
///
/// It suffices for a square with a finer one in it, or for a tree with another one in it.
const PLACES: usize = 64;

/// Search for the first hits of rays: the hits so far and the traversal stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct PacketTraversal<S: Simd> {
    /// Range of the nearest hit, or the end of the search; -∞ for a finished ray.
    pub far: F32Lanes<S>,
    /// Number of the primitive that was hit.
    pub thing: u32x16<S>,
    /// Number of the part of the primitive that was hit.
    pub part: u32x16<S>,
    /// Coordinates of the hit on the part.
    pub weights: [F32Lanes<S>; 2],
    /// Whether any hit suffices.
    pub any: bool,
    enters: [F32Lanes<S>; PLACES],
    places: [u32; PLACES],
    depth: usize,
}

impl<S: Simd> PacketTraversal<S> {
    /// Creates a search of the first `count` rays up to `far`, m, for the first hit, or for any
    /// hit.
    #[inline(always)]
    pub fn new(simd: S, any: bool, count: usize, far: f64) -> PacketTraversal<S> {
        let mut all = [f32::NEG_INFINITY; RAYS];
        all[..count].fill(far as f32);
        let zero = F32Lanes::splat(simd, 0.0);
        let nothing = u32x16::splat(simd, NO_HIT);
        PacketTraversal {
            far: F32Lanes::load_array(simd, all),
            thing: nothing,
            part: nothing,
            weights: [zero; 2],
            any,
            enters: [zero; PLACES],
            places: [0; PLACES],
            depth: 0,
        }
    }

    /// Records that rays have hit a part of a primitive.
    #[inline(always)]
    pub fn record(
        &mut self,
        hit: MaskLanes<S>,
        range: F32Lanes<S>,
        [thing, part]: [u32; 2],
        weights: [F32Lanes<S>; 2],
    ) {
        let simd = range.simd;
        let (things, parts) = (u32x16::splat(simd, thing), u32x16::splat(simd, part));
        let least =
            things.simd_lt(self.thing) | (things.simd_eq(self.thing) & parts.simd_lt(self.part));
        let taken = hit & (range.simd_lt(self.far) | (range.simd_eq(self.far) & least));
        let range = if self.any { F32Lanes::splat(simd, f32::NEG_INFINITY) } else { range };
        self.far = taken.select(range, self.far);
        self.thing = taken.select(things, self.thing);
        self.part = taken.select(parts, self.part);
        self.weights =
            [taken.select(weights[0], self.weights[0]), taken.select(weights[1], self.weights[1])];
    }

    /// Clears the hits but keeps their ranges, to search for other primitives before them.
    #[inline(always)]
    pub fn clear_hits(&mut self) {
        let nothing = u32x16::splat(self.far.simd, NO_HIT);
        (self.thing, self.part) = (nothing, nothing);
    }

    /// Returns the size of the traversal stack.
    #[inline(always)]
    pub fn stack_depth(&self) -> usize {
        self.depth
    }

    /// Pushes a node that the rays enter at these ranges onto the stack.
    #[inline(always)]
    pub fn push(&mut self, place: u32, enter: F32Lanes<S>) {
        // the capacity is never exceeded: the mask saves a bounds check
        let at = self.depth % PLACES;
        self.enters[at] = enter;
        self.places[at] = place;
        self.depth += 1;
    }

    /// Pops the last node above stack size `before` that any ray may still reach before its hit.
    #[inline(always)]
    pub fn pop(&mut self, before: usize) -> Option<u32> {
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
