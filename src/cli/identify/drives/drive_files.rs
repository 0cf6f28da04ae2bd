//! Files of an identification: the soil, and a study of its posterior.

use super::{Identified, MODULUS_POWER, page};
use crate::cli::Failure;
use crate::report::write_file;
use crate::rig::drives::{
    DriveVehicle, PARAMETER_KEYS, ParameterQuantiles, SimulatedDrive, SoilParameters,
};
use crate::scenario::config::{DriverConfig, PathEnd};
use crate::scenario::{Diagnostics, Scenario};
use crate::vehicle::Locks;
use std::path::Path;

/// Number of joint draws in the table of the study.
const DRAWS: usize = 64;
/// Length and speed of the drive of the study, m and m/s.
const WAY: f64 = 30.0;
const SPEED: f64 = 3.0;
/// Duration of the drive of the study, s.
const DURATION: f64 = 15.0;

/// Names of written files, and the draws that they omit.
pub struct IdentificationFiles {
    pub names: Vec<String>,
    /// Draws that the scenario refuses, in words; empty if it takes all.
    pub left_out: Option<String>,
}

/// Writes the files and the page.
///
/// # Errors
/// A folder or file that cannot be written.
pub fn write(
    folder: &Path,
    name: &str,
    identified: &Identified,
) -> Result<IdentificationFiles, Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|cause| Failure::Output { subject: folder.display().to_string(), cause })?;
    let quantiles = identified.posterior.quantiles();
    let scenario = scenario(name, identified);
    let accepted =
        AcceptedDraws::new(&identified.posterior.draws, &identified.drives.vehicle, &scenario);
    let refused = |error: toml::ser::Error| Failure::Input {
        subject: "scenario.toml".into(),
        cause: error.to_string(),
    };
    let files = [
        ("soil.toml", soil(name, identified)),
        ("factors.toml", factors(&quantiles)),
        ("draws.csv", accepted.table()),
        ("scenario.toml", scenario.to_toml().map_err(refused)?),
        ("study.toml", study()),
        ("report.html", page::html(name, identified)),
    ];
    let mut written = Vec::new();
    for (own, text) in files {
        let path = folder.join(own);
        write_file(&path, text.as_bytes())?;
        written.push(path.display().to_string());
    }
    Ok(IdentificationFiles { names: written, left_out: accepted.in_words() })
}

/// The central soil with the keys of `[[soil.custom]]`, as rigs take it.
fn soil(name: &str, identified: &Identified) -> String {
    let strength = identified.posterior.strength_deviation(MODULUS_POWER);
    let mut text = format!(
        "# Soil identified from drives: the center of the posterior. factors.toml has the \
         distributions,\n# draws.csv their joint draws. In a map: strength.sigma_ln = \
         {strength:.3}\nname = {name:?}\n"
    );
    let values = identified.posterior.central_soil().by_key();
    for (key, value) in PARAMETER_KEYS.iter().zip(values) {
        text += &format!("{key} = {value:e}\n");
    }
    text
}

/// Factors of a study with the distribution of each parameter alone.
fn factors(quantiles: &[ParameterQuantiles]) -> String {
    let mut text = String::from(
        "# Distribution of each parameter alone. Without their correlations, which draws.csv has,\n\
         # predictions are more uncertain than the drives leave them.\n",
    );
    for own in quantiles {
        let sigma = own.sigma_ln.max(1e-6);
        text += &format!(
            "\n[[factor]]\nname = \"{key}\"\nkey = \"soil.custom[0].{key}\"\n",
            key = own.key
        );
        // scenarios refuse friction angles from 60 deg and exponents above 3
        let high = match own.key {
            "friction_angle_deg" => ", high = 59.9",
            "n" => ", high = 3",
            "shear_modulus" => ", high = 1",
            _ => "",
        };
        let median = own.median;
        text += &format!(
            "distribution = {{ kind = \"lognormal\", median = {median:e}, sigma_ln = \
             {sigma:.4}{high} }}\n"
        );
    }
    text
}

/// Joint draws of the posterior that the scenario of the study takes.
struct AcceptedDraws {
    draws: Vec<SoilParameters>,
    /// Number of refused draws, with the fault of the first.
    refused: usize,
    fault: Option<Diagnostics>,
}

