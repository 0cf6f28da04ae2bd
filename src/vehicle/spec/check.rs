//! Which figures make a vehicle.

use super::{
    AxleLocation, Chassis, Damper, Differential, FinalDrive, Part, Point, RigidTyre, Spring,
    Steering, Suspension, VehicleSpec,
};
use crate::curve::Curve;
use crate::vehicle::powertrain::Powertrain;
use crate::vehicle::tyre::{SlipCurve, TMeasy};

/// Why a vehicle file is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The text is no TOML, or its keys are not those of a vehicle.
    #[error("{what}")]
    Syntax {
        /// The reader's message, with line and column.
        what: String,
    },
    /// A figure that is not allowed.
    #[error("{key} = {value}: must be {allowed}")]
    Value {
        /// Path of the key.
        key: String,
        /// Its value.
        value: String,
        /// What is allowed.
        allowed: String,
    },
}

/// The reader's error, with the nearest name where one is not known.
pub(super) fn syntax(error: &toml::de::Error) -> SpecError {
    let what = error.to_string();
    let what = what.trim_end();
    match nearest_name(error.message()) {
        Some(name) => SpecError::Syntax { what: format!("{what}\ndid you mean `{name}`?") },
        None => SpecError::Syntax { what: what.to_owned() },
    }
}

/// In serde's "unknown field `a`, expected one of `b`, `c`" the one nearest to the first.
fn nearest_name(message: &str) -> Option<&str> {
    if !message.starts_with("unknown ") {
        return None;
    }
    let mut names = message.split('`').skip(1).step_by(2);
    let unknown = names.next()?;
    names
        .map(|name| (strsim::damerau_levenshtein(unknown, name), name))
        .min()
        .filter(|(distance, _)| *distance <= 3)
        .map(|(_, name)| name)
}

/// The outcome of one check.
pub(super) type Check = Result<(), SpecError>;

fn refuse(key: &str, value: impl ToString, allowed: impl ToString) -> Check {
    Err(SpecError::Value {
        key: key.to_owned(),
        value: value.to_string(),
        allowed: allowed.to_string(),
    })
}

pub(super) fn require(holds: bool, key: &str, value: impl ToString, allowed: &str) -> Check {
    if holds { Ok(()) } else { refuse(key, value, allowed) }
}

pub(super) fn positive(key: &str, value: f64) -> Check {
    require(value.is_finite() && value > 0.0, key, value, "finite and above 0")
}

pub(super) fn not_negative(key: &str, value: f64) -> Check {
    require(value.is_finite() && value >= 0.0, key, value, "finite and not below 0")
}

pub(super) fn within(key: &str, value: f64, low: f64, high: f64) -> Check {
    let allowed = format!("from {low} to {high}");
    require(value >= low && value <= high, key, value, &allowed)
}

pub(super) fn point(key: &str, value: &Point) -> Check {
    require(value.iter().all(|x| x.is_finite()), key, list(value), "finite")
}

pub(super) fn list(values: &[f64]) -> String {
    format!("[{}]", values.iter().map(f64::to_string).collect::<Vec<_>>().join(", "))
}

pub(super) fn apart(key: &str, a: &Point, b: &Point) -> Check {
    let distance = (0..3).map(|i| (a[i] - b[i]) * (a[i] - b[i])).sum::<f64>().sqrt();
    require(distance > 1e-6, key, list(a), "apart from the other end")
}

/// Moments of inertia that a rigid body can have.
pub(super) fn inertia(key: &str, moments: &Point) -> Check {
    let [x, y, z] = *moments;
    require(
        moments.iter().all(|m| m.is_finite() && *m > 0.0),
        key,
        list(moments),
        "finite and above 0",
    )?;
    // rounded data may miss the bound by a little
    let slack = 1.0 + 1e-3;
    require(
        x <= slack * (y + z) && y <= slack * (x + z) && z <= slack * (x + y),
        key,
        list(moments),
        "moments of a rigid body: none above the sum of the others",
    )
}

