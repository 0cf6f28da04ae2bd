//! Whether a rig's results would move if it were finer or longer.

use super::wheel::RigError;
use serde::{Deserialize, Serialize};

/// A rig whose result is a few figures.
pub trait Rig: Clone {
    /// What a run gives.
    type Outcome;
    /// Runs the test.
    fn run(&self) -> Result<Self::Outcome, RigError>;
    /// Distance between nodes, m.
    fn spacing_mut(&mut self) -> &mut f64;
    /// Step: in time, s, or as the rig defines it.
    fn step_mut(&mut self) -> &mut f64;
    /// Doubles the extent of the test. One that has no end (a plate on an
    /// unbounded bed) moves half a node aside instead.
    fn extend(&mut self);
    /// The figures to compare, each with its name.
    fn figures(&self, outcome: &Self::Outcome) -> Vec<(&'static str, f64)>;
    /// Magnitude below which a figure's change is measured against this
    /// instead, for figures that pass through zero.
    fn least_scale(&self, _figure: &str) -> f64 {
        0.0
    }
}

/// What was refined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refinement {
    /// Half the spacing of nodes.
    Spacing,
    /// Half the time step.
    Step,
    /// Twice the run, or another place on the nodes.
    Extent,
}

/// How one figure moved under one refinement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Convergence {
    /// What was refined.
    pub refinement: Refinement,
    /// Which figure.
    pub figure: String,
    /// Its value as asked for.
    pub value: f64,
    /// Its value when refined.
    pub refined: f64,
    /// Change as a part of the greater of the two, or of the figure's least scale.
    pub change: f64,
    /// Whether the change is within the tolerance.
    pub converged: bool,
}

/// Runs a rig, and again with each refinement, and compares every figure;
/// changes of up to `tolerance` count as converged.
pub fn converge<R: Rig>(
    rig: &R,
    tolerance: f64,
) -> Result<(R::Outcome, Vec<Convergence>), RigError> {
    let outcome = rig.run()?;
    let figures = rig.figures(&outcome);
    let mut report = Vec::new();
    for refinement in [Refinement::Spacing, Refinement::Step, Refinement::Extent] {
        let mut finer = rig.clone();
        match refinement {
            Refinement::Spacing => *finer.spacing_mut() *= 0.5,
            Refinement::Step => *finer.step_mut() *= 0.5,
            Refinement::Extent => finer.extend(),
        }
        let refined = finer.figures(&finer.run()?);
        for (&(figure, value), (_, refined)) in figures.iter().zip(refined) {
            let scale = value.abs().max(refined.abs()).max(rig.least_scale(figure));
            let change = if scale > 0.0 { (refined - value).abs() / scale } else { 0.0 };
            let converged = change <= tolerance;
            let figure = figure.to_owned();
            report.push(Convergence { refinement, figure, value, refined, change, converged });
        }
    }
    Ok((outcome, report))
}
