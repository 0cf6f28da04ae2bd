//! Units of the sources.

/// Pounds of force per newton.
pub(super) const POUNDS: f64 = 2.204_62 / bekker_math::numeric::GRAVITY;
/// Length of an inch, m.
pub(super) const INCH: f64 = 0.0254;
/// Pressure of a pound per square inch, Pa.
pub const PSI: f64 = 6894.757;
