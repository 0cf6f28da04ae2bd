//! Images and scans of the GPU compared with those of the CPU.
//!
//! The GPU may be Mesa's software implementation. Without any Vulkan device the tests report that
//! they did not run, unless `BEKKER_GPU=required`.

use bekker::gpu::{GpuDevice, GpuRenderer, SceneConstants};
use bekker::grid::{Node, TILE_NODES};
use bekker::ground::{NodeState, Patches, SharedGround};
use bekker::scenario::ScenarioFile;
use bekker::scenario::build::{scene_model, world};
use bekker::sensor::Reading;
use bekker::sensor::air::DustPuff;
use bekker::sensor::camera::{Camera, Image, ImageChannel, ImageRequest, Lens, PixelRng, look_at};
use bekker::sensor::class::SurfaceClass;
use bekker::sensor::lidar::{Cloud, LidarSpec, Rays, ScanPart};
use bekker::sensor::noise::Noise;
use bekker::sensor::relief::HeightPyramid;
use bekker::sensor::scene::{InstanceSet, Scene};
use bekker::simulation::{SceneModel, World};
use bekker::spatial::{Pose, Quat, Vec3};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Returns the device shared by all tests: Mesa takes seconds to compile the shaders.
fn gpu() -> Option<Arc<GpuDevice>> {
    static CARD: OnceLock<Option<Arc<GpuDevice>>> = OnceLock::new();
    CARD.get_or_init(|| match GpuDevice::find(true) {
        Ok(gpu) => Some(Arc::new(gpu)),
        Err(error) if std::env::var("BEKKER_GPU").is_ok_and(|v| v == "required") => {
            panic!("{error}")
        }
        Err(error) => {
            println!("NOT RUN: {error}");
            None
        }
    })
    .clone()
}

/// World of vehicles among trees on rolling ground of two soils, with ruts.
struct Yard {
    world: World,
    scene_model: SceneModel,
    published: SharedGround,
    relief: HeightPyramid,
    moving: InstanceSet,
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
        Yard::from_scenario(&format!("{YARD}{more}"), &[rut(-200, 700, 30), rut(-100, 300, -90)])
    }

    fn from_scenario(text: &str, ruts: &[Patches]) -> Yard {
        let file = ScenarioFile::parse("yard", text, Path::new(""), &[]).unwrap();
        let built = world(&file).unwrap();
        let scene_model = scene_model(&file, &built.world, &built.meshes, built.random.as_ref());
        let world = World::new(built.world);
        let mut published = SharedGround::default();
        published.merge(ruts);
        let relief = HeightPyramid::new(&world.model().ground, &published, [0.0, 0.0]);
        let told = world.messages();
        let mut before = told.clone();
        for message in &mut before {
            message.chassis.position.x -= 0.3;
        }
        let moving = scene_model.moving(world.model(), [world.time_us(); 2], [&before, &told]);
        Yard { world, scene_model, published, relief, moving }
    }

    fn scene(&self) -> Scene<'_> {
        self.scene_model.scene(self.world.model(), &self.relief, &self.moving)
    }

    /// Returns a pose behind and above the first vehicle, slightly inclined downward.
    fn viewpoint(&self) -> Pose {
        let chassis = self.world.messages()[0].chassis.position;
        let turn = Quat::from_axis_angle(&Vec3::y_axis(), 0.12);
        Pose { position: chassis + Vec3::new(-6.0, 1.0, 2.5), orientation: turn }
    }
}

/// Returns a rut along x through node row `y`.
fn rut(first: i32, length: i32, y: i32) -> Patches {
    let mut nodes: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (i, j) in (first..first + length).flat_map(|i| (y - 3..=y + 3).map(move |j| (i, j))) {
        let node = Node { i, j };
        nodes.entry(node.tile()).or_default().push(node.index());
    }
    let mut patch = Patches::default();
    patch.set_agent(y.unsigned_abs() as u16);
    for (key, mut indices) in nodes {
        indices.sort_unstable();
        patch.begin(key);
        for index in indices.into_iter().filter(|index| *index < TILE_NODES) {
            patch.push(index, NodeState::quantized(0.06, 1e5, [0.01, 0.0], 0, 1));
        }
    }
    patch
}

