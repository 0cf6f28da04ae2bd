//! Outcome of a drive, evaluated at each heartbeat and, for vehicles still driving, at the end.
//!
//! A vehicle is immobilized if three conditions hold. Its driver requests motion; it has traveled
//! less than a distance in the requested direction for a time ([`Immobility`]); and it does not
//! advance at present.
//!
//! Spinning wheels, rocking, sideways drift and rolling back do not count as travel. Losing speed
//! while rolling back counts as progress. If the target speed is below 0.2 m/s, the time is longer
//! in proportion.
//!
//! A vehicle has sunk if its wheels or tracks are, on average, wholly below the undisturbed ground.

use super::agent::{AgentModel, AgentState, AgentWorkspace};
use super::diagnosis::{Diagnosis, Evidence, WheelMean};
use super::endings::{Endings, Immobility};
use super::ground_vehicle::GroundVehicle;
use super::monitor::MIN_ADVANCE_SPEED;
use super::outcome::{MAX_SPEED, Outcome, StateFailure};
use bekker_ground::GroundModel;
use bekker_ground::soil::{SoilId, SoilKind};
use bekker_math::numeric::{atan, hypot, sin_cos, tan};
use bekker_math::spatial::{Pose, Vec3};
use bekker_vehicle::driver::{Intent, SLOWEST};
use bekker_vehicle::{Coupling, Selector};

/// Time of standstill after which a vehicle is immobilized at the end of the run, s.
///
/// Applies unless the policy's time is shorter.
const MIN_STALL_AT_END: f64 = 2.0;
/// Sinkage of a single wheel, relative to the height of the running gear, above which the vehicle
/// has sunk.
const MAX_WHEEL_SINKAGE: f64 = 2.0;
/// Change of speed above which a contact counts as a collision, m/s.
const COLLISION_JOLT: f64 = 0.1;

impl AgentModel {
    /// Returns the outcome if the drive has ended, evaluated at a heartbeat.
    pub(super) fn evaluate_outcome(
        &self,
        ground: &GroundModel,
        endings: &Endings,
        time: f64,
        state: &mut AgentState,
        workspace: &AgentWorkspace,
    ) -> Option<Outcome> {
        let pose = self.vehicle.pose(&workspace.vehicle);
        let position = pose.position;
        let failed = |position, failure| Some(Outcome::Failed { time, position, failure });
        if let Err(position) = state.monitor.record_position(position) {
            return failed(position, StateFailure::Position);
        }
        if !pose.orientation.coords.iter().all(|x| x.is_finite()) {
            return failed(position, StateFailure::Orientation);
        }
        let speed = self.vehicle.twist(&workspace.vehicle).linear.norm();
        if !speed.is_finite() || speed > MAX_SPEED {
            return failed(position, StateFailure::Speed);
        }
        if !ground.terrain().contains(position.x, position.y) {
            return Some(Outcome::LeftTerrain { time, position });
        }
        let coupling = state.vehicle.coupling;
        if let Some(position) = self.wheel_on_gap(ground, coupling, workspace) {
            return Some(Outcome::UnmappedGround { time, position });
        }
        // an uncoupled trailer does not affect the outcome
        let trailer = self.vehicle.rear_pose(&workspace.vehicle);
        let trailer = trailer.filter(|_| coupling == Coupling::Holds);
        let upright = |pose: &Pose| pose.direction(&Vec3::z()).z;
        if std::iter::once(&pose).chain(&trailer).any(|pose| endings.overturns(upright(pose))) {
            return Some(Outcome::Overturned { time, position });
        }
        if endings.collided
            && let Some(hit) = state.collisions.find_jolt(self.vehicle.mass(), COLLISION_JOLT, time)
        {
            return Some(Outcome::Collided { time, position, with: hit.with });
        }
        self.record_excess_sinkage(ground, state, workspace);
        let soil = ground.terrain().soil(position.x, position.y);
        let wheels = self.vehicle.coupled_samples(coupling, &workspace.vehicle);
        let deepest = wheels.iter().map(|wheel| wheel.sinkage).fold(0.0, f64::max);
        let depth = wheels.iter().map(|wheel| wheel.sinkage).sum::<f64>() / wheels.len() as f64;
        let height = self.vehicle.properties().running_gear_height;
        if endings.sunk && (depth > height || deepest > MAX_WHEEL_SINKAGE * height) {
            return Some(Outcome::Sunk { time, position, soil, depth, height });
        }
        state.monitor.record_intent(time, state.driver.intent, endings.stall_travel());
        if endings.arrived
            && let Some(time) = state.monitor.arrival_time()
        {
            return Some(Outcome::Arrived { time });
        }
        let least = endings.immobilized?.after;
        self.immobilized(ground, time, least, state, workspace)
    }

