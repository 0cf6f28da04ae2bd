//! Cameras and lidars on a GPU: the same rays through the same scene in compute shaders.
//!
//! A [`GpuDevice`] is the device, as listed by Vulkan, with its programs. A [`SceneConstants`] is the
//! constant data: the meshes, the soils' appearance and the soil map. A [`GpuRenderer`] mirrors a
//! [`HeightPyramid`] on the GPU and renders images and scans. Only tiles that have changed are uploaded
//! again.
//!
//! The programs repeat the arithmetic of the CPU in single precision, relative to the sensor.
//! Ranges agree to a fraction of a millimeter at 100 m and colors to less than a step of eight bits
//! (`tests/gpu.rs`). Noise and the processing of echoes run on the CPU, which uses the same random
//! numbers.
//!
//! [`HeightPyramid`]: crate::relief::HeightPyramid

mod device;
mod flat;
mod mirror;
mod renderer;
mod view;

pub use device::{GpuDevice, GpuError};
pub use flat::SceneConstants;
pub use renderer::GpuRenderer;
