//! Lidar of one ray per beam, compared with the full lidar and with geometry.

use crate::rendering::Yard;

use bekker::grid::Lattice;
use bekker::ground::{GroundModel, SharedGround};
use bekker::numeric::{sin, sin_cos};
use bekker::random::RandomStream;
use bekker::sensor::air::Air;
use bekker::sensor::class::SurfaceClass;
use bekker::sensor::lidar::{Cloud, LidarNoise, LidarSpec, RayModel, Return, ScanPart};
use bekker::sensor::material::Material;
use bekker::sensor::mesh::MeshBuilder;
use bekker::sensor::noise::Noise;
use bekker::sensor::relief::HeightPyramid;
use bekker::sensor::scene::{Instance, Scene};
use bekker::simulation::{PropKind, SceneModel, World, scatter_props};
use bekker::soil::{Laws, SoilId};
use bekker::spatial::{Pose, Quat, Vec3};
use bekker::terrain::{Roughness, RoughnessClass, SoilMap, Stamp, StampFace, Surface, Terrain};

/// Radius and depth of the holes, m.
const HOLE: [f64; 2] = [2.5, 1.5];

fn hole(center: [f64; 2]) -> Stamp {
    Stamp::hole(center, HOLE[0], HOLE[1], HOLE[0]).with_face(StampFace::Parabolic)
}

/// Builds a plane with a hole 12 m ahead and a pillar 8 m to the left.
fn yard() -> Yard {
    let surface = Surface::Plane { elevation: 0.0, slope: [0.0; 2] };
    let terrain = Terrain::builder(surface, SoilMap::uniform(SoilId(0)));
    let terrain = terrain.stamp(hole([12.0, 0.0])).build().unwrap();
    let mut pillar = MeshBuilder::new();
    // 256 sides are within 0.04 mm of the circle.
    let profile = [[-0.5, 0.5], [2.0, 0.5], [2.0, 0.0]];
    pillar.column([0.0; 3], &profile, 256, Material::dull([0.5; 3]));
    let at = Pose { position: Vec3::new(0.0, 8.0, 0.0), ..Pose::default() };
    let mut yard =
        Yard::on_terrain(terrain, vec![pillar], &[Instance::still(0, at, 0, SurfaceClass::Post)]);
    // Dense fog, in which the full lidar would detect little else.
    yard.air.visibility = 15.0;
    yard
}

fn scanned(lidar: &LidarSpec, scene: &Scene<'_>, pose: Pose) -> Vec<Return> {
    let mut cloud = Cloud::default();
    let part = ScanPart { shares: [0.0, 1.0], period: 0.1, frame: 1 };
    lidar.scan(scene, |_| pose, &part, &Noise::new(1, 0, 0), &mut cloud);
    cloud.returns
}

/// Returns a lidar with one ray per beam and no noise.
fn one_ray(lidar: LidarSpec) -> LidarSpec {
    LidarSpec { rays: RayModel::One, noise: LidarNoise::default(), ..lidar }
}

fn range(found: &Return) -> f64 {
    Vec3::from(found.point.map(f64::from)).norm()
}

