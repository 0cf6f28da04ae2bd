use super::*;
use crate::scm::footprint::Footprint;
use bekker_math::numeric::{Level, dispatch};
use bekker_math::spatial::Quat;
use proptest::prelude::*;

fn hmmwv() -> Underside {
    let outline =
        vec![[0.08, 0.4677], [0.095, 0.4670], [0.105, 0.4628], [0.125, 0.4495], [0.15, 0.412]];
    Underside::new(outline, None).unwrap()
}

/// Lowest point of a body on one vertical line.
#[derive(Debug)]
struct Point {
    height: f64,
    slope: [f64; 2],
    coverage: f64,
}

fn point(placed: &PlacedWheel, x: f64, y: f64) -> Option<Point> {
    dispatch!(Level::baseline(), simd => {
        let points = placed.underside(Lanes::new(simd, x), Lanes::new(simd, y));
        let [height, coverage] = [points.height, points.coverage].map(|l| l.to_array()[0]);
        let slope = points.slope.map(|slope| slope.to_array()[0]);
        (coverage > 0.0).then_some(Point { height, slope, coverage })
    })
}

/// Returns the height above the center where the vertical line enters the tread from below, by
/// marching and bisection.
fn by_search(wheel: &Underside, axis: &Vec3, u: f64, v: f64) -> Option<f64> {
    let outside = |z: f64| {
        let w = Vec3::new(u, v, z);
        let s = w.dot(axis);
        let cone = wheel.segments.iter().find(|cone| s.abs() <= cone.end).unwrap();
        w.norm_squared() - s * s - (cone.radius + cone.taper * s.abs()).powi(2) > 0.0
            || s.abs() > wheel.half_width()
    };
    let (mut z, step) = (-0.6, 1e-4);
    while outside(z) {
        z += step;
        if z > 0.0 {
            return None;
        }
    }
    let (mut low, mut high) = (z - step, z);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if outside(middle) { low = middle } else { high = middle }
    }
    Some(high)
}

/// The tread over cells agrees with sums over points of the tread.
#[test]
fn the_tread_over_cells_is_a_sum_over_its_points() {
    let wheel = hmmwv();
    let edge = wheel.half_width();
    for half_cell in [0.00625, 0.0125, 0.025, 0.05, 0.2] {
        let tread = wheel.over_cells(half_cell);
        for k in -60..=60 {
            let cell = f64::from(k) / 60.0 * (edge + half_cell - 1e-3);
            let (from, to) = ((cell - half_cell).max(-edge), (cell + half_cell).min(edge));
            let count = 4000;
            let step = (to - from) / f64::from(count);
            let radius = |i: i32| wheel.radius_at(from + step * (f64::from(i) + 0.5));
            let mean = (0..count).map(radius).sum::<f64>() / f64::from(count);
            let [found, inner, outer, inverse_width, middle] = dispatch!(Level::baseline(), simd => {
                let ends = tread.parts(Lanes::new(simd, cell));
                let (cover, middle) = (tread.cell_cover(ends), 0.5 * (ends[0] + ends[1]));
                [cover.radius, cover.inner, cover.outer, cover.inverse_width, middle]
                    .map(|lanes| lanes.to_array()[0])
            });
            let case = format!("{half_cell} at {cell}");
            assert!((middle - 0.5 * (from + to)).abs() < 1e-12, "{case}: {middle}");
            // between the samples of the profile, 2.4 mm apart, the tread bends
            assert!((found - mean).abs() < 3e-4, "{case}: {found} {mean}");
            let [near, far] = if middle < 0.0 { [to, from] } else { [from, to] };
            for (more, at) in [(inner, near), (outer, far)] {
                let radius = wheel.radius_at(at);
                assert!((found + more - radius).abs() < 1e-3, "{case}: {found} {more} {radius}");
            }
            if to - from > 0.05 * half_cell {
                let width = 1.0 / inverse_width.abs();
                assert!((width / (to - from) - 1.0).abs() < 1e-9, "{case}: {width}");
            }
        }
    }
}

