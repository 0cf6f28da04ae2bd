//! Detection of the steady speed of a vehicle that drives straight ahead.

use super::crossing::MIN_STEADY_SPEED;
use bekker_math::numeric::{hypot, sin_cos};
use bekker_ranks::{Flow, HeartbeatInfo, Observer};
use bekker_scenario::config::VehicleConfig;
use std::convert::Infallible;

/// Largest distance of a vehicle from its path, m: a lane width.
const OFF_COURSE: f64 = 3.0;
/// Length of the pieces of the path over which mean speeds are taken, m, without obstacles.
const PIECE: f64 = 5.0;
/// Largest spacing of obstacles for which a piece is a whole multiple of it, m.
const LONGEST_PIECE: f64 = 50.0;
/// Time and distance over which a mean speed is taken, s and m; the shorter of the two applies.
const WINDOW: [f64; 2] = [2.5, 25.0];
/// Smallest number of pieces over which a mean speed is taken.
const MIN_PIECES: f64 = 2.0;
/// Largest relative change of a steady speed over three windows.
///
/// A speed that approaches its limit over a length of 100 m is then within 3 % of it.
const STEADY: f64 = 0.015;
/// Longest drive over a plane, m.
pub(super) const MAX_DRIVE_LENGTH: f64 = 400.0;

/// Pieces of the path over which mean speeds are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AveragingPieces {
    /// Length of a piece, m.
    piece: f64,
}

impl AveragingPieces {
    /// Creates pieces that all hold the same number of obstacles.
    ///
    /// `spacing` is the distance between obstacles, m, or `None` without any.
    pub fn with_spacing(spacing: Option<f64>) -> AveragingPieces {
        let piece = spacing
            .filter(|spacing| *spacing <= LONGEST_PIECE)
            .map_or(PIECE, |spacing| spacing * (PIECE / spacing).ceil());
        AveragingPieces { piece }
    }

    /// Returns the number of pieces of a window at a speed, m/s.
    fn window(&self, speed: f64) -> usize {
        let [time, distance] = WINDOW;
        ((speed * time).min(distance) / self.piece).ceil().max(MIN_PIECES) as usize
    }
}

/// A straight path from a vehicle's start.
struct StraightPath {
    from: [f64; 2],
    towards: [f64; 2],
    is_off_course: bool,
}

impl StraightPath {
    fn from_start(vehicle: &VehicleConfig) -> StraightPath {
        let (sin, cos) = sin_cos(vehicle.heading_deg.to_radians());
        StraightPath { from: vehicle.position, towards: [cos, sin], is_off_course: false }
    }

    /// Returns the distance of a point along the path, m; records a point that is off course.
    fn along(&mut self, x: f64, y: f64) -> f64 {
        let [x, y] = [x - self.from[0], y - self.from[1]];
        let [cos, sin] = self.towards;
        self.is_off_course |= (y * cos - x * sin).abs() > OFF_COURSE;
        x * cos + y * sin
    }
}

/// Observes a vehicle until its speed is steady.
pub(super) struct SteadySpeedObserver {
    axis: StraightPath,
    averaging: AveragingPieces,
    /// Time and distance along the path at the last heartbeat, s and m.
    last: [f64; 2],
    /// End time of each piece of the path, s; the first element is the start.
    ends: Vec<f64>,
    speed: Option<f64>,
}

impl SteadySpeedObserver {
    pub fn new(vehicle: &VehicleConfig, averaging: AveragingPieces) -> SteadySpeedObserver {
        let axis = StraightPath::from_start(vehicle);
        SteadySpeedObserver { axis, averaging, last: [0.0; 2], ends: vec![0.0], speed: None }
    }

    /// Returns the steady speed, m/s; `None` if the vehicle does not keep going.
    pub fn speed(&self) -> Option<f64> {
        self.speed
    }

    pub fn is_off_course(&self) -> bool {
        self.axis.is_off_course
    }

    /// Returns the mean speed over the last `pieces` pieces up to piece `end`, m/s.
    fn mean(&self, end: usize, pieces: usize) -> f64 {
        let pieces = pieces.min(end);
        pieces as f64 * self.averaging.piece / (self.ends[end] - self.ends[end - pieces])
    }

    /// Returns the steady speed, m/s, if the last windows agree.
    fn steady(&self) -> Option<f64> {
        let last = self.ends.len() - 1;
        let window = self.averaging.window(self.mean(last, 1));
        let now = self.mean(last, window);
        if last < 3 * window {
            return None;
        }
        let before = [1, 2].map(|n| self.mean(last - n * window, window));
        before.iter().all(|own| (now - own).abs() <= STEADY * now).then_some(now)
    }

