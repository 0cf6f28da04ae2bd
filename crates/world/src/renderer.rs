//! Rendering of frames by the processor or a graphics card.

use super::scene::{SceneModel, VisibleWorld};
use bekker_sensor::camera::{Image, ImageRequest};
use bekker_sensor::lidar::{LidarHit, Rays};
use bekker_sensor::relief::HeightPyramid;
use bekker_sensor::scene::Scene;
#[cfg(feature = "gpu")]
use {
    bekker_sensor::gpu::{self, GpuDevice, GpuError, SceneConstants},
    bekker_sensor::scene::InstanceSet,
    std::sync::{Arc, Mutex},
};

/// Data on the graphics card that all agents of a world share.
#[derive(Debug, Default)]
pub(super) struct Renderers {
    #[cfg(feature = "gpu")]
    props: Option<Arc<SceneConstants>>,
}

/// Renderer of one agent.
#[derive(Clone, Debug, Default)]
pub(super) struct Renderer {
    #[cfg(feature = "gpu")]
    gpu: Option<(Arc<GpuDevice>, Arc<Mutex<gpu::GpuRenderer>>)>,
}

#[cfg(not(feature = "gpu"))]
impl Renderers {
    /// Returns a renderer that uses the processor.
    pub fn renderer(&mut self, _: VisibleWorld<'_>, _: &SceneModel, _: &HeightPyramid) -> Renderer {
        Renderer::default()
    }
}

#[cfg(not(feature = "gpu"))]
impl Renderer {
    /// Renders an image.
    pub fn picture(&self, scene: &Scene<'_>, take: &ImageRequest<'_>) -> Image {
        take.image(scene)
    }

    /// Returns the hits of a scan's rays; `None` if the processor must compute them.
    pub fn cast_rays(
        &self,
        _: &Scene<'_>,
        _: &Rays<'_, '_>,
        _: [f64; 2],
    ) -> Option<Vec<Option<LidarHit>>> {
        None
    }
}

#[cfg(feature = "gpu")]
impl Renderers {
    /// Returns a renderer on the scene's graphics card, or on the processor without one or if it
    /// is lost.
    pub fn renderer(
        &mut self,
        world: VisibleWorld<'_>,
        scene_model: &SceneModel,
        relief: &HeightPyramid,
    ) -> Renderer {
        let gpu = scene_model.gpu.clone().filter(|gpu| !gpu.is_lost());
        let Some(gpu) = gpu else { return Renderer::default() };
        let scene = InstanceSet::new(&[], &[]);
        let made = self.props(&gpu, &scene_model.scene(world, relief, &scene)).and_then(|props| {
            gpu::GpuRenderer::new(gpu.clone(), props).inspect_err(|error| gpu.lose(error.clone()))
        });
        Renderer { gpu: made.ok().map(|renderer| (gpu, Arc::new(Mutex::new(renderer)))) }
    }

    fn props(
        &mut self,
        gpu: &GpuDevice,
        scene: &Scene<'_>,
    ) -> Result<Arc<SceneConstants>, GpuError> {
        if let Some(props) = &self.props {
            return Ok(props.clone());
        }
        let props = SceneConstants::new(gpu, scene).inspect_err(|error| gpu.lose(error.clone()))?;
        Ok(self.props.insert(Arc::new(props)).clone())
    }
}

#[cfg(feature = "gpu")]
impl Renderer {
    /// Renders an image on the graphics card, or on the processor once the card is lost.
    pub fn picture(&self, scene: &Scene<'_>, take: &ImageRequest<'_>) -> Image {
        self.by_gpu(|renderer| {
            renderer.render_images(scene, &[*take])?.pop().ok_or(GpuError::Nothing)
        })
        .unwrap_or_else(|| take.image(scene))
    }

    /// Returns the hits of a scan's rays between two ranges, m; `None` if the processor must
    /// compute them.
    pub fn cast_rays(
        &self,
        scene: &Scene<'_>,
        rays: &Rays<'_, '_>,
        limits: [f64; 2],
    ) -> Option<Vec<Option<LidarHit>>> {
        self.by_gpu(|renderer| renderer.cast_rays(scene, rays.iter(), limits))
    }

    fn by_gpu<T>(
        &self,
        act: impl FnOnce(&mut gpu::GpuRenderer) -> Result<T, GpuError>,
    ) -> Option<T> {
        let (gpu, renderer) = self.gpu.as_ref().filter(|(gpu, _)| !gpu.is_lost())?;
        // A panic leaves the renderer usable, since each call sends all data again.
        let mut renderer = renderer.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        act(&mut renderer).inspect_err(|error| gpu.lose(error.clone())).ok()
    }
}
