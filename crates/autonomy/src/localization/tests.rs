//! The filter on drives with known ground truth.

use super::*;
use bekker_math::geodesy::Geodetic;
use bekker_math::numeric::{GRAVITY, cos, sin};
use bekker_math::spatial::Quat;
use bekker_sensor::imu::ImuState;
use bekker_sensor::noise::Noise;
use nalgebra::SVector;

const STEP: f64 = 0.01;
const FINE: usize = 5;

/// Ground truth of the chassis at a step.
#[derive(Clone, Copy)]
struct GroundTruth {
    pose: Pose,
    velocity: Vec3,
    /// Means over the previous step, axes of the IMU.
    force: Vec3,
    rate: Vec3,
}

fn imu_mount() -> Pose {
    let orientation = Quat::from_axis_angle(&Vec3::z_axis(), 0.3);
    Pose { position: Vec3::new(0.4, -0.2, 0.5), orientation }
}

fn antenna() -> Vec3 {
    Vec3::new(-0.3, 0.1, 1.5)
}

/// A drive over waves that starts from rest, turns to both sides and varies its speed.
fn drive(seconds: f64) -> Vec<GroundTruth> {
    let h = STEP / FINE as f64;
    let pose = |t: f64, at: [f64; 2], yaw: f64| {
        let [pitch, roll] = [0.05 * sin(1.1 * t), 0.04 * sin(0.9 * t)];
        let orientation = Quat::from_axis_angle(&Vec3::z_axis(), yaw)
            * Quat::from_axis_angle(&Vec3::y_axis(), pitch)
            * Quat::from_axis_angle(&Vec3::x_axis(), roll);
        Pose { position: Vec3::new(at[0], at[1], 0.1 * sin(0.8 * t)), orientation }
    };
    let steps = (seconds / h) as usize;
    let (mut at, mut yaw, mut poses) = ([0.0, 0.0], 0.0, Vec::new());
    for step in 0..steps + 2 {
        let t = h * step as f64;
        poses.push(pose(t, at, yaw));
        let speed = 5.0 * t / (t + 2.0) * (1.0 + 0.3 * sin(0.3 * t));
        at = [at[0] + h * speed * cos(yaw), at[1] + h * speed * sin(yaw)];
        yaw += h * 0.4 * sin(0.25 * t);
    }
    let imu = imu_mount();
    let imus: Vec<Pose> = poses
        .iter()
        .map(|pose| Pose {
            position: pose.point(&imu.position),
            orientation: pose.orientation * imu.orientation,
        })
        .collect();
    let velocity = |k: usize| (imus[k + 1].position - imus[k].position) / h;
    let up = Vec3::new(0.0, 0.0, GRAVITY);
    let mut truths = Vec::new();
    for step in (FINE..steps).step_by(FINE) {
        let (mut force, mut rate) = (Vec3::zeros(), Vec3::zeros());
        for k in step - FINE..step {
            let acceleration =
                if k == 0 { Vec3::zeros() } else { (velocity(k) - velocity(k - 1)) / h };
            let [a, b] = [imus[k].orientation, imus[k + 1].orientation];
            force += a.inverse_transform_vector(&(acceleration + up)) / FINE as f64;
            rate += 2.0 * (a.inverse() * b).imag() / h / FINE as f64;
        }
        let velocity = (poses[step + 1].position - poses[step - 1].position) / (2.0 * h);
        truths.push(GroundTruth { pose: poses[step], velocity, force, rate });
    }
    truths
}

/// Sensors that the model of the filter describes exactly.
fn sensors() -> (Imu, Gps) {
    let exact = |triad: Triad| Triad {
        drift: 0.0,
        drift_time: 0.0,
        scale: 0.0,
        misalignment: 0.0,
        resolution: 0.0,
        range: 0.0,
        ..triad
    };
    let Imu { accelerometer, gyroscope } = Imu::industrial();
    let imu = Imu { accelerometer: exact(accelerometer), gyroscope: exact(gyroscope) };
    (imu, Gps::rtk_fixed(Site::new(Geodetic::degrees(47.0, 11.0, 500.0))))
}

/// One localization run, with the sensor errors of a seed.
///
/// Fixes arrive at 5 Hz, `lag` steps late, except during an outage.
struct LocalizationRun {
    localizer: Localizer,
    state: LocalizerState,
    imu: ImuState,
}

