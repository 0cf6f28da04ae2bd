//! `bekker vehicles check`

use super::super::{Failure, destination, stdout};
use super::drawing;
use crate::mobility::vehicle_sheet::{
    BrakeHolding, ConeIndexSheet, EngineSheet, Tipping, UndersideSheet, VehicleSheet,
};
use crate::report::text_table;
use crate::report::write_file;
use crate::rig::PSI;
use crate::scenario::build::vehicle_spec;
use crate::vehicle::powertrain::{EngineRating, TorqueBasis};
use crate::vehicle::spec::MotorDriveSpec;
use clap::Args;
use std::path::{Path, PathBuf};

/// Analyze a vehicle file: loads, sinkage, frequencies, pull, turning, stability
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bekker vehicles check my_truck.toml --draw my_truck.svg")]
pub struct Check {
    /// Vehicle from the catalog, or a vehicle file (.toml)
    model: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Draw the vehicle from the side, from above and from behind
    #[arg(long, value_name = "FILE.svg", value_parser = destination::svg)]
    draw: Option<PathBuf>,
}

impl Check {
    pub fn execute(self) -> Result<(), Failure> {
        let spec = vehicle_spec(&self.model, Path::new(""))?;
        let sheet = VehicleSheet::new(&self.model, &spec)?;
        if let Some(path) = &self.draw {
            write_file(path, drawing::views(&spec).as_bytes())?;
        }
        if self.json { stdout::print_json(&sheet) } else { stdout::print(&page(&sheet)) }
    }
}

fn page(sheet: &VehicleSheet) -> String {
    let mut parts = vec![format!("{}, {:.1} kg", sheet.name, sheet.mass)];
    parts.extend(tables(sheet));
    // lines begin with a label of 16 characters
    parts.push(text_table::wrapped(&lines(sheet).join("\n"), 16));
    let unusual = |warning: &String| text_table::wrapped(&format!("unusual: {warning}"), 2);
    let warned = sheet.warnings.iter().map(unusual);
    let warned: Vec<String> = warned.collect();
    parts.push(if warned.is_empty() { "no unusual values".to_owned() } else { warned.join("\n") });
    parts.join("\n\n")
}

/// Returns tables of axles, hull, kinematics, sinkage and effort, if the vehicle has them.
fn tables(sheet: &VehicleSheet) -> Vec<String> {
    let mut parts = Vec::new();
    if !sheet.axles.is_empty() {
        parts.push(table(
            &[
                "axle",
                "load N",
                "share",
                "track m",
                "wheel rate N/m",
                "bounce Hz",
                "hop Hz",
                "damping",
            ],
            sheet.axles.iter().map(|axle| {
                let springs = axle.springs.as_ref();
                let number = |value: Option<f64>, digits: usize| {
                    value.map_or_else(|| "none".into(), |value| format!("{value:.digits$}"))
                };
                vec![
                    axle.name.clone(),
                    format!("{:.0}", axle.load),
                    format!("{:.3}", axle.share),
                    format!("{:.3}", axle.track),
                    number(springs.map(|own| own.wheel_rate), 0),
                    number(springs.map(|own| own.bounce), 2),
                    number(springs.map(|own| own.hop), 1),
                    number(springs.map(|own| own.damping_ratio), 2),
                ]
            }),
        ));
    }
    if let Some(hull) = &sheet.hull {
        let header = ["hull kg", "wheel rate N/m", "bounce Hz", "pitch Hz", "damping"];
        let row = vec![
            format!("{:.0}", hull.mass),
            format!("{:.0}", hull.wheel_rate),
            format!("{:.2}", hull.bounce),
            format!("{:.2}", hull.pitch),
            format!("{:.2}", hull.damping_ratio),
        ];
        parts.push(table(&header, std::iter::once(row)));
    }
    let moved = sheet.axles.iter().filter_map(|axle| Some((axle, axle.kinematics.as_ref()?)));
    let rows = moved.flat_map(|(axle, own)| {
        own.travel.iter().enumerate().map(move |(index, at)| {
            let first = index == 0;
            let center = if first { format!("{:.2}", own.roll_center) } else { String::new() };
            vec![
                if first { axle.name.clone() } else { String::new() },
                center,
                format!("{:+.0}", 1e3 * at.travel),
                format!("{:+.2}", at.camber_deg),
                format!("{:+.2}", at.toe_deg),
            ]
        })
    });
    if sheet.axles.iter().any(|axle| axle.kinematics.is_some()) {
        let header = ["axle", "roll center m", "travel mm", "camber deg", "toe deg"];
        parts.push(table(&header, rows));
    }
    parts.push(table(
        &[
            "at rest on",
            if sheet.axles.is_empty() {
                "sinkage, left and right track, m"
            } else {
                "sinkage per axle, m"
            },
        ],
        sheet.soils.iter().map(|standing| {
            let depths = standing.sinkage.as_ref().map(|depths| {
                depths.iter().map(|z| format!("{z:.3}")).collect::<Vec<_>>().join("  ")
            });
            vec![standing.soil.clone(), depths.unwrap_or_else(|| "no equilibrium found".into())]
        }),
    ));
    if !sheet.effort.is_empty() {
        parts.push(table(
            &["speed km/h", "effort N", "grade"],
            sheet.effort.iter().map(|at| {
                let grade = at.grade.map_or_else(|| "any".into(), |grade| format!("{grade:.2}"));
                vec![format!("{:.0}", at.speed), format!("{:.0}", at.force), grade]
            }),
        ));
    }
    parts
}

