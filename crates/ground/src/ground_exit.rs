//! Exit direction of body points in ground that rises like a wall.
//!
//! The depth of a point below the surface is measured from above. Behind the face of a wall that is
//! the whole height of the wall, and a force for that depth would throw a vehicle onto it. The
//! shorter exit is the one through which the point entered.

use bekker_math::spatial::Vec3;

/// Number of bisections that locate the face between two samples.
const HALVINGS: u32 = 12;

/// Greatest search distance for the face, m: no body is longer.
const FARTHEST: f64 = 30.0;

/// Direction and distance from a point out of the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundExit {
    /// Unit normal of the surface that it leaves through.
    pub normal: Vec3,
    /// Depth below that surface along the normal, m.
    pub depth: f64,
}

/// Returns how a point leaves the ground.
///
/// By default the exit is the given one, up. If the point is deeper than
/// `deep`, it is level towards the `middle` of its body if that is shorter. On a plane, however
/// steep, it never is: with slope tan θ and vertical depth d, the level distance is d / tan θ and
/// the normal one d cos θ.
///
/// `height` is that of the ground, sampled every `spacing` m.
pub fn ground_exit(
    up: GroundExit,
    deep: f64,
    point: &Vec3,
    middle: &Vec3,
    spacing: f64,
    height: impl Fn(f64, f64) -> f64,
) -> GroundExit {
    let depth = up.depth;
    let level = Vec3::new(middle.x - point.x, middle.y - point.y, 0.0);
    let Some(way) = level.try_normalize(spacing).filter(|_| depth > deep) else {
        return up;
    };
    let at = |distance: f64| point + way * distance;
    let is_out = |distance: f64| {
        let place = at(distance);
        height(place.x, place.y) <= point.z
    };
    // beyond this distance the exit upward is shorter
    let looks = (depth.min(FARTHEST) / spacing).ceil() as u32;
    let Some(first) = (1..=looks).find(|look| is_out(f64::from(*look) * spacing)) else {
        return up;
    };
    let [mut inside, mut outside] = [f64::from(first - 1) * spacing, f64::from(first) * spacing];
    for _ in 0..HALVINGS {
        let half = 0.5 * (inside + outside);
        *(if is_out(half) { &mut outside } else { &mut inside }) = half;
    }
    // orientation of the face, from the heights on either side
    let face = at(outside);
    let reach = 0.5 * spacing;
    let fall = Vec3::new(
        height(face.x - reach, face.y) - height(face.x + reach, face.y),
        height(face.x, face.y - reach) - height(face.x, face.y + reach),
        0.0,
    );
    let out = fall.try_normalize(1e-9).unwrap_or(way);
    let through = outside * out.dot(&way);
    if through > 0.0 && through < depth { GroundExit { normal: out, depth: through } } else { up }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACING: f64 = 0.05;
    const DEEP: f64 = 0.1;

    fn out_of(height: impl Fn(f64, f64) -> f64, point: Vec3) -> GroundExit {
        let up = GroundExit { normal: Vec3::z(), depth: height(point.x, point.y) - point.z };
        ground_exit(up, DEEP, &point, &Vec3::new(-3.0, 0.0, 1.0), SPACING, height)
    }

    /// A step of 2 m over 5 cm at x = 0: 0.3 m behind its face the exit is back, not up, at any
    /// lateral position of the point.
    #[test]
    fn behind_a_face_the_exit_is_back() {
        let step = |x: f64, _: f64| 2.0 * (x / 0.05).clamp(0.0, 1.0);
        for y in [-1.0, 0.0, 0.7] {
            let GroundExit { normal, depth } = out_of(step, Vec3::new(0.3, y, 0.5));
            assert!((normal + Vec3::x()).norm() < 1e-9, "{normal}");
            // the face is at a quarter of its height there
            assert!((depth - (0.3 - 0.0125)).abs() < 1e-3, "{depth}");
        }
        // near its top, up is shorter
        let up = GroundExit { normal: Vec3::z(), depth: 2.0 - 1.85 };
        assert_eq!(out_of(step, Vec3::new(0.3, 0.0, 1.85)), up);
    }

    /// A point that diverged far below the ground ends the search after a bounded number of
    /// samples.
    #[test]
    fn points_far_below_are_pushed_up() {
        let looks = std::cell::Cell::new(0_u32);
        let level = |_: f64, _: f64| {
            looks.set(looks.get() + 1);
            0.0
        };
        let up = GroundExit { normal: Vec3::z(), depth: 1e12 };
        assert_eq!(out_of(level, Vec3::new(0.3, 0.0, -1e12)), up);
        assert!(looks.get() < 1000, "{} looks", looks.get());
    }

    /// On planes, on level ground and at small depth the exit is up.
    #[test]
    fn planes_have_no_face() {
        for slope in [0.0, 0.5, 1.0, 3.0] {
            let plane = |x: f64, _: f64| slope * x;
            let normal = Vec3::new(-slope, 0.0, 1.0).normalize();
            let up = |depth: f64| GroundExit { normal, depth: depth * normal.z };
            for depth in [0.05, 0.3, 1.0] {
                let point = Vec3::new(0.2, 0.0, plane(0.2, 0.0) - depth);
                let found = ground_exit(
                    up(depth),
                    DEEP,
                    &point,
                    &Vec3::new(-3.0, 0.0, 1.0),
                    SPACING,
                    plane,
                );
                assert_eq!(found, up(depth), "{slope} {depth}");
            }
        }
    }
}
