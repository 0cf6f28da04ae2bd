//! Checks of the parameters of a chassis in two parts.

use super::rule::{
    Check, check_range, inertia, list, not_negative, point, positive, refuse, require,
};
use crate::spec::{ArticulatedSteering, HullBox, RearFrame, VehicleSpec};

/// Rejects a joint without axles on both sides, and parts that do not add up to the chassis.
pub(super) fn rear_frame(spec: &VehicleSpec) -> Check {
    let Some(rear) = &spec.rear_frame else { return Ok(()) };
    point("rear_frame.joint", &rear.joint)?;
    let behind = (0..spec.tractor_axles().len()).filter(|&axle| spec.is_behind_joint(axle)).count();
    let between = behind > 0 && behind < spec.tractor_axles().len();
    let place = list(&rear.joint);
    require(between, "rear_frame.joint", place, "between the first and the last axle along x")?;
    match spec.articulation() {
        Some((_, steering)) => articulated(spec, rear, steering)?,
        None => positive("rear_frame.stiffness", rear.stiffness)?,
    }
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

/// Rejects an articulated frame that cannot be steered, or whose parts are on both sides of its
/// joint.
fn articulated(spec: &VehicleSpec, rear: &RearFrame, steering: &ArticulatedSteering) -> Check {
    let key = |name: &str| format!("steering.articulated.{name}");
    check_range(&key("max_angle_deg"), steering.max_angle_deg, 1.0, 60.0)?;
    check_range(&key("max_rate_deg"), steering.max_rate_deg, 0.1, 180.0)?;
    positive(&key("stiffness"), steering.stiffness)?;
    not_negative(&key("damping"), steering.damping)?;
    positive(&key("max_torque"), steering.max_torque)?;
    check_range(&key("max_roll_deg"), steering.max_roll_deg, 0.0, 45.0)?;
    not_negative("rear_frame.stiffness", rear.stiffness)?;
    if steering.max_roll_deg == 0.0 {
        let allowed = "0, because steering.articulated.max_roll_deg = 0 locks the roll";
        require(rear.stiffness == 0.0, "rear_frame.stiffness", rear.stiffness, allowed)?;
        require(rear.damping == 0.0, "rear_frame.damping", rear.damping, allowed)?;
    }
    let [joint, aside, _] = rear.joint;
    let place = list(&rear.joint);
    require(aside == 0.0, "rear_frame.joint", place, "on the midline, y = 0, for a vertical pin")?;
    let allowed = "absent with steering.articulated";
    require(spec.trailer.is_none(), "trailer", "given", allowed)?;
    let coupling = spec.chassis.rear_coupling.map_or(joint, |place| place[0]);
    let allowed = format!("absent or ahead of rear_frame.joint, x = {joint}: it is on the chassis");
    let value = list(&spec.chassis.rear_coupling.unwrap_or_default());
    require(coupling >= joint, "chassis.rear_coupling", value, &allowed)?;
    if let Some(belly) = &spec.chassis.belly {
        let ahead = belly.center[0] - 0.5 * belly.length >= joint;
        let allowed =
            format!("wholly ahead of rear_frame.joint, x = {joint}: it is on the chassis");
        require(ahead, "chassis.belly.center", list(&belly.center), &allowed)?;
    }
    let spans = |own: &HullBox| (own.center[0] - joint).abs() < 0.5 * own.size[0];
    if let Some(index) = spec.chassis.hulls.iter().position(spans) {
        let allowed = format!("wholly ahead of or behind rear_frame.joint, x = {joint}");
        let center = list(&spec.chassis.hulls[index].center);
        return refuse(&format!("chassis.hulls[{index}].center"), center, allowed);
    }
    Ok(())
}
