//! A path over the ground and positions along it.

use bekker_math::numeric::{atan2, hypot};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Distance ahead of its last position within which a vehicle is searched, m.
const SEARCH_AHEAD: f64 = 10.0;

/// Distance behind it, m: a vehicle may roll back.
const SEARCH_BEHIND: f64 = 1.0;

/// Why waypoints do not define a path.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// Fewer than two waypoints.
    #[error("a path needs at least 2 waypoints, this one has {count}")]
    TooShort {
        /// Number of waypoints.
        count: usize,
    },
    /// A waypoint that is not finite.
    #[error("waypoint {index} is not finite: ({x}, {y})")]
    NotFinite {
        /// Index of the waypoint.
        index: usize,
        /// x coordinate, m.
        x: f64,
        /// y coordinate, m.
        y: f64,
    },
    /// A waypoint at the position of the previous one.
    #[error("waypoint {index} repeats the previous one: ({x}, {y})")]
    Repeated {
        /// Index of the waypoint.
        index: usize,
        /// x coordinate, m.
        x: f64,
        /// y coordinate, m.
        y: f64,
    },
    /// A spacing of samples that is not positive.
    #[error("the sample spacing must be above 0, not {spacing}")]
    Spacing {
        /// The spacing, m.
        spacing: f64,
    },
}

/// A polyline in the horizontal plane, with the distance along it.
///
/// A clone shares the points, so all vehicles of a convoy use one path.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    points: Arc<[[f64; 2]]>,
    stations: Arc<[f64]>,
}

/// Position of a vehicle relative to a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathPosition {
    /// Index of the segment.
    pub segment: usize,
    /// Distance along the path, m; negative before its start.
    pub station: f64,
    /// Distance to the left of the path, m.
    pub offset: f64,
}

fn difference(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    hypot(a[0] - b[0], a[1] - b[1])
}

impl Path {
    /// Connects the waypoints, m, by straight lines.
    ///
    /// # Errors
    ///
    /// [`PathError`] if there are too few waypoints, or one repeats or is not finite.
    pub fn polyline(waypoints: &[[f64; 2]]) -> Result<Path, PathError> {
        if waypoints.len() < 2 {
            return Err(PathError::TooShort { count: waypoints.len() });
        }
        let mut stations = vec![0.0; waypoints.len()];
        for (index, &[x, y]) in waypoints.iter().enumerate() {
            if !(x.is_finite() && y.is_finite()) {
                return Err(PathError::NotFinite { index, x, y });
            }
            if index > 0 {
                let length = distance(waypoints[index - 1], [x, y]);
                if length < 1e-6 {
                    return Err(PathError::Repeated { index, x, y });
                }
                stations[index] = stations[index - 1] + length;
            }
        }
        Ok(Path { points: waypoints.into(), stations: stations.into() })
    }

    /// Connects the waypoints, m, by a smooth curve, sampled about every `spacing`, m.
    ///
    /// The curve is a centripetal Catmull–Rom spline, which neither cusps nor overshoots (P. Yuksel
    /// et al., "Parameterization and applications of Catmull–Rom curves", Computer-Aided Design 43,
    /// 2011).
    ///
    /// # Errors
    ///
    /// The errors of [`Path::polyline`], and a spacing that is not above 0.
    pub fn smooth(waypoints: &[[f64; 2]], spacing: f64) -> Result<Path, PathError> {
        let chords = Path::polyline(waypoints)?;
        if !(spacing.is_finite() && spacing > 0.0) {
            return Err(PathError::Spacing { spacing });
        }
        let reflect =
            |end: [f64; 2], next: [f64; 2]| [2.0 * end[0] - next[0], 2.0 * end[1] - next[1]];
        let last = waypoints.len() - 1;
        let at = |index: isize| match usize::try_from(index) {
            Err(_) => reflect(waypoints[0], waypoints[1]),
            Ok(index) if index > last => reflect(waypoints[last], waypoints[last - 1]),
            Ok(index) => waypoints[index],
        };
        let mut samples = vec![waypoints[0]];
        for segment in 0..last {
            let chord = chords.stations[segment + 1] - chords.stations[segment];
            let count = (chord / spacing).ceil().max(1.0) as usize;
            let start = segment as isize;
            let control = [at(start - 1), at(start), at(start + 1), at(start + 2)];
            for sample in 1..count {
                samples.push(catmull_rom(&control, sample as f64 / count as f64));
            }
            samples.push(waypoints[segment + 1]);
        }
        Path::polyline(&samples)
    }

    /// Returns the points of the polyline, m.
    pub fn points(&self) -> &[[f64; 2]] {
        &self.points
    }

