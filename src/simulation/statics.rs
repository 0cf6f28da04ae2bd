//! Where a vehicle stands before it moves: its equilibrium with the ground below it.
//!
//! # Algorithm
//! The vehicle's own equations are stepped with locked brakes and with all motion taken
//! away before each step (relaxation by kinetic damping: A. S. Day, "An introduction to
//! dynamic relaxation", The Engineer 219, 1965). A step of h seconds from rest then is
//! one of Newton's method, M/h² added to the stiffness: no mode swings through its
//! equilibrium, and h is chosen so that no wheel goes further in a step than a small part
//! of its sinkage. Soil that remembers so is pressed by no more than what it will bear.
//!
//! 1. *Aloft*, without weight and ground, springs come to rest against their stops.
//! 2. *Set down*: raised or lowered until the first wheel touches, it sinks under its
//!    weight. The ground is pressed but does not grip, and an anchor in the plane of the ground
//!    keeps the chassis from sliding: springs are loaded from nothing, wheels carry what
//!    they weigh, grade and side slope included, and nothing scrubs.
//! 3. *Let go*: the anchor goes, tyres and soil shear until they hold the vehicle.
//!
//! What friction does not hold starts as step 2 left it and slides from time zero; what
//! finds no ground, or tips over, starts in the design position. The number of steps is
//! bounded. A vehicle that starts with a speed is let go by its drive instead of step 3.
//!
//! # Limits
//! Tracked vehicles are not settled: bands and shoes chatter on their wheels in such
//! steps. They start in the design position, as all did before.

use super::agent::{AgentModel, AgentState};
use super::mover::{Meeting, Mover, MoverWorkspace};
use crate::ground::{GroundModel, Overlay, Published, working_surface_height};
use crate::scm::Scratch;
use crate::spatial::{Load, Pose, Twist, Vec3, Vec6};
use crate::vehicle::tyre::TyreState;
use crate::vehicle::{Controls, VehicleState};

/// Acceleration from rest, m/s² (and rad/s²), below which a vehicle is in equilibrium.
const STILL: f64 = 0.02;
/// The same where the steps are used up: contacts that come and go keep it from less.
const NEARLY_STILL: f64 = 0.3;
/// Step over which that acceleration is measured, s.
const PROBE: f64 = 1e-3;
/// Longest step, s: above it the slowest suspensions need no help from their inertia.
const LONGEST: f64 = 0.1;
/// The same while soil is sheared, which yields as it is sheared.
const LONGEST_ON_SOIL: f64 = 0.01;
/// What is left of the longest step after each that long: where contacts come and go, as
/// of bands on road wheels, Newton's method needs more of its inertia.
const SHORTENING: f64 = 0.985;
/// Steps of the longest from one measurement to the next.
const BETWEEN_PROBES: usize = 8;
/// First step, s.
const FIRST: f64 = 2e-3;
/// Way that a wheel may go in a step, m, and as a part of its sinkage.
const WHEEL_WAY: [f64; 2] = [2e-4, 0.02];
/// Way that the chassis may go in a step, m: springs and stops bend little over it.
const CHASSIS_WAY: f64 = 5e-3;
/// Steps after which each phase gives up.
const MOST_STEPS: [usize; 3] = [80, 2000, 500];
/// Way along the ground, m, after which friction is found not to hold: carcasses and
/// the shear of soil need less.
const SLIDES: f64 = 0.15;
/// Cosine of the tilt against the start, rad, from which a vehicle tips over.
const TIPS: f64 = 0.9;
/// Damping of the anchor for each kilogram, 1/s: 2 micrometres a second on a slope of 20 %.
const ANCHOR: f64 = 1e6;

const BRAKED: Controls =
    Controls { throttle: 0.0, steering: 0.0, brake: 1.0, gear: crate::vehicle::Selector::Drive };

/// How a vehicle stands at its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    /// In equilibrium.
    Still,
    /// Carried by the ground, which does not hold it along the slope.
    Slides,
    /// Not carried: it starts in the design position.
    Falls,
}

