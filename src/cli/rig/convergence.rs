//! Convergence reports of a rig.

use super::slips::RigSetting;
use super::table;
use crate::report::text_table::wrapped;
use crate::rig::{Convergence, Refinement};
use serde::Serialize;

/// Returns the name of a refinement for a rig, and the argument that sets it.
pub type RefinementNames = fn(Refinement) -> (&'static str, &'static str);

/// Change of one result under one refinement, at one setting if the rig has several.
#[derive(Clone, Debug, Serialize)]
pub struct ConvergenceChange {
    /// The slip and the slip angle, or the inflation.
    #[serde(flatten)]
    pub at: RigSetting,
    /// Change of the result.
    #[serde(flatten)]
    pub convergence: Convergence,
}

/// Convergence of all results under all refinements.
#[derive(Clone, Debug, Serialize)]
pub struct ConvergenceCheck {
    /// Largest change that counts as converged.
    pub tolerance: f64,
    /// Whether all changes are within the tolerance.
    pub converged: bool,
    /// The changes.
    pub changes: Vec<ConvergenceChange>,
    #[serde(skip)]
    terms: RefinementNames,
}

impl ConvergenceCheck {
    pub fn new(
        tolerance: f64,
        changes: Vec<ConvergenceChange>,
        terms: RefinementNames,
    ) -> ConvergenceCheck {
        let converged = changes.iter().all(|change| change.convergence.converged);
        ConvergenceCheck { tolerance, converged, changes, terms }
    }

    /// Returns the largest change of each result under each refinement, in order of first
    /// occurrence.
    fn greatest(&self) -> Vec<&ConvergenceChange> {
        let mut greatest: Vec<&ConvergenceChange> = Vec::new();
        for change in &self.changes {
            let same = |other: &&mut &ConvergenceChange| {
                other.convergence.refinement == change.convergence.refinement
                    && other.convergence.figure == change.convergence.figure
            };
            match greatest.iter_mut().find(same) {
                Some(other) if other.convergence.change < change.convergence.change => {
                    *other = change;
                }
                Some(_) => {}
                None => greatest.push(change),
            }
        }
        greatest
    }

    /// Formats the table and the verdict.
    pub fn report(&self) -> String {
        let slips = self.changes.iter().any(|change| change.at.slip.is_some());
        let angles = self.changes.iter().any(|change| change.at.slip_angle.is_some());
        let inflations = self.changes.iter().any(|change| change.at.inflation_kpa.is_some());
        let rows = self
            .greatest()
            .into_iter()
            .map(|ConvergenceChange { at, convergence: c }| {
                let mut row = vec![(self.terms)(c.refinement).0.to_string(), c.figure.clone()];
                row.extend(at.slip.map(|slip| format!("{:.1}", 100.0 * slip)));
                row.extend(at.slip_angle.map(|angle| format!("{:.1}", angle.to_degrees())));
                row.extend(at.inflation_kpa.map(|kpa| format!("{kpa:.0}")));
                row.extend([table::figure(c.value), table::figure(c.refined)]);
                row.extend([table::percent(c.change), verdict(c.converged).to_string()]);
                row
            })
            .collect();
        let mut header = vec!["refined", "metric"];
        header.extend(slips.then_some("worst slip %"));
        header.extend(angles.then_some("slip angle deg"));
        header.extend(inflations.then_some("worst kPa"));
        header.extend(["value", "refined value", "change %", ""]);
        format!("{}\n{}", table::columns(&header, rows, 2), wrapped(&self.verdict(), 2))
    }

    /// Returns the verdict in one line; without convergence it names the argument to change.
    pub fn verdict(&self) -> String {
        let allowed = format!("{} % allowed", table::percent(self.tolerance));
        let worst = self
            .changes
            .iter()
            .max_by(|a, b| a.convergence.change.total_cmp(&b.convergence.change));
        let Some(ConvergenceChange { at, convergence: c }) = worst else {
            return "convergence: nothing to compare".into();
        };
        let change = table::percent(c.change);
        if self.converged {
            return format!("converged: no metric changes by more than {change} % ({allowed})");
        }
        let mut remedies: Vec<&str> = Vec::new();
        for change in self.changes.iter().filter(|change| !change.convergence.converged) {
            let remedy = (self.terms)(change.convergence.refinement).1;
            if !remedies.contains(&remedy) {
                remedies.push(remedy);
            }
        }
        let at = if *at == RigSetting::default() { String::new() } else { format!(" at {at}") };
        format!(
            "NOT converged: {} changes by {change} %{at} with {} ({allowed}); try {}",
            c.figure,
            (self.terms)(c.refinement).0,
            remedies.join(" and ")
        )
    }
}

fn verdict(converged: bool) -> &'static str {
    if converged { "ok" } else { "MOVES" }
}
