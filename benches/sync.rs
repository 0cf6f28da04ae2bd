//! Exchange of one heartbeat: time per node to encode, decode and apply, with the number of bytes.

use bekker::curve::Curve;
use bekker::grid::Lattice;
use bekker::ground::{GroundModel, Patches, SharedGround};
use bekker::simulation::{
    AgentModel, AnyVehicle, Clock, RankAccess, WheeledGroundVehicle, World, WorldModel,
};
use bekker::soil::{DeformableSoil, Laws, Soil, SoilId, SoilKind};
use bekker::spatial::{Pose, Vec3};
use bekker::sync::ground_code::CodecState;
use bekker::terrain::Terrain;
use bekker::vehicle::Vehicle;
use bekker::vehicle::driver::{Driver, DriverTable};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::Arc;

/// Builds an HMMWV at 5 m/s on the reference's soft soil with a heartbeat of 10 ms.
fn drive(spacing: f64) -> WorldModel {
    let soil = DeformableSoil {
        k_phi: 0.2e6,
        k_c: 0.0,
        n: 1.1,
        cohesion: 0.0,
        friction_angle: 30_f64.to_radians(),
        shear_modulus: 0.01,
        elastic_stiffness: 4e7,
        damping: 3e4,
        bulldozing: None,
        details: Default::default(),
    };
    let kind = SoilKind::Deformable(soil);
    let soil = Soil { name: "soft".into(), source: "Project Chrono".into(), kind };
    let terrain = Terrain::flat(0.0, SoilId(0));
    let ground = GroundModel::new(Lattice { spacing }, terrain, vec![soil], Laws::reference())
        .expect("the bench's own soil");
    let spec = bekker::vehicle::find_wheeled("hmmwv").expect("in the catalog");
    let vehicle = Arc::new(Vehicle::new(spec).expect("a sound vehicle"));
    let vehicle = WheeledGroundVehicle::new(vehicle).expect("a sound tire");
    let throttle = Curve::new(vec![[0.0, 0.5], [1.0, 0.5]]).expect("two points");
    let agent = AgentModel {
        name: "lead".into(),
        vehicle: AnyVehicle::Wheeled(vehicle),
        driver: Driver::Table(DriverTable { throttle: Some(throttle), ..DriverTable::default() }),
        leader: None,
        start: Pose { position: Vec3::new(0.0, 0.0, 0.6), ..Pose::default() },
        speed: 5.0,
        gear: None,
        sensors: Vec::new(),
        autonomy: None,
        uncouple_time: None,
    };
    let clock = Clock::new(2e-3, 0.01).expect("five steps a heartbeat");
    WorldModel {
        ground,
        clock,
        agents: vec![agent],
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

/// Returns the patches of one vehicle over 100 heartbeats.
fn patches(spacing: f64) -> Vec<Patches> {
    let mut world = World::new(drive(spacing));
    let mut heartbeat = || {
        world.advance();
        world.patches(0).clone()
    };
    (0..150).map(|_| heartbeat()).skip(50).collect()
}

fn code(criterion: &mut Criterion) {
    for spacing in [0.05, 0.02] {
        let heartbeats = patches(spacing);
        let nodes: usize = heartbeats.iter().map(|heartbeat| heartbeat.states().len()).sum();
        let mut codec_state = CodecState::default();
        let coded: Vec<Vec<u8>> = heartbeats
            .iter()
            .map(|heartbeat| {
                let mut bytes = Vec::new();
                codec_state.encode(heartbeat, &mut bytes);
                bytes
            })
            .collect();
        let bytes: usize = coded.iter().map(Vec::len).sum();
        println!(
            "{spacing} m: {:.1} nodes a heartbeat, {:.2} bytes a node",
            nodes as f64 / heartbeats.len() as f64,
            bytes as f64 / nodes as f64
        );
        let mut group = criterion.benchmark_group(format!("{spacing} m, per node"));
        group.throughput(Throughput::Elements(nodes as u64));
        let mut out = Vec::new();
        group.bench_function("encode", |bencher| {
            bencher.iter(|| {
                codec_state.reset();
                for heartbeat in &heartbeats {
                    out.clear();
                    codec_state.encode(black_box(heartbeat), &mut out);
                }
            });
        });
        let mut read = Patches::default();
        group.bench_function("decode", |bencher| {
            bencher.iter(|| {
                codec_state.reset();
                for bytes in &coded {
                    read.clear();
                    codec_state.decode(black_box(bytes), &mut read).expect("what was encoded");
                }
            });
        });
        group.bench_function("apply", |bencher| {
            bencher.iter_batched(
                SharedGround::default,
                |mut ground| {
                    heartbeats.iter().for_each(|heartbeat| ground.apply(black_box(heartbeat)));
                    ground
                },
                BatchSize::LargeInput,
            );
        });
        group.finish();
    }
}

criterion_group!(benches, code);
criterion_main!(benches);
