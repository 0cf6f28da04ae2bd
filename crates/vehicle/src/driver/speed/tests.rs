use super::*;
use crate::PedalResponse;

fn state_at(speed: f64) -> LongitudinalState {
    LongitudinalState { speed, ..LongitudinalState::default() }
}

/// Simulates a vehicle that responds to throttle with 4 m/s², to brake with -8 m/s², and has
/// drag.
fn drive(drag: f64, target: impl Fn(f64) -> f64, seconds: f64) -> Vec<f64> {
    let control = SpeedControl::default();
    let (mut state, mut speed, h) = (SpeedState::default(), 0.0_f64, 0.01);
    (0..(seconds / h) as usize)
        .map(|step| {
            let c = control.controls(&mut state, target(h * step as f64), &state_at(speed), h);
            assert!(c.throttle == 0.0 || c.brake == 0.0, "throttle against brake");
            let force = 4.0 * c.throttle - 8.0 * c.brake - drag;
            speed = (speed + h * force).max(0.0);
            speed
        })
        .collect()
}

#[test]
fn reaches_its_speed_against_drag_without_an_offset() {
    for drag in [0.0, 1.0, 2.5] {
        let speeds = drive(drag, |_| 8.0, 60.0);
        // without drag it coasts within its band of 0.1 / 0.4 m/s
        let offset = if drag == 0.0 { 0.251 } else { 0.02 };
        assert!((speeds.last().unwrap() - 8.0).abs() < offset);
        let most = speeds.iter().fold(0.0_f64, |most, speed| most.max(*speed));
        assert!(most < 8.0 + 1.2, "overshoots to {most}");
    }
}

/// At a step that takes 70 % of its throttle, before it is reported as immobilized.
#[test]
fn presses_until_wheels_turn_however_slowly_it_is_to_go() {
    let control = SpeedControl::default();
    let (mut state, mut time, h) = (SpeedState::default(), 0.0, 0.01);
    while control.controls(&mut state, 0.8, &state_at(0.0), h).throttle < 0.7 {
        time += h;
        assert!(time < 3.0, "still at {} after {time} s", state.integral);
    }
    // a normal start takes less than a second, so this mechanism does not affect it
    assert!(time > FIRMER_AFTER);
}

#[test]
fn does_not_wind_up_while_it_cannot_reach_its_speed() {
    // 60 s below its target speed at full throttle, then commanded to stop
    let control = SpeedControl::default();
    let mut state = SpeedState::default();
    for _ in 0..6000 {
        let c = control.controls(&mut state, 4.0, &state_at(2.0), 0.01);
        assert!(c.throttle <= 1.0);
    }
    // the rest above the proportional part of 0.8, and one step
    assert!(state.integral <= 0.2 + 0.01, "wound up to {}", state.integral);
    let slow = control.controls(&mut state, 0.0, &state_at(2.0), 0.01);
    assert_eq!(slow.throttle, 0.0);
    assert!(slow.brake > 0.0, "still drives after having been stuck");
}

#[test]
fn slows_down_and_follows_a_change() {
    let speeds = drive(0.5, |t| if t < 20.0 { 10.0 } else { 4.0 }, 60.0);
    assert!((speeds[1999] - 10.0).abs() < 0.3);
    assert!((speeds.last().unwrap() - 4.0).abs() < 0.05);
}

/// Simulates a vehicle on a slope whose thrust follows the throttle within 0.5 s.
///
/// Its brake holds or decelerates it by up to 8 m/s².
fn climb(slope: f64, speed: f64, throttle: f64, seconds: f64) -> (f64, f64) {
    let (speed, back, _) = drive_on_slope(slope, speed, throttle, seconds, 3.0);
    (speed, back)
}

/// Simulates the same vehicle from a speed, and returns the speed at the end, the farthest
/// position back and the highest speed.
fn drive_on_slope(
    slope: f64,
    speed: f64,
    throttle: f64,
    seconds: f64,
    target: f64,
) -> (f64, f64, f64) {
    let control = SpeedControl::default();
    let (mut state, mut speed, h) = (control.start(), speed, 0.001);
    let (mut thrust, mut back, mut place, mut most_speed) = (0.0, 0.0_f64, 0.0_f64, speed);
    for _ in 0..(seconds / h) as usize {
        let c = control.controls(
            &mut state,
            target,
            &LongitudinalState { speed, thrust, slope, ..LongitudinalState::default() },
            h,
        );
        thrust += (throttle * c.throttle - thrust) * h / 0.5;
        let free = speed + h * 9.81 * (thrust - slope);
        let most = h * 8.0 * c.brake;
        speed = free - free.clamp(-most, most);
        place += h * speed;
        back = back.min(place);
        most_speed = most_speed.max(speed);
    }
    (speed, back, most_speed)
}

