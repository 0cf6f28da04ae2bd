//! Copy of a relief on the GPU.

use super::device::{GpuDevice, GpuError};
use crate::relief::{GroundMark, HeightPyramid, WordLayout};
use wgpu::BufferUsages;

/// Words of a tile: its nodes, lids, and the position of its marks.
pub(super) const SLOT: usize = WordLayout::TILE + 1;
/// First number of the tiles' lids; lower numbers belong to the windows.
pub(super) const TILES: usize = 1 << 24;
/// Words of a tile's marks.
const MARKS: usize = 3 * WordLayout::NODES * WordLayout::NODES;

/// Relief on the GPU.
#[derive(Debug)]
pub(super) struct GroundBuffers {
    pub ground: wgpu::Buffer,
    pub tiles: wgpu::Buffer,
    pub marks: wgpu::Buffer,
    /// Capacity in tiles and in tiles with marks.
    capacity: [usize; 2],
    /// Position of each tile's marks, 0 for none.
    marked: Vec<u32>,
    /// Number of tiles with marks.
    count: usize,
    corners: Option<[[i64; 2]; 2]>,
    merges: u64,
    words: Vec<u32>,
}

fn usage() -> BufferUsages {
    BufferUsages::STORAGE | BufferUsages::COPY_DST
}

impl GroundBuffers {
    pub fn new(gpu: &GpuDevice) -> Result<GroundBuffers, GpuError> {
        Ok(GroundBuffers {
            ground: gpu.buffer("ground", WordLayout::WINDOWS, usage())?,
            tiles: gpu.buffer("tiles", SLOT, usage())?,
            marks: gpu.buffer("marks", MARKS, usage())?,
            capacity: [1, 1],
            marked: Vec::new(),
            count: 0,
            corners: None,
            merges: 0,
            words: Vec::new(),
        })
    }

    /// Uploads the changes since the last call; returns the number of tiles that were sent.
    pub fn update(&mut self, gpu: &GpuDevice, relief: &HeightPyramid) -> Result<usize, GpuError> {
        let moved = self.corners != Some(relief.corners());
        if !moved && self.merges == relief.merges() {
            return Ok(0);
        }
        let tiles = relief.tiles();
        let count = tiles.len();
        if moved {
            self.marked.clear();
            self.count = 0;
        }
        self.marked.resize(count, 0);
        for (slot, tile) in tiles.enumerate() {
            if self.marked[slot] == 0 && tile.marks().is_some() {
                self.count += 1;
                self.marked[slot] = self.count as u32;
            }
        }
        let whole = self.reserve(gpu, count)? || moved;
        let since = self.merges;
        let mut sent = 0;
        let [mut nodes, mut marks] =
            [UploadBatch::new(&self.tiles, SLOT), UploadBatch::new(&self.marks, MARKS)];
        for (slot, tile) in relief.tiles().enumerate() {
            if !whole && tile.revision() <= since {
                continue;
            }
            sent += 1;
            let marked = self.marked[slot];
            nodes.add(gpu, slot, |words| {
                tile.write_words(words);
                words.push(marked);
            });
            if let (Some(left), Some(place)) = (tile.marks(), (marked as usize).checked_sub(1)) {
                // passes and agent share a word
                let both = |m: &GroundMark| u32::from(m.passes) | u32::from(m.agent) << 16;
                let flat = |m: &GroundMark| [m.sinkage.to_bits(), m.slip.to_bits(), both(m)];
                marks.add(gpu, place, |words| words.extend(left.iter().flat_map(flat)));
            }
        }
        nodes.send(gpu);
        marks.send(gpu);
        let mut send = |place: usize, fill: &dyn Fn(&mut Vec<u32>)| {
            self.words.clear();
            fill(&mut self.words);
            let words = bytemuck::cast_slice(&self.words);
            gpu.queue.write_buffer(&self.ground, 4 * place as u64, words);
        };
        if moved {
            send(0, &|words| relief.write_words(words));
        } else {
            send(WordLayout::CORNERS, &|words| relief.write_bounds(words));
            send(2 * WordLayout::WINDOW, &|words| relief.write_cells(words));
        }
        self.corners = Some(relief.corners());
        self.merges = relief.merges();
        Ok(sent)
    }

    /// Grows the buffers to one and a half times the tiles and marks if needed; returns whether all
    /// must be uploaded again.
    fn reserve(&mut self, gpu: &GpuDevice, tiles: usize) -> Result<bool, GpuError> {
        let [has, marks] = self.capacity;
        if tiles <= has && self.count <= marks {
            return Ok(false);
        }
        self.capacity = [tiles.max(has) * 3 / 2, self.count.max(marks) * 3 / 2];
        self.tiles = gpu.buffer("tiles", self.capacity[0] * SLOT, usage())?;
        self.marks = gpu.buffer("marks", self.capacity[1] * MARKS, usage())?;
        Ok(true)
    }
}

/// Consecutive items of one size that are uploaded together.
struct UploadBatch<'a> {
    buffer: &'a wgpu::Buffer,
    /// Words per item.
    size: usize,
    first: usize,
    words: Vec<u32>,
}

impl<'a> UploadBatch<'a> {
    fn new(buffer: &'a wgpu::Buffer, size: usize) -> UploadBatch<'a> {
        UploadBatch { buffer, size, first: 0, words: Vec::new() }
    }

    fn add(&mut self, gpu: &GpuDevice, place: usize, fill: impl FnOnce(&mut Vec<u32>)) {
        if place != self.first + self.words.len() / self.size {
            self.send(gpu);
            self.first = place;
        }
        fill(&mut self.words);
    }

    fn send(&mut self, gpu: &GpuDevice) {
        if !self.words.is_empty() {
            let place = 4 * (self.first * self.size) as u64;
            gpu.queue.write_buffer(self.buffer, place, bytemuck::cast_slice(&self.words));
        }
        self.words.clear();
    }
}
