//! Speed control with throttle and brake.

use super::PedalView;
use crate::{Controls, EngineResponse};
use bekker_math::numeric::GRAVITY;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Limit of the negative integral: a steady descent.
const MOST_BRAKING_INTEGRAL: f64 = 0.5;
/// Output that holds a vehicle back, over the sine of its descent.
///
/// Brakes decelerate the vehicle by about 0.8 g at an output of one.
const DESCENT: f64 = 1.5;

/// Speed below which a vehicle that is to stand is held, m/s.
pub(super) const STANDSTILL: f64 = 0.2;
/// Speed below which a vehicle that is already held stays held, m/s.
const SETTLING: f64 = 1.0;
/// Speed against the direction of travel at which a driver brakes first, m/s.
const ROLLS_BACK: f64 = 0.1;
/// The same speed while the vehicle pulls away with the brake still applied, m/s.
const SLIPS_BACK: f64 = 0.02;
/// Rate at which the driver applies and releases the brake, 1/s.
const PEDAL_RATE: f64 = 5.0;
/// Sine of the slope up to which a vehicle needs no brake to pull away.
///
/// Its rolling resistance holds it.
const LEVEL: f64 = 0.015;
/// Time after which a driver releases the brake although the thrust does not seem to carry the
/// vehicle, s.
///
/// Something under the wheels may hold the vehicle.
const PATIENCE: f64 = 5.0;
/// Rate at which the throttle grows meanwhile, 1/s, at any target speed.
const PULLING_RATE: f64 = 0.4;

/// Time for which wheels or tracks have not turned, s, after which the throttle grows until they
/// do.
///
/// The rate, 1/s, is added to the request from the speed error.
const FIRMER_AFTER: f64 = 1.0;
const FIRMER_RATE: f64 = 0.4;
/// The same time for a driver with an acceleration limit, s.
///
/// The observed resistance makes that driver request more earlier.
const LATER_FIRMER_AFTER: f64 = 1.5;
/// Speed of vehicle and rims, m/s, above which they turn for a driver that limits its acceleration.
///
/// It is far below the standstill speed, which a gentle start takes seconds to reach.
const STARTED: f64 = 0.02;

/// Share of the requested drive that an engine must deliver before more is requested.
const FOLLOWED: f64 = 0.9;

/// Speed of a rim, m/s, from which its slip counts in full. A wheel that has just started to turn
/// does not slide.
const LEAST_RIM: f64 = 1.0;

/// Largest speed error to which a slip-limiting driver responds, m/s.
///
/// The driver opens the throttle gently, because torque lags behind the throttle and a wheel that
/// has started to spin has less grip.
const GENTLE: f64 = 0.25;

/// Time constant of the resistance estimate, s.
///
/// It is longer than an engine's response time, so that the engine's delay does not count as
/// resistance.
const RESISTANCE_TIME: f64 = 0.5;

/// Speed, m/s, below which the gains grow in inverse proportion to the speed.
const SLOW: f64 = 2.0 * STANDSTILL;
/// Slowest speed that a driver holds, m/s. It stops where less than half of that is requested.
pub const SLOWEST: f64 = 0.02;
/// Excess over a slow speed, as a share of that speed, at which the brake is applied.
const CREEP_BAND: f64 = 0.25;
/// Brake over that excess, s/m, at a speed of 0.4 m/s. It is inversely proportional to the speed.
const CREEP_BRAKING: f64 = 0.5;

/// Decay factor of the integral on a slow descent while the brake works against it.
///
/// The integral is left over from breaking the wheels loose.
const UNWINDING: f64 = 4.0;

/// Largest increase of all gains but the integral's at slow speeds, a factor.
///
/// Thrust lags behind the throttle, and soft ground responds to a burst of throttle with slip.
const MOST_FINENESS: f64 = 4.0;
/// Output over acceleration at slow speeds, s²/m, in inverse proportion to the speed.
///
/// It responds to the thrust that the engine has yet to deliver.
const CREEP_DERIVATIVE: f64 = 0.05;
/// Smoothing time constant of that acceleration, s.
const CREEP_SMOOTHING: f64 = 0.05;

