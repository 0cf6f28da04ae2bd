//! Cameras and lidars compared with geometry: planes, cylinders, steps, and a drive past posts.

use bekker::grid::Lattice;
use bekker::ground::{GroundModel, SharedGround};
use bekker::numeric::{atan2, hypot};
use bekker::sensor::air::Air;
use bekker::sensor::camera::{Camera, Lens, PixelRng, look_at};
use bekker::sensor::class::SurfaceClass;
use bekker::sensor::lidar::{Cloud, LidarNoise, LidarSpec, RayModel, ReturnMode, ScanPart};
use bekker::sensor::material::{Material, SoilAppearance};
use bekker::sensor::mesh::{Mesh, MeshBuilder};
use bekker::sensor::noise::Noise;
use bekker::sensor::ray::Ray;
use bekker::sensor::relief::HeightPyramid;
use bekker::sensor::scene::{Instance, InstanceSet, Scene};
use bekker::sensor::sky::Sky;
use bekker::soil::{Laws, Soil, SoilId, SoilKind};
use bekker::spatial::{Pose, Quat, Vec3};
use bekker::terrain::Terrain;

fn rng(frame: u32) -> PixelRng {
    PixelRng { noise: Noise::new(1, 0, 0), frame }
}

const GRAY: Material = Material::dull([0.5; 3]);

/// Firm ground with objects, in clear air.
pub struct Yard {
    pub model: GroundModel,
    pub relief: HeightPyramid,
    pub soils: Vec<SoilAppearance>,
    pub meshes: Vec<Mesh>,
    pub standing: InstanceSet,
    pub moving: InstanceSet,
    pub air: Air,
}

impl Yard {
    /// Builds a yard on a plane at height 0.
    fn new(sketches: Vec<MeshBuilder>, instances: &[Instance]) -> Yard {
        Yard::on_terrain(Terrain::flat(0.0, SoilId(0)), sketches, instances)
    }

    pub fn on_terrain(
        terrain: Terrain,
        sketches: Vec<MeshBuilder>,
        instances: &[Instance],
    ) -> Yard {
        let soil = Soil {
            name: "firm".into(),
            source: String::new(),
            kind: SoilKind::Firm { friction: 0.8 },
        };
        let soils = vec![SoilAppearance::from_soil(&soil)];
        let lattice = Lattice { spacing: 0.05 };
        let model = GroundModel::new(lattice, terrain, vec![soil], Laws::reference()).unwrap();
        let relief = HeightPyramid::new(&model, &SharedGround::default(), [0.0, 0.0]);
        let meshes: Vec<Mesh> = sketches.into_iter().map(MeshBuilder::finish).collect();
        let (still, moving): (Vec<Instance>, Vec<Instance>) =
            instances.iter().partition(|i| i.poses[0] == i.poses[1]);
        let standing = InstanceSet::new(&meshes, &still);
        let moving = InstanceSet::new(&meshes, &moving);
        let air = Air { visibility: f64::INFINITY, ..Air::default() };
        Yard { model, relief, soils, meshes, standing, moving, air }
    }

    pub fn scene(&self) -> Scene<'_> {
        Scene {
            model: &self.model,
            relief: &self.relief,
            soils: &self.soils,
            meshes: &self.meshes,
            standing: &self.standing,
            moving: &self.moving,
            sky: Sky::default(),
            air: &self.air,
        }
    }
}

fn pose_at(x: f64, y: f64, z: f64) -> Pose {
    Pose { position: Vec3::new(x, y, z), ..Pose::default() }
}

/// Builds an upright cylinder of 1 m diameter and 2 m height.
///
/// Its polygon of 256 sides is within 0.04 mm of the circle.
fn pillar() -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    builder.column([0.0; 3], &[[-0.5, 0.5], [2.0, 0.5], [2.0, 0.0]], 256, GRAY);
    builder
}

