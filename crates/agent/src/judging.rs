//! How a drive ended: judged at each heartbeat, and for those still driving at the end.
//!
//! A vehicle is immobilised if its driver wants to move, it has got on by less than a way
//! in the direction that it wants to go for a time ([`Immobility`]), and it does not get on right now:
//! wheels that spin, rocking, drifting sideways and rolling back are no way made; but one
//! that loses speed while it rolls back still gets on. Where it is to drive more slowly than
//! 0.2 m/s, that time is longer in proportion. It has sunk where its wheels or
//! tracks are, on average, wholly below the undisturbed ground.

use super::agent::{AgentModel, AgentState, AgentWorkspace};
use super::diagnosis::{Diagnosis, Evidence, WheelMean};
use super::endings::{Endings, Immobility};
use super::ground_vehicle::GroundVehicle;
use super::monitor::{ADVANCING, ROLLING};
use super::outcome::{FASTEST, Failure, Outcome};
use bekker_ground::GroundModel;
use bekker_ground::soil::{SoilId, SoilKind};
use bekker_math::numeric::{atan, hypot, sin_cos, tan};
use bekker_math::spatial::{Pose, Vec3};
use bekker_vehicle::driver::{Intent, SLOWEST};
use bekker_vehicle::{Coupling, Selector};

/// Time for which a vehicle must have stood to be immobilised where the run ends, s, if
/// the policy asks for no shorter one.
const STANDING_AT_END: f64 = 2.0;
/// How many times its own height a single wheel may sink.
const DEEPEST_WHEEL: f64 = 2.0;
/// Change of speed from which a touch is a collision, m/s.
const JOLT: f64 = 0.1;

impl AgentModel {
    /// Whether the drive has ended, judged at a heartbeat.
    pub(super) fn judge(
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
        if let Err(position) = state.monitor.place(position) {
            return failed(position, Failure::Position);
        }
        if !pose.orientation.coords.iter().all(|x| x.is_finite()) {
            return failed(position, Failure::Orientation);
        }
        let speed = self.vehicle.twist(&workspace.vehicle).linear.norm();
        if !speed.is_finite() || speed > FASTEST {
            return failed(position, Failure::Speed);
        }
        if !ground.terrain().contains(position.x, position.y) {
            return Some(Outcome::LeftTerrain { time, position });
        }
        let coupling = state.vehicle.coupling;
        if let Some(position) = self.wheel_on_gap(ground, coupling, workspace) {
            return Some(Outcome::UnmappedGround { time, position });
        }
        // one that has parted is on its own
        let trailer = self.vehicle.trailer_pose(&workspace.vehicle);
        let trailer = trailer.filter(|_| coupling == Coupling::Holds);
        let upright = |pose: &Pose| pose.direction(&Vec3::z()).z;
        if std::iter::once(&pose).chain(&trailer).any(|pose| endings.overturns(upright(pose))) {
            return Some(Outcome::Overturned { time, position });
        }
        if endings.collided
            && let Some(hit) = state.hits.jolted(self.vehicle.mass(), JOLT, time)
        {
            return Some(Outcome::Collided { time, position, with: hit.with });
        }
        self.note_sinkage(ground, state, workspace);
        let soil = ground.terrain().soil(position.x, position.y);
        let wheels = self.vehicle.samples_along(coupling, &workspace.vehicle);
        let deepest = wheels.iter().map(|wheel| wheel.sinkage).fold(0.0, f64::max);
        let depth = wheels.iter().map(|wheel| wheel.sinkage).sum::<f64>() / wheels.len() as f64;
        let (_, height) = self.vehicle.running_gear();
        if endings.sunk && (depth > height || deepest > DEEPEST_WHEEL * height) {
            return Some(Outcome::Sunk { time, position, soil, depth, height });
        }
        state.monitor.watch(time, state.driver.intent, endings.way());
        if endings.arrived
            && let Some(time) = state.monitor.arrived()
        {
            return Some(Outcome::Arrived { time });
        }
        let least = endings.immobilised?.after;
        self.immobilised(ground, time, least, state, workspace)
    }