const ALL: [ImageChannel; 6] = [
    ImageChannel::Color,
    ImageChannel::Depth,
    ImageChannel::Normal,
    ImageChannel::Class,
    ImageChannel::Instance,
    ImageChannel::Ground,
];

/// Converts a linear color to the eight bits written to images.
fn gray(color: f32) -> i32 {
    let c = f64::from(color.clamp(0.0, 1.0));
    let coded = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (255.0 * coded + 0.5).floor() as i32
}

/// Returns the fractions of pixels that differ in color, depth or labels.
///
/// The limits are one step of eight bits and 1 mm of depth at 100 m; labels must be equal.
fn differing(ours: &Image, theirs: &Image) -> [f64; 3] {
    let pixels = ours.depth.len() as f64;
    let count = |differs: &dyn Fn(usize) -> bool| {
        (0..ours.depth.len()).filter(|&k| differs(k)).count() as f64 / pixels
    };
    let color =
        count(&|k| (0..3).any(|c| (gray(ours.color[k][c]) - gray(theirs.color[k][c])).abs() > 1));
    let depth = count(&|k| {
        let (a, b) = (ours.depth[k], theirs.depth[k]);
        a != b && ((a - b).abs() > 1e-5 * a.max(b).max(10.0) || a.is_infinite() != b.is_infinite())
    });
    let label = count(&|k| {
        ours.class[k] != theirs.class[k]
            || ours.instance[k] != theirs.instance[k]
            || ours.soil[k] != theirs.soil[k]
            || ours.agent[k] != theirs.agent[k]
            // The flank of a rut falls by 6 cm over a node spacing of 5 cm: positions differ by
            // less than 0.1 mm.
            || (ours.sinkage[k] - theirs.sinkage[k]).abs() > 1e-4
    });
    [color, depth, label]
}

/// Returns the CPU image and the GPU image.
fn both(yard: &Yard, camera: &Camera, poses: [Pose; 2], apart: f64) -> Option<[Image; 2]> {
    let gpu = gpu()?;
    let scene = yard.scene();
    let props = Arc::new(SceneConstants::new(&gpu, &scene).unwrap());
    let mut renderer = GpuRenderer::new(gpu, props).unwrap();
    let rng = PixelRng { noise: Noise::new(5, 0, 0), frame: 3 };
    let take = ImageRequest { camera, poses, interval: apart, rng, channels: &ALL };
    let theirs = renderer.render_images(&scene, &[take]).unwrap().remove(0);
    Some([camera.render(&scene, &poses, apart, &rng), theirs])
}

/// Asserts a difference of at most one step of eight bits in 99.9 % of the pixels, as required.
fn assert_alike(what: &str, pair: Option<[Image; 2]>) {
    let Some([ours, theirs]) = pair else { return };
    let shares = differing(&ours, &theirs);
    println!("{what}: {shares:?}");
    assert!(shares.iter().all(|share| *share < 1e-3), "{what}: {shares:?}");
}

const LENSES: [Lens; 4] = [
    Lens::Pinhole,
    Lens::FieldOfView(0.9),
    Lens::KannalaBrandt([0.02, -0.005, 0.001, -0.0001]),
    Lens::BrownConrady([-0.12, 0.03, 0.001, -0.0007, -0.002]),
];

#[test]
fn gpu_images_agree_with_the_cpu_for_every_lens() {
    let yard = Yard::new("");
    for lens in LENSES {
        let camera = Camera::with_field(240, 135, lens, 1.4).unwrap();
        let pair = both(&yard, &camera, [yard.viewpoint(); 2], 0.0);
        if let Some([ours, _]) = &pair {
            let seen =
                |class: SurfaceClass| ours.class.iter().filter(|c| **c == class as u8).count();
            assert!(
                seen(SurfaceClass::Vehicle) > 500 && seen(SurfaceClass::Tree) > 500,
                "{lens:?}"
            );
            assert!(ours.sinkage.iter().filter(|s| **s > 0.03).count() > 30, "{lens:?}");
            let agents: std::collections::BTreeSet<u16> = ours.agent.iter().copied().collect();
            assert!(agents.is_superset(&[0, 31].into()), "{agents:?}");
        }
        assert_alike(&format!("{lens:?}"), pair);
    }
}

