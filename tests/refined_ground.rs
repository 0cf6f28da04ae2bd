//! Whole vehicles under the refined soil laws, and the keys of the laws in a scenario.

use crate::scene;

use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::{Outcome, Sample, World};
use bekker::soil::{Laws, SoilId, SoilKind};
use bekker::spatial::{Quat, Vec3};
use bekker::terrain::Terrain;
use scene::{agent, drive, ground_under, pose_at, slope, soil, table, vehicle, world};
use std::path::Path;

fn first(world: &World) -> Sample {
    world.samples().next().unwrap()
}

fn straight(model: &str, ground: &str, laws: Laws, step: f64) -> World {
    let vehicle = vehicle(model);
    let throttle = if model == "hmmwv" { 0.7 } else { 0.5 };
    let driver = table(&[[1.0, 0.0], [1.2, throttle]], &[], &[]);
    let ground = ground_under(laws, 0.05, Terrain::flat(0.0, SoilId(0)), vec![soil(ground)]);
    let start = pose_at(0.0, 0.0, vehicle.ride_radius() + 0.1);
    world(ground, step, vec![agent(&vehicle, driver, start)])
}

/// Steps of 1 to 4 ms change distance and speed by about 1 %.
#[test]
fn the_step_hardly_matters() {
    let cases = [
        // At 9.5 s it shifts, and gains 0.6 m/s in the second after.
        ("hmmwv", "hard", 9.0, 0.01),
        ("hmmwv", "mid", 10.0, 0.01),
        // It stays in first gear. From 10 m/s on a wheel advances by most of a node spacing in 4
        // ms, and the speed error is larger. It is 1.6 % at 9 s and 2.1 % at 10 s, each in
        // proportion to the step.
        ("mrzr4", "hard", 7.0, 0.015),
        // Its engine has little reserve at half throttle: 1 % more resistance takes several percent
        // of the initial acceleration. At 7 s its distance changes by 2.2 %.
        ("mrzr4", "mid", 10.0, 0.015),
    ];
    for (model, ground, time, share) in cases {
        let end = |step: f64| {
            let mut world = straight(model, ground, Laws::refined(), step);
            drive(&mut world, time);
            let sample = first(&world);
            let (distance, speed) = (sample.pose.position.x, sample.speed);
            println!("{model} {ground} {step}: {distance:.3} m, {speed:.4} m/s");
            (distance, speed)
        };
        let (distance, speed) = end(1e-3);
        for step in [2e-3, 4e-3] {
            let (d, v) = end(step);
            assert!((d / distance - 1.0).abs() < share, "{model} {ground} {step}: {d} {distance}");
            assert!((v / speed - 1.0).abs() < share, "{model} {ground} {step}: {v} {speed}");
        }
    }
}

/// A vehicle digs in where compaction resistance exceeds friction, at any step.
///
/// On the reference's `soft`, compaction by Bekker's closed form takes 0.55 of the load, more than
/// the soil's friction gives once the rut is made. In the reference the vehicle drives on, since
/// there compaction costs torque but no traction.
#[test]
fn where_compaction_outweighs_friction_it_digs_in() {
    for step in [1e-3, 4e-3] {
        let mut world = straight("hmmwv", "soft", Laws::refined(), step);
        drive(&mut world, 10.0);
        let outcome = &world.state().agents[0].outcome;
        assert!(matches!(outcome, Some(Outcome::Immobilized { .. })), "{step}: {outcome:?}");
    }
    let mut world = straight("hmmwv", "soft", Laws::reference(), 2e-3);
    drive(&mut world, 10.0);
    assert!(first(&world).pose.position.x > 25.0);
}

/// The chassis vibrates by at most some cm/s² more than under the reference's laws on the same
/// lattice.
///
/// The wheels carry the weight.
#[test]
fn rolls_without_trembling() {
    let shaking = |laws: Laws, step: f64| {
        let mut world = straight("hmmwv", "mid", laws, step);
        drive(&mut world, 6.0);
        let (mut previous, mut sum, mut load, mut heartbeats) =
            (first(&world).velocity, 0.0, 0.0, 0.0);
        while world.time() < 10.0 - 1e-9 {
            world.advance();
            let sample = first(&world);
            sum += ((sample.velocity - previous) / 0.01).norm_squared();
            load += sample.wheels.iter().map(|wheel| wheel.load).sum::<f64>();
            previous = sample.velocity;
            heartbeats += 1.0;
        }
        (f64::sqrt(sum / heartbeats), load / heartbeats)
    };
    for step in [1e-3, 2e-3] {
        let (reference, _) = shaking(Laws::reference(), step);
        let (refined, load) = shaking(Laws::refined(), step);
        println!("{step}: {reference:.3} and {refined:.3} m/s², {load:.0} N");
        assert!(refined < 0.3, "{refined} m/s²");
        let weight = 2573.138 * 9.81;
        assert!((load / weight - 1.0).abs() < 0.01, "{load} of {weight} N");
    }
}

