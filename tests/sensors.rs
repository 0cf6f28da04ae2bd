//! Sensor readings: the same bytes on any number of threads and ranks and across a checkpoint.
//!
//! They arrive on time and agree with the vehicle's motion.

use crate::scene;

use bekker::geodesy::{Geodetic, Site};
use bekker::sensor::encoder::WheelEncoder;
use bekker::sensor::gps::{Gps, Outages};
use bekker::sensor::imu::{Imu, Triad};
use bekker::sensor::magnetometer::{GeomagneticField, Magnetometer};
use bekker::sensor::noise::Noise;
use bekker::sensor::{Delivery, Filter, Model, Reading, Sensor, SensorSchedule};
use bekker::simulation::{GroundVehicle, Ranks, Sharing, World, WorldModel, checkpoint};
use bekker::spatial::{Pose, Quat, Vec3};
use bekker::sync::Partition;
use scene::{agent, flat, m113, on_ranks, pose_at, soil, table, vehicle, world, world_model};
use std::time::Duration;

fn magnetometer() -> Magnetometer {
    Magnetometer {
        field: GeomagneticField { strength: 48e-6, declination: 0.07, inclination: 1.1 },
        bias: Vec3::new(1e-6, 0.0, 0.0),
        scale: Vec3::zeros(),
        noise: 1e-7,
        range: 1e-3,
        resolution: 1e-8,
    }
}

fn site() -> Site {
    Site::new(Geodetic::degrees(47.1, 9.6, 480.0))
}

/// Returns one sensor of each proprioceptive kind, at rates and lags that are no multiples of the
/// step.
fn suite(agent: u32) -> Vec<Sensor> {
    let turned = Quat::from_euler_angles(0.1, -0.05, 0.7);
    let mount = Pose { position: Vec3::new(0.6, -0.3, 0.9), orientation: turned };
    let outages = Some(Outages { interval: 0.5, duration: 0.2 });
    let gps = Gps { outages, ..Gps::sps(site()) };
    let sensor = |(index, (model, rate, lag, window, filters))| Sensor {
        name: format!("sensor{index}"),
        mount,
        schedule: SensorSchedule::new(rate, lag, window),
        model,
        record: true,
        filters,
        noise: Noise::new(42, agent, index as u32),
    };
    let all: [(Model, f64, f64, f64, Vec<Filter>); 6] = [
        (Model::Imu(Imu::consumer()), 200.0, 0.0031, 0.004, vec![Filter::Lose(0.05)]),
        (Model::Gps(Box::new(gps)), 10.0, 0.123, 0.03, vec![]),
        (Model::Magnetometer(magnetometer()), 30.0, 0.0, 0.0, vec![Filter::Noise(1e-8)]),
        (Model::Encoder(WheelEncoder { ticks_per_turn: 1024 }), 100.0, 0.001, 0.0, vec![]),
        (Model::Odometry, 50.0, 0.0, 0.0, vec![Filter::Every(3)]),
        (Model::Terramechanics, 25.0, 0.04, 0.0, vec![]),
    ];
    all.into_iter().enumerate().map(sensor).collect()
}

/// Builds two wheeled vehicles in one rut and a tracked one.
fn model() -> WorldModel {
    let hmmwv = vehicle("hmmwv");
    let on = || table(&[[0.2, 0.0], [0.4, 0.6]], &[[0.0, 0.0], [1.0, 0.3]], &[]);
    let mut agents = vec![
        agent(&hmmwv, on(), pose_at(0.0, 0.0, 0.6)),
        agent(&hmmwv, on(), pose_at(-5.0, 0.1, 0.6)),
        m113(on(), pose_at(0.0, 10.0, 0.0)),
    ];
    for (index, agent) in agents.iter_mut().enumerate() {
        agent.sensors = suite(index as u32);
    }
    world_model(flat(0.05, soil("mid")), 2e-3, agents)
}

const BEATS: usize = 120;

type Deliveries = Vec<(u32, Delivery)>;

fn take(world: &World, all: &mut Deliveries) {
    for agent in 0..world.model().agents.len() {
        all.extend(world.delivered(agent).iter().map(|d| (agent as u32, d.clone())));
    }
}

fn in_order(mut all: Deliveries) -> Deliveries {
    all.sort_by_key(|(agent, d)| (d.due_us, *agent, d.sensor, d.frame));
    all
}

fn on_threads(threads: usize) -> Deliveries {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut world = World::new(model());
        let mut all = Vec::new();
        for _ in 0..BEATS {
            world.advance();
            take(&world, &mut all);
        }
        in_order(all)
    })
}

fn bytes(all: &Deliveries) -> Vec<u8> {
    postcard::to_stdvec(all).unwrap()
}

#[test]
fn any_number_of_threads_ranks_and_resumes_gives_the_same_readings() {
    let expected = on_threads(1);
    assert!(expected.len() > 700, "{}", expected.len());
    assert_eq!(bytes(&expected), bytes(&on_threads(3)), "three threads");

    let mut world = World::new(model());
    let mut cut = Vec::new();
    for heartbeat in 0..BEATS {
        world.advance();
        take(&world, &mut cut);
        if heartbeat % 13 == 5 {
            let stored = checkpoint::encode(world.model(), "x", world.state());
            let state = checkpoint::decode(world.model(), "x", &stored).unwrap();
            world = World::resume(world.model().clone(), state).unwrap();
        }
    }
    assert_eq!(bytes(&expected), bytes(&in_order(cut)), "cut and resumed");

    for (size, partition) in
        [(1, Partition::Blocks), (2, Partition::RoundRobin), (3, Partition::Blocks)]
    {
        let all = on_ranks(size, Duration::from_secs(120), |rank| {
            let sharing = Sharing { partition: partition.clone(), ..Sharing::default() };
            let mut ranks = Ranks::new(rank, model(), None, &sharing, &[]).unwrap();
            let mut all = Vec::new();
            for _ in 0..BEATS {
                ranks.advance(false).unwrap();
                all.extend(ranks.delivered().unwrap());
            }
            all
        });
        let first = all.into_iter().next().unwrap().unwrap();
        assert_eq!(bytes(&expected), bytes(&in_order(first)), "{size} ranks");
    }
}