/// A speed to hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeedGoal {
    /// The speed, m/s, in the direction of travel.
    pub speed: f64,
    /// Slowest speed above 0 that is requested at about this time, m/s.
    ///
    /// It is infinite where slow speeds are only passed through on the way to a standstill.
    pub slowest: f64,
}

impl From<f64> for SpeedGoal {
    fn from(speed: f64) -> SpeedGoal {
        SpeedGoal { speed, slowest: f64::INFINITY }
    }
}

impl SpeedGoal {
    /// Creates a goal for a speed, m/s, that is requested as such, however slow.
    pub fn exactly(speed: f64) -> SpeedGoal {
        SpeedGoal { speed, slowest: speed }
    }

    /// Gain relative to ordinary speeds: 1 from 0.4 m/s on.
    fn gain_factor(&self) -> f64 {
        (SLOW / self.speed.max(self.slowest).max(SLOWEST)).max(1.0)
    }

    /// Speed below which a vehicle with this goal counts as standing, m/s.
    pub fn standstill(&self) -> f64 {
        STANDSTILL / self.gain_factor()
    }
}

/// A target acceleration that replaces a target speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AccelerationGoal<'a> {
    /// The acceleration, m/s².
    pub acceleration: f64,
    /// Effect of the pedals.
    pub pedals: PedalView<'a>,
}

/// Motion of a vehicle in its intended direction of travel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LongitudinalState {
    /// Speed of the vehicle, m/s.
    pub speed: f64,
    /// Thrust of the driveline over its weight.
    pub thrust: f64,
    /// Sine of the slope under the vehicle, positive uphill.
    pub slope: f64,
    /// Rim speed of the driven wheel that turns fastest, or of the faster track, m/s; 0 if unknown.
    pub rim: f64,
    /// Largest slip of a driven wheel or track, in either direction; 0 if unknown.
    pub slip: f64,
    /// Acceleration of gravity, m/s².
    pub gravity: f64,
}

impl Default for LongitudinalState {
    fn default() -> LongitudinalState {
        LongitudinalState {
            speed: 0.0,
            thrust: 0.0,
            slope: 0.0,
            rim: 0.0,
            slip: 0.0,
            gravity: GRAVITY,
        }
    }
}

impl LongitudinalState {
    /// Whether both the vehicle and that rim are slower than a vehicle at standstill, m/s.
    fn is_at_rest(&self, standstill: f64) -> bool {
        self.speed.max(self.rim) <= standstill
    }

    /// Slip that the driver limits. For a wheel that has just started to turn, it is reduced in
    /// proportion to its speed.
    fn limited_slip(&self) -> f64 {
        self.slip * (self.rim / LEAST_RIM).clamp(0.0, 1.0)
    }
}

/// Parameters of a PID controller of speed. The defaults suit the HMMWV.
///
/// A positive output opens the throttle. An output below minus the coasting band applies the brake.
/// Down a slope, the output is reduced by what holds the vehicle back. The integral does not grow
/// at full throttle or full brake, and does not change while the vehicle coasts. Neither being
/// stuck nor a hard stop therefore winds it up.
///
/// A vehicle that is to stand, or that rolls against its direction of travel, is braked until it
/// stands, as hard as necessary. From standstill it pulls away against the brake. The brake is
/// released once the thrust of the driveline carries the vehicle up its slope.
///
/// Speeds below 0.4 m/s are held with greater gains, in inverse proportion to the speed. The brake
/// then works against the throttle if the vehicle is too fast.
///
/// A driver with `slip_limit` opens the throttle gently and closes it where a wheel spins. Its
/// wheels therefore stay near the maximum force of a tire on firm ground, beyond which the force
/// falls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpeedControl {
    /// Output over the speed error, s/m.
    pub proportional: f64,
    /// Growth of the output over the speed error, 1/m.
    pub integral: f64,
    /// Reduction of the output over the acceleration, s²/m.
    pub derivative: f64,
    /// Width of the band of outputs below zero in which the vehicle coasts before it brakes.
    pub coasting: f64,
    /// Brake over output.
    pub braking: f64,
    /// Maximum brake at standstill.
    pub hold: f64,
    /// Slip of a driven wheel or track above which the driver closes the throttle in proportion. At
    /// twice this slip, the throttle is closed. Where absent, slip is not limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slip_limit: Option<f64>,
}

