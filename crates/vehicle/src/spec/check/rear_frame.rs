//! Checks of the parameters of a chassis in two parts.

use super::rule::{Check, inertia, list, not_negative, point, positive, require};
use crate::spec::VehicleSpec;

/// Rejects a joint without axles on both sides, and parts that do not add up to the chassis.
pub(super) fn rear_frame(spec: &VehicleSpec) -> Check {
    let Some(rear) = &spec.rear_frame else { return Ok(()) };
    point("rear_frame.joint", &rear.joint)?;
    let behind = (0..spec.tractor_axles().len()).filter(|&axle| spec.is_behind_joint(axle)).count();
    let between = behind > 0 && behind < spec.tractor_axles().len();
    let place = list(&rear.joint);
    require(between, "rear_frame.joint", place, "between the first and the last axle along x")?;
    positive("rear_frame.stiffness", rear.stiffness)?;
    not_negative("rear_frame.damping", rear.damping)?;
    positive("rear_frame.mass", rear.mass)?;
    let lighter =
        format!("below {} kg, the mass of the chassis that contains it", spec.chassis.mass);
    require(rear.mass < spec.chassis.mass, "rear_frame.mass", rear.mass, &lighter)?;
    inertia("rear_frame.inertia", &rear.inertia)?;
    point("rear_frame.products", &rear.products)?;
    point("rear_frame.com", &rear.com)?;
    for part in [rear.rear_part(), rear.front_part(&spec.chassis)] {
        let least = part.tensor.symmetric_eigenvalues().min();
        let allowed = "such that all principal moments of it, and of the rest of the chassis, are \
            above 0";
        require(least > 0.0, "rear_frame.inertia", list(&rear.inertia), allowed)?;
    }
    Ok(())
}
