//! Selection of the GPU, and its compute programs.

use crate::camera::GRAINS;
use crate::relief::WordLayout;
use std::sync::{OnceLock, mpsc};
use wgpu::{BufferUsages, ShaderSource};

/// Reason why the GPU cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// Vulkan lists no GPU.
    #[error("no GPU: {0}")]
    None(String),
    /// The adapter is a software renderer on this machine's CPU, slower than the CPU code.
    #[error("no GPU: Vulkan lists only `{0}`, which runs on this machine's CPU")]
    Software(String),
    /// The device cannot be opened.
    #[error("GPU `{name}` cannot be opened: {cause}")]
    Closed {
        /// Name of the adapter.
        name: String,
        /// Error of the driver.
        cause: String,
    },
    /// The device was lost.
    #[error("the GPU was lost: {0}")]
    Lost(String),
    /// The device returned less output than requested.
    #[error("the GPU returned no image")]
    Nothing,
    /// A buffer exceeds the limit of the device.
    #[error("{what} takes {bytes} bytes; must be at most {most}, the GPU's limit for one buffer")]
    TooLarge {
        /// Content of the buffer.
        what: &'static str,
        /// Size of the buffer, bytes.
        bytes: u64,
        /// Limit of the device, bytes.
        most: u64,
    },
}

/// GPU with the compute programs of cameras and lidars.
#[derive(Debug)]
pub struct GpuDevice {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) layout: wgpu::BindGroupLayout,
    pub(super) picture: wgpu::ComputePipeline,
    pub(super) scan: wgpu::ComputePipeline,
    name: String,
    software: bool,
    lost: OnceLock<GpuError>,
}

/// Number of storage buffers that the programs use, bound after the view.
pub(super) const STORAGES: u32 = 7;

impl GpuDevice {
    /// Opens the first GPU that Vulkan lists; a software renderer only if `software` is true.
    ///
    /// # Errors
    /// [`GpuError`] without a GPU, or if it cannot be opened.
    pub fn find(software: bool) -> Result<GpuDevice, GpuError> {
        let descriptor = wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            ..wgpu::InstanceDescriptor::new_without_display_handle_from_env()
        };
        let instance = wgpu::Instance::new(descriptor);
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&options))
            .map_err(|error| GpuError::None(error.to_string()))?;
        let info = adapter.get_info();
        let is_software = info.device_type == wgpu::DeviceType::Cpu;
        if is_software && !software {
            return Err(GpuError::Software(info.name));
        }
        let has = adapter.limits();
        let needed = wgpu::Limits {
            max_storage_buffers_per_shader_stage: STORAGES,
            max_storage_buffer_binding_size: has.max_storage_buffer_binding_size,
            max_buffer_size: has.max_buffer_size,
            ..wgpu::Limits::downlevel_defaults()
        };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("bekker"),
            required_limits: needed,
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|e| GpuError::Closed { name: info.name.clone(), cause: e.to_string() })?;
        let entry = |binding: u32| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: match binding {
                    0 => wgpu::BufferBindingType::Uniform,
                    _ => wgpu::BufferBindingType::Storage { read_only: binding != 6 },
                },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let entries: Vec<_> = (0..=STORAGES).map(entry).collect();
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("looking"),
            entries: &entries,
        });
        let (picture, scan) = programs(&device, &layout);
        Ok(GpuDevice {
            device,
            queue,
            layout,
            picture,
            scan,
            name: info.name,
            software: is_software,
            lost: OnceLock::new(),
        })
    }

    /// Returns the name of the adapter.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether the adapter is a software renderer.
    pub fn is_software(&self) -> bool {
        self.software
    }

    /// Marks the device as unusable; the first reason is kept.
    pub fn lose(&self, error: GpuError) {
        // an error means that an earlier reason is already set
        let _ = self.lost.set(error);
    }

    /// Returns the reason why the device is unusable, if it is.
    pub fn lost(&self) -> Option<&GpuError> {
        self.lost.get()
    }

    /// Returns whether the device is unusable.
    pub fn is_lost(&self) -> bool {
        self.lost.get().is_some()
    }

    /// Returns the maximum number of words of a buffer.
    pub(super) fn most_words(&self) -> usize {
        let limits = self.device.limits();
        let bytes = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
        usize::try_from(bytes / 4).unwrap_or(usize::MAX)
    }

    /// Creates a buffer of this many words, but at least 16.
    pub(super) fn buffer(
        &self,
        label: &'static str,
        words: usize,
        usage: BufferUsages,
    ) -> Result<wgpu::Buffer, GpuError> {
        let bytes = 4 * words.max(16) as u64;
        let most = 4 * self.most_words() as u64;
        if bytes > most {
            return Err(GpuError::TooLarge { what: label, bytes, most });
        }
        let descriptor = wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes,
            usage,
            mapped_at_creation: false,
        };
        Ok(self.device.create_buffer(&descriptor))
    }

    /// Creates a buffer with this content.
    pub(super) fn storage(
        &self,
        label: &'static str,
        words: &[u32],
    ) -> Result<wgpu::Buffer, GpuError> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let buffer = self.buffer(label, words.len(), usage)?;
        self.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(words));
        Ok(buffer)
    }

    /// Waits for the submitted work, then passes the first words of a mappable buffer to `take`.
    pub(super) fn read<T>(
        &self,
        buffer: &wgpu::Buffer,
        words: usize,
        take: impl FnOnce(&[u32]) -> T,
    ) -> Result<T, GpuError> {
        let lost = |cause: &dyn std::fmt::Display| GpuError::Lost(cause.to_string());
        let range = 0..4 * words as u64;
        let (tell, told) = mpsc::channel();
        // the receiver outlives the poll below
        buffer.map_async(wgpu::MapMode::Read, range.clone(), move |done| drop(tell.send(done)));
        self.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|e| lost(&e))?;
        told.recv().map_err(|e| lost(&e))?.map_err(|e| lost(&e))?;
        let taken = {
            let view = buffer.get_mapped_range(range).map_err(|e| lost(&e))?;
            take(bytemuck::cast_slice(&view))
        };
        buffer.unmap();
        Ok(taken)
    }
}

