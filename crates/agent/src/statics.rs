//! Static equilibrium of a vehicle with the ground, before it moves.
//!
//! # Algorithm
//! The equations of the vehicle are stepped with locked brakes and artificial damping (relaxation
//! by viscous damping: A. S. Day, "An introduction to dynamic relaxation", The Engineer 219, 1965).
//! The dampers keep the chassis slower than springs, tires and soil can follow.
//!
//! Loads grow slowly from zero, so that nothing overshoots its equilibrium. Soil keeps the largest
//! load that it has carried, which must not exceed the final load.
//!
//! 1. *Aloft*: without weight and ground, springs settle against their stops.
//! 2. *Set down*: the vehicle is lowered to first contact, then its weight is increased gradually.
//!    The ground carries load but does not grip, and an anchor in its plane keeps the chassis from
//!    sliding. Wheels carry their static loads, with grade and side slope, and nothing scrubs.
//! 3. *Release*: the ground grips and the anchor is released gradually. Tires and soil shear until
//!    they hold the vehicle.
//!
//! A vehicle that friction does not hold starts in the state after step 2 and slides from time
//! zero. A vehicle that finds no ground, or tips over, starts in the design position.
//!
//! The number of steps is bounded. If a vehicle starts with a speed, its drive replaces step 3.

use super::agent::{AgentModel, AgentState};
use super::any_vehicle::{AnyVehicle, GroundVehicleWorkspace};
use super::belly::BellyContact;
use super::body_motion::BodyMotion;
use super::contact_context::ContactContext;
use super::ground_vehicle::{ContactWorkspace, GroundVehicle};
use super::parallel_contact::SecondThreadScratch;
use super::sample::WheelSample;
use super::tire::TireContactState;
use super::wheeled_ground_vehicle::level_forward;
use bekker_ground::scm::Scratch;
use bekker_ground::{GroundModel, Overlay, SharedGround, working_surface_height};
use bekker_math::numeric::{pow, smooth_step};
use bekker_math::spatial::{Load, Pose, Twist, Vec3, Vec6};
use bekker_vehicle::{Controls, VehicleState};
use serde::{Deserialize, Serialize};

/// Shortest and longest step, s; between them the step of the run is used.
///
/// Shorter steps give the same equilibrium and take longer. Tracked vehicles always use the
/// shortest step, because their shoes dig in with longer ones.
const STEPS: [f64; 2] = [2e-3, 5e-3];
/// Duration of each phase, s.
const TIMES: [f64; 3] = [0.6, 3.0, 3.0];
/// Largest number of phase durations for a vehicle that still moves.
///
/// Some vehicles level slowly, for example a long trailer behind a light vehicle.
const MAX_DURATIONS: usize = 4;
/// Fraction of phases 2 and 3 over which the weight is applied or the anchor released.
const CHANGE_FRACTION: f64 = 0.4;
/// Damping of the chassis per kilogram, 1/s, half of it on levers of 1 m.
///
/// Critical for a vehicle that rocks on its springs at 1 Hz.
const DAMPING: f64 = 12.0;
/// Damping of the anchor per kilogram, 1/s: creep of 2 µm/s on a slope of 20 %.
const ANCHOR_DAMPING: f64 = 1e6;
/// Speeds below which a phase ends, m/s and rad/s, for a vehicle that stays and for one that drives
/// off.
///
/// The vehicle that drives off has about 0.3 mm left to settle. One that still creeps after the
/// time of a phase, as on soft soil on a slope, has a second one to reach the greater speed.
const PHASE_END_SPEEDS: [f64; 2] = [1e-4, 1e-3];
/// Time between checks of rest and of the belly's clearance, s.
///
/// The belly counts as low far above the ground. If only the dampers hold the chassis, it descends
/// by a sixth of that clearance between checks.
const CHECK_INTERVAL: f64 = 0.05;
/// Speed below which a vehicle is in equilibrium at the end of the time, m/s and rad/s.
///
/// It corresponds to a fall of 0.1 mm, and is set to zero at the start.
const REST_SPEED: f64 = 0.05;
/// Travel along the ground from which friction does not hold the vehicle, m.
///
/// Tire carcasses and the shear of soil need less.
const MAX_SLIDE: f64 = 0.15;
/// Cosine of the tilt relative to the start below which a vehicle tips over.
const MIN_TILT_COSINE: f64 = 0.9;

