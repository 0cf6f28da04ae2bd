//! The ground that bodies meet.

use super::scratch::Scratch;
use crate::{GroundModel, Overlay, Published};

/// The ground as one agent meets it: what it was, what all share, the agent's own changes,
/// and room to work in.
#[derive(Debug)]
pub struct WorkingGround<'a> {
    /// The ground before anything drove on it.
    pub model: &'a GroundModel,
    /// The ground as all share it.
    pub published: &'a Published,
    /// The agent's own changes.
    pub overlay: &'a mut Overlay,
    /// Room to work in.
    pub scratch: &'a mut Scratch,
}
