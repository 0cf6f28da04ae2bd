//! A tyre's belt: a quasi-static tensioned ring on an elastic foundation, in strips across
//! the tread.
//!
//! With s the arc of the belt from the lowest point, R the radius of the ring without load,
//! r that of the loaded one, w = R - r and y = (R² - r²) / 2R = w - w² / 2R, the pressure on
//! a strip of width b is
//!
//! ```text
//! b p = k y - T y''        T = tau p_i b R,  k = k0 + k1 p_i
//! ```
//!
//! primes being derivatives by s and p_i the inflation. The belt keeps its length: it moves
//! along itself as it goes inward, dφ = sqrt(ds² - dr²) / r. So a flat of any depth δ is the
//! parabola y = δ - δ²/2R - s²/2R, and there p = tau p_i + k y / b exactly. To first order
//! in w/R this is the string on an elastic foundation of the textbooks (H. Pacejka, *Tire
//! and Vehicle Dynamics*, on Boehm's and Fiala's belts). What is ours: the variable y, which
//! keeps the law linear and makes it exact where the belt is flat, however deep, and that
//! the ring is solved once a step together with the ground below and the wheel above it.
//!
//! The frame of the ring does not spin.

use crate::numeric::{Lanes, Simd, cos, exp, sin};
use crate::spatial::{Twist, Vec3, Vec6};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Stations around the lower part of a strip.
pub const STATIONS: usize = 32;
/// Strips across the tread.
pub const STRIPS: usize = 4;
/// Angle of the outermost stations from the lowest point, rad: 66°.
const SPAN: f64 = 66.0 * std::f64::consts::PI / 180.0;
/// How much stiffer a tyre is where it stands on its rim.
const BOTTOMED: f64 = 20.0;
/// Least square of the belt's radius over that of the ring's.
const LEAST: f64 = 0.01;
/// A station that is pressed by less than this part of the greatest pressure is not in contact.
const PRESSED: f64 = 0.02;

/// A number for each station of each strip.
pub type Stations = [[f64; STRIPS]; STATIONS];

/// The belt of a tyre; immutable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ring {
    /// Radius without load, m.
    pub radius: f64,
    /// Width of the tread, m.
    pub width: f64,
    /// tau b: tension over inflation and radius, m.
    pub tension_width: f64,
    /// k0, Pa, and k1.
    pub foundation: [f64; 2],
    /// Damping of the foundation over its stiffness, s.
    pub relaxation: f64,
    /// Displacement from which the tyre stands on its rim, m.
    pub deepest: f64,
}

/// State of a belt: plain data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RingState {
    /// Inflation over the atmosphere, Pa.
    pub inflation: f64,
    /// y at each station of each strip, m.
    pub displacement: Stations,
}

impl RingState {
    /// Without load, m.
    pub fn unloaded(inflation: f64) -> RingState {
        RingState { inflation, displacement: [[0.0; STRIPS]; STATIONS] }
    }
}

/// How much the force at each station changes with displacement, N/m.
#[derive(Clone, Debug)]
pub(super) struct Growth {
    /// With the station's own, ...
    pub own: Stations,
    /// ... and with that of the next station.
    pub next: Stations,
}

impl Growth {
    const NONE: Growth = Growth { own: NONE, next: NONE };
}

const NONE: Stations = [[0.0; STRIPS]; STATIONS];

/// What presses a ring and how that grows, by station and strip.
#[derive(Clone, Debug)]
pub(super) struct RingLoad {
    /// Force inward, N.
    pub force: Stations,
    /// How much it falls where a station gives way inward, ...
    pub eased: Growth,
    /// ... and rises where one presses on.
    pub pressed: Growth,
    /// How much it grows with each motion of the hub, N/m.
    pub by_motion: [Stations; MOTIONS],
    /// How much the force on the hub along each motion grows with the displacement.
    pub on_hub: [Stations; MOTIONS],
    /// Which motions count.
    pub moves: [bool; MOTIONS],
}

/// Motions of the hub that press a ring, but its lean about the forward direction, ...
pub(super) const MOTIONS: usize = 3;
/// ... which comes behind them.
pub(super) const LEAN: usize = MOTIONS;
/// Of the soil: along the mean normal of its pressure.
pub(super) const SOIL: usize = 0;
/// Of firm ground: along its mean normal, ...
pub(super) const FIRM: usize = 1;
/// ... and forward along it.
pub(super) const FORE: usize = 2;

impl Default for RingLoad {
    fn default() -> RingLoad {
        RingLoad {
            force: NONE,
            eased: Growth::NONE,
            pressed: Growth::NONE,
            by_motion: [NONE; MOTIONS],
            on_hub: [NONE; MOTIONS],
            moves: [false; MOTIONS],
        }
    }
}

