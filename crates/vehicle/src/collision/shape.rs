//! Shapes with signed distances.

use bekker_math::spatial::Vec3;

/// Distance and normal at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistanceField {
    /// Distance outside the surface, m; negative inside.
    pub distance: f64,
    /// Gradient of the distance: a unit vector that points outward.
    pub normal: Vec3,
}

/// Faces of a box through which a point inside it may leave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExitRule {
    /// The nearest face.
    Any,
    /// One of the four lateral faces: upright obstacles are pushed sideways, not up.
    ///
    /// The end faces, across x, hold to three times the depth of the flanks. A stem in front of a
    /// bumper is thus not soon pushed past it.
    Sideways,
    /// The face at which the line from the center of the point's body, given here, enters the box.
    ///
    /// A point that has passed through the box on that line counts as inside, however thin the box
    /// is. The nearest face applies if the line does not enter the box.
    Towards(Vec3),
}

/// A ball on the surface of a body that represents a length of an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplePoint {
    /// Center in the body's frame, m.
    pub center: Vec3,
    /// Radius, m.
    pub radius: f64,
    /// Length of edge that it represents, m.
    pub length: f64,
}

/// Ratio of the depths to which the ends and the flanks of a box hold upright obstacles.
const ENDS: f64 = 3.0;
/// Spacing of samples where the rounding is smaller, m.
const FINEST: f64 = 0.2;
/// Maximum number of samples along one edge.
const MOST: f64 = 200.0;

/// A box with rounded edges and corners, about its center.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundedBox {
    /// Half of the sides, m, including the roundings.
    half: Vec3,
    /// Radius of edges and corners, m.
    rounding: f64,
}

impl RoundedBox {
    /// Builds a box of these sides, m; its rounding is at most half of the smallest side.
    pub fn new(size: [f64; 3], rounding: f64) -> RoundedBox {
        let half = Vec3::from(size) * 0.5;
        RoundedBox { half, rounding: rounding.clamp(0.0, half.min()) }
    }

    /// Returns half of the sides, m.
    pub fn half(&self) -> Vec3 {
        self.half
    }

    /// Returns the rounding of the edges, m.
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// Returns the radius of the bounding ball about the center, m.
    pub fn reach(&self) -> f64 {
        self.half.norm()
    }

    /// Returns the axis and the side of the face where the segment between two points enters the
    /// box.
    pub(super) fn entry(&self, from: &Vec3, to: &Vec3) -> Option<(usize, f64)> {
        let way = to - from;
        let (mut entry, mut first, mut last) = (None, 0.0, 1.0);
        for axis in 0..3 {
            let half = self.half[axis];
            // a segment parallel to the face is either inside or outside its slab
            if way[axis] == 0.0 {
                if from[axis].abs() > half {
                    return None;
                }
                continue;
            }
            let side = -way[axis].signum();
            let [enters, leaves] = [side, -side].map(|side| (side * half - from[axis]) / way[axis]);
            if enters > first {
                (entry, first) = (Some((axis, side)), enters);
            }
            last = leaves.min(last);
        }
        entry.filter(|_| first <= last)
    }

    /// Returns distance and normal at a point.
    pub fn field(&self, point: &Vec3, exit: ExitRule) -> DistanceField {
        let inner = self.half.add_scalar(-self.rounding);
        let entry = match exit {
            ExitRule::Towards(middle) => self.entry(&middle, point),
            ExitRule::Any | ExitRule::Sideways => None,
        };
        let mut side = Vec3::zeros();
        let mut over = Vec3::zeros();
        for axis in 0..3 {
            side[axis] = match entry {
                Some((only, side)) if only == axis => side,
                _ if point[axis] < 0.0 => -1.0,
                _ => 1.0,
            };
            over[axis] = side[axis] * point[axis] - inner[axis];
        }
        let outside = over.sup(&Vec3::zeros());
        let away = outside.norm();
        if away > 0.0 {
            let normal = outside.component_mul(&side) / away;
            return DistanceField { distance: away - self.rounding, normal };
        }
        let axis = match (exit, entry) {
            (_, Some((axis, _))) => axis,
            (ExitRule::Sideways, None) => usize::from(over[1] > over[0] / ENDS),
            (ExitRule::Any | ExitRule::Towards(_), None) => over.imax(),
        };
        let mut normal = Vec3::zeros();
        normal[axis] = side[axis];
        DistanceField { distance: over[axis] - self.rounding, normal }
    }

