//! A frame that may still be in the making while the vehicle drives on.
//!
//! It is whole wherever it is looked at: who compares, stores or delivers it waits until
//! it is made. So a state that holds one is plain data all the same.

use super::reading::Delivery;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::{Arc, OnceLock};

/// A frame to be delivered, or nothing where a filter has lost it.
#[derive(Clone, Debug)]
pub struct Awaited {
    /// When it is to be delivered, µs.
    due_us: u64,
    frame: Frame,
}

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "small readings are many, and are not to allocate")]
enum Frame {
    Made(Option<Delivery>),
    InTheMaking(Arc<OnceLock<Option<Delivery>>>),
}

/// Who makes a frame.
#[derive(Debug)]
pub struct Maker(Arc<OnceLock<Option<Delivery>>>);

impl Maker {
    /// Hands in what was made.
    pub fn hand_in(self, made: Option<Delivery>) {
        // there is one maker, who is used up
        let _ = self.0.set(made);
    }
}

impl Awaited {
    /// A frame that is yet to be made, and its maker.
    pub fn new(due_us: u64) -> (Awaited, Maker) {
        let made = Arc::new(OnceLock::new());
        (Awaited { due_us, frame: Frame::InTheMaking(made.clone()) }, Maker(made))
    }

    /// A frame that there is.
    pub fn made(delivery: Delivery) -> Awaited {
        Awaited { due_us: delivery.due_us, frame: Frame::Made(Some(delivery)) }
    }

    /// When it is to be delivered, µs.
    pub fn due_us(&self) -> u64 {
        self.due_us
    }

    /// The frame, once it is made.
    pub fn get(&self) -> Option<&Delivery> {
        match &self.frame {
            Frame::Made(made) => made.as_ref(),
            Frame::InTheMaking(made) => made.wait().as_ref(),
        }
    }

    /// The frame itself.
    pub fn take(self) -> Option<Delivery> {
        match self.frame {
            Frame::Made(made) => made,
            Frame::InTheMaking(made) => {
                made.wait();
                match Arc::try_unwrap(made) {
                    Ok(made) => made.into_inner().flatten(),
                    Err(shared) => shared.wait().clone(),
                }
            }
        }
    }
}

impl PartialEq for Awaited {
    fn eq(&self, other: &Awaited) -> bool {
        self.get() == other.get()
    }
}

impl Serialize for Awaited {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.due_us, self.get()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Awaited {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Awaited, D::Error> {
        let (due_us, delivery) = <(u64, Option<Delivery>)>::deserialize(deserializer)?;
        Ok(Awaited { due_us, frame: Frame::Made(delivery) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor::{Odometry, Reading};
    use crate::spatial::{Pose, Vec3};

    fn delivery() -> Delivery {
        let zero = Vec3::zeros();
        let truth = Odometry { pose: Pose::default(), velocity: zero, angular_velocity: zero };
        let (pose, reading) = (Pose::default(), Reading::Odometry(truth));
        Delivery { sensor: 1, frame: 2, taken_us: 3, due_us: 4, pose, reading }
    }

    /// Stored while it is in the making, it is stored whole.
    #[test]
    fn is_stored_whole() {
        let (awaited, maker) = Awaited::new(4);
        let stored = std::thread::spawn(move || postcard::to_stdvec(&awaited).unwrap());
        maker.hand_in(Some(delivery()));
        let back: Awaited = postcard::from_bytes(&stored.join().unwrap()).unwrap();
        assert_eq!((back.due_us(), back.take()), (4, Some(delivery())));
    }
}
