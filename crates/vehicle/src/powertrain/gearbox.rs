//! An automatic gearbox: its ratios, its shift speeds, and how gears engage.
//!
//! Between forward gears, the ratio changes linearly within the shift time: the clutches hand over
//! under power. From neutral, or between forward and reverse, the clutch of the new gear slips
//! until that time is over. Its drag alone brings the input shaft to speed with a time constant of
//! T (1 - s)/(10 s), where T is the shift time and s the elapsed fraction of it.
//!
//! Where wheels slip, an upshift reduces the torque on them and therefore their slip, and the input
//! turns too slowly for the gear. A gearbox that used only the input's speed would shift up and
//! down forever. The gearbox therefore counts upshifts that are reversed under power within 10 s.
//! After one such upshift, it shifts up only if the gear above could carry, at full throttle, what
//! the current gear carries now. After more of them it also waits, twice as long each time.

use super::RPM;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Speed of the gearbox's output, rad/s, above which it refuses to reverse.
const REVERSING_SPEED: f64 = 5.0;
/// Share of a lower gear's upshift speed above which that gear is not engaged.
///
/// It would soon be shifted up again, and a vehicle at that speed would hunt between both gears.
const HUNTING: f64 = 0.85;
/// Time within which a downshift under power counts as reversing an upshift, s.
const TAKEN_BACK: f64 = 10.0;
/// Time until the next upshift after the second reversed upshift, s. It doubles with each further
/// one.
const PAUSE: f64 = 10.0;
/// Largest counted number of reversed upshifts.
const MOST_TAKEN_BACK: u8 = 8;
/// Number of bits for the stored tick of the last shift. The count of reversed upshifts is above
/// them.
const TICK_BITS: u32 = 56;
/// Shift time over the time constant of a clutch halfway through its engagement.
const CLUTCH_TIMES: f64 = 10.0;
/// Compliance of a gearbox in neutral, (rad/s)/(N m s), which makes its constraint row ineffective.
pub(crate) const NEUTRAL: f64 = 1e6;
/// Compliance of an engaged gearbox, the same as for any closed constraint.
const ENGAGED: f64 = 1e-10;

/// Ratios, shift speeds and inertias of an automatic gearbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gearbox {
    /// Forward ratios from first gear, as output speed over input speed.
    pub ratios: Vec<f64>,
    /// Ratio of reverse gear; negative.
    pub reverse: f64,
    /// Speed of the input shaft (the turbine) above which the gearbox shifts up, rpm.
    pub upshift_rpm: f64,
    /// Speed of the input shaft below which the gearbox shifts down, rpm.
    pub downshift_rpm: f64,
    /// Speeds of the input shaft at which each gear shifts down and up, rpm. They replace
    /// `downshift_rpm` and `upshift_rpm`, and must be given for all gears or none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shift_rpm: Vec<[f64; 2]>,
    /// Minimum time between two shifts, s.
    pub latency: f64,
    /// Duration of a shift, s, during which the ratio changes; 0 shifts at once.
    #[serde(default = "default_shift_time")]
    pub shift_time: f64,
    /// Inertia of the input shaft with the turbine, kg m².
    pub input_inertia: f64,
    /// Inertia of the output shaft, kg m².
    pub output_inertia: f64,
}

/// Default shift time. Automatic gearboxes of trucks take about 0.3 s to 0.8 s.
fn default_shift_time() -> f64 {
    0.5
}

/// Position of the driver's gear lever.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Selector {
    /// Forward, with automatic shifts.
    #[default]
    Drive,
    /// Neutral: engine and wheels are disconnected.
    Neutral,
    /// Backward.
    Reverse,
}

impl Selector {
    /// Direction of travel: 1 forward, -1 backward, 0 in neutral.
    pub fn sense(self) -> f64 {
        match self {
            Selector::Drive => 1.0,
            Selector::Neutral => 0.0,
            Selector::Reverse => -1.0,
        }
    }
}

/// Constraint between the shafts of a gearbox: output - ratio · input = softness · impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GearConstraint {
    /// Output speed over input speed.
    pub ratio: f64,
    /// Slip of the output per impulse on it, (rad/s)/(N m s).
    pub softness: f64,
}

/// Load that the gearbox carries at the moment.
#[derive(Clone, Copy)]
pub struct GearboxLoad<'a> {
    /// Whether the engine drives the vehicle.
    pub drives: bool,
    /// Whether a gear could carry, at full throttle, the present load.
    pub could_carry: &'a dyn Fn(i32) -> bool,
}

