//! Room to work in, lent to agents while they step: as much as there are threads, not agents.

use crate::scm::Scratch;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Room that nobody works in at present. What it holds never outlives a contact, so whoever
/// gets which decides nothing.
#[derive(Debug, Default)]
pub(super) struct ScratchPool {
    spare: Mutex<Vec<Scratch>>,
}

impl Clone for ScratchPool {
    /// Room is not copied.
    fn clone(&self) -> ScratchPool {
        ScratchPool::default()
    }
}

impl ScratchPool {
    /// Some room, grown by whoever had it before.
    pub fn take(&self) -> Scratch {
        self.spare().pop().unwrap_or_default()
    }

    /// Gives it back.
    pub fn give(&self, room: Scratch) {
        self.spare().push(room);
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Scratch>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
