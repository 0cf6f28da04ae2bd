//! Steps of one agent through a heartbeat: driver, ground, obstacles, other vehicles, vehicle.

use super::agent::{AgentModel, AgentState, AgentView, AgentWorkspace};
use super::belly::BellyContact;
use super::clock::Clock;
use super::collision::StepContact;
use super::collision_motion::CollisionMotion;
use super::contact_context::ContactContext;
use super::endings::Endings;
use super::event::Event;
use super::external_acceleration::ExternalAcceleration;
use super::ground_vehicle::{ContactWorkspace, GroundVehicle};
use super::hull_part::HullPart;
use super::monitor::StepMetrics;
use super::obstacle::Obstacles;
use super::outcome::{Outcome, StateFailure};
use super::outcome_evaluation::direction;
use super::radio::RadioNet;
use super::roadside::{Pedestrian, TrafficLight};
use super::vehicle_collisions::VehicleCollisions;
use bekker_ground::{GroundModel, SharedGround};
use bekker_math::spatial::{Load, Twist, Wrench};
use bekker_vehicle::driver::{Driver, DriverView, Intent, LeaderView, PedalView};
use bekker_vehicle::{Controls, Selector};

/// Returns the work of a wrench over a step of `h` s on a body that starts it with `twist`, J.
///
/// It adds the work at that twist and the kinetic energy that the force itself gives to `mass` kg.
fn work_of(wrench: &Wrench, twist: &Twist, mass: f64, h: f64) -> f64 {
    let power = wrench.force.dot(&twist.linear) + wrench.torque.dot(&twist.angular);
    h * power + 0.5 * h * h * wrench.force.norm_squared() / mass
}

/// Distance along the path within which a driver considers a leader on another path, m.
const LEADER_RANGE: f64 = 100.0;
/// Radius around an agent in which terrain is loaded for a heartbeat, m.
///
/// Larger than a tractor with trailer plus the distance that a vehicle travels in a heartbeat.
const LOAD_RADIUS: f64 = 60.0;

/// Inputs of one agent's heartbeat, shared by all agents.
#[derive(Clone, Copy)]
pub struct HeartbeatEnv<'a> {
    /// Undisturbed ground.
    pub ground: &'a GroundModel,
    /// Lengths of step and heartbeat.
    pub clock: &'a Clock,
    /// Criteria that end a drive.
    pub endings: &'a Endings,
    /// Trees, rocks, posts and blocks.
    pub obstacles: &'a Obstacles,
    /// Radio networks of agents.
    pub radios: &'a [RadioNet],
    /// Traffic lights and barriers.
    pub lights: &'a [TrafficLight],
    /// Pedestrians.
    pub pedestrians: &'a [Pedestrian],
    /// Published ground of the last heartbeat.
    pub published: &'a SharedGround,
    /// Index of the first step and number of steps.
    pub ticks: [u64; 2],
    /// Views of all agents at the last heartbeat.
    pub views: &'a [AgentView],
    /// Pairs of vehicles that may collide, with their forces.
    pub vehicle_collisions: &'a VehicleCollisions,
    /// Damage of obstacles at the last heartbeat.
    pub damage: &'a [u16],
}

/// Step of an agent within a heartbeat.
#[derive(Clone, Copy)]
struct HeartbeatStep {
    /// Index of the agent.
    index: usize,
    /// First step of the heartbeat.
    first_tick: u64,
    /// This step.
    tick: u64,
}

