//! Logs of drives, from tables, MCAP files and folders of runs.

use super::IdentifyDrives;
use crate::cli::{Failure, recorded_run};
use crate::report::recorded_drive::RecordedDrive;
use crate::rig::drives::{DriveLog, DriveVehicle, read_drive_log};
use crate::scenario::config::{DriverConfig, SurfaceConfig, VehicleConfig};
use crate::scenario::{Scenario, ScenarioFile, input, is_vehicle_file};
use crate::vehicle::spec::Inflation;
use std::path::{Path, PathBuf};

/// Logs with their vehicle.
pub struct LoggedDrives {
    pub logs: Vec<DriveLog>,
    pub vehicle: DriveVehicle,
    /// Assumptions, one line each.
    pub assumptions: Vec<String>,
}

/// Reads all logs of a command.
///
/// # Errors
/// Files that cannot be read or used, and runs of different vehicles.
pub fn read_logs(command: &IdentifyDrives) -> Result<LoggedDrives, Failure> {
    let mut found: Option<(DriveVehicle, &Path)> = None;
    let (mut logs, mut assumptions) = (Vec::new(), Vec::new());
    for path in &command.logs {
        let is_mcap = path.extension().is_some_and(|own| own.eq_ignore_ascii_case("mcap"));
        let (log, vehicle) = match path.is_dir() {
            true => read_run(command, path, &mut assumptions)?,
            false if is_mcap => read_mcap(command, path, &mut assumptions)?,
            false => {
                let grade = command.grade;
                let name = path.display();
                assumptions
                    .push(format!("{name}: the ground is a plane of grade {grade} (--grade)"));
                read_table(command, path)?
            }
        };
        if log.controls.is_none() {
            assumptions.push(format!(
                "{}: has no throttle, so the simulated drives hold the logged speed",
                log.name
            ));
        }
        match &found {
            Some((first, name)) if first.config != vehicle.config => {
                let cause = format!("its vehicle differs from that of {}", name.display());
                return Err(Failure::Input { subject: path.display().to_string(), cause });
            }
            Some((first, name)) if first.gravity != vehicle.gravity => {
                let cause = format!("its world.gravity differs from that of {}", name.display());
                return Err(Failure::Input { subject: path.display().to_string(), cause });
            }
            Some(_) => {}
            None => found = Some((vehicle, path)),
        }
        logs.push(log);
    }
    let (vehicle, _) = found.ok_or_else(|| Failure::Input {
        subject: "identify drives".into(),
        cause: "names no log".into(),
    })?;
    Ok(LoggedDrives { logs, vehicle, assumptions })
}

fn read_table(command: &IdentifyDrives, path: &Path) -> Result<(DriveLog, DriveVehicle), Failure> {
    let Some(model) = &command.vehicle else {
        let cause = "a CSV log needs --vehicle with a catalog name or a vehicle file".into();
        return Err(Failure::Input { subject: path.display().to_string(), cause });
    };
    let mut log = read_csv(path, path, None)?;
    log.grade = command.grade;
    let model = match is_vehicle_file(model) {
        // relative to the working directory
        true => std::path::absolute(model)
            .map_err(|error| Failure::input(Path::new(model), &error))?
            .display()
            .to_string(),
        false => model.clone(),
    };
    let config = VehicleConfig::new("vehicle", &model, DriverConfig::default());
    Ok((log, DriveVehicle::new(with_inflation(command, config), PathBuf::new())))
}

