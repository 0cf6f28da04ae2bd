//! Checks of the parameters of suspensions, springs and dampers.

use super::super::{AntiRollBar, AxleLocation, Damper, Point, Spring, Suspension};
use super::rule::{
    Check, list, not_negative, part, point, positive, require, require_distinct, rising,
};

/// Checks that a point is on the left.
fn outward(key: &str, spindle: &Point) -> Check {
    require(spindle[1] > 0.0, key, list(spindle), "on the left (y above 0)")
}

pub(super) fn suspension(key: &str, suspension: &Suspension) -> Check {
    match suspension {
        Suspension::DoubleWishbone(s) => {
            let key = format!("{key}.double_wishbone");
            let at = |name: &str| format!("{key}.points.{name}");
            let p = &s.points;
            outward(&at("spindle"), &p.spindle)?;
            require_distinct(&at("upper_arm_front"), &p.upper_arm_front, &p.upper_arm_back)?;
            require_distinct(&at("lower_arm_front"), &p.lower_arm_front, &p.lower_arm_back)?;
            require_distinct(&at("upper_arm_outer"), &p.upper_arm_outer, &p.upper_arm_front)?;
            require_distinct(&at("lower_arm_outer"), &p.lower_arm_outer, &p.lower_arm_front)?;
            require_distinct(&at("damper_arm"), &p.damper_arm, &p.damper_chassis)?;
            require_distinct(&at("spring_arm"), &p.spring_arm, &p.spring_chassis)?;
            require_distinct(&at("tie_rod_upright"), &p.tie_rod_upright, &p.tie_rod_chassis)?;
            let upper = p.upper_arm_outer[2] > p.lower_arm_outer[2];
            require(
                upper,
                &at("upper_arm_outer"),
                list(&p.upper_arm_outer),
                "above lower_arm_outer",
            )?;
            part(&format!("{key}.upper_arm"), &s.upper_arm)?;
            part(&format!("{key}.lower_arm"), &s.lower_arm)?;
            part(&format!("{key}.upright"), &s.upright)?;
            part(&format!("{key}.spindle"), &s.spindle)?;
            s.tie_rod.map_or(Ok(()), |rod| part(&format!("{key}.tie_rod"), &rod))
        }
        Suspension::SingleWishbone(s) => {
            let key = format!("{key}.single_wishbone");
            let at = |name: &str| format!("{key}.points.{name}");
            let p = &s.points;
            outward(&at("spindle"), &p.spindle)?;
            require_distinct(&at("arm_front"), &p.arm_front, &p.arm_back)?;
            require_distinct(&at("kingpin_upper"), &p.kingpin_upper, &p.kingpin_lower)?;
            require_distinct(&at("kingpin_upper"), &p.kingpin_upper, &p.arm_front)?;
            require_distinct(&at("damper_arm"), &p.damper_arm, &p.damper_chassis)?;
            require_distinct(&at("spring_arm"), &p.spring_arm, &p.spring_chassis)?;
            require_distinct(&at("tie_rod_upright"), &p.tie_rod_upright, &p.tie_rod_chassis)?;
            part(&format!("{key}.arm"), &s.arm)?;
            part(&format!("{key}.upright"), &s.upright)?;
            part(&format!("{key}.spindle"), &s.spindle)
        }
        Suspension::MacphersonStrut(s) => {
            let key = format!("{key}.macpherson_strut");
            let at = |name: &str| format!("{key}.points.{name}");
            let p = &s.points;
            outward(&at("spindle"), &p.spindle)?;
            require_distinct(&at("arm_front"), &p.arm_front, &p.arm_back)?;
            require_distinct(&at("arm_outer"), &p.arm_outer, &p.arm_front)?;
            require_distinct(&at("strut_upright"), &p.strut_upright, &p.strut_chassis)?;
            require_distinct(&at("damper_upright"), &p.damper_upright, &p.damper_chassis)?;
            require_distinct(&at("spring_upright"), &p.spring_upright, &p.spring_chassis)?;
            require_distinct(&at("tie_rod_upright"), &p.tie_rod_upright, &p.tie_rod_chassis)?;
            let above = p.strut_chassis[2] > p.arm_outer[2];
            require(above, &at("strut_chassis"), list(&p.strut_chassis), "above arm_outer")?;
            part(&format!("{key}.arm"), &s.arm)?;
            part(&format!("{key}.upright"), &s.upright)?;
            part(&format!("{key}.rod"), &s.rod)?;
            part(&format!("{key}.spindle"), &s.spindle)
        }
        Suspension::TrailingArm(s) => {
            let key = format!("{key}.trailing_arm");
            let at = |name: &str| format!("{key}.points.{name}");
            let p = &s.points;
            outward(&at("spindle"), &p.spindle)?;
            require_distinct(&at("pivot_outer"), &p.pivot_outer, &p.pivot_inner)?;
            require_distinct(&at("damper_arm"), &p.damper_arm, &p.damper_chassis)?;
            require_distinct(&at("spring_arm"), &p.spring_arm, &p.spring_chassis)?;
            part(&format!("{key}.arm"), &s.arm)?;
            part(&format!("{key}.spindle"), &s.spindle)
        }
        Suspension::SolidAxle(s) => {
            let key = format!("{key}.solid_axle");
            let at = |name: &str| format!("{key}.points.{name}");
            let p = &s.points;
            outward(&at("spindle"), &p.spindle)?;
            require_distinct(&at("damper_beam"), &p.damper_beam, &p.damper_chassis)?;
            require_distinct(&at("spring_beam"), &p.spring_beam, &p.spring_chassis)?;
            part(&format!("{key}.beam"), &s.beam)?;
            part(&format!("{key}.spindle"), &s.spindle)?;
            axle_location(&format!("{key}.location"), &s.location)?;
            match &s.knuckle {
                Some(knuckle) => {
                    part(&format!("{key}.knuckle.part"), &knuckle.part)?;
                    let upper = format!("{key}.knuckle.kingpin_upper");
                    require_distinct(&upper, &knuckle.kingpin_upper, &knuckle.kingpin_lower)
                }
                None => Ok(()),
            }
        }
        Suspension::Rigid(s) => {
            let key = format!("{key}.rigid");
            outward(&format!("{key}.center"), &s.center)?;
            part(&format!("{key}.spindle"), &s.spindle)?;
            let Some(knuckle) = &s.knuckle else { return Ok(()) };
            part(&format!("{key}.knuckle.part"), &knuckle.part)?;
            point(&format!("{key}.knuckle.com"), &knuckle.com)?;
            outward(&format!("{key}.knuckle.kingpin"), &knuckle.kingpin)
        }
    }
}