impl AcceptedDraws {
    /// Takes draws in order until there are [`DRAWS`]: each replaces one that was refused before it.
    ///
    /// A particle that no move has changed since it was resampled is the copy of another. Studies
    /// refuse equal rows, so it is taken once.
    fn new(draws: &[SoilParameters], vehicle: &DriveVehicle, scenario: &Scenario) -> AcceptedDraws {
        let stride = (draws.len() / DRAWS).max(1);
        let order = (0..stride).flat_map(|first| draws.iter().skip(first).step_by(stride));
        let mut own = AcceptedDraws { draws: Vec::new(), refused: 0, fault: None };
        let mut scenario = scenario.clone();
        let name = scenario.soil.default.clone();
        for soil in order {
            if own.draws.len() == DRAWS {
                break;
            }
            if own.draws.contains(soil) {
                continue;
            }
            scenario.soil.custom[0] = soil.to_custom_soil(&name);
            match vehicle.world(&scenario) {
                Ok(_) => own.draws.push(*soil),
                Err(fault) => {
                    own.refused += 1;
                    own.fault.get_or_insert(fault);
                }
            }
        }
        own
    }

    /// One column a factor.
    fn table(&self) -> String {
        let mut text = format!("{}\n", PARAMETER_KEYS.join(","));
        for own in &self.draws {
            let values = own.by_key().map(|value| format!("{value:e}"));
            text += &format!("{}\n", values.join(","));
        }
        text
    }

    fn in_words(&self) -> Option<String> {
        let fault = self.fault.as_ref()?.0.first()?;
        let (refused, tried) = (self.refused, self.refused + self.draws.len());
        Some(format!(
            "draws.csv lacks {refused} of {tried} draws that the scenario refuses ({}: {}); its soils \
             are those of the posterior without them",
            fault.key, fault.kind
        ))
    }
}

/// A straight drive of the vehicle on the soil.
fn scenario(name: &str, identified: &Identified) -> Scenario {
    let soil = identified.posterior.central_soil();
    let log = &identified.drives.logs[0];
    let mut scenario: Scenario =
        SimulatedDrive::new(&identified.drives.vehicle, log).scenario(&soil);
    scenario.name = name.into();
    scenario.time.duration = DURATION;
    scenario.soil.default = name.into();
    scenario.soil.custom[0].name = name.into();
    scenario.endings = Default::default();
    scenario.terrain = Default::default();
    scenario.vehicle[0].speed = 0.0;
    scenario.vehicle[0].driver = DriverConfig::Path {
        waypoints: vec![[0.0, 0.0], [WAY, 0.0]],
        speed: SPEED,
        look_ahead: None,
        start: 0.0,
        stop: None,
        reverse: false,
        at_end: PathEnd::Stop,
        lateral_acceleration: None,
        acceleration: None,
        slip_limit: None,
        locks: Locks::OPEN,
    };
    scenario
}

/// A study of the joint draws.
fn study() -> String {
    let mut text = String::from(
        "# The vehicle on soils of the posterior, with their correlations.\n#   bekker study run \
         study.toml --out on_soil\nformat = 1\ndescription = \"A drive on soils of the \
         posterior.\"\nscenario = \"scenario.toml\"\ndesign = \"table\"\ntable = \"draws.csv\"\n\
         responses = [\"go\", \"speed_made_good\", \"mean_slip\", \"max_sinkage\"]\n",
    );
    for key in PARAMETER_KEYS {
        text += &format!("\n[[factor]]\nname = \"{key}\"\nkey = \"soil.custom[0].{key}\"\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::config::{TimeConfig, VehicleConfig};

    #[test]
    fn draws_that_the_scenario_refuses_are_left_out_and_counted() {
        let loam = SoilParameters {
            k_phi: 1e6,
            k_c: 1e4,
            n: 0.8,
            cohesion: 3e3,
            friction_angle: 0.4,
            shear_modulus: 0.02,
        };
        // scenarios allow exponents up to 3
        let refused = SoilParameters { n: 5.0, ..loam };
        let config = VehicleConfig::new("vehicle", "mrzr4", DriverConfig::default());
        let vehicle = DriveVehicle::new(config.clone(), Default::default());
        let mut scenario = Scenario::new("study", "loam", TimeConfig::with_duration(1.0));
        scenario.soil.custom.push(loam.to_custom_soil("loam"));
        scenario.vehicle.push(config);
        let weaker = SoilParameters { cohesion: 2e3, ..loam };
        let draws = [refused, loam, loam, weaker];
        let accepted = AcceptedDraws::new(&draws, &vehicle, &scenario);
        assert_eq!(accepted.draws, [loam, weaker]);
        let words = accepted.in_words().unwrap();
        assert!(words.starts_with("draws.csv lacks 1 of 3 draws"), "{words}");
        assert!(words.contains("soil.custom[0].n"), "{words}");
        assert_eq!(AcceptedDraws::new(&[loam], &vehicle, &scenario).in_words(), None);
    }
}
