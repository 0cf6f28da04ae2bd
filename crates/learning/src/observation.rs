//! Observations: numbers within ±1, each a quantity divided by its scale.

use super::coarse_heights::{CoarseHeights, MAP_CELL, MAP_SIDE};
use super::episode_memory::EpisodeMemory;
use super::observation_field::ObservationField;
use super::observed_camera::ObservedCamera;
use super::privileged::{PRIVILEGED, privileged};
use super::{LearningTask, Level, Options, TaskContext, perception};
use bekker_agent::Sample;
use bekker_ground::nearest_sinkage;
use bekker_math::numeric::{atan2, cos, hypot, sin};
use bekker_math::spatial::Vec3;

/// Proprioception and the current targets.
const PROPRIOCEPTION: [ObservationField; 12] = [
    ObservationField::vector("velocity", 3, 10.0, "m/s, body axes"),
    ObservationField::vector("angular_velocity", 3, 2.0, "rad/s, body axes"),
    ObservationField::vector("gravity", 3, 1.0, "direction down, body axes"),
    ObservationField::vector(
        "specific_force",
        3,
        20.0,
        "m/s2, body axes, mean over the last period",
    ),
    ObservationField::vector(
        "rim_speed",
        4,
        10.0,
        "m/s, spin times radius of the corner wheels, front left first",
    ),
    ObservationField::vector("engine_speed", 1, 400.0, "rad/s"),
    ObservationField::vector("gear", 1, 6.0, "1 first, negative reverse"),
    ObservationField::vector("controls", 3, 1.0, "throttle, steering, brake"),
    ObservationField::vector("last_action", 2, 1.0, "steering, drive"),
    ObservationField::vector("wanted_speed", 1, 10.0, "m/s; 0 if there is no target speed"),
    ObservationField::vector("goal_distance", 1, 50.0, "m, horizontal; 0 without a goal"),
    ObservationField::vector("goal_bearing", 2, 1.0, "sine and cosine, positive to the left"),
];

/// Extent of the map behind the vehicle, m.
const LENGTH_BEHIND: f64 = 4.0;
/// Quantities that 1 represents in the layers of the map, m.
const HEIGHT_SCALE: f64 = 2.0;
const RUT_SCALE: f64 = 0.5;

/// Fields of an observation, in order.
pub(super) fn layout(
    task: &dyn LearningTask,
    options: &Options,
    cameras: &[ObservedCamera],
) -> Vec<ObservationField> {
    let mut fields = PROPRIOCEPTION.to_vec();
    if options.map.unwrap_or(task.observes_map()) {
        let map =
            |name, scale, unit| ObservationField::image(name, [MAP_SIDE, MAP_SIDE, 1], scale, unit);
        fields.push(map("map_height", HEIGHT_SCALE, "m above the chassis frame's origin"));
        fields.push(map("map_rut", RUT_SCALE, "m below the undisturbed ground"));
    }
    if options.soil_visible {
        fields.extend(PRIVILEGED);
    }
    fields.extend(perception::fields(options, cameras));
    fields
}

/// Velocity in body axes, m/s.
pub(super) fn body_velocity(sample: &Sample) -> Vec3 {
    sample.pose.orientation.inverse_transform_vector(&sample.velocity)
}

/// Distance of a position, m, and its bearing from the heading of the vehicle, rad.
pub(super) fn bearing(sample: &Sample, place: [f64; 2]) -> (f64, f64) {
    let [dx, dy] = [place[0] - sample.pose.position.x, place[1] - sample.pose.position.y];
    let angle = atan2(dy, dx) - sample.pose.yaw();
    (hypot(dx, dy), atan2(sin(angle), cos(angle)))
}

