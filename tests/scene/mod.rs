//! Worlds shared by several tests.
#![allow(dead_code)] // each test uses only a part

pub mod lagging_transmission;

use bekker::curve::Curve;
use bekker::grid::Lattice;
use bekker::ground::GroundModel;
use bekker::simulation::{
    AgentModel, Clock, TrackedGroundVehicle, WheeledGroundVehicle, World, WorldModel,
};
use bekker::soil::{DeformableSoil, Laws, Soil, SoilId, SoilKind};
use bekker::spatial::{Pose, Vec3};
use bekker::sync::{Rendezvous, Tcp, Threads};
use bekker::terrain::{SoilMap, Surface, Terrain};
use bekker::vehicle::driver::{Driver, DriverTable};
use bekker::vehicle::spec::TrackModel;
use bekker::vehicle::{TrackedSpec, TrackedVehicle, Vehicle};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

/// Returns one of the three soils of the reference's runs, with the damping of its vehicle runs.
///
/// They are Project Chrono's `mid`, `soft` and `hard` demo parameters.
pub fn soil(name: &str) -> Soil {
    let mid = DeformableSoil {
        k_phi: 2e6,
        k_c: 0.0,
        n: 1.1,
        cohesion: 0.0,
        friction_angle: 30f64.to_radians(),
        shear_modulus: 0.01,
        elastic_stiffness: 2e8,
        damping: 3e4,
        bulldozing: None,
        details: Default::default(),
    };
    let yielding = match name {
        "mid" => mid,
        "soft" => DeformableSoil { k_phi: 0.2e6, elastic_stiffness: 4e7, ..mid },
        "hard" => DeformableSoil {
            k_phi: 5.301e6,
            k_c: 102e3,
            n: 0.793,
            cohesion: 1.3e3,
            friction_angle: 31.1f64.to_radians(),
            shear_modulus: 0.012,
            elastic_stiffness: 4e8,
            ..mid
        },
        other => panic!("no soil {other}"),
    };
    Soil {
        name: name.into(),
        source: "Project Chrono".into(),
        kind: SoilKind::Deformable(yielding),
    }
}

pub fn firm(friction: f64) -> Soil {
    Soil { name: "firm".into(), source: "test".into(), kind: SoilKind::Firm { friction } }
}

pub fn ground(spacing: f64, terrain: Terrain, soils: Vec<Soil>) -> GroundModel {
    ground_under(Laws::reference(), spacing, terrain, soils)
}

pub fn ground_under(laws: Laws, spacing: f64, terrain: Terrain, soils: Vec<Soil>) -> GroundModel {
    GroundModel::new(Lattice { spacing }, terrain, soils, laws).unwrap()
}

/// Returns a plane that rises along x by `grade` m per meter.
pub fn slope(grade: f64) -> Terrain {
    let surface = Surface::Plane { elevation: 0.0, slope: [grade, 0.0] };
    Terrain::builder(surface, SoilMap::uniform(SoilId(0))).build().unwrap()
}

pub fn flat(spacing: f64, soil: Soil) -> GroundModel {
    ground(spacing, Terrain::flat(0.0, SoilId(0)), vec![soil])
}

/// Returns a vehicle with instant shifts and rigid tires, as in the reference.
pub fn vehicle(name: &str) -> Arc<Vehicle> {
    let mut spec = bekker::vehicle::find_wheeled(name).unwrap();
    spec.powertrain.as_mut().unwrap().gearbox.shift_time = 0.0;
    spec.tire.flexible = None;
    Arc::new(Vehicle::new(spec).unwrap())
}

pub fn agent(vehicle: &Arc<Vehicle>, driver: Driver, start: Pose) -> AgentModel {
    AgentModel {
        name: "test".into(),
        vehicle: WheeledGroundVehicle::new(vehicle.clone()).unwrap().into(),
        driver,
        leader: None,
        start,
        speed: 0.0,
        gear: None,
        sensors: Vec::new(),
        autonomy: None,
        uncouple_time: None,
    }
}

/// Builds an M113 on its belts, on level ground at height 0 for any `start`.
pub fn m113(driver: Driver, start: Pose) -> AgentModel {
    m113_on(TrackModel::Belt, driver, start)
}

