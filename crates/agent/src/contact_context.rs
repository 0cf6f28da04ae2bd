//! Ground as the contact of one vehicle uses it in a step.

use super::parallel_contact::SecondThreadScratch;
use bekker_ground::scm::{DisplacedSoil, Scratch, WorkingGround, heap};
use bekker_ground::{
    GroundExit, GroundModel, Overlay, SharedGround, ground_exit, working_surface_height,
};
use bekker_math::spatial::{Twist, Vec3};

/// Ground in contact with a vehicle: the shared ground, the vehicle's overlay on it, and scratch.
#[derive(Debug)]
pub struct ContactContext<'a> {
    /// Undisturbed ground.
    pub ground: &'a GroundModel,
    /// Ground changes published by all agents.
    pub published: &'a SharedGround,
    /// Changes by this agent.
    pub overlay: &'a mut Overlay,
    /// Scratch of the contact models.
    pub scratch: &'a mut Scratch,
    /// Whether the ground resists sliding; if false, it only carries normal loads.
    pub grips: bool,
    /// Scratch of a second thread, if one is idle.
    pub second_scratch: Option<&'a mut SecondThreadScratch>,
}

/// Depth, m, from which a shorter way out of the ground than upward is searched.
///
/// Larger than the penetration of hulls into ground that is not a wall.
const WALL_SEARCH_DEPTH: f64 = 0.1;

impl ContactContext<'_> {
    /// Returns the ground in the form that the contact models take.
    pub(super) fn working(&mut self) -> WorkingGround<'_> {
        let ContactContext { ground: model, published, overlay, scratch, .. } = self;
        WorkingGround { model, published, overlay, scratch }
    }

    /// Heaps up displaced soil around the bodies, after the contact of all bodies is evaluated.
    pub fn heap(&mut self, displaced: impl IntoIterator<Item = DisplacedSoil>) {
        heap(&mut self.working(), displaced);
    }

    /// Returns how a point of a body around `middle` is pushed out of the ground.
    pub(super) fn push_out(&self, up: GroundExit, point: &Vec3, middle: &Vec3) -> GroundExit {
        let ContactContext { ground, published, overlay, .. } = self;
        let height = |x, y| working_surface_height(ground, published, overlay, x, y);
        ground_exit(up, WALL_SEARCH_DEPTH, point, middle, ground.lattice().spacing, height)
    }

    /// Returns the twist that contact uses for a plate at `place`.
    ///
    /// Without grip, sliding along the ground and spin about its normal are removed.
    pub(super) fn contact_twist(&self, twist: Twist, place: &Vec3) -> Twist {
        if self.grips {
            return twist;
        }
        let normal = self.ground.terrain().normal(place.x, place.y);
        Twist {
            linear: normal * twist.linear.dot(&normal),
            angular: twist.angular - normal * twist.angular.dot(&normal),
        }
    }

    /// Returns the twist that contact uses for a wheel at `place`.
    ///
    /// Without grip, its whole rotation is removed, because a wheel that turns slides at its
    /// underside.
    pub(super) fn wheel_contact_twist(&self, twist: Twist, place: &Vec3) -> Twist {
        if self.grips {
            return twist;
        }
        Twist { angular: Vec3::zeros(), ..self.contact_twist(twist, place) }
    }
}
