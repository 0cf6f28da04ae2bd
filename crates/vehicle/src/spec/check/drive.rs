//! Checks of the parameters of engine, converter, gearbox and shafts.

use super::super::motor_drive::LARGEST_MOTOR_COUNT;
use super::super::{Differential, Driveline, FinalDrive, MotorDriveSpec, Steering, VehicleSpec};
use super::rule::{Check, check_range, list, not_negative, positive, refuse, require};
use crate::powertrain::{Gearbox, Powertrain, TorqueBasis, TorqueConverter};
use bekker_math::curve::Curve;

pub(super) fn differential(key: &str, differential: &Differential) -> Check {
    not_negative(&format!("{key}.inertia"), differential.inertia)?;
    not_negative(&format!("{key}.lock_torque"), differential.lock_torque)?;
    let always = differential.locked && differential.commanded;
    let allowed = "false with commanded, where drivers engage the clutch";
    require(!always, &format!("{key}.locked"), "true", allowed)?;
    if let Some(bias) = differential.torque_bias {
        check_range(&format!("{key}.torque_bias"), bias, 1.0, 20.0)?;
        let locks =
            differential.locked || differential.commanded || differential.automatic.is_some();
        let allowed = "absent with locked, commanded or automatic: a lock overrides it";
        require(!locks, &format!("{key}.torque_bias"), bias, allowed)?;
    }
    let Some(automatic) = &differential.automatic else { return Ok(()) };
    let allowed = "false with automatic, which engages the clutch itself";
    require(!differential.locked, &format!("{key}.locked"), "true", allowed)?;
    require(!differential.commanded, &format!("{key}.commanded"), "true", allowed)?;
    positive(&format!("{key}.automatic.engage_rpm"), automatic.engage_rpm)?;
    positive(&format!("{key}.automatic.release_rpm"), automatic.release_rpm)
}

fn driveline(own: &Driveline, driven: usize) -> Check {
    differential("driveline.center", &own.center)?;
    not_negative("driveline.driveshaft_inertia", own.driveshaft_inertia)?;
    if let Some(front) = own.front_axles {
        let allowed = format!("from 1 to below the number of driven axles, {driven}");
        require(front > 0 && front < driven, "driveline.front_axles", front, &allowed)?;
    }
    own.front_torque
        .map_or(Ok(()), |share| check_range("driveline.front_torque", share, 0.0, 1.0))?;
    own.inter_axle.as_ref().map_or(Ok(()), |own| differential("driveline.inter_axle", own))
}

pub(super) fn final_drive(key: &str, drive: &FinalDrive) -> Check {
    positive(&format!("{key}.ratio"), drive.ratio)?;
    differential(&format!("{key}.differential"), &drive.differential)?;
    not_negative(&format!("{key}.shaft_inertia"), drive.shaft_inertia)?;
    not_negative(&format!("{key}.half_shaft_inertia"), drive.half_shaft_inertia)
}

/// Checks the drive of the wheels: an engine through a driveline, or electric motors.
pub(super) fn drive(spec: &VehicleSpec) -> Check {
    let VehicleSpec { driveline: shafts, powertrain: engine, motor_drive: motors, .. } = spec;
    if let Some(motors) = motors {
        let allowed = "absent with motor_drive";
        require(shafts.is_none(), "driveline", "given", allowed)?;
        require(engine.is_none(), "powertrain", "given", allowed)?;
        return motor_drive(spec, motors);
    }
    let skids = matches!(spec.steering, Some(Steering::Skid(_)));
    let allowed = "given with steering.skid: electric motors turn both sides at different speeds";
    require(!skids, "motor_drive", "absent", allowed)?;
    let allowed = "given, unless motor_drive is given";
    let Some(shafts) = shafts else { return refuse("driveline", "absent", allowed) };
    let Some(engine) = engine else { return refuse("powertrain", "absent", allowed) };
    let driven = (0..spec.axles.len()).filter(|&axle| spec.is_driven(axle)).count();
    require(
        driven > 0,
        "driveline.layout",
        "by_axle",
        "a layout with a driven axle, or an axle must have a final_drive",
    )?;
    driveline(shafts, driven)?;
    powertrain(engine)
}