/// Returns the positions of a braked vehicle on a slope of 20 %, along or across it, after 5, 10
/// and 15 s.
fn parked(model: &str, ground: &str, laws: Laws, heading: f64) -> [Vec3; 3] {
    let vehicle = vehicle(model);
    let normal = Vec3::new(-0.2, 0.0, 1.0).normalize();
    let mut start = pose_at(0.0, 0.0, 0.0);
    start.orientation = Quat::rotation_between(&Vec3::z(), &normal).unwrap()
        * Quat::from_axis_angle(&Vec3::z_axis(), heading);
    start.position = normal * (vehicle.ride_radius() + 0.05);
    let driver = table(&[], &[], &[[0.0, 1.0], [1.0, 1.0]]);
    let ground = ground_under(laws, 0.05, slope(0.2), vec![soil(ground)]);
    let mut world = world(ground, 2e-3, vec![agent(&vehicle, driver, start)]);
    [5.0, 10.0, 15.0].map(|time| {
        drive(&mut world, time);
        first(&world).pose.position
    })
}

/// A braked vehicle holds on a slope of 20 %.
///
/// It creeps by less than 1 mm in 10 s, on most soils by less than a micrometer. Under the
/// reference's laws, whose shear has no memory of direction, it never stops.
#[test]
fn holds_on_a_slope() {
    let vehicles = [("hmmwv", 0.0), ("hmmwv", std::f64::consts::FRAC_PI_2), ("mrzr4", 0.0)];
    for (n, (model, heading)) in vehicles.into_iter().enumerate() {
        for (m, ground) in ["hard", "mid", "soft"].into_iter().enumerate() {
            // Each vehicle on a different ground; weekly each on all.
            if n != m && !crate::is_weekly() {
                continue;
            }
            let creep = |laws: Laws| {
                let [a, b, c] = parked(model, ground, laws, heading);
                [(b - a).norm(), (c - b).norm()]
            };
            let (held, slid) = (creep(Laws::refined()), creep(Laws::reference()));
            println!("{model} {heading} {ground}: {held:?} m, reference {slid:?} m");
            assert!(held[0] + held[1] < 1e-3, "{model} {ground}: {held:?}");
            assert!(held[1] < 0.6 * slid[1], "{model} {ground}: {held:?} {slid:?}");
        }
    }
}

const SCENARIO: &str = r#"
format = 1
name = "options"
[time]
duration = 1
[soil]
default = "special"
[[soil.custom]]
name = "special"
based_on = "dry_sand_lll"
density = 1500
reload_growth = 2.3e9
multi_pass = 3
reece = { cohesive = 20, frictional = 400 }
below = { depth = 0.3, modulus = 2e7, n = 1 }
crust = { strength = 5e3, depth = 0.02 }
peak_shear = { residual = 0.6 }
rate = { exponent = 0.1, speed = 0.01 }
[[vehicle]]
name = "one"
model = "hmmwv"
position = [0, 0]
driver = { kind = "path", speed = 4, waypoints = [[0, 0], [80, 0]] }
"#;

fn built(sets: &[&str]) -> build::BuiltWorld {
    let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
    build::world(&ScenarioFile::parse("test", SCENARIO, Path::new(""), &sets).unwrap()).unwrap()
}