impl AgentModel {
    /// The agent as it stands in equilibrium where `pose` of the chassis frame puts it
    /// (x, y and heading; height and tilt are found), launched forward at `speed` m/s, and
    /// how it stands. `published` is the ground as others have left it; what the agent
    /// presses into it is in the state's own overlay.
    ///
    /// For starts, resets and respawns alike: the same on any number of threads and ranks.
    pub fn settled(
        &self,
        ground: &GroundModel,
        published: &Published,
        pose: &Pose,
        speed: f64,
    ) -> (AgentState, Stand) {
        let design = self.vehicle.launched(pose, 0.0);
        let mut relaxation = Relaxation::new(self, ground, published, &design);
        let stand = match self.vehicle {
            Mover::Wheeled(_) => relaxation.run(pose, speed == 0.0),
            Mover::Tracked(_) => Stand::Falls,
        };
        let Relaxation { vehicle, tyres, overlay, .. } = relaxation;
        let mut state = self.unsettled(pose);
        if stand != Stand::Falls {
            state.overlay = overlay;
            state.vehicle = if speed == 0.0 {
                state.tyres = tyres;
                let VehicleState { body, brakes, clutches, .. } = vehicle;
                VehicleState { body, brakes, clutches, ..design }
            } else {
                VehicleState { body: vehicle.body, ..design }
            };
        }
        state.vehicle.body.halt();
        self.vehicle.launch(&mut state.vehicle, &pose.direction(&Vec3::x()), speed);
        (state, stand)
    }
}

/// A vehicle on its way to equilibrium.
struct Relaxation<'a> {
    agent: &'a AgentModel,
    ground: &'a GroundModel,
    published: &'a Published,
    vehicle: VehicleState,
    room: MoverWorkspace,
    tyres: Vec<TyreState>,
    overlay: Overlay,
    scratch: Scratch,
    /// Places of the wheels before the last step, m.
    places: Vec<Vec3>,
}

/// What acts on the vehicle in a phase.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Aloft,
    SetDown,
    LetGo,
}

