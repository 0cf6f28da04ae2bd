//! Rigid parts of an agent that have hulls: the chassis, and a trailer or an articulated rear frame.

use super::any_vehicle::{AnyVehicle, GroundVehicleWorkspace};
use super::ground_vehicle::GroundVehicle;
use bekker_math::spatial::{Load, Pose, Twist};
use bekker_vehicle::{RearFrameModel, TrailerModel, VehicleOutline};

/// A rigid part with hulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HullPart {
    /// The vehicle itself; the front frame of an articulated one.
    Chassis,
    /// Its trailer, coupled or not, or the rear frame of an articulated vehicle.
    Rear,
}

impl HullPart {
    /// All parts that a vehicle may have.
    pub const ALL: [HullPart; 2] = [HullPart::Chassis, HullPart::Rear];
}

impl AnyVehicle {
    /// Returns the collision outline of a part in the part's frame; `None` if there is no such part.
    pub(super) fn outline_of(&self, part: HullPart) -> Option<&VehicleOutline> {
        match part {
            HullPart::Chassis => Some(self.outline()),
            HullPart::Rear => {
                let trailer = self.trailer().map(TrailerModel::outline);
                trailer.or_else(|| self.rear_frame().map(RearFrameModel::outline))
            }
        }
    }

    /// Returns the parts of the vehicle with outline, pose and twist.
    pub(super) fn hull_parts<'a>(
        &'a self,
        body: &'a GroundVehicleWorkspace,
    ) -> impl Iterator<Item = (HullPart, &'a VehicleOutline, Pose, Twist)> {
        HullPart::ALL.into_iter().filter_map(move |part| {
            let outline = self.outline_of(part)?;
            let (pose, twist) = match part {
                HullPart::Chassis => (self.pose(body), self.twist(body)),
                HullPart::Rear => (self.rear_pose(body)?, self.rear_twist(body)?),
            };
            Some((part, outline, pose, twist))
        })
    }

    /// Twist of a part about its frame's origin; zero if the part does not exist.
    pub(super) fn twist_of(&self, part: HullPart, body: &GroundVehicleWorkspace) -> Twist {
        match part {
            HullPart::Chassis => self.twist(body),
            HullPart::Rear => self.rear_twist(body).unwrap_or_default(),
        }
    }

    /// Load on a part about its frame's origin.
    pub(super) fn load_on<'a>(
        &self,
        part: HullPart,
        body: &'a mut GroundVehicleWorkspace,
    ) -> Option<&'a mut Load> {
        match part {
            HullPart::Chassis => Some(self.chassis_load(body)),
            HullPart::Rear => self.rear_load(body),
        }
    }
}