impl AgentModel {
    /// Steps the agent through one heartbeat and writes its patches to the workspace.
    ///
    /// An agent whose drive has ended does not move.
    pub fn heartbeat(
        &self,
        index: usize,
        env: &HeartbeatEnv<'_>,
        state: &mut AgentState,
        workspace: &mut AgentWorkspace,
    ) {
        let HeartbeatEnv { ground, clock, endings, published, ticks: [first_tick, steps], .. } =
            *env;
        workspace.patches.clear();
        workspace.delivered.clear();
        workspace.events.clear();
        workspace.obstacle_contacts.damage.clear();
        state.close = env.vehicle_collisions.is_close(index);
        if state.outcome.is_some() {
            self.deliver(clock.micros(first_tick + steps), state, workspace);
            return;
        }
        workspace.backup.save(state);
        if !state.energy.has_start() {
            let energy = self.stored_energy(state, workspace);
            state.energy.record_energy(energy);
        }
        let before = self.event_context(ground, state, workspace);
        // ground changes that others published at the previous heartbeat
        state.overlay.refresh(published);
        // loads the tiles now, so that no step waits for a file
        ground.terrain().preload(self.position_and_speed(workspace).0, LOAD_RADIUS);
        let h = clock.step();
        let low = self.low_plates(ground, &workspace.vehicle);
        let mut collision_motion =
            state.close.then(|| CollisionMotion::start(self, &workspace.vehicle));
        let AgentWorkspace { vehicle: vehicle_workspace, obstacle_contacts, .. } = workspace;
        let span = steps as f64 * h;
        let near = self.find_obstacles(
            env.obstacles,
            env.damage,
            vehicle_workspace,
            obstacle_contacts,
            span,
        );
        for tick in first_tick..first_tick + steps {
            let heartbeat_step = HeartbeatStep { index, first_tick, tick };
            let requested = self.requested_controls(heartbeat_step, env, state, workspace);
            state.controls = requested.clamped();
            let due = self.uncouple_time.is_some_and(|at| clock.time(tick) >= at);
            if due || state.controls.uncouple {
                self.vehicle.trailer().into_iter().for_each(|own| own.uncouple(&mut state.vehicle));
            }
            self.contact_ground(ground, published, state, workspace, low, h);
            self.add_collision_loads(
                heartbeat_step,
                env,
                state,
                workspace,
                near,
                &mut collision_motion,
            );
            let controls = self.supplied_controls(state);
            let AgentState { vehicle, tires, .. } = state;
            let vehicle_workspace = &mut workspace.vehicle;
            let stepped = self.vehicle.step(vehicle, tires, vehicle_workspace, &controls, tick, h);
            let time = clock.time(tick + 1);
            if let Err(error) = stepped {
                self.fail(time, error.into(), state, workspace);
                self.finish_collisions(time, state, workspace);
                let now = self.event_context(ground, state, workspace);
                now.events_since(&before, &mut workspace.events);
                return;
            }
            self.observe(time, h, state, workspace);
            self.sense([tick, tick + 1].map(|tick| clock.micros(tick)), state, workspace);
        }
        // sent to other agents if they are near
        state.external_acceleration = collision_motion
            .map_or_else(ExternalAcceleration::default, |collision_motion| {
                collision_motion.finish(self, &workspace.vehicle, span)
            });
        let (time, now_us) = (clock.time(first_tick + steps), clock.micros(first_tick + steps));
        let velocity = self.vehicle.twist(&workspace.vehicle).linear;
        let energy = self.stored_energy(state, workspace);
        state.energy.record_energy(energy);
        let mut touch = |touch: StepContact| state.collisions.add(&touch, velocity, time, span);
        self.contact_roadside(env, &workspace.vehicle, now_us, &mut touch);
        match self.evaluate_outcome(ground, endings, time, state, workspace) {
            Some(Outcome::Failed { failure, .. }) => self.fail(time, failure, state, workspace),
            outcome => {
                self.record_validity(ground, span, state, workspace);
                state.set_recorded_wheels(workspace.vehicle.samples().iter().copied());
                state.outcome = outcome;
            }
        }
        if state.outcome.is_some() {
            state.overlay.publish_all(&mut workspace.patches);
        } else {
            state.overlay.publish(&mut workspace.patches);
        }
        self.finish_collisions(time, state, workspace);
        let now = self.event_context(ground, state, workspace);
        now.events_since(&before, &mut workspace.events);
    }

