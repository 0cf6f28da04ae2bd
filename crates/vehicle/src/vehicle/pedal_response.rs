//! What throttle and brake do to a vehicle at the moment: for drivers that aim at accelerations.

use super::controls::Controls;
use super::powertrain::{GearboxState, Powertrain};

/// Halvings of the span of engine speeds: to a millionth of it.
const HALVINGS: usize = 20;
/// Share of friction that is left where wheels lock: an MRZR-4 with full brake on friction 0.8 slows by 4.6 m/s², on 0.4
/// by 2.25.
pub(super) const LOCKED: f64 = 0.575;
/// Least acceleration between closed and full throttle that is taken for an answer, m/s².
const LEAST: f64 = 0.05;

/// Accelerations that the pedals give by themselves, without the resistance of ground and slope:
/// forces over the vehicle's mass, once engine and converter have settled at the present speed
/// and gear; linear in between. Along the chassis' x axis, m/s².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PedalResponse {
    /// With closed throttle: below zero where the engine is turned.
    pub closed: f64,
    /// With full throttle.
    pub full: f64,
    /// What the full brake takes away from that.
    pub brake: f64,
}

impl PedalResponse {
    /// The acceleration that throttle and brake give.
    pub fn acceleration(&self, controls: &Controls) -> f64 {
        self.closed + controls.throttle * (self.full - self.closed) - controls.brake * self.brake
    }

    /// What they give to a vehicle that rests, of which `held` is asked to stay so: its brake holds
    /// it either way, and no harder than that takes.
    pub fn at_rest(&self, controls: &Controls, held: f64) -> f64 {
        let drive = self.acceleration(&Controls { brake: 0.0, ..*controls });
        let brake = controls.brake * self.brake;
        drive - (drive - held).min(brake).max(-brake)
    }

    /// Throttle and brake that give an acceleration, never both, as far as they go.
    pub fn pedals(&self, acceleration: f64) -> Controls {
        let [above, span] = [acceleration - self.closed, self.full - self.closed];
        let throttle = if span > LEAST { above / span } else { 0.0 };
        let brake = if self.brake > LEAST { -above / self.brake } else { 0.0 };
        Controls {
            throttle: throttle.clamp(0.0, 1.0),
            brake: brake.clamp(0.0, 1.0),
            ..Controls::default()
        }
    }

    /// The same seen by one whose rear goes ahead.
    pub fn backward(&self) -> PedalResponse {
        PedalResponse { closed: -self.closed, full: -self.full, brake: self.brake }
    }
}

/// Torques at the gearbox's output, N m, at closed and at full throttle, once the engine has
/// settled while the input turns with `input` rad/s; none in neutral.
pub(super) fn settled_torques(
    powertrain: &Powertrain,
    gearbox: &GearboxState,
    input: f64,
) -> Option<[f64; 2]> {
    let ratio = powertrain.gearbox.ratio(gearbox.gear)?;
    Some([0.0, 1.0].map(|throttle| settled(powertrain, throttle, input) / ratio))
}

/// Torque at the gearbox's input, N m.
fn settled(powertrain: &Powertrain, throttle: f64, input: f64) -> f64 {
    let engine = &powertrain.engine;
    let Some(converter) = &powertrain.converter else {
        return engine.torque(throttle, input).value;
    };
    let rest =
        |speed: f64| engine.torque(throttle, speed).value + converter.torque(speed, input).impeller;
    // what is left over falls with the engine's speed
    let (mut low, mut high) = (0.0, engine.free_speed(1.0).max(input));
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if rest(middle) > 0.0 { low = middle } else { high = middle }
    }
    converter.torque(0.5 * (low + high), input).turbine
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pedals_give_the_acceleration_that_is_asked_for() {
        let response = PedalResponse { closed: -0.3, full: 2.2, brake: 8.0 };
        for asked in [-8.3, -3.0, -0.3, 0.0, 1.0, 2.2] {
            let pedals = response.pedals(asked);
            assert!((response.acceleration(&pedals) - asked).abs() < 1e-12);
            assert!(pedals.throttle == 0.0 || pedals.brake == 0.0);
        }
        assert_eq!(response.pedals(5.0).throttle, 1.0);
        assert_eq!(response.pedals(-20.0).brake, 1.0);
        // in neutral nothing but the brake answers
        let neutral = PedalResponse { closed: 0.0, full: 0.0, ..response };
        assert_eq!((neutral.pedals(1.0).throttle, neutral.pedals(-4.0).brake), (0.0, 0.5));
    }

    #[test]
    fn a_brake_holds_one_that_rests_no_harder_than_it_takes() {
        let response = PedalResponse { closed: 0.5, full: 4.5, brake: 8.0 };
        let at_rest = |throttle: f64, brake: f64, held: f64| {
            response.at_rest(&Controls { throttle, brake, ..Controls::default() }, held)
        };
        // whatever the drive gives meanwhile, up the slope and down
        assert_eq!([0.75, 3.0, -2.0].map(|held| at_rest(0.0, 1.0, held)), [0.75, 3.0, -2.0]);
        assert_eq!(at_rest(0.5, 1.0, 0.75), 0.75);
        // a light brake gives all it has, and without one it is the drive
        assert_eq!(at_rest(1.0, 0.25, 0.5), 2.5);
        assert_eq!(at_rest(0.5, 0.0, 3.0), 2.5);
    }

    #[test]
    fn an_engine_settles_where_the_converter_takes_what_it_gives() {
        let spec = crate::vehicle::find("hmmwv").unwrap();
        let powertrain = &spec.powertrain;
        let converter = powertrain.converter.as_ref().unwrap();
        for input in [0.0, 100.0, 200.0] {
            let [closed, full] =
                settled_torques(powertrain, &GearboxState::in_gear(2), input).unwrap();
            let gave = full * powertrain.gearbox.ratio(2).unwrap();
            // found anew by running the engine up until nothing changes
            let mut engine = 100.0;
            for _ in 0..50_000 {
                let left = powertrain.engine.torque(1.0, engine).value
                    + converter.torque(engine, input).impeller;
                engine += 1e-3 * left / powertrain.engine.inertia;
            }
            let expected = converter.torque(engine, input).turbine;
            // a millionth of 260 rad/s, and the slope of some N m for each
            assert!((gave - expected).abs() < 0.1, "{gave} N m, not {expected}");
            assert!(closed < 0.1 && closed > -0.3 * full, "{closed} N m");
        }
        assert_eq!(settled_torques(powertrain, &GearboxState::in_gear(0), 0.0), None);
    }
}