/// Images with supersampling, motion blur of camera and vehicles, rolling shutter and sky rays are
/// those of the CPU.
#[test]
fn gpu_images_of_motion_agree_with_the_cpu() {
    let yard = Yard::new("");
    let camera = Camera::with_field(160, 90, Lens::Pinhole, 1.4).unwrap();
    let camera = Camera {
        supersample: 2,
        sky_rays: 2,
        exposure: 0.02,
        readout: 0.03,
        vignetting: 0.6,
        ..camera
    };
    let now = yard.viewpoint();
    let turn = Quat::from_axis_angle(&Vec3::z_axis(), 0.05);
    let before = Pose {
        position: now.position - Vec3::new(0.4, 0.1, 0.0),
        orientation: turn * now.orientation,
    };
    assert_alike("moving", both(&yard, &camera, [before, now], 0.05));
}

/// Fog, dust clouds, and soil zones of every shape give the images of the CPU.
#[test]
fn gpu_air_and_soils_agree_with_the_cpu() {
    let mut yard = Yard::new(
        r#"
[[soil.zone]]
soil = "mud"
area = { kind = "half_plane", through = [9, 3], towards_deg = 30 }
[[soil.zone]]
soil = "deep_snow"
area = { kind = "rectangle", min = [2, -9], max = [7, -2] }
[[soil.zone]]
soil = "firm"
area = { kind = "polygon", points = [[4, 1], [9, 2], [6, 3.5], [8, 7], [3, 5]] }
[[soil.zone]]
soil = "deep_snow"
area = { kind = "band", from = [-3, 8], to = [20, 10], width = 1.5 }
"#,
    );
    let puff = |x, y, radius, extinction| DustPuff {
        center: Vec3::new(x, y, 1.0),
        radius,
        extinction,
        albedo: [0.5, 0.4, 0.3],
    };
    yard.scene_model.air.visibility = 80.0;
    yard.scene_model.air.puffs = vec![puff(3.0, 1.0, 0.8, 0.5), puff(9.0, -2.0, 1.5, 0.3)];
    let camera = Camera::with_field(240, 135, Lens::Pinhole, 1.4).unwrap();
    let pair = both(&yard, &camera, [yard.viewpoint(); 2], 0.0);
    if let Some([ours, _]) = &pair {
        let soils: std::collections::BTreeSet<u8> = ours.soil.iter().copied().collect();
        assert!(soils.len() >= 5, "{soils:?}");
    }
    assert_alike("air and soils", pair);
}

/// The depth z of a level plane below the camera equals its analytic value.
///
/// This checks the GPU against the law, and not only against the CPU.
#[test]
fn depth_of_a_plane_is_within_a_millimeter_at_a_hundred_meters() {
    let Some(gpu) = gpu() else { return };
    let text = YARD.replace("amplitude = 1.5", "amplitude = 0.0");
    let yard = Yard::from_scenario(&text[..text.find("[[scenery]]").unwrap()], &[]);
    let scene = Scene { moving: &InstanceSet::new(&[], &[]), ..yard.scene() };
    let props = Arc::new(SceneConstants::new(&gpu, &scene).unwrap());
    let mut renderer = GpuRenderer::new(gpu, props).unwrap();
    let ground = scene.model.terrain().height(0.0, 0.0);
    for height in [2.0, 8.0] {
        let camera = Camera::with_field(320, 180, Lens::Pinhole, 0.8).unwrap();
        let from = Vec3::new(3.3, -2.1, ground + height);
        let pose = look_at(&from, &Vec3::new(80.0, 20.0, ground));
        let rng = PixelRng { noise: Noise::new(5, 0, 0), frame: 3 };
        let take =
            ImageRequest { camera: &camera, poses: [pose; 2], interval: 0.0, rng, channels: &ALL };
        let image = renderer.render_images(&scene, &[take]).unwrap().remove(0);
        let mut far = 0;
        for (index, depth) in image.depth.iter().enumerate() {
            let [u, v] = [index % 320, index / 320].map(|k| k as f64 + 0.5);
            let own = camera.direction(u, v).unwrap();
            let down = pose.direction(&own).z;
            let range = height / -down;
            if down >= 0.0 || range > 110.0 {
                continue;
            }
            far += usize::from(range > 90.0);
            let expected = range * own.x;
            assert!((f64::from(*depth) - expected).abs() < 1e-3, "{range} m: {depth} {expected}");
        }
        assert!(far > 300, "{far}");
    }
}

