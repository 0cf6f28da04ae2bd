//! Pictures and rays of one relief.

use super::card::{Card, GpuError};
use super::flat::{self, Props};
use super::mirror::Mirror;
use super::view::{STRIDE, View, asked};
use crate::sensor::camera::{Camera, Channel, Image, Take};
use crate::sensor::scene::Scene;
use std::sync::Arc;
use wgpu::BufferUsages;

/// A relief on the card, and what looks at it.
#[derive(Debug)]
pub struct Sight {
    card: Arc<Card>,
    props: Arc<Props>,
    mirror: Mirror,
    views: Room,
    crowds: Room,
    rays: Room,
    out: Room,
    back: Room,
    words: Vec<u32>,
}

/// A buffer that grows.
#[derive(Debug)]
struct Room {
    label: &'static str,
    usage: BufferUsages,
    buffer: wgpu::Buffer,
}

impl Room {
    fn new(card: &Card, label: &'static str, usage: BufferUsages) -> Result<Room, GpuError> {
        Ok(Room { label, usage, buffer: card.buffer(label, 1, usage)? })
    }

    fn make(&mut self, card: &Card, words: usize) -> Result<(), GpuError> {
        if self.buffer.size() < 4 * words as u64 {
            self.buffer = card.buffer(self.label, words, self.usage)?;
        }
        Ok(())
    }

    fn hold(&mut self, card: &Card, words: &[u32]) -> Result<(), GpuError> {
        self.make(card, words.len())?;
        card.queue.write_buffer(&self.buffer, 0, bytemuck::cast_slice(words));
        Ok(())
    }
}

/// Words at which a part of a buffer may begin.
const ALIGN: usize = 64;

impl Sight {
    /// One that has seen nothing yet.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if the card cannot hold the ground.
    pub fn new(card: Arc<Card>, props: Arc<Props>) -> Result<Sight, GpuError> {
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let read = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        Ok(Sight {
            mirror: Mirror::new(&card)?,
            views: Room::new(&card, "views", BufferUsages::UNIFORM | BufferUsages::COPY_DST)?,
            crowds: Room::new(&card, "crowds", storage)?,
            rays: Room::new(&card, "rays", storage)?,
            out: Room::new(&card, "pictures", BufferUsages::STORAGE | BufferUsages::COPY_SRC)?,
            back: Room::new(&card, "read back", read)?,
            words: Vec::new(),
            card,
            props,
        })
    }

    /// Sends tiles of the relief that have changed, and says how many.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if the card cannot hold them.
    pub fn update(&mut self, scene: &Scene<'_>) -> Result<usize, GpuError> {
        self.mirror.update(&self.card, scene.relief)
    }