    /// Processes a heartbeat at a time, s, and a distance along the path, m; returns whether the
    /// result is final.
    fn record(&mut self, time: f64, distance: f64) -> bool {
        let [before, behind] = self.last;
        self.last = [time, distance];
        let piece = self.averaging.piece;
        while distance > behind && distance >= piece * self.ends.len() as f64 {
            let share = (piece * self.ends.len() as f64 - behind) / (distance - behind);
            self.ends.push(before + share * (time - before));
            let last = self.ends.len() - 1;
            if let Some(speed) = self.steady() {
                self.speed = Some(speed).filter(|speed| *speed >= MIN_STEADY_SPEED);
                return true;
            }
            if piece * last as f64 >= MAX_DRIVE_LENGTH {
                // the speed keeps changing, as when the gearbox hunts: the mean of the second half
                let mean = self.mean(last, last.div_ceil(2));
                self.speed = Some(mean).filter(|speed| *speed >= MIN_STEADY_SPEED);
                return true;
            }
        }
        // slower than a crawl over a whole piece
        time - self.ends[self.ends.len() - 1] > piece / MIN_STEADY_SPEED
    }
}

impl Observer<Infallible> for SteadySpeedObserver {
    fn on_heartbeat(&mut self, moment: &HeartbeatInfo<'_>) -> Result<Flow, Infallible> {
        let Some(sample) = moment.samples().and_then(<[_]>::first) else {
            return Ok(Flow::Continue);
        };
        let distance = self.axis.along(sample.pose.position.x, sample.pose.position.y);
        let over = self.record(moment.time, distance) || self.is_off_course();
        Ok(if over { Flow::Stop } else { Flow::Continue })
    }
}

/// Result of a pass over a cell; speeds are m/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pass {
    pub entry: f64,
    pub exit: f64,
    /// Length over time.
    pub mean: f64,
}

impl Pass {
    /// Returns the entry speed at which the next pass should leave as it enters.
    ///
    /// The square of the exit speed is modeled as a linear function of the square of the entry
    /// speed. This is exact for a force that is linear in the square of the speed.
    pub fn next_entry(passes: &[Pass]) -> f64 {
        let square = |speed: f64| speed * speed;
        let Some([first, last]) = passes.last_chunk::<2>() else {
            return passes.last().map_or(0.0, |own| own.exit);
        };
        let difference = square(last.entry) - square(first.entry);
        let slope = if difference.abs() > 1e-3 {
            ((square(last.exit) - square(first.exit)) / difference).clamp(0.0, 0.9)
        } else {
            0.0
        };
        let fixed = (square(last.exit) - slope * square(last.entry)) / (1.0 - slope);
        fixed.max(square(0.5 * last.exit)).sqrt().min(2.0 * last.exit.max(MIN_STEADY_SPEED))
    }
}

/// Observes a vehicle that approaches and crosses a cell.
pub(super) struct PassObserver {
    axis: StraightPath,
    /// Distances of entry and exit from the start, m.
    bounds: [f64; 2],
    /// Time and distance along the path at the last heartbeat, s and m.
    last: [f64; 2],
    /// Time, s, and speed, m/s, at entry and at exit.
    entered: Option<[f64; 2]>,
    left: Option<[f64; 2]>,
    gear: i32,
}

impl PassObserver {
    pub fn new(vehicle: &VehicleConfig, lead_in: f64, length: f64) -> PassObserver {
        PassObserver {
            axis: StraightPath::from_start(vehicle),
            bounds: [lead_in, lead_in + length],
            last: [0.0; 2],
            entered: (lead_in <= 0.0).then_some([0.0, vehicle.speed]),
            left: None,
            gear: 0,
        }
    }

    pub fn has_entered(&self) -> bool {
        self.entered.is_some()
    }

    /// Returns the last forward gear.
    pub fn gear(&self) -> Option<i32> {
        Some(self.gear).filter(|gear| *gear > 0)
    }

    pub fn is_off_course(&self) -> bool {
        self.axis.is_off_course
    }

    /// Returns the pass, if the vehicle reached the exit at a crawl or faster.
    pub fn pass(&self) -> Option<Pass> {
        let ([began, entry], [ended, exit]) = self.entered.zip(self.left)?;
        let mean = (self.bounds[1] - self.bounds[0]) / (ended - began);
        (mean >= MIN_STEADY_SPEED && mean.is_finite()).then_some(Pass { entry, exit, mean })
    }

    /// Processes a heartbeat at a time, s, a distance along the path, m, and a speed, m/s.
    fn record(&mut self, time: f64, distance: f64, speed: f64) {
        let [before, behind] = self.last;
        let [entry, exit] = self.bounds;
        let at = |bound: f64| {
            let share = (bound - behind) / (distance - behind);
            (distance >= bound && distance > behind)
                .then_some([before + share * (time - before), speed])
        };
        self.entered = self.entered.or_else(|| at(entry));
        self.left = self.left.or_else(|| at(exit));
        self.last = [time, distance];
    }
}

