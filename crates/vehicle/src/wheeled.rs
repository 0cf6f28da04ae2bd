//! A wheeled vehicle: immutable model, plain state, one step.
//!
//! The step evaluates springs, dampers, stops, brakes, engine, converter and
//! clutches, takes the loads of the ground on the wheels from the caller, and
//! lets the multibody core advance linearly implicitly. It knows no ground.

use super::air;
use super::assembly::{Assembled, AssemblyError, Clutch, Engaged, articulation, assemble};
use super::controls::Controls;
use super::outline::Outline;
use super::pedal_response::{EngineResponse, LOCKED, PedalResponse};
use super::powertrain::{Brake, BrakeState, GearboxState};
use super::settled_torque::settled_torques;
use super::spec::{Axle, Chassis, Footprint, Tyre, VehicleSpec};
use super::state::VehicleState;
use super::trailer::{Coupling, TrailerParts};
use super::transmission::friction;
use super::tyre::RingFigures;
use crate::multibody::{ElementForce, State, StepError, Workspace};
use bekker_math::numeric::{GRAVITY, atan2, exp};
use bekker_math::spatial::{Load, Pose, Twist, Vec3};

/// Fastest move of the steering, full locks a second: a quick driver's hands.
/// It keeps a jump of the command from becoming a jump of the linkage.
const STEERING_RATE: f64 = 5.0;

/// A vehicle, immutable.
#[derive(Clone, Debug)]
pub struct Vehicle {
    spec: VehicleSpec,
    parts: Assembled,
    brakes: Vec<Brake>,
    mass: f64,
    /// Belt of the tyres of each axle, if they give way.
    rings: Vec<Option<RingFigures>>,
    outline: Outline,
    trailer: Option<TrailerParts>,
}

/// What the driveline and brakes did to the wheels in the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WheelDrive {
    /// Torque of the half-shaft on the wheel, N m, positive forward.
    pub drive: f64,
    /// Torque of the brake on the wheel, N m.
    pub brake: f64,
}

/// Derived data of a vehicle: never saved.
#[derive(Clone, Debug)]
pub struct VehicleWorkspace {
    body: Workspace,
    drives: Vec<WheelDrive>,
    /// Work of engine and converter in the last step, J.
    engine_work: f64,
}

impl VehicleWorkspace {
    /// Work that engine and converter put in over the last step, J.
    pub fn engine_work(&self) -> f64 {
        self.engine_work
    }

    /// Loads of the ground on the wheels, about their centres, to be set before
    /// each step.
    pub fn loads(&mut self) -> &mut [Load] {
        let wheels = self.drives.len();
        &mut self.body.load[..wheels]
    }

    /// Load on the chassis about its frame's origin, to be set likewise.
    pub fn chassis_load(&mut self) -> &mut Load {
        let wheels = self.drives.len();
        &mut self.body.load[wheels]
    }

    /// Load on the trailer's body about its frame's origin, likewise, if it draws one.
    pub fn trailer_load(&mut self) -> Option<&mut Load> {
        let wheels = self.drives.len();
        self.body.load.get_mut(wheels + 1)
    }

    /// Acceleration of gravity, m/s².
    pub fn gravity(&mut self) -> &mut Vec3 {
        &mut self.body.gravity
    }

    /// Torques on the wheels in the last step.
    pub fn drives(&self) -> &[WheelDrive] {
        &self.drives
    }

    /// Largest opening of a joint or rod after the last step, m.
    pub fn drift(&self) -> f64 {
        self.body.drift
    }
}

