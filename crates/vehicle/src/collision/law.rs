//! Contact force between two bodies.
//!
//! Along the normal acts a Hunt-Crossley force `F = k x (1 + c v)` for a depth `x` that grows at
//! the rate `v` (K. H. Hunt and F. R. E. Crossley, Coefficient of restitution interpreted as
//! damping in vibroimpact, J. Applied Mechanics 42, 1975). It is continuous at first contact and at
//! separation, and it never pulls. Here `c = β / (v_s + |v|)`. With a constant `c` the restitution
//! would fall with the impact speed. With this `c` it is `sqrt((1 - β) / (1 + β))` at every speed
//! far above `v_s`, and slow pushing is damped. In the tangential direction Coulomb friction acts.

use bekker_math::spatial::{Load, Vec3};

/// Sliding speed below which friction is proportional to the speed, m/s.
const SLIDING: f64 = 1e-2;

/// A point at which two bodies overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContact {
    /// Contact point, world frame, m.
    pub point: Vec3,
    /// Unit normal out of the second body, towards the first.
    pub normal: Vec3,
    /// Depth of the overlap, m; above 0.
    pub depth: f64,
    /// Stiffness, N/m.
    pub stiffness: f64,
}

/// Contact law of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaw {
    /// Stiffness per length of edge, N/m².
    pub stiffness: f64,
    /// Share of the force that damping adds or removes, 0 to 1: β in the law.
    pub damping: f64,
    /// Speed at which damping has half of its effect, m/s: v_s in the law.
    pub damping_speed: f64,
    /// Coefficient of friction.
    pub friction: f64,
}

impl ContactLaw {
    /// Law for hulls, among themselves and against walls; assumed.
    ///
    /// A few meters of edge have the 1 MN/m or more at which the front of a car is crushed. The
    /// restitution is 0.5.
    pub const HULL: ContactLaw =
        ContactLaw { stiffness: 5e5, damping: 0.6, damping_speed: 0.05, friction: 0.4 };
    /// Law for tires against walls and rocks; assumed. A point of a rim represents 0.3 m of edge.
    pub const RUBBER: ContactLaw = ContactLaw { stiffness: 1e6, friction: 0.8, ..ContactLaw::HULL };

    /// Returns the force on the first body.
    ///
    /// `velocity` is the velocity of its contact point relative to the second body's, m/s.
    pub fn contact_force(&self, contact: &BodyContact, velocity: &Vec3) -> ContactForce {
        let BodyContact { normal, depth, stiffness, .. } = *contact;
        let leaving = velocity.dot(&normal);
        let scale = self.damping_speed + leaving.abs();
        let elastic = stiffness * depth;
        let force = elastic * (1.0 - self.damping * leaving / scale);
        let sliding = velocity - normal * leaving;
        let drag = self.friction * force / sliding.norm().max(SLIDING);
        ContactForce {
            force: normal * force - sliding * drag,
            normal_force: force,
            stiffness: force / depth,
            damping: elastic * self.damping * self.damping_speed / (scale * scale),
            drag,
        }
    }
}

impl ContactLaw {
    /// Returns the force of an obstacle that resists with this force, N, and stiffness, N/m.
    ///
    /// The force is reduced while the body leaves the obstacle.
    pub fn obstacle_force(
        &self,
        force: f64,
        stiffness: f64,
        normal: &Vec3,
        velocity: &Vec3,
    ) -> ContactForce {
        let leaving = velocity.dot(normal);
        let scale = self.damping_speed + leaving.abs();
        let lost = if stiffness > 0.0 { self.damping * leaving.max(0.0) / scale } else { 0.0 };
        let damping = if stiffness > 0.0 && leaving > 0.0 {
            force * self.damping * self.damping_speed / (scale * scale)
        } else {
            0.0
        };
        let normal_force = force * (1.0 - lost);
        let sliding = velocity - normal * leaving;
        let drag = self.friction * normal_force / sliding.norm().max(SLIDING);
        let force = normal * normal_force - sliding * drag;
        ContactForce { force, normal_force, stiffness, damping, drag }
    }
}

/// Contact force on the first of two bodies, with its tangents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// Force, N.
    pub force: Vec3,
    /// Normal component, N.
    pub normal_force: f64,
    /// Normal stiffness, N/m.
    pub stiffness: f64,
    /// Normal damping, N s/m.
    pub damping: f64,
    /// Tangential damping, N s/m.
    pub drag: f64,
}

impl ContactForce {
    /// Adds the force to the load of a body about a point from which the contact is at `r`.
    pub fn add_to(&self, load: &mut Load, normal: &Vec3, r: &Vec3) {
        load.wrench.add_force(&self.force, r);
        load.add_tangent(normal, r, self.stiffness, self.damping);
        for along in tangents(normal) {
            load.add_tangent(&along, r, 0.0, self.drag);
        }
    }
}

/// Two unit vectors that are normal to `normal` and to each other.
pub(super) fn tangents(normal: &Vec3) -> [Vec3; 2] {
    let aside = if normal.y.abs() < 0.8 { Vec3::y() } else { Vec3::x() };
    let first = normal.cross(&aside).normalize();
    [first, normal.cross(&first)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Speed after over speed before the impact of a mass on a wall, stepped finely.
    fn restitution(speed: f64) -> f64 {
        let law = ContactLaw::HULL;
        let (mass, h) = (1000.0, 1e-5);
        let (mut depth, mut closing) = (1e-9, speed);
        while depth > 0.0 {
            let stiffness = 1e6;
            let contact = BodyContact { point: Vec3::zeros(), normal: Vec3::x(), depth, stiffness };
            let push = law.contact_force(&contact, &Vec3::new(-closing, 0.0, 0.0));
            assert!(push.normal_force >= 0.0);
            closing -= h * push.force.x / mass;
            depth += h * closing;
        }
        -closing / speed
    }

    #[test]
    fn restitution_is_the_same_at_any_speed() {
        // sqrt(0.4 / 1.6) = 0.5. Below v_s = 0.05 m/s damping has less than its full share, which
        // is a twentieth of the time at 1 m/s.
        for (speed, within) in [(1.0, 0.08), (5.0, 0.03), (30.0, 0.01)] {
            let found = restitution(speed);
            assert!((found - 0.5).abs() < within, "{speed} m/s: {found}");
        }
    }

    #[test]
    fn friction_opposes_sliding_and_fades_out() {
        let contact =
            BodyContact { point: Vec3::zeros(), normal: Vec3::z(), depth: 0.01, stiffness: 1e6 };
        let slides = ContactLaw::HULL.contact_force(&contact, &Vec3::new(3.0, 4.0, 0.0)).force;
        assert!((slides - Vec3::new(-2400.0, -3200.0, 10_000.0)).norm() < 1e-6, "{slides}");
        let creeps = ContactLaw::HULL.contact_force(&contact, &Vec3::new(1e-5, 0.0, 0.0)).force;
        assert!((creeps.x + 4.0).abs() < 1e-9);
    }
}
