//! Recording of a run as one HTML file that plays without a network.

use super::chunk::Chunk;
use super::encoder::SequentialEncoder;
use super::message::EncodedMessage;
use super::page;
use super::scene_message::{DisplayedRun, MessageSource};
use super::snapshot::Snapshot;
use base64::Engine;
use bekker_agent::Sample;
use bekker_ranks::{Flow, HeartbeatInfo, Observer};
use bekker_world::World;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::BTreeSet;
use std::io::Write;

/// Simulated time between updates of the ground, s.
const GROUND: f64 = 0.25;

/// Distance from the path of a vehicle, in chunk sides, within which a chunk is refined.
const NEAR: f64 = 1.5;

/// Largest number of terrain chunks in a file.
const MOST_CHUNKS: usize = 1200;

/// Largest size of the compressed recording, bytes, because a browser loads it at once.
const MOST_BYTES: usize = 400 << 20;

/// Reasons why the file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum HtmlFileError {
    /// The recording is too large for a browser.
    #[error(
        "the recording has {} MB after {time} s of simulated time; a file can have at most {} MB. \
         End the run earlier, or watch its folder with `bekker view`",
        bytes >> 20, MOST_BYTES >> 20
    )]
    TooLong {
        /// Size of the recording, bytes.
        bytes: usize,
        /// Simulated time reached, s.
        time: f64,
    },
    /// Compression failed.
    #[error("cannot compress the recording: {0}")]
    Compress(#[from] std::io::Error),
}

/// Recording of a run for a file.
pub struct HtmlFile {
    view: DisplayedRun,
    sequence: SequentialEncoder,
    stream: GzEncoder<Vec<u8>>,
    /// Visited cells, a quarter of the finest chunk wide.
    way: BTreeSet<[i64; 2]>,
    /// Times at which the next frame and the next ground update are due, s.
    due: [f64; 2],
    failed: Option<HtmlFileError>,
}

impl HtmlFile {
    /// Simulated time between frames, s.
    pub const FRAMES: f64 = 0.05;

    /// Starts the recording with the scene.
    ///
    /// # Errors
    /// [`HtmlFileError`] when compression fails.
    pub fn new(view: DisplayedRun) -> Result<HtmlFile, HtmlFileError> {
        let stream = GzEncoder::new(Vec::new(), Compression::default());
        let due = [f64::NEG_INFINITY; 2];
        let (sequence, way) = (SequentialEncoder::default(), BTreeSet::new());
        let mut file = HtmlFile { view, sequence, stream, way, due, failed: None };
        for message in file.view.messages(MessageSource::File) {
            file.push(&message)?;
        }
        Ok(file)
    }

    /// Records the world if a frame is due.
    ///
    /// # Errors
    /// [`HtmlFileError`] when the recording becomes too large or compression fails.
    pub fn add(&mut self, world: &World, last: bool) -> Result<(), HtmlFileError> {
        let time = world.time();
        let due = |at: f64| last || time >= at - 1e-9;
        if !due(self.due[0]) {
            return Ok(());
        }
        self.due[0] = time + HtmlFile::FRAMES;
        let ground = due(self.due[1]);
        if ground {
            self.due[1] = time + GROUND;
        }
        let snapshot = Snapshot::new(world, ground);
        let cell = Chunk::side(&self.view.model.ground, 0) / 4.0;
        for sample in &snapshot.samples {
            let place = sample.pose.position;
            if place.x.is_finite() && place.y.is_finite() {
                self.way.insert([place.x, place.y].map(|x| (x / cell).round() as i64));
            }
        }
        for message in self.sequence.messages(&self.view, &snapshot) {
            self.push(&message)?;
        }
        let bytes = self.stream.get_ref().len();
        if bytes > MOST_BYTES {
            return Err(HtmlFileError::TooLong { bytes, time });
        }
        Ok(())
    }

    /// Completes the recording and returns the file.
    ///
    /// # Errors
    /// [`HtmlFileError`] if recording failed at any time.
    pub fn finish(mut self) -> Result<String, HtmlFileError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        for chunk in self.chunks() {
            // chunks descend from the roots, so they are on the lattice
            if let Ok(message) = chunk.message(&self.view.model.ground) {
                self.push(&message)?;
            }
        }
        let recording = base64::engine::general_purpose::STANDARD.encode(self.stream.finish()?);
        Ok(page::with_recording(&self.view.name, &recording))
    }

    fn push(&mut self, message: &EncodedMessage) -> Result<(), HtmlFileError> {
        self.stream.write_all(&(message.len() as u32).to_le_bytes())?;
        self.stream.write_all(message)?;
        Ok(())
    }

    /// Chunks of the terrain: fine where vehicles drove, coarse elsewhere.
    fn chunks(&self) -> Vec<Chunk> {
        let ground = &self.view.model.ground;
        let cell = Chunk::side(ground, 0) / 4.0;
        let mut chunks = self.view.roots();
        let mut next = 0;
        while next < chunks.len() && chunks.len() < MOST_CHUNKS {
            let chunk = chunks[next];
            next += 1;
            let spans = chunk.bounds(ground);
            let near = NEAR * (spans[0][1] - spans[0][0]);
            let beside = |place: &[i64; 2]| {
                (0..2).all(|axis| {
                    let x = place[axis] as f64 * cell;
                    x > spans[axis][0] - near && x < spans[axis][1] + near
                })
            };
            if self.way.iter().any(beside) {
                chunks.extend(chunk.children());
            }
        }
        chunks
    }
}

impl<E> Observer<E> for HtmlFile {
    fn on_start(&mut self, world: &World, _: &[Sample]) -> Result<(), E> {
        self.failed = self.add(world, false).err();
        Ok(())
    }

    fn on_heartbeat(&mut self, moment: &HeartbeatInfo<'_>) -> Result<Flow, E> {
        // a failed recording does not end the run; `finish` reports the error
        if moment.complete && self.failed.is_none() {
            self.failed = self.add(moment.world, false).err();
        }
        Ok(Flow::Continue)
    }

    fn on_end(&mut self, world: &World) -> Result<(), E> {
        if self.failed.is_none() {
            self.failed = self.add(world, true).err();
        }
        Ok(())
    }
}

impl std::fmt::Debug for HtmlFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HtmlFile").field("name", &self.view.name).finish_non_exhaustive()
    }
}
