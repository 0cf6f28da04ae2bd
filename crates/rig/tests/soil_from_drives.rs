//! Soils hidden behind drives: the same bits on any threads, and changes of soil.

mod synthetic_drives;

use bekker_ground::soil::{SoilKind, catalog};
use bekker_rig::drives::{
    DriveLog, DriveVehicle, DriveWindows, IdentificationSettings, LogChannel, PARAMETERS,
    SimulatedDrive, SoilParameters, SoilPrior, find_soil_change, identify_soil, rank_next_drives,
    read_drive_log,
};
use bekker_scenario::config::{AreaConfig, SurfaceConfig, TireModel, Zone};
use synthetic_drives::{INTERVAL, WINDOW, hidden, plan, vehicle, with_noise};

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
    let (n, truth) = hidden(&prior, 77, 1)[0];
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

#[test]
fn next_drives_are_ranked_by_the_variance_that_is_left() {
    let vehicle = vehicle(TireModel::Rigid, None);
    let plan = plan(2.0, 0.0, &[[0.0, 0.0], [0.5, 0.4]]);
    let (n, truth) = hidden(&SoilPrior::from_catalog(None).unwrap(), 77, 1)[0];
    let log = SimulatedDrive::new(&vehicle, &plan).run(&truth).unwrap().unwrap();
    let log = with_noise(log, n);
    let posterior = identify_few(&vehicle, &log, 1);
    let ranked = rank_next_drives(&vehicle, &log, &posterior, 18).unwrap();
    // rigid wheels have no inflation
    assert_eq!(ranked.len(), 7, "{ranked:?}");
    assert!(ranked.is_sorted_by(|a, b| a.parameters <= b.parameters), "{ranked:?}");
    for own in &ranked {
        let ratios = [own.parameters, own.least_determined, own.pull];
        assert!(ratios.iter().all(|own| (0.0..=1.0 + 1e-9).contains(own)), "{own:?}");
    }
    // full throttle shows the shear strength, of which a gentle start shows little
    assert!(ranked[0].pull < 0.5, "{ranked:?}");
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

/// A bag of a robot has no pedals: the simulated driver follows the speed, and the torques are those of
/// the logged driver.
#[test]
fn a_log_without_controls_has_the_torques_of_its_drive() {
    let (_, soil) = hidden(&SoilPrior::from_catalog(None).unwrap(), 77, 1)[0];
    let mrzr = vehicle(TireModel::Rigid, None);
    let mut husky = mrzr.clone();
    husky.config.model = "husky".into();
    husky.ground.spacing = 0.04;
    for vehicle in [mrzr, husky] {
        let plan = plan(7.0, 0.0, &[[0.0, 0.0], [0.5, 0.0], [1.5, 0.4], [3.0, 0.4], [5.0, 0.2]]);
        let logged = SimulatedDrive::new(&vehicle, &plan).run(&soil).unwrap().unwrap();
        let followed = DriveLog { controls: None, ..logged.clone() };
        let drive = SimulatedDrive::new(&vehicle, &followed);
        let simulated = drive.run(&soil).unwrap().unwrap();
        let skipped = drive.settling_time();
        assert!((2.0..=3.5).contains(&skipped), "{skipped}");
        let [expected, found] =
            [&logged, &simulated].map(|own| DriveWindows::of_log(own, WINDOW, skipped));
        for (index, channel) in expected.channels.iter().enumerate() {
            let every = expected.channels.len();
            let largest =
                logged.channel(*channel).unwrap().iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            let pairs = expected.means.iter().zip(&found.means).skip(index).step_by(every);
            let error = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            println!("{} {channel:?}: {error} of {largest}", vehicle.config.model);
            if matches!(channel, LogChannel::Torque(_)) {
                // the plain speed control brakes where the logged driver coasts: half and more
                assert!(error < 0.15 * largest, "{channel:?}: {error} of {largest}");
            }
        }
    }
}

/// A drive on the moon is simulated with the moon's gravity, not the earth's.
#[test]
fn drives_are_simulated_with_the_gravity_of_the_run() {
    let earth = vehicle(TireModel::Rigid, None);
    let mut moon = earth.clone();
    moon.gravity = 1.62;
    let plan = plan(1.0, 0.0, &[[0.0, 0.0], [1.0, 0.0]]);
    let (_, soil) = hidden(&SoilPrior::from_catalog(None).unwrap(), 77, 1)[0];
    let [heavy, light] = [&earth, &moon].map(|vehicle| {
        let world = vehicle.world(&SimulatedDrive::new(vehicle, &plan).scenario(&soil)).unwrap();
        world.samples().next().unwrap().wheels.iter().map(|own| own.load).sum::<f64>()
    });
    // the start is in equilibrium, which its settling reaches within a thousandth
    assert!((light / heavy / (1.62 / 9.81) - 1.0).abs() < 1e-3, "{light} of {heavy} N");
}

#[test]
fn logs_with_gaps_or_in_reverse_are_refused_and_columns_of_other_vehicles_left_out() {
    let head = "time_s,name,speed_mps,wheel0_spin_radps,wheel1_spin_radps\n";
    let row = |n: usize| format!("{n},a,1,2,\n{n},b,1,2,3\n");
    let text = head.to_owned() + &(0..30).map(row).collect::<String>();
    let log = read_drive_log("log", &text, Some("a")).unwrap();
    assert_eq!(log.channel(LogChannel::Spin(0)).unwrap().len(), 30);
    assert_eq!(log.channel(LogChannel::Spin(1)), None);
    let refused = |from: &str, to: &str| {
        let error = read_drive_log("log", &text.replace(from, to), Some("b")).unwrap_err();
        error.to_string()
    };
    // a single empty cell is a fault
    assert_eq!(
        refused("\n3,b,1,2,3", "\n3,b,1,2,"),
        "row 8: wheel1_spin_radps = : must be a number"
    );
    let reverse = refused("\n3,b,1", "\n3,b,-1");
    assert!(reverse.starts_with("row 8: speed_mps = -1: must be a forward speed"), "{reverse}");
    let gap = refused("\n29,b", "\n31,b");
    assert!(gap.starts_with("row 60: time_s = 31: must be within 2 s of the row before"), "{gap}");
}