impl Default for SpeedControl {
    fn default() -> Self {
        SpeedControl {
            proportional: 0.4,
            integral: 0.15,
            derivative: 0.0,
            coasting: 0.1,
            braking: 1.0,
            hold: 1.0,
            slip_limit: None,
        }
    }
}

/// State of a speed controller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpeedState {
    /// Integral part of the output. For a driver that controls acceleration, it is the resistance,
    /// m/s².
    pub integral: f64,
    /// Speed of the previous step, m/s; at slow speeds smoothed over 50 ms.
    pub last_speed: Option<f64>,
    /// Brake that holds the vehicle at standstill and while it pulls away.
    pub held: f64,
    /// Time for which the vehicle has been pulling away, against that brake or with wheels or
    /// tracks that do not turn, s.
    pub pulling: f64,
}

impl SpeedState {
    /// Updates the estimate of the resistance to the acceleration that pedals or drive `gave`,
    /// m/s².
    ///
    /// It starts from the slope under the vehicle.
    fn update_resistance(&mut self, gave: f64, motion: &LongitudinalState, h: f64) {
        match self.last_speed.replace(motion.speed) {
            Some(last) => {
                let resists = gave - (motion.speed - last) / h;
                self.integral += (h / (RESISTANCE_TIME + h)) * (resists - self.integral);
            }
            None => self.integral = motion.gravity * motion.slope,
        }
    }
}

impl SpeedControl {
    /// State of a driver whose vehicle starts, with the brake applied.
    pub fn start(&self) -> SpeedState {
        SpeedState { held: self.hold, ..SpeedState::default() }
    }

    /// Returns throttle and brake for a step of `h` seconds toward a speed (m/s).
    pub fn controls(
        &self,
        state: &mut SpeedState,
        goal: impl Into<SpeedGoal>,
        motion: &LongitudinalState,
        h: f64,
    ) -> Controls {
        self.controls_with_goal(state, goal, None, motion, h)
    }

    /// Same as [`SpeedControl::controls`], with an optional target acceleration.
    pub fn controls_with_goal(
        &self,
        state: &mut SpeedState,
        goal: impl Into<SpeedGoal>,
        aim: Option<&AccelerationGoal>,
        motion: &LongitudinalState,
        h: f64,
    ) -> Controls {
        let pedals = self.controls_without_slip_limit(state, &goal.into(), aim, motion, h);
        Controls { throttle: self.slip_throttle(motion) * pedals.throttle, ..pedals }
    }

    /// Share of the throttle that remains under the slip of a wheel.
    fn slip_throttle(&self, motion: &LongitudinalState) -> f64 {
        self.slip_limit.map_or(1.0, |limit| (2.0 - motion.limited_slip() / limit).clamp(0.0, 1.0))
    }

