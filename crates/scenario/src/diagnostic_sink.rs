//! Reporting of faults by the checks of a scenario, and texts that they share.

use super::diagnostic::DiagnosticKind;

/// Receives the key and the problem of each fault.
pub(super) type DiagnosticSink<'a> = dyn FnMut(String, DiagnosticKind) + 'a;

/// Formats a duration, s, with up to nine decimals and without trailing zeros.
pub(super) fn decimal(seconds: f64) -> String {
    let text = format!("{seconds:.9}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Readings that a GPS cannot report without `[site]`.
pub(super) const WHERE_ON_EARTH: &str = "the geographic location of a gps (latitude_deg, \
    longitude_deg)";
