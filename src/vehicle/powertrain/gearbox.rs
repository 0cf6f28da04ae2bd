//! An automatic gearbox: ratios, and when it shifts.

use super::RPM;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Speed of the gearbox's output, rad/s, above which it refuses to reverse.
const REVERSING_SPEED: f64 = 5.0;

/// Ratios, shift speeds and inertias of an automatic gearbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gearbox {
    /// Forward ratios from first gear, output speed over input speed.
    pub ratios: Vec<f64>,
    /// Ratio in reverse, negative.
    pub reverse: f64,
    /// Speed of the input shaft (the turbine) above which it shifts up, rpm.
    pub upshift_rpm: f64,
    /// Speed of the input shaft below which it shifts down, rpm.
    pub downshift_rpm: f64,
    /// Least time between two shifts, s.
    pub latency: f64,
    /// Inertia of the input shaft with the turbine, kg m².
    pub input_inertia: f64,
    /// Inertia of the output shaft, kg m².
    pub output_inertia: f64,
}

/// What the driver's lever asks of the gearbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selector {
    /// Forward, shifting by itself.
    #[default]
    Drive,
    /// No connection.
    Neutral,
    /// Backward.
    Reverse,
}

/// Gear engaged, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GearboxState {
    /// Gear: 1 first, 0 neutral, -1 reverse.
    pub gear: i32,
    /// Tick of the last shift.
    pub shifted_at: u64,
}

impl Default for GearboxState {
    fn default() -> Self {
        GearboxState { gear: 1, shifted_at: 0 }
    }
}

impl Gearbox {
    /// Output speed over input speed in `gear`; `None` in neutral.
    #[inline]
    pub fn ratio(&self, gear: i32) -> Option<f64> {
        match gear {
            0 => None,
            gear if gear < 0 => Some(self.reverse),
            gear => Some(self.ratios[(gear as usize - 1).min(self.ratios.len() - 1)]),
        }
    }

    /// Shifts if the speeds (rad/s) of the input and output shafts ask for it
    /// at this tick. Shifts up and down by one gear, not sooner than the
    /// latency after the last shift; obeys the lever at once, but reverses
    /// direction only near standstill.
    pub fn shift(
        &self,
        state: &mut GearboxState,
        selector: Selector,
        input_speed: f64,
        output_speed: f64,
        tick: u64,
        ticks_per_second: u64,
    ) {
        let gear = match selector {
            Selector::Neutral => 0,
            Selector::Reverse if output_speed > REVERSING_SPEED => 0,
            Selector::Reverse => -1,
            Selector::Drive if output_speed < -REVERSING_SPEED => 0,
            Selector::Drive if state.gear <= 0 => 1,
            Selector::Drive => self.automatic(state, input_speed, tick, ticks_per_second),
        };
        if gear != state.gear {
            *state = GearboxState { gear, shifted_at: tick };
        }
    }

    fn automatic(
        &self,
        state: &GearboxState,
        input_speed: f64,
        tick: u64,
        ticks_per_second: u64,
    ) -> i32 {
        let latency = (self.latency * ticks_per_second as f64).round() as u64;
        if tick.saturating_sub(state.shifted_at) < latency {
            state.gear
        } else if input_speed > self.upshift_rpm * RPM {
            (state.gear + 1).min(self.ratios.len() as i32)
        } else if input_speed < self.downshift_rpm * RPM {
            (state.gear - 1).max(1)
        } else {
            state.gear
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gearbox() -> Gearbox {
        Gearbox {
            ratios: vec![0.2, 0.4, 0.8],
            reverse: -0.1,
            upshift_rpm: 2500.0,
            downshift_rpm: 1200.0,
            latency: 1.0,
            input_inertia: 0.3,
            output_inertia: 0.5,
        }
    }

    #[test]
    fn shifts_one_gear_at_a_time_and_waits() {
        let gearbox = gearbox();
        let mut state = GearboxState::default();
        let mut shift = |rpm: f64, tick| {
            gearbox.shift(&mut state, Selector::Drive, rpm * RPM, 10.0, tick, 1000);
            state.gear
        };
        assert_eq!(shift(2600.0, 999), 1, "the latency counts from the start");
        assert_eq!(shift(2600.0, 1000), 2);
        assert_eq!(shift(2600.0, 1999), 2);
        assert_eq!(shift(2600.0, 2000), 3);
        assert_eq!(shift(2600.0, 9000), 3, "there is no fourth");
        assert_eq!(shift(1800.0, 9500), 3);
        assert_eq!(shift(1100.0, 9600), 2);
        assert_eq!(shift(1100.0, 9700), 2);
        assert_eq!(shift(1100.0, 10600), 1);
        assert_eq!(shift(0.0, 20000), 1);
    }

    #[test]
    fn reverses_only_near_standstill() {
        let gearbox = gearbox();
        let mut state = GearboxState { gear: 2, shifted_at: 0 };
        gearbox.shift(&mut state, Selector::Reverse, 200.0, 60.0, 100, 1000);
        assert_eq!(gearbox.ratio(state.gear), None);
        gearbox.shift(&mut state, Selector::Reverse, 10.0, 1.0, 200, 1000);
        assert_eq!(gearbox.ratio(state.gear), Some(-0.1));
        gearbox.shift(&mut state, Selector::Drive, 10.0, -20.0, 300, 1000);
        assert_eq!(state.gear, 0);
        gearbox.shift(&mut state, Selector::Drive, 10.0, -1.0, 400, 1000);
        assert_eq!(state, GearboxState { gear: 1, shifted_at: 400 });
    }
}