/// Condition of a vehicle at its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StartCondition {
    /// In static equilibrium.
    Equilibrium,
    /// Supported by the ground, which does not hold it against the slope.
    Sliding,
    /// Unsupported: it starts in the design position.
    Unsupported,
}

/// Pose, speed and times of the start of a drive.
struct InitialMotion<'a> {
    /// Pose of the chassis frame; only x, y and heading count.
    pose: &'a Pose,
    /// Speed forward, m/s.
    speed: f64,
    /// Start time of the sensors, µs.
    now_us: u64,
    /// Step of the run, s.
    step: f64,
}

impl AgentModel {
    /// Returns the agent at its start, in static equilibrium ([`AgentModel::solve_equilibrium`]).
    ///
    /// With scratch in `second_scratch` a second thread may be used; `step` is the step of the run,
    /// s.
    pub fn state(
        &self,
        ground: &GroundModel,
        published: &SharedGround,
        second_scratch: Option<SecondThreadScratch>,
        step: f64,
    ) -> (AgentState, StartCondition) {
        let start = InitialMotion { pose: &self.start, speed: self.speed, now_us: 0, step };
        self.solve_equilibrium_with(second_scratch, ground, published, &start)
    }

    /// Returns the agent in static equilibrium at `pose`, launched forward at `speed` m/s, and its
    /// start condition.
    ///
    /// Only x, y and heading of `pose` count; height and tilt are computed. The ground is as
    /// published, and the agent's own indentation is in the overlay of the state.
    ///
    /// The sensors start at `now_us`, µs; `step` is the step of the run, s.
    ///
    /// Used for starts, resets and respawns; the result is the same on any number of threads and
    /// ranks.
    pub fn solve_equilibrium(
        &self,
        ground: &GroundModel,
        published: &SharedGround,
        pose: &Pose,
        speed: f64,
        now_us: u64,
        step: f64,
    ) -> (AgentState, StartCondition) {
        self.solve_equilibrium_with(
            None,
            ground,
            published,
            &InitialMotion { pose, speed, now_us, step },
        )
    }

    /// Runs [`solve_equilibrium`](AgentModel::solve_equilibrium) with optional scratch for a second
    /// thread.
    fn solve_equilibrium_with(
        &self,
        second_scratch: Option<SecondThreadScratch>,
        ground: &GroundModel,
        published: &SharedGround,
        start: &InitialMotion<'_>,
    ) -> (AgentState, StartCondition) {
        let InitialMotion { pose, speed, now_us, step } = *start;
        let design = self.vehicle.launched(pose, 0.0);
        let mut relaxation = Relaxation::new(self, ground, published, &design, second_scratch);
        if !self.vehicle.properties().is_tracked {
            relaxation.h = step.clamp(STEPS[0], STEPS[1]);
        }
        let stand = relaxation.run(pose, speed == 0.0);
        let Relaxation { vehicle, tires, overlay, workspace, .. } = relaxation;
        let mut state = self.in_design_position(pose, speed, now_us);
        if stand != StartCondition::Unsupported {
            let bearing = workspace.samples().iter().map(at_rest);
            state.set_recorded_wheels(bearing);
            state.overlay = overlay;
            state.tires = tires;
            state.vehicle = if speed == 0.0 {
                let VehicleState { body, brakes, clutches, pressures, .. } = vehicle;
                VehicleState { body, brakes, clutches, pressures, ..design }
            } else {
                state.tires.iter_mut().for_each(TireContactState::release);
                VehicleState { body: vehicle.body, ..design }
            };
        }
        state.vehicle.body.halt();
        let gear = self.gear.filter(|_| speed == self.speed);
        self.vehicle.launch(&mut state.vehicle, &pose.direction(&Vec3::x()), speed, gear);
        for (wheel, sample) in state.wheels.iter_mut().enumerate() {
            sample.spin = self.vehicle.wheel_spin(&state.vehicle, wheel);
        }
        (state, stand)
    }
}

