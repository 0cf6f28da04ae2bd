//! The ground that a thing takes, and where there is room for it.

use bekker_math::numeric::hypot;
use rstar::{AABB, RTree, RTreeObject};

/// A stretch of ground with round ends: all within a radius of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    /// Its middle, m.
    pub middle: [f64; 2],
    /// From the middle to an end of the segment, m; nothing for a disc.
    pub half: [f64; 2],
    /// Radius about the segment, m.
    pub radius: f64,
}

impl Extent {
    /// Distance of a place from its edge, m; negative inside.
    pub fn distance(&self, [x, y]: [f64; 2]) -> f64 {
        let [hx, hy] = self.half;
        let (dx, dy) = (x - self.middle[0], y - self.middle[1]);
        let squared = hx * hx + hy * hy;
        let along =
            if squared > 0.0 { ((dx * hx + dy * hy) / squared).clamp(-1.0, 1.0) } else { 0.0 };
        hypot(dx - along * hx, dy - along * hy) - self.radius
    }

    /// Distance between the edges of two, m, to a quarter of the smaller radius.
    fn apart(&self, other: &Extent) -> f64 {
        let length = 2.0 * hypot(self.half[0], self.half[1]);
        let steps = (length / (0.5 * self.radius).max(0.05)).ceil().max(1.0) as usize;
        let point = |k: usize| {
            let share = 2.0 * k as f64 / steps as f64 - 1.0;
            [0, 1].map(|axis| self.middle[axis] + share * self.half[axis])
        };
        let nearest = (0..=steps).map(|k| other.distance(point(k))).fold(f64::INFINITY, f64::min);
        nearest - self.radius
    }

    /// The box that it reaches by `more` m beyond: `[x_min, y_min, x_max, y_max]`.
    pub fn bounds(&self, more: f64) -> [f64; 4] {
        let reach = [0, 1].map(|axis| self.half[axis].abs() + self.radius + more);
        let [x, y] = self.middle;
        [x - reach[0], y - reach[1], x + reach[0], y + reach[1]]
    }

    fn envelope_with(&self, more: f64) -> AABB<[f64; 2]> {
        let [x0, y0, x1, y1] = self.bounds(more);
        AABB::from_corners([x0, y0], [x1, y1])
    }
}

impl RTreeObject for Extent {
    type Envelope = AABB<[f64; 2]>;

    fn envelope(&self) -> Self::Envelope {
        self.envelope_with(0.0)
    }
}

/// A rectangle about the origin with what stands on it, and places that all keep away from.
pub(super) struct Field {
    size: [f64; 2],
    taken: RTree<Extent>,
    kept: RTree<[f64; 2]>,
    clear: f64,
    ways: RTree<[f64; 2]>,
    beside: f64,
}

impl Field {
    /// An empty one of this size, m, where edges keep `clear`, m, from the `kept` places.
    pub fn new(size: [f64; 2], kept: &[[f64; 2]], clear: f64) -> Field {
        let kept = RTree::bulk_load(kept.to_vec());
        Field { size, taken: RTree::new(), kept, clear, ways: RTree::new(), beside: 0.0 }
    }

    /// Takes the ground of a thing.
    pub fn add(&mut self, extent: Extent) {
        self.taken.insert(extent);
    }

    /// Frees it again.
    pub fn remove(&mut self, extent: &Extent) {
        self.taken.remove(extent);
    }

    /// From now on what is put keeps its edge `beside`, m, off these places.
    pub fn keep_off(&mut self, ways: &[[f64; 2]], beside: f64) {
        (self.ways, self.beside) = (RTree::bulk_load(ways.to_vec()), beside);
    }

    /// Whether a thing keeps off the ways.
    pub fn is_off_ways(&self, extent: &Extent) -> bool {
        is_off(&self.ways, extent, self.beside)
    }

    /// Whether a thing may stand here: on the field, `gap`, m, from all others, away from where
    /// all keep away from.
    pub fn has_room(&self, extent: &Extent, gap: f64) -> bool {
        let [west, south, east, north] = extent.bounds(0.0);
        let [x, y] = self.size.map(|length| 0.5 * length);
        let inside = west >= -x && south >= -y && east <= x && north <= y;
        let mut near = self.taken.locate_in_envelope_intersecting(extent.envelope_with(gap));
        inside
            && is_off(&self.kept, extent, self.clear)
            && self.is_off_ways(extent)
            && near.all(|other| extent.apart(other) >= gap)
    }
}

/// Whether an edge is `distance`, m, and more from all places.
fn is_off(places: &RTree<[f64; 2]>, extent: &Extent, distance: f64) -> bool {
    let mut near = places.locate_in_envelope(extent.envelope_with(distance));
    near.all(|place| extent.distance(*place) >= distance)
}
