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

use bekker_math::numeric::{Lanes, Simd, cos, dispatch, each, exp, level, sin};
use bekker_math::spatial::{Twist, Vec3, Vec6};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Stations around the lower part of a strip.
pub const STATIONS: usize = 32;
/// Strips across the tread.
pub const STRIPS: usize = 4;
/// The first station in front of the lowest point.
const MIDDLE: usize = STATIONS / 2;
/// Angle of the outermost stations from the lowest point, rad: 66°.
const SPAN: f64 = 66.0 * std::f64::consts::PI / 180.0;
/// How much stiffer a tyre is where it stands on its rim.
const BOTTOMED: f64 = 20.0;
/// Least square of the belt's radius over that of the ring's.
pub(super) const LEAST: f64 = 0.01;
/// A station that is pressed by less than this part of the greatest pressure is not in contact;
/// none is where that is less than this part of what presses ...
const PRESSED: f64 = 0.02;
/// ... a flat so deep, m: in the air nothing but residues of the last contact is left.
const SHALLOW: f64 = 1e-3;

/// A number for each station of each strip. What holds some is aligned to a station's strips,
/// or every other station lies across two lines of the cache.
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
#[repr(align(32))]
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
#[repr(align(32))]
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
#[repr(align(32))]
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
    /// Arms of a lean beyond those, by motions, m.
    pub(super) levers: [f64; MOTIONS],
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
            levers: [0.0; MOTIONS],
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