/// Writes an observation, clamped to ±1.
pub(super) fn observe(
    task: &dyn LearningTask,
    options: &Options,
    context: &TaskContext<'_>,
    noise: impl Fn(u64) -> f64,
    buffer: &mut [f32],
) {
    let TaskContext { level, sample, memory, .. } = *context;
    let mut place = 0;
    let mut put = |value: f64| {
        buffer[place] = value.clamp(-1.0, 1.0) as f32;
        place += 1;
    };
    let proprioception = Proprioception::new(level, sample, memory);
    // targets and past actions have no noise
    for (n, value) in proprioception.0.into_iter().enumerate() {
        put(if options.noise > 0.0 { value + options.noise * noise(n as u64) } else { value });
    }
    let controls = &sample.controls;
    [controls.throttle, controls.steering, controls.brake].into_iter().for_each(&mut put);
    memory.action.iter().take(2).for_each(|action| put(f64::from(*action)));
    put(task.target_speed(context).unwrap_or_default() / 10.0);
    let goal = task.goal(context).map(|goal| bearing(sample, goal));
    let (distance, angle) = goal.unwrap_or_default();
    put(distance / 50.0);
    put(sin(angle));
    put(cos(angle));
    if let Some(coarse_heights) = &level.coarse_heights {
        map(level, context, coarse_heights, &mut buffer[place..place + 2 * MAP_SIDE * MAP_SIDE]);
        place += 2 * MAP_SIDE * MAP_SIDE;
    }
    if options.soil_visible {
        privileged(level, sample, &mut buffer[place..]);
        place += PRIVILEGED.iter().map(|field| field.size).sum::<usize>();
    }
    if let (Some(perception), Some(local_ground)) =
        (&level.perception, &context.agents[context.agent].local_ground)
    {
        perception.render(context.world, context.agent, local_ground, &mut buffer[place..]);
    }
    // a vehicle whose state is not finite observes zeros
    buffer.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = 0.0);
}

/// Proprioception, scaled.
struct Proprioception([f64; 18]);

impl Proprioception {
    fn new(level: &Level, sample: &Sample, memory: &EpisodeMemory) -> Proprioception {
        let velocity = body_velocity(sample);
        let down = sample.pose.orientation.inverse_transform_vector(&-Vec3::z());
        let rim = |wheel: usize| {
            let corner = sample.wheels.get(level.corners[wheel]);
            corner.map_or(0.0, |wheel| wheel.spin) * level.wheel_radius
        };
        let (turn, force) = (sample.angular_velocity, memory.specific_force);
        Proprioception([
            velocity.x / 10.0,
            velocity.y / 10.0,
            velocity.z / 10.0,
            turn.x / 2.0,
            turn.y / 2.0,
            turn.z / 2.0,
            down.x,
            down.y,
            down.z,
            force[0] / 20.0,
            force[1] / 20.0,
            force[2] / 20.0,
            rim(0) / 10.0,
            rim(1) / 10.0,
            rim(2) / 10.0,
            rim(3) / 10.0,
            sample.engine_speed / 400.0,
            f64::from(sample.gear) / 6.0,
        ])
    }
}

/// Writes the map: rows from the rear to the front, each from right to left.
fn map(
    level: &Level,
    context: &TaskContext<'_>,
    coarse_heights: &CoarseHeights,
    buffer: &mut [f32],
) {
    let TaskContext { sample, world, .. } = *context;
    let position = sample.pose.position;
    let yaw = sample.pose.yaw();
    let (s, c) = (sin(yaw), cos(yaw));
    let (heights, ruts) = buffer.split_at_mut(MAP_SIDE * MAP_SIDE);
    let (ground, published) = (&level.built.world.ground, &world.state().published);
    for row in 0..MAP_SIDE {
        let ahead = (row as f64 + 0.5) * MAP_CELL - LENGTH_BEHIND;
        for column in 0..MAP_SIDE {
            let left = (column as f64 + 0.5 - 0.5 * MAP_SIDE as f64) * MAP_CELL;
            let x = position.x + c * ahead - s * left;
            let y = position.y + s * ahead + c * left;
            let at = row * MAP_SIDE + column;
            let height = (coarse_heights.height(x, y) - position.z) / HEIGHT_SCALE;
            heights[at] = height.clamp(-1.0, 1.0) as f32;
            let rut = nearest_sinkage(ground, published, x, y) / RUT_SCALE;
            ruts[at] = rut.clamp(-1.0, 1.0) as f32;
        }
    }
}
