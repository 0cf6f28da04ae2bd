//! Ruts published node by node while wheels drive on.

use bekker::grid::{Lattice, Node};
use bekker::ground::{
    GroundModel, NodeState, Overlay, Patches, SINKAGE_QUANTUM, SharedGround, surface_height,
    working_surface_height,
};
use bekker::scm::{Contact, Scratch, Underside, WorkingGround, heap, wheel_contact};
use bekker::soil::{Bulldozing, DeformableSoil, Laws, Soil, SoilId, SoilKind, Tread};
use bekker::spatial::{Pose, Twist, Vec3};
use bekker::terrain::Terrain;

const STEP: f64 = 2e-3;

fn model(bulldozing: Option<Bulldozing>) -> GroundModel {
    model_under(Laws::reference(), bulldozing)
}

fn model_under(laws: Laws, bulldozing: Option<Bulldozing>) -> GroundModel {
    let soil = DeformableSoil {
        k_phi: 2e6,
        k_c: 0.0,
        n: 1.1,
        cohesion: 0.0,
        friction_angle: 30_f64.to_radians(),
        shear_modulus: 0.01,
        elastic_stiffness: 2e8,
        damping: 3e4,
        bulldozing,
        details: Default::default(),
    };
    let kind = SoilKind::Deformable(soil);
    let soil = Soil { name: "mid".into(), source: "Project Chrono".into(), kind };
    let terrain = Terrain::flat(0.0, SoilId(0));
    GroundModel::new(Lattice { spacing: 0.04 }, terrain, vec![soil], laws).unwrap()
}

/// A wheel rolled along x at a given depth, speed 2 m/s and slip 0.1.
struct Roller<'a> {
    model: &'a GroundModel,
    wheel: Underside,
    overlay: Overlay,
    scratch: Scratch,
    pose: Pose,
}

impl<'a> Roller<'a> {
    fn new(model: &'a GroundModel, x: f64, y: f64, depth: f64) -> Self {
        let wheel = Underside::cylinder(0.467, 0.254).unwrap();
        let position = Vec3::new(x, y, wheel.max_radius() - depth);
        let pose = Pose { position, ..Pose::default() };
        Roller { model, wheel, overlay: Overlay::new(), scratch: Scratch::new(), pose }
    }

    fn step(&mut self, published: &SharedGround) -> Contact {
        let (speed, spin) = (2.0, 2.0 / (0.467 * 0.9));
        let linear = Vec3::new(speed, 0.0, 0.0);
        let twist = Twist { linear, angular: Vec3::new(0.0, spin, 0.0) };
        self.overlay.begin_step();
        let found = wheel_contact(
            &mut WorkingGround {
                model: self.model,
                published,
                overlay: &mut self.overlay,
                scratch: &mut self.scratch,
            },
            &self.wheel,
            &Tread::rough(),
            &self.pose,
            &twist,
            STEP,
        );
        let Roller { model, overlay, scratch, .. } = self;
        heap(&mut WorkingGround { model, published, overlay, scratch }, found.displaced);
        self.pose.position.x += speed * STEP;
        found
    }
}

/// Rolls over 2 m with a heartbeat of `heartbeat` steps.
///
/// Returns the ground with all of it published, and the number of patches.
fn one_pass(model: &GroundModel, heartbeat: usize) -> (SharedGround, i64) {
    let mut published = SharedGround::default();
    let mut roller = Roller::new(model, 0.0, 0.01, 0.06);
    let mut patches = Patches::default();
    for step in 1..=500 {
        roller.step(&published);
        if step % heartbeat == 0 {
            patches.clear();
            roller.overlay.publish(&mut patches);
            published.apply(&patches);
            roller.overlay.refresh(&published);
        }
        let private = roller.overlay.private_berm_quanta();
        assert_eq!(published.berm_quanta() + private, roller.overlay.heaped_quanta());
    }
    patches.clear();
    roller.overlay.publish_all(&mut patches);
    published.apply(&patches);
    (published, roller.overlay.heaped_quanta())
}

#[test]
fn nothing_is_lost_between_heartbeats() {
    let model = model(None);
    let (rare, _) = one_pass(&model, 1000);
    for heartbeat in [1, 5, 7] {
        let (often, _) = one_pass(&model, heartbeat);
        assert_eq!(rare.nodes(), often.nodes());
        for ((key, a), (other, b)) in rare.tiles().zip(often.tiles()) {
            assert_eq!((key, a.mask()), (other, b.mask()));
            for (index, (a, b)) in a.iter().zip(b.states()).map(|((index, a), b)| (index, (a, b))) {
                // A node is published once, after its wheel has left, from the same floats.
                assert_eq!(a, b, "{key:?} {index}");
            }
        }
        assert_eq!(rare.hash(), often.hash());
    }
}

