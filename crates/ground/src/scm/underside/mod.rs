//! The underside of a wheel: a surface of revolution, optionally with grousers.

mod placed_wheel;

pub(super) use placed_wheel::LYING;
pub use placed_wheel::PlacedWheel;

use super::footprint::CellCover;
use bekker_math::numeric::{Lanes, Simd, per_lane};
use bekker_math::spatial::{Pose, Vec3};
use placed_wheel::PlaneStrip;
use serde::{Deserialize, Serialize};

/// Error in the outline of a wheel.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UndersideError {
    /// The outline has no points.
    #[error("the outline of a wheel must have at least one point")]
    Empty,
    /// A point is out of order or out of range.
    #[error(
        "point {index} of a wheel's outline has half width {half_width} m and radius {radius} m: \
         half widths must increase from 0 or more, and radii must be positive"
    )]
    Point {
        /// Index of the point.
        index: usize,
        /// Its half width, m.
        half_width: f64,
        /// Its radius, m.
        radius: f64,
    },
    /// The grousers have an invalid size.
    #[error("grousers have height {height} m and width {width} m: both must be positive")]
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
    /// Number of bars.
    pub count: u32,
    /// Height above the tread, m.
    pub height: f64,
    /// Width along the circumference, m.
    pub width: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct OutlineSegment {
    /// Distance from the middle at which the segment starts, m; `end` is where it ends.
    start: f64,
    end: f64,
    /// Its radius, extrapolated to the middle, m.
    radius: f64,
    /// Change of its radius with the distance from the middle, m/m.
    taper: f64,
}

/// Four segments in lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentLanes<S: Simd> {
    start: Lanes<S>,
    end: Lanes<S>,
    /// Their radii, extrapolated to the middle, m.
    pub radius: Lanes<S>,
    /// Change of their radii with the distance from the middle, m/m.
    pub taper: Lanes<S>,
}

/// A wheel's outline: radius over half width, symmetric about its middle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UndersideRecord", into = "UndersideRecord")]
pub struct Underside {
    outline: Vec<[f64; 2]>,
    grousers: Option<Grousers>,
    segments: Vec<OutlineSegment>,
    max_radius: f64,
    /// Half the width, m.
    half_width: f64,
    /// Radii at even distances from the middle to the edge, m, the last one twice.
    profile: Box<[f64; PROFILE + 1]>,
    samples_per_meter: f64,
    /// Integral of the profile from the middle to its samples, m².
    profile_integral: Box<[f64; PROFILE + 1]>,
    /// Distance from the middle within which the tread is flat, m.
    flat: f64,
    bound: WheelBound,
}

/// Relative margin of a bound for rounding, with reserve.
const SKIN: f64 = 1e-9;
/// Number of samples of a wheel's profile.
const PROFILE: usize = 64;
/// Least width of the covered part of a cell that is considered, as a fraction of the cell's.
const SLIVER: f64 = 1e-3;

/// The tread of a wheel over the covered parts of cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreadOverCells<'a> {
    wheel: &'a Underside,
    /// Half the width of a cell along the axis, m.
    half_cell: f64,
}

impl TreadOverCells<'_> {
    /// Returns the ends of the covered parts of cells, by the distances of the cells' middles from
    /// that of the tread, m. Parts are no narrower than a sliver, and on the tread.
    #[inline(always)]
    pub fn parts<S: Simd>(&self, cell: Lanes<S>) -> [Lanes<S>; 2] {
        let (edge, least) = (self.wheel.half_width, 2.0 * SLIVER * self.half_cell);
        let from = (cell - self.half_cell).max(-edge).min(edge - least);
        let to = (cell + self.half_cell).max(least - edge).min(edge);
        [from, to]
    }

    /// Returns the tread over the parts between these ends.
    #[inline(always)]
    pub fn cell_cover<S: Simd>(&self, [from, to]: [Lanes<S>; 2]) -> CellCover<S> {
        let inverse = 1.0 / (to - from);
        let [first, before] = self.wheel.radius_integral(from);
        let [last, whole] = self.wheel.radius_integral(to);
        let mean = (whole - before) * inverse;
        let left = (from + to).lt(0.0);
        CellCover {
            radius: mean,
            inner: left.select(last, first) - mean,
            outer: left.select(first, last) - mean,
            inverse_width: left.select(-inverse, inverse),
            ..CellCover::at_nodes(from.simd())
        }
    }
}

