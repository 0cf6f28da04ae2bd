//! Response of a vehicle to throttle and brake at its present state, for drivers that target
//! accelerations.

use super::controls::Controls;
use super::powertrain::{ConverterTorque, GearboxState, Powertrain};
use super::settled_torque::{HALVINGS, SettledEngine};
use super::transmission::ShaftSpeeds;

/// Friction of locked wheels as a share of the ground's friction.
///
/// An MRZR-4 at full brake decelerates by 4.6 m/s² on friction 0.8 and by 2.25 m/s² on 0.4.
pub(super) const LOCKED: f64 = 0.575;
/// Lower bound of the acceleration range, between closed and full throttle or of the full brake, in
/// the conversion of an acceleration to a pedal, m/s².
///
/// At its top speed a vehicle hardly responds to the throttle.
const LEAST: f64 = 0.05;
/// Time constant of the engine's approach to its settled speed, s.
const SPIN_UP: f64 = 0.3;
/// Slip below which a clutch counts as locked, rad/s.
const LOCKED_SLIP: f64 = 1.5;
/// Gains on the missing thrust while the engine slips: with a converter alone, and with a clutch.
///
/// At the gain of the converter, a clutch whose capacity depends on the engine speed hunts.
const SHORT_GAINS: [f64; 2] = [3.0, 1.0];
/// Slip of the gears relative to the output speed above which a gear change is in progress.
const CHANGING: f64 = 0.01;
/// Lower bound of the output speed in that ratio, rad/s.
const TURNING: f64 = 1.0;

/// Accelerations along the chassis x axis due to the pedals alone, m/s².
///
/// They are forces over the vehicle's mass, without the resistance of ground and slope. Engine and
/// converter are taken as settled at the present speed and gear. Between closed and full throttle
/// the response is linear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PedalResponse {
    /// With closed throttle; negative where the vehicle drives the engine.
    pub closed: f64,
    /// With full throttle.
    pub full: f64,
    /// Deceleration by the full brake, subtracted from the drive.
    pub brake: f64,
}

impl PedalResponse {
    /// Returns the acceleration due to throttle and brake.
    pub fn acceleration(&self, controls: &Controls) -> f64 {
        self.closed + controls.throttle * (self.full - self.closed) - controls.brake * self.brake
    }

    /// Returns the acceleration due to the pedals of a vehicle at rest.
    ///
    /// The brake supplies up to the force that keeps the vehicle still, in either direction. `held`
    /// is the acceleration required for that, m/s².
    pub fn at_rest(&self, controls: &Controls, held: f64) -> f64 {
        let drive = self.acceleration(&Controls { brake: 0.0, ..*controls });
        self.held_at_rest(drive, controls.brake, held)
    }

    /// Returns the same as [`at_rest`](PedalResponse::at_rest) for a drive of this acceleration.
    pub fn held_at_rest(&self, drive: f64, brake: f64, held: f64) -> f64 {
        let brake = brake * self.brake;
        drive - (drive - held).min(brake).max(-brake)
    }

    /// Returns throttle or brake, never both, for an acceleration, clamped to the pedals' range.
    pub fn pedals(&self, acceleration: f64) -> Controls {
        let [above, span] = [acceleration - self.closed, self.full - self.closed];
        let throttle = if span > 0.0 { above / span.max(LEAST) } else { 0.0 };
        let brake = if self.brake > 0.0 { -above / self.brake.max(LEAST) } else { 0.0 };
        Controls {
            throttle: throttle.clamp(0.0, 1.0),
            brake: brake.clamp(0.0, 1.0),
            ..Controls::default()
        }
    }

    /// Returns the response with the direction of travel reversed.
    pub fn reversed(&self) -> PedalResponse {
        PedalResponse { closed: -self.closed, full: -self.full, brake: self.brake }
    }
}