/// Every ray of a moving lidar hits the same object as on the CPU, within a millimeter at 100 m.
#[test]
fn gpu_scans_agree_with_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let yard = Yard::new("");
    let scene = yard.scene();
    let props = Arc::new(SceneConstants::new(&gpu, &scene).unwrap());
    let mut renderer = GpuRenderer::new(gpu, props).unwrap();
    let lidar = LidarSpec { samples: 2, ..LidarSpec::vlp16() };
    let pose = |share: f64| {
        let viewpoint = yard.viewpoint();
        Pose { position: viewpoint.position + Vec3::new(0.5 * share, 0.0, 0.0), ..viewpoint }
    };
    let part = ScanPart { shares: [0.0, 1.0], period: 0.1, frame: 1 };
    let noise = Noise::new(1, 0, 0);
    let limits = [lidar.min_range, lidar.max_range];
    let (mut ours, mut theirs) = (Cloud::default(), Cloud::default());
    lidar.scan(&scene, pose, &part, &noise, &mut ours);
    let mut cast = Vec::new();
    let strike = |rays: &Rays<'_, '_>| {
        cast = rays.iter().collect();
        Some(renderer.cast_rays(&scene, rays.iter(), limits).unwrap())
    };
    lidar.scan_with(strike, &scene, pose, &part, &noise, &mut theirs);
    let struck = renderer.cast_rays(&scene, cast.iter().copied(), limits).unwrap();
    let apart = cast.iter().zip(&struck).filter(|(ray, struck)| {
        let met = scene.cast(ray, limits[0], limits[1]);
        match (met, struck) {
            (None, None) => false,
            (Some(met), Some(struck)) => {
                let given = scene.surface(ray, &met);
                let lit =
                    f64::from(given.material.reflectance) * given.normal.dot(&ray.direction).abs();
                // A millimeter, as required; for reflectance, the effect of a normal off by 0.1
                // mrad.
                (met.range() - struck.range).abs() > 1e-3
                    || (lit - struck.reflected).abs() > 1e-4
                    || (given.class, given.instance) != (struck.class, struck.instance)
            }
            _ => true,
        }
    });
    let apart = apart.count() as f64 / cast.len() as f64;
    println!("{apart} of {} rays differ", cast.len());
    assert!(cast.len() == 1800 * 16 * 4 && apart < 1e-3, "{apart}");
    let [a, b] = [&ours, &theirs].map(|cloud| cloud.returns.len() as f64);
    assert!(a > 10_000.0 && (a - b).abs() < 1e-3 * a, "{a} {b}");
}

/// A new rut appears in the next image, and only its tiles are uploaded.
#[test]
fn only_changed_tiles_are_sent_again() {
    let Some(gpu) = gpu() else { return };
    let mut yard = Yard::new("");
    let camera = Camera::with_field(160, 90, Lens::Pinhole, 1.4).unwrap();
    let rng = PixelRng { noise: Noise::new(5, 0, 0), frame: 3 };
    let viewpoint = yard.viewpoint();
    let take =
        ImageRequest { camera: &camera, poses: [viewpoint; 2], interval: 0.0, rng, channels: &ALL };
    let props = Arc::new(SceneConstants::new(&gpu, &yard.scene()).unwrap());
    let mut renderer = GpuRenderer::new(gpu.clone(), props.clone()).unwrap();
    let whole = renderer.update(&yard.scene()).unwrap();
    let before = renderer.render_images(&yard.scene(), &[take]).unwrap().remove(0);
    yard.published.merge(&[rut(-20, 50, 20)]);
    yard.relief.update(&yard.world.model().ground, &yard.published, [0.0, 0.0]);
    let few = renderer.update(&yard.scene()).unwrap();
    assert!(few > 0 && few <= 12 && whole > 1000, "{few} of {whole}");
    assert_eq!(renderer.update(&yard.scene()).unwrap(), 0);
    let after = renderer.render_images(&yard.scene(), &[take]).unwrap().remove(0);
    assert_ne!(before, after);
    let mut fresh = GpuRenderer::new(gpu, props).unwrap();
    assert_eq!(fresh.render_images(&yard.scene(), &[take]).unwrap().remove(0), after);
}

