//! Wheels at a slip angle: directions, mirror image and rest.

use bekker_ground::scm::{Scratch, Underside, WorkingGround, heap, wheel_contact};
use bekker_ground::soil::catalog::catalog;
use bekker_ground::soil::{DeformableSoil, Details, Laws, Soil, SoilId, SoilKind, Tread};
use bekker_ground::terrain::Terrain;
use bekker_ground::{GroundModel, Overlay, Patches, SharedGround};
use bekker_math::grid::Lattice;
use bekker_math::numeric::{GRAVITY, smooth_step};
use bekker_math::spatial::{Pose, Twist, Vec3};

/// A wheel that is drawn at a slip angle over flat ground, free to sink.
#[derive(Clone)]
struct Drawn {
    soil: Soil,
    radius: f64,
    width: f64,
    /// N.
    load: f64,
    /// m/s.
    speed: f64,
    /// m/s.
    rim_speed: f64,
    slip_angle_deg: f64,
    spacing: f64,
    step: f64,
    duration: f64,
    /// Time over which the load is applied, s.
    ramp: f64,
    /// N s/m.
    guide_damping: f64,
}

/// Means over the last two fifths of a run.
#[derive(Debug)]
struct Means {
    force: Vec3,
    sinkage: f64,
    /// Growth of the sinkage during that part, m.
    sinks: f64,
}

impl Drawn {
    /// CMU's smooth wheel in its sand.
    fn in_sand(slip_angle_deg: f64, slip: f64) -> Drawn {
        let (speed, k_phi, n) = (0.01, 8e6, 1.46);
        Drawn {
            soil: Soil {
                name: "sand".into(),
                source: String::new(),
                kind: SoilKind::Deformable(DeformableSoil {
                    k_phi,
                    k_c: 0.0,
                    n,
                    cohesion: 0.0,
                    friction_angle: 29_f64.to_radians(),
                    shear_modulus: 0.021,
                    elastic_stiffness: 2e8,
                    damping: 0.0,
                    bulldozing: None,
                    details: Details { density: Some(1330.0), ..Details::default() },
                }),
            },
            radius: 0.058,
            width: 0.05,
            load: 22.0,
            speed,
            rim_speed: if slip < 0.0 { speed * (1.0 + slip) } else { speed / (1.0 - slip) },
            slip_angle_deg,
            spacing: 0.005,
            step: 0.002,
            duration: 30.0,
            ramp: 9.0,
            guide_damping: 100.0,
        }
    }

    /// A locked wheel of a truck, drawn over 20 m.
    fn locked_on(soil: Soil) -> Drawn {
        Drawn {
            soil,
            radius: 0.467,
            width: 0.254,
            load: 6300.0,
            speed: 1.0,
            rim_speed: 0.0,
            slip_angle_deg: 0.0,
            spacing: 0.02,
            step: 1e-3,
            duration: 20.0,
            ramp: 1.2,
            guide_damping: 5e3,
        }
    }

    fn run(&self) -> Means {
        let lattice = Lattice { spacing: self.spacing };
        let terrain = Terrain::flat(0.0, SoilId(0));
        let soils = vec![self.soil.clone()];
        let model = GroundModel::new(lattice, terrain, soils, Laws::refined()).unwrap();
        let wheel = Underside::cylinder(self.radius, self.width).unwrap();
        let mut published = SharedGround::default();
        let (mut overlay, mut scratch) = (Overlay::new(), Scratch::new());
        let mut patches = Patches::default();
        let mut pose = Pose::default();
        pose.position.z = self.radius;
        let (sin, cos) = self.slip_angle_deg.to_radians().sin_cos();
        let mut velocity = Vec3::new(self.speed * cos, self.speed * sin, 0.0);
        let angular = Vec3::new(0.0, self.rim_speed / self.radius, 0.0);
        let steps = (self.duration / self.step).round() as u32;
        let first = steps / 5 * 3;
        let mut means = Means { force: Vec3::zeros(), sinkage: 0.0, sinks: 0.0 };
        for count in 0..steps {
            let time = f64::from(count) * self.step;
            let twist = Twist { linear: velocity, angular };
            overlay.begin_step();
            let mut ground = WorkingGround {
                model: &model,
                published: &published,
                overlay: &mut overlay,
                scratch: &mut scratch,
            };
            let contact =
                wheel_contact(&mut ground, &wheel, &Tread::rough(), &pose, &twist, self.step);
            heap(&mut ground, contact.displaced);
            let sunk = self.radius - pose.position.z;
            if count == first {
                means.sinks = -sunk;
            }
            if count >= first {
                means.force += contact.load.wrench.force / f64::from(steps - first);
                means.sinkage += sunk / f64::from(steps - first);
            }
            let inertia = self.load / GRAVITY / self.step;
            let load = self.load * smooth_step(0.0, self.ramp, time);
            let damping = contact.load.damping[(5, 5)];
            let stiffness = contact.load.stiffness[(5, 5)];
            let force = contact.load.wrench.force.z - load + (inertia + damping) * velocity.z;
            velocity.z = force / (inertia + damping + stiffness * self.step + self.guide_damping);
            pose.position += velocity * self.step;
            if count % 64 == 63 {
                patches.clear();
                overlay.publish(&mut patches);
                published.apply(&patches);
                overlay.refresh(&published);
            }
        }
        means.sinks += self.radius - pose.position.z;
        means
    }
}