pub(super) fn part(key: &str, part: &Part) -> Check {
    positive(&format!("{key}.mass"), part.mass)?;
    require(
        part.inertia.iter().all(|m| m.is_finite() && *m > 0.0),
        &format!("{key}.inertia"),
        list(&part.inertia),
        "finite and above 0",
    )?;
    // links and axles are given with rounded moments of slender bodies
    super::plausible::rigid(key, part.mass, &part.inertia, 1.2)
}

/// A force that does not fall as the length grows.
fn rising(key: &str, curve: &Curve) -> Check {
    let falls = curve.points().windows(2).find(|pair| pair[1][1] < pair[0][1]);
    match falls {
        Some(pair) => refuse(key, list(&pair[1]), "a force that does not fall as x grows"),
        None => Ok(()),
    }
}

impl VehicleSpec {
    /// Refuses figures that make no vehicle.
    ///
    /// # Errors
    ///
    /// [`SpecError::Value`] for the first offending figure, in the order of the file.
    pub fn check(&self) -> Result<(), SpecError> {
        require(self.format == 1, "format", self.format, "1")?;
        require(!self.name.trim().is_empty(), "name", "''", "given")?;
        positive("wheelbase", self.wheelbase)?;
        chassis(&self.chassis)?;
        self.check_axles()?;
        self.check_steering()?;
        self.check_wheels()?;
        let centre = &self.driveline.centre;
        differential("driveline.centre", centre)?;
        not_negative("driveline.driveshaft_inertia", self.driveline.driveshaft_inertia)?;
        powertrain(&self.powertrain)?;
        super::plausible::figures(self)?;
        self.check_geometry()
    }

    fn check_axles(&self) -> Check {
        require(
            (2..=16).contains(&self.axles.len()),
            "axles",
            format!("{} axles", self.axles.len()),
            "from 2 to 16 axles",
        )?;
        for (index, axle) in self.axles.iter().enumerate() {
            let key = format!("axles[{index}]");
            require(!axle.name.trim().is_empty(), &format!("{key}.name"), "''", "given")?;
            if let Some(other) = self.axles[..index].iter().find(|other| other.name == axle.name) {
                return refuse(&format!("{key}.name"), &other.name, "unique");
            }
            point(&format!("{key}.position"), &axle.position)?;
            if index > 0 {
                let before = self.axles[index - 1].position[0];
                let place = format!("{key}.position");
                let allowed = format!("behind the axle before it (x below {before})");
                require(axle.position[0] < before, &place, list(&axle.position), &allowed)?;
            }
            not_negative(&format!("{key}.brake_torque"), axle.brake_torque)?;
            suspension(&format!("{key}.suspension"), &axle.suspension)?;
            spring(&format!("{key}.spring"), &axle.spring)?;
            damper(&format!("{key}.damper"), &axle.damper)?;
            match &axle.final_drive {
                Some(drive) => final_drive(&format!("{key}.final_drive"), drive)?,
                None if self.is_driven(index) => {
                    let allowed = format!("given, because driveline.layout drives '{}'", axle.name);
                    return refuse(&format!("{key}.final_drive"), "absent", allowed);
                }
                None => {}
            }
        }
        Ok(())
    }

    fn check_steering(&self) -> Check {
        let steered = self.axles.iter().any(|axle| axle.steered);
        let Some(steering) = &self.steering else {
            return require(!steered, "steering", "absent", "given, because an axle is steered");
        };
        require(steered, "steering", "given", "absent, or an axle must be steered")?;
        match steering {
            Steering::PitmanArm(s) => {
                let key = "steering.pitman_arm";
                part(&format!("{key}.link"), &s.link)?;
                part(&format!("{key}.arm"), &s.arm)?;
                let p = &s.points;
                apart(&format!("{key}.points.arm_link"), &p.arm_link, &p.arm_chassis)?;
                apart(&format!("{key}.points.idler_link"), &p.idler_link, &p.idler_chassis)?;
                within(&format!("{key}.max_angle_deg"), s.max_angle_deg, 0.1, 89.0)?;
                wheel_angle(key, s.max_wheel_angle_deg)
            }
            Steering::RackPinion(s) => {
                let key = "steering.rack_pinion";
                part(&format!("{key}.rack"), &s.rack)?;
                positive(&format!("{key}.pinion_radius"), s.pinion_radius)?;
                within(&format!("{key}.max_angle_deg"), s.max_angle_deg, 0.1, 1080.0)?;
                wheel_angle(key, s.max_wheel_angle_deg)
            }
            Steering::Direct(s) => wheel_angle("steering.direct", s.max_wheel_angle_deg),
        }
    }

