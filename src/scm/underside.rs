//! The underside of a wheel: a surface of revolution, with grousers if it has them.

use super::footprint::{Footprint, UndersidePoint};
use crate::numeric::atan2;
use crate::spatial::{Pose, Twist, Vec3};
use serde::{Deserialize, Serialize};

/// Why an outline is no wheel.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UndersideError {
    /// No points.
    #[error("the outline of a wheel needs at least one point")]
    Empty,
    /// A point out of order or out of range.
    #[error(
        "point {index} of a wheel's outline, half width {half_width} m and radius {radius} m: \
         half widths must increase from 0 or more and radii be positive"
    )]
    Point {
        /// Index of the point.
        index: usize,
        /// Its half width, m.
        half_width: f64,
        /// Its radius, m.
        radius: f64,
    },
    /// Grousers that cannot be.
    #[error("grousers must have a positive height and width: {height} m and {width} m were given")]
    Grousers {
        /// Height, m.
        height: f64,
        /// Width along the circumference, m.
        width: f64,
    },
}

/// Bars across the tread, evenly spaced around it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grousers {
    /// How many.
    pub count: u32,
    /// Height above the tread, m.
    pub height: f64,
    /// Width along the circumference, m.
    pub width: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Segment {
    /// Half width at which the segment ends, m.
    end: f64,
    start: f64,
    radius: f64,
    taper: f64,
}

/// Part of a cone: ρ = radius + taper s for s between two distances from the middle.
struct Cone {
    radius: f64,
    taper: f64,
    from: f64,
    to: f64,
}

/// A wheel's outline: radius over half width, symmetric about its middle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UndersideRecord", into = "UndersideRecord")]
pub struct Underside {
    outline: Vec<[f64; 2]>,
    grousers: Option<Grousers>,
    segments: Vec<Segment>,
    max_radius: f64,
}

#[derive(Serialize, Deserialize)]
struct UndersideRecord {
    outline: Vec<[f64; 2]>,
    grousers: Option<Grousers>,
}

impl Underside {
    /// A wheel through the points (half width, radius), m; from the middle to
    /// the first point the radius is that of the first.
    pub fn new(
        outline: Vec<[f64; 2]>,
        grousers: Option<Grousers>,
    ) -> Result<Underside, UndersideError> {
        let Some(&[_, first]) = outline.first() else {
            return Err(UndersideError::Empty);
        };
        let mut previous = [0.0, first];
        let mut segments = Vec::new();
        for (index, &[half_width, radius]) in outline.iter().enumerate() {
            let ordered = if index == 0 { half_width >= 0.0 } else { half_width > previous[0] };
            if !(ordered && half_width.is_finite() && radius > 0.0 && radius.is_finite()) {
                return Err(UndersideError::Point { index, half_width, radius });
            }
            if half_width > previous[0] {
                segments.push(Segment {
                    end: half_width,
                    start: previous[0],
                    radius: previous[1],
                    taper: (radius - previous[1]) / (half_width - previous[0]),
                });
            }
            previous = [half_width, radius];
        }
        if segments.is_empty() {
            return Err(UndersideError::Point { index: 0, half_width: 0.0, radius: first });
        }
        if let Some(Grousers { height, width, .. }) = grousers
            && !(height > 0.0 && height.is_finite() && width > 0.0 && width.is_finite())
        {
            return Err(UndersideError::Grousers { height, width });
        }
        let bars = grousers.map_or(0.0, |bars| bars.height);
        let max_radius = outline.iter().fold(0.0_f64, |r, p| r.max(p[1])) + bars;
        Ok(Underside { outline, grousers, segments, max_radius })
    }

    /// A cylinder, m.
    pub fn cylinder(radius: f64, width: f64) -> Result<Underside, UndersideError> {
        Underside::new(vec![[width / 2.0, radius]], None)
    }

    /// The points (half width, radius), m.
    pub fn outline(&self) -> &[[f64; 2]] {
        &self.outline
    }