impl RingLoad {
    pub fn clear(&mut self, moves: [bool; MOTIONS]) {
        (self.force, self.eased, self.pressed) = (NONE, Growth::NONE, Growth::NONE);
        for motion in (0..MOTIONS).filter(|motion| moves[*motion]) {
            self.by_motion[motion] = NONE;
            self.on_hub[motion] = NONE;
        }
        self.moves = moves;
    }
}

/// How a ring goes on in a step: by itself and with each motion of the hub.
#[derive(Clone, Debug)]
pub struct RingStep {
    /// By itself, m.
    pub(super) settles: Stations,
    /// With a motion of the hub, m/m.
    pub(super) follows: [Stations; MOTIONS],
    /// Which motions count.
    pub(super) moves: [bool; MOTIONS],
    /// Directions of the motions, and of the forces that answer them.
    pub(super) ways: [Vec6; MOTIONS],
    /// The same of a lean.
    pub(super) lean: Vec6,
    /// Distances of the strips from the wheel's middle, m.
    pub(super) strips: [f64; STRIPS],
    /// Mean normal of yielding ground: it knows of no motion across it.
    pub(super) up: Vec3,
}

impl Default for RingStep {
    fn default() -> RingStep {
        RingStep {
            settles: NONE,
            follows: [NONE; MOTIONS],
            moves: [false; MOTIONS],
            ways: [Vec6::zeros(); MOTIONS],
            lean: Vec6::zeros(),
            strips: [0.0; STRIPS],
            up: Vec3::z(),
        }
    }
}

/// Angle between stations, rad.
pub(super) const fn pitch() -> f64 {
    2.0 * SPAN / (STATIONS - 1) as f64
}

/// Angle of a station from the lowest point without load, rad, forward.
pub(super) fn angle(station: usize) -> f64 {
    (station as f64 - 0.5 * (STATIONS - 1) as f64) * pitch()
}

/// Coefficients of the ring's law at one inflation, for one strip, N/m.
struct Law {
    own: f64,
    next: f64,
    /// The end stations': the belt beyond falls off as it does without load.
    end: f64,
    /// Of a station that stands on the rim.
    bottomed: f64,
}

impl Ring {
    /// Tension of all strips, N, and stiffness of their foundation, Pa.
    pub fn stiffness(&self, inflation: f64) -> (f64, f64) {
        let [k0, k1] = self.foundation;
        (self.tension_width * inflation * self.radius, k0 + k1 * inflation)
    }

    /// Length of belt that a station stands for, m.
    pub(super) fn length(&self) -> f64 {
        self.radius * pitch()
    }

    /// y from which the tyre stands on its rim, m.
    fn bottom(&self) -> f64 {
        self.deepest * (1.0 - 0.5 * self.deepest / self.radius)
    }

    /// Radius of the belt where it is displaced by `y`, m.
    pub(super) fn belt_radius(&self, y: f64) -> f64 {
        // a belt is never at the axle
        (self.radius * (self.radius - 2.0 * y)).max(LEAST * self.radius * self.radius).sqrt()
    }

    fn law(&self, inflation: f64) -> Law {
        let (tension, foundation) = self.stiffness(inflation);
        let part = 1.0 / STRIPS as f64;
        let pull = part * tension / self.length();
        // without load y falls off as exp(-s/λ), λ² = T/k
        let fall =
            if tension > 0.0 { exp(-self.length() * (foundation / tension).sqrt()) } else { 0.0 };
        let foundation = part * self.length() * foundation;
        let bottomed = BOTTOMED * foundation;
        let own = foundation + 2.0 * pull;
        Law { own, next: -pull, end: own - pull * fall, bottomed }
    }

    /// Where a station lies along the belt from its lowest point, m, forward.
    pub fn station_at(&self, station: usize) -> f64 {
        self.radius * angle(station)
    }

    /// Pressure on every station as the belt's shape tells, Pa.
    pub fn pressure(&self, state: &RingState) -> Stations {
        let law = self.law(state.inflation);
        let inverse = STRIPS as f64 / (self.length() * self.width);
        let bottom = self.bottom();
        let y = &state.displacement;
        let mut pressure = NONE;
        for (station, row) in pressure.iter_mut().enumerate() {
            let ends = station == 0 || station == STATIONS - 1;
            let own = if ends { law.end } else { law.own };
            let (rear, front) = (station.saturating_sub(1), (station + 1).min(STATIONS - 1));
            for (strip, pressure) in row.iter_mut().enumerate() {
                let at = y[station][strip];
                // at the ends a neighbour is the station itself, which is none
                let beside = y[rear][strip] + y[front][strip] - if ends { at } else { 0.0 };
                let force = own * at + law.next * beside + law.bottomed * (at - bottom).max(0.0);
                *pressure = force * inverse;
            }
        }
        pressure
    }