    /// Returns the distances of the points along the path, m.
    pub fn stations(&self) -> &[f64] {
        &self.stations
    }

    /// Returns the length, m.
    pub fn length(&self) -> f64 {
        self.stations[self.stations.len() - 1]
    }

    /// Returns the point at `station`, m, with straight extensions at both ends.
    ///
    /// The search starts at `segment` and goes forward.
    pub fn point(&self, segment: usize, station: f64) -> [f64; 2] {
        let last = self.points.len() - 2;
        let mut segment = segment.min(last);
        while segment < last && self.stations[segment + 1] < station {
            segment += 1;
        }
        let along = station - self.stations[segment];
        let [dx, dy] = self.direction(segment);
        let [x, y] = self.points[segment];
        [x + dx * along, y + dy * along]
    }

    /// Returns the unit vector along a segment.
    pub fn direction(&self, segment: usize) -> [f64; 2] {
        let [dx, dy] = difference(self.points[segment + 1], self.points[segment]);
        let length = self.stations[segment + 1] - self.stations[segment];
        [dx / length, dy / length]
    }

    /// Returns the unit vector along the path at `station`, m; the search starts at `segment`.
    pub fn direction_at(&self, segment: usize, station: f64) -> [f64; 2] {
        let last = self.points.len() - 2;
        let mut segment = segment.min(last);
        while segment > 0 && self.stations[segment] > station {
            segment -= 1;
        }
        while segment < last && self.stations[segment + 1] < station {
            segment += 1;
        }
        self.direction(segment)
    }

    /// Returns the mean curvature between two stations near a position, 1/m: turn per length.
    pub fn mean_curvature(&self, place: &PathPosition, [from, to]: [f64; 2]) -> f64 {
        let [ax, ay] = self.direction_at(place.segment, from);
        let [bx, by] = self.direction_at(place.segment, to);
        atan2(ax * by - ay * bx, ax * bx + ay * by) / (to - from)
    }

    /// Returns the curvature at a point, 1/m, positive to the left.
    ///
    /// It is that of the circle through the point and its neighbors, and zero at the ends.
    pub fn curvature(&self, index: usize) -> f64 {
        if index == 0 || index + 1 >= self.points.len() {
            return 0.0;
        }
        let (a, b, c) = (self.points[index - 1], self.points[index], self.points[index + 1]);
        let [ux, uy] = difference(b, a);
        let [vx, vy] = difference(c, b);
        2.0 * (ux * vy - uy * vx) / (distance(a, b) * distance(b, c) * distance(a, c))
    }

    /// Returns the position on the whole path that is nearest to `point`, m.
    pub fn locate(&self, point: [f64; 2]) -> PathPosition {
        self.nearest(0..self.points.len() - 1, point)
    }

    /// Returns the position nearest to `point`, m, near the previous position.
    ///
    /// The limited search allows a path to cross itself.
    pub fn nearest_near(&self, before: &PathPosition, point: [f64; 2]) -> PathPosition {
        let mut first = before.segment.min(self.points.len() - 2);
        let here = before.station.max(self.stations[first]);
        while first > 0 && self.stations[first] > here - SEARCH_BEHIND {
            first -= 1;
        }
        self.nearest_before(first, here + SEARCH_AHEAD, point)
    }

    /// Returns the position nearest to `point`, m, from a vehicle's position to `reach`, m, ahead
    /// of it.
    pub fn nearest_ahead(&self, place: &PathPosition, reach: f64, point: [f64; 2]) -> PathPosition {
        let first = place.segment.min(self.points.len() - 2);
        self.nearest_before(first, place.station + reach, point)
    }

    /// The position nearest to `point` from a segment to the station `reach`.
    fn nearest_before(&self, first: usize, reach: f64, point: [f64; 2]) -> PathPosition {
        let mut end = first + 1;
        while end < self.points.len() - 1 && self.stations[end] < reach {
            end += 1;
        }
        self.nearest(first..end, point)
    }

    fn nearest(&self, segments: std::ops::Range<usize>, point: [f64; 2]) -> PathPosition {
        let mut nearest = PathPosition::default();
        let mut least = f64::INFINITY;
        for segment in segments {
            let [dx, dy] = self.direction(segment);
            let [rx, ry] = difference(point, self.points[segment]);
            let length = self.stations[segment + 1] - self.stations[segment];
            // straight extensions before the start and beyond the end
            let first = if segment == 0 { f64::NEG_INFINITY } else { 0.0 };
            let last = if segment + 2 == self.points.len() { f64::INFINITY } else { length };
            let along = (rx * dx + ry * dy).clamp(first, last);
            let away = hypot(rx - dx * along, ry - dy * along);
            if away < least {
                least = away;
                let side = if dx * ry - dy * rx < 0.0 { -away } else { away };
                nearest =
                    PathPosition { segment, station: self.stations[segment] + along, offset: side };
            }
        }
        nearest
    }
}

