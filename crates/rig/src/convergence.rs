//! Convergence checks: whether a rig's results change with a finer grid, a finer step or a longer
//! run.

use super::wheel::RigError;
use serde::{Deserialize, Serialize};

/// A rig whose result is a few scalar values.
pub trait Rig: Clone {
    /// Result of a run.
    type Outcome;
    /// Runs the test.
    fn run(&self) -> Result<Self::Outcome, RigError>;
    /// Returns the distance between nodes, m.
    fn spacing_mut(&mut self) -> &mut f64;
    /// Returns the step: a time step, s, or as the rig defines it.
    fn step_mut(&mut self) -> &mut f64;
    /// Doubles the extent of the test.
    ///
    /// A test without an extent (a plate on an unbounded bed) moves half a node sideways instead.
    fn extend(&mut self);
    /// Returns the values to compare, each with its name.
    fn metrics(&self, outcome: &Self::Outcome) -> Vec<(&'static str, f64)>;
    /// Returns the smallest scale for the relative change of a value.
    ///
    /// It replaces the magnitude of values that pass through zero.
    fn least_scale(&self, _figure: &str) -> f64 {
        0.0
    }
}

/// A change of the set-up for a convergence check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refinement {
    /// Half the distance between nodes.
    Spacing,
    /// Half the step.
    Step,
    /// Twice the run length, or another offset from the nodes.
    Extent,
}

/// Change of one value under one refinement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Convergence {
    /// Refinement applied.
    pub refinement: Refinement,
    /// Name of the value.
    pub figure: String,
    /// Value with the given set-up.
    pub value: f64,
    /// Value with the refined set-up.
    pub refined: f64,
    /// Absolute change over the greater magnitude of the two, or over the value's least scale.
    pub change: f64,
    /// Whether the change is within the tolerance.
    pub converged: bool,
}

/// Runs a rig as given and with each refinement, and compares every value.
///
/// Relative changes of up to `tolerance` count as converged.
pub fn converge<R: Rig>(
    rig: &R,
    tolerance: f64,
) -> Result<(R::Outcome, Vec<Convergence>), RigError> {
    let outcome = rig.run()?;
    let metrics = rig.metrics(&outcome);
    let mut report = Vec::new();
    for refinement in [Refinement::Spacing, Refinement::Step, Refinement::Extent] {
        let mut finer = rig.clone();
        match refinement {
            Refinement::Spacing => *finer.spacing_mut() *= 0.5,
            Refinement::Step => *finer.step_mut() *= 0.5,
            Refinement::Extent => finer.extend(),
        }
        let refined = finer.metrics(&finer.run()?);
        for (&(figure, value), (_, refined)) in metrics.iter().zip(refined) {
            let scale = value.abs().max(refined.abs()).max(rig.least_scale(figure));
            let change = if scale > 0.0 { (refined - value).abs() / scale } else { 0.0 };
            let converged = change <= tolerance;
            let figure = figure.to_owned();
            report.push(Convergence { refinement, figure, value, refined, change, converged });
        }
    }
    Ok((outcome, report))
}
