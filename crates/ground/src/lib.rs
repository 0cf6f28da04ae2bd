//! Deformed ground: the published tiles that all agents share, a private overlay per vehicle, and
//! the patches that update the first from the second.
//!
//! The undisturbed ground belongs to the [`GroundModel`] and is never stored at the lattice's
//! resolution. [`SharedGround`] holds the deformed tiles as small integers. An [`Overlay`] holds
//! the tiles around one agent's wheels in floating point. At a heartbeat it converts the nodes that
//! its wheels have left into [`Patch`]es. Every rank merges these into its published ground by a
//! commutative and associative rule ([`NodeState::join`]), including the rank that sent them.
//!
//! A layer of the crate `bekker`, whose documentation starts with examples; `ARCHITECTURE.md` maps
//! the crates.

mod digest;
mod ground_exit;
mod mask;
mod model;
mod node_state;
mod overlay;
mod patch;
pub mod scm;
mod shared_ground;
pub mod soil;
mod surface;
pub mod terrain;
mod tile;
mod tile_cache;
mod working_tile;

pub use digest::GroundDigest;
pub use ground_exit::{GroundExit, ground_exit};
pub use mask::NodeMask;
pub use model::{BaseNode, GroundError, GroundModel, SoilCoefficients};
pub use node_state::{
    BERM_QUANTUM, NO_AGENT, NodeState, PRESSURE_QUANTUM, SHEAR_QUANTUM, SINKAGE_QUANTUM,
};
pub use overlay::Overlay;
pub use patch::{Patch, Patches};
pub use shared_ground::SharedGround;
pub use surface::{
    HeightSampler, SampleGrid, SampleGridError, nearest_sinkage, rut_depth, rut_depths,
    surface_height, surface_heights, working_surface_height,
};
pub use tile::Tile;
pub(crate) use working_tile::WorkingNodes;
pub use working_tile::{TileWriter, WorkingTile};
