//! Work of a vehicle's driveline, brakes and soil.

use bekker_ground::scm::Contact;

/// Work of driveline, brakes and soil over a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct DriveWork {
    /// Work of engine and converter on the driveline, J; negative when they brake.
    pub engine: f64,
    /// Energy from the driveline into wheels or sprockets, J.
    pub driving: f64,
    /// Energy that brakes and engine drag take from wheels or sprockets, J.
    pub braking: f64,
    /// Work of plastic soil compaction, J.
    pub compaction: f64,
    /// Work of shearing the soil, J.
    pub shear: f64,
}

impl DriveWork {
    /// Adds the work on a shaft, J: positive drives, negative brakes.
    pub(super) fn add(&mut self, work: f64) {
        self.driving += work.max(0.0);
        self.braking += (-work).max(0.0);
    }

    /// Adds the work on the ground under a wheel or shoe over `h` s.
    pub(super) fn add_ground(&mut self, contact: &Contact, h: f64) {
        self.compaction += contact.works.compaction;
        self.shear += contact.works.shear * h;
    }
}
