//! Cost of a step in counts: allocations of a whole heartbeat, and nodes tested by a contact.

mod scene;

use bekker::ground::{Overlay, Patches, SharedGround};
use bekker::scm::{Scratch, Underside, WorkingGround, wheel_contact};
use bekker::simulation::{RankAccess, World};
use bekker::soil::Tread;
use bekker::spatial::{Pose, Quat, Twist, Vec3};
use bekker::sync::ground_code::CodecState;
use bekker::vehicle::spec::TrackModel;
use scene::{agent, drive, firm, flat, pose_at, soil, table, vehicle, world};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// Allocator that counts the allocations of all threads.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

#[expect(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: every call goes to the system's allocator unchanged
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(mut work: impl FnMut()) -> u64 {
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    work();
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

/// Builds two driving HMMWVs on `ground_soil`.
fn two(ground_soil: &str) -> World {
    let hmmwv = vehicle("hmmwv");
    let start = hmmwv.ride_radius();
    let driver = || table(&[[0.2, 0.0], [0.6, 0.4]], &[], &[]);
    let agents = [0.0, 50.0].map(|y| agent(&hmmwv, driver(), pose_at(0.0, y, start)));
    let soil = if ground_soil == "firm" { firm(0.8) } else { soil(ground_soil) };
    world(flat(0.05, soil), 2e-3, agents.to_vec())
}

/// Lock that serializes the tests of this file, since they count globally.
static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// Runs on one thread, so that rayon's allocations for its queues are not counted.
fn in_turn(work: impl FnOnce() + Send) {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(work);
}

/// A heartbeat on firm ground allocates nothing in drivers, vehicles, tires, contact and
/// publication.
#[test]
fn a_heartbeat_on_firm_ground_allocates_nothing() {
    in_turn(|| {
        let mut world = two("firm");
        drive(&mut world, 4.0);
        let count = allocations(|| drive(&mut world, 6.0));
        assert_eq!(count, 0);
    });
}

/// A heartbeat with motion sensors and their readings allocates nothing.
///
/// Wheel readings are excepted: they are lists.
#[test]
fn a_heartbeat_with_sensors_allocates_nothing() {
    use bekker::geodesy;
    use bekker::sensor::gps::Gps;
    use bekker::sensor::{Filter, Model, Sensor, SensorSchedule, imu, noise};
    in_turn(|| {
        let site = geodesy::Site::new(geodesy::Geodetic::degrees(47.0, 11.0, 0.0));
        let sensor = |index: u32, model, rate, lag| Sensor {
            record: true,
            name: index.to_string(),
            mount: Pose::default(),
            schedule: SensorSchedule::new(rate, lag, 0.004),
            model,
            filters: vec![Filter::Noise(0.01)],
            noise: noise::Noise::new(1, 0, index),
        };
        let hmmwv = vehicle("hmmwv");
        let driver = table(&[[0.2, 0.0], [0.6, 0.4]], &[], &[]);
        let mut model = agent(&hmmwv, driver, pose_at(0.0, 0.0, hmmwv.ride_radius()));
        model.sensors = vec![
            sensor(0, Model::Imu(imu::Imu::tactical()), 250.0, 0.0),
            sensor(1, Model::Gps(Box::new(Gps::sps(site))), 10.0, 0.2),
            sensor(2, Model::Odometry, 500.0, 0.01),
        ];
        let mut world = world(flat(0.05, firm(0.8)), 2e-3, vec![model]);
        drive(&mut world, 2.0);
        let mut delivered = 0;
        let count = allocations(|| {
            while world.time() < 3.0 - 1e-9 {
                world.advance();
                delivered += world.delivered(0).len();
            }
        });
        assert_eq!((count, delivered), (0, 250 + 10 + 500));
    });
}

/// A heartbeat of a tracked vehicle allocates nothing, on its belt and on shoes as bodies.
#[test]
fn a_heartbeat_on_tracks_allocates_nothing() {
    in_turn(|| {
        for tracks in [TrackModel::Belt, TrackModel::Segmented] {
            let driver = table(&[[0.2, 0.0], [0.6, 0.4]], &[], &[]);
            let model = scene::m113_on(tracks, driver, pose_at(0.0, 0.0, 0.0));
            let mut world = world(flat(0.05, firm(0.8)), 2e-3, vec![model]);
            drive(&mut world, 3.0);
            let count = allocations(|| drive(&mut world, 4.0));
            assert_eq!(count, 0, "{tracks:?}");
        }
    });
}

/// On soil the only allocations are those of the shared map at heartbeats.
///
/// They are the new tile or its longer lists, and the copy of the tile caused by the clone below,
/// which serves to detect changes.
#[test]
fn on_soil_only_the_shared_map_grows() {
    in_turn(|| {
        let mut world = two("mid");
        drive(&mut world, 4.0);
        let (mut heartbeats, mut counted, mut touched) = (0, 0, 0);
        while world.time() < 6.0 - 1e-9 {
            let before = world.state().published.clone();
            // A clone shares the tiles: one more copy for each changed tile.
            counted += allocations(|| world.advance());
            heartbeats += 1;
            let after = &world.state().published;
            touched += after.tiles().filter(|(key, tile)| before.tile(*key) != Some(*tile)).count();
        }
        let per_tile = counted as f64 / touched as f64;
        println!(
            "{heartbeats} heartbeats, {touched} tiles changed, {counted} allocations, {per_tile:.2} a tile"
        );
        // A copied tile, its two lists (states, agents) and their growth, and occasionally a node
        // of the map. Nothing is proportional to nodes, steps or earlier deformations.
        assert!(counted <= 5 * touched as u64, "{counted} for {touched} tiles");
    });
}

/// Writing and reading a vehicle's patches at every heartbeat reuses its buffers.
#[test]
fn a_ground_stream_keeps_its_capacity() {
    in_turn(|| {
        let mut world = two("mid");
        let (mut writer, mut reader) = (CodecState::default(), CodecState::default());
        let (mut bytes, mut patches) = (Vec::new(), Patches::default());
        let mut counted = 0;
        for heartbeat in 0..600 {
            world.advance();
            bytes.clear();
            patches.clear();
            let left = world.patches(0);
            let count = allocations(|| {
                writer.encode(left, &mut bytes);
                reader.decode(&bytes, &mut patches).unwrap();
            });
            assert_eq!(&patches, left);
            // The lists grow to their size at first.
            counted += if heartbeat < 400 { 0 } else { count };
        }
        assert!(world.state().published.nodes() > 1_000);
        // A list doubles at a new maximum of patches; an allocation per message or node would give
        // hundreds in 200 heartbeats.
        assert!(counted <= 2, "{counted} allocations");
    });
}

/// Rolls a wheel at constant depth over fresh ground along `heading` and returns the mean number of
/// nodes tested per step.
fn tested(heading: f64, spacing: f64, published: &mut SharedGround) -> f64 {
    let model = flat(spacing, soil("mid"));
    let (mut overlay, mut scratch) = (Overlay::new(), Scratch::new());
    let wheel = Underside::cylinder(0.467, 0.254).unwrap();
    let orientation = Quat::from_axis_angle(&Vec3::z_axis(), heading);
    let forward = orientation * Vec3::x();
    let angular = orientation * Vec3::y() * (2.0 / 0.467);
    let twist = Twist { linear: forward * 2.0, angular };
    let mut patches = bekker::ground::Patches::default();
    let (mut sum, steps) = (0, 1000);
    for count in 0..steps {
        let position = forward * (count as f64 * 4e-3) + Vec3::z() * (0.467 - 0.05);
        overlay.begin_step();
        let pose = Pose { position, orientation };
        let tread = Tread::rough();
        let contact = wheel_contact(
            &mut WorkingGround {
                model: &model,
                published,
                overlay: &mut overlay,
                scratch: &mut scratch,
            },
            &wheel,
            &tread,
            &pose,
            &twist,
            2e-3,
        );
        sum += contact.nodes_tested;
        if count % 5 == 4 {
            patches.clear();
            overlay.publish(&mut patches);
            published.apply(&patches);
            overlay.refresh(published);
        }
    }
    f64::from(sum) / f64::from(steps)
}

#[test]
fn every_direction_costs_the_same() {
    in_turn(|| {
        for spacing in [0.05, 0.02] {
            let along =
                |degrees: f64| tested(degrees.to_radians(), spacing, &mut SharedGround::default());
            let [x, y, back, aslant] = [0.0, 90.0, 180.0, 37.0].map(along);
            println!("at {spacing} m: {x:.1} along x, {y:.1} along y, {aslant:.1} aslant");
            // Equal, except for the positions of the node rows under the wheel's edges.
            assert!((y / x - 1.0).abs() < 0.02 && (back / x - 1.0).abs() < 0.02, "{x} {y} {back}");
            // At an oblique heading rows cross the footprint obliquely: the same area of nodes,
            // plus a rim of half a spacing around it.
            assert!((aslant / x - 1.0).abs() < 0.25, "{aslant} aslant, {x} along x");
        }
    });
}

#[test]
fn earlier_deformations_cost_nothing() {
    in_turn(|| {
        let mut published = SharedGround::default();
        let fresh = tested(0.0, 0.05, &mut published);
        // In the old rut no contacted ground is higher than before.
        let again = tested(0.0, 0.05, &mut published);
        assert!(again <= fresh, "{again} in the rut, {fresh} on fresh ground");
        // Ruts of forty other drives around it.
        for k in 1..=40 {
            tested(0.1 * f64::from(k), 0.05, &mut published);
        }
        let nodes = published.nodes();
        assert!(nodes > 5000, "{nodes}");
        let late = tested(-0.3, 0.05, &mut published);
        let early = tested(-0.3, 0.05, &mut SharedGround::default());
        assert!(late <= early, "{late} after many drives, {early} before any");
    });
}
