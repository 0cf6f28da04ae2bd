//! A tire's belt: a quasi-static tensioned ring on an elastic foundation, in strips across the
//! tread.
//!
//! Let s be the arc length of the belt from the lowest point, R the unloaded and r the loaded
//! radius of the ring. With w = R - r and y = (R² - r²) / 2R = w - w² / 2R, the pressure on a strip
//! of width b is
//!
//! ```text
//! b p = k y - T y''        T = tau p_i b R,  k = k0 + k1 p_i
//! ```
//!
//! where primes are derivatives by s and p_i is the inflation. The belt keeps its length: it moves
//! along itself as it is displaced inward, dφ = sqrt(ds² - dr²) / r. So a flat of any depth δ is
//! the parabola y = δ - δ²/2R - s²/2R, and there p = tau p_i + k y / b exactly.
//!
//! To first order in w/R this is the textbook string on an elastic foundation (H. Pacejka, *Tire
//! and Vehicle Dynamics*, on Boehm's and Fiala's belts). Two things are bekker's. The variable y
//! keeps the coefficients linear and makes it exact where the belt is flat, at any depth. The ring
//! is solved once per step together with the ground below and the wheel above it.
//!
//! The frame of the ring does not spin with the wheel.

use bekker_math::numeric::{Lanes, Simd, cos, dispatch, exp, level, per_lane, sin};
use bekker_math::spatial::{Twist, Vec3, Vec6};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Stations around the lower part of a strip.
pub const STATIONS: usize = 32;
/// Strips across the tread.
pub const STRIPS: usize = 4;
/// First station ahead of the lowest point.
const MIDDLE: usize = STATIONS / 2;
/// Angle of the outermost stations from the lowest point, rad: 66°.
const SPAN: f64 = 66.0 * std::f64::consts::PI / 180.0;
/// Stiffness ratio of a tire that bottoms on its rim.
const BOTTOMED: f64 = 20.0;
/// Least square of the belt's radius over that of the ring.
pub(super) const LEAST: f64 = 0.01;
/// Fraction of the greatest pressure below which a station is not in contact. No station is in
/// contact if the greatest pressure is below this fraction of the pressure of a flat of depth
/// [`SHALLOW`].
const PRESSED: f64 = 0.02;
/// Depth of that flat, m: in the air only residues of the last contact remain.
const SHALLOW: f64 = 1e-3;

/// A number for each station of each strip. Structs with such members are aligned to the strips of
/// a station; otherwise every other station would straddle two cache lines.
pub type Stations = [[f64; STRIPS]; STATIONS];

/// The belt of a tire; immutable.
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
    /// Displacement at which the tire bottoms on its rim, m.
    pub deepest: f64,
}

/// State of a belt.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[repr(align(32))]
pub struct RingState {
    /// Inflation over the atmosphere, Pa.
    pub inflation: f64,
    /// y at each station of each strip, m.
    pub displacement: Stations,
}

impl RingState {
    /// Returns the state of an unloaded belt.
    pub fn unloaded(inflation: f64) -> RingState {
        RingState { inflation, displacement: [[0.0; STRIPS]; STATIONS] }
    }
}

/// Derivatives of the force at each station by displacement, N/m.
#[derive(Clone, Debug)]
pub(super) struct ForceGradient {
    /// By the station's own displacement.
    pub own: Stations,
    /// By the displacement of the next station.
    pub next: Stations,
}

impl ForceGradient {
    const NONE: ForceGradient = ForceGradient { own: NONE, next: NONE };
}

const NONE: Stations = [[0.0; STRIPS]; STATIONS];

/// Load on a ring and its derivatives, by station and strip.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub(super) struct RingLoad {
    /// Force inward, N.
    pub force: Stations,
    /// Decrease of the force with inward displacement of the belt, where the soil is unloaded.
    pub unloading: ForceGradient,
    /// Increase of the force with outward displacement, where the soil is loaded further.
    pub loading: ForceGradient,
    /// Derivative of the force by each motion of the hub, N/m.
    pub by_motion: [Stations; MOTIONS],
    /// Derivative of the force on the hub along each motion by displacement.
    pub on_hub: [Stations; MOTIONS],
    /// Which motions are active.
    pub moves: [bool; MOTIONS],
}

