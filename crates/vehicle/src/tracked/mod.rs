//! A tracked vehicle on belts: immutable model, plain state, one step.
//!
//! # Theory
//! Each track is an extensible band that runs over sprocket, road wheels and
//! idler, and where there are some back over return rollers, which turn with it. Under the vehicle the band has nodes at fixed places along the hull,
//! which move up and down: its shape. Through each node the band runs at a speed
//! of its own: the difference between neighbours stretches it. Its tension pulls
//! along the line from node to node and so carries the road wheels' load into
//! the soil between them. The shoes ride on the band a pitch apart; where each
//! is follows from the shape and the advance.
//!
//! What the ground does to a shoe acts, by virtual work, on the nodes before and
//! behind its pins and on the band that runs there; the tangents are lumped with
//! the same weights, which bounds them from above and keeps them positive.
//!
//! # Limits
//! The band's own momentum round the wheels (centrifugal tension) and the
//! gyroscopic moment of the wheels are left out; the band cannot leave sprocket
//! and idler, nor move sideways on the wheels.

mod assembly;
mod belt;
mod route;
mod segments;
mod shoes;
#[cfg(test)]
mod upper_run;

pub use shoes::{ShoePlace, Shoes};

use super::Coupling;
use super::air;
use super::controls::Controls;
use super::outline::Outline;
use super::pedal_response::{EngineResponse, LOCKED, PedalResponse};
use super::powertrain::{Brake, BrakeState, GearboxState, NEUTRAL};
use super::settled_torque::settled_torques;
use super::spec::{Footprint, TrackModel, TrackResistance, TrackSteering, TrackedSpec};
use super::state::VehicleState;
use super::transmission::friction;
use super::wheeled::WheelDrive;
use crate::multibody::{ElementForce, ModelError, StepError, Workspace};
use assembly::{Parts, Run, TrackParts, assemble};
use bekker_math::numeric::GRAVITY;
use bekker_math::spatial::{Load, Pose, Quat, Twist, Vec3};
use shoes::SeatLoad;

/// Fastest move of the steering, full locks a second.
const STEERING_RATE: f64 = 2.0;
/// Stiffness of a motor that holds a sprocket at its speed, N m s/rad.
const MOTOR: f64 = 1e8;

/// A tracked vehicle, immutable.
#[derive(Clone, Debug)]
pub struct TrackedVehicle {
    spec: TrackedSpec,
    parts: Parts,
    mass: f64,
    outline: Outline,
}

/// What became of the work of an engine, J: engine = brakes + suspension + pins +
/// rims + soil + what the vehicle's kinetic and potential energy has grown by.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct EnergyAccount {
    /// What the engine gave behind its converter, its own drag taken off.
    pub engine: f64,
    /// Brakes, those of the steering included, and the running resistance of belts.
    pub brakes: f64,
    /// Torsion bars, stops, dampers and tensioners: lost and stored.
    pub suspension: f64,
    /// Pins of shoes or the stretching of belts: lost and stored.
    pub pins: f64,
    /// Rims of the wheels, teeth and guides: lost and stored.
    pub rims: f64,
    /// What the ground took.
    pub soil: f64,
}

/// Derived data of a tracked vehicle: never saved.
#[derive(Clone, Debug)]
pub struct TrackedWorkspace {
    body: Workspace,
    /// Loads of the bands' stretches on the seats before and behind them, left and right.
    seats: [Vec<[SeatLoad; 2]>; 2],
    /// Loads of the road wheels on the shoes, left and right, N.
    rims: [Vec<f64>; 2],
    /// What driveline and brakes did to the sprockets in the last step.
    drives: [WheelDrive; 2],
    /// Work of engine and converter in the last step, J.
    engine_work: f64,
}

impl TrackedWorkspace {
    /// Work that engine and converter put in over the last step, J.
    pub fn engine_work(&self) -> f64 {
        self.engine_work
    }