    /// Greatest displacement towards the hub of the strips' mean, m.
    pub fn deflection(&self, state: &RingState) -> f64 {
        let mean = |row: &[f64; STRIPS]| (row[0] + row[1]) + (row[2] + row[3]);
        let most = state.displacement.iter().map(mean).fold(0.0, f64::max);
        self.radius - self.belt_radius(most / STRIPS as f64)
    }

    /// How far each station moves along the belt, rad, for the belt keeps its length; in the
    /// middle, between the two lowest stations, it stays where it is.
    pub(super) fn moved(&self, radius: &Stations) -> Stations {
        let size = self.radius * pitch();
        let square = 1.0 / (size * size);
        // the belt's length over its angle, less one; dr is small beside ds
        let between = |rear: usize| -> [f64; STRIPS] {
            std::array::from_fn(|k| {
                let (rear, front) = (radius[rear][k], radius[rear + 1][k]);
                let fall = (front - rear) * (front - rear) * square;
                let along = 1.0 - fall * (0.5 + 0.125 * fall);
                pitch() * (2.0 * self.radius * along / (rear + front) - 1.0)
            })
        };
        let mut moved = NONE;
        let middle = STATIONS / 2;
        let half = between(middle - 1).map(|way| 0.5 * way);
        (moved[middle], moved[middle - 1]) = (half, half.map(|way| -way));
        for station in middle + 1..STATIONS {
            let way = between(station - 1);
            moved[station] = std::array::from_fn(|k| moved[station - 1][k] + way[k]);
        }
        for station in (0..middle - 1).rev() {
            let way = between(station);
            moved[station] = std::array::from_fn(|k| moved[station + 1][k] - way[k]);
        }
        moved
    }

    /// Length of contact on the ground, m, mean over the strips that are pressed. The
    /// outermost station counts in the measure in which it is pressed.
    #[allow(clippy::needless_range_loop)] // a station knows its neighbours
    pub fn contact_length(&self, state: &RingState) -> f64 {
        let (tension, foundation) = self.stiffness(state.inflation);
        let pressure = self.pressure(state);
        let greatest = pressure.iter().flatten().fold(0.0_f64, |most, p| most.max(*p));
        let (mut length, mut pressed) = (0.0, 0);
        for strip in 0..STRIPS {
            let at = |station: usize| pressure[station][strip];
            let in_contact = |station: &usize| at(*station) > PRESSED * greatest;
            let Some(first) = (0..STATIONS).find(in_contact) else { continue };
            let Some(last) = (0..STATIONS).rev().find(in_contact) else { continue };
            // as pressed as its neighbour, or as a flat would press it
            let part = |own: usize, inner: usize| {
                let flat = (tension / self.radius + foundation * state.displacement[own][strip])
                    / self.width;
                (at(own) / at(inner).min(flat).max(1e-9)).clamp(0.0, 1.0)
            };
            pressed += 1;
            length += if first == last {
                self.length()
            } else {
                let ends = part(first, first + 1) + part(last, last - 1);
                self.length() * ((last - first - 1) as f64 + ends)
            };
        }
        if pressed > 0 { length / f64::from(pressed) } else { 0.0 }
    }

    /// Solves for how the ring goes on in a step of `dt` s under a `load`.
    ///
    /// Twice: soil eases far more steeply than it yields, so the first time, by the
    /// steeper of both, tells which stations go inward and ease. That those which press
    /// on do it further the second time eases no other.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // a station knows its neighbours
    pub(super) fn solve<S: Simd>(
        &self,
        simd: S,
        state: &RingState,
        load: &mut RingLoad,
        dt: f64,
        step: &mut RingStep,
    ) {
        let law = self.law(state.inflation);
        let bottom = self.bottom();
        let (_, foundation) = self.stiffness(state.inflation);
        let part = self.length() / STRIPS as f64;
        let damping = part * foundation * self.relaxation / dt;
        let lanes = |row: &[f64; STRIPS]| Lanes::of(simd, *row);
        let y = |station: usize| lanes(&state.displacement[station]);
        let mut diagonal = NONE;
        for station in 0..STATIONS {
            let ends = station == 0 || station == STATIONS - 1;
            let own = if ends { law.end } else { law.own };
            let mut force = lanes(&load.force[station]) - y(station) * own;
            if station > 0 {
                force = force - y(station - 1) * law.next;
            }
            if station + 1 < STATIONS {
                force = force - y(station + 1) * law.next;
            }
            let beyond = y(station) - bottom;
            let hard = beyond.gt(0.0).pick(law.bottomed, 0.0);
            load.force[station] = (force - hard * beyond.max(0.0)).numbers();
            diagonal[station] = (hard + (own + damping)).numbers();
        }
        step.moves = [false; MOTIONS];
        let RingLoad { force, eased, pressed, by_motion, moves, .. } = load;
        step.eliminate(simd, &diagonal, law.next, eased, force, by_motion);
        for station in 0..STATIONS {
            let eases = lanes(&step.settles[station]).ge(0.0);
            let own = eases.pick(lanes(&eased.own[station]), lanes(&pressed.own[station]));
            eased.own[station] = own.numbers();
            if station + 1 < STATIONS {
                // what couples two stations is no more than of the softer of them
                let both = eases & lanes(&step.settles[station + 1]).ge(0.0);
                let next = both.pick(lanes(&eased.next[station]), lanes(&pressed.next[station]));
                eased.next[station] = next.numbers();
            }
        }
        step.moves = *moves;
        step.eliminate(simd, &diagonal, law.next, eased, force, by_motion);
    }
}

