//! Differential locks that a driver engages, as with switches on a dashboard.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A switch and the differentials that it locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// The center differential, in the transfer case.
    Center,
    /// The differentials between axles on the same output of the center differential.
    InterAxle,
    /// The differentials between the wheels of the axles on the front output of the center
    /// differential.
    FrontAxles,
    /// The differentials between the wheels of the axles on the rear output of the center
    /// differential.
    RearAxles,
}

impl Lock {
    /// All switches.
    pub const ALL: [Lock; 4] = [Lock::Center, Lock::InterAxle, Lock::FrontAxles, Lock::RearAxles];

    /// Name of the switch in scenarios and messages.
    pub fn name(self) -> &'static str {
        match self {
            Lock::Center => "center",
            Lock::InterAxle => "inter_axle",
            Lock::FrontAxles => "front_axles",
            Lock::RearAxles => "rear_axles",
        }
    }
}

/// Differential locks to engage, or those that a vehicle has. Only differentials with `commanded`
/// in the vehicle's file respond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Locks {
    /// Whether to lock the center differential, in the transfer case.
    #[serde(alias = "centre")]
    pub center: bool,
    /// Whether to lock the differentials between axles on the same output of the center
    /// differential.
    pub inter_axle: bool,
    /// Whether to lock the differentials between the wheels of the axles on the front output of the
    /// center differential.
    pub front_axles: bool,
    /// Whether to lock the differentials between the wheels of the axles on the rear output of the
    /// center differential.
    pub rear_axles: bool,
}

impl Locks {
    /// No locks.
    pub const OPEN: Locks =
        Locks { center: false, inter_axle: false, front_axles: false, rear_axles: false };

    /// Whether a lock is in this set.
    pub fn contains(mut self, lock: Lock) -> bool {
        *self.flag(lock)
    }

    /// Returns this set with a lock added or removed.
    pub fn with_lock(mut self, lock: Lock, engaged: bool) -> Locks {
        *self.flag(lock) = engaged;
        self
    }

    /// Iterates over the locks in this set.
    pub fn iter(self) -> impl Iterator<Item = Lock> {
        Lock::ALL.into_iter().filter(move |lock| self.contains(*lock))
    }

    /// Returns the locks with these names.
    ///
    /// The error is the first name that no lock has.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Locks, &'a str> {
        names.into_iter().try_fold(Locks::OPEN, |locks, name| {
            let lock = Lock::ALL.into_iter().find(|lock| lock.name() == name).ok_or(name)?;
            Ok(locks.with_lock(lock, true))
        })
    }

    /// Whether this set is empty.
    pub fn is_open(&self) -> bool {
        *self == Locks::OPEN
    }

    fn flag(&mut self, lock: Lock) -> &mut bool {
        match lock {
            Lock::Center => &mut self.center,
            Lock::InterAxle => &mut self.inter_axle,
            Lock::FrontAxles => &mut self.front_axles,
            Lock::RearAxles => &mut self.rear_axles,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        let locks = Locks { center: true, rear_axles: true, ..Locks::OPEN };
        assert_eq!(Locks::named(locks.iter().map(Lock::name)), Ok(locks));
        assert_eq!(Locks::named(["center", "left"]), Err("left"));
        let read: Locks = toml::from_str("center = true\nrear_axles = true").unwrap();
        assert_eq!(read, locks);
    }
}
