//! Cameras and lidars on a graphics card: the same rays through the same scene in
//! compute shaders, by whatever card Vulkan finds.
//!
//! A [`GpuDevice`] is the device with its programs. A [`Props`] is what does not change: the
//! meshes, the soils' looks and where they lie. A [`GpuRenderer`] keeps a [`Relief`] on the
//! card, of which only tiles that have changed are sent again, and takes pictures and
//! scans. The programs repeat the processor's arithmetic in single precision, about the
//! eye: ranges agree to a fraction of a millimetre at 100 m and colours to less than a
//! step of eight bits (`tests/gpu.rs`). Noise and what is made of echoes stay with the
//! processor, which shares the random numbers.
//!
//! [`Relief`]: crate::relief::Relief

mod device;
mod flat;
mod mirror;
mod renderer;
mod view;

pub use device::{GpuDevice, GpuError};
pub use flat::Props;
pub use renderer::GpuRenderer;
