//! Checks of the parameters of a vehicle.

mod drive;
mod rear_frame;
mod rocker_bogie;
mod rule;
mod suspension;
mod tire;
mod trailer;

pub(super) use drive::powertrain;
pub(super) use rule::{
    Check, check_range, inertia, list, not_negative, part, point, positive, require,
    require_distinct, rigid,
};

use super::spec_error::SpecError;
use super::{Chassis, Steering, Tire, VehicleSpec, Wheel};
use rule::refuse;

impl VehicleSpec {
    /// Checks that the parameters define a valid vehicle.
    ///
    /// # Errors
    ///
    /// [`SpecError::Value`] for the first invalid parameter, in the order of the file.
    pub fn check(&self) -> Result<(), SpecError> {
        require(self.format == 1, "format", self.format, "1")?;
        require(!self.name.trim().is_empty(), "name", "''", "given")?;
        positive("wheelbase", self.wheelbase)?;
        chassis(&self.chassis)?;
        self.check_axles()?;
        rear_frame::rear_frame(self)?;
        self.check_steering()?;
        self.check_tandems()?;
        rocker_bogie::rocker_bogie(self)?;
        trailer::trailer(self)?;
        self.check_wheels()?;
        drive::drive(self)?;
        super::plausible::check_values(self)?;
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
                let allowed = format!("behind the previous axle (x below {before})");
                require(axle.position[0] < before, &place, list(&axle.position), &allowed)?;
            }
            if let Some(apart) = axle.twin_spacing {
                let width = self.tire_of(index).rigid.width();
                check_range(&format!("{key}.twin_spacing"), apart, width, 4.0 * width)?;
            }
            not_negative(&format!("{key}.brake_torque"), axle.brake_torque)?;
            if let Some(lag) = axle.brake_lag {
                let key = format!("{key}.brake_lag");
                require(lag > 0.0 && lag <= 5.0, &key, lag, "above 0 and up to 5 s")?;
            }
            if let Some(sensing) = &axle.load_sensing {
                let key = format!("{key}.load_sensing");
                check_range(&format!("{key}.unladen_share"), sensing.unladen_share, 0.0, 1.0)?;
                positive(&format!("{key}.laden_force"), sensing.laden_force)?;
            }
            suspension::suspension(&format!("{key}.suspension"), &axle.suspension)?;
            if axle.steered {
                suspension::steerable(&key, &axle.suspension)?;
            }
            rocker_bogie::springs(&key, axle)?;
            if let Some(spring) = &axle.spring {
                suspension::spring(&format!("{key}.spring"), spring)?;
            }
            if let Some(damper) = &axle.damper {
                suspension::damper(&format!("{key}.damper"), damper)?;
            }
            if let Some(bar) = &axle.anti_roll_bar {
                suspension::anti_roll_bar(&format!("{key}.anti_roll_bar"), bar, &axle.suspension)?;
            }
            if let Some(ratio) = axle.steer_ratio {
                check_range(&format!("{key}.steer_ratio"), ratio, -2.0, 2.0)?;
            }
            match &axle.final_drive {
                Some(axle_drive) => drive::final_drive(&format!("{key}.final_drive"), axle_drive)?,
                None if self.driveline.is_some() && self.is_driven(index) => {
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
        if let Steering::Skid(skid) = steering {
            let allowed = "absent or another kind, because an axle is steered";
            require(!steered, "steering.skid", "given", allowed)?;
            let fine = skid.max_yaw_rate > 0.0 && skid.max_yaw_rate <= 20.0;
            let key = "steering.skid.max_yaw_rate";
            return require(fine, key, skid.max_yaw_rate, "above 0 and up to 20 rad/s");
        }
        if let Steering::Articulated(_) = steering {
            let allowed = "absent or another kind, because an axle is steered";
            require(!steered, "steering.articulated", "given", allowed)?;
            let allowed = "given with steering.articulated, which turns it";
            return require(self.rear_frame.is_some(), "rear_frame", "absent", allowed);
        }
        require(steered, "steering", "given", "absent, or an axle must be steered")?;
        match steering {
            Steering::PitmanArm(s) => {
                let key = "steering.pitman_arm";
                part(&format!("{key}.link"), &s.link)?;
                part(&format!("{key}.arm"), &s.arm)?;
                let p = &s.points;
                require_distinct(&format!("{key}.points.arm_link"), &p.arm_link, &p.arm_chassis)?;
                require_distinct(
                    &format!("{key}.points.idler_link"),
                    &p.idler_link,
                    &p.idler_chassis,
                )?;
                check_range(&format!("{key}.max_angle_deg"), s.max_angle_deg, 0.1, 89.0)?;
                wheel_angle(key, s.max_wheel_angle_deg)
            }
            Steering::RackPinion(s) => {
                let key = "steering.rack_pinion";
                part(&format!("{key}.rack"), &s.rack)?;
                positive(&format!("{key}.pinion_radius"), s.pinion_radius)?;
                check_range(&format!("{key}.max_angle_deg"), s.max_angle_deg, 0.1, 1080.0)?;
                wheel_angle(key, s.max_wheel_angle_deg)
            }
            Steering::DragLink(s) => {
                let key = "steering.drag_link";
                part(&format!("{key}.arm"), &s.arm)?;
                let p = &s.points;
                require_distinct(&format!("{key}.points.arm_link"), &p.arm_link, &p.arm_chassis)?;
                require_distinct(&format!("{key}.points.knuckle"), &p.knuckle, &p.arm_link)?;
                require_distinct(&format!("{key}.points.axis"), &p.axis, &[0.0; 3])?;
                check_range(&format!("{key}.max_angle_deg"), s.max_angle_deg, 0.1, 89.0)?;
                wheel_angle(key, s.max_wheel_angle_deg)
            }
            Steering::Direct(s) => wheel_angle("steering.direct", s.max_wheel_angle_deg),
            Steering::Skid(_) | Steering::Articulated(_) => Ok(()),
        }
    }

    fn check_tandems(&self) -> Check {
        for (index, tandem) in self.tandems.iter().enumerate() {
            let key = |name: &str| format!("tandems[{index}].{name}");
            let names = || tandem.axles.join(", ");
            let Ok([ahead, behind]) = self.axles_of(tandem) else {
                return refuse(&key("axles"), names(), "names of two axles");
            };
            let next = behind == ahead + 1;
            require(next, &key("axles"), names(), "two consecutive axles")?;
            let sprung = [ahead, behind].map(|axle| self.axles[axle].spring.is_some());
            require(sprung == [true; 2], &key("axles"), names(), "axles with springs")?;
            point(&key("pin"), &tandem.pin)?;
            part(&key("beam"), &tandem.beam)?;
            let [front, rear] = [ahead, behind].map(|axle| self.axles[axle].position[0]);
            let between = tandem.pin[0] < front && tandem.pin[0] > rear && tandem.pin[1] > 0.0;
            let allowed = format!("on the left, between its axles at x = {front} and {rear}");
            require(between, &key("pin"), list(&tandem.pin), &allowed)?;
            check_range(&key("max_pitch_deg"), tandem.max_pitch_deg, 0.1, 60.0)?;
            let same = self.is_behind_joint(ahead) == self.is_behind_joint(behind);
            let allowed = "two axles on the same side of rear_frame.joint";
            require(same, &key("axles"), names(), allowed)?;
        }
        Ok(())
    }

    fn check_wheels(&self) -> Check {
        self.check_wheel(&self.wheel, &self.tire)?;
        (0..self.axles.len()).try_for_each(|axle| self.of_axle(axle, VehicleSpec::check_wheel))
    }

    /// Checks the wheel and the tire of an axle, if they differ from the vehicle's.
    ///
    /// Errors refer to the keys of the axle.
    pub(super) fn of_axle(
        &self,
        axle: usize,
        check: impl Fn(&VehicleSpec, &Wheel, &Tire) -> Check,
    ) -> Check {
        if self.axles[axle].wheel.is_none() && self.axles[axle].tire.is_none() {
            return Ok(());
        }
        check(self, self.wheel_of(axle), self.tire_of(axle)).map_err(|error| match error {
            SpecError::Value { key, value, allowed } => {
                SpecError::Value { key: format!("axles[{axle}].{key}"), value, allowed }
            }
            other => other,
        })
    }

    fn check_wheel(&self, wheel: &Wheel, own: &Tire) -> Check {
        positive("wheel.mass", wheel.mass)?;
        inertia("wheel.inertia", &wheel.inertia)?;
        positive("wheel.rim_radius", wheel.rim_radius)?;
        positive("wheel.rim_width", wheel.rim_width)?;
        positive("tire.mass", own.mass)?;
        inertia("tire.inertia", &own.inertia)?;
        tire::rigid_tire(&own.rigid, wheel.rim_radius)?;
        if let Some(flexible) = &own.flexible {
            tire::flexible(flexible, &own.rigid, 2 * self.tractor_axles().len())?;
        }
        tire::handling(&own.handling, &own.rigid)
    }
}

pub(in crate::spec) fn chassis(chassis: &Chassis) -> Check {
    positive("chassis.mass", chassis.mass)?;
    inertia("chassis.inertia", &chassis.inertia)?;
    point("chassis.products", &chassis.products)?;
    if let Some(belly) = &chassis.belly {
        point("chassis.belly.center", &belly.center)?;
        positive("chassis.belly.length", belly.length)?;
        positive("chassis.belly.width", belly.width)?;
    }
    if let Some(footprint) = &chassis.footprint {
        check_range("chassis.footprint.front", footprint.front, -50.0, 50.0)?;
        check_range("chassis.footprint.rear", footprint.rear, -50.0, 50.0)?;
        positive("chassis.footprint.width", footprint.width)?;
        require(
            footprint.rear < footprint.front,
            "chassis.footprint.rear",
            footprint.rear,
            &format!("below front ({})", footprint.front),
        )?;
    }
    require(
        chassis.hulls.len() <= 16,
        "chassis.hulls",
        format!("{} boxes", chassis.hulls.len()),
        "at most 16 boxes",
    )?;
    for (index, hull) in chassis.hulls.iter().enumerate() {
        let key = |name: &str| format!("chassis.hulls[{index}].{name}");
        let small = |length: f64| length.abs() <= 50.0;
        let reach = "from -50 to 50 each";
        require(hull.center.iter().all(|x| small(*x)), &key("center"), list(&hull.center), reach)?;
        let sides = hull.size.iter().all(|side| (0.05..=50.0).contains(side));
        require(sides, &key("size"), list(&hull.size), "from 0.05 to 50 each")?;
        let most = 0.5 * hull.size.iter().copied().fold(f64::INFINITY, f64::min);
        check_range(&key("rounding"), hull.rounding, 0.02, most)?;
    }
    chassis.drag_area.map_or(Ok(()), |area| check_range("chassis.drag_area", area, 0.0, 100.0))?;
    point("chassis.com", &chassis.com)
}

fn wheel_angle(key: &str, degrees: f64) -> Check {
    check_range(&format!("{key}.max_wheel_angle_deg"), degrees, 0.1, 60.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hmmwv() -> &'static str {
        let entries = crate::catalog();
        entries.iter().find(|entry| entry.key == "hmmwv").unwrap().text
    }

    /// The HMMWV's file with the first occurrence of `from` replaced by `to`.
    fn altered(from: &str, to: &str) -> Result<VehicleSpec, SpecError> {
        let text = hmmwv();
        assert!(text.contains(from), "the file has no '{from}'");
        VehicleSpec::from_toml(&text.replacen(from, to, 1))
    }

    /// Each case replaces the first text by the second and expects the third as the error message.
    fn refuses(cases: &[(&str, &str, &str)]) {
        for (from, to, message) in cases {
            let error = altered(from, to).expect_err(to);
            assert_eq!(error.to_string(), *message, "after '{to}'");
        }
    }

    #[test]
    fn refuses_figures_that_make_no_chassis_and_axles() {
        refuses(&[
            ("format = 1", "format = 2", "format = 2: must be 1"),
            ("name = \"HMMWV\"", "name = \" \"", "name = '': must be given"),
            ("wheelbase = 3.302", "wheelbase = -1", "wheelbase = -1: must be finite and above 0"),
            ("mass = 2086.52", "mass = nan", "chassis.mass = NaN: must be finite and above 0"),
            (
                "inertia = [1078.52,",
                "inertia = [9078.52,",
                "chassis.inertia = [9078.52, 2955.66, 3570.2]: must be moments of a rigid body: \
                 none above the sum of the other two",
            ),
            ("name = \"rear\"", "name = \"front\"", "axles[1].name = front: must be unique"),
            (
                "position = [-1.688965, ",
                "position = [2.0, ",
                "axles[1].position = [2, 0, 0]: must be behind the previous axle (x below 1.688965)",
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
                "axles[0].spring.tension = [0.2, 3220]: must be a force that does not decrease as x increases",
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
        ]);
    }

    #[test]
    fn refuses_figures_that_make_no_tire_and_powertrain() {
        refuses(&[
            (
                "{ half_width = 0.08,",
                "{ half_width = 0.0,",
                "tire.rigid.outline[1].half_width = 0: must be above the previous one",
            ),
            (
                "radius = 0.412 }",
                "radius = 0.2 }",
                "tire.rigid.outline[10].radius = 0.2: must be above the rim's radius (0.268)",
            ),
            (
                "sliding_slip = [0.66667,",
                "sliding_slip = [0.1,",
                "tire.handling.longitudinal.sliding_slip[0] = 0.1: must be above max_slip (0.10811)",
            ),
            (
                "    [2700.0, -400.0],",
                "    [2700.0, 400.0],",
                "powertrain.engine.full_throttle_rpm = 310: must be below 0 at the highest speed, \
                 including losses, so that the speed is limited",
            ),
            (
                "    [1.0, 35.0],",
                "    [0.95, 35.0],",
                "powertrain.converter.capacity = [0, 0.95]: must be defined from speed ratio 0 to 1",
            ),
            (
                "ratios = [0.2, 0.4, 0.8]",
                "ratios = [0.4, 0.2, 0.8]",
                "powertrain.gearbox.ratios[1] = 0.2: must be above the previous gear",
            ),
            (
                "ratios = [0.2, 0.4, 0.8]",
                "ratios = []",
                "powertrain.gearbox.ratios = []: must be at least 1 gear",
            ),
            (
                "upshift_rpm = 2500.0",
                "upshift_rpm = 1000.0",
                "powertrain.gearbox.upshift_rpm = 1000: must be above downshift_rpm (1200)",
            ),
        ]);
    }

    #[test]
    fn a_driven_axle_needs_a_final_drive() {
        let mut spec = crate::find_wheeled("hmmwv").unwrap();
        spec.axles[0].final_drive = None;
        assert_eq!(
            spec.check().unwrap_err().to_string(),
            "axles[0].final_drive = absent: must be given, because driveline.layout drives 'front'"
        );
        spec.driveline.as_mut().unwrap().layout = super::super::Layout::Rwd;
        assert_eq!(spec.check(), Ok(()));
    }

    #[test]
    fn refuses_figures_that_make_no_motor_drive() {
        let text = include_str!("../../../vehicles/husky.toml");
        let skid = "[steering.skid]\nmax_yaw_rate = 1.9";
        for (from, to, message) in [
            ("ratio = 0.0127", "ratio = 0", "motor_drive.ratio = 0: must be finite and above 0"),
            (
                "efficiency = 0.75",
                "efficiency = 75",
                "motor_drive.efficiency = 75: must be above 0 and up to 1",
            ),
            (
                "no_load_rpm = 5000.0",
                "no_load_rpm = 500.0",
                "motor_drive.motor.no_load_rpm = 500: must be above the base speed, max_power over \
                 max_torque: 3125.2 rpm",
            ),
            (
                "max_yaw_rate = 1.9",
                "max_yaw_rate = 0",
                "steering.skid.max_yaw_rate = 0: must be above 0 and up to 20 rad/s",
            ),
            (
                skid,
                "",
                "steering = absent: must be skid with motor_drive, unless motor_drive.placement = \
                 \"wheel\"",
            ),
        ] {
            assert!(text.contains(from), "the file has no '{from}'");
            let error = VehicleSpec::from_toml(&text.replacen(from, to, 1)).expect_err(to);
            assert_eq!(error.to_string(), message, "after '{to}'");
        }
        let husky = crate::find_wheeled("husky").unwrap();
        let hmmwv = crate::find_wheeled("hmmwv").unwrap();
        let told = |spec: VehicleSpec| spec.check().unwrap_err().to_string();
        let both = VehicleSpec { powertrain: hmmwv.powertrain.clone(), ..husky.clone() };
        assert_eq!(told(both), "powertrain = given: must be absent with motor_drive");
        let neither = VehicleSpec { motor_drive: None, ..husky.clone() };
        assert_eq!(
            told(neither),
            "motor_drive = absent: must be given with steering.skid: electric motors turn both \
             sides at different speeds"
        );
        let engineless = VehicleSpec { powertrain: None, ..hmmwv };
        assert_eq!(
            told(engineless),
            "powertrain = absent: must be given, unless motor_drive is given"
        );
    }

    #[test]
    fn refuses_figures_that_make_no_articulated_frame() {
        let text = include_str!("../../../vehicles/forwarder.toml");
        for (from, to, message) in [
            (
                "max_angle_deg = 44.0",
                "max_angle_deg = 75.0",
                "steering.articulated.max_angle_deg = 75: must be from 1 to 60",
            ),
            (
                "max_rate_deg = 20.0",
                "max_rate_deg = 0.0",
                "steering.articulated.max_rate_deg = 0: must be from 0.1 to 180",
            ),
            (
                "max_torque = 110000.0",
                "max_torque = -1.0",
                "steering.articulated.max_torque = -1: must be finite and above 0",
            ),
            (
                "max_roll_deg = 15.0",
                "max_roll_deg = 0.0",
                "rear_frame.damping = 5000: must be 0, because steering.articulated.max_roll_deg = 0 \
                 locks the roll",
            ),
            (
                "joint = [0.4, 0.0, 0.1]",
                "joint = [-4.4, 0.0, 0.1]",
                "rear_frame.joint = [-4.4, 0, 0.1]: must be between the first and the last axle \
                 along x",
            ),
            (
                "joint = [0.4, 0.0, 0.1]",
                "joint = [0.4, 0.2, 0.1]",
                "rear_frame.joint = [0.4, 0.2, 0.1]: must be on the midline, y = 0, for a vertical \
                 pin",
            ),
            (
                "joint = [0.4, 0.0, 0.1]",
                "joint = [2.5, 0.0, 0.1]",
                "chassis.belly.center = [1.9, 0, -0.006]: must be wholly ahead of rear_frame.joint, \
                 x = 2.5: it is on the chassis",
            ),
            (
                "center = [-2.7, 0.0, 0.35]",
                "center = [-2.0, 0.0, 0.35]",
                "chassis.hulls[3].center = [-2, 0, 0.35]: must be wholly ahead of or behind \
                 rear_frame.joint, x = 0.4",
            ),
            (
                "mass = 4400.0",
                "mass = 24400.0",
                "rear_frame.mass = 24400: must be below 11840 kg, the mass of the chassis that \
                 contains it",
            ),
            (
                "position = [3.25, 0.0, 0.0]",
                "position = [3.25, 0.0, 0.0]\nsteered = true",
                "axles[0].steered = true: must be false, because trailing arms cannot be steered",
            ),
            (
                "axles = [\"rear1\", \"rear2\"]",
                "axles = [\"front2\", \"rear1\"]",
                "tandems[1].axles = front2, rear1: must be two axles on the same side of \
                 rear_frame.joint",
            ),
        ] {
            assert!(text.contains(from), "the file has no '{from}'");
            let mut changed = text.replacen(from, to, 1);
            if to.contains("front2") {
                changed = changed.replace("pin = [-2.5, 0.65", "pin = [-0.5, 0.65");
            }
            let error = VehicleSpec::from_toml(&changed).expect_err(to);
            assert_eq!(error.to_string(), message, "after '{to}'");
        }
        let forwarder = crate::find_wheeled("forwarder").unwrap();
        let told = |spec: VehicleSpec| spec.check().unwrap_err().to_string();
        let rigid = VehicleSpec { rear_frame: None, ..forwarder.clone() };
        assert_eq!(
            told(rigid),
            "rear_frame = absent: must be given with steering.articulated, which turns it"
        );
        // steered knuckles and an articulated frame exclude each other
        let mut both = crate::find_wheeled("man_8x8").unwrap();
        both.steering = forwarder.steering.clone();
        assert_eq!(
            told(both),
            "steering.articulated = given: must be absent or another kind, because an axle is steered"
        );
        let setup = crate::VehicleSetup {
            trailer: Some(crate::find_trailer("cargo_trailer").unwrap()),
            ..Default::default()
        };
        let mut coupled = forwarder;
        coupled.chassis.rear_coupling = Some([-3.4, 0.0, 0.2]);
        let towing = super::super::AnySpec::Wheeled(Box::new(coupled)).with_setup(&setup);
        let text = towing.unwrap_err().to_string();
        let expected = "trailer = given: must be absent with steering.articulated";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn a_rim_has_a_surface_or_a_shear_by_numbers() {
        let rim = "[tire.rigid]\nsurface = 'metal'\n";
        let metal = altered("[tire.rigid]\n", rim).unwrap();
        assert_eq!(metal.tire.rigid.surface, Some(super::super::RimSurface::Metal));
        let numbers =
            "soil = { area_ratio = 1, cohesion = 0, friction = 0.4, shear_modulus = 0.01 }\n";
        let both = altered("[tire.rigid]\n", &format!("{rim}{numbers}")).unwrap_err();
        assert_eq!(
            both.to_string(),
            "tire.rigid.surface = given: must be absent with tire.rigid.soil, which gives the shear \
             by numbers"
        );
    }

    #[test]
    fn keys_in_british_spelling_are_read() {
        let text = include_str!("../../../vehicles/hmmwv_torsen.toml");
        let british = text.replace("[tire", "[tyre").replace("center =", "centre =");
        assert_ne!(text, british);
        let [american, british] =
            [text, &british].map(|text| VehicleSpec::from_toml(text).unwrap());
        assert_eq!(american, british);
    }

    #[test]
    fn unknown_keys_and_wrong_types_name_line_and_key() {
        let unknown = altered("brake_torque =", "brake_torqe =").unwrap_err().to_string();
        assert!(unknown.contains("unknown field `brake_torqe`"), "{unknown}");
        assert!(unknown.contains("did you mean `brake_torque`?"), "{unknown}");
        assert!(unknown.contains("line "), "{unknown}");
        let nested = altered("upper_arm_front =", "upper_arm_frnt =").unwrap_err().to_string();
        assert!(nested.contains("did you mean `upper_arm_front`?"), "{nested}");
        let text = hmmwv();
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
