//! Soils hidden behind drives: coverage of the intervals, predictions elsewhere, changes of soil, and
//! the same bits on any threads.

use bekker_ground::soil::{SoilKind, catalog};
use bekker_math::curve::Curve;
use bekker_math::numeric::GRAVITY;
use bekker_math::random::RandomStream;
use bekker_rig::drives::{
    DriveLog, DriveVehicle, DriveWindows, IdentificationSettings, LogChannel, LoggedControls,
    PARAMETERS, SimulatedDrive, SoilParameters, SoilPrior, find_soil_change, identify_soil,
    model_error,
};
use bekker_scenario::config::{
    AreaConfig, DriverConfig, SurfaceConfig, TireModel, VehicleConfig, Zone,
};
use bekker_vehicle::spec::Inflation;
use std::path::PathBuf;

/// Time between samples and width of windows, s.
const INTERVAL: f64 = 0.05;
const WINDOW: f64 = 0.5;
/// Grade and inflation, kPa, of drives that the logs do not have.
const UNSEEN: [(f64, Option<f64>); 3] = [(0.12, None), (0.0, Some(50.0)), (0.12, Some(50.0))];

/// The vehicle with coarse steps and nodes: the inference is tested, not the accuracy of a drive.
fn vehicle(tire: TireModel, inflation: Option<f64>) -> DriveVehicle {
    let mut config = VehicleConfig::new("vehicle", "mrzr4", DriverConfig::default());
    config.tire = Some(tire);
    config.inflation_kpa = inflation.map(Inflation::All);
    let mut vehicle = DriveVehicle::new(config, PathBuf::new());
    vehicle.step = Some(0.005);
    vehicle.ground.spacing = 0.08;
    vehicle
}

/// A log with a throttle over time and channels without values.
fn plan(duration: f64, grade: f64, throttle: &[[f64; 2]]) -> DriveLog {
    let count = (duration / INTERVAL).round() as usize;
    let times: Vec<f64> = (0..=count).map(|n| n as f64 * INTERVAL).collect();
    let curve = Curve::new(throttle.to_vec()).unwrap();
    let throttle = times.iter().map(|time| curve.value(*time)).collect();
    let zeros = vec![0.0; times.len()];
    let mut channels = vec![LogChannel::Speed, LogChannel::Pitch];
    channels.extend((0..4).flat_map(|wheel| [LogChannel::Spin(wheel), LogChannel::Torque(wheel)]));
    let channels = channels.into_iter().map(|own| (own, zeros.clone())).collect();
    let controls = Some(LoggedControls { throttle, brake: zeros.clone(), steering: zeros });
    DriveLog { name: "synthetic".into(), times, channels, controls, grade }
}

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

/// Deviation of the white noise of a sample.
fn noise(channel: LogChannel) -> f64 {
    match channel {
        LogChannel::Speed => 0.05,
        LogChannel::Pitch => 0.003,
        LogChannel::Spin(_) => 0.2,
        LogChannel::Torque(_) => 20.0,
        LogChannel::Sinkage(_) => 0.005,
    }
}

/// Adds white noise, and in each window an error of the model.
fn with_noise(mut log: DriveLog, seed: u64) -> DriveLog {
    let window = |time: &f64| (time / WINDOW - 1e-6).floor().max(0.0) as u64;
    let windows: Vec<u64> = log.times.iter().map(window).collect();
    for (channel, values) in &mut log.channels {
        let samples = RandomStream::new(seed, &channel.column());
        let windows_of_model = RandomStream::new(seed, &format!("model of {}", channel.column()));
        let model = model_error(*channel, values);
        for (n, own) in values.iter_mut().enumerate() {
            *own += noise(*channel) * samples.normal(n as u64)
                + model * windows_of_model.normal(windows[n]);
        }
    }
    log
}

/// Soils drawn from the prior on which the vehicle can be simulated.
fn hidden(prior: &SoilPrior, count: usize) -> Vec<(u64, SoilParameters)> {
    let stream = RandomStream::new(77, "hidden");
    let draw = |n: u64| {
        let normals = std::array::from_fn(|k| stream.normal(PARAMETERS as u64 * n + k as u64));
        prior.draw(normals).map(|own| (n, own))
    };
    (0..).filter_map(draw).take(count).collect()
}

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