    fn check_wheels(&self) -> Check {
        let (wheel, tyre) = (&self.wheel, &self.tyre);
        positive("wheel.mass", wheel.mass)?;
        inertia("wheel.inertia", &wheel.inertia)?;
        positive("wheel.rim_radius", wheel.rim_radius)?;
        positive("wheel.rim_width", wheel.rim_width)?;
        positive("tyre.mass", tyre.mass)?;
        inertia("tyre.inertia", &tyre.inertia)?;
        rigid_tyre(&tyre.rigid, wheel.rim_radius)?;
        handling(&tyre.handling)
    }
}

pub(super) fn chassis(chassis: &Chassis) -> Check {
    positive("chassis.mass", chassis.mass)?;
    inertia("chassis.inertia", &chassis.inertia)?;
    point("chassis.products", &chassis.products)?;
    if let Some(belly) = &chassis.belly {
        point("chassis.belly.centre", &belly.centre)?;
        positive("chassis.belly.length", belly.length)?;
        positive("chassis.belly.width", belly.width)?;
    }
    if let Some(footprint) = &chassis.footprint {
        within("chassis.footprint.front", footprint.front, -50.0, 50.0)?;
        within("chassis.footprint.rear", footprint.rear, -50.0, 50.0)?;
        positive("chassis.footprint.width", footprint.width)?;
        require(
            footprint.rear < footprint.front,
            "chassis.footprint.rear",
            footprint.rear,
            &format!("below front ({})", footprint.front),
        )?;
    }
    point("chassis.com", &chassis.com)
}

fn wheel_angle(key: &str, degrees: f64) -> Check {
    within(&format!("{key}.max_wheel_angle_deg"), degrees, 0.1, 60.0)
}

