//! Equivalent contact plane of a disc on an uneven profile.
//!
//! The area of overlap between an upright disc and the ground's profile along its heading is
//! computed. The ground is replaced by the plane with the same overlap area and the same direction
//! to the center of that area (J. Sui and J. Hirshey, *A New Analytical Tire Model for Vehicle
//! Dynamic Analysis*, an ADAMS users' meeting; cited from memory).
//!
//! On a plane the result is the plane itself. A slot reduces the area only by its own width. A wall
//! enters the disc from the front and turns the plane against the wheel. Area and center change
//! without jumps as the wheel rolls.

use bekker_math::numeric::{asin, cos, pow, sin_cos};
use std::sync::LazyLock;

/// Samples of a profile on either side of the center.
pub(super) const REACH: usize = 12;
/// Samples of a profile.
pub(super) const SAMPLES: usize = 2 * REACH + 1;
/// Area, over the square of the radius, below which there is no contact: of the order of rounding.
const NOTHING: f64 = 1e-13;
/// Newton steps to the angle of a segment; the first guess is within a fifth.
const STEPS: usize = 5;

/// Returns the position of a sample ahead of the center, in units of the disc's radius.
pub(super) fn sample_position(sample: usize) -> f64 {
    (sample as f64 - REACH as f64) / REACH as f64
}

/// Sampled ground profile under a disc of radius 1, relative to its center. Samples beyond
/// `from..=to` are below the disc.
#[derive(Clone, Copy, Debug)]
pub(super) struct Profile {
    /// Heights above the center, 1 at most.
    pub height: [f64; SAMPLES],
    /// Lateral slope, positive where the ground rises to the left.
    pub tilt: [f64; SAMPLES],
    /// First sample that is used.
    pub from: usize,
    /// Last sample that is used.
    pub to: usize,
}

/// Equivalent plane of a profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct EquivalentPlane {
    /// Distance from the center, over the radius.
    pub distance: f64,
    /// Its unit normal in the plane of the disc: forward and up.
    pub normal: [f64; 2],
    /// Mean of the profile's tilt, weighted by area.
    pub tilt: f64,
}

/// Integrals over the part of a disc that is below the ground.
#[derive(Clone, Copy, Debug, Default)]
struct Overlap {
    area: f64,
    /// First moment of the position ahead of the center.
    ahead: f64,
    /// First moment of the height above the center.
    height: f64,
    tilt: f64,
}

/// Integrals under the arc of a half circle from its middle to a position: of its depth, and of its
/// depth times the position.
#[derive(Clone, Copy)]
struct ArcIntegrals {
    depth: f64,
    moment: f64,
}

impl ArcIntegrals {
    fn new(s: f64) -> ArcIntegrals {
        let square = (1.0 - s * s).max(0.0);
        let root = square.sqrt();
        ArcIntegrals {
            depth: 0.5 * (s * root + asin(s.clamp(-1.0, 1.0))),
            moment: -square * root / 3.0,
        }
    }

    /// Returns the arcs at the sample positions.
    fn samples() -> &'static [ArcIntegrals; SAMPLES] {
        static ARCS: LazyLock<[ArcIntegrals; SAMPLES]> = LazyLock::new(|| {
            std::array::from_fn(|sample| ArcIntegrals::new(sample_position(sample)))
        });
        &ARCS
    }
}

impl Profile {
    /// Returns the equivalent plane; `None` where there is no contact.
    pub fn equivalent_plane(&self) -> Option<EquivalentPlane> {
        let mut sum = Overlap::default();
        for rear in self.from..self.to {
            sum.add(self, rear);
        }
        let Overlap { area, ahead, height, tilt } = sum;
        let away = (ahead * ahead + height * height).sqrt();
        if area <= NOTHING || away == 0.0 {
            return None;
        }
        let distance = cos(half_angle(area));
        Some(EquivalentPlane {
            distance,
            normal: [-ahead / away, -height / away],
            tilt: tilt / area,
        })
    }
}

impl Overlap {
    /// Adds the overlap below the profile from one sample to the next, between which the profile is
    /// linear.
    fn add(&mut self, profile: &Profile, rear: usize) {
        let front = rear + 1;
        let ends = [sample_position(rear), sample_position(front)];
        let heights = [profile.height[rear], profile.height[front]];
        let slope = (heights[1] - heights[0]) * REACH as f64;
        let line = [heights[0] - slope * ends[0], slope];
        let tilt = 0.5 * (profile.tilt[rear] + profile.tilt[front]);
        let arcs = ArcIntegrals::samples();
        let arcs = [arcs[rear], arcs[front]];
        // where the line intersects the circle
        let steep = 1.0 + slope * slope;
        let inside = steep - line[0] * line[0];
        let (middle, half) = (-slope * line[0] / steep, inside.max(0.0).sqrt() / steep);
        let cuts = [middle - half, middle + half].map(|cut| cut.clamp(ends[0], ends[1]));
        let at = |cut: f64| match ends.iter().position(|end| *end == cut) {
            Some(end) => arcs[end],
            None => ArcIntegrals::new(cut),
        };
        let cut_arcs = cuts.map(at);
        if inside > 0.0 && cuts[0] < cuts[1] {
            self.add_below(line, cuts, cut_arcs, tilt);
        }
        // outside the intersections the line runs either below or above the disc
        for ([from, to], [begins, stops]) in [
            ([ends[0], cuts[0]], [arcs[0], cut_arcs[0]]),
            ([cuts[1], ends[1]], [cut_arcs[1], arcs[1]]),
        ] {
            if from < to && line[0] + slope * 0.5 * (from + to) > 0.0 {
                let area = 2.0 * (stops.depth - begins.depth);
                self.area += area;
                self.ahead += 2.0 * (stops.moment - begins.moment);
                self.tilt += area * tilt;
            }
        }
    }