/// Engaged gear and the time of the last shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredGearbox", into = "StoredGearbox")]
pub struct GearboxState {
    /// Gear: 1 first, 0 neutral, -1 reverse.
    pub gear: i32,
    /// Gear before the last shift.
    pub before: i32,
    /// Tick of the last shift.
    pub shifted_at: u64,
    /// Consecutive upshifts that were reversed under power.
    pub taken_back: u8,
}

/// [`GearboxState`] as it is stored.
///
/// The count of reversed upshifts is in the bits above the tick. A state without any has the same
/// bytes as a state without the count.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename = "GearboxState")]
struct StoredGearbox {
    gear: i32,
    before: i32,
    shifted_at: u64,
}

impl From<GearboxState> for StoredGearbox {
    fn from(state: GearboxState) -> StoredGearbox {
        let GearboxState { gear, before, shifted_at, taken_back } = state;
        StoredGearbox { gear, before, shifted_at: shifted_at | u64::from(taken_back) << TICK_BITS }
    }
}

impl From<StoredGearbox> for GearboxState {
    fn from(stored: StoredGearbox) -> GearboxState {
        let StoredGearbox { gear, before, shifted_at } = stored;
        let taken_back = ((shifted_at >> TICK_BITS) as u8).min(MOST_TAKEN_BACK);
        GearboxState { gear, before, shifted_at: shifted_at & ((1 << TICK_BITS) - 1), taken_back }
    }
}

impl Default for GearboxState {
    fn default() -> Self {
        GearboxState::in_gear(1)
    }
}

