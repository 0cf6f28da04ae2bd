//! Contact of one wheel: time per call, with the numbers of nodes tested and loaded.

use bekker::grid::Lattice;
use bekker::ground::{GroundModel, Overlay, SharedGround};
use bekker::scm::{Scratch, Underside, WorkingGround, wheel_contact};
use bekker::soil::{DeformableSoil, Laws, Soil, SoilId, SoilKind, Tread};
use bekker::spatial::{Pose, Quat, Twist, Vec3};
use bekker::terrain::Terrain;
use criterion::{Criterion, criterion_group, criterion_main};

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

fn contact(criterion: &mut Criterion) {
    // The outline is the HMMWV mesh tire used with Project Chrono.
    let outline = vec![[0.08, 0.4677], [0.1, 0.4655], [0.125, 0.4495], [0.15, 0.412]];
    let wheel = Underside::new(outline, None).expect("the bench's own wheel");
    for spacing in [0.05, 0.02] {
        for (way, yaw) in [("x", 0.0), ("y", std::f64::consts::FRAC_PI_2), ("askew", 0.6)] {
            let model = model(spacing);
            let mut published = SharedGround::default();
            let (mut overlay, mut scratch) = (Overlay::new(), Scratch::new());
            let orientation = Quat::from_euler_angles(0.02, 0.0, yaw);
            let heading = Quat::from_euler_angles(0.0, 0.0, yaw) * Vec3::new(1.0, 0.0, 0.0);
            let linear = heading * 4.0;
            let twist = Twist { linear, angular: orientation * Vec3::new(0.0, 9.5, 0.0) };
            let mut pose = Pose { position: Vec3::new(0.0, 0.0, 0.4677 - 0.05), orientation };
            let mut patches = bekker::ground::Patches::default();
            let (mut calls, mut tested, mut touched) = (0_u64, 0_u64, 0_u64);
            criterion.bench_function(&format!("wheel {spacing} m along {way}"), |bencher| {
                bencher.iter(|| {
                    overlay.begin_step();
                    let found = wheel_contact(
                        &mut WorkingGround {
                            model: &model,
                            published: &published,
                            overlay: &mut overlay,
                            scratch: &mut scratch,
                        },
                        &wheel,
                        &Tread::rough(),
                        &pose,
                        &twist,
                        2e-3,
                    );
                    pose.position += linear * 2e-3;
                    calls += 1;
                    tested += u64::from(found.nodes_tested);
                    touched += u64::from(found.nodes_in_contact);
                    if calls.is_multiple_of(5) {
                        patches.clear();
                        overlay.publish(&mut patches);
                        published.apply(&patches);
                        overlay.refresh(&published);
                    }
                    found
                });
            });
            let calls = calls.max(1);
            println!("  {} nodes tested, {} in contact", tested / calls, touched / calls);
        }
    }
}

criterion_group!(benches, contact);
criterion_main!(benches);