fn exact(elevations: Vec<f64>, columns: u32) -> LidarSpec {
    LidarSpec {
        elevations,
        columns,
        azimuths: [-std::f64::consts::PI, std::f64::consts::PI],
        min_range: 0.1,
        max_range: 300.0,
        divergence: 0.0,
        rays: RayModel::Footprint,
        samples: 1,
        returns: ReturnMode::Strongest,
        noise: LidarNoise::default(),
    }
}

fn scanned(lidar: &LidarSpec, scene: &Scene<'_>, pose: impl Fn(f64) -> Pose + Sync) -> Cloud {
    let mut cloud = Cloud::default();
    let part = ScanPart { shares: [0.0, 1.0], period: 0.1, frame: 1 };
    lidar.scan(scene, pose, &part, &Noise::new(1, 0, 0), &mut cloud);
    cloud
}

#[test]
fn a_cylinder_a_sphere_and_a_wall_are_within_a_millimeter_at_a_hundred_meters() {
    let mut ball = MeshBuilder::new();
    // Facets of 12 mm on a sphere of 1 m are within 0.02 mm of it.
    ball.lump([0.0; 3], 256, |_| 1.0, GRAY);
    let mut wall = MeshBuilder::new();
    wall.block([0.0, 0.0, 2.0], [9.0, 1.0, 4.0], GRAY);
    let instances = [
        Instance::still(0, pose_at(100.0, 0.0, 0.0), 0, SurfaceClass::Post),
        Instance::still(1, pose_at(-100.0, 0.0, 1.5), 1, SurfaceClass::Rock),
        Instance::still(2, pose_at(0.0, 100.0, 0.0), 2, SurfaceClass::Other),
    ];
    let yard = Yard::new(vec![pillar(), ball, wall], &instances);
    let scene = yard.scene();
    let viewpoint = Vec3::new(0.0, 0.0, 1.5);
    let mut seen = [0; 3];
    for step in -400..=400 {
        let aside = f64::from(step) * 1e-2;
        // The range to a circle of radius r about (100, 0).
        let circle = |r: f64, direction: &Vec3| {
            let along = 100.0 * direction.x.abs();
            along - (along * along - 1e4 + r * r).sqrt()
        };
        for (k, to) in [[100.0, aside], [-100.0, aside], [aside, 99.5]].into_iter().enumerate() {
            let direction = Vec3::new(to[0], to[1], 0.0).normalize();
            let met = scene.cast(&Ray::new(viewpoint, direction), 0.0, 300.0);
            let expected = match k {
                0 => circle(0.5, &direction),
                1 => circle(1.0, &direction),
                _ => 99.5 / direction.y,
            };
            // At the very rim a facet may be missed.
            let rim = match k {
                0 => 0.497,
                1 => 0.997,
                _ => 4.0,
            };
            if aside.abs() > rim {
                continue;
            }
            let met = met.unwrap_or_else(|| panic!("{k} {aside}: nothing"));
            assert!((met.range() - expected).abs() < 1e-3, "{k} {aside}: {met:?} {expected}");
            seen[k] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 90), "{seen:?}");
}

/// Ground closer than the minimum range blocks the beam: no return, and none from below it.
#[test]
fn ground_nearer_than_the_nearest_range_does_not_return() {
    let yard = Yard::new(Vec::new(), &[]);
    let down = [-80.0_f64, -45.0, -30.0, -5.0].map(f64::to_radians);
    for rays in [RayModel::One, RayModel::Footprint] {
        for nearest in [0.0, 6.0, 20.0] {
            let lidar = LidarSpec { min_range: nearest, rays, ..exact(down.to_vec(), 36) };
            let cloud = scanned(&lidar, &yard.scene(), |_| pose_at(0.0, 0.0, 4.0));
            let beyond = down.iter().filter(|angle| 4.0 / -angle.sin() > nearest).count();
            assert_eq!(cloud.returns.len(), 36 * beyond, "{rays:?}, from {nearest} m");
            // Single precision, 46 m away.
            let on_ground = |z: f32| (f64::from(z) + 4.0).abs() < 1e-4;
            assert!(cloud.returns.iter().all(|own| on_ground(own.point[2])), "{nearest}");
        }
    }
}