/// Builds an M113 with either model of its tracks.
pub fn m113_on(model: TrackModel, driver: Driver, start: Pose) -> AgentModel {
    let spec = bekker::vehicle::find_vehicle("m113_chrono").unwrap();
    let mut spec = TrackedSpec { model, ..spec.tracked().unwrap().clone() };
    spec.powertrain.gearbox.shift_time = 0.0;
    let vehicle = TrackedVehicle::new(spec).unwrap();
    let mut start = start;
    start.position.z = vehicle.ride_radius() - vehicle.wheel_center(0).z;
    AgentModel {
        name: "m113".into(),
        vehicle: TrackedGroundVehicle::new(Arc::new(vehicle)).into(),
        driver,
        leader: None,
        start,
        speed: 0.0,
        gear: None,
        sensors: Vec::new(),
        autonomy: None,
        uncouple_time: None,
    }
}

pub fn pose_at(x: f64, y: f64, z: f64) -> Pose {
    Pose { position: Vec3::new(x, y, z), ..Pose::default() }
}

/// Returns commands over time: points of throttle, steering and brake.
pub fn table(throttle: &[[f64; 2]], steering: &[[f64; 2]], brake: &[[f64; 2]]) -> Driver {
    let curve =
        |points: &[[f64; 2]]| (!points.is_empty()).then(|| Curve::new(points.to_vec()).unwrap());
    Driver::Table(DriverTable {
        throttle: curve(throttle),
        steering: curve(steering),
        brake: curve(brake),
        ..DriverTable::default()
    })
}

pub fn world(ground: GroundModel, step: f64, agents: Vec<AgentModel>) -> World {
    World::new(world_model(ground, step, agents))
}

/// Returns the model of a world without settling its vehicles, which takes thousands of steps.
pub fn world_model(ground: GroundModel, step: f64, agents: Vec<AgentModel>) -> WorldModel {
    let heartbeat = step * (0.01 / step).round().max(1.0);
    WorldModel {
        ground,
        clock: Clock::new(step, heartbeat).unwrap(),
        agents,
        endings: Default::default(),
        obstacles: Default::default(),
        tows: Vec::new(),
        holes: Vec::new(),
        team: None,
        radios: Vec::new(),
        lights: Vec::new(),
        pedestrians: Vec::new(),
        scene_model: None,
    }
}

/// Asserts the same bits on one thread and two until `cut`, s, and after a resume there until
/// `end`, s.
pub fn same_bits_on_threads_and_resumed(build: impl Fn() -> World + Sync, cut: f64, end: f64) {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = build();
            drive(&mut world, cut);
            world
        })
    };
    let (mut straight, two) = (run(1), run(2));
    assert_eq!(straight.hash(), two.hash());
    let stored = bekker::simulation::checkpoint::encode(straight.model(), "cut", straight.state());
    let state = bekker::simulation::checkpoint::decode(straight.model(), "cut", &stored).unwrap();
    let mut resumed = World::resume(straight.model().clone(), state).unwrap();
    drive(&mut straight, end);
    drive(&mut resumed, end);
    assert_eq!(straight.hash(), resumed.hash());
}

/// Drives until `time`, s.
pub fn drive(world: &mut World, time: f64) {
    while world.time() < time - 1e-9 {
        world.advance();
    }
}

/// Returns the results of `run` on each of `size` ranks.
pub fn on_ranks<T: Send>(
    size: usize,
    timeout: Duration,
    run: impl Fn(Threads) -> T + Sync,
) -> Vec<std::thread::Result<T>> {
    std::thread::scope(|scope| {
        let ranks = Threads::ranks(size, timeout);
        let threads: Vec<_> = ranks.into_iter().map(|rank| scope.spawn(|| run(rank))).collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    })
}

/// Returns the results of `run` on each of `size` ranks connected by TCP on this machine.
pub fn on_tcp_ranks<T: Send>(
    size: usize,
    timeout: Duration,
    run: impl Fn(Tcp) -> T + Sync,
) -> Vec<std::thread::Result<T>> {
    let meeting = Rendezvous {
        size,
        token: "open sesame".into(),
        program: "bekker 0".into(),
        join_timeout: timeout,
        timeout,
    };
    let goes_on = || Ok(());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::scope(|scope| {
        let (run, meeting, address) = (&run, &meeting, &address);
        let host = scope.spawn(move || run(meeting.host(listener, &mut { goes_on }).unwrap()));
        let others = (1..size).map(|rank| {
            scope.spawn(move || run(meeting.join(rank, address, &mut { goes_on }).unwrap()))
        });
        let threads: Vec<_> = std::iter::once(host).chain(others).collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    })
}
