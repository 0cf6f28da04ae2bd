//! A tracked vehicle alone on ground of its own, stepped by hand.

use super::wheel::RigError;
use bekker_agent::{ContactContext, OnTracks, TracksWorkspace};
use bekker_ground::scm::Scratch;
use bekker_ground::{GroundModel, Overlay, Patches, Published};
use bekker_math::spatial::{Load, Pose};
use bekker_vehicle::multibody::{ModelError, StepError};
use bekker_vehicle::{Controls, EnergyAccount, TrackedSpec, TrackedVehicle, VehicleState};
use std::sync::Arc;

/// Steps after which what the shoes have left is given to the published ground.
const PUBLICATION: u64 = 64;

/// A tracked vehicle on its ground.
#[derive(Debug)]
pub struct TrackedDrive {
    /// The vehicle.
    pub own: OnTracks,
    /// The ground before it came.
    pub ground: GroundModel,
    /// Its state.
    pub state: VehicleState,
    /// What follows from it.
    pub room: TracksWorkspace,
    /// Step, s.
    pub step: f64,
    published: Published,
    overlay: Overlay,
    scratch: Scratch,
    patches: Patches,
    tick: u64,
    stored: f64,
}

impl TrackedDrive {
    /// A vehicle with its chassis frame at `pose`, rolling at `speed`, m/s.
    ///
    /// # Errors
    /// [`ModelError`] for figures that make no vehicle.
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

    /// Where it stands on level ground at height 0.
    pub fn level(spec: &TrackedSpec) -> Pose {
        let mut pose = Pose::default();
        let radius = spec.road_wheel.radius + spec.shoe.top + spec.shoe_depth();
        pose.position.z = radius - spec.wheel_height;
        pose
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.tick as f64 * self.step
    }

    /// Pose of the chassis frame.
    pub fn pose(&self) -> Pose {
        self.own.vehicle.pose(&self.room.vehicle)
    }

    /// Speed along the chassis's x axis, m/s.
    pub fn speed(&self) -> f64 {
        let forward = self.pose().direction(&bekker_math::spatial::Vec3::x());
        self.own.vehicle.twist(&self.room.vehicle).linear.dot(&forward)
    }

    /// Lets the shoes meet the ground, for the next step.
    pub fn meet_ground(&mut self) {
        let TrackedDrive { own, ground, published, overlay, scratch, state, room, .. } = self;
        let (grips, aside) = (true, None);
        let mut context = ContactContext { ground, published, overlay, scratch, grips, aside };
        own.meet_ground(state, room, &mut context, self.step);
        context.heap(room.contacts().iter().filter_map(|met| met.displaced));
        *room.vehicle.chassis_load() = Load::default();
    }

    /// Drives through a step, for which the shoes have met the ground.
    ///
    /// # Errors
    /// [`StepError`] when the equations have no finite solution.
    pub fn advance(&mut self, controls: &Controls) -> Result<(), StepError> {
        let TrackedDrive { own, state, room, step, tick, .. } = self;
        own.vehicle.step(state, &mut room.vehicle, controls, *tick, *step)?;
        self.end_step();
        Ok(())
    }

    /// The same with the tracks driven at given speeds, left and right, m/s.
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

    /// Begins to keep account of energy.
    pub fn keep_account(&mut self) {
        self.own.vehicle.keep_account(&mut self.room.vehicle);
        self.stored = self.own.vehicle.energy(&self.state, &self.room.vehicle);
    }

    /// Where energy has gone since, J, and what kinetic and potential energy have grown by.
    pub fn account(&self) -> (EnergyAccount, f64) {
        let vehicle = &self.own.vehicle;
        let gain = vehicle.energy(&self.state, &self.room.vehicle) - self.stored;
        (vehicle.account(&self.room.vehicle), gain)
    }
}