proptest! {
    #[test]
    fn heights_agree_with_a_search_under_camber_and_yaw(
        camber in -0.26..0.26, yaw in -3.2..3.2, along in -0.4..0.4, across in -0.13..0.13,
    ) {
        let wheel = hmmwv();
        let orientation = Quat::from_euler_angles(0.0, 0.0, yaw)
            * Quat::from_euler_angles(camber, 0.0, 0.0);
        let pose = Pose { position: Vec3::zeros(), orientation };
        let placed = wheel.placed(&pose, 0.02);
        let line = orientation * Vec3::new(along, across, -0.45);
        let solved = dispatch!(Level::baseline(), simd => {
            let [u, v] = [line.x, line.y].map(|at| Lanes::new(simd, at));
            let solved = placed.solve(u, v, 0.0);
            let at = [solved.height, solved.distance].map(|l| l.to_array()[0]);
            solved.found.any().then_some(at)
        });
        prop_assume!(solved.is_some());
        let [height, s] = solved.unwrap();
        // beyond the edge the outline is extrapolated, unlike in the search
        prop_assume!(s.abs() < wheel.half_width() - 1e-3);
        if let Some(found) = by_search(&wheel, &placed.axis, line.x, line.y) {
            // a line that enters through the side face does not meet the tread
            let entry = Vec3::new(line.x, line.y, found).dot(&placed.axis);
            prop_assume!(entry.abs() < wheel.half_width() - 1e-6);
            prop_assert!((height - found).abs() < 1e-9, "{height} {found}");
        }
    }

    #[test]
    fn slopes_are_differences_and_rows_hold_the_footprint(
        camber in -0.2..0.2, yaw in -3.2..3.2, x in -0.6..0.6, y in -0.6..0.6,
    ) {
        let wheel = hmmwv();
        let orientation = Quat::from_euler_angles(0.0, 0.0, yaw)
            * Quat::from_euler_angles(camber, 0.0, 0.0);
        let pose = Pose { position: Vec3::new(1.0, -2.0, 0.4), orientation };
        let mut placed = wheel.placed(&pose, 0.02);
        let (x, y) = (1.0 + x, y - 2.0);
        let Some(found) = point(&placed, x, y) else { return Ok(()) };
        let [x0, y0, x1, y1] = placed.bounds();
        prop_assert!(x0 <= x && x <= x1 && y0 <= y && y <= y1);
        placed.clip(found.height + 1e-9);
        let row = placed.row(y);
        prop_assert!(row.is_some_and(|[a, b]| a <= x && x <= b), "{row:?} {x}");
        let step = 1e-7;
        if let Some(next) = point(&placed, x + step, y) {
            let slope = (next.height - found.height) / step;
            // kinks of the outline may be between the two points
            prop_assert!((slope - found.slope[0]).abs() < 2.0e-2 * (1.0 + slope.abs()).powi(3) || found.coverage < 1.0 || slope.abs() > 1.0);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn no_point_above_the_underside_is_passed_over(
        camber in -0.5..0.5, yaw in -3.2..3.2, x in -0.5..0.5, y in -0.5..0.5,
        above in 1e-7..0.45, shape in 0_usize..4,
    ) {
        let bars = Grousers { count: 24, height: 0.02, width: 0.03 };
        let wheel = match shape {
            0 => hmmwv(),
            1 => Underside::new(hmmwv().outline, Some(bars)).unwrap(),
            2 => Underside::cylinder(0.3, 0.8).unwrap(),
            // concave, unlike any tire
            _ => Underside::new(vec![[0.05, 0.40], [0.1, 0.38], [0.15, 0.45]], None).unwrap(),
        };
        let orientation = Quat::from_euler_angles(0.0, 0.0, yaw)
            * Quat::from_euler_angles(camber, 0.0, 0.0);
        let pose = Pose { position: Vec3::new(1.0, -2.0, 0.4), orientation };
        let mut placed = wheel.placed(&pose, 0.05);
        let (x, y) = (1.0 + x, y - 2.0);
        let Some(found) = point(&placed, x, y) else { return Ok(()) };
        let z = found.height + above;
        let near = dispatch!(Level::baseline(), simd => {
            placed.may_touch(Lanes::new(simd, x), y, Lanes::new(simd, z)).to_bits()
        });
        prop_assert!(near == 0b1111, "{near:b}");
        placed.clip(z);
        let [x0, y0, x1, y1] = placed.bounds();
        prop_assert!(x0 <= x && x <= x1 && y0 <= y && y <= y1);
        prop_assert!(placed.row(y).is_some_and(|[a, b]| a <= x && x <= b));
    }
}

#[test]
fn grousers_lower_the_underside_at_their_angle() {
    let bars = Grousers { count: 12, height: 0.02, width: 0.03 };
    let wheel = Underside::new(vec![[0.1, 0.3]], Some(bars)).unwrap();
    let lowest = |spin: f64| {
        let orientation = Quat::from_euler_angles(0.0, spin, 0.0);
        let pose = Pose { position: Vec3::zeros(), orientation };
        point(&wheel.placed(&pose, 0.01), 0.0, 0.0).unwrap().height
    };
    let pitch = std::f64::consts::TAU / 12.0;
    assert!((lowest(0.0) + 0.32).abs() < 1e-12);
    assert!((lowest(pitch / 2.0) + 0.30).abs() < 1e-12);
    assert!((lowest(pitch) + 0.32).abs() < 1e-12);
}

#[test]
fn refuses_outlines_that_are_no_wheel() {
    assert_eq!(Underside::new(vec![], None), Err(UndersideError::Empty));
    let error = Underside::new(vec![[0.1, 0.4], [0.05, 0.3]], None).unwrap_err();
    assert!(matches!(error, UndersideError::Point { index: 1, .. }));
    assert!(Underside::cylinder(-1.0, 0.2).is_err());
}
