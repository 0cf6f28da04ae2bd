//! Cache of parts that several scenarios share: elevation models, catalog specs and vehicles.

use super::vehicles::SpecRequest;
use crate::config;
use bekker_agent::{AnyVehicle, GroundVehicle, GroundVehicleError};
use bekker_ground::terrain::{FramePlacement, Gaps, Surface};
use bekker_vehicle::AnySpec;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Decoded elevation models, parsed catalog specs and assembled vehicles.
///
/// Worlds built with the same cache share these in memory. A file is still read and hashed for
/// every scenario, so that a changed file is decoded again and every run can list its inputs. The
/// cache is thread-safe, and a clone refers to the same cache.
#[derive(Clone, Debug, Default)]
pub struct AssetCache {
    elevations: Arc<Mutex<Vec<(ElevationKey, Elevations)>>>,
    specs: Arc<Mutex<SpecCache>>,
    vehicles: Arc<Mutex<Vec<CachedVehicle>>>,
}

/// Cache key: inputs that determine the surface of an elevation model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ElevationKey {
    /// Settings of the surface.
    pub surface: config::SurfaceConfig,
    /// Hash of the content of its files.
    pub content: String,
}

/// Specs with the requests for which they were made.
#[derive(Clone, Debug, Default)]
pub(super) struct SpecCache(Vec<(SpecRequest, Arc<AnySpec>)>);

impl SpecCache {
    /// Returns the spec for a request, if it is cached.
    pub fn get(&self, request: &SpecRequest) -> Option<Arc<AnySpec>> {
        let cached = self.0.iter().find(|(own, _)| own == request);
        cached.map(|(_, spec)| spec.clone())
    }

    /// Inserts the spec for a request.
    pub fn insert(&mut self, request: SpecRequest, spec: Arc<AnySpec>) {
        self.0.push((request, spec));
    }
}

/// A vehicle with the spec from which it was assembled.
type CachedVehicle = (Arc<AnySpec>, AnyVehicle);

/// The surface of an elevation model.
#[derive(Clone, Debug)]
pub(super) struct Elevations {
    pub surface: Surface,
    /// Cells without data, if they are kept.
    pub gaps: Option<Arc<Gaps>>,
    /// Placement of its local frame on the earth.
    pub placement: FramePlacement,
    /// Warnings about the model.
    pub warnings: Vec<String>,
}

impl AssetCache {
    /// Number of cached elevation models and vehicles.
    pub fn counts(&self) -> [usize; 2] {
        [lock(&self.elevations).len(), lock(&self.vehicles).len()]
    }

    /// The elevation model for settings and a content hash; computed by `make` if it is not
    /// cached.
    pub(super) fn elevations<E>(
        &self,
        key: ElevationKey,
        make: impl FnOnce() -> Result<Elevations, E>,
    ) -> Result<Elevations, E> {
        let cached = |(own, _): &&(ElevationKey, Elevations)| *own == key;
        if let Some((_, known)) = lock(&self.elevations).iter().find(cached) {
            return Ok(known.clone());
        }
        let made = make()?;
        lock(&self.elevations).push((key, made.clone()));
        Ok(made)
    }

    /// The cached spec for a request, if there is one.
    pub(super) fn spec(&self, request: &SpecRequest) -> Option<Arc<AnySpec>> {
        lock(&self.specs).get(request)
    }

    /// Inserts a spec.
    pub(super) fn insert_spec(&self, request: SpecRequest, spec: Arc<AnySpec>) {
        lock(&self.specs).insert(request, spec);
    }

    /// The vehicle of a spec under `gravity`, m/s², assembled if it is not cached.
    pub(super) fn vehicle(
        &self,
        spec: &Arc<AnySpec>,
        gravity: f64,
    ) -> Result<AnyVehicle, GroundVehicleError> {
        let known = |(own, vehicle): &&CachedVehicle| {
            vehicle.gravity() == gravity && (Arc::ptr_eq(own, spec) || own == spec)
        };
        if let Some((_, vehicle)) = lock(&self.vehicles).iter().find(known) {
            return Ok(vehicle.clone());
        }
        let made = AnyVehicle::with_gravity(spec, gravity)?;
        lock(&self.vehicles).push((spec.clone(), made.clone()));
        Ok(made)
    }
}

/// Locks the data, also after a panic: entries are inserted whole, so the data stay consistent.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