/// Dynamic response of engine and transmission, for drivers that must not exceed an acceleration.
///
/// It gives the throttle at which they settle at an acceleration, and the addition that brings an
/// engine at another speed there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineResponse<'a> {
    powertrain: &'a Powertrain,
    shafts: ShaftSpeeds,
    /// Speed above which the engine delivers no torque at full throttle, rad/s.
    free_speed: f64,
    /// Acceleration per torque at the gearbox's input, m/s² per N m; zero in neutral.
    gain: f64,
    /// Extra throttle per difference from the settled engine speed, s/rad.
    spin_up: f64,
    /// Whether the engine slips against the gearbox; if not, a clutch locks them together.
    pub slips: bool,
    /// Gain on the missing thrust.
    short_gain: f64,
    /// Inertia of engine and gearbox that accelerates with the vehicle, relative to the vehicle's
    /// mass.
    turning: f64,
    /// Whether a gear change is in progress.
    pub changes_gear: bool,
}

impl<'a> EngineResponse<'a> {
    /// Builds the response of an engine in a vehicle of `mass`, kg.
    ///
    /// `gain` is the acceleration per torque at the gearbox's output, m/s² per N m.
    pub(super) fn new(
        engine: SettledEngine<'a>,
        gearbox: &GearboxState,
        shafts: ShaftSpeeds,
        gain: f64,
        mass: f64,
    ) -> EngineResponse<'a> {
        let SettledEngine { powertrain, free_speed } = engine;
        let ShaftSpeeds { engine: speed, input, output } = shafts;
        let ratio = powertrain.gearbox.ratio(gearbox.gear);
        let engine = &powertrain.engine;
        let gives = engine.torque(1.0, speed).value - engine.torque(0.0, speed).value;
        let spin_up = if gives > 0.0 { engine.inertia / (SPIN_UP * gives) } else { 0.0 };
        let slip = ratio.map_or(0.0, |ratio| output - ratio * input);
        let changes_gear = slip.abs() > CHANGING * output.abs().max(TURNING);
        let clutches = clutch_capacity(powertrain, speed, input) > 0.0;
        let slips = !clutches || (speed - input).abs() > LOCKED_SLIP;
        let short_gain = if slips { SHORT_GAINS[usize::from(clutches)] } else { 0.0 };
        let turned = if slips { 0.0 } else { engine.inertia } + powertrain.gearbox.input_inertia;
        let inertia = ratio.map_or(0.0, |ratio| turned / (ratio * ratio));
        let turning = gain * gain * mass * (inertia + powertrain.gearbox.output_inertia);
        let gain = ratio.map_or(0.0, |ratio| gain / ratio);
        EngineResponse {
            powertrain,
            shafts,
            free_speed,
            gain,
            spin_up,
            slips,
            short_gain,
            turning,
            changes_gear,
        }
    }

    /// Returns the acceleration to request from the throttle, m/s².
    ///
    /// `wanted` is the required thrust over mass and `drive` the present one, m/s²; `gained` is the
    /// present acceleration of the vehicle, m/s².
    pub fn requested_acceleration(&self, wanted: f64, drive: f64, gained: f64) -> f64 {
        wanted + self.turning * gained + self.short_gain * (wanted - drive)
    }

    /// Returns the throttle for an acceleration, m/s², in settled state.
    ///
    /// It includes the addition that brings the engine to its settled speed. It is 0 in neutral and
    /// in a gear that drives the other way.
    pub fn throttle(&self, acceleration: f64) -> f64 {
        if self.gain <= 0.0 {
            return 0.0;
        }
        let torque = acceleration / self.gain;
        let speed = self.settled_speed(torque);
        let engine = &self.powertrain.engine;
        let [closed, full] = [0.0, 1.0].map(|throttle| engine.torque(throttle, speed).value);
        // the engine drives the impeller, and the clutch transmits the torque that the turbine
        // lacks
        let fluid = self.fluid(speed);
        let taken = torque - fluid.turbine - fluid.impeller;
        if taken <= closed || full <= closed {
            return 0.0;
        }
        let throttle = (taken - closed) / (full - closed);
        if throttle >= 1.0 {
            return 1.0;
        }
        (throttle + self.spin_up * (speed - self.shafts.engine)).clamp(0.0, 1.0)
    }

    /// Engine speed, rad/s, at which converter and clutch transmit a torque, N m, to the gearbox's
    /// input.
    ///
    /// If the clutch holds, it is the speed of the input.
    fn settled_speed(&self, torque: f64) -> f64 {
        let input = self.shafts.input;
        let carries = |speed: f64| {
            let clutch = clutch_capacity(self.powertrain, speed, input).copysign(speed - input);
            clutch + self.fluid(speed).turbine
        };
        // Without a converter the clutch's capacity falls with the engine speed, so an engine that
        // the vehicle drives is never slower than the input here.
        let slowest = if self.powertrain.converter.is_some() { 0.0 } else { input };
        let (mut low, mut high) = (slowest, self.free_speed.max(input));
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if carries(middle) < torque { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// Torques of the converter's fluid at an engine speed, rad/s.
    fn fluid(&self, speed: f64) -> ConverterTorque {
        let converter = self.powertrain.converter.as_ref();
        converter.map_or_else(ConverterTorque::default, |own| own.torque(speed, self.shafts.input))
    }

    /// Returns the response with the direction of travel reversed.
    pub fn reversed(&self) -> EngineResponse<'a> {
        EngineResponse { gain: -self.gain, ..*self }
    }
}

