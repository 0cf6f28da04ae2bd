//! Work of a vehicle's driveline, brakes and soil.

use bekker_ground::scm::Contact;

/// Work of driveline, brakes and soil over a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct DriveWork {
    /// Work that engine and converter put into the driveline, J; below 0 where they brake.
    pub engine: f64,
    /// Energy that the driveline put into wheels or sprockets, J.
    pub driving: f64,
    /// Energy that brakes and the turned engine took from them, J.
    pub braking: f64,
    /// Work that sank the soil for good, J.
    pub compaction: f64,
    /// Work that sheared the soil, J.
    pub shear: f64,
}

impl DriveWork {
    /// Adds what a torque does to a shaft, J: positive drives, negative brakes.
    pub(super) fn add(&mut self, work: f64) {
        self.driving += work.max(0.0);
        self.braking += (-work).max(0.0);
    }

    /// Adds what the ground under a wheel or shoe took over `h` seconds.
    pub(super) fn add_ground(&mut self, contact: &Contact, h: f64) {
        self.compaction += contact.works.compaction;
        self.shear += contact.works.shear * h;
    }
}