/// Number of hub motions that press a ring, without the lean about the forward direction.
pub(super) const MOTIONS: usize = 3;
/// Index of the lean, after the other motions.
pub(super) const LEAN: usize = MOTIONS;
/// Index of the motion along the mean normal of the soil's pressure.
pub(super) const SOIL: usize = 0;
/// Index of the motion along the mean normal of firm ground.
pub(super) const FIRM: usize = 1;
/// Index of the motion forward along firm ground.
pub(super) const FORE: usize = 2;

impl Default for RingLoad {
    fn default() -> RingLoad {
        RingLoad {
            force: NONE,
            unloading: ForceGradient::NONE,
            loading: ForceGradient::NONE,
            by_motion: [NONE; MOTIONS],
            on_hub: [NONE; MOTIONS],
            moves: [false; MOTIONS],
        }
    }
}

impl RingLoad {
    pub fn clear(&mut self, moves: [bool; MOTIONS]) {
        (self.force, self.unloading, self.loading) =
            (NONE, ForceGradient::NONE, ForceGradient::NONE);
        for motion in (0..MOTIONS).filter(|motion| moves[*motion]) {
            self.by_motion[motion] = NONE;
            self.on_hub[motion] = NONE;
        }
        self.moves = moves;
    }
}

/// Change of a ring in a step: by itself and with each motion of the hub.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub struct RingStep {
    /// Change without motion of the hub, m.
    pub(super) free_change: Stations,
    /// Change per motion of the hub, m/m.
    pub(super) change_per_motion: [Stations; MOTIONS],
    /// Which motions are active.
    pub(super) moves: [bool; MOTIONS],
    /// Directions of the motions and of the forces along them.
    pub(super) motion_directions: [Vec6; MOTIONS],
    /// Direction of the lean.
    pub(super) lean: Vec6,
    /// Distances of the strips from the wheel's middle, m.
    pub(super) strips: [f64; STRIPS],
    /// Additional arms of a lean, by motion, m.
    pub(super) levers: [f64; MOTIONS],
    /// Mean normal of deformable ground; motions across it have no effect.
    pub(super) up: Vec3,
}

impl Default for RingStep {
    fn default() -> RingStep {
        RingStep {
            free_change: NONE,
            change_per_motion: [NONE; MOTIONS],
            moves: [false; MOTIONS],
            motion_directions: [Vec6::zeros(); MOTIONS],
            lean: Vec6::zeros(),
            strips: [0.0; STRIPS],
            levers: [0.0; MOTIONS],
            up: Vec3::z(),
        }
    }
}

/// Returns the angle between stations, rad.
pub(super) const fn pitch() -> f64 {
    2.0 * SPAN / (STATIONS - 1) as f64
}

/// Returns the angle of a station from the lowest point without load, rad, positive forward.
pub(super) fn angle(station: usize) -> f64 {
    (station as f64 - 0.5 * (STATIONS - 1) as f64) * pitch()
}

/// Coefficients of the ring's coefficients at one inflation, for one strip, N/m.
struct RingCoefficients {
    own: f64,
    next: f64,
    /// For the end stations, beyond which the belt decays as it does without load.
    end: f64,
    /// For a station that bottoms on the rim.
    bottomed: f64,
}

impl RingCoefficients {
    /// Returns the coefficient of a station's own displacement.
    #[inline(always)]
    fn own_at(&self, station: usize) -> f64 {
        if station == 0 || station == STATIONS - 1 { self.end } else { self.own }
    }
}

impl Ring {
    /// Returns the tension of all strips, N, and the stiffness of their foundation, Pa.
    pub fn stiffness(&self, inflation: f64) -> (f64, f64) {
        let [k0, k1] = self.foundation;
        (self.tension_width * inflation * self.radius, k0 + k1 * inflation)
    }

