//! Quantization of numbers in messages.

use super::super::generated::bekker::wire;
use super::PartState;
use bekker_math::spatial::{Quat, Vec3};

/// Quantum of a part's spin, rad/s.
pub(super) const SPIN_QUANTUM: f64 = 1.0 / 64.0;
/// Quantum of a part's position, m.
pub(super) const PLACE_QUANTUM: f64 = 1.0 / 4096.0;
/// Quantum of a velocity, m/s.
pub(super) const VELOCITY_QUANTUM: f64 = 1.0 / 256.0;
/// Quantum of an angular velocity, rad/s.
pub(super) const RATE_QUANTUM: f64 = 1.0 / 1024.0;

/// Quantum of an angle, rad.
pub(super) const ANGLE_QUANTUM: f64 = std::f64::consts::TAU / 65536.0;

/// Quantizes an angle, rad, without its whole turns.
pub(super) fn angle(value: f64) -> i16 {
    let turns = value / std::f64::consts::TAU;
    round((turns - (turns + 0.5).floor()) * 65536.0, 1.0)
}

pub(super) fn vector(v: &Vec3) -> wire::Vec3d {
    wire::Vec3d::new(v.x, v.y, v.z)
}

/// Rounds to the nearest quantum. The cast saturates, and maps NaN to 0.
pub(super) fn round(value: f64, quantum: f64) -> i16 {
    (value / quantum + 0.5).floor() as i16
}

pub(super) fn small(v: &Vec3, quantum: f64) -> wire::SmallVec3 {
    wire::SmallVec3::new(round(v.x, quantum), round(v.y, quantum), round(v.z, quantum))
}

/// Returns the vector part of the quaternion, with the sign for which the scalar part is not
/// negative.
pub(super) fn vector_part(orientation: &Quat) -> [f64; 3] {
    let sign = if orientation.w < 0.0 { -1.0 } else { 1.0 };
    [sign * orientation.i, sign * orientation.j, sign * orientation.k]
}

pub(super) fn turn(orientation: &Quat) -> wire::Turn {
    let [x, y, z] = vector_part(orientation).map(|component| component as f32);
    wire::Turn::new(x, y, z)
}

pub(super) fn part(state: &PartState) -> wire::PartState {
    let [x, y, z] = vector_part(&state.pose.orientation).map(|c| round(c, 1.0 / 32767.0));
    wire::PartState::new(
        &small(&state.pose.position, PLACE_QUANTUM),
        &wire::SmallTurn::new(x, y, z),
        round(state.spin, SPIN_QUANTUM),
    )
}

/// Returns the unit quaternion with this vector part, or the identity if it is not finite.
pub(super) fn quaternion([x, y, z]: [f64; 3]) -> Quat {
    let square = x * x + y * y + z * z;
    if !square.is_finite() {
        return Quat::identity();
    }
    let w = (1.0 - square).max(0.0).sqrt();
    Quat::new_normalize(nalgebra::Quaternion::new(w, x, y, z))
}

pub(super) fn small_vector(v: &wire::SmallVec3, quantum: f64) -> Vec3 {
    Vec3::new(v.x().into(), v.y().into(), v.z().into()) * quantum
}