    /// Load on the chassis about its frame's origin, to be set before each step.
    pub fn chassis_load(&mut self) -> &mut Load {
        let last = self.body.load.len() - 1;
        &mut self.body.load[last]
    }

    /// Acceleration of gravity, m/s².
    pub fn gravity(&mut self) -> &mut Vec3 {
        &mut self.body.gravity
    }

    /// Largest opening of a joint or rod after the last step, m; pins give way by their
    /// stiffness and are not among them.
    pub fn drift(&self) -> f64 {
        self.body.drift
    }

    /// What the driveline, its steering included, and the service brakes did to the sprockets in
    /// the last step, left and right; the running resistance of belts takes its part of that.
    pub fn drives(&self) -> [WheelDrive; 2] {
        self.drives
    }
}

impl TrackedVehicle {
    /// Assembles a vehicle from its file.
    ///
    /// # Errors
    /// [`ModelError`] for figures that make no multibody model.
    pub fn new(spec: TrackedSpec) -> Result<TrackedVehicle, ModelError> {
        let parts = assemble(&spec)?;
        let mass = parts.model.mass();
        let wheels = 2 * spec.left.stations.len().min(spec.right.stations.len());
        let centres: Vec<Vec3> =
            (0..wheels).map(|wheel| wheel_centre(&spec, &parts, wheel)).collect();
        let (footprint, radius) = (Footprint::of_tracks(&spec), spec.road_wheel.radius);
        let outline = Outline::of(&spec.chassis, &footprint, mass, &centres, radius);
        Ok(TrackedVehicle { spec, parts, mass, outline })
    }

