//! Soil of any stiffness gives no energy, and a vehicle that gains energy is reported.

use bekker::ground::GroundModel;
use bekker::rig::{Rig, WheelRig, WheelRigMotion};
use bekker::scenario::{ScenarioFile, build};
use bekker::scm::Underside;
use bekker::simulation::{GroundVehicle, RunWarning, World, WorldModel};
use bekker::soil::{DeformableSoil, SoilKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

fn model(text: &str) -> WorldModel {
    let file = ScenarioFile::parse("energy", text, Path::new(""), &[]);
    let file = file.unwrap_or_else(|faults| panic!("{faults}\n{text}"));
    build::world(&file).unwrap_or_else(|faults| panic!("{faults}")).world
}

/// Drive of a case: brakes held, coasting in neutral, or pulling away slowly.
#[derive(Clone, Copy, Debug)]
enum Drill {
    Stand,
    Hold,
    Coast,
    Drive,
}

/// Soil parameters, laws, vehicle with its tires, and drive.
#[derive(Debug)]
struct Case<'a> {
    soil: &'a str,
    laws: &'a str,
    vehicle: &'a str,
    drill: Drill,
    step: f64,
}

impl Case<'_> {
    fn text(&self) -> String {
        let Case { soil, laws, vehicle, drill, step } = self;
        let (surface, drive) = match drill {
            Drill::Stand => ("flat\"", "driver = { kind = \"hold\", brake = 1 }"),
            Drill::Hold => ("slope\", grade = 0.2", "driver = { kind = \"hold\", brake = 1 }"),
            Drill::Coast => (
                "flat\"",
                "speed = 4\ndriver = { kind = \"table\", rows = [{ time = 0, gear = \"neutral\" }] }",
            ),
            Drill::Drive => (
                "flat\"",
                "driver = { kind = \"path\", speed = 1, waypoints = [[0.3, 0.2], [30, 0.2]] }",
            ),
        };
        format!(
            "format = 1\nname = \"energy\"\n[time]\nduration = 60\nstep = {step}\n\
             [terrain]\nsurface = {{ kind = \"{surface} }}\n[ground]\nlaws = \"{laws}\"\n\
             [soil]\ndefault = \"stiff\"\n[[soil.custom]]\nname = \"stiff\"\n\
             based_on = \"chrono_mid\"\n{soil}\n[[vehicle]]\nname = \"own\"\n{vehicle}\n\
             position = [0.3, 0.2]\n{drive}\n"
        )
    }

    /// Returns the rise of kinetic and potential energy above its previous minimum, less driveline
    /// work, J/kg.
    ///
    /// The second value is the warnings of the run over `seconds`.
    fn rise(&self, seconds: f64) -> (f64, Vec<RunWarning>) {
        let mut world = World::new(model(&self.text()));
        let (mut least, mut rise) = (f64::INFINITY, 0.0_f64);
        loop {
            let sample = world.sample(0).unwrap();
            let energy = 0.5 * sample.velocity.norm_squared() + 9.81 * sample.pose.position.z;
            least = least.min(energy);
            rise = rise.max(energy - least);
            if world.time() > seconds - 1e-9 {
                break;
            }
            world.advance();
        }
        let summary = world.summary("energy", 0.0);
        let mass = world.model().agents[0].vehicle.mass();
        (rise - summary.vehicles[0].drive_energy / mass, summary.warnings)
    }
}

fn gains(warnings: &[RunWarning]) -> impl Iterator<Item = &RunWarning> {
    warnings.iter().filter(|own| own.code == "gained_energy")
}