impl Law {
    /// Of a station's own displacement.
    #[inline(always)]
    fn own_at(&self, station: usize) -> f64 {
        if station == 0 || station == STATIONS - 1 { self.end } else { self.own }
    }
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
        let mut pressure = NONE;
        dispatch!(level(), simd => self.press(simd, state, &mut pressure));
        pressure
    }

    #[inline(always)]
    fn press<S: Simd>(&self, simd: S, state: &RingState, pressure: &mut Stations) {
        let law = self.law(state.inflation);
        let inverse = STRIPS as f64 / (self.length() * self.width);
        let bottom = self.bottom();
        let y = &state.displacement;
        for station in 0..STATIONS {
            let at = Lanes::of(simd, y[station]);
            let mut force = at * law.own_at(station);
            if station > 0 {
                force += Lanes::of(simd, y[station - 1]) * law.next;
            }
            if station + 1 < STATIONS {
                force += Lanes::of(simd, y[station + 1]) * law.next;
            }
            let bottomed = (at - bottom).max(0.0) * law.bottomed;
            pressure[station] = ((force + bottomed) * inverse).numbers();
        }
    }

    /// Elastic energy of the deflected belt, J: half of forces times displacements, and that of
    /// stations on the rim.
    pub fn energy(&self, state: &RingState) -> f64 {
        let law = self.law(state.inflation);
        let bottom = self.bottom();
        let y = &state.displacement;
        let mut sum = 0.0;
        for (station, row) in y.iter().enumerate() {
            let own = law.own_at(station);
            for (strip, &at) in row.iter().enumerate() {
                let next = y.get(station + 1).map_or(0.0, |row| row[strip]);
                let beyond = (at - bottom).max(0.0);
                sum +=
                    at * (0.5 * own * at + law.next * next) + 0.5 * law.bottomed * beyond * beyond;
            }
        }
        sum
    }

    /// Greatest displacement towards the hub of the strips' mean, m.
    pub fn deflection(&self, state: &RingState) -> f64 {
        let mean = |row: &[f64; STRIPS]| (row[0] + row[1]) + (row[2] + row[3]);
        let most = state.displacement.iter().map(mean).fold(0.0, f64::max);
        self.radius - self.belt_radius(most / STRIPS as f64)
    }

    /// How far each station moves along the belt, rad, for the belt keeps its length; in the
    /// middle, between the two lowest stations, it stays where it is.
    #[inline(always)]
    pub(super) fn move_along<S: Simd>(&self, simd: S, radius: &Stations, moved: &mut Stations) {
        let mut front = 0.5 * self.lag(simd, radius, MIDDLE - 1);
        let mut rear = -front;
        (moved[MIDDLE - 1], moved[MIDDLE]) = (rear.numbers(), front.numbers());
        for k in 1..MIDDLE {
            rear = rear - self.lag(simd, radius, MIDDLE - 1 - k);
            front += self.lag(simd, radius, MIDDLE - 1 + k);
            (moved[MIDDLE - 1 - k], moved[MIDDLE + k]) = (rear.numbers(), front.numbers());
        }
    }

    /// The angle of the belt from a station to the next over that without load, less it, rad.
    #[inline(always)]
    fn lag<S: Simd>(&self, simd: S, radius: &Stations, station: usize) -> Lanes<S> {
        let (rear, front) =
            (Lanes::of(simd, radius[station]), Lanes::of(simd, radius[station + 1]));
        // the belt's length over its angle, less one; dr is small beside ds
        let size = self.radius * pitch();
        let fall = (front - rear) * (front - rear) * (1.0 / (size * size));
        let along = 1.0 - fall * (0.5 + 0.125 * fall);
        pitch() * (2.0 * self.radius * along / (rear + front) - 1.0)
    }

    /// Length of contact on the ground, m, mean over the strips that are pressed; 0 in the air. The
    /// outermost station counts in the measure in which it is pressed.
    pub fn contact_length(&self, state: &RingState) -> f64 {
        let (tension, foundation) = self.stiffness(state.inflation);
        let pressure = self.pressure(state);
        let least = PRESSED * (tension / self.radius + foundation * SHALLOW) / self.width;
        let in_contact = dispatch!(level(), simd => in_contact(simd, &pressure, least));
        let (mut length, mut pressed) = (0.0, 0);
        for (strip, stations) in in_contact.into_iter().enumerate() {
            if stations == 0 {
                continue;
            }
            let (first, last) = (stations.trailing_zeros(), stations.ilog2());
            let (first, last) = (first as usize, last as usize);
            // as pressed as its neighbour, or as a flat would press it
            let part = |own: usize, inner: usize| {
                let flat = (tension / self.radius + foundation * state.displacement[own][strip])
                    / self.width;
                (pressure[own][strip] / pressure[inner][strip].min(flat).max(1e-9)).clamp(0.0, 1.0)
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
            let own = law.own_at(station);
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
        let equations = Equations { diagonal: &diagonal, next: law.next, growth: eased };
        step.eliminate(simd, &equations, force, by_motion);
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
        let equations = Equations { diagonal: &diagonal, next: law.next, growth: eased };
        step.eliminate(simd, &equations, force, by_motion);
    }
}

impl RingStep {
    /// Solves the belt's `equations` for `force` and for the motions that count: from both
    /// ends at once towards the middle, so that the two chains of divisions run side by side.
    #[inline(always)]
    fn eliminate<S: Simd>(
        &mut self,
        simd: S,
        equations: &Equations<'_>,
        force: &Stations,
        by_motion: &[Stations; MOTIONS],
    ) {
        const LAST: usize = STATIONS - 1;
        let RingStep { settles, follows, moves, .. } = self;
        let mut inward = NONE;
        let (mut rear, mut front) = (Pivot::first(simd), Pivot::first(simd));
        for k in 0..MIDDLE {
            let on = [k, LAST - k];
            rear = rear.next(simd, equations, k, k);
            front = front.next(simd, equations, LAST - k, LAST - k - 1);
            (inward[on[0]], inward[on[1]]) = (rear.inward.numbers(), front.inward.numbers());
            rear.reduce(simd, force, settles, [k.saturating_sub(1), k]);
            front.reduce(simd, force, settles, [(LAST - k + 1).min(LAST), LAST - k]);
            for motion in (0..MOTIONS).filter(|motion| moves[*motion]) {
                let (right, done) = (&by_motion[motion], &mut follows[motion]);
                rear.reduce(simd, right, done, [k.saturating_sub(1), k]);
                front.reduce(simd, right, done, [(LAST - k + 1).min(LAST), LAST - k]);
            }
        }
        substitute(simd, &inward, settles);
        for motion in (0..MOTIONS).filter(|motion| moves[*motion]) {
            substitute(simd, &inward, &mut follows[motion]);
        }
    }
}

/// What holds a belt: symmetric and tridiagonal in each strip.
struct Equations<'a> {
    /// Of the ring: of its stations, ...
    diagonal: &'a Stations,
    /// ... and between any two, N/m.
    next: f64,
    /// Of the ground.
    growth: &'a Growth,
}

/// A station's row of the equations, what is outside of it being eliminated.
#[derive(Clone, Copy)]
struct Pivot<S: Simd> {
    inverse: Lanes<S>,
    /// What couples it to its outer neighbour, N/m, ...
    outer: Lanes<S>,
    /// ... and to its inner one, ...
    inner: Lanes<S>,
    /// ... over the pivot.
    inward: Lanes<S>,
}

