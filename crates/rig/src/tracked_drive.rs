//! Single tracked vehicle on its own ground, stepped by the caller.

use super::wheel::RigError;
use bekker_agent::{
    ContactContext, ContactWorkspace, GroundVehicle, TrackedGroundVehicle, TracksWorkspace,
};
use bekker_ground::scm::Scratch;
use bekker_ground::{GroundModel, Overlay, Patches, SharedGround};
use bekker_math::spatial::{Load, Pose};
use bekker_vehicle::multibody::{ModelError, StepError};
use bekker_vehicle::{Controls, EngineEnergyBalance, TrackedSpec, TrackedVehicle, VehicleState};
use std::sync::Arc;

/// Steps between publications of the ground under the shoes.
const PUBLICATION: u64 = 64;

/// A tracked vehicle with its ground.
#[derive(Debug)]
pub struct TrackedDrive {
    /// The vehicle with its track contact.
    pub on_tracks: TrackedGroundVehicle,
    /// Undisturbed ground.
    pub ground: GroundModel,
    /// State of the vehicle.
    pub state: VehicleState,
    /// Quantities derived from the state.
    pub workspace: TracksWorkspace,
    /// Time step, s.
    pub step: f64,
    published: SharedGround,
    overlay: Overlay,
    scratch: Scratch,
    patches: Patches,
    tick: u64,
    stored: f64,
}

impl TrackedDrive {
    /// Creates a vehicle with its chassis frame at `pose`, rolling at `speed`, m/s.
    ///
    /// # Errors
    /// [`ModelError`] for a vehicle with invalid parameters.
    pub fn new(
        spec: TrackedSpec,
        ground: GroundModel,
        pose: &Pose,
        speed: f64,
        step: f64,
    ) -> Result<TrackedDrive, ModelError> {
        let on_tracks = TrackedGroundVehicle::new(Arc::new(TrackedVehicle::new(spec)?));
        let state = on_tracks.vehicle.launched(pose, speed);
        let workspace = on_tracks.workspace(&state);
        let (overlay, scratch) = (Overlay::new(), Scratch::new());
        let (published, patches) = (SharedGround::default(), Patches::default());
        let (tick, stored) = (0, 0.0);
        Ok(TrackedDrive {
            on_tracks,
            ground,
            state,
            workspace,
            step,
            published,
            overlay,
            scratch,
            patches,
            tick,
            stored,
        })
    }

    /// Returns the pose in which the vehicle stands on level ground at height 0.
    pub fn level(spec: &TrackedSpec) -> Pose {
        let mut pose = Pose::default();
        let radius = spec.road_wheel.radius + spec.shoe.top + spec.shoe_depth();
        pose.position.z = radius - spec.wheel_height;
        pose
    }

    /// Returns the simulated time, s.
    pub fn time(&self) -> f64 {
        self.tick as f64 * self.step
    }

    /// Returns the pose of the chassis frame.
    pub fn pose(&self) -> Pose {
        self.on_tracks.vehicle.pose(&self.workspace.vehicle)
    }

    /// Returns the speed along the chassis's x axis, m/s.
    pub fn speed(&self) -> f64 {
        let forward = self.pose().direction(&bekker_math::spatial::Vec3::x());
        self.on_tracks.vehicle.twist(&self.workspace.vehicle).linear.dot(&forward)
    }

    /// Evaluates the contact of the shoes with the ground for the next step.
    pub fn evaluate_contact(&mut self) {
        let TrackedDrive {
            on_tracks, ground, published, overlay, scratch, state, workspace, ..
        } = self;
        let (grips, second_scratch) = (true, None);
        let mut context =
            ContactContext { ground, published, overlay, scratch, grips, second_scratch };
        on_tracks.contact_ground(state, &[], workspace, &mut context, self.step);
        context.heap(workspace.contacts().iter().filter_map(|met| met.displaced));
        *workspace.vehicle.chassis_load() = Load::default();
    }

    /// Advances by a step, after the contact was evaluated.
    ///
    /// # Errors
    /// [`StepError`] when the equations have no finite solution.
    pub fn advance(&mut self, controls: &Controls) -> Result<(), StepError> {
        let TrackedDrive { on_tracks, state, workspace, step, tick, .. } = self;
        on_tracks.vehicle.step(state, &mut workspace.vehicle, controls, *tick, *step)?;
        self.end_step();
        Ok(())
    }

    /// Advances by a step with given speeds of the left and right track, m/s.
    ///
    /// # Errors
    /// [`RigError`] when the equations have no finite solution.
    pub fn advance_driven(&mut self, speeds: [f64; 2]) -> Result<(), RigError> {
        let TrackedDrive { on_tracks, state, workspace, step, .. } = self;
        on_tracks.vehicle.step_driven(state, &mut workspace.vehicle, speeds, *step)?;
        self.end_step();
        if !self.pose().position.z.is_finite() {
            return Err(RigError::NotFinite { time: self.time() });
        }
        Ok(())
    }

    fn end_step(&mut self) {
        self.on_tracks.observe(&self.state, &mut self.workspace, self.step);
        self.tick += 1;
        if self.tick.is_multiple_of(PUBLICATION) {
            self.patches.clear();
            self.overlay.publish(&mut self.patches);
            self.published.apply(&self.patches);
            self.overlay.refresh(&self.published);
        }
    }

    /// Starts the energy account.
    pub fn start_account(&mut self) {
        self.on_tracks.vehicle.start_account(&mut self.workspace.vehicle);
        self.stored = self.on_tracks.bodies().energy(&self.state, self.workspace.bodies());
    }

    /// Returns the energy account since its start, J, and the gain of kinetic and potential energy,
    /// J.
    pub fn account(&self) -> (EngineEnergyBalance, f64) {
        let vehicle = &self.on_tracks.vehicle;
        let gain = vehicle.bodies().energy(&self.state, self.workspace.bodies()) - self.stored;
        (vehicle.account(&self.workspace.vehicle), gain)
    }
}