fn localize(
    truths: &[GroundTruth],
    seed: u64,
    outage: [f64; 2],
    lag: usize,
    mut watch: impl FnMut(usize, &LocalizerState),
) -> LocalizationRun {
    let (imu, gps) = sensors();
    let model = FilterModel::from_sensors(&imu, &gps, 1.0, GRAVITY);
    let site = gps.site;
    let inertial = Inertial { model, site, imu: imu_mount(), antenna: antenna() };
    let localizer = Localizer::from_filter(inertial);
    let noise = [0, 1].map(|sensor| Noise::new(seed, 0, sensor));
    let mut imu_state = imu.start(&noise[0]);
    let mut gps_state = gps.start(&noise[1]);
    // initial errors as large as the filter assumes
    let [p, v, a] = model.start;
    let draw = |lane| Vec3::from_row_slice(&noise[0].normals(7, 99, lane)[..3]);
    let turned = rotation(&(a * draw(1)));
    let start = Pose {
        position: p * draw(0),
        orientation: Quat::new_normalize(
            (imu_mount().orientation * turned * imu_mount().orientation.inverse()).into_inner(),
        ),
    };
    let mut state = localizer.start(&start, 0.0);
    if let Some(navigation) = &mut state.navigation {
        // initial velocity from the sway of the waves
        let sway = Vec3::new(0.0, 0.0, 0.08) + v * draw(2);
        let arm = Vec3::new(0.036, 0.055, 0.0).cross(&imu_mount().position);
        navigation.now.velocity = sway + arm;
        navigation.anchor.velocity = sway + arm;
    }
    let mut late: VecDeque<(usize, f64, Fix)> = VecDeque::new();
    for (step, truth) in truths.iter().enumerate() {
        let time = STEP * (step + 1) as f64;
        let frame = step as u32 + 1;
        let measured =
            imu.measure(&mut imu_state, [truth.force, truth.rate], STEP, STEP, &noise[0], frame);
        let [specific_force, angular_rate] = measured;
        let reading = Reading::Imu { specific_force, angular_rate };
        localizer.add_reading(&mut state, SensorRole::Imu, time, &reading);
        if frame.is_multiple_of(20) {
            let place = truth.pose.point(&antenna());
            // velocity of the antenna from the motion of the chassis
            let angular = truth.pose.orientation * (imu_mount().orientation * truth.rate);
            let velocity = truth.velocity + angular.cross(&(place - truth.pose.position));
            let micro = (time * 1e6).round() as u64;
            let fix =
                gps.measure(&mut gps_state, [&place, &velocity], micro, 0.2, &noise[1], frame);
            if !(outage[0]..outage[1]).contains(&time) {
                late.push_back((step + lag, time, fix));
            }
        }
        while late.front().is_some_and(|(due, ..)| *due <= step) {
            let (_, time, fix) = late.pop_front().unwrap();
            localizer.add_reading(&mut state, SensorRole::Gps, time, &Reading::Fix(fix));
        }
        watch(step, &state);
    }
    LocalizationRun { localizer, state, imu: imu_state }
}

/// Errors of position, velocity and attitude of the IMU's frame, in the order of the covariance.
fn errors(truth: &GroundTruth, filter: &KalmanState) -> SVector<f64, 9> {
    let imu = imu_mount();
    let position = truth.pose.point(&imu.position) - filter.position;
    let arm = truth.pose.direction(&imu.position);
    let angular = truth.pose.orientation * (imu.orientation * truth.rate);
    let velocity = truth.velocity + angular.cross(&arm) - filter.velocity;
    let attitude = filter.attitude.inverse() * (truth.pose.orientation * imu.orientation);
    let turn = 2.0 * attitude.imag() * attitude.w.signum();
    SVector::from_iterator(position.iter().chain(velocity.iter()).chain(turn.iter()).copied())
}

/// The errors match the covariance that the filter reports.
///
/// If they do, the normalized squared error of a drive is chi-square with 9 degrees of freedom.
/// Over 30 drives the mean is within 9 ± 4 √(2 · 9 / 30) = 3.1.
#[test]
fn errors_match_the_reported_deviation() {
    let truths = drive(40.0);
    let last = truths[truths.len() - 1];
    let mut sum = 0.0;
    for seed in 0..30 {
        let trial = localize(&truths, seed, [0.0, 0.0], 0, |_, _| {});
        let filter = trial.state.filter().unwrap();
        let covariance = filter.covariance().fixed_view::<9, 9>(0, 0).into_owned();
        let error = errors(&last, filter);
        sum += error.dot(&covariance.cholesky().unwrap().solve(&error));
    }
    let mean = sum / 30.0;
    assert!((mean - 9.0).abs() < 3.1, "{mean}");
}