    /// Returns the belt length that a station represents, m.
    pub(super) fn length(&self) -> f64 {
        self.radius * pitch()
    }

    /// Returns y at which the tire bottoms on its rim, m.
    fn bottom(&self) -> f64 {
        self.deepest * (1.0 - 0.5 * self.deepest / self.radius)
    }

    /// Returns the radius of the belt where it is displaced by `y`, m.
    pub(super) fn belt_radius(&self, y: f64) -> f64 {
        // a belt never reaches the axle
        (self.radius * (self.radius - 2.0 * y)).max(LEAST * self.radius * self.radius).sqrt()
    }

    fn coefficients(&self, inflation: f64) -> RingCoefficients {
        let (tension, foundation) = self.stiffness(inflation);
        let part = 1.0 / STRIPS as f64;
        let pull = part * tension / self.length();
        // without load y decays as exp(-s/λ), λ² = T/k
        let fall =
            if tension > 0.0 { exp(-self.length() * (foundation / tension).sqrt()) } else { 0.0 };
        let foundation = part * self.length() * foundation;
        let bottomed = BOTTOMED * foundation;
        let own = foundation + 2.0 * pull;
        RingCoefficients { own, next: -pull, end: own - pull * fall, bottomed }
    }

    /// Returns the position of a station along the belt from its lowest point, m, positive forward.
    pub fn station_at(&self, station: usize) -> f64 {
        self.radius * angle(station)
    }

    /// Returns the pressure on every station from the belt's shape, Pa.
    pub fn pressure(&self, state: &RingState) -> Stations {
        let mut pressure = NONE;
        dispatch!(level(), simd => self.press(simd, state, &mut pressure));
        pressure
    }

    #[inline(always)]
    fn press<S: Simd>(&self, simd: S, state: &RingState, pressure: &mut Stations) {
        let coefficients = self.coefficients(state.inflation);
        let inverse = STRIPS as f64 / (self.length() * self.width);
        let bottom = self.bottom();
        let y = &state.displacement;
        for station in 0..STATIONS {
            let at = Lanes::new(simd, y[station]);
            let mut force = at * coefficients.own_at(station);
            if station > 0 {
                force += Lanes::new(simd, y[station - 1]) * coefficients.next;
            }
            if station + 1 < STATIONS {
                force += Lanes::new(simd, y[station + 1]) * coefficients.next;
            }
            let bottomed = (at - bottom).max(0.0) * coefficients.bottomed;
            pressure[station] = ((force + bottomed) * inverse).to_array();
        }
    }

    /// Returns the elastic energy of the deflected belt, J: half the sum of forces times
    /// displacements, plus that of stations on the rim.
    pub fn energy(&self, state: &RingState) -> f64 {
        let coefficients = self.coefficients(state.inflation);
        let bottom = self.bottom();
        let y = &state.displacement;
        let mut sum = 0.0;
        for (station, row) in y.iter().enumerate() {
            let own = coefficients.own_at(station);
            for (strip, &at) in row.iter().enumerate() {
                let next = y.get(station + 1).map_or(0.0, |row| row[strip]);
                let beyond = (at - bottom).max(0.0);
                sum += at * (0.5 * own * at + coefficients.next * next)
                    + 0.5 * coefficients.bottomed * beyond * beyond;
            }
        }
        sum
    }

    /// Returns the greatest displacement of the strips' mean towards the hub, m.
    pub fn deflection(&self, state: &RingState) -> f64 {
        let mean = |row: &[f64; STRIPS]| (row[0] + row[1]) + (row[2] + row[3]);
        let most = state.displacement.iter().map(mean).fold(0.0, f64::max);
        self.radius - self.belt_radius(most / STRIPS as f64)
    }

