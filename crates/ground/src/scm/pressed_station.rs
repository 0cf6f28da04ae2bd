//! Stations of a flexible belt on firm ground.

use bekker_math::spatial::Vec3;

/// A station on firm ground.
#[derive(Clone, Debug)]
pub(super) struct Pressed {
    pub station: usize,
    pub strip: usize,
    /// From the wheel's centre, m.
    pub r: Vec3,
    pub surface: Surface,
    /// m².
    pub area: f64,
    /// Pa/m.
    pub stiffness: f64,
    /// Force where the belt was left, N, ...
    pub push: f64,
    /// ... and how much it falls where that goes inward, N/m.
    pub growth: f64,
}

/// The surface between four nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surface {
    pub height: f64,
    pub normal: Vec3,
    /// Share of it that is firm.
    pub share: f64,
    pub friction: f64,
}
