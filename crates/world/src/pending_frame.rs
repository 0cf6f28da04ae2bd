//! Frames of cameras and lidars made by worker threads.

use super::imagers::VisibleAgent;
use super::renderer::Renderer;
use super::scene::{SceneModel, VisibleWorld};
use super::world_model::WorldModel;
use bekker_math::spatial::{Pose, Quat, Vec3};
use bekker_sensor::air::Air;
use bekker_sensor::camera::{Camera, CameraSpec, Image, ImageRequest, PixelRng};
use bekker_sensor::lidar::{Cloud, LidarSpec, Rays, ScanPart};
use bekker_sensor::relief::HeightPyramid;
use bekker_sensor::scene::{InstanceSet, Scene, interpolate_pose};
use bekker_sensor::{Delivery, DueFrame, Model, Promise, Reading, Sensor};
use bekker_sync::message::{PartState, RunningGearMessage, VehicleMessage};
use std::sync::Arc;

/// Greatest rotation of a wheel during one part of a scan, rad.
const MAX_WHEEL_TURN: f64 = 1.5;
/// Greatest number of parts of a scan.
const MAX_PARTS: usize = 10;

/// A frame to be made, with the state of the world when it is due.
pub(super) struct PendingFrame {
    pub scene_model: Arc<SceneModel>,
    pub model: Arc<WorldModel>,
    pub relief: Arc<HeightPyramid>,
    /// Agents in sight in ascending order, including the sensor's own agent.
    pub in_sight: Arc<[VisibleAgent]>,
    pub renderer: Renderer,
    /// Static instances, including fallen ones.
    pub standing: Arc<InstanceSet>,
    /// Indices of the agent and of the sensor.
    pub place: [usize; 2],
    /// Pose of the sensor.
    pub pose: Pose,
    /// Earlier poses of the sensor with their times, µs.
    pub track: Vec<(u64, Pose)>,
    pub due: DueFrame,
}

impl PendingFrame {
    /// Makes the frame, releases the world's data, and hands the frame in.
    pub fn make(self, maker: Promise) {
        let made = self.frame();
        drop(self);
        maker.fulfill(made);
    }

