//! Springs and dampers.
//!
//! Chrono's force is positive in compression: preload - k (length - free length). bekker's is
//! positive in tension.

use super::ImportError;
use super::log::ImportLog;
use super::source::JsonSource;
use bekker_math::curve::Curve;
use bekker_vehicle::spec::{Damper, Point, Spring, Stops};
use serde::Deserialize;

/// Chrono's stops at a spring's minimum and maximum length, after an example of ADAMS/Car: force,
/// N, over compression, m.
const STOP: [[f64; 2]; 11] = [
    [0.0, 0.0],
    [0.002, 200.0],
    [0.004, 400.0],
    [0.006, 600.0],
    [0.008, 800.0],
    [0.01, 1000.0],
    [0.02, 2500.0],
    [0.03, 4500.0],
    [0.04, 7500.0],
    [0.05, 12_500.0],
    [0.06, 125_000.0],
];
/// Speeds of the table of a degressive damper, m/s.
const SPEEDS: [f64; 9] = [0.0, 0.04, 0.1, 0.2, 0.35, 0.6, 1.0, 1.5, 3.0];
/// Range of the table of a linear spring about its free length, m.
const FAR: f64 = 0.5;

/// Spring, damper or both between two points.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct StrutParams {
    #[serde(rename = "Location Chassis")]
    pub chassis: Point,
    /// End on the moving part: arm, axle or upright.
    #[serde(rename = "Location Arm", alias = "Location Axle", alias = "Location Upright")]
    pub moving: Point,
    #[serde(rename = "Spring Coefficient")]
    rate: Option<f64>,
    #[serde(rename = "Spring Curve Data")]
    curve: Option<Vec<[f64; 2]>>,
    #[serde(rename = "Free Length")]
    free_length: Option<f64>,
    #[serde(rename = "Preload", default)]
    preload: f64,
    #[serde(rename = "Minimum Length")]
    shortest: Option<f64>,
    #[serde(rename = "Maximum Length")]
    longest: Option<f64>,
    #[serde(rename = "Damping Coefficient")]
    damping: Option<f64>,
    #[serde(rename = "Degressivity Compression")]
    degressive_in: Option<f64>,
    #[serde(rename = "Degressivity Expansion")]
    degressive_out: Option<f64>,
    #[serde(rename = "Damping Curve Data")]
    damping_curve: Option<Vec<[f64; 2]>>,
    #[serde(rename = "Deformation")]
    deformation: Option<Vec<f64>>,
    #[serde(rename = "Map Data")]
    map: Option<Vec<Vec<f64>>>,
}

impl StrutParams {
    /// Returns the constant rate, N/m, and the compression force, N, at a length, m.
    pub fn linear(&self, length: f64) -> (f64, f64) {
        let rate = self.rate.unwrap_or(0.0);
        (rate, self.preload + rate * (self.free_length.unwrap_or(length) - length))
    }

    /// Converts to a spring; `at` is its key in the source file, `key` that in the vehicle file.
    pub fn spring(
        &self,
        source: &JsonSource,
        at: &str,
        key: &str,
        log: &mut ImportLog,
    ) -> Result<Spring, ImportError> {
        let free_length = self.free_length.ok_or_else(|| missing_key(source, at, "Free Length"))?;
        let points = match (&self.curve, self.rate) {
            (Some(curve), _) => curve.clone(),
            (None, Some(rate)) => vec![[-FAR, -FAR * rate], [FAR, FAR * rate]],
            (None, None) => return Err(missing_key(source, at, "Spring Coefficient")),
        };
        let points = points.into_iter().map(|[x, force]| [x, force - self.preload]).collect();
        let points = non_decreasing(points, &format!("{key}.tension"), log);
        let tension = curve(source, &format!("{at} / Spring Curve Data"), points)?;
        let stops = self.stops(key, log);
        Ok(Spring { free_length, tension, stops })
    }