/// Returns the distance at which a ray from (0, 0, `height`) hits plane, hole or pillar, m.
fn expected(direction: &Vec3, height: f64) -> Option<(f64, SurfaceClass)> {
    let plane = (direction.z < 0.0).then(|| -height / direction.z);
    // x² + y² about the hole's center: r² = (12 - s dx)² + (s dy)²; z = height + s dz = -d (1 -
    // r²/R²)
    let [radius, depth] = HOLE;
    let a = depth / (radius * radius);
    let (dx, dy, dz) = (direction.x, direction.y, direction.z);
    let (qa, qb, qc) =
        (a * (dx * dx + dy * dy), -2.0 * a * 12.0 * dx - dz, a * 144.0 - depth - height);
    let root = (qb * qb - 4.0 * qa * qc).max(0.0).sqrt();
    let into = (-qb + root) / (2.0 * qa);
    let inside = |s: f64| (s * dx - 12.0).powi(2) + (s * dy).powi(2) < radius * radius;
    let ground = plane.map(|s| if inside(s) { into } else { s });
    // The pillar's circle about (0, 8).
    let (pa, pb, pc) = (dx * dx + dy * dy, -16.0 * dy, 64.0 - 0.25);
    let discriminant = pb * pb - 4.0 * pa * pc;
    let pillar = (discriminant > 0.0 && pb < 0.0)
        .then(|| (-pb - discriminant.sqrt()) / (2.0 * pa))
        .filter(|s| (0.0..2.0).contains(&(height + s * dz)) && ground.is_none_or(|g| *s < g));
    pillar.map(|s| (s, SurfaceClass::Post)).or(ground.map(|s| (s, SurfaceClass::Ground)))
}

#[test]
fn a_plane_a_hole_and_a_pillar_are_where_geometry_has_them() {
    let yard = yard();
    let lidar = one_ray(LidarSpec::os1_64());
    let height = 1.9;
    let eye = Pose { position: Vec3::new(0.0, 0.0, height), ..Pose::default() };
    let returns = scanned(&lidar, &yard.scene(), eye);
    let (mut in_hole, mut on_pillar, mut on_edges, mut on_rim) = (0, 0, 0, 0);
    for found in &returns {
        let (up, level) = sin_cos(lidar.elevations[usize::from(found.ring)]);
        let (s, c) = sin_cos(lidar.azimuth(found.column.into()));
        let direction = Vec3::new(level * c, level * s, up);
        let (distance, class) = expected(&direction, height).expect("something returns");
        if found.class != class as u8 {
            // A corner of the polygon may be hit where the ray misses the circle.
            on_edges += 1;
            continue;
        }
        // Cells cut by the rim are up to 12 mm too low (0.05 m of slope 1.2 in a corner). A ray at
        // grazing angle there may continue into the hole.
        let at = Vec3::from(found.point.map(f64::from));
        let from_middle = |x: f64, y: f64| (x - 12.0).hypot(y);
        let plane = -height / direction.z;
        let over_rim = from_middle(plane * direction.x, plane * direction.y) - HOLE[0];
        if class == SurfaceClass::Ground && over_rim.abs() < 0.15 {
            on_rim += 1;
            continue;
        }
        let tolerance = match from_middle(at.x, at.y) {
            // A chord of 5 cm deviates from the parabola by 0.05²/8 x 2 d/R² = 0.15 mm along each
            // axis. A ray at a slope of 0.1 against it has ten times that error in range.
            r if r < HOLE[0] => 4e-3,
            // 0.04 mm of the polygon divided by the cosine of the angle of incidence, which is 0.02
            // or more.
            _ if class == SurfaceClass::Post => 2e-3,
            // single precision at 120 m
            _ => 1e-4,
        };
        let off = (range(found) - distance).abs();
        assert!(off < tolerance, "{off} at {at:?}");
        in_hole += usize::from(at.z < -height - 0.1);
        on_pillar += usize::from(class == SurfaceClass::Post);
    }
    assert!(in_hole > 20 && on_pillar > 300, "{in_hole} {on_pillar}");
    assert!(on_edges < 10 && on_rim < 200, "{on_edges} {on_rim}");
    // Every beam whose geometric ground return is not too dim must return. The outermost ring with
    // a return from the plane has returns all around, except for hole and pillar.
    let farthest = returns.iter().filter(|r| r.column == 512).map(|r| r.ring).max().unwrap();
    let down = -height / sin(lidar.elevations[usize::from(farthest)]);
    assert!(down > 30.0, "{down}");
}

