//! Whole vehicles under the refined soil laws.

mod scene;

use bekker::simulation::{Sample, World};
use bekker::soil::{Laws, SoilId};
use bekker::spatial::Vec3;
use bekker::terrain::Terrain;
use scene::{agent, at, drive, ground_under, slope, soil, table, vehicle, world};

fn first(world: &World) -> Sample {
    world.samples().next().unwrap()
}

fn straight(model: &str, ground: &str, laws: Laws, step: f64) -> World {
    let vehicle = vehicle(model);
    let start = vehicle.ride_radius();
    let throttle = if model == "hmmwv" { 0.7 } else { 0.5 };
    let driver = table(&[[1.0, 0.0], [1.2, throttle]], &[], &[]);
    let ground = ground_under(laws, 0.05, Terrain::flat(0.0, SoilId(0)), vec![soil(ground)]);
    world(ground, step, vec![agent(&vehicle, driver, at(0.0, 0.0, start + 0.1))])
}

#[test]
#[ignore]
fn explore() {
    for model in ["hmmwv", "mrzr4"] {
        for ground in ["hard", "mid", "soft"] {
            for laws in [Laws::reference(), Laws::refined()] {
                for step in [5e-4, 1e-3, 2e-3, 4e-3] {
                    let mut world = straight(model, ground, laws, step);
                    let t0 = std::time::Instant::now();
                    drive(&mut world, 6.0);
                    // trembling: rms of vertical acceleration of the chassis between beats
                    let (mut previous, mut sum, mut count) = (first(&world).velocity, 0.0, 0.0);
                    let mut loads = [0.0f64; 2];
                    drive(&mut world, 7.0);
                    let (x7, v7) = (first(&world).pose.position.x, first(&world).speed);
                    while world.time() < 10.0 - 1e-9 {
                        world.beat();
                        let s = first(&world);
                        let a: Vec3 = (s.velocity - previous) / 0.01;
                        previous = s.velocity;
                        sum += a.z * a.z;
                        count += 1.0;
                        loads[0] += s.wheels[0].load;
                        loads[1] += s.wheels[0].load * s.wheels[0].load;
                    }
                    let s = first(&world);
                    let mean = loads[0] / count;
                    let sd = (loads[1] / count - mean * mean).max(0.0).sqrt();
                    println!(
                        "{model} {ground} {} {:.1} ms: x7 {x7:.3} v7 {v7:.4} x {:.3} v {:.4} slip {:.3} {:.3} z {:.4} {:.4} pitch {:.4} az {:.3} load {:.0} sd {:.1} {:?} wall {:.2}",
                        if laws.refines() { "refined  " } else { "reference" },
                        step * 1e3, s.pose.position.x, s.speed, s.wheels[0].slip, s.wheels[2].slip,
                        s.wheels[0].sinkage, s.wheels[2].sinkage, s.pose.pitch(), (sum / count as f64).sqrt(), mean, sd,
                        world.state().agents[0].outcome.as_ref().map(|o| o.to_string()), t0.elapsed().as_secs_f64()
                    );
                }
            }
        }
    }
}

#[test]
#[ignore]
fn hold() {
    for model in ["hmmwv", "mrzr4"] {
    for ground in ["hard", "mid", "soft"] {
    for laws in [Laws::reference(), Laws::refined()] {
    for (grade, along) in [(0.2, true), (0.2, false)] {
        let vehicle = vehicle(model);
        let mut start = at(0.0, 0.0, vehicle.ride_radius() + 0.05);
        let n = Vec3::new(-grade, 0.0, 1.0).normalize();
        start.orientation = bekker::spatial::Quat::rotation_between(&Vec3::z(), &n).unwrap();
        if !along { start.orientation *= bekker::spatial::Quat::from_axis_angle(&Vec3::z_axis(), 1.5707963); }
        start.position = n * (vehicle.ride_radius() + 0.05);
        let driver = table(&[], &[], &[[0.0, 1.0], [1.0, 1.0]]);
        let ground = ground_under(laws, 0.05, slope(grade), vec![soil(ground)]);
        let mut world = world(ground, 2e-3, vec![agent(&vehicle, driver, start)]);
        drive(&mut world, 2.0);
        let mut ps = vec![];
        for t in [5.0, 10.0, 15.0] { drive(&mut world, t); ps.push(first(&world).pose.position); }
        let s = first(&world);
        println!("{model} {} refined {} along {along}: creep {:.6} then {:.6} m speed {:.2e} {:?}", soil_name(&world), laws.refines(), (ps[1]-ps[0]).norm(), (ps[2]-ps[1]).norm(), s.velocity.norm(), world.state().agents[0].outcome.as_ref().map(|o| o.to_string()));
    }
    }}}
}
fn soil_name(w: &World) -> String { w.model().ground.soil_at(0.0,0.0).name.clone() }
#[test]
#[ignore]
fn series() {
    let model = std::env::var("VEHICLE").unwrap_or("mrzr4".into());
    let soil = std::env::var("SOIL").unwrap_or("mid".into());
    let on = |name: &str| std::env::var("OFF").map(|v| !v.contains(name)).unwrap_or(true);
    let r = Laws::refined();
    let laws = Laws { surface_reaction: on("surface"), vector_shear: on("vector"), slip_sinkage: on("slip"), inclined_bearing: on("inclined"), passive_pressure: on("passive"), ..r };
    for step in [5e-4, 1e-3, 2e-3, 4e-3] {
        let mut world = straight(&model, &soil, laws, step);
        print!("{:.1} ms:", step*1e3);
        for t in [1.0, 1.3, 1.6, 2.0, 3.0, 5.0, 7.0, 10.0] {
            drive(&mut world, t);
            let s = first(&world);
            print!(" {:.3}/{:.3}/{:.3}", s.pose.position.x, s.speed, s.wheels[2].slip);
        }
        println!();
    }
}
