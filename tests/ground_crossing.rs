//! Load, traction and lateral force of a guided wheel do not jump at a boundary between firm ground
//! and deformable soil.
//!
//! The wheel is guided to isolate the effect of the ground. A whole vehicle bounces as it drops
//! into the soil, which on the rows of the lattice is rougher than any boundary. The bound is the
//! roughness of the same wheel on soil alone, plus the growth rate of the firm fraction of its
//! footprint.

use crate::scene;

use bekker::ground::{GroundModel, Overlay, SharedGround};
use bekker::scm::{Scratch, Underside, WorkingGround, wheel_contact};
use bekker::soil::{Soil, SoilId, SoilKind, Tread};
use bekker::spatial::{Pose, Quat, Twist, Vec3};
use bekker::terrain::{SoilMap, SoilRegion, Surface, Terrain};
use bekker::vehicle::find_wheeled;
use bekker::vehicle::tire::{FirmPatch, GroundPlane, TireState};
use scene::{firm, ground, soil};

const SPEED: f64 = 3.5;
const STEP: f64 = 1e-3;

/// Returns the soil without damping.
///
/// In the reference's law every row of nodes that enters the contact reacts at once to its speed.
/// The force is up to 1300 N at 5 m/s, with or without a boundary.
fn undamped() -> Soil {
    let mut soil = soil("mid");
    if let SoilKind::Deformable(law) = &mut soil.kind {
        law.damping = 0.0;
    }
    soil
}

/// Builds soil behind the line through the origin that faces `direction`, and firm ground ahead.
fn half_firm(direction: [f64; 2]) -> GroundModel {
    let ahead = SoilRegion::HalfPlane { point: [0.0, 0.0], direction };
    let soils = SoilMap::uniform(SoilId(0)).paint(ahead, SoilId(1)).unwrap();
    let plane = Surface::Plane { elevation: 0.0, slope: [0.0, 0.0] };
    let terrain = Terrain::builder(plane, soils).build().unwrap();
    ground(0.05, terrain, vec![undamped(), firm(0.8)])
}

/// Motion of the wheel: from `from` to `to` (m along its heading) with 15 % slip and 2 degrees of
/// drift.
///
/// `height` gives the height of its center as a function of position.
struct Lead<'a> {
    heading: f64,
    from: f64,
    to: f64,
    height: &'a dyn Fn(f64) -> f64,
}

/// Returns the largest force and its largest change per step: load, traction, lateral.
///
/// The first 0.5 m are left out.
fn led(model: &GroundModel, lead: &Lead) -> [[f64; 3]; 2] {
    let spec = find_wheeled("hmmwv").unwrap();
    let (tire, outline) = (&spec.tire.handling, &spec.tire.rigid.outline);
    let outline = outline.iter().map(|point| [point.half_width, point.radius]).collect();
    let wheel = Underside::new(outline, None).unwrap();
    let (mut published, mut overlay) = (SharedGround::default(), Overlay::new());
    let (mut scratch, mut state) = (Scratch::new(), TireState::default());
    let orientation = Quat::from_axis_angle(&Vec3::z_axis(), lead.heading);
    let [forward, left] = [Vec3::x(), Vec3::y()].map(|axis| orientation * axis);
    let sense = (lead.to - lead.from).signum();
    let steps = ((lead.to - lead.from).abs() / (SPEED * STEP)) as u32;
    let (mut most, mut jump) = ([0.0f64; 3], [0.0f64; 3]);
    let mut before: Option<[f64; 3]> = None;
    for count in 0..steps {
        let x = lead.from + sense * f64::from(count) * SPEED * STEP;
        let rise = ((lead.height)(x + 1e-6) - (lead.height)(x - 1e-6)) / 2e-6;
        let along = forward * (sense * SPEED) + left * (0.035 * SPEED);
        let linear = along + Vec3::z() * (rise * sense * SPEED);
        let angular = left * (sense * SPEED / (0.85 * wheel.max_radius()));
        let twist = Twist { linear, angular };
        let position = forward * x + Vec3::z() * (lead.height)(x);
        let pose = Pose { position, orientation };
        overlay.begin_step();
        let tread = Tread::rough();
        let contact = wheel_contact(
            &mut WorkingGround {
                model,
                published: &published,
                overlay: &mut overlay,
                scratch: &mut scratch,
            },
            &wheel,
            &tread,
            &pose,
            &twist,
            STEP,
        );
        let mut force = contact.load.wrench.force;
        let firm = contact.firm.and_then(|firm| {
            let point = Vec3::new(position.x, position.y, firm.height);
            let plane = GroundPlane { point, normal: firm.normal };
            let patch = FirmPatch { plane, friction: firm.friction, share: firm.share };
            tire.firm_contact(&pose, &twist, &patch, &state, STEP)
        });
        if let Some(firm) = &firm {
            force += firm.load.wrench.force;
        }
        tire.settle(firm.as_ref(), &twist, &mut state, STEP);
        if count % 10 == 9 {
            let mut patches = bekker::ground::Patches::default();
            overlay.publish(&mut patches);
            published.apply(&patches);
            overlay.refresh(&published);
        }
        let now = [force.z, force.dot(&forward), force.dot(&left)];
        if (x - lead.from).abs() > 0.5 {
            for k in 0..3 {
                most[k] = most[k].max(now[k].abs());
                jump[k] = jump[k].max(before.map_or(0.0, |before| (now[k] - before[k]).abs()));
            }
        }
        before = Some(now);
    }
    [most, jump]
}

#[test]
fn nothing_jumps_between_firm_and_soft_ground() {
    // 5 cm deep in the soil, 15 mm of deflection on firm ground, smooth in between.
    let deep = 0.4677 - 0.05;
    let shallow = 0.4699 - 0.015;
    let level = |x: f64| {
        let u = (x / 1.2 + 0.5).clamp(0.0, 1.0);
        deep + (shallow - deep) * u * u * (3.0 - 2.0 * u)
    };
    let soft = Terrain::flat(0.0, SoilId(0));
    let soft = ground(0.05, soft, vec![undamped()]);
    for (heading_deg, line_deg) in [(0.0, 0.0), (0.0, 40.0), (45.0, 45.0), (30.0, -20.0)] {
        let (heading, line) = (f64::to_radians(heading_deg), f64::to_radians(line_deg));
        let constant = |_: f64| deep;
        let alone = Lead { heading, from: -2.0, to: 0.0, height: &constant };
        let [_, normal] = led(&soft, &alone);
        let model = half_firm([line.cos(), line.sin()]);
        for (from, to) in [(-2.0, 2.0), (2.0, -2.0)] {
            let [most, jump] = led(&model, &Lead { heading, from, to, height: &level });
            println!(
                "heading {heading_deg}, line {line_deg}, from {from}: {most:.0?} N, \
                 per step {jump:.0?} N, on soil {normal:.0?} N"
            );
            for k in 0..3 {
                // A tent-shaped weight 0.43 m long transfers the whole force along half of it.
                let slope = 2.0 * most[k] * SPEED * STEP / 0.215;
                let bound = normal[k] + slope;
                assert!(jump[k] < bound, "force {k} jumps by {} N, {bound} N allowed", jump[k]);
            }
        }
    }
}