    /// Returns throttle and brake without the slip limit.
    fn controls_without_slip_limit(
        &self,
        state: &mut SpeedState,
        goal: &SpeedGoal,
        aim: Option<&AccelerationGoal>,
        motion: &LongitudinalState,
        h: f64,
    ) -> Controls {
        let (speed, target, standstill) = (motion.speed, goal.speed, goal.standstill());
        // a vehicle that is already held stays held while it settles
        let slow = if state.held > 0.0 { SETTLING } else { standstill };
        let is_to_stand = target < standstill && speed.abs() < slow;
        if is_to_stand || speed < -(ROLLS_BACK / goal.gain_factor()).max(SLIPS_BACK) {
            let integral = state.integral;
            let controls = self.hold(state, h);
            // A slip-limiting driver that released the brake too early requests more drive while
            // braking. It does not where a wheel spins, since more drive would reduce the grip.
            let has_let_go = !is_to_stand && self.slip_limit.is_some() && aim.is_none();
            if has_let_go && integral > 0.0 && motion.rim <= STANDSTILL {
                state.integral = (integral + PULLING_RATE * h).min(1.0);
            }
            return controls;
        }
        let pulls = state.held > 0.0 && speed <= standstill;
        let tries = pulls || motion.is_at_rest(standstill) && target > speed;
        state.pulling = if tries { state.pulling + h } else { 0.0 };
        let carried = motion.slope < LEVEL || motion.thrust > motion.slope;
        if pulls && !carried && aim.is_none() {
            state.integral = (state.integral + PULLING_RATE * h).min(1.0);
        }
        let pedals = match aim {
            Some(aim) => aim.controls(state, motion, standstill, h),
            None => self.pid_controls(state, goal, motion, h),
        };
        if !pulls {
            state.held = 0.0;
            return pedals;
        }
        if speed < -SLIPS_BACK {
            state.held += PEDAL_RATE * h;
            state.pulling = 0.0;
        } else if carried || state.pulling > PATIENCE {
            state.held -= PEDAL_RATE * h;
        }
        state.held = state.held.clamp(0.0, self.hold);
        Controls { brake: state.held, ..pedals }
    }

    /// Brakes until the vehicle stands, and holds it.
    pub fn hold(&self, state: &mut SpeedState, h: f64) -> Controls {
        let held = (state.held + PEDAL_RATE * h).min(self.hold);
        *state = SpeedState { held, ..SpeedState::default() };
        Controls { brake: held, ..Controls::default() }
    }

    /// Returns throttle and brake of the PID control.
    fn pid_controls(
        &self,
        state: &mut SpeedState,
        goal: &SpeedGoal,
        motion: &LongitudinalState,
        h: f64,
    ) -> Controls {
        let fineness = goal.gain_factor();
        let gain = fineness.min(MOST_FINENESS);
        let last = state.last_speed.unwrap_or(motion.speed);
        let (acceleration, derivative) = if fineness > 1.0 {
            // at low speeds the stored speed lags
            let smoothed = (motion.speed - last) / (CREEP_SMOOTHING + h);
            state.last_speed = Some(last + h * smoothed);
            (smoothed, self.derivative + gain * CREEP_DERIVATIVE)
        } else {
            state.last_speed = Some(motion.speed);
            ((motion.speed - last) / h, self.derivative)
        };
        let error = goal.speed - motion.speed;
        let error = if self.slip_limit.is_some() { error.min(GENTLE) } else { error };
        let descent = (-motion.slope - LEVEL).max(0.0);
        let direct =
            gain * self.proportional * error - derivative * acceleration - DESCENT * descent;
        let output = direct + state.integral;
        let mut brake = self.braking * (-output - self.coasting);
        if fineness > 1.0 {
            let excess = -error - CREEP_BAND * goal.speed.max(SLOWEST);
            brake = brake.max(gain * CREEP_BRAKING * excess);
        }
        let full = output >= 1.0 || self.slip_throttle(motion) < 1.0;
        // A slow target or a slip limit would add seconds to overcome what holds wheels or tracks
        // at rest.
        if state.pulling > FIRMER_AFTER && motion.is_at_rest(goal.standstill()) && !full {
            state.integral = (state.integral + FIRMER_RATE * h).min(1.0);
        }
        let winding_up = if error > 0.0 { full } else { brake >= 1.0 };
        let coasts = error < 0.0 && output <= 0.0 && brake <= 0.0 && state.integral <= 0.0;
        if !(winding_up || coasts) {
            let descends = fineness > 1.0 && descent > 0.0;
            let fights_brake = descends && brake > 0.0 && state.integral > 0.0;
            let unwinding = if fights_brake { UNWINDING } else { 1.0 };
            let grown = state.integral + unwinding * fineness * self.integral * error * h;
            state.integral = grown.clamp(-MOST_BRAKING_INTEGRAL, 1.0);
        }
        Controls {
            throttle: output.clamp(0.0, 1.0),
            brake: brake.clamp(0.0, 1.0),
            ..Controls::default()
        }
    }
}