/// Every refinement is on by default, and can be switched off alone.
#[test]
fn a_scenario_switches_each_refinement_alone() {
    let laws = |sets: &[&str]| built(sets).world.ground.laws();
    let all = Laws { bulldozing: false, ..Laws::refined() };
    assert_eq!(laws(&[]), all);
    assert_eq!(laws(&["ground.laws=reference"]), Laws { bulldozing: false, ..Laws::reference() });
    let without = [
        ("surface_reaction", Laws { surface_reaction: false, ..all }),
        ("vector_shear", Laws { vector_shear: false, ..all }),
        ("slip_sinkage", Laws { slip_sinkage: false, ..all }),
        ("inclined_bearing", Laws { inclined_bearing: false, ..all }),
        ("passive_pressure", Laws { passive_pressure: false, ..all }),
        ("plowing", Laws { plowing: false, ..all }),
        ("multi_pass", Laws { multi_pass: false, ..all }),
        ("reload_stiffening", Laws { reload_stiffening: false, ..all }),
        ("reece", Laws { reece: false, ..all }),
        ("layers", Laws { layers: false, ..all }),
        ("peak_shear", Laws { peak_shear: false, ..all }),
        ("rate_dependence", Laws { rate_dependence: false, ..all }),
    ];
    for (name, expected) in without {
        assert_eq!(laws(&[&format!("ground.refine.{name}=false")]), expected, "{name}");
    }
    assert_eq!(laws(&["ground.bulldozing=true"]), Laws::refined());
}

/// Shallow snow has its own density, and ground below it.
#[test]
fn a_scenario_lays_snow() {
    let snow = "soil.custom=[{ name = 'special', based_on = 'deep_snow', snow = { depth = 0.2, \
                density = 220, share_leaving = 0.42 } }]";
    let built = built(&[snow]);
    let SoilKind::Deformable(soil) = &built.world.ground.soil_at(0.0, 0.0).kind else {
        panic!("the soil yields");
    };
    assert_eq!(soil.details.density, Some(220.0));
    let below = soil.details.below.unwrap();
    assert!((below.depth - 0.2 * (1.0 - 0.58 * 220.0 / 550.0)).abs() < 1e-12, "{below:?}");
}

/// The crushing pressure of snow follows from its density, unless the scenario specifies it.
///
/// Laws without snow use the pressures of the base soil.
#[test]
fn snow_crushes_as_its_density_gives() {
    let pressures = |keys: &str, sets: &[&str]| {
        let soil = format!("soil.custom=[{{ name = 'special', based_on = 'deep_snow', {keys} }}]");
        let built = built(&[&[soil.as_str()], sets].concat());
        let SoilKind::Deformable(soil) = &built.world.ground.soil_at(0.0, 0.0).kind else {
            panic!("the soil yields");
        };
        [soil.k_phi, soil.k_c, soil.n]
    };
    let snow =
        |density: f64, more: &str| format!("snow = {{ depth = 0.2, density = {density}{more} }}");
    let harrison = pressures("damping = 0", &[]);
    assert_eq!(pressures(&snow(200.0, ""), &[]), [22e3, 0.0, 0.05]);
    let dense = pressures(&snow(350.0, ""), &[])[0];
    assert!((dense / 22e3 / 1.75_f64.powf(1.26) - 1.0).abs() < 1e-12, "{dense}");
    let stated = snow(350.0, ", crushing_pressure = 15e3");
    assert_eq!(pressures(&stated, &[]), [15e3, 0.0, 0.05]);
    let own = format!("{}, k_phi = 21e3, k_c = 0, n = 0.1", snow(350.0, ""));
    assert_eq!(pressures(&own, &[]), [21e3, 0.0, 0.1]);
    for set in ["ground.laws=reference", "ground.refine.layers=false"] {
        assert_eq!(pressures(&snow(350.0, ""), &[set]), harrison, "{set}");
    }
}

/// Soil parameters of the refinements come from the scenario.
#[test]
fn a_scenario_provides_the_inputs_of_the_refinements() {
    let built = built(&[]);
    let SoilKind::Deformable(soil) = &built.world.ground.soil_at(0.0, 0.0).kind else {
        panic!("the soil yields");
    };
    let details = &soil.details;
    assert_eq!(details.density, Some(1500.0));
    assert_eq!(details.reload_growth, Some(2.3e9));
    assert_eq!(details.multi_pass, Some(3.0));
    assert_eq!(details.reece.map(|r| [r.cohesive, r.frictional]), Some([20.0, 400.0]));
    assert_eq!(details.below.map(|b| [b.depth, b.modulus, b.n]), Some([0.3, 2e7, 1.0]));
    assert_eq!(details.crust.map(|c| [c.strength, c.depth]), Some([5e3, 0.02]));
    assert_eq!(details.peak_shear.map(|h| h.residual), Some(0.6));
    assert_eq!(details.rate.map(|r| [r.exponent, r.speed]), Some([0.1, 0.01]));
}
