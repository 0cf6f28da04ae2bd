//! Parameters of a soil.

use super::Details;
use serde::{Deserialize, Serialize};

/// Index of a soil in the table of a ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SoilId(pub u16);

/// A soil with its name and the source of its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Soil {
    /// Name, unique in its table.
    pub name: String,
    /// Source of its parameters: a citation.
    pub source: String,
    /// Response to a load.
    pub kind: SoilKind,
}

/// Sinkage up to which parameters are assumed to be valid if their source does not state it, m:
/// about the test depth of bevameters with plates 0.05 to 0.3 m wide.
const ASSUMED_MEASURED_SINKAGE: f64 = 0.3;

impl Soil {
    /// Returns the sinkage up to which its parameters are valid, m: as measured, otherwise 0.3 m by
    /// assumption; `None` for firm ground.
    pub fn measured_sinkage(&self) -> Option<f64> {
        match &self.kind {
            SoilKind::Firm { .. } => None,
            SoilKind::Deformable(law) => {
                Some(law.details.measured_sinkage.unwrap_or(ASSUMED_MEASURED_SINKAGE))
            }
        }
    }
}

/// Response of a soil to a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "a ground has few soils, most of them deformable")]
pub enum SoilKind {
    /// Rigid ground; tires roll on it with the given friction.
    Firm {
        /// Coefficient of friction, to which a handling tire is scaled.
        friction: f64,
    },
    /// Deformable soil.
    #[serde(rename = "Yielding")]
    Deformable(DeformableSoil),
}

/// Parameters of a deformable soil (Bekker, Janosi–Hanamoto, Mohr–Coulomb, with the elastic
/// extension of the Soil Contact Model).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeformableSoil {
    /// Frictional modulus of deformation, N/m^(n+2).
    pub k_phi: f64,
    /// Cohesive modulus of deformation, N/m^(n+1).
    pub k_c: f64,
    /// Exponent of sinkage.
    pub n: f64,
    /// Cohesion, Pa.
    pub cohesion: f64,
    /// Angle of internal friction, rad.
    pub friction_angle: f64,
    /// Janosi shear deformation modulus K, m.
    pub shear_modulus: f64,
    /// Stiffness of unloading and reloading, Pa/m.
    pub elastic_stiffness: f64,
    /// Vertical damping, Pa s/m.
    pub damping: f64,
    /// Heaping of displaced soil next to the contact, if modeled.
    pub bulldozing: Option<Bulldozing>,
    /// Parameters that only the refined laws use.
    #[serde(default)]
    pub details: Details,
}

/// Berms and their erosion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bulldozing {
    /// Fraction of the compacted volume that is heaped around the contact, 0..1.
    pub flow_factor: f64,
    /// Slope at which heaped soil slides, rad.
    pub erosion_angle: f64,
    /// Erosion sweeps per step.
    pub erosion_sweeps: u32,
    /// Number of rings of nodes around the contact that erode.
    pub erosion_rings: u32,
}
