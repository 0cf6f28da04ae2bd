//! Checks of the parameters of a tire, on soil and on firm ground.

use super::super::{FlexibleTireSpec, RigidTire};
use super::rule::{Check, check_range, list, not_negative, positive, require};
use crate::inflation::{MOST_KPA, pascals};
use crate::tire::{SlipCurve, TMeasy};

pub(super) fn rigid_tire(tire: &RigidTire, rim_radius: f64) -> Check {
    let outline = &tire.outline;
    let key = "tire.rigid.outline";
    require(outline.len() >= 2, key, format!("{} points", outline.len()), "at least 2 points")?;
    require(
        outline[0].half_width == 0.0,
        &format!("{key}[0].half_width"),
        outline[0].half_width,
        "0",
    )?;
    for (index, pair) in outline.windows(2).enumerate() {
        let at = format!("{key}[{}].half_width", index + 1);
        let increases = pair[1].half_width > pair[0].half_width;
        require(increases, &at, pair[1].half_width, "above the previous one")?;
    }
    for (index, point) in outline.iter().enumerate() {
        let above = point.radius.is_finite() && point.radius > rim_radius;
        let allowed = format!("above the rim's radius ({rim_radius})");
        require(above, &format!("{key}[{index}].radius"), point.radius, &allowed)?;
    }
    if let Some(grousers) = &tire.grousers {
        let key = "tire.rigid.grousers";
        let count = (1..=200).contains(&grousers.count);
        require(count, &format!("{key}.count"), grousers.count, "from 1 to 200")?;
        positive(&format!("{key}.height"), grousers.height)?;
        let thickness = grousers.thickness;
        thickness.map_or(Ok(()), |own| positive(&format!("{key}.thickness"), own))?;
    }
    if let Some(soil) = &tire.soil {
        let key = "tire.rigid.soil";
        check_range(&format!("{key}.area_ratio"), soil.area_ratio, 0.0, 1.0)?;
        not_negative(&format!("{key}.cohesion"), soil.cohesion)?;
        not_negative(&format!("{key}.friction"), soil.friction)?;
        positive(&format!("{key}.shear_modulus"), soil.shear_modulus)?;
        let allowed = "absent with tire.rigid.soil, which gives the shear by numbers";
        require(tire.surface.is_none(), "tire.rigid.surface", "given", allowed)?;
    }
    Ok(())
}

fn inflation(key: &str, kpa: f64) -> Check {
    let allowed = pascals(kpa).err().map_or_else(String::new, |error| error.allowed());
    require(allowed.is_empty(), key, kpa, &allowed)
}

pub(super) fn flexible(tire: &FlexibleTireSpec, rigid: &RigidTire, wheels: usize) -> Check {
    let key = "tire.flexible";
    let radius = rigid.radius();
    let fine = tire.width > 0.0 && tire.width <= rigid.width() && tire.width.is_finite();
    let allowed = format!("above 0 and at most the width of its outline ({})", rigid.width());
    require(fine, &format!("{key}.width"), tire.width, &allowed)?;
    let fine = tire.section_height > 0.0 && tire.section_height < radius;
    let allowed = format!("above 0 and below the tire's radius ({radius})");
    require(fine, &format!("{key}.section_height"), tire.section_height, &allowed)?;
    require(
        rigid.grousers.is_none(),
        "tire.rigid.grousers",
        "given",
        "absent with tire.flexible: lugs are supported on rigid tires only",
    )?;
    let nominal = tire.nominal_inflation_kpa.as_ref();
    let nominal = nominal.map(|nominal| ("nominal_inflation_kpa", nominal));
    for (name, given) in [("inflation_kpa", &tire.inflation_kpa)].into_iter().chain(nominal) {
        let (key, given) = (format!("{key}.{name}"), given.all_kpa());
        let fine = [1, wheels / 2, wheels].contains(&given.len()) && !given.is_empty();
        let allowed =
            format!("one value, one per axle ({}) or one per wheel ({wheels})", wheels / 2);
        require(fine, &key, list(given), &allowed)?;
        given.iter().try_for_each(|kpa| inflation(&key, *kpa))?;
    }
    if let Some(central) = &tire.central_inflation {
        let [least, most] = central.range;
        let fine = (0.0..=most).contains(&least) && most <= MOST_KPA;
        let allowed = format!("two increasing values from 0 to {MOST_KPA} kPa");
        require(fine, &format!("{key}.central_inflation.range"), list(&central.range), &allowed)?;
        positive(&format!("{key}.central_inflation.rate"), central.rate)?;
    }
    for (index, point) in tire.load_deflection.iter().enumerate() {
        let at = |name: &str| format!("{key}.load_deflection[{index}].{name}");
        inflation(&at("inflation_kpa"), point.inflation_kpa)?;
        positive(&at("load"), point.load)?;
        let fine = point.deflection > 0.0 && point.deflection < tire.section_height;
        let allowed = format!("above 0 and below the section height ({})", tire.section_height);
        require(fine, &at("deflection"), point.deflection, &allowed)?;
    }
    match tire.ring(radius) {
        Ok(_) => Ok(()),
        Err(error) => require(
            false,
            &format!("{key}.load_deflection"),
            format!("{} points", tire.load_deflection.len()),
            &format!("points to which a tire belt can be fitted: {error}"),
        ),
    }
}

