//! Checks of the parameters of a rocker-bogie suspension and of axles without springs.

use super::rule::{Check, check_range, list, part, point, require};
use crate::spec::{Axle, RockerBogie, SpecError, Suspension, SuspensionLink, VehicleSpec};

/// Rejects springs of axles with rigid mounts, and other axles without springs.
pub(super) fn springs(key: &str, axle: &Axle) -> Check {
    let rigid = matches!(axle.suspension, Suspension::Rigid(_));
    let given = [
        ("spring", axle.spring.is_some(), true),
        ("damper", axle.damper.is_some(), true),
        ("anti_roll_bar", axle.anti_roll_bar.is_some(), false),
        ("load_sensing", axle.load_sensing.is_some(), false),
    ];
    for (name, is_given, is_required) in given {
        let key = format!("{key}.{name}");
        let allowed = "absent with suspension.rigid, which has no springs";
        require(!(rigid && is_given), &key, "given", allowed)?;
        let allowed = "given, unless the suspension is rigid";
        require(rigid || is_given || !is_required, &key, "absent", allowed)?;
    }
    Ok(())
}

/// Rejects links that do not carry all wheels between them.
pub(super) fn rocker_bogie(spec: &VehicleSpec) -> Check {
    let Some(own) = &spec.rocker_bogie else { return Ok(()) };
    let allowed = "absent with rocker_bogie, whose rockers are on one chassis";
    require(spec.rear_frame.is_none(), "rear_frame", "given", allowed)?;
    let (count, needed) = (spec.axles.len(), if own.bogie.is_some() { 3 } else { 2 });
    let allowed =
        format!("{needed} axles, all on rocker_bogie: 2 on a rocker, 3 with a bogie; no trailer");
    require(count == needed, "axles", format!("{count} axles"), &allowed)?;
    let with_bogie = if own.bogie.is_some() { 1 } else { 2 };
    let on_rocker = axles(spec, "rocker", &own.rocker, with_bogie)?;
    let bogie = own.bogie.as_ref().map(|link| Ok((link, axles(spec, "bogie", link, 2)?)));
    let bogie = bogie.transpose()?;
    let supports = |axles: &[usize]| -> Vec<f64> {
        axles.iter().map(|&axle| spec.axles[axle].wheel_x()).collect()
    };
    let mut on_pins = supports(&on_rocker);
    if let Some((link, on_bogie)) = &bogie {
        let taken = on_bogie.contains(&on_rocker[0]);
        let names = link.axles.join(", ");
        let allowed = "two axles that are not on the rocker";
        require(!taken, "rocker_bogie.bogie.axles", names, allowed)?;
        let next = on_bogie[1] == on_bogie[0] + 1;
        let names = link.axles.join(", ");
        require(next, "rocker_bogie.bogie.axles", names, "two consecutive axles, front first")?;
        on_pins.push(link.pin[0]);
        self::link("bogie", link, &supports(on_bogie), "its wheels")?;
    } else {
        let next = on_rocker[1] == on_rocker[0] + 1;
        let names = own.rocker.axles.join(", ");
        require(next, "rocker_bogie.rocker.axles", names, "two consecutive axles, front first")?;
    }
    let between = if bogie.is_some() { "its wheel and the bogie's pin" } else { "its wheels" };
    link("rocker", &own.rocker, &on_pins, between)?;
    inside(spec, own)
}

/// Returns the indices of the axles on a link, after checking their number and suspension.
fn axles(
    spec: &VehicleSpec,
    name: &str,
    link: &SuspensionLink,
    count: usize,
) -> Result<Vec<usize>, SpecError> {
    let key = format!("rocker_bogie.{name}.axles");
    let allowed = match (name, count) {
        ("rocker", 1) => "one axle, as rocker_bogie.bogie has two",
        ("rocker", _) => "two axles without rocker_bogie.bogie",
        _ => "two axles",
    };
    require(link.axles.len() == count, &key, format!("{} axles", link.axles.len()), allowed)?;
    let mut found = Vec::with_capacity(count);
    for own in &link.axles {
        let axle = spec.axle_named(own).ok_or_else(|| {
            let known: Vec<&str> = spec.axles.iter().map(|axle| axle.name.as_str()).collect();
            let allowed = format!("names of axles: {}", known.join(", "));
            SpecError::Value { key: key.clone(), value: own.clone(), allowed }
        })?;
        let rigid = matches!(spec.axles[axle].suspension, Suspension::Rigid(_));
        let suspension = format!("axles[{axle}].suspension");
        let allowed = format!("rigid, because '{own}' is on rocker_bogie.{name}");
        require(rigid, &suspension, "another kind", &allowed)?;
        found.push(axle);
    }
    Ok(found)
}

/// Checks pin, mass and stop of a link that rests on two points at `supports` along x, m.
fn link(name: &str, link: &SuspensionLink, supports: &[f64], between: &str) -> Check {
    let key = |own: &str| format!("rocker_bogie.{name}.{own}");
    point(&key("pin"), &link.pin)?;
    let rear = supports.iter().copied().fold(f64::INFINITY, f64::min);
    let front = supports.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let [x, y, _] = link.pin;
    let allowed = format!("on the left (y above 0), between {between} at x = {rear} and {front}");
    require(x > rear && x < front && y > 0.0, &key("pin"), list(&link.pin), &allowed)?;
    part(&key("link"), &link.link)?;
    point(&key("com"), &link.com)?;
    check_range(&key("max_angle_deg"), link.max_angle_deg, 0.1, 90.0)
}

/// Checks that the centers of mass of the links are between the first and the last wheel.
fn inside(spec: &VehicleSpec, own: &RockerBogie) -> Check {
    let places = || spec.axles.iter().map(Axle::wheel_x);
    let rear = places().fold(f64::INFINITY, f64::min);
    let front = places().fold(f64::NEG_INFINITY, f64::max);
    for (name, link) in ["rocker", "bogie"].into_iter().zip(own.links()) {
        let key = format!("rocker_bogie.{name}.com");
        let allowed = format!("between the first and the last wheel, x from {rear} to {front}");
        let within = link.com[0] > rear && link.com[0] < front;
        require(within, &key, list(&link.com), &allowed)?;
    }
    Ok(())
}