    /// Ends a drive after a numerical failure and restores the state of the previous heartbeat.
    fn fail(
        &self,
        time: f64,
        failure: StateFailure,
        state: &mut AgentState,
        workspace: &mut AgentWorkspace,
    ) {
        workspace.backup.restore(state);
        // the workspace derived from a non-finite state is not finite either
        workspace.vehicle = self.vehicle.workspace(&state.vehicle);
        let position = state.monitor.last_position();
        state.outcome = Some(Outcome::Failed { time, position, failure });
    }

    /// Reports collisions that are over as events.
    fn finish_collisions(&self, time: f64, state: &mut AgentState, workspace: &mut AgentWorkspace) {
        let ended = state.outcome.is_some();
        state.collisions.drain_finished(time, ended, self.vehicle.mass(), |hit| {
            workspace.events.push(Event::Collided(hit))
        });
    }

    /// Adds the loads of obstacles and other vehicles to the loads of a step.
    fn add_collision_loads(
        &self,
        step: HeartbeatStep,
        env: &HeartbeatEnv<'_>,
        state: &mut AgentState,
        workspace: &mut AgentWorkspace,
        near: bool,
        collision_motion: &mut Option<CollisionMotion>,
    ) {
        let HeartbeatStep { index, first_tick, tick } = step;
        let HeartbeatEnv { clock, obstacles, vehicle_collisions, .. } = *env;
        let (h, time) = (clock.step(), clock.time(tick + 1));
        let AgentWorkspace { vehicle: vehicle_workspace, obstacle_contacts, .. } = workspace;
        let velocity = self.vehicle.twist(vehicle_workspace).linear;
        let (collisions, energy) = (&mut state.collisions, &mut state.energy);
        let mut touch = |touch: StepContact| collisions.add(&touch, velocity, time, h);
        if near {
            let mut touch = |met: StepContact| {
                energy.add(-met.energy);
                touch(met);
            };
            let loads = self.obstacle_loads(
                obstacles,
                &state.vehicle,
                vehicle_workspace,
                obstacle_contacts,
                h,
                &mut touch,
            );
            for (part, load) in HullPart::ALL.into_iter().zip(loads) {
                self.vehicle
                    .load_on(part, vehicle_workspace)
                    .into_iter()
                    .for_each(|own| *own += load);
            }
        }
        if let Some(collision_motion) = collision_motion {
            let step = (tick - first_tick) as usize;
            let poses = [
                Some(self.vehicle.pose(vehicle_workspace)),
                self.vehicle.rear_pose(vehicle_workspace),
            ];
            for (part, pose) in HullPart::ALL.into_iter().zip(poses) {
                let Some(pose) = pose else { continue };
                let wrench =
                    vehicle_collisions.wrench_on(index, part, step, &pose.position, &mut touch);
                let Some((wrench, outline)) = wrench.zip(self.vehicle.outline_of(part)) else {
                    continue;
                };
                collision_motion.add(part, outline, &pose, &wrench, h);
                let twist = self.vehicle.twist_of(part, vehicle_workspace);
                energy.add(work_of(&wrench, &twist, outline.mass, h));
                self.vehicle
                    .load_on(part, vehicle_workspace)
                    .into_iter()
                    .for_each(|own| own.wrench += wrench);
            }
        }
    }

