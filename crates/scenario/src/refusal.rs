//! Reporting of faults by the checks of a scenario, and wording that they share.

use super::fault::Problem;

/// Takes the key and what is wrong with it.
pub(super) type Refuse<'a> = dyn FnMut(String, Problem) + 'a;

/// A duration with the digits that matter.
pub(super) fn decimal(seconds: f64) -> String {
    let text = format!("{seconds:.9}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// What a GPS lacks without `[site]`.
pub(super) const WHERE_ON_EARTH: &str = "where on the earth a gps is (latitude_deg, longitude_deg)";
