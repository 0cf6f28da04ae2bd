//! Frames: the state of moving objects at one moment.
//!
//! For each vehicle: f32 x, y, z, quaternion x, y, z, w; speed, steering, throttle, brake, engine
//! speed, gear, mean slip, greatest sinkage; u32 whether its drive has ended, u32 number of wheels.
//! For each wheel: f32 spin, slip, sinkage, load; x, y, z of its center, m; force of the ground on
//! it, N, in world axes.
//!
//! For each part: u16 mesh, u16 vehicle, f32 x, y, z, then the quaternion x, y, z, w as i16 over
//! 32767.
//!
//! For each puff of dust: f32 x, y, z of its center and its standard deviation, m; extinction at the
//! center, 1/m; red, green and blue of its linear albedo.

use super::message::{EncodedMessage, MessageBuilder, MessageKind};
use super::scene_message::DisplayedRun;
use super::snapshot::Snapshot;
use bekker_agent::{Sample, WheelSample};
use bekker_math::spatial::{Pose, Vec3};
use bekker_sensor::air::DustPuff;
use bekker_sensor::scene::Instance;
use bekker_sync::message::VehicleMessage;

/// Encodes the frame of a snapshot.
pub(super) fn frame(view: &DisplayedRun, snapshot: &Snapshot) -> EncodedMessage {
    let messages = [&snapshot.messages[..], &snapshot.messages[..]];
    let now_us = (1e6 * snapshot.time).round() as u64;
    let parts = view.scene.parts(&*view.model, [now_us; 2], messages);
    let mut writer = MessageBuilder::new(MessageKind::Frame);
    writer.f64(snapshot.time).f64(snapshot.tick as f64);
    let puffs = view.scene.dust_puffs(&*view.model, &snapshot.messages, now_us);
    writer.u32(snapshot.samples.len()).u32(parts.len()).u32(puffs.len());
    let agents = snapshot.samples.iter().zip(&snapshot.messages).zip(&snapshot.outcomes);
    for ((sample, message), outcome) in agents {
        vehicle(&mut writer, &view.origin, sample, message, !outcome.is_empty());
    }
    for instance in &parts {
        part(&mut writer, &view.origin, instance);
    }
    for puff in &puffs {
        dust(&mut writer, &view.origin, puff);
    }
    writer.finish()
}

fn vehicle(
    writer: &mut MessageBuilder,
    origin: &Vec3,
    sample: &Sample,
    message: &VehicleMessage,
    ended: bool,
) {
    let Pose { position, orientation } = &sample.pose;
    let place = position - origin;
    for value in place.iter().chain(orientation.coords.iter()) {
        writer.f32(*value);
    }
    let wheels = &sample.wheels;
    let slip = wheels.iter().map(|wheel| wheel.slip).sum::<f64>() / wheels.len().max(1) as f64;
    let sinkage = wheels.iter().map(|wheel| wheel.sinkage).fold(0.0, f64::max);
    let controls = &sample.controls;
    let figures = [
        sample.speed,
        controls.steering,
        controls.throttle,
        controls.brake,
        sample.engine_speed,
        f64::from(sample.gear),
        slip,
        sinkage,
    ];
    for value in figures {
        writer.f32(value);
    }
    writer.u32(usize::from(ended)).u32(wheels.len());
    let parts = message.gear.ground_wheels();
    for (index, wheel) in wheels.iter().enumerate() {
        writer.f32(wheel.spin).f32(wheel.slip).f32(wheel.sinkage).f32(wheel.load);
        let part = parts.get(index).map(|part| &part.pose).copied().unwrap_or_default();
        let center = message.chassis.point(&part.position) - origin;
        let axle = message.chassis.direction(&part.direction(&Vec3::y()));
        for value in center.iter().chain(ground_force(wheel, &axle).iter()) {
            writer.f32(*value);
        }
    }
}

/// Returns the force of the ground on a wheel, N, in world axes; `axle` points to its left.
fn ground_force(wheel: &WheelSample, axle: &Vec3) -> Vec3 {
    let forward = axle.cross(&Vec3::z()).try_normalize(0.0).unwrap_or_else(Vec3::x);
    let left = Vec3::z().cross(&forward);
    wheel.load * Vec3::z() + wheel.traction * forward + wheel.lateral * left
}

fn part(writer: &mut MessageBuilder, origin: &Vec3, instance: &Instance) {
    let Pose { position, orientation } = &instance.poses[1];
    writer.u16(instance.mesh as u16).u16(instance.agent);
    for value in (position - origin).iter() {
        writer.f32(*value);
    }
    for value in orientation.coords.iter() {
        writer.i16((value * 32_767.0).round() as i16);
    }
}

fn dust(writer: &mut MessageBuilder, origin: &Vec3, puff: &DustPuff) {
    let DustPuff { center, radius, extinction, albedo } = puff;
    for value in (center - origin).iter().chain(&[*radius, *extinction]) {
        writer.f32(*value);
    }
    for value in albedo {
        writer.f32(f64::from(*value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a wheel that heads along y, traction acts along y and a force to the left along -x.
    #[test]
    fn forces_follow_the_heading_of_the_wheel() {
        let wheel = WheelSample { load: 5.0, traction: 2.0, lateral: 1.0, ..Default::default() };
        let force = ground_force(&wheel, &Vec3::new(-1.0, 0.0, 0.1));
        assert!((force - Vec3::new(-1.0, 2.0, 5.0)).norm() < 1e-12, "{force}");
    }
}
