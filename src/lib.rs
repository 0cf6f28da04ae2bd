//! Vehicles on ground that gives way.
//!
//! The crate is laid in strict layers; `ARCHITECTURE.md` is the map and
//! `tests/layering.rs` holds the code to it. From the bottom up:
//!
//! | layer | modules |
//! | --- | --- |
//! | L0 | [`numeric`], [`spatial`], [`curve`], [`grid`], [`random`] |
//! | L1 | [`soil`], [`terrain`] |
//! | L2 | [`ground`], [`scm`], [`multibody`] |
//! | L3 | [`vehicle`] |
//! | L4 | [`sync`] |
//! | L5 | [`simulation`] |
//! | L6 | [`scenario`] |
//! | L7 | [`study`], [`report`] |
//! | L8 | [`cli`] |
//!
//! SI units and radians throughout; ISO 8855 axes (x forward, y left, z up);
//! the world frame is east-north-up.
#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod cli;
pub mod curve;
pub mod grid;
pub mod ground;
pub mod multibody;
pub mod numeric;
pub mod random;
pub mod report;
pub mod scenario;
pub mod scm;
pub mod simulation;
pub mod soil;
pub mod spatial;
pub mod study;
pub mod sync;
pub mod terrain;
pub mod vehicle;
