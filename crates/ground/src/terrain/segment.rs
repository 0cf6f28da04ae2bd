//! Straight stretches, about which bands of soil and ditches lie.

/// The vector to (x, y) from the nearest point of the segment between `from`
/// and `to`, m. A segment without length is a point.
pub fn offset(from: [f64; 2], to: [f64; 2], x: f64, y: f64) -> [f64; 2] {
    let axis = [to[0] - from[0], to[1] - from[1]];
    let (dx, dy) = (x - from[0], y - from[1]);
    let squared = axis[0] * axis[0] + axis[1] * axis[1];
    let along =
        if squared > 0.0 { ((dx * axis[0] + dy * axis[1]) / squared).clamp(0.0, 1.0) } else { 0.0 };
    [dx - along * axis[0], dy - along * axis[1]]
}