/// The mirror image of a wheel's motion has the mirror image of its forces.
#[test]
fn side_force_has_no_preferred_side() {
    for (angle, slip) in [(30.0, 0.2), (45.0, -1.0), (90.0, 0.0)] {
        let [left, right] = [angle, -angle].map(|angle| {
            let wheel = Drawn::in_sand(angle, slip);
            Drawn { duration: 10.0, ramp: 3.0, ..wheel }.run()
        });
        let mirrored = Vec3::new(right.force.x, -right.force.y, right.force.z);
        assert!((left.force - mirrored).norm() < 1e-6, "{left:?} {right:?}");
        assert!((left.sinkage - right.sinkage).abs() < 1e-9, "{left:?} {right:?}");
    }
}

/// Side force opposes the drift at every slip angle and slip, and the force on a locked wheel
/// opposes its motion.
#[test]
fn the_force_on_a_skidding_wheel_opposes_its_motion() {
    for angle in [15.0, 45.0, 75.0] {
        for slip in [-1.0, 0.0, 0.5] {
            let force = Drawn::in_sand(angle, slip).run().force;
            assert!(force.y < -2.0, "{angle} deg, slip {slip}: {force:?}");
        }
        let force = Drawn::in_sand(angle, -1.0).run().force;
        let against = (-force.y).atan2(-force.x).to_degrees();
        // the front and the wall, of different areas, turn the force
        assert!((against - angle).abs() < 16.0, "{angle} deg: {against} deg");
    }
}

/// CMU's locked smooth wheel at 45 degrees: 35.4 N of side force, 36.7 N of drag, 52.8 mm under
/// 18 N.
#[test]
fn a_locked_wheel_at_45_degrees_pushes_as_measured() {
    let wheel = Drawn { load: 17.957, spacing: 0.0025, ..Drawn::in_sand(45.0, -1.0) };
    let Means { force, sinkage, .. } = wheel.run();
    assert!((-force.y - 35.36).abs() < 6.0, "{force:?}");
    assert!((-force.x - 36.67).abs() < 6.0, "{force:?}");
    assert!((sinkage - 0.0528).abs() < 0.005, "{sinkage} m");
}

/// A wheel that is drawn along its axis comes to rest at a depth, locked or spinning.
#[test]
fn a_wheel_drawn_sideways_stands() {
    for slip in [-1.0, 0.0, 0.9] {
        let wheel = Drawn { load: 27.0, duration: 40.0, ..Drawn::in_sand(90.0, slip) };
        let Means { force, sinkage, sinks } = wheel.run();
        assert!((force.z / wheel.load - 1.0).abs() < 0.02, "slip {slip}: {force:?}");
        assert!(sinks.abs() < 5e-4, "slip {slip}: {sinks} m deeper in 16 cm");
        assert!(sinkage < 2.0 * wheel.radius, "slip {slip}: {sinkage} m");
    }
}

/// A locked wheel stops sinking within 12 m on soils of the catalog, since all have a density.
///
/// Without it the wheel sank without end on these.
#[test]
fn a_locked_wheel_stands_on_soils_of_the_catalog() {
    let soils = [
        "grenville_loam",
        "rubicon_sandy_loam",
        "upland_sandy_loam",
        "dry_sand_lll",
        "chrono_soft",
        "chrono_mid",
        "chrono_lunar",
        "azimi_sand_2013",
    ];
    for name in soils {
        let soil = catalog().find(name).unwrap().to_soil();
        let wheel = Drawn::locked_on(soil.clone());
        let Means { force, sinkage, sinks } = wheel.run();
        assert!((force.z / wheel.load - 1.0).abs() < 0.02, "{name}: {force:?}");
        assert!(sinks < 0.01 * sinkage, "{name}: {sinkage} m, {sinks} m in the last 8 m");
        if name == "rubicon_sandy_loam" {
            let mut weightless = soil;
            let SoilKind::Deformable(parameters) = &mut weightless.kind else { unreachable!() };
            parameters.details.density = None;
            let found = Drawn::locked_on(weightless).run();
            assert!(found.sinkage > 2.0 * sinkage, "{found:?}");
        }
    }
}
