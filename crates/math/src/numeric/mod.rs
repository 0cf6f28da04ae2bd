//! Elementary functions with the same bits on every machine.
//!
//! The mathematics libraries of platforms differ in the last place, and one last place is enough to
//! make two replicas of a rut diverge. All crates below the command line therefore call these
//! functions, which are pure Rust (the `libm` crate, a port of musl's), never `f64::sin` and
//! similar methods. `sqrt`, `abs`, `floor` and the four basic operations are exact by IEEE 754 and
//! may be called on `f64` directly.

pub mod instructions;
mod lanes;
mod power;

pub use instructions::{baseline, level};
pub use lanes::{LaneMask, Lanes, Level, Operand, Simd, WIDTH, dispatch, per_lane};
pub use power::{fast_exp, power};

/// Standard gravity, m/s².
pub const GRAVITY: f64 = 9.81;

/// Returns the sine of an angle in radians.
#[inline]
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// Returns the cosine of an angle in radians.
#[inline]
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// Returns sine and cosine of an angle in radians, bit-identical to [`sin`] and [`cos`].
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// Returns the tangent of an angle in radians.
#[inline]
pub fn tan(x: f64) -> f64 {
    libm::tan(x)
}

/// Returns the arc sine, radians; the argument is clamped to [-1, 1].
#[inline]
pub fn asin(x: f64) -> f64 {
    libm::asin(x.clamp(-1.0, 1.0))
}

/// Returns the arc cosine, radians; the argument is clamped to [-1, 1].
#[inline]
pub fn acos(x: f64) -> f64 {
    libm::acos(x.clamp(-1.0, 1.0))
}

/// Returns the arc tangent, radians.
#[inline]
pub fn atan(x: f64) -> f64 {
    libm::atan(x)
}

/// Returns the angle of the point (x, y), radians in (-π, π].
#[inline]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// Returns the natural exponential.
#[inline]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// Returns the natural logarithm.
#[inline]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// Returns `x` to the power `y`.
#[inline]
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// Returns the natural logarithm of the gamma function of a positive number.
#[inline]
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// Returns the length of the vector (x, y).
#[inline]
pub fn hypot(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// Returns `angle` reduced to (-π, π].
#[inline]
pub fn wrap_angle(angle: f64) -> f64 {
    let turns = ((angle + std::f64::consts::PI) / std::f64::consts::TAU).floor();
    angle - turns * std::f64::consts::TAU
}

/// Returns a smooth step from 0 at `x <= a` to 1 at `x >= b` (cubic, flat at both ends).
#[inline]
pub fn smooth_step(a: f64, b: f64, x: f64) -> f64 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
