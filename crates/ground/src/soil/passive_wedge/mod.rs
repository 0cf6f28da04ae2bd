//! Soil in front of a wheel or plate that fails along a plane under passive pressure.

use super::DeformableSoil;
use bekker_math::numeric::{Lanes, Simd, cos, sin, tan};
use std::f64::consts::FRAC_PI_2;

/// Passive resistance of soil to an upright face that advances into it.
///
/// Per unit of the face's width it is γ (a z² + b z³/w) + c (e z + f z²/w) for a depth z and a
/// width w, m. The wedge has a flat failure plane and crescents at both ends (E. McKyes and O. S.
/// Ali, *The cutting of soil by narrow blades*, J. Terramech. 14, 1977). The friction on the face
/// is two thirds of that in the soil. For a wide smooth face it is Rankine's ½ γ N z² + 2 c √N z.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PassiveWedge {
    /// γ a, N/m³.
    weight: f64,
    /// γ b, N/m³.
    weight_ends: f64,
    /// c e, Pa.
    cohesion: f64,
    /// c f, Pa.
    cohesion_ends: f64,
    /// Coefficient of friction between face and wedge.
    face_friction: f64,
    /// Speed at which the wedge rises over that at which the face advances.
    rise: f64,
}

impl PassiveWedge {
    /// Returns the wedge of a soil under `gravity`, m/s²; without a density, that of its cohesion
    /// alone. With `heap`, the soil that is pushed ahead rests on the wedge.
    pub fn from_soil(soil: &DeformableSoil, heap: bool, gravity: f64) -> PassiveWedge {
        let gamma = soil.details.density.unwrap_or(0.0) * gravity;
        let phi = soil.friction_angle;
        PassiveWedge::new(gamma, soil.cohesion, phi, phi * 2.0 / 3.0, if heap { phi } else { 0.0 })
    }

    /// Creates a wedge of weight `gamma` N/m³, `cohesion` Pa, internal friction `phi` and friction
    /// `delta` on the face, rad.
    ///
    /// A heap falls from the face at the angle `repose`, rad, to the edge of the wedge, and its
    /// weight is added (M. Hegedus, *A simplified method for the determination of bulldozing
    /// resistance*, Land Locomotion Laboratory, 1960; used by G. Ishigami, J. Field Robotics 24,
    /// 2007, with `phi` for `repose`). The failure plane is that of least resistance for a face
    /// twice as wide as deep.
    pub fn new(gamma: f64, cohesion: f64, phi: f64, delta: f64, repose: f64) -> PassiveWedge {
        let at = |beta: f64| {
            let cot = 1.0 / tan(beta);
            let under = 1.0 / tan(beta + phi);
            let share = cos(delta) / (cos(delta) * under - sin(delta));
            // heap and wedge have the same base, also in the crescents, and both taper to its edge
            let wedge = 0.5 * cot * share * (1.0 + cot * tan(repose));
            let stick = (1.0 + cot * under) * share;
            [wedge, wedge * cot * 2.0 / 3.0, stick, stick * cot, tan(beta)]
        };
        // the plane is steeper than 5° and flatter than the angle at which the face locks
        let steepest = FRAC_PI_2 - phi - delta;
        let planes = (1..200).map(|i| at(0.087 + (steepest - 0.087) * f64::from(i) / 200.0));
        let best = planes
            .filter(|k| k[0] > 0.0)
            .min_by(|p, q| (p[0] + 0.5 * p[1]).total_cmp(&(q[0] + 0.5 * q[1])));
        let [a, b, e, f, rise] = best.unwrap_or_default();
        PassiveWedge {
            weight: gamma * a,
            weight_ends: gamma * b,
            cohesion: cohesion * e,
            cohesion_ends: cohesion * f,
            face_friction: tan(delta),
            rise,
        }
    }

    /// Returns the coefficient of friction between face and wedge.
    pub fn friction_coefficient(&self) -> f64 {
        self.face_friction
    }

    /// Returns the friction of the wedge on an upright face over the pressure there: along the
    /// face and upward.
    ///
    /// The face moves into the soil at the speed `into`, along itself at `along` and upward at
    /// `climb`, m/s. The wedge rises along its failure plane. Friction opposes the sliding of the
    /// face on the wedge, so it is upward only where a face advances without moving along itself
    /// or rising faster than the wedge.
    #[inline(always)]
    pub fn face_friction<S: Simd>(
        &self,
        into: Lanes<S>,
        along: Lanes<S>,
        climb: Lanes<S>,
    ) -> [Lanes<S>; 2] {
        let rising = into * self.rise - climb;
        // a face at rest has no direction of sliding
        let speed = (rising * rising + along * along).sqrt().max(1e-9);
        [-along / speed * self.face_friction, rising / speed * self.face_friction]
    }

    /// Returns the force on a face from the surface to `depth` m, per meter of its `width` m, N/m.
    #[inline(always)]
    pub fn force<S: Simd>(&self, depth: Lanes<S>, width: f64) -> Lanes<S> {
        let (cohesion_ends, weight_ends) = (self.cohesion_ends / width, self.weight_ends / width);
        depth
            * (self.cohesion + depth * cohesion_ends + depth * (self.weight + depth * weight_ends))
    }

    /// Returns the force on a face `height` m high whose lower edge is `depth` m deep, per meter of
    /// its `width` m, N/m, and the height above that edge at which it acts, m. Only the part below
    /// the surface carries pressure.
    pub fn on_face(&self, depth: f64, height: f64, width: f64) -> [f64; 2] {
        let linear = self.cohesion_ends / width + self.weight;
        let squared = self.weight_ends / width;
        let force = |z: f64| z * (self.cohesion + z * (linear + z * squared));
        // moment of the pressure about the surface
        let moment =
            |z: f64| z * z * (self.cohesion / 2.0 + z * (linear * 2.0 / 3.0 + z * squared * 0.75));
        let top = (depth - height).max(0.0);
        let whole = force(depth) - force(top);
        let above = if whole > 0.0 { depth - (moment(depth) - moment(top)) / whole } else { 0.0 };
        [whole, above]
    }

    /// Returns the pressure at `depth` m, Pa: the derivative of the force.
    #[inline(always)]
    pub fn pressure<S: Simd>(&self, depth: Lanes<S>, width: f64) -> Lanes<S> {
        let (cohesion_ends, weight_ends) = (self.cohesion_ends / width, self.weight_ends / width);
        self.cohesion
            + depth * (2.0 * cohesion_ends)
            + depth * (2.0 * self.weight + depth * (3.0 * weight_ends))
    }
}

#[cfg(test)]
mod tests;
