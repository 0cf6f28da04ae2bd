//! Derived data of a tracked vehicle: loads and torques of the last step.

use super::shoes::BeltNodeLoad;
use crate::multibody::MultibodyWorkspace;
use crate::wheeled::WheelDrive;
use bekker_math::spatial::Load;

/// Derived data of a tracked vehicle, never saved.
#[derive(Clone, Debug)]
pub struct TrackedWorkspace {
    pub(super) body: MultibodyWorkspace,
    /// Loads of the bands' sections on the seats before and after them, left and right.
    pub(super) seats: [Vec<[BeltNodeLoad; 2]>; 2],
    /// Loads of the road wheels on the shoes, left and right, N.
    pub(super) rims: [Vec<f64>; 2],
    /// Torques of driveline and brakes on the sprockets in the last step.
    pub(super) drives: [WheelDrive; 2],
    /// Work of engine and converter in the last step, J.
    pub(super) engine_work: f64,
}

impl TrackedWorkspace {
    /// Returns the workspace of the multibody model.
    pub fn bodies(&self) -> &MultibodyWorkspace {
        &self.body
    }

    /// Returns the workspace of the multibody model for modification.
    pub fn bodies_mut(&mut self) -> &mut MultibodyWorkspace {
        &mut self.body
    }

    /// Returns the work of engine and converter over the last step, J.
    pub fn engine_work(&self) -> f64 {
        self.engine_work
    }

    /// Returns the load on the chassis about its frame's origin, to be set before each step.
    pub fn chassis_load(&mut self) -> &mut Load {
        let last = self.body.load.len() - 1;
        &mut self.body.load[last]
    }

    /// Returns the torques of driveline and service brakes on the sprockets in the last step, left
    /// and right.
    ///
    /// They include the steering, but not the running resistance of belts.
    pub fn drives(&self) -> [WheelDrive; 2] {
        self.drives
    }
}