/// Builds rough ground with holes, trees and a vehicle.
fn wood() -> (World, SceneModel, HeightPyramid) {
    let text = "format = 1\nname = \"wood\"\nseed = 7\n[time]\nduration = 1\n[soil]\n\
        default = \"firm\"\n[ground]\nspacing = 0.25\n[[vehicle]]\nname = \"a\"\n\
        model = \"mrzr4\"\nposition = [0, 0]\n[[vehicle]]\nname = \"b\"\nmodel = \"mrzr4\"\n\
        position = [9, 3]\nheading_deg = 70\n";
    let file = bekker::scenario::ScenarioFile::parse("wood", text, "".as_ref(), &[]).unwrap();
    let mut model = bekker::scenario::build::world(&file).unwrap().world;
    let surface = Surface::Plane { elevation: 0.0, slope: [0.02, -0.01] };
    let mut terrain = Terrain::builder(surface, SoilMap::uniform(SoilId(0)))
        .roughness(Roughness::new(RoughnessClass::E, 7));
    let dice = RandomStream::new(7, "holes");
    for k in 0..25 {
        let [x, y] = [0, 1].map(|part| 120.0 * dice.uniform(2 * k + part) - 60.0);
        terrain = terrain.stamp(hole([x, y]));
    }
    let (soils, laws) = (model.ground.soils().to_vec(), Laws::reference());
    let terrain = terrain.build().unwrap();
    model.ground = GroundModel::new(Lattice { spacing: 0.25 }, terrain, soils, laws).unwrap();
    let kinds = [PropKind::Oak, PropKind::Birch, PropKind::Spruce, PropKind::Rock];
    let area = [-60.0, -60.0, 60.0, 60.0];
    let props: Vec<_> = kinds
        .iter()
        .flat_map(|&kind| scatter_props(kind, 40, area, &[[0.0, 0.0]], 3.0, &dice))
        .collect();
    let scene_model = SceneModel::new(&model, &props);
    let relief = HeightPyramid::new(&model.ground, &SharedGround::default(), [0.0, 0.0]);
    (World::new(model), scene_model, relief)
}

#[test]
fn the_fast_lidar_agrees_with_the_full_lidar_in_clear_air() {
    let (world, scene_model, relief) = wood();
    let messages = world.messages();
    let moving = scene_model.moving(world.model(), [world.time_us(); 2], [&messages, &messages]);
    let scene = scene_model.scene(world.model(), &relief, &moving);
    let clear = Air::clear();
    let scene = Scene { air: &clear, ..scene };
    let chassis = messages[0].chassis;
    let tilted = Quat::from_axis_angle(&Vec3::y_axis(), 25_f64.to_radians());
    let pose = Pose {
        position: chassis.point(&Vec3::new(1.3, 0.0, 1.1)),
        orientation: chassis.orientation * tilted,
    };
    let whole = LidarSpec { noise: LidarNoise::default(), ..LidarSpec::os2_64() };
    let all = scanned(&whole, &scene, pose);
    let fast = scanned(&one_ray(LidarSpec::os2_64()), &scene, pose);
    let beams = |all: &[Return]| -> Vec<_> {
        all.iter().map(|r| (r.column, r.ring, r.class, r.instance)).collect()
    };
    assert_eq!(beams(&fast), beams(&all));
    let mut seen = [0; 256];
    for (fast, whole) in fast.iter().zip(&all) {
        // Both use the same rays; the difference is rounding of the direction's length.
        assert!((range(fast) - range(whole)).abs() < 1e-4, "{fast:?} {whole:?}");
        assert!((fast.intensity - whole.intensity).abs() <= 1e-6 * whole.intensity);
        seen[usize::from(fast.class)] += 1;
    }
    for class in
        [SurfaceClass::Ground, SurfaceClass::Tree, SurfaceClass::Rock, SurfaceClass::Vehicle]
    {
        assert!(seen[class as usize] > 5, "{class:?}: {}", seen[class as usize]);
    }
    // The bits are the same on any number of threads.
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let again = pool.install(|| scanned(&one_ray(LidarSpec::os2_64()), &scene, pose));
        assert_eq!(again, fast, "{threads} threads");
    }
}
