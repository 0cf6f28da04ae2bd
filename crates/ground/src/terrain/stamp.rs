//! Holes, ditches, bumps and ridges: shapes added to the height of a terrain.

use super::error::{TerrainError, finite};
use super::segment;
use bekker_math::numeric::{cos, hypot, sin};

/// The outline of a stamp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StampShape {
    /// A disc.
    Disc {
        /// Center, m.
        center: [f64; 2],
        /// Radius, m.
        radius: f64,
    },
    /// A strip along a segment, with round ends.
    Strip {
        /// One end of the axis, m.
        from: [f64; 2],
        /// The other end, m.
        to: [f64; 2],
        /// Full width, m.
        width: f64,
    },
    /// A rectangle.
    Rectangle {
        /// Center, m.
        center: [f64; 2],
        /// Full size along the heading, m.
        length: f64,
        /// Full size across the heading, m.
        width: f64,
        /// Heading, rad from x, counter-clockwise.
        heading: f64,
    },
}

/// Height profile across the edge of a stamp, from 0 at the outline to 1 at full height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StampFace {
    /// A cubic that is flat at both ends, so that the slope of the ground is continuous; its
    /// greatest slope is 1.5 height / edge.
    #[default]
    Smooth,
    /// A plane, with a crease at both ends: steps, trapezoids, walls of trenches.
    Straight,
    /// A quarter of an ellipse that is vertical at the outline. If the height and the edge of a
    /// ridge are half its width, it is a half-round.
    Round,
    /// A parabola with a crease at the outline and flat at full height: a hole whose edge is its
    /// radius R has the depth d (1 - r²/R²).
    Parabolic,
}

/// Fraction of a round face's edge within which its slope, unbounded at the outline, is limited to
/// that at this fraction: at most 22 height / edge.
const FOOT: f64 = 1e-3;

/// A height that is added within an outline.
///
/// The height is full inside and zero outside. Between the outline and `edge` meters inside it, the
/// height follows `face`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stamp {
    /// Outline.
    pub outline: StampShape,
    /// Height added, m; negative digs.
    pub height: f64,
    /// Width of the slope inside the outline, m.
    pub edge: f64,
    /// Shape of that slope.
    pub face: StampFace,
}

impl Stamp {
    /// Creates a round hole of full `depth` in the middle.
    pub fn hole(center: [f64; 2], radius: f64, depth: f64, edge: f64) -> Stamp {
        Stamp::smooth(StampShape::Disc { center, radius }, -depth, edge)
    }

    /// Creates a ditch from one point to another.
    pub fn ditch(from: [f64; 2], to: [f64; 2], width: f64, depth: f64, edge: f64) -> Stamp {
        Stamp::smooth(StampShape::Strip { from, to, width }, -depth, edge)
    }

    /// Creates a round bump.
    pub fn bump(center: [f64; 2], radius: f64, height: f64, edge: f64) -> Stamp {
        Stamp::smooth(StampShape::Disc { center, radius }, height, edge)
    }

    /// Creates a ridge from one point to another.
    pub fn ridge(from: [f64; 2], to: [f64; 2], width: f64, height: f64, edge: f64) -> Stamp {
        Stamp::smooth(StampShape::Strip { from, to, width }, height, edge)
    }

    fn smooth(outline: StampShape, height: f64, edge: f64) -> Stamp {
        Stamp { outline, height, edge, face: StampFace::Smooth }
    }

    /// Returns the stamp with another edge profile.
    pub fn with_face(self, face: StampFace) -> Stamp {
        Stamp { face, ..self }
    }