impl Vehicle {
    /// Assembles a vehicle from its file.
    pub fn new(spec: VehicleSpec) -> Result<Vehicle, AssemblyError> {
        let parts = assemble(&spec)?;
        let brakes = parts
            .wheels
            .iter()
            .map(|wheel| Brake { max_torque: spec.axles[wheel.axle].brake_torque })
            .collect();
        let mass = parts.model.mass();
        let ring = |axle: usize| {
            let tyre = spec.tyre_of(axle);
            tyre.flexible.as_ref().map(|own| own.ring(tyre.rigid.radius())).transpose()
        };
        let rings = (0..spec.axles.len()).map(ring).collect::<Result<_, _>>()?;
        // what others meet is the vehicle itself
        let own = 2 * spec.own_axles().len();
        let centres = (0..own).map(|wheel| wheel_centre(&spec, &parts, wheel));
        let centres: Vec<Vec3> = centres.collect();
        let footprint = Footprint::of_tractor(&spec);
        let outlined = mass - spec.trailer_mass();
        let outline =
            Outline::of(&spec.chassis, &footprint, outlined, &centres, ride_radius(&spec));
        let trailer = TrailerParts::of(&spec, ride_radius(&spec));
        Ok(Vehicle { spec, parts, brakes, mass, rings, outline, trailer })
    }

    /// What its trailer is to others that it meets, in the trailer's frame, if it draws one.
    pub fn trailer_outline(&self) -> Option<&Outline> {
        self.trailer.as_ref().map(|own| &own.outline)
    }

    /// Feet of the trailer's landing gear as it stands lowered, in the trailer's frame, m.
    pub fn landing_feet(&self) -> &[Vec3] {
        self.trailer.as_ref().map_or(&[], |own| &own.feet)
    }

    /// Lets go of the trailer, if it draws one: it stands on its landing gear from then on, and its
    /// brakes apply.
    pub fn uncouple(&self, state: &mut VehicleState) {
        if self.trailer.is_some() && state.coupling == Coupling::Holds {
            state.coupling = Coupling::Released;
        }
    }

    /// What it is to others that it meets.
    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// The figures that it was assembled from.
    pub fn spec(&self) -> &VehicleSpec {
        &self.spec
    }

    /// Belt of a wheel's tyre, if it gives way.
    pub fn ring(&self, wheel: usize) -> Option<&RingFigures> {
        self.rings[self.axle_of(wheel)].as_ref()
    }

    /// Tyre of a wheel.
    pub fn tyre(&self, wheel: usize) -> &Tyre {
        self.spec.tyre_of(self.axle_of(wheel))
    }

    /// Number of wheels: axle by axle from the front, left before right.
    pub fn wheels(&self) -> usize {
        self.parts.wheels.len()
    }

    /// Index of the axle of a wheel.
    pub fn axle_of(&self, wheel: usize) -> usize {
        self.parts.wheels[wheel].axle
    }

    /// Mass of all bodies, kg.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Whether all bodies of a state are turned, and none is stretched.
    pub fn turns(&self, state: &VehicleState) -> bool {
        self.parts.model.turns(&state.body)
    }

    /// Coordinates and closure rows of the multibody model.
    pub fn size(&self) -> (usize, usize) {
        (self.parts.model.coordinates(), self.parts.model.closure_rows())
    }

    /// The design position, moved to `pose` (of the chassis frame), at rest.
    pub fn state(&self, pose: &Pose) -> VehicleState {
        let mut body = self.parts.model.assembled();
        self.parts.model.transform(&mut body, pose);
        VehicleState {
            body,
            steering: 0.0,
            gearbox: GearboxState::default(),
            brakes: vec![BrakeState::default(); self.parts.wheels.len()],
            clutches: vec![BrakeState::default(); self.parts.driveline.clutches.len()],
            pressures: vec![0.0; self.lags().count()],
            engaged: vec![false; self.switched_locks()],
            coupling: Coupling::Holds,
        }
    }

    /// Time constants of the brakes of the axles that have one, s, from the front.
    fn lags(&self) -> impl Iterator<Item = f64> {
        self.spec.axles.iter().filter_map(|axle| axle.brake_lag)
    }

    fn switched_locks(&self) -> usize {
        let clutches = self.parts.driveline.clutches.iter();
        clutches.filter(|clutch| clutch.index().is_some()).count()
    }

    /// The same rolling at `speed` (m/s, negative backward) in the gear that fits:
    /// wheels, shafts and engine turn with it.
    pub fn launched(&self, pose: &Pose, speed: f64) -> VehicleState {
        let mut state = self.state(pose);
        self.launch(&mut state, &pose.direction(&Vec3::x()), speed, None);
        state
    }

