//! Torques at the gearbox with the engine in settled state.

use super::powertrain::{GearboxState, Powertrain};

/// Halvings of the range of engine speeds, which locate the speed to a millionth of the range.
pub(super) const HALVINGS: usize = 20;

/// Powertrain whose engine turns at the speed at which the gearbox takes all of its torque.
#[derive(Clone, Copy, Debug)]
pub(super) struct SettledEngine<'a> {
    /// Engine, converter, clutch and gearbox.
    pub powertrain: &'a Powertrain,
    /// Speed of the engine without load at full throttle, rad/s.
    pub free_speed: f64,
}

impl SettledEngine<'_> {
    /// Returns the torques at the gearbox's output, N m, at closed and at full throttle.
    ///
    /// The input turns at `input`, rad/s. `None` in neutral.
    pub fn torques(&self, gearbox: &GearboxState, input: f64) -> Option<[f64; 2]> {
        let ratio = self.powertrain.gearbox.ratio(gearbox.gear)?;
        Some([0.0, 1.0].map(|throttle| self.input_torque(throttle, input) / ratio))
    }

    /// Returns the greatest torque at the gearbox's input, N m, at full throttle and an input
    /// speed, rad/s.
    ///
    /// A clutch may hold or slip, and a converter may be locked up or not.
    pub fn strongest(&self, input: f64) -> f64 {
        let SettledEngine { powertrain, free_speed } = *self;
        let held = powertrain.engine.torque(1.0, input).value;
        match (&powertrain.converter, &powertrain.clutch) {
            (Some(_), clutch) => {
                let through = self.input_torque(1.0, input);
                let locks = clutch.is_some_and(|own| own.capacity(input) >= held.abs());
                if locks { held.max(through) } else { through }
            }
            (None, Some(clutch)) => {
                let (mut low, mut high) = (0.0, free_speed.max(input));
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (low + high);
                    let left =
                        powertrain.engine.torque(1.0, middle).value - clutch.capacity(middle);
                    if left > 0.0 { low = middle } else { high = middle }
                }
                if low > input { clutch.capacity(low) } else { held }
            }
            (None, None) => held,
        }
    }

    /// Returns the torque at the gearbox's input, N m.
    fn input_torque(&self, throttle: f64, input: f64) -> f64 {
        let engine = &self.powertrain.engine;
        let Some(converter) = &self.powertrain.converter else {
            return engine.torque(throttle, input).value;
        };
        let rest = |speed: f64| {
            engine.torque(throttle, speed).value + converter.torque(speed, input).impeller
        };
        // the surplus torque falls with the engine speed, so bisection finds its zero
        let (mut low, mut high) = (0.0, self.free_speed.max(input));
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if rest(middle) > 0.0 { low = middle } else { high = middle }
        }
        converter.torque(0.5 * (low + high), input).turbine
    }
}
