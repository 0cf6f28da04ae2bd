//! Dust and snow behind vehicles: puffs at the vehicles' recent positions.
//!
//! A puff represents the dust of a vehicle in a fifth of a second. Its position, width and density
//! follow from the vehicle's present message and the time. The earlier positions lie on the arc of
//! the present velocity and yaw rate. No history is stored, so a plume is the same on any rank and
//! in a resumed run.

use super::scene::{SceneModel, VisibleWorld};
use bekker_agent::{AnyVehicle, GroundVehicle};
use bekker_math::numeric::{hypot, sin_cos};
use bekker_math::random::RandomStream;
use bekker_math::spatial::{Quat, Vec3};
use bekker_sensor::air::{Air, DustPuff};
use bekker_sensor::dust::raised_extinction;
use bekker_sync::message::{PartState, RunningGearMessage, VehicleMessage};
use std::f64::consts::TAU;

/// Time between two puffs, µs.
const PUFF_INTERVAL_US: u64 = 200_000;
/// Greatest number of puffs behind a vehicle.
const MAX_PUFFS: u64 = 10;
/// Width of a new puff, m: about half the distance between left and right wheels.
const INITIAL_WIDTH: f64 = 0.6;
/// Growth rate of a puff relative to the speeds of vehicle and wind, from the turbulence of the
/// wake (near limit of Taylor, 1921).
const GROWTH_RATE: f64 = 0.08;
/// Greatest distance of puffs from the sensor, m.
pub(super) const MAX_DISTANCE: f64 = 150.0;
/// Least fraction of light that a puff must absorb along its diameter.
const MIN_ABSORPTION: f64 = 0.003;

/// A wheel or track that raises dust.
struct DustEmitter {
    /// Position in the chassis frame, m.
    place: Vec3,
    radius: f64,
    /// Speed of its rim or band, m/s.
    rim: f64,
}

impl SceneModel {
    /// Returns the air at a time, µs, with the plumes of all agents near `place`.
    pub fn air_around<'a>(
        &self,
        world: impl Into<VisibleWorld<'a>>,
        messages: &[VehicleMessage],
        now_us: u64,
        place: &Vec3,
    ) -> Air {
        self.air_with(world.into(), messages.iter().enumerate(), now_us, place)
    }

    /// Does the same as [`SceneModel::air_around`] for some agents, in ascending order.
    pub(super) fn air_with<'m>(
        &self,
        world: VisibleWorld<'_>,
        told: impl Iterator<Item = (usize, &'m VehicleMessage)>,
        now_us: u64,
        place: &Vec3,
    ) -> Air {
        let mut air = self.air.clone();
        if self.has_dust() {
            for (agent, message) in told {
                let near = (message.chassis.position - place).norm() < MAX_DISTANCE;
                if near && !message.ended && agent < world.agents.len() {
                    self.plume(world, agent, message, now_us, &mut air.puffs);
                }
            }
        }
        air
    }

    /// Returns whether vehicles can raise dust or snow.
    pub fn has_dust(&self) -> bool {
        self.dust > 0.0 && self.loose.iter().any(Option::is_some)
    }

    /// Returns the dust and snow behind all vehicles at a time, µs.
    pub fn dust_puffs<'a>(
        &self,
        world: impl Into<VisibleWorld<'a>>,
        messages: &[VehicleMessage],
        now_us: u64,
    ) -> Vec<DustPuff> {
        let (world, mut puffs) = (world.into(), Vec::new());
        if self.has_dust() {
            let driving = messages.iter().enumerate().filter(|(_, message)| !message.ended);
            for (agent, message) in driving.take(world.agents.len()) {
                self.plume(world, agent, message, now_us, &mut puffs);
            }
        }
        puffs
    }

    fn plume(
        &self,
        world: VisibleWorld<'_>,
        agent: usize,
        message: &VehicleMessage,
        now_us: u64,
        puffs: &mut Vec<DustPuff>,
    ) {
        let ground_vehicle = &world.agents[agent].vehicle;
        let (sources, mass) = (sources(ground_vehicle, message), mass(ground_vehicle));
        let terrain = world.ground.terrain();
        let speed = hypot(message.velocity.x, message.velocity.y);
        let wind = Vec3::new(self.wind[0], self.wind[1], 0.0);
        let reach = |source: &DustEmitter| source.place.x;
        // The wake begins behind the last wheel.
        let tail = match message.speed < 0.0 {
            false => sources.iter().map(reach).fold(f64::INFINITY, f64::min) - INITIAL_WIDTH,
            true => sources.iter().map(reach).fold(f64::NEG_INFINITY, f64::max) + INITIAL_WIDTH,
        };
        let dice = RandomStream::new(agent as u64, "dust");
        let latest = now_us / PUFF_INTERVAL_US;
        let apart = 1e-6 * PUFF_INTERVAL_US as f64;
        for number in latest.saturating_sub(MAX_PUFFS - 1)..=latest {
            let age = 1e-6 * (now_us - number * PUFF_INTERVAL_US) as f64;
            // The newest puff is still filling, and the oldest is fading.
            let held = age.min(apart) * ((MAX_PUFFS as f64 * apart - age) / apart).clamp(0.0, 1.0);
            let since = (age - 0.5 * apart).max(0.5 * age);
            let (position, orientation) = earlier_pose(message, since);
            let mut whole = 0.0;
            let (mut aside, mut falls, mut fastest) = (0.0, 0.0, 0.0_f64);
            let mut color = [0.0_f32; 3];
            for source in &sources {
                let at = position + orientation * source.place;
                let soil = usize::from(terrain.soil(at.x, at.y).0);
                let Some(loose) = self.loose.get(soil).copied().flatten() else { continue };
                let rim = source.rim.max(speed);
                let own = raised_extinction(mass, rim) / sources.len() as f64
                    * loose.airborne_share(rim, source.radius, world.ground.laws().gravity);
                whole += own;
                aside += own * source.place.y;
                falls += own * loose.settling_speed;
                fastest = fastest.max(rim);
                for (sum, albedo) in color.iter_mut().zip(loose.albedo) {
                    *sum += own as f32 * albedo;
                }
            }
            if whole <= 0.0 {
                continue;
            }
            let draw = |part: u64| dice.uniform(4 * number + part);
            let radius = INITIAL_WIDTH + GROWTH_RATE * (fastest + wind.norm()) * since;
            let own = Vec3::new(tail, aside / whole + 0.6 * INITIAL_WIDTH * (draw(0) - 0.5), 0.0);
            let mut center = position + orientation * own + wind * since;
            let ground = terrain.height(center.x, center.y);
            let sunk = falls / whole * since;
            center.z =
                ground + (0.9 * radius + 0.3 * INITIAL_WIDTH * draw(1) - sunk).max(0.2 * radius);
            // The cross-section is distributed as a Gaussian ball.
            let ball = TAU * TAU.sqrt() * radius * radius * radius;
            let strength = self.dust * (0.6 + 0.8 * draw(2));
            let extinction = strength * whole * held / ball;
            if extinction * radius * TAU.sqrt() > MIN_ABSORPTION {
                let albedo = color.map(|sum| sum / whole as f32);
                puffs.push(DustPuff { center, radius, extinction, albedo });
            }
        }
    }
}

