//! The link of bekker: controllers and observers from outside, over sockets.
//!
//! A layer of the crate `bekker`, which opens with examples; `ARCHITECTURE.md` is the map.

pub mod link;