    /// What it is to others that it meets.
    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// The figures that it was assembled from.
    pub fn spec(&self) -> &TrackedSpec {
        &self.spec
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

    /// Entries of the matrix that a step factorises.
    pub fn entries(&self) -> usize {
        self.parts.model.entries()
    }

    /// Number of road wheels of both sides: from the front, left before right.
    pub fn wheels(&self) -> usize {
        2 * self.parts.tracks[0].arms.len()
    }

    /// The design position, moved to `pose` (of the chassis frame), at rest.
    pub fn state(&self, pose: &Pose) -> VehicleState {
        let mut body = self.parts.model.assembled();
        for track in &self.parts.tracks {
            if let Run::Segments(segments) = &track.run {
                segments.lay(&mut body.q);
            }
        }
        self.parts.model.transform(&mut body, pose);
        VehicleState {
            body,
            steering: 0.0,
            gearbox: GearboxState::default(),
            // service brakes, then the running resistance of the tracks
            brakes: vec![BrakeState::default(); 4],
            pressures: Vec::new(),
            engaged: Vec::new(),
            coupling: Coupling::default(),
            clutches: vec![BrakeState::default(); 2],
        }
    }

    /// The same rolling at `speed` (m/s, negative backward) in the gear that fits:
    /// tracks, shafts and engine turn with it; in neutral the engine stands.
    pub fn launched(&self, pose: &Pose, speed: f64) -> VehicleState {
        let mut state = self.state(pose);
        self.launch(&mut state, &pose.direction(&Vec3::x()), speed, None);
        state
    }

    /// Lets a vehicle at rest, however it stands, roll along the unit vector `forward` at
    /// `speed` (m/s) in a gear, or in the one that fits.
    pub fn launch(&self, state: &mut VehicleState, forward: &Vec3, speed: f64, gear: Option<i32>) {
        if speed == 0.0 {
            return;
        }
        let mut body = self.parts.model.workspace();
        let mut u = vec![0.0; state.body.u.len()];
        self.parts.model.translate(&mut u, &(forward * speed));
        for track in &self.parts.tracks {
            u[track.sprocket.index()] = speed / self.spec.drive_radius();
            match &track.run {
                Run::Belt(belt) => {
                    belt.seats.iter().for_each(|seat| u[seat.rate] = speed / seat.scale);
                }
                Run::Segments(segments) => {
                    segments.launch(speed, &mut u);
                    let road = track.arms.iter().map(|arm| (arm.spin, self.spec.road_wheel.radius));
                    for (spin, radius) in road.chain([(track.idler, self.spec.idler.radius)]) {
                        u[spin.coordinate.index()] = speed / radius;
                    }
                }
            }
        }
        let output = speed / self.spec.drive_radius() / self.spec.drive.ratio;
        let gearbox = &self.spec.powertrain.gearbox;
        state.gearbox = self.parts.transmission.turn(gearbox, &mut u, output, gear);
        self.parts.model.set_velocity(&mut state.body, &mut body, &u);
    }

    /// Storage for steps, in line with `state`.
    pub fn workspace(&self, state: &VehicleState) -> TrackedWorkspace {
        let mut body = self.parts.model.workspace();
        self.parts.model.refresh(&state.body, &mut body);
        let tracks = self.parts.tracks.each_ref();
        let seats = tracks.map(|track| match &track.run {
            Run::Belt(belt) => vec![[SeatLoad::default(); 2]; belt.loads.len()],
            Run::Segments(_) => Vec::new(),
        });
        let rims = tracks.map(|track| vec![0.0; track.arms.len()]);
        let drives = [WheelDrive::default(); 2];
        TrackedWorkspace { body, seats, rims, drives, engine_work: 0.0 }
    }

    /// Moves the whole vehicle by `way`, m.
    pub fn shift(&self, state: &mut VehicleState, room: &mut TrackedWorkspace, way: &Vec3) {
        let pose = Pose { position: *way, ..Pose::default() };
        self.parts.model.transform(&mut state.body, &pose);
        self.parts.model.refresh(&state.body, &mut room.body);
    }

    /// Pose of the chassis frame.
    pub fn pose(&self, workspace: &TrackedWorkspace) -> Pose {
        self.parts.model.pose(&workspace.body, self.parts.hull)
    }

    /// Twist of the chassis about its frame's origin.
    pub fn twist(&self, workspace: &TrackedWorkspace) -> Twist {
        self.parts.model.twist(&workspace.body, self.parts.hull)
    }

    /// Pose of a road wheel: origin at its centre, y along its axle.
    pub fn wheel_pose(&self, workspace: &TrackedWorkspace, wheel: usize) -> Pose {
        let arm = &self.parts.tracks[wheel % 2].arms[wheel / 2];
        self.parts.model.pose(&workspace.body, arm.wheel)
    }

    /// Pose of a sprocket, origin at its centre, y along its axle, turned as the track
    /// has turned it.
    pub fn sprocket_pose(
        &self,
        state: &VehicleState,
        workspace: &TrackedWorkspace,
        side: usize,
    ) -> Pose {
        let track = &self.parts.tracks[side];
        let [x, _, z] = self.spec.sprocket.position;
        let hull = self.pose(workspace);
        let angle = state.body.q[track.turned];
        Pose {
            position: hull.point(&Vec3::new(x, track.y, z)),
            orientation: hull.orientation * Quat::from_axis_angle(&Vec3::y_axis(), angle),
        }
    }

    /// Pose of an idler, origin at its centre, y along its axle; it is drawn unturned.
    pub fn idler_pose(&self, workspace: &TrackedWorkspace, side: usize) -> Pose {
        self.parts.model.pose(&workspace.body, self.parts.tracks[side].carrier)
    }

    /// Spin of an idler, rad/s, positive forward.
    pub fn idler_spin(&self, state: &VehicleState, side: usize) -> f64 {
        self.parts.tracks[side].idler.of(&state.body.u)
    }

    /// Spin of a road wheel, rad/s, positive forward: it rolls on the band.
    pub fn wheel_spin(&self, state: &VehicleState, wheel: usize) -> f64 {
        self.parts.tracks[wheel % 2].arms[wheel / 2].spin.of(&state.body.u)
    }

    /// Force of a road wheel on its track in the last step, N.
    pub fn wheel_load(&self, workspace: &TrackedWorkspace, wheel: usize) -> f64 {
        let Run::Belt(belt) = &self.parts.tracks[wheel % 2].run else {
            return workspace.rims[wheel % 2][wheel / 2];
        };
        let rims = belt.rims.iter().filter(|rim| rim.wheel == wheel / 2);
        rims.map(|rim| -workspace.body.element[rim.element].force).sum()
    }

    /// The road wheel of a side whose design place is nearest to a point in the
    /// world, `hull` being the chassis frame.
    pub fn nearest_wheel(&self, side: usize, hull: &Pose, point: &Vec3) -> usize {
        let x = hull.local_point(point).x;
        let stations = &self.spec.tracks()[side].stations;
        let further = |wheel: &usize| (stations[*wheel] - x).abs();
        let nearest = (0..stations.len()).min_by(|a, b| further(a).total_cmp(&further(b)));
        2 * nearest.unwrap_or_default() + side
    }

    /// Speed of a track over its sprocket, m/s, positive forward.
    pub fn track_speed(&self, state: &VehicleState, side: usize) -> f64 {
        self.sprocket_speed(state, side) * self.spec.drive_radius()
    }

    /// Speed of the track that runs faster either way, m/s, positive forward.
    pub fn rim_speed(&self, state: &VehicleState) -> f64 {
        let [left, right] = [0, 1].map(|side| self.track_speed(state, side));
        if left.abs() > right.abs() { left } else { right }
    }

    /// Spin of a sprocket, rad/s, positive forward.
    pub fn sprocket_speed(&self, state: &VehicleState, side: usize) -> f64 {
        state.body.u[self.parts.tracks[side].sprocket.index()]
    }

    /// Engine speed, rad/s.
    pub fn engine_speed(&self, state: &VehicleState) -> f64 {
        state.body.u[self.parts.transmission.shafts.engine.index()]
    }

    /// Thrust of the driveline at the tracks in the last step over the vehicle's
    /// weight, positive forward.
    pub fn thrust(&self, state: &VehicleState) -> f64 {
        let torque = -state.body.closure_forces[self.parts.model.closure_row(self.parts.carrier)];
        torque / (self.spec.drive_radius() * self.mass * GRAVITY)
    }

    /// What its full brake does on level firm ground of this friction, m/s²: what the brakes can, or what is
    /// left of friction where tracks lock.
    pub fn full_braking(&self, friction: f64) -> f64 {
        let arm = self.spec.drive_radius() * self.mass;
        (2.0 * self.service_brake().max_torque / arm).min(LOCKED * friction * GRAVITY)
    }

    /// What throttle and brake do to it at its present speed and gear.
    pub fn pedal_response(&self, state: &VehicleState) -> PedalResponse {
        let arm = self.spec.drive_radius() * self.mass;
        let transmission = &self.parts.transmission;
        let input = transmission.shafts.speeds(&state.body.u).input;
        let engine = (&self.spec.powertrain, transmission.free_speed);
        let torques = settled_torques(engine, &state.gearbox, input);
        let gain = 1.0 / self.spec.drive.ratio;
        let [closed, full] = torques.unwrap_or_default().map(|torque| torque * gain / arm);
        PedalResponse { closed, full, brake: 2.0 * self.service_brake().max_torque / arm }
    }

    /// How its engine gets to an acceleration at its present speed and gear.
    pub fn engine_response(&self, state: &VehicleState) -> EngineResponse<'_> {
        let transmission = &self.parts.transmission;
        let shafts = transmission.shafts.speeds(&state.body.u);
        let engine = (&self.spec.powertrain, transmission.free_speed);
        let gain = 1.0 / (self.spec.drive.ratio * self.spec.drive_radius() * self.mass);
        EngineResponse::of(engine, &state.gearbox, shafts, (gain, self.mass))
    }