/// Returns the sample of a wheel at rest under its static load.
fn at_rest(last: &WheelSample) -> WheelSample {
    WheelSample { spin: 0.0, slip: 0.0, torque: 0.0, ..*last }
}

/// Vehicle in relaxation toward its equilibrium.
struct Relaxation<'a> {
    agent: &'a AgentModel,
    ground: &'a GroundModel,
    published: &'a SharedGround,
    vehicle: VehicleState,
    workspace: GroundVehicleWorkspace,
    tires: Vec<TireContactState>,
    overlay: Overlay,
    scratch: Scratch,
    second_scratch: Option<SecondThreadScratch>,
    /// Plates that may touch before the next check ([`AgentModel::low_plates`]).
    low: u32,
    /// Step, s.
    h: f64,
    /// Acceleration of gravity, m/s².
    gravity: Vec3,
}

/// Body on which dampers act.
struct DampedBody {
    motion: BodyMotion,
    /// Mass, kg.
    mass: f64,
}

/// Phase of the relaxation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RelaxationPhase {
    Suspended,
    Lowered,
    Released,
}

impl<'a> Relaxation<'a> {
    fn new(
        agent: &'a AgentModel,
        ground: &'a GroundModel,
        published: &'a SharedGround,
        design: &VehicleState,
        second_scratch: Option<SecondThreadScratch>,
    ) -> Relaxation<'a> {
        let ground_vehicle = &agent.vehicle;
        // the brakes have been applied for long: their pressure is at its maximum
        let mut vehicle = design.clone();
        vehicle.pressures.fill(1.0);
        Relaxation {
            agent,
            ground,
            published,
            vehicle,
            workspace: ground_vehicle.workspace(design),
            tires: ground_vehicle.tires(),
            overlay: Overlay::new(),
            scratch: Scratch::new(),
            second_scratch,
            low: 0,
            h: STEPS[0],
            gravity: Vec3::zeros(),
        }
    }

    fn ground_vehicle(&self) -> &'a AnyVehicle {
        &self.agent.vehicle
    }

    /// Solves the equilibrium near `start`; with friction if the vehicle `stays`.
    fn run(&mut self, start: &Pose, stays: bool) -> StartCondition {
        self.gravity = self.workspace.bodies().gravity;
        self.relax(RelaxationPhase::Suspended, start, PHASE_END_SPEEDS[0]);
        self.lower_to_ground();
        let at_rest = PHASE_END_SPEEDS[usize::from(!stays)];
        if !self.relax(RelaxationPhase::Lowered, start, at_rest) {
            return StartCondition::Unsupported;
        }
        if !stays {
            return StartCondition::Equilibrium;
        }
        self.tires.iter_mut().for_each(TireContactState::release);
        let held = (self.vehicle.clone(), self.tires.clone(), self.overlay.clone());
        if self.relax(RelaxationPhase::Released, start, at_rest) {
            return StartCondition::Equilibrium;
        }
        (self.vehicle, self.tires, self.overlay) = held;
        StartCondition::Sliding
    }

    /// Returns whether the vehicle is upright and has not slid away from `from`, m.
    fn is_held(&self, phase: RelaxationPhase, start: &Pose, from: &Vec3) -> bool {
        let pose = self.ground_vehicle().pose(&self.workspace);
        let upright = pose.direction(&Vec3::z()).dot(&start.direction(&Vec3::z()));
        upright > MIN_TILT_COSINE
            && (phase != RelaxationPhase::Released || (pose.position - from).norm() < MAX_SLIDE)
    }

    /// Steps through a phase until the vehicle is slower than `at_rest`, m/s; returns whether it is
    /// in equilibrium.
    fn relax(&mut self, phase: RelaxationPhase, start: &Pose, at_rest: f64) -> bool {
        let from = self.ground_vehicle().pose(&self.workspace).position;
        let steps = (TIMES[phase as usize] / self.h) as usize;
        let between_checks = (CHECK_INTERVAL / self.h) as usize;
        let max_durations = if phase == RelaxationPhase::Suspended { 1 } else { MAX_DURATIONS };
        for step in 0..max_durations * steps {
            let part = step as f64 / (CHANGE_FRACTION * steps as f64);
            let stands = match step / steps {
                0 => at_rest,
                1 => PHASE_END_SPEEDS[1],
                _ => REST_SPEED,
            };
            if part > 1.0 && step % between_checks == 0 && self.speed() < stands {
                break;
            }
            if phase != RelaxationPhase::Suspended && step % between_checks == 0 {
                self.low = self.agent.low_plates(self.ground, &self.workspace);
            }
            if !self.step(phase, start, part.min(1.0)) || !self.is_held(phase, start, &from) {
                return false;
            }
        }
        phase == RelaxationPhase::Suspended || self.speed() < REST_SPEED
    }

    /// Returns the larger speed of chassis and trailer, m/s or rad/s.
    fn speed(&self) -> f64 {
        let speed = |twist: Twist| twist.linear.norm().max(twist.angular.norm());
        let trailer = self.ground_vehicle().rear_twist(&self.workspace).map_or(0.0, speed);
        speed(self.ground_vehicle().twist(&self.workspace)).max(trailer)
    }

    /// Makes one step at the fraction `part` of a phase's change; returns whether it succeeded.
    fn step(&mut self, phase: RelaxationPhase, start: &Pose, part: f64) -> bool {
        let (agent, h) = (self.agent, self.h);
        let ground_vehicle = &agent.vehicle;
        let mut on_chassis = Load::default();
        if phase != RelaxationPhase::Suspended {
            let Relaxation { ground, published, overlay, scratch, second_scratch, .. } = self;
            let (grips, second_scratch) =
                (phase == RelaxationPhase::Released, second_scratch.as_mut());
            let mut context =
                ContactContext { ground, published, overlay, scratch, grips, second_scratch };
            ground_vehicle.contact_ground(
                &self.vehicle,
                &self.tires,
                &mut self.workspace,
                &mut context,
                h,
            );
            let mut belly = BellyContact::default();
            if self.low != 0 {
                belly = agent.plate_loads(self.low, &self.workspace, &mut context, h);
            }
            ground_vehicle.heap(&self.workspace, belly.displaced, &mut context);
            on_chassis = belly.load;
        }
        let (weight, across, along) = match phase {
            RelaxationPhase::Suspended => (0.0, ANCHOR_DAMPING, ANCHOR_DAMPING),
            RelaxationPhase::Lowered => (smooth_step(0.0, 1.0, part), DAMPING, ANCHOR_DAMPING),
            RelaxationPhase::Released => (1.0, DAMPING, pow(ANCHOR_DAMPING, 1.0 - part)),
        };
        self.workspace.bodies_mut().gravity = self.gravity * weight;
        let (pose, twist) =
            (ground_vehicle.pose(&self.workspace), ground_vehicle.twist(&self.workspace));
        let mass = ground_vehicle.mass();
        let body = DampedBody { motion: BodyMotion { pose, twist }, mass };
        self.damp(start, &body, [across, along, along], &mut on_chassis);
        *ground_vehicle.chassis_load(&mut self.workspace) = on_chassis;
        self.damp_trailer(start, [across, along, DAMPING]);
        if ground_vehicle
            .solve(&mut self.vehicle, &mut self.workspace, &Controls::BRAKED, 0, h)
            .is_err()
        {
            return false;
        }
        // without grip a carcass does not change; belts deflect from the first load on
        if phase != RelaxationPhase::Suspended {
            ground_vehicle.advance_tires(&mut self.tires, &self.workspace, h);
        }
        true
    }

    /// Applies the dampers to the body of a trailer or of an articulated rear frame, if there is one.
    ///
    /// In the forward direction only the vehicle holds the trailer. A separate anchor would keep
    /// the coupling strained by the relative displacement of the two while their springs compress.
    fn damp_trailer(&mut self, start: &Pose, rates: [f64; 3]) {
        let ground_vehicle = self.ground_vehicle();
        let body = ground_vehicle
            .rear_pose(&self.workspace)
            .zip(ground_vehicle.rear_twist(&self.workspace));
        let Some((pose, twist)) = body else { return };
        let mut load = Load::default();
        let motion = BodyMotion { pose, twist };
        let (mass, _) = ground_vehicle.rear_mass_and_wheels();
        let body = DampedBody { motion, mass };
        self.damp(start, &body, rates, &mut load);
        ground_vehicle.rear_load(&mut self.workspace).into_iter().for_each(|own| *own = load);
    }

    /// Adds dampers between a body and the fixed ground, per kilogram, 1/s.
    ///
    /// `across` acts normal to the ground's plane; `sideways` and `ahead` act in it, where friction
    /// would hold the vehicle.
    fn damp(
        &self,
        start: &Pose,
        body: &DampedBody,
        [across, sideways, ahead]: [f64; 3],
        load: &mut Load,
    ) {
        let DampedBody { motion: BodyMotion { pose, twist }, mass } = *body;
        let place = pose.position;
        let [forward, left, normal] =
            [Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| start.direction(&axis));
        let above = place.z - self.ground.terrain().height(place.x, place.y);
        let below = normal * (-above * normal.z);
        let mut dampers = Load::default();
        dampers.add_tangent(&forward, &below, 0.0, ahead * mass);
        for end in [forward, -forward] {
            dampers.add_tangent(&left, &(below + end), 0.0, 0.5 * sideways * mass);
            dampers.add_tangent(&normal, &end, 0.0, 0.25 * across * mass);
        }
        for end in [left, -left] {
            dampers.add_tangent(&normal, &end, 0.0, 0.25 * across * mass);
        }
        // damper forces at the rates of the last step
        let Twist { linear, angular } = twist;
        let held = dampers.damping
            * Vec6::new(angular.x, angular.y, angular.z, linear.x, linear.y, linear.z);
        load.damping += dampers.damping;
        load.wrench.torque -= Vec3::new(held[0], held[1], held[2]);
        load.wrench.force -= Vec3::new(held[3], held[4], held[5]);
    }

    /// Moves the vehicle vertically until its first wheel touches the ground.
    fn lower_to_ground(&mut self) {
        let ground_vehicle = self.ground_vehicle();
        let [radius, half_width] = ground_vehicle.properties().wheel_reach;
        let mut gap = f64::INFINITY;
        for wheel in 0..ground_vehicle.wheels() {
            let pose = ground_vehicle.wheel_pose(&self.workspace, wheel);
            let axis = pose.direction(&Vec3::y());
            let forward = level_forward(&axis);
            let up = forward.cross(&axis);
            for along in -8..=8 {
                let along = 0.1 * f64::from(along) * radius;
                let below = (radius * radius - along * along).sqrt();
                for across in [-half_width, 0.0, half_width] {
                    let point = pose.position + forward * along + axis * across - up * below;
                    let Relaxation { ground, published, overlay, .. } = self;
                    let height =
                        working_surface_height(ground, published, overlay, point.x, point.y);
                    gap = gap.min(point.z - height);
                }
            }
        }
        if gap.is_finite() {
            ground_vehicle.shift(
                &mut self.vehicle,
                &mut self.workspace,
                &Vec3::new(0.0, 0.0, -gap),
            );
        }
    }
}
