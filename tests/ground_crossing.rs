//! Driving from firm ground onto soil that yields and back: nothing jumps.
//!
//! Loads and tractions are compared from one step of 1 ms to the next. A jump at
//! the boundary would stand out from what the same vehicle sees on either ground
//! alone; the bound is stated by that: twice the largest change of normal
//! running, on the rougher of the two, once it has settled.

mod scene;

use bekker::simulation::{AgentModel, Clock, World, WorldModel};
use bekker::soil::{Soil, SoilId, SoilKind};
use bekker::spatial::{Pose, Quat, Vec3};
use bekker::terrain::{Region, SoilMap, Surface, Terrain};
use scene::{agent, firm, ground, soil, table, vehicle};

/// Where the ground changes, along the direction of change, m.
const BAND: [f64; 2] = [6.0, 14.0];

fn banded(direction: [f64; 2], inside_firm: bool) -> Terrain {
    let [dx, dy] = direction;
    let (outer, inner) = if inside_firm { (0, 1) } else { (1, 0) };
    let from = |x: f64| Region::HalfPlane { point: [x * dx, x * dy], direction };
    let soils = SoilMap::uniform(SoilId(outer))
        .paint(from(BAND[0]), SoilId(inner))
        .unwrap()
        .paint(from(BAND[1]), SoilId(outer))
        .unwrap();
    let plane = Surface::Plane { elevation: 0.0, slope: [0.0, 0.0] };
    Terrain::builder(plane, soils).build().unwrap()
}

/// Without the damping of the soil: the reference's law of damping lets every row
/// of nodes that comes under the rim answer at once, by up to 1300 N at 5 m/s.
fn undamped() -> Soil {
    let mut soil = soil("mid");
    if let SoilKind::Yielding(law) = &mut soil.kind {
        law.damping = 0.0;
    }
    soil
}

fn model(terrain: Terrain, heading_deg: f64) -> World {
    let hmmwv = vehicle("hmmwv");
    let turn = Quat::from_axis_angle(&Vec3::z_axis(), heading_deg.to_radians());
    let start = Pose { position: Vec3::new(0.0, 0.0, 0.5), orientation: turn };
    let driver = table(&[[0.0, 0.0], [0.5, 0.17]], &[], &[]);
    let agent = AgentModel { speed: 3.0, ..agent(&hmmwv, driver, start) };
    let ground = ground(0.05, terrain, vec![undamped(), firm(0.8)]);
    let clock = Clock::new(1e-3, 1e-3).unwrap();
    World::new(WorldModel { ground, clock, agents: vec![agent] })
}

/// Largest change of load, and of traction and lateral force together, of any
/// wheel in one step, from 0.8 s until the vehicle is 20 m from its start.
fn roughness(mut world: World) -> [f64; 2] {
    let mut before: Option<Vec<[f64; 2]>> = None;
    let mut worst = [0.0f64; 2];
    let mut far = 0.0;
    while far < 20.0 && world.time() < 12.0 {
        world.beat();
        let sample = world.samples().next().unwrap();
        far = sample.pose.position.xy().norm();
        if world.time() < 0.8 {
            continue;
        }
        let now: Vec<[f64; 2]> =
            sample.wheels.iter().map(|w| [w.load, w.traction + w.lateral]).collect();
        if let Some(before) = &before {
            for (a, b) in before.iter().zip(&now) {
                for k in 0..2 {
                    worst[k] = worst[k].max((a[k] - b[k]).abs());
                }
            }
        }
        before = Some(now);
    }
    assert!(far >= 20.0, "came only {far} m far");
    assert!(world.state().agents[0].outcome.is_none());
    assert_eq!(world.samples().next().unwrap().gear, 1, "a shift of gear jumps too");
    worst
}

#[test]
fn nothing_jumps_between_firm_and_soft_ground() {
    let all = |soil: u16| {
        let plane = Surface::Plane { elevation: 0.0, slope: [0.0, 0.0] };
        Terrain::builder(plane, SoilMap::uniform(SoilId(soil))).build().unwrap()
    };
    let soft = roughness(model(all(0), 0.0));
    let hard = roughness(model(all(1), 0.0));
    println!("per ms on soil {soft:.0?} N, on firm ground {hard:.0?} N");
    let normal = [soft[0].max(hard[0]), soft[1].max(hard[1])];
    // straight across, and with left and right wheels crossing at other times
    for direction in [[1.0, 0.0], [0.8, 0.6], [0.8, -0.6]] {
        for inside_firm in [false, true] {
            let found = roughness(model(banded(direction, inside_firm), 0.0));
            println!("{direction:?}, firm inside {inside_firm}: {found:.0?} N per ms");
            assert!(found[0] < 2.0 * normal[0], "loads jump by {found:?}, normal {normal:?}");
            assert!(found[1] < 2.0 * normal[1], "tractions jump by {found:?}, normal {normal:?}");
        }
    }
    // and with the lattice aslant under the wheels
    let found = roughness(model(banded([0.6, 0.8], false), 40.0));
    println!("aslant: {found:.0?} N per ms");
    assert!(found[0] < 2.0 * normal[0] && found[1] < 2.0 * normal[1], "{found:?}, {normal:?}");
}