#[test]
fn heaped_soil_balances_to_the_quantum_at_every_step() {
    let heap = Bulldozing {
        flow_factor: 0.8,
        erosion_angle: 35_f64.to_radians(),
        erosion_sweeps: 5,
        erosion_rings: 5,
    };
    // The balance itself is asserted within, at every step.
    one_pass(&model_under(Laws::refined(), Some(heap)), 5);
    let model = model(Some(heap));
    let (published, heaped) = one_pass(&model, 5);
    assert_eq!(published.berm_quanta(), heaped);
    // 80 % of the rut's volume, except for amounts below a whole quantum per node and for the
    // rounding of the rut, half a quantum per node.
    let rut = published.sinkage_quanta() as f64 * SINKAGE_QUANTUM;
    let berm = heaped as f64 * bekker::ground::BERM_QUANTUM;
    assert!((berm / (0.8 * rut) - 1.0).abs() < 1e-3, "{berm} of {rut}");
    // A berm is next to the rut.
    let beside = surface_height(&model, &published, 1.0, 0.18);
    assert!(beside > 0.005, "{beside}");
    let (again, _) = one_pass(&model, 5);
    assert_eq!(published.hash(), again.hash());
}

#[test]
fn a_second_pass_on_a_published_rut_equals_one_on_a_local_rut() {
    let model = model(None);
    let (published, _) = one_pass(&model, 5);
    // The same ground, kept in one private overlay throughout.
    let empty = SharedGround::default();
    let mut own = Roller::new(&model, 0.0, 0.01, 0.06);
    for _ in 0..500 {
        own.step(&empty);
    }
    own.pose.position.x = 0.5;
    own.pose.position.z += 0.0002;
    let mut other = Roller::new(&model, 0.5, 0.01, 0.06);
    other.pose.position.z = own.pose.position.z;
    for _ in 0..200 {
        let (a, b) = (own.step(&empty), other.step(&published));
        let (a, b) = (a.load.wrench.force, b.load.wrench.force);
        // K_e times half a quantum of sinkage, 1 kPa, over the contact strip: 4 cm of 25 cm width;
        // plus half a quantum of yield.
        assert!((a - b).norm() < 1e3 * 0.04 * 0.254 + 0.01 * a.norm(), "{a} {b}");
    }
}

#[test]
fn a_rut_is_as_deep_as_the_wheel_went_but_for_the_rebound() {
    let model = model(None);
    let (published, _) = one_pass(&model, 5);
    let height = surface_height(&model, &published, 1.0, 0.0);
    let deepest = published.node(Node { i: 25, j: 0 });
    // 6 cm, less the elastic part p / K_e.
    let pressure = 2e6 * bekker::numeric::pow(0.06, 1.1);
    let expected = 0.06 - pressure / 2e8;
    // The wheel's bottom passes within 2 mm of the node, an error of 4 µm; rounding adds 5 µm.
    assert!((-height - expected).abs() < 1e-5, "{height} {expected}");
    assert_eq!(deepest.passes, 1);
    assert!((deepest.yield_pressure_pa() / pressure - 1.0).abs() < 1e-3);
    let overlay = Overlay::new();
    assert_eq!(working_surface_height(&model, &published, &overlay, 1.0, 0.0), height);
    assert_eq!(published.node(Node { i: 25, j: 50 }), NodeState::default());
}

#[test]
fn a_checkpoint_resumes_with_the_same_bits() {
    let heap =
        Bulldozing { flow_factor: 0.8, erosion_angle: 0.6, erosion_sweeps: 2, erosion_rings: 3 };
    let model = model(Some(heap));
    let mut published = SharedGround::default();
    let mut roller = Roller::new(&model, 0.0, 0.01, 0.06);
    let mut patches = Patches::default();
    let mut heartbeat = |roller: &mut Roller, published: &mut SharedGround| {
        patches.clear();
        roller.overlay.publish(&mut patches);
        published.apply(&patches);
        roller.overlay.refresh(published);
    };
    for step in 1..=100 {
        roller.step(&published);
        if step % 5 == 0 {
            heartbeat(&mut roller, &mut published);
        }
    }
    let stored = postcard::to_stdvec(&(&roller.overlay, &published)).unwrap();
    let (overlay, ground): (Overlay, SharedGround) = postcard::from_bytes(&stored).unwrap();
    let mut resumed = Roller { overlay, ..Roller::new(&model, 0.0, 0.01, 0.06) };
    resumed.pose = roller.pose;
    let mut other = ground;
    for step in 1..=100 {
        assert_eq!(roller.step(&published), resumed.step(&other), "step {step}");
        if step % 5 == 0 {
            heartbeat(&mut roller, &mut published);
            heartbeat(&mut resumed, &mut other);
            assert_eq!(published.hash(), other.hash());
        }
    }
}

#[test]
fn two_agents_deform_one_ground_in_any_order() {
    let model = model(None);
    let run = |first_is_first: bool| {
        let mut published = SharedGround::default();
        let mut rollers =
            [Roller::new(&model, 0.0, 0.01, 0.06), Roller::new(&model, 0.3, 0.1, 0.05)];
        for _ in 0..40 {
            let mut partition: Vec<Patches> = Vec::new();
            for roller in &mut rollers {
                for _ in 0..5 {
                    roller.step(&published);
                }
                let mut patches = Patches::default();
                roller.overlay.publish(&mut patches);
                partition.push(patches);
            }
            if !first_is_first {
                partition.reverse();
            }
            for patches in &partition {
                published.apply(patches);
            }
            for roller in &mut rollers {
                roller.overlay.refresh(&published);
            }
        }
        published.hash()
    };
    assert_eq!(run(true), run(false));
}