impl<S: Simd> Pivot<S> {
    /// Beyond the end of the belt.
    #[inline(always)]
    fn first(simd: S) -> Pivot<S> {
        let zero = Lanes::zero(simd);
        Pivot { inverse: zero, outer: zero, inner: zero, inward: zero }
    }

    /// The row of `station`, which `coupling` couples to the next one inward.
    #[inline(always)]
    fn next(self, simd: S, equations: &Equations<'_>, station: usize, coupling: usize) -> Pivot<S> {
        let Equations { diagonal, next, growth } = *equations;
        let own = Lanes::of(simd, diagonal[station]) + growth.own[station];
        let inverse = 1.0 / (own - self.inner * self.inward);
        let inner = Lanes::of(simd, growth.next[coupling]) + next;
        Pivot { inverse, outer: self.inner, inner, inward: inner * inverse }
    }

    /// Reduces the right-hand side of the station behind the one outside of it.
    #[inline(always)]
    fn reduce(&self, simd: S, right: &Stations, done: &mut Stations, [outer, own]: [usize; 2]) {
        let rest = Lanes::of(simd, right[own]) - self.outer * done[outer];
        done[own] = (rest * self.inverse).numbers();
    }
}

/// Puts the stations' values in, from the middle outwards.
#[inline(always)]
fn substitute<S: Simd>(simd: S, inward: &Stations, done: &mut Stations) {
    const LAST: usize = STATIONS - 1;
    let (to_front, to_rear) =
        (Lanes::of(simd, inward[MIDDLE - 1]), Lanes::of(simd, inward[MIDDLE]));
    let front = Lanes::of(simd, done[MIDDLE]);
    let both = Lanes::of(simd, done[MIDDLE - 1]) - to_front * front;
    let mut rear = both / (1.0 - to_front * to_rear);
    let mut front = front - to_rear * rear;
    (done[MIDDLE - 1], done[MIDDLE]) = (rear.numbers(), front.numbers());
    for k in (0..MIDDLE - 1).rev() {
        rear = Lanes::of(simd, done[k]) - rear * inward[k];
        front = Lanes::of(simd, done[LAST - k]) - front * inward[LAST - k];
        (done[k], done[LAST - k]) = (rear.numbers(), front.numbers());
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
    #[inline(always)]
    pub(super) fn take<S: Simd>(
        &self,
        simd: S,
        motions: &[f64; MOTIONS + 1],
        state: &mut RingState,
    ) {
        let rows = state.displacement.iter_mut();
        for (row, settles) in rows.zip(&self.settles) {
            *row = (Lanes::of(simd, *row) + *settles).numbers();
        }
        for motion in (0..MOTIONS).filter(|motion| self.moves[*motion]) {
            // a lean goes forward nowhere
            let lean = if motion == FORE { 0.0 } else { motions[LEAN] };
            let way = (Lanes::of(simd, self.strips) + self.levers[motion]) * lean + motions[motion];
            let rows = state.displacement.iter_mut();
            for (row, follows) in rows.zip(&self.follows[motion]) {
                *row = (way * *follows + *row).numbers();
            }
        }
        // a belt bulges by less than is told here
        for row in &mut state.displacement {
            *row = Lanes::of(simd, *row).max(0.0).numbers();
        }
    }
}

/// Of each strip a bit for each station in contact; `least` Pa press some station that is.
#[inline(always)]
fn in_contact<S: Simd>(simd: S, pressure: &Stations, least: f64) -> [u32; STRIPS] {
    let mut most = Lanes::zero(simd);
    for row in pressure {
        most = most.max(*row);
    }
    if most.greatest() < least {
        return [0; STRIPS];
    }
    let least = PRESSED * most.greatest();
    let mut found = [0; STRIPS];
    for row in pressure.iter().rev() {
        let pressed = Lanes::of(simd, *row).gt(least).to_bits();
        found = each(|strip| found[strip] << 1 | (pressed >> strip & 1));
    }
    found
}

/// Sines and cosines of the stations' angles without load.
pub(super) fn directions() -> &'static [[f64; 2]; STATIONS] {
    static DIRECTIONS: LazyLock<[[f64; 2]; STATIONS]> =
        LazyLock::new(|| std::array::from_fn(|station| [sin(angle(station)), cos(angle(station))]));
    &DIRECTIONS
}
