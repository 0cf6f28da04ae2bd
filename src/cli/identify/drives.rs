//! `bekker identify drives`

mod drive_files;
mod log_check;
mod logs;
mod page;

use self::log_check::check_log;
use self::logs::{LoggedDrives, read_logs};
use crate::cli::{Failure, stdout};
use crate::report::ros_bag::DriveInput;
use crate::report::text_table;
use crate::rig::drives::{
    DrivesError, IdentificationSettings, NextDrive, ParameterQuantiles, PrincipalDirection,
    SoilChange, SoilPosterior, SoilPrior, find_soil_change, identify_soil, rank_next_drives,
};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Power of the strength factor of maps by which the moduli of sinkage grow.
const MODULUS_POWER: f64 = 1.9;
/// Error of the response surface over the noise, above which intervals are unreliable.
const LARGEST_SURFACE_ERROR: f64 = 1.0;
/// Misfit over the noise, above which vehicle or log are doubtful.
const LARGEST_MISFIT: f64 = 2.0;
/// Variance ratio above which drives do not determine a combination of parameters.
const UNDETERMINED: f64 = 0.5;
/// Simulated draws of each candidate for the next drive.
const CANDIDATE_DRAWS: usize = 32;
/// Largest number of parameters that are named in a combination.
const MOST_TERMS: usize = 4;
/// Least weight of a parameter that is named in a combination.
const LEAST_WEIGHT: f64 = 0.25;

