//! Cameras and lidars on vehicles: the same bits on any number of threads and ranks and across a
//! checkpoint.
//!
//! Images show the latest changes that other vehicles made to the ground.

use crate::scene;

use bekker::scenario::{ScenarioFile, build};
use bekker::sensor::camera::{CameraSpec, ChipNoise, ImageChannel, Lens};
use bekker::sensor::class::SurfaceClass;
use bekker::sensor::lidar::{LidarNoise, LidarSpec, RayModel, ReturnMode};
use bekker::sensor::noise::Noise;
use bekker::sensor::{Delivery, Model, Reading, Sensor, SensorSchedule};
use bekker::simulation::{MessageRoute, Ranks, SceneModel, Sharing, World, WorldModel, checkpoint};
use bekker::spatial::{Pose, Quat, Vec3};
use bekker::sync::Partition;
use scene::{agent, flat, m113, on_ranks, pose_at, soil, table, vehicle, world_model};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const BEATS: usize = 40;

/// A carrier pulls away; an HMMWV creeps after it with its sensors inclined slightly downward.
fn model() -> WorldModel {
    let on = |throttle: f64| table(&[[0.1, 0.0], [0.2, throttle]], &[], &[]);
    let mut agents = vec![
        agent(&vehicle("hmmwv"), on(0.1), pose_at(-9.0, 0.0, 0.6)),
        m113(on(1.0), pose_at(0.0, 0.0, 0.0)),
    ];
    let channels = [
        ImageChannel::Color,
        ImageChannel::Depth,
        ImageChannel::Class,
        ImageChannel::Instance,
        ImageChannel::Ground,
    ];
    let camera = CameraSpec {
        width: 80,
        height: 45,
        field_of_view: 1.2,
        lens: Lens::BrownConrady([-0.1, 0.01, 0.0, 0.0, 0.0]),
        supersample: 1,
        exposure: 0.008,
        rolling: 0.01,
        gain: 1.0,
        vignetting: 0.3,
        noise: Some(ChipNoise { full_well: 10_000.0, read: 2.0, dark: 3.0, bits: 10 }),
        baseline: 0.0,
        channels: channels.to_vec(),
    };
    let lidar = LidarSpec {
        elevations: (-12..2).map(|k| 0.03 * f64::from(k)).collect(),
        columns: 90,
        azimuths: [std::f64::consts::PI, -std::f64::consts::PI],
        min_range: 0.5,
        max_range: 60.0,
        divergence: 3e-3,
        rays: RayModel::Footprint,
        samples: 2,
        returns: ReturnMode::Dual,
        noise: LidarNoise { range: 0.01, angle: 1e-4, intensity: 0.01, dropout: 0.01 },
    };
    let tilt = Quat::from_axis_angle(&Vec3::y_axis(), 0.15);
    let mount = Pose { position: Vec3::new(0.5, 0.0, 1.7), orientation: tilt };
    let sensor = |index: u32, model, rate, lag, window| Sensor {
        name: format!("eye{index}"),
        mount,
        schedule: SensorSchedule::new(rate, lag, window),
        model,
        record: true,
        filters: Vec::new(),
        noise: Noise::new(3, 0, index),
    };
    agents[0].sensors = vec![
        sensor(0, Model::Camera(camera), 30.0, 0.02, 0.018),
        sensor(1, Model::Lidar(lidar), 10.0, 0.0, 0.1),
    ];
    let mut model = world_model(flat(0.05, soil("mid")), 2e-3, agents);
    model.scene_model = Some(Arc::new(SceneModel::new(&model, &[])));
    model
}

type Deliveries = Vec<Delivery>;

fn take(world: &World, all: &mut Deliveries) {
    all.extend(world.delivered(0).iter().cloned());
}

fn on_threads(threads: usize, heartbeats: usize) -> Deliveries {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut world = World::new(model());
        let mut all = Vec::new();
        for _ in 0..heartbeats {
            world.advance();
            take(&world, &mut all);
        }
        all
    })
}

fn bytes(all: &Deliveries) -> Vec<u8> {
    let mut all = all.clone();
    all.sort_by_key(|d| (d.due_us, d.sensor, d.frame));
    postcard::to_stdvec(&all).unwrap()
}

#[test]
fn any_number_of_threads_ranks_and_resumes_gives_the_same_bits() {
    let expected = on_threads(1, BEATS);
    // 0.4 s: 12 images, the last still pending, and 4 scans.
    assert!((14..=16).contains(&expected.len()), "{}", expected.len());
    assert_eq!(bytes(&expected), bytes(&on_threads(3, BEATS)), "three threads");

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
    assert_eq!(bytes(&expected), bytes(&cut), "cut and resumed");

    for (ranks, route) in [(2, MessageRoute::All), (2, MessageRoute::Neighbor)] {
        let (first, _) = shared(model, ranks, route);
        assert_eq!(bytes(&expected), bytes(&first), "{ranks} ranks, {route:?}");
    }
}

