//! Logs of drives, from tables, ROS 2 bags, MCAP files and folders of runs.

use super::IdentifyDrives;
use crate::cli::{Failure, recorded_run};
use crate::report::recorded_drive::{RecordedDrive, RecordedDriveError};
use crate::report::ros_bag::{RosBag, RosBagError, TopicChoices};
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
    let (mut logs, mut assumptions, mut is_bag_read) = (Vec::new(), Vec::new(), false);
    for path in &command.logs {
        let (log, vehicle) = match LogFormat::of_path(path)? {
            LogFormat::Run => read_run(command, path, &mut assumptions)?,
            LogFormat::Mcap => match read_mcap(command, path, &mut assumptions)? {
                Some(own) => own,
                None => {
                    is_bag_read = true;
                    read_bag(command, path, &mut assumptions)?
                }
            },
            LogFormat::RosBag => {
                is_bag_read = true;
                read_bag(command, path, &mut assumptions)?
            }
            LogFormat::Table => read_table(command, path, &mut assumptions)?,
        };
        if log.controls.is_none() {
            assumptions.push(format!(
                "{}: has no throttle, so the simulated drives follow the logged speed",
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
    let has_bag_options = !command.topics.is_empty() || !command.joints.is_empty();
    if has_bag_options && !is_bag_read {
        let cause = "--topic and --joint are for ROS 2 bags, and no log is one".into();
        return Err(Failure::Input { subject: "identify drives".into(), cause });
    }
    let (vehicle, _) = found.ok_or_else(|| Failure::Input {
        subject: "identify drives".into(),
        cause: "names no log".into(),
    })?;
    Ok(LoggedDrives { logs, vehicle, assumptions })
}

/// Format of a log.
enum LogFormat {
    /// Folder of a run.
    Run,
    /// MCAP file without a profile, as that of a run.
    Mcap,
    /// MCAP file with the profile of ROS, or folder of such files.
    RosBag,
    /// CSV.
    Table,
}

impl LogFormat {
    fn of_path(path: &Path) -> Result<LogFormat, Failure> {
        if path.is_dir() {
            let is_bag = path.join("metadata.yaml").is_file();
            return Ok(if is_bag { LogFormat::RosBag } else { LogFormat::Run });
        }
        let has = |extension: &str| {
            path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension))
        };
        if has("db3") {
            let cause = "is a SQLite bag; `ros2 bag convert` writes MCAP with storage_id: mcap in \
                         its output options"
                .into();
            return Err(Failure::Input { subject: path.display().to_string(), cause });
        }
        if !has("mcap") {
            return Ok(LogFormat::Table);
        }
        let is_ros = RosBag::is_profile(path).map_err(|error| Failure::input(path, &error))?;
        Ok(if is_ros { LogFormat::RosBag } else { LogFormat::Mcap })
    }
}

fn read_table(
    command: &IdentifyDrives,
    path: &Path,
    assumptions: &mut Vec<String>,
) -> Result<(DriveLog, DriveVehicle), Failure> {
    let vehicle = vehicle_of_option(command, path, "a CSV log")?;
    let mut log = read_csv(path, path, None)?;
    set_grade(command, &mut log, assumptions);
    Ok((log, vehicle))
}

fn read_bag(
    command: &IdentifyDrives,
    path: &Path,
    assumptions: &mut Vec<String>,
) -> Result<(DriveLog, DriveVehicle), Failure> {
    let vehicle = vehicle_of_option(command, path, "a ROS 2 bag")?;
    let refused = |error: RosBagError| Failure::input(path, &error);
    let choices = TopicChoices {
        topics: command.topics.clone(),
        joints: command.joints.clone(),
        grade: command.grade,
    };
    let bag = RosBag::read(path).map_err(refused)?;
    let drive = bag.drive(&path.display().to_string(), &choices).map_err(refused)?;
    let mut log = drive.log;
    assumptions.extend(drive.notes);
    set_grade(command, &mut log, assumptions);
    Ok((log, vehicle))
}

fn set_grade(command: &IdentifyDrives, log: &mut DriveLog, assumptions: &mut Vec<String>) {
    log.grade = command.grade;
    let line = format!("{}: the ground is a plane of grade {} (--grade)", log.name, log.grade);
    assumptions.push(line);
}

/// Returns the vehicle of `--vehicle`, which a log without a scenario needs.
fn vehicle_of_option(
    command: &IdentifyDrives,
    path: &Path,
    log: &str,
) -> Result<DriveVehicle, Failure> {
    let Some(model) = &command.vehicle else {
        let cause = format!("{log} needs --vehicle with a catalog name or a vehicle file");
        return Err(Failure::Input { subject: path.display().to_string(), cause });
    };
    let model = match is_vehicle_file(model) {
        // relative to the working directory
        true => std::path::absolute(model)
            .map_err(|error| Failure::input(Path::new(model), &error))?
            .display()
            .to_string(),
        false => model.clone(),
    };
    let config = VehicleConfig::new("vehicle", &model, DriverConfig::default());
    Ok(DriveVehicle::new(with_inflation(command, config), PathBuf::new()))
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

/// Reads the drive of a vehicle from the MCAP file of a run; `None` for a bag of ROS 2.
///
/// Files of its scenario are searched from the folder of the file.
fn read_mcap(
    command: &IdentifyDrives,
    path: &Path,
    assumptions: &mut Vec<String>,
) -> Result<Option<(DriveLog, DriveVehicle)>, Failure> {
    let drive = match RecordedDrive::read(path, command.vehicle.as_deref()) {
        // a tool may have dropped the profile of a bag
        Err(RecordedDriveError::NoStates { has_cdr: true, .. }) => return Ok(None),
        read => read.map_err(|error| Failure::input(path, &error))?,
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let file = ScenarioFile::parse(&path.display().to_string(), &drive.scenario, folder, &[])?;
    let vehicles = &file.scenario.vehicle;
    let Some(vehicle) = vehicles.iter().find(|own| own.name == drive.vehicle) else {
        let cause = format!("its scenario has no vehicle {}, but its topics", drive.vehicle);
        return Err(Failure::Input { subject: path.display().to_string(), cause });
    };
    Ok(Some(of_scenario(command, path, &file, vehicle, drive.log, assumptions)))
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