/// Compiles the programs, prefixed with the constants that they share with the CPU.
fn programs(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
) -> (wgpu::ComputePipeline, wgpu::ComputePipeline) {
    let numbers = [
        ("SIDE", WordLayout::SIDE),
        ("LEVELS", WordLayout::LEVELS as usize),
        ("CORNERS", WordLayout::CORNERS),
        ("WINDOW", WordLayout::WINDOW),
        ("FINE", 2 * WordLayout::WINDOW),
        ("TILES", super::mirror::TILES),
        ("TILE", bekker_math::grid::TILE),
        ("TILE_LEVELS", WordLayout::TILE_LEVELS as usize),
        ("NODES", WordLayout::NODES),
        ("SLOT", super::mirror::SLOT),
        ("DEPTH", crate::bvh::DEPTH),
        ("GROUND", crate::class::SurfaceClass::Ground as usize),
        ("LATE_LANE", crate::camera::LATE as usize),
        ("SKY_LANE", crate::camera::SKY as usize),
    ];
    let lengths = [("SHADOW", crate::camera::SHADOW), ("OPEN", crate::camera::OPEN)];
    let mut source: String =
        numbers.iter().map(|(name, number)| format!("const {name} = {number}u;\n")).collect();
    source.extend(lengths.iter().map(|(name, length)| format!("const {name} = {length:?}f;\n")));
    let grains = GRAINS
        .map(|(length, contrast, slope)| format!("vec3<f32>({length:?}, {contrast:?}, {slope:?})"));
    let all = grains.join(", ");
    source.push_str(&format!("const GRAINS = array<vec3<f32>, {}>({all});\n", GRAINS.len()));
    for part in [
        include_str!("scene.wgsl"),
        include_str!("ground.wgsl"),
        include_str!("things.wgsl"),
        include_str!("light.wgsl"),
        include_str!("camera.wgsl"),
        include_str!("lidar.wgsl"),
    ] {
        source.push_str(part);
    }
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("looking"),
        source: ShaderSource::Wgsl(source.into()),
    });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("looking"),
        bind_group_layouts: &[Some(layout)],
        ..Default::default()
    });
    let pipeline = |entry: &str| {
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(entry),
            compilation_options: Default::default(),
            cache: None,
        })
    };
    (pipeline("picture"), pipeline("scan"))
}