    /// Computes the displacement of each station along the belt, rad, which change_per_motion from
    /// its constant length. The middle, between the two lowest stations, does not move.
    #[inline(always)]
    pub(super) fn move_along<S: Simd>(&self, simd: S, radius: &Stations, moved: &mut Stations) {
        let mut front = 0.5 * self.lag(simd, radius, MIDDLE - 1);
        let mut rear = -front;
        (moved[MIDDLE - 1], moved[MIDDLE]) = (rear.to_array(), front.to_array());
        for k in 1..MIDDLE {
            rear = rear - self.lag(simd, radius, MIDDLE - 1 - k);
            front += self.lag(simd, radius, MIDDLE - 1 + k);
            (moved[MIDDLE - 1 - k], moved[MIDDLE + k]) = (rear.to_array(), front.to_array());
        }
    }

    /// Returns the angle of the loaded belt from a station to the next, less that without load,
    /// rad.
    #[inline(always)]
    fn lag<S: Simd>(&self, simd: S, radius: &Stations, station: usize) -> Lanes<S> {
        let (rear, front) =
            (Lanes::new(simd, radius[station]), Lanes::new(simd, radius[station + 1]));
        // the belt's length over its angle, less one; dr is small compared with ds
        let size = self.radius * pitch();
        let fall = (front - rear) * (front - rear) * (1.0 / (size * size));
        let along = 1.0 - fall * (0.5 + 0.125 * fall);
        pitch() * (2.0 * self.radius * along / (rear + front) - 1.0)
    }

    /// Returns the contact length, m, as the mean over the strips in contact; 0 in the air. The
    /// outermost stations count by the fraction to which they are pressed.
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
            // pressure relative to its neighbor's, or to that of a flat
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

    /// Solves for the change of the ring in a step of `dt` s under a `load`.
    ///
    /// Two passes, because unloading is much stiffer than loading. Pass 1 uses the stiffer slope to
    /// find the stations that move inward and unload. Pass 2 solves with the correct slope of each
    /// station. The larger displacement of the loading stations in pass 2 does not unload any other
    /// station.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // uses the neighboring stations
    pub(super) fn solve<S: Simd>(
        &self,
        simd: S,
        state: &RingState,
        load: &mut RingLoad,
        dt: f64,
        step: &mut RingStep,
    ) {
        let coefficients = self.coefficients(state.inflation);
        let bottom = self.bottom();
        let (_, foundation) = self.stiffness(state.inflation);
        let part = self.length() / STRIPS as f64;
        let damping = part * foundation * self.relaxation / dt;
        let lanes = |row: &[f64; STRIPS]| Lanes::new(simd, *row);
        let y = |station: usize| lanes(&state.displacement[station]);
        let mut diagonal = NONE;
        for station in 0..STATIONS {
            let own = coefficients.own_at(station);
            let mut force = lanes(&load.force[station]) - y(station) * own;
            if station > 0 {
                force = force - y(station - 1) * coefficients.next;
            }
            if station + 1 < STATIONS {
                force = force - y(station + 1) * coefficients.next;
            }
            let beyond = y(station) - bottom;
            let hard = beyond.gt(0.0).select(coefficients.bottomed, 0.0);
            load.force[station] = (force - hard * beyond.max(0.0)).to_array();
            diagonal[station] = (hard + (own + damping)).to_array();
        }
        step.moves = [false; MOTIONS];
        let RingLoad { force, unloading, loading, by_motion, moves, .. } = load;
        let equations =
            Equations { diagonal: &diagonal, next: coefficients.next, growth: unloading };
        step.eliminate(simd, &equations, force, by_motion);
        for station in 0..STATIONS {
            let eases = lanes(&step.free_change[station]).ge(0.0);
            let own = eases.select(lanes(&unloading.own[station]), lanes(&loading.own[station]));
            unloading.own[station] = own.to_array();
            if station + 1 < STATIONS {
                // the coupling of two stations is limited by the softer one
                let both = eases & lanes(&step.free_change[station + 1]).ge(0.0);
                let next =
                    both.select(lanes(&unloading.next[station]), lanes(&loading.next[station]));
                unloading.next[station] = next.to_array();
            }
        }
        step.moves = *moves;
        let equations =
            Equations { diagonal: &diagonal, next: coefficients.next, growth: unloading };
        step.eliminate(simd, &equations, force, by_motion);
    }
}