/// Returns the deliveries of vehicle 0 and the bytes received per rank, with vehicles assigned to
/// ranks in turn.
fn shared(model: fn() -> WorldModel, ranks: usize, route: MessageRoute) -> (Deliveries, Vec<u64>) {
    let all = on_ranks(ranks, Duration::from_secs(120), |rank| {
        let sharing = Sharing { partition: Partition::RoundRobin, route, ..Sharing::default() };
        let mut ranks = Ranks::new(rank, model(), None, &sharing, &[]).unwrap();
        let (mut all, mut received) = (Vec::new(), 0);
        for _ in 0..BEATS {
            received += ranks.advance(false).unwrap().received_bytes;
            all.extend(ranks.delivered().unwrap().into_iter().map(|(_, delivery)| delivery));
        }
        (all, received)
    });
    let (all, received): (Vec<Deliveries>, Vec<u64>) =
        all.into_iter().map(|own| own.unwrap()).unzip();
    (all.into_iter().next().unwrap(), received)
}

/// Returns the same model with two carriers that are visible but too far away to collide.
fn model_with_others_far_away() -> WorldModel {
    let mut model = model();
    let on = || table(&[[0.1, 0.0], [0.2, 1.0]], &[], &[]);
    let far = [m113(on(), pose_at(60.0, 8.0, 0.0)), m113(on(), pose_at(400.0, -20.0, 1.0))];
    let spare = world_model(flat(0.05, soil("mid")), 2e-3, far.into());
    model.agents.extend(spare.agents);
    model.scene_model = Some(Arc::new(SceneModel::new(&model, &[])));
    model
}

/// Margin beyond the range of the sensors at which vehicles are displayed, m.
const MARGIN: f64 = 100.0;

/// Returns [`model`] with HMMWVs that approach from the edge of visibility and from far beyond it.
fn model_with_others_at_the_edge_of_sight() -> WorldModel {
    let mut model = model();
    let sights = model.agents[0].sensors.iter().filter_map(|sensor| sensor.model.sight());
    let edge = sights.fold(0.0, f64::max) + MARGIN + model.agents[0].start.position.x;
    let coasts = || table(&[], &[], &[]);
    let west = |x: f64| pose_at(x, 0.0, 0.0);
    for away in [-2.0, 1.0, 300.0] {
        let mut own = agent(&vehicle("hmmwv"), coasts(), west(edge + away));
        own.start.orientation = Quat::from_axis_angle(&Vec3::z_axis(), std::f64::consts::PI);
        own.speed = 20.0;
        model.agents.push(own);
    }
    model.scene_model = Some(Arc::new(SceneModel::new(&model, &[])));
    model
}

/// A vehicle that becomes visible appears in the images of any rank from the same heartbeat on.
///
/// A vehicle far beyond the range is not sent.
#[test]
fn ranks_receive_vehicles_that_come_into_sight() {
    let mut world = World::new(model_with_others_at_the_edge_of_sight());
    let mut expected = Vec::new();
    for _ in 0..BEATS {
        world.advance();
        take(&world, &mut expected);
    }
    let (seen, _) = shared(model_with_others_at_the_edge_of_sight, 5, MessageRoute::Neighbor);
    assert_eq!(bytes(&expected), bytes(&seen));
    let heard = on_ranks(5, Duration::from_secs(120), |rank| {
        let (partition, route) = (Partition::RoundRobin, MessageRoute::Neighbor);
        let sharing = Sharing { partition, route, ..Sharing::default() };
        let model = model_with_others_at_the_edge_of_sight();
        let mut ranks = Ranks::new(rank, model, None, &sharing, &[]).unwrap();
        ranks.advance(false).unwrap();
        (0..5).map(|agent| ranks.ghost(agent).is_some()).collect::<Vec<bool>>()
    });
    let heard: Vec<Vec<bool>> = heard.into_iter().map(|own| own.unwrap()).collect();
    assert_eq!(heard[0], [false, true, true, true, false], "the one that looks");
    assert_eq!(heard[4], [false; 5], "agents far away are not received");
    assert!(!heard[2][0] && !heard[3][0], "a visible agent need not see the observer");
}

/// A rank with cameras holds the ground in view and receives vehicles that may be visible.
///
/// Ranks without cameras receive only neighbors.
#[test]
fn neighbor_routing_gives_the_same_images_with_fewer_bytes() {
    let (expected, told) = shared(model_with_others_far_away, 4, MessageRoute::All);
    let (seen, heard) = shared(model_with_others_far_away, 4, MessageRoute::Neighbor);
    assert!(!expected.is_empty());
    assert_eq!(bytes(&expected), bytes(&seen));
    let [all, near] = [&told, &heard].map(|bytes| bytes.iter().sum::<u64>());
    assert!(near < all, "{heard:?} {told:?}");
}