/// Of 50 hidden soils, 90 % intervals cover 85 to 95 %, and predicted pulls have half the error of
/// the catalog soil whose drive is closest to the log.
#[test]
#[ignore = "takes half an hour of a core"]
fn intervals_cover_hidden_soils_and_predict_unseen_pulls() {
    let prior = SoilPrior::from_catalog(None).unwrap();
    let vehicle = vehicle(TireModel::Flexible, None);
    let settings = IdentificationSettings {
        prior_drives: 120,
        round_drives: 60,
        rounds: 3,
        ..IdentificationSettings::default()
    };
    let plan = plan(5.0, 0.0, &THROTTLE);
    let catalog = catalog_drives(&vehicle, &plan);
    let (mut inside, mut soils) = ([0; PARAMETERS], 0);
    let mut errors = [0.0; 2];
    for (n, truth) in hidden(&prior, 50) {
        let Ok(Some(log)) = SimulatedDrive::new(&vehicle, &plan).run(&truth) else { continue };
        let log = with_noise(log, n);
        let logs = std::slice::from_ref(&log);
        let posterior = identify_soil(&vehicle, logs, &prior, &settings).unwrap();
        soils += 1;
        let quantiles = posterior.quantiles();
        for (inside, (own, truth)) in inside.iter_mut().zip(quantiles.iter().zip(truth.by_key())) {
            *inside += usize::from(own.low <= truth && truth <= own.high);
        }
        for (unseen, of_catalog) in UNSEEN.iter().zip(nearest_pulls(&catalog, &log)) {
            let Some(actual) = pull(&truth, *unseen) else { continue };
            let draws = posterior.draws.iter().step_by(75);
            let pulls: Vec<f64> = draws.filter_map(|own| pull(own, *unseen)).collect();
            let predicted = pulls.iter().sum::<f64>() / pulls.len() as f64;
            errors[0] += (predicted - actual).abs();
            errors[1] += (of_catalog - actual).abs();
        }
        println!("{soils} soils: {inside:?} inside, sums of errors {errors:?}");
    }
    let share = inside.iter().sum::<usize>() as f64 / (PARAMETERS * soils) as f64;
    assert!(soils >= 45 && (0.85..=0.95).contains(&share), "{soils} soils, {share}");
    assert!(errors[0] < 0.5 * errors[1], "{errors:?}");
}

fn identify_few(
    vehicle: &DriveVehicle,
    log: &DriveLog,
    seed: u64,
) -> bekker_rig::drives::SoilPosterior {
    let prior = SoilPrior::from_catalog(None).unwrap();
    let settings = IdentificationSettings::quick(seed);
    identify_soil(vehicle, std::slice::from_ref(log), &prior, &settings).unwrap()
}

#[test]
fn a_hidden_soil_is_found_with_the_same_bits_on_any_threads() {
    let prior = SoilPrior::from_catalog(None).unwrap();
    let vehicle = vehicle(TireModel::Rigid, None);
    let plan = plan(3.0, 0.0, &[[0.0, 0.0], [0.5, 0.4], [1.5, 0.4], [1.7, 1.0]]);
    let (n, truth) = hidden(&prior, 1)[0];
    let log = SimulatedDrive::new(&vehicle, &plan).run(&truth).unwrap().unwrap();
    let log = with_noise(log, n);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| identify_few(&vehicle, &log, 1))
    };
    let (one, three) = (on(1), on(3));
    assert_eq!(one.draws, three.draws);
    assert_eq!(one.quantiles(), three.quantiles());
    // of six intervals of 90 %, two or more miss the truth in one of nine cases; this one is fixed
    let is_inside = |(own, truth): (&bekker_rig::drives::ParameterQuantiles, f64)| {
        own.low <= truth && truth <= own.high
    };
    let quantiles = one.quantiles();
    let inside = quantiles.iter().zip(truth.by_key()).filter(|own| is_inside((own.0, own.1)));
    assert!(inside.count() >= 4, "{quantiles:?} {truth:?}");
    // a start tells one combination of the shear parameters at least, and leaves others as they were
    let directions = one.principal_directions();
    assert!(directions[0].variance_ratio < 0.1, "{directions:?}");
    assert!(directions[PARAMETERS - 1].variance_ratio > 0.2, "{directions:?}");
    assert!(one.strength_deviation(1.9) < 0.5 && one.fit.misfit < 3.0, "{:?}", one.fit);
}

/// The vehicle drives from one soil of the catalog onto another after 5 s.
#[test]
fn a_changed_soil_is_noticed_within_five_seconds() {
    let vehicle = vehicle(TireModel::Rigid, None);
    let [first, second] = ["sandy_loam_11_michigan", "sandy_loam_32_hanamoto"].map(|id| {
        let SoilKind::Deformable(law) = &catalog().find(id).unwrap().kind else { panic!("{id}") };
        SoilParameters::new(law)
    });
    let plan = plan(10.0, 0.0, &[[0.0, 0.0], [0.5, 0.3]]);
    let drive = SimulatedDrive::new(&vehicle, &plan);
    let mut scenario = drive.scenario(&first);
    assert!(matches!(scenario.terrain.surface, SurfaceConfig::Flat { .. }));
    let stays = drive.run_scenario(&scenario).unwrap().unwrap();
    let (mut crossing, mut way) = (0.0, 0.0);
    for (time, speed) in stays.times.iter().zip(stays.channel(LogChannel::Speed).unwrap()) {
        way += speed * INTERVAL;
        if *time <= 5.0 {
            crossing = way;
        }
    }
    scenario.soil.custom.push(second.to_custom_soil("second"));
    scenario.soil.zone.push(Zone {
        soil: "second".into(),
        area: AreaConfig::Band { from: [crossing, 0.0], to: [crossing + 200.0, 0.0], width: 20.0 },
    });
    let changes = drive.run_scenario(&scenario).unwrap().unwrap();
    let [stays, changes] = [with_noise(stays, 5), with_noise(changes, 6)];
    let posterior = identify_few(&vehicle, &stays.until(4.0), 2);
    let same = find_soil_change(&vehicle, &stays, &posterior).unwrap();
    assert_eq!(same.noticed, None, "{:?}", same.windows);
    let found = find_soil_change(&vehicle, &changes, &posterior).unwrap();
    let noticed = found.noticed.expect("the loam differs");
    // the front wheels are ahead of the origin of the chassis by less than 4 m, half a second
    assert!((4.5..=8.0).contains(&noticed), "{noticed}");
}
