//! Geometry of line segments, for strips of soil and ditches.

use bekker_math::numeric::hypot;

/// Returns the vector to (x, y) from the nearest point of the segment between `from` and `to`, m. A
/// segment of zero length is a point.
pub fn offset(from: [f64; 2], to: [f64; 2], x: f64, y: f64) -> [f64; 2] {
    let axis = [to[0] - from[0], to[1] - from[1]];
    let (dx, dy) = (x - from[0], y - from[1]);
    let squared = axis[0] * axis[0] + axis[1] * axis[1];
    let along =
        if squared > 0.0 { ((dx * axis[0] + dy * axis[1]) / squared).clamp(0.0, 1.0) } else { 0.0 };
    [dx - along * axis[0], dy - along * axis[1]]
}

/// Returns the corners of the strip of a `width` around the segment between `from` and `to`, with
/// flat ends, in order around it, m.
pub fn strip(from: [f64; 2], to: [f64; 2], width: f64) -> [[f64; 2]; 4] {
    let axis = [to[0] - from[0], to[1] - from[1]];
    let share = 0.5 * width / hypot(axis[0], axis[1]);
    let left = [-share * axis[1], share * axis[0]];
    let beside = |[x, y]: [f64; 2], side: f64| [x + side * left[0], y + side * left[1]];
    [beside(from, -1.0), beside(to, -1.0), beside(to, 1.0), beside(from, 1.0)]
}

/// Returns whether the segment between `from` and `to` crosses the interior of a rectangle `[x_min,
/// y_min, x_max, y_max]`, m (Y.-D. Liang and B. Barsky, ACM Trans. Graphics 3, 1984).
pub fn crosses(from: [f64; 2], to: [f64; 2], rectangle: [f64; 4]) -> bool {
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    for k in 0..2 {
        let (low, high, axis) = (rectangle[k], rectangle[k + 2], to[k] - from[k]);
        if axis == 0.0 {
            if from[k] <= low || from[k] >= high {
                return false;
            }
            continue;
        }
        let [one, other] = [(low - from[k]) / axis, (high - from[k]) / axis];
        enters = enters.max(one.min(other));
        leaves = leaves.min(one.max(other));
    }
    enters < leaves
}
