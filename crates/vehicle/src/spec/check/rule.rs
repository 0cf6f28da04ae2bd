//! Rules for single parameters.

use super::super::{MassProperties, Point};
use crate::spec::spec_error::SpecError;
use bekker_math::curve::Curve;

/// Smallest mass of a part, kg.
const LIGHTEST: f64 = 1e-3;
/// Smallest and largest radius of gyration of a part, m.
const GYRATION: [f64; 2] = [1e-3, 5.0];

/// Result of a check.
pub(in crate::spec) type Check = Result<(), SpecError>;

pub(super) fn refuse(key: &str, value: impl ToString, allowed: impl ToString) -> Check {
    Err(SpecError::Value {
        key: key.to_owned(),
        value: value.to_string(),
        allowed: allowed.to_string(),
    })
}

pub(in crate::spec) fn require(
    holds: bool,
    key: &str,
    value: impl ToString,
    allowed: &str,
) -> Check {
    if holds { Ok(()) } else { refuse(key, value, allowed) }
}

pub(in crate::spec) fn positive(key: &str, value: f64) -> Check {
    require(value.is_finite() && value > 0.0, key, value, "finite and above 0")
}

pub(in crate::spec) fn not_negative(key: &str, value: f64) -> Check {
    require(value.is_finite() && value >= 0.0, key, value, "finite and not below 0")
}

pub(in crate::spec) fn check_range(key: &str, value: f64, low: f64, high: f64) -> Check {
    let allowed = format!("from {low} to {high}");
    require(value >= low && value <= high, key, value, &allowed)
}

pub(in crate::spec) fn point(key: &str, value: &Point) -> Check {
    require(value.iter().all(|x| x.is_finite()), key, list(value), "finite")
}

pub(in crate::spec) fn list(values: &[f64]) -> String {
    format!("[{}]", values.iter().map(f64::to_string).collect::<Vec<_>>().join(", "))
}

pub(in crate::spec) fn require_distinct(key: &str, a: &Point, b: &Point) -> Check {
    let distance = (0..3).map(|i| (a[i] - b[i]) * (a[i] - b[i])).sum::<f64>().sqrt();
    require(distance > 1e-6, key, list(a), "away from the other end")
}

/// Checks that a rigid body can have these moments of inertia.
pub(in crate::spec) fn inertia(key: &str, moments: &Point) -> Check {
    let [x, y, z] = *moments;
    require(
        moments.iter().all(|m| m.is_finite() && *m > 0.0),
        key,
        list(moments),
        "finite and above 0",
    )?;
    // rounded data may exceed the bound slightly
    let slack = 1.0 + 1e-3;
    require(
        x <= slack * (y + z) && y <= slack * (x + z) && z <= slack * (x + y),
        key,
        list(moments),
        "moments of a rigid body: none above the sum of the other two",
    )
}

pub(in crate::spec) fn part(key: &str, part: &MassProperties) -> Check {
    positive(&format!("{key}.mass"), part.mass)?;
    require(
        part.inertia.iter().all(|m| m.is_finite() && *m > 0.0),
        &format!("{key}.inertia"),
        list(&part.inertia),
        "finite and above 0",
    )?;
    // files give links and axles with rounded moments of slender bodies
    rigid(key, part.mass, &part.inertia, 1.2)
}

/// Checks that a force does not decrease as the length grows.
pub(super) fn rising(key: &str, curve: &Curve) -> Check {
    let falls = curve.points().windows(2).find(|pair| pair[1][1] < pair[0][1]);
    match falls {
        Some(pair) => refuse(key, list(&pair[1]), "a force that does not decrease as x increases"),
        None => Ok(()),
    }
}

/// Rejects a mass and moments of inertia that no part can have.
///
/// `slack` is the tolerance factor of rounded data in the triangle inequality.
pub(in crate::spec) fn rigid(key: &str, mass: f64, moments: &Point, slack: f64) -> Check {
    let lightest = format!("at least {LIGHTEST} kg");
    require(mass >= LIGHTEST, &format!("{key}.mass"), mass, &lightest)?;
    let key = format!("{key}.inertia");
    let [x, y, z] = *moments;
    let closes = x <= slack * (y + z) && y <= slack * (x + z) && z <= slack * (x + y);
    let sum = "moments of a rigid body: none above the sum of the other two";
    require(closes, &key, list(moments), sum)?;
    let [least, most] = GYRATION.map(|radius| mass * radius * radius);
    let largest = x.max(y).max(z);
    let allowed = format!("from {least} to {most} kg m2 for its mass of {mass} kg");
    require(largest >= least && largest <= most, &key, list(moments), &allowed)
}
