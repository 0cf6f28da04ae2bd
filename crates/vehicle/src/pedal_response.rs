//! What throttle and brake do to a vehicle at the moment: for drivers that aim at accelerations.

use super::controls::Controls;
use super::powertrain::{ConverterTorque, GearboxState, Powertrain};
use super::settled_torque::HALVINGS;
use super::transmission::ShaftSpeeds;

/// Share of friction that is left where wheels lock: an MRZR-4 with full brake on friction 0.8 slows by 4.6 m/s², on 0.4
/// by 2.25.
pub(super) const LOCKED: f64 = 0.575;
/// Least acceleration between closed and full throttle that is taken for an answer, m/s².
const LEAST: f64 = 0.05;
/// Time constant with which an engine is brought to the speed that a throttle holds it at, s.
const SPIN_UP: f64 = 0.3;
/// Slip below which a clutch counts as locked, rad/s.
const LOCKED_SLIP: f64 = 1.5;
/// Gain of the thrust that is still missing while the engine slips, in a converter alone and in a
/// clutch: with the former's a clutch that takes hold by the engine's speed hunts.
const SHORT_GAINS: [f64; 2] = [3.0, 1.0];
/// Slip of the gears over the output's speed from which on a gear is being changed.
const CHANGING: f64 = 0.01;
/// Speed of the output from which that is told, rad/s.
const TURNING: f64 = 1.0;

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
        self.held_at_rest(drive, controls.brake, held)
    }

    /// The same of a drive that gives this acceleration.
    pub fn held_at_rest(&self, drive: f64, brake: f64, held: f64) -> f64 {
        let brake = brake * self.brake;
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

/// How engine and transmission get to an acceleration: the throttle with which they settle at it,
/// and what an engine that runs at another speed still needs. For drivers who must not exceed it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineResponse<'a> {
    powertrain: &'a Powertrain,
    shafts: ShaftSpeeds,
    /// Speed of the engine above which it gives nothing, rad/s.
    free_speed: f64,
    /// Acceleration that a torque of 1 N m at the gearbox's input gives, m/s²; zero in neutral.
    gain: f64,
    /// Throttle that it takes to bring the engine to another speed, over the difference, s/rad.
    spin_up: f64,
    /// Whether it slips against the gearbox; else a clutch holds them together.
    pub slips: bool,
    /// Gain of the thrust that is still missing.
    short_gain: f64,
    /// What engine and gearbox take to gain speed with the vehicle, over its own inertia.
    turning: f64,
    /// Whether a gear is being changed.
    pub changes_gear: bool,
}

