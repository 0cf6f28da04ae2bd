//! Tires: TMeasy in full or by Chrono's rule for truck tires, and other models converted to TMeasy.

mod fiala;
mod rigid;
mod tmeasy;
mod truck;

use super::ImportError;
use super::kind::check_type;
use super::log::ImportLog;
use super::source::JsonSource;
use bekker_vehicle::spec::{OutlinePoint, RigidTire, Tire};

/// Supported templates, in order of preference.
pub(super) const TIRES: [&str; 4] = ["TMeasyTire", "TMsimpleTire", "FialaTire", "RigidTire"];
/// Ratio of rim radius to tire radius where no file specifies it.
const RIM: f64 = 0.55;

/// Tire with the radius of its rim, m.
pub(super) struct ImportedTire {
    pub tire: Tire,
    pub rim_radius: f64,
}

/// Reads the tire of a file; `key` is its key in the vehicle file.
pub(super) fn tire(
    source: &JsonSource,
    key: &str,
    log: &mut ImportLog,
) -> Result<ImportedTire, ImportError> {
    check_type(source, "Tire", &TIRES)?;
    log.origin(key, source);
    match source.template()? {
        "TMeasyTire" | "TMsimpleTire" => tmeasy::tmeasy(source, key, log),
        "FialaTire" => fiala::fiala(source, key, log),
        "RigidTire" => rigid::rigid(source, key, log),
        other => Err(source.refused("Template", other, &TIRES.join(", "))),
    }
}

/// Returns the tire's outline: a flat tread with beveled shoulders.
fn outline(radius: f64, width: f64, section: f64, key: &str, log: &mut ImportLog) -> RigidTire {
    let what = "a tread that is flat over three quarters of its width, with beveled shoulders";
    log.assume(format!("{key}.rigid.outline"), what);
    let half = 0.5 * width;
    let outline = vec![
        OutlinePoint { half_width: 0.0, radius },
        OutlinePoint { half_width: 0.75 * half, radius },
        OutlinePoint { half_width: half, radius: radius - 0.12 * section },
    ];
    RigidTire { outline, grousers: None, soil: None, surface: None }
}