    /// Lets a vehicle at rest, however it stands, roll along the unit vector `forward` at
    /// `speed` (m/s, negative backward) in a gear, or in the one that fits.
    pub fn launch(&self, state: &mut VehicleState, forward: &Vec3, speed: f64, gear: Option<i32>) {
        if speed == 0.0 {
            return;
        }
        let mut body = self.parts.model.workspace();
        let mut u = vec![0.0; state.body.u.len()];
        self.parts.model.translate(&mut u, &(forward * speed));
        let load = self.mass * GRAVITY / self.wheels() as f64;
        let spin = |wheel: usize| match (self.ring(wheel), &self.tyre(wheel).flexible) {
            (Some(ring), Some(flexible)) => {
                let inflation = flexible.inflation.of(wheel, 2 * self.spec.own_axles().len());
                speed / (ring.radius - ring.deflection(inflation, load) / 3.0)
            }
            _ => {
                let tyre = &self.tyre(wheel).handling;
                speed / tyre.rolling_radius(load / tyre.vertical_stiffness)
            }
        };
        for (index, wheel) in self.parts.wheels.iter().enumerate() {
            u[wheel.spin.index()] = spin(index);
        }
        // shafts turn as the mean of their wheels, those of tyres that are all alike as the first one
        let alike = self.spec.axles.iter().all(|axle| axle.tyre.is_none());
        let of_axle = |axle: usize| {
            let left = if alike { 0 } else { 2 * axle };
            0.5 * (spin(left) + spin(left + 1))
        };
        state.gearbox = self.parts.driveline.turn(&self.spec, &mut u, of_axle, gear);
        self.parts.model.set_velocity(&mut state.body, &mut body, &u);
    }

    /// Storage for steps, in line with `state`.
    pub fn workspace(&self, state: &VehicleState) -> VehicleWorkspace {
        let mut body = self.parts.model.workspace();
        self.parts.model.refresh(&state.body, &mut body);
        let drives = vec![WheelDrive::default(); self.parts.wheels.len()];
        VehicleWorkspace { body, drives, engine_work: 0.0 }
    }

    /// Moves the whole vehicle by `way`, m.
    pub fn shift(&self, state: &mut VehicleState, room: &mut VehicleWorkspace, way: &Vec3) {
        let pose = Pose { position: *way, ..Pose::default() };
        self.parts.model.transform(&mut state.body, &pose);
        self.parts.model.refresh(&state.body, &mut room.body);
    }

    /// Pose of the chassis frame.
    pub fn pose(&self, workspace: &VehicleWorkspace) -> Pose {
        self.parts.model.pose(&workspace.body, self.parts.chassis)
    }

    /// Angle by which the frame behind the torsion joint is turned about x against the chassis ahead,
    /// rad, if it has that joint: positive with its left side up.
    pub fn frame_twist(&self, workspace: &VehicleWorkspace) -> Option<f64> {
        let rear = self.parts.model.pose(&workspace.body, self.parts.rear_frame?);
        let left = self.pose(workspace).orientation.inverse() * rear.direction(&Vec3::y());
        Some(atan2(left.z, left.y))
    }

    /// Twist of the chassis about its frame's origin.
    pub fn twist(&self, workspace: &VehicleWorkspace) -> Twist {
        self.parts.model.twist(&workspace.body, self.parts.chassis)
    }

    /// Pose of the trailer's frame, whose origin is at the coupling, if it draws one.
    pub fn trailer_pose(&self, workspace: &VehicleWorkspace) -> Option<Pose> {
        let trailer = self.parts.trailer.as_ref()?;
        Some(self.parts.model.pose(&workspace.body, trailer.body))
    }

    /// Twist of the trailer about its frame's origin.
    pub fn trailer_twist(&self, workspace: &VehicleWorkspace) -> Option<Twist> {
        let trailer = self.parts.trailer.as_ref()?;
        Some(self.parts.model.twist(&workspace.body, trailer.body))
    }

    /// Yaw (to the left) and pitch (nose down) of the trailer against the vehicle, rad.
    pub fn articulation(&self, workspace: &VehicleWorkspace) -> Option<[f64; 2]> {
        let trailer = self.trailer_pose(workspace)?;
        Some(articulation([&self.pose(workspace), &trailer]))
    }