fn mass(ground_vehicle: &AnyVehicle) -> f64 {
    match ground_vehicle {
        AnyVehicle::Wheeled(own) => own.vehicle.spec().total_mass(),
        AnyVehicle::Tracked(own) => own.vehicle.spec().total_mass(),
    }
}

/// Sources of dust: the wheels, or each track at its idler.
fn sources(ground_vehicle: &AnyVehicle, message: &VehicleMessage) -> Vec<DustEmitter> {
    match (ground_vehicle, &message.gear) {
        (AnyVehicle::Wheeled(own), RunningGearMessage::Wheels(wheels)) => {
            let radius = own.properties().drive_radius;
            let source = |wheel: &PartState| DustEmitter {
                place: wheel.pose.position,
                radius,
                rim: wheel.spin.abs() * radius,
            };
            wheels.iter().map(source).collect()
        }
        (AnyVehicle::Tracked(own), RunningGearMessage::Tracks { sprockets, idlers, .. }) => {
            let radius = own.vehicle.spec().pitch_radius();
            let source = |(sprocket, idler): (&PartState, &PartState)| DustEmitter {
                place: idler.pose.position,
                radius,
                rim: sprocket.spin.abs() * radius,
            };
            sprockets.iter().zip(idlers).map(source).collect()
        }
        _ => Vec::new(),
    }
}

/// Position and orientation of a vehicle `ago` seconds earlier, had it moved on an arc.
fn earlier_pose(message: &VehicleMessage, ago: f64) -> (Vec3, Quat) {
    let half = 0.5 * message.angular_velocity.z * ago;
    let (sin, cos) = sin_cos(-half);
    let short = if half.abs() > 1e-6 { -sin / half } else { 1.0 };
    let v = message.velocity * (short * ago);
    let chord = Vec3::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y, v.z);
    let turn = Quat::from_scaled_axis(Vec3::z() * (-2.0 * half));
    (message.chassis.position - chord, turn * message.chassis.orientation)
}