/// No parameter in its legal range, alone or combined with those that increase its effect, throws a
/// vehicle.
#[test]
fn stiff_soils_add_no_energy() {
    let soils = [
        "cohesion = 1e6",
        "cohesion = 1e6\nshear_modulus = 0.1",
        "cohesion = 1e6\nshear_modulus = 1e-9",
        "damping = 5e6",
        "elastic_stiffness = 1e10",
        "k_phi = 1e8\nelastic_stiffness = 1e10",
        "k_phi = 1e10\nelastic_stiffness = 1e10",
        "k_phi = 1e12\nelastic_stiffness = 1e10\ncohesion = 1e6\nfriction_angle_deg = 59",
    ];
    let vehicles = ["model = \"hmmwv\"", "model = \"hmmwv\"\ntire = \"rigid\"", "model = \"m113\""];
    let drills = [Drill::Stand, Drill::Hold, Drill::Coast, Drill::Drive];
    // Weekly each soil occurs with all drives, and each pair of laws and drive with every vehicle;
    // else half of these, in which every soil, and every pair of laws and drive, still occurs.
    for (n, soil) in soils.into_iter().enumerate() {
        for (k, vehicle) in vehicles.into_iter().enumerate() {
            for (m, laws) in ["refined", "reference"].into_iter().enumerate() {
                if (n + n / 4 + k + m) % 2 == 1 && !crate::is_weekly() {
                    continue;
                }
                let drill = drills[(n + 2 * k + m) % drills.len()];
                let case = Case { soil, laws, vehicle, drill, step: 0.002 };
                let (rise, warnings) = case.rise(0.6);
                // The springs' energy as the vehicle is released.
                assert!(rise < 0.5, "{case:?}: {rise} J/kg");
                assert_eq!(gains(&warnings).count(), 0, "{case:?}: {warnings:?}");
            }
        }
    }
}

/// A cohesion or damping at its limit runs; beyond it, it is refused with the value and a step that
/// suffices.
#[test]
fn soil_too_stiff_for_the_step_is_refused() {
    let refused_of = |key: &str, value: f64, step: f64| {
        let soil = format!("{key} = {value:?}");
        let vehicle = "model = \"hmmwv\"";
        let case = Case { soil: &soil, laws: "refined", vehicle, drill: Drill::Stand, step };
        let file = ScenarioFile::parse("energy", &case.text(), Path::new(""), &[]).unwrap();
        build::world(&file).err().map(|faults| faults.to_string())
    };
    // The strength factor counts too.
    let strong = refused_of("strength = 2\ncohesion", 0.9e6, 0.002).unwrap();
    assert!(strong.contains("a cohesion of 1.800e6 Pa is too stiff"), "{strong}");
    assert_eq!(refused_of("damping", 5e6, 0.002), None);
    assert_eq!(refused_of("damping", 1e7, 0.001), None);
    let message = refused_of("damping", 1e7, 0.002).unwrap();
    for part in ["soil.custom[0].damping", "5.000e6 Pa s/m", "time.step at most 1.0e-3 s"] {
        assert!(message.contains(part), "{message}");
    }
    let refused = |cohesion: f64, step: f64| refused_of("cohesion", cohesion, step);
    assert_eq!(refused(1e6, 0.002), None);
    assert_eq!(refused(2e6, 0.001), None);
    let message = refused(1e8, 0.002).unwrap();
    for part in ["soil.custom[0].cohesion", "1.000e6 Pa", "time.step at most 2.0e-5 s"] {
        assert!(message.contains(part), "{message}");
    }
    assert!(refused(1.01e6, 0.002).is_some());
}

/// Tracks with steps of 10 ms on strongly damped soil are thrown, which is reported.
///
/// The run gives a warning beforehand.
#[test]
fn a_vehicle_that_gains_energy_is_reported() {
    let (soil, vehicle) = ("damping = 1e6", "model = \"m113\"");
    let drill = Drill::Stand;
    let (_, warnings) = Case { soil, laws: "reference", vehicle, drill, step: 0.01 }.rise(0.6);
    let reported: Vec<_> = gains(&warnings).collect();
    assert_eq!(reported.len(), 1, "{warnings:?}");
    assert_eq!(reported[0].vehicle, "own");
    assert!(reported[0].sentence.contains("0.01 s (time.step)"), "{}", reported[0].sentence);
}

