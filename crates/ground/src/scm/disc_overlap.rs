//! The plane that presses a disc as the ground below it does.
//!
//! An upright disc that is let into the ground's profile along its heading overlaps it in an area.
//! A plane of the same overlap, with the centre of area in the same direction, stands in for the
//! ground (J. Sui and J. Hirshey, *A New Analytical Tire Model for Vehicle Dynamic Analysis*, an
//! ADAMS users' meeting; cited from memory). On a plane that is the plane itself; a slot takes of the
//! area only what it is wide; a wall comes up from in front and turns the plane up against the wheel.
//! Area and centre change without jumps as the wheel rolls on.

use bekker_math::numeric::{asin, cos, pow, sin_cos};
use std::sync::LazyLock;

/// Samples of a profile on either side of the centre.
pub(super) const REACH: usize = 12;
/// Samples of a profile.
pub(super) const SAMPLES: usize = 2 * REACH + 1;
/// Area, over the square of the radius, below which nothing touches: of the order of rounding.
const NOTHING: f64 = 1e-13;
/// Newton's steps to the angle of a segment; the first guess is within a fifth.
const STEPS: usize = 5;

/// Where a profile is sampled: ahead of the centre, by the disc's radius.
pub(super) fn ahead(sample: usize) -> f64 {
    (sample as f64 - REACH as f64) / REACH as f64
}

/// The ground under a disc of radius 1 about its centre, by samples; those beyond `from..=to` lie
/// below the disc.
#[derive(Clone, Copy, Debug)]
pub(super) struct Profile {
    /// Heights over the centre, 1 at most.
    pub height: [f64; SAMPLES],
    /// How much higher it is to the left than to the right.
    pub tilt: [f64; SAMPLES],
    /// First sample that counts.
    pub from: usize,
    /// Last one.
    pub to: usize,
}

/// The plane that stands in for a profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StandIn {
    /// Distance from the centre, over the radius.
    pub distance: f64,
    /// Its unit normal in the plane of the disc: forward and up.
    pub normal: [f64; 2],
    /// Mean of the profile's tilt by area.
    pub tilt: f64,
}

/// Integrals over what of a disc lies in the ground.
#[derive(Clone, Copy, Debug, Default)]
struct Overlap {
    area: f64,
    /// Of the way ahead of the centre, ...
    ahead: f64,
    /// ... and of the height over it.
    height: f64,
    tilt: f64,
}

/// A half circle's arc from its middle to a place: integrals of its depth, and of that times
/// the way.
#[derive(Clone, Copy)]
struct Arc {
    depth: f64,
    moment: f64,
}

impl Arc {
    fn at(s: f64) -> Arc {
        let square = (1.0 - s * s).max(0.0);
        let root = square.sqrt();
        Arc { depth: 0.5 * (s * root + asin(s.clamp(-1.0, 1.0))), moment: -square * root / 3.0 }
    }

    /// Those of the samples.
    fn samples() -> &'static [Arc; SAMPLES] {
        static ARCS: LazyLock<[Arc; SAMPLES]> =
            LazyLock::new(|| std::array::from_fn(|sample| Arc::at(ahead(sample))));
        &ARCS
    }
}

impl Profile {
    /// The plane that presses as much; `None` where nothing touches.
    pub fn stand_in(&self) -> Option<StandIn> {
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
        Some(StandIn { distance, normal: [-ahead / away, -height / away], tilt: tilt / area })
    }
}