    /// Returns the outcome of the drive, or the state of the vehicle when the run ends at `time`.
    pub fn outcome(
        &self,
        ground: &GroundModel,
        endings: &Endings,
        time: f64,
        state: &AgentState,
        workspace: &AgentWorkspace,
    ) -> Outcome {
        if let Some(ended) = &state.outcome {
            return ended.clone();
        }
        if let Some(time) = state.monitor.arrival_time() {
            return Outcome::Arrived { time };
        }
        let immobilized = endings.immobilized.and_then(|Immobility { after, .. }| {
            let least = after.min(MIN_STALL_AT_END);
            self.immobilized(ground, time, least, state, workspace)
        });
        let speed = self.vehicle.twist(&workspace.vehicle).linear.norm();
        let stands = speed < self.vehicle.properties().rolling_speed;
        immobilized.unwrap_or_else(|| {
            match (state.monitor.intent(), self.leader.map(|leader| leader.agent)) {
                ((Intent::Hold, told), _) if stands => {
                    Outcome::Holding { since: told.max(state.monitor.standing_since()) }
                }
                ((Intent::WaitBehindLeader, since), Some(behind)) if stands => {
                    Outcome::Waiting { since, behind }
                }
                _ => Outcome::UnderWay,
            }
        })
    }

    /// Returns the target speed relative to normal speeds, at most 1.
    ///
    /// It is below 1 if the driver's target speed is less than four times [`MIN_ADVANCE_SPEED`].
    fn speed_ratio(&self, time: f64, state: &AgentState) -> f64 {
        if state.command.is_some() || self.autonomy.is_some() {
            return 1.0;
        }
        let slowest = self.driver.slowest(time).unwrap_or(f64::INFINITY);
        (slowest.max(SLOWEST) / (4.0 * MIN_ADVANCE_SPEED)).min(1.0)
    }

    /// Returns the outcome if the vehicle has requested motion without progress for `least` s.
    ///
    /// The time is longer in proportion for slow target speeds.
    fn immobilized(
        &self,
        ground: &GroundModel,
        time: f64,
        least: f64,
        state: &AgentState,
        workspace: &AgentWorkspace,
    ) -> Option<Outcome> {
        let speed_ratio = self.speed_ratio(time, state);
        let since = state.monitor.immobile_since(time, least / speed_ratio, speed_ratio)?;
        let position = self.vehicle.pose(&workspace.vehicle).position;
        let soil = ground.terrain().soil(position.x, position.y);
        let diagnosis = Diagnosis::from_evidence(self.evidence(ground, state, workspace));
        Some(Outcome::Immobilized { time: since, position, soil, diagnosis })
    }

    /// Returns the position of the first wheel on ground without elevation data, m.
    fn wheel_on_gap(
        &self,
        ground: &GroundModel,
        coupling: Coupling,
        workspace: &AgentWorkspace,
    ) -> Option<Vec3> {
        let gaps = ground.terrain().gaps()?;
        let place = |wheel: usize| self.vehicle.wheel_pose(&workspace.vehicle, wheel).position;
        let wheels = 0..self.vehicle.coupled_wheels(coupling);
        wheels.map(place).find(|place| gaps.contains(place.x, place.y))
    }

    /// Records wheels whose sinkage exceeds the measured range of their soil's parameters.
    fn record_excess_sinkage(
        &self,
        ground: &GroundModel,
        state: &mut AgentState,
        workspace: &AgentWorkspace,
    ) {
        let wheels = self.vehicle.coupled_samples(state.vehicle.coupling, &workspace.vehicle);
        for (wheel, sample) in wheels.iter().enumerate() {
            let place = self.vehicle.wheel_pose(&workspace.vehicle, wheel).position;
            let soil = ground.terrain().soil(place.x, place.y);
            let measured = ground.soils()[usize::from(soil.0)].measured_sinkage();
            if measured.is_some_and(|measured| sample.sinkage > measured) {
                state.monitor.add_excess_sinkage(soil, sample.sinkage);
            }
        }
    }

