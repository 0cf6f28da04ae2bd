//! Result of one contact in one step.

use super::contact_work::ContactWork;
use super::{DisplacedSoil, FirmGround};
use bekker_math::spatial::Load;

/// Result of a contact of one body with the ground in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// Wrench on the body about its center, with its tangent.
    pub load: Load,
    /// Force along the initial normals of the ground, N.
    pub normal_force: f64,
    /// Depth of the body's lowest loaded point below the undisturbed ground, along the normal of
    /// that ground, m.
    pub sinkage: f64,
    /// Area in contact, m².
    pub area: f64,
    /// Width b of the loaded patch in Bekker's equation, m; infinite for a single row of nodes.
    pub patch_width: f64,
    /// Distribution of the power that the body transfers to the soil.
    pub works: ContactWork,
    /// Number of nodes whose height was compared.
    pub nodes_tested: u32,
    /// Number of nodes that carry load.
    pub nodes_in_contact: u32,
    /// Firm ground under the body, as input of a handling tire.
    pub firm: Option<FirmGround>,
    /// Soil to [`heap`](super::heap) after all contacts of the step.
    pub displaced: Option<DisplacedSoil>,
}
