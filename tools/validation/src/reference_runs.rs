//! Runs of Project Chrono compared with bekker's on the same soils.

use super::closed_forms::{chrono, wheel as rig};
use super::page::{ValidationError, line, panel, worst};
use bekker_ground::soil::Laws;
use bekker_rig::{InParallel, LineStyle, PlotPanel, Rig, WheelRigMotion};
use bekker_scenario::{ScenarioFile, build};
use bekker_world::World;
use std::path::Path;

const WHEEL: &str = include_str!("measured/chrono_wheel.csv");
const VEHICLE: &str = include_str!("measured/chrono_hmmwv.csv");

/// Returns the rows of a CSV table, each with its first cell.
pub(super) fn rows(text: &'static str) -> impl Iterator<Item = (&'static str, Vec<f64>)> {
    text.lines().filter(|line| !line.starts_with('#')).skip(1).filter_map(|line| {
        let (name, rest) = line.split_once(',')?;
        let figures = rest.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
        Some((name, figures))
    })
}

/// Returns the number of runs of the reference's wheel rig, and the worst differences of the
/// reference laws from it: drawbar over the load, torque and sinkage.
///
/// Slip zero is ill-conditioned and left out. The sinkage of the reference grows with slip although
/// its law has no such term, because its ray casts miss nodes.
pub(super) fn wheel_differences() -> Result<(usize, [f64; 3]), ValidationError> {
    let cases: Vec<_> = rows(WHEEL).filter(|(_, f)| f[0] >= 0.05).collect();
    let found = cases
        .in_parallel(|(soil, f)| {
            let motion = WheelRigMotion::Rolling { speed: 1.0, slip: f[0] };
            let run = rig(chrono(soil), f[1], motion, Laws::reference()).run()?;
            Ok([(run.drawbar - f[2]) / f[1], run.torque / f[3] - 1.0, run.sinkage / f[4] - 1.0])
        })
        .collect::<Result<Vec<[f64; 3]>, ValidationError>>()?;
    Ok((found.len(), [0, 1, 2].map(|k| worst(found.iter().map(|own| own[k])))))
}

const SCENARIO: &str = r#"
format = 1
name = "straight"
[time]
duration = 10
step = 0.002
heartbeat = 0.02
[output]
interval = 0.1
[soil]
default = "bed"
[[soil.custom]]
name = "bed"
based_on = "chrono_mid"
damping = 3e4
[[vehicle]]
name = "hmmwv"
model = "hmmwv"
tire = "rigid"
overrides = { powertrain.gearbox.shift_time = 0 } # as in the reference
position = [0, 0]
driver = { kind = "table", rows = [
    { time = 0, throttle = 0 }, { time = 1, throttle = 0 }, { time = 1.2, throttle = 0.7 } ] }
"#;

/// Time, distance and speed.
struct RecordedDrive {
    points: Vec<[f64; 3]>,
}

fn drive(soil: &str, laws: &str, step: f64) -> Result<RecordedDrive, ValidationError> {
    let sets = [
        format!("soil.custom[0].based_on=chrono_{soil}"),
        format!("ground.laws={laws}"),
        format!("time.step={step}"),
    ];
    let file = ScenarioFile::parse("straight", SCENARIO, Path::new(""), &sets)?;
    let mut world = World::new(build::world(&file)?.world);
    let mut drive = RecordedDrive { points: Vec::new() };
    let mut next = 0.0;
    while world.time() < 10.0 - 1e-9 {
        world.advance();
        if world.time() >= next - 1e-9 {
            next += 0.25;
            let time = world.time();
            drive.points.extend(world.samples().map(|s| [time, s.pose.position.x, s.speed]));
        }
    }
    let time = world.time();
    drive.points.extend(world.samples().map(|s| [time, s.pose.position.x, s.speed]));
    Ok(drive)
}

/// Soils of the HMMWV's drives.
pub(super) const DRIVE_SOILS: [&str; 3] = ["hard", "mid", "soft"];

/// HMMWV on a soil: distance after 10 s, m.
pub(super) struct DriveComparison {
    pub(super) chrono: f64,
    pub(super) reference: f64,
    pub(super) default: f64,
    /// Change of the default's distance from steps of 2 ms to 1 ms, relative.
    pub(super) step: f64,
}

/// Compares the HMMWV's distance on [`DRIVE_SOILS`] and plots its speed.
pub(super) fn drives() -> Result<(Vec<DriveComparison>, Vec<PlotPanel>), ValidationError> {
    let settings = [("reference", 2e-3), ("refined", 2e-3), ("refined", 1e-3)];
    let cases: Vec<(&str, &str, f64)> = DRIVE_SOILS
        .into_iter()
        .flat_map(|soil| settings.map(|(laws, step)| (soil, laws, step)))
        .collect();
    let runs = cases
        .in_parallel(|&(soil, laws, step)| drive(soil, laws, step))
        .collect::<Result<Vec<_>, _>>()?;
    let recorded: Vec<_> = rows(VEHICLE).collect();
    let distance = |run: &RecordedDrive| run.points.last().map_or(f64::NAN, |point| point[1]);
    let (mut comparisons, mut panels) = (Vec::new(), Vec::new());
    for (soil, own) in DRIVE_SOILS.into_iter().zip(runs.chunks(settings.len())) {
        let of_soil = || recorded.iter().filter(move |(case, _)| *case == soil).map(|(_, f)| f);
        // the last row of the reference is at 9.98 s
        let chrono = of_soil().next_back().map_or(f64::NAN, |f| f[1] + f[2] * (10.0 - f[0]));
        let [reference, default, finer] = [0, 1, 2].map(|k| distance(&own[k]));
        let step = finer / default - 1.0;
        comparisons.push(DriveComparison { chrono, reference, default, step });
        let speeds =
            |run: &RecordedDrive| run.points.iter().map(|p| [p[0], p[2].max(0.0)]).collect();
        let lines = vec![
            line(
                "Project Chrono",
                LineStyle::Dots,
                of_soil().map(|f| [f[0], f[2].max(0.0)]).collect(),
            ),
            line("reference laws", LineStyle::Dashes, speeds(&own[0])),
            line("default laws", LineStyle::Line, speeds(&own[1])),
        ];
        panels.push(panel(soil, "time, s", "speed, m/s", lines));
    }
    Ok((comparisons, panels))
}
