//! Piecewise linear curves: spring tables, engine maps, converter tables.

use serde::{Deserialize, Serialize};

/// Error in the table of a curve.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CurveError {
    /// The table has fewer than two points.
    #[error("the curve has {count} points; must have at least 2")]
    TooShort {
        /// Number of points given.
        count: usize,
    },
    /// The abscissae do not increase.
    #[error("abscissae must increase: point {index} has x = {x} after {previous}")]
    NotIncreasing {
        /// Index of the offending point.
        index: usize,
        /// Its abscissa.
        x: f64,
        /// The abscissa before it.
        previous: f64,
    },
    /// A value is not finite.
    #[error("point {index} is not finite: ({x}, {y})")]
    NotFinite {
        /// Index of the offending point.
        index: usize,
        /// Its abscissa.
        x: f64,
        /// Its ordinate.
        y: f64,
    },
}

/// A piecewise linear function, constant beyond its ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<[f64; 2]>", into = "Vec<[f64; 2]>")]
pub struct Curve {
    points: Vec<[f64; 2]>,
}

impl Curve {
    /// Creates a curve through `points`, whose abscissae must increase.
    pub fn new(points: Vec<[f64; 2]>) -> Result<Curve, CurveError> {
        if points.len() < 2 {
            return Err(CurveError::TooShort { count: points.len() });
        }
        for (index, &[x, y]) in points.iter().enumerate() {
            if !(x.is_finite() && y.is_finite()) {
                return Err(CurveError::NotFinite { index, x, y });
            }
            if index > 0 && x <= points[index - 1][0] {
                return Err(CurveError::NotIncreasing { index, x, previous: points[index - 1][0] });
            }
        }
        Ok(Curve { points })
    }

    /// Returns the points of the curve.
    pub fn points(&self) -> &[[f64; 2]] {
        &self.points
    }

    /// Returns the value at `x`.
    #[inline]
    pub fn value(&self, x: f64) -> f64 {
        self.value_and_slope(x).0
    }

    /// Returns value and slope at `x`. Beyond the ends the value is that of the end point and the
    /// slope is zero; for NaN the value is NaN and the slope zero.
    pub fn value_and_slope(&self, x: f64) -> (f64, f64) {
        let points = &self.points;
        let last = points.len() - 1;
        if x <= points[0][0] {
            return (points[0][1], 0.0);
        }
        if x >= points[last][0] {
            return (points[last][1], 0.0);
        }
        if x.is_nan() {
            return (x, 0.0);
        }
        let upper = points.partition_point(|p| p[0] <= x).min(last);
        let [x0, y0] = points[upper - 1];
        let [x1, y1] = points[upper];
        let slope = (y1 - y0) / (x1 - x0);
        (y0 + slope * (x - x0), slope)
    }

    /// Returns the integral from the first point to `x`; beyond the ends the value is that of the
    /// end point.
    pub fn integral(&self, x: f64) -> f64 {
        let [start, first] = self.points[0];
        if x <= start {
            return first * (x - start);
        }
        let mut sum = 0.0;
        for pair in self.points.windows(2) {
            let ([x0, y0], [x1, _]) = (pair[0], pair[1]);
            let end = x.min(x1);
            sum += 0.5 * (y0 + self.value(end)) * (end - x0);
            if x <= x1 {
                return sum;
            }
        }
        let [end, last] = self.points[self.points.len() - 1];
        sum + last * (x - end)
    }

    /// Returns [`Curve::integral`] of the curve [`extrapolated`](Curve::extrapolated) beyond its
    /// last point.
    pub fn extrapolated_integral(&self, x: f64) -> f64 {
        let (last, slope) = self.end_slope();
        let beyond = (x - last).max(0.0);
        self.integral(x) + 0.5 * slope * beyond * beyond
    }

    /// Returns the last abscissa and the slope before it.
    pub fn end_slope(&self) -> (f64, f64) {
        let last = self.points.len() - 1;
        let [[x0, y0], [x1, y1]] = [self.points[last - 1], self.points[last]];
        (x1, (y1 - y0) / (x1 - x0))
    }

    /// Returns value and slope at `x`, extrapolated linearly beyond the last point.
    pub fn extrapolated(&self, x: f64) -> (f64, f64) {
        let (last, slope) = self.end_slope();
        let (value, within) = self.value_and_slope(x);
        if x <= last { (value, within) } else { (value + slope * (x - last), slope) }
    }
}

impl TryFrom<Vec<[f64; 2]>> for Curve {
    type Error = CurveError;
    fn try_from(points: Vec<[f64; 2]>) -> Result<Curve, CurveError> {
        Curve::new(points)
    }
}

impl From<Curve> for Vec<[f64; 2]> {
    fn from(curve: Curve) -> Self {
        curve.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the midpoint rule, which is exact on pieces that end at the points.
    #[test]
    fn integrates_over_its_pieces_and_beyond() {
        let curve = Curve::new(vec![[-1.0, 2.0], [0.5, -1.0], [2.0, 5.0]]).unwrap();
        for to in [-3.0, -1.0, -0.25, 0.5, 1.75, 2.0, 4.5] {
            let way = (to + 1.0) / 1e4;
            let middle = |k: i32| -1.0 + way * (f64::from(k) + 0.5);
            let rule = |value: &dyn Fn(f64) -> f64| -> f64 {
                (0..10_000).map(|k| way * value(middle(k))).sum()
            };
            let held = rule(&|x| curve.value(x));
            let extrapolated = rule(&|x| curve.extrapolated(x).0);
            assert!((curve.integral(to) - held).abs() < 1e-6, "{to}");
            assert!((curve.extrapolated_integral(to) - extrapolated).abs() < 1e-6, "{to}");
        }
    }

    #[test]
    fn interpolates_and_holds_its_ends() {
        let curve = Curve::new(vec![[0.0, 1.0], [2.0, 5.0], [3.0, 5.0]]).unwrap();
        assert_eq!(curve.value_and_slope(1.0), (3.0, 2.0));
        assert_eq!(curve.value_and_slope(-1.0), (1.0, 0.0));
        assert_eq!(curve.value_and_slope(9.0), (5.0, 0.0));
    }

    #[test]
    fn extrapolates_beyond_its_last_point() {
        let curve = Curve::new(vec![[0.0, 1.0], [2.0, 5.0], [3.0, 11.0]]).unwrap();
        assert_eq!(curve.extrapolated(5.0), (23.0, 6.0));
        for x in [-1.0, 0.5, 3.0] {
            assert_eq!(curve.extrapolated(x).0, curve.value(x));
        }
    }

    #[test]
    fn non_functions_are_refused() {
        assert!(matches!(Curve::new(vec![[0.0, 1.0]]), Err(CurveError::TooShort { count: 1 })));
        let error = Curve::new(vec![[0.0, 1.0], [0.0, 2.0]]).unwrap_err();
        assert_eq!(error.to_string(), "abscissae must increase: point 1 has x = 0 after 0");
    }
}