/// Both angles of a beam have the same error, at any elevation.
#[test]
fn beams_err_by_both_angles_alike() {
    let yard = Yard::new(Vec::new(), &[]);
    let error = 0.5_f64.to_radians();
    let noise = LidarNoise { angle: error, ..LidarNoise::default() };
    for elevation in [-60.0_f64, -10.0].map(f64::to_radians) {
        let lidar = LidarSpec { noise, ..exact(vec![elevation], 3600) };
        let cloud = scanned(&lidar, &yard.scene(), |_| pose_at(0.0, 0.0, 4.0));
        assert_eq!(cloud.returns.len(), 3600);
        let off = cloud.returns.iter().map(|own| {
            let [x, y, z] = own.point.map(f64::from);
            z.atan2(x.hypot(y)) - elevation
        });
        let found = (off.map(|off| off * off).sum::<f64>() / 3600.0).sqrt();
        // The standard error of a deviation from 3600 samples is 1.2 %.
        assert!((found / error - 1.0).abs() < 0.05, "{found} at {elevation}");
    }
}

#[test]
fn depth_of_a_plane_is_within_a_millimeter_at_a_hundred_meters() {
    let yard = Yard::new(Vec::new(), &[]);
    let camera = Camera::with_field(160, 90, Lens::Pinhole, 0.8).unwrap();
    let pose = look_at(&Vec3::new(3.0, -2.0, 8.0), &Vec3::new(80.0, 20.0, 0.0));
    let image = camera.render(&yard.scene(), &[pose; 2], 0.0, &rng(1));
    let mut far = 0.0_f64;
    for (index, &depth) in image.depth.iter().enumerate() {
        let (u, v) = ((index % 160) as f64 + 0.5, (index / 160) as f64 + 0.5);
        let own = camera.direction(u, v).unwrap();
        let direction = pose.direction(&own);
        if direction.z >= 0.0 {
            assert_eq!(image.class[index], SurfaceClass::Sky as u8);
            continue;
        }
        let expected = 8.0 / -direction.z * own.x;
        if expected < 150.0 {
            // Single precision in the image: 4e-6 at 100 m.
            assert!((f64::from(depth) - expected).abs() < 1e-3, "{depth} {expected}");
            far = far.max(expected);
            assert_eq!(image.class[index], SurfaceClass::Ground as u8);
            assert_eq!(image.normal[index], [0.0, 0.0, 1.0]);
        }
    }
    assert!(far > 100.0);
}