fn motor_drive(spec: &VehicleSpec, own: &MotorDriveSpec) -> Check {
    if own.placement.is_side() {
        let skids = matches!(spec.steering, Some(Steering::Skid(_)));
        let given = if spec.steering.is_some() { "another kind" } else { "absent" };
        let allowed = "skid with motor_drive, unless motor_drive.placement = \"wheel\"";
        require(skids, "steering", given, allowed)?;
    }
    let count = own.motor_count(spec.tractor_axles().len());
    let allowed = format!("at most {LARGEST_MOTOR_COUNT} driven wheels with motors");
    require(count <= LARGEST_MOTOR_COUNT, "axles", format!("{count} driven wheels"), &allowed)?;
    for (index, axle) in spec.axles.iter().enumerate() {
        let key = format!("axles[{index}].final_drive");
        require(axle.final_drive.is_none(), &key, "given", "absent with motor_drive")?;
    }
    let (key, motor, battery) = ("motor_drive", &own.motor, &own.battery);
    positive(&format!("{key}.motor.max_torque"), motor.max_torque)?;
    positive(&format!("{key}.motor.max_power"), motor.max_power)?;
    positive(&format!("{key}.motor.no_load_rpm"), motor.no_load_rpm)?;
    let base = motor.max_power / motor.max_torque;
    let allowed = format!(
        "above the base speed, max_power over max_torque: {:.1} rpm",
        base / crate::powertrain::RPM
    );
    let above = motor.no_load_speed() > base;
    require(above, &format!("{key}.motor.no_load_rpm"), motor.no_load_rpm, &allowed)?;
    positive(&format!("{key}.motor.torque_constant"), motor.torque_constant)?;
    not_negative(&format!("{key}.motor.resistance"), motor.resistance)?;
    positive(&format!("{key}.motor.inertia"), motor.inertia)?;
    positive(&format!("{key}.ratio"), own.ratio)?;
    let fine = own.efficiency > 0.0 && own.efficiency <= 1.0;
    require(fine, &format!("{key}.efficiency"), own.efficiency, "above 0 and up to 1")?;
    positive(&format!("{key}.battery.voltage"), battery.voltage)?;
    positive(&format!("{key}.battery.capacity"), battery.capacity)
}

pub(in crate::spec) fn powertrain(powertrain: &Powertrain) -> Check {
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
    let last = |curve: &Curve| curve.points().last().map_or(0.0, |point| point[1]);
    let is_net = engine.torque_basis == Some(TorqueBasis::Net);
    let losses = if is_net { 0.0 } else { last(&engine.losses_rpm) };
    let stop = last(&engine.full_throttle_rpm) + losses;
    let key = "powertrain.engine.full_throttle_rpm";
    require(
        stop < 0.0,
        key,
        stop,
        "below 0 at the highest speed, including losses, so that the speed is limited",
    )?;

    require(
        powertrain.converter.is_some() || powertrain.clutch.is_some(),
        "powertrain.converter",
        "absent",
        "given, unless powertrain.clutch is given",
    )?;
    powertrain.converter.as_ref().map_or(Ok(()), converter)?;
    if let Some(clutch) = &powertrain.clutch {
        positive("powertrain.clutch.torque", clutch.torque)?;
        let [from, to] = clutch.engage_rpm;
        let rises = from > 0.0 && to > from && to.is_finite();
        let key = "powertrain.clutch.engage_rpm";
        require(rises, key, list(&[from, to]), "above 0 and increasing")?;
    }
    gearbox(&powertrain.gearbox)
}

fn converter(converter: &TorqueConverter) -> Check {
    let tables =
        [("capacity", &converter.capacity, 1e-9), ("torque_ratio", &converter.torque_ratio, 0.1)];
    for (name, curve, least) in tables {
        let key = format!("powertrain.converter.{name}");
        let ends = [curve.points()[0][0], curve.points()[curve.points().len() - 1][0]];
        require(ends == [0.0, 1.0], &key, list(&ends), "defined from speed ratio 0 to 1")?;
        for point in curve.points() {
            require(point[1] >= least, &key, list(point), "above 0")?;
        }
    }
    let last = converter.torque_ratio.value(1.0);
    require(last == 1.0, "powertrain.converter.torque_ratio", last, "1 at speed ratio 1")
}

fn gearbox(gearbox: &Gearbox) -> Check {
    let key = "powertrain.gearbox";
    require(!gearbox.ratios.is_empty(), &format!("{key}.ratios"), "[]", "at least 1 gear")?;
    for (index, pair) in gearbox.ratios.windows(2).enumerate() {
        let at = format!("{key}.ratios[{}]", index + 1);
        require(pair[1] > pair[0], &at, pair[1], "above the previous gear")?;
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
    let count = gearbox.ratios.len();
    let given = gearbox.shift_rpm.len();
    let allowed = format!("one pair per gear ({count})");
    require(given == 0 || given == count, &format!("{key}.shift_rpm"), given, &allowed)?;
    for (index, [down, up]) in gearbox.shift_rpm.iter().enumerate() {
        let at = format!("{key}.shift_rpm[{index}]");
        require(*down > 0.0 && up > down, &at, list(&[*down, *up]), "above 0 and increasing")?;
    }
    check_range(&format!("{key}.latency"), gearbox.latency, 0.0, 60.0)?;
    check_range(&format!("{key}.shift_time"), gearbox.shift_time, 0.0, 10.0)?;
    positive(&format!("{key}.input_inertia"), gearbox.input_inertia)?;
    not_negative(&format!("{key}.output_inertia"), gearbox.output_inertia)
}
