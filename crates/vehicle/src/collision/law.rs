//! How bodies that touch push each other.
//!
//! Along the normal a Hunt-Crossley force `F = k x (1 + c v)` for a depth `x` that grows at
//! the rate `v` (K. H. Hunt and F. R. E. Crossley, Coefficient of restitution interpreted as
//! damping in vibroimpact, J. Applied Mechanics 42, 1975): continuous where bodies meet and
//! part, and it never pulls. Here `c = β / (v_s + |v|)`: with a constant `c` the restitution
//! would fall with the speed of an impact, with this it is `sqrt((1 - β) / (1 + β))` at every
//! speed far above `v_s`, and what pushes slowly is damped. Across it Coulomb friction.

use bekker_math::spatial::{Load, Vec3};

/// Below this speed, m/s, friction fades out in proportion to the speed.
const SLIDING: f64 = 1e-2;

/// A place where two bodies overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContact {
    /// Where, in the world, m.
    pub point: Vec3,
    /// Out of the second body, towards the first.
    pub normal: Vec3,
    /// How deep, m; above 0.
    pub depth: f64,
    /// Stiffness, N/m.
    pub stiffness: f64,
}

/// Law of the contact of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaw {
    /// Stiffness of a metre of edge, N/m².
    pub stiffness: f64,
    /// Share of the force that damping adds or takes, 0 to 1: β above.
    pub damping: f64,
    /// Speed, m/s, from which it adds half of that: v_s above.
    pub damping_speed: f64,
    /// Coefficient of friction.
    pub friction: f64,
}

impl ContactLaw {
    /// Of hulls, among themselves and against walls: assumed. Some metres of edge make the
    /// 1 MN/m and more that a car's front is crushed by; restitution is 0.5.
    pub const HULL: ContactLaw =
        ContactLaw { stiffness: 5e5, damping: 0.6, damping_speed: 0.05, friction: 0.4 };
    /// Of tyres against walls and rocks: assumed; a point of a rim stands for 0.3 m.
    pub const RUBBER: ContactLaw = ContactLaw { stiffness: 1e6, friction: 0.8, ..ContactLaw::HULL };

    /// What a contact does to the first body whose point there moves at `velocity`, m/s,
    /// against the second's.
    pub fn push(&self, contact: &BodyContact, velocity: &Vec3) -> Push {
        let BodyContact { normal, depth, stiffness, .. } = *contact;
        let leaving = velocity.dot(&normal);
        let scale = self.damping_speed + leaving.abs();
        let elastic = stiffness * depth;
        let force = elastic * (1.0 - self.damping * leaving / scale);
        let sliding = velocity - normal * leaving;
        let drag = self.friction * force / sliding.norm().max(SLIDING);
        Push {
            force: normal * force - sliding * drag,
            normal_force: force,
            stiffness: force / depth,
            damping: elastic * self.damping * self.damping_speed / (scale * scale),
            drag,
        }
    }
}

impl ContactLaw {
    /// What something does that answers a push with this force, N, and grows by this stiffness,
    /// N/m: less where the body leaves it.
    pub fn push_of(&self, force: f64, stiffness: f64, normal: &Vec3, velocity: &Vec3) -> Push {
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
        Push { force, normal_force, stiffness, damping, drag }
    }
}

/// What a contact does to the first of its bodies, with its tangents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// Force, N.
    pub force: Vec3,
    /// Its part along the normal, N.
    pub normal_force: f64,
    /// Along the normal, N/m.
    pub stiffness: f64,
    /// Along the normal, N s/m.
    pub damping: f64,
    /// Across it, N s/m.
    pub drag: f64,
}

impl Push {
    /// Adds it to the load of a body about a point from which the contact lies at `r`.
    pub fn add_to(&self, load: &mut Load, normal: &Vec3, r: &Vec3) {
        load.wrench.add_force(&self.force, r);
        load.add_tangent(normal, r, self.stiffness, self.damping);
        for along in across(normal) {
            load.add_tangent(&along, r, 0.0, self.drag);
        }
    }
}

/// Two directions across a normal.
pub(super) fn across(normal: &Vec3) -> [Vec3; 2] {
    let aside = if normal.y.abs() < 0.8 { Vec3::y() } else { Vec3::x() };
    let first = normal.cross(&aside).normalize();
    [first, normal.cross(&first)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mass on a wall, stepped finely: speed after over speed before.
    fn restitution(speed: f64) -> f64 {
        let law = ContactLaw::HULL;
        let (mass, h) = (1000.0, 1e-5);
        let (mut depth, mut closing) = (1e-9, speed);
        while depth > 0.0 {
            let stiffness = 1e6;
            let contact = BodyContact { point: Vec3::zeros(), normal: Vec3::x(), depth, stiffness };
            let push = law.push(&contact, &Vec3::new(-closing, 0.0, 0.0));
            assert!(push.normal_force >= 0.0);
            closing -= h * push.force.x / mass;
            depth += h * closing;
        }
        -closing / speed
    }

    #[test]
    fn restitution_is_the_same_at_any_speed() {
        // sqrt(0.4 / 1.6) = 0.5; with v_s of 0.05 m/s damping has less than its full share where
        // the bodies are slow, for a twentieth of the time at 1 m/s
        for (speed, within) in [(1.0, 0.08), (5.0, 0.03), (30.0, 0.01)] {
            let found = restitution(speed);
            assert!((found - 0.5).abs() < within, "{speed} m/s: {found}");
        }
    }

    #[test]
    fn friction_opposes_sliding_and_fades_out() {
        let contact =
            BodyContact { point: Vec3::zeros(), normal: Vec3::z(), depth: 0.01, stiffness: 1e6 };
        let slides = ContactLaw::HULL.push(&contact, &Vec3::new(3.0, 4.0, 0.0)).force;
        assert!((slides - Vec3::new(-2400.0, -3200.0, 10_000.0)).norm() < 1e-6, "{slides}");
        let creeps = ContactLaw::HULL.push(&contact, &Vec3::new(1e-5, 0.0, 0.0)).force;
        assert!((creeps.x + 4.0).abs() < 1e-9);
    }
}