    fn world(&self) -> VisibleWorld<'_> {
        (&*self.model).into()
    }

    fn frame(&self) -> Option<Delivery> {
        let [agent, index] = self.place;
        let sensor = &self.model.agents[agent].sensors[index];
        let reading = match &sensor.model {
            Model::Camera(spec) => Reading::Image(self.picture(sensor, spec)?),
            Model::Lidar(spec) => Reading::Cloud(self.scan(sensor, spec)),
            _ => return None,
        };
        sensor.augmented(index as u32, self.pose, self.due, reading)
    }

    /// Agents in sight, moving from `ago[0]` to `ago[1]` seconds before now at their present
    /// twists.
    ///
    /// Their earlier motion is not part of the state, so a resumed run gives the same frames.
    fn moving_instances(&self, ago: [f64; 2]) -> InstanceSet {
        let [from, to] = ago.map(|ago| -> Vec<VehicleMessage> {
            self.in_sight.iter().map(|(_, message)| rewound(message, ago)).collect()
        });
        let agents = self.in_sight.iter().map(|(agent, _)| *agent);
        let told = agents.zip(from.iter().zip(&to).map(|(from, to)| [from, to]));
        let moments_us = ago.map(|ago| self.due.taken_us.saturating_sub((1e6 * ago) as u64));
        let parts = self.scene_model.parts_with(self.world(), moments_us, told);
        InstanceSet::new(self.scene_model.meshes(), &parts)
    }

    fn scene<'s>(&'s self, moving: &'s InstanceSet, air: &'s Air) -> Scene<'s> {
        let scene = self.scene_model.scene(self.world(), &self.relief, moving);
        Scene { air, standing: &self.standing, ..scene }
    }

    /// The air around the own agent, with what vehicles raise.
    fn air(&self) -> Air {
        let own = self.in_sight.iter().find(|(agent, _)| *agent == self.place[0]);
        let place = own.map_or_else(Vec3::zeros, |(_, message)| message.chassis.position);
        let told = self.in_sight.iter().map(|(agent, message)| (*agent, &**message));
        self.scene_model.air_with(self.world(), told, self.due.taken_us, &place)
    }

    fn picture(&self, sensor: &Sensor, spec: &CameraSpec) -> Option<Image> {
        let camera = Camera::from_spec(spec)?;
        let span = camera.exposure + camera.readout;
        let (moving, air) = (self.moving_instances([span, 0.0]), self.air());
        let poses = [self.pose_before(span), self.pose_before(0.0)];
        let frame = self.due.frame as u32;
        let rng = PixelRng { noise: sensor.noise, frame };
        let scene = self.scene(&moving, &air);
        let take =
            ImageRequest { camera: &camera, poses, interval: span, rng, channels: &spec.channels };
        let mut image = self.renderer.picture(&scene, &take);
        if let (Some(chip), false) = (&spec.noise, image.color.is_empty()) {
            chip.expose(&mut image, spec.exposure, &sensor.noise, frame);
        }
        Some(image)
    }

    fn scan(&self, sensor: &Sensor, lidar: &LidarSpec) -> Cloud {
        let window = sensor.schedule.window();
        let fastest =
            self.in_sight.iter().map(|(_, message)| max_spin(message)).fold(0.0, f64::max);
        let parts = ((fastest * window / MAX_WHEEL_TURN).ceil() as usize).clamp(1, MAX_PARTS);
        let mut cloud = Cloud::default();
        let air = self.air();
        let [agent, index] = self.place;
        // Ranges of a graphics card are not bit-identical to those of the processor, but the driven
        // path must be. So a lidar that steers uses the processor.
        let autonomy = self.model.agents[agent].autonomy.as_ref();
        let steers = autonomy.is_some_and(|autonomy| autonomy.lidar == index);
        for part in 0..parts {
            let shares = [part, part + 1].map(|part| part as f64 / parts as f64);
            let moving = self.moving_instances(shares.map(|share| window * (1.0 - share)));
            let pose = |share: f64| self.pose_before(window * (1.0 - share));
            let part = ScanPart { shares, period: window, frame: self.due.frame as u32 };
            let (scene, limits) = (self.scene(&moving, &air), [lidar.min_range, lidar.max_range]);
            let strike = |rays: &Rays<'_, '_>| match steers {
                true => None,
                false => self.renderer.cast_rays(&scene, rays, limits),
            };
            lidar.scan_with(strike, &scene, pose, &part, &sensor.noise, &mut cloud);
        }
        cloud
    }

    /// Pose of the sensor `ago` seconds before it was due, from its track.
    fn pose_before(&self, ago: f64) -> Pose {
        let moment = self.due.taken_us as f64 - 1e6 * ago;
        let mut before: Option<&(u64, Pose)> = None;
        for point in &self.track {
            if point.0 as f64 >= moment {
                return match before {
                    Some((earlier, pose)) => {
                        let share = (moment - *earlier as f64) / (point.0 - earlier) as f64;
                        interpolate_pose(&[*pose, point.1], share)
                    }
                    None => point.1,
                };
            }
            before = Some(point);
        }
        before.map_or_else(Pose::default, |(_, pose)| *pose)
    }
}

/// Greatest spin of any wheel, rad/s.
fn max_spin(message: &VehicleMessage) -> f64 {
    let fastest = |parts: &[PartState]| parts.iter().map(|p| p.spin.abs()).fold(0.0, f64::max);
    match &message.gear {
        RunningGearMessage::Wheels(wheels) => fastest(wheels),
        RunningGearMessage::Tracks { sprockets, idlers, road_wheels, .. } => {
            fastest(sprockets).max(fastest(idlers)).max(fastest(road_wheels))
        }
    }
}

/// State of an agent `ago` seconds earlier, had it moved at its present twist.
fn rewound(message: &VehicleMessage, ago: f64) -> VehicleMessage {
    if ago == 0.0 || message.ended {
        return message.clone();
    }
    let mut message = message.clone();
    let turned = |rate: Vec3| Quat::from_scaled_axis(rate * -ago);
    message.chassis = Pose {
        position: message.chassis.position - message.velocity * ago,
        orientation: turned(message.angular_velocity) * message.chassis.orientation,
    };
    let back = |parts: &mut [PartState]| {
        for part in parts {
            part.pose.orientation *= turned(Vec3::y() * part.spin);
        }
    };
    match &mut message.gear {
        RunningGearMessage::Wheels(wheels) => back(wheels),
        RunningGearMessage::Tracks { sprockets, idlers, road_wheels, .. } => {
            [sprockets, idlers, road_wheels].into_iter().for_each(|parts| back(parts));
        }
    }
    message
}
