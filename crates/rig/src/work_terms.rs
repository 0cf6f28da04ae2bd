//! Energy balance of a rig: the work of the body on the soil and its dissipation.

use bekker_ground::scm::{Contact, ContactWork};
use bekker_math::spatial::Twist;
use serde::{Deserialize, Serialize};

/// Work terms of a rig: energies, J, or, divided by a distance, resistances, N.
///
/// The input is the power -F·v - M·ω of the wrench on the body, summed over the run. The other
/// terms are computed on the soil's side ([`ContactWork`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkTerms {
    /// Work of the axle, the drawbar and the guide.
    pub input: f64,
    /// Work of plastic sinkage.
    pub compaction: f64,
    /// Growth of the elastic energy in the soil under the body since the beginning.
    pub elastic: f64,
    /// Work dissipated by the soil's damping.
    pub damping: f64,
    /// Work of shear.
    pub shear: f64,
    /// Work on soil pushed ahead or aside.
    pub bulldozing: f64,
    /// Work of the pressure on a rim that moves down through it, where the pressure does not act
    /// along the surface.
    pub spin: f64,
}

impl WorkTerms {
    /// Adds a step of `dt` s with the body at `twist`; `stored` is the elastic energy of the
    /// previous step, J.
    pub(super) fn add(&mut self, contact: &Contact, twist: &Twist, stored: f64, dt: f64) {
        let wrench = &contact.load.wrench;
        let power = wrench.force.dot(&twist.linear) + wrench.torque.dot(&twist.angular);
        let ContactWork { compaction, elastic, damping, shear, bulldozing, spin } = contact.works;
        self.input -= power * dt;
        self.compaction += compaction;
        self.elastic += elastic - stored;
        self.damping += damping * dt;
        self.shear += shear * dt;
        self.bulldozing += bulldozing * dt;
        self.spin += spin * dt;
    }

    /// Returns the sum of all terms on the soil's side.
    pub fn total(&self) -> f64 {
        self.compaction + self.elastic + self.damping + self.shear + self.bulldozing + self.spin
    }

    /// Returns the terms divided by a distance, m.
    pub(super) fn per_distance(&self, distance: f64) -> WorkTerms {
        WorkTerms {
            input: self.input / distance,
            compaction: self.compaction / distance,
            elastic: self.elastic / distance,
            damping: self.damping / distance,
            shear: self.shear / distance,
            bulldozing: self.bulldozing / distance,
            spin: self.spin / distance,
        }
    }
}
