//! Result of one contact in one step.

use super::works::Works;
use super::{Displaced, FirmGround};
use bekker_math::spatial::Load;

/// What the ground does to a body in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// Wrench on the body about its centre, with its tangent.
    pub load: Load,
    /// Force along the initial normals of the ground, N.
    pub normal_force: f64,
    /// Depth of the body's lowest loaded point below the undisturbed ground, along
    /// the normal of that ground, as everywhere, m.
    pub sinkage: f64,
    /// Area in contact, m².
    pub area: f64,
    /// Bekker's width of the loaded patch, m; infinite for a single row of nodes.
    pub patch_width: f64,
    /// Where what the body gives to the soil goes.
    pub works: Works,
    /// Nodes whose height was compared.
    pub nodes_tested: u32,
    /// Nodes that carry load.
    pub nodes_in_contact: u32,
    /// Firm ground under the body, for a handling tyre to run on.
    pub firm: Option<FirmGround>,
    /// Soil to [`heap`](super::heap) up when all bodies of the step have met the ground.
    pub displaced: Option<Displaced>,
}
