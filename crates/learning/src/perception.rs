//! Camera at the driver's eyes, with color and depth, and lidar on the roof.

use super::Options;
use super::observation_field::ObservationField;
use super::observed_camera::{MAX_RANGE, ObservedCamera};
use bekker_agent::GroundVehicle;
use bekker_math::spatial::{Pose, Vec3};
use bekker_scenario::ScenarioFile;
use bekker_scenario::build::{BuiltWorld, scene_model};
use bekker_sensor::camera::{Camera, Lens, PixelRng, look_at};
use bekker_sensor::lidar::{Cloud, LidarNoise, LidarSpec, RayModel, ScanPart};
use bekker_sensor::noise::Noise;
use bekker_sensor::relief::HeightPyramid;
use bekker_sensor::scene::Scene;
use bekker_world::{SceneModel, World};
use std::sync::Arc;

/// Field of view of the camera, rad.
const FIELD_OF_VIEW: f64 = 1.2;
/// Eye point, chassis frame, m, if the vehicle file does not define it.
const DEFAULT_EYE_POINT: [f64; 3] = [0.6, 0.4, 1.0];
/// Downward slope of the viewing direction.
const VIEW_SLOPE: f64 = 0.15;
/// Number of lidar beams.
const BEAMS: usize = 16;
/// Height of the lidar above the eye point, on the center line of the roof, m.
const LIDAR_HEIGHT: f64 = 1.0;

/// Fields of the observation: a square image, a scan, and the images of further cameras.
pub(super) fn fields(options: &Options, cameras: &[ObservedCamera]) -> Vec<ObservationField> {
    let field =
        |name: &'static str, axes, scale, unit| ObservationField::image(name, axes, scale, unit);
    let mut fields = Vec::new();
    if let Some(side) = options.image {
        let side = side as usize;
        let colors = "linear red, green, blue per pixel, row by row from the top left";
        fields.push(field("image", [side, side, 3], 1.0, colors));
        let depths = "m along the optical axis, per pixel; 1 for the sky";
        fields.push(field("depth", [side, side, 1], MAX_RANGE, depths));
    }
    if let Some(columns) = options.lidar {
        let ranges = "m, range; 1 for no return; by beam, lowest first, each from the rear over \
            left, front and right";
        fields.push(field("lidar", [BEAMS, columns as usize, 1], MAX_RANGE, ranges));
    }
    fields.extend(cameras.iter().flat_map(ObservedCamera::fields));
    fields
}

/// A VLP-16 with `columns` firings per revolution, one ray per beam and no noise.
fn lidar(columns: u32) -> LidarSpec {
    let spec = LidarSpec::vlp16();
    LidarSpec {
        columns,
        max_range: MAX_RANGE,
        rays: RayModel::One,
        noise: LidarNoise::default(),
        ..spec
    }
}

/// Cameras, lidar and the scene of a level; immutable.
#[derive(Debug)]
pub struct LevelPerception {
    scene: SceneModel,
    camera: Option<Camera>,
    lidar: Option<LidarSpec>,
    cameras: Vec<ObservedCamera>,
    noise: Noise,
    /// The ground around the start, in its initial state.
    relief: Arc<HeightPyramid>,
}

/// The ground around a vehicle at its last update; a function of the world alone.
#[derive(Clone, Debug)]
pub struct LocalGround(Arc<HeightPyramid>);

impl LevelPerception {
    /// Creates the perception of a level that starts at a position, m; `None` without cameras and
    /// lidar.
    pub(super) fn new(
        file: &ScenarioFile,
        built: &BuiltWorld,
        start: &World,
        place: [f64; 2],
        options: &Options,
        cameras: Vec<ObservedCamera>,
    ) -> Option<LevelPerception> {
        let camera = options.image;
        let camera =
            camera.and_then(|side| Camera::with_field(side, side, Lens::Pinhole, FIELD_OF_VIEW));
        let lidar = options.lidar.map(lidar);
        if camera.is_none() && lidar.is_none() && cameras.is_empty() {
            return None;
        }
        let scene = scene_model(file, &built.world, &built.meshes, built.random.as_ref());
        let (model, published) = (start.model(), &start.state().published);
        let relief = Arc::new(HeightPyramid::coarse(&model.ground, published, place));
        Some(LevelPerception {
            scene,
            camera,
            lidar,
            cameras,
            noise: Noise::new(file.scenario.seed, 0, 0),
            relief,
        })
    }