    /// Returns the bounding box `[x_min, y_min, x_max, y_max]`, m; the stamp is zero outside it.
    pub(super) fn bounds(&self) -> [f64; 4] {
        let around = |[x, y]: [f64; 2], reach: f64| [x - reach, y - reach, x + reach, y + reach];
        match self.outline {
            StampShape::Disc { center, radius } => around(center, radius),
            StampShape::Strip { from, to, width } => {
                let [a, b] = [from, to].map(|end| around(end, 0.5 * width));
                [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
            }
            StampShape::Rectangle { center, length, width, .. } => {
                around(center, 0.5 * hypot(length, width))
            }
        }
    }

    pub(crate) fn check(&self) -> Result<(), TerrainError> {
        finite("height of a stamp, m", self.height, "a finite number", |_| true)?;
        let mut sizes = [f64::INFINITY; 2];
        let points = match self.outline {
            StampShape::Disc { center, radius } => {
                sizes[0] = 2.0 * radius;
                [center, center]
            }
            StampShape::Strip { from, to, width } => {
                sizes[0] = width;
                [from, to]
            }
            StampShape::Rectangle { center, length, width, heading } => {
                finite("heading of a stamp, rad", heading, "a finite number", |_| true)?;
                sizes = [length, width];
                [center, center]
            }
        };
        for coordinate in points.into_iter().flatten() {
            finite("position of a stamp, m", coordinate, "a finite number", |_| true)?;
        }
        let narrowest = sizes[0].min(sizes[1]);
        finite("size of a stamp, m", narrowest, "above 0", |v| v > 0.0)?;
        finite("edge of a stamp, m", self.edge, "above 0, to half its width", |v| {
            v > 0.0 && v <= 0.5 * narrowest
        })
    }

    /// Returns the height added at (x, y), m, and its slope.
    pub(crate) fn height_and_slope(&self, x: f64, y: f64) -> (f64, [f64; 2]) {
        match self.outline {
            StampShape::Disc { center, radius } => {
                self.off_axis(x - center[0], y - center[1], radius)
            }
            StampShape::Strip { from, to, width } => {
                let [rx, ry] = segment::offset(from, to, x, y);
                self.off_axis(rx, ry, 0.5 * width)
            }
            StampShape::Rectangle { center, length, width, heading } => {
                let (c, s) = (cos(heading), sin(heading));
                let (dx, dy) = (x - center[0], y - center[1]);
                let (u, v) = (c * dx + s * dy, c * dy - s * dx);
                let (wu, su) = self.rise(0.5 * length - u.abs());
                let (wv, sv) = self.rise(0.5 * width - v.abs());
                let (gu, gv) = (-su * u.signum() * wv, -sv * v.signum() * wu);
                (
                    self.height * wu * wv,
                    [self.height * (c * gu - s * gv), self.height * (s * gu + c * gv)],
                )
            }
        }
    }

    /// Returns height and slope at the offset (dx, dy) from the nearest point of the axis.
    fn off_axis(&self, dx: f64, dy: f64, radius: f64) -> (f64, [f64; 2]) {
        let distance = hypot(dx, dy);
        let (weight, slope) = self.rise(radius - distance);
        // on the axis itself the slope is zero, because the edge ends before it
        let radial = if distance > 0.0 { -self.height * slope / distance } else { 0.0 };
        (self.height * weight, [radial * dx, radial * dy])
    }

    /// Returns the fraction of the height at a `depth` (m) inside the outline, and its derivative.
    fn rise(&self, depth: f64) -> (f64, f64) {
        let t = (depth / self.edge).clamp(0.0, 1.0);
        match self.face {
            StampFace::Smooth => (t * t * (3.0 - 2.0 * t), 6.0 * t * (1.0 - t) / self.edge),
            StampFace::Straight => (t, if 0.0 < t && t < 1.0 { 1.0 / self.edge } else { 0.0 }),
            StampFace::Round => {
                let arc = |t: f64| (t * (2.0 - t)).sqrt();
                let slope = if t > 0.0 { (1.0 - t) / arc(t.max(FOOT)) } else { 0.0 };
                (arc(t), slope / self.edge)
            }
            StampFace::Parabolic => {
                (t * (2.0 - t), if t > 0.0 { 2.0 * (1.0 - t) / self.edge } else { 0.0 })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_full_outside_nothing() {
        let hole = Stamp::hole([5.0, 5.0], 2.0, 0.5, 1.0);
        assert_eq!(hole.height_and_slope(5.0, 5.0), (-0.5, [0.0, 0.0]));
        assert_eq!(hole.height_and_slope(5.9, 5.0).0, -0.5);
        assert_eq!(hole.height_and_slope(7.0, 5.0), (0.0, [0.0, 0.0]));
        // halfway down the edge: half the depth, and a slope of 1.5 depth / edge
        let (height, [gx, gy]) = hole.height_and_slope(6.5, 5.0);
        assert!((height + 0.25).abs() < 1e-12 && (gx - 0.75).abs() < 1e-12 && gy == 0.0);
        let ditch = Stamp::ditch([0.0, -10.0], [0.0, 10.0], 3.0, 1.0, 0.5);
        assert_eq!(ditch.height_and_slope(0.9, 7.0).0, -1.0);
        assert_eq!(ditch.height_and_slope(1.6, 0.0).0, 0.0);
        assert_eq!(ditch.height_and_slope(0.0, 11.6).0, 0.0);
    }

    #[test]
    fn slopes_are_those_of_the_heights() {
        let rectangle =
            StampShape::Rectangle { center: [0.2, -0.1], length: 4.0, width: 2.0, heading: 0.4 };
        let strip = StampShape::Strip { from: [-1.0, 0.0], to: [1.0, 0.5], width: 2.0 };
        let disc = StampShape::Disc { center: [0.0, 0.0], radius: 1.5 };
        for outline in [rectangle, strip, disc] {
            let stamp = Stamp { outline, height: 0.7, edge: 0.6, face: StampFace::Smooth };
            stamp.check().unwrap();
            for k in 0..900 {
                let (x, y) = (f64::from(k % 30) * 0.17 - 2.5, f64::from(k / 30) * 0.16 - 2.4);
                let h = 1e-6;
                let [gx, gy] = stamp.height_and_slope(x, y).1;
                let fx = (stamp.height_and_slope(x + h, y).0 - stamp.height_and_slope(x - h, y).0)
                    / (2.0 * h);
                let fy = (stamp.height_and_slope(x, y + h).0 - stamp.height_and_slope(x, y - h).0)
                    / (2.0 * h);
                // the curvature is at most 6 height / edge² = 12 1/m, with a jump of that size at
                // the ends of the edge: 12 h, and rounding 1e-10
                assert!((gx - fx).abs() < 2e-5 && (gy - fy).abs() < 2e-5);
            }
        }
    }

    #[test]
    fn faces_run_from_the_outline_to_the_full_height() {
        let ridge = Stamp::ridge([0.0, -9.0], [0.0, 9.0], 4.0, 0.5, 1.0);
        let step = ridge.with_face(StampFace::Straight);
        assert_eq!(step.height_and_slope(-1.5, 0.0), (0.25, [0.5, 0.0]));
        assert_eq!(
            [step.height_and_slope(-2.0, 0.0).0, step.height_and_slope(-1.0, 0.0).0],
            [0.0, 0.5]
        );
        // a half-round: a circle around its axis
        let half_round =
            Stamp::ridge([0.0, -9.0], [0.0, 9.0], 0.4, 0.2, 0.2).with_face(StampFace::Round);
        half_round.check().unwrap();
        for k in -19..20 {
            let x = 0.01 * f64::from(k);
            let (height, [slope, _]) = half_round.height_and_slope(x, 0.0);
            assert!((height * height + x * x - 0.04).abs() < 1e-15, "{height} at {x}");
            // the tangent of a circle
            assert!((slope + x / height).abs() < 1e-9, "{slope} at {x}");
        }
        assert_eq!(half_round.height_and_slope(0.2, 0.0), (0.0, [0.0; 2]));
        // d (1 - r²/R²), whose slope is 2 d r/R²
        let bowl = Stamp::hole([0.0; 2], 2.5, 1.5, 2.5).with_face(StampFace::Parabolic);
        for k in 0..25 {
            let r = 0.1 * f64::from(k);
            let (height, [slope, _]) = bowl.height_and_slope(r, 0.0);
            assert!((height + 1.5 * (1.0 - r * r / 6.25)).abs() < 1e-14, "{height} at {r}");
            assert!((slope - 3.0 * r / 6.25).abs() < 1e-14, "{slope} at {r}");
        }
        assert_eq!(bowl.height_and_slope(2.5, 0.0), (0.0, [0.0; 2]));
    }

    #[test]
    fn figures_are_checked() {
        let message = |stamp: Stamp| stamp.check().unwrap_err().to_string();
        assert_eq!(
            message(Stamp::hole([0.0, 0.0], 1.0, 0.5, 1.5)),
            "edge of a stamp, m is 1.5; allowed: above 0, to half its width"
        );
        assert_eq!(
            message(Stamp::ditch([0.0, 0.0], [1.0, 0.0], -1.0, 0.5, 0.1)),
            "size of a stamp, m is -1; allowed: above 0"
        );
    }
}
