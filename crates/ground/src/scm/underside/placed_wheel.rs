//! A wheel in the world: the heights of its underside over nodes.

use super::{Grousers, Underside, WheelBound};
use crate::scm::footprint::{CellCover, CellDepth, Footprint, UndersidePoints};
use bekker_math::numeric::{LaneMask, Lanes, Simd, WIDTH, atan2};
use bekker_math::spatial::{Twist, Vec3};

/// A wheel in the world, over nodes of a given spacing.
///
/// With s the distance along the axis from the center, the surface is |w|² - s² = ρ(s)², where w is
/// the vector from the center. Within a segment of the outline ρ is linear in s, so the height on a
/// vertical line solves a quadratic equation: it is exact for any camber and yaw. The side faces
/// carry no load. A grouser is in contact where the line meets the wheel enlarged by the grouser's
/// height, within the grouser's width.
#[derive(Clone, Debug)]
pub struct PlacedWheel<'a> {
    pub(in crate::scm) underside: &'a Underside,
    pub(super) center: Vec3,
    pub(in crate::scm) axis: Vec3,
    pub(super) forward: Vec3,
    pub(super) up: Vec3,
    /// Length of the axis's horizontal part.
    pub(super) level: f64,
    /// Half the width, with half a cell's extent along the axis, m.
    pub(in crate::scm) half_width: f64,
    /// Inverse of a cell's extent along the axis, 1/m.
    pub(in crate::scm) coverage_per_meter: f64,
    /// Half the sides of the bounding box of the footprint, m.
    pub(super) reach: [f64; 2],
    /// Extent of the footprint across the axis and along it.
    pub(super) bands: [PlaneStrip; 2],
}

/// The strip low <= a u + b v <= high of the horizontal plane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlaneStrip {
    /// 1 / a, or 0 where a vanishes.
    inverse: f64,
    b: f64,
    low: f64,
    high: f64,
}

impl PlaneStrip {
    fn new(a: f64, b: f64, low: f64, high: f64) -> PlaneStrip {
        let inverse = if a.abs() < 1e-9 { 0.0 } else { 1.0 / a };
        PlaneStrip { inverse, b, low, high }
    }

    /// Clips an interval of the line at `v` to the strip.
    #[inline]
    fn clip_line(&self, [from, to]: [f64; 2], v: f64) -> [f64; 2] {
        let offset = self.b * v;
        let (low, high) = (self.low - offset, self.high - offset);
        if self.inverse == 0.0 {
            return if low <= 0.0 && 0.0 <= high { [from, to] } else { [1.0, -1.0] };
        }
        let (p, q) = (low * self.inverse, high * self.inverse);
        let (p, q) = if p < q { (p, q) } else { (q, p) };
        [if p > from { p } else { from }, if q < to { q } else { to }]
    }
}

/// Least horizontal component of an upright axis; below it the wheel counts as lying on its side.
pub(in crate::scm) const LYING: f64 = 0.05;
/// Number of segments of the outline that are tried on one line: the first guess is nearly always
/// right.
const SEGMENT_TRIES: usize = 6;

