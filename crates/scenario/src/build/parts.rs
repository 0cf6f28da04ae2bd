//! What many scenarios are built from alike: elevation models, specs of the catalogue and vehicles, each made
//! once.

use bekker_agent::{GroundVehicle, GroundVehicleError};
use bekker_ground::terrain::{Gaps, Placement, Surface};
use bekker_vehicle::AnySpec;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Elevation models that have been decoded, specs of the catalogue that have been read, and vehicles
/// that have been assembled. Worlds that are built with the same parts share them in memory too. A
/// file is still read and hashed
/// for every scenario: one that has changed since is decoded anew, and every run can say what
/// it was built from. May be used from several threads; a clone is the same parts.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    elevations: Arc<Mutex<BTreeMap<(String, String), Elevations>>>,
    specs: Arc<Mutex<BTreeMap<String, Arc<AnySpec>>>>,
    vehicles: Arc<Mutex<Vec<Assembled>>>,
}

/// A vehicle beside what it was assembled from.
type Assembled = (Arc<AnySpec>, GroundVehicle);

/// The surface of an elevation model.
#[derive(Clone, Debug)]
pub(super) struct Elevations {
    pub surface: Surface,
    /// Ground without data, where it is kept as such.
    pub gaps: Option<Arc<Gaps>>,
    /// Where its local frame lies on earth.
    pub placement: Placement,
    /// What is doubtful about it.
    pub warnings: Vec<String>,
}

impl Parts {
    /// How many elevation models and vehicles have been made.
    pub fn made(&self) -> [usize; 2] {
        [locked(&self.elevations).len(), locked(&self.vehicles).len()]
    }

    /// The surface of this description and content's hash, made unless there is one.
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

    /// The spec of a vehicle of the catalogue that is asked for so, if one has been.
    pub(super) fn spec(&self, asked: &str) -> Option<Arc<AnySpec>> {
        locked(&self.specs).get(asked).cloned()
    }

    /// Keeps it.
    pub(super) fn keep_spec(&self, asked: String, spec: Arc<AnySpec>) {
        locked(&self.specs).insert(asked, spec);
    }

    /// The vehicle of a spec.
    pub(super) fn vehicle(&self, spec: &Arc<AnySpec>) -> Result<GroundVehicle, GroundVehicleError> {
        let known = |(own, _): &&Assembled| Arc::ptr_eq(own, spec) || own == spec;
        if let Some((_, vehicle)) = locked(&self.vehicles).iter().find(known) {
            return Ok(vehicle.clone());
        }
        let made = GroundVehicle::new(spec)?;
        locked(&self.vehicles).push((spec.clone(), made.clone()));
        Ok(made)
    }
}

/// What a thread that panicked left behind is whole: each entry is put in at once.
fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
