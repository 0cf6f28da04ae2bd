//! Frames: the state of moving objects at one moment.
//!
//! For each vehicle: f32 x, y, z, quaternion x, y, z, w; speed, steering, throttle, brake, engine
//! speed, gear, mean slip, greatest sinkage; u32 whether its drive has ended, u32 number of wheels.
//! For each wheel: f32 spin, slip, sinkage, load.
//!
//! For each part: u16 mesh, u16 vehicle, f32 x, y, z, then the quaternion x, y, z, w as i16 over
//! 32767.

use super::message::{EncodedMessage, MessageBuilder, MessageKind};
use super::scene_message::DisplayedRun;
use super::snapshot::Snapshot;
use bekker_agent::Sample;
use bekker_math::spatial::{Pose, Vec3};
use bekker_sensor::scene::Instance;

/// Encodes the frame of a snapshot.
pub(super) fn frame(view: &DisplayedRun, snapshot: &Snapshot) -> EncodedMessage {
    let messages = [&snapshot.messages[..], &snapshot.messages[..]];
    let now_us = (1e6 * snapshot.time).round() as u64;
    let parts = view.scene.parts(&*view.model, [now_us; 2], messages);
    let mut writer = MessageBuilder::new(MessageKind::Frame);
    writer.f64(snapshot.time).f64(snapshot.tick as f64);
    writer.u32(snapshot.samples.len()).u32(parts.len());
    for (sample, outcome) in snapshot.samples.iter().zip(&snapshot.outcomes) {
        vehicle(&mut writer, &view.origin, sample, !outcome.is_empty());
    }
    for instance in &parts {
        part(&mut writer, &view.origin, instance);
    }
    writer.finish()
}

fn vehicle(writer: &mut MessageBuilder, origin: &Vec3, sample: &Sample, ended: bool) {
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
    for wheel in wheels {
        writer.f32(wheel.spin).f32(wheel.slip).f32(wheel.sinkage).f32(wheel.load);
    }
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