/// Returns lines about engine, top speed, turning circle and rollover grade.
fn lines(sheet: &VehicleSheet) -> Vec<String> {
    let mut lines: Vec<String> = sheet.engine.iter().map(engine).collect();
    lines.extend(sheet.motors.iter().map(|own| motors(own, sheet.axles.len())));
    if let Some(speed) = sheet.top_speed {
        let air = if sheet.air_drag { "with" } else { "without" };
        lines.push(format!("top speed       {speed:.1} km/h on level firm ground, {air} air drag"));
    }
    if let Some(turning) = &sheet.turning {
        let (circle, angle) = (turning.circle, turning.angle_deg);
        let what = if turning.is_articulated { "frame" } else { "wheels" };
        lines.push(format!("turning circle  {circle:.1} m diameter, {what} at {angle:.1} deg"));
    }
    if let Some(own) = sheet.turning.as_ref().and_then(|turning| turning.trailer.as_ref()) {
        let (radius, angle, width) = (own.rear_radius, own.articulation_deg, own.swept_width);
        lines.push(format!(
            "  trailer       radius {radius:.1} m at {angle:.1} deg; swept width {width:.1} m"
        ));
    }
    let rolls = [("roll", Some(&sheet.roll)), ("  trailer", sheet.trailer_roll.as_ref())];
    for (what, roll) in rolls.into_iter().filter_map(|(what, roll)| Some((what, roll?))) {
        lines.push(format!(
            "{what:<16}rolls over at {:.0} deg, center of mass {:.2} m high, T/2h {:.2}",
            roll.side_slope_deg, roll.height, roll.stability_factor
        ));
    }
    let Tipping { backward_deg, forward_deg } = sheet.tipping;
    lines.push(format!(
        "pitch           tips over at {backward_deg:.0} deg facing uphill, {forward_deg:.0} deg \
         facing downhill"
    ));
    lines.push(match sheet.holding {
        Some(BrakeHolding { grade, limit, friction }) => format!(
            "brakes          hold on a grade of {grade:.2} of friction {friction}: limited by {}",
            limit.name()
        ),
        None => "brakes          none".into(),
    });
    lines.push(underside(sheet.underside.as_ref()));
    lines.extend(cone_index(&sheet.cone_index));
    lines
}

/// Describes clearance and angles of the underside.
fn underside(own: Option<&UndersideSheet>) -> String {
    let Some(own) = own else {
        return "clearance       unknown: the file specifies no chassis.belly and no chassis.hulls"
            .into();
    };
    let angles = [
        ("approach", own.approach_deg),
        ("departure", own.departure_deg),
        ("breakover", own.breakover_deg),
    ];
    let known = angles.into_iter().filter_map(|(name, angle)| Some((name, angle?)));
    let angles: Vec<String> = known.map(|(name, angle)| format!("{name} {angle:.0} deg")).collect();
    let parts = [format!("{:.2} m", own.clearance)].into_iter().chain(angles);
    format!(
        "clearance       {}, of belly and hulls of the file",
        parts.collect::<Vec<_>>().join(", ")
    )
}

/// Describes ground pressures and vehicle cone indices with their limits of validity.
fn cone_index(own: &ConeIndexSheet) -> Vec<String> {
    let maximum = own
        .mean_maximum_pressure
        .map_or_else(|| "unknown".into(), |own| format!("{:.0} kPa", 1e-3 * own));
    let index = |own: f64| format!("{:.1} psi ({:.0} kPa)", own / PSI, 1e-3 * own);
    let mut lines = vec![
        format!(
            "ground pressure nominal {:.0} kPa, mean maximum {maximum}",
            1e-3 * own.nominal_pressure
        ),
        format!(
            "cone index      VCI1 {}, VCI50 {}, mobility index {:.1}",
            index(own.one_pass),
            index(own.fifty_passes),
            own.mobility_index
        ),
        format!("  source        {}", own.source),
        format!("  valid for     {}", own.validity),
    ];
    lines.extend(own.limits.iter().map(|limit| format!("  beyond        {limit}")));
    lines
}

/// Describes the greatest power and torque at the crankshaft, and the kind of curve in the file.
fn engine(own: &EngineSheet) -> String {
    let EngineRating { power, power_rpm, torque, torque_rpm } = own.shaft;
    let basis = match own.basis {
        Some(TorqueBasis::Net) => "net curve".to_owned(),
        Some(TorqueBasis::Gross) => {
            format!("gross curve of {:.0} kW less losses", 1e-3 * own.curve.power)
        }
        None => format!("curve of {:.0} kW assumed gross, less losses", 1e-3 * own.curve.power),
    };
    format!(
        "engine          {:.0} kW at {power_rpm:.0} rpm, {torque:.0} N m at {torque_rpm:.0} rpm: {basis}",
        1e-3 * power
    )
}

/// Describes electric motors and their battery.
fn motors(own: &MotorDriveSpec, axles: usize) -> String {
    let (motor, battery) = (&own.motor, &own.battery);
    let wheels = if own.placement.is_side() { "the wheels of a side" } else { "each wheel" };
    format!(
        "motors          {} x {:.2} kW, {:.0} N m at {wheels} at rest; battery {:.0} V, {:.0} W h",
        own.motor_count(axles),
        1e-3 * motor.max_power,
        motor.max_torque * own.efficiency / own.ratio,
        battery.voltage,
        battery.energy() / 3600.0
    )
}

fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    text_table::plain(header, rows, ..0).trim_fmt()
}