impl GearboxState {
    /// State of a gear that has been engaged for a long time.
    pub fn in_gear(gear: i32) -> GearboxState {
        GearboxState { gear, before: gear, shifted_at: 0, taken_back: 0 }
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

    /// Returns the gear of a vehicle that rolls with this speed of the output shaft, rad/s.
    ///
    /// Forward, it is the lowest gear that does not require an upshift. Backward it is reverse,
    /// which has no gear above it, or neutral if the engine would exceed 1.5 times the upshift
    /// speed.
    pub fn fitting_gear(&self, output_speed: f64) -> i32 {
        if output_speed < 0.0 {
            let most = 1.5 * self.upshift_rpm * RPM;
            return if output_speed / self.reverse <= most { -1 } else { 0 };
        }
        let fits = |gear: usize| output_speed / self.ratios[gear] <= self.shift_speeds(gear)[1];
        (0..self.ratios.len()).position(fits).map_or(self.ratios.len(), |index| index + 1) as i32
    }

    /// Input speeds below and above which the gear of this index shifts, rad/s.
    fn shift_speeds(&self, gear: usize) -> [f64; 2] {
        let all = [self.downshift_rpm, self.upshift_rpm];
        self.shift_rpm.get(gear).unwrap_or(&all).map(|rpm| rpm * RPM)
    }

    /// Shifts if the speeds (rad/s) of the input and output shafts require it at this tick.
    ///
    /// `ticks` is the current tick and the number of ticks per second. The gearbox shifts up and
    /// down by one gear. A shift waits at least the latency after the last shift. The gearbox does
    /// not shift down into a gear that would soon require an upshift, and not repeatedly up into a
    /// gear that does not carry the vehicle. It obeys the lever at once, but engages a gear against
    /// the vehicle's rolling direction only near standstill. An engaged gear stays engaged when the
    /// vehicle starts to roll the other way.
    pub fn shift(
        &self,
        state: &mut GearboxState,
        selector: Selector,
        [input_speed, output_speed]: [f64; 2],
        carried: &GearboxLoad<'_>,
        ticks: [u64; 2],
    ) {
        let [tick, _] = ticks;
        let gear = match selector {
            Selector::Neutral => 0,
            Selector::Reverse if state.gear < 0 => -1,
            Selector::Reverse if output_speed > REVERSING_SPEED => 0,
            Selector::Reverse => -1,
            Selector::Drive if state.gear > 0 => self.automatic(state, input_speed, carried, ticks),
            Selector::Drive if output_speed < -REVERSING_SPEED => 0,
            Selector::Drive => self.fitting_gear(output_speed.max(0.0)),
        };
        if gear != state.gear {
            let taken_back = taken_back(state, gear, carried.drives, ticks);
            *state = GearboxState { gear, before: state.gear, shifted_at: tick, taken_back };
        }
    }

    /// Returns the constraint between the shafts at this tick, in a step of `h` seconds.
    pub fn constraint(&self, state: &GearboxState, tick: u64, h: f64) -> GearConstraint {
        let Some(ratio) = self.ratio(state.gear) else {
            return GearConstraint { ratio: self.ratios[0], softness: NEUTRAL };
        };
        let passed = h * tick.saturating_sub(state.shifted_at) as f64;
        if state.gear == state.before || passed >= self.shift_time {
            return GearConstraint { ratio, softness: ENGAGED };
        }
        let part = passed / self.shift_time;
        if state.gear > 0
            && state.before > 0
            && let Some(before) = self.ratio(state.before)
        {
            return GearConstraint { ratio: before + (ratio - before) * part, softness: ENGAGED };
        }
        let time = self.shift_time * (1.0 - part) / (CLUTCH_TIMES * part);
        let softness = ratio * ratio * time / (self.input_inertia * h);
        GearConstraint { ratio, softness: softness.clamp(ENGAGED, NEUTRAL) }
    }

    fn automatic(
        &self,
        state: &GearboxState,
        input_speed: f64,
        carried: &GearboxLoad<'_>,
        [tick, ticks_per_second]: [u64; 2],
    ) -> i32 {
        let [down, up] = self.shift_speeds(state.gear.max(1) as usize - 1);
        let pause = self.latency.max(self.shift_time);
        let pause = (pause * ticks_per_second as f64).round() as u64;
        if tick.saturating_sub(state.shifted_at) < pause {
            state.gear
        } else if input_speed > up {
            let above = (state.gear + 1).min(self.ratios.len() as i32);
            let passed = tick.saturating_sub(state.shifted_at) as f64 / ticks_per_second as f64;
            let waits = passed < pause_after(state.taken_back);
            let is_tried = above > state.gear && state.taken_back > 0;
            let is_held = is_tried && (waits || !(carried.could_carry)(above));
            if is_held { state.gear } else { above }
        } else if input_speed < down && !self.would_hunt(state.gear, input_speed) {
            (state.gear - 1).max(1)
        } else {
            state.gear
        }
    }

    /// Whether the gear below would turn its input so fast that it would soon be shifted up again.
    fn would_hunt(&self, gear: i32, input_speed: f64) -> bool {
        let [Some(own), Some(below)] = [gear, (gear - 1).max(1)].map(|gear| self.ratio(gear))
        else {
            return false;
        };
        let [_, up] = self.shift_speeds((gear - 1).max(1) as usize - 1);
        input_speed * own / below > HUNTING * up
    }
}

/// Time from a downshift to the next upshift after this many reversed upshifts, s.
fn pause_after(taken_back: u8) -> f64 {
    match taken_back {
        0 | 1 => 0.0,
        more => PAUSE * f64::from(1_u32 << (more.min(MOST_TAKEN_BACK) - 2)),
    }
}

/// Number of consecutive reversed upshifts once a gear is engaged at this tick.
///
/// The count restarts after a higher gear that was held for longer, and after any gear that does
/// not drive forward.
fn taken_back(
    state: &GearboxState,
    gear: i32,
    drives: bool,
    [tick, ticks_per_second]: [u64; 2],
) -> u8 {
    let passed = tick.saturating_sub(state.shifted_at) as f64 / ticks_per_second as f64;
    let shifted_up = state.before > 0 && state.before < state.gear;
    if gear <= 0 || state.gear <= 0 || shifted_up && passed > TAKEN_BACK {
        return 0;
    }
    let takes_back = drives && shifted_up && gear < state.gear;
    (state.taken_back + u8::from(takes_back)).min(MOST_TAKEN_BACK)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A load that every gear can carry.
    const EASY: GearboxLoad<'static> = GearboxLoad { drives: true, could_carry: &|_| true };

    fn gearbox() -> Gearbox {
        Gearbox {
            ratios: vec![0.2, 0.4, 0.8],
            reverse: -0.1,
            upshift_rpm: 2500.0,
            downshift_rpm: 1200.0,
            shift_rpm: Vec::new(),
            latency: 1.0,
            shift_time: 0.4,
            input_inertia: 0.3,
            output_inertia: 0.5,
        }
    }

    #[test]
    fn shifts_one_gear_at_a_time_and_waits() {
        let gearbox = gearbox();
        let mut state = GearboxState::default();
        let mut shift = |rpm: f64, tick| {
            gearbox.shift(&mut state, Selector::Drive, [rpm * RPM, 10.0], &EASY, [tick, 1000]);
            state.gear
        };
        assert_eq!(shift(2600.0, 999), 1, "the latency counts from the start");
        assert_eq!(shift(2600.0, 1000), 2);
        assert_eq!(shift(2600.0, 1999), 2);
        assert_eq!(shift(2600.0, 2000), 3);
        assert_eq!(shift(2600.0, 9000), 3, "there is no fourth");
        assert_eq!(shift(1800.0, 9500), 3);
        // in second gear the input would turn at 2200 rpm, too close to the 2500 of an upshift
        assert_eq!(shift(1100.0, 9600), 3);
        assert_eq!(shift(1000.0, 9700), 2);
        assert_eq!(shift(1000.0, 9800), 2);
        assert_eq!(shift(1000.0, 10700), 1);
        assert_eq!(shift(0.0, 20000), 1);
    }

    #[test]
    fn each_gear_has_its_own_shift_speeds() {
        let shift_rpm = vec![[900.0, 1500.0], [1000.0, 2000.0], [1100.0, 2600.0]];
        let gearbox = Gearbox { shift_rpm, ..gearbox() };
        let mut state = GearboxState::default();
        let mut shift = |rpm: f64, tick| {
            gearbox.shift(&mut state, Selector::Drive, [rpm * RPM, 10.0], &EASY, [tick, 1000]);
            state.gear
        };
        assert_eq!(shift(1499.0, 2000), 1);
        assert_eq!(shift(1501.0, 3000), 2);
        assert_eq!(shift(1999.0, 5000), 2);
        assert_eq!(shift(2001.0, 6000), 3);
        // in second gear the input would turn at 1680 rpm or less, below 0.85 of 2000
        assert_eq!(shift(840.0, 8000), 2);
        // in first gear the input would turn at 1900 rpm, above the upshift speed of first gear
        assert_eq!(shift(950.0, 10000), 2);
        // 1500 rpm in first gear are 31.4 rad/s at the output, 2000 rpm in second gear 83.8
        for (output, gear) in [(31.0, 1), (32.0, 2), (83.0, 2), (85.0, 3)] {
            assert_eq!(gearbox.fitting_gear(output), gear, "{output} rad/s");
        }
    }

    #[test]
    fn reverses_only_near_standstill() {
        let gearbox = gearbox();
        let mut state = GearboxState::in_gear(2);
        gearbox.shift(&mut state, Selector::Reverse, [200.0, 60.0], &EASY, [100, 1000]);
        assert_eq!(gearbox.ratio(state.gear), None);
        gearbox.shift(&mut state, Selector::Reverse, [10.0, 1.0], &EASY, [200, 1000]);
        assert_eq!(gearbox.ratio(state.gear), Some(-0.1));
        gearbox.shift(&mut state, Selector::Drive, [10.0, -20.0], &EASY, [300, 1000]);
        assert_eq!(state.gear, 0);
        gearbox.shift(&mut state, Selector::Drive, [10.0, -1.0], &EASY, [400, 1000]);
        assert_eq!(state, GearboxState { before: 0, shifted_at: 400, ..GearboxState::in_gear(1) });
    }

    #[test]
    fn a_gear_stays_engaged_when_the_vehicle_rolls_back() {
        let gearbox = gearbox();
        for (selector, sense) in [(Selector::Drive, 1), (Selector::Reverse, -1)] {
            let mut state = GearboxState::in_gear(sense);
            let speeds = [-300.0, f64::from(-60 * sense)];
            gearbox.shift(&mut state, selector, speeds, &EASY, [5000, 1000]);
            assert_eq!(state.gear, sense);
        }
    }

    #[test]
    fn the_gear_fits_the_speed() {
        let gearbox = gearbox();
        // 2500 rpm are 261.8 rad/s: first gear extends to 52.4 rad/s at the output, second to
        // 104.7, and reverse to one and a half times -26.2.
        for (output, gear) in [
            (0.0, 1),
            (52.0, 1),
            (53.0, 2),
            (104.0, 2),
            (105.0, 3),
            (900.0, 3),
            (-39.0, -1),
            (-40.0, 0),
        ] {
            assert_eq!(gearbox.fitting_gear(output), gear, "{output} rad/s");
        }
    }

    #[test]
    fn shifts_take_their_time() {
        let gearbox = gearbox();
        let at = |before, gear, tick| {
            let state = GearboxState { before, shifted_at: 1000, ..GearboxState::in_gear(gear) };
            gearbox.constraint(&state, tick, 1e-3)
        };
        for (tick, ratio) in [(1000, 0.2), (1100, 0.25), (1200, 0.3), (1400, 0.4), (9000, 0.4)] {
            let coupling = at(1, 2, tick);
            assert!((coupling.ratio - ratio).abs() < 1e-12, "{coupling:?} at {tick}");
            assert_eq!(coupling.softness, ENGAGED);
        }
        assert_eq!(at(1, 0, 1000).softness, NEUTRAL);
        let mut before = NEUTRAL;
        for tick in 1000..=1400 {
            let coupling = at(0, -1, tick);
            assert_eq!(coupling.ratio, -0.1);
            assert!(coupling.softness <= before, "releases at {tick}");
            before = coupling.softness;
        }
        assert_eq!(before, ENGAGED);
        // the drag at half time brings 0.3 kg m² to speed within 40 ms
        let halfway = at(0, -1, 1200).softness;
        assert!((halfway - 0.1 * 0.1 * 0.04 / (0.3 * 1e-3)).abs() < 1e-12);
    }

    /// A vehicle whose input overspeeds in the lower gear and lugs in the upper one shifts less and
    /// less often. A vehicle that the upper gear carries shifts once.
    #[test]
    fn an_upshift_that_is_taken_back_is_not_tried_for_ever() {
        let gearbox = gearbox();
        let shifts = |could_carry: &dyn Fn(i32) -> bool, upper: f64, seconds: u64| {
            let mut state = GearboxState::in_gear(1);
            let carried = GearboxLoad { drives: true, could_carry };
            let mut shifts = Vec::new();
            for tick in 0..1000 * seconds {
                let gear = state.gear;
                let rpm = if gear == 1 { 2600.0 } else { upper };
                let speeds = [rpm * RPM, 10.0];
                gearbox.shift(&mut state, Selector::Drive, speeds, &carried, [tick, 1000]);
                if state.gear != gear {
                    shifts.push(tick / 1000);
                }
            }
            (shifts, state)
        };
        // 1000 rpm in second gear would be 2000 in first, below 0.85 of 2500
        let (all, _) = shifts(&|_| true, 1000.0, 200);
        assert_eq!(all, [1, 2, 3, 4, 14, 15, 35, 36, 76, 77, 157, 158]);
        // since second gear could not carry the load, it stays in first gear after one attempt
        let (tried, state) = shifts(&|_| false, 1000.0, 200);
        assert_eq!((tried, state.gear, state.taken_back), (vec![1, 2], 1, 1));
        let (easy, state) = shifts(&|_| false, 1800.0, 200);
        assert_eq!((easy, state.gear, state.taken_back), (vec![1], 2, 0));
    }

    #[test]
    fn a_gear_that_was_held_ends_the_row_of_upshifts_taken_back() {
        let second = GearboxState { before: 1, taken_back: 3, ..GearboxState::in_gear(2) };
        for (gear, drives, tick, count) in [
            (1, true, 9_000, 4),
            (1, false, 9_000, 3),
            (1, true, 11_000, 0),
            (3, true, 9_000, 3),
            (0, true, 9_000, 0),
        ] {
            assert_eq!(taken_back(&second, gear, drives, [tick, 1000]), count, "{gear} at {tick}");
        }
    }

    #[test]
    fn a_gearbox_that_does_not_hunt_is_stored_as_gears_and_a_tick() {
        let state = GearboxState { before: 1, shifted_at: 123_456, ..GearboxState::in_gear(2) };
        let stored = serde_json::json!({ "gear": 2, "before": 1, "shifted_at": 123_456 });
        assert_eq!(serde_json::to_value(state).unwrap(), stored);
        let hunts = GearboxState { taken_back: 5, ..state };
        for state in [state, hunts] {
            let stored = serde_json::to_value(state).unwrap();
            assert_eq!(serde_json::from_value::<GearboxState>(stored).unwrap(), state);
        }
    }
}