#[test]
fn the_picture_shows_the_other_vehicle_and_its_fresh_ruts() {
    let all = on_threads(2, 5 * BEATS);
    let last = |sensor: u32| {
        let own = all.iter().rev().find(|delivery| delivery.sensor == sensor);
        &own.expect("delivered").reading
    };
    let Reading::Image(image) = last(0) else { panic!("no picture") };
    let of_the_other = image.instance.iter().filter(|&&instance| instance == 2).count();
    assert!(of_the_other > 30, "{of_the_other} pixels of the carrier");
    for class in [SurfaceClass::Sky, SurfaceClass::Ground, SurfaceClass::Vehicle] {
        assert!(image.class.contains(&(class as u8)), "no {class:?}");
    }
    let pressed = image.sinkage.iter().filter(|sinkage| **sinkage > 0.005).count();
    assert!(pressed > 20, "{pressed} pixels of rut");
    assert!(image.passes.iter().any(|passes| *passes > 0));
    // Deep ruts ahead belong to the carrier, agent 1; unowned ground has no rut.
    let ruts = image.sinkage.iter().zip(&image.agent).filter(|(sinkage, _)| **sinkage > 0.02);
    let agents: Vec<u16> = ruts.map(|(_, agent)| *agent).collect();
    let of_the_carrier = agents.iter().filter(|agent| **agent == 2).count();
    assert!(of_the_carrier > 10 && 10 * of_the_carrier > 8 * agents.len(), "{agents:?}");
    let free = image.agent.iter().zip(&image.passes).filter(|(agent, _)| **agent == 0);
    assert!(free.into_iter().all(|(_, passes)| *passes == 0));
    let Reading::Cloud(cloud) = last(1) else { panic!("no scan") };
    let of_the_other = cloud.returns.iter().filter(|r| r.instance == 2).count();
    assert!(of_the_other > 15, "{of_the_other} returns of the carrier");
}

/// A rolling shutter renders each row from the pose at its readout.
///
/// Two cameras are at one position on a fast turning vehicle: one reads its rows over 80 ms, the
/// other all rows at once every 20 ms. The first row of the former equals the image of the latter
/// 80 ms before the frame, and the last row that of the frame.
#[test]
fn a_rolling_shutter_looks_from_where_each_row_is_read() {
    let text = r#"
format = 1
name = "shutters"
time = { duration = 0.5 }
soil = { default = "rigid" }
terrain.surface = { kind = "procedural", amplitude = 8, wavelength = 60 }

[[vehicle]]
name = "own"
model = "hmmwv"
position = [0, 0]
speed = 12
driver = { kind = "table", rows = [{ time = 0, steering = 1 }] }

[[vehicle.sensor]]
name = "rolling"
position = [0, 0, 3]
# steeply down: at grazing angles a millimeter of height is a decimeter of depth
pitch_deg = 60
rate = 10
model = { kind = "camera", width = 24, height = 24, exposure = 0, rolling = 0.08, noise = false, channels = ["depth"] }

[[vehicle.sensor]]
name = "global"
position = [0, 0, 3]
pitch_deg = 60
rate = 50
model = { kind = "camera", width = 24, height = 24, exposure = 0, noise = false, channels = ["depth"] }
"#;
    let file = ScenarioFile::parse("shutters.toml", text, Path::new(""), &[]).unwrap();
    let mut world = World::new(build::world(&file).unwrap().world);
    let mut all = Vec::new();
    (0..50).for_each(|_| {
        world.advance();
        take(&world, &mut all);
    });
    let depth = |sensor: u32, taken_us: u64| {
        let own = all.iter().find(|d| d.sensor == sensor && d.taken_us == taken_us);
        let Reading::Image(image) = &own.expect("delivered").reading else { panic!("no picture") };
        image.depth.clone()
    };
    let difference = |ours: &[f32], theirs: &[f32]| {
        let seen = || ours.iter().zip(theirs).filter(|(a, b)| a.is_finite() && b.is_finite());
        let change: f32 = seen().map(|(a, b)| (a - b).abs() / b).sum();
        change / seen().count() as f32
    };
    let (rolling, width) = (depth(0, 400_000), 24);
    let [first, last] = [&rolling[..width], &rolling[rolling.len() - width..]];
    let [then, now] = [depth(1, 320_000), depth(1, 400_000)];
    let [first_then, first_now] = [&then, &now].map(|seen| difference(first, &seen[..width]));
    let last_now = difference(last, &now[now.len() - width..]);
    // Half a row's time, 1.7 ms, is 2 cm of travel. The pose is interpolated linearly between the
    // ends of the window, which neglects some millimeters in 80 ms of a turn.
    assert!(first_then < 0.01 && last_now < 0.01, "{first_then} {last_now}");
    assert!(first_now > 5.0 * first_then, "{first_now} {first_then}");
}