/// After a minute of turns the bias of the vertical gyroscope is known ten times better than at the
/// start.
///
/// Its error is within four reported standard deviations.
#[test]
fn finds_the_bias_of_the_gyroscope() {
    let truths = drive(60.0);
    let (imu, _) = sensors();
    for seed in 0..4 {
        let trial = localize(&truths, seed, [0.0, 0.0], 0, |_, _| {});
        let filter = trial.state.filter().unwrap();
        // the output without rotation and noise is the bias
        let quiet = Imu { gyroscope: Triad { noise_density: 0.0, ..imu.gyroscope }, ..imu };
        let mut state = trial.imu;
        let noise = Noise::new(seed, 0, 0);
        let [_, bias] = quiet.measure(&mut state, [Vec3::zeros(); 2], STEP, 1e-9, &noise, 99_999);
        let sd = filter.covariance()[(11, 11)].sqrt();
        let off = bias.z - filter.gyro_bias.z;
        assert!(sd < 0.1 * imu.gyroscope.turn_on_bias, "{sd} of {}", imu.gyroscope.turn_on_bias);
        assert!(off.abs() < 4.0 * sd, "{off} with {sd}");
    }
}

/// During 20 s without fixes the estimate drifts by at most four reported standard deviations.
///
/// It recovers once fixes arrive again.
#[test]
fn an_outage_drifts_by_the_reported_deviation() {
    let truths = drive(60.0);
    for seed in 0..4 {
        let mut seen = Vec::new();
        let trial = localize(&truths, seed, [30.0, 50.0], 0, |step, state| {
            if [2990, 4970, 5900].contains(&step) {
                let estimate = *state.estimate();
                let off = truths[step].pose.position - estimate.pose.position;
                seen.push((off.x.hypot(off.y), estimate.position_sd));
            }
        });
        let [before, at_end, after] = seen[..] else { panic!("three moments are due") };
        assert!(at_end.1 > 3.0 * before.1 && at_end.0 < 4.0 * 1.5 * at_end.1, "{seen:?}");
        assert!(after.1 < 2.0 * before.1 && after.0 < 4.0 * 1.5 * after.1, "{seen:?}");
        assert!(at_end.0 < 5.0, "{seen:?}");
        assert!(trial.localizer.estimate(&trial.state).heading_sd < 0.02);
    }
}

/// A late fix corrects the state at the time of its measurement.
///
/// Once all have arrived, the estimate is bit for bit that of fixes without latency.
#[test]
fn late_fixes_end_in_the_same_bits() {
    let truths = drive(20.0);
    let prompt = localize(&truths, 3, [19.5, 99.0], 0, |_, _| {});
    let late = localize(&truths, 3, [19.5, 99.0], 23, |_, _| {});
    assert_eq!(prompt.state.estimate(), late.state.estimate());
    let at = |trial: &LocalizationRun| trial.state.track().pose_at(19.55);
    assert_eq!(at(&prompt), at(&late));
}

/// The frame of the odometry may be mounted anywhere on the chassis.
#[test]
fn the_truth_is_taken_from_any_mount() {
    let mount = imu_mount();
    let localizer = Localizer::from_odometry(mount);
    let mut state = localizer.start(&Pose::default(), 0.0);
    let chassis = Pose {
        position: Vec3::new(3.0, 4.0, 1.0),
        orientation: Quat::from_axis_angle(&Vec3::z_axis(), 1.0),
    };
    let pose = Pose {
        position: chassis.point(&mount.position),
        orientation: chassis.orientation * mount.orientation,
    };
    // turning in place around the origin of the chassis
    let angular = Vec3::new(0.0, 0.0, 0.5);
    let swing = angular.cross(&(pose.position - chassis.position));
    let truth = Odometry {
        pose,
        velocity: pose.orientation.inverse_transform_vector(&swing),
        angular_velocity: pose.orientation.inverse_transform_vector(&angular),
    };
    localizer.add_reading(&mut state, SensorRole::Odometry, 1.0, &Reading::Odometry(truth));
    let MotionEstimate { pose, velocity, yaw_rate, .. } = *state.estimate();
    assert!((pose.position - chassis.position).norm() < 1e-12 && velocity.norm() < 1e-12);
    assert!(
        (yaw_rate - 0.5).abs() < 1e-12 && pose.orientation.angle_to(&chassis.orientation) < 1e-9
    );
}
