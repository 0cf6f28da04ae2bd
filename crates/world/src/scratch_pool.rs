//! Scratch buffers lent to agents while they step: one per thread, not per agent.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Unused scratch buffers. Their contents never outlive a contact, so any buffer gives the same
/// result.
#[derive(Debug, Default)]
pub(super) struct ScratchPool<T> {
    spare: Mutex<Vec<T>>,
}

impl<T: Default> Clone for ScratchPool<T> {
    /// Returns an empty pool: buffers are not copied.
    fn clone(&self) -> ScratchPool<T> {
        ScratchPool::default()
    }
}

impl<T: Default> ScratchPool<T> {
    /// Returns a buffer, possibly with capacity from earlier use.
    pub fn take(&self) -> T {
        self.spare().pop().unwrap_or_default()
    }

    /// Takes back a buffer.
    pub fn give(&self, buffer: T) {
        self.spare().push(buffer);
    }

    fn spare(&self) -> MutexGuard<'_, Vec<T>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
