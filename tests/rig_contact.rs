//! Properties of the contact on which a vehicle's implicit step relies.

use bekker::grid::Lattice;
use bekker::ground::{GroundModel, Overlay, SharedGround};
use bekker::scm::{Contact, Scratch, Underside, WorkingGround, wheel_contact};
use bekker::soil::{DeformableSoil, Laws, Soil, SoilId, SoilKind, Tread};
use bekker::spatial::{Pose, Quat, Twist, Vec3, Vec6};
use bekker::terrain::{SoilMap, SoilRegion, Surface, Terrain};
use proptest::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Allocator that counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

#[expect(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: every call goes to the system's allocator unchanged
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn mid(damping: f64) -> Soil {
    let soil = DeformableSoil {
        k_phi: 2e6,
        k_c: 0.0,
        n: 1.1,
        cohesion: 0.0,
        friction_angle: 30_f64.to_radians(),
        shear_modulus: 0.01,
        elastic_stiffness: 2e8,
        damping,
        bulldozing: None,
        details: Default::default(),
    };
    let kind = SoilKind::Deformable(soil);
    Soil { name: "mid".into(), source: "Project Chrono".into(), kind }
}

fn ground(damping: f64, spacing: f64) -> GroundModel {
    let terrain = Terrain::flat(0.0, SoilId(0));
    let soils = vec![mid(damping)];
    GroundModel::new(Lattice { spacing }, terrain, soils, Laws::reference()).unwrap()
}

struct Bench {
    model: GroundModel,
    published: SharedGround,
    overlay: Overlay,
    scratch: Scratch,
    wheel: Underside,
}

impl Bench {
    fn new(damping: f64, spacing: f64) -> Bench {
        Bench {
            model: ground(damping, spacing),
            published: SharedGround::default(),
            overlay: Overlay::new(),
            scratch: Scratch::new(),
            wheel: Underside::cylinder(0.467, 0.254).unwrap(),
        }
    }

    fn contact(&mut self, pose: &Pose, twist: &Twist, dt: f64) -> Contact {
        self.overlay.begin_step();
        wheel_contact(
            &mut WorkingGround {
                model: &self.model,
                published: &self.published,
                overlay: &mut self.overlay,
                scratch: &mut self.scratch,
            },
            &self.wheel,
            &Tread::rough(),
            pose,
            twist,
            dt,
        )
    }
}

fn pose_at(x: f64, depth: f64) -> Pose {
    Pose { position: Vec3::new(x, 0.0, 0.467 - depth), ..Pose::default() }
}

/// Holds a free wheel of `mass` kg under gravity and a sideways force, N, by implicit steps.
///
/// Returns position and speed at the end, and the last contact.
fn hold(dt: f64, seconds: f64, mass: f64, push: f64) -> (Vec3, Vec3, Contact) {
    let mut bench = Bench::new(0.0, 0.04);
    let mut pose = pose_at(0.0, 0.0);
    let mut twist = Twist::default();
    let mut last = Contact::default();
    for count in 0..(seconds / dt) as usize {
        last = bench.contact(&pose, &twist, dt);
        let load = &last.load;
        // The push along the axle starts once the wheel has settled.
        let side = if count as f64 * dt > 0.5 * seconds { push } else { 0.0 };
        let applied = load.wrench.force + Vec3::new(0.0, side, -9.81 * mass);
        let damping = load.damping.fixed_view::<3, 3>(3, 3);
        let stiffness = load.stiffness.fixed_view::<3, 3>(3, 3);
        let matrix = nalgebra::Matrix3::identity() * (mass / dt) + damping + stiffness * dt;
        let right = twist.linear * (mass / dt) + applied + damping * twist.linear;
        twist.linear = matrix.lu().solve(&right).unwrap();
        pose.position += twist.linear * dt;
    }
    (pose.position, twist.linear, last)
}

#[test]
fn a_wheel_at_rest_stays_at_rest() {
    for dt in [1e-3, 4e-3, 1e-2] {
        let (position, speed, contact) = hold(dt, 4.0, 600.0, 0.0);
        assert!(speed.norm() < 1e-6, "{dt}: {speed}");
        assert!(position.x.abs() + position.y.abs() < 1e-9, "{dt}: {position}");
        let force = contact.load.wrench.force;
        assert!((force.z / (600.0 * 9.81) - 1.0).abs() < 1e-3, "{force}");
        // No lateral force without a push.
        assert!(force.x.hypot(force.y) < 1e-6 * force.z, "{force}");
    }
}