    /// Adds the part of the disc below a line with the given height and slope.
    fn add_below(
        &mut self,
        [level, slope]: [f64; 2],
        [from, to]: [f64; 2],
        [begins, stops]: [ArcIntegrals; 2],
        tilt: f64,
    ) {
        let one = to - from;
        let (two, three) = (to * to - from * from, to * to * to - from * from * from);
        let area = level * one + 0.5 * slope * two + (stops.depth - begins.depth);
        self.area += area;
        self.ahead += 0.5 * level * two + slope * three / 3.0 + (stops.moment - begins.moment);
        let line = level * level * one + level * slope * two + slope * slope * three / 3.0;
        self.height += 0.5 * (line - one + three / 3.0);
        self.tilt += area * tilt;
    }
}

/// Returns half the angle of a segment of this area in a circle of radius 1, rad.
fn half_angle(area: f64) -> f64 {
    // the area of a segment of a small angle φ is 2/3 φ³
    let mut angle = pow(1.5 * area, 1.0 / 3.0);
    for _ in 0..STEPS {
        let (sin, cos) = sin_cos(angle);
        angle -= (angle - sin * cos - area) / (2.0 * sin * sin);
    }
    angle
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(height: impl Fn(f64) -> f64) -> Profile {
        Profile {
            height: std::array::from_fn(|sample| height(sample_position(sample)).min(1.0)),
            tilt: [0.2; SAMPLES],
            from: 0,
            to: SAMPLES - 1,
        }
    }

    /// The equivalent plane of a plane is itself, however steep and deep.
    #[test]
    fn a_plane_is_its_own() {
        for grade in [-1.0_f64, -0.1, 0.0, 0.3, 1.0] {
            for deflection in [1e-6, 1e-3, 0.05, 0.3] {
                let (distance, long) = (1.0 - deflection, (1.0 + grade * grade).sqrt());
                let plane = profile(|s| grade * s - distance * long);
                let found = plane.equivalent_plane().unwrap();
                let normal = [-grade / long, 1.0 / long];
                // rounding: areas of 1e-9 are differences of numbers of order 1
                let room = 1e-7 * deflection + 1e-12 / deflection.sqrt();
                assert!((found.distance - distance).abs() < room, "{grade} {deflection} {found:?}");
                let turned = found.normal[0] * normal[1] - found.normal[1] * normal[0];
                assert!(
                    turned.abs() < 1e-6 + 1e-13 / deflection.powi(2),
                    "{grade} {deflection} {found:?}"
                );
                assert!((found.tilt - 0.2).abs() < 1e-12);
            }
        }
        assert!(profile(|_| -1.001).equivalent_plane().is_none());
    }

    /// Over a slot without a bottom that is narrower than the contact, a wheel rests on the two
    /// edges. It sinks deeper to compensate for the missing area.
    #[test]
    fn the_overlap_with_a_slot_depends_on_its_width() {
        let narrow = |s: f64| if s.abs() < 0.01 { -9.0 } else { -0.95 };
        let found = profile(narrow).equivalent_plane().unwrap();
        let whole = half_angle_area(0.05);
        // Samples are a twelfth of the radius apart, so the slot is two samples wide. The missing
        // area is that width times 0.05, less the rise of the arc on it (s²/2, up to s⁴).
        let half: f64 = 1.0 / 12.0;
        let gone = 2.0 * half * 0.05 - half * half * half / 3.0;
        let expected = cos(half_angle(whole - gone));
        // its walls have a slope of 8 to a twelfth, which leaves 3e-5 of area and 5e-5 of distance
        assert!((found.distance - expected).abs() < 1e-4, "{found:?} {expected}");
        assert!(found.normal[0].abs() < 1e-12);
    }

    fn half_angle_area(deflection: f64) -> f64 {
        let angle = bekker_math::numeric::acos(1.0 - deflection);
        let (sin, cos) = sin_cos(angle);
        angle - sin * cos
    }

    /// A wall in front pushes the wheel back; a wall as high as the disc pushes it straight back.
    #[test]
    fn a_wall_pushes_back() {
        let wall = |s: f64| if s > 0.6 { -0.2 } else { -0.97 };
        let found = profile(wall).equivalent_plane().unwrap();
        assert!(found.normal[0] < -0.3 && found.normal[1] > 0.3, "{found:?}");
        let high = |s: f64| if s > 0.8 { 2.0 } else { -2.0 };
        let found = profile(high).equivalent_plane().unwrap();
        assert!(found.normal[0] < -0.99 && found.normal[1].abs() < 0.12, "{found:?}");
    }
}