/// Returns the integral of a profile up to each of its samples, m².
fn integrate(profile: &[f64; PROFILE + 1], samples_per_meter: f64) -> Box<[f64; PROFILE + 1]> {
    let mut integral = Box::new([0.0; PROFILE + 1]);
    for sample in 0..PROFILE {
        let mean = 0.5 * (profile[sample] + profile[sample + 1]);
        integral[sample + 1] = integral[sample] + mean / samples_per_meter;
    }
    integral
}

/// A body of revolution that contains the wheel, with a margin for rounding.
///
/// Where the whole outline is convex, it is the smallest of the extrapolated segments, and a
/// cylinder beyond the edge. Otherwise it is the cylinder of the greatest radius.
#[derive(Clone, Debug, PartialEq)]
struct WheelBound {
    /// Greatest radius, m.
    widest: f64,
    /// Radius in the middle, m, and taper, m/m, of each segment.
    cones: Vec<[f64; 2]>,
    /// Radius of the edge, m.
    edge: f64,
}

impl WheelBound {
    /// Returns the bound of `segments`, the last of which is the edge's cylinder, with grousers of
    /// height `bars`.
    fn new(segments: &[OutlineSegment], max_radius: f64, bars: f64) -> WheelBound {
        let skin = SKIN * (1.0 + max_radius);
        let widest = max_radius + skin;
        let (edge, cones) = segments.split_last().unzip();
        let (edge, cones): (Option<&OutlineSegment>, &[OutlineSegment]) =
            (edge, cones.unwrap_or_default());
        let bulges = cones.windows(2).all(|pair| pair[0].taper >= pair[1].taper);
        let Some(edge) = edge.filter(|_| bulges) else {
            return WheelBound { widest, cones: Vec::new(), edge: widest };
        };
        let grown = bars + skin;
        let cone = |cone: &OutlineSegment| [cone.radius + grown, cone.taper];
        let cones = cones.iter().map(cone).collect();
        WheelBound { widest, cones, edge: edge.radius + grown }
    }
}

#[derive(Serialize, Deserialize)]
struct UndersideRecord {
    outline: Vec<[f64; 2]>,
    grousers: Option<Grousers>,
}

