//! Ground pressures and vehicle cone indices of the sheet.

use super::UndersideSheet;
use bekker_rig::ConeIndexVehicle;
use bekker_vehicle::AnySpec;
use serde::Serialize;

/// Ground pressures and vehicle cone indices by formula.
#[derive(Clone, Debug, Serialize)]
pub struct ConeIndexSheet {
    /// Nominal ground pressure, Pa: weight over width times length of the tracks, or over width times
    /// radius of the tires.
    pub nominal_pressure: f64,
    /// Mean maximum pressure by Rowland, Pa; `None` if no constant is known for its driven axles.
    pub mean_maximum_pressure: Option<f64>,
    /// Mobility index.
    pub mobility_index: f64,
    /// Vehicle cone index of one pass, Pa.
    pub one_pass: f64,
    /// Vehicle cone index of fifty passes, Pa.
    pub fifty_passes: f64,
    /// Sources of the formulas.
    pub source: &'static str,
    /// Soils and vehicles for which the formulas hold.
    pub validity: &'static str,
    /// Limits of validity that the vehicle exceeds, each in one sentence.
    pub limits: Vec<String>,
}

/// Sources for wheels and for tracks.
const SOURCES: [&str; 2] = [
    "Rowland 1975; Priddy and Willoughby 2006 (VCI1), Ciobotaru 2009 (VCI50)",
    "Rowland 1972; FM 5-430-00-1, one transcription",
];
const VALIDITY: &str = "fine-grained soil, all axles driven, military vehicles; automatic gearbox, no chains, grousers below 38 mm";

impl ConeIndexSheet {
    pub(super) fn new(spec: &AnySpec, underside: Option<&UndersideSheet>) -> ConeIndexSheet {
        let vehicle = ConeIndexVehicle::from_spec(spec, underside.map(|own| own.clearance));
        ConeIndexSheet {
            nominal_pressure: vehicle.nominal_ground_pressure(),
            mean_maximum_pressure: vehicle.mean_maximum_pressure(),
            mobility_index: vehicle.mobility_index(),
            one_pass: vehicle.one_pass(),
            fifty_passes: vehicle.fifty_passes(),
            source: SOURCES[usize::from(spec.tracked().is_some())],
            validity: VALIDITY,
            limits: vehicle.limits(),
        }
    }
}