impl PlacedWheel<'_> {
    /// Narrows the footprint to half the length `chord` across the axis, m, given that no ground is
    /// higher than `highest` m above the center.
    pub(super) fn narrow(&mut self, chord: f64, highest: f64) {
        let (radius, half_width, level) = (self.underside.max_radius, self.half_width, self.level);
        let (ax, ay, az) = (self.axis.x, self.axis.y, self.axis.z);
        let half = |a: f64| radius * (1.0 - a * a).max(0.0).sqrt() + half_width * a.abs();
        self.reach = [half(ax), half(ay)];
        let lowest = -(radius + half_width);
        if level <= LYING {
            self.bands = [PlaneStrip::new(1.0, 0.0, lowest, -lowest); 2];
            return;
        }
        let (a, b) = (az * lowest, az * highest);
        let (low, high) = (-half_width - a.max(b), half_width - a.min(b));
        self.bands = [
            PlaneStrip::new(-ay / level, ax / level, -chord, chord),
            PlaneStrip::new(ax, ay, low, high),
        ];
        let along = high.max(-low) / (level * level);
        let across = chord / level;
        self.reach[0] = self.reach[0].min(along * ax.abs() + across * ay.abs());
        self.reach[1] = self.reach[1].min(along * ay.abs() + across * ax.abs());
    }

    /// Returns the lowest heights above the center of the surface enlarged by `grown`, with their
    /// slopes and distances along the axis, on four lines.
    #[inline(always)]
    pub(super) fn solve<S: Simd>(
        &self,
        u: Lanes<S>,
        v: Lanes<S>,
        grown: f64,
    ) -> WheelIntersection<S> {
        let simd = u.simd();
        let axis = &self.axis;
        let s_level = axis.x * u + axis.y * v;
        let across = u * u + v * v - s_level * s_level;
        let mut s = s_level - axis.z * self.level * self.underside.max_radius;
        let mut solved = WheelIntersection::none(simd);
        let mut found = LaneMask::splat(simd, false);
        let mut open = LaneMask::splat(simd, true);
        for _ in 0..SEGMENT_TRIES {
            // ρ = a + b s within the segment gives a quadratic equation for the height
            let segment = self.underside.segments_at(s.abs());
            let a = segment.radius + grown;
            let b = s.lt(0.0).select(-segment.taper, segment.taper);
            let radius = a + b * s_level;
            let half_linear = -axis.z * (s_level + b * radius);
            let constant = across - radius * radius;
            let square = 1.0 - axis.z * axis.z * (1.0 + b * b);
            let discriminant = half_linear * half_linear - square * constant;
            let meets = discriminant.gt(0.0) & square.ge(0.05);
            let height = (-half_linear - discriminant.max(0.0).sqrt()) / square;
            let next = s_level + axis.z * height;
            let distance = next.abs();
            let (left, goes_left) = (s.lt(0.0), next.lt(0.0));
            let same_side = (left & goes_left) | !(left | goes_left) | b.abs().le(0.0);
            let within = distance.ge(segment.start) & distance.le(segment.end) & same_side;
            let settled = open & meets & within;
            solved.height = settled.select(height, solved.height);
            solved.distance = settled.select(next, solved.distance);
            solved.radius = settled.select(a, solved.radius);
            solved.taper = settled.select(b, solved.taper);
            found = found | settled;
            open = open & meets & !within;
            s = next;
            if !open.any() {
                break;
            }
        }
        let WheelIntersection { height, distance, radius, taper, .. } = solved;
        let pull = distance + (radius + taper * distance) * taper;
        let along_z = height - pull * axis.z;
        let scale = 1.0 / along_z;
        solved.slope = [(pull * axis.x - u) * scale, (pull * axis.y - v) * scale];
        solved.found = found & distance.abs().le(self.half_width) & along_z.lt(-1e-9);
        solved
    }

    /// Returns where the points of the enlarged surface belong to grousers.
    fn on_grouser<S: Simd>(
        &self,
        grousers: &Grousers,
        u: Lanes<S>,
        v: Lanes<S>,
        grown: &WheelIntersection<S>,
    ) -> LaneMask<S> {
        let simd = u.simd();
        let pitch = std::f64::consts::TAU / f64::from(grousers.count);
        let (u, v) = (u.to_array(), v.to_array());
        let (height, distance) = (grown.height.to_array(), grown.distance.to_array());
        let on_bar = |lane: usize| {
            let radial = Vec3::new(u[lane], v[lane], height[lane]) - self.axis * distance[lane];
            let angle = atan2(radial.dot(&self.up), radial.dot(&self.forward));
            let turns = angle / pitch;
            let off = (turns - (turns + 0.5).floor()).abs() * pitch;
            off * radial.norm() <= 0.5 * grousers.width
        };
        LaneMask::from_bits(simd, (0..WIDTH).map(|lane| u32::from(on_bar(lane)) << lane).sum())
    }

    /// Returns where the wheel, widened by `margin` m to either side, may be below the points (`x`,
    /// `y`, `z`): see [`Footprint::may_touch`].
    #[inline(always)]
    pub(in crate::scm) fn may_touch_within<S: Simd>(
        &self,
        x: Lanes<S>,
        y: f64,
        z: Lanes<S>,
        margin: f64,
    ) -> LaneMask<S> {
        let (axis, center) = (&self.axis, &self.center);
        let (u, v, below) = (x - center.x, y - center.y, center.z - z);
        let s = axis.x * u + axis.y * v - axis.z * below;
        let inner = (s.abs() - margin).max(0.0);
        let WheelBound { widest, cones, edge } = &self.underside.bound;
        let mut radius = Lanes::new(x.simd(), *widest);
        for [middle, taper] in cones {
            radius = radius.min(*middle + *taper * inner);
        }
        let radius = radius.max(*edge);
        let axle = axis.z.abs() * (self.half_width + self.underside.max_radius);
        let outside = (u * u + v * v) + (below * below - s * s) - radius * radius;
        outside.lt(0.0) | below.lt(axle)
    }
}

