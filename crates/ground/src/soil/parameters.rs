//! Parameters of a soil.

use super::Details;
use serde::{Deserialize, Serialize};

/// Index of a soil in the table of a ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SoilId(pub u16);

/// A soil with its name and where its figures come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Soil {
    /// Name, unique in its table.
    pub name: String,
    /// What gives its figures: a citation.
    pub source: String,
    /// How it answers a load.
    pub kind: SoilKind,
}

/// Sinkage up to which figures are taken to hold whose source does not say, m: about as
/// deep as bevameters press their plates, which are 0.05 to 0.3 m wide.
const ASSUMED_MEASURED_SINKAGE: f64 = 0.3;

impl Soil {
    /// Sinkage up to which its figures hold, m: as measured, else 0.3 m by assumption;
    /// none for firm ground.
    pub fn measured_sinkage(&self) -> Option<f64> {
        match &self.kind {
            SoilKind::Firm { .. } => None,
            SoilKind::Yielding(law) => {
                Some(law.details.measured_sinkage.unwrap_or(ASSUMED_MEASURED_SINKAGE))
            }
        }
    }
}

/// How a soil answers a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "a ground holds few soils, and most of them yield")]
pub enum SoilKind {
    /// Does not deform; tyres run on it with the given friction.
    Firm {
        /// Coefficient of friction, to which a handling tyre is scaled.
        friction: f64,
    },
    /// Sinks, shears and rebounds.
    Yielding(Yielding),
}

/// Parameters of a yielding soil (Bekker, Janosi–Hanamoto, Mohr–Coulomb, with
/// the elastic extension of the Soil Contact Model).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Yielding {
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
    /// Displaced soil heaped beside the wheel, if modelled.
    pub bulldozing: Option<Bulldozing>,
    /// What only the refined laws ask for.
    #[serde(default)]
    pub details: Details,
}

/// Berms and their erosion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bulldozing {
    /// Share of the compacted volume that rises beside the contact, 0..1.
    pub flow_factor: f64,
    /// Slope at which heaped soil slides, rad.
    pub erosion_angle: f64,
    /// Sweeps of erosion in each step.
    pub erosion_sweeps: u32,
    /// Rings of nodes around the contact that the erosion reaches.
    pub erosion_rings: u32,
}