    /// Force of the trailer on the vehicle after the last step, N, along the axes of the
    /// vehicle's chassis: x below 0 where the trailer holds back, z below 0 where it presses down.
    pub fn hitch_force(&self, workspace: &VehicleWorkspace) -> Option<Vec3> {
        let trailer = self.parts.trailer.as_ref()?;
        let springs = trailer.springs.iter().map(|(index, axis)| {
            let mount = &self.parts.mounts[*index];
            let (displaced, rate) =
                (workspace.body.measure[mount.element], workspace.body.rate[mount.element]);
            axis * (mount.stiffness * displaced + mount.damping * rate)
        });
        Some(springs.sum())
    }

    /// Pose of a wheel: origin at its centre, y along its spin axis.
    pub fn wheel_pose(&self, workspace: &VehicleWorkspace, wheel: usize) -> Pose {
        self.parts.model.pose(&workspace.body, self.parts.wheels[wheel].body)
    }

    /// Twist of a wheel about its centre, spin included.
    pub fn wheel_twist(&self, workspace: &VehicleWorkspace, wheel: usize) -> Twist {
        self.parts.model.twist(&workspace.body, self.parts.wheels[wheel].body)
    }

    /// Spin of a wheel against its carrier, rad/s, positive forward.
    pub fn wheel_spin(&self, state: &VehicleState, wheel: usize) -> f64 {
        state.body.u[self.parts.wheels[wheel].spin.index()]
    }

    /// Engine speed, rad/s.
    pub fn engine_speed(&self, state: &VehicleState) -> f64 {
        state.body.u[self.parts.driveline.transmission.shafts.engine.index()]
    }

    /// Thrust of the driveline at the wheels in the last step over the vehicle's
    /// weight, positive forward.
    pub fn thrust(&self, state: &VehicleState) -> f64 {
        let torque = |&(closure, _): &(usize, usize)| {
            -state.body.closure_forces[self.parts.model.closure_row(closure)]
        };
        let torque: f64 = self.parts.driveline.axles.iter().map(torque).sum();
        torque / (self.ride_radius() * self.mass * GRAVITY)
    }

    /// Wheels that the driveline turns.
    pub fn driven_wheels(&self) -> impl Iterator<Item = usize> {
        self.parts.driveline.shafts.iter().flat_map(|&(_, axle)| [2 * axle, 2 * axle + 1])
    }

    /// Speed of the rim of the driven wheel that turns fastest either way, m/s, positive forward,
    /// of a tyre without load.
    pub fn rim_speed(&self, state: &VehicleState) -> f64 {
        let rim = |wheel| self.wheel_spin(state, wheel) * self.tyre(wheel).handling.unloaded_radius;
        self.driven_wheels()
            .map(rim)
            .fold(0.0, |most: f64, rim| if rim.abs() > most.abs() { rim } else { most })
    }

    /// What its full brake does on level firm ground of this friction, m/s²: each wheel carries as much, and gives
    /// what its brake can or what is left of friction where it locks.
    pub fn full_braking(&self, friction: f64) -> f64 {
        let most = LOCKED * friction * GRAVITY * self.mass / self.brakes.len() as f64;
        let force = |brake: &Brake| (brake.max_torque / self.ride_radius()).min(most);
        self.brakes.iter().map(force).sum::<f64>() / self.mass
    }

    /// What throttle and brake do to it at its present speed and gear.
    pub fn pedal_response(&self, state: &VehicleState) -> PedalResponse {
        let arm = self.ride_radius() * self.mass;
        let transmission = &self.parts.driveline.transmission;
        let input = transmission.shafts.speeds(&state.body.u).input;
        let engine = (&self.spec.powertrain, transmission.free_speed);
        let torques = settled_torques(engine, &state.gearbox, input);
        let gain = self.gearing();
        let [closed, full] = torques.unwrap_or_default().map(|torque| torque * gain / arm);
        let brake = self.brakes.iter().map(|brake| brake.max_torque).sum::<f64>() / arm;
        PedalResponse { closed, full, brake }
    }

