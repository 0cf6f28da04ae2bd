//! Width of the loaded patch: b in Bekker's equation.

/// Returns the reciprocal of the patch width, 1/m: perimeter over twice the area of the convex hull
/// of `points`, which are ordered by row, each row given by its two ends.
///
/// This is 1/r for a disc and 1/w + 1/l for a rectangle. A hull of less than 1e-6 m² counts as
/// infinitely wide, as in the reference implementation. `hull` is scratch memory.
pub(super) fn inverse_patch_width(points: &[[f64; 2]], hull: &mut Vec<[f64; 2]>) -> f64 {
    hull.clear();
    // the points are sorted by y and then x: one pass up, one pass down
    for &point in points {
        push_left_turning(hull, 0, point);
    }
    let turn = hull.len().saturating_sub(1);
    for &point in points.iter().rev() {
        push_left_turning(hull, turn, point);
    }
    // relative to the first corner: far from the world's origin the products of absolute
    // coordinates would cancel
    let [x, y] = hull.first().copied().unwrap_or_default();
    let (mut perimeter, mut twice_area) = (0.0, 0.0);
    for pair in hull.windows(2) {
        let [[x0, y0], [x1, y1]] = [pair[0], pair[1]];
        perimeter += ((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0)).sqrt();
        twice_area += (x0 - x) * (y1 - y) - (x1 - x) * (y0 - y);
    }
    let twice_area = twice_area.abs();
    if twice_area < 2e-6 { 0.0 } else { perimeter / twice_area }
}

fn push_left_turning(hull: &mut Vec<[f64; 2]>, keep: usize, point: [f64; 2]) {
    while hull.len() >= keep + 2 {
        let [ax, ay] = hull[hull.len() - 2];
        let [bx, by] = hull[hull.len() - 1];
        // the points are sorted by y first, so a left turn appears as a right turn: the sign is
        // that of the mirrored plane throughout
        let turn = (by - ay) * (point[0] - ax) - (bx - ax) * (point[1] - ay);
        if turn > 0.0 {
            break;
        }
        hull.pop();
    }
    hull.push(point);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_has_the_sum_of_its_reciprocal_sides() {
        let mut points = Vec::new();
        for row in 0..15 {
            let y = 0.04 * f64::from(row);
            points.extend([[0.0, y], [0.16, y]]);
        }
        let inverse = inverse_patch_width(&points, &mut Vec::new());
        assert!((inverse - (1.0 / 0.16 + 1.0 / 0.56)).abs() < 1e-9, "{inverse}");
    }

    #[test]
    fn a_disc_has_its_reciprocal_radius() {
        let mut points = Vec::new();
        for row in -1000..=1000 {
            let y = f64::from(row) * 1e-3;
            let x = (1.0 - y * y).max(0.0).sqrt();
            points.extend([[-x, y], [x, y]]);
        }
        let inverse = inverse_patch_width(&points, &mut Vec::new());
        assert!((inverse - 1.0).abs() < 1e-3, "{inverse}");
    }

    #[test]
    fn a_line_or_a_point_is_infinitely_wide() {
        let hull = &mut Vec::new();
        assert_eq!(inverse_patch_width(&[], hull), 0.0);
        assert_eq!(inverse_patch_width(&[[1.0, 2.0], [1.0, 2.0]], hull), 0.0);
        assert_eq!(inverse_patch_width(&[[0.0, 0.0], [1.0, 0.0]], hull), 0.0);
    }
}
