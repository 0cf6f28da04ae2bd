//! Contact of an HMMWV's four wheels with soft ground along a prescribed path, for callgrind.
//!
//! Each run does the given number of steps with identical work.
//!
//! `cargo bench --bench contact -- SPACING STEPS YAW`, in m and rad.

use bekker::grid::Lattice;
use bekker::ground::{GroundModel, Overlay, SharedGround};
use bekker::scm::{Scratch, Underside, WorkingGround, wheel_contact};
use bekker::soil::{DeformableSoil, Laws, Soil, SoilId, SoilKind, Tread};
use bekker::spatial::{Pose, Quat, Twist, Vec3};
use bekker::terrain::Terrain;
use std::time::Instant;

fn model(spacing: f64) -> GroundModel {
    let soil = DeformableSoil {
        k_phi: 2e6,
        k_c: 0.0,
        n: 1.1,
        cohesion: 0.0,
        friction_angle: 30_f64.to_radians(),
        shear_modulus: 0.01,
        elastic_stiffness: 2e8,
        damping: 3e4,
        bulldozing: None,
        details: Default::default(),
    };
    let kind = SoilKind::Deformable(soil);
    let soil = Soil { name: "mid".into(), source: "Project Chrono".into(), kind };
    let terrain = Terrain::flat(0.0, SoilId(0));
    GroundModel::new(Lattice { spacing }, terrain, vec![soil], Laws::reference())
        .expect("the bench's own soil")
}

/// Positions of the wheel centers relative to the middle of the first axle, and their depths, m.
///
/// The second axle runs in the ruts of the first.
const WHEELS: [(f64, f64, f64); 4] =
    [(0.0, 0.93, 0.045), (0.0, -0.93, 0.045), (-3.3, 0.93, 0.05), (-3.3, -0.93, 0.05)];
const STEP: f64 = 2e-3;
const STEPS_PER_BEAT: u32 = 5;
const BLOCK: u32 = 500;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|arg| arg.parse::<f64>().ok());
    let spacing = numbers.next().unwrap_or(0.05);
    let steps = numbers.next().unwrap_or(5000.0) as u32;
    let yaw = numbers.next().unwrap_or(0.3);

    // The outline is the HMMWV mesh tire used with Project Chrono.
    let outline = vec![[0.08, 0.4677], [0.1, 0.4655], [0.125, 0.4495], [0.15, 0.412]];
    let wheel = Underside::new(outline, None).expect("the bench's own wheel");
    let model = model(spacing);
    let mut published = SharedGround::default();
    let (mut overlay, mut scratch) = (Overlay::new(), Scratch::new());
    let mut patches = bekker::ground::Patches::default();
    let turn = Quat::from_euler_angles(0.0, 0.0, yaw);
    let orientation = Quat::from_euler_angles(0.02, 0.0, yaw);
    let linear = turn * Vec3::new(4.0, 0.0, 0.0);
    let twist = Twist { linear, angular: orientation * Vec3::new(0.0, 9.5, 0.0) };

    let (mut tested, mut touched) = (0_u64, 0_u64);
    let mut force = Vec3::zeros();
    let (mut best, mut block) = (f64::INFINITY, Instant::now());
    for step in 1..=steps {
        overlay.begin_step();
        for (ahead, left, depth) in WHEELS {
            let way = linear * (STEP * f64::from(step)) + turn * Vec3::new(ahead, left, 0.0);
            let position = Vec3::new(way.x, way.y, wheel.max_radius() - depth);
            let found = wheel_contact(
                &mut WorkingGround {
                    model: &model,
                    published: &published,
                    overlay: &mut overlay,
                    scratch: &mut scratch,
                },
                &wheel,
                &Tread::rough(),
                &Pose { position, orientation },
                &twist,
                STEP,
            );
            tested += u64::from(found.nodes_tested);
            touched += u64::from(found.nodes_in_contact);
            force += found.load.wrench.force;
        }
        if step % STEPS_PER_BEAT == 0 {
            patches.clear();
            overlay.publish(&mut patches);
            published.apply(&patches);
            overlay.refresh(&published);
        }
        if step % BLOCK == 0 {
            best = best.min(block.elapsed().as_secs_f64() / f64::from(BLOCK));
            block = Instant::now();
        }
    }
    let per_step = |count: u64| count as f64 / f64::from(steps.max(1));
    println!(
        "{spacing} m: {:.1} us a step in the best of {BLOCK}, {:.0} nodes tested, {:.0} in contact",
        best * 1e6,
        per_step(tested),
        per_step(touched),
    );
    println!("  mean force {:?} N", (force / f64::from(steps.max(1))).as_slice());
}
