//! Stations of a flexible belt on firm ground.

use bekker_math::spatial::Vec3;

/// A belt station in contact with firm ground.
#[derive(Clone, Debug)]
pub(super) struct StationLoad {
    pub station: usize,
    pub strip: usize,
    /// Position from the wheel's center, m.
    pub r: Vec3,
    pub surface: Surface,
    /// Area, m².
    pub area: f64,
    /// Stiffness, Pa/m.
    pub stiffness: f64,
    /// Force at the belt's shape before the step, N.
    pub push: f64,
    /// Decrease of that force with inward displacement of the belt, N/m.
    pub growth: f64,
}

/// The ground surface between four nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surface {
    pub height: f64,
    pub normal: Vec3,
    /// Firm share of it.
    pub share: f64,
    pub friction: f64,
}
