//! The ground as one vehicle meets it in a step.

use super::apart::Aside;
use bekker_ground::scm::{Displaced, Scratch, WorkingGround, heap};
use bekker_ground::{GroundModel, Overlay, Published, way_out, working_surface_height};
use bekker_math::spatial::{Twist, Vec3};

/// The ground that a mover meets: what all share, its own overlay on it, and room
/// to work in.
#[derive(Debug)]
pub struct ContactContext<'a> {
    /// The ground before anything drove on it.
    pub ground: &'a GroundModel,
    /// The ground as all share it.
    pub published: &'a Published,
    /// The agent's own changes.
    pub overlay: &'a mut Overlay,
    /// Room to work in.
    pub scratch: &'a mut Scratch,
    /// Whether the ground holds what slides on it; else it is only pressed.
    pub grips: bool,
    /// Room for a second thread, where one has nothing else to do.
    pub aside: Option<&'a mut Aside>,
}

/// Depth from which it is looked for a shorter way out of the ground than up, m: deeper than hulls
/// press into ground that does not rise like a wall.
const DEEP: f64 = 0.1;

impl ContactContext<'_> {
    /// The ground as the contact of one body works on it.
    pub(super) fn working(&mut self) -> WorkingGround<'_> {
        let ContactContext { ground: model, published, overlay, scratch, .. } = self;
        WorkingGround { model, published, overlay, scratch }
    }

    /// Lets what bodies have displaced rise around them, once all have met the ground.
    pub fn heap(&mut self, displaced: impl IntoIterator<Item = Displaced>) {
        heap(&mut self.working(), displaced);
    }

    /// Normal and depth, m, by which a point of a body about `middle` comes out of the ground.
    pub(super) fn way_out(&self, up: (Vec3, f64), point: &Vec3, middle: &Vec3) -> (Vec3, f64) {
        let ContactContext { ground, published, overlay, .. } = self;
        let height = |x, y| working_surface_height(ground, published, overlay, x, y);
        way_out(up, DEEP, point, middle, ground.lattice().spacing, height)
    }

    /// The motion that the ground feels of a plate that it meets at `place`.
    pub(super) fn felt(&self, twist: Twist, place: &Vec3) -> Twist {
        if self.grips {
            return twist;
        }
        let normal = self.ground.terrain().normal(place.x, place.y);
        Twist {
            linear: normal * twist.linear.dot(&normal),
            angular: twist.angular - normal * twist.angular.dot(&normal),
        }
    }

    /// The same of a wheel, whose underside slides when it turns.
    pub(super) fn felt_of_wheel(&self, twist: Twist, place: &Vec3) -> Twist {
        if self.grips {
            return twist;
        }
        Twist { angular: Vec3::zeros(), ..self.felt(twist, place) }
    }
}
