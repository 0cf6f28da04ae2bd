//! Wheels that roll at a slip angle, compared with the integral of shear.

use super::page::{ValidationError, worst};
use bekker_ground::scm::Underside;
use bekker_ground::soil::catalog::catalog;
use bekker_ground::soil::{Laws, SoilKind};
use bekker_math::numeric::cos;
use bekker_rig::InParallel;
use bekker_rig::{Rig, RigidWheel, WheelRig, WheelRigMotion, slip_angle_forces};

const WHEEL: RigidWheel = RigidWheel { radius: 0.467, width: 0.254, load: 6300.0 };
const SLIP: f64 = 0.05;

/// Soils of the comparison with the integral.
const SOILS: [&str; 4] =
    ["lete_sand_chrono", "north_gower_clayey_loam", "dry_sand_lll", "chrono_mid"];
/// Soils of the comparison of two wheels in one rut.
const RUT_SOILS: [&str; 3] = ["lete_sand_chrono", "dry_sand_lll", "chrono_mid"];
const LAWS: [Laws; 2] = [Laws::refined(), Laws::reference()];

/// Returns the worst differences of side force over the load from the integral on each soil, for
/// default and reference laws.
pub(super) fn integral_differences() -> Result<Vec<(&'static str, [f64; 2])>, ValidationError> {
    let angles = [2.0, 4.0, 8.0, 15.0, 30.0_f64].map(f64::to_radians);
    let cases: Vec<(&str, f64)> =
        SOILS.into_iter().flat_map(|soil| angles.map(|angle| (soil, angle))).collect();
    let found = cases
        .in_parallel(|&(name, angle)| {
            let closed = match &catalog().find(name)?.kind {
                SoilKind::Deformable(soil) => slip_angle_forces(&WHEEL, soil, SLIP, angle).side,
                SoilKind::Firm { .. } => f64::NAN,
            };
            let off = |laws| {
                Ok::<f64, ValidationError>(
                    (-rig(name, angle, laws)?.run()?.lateral - closed) / WHEEL.load,
                )
            };
            Ok([off(LAWS[0])?, off(LAWS[1])?])
        })
        .collect::<Result<Vec<[f64; 2]>, ValidationError>>()?;
    let soils = SOILS.into_iter().zip(found.chunks(angles.len()));
    Ok(soils.map(|(soil, own)| (soil, [0, 1].map(|k| worst(own.iter().map(|x| x[k]))))).collect())
}

/// Returns the side force of a second wheel in the rut over the first one's at 4 degrees, for default
/// and reference laws.
pub(super) fn rut_ratios() -> Result<[(&'static str, [f64; 2]); 3], ValidationError> {
    let cases: Vec<(&str, Laws)> =
        RUT_SOILS.into_iter().flat_map(|soil| LAWS.map(|laws| (soil, laws))).collect();
    let ratios = cases
        .in_parallel(|&(soil, laws)| {
            let passes = rig(soil, 4_f64.to_radians(), laws)?.passes(2)?;
            Ok(passes[1].lateral / passes[0].lateral)
        })
        .collect::<Result<Vec<f64>, ValidationError>>()?;
    Ok([0, 1, 2].map(|k| (RUT_SOILS[k], [ratios[2 * k], ratios[2 * k + 1]])))
}

/// Returns the wheel rig on a soil of the catalog at a slip angle, rad.
fn rig(soil: &str, angle: f64, laws: Laws) -> Result<WheelRig, ValidationError> {
    let wheel = Underside::cylinder(WHEEL.radius, WHEEL.width)?;
    let rim_speed = cos(angle) / (1.0 - SLIP);
    let motion = WheelRigMotion::Drawn { speed: 1.0, rim_speed, slip_angle: angle };
    let rig = WheelRig::new(catalog().find(soil)?.to_soil(), wheel, WHEEL.load, motion);
    Ok(WheelRig { laws, step: 2e-3, ..rig })
}
