//! Results that are computed while the vehicle drives on, such as a frame of a camera or lidar, or
//! data that a controller derives from one.
//!
//! Comparing, storing or delivering a result blocks until it is complete. A state that holds one
//! therefore behaves as plain data.

use super::reading::Delivery;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::{Arc, OnceLock};

/// Result that is due at a given time, or none where a filter has dropped it.
#[derive(Clone, Debug)]
pub struct Deferred<T = Delivery> {
    /// Due time, µs.
    due_us: u64,
    work: DeferredState<T>,
}

#[derive(Clone, Debug)]
enum DeferredState<T> {
    Ready(Option<T>),
    Pending(Arc<OnceLock<Option<T>>>),
}

/// Sender that completes one [`Deferred`].
#[derive(Debug)]
pub struct Promise<T = Delivery>(Arc<OnceLock<Option<T>>>);

impl<T> Promise<T> {
    /// Supplies the result.
    pub fn fulfill(self, made: Option<T>) {
        // only one maker exists, and this call consumes it
        let _ = self.0.set(made);
    }
}

impl Deferred {
    /// Wraps a frame that is already complete.
    pub fn from_delivery(delivery: Delivery) -> Deferred {
        Deferred::ready(delivery.due_us, delivery)
    }
}

impl<T> Deferred<T> {
    /// Creates a pending result and the sender that completes it.
    pub fn new(due_us: u64) -> (Deferred<T>, Promise<T>) {
        let made = Arc::new(OnceLock::new());
        (Deferred { due_us, work: DeferredState::Pending(made.clone()) }, Promise(made))
    }

    /// Wraps a result that is already complete.
    pub fn ready(due_us: u64, made: T) -> Deferred<T> {
        Deferred { due_us, work: DeferredState::Ready(Some(made)) }
    }

    /// Returns the due time, µs.
    pub fn due_us(&self) -> u64 {
        self.due_us
    }

    /// Returns the result; blocks until it is complete.
    pub fn get(&self) -> Option<&T> {
        match &self.work {
            DeferredState::Ready(made) => made.as_ref(),
            DeferredState::Pending(made) => made.wait().as_ref(),
        }
    }
}

impl<T: Clone> Deferred<T> {
    /// Consumes this and returns the result; blocks until it is complete.
    pub fn take(self) -> Option<T> {
        match self.work {
            DeferredState::Ready(made) => made,
            DeferredState::Pending(made) => {
                made.wait();
                match Arc::try_unwrap(made) {
                    Ok(made) => made.into_inner().flatten(),
                    Err(shared) => shared.wait().clone(),
                }
            }
        }
    }
}

impl<T: PartialEq> PartialEq for Deferred<T> {
    fn eq(&self, other: &Deferred<T>) -> bool {
        self.get() == other.get()
    }
}

impl<T: Serialize> Serialize for Deferred<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.due_us, self.get()).serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Deferred<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Deferred<T>, D::Error> {
        let (due_us, made) = <(u64, Option<T>)>::deserialize(deserializer)?;
        Ok(Deferred { due_us, work: DeferredState::Ready(made) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Odometry, Reading};
    use bekker_math::spatial::{Pose, Vec3};

    fn delivery() -> Delivery {
        let zero = Vec3::zeros();
        let truth = Odometry { pose: Pose::default(), velocity: zero, angular_velocity: zero };
        let (pose, reading) = (Pose::default(), Reading::Odometry(truth));
        Delivery { sensor: 1, frame: 2, taken_us: 3, due_us: 4, pose, reading }
    }

    /// Serializing a pending result blocks until it is complete.
    #[test]
    fn is_stored_whole() {
        let (awaited, maker) = Deferred::new(4);
        let stored = std::thread::spawn(move || postcard::to_stdvec(&awaited).unwrap());
        maker.fulfill(Some(delivery()));
        let back: Deferred = postcard::from_bytes(&stored.join().unwrap()).unwrap();
        assert_eq!((back.due_us(), back.take()), (4, Some(delivery())));
    }
}
