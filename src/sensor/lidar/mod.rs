//! Lidars: from beams to returns.

mod cloud;

pub use cloud::{Cloud, Return};
