//! Imported meshes in a scenario: position, scale, and faults with file, line, key and value.

use assert_cmd::Command;
use bekker::ground::SharedGround;
use bekker::scenario::ScenarioFile;
use bekker::scenario::build::{scene_model, world};
use bekker::sensor::class::SurfaceClass;
use bekker::sensor::ray::Ray;
use bekker::sensor::relief::HeightPyramid;
use bekker::simulation::World;
use bekker::spatial::Vec3;
use std::path::Path;

fn farmyard(sets: &[&str]) -> ScenarioFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/farmyard.toml");
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    ScenarioFile::read(&path, &sets).unwrap()
}

/// Returns heights and classes hit by vertical rays from above.
fn from_above(file: &ScenarioFile, places: &[[f64; 2]]) -> Vec<(f64, SurfaceClass)> {
    let built = world(file).unwrap();
    let scene_model = scene_model(file, &built.world, &built.meshes, built.random.as_ref());
    let world = World::new(built.world);
    let told = world.messages();
    let moving = scene_model.moving(world.model(), [world.time_us(); 2], [&told, &told]);
    let relief = HeightPyramid::new(&world.model().ground, &SharedGround::default(), [0.0, 0.0]);
    let scene = scene_model.scene(world.model(), &relief, &moving);
    let look = |&[x, y]: &[f64; 2]| {
        let ray = Ray::new(Vec3::new(x, y, 50.0), -Vec3::z());
        let met = scene.cast(&ray, 0.0, 100.0).expect("ground at least");
        (50.0 - met.range(), scene.surface(&ray, &met).class)
    };
    places.iter().map(look).collect()
}

/// The barn's ridge is 6.5 m high and 13 m long; at a heading of -90 degrees its front faces south.
#[test]
fn a_barn_is_at_its_scenario_position() {
    let places = [[14.0, 14.0], [14.0, 7.6], [14.0, 7.4], [18.4, 14.0], [18.6, 14.0], [22.0, -6.0]];
    let seen = from_above(&farmyard(&["scenery[0].class=post"]), &places);
    let expected = [
        (6.5, SurfaceClass::Post),
        (6.5, SurfaceClass::Post),
        (0.0, SurfaceClass::Ground),
        // The roof falls by 2.5 m over 4 m.
        (6.5 - 4.4 * 0.625, SurfaceClass::Post),
        (0.0, SurfaceClass::Ground),
        (1.2, SurfaceClass::Other),
    ];
    for (place, ((height, class), (there, what))) in places.iter().zip(seen.iter().zip(expected)) {
        assert!((height - there).abs() < 1e-3 && *class == what, "{place:?}: {height} {class:?}");
    }
}

/// A vehicle appears as the scenario specifies.
///
/// The hull mesh is unscaled: the crate is at the chassis reference point.
#[test]
fn a_vehicle_is_drawn_as_its_scenario_specifies() {
    let sets =
        ["vehicle[0].visual.hull=meshes/crate.obj", "vehicle[0].visual.wheel=meshes/crate.obj"];
    let file = farmyard(&sets);
    let before = from_above(&farmyard(&[]), &[[0.0, 0.0]]);
    let [(top, class)] = from_above(&file, &[[0.0, 0.0]])[..] else { panic!() };
    // It starts in equilibrium, slightly below its design position.
    let start = World::new(world(&file).unwrap().world).samples().next().unwrap().pose.position.z;
    assert_eq!((class, before[0].1), (SurfaceClass::Vehicle, SurfaceClass::Vehicle));
    // Settled on its tires, to the resolution of the messages.
    assert!((top - start - 1.2).abs() < 1e-3, "{top} {start}");
    assert!((before[0].0 - top).abs() > 0.05);
}

#[test]
fn errors_are_reported_with_their_location() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("empty.obj", "v 0 0 0\n"),
        ("broken.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n"),
        ("broken.gltf", "{\"asset\":{\"version\":\"2.0\"},\"scene\":3}"),
        ("painted.obj", "mtllib painted.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n"),
        ("painted.mtl", "newmtl a\nKd 1 1 1\nmap_Kd wood.png\n"),
        ("bare.obj", "mtllib gone.mtl\n"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let told = |entry: &str| {
        let text = format!(
            "format = 1\nname = 'x'\ntime = {{ duration = 1 }}\nsoil = {{ default = 'mud' }}\n\
             [[vehicle]]\nname = 'a'\nmodel = 'hmmwv'\nposition = [0, 0]\n{entry}\n"
        );
        std::fs::write(folder.path().join("x.toml"), text).unwrap();
        let mut command = Command::cargo_bin("bekker").unwrap();
        let output = command.current_dir(&folder).args(["validate", "x.toml"]).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        (output.status.success(), errors)
    };
    for (entry, words) in [
        (
            "[[scenery]]\nmesh = 'gone.glb'",
            "x.toml:10: scenery[0].mesh = \"gone.glb\": cannot be read",
        ),
        ("[[scenery]]\nmesh = 'x.toml'", "must be a mesh file that ends in .gltf, .glb or .obj"),
        ("[[scenery]]\nmesh = 'empty.obj'", "empty.obj: has no triangles"),
        (
            "[[scenery]]\nmesh = 'broken.obj'",
            "broken.obj: line 3: `f 1 2 9`: must be three or more corners that are defined above",
        ),
        ("[[scenery]]\nmesh = 'broken.gltf'", "broken.gltf: scene = 3: must be below 0"),
        ("[[scenery]]\nmesh = 'bare.obj'", "bare.obj: refers to gone.mtl: gone.mtl: No such file"),
        ("visual = { wheel = 'gone.obj' }", "x.toml:9: vehicle[0].visual.wheel = \"gone.obj\""),
        (
            "[[scenery]]\nplaces = [[1, 2]]",
            "scenery[0]: give exactly one of kind, mesh; given: none",
        ),
        (
            "[[scenery]]\nkind = 'oak'\nmesh = 'painted.obj'",
            "give exactly one of kind, mesh; given: kind, mesh",
        ),
        (
            "[[scenery]]\nkind = 'oak'\nclass = 'rock'",
            "scenery[0].class = \"rock\": cannot be given",
        ),
    ] {
        let (passed, errors) = told(entry);
        assert!(!passed && errors.contains(words), "{entry}: {errors}");
    }
    let (passed, errors) = told("[[scenery]]\nmesh = 'painted.obj'");
    assert!(passed && errors.contains("textures are not shown"), "{errors}");
}