impl AccelerationGoal<'_> {
    /// Returns pedals that give the acceleration against all resistance: ground, slope, rotating
    /// parts.
    ///
    /// The resistance is the pedals' acceleration of the last step minus the resulting one,
    /// smoothed: a disturbance observer (Ohnishi, Shibata and Murakami, IEEE/ASME Transactions on
    /// Mechatronics 1 (1996) 56). Pedals at their limits do not wind it up. Neither does a brake
    /// that holds a vehicle at rest, because the slope gives its load.
    fn controls(
        &self,
        state: &mut SpeedState,
        motion: &LongitudinalState,
        standstill: f64,
        h: f64,
    ) -> Controls {
        let PedalView { response, applied, engine } = &self.pedals;
        if let Some(engine) = engine {
            return self.limited_controls(engine, state, motion, standstill, h);
        }
        let rests = motion.is_at_rest(standstill);
        let gave = if rests {
            response.at_rest(applied, motion.gravity * motion.slope)
        } else {
            response.acceleration(applied)
        };
        state.update_resistance(gave, motion, h);
        let pedals = response.pedals(self.acceleration + state.integral);
        // a small acceleration would add seconds to overcome what holds wheels or tracks at rest
        if state.pulling > FIRMER_AFTER && motion.is_at_rest(STARTED) && pedals.throttle < 1.0 {
            state.integral += FIRMER_RATE * (response.full - response.closed).max(0.0) * h;
        }
        pedals
    }

    /// Returns pedals that do not exceed the acceleration while the engine speeds up and gears
    /// change.
    ///
    /// The drive is measured instead of computed from a settled engine and converter, so that
    /// thrust that is still to come does not count as resistance. The throttle brings the engine to
    /// the speed that delivers the request. The brake absorbs the excess drive of shafts
    /// that a gear change slows down.
    fn limited_controls(
        &self,
        engine: &EngineResponse,
        state: &mut SpeedState,
        motion: &LongitudinalState,
        standstill: f64,
        h: f64,
    ) -> Controls {
        let PedalView { response, applied, .. } = &self.pedals;
        let rests = motion.is_at_rest(standstill);
        let drive = motion.gravity * motion.thrust;
        let on_throttle = applied.throttle > 0.0 && applied.throttle < 1.0;
        let gave = if rests {
            response.held_at_rest(drive, applied.brake, motion.gravity * motion.slope)
        } else if engine.slips && !engine.changes_gear && on_throttle && applied.brake == 0.0 {
            // the requested acceleration: an engine that follows late also counts as resistance
            self.acceleration + state.integral
        } else {
            drive - applied.brake * response.brake
        };
        state.update_resistance(gave, motion, h);
        let wanted = self.acceleration + state.integral;
        // while the throttle is closed or gears change, the measured drive replaces the modeled one
        let off_throttle = engine.changes_gear || applied.throttle == 0.0;
        let coasting = if off_throttle { drive } else { response.closed };
        if coasting > wanted && response.brake > 0.0 {
            let brake = ((coasting - wanted) / response.brake).clamp(0.0, 1.0);
            return Controls { brake, ..Controls::default() };
        }
        // A small acceleration would add seconds to overcome what holds wheels or tracks at rest.
        // The request therefore grows, faster with time, once the engine delivers the previous
        // request.
        let patient = state.pulling - LATER_FIRMER_AFTER;
        if patient > 0.0 && motion.is_at_rest(STARTED) && drive > FOLLOWED * wanted {
            state.integral +=
                FIRMER_RATE * patient * (response.full - response.closed).max(0.0) * h;
        }
        let throttle =
            engine.throttle(engine.requested_acceleration(wanted, drive, self.acceleration));
        Controls { throttle, ..Controls::default() }
    }
}

#[cfg(test)]
mod tests;
