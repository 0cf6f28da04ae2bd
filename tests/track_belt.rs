//! Tracked vehicles on belts.

mod scene;

use bekker::ground::{Overlay, Published};
use bekker::scm::{Face, PlacedShoe, Scratch, ShoeOutline, contact};
use bekker::soil::Tread;
use bekker::vehicle::spec::TrackedSpec;
use bekker::vehicle::{Controls, Shoes, TrackedVehicle};
use scene::{at, flat, soil};

#[test]
fn drives_straight() {
    let spec = TrackedSpec::from_toml(include_str!("../vehicles/m113.toml")).unwrap();
    println!("mass {}", spec.total_mass());
    let mut spec = spec;
    if let Ok(f) = std::env::var("FRIC") {
        spec.drive.resistance.force = f.parse().unwrap();
    }
    let outline = ShoeOutline {
        faces: spec
            .shoe
            .faces
            .iter()
            .map(|f| Face { centre: f.centre, length: f.length, width: f.width })
            .collect(),
        patch_width: 1.0 / (1.0 / spec.shoe_width() + 1.0 / spec.contact_length()),
    };
    let vehicle = TrackedVehicle::new(spec).unwrap();
    println!("mass {} size {:?}", vehicle.mass(), vehicle.size());
    let name = std::env::var("SOIL").unwrap_or("mid".into());
    let h: f64 = std::env::var("H").map_or(2e-3, |h| h.parse().unwrap());
    let duration: f64 = std::env::var("T").map_or(6.0, |h| h.parse().unwrap());
    let steer: f64 = std::env::var("STEER").map_or(0.0, |h| h.parse().unwrap());
    let throttle: f64 = std::env::var("THROTTLE").map_or(0.6, |h| h.parse().unwrap());
    let ground = flat(0.05, soil(&name));
    let mut state = vehicle.state(&at(0.0, 0.0, vehicle.ride_radius() + 0.215));
    let mut ws = vehicle.workspace(&state);
    let mut overlay = Overlay::new();
    let mut published = Published::default();
    let mut scratch = Scratch::new();
    let mut patches = Vec::new();
    let mut shoes = Shoes::new();
    let tread = Tread::rough();
    let clock = std::time::Instant::now();
    let (mut t_contact, mut t_step, mut t_lay) = (0.0, 0.0, 0.0);
    let steps = (duration / h).round() as u64;
    let mut tested = 0u64;
    let mut touched = 0u64;
    for tick in 0..steps {
        let t = tick as f64 * h;
        let controls = Controls {
            throttle: ((t - 1.0) / 0.2).clamp(0.0, 1.0) * throttle,
            steering: ((t - 3.0) / 0.2).clamp(0.0, 1.0) * steer,
            brake: 0.0,
        };
        let a = std::time::Instant::now();
        overlay.begin_step();
        vehicle.begin_loads(&mut ws);
        let mut fz = 0.0;
        let mut sink = 0f64;
        for side in 0..2 {
            let b = std::time::Instant::now();
            vehicle.lay_shoes(&state, &ws, side, &mut shoes);
            t_lay += b.elapsed().as_secs_f64();
            for shoe in shoes.places() {
                let mut placed = PlacedShoe::new(&outline, &shoe.pose, 0.05);
                let met = contact(
                    &ground,
                    &published,
                    &mut overlay,
                    &mut scratch,
                    &mut placed,
                    &tread,
                    &shoe.twist,
                    h,
                );
                tested += u64::from(met.nodes_tested);
                touched += u64::from(met.nodes_in_contact);
                if met.nodes_in_contact > 0 {
                    fz += met.load.wrench.force.z;
                    sink = sink.max(met.sinkage);
                    vehicle.press_shoe(&mut ws, side, shoe, &met.load);
                }
            }
        }
        let b = std::time::Instant::now();
        vehicle.step(&mut state, &mut ws, &controls, tick, h).unwrap();
        let c = std::time::Instant::now();
        t_contact += (b - a).as_secs_f64();
        t_step += (c - b).as_secs_f64();
        if (tick + 1) % 5 == 0 {
            patches.clear();
            overlay.publish(&mut patches);
            published.apply(&patches);
            overlay.refresh(&published);
        }
        if tick % (steps / 24).max(1) == 0 {
            let pose = vehicle.pose(&ws);
            let v = vehicle.twist(&ws);
            let p = pose.position;
            println!(
                "t {t:.3} x {:.3} y {:.3} z {:.4} pitch {:.4} yaw {:.3} vx {:.3} w {:.2} {:.2} rpm {:.0} g {} fz/W {:.4} sink {:.4} n {}",
                p.x,
                p.y,
                p.z,
                pose.pitch(),
                pose.yaw(),
                v.linear.dot(&pose.direction(&bekker::spatial::Vec3::x())),
                vehicle.sprocket_speed(&state, 0),
                vehicle.sprocket_speed(&state, 1),
                vehicle.engine_speed(&state) * 9.549,
                state.gearbox.gear,
                fz / (vehicle.mass() * 9.81),
                sink,
                shoes.places().len()
            );
            if std::env::var("V").is_ok() {
                let w: Vec<String> = (0..5)
                    .map(|k| format!("{:.1}", vehicle.wheel_load(&ws, 2 * k) / 1e3))
                    .collect();
                let ten: Vec<String> =
                    vehicle.tensions(&ws, 0).map(|f| format!("{:.0}", f / 1e3)).collect();
                println!("   wheels {} tens {}", w.join(" "), ten.join(" "));
            }
        }
    }
    let n = steps as f64;
    println!(
        "wall {:.3} RTF {:.3}; us/step contact {:.1} (lay {:.1}) step {:.1}; tested {:.0} touched {:.0}",
        clock.elapsed().as_secs_f64(),
        clock.elapsed().as_secs_f64() / duration,
        t_contact / n * 1e6,
        t_lay / n * 1e6,
        t_step / n * 1e6,
        tested as f64 / n,
        touched as f64 / n
    );
}
