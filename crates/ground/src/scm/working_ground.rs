//! The ground as input of a contact.

use super::scratch::Scratch;
use crate::{GroundModel, Overlay, SharedGround};

/// The ground for the contacts of one agent: undisturbed ground, published tiles, the agent's own
/// changes and scratch memory.
#[derive(Debug)]
pub struct WorkingGround<'a> {
    /// The undisturbed ground.
    pub model: &'a GroundModel,
    /// The published ground that all agents share.
    pub published: &'a SharedGround,
    /// The agent's own changes.
    pub overlay: &'a mut Overlay,
    /// Scratch memory.
    pub scratch: &'a mut Scratch,
}