    /// The ground around a vehicle at a position, m.
    pub(super) fn local_ground(&self, world: &World, place: [f64; 2]) -> LocalGround {
        let mut local_ground = LocalGround(self.relief.clone());
        local_ground.update(world, place);
        local_ground
    }

    /// Writes images and scan of one of the vehicles.
    pub(super) fn render(
        &self,
        world: &World,
        agent: usize,
        LocalGround(relief): &LocalGround,
        buffer: &mut [f32],
    ) {
        let (model, messages) = (world.model(), world.messages());
        let chassis = &messages[agent].chassis;
        let eye_point = eye_point(world, agent);
        let from = chassis.point(&eye_point);
        let moving = self.scene.moving(model, [world.time_us(); 2], [&messages, &messages]);
        let now_us = (1e6 * world.time()).round() as u64;
        let air = self.scene.air_around(model, &messages, now_us, &from);
        let standing = self.scene.standing_props(&model.obstacles, &world.state().damage);
        let scene =
            Scene { air: &air, standing: &standing, ..self.scene.scene(model, relief, &moving) };
        let mut buffer = buffer.iter_mut();
        let rng = PixelRng { noise: self.noise, frame: 0 };
        if let Some(camera) = &self.camera {
            let ahead = chassis.direction(&Vec3::new(1.0, 0.0, -VIEW_SLOPE));
            let pose = look_at(&from, &(from + ahead));
            let image = camera.render(&scene, &[pose; 2], 0.0, &rng);
            let colors = image.color.iter().flatten().map(|level| level.clamp(0.0, 1.0));
            let depths = image.depth.iter().map(|depth| (depth / MAX_RANGE as f32).min(1.0));
            // the values come first: a pair that has only a place would skip it
            for (value, place) in colors.chain(depths).zip(&mut buffer) {
                *place = value;
            }
        }
        if let Some(lidar) = &self.lidar {
            let roof = Vec3::new(eye_point.x, 0.0, eye_point.z + LIDAR_HEIGHT);
            let pose = Pose { position: chassis.point(&roof), ..*chassis };
            for (range, place) in self.ranges(lidar, &scene, pose).into_iter().zip(&mut buffer) {
                *place = (range / MAX_RANGE as f32).min(1.0);
            }
        }
        for observed in &self.cameras {
            let (camera, pose) = observed.placed(chassis, eye_point);
            let image = camera.render(&scene, &[pose; 2], 0.0, &rng);
            observed.write(&image, &mut buffer);
        }
    }

    /// Ranges of a scan, m, beam by beam; infinite where nothing returns.
    fn ranges(&self, lidar: &LidarSpec, scene: &Scene<'_>, pose: Pose) -> Vec<f32> {
        let columns = lidar.columns as usize;
        let whole = ScanPart { shares: [0.0, 1.0], period: 0.0, frame: 0 };
        let mut cloud = Cloud::default();
        lidar.scan(scene, |_| pose, &whole, &self.noise, &mut cloud);
        let mut ranges = vec![f32::INFINITY; BEAMS * columns];
        for back in &cloud.returns {
            let [x, y, z] = back.point.map(f64::from);
            let at = usize::from(back.ring) * columns + usize::from(back.column);
            ranges[at] = Vec3::new(x, y, z).norm() as f32;
        }
        ranges
    }
}

/// Eye point of the driver, chassis frame, m.
fn eye_point(world: &World, agent: usize) -> Vec3 {
    let eye_point = world.model().agents[agent].vehicle.driver_eye_point();
    eye_point.unwrap_or_else(|| Vec3::from(DEFAULT_EYE_POINT))
}

impl LocalGround {
    /// Moves the window to the vehicle and applies new ruts of all vehicles.
    pub(super) fn update(&mut self, world: &World, place: [f64; 2]) {
        let (ground, published) = (&world.model().ground, &world.state().published);
        Arc::make_mut(&mut self.0).update(ground, published, place);
    }
}
