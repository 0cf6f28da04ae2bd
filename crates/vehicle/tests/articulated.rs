//! Tests of articulated frame steering on firm, level ground: turning radius, rate, relief valve and
//! roll joint.

mod rolling;

use bekker_math::numeric::GRAVITY;
use bekker_vehicle::spec::Steering;
use bekker_vehicle::{Controls, VehicleSpec, find_wheeled};
use rolling::{H, Rolling, held};

fn forwarder() -> VehicleSpec {
    find_wheeled("forwarder").unwrap()
}

/// The forwarder with other parameters of its cylinders and roll joint.
fn with_steering(change: impl FnOnce(&mut bekker_vehicle::spec::ArticulatedSteering)) -> VehicleSpec {
    let mut spec = forwarder();
    let Some(Steering::Articulated(own)) = &mut spec.steering else { panic!() };
    change(own);
    if own.max_roll_deg == 0.0 {
        spec.rear_frame.as_mut().unwrap().damping = 0.0;
    }
    spec.check().unwrap();
    spec
}

fn articulation(own: &Rolling) -> f64 {
    let rear = own.vehicle.rear_frame().unwrap();
    rear.articulation(own.vehicle.bodies(), own.room.bodies())[0]
}

#[test]
fn it_stands() {
    let mut own = Rolling::new(forwarder());
    for _ in 0..8 {
        own.run(1.0, held());
        println!("{:?} {:.0?} {:.4} {:?}", own.vehicle.pose(&own.room).position, own.axles(), articulation(&own), own.vehicle.frame_twist(&own.room));
    }
    println!("weight {:.0} drift {:.1e}", own.vehicle.mass() * GRAVITY, own.drift);
    for n in 0..30 {
        own.run(0.2, Controls { steering: 1.0, ..held() });
        println!("{:.1} {:.2}", f64::from(n) * 0.2, articulation(&own).to_degrees());
    }
    for n in 0..30 {
        for _ in 0..1000 {
            let throttle = (0.5 * (1.2 - own.speed())).clamp(0.0, 0.6);
            own.step(&Controls { throttle, steering: 1.0, ..Controls::default() });
        }
        let levers = own.vehicle.spec().articulation_levers().unwrap();
        let g = articulation(&own);
        let r = (levers.front * g.cos() + levers.rear) / g.sin();
        println!("{n} v {:.2} angle {:.2} R {:.3} of {r:.3} {:.0?}", own.speed(), g.to_degrees(), own.radius(levers.joint + levers.front), own.loads);
    }
    let _ = H;
    let _ = with_steering(|own| own.max_roll_deg = 0.0);
}
