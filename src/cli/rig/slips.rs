//! Slips and slip angles for wheel and track rigs.

use crate::cli::Failure;
use crate::rig::RigError;
use rayon::prelude::*;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

const LEAST: f64 = -1.0;
const MOST: f64 = 0.95;
/// Largest slip angle, degrees; beyond it a wheel is dragged sideways.
const STEEPEST: f64 = 80.0;
const MANY: usize = 1000;

/// Slips, in the given order.
#[derive(Clone, Debug, PartialEq)]
pub struct Slips(pub Vec<f64>);

/// Slip angles in degrees, in the given order.
#[derive(Clone, Debug, PartialEq)]
pub struct SlipAngles(pub Vec<f64>);

impl FromStr for Slips {
    type Err = String;

    /// Parses `from:to:count`, both ends included, or a comma-separated list.
    fn from_str(text: &str) -> Result<Slips, String> {
        series(text, slip, "slips").map(Slips)
    }
}

impl FromStr for SlipAngles {
    type Err = String;

    /// Parses the same syntax as [`Slips`].
    fn from_str(text: &str) -> Result<SlipAngles, String> {
        series(text, slip_angle, "slip angles").map(SlipAngles)
    }
}

fn series(
    text: &str,
    number: fn(&str) -> Result<f64, String>,
    noun: &str,
) -> Result<Vec<f64>, String> {
    let numbers =
        match text.split(':').collect::<Vec<_>>()[..] {
            [list] => list.split(',').map(number).collect::<Result<Vec<f64>, String>>()?,
            [from, to, count] => {
                let (from, to) = (number(from)?, number(to)?);
                let count: usize =
                    count.trim().parse().ok().filter(|count| (2..=MANY).contains(count)).ok_or(
                        format!("the count {count} must be a whole number from 2 to {MANY}"),
                    )?;
                let last = (count - 1) as f64;
                // the weighted sum is exact at both ends
                (0..count).map(|n| (from * (last - n as f64) + to * n as f64) / last).collect()
            }
            _ => return Err("must be from:to:count or a list such as 0.05,0.1,0.2".into()),
        };
    if numbers.len() > MANY {
        return Err(format!("must be at most {MANY} {noun}, but has {}", numbers.len()));
    }
    Ok(numbers)
}

fn slip(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let value: Option<f64> = text.parse().ok().filter(|slip| (LEAST..=MOST).contains(slip));
    value.ok_or(format!("the slip '{text}' must be a number from {LEAST} to {MOST}"))
}

fn slip_angle(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let value: Option<f64> = text.parse().ok().filter(|angle: &f64| angle.abs() <= STEEPEST);
    let allowed = format!("must be a number from -{STEEPEST} to {STEEPEST} deg");
    value.ok_or(format!("the slip angle '{text}' {allowed}"))
}

/// Setting of a rig: a slip and possibly a slip angle, or an inflation.
///
/// A towed wheel has no slip. The inflation applies to a tire that does not turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RigSetting {
    /// The slip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slip: Option<f64>,
    /// The slip angle, rad.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slip_angle: Option<f64>,
    /// The inflation, kPa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inflation_kpa: Option<f64>,
}

impl RigSetting {
    pub fn at_slip(slip: f64) -> RigSetting {
        RigSetting { slip: Some(slip), ..RigSetting::default() }
    }

    pub fn at_inflation(kpa: f64) -> RigSetting {
        RigSetting { inflation_kpa: Some(kpa), ..RigSetting::default() }
    }
}

impl fmt::Display for RigSetting {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(kpa) = self.inflation_kpa {
            return write!(to, "{kpa:.0} kPa");
        }
        let angle =
            self.slip_angle.map(|angle| format!("slip angle {:.1} deg", angle.to_degrees()));
        match (self.slip, angle) {
            (Some(slip), Some(angle)) => write!(to, "slip {:.1} %, {angle}", 100.0 * slip),
            (Some(slip), None) => write!(to, "slip {:.1} %", 100.0 * slip),
            (None, Some(angle)) => write!(to, "{angle}"),
            (None, None) => write!(to, "no slip"),
        }
    }
}

/// A setting without a valid result.
#[derive(Clone, Debug, Serialize)]
pub struct FailedSetting {
    /// The setting.
    #[serde(flatten)]
    pub at: RigSetting,
    /// The reason.
    pub reason: String,
}

/// Results of a rig at its settings, in order, and the settings without a result.
pub struct SweepResult<T> {
    pub found: Vec<(RigSetting, T)>,
    pub refused: Vec<FailedSetting>,
}

/// Advice if the ground does not carry the load by the end of the run.
const LONGER: &str = "Increase --duration or decrease --step; if neither helps, the soil does not \
    support this load";

/// Runs a rig at every setting, each on a separate bed.
///
/// # Errors
/// An error that does not depend on the setting; the first refusal if all settings are refused.
pub fn sweep<T: Send>(
    settings: &[RigSetting],
    run: impl Fn(RigSetting) -> Result<T, RigError> + Sync,
) -> Result<SweepResult<T>, Failure> {
    // results are in the order of the settings, whichever thread finishes first
    let runs: Vec<_> = settings.par_iter().map(|&at| (at, run(at))).collect();
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    for (at, run) in runs {
        match run {
            Ok(result) => found.push((at, result)),
            Err(cause @ RigError::NotCarried { .. }) => {
                refused.push(FailedSetting { at, reason: format!("{cause}. {LONGER}") });
            }
            Err(cause @ RigError::NotFinite { .. }) => {
                refused.push(FailedSetting { at, reason: cause.to_string() });
            }
            Err(cause) => return Err(cause.into()),
        }
    }
    if let (true, Some(FailedSetting { at, reason })) = (found.is_empty(), refused.first()) {
        return Err(Failure::NoResult { at: at.to_string(), reason: reason.clone() });
    }
    Ok(SweepResult { found, refused })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_lists() {
        let slips = |text: &str| text.parse::<Slips>().map(|slips| slips.0);
        assert_eq!(slips("0:0.5:3"), Ok(vec![0.0, 0.25, 0.5]));
        assert_eq!(slips("-0.2:0.6:5").unwrap().len(), 5);
        assert_eq!(slips("0.1, 0.2"), Ok(vec![0.1, 0.2]));
        assert_eq!(slips("0.2"), Ok(vec![0.2]));
        for wrong in ["", "0:1", "0:0.5:1", "0:0.5:x", "0:1:5", "0.1,,0.2", "nan", "1:2:3:4"] {
            assert!(slips(wrong).is_err(), "{wrong}");
        }
        let angles = |text: &str| text.parse::<SlipAngles>().map(|angles| angles.0);
        assert_eq!(angles("-10:10:3"), Ok(vec![-10.0, 0.0, 10.0]));
        for wrong in ["", "81", "-81", "nan", "5,", "0:10"] {
            assert!(angles(wrong).is_err(), "{wrong}");
        }
    }
}