/// Intersections of four vertical lines with a wheel, from below.
#[derive(Clone, Copy, Debug)]
pub(super) struct WheelIntersection<S: Simd> {
    /// Height above the center, m.
    pub(super) height: Lanes<S>,
    /// Slope of the surface.
    slope: [Lanes<S>; 2],
    /// Signed distance along the axis, m.
    pub(super) distance: Lanes<S>,
    /// Radius of the intersected segment, extrapolated to the middle, m.
    radius: Lanes<S>,
    /// Change of that radius along the axis.
    taper: Lanes<S>,
    /// Whether the line meets the wheel.
    pub(super) found: LaneMask<S>,
}

impl<S: Simd> WheelIntersection<S> {
    /// Returns lines without an intersection.
    #[inline(always)]
    fn none(simd: S) -> WheelIntersection<S> {
        let zero = Lanes::zero(simd);
        WheelIntersection {
            height: zero,
            slope: [zero; 2],
            distance: zero,
            radius: zero,
            taper: zero,
            found: LaneMask::splat(simd, false),
        }
    }

    /// Returns `self` where `counts` is set, `other` elsewhere.
    #[inline(always)]
    fn select_over(self, counts: LaneMask<S>, other: WheelIntersection<S>) -> WheelIntersection<S> {
        let pick = |own: Lanes<S>, other: Lanes<S>| counts.select(own, other);
        WheelIntersection {
            height: pick(self.height, other.height),
            slope: [pick(self.slope[0], other.slope[0]), pick(self.slope[1], other.slope[1])],
            distance: pick(self.distance, other.distance),
            radius: pick(self.radius, other.radius),
            taper: pick(self.taper, other.taper),
            found: counts | other.found,
        }
    }
}

/// The tread around four nodes in contact with the soil.
struct TreadLanes<'a, S: Simd> {
    wheel: &'a Underside,
    sinkage: Lanes<S>,
    /// Increase of depth with radius.
    down: Lanes<S>,
    /// Radius at the nodes, m.
    here: Lanes<S>,
}

impl<S: Simd> TreadLanes<'_, S> {
    /// Returns the depth in the soil at a distance from the middle, m.
    #[inline(always)]
    fn depth(&self, at: Lanes<S>) -> Lanes<S> {
        (self.sinkage + self.down * (self.wheel.radius(at) - self.here)).max(0.0)
    }

    /// Returns where the cells of nodes at a distance end on the tread, `half_cell` m away, and the
    /// depth there. The last cell in the soil ends where the tread leaves it.
    #[inline(always)]
    fn end(&self, distance: Lanes<S>, half_cell: f64) -> (Lanes<S>, Lanes<S>) {
        let half_width = self.wheel.half_width;
        let edge = distance + half_cell;
        let more = edge.abs().lt(half_width) & self.depth(edge + half_cell).le(0.0);
        (edge.max(-half_width).min(half_width), more.select(0.0, self.depth(edge)))
    }
}

