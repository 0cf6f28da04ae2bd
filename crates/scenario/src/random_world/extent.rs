//! The footprints of objects, and the search for free space between them.

use bekker_math::numeric::hypot;
use rstar::{AABB, RTree, RTreeObject};

/// A capsule-shaped footprint: all points within a radius of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    /// Center, m.
    pub middle: [f64; 2],
    /// Vector from the center to an end of the segment, m; zero for a disc.
    pub half: [f64; 2],
    /// Radius around the segment, m.
    pub radius: f64,
}

impl Extent {
    /// Distance of a point from the edge, m; negative inside.
    pub fn distance(&self, [x, y]: [f64; 2]) -> f64 {
        let [hx, hy] = self.half;
        let (dx, dy) = (x - self.middle[0], y - self.middle[1]);
        let squared = hx * hx + hy * hy;
        let along =
            if squared > 0.0 { ((dx * hx + dy * hy) / squared).clamp(-1.0, 1.0) } else { 0.0 };
        hypot(dx - along * hx, dy - along * hy) - self.radius
    }

    /// Distance between the edges of two footprints, m.
    ///
    /// Samples the segment at steps of half the radius, so that the result may be too large.
    fn gap_to(&self, other: &Extent) -> f64 {
        let length = 2.0 * hypot(self.half[0], self.half[1]);
        let steps = (length / (0.5 * self.radius).max(0.05)).ceil().max(1.0) as usize;
        let point = |k: usize| {
            let share = 2.0 * k as f64 / steps as f64 - 1.0;
            [0, 1].map(|axis| self.middle[axis] + share * self.half[axis])
        };
        let nearest = (0..=steps).map(|k| other.distance(point(k))).fold(f64::INFINITY, f64::min);
        nearest - self.radius
    }

    /// Bounding box, enlarged by `more` m: `[x_min, y_min, x_max, y_max]`.
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

/// A rectangle around the origin with the footprints on it, and points that all of them avoid.
pub(super) struct PlacementField {
    size: [f64; 2],
    occupied: RTree<Extent>,
    clear_points: RTree<[f64; 2]>,
    clear: f64,
    paths: RTree<[f64; 2]>,
    lateral_clearance: f64,
}

impl PlacementField {
    /// Creates an empty field of `size`, m; edges stay at least `clear`, m, from the `clear_points`
    /// points.
    pub fn new(size: [f64; 2], clear_points: &[[f64; 2]], clear: f64) -> PlacementField {
        let clear_points = RTree::bulk_load(clear_points.to_vec());
        PlacementField {
            size,
            occupied: RTree::new(),
            clear_points,
            clear,
            paths: RTree::new(),
            lateral_clearance: 0.0,
        }
    }

    /// Adds a footprint.
    pub fn add(&mut self, extent: Extent) {
        self.occupied.insert(extent);
    }

    /// Removes a footprint.
    pub fn remove(&mut self, extent: &Extent) {
        self.occupied.remove(extent);
    }

    /// Requires later footprints to stay at least `lateral_clearance`, m, from the points `paths`.
    pub fn set_clear_paths(&mut self, paths: &[[f64; 2]], lateral_clearance: f64) {
        (self.paths, self.lateral_clearance) =
            (RTree::bulk_load(paths.to_vec()), lateral_clearance);
    }

    /// Whether a footprint is far enough from the paths.
    pub fn is_clear_of_paths(&self, extent: &Extent) -> bool {
        is_clear_of(&self.paths, extent, self.lateral_clearance)
    }

    /// Whether a footprint fits: inside the field, at least `gap`, m, from all others, and away
    /// from the points to avoid.
    pub fn is_free(&self, extent: &Extent, gap: f64) -> bool {
        let [west, south, east, north] = extent.bounds(0.0);
        let [x, y] = self.size.map(|length| 0.5 * length);
        let inside = west >= -x && south >= -y && east <= x && north <= y;
        let mut near = self.occupied.locate_in_envelope_intersecting(extent.envelope_with(gap));
        inside
            && is_clear_of(&self.clear_points, extent, self.clear)
            && self.is_clear_of_paths(extent)
            && near.all(|other| extent.gap_to(other) >= gap)
    }
}

/// Whether the edge is at least `distance`, m, from all points.
fn is_clear_of(places: &RTree<[f64; 2]>, extent: &Extent, distance: f64) -> bool {
    let mut near = places.locate_in_envelope(extent.envelope_with(distance));
    near.all(|place| extent.distance(*place) >= distance)
}
