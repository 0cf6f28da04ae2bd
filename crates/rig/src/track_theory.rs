//! Classic theory of rigid tracks, for comparison with the rig.
//!
//! A rigid track under uniform pressure follows M. G. Bekker, *Theory of Land Locomotion* (1956);
//! shear follows Janosi and Hanamoto (1961); skid steering at low speed follows J. Y. Wong, *Theory
//! of Ground Vehicles*. Uniform pressure makes sinkage and resistance lower bounds: under road
//! wheels far apart the pressure has peaks.

use bekker_ground::soil::DeformableSoil;
use bekker_math::numeric::{GRAVITY, atan, exp, ln, pow, tan};
use bekker_vehicle::TrackedSpec;

/// Two rigid tracks under uniform pressure on a soil.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidTracks {
    /// Weight, N.
    pub weight: f64,
    /// Width of a track, m.
    pub width: f64,
    /// Contact length, m.
    pub length: f64,
    /// Distance between the center lines of the tracks, m.
    pub gauge: f64,
}

impl RigidTracks {
    /// Returns the tracks of a vehicle.
    pub fn from_spec(spec: &TrackedSpec) -> RigidTracks {
        RigidTracks {
            weight: spec.total_mass() * GRAVITY,
            width: spec.shoe_width(),
            length: spec.contact_length(),
            gauge: spec.gauge(),
        }
    }

    /// Returns the ground pressure, Pa.
    pub fn pressure(&self) -> f64 {
        self.weight / (2.0 * self.width * self.length)
    }

    /// Returns the sinkage, m.
    pub fn sinkage(&self, soil: &DeformableSoil) -> f64 {
        pow(self.pressure() / self.modulus(soil), 1.0 / soil.n)
    }

    /// Returns the compaction resistance, N.
    pub fn resistance(&self, soil: &DeformableSoil) -> f64 {
        let n = soil.n + 1.0;
        2.0 * self.width * self.modulus(soil) * pow(self.sinkage(soil), n) / n
    }

    /// Returns the greatest shear force A c + W tan φ of the soil on both tracks, N.
    pub fn shear_strength(&self, soil: &DeformableSoil) -> f64 {
        2.0 * self.width * self.length * soil.cohesion + self.weight * tan(soil.friction_angle)
    }

    /// Returns the thrust at a slip, N, with shear displacement growing linearly along the track.
    ///
    /// Thrust is an odd function of slip: braked tracks are retarded with the force that pushes
    /// driven ones.
    pub fn thrust(&self, soil: &DeformableSoil, slip: f64) -> f64 {
        let most = self.shear_strength(soil);
        let x = slip * self.length / soil.shear_modulus;
        let sheared = x.abs();
        let mobilized =
            if sheared < 1e-9 { 0.5 * sheared } else { 1.0 - (1.0 - exp(-sheared)) / sheared };
        (most * mobilized).copysign(x)
    }

    /// Returns the steepest slope that the vehicle climbs, rad, without the effect of sinkage.
    pub fn max_slope(&self, soil: &DeformableSoil) -> f64 {
        // tan a = tan phi + A c / (W cos a), solved by fixed point
        let area = 2.0 * self.width * self.length;
        let mut slope = soil.friction_angle;
        for _ in 0..50 {
            let held = area * soil.cohesion / (self.weight * bekker_math::numeric::cos(slope));
            slope = atan(tan(soil.friction_angle) + held);
        }
        slope
    }

    /// Returns the moment that resists turning on the spot, N m, of a shear force `strength` N that is
    /// spread evenly over both tracks: μ W, or [`RigidTracks::shear_strength`] on cohesive soil.
    ///
    /// All shear acts laterally. The moment is an upper bound, as turning tracks also slide
    /// longitudinally.
    pub fn turning_moment(&self, strength: f64) -> f64 {
        0.25 * strength * self.length
    }