/// A rotating lidar shortens or lengthens objects that it passes.
///
/// The test of the paper: at 20 m/s past cylinders of 1 m every 2 m. With a sweep against the
/// clock, those on the right appear shorter than those on the left. Abeam at distance D a sweep of
/// rate ω gains or loses v / D on the cylinder.
#[test]
fn a_turning_lidar_shortens_and_lengthens_passed_objects() {
    let mut instances = Vec::new();
    for k in -10..=10 {
        for side in [-1.0, 1.0] {
            let pose = pose_at(2.0 * f64::from(k), 4.0 * side, 0.0);
            instances.push(Instance::still(0, pose, 0, SurfaceClass::Post));
        }
    }
    let yard = Yard::new(vec![pillar()], &instances);
    let lidar = exact(vec![0.0], 36_000);
    // The sweep passes the right in its first half and the left in its second: abeam at a quarter
    // and three quarters of the scan, where a cylinder must be.
    let drive = |share: f64| pose_at(-0.5 + 2.0 * share, 0.0, 1.0);
    let shift = |share: f64| pose_at(2.0 * (share - 0.75), 0.0, 1.0);
    let widths = |cloud: &Cloud, side: f32| {
        // The cylinder nearest abeam: contiguous azimuths of its points.
        let mut azimuths: Vec<f64> = cloud
            .returns
            .iter()
            .filter(|r| r.point[1] * side > 0.0 && r.point[0].abs() < 0.8 && r.point[1].abs() < 4.1)
            .map(|r| atan2(f64::from(r.point[1]), f64::from(r.point[0])))
            .collect();
        azimuths.sort_by(f64::total_cmp);
        let middle = f64::from(side) * std::f64::consts::FRAC_PI_2;
        let near = azimuths.iter().position(|a| (a - middle).abs() < 1e-3).unwrap();
        let step = std::f64::consts::TAU / 36_000.0;
        let mut ends = [near, near];
        while ends[0] > 0 && azimuths[ends[0]] - azimuths[ends[0] - 1] < 1.5 * step {
            ends[0] -= 1;
        }
        while ends[1] + 1 < azimuths.len() && azimuths[ends[1] + 1] - azimuths[ends[1]] < 1.5 * step
        {
            ends[1] += 1;
        }
        (ends[1] - ends[0]) as f64 * step
    };
    let still = widths(&scanned(&lidar, &yard.scene(), |_| pose_at(0.0, 0.0, 1.0)), 1.0);
    // Tangents to a circle of 0.5 m at 4 m.
    assert!((still - 2.0 * bekker::numeric::asin(0.125)).abs() < 2e-3, "{still}");
    let ratio = 20.0 / (4.0 * std::f64::consts::TAU / 0.1);
    let right = widths(&scanned(&lidar, &yard.scene(), drive), -1.0);
    let left = widths(&scanned(&lidar, &yard.scene(), shift), 1.0);
    // To first order; the next terms are of the order of the width squared.
    assert!((right / still * (1.0 + ratio) - 1.0).abs() < 0.01, "{right} {still}");
    assert!((left / still * (1.0 - ratio) - 1.0).abs() < 0.01, "{left} {still}");
    assert!(right < 0.95 * still && left > 1.05 * still);
}

/// A moving object is hit where it is when the ray is sent.
#[test]
fn a_moving_cylinder_is_where_it_is_at_the_time() {
    let turn = Quat::from_axis_angle(&Vec3::z_axis(), 1.0);
    let poses =
        [pose_at(10.0, -1.0, 0.0), Pose { position: Vec3::new(10.0, 1.0, 0.0), orientation: turn }];
    let moving = Instance { mesh: 0, poses, scale: 1.0, agent: 4, class: SurfaceClass::Vehicle };
    let yard = Yard::new(vec![pillar()], &[moving]);
    for step in 0..=10 {
        let moment = f64::from(step) / 10.0;
        let origin = Vec3::new(0.0, -1.0 + 2.0 * moment, 1.0);
        let ray = Ray { origin, direction: Vec3::x(), moment };
        let met = yard.scene().cast(&ray, 0.0, 300.0).unwrap();
        assert!((met.range() - 9.5).abs() < 1e-4, "{met:?}");
        assert_eq!(yard.scene().surface(&ray, &met).instance, 5);
    }
}

#[test]
fn a_footprint_on_an_edge_returns_twice() {
    let mut plates = MeshBuilder::new();
    plates.block([10.0, -5.0, 0.0], [0.1, 10.0, 20.0], GRAY);
    plates.block([20.0, 0.0, 0.0], [0.1, 40.0, 20.0], GRAY);
    let yard = Yard::new(
        vec![plates],
        &[Instance::still(0, pose_at(0.0, 0.0, 0.0), 0, SurfaceClass::Other)],
    );
    let beam = |returns| LidarSpec {
        azimuths: [-0.001, 0.001],
        divergence: 0.01,
        samples: 9,
        returns,
        ..exact(vec![0.0], 1)
    };
    let ranges = |returns| -> Vec<f32> {
        let cloud = scanned(&beam(returns), &yard.scene(), |_| pose_at(0.0, 0.0, 1.0));
        cloud.returns.iter().map(|r| r.point[0]).collect()
    };
    let near = |found: Vec<f32>, expected: &[f32]| {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        // The rim of the footprint is off the axis by 5e-3 rad, which lengthens the range by its
        // square, 0.25 mm.
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3), "{found:?}");
    };
    near(ranges(ReturnMode::First), &[9.95]);
    near(ranges(ReturnMode::Last), &[19.95]);
    // Half of the light at half of the distance is four times as bright.
    near(ranges(ReturnMode::Strongest), &[9.95]);
    near(ranges(ReturnMode::Dual), &[9.95, 19.95]);
    let mean = ranges(ReturnMode::Mean);
    assert!(mean[0] > 10.5 && mean[0] < 14.0, "{mean:?}");
}