impl<'a> EngineResponse<'a> {
    /// Of a powertrain whose engine runs free at `free_speed` with full throttle, and whose torque
    /// of 1 N m at the gearbox's output is `gain` m/s².
    pub(super) fn of(
        (powertrain, free_speed): (&'a Powertrain, f64),
        gearbox: &GearboxState,
        shafts: ShaftSpeeds,
        (gain, mass): (f64, f64),
    ) -> EngineResponse<'a> {
        let ShaftSpeeds { engine: speed, input, output } = shafts;
        let ratio = powertrain.gearbox.ratio(gearbox.gear);
        let engine = &powertrain.engine;
        let gives = engine.torque(1.0, speed).value - engine.torque(0.0, speed).value;
        let spin_up = if gives > 0.0 { engine.inertia / (SPIN_UP * gives) } else { 0.0 };
        let slip = ratio.map_or(0.0, |ratio| output - ratio * input);
        let changes_gear = slip.abs() > CHANGING * output.abs().max(TURNING);
        let clutches = carried(powertrain, speed, input) > 0.0;
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

    /// The acceleration to ask of the throttle for a thrust of `wanted`, m/s², that is now `drive`,
    /// while the vehicle gains `gained`.
    pub fn asked(&self, wanted: f64, drive: f64, gained: f64) -> f64 {
        wanted + self.turning * gained + self.short_gain * (wanted - drive)
    }

    /// Throttle that gives an acceleration once engine and transmission have settled, and brings
    /// the engine there; none in neutral, and none in a gear that drives the other way.
    pub fn throttle(&self, acceleration: f64) -> f64 {
        if self.gain <= 0.0 {
            return 0.0;
        }
        let torque = acceleration / self.gain;
        let speed = self.settled_speed(torque);
        let engine = &self.powertrain.engine;
        let [closed, full] = [0.0, 1.0].map(|throttle| engine.torque(throttle, speed).value);
        // what the fluid gives to the turbine it takes from the impeller, and more; the rest of
        // the torque goes through the clutch
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

    /// Speed of the engine, rad/s, at which converter and clutch carry a torque, N m, to the
    /// gearbox's input: its own where the clutch holds them together.
    fn settled_speed(&self, torque: f64) -> f64 {
        let input = self.shafts.input;
        let carries = |speed: f64| {
            let clutch = carried(self.powertrain, speed, input).copysign(speed - input);
            clutch + self.fluid(speed).turbine
        };
        // a clutch alone carries less, the slower an engine turns that its vehicle drives
        let slowest = if self.powertrain.converter.is_some() { 0.0 } else { input };
        let (mut low, mut high) = (slowest, self.free_speed.max(input));
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if carries(middle) < torque { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// What the converter's fluid does at a speed of the engine, rad/s.
    fn fluid(&self, speed: f64) -> ConverterTorque {
        let converter = self.powertrain.converter.as_ref();
        converter.map_or_else(ConverterTorque::default, |own| own.torque(speed, self.shafts.input))
    }

    /// The same seen by one whose rear goes ahead.
    pub fn backward(&self) -> EngineResponse<'a> {
        EngineResponse { gain: -self.gain, ..*self }
    }
}

/// Most torque that the clutch carries, if there is one, N m.
fn carried(powertrain: &Powertrain, engine: f64, input: f64) -> f64 {
    let by = if powertrain.converter.is_some() { input } else { engine };
    powertrain.clutch.map_or(0.0, |clutch| clutch.capacity(by))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settled_torque::settled_torques;

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

    fn engine_of(powertrain: &Powertrain) -> (&Powertrain, f64) {
        (powertrain, powertrain.engine.free_speed(1.0))
    }

    /// Torque at the gearbox's input, N m, and speed of the engine, rad/s, once that has settled
    /// against converter and clutch while the input turns with `input` rad/s.
    fn settled_with_clutch(powertrain: &Powertrain, throttle: f64, input: f64) -> [f64; 2] {
        let engine = &powertrain.engine;
        let fluid = |speed: f64| powertrain.converter.as_ref().map(|own| own.torque(speed, input));
        let left = |speed: f64| {
            let impeller = fluid(speed).map_or(0.0, |fluid| fluid.impeller);
            engine.torque(throttle, speed).value + impeller
        };
        let carries = |speed: f64| carried(powertrain, speed, input);
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

    /// Of an engine that runs as fast as it settles, whatever joins it to the gearbox.
    #[test]
    fn the_throttle_that_settles_at_an_acceleration_gives_it() {
        for (name, input, throttle) in [
            ("hmmwv", 0.0, 0.35),
            ("hmmwv", 100.0, 0.25),
            ("man_8x8", 0.0, 0.3),
            ("gator", 200.0, 0.7),
        ] {
            let powertrain = crate::find(name).unwrap().powertrain;
            let gearbox = GearboxState::in_gear(1);
            let ratio = powertrain.gearbox.ratio(1).unwrap();
            let [torque, engine] = settled_with_clutch(&powertrain, throttle, input);
            let (gain, output) = (1e-3, ratio * input);
            let response = |engine: f64| {
                let shafts = ShaftSpeeds { engine, input, output };
                EngineResponse::of(engine_of(&powertrain), &gearbox, shafts, (gain, 2000.0))
            };
            let wanted = gain * torque / ratio;
            // a millionth of some 300 rad/s either way, where the fluid takes some N m more for each
            let found = response(engine).throttle(wanted);
            assert!((found - throttle).abs() < 1e-4, "{name}, {input}: {found}, not {throttle}");
            // one that runs slower is brought up, one that runs faster lets go
            assert!(response(0.8 * engine).throttle(wanted) > found);
            assert!(response(1.2 * engine).throttle(wanted) < found);
            assert_eq!(response(engine).backward().throttle(-wanted), 0.0);
            assert_eq!(response(engine).throttle(1e3), 1.0);
            assert_eq!(response(engine).throttle(-1e3), 0.0);
            assert!(!response(engine).changes_gear);
        }
    }

    #[test]
    fn an_engine_settles_where_the_converter_takes_what_it_gives() {
        let spec = crate::find("hmmwv").unwrap();
        let powertrain = &spec.powertrain;
        let converter = powertrain.converter.as_ref().unwrap();
        for input in [0.0, 100.0, 200.0] {
            let [closed, full] =
                settled_torques(engine_of(powertrain), &GearboxState::in_gear(2), input).unwrap();
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
        assert_eq!(settled_torques(engine_of(powertrain), &GearboxState::in_gear(0), 0.0), None);
    }
}