    /// Returns the controls for a step: those of the external command, otherwise of the driver.
    fn requested_controls(
        &self,
        step: HeartbeatStep,
        env: &HeartbeatEnv<'_>,
        state: &mut AgentState,
        workspace: &AgentWorkspace,
    ) -> Controls {
        let HeartbeatStep { index, first_tick, tick } = step;
        let HeartbeatEnv { clock, views, radios, ticks: [_, steps], .. } = *env;
        let (time, h) = (clock.time(tick), clock.step());
        let now_us = clock.micros(tick);
        if let Some(command) = state.command {
            state.driver.intent = Intent::from_controls(&command);
            return command;
        }
        let articulation = self.vehicle.articulation(&state.vehicle, &workspace.vehicle);
        if let Some(controls) = self.autonomous_controls(state, articulation, [time, h]) {
            return controls;
        }
        let pose = self.vehicle.pose(&workspace.vehicle);
        if tick == first_tick {
            let speed = self.travel_sign() * self.speed(workspace);
            self.adapt_to_soil(state, speed, now_us, steps as f64 * h);
        }
        let follows = self.leader.zip(self.driver.follower());
        let leader = follows.and_then(|(leader, own)| {
            let [front, rear] = own.ends(&self.vehicle.footprint());
            let shown = &views[leader.agent];
            let place = &state.driver.place;
            if let (Some(station), Some(end)) = (shown.station, leader.end) {
                let gap = station + end - (place.station + front);
                return Some(LeaderView { gap, speed: shown.speed, demand: None });
            }
            // a leader on another path counts as standing still, whatever its heading; a leader
            // that has been passed is ignored
            let [x, y] = [shown.pose.position.x, shown.pose.position.y];
            let middle = own.path().nearest_ahead(place, LEADER_RANGE, [x, y]).station;
            let reach = leader.footprint.reach();
            let ahead = middle + reach > place.station + rear;
            let gap = middle - reach - (place.station + front);
            ahead.then_some(LeaderView { gap, speed: 0.0, demand: None })
        });
        let (speed, thrust) =
            (self.speed(workspace), self.vehicle.drivetrain().thrust(&state.vehicle));
        let rim = self.vehicle.rim_speed(&state.vehicle);
        // after a resume the workspace is empty: the first step uses the wheels stored at the
        // heartbeat
        let last = workspace.vehicle.samples();
        let slip = self.vehicle.driven_slip(if tick == first_tick { &state.wheels } else { last });
        let yaw_rate = self.vehicle.twist(&workspace.vehicle).angular.z;
        let forward = [self.travel_sign() * speed, h];
        let adaptation = state.soil_adaptation.as_deref().copied().unwrap_or_default();
        let leader =
            leader.map(|seen| self.cooperative_view(index, radios, state, seen, forward, now_us));
        let stop = self.stop_ahead(state, forward[0], now_us);
        let pedals = self.pedals(state, time);
        let view = DriverView {
            time,
            step: h,
            pose,
            speed,
            yaw_rate,
            thrust,
            rim,
            slip,
            gravity: self.vehicle.gravity(),
            leader,
            aside: adaptation.aside,
            stop,
            articulation,
            pedals,
        };
        let controls = self.driver.controls(&mut state.driver, &view);
        let controls =
            Controls { inflation: adaptation.inflation.or(controls.inflation), ..controls };
        if let (Some(PedalView { response, .. }), Some(station)) = (pedals, &mut state.radio) {
            let given = response.acceleration(&controls);
            // the throttle that raises engine speed accelerates no more than the driver's limit
            let (most, _) = self.acceleration_limit(time).unwrap_or_default();
            let aimed = given - state.driver.speed.integral;
            station.set_aimed_acceleration(most.map_or(aimed, |most| aimed.min(most)));
        }
        controls
    }