/// Images rendered in one batch equal those rendered one by one.
#[test]
fn batched_cameras_agree_with_single_ones() {
    let Some(gpu) = gpu() else { return };
    let yard = Yard::new("");
    let scene = yard.scene();
    let props = Arc::new(SceneConstants::new(&gpu, &scene).unwrap());
    let mut renderer = GpuRenderer::new(gpu, props).unwrap();
    let cameras: Vec<Camera> = (0..3)
        .map(|k| Camera::with_field(64 + 32 * k, 48, LENSES[k as usize], 1.2).unwrap())
        .collect();
    let viewpoint = yard.viewpoint();
    let take = |(k, camera)| ImageRequest {
        camera,
        poses: [viewpoint; 2],
        interval: 0.0,
        rng: PixelRng { noise: Noise::new(5, 0, k as u32), frame: 3 },
        channels: if k == 1 { &ALL[..1] } else { &ALL },
    };
    let takes: Vec<ImageRequest<'_>> = cameras.iter().enumerate().map(take).collect();
    let together = renderer.render_images(&scene, &takes).unwrap();
    for (take, image) in takes.iter().zip(&together) {
        assert_eq!(&renderer.render_images(&scene, &[*take]).unwrap()[0], image);
    }
    assert!(together[1].depth.is_empty() && together[2].depth.len() == 128 * 48);
}

fn render(choice: &str, drivers: Option<&str>) -> (assert_cmd::assert::Assert, bool) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("picture.png");
    let mut command = assert_cmd::Command::cargo_bin("bekker").unwrap();
    command.args(["render", "examples/single_vehicle.toml", "--size", "64x36", "--supersample"]);
    command.args(["1", "--gpu", choice, "--out"]).arg(&out);
    if let Some(drivers) = drivers {
        command.env("VK_DRIVER_FILES", drivers).env("VK_ICD_FILENAMES", drivers);
    }
    let assert = command.assert();
    let made = out.exists();
    (assert, made)
}

/// A machine without a GPU reports this once and uses the CPU, unless a GPU is required.
#[test]
fn without_a_gpu_the_cpu_renders_and_reports_it() {
    let nothing = Some("/nonexistent/driver.json");
    let (assert, made) = render("auto", nothing);
    let said = String::from_utf8_lossy(&assert.success().get_output().stderr).into_owned();
    assert!(made && said.matches("the CPU renders").count() == 1, "{said}");
    for choice in ["required", "software"] {
        let (assert, made) = render(choice, nothing);
        let said = String::from_utf8_lossy(&assert.code(1).get_output().stderr).into_owned();
        assert!(!made && said.contains("no GPU"), "{said}");
    }
    let (assert, made) = render("off", nothing);
    let said = String::from_utf8_lossy(&assert.success().get_output().stderr).into_owned();
    assert!(made && !said.contains("no GPU"), "{said}");
}

/// A software device is used on request only.
#[test]
fn software_rendering_is_used_only_on_request() {
    let Some(gpu) = gpu() else { return };
    if gpu.is_software() {
        let (assert, made) = render("auto", None);
        let said = String::from_utf8_lossy(&assert.success().get_output().stderr).into_owned();
        assert!(made && said.contains("the CPU renders"), "{said}");
        render("required", None).0.code(1);
    }
    let (assert, made) = render("software", None);
    let said = String::from_utf8_lossy(&assert.success().get_output().stderr).into_owned();
    assert!(made && said.contains(gpu.name()), "{said}");
}