#[test]
fn intensity_falls_with_range_angle_and_air() {
    let mut yard = Yard::new(Vec::new(), &[]);
    let reflectance = f64::from(yard.soils[0].fresh.reflectance);
    let elevations = [-90.0, -60.0, -30.0, -10.0].map(f64::to_radians).to_vec();
    let lidar = exact(elevations, 4);
    let pose = |_| pose_at(0.0, 0.0, 2.0);
    for r in scanned(&lidar, &yard.scene(), pose).returns {
        let [x, y, z] = r.point.map(f64::from);
        let range = hypot(hypot(x, y), z);
        let expected = reflectance * (2.0 / range) / (range * range);
        assert!((f64::from(r.intensity) / expected - 1.0).abs() < 1e-5, "{r:?}");
    }
    // In fog of 50 m far returns vanish and droplet returns appear; near returns keep their ranges.
    yard.air.visibility = 50.0;
    let level = exact((0..40).map(|k| -0.01 - 0.01 * f64::from(k)).collect(), 100);
    let clear = 4_000.0;
    let cloud = scanned(&level, &yard.scene(), pose);
    let air = cloud.returns.iter().filter(|r| r.class == SurfaceClass::Air as u8).count();
    let ground = cloud.returns.len() - air;
    assert!(air > 100 && (ground as f64) < 0.95 * clear, "{air} {ground}");
}

/// Haze returns echoes from near range only.
///
/// A beam without a hit has an echo of the air if its free path ends within a range interval. The
/// interval starts at the minimum range. It ends where haze as thick as half a pulse, 0.3 m, is as
/// bright as a tenth of white at the maximum range. There π α ΔR / S exp(-2 α r) / r² = 0.1 /
/// r_max². At a visibility of 20 km this is at 1.4 m: one echo in ten thousand beams.
#[test]
fn haze_returns_only_from_nearby() {
    let mut yard = Yard::new(Vec::new(), &[]);
    let lidar = exact((0..64).map(|k| 0.05 + 0.01 * f64::from(k)).collect(), 512);
    let beams = 64.0 * 512.0;
    for (visibility, ratio) in [(20_000.0, 50.0), (2_000.0, 50.0), (500.0, 18.8), (100.0, 18.8)] {
        yard.air.visibility = visibility;
        // Koschmieder and Kruse at 880 nm
        let kilometers: f64 = 1e-3 * visibility;
        let kruse = if kilometers > 6.0 { 1.3 } else { 0.585 * kilometers.cbrt() };
        let extinction = 3.912 / visibility * (880.0_f64 / 550.0).powf(-kruse);
        let slice = std::f64::consts::PI * extinction * 0.3 / ratio;
        let faintest = 0.1 / (lidar.max_range * lidar.max_range);
        let is_seen = |r: f64| slice * (-2.0 * extinction * r).exp() / (r * r) >= faintest;
        let (mut near, mut far) = (0.0, lidar.max_range);
        for _ in 0..60 {
            let middle = 0.5 * (near + far);
            *(if is_seen(middle) { &mut near } else { &mut far }) = middle;
        }
        let ends = [lidar.min_range, near.max(lidar.min_range)];
        let expected = (-extinction * ends[0]).exp() - (-extinction * ends[1]).exp();
        let cloud = scanned(&lidar, &yard.scene(), |_| pose_at(0.0, 0.0, 2.0));
        assert!(cloud.returns.iter().all(|found| found.class == SurfaceClass::Air as u8));
        let share = cloud.returns.len() as f64 / beams;
        // Four standard errors.
        let error = 4.0 * (expected * (1.0 - expected) / beams).sqrt();
        assert!((share - expected).abs() <= error, "{visibility}: {share}, not {expected}");
        assert!(expected < 2e-4 || visibility < 10_000.0, "{expected}");
    }
}