impl RingStep {
    /// Solves the belt's `equations` for `force` and for the active motions. Elimination runs from
    /// both ends towards the middle, so that the two chains of divisions run in parallel.
    #[inline(always)]
    fn eliminate<S: Simd>(
        &mut self,
        simd: S,
        equations: &Equations<'_>,
        force: &Stations,
        by_motion: &[Stations; MOTIONS],
    ) {
        const LAST: usize = STATIONS - 1;
        let RingStep { free_change, change_per_motion, moves, .. } = self;
        let mut inward = NONE;
        let (mut rear, mut front) = (Pivot::first(simd), Pivot::first(simd));
        for k in 0..MIDDLE {
            let on = [k, LAST - k];
            rear = rear.next(simd, equations, k, k);
            front = front.next(simd, equations, LAST - k, LAST - k - 1);
            (inward[on[0]], inward[on[1]]) = (rear.inward.to_array(), front.inward.to_array());
            rear.reduce(simd, force, free_change, [k.saturating_sub(1), k]);
            front.reduce(simd, force, free_change, [(LAST - k + 1).min(LAST), LAST - k]);
            for motion in (0..MOTIONS).filter(|motion| moves[*motion]) {
                let (right, done) = (&by_motion[motion], &mut change_per_motion[motion]);
                rear.reduce(simd, right, done, [k.saturating_sub(1), k]);
                front.reduce(simd, right, done, [(LAST - k + 1).min(LAST), LAST - k]);
            }
        }
        substitute(simd, &inward, free_change);
        for motion in (0..MOTIONS).filter(|motion| moves[*motion]) {
            substitute(simd, &inward, &mut change_per_motion[motion]);
        }
    }
}

/// Stiffness of belt and ground: symmetric and tridiagonal in each strip.
struct Equations<'a> {
    /// Ring: coefficients of its stations, N/m.
    diagonal: &'a Stations,
    /// Ring: coefficient between neighboring stations, N/m.
    next: f64,
    /// Derivatives of the ground's force.
    growth: &'a ForceGradient,
}

/// A station's row of the equations after elimination of the stations outside it.
#[derive(Clone, Copy)]
struct Pivot<S: Simd> {
    inverse: Lanes<S>,
    /// Coupling to the outer neighbor, N/m.
    outer: Lanes<S>,
    /// Coupling to the inner neighbor, N/m.
    inner: Lanes<S>,
    /// Coupling to the inner neighbor over the pivot.
    inward: Lanes<S>,
}

impl<S: Simd> Pivot<S> {
    /// The row beyond the end of the belt.
    #[inline(always)]
    fn first(simd: S) -> Pivot<S> {
        let zero = Lanes::zero(simd);
        Pivot { inverse: zero, outer: zero, inner: zero, inward: zero }
    }

    /// Returns the row of `station`, whose coupling to the next station inward is at index
    /// `coupling`.
    #[inline(always)]
    fn next(self, simd: S, equations: &Equations<'_>, station: usize, coupling: usize) -> Pivot<S> {
        let Equations { diagonal, next, growth } = *equations;
        let own = Lanes::new(simd, diagonal[station]) + growth.own[station];
        let inverse = 1.0 / (own - self.inner * self.inward);
        let inner = Lanes::new(simd, growth.next[coupling]) + next;
        Pivot { inverse, outer: self.inner, inner, inward: inner * inverse }
    }

    /// Reduces the right-hand side of the station `own` by that of its outer neighbor.
    #[inline(always)]
    fn reduce(&self, simd: S, right: &Stations, done: &mut Stations, [outer, own]: [usize; 2]) {
        let rest = Lanes::new(simd, right[own]) - self.outer * done[outer];
        done[own] = (rest * self.inverse).to_array();
    }
}

