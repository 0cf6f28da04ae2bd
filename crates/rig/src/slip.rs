//! Slip as the states of a run have it: 1 - v/(ω r) of a wheel or track that drives, ω r/v - 1 of one that
//! is braked, so that it is -1 where it is locked (M. G. Bekker; J. Y. Wong, Theory of Ground Vehicles).

/// Greatest way over turned way that is told apart from that of a locked wheel.
const LOCKED: f64 = 1e6;

/// Speed of the rim, m/s, of what travels at `speed`.
pub fn rim_speed(speed: f64, slip: f64) -> f64 {
    if slip < 0.0 { speed * (1.0 + slip) } else { speed / (1.0 - slip) }
}

/// Speed of travel over that of the rim, v/(ω r).
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
