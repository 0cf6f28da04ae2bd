//! CMU's wheels in sand, predicted from plates.

use super::page::{
    ErrorRow, ValidationError, WorstError, errors, line, panel, rms, unsigned_percent,
};
use super::wheel_trials::{WheelTrial, predict_trials, wheel_trials};
use bekker_ground::soil::Laws;
use bekker_rig::{LineStyle, PlotPanel, WheelResult};

/// Trials of one wheel at one slip angle with their predictions.
pub(super) struct PredictedTrials {
    /// Wheel and slip angle in words.
    pub(super) name: String,
    /// Default laws.
    pub(super) default: Vec<(WheelTrial, WheelResult)>,
    /// Reference laws.
    pub(super) reference: Vec<(WheelTrial, WheelResult)>,
}

/// Measured and computed value of a trial.
type Quantity = fn(&(WheelTrial, WheelResult)) -> [f64; 2];

/// Drawbar pull, N.
pub(super) const DRAWBAR: Quantity = |(trial, run)| [trial.drawbar, run.drawbar];
/// Side force against the side slip, N.
pub(super) const SIDE: Quantity = |(trial, run)| [trial.lateral, -run.lateral];
/// Sinkage, m.
pub(super) const SINKAGE: Quantity = |(trial, run)| [trial.sinkage, run.sinkage];

impl PredictedTrials {
    pub(super) fn run(
        wheel: &str,
        slip_angle_deg: f64,
    ) -> Result<PredictedTrials, ValidationError> {
        let what = if wheel == "smooth" { "smooth wheel" } else { "wheel with grousers" };
        Ok(PredictedTrials {
            name: format!("CMU, {what}, {slip_angle_deg:.0} deg"),
            default: predict_trials(wheel, slip_angle_deg, Laws::refined())?,
            reference: predict_trials(wheel, slip_angle_deg, Laws::reference())?,
        })
    }

    /// Returns the root mean square of the error over that of the measured values, for default and
    /// reference laws.
    pub(super) fn normalized(&self, quantity: Quantity) -> [f64; 2] {
        [&self.default, &self.reference].map(|pairs| {
            let pairs = || pairs.iter().map(quantity);
            rms(pairs().map(|[measured, found]| found - measured))
                / rms(pairs().map(|[measured, _]| measured))
        })
    }

    /// Returns the row of the table of errors; `unit` converts to the printed unit.
    pub(super) fn row(&self, what: &str, unit: (f64, &str), quantity: Quantity) -> ErrorRow {
        let [default, reference] = [&self.default, &self.reference].map(|pairs| {
            rms(pairs.iter().map(quantity).map(|[measured, found]| unit.0 * (found - measured)))
        });
        let shares = self.normalized(quantity);
        let cell =
            |error: f64, share: f64| format!("{error:.1} {}, {}", unit.1, unsigned_percent(share));
        let cells = [cell(default, shares[0]), cell(reference, shares[1])];
        errors(&self.name, &format!("{what}, rms"), self.default.len(), cells)
    }

    /// Returns the worst error of the default laws in force, over the measured value but at least a
    /// tenth of the load.
    pub(super) fn worst_force(&self, what: &str, quantity: Quantity) -> WorstError {
        self.worst(what, "N", quantity, |trial| 0.1 * trial.load)
    }

    /// Returns the worst error of the default laws in sinkage.
    pub(super) fn worst_sinkage(&self) -> WorstError {
        let quantity: Quantity = |(trial, run)| [1e3 * trial.sinkage, 1e3 * run.sinkage];
        self.worst("depth", "mm", quantity, |_| 0.0)
    }

    fn worst(
        &self,
        what: &str,
        unit: &str,
        quantity: Quantity,
        least: fn(&WheelTrial) -> f64,
    ) -> WorstError {
        let each = self.default.iter().map(|pair| {
            let [measured, found] = quantity(pair);
            let error = (found - measured) / measured.abs().max(least(&pair.0));
            let slip = 0.1 * (10.0 * pair.0.slip).round();
            let case = format!("{what}, {}, slip {:.1}", self.name, slip + 0.0);
            let [expected, found] = [measured, found].map(|x| format!("{x:.1} {unit}"));
            WorstError { case, kind: "measured".into(), expected, found, error }
        });
        each.max_by(|a, b| a.error.abs().total_cmp(&b.error.abs())).unwrap_or_default()
    }

    /// Returns the panel of a quantity over slip.
    pub(super) fn panel(&self, label: &str, unit: f64, quantity: Quantity) -> PlotPanel {
        let points = |pairs: &[(WheelTrial, WheelResult)], which: usize| -> Vec<[f64; 2]> {
            pairs.iter().map(|pair| [pair.0.slip, unit * quantity(pair)[which]]).collect()
        };
        let lines = vec![
            line("reference laws", LineStyle::Dashes, points(&self.reference, 1)),
            line("default laws", LineStyle::Line, points(&self.default, 1)),
            line("measured", LineStyle::Dots, points(&self.default, 0)),
        ];
        panel("", "slip", label, lines)
    }
}

/// Returns the greatest deviations of repeated trials in words.
pub(super) fn deviations() -> String {
    let greatest = |of: fn(&WheelTrial) -> f64| wheel_trials().iter().map(of).fold(0.0, f64::max);
    format!(
        "means of three repeats, which deviate by at most {:.1} N and {:.1} mm",
        greatest(|trial| trial.drawbar_deviation),
        1e3 * greatest(|trial| trial.sinkage_deviation)
    )
}

/// Returns the worse of two errors.
pub(super) fn worse(a: WorstError, b: WorstError) -> WorstError {
    if b.error.abs() > a.error.abs() { b } else { a }
}