    /// Returns balls along the edges, spaced by the rounding or by 0.2 m if that is more.
    pub fn samples(&self) -> Vec<SamplePoint> {
        let inner = self.half.add_scalar(-self.rounding);
        let ends =
            |axis: usize| -> &[f64] { if inner[axis] > 1e-9 { &[-1.0, 1.0] } else { &[0.0] } };
        let spacing = self.rounding.max(FINEST);
        let pieces = |axis: usize| (2.0 * inner[axis] / spacing).ceil().clamp(1.0, MOST);
        let piece = |axis: usize| 2.0 * inner[axis] / pieces(axis);
        let radius = self.rounding;
        let mut samples = Vec::new();
        for &x in ends(0) {
            for &y in ends(1) {
                for &z in ends(2) {
                    let center = inner.component_mul(&Vec3::new(x, y, z));
                    let length = 0.5 * (piece(0) + piece(1) + piece(2));
                    samples.push(SamplePoint { center, radius, length });
                }
            }
        }
        for along in 0..3 {
            let (first, second) = ((along + 1) % 3, (along + 2) % 3);
            for &one in ends(first) {
                for &other in ends(second) {
                    for k in 1..pieces(along) as u32 {
                        let mut center = Vec3::zeros();
                        center[along] = f64::from(k) * piece(along) - inner[along];
                        center[first] = one * inner[first];
                        center[second] = other * inner[second];
                        samples.push(SamplePoint { center, radius, length: piece(along) });
                    }
                }
            }
        }
        samples
    }
}

/// A wheel: a disc with a rounded edge about its center, with its axis along y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundedCylinder {
    /// Radius, m.
    pub radius: f64,
    /// Half of the width, m.
    pub half_width: f64,
}

impl RoundedCylinder {
    /// Radius of the edge, m: half of the half-width, or of the radius if that is less.
    pub(super) fn rounding(&self) -> f64 {
        0.5 * self.half_width.min(self.radius)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> impl Iterator<Item = Vec3> {
        let at = |k: i32| 0.37 * f64::from(k) + 0.011;
        (-4..=4).flat_map(move |i| {
            (-4..=4).flat_map(move |j| (-4..=4).map(move |k| Vec3::new(at(i), at(j), at(k))))
        })
    }

    /// The normal is the gradient, and the distance never grows faster than the displacement.
    fn is_a_distance(field: impl Fn(&Vec3) -> DistanceField, smooth_to: f64) {
        let step = 1e-6;
        for point in points() {
            let here = field(&point);
            assert!((here.normal.norm() - 1.0).abs() < 1e-12);
            if here.distance < smooth_to {
                continue;
            }
            for axis in 0..3 {
                let mut way = Vec3::zeros();
                way[axis] = step;
                let slope = (field(&(point + way)).distance - field(&(point - way)).distance)
                    / (2.0 * step);
                // differences of numbers near 1 over 1e-6 lose nine digits
                assert!((slope - here.normal[axis]).abs() < 1e-5, "{point:?}");
            }
        }
    }

    #[test]
    fn normals_are_gradients() {
        let hull = RoundedBox::new([2.0, 1.2, 1.0], 0.3);
        // down to the depth of the rounding the normal turns smoothly
        is_a_distance(|point| hull.field(point, ExitRule::Any), -0.29);
    }

    #[test]
    fn bodies_through_a_thin_wall_are_pushed_back() {
        let wall = RoundedBox::new([0.2, 6.0, 2.0], 0.05);
        let exit = ExitRule::Towards(Vec3::new(1.9, 0.5, 0.0));
        let through = wall.field(&Vec3::new(-0.8, 0.4, 0.1), exit);
        assert_eq!(through.normal, Vec3::x());
        assert!((through.distance + 0.9).abs() < 1e-12);
        assert!(wall.field(&Vec3::new(-0.8, 3.4, 0.1), exit).distance > 0.0, "next to the wall");
    }

    /// A wall of 40 m next to a car: its center is behind the car, its far end ahead of it.
    #[test]
    fn points_whose_center_segment_misses_the_box_are_outside() {
        let car = RoundedBox::new([3.6, 1.5, 1.0], 0.2);
        let middle = Vec3::new(-4.4, -2.5, 0.0);
        let far = car.field(&Vec3::new(6.5, 0.3, 0.1), ExitRule::Towards(middle));
        assert!((far.distance - (6.5 - 1.8)).abs() < 1e-12, "{far:?}");
        assert_eq!(far.normal, Vec3::x());
        // a point that scrapes along the flank leaves by the flank, however far behind the other
        // center is
        let scrapes = car.field(&Vec3::new(0.5, -0.52, 0.1), ExitRule::Towards(middle));
        assert_eq!(scrapes.normal, -Vec3::y());
        assert!((scrapes.distance + 0.23).abs() < 1e-12, "{scrapes:?}");
    }

    #[test]
    fn samples_lie_on_the_surface_and_no_farther_apart_than_they_are_wide() {
        let hull = RoundedBox::new([4.5, 2.1, 0.9], 0.25);
        let samples = hull.samples();
        for sample in &samples {
            let inside = hull.field(&sample.center, ExitRule::Any).distance;
            assert!((inside + sample.radius).abs() < 1e-12);
            let near = samples.iter().filter(|other| *other != sample);
            let nearest =
                near.map(|other| (other.center - sample.center).norm()).fold(9.0, f64::min);
            assert!(nearest <= 0.25 + 1e-12);
        }
        let edges: f64 = samples.iter().map(|sample| sample.length).sum();
        assert!((edges - 4.0 * (4.0 + 1.6 + 0.4)).abs() < 1e-9, "{edges}");
        let ball = RoundedBox::new([1.0; 3], 0.5).samples();
        assert_eq!((ball.len(), ball[0].center), (1, Vec3::zeros()));
    }
}
