//! Straight driving at small angles to the rows of nodes under the refined laws.

use crate::scene;

use bekker::ground::{Overlay, SharedGround};
use bekker::scm::{Scratch, Underside, WorkingGround, wheel_contact};
use bekker::soil::{Laws, SoilId, Tread};
use bekker::spatial::{Pose, Quat, Twist, Vec3};
use bekker::terrain::Terrain;
use scene::{agent, drive, ground_under, pose_at, soil, table, vehicle, world};

fn tire() -> Underside {
    let outline = vehicle("hmmwv").spec().tire.rigid.outline.clone();
    let outline = outline.iter().map(|point| [point.half_width, point.radius]).collect();
    Underside::new(outline, None).unwrap()
}

/// Returns the mean force to the left on a tire under 6.3 kN towed along its heading, N.
///
/// Its middle starts `across` m off a row of nodes.
fn side_force(ground: &str, spacing: f64, degrees: f64, across: f64) -> f64 {
    let (load, mass, step) = (6311.6, 640.0, 2e-3);
    let wheel = tire();
    let model =
        ground_under(Laws::refined(), spacing, Terrain::flat(0.0, SoilId(0)), vec![soil(ground)]);
    let published = SharedGround::default();
    let (mut overlay, mut scratch) = (Overlay::new(), Scratch::new());
    let orientation = Quat::from_axis_angle(&Vec3::z_axis(), degrees.to_radians());
    let position = Vec3::new(0.0, across, wheel.max_radius());
    let mut pose = Pose { position, orientation };
    let (forward, left) = (pose.direction(&Vec3::x()), pose.direction(&Vec3::y()));
    let (mut climb, mut sum) = (0.0, 0.0);
    for tick in 0..750 {
        let twist = Twist { linear: forward + Vec3::z() * climb, angular: left * 2.4 };
        overlay.begin_step();
        let tread = Tread::rough();
        let found = wheel_contact(
            &mut WorkingGround {
                model: &model,
                published: &published,
                overlay: &mut overlay,
                scratch: &mut scratch,
            },
            &wheel,
            &tread,
            &pose,
            &twist,
            step,
        );
        let (damping, stiffness) = (found.load.damping[(5, 5)] + 5e3, found.load.stiffness[(5, 5)]);
        let push = found.load.wrench.force.z + found.load.damping[(5, 5)] * climb - load;
        climb = (mass / step * climb + push) / (mass / step + damping + stiffness * step);
        pose.position += (forward + Vec3::z() * climb) * step;
        if tick >= 600 {
            sum += found.load.wrench.force.dot(&left) / 150.0;
        }
    }
    sum
}

/// The lateral force of a tire is less than 1 % of its load for any position of node rows under its
/// shoulders.
///
/// With the shoulder's slope evaluated at the nodes it was 7 %.
#[test]
fn shoulders_balance_between_the_rows() {
    for ground in ["mid", "hard"] {
        for (spacing, degrees) in [(0.05, 0.0), (0.05, 0.5), (0.04, 0.0), (0.02, 0.0)] {
            for tenth in 0..10 {
                let force = side_force(ground, spacing, degrees, 0.1 * spacing * f64::from(tenth));
                let what = format!("{ground}, {spacing} m, {degrees} deg, {tenth} tenths");
                assert!(force.abs() < 0.01 * 6311.6, "{what}: {force} N");
            }
        }
    }
}

/// A vehicle with straight steering keeps its course, instead of turning along the rows.
#[test]
fn a_small_angle_to_the_rows_is_kept() {
    let hmmwv = vehicle("hmmwv");
    for ground in ["mid", "hard"] {
        for degrees in [1.0_f64, 2.0] {
            let mut start = pose_at(0.0, 0.01, hmmwv.ride_radius() + 0.05);
            start.orientation = Quat::from_axis_angle(&Vec3::z_axis(), degrees.to_radians());
            let driver = table(&[[1.0, 0.0], [1.2, 0.7]], &[], &[]);
            let terrain = Terrain::flat(0.0, SoilId(0));
            let model = ground_under(Laws::refined(), 0.05, terrain, vec![soil(ground)]);
            let mut world = world(model, 2e-3, vec![agent(&hmmwv, driver, start)]);
            drive(&mut world, 10.0);
            let sample = world.samples().next().unwrap();
            let course = sample.pose.yaw().to_degrees();
            println!(
                "{ground}, {degrees} deg: {course:.3} deg after {:.1} m",
                sample.pose.position.x
            );
            // Drawn to the row, it would be off by 1 degree; within half a degree it still turns by
            // some tenths.
            assert!((course - degrees).abs() < 0.25, "{ground}: {degrees} deg became {course}");
        }
    }
}