    /// Tension of a track in the last step, N: of a belt on each stretch from the
    /// sprocket's front to the idler, and last on top; of shoes at the pin behind each.
    pub fn tensions(&self, workspace: &TrackedWorkspace, side: usize) -> Vec<f64> {
        let force = |element: usize| workspace.body.element[element].force;
        match &self.parts.tracks[side].run {
            Run::Belt(belt) => belt.links.iter().map(|link| force(link.element)).collect(),
            Run::Segments(run) => run.shoes.iter().map(|shoe| force(shoe.pin.along)).collect(),
        }
    }

    /// Widest opening of a pin between shoes that are bodies, m; 0 on belts.
    pub fn pin_opening(&self, workspace: &TrackedWorkspace) -> f64 {
        let tracks = self.parts.tracks.iter().map(|track| match &track.run {
            Run::Belt(_) => 0.0,
            Run::Segments(run) => run.opening(&workspace.body),
        });
        tracks.fold(0.0, f64::max)
    }

    /// Force of a tensioner on its idler in the last step, towards the rear, N.
    pub fn tensioner_force(&self, workspace: &TrackedWorkspace, side: usize) -> f64 {
        -workspace.body.element[self.parts.tracks[side].tensioner].force
    }

    /// Begins to keep account of energy.
    pub fn keep_account(&self, workspace: &mut TrackedWorkspace) {
        self.parts.model.keep_account(&mut workspace.body);
    }

