//! Locks of differentials that a driver engages, as by switches on the dashboard.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A switch: which differentials it locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// The center differential, in the transfer case.
    Centre,
    /// Those between axles of the same output of the center differential.
    InterAxle,
    /// Those between the wheels of the axles behind its front output.
    FrontAxles,
    /// Those between the wheels of the axles behind its rear output.
    RearAxles,
}

impl Lock {
    /// All switches.
    pub const ALL: [Lock; 4] = [Lock::Centre, Lock::InterAxle, Lock::FrontAxles, Lock::RearAxles];

    /// Its name in scenarios and messages.
    pub fn name(self) -> &'static str {
        match self {
            Lock::Centre => "centre",
            Lock::InterAxle => "inter_axle",
            Lock::FrontAxles => "front_axles",
            Lock::RearAxles => "rear_axles",
        }
    }
}

/// Which locks are commanded, or which a vehicle has; only differentials whose file says
/// `commanded` follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Locks {
    /// The center differential, in the transfer case.
    pub centre: bool,
    /// The differentials between axles of the same output of the center differential.
    pub inter_axle: bool,
    /// The differentials between the wheels of the axles behind its front output.
    pub front_axles: bool,
    /// The differentials between the wheels of the axles behind its rear output.
    pub rear_axles: bool,
}

impl Locks {
    /// None.
    pub const OPEN: Locks =
        Locks { centre: false, inter_axle: false, front_axles: false, rear_axles: false };

    /// Whether a lock is among them.
    pub fn contains(mut self, lock: Lock) -> bool {
        *self.flag(lock)
    }

    /// The same with or without a lock.
    pub fn with(mut self, lock: Lock, engaged: bool) -> Locks {
        *self.flag(lock) = engaged;
        self
    }

    /// Those that are among them.
    pub fn iter(self) -> impl Iterator<Item = Lock> {
        Lock::ALL.into_iter().filter(move |lock| self.contains(*lock))
    }

    /// Locks by their names; the first name that is none's if there is one.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Locks, &'a str> {
        names.into_iter().try_fold(Locks::OPEN, |locks, name| {
            let lock = Lock::ALL.into_iter().find(|lock| lock.name() == name).ok_or(name)?;
            Ok(locks.with(lock, true))
        })
    }

    /// Whether there are none.
    pub fn is_open(&self) -> bool {
        *self == Locks::OPEN
    }

    fn flag(&mut self, lock: Lock) -> &mut bool {
        match lock {
            Lock::Centre => &mut self.centre,
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
        let locks = Locks { centre: true, rear_axles: true, ..Locks::OPEN };
        assert_eq!(Locks::named(locks.iter().map(Lock::name)), Ok(locks));
        assert_eq!(Locks::named(["centre", "left"]), Err("left"));
        let read: Locks = toml::from_str("centre = true\nrear_axles = true").unwrap();
        assert_eq!(read, locks);
    }
}