#[test]
fn pulls_away_uphill_without_rolling_back() {
    for slope in [0.0, 0.1, 0.3, 0.5, -0.2] {
        let (speed, back) = climb(slope, 0.0, 0.7, 20.0);
        assert!((speed - 3.0).abs() < 0.5, "{speed} m/s on {slope}");
        assert!(back > -1e-3, "rolls back by {back} m on {slope}");
    }
}

#[test]
fn descends_at_its_speed() {
    for slope in [-0.05, -0.1, -0.2, -0.3, -0.4] {
        for target in [2.5, 6.0] {
            let (speed, _, most) = drive_on_slope(slope, 0.0, 0.7, 15.0, target);
            // it coasts within its band of 0.1 / 0.4 m/s
            assert!((speed - target).abs() < 0.26, "{speed} m/s for {target} on {slope}");
            // the engine responds half a second late; on level ground the overshoot is also 0.9
            // m/s
            assert!(most < target + 1.0, "overshoots {target} to {most} m/s on {slope}");
        }
    }
}

#[test]
fn creeps_up_a_hill_without_waiting_for_its_integral() {
    // at 0.5 m/s the proportional part is a fifth of the throttle, and half is required
    let (speed, back, _) = drive_on_slope(0.35, 0.0, 0.7, 4.0, 0.5);
    assert!(speed > 0.1 && back > -1e-3, "{speed} m/s, back by {back} m, after 4 s");
}

#[test]
fn a_vehicle_that_rolls_back_is_braked_and_then_pulls_away() {
    let (speed, back) = climb(0.3, -5.0, 0.7, 20.0);
    assert!((speed - 3.0).abs() < 0.5, "{speed} m/s");
    // 0.2 s until the brake is on, then 25 m²/s² over 2 (8 - 0.29 g) m/s²
    assert!(back > -4.0, "rolls back by {back} m");
}

#[test]
fn one_too_weak_holds_with_its_brake() {
    let (speed, back) = climb(0.5, 0.0, 0.3, 60.0);
    // it releases once in 5 s, and slips back for the driver's reaction time
    assert!(speed.abs() < 0.2 && back > -0.5, "{speed} m/s after {back} m");
}

/// Accelerates from standstill with a target acceleration, on a slope and against a resistance
/// to its wheels, m/s².
///
/// Returns the seconds until it has rolled 0.2 m, the farthest position back, and the mean
/// acceleration from then on up to 2 m/s.
fn gain_speed(slope: f64, rolling: f64, acceleration: f64) -> [f64; 3] {
    let control = SpeedControl::default();
    let response = PedalResponse { closed: 0.4, full: 5.0, brake: 8.0 };
    let (mut state, mut applied, h) = (control.start(), Controls::default(), 0.002);
    let (mut drive, mut speed, mut place, mut back) = (0.0, 0.0_f64, 0.0_f64, 0.0_f64);
    let (mut time, mut begun) = (0.0, None);
    while speed < 2.0 && time < 30.0 {
        let pedals = PedalView { response, applied, engine: None };
        let aim = AccelerationGoal { acceleration, pedals };
        let motion = LongitudinalState {
            speed,
            thrust: drive / GRAVITY,
            slope,
            rim: speed,
            ..LongitudinalState::default()
        };
        applied = control.controls_with_goal(&mut state, 5.0, Some(&aim), &motion, h);
        // the engine responds late
        let asked = response.acceleration(&Controls { brake: 0.0, ..applied });
        drive += (asked - drive) * h / 0.3;
        let free = speed + h * (drive - GRAVITY * slope);
        let most = h * (8.0 * applied.brake + rolling);
        speed = free - free.clamp(-most, most);
        place += h * speed;
        back = back.min(place);
        time += h;
        if place > 0.2 {
            begun.get_or_insert([time, speed]);
        }
    }
    let [from, first] = begun.unwrap_or([time, speed]);
    [from, back, (speed - first) / (time - from)]
}

#[test]
fn one_that_aims_at_an_acceleration_gains_it_up_any_slope() {
    for slope in [-0.1, 0.0, 0.02, 0.06, 0.3] {
        for rolling in [0.1, 0.8] {
            for aimed in [0.3, 1.5] {
                let [time, back, gained] = gain_speed(slope, rolling, aimed);
                let case = format!("{aimed} m/s² on {slope} against {rolling}");
                // twice the 1.2 s that 0.2 m take at 0.3 m/s², plus the build-up before
                assert!(time < 3.5, "{case}: gone after {time} s");
                assert!(back > -0.01, "{case}: rolls back by {back} m");
                // the excess that overcame the resistance at rest decays in half a second
                assert!((gained - aimed).abs() < 0.25 * aimed, "{case}: gains {gained}");
            }
        }
    }
}
