//! Measures how often intervals of soils identified from drives cover hidden soils, and how well pulls
//! on another grade and inflation are predicted. Takes about half a minute of two cores a soil. The
//! arguments are the number of soils and the seed from which they are drawn.
//!
//! ```sh
//! cargo run --release -p bekker-rig --example soil_intervals -- 50 1
//! ```

#[path = "../tests/synthetic_drives/mod.rs"]
mod synthetic_drives;

use bekker_ground::soil::{SoilKind, catalog};
use bekker_math::numeric::GRAVITY;
use bekker_rig::drives::{
    DriveFit, DriveLog, DriveVehicle, DriveWindows, IdentificationSettings, LogChannel,
    PARAMETER_KEYS, PARAMETERS, SimulatedDrive, SoilParameters, SoilPrior, identify_soil,
};
use bekker_scenario::config::TireModel;
use synthetic_drives::{WINDOW, hidden, noise, plan, vehicle, with_noise};

/// Grade and inflation, kPa, of drives that the logs do not have.
const UNSEEN: [(f64, Option<f64>); 3] = [(0.12, None), (0.0, Some(50.0)), (0.12, Some(50.0))];

/// A start with little and then full throttle, coasting, and half throttle.
const THROTTLE: [[f64; 2]; 8] = [
    [0.0, 0.0],
    [0.5, 0.4],
    [2.0, 0.4],
    [2.2, 1.0],
    [3.5, 1.0],
    [3.7, 0.0],
    [4.7, 0.0],
    [4.8, 0.5],
];

/// Mean pull over weight in the last second of a start with much throttle.
fn pull(soil: &SoilParameters, (grade, inflation): (f64, Option<f64>)) -> Option<f64> {
    let vehicle = vehicle(TireModel::Flexible, inflation);
    let plan = plan(3.0, grade, &[[0.0, 0.0], [0.4, 0.8]]);
    let log = SimulatedDrive::new(&vehicle, &plan).run(soil).ok()??;
    let speeds = log.channel(LogChannel::Speed)?;
    let (last, before) = (speeds.len() - 1, speeds.len() - 21);
    let slope = grade / (1.0 + grade * grade).sqrt();
    Some((speeds[last] - speeds[before]) / GRAVITY + slope)
}

/// Windows of the log and pulls of each soil of the catalog.
fn catalog_drives(vehicle: &DriveVehicle, plan: &DriveLog) -> Vec<(Vec<f64>, Vec<f64>)> {
    let soils = catalog().soils.iter().filter_map(|own| match &own.kind {
        SoilKind::Deformable(law) => Some(SoilParameters::new(law)),
        SoilKind::Firm { .. } => None,
    });
    let drive = SimulatedDrive::new(vehicle, plan);
    let driven = soils.filter_map(|soil| {
        let log = drive.run(&soil).ok()??;
        let pulls = UNSEEN.iter().map(|own| pull(&soil, *own)).collect::<Option<Vec<f64>>>();
        Some((DriveWindows::of_log(&log, WINDOW, 0.0).means, pulls?))
    });
    driven.collect()
}

/// The pulls of the catalog soil whose drive is closest to the log.
fn nearest_pulls<'a>(catalog: &'a [(Vec<f64>, Vec<f64>)], log: &DriveLog) -> &'a [f64] {
    let windows = DriveWindows::of_log(log, WINDOW, 0.0);
    let misfit = |means: &[f64]| -> f64 {
        let channels = windows.channels.iter().cycle();
        let pairs = means.iter().zip(&windows.means).zip(channels);
        let scaled = pairs.map(|((a, b), channel)| (a - b) / noise(*channel));
        scaled.map(|own| own * own).sum()
    };
    let nearest = catalog.iter().min_by(|a, b| misfit(&a.0).total_cmp(&misfit(&b.0)));
    &nearest.unwrap().1
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|own| own.parse::<u64>().ok());
    let (count, seed) = (arguments.next().unwrap_or(50), arguments.next().unwrap_or(1));
    let prior = SoilPrior::from_catalog(None).unwrap();
    let vehicle = vehicle(TireModel::Flexible, None);
    let settings = IdentificationSettings::default();
    let plan = plan(5.0, 0.0, &THROTTLE);
    let catalog = catalog_drives(&vehicle, &plan);
    let (mut inside, mut soils) = ([0; PARAMETERS], 0);
    let (mut widths, mut prior_widths) = ([0.0; PARAMETERS], [0.0; PARAMETERS]);
    let mut errors = [0.0; 2];
    for (n, truth) in hidden(&prior, seed, count as usize) {
        let Ok(Some(log)) = SimulatedDrive::new(&vehicle, &plan).run(&truth) else { continue };
        let log = with_noise(log, 1000 * seed + n);
        let logs = std::slice::from_ref(&log);
        let posterior = identify_soil(&vehicle, logs, &prior, &settings).unwrap();
        soils += 1;
        let quantiles = posterior.quantiles();
        for (k, (own, truth)) in quantiles.iter().zip(truth.by_key()).enumerate() {
            inside[k] += usize::from(own.low <= truth && truth <= own.high);
            widths[k] += own.sigma_ln;
            prior_widths[k] += own.prior_sigma_ln;
        }
        for (unseen, of_catalog) in UNSEEN.iter().zip(nearest_pulls(&catalog, &log)) {
            let Some(actual) = pull(&truth, *unseen) else { continue };
            let draws = posterior.draws.iter().step_by(75);
            let pulls: Vec<f64> = draws.filter_map(|own| pull(own, *unseen)).collect();
            let predicted = pulls.iter().sum::<f64>() / pulls.len() as f64;
            errors[0] += (predicted - actual).abs();
            errors[1] += (of_catalog - actual).abs();
        }
        let DriveFit { misfit, surface_error, .. } = posterior.fit;
        println!(
            "{soils} soils: {inside:?} inside, sums of errors {errors:.3?}; misfit {misfit:.2}, error of \
             the surface {surface_error:.2}"
        );
    }
    let share = inside.iter().sum::<usize>() as f64 / (PARAMETERS * soils) as f64;
    println!("{:.1} % of the intervals cover, of 90 % stated", 100.0 * share);
    for (key, (own, prior)) in PARAMETER_KEYS.iter().zip(widths.iter().zip(prior_widths)) {
        println!("{key}: mean sigma_ln over that of the prior {:.2}", own / prior);
    }
    println!(
        "error of the pull over that of the closest catalog soil: {:.2}",
        errors[0] / errors[1]
    );
}