    /// The grousers.
    pub fn grousers(&self) -> Option<&Grousers> {
        self.grousers.as_ref()
    }

    /// Greatest radius, grousers included, m.
    pub fn max_radius(&self) -> f64 {
        self.max_radius
    }

    /// Half the width, m.
    pub fn half_width(&self) -> f64 {
        self.segments[self.segments.len() - 1].end
    }

    /// The cone that the surface is part of at the distance `s` from the
    /// middle; beyond the edge a cylinder of the edge's radius.
    #[inline(always)]
    fn cone(&self, s: f64) -> Cone {
        let distance = s.abs();
        let mirror = |radius, taper: f64, from: f64, to: f64| {
            if s < 0.0 {
                Cone { radius, taper: -taper, from: -to, to: -from }
            } else {
                Cone { radius, taper, from, to }
            }
        };
        for segment in &self.segments {
            if distance <= segment.end {
                let radius = segment.radius - segment.taper * segment.start;
                return mirror(radius, segment.taper, segment.start, segment.end);
            }
        }
        let last = self.segments[self.segments.len() - 1];
        let radius = last.radius + last.taper * (last.end - last.start);
        mirror(radius, 0.0, last.end, f64::INFINITY)
    }

    /// The wheel in the world: `pose` has the wheel's centre and spin axis y;
    /// `spacing` is that of the nodes that it will meet.
    pub fn placed(&self, pose: &Pose, spacing: f64) -> PlacedWheel<'_> {
        let axis = pose.direction(&Vec3::y());
        let level = (axis.x * axis.x + axis.y * axis.y).sqrt();
        PlacedWheel {
            underside: self,
            centre: pose.position,
            axis,
            forward: pose.direction(&Vec3::x()),
            up: pose.direction(&Vec3::z()),
            level,
            edge: spacing * (axis.x.abs() + axis.y.abs()),
            chord: self.max_radius,
            highest: self.max_radius,
        }
    }
}

impl TryFrom<UndersideRecord> for Underside {
    type Error = UndersideError;
    fn try_from(record: UndersideRecord) -> Result<Underside, UndersideError> {
        Underside::new(record.outline, record.grousers)
    }
}

impl From<Underside> for UndersideRecord {
    fn from(underside: Underside) -> Self {
        UndersideRecord { outline: underside.outline, grousers: underside.grousers }
    }
}

/// A wheel in the world, over nodes of a given spacing.
///
/// With s the distance along the axis from the centre, the surface is
/// |w|² - s² = ρ(s)², w being the vector from the centre. Within a segment of
/// the outline ρ is linear in s, so the height on a vertical line solves a
/// quadratic: it is exact for any camber and yaw. The side faces carry nothing.
/// A grouser is met where the
/// line meets the wheel grown by the grouser's height within its width.
#[derive(Clone, Debug)]
pub struct PlacedWheel<'a> {
    underside: &'a Underside,
    centre: Vec3,
    axis: Vec3,
    forward: Vec3,
    up: Vec3,
    /// Length of the axis' horizontal part.
    level: f64,
    /// Extent of a node's cell along the axis, m.
    edge: f64,
    /// Half the length of the footprint across the axis, m.
    chord: f64,
    /// No ground rises above this height over the centre, m.
    highest: f64,
}

/// Steeper than this the axis counts as vertical and the wheel as lying.
const LYING: f64 = 0.05;
/// How many segments of the outline are tried on one line: the first guess is
/// nearly always right.
const SEGMENT_TRIES: usize = 6;