/// Identify soil parameters, with a posterior, from logged drives of a vehicle
#[derive(Debug, Args)]
#[command(
    after_help = "Columns of a log are those of states.csv: time_s, speed_mps, and per wheel (N from 0, \
    axle by\naxle, left before right) wheelN_spin_radps, wheelN_torque_nm, wheelN_sinkage_m; \
    pitch_rad.\nOnly time, speed and one spin or torque are required. With throttle (and brake, \
    steering) the\nsimulated drives repeat these controls, otherwise they follow the logged speed.\n\
    A ROS 2 bag has wheels (JointState), speed (Odometry, TwistStamped or NavSatFix) and, if\nmeasured, \
    pitch (Imu or Odometry) and controls (ActuationCommandStamped).\n\n\
    Examples:\n  bekker identify drives log.csv --vehicle mrzr4 --out found\n  \
    bekker identify drives runs/convoy --vehicle lead --prior clay --json\n  \
    bekker identify drives runs/convoy/sensors.mcap --vehicle lead\n  \
    bekker identify drives bag.mcap --vehicle husky --topic speed=/odometry/gps"
)]
pub struct IdentifyDrives {
    /// Logs: CSV files, ROS 2 bags in MCAP, or runs: folders, or MCAP with output.states = ["mcap"]
    #[arg(value_name = "LOG", required = true)]
    logs: Vec<PathBuf>,
    /// Vehicle of CSV logs and bags: a catalog name or a vehicle file; of a run, the vehicle's name
    #[arg(long, value_name = "V")]
    vehicle: Option<String>,
    /// Inflation of all tires, kPa (default: that of the vehicle)
    #[arg(long, value_name = "KPA")]
    inflation_kpa: Option<f64>,
    /// Rise over run of the ground in the direction of travel, for CSV logs and bags
    #[arg(long, value_name = "G", default_value_t = 0.0, allow_hyphen_values = true)]
    grade: f64,
    /// Topic of a bag for INPUT: wheels, speed, pitch, controls (default: the only one of its type);
    /// `none` leaves pitch or controls out
    #[arg(long = "topic", value_name = "INPUT=TOPIC", value_parser = input_topic)]
    topics: Vec<(DriveInput, Option<String>)>,
    /// Joint of wheel N in a bag, as 0=front_left_wheel (default: by names such as this)
    #[arg(long = "joint", value_name = "N=NAME", value_parser = wheel_joint)]
    joints: Vec<(usize, String)>,
    /// Family of catalog soils for the prior (default: all but presets)
    #[arg(long, value_name = "FAMILY")]
    prior: Option<String>,
    /// Identify from the first S seconds of each log and check the rest for a change of soil
    #[arg(long, value_name = "S", default_value_t = 8.0)]
    until: f64,
    /// Seed of all draws
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Simulate few drives, for a first look: wider intervals, and no ranking of what to drive next
    #[arg(long)]
    quick: bool,
    /// Name of the soil
    #[arg(long, default_value = "identified")]
    name: String,
    /// Folder for soil.toml, study.toml and other files
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn input_topic(text: &str) -> Result<(DriveInput, Option<String>), String> {
    let (name, topic) = text.split_once('=').ok_or("must be INPUT=TOPIC")?;
    let known = DriveInput::ALL.into_iter().find(|own| own.name() == name);
    let input = known.ok_or_else(|| {
        let names = DriveInput::ALL.map(DriveInput::name).join(", ");
        format!("input {name}: must be one of {names}")
    })?;
    match topic {
        "none" if !input.is_optional() => Err(format!("{name} cannot be left out")),
        "none" => Ok((input, None)),
        _ => Ok((input, Some(topic.to_owned()))),
    }
}

fn wheel_joint(text: &str) -> Result<(usize, String), String> {
    let (wheel, joint) = text.split_once('=').ok_or("must be N=NAME")?;
    let wheel = wheel.parse().map_err(|_| format!("wheel {wheel}: must be a whole number"))?;
    Ok((wheel, joint.to_owned()))
}

/// Result of an identification.
struct Identified {
    drives: LoggedDrives,
    posterior: SoilPosterior,
    changes: Vec<SoilChange>,
    next: Vec<NextDrive>,
    settings: IdentificationSettings,
}

impl IdentifyDrives {
    pub fn execute(self, quiet: bool) -> Result<(), Failure> {
        let prior = self.soil_prior()?;
        let drives = read_logs(&self)?;
        let settings = match self.quick {
            true => IdentificationSettings::quick(self.seed),
            false => IdentificationSettings { seed: self.seed, ..Default::default() },
        };
        let fitted: Vec<_> = drives.logs.iter().map(|log| log.until(self.until)).collect();
        let refused = |error: DrivesError| match error {
            DrivesError::Scenario(faults) => Failure::Scenario(faults),
            other => Failure::Input { subject: "identify drives".into(), cause: other.to_string() },
        };
        if !quiet {
            drives.assumptions.iter().for_each(|own| eprintln!("{own}"));
        }
        for log in &drives.logs {
            for warning in check_log(&drives.vehicle, log, &prior)? {
                eprintln!("warning: {warning}");
            }
        }
        let posterior =
            identify_soil(&drives.vehicle, &fitted, &prior, &settings).map_err(refused)?;
        let error = posterior.fit.surface_error;
        if error > LARGEST_SURFACE_ERROR {
            let remedy = if self.quick { ", or run without --quick" } else { "" };
            eprintln!(
                "warning: the response surface errs by {error:.1} times the noise: the intervals are \
                 too wide or misplaced; use logs with more slip{remedy}"
            );
        }
        let misfit = posterior.fit.misfit;
        if misfit > LARGEST_MISFIT {
            eprintln!(
                "warning: the best soil misses the logs by {misfit:.1} times the noise: check the \
                 vehicle, its inflation and load, the grade, and the units of the logs"
            );
        }
        let changes =
            drives.logs.iter().map(|log| find_soil_change(&drives.vehicle, log, &posterior));
        let changes = changes.collect::<Result<Vec<_>, _>>().map_err(refused)?;
        let next = match self.quick {
            true => Vec::new(),
            false => rank_next_drives(&drives.vehicle, &fitted[0], &posterior, CANDIDATE_DRAWS)
                .map_err(refused)?,
        };
        let identified = Identified { drives, posterior, changes, next, settings };
        let mut files = Vec::new();
        if let Some(folder) = &self.out {
            let written = drive_files::write(folder, &self.name, &identified)?;
            if let Some(left_out) = written.left_out {
                eprintln!("warning: {left_out}");
            }
            files = written.names;
        }
        if self.json {
            return stdout::print_json(&data(&identified, &files));
        }
        stdout::print(text(&identified, &files).trim_end())
    }