fn read_run(
    command: &IdentifyDrives,
    path: &Path,
    assumptions: &mut Vec<String>,
) -> Result<(DriveLog, DriveVehicle), Failure> {
    let subject = || path.display().to_string();
    let (_, file) = recorded_run::read(path, &[])?;
    let scenario = &file.scenario;
    let chosen = match &command.vehicle {
        Some(name) => scenario.vehicle.iter().find(|own| own.name == *name),
        None => scenario.vehicle.first(),
    };
    let Some(vehicle) = chosen else {
        let names: Vec<&str> = scenario.vehicle.iter().map(|own| own.name.as_str()).collect();
        let cause = format!("has no vehicle of that name; --vehicle must be one of {names:?}");
        return Err(Failure::Input { subject: subject(), cause });
    };
    let states = path.join("states.csv");
    if !states.is_file() {
        let cause = "has no states.csv; run again with output.states = [\"csv\"]".into();
        return Err(Failure::Input { subject: subject(), cause });
    }
    let log = read_csv(path, &states, Some(&vehicle.name))?;
    Ok(of_scenario(command, path, &file, vehicle, log, assumptions))
}

/// Reads the drive of a vehicle from the MCAP file of a run.
///
/// Files of its scenario are searched from the folder of the file.
fn read_mcap(
    command: &IdentifyDrives,
    path: &Path,
    assumptions: &mut Vec<String>,
) -> Result<(DriveLog, DriveVehicle), Failure> {
    let drive = RecordedDrive::read(path, command.vehicle.as_deref())
        .map_err(|error| Failure::input(path, &error))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let file = ScenarioFile::parse(&path.display().to_string(), &drive.scenario, folder, &[])?;
    let vehicles = &file.scenario.vehicle;
    let Some(vehicle) = vehicles.iter().find(|own| own.name == drive.vehicle) else {
        let cause = format!("its scenario has no vehicle {}, but its topics", drive.vehicle);
        return Err(Failure::Input { subject: path.display().to_string(), cause });
    };
    Ok(of_scenario(command, path, &file, vehicle, drive.log, assumptions))
}

/// Sets the grade of a log, and returns its vehicle on the ground of its scenario.
fn of_scenario(
    command: &IdentifyDrives,
    path: &Path,
    file: &ScenarioFile,
    vehicle: &VehicleConfig,
    mut log: DriveLog,
    assumptions: &mut Vec<String>,
) -> (DriveLog, DriveVehicle) {
    let scenario = &file.scenario;
    log.grade = grade(scenario, vehicle).unwrap_or_else(|| {
        assumptions.push(format!("{}: the ground is assumed to be level", path.display()));
        0.0
    });
    let config = VehicleConfig {
        name: "vehicle".into(),
        driver: DriverConfig::default(),
        position: [0.0; 2],
        heading_deg: 0.0,
        speed: 0.0,
        row: None,
        column: None,
        sensor: vec![],
        ..vehicle.clone()
    };
    let mut vehicle = DriveVehicle::new(with_inflation(command, config), file.folder.clone());
    vehicle.ground = scenario.ground.clone();
    vehicle.step = Some(scenario.time.step);
    vehicle.gravity = scenario.world.gravity;
    (log, vehicle)
}

/// Rise over run in the heading of a vehicle on a plane; `None` on other ground.
fn grade(scenario: &Scenario, vehicle: &VehicleConfig) -> Option<f64> {
    match scenario.terrain.surface {
        SurfaceConfig::Flat { .. } => Some(0.0),
        SurfaceConfig::Slope { grade, uphill_deg, .. } => {
            Some(grade * (vehicle.heading_deg - uphill_deg).to_radians().cos())
        }
        _ => None,
    }
}

fn with_inflation(command: &IdentifyDrives, vehicle: VehicleConfig) -> VehicleConfig {
    match command.inflation_kpa {
        Some(kpa) => VehicleConfig { inflation_kpa: Some(Inflation::All(kpa)), ..vehicle },
        None => vehicle,
    }
}

fn read_csv(name: &Path, table: &Path, vehicle: Option<&str>) -> Result<DriveLog, Failure> {
    let text = input::read_text(table, input::LARGEST_TABLE)
        .map_err(|error| Failure::input(table, &error))?;
    read_drive_log(&name.display().to_string(), &text, vehicle)
        .map_err(|error| Failure::input(table, &error))
}