impl Observer<Infallible> for PassObserver {
    fn on_heartbeat(&mut self, moment: &HeartbeatInfo<'_>) -> Result<Flow, Infallible> {
        let Some(sample) = moment.samples().and_then(<[_]>::first) else {
            return Ok(Flow::Continue);
        };
        let distance = self.axis.along(sample.pose.position.x, sample.pose.position.y);
        self.record(moment.time, distance, hypot(sample.velocity.x, sample.velocity.y));
        self.gear = sample.gear;
        let over = self.left.is_some() || self.is_off_course();
        Ok(if over { Flow::Stop } else { Flow::Continue })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observer(averaging: AveragingPieces) -> SteadySpeedObserver {
        let axis = StraightPath { from: [0.0; 2], towards: [1.0, 0.0], is_off_course: false };
        SteadySpeedObserver { axis, averaging, last: [0.0; 2], ends: vec![0.0], speed: None }
    }

    /// Returns the speed found for a vehicle with the acceleration `a`, m/s², and the distance
    /// driven, m.
    fn found(
        entry: f64,
        averaging: AveragingPieces,
        a: impl Fn(f64, f64) -> f64,
    ) -> (Option<f64>, f64) {
        let (mut observer, mut speed, mut distance) = (observer(averaging), entry, 0.0);
        for n in 1..12_000 {
            speed = (speed + 0.01 * a(speed, distance)).max(0.0);
            distance += 0.01 * speed;
            if observer.record(0.01 * f64::from(n), distance) {
                break;
            }
        }
        (observer.speed, distance)
    }

    /// The square of the speed approaches that of the steady one over a length, from below and from
    /// above.
    #[test]
    fn the_steady_speed_is_found_from_any_entry_and_over_any_length() {
        for entry in [0.0, 2.0, 12.0] {
            for steady in [0.7, 2.0, 6.0, 11.0] {
                for length in [4.0, 20.0, 60.0, 100.0] {
                    // no vehicle takes that long to slow to a crawl, or to start moving
                    let pull = steady * steady / (2.0 * length);
                    if (entry == 0.0 && pull < 0.2)
                        || (length > 4.0 && steady < 1.0)
                        || (length > 20.0 && steady < 6.0)
                    {
                        continue;
                    }
                    let a = |v: f64, _| (steady * steady - v * v) / (2.0 * length);
                    let (speed, distance) = found(entry, AveragingPieces::with_spacing(None), a);
                    let off = speed.unwrap() / steady - 1.0;
                    assert!(
                        off.abs() < 0.04,
                        "{entry} {steady} {length}: {off} after {distance} m"
                    );
                    assert!(distance <= MAX_DRIVE_LENGTH + 1.0);
                }
            }
        }
    }

    #[test]
    fn drives_below_crawling_speed_are_no_go() {
        for steady in [0.0, 0.3, 0.45] {
            let a = |v: f64, _| (steady * steady - v * v) / 10.0;
            assert_eq!(found(2.0, AveragingPieces::with_spacing(None), a).0, None, "{steady}");
        }
        // at a constant deceleration
        let (speed, distance) =
            found(
                5.0,
                AveragingPieces::with_spacing(None),
                |v, _| if v > 0.0 { -0.5 } else { 0.0 },
            );
        assert!(speed.is_none() && distance < 26.0, "{speed:?} {distance}");
    }

    /// A speed that varies periodically between obstacles gives its mean.
    #[test]
    fn a_piece_is_as_long_as_obstacles_are_apart() {
        for spacing in [1.5, 15.0, 40.0] {
            let wave = |distance: f64| 4.0 + (distance / spacing * std::f64::consts::TAU).sin();
            let a = |v: f64, distance: f64| (wave(distance) - v) * 100.0;
            let (speed, distance) = found(4.0, AveragingPieces::with_spacing(Some(spacing)), a);
            // length over time of 1 / (4 + sin) is the root of 4² - 1
            assert!((speed.unwrap() - 15.0_f64.sqrt()).abs() < 0.08, "{spacing}: {speed:?}");
            assert!(distance < 300.0);
        }
    }

    /// A speed that never settles gives the mean of the second half.
    #[test]
    fn gears_that_hunt_give_a_mean() {
        let wave = |distance: f64| if (distance / 37.0).fract() < 0.5 { 4.0 } else { 6.0 };
        let (speed, distance) = found(4.0, AveragingPieces::with_spacing(None), |v, distance| {
            (wave(distance) - v) * 100.0
        });
        assert!(
            (speed.unwrap() - 4.8).abs() < 0.15 && distance >= MAX_DRIVE_LENGTH,
            "{speed:?} {distance}"
        );
    }

    /// If the square of the speed approaches a limit, the third pass is at that limit.
    #[test]
    fn the_third_pass_enters_as_it_leaves() {
        for (steady, slope) in [(6.0_f64, 0.5), (3.0, 0.8), (9.0, 0.1), (1.0, 0.0)] {
            let pass = |entry: f64| {
                let exit = (steady * steady + slope * (entry * entry - steady * steady)).sqrt();
                Pass { entry, exit, mean: 0.5 * (entry + exit) }
            };
            let mut passes = vec![pass(2.0)];
            for _ in 0..2 {
                passes.push(pass(Pass::next_entry(&passes)));
            }
            let last = passes[2];
            assert!((last.entry - steady).abs() < 0.02 * steady, "{steady} {slope}: {passes:?}");
        }
    }
}