    /// How its engine gets to an acceleration at its present speed and gear.
    pub fn engine_response(&self, state: &VehicleState) -> EngineResponse<'_> {
        let transmission = &self.parts.driveline.transmission;
        let shafts = transmission.shafts.speeds(&state.body.u);
        let engine = (&self.spec.powertrain, transmission.free_speed);
        let gain = self.gearing() / (self.ride_radius() * self.mass);
        EngineResponse::of(engine, &state.gearbox, shafts, (gain, self.mass))
    }

    /// Torque at all wheels together over that at the gearbox's output.
    fn gearing(&self) -> f64 {
        let driveline = &self.parts.driveline;
        let (front, shares) = self.spec.driveline.split(driveline.shafts.len());
        let at_wheels = driveline.shafts.iter().enumerate().map(|(index, &(_, axle))| {
            let ratio = self.spec.axles[axle].final_drive.map_or(1.0, |drive| drive.ratio);
            shares[usize::from(index >= front)] / ratio
        });
        at_wheels.sum()
    }

    /// Length of the spring of a side, m.
    pub fn spring_length(&self, workspace: &VehicleWorkspace, wheel: usize) -> f64 {
        workspace.body.measure[self.parts.struts[wheel].spring]
    }

    /// Force with which the spring of a side pushes its ends apart, N.
    pub fn spring_force(&self, workspace: &VehicleWorkspace, wheel: usize) -> f64 {
        let axle = &self.spec.axles[self.parts.wheels[wheel].axle];
        -axle.spring.tension(self.spring_length(workspace, wheel)).0
    }

    /// Kinetic and gravitational energy, J.
    pub fn energy(&self, state: &VehicleState, workspace: &VehicleWorkspace) -> f64 {
        self.parts.model.kinetic_energy(&state.body, &workspace.body)
            + self.parts.model.potential_energy(&workspace.body)
    }

    /// Energy stored in springs, stops and mounts, J.
    pub fn spring_energy(&self, state: &VehicleState, workspace: &VehicleWorkspace) -> f64 {
        let measure = &workspace.body.measure;
        let struts = self.parts.struts.iter();
        let springs =
            struts.map(|own| self.spec.axles[own.axle].spring.energy(measure[own.spring]));
        let held = |index: usize| {
            let trailer = self.parts.trailer.as_ref();
            let parted = state.coupling != Coupling::Holds;
            !(parted && trailer.is_some_and(|own| own.springs.iter().any(|own| own.0 == index)))
        };
        let mounts = self.parts.mounts.iter().enumerate().filter(|(index, _)| held(*index));
        let mounts = mounts.map(|(_, own)| {
            let deflection = measure[own.element];
            0.5 * own.stiffness * deflection * deflection
        });
        // linear from where they touch on
        let stop = |own: ElementForce| {
            if own.stiffness > 0.0 { 0.5 * own.force * own.force / own.stiffness } else { 0.0 }
        };
        let pitch = self.parts.pitch_stops.iter();
        let pitch = pitch.map(|own| stop(own.force(measure[own.element], 0.0)));
        let flat = self.parts.flat_stops.iter().map(|own| stop(own.force(measure[own.element])));
        springs.chain(mounts).chain(pitch).chain(flat).sum()
    }

    /// Momentum of all bodies after the last step, N s.
    pub fn momentum(&self, state: &VehicleState) -> Vec3 {
        self.parts.model.momentum(&state.body).0
    }

    /// Advances by `h` seconds under `controls` and the loads in the workspace.
    /// `tick` counts steps, for the gearbox.
    pub fn step(
        &self,
        state: &mut VehicleState,
        workspace: &mut VehicleWorkspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) -> Result<(), StepError> {
        let controls = controls.clamped();
        let transmission = &self.parts.driveline.transmission;
        let before = transmission.shafts.speeds(&state.body.u);
        self.suspend(state.coupling, &mut workspace.body);
        self.steer(state, &mut workspace.body, controls.steering, h);
        self.build_up(state, controls.brake, h);
        self.drive(state, &mut workspace.body, &controls, tick, h);
        self.brake(state, workspace, controls.brake, h);
        let still = self.blow(workspace);
        let held = state.coupling == Coupling::Holds;
        let loads = if held { self.stop_trailer(workspace) } else { None };
        let advanced = self.parts.model.advance(&mut state.body, &mut workspace.body, h);
        if let Some([chassis, trailer]) = loads {
            *workspace.chassis_load() = chassis;
            workspace.trailer_load().into_iter().for_each(|load| *load = trailer);
        }
        if let Some([chassis, trailer]) = still {
            *workspace.chassis_load() = chassis;
            workspace.trailer_load().into_iter().for_each(|load| *load = trailer);
        }
        advanced?;
        let after = transmission.shafts.speeds(&state.body.u);
        workspace.engine_work = transmission.work(&before, &after, &workspace.body, h);
        self.settle_linings(state, workspace, controls.brake, h);
        Ok(())
    }

    /// Adds air drag; the loads on vehicle and trailer without it, where there is any.
    fn blow(&self, workspace: &mut VehicleWorkspace) -> Option<[Load; 2]> {
        let trailed = self.spec.trailer.as_ref().map(|own| &own.chassis);
        let area = |chassis: &Chassis| chassis.drag_area.is_some();
        if !area(&self.spec.chassis) && !trailed.is_some_and(area) {
            return None;
        }
        let own = air::drag(&self.spec.chassis, &self.pose(workspace), &self.twist(workspace));
        let drawn = trailed.and_then(|chassis| {
            let pose = self.trailer_pose(workspace)?;
            air::drag(chassis, &pose, &self.trailer_twist(workspace)?)
        });
        let mut still = [*workspace.chassis_load(), Load::default()];
        workspace.chassis_load().wrench += own.unwrap_or_default();
        if let Some(load) = workspace.trailer_load() {
            still[1] = *load;
            load.wrench += drawn.unwrap_or_default();
        }
        Some(still)
    }

    /// Lets the stops between vehicle and trailer push; the loads on both without that.
    fn stop_trailer(&self, workspace: &mut VehicleWorkspace) -> Option<[Load; 2]> {
        let trailer = self.parts.trailer.as_ref()?;
        let poses = [self.pose(workspace), self.trailer_pose(workspace)?];
        let twists = [self.twist(workspace), self.trailer_twist(workspace)?];
        let moment = trailer.stop(poses.each_ref(), twists.each_ref());
        let chassis = *workspace.chassis_load();
        workspace.chassis_load().wrench.torque -= moment;
        let on_trailer = workspace.trailer_load()?;
        let held = *on_trailer;
        on_trailer.wrench.torque += moment;
        Some([chassis, held])
    }

    /// Lets a coupling break that was pulled harder in a step than it can bear. Apart from
    /// [`step`](Vehicle::step): a vehicle that is set down is not driven yet.
    pub fn strain(&self, state: &mut VehicleState, workspace: &VehicleWorkspace) {
        let breaking = self.parts.trailer.as_ref().map_or(f64::INFINITY, |own| own.breaking);
        if state.coupling != Coupling::Holds || breaking.is_infinite() {
            return;
        }
        let force = self.hitch_force(workspace).map_or(0.0, |force| force.norm());
        if force > breaking {
            state.coupling = Coupling::Broken;
        }
    }

    fn suspend(&self, coupling: Coupling, workspace: &mut Workspace) {
        for strut in &self.parts.struts {
            let axle = &self.spec.axles[strut.axle];
            let length = workspace.measure[strut.spring];
            let (force, stiffness) = axle.spring.tension(length);
            workspace.element[strut.spring] =
                ElementForce { force, stiffness: stiffness.max(0.0), damping: 0.0 };
            let (length, rate) = (workspace.measure[strut.damper], workspace.rate[strut.damper]);
            let (force, damping) = axle.damper.tension(length, rate);
            workspace.element[strut.damper] = ElementForce { force, stiffness: 0.0, damping };
        }
        for mount in &self.parts.mounts {
            let force = mount.stiffness * workspace.measure[mount.element]
                + mount.damping * workspace.rate[mount.element];
            workspace.element[mount.element] =
                ElementForce { force, stiffness: mount.stiffness, damping: mount.damping };
        }
        if let (Some(trailer), true) = (&self.parts.trailer, coupling != Coupling::Holds) {
            for (mount, _) in &trailer.springs {
                workspace.element[self.parts.mounts[*mount].element] = ElementForce::default();
            }
        }
        for stop in &self.parts.pitch_stops {
            let (angle, rate) = (workspace.measure[stop.element], workspace.rate[stop.element]);
            workspace.element[stop.element] = stop.force(angle, rate);
        }
        for stop in &self.parts.flat_stops {
            workspace.element[stop.element] = stop.force(workspace.measure[stop.element]);
        }
    }

    fn steer(&self, state: &mut VehicleState, workspace: &mut Workspace, command: f64, h: f64) {
        let most = STEERING_RATE * h;
        state.steering += (command - state.steering).clamp(-most, most);
        for drive in &self.parts.steering {
            workspace.target[drive.drive] = drive.target(state.steering);
        }
    }

    fn drive(
        &self,
        state: &mut VehicleState,
        workspace: &mut Workspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) {
        let plan = &self.parts.driveline;
        let fixed = (&self.spec.powertrain, &self.parts.model);
        plan.transmission.drive(fixed, state, workspace, controls, (tick, h));
        for clutch in &plan.clutches {
            match &clutch.engaged {
                Engaged::Fixed(_) | Engaged::Biased { .. } => {}
                Engaged::Automatic { index, lock, mean } => {
                    let mean = mean.iter().map(|(at, share)| share * state.body.u[at.index()]);
                    let (mean, difference) = (mean.sum(), workspace.rate[clutch.element]);
                    let driven = controls.throttle > 0.0;
                    state.engaged[*index] =
                        lock.next(state.engaged[*index], difference, mean, driven);
                }
                Engaged::Commanded { index, lock } => {
                    state.engaged[*index] = controls.locks.contains(*lock);
                }
            }
        }
        for (clutch, lining) in plan.clutches.iter().zip(&state.clutches) {
            let rate = workspace.rate[clutch.element];
            workspace.element[clutch.element] = if clutch.is_engaged(state) {
                friction(self.friction_of(clutch, &state.body).torque(1.0, lining, rate, h))
            } else {
                ElementForce::default()
            };
        }
    }

    /// Friction of a differential's clutch; of one that biases torque by that of its carrier in the
    /// last step.
    fn friction_of(&self, clutch: &Clutch, body: &State) -> Brake {
        let Engaged::Biased { closure, share } = clutch.engaged else { return clutch.friction };
        let carried = body.closure_forces[self.parts.model.closure_row(closure)].abs();
        Brake { max_torque: (share * carried).max(clutch.friction.max_torque) }
    }

    /// Lets the pressure of brakes with a lag follow the pedal: dp/dt = (pedal - p)/T, exact for a
    /// pedal that is held over the step.
    fn build_up(&self, state: &mut VehicleState, pedal: f64, h: f64) {
        let lagging = self.spec.axles.iter().filter_map(|axle| Some((axle, axle.brake_lag?)));
        for (pressure, (axle, lag)) in state.pressures.iter_mut().zip(lagging) {
            let pedal = commanded(pedal, axle, state.coupling);
            *pressure += (pedal - *pressure) * (1.0 - exp(-h / lag));
        }
    }

    /// The pedal as the brakes of an axle have it by now.
    fn arrived(&self, pedal: f64, axle: usize, state: &VehicleState) -> f64 {
        let axles = &self.spec.axles;
        if axles[axle].brake_lag.is_none() {
            return commanded(pedal, &axles[axle], state.coupling);
        }
        let before = axles[..axle].iter().filter(|other| other.brake_lag.is_some()).count();
        state.pressures[before]
    }

    fn brake(&self, state: &VehicleState, workspace: &mut VehicleWorkspace, pedal: f64, h: f64) {
        for (wheel, place) in self.parts.wheels.iter().enumerate() {
            let rate = workspace.body.rate[place.brake];
            let pedal = self.arrived(pedal, place.axle, state);
            let pedal = self.sensed(pedal, wheel, &workspace.body);
            let torque = self.brakes[wheel].torque(pedal, &state.brakes[wheel], rate, h);
            workspace.body.element[place.brake] = friction(torque);
        }
    }

    /// The pedal as a wheel's brake feels it, by the load on its spring where that counts.
    fn sensed(&self, pedal: f64, wheel: usize, workspace: &Workspace) -> f64 {
        let axle = &self.spec.axles[self.parts.wheels[wheel].axle];
        let Some(sensing) = &axle.load_sensing else { return pedal };
        let (tension, _) = axle.spring.tension(workspace.measure[self.parts.struts[wheel].spring]);
        pedal * sensing.share(-tension)
    }

    /// Winds the linings up by the new speeds and records the torques.
    fn settle_linings(
        &self,
        state: &mut VehicleState,
        workspace: &mut VehicleWorkspace,
        pedal: f64,
        h: f64,
    ) {
        let plan = &self.parts.driveline;
        for (wheel, place) in self.parts.wheels.iter().enumerate() {
            let spin = state.body.u[place.spin.index()];
            let pedal = self.arrived(pedal, place.axle, state);
            let pedal = self.sensed(pedal, wheel, &workspace.body);
            self.brakes[wheel].advance(pedal, &mut state.brakes[wheel], spin, h);
            let force = workspace.body.element[place.brake].force;
            workspace.drives[wheel] = WheelDrive { drive: 0.0, brake: -force };
        }
        for &(closure, axle) in &plan.axles {
            let torque = state.body.closure_forces[self.parts.model.closure_row(closure)];
            for (wheel, place) in self.parts.wheels.iter().enumerate() {
                if place.axle == axle {
                    // Two wheels share a carrier: weight -1/2 of the row.
                    workspace.drives[wheel].drive = -0.5 * torque;
                }
            }
        }
        // The clutches of the axles come first, in the order of their shafts.
        for (clutch, &(_, axle)) in plan.clutches.iter().zip(&plan.shafts) {
            let against = workspace.body.element[clutch.element].force;
            let mut sense = -1.0;
            for (wheel, place) in self.parts.wheels.iter().enumerate() {
                if place.axle == axle {
                    workspace.drives[wheel].drive += sense * against;
                    sense = -sense;
                }
            }
        }
        for (index, clutch) in plan.clutches.iter().enumerate() {
            if clutch.is_engaged(state) {
                let (lining, rate) =
                    (&mut state.clutches[index], workspace.body.rate[clutch.element]);
                self.friction_of(clutch, &state.body).advance(1.0, lining, rate, h);
            } else if clutch.index().is_some() {
                state.clutches[index] = BrakeState::default();
            }
        }
    }

    /// Radius at which the design position stands on its wheels, m.
    pub fn ride_radius(&self) -> f64 {
        ride_radius(&self.spec)
    }

    /// Centre of a wheel in the chassis frame in the design position, m.
    pub fn wheel_centre(&self, wheel: usize) -> Vec3 {
        wheel_centre(&self.spec, &self.parts, wheel)
    }
}