/// Any number of threads gives the same bits, and the parts of a scan add up to the whole.
#[test]
fn threads_and_parts_do_not_matter() {
    let moving = Instance {
        mesh: 0,
        poses: [pose_at(5.0, -1.0, 0.0), pose_at(5.0, 1.0, 0.0)],
        scale: 1.0,
        agent: 0,
        class: SurfaceClass::Vehicle,
    };
    let mut yard = Yard::new(vec![pillar()], &[moving]);
    yard.air.rain = 20.0;
    let lidar = LidarSpec::vlp16();
    let pose = |share: f64| pose_at(share, 0.0, 1.5);
    let camera = Camera::with_field(64, 48, Lens::KannalaBrandt([0.0; 4]), 3.0).unwrap();
    let camera = Camera { supersample: 2, sky_rays: 1, exposure: 0.01, ..camera };
    let take = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let scene = yard.scene();
            let rng = rng(1);
            let poses = [pose_at(0.0, 0.0, 1.0), pose_at(0.1, 0.0, 1.0)];
            (scanned(&lidar, &scene, pose), camera.render(&scene, &poses, 0.05, &rng))
        })
    };
    let (cloud, image) = take(1);
    let (cloud_too, image_too) = take(3);
    assert_eq!(cloud, cloud_too);
    assert_eq!(image.color, image_too.color);
    assert_eq!(image.depth, image_too.depth);
    assert!(image.class.contains(&(SurfaceClass::Vehicle as u8)));
}

/// A small image with all features has the recorded checksum.
///
/// Any changed bit changes it. After an intended change, inspect the image and record the new sum.
#[test]
fn a_small_image_matches_its_golden_copy() {
    let instances = [
        Instance::still(0, pose_at(6.0, -1.5, 0.0), 0, SurfaceClass::Post),
        Instance {
            mesh: 1,
            poses: [pose_at(7.0, 1.0, 0.6), pose_at(7.0, 1.4, 0.6)],
            scale: 0.6,
            agent: 1,
            class: SurfaceClass::Rock,
        },
    ];
    let mut ball = MeshBuilder::new();
    ball.lump([0.0; 3], 32, |_| 1.0, Material::STEEL);
    let yard = Yard::new(vec![pillar(), ball], &instances);
    let camera = Camera::with_field(64, 36, Lens::Pinhole, 1.0).unwrap();
    let camera = Camera { supersample: 2, sky_rays: 1, exposure: 0.01, ..camera };
    let pose = look_at(&Vec3::new(0.0, 0.0, 1.6), &Vec3::new(7.0, 0.0, 0.7));
    let image = camera.render(&yard.scene(), &[pose; 2], 0.01, &rng(5));
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for bits in image.color.iter().flatten().chain(&image.depth).map(|x| x.to_bits()) {
        sum = (sum ^ u64::from(bits)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    let count = |class: SurfaceClass| image.class.iter().filter(|c| **c == class as u8).count();
    assert!(
        count(SurfaceClass::Post) > 100
            && count(SurfaceClass::Rock) > 40
            && count(SurfaceClass::Sky) > 400
    );
    assert_eq!(sum, 0xcc87_4149_7cf3_87ad, "{sum:#x}");
}
