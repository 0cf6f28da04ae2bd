//! Encoding of snapshots as messages, in parallel with the simulation.

use super::clients::Clients;
use super::frame::frame;
use super::ground_tiles::GroundTiles;
use super::message::{EncodedMessage, MessageBuilder, MessageKind, text};
use super::scene_message::DisplayedRun;
use super::snapshot::Snapshot;
use super::traffic::light_states;
use bekker_agent::decimal_seconds;
use bekker_ground::SharedGround;
use bekker_math::spatial::{Pose, Vec3};
use bekker_sensor::camera::Image;
use bekker_sensor::lidar::Cloud;
use bekker_sensor::{Delivery, Reading};
use bekker_world::WorldModel;
use serde_json::json;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Largest number of queued snapshots.
const WAITING: usize = 2;

enum EncoderJob {
    Show(Box<Snapshot>),
    /// After a seek: all previous ground is invalid.
    ShowAll(Box<Snapshot>, String),
    Picture {
        agent: usize,
        name: String,
        time: f64,
        image: Box<Image>,
    },
    Points {
        agent: usize,
        name: String,
        time: f64,
        pose: Pose,
        cloud: Box<Cloud>,
    },
    Send(EncodedMessage),
}

/// The encoder thread, which ends when this is dropped.
pub struct EncoderThread {
    work: Option<SyncSender<EncoderJob>>,
    /// Wall time that jobs took, µs.
    taken: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl EncoderThread {
    /// Starts an encoder for these clients.
    ///
    /// # Errors
    /// The system's error if the thread cannot be started.
    pub fn new(clients: Arc<Clients>) -> io::Result<EncoderThread> {
        let (work, waiting) = sync_channel(WAITING);
        let taken = Arc::new(AtomicU64::new(0));
        let total = taken.clone();
        let encode = move || encode(&clients, &waiting, &total);
        let thread = std::thread::Builder::new().name("encoder".into()).spawn(encode)?;
        Ok(EncoderThread { work: Some(work), taken, thread: Some(thread) })
    }

    /// Wall time that encoding has taken so far.
    pub fn time_taken(&self) -> Duration {
        Duration::from_micros(self.taken.load(Ordering::Relaxed))
    }

    /// Queues a snapshot unless the queue is full; returns whether it was queued.
    pub fn offer(&self, snapshot: Snapshot) -> bool {
        self.try_send(EncoderJob::Show(Box::new(snapshot)))
    }

    /// Queues the delivery of a sensor if it is an image or a point cloud and the queue is not full;
    /// returns whether it was.
    pub fn offer_delivery(&self, model: &WorldModel, agent: usize, delivery: &Delivery) -> bool {
        let sensor = model.agents[agent].sensors.get(delivery.sensor as usize);
        let name = sensor.map_or_else(String::new, |own| own.name.clone());
        let (time, pose) = (decimal_seconds(delivery.taken_us), delivery.pose);
        match &delivery.reading {
            Reading::Image(image) => {
                let image = Box::new(image.clone());
                self.try_send(EncoderJob::Picture { agent, name, time, image })
            }
            Reading::Cloud(cloud) => {
                let cloud = Box::new(cloud.clone());
                self.try_send(EncoderJob::Points { agent, name, time, pose, cloud })
            }
            _ => false,
        }
    }

    /// Queues a snapshot, waiting until there is space.
    pub fn show(&self, snapshot: Snapshot) {
        self.send(EncoderJob::Show(Box::new(snapshot)));
    }

    /// Queues a snapshot after a seek; `hash` is the hash of its state.
    pub fn show_all(&self, snapshot: Snapshot, hash: String) {
        self.send(EncoderJob::ShowAll(Box::new(snapshot), hash));
    }

    /// Sends a text message to all clients.
    pub fn send_json(&self, value: &serde_json::Value) {
        self.send(EncoderJob::Send(text(value)));
    }

    fn send(&self, work: EncoderJob) {
        if let Some(sender) = &self.work {
            // sending fails only if the thread has died
            let _ = sender.send(work);
        }
    }

    fn try_send(&self, work: EncoderJob) -> bool {
        let sent = self.work.as_ref().map(|sender| sender.try_send(work));
        !matches!(sent, None | Some(Err(TrySendError::Full(_) | TrySendError::Disconnected(_))))
    }
}

impl Drop for EncoderThread {
    fn drop(&mut self) {
        self.work = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Data that has already been sent.
#[derive(Default)]
struct SentState {
    ground: GroundTiles,
    felled: usize,
    ended: Vec<bool>,
    links: Option<Vec<[usize; 2]>>,
    lights: Vec<Vec<&'static str>>,
}

fn encode(clients: &Clients, waiting: &Receiver<EncoderJob>, taken: &AtomicU64) {
    let mut sent = SentState::default();
    while let Ok(work) = waiting.recv() {
        let begun = Instant::now();
        match work {
            EncoderJob::Show(snapshot) => sent.show(clients, &snapshot, false),
            EncoderJob::ShowAll(snapshot, hash) => {
                sent.show(clients, &snapshot, true);
                let (time, tick) = (snapshot.time, snapshot.tick);
                let moment = json!({ "kind": "moment", "time": time, "tick": tick, "hash": hash });
                clients.send(text(&moment), false);
            }
            EncoderJob::Picture { agent, name, time, image } => {
                if let Some(message) = picture(agent, &name, time, &image) {
                    clients.send(message, true);
                }
            }
            EncoderJob::Points { agent, name, time, pose, cloud } => {
                let origin = &clients.view().origin;
                clients.send(points(agent, &name, time, &pose, origin, &cloud), true);
            }
            EncoderJob::Send(message) => clients.send(message, false),
        }
        taken.fetch_add(begun.elapsed().as_micros() as u64, Ordering::Relaxed);
    }
}

impl SentState {
    fn show(&mut self, clients: &Clients, snapshot: &Snapshot, afresh: bool) {
        let view = clients.view();
        let mut renewed = afresh || clients.has_fresh();
        // invalidating the ground resets everything else in the page, so it is sent first
        if let Some(published) = &snapshot.published {
            renewed |= self.show_ground(clients, published, snapshot.time, afresh);
        }
        if renewed {
            *self = SentState { ground: std::mem::take(&mut self.ground), ..SentState::default() };
        }
        for message in self.encode_changes(view, snapshot) {
            clients.send(message, false);
        }
        // a new client, and all clients after a seek, may get no later frame while the run is paused
        clients.send(frame(view, snapshot), !renewed);
    }

    /// Sends the ground; returns whether some client had none.
    fn show_ground(
        &mut self,
        clients: &Clients,
        published: &Arc<SharedGround>,
        time: f64,
        afresh: bool,
    ) -> bool {
        let ground = &clients.view().model.ground;
        let changed = self.ground.message(ground, published, time, afresh);
        let own = &mut self.ground;
        let all = || own.message(ground, published, time, true);
        clients.send_ground(published, changed, all)
    }

    /// Messages for felled trees, changed links and lights, and drives that ended since the last
    /// snapshot.
    fn encode_changes(&mut self, view: &DisplayedRun, snapshot: &Snapshot) -> Vec<EncodedMessage> {
        let mut messages = Vec::new();
        let felled = view.scene.felled(&view.model.obstacles, &snapshot.damage);
        if felled.len() != self.felled {
            self.felled = felled.len();
            let lying: Vec<_> = felled
                .iter()
                .map(|(prop, instance)| {
                    json!([prop, instance.poses[1].orientation.coords.as_slice()])
                })
                .collect();
            messages.push(text(&json!({ "kind": "felled", "props": lying })));
        }
        if !view.model.radios.is_empty() && self.links.as_ref() != Some(&snapshot.links) {
            messages.push(text(&json!({ "kind": "links", "links": snapshot.links })));
            self.links = Some(snapshot.links.clone());
        }
        let lights = light_states(view, snapshot.time);
        if self.lights != lights {
            messages.push(text(&json!({ "kind": "lights", "lights": lights })));
            self.lights = lights;
        }
        self.ended.resize(snapshot.outcomes.len(), false);
        for (vehicle, (outcome, sent)) in snapshot.outcomes.iter().zip(&mut self.ended).enumerate()
        {
            if !outcome.is_empty() && !std::mem::replace(sent, true) {
                let time = snapshot.time;
                let said = json!({
                    "kind": "outcome", "vehicle": vehicle, "time": time, "text": outcome,
                });
                messages.push(text(&said));
            }
        }
        messages
    }
}

/// Encoding for a file, where no client is late or new.
#[derive(Default)]
pub(super) struct SequentialEncoder {
    sent: SentState,
}

impl SequentialEncoder {
    pub fn messages(&mut self, view: &DisplayedRun, snapshot: &Snapshot) -> Vec<EncodedMessage> {
        let mut messages = self.sent.encode_changes(view, snapshot);
        if let Some(published) = &snapshot.published {
            let ground = &view.model.ground;
            messages.extend(self.sent.ground.message(ground, published, snapshot.time, false));
        }
        messages.push(frame(view, snapshot));
        messages
    }
}

/// Encodes an image as PNG, with gamma 2 as an approximation of sRGB.
fn picture(agent: usize, name: &str, time: f64, image: &Image) -> Option<EncodedMessage> {
    let level = |linear: f32| (linear.clamp(0.0, 1.0).sqrt() * 255.0).round() as u8;
    let levels: Vec<u8> = image.color.iter().flat_map(|c| c.map(level)).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width, image.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&levels).ok()?;
    writer.finish().ok()?;
    let mut message = MessageBuilder::new(MessageKind::Picture);
    message.u32(agent).f64(time).u32(name.len()).raw(name.as_bytes()).raw(&bytes);
    Some(message.finish())
}

/// Encodes a scan, in the scene's coordinates.
///
/// All returns have the pose of the lidar at the end of the scan.
fn points(
    agent: usize,
    name: &str,
    time: f64,
    pose: &Pose,
    origin: &Vec3,
    cloud: &Cloud,
) -> EncodedMessage {
    let mut message = MessageBuilder::new(MessageKind::Points);
    message.u32(agent).f64(time).u32(name.len()).raw(name.as_bytes()).u32(cloud.returns.len());
    for echo in &cloud.returns {
        let place = pose.point(&Vec3::from(echo.point.map(f64::from))) - origin;
        for value in place.iter() {
            message.f32(*value);
        }
    }
    message.finish()
}