impl Underside {
    /// Creates a wheel from the points (half width, radius), m. From the middle to the first point
    /// the radius is that of the first point.
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
                let taper = (radius - previous[1]) / (half_width - previous[0]);
                segments.push(OutlineSegment {
                    start: previous[0],
                    end: half_width,
                    radius: previous[1] - taper * previous[0],
                    taper,
                });
            }
            previous = [half_width, radius];
        }
        let Some(&edge) = segments.last() else {
            return Err(UndersideError::Point { index: 0, half_width: 0.0, radius: first });
        };
        if let Some(Grousers { height, width, .. }) = grousers
            && !(height > 0.0 && height.is_finite() && width > 0.0 && width.is_finite())
        {
            return Err(UndersideError::Grousers { height, width });
        }
        let bars = grousers.map_or(0.0, |bars| bars.height);
        let max_radius = outline.iter().fold(0.0_f64, |r, p| r.max(p[1])) + bars;
        let half_width = edge.end;
        // a line that is outside the edge by less than a cell meets the edge's cylinder
        let radius = edge.radius + edge.taper * edge.end;
        segments.push(OutlineSegment { start: edge.end, end: f64::INFINITY, radius, taper: 0.0 });
        let samples_per_meter = (PROFILE - 1) as f64 / half_width;
        let profile = Box::new(std::array::from_fn(|sample| {
            let at = (sample as f64 / samples_per_meter).min(half_width);
            let on = segments.partition_point(|segment| segment.end < at);
            segments[on].radius + segments[on].taper * at
        }));
        let profile_integral = integrate(&profile, samples_per_meter);
        let tapered = segments.iter().find(|segment| segment.taper != 0.0);
        let flat = tapered.map_or(f64::INFINITY, |segment| segment.start);
        let bound = WheelBound::new(&segments, max_radius, bars);
        Ok(Underside {
            outline,
            grousers,
            segments,
            max_radius,
            half_width,
            profile,
            samples_per_meter,
            profile_integral,
            flat,
            bound,
        })
    }

    /// Creates a cylinder, m.
    pub fn cylinder(radius: f64, width: f64) -> Result<Underside, UndersideError> {
        Underside::new(vec![[width / 2.0, radius]], None)
    }

    /// Returns the points (half width, radius), m.
    pub fn outline(&self) -> &[[f64; 2]] {
        &self.outline
    }

    /// Returns the grousers, if any.
    pub fn grousers(&self) -> Option<&Grousers> {
        self.grousers.as_ref()
    }

    /// Returns the greatest radius, grousers included, m.
    pub fn max_radius(&self) -> f64 {
        self.max_radius
    }

    /// Returns half the width, m.
    pub fn half_width(&self) -> f64 {
        self.half_width
    }

    /// Returns the radius at one distance from the middle, m; beyond the edge that of the edge.
    pub fn radius_at(&self, distance: f64) -> f64 {
        let at = distance.abs().min(self.half_width);
        let on = self.segments.partition_point(|segment| segment.end < at);
        self.segments[on].radius + self.segments[on].taper * at
    }

    /// Returns the radius at four distances from the middle, m; beyond the edge that of the edge.
    /// It is interpolated linearly between the samples of the profile.
    #[inline(always)]
    pub(super) fn radius<S: Simd>(&self, distance: Lanes<S>) -> Lanes<S> {
        let at = (distance.abs() * self.samples_per_meter).min((PROFILE - 1) as f64);
        let place = at.to_array();
        let [a, b, c, d] = place;
        let [a, b, c, d] = [
            a as usize % PROFILE,
            b as usize % PROFILE,
            c as usize % PROFILE,
            d as usize % PROFILE,
        ];
        let (simd, profile) = (distance.simd(), &self.profile);
        let near = Lanes::new(simd, [profile[a], profile[b], profile[c], profile[d]]);
        let far =
            Lanes::new(simd, [profile[a + 1], profile[b + 1], profile[c + 1], profile[d + 1]]);
        near + (far - near) * (at - Lanes::new(simd, [a as f64, b as f64, c as f64, d as f64]))
    }

    /// Returns the radii at four distances on the tread and their integrals from the middle, m and
    /// m²; the integrals are negative on the other side.
    #[inline(always)]
    fn radius_integral<S: Simd>(&self, distance: Lanes<S>) -> [Lanes<S>; 2] {
        let at = (distance.abs() * self.samples_per_meter).min((PROFILE - 1) as f64);
        let sample = at.floor();
        let samples = sample.to_array();
        let index = per_lane(|k| samples[k] as i32 as usize % PROFILE);
        let simd = distance.simd();
        let near = Lanes::new(simd, per_lane(|k| self.profile[index[k]]));
        let far = Lanes::new(simd, per_lane(|k| self.profile[index[k] + 1]));
        let before = Lanes::new(simd, per_lane(|k| self.profile_integral[index[k]]));
        let along = at - sample;
        let radius = near + (far - near) * along;
        let integral = before + along * (near + radius) * (0.5 / self.samples_per_meter);
        [radius, distance.lt(0.0).select(-integral, integral)]
    }

    /// Returns the tread over cells that extend `half_cell` m on either side of their nodes.
    pub(super) fn over_cells(&self, half_cell: f64) -> TreadOverCells<'_> {
        TreadOverCells { wheel: self, half_cell }
    }

    /// Returns the segments at four distances from the middle; the last one is an infinite
    /// cylinder.
    #[inline(always)]
    pub(super) fn segments_at<S: Simd>(&self, distance: Lanes<S>) -> SegmentLanes<S> {
        let zero = Lanes::zero(distance.simd());
        let mut at = SegmentLanes { start: zero, end: zero, radius: zero, taper: zero };
        for segment in self.segments.iter().rev() {
            let within = distance.le(segment.end);
            at.start = within.select(segment.start, at.start);
            at.end = within.select(segment.end, at.end);
            at.radius = within.select(segment.radius, at.radius);
            at.taper = within.select(segment.taper, at.taper);
        }
        at
    }

    /// Places the wheel in the world.
    ///
    /// `pose` has its origin in the wheel's center and y along the spin axis; `spacing` is that of
    /// the nodes of the ground, m.
    pub fn placed(&self, pose: &Pose, spacing: f64) -> PlacedWheel<'_> {
        let axis = pose.direction(&Vec3::y());
        let edge = spacing * (axis.x.abs() + axis.y.abs());
        let mut placed = PlacedWheel {
            underside: self,
            center: pose.position,
            axis,
            forward: pose.direction(&Vec3::x()),
            up: pose.direction(&Vec3::z()),
            level: (axis.x * axis.x + axis.y * axis.y).sqrt(),
            half_width: self.half_width + 0.5 * edge,
            coverage_per_meter: 1.0 / edge,
            reach: [0.0; 2],
            bands: [PlaneStrip::default(); 2],
        };
        placed.narrow(self.max_radius, self.max_radius);
        placed
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

#[cfg(test)]
mod tests;