impl<'a> Relaxation<'a> {
    fn new(
        agent: &'a AgentModel,
        ground: &'a GroundModel,
        published: &'a Published,
        design: &VehicleState,
    ) -> Relaxation<'a> {
        let mover = &agent.vehicle;
        Relaxation {
            agent,
            ground,
            published,
            vehicle: design.clone(),
            room: mover.workspace(design),
            tyres: mover.tyres(),
            overlay: Overlay::new(),
            scratch: Scratch::new(),
            places: vec![Vec3::zeros(); mover.wheels()],
        }
    }

    fn mover(&self) -> &'a Mover {
        &self.agent.vehicle
    }

    /// Finds the equilibrium about `start`, friction and all if the vehicle `stays`.
    fn run(&mut self, start: &Pose, stays: bool) -> Stand {
        let weight = *self.mover().gravity(&mut self.room);
        *self.mover().gravity(&mut self.room) = Vec3::zeros();
        self.relax(Phase::Aloft, start);
        *self.mover().gravity(&mut self.room) = weight;
        self.touch_down();
        if !self.relax(Phase::SetDown, start) {
            return Stand::Falls;
        }
        if !stays {
            return Stand::Still;
        }
        self.tyres.fill(TyreState::default());
        let held = (self.vehicle.clone(), self.tyres.clone(), self.overlay.clone());
        if self.relax(Phase::LetGo, start) {
            return Stand::Still;
        }
        (self.vehicle, self.tyres, self.overlay) = held;
        Stand::Slides
    }

    /// Whether the vehicle stands where it was put, `from`, m, and upright.
    fn holds(&self, phase: Phase, start: &Pose, from: &Vec3) -> bool {
        let pose = self.mover().pose(&self.room);
        let upright = pose.direction(&Vec3::z()).dot(&start.direction(&Vec3::z()));
        upright > TIPS && (phase != Phase::LetGo || (pose.position - from).norm() < SLIDES)
    }

    /// Steps until the vehicle is in equilibrium; whether it is.
    fn relax(&mut self, phase: Phase, start: &Pose) -> bool {
        let from = self.mover().pose(&self.room).position;
        let (mut longest, mut long) = (self.longest(phase), BETWEEN_PROBES);
        let (mut h, mut acceleration) = (FIRST, f64::INFINITY);
        for _ in 0..MOST_STEPS[phase as usize] {
            if long == BETWEEN_PROBES {
                long = 0;
                if !self.step(phase, start, PROBE) {
                    return false;
                }
                let twist = self.mover().twist(&self.room);
                acceleration = twist.linear.norm().max(twist.angular.norm()) / PROBE;
                if acceleration < STILL {
                    return true;
                }
            }
            if !self.step(phase, start, h) || !self.holds(phase, start, &from) {
                return false;
            }
            if h >= longest {
                long += 1;
                longest *= SHORTENING;
            }
            let way = self.way(phase, h);
            h = (h * (1.0 / way.sqrt()).clamp(0.6, 1.4)).min(longest);
        }
        acceleration < NEARLY_STILL
    }

    /// One step from rest; whether it could be made.
    fn step(&mut self, phase: Phase, start: &Pose, h: f64) -> bool {
        let agent = self.agent;
        let mover = &agent.vehicle;
        // rates are kept in the workspace: what slides in soil slides on
        self.vehicle.body.halt();
        for (wheel, place) in self.places.iter_mut().enumerate() {
            *place = mover.wheel_pose(&self.room, wheel).position;
        }
        let mut on_chassis = Load::default();
        if phase != Phase::Aloft {
            let Relaxation { ground, published, overlay, scratch, .. } = self;
            let grips = phase == Phase::LetGo;
            let mut meeting = Meeting { ground, published, overlay, scratch, grips };
            mover.meet_ground(&self.vehicle, &self.tyres, &mut self.room, &mut meeting, h);
            if agent.is_low(ground, &self.room) {
                on_chassis = agent.rest_on_belly(&self.room, &mut meeting, h).load;
            }
        }
        if phase == Phase::SetDown {
            self.anchor(start, &mut on_chassis);
        }
        *mover.chassis_load(&mut self.room) = on_chassis;
        if mover.step(&mut self.vehicle, &mut self.room, &BRAKED, 0, h).is_err() {
            return false;
        }
        if phase == Phase::LetGo {
            mover.settle_tyres(&mut self.tyres, &self.room, h);
        }
        true
    }

    /// Holds the chassis in the plane of the ground, where friction would.
    fn anchor(&self, start: &Pose, load: &mut Load) {
        let place = self.mover().pose(&self.room).position;
        let [forward, left, normal] =
            [Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| start.direction(&axis));
        let above = place.z - self.ground.terrain().height(place.x, place.y);
        let below = normal * (-above * normal.z);
        let damping = ANCHOR * self.mover().mass();
        let mut anchor = Load::default();
        anchor.add_tangent(&forward, &below, 0.0, damping);
        anchor.add_tangent(&left, &(below + forward), 0.0, 0.5 * damping);
        anchor.add_tangent(&left, &(below - forward), 0.0, 0.5 * damping);
        // what it answers to the rates of the last step, which a step takes for its own
        let Twist { linear, angular } = self.mover().twist(&self.room);
        let held = anchor.damping
            * Vec6::new(angular.x, angular.y, angular.z, linear.x, linear.y, linear.z);
        load.damping += anchor.damping;
        load.wrench.torque -= Vec3::new(held[0], held[1], held[2]);
        load.wrench.force -= Vec3::new(held[3], held[4], held[5]);
    }

    /// Longest step of a phase, s.
    fn longest(&self, phase: Phase) -> f64 {
        let on_soil = self.mover().contacts(&self.room).iter().any(|met| met.nodes_in_contact > 0);
        if phase == Phase::LetGo && on_soil { LONGEST_ON_SOIL } else { LONGEST }
    }

    /// How far the last step went, as a part of how far it may.
    fn way(&self, phase: Phase, h: f64) -> f64 {
        let mover = self.mover();
        let chassis = mover.twist(&self.room).linear.norm() * h / CHASSIS_WAY;
        let wheels = self.places.iter().enumerate().map(|(wheel, before)| {
            let way = (mover.wheel_pose(&self.room, wheel).position - before).norm();
            let sinkage = mover.samples(&self.room)[wheel].sinkage;
            way / WHEEL_WAY[0].max(WHEEL_WAY[1] * sinkage)
        });
        let wheels = if phase == Phase::Aloft { 0.0 } else { wheels.fold(0.0, f64::max) };
        chassis.max(wheels).max(1e-9)
    }

    /// Moves the vehicle up or down until its first wheel touches the ground.
    fn touch_down(&mut self) {
        let mover = self.mover();
        let [radius, half_width] = mover.wheel_reach();
        let mut gap = f64::INFINITY;
        for wheel in 0..mover.wheels() {
            let pose = mover.wheel_pose(&self.room, wheel);
            let axis = pose.direction(&Vec3::y());
            let forward = axis.cross(&Vec3::z()).try_normalize(1e-9).unwrap_or_else(Vec3::x);
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
            mover.shift(&mut self.vehicle, &mut self.room, &Vec3::new(0.0, 0.0, -gap));
        }
    }
}
