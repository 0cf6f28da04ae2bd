//! Two demonstrations: a car that drives between barriers by its lidar, and a drive that collects
//! data.

use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::World;
use std::path::Path;

#[allow(dead_code)]
#[path = "../examples/lidar_car.rs"]
mod lidar_car;

/// The car passes the first bend without a contact: a collision would end the run.
#[test]
fn a_car_keeps_between_barriers_by_its_lidar() {
    let mut lap = lidar_car::Lap::silent();
    let world = lidar_car::drive(18.0, &mut lap).unwrap();
    assert!(world.state().agents[0].outcome.is_none(), "{}", world.outcome(0).sentence);
    // From south through east: over a third of the course.
    assert!(lap.turns > 0.3, "{} turns", lap.turns);
}

fn example(name: &str) -> ScenarioFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name);
    ScenarioFile::read(&path, &[]).unwrap()
}

#[test]
fn the_data_collection_drive_delivers_each_of_its_sensors() {
    let built = build::world(&example("data_collection.toml")).unwrap();
    assert!(built.warnings.is_empty(), "{:?}", built.warnings);
    let mut world = World::new(built.world);
    let mut delivered = std::collections::BTreeMap::new();
    while world.time() < 0.6 {
        world.advance();
        for delivery in world.delivered(0) {
            *delivered.entry(delivery.sensor).or_insert(0) += 1;
        }
    }
    assert!(delivered.len() == 5, "{delivered:?}");
}

/// The world of the example has the specified contents, and its vehicle has a route.
#[test]
fn the_random_world_is_built_as_written() {
    let built = build::world(&example("random_world.toml")).unwrap();
    let random = built.random.expect("its surface is random");
    let counts =
        [random.holes.len(), random.trees.len(), random.rocks.len(), random.barriers.len()];
    // 30 and 4 on each of 6.25 ha.
    assert_eq!(counts, [25, 188, 25, 12]);
    let terrain = built.world.ground.terrain();
    assert_eq!(terrain.bounds(), [-125.0, -125.0, 125.0, 125.0]);
    // Stems, rocks and barriers collide with vehicles.
    assert_eq!(built.world.obstacles.len(), 188 + 25 + 12);
    for hole in &random.holes {
        let [x, y] = hole.center;
        let rim = (0..8).map(|k| {
            let (s, c) = bekker::numeric::sin_cos(f64::from(k) * std::f64::consts::FRAC_PI_4);
            terrain.height(x + hole.radius * c, y + hole.radius * s)
        });
        let deep = rim.sum::<f64>() / 8.0 - terrain.height(x, y);
        // Hills of 0.6 m over 50 m and roughness D change the depth by some centimeters.
        assert!((deep - 1.5).abs() < 0.25, "{deep}");
    }
}
