//! Published values for catalog vehicles; no model uses them.

use super::findings::Published;

const MILITARY_TODAY: &str = "military-today.com/trucks/hmmwv.htm, M998";
const AFV_DATABASE: &str = "afvdatabase.com/usa/m113.html, M113";
const CHRONO: &str = "Project Chrono @7689fbc, HMMWV_Vehicle";
/// 563 km with 94.6 l, at 0.84 kg/l.
const HMMWV_RANGE: &str = "everything2.com/title/HMMWV: 350 miles of highway on 25 gal";
/// 480 km with 360 l, at 0.84 kg/l.
const M113_RANGE: &str =
    "480 km on roads (wiki M113) with the 360 l of the M113A1 (everything2.com/title/M113)";

/// Vehicle, name of the metric, conditions, value in the metric's unit, source.
const FIGURES: [(&str, &str, &str, f64, &str); 15] = [
    ("hmmwv", "top_speed", "", 105.0, MILITARY_TODAY),
    ("hmmwv", "gradeability", "rigid", 0.6, MILITARY_TODAY),
    ("hmmwv", "side_slope", "rigid", 0.4, MILITARY_TODAY),
    ("hmmwv", "step", "", 0.6, MILITARY_TODAY),
    ("hmmwv", "gap", "", 0.5, MILITARY_TODAY),
    ("hmmwv", "turning_radius", "", 7.62, CHRONO),
    ("hmmwv", "fuel", "rigid, 80 km/h", 14.1, HMMWV_RANGE),
    ("m113", "top_speed", "", 64.0, AFV_DATABASE),
    ("m113", "gradeability", "rigid", 0.6, AFV_DATABASE),
    ("m113", "side_slope", "rigid", 0.3, AFV_DATABASE),
    ("m113", "step", "", 0.61, AFV_DATABASE),
    ("m113", "gap", "", 1.68, AFV_DATABASE),
    ("m113", "turning_radius", "", 3.95, AFV_DATABASE),
    ("m113", "fuel", "rigid, 40 km/h", 63.0, M113_RANGE),
    ("mrzr4", "top_speed", "", 96.0, "from memory: 60 mph"),
];

/// Returns the published value for a catalog vehicle.
pub(super) fn find(model: &str, name: &str, on: &str) -> Option<Published> {
    let own = |row: &&(&str, &str, &str, f64, &str)| {
        row.0.eq_ignore_ascii_case(model) && (row.1, row.2) == (name, on)
    };
    FIGURES.iter().find(own).map(|&(.., value, source)| Published { value, source })
}