/// A drive with camera and lidar on the GPU ends in the same state and delivers as many frames.
#[test]
fn a_run_renders_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let sensors = r#"
[[vehicle.sensor]]
name = "eye"
model = { kind = "camera", width = 96, height = 54, channels = ["color", "depth", "ground"] }
position = [0.9, 0, 1.1]
rate = 10
lag = 0.03
[[vehicle.sensor]]
name = "lidar"
model = { kind = "lidar", preset = "vlp16" }
position = [0, 0, 1.6]
rate = 10
"#;
    let text = YARD.replacen("position = [0, 0]\n", &format!("position = [0, 0]\n{sensors}"), 1);
    let file = ScenarioFile::parse("yard", &text, Path::new(""), &[]).unwrap();
    let drive = |gpu: Option<Arc<GpuDevice>>| {
        let mut built = world(&file).unwrap().world;
        Arc::make_mut(built.scene_model.as_mut().unwrap()).gpu = gpu;
        let mut world = World::new(built);
        let mut frames = Vec::new();
        for _ in 0..35 {
            world.advance();
            frames.extend(world.delivered(0).iter().cloned());
        }
        assert_eq!(world.gpu_error(), None);
        (world.hash(), frames)
    };
    let (ours, theirs) = (drive(None), drive(Some(gpu)));
    assert_eq!(ours.0, theirs.0);
    assert!(ours.1.len() == 6 && theirs.1.len() == 6, "{} {}", ours.1.len(), theirs.1.len());
    for (a, b) in ours.1.iter().zip(&theirs.1) {
        match (&a.reading, &b.reading) {
            (Reading::Image(a), Reading::Image(b)) => {
                let off = a
                    .color
                    .iter()
                    .zip(&b.color)
                    .filter(|(a, b)| (0..3).any(|c| (gray(a[c]) - gray(b[c])).abs() > 1));
                assert!(off.count() < 6 && a.depth.len() == b.depth.len());
            }
            (Reading::Cloud(a), Reading::Cloud(b)) => {
                let [a, b] = [a.returns.len() as f64, b.returns.len() as f64];
                assert!(a > 5000.0 && (a - b).abs() < 1e-3 * a, "{a} {b}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// A lidar used for navigation is always computed on the CPU, since the drive depends on its bits.
///
/// A second lidar of the vehicle, not used for navigation, is computed on the GPU.
#[test]
fn autonomous_drivers_get_the_same_images_from_a_gpu() {
    let Some(gpu) = gpu() else { return };
    let text = r#"
format = 1
name = "alone"
seed = 4
time = { duration = 1, step = 0.002, heartbeat = 0.01 }
soil = { default = "track", custom = [{ name = "track", friction = 0.8 }] }
site = { latitude_deg = 33.45, longitude_deg = -88.8 }
terrain = { surface = { kind = "procedural", amplitude = 1, wavelength = 40 } }
scenery = [{ kind = "oak", count = 40, area = [-40, -40, 40, 40], clear = 6 }]

[[vehicle]]
name = "robot"
model = "mrzr4"
tire = "rigid"
position = [0, 0]
driver = { kind = "autonomous", goal = [30, 12] }
sensor = [
    { name = "lidar", model = { kind = "lidar", preset = "os2_64", columns = 256 }, position = [1.2, 0, 0.6], pitch_deg = 25 },
    { name = "gps", model = { kind = "gps", preset = "rtk_fixed" }, position = [0, 0, 1.2] },
    { name = "aloft", model = { kind = "lidar", preset = "os2_64", columns = 256 }, position = [0, 0, 1.5] },
    { name = "imu", model = { kind = "imu", preset = "industrial" } },
]
"#;
    let file = ScenarioFile::parse("alone", text, Path::new(""), &[]).unwrap();
    let steering = world(&file).unwrap().world.agents[0].autonomy.as_ref().unwrap().lidar;
    let drive = |gpu: Option<Arc<GpuDevice>>| {
        let mut built = world(&file).unwrap().world;
        Arc::make_mut(built.scene_model.as_mut().unwrap()).gpu = gpu;
        let mut world = World::new(built);
        let mut clouds = [Vec::new(), Vec::new()];
        while world.time() < 0.5 {
            world.advance();
            for delivery in world.delivered(0) {
                if let Reading::Cloud(cloud) = &delivery.reading {
                    clouds[usize::from(delivery.sensor as usize == steering)].push(cloud.clone());
                }
            }
        }
        assert_eq!(world.gpu_error(), None);
        (world.hash(), clouds)
    };
    let (ours, theirs) = (drive(None), drive(Some(gpu)));
    assert_eq!(ours.0, theirs.0);
    assert!(ours.1.iter().all(|clouds| clouds.len() > 2));
    assert_eq!(ours.1[1], theirs.1[1]);
    assert_ne!(ours.1[0], theirs.1[0]);
}
