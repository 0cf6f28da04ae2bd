//! Work of the forces on a mechanism, step by step.
//!
//! A step changes the momentum by the impulses h F of all forces, taken at its end. In the step the
//! velocity changes from u to u', so each force does the work h F (u + u') / 2. Summed over all
//! forces and gravity this is the change of kinetic energy for any step size, except for the change
//! of the configuration in the step.

use super::element::ElementForce;
use super::inertia::{angular, dot, linear, stack};
use super::model::MultibodyModel;
use super::step::{MultibodyState, MultibodyWorkspace};
use bekker_math::spatial::Vec6;

/// Work since recording began, J: positive where forces drive the mechanism.
#[derive(Clone, Debug, Default)]
pub struct WorkAccount {
    /// Work of each element.
    pub elements: Vec<f64>,
    /// Work of all touches.
    pub touches: f64,
    /// Work of each load.
    pub loads: Vec<f64>,
    /// Velocities before the step of the loaded bodies about the common origin, and of the surfaces
    /// that move over them.
    before: Vec<(Vec6, f64)>,
}

/// Force at the end of a step of an element whose force at its beginning is `answer`.
fn end_force(element_force: &ElementForce, before: f64, after: f64, h: f64) -> f64 {
    element_force.force
        + element_force.damping * (after - before)
        + h * element_force.stiffness * after
}

impl MultibodyModel {
    /// Starts recording work.
    pub fn start_account(&self, workspace: &mut MultibodyWorkspace) {
        workspace.work = Some(WorkAccount {
            elements: vec![0.0; self.elements.len()],
            touches: 0.0,
            loads: vec![0.0; self.loaded.len()],
            before: vec![(Vec6::zeros(), 0.0); self.loaded.len()],
        });
    }

    /// Records the velocities at the beginning of a step.
    pub(super) fn record_velocities(
        &self,
        state: &MultibodyState,
        workspace: &mut MultibodyWorkspace,
    ) {
        let MultibodyWorkspace { work: Some(work), twist, .. } = workspace else { return };
        for ((before, &body), conveyor) in
            work.before.iter_mut().zip(&self.loaded).zip(&self.conveyor)
        {
            *before = (twist[body], conveyor.map_or(0.0, |k| state.u[k]));
        }
    }

    /// Adds the work of a step whose new velocities are known, in the configuration of its
    /// solution.
    pub(super) fn add_work(
        &self,
        state: &MultibodyState,
        workspace: &mut MultibodyWorkspace,
        h: f64,
    ) {
        let Some(mut work) = workspace.work.take() else { return };
        let rate = |slots: &[u32], entries: &[f64]| -> f64 {
            slots.iter().zip(entries).map(|(&slot, j)| j * state.u[slot as usize]).sum()
        };
        for (index, (_, row)) in self.elements.iter().enumerate() {
            let (element_force, before) = (&workspace.element[index], workspace.rate[index]);
            let after = rate(&row.slots, &workspace.jacobian[row.start..]);
            let force = end_force(element_force, before, after, h);
            work.elements[index] -= 0.5 * h * force * (before + after);
        }
        for touch in &workspace.touches {
            let row = &self.touching[touch.pair].0;
            let after = rate(&row.slots, &workspace.touch_jacobian[touch.first..]);
            let force = end_force(&touch.force, touch.rate, after, h);
            work.touches -= 0.5 * h * force * (touch.rate + after);
        }
        for (index, (&body, load)) in self.loaded.iter().zip(&workspace.load).enumerate() {
            let point = workspace.body_origin[body];
            let along = workspace.conveyance[index];
            let at = |twist: &Vec6, run: f64| {
                let spin = angular(twist);
                stack(spin, linear(twist) + spin.cross(&point) + along * run)
            };
            let (twist, run) = work.before[index];
            let before = at(&twist, run);
            let run = self.conveyor[index].map_or(0.0, |k| state.u[k]);
            let after = at(&workspace.twist[body], run);
            let pushed =
                stack(load.wrench.torque + load.glide.torque, load.wrench.force + load.glide.force);
            let held = load.damping * (after - before) + load.stiffness * after * h;
            work.loads[index] += 0.5 * h * dot(&(pushed - held), &(before + after));
        }
        workspace.work = Some(work);
    }
}