    /// Where energy has gone since account is kept; nothing if it is not.
    pub fn account(&self, workspace: &TrackedWorkspace) -> EnergyAccount {
        let Some(work) = &workspace.body.work else { return EnergyAccount::default() };
        let parts = &self.parts;
        let of = |element: usize| -work.elements[element];
        let mut account = EnergyAccount {
            engine: -of(parts.transmission.engine_element) - of(parts.transmission.input_element),
            brakes: parts.steering.iter().map(|&element| of(element)).sum(),
            rims: -work.touches,
            soil: -work.loads.iter().sum::<f64>(),
            ..EnergyAccount::default()
        };
        for track in &parts.tracks {
            account.brakes += of(track.brake);
            account.suspension += of(track.tensioner);
            for arm in &track.arms {
                account.suspension += of(arm.element) + arm.damper.map_or(0.0, of);
            }
            account.pins += match &track.run {
                Run::Belt(belt) => {
                    account.rims += belt.rims.iter().map(|rim| of(rim.element)).sum::<f64>();
                    belt.links.iter().map(|link| of(link.element)).sum()
                }
                Run::Segments(run) => {
                    let pins = run.shoes.iter().map(|shoe| shoe.pin);
                    pins.map(|p| of(p.along) + of(p.across) + of(p.side) + of(p.bend)).sum::<f64>()
                }
            };
        }
        account
    }

    /// Kinetic and gravitational energy, J.
    pub fn energy(&self, state: &VehicleState, workspace: &TrackedWorkspace) -> f64 {
        self.parts.model.kinetic_energy(&state.body, &workspace.body)
            + self.parts.model.potential_energy(&workspace.body)
    }

    /// Energy stored in torsion bars, stops, tensioners and the tracks' tension, J; without that of
    /// rims and pads.
    pub fn spring_energy(&self, workspace: &TrackedWorkspace) -> f64 {
        let body = &workspace.body;
        let (bar, idler) = (&self.spec.road_arm, &self.spec.idler);
        let of_arm = |element: usize| {
            let angle = body.measure[element];
            let beyond = (angle - bar.bump_deg.to_radians()).max(0.0)
                + (angle + bar.rebound_deg.to_radians()).min(0.0);
            angle * (bar.torque + 0.5 * bar.stiffness * angle)
                + 0.5 * bar.stop_stiffness * beyond * beyond
        };
        let pulled = |element: usize| {
            let ElementForce { force, stiffness, .. } = body.element[element];
            if stiffness > 0.0 { 0.5 * force * force / stiffness } else { 0.0 }
        };
        let tracks = self.parts.tracks.iter().map(|track| {
            let back = body.measure[track.tensioner];
            let tensioner = back * (0.5 * idler.stiffness * back - track.idler_force);
            let links: f64 = match &track.run {
                Run::Belt(belt) => belt.links.iter().map(|link| pulled(link.element)).sum(),
                Run::Segments(run) => run.shoes.iter().map(|shoe| pulled(shoe.pin.along)).sum(),
            };
            tensioner + links + track.arms.iter().map(|arm| of_arm(arm.element)).sum::<f64>()
        });
        tracks.sum()
    }