/// Substitutes the stations' values from the middle outwards.
#[inline(always)]
fn substitute<S: Simd>(simd: S, inward: &Stations, done: &mut Stations) {
    const LAST: usize = STATIONS - 1;
    let (to_front, to_rear) =
        (Lanes::new(simd, inward[MIDDLE - 1]), Lanes::new(simd, inward[MIDDLE]));
    let front = Lanes::new(simd, done[MIDDLE]);
    let both = Lanes::new(simd, done[MIDDLE - 1]) - to_front * front;
    let mut rear = both / (1.0 - to_front * to_rear);
    let mut front = front - to_rear * rear;
    (done[MIDDLE - 1], done[MIDDLE]) = (rear.to_array(), front.to_array());
    for k in (0..MIDDLE - 1).rev() {
        rear = Lanes::new(simd, done[k]) - rear * inward[k];
        front = Lanes::new(simd, done[LAST - k]) - front * inward[LAST - k];
        (done[k], done[LAST - k]) = (rear.to_array(), front.to_array());
    }
}

impl RingStep {
    /// Returns a belt without contact to its unloaded shape.
    pub(super) fn restore_unloaded(&mut self, state: &RingState) {
        self.free_change = state.displacement.map(|row| row.map(|y| -y));
        self.moves = [false; MOTIONS];
    }

    /// Returns the motions of a hub with this twist in `dt` s, m, and its lean, rad.
    pub(super) fn motions(&self, twist: &Twist, dt: f64) -> [f64; MOTIONS + 1] {
        let (turn, shift) = (&twist.angular, &twist.linear);
        let all = Vec6::new(turn.x, turn.y, turn.z, shift.x, shift.y, shift.z);
        let raised = self.up * self.up.dot(shift);
        let soil = self.motion_directions[SOIL].fixed_rows::<3>(3).dot(&raised);
        let of = |way: &Vec6| way.dot(&all) * dt;
        [
            soil * dt,
            of(&self.motion_directions[FIRM]),
            of(&self.motion_directions[FORE]),
            of(&self.lean),
        ]
    }

    /// Advances the ring by the step in which the hub moved by `motions`, m and rad.
    #[inline(always)]
    pub(super) fn advance<S: Simd>(
        &self,
        simd: S,
        motions: &[f64; MOTIONS + 1],
        state: &mut RingState,
    ) {
        let rows = state.displacement.iter_mut();
        for (row, free_change) in rows.zip(&self.free_change) {
            *row = (Lanes::new(simd, *row) + *free_change).to_array();
        }
        for motion in (0..MOTIONS).filter(|motion| self.moves[*motion]) {
            // a lean has no forward component
            let lean = if motion == FORE { 0.0 } else { motions[LEAN] };
            let way =
                (Lanes::new(simd, self.strips) + self.levers[motion]) * lean + motions[motion];
            let rows = state.displacement.iter_mut();
            for (row, change_per_motion) in rows.zip(&self.change_per_motion[motion]) {
                *row = (way * *change_per_motion + *row).to_array();
            }
        }
        // outward displacements are not modeled: a belt bulges less than this linear result
        for row in &mut state.displacement {
            *row = Lanes::new(simd, *row).max(0.0).to_array();
        }
    }
}

/// Returns a bit per station in contact for each strip, or none if the greatest pressure is below
/// `least` Pa.
#[inline(always)]
fn in_contact<S: Simd>(simd: S, pressure: &Stations, least: f64) -> [u32; STRIPS] {
    let mut most = Lanes::zero(simd);
    for row in pressure {
        most = most.max(*row);
    }
    if most.max_lane() < least {
        return [0; STRIPS];
    }
    let least = PRESSED * most.max_lane();
    let mut found = [0; STRIPS];
    for row in pressure.iter().rev() {
        let pressed = Lanes::new(simd, *row).gt(least).to_bits();
        found = per_lane(|strip| found[strip] << 1 | (pressed >> strip & 1));
    }
    found
}

/// Returns sines and cosines of the stations' angles without load.
pub(super) fn directions() -> &'static [[f64; 2]; STATIONS] {
    static DIRECTIONS: LazyLock<[[f64; 2]; STATIONS]> =
        LazyLock::new(|| std::array::from_fn(|station| [sin(angle(station)), cos(angle(station))]));
    &DIRECTIONS
}