    /// Returns the moment that turns the vehicle on the spot against a shear force `strength` N as in
    /// [`RigidTracks::turning_moment`], N m.
    ///
    /// Shear opposes the sliding of every point (W. Steeds, *Tracked vehicles*, 1950; J. Y. Wong
    /// and C. F. Chiang, Proc. IMechE D 215, 2001, both from memory). A point x ahead of the middle
    /// slides laterally by x Ω and longitudinally by s Ω, where s is the same under a whole track.
    ///
    /// With S for the strength and l for half the length, the lateral moment is S/l ∫ x²/√(s² + x²)
    /// dx. The longitudinal moment is S B/2 · s/l ∫ dx/√(s² + x²). Both integrals are over 0 to l.
    /// The moments are in balance at one s.
    pub fn pivoting_moment(&self, strength: f64) -> f64 {
        let half = 0.5 * self.length;
        // asinh(l/s)
        let grown = |s: f64| ln((half + (s * s + half * half).sqrt()) / s);
        let across =
            |s: f64| (0.5 * half * (s * s + half * half).sqrt() - 0.5 * s * s * grown(s)) / half;
        let along = |s: f64| 0.5 * self.gauge * s * grown(s) / half;
        let (mut low, mut high) = (1e-6 * half, 1e3 * half);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            *(if along(middle) < across(middle) { &mut low } else { &mut high }) = middle;
        }
        strength * across(low)
    }

    fn modulus(&self, soil: &DeformableSoil) -> f64 {
        soil.k_c / self.width + soil.k_phi
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_worked_figures_of_the_m113() {
        // Computed independently with scipy for W = 11342.86 x 9.81 N, b = 0.3791 m, L = 2.667 m on
        // Project Chrono's `mid` soil; GRAVITY is 9.81 or 9.80665.
        let tracks =
            RigidTracks { weight: 11342.86 * 9.81, width: 0.3791, length: 2.667, gauge: 2.159 };
        let soil = DeformableSoil {
            k_phi: 2e6,
            k_c: 0.0,
            n: 1.1,
            cohesion: 0.0,
            friction_angle: 30f64.to_radians(),
            shear_modulus: 0.01,
            elastic_stiffness: 2e8,
            damping: 0.0,
            bulldozing: None,
            details: Default::default(),
        };
        let close = |value: f64, worked: f64| {
            // the reference values have five digits
            assert!((value / worked - 1.0).abs() < 2e-5, "{value}, not {worked}");
        };
        close(tracks.pressure(), 55028.13);
        close(tracks.sinkage(&soil), 0.038143);
        close(tracks.resistance(&soil), 757.81);
        close(tracks.thrust(&soil, 0.02), 52258.0);
        close(tracks.thrust(&soil, 0.2), 63039.0);
        for slip in [-0.3, -0.02, -1e-13] {
            assert_eq!(tracks.thrust(&soil, slip), -tracks.thrust(&soil, -slip));
        }
        close(tracks.max_slope(&soil).to_degrees(), 30.0);
        close(tracks.turning_moment(0.5 * tracks.weight), 37096.0);
        // independent quadrature: 0.887 of the moment with purely lateral friction
        close(tracks.pivoting_moment(0.5 * tracks.weight), 32910.55);
    }

    /// On clay without friction only the area counts: c A L/4 laterally, 2 x 0.381 m x 3 m x 30 kPa x
    /// 3 m / 4 = 51.4 kN m for these tracks, however heavy they are.
    #[test]
    fn cohesion_alone_resists_a_pivot() {
        let clay = |cohesion: f64, friction_deg: f64| DeformableSoil {
            k_phi: 2e6,
            k_c: 0.0,
            n: 0.5,
            cohesion,
            friction_angle: friction_deg.to_radians(),
            shear_modulus: 0.01,
            elastic_stiffness: 2e8,
            damping: 0.0,
            bulldozing: None,
            details: Default::default(),
        };
        let at = |weight: f64| RigidTracks { weight, width: 0.381, length: 3.0, gauge: 2.16 };
        let lateral = |weight: f64, soil: &DeformableSoil| {
            at(weight).turning_moment(at(weight).shear_strength(soil))
        };
        let soil = clay(30e3, 0.0);
        assert!((lateral(1e5, &soil) / 51_435.0 - 1.0).abs() < 1e-12);
        assert_eq!(lateral(1e5, &soil), lateral(2e5, &soil));
        // both parts add: they slide in the same direction
        let pivoting = |soil: &DeformableSoil| {
            let tracks = at(1e5);
            tracks.pivoting_moment(tracks.shear_strength(soil))
        };
        let sum = pivoting(&soil) + pivoting(&clay(0.0, 20.0));
        assert!((pivoting(&clay(30e3, 20.0)) / sum - 1.0).abs() < 1e-12);
        assert!(
            pivoting(&soil) < lateral(1e5, &soil) && pivoting(&soil) > 0.8 * lateral(1e5, &soil)
        );
    }
}
