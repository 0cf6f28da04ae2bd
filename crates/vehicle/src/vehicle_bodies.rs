//! Bodies and joints of a vehicle, for all kinds of ground vehicles.

use super::outline::VehicleOutline;
use super::powertrain::GearboxState;
use super::state::VehicleState;
use crate::multibody::{BodyId, MultibodyModel, MultibodyState, MultibodyWorkspace};
use bekker_math::spatial::{Load, Pose, Twist, Vec3};

/// Bodies, including the chassis, and joints of a vehicle; immutable.
#[derive(Clone, Debug)]
pub struct VehicleBodies {
    pub(super) model: MultibodyModel,
    pub(super) chassis: BodyId,
    /// Mass of all bodies, kg.
    pub(super) mass: f64,
    /// Index of the load on the chassis in the workspace.
    pub(super) chassis_load: usize,
    pub(super) outline: VehicleOutline,
}

impl VehicleBodies {
    /// Returns the vehicle's outline for collisions.
    pub fn outline(&self) -> &VehicleOutline {
        &self.outline
    }

    /// Returns the mass of all bodies, kg.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Returns the acceleration of gravity, m/s².
    pub fn gravity(&self) -> f64 {
        self.model.gravity()
    }

    /// Whether the orientations of all bodies in a state are valid rotations, without stretch.
    pub fn has_unit_quaternions(&self, state: &VehicleState) -> bool {
        self.model.has_unit_quaternions(&state.body)
    }

    /// Returns the numbers of coordinates and of closure rows of the multibody model.
    pub fn size(&self) -> (usize, usize) {
        (self.model.coordinates(), self.model.closure_rows())
    }

    /// Returns the number of stored entries of the matrix that a step factorizes.
    pub fn entries(&self) -> usize {
        self.model.entries()
    }

    /// Returns the workspace of the multibody model, consistent with `state`.
    pub(super) fn workspace(&self, state: &MultibodyState) -> MultibodyWorkspace {
        let mut workspace = self.model.workspace();
        self.model.refresh(state, &mut workspace);
        workspace
    }

    /// Sets a vehicle at rest in motion along the unit vector `forward` at `speed`, m/s.
    ///
    /// `spin_up` sets the velocities of the parts that turn and returns the state of the gearbox.
    pub(super) fn launch(
        &self,
        state: &mut VehicleState,
        forward: &Vec3,
        speed: f64,
        spin_up: impl FnOnce(&mut [f64]) -> GearboxState,
    ) {
        if speed == 0.0 {
            return;
        }
        let mut workspace = self.model.workspace();
        let mut u = vec![0.0; state.body.u.len()];
        self.model.translate(&mut u, &(forward * speed));
        state.gearbox = spin_up(&mut u);
        self.model.set_velocity(&mut state.body, &mut workspace, &u);
    }

    /// Moves the whole vehicle by the displacement `way`, m.
    pub fn translate(
        &self,
        state: &mut VehicleState,
        workspace: &mut MultibodyWorkspace,
        displacement: &Vec3,
    ) {
        let pose = Pose { position: *displacement, ..Pose::default() };
        self.model.transform(&mut state.body, &pose);
        self.model.refresh(&state.body, workspace);
    }

    /// Returns the pose of a body's frame.
    pub fn pose_of(&self, workspace: &MultibodyWorkspace, body: BodyId) -> Pose {
        self.model.pose(workspace, body)
    }

    /// Returns the twist of a body about its frame's origin.
    pub fn twist_of(&self, workspace: &MultibodyWorkspace, body: BodyId) -> Twist {
        self.model.twist(workspace, body)
    }

    /// Returns the pose of the chassis frame.
    pub fn pose(&self, workspace: &MultibodyWorkspace) -> Pose {
        self.model.pose(workspace, self.chassis)
    }

    /// Returns the twist of the chassis about its frame's origin.
    pub fn twist(&self, workspace: &MultibodyWorkspace) -> Twist {
        self.model.twist(workspace, self.chassis)
    }

    /// Returns the load on the chassis about its frame's origin, to be set before each step.
    pub fn load_on_chassis<'a>(&self, workspace: &'a mut MultibodyWorkspace) -> &'a mut Load {
        &mut workspace.load[self.chassis_load]
    }

    /// Returns the kinetic and gravitational energy, J.
    pub fn energy(&self, state: &VehicleState, workspace: &MultibodyWorkspace) -> f64 {
        self.model.kinetic_energy(&state.body, workspace) + self.model.potential_energy(workspace)
    }
}
