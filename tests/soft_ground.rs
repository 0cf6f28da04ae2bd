//! The HMMWV on yielding ground beside runs of the reference (Project Chrono main
//! at 7689fbc, rigid mesh tyre, spacing 5 cm, throttle 0.7 from 1.2 s), and what
//! the step may change.
//!
//! The reference couples soil and vehicle explicitly and its own error in time is
//! large: on `mid` its distance after 10 s is 35.93 m at a step of 1 ms, 35.11 at
//! 2, 34.16 at 3 and 33.19 at 4. The values aimed at are those runs extrapolated
//! to a step of zero (Richardson, first order, from 1 and 2 ms).

mod scene;

use bekker::simulation::{Sample, World};
use scene::{agent, at, drive, flat, soil, table, vehicle, world};

fn run(name: &str, spacing: f64, step: f64) -> World {
    let hmmwv = vehicle("hmmwv");
    let driver = table(&[[1.0, 0.0], [1.2, 0.7]], &[], &[]);
    world(flat(spacing, soil(name)), step, vec![agent(&hmmwv, driver, at(0.0, 0.0, 0.7))])
}

fn first(world: &World) -> Sample {
    world.samples().next().unwrap()
}

/// Means of speed, pitch, front and rear spin and sinkage from 6 to 10 s.
fn settled(world: &mut World) -> [f64; 6] {
    drive(world, 6.0);
    let mut sums = [0.0; 6];
    let mut count = 0.0;
    while world.time() < 10.0 - 1e-9 {
        world.beat();
        let s = first(world);
        let w = &s.wheels;
        let figures = [s.speed, s.pose.pitch(), w[0].spin, w[2].spin, w[0].sinkage, w[2].sinkage];
        for (sum, figure) in sums.iter_mut().zip(figures) {
            *sum += figure;
        }
        count += 1.0;
    }
    sums.map(|sum| sum / count)
}

fn print(name: &str, world: &World, s: &[f64; 6]) {
    let distance = first(world).pose.position.x;
    println!(
        "{name}: distance {distance:.2} m, speed {:.3}, pitch {:.4}, spin {:.2} {:.2}, \
         sinkage {:.4} {:.4}",
        s[0], s[1], s[2], s[3], s[4], s[5]
    );
}

fn within(what: &str, ours: f64, reference: f64, share: f64) {
    let error = ours / reference - 1.0;
    assert!(error.abs() <= share, "{what}: {ours} is {:.2} % off {reference}", 100.0 * error);
}

#[test]
fn mid_soil_as_the_reference() {
    let mut world = run("mid", 0.05, 1e-3);
    let means = settled(&mut world);
    print("mid", &world, &means);
    let [speed, pitch, front, rear, sink_front, sink_rear] = means;
    within("distance", first(&world).pose.position.x, 36.75, 0.05);
    within("speed", speed, 4.73, 0.05);
    // The reference's columns of pitch and roll are exchanged.
    within("pitch", pitch, -0.0097, 0.05);
    within("front spin", front, 10.2, 0.05);
    within("rear spin", rear, 10.2, 0.05);
    within("front sinkage", sink_front, 0.0650, 0.05);
    within("rear sinkage", sink_rear, 0.0935, 0.06);
}

/// Steps of 1 to 4 ms change distance and speed by at most 1 %, and 5 ms drives.
#[test]
fn the_step_hardly_matters() {
    for (name, until) in [("mid", 10.0), ("soft", 10.0), ("hard", 7.0)] {
        let end = |step: f64| {
            let mut world = run(name, 0.05, step);
            drive(&mut world, until);
            let sample = first(&world);
            println!("{name} {step}: {:.3} m, {:.4} m/s", sample.pose.position.x, sample.speed);
            (sample.pose.position.x, sample.speed)
        };
        let (distance, speed) = end(1e-3);
        for step in [2e-3, 4e-3] {
            let (d, v) = end(step);
            within("distance", d, distance, 0.01);
            within("speed", v, speed, 0.01);
        }
        let (d, _) = end(5e-3);
        within("distance at 5 ms", d, distance, 0.05);
    }
}

/// No joint opens by 1e-6 m while driving for 60 s over soil that yields.
#[test]
fn joints_stay_closed_for_a_minute() {
    let hmmwv = vehicle("hmmwv");
    let driver = table(
        &[[1.0, 0.0], [1.2, 0.5]],
        &[[3.0, 0.0], [5.0, 1.0], [9.0, -1.0], [13.0, 1.0], [17.0, -0.5]],
        &[],
    );
    let model = agent(&hmmwv, driver, at(0.0, 0.0, 0.6));
    let mut world = world(flat(0.05, soil("mid")), 2e-3, vec![model]);
    let mut worst = 0.0f64;
    while world.time() < 60.0 {
        world.beat();
        worst = worst.max(world.drift());
    }
    println!("largest drift at a heartbeat {worst:.2e} m");
    assert!(worst < 1e-6, "{worst}");
    assert!(world.state().agents[0].outcome.is_none());
}