impl Overlap {
    /// Adds what lies below the profile from a sample to the next, along which it is straight.
    fn add(&mut self, profile: &Profile, rear: usize) {
        let front = rear + 1;
        let ends = [ahead(rear), ahead(front)];
        let heights = [profile.height[rear], profile.height[front]];
        let slope = (heights[1] - heights[0]) * REACH as f64;
        let line = [heights[0] - slope * ends[0], slope];
        let tilt = 0.5 * (profile.tilt[rear] + profile.tilt[front]);
        let arcs = Arc::samples();
        let arcs = [arcs[rear], arcs[front]];
        // where the line cuts the circle
        let steep = 1.0 + slope * slope;
        let inside = steep - line[0] * line[0];
        let (middle, half) = (-slope * line[0] / steep, inside.max(0.0).sqrt() / steep);
        let cuts = [middle - half, middle + half].map(|cut| cut.clamp(ends[0], ends[1]));
        let at = |cut: f64| match ends.iter().position(|end| *end == cut) {
            Some(end) => arcs[end],
            None => Arc::at(cut),
        };
        let cut_arcs = cuts.map(at);
        if inside > 0.0 && cuts[0] < cuts[1] {
            self.add_below(line, cuts, cut_arcs, tilt);
        }
        // beside the cuts the line runs below the disc, or above it
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

    /// Adds what lies below a line, of which height and slope are given, within the disc.
    fn add_below(
        &mut self,
        [level, slope]: [f64; 2],
        [from, to]: [f64; 2],
        [begins, stops]: [Arc; 2],
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

/// Half the angle of a circle's segment of this area, the radius being 1, rad.
fn half_angle(area: f64) -> f64 {
    // a segment of a small angle φ has 2/3 φ³
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
            height: std::array::from_fn(|sample| height(ahead(sample)).min(1.0)),
            tilt: [0.2; SAMPLES],
            from: 0,
            to: SAMPLES - 1,
        }
    }

    /// A plane stands in for itself, however steep and deep.
    #[test]
    fn a_plane_is_its_own() {
        for grade in [-1.0_f64, -0.1, 0.0, 0.3, 1.0] {
            for deflection in [1e-6, 1e-3, 0.05, 0.3] {
                let (distance, long) = (1.0 - deflection, (1.0 + grade * grade).sqrt());
                let plane = profile(|s| grade * s - distance * long);
                let found = plane.stand_in().unwrap();
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
        assert!(profile(|_| -1.001).stand_in().is_none());
    }

    /// Without bottom below a slot narrower than the contact a wheel stands on the two edges, deeper by
    /// what makes up for the area.
    #[test]
    fn a_slot_takes_what_it_is_wide() {
        let narrow = |s: f64| if s.abs() < 0.01 { -9.0 } else { -0.95 };
        let found = profile(narrow).stand_in().unwrap();
        let whole = half_angle_area(0.05);
        // samples are a twelfth of the radius apart, so that the slot is two of those wide: of the
        // area that is its width by 0.05, less what the arc rises on it (s²/2, to s⁴)
        let half: f64 = 1.0 / 12.0;
        let gone = 2.0 * half * 0.05 - half * half * half / 3.0;
        let expected = cos(half_angle(whole - gone));
        // its walls are as steep as 8 to a twelfth: 3e-5 of area are left, 5e-5 of distance
        assert!((found.distance - expected).abs() < 1e-4, "{found:?} {expected}");
        assert!(found.normal[0].abs() < 1e-12);
    }

    fn half_angle_area(deflection: f64) -> f64 {
        let angle = bekker_math::numeric::acos(1.0 - deflection);
        let (sin, cos) = sin_cos(angle);
        angle - sin * cos
    }

    /// A wall in front pushes back; one as high as the disc straight back.
    #[test]
    fn a_wall_pushes_back() {
        let wall = |s: f64| if s > 0.6 { -0.2 } else { -0.97 };
        let found = profile(wall).stand_in().unwrap();
        assert!(found.normal[0] < -0.3 && found.normal[1] > 0.3, "{found:?}");
        let high = |s: f64| if s > 0.8 { 2.0 } else { -2.0 };
        let found = profile(high).stand_in().unwrap();
        assert!(found.normal[0] < -0.99 && found.normal[1].abs() < 0.12, "{found:?}");
    }
}