/// The spline between the middle two of four points at `t` from 0 to 1.
///
/// It uses Barry and Goldman's pyramid over centripetal knots.
fn catmull_rom(p: &[[f64; 2]; 4], t: f64) -> [f64; 2] {
    let mut knots = [0.0; 4];
    for i in 1..4 {
        knots[i] = knots[i - 1] + distance(p[i - 1], p[i]).sqrt();
    }
    let t = knots[1] + (knots[2] - knots[1]) * t;
    let mix = |a: [f64; 2], b: [f64; 2], from: f64, to: f64| {
        let u = (t - from) / (to - from);
        [a[0] + (b[0] - a[0]) * u, a[1] + (b[1] - a[1]) * u]
    };
    let a: [[f64; 2]; 3] = std::array::from_fn(|i| mix(p[i], p[i + 1], knots[i], knots[i + 1]));
    let b: [[f64; 2]; 2] = std::array::from_fn(|i| mix(a[i], a[i + 1], knots[i], knots[i + 2]));
    mix(b[0], b[1], knots[1], knots[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(radius: f64) -> Vec<[f64; 2]> {
        (0..=36)
            .map(|i| {
                let angle = std::f64::consts::TAU * f64::from(i) / 36.0;
                [radius * angle.cos(), radius * angle.sin()]
            })
            .collect()
    }

    #[test]
    fn smooth_path_goes_through_its_waypoints_and_round_a_circle() {
        let waypoints = circle(20.0);
        let path = Path::smooth(&waypoints, 0.25).unwrap();
        for waypoint in &waypoints {
            assert!(path.locate(*waypoint).offset.abs() < 1e-12);
        }
        // chords of 10 degrees would be 0.4 % too short; the spline is of third order
        assert!((path.length() - std::f64::consts::TAU * 20.0).abs() < 1e-3 * path.length());
        let middle = path.points().len() / 2 + 5;
        assert!((path.curvature(middle) - 0.05).abs() < 0.005);
        // Without the ends, where a neighbor is missing: the middle of a chord misses the circle by
        // 20 (1 - (9 cos 5° - cos 15°) / 8) = 0.4 mm.
        let inner = path.points().len() - 15;
        for point in &path.points()[15..inner] {
            assert!((hypot(point[0], point[1]) - 20.0).abs() < 5e-4);
        }
    }

    #[test]
    fn places_go_on_before_the_start_and_beyond_the_end() {
        let path = Path::polyline(&[[0.0, 0.0], [10.0, 0.0], [10.0, 10.0]]).unwrap();
        assert_eq!(
            path.locate([-3.0, 1.0]),
            PathPosition { segment: 0, station: -3.0, offset: 1.0 }
        );
        assert_eq!(
            path.locate([11.0, 14.0]),
            PathPosition { segment: 1, station: 24.0, offset: -1.0 }
        );
        assert_eq!(path.point(0, -2.0), [-2.0, 0.0]);
        assert_eq!(path.point(0, 15.0), [10.0, 5.0]);
        assert_eq!(path.point(1, 22.0), [10.0, 12.0]);
    }

    #[test]
    fn tracking_does_not_jump_where_the_path_crosses_itself() {
        // a loop that crosses its own start
        let path =
            Path::polyline(&[[0.0, 0.0], [20.0, 0.0], [20.0, 20.0], [10.0, 20.0], [10.0, -20.0]])
                .unwrap();
        let mut place = PathPosition::default();
        for step in 0..199 {
            place = path.nearest_near(&place, [0.1 * f64::from(step), 0.02]);
            assert_eq!(place.segment, 0, "jumps at {} m", 0.1 * f64::from(step));
        }
    }

    #[test]
    fn faults_of_waypoints_are_described() {
        let message = |points: &[[f64; 2]]| Path::polyline(points).unwrap_err().to_string();
        assert_eq!(message(&[[0.0, 0.0]]), "a path needs at least 2 waypoints, this one has 1");
        assert_eq!(
            message(&[[0.0, 0.0], [1.0, 2.0], [1.0, 2.0]]),
            "waypoint 2 repeats the previous one: (1, 2)"
        );
        assert_eq!(message(&[[0.0, 0.0], [1.0, f64::NAN]]), "waypoint 1 is not finite: (1, NaN)");
        assert!(Path::smooth(&[[0.0, 0.0], [1.0, 0.0]], 0.0).is_err());
    }
}
