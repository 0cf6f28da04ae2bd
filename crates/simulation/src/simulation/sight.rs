//! What a world looks with: the processor, or a graphics card.

use super::world::WorldModel;
use crate::sensor::camera::{Image, Take};
use crate::sensor::lidar::{Rays, Struck};
use crate::sensor::relief::Relief;
use crate::sensor::scene::Scene;
#[cfg(feature = "gpu")]
use {
    crate::gpu::{self, Card, GpuError, Props},
    crate::sensor::scene::Crowd,
    std::sync::{Arc, Mutex},
};

/// What agents of a world share on the card.
#[derive(Debug, Default)]
pub(super) struct Cards {
    #[cfg(feature = "gpu")]
    props: Option<Arc<Props>>,
}

/// What one agent looks with.
#[derive(Clone, Debug, Default)]
pub(super) struct Sight {
    #[cfg(feature = "gpu")]
    card: Option<(Arc<Card>, Arc<Mutex<gpu::Sight>>)>,
}

#[cfg(not(feature = "gpu"))]
impl Cards {
    /// The processor.
    pub fn sight(&mut self, _: &WorldModel, _: &Relief) -> Sight {
        Sight::default()
    }
}

#[cfg(not(feature = "gpu"))]
impl Sight {
    /// A picture.
    pub fn picture(&self, scene: &Scene<'_>, take: &Take<'_>) -> Image {
        take.image(scene)
    }

    /// What the rays of a scan strike; nothing where the processor is to say.
    pub fn strike(
        &self,
        _: &Scene<'_>,
        _: &Rays<'_, '_>,
        _: [f64; 2],
    ) -> Option<Vec<Option<Struck>>> {
        None
    }
}

#[cfg(feature = "gpu")]
impl Cards {
    /// The stage's card, if it has one that has not given up, or else the processor.
    pub fn sight(&mut self, model: &WorldModel, relief: &Relief) -> Sight {
        let stage = model.stage.as_ref();
        let card = stage.and_then(|stage| stage.card.clone()).filter(|card| !card.is_lost());
        let Some((stage, card)) = stage.zip(card) else { return Sight::default() };
        let scene = Crowd::new(&[], &[]);
        let made = self.props(&card, &stage.scene(model, relief, &scene)).and_then(|props| {
            gpu::Sight::new(card.clone(), props).inspect_err(|error| card.lose(error.clone()))
        });
        Sight { card: made.ok().map(|sight| (card, Arc::new(Mutex::new(sight)))) }
    }

    fn props(&mut self, card: &Card, scene: &Scene<'_>) -> Result<Arc<Props>, GpuError> {
        if let Some(props) = &self.props {
            return Ok(props.clone());
        }
        let props = Props::new(card, scene).inspect_err(|error| card.lose(error.clone()))?;
        Ok(self.props.insert(Arc::new(props)).clone())
    }
}

#[cfg(feature = "gpu")]
impl Sight {
    /// A picture: the card's, or once it has given up the processor's.
    pub fn picture(&self, scene: &Scene<'_>, take: &Take<'_>) -> Image {
        self.by_card(|sight| sight.pictures(scene, &[*take])?.pop().ok_or(GpuError::Nothing))
            .unwrap_or_else(|| take.image(scene))
    }

    /// What the rays of a scan strike between two ranges, m; nothing where the processor
    /// is to say.
    pub fn strike(
        &self,
        scene: &Scene<'_>,
        rays: &Rays<'_, '_>,
        limits: [f64; 2],
    ) -> Option<Vec<Option<Struck>>> {
        self.by_card(|sight| sight.strike(scene, rays.iter(), limits))
    }

    fn by_card<T>(&self, act: impl FnOnce(&mut gpu::Sight) -> Result<T, GpuError>) -> Option<T> {
        let (card, sight) = self.card.as_ref().filter(|(card, _)| !card.is_lost())?;
        // whoever panicked with it has left it as good as new: each call sends all anew
        let mut sight = sight.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        act(&mut sight).inspect_err(|error| card.lose(error.clone())).ok()
    }
}