/// Capacity of the clutch, N m; 0 without a clutch.
fn clutch_capacity(powertrain: &Powertrain, engine: f64, input: f64) -> f64 {
    let by = if powertrain.converter.is_some() { input } else { engine };
    powertrain.clutch.map_or(0.0, |clutch| clutch.capacity(by))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pedals_give_the_requested_acceleration() {
        let response = PedalResponse { closed: -0.3, full: 2.2, brake: 8.0 };
        for asked in [-8.3, -3.0, -0.3, 0.0, 1.0, 2.2] {
            let pedals = response.pedals(asked);
            assert!((response.acceleration(&pedals) - asked).abs() < 1e-12);
            assert!(pedals.throttle == 0.0 || pedals.brake == 0.0);
        }
        assert_eq!(response.pedals(5.0).throttle, 1.0);
        assert_eq!(response.pedals(-20.0).brake, 1.0);
        // at top speed
        assert_eq!(
            PedalResponse { closed: -0.02, full: 0.01, brake: 8.0 }.pedals(0.2).throttle,
            1.0
        );
        // in neutral only the brake responds
        let neutral = PedalResponse { closed: 0.0, full: 0.0, ..response };
        assert_eq!((neutral.pedals(1.0).throttle, neutral.pedals(-4.0).brake), (0.0, 0.5));
    }

    #[test]
    fn a_brake_holds_a_stationary_vehicle_with_the_required_force() {
        let response = PedalResponse { closed: 0.5, full: 4.5, brake: 8.0 };
        let at_rest = |throttle: f64, brake: f64, held: f64| {
            response.at_rest(&Controls { throttle, brake, ..Controls::default() }, held)
        };
        // for any drive, uphill and downhill
        assert_eq!([0.75, 3.0, -2.0].map(|held| at_rest(0.0, 1.0, held)), [0.75, 3.0, -2.0]);
        assert_eq!(at_rest(0.5, 1.0, 0.75), 0.75);
        // a light brake applies its full force; without a brake only the drive remains
        assert_eq!(at_rest(1.0, 0.25, 0.5), 2.5);
        assert_eq!(at_rest(0.5, 0.0, 3.0), 2.5);
    }

    fn engine_of(powertrain: &Powertrain) -> SettledEngine<'_> {
        SettledEngine { powertrain, free_speed: powertrain.engine.free_speed(1.0) }
    }

    /// Torque at the gearbox's input, N m, and engine speed, rad/s, in settled state.
    ///
    /// The engine settles against converter and clutch while the input turns at `input` rad/s.
    fn settled_with_clutch(powertrain: &Powertrain, throttle: f64, input: f64) -> [f64; 2] {
        let engine = &powertrain.engine;
        let fluid = |speed: f64| powertrain.converter.as_ref().map(|own| own.torque(speed, input));
        let left = |speed: f64| {
            let impeller = fluid(speed).map_or(0.0, |fluid| fluid.impeller);
            engine.torque(throttle, speed).value + impeller
        };
        let carries = |speed: f64| clutch_capacity(powertrain, speed, input);
        let (mut low, mut high) = (0.0, engine.free_speed(1.0).max(input));
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            let clutch = carries(middle).copysign(input - middle);
            if left(middle) + clutch > 0.0 { low = middle } else { high = middle }
        }
        let speed = 0.5 * (low + high);
        let most = carries(speed);
        let by_clutch = left(speed).clamp(-most, most);
        [by_clutch + fluid(speed).map_or(0.0, |fluid| fluid.turbine), speed]
    }

    /// The engine runs at its settled speed, for every kind of coupling to the gearbox.
    #[test]
    fn the_throttle_that_settles_at_an_acceleration_gives_it() {
        for (name, input, throttle) in [
            ("hmmwv", 0.0, 0.35),
            ("hmmwv", 100.0, 0.25),
            ("man_8x8", 0.0, 0.3),
            ("gator", 200.0, 0.7),
        ] {
            let powertrain = crate::find_wheeled(name).unwrap().powertrain.unwrap();
            let gearbox = GearboxState::in_gear(1);
            let ratio = powertrain.gearbox.ratio(1).unwrap();
            let [torque, engine] = settled_with_clutch(&powertrain, throttle, input);
            let (gain, output) = (1e-3, ratio * input);
            let response = |engine: f64| {
                let shafts = ShaftSpeeds { engine, input, output };
                EngineResponse::new(engine_of(&powertrain), &gearbox, shafts, gain, 2000.0)
            };
            let wanted = gain * torque / ratio;
            // a millionth of some 300 rad/s either way, where the fluid absorbs some N m more per
            // rad/s
            let found = response(engine).throttle(wanted);
            assert!((found - throttle).abs() < 1e-4, "{name}, {input}: {found}, not {throttle}");
            // the throttle rises for a slower engine and falls for a faster one
            assert!(response(0.8 * engine).throttle(wanted) > found);
            assert!(response(1.2 * engine).throttle(wanted) < found);
            assert_eq!(response(engine).reversed().throttle(-wanted), 0.0);
            assert_eq!(response(engine).throttle(1e3), 1.0);
            assert_eq!(response(engine).throttle(-1e3), 0.0);
            assert!(!response(engine).changes_gear);
        }
    }

    #[test]
    fn an_engine_settles_in_torque_balance_with_the_converter() {
        let spec = crate::find_wheeled("hmmwv").unwrap();
        let powertrain = spec.powertrain.as_ref().unwrap();
        let converter = powertrain.converter.as_ref().unwrap();
        for input in [0.0, 100.0, 200.0] {
            let [closed, full] =
                engine_of(powertrain).torques(&GearboxState::in_gear(2), input).unwrap();
            let gave = full * powertrain.gearbox.ratio(2).unwrap();
            // reference solution: the engine is run up until nothing changes
            let mut engine = 100.0;
            for _ in 0..50_000 {
                let left = powertrain.engine.torque(1.0, engine).value
                    + converter.torque(engine, input).impeller;
                engine += 1e-3 * left / powertrain.engine.inertia;
            }
            let expected = converter.torque(engine, input).turbine;
            // a millionth of 260 rad/s times a slope of some N m per rad/s
            assert!((gave - expected).abs() < 0.1, "{gave} N m, not {expected}");
            assert!(closed < 0.1 && closed > -0.3 * full, "{closed} N m");
        }
        assert_eq!(engine_of(powertrain).torques(&GearboxState::in_gear(0), 0.0), None);
    }
}