#[test]
fn a_pushed_wheel_creeps_no_faster_than_the_sliding_threshold() {
    // Half the friction of the soil: the wheel slides until enough shear is mobilized, then holds
    // except for creep below 1e-4 m/s.
    let push = 0.5 * 600.0 * 9.81 * 30_f64.to_radians().tan();
    for dt in [1e-3, 4e-3] {
        let (position, speed, contact) = hold(dt, 4.0, 600.0, push);
        assert!(speed.y.abs() < 1e-4, "{dt}: {speed}");
        // 1 - exp(-j/K) = 1/2 at j = 0.69 K = 6.9 mm, plus travel by its speed.
        assert!(position.y > 0.006 && position.y < 0.03, "{dt}: {position}");
        assert!((contact.load.wrench.force.y / -push - 1.0).abs() < 0.01);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_tangent_is_symmetric_and_takes_energy(
        depth in 0.001..0.15, vx in -3.0..3.0, vy in -1.0..1.0, vz in -1.0..1.0,
        spin in -10.0..10.0, camber in -0.2..0.2, yaw in -3.0..3.0,
        trial in proptest::array::uniform6(-1.0..1.0_f64),
    ) {
        let mut bench = Bench::new(3e4, 0.04);
        let orientation =
            Quat::from_euler_angles(0.0, 0.0, yaw) * Quat::from_euler_angles(camber, 0.0, 0.0);
        let pose = Pose { orientation, ..pose_at(0.0, depth) };
        let axis = pose.direction(&Vec3::y());
        let twist = Twist { linear: Vec3::new(vx, vy, vz), angular: axis * spin };
        bench.contact(&pose, &twist, 2e-3);
        let load = bench.contact(&pose, &twist, 2e-3).load;
        let trial = Vec6::from(trial);
        for matrix in [load.stiffness, load.damping] {
            let scale = matrix.norm() + 1.0;
            prop_assert!((matrix - matrix.transpose()).norm() < 1e-9 * scale);
            prop_assert!((trial.transpose() * matrix * trial)[0] > -1e-9 * scale);
            prop_assert!(matrix.iter().all(|entry| entry.is_finite()));
        }
        // Soil never pulls, and friction never drives.
        prop_assert!(load.wrench.force.z >= 0.0);
        let sliding = bench.contact(&pose, &twist, 2e-3);
        prop_assert!(sliding.works.shear >= 0.0);
    }

    #[test]
    fn a_turned_ground_track_gives_the_turned_load(
        depth in 0.02..0.08, quarter in 0_i32..4,
    ) {
        let run = |turn: f64| {
            let mut bench = Bench::new(3e4, 0.04);
            let orientation = Quat::from_euler_angles(0.0, 0.0, turn);
            let mut pose = Pose { orientation, ..pose_at(0.0, depth) };
            let linear = orientation * Vec3::new(2.0, 0.0, 0.0);
            let angular = orientation * Vec3::new(0.0, 5.0, 0.0);
            let mut total = Vec3::zeros();
            for _ in 0..50 {
                total += bench.contact(&pose, &Twist { linear, angular }, 2e-3).load.wrench.force;
                pose.position += linear * 2e-3;
            }
            orientation.inverse() * total
        };
        let (along, turned) = (run(0.0), run(f64::from(quarter) * std::f64::consts::FRAC_PI_2));
        // By rounding, a node on the very edge may be inside or outside.
        prop_assert!((along - turned).norm() < 1e-3 * along.norm(), "{along} {turned}");
    }
}

#[test]
fn zero_camber_has_no_effect() {
    let force = |camber: f64| {
        let mut bench = Bench::new(0.0, 0.04);
        let orientation = Quat::from_euler_angles(camber, 0.0, 0.0);
        let pose = Pose { orientation, ..pose_at(0.0, 0.05) };
        bench.contact(&pose, &Twist::default(), 1e-3).load.wrench.force.z
    };
    assert!((force(1e-8) / force(0.0) - 1.0).abs() < 1e-6);
}

#[test]
fn a_step_allocates_nothing_after_warmup() {
    let mut bench = Bench::new(3e4, 0.02);
    let angular = Vec3::new(0.0, 5.0, 0.0);
    let twist = Twist { linear: Vec3::new(2.0, 0.0, 0.0), angular };
    let mut patches = bekker::ground::Patches::default();
    let mut drive = |from: usize, to: usize| {
        let mut within_steps = 0;
        for count in from..to {
            let pose = pose_at(count as f64 * 4e-3, 0.05);
            let before = ALLOCATIONS.with(Cell::get);
            bench.contact(&pose, &twist, 2e-3);
            within_steps += ALLOCATIONS.with(Cell::get) - before;
            if count % 5 == 4 {
                patches.clear();
                bench.overlay.publish(&mut patches);
                bench.published.apply(&patches);
                bench.overlay.refresh(&bench.published);
            }
        }
        within_steps
    };
    assert!(drive(0, 500) > 0);
    assert_eq!(drive(500, 1500), 0);
    // The tiles behind have been dropped.
    assert!(bench.overlay.tiles() < 40, "{}", bench.overlay.tiles());
}

/// Builds ground that is firm where x >= 0 and deformable elsewhere.
fn half_firm() -> GroundModel {
    let kind = SoilKind::Firm { friction: 0.8 };
    let rock = Soil { name: "rock".into(), source: String::new(), kind };
    let east = SoilRegion::HalfPlane { point: [0.0, 0.0], direction: [1.0, 0.0] };
    let soils = SoilMap::uniform(SoilId(0)).paint(east, SoilId(1)).unwrap();
    let terrain = Terrain::builder(Surface::Plane { elevation: 1.0, slope: [0.0, 0.0] }, soils)
        .build()
        .unwrap();
    let soils = vec![mid(0.0), rock];
    GroundModel::new(Lattice { spacing: 0.05 }, terrain, soils, Laws::reference()).unwrap()
}

#[test]
fn a_wheel_crosses_onto_firm_ground_without_a_jump() {
    let mut bench = Bench { model: half_firm(), ..Bench::new(0.0, 0.05) };
    let (mut before, mut height) = (0.0, 0.979);
    let step = 1e-3;
    for count in -400_i32..=400 {
        let x = f64::from(count) * step;
        let mut pose = pose_at(x, 0.02);
        pose.position.z += 1.0;
        let found = bench.contact(&pose, &Twist::default(), 1e-3);
        let share = found.firm.map_or(0.0, |firm| firm.share);
        // The tent-shaped weight is 0.43 m long and falls by 1 over half of that.
        assert!((share - before).abs() < 0.02, "{x}: {before} to {share}");
        assert!(share >= before - 1e-9, "{x}: {before} to {share}");
        before = share;
        if let Some(firm) = found.firm {
            // Out of its rut of 2 cm the wheel climbs over an edge. A disc of 0.467 m contacts it
            // at acos(1 - 0.02/0.467) = 17 degrees; the contact force there is less inclined.
            assert!((firm.height - 1.0).abs() < 0.03 && firm.normal.z > 0.955, "{x}: {firm:?}");
            assert!((firm.height - height).abs() < 1.5 * step, "{x}: {height} to {firm:?}");
            height = firm.height;
            assert!((firm.friction - 0.8).abs() < 1e-12);
        }
        match count {
            -400 => assert_eq!(found.firm, None),
            400 => assert!((share - 1.0).abs() < 1e-12 && found.nodes_in_contact == 0),
            _ => {}
        }
    }
}

#[test]
fn on_a_slope_the_soil_presses_along_its_normal() {
    let slope = 0.3;
    let plane = Surface::Plane { elevation: 0.0, slope: [slope, 0.0] };
    let terrain = Terrain::builder(plane, SoilMap::uniform(SoilId(0))).build().unwrap();
    let soils = vec![mid(0.0)];
    let model =
        GroundModel::new(Lattice { spacing: 0.02 }, terrain, soils, Laws::reference()).unwrap();
    let mut bench = Bench { model, ..Bench::new(0.0, 0.02) };
    let normal = Vec3::new(-slope, 0.0, 1.0).normalize();
    let depth = 0.04;
    let pose = Pose { position: normal * (0.467 - depth), ..Pose::default() };
    let force = bench.contact(&pose, &Twist::default(), 1e-3).load.wrench.force;
    assert!(force.cross(&normal).norm() < 1e-9 * force.norm(), "{force}");
    // Nodes are closer along the slope than in plan: the horizontal cells carry cos(a) of the
    // slope's area. The reference is level ground at the same depth.
    let mut flat = Bench::new(0.0, 0.02);
    let level =
        flat.contact(&pose_at(0.0, depth), &Twist::default(), 1e-3).load.wrench.force.norm();
    // Sinkage along the normal is cos(a) times the vertical gap, so away from the middle the
    // wheel's curvature has a second-order effect.
    let ratio = force.norm() / (level * normal.z);
    assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
}

#[test]
fn a_wheel_at_a_non_finite_position_touches_nothing() {
    for x in [f64::NAN, f64::INFINITY, 1e300, -1e12] {
        let mut bench = Bench::new(0.0, 0.04);
        let found = bench.contact(&pose_at(x, 0.05), &Twist::default(), 1e-3);
        assert_eq!((found.nodes_in_contact, found.firm), (0, None), "{x}");
        assert_eq!(found.load.wrench.force, Vec3::zeros());
    }
}