fn too_stiff(soil: &str) -> String {
    let (vehicle, drill) = ("model = \"hmmwv\"", Drill::Stand);
    let case = Case { soil, laws: "refined", vehicle, drill, step: 0.002 };
    let file = ScenarioFile::parse("energy", &case.text(), Path::new(""), &[]).unwrap();
    build::world(&file).err().map_or_else(String::new, |faults| faults.to_string())
}

/// Frost makes soil as strong as dry soil, so the frozen soil is checked too.
#[test]
fn frozen_soil_is_checked_against_the_step() {
    let wet = "cohesion = 1.5e6\nmoisture = { class = \"CL\", reference = 0.2, content = 0.5 }";
    assert_eq!(too_stiff(wet), "");
    let frozen = too_stiff(&format!("{wet}\nfrost = {{ depth = 0.5 }}"));
    for part in ["`stiff`: a cohesion of 1.500e6 Pa", "at most 1.000e6 Pa", "at most 1.3e-3 s"] {
        assert!(frozen.contains(part), "{frozen}");
    }
}

/// Worlds that a program builds with custom soils, new or from a state, and its rigs are checked.
#[test]
fn soils_of_programs_are_checked_against_the_step() {
    let (soil, laws) = ("cohesion = 2e5", "refined");
    let vehicle = "model = \"hmmwv\"";
    let sound = model(&Case { soil, laws, vehicle, drill: Drill::Stand, step: 0.002 }.text());
    let state = World::new(sound.clone()).state().clone();
    for (name, change) in [
        ("cohesion", (|own| own.cohesion = 1e8) as fn(&mut DeformableSoil)),
        ("damping", |own| own.damping = 1e9),
        ("elastic stiffness", |own| own.elastic_stiffness = 1e12),
    ] {
        let mut soil = sound.ground.soils()[0].clone();
        let SoilKind::Deformable(own) = &mut soil.kind else { unreachable!() };
        change(own);
        let (terrain, laws) = (sound.ground.terrain().clone(), sound.ground.laws());
        let ground = GroundModel::new(sound.ground.lattice(), terrain, vec![soil.clone()], laws);
        let stiff = WorldModel { ground: ground.unwrap(), ..sound.clone() };
        let message = stiff.check().unwrap_err().to_string();
        assert!(message.starts_with("soil stiff: a") && message.contains(name), "{message}");
        let resumed = World::resume(stiff.clone(), state.clone()).unwrap_err().to_string();
        assert!(resumed.contains(&message), "{resumed}");
        let made = catch_unwind(AssertUnwindSafe(|| World::new(stiff)));
        assert_eq!(made.unwrap_err().downcast_ref::<String>(), Some(&message));
        let wheel = Underside::cylinder(0.4, 0.2).unwrap();
        let rig =
            WheelRig::new(soil, wheel, 5e3, WheelRigMotion::Rolling { speed: 1.0, slip: 0.2 });
        let refused = rig.run().unwrap_err().to_string();
        assert!(refused.starts_with("soil stiff: a") && refused.contains(name), "{refused}");
    }
}

/// A strength set by a study after reading a scenario is checked like one in the scenario.
#[test]
fn a_strength_that_is_set_is_checked_against_the_step() {
    let (soil, vehicle) = ("cohesion = 0.9e6\nstrength = 1", "model = \"hmmwv\"");
    let case = Case { soil, laws: "refined", vehicle, drill: Drill::Stand, step: 0.002 };
    let built = |strength: f64| {
        let sets = [format!("soil.custom[0].strength={strength:?}")];
        build::world(&ScenarioFile::parse("energy", &case.text(), Path::new(""), &sets).unwrap())
    };
    assert!(built(1.1).is_ok());
    let refused = built(1.2).unwrap_err().to_string();
    assert!(refused.contains("a cohesion of 1.080e6 Pa is too stiff"), "{refused}");
}
