//! Ranges of validity in the units of a user.

use super::section::{Section, ValidationError};
use bekker_agent::{
    Comparison, MIN_REPORTED_SHARE, RunningGearKind, SoilClass, VALIDITY_RANGES, ValidityRange,
};

/// Section with the limits within which the models were compared.
pub(super) fn section() -> Result<Section, ValidationError> {
    let mut section = Section::new("Ranges of validity");
    section.text(
        "Limits within which the comparisons of this page lie, from `crates/agent/src/validity.rs`. \
         *Measured* is better than *relation*, which is fitted to measurements that are not in this \
         collection, and both are better than *theory*. No side force or braking of a tire on soil \
         was compared: the limits are those of the rigid wheel, which has the same shear law. A \
         dash: nothing was compared, and no limit is evaluated. Ground pressure is the load of all \
         wheels or tracks over their area in contact. Sinkage is relative to the radius of the \
         wheel, or of the road wheel with its track.",
    );
    let header = [
        "running gear",
        "soil",
        "compared with",
        "ground pressure, kPa",
        "slip",
        "braking slip",
        "slip angle, deg",
        "sinkage over radius",
        "speed, m/s",
        "source",
    ];
    section.table(&header, VALIDITY_RANGES.iter().map(row).collect());
    section.text(format!(
        "No trial states its speed, except CMU's (0.01 m/s). The limit is an estimate: a wheel that \
         enters a rut at 30 degrees moves the soil down at half its speed, and at 5 m/s this takes \
         a tenth of 100 kPa. The laws omit it. `bekker run` and `bekker study` warn about a vehicle \
         that exceeds a limit in at least {:.0} % of its drive \
         ([outcomes](outcomes.md#ranges-of-validity)).",
        100.0 * MIN_REPORTED_SHARE
    ));
    Ok(section)
}

fn row(range: &ValidityRange) -> Vec<String> {
    let running_gear = match range.running_gear {
        RunningGearKind::RigidWheel => "rigid wheel",
        RunningGearKind::FlexibleTire => "flexible tire",
        RunningGearKind::Track => "track",
    };
    let soil = match range.soil {
        SoilClass::Mineral => "mineral",
        SoilClass::Snow => "snow",
    };
    let comparison = match range.comparison {
        Comparison::Measured => "measured",
        Comparison::Relation => "relation",
        Comparison::Theory => "theory",
    };
    let limit = |x: Option<f64>| x.map_or("-".to_owned(), |x| x.to_string());
    vec![
        running_gear.to_owned(),
        soil.to_owned(),
        comparison.to_owned(),
        limit(range.ground_pressure.map(|x| 1e-3 * x)),
        limit(range.slip),
        limit(range.braking_slip),
        limit(range.slip_angle_deg),
        limit(range.sinkage_ratio),
        limit(range.speed),
        range.source.to_owned(),
    ]
}