#[test]
fn readings_come_at_their_rate_and_after_their_lag() {
    let all = on_threads(2);
    let rates = [200.0, 10.0, 30.0, 100.0, 50.0 / 3.0, 25.0];
    let lags = [3_100, 123_000, 0, 1_000, 0, 40_000];
    for agent in 0..3 {
        for sensor in 0..6usize {
            let own: Vec<&Delivery> = all
                .iter()
                .filter(|(of, d)| *of == agent && d.sensor == sensor as u32)
                .map(|(_, d)| d)
                .collect();
            assert!(own.iter().all(|d| d.due_us - d.taken_us == lags[sensor]));
            assert!(own.windows(2).all(|pair| pair[0].frame < pair[1].frame));
            let seconds = 1.2 - 1e-6 * lags[sensor] as f64;
            let most = (seconds * rates[sensor] + 1e-9).floor() as usize;
            let lost = if sensor == 0 { 30 } else { 0 };
            assert!((most - lost..=most).contains(&own.len()), "{sensor}: {} {most}", own.len());
        }
    }
}

/// An ideal IMU's readings integrate to the velocity and heading of the odometry.
///
/// The specific force is rotated into the world frame, less gravity. Both use the same steps. The
/// difference is the rotation within a window of 4 ms at up to 0.5 rad/s with a force of 10 m/s²:
/// at most 1e-2 m/s², over 1.2 s.
#[test]
fn an_ideal_imu_integrates_to_the_motion() {
    let hmmwv = vehicle("hmmwv");
    let on = table(&[[0.2, 0.0], [0.4, 0.8]], &[[0.0, 0.0], [1.0, 0.4]], &[]);
    let mut agent = agent(&hmmwv, on, pose_at(0.0, 0.0, 0.6));
    let ideal = Imu { accelerometer: Triad::default(), gyroscope: Triad::default() };
    let sensor = |index: u32, model| Sensor {
        record: true,
        name: "x".into(),
        mount: suite(0)[0].mount,
        schedule: SensorSchedule::new(500.0, 0.0, 0.002),
        model,
        filters: vec![],
        noise: Noise::new(0, 0, index),
    };
    agent.sensors = vec![sensor(0, Model::Imu(ideal)), sensor(1, Model::Odometry)];
    let mut world = world(flat(0.05, soil("mid")), 2e-3, vec![agent]);
    let (mut velocity, mut first, mut turned) = (Vec3::zeros(), true, 0.0);
    let mut last = None;
    while world.time() < 2.0 {
        world.advance();
        for pair in world.delivered(0).chunks(2) {
            let [Delivery { reading: Reading::Imu { specific_force, angular_rate }, .. }, odometry] =
                pair
            else {
                panic!("imu, odometry, imu, ...")
            };
            let Reading::Odometry(truth) = &odometry.reading else { panic!() };
            let world_velocity = truth.pose.direction(&truth.velocity);
            if first {
                (velocity, first) = (world_velocity, false);
            } else {
                let felt = truth.pose.direction(specific_force) - Vec3::new(0.0, 0.0, 9.81);
                velocity += felt * 0.002;
                turned += truth.pose.direction(angular_rate).z * 0.002;
            }
            last = Some((world_velocity, truth.pose.yaw()));
        }
    }
    let (truth, yaw) = last.unwrap();
    assert!(truth.norm() > 1.0, "it drives: {truth}");
    assert!((velocity - truth).norm() < 1e-9, "{velocity} {truth}");
    let start = suite(0)[0].mount.yaw();
    assert!((turned - (yaw - start)).abs() < 5e-3, "{turned} {}", yaw - start);
}

/// The forces of all wheels carry the vehicle, ticks follow the spin, and the magnetic field
/// rotates with the vehicle at constant magnitude.
#[test]
fn sensors_agree_with_the_vehicle() {
    let all = on_threads(2);
    let weight = [0, 1, 2].map(|agent| model().agents[agent].vehicle.mass() * 9.81);
    for (agent, delivery) in all.iter().filter(|(_, d)| d.taken_us > 1_000_000) {
        match &delivery.reading {
            Reading::Ground(wheels) => {
                let carried: f64 = wheels.iter().map(|wheel| wheel.force.z).sum();
                let ratio = carried / weight[*agent as usize];
                assert!((0.7..1.3).contains(&ratio), "{agent}: {ratio}");
                assert!(wheels.iter().filter(|wheel| wheel.pressure > 1e3).count() >= 3);
            }
            Reading::Ticks(ticks) => {
                assert!(ticks.iter().all(|&ticks| ticks > 0), "{agent}: {ticks:?}");
            }
            Reading::Field(field) => {
                let iron = magnetometer().bias;
                assert!(((field - iron).norm() / 48e-6 - 1.0).abs() < 0.02, "{field}");
            }
            Reading::Fix(fix) => {
                let away = site().point(&fix.place).unwrap().norm();
                assert!(away < 60.0, "{away}");
            }
            _ => {}
        }
    }
    let invalid = |(_, d): &&(u32, Delivery)| matches!(&d.reading, Reading::Fix(f) if !f.valid);
    assert!(all.iter().filter(invalid).count() > 0, "some fixes are lost");
}
