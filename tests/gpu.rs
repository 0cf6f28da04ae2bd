//! Pictures and scans of the graphics card beside those of the processor. The card may be
//! Mesa's, which is software; where Vulkan shows none at all, the tests say that they were
//! not run, unless `BEKKER_GPU=required`.
#![cfg(feature = "gpu")]

use bekker::gpu::{Card, Props, Shot, Sight};
use bekker::grid::{Node, TILE_NODES};
use bekker::ground::{NodeState, Patches, Published};
use bekker::scenario::ScenarioFile;
use bekker::scenario::build::{stage, world};
use bekker::sensor::camera::{Camera, Channel, Dice, Image, Lens};
use bekker::sensor::noise::Noise;
use bekker::sensor::relief::Relief;
use bekker::sensor::scene::{Crowd, Scene};
use bekker::simulation::{Stage, World};
use bekker::spatial::{Pose, Quat, Vec3};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

fn card() -> Option<Arc<Card>> {
    match Card::find(true) {
        Ok(card) => Some(Arc::new(card)),
        Err(error) if std::env::var("BEKKER_GPU").is_ok_and(|v| v == "required") => {
            panic!("{error}")
        }
        Err(error) => {
            println!("NOT RUN: {error}");
            None
        }
    }
}

/// Vehicles among trees on rolling ground of two soils, with ruts.
struct Yard {
    world: World,
    stage: Stage,
    published: Published,
    relief: Relief,
    moving: Crowd,
}

const YARD: &str = r#"
format = 1
name = "yard"
seed = 3
[time]
duration = 1
[soil]
default = "lete_sand_chrono"
[ground]
spacing = 0.05
[terrain]
surface = { kind = "procedural", amplitude = 1.5, wavelength = 60, octaves = 4 }
[sky]
sun_elevation_deg = 35
[[vehicle]]
name = "a"
model = "hmmwv"
position = [0, 0]
[[vehicle]]
name = "b"
model = "m113"
position = [12, 4]
heading_deg = 40
[[scenery]]
kind = "spruce"
count = 40
area = [-40, -40, 60, 40]
clear = 4
[[scenery]]
kind = "rock"
count = 20
area = [-20, -20, 40, 20]
clear = 4
"#;

impl Yard {
    fn new(more: &str) -> Yard {
        let text = format!("{YARD}{more}");
        let file = ScenarioFile::parse("yard", &text, Path::new(""), &[]).unwrap();
        let built = world(&file).unwrap().world;
        let stage = stage(&file, &built);
        let world = World::new(built);
        let mut published = Published::default();
        published.merge(&[rut(-200, 700, 30), rut(-100, 300, -90)]);
        let relief = Relief::around(&world.model().ground, &published, [0.0, 0.0]);
        let told = world.told();
        let mut before = told.clone();
        for message in &mut before {
            message.chassis.position.x -= 0.3;
        }
        let moving = stage.moving(world.model(), [&before, &told]);
        Yard { world, stage, published, relief, moving }
    }

    fn scene(&self) -> Scene<'_> {
        self.stage.scene(self.world.model(), &self.relief, &self.moving)
    }

    /// A place behind and above the first vehicle, looking a little down.
    fn eye(&self) -> Pose {
        let chassis = self.world.told()[0].chassis.position;
        let turn = Quat::from_axis_angle(&Vec3::y_axis(), 0.12);
        Pose { position: chassis + Vec3::new(-6.0, 1.0, 2.5), orientation: turn }
    }
}

/// A rut along x through node row `y`.
fn rut(first: i32, length: i32, y: i32) -> Patches {
    let mut nodes: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (i, j) in (first..first + length).flat_map(|i| (y - 3..=y + 3).map(move |j| (i, j))) {
        let node = Node { i, j };
        nodes.entry(node.tile()).or_default().push(node.index());
    }
    let mut patch = Patches::default();
    for (key, mut indices) in nodes {
        indices.sort_unstable();
        patch.begin(key);
        for index in indices.into_iter().filter(|index| *index < TILE_NODES) {
            patch.push(index, NodeState::quantised(0.06, 1e5, [0.01, 0.0], 0, 1));
        }
    }
    patch
}

const ALL: [Channel; 6] = [
    Channel::Colour,
    Channel::Depth,
    Channel::Normal,
    Channel::Class,
    Channel::Instance,
    Channel::Ground,
];

/// Eight bits of a linear colour, as pictures are written.
fn grey(colour: f32) -> i32 {
    let c = f64::from(colour.clamp(0.0, 1.0));
    let coded = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (255.0 * coded + 0.5).floor() as i32
}

/// Shares of the pixels that differ by more than one step of eight bits, by more than
/// 1 mm of depth at 100 m, and in any label.
fn differing(ours: &Image, theirs: &Image) -> [f64; 3] {
    let pixels = ours.depth.len() as f64;
    let count = |differs: &dyn Fn(usize) -> bool| {
        (0..ours.depth.len()).filter(|&k| differs(k)).count() as f64 / pixels
    };
    let colour =
        count(&|k| (0..3).any(|c| (grey(ours.colour[k][c]) - grey(theirs.colour[k][c])).abs() > 1));
    let depth = count(&|k| {
        let (a, b) = (ours.depth[k], theirs.depth[k]);
        a != b && ((a - b).abs() > 1e-5 * a.max(b).max(10.0) || a.is_infinite() != b.is_infinite())
    });
    let label = count(&|k| {
        ours.class[k] != theirs.class[k]
            || ours.instance[k] != theirs.instance[k]
            || ours.soil[k] != theirs.soil[k]
    });
    [colour, depth, label]
}

#[test]
fn pictures_are_those_of_the_processor() {
    let Some(card) = card() else { return };
    println!("{}", card.name());
    let yard = Yard::new("");
    let scene = yard.scene();
    let props = Arc::new(Props::new(&card, &scene).unwrap());
    let mut sight = Sight::new(card, props).unwrap();
    let eye = yard.eye();
    let dice = Dice { noise: Noise::new(5, 0, 0), frame: 3 };
    let camera = Camera::with_field(320, 180, Lens::Pinhole, 1.4).unwrap();
    let shot = Shot { camera: &camera, poses: [eye; 2], apart: 0.0, dice, channels: &ALL };
    let begun = std::time::Instant::now();
    let theirs = sight.pictures(&scene, &[shot]).unwrap().remove(0);
    println!("card {:?}", begun.elapsed());
    let begun = std::time::Instant::now();
    let theirs = if begun.elapsed().as_secs() > 100 {
        theirs
    } else {
        sight.pictures(&scene, &[shot]).unwrap().remove(0)
    };
    println!("card {:?}", begun.elapsed());
    let begun = std::time::Instant::now();
    let ours = camera.picture(&scene, &[eye; 2], 0.0, &dice);
    println!("processor {:?}", begun.elapsed());
    let shares = differing(&ours, &theirs);
    println!("{shares:?}");
    assert!(shares.iter().all(|share| *share < 1e-3), "{shares:?}");
}
