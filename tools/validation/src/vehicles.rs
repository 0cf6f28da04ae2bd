//! Vehicles on firm ground: comparisons in closed form.

use super::section::{Section, ValidationError, percent};
use bekker_agent::AnyVehicle;
use bekker_math::numeric::{GRAVITY, atan, tan};
use bekker_math::spatial::{Pose, Vec3};
use bekker_rig::InParallel;
use bekker_rig::RigError;
use bekker_scenario::{ScenarioFile, build};
use bekker_vehicle::Controls;
use bekker_vehicle::multibody::{
    Body, BodyId, Element, ElementForce, Inertia, Joint, ModelBuilder,
};
use bekker_world::World;
use std::f64::consts::TAU;
use std::path::Path;

const FIRM: &str = r#"
format = 1
name = "firm"
[time]
duration = 20
step = 0.002
heartbeat = 0.02
[output]
interval = 0.1
[soil]
default = "rigid"
[[vehicle]]
name = "one"
model = "hmmwv"
tire = "rigid"
position = [0, 0]
driver = { kind = "table", rows = [
    { time = 0, throttle = 0, steering = 0 }, { time = 0.5, throttle = 0, steering = 0 },
    { time = 1, throttle = 0, steering = 0 }, { time = 2, throttle = 0, steering = 0 } ] }
"#;

/// Option for wheels that are rigid on soil; tracked vehicles have none.
const RIGID: &str = "tire = \"rigid\"\n";

fn world(sets: &[String]) -> Result<World, ValidationError> {
    built(FIRM, sets)
}

fn built(text: &str, sets: &[String]) -> Result<World, ValidationError> {
    let file = ScenarioFile::parse("firm", text, Path::new(""), sets)?;
    Ok(World::new(build::world(&file)?.world))
}

fn drive(world: &mut World, time: f64) {
    while world.time() < time - 1e-9 {
        world.advance();
    }
}

/// Section on weight, turning circle and ride.
pub(super) fn section() -> Result<Section, ValidationError> {
    let mut section = Section::new("Vehicles on firm ground");
    section.text(
        "Vertical force under a vehicle at rest, mean over 4 s, compared with the mass in the \
         source of its parameters (Project Chrono's HMMWV and M113, MAVS's MRZR-4).",
    );
    let rows = [("hmmwv", 2573.138), ("mrzr4", 1279.8), ("m113_chrono", 11342.86)]
        .in_parallel(|&(name, mass)| {
            let sets = [
                format!("vehicle[0].model={name}"),
                "vehicle[0].driver={ kind = \"hold\" }".into(),
            ];
            let tracked = name == "m113_chrono";
            let mut world = built(&FIRM.replace(if tracked { RIGID } else { "" }, ""), &sets)?;
            drive(&mut world, 12.0);
            let (mut carried, heartbeats) = (0.0, 200);
            for _ in 0..heartbeats {
                world.advance();
                let wheels = world.samples().next().map(|sample| sample.wheels);
                carried += wheels.iter().flatten().map(|wheel| wheel.load).sum::<f64>();
            }
            let carried = carried / f64::from(heartbeats);
            Ok(vec![
                name.to_string(),
                format!("{mass}"),
                format!("{:.1}", mass * GRAVITY),
                format!("{carried:.1}"),
                percent(carried, mass * GRAVITY),
            ])
        })
        .collect::<Result<Vec<_>, ValidationError>>()?;
    section.table(&["vehicle", "mass, kg", "weight, N", "vertical load, N", "error"], rows);

    section.text(
        "The HMMWV drives slowly in a circle: radius at the center of its rear axle compared with \
         Ackermann's L/tan δ, where the cotangent of δ is the mean of the front wheels' and L = \
         3.302 m.",
    );
    let rows = [0.4, 0.8]
        .in_parallel(|&steering| {
            let radius = circle(steering)?;
            let delta = mean_steer(steering)?;
            let closed = 3.302 / tan(delta);
            Ok(vec![
                format!("{steering}"),
                format!("{:.2}", delta.to_degrees()),
                format!("{closed:.3}"),
                format!("{radius:.3}"),
                percent(radius, closed),
            ])
        })
        .collect::<Result<Vec<_>, ValidationError>>()?;
    section.table(&["steering", "δ, deg", "L/tan δ, m", "radius, m", "error"], rows);

    section.text(
        "Two masses on a line under the multibody core, released in each of their modes, compared \
         with the eigenvalues of the quarter car (MAVS's HMMWV, its MRZR-4, and the HMMWV on its \
         handling tire), undamped.",
    );
    let cars = [
        ([521.63, 62.0, 190_000.0, 322_369.0], [2.389_365, 14.589_287]),
        ([285.15, 34.8, 77_706.0, 70_000.0], [1.778, 10.548]),
        ([521.63, 120.33, 100_000.0, 411_120.0], [1.9674, 10.42]),
    ];
    let mut rows = Vec::new();
    for (car, frequencies) in cars {
        for frequency in frequencies {
            let found = swing(car, frequency)?;
            let [sprung, unsprung, spring, tire] = car;
            rows.push(vec![
                format!("{sprung} / {unsprung}"),
                format!("{:.0} / {:.0}", 1e-3 * spring, 1e-3 * tire),
                format!("{frequency:.3}"),
                format!("{found:.3}"),
                percent(found, frequency),
            ]);
        }
    }
    let header = ["masses, kg", "rates, kN/m", "closed, Hz", "found, Hz", "error"];
    section.table(&header, rows);
    section.text(
        "Tests check more of this kind: axle load fractions, damped quarter cars, a half car on a \
         curb (`tests/vehicle_closed_form.rs`), shafts, clutches, differentials and gear changes \
         (`tests/drivetrain.rs`). Understeer from axle stiffnesses is not included, because the \
         tires are not linear.",
    );
    Ok(section)
}