    /// Returns the stops, if the minimum and maximum length are specified.
    pub fn stops(&self, key: &str, log: &mut ImportLog) -> Option<Stops> {
        let (mut shortest, mut longest) = self.shortest.zip(self.longest)?;
        if shortest > longest {
            log.assume(format!("{key}.stops"), "minimum and maximum length swapped");
            (shortest, longest) = (longest, shortest);
        }
        let stop = || Curve::new(STOP.to_vec()).ok();
        let (bump, rebound) = stop().zip(stop())?;
        Some(Stops { min_length: shortest, max_length: longest, bump, rebound })
    }

    /// Converts to a damper.
    pub fn damper(
        &self,
        source: &JsonSource,
        at: &str,
        key: &str,
        log: &mut ImportLog,
    ) -> Result<Damper, ImportError> {
        let plain = |coefficient| Damper {
            compression: coefficient,
            rebound: coefficient,
            window: None,
            tension: None,
        };
        let tabled = |points, name: &str, log: &mut ImportLog| {
            let points = non_decreasing(points, &format!("{key}.tension"), log);
            let tension = curve(source, &format!("{at} / {name}"), points)?;
            Ok(Damper { tension: Some(tension), ..plain(0.0) })
        };
        if let Some(points) = &self.damping_curve {
            return tabled(points.clone(), "Damping Curve Data", log);
        }
        if let (Some(map), Some(lengths)) = (&self.map, &self.deformation) {
            // bekker has no map: use the force at the middle length
            let middle = lengths.len() / 2 + 1;
            let row = |row: &Vec<f64>| Some([*row.first()?, *row.get(middle)?]);
            let points: Option<Vec<_>> = map.iter().map(row).collect();
            let points = points.ok_or_else(|| {
                let allowed = format!("rows with a speed and {} forces", lengths.len());
                source.refused(&format!("{at} / Map Data"), "rows of another length", &allowed)
            })?;
            let why = "replaced by one curve over speed, that of the middle length";
            log.omit(source, &format!("{at} / Deformation"), why);
            return tabled(points, "Map Data", log);
        }
        let Some(damping) = self.damping else {
            return Err(missing_key(source, at, "Damping Coefficient"));
        };
        let (Some(closing), Some(opening)) = (self.degressive_in, self.degressive_out) else {
            return Ok(plain(damping));
        };
        let force = |speed: f64| {
            let falls = if speed < 0.0 { closing } else { opening };
            [speed, damping * speed / (1.0 + falls * speed.abs())]
        };
        let closing = SPEEDS.iter().rev().map(|speed| force(-speed));
        let points = closing.chain(SPEEDS.iter().skip(1).map(|speed| force(*speed))).collect();
        tabled(points, "Degressivity Compression", log)
    }
}

fn missing_key(source: &JsonSource, at: &str, key: &str) -> ImportError {
    source.refused(&format!("{at} / {key}"), "absent", "given")
}

/// Creates a curve from points of a file.
pub(super) fn curve(
    source: &JsonSource,
    key: &str,
    points: Vec<[f64; 2]>,
) -> Result<Curve, ImportError> {
    let count = format!("{} points", points.len());
    Curve::new(points).map_err(|error| {
        source.refused(key, &count, &format!("a curve with increasing x: {error}"))
    })
}

/// Makes a curve non-decreasing: where the force falls away from x = 0, the previous value is kept.
fn non_decreasing(mut points: Vec<[f64; 2]>, key: &str, log: &mut ImportLog) -> Vec<[f64; 2]> {
    let before = points.clone();
    let zero = points.iter().position(|point| point[0] >= 0.0).unwrap_or(0);
    for index in zero + 1..points.len() {
        points[index][1] = points[index][1].max(points[index - 1][1]);
    }
    for index in (0..zero).rev() {
        points[index][1] = points[index][1].min(points[index + 1][1]);
    }
    if points != before {
        log.assume(key, "kept constant where the source's force decreases as x increases");
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_force_that_falls_is_held() {
        let mut log = ImportLog::default();
        let points = vec![[-2.0, -1.0], [-1.0, -3.0], [0.0, 0.0], [1.0, 5.0], [2.0, 4.0]];
        let held = non_decreasing(points, "k", &mut log);
        let forces: Vec<f64> = held.iter().map(|point| point[1]).collect();
        assert_eq!(forces, [-3.0, -3.0, 0.0, 5.0, 5.0]);
        assert_eq!(log.assumed.len(), 1);
    }
}
