//! Room to work in, lent to agents while they step: as much as there are threads, not agents.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Room that nobody works in at present. What it holds never outlives a contact, so whoever
/// gets which decides nothing.
#[derive(Debug, Default)]
pub(super) struct ScratchPool<T> {
    spare: Mutex<Vec<T>>,
}

impl<T: Default> Clone for ScratchPool<T> {
    /// Room is not copied.
    fn clone(&self) -> ScratchPool<T> {
        ScratchPool::default()
    }
}

impl<T: Default> ScratchPool<T> {
    /// Some room, grown by whoever had it before.
    pub fn take(&self) -> T {
        self.spare().pop().unwrap_or_default()
    }

    /// Gives it back.
    pub fn give(&self, room: T) {
        self.spare().push(room);
    }

    fn spare(&self) -> MutexGuard<'_, Vec<T>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