/// The pedal for an axle: brakes of a trailer apply in full where it has parted from its tractor.
fn commanded(pedal: f64, axle: &Axle, coupling: Coupling) -> f64 {
    if axle.trailed && coupling != Coupling::Holds { 1.0 } else { pedal }
}

fn ride_radius(spec: &VehicleSpec) -> f64 {
    (0..spec.axles.len())
        .map(|axle| spec.tyre_of(axle))
        .map(|tyre| tyre.rigid.radius().max(tyre.handling.unloaded_radius))
        .fold(0.0, f64::max)
}

fn wheel_centre(spec: &VehicleSpec, parts: &Assembled, wheel: usize) -> Vec3 {
    let axle = &spec.axles[parts.wheels[wheel].axle];
    let mirror = if wheel.is_multiple_of(2) { 1.0 } else { -1.0 };
    let [x, y, z] = axle.suspension.spindle();
    Vec3::from(axle.position) + Vec3::new(x, mirror * y, z)
}

impl Clutch {
    fn is_engaged(&self, state: &VehicleState) -> bool {
        match self.engaged {
            Engaged::Fixed(engaged) => engaged,
            Engaged::Biased { .. } => true,
            Engaged::Automatic { index, .. } | Engaged::Commanded { index, .. } => {
                state.engaged[index]
            }
        }
    }
}
