//! Slip as the recorded states define it.
//!
//! Slip is 1 - v/(ω r) for a driven wheel or track and ω r/v - 1 for a braked one, so that a locked
//! wheel has -1 (M. G. Bekker; J. Y. Wong, Theory of Ground Vehicles).

/// Upper limit of v/(ω r); beyond it a wheel counts as locked.
const LOCKED: f64 = 1e6;

/// Returns the rim speed, m/s, of a wheel or track that travels at `speed`, m/s.
pub fn rim_speed(speed: f64, slip: f64) -> f64 {
    if slip < 0.0 { speed * (1.0 + slip) } else { speed / (1.0 - slip) }
}

/// Returns travel speed over rim speed, v/(ω r).
pub(super) fn travel(slip: f64) -> f64 {
    if slip < 0.0 { (1.0 / (1.0 + slip)).min(LOCKED) } else { 1.0 - slip }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_wheel_has_a_slip_of_minus_one() {
        assert_eq!([-1.0, 0.0, 0.5].map(|slip| rim_speed(2.0, slip)), [0.0, 2.0, 4.0]);
        for slip in [-0.9, -0.2, 0.0, 0.3, 0.8] {
            assert!((travel(slip) * rim_speed(1.0, slip) - 1.0).abs() < 1e-12, "{slip}");
        }
        assert_eq!(travel(-1.0), LOCKED);
    }
}