    /// Takes pictures of one scene; the processor's are those of [`Camera::picture`].
    /// Channels that were not asked for are empty.
    ///
    /// # Errors
    /// [`GpuError`] if they do not fit or the card gives up.
    pub fn pictures(
        &mut self,
        scene: &Scene<'_>,
        takes: &[Take<'_>],
    ) -> Result<Vec<Image>, GpuError> {
        let Some(first) = takes.first() else { return Ok(Vec::new()) };
        let anchor = first.poses[1].position;
        self.update(scene)?;
        flat::crowds(scene, &anchor, &mut self.words);
        self.crowds.hold(&self.card, &self.words)?;
        self.words.clear();
        let mut places = Vec::with_capacity(takes.len() + 1);
        let mut words = 0;
        for (index, take) in takes.iter().enumerate() {
            let view = View::picture(scene, take, &anchor, self.props.soils);
            self.words.extend_from_slice(view.words());
            self.words.resize((index + 1) * STRIDE as usize / 4, 0);
            places.push(words);
            words += size(take).next_multiple_of(ALIGN);
        }
        places.push(words);
        self.views.hold(&self.card, &self.words)?;
        self.out.make(&self.card, words)?;
        self.back.make(&self.card, words)?;
        let groups: Vec<wgpu::BindGroup> =
            (0..takes.len()).map(|k| self.group(k, places[k]..places[k + 1])).collect();
        self.go(words, |pass, card| {
            pass.set_pipeline(&card.picture);
            for (take, group) in takes.iter().zip(&groups) {
                pass.set_bind_group(0, group, &[]);
                let [x, y] = [take.camera.width, take.camera.height].map(|n| n.div_ceil(8));
                pass.dispatch_workgroups(x, y, 1);
            }
        });
        self.card.read(&self.back.buffer, words, |words| {
            takes.iter().zip(&places).map(|(take, place)| image(take, &words[*place..])).collect()
        })
    }

    /// What a view and a part of the output are bound to.
    fn group(&self, view: usize, part: std::ops::Range<usize>) -> wgpu::BindGroup {
        let piece = |buffer, offset: u64, size: u64| {
            wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset,
                size: std::num::NonZeroU64::new(size),
            })
        };
        let out = piece(&self.out.buffer, 4 * part.start as u64, 4 * part.len() as u64);
        let resources = [
            piece(&self.views.buffer, view as u64 * STRIDE, STRIDE),
            self.mirror.ground.as_entire_binding(),
            self.mirror.tiles.as_entire_binding(),
            self.mirror.marks.as_entire_binding(),
            self.props.buffer.as_entire_binding(),
            self.crowds.buffer.as_entire_binding(),
            out,
            self.rays.buffer.as_entire_binding(),
        ];
        let entries: Vec<wgpu::BindGroupEntry<'_>> = resources
            .into_iter()
            .enumerate()
            .map(|(k, resource)| wgpu::BindGroupEntry { binding: k as u32, resource })
            .collect();
        self.card.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.card.layout,
            entries: &entries,
        })
    }

    /// Has the card work, and copies what it made to where it can be read.
    fn go(&self, words: usize, work: impl FnOnce(&mut wgpu::ComputePass<'_>, &Card)) {
        let mut encoder = self.card.device.create_command_encoder(&Default::default());
        work(&mut encoder.begin_compute_pass(&Default::default()), &self.card);
        encoder.copy_buffer_to_buffer(&self.out.buffer, 0, &self.back.buffer, 0, 4 * words as u64);
        self.card.queue.submit([encoder.finish()]);
    }
}

/// Words of a take's output.
fn size(take: &Take<'_>) -> usize {
    let asked = asked(take.channels);
    let planes = [(1, 3), (2, 1), (4, 3), (8, 1), (16, 3)];
    let planes: usize = planes.iter().map(|(bit, n)| if asked & bit != 0 { *n } else { 0 }).sum();
    (planes * take.camera.width as usize * take.camera.height as usize).max(1)
}

/// The picture whose words these are.
fn image(take: &Take<'_>, words: &[u32]) -> Image {
    let Camera { width, height, .. } = *take.camera;
    let pixels = width as usize * height as usize;
    let asked = asked(take.channels);
    let mut rest = words;
    let mut planes = |bit: u32, count: usize| {
        let (taken, left) = rest.split_at(if asked & bit != 0 { count * pixels } else { 0 });
        rest = left;
        taken
    };
    let reals = |words: &[u32]| bytemuck::cast_slice::<u32, f32>(words).to_vec();
    let colours = |words: &[u32]| bytemuck::cast_slice::<u32, [f32; 3]>(words).to_vec();
    let colour = colours(planes(1, 3));
    let depth = reals(planes(2, 1));
    let normal = colours(planes(4, 3));
    let labels = planes(8, 1);
    let sinkage = reals(planes(16, 1));
    let slip = reals(planes(16, 1));
    let passes = planes(16, 1).iter().map(|word| *word as u16).collect();
    let has = |channel| take.channels.contains(&channel);
    let label = |wanted: bool| if wanted { labels } else { &[] };
    Image {
        width,
        height,
        colour,
        depth,
        normal,
        class: label(has(Channel::Class)).iter().map(|word| *word as u8).collect(),
        instance: label(has(Channel::Instance)).iter().map(|w| (w >> 16) as u16).collect(),
        soil: label(has(Channel::Ground)).iter().map(|word| (word >> 8) as u8).collect(),
        sinkage,
        slip,
        passes,
    }
}
