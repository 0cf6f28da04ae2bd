//! Wheel encoders: whole ticks since the start, counted down in reverse.
//!
//! Play, missed ticks and torsion of shafts are not modeled.

use serde::{Deserialize, Serialize};

/// Encoders of all wheels or road wheels; immutable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WheelEncoder {
    /// Ticks per turn.
    pub ticks_per_turn: u32,
}

/// Rotation angle of each wheel since the start, rad.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EncoderState {
    angles: Vec<f64>,
}

impl EncoderState {
    /// Returns the number of wheels.
    pub fn wheels(&self) -> usize {
        self.angles.len()
    }
}

impl WheelEncoder {
    /// Returns the initial state for a vehicle with this many wheels.
    pub fn start(&self, wheels: usize) -> EncoderState {
        EncoderState { angles: vec![0.0; wheels] }
    }

    /// Advances the wheel angles by `h` seconds at these spin rates, rad/s.
    pub fn turn(&self, state: &mut EncoderState, spins: impl Iterator<Item = f64>, h: f64) {
        state.angles.iter_mut().zip(spins).for_each(|(angle, spin)| *angle += spin * h);
    }

    /// Returns the ticks of each wheel.
    pub fn measure(&self, state: &EncoderState) -> Vec<i64> {
        let ticks = f64::from(self.ticks_per_turn) / std::f64::consts::TAU;
        state.angles.iter().map(|angle| (angle * ticks).floor() as i64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_whole_marks_forward_and_backward() {
        let encoder = WheelEncoder { ticks_per_turn: 100 };
        let mut state = encoder.start(2);
        let turn = std::f64::consts::TAU;
        (0..1000).for_each(|_| encoder.turn(&mut state, [turn, -turn].into_iter(), 2.5e-3));
        // 2.5 turns, less the rounding of a thousand steps
        let [left, right] = encoder.measure(&state)[..] else { panic!() };
        assert!((249..=250).contains(&left) && (-251..=-250).contains(&right), "{left} {right}");
        encoder.turn(&mut state, [0.02 * turn, 0.0].into_iter(), 0.25);
        assert!((249..=250).contains(&encoder.measure(&state)[0]), "half a mark does not count");
    }
}
