//! Images and ray casts of one relief on the GPU.

use super::device::{GpuDevice, GpuError};
use super::flat::{self, SceneConstants};
use super::mirror::GroundBuffers;
use super::view::{STRIDE, ViewWords, channel_mask};
use crate::camera::{Camera, Image, ImageChannel, ImageRequest};
use crate::class::SurfaceClass;
use crate::lidar::LidarHit;
use crate::ray::Ray;
use crate::scene::Scene;
use std::sync::Arc;
use wgpu::BufferUsages;

/// Renderer of a relief that is mirrored on the GPU.
#[derive(Debug)]
pub struct GpuRenderer {
    gpu: Arc<GpuDevice>,
    props: Arc<SceneConstants>,
    mirror: GroundBuffers,
    views: GrowableBuffer,
    instances: GrowableBuffer,
    rays: GrowableBuffer,
    out: GrowableBuffer,
    back: GrowableBuffer,
    words: Vec<u32>,
}

/// Buffer that grows as needed.
#[derive(Debug)]
struct GrowableBuffer {
    label: &'static str,
    usage: BufferUsages,
    buffer: wgpu::Buffer,
}

impl GrowableBuffer {
    fn new(
        gpu: &GpuDevice,
        label: &'static str,
        usage: BufferUsages,
    ) -> Result<GrowableBuffer, GpuError> {
        Ok(GrowableBuffer { label, usage, buffer: gpu.buffer(label, 1, usage)? })
    }

    fn reserve(&mut self, gpu: &GpuDevice, words: usize) -> Result<(), GpuError> {
        if self.buffer.size() < 4 * words as u64 {
            self.buffer = gpu.buffer(self.label, words, self.usage)?;
        }
        Ok(())
    }

    fn write(&mut self, gpu: &GpuDevice, words: &[u32]) -> Result<(), GpuError> {
        self.reserve(gpu, words.len())?;
        gpu.queue.write_buffer(&self.buffer, 0, bytemuck::cast_slice(words));
        Ok(())
    }
}

/// Alignment of the parts of a buffer, words.
const ALIGN: usize = 64;

impl GpuRenderer {
    /// Creates a renderer without ground data.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if a buffer exceeds the limit of the device.
    pub fn new(gpu: Arc<GpuDevice>, props: Arc<SceneConstants>) -> Result<GpuRenderer, GpuError> {
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let read = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        Ok(GpuRenderer {
            mirror: GroundBuffers::new(&gpu)?,
            views: GrowableBuffer::new(
                &gpu,
                "views",
                BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            )?,
            instances: GrowableBuffer::new(&gpu, "crowds", storage)?,
            rays: GrowableBuffer::new(&gpu, "rays", storage)?,
            out: GrowableBuffer::new(
                &gpu,
                "pictures",
                BufferUsages::STORAGE | BufferUsages::COPY_SRC,
            )?,
            back: GrowableBuffer::new(&gpu, "read back", read)?,
            words: Vec::new(),
            gpu,
            props,
        })
    }

    /// Uploads the tiles of the relief that have changed; returns their number.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if a buffer exceeds the limit of the device.
    pub fn update(&mut self, scene: &Scene<'_>) -> Result<usize, GpuError> {
        self.mirror.update(&self.gpu, scene.relief)
    }

