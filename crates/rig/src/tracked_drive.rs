//! Single tracked vehicle on its own ground, stepped by the caller.

use super::wheel::RigError;
use bekker_agent::{ContactContext, ContactWorkspace, GroundVehicle, OnTracks, TracksWorkspace};
use bekker_ground::scm::Scratch;
use bekker_ground::{GroundModel, Overlay, Patches, Published};
use bekker_math::spatial::{Load, Pose};
use bekker_vehicle::multibody::{ModelError, StepError};
use bekker_vehicle::{Controls, EnergyAccount, TrackedSpec, TrackedVehicle, VehicleState};
use std::sync::Arc;

/// Steps between publications of the ground under the shoes.
const PUBLICATION: u64 = 64;

/// A tracked vehicle with its ground.
#[derive(Debug)]
pub struct TrackedDrive {
    /// The vehicle with its track contact.
    pub own: OnTracks,
    /// Undisturbed ground.
    pub ground: GroundModel,
    /// State of the vehicle.
    pub state: VehicleState,
    /// Quantities derived from the state.
    pub room: TracksWorkspace,
    /// Time step, s.
    pub step: f64,
    published: Published,
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
        let own = OnTracks::new(Arc::new(TrackedVehicle::new(spec)?));
        let state = own.vehicle.launched(pose, speed);
        let room = own.workspace(&state);
        let (overlay, scratch) = (Overlay::new(), Scratch::new());
        let (published, patches) = (Published::default(), Patches::default());
        let (tick, stored) = (0, 0.0);
        Ok(TrackedDrive {
            own,
            ground,
            state,
            room,
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
        self.own.vehicle.pose(&self.room.vehicle)
    }

    /// Returns the speed along the chassis's x axis, m/s.
    pub fn speed(&self) -> f64 {
        let forward = self.pose().direction(&bekker_math::spatial::Vec3::x());
        self.own.vehicle.twist(&self.room.vehicle).linear.dot(&forward)
    }

    /// Evaluates the contact of the shoes with the ground for the next step.
    pub fn meet_ground(&mut self) {
        let TrackedDrive { own, ground, published, overlay, scratch, state, room, .. } = self;
        let (grips, aside) = (true, None);
        let mut context = ContactContext { ground, published, overlay, scratch, grips, aside };
        own.meet_ground(state, &[], room, &mut context, self.step);
        context.heap(room.contacts().iter().filter_map(|met| met.displaced));
        *room.vehicle.chassis_load() = Load::default();
    }

    /// Advances by a step, after the contact was evaluated.
    ///
    /// # Errors
    /// [`StepError`] when the equations have no finite solution.
    pub fn advance(&mut self, controls: &Controls) -> Result<(), StepError> {
        let TrackedDrive { own, state, room, step, tick, .. } = self;
        own.vehicle.step(state, &mut room.vehicle, controls, *tick, *step)?;
        self.end_step();
        Ok(())
    }

    /// Advances by a step with given speeds of the left and right track, m/s.
    ///
    /// # Errors
    /// [`RigError`] when the equations have no finite solution.
    pub fn advance_driven(&mut self, speeds: [f64; 2]) -> Result<(), RigError> {
        let TrackedDrive { own, state, room, step, .. } = self;
        own.vehicle.step_driven(state, &mut room.vehicle, speeds, *step)?;
        self.end_step();
        if !self.pose().position.z.is_finite() {
            return Err(RigError::NotFinite { time: self.time() });
        }
        Ok(())
    }

    fn end_step(&mut self) {
        self.own.observe(&self.state, &mut self.room, self.step);
        self.tick += 1;
        if self.tick.is_multiple_of(PUBLICATION) {
            self.patches.clear();
            self.overlay.publish(&mut self.patches);
            self.published.apply(&self.patches);
            self.overlay.refresh(&self.published);
        }
    }

    /// Starts the energy account.
    pub fn keep_account(&mut self) {
        self.own.vehicle.keep_account(&mut self.room.vehicle);
        self.stored = self.own.bodies().energy(&self.state, self.room.bodies());
    }

    /// Returns the energy account since its start, J, and the gain of kinetic and potential energy,
    /// J.
    pub fn account(&self) -> (EnergyAccount, f64) {
        let vehicle = &self.own.vehicle;
        let gain = vehicle.bodies().energy(&self.state, self.room.bodies()) - self.stored;
        (vehicle.account(&self.room.vehicle), gain)
    }
}
