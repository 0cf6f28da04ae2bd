//! Checks of the parameters of a trailer.

use super::rule::refuse;
use super::{Check, chassis, check_range, point, positive, require};
use crate::spec::spec_error::SpecError;
use crate::spec::{HitchKind, VehicleSpec};

/// Rejects a trailer without axles, axles without a trailer, and invalid couplings.
pub(super) fn trailer(spec: &VehicleSpec) -> Check {
    let own = spec.tractor_axles().len();
    require(own >= 2, "axles", format!("{own} without those of the trailer"), "at least 2")?;
    for (index, axle) in spec.axles.iter().enumerate().skip(own) {
        let key = |name: &str| format!("axles[{index}].{name}");
        let last = "true, as for the previous ones: a trailer's axles come last";
        require(axle.trailed, &key("trailed"), axle.trailed, last)?;
        let steered = "false: axles of a trailer are not steered";
        require(!axle.steered, &key("steered"), axle.steered, steered)?;
        let driven = "absent: axles of a trailer are not driven";
        require(axle.final_drive.is_none(), &key("final_drive"), "given", driven)?;
    }
    let trailed = spec.axles.len() - own;
    let Some(trailer) = &spec.trailer else {
        return require(trailed == 0, "trailer", "absent", "given, because an axle is trailed");
    };
    require(trailed > 0, "trailer", &trailer.name, "absent, or an axle must be trailed")?;
    require(!trailer.name.trim().is_empty(), "trailer.name", "''", "given")?;
    point("trailer.coupling", &trailer.coupling)?;
    let hitch = &trailer.hitch;
    check_range("trailer.hitch.stiffness", hitch.stiffness, 1e5, 1e10)?;
    check_range("trailer.hitch.damping_time", hitch.damping_time, 0.0, 1.0)?;
    check_range("trailer.hitch.max_yaw_deg", hitch.max_yaw_deg, 1.0, 120.0)?;
    check_range("trailer.hitch.max_pitch_deg", hitch.max_pitch_deg, 1.0, 60.0)?;
    if let Some(load) = hitch.breaking_load {
        check_range("trailer.hitch.breaking_load", load, 1e3, 1e9)?;
    }
    if let Some([x, y]) = trailer.landing_gear {
        check_range("trailer.landing_gear[0]", x, -30.0, 5.0)?;
        check_range("trailer.landing_gear[1]", y, 0.0, 3.0)?;
    }
    match (hitch.kind, hitch.plate_width) {
        (HitchKind::Ball, None) => {}
        (HitchKind::Ball, Some(width)) => {
            return refuse("trailer.hitch.plate_width", width, "absent: a ball has no plate");
        }
        (HitchKind::FifthWheel, None) => {
            return refuse("trailer.hitch.plate_width", "absent", "given for a fifth wheel");
        }
        (HitchKind::FifthWheel, Some(width)) => {
            positive("trailer.hitch.plate_width", width)?;
        }
    }
    chassis(&trailer.chassis).map_err(|error| match error {
        SpecError::Value { key, value, allowed } => {
            SpecError::Value { key: format!("trailer.{key}"), value, allowed }
        }
        other => other,
    })
}