/// Returns the turning radius of the HMMWV at creep speed, m.
fn circle(steering: f64) -> Result<f64, ValidationError> {
    let mut world = world(&[
        "vehicle[0].driver.rows[2].throttle=0.18".into(),
        "vehicle[0].driver.rows[3].throttle=0.18".into(),
        format!("vehicle[0].driver.rows[3].steering={steering}"),
    ])?;
    drive(&mut world, 10.0);
    let Some(sample) = world.samples().next() else { return Ok(f64::NAN) };
    let yaw_rate = sample.angular_velocity.z;
    let ahead = sample.pose.orientation.inverse_transform_vector(&sample.velocity);
    Ok(ahead.x / yaw_rate)
}

/// Returns the mean steer angle of the HMMWV's front wheels, held in the air, rad.
fn mean_steer(steering: f64) -> Result<f64, ValidationError> {
    let world = world(&[])?;
    let AnyVehicle::Wheeled(own) = &world.model().agents[0].vehicle else {
        unreachable!("the HMMWV runs on wheels")
    };
    let hmmwv = &own.vehicle;
    let mut state = hmmwv.state(&Pose::default());
    let mut workspace = hmmwv.workspace(&state);
    let controls = Controls { steering, ..Controls::default() };
    for tick in 0..1000 {
        for load in workspace.loads() {
            load.wrench.force = Vec3::z() * (hmmwv.mass() * GRAVITY / 4.0);
        }
        hmmwv.step(&mut state, &mut workspace, &controls, tick, 1e-3).map_err(RigError::from)?;
    }
    let chassis = hmmwv.pose(&workspace);
    let cotangent = |wheel: usize| {
        let axis = hmmwv.wheel_pose(&workspace, wheel).direction(&Vec3::y());
        let axis = chassis.orientation.inverse_transform_vector(&axis);
        axis.y / -axis.x
    };
    Ok(atan(2.0 / (cotangent(0) + cotangent(1))))
}

/// Returns the oscillation frequency of a quarter car, Hz.
///
/// It is released in the mode of `frequency`. The car has a sprung and an unsprung mass, a spring
/// and a tire.
fn swing(car: [f64; 4], frequency: f64) -> Result<f64, ValidationError> {
    let [sprung, unsprung, spring, tire] = car;
    let mut builder = ModelBuilder::default();
    let mut slide = |name: &str, mass: f64| {
        builder.body(Body {
            name: name.into(),
            parent: BodyId::WORLD,
            joint: Joint::Prismatic(Vec3::z()),
            anchor: Vec3::zeros(),
            origin: Vec3::zeros(),
            inertia: Inertia::principal(mass, Vec3::zeros(), [1.0; 3]),
        })
    };
    let bodies = [slide("body", sprung), slide("wheel", unsprung)];
    let [z, w] = bodies.map(|body| builder.coordinate(body));
    let strut = builder.element(Element::Rates { rates: vec![(z, 1.0), (w, -1.0)] });
    let contact = builder.element(Element::Rates { rates: vec![(w, 1.0)] });
    let model = builder.build().map_err(RigError::from)?;
    let (mut state, mut workspace) = (model.assembled(), model.workspace());
    workspace.gravity = Vec3::zeros();
    // (K - ω² M) x = 0, from its first row
    let square = (TAU * frequency) * (TAU * frequency);
    state.q.copy_from_slice(&[0.01, 0.01 * (1.0 - square * sprung / spring)]);
    model.refresh(&state, &mut workspace);
    let step = 1e-4 / frequency;
    let mut crossings = Vec::new();
    let mut tick = 0.0;
    while crossings.len() < 2 && tick < 4e4 {
        let before = state.q[0];
        for (element, stiffness) in [(strut, spring), (contact, tire)] {
            let force = stiffness * workspace.measure[element];
            workspace.element[element] = ElementForce { force, stiffness, damping: 0.0 };
        }
        model.advance(&mut state, &mut workspace, step).map_err(RigError::from)?;
        tick += 1.0;
        if before < 0.0 && state.q[0] >= 0.0 {
            crossings.push(step * (tick + state.q[0] / (before - state.q[0])));
        }
    }
    Ok(crossings.get(1).map_or(f64::NAN, |second| 1.0 / (second - crossings[0])))
}