    /// Centre of a road wheel in the chassis frame in the design position, m.
    pub fn wheel_centre(&self, wheel: usize) -> Vec3 {
        wheel_centre(&self.spec, &self.parts, wheel)
    }

    /// Height of the road wheels' centres over the ground in the design position, m.
    pub fn ride_radius(&self) -> f64 {
        self.spec.road_wheel.radius + self.spec.shoe.top + self.spec.shoe_depth()
    }

    /// Advances by `h` seconds under `controls` and the loads in the workspace.
    /// `tick` counts steps, for the gearbox.
    ///
    /// # Errors
    /// [`StepError`] when the equations have no finite solution.
    pub fn step(
        &self,
        state: &mut VehicleState,
        workspace: &mut TrackedWorkspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) -> Result<(), StepError> {
        let controls = controls.clamped();
        let most = STEERING_RATE * h;
        state.steering += (controls.steering - state.steering).clamp(-most, most);
        let transmission = &self.parts.transmission;
        let before = transmission.shafts.speeds(&state.body.u);
        self.seat_loads(state, workspace, h);
        self.suspend(state, workspace);
        self.drive(state, &mut workspace.body, &controls, tick, h);
        self.brake(state, workspace, controls.brake, h);
        let still = self.blow(workspace);
        let advanced = self.parts.model.advance(&mut state.body, &mut workspace.body, h);
        if let Some(still) = still {
            *workspace.chassis_load() = still;
        }
        advanced?;
        let after = transmission.shafts.speeds(&state.body.u);
        workspace.engine_work = transmission.work(&before, &after, &workspace.body, h);
        self.settle_linings(state, workspace, controls.brake, h);
        Ok(())
    }

    /// Adds air drag; the load on the chassis without it, where there is any.
    fn blow(&self, workspace: &mut TrackedWorkspace) -> Option<Load> {
        self.spec.chassis.drag_area?;
        let drag = air::drag(&self.spec.chassis, &self.pose(workspace), &self.twist(workspace))?;
        let load = workspace.chassis_load();
        let still = *load;
        load.wrench += drag;
        Some(still)
    }

    /// Advances by `h` seconds with the sprockets turned at given speeds of the
    /// tracks, left and right (m/s), by motors in place of the engine; without the
    /// tracks' own resistance.
    ///
    /// # Errors
    /// [`StepError`] when the equations have no finite solution.
    pub fn step_driven(
        &self,
        state: &mut VehicleState,
        workspace: &mut TrackedWorkspace,
        speeds: [f64; 2],
        h: f64,
    ) -> Result<(), StepError> {
        self.seat_loads(state, workspace, h);
        self.suspend(state, workspace);
        let body = &mut workspace.body;
        body.softness[self.parts.transmission.gearbox_row(&self.parts.model)] = NEUTRAL;
        body.softness[self.parts.model.closure_row(self.parts.carrier)] = NEUTRAL;
        // steered straight, a steering drive would hold the sprockets at one speed against the motors
        if let Some((closure, _)) = self.parts.pivot {
            body.softness[self.parts.model.closure_row(closure)] = NEUTRAL;
        }
        for (track, speed) in self.parts.tracks.iter().zip(speeds) {
            let over = body.rate[track.brake] - speed / self.spec.drive_radius();
            body.element[track.brake] =
                ElementForce { force: MOTOR * over, stiffness: 0.0, damping: MOTOR };
        }
        self.parts.model.advance(&mut state.body, &mut workspace.body, h)?;
        for (side, track) in self.parts.tracks.iter().enumerate() {
            let torque = -workspace.body.element[track.brake].force;
            workspace.drives[side] = WheelDrive { drive: torque, brake: 0.0 };
        }
        Ok(())
    }

