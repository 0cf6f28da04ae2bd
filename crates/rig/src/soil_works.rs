//! Where the work goes that a rig puts into the soil.

use bekker_ground::scm::{Contact, Works};
use bekker_math::spatial::Twist;
use serde::{Deserialize, Serialize};

/// Works in a rig: energies, J, or, over a distance, resistances, N.
///
/// What is put in is the power -F·v - M·ω of the wrench on the body, summed over
/// the run; what is taken is found from the soil's side ([`Works`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SoilWorks {
    /// Put in at the axle, the drawbar and the guide.
    pub input: f64,
    /// Sank the soil for good.
    pub compaction: f64,
    /// Stored in the soil under the body, more than at the beginning.
    pub elastic: f64,
    /// Taken by the soil's damping.
    pub damping: f64,
    /// Taken by shear.
    pub shear: f64,
    /// Taken by soil that is pushed ahead or aside.
    pub bulldozing: f64,
    /// Taken by pressure from a rim that goes down through it, where pressure
    /// does not act along the surface.
    pub spin: f64,
}

impl SoilWorks {
    /// Adds a step of `dt` s at the motion `twist`; `stored` is the elastic energy
    /// of the step before, J.
    pub(super) fn add(&mut self, contact: &Contact, twist: &Twist, stored: f64, dt: f64) {
        let wrench = &contact.load.wrench;
        let power = wrench.force.dot(&twist.linear) + wrench.torque.dot(&twist.angular);
        let Works { compaction, elastic, damping, shear, bulldozing, spin } = contact.works;
        self.input -= power * dt;
        self.compaction += compaction;
        self.elastic += elastic - stored;
        self.damping += damping * dt;
        self.shear += shear * dt;
        self.bulldozing += bulldozing * dt;
        self.spin += spin * dt;
    }

    /// All that the soil takes.
    pub fn taken(&self) -> f64 {
        self.compaction + self.elastic + self.damping + self.shear + self.bulldozing + self.spin
    }

    /// The same over a distance, m.
    pub(super) fn per(&self, distance: f64) -> SoilWorks {
        SoilWorks {
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
