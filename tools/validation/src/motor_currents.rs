//! Currents of the motors of skid-steered robots by terrain, as ratios to firm ground.

use super::page::{Page, ValidationError};
use bekker_rig::InParallel;
use bekker_scenario::{ScenarioFile, build};
use bekker_world::World;
use std::path::Path;

const MEASURED: &str = include_str!("measured/motor_currents.csv");
/// Speeds of the bins, m/s.
const SPEEDS: [f64; 3] = [0.25, 0.5, 0.75];
/// Start and end of the mean, s.
const AVERAGED: [f64; 2] = [9.0, 14.0];
/// Firm ground of the model.
const FIRM: &str = "rigid";
/// Classes: name, class and firm class in the file, soil in the catalog, assumed by name.
const CLASSES: [[&str; 4]; 5] = [
    ["sandy loam, BorealTC", "borealtc/SANDY_LOAM", "borealtc/ASPHALT", "sandy_loam_15_lll"],
    ["snow, BorealTC", "borealtc/SNOW", "borealtc/ASPHALT", "snow_sweden"],
    ["dirt road, Vulpi", "vulpi/DIRT_ROAD", "vulpi/CONCRETE", "grenville_loam"],
    ["unplowed, Vulpi", "vulpi/UNPLOWED", "vulpi/CONCRETE", "sandy_loam_15_lll"],
    ["plowed, Vulpi", "vulpi/PLOWED", "vulpi/CONCRETE", "sandy_loam_11_michigan"],
];

const SCENARIO: &str = r#"
format = 1
name = "straight"
time = { duration = 15 }
ground = { spacing = 0.025 }
[soil]
default = "rigid"
[[vehicle]]
name = "one"
model = "husky"
position = [0, 0]
driver = { kind = "table", rows = [{ time = 0, speed = 0 }, { time = 1, speed = 0.5 }] }
"#;

/// Returns the measured current of a class at a speed, A.
fn measured(class: &str, speed: f64) -> Option<f64> {
    MEASURED.lines().find_map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let is_row = cells[0] == class && cells.get(1)?.parse() == Ok(speed);
        if is_row { cells.get(3)?.parse().ok() } else { None }
    })
}

/// Returns the current of both motors in steady straight driving, A; `None` for a stuck vehicle.
fn driven(soil: &str, speed: f64) -> Result<Option<f64>, ValidationError> {
    let sets = [format!("soil.default={soil}"), format!("vehicle[0].driver.rows[1].speed={speed}")];
    let file = ScenarioFile::parse("straight", SCENARIO, Path::new(""), &sets)?;
    let mut world = World::new(build::world(&file)?.world);
    let (mut current, mut distance, mut heartbeats) = (0.0, 0.0, 0.0);
    while world.is_running() && world.time() < AVERAGED[1] {
        world.advance();
        let Some(sample) = world.samples().next() else { break };
        if world.time() <= AVERAGED[0] {
            continue;
        }
        heartbeats += 1.0;
        distance += sample.speed;
        current += sample.motors.map_or(0.0, |own| own.currents.iter().sum::<f64>());
    }
    let is_moving = heartbeats > 0.0 && distance / heartbeats > 0.5 * speed;
    Ok(is_moving.then(|| current / heartbeats))
}

/// Adds the table of ratios of currents.
pub(super) fn add_motor_currents(page: &mut Page) -> Result<(), ValidationError> {
    page.data(
        "Motor currents of two robots by terrain: BorealTC (Husky A200), Vulpi and others 2021",
        "measured",
        "ratios only; no strength of the ground; BorealTC's asphalt differs 2.8-fold between speeds",
    );
    let soils: Vec<&str> =
        [FIRM].into_iter().chain(CLASSES.iter().map(|[.., soil]| *soil)).collect();
    let currents = soils
        .in_parallel(|soil| {
            let by_speed = SPEEDS.iter().map(|speed| driven(soil, *speed));
            by_speed.collect::<Result<Vec<_>, ValidationError>>()
        })
        .collect::<Result<Vec<_>, ValidationError>>()?;
    let ratio = |of: Option<f64>, firm: Option<f64>| Some(of? / firm?);
    let cell = |ratios: Vec<Option<f64>>, absent: &str| {
        let texts = ratios.into_iter();
        let texts: Vec<String> =
            texts.map(|own| own.map_or_else(|| absent.into(), |own| format!("{own:.2}"))).collect();
        texts.join(", ")
    };
    let rows = CLASSES.iter().zip(&currents[1..]).map(|([name, class, firm, soil], own)| {
        let of_class = |speed: &f64| ratio(measured(class, *speed), measured(firm, *speed));
        let of_model = own.iter().zip(&currents[0]).map(|(own, firm)| ratio(*own, *firm));
        vec![
            (*name).to_owned(),
            format!("`{soil}`"),
            cell(SPEEDS.iter().map(of_class).collect(), "-"),
            cell(of_model.collect(), "stuck"),
        ]
    });
    let header = ["class", "soil, assumed by name", "measured / firm", "`husky` / firm"];
    let rows = rows.collect();
    let firm = currents[0][1].unwrap_or(f64::NAN);
    page.text("Currents of the motors over those on firm ground at 0.25, 0.5 and 0.75 m/s, straight, nodes 2.5 cm apart:");
    page.table(&header, rows);
    page.text(format!(
        "On firm ground `husky` takes {firm:.1} A, and the robots 4 to 11 A. The model has no current \
         without load and no friction of gears, probably most of what was measured. On soil its rigid \
         tires roll without the loss of 0.02 of the load of firm ground. Ratios of current are not \
         predicted; nothing was fitted.",
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of the survey that were carried over.
    #[test]
    fn measured_ratios_are_those_of_the_file() {
        let ratio =
            |class: &str, firm: &str| measured(class, 0.5).unwrap() / measured(firm, 0.5).unwrap();
        assert!((ratio("vulpi/PLOWED", "vulpi/CONCRETE") - 9.49 / 6.35).abs() < 1e-12);
        assert_eq!(measured("vulpi/CONCRETE", 0.75), None);
        for [_, class, firm, _] in CLASSES {
            assert!(measured(class, 0.25).is_some() && measured(firm, 0.25).is_some(), "{class}");
        }
    }
}