    /// Springs of both sides: torsion bars, tensioners, and what runs round the wheels.
    fn suspend(&self, state: &VehicleState, workspace: &mut TrackedWorkspace) {
        let TrackedWorkspace { body, rims, .. } = workspace;
        let Parts { model, hull, tracks, .. } = &self.parts;
        body.part();
        for (track, loads) in tracks.iter().zip(rims) {
            self.spring(track, body);
            match &track.run {
                Run::Belt(belt) => belt.pull(&self.spec, body),
                Run::Segments(run) => {
                    run.pull(&self.spec, (model, *hull), &state.body, body, loads);
                }
            }
        }
    }

    /// Torsion bars and tensioner of one side.
    fn spring(&self, track: &TrackParts, workspace: &mut Workspace) {
        let spec = &self.spec;
        for arm in &track.arms {
            let (angle, rate) = (workspace.measure[arm.element], workspace.rate[arm.element]);
            let bar = &spec.road_arm;
            let beyond = (angle - bar.bump_deg.to_radians()).max(0.0)
                + (angle + bar.rebound_deg.to_radians()).min(0.0);
            let stop = if beyond == 0.0 { 0.0 } else { bar.stop_stiffness };
            workspace.element[arm.element] = ElementForce {
                force: bar.torque + bar.stiffness * angle + stop * beyond + bar.damping * rate,
                stiffness: bar.stiffness + stop,
                damping: bar.damping,
            };
            if let Some(damper) = arm.damper {
                let force = bar.damper * workspace.rate[damper];
                workspace.element[damper] =
                    ElementForce { force, stiffness: 0.0, damping: bar.damper };
            }
        }
        let idler = &spec.idler;
        let (back, rate) = (workspace.measure[track.tensioner], workspace.rate[track.tensioner]);
        workspace.element[track.tensioner] = ElementForce {
            force: -track.idler_force + idler.stiffness * back + idler.damping * rate,
            stiffness: idler.stiffness,
            damping: idler.damping,
        };
    }

    fn drive(
        &self,
        state: &mut VehicleState,
        workspace: &mut Workspace,
        controls: &Controls,
        tick: u64,
        h: f64,
    ) {
        let parts = &self.parts;
        if let (Some((_, weight)), TrackSteering::Pivot { ratio }) =
            (parts.pivot, self.spec.drive.steering)
        {
            workspace.gear_weights[weight] = -ratio * state.steering;
        }
        let fixed = (&self.spec.powertrain, &parts.model);
        parts.transmission.drive(fixed, state, workspace, controls, (tick, h));
    }

    /// Service brakes on the sprockets, steering brakes of both hands.
    fn brake(&self, state: &VehicleState, workspace: &mut TrackedWorkspace, pedal: f64, h: f64) {
        let (service, running) = (self.service_brake(), self.running_resistance());
        let TrackedWorkspace { body: workspace, drives, .. } = workspace;
        for (side, track) in self.parts.tracks.iter().enumerate() {
            let rate = workspace.rate[track.brake];
            let braked = service.torque(pedal, &state.brakes[side], rate, h);
            let dragged = running.torque(1.0, &state.brakes[2 + side], rate, h);
            let drag = self.speed_resistance();
            drives[side] = WheelDrive { drive: 0.0, brake: braked.value };
            workspace.element[track.brake] = ElementForce {
                force: drag * rate - braked.value - dragged.value,
                stiffness: 0.0,
                damping: drag + braked.damping + dragged.damping,
            };
        }
        let Some(brake) = self.steering_brake() else { return };
        for (hand, (&element, lining)) in
            self.parts.steering.iter().zip(&state.clutches).enumerate()
        {
            let rate = workspace.rate[element];
            let torque = brake.torque(steered(state.steering, hand), lining, rate, h);
            workspace.element[element] = friction(torque);
        }
    }