    /// Returns the pedal response in the direction of travel, for drivers that control
    /// acceleration.
    fn pedals(&self, state: &AgentState, time: f64) -> Option<PedalView<'_>> {
        let (most, backward) = self.acceleration_limit(time)?;
        let response = self.vehicle.drivetrain().pedal_response(&state.vehicle);
        let engine = most.and_then(|_| self.vehicle.drivetrain().engine_response(&state.vehicle));
        let response = if backward { response.reversed() } else { response };
        let engine = engine.map(|engine| if backward { engine.reversed() } else { engine });
        Some(PedalView { response, applied: state.controls, engine })
    }

    /// Returns the maximum acceleration, m/s², if there is one, and whether the vehicle travels in
    /// reverse, for drivers that control acceleration.
    fn acceleration_limit(&self, time: f64) -> Option<(Option<f64>, bool)> {
        match &self.driver {
            Driver::Table(table) => {
                let (most, is_backward) = table.acceleration_limit(time)?;
                Some((Some(most), is_backward))
            }
            Driver::Path(own) => own
                .controls_acceleration()
                .then(|| (own.config().acceleration, own.travel_sign() < 0.0)),
        }
    }

    /// Returns the controls, in neutral if the battery of the motors is empty.
    fn supplied_controls(&self, state: &AgentState) -> Controls {
        if self.is_battery_empty(state) {
            Controls { gear: Selector::Neutral, ..state.controls }
        } else {
            state.controls
        }
    }

    /// Computes the loads of deformable and firm ground on every wheel or shoe, and on the plates
    /// flagged in `low`.
    fn contact_ground(
        &self,
        ground: &GroundModel,
        published: &SharedGround,
        state: &mut AgentState,
        workspace: &mut AgentWorkspace,
        low: u32,
        h: f64,
    ) {
        let AgentState { vehicle, tires, overlay, monitor, .. } = state;
        let AgentWorkspace { vehicle: vehicle_workspace, scratch, second_scratch, .. } = workspace;
        let (grips, second_scratch) = (true, second_scratch.as_mut());
        let mut context =
            ContactContext { ground, published, overlay, scratch, grips, second_scratch };
        self.vehicle.contact_ground(vehicle, tires, vehicle_workspace, &mut context, h);
        let mut belly = BellyContact::default();
        if low != 0 {
            belly = self.plate_loads(low, vehicle_workspace, &mut context, h);
            monitor.record_belly_force(belly.force, h);
        }
        let mut on_chassis = belly.load;
        let mut on_rear = Load::default();
        self.contact_hulls(
            HullPart::Chassis,
            vehicle.coupling,
            vehicle_workspace,
            &context,
            &mut on_chassis,
        );
        self.contact_hulls(
            HullPart::Rear,
            vehicle.coupling,
            vehicle_workspace,
            &context,
            &mut on_rear,
        );
        *self.vehicle.chassis_load(vehicle_workspace) = on_chassis;
        self.vehicle.rear_load(vehicle_workspace).into_iter().for_each(|own| *own = on_rear);
        self.vehicle.heap(vehicle_workspace, belly.displaced, &mut context);
    }

    fn observe(&self, time: f64, h: f64, state: &mut AgentState, workspace: &mut AgentWorkspace) {
        let work = self.vehicle.observe(&state.vehicle, &mut workspace.vehicle, h);
        let burned = self.vehicle.drivetrain().fuel_rate(&state.vehicle, state.controls.throttle);
        let coupling = state.vehicle.coupling;
        let metrics = StepMetrics {
            position: self.vehicle.pose(&workspace.vehicle).position,
            velocity: self.vehicle.twist(&workspace.vehicle).linear,
            advance: self.advance(state, workspace),
            sense: direction(state),
            work,
            fuel: burned.map(|rate| rate * h),
            drive_radius: self.vehicle.properties().drive_radius,
            rolling_speed: self.vehicle.properties().rolling_speed,
            flexible_wheel_count: self.vehicle.flexible_wheel_count(coupling),
        };
        let wheels = self.vehicle.coupled_samples(coupling, &workspace.vehicle);
        state.energy.add(metrics.work.engine);
        let reading = self.vehicle.motor_reading(&workspace.vehicle);
        if let Some((motors, reading)) = state.motors.as_mut().zip(reading) {
            motors.add(reading, self.vehicle.wheel_motor_readings(&workspace.vehicle), h);
        }
        state.monitor.record_step(time, h, &state.controls, wheels, &metrics);
    }
}
