//! Vehicles with trailers in whole worlds: the same bits on any threads and ranks and after a cut,
//! standing where they are put, what samples and pictures tell, what is refused.

use crate::ranks::{alone, together};

use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::{Route, SceneModel, Stand, World, WorldModel, checkpoint};
use bekker::spatial::Vec3;
use bekker::sync::Partition;
use bekker::vehicle::find;
use std::path::Path;

const SCENARIO: &str = r#"
format = 1
name = "trailers"
[time]
duration = 20
[ground]
spacing = 0.1
[soil]
default = "rigid"
zone = [ { soil = "chrono_mid", area = { kind = "half_plane", through = [3, 0], towards_deg = 0 } } ]
[[vehicle]]
name = "light"
model = "hmmwv+cargo_trailer"
position = [0, 6]
speed = 3
driver = { kind = "path", speed = 4, waypoints = [[0, 6], [6, 6], [16, 10], [30, 20]] }
[[vehicle]]
name = "heavy"
model = "kraz_64431+semitrailer"
position = [-4, -6]
speed = 2
driver = { kind = "path", speed = 3, waypoints = [[-4, -6], [60, -6]] }
"#;

fn model(text: &str, sets: &[&str]) -> WorldModel {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let file = ScenarioFile::parse("trailers", text, Path::new(""), &sets).unwrap();
    build::world(&file).unwrap().world
}

/// Tractor and trailer are one agent: ranks send, and checkpoints hold, both.
#[test]
fn any_threads_ranks_and_a_cut_give_the_same_bits() {
    const HEARTBEATS: usize = 250;
    let model = model(SCENARIO, &[]);
    let expected = alone(model.clone(), HEARTBEATS);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(expected, one.install(|| alone(model.clone(), HEARTBEATS)));
    let found = together(&model, None, 2, &Partition::RoundRobin, Route::All, HEARTBEATS);
    assert_eq!(expected, found);
    let mut first = World::new(model);
    (0..100).for_each(|_| first.advance());
    let state = checkpoint::encode(first.model(), SCENARIO, first.state());
    let state = checkpoint::decode(first.model(), SCENARIO, &state).unwrap();
    let mut second = World::resume(first.shared_model(), state).unwrap();
    (100..HEARTBEATS).for_each(|_| second.advance());
    assert_eq!(&second.hash(), expected.last().unwrap());
}

/// On a slope up and across, brakes on: neither the trailer slides down nor the coupling jerks.
#[test]
fn they_start_in_equilibrium_on_a_slope() {
    const STOOD: &str = r#"
format = 1
name = "stood"
time = { duration = 2, step = 0.002 }
terrain = { surface = { kind = "slope", grade = 0.1 } }
soil = { default = "rigid" }
[[vehicle]]
name = "own"
model = "hmmwv+cargo_trailer"
position = [0, 0]
heading_deg = 40
driver = { kind = "table", rows = [{ time = 0, brake = 1, gear = "neutral" }] }
"#;
    for vehicle in ["hmmwv+cargo_trailer", "kraz_64431+semitrailer"] {
        let mut world = World::new(model(STOOD, &[&format!("vehicle.0.model={vehicle:?}")]));
        assert_eq!(world.stands(), [Stand::Still], "{vehicle}");
        let first = world.samples().next().unwrap();
        (0..100).for_each(|_| world.advance());
        let last = world.samples().next().unwrap();
        let [before, after] = [&first, &last].map(|sample| sample.trailer.unwrap());
        println!("{vehicle}: {before:?} {after:?}");
        assert!((first.pose.position - last.pose.position).norm() < 2e-3, "{vehicle}");
        assert!((before.articulation - after.articulation).abs() < 1e-3, "{vehicle}");
        let jerk = (before.hitch_force - after.hitch_force).norm();
        assert!(jerk < 0.05 * after.hitch_force.norm(), "{vehicle}: {jerk} N");
    }
}

/// The picture's trailer lies where its body is, by what ranks are told of its wheels.
#[test]
fn the_picture_shows_it_where_it_is() {
    let mut world = World::new(model(SCENARIO, &[]));
    (0..350).for_each(|_| world.advance());
    let scene = SceneModel::new(world.model(), &[]);
    let messages = world.messages();
    let parts = scene.parts(world.model(), [&messages, &messages]);
    for (agent, sample) in world.samples().enumerate() {
        let trailer = sample.trailer.unwrap();
        let turned = sample.pose.yaw() + trailer.articulation;
        let spec = find(["hmmwv+cargo_trailer", "kraz_64431+semitrailer"][agent]).unwrap();
        let coupling = sample.pose.point(&Vec3::from(spec.trailer.unwrap().coupling));
        let found = parts.iter().filter(|part| usize::from(part.agent) == agent).any(|part| {
            let pose = &part.poses[1];
            let off = (pose.yaw() - turned).sin().abs();
            // springs and tyres let the wheels swing by centimetres at some metres
            (pose.position - coupling).norm() < 0.02 && off < 0.01
        });
        println!("{agent}: {:.2} deg", trailer.articulation.to_degrees());
        assert!(found, "agent {agent} at {turned} rad");
    }
    let light = world.samples().next().unwrap().trailer.unwrap();
    assert!(light.articulation.abs() > 0.02, "it turns: {light:?}");
}

#[test]
fn what_draws_no_trailer_is_refused() {
    for (model, said) in [
        ("hmmwv+caravan", "known: cargo_trailer, semitrailer"),
        ("hmmw+cargo_trailer", "did you mean"),
        ("m113+cargo_trailer", "runs on tracks"),
    ] {
        let sets = [format!("vehicle.0.model={model:?}")];
        let file = ScenarioFile::parse("trailers", SCENARIO, Path::new(""), &sets).unwrap();
        let Err(faults) = build::world(&file) else { panic!("{model} is built") };
        let text = faults.to_string();
        assert!(text.contains(said), "{model}: {text}");
    }
}