    /// Winds the linings up by the new speeds and records the torques.
    fn settle_linings(
        &self,
        state: &mut VehicleState,
        workspace: &mut TrackedWorkspace,
        pedal: f64,
        h: f64,
    ) {
        let (service, running) = (self.service_brake(), self.running_resistance());
        for (side, track) in self.parts.tracks.iter().enumerate() {
            let rate = workspace.body.rate[track.brake];
            service.advance(pedal, &mut state.brakes[side], rate, h);
            running.advance(1.0, &mut state.brakes[2 + side], rate, h);
        }
        if let Some(brake) = self.steering_brake() {
            for (hand, &element) in self.parts.steering.iter().enumerate() {
                let pedal = steered(state.steering, hand);
                brake.advance(pedal, &mut state.clutches[hand], workspace.body.rate[element], h);
            }
        }
        self.record_drives(state, workspace);
    }

    /// Adds what the driveline did to the sprockets: half of the carrier's torque each, and what
    /// steers them, the torque of a steering drive against each other or that of a steering brake,
    /// which acts on both by way of its differential.
    fn record_drives(&self, state: &VehicleState, workspace: &mut TrackedWorkspace) {
        let Parts { model, carrier, pivot, steering, .. } = &self.parts;
        let torque = |closure| state.body.closure_forces[model.closure_row(closure)];
        let half = -0.5 * torque(*carrier);
        let against = pivot.map_or(0.0, |(closure, _)| torque(closure));
        let TrackedWorkspace { body, drives, .. } = workspace;
        let [left, right] = drives;
        (left.drive, right.drive) = (half - against, half + against);
        let [on_left, on_right] = steering.map(|element| -body.element[element].force);
        match self.spec.drive.steering {
            TrackSteering::Pivot { .. } => {}
            TrackSteering::ClutchBrake { .. } => {
                left.brake += on_left;
                right.brake += on_right;
            }
            TrackSteering::Differential { ratio, .. } => {
                // rates of the brakes: inner (1 + ratio), outer (ratio - 1)
                let [inner, outer] = [1.0 + ratio, ratio - 1.0];
                left.drive += inner * on_left + outer * on_right;
                right.drive += inner * on_right + outer * on_left;
            }
        }
    }

    fn service_brake(&self) -> Brake {
        Brake { max_torque: self.spec.drive.brake_torque }
    }

    /// Dry friction of a belt, at its sprocket; shoes that are bodies rub and rattle
    /// themselves.
    fn running_resistance(&self) -> Brake {
        let TrackResistance { force, .. } = self.resistance();
        Brake { max_torque: force * self.spec.drive_radius() }
    }

    fn resistance(&self) -> TrackResistance {
        match self.spec.model {
            TrackModel::Belt => self.spec.drive.resistance,
            TrackModel::Segmented => TrackResistance { force: 0.0, per_speed: 0.0 },
        }
    }

    /// Resistance that grows with the sprocket's speed, N m s/rad.
    fn speed_resistance(&self) -> f64 {
        let radius = self.spec.drive_radius();
        self.resistance().per_speed * radius * radius
    }

    fn steering_brake(&self) -> Option<Brake> {
        match self.spec.drive.steering {
            TrackSteering::ClutchBrake { brake_torque }
            | TrackSteering::Differential { brake_torque, .. } => {
                Some(Brake { max_torque: brake_torque })
            }
            TrackSteering::Pivot { .. } => None,
        }
    }
}

/// How far the steering brake of a hand (0 left, 1 right) is applied.
fn steered(steering: f64, hand: usize) -> f64 {
    if hand == 0 { steering.max(0.0) } else { (-steering).max(0.0) }
}

fn wheel_centre(spec: &TrackedSpec, parts: &Parts, wheel: usize) -> Vec3 {
    let side = wheel % 2;
    let x = spec.tracks()[side].stations[wheel / 2];
    Vec3::new(x, parts.tracks[side].y, spec.wheel_height)
}
