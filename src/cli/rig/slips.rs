//! The slips at which a wheel or a track is run.

use crate::cli::Failure;
use crate::study::RigError;
use rayon::prelude::*;
use serde::Serialize;
use std::str::FromStr;

const LEAST: f64 = -1.0;
const MOST: f64 = 0.95;
const MANY: usize = 1000;

/// Slips, in the order given.
#[derive(Clone, Debug, PartialEq)]
pub struct Slips(pub Vec<f64>);

impl FromStr for Slips {
    type Err = String;

    /// `from:to:count`, both ends included, or a list parted by commas.
    fn from_str(text: &str) -> Result<Slips, String> {
        let slips = match text.split(':').collect::<Vec<_>>()[..] {
            [list] => list.split(',').map(slip).collect::<Result<Vec<f64>, String>>()?,
            [from, to, count] => {
                let (from, to) = (slip(from)?, slip(to)?);
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
        if slips.len() > MANY {
            return Err(format!("must be at most {MANY} slips, there are {}", slips.len()));
        }
        Ok(Slips(slips))
    }
}

/// A slip at which the rig's result says nothing.
#[derive(Clone, Debug, Serialize)]
pub struct Refused {
    /// The slip.
    pub slip: f64,
    /// Why.
    pub reason: String,
}

/// What a rig found at its slips, in their order, and the slips at which it found nothing.
pub struct Swept<T> {
    pub found: Vec<(f64, T)>,
    pub refused: Vec<Refused>,
}

impl Slips {
    /// Runs a rig at every slip, each on a bed of its own.
    ///
    /// # Errors
    /// What would go wrong at any slip; the first refused one if all are refused.
    pub fn sweep<T: Send>(
        &self,
        run: impl Fn(f64) -> Result<T, RigError> + Sync,
    ) -> Result<Swept<T>, Failure> {
        // in the order of the slips, whichever thread is done first
        let runs: Vec<_> = self.0.par_iter().map(|&slip| (slip, run(slip))).collect();
        let (mut found, mut refused) = (Vec::new(), Vec::new());
        for (slip, run) in runs {
            match run {
                Ok(result) => found.push((slip, result)),
                Err(cause @ (RigError::NotCarried { .. } | RigError::NotFinite { .. })) => {
                    refused.push(Refused { slip, reason: cause.to_string() });
                }
                Err(cause) => return Err(cause.into()),
            }
        }
        if let (true, Some(Refused { slip, reason })) = (found.is_empty(), refused.first()) {
            let (slip, reason) = (*slip, reason.clone());
            return Err(Failure::NoResult { slip, reason });
        }
        Ok(Swept { found, refused })
    }
}

fn slip(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let value: Option<f64> = text.parse().ok().filter(|slip| (LEAST..=MOST).contains(slip));
    value.ok_or(format!("the slip '{text}' must be a number from {LEAST} to {MOST}"))
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
    }
}