/// Largest difference between the radii of one tire on soil and on firm ground, relative to the
/// radius on soil. It is 5 % in the catalog, where the outline was measured on a mesh.
const RADIUS_TOLERANCE: f64 = 0.1;

pub(super) fn handling(tire: &TMeasy, rigid: &RigidTire) -> Check {
    let key = "tire.handling";
    check_range(&format!("{key}.unloaded_radius"), tire.unloaded_radius, 0.05, 3.0)?;
    let radius = rigid.radius();
    require(
        (tire.unloaded_radius - radius).abs() <= RADIUS_TOLERANCE * radius,
        &format!("{key}.unloaded_radius"),
        tire.unloaded_radius,
        &format!(
            "within 10 % of {radius}, the radius of tire.rigid.outline; `wheel_radius` of a scenario's \
             vehicle sets both"
        ),
    )?;
    positive(&format!("{key}.width"), tire.width)?;
    positive(&format!("{key}.vertical_stiffness"), tire.vertical_stiffness)?;
    not_negative(&format!("{key}.vertical_progression"), tire.vertical_progression)?;
    not_negative(&format!("{key}.vertical_damping"), tire.vertical_damping)?;
    positive(&format!("{key}.nominal_load"), tire.nominal_load)?;
    require(
        tire.max_load >= tire.nominal_load && tire.max_load <= 3.8 * tire.nominal_load,
        &format!("{key}.max_load"),
        tire.max_load,
        "from 1 to 3.8 times the nominal load, where the interpolated force still increases",
    )?;
    check_range(&format!("{key}.friction"), tire.friction, 0.05, 2.0)?;
    check_range(&format!("{key}.rolling_resistance"), tire.rolling_resistance, 0.0, 0.5)?;
    for (name, pair) in
        [("carcass_stiffness", tire.carcass_stiffness), ("carcass_damping", tire.carcass_damping)]
    {
        let allowed = "finite and above 0";
        let fine = pair.iter().all(|x| x.is_finite() && *x > 0.0);
        require(fine, &format!("{key}.{name}"), list(&pair), allowed)?;
    }
    slip_curve(&format!("{key}.longitudinal"), &tire.longitudinal)?;
    slip_curve(&format!("{key}.lateral"), &tire.lateral)?;
    for load in 0..2 {
        positive(&format!("{key}.trail.zero_slip[{load}]"), tire.trail.zero_slip[load])?;
        let fine = tire.trail.end_slip[load] >= tire.trail.zero_slip[load];
        let end = format!("{key}.trail.end_slip[{load}]");
        require(fine, &end, tire.trail.end_slip[load], "at least zero_slip")?;
    }
    Ok(())
}

fn slip_curve(key: &str, curve: &SlipCurve) -> Check {
    for load in 0..2 {
        let at = |name: &str| format!("{key}.{name}[{load}]");
        positive(&at("max_force"), curve.max_force[load])?;
        positive(&at("max_slip"), curve.max_slip[load])?;
        let least = 2.0 * curve.max_force[load] / curve.max_slip[load];
        require(
            curve.initial_slope[load] >= least,
            &at("initial_slope"),
            curve.initial_slope[load],
            &format!("at least 2 max_force / max_slip ({least:.1})"),
        )?;
        let sliding = curve.sliding_force[load];
        require(
            sliding > 0.0 && sliding <= curve.max_force[load],
            &at("sliding_force"),
            sliding,
            &format!("above 0 and at most max_force ({})", curve.max_force[load]),
        )?;
        require(
            curve.sliding_slip[load] > curve.max_slip[load],
            &at("sliding_slip"),
            curve.sliding_slip[load],
            &format!("above max_slip ({})", curve.max_slip[load]),
        )?;
    }
    Ok(())
}
