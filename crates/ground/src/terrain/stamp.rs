//! Holes, ditches and bumps: shapes added to the height of a terrain.

use super::error::{TerrainError, finite};
use super::segment;
use crate::numeric::{cos, hypot, sin};

/// The outline of a stamp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outline {
    /// A disc.
    Disc {
        /// Centre, m.
        centre: [f64; 2],
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
        /// Centre, m.
        centre: [f64; 2],
        /// Full size along the heading, m.
        length: f64,
        /// Full size across the heading, m.
        width: f64,
        /// Heading, rad from x, counter-clockwise.
        heading: f64,
    },
}

/// A height added within an outline.
///
/// Full inside, nothing outside; between the outline and `edge` metres inside
/// it the height runs in a cubic that is flat at both ends, so that the slope
/// of the ground stays continuous. Its steepest slope is 1.5 height / edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stamp {
    /// Where.
    pub outline: Outline,
    /// Height added, m; negative digs.
    pub height: f64,
    /// Width of the slope inside the outline, m.
    pub edge: f64,
}

impl Stamp {
    /// A round hole of full `depth` in the middle.
    pub fn hole(centre: [f64; 2], radius: f64, depth: f64, edge: f64) -> Stamp {
        Stamp { outline: Outline::Disc { centre, radius }, height: -depth, edge }
    }

    /// A ditch from one point to another.
    pub fn ditch(from: [f64; 2], to: [f64; 2], width: f64, depth: f64, edge: f64) -> Stamp {
        Stamp { outline: Outline::Strip { from, to, width }, height: -depth, edge }
    }

    /// A round bump.
    pub fn bump(centre: [f64; 2], radius: f64, height: f64, edge: f64) -> Stamp {
        Stamp { outline: Outline::Disc { centre, radius }, height, edge }
    }

    pub(crate) fn check(&self) -> Result<(), TerrainError> {
        finite("height of a stamp, m", self.height, "a finite number", |_| true)?;
        let mut sizes = [f64::INFINITY; 2];
        let points = match self.outline {
            Outline::Disc { centre, radius } => {
                sizes[0] = 2.0 * radius;
                [centre, centre]
            }
            Outline::Strip { from, to, width } => {
                sizes[0] = width;
                [from, to]
            }
            Outline::Rectangle { centre, length, width, heading } => {
                finite("heading of a stamp, rad", heading, "a finite number", |_| true)?;
                sizes = [length, width];
                [centre, centre]
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

    /// Height added at (x, y), m, and its slope.
    pub(crate) fn at(&self, x: f64, y: f64) -> (f64, [f64; 2]) {
        match self.outline {
            Outline::Disc { centre, radius } => self.off_axis(x - centre[0], y - centre[1], radius),
            Outline::Strip { from, to, width } => {
                let [rx, ry] = segment::offset(from, to, x, y);
                self.off_axis(rx, ry, 0.5 * width)
            }
            Outline::Rectangle { centre, length, width, heading } => {
                let (c, s) = (cos(heading), sin(heading));
                let (dx, dy) = (x - centre[0], y - centre[1]);
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

    /// (dx, dy) leads from the nearest point of the axis.
    fn off_axis(&self, dx: f64, dy: f64, radius: f64) -> (f64, [f64; 2]) {
        let distance = hypot(dx, dy);
        let (weight, slope) = self.rise(radius - distance);
        // On the axis itself the slope is zero, for the edge ends before it.
        let radial = if distance > 0.0 { -self.height * slope / distance } else { 0.0 };
        (self.height * weight, [radial * dx, radial * dy])
    }

    /// Share of the height at a `depth` (m) inside the outline, and its derivative.
    fn rise(&self, depth: f64) -> (f64, f64) {
        let t = (depth / self.edge).clamp(0.0, 1.0);
        (t * t * (3.0 - 2.0 * t), 6.0 * t * (1.0 - t) / self.edge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_full_outside_nothing() {
        let hole = Stamp::hole([5.0, 5.0], 2.0, 0.5, 1.0);
        assert_eq!(hole.at(5.0, 5.0), (-0.5, [0.0, 0.0]));
        assert_eq!(hole.at(5.9, 5.0).0, -0.5);
        assert_eq!(hole.at(7.0, 5.0), (0.0, [0.0, 0.0]));
        // Half way down the edge: half the depth, and 1.5 depth / edge of slope.
        let (height, [gx, gy]) = hole.at(6.5, 5.0);
        assert!((height + 0.25).abs() < 1e-12 && (gx - 0.75).abs() < 1e-12 && gy == 0.0);
        let ditch = Stamp::ditch([0.0, -10.0], [0.0, 10.0], 3.0, 1.0, 0.5);
        assert_eq!(ditch.at(0.9, 7.0).0, -1.0);
        assert_eq!(ditch.at(1.6, 0.0).0, 0.0);
        assert_eq!(ditch.at(0.0, 11.6).0, 0.0);
    }

    #[test]
    fn slopes_are_those_of_the_heights() {
        let rectangle =
            Outline::Rectangle { centre: [0.2, -0.1], length: 4.0, width: 2.0, heading: 0.4 };
        let strip = Outline::Strip { from: [-1.0, 0.0], to: [1.0, 0.5], width: 2.0 };
        let disc = Outline::Disc { centre: [0.0, 0.0], radius: 1.5 };
        for outline in [rectangle, strip, disc] {
            let stamp = Stamp { outline, height: 0.7, edge: 0.6 };
            stamp.check().unwrap();
            for k in 0..900 {
                let (x, y) = (f64::from(k % 30) * 0.17 - 2.5, f64::from(k / 30) * 0.16 - 2.4);
                let h = 1e-6;
                let [gx, gy] = stamp.at(x, y).1;
                let fx = (stamp.at(x + h, y).0 - stamp.at(x - h, y).0) / (2.0 * h);
                let fy = (stamp.at(x, y + h).0 - stamp.at(x, y - h).0) / (2.0 * h);
                // Curvature is at most 6 height / edge² = 12 1/m, jumping by
                // that at the ends of the edge: 12 h, and rounding 1e-10.
                assert!((gx - fx).abs() < 2e-5 && (gy - fy).abs() < 2e-5);
            }
        }
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