    /// Renders images of one scene, equivalent to [`Camera::render`] on the CPU.
    ///
    /// Channels that were not requested are empty.
    ///
    /// # Errors
    /// [`GpuError`] if a buffer is too large or the device is lost.
    pub fn render_images(
        &mut self,
        scene: &Scene<'_>,
        takes: &[ImageRequest<'_>],
    ) -> Result<Vec<Image>, GpuError> {
        let Some(first) = takes.first() else { return Ok(Vec::new()) };
        let room = |take: &ImageRequest<'_>| size(take).next_multiple_of(ALIGN);
        if takes.len() > 1 && takes.iter().map(room).sum::<usize>() > self.gpu.most_words() {
            let (some, rest) = takes.split_at(takes.len() / 2);
            let mut images = self.render_images(scene, some)?;
            images.extend(self.render_images(scene, rest)?);
            return Ok(images);
        }
        let anchor = first.poses[1].position;
        self.update(scene)?;
        flat::write_instances(scene, &anchor, &mut self.words);
        self.instances.write(&self.gpu, &self.words)?;
        self.words.clear();
        let mut places = Vec::with_capacity(takes.len() + 1);
        let mut words = 0;
        for (index, take) in takes.iter().enumerate() {
            let view = ViewWords::picture(scene, take, &anchor, self.props.soils);
            self.words.extend_from_slice(view.words());
            self.words.resize((index + 1) * STRIDE as usize / 4, 0);
            places.push(words);
            words += room(take);
        }
        places.push(words);
        self.views.write(&self.gpu, &self.words)?;
        self.out.reserve(&self.gpu, words)?;
        self.back.reserve(&self.gpu, words)?;
        let groups: Vec<wgpu::BindGroup> =
            (0..takes.len()).map(|k| self.group(k, places[k]..places[k + 1])).collect();
        self.dispatch(words, |pass, gpu| {
            pass.set_pipeline(&gpu.picture);
            for (take, group) in takes.iter().zip(&groups) {
                pass.set_bind_group(0, group, &[]);
                let [x, y] = [take.camera.width, take.camera.height].map(|n| n.div_ceil(8));
                pass.dispatch_workgroups(x, y, 1);
            }
        });
        self.gpu.read(&self.back.buffer, words, |words| {
            takes.iter().zip(&places).map(|(take, place)| image(take, &words[*place..])).collect()
        })
    }

    /// Casts the rays of a scan between two ranges, m; returns the hit of each ray.
    ///
    /// `nearest` and `farthest` are the range limits of the scan.
    ///
    /// # Errors
    /// [`GpuError`] if a buffer is too large or the device is lost.
    pub fn cast_rays(
        &mut self,
        scene: &Scene<'_>,
        rays: impl Iterator<Item = Ray>,
        [nearest, farthest]: [f64; 2],
    ) -> Result<Vec<Option<LidarHit>>, GpuError> {
        let mut rays = rays.peekable();
        let Some(imager) = rays.peek().map(|ray| ray.origin) else { return Ok(Vec::new()) };
        self.update(scene)?;
        flat::write_instances(scene, &imager, &mut self.words);
        self.instances.write(&self.gpu, &self.words)?;
        self.words.clear();
        for Ray { origin, direction, moment } in rays {
            let from = origin - imager;
            let numbers = [from.x, from.y, from.z, nearest];
            self.words.extend(numbers.map(|x| (x as f32).to_bits()));
            let numbers = [direction.x, direction.y, direction.z, moment];
            self.words.extend(numbers.map(|x| (x as f32).to_bits()));
        }
        let count = self.words.len() / 8;
        self.rays.write(&self.gpu, &self.words)?;
        self.words.clear();
        let view = ViewWords::rays(scene, count as u32, farthest, &imager, self.props.soils);
        self.words.extend_from_slice(view.words());
        self.words.resize(STRIDE as usize / 4, 0);
        self.views.write(&self.gpu, &self.words)?;
        let words = 3 * count;
        self.out.reserve(&self.gpu, words)?;
        self.back.reserve(&self.gpu, words)?;
        let group = self.group(0, 0..words);
        self.dispatch(words, |pass, gpu| {
            pass.set_pipeline(&gpu.scan);
            pass.set_bind_group(0, &group, &[]);
            // the number of workgroups along x is limited; the rest extends along y
            let groups = count.div_ceil(64) as u32;
            let across = groups.min(1 << 15);
            pass.dispatch_workgroups(across, groups.div_ceil(across), 1);
        });
        self.gpu.read(&self.back.buffer, words, |words| {
            words.as_chunks::<3>().0.iter().map(|&answer| lidar_hit(answer)).collect()
        })
    }

    /// Returns the bind group of a view and a part of the output.
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
            self.instances.buffer.as_entire_binding(),
            out,
            self.rays.buffer.as_entire_binding(),
        ];
        let entries: Vec<wgpu::BindGroupEntry<'_>> = resources
            .into_iter()
            .enumerate()
            .map(|(k, resource)| wgpu::BindGroupEntry { binding: k as u32, resource })
            .collect();
        self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.gpu.layout,
            entries: &entries,
        })
    }

    /// Submits work and a copy of its output to the mappable buffer.
    fn dispatch(&self, words: usize, work: impl FnOnce(&mut wgpu::ComputePass<'_>, &GpuDevice)) {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        work(&mut encoder.begin_compute_pass(&Default::default()), &self.gpu);
        encoder.copy_buffer_to_buffer(&self.out.buffer, 0, &self.back.buffer, 0, 4 * words as u64);
        self.gpu.queue.submit([encoder.finish()]);
    }
}

/// Returns the number of output words of an image request.
fn size(take: &ImageRequest<'_>) -> usize {
    let asked = channel_mask(take.channels);
    let planes = [(1, 3), (2, 1), (4, 3), (8, 1), (16, 3)];
    let planes: usize = planes.iter().map(|(bit, n)| if asked & bit != 0 { *n } else { 0 }).sum();
    (planes * take.camera.width as usize * take.camera.height as usize).max(1)
}

/// Decodes the image from its output words.
fn image(take: &ImageRequest<'_>, words: &[u32]) -> Image {
    let Camera { width, height, .. } = *take.camera;
    let pixels = width as usize * height as usize;
    let asked = channel_mask(take.channels);
    let mut rest = words;
    let mut planes = |bit: u32, count: usize| {
        let (taken, left) = rest.split_at(if asked & bit != 0 { count * pixels } else { 0 });
        rest = left;
        taken
    };
    let reals = |words: &[u32]| bytemuck::cast_slice::<u32, f32>(words).to_vec();
    let colors = |words: &[u32]| bytemuck::cast_slice::<u32, [f32; 3]>(words).to_vec();
    let color = colors(planes(1, 3));
    let depth = reals(planes(2, 1));
    let normal = colors(planes(4, 3));
    let labels = planes(8, 1);
    let sinkage = reals(planes(16, 1));
    let slip = reals(planes(16, 1));
    let left = planes(16, 1);
    let passes = left.iter().map(|word| *word as u16).collect();
    let agent = left.iter().map(|word| (word >> 16) as u16).collect();
    let has = |channel| take.channels.contains(&channel);
    let label = |wanted: bool| if wanted { labels } else { &[] };
    Image {
        width,
        height,
        color,
        depth,
        normal,
        class: label(has(ImageChannel::Class)).iter().map(|word| *word as u8).collect(),
        instance: label(has(ImageChannel::Instance)).iter().map(|w| (w >> 16) as u16).collect(),
        soil: label(has(ImageChannel::Ground)).iter().map(|word| (word >> 8) as u8).collect(),
        sinkage,
        slip,
        passes,
        agent,
    }
}

/// Decodes the hit of one ray.
fn lidar_hit([range, reflected, labels]: [u32; 3]) -> Option<LidarHit> {
    let range = f64::from(f32::from_bits(range));
    range.is_finite().then(|| LidarHit {
        range,
        reflected: f64::from(f32::from_bits(reflected)),
        class: SurfaceClass::ALL
            .get((labels & 0xff) as usize)
            .copied()
            .unwrap_or(SurfaceClass::Other),
        instance: (labels >> 16) as u16,
    })
}