/// Checks that the wheels of a steered axle, at `key`, can be steered.
pub(super) fn steerable(key: &str, suspension: &Suspension) -> Check {
    match suspension {
        Suspension::SolidAxle(s) => {
            let key = format!("{key}.suspension.solid_axle.knuckle");
            require(s.knuckle.is_some(), &key, "absent", "given, because the axle is steered")
        }
        Suspension::Rigid(s) => {
            let key = format!("{key}.suspension.rigid.knuckle");
            require(s.knuckle.is_some(), &key, "absent", "given, because the axle is steered")
        }
        Suspension::TrailingArm(_) => {
            let allowed = "false, because trailing arms cannot be steered";
            require(false, &format!("{key}.steered"), true, allowed)
        }
        _ => Ok(()),
    }
}

pub(super) fn anti_roll_bar(key: &str, bar: &AntiRollBar, suspension: &Suspension) -> Check {
    let independent = !matches!(suspension, Suspension::SolidAxle(_));
    require(
        independent,
        key,
        "given",
        "absent for a solid axle: an anti-roll bar connects independent arms",
    )?;
    not_negative(&format!("{key}.stiffness"), bar.stiffness)?;
    not_negative(&format!("{key}.damping"), bar.damping)?;
    positive(&format!("{key}.lever"), bar.lever)?;
    let aside = bar.drop_link[1] > 0.0;
    let place = list(&bar.drop_link);
    require(aside, &format!("{key}.drop_link"), place, "on the left (y above 0)")
}

fn axle_location(key: &str, location: &AxleLocation) -> Check {
    match location {
        AxleLocation::Links(links) => {
            let key = format!("{key}.links");
            require_distinct(
                &format!("{key}.upper_beam"),
                &links.upper_beam,
                &links.upper_chassis,
            )?;
            require_distinct(
                &format!("{key}.lower_beam"),
                &links.lower_beam,
                &links.lower_chassis,
            )?;
            let splay = (links.upper_beam[1] - links.upper_chassis[1]).abs() > 1e-3;
            require(
                splay || links.panhard.is_some(),
                &format!("{key}.panhard"),
                "absent",
                "given, because the upper rods are not splayed",
            )
        }
        AxleLocation::Leaf(leaf) => {
            let key = format!("{key}.leaf");
            positive(&format!("{key}.longitudinal_stiffness"), leaf.longitudinal_stiffness)?;
            positive(&format!("{key}.lateral_stiffness"), leaf.lateral_stiffness)?;
            positive(&format!("{key}.windup_stiffness"), leaf.windup_stiffness)?;
            not_negative(&format!("{key}.damping_time"), leaf.damping_time)
        }
    }
}

pub(super) fn spring(key: &str, spring: &Spring) -> Check {
    positive(&format!("{key}.free_length"), spring.free_length)?;
    rising(&format!("{key}.tension"), &spring.tension)?;
    let Some(stops) = &spring.stops else { return Ok(()) };
    positive(&format!("{key}.stops.min_length"), stops.min_length)?;
    require(
        stops.max_length > stops.min_length,
        &format!("{key}.stops.max_length"),
        stops.max_length,
        &format!("above min_length ({})", stops.min_length),
    )?;
    rising(&format!("{key}.stops.bump"), &stops.bump)?;
    rising(&format!("{key}.stops.rebound"), &stops.rebound)
}

pub(super) fn damper(key: &str, damper: &Damper) -> Check {
    not_negative(&format!("{key}.compression"), damper.compression)?;
    not_negative(&format!("{key}.rebound"), damper.rebound)?;
    damper.tension.as_ref().map_or(Ok(()), |curve| rising(&format!("{key}.tension"), curve))?;
    let Some(window) = &damper.window else { return Ok(()) };
    require(
        window.max_length > window.min_length,
        &format!("{key}.window.max_length"),
        window.max_length,
        &format!("above min_length ({})", window.min_length),
    )?;
    not_negative(&format!("{key}.window.compression_outside"), window.compression_outside)?;
    not_negative(&format!("{key}.window.rebound_outside"), window.rebound_outside)
}