impl PlacedWheel<'_> {
    fn half_width(&self) -> f64 {
        self.underside.half_width() + 0.5 * self.edge
    }

    /// Lowest height over the centre of the surface grown by `grown`, with its
    /// slope and the distance along the axis.
    // always: a call would pass the result through memory, and stall on it
    #[inline(always)]
    fn solve(&self, u: f64, v: f64, grown: f64) -> Option<(f64, [f64; 2], f64)> {
        let axis = &self.axis;
        let across = u * u + v * v;
        let s_level = axis.x * u + axis.y * v;
        let mut s = s_level - axis.z * self.level * self.underside.max_radius;
        for _ in 0..SEGMENT_TRIES {
            // ρ = a + b s within the segment makes a quadratic of the height
            let cone = self.underside.cone(s);
            let (a, b) = (cone.radius + grown, cone.taper);
            let stretch = 1.0 + b * b;
            let square = 1.0 - axis.z * axis.z * stretch;
            let half_linear = -axis.z * (s_level * stretch + a * b);
            let constant = across - s_level * (s_level * stretch + 2.0 * a * b) - a * a;
            let discriminant = half_linear * half_linear - square * constant;
            if discriminant <= 0.0 || square < 0.05 {
                return None;
            }
            let height = (-half_linear - discriminant.sqrt()) / square;
            s = s_level + axis.z * height;
            if s < cone.from || s > cone.to {
                continue;
            }
            if s.abs() > self.half_width() {
                return None;
            }
            let pull = s + (a + b * s) * b;
            let along_z = height - pull * axis.z;
            if along_z >= -1e-9 {
                return None;
            }
            let slope = [(pull * axis.x - u) / along_z, (pull * axis.y - v) / along_z];
            return Some((height, slope, s));
        }
        None
    }

    /// Whether a point of the grown surface belongs to a grouser.
    fn on_grouser(&self, grousers: &Grousers, u: f64, v: f64, height: f64, s: f64) -> bool {
        let radial = Vec3::new(u, v, height) - self.axis * s;
        let angle = atan2(radial.dot(&self.up), radial.dot(&self.forward));
        let pitch = std::f64::consts::TAU / f64::from(grousers.count);
        let turns = angle / pitch;
        let off = (turns - (turns + 0.5).floor()).abs() * pitch;
        off * radial.norm() <= 0.5 * grousers.width
    }
}

impl Footprint for PlacedWheel<'_> {
    fn centre(&self) -> Vec3 {
        self.centre
    }

    fn bounds(&self) -> [f64; 4] {
        let radius = self.underside.max_radius;
        let reach = |component: f64| {
            radius * (1.0 - component * component).max(0.0).sqrt()
                + self.half_width() * component.abs()
        };
        let (x, y) = (reach(self.axis.x), reach(self.axis.y));
        [self.centre.x - x, self.centre.y - y, self.centre.x + x, self.centre.y + y]
    }

    fn clip(&mut self, ceiling: f64) {
        let radius = self.underside.max_radius;
        self.highest = (ceiling - self.centre.z).min(radius);
        if self.level > LYING {
            // a point at the angle θ from the bottom stands at
            // -ρ cos θ level + s a_z over the centre
            let cosine = (-self.highest - self.half_width() * self.axis.z.abs()) / self.level;
            let squared = radius * radius - cosine.max(0.0) * cosine.max(0.0);
            self.chord = if squared > 0.0 { squared.sqrt() } else { -1.0 };
        }
    }

    fn row(&self, y: f64) -> Option<[f64; 2]> {
        let v = y - self.centre.y;
        let radius = self.underside.max_radius;
        let half_width = self.half_width();
        let mut stretch = [-(radius + half_width), radius + half_width];
        if self.level > LYING {
            let across = [-self.axis.y / self.level, self.axis.x / self.level];
            cut(&mut stretch, across[0], across[1] * v, -self.chord, self.chord);
            let lowest = -(radius + half_width);
            let (a, b) = (self.axis.z * lowest, self.axis.z * self.highest);
            let (low, high) = (-half_width - a.max(b), half_width - a.min(b));
            cut(&mut stretch, self.axis.x, self.axis.y * v, low, high);
        }
        let [from, to] = stretch;
        (from <= to).then_some([self.centre.x + from, self.centre.x + to])
    }

    #[inline(always)]
    fn underside(&self, x: f64, y: f64) -> Option<UndersidePoint> {
        let (u, v) = (x - self.centre.x, y - self.centre.y);
        let mut found = self.solve(u, v, 0.0);
        if let Some(grousers) = &self.underside.grousers
            && let Some((height, slope, s)) = self.solve(u, v, grousers.height)
            && self.on_grouser(grousers, u, v, height, s)
        {
            found = Some((height, slope, s));
        }
        let (height, slope, s) = found?;
        let inside = self.underside.half_width() - s.abs();
        let coverage = (0.5 + inside / self.edge).clamp(0.0, 1.0);
        Some(UndersidePoint { height: self.centre.z + height, slope, coverage })
    }

    fn spin_axis(&self) -> Option<Vec3> {
        self.underside.grousers.is_none().then_some(self.axis)
    }

    fn rim_speed(&self, twist: &Twist) -> f64 {
        self.underside.max_radius * twist.angular.dot(&self.axis).abs()
    }
}