    fn evidence(
        &self,
        ground: &GroundModel,
        state: &AgentState,
        workspace: &AgentWorkspace,
    ) -> Evidence {
        let along = self.vehicle.coupled_wheels(state.vehicle.coupling);
        let wheels = &state.monitor.wheels()[..along];
        let places: Vec<Vec3> = (0..wheels.len())
            .map(|wheel| self.vehicle.wheel_pose(&workspace.vehicle, wheel).position)
            .collect();
        let mut gradient = [0.0; 2];
        for place in &places {
            let normal = ground.terrain().normal(place.x, place.y);
            gradient[0] -= normal.x / normal.z / places.len() as f64;
            gradient[1] -= normal.y / normal.z / places.len() as f64;
        }
        let sense = direction(state);
        let ahead = level_heading(&self.vehicle.pose(&workspace.vehicle));
        let grade = atan(sense * (gradient[0] * ahead[0] + gradient[1] * ahead[1]));
        let (sin, cos) = sin_cos(grade);
        let mut wheels = wheels.to_vec();
        for wheel in &mut wheels {
            // rotates horizontal and vertical components to along the grade and perpendicular to it
            let (level, plumb) = (sense * wheel.traction, wheel.load);
            (wheel.traction, wheel.load) = (level * cos + plumb * sin, plumb * cos - level * sin);
            wheel.rim_force *= sense;
        }
        let limit = |(mean, place): (&WheelMean, &Vec3)| {
            let SoilId(soil) = ground.terrain().soil(place.x, place.y);
            let load = mean.load.max(0.0);
            match &ground.soils()[usize::from(soil)].kind {
                SoilKind::Firm { friction } => friction * load,
                SoilKind::Deformable(law) => {
                    mean.area * law.cohesion + load * tan(law.friction_angle)
                }
            }
        };
        let limits = wheels.iter().zip(&places).map(limit).collect();
        Evidence {
            tracked: self.vehicle.properties().is_tracked,
            throttle: state.controls.throttle,
            grade,
            side_slope: atan(gradient[1] * ahead[0] - gradient[0] * ahead[1]),
            weight: self.vehicle.coupled_mass(state.vehicle.coupling) * self.vehicle.gravity(),
            belly_force: state.monitor.belly_force(),
            clearance: self.vehicle.ground_clearance(),
            wheels,
            limits,
            obstacle: state
                .collisions
                .opposing_force(&(Vec3::new(ahead[0], ahead[1], 0.0) * sense)),
            is_battery_empty: self.is_battery_empty(state),
        }
    }

    /// Returns the speed in the requested direction, m/s.
    ///
    /// Tracks that turn on the spot advance as fast as the outer track.
    pub(super) fn advance(&self, state: &AgentState, workspace: &AgentWorkspace) -> f64 {
        let twist = self.vehicle.twist(&workspace.vehicle);
        let ahead = level_heading(&self.vehicle.pose(&workspace.vehicle));
        let along = direction(state) * (twist.linear.x * ahead[0] + twist.linear.y * ahead[1]);
        let properties = self.vehicle.properties();
        if properties.is_tracked && state.controls.steering != 0.0 {
            along + twist.angular.z.abs() * properties.wheel_centers[0].y.abs()
        } else {
            along
        }
    }
}

/// Returns the requested direction of travel: -1 if the selector is in reverse, regardless of
/// motion.
pub(super) fn direction(state: &AgentState) -> f64 {
    if state.controls.gear == Selector::Reverse { -1.0 } else { 1.0 }
}

/// Returns the horizontal direction of the chassis x axis.
fn level_heading(pose: &Pose) -> [f64; 2] {
    let ahead = pose.direction(&Vec3::x());
    let level = hypot(ahead.x, ahead.y).max(1e-9);
    [ahead.x / level, ahead.y / level]
}