    fn soil_prior(&self) -> Result<SoilPrior, Failure> {
        SoilPrior::from_catalog(self.prior.as_deref()).ok_or_else(|| Failure::Usage {
            argument: "--prior",
            value: self.prior.clone().unwrap_or_default(),
            allowed: format!("one of {}", SoilPrior::families().join(", ")),
        })
    }
}

fn data(identified: &Identified, files: &[String]) -> Value {
    let Identified { drives, posterior, changes, next, settings } = identified;
    let logs = drives.logs.iter().zip(changes).map(|(log, change)| {
        json!({
            "name": log.name,
            "duration": log.duration(),
            "grade": log.grade,
            "soil_changes_at": change.begins,
            "change_noticed_at": change.noticed,
            "channels": change.channels.iter().map(|own| own.column()).collect::<Vec<_>>(),
            "windows": change.windows,
        })
    });
    json!({
        "parameters": posterior.quantiles(),
        "directions": posterior.principal_directions(),
        "strength_sigma_ln": posterior.strength_deviation(MODULUS_POWER),
        "next_drives": next,
        "fit": posterior.fit,
        "settings": settings,
        "prior_soils": posterior.prior.soils,
        "assumptions": drives.assumptions,
        "logs": logs.collect::<Vec<_>>(),
        "files": files,
    })
}

fn text(identified: &Identified, files: &[String]) -> String {
    let Identified { drives, posterior, changes, .. } = identified;
    let mut text = format!("{}\n\n", parameter_table(&posterior.quantiles()));
    text += &format!("{}\n\n", direction_table(&posterior.principal_directions()));
    if !identified.next.is_empty() {
        text += &format!("{}\n\n", next_drive_table(&identified.next));
    }
    let fit = &posterior.fit;
    text += &format!(
        "{} simulated drives, {} observed means. Misfit of the best: {:.2} times the noise\n\
         (about 1 if model and noise are right). Error of the response surface: {:.2}.\n",
        fit.drives, fit.observations, fit.misfit, fit.surface_error
    );
    for (log, change) in drives.logs.iter().zip(changes) {
        text += &match (change.begins, change.noticed) {
            (Some(begins), Some(noticed)) => format!(
                "{}: another soil from about {begins:.1} s on, noticed at {noticed:.1} s\n",
                log.name
            ),
            _ => format!("{}: one soil up to its end at {:.1} s\n", log.name, log.duration()),
        };
    }
    let strength = posterior.strength_deviation(MODULUS_POWER);
    text += &format!("For maps: strength.sigma_ln = {strength:.3}\n");
    if !files.is_empty() {
        text += &format!("Written:\n  {}\n", files.join("\n  "));
    }
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn parameter_table(quantiles: &[ParameterQuantiles]) -> String {
    let header = ["", "median", "5 %", "95 %", "sigma_ln", "of prior"];
    let cells = quantiles.iter().map(|own| {
        [
            own.key.to_owned(),
            super::number(own.median),
            super::number(own.low),
            super::number(own.high),
            format!("{:.3}", own.sigma_ln),
            format!("{:.3}", own.prior_sigma_ln),
        ]
    });
    text_table::plain(header, cells, 1..=5).to_string()
}

fn direction_table(directions: &[PrincipalDirection]) -> String {
    let header =
        ["variance/prior", "determined", "combination of logarithms over their deviations"];
    let cells = directions.iter().map(|own| {
        let is_determined = own.variance_ratio <= UNDETERMINED;
        let word = if is_determined { "yes" } else { "no" };
        [format!("{:.4}", own.variance_ratio), word.to_owned(), combination(own)]
    });
    text_table::plain(header, cells, 0..=0).to_string()
}

/// Candidates for the next drive, with the variances expected after it over those before.
fn next_drive_table(next: &[NextDrive]) -> String {
    let header =
        ["what to drive next (variance after/before)", "parameters", "least determined", "pull"];
    let cells = next.iter().map(|own| {
        let [parameters, least, pull] = ratios(own);
        [own.drive.clone(), parameters, least, pull]
    });
    text_table::plain(header, cells, 1..=3).to_string()
}

/// The expected variances of a candidate with two digits.
fn ratios(next: &NextDrive) -> [String; 3] {
    [next.parameters, next.least_determined, next.pull].map(|own| format!("{own:.2}"))
}

/// The parameters with the largest weights in a combination.
fn combination(direction: &PrincipalDirection) -> String {
    let names = ["k_phi", "k_c", "n", "cohesion", "tan_phi", "K"];
    let mut terms: Vec<(f64, &str)> = direction.weights.iter().copied().zip(names).collect();
    terms.retain(|(weight, _)| weight.abs() >= LEAST_WEIGHT);
    terms.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    terms.truncate(MOST_TERMS);
    let words = terms.iter().map(|(weight, name)| format!("{weight:+.1} {name}"));
    words.collect::<Vec<_>>().join(" ")
}
