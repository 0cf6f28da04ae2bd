//! Fuel as a function of the number of vehicles and the size of the terrain.

use super::{MIN_TRIALS, SwarmTrial, distinct};
use bekker_math::numeric::{exp, ln, pow};
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// Smallest number of team sizes for a fit: a power law passes exactly through two.
const MIN_TEAMS: usize = 3;

/// Cumulative throttle, c Nᵃ Lᵇ for N vehicles on a terrain of side L.
///
/// It is fitted by least squares of the logarithms. With a = b = 1 each vehicle uses the same
/// amount as alone on a straight path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FuelModel {
    /// c, for L in m.
    pub scale: f64,
    /// a.
    pub of_robots: f64,
    /// b; `None` if all terrains have one size, so that b is undetermined and taken as 1.
    pub of_side: Option<f64>,
    /// Share of the logarithms' variance that the law explains.
    pub explained: f64,
}

impl FuelModel {
    /// Fits the law to all trials with throttle.
    ///
    /// # Errors
    /// The reason if it cannot be fitted: too few trials, or too few team sizes.
    pub fn fit(trials: &[SwarmTrial]) -> Result<FuelModel, String> {
        let used: Vec<&SwarmTrial> = trials.iter().filter(|own| own.throttle > 0.0).collect();
        let differ = |of: fn(&SwarmTrial) -> f64| used.iter().any(|own| of(own) != of(used[0]));
        if used.len() < MIN_TRIALS {
            let count = used.len();
            return Err(format!(
                "only {count} trials used throttle; at least {MIN_TRIALS} are needed"
            ));
        }
        let teams = distinct(used.iter().map(|own| f64::from(own.robots)));
        if teams < MIN_TEAMS {
            return Err(format!("only {teams} team sizes; at least {MIN_TEAMS} are needed"));
        }
        let sides = differ(|own| own.side);
        let columns = if sides { 3 } else { 2 };
        let logs = |own: &SwarmTrial| [1.0, ln(f64::from(own.robots)), ln(own.side)];
        let known = |own: &SwarmTrial| ln(own.throttle) - if sides { 0.0 } else { ln(own.side) };
        let matrix = DMatrix::from_fn(used.len(), columns, |row, column| logs(used[row])[column]);
        let values = DVector::from_iterator(used.len(), used.iter().map(|own| known(own)));
        let normal = matrix.transpose() * &matrix;
        let cholesky = normal.cholesky().ok_or("team sizes and terrain sides are collinear")?;
        let solved = cholesky.solve(&(matrix.transpose() * &values));
        let left = (&values - &matrix * &solved).norm_squared();
        let mean = values.mean();
        let total: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        Ok(FuelModel {
            scale: exp(solved[0]),
            of_robots: solved[1],
            of_side: sides.then(|| solved[2]),
            explained: 1.0 - left / total,
        })
    }

    /// Returns the cumulative throttle of `robots` vehicles on a terrain with this side, s.
    pub fn throttle(&self, robots: f64, side: f64) -> f64 {
        self.of_terrain(side) * pow(robots, self.of_robots)
    }

    /// Returns the number of vehicles with a cumulative throttle.
    pub fn robots(&self, side: f64, throttle: f64) -> f64 {
        pow(throttle / self.of_terrain(side), 1.0 / self.of_robots)
    }

    /// Returns the throttle of one vehicle on a terrain with this side, s.
    fn of_terrain(&self, side: f64) -> f64 {
        self.scale * pow(side, self.of_side.unwrap_or(1.0))
    }
}