impl Footprint for PlacedWheel<'_> {
    fn center(&self) -> Vec3 {
        self.center
    }

    fn bounds(&self) -> [f64; 4] {
        let ([x, y], center) = (self.reach, &self.center);
        [center.x - x, center.y - y, center.x + x, center.y + y]
    }

    fn clip(&mut self, ceiling: f64) {
        let radius = self.underside.max_radius;
        let highest = (ceiling - self.center.z).min(radius);
        // a point at the angle θ from the bottom is at -ρ cos θ level + s a_z above the center
        let cosine = (-highest - self.half_width * self.axis.z.abs()) / self.level.max(LYING);
        let squared = radius * radius - cosine.max(0.0) * cosine.max(0.0);
        self.narrow(if squared > 0.0 { squared.sqrt() } else { -1.0 }, highest);
    }

    #[inline]
    fn row(&self, y: f64) -> Option<[f64; 2]> {
        let v = y - self.center.y;
        let [across, along] = &self.bands;
        let all = [-self.reach[0], self.reach[0]];
        let [from, to] = along.clip_line(across.clip_line(all, v), v);
        (from <= to).then_some([self.center.x + from, self.center.x + to])
    }

    /// Where the outline is convex, the bound is the intersection of the cones of its segments, and
    /// a cylinder beyond its edges. A line that enters such a body below a point contains that
    /// point, up to the axle. Elsewhere the bound is the cylinder of the greatest radius.
    #[inline(always)]
    fn may_touch<S: Simd>(&self, x: Lanes<S>, y: f64, z: Lanes<S>) -> LaneMask<S> {
        self.may_touch_within(x, y, z, 0.0)
    }

    #[inline(always)]
    fn underside<S: Simd>(&self, x: Lanes<S>, y: Lanes<S>) -> UndersidePoints<S> {
        let (u, v) = (x - self.center.x, y - self.center.y);
        let mut solved = self.solve(u, v, 0.0);
        if let Some(grousers) = &self.underside.grousers {
            let grown = self.solve(u, v, grousers.height);
            let on_bar = grown.found & self.on_grouser(grousers, u, v, &grown);
            solved = grown.select_over(on_bar, solved);
        }
        let inside = self.underside.half_width - solved.distance.abs();
        let coverage = (0.5 + inside * self.coverage_per_meter).max(0.0).min(1.0);
        UndersidePoints {
            height: self.center.z + solved.height,
            slope: solved.slope,
            coverage: solved.found.select(coverage, 0.0),
            on_body: Lanes::zero(coverage.simd()),
            cover: CellCover::at_nodes(coverage.simd()),
        }
    }

    /// Returns normals with a taper that is the mean over the part of the tread that the node's
    /// cell covers, weighted by depth like the pressure there. The outermost cell in the soil
    /// extends to where the tread leaves it.
    ///
    /// The shoulders of an upright wheel then balance at any position of the rows of nodes. With
    /// the taper at the nodes themselves, a wheel was drawn sideways to a position between the
    /// rows.
    #[inline(always)]
    fn normal<S: Simd>(
        &self,
        r: &[Lanes<S>; 3],
        _slope: &[Lanes<S>; 2],
        depth: &CellDepth<S>,
        _cover: &CellCover<S>,
    ) -> [Lanes<S>; 3] {
        let sinkage = depth.mean;
        let ([x, y, z], axis) = (*r, &self.axis);
        let distance = x * axis.x + y * axis.y + z * axis.z;
        let (x, y, z) = (x - distance * axis.x, y - distance * axis.y, z - distance * axis.z);
        let inward = -1.0 / (x * x + y * y + z * z).sqrt();
        let (x, y, z) = (x * inward, y * inward, z * inward);
        let half_cell = self.half_width - self.underside.half_width;
        let shoulder = distance.abs().gt(self.underside.flat - half_cell);
        if !shoulder.any() {
            return [x, y, z];
        }
        let tread = TreadLanes {
            wheel: self.underside,
            sinkage,
            down: z.max(LYING),
            here: self.underside.radius(distance),
        };
        let (from, first) = tread.end(distance, -half_cell);
        let (to, last) = tread.end(distance, half_cell);
        // the integral of depth over radius, relative to the node's pressure
        let rise = 0.5 * (last * last - first * first) / (tread.down * sinkage.max(1e-6));
        let taper = (shoulder & to.gt(from)).select(rise / (to - from), 0.0);
        // the axis is perpendicular to the inward direction
        let scale = 1.0 / (taper * taper + 1.0).sqrt();
        let (x, y, z) = (x + taper * axis.x, y + taper * axis.y, z + taper * axis.z);
        [x * scale, y * scale, z * scale]
    }

    fn spin_axis(&self) -> Option<Vec3> {
        self.underside.grousers.is_none().then_some(self.axis)
    }

    fn rim_speed(&self, twist: &Twist) -> f64 {
        self.underside.max_radius * twist.angular.dot(&self.axis).abs()
    }
}
