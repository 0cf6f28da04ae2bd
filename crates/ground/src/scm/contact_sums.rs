//! Sums over the nodes of a contact.

use super::contact_result::Contact;
use super::contact_work::WorkLanes;
use super::footprint::Footprint;
use super::moments::{MomentLanes, Moments, tangent};
use super::stiff::StiffTangents;
use super::vector_lanes::VectorLanes;
use bekker_math::numeric::{Lanes, Simd};
use bekker_math::spatial::{Vec3, Wrench};

/// Sums over the nodes of a contact, in lanes.
pub(super) struct ContactSums<S: Simd> {
    force: VectorLanes<S>,
    torque: VectorLanes<S>,
    /// Torque from the arms of the spin of a flexible body.
    spin: VectorLanes<S>,
    /// Normals weighted by the pressure force.
    pub mean_normal: VectorLanes<S>,
    /// Force along the initial normals, N.
    pub normal_force: Lanes<S>,
    /// Area in contact, m².
    pub area: Lanes<S>,
    /// Greatest depth below the undisturbed ground, m.
    pub sinkage: Lanes<S>,
    /// Distribution of the body's power.
    pub works: WorkLanes<S>,
    /// Stiffness along the mean normal, N/m.
    pub spring: MomentLanes<S>,
    /// Damping along it, N s/m.
    pub damper: MomentLanes<S>,
    /// Damping across it, N s/m.
    pub shear: MomentLanes<S>,
    /// Stiffness across it, N/m.
    pub held: MomentLanes<S>,
    /// Tangents that are too stiff for these moments.
    pub stiff: StiffTangents,
    /// Volume that heaps up, m³.
    pub heaped: f64,
}

impl<S: Simd> ContactSums<S> {
    #[inline(always)]
    pub fn new(simd: S) -> ContactSums<S> {
        let (zero, moments) = (Lanes::zero(simd), MomentLanes::new(simd));
        let vectors = VectorLanes { x: zero, y: zero, z: zero };
        ContactSums {
            force: vectors,
            torque: vectors,
            spin: vectors,
            mean_normal: vectors,
            normal_force: zero,
            area: zero,
            sinkage: zero,
            works: WorkLanes::new(simd),
            spring: moments,
            damper: moments,
            shear: moments,
            held: moments,
            stiff: StiffTangents::none(),
            heaped: 0.0,
        }
    }

    /// Adds forces at the offsets `r` from the body's center.
    #[inline(always)]
    pub fn add_force(&mut self, force: &VectorLanes<S>, r: &VectorLanes<S>) {
        self.force += *force;
        self.torque += r.cross(force);
    }

    /// Adds the torque of forces at the arms `arm` of a flexible body's spin.
    #[inline(always)]
    pub fn add_spin(&mut self, force: &VectorLanes<S>, arm: &VectorLanes<S>) {
        self.spin += arm.cross(force);
    }

    /// Fills `result`; returns the mean normal and the moments of the stiffness across it.
    #[inline(always)]
    pub fn write_to<F: Footprint>(&self, body: &F, result: &mut Contact) -> (Vec3, Moments) {
        let spin_axis = body.spin_axis();
        let mut torque = self.torque.sum();
        // pressure normal to a belt acts along its moving shape and exerts no torque about the axis
        if let Some(axis) = spin_axis.filter(|_| F::DEFORMS) {
            torque += axis * axis.dot(&(self.spin.sum() - torque));
        }
        result.load.wrench = Wrench { force: self.force.sum(), torque };
        result.normal_force = self.normal_force.sum();
        result.area = self.area.sum();
        result.sinkage = self.sinkage.max_lane();
        result.works = self.works.sum();
        let mean_normal = self.mean_normal.sum();
        let length = mean_normal.norm();
        let n = if length > 0.0 { mean_normal / length } else { Vec3::z() };
        let [spring, damper, shear] =
            [self.spring.summed(), self.damper.summed(), self.shear.summed()];
        tangent(&mut result.load, &n, &spring, &damper, &shear, spin_axis);
        if self.stiff.any {
            result.load.damping += self.stiff.damping;
        }
        (n, self.held.summed())
    }
}