fn suspension(key: &str, suspension: &Suspension) -> Check {
    let outward = |key: &str, spindle: &Point| {
        require(spindle[1] > 0.0, key, list(spindle), "on the left (y above 0)")
    };
    match suspension {
        Suspension::DoubleWishbone(s) => {
            let key = format!("{key}.double_wishbone");
            let at = |name: &str| format!("{key}.points.{name}");
            let p = &s.points;
            outward(&at("spindle"), &p.spindle)?;
            apart(&at("upper_arm_front"), &p.upper_arm_front, &p.upper_arm_back)?;
            apart(&at("lower_arm_front"), &p.lower_arm_front, &p.lower_arm_back)?;
            apart(&at("upper_arm_outer"), &p.upper_arm_outer, &p.upper_arm_front)?;
            apart(&at("lower_arm_outer"), &p.lower_arm_outer, &p.lower_arm_front)?;
            apart(&at("damper_arm"), &p.damper_arm, &p.damper_chassis)?;
            apart(&at("spring_arm"), &p.spring_arm, &p.spring_chassis)?;
            apart(&at("tie_rod_upright"), &p.tie_rod_upright, &p.tie_rod_chassis)?;
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
        Suspension::TrailingArm(s) => {
            let key = format!("{key}.trailing_arm");
            let at = |name: &str| format!("{key}.points.{name}");
            let p = &s.points;
            outward(&at("spindle"), &p.spindle)?;
            apart(&at("pivot_outer"), &p.pivot_outer, &p.pivot_inner)?;
            apart(&at("damper_arm"), &p.damper_arm, &p.damper_chassis)?;
            apart(&at("spring_arm"), &p.spring_arm, &p.spring_chassis)?;
            part(&format!("{key}.arm"), &s.arm)?;
            part(&format!("{key}.spindle"), &s.spindle)
        }
        Suspension::SolidAxle(s) => {
            let key = format!("{key}.solid_axle");
            let at = |name: &str| format!("{key}.points.{name}");
            let p = &s.points;
            outward(&at("spindle"), &p.spindle)?;
            apart(&at("damper_beam"), &p.damper_beam, &p.damper_chassis)?;
            apart(&at("spring_beam"), &p.spring_beam, &p.spring_chassis)?;
            part(&format!("{key}.beam"), &s.beam)?;
            part(&format!("{key}.spindle"), &s.spindle)?;
            axle_location(&format!("{key}.location"), &s.location)?;
            match &s.knuckle {
                Some(knuckle) => {
                    part(&format!("{key}.knuckle.part"), &knuckle.part)?;
                    let upper = format!("{key}.knuckle.kingpin_upper");
                    apart(&upper, &knuckle.kingpin_upper, &knuckle.kingpin_lower)
                }
                None => Ok(()),
            }
        }
    }
}

fn axle_location(key: &str, location: &AxleLocation) -> Check {
    match location {
        AxleLocation::Links(links) => {
            let key = format!("{key}.links");
            apart(&format!("{key}.upper_beam"), &links.upper_beam, &links.upper_chassis)?;
            apart(&format!("{key}.lower_beam"), &links.lower_beam, &links.lower_chassis)?;
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

fn spring(key: &str, spring: &Spring) -> Check {
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

fn damper(key: &str, damper: &Damper) -> Check {
    not_negative(&format!("{key}.compression"), damper.compression)?;
    not_negative(&format!("{key}.rebound"), damper.rebound)?;
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

fn differential(key: &str, differential: &Differential) -> Check {
    not_negative(&format!("{key}.inertia"), differential.inertia)?;
    not_negative(&format!("{key}.lock_torque"), differential.lock_torque)
}

fn final_drive(key: &str, drive: &FinalDrive) -> Check {
    positive(&format!("{key}.ratio"), drive.ratio)?;
    differential(&format!("{key}.differential"), &drive.differential)?;
    not_negative(&format!("{key}.shaft_inertia"), drive.shaft_inertia)?;
    not_negative(&format!("{key}.half_shaft_inertia"), drive.half_shaft_inertia)
}

fn rigid_tyre(tyre: &RigidTyre, rim_radius: f64) -> Check {
    let outline = &tyre.outline;
    let key = "tyre.rigid.outline";
    require(outline.len() >= 2, key, format!("{} points", outline.len()), "2 points or more")?;
    require(
        outline[0].half_width == 0.0,
        &format!("{key}[0].half_width"),
        outline[0].half_width,
        "0",
    )?;
    for (index, pair) in outline.windows(2).enumerate() {
        let at = format!("{key}[{}].half_width", index + 1);
        let increases = pair[1].half_width > pair[0].half_width;
        require(increases, &at, pair[1].half_width, "above the one before it")?;
    }
    for (index, point) in outline.iter().enumerate() {
        let above = point.radius.is_finite() && point.radius > rim_radius;
        let allowed = format!("above the rim's radius ({rim_radius})");
        require(above, &format!("{key}[{index}].radius"), point.radius, &allowed)?;
    }
    if let Some(grousers) = &tyre.grousers {
        let key = "tyre.rigid.grousers";
        let count = (1..=200).contains(&grousers.count);
        require(count, &format!("{key}.count"), grousers.count, "from 1 to 200")?;
        positive(&format!("{key}.height"), grousers.height)?;
        positive(&format!("{key}.thickness"), grousers.thickness)?;
    }
    if let Some(soil) = &tyre.soil {
        let key = "tyre.rigid.soil";
        within(&format!("{key}.area_ratio"), soil.area_ratio, 0.0, 1.0)?;
        not_negative(&format!("{key}.cohesion"), soil.cohesion)?;
        not_negative(&format!("{key}.friction"), soil.friction)?;
        positive(&format!("{key}.shear_modulus"), soil.shear_modulus)?;
    }
    Ok(())
}

fn handling(tyre: &TMeasy) -> Check {
    let key = "tyre.handling";
    positive(&format!("{key}.unloaded_radius"), tyre.unloaded_radius)?;
    positive(&format!("{key}.width"), tyre.width)?;
    positive(&format!("{key}.vertical_stiffness"), tyre.vertical_stiffness)?;
    not_negative(&format!("{key}.vertical_progression"), tyre.vertical_progression)?;
    not_negative(&format!("{key}.vertical_damping"), tyre.vertical_damping)?;
    positive(&format!("{key}.nominal_load"), tyre.nominal_load)?;
    require(
        tyre.max_load >= tyre.nominal_load && tyre.max_load <= 3.8 * tyre.nominal_load,
        &format!("{key}.max_load"),
        tyre.max_load,
        "from 1 to 3.8 times the nominal load, where the load interpolation still rises",
    )?;
    within(&format!("{key}.friction"), tyre.friction, 0.05, 2.0)?;
    within(&format!("{key}.rolling_resistance"), tyre.rolling_resistance, 0.0, 0.5)?;
    for (name, pair) in
        [("carcass_stiffness", tyre.carcass_stiffness), ("carcass_damping", tyre.carcass_damping)]
    {
        let allowed = "finite and above 0";
        let fine = pair.iter().all(|x| x.is_finite() && *x > 0.0);
        require(fine, &format!("{key}.{name}"), list(&pair), allowed)?;
    }
    slip_curve(&format!("{key}.longitudinal"), &tyre.longitudinal)?;
    slip_curve(&format!("{key}.lateral"), &tyre.lateral)?;
    for load in 0..2 {
        positive(&format!("{key}.trail.zero_slip[{load}]"), tyre.trail.zero_slip[load])?;
        let fine = tyre.trail.end_slip[load] >= tyre.trail.zero_slip[load];
        let end = format!("{key}.trail.end_slip[{load}]");
        require(fine, &end, tyre.trail.end_slip[load], "not below zero_slip")?;
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
            &format!("above 0 and not above max_force ({})", curve.max_force[load]),
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

pub(super) fn powertrain(powertrain: &Powertrain) -> Check {
    let engine = &powertrain.engine;
    positive("powertrain.engine.inertia", engine.inertia)?;
    if let Some(fuel) = engine.fuel {
        let key = "powertrain.engine.fuel.efficiency";
        require(fuel.efficiency > 0.0 && fuel.efficiency <= 1.0, key, fuel.efficiency, "0 to 1")?;
        positive("powertrain.engine.fuel.heating_value", fuel.heating_value)?;
    }
    for &[rpm, torque] in engine.losses_rpm.points() {
        let brakes = rpm <= 0.0 || torque <= 0.0;
        require(brakes, "powertrain.engine.losses_rpm", list(&[rpm, torque]), "braking")?;
    }
    let stop = engine.full_throttle_rpm.points().last().map_or(0.0, |point| point[1])
        + engine.losses_rpm.points().last().map_or(0.0, |point| point[1]);
    let key = "powertrain.engine.full_throttle_rpm";
    require(
        stop < 0.0,
        key,
        stop,
        "below 0 with the losses at the highest speed, or it runs away",
    )?;

    let converter = &powertrain.converter;
    let tables =
        [("capacity", &converter.capacity, 1e-9), ("torque_ratio", &converter.torque_ratio, 0.1)];
    for (name, curve, least) in tables {
        let key = format!("powertrain.converter.{name}");
        let ends = [curve.points()[0][0], curve.points()[curve.points().len() - 1][0]];
        require(ends == [0.0, 1.0], &key, list(&ends), "given from speed ratio 0 to 1")?;
        for point in curve.points() {
            require(point[1] >= least, &key, list(point), "above 0")?;
        }
    }
    let last = converter.torque_ratio.value(1.0);
    require(last == 1.0, "powertrain.converter.torque_ratio", last, "1 at speed ratio 1")?;

    let gearbox = &powertrain.gearbox;
    let key = "powertrain.gearbox";
    require(!gearbox.ratios.is_empty(), &format!("{key}.ratios"), "[]", "1 gear or more")?;
    for (index, pair) in gearbox.ratios.windows(2).enumerate() {
        let at = format!("{key}.ratios[{}]", index + 1);
        require(pair[1] > pair[0], &at, pair[1], "above the gear before it")?;
    }
    positive(&format!("{key}.ratios[0]"), gearbox.ratios[0])?;
    require(gearbox.reverse < 0.0, &format!("{key}.reverse"), gearbox.reverse, "below 0")?;
    positive(&format!("{key}.downshift_rpm"), gearbox.downshift_rpm)?;
    require(
        gearbox.upshift_rpm > gearbox.downshift_rpm,
        &format!("{key}.upshift_rpm"),
        gearbox.upshift_rpm,
        &format!("above downshift_rpm ({})", gearbox.downshift_rpm),
    )?;
    within(&format!("{key}.latency"), gearbox.latency, 0.0, 60.0)?;
    within(&format!("{key}.shift_time"), gearbox.shift_time, 0.0, 10.0)?;
    positive(&format!("{key}.input_inertia"), gearbox.input_inertia)?;
    not_negative(&format!("{key}.output_inertia"), gearbox.output_inertia)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The HMMWV's file with the first `from` turned into `to`.
    fn altered(from: &str, to: &str) -> Result<VehicleSpec, SpecError> {
        let text = crate::vehicle::catalogue()[0].text;
        assert!(text.contains(from), "the file has no '{from}'");
        VehicleSpec::from_toml(&text.replacen(from, to, 1))
    }

    #[test]
    fn refuses_figures_that_make_no_vehicle() {
        let cases = [
            ("format = 1", "format = 2", "format = 2: must be 1"),
            ("name = \"HMMWV\"", "name = \" \"", "name = '': must be given"),
            ("wheelbase = 3.378", "wheelbase = -1", "wheelbase = -1: must be finite and above 0"),
            ("mass = 2086.52", "mass = nan", "chassis.mass = NaN: must be finite and above 0"),
            (
                "inertia = [1078.52,",
                "inertia = [9078.52,",
                "chassis.inertia = [9078.52, 2955.66, 3570.2]: must be moments of a rigid body: \
                 none above the sum of the others",
            ),
            ("name = \"rear\"", "name = \"front\"", "axles[1].name = front: must be unique"),
            (
                "position = [-1.688965, ",
                "position = [2.0, ",
                "axles[1].position = [2, 0, 0]: must be behind the axle before it (x below 1.688965)",
            ),
            (
                "brake_torque = 4000.0",
                "brake_torque = -4000.0",
                "axles[0].brake_torque = -4000: must be finite and not below 0",
            ),
            (
                "spindle = [-0.040386, 0.909701,",
                "spindle = [-0.040386, -0.909701,",
                "axles[0].suspension.double_wishbone.points.spindle = \
                 [-0.040386, -0.909701, -0.026289]: must be on the left (y above 0)",
            ),
            (
                "upper_arm = { mass = 5.813",
                "upper_arm = { mass = 0.0",
                "axles[0].suspension.double_wishbone.upper_arm.mass = 0: must be finite and above 0",
            ),
            (
                "[0.2, 322095.536]",
                "[0.2, 3220.0]",
                "axles[0].spring.tension = [0.2, 3220]: must be a force that does not fall as x grows",
            ),
            (
                "max_length = 0.3\n",
                "max_length = 0.1\n",
                "axles[0].spring.stops.max_length = 0.1: must be above min_length (0.15)",
            ),
            (
                "ratio = 0.2",
                "ratio = 0.0",
                "axles[0].final_drive.ratio = 0: must be finite and above 0",
            ),
            (
                "steered = true",
                "steered = false",
                "steering = given: must be absent, or an axle must be steered",
            ),
            (
                "max_angle_deg = 30.0",
                "max_angle_deg = 0.5236e3",
                "steering.pitman_arm.max_angle_deg = 523.6: must be from 0.1 to 89",
            ),
            (
                "{ half_width = 0.08,",
                "{ half_width = 0.0,",
                "tyre.rigid.outline[1].half_width = 0: must be above the one before it",
            ),
            (
                "radius = 0.412 }",
                "radius = 0.2 }",
                "tyre.rigid.outline[10].radius = 0.2: must be above the rim's radius (0.268)",
            ),
            (
                "sliding_slip = [0.66667,",
                "sliding_slip = [0.1,",
                "tyre.handling.longitudinal.sliding_slip[0] = 0.1: must be above max_slip (0.10811)",
            ),
            (
                "    [2700.0, -400.0],",
                "    [2700.0, 400.0],",
                "powertrain.engine.full_throttle_rpm = 310: must be below 0 with the losses at the \
                 highest speed, or it runs away",
            ),
            (
                "    [1.0, 35.0],",
                "    [0.95, 35.0],",
                "powertrain.converter.capacity = [0, 0.95]: must be given from speed ratio 0 to 1",
            ),
            (
                "ratios = [0.2, 0.4, 0.8]",
                "ratios = [0.4, 0.2, 0.8]",
                "powertrain.gearbox.ratios[1] = 0.2: must be above the gear before it",
            ),
            (
                "ratios = [0.2, 0.4, 0.8]",
                "ratios = []",
                "powertrain.gearbox.ratios = []: must be 1 gear or more",
            ),
            (
                "upshift_rpm = 2500.0",
                "upshift_rpm = 1000.0",
                "powertrain.gearbox.upshift_rpm = 1000: must be above downshift_rpm (1200)",
            ),
        ];
        for (from, to, message) in cases {
            let error = altered(from, to).expect_err(to);
            assert_eq!(error.to_string(), message, "after '{to}'");
        }
    }

    #[test]
    fn a_driven_axle_needs_a_final_drive() {
        let mut spec = crate::vehicle::find("hmmwv").unwrap();
        spec.axles[0].final_drive = None;
        assert_eq!(
            spec.check().unwrap_err().to_string(),
            "axles[0].final_drive = absent: must be given, because driveline.layout drives 'front'"
        );
        spec.driveline.layout = super::super::Layout::Rwd;
        assert_eq!(spec.check(), Ok(()));
    }

    #[test]
    fn unknown_keys_and_wrong_types_name_line_and_key() {
        let unknown = altered("brake_torque =", "brake_torqe =").unwrap_err().to_string();
        assert!(unknown.contains("unknown field `brake_torqe`"), "{unknown}");
        assert!(unknown.contains("did you mean `brake_torque`?"), "{unknown}");
        assert!(unknown.contains("line "), "{unknown}");
        let nested = altered("upper_arm_front =", "upper_arm_frnt =").unwrap_err().to_string();
        assert!(nested.contains("did you mean `upper_arm_front`?"), "{nested}");
        let text = crate::vehicle::catalogue()[0].text;
        let kind = VehicleSpec::from_toml(&text.replace("double_wishbone", "double_wishbon"))
            .unwrap_err()
            .to_string();
        assert!(kind.contains("did you mean `double_wishbone`?"), "{kind}");
        let typed = altered("mass = 2086.52", "mass = \"heavy\"").unwrap_err().to_string();
        assert!(typed.contains("expected") && typed.contains("line "), "{typed}");
        let curve = altered("[0.2, 322095.536]", "[0.1, 322095.536]").unwrap_err().to_string();
        assert!(curve.contains("abscissae must increase"), "{curve}");
    }

    #[test]
    fn the_schema_describes_every_key() {
        let schema = serde_json::to_value(schemars::schema_for!(VehicleSpec)).unwrap();
        let definitions = schema["$defs"].as_object().unwrap();
        let roots = definitions.values().chain(std::iter::once(&schema));
        let mut count = 0;
        for root in roots {
            let Some(properties) = root["properties"].as_object() else { continue };
            for (key, property) in properties {
                assert!(property["description"].is_string(), "'{key}' has no description");
                count += 1;
            }
        }
        assert!(count > 100);
    }
}