/// Cuts `stretch` of u to where `low <= factor u + offset <= high`.
fn cut(stretch: &mut [f64; 2], factor: f64, offset: f64, low: f64, high: f64) {
    if factor.abs() < 1e-9 {
        if offset < low || offset > high {
            *stretch = [1.0, -1.0];
        }
        return;
    }
    let (a, b) = ((low - offset) / factor, (high - offset) / factor);
    stretch[0] = stretch[0].max(a.min(b));
    stretch[1] = stretch[1].min(a.max(b));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::Quat;
    use proptest::prelude::*;

    fn hmmwv() -> Underside {
        let outline =
            vec![[0.08, 0.4677], [0.095, 0.4670], [0.105, 0.4628], [0.125, 0.4495], [0.15, 0.412]];
        Underside::new(outline, None).unwrap()
    }

    /// Height over the centre where the vertical line enters the tread from
    /// below, by marching and bisection.
    fn by_search(wheel: &Underside, axis: &Vec3, u: f64, v: f64) -> Option<f64> {
        let outside = |z: f64| {
            let w = Vec3::new(u, v, z);
            let s = w.dot(axis);
            let cone = wheel.cone(s);
            w.norm_squared() - s * s - (cone.radius + cone.taper * s).powi(2) > 0.0
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
            let Some((height, _, s)) = placed.solve(line.x, line.y, 0.0) else { return Ok(()) };
            // beyond the edge the outline is prolonged, which a search does not do
            prop_assume!(s.abs() < wheel.half_width() - 1e-3);
            if let Some(found) = by_search(&wheel, &placed.axis, line.x, line.y) {
                // a line that enters through the side face is not the tread's
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
            let Some(point) = placed.underside(x, y) else { return Ok(()) };
            let [x0, y0, x1, y1] = placed.bounds();
            prop_assert!(x0 <= x && x <= x1 && y0 <= y && y <= y1);
            placed.clip(point.height + 1e-9);
            let row = placed.row(y);
            prop_assert!(row.is_some_and(|[a, b]| a <= x && x <= b), "{row:?} {x}");
            let step = 1e-7;
            if let Some(next) = placed.underside(x + step, y) {
                let slope = (next.height - point.height) / step;
                // kinks of the outline may lie between
                prop_assert!((slope - point.slope[0]).abs() < 2.0e-2 * (1.0 + slope.abs()).powi(3) || point.coverage < 1.0 || slope.abs() > 1.0);
            }
        }
    }

    #[test]
    fn grousers_lower_the_underside_at_their_angle() {
        let bars = Grousers { count: 12, height: 0.02, width: 0.03 };
        let wheel = Underside::new(vec![[0.1, 0.3]], Some(bars)).unwrap();
        let lowest = |spin: f64| {
            let orientation = Quat::from_euler_angles(0.0, spin, 0.0);
            let pose = Pose { position: Vec3::zeros(), orientation };
            wheel.placed(&pose, 0.01).underside(0.0, 0.0).unwrap().height
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
}