impl RingStep {
    /// Solves the belt's equations of `diagonal` and `next`, and of the ground's `growth`,
    /// for `force` and for the motions that count.
    #[inline(always)]
    fn eliminate<S: Simd>(
        &mut self,
        simd: S,
        diagonal: &Stations,
        next: f64,
        growth: &Growth,
        force: &Stations,
        by_motion: &[Stations; MOTIONS],
    ) {
        let lanes = |row: &[f64; STRIPS]| Lanes::of(simd, *row);
        let RingStep { settles, follows, moves, .. } = self;
        let mut left = NONE;
        let (mut before, mut under) = (Lanes::zero(simd), Lanes::zero(simd));
        for station in 0..STATIONS {
            let own = lanes(&diagonal[station]) + lanes(&growth.own[station]);
            let inverse = 1.0 / (own - under * before);
            let last = station.saturating_sub(1);
            let reduce = |right: &Stations, done: &Stations| {
                ((lanes(&right[station]) - under * lanes(&done[last])) * inverse).numbers()
            };
            settles[station] = reduce(force, settles);
            for motion in (0..MOTIONS).filter(|motion| moves[*motion]) {
                follows[motion][station] = reduce(&by_motion[motion], &follows[motion]);
            }
            under = lanes(&growth.next[station]) + next;
            before = under * inverse;
            left[station] = before.numbers();
        }
        for station in (0..STATIONS - 1).rev() {
            let left = lanes(&left[station]);
            let back = |done: &Stations| {
                (lanes(&done[station]) - left * lanes(&done[station + 1])).numbers()
            };
            settles[station] = back(settles);
            for motion in (0..MOTIONS).filter(|motion| moves[*motion]) {
                follows[motion][station] = back(&follows[motion]);
            }
        }
    }
}

impl RingStep {
    /// Lets a belt that meets nothing go back to its shape without load.
    pub(super) fn let_go(&mut self, state: &RingState) {
        self.settles = state.displacement.map(|row| row.map(|y| -y));
        self.moves = [false; MOTIONS];
    }

    /// How far a hub with this twist moves in `dt` s along each motion, m, and leans, rad.
    pub(super) fn motions(&self, twist: &Twist, dt: f64) -> [f64; MOTIONS + 1] {
        let (turn, shift) = (&twist.angular, &twist.linear);
        let all = Vec6::new(turn.x, turn.y, turn.z, shift.x, shift.y, shift.z);
        let raised = self.up * self.up.dot(shift);
        let soil = self.ways[SOIL].fixed_rows::<3>(3).dot(&raised);
        let of = |way: &Vec6| way.dot(&all) * dt;
        [soil * dt, of(&self.ways[FIRM]), of(&self.ways[FORE]), of(&self.lean)]
    }

    /// Takes the ring through the step, in which the hub moved by `motions`, m and rad.
    pub(super) fn take(&self, motions: &[f64; MOTIONS + 1], state: &mut RingState) {
        let mut change = self.settles;
        for motion in (0..MOTIONS).filter(|motion| self.moves[*motion]) {
            let lean = if motion == FORE { 0.0 } else { motions[LEAN] };
            let way: [f64; STRIPS] =
                std::array::from_fn(|strip| motions[motion] + lean * self.strips[strip]);
            for (change, follows) in change.iter_mut().zip(&self.follows[motion]) {
                *change = std::array::from_fn(|strip| change[strip] + follows[strip] * way[strip]);
            }
        }
        for (row, change) in state.displacement.iter_mut().zip(&change) {
            // a belt bulges by less than is told here
            *row = std::array::from_fn(|strip| (row[strip] + change[strip]).max(0.0));
        }
    }
}

/// Sines and cosines of the stations' angles without load.
pub(super) fn directions() -> &'static [[f64; 2]; STATIONS] {
    static DIRECTIONS: LazyLock<[[f64; 2]; STATIONS]> =
        LazyLock::new(|| std::array::from_fn(|station| [sin(angle(station)), cos(angle(station))]));
    &DIRECTIONS
}
