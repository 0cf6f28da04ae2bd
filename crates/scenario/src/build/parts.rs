//! Cache of parts that several scenarios share: elevation models, catalog specs and vehicles.

use bekker_agent::{AnyVehicle, GroundVehicleError};
use bekker_ground::terrain::{Gaps, Placement, Surface};
use bekker_vehicle::AnySpec;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Decoded elevation models, parsed catalog specs and assembled vehicles.
///
/// Worlds built with the same cache share these in memory. A file is still read and hashed for
/// every scenario, so that a changed file is decoded again and every run can list its inputs. The
/// cache is thread-safe, and a clone refers to the same cache.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    elevations: Arc<Mutex<BTreeMap<(String, String), Elevations>>>,
    specs: Arc<Mutex<BTreeMap<String, Arc<AnySpec>>>>,
    vehicles: Arc<Mutex<Vec<Assembled>>>,
}

/// A vehicle with the spec from which it was assembled.
type Assembled = (Arc<AnySpec>, AnyVehicle);

/// The surface of an elevation model.
#[derive(Clone, Debug)]
pub(super) struct Elevations {
    pub surface: Surface,
    /// Cells without data, if they are kept.
    pub gaps: Option<Arc<Gaps>>,
    /// Placement of its local frame on the earth.
    pub placement: Placement,
    /// Warnings about the model.
    pub warnings: Vec<String>,
}

impl Parts {
    /// Number of cached elevation models and vehicles.
    pub fn made(&self) -> [usize; 2] {
        [locked(&self.elevations).len(), locked(&self.vehicles).len()]
    }

    /// The elevation model for a description and content hash; computed by `make` if it is not
    /// cached.
    pub(super) fn elevations<E>(
        &self,
        key: (String, String),
        make: impl FnOnce() -> Result<Elevations, E>,
    ) -> Result<Elevations, E> {
        if let Some(known) = locked(&self.elevations).get(&key) {
            return Ok(known.clone());
        }
        let made = make()?;
        locked(&self.elevations).insert(key, made.clone());
        Ok(made)
    }

    /// The cached catalog spec for a key, if there is one.
    pub(super) fn spec(&self, asked: &str) -> Option<Arc<AnySpec>> {
        locked(&self.specs).get(asked).cloned()
    }

    /// Inserts a spec.
    pub(super) fn keep_spec(&self, asked: String, spec: Arc<AnySpec>) {
        locked(&self.specs).insert(asked, spec);
    }

    /// The vehicle of a spec, assembled if it is not cached.
    pub(super) fn vehicle(&self, spec: &Arc<AnySpec>) -> Result<AnyVehicle, GroundVehicleError> {
        let known = |(own, _): &&Assembled| Arc::ptr_eq(own, spec) || own == spec;
        if let Some((_, vehicle)) = locked(&self.vehicles).iter().find(known) {
            return Ok(vehicle.clone());
        }
        let made = AnyVehicle::new(spec)?;
        locked(&self.vehicles).push((spec.clone(), made.clone()));
        Ok(made)
    }
}

/// Locks the data, also after a panic: entries are inserted whole, so the data stay consistent.
fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