    /// How the drive ended, or how the vehicle stands at the `time` at which the run ends.
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
        if let Some(time) = state.monitor.arrived() {
            return Outcome::Arrived { time };
        }
        let immobilised = endings.immobilised.and_then(|Immobility { after, .. }| {
            let least = after.min(STANDING_AT_END);
            self.immobilised(ground, time, least, state, workspace)
        });
        let stands = self.vehicle.twist(&workspace.vehicle).linear.norm() < ROLLING;
        immobilised.unwrap_or_else(|| {
            match (state.monitor.intent(), self.leader.map(|leader| leader.agent)) {
                ((Intent::Hold, told), _) if stands => {
                    Outcome::Holding { since: told.max(state.monitor.stands_since()) }
                }
                ((Intent::WaitBehindLeader, since), Some(behind)) if stands => {
                    Outcome::Waiting { since, behind }
                }
                _ => Outcome::UnderWay,
            }
        })
    }

    /// Share of ordinary speeds at which it is to drive: below 1 where its driver is asked for
    /// less than four times the speed from which a vehicle counts as getting on.
    fn pace(&self, time: f64, state: &AgentState) -> f64 {
        if state.command.is_some() || self.autonomy.is_some() {
            return 1.0;
        }
        let slowest = self.driver.slowest(time).unwrap_or(f64::INFINITY);
        (slowest.max(SLOWEST) / (4.0 * ADVANCING)).min(1.0)
    }

    /// Whether it has wanted to move for `least` s, or longer where it is to drive slowly, and did not.
    fn immobilised(
        &self,
        ground: &GroundModel,
        time: f64,
        least: f64,
        state: &AgentState,
        workspace: &AgentWorkspace,
    ) -> Option<Outcome> {
        let pace = self.pace(time, state);
        let since = state.monitor.immobile_since(time, least / pace, pace)?;
        let position = self.vehicle.pose(&workspace.vehicle).position;
        let soil = ground.terrain().soil(position.x, position.y);
        let diagnosis = Diagnosis::of(self.evidence(ground, state, workspace));
        Some(Outcome::Immobilised { time: since, position, soil, diagnosis })
    }

    /// Where the first of its wheels is that rests on ground without elevation data, m.
    fn wheel_on_gap(
        &self,
        ground: &GroundModel,
        coupling: Coupling,
        workspace: &AgentWorkspace,
    ) -> Option<Vec3> {
        let gaps = ground.terrain().gaps()?;
        let place = |wheel: usize| self.vehicle.wheel_pose(&workspace.vehicle, wheel).position;
        let wheels = 0..self.vehicle.wheels_along(coupling);
        wheels.map(place).find(|place| gaps.contains(place.x, place.y))
    }

    /// Takes note of wheels that press a soil deeper than its figures were measured.
    fn note_sinkage(
        &self,
        ground: &GroundModel,
        state: &mut AgentState,
        workspace: &AgentWorkspace,
    ) {
        let wheels = self.vehicle.samples_along(state.vehicle.coupling, &workspace.vehicle);
        for (wheel, sample) in wheels.iter().enumerate() {
            let place = self.vehicle.wheel_pose(&workspace.vehicle, wheel).position;
            let soil = ground.terrain().soil(place.x, place.y);
            let measured = ground.soils()[usize::from(soil.0)].measured_sinkage();
            if measured.is_some_and(|measured| sample.sinkage > measured) {
                state.monitor.sink_beyond(soil, sample.sinkage);
            }
        }
    }

    fn evidence(
        &self,
        ground: &GroundModel,
        state: &AgentState,
        workspace: &AgentWorkspace,
    ) -> Evidence {
        let along = self.vehicle.wheels_along(state.vehicle.coupling);
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
            // from level and plumb to along the grade and across it
            let (level, plumb) = (sense * wheel.traction, wheel.load);
            (wheel.traction, wheel.load) = (level * cos + plumb * sin, plumb * cos - level * sin);
            wheel.rim_force *= sense;
        }
        let limit = |(mean, place): (&WheelMean, &Vec3)| {
            let SoilId(soil) = ground.terrain().soil(place.x, place.y);
            let load = mean.load.max(0.0);
            match &ground.soils()[usize::from(soil)].kind {
                SoilKind::Firm { friction } => friction * load,
                SoilKind::Yielding(law) => {
                    mean.area * law.cohesion + load * tan(law.friction_angle)
                }
            }
        };
        let limits = wheels.iter().zip(&places).map(limit).collect();
        Evidence {
            tracked: matches!(self.vehicle, GroundVehicle::Tracked(_)),
            throttle: state.controls.throttle,
            grade,
            side_slope: atan(gradient[1] * ahead[0] - gradient[0] * ahead[1]),
            weight: self.vehicle.mass_along(state.vehicle.coupling) * bekker_math::numeric::GRAVITY,
            belly_force: state.monitor.belly_force(),
            clearance: self.vehicle.ground_clearance(),
            wheels,
            limits,
            obstacle: state.hits.against(&(Vec3::new(ahead[0], ahead[1], 0.0) * sense)),
        }
    }

    /// Speed in the direction that it wants to go, m/s. Tracks that turn on the spot get on
    /// as fast as the outer one.
    pub(super) fn advance(&self, state: &AgentState, workspace: &AgentWorkspace) -> f64 {
        let twist = self.vehicle.twist(&workspace.vehicle);
        let ahead = level_heading(&self.vehicle.pose(&workspace.vehicle));
        let along = direction(state) * (twist.linear.x * ahead[0] + twist.linear.y * ahead[1]);
        match &self.vehicle {
            GroundVehicle::Tracked(own) if state.controls.steering != 0.0 => {
                along + twist.angular.z.abs() * own.vehicle.wheel_centre(0).y.abs()
            }
            _ => along,
        }
    }
}

/// Which way it wants to go: -1 with the lever in reverse, whichever way it rolls.
pub(super) fn direction(state: &AgentState) -> f64 {
    if state.controls.gear == Selector::Reverse { -1.0 } else { 1.0 }
}

/// Direction of the chassis x axis in the level plane.
fn level_heading(pose: &Pose) -> [f64; 2] {
    let ahead = pose.direction(&Vec3::x());
    let level = hypot(ahead.x, ahead.y).max(1e-9);
    [ahead.x / level, ahead.y / level]
}
